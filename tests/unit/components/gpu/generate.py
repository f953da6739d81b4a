#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program of several kernels in several streams, and random options for their launch, as a trace.

Usage: generate.py SEED FOLDER [CONFIG]

FOLDER gets kernelslist.g, kernel-N.traceg and override.config, options of the reference for a machine of a few
multiprocessors (CONFIG, qv100 by default, gives the others). The same seed gives the same files. Run it with

    warpwright run -c CONFIG --gpgpusim FOLDER/override.config --report=accelsim FOLDER

and the reference with the same trace and options. Kernels differ in grid, block, shared memory and registers; they load from and
store to regions that they share, so that what a flush leaves in a cache can be seen; some finish in the same cycle.
"""

import os
import random
import sys

SHARED_WINDOW, LOCAL_WINDOW = 0x7FB139000000, 0x7FB137000000
REGION = 0x7FB000000000
ALU = {
    70: "FFMA IADD3 LOP3.LUT MOV DADD MUFU.RCP HFMA2 IMAD".split(),
    86: "FFMA IADD3 LOP3.LUT MOV MUFU.RCP HFMA2 IMAD".split(),
}


class Kernel:
    def __init__(self, rng, uid, config):
        r = self.rng = rng
        self.uid = uid
        self.binary = 86 if config == "rtx3070" else 70
        self.threads = r.choice([1, 20, 32, 32, 64, 64, 100, 128, 128, 256, 250, 512])
        self.ctas = r.choice([1, 1, 2, 3, 5, 8, 13, 24, 40])
        if self.threads > 128:
            self.ctas = min(self.ctas, 8)
        self.shmem = r.choice([0, 0, 0, 1000, 4096, 10000, 20000, 49152])
        self.nregs = r.choice([0, 16, 16, 30, 32, 64, 128])
        self.stream = 0
        self.kinds = r.choice([["alu"], ["alu", "ldg"], ["alu", "ldg", "stg"], ["ldg", "stg"], ["alu", "ldg", "stg", "lds", "bar"],
                               ["alu", "ldg", "stg", "membar"], ["stg"], []])
        self.length = r.choice([0, 1, 3, 6, 12, 30])
        self.base = REGION + 0x100000 * r.randrange(3)
        self.spread = r.choice([4, 4, 8, 32, 128])
        self.program = [self.instruction(pc) for pc in range(self.length if self.kinds else 0)]

    def instruction(self, pc):
        r = self.rng
        kind = r.choice(self.kinds)
        reg = lambda: "R%d" % r.randrange(2, 14)
        if kind == "alu":
            return (kind, "1 %s %s 2 %s %s 0 0" % (reg(), r.choice(ALU[self.binary]), reg(), reg()))
        if kind == "ldg":
            return (kind, reg(), r.choice(["LDG.E.SYS", "LDG.E.64.SYS"]), reg(), 4096 * r.randrange(4))
        if kind == "stg":
            return (kind, "", "STG.E.SYS", reg(), 4096 * r.randrange(4))
        if kind == "lds":
            return (kind, reg(), "LDS", reg(), 4 * r.randrange(64))
        return (kind, "0 %s 0 0 0" % ("BAR.SYNC" if kind == "bar" else "MEMBAR.SC.GPU"))

    def line(self, pc, ins, cta, warp, mask):
        if len(ins) == 2:
            return "%04x %08x %s" % (pc, mask, ins[1])
        kind, dst, opcode, src, offset = ins
        first = (mask & -mask).bit_length() - 1
        if kind == "lds":
            address, stride = SHARED_WINDOW + offset, 4
        else:
            thread = (cta * self.threads + 32 * warp + first) % 4096
            address, stride = self.base + offset + self.spread * thread, self.spread
        return "%04x %08x %s %s %s 4 1 0x%x %d 0" % (
            pc, mask, "1 " + dst if dst else "0", opcode, "2 %s R1" % src if not dst else "1 " + src, address, stride)

    def write(self, path):
        with open(path, "w") as f:
            f.write(f"-kernel name = k{self.uid}\n-kernel id = {self.uid}\n-grid dim = ({self.ctas},1,1)\n"
                    f"-block dim = ({self.threads},1,1)\n-shmem = {self.shmem}\n-nregs = {self.nregs}\n"
                    f"-binary version = {self.binary}\n-cuda stream id = {self.stream}\n"
                    f"-shmem base_addr = 0x{SHARED_WINDOW:016x}\n-local mem base_addr = 0x{LOCAL_WINDOW:016x}\n"
                    f"-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
                    "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
                    "[mem_addresses] immediate\n\n")
            warps = (self.threads + 31) // 32
            for cta in range(self.ctas):
                f.write(f"#BEGIN_TB\n\nthread block = {cta},0,0\n\n")
                for warp in range(warps):
                    mask = (1 << min(32, self.threads - 32 * warp)) - 1
                    f.write(f"warp = {warp}\ninsts = {len(self.program) + 1}\n")
                    for i, ins in enumerate(self.program):
                        f.write(self.line(16 * i, ins, cta, warp, mask) + "\n")
                    f.write("%04x %08x 0 EXIT 0 0 0\n\n" % (16 * len(self.program), mask))
                f.write("#END_TB\n\n")


def options(rng, config):
    o = {
        "-gpgpu_n_clusters": rng.choice([1, 2, 2, 3, 5]),
        "-gpgpu_n_cores_per_cluster": rng.choice([1, 1, 1, 2, 3]),
        "-gpgpu_concurrent_kernel_sm": rng.choice([0, 1, 1, 1]),
        "-gpgpu_max_concurrent_kernel": rng.choice([1, 2, 3, 4, 8, 128]),
        "-gpgpu_kernel_launch_latency": rng.choice([0, 1, 7, 100, 700]),
        "-gpgpu_TB_launch_latency": rng.choice([0, 0, 0, 1, 13]),
        "-gpgpu_flush_l1_cache": rng.choice([0, 1]),
        "-gpgpu_flush_l2_cache": rng.choice([0, 1]),
    }
    if rng.random() < .3:
        o["-gpgpu_shader_cta"] = rng.choice([1, 2, 3, 4, 8, 16])
    if rng.random() < .3:
        o["-gpgpu_shader_registers"] = 65536 * rng.choice([1, 2])
    if rng.random() < .3:
        o["-gpgpu_adaptive_cache_config"] = 0
    elif rng.random() < .3 and config == "qv100":
        o["-gpgpu_shmem_option"] = rng.choice(["0,96", "96", "64,0,32,96", "1,2,3,5,10,20,50,100"])
    if rng.random() < .2:
        o["-gpgpu_clock_domains"] = rng.choice(["1000:1000:1000:1000", "1132:1132:1132:2000", "900:1200:1300:850", "1000:500:700:3000"])
    return o


TWINS = 10000  # from this seed on kernels are small and mostly equal, so that several finish in one cycle

PARAMETERS = {
    "-gpgpu_n_clusters": "gpu.clusters",
    "-gpgpu_n_cores_per_cluster": "cluster.sms",
    "-gpgpu_concurrent_kernel_sm": "gpu.concurrent_kernels",
    "-gpgpu_max_concurrent_kernel": "gpu.kernels.max_concurrent",
    "-gpgpu_kernel_launch_latency": "gpu.kernels.launch_latency",
    "-gpgpu_TB_launch_latency": "gpu.kernels.tb_launch_latency",
    "-gpgpu_flush_l1_cache": "gpu.flush_l1",
    "-gpgpu_flush_l2_cache": "gpu.flush_l2",
    "-gpgpu_shader_cta": "sm.ctas.max_ctas",
    "-gpgpu_shader_registers": "sm.ctas.registers",
    "-gpgpu_adaptive_cache_config": "gpu.carve.adaptive",
    "-gpgpu_shmem_option": "gpu.carve.options",
}
FLAGS = ["-gpgpu_concurrent_kernel_sm", "-gpgpu_flush_l1_cache", "-gpgpu_flush_l2_cache", "-gpgpu_adaptive_cache_config"]


def setting(name, value):
    """An option as assignments to parameters."""
    value = value.strip()
    if name == "-gpgpu_clock_domains":
        return [f"{domain}_clock={mhz}MHz" for domain, mhz in zip(["core", "icnt", "l2", "dram"], value.split(":"))]
    if name == "-gpgpu_shmem_option":
        value = f"[{value}]"
    elif name in FLAGS:
        value = "true" if value == "1" else "false"
    return [f"{PARAMETERS[name]}={value}"]


def write(seed, folder, config):
    rng = random.Random(seed)
    os.makedirs(folder, exist_ok=True)
    kernels = [Kernel(rng, i + 1, config) for i in range(rng.choice([2, 3, 4, 5, 6, 8, 12]))]
    streams = rng.choice([1, 2, 2, 3, 5, 12])
    if seed >= TWINS:
        for k in kernels:
            k.ctas, k.threads, k.program = 1, 32, rng.choice([[("alu", "1 R4 FFMA 2 R4 R4 0 0")] * 3] * 4 + [k.program])
    same = rng.random() < .3
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        for i, k in enumerate(kernels):
            if same and i != 0 and rng.random() < .7:
                k.__dict__.update({n: v for n, v in kernels[i - 1].__dict__.items() if n != "uid"})
            k.stream = rng.randrange(streams) * 7
            k.write(os.path.join(folder, f"kernel-{k.uid}.traceg"))
            if rng.random() < .3:
                f.write("MemcpyHtoD,0x%016x,%d\n" % (REGION + 0x100000 * rng.randrange(3), rng.choice([32, 1000, 20000])))
            f.write(f"kernel-{k.uid}.traceg\n")
    with open(os.path.join(folder, "override.config"), "w") as f:
        for name, value in options(rng, config).items():
            f.write(f"{name} {value}\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "qv100")
