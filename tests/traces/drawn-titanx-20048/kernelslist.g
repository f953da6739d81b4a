MemcpyHtoD,0x00007fb0fc42b000,4
kernel-1.traceg.xz
