MemcpyHtoD,0x00007f3000000000,512
kernel-1.traceg.xz
