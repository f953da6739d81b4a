#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program that branches, and random options of any part of any machine.

Usage: generate_machine.py SEED FOLDER [CLASS] [between]

What its siblings write, with code of loops, calls and jumps over several cache lines, for each of seven configurations,
with options of one or more groups (GROUPS below), each within what the reference accepts. CLASS is `any` (the default), `icache`
(always a real instruction cache, of any shape), `titanx` (always that configuration), the name of a group, or `plain` (no
options but the size). `between`: a third of the numbers lie between those that are drawn otherwise, which the reference more often refuses. Prints the
configuration; run the folder as generate.py says.
"""

import random
import sys

import generate
import generate_memory

VOLTA = [70, 70, 70, 61, 35]
CONFIGS = {"qv100": VOLTA, "gv100": VOLTA, "titanv": VOLTA, "rtx2060": [75, 75, 70, 60], "rtx2060s": [75, 75, 70, 35],
           "rtx3070": [86, 86, 80, 75, 70, 61], "titanx": [60, 61, 35]}  # the reference does not take its own configuration of a Kepler
SPECIAL = {"rtx2060": 4, "rtx2060s": 4, "rtx3070": 4, "qv100": 3, "gv100": 3, "titanv": 3}
ROUTED = ("titanx",)  # its network has routers, which are another matter

# ---- options -------------------------------------------------------------------------------------------------------


between = False  # numbers that are not among the values, too


def pick(rng, *values):
    value = rng.choice(values)
    if between and all(isinstance(v, int) for v in values) and len(set(values)) > 2 and rng.random() < .35:
        value = rng.randint(min(values), max(values))
    return value


def icache(rng):
    sets, ways = pick(rng, 1, 2, 4, 8, 64), pick(rng, 1, 2, 4, 16)
    return {"-gpgpu_perfect_inst_const_cache": 0, "-gpgpu_inst_fetch_throughput": pick(rng, 1, 1, 2, 4, 5, 8),
            "-gpgpu_cache:il1": f"N:{sets}:128:{ways},{pick(rng, 'L', 'F')}:R:f:N:{pick(rng, 'L', 'L', 'X') if sets > 1 else 'L'},"
                                f"S:{pick(rng, 1, 2, 4, 16)}:{pick(rng, 1, 2, 4, 48)},{pick(rng, 1, 2, 4)}"}


def dl1(rng):
    o = {"-gpgpu_adaptive_cache_config": 0}
    if rng.random() < .15:
        o.update({"-gpgpu_cache:dl1": "none", "-gpgpu_flush_l1_cache": 0})
        return o
    lines = pick(rng, 8, 16, 32, 128, 256)  # of which the unified memory is a multiple
    sets = pick(rng, *[n for n in (1, 2, 4, 16, 32, 64) if n <= lines])
    ways = lines // sets
    sector = rng.random() < .8
    write = pick(rng, "T", "L", "L", "B", "E")
    missing = {"T": "NLW" if sector else "N", "L": "NL" if sector else "N", "B": "NLFW" if sector else "NFW", "E": "N"}[write]
    allocate = pick(rng, "m", "m", "s") if write in "LTE" else "m"
    missing = "N" if allocate == "s" else missing
    index = pick(rng, "L", "L", "X", *(["P"] if sets in (16, 32, 64) else []), *(["H"] if sets in (32, 64) else []))
    if sector:
        o["-gpgpu_cache:dl1"] = (f"S:{sets}:128:{ways},{pick(rng, 'L', 'F')}:{write}:{allocate}:"
                                 f"{pick(rng, *missing)}:{index},A:{pick(rng, 2, 4, 32, 256)}:{pick(rng, 1, 2, 8)},"
                                 f"{pick(rng, 2, 4, 16)}:0,{pick(rng, 8, 32, 128)}")
    else:
        o["-gpgpu_cache:dl1"] = (f"N:{sets}:128:{ways},{pick(rng, 'L', 'F')}:{write}:{allocate}:{pick(rng, *missing)}:"
                                 f"{index},S:{pick(rng, 2, 32, 128)}:{pick(rng, 1, 8)},{pick(rng, 2, 8)}:0,"
                                 f"{pick(rng, 32, 128)}")
    some(rng, o, .4, "-gpgpu_l1_cache_write_ratio", 0, 25, 50, 100)
    some(rng, o, .4, "-gpgpu_l1_banks", 1, 2, 4, 8)
    some(rng, o, .3, "-gpgpu_l1_banks_hashing_function", 0, 1)
    some(rng, o, .3, "-gpgpu_l1_banks_byte_interleaving", 32, 64, 128)
    some(rng, o, .5, "-gpgpu_l1_latency", 1, 2, 3, 20, 39, 82)
    some(rng, o, .4, "-gpgpu_gmem_skip_L1D", 0, 1)
    some(rng, o, .3, "-gpgpu_flush_l1_cache", 0, 1)
    some(rng, o, .3, "-gpgpu_coalesce_arch", 40, 60, 70, 86)
    return o


def dl2(rng):
    sets = pick(rng, 1, 2, 4, 16, 32, 64)
    sector = rng.random() < .75
    index = pick(rng, "L", "X", *(["P"] if sets in (16, 32, 64) else []))
    ways, kind = pick(rng, 1, 2, 4, 16, 24), "S" if sector else "N"
    o = {"-gpgpu_cache:dl2": f"{kind}:{sets}:128:{ways},{pick(rng, 'L', 'F')}:B:m:{pick(rng, 'L', 'F', 'W') if sector else pick(rng, 'F', 'W')}:{index},"
                             f"A:{pick(rng, 2, 4, 32, 192)}:{pick(rng, 1, 2, 4)},{pick(rng, 4, 8, 32)}:0,{pick(rng, 8, 16, 32, 128)}"}
    some(rng, o, .5, "-gpgpu_dram_partition_queues", "8:8:8:8", "16:4:16:4", "64:64:64:64", "5:2:2:2", "8:64:9:9", "9:9:64:64")
    some(rng, o, .4, "-gpgpu_l2_rop_latency", 0, 1, 10, 85, 160)
    some(rng, o, .3, "-gpgpu_flush_l2_cache", 0, 1)
    some(rng, o, .3, "-gpgpu_perf_sim_memcpy", 0, 1)
    return o


def net(rng):
    o = {"-icnt_in_buffer_limit": pick(rng, 2, 3, 4, 16, 64, 512), "-icnt_out_buffer_limit": pick(rng, 2, 3, 4, 16, 64, 512),
         "-icnt_arbiter_algo": pick(rng, 0, 1), "-icnt_grant_cycles": pick(rng, 1, 2, 4)}
    some(rng, o, .6, "-gpgpu_n_cluster_ejection_buffer_size", 1, 2, 8, 32)
    some(rng, o, .6, "-gpgpu_n_ldst_response_buffer_size", 1, 2, 3, 8)
    some(rng, o, .5, "-gpgpu_n_cores_per_cluster", 1, 2, 3)
    some(rng, o, .3, "-gpgpu_simt_core_sim_order", 0, 1)
    o.update(clocks(rng) if rng.random() < .4 else {})
    return o


def clocks(rng):
    return {"-gpgpu_clock_domains": pick(rng, "1000:1000:1000:1000", "1132:1132:2264:850", "1328.5:700.25:1100.125:901.1",
                                         "500:1000:1500:300", "1447.0:1200.0:900.0:3500.0", "700:1200:900:500.5")}


MAPPINGS = ["dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
            "dramid@12;00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRRRRCCC.CBBBBCCC.SSSSSSSS",
            "dramid@10;00000000.00000000.00000000.00000000.00RRRRRR.RRRRRRRR.BBBBCCCC.CCCSSSSS",
            "dramid@6;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
            "dramid@5;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBCCCCCC.BBBSSSSS",
            "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BDDDSSSS"]


def parts(rng):
    channels = pick(rng, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
    indexing = pick(rng, 0, 1, 2, 2, 4, 4, 4, 5)
    power = channels & channels - 1 == 0
    slices = pick(rng, 1, 2, 2, 4)
    if indexing == 1 and not power:
        indexing = 4
    if indexing == 2 and (1 << (channels - 1).bit_length()) * slices not in (16, 32, 64):
        channels, slices = 16, 2
    o = {"-gpgpu_n_mem": channels, "-gpgpu_n_sub_partition_per_mchannel": slices, "-gpgpu_memory_partition_indexing": indexing}
    if rng.random() < .6:
        mapping = rng.choice(MAPPINGS)
        if not mapping.startswith("dramid") and (channels != 8 or indexing == 4):
            mapping = MAPPINGS[0]
        o["-gpgpu_mem_addr_mapping"] = mapping
    return o


def dram(rng):
    ratio = pick(rng, 1, 2, 4)
    o = {"-gpgpu_dram_scheduler": pick(rng, 0, 1, 1), "-dram_latency": pick(rng, 0, 1, 30, 100, 700),
         "-gpgpu_frfcfs_dram_sched_queue_size": pick(rng, 2, 4, 16, 64), "-gpgpu_dram_return_queue_size": pick(rng, 1, 2, 8, 64, 192)}
    width, burst = pick(rng, (16, 2), (16, 4), (4, 8), (8, 8), (2, 16)) if ratio > 1 else (16, 2)
    o.update({"-gpgpu_dram_buswidth": width, "-gpgpu_dram_burst_length": max(burst, ratio), "-dram_data_command_freq_ratio": ratio})
    o["-gpgpu_dram_timing_opt"] = ":".join(f"{k}={v}" for k, v in (
        ("nbk", 16), ("CCD", pick(rng, 1, 2, 4, 7)), ("RRD", pick(rng, 1, 3, 12, 20)), ("RCD", pick(rng, 9, 12, 24)),
        ("RAS", pick(rng, 10, 28, 55)), ("RP", pick(rng, 2, 12, 24)), ("RC", pick(rng, 15, 40, 78, 100)), ("CL", pick(rng, 2, 12, 24)),
        ("WL", pick(rng, 1, 2, 8)), ("CDLR", pick(rng, 1, 3, 10)), ("WR", pick(rng, 1, 10, 24)),
        ("nbkgrp", pick(rng, 1, 2, 4, 8, 16)), ("CCDL", pick(rng, 0, 2, 6)), ("RTPL", pick(rng, 0, 4))))
    some(rng, o, .6, "-dram_dual_bus_interface", 0, 1)
    some(rng, o, .6, "-dram_bnk_indexing_policy", 0, 1, 2)
    some(rng, o, .6, "-dram_bnkgrp_indexing_policy", 0, 1)
    if some(rng, o, .4, "-dram_seperate_write_queue_enable", 1):
        o["-dram_write_queue_size"] = pick(rng, "32:28:16", "16:12:2", "16:4:1", "8:4:1")
    some(rng, o, .3, "-dram_elimnate_rw_turnaround", 0, 1)
    some(rng, o, .15, "-gpgpu_simple_dram_model", 1)
    some(rng, o, .15, "-gpgpu_n_mem_per_ctrlr", 2)
    o.update(clocks(rng) if rng.random() < .4 else {})
    return o


def shared(rng):
    return {"-gpgpu_smem_latency": pick(rng, 2, 3, 10, 29, 50), "-gpgpu_shmem_num_banks": pick(rng, 8, 16, 32),
            "-gpgpu_shmem_warp_parts": pick(rng, 1, 2, 4), "-gpgpu_shmem_limited_broadcast": pick(rng, 0, 1),
            "-gpgpu_mem_unit_ports": pick(rng, 1, 2, 4)}


def latencies(rng):
    o = {}
    for kind, deep in (("int", 4), ("sp", 4), ("dp", 19), ("sfu", 20)):
        latency = pick(rng, *range(1, deep + 1))
        some(rng, o, .6, f"-trace_opcode_latency_initiation_{kind}", f"{latency},{pick(rng, *range(1, latency + 1))}")
    return o


def issue(rng):
    o = {}
    some(rng, o, .5, "-gpgpu_max_insn_issue_per_warp", 1, 2)
    some(rng, o, .5, "-gpgpu_dual_issue_diff_exec_units", 0, 1)
    some(rng, o, .5, "-gpgpu_inst_fetch_throughput", 1, 2, 3, 4, 8)
    some(rng, o, .5, "-gpgpu_reg_file_port_throughput", 1, 2, 3)
    some(rng, o, .4, "-gpgpu_num_reg_banks", 8, 16, 32)
    some(rng, o, .4, "-gpgpu_TB_launch_latency", 1, 9, 100)
    some(rng, o, .4, "-gpgpu_shader_cta", 1, 2, 3, 8, 32)
    some(rng, o, .2, "-gpgpu_clock_gated_lanes", 0, 1)
    some(rng, o, .2, "-gpgpu_local_mem_map", 0, 1)
    return o


def sizes(rng):
    o = {}
    some(rng, o, .5, "-gpgpu_shader_registers", 16384, 32768, 65536, 131072)
    some(rng, o, .5, "-gpgpu_shader_core_pipeline", "1024:32", "1536:32", "2048:32")
    some(rng, o, .4, "-gpgpu_simt_core_sim_order", 0, 1)
    some(rng, o, .4, "-gpgpu_runtime_stat", 100, 1000)
    some(rng, o, .3, "-gpgpu_perf_sim_memcpy", 0, 1)
    some(rng, o, .3, "-gpgpu_ignore_resources_limitation", 0, 1)
    return o


def core(rng, config):
    """The multiprocessor as generate.py draws it."""
    drawn, _ = generate.options(rng, "rtx3070" if SPECIAL.get(config) == 4 else "qv100", rng.choice([1, 2]))
    for name in ("-gpgpu_shmem_size", "-gpgpu_shader_core_pipeline", "-gpgpu_shader_registers", "-gpgpu_n_clusters"):
        drawn.pop(name, None)
    return drawn


def together(rng):
    o = {"-gpgpu_concurrent_kernel_sm": 1}
    some(rng, o, .3, "-gpgpu_max_concurrent_kernel", 1, 2, 8)
    return o


GROUPS = {"icache": icache, "dl1": dl1, "dl2": dl2, "net": net, "parts": parts, "dram": dram, "shared": shared,
          "latencies": latencies, "issue": issue, "together": together, "clocks": clocks, "sizes": sizes, "core": core}


def some(rng, o, probability, name, *values):
    if rng.random() < probability:
        o[name] = pick(rng, *values)
        return True
    return False


def options(rng, config, kind):
    o = {"-network_mode": 2} if config in ROUTED else {}
    o["-gpgpu_kernel_launch_latency"] = pick(rng, 0, 1, 50, 200)
    o["-gpgpu_n_clusters"] = pick(rng, 1, 1, 2, 3, 4, 6, 10, 20)
    some(rng, o, .5, "-gpgpu_scheduler", "lrr", "gto", "old", "rrr", "two_level_active:4:0:1", "warp_limiting:2:3", "warp_limiting:2:16")
    groups = [] if kind in ("any", "titanx", "plain") else [kind]
    if kind in ("any", "titanx", "icache"):
        others = sorted(set(GROUPS) - set(groups) - ({"core"} if config in ROUTED else set()))
        groups += rng.sample(others, pick(rng, 0, 1, 1, 2, 2, 3, 4))
    for group in groups:
        o.update(GROUPS[group](*((rng, config) if group == "core" else (rng,))))
    return fitting(o)


def fitting(o):
    """Without what the reference does not survive together."""
    if str(o.get("-gpgpu_cache:dl2", "S")).startswith("N"):  # a line comes back as a whole
        for name in ("-gpgpu_cache:il1", "-gpgpu_cache:dl1"):
            o[name] = str(o.get(name, "N:64:128:16,L:R:f:N:L,S:2:48,4" if "il1" in name else "none")).replace(",S:", ",A:")
        o["-gpgpu_adaptive_cache_config"] = 0
    if o.get("-gpgpu_cache:dl1") == "none":
        o["-gpgpu_flush_l1_cache"] = 0
    return o


# ---- programs ------------------------------------------------------------------------------------------------------




def kernel(rng, config, o, binary, streams):
    limits = {"threads": 1024, "shmem": 49152, "registers": int(o.get("-gpgpu_shader_registers", 65536)),
              "special": SPECIAL.get(config, 0)}
    k = (generate if rng.random() < .3 else generate_memory).kernel(rng, binary, limits)
    while len(streams) > 1 and any(i[2].startswith(("LDL", "STL")) for v in k["variants"] for w in v for i in w):
        k = generate_memory.kernel(rng, binary, limits)  # local memory has no place when kernels share an SM
    k["stream"] = rng.choice(streams)
    x, y, z = k["block"]
    while (x * y * z + 31) // 32 * 32 * ((k["nregs"] + 3) // 4 * 4) > limits["registers"]:
        k["nregs"] //= 2
    k = generate.modified(rng, k)
    k["tracer"], k["lineinfo"] = rng.choice([5, 5, 4, 3]), int(rng.random() < .2)
    return generate.branching(rng, k) if rng.random() < .85 else k


def case(seed, kind="any"):
    rng = random.Random(f"{seed} {kind}")
    config = "titanx" if kind == "titanx" else rng.choice(sorted(SPECIAL if kind == "core" else CONFIGS))
    o = options(rng, config, kind)
    binary = rng.choice(CONFIGS[config])
    streams = [0, 1, 2, 3] if "-gpgpu_concurrent_kernel_sm" in o or rng.random() < .2 else [0]
    kernels = [kernel(rng, config, o, binary, streams) for _ in range(pick(rng, 1, 1, 2, 3, 5 if len(streams) > 1 else 1, 12))]
    copies = [(generate_memory.HEAP + rng.randrange(64) * 4096, pick(rng, 4, 100, 4096, 100000)) for _ in range(pick(rng, 0, 0, 1, 3))]
    return {"config": config, "options": o, "kernels": kernels, "copies": copies}


def main():
    global between
    kinds = ["any", "titanx", "plain", *GROUPS]
    between = sys.argv[4:] == ["between"]
    if between:
        sys.argv.pop()
    if len(sys.argv) not in (3, 4) or not sys.argv[1].isdigit() or (len(sys.argv) == 4 and sys.argv[3] not in kinds):
        sys.exit(__doc__.split("\n\n")[1] + f"\nCLASS: {' '.join(kinds)}")
    c = case(int(sys.argv[1]), *sys.argv[3:])
    generate_memory.write(c, sys.argv[2])
    print(c["config"])


if __name__ == "__main__":
    main()
