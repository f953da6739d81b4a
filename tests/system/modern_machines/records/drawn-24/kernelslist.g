MemcpyHtoD,0x00007f3000000000,16384
kernel-1.traceg.xz
