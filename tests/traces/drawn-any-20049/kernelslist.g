MemcpyHtoD,0x00007fb0fc43e000,100000
MemcpyHtoD,0x00007fb0fc43f000,4096
kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc419000,4096
kernel-2.traceg.xz
