MemcpyHtoD,0x00007fb0fc423000,4096
kernel-1.traceg.xz
