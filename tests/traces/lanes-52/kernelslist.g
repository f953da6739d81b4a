MemcpyHtoD,0x00007fb0fc43c000,100
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
