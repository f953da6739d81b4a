MemcpyHtoDAsync,0x00007fb0fc406000,4
kernel-1.traceg.xz
