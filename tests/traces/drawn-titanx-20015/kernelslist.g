MemcpyHtoD,0x00007fb0fc427000,4096
kernel-1.traceg.xz
kernel-2.traceg.xz
