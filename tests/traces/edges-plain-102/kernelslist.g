MemcpyHtoD,0x0000800000000000,2266
kernel-1.traceg.xz
