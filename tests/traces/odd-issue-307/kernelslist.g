kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc430000,100000
kernel-2.traceg.xz
kernel-3.traceg.xz
MemcpyHtoD,0x00007fb0fc414000,100000
MemcpyHtoD,0x00007fb0fc434000,4096
kernel-4.traceg.xz
kernel-5.traceg.xz
