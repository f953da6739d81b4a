MemcpyHtoD,0x00007fb0fc427000,100
MemcpyHtoD,0x00007fb0fc41e000,100000
kernel-1.traceg.xz
MemcpyHtoD,0x00007fb0fc424000,4096
kernel-2.traceg.xz
