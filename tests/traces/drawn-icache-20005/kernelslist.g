MemcpyHtoD,0x00007fb0fc437000,100000
MemcpyHtoD,0x00007fb0fc416000,100
MemcpyHtoD,0x00007fb0fc433000,100
kernel-1.traceg.xz
