MemcpyHtoD,0x00007fb0fc43e000,1048576
MemcpyHtoD,0x00007fb0fc400000,248049
MemcpyHtoD,0x00007fb0fc400000,100
MemcpyHtoD,0x00007fb0fc41c000,100
MemcpyHtoD,0x00007fb0fc405000,32
MemcpyHtoD,0x00007fb0fc400000,32201
kernel-1.traceg.xz
kernel-2.traceg.xz
