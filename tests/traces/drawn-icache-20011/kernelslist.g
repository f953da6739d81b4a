MemcpyHtoD,0x00007fb0fc402000,100000
MemcpyHtoD,0x00007fb0fc421000,100
kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc435000,4096
kernel-2.traceg.xz
