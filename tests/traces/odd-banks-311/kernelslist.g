MemcpyHtoD,0x00007fb0fc426000,4096
kernel-1.traceg.xz
kernel-2.traceg.xz
kernel-3.traceg.xz
