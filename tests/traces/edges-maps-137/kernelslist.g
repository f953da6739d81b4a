MemcpyHtoD,0x00007fb0fc41aefd,1000
MemcpyHtoD,0x00007fb0fc42bc0a,1000
MemcpyHtoD,0x00007fb0fc432b33,1
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
