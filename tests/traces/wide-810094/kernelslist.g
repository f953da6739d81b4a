MemcpyHtoD,0x00007fb0fc4030dc,31
kernel-1.traceg.xz
kernel-2.traceg.xz
