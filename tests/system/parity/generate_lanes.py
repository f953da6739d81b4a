#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program whose lanes point anywhere in the ways that programs have, and options of the LD/ST unit and what is around it.

Usage: generate_lanes.py SEED FOLDER

Rows of a tile, of any length and distance, misaligned, overlapping, up and down; lanes in another order, some of them twice; scattered,
sorted or not; across sectors, lines and 4 GB, near 0 and the top; the same in shared and in local memory; masks of every kind, in all
three ways to write addresses. Short loops of it, so that shapes come again. Options of coalescing, shared memory, the L1D and its queues.
Prints the configuration; run the folder as its siblings say.
"""

import random

import generate
import generate_edges
import generate_machine
import generate_memory
import generate_options
from generate_machine import some

HEAP, TOP = generate_memory.HEAP, 1 << 64
BASES = [HEAP] * 8 + [0, 0, 4, 0x20, 0x80, 1 << 31, 1 << 32, 1 << 33, 1 << 40, 1 << 47, 1 << 58, 1 << 59, 1 << 61, 1 << 63, TOP]
MIXES = [["ldg"], ["ldg", "stg"], ["stg"], ["ldl", "stl"], ["ldl", "stl", "ldg", "stg"], ["atom", "red"], ["atom", "red", "ldg", "stg"],
         ["ldgsts", "ldg", "commit", "depbar", "lds"], ["lds", "sts", "atoms"], ["lds", "sts", "atoms", "ldsm"], ["lds"],
         ["ldg", "lds", "sts", "int"], ["ldg", "stg", "atom", "red", "ldl", "stl", "lds", "sts", "membar"], ["ldg", "ldl"],
         ["stg", "stl", "red"], ["ldg", "gld", "gst"], ["ldc", "lds", "ldg"], ["ldg", "stg", "lds", "sts", "bar", "tex"]]
HALVES = [0x55555555, 0xAAAAAAAA, 0x33333333, 0x0F0F0F0F, 0xF0F0F0F0, 0x00FF00FF, 0x11111111, 0x77777777, 0xFFFF0000, 0xFFFF]

# ---- programs ------------------------------------------------------------------------------------------------------


def order(r):
    """The lanes in another order."""
    lanes, kind, n = list(range(32)), r.randrange(5), r.randrange(1, 32)
    if kind == 0:
        return [i ^ n for i in lanes]
    if kind == 1:
        return r.sample(lanes, 32)
    if kind == 2:
        return [int(f"{i:05b}"[::-1], 2) for i in lanes]
    if kind == 3:
        return [i * (n | 1) % 32 for i in lanes]
    return [(i + n) % 32 for i in lanes]


class Program(generate_edges.Program):
    """A program whose addresses have the shapes of SHAPES."""

    def __init__(self, rng, binary, kinds, windows):
        super().__init__(rng, binary, kinds, windows)
        self.base = rng.choice(BASES)
        self.chosen = rng.choices(sorted(SHAPES), [4 if s == "tile" else 1 for s in sorted(SHAPES)], k=rng.choice([1, 3, 6]))
        self.odd_start, self.tight = rng.random() < .35, rng.random() < .5
        self.partial = self.partial or rng.random() < .5

    def mask(self, live):
        r = self.rng
        if not self.partial or r.random() < .4:
            return live
        first, one = r.randrange(32), 1 << r.randrange(32)
        return live & r.choice([(1 << r.randrange(1, 33 - first)) - 1 << first, r.choice(HALVES), r.getrandbits(32), one, ~one, ~1,
                                r.getrandbits(32) & r.getrandbits(32) & r.getrandbits(32), one | 1 << r.randrange(32),
                                ~(r.getrandbits(32) & r.getrandbits(32) & r.getrandbits(32)), 0 if r.random() < .3 else live])

    def start(self, size):
        r = self.rng
        at = r.randrange(64 if self.tight else self.span // 16) * 16
        if r.random() < .4:
            at = self.cursor = (self.cursor + 32 * size) % self.span
        return at + (size * r.randrange(32) if r.random() < .5 else 0) + (r.randrange(size) if self.odd_start and r.random() < .5 else 0)

    def any_address(self, size):
        r, base = self.rng, self.base
        if base >= 0x80 and base != HEAP:
            base -= r.choice([0, 4, 16, 31, 32, 64, 100, 128, size * r.randrange(40), 4096])
        at = base + (self.start(size) if base == HEAP or r.random() < .5 else r.choice([0, size * r.randrange(32), r.randrange(256)]))
        return SHAPES[r.choice(self.chosen)](self, at, size)

    def tile(self, at, size):
        r = self.rng
        row, step = r.choice([1, 2, 3, 3, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 24, 31]), size * r.choice([1, 1, 1, 1, 2, 3, -1])
        if r.random() < .1:
            step = r.choice([0, 4, 8, 32, 33 * size])
        pitch = r.choice([row * size, row * size + 4, 32, 36, 100, 128, 132, row * size + size * r.randrange(1, 9), 1024, 4096, 0, -128,
                          -row * size, row * size - size, (row - 1) * size + 32, size * r.randrange(64), 65536, 1 << 20])
        return [at + lane // row * pitch + lane % row * step for lane in range(32)]

    def ordered(self, at, size):
        step = size * self.rng.choice([1, 1, 1, 2, 5, 8])
        return [at + i * step for i in order(self.rng)]

    def scatter(self, at, size):
        r = self.rng
        unit, n = 1 if self.odd_start and r.random() < .5 else size, r.choice([64, 256, 1024, 4096, 65536, 1 << 20])
        lanes = [at + r.randrange(max(1, n // unit)) * unit for _ in range(32)]
        return sorted(lanes) if r.random() < .4 else lanes

    def few(self, at, size):
        r = self.rng
        places = [at + size * r.randrange(200) for _ in range(r.choice([1, 2, 3, 5]))]
        return [r.choice(places) for _ in range(32)]

    def again(self, at, size):
        n = self.rng.choice([2, 3, 4, 7])
        return [at + lane // n * size for lane in range(32)]

    def steps(self, at, size):
        r = self.rng
        step = r.choice([0, size, 2 * size, 3 * size, 7 * size, 33 * size, 12, 20, 24, 32, 33, 36, 40, 48, 64, 96, 100, 128, 160, 256,
                         1, 3, 9, 31, 129, -size, -32, -36, (1 << r.randrange(8, 31)) + r.choice([0, 0, size, -size, 4])])
        return [at + lane * step for lane in range(32)]

    def bent(self, at, size):
        return [at + (lane if lane < 16 else 31 - lane) * size for lane in range(32)]

    def holes(self, at, size):
        return [0 if self.rng.random() < .3 else at + lane * size for lane in range(32)]

    def across(self, at, size):
        r = self.rng
        block = r.choice([32, 64, 128, 4096, 1 << 32])
        first = (at // block + 1) * block - r.choice([1, size // 2, size, 2, 16 * size])
        return [first + lane * size for lane in range(32)]

    def far(self, _at, size):
        r = self.rng
        places = r.choices([1 << 32, 1 << 31, HEAP, 1 << 58, 1 << 59, (1 << 61) - 64, 1 << 61, 1 << 63, TOP - 256, 128], k=r.choice([1, 2, 4]))
        return [r.choice(places) + r.randrange(-8, 8) * size for _ in range(32)]

    def place(self, kind, size):
        r = self.rng
        if kind in ("ldl", "stl"):
            return self.in_local(size)
        if kind in ("lds", "sts", "atoms", "ldsm") and r.random() < .7:
            row, at = r.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32]), r.choice([0, 0, 4 * r.randrange(200), r.randrange(256)])
            pitch = 4 * r.choice([row, row + 1, 32, 33, 31, 16, 64, 0, 1, 2, 8, r.randrange(200)])
            step = r.choice([4, 4, size, 8, 12, 0, 1, 2, 128, 132])
            lanes = [at + lane // row * pitch + lane % row * step for lane in range(32)]
            return [lanes[i] for i in order(r)] if r.random() < .4 else lanes
        return super().place(kind, size)

    def in_local(self, size):
        r, unit = self.rng, max(4, size)
        base = r.choice([0, 0, 0x40, 0x100, 0xFFFC00, self.windows[1], (1 << 32) - 64, r.randrange(64) * 16]) // 16 * 16
        one = base + r.randrange(64) * unit
        lanes = r.choice([[one] * 32, [one] * 32, [base + lane * unit for lane in range(32)], [base + r.randrange(8) * unit for _ in range(32)]])
        if r.random() < .2:
            lanes = lanes[:-1] + [one + unit]
        part = [size * r.randrange(4 // size)] if size < 4 else [0]
        if size < 4 and r.random() < .3:
            part = range(0, 4, size)
        return [a + r.choice(part) for a in lanes]

    def block(self, mask, lanes, steps_of=(0, 4, 8, 32, 128, -4)):
        r = self.rng
        used = [a % TOP for lane, a in enumerate(lanes) if mask >> lane & 1]
        if not used:
            return r.choice(["4 1 0x0 0", "4 0", "4 1 0x100 4"])
        width, steps = r.choice([1, 4, 4, 8, 16]), [b - a for a, b in zip(used, used[1:])]
        if r.random() < .07:  # with gaps in the mask only the first lanes have addresses
            return f"{width} 1 0x{used[0]:x} {r.choice(steps_of)}"
        solid = mask >> (mask & -mask).bit_length() - 1
        if len(set(steps)) <= 1 and solid & solid + 1 == 0 and all(abs(s) < 1 << 31 for s in steps) and r.random() < .7:
            return f"{width} 1 0x{used[0]:x} {steps[0] if steps else r.choice([0, 4, 1])}"
        if r.random() < .75 and all(abs(s) < 1 << 62 for s in steps):
            return f"{width} 2 0x{used[0]:x} " + " ".join(map(str, steps))
        return f"{width} 0 " + " ".join(f"0x{a:x}" for a in used)


SHAPES = {"tile": Program.tile, "ordered": Program.ordered, "scatter": Program.scatter, "few": Program.few, "again": Program.again,
          "steps": Program.steps, "bent": Program.bent, "holes": Program.holes, "across": Program.across, "far": Program.far}


def kernel(rng, binary, limits):
    windows = rng.choice(generate_edges.WINDOWS[:2] * 4 + generate_edges.WINDOWS)
    program = Program(rng, binary, rng.choice(MIXES), windows)
    threads = min(rng.choice([1, 31, 32, 32, 33, 64, 64, 96, 128, 200, 256]), limits["threads"])
    warps = (threads + 31) // 32
    ctas = max(1, min(rng.choice([1, 1, 2, 3, 5, 9]), rng.choice([8, 24]) // warps))
    length = min(rng.choice([3, 8, 20, 40, 80]), 500 // (ctas * warps) + 1)
    variants = []
    for _ in range(rng.choice([1, 2, 3])):
        variants.append([program.warp(generate.lanes_of(threads, w), length) for w in range(warps)])
        if rng.random() < .2:
            variants[-1] = [warp[:-1] * 2 + warp[-1:] if all(i[2] != "EXIT" for i in warp[:-1]) else warp for warp in variants[-1]]
    nregs = rng.choice([0, 16, 32, 64, 255])
    while warps * 32 * ((nregs + 3) // 4 * 4) > limits["registers"]:
        nregs //= 2
    return {"grid": (ctas, 1, 1), "block": (threads, 1, 1), "shmem": min(rng.choice([0, 0, 1024, 10000, 32768]), limits["shmem"]),
            "nregs": nregs, "binary": binary, "stream": 0, "tracer": rng.choice([5, 5, 4, 3, 2]), "windows": windows, "lineinfo": 0,
            "ctas": [rng.randrange(len(variants)) for _ in range(ctas)], "variants": variants}


# ---- options -------------------------------------------------------------------------------------------------------

LINES = ["N:64:128:6,L:L:m:N:L,S:128:8,8", "N:16:128:4,L:T:m:N:L,S:32:4,4", "N:4:128:2,L:L:s:N:L,S:8:2,2", "N:64:128:4,L:B:m:N:L,S:32:8,8"]
UNIT = {"-gpgpu_shmem_num_banks": [1, 2, 4, 8, 16, 32, 32, *range(1, 33)], "-gpgpu_shmem_warp_parts": [1, 2, 2, 4, 8, 16, 32],
        "-gpgpu_shmem_limited_broadcast": [0, 1], "-gpgpu_mem_unit_ports": [1, 2, 3, 4, 8, 32], "-gpgpu_smem_latency": range(2, 60),
        "-gpgpu_l1_banks": [1, 2, 4, 8], "-gpgpu_l1_banks_hashing_function": [0, 1], "-gpgpu_l1_banks_byte_interleaving": [16, 32, 64, 128, 256],
        "-gpgpu_l1_latency": [1, 2, 5, 20, 39, 80], "-gpgpu_l1_cache_write_ratio": [0, 25, 60, 100], "-gpgpu_gmem_skip_L1D": [0, 1],
        "-gpgpu_flush_l1_cache": [0, 1], "-gpgpu_flush_l2_cache": [0, 1], "-gpgpu_local_mem_map": [0, 1],
        "-gpgpu_n_ldst_response_buffer_size": [1, 2, 8], "-gpgpu_n_cluster_ejection_buffer_size": [1, 2, 8], "-gpgpu_clock_gated_lanes": [0, 1],
        "-gpgpu_perfect_mem": [0, 0, 1], "-gpgpu_max_insn_issue_per_warp": [1, 2], "-gpgpu_dual_issue_diff_exec_units": [0, 1],
        "-gpgpu_shader_cta": [1, 2, 8], "-gpgpu_n_cores_per_cluster": [1, 2, 3], "-gpgpu_coalesce_arch": [40, 60, 70, 86]}


def options(rng, config):
    o = {"-network_mode": 2} if config in generate_machine.ROUTED else {}
    o["-gpgpu_kernel_launch_latency"], o["-gpgpu_n_clusters"] = rng.choice([0, 0, 1]), rng.choice([1, 1, 1, 2, 3])
    for name in rng.sample(sorted(UNIT), rng.choice([0, 1, 2, 4, 7])):
        o[name] = rng.choice(UNIT[name])
    group = rng.random()
    if group < .3:
        o.update(generate_machine.dl1(rng))
    elif group < .4:
        o.update(generate_edges.queues(rng))
    elif group < .45:
        o.update(generate_edges.carve(rng))
    if rng.random() < .15:  # what passes the L1D by stays within sectors, as it has to
        o.update({"-gpgpu_coalesce_arch": rng.choice([20, 30, 35, 38]), "-gpgpu_cache:dl1": rng.choice(LINES), "-gpgpu_perfect_mem": 0})
        o["-gpgpu_adaptive_cache_config"], o["-gpgpu_l1_latency"] = 0, max(1, o.get("-gpgpu_l1_latency", 20))
    if "-gpgpu_cache:dl1" in o and not o["-gpgpu_adaptive_cache_config"]:
        o["-gpgpu_unified_l1d_size"] = 0
    if ",S:" in str(o.get("-gpgpu_cache:dl1")):
        o["-gpgpu_perfect_mem"] = 0
    return generate_machine.fitting(o)


def case(seed):
    rng = random.Random(f"{seed} lanes")
    config = rng.choice(sorted(set(generate_machine.CONFIGS) - {"titanx"}) * 2 + ["titanx"])
    o = options(rng, config)
    limits = {"threads": min(1024, 32 * generate_options.WARPS[config]), "shmem": 49152, "registers": 65536}
    binary = rng.choice(generate_machine.CONFIGS[config])
    kernels = [kernel(rng, binary, limits) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    copies = [(HEAP + rng.randrange(64) * 4096, rng.choice([4, 100, 4096])) for _ in range(rng.choice([0, 0, 0, 1]))]
    return {"config": config, "options": o, "kernels": kernels, "copies": copies}


if __name__ == "__main__":
    generate_memory.main(__doc__, case)
