MemcpyHtoD,0x00007fb0fc423000,100
MemcpyHtoD,0x00007fb0fc41f000,4
MemcpyHtoD,0x00007fb0fc415000,100
kernel-1.traceg.xz
