MemcpyHtoD,0x00007fb0fc43a000,4096
kernel-1.traceg.xz
