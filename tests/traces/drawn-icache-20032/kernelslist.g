MemcpyHtoD,0x00007fb0fc401000,100000
MemcpyHtoD,0x00007fb0fc427000,4
MemcpyHtoD,0x00007fb0fc419000,100000
kernel-1.traceg.xz
