MemcpyHtoD,0x00007fb0fc410e1f,31
MemcpyHtoD,0x00007fb0fc43358b,92676
kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc436baf,1000
kernel-2.traceg.xz
kernel-2.traceg.xz
