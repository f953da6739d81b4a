#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes random kernels that differ in how they are launched, and random options of the machine that runs them.

Usage: generate_launches.py SEED FOLDER [CLASS]

Its siblings draw one to three small kernels; here are lists of up to twelve, some of them again, with copies between them, in up to six
streams, grids of up to 2,500 CTAs whose number on an SM any resource limits, code of many cache lines, warps of thousands of
instructions, machines of up to 300 SMs. Accesses are those of generate_edges.py, and what each kind of unit takes besides. Options
are those of groups of generate_machine.py and generate_edges.py. CLASS is a name of SIZES below (`mix` is the default). Prints the
configuration; run the folder as its siblings say. `routed` writes the network that it has into FOLDER.
"""

import os
import random
import sys

import generate
import generate_edges
import generate_machine
import generate_memory
import generate_network
import generate_options
from generate_machine import some

SIZES = {  # warp instructions and warps of a kernel, CTAs, instructions of a warp
    "streams": {"insts": [50, 500, 3000], "ctas": [1, 2, 3, 5, 9, 20, 60], "warps": 300, "length": [1, 5, 20, 60]},
    "grids": {"insts": [6000, 20000], "ctas": [100, 200, 333, 700, 1500, 2500], "warps": 3000, "length": [1, 2, 4, 8, 20]},
    "icache": {"insts": [1000, 6000], "ctas": [1, 2, 4, 10], "warps": 100, "length": [20, 60, 200, 600], "branch": 1},
    "long": {"insts": [12000, 30000], "ctas": [1, 2, 3, 6], "warps": 24, "length": [300, 1000, 3000], "branch": .8},
    "mix": {"insts": [300, 2000, 8000], "ctas": [1, 3, 8, 30, 100], "warps": 400, "length": [3, 10, 40, 150]},
    "huge": {"insts": [200, 1500], "ctas": [1, 5, 40, 150, 400], "warps": 800, "length": [1, 3, 8]},
    "routed": {"insts": [100, 600, 2500], "ctas": [1, 3, 8, 30, 90], "warps": 300, "length": [2, 6, 20]},
}

# ---- programs ------------------------------------------------------------------------------------------------------

EVERYTHING = [k for k in generate.VOLTA if k not in ("gld", "gst")] + list(generate_memory.MEMORY) + ["other"]
MIXES = [
    ["ldg", "stg", "ldg", "int", "sp"], ["ldg", "stg", "atom", "red", "int"], ["atom", "red", "atoms", "int"],
    ["lds", "sts", "atoms", "bar", "int"], ["ldl", "stl", "ldg", "int"], ["sp", "int", "alu", "dp", "sfu", "bra"],
    ["tensor", "ldsm", "lds", "ldgsts", "commit", "depbar", "bar"], ["tex", "alu", "sp", "ldg"], ["ldc", "int", "sp", "ldg"],
    ["ldg", "stg", "membar", "red", "int"], ["ldgsts", "commit", "depbar", "bar", "lds", "int"], ["gld", "gst", "ldg", "lds", "int"],
    ["uni", "int", "sp", "ldg", "bar"], EVERYTHING, EVERYTHING,
]
THREADS = [1, 16, 32, 33, 48, 64, 96, 100, 128, 160, 192, 250, 256, 320, 384, 500, 512, 640, 768, 1000, 1024]
REGISTERS = [0, 8, 16, 24, 32, 40, 64, 96, 128, 168, 255]


class Program(generate_edges.Program):
    """As its parent's; seven of ten keep to the heap."""

    def __init__(self, rng, binary, kinds, windows):
        super().__init__(rng, binary, kinds, windows)
        if rng.random() < .7:
            self.base = generate_memory.HEAP
            self.shapes = ["parent", rng.choice(["parent", "odd", "shuffled"]), "parent"]
        for kind in {"gld", "gst"} & set(kinds):
            self.opcodes[kind] = generate.VOLTA[kind].split()


def mix(rng, binary, limits, streams):
    kinds = [k for k in rng.choice(MIXES) if (k != "uni" or limits["special"] == 4) and (k != "tex" or generate.OPCODES[binary]["tex"])]
    if len(streams) > 1:
        kinds = [k for k in kinds if k not in ("ldl", "stl")]  # see generate_machine.py
    return kinds or ["ldg"]


def kernel(rng, binary, limits, streams, size):
    windows = generate_edges.WINDOWS[0] if len(streams) > 1 or rng.random() < .6 else rng.choice(generate_edges.WINDOWS)
    program = Program(rng, binary, mix(rng, binary, limits, streams), windows)
    if len(streams) > 1:
        program.windows = (windows[0], windows[0])  # nor has a generic access to local memory
    threads = min(rng.choice([*THREADS, rng.randint(1, 1024)]), limits["threads"])
    warps = (threads + 31) // 32
    ctas = max(1, min(rng.choice(size["ctas"]), size["warps"] // warps))
    length = max(1, min(rng.choice(size["length"]), rng.choice(size["insts"]) // (ctas * warps)))
    variants = [[program.warp(generate.lanes_of(threads, w), max(0, length + rng.choice([0, 0, 0, 1, -1, length // 2]))) for w in range(warps)]
                for _ in range(rng.choice([1, 2, 4]))]
    if rng.random() < .5 and threads % 32 == 0:
        variants = [[v[0]] * warps for v in variants]
    nregs = rng.choice([*REGISTERS, rng.randint(0, 255)])
    while warps * 32 * ((nregs + 3) // 4 * 4) > limits["registers"]:
        nregs //= 2
    shmem = min(rng.choice([0, 0, 0, 1024, 4096, rng.randrange(49152), 16384, 32768, limits["shmem"]]), limits["shmem"])
    k = {"grid": generate_edges.three(rng, ctas), "block": generate_edges.three(rng, threads), "shmem": shmem, "nregs": nregs,
         "binary": binary, "stream": rng.choice(streams), "tracer": rng.choice([5, 5, 4, 3, 2, 1]), "windows": windows,
         "lineinfo": int(rng.random() < .2), "ctas": [rng.randrange(len(variants)) for _ in range(ctas)], "variants": variants}
    k["numbered"] = k["lineinfo"] and k["tracer"] >= 4
    k = generate.modified(rng, k)
    return generate.branching(rng, k, rng.choice([16, 16, 16, 8])) if rng.random() < size.get("branch", .6) else k


def launches(rng, kind, n, *of_kernels):
    """@n kernels, three of ten of them the same as one before, but for the stream."""
    out = []
    for _ in range(n):
        if out and rng.random() < .3:
            out.append(dict(rng.choice(out), stream=rng.choice(of_kernels[-1])))
        else:
            out.append(kernel(rng, *of_kernels, SIZES[kind]))
    return out


# ---- options -------------------------------------------------------------------------------------------------------


def resources(rng):
    o = {}
    some(rng, o, .5, "-gpgpu_shader_cta", 1, 2, 3, 5, 7, 8, 16, 24, 32)
    some(rng, o, .4, "-gpgpu_shader_registers", 16384, 32768, 65536, 131072, 40000)
    some(rng, o, .4, "-gpgpu_shmem_size", 49152, 65536, 98304, 102400, 131072)
    some(rng, o, .3, "-gpgpu_TB_launch_latency", 0, 1, 9)
    return o


def together(rng):
    o = {}
    some(rng, o, .7, "-gpgpu_concurrent_kernel_sm", 1)
    some(rng, o, .7, "-gpgpu_max_concurrent_kernel", 1, 2, 3, 4, 8, 16)
    some(rng, o, .3, "-gpgpu_flush_l1_cache", 0, 1)
    some(rng, o, .3, "-gpgpu_flush_l2_cache", 0, 1)
    some(rng, o, .3, "-gpgpu_perf_sim_memcpy", 0, 1)
    return o


def memory(rng, counts):
    o = {"-gpgpu_memory_partition_indexing": rng.choice([0, 0, 4, 5])}
    o["-gpgpu_n_mem"], o["-gpgpu_n_sub_partition_per_mchannel"] = rng.choice(counts)
    return o


def clocks(rng):
    return {"-gpgpu_clock_domains": ":".join(str(rng.choice([rng.randint(200, 3000), round(rng.uniform(300, 2500), 3)])) for _ in range(4))}


def huge(rng, o):
    """Many SMs, and any number of channels and slices."""
    clusters = o["-gpgpu_n_clusters"] = rng.choice([17, 40, 61, 84, 108, 144, 200])
    o["-gpgpu_n_cores_per_cluster"] = rng.choice([1, 1, 2, 3, 5] if clusters < 62 else [1, 1, 2])
    if rng.random() < .6:
        o.update(memory(rng, [(1, 1), (1, 8), (2, 16), (9, 4), (11, 2), (40, 1), (48, 2), (64, 1), (5, 8), (3, 4)]))
    for name, values in (("-icnt_in_buffer_limit", (2, 8, 64)), ("-icnt_out_buffer_limit", (2, 8, 64)), ("-icnt_arbiter_algo", (0, 1)),
                         ("-gpgpu_n_cluster_ejection_buffer_size", (1, 2, 8))):
        some(rng, o, .3, name, *values)


def groups(rng, o, kind):
    """Any part of the machine, drawn by the siblings."""
    o["-gpgpu_n_clusters"] = rng.choice([1, 2, 3, 5, 7, 9, 11, 13, 20, 31] if kind == "grids" else [1, 1, 2, 3, 5, 7])
    some(rng, o, .4, "-gpgpu_n_cores_per_cluster", 1, 2, 3, 4)
    pool = {**{"edges." + n: f for n, f in generate_edges.GROUPS.items()},
            **{"machine." + n: f for n, f in generate_machine.GROUPS.items() if n != "core"}}
    names = rng.sample(sorted(pool), rng.choice([0, 1, 1, 2, 2, 3]))
    for name in names:
        o.update(pool[name](rng))
    maps, dram = {"edges.maps", "machine.parts"} & set(names), {"edges.dram", "machine.dram"} & set(names)
    if maps and dram:  # no address has a bank beyond
        o["-gpgpu_dram_timing_opt"] = rng.choice(generate_options.DRAM[:2])
    if not maps and "edges.dram" not in names and rng.random() < (.9 if kind in ("long", "grids") else .6):  # also, the reference is faster then
        o.update(memory(rng, [(1, 2), (2, 2), (3, 1), (3, 2), (4, 2), (5, 2), (6, 2), (8, 1), (4, 1)]))


def options(rng, config, kind):
    o = {"-network_mode": 2} if config in generate_machine.ROUTED else {}
    o["-gpgpu_kernel_launch_latency"] = rng.choice([0, 1, 50, 300, 1000])
    if kind == "huge":
        huge(rng, o)
    else:
        groups(rng, o, kind)
    if kind == "streams" or rng.random() < .4:
        o.update(together(rng))
    if kind == "grids" or rng.random() < .4:
        o.update(resources(rng))
    if kind == "icache":
        o.update(generate_machine.icache(rng))
    if rng.random() < .25:
        o.update(clocks(rng))
    some(rng, o, .5, "-gpgpu_scheduler", "lrr", "gto", "old", "rrr", "warp_limiting:2:3", "warp_limiting:2:16")
    return generate_machine.fitting(o)


SLICES = {"qv100": (32, 2), "rtx3070": (16, 2), "titanv": (24, 2), "gv100": (32, 2), "rtx2060": (12, 2), "rtx2060s": (16, 2), "titanx": (12, 2)}


def route(rng, config, o):
    """Instead of the crossbar a network with routers: its settings."""
    for name in [n for n in o if n.startswith("-icnt_")]:
        del o[name]
    o["-network_mode"] = 1
    channels, slices = SLICES[config]
    slices = int(o.get("-gpgpu_n_mem", channels)) * int(o.get("-gpgpu_n_sub_partition_per_mchannel", slices))
    return generate_network.network(rng.randrange(10 ** 6), int(o["-gpgpu_n_clusters"]), slices)


# ---- files ---------------------------------------------------------------------------------------------------------


def case(seed, kind="mix"):
    rng = random.Random(f"{seed} {kind} launches")
    config = rng.choice(sorted(generate_machine.CONFIGS))
    o = options(rng, config, kind)
    network = route(rng, config, o) if kind == "routed" else None
    threads = int(str(o.get("-gpgpu_shader_core_pipeline", 32 * generate_options.WARPS[config])).split(":")[0])
    limits = {"threads": min(1024, threads), "shmem": min(65536, int(o.get("-gpgpu_shmem_size", 65536))),
              "registers": min(65536, int(o.get("-gpgpu_shader_registers", 65536))), "special": generate_machine.SPECIAL.get(config, 0)}
    streams = [0]
    if o.get("-gpgpu_concurrent_kernel_sm"):
        streams = rng.choice([[0, 1], [0, 7, 94000000000001, 2 ** 40], [3, 2, 1, 0, 5, 6]])
    elif kind == "streams" or rng.random() < .3:
        streams = rng.choice([[0], [0, 1], [3, 2, 1, 0, 5, 6]])
    n = rng.choice({"streams": [2, 3, 4, 6, 8, 12], "long": [1, 1, 2]}.get(kind, [1, 1, 2, 3]))
    kernels = launches(rng, kind, n, rng.choice(generate_machine.CONFIGS[config]), limits, streams)
    copies = [(generate_memory.HEAP + rng.choice([0, rng.randrange(64) * 4096, rng.randrange(1 << 18)]),
               rng.choice([4, 32, 100, 4096, 100000, 1 << 20, rng.randrange(300000)])) for _ in range(rng.choice([0, 0, 1, 3, 6]))]
    return {"config": config, "options": o, "kernels": kernels, "copies": copies, "network": network}


def write(c, folder):
    os.makedirs(folder, exist_ok=True)
    if c["network"]:
        path = os.path.abspath(os.path.join(folder, "network.icnt"))
        c["options"]["-inter_config_file"] = path
        with open(path, "w") as f:
            f.writelines(f"{name} = {value};\n" for name, value in c["network"].items())
    generate_edges.write(c, folder)


def main():
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit() or (len(sys.argv) == 4 and sys.argv[3] not in SIZES):
        sys.exit(__doc__.split("\n\n")[1] + f"\nCLASS: {' '.join(SIZES)}")
    c = case(int(sys.argv[1]), *sys.argv[3:])
    write(c, sys.argv[2])
    print(c["config"])


if __name__ == "__main__":
    main()
