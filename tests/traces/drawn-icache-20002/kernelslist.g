MemcpyHtoD,0x00007fb0fc400000,100
kernel-1.traceg.xz
