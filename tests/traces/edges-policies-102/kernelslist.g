MemcpyHtoD,0x00007fb0fc4041e6,1
MemcpyHtoD,0x00000000ffffff9c,3720
MemcpyHtoD,0x00007fb0fc40f893,31
kernel-1.traceg.xz
