#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program with global, local and asynchronous accesses, and random options for the memory system below it.

Usage: generate_memory.py SEED FOLDER

What generate.py does for the multiprocessor, for the rest: loads and stores of every width and shape (coalesced, strided,
scattered, all lanes in one sector) in three ways to write addresses, local memory, atomics and reductions, asynchronous
copies, copies from the host, several kernels over the same data; options of caches, network, L2, address map and DRAM. Run as
its sibling says.
"""

import os
import random
import sys

import generate

HEAP = 0x7FB0FC400000
GENERIC = {"LD.E": 4, "LD.E.64": 8, "LD.E.128.SYS": 16, "ST.E": 4, "ST.E.64": 8}
MEMORY = {
    "ldg": "LDG.E LDG.E.64 LDG.E.128 LDG.E.U8 LDG.E.U16 LDG.E.CONSTANT LDG.E.64.CONSTANT LD.E LD.E.64 LDG.E.STRONG.GPU LDG.E.SYS",
    "stg": "STG.E STG.E.64 STG.E.128 STG.E.U8 STG.E.SYS ST.E ST.E.128",
    "ldl": "LDL LDL.64 LDL.128 LDL.U8",
    "stl": "STL STL.64 STL.128 STL.U8",
    "atom": "ATOMG.E.ADD.STRONG.GPU ATOM.E.ADD ATOMG.E.CAS.STRONG.GPU ATOMG.E.ADD.64.STRONG.GPU",
    "red": "RED.E.ADD.STRONG.GPU RED.E.MAX.STRONG.GPU",
    "ldgsts": "LDGSTS.E.BYPASS.128 LDGSTS.E.64 LDGSTS.E",
}
MIXES = [["ldg"], ["ldg", "stg"], ["ldg", "stg", "int"], ["ldg", "sp", "int"], ["stg", "alu"], ["ldl", "stl", "int"],
         ["ldl", "stl", "ldg", "stg"], ["atom", "int"], ["red", "ldg"], ["atom", "red", "ldg", "stg", "sfu"],
         ["ldgsts", "commit", "depbar", "lds", "int"], ["ldgsts", "ldg", "commit", "depbar", "bar"],
         ["ldg", "stg", "membar", "int"], ["ldg", "lds", "sts", "bar"], ["ldg", "stg", "atom", "red", "ldl", "stl", "lds", "int", "membar"]]
GLOBAL = {"ldg", "stg", "atom", "red", "ldgsts"}


def width(opcode):
    for part in opcode.split("."):
        digits = part[1:] if part.startswith("U") else part
        if digits.isdigit():
            return max(1, int(digits) // 8)
    return 4


def of_kind(program, kind, instruction, *more):
    """What a method of @program draws when there is one kind of instruction only."""
    program.kinds, kept = [kind], program.kinds
    out = instruction(*more)
    program.kinds = kept
    return out


class Program(generate.Program):
    """A program whose kinds may also be those of MEMORY."""

    def __init__(self, rng, binary, kinds, window):
        super().__init__(rng, binary, [k for k in kinds if k in generate.VOLTA], window)
        for k in kinds:
            if k in MEMORY and (k != "ldgsts" or binary >= 80):
                self.opcodes[k] = [op for op in MEMORY[k].split() if binary > 35 or not op.startswith(("STG", "ATOMG"))]
        self.kinds = [k for k in kinds if k in self.opcodes] or ["ldg"]
        self.opcodes.setdefault("ldg", MEMORY["ldg"].split())
        self.span = rng.choice([512, 4096, 65536, 1 << 20, 1 << 24])
        self.shapes = [rng.choice(["line", "line", "stride", "scatter", "one", "groups"]) for _ in range(3)]
        self.cursor = 0

    def start(self, size):
        r = self.rng
        if r.random() < .5:  # on through memory, as kernels do
            self.cursor = (self.cursor + 32 * size) % self.span
            return self.cursor
        return r.randrange(self.span // 16) * 16

    def heap(self, size):
        """An address a lane."""
        r = self.rng
        shape, start = r.choice(self.shapes), self.start(size)
        if shape == "line":
            return [HEAP + start + lane * size for lane in range(32)]
        if shape == "stride":
            step = r.choice([32, 36, 64, 128, 132, 256, 1024, 4096])
            return [HEAP + (start + lane * step) // size * size for lane in range(32)]
        if shape == "scatter":
            return [HEAP + r.randrange(self.span // size) * size for _ in range(32)]
        if shape == "groups":
            return [HEAP + start + lane // 8 * 4096 + lane % 8 * size for lane in range(32)]
        return [HEAP + start // size * size] * 32

    def local(self, size):
        r = self.rng
        at = r.randrange(16)
        return [(at if r.random() < .7 else r.randrange(16)) * size + 64 for _ in range(32)]

    def block(self, mask, lanes):
        r = self.rng
        used = [a for lane, a in enumerate(lanes) if mask >> lane & 1]
        if not used:
            return "4 1 0x0 0"
        steps = {b - a for a, b in zip(used, used[1:])}
        solid = mask >> (mask & -mask).bit_length() - 1
        mode = r.randrange(3)
        if mode == 1 and len(steps) <= 1 and solid & solid + 1 == 0:
            return f"4 1 0x{used[0]:x} {steps.pop() if steps else 0}"
        if mode == 2:
            return f"4 2 0x{used[0]:x} " + " ".join(str(b - a) for a, b in zip(used, used[1:]))
        return "4 0 " + " ".join(f"0x{a:x}" for a in used)

    def instruction(self, live, committed):
        r = self.rng
        kind = r.choice(self.kinds)
        if kind not in MEMORY:
            return of_kind(self, kind, super().instruction, live, committed)
        opcode, mask = r.choice(self.opcodes[kind]), self.mask(live)
        size = width(opcode)
        lanes = self.heap(size) if kind in GLOBAL else self.local(size)
        results = [r.choice(self.registers)] if kind in ("ldg", "ldl", "atom") else []
        sources = [r.choice(self.registers) for _ in range(r.choice([1, 2]))]
        return mask, results, opcode, sources, self.block(mask, lanes), 0


def kernel(rng, binary, limits):
    program = Program(rng, binary, rng.choice(MIXES), generate.SHARED_WINDOW)
    threads = min(rng.choice([1, 32, 33, 64, 96, 128, 192, 256, 512, 1024]), limits["threads"])
    warps = (threads + 31) // 32
    budget = rng.choice([20, 100, 400])
    ctas = max(1, min(rng.choice([1, 1, 2, 3, 5, 8, 16, 40, 100]), budget // warps))
    length = min(rng.choice([1, 2, 5, 10, 20, 40, 100]), budget * 8 // (ctas * warps) + 1)
    variants = [[program.warp(generate.lanes_of(threads, w), length) for w in range(warps)] for _ in range(rng.choice([1, 3, 8]))]
    shmem = min(rng.choice([0, 0, 1024, 10000, 32768]), limits["shmem"])
    return {"grid": (ctas, 1, 1), "block": (threads, 1, 1), "shmem": shmem, "nregs": rng.choice([16, 32, 64]), "binary": binary,
            "stream": 0, "tracer": 5, "windows": (generate.SHARED_WINDOW, generate.LOCAL_WINDOW), "lineinfo": 0,
            "ctas": [rng.randrange(len(variants)) for _ in range(ctas)], "variants": variants}


# ---- options -------------------------------------------------------------------------------------------------------

L1 = ["S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", "S:4:128:64,L:B:m:L:L,A:512:8,16:0,32", "S:4:128:16,L:L:m:L:L,A:64:4,8:0,32",
      "S:1:128:512,L:L:s:N:L,A:256:8,16:0,32", "N:64:128:6,L:L:m:N:H,A:128:8,8", "S:32:128:4,F:T:m:L:P,A:32:2,4:0,32", "none",
      "S:4:128:64,L:E:m:N:X,A:512:8,16:0,32", "S:4:128:8,L:B:m:F:L,A:64:8,16:0,32", "S:4:128:8,L:B:m:W:L,A:64:8,16:0,32",
      "S:2:128:2,L:B:m:L:L,A:16:2,2:0,32", "S:2:128:4,L:T:m:L:L,A:4:2,2:0,32"]
L2 = ["S:32:128:24,L:B:m:L:P,A:192:4,32:0,32", "S:64:128:16,L:B:m:L:P,A:32:2,8:0,32", "S:16:128:2,L:B:m:L:X,A:192:4,32:0,32",
      "N:16:128:4,L:B:m:W:L,A:192:4,32:0,128", "S:32:128:2,F:B:m:F:L,A:32:4,32:0,32", "S:16:128:4,L:B:m:W:P,A:16:2,4:0,32",
      "S:4:128:2,L:B:m:L:L,A:8:2,4:0,32"]
OPTIONS = {
    "-gpgpu_cache:dl1": L1, "-gpgpu_cache:dl2": L2, "-gpgpu_l1_banks": [1, 2, 4, 8], "-gpgpu_l1_latency": [1, 2, 5, 20, 39],
    "-gpgpu_l1_banks_hashing_function": [0, 1], "-gpgpu_l1_banks_byte_interleaving": [32, 64, 128],
    "-gpgpu_l1_cache_write_ratio": [0, 25, 60, 100], "-gpgpu_gmem_skip_L1D": [0, 1], "-gpgpu_flush_l1_cache": [0, 1],
    "-gpgpu_n_cluster_ejection_buffer_size": [1, 2, 8, 32], "-gpgpu_n_ldst_response_buffer_size": [1, 2, 8],
    "-icnt_in_buffer_limit": [2, 4, 16, 64, 512], "-icnt_out_buffer_limit": [2, 4, 16, 64, 512], "-icnt_arbiter_algo": [0, 1],
    "-icnt_grant_cycles": [1, 2, 4], "-gpgpu_n_mem": [8, 12, 16], "-gpgpu_n_sub_partition_per_mchannel": [1, 2, 4],
    "-gpgpu_memory_partition_indexing": [0, 2, 2, 4], "-gpgpu_dram_partition_queues": ["8:8:8:8", "16:4:16:4", "64:64:64:64", "5:2:2:2"],
    "-gpgpu_l2_rop_latency": [0, 10, 85, 160], "-dram_latency": [0, 10, 100], "-gpgpu_dram_scheduler": [0, 1, 1],
    "-gpgpu_frfcfs_dram_sched_queue_size": [0, 4, 8, 64], "-gpgpu_dram_return_queue_size": [0, 4, 16, 64, 192],
    "-dram_dual_bus_interface": [0, 1], "-dram_bnk_indexing_policy": [0, 1, 2], "-dram_bnkgrp_indexing_policy": [0, 1],
    "-dram_seperate_write_queue_enable": [0, 1], "-dram_write_queue_size": ["32:28:16", "16:12:2", "128:108:32", "8:4:1"],
    "-dram_elimnate_rw_turnaround": [0, 1], "-gpgpu_simple_dram_model": [0, 0, 0, 1], "-gpgpu_perf_sim_memcpy": [0, 1],
    "-gpgpu_clock_domains": ["1132:1132:1132:850", "1200:1000:900:877.5", "1500:700:1100:3500.5", "500:2000:2000:2000"],
    "-gpgpu_coalesce_arch": [40, 60, 70, 86], "-gpgpu_mem_unit_ports": [1, 2], "-gpgpu_local_mem_map": [0, 1],
    "-gpgpu_scheduler": ["lrr", "gto", "old", "rrr"], "-gpgpu_TB_launch_latency": [0, 9], "-gpgpu_adaptive_cache_config": [0, 1],
    "-gpgpu_shader_cta": [1, 2, 8, 32], "-gpgpu_n_clusters": [1, 2, 3, 4, 7], "-gpgpu_n_cores_per_cluster": [1, 1, 2, 3],
    "-gpgpu_dram_burst_length": [2, 4, 8, 16], "-gpgpu_smem_latency": [3, 20, 29], "-gpgpu_max_insn_issue_per_warp": [1, 2],
    "-gpgpu_num_sched_per_core": [4], "-gpgpu_kernel_launch_latency": [0, 10, 100], "-gpgpu_flush_l2_cache": [0, 1],
    "-gpgpu_concurrent_kernel_sm": [0, 0, 1], "-gpgpu_perfect_inst_const_cache": [1, 1, 0],
    "-gpgpu_cache:il1": ["N:64:128:16,L:R:f:N:L,S:2:48,4", "N:8:128:4,L:R:f:N:L,S:2:48,4", "N:4:128:2,L:R:f:N:L,A:2:4,2"],
}


def case(seed):
    rng = random.Random(seed)
    config = rng.choice(["qv100", "rtx3070"])
    names = rng.sample(sorted(OPTIONS), rng.choice([0, 1, 2, 3, 5, 8, 12]))
    chosen = {"-gpgpu_n_clusters": rng.choice([1, 2, 4]), "-gpgpu_kernel_launch_latency": rng.choice([0, 50])}
    chosen.update({name: rng.choice(OPTIONS[name]) for name in names})
    limits = {"threads": 1024, "shmem": 65536}
    binary = rng.choice(generate.CONFIGS[config]["binary"])
    kernels = [kernel(rng, binary, limits) for _ in range(rng.choice([1, 1, 2, 3]))]
    copies = [(HEAP + rng.randrange(64) * 4096, rng.choice([4, 100, 4096, 100000])) for _ in range(rng.choice([0, 0, 1, 3]))]
    return {"config": config, "options": chosen, "kernels": kernels, "copies": copies}


def write(c, folder):
    generate.write(c, folder)
    rng = random.Random(len(c["copies"]))
    commands = [f"kernel-{i + 1}.traceg" for i in range(len(c["kernels"]))]  # a kernel ends the list: the reference wants it
    for address, size in c["copies"]:
        commands.insert(rng.randrange(len(commands)), f"MemcpyHtoD,0x{address:016x},{size}")
    with open(os.path.join(folder, "kernelslist.g"), "w") as f:
        f.writelines(command + "\n" for command in commands)


def main(doc, case_of):
    """Of a generator that takes a seed and a folder."""
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        sys.exit(doc.split("\n\n")[1])
    c = case_of(int(sys.argv[1]))
    write(c, sys.argv[2])
    print(c["config"])


if __name__ == "__main__":
    main(__doc__, case)
