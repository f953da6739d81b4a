kernel-6.traceg.xz
