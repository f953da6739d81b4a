MemcpyHtoD,0x00007fb0fc405000,4
kernel-1.traceg.xz
