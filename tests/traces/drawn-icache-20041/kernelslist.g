MemcpyHtoD,0x00007fb0fc415000,4096
kernel-1.traceg.xz
