MemcpyHtoD,0x00007fb0fc426000,4096
kernel-1.traceg.xz
