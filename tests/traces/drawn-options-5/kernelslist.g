MemcpyHtoD,0x00007fb0fc433000,100
kernel-1.traceg.xz
kernel-2.traceg.xz
