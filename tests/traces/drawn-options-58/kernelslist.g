MemcpyHtoD,0x00007fb0fc41c000,100
MemcpyHtoD,0x00007fb0fc43b000,4096
kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc40c000,4096
kernel-2.traceg.xz
