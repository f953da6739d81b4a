#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random program, and draws a configuration and options of every kind for it.

Usage: generate_options.py SEED FOLDER

The programs are those of its siblings, of one kernel or several, in one stream or several. One to eight options are drawn one by
one from all that the importer takes, limits, perfect memory, those that only a report shows and those that should change nothing
included; now and then on top of a whole group of generate_machine.py. Each value is one that the reference survives alone. Prints
the configuration. Run as its siblings say.
"""

import random

import generate
import generate_machine
import generate_memory

WARPS = {"qv100": 64, "gv100": 64, "titanv": 64, "rtx2060": 32, "rtx2060s": 32, "rtx3070": 48, "titanx": 64}  # of an SM
WIDTHS = ["4,4,4,4,4,4,4,4,4,4,8,4,4", "4,4,4,4,4,4,4,4,4,4,1,4,4", "4,4,4,4,4,4,4,4,4,4,16,4,4"]
DRAM = ["nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3",
        "nbk=16:CCD=4:RRD=12:RCD=24:RAS=55:RP=24:RC=78:CL=24:WL=8:CDLR=10:WR=24:nbkgrp=4:CCDL=6:RTPL=4",
        "nbk=8:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=1:CCDL=0:RTPL=0",
        "nbk=32:CCD=2:RRD=1:RCD=20:RAS=50:RP=20:RC=62:CL=20:WL=8:CDLR=9:WR=20:nbkgrp=8:CCDL=3:RTPL=2"]
LATENCIES = ["1,1", "2,1", "2,2", "4,2", "8,4", "13,3", "20,8"]
OPTIONS = dict(generate_memory.OPTIONS)
OPTIONS.update({
    "-gpgpu_clock_domains": ["1132:1132:1132:850", "1200:1000:900:877.5", "1500:700:1100:3500.5", "500:2000:2000:2000",
                             "1000:1000:1000:1000", "1417.0:1417.0:1417.0:2500.0"],
    "-gpgpu_kernel_launch_latency": [0, 1, 10, 777, 5000], "-gpgpu_TB_launch_latency": [0, 1, 9, 100],
    "-gpgpu_max_concurrent_kernel": [1, 2, 3, 32, 128], "-gpgpu_simt_core_sim_order": [0, 1],
    "-gpgpu_n_clusters": list(range(1, 21)), "-gpgpu_n_cores_per_cluster": [1, 2, 3, 5],
    "-gpgpu_shader_core_pipeline": ["1024:32", "2048:32", "1536:32", "512:32"], "-gpgpu_shader_cta": [1, 2, 3, 8, 16, 32],
    "-gpgpu_shader_registers": [32768, 65536, 131072], "-gpgpu_shmem_size": [65536, 98304, 102400],
    "-gpgpu_ignore_resources_limitation": [0, 1], "-gpgpu_clock_gated_lanes": [0, 1], "-gpgpu_sub_core_model": [0, 1],
    "-gpgpu_scheduler": ["lrr", "gto", "old", "rrr", "two_level_active:6:0:1", "two_level_active:16:0:1", "warp_limiting:2:4",
                         "warp_limiting:2:1"],
    "-cdp_latency": ["7200,8000,100,12000,1600", "1,2,3,4,5"], "-gpgpu_max_insn_issue_per_warp": [1, 2, 3],
    "-gpgpu_dual_issue_diff_exec_units": [0, 1], "-gpgpu_inst_fetch_throughput": [1, 2, 3, 4, 8],
    "-gpgpu_reg_file_port_throughput": [1, 2, 3, 4], "-gpgpu_num_reg_banks": [4, 8, 16, 32, 64],
    "-gpgpu_operand_collector_num_units_gen": [4, 8, 16], "-gpgpu_operand_collector_num_in_ports_gen": [4, 8],
    "-gpgpu_operand_collector_num_out_ports_gen": [4, 8], "-gpgpu_pipeline_widths": WIDTHS,
    "-gpgpu_num_tensor_core_units": [4],
    "-ptx_opcode_latency_int": ["4,13,4,5,145,21", "1,1,19,25,145,32", "4,13,4,5,145"], "-ptx_opcode_latency_fp": ["4,13,4,5,39", "8,19,8,8,330"],
    "-ptx_opcode_latency_dp": ["8,19,8,8,330", "54,54,54,54,330"], "-ptx_opcode_latency_sfu": [100, 8, 330],
    "-ptx_opcode_latency_tesnor": [64, 32],
    "-trace_opcode_latency_initiation_int": LATENCIES, "-trace_opcode_latency_initiation_sp": LATENCIES,
    "-trace_opcode_latency_initiation_dp": LATENCIES, "-trace_opcode_latency_initiation_sfu": LATENCIES,
    "-trace_opcode_latency_initiation_tensor": LATENCIES, "-trace_opcode_latency_initiation_spec_op_1": ["4,4", "1,1", "4,2"],
    "-trace_opcode_latency_initiation_spec_op_2": ["200,4", "100,8"], "-trace_opcode_latency_initiation_spec_op_3": ["2,2", "4,1"],
    "-gpgpu_shmem_num_banks": [16, 32], "-gpgpu_shmem_warp_parts": [1, 2], "-gpgpu_shmem_limited_broadcast": [0, 1],
    "-gpgpu_coalesce_arch": [13, 20, 35, 40, 60, 70, 75, 86], "-gpgpu_l1_banks_hashing_function": [0, 1],
    "-gpgpu_shmem_option": ["0,8,16,32,64,96", "0,16,64", "0"], "-gpgpu_unified_l1d_size": [128, 96, 192],
    "-gpgpu_mem_addr_mapping": ["dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS",
                                "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBBCCC.CSSSSSSS"],
    "-network_mode": [2], "-icnt_subnets": [2, 3], "-icnt_flit_size": [8, 16, 32, 40, 64, 7, 200],
    "-gpgpu_n_mem": [8, 12, 16, 24, 32], "-gpgpu_mem_address_mask": [0, 1],
    "-gpgpu_memory_partition_indexing": [0, 1, 2, 4], "-gpgpu_runtime_stat": ["500", "100:0", "37:0", "10000:0"],
    "-gpgpu_cache:dl2_texture_only": [0, 1], "-gpgpu_dram_buswidth": [2, 4, 8, 16], "-gpgpu_dram_burst_length": [2, 4, 8, 16],
    "-gpgpu_n_mem_per_ctrlr": [1, 2], "-dram_data_command_freq_ratio": [2, 4], "-gpgpu_dram_timing_opt": DRAM,
    "-gpgpu_memlatency_stat": [0, 1, 14, 255], "-gpgpu_warp_issue_shader": [0], "-visualizer_enabled": [0, 1],
    "-gpgpu_perfect_mem": [0, 1, 1], "-gpgpu_max_cycle": [10, 300, 1000, 3000, 20000], "-gpgpu_max_insn": [1, 100, 1000, 30000, 10**6],
    "-gpgpu_max_cta": [1, 2, 3, 5, 10, 40, 200], "-gpgpu_simple_dram_model": [0, 1], "-gpgpu_flush_l2_cache": [0, 1],
    # what the importer leaves out, since it should change nothing
    "-gpgpu_tensor_core_avail": [0, 1], "-gpgpu_reg_bank_use_warp_id": [0, 1], "-l2_ideal": [0, 1], "-gpgpu_num_mem_units": [1, 2],
    "-gpgpu_num_cta_barriers": [8, 16], "-gpgpu_simd_model": [1], "-gpgpu_warpdistro_shader": [-1, 0],
    "-ptx_opcode_initiation_int": ["1,1,4,4,32,4", "2,2,2,2,8,4"], "-ptx_opcode_initiation_sfu": [4, 8],
    "-gpgpu_clock_gated_reg_file": [0, 1], "-liveness_message_freq": [1, 0], "-gpgpu_deadlock_detect": [0, 1],
    "-gpgpu_compute_capability_major": [6, 8], "-enable_ptx_file_line_stats": [0, 1], "-gpgpu_registers_per_block": [8192, 65536],
    "-gpgpu_shmem_per_block": [8192, 49152], "-gpgpu_stack_size_limit": [1024, 64], "-icnt_verbose": [0], "-trace_enabled": [0],
    "-gpgpu_cflog_interval": [0], "-gpgpu_cdp_enabled": [0], "-gpgpu_shmem_sizeDefault": [65536],
    "-gpgpu_ptx_instruction_classification": [0], "-gpgpu_runtime_sync_depth_limit": [2, 5],
})
del OPTIONS["-gpgpu_num_sched_per_core"]


def kernel(rng, config, chosen, binary, limits, streams):
    """One of any generator, no larger than an SM."""
    if rng.random() < .4:
        return generate_machine.kernel(rng, config, chosen, binary, streams)
    k = (generate_memory.kernel if rng.random() < .6 else generate.kernel)(rng, binary, limits)
    while (k["block"][0] * k["block"][1] * k["block"][2] + 31) // 32 * 32 * ((k["nregs"] + 3) // 4 * 4) > limits["registers"]:
        k["nregs"] //= 2
    k["stream"] = rng.choice(streams)
    return k


def options(rng, config):
    if rng.random() < .2:
        chosen = generate_machine.options(rng, config, rng.choice(sorted(generate_machine.GROUPS) if config != "titanx" else ["dram", "parts"]))
    else:
        chosen = {"-network_mode": 2} if config == "titanx" else {}
        chosen.update({"-gpgpu_n_clusters": rng.randint(1, 20), "-gpgpu_kernel_launch_latency": rng.choice([0, 0, 50])})
    for name in rng.sample(sorted(OPTIONS), rng.randint(1, 8)):
        chosen[name] = rng.choice(OPTIONS[name])
    if "-gpgpu_warp_issue_shader" in chosen:
        sms = chosen.get("-gpgpu_n_clusters", 1) * chosen.get("-gpgpu_n_cores_per_cluster", 2 if config == "titanv" else 1)
        chosen["-gpgpu_warp_issue_shader"] = rng.randrange(sms)
    return chosen


def case(seed):
    rng = random.Random(f"{seed} options")
    config = rng.choice(sorted(WARPS))
    chosen = options(rng, config)
    threads = int(str(chosen.get("-gpgpu_shader_core_pipeline", WARPS[config] * 32)).split(":")[0])
    limits = {"threads": min(1024, threads), "shmem": 32768, "special": 4 if config == "rtx3070" else 3,
              "registers": min(65536, chosen.get("-gpgpu_shader_registers", 65536))}
    binary = rng.choice([b for b in generate_machine.CONFIGS[config] if b in generate.OPCODES])
    streams = [0, 1, 2] if rng.random() < .4 else [0]
    kernels = [kernel(rng, config, chosen, binary, limits, streams) for _ in range(rng.choice([1, 1, 1, 2, 3, 5]))]
    copies = [(generate_memory.HEAP + rng.randrange(64) * 4096, rng.choice([4, 100, 4096, 100000])) for _ in range(rng.choice([0, 0, 1, 3]))]
    return {"config": config, "options": chosen, "kernels": kernels, "copies": copies}


if __name__ == "__main__":
    generate_memory.main(__doc__, case)
