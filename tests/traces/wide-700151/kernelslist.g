MemcpyHtoD,0x00007fb0fc408dc6,1000
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
