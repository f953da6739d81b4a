MemcpyHtoD,0x00000000ffffff9c,1354
MemcpyHtoD,0x0000000000000001,3730
MemcpyHtoD,0x00007fb0fc4121b0,1000
kernel-1.traceg.xz
