MemcpyHtoD,0x00007fb0fc428000,4096
MemcpyHtoD,0x00007fb0fc408000,100
MemcpyHtoD,0x00007fb0fc43b000,100000
kernel-1.traceg.xz
