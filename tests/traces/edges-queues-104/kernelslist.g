MemcpyHtoD,0x00007fb0fc43bb7c,31
kernel-1.traceg.xz
kernel-2.traceg.xz
