MemcpyHtoD,0x00007fb0fc4321e2,113388
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
