MemcpyHtoD,0x00007fb0fc418000,32
kernel-1.traceg.xz
kernel-2.traceg.xz
