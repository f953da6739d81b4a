MemcpyHtoD,0x00007fb0fc412000,100000
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
