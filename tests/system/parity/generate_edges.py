#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program with accesses that compilers hardly write, traces of odd form, and options from the edges of what there is.

Usage: generate_edges.py SEED FOLDER [CLASS]

What its siblings leave out: addresses that are not aligned, descend, overlap, are 0, wrap around or lie in several windows at once, rare
forms of opcodes, threads, CTAs, registers and shared memory of any number, blocks and grids of three dimensions, headers without
windows, old tracers with line numbers, streams with large numbers, copies of any size to any address; and of the machine what
GROUPS below draws: every letter of a cache, line sizes, address masks and mappings, queues of one place, ... CLASS is the name of a
group, `plain` (no options but the size), `large` (many CTAs, of up to all threads of an SM) or `any` (the default: some groups). Prints the configuration; run the folder as its siblings say.
"""

import os
import random
import sys

import generate
import generate_machine
import generate_memory
import generate_options
from generate_machine import pick, some

WINDOWS = [(generate.SHARED_WINDOW, generate.LOCAL_WINDOW), (generate.LOW_SHARED_WINDOW, generate.HIGH_LOCAL_WINDOW),
           (0, generate.LOCAL_WINDOW), (generate.SHARED_WINDOW, 0), (0x1000, 0x2000), (0x7FB137000000, 0x7FB137000000 + 0x4000)]

# ---- programs ------------------------------------------------------------------------------------------------------

RARE = {
    "ldg": "LDG.E.S8 LDG.E.S16 LDG.E.U16.CONSTANT LDG.E.LTC128B.128 LDG.E.EF.64 LDG.E.128.STRONG.SYS LDG.E.64.STRONG.GPU LDG.E.STRONG.SM "
           "LDG.E.U8.STRONG.GPU LD.E.U8 LD.E.U16.STRONG.GPU LD.E.128 LD LDG",
    "stg": "STG.E.U16 STG.E.EF.128 STG.E.STRONG.GPU ST.E.U8 ST.E.U16 ST.E.128 ST.E.64.STRONG.GPU ST STG",
    "ldl": "LDL.LU LDL.U16 LDL.S8 LDL.128 LDL.64.STRONG.GPU LDL.STRONG.GPU",
    "stl": "STL.U16 STL.64 STL.S8 STL.128 STL.STRONG.GPU",
    "atom": "ATOMG.E.ADD.F16x2.RN.STRONG.GPU ATOMG.E.EXCH.64.STRONG.SYS ATOM.E.ADD.F32.FTZ.RN.STRONG.GPU ATOM.E.INC ATOM.E.CAS.64 ATOM ATOMG",
    "red": "RED.E.ADD.F32.FTZ.RN.STRONG.GPU RED.E.ADD.F16x2.RN RED.E.ADD.64.STRONG.GPU RED.E.OR.STRONG.SYS RED",
    "ldgsts": "LDGSTS.E.BYPASS.LTC128B.128 LDGSTS.E.LTC128B.64 LDGSTS.E.BYPASS.128.ZFILL LDGSTS.E.128.STRONG.GPU LDGSTS.E.STRONG.GPU",
    "lds": "LDS.S8 LDS.U16 LDS.U.64 LDS",
    "sts": "STS.S8 STS.U16 STS.128 STS",
    "atoms": "ATOMS.CAST.SPIN ATOMS.CAST.SPIN.64 ATOMS.OR ATOMS.MIN.S32 ATOMS.EXCH.64 ATOMS",
    "ldsm": "LDSM.16.M88 LDSM.16.M88.2 LDSM",
    "ldc": "LDC LDC.S16 LDC.128",
    "other": "CCTL.IVALL CCTL.E.PF2 QSPC.E.G ERRBAR BAR.SYNC MEMBAR.SC.SYS NANOSLEEP BRX NOP",
}
SURFACES = " SULD.D.BA.2D SUST.D.BA SURED SUATOM"
LISTS = {kind: generate_memory.MEMORY.get(kind, generate.VOLTA.get(kind, "")) + " " + more for kind, more in RARE.items()}
MIXES = [["ldg"], ["ldg", "stg"], ["stg"], ["ldg", "stg", "other"], ["ldl", "stl"], ["ldl", "stl", "ldg", "stg"], ["atom", "red"],
         ["atom", "red", "ldg", "stg"], ["ldgsts", "commit", "depbar", "lds"], ["ldgsts", "ldg", "commit", "depbar", "other"],
         ["lds", "sts", "atoms"], ["lds", "sts", "atoms", "ldsm", "other"], ["ldc", "other", "int"], ["ldg", "stg", "membar", "int"],
         ["ldg", "lds", "sts", "bar", "sfu", "dp"], ["ldg", "stg", "atom", "red", "ldl", "stl", "lds", "sts", "other", "membar"],
         ["ldg", "stg", "sp", "int", "alu"], ["ldl", "membar", "stl"], ["bar", "other", "int"]]
WITH_RESULT = ("ldg", "ldl", "atom", "lds", "ldsm", "atoms", "ldc")


class Program(generate_memory.Program):
    """A program whose kinds are those of RARE and of its parents."""

    def __init__(self, rng, binary, kinds, windows):
        super().__init__(rng, binary, kinds, windows[0])
        self.binary, self.windows = binary, windows
        known = {kind: [op for op in ops.split() if self.has(op)] for kind, ops in LISTS.items()}
        if binary >= 80:
            known["other"] += SURFACES.split()
        self.opcodes.update({kind: ops for kind, ops in known.items() if ops})
        self.opcodes.setdefault("int", generate.OPCODES[binary]["int"].split())
        self.kinds = [k for k in kinds if self.opcodes.get(k)] or ["ldg"]
        if binary < 80:
            self.kinds = [k for k in self.kinds if k not in ("ldgsts", "commit")] or ["ldg"]
        self.base = rng.choice([generate_memory.HEAP] * 6 + [0, 0x80, (1 << 64) - 8192, (1 << 63) - 256, 1 << 47, (1 << 32) - 512, *windows])
        self.shapes = [rng.choice(["odd", "odd", "zero", "down", "overlap", "wide", "windows", "parent", "shuffled"]) for _ in range(3)]
        self.parents = [rng.choice(["line", "stride", "scatter", "one", "groups"]) for _ in range(3)]
        self.far = rng.random() < .3

    def has(self, opcode):
        first, b = opcode.split(".")[0], self.binary
        return {"LDGSTS": b >= 80, "LDSM": b >= 75, "ATOMG": b > 35, "STG": b > 35, "ATOMS": b > 35, "QSPC": b > 35, "NANOSLEEP": b > 35,
                "ERRBAR": b > 35}.get(first, True)

    def odd(self, size):
        """An address a lane, of any kind, below 2^64."""
        return [a % (1 << 64) for a in self.any_address(size)]

    def any_address(self, size):
        r, start = self.rng, self.base + self.start(size)
        shape = r.choice(self.shapes)
        if shape == "odd":
            start, step = start + r.randrange(64), r.choice([1, 2, 3, 4, 5, 8, 12, 16, 20, 31, 33, 100, 129])
            return [start + lane * step for lane in range(32)]
        if shape == "zero":
            return [0 if r.random() < .3 else start + lane * size for lane in range(32)]
        if shape == "down":
            step = r.choice([size, 4, 36, 128])
            return [start + (31 - lane) * step for lane in range(32)]
        if shape == "overlap":
            return [start + lane // r.choice([2, 3]) * size + r.randrange(size) for lane in range(32)]
        if shape == "wide":
            step = 1 << r.randrange(5, 30)
            return [start + lane * step for lane in range(32)]
        if shape == "windows":
            return [r.choice([self.base, *self.windows]) + r.randrange(20000) // size * size for lane in range(32)]
        self.shapes, kept = self.parents, self.shapes
        lanes = [a - generate_memory.HEAP + self.base for a in self.heap(size)]
        self.shapes = kept
        if shape == "shuffled":
            r.shuffle(lanes)
        return lanes

    def place(self, kind, size):
        r = self.rng
        lanes = self.odd(size)
        if kind in ("atom", "red"):
            return [a // size * size for a in lanes]  # one that crosses a segment ends the reference
        if kind in ("ldl", "stl"):
            base = r.choice([0, 0, 0x40, 0xFFFC00, self.windows[1]])
            steps = [r.randrange(1 << 14) if self.far else r.choice([0, 4, 64, 68]) for _ in range(32)]
            same = r.random() < .6
            return [base + (steps[0] if same else s) // max(4, size) * max(4, size) for s in steps]
        if kind in ("lds", "sts", "atoms", "ldsm", "ldc"):
            low = r.choice([0, 0, 1, 0x7FFFFFFF, 1 << 33])
            return [low + a % 49152 for a in lanes]
        if any(self.windows[1] <= a < self.windows[1] + (1 << 14) for a in lanes):
            return [a // max(4, size) * max(4, size) for a in lanes]  # so does one of local memory that is not aligned
        return lanes

    def block(self, mask, lanes, steps_of=(0, 4, 8, 32, 128, -4)):
        r = self.rng
        used = [a for lane, a in enumerate(lanes) if mask >> lane & 1]
        steps = [b - a for a, b in zip(used, used[1:])]
        if used and r.random() < .15:  # with gaps in the mask only the first lanes have addresses
            return f"{r.choice([1, 4, 16])} 1 0x{used[0]:x} {r.choice(steps_of)}"
        if not used or max(map(abs, steps), default=0) >= 1 << 31:
            return "4 0 " + " ".join(f"0x{a:x}" for a in used) if used else r.choice(["4 1 0x0 0", "4 0", "8 2 0x0"])
        return super().block(mask, lanes)

    def instruction(self, live, committed):
        r = self.rng
        kind = r.choice(self.kinds)
        if kind not in RARE:
            return generate_memory.of_kind(self, kind, super().instruction, live, committed)
        opcode, mask = r.choice(self.opcodes[kind]), self.mask(live)
        size = generate_memory.width(opcode)
        if kind == "other":
            address = self.block(mask, self.odd(size)) if opcode[:2] in ("CC", "QS", "SU") else None
            if mask == 0:
                address = None
            return mask, [], opcode, [r.choice(self.registers) for _ in range(r.choice([0, 0, 1, 2]))], address, 0
        lanes = self.place(kind, size)
        address = self.block(mask, lanes, (0, 16, 32, 128, -16)) if kind in ("atom", "red") else self.block(mask, lanes)
        results = [r.choice(self.registers)] if kind in WITH_RESULT and r.random() < .95 else []
        return mask, results, opcode, [r.choice(self.registers) for _ in range(r.choice([0, 1, 2, 3, 4]))], address, 0


def three(rng, n):
    """Dimensions of a product of @n."""
    x = rng.choice([d for d in range(1, n + 1) if n % d == 0])
    y = rng.choice([d for d in range(1, n // x + 1) if n // x % d == 0])
    return x, y, n // x // y


def kernel(rng, binary, limits, streams, large=False):
    windows = rng.choice(WINDOWS[:2] * 3 + WINDOWS)
    kinds = rng.choice(MIXES)
    if len(streams) > 1:
        kinds = [k for k in kinds if k not in ("ldl", "stl")] or ["ldg"]  # see generate_machine.py
        windows = WINDOWS[0]
    program = Program(rng, binary, kinds, windows)
    threads = min(rng.choice([rng.randint(1, 2048 if large else 1024), rng.randint(1, 64), 32, 64, 128, 256]), limits["threads"])
    warps = (threads + 31) // 32
    budget = rng.choice([20, 60, 200]) if not large else rng.choice([400, 1500])
    ctas = max(1, min(rng.choice([1, 2, rng.randint(1, 60), rng.randint(1, 12)] + [rng.randint(1, 500)] * 4 * large), budget // warps))
    length = min(rng.choice([0, 2, 5, 12, 30, 60]), budget * 6 // (ctas * warps) + 1)
    variants = [[program.warp(generate.lanes_of(threads, w), max(0, length + rng.choice([0, 0, 0, 1, -1]))) for w in range(warps)]
                for _ in range(rng.choice([1, 2, 4]))]
    nregs = rng.randint(0, 255)
    while warps * 32 * ((nregs + 3) // 4 * 4) > limits["registers"]:
        nregs //= 2
    k = {"grid": three(rng, ctas), "block": three(rng, threads), "shmem": min(rng.choice([0, 0, rng.randrange(49152), limits["shmem"]]), limits["shmem"]),
         "nregs": nregs, "binary": binary, "stream": rng.choice(streams), "tracer": rng.choice([5, 5, 4, 3, 2, 1, 0]),
         "windows": windows, "lineinfo": int(rng.random() < .2), "ctas": [rng.randrange(len(variants)) for _ in range(ctas)],
         "variants": variants, "shuffled": rng.random() < .3}
    k["numbered"] = k["lineinfo"] and (k["tracer"] >= 4 or rng.random() < .5)
    return generate.branching(rng, k, rng.choice([16, 16, 16, 8])) if rng.random() < .5 else k


# ---- options -------------------------------------------------------------------------------------------------------


def cache(rng, writes, misses, allocates="m", lines=(128,), sector=None, parts=True):
    """Any letters that go together; @parts: sectors come from below, one by one."""
    sector = rng.random() < .6 if sector is None else sector
    line = 128 if sector else rng.choice(lines)
    sets, ways = rng.choice([1, 2, 3, 4, 8, 16, 32, 64]), rng.randint(1, 24)
    index = rng.choice([i for i in "LLXPHC" if (i != "H" or sets in (32, 64)) and (i != "P" or sets in (16, 32, 64)) and
                        (i in "XC" or sets != 3)])
    write = rng.choice(writes)
    allocate = "m" if write == "B" else rng.choice(allocates)
    missing = rng.choice(misses if allocate == "m" else "N")
    mshr = "A" if sector or not parts else "S"
    least = 3 if missing == "W" else 2
    return (f"{'S' if sector else 'N'}:{sets}:{line}:{ways},{rng.choice('LF')}:{write}:{allocate}:{missing}:{index},"
            f"{mshr}:{rng.choice([1, 2, 3, 8, 32, 100])}:{rng.choice([1, 2, 3, 8])},{rng.choice([least, least, 4, 8, 20])}"
            f"{rng.choice(['', ':0', ':0,32', ':0,' + str(line), ':2,64' if line >= 64 else ':0,0'])}")


def caches(rng):
    o = {"-gpgpu_adaptive_cache_config": 0}
    parts = rng.random() < .7
    if not parts or rng.random() < .5:
        o["-gpgpu_cache:dl2"] = cache(rng, "BBBTE", "NWFL", "m", (128, 128, 64, 32), parts)
    if not parts or rng.random() < .75:
        o["-gpgpu_cache:dl1"] = cache(rng, "TLBE", "NWL", "mmfs", (128, 128, 64, 32), None if parts else False, parts)
    if rng.random() < .3:
        o["-gpgpu_perfect_inst_const_cache"] = 0
        o["-gpgpu_cache:il1"] = cache(rng, "R", "N", "fm", (128, 64, 32), False, parts)
    some(rng, o, .3, "-gpgpu_l1_banks", 1, 2, 4, 8)
    some(rng, o, .3, "-gpgpu_l1_banks_hashing_function", 0, 1)
    if rng.random() < .1:
        o["-gpgpu_l1_banks"], o["-gpgpu_l1_banks_hashing_function"] = pick(rng, 16, 32), 2
    some(rng, o, .3, "-gpgpu_l1_banks_byte_interleaving", 32, 64, 128, 256, 16)
    some(rng, o, .4, "-gpgpu_l1_latency", 0, 0, 1, 2, 30)
    some(rng, o, .3, "-gpgpu_l1_cache_write_ratio", *range(101))
    if not o.get("-gpgpu_cache:dl1", "S").startswith("S") or rng.random() < .03:
        some(rng, o, .5, "-gpgpu_coalesce_arch", 13, 20, 21, 35, 37, 39, 40, 41, 70)
    some(rng, o, .3, "-gpgpu_gmem_skip_L1D", 0, 1)
    some(rng, o, .3, "-gpgpu_flush_l1_cache", 0, 1)
    some(rng, o, .3, "-gpgpu_flush_l2_cache", 0, 1)
    some(rng, o, .15, "-gpgpu_cache:dl2_texture_only", 1)
    return o


def mapping(rng, channels, banks=4):
    """A map of any bits in any order, @banks of them for banks."""
    bits = ["R"] * rng.randint(8, 18) + ["B"] * banks + ["C"] * rng.randint(3, 8)
    low = ["S"] * rng.randint(2, 7)
    if rng.random() < .4:
        rng.shuffle(bits)
    elif rng.random() < .5:
        runs = [["R"] * bits.count("R"), ["B"] * bits.count("B"), ["C"] * bits.count("C")]
        rng.shuffle(runs)
        bits = sum(runs, [])
    chip = f"dramid@{rng.randint(5, 16)};"
    if channels & channels - 1 == 0 and rng.random() < .4:
        chip = ""
        for _ in range(channels.bit_length() - 1):
            bits.insert(rng.randrange(len(bits) + 1), "D")
    text = "".join(bits + low)
    text = "0" * (64 - len(text)) + text
    return chip + ".".join(text[i:i + 8] for i in range(0, 64, 8))


def maps(rng):
    channels, slices = rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48]), rng.choice([1, 1, 2, 2, 4, 8])
    power = 1 << (channels - 1).bit_length()
    fits = [0, 0, 4, 5] + [1] * (channels == power) + [2, 2] * (power * slices in (16, 32, 64, 128, 256))
    if channels * slices > 256:
        slices = 2
    o = {"-gpgpu_n_mem": channels, "-gpgpu_n_sub_partition_per_mchannel": slices, "-gpgpu_memory_partition_indexing": rng.choice(fits)}
    if rng.random() < .6:
        o["-gpgpu_mem_address_mask"] = rng.choice([0, 1, 2, 3, 14, 15, 16, 6, 5, 100, 103, 106, 160, 4, 7])
    if rng.random() < .6:
        o["-gpgpu_mem_addr_mapping"] = mapping(rng, channels)
    return o


def queues(rng):
    def n():
        return rng.choice([1, 1, 2, 3, 4, 5, 7, 9, 33])

    o = {}
    for name, often in (("-icnt_in_buffer_limit", .5), ("-icnt_out_buffer_limit", .5), ("-gpgpu_n_cluster_ejection_buffer_size", .5),
                        ("-gpgpu_n_ldst_response_buffer_size", .5), ("-gpgpu_frfcfs_dram_sched_queue_size", .5),
                        ("-gpgpu_dram_return_queue_size", .5), ("-icnt_grant_cycles", .2), ("-gpgpu_mem_unit_ports", .3)):
        if rng.random() < often:
            o[name] = min(n(), 32)
    if rng.random() < .6:
        o["-gpgpu_dram_partition_queues"] = f"{rng.randint(3, 20)}:{n()}:{n()}:{n()}"
    if rng.random() < .3:
        high = rng.randint(1, 20)
        o["-dram_seperate_write_queue_enable"], o["-dram_write_queue_size"] = 1, f"{high + rng.randint(0, 9)}:{high}:{rng.randint(0, high)}"
    some(rng, o, .5, "-icnt_arbiter_algo", 0, 1)
    some(rng, o, .4, "-gpgpu_l2_rop_latency", *range(200))
    some(rng, o, .4, "-dram_latency", *range(200))
    some(rng, o, .3, "-gpgpu_smem_latency", *range(1, 60))
    some(rng, o, .3, "-gpgpu_dram_scheduler", 0, 1)
    return o


def clocks(rng):
    def mhz():
        return rng.choice([rng.randint(1, 4000), round(rng.uniform(1, 3000), rng.randint(0, 4)), 1000, 1e3, 250])

    return {"-gpgpu_clock_domains": ":".join(str(mhz()) for _ in range(4))}


def dram(rng):
    banks = rng.choice([2, 4, 8, 16, 16, 32, 64, 24])
    times = [("nbk", banks)] + [(k, rng.randint(low, high)) for k, low, high in (
        ("CCD", 1, 9), ("RRD", 1, 30), ("RCD", 1, 40), ("RAS", 1, 60), ("RP", 1, 40), ("RC", 1, 120), ("CL", 1, 40), ("WL", 1, 20),
        ("CDLR", 1, 20), ("WR", 1, 30))]
    times += [("nbkgrp", rng.choice([g for g in (1, 2, 4, 8, 16) if banks % g == 0])), ("CCDL", rng.randint(0, 12)), ("RTPL", rng.randint(0, 12))]
    if rng.random() < .3:
        text = ":".join(str(v) for _, v in times[:rng.choice([11, 14])])
    else:
        named = times[:11] + [t for t in times[11:] if rng.random() < .7]
        rng.shuffle(named)
        text = ":".join(f"{k}={v}" for k, v in named)
    o = {"-gpgpu_dram_timing_opt": text}
    if banks < 16:  # no address has a bank beyond
        o.update({"-gpgpu_n_mem": 8, "-gpgpu_n_sub_partition_per_mchannel": 2, "-gpgpu_mem_addr_mapping": mapping(rng, 8, banks.bit_length() - 1)})
    some(rng, o, .4, "-gpgpu_dram_buswidth", 2, 4, 8, 16, 32)
    some(rng, o, .4, "-gpgpu_dram_burst_length", 1, 2, 4, 8, 16)
    some(rng, o, .4, "-dram_data_command_freq_ratio", 1, 2, 4)
    some(rng, o, .4, "-gpgpu_n_mem_per_ctrlr", 1, 2, 4)
    some(rng, o, .4, "-dram_dual_bus_interface", 0, 1)
    some(rng, o, .4, "-dram_bnk_indexing_policy", 0, 1, 2)
    some(rng, o, .4, "-dram_bnkgrp_indexing_policy", 0, 1)
    some(rng, o, .3, "-dram_elimnate_rw_turnaround", 0, 1)
    return o


def carve(rng):
    sizes = sorted(rng.sample([0, 1, 2, 4, 8, 12, 16, 20, 32, 48, 50, 64, 72, 80, 90], rng.randint(1, 6)) + [96])
    if rng.random() < .3:
        rng.shuffle(sizes)
    sets, ways = rng.choice([(4, 64), (4, 16), (1, 16), (2, 32), (16, 4), (64, 1)])
    o = {"-gpgpu_adaptive_cache_config": 1, "-gpgpu_shmem_option": ",".join(map(str, sizes)), "-gpgpu_unified_l1d_size": rng.choice([128, 256, 384]),
         "-gpgpu_shmem_size": rng.choice([102400, 98304, 65536]),
         "-gpgpu_cache:dl1": f"S:{sets}:128:{ways},L:{rng.choice('TL')}:{rng.choice(['m:L', 's:N', 'm:N'])}:L,A:256:8,16:0,32"}
    some(rng, o, .5, "-gpgpu_flush_l1_cache", 0, 1)
    return o


def threads(rng):
    o = {"-gpgpu_shader_core_pipeline": f"{32 * rng.randint(4, 64)}:32"}
    some(rng, o, .5, "-gpgpu_shader_cta", *range(1, 33))
    some(rng, o, .5, "-gpgpu_shader_registers", *range(8192, 131072))
    some(rng, o, .5, "-gpgpu_shmem_size", *range(49152, 131072))
    some(rng, o, .4, "-gpgpu_concurrent_kernel_sm", 0, 1)
    some(rng, o, .3, "-gpgpu_max_concurrent_kernel", *range(1, 9))
    some(rng, o, .3, "-gpgpu_n_cores_per_cluster", *range(1, 6))
    some(rng, o, .3, "-gpgpu_TB_launch_latency", *range(0, 40))
    some(rng, o, .3, "-gpgpu_max_insn_issue_per_warp", *range(1, 5))
    some(rng, o, .3, "-gpgpu_inst_fetch_throughput", *range(1, 9))
    some(rng, o, .3, "-gpgpu_shmem_num_banks", *range(1, 33))
    some(rng, o, .3, "-gpgpu_shmem_warp_parts", 1, 2, 4, 8, 16, 32)
    some(rng, o, .3, "-gpgpu_shmem_limited_broadcast", 0, 1)
    some(rng, o, .3, "-gpgpu_local_mem_map", 0, 1)
    some(rng, o, .3, "-gpgpu_ignore_resources_limitation", 0, 1)
    return o


def policies(rng):
    o = {"-gpgpu_scheduler": rng.choice(["lrr", "gto", "old", "rrr", f"two_level_active:{rng.randint(8, 40)}:0:1",
                                         f"warp_limiting:2:{rng.randint(1, 8)}"])}
    some(rng, o, .5, "-gpgpu_max_insn_issue_per_warp", 1, 2, 3)
    some(rng, o, .5, "-gpgpu_dual_issue_diff_exec_units", 0, 1)
    some(rng, o, .5, "-gpgpu_perfect_mem", 0, 1)
    some(rng, o, .5, "-gpgpu_reg_file_port_throughput", *range(1, 6))
    some(rng, o, .5, "-gpgpu_num_reg_banks", *range(4, 65, 4))
    some(rng, o, .5, "-gpgpu_simt_core_sim_order", 0, 1)
    some(rng, o, .3, "-gpgpu_clock_gated_lanes", 0, 1)
    some(rng, o, .3, "-gpgpu_runtime_stat", *range(1, 2000))
    return o


GROUPS = {"caches": caches, "maps": maps, "queues": queues, "clocks": clocks, "dram": dram, "carve": carve, "threads": threads, "policies": policies}


ANY = sorted(set(generate_options.OPTIONS) - {"-gpgpu_warp_issue_shader", "-gpgpu_mem_addr_mapping", "-gpgpu_shmem_size", "-gpgpu_dram_timing_opt",
                                              "-gpgpu_shader_core_pipeline", "-gpgpu_shader_registers", "-gpgpu_n_mem"})


def options(rng, config, kind):
    o = {"-network_mode": 2} if config in generate_machine.ROUTED else {}
    o["-gpgpu_kernel_launch_latency"], o["-gpgpu_n_clusters"] = rng.choice([0, 1, 50]), rng.choice([1, 1, 2, 3, 5, 8])
    several = rng.sample(sorted(GROUPS), rng.choice([1, 2, 2, 3]))
    groups = {"plain": [], "any": several, "large": several[:1]}.get(kind, [kind])
    for group in groups:
        o.update(GROUPS[group](rng))
    if "maps" in groups and "dram" in groups:  # no address has a bank beyond
        o["-gpgpu_dram_timing_opt"] = rng.choice(generate_options.DRAM[:2])
    if kind == "any" and rng.random() < .4:
        o.update((name, rng.choice(generate_options.OPTIONS[name])) for name in rng.sample(ANY, rng.randint(1, 4)))
    return o if rng.random() < .2 else generate_machine.fitting(o)


def case(seed, kind="any"):
    rng = random.Random(f"{seed} {kind} edges")
    config = rng.choice(sorted(generate_machine.CONFIGS))
    o = options(rng, config, kind)
    sm_threads = int(str(o.get("-gpgpu_shader_core_pipeline", 32 * generate_options.WARPS[config])).split(":")[0])
    limits = {"threads": sm_threads if kind == "large" else min(1024, sm_threads), "shmem": min(65536, int(o.get("-gpgpu_shmem_size", 65536))),
              "registers": min(65536, int(o.get("-gpgpu_shader_registers", 65536)))}
    streams = [0, 7, 94000000000001, 2 ** 40] if rng.random() < .3 or o.get("-gpgpu_concurrent_kernel_sm") else [0]
    binary = rng.choice(generate_machine.CONFIGS[config])
    kernels = [kernel(rng, binary, limits, streams, kind == "large") for _ in range(rng.choice([1, 1, 2, 3, 6 if len(streams) > 1 else 1]))]
    copies = [(generate_memory.HEAP + rng.randrange(1 << 18), rng.choice([0, 1, 31, 33, 1000, rng.randrange(300000)]))
              if rng.random() < .7 else (rng.choice([0, 1, (1 << 32) - 100, (1 << 64) - 8192, 1 << 47]), rng.randrange(5000))
              for _ in range(rng.choice([0, 0, 1, 3]))]
    return {"config": config, "options": o, "kernels": kernels, "copies": copies}


def dressed(rng, text, k):
    """The trace with a header of another form, which means the same."""
    head, rest = text.split("\n\n", 1)
    lines = head.split("\n")
    if 0 in k["windows"] and rng.random() < .5:
        lines = [line for line in lines if "base_addr" not in line]  # none is 0
    if k["tracer"] == 0:
        lines = [line for line in lines if "tracer version" not in line]
    if rng.random() < .2:
        rng.shuffle(lines)
    if rng.random() < .2:
        lines.insert(rng.randrange(len(lines)), "-something else = 17")
    return "\n".join(lines) + "\n\n" + rest


def write(c, folder):
    generate_memory.write(c, folder)
    rng = random.Random(len(c["kernels"]) * 17 + len(c["options"]))
    for i, k in enumerate(c["kernels"]):
        with open(os.path.join(folder, f"kernel-{i + 1}.traceg"), "w") as f:
            f.write(dressed(rng, generate.trace(k, i + 1), k))


def main():
    kinds = ["any", "plain", "large", *GROUPS]
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit() or (len(sys.argv) == 4 and sys.argv[3] not in kinds):
        sys.exit(__doc__.split("\n\n")[1] + f"\nCLASS: {' '.join(kinds)}")
    c = case(int(sys.argv[1]), *sys.argv[3:])
    write(c, sys.argv[2])
    print(c["config"])


if __name__ == "__main__":
    main()
