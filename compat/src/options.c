/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's options as data: names, built-in defaults and the parameters that they set. left_out.c has the others. */
#include "options.h"
#include <string.h>

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* In the reference's order: "lrr" anywhere in the value wins over everything else. */
static const Word schedulers[] = {
    {"lrr", "scheduler.lrr", NULL, NULL},
    {"two_level_active", "scheduler.two_level", "two_level_active:N:0:1",
     "sm.issue[*].policy.active"},
    {"gto", "scheduler.gto", NULL, NULL},
    {"rrr", "scheduler.rrr", NULL, NULL},
    {"old", "scheduler.oldest", NULL, NULL},
    {"warp_limiting", "scheduler.swl", "warp_limiting:2:N", "sm.issue[*].policy.limit"},
    {NULL, NULL, NULL, NULL},
};

#define WIDTHS                                                                                     \
    PATHS("sm.id_oc_sp.width", "sm.id_oc_dp.width", "sm.id_oc_int.width", "sm.id_oc_sfu.width",    \
          "sm.id_oc_mem.width", "sm.oc_ex_sp.width", "sm.oc_ex_dp.width", "sm.oc_ex_int.width",    \
          "sm.oc_ex_sfu.width", "sm.oc_ex_mem.width", "sm.result_buses", "sm.id_oc_tensor.width",  \
          "sm.oc_ex_tensor.width")

#define COLLECTOR(set, ref, units, ports)                                                          \
    {"-gpgpu_operand_collector_num_units_" ref, units, FORM_NUMBER,                                \
     PATHS("sm.collector." set "_units"),       NULL,  0},                                         \
        {"-gpgpu_operand_collector_num_in_ports_" ref, ports, FORM_NUMBER,                         \
         PATHS("sm.collector." set "_in_ports"),       NULL,  0},                                  \
    {                                                                                              \
        "-gpgpu_operand_collector_num_out_ports_" ref, ports, FORM_NUMBER,                         \
            PATHS("sm.collector." set "_out_ports"), NULL, 0                                       \
    }

#define LATENCY(ref, parameter, def)                                                               \
    {                                                                                              \
        "-trace_opcode_latency_initiation_" ref, def, FORM_PAIR, PATHS("sm.decode." parameter),    \
            NULL, 0                                                                                \
    }

#define SPECIAL(k)                                                                                 \
    {                                                                                              \
        "-specialized_unit_" #k, "0,4,4,4,4,BRA", FORM_SPECIAL, NULL, NULL, k                      \
    }

/* What is refused, but for these values, and why. */
static const Word no_checkpoint[] = {
    {"0", "0: a trace has no state that could be saved or restored", NULL, NULL},
    {NULL, NULL, NULL, NULL}};
static const Word perfect_fetch[] = {
    {"0", "true", NULL, NULL},
    {"1", "false", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
static const Word bank_hashes[] = {{"0", "linear", NULL, NULL},
                                   {"1", "xor", NULL, NULL},
                                   {"2", "ipoly", NULL, NULL},
                                   {NULL, NULL, NULL, NULL}};
static const Word arbiters[] = {
    {"0", "round_robin", NULL, NULL}, {"1", "islip", NULL, NULL}, {NULL, NULL, NULL, NULL}};
static const Word networks[] = {
    {"1", "network.routed", NULL, NULL}, {"2", "xbar.local", NULL, NULL}, {NULL, NULL, NULL, NULL}};
/* 3 has a name in the reference and no function: it ends there. */
static const Word slice_hashes[] = {{"0", "consecutive", NULL, NULL}, {"1", "xor", NULL, NULL},
                                    {"2", "ipoly", NULL, NULL},       {"4", "random", NULL, NULL},
                                    {"5", "custom", NULL, NULL},      {NULL, NULL, NULL, NULL}};
static const Word dram_models[] = {
    {"0", "dram.frfcfs", NULL, NULL}, {"1", "dram.simple", NULL, NULL}, {NULL, NULL, NULL, NULL}};
static const Word dram_schedulers[] = {
    {"0", "fifo", NULL, NULL}, {"1", "frfcfs", NULL, NULL}, {NULL, NULL, NULL, NULL}};
/* A quirk of the reference: it writes this number over the flag of the separate write queue, too, which must be given after it. */
static const Word buses[] = {{"0", "false", NULL, "channel.dram.dual_bus"},
                             {"0", "false", NULL, "channel.dram.separate_write_queue"},
                             {"1", "true", NULL, "channel.dram.dual_bus"},
                             {"1", "false", NULL, "channel.dram.separate_write_queue"},
                             {NULL, NULL, NULL, NULL}};
static const Word bank_indices[] = {{"0", "linear", NULL, NULL},
                                    {"1", "xor", NULL, NULL},
                                    {"2", "ipoly", NULL, NULL},
                                    {NULL, NULL, NULL, NULL}};
static const Word group_indices[] = {
    {"0", "high", NULL, NULL}, {"1", "low", NULL, NULL}, {NULL, NULL, NULL, NULL}};

static const Option modelled[] = {
    {"-gpgpu_clock_domains", "500.0:2000.0:2000.0:2000.0", FORM_MHZ,
     PATHS("core_clock", "icnt_clock", "l2_clock", "dram_clock"), NULL, 0},
    {"-gpgpu_kernel_launch_latency", "0", FORM_NUMBER, PATHS("gpu.kernels.launch_latency"), NULL,
     0},
    {"-gpgpu_TB_launch_latency", "0", FORM_NUMBER, PATHS("gpu.kernels.tb_launch_latency"), NULL, 0},
    {"-gpgpu_max_concurrent_kernel", "32", FORM_LONG, PATHS("gpu.kernels.max_concurrent"), NULL, 0},
    {"-gpgpu_max_cycle", "0", FORM_LONG, PATHS("gpu.kernels.max_cycles"), NULL, 0},
    {"-gpgpu_max_insn", "0", FORM_LONG, PATHS("gpu.kernels.max_insns"), NULL, 0},
    {"-gpgpu_max_cta", "0", FORM_LONG, PATHS("gpu.kernels.max_ctas"), NULL, 0},
    {"-gpgpu_max_completed_cta", "0", FORM_LONG, PATHS("gpu.kernels.max_completed"), NULL, 0},
    {"-gpgpu_concurrent_kernel_sm", "0", FORM_FLAG, PATHS("gpu.concurrent_kernels"), NULL, 0},
    {"-gpgpu_n_clusters", "10", FORM_NUMBER, PATHS("gpu.clusters"), NULL, 0},
    {"-gpgpu_n_cores_per_cluster", "3", FORM_NUMBER, PATHS("cluster.sms"), NULL, 0},
    {"-gpgpu_simt_core_sim_order", "1", FORM_FLAG, PATHS("cluster.offer.rotate"), NULL, 0},
    {"-gpgpu_n_ldst_response_buffer_size", "2", FORM_NUMBER, PATHS("cluster.response_buffer"), NULL,
     0},
    {"-gpgpu_shader_core_pipeline", "1024:32", FORM_THREADS, PATHS("sm.warps"), NULL, 0},
    {"-gpgpu_shader_cta", "32", FORM_NUMBER, PATHS("sm.ctas.max_ctas"), NULL, 0},
    {"-gpgpu_shader_registers", "8192", FORM_NUMBER, PATHS("sm.ctas.registers"), NULL, 0},
    {"-gpgpu_shmem_size", "16384", FORM_NUMBER, PATHS("sm.ctas.shmem"), NULL, 0},
    {"-gpgpu_ignore_resources_limitation", "0", FORM_FLAG, PATHS("sm.ctas.ignore_resource_limits"),
     NULL, 0},
    {"-gpgpu_clock_gated_lanes", "0", FORM_FLAG, PATHS("sm.pool.clock_gated_lanes"), NULL, 0},
    {"-gpgpu_sub_core_model", "0", FORM_FLAG, PATHS("sm.sub_core_model"), NULL, 0},
    {"-gpgpu_num_sched_per_core", "1", FORM_NUMBER, PATHS("sm.schedulers"), NULL, 0},
    {"-gpgpu_scheduler", "gto", FORM_WORD, PATHS("sm.scheduler"), schedulers, 0},
    {"-cdp_latency", "7200,8000,100,12000,1600", FORM_LIST, PATHS("sm.issue[*].launch_latency"),
     NULL, 5},
    {"-gpgpu_max_insn_issue_per_warp", "2", FORM_NUMBER, PATHS("sm.issue[*].max_issue"), NULL, 0},
    {"-gpgpu_dual_issue_diff_exec_units", "1", FORM_FLAG,
     PATHS("sm.issue[*].dual_issue_diff_units"), NULL, 0},
    {"-gpgpu_inst_fetch_throughput", "1", FORM_NUMBER, PATHS("sm.fetch_throughput"), NULL, 0},
    {"-gpgpu_reg_file_port_throughput", "1", FORM_NUMBER, PATHS("sm.reg_file_port_throughput"),
     NULL, 0},
    {"-gpgpu_num_reg_banks", "8", FORM_NUMBER, PATHS("sm.collector.banks"), NULL, 0},
    {"-gpgpu_enable_specialized_operand_collector", "1", FORM_FLAG,
     PATHS("sm.collector.enable_specialized"), NULL, 0},
    COLLECTOR("generic", "gen", "0", "0"),
    COLLECTOR("sp", "sp", "4", "1"),
    COLLECTOR("dp", "dp", "0", "0"),
    COLLECTOR("sfu", "sfu", "4", "1"),
    COLLECTOR("mem", "mem", "2", "1"),
    COLLECTOR("int", "int", "0", "0"),
    COLLECTOR("tensor", "tensor_core", "4", "1"),
    {"-gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1,1,1", FORM_WIDTHS, WIDTHS, NULL, 0},
    {"-gpgpu_num_sp_units", "1", FORM_NUMBER, PATHS("sm.sp_units"), NULL, 0},
    {"-gpgpu_num_dp_units", "0", FORM_NUMBER, PATHS("sm.dp_units"), NULL, 0},
    {"-gpgpu_num_int_units", "0", FORM_NUMBER, PATHS("sm.int_units"), NULL, 0},
    {"-gpgpu_num_sfu_units", "1", FORM_NUMBER, PATHS("sm.sfu_units"), NULL, 0},
    {"-gpgpu_num_tensor_core_units", "0", FORM_NUMBER, PATHS("sm.tensor_units"), NULL, 0},
    SPECIAL(1),
    SPECIAL(2),
    SPECIAL(3),
    SPECIAL(4),
    SPECIAL(5),
    SPECIAL(6),
    SPECIAL(7),
    SPECIAL(8),
    {"-ptx_opcode_latency_int", "1,1,19,25,145,32", FORM_DERIVED, NULL, NULL, 0},
    {"-ptx_opcode_latency_fp", "1,1,1,1,30", FORM_DERIVED, NULL, NULL, 0},
    {"-ptx_opcode_latency_dp", "8,8,8,8,335", FORM_DERIVED, NULL, NULL, 0},
    {"-ptx_opcode_latency_sfu", "8", FORM_DERIVED, NULL, NULL, 0},
    {"-ptx_opcode_latency_tesnor", "64", FORM_DERIVED, NULL, NULL, 0},
    LATENCY("int", "lat_int", "4,1"),
    LATENCY("sp", "lat_sp", "4,1"),
    LATENCY("dp", "lat_dp", "4,1"),
    LATENCY("sfu", "lat_sfu", "4,1"),
    LATENCY("tensor", "lat_tensor", "4,1"),
    LATENCY("spec_op_1", "lat_spec1", "4,4"),
    LATENCY("spec_op_2", "lat_spec2", "4,4"),
    LATENCY("spec_op_3", "lat_spec3", "4,4"),
    LATENCY("spec_op_4", "lat_spec4", "4,4"),
    LATENCY("spec_op_5", "lat_spec5", "4,4"),
    LATENCY("spec_op_6", "lat_spec6", "4,4"),
    LATENCY("spec_op_7", "lat_spec7", "4,4"),
    LATENCY("spec_op_8", "lat_spec8", "4,4"),
    {"-gpgpu_smem_latency", "3", FORM_NUMBER, PATHS("sm.ldst.smem_latency"), NULL, 0},
    {"-gpgpu_shmem_num_banks", "16", FORM_NUMBER, PATHS("sm.ldst.smem_banks"), NULL, 0},
    {"-gpgpu_shmem_warp_parts", "2", FORM_NUMBER, PATHS("sm.ldst.warp_parts"), NULL, 0},
    {"-gpgpu_shmem_limited_broadcast", "1", FORM_FLAG, PATHS("sm.ldst.limited_broadcast"), NULL, 0},
    {"-gpgpu_coalesce_arch", "13", FORM_NUMBER, PATHS("sm.ldst.coalesce_arch"), NULL, 0},
    {"-gpgpu_mem_unit_ports", "1", FORM_NUMBER, PATHS("sm.ldst.mem_unit_ports"), NULL, 0},
    {"-gpgpu_local_mem_map", "1", FORM_FLAG, PATHS("sm.ldst.local_mem_map"), NULL, 0},
    {"-gpgpu_perfect_inst_const_cache", "0", FORM_CHOICE, PATHS("sm.has_l1i"), perfect_fetch, 0},
    {"-gpgpu_cache:il1", NULL, FORM_CACHE, PATHS("sm.l1i_cache", ""), NULL,
     0}, /* the reference refuses its own default */

    {"-gpgpu_cache:dl1", "none", FORM_CACHE, PATHS("sm.l1d", "sm.has_l1d"), NULL, 0},
    {"-gpgpu_l1_cache_write_ratio", "0", FORM_NUMBER, PATHS("sm.l1d.write_ratio"), NULL, 0},
    {"-gpgpu_l1_banks", "1", FORM_NUMBER, PATHS("sm.ldst.l1_banks"), NULL, 0},
    {"-gpgpu_l1_banks_byte_interleaving", "32", FORM_NUMBER, PATHS("sm.ldst.l1_interleave"), NULL,
     0},
    {"-gpgpu_l1_banks_hashing_function", "0", FORM_CHOICE, PATHS("sm.ldst.l1_hash"), bank_hashes,
     0},
    {"-gpgpu_l1_latency", "1", FORM_NUMBER, PATHS("sm.ldst.l1_latency"), NULL, 0},
    {"-gpgpu_gmem_skip_L1D", "0", FORM_FLAG, PATHS("sm.ldst.gmem_skip_l1"), NULL, 0},
    {"-gpgpu_adaptive_cache_config", "0", FORM_FLAG, PATHS("gpu.carve.adaptive"), NULL, 0},
    {"-gpgpu_shmem_option", "0", FORM_LIST, PATHS("gpu.carve.options"), NULL, 0},
    {"-gpgpu_unified_l1d_size", "0", FORM_DERIVED, NULL, NULL, 0},
    {"-gpgpu_flush_l1_cache", "0", FORM_FLAG, PATHS("gpu.flush_l1"), NULL, 0},
    {"-gpgpu_flush_l2_cache", "0", FORM_FLAG, PATHS("gpu.flush_l2"), NULL, 0},

    {"-network_mode", "1", FORM_CHOICE, PATHS("gpu.interconnect"), networks, 0},
    {"-inter_config_file", "mesh", FORM_DERIVED, NULL, NULL, 0},
    {"-icnt_subnets", "2", FORM_NETWORKS, NULL, NULL, 0},
    {"-icnt_flit_size", "32", FORM_NUMBER, PATHS("gpu.report.flit_size"), NULL, 0},
    {"-icnt_in_buffer_limit", "64", FORM_NUMBER, PATHS("cluster.network_in", "channel.network_in"),
     NULL, 0},
    {"-icnt_out_buffer_limit", "64", FORM_NUMBER,
     PATHS("cluster.network_out", "channel.network_out"), NULL, 0},
    {"-icnt_arbiter_algo", "1", FORM_CHOICE, PATHS("gpu.network.arbiter"), arbiters, 0},
    {"-icnt_grant_cycles", "1", FORM_NUMBER, PATHS("gpu.network.grant_cycles"), NULL, 0},
    {"-gpgpu_n_cluster_ejection_buffer_size", "8", FORM_NUMBER, PATHS("cluster.ejection_buffer"),
     NULL, 0},
    {"-gpgpu_perfect_mem", "0", FORM_FLAG, PATHS("gpu.perfect_mem"), NULL, 0},

    {"-gpgpu_n_mem", "8", FORM_NUMBER, PATHS("gpu.channels"), NULL, 0},
    {"-gpgpu_n_sub_partition_per_mchannel", "1", FORM_NUMBER, PATHS("gpu.slices"), NULL, 0},
    {"-gpgpu_mem_addr_mapping", NULL, FORM_TEXT, PATHS("gpu.map.mapping"), NULL, 0},
    {"-gpgpu_mem_address_mask", "0", FORM_NUMBER, PATHS("gpu.map.mask"), NULL, 0},
    {"-gpgpu_memory_partition_indexing", "0", FORM_CHOICE, PATHS("gpu.map.indexing"), slice_hashes,
     0},
    {"-gpgpu_runtime_stat", "10000:0", FORM_FIRST,
     PATHS("gpu.latency.window", "gpu.kernels.sample"), NULL,
     0}, /* the rest of the value is for logs */
    {"-visualizer_enabled", "1", FORM_FLAG, PATHS("gpu.kernels.restart_completed"), NULL, 0},
    {"-gpgpu_memlatency_stat", "0", FORM_SWITCH, PATHS("gpu.report.latencies"), NULL, 0},
    {"-gpgpu_warp_issue_shader", "0", FORM_NUMBER, PATHS("gpu.report.issue_sm"), NULL, 0},
    {"-gpgpu_perf_sim_memcpy", "1", FORM_FLAG, PATHS("gpu.copies.enabled"), NULL, 0},

    {"-gpgpu_cache:dl2", NULL, FORM_CACHE, PATHS("channel.l2", "channel.has_l2"), NULL,
     0}, /* nor this one */
    {"-gpgpu_cache:dl2_texture_only", "1", FORM_FLAG, PATHS("channel.slice.texture_only"), NULL, 0},
    {"-gpgpu_l2_rop_latency", "85", FORM_NUMBER, PATHS("channel.slice.rop_latency"), NULL, 0},
    {"-gpgpu_dram_partition_queues", "8:8:8:8", FORM_FIELDS,
     PATHS("channel.slice.icnt_to_l2", "channel.l2_to_dram", "channel.dram_to_l2",
           "channel.slice.l2_to_icnt"),
     NULL, 0},

    {"-gpgpu_simple_dram_model", "0", FORM_CHOICE, PATHS("channel.memory"), dram_models, 0},
    {"-dram_latency", "30", FORM_NUMBER, PATHS("channel.dram.latency"), NULL, 0},
    {"-gpgpu_dram_scheduler", "1", FORM_CHOICE, PATHS("channel.dram.scheduler"), dram_schedulers,
     0},
    {"-gpgpu_frfcfs_dram_sched_queue_size", "0", FORM_NUMBER, PATHS("channel.dram.sched_queue"),
     NULL, 0},
    {"-gpgpu_dram_return_queue_size", "0", FORM_NUMBER, PATHS("channel.dram.return_queue"), NULL,
     0},
    {"-gpgpu_n_mem_per_ctrlr", "1", FORM_NUMBER, PATHS("channel.dram.chips"), NULL, 0},
    {"-gpgpu_dram_buswidth", "4", FORM_NUMBER, PATHS("channel.dram.buswidth"), NULL, 0},
    {"-gpgpu_dram_burst_length", "4", FORM_NUMBER, PATHS("channel.dram.burst_length"), NULL, 0},
    {"-dram_data_command_freq_ratio", "2", FORM_NUMBER, PATHS("channel.dram.data_command_ratio"),
     NULL, 0},
    {"-gpgpu_dram_timing_opt", "4:2:8:12:21:13:34:9:4:5:13:1:0:0", FORM_DRAM, PATHS("channel.dram"),
     NULL, 0},
    {"-dram_dual_bus_interface", "0", FORM_CHOICE, NULL, buses, 0},
    {"-dram_bnk_indexing_policy", "0", FORM_CHOICE, PATHS("channel.dram.bank_index"), bank_indices,
     0},
    {"-dram_bnkgrp_indexing_policy", "0", FORM_CHOICE, PATHS("channel.dram.group_index"),
     group_indices, 0},
    {"-dram_seperate_write_queue_enable", "0", FORM_FLAG,
     PATHS("channel.dram.separate_write_queue"), NULL, 0},
    {"-dram_write_queue_size", "32:28:16", FORM_FIELDS,
     PATHS("channel.dram.write_queue", "channel.dram.write_high", "channel.dram.write_low"), NULL,
     0},
    {"-dram_elimnate_rw_turnaround", "0", FORM_FLAG, PATHS("channel.dram.eliminate_turnaround"),
     NULL, 0},

    /* what is not modelled, but usually left at a value that changes nothing */
    {"-resume_option", "0", FORM_REFUSED, NULL, no_checkpoint, 0},
    {"-checkpoint_option", "0", FORM_REFUSED, NULL, no_checkpoint, 0},
};

const Option *option_at(size_t i)
{
    return i < G_N_ELEMENTS(modelled) ? &modelled[i] : NULL;
}

const Option *option_find(const char *name)
{
    static GHashTable *by_name; /* kept until the end */
    if (by_name == NULL) {
        by_name = g_hash_table_new(g_str_hash, g_str_equal);
        for (size_t i = 0; i < G_N_ELEMENTS(modelled); i++) {
            g_hash_table_insert(by_name, (gpointer)modelled[i].name, (gpointer)&modelled[i]);
        }
    }
    return g_hash_table_lookup(by_name, name);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* What an option without paths does. */
static const char *deed(const Option *o)
{
    switch (o->form) {
    case FORM_SPECIAL:
        return "sm.specN_units, sm.specN[*].depth, registers of sm.id_oc_spec and sm.oc_ex_spec";
    case FORM_DERIVED:
        return o->name[1] == 'p'   ? "depth of sm.sp, int, dp, sfu, tensor[*]"
               : o->name[1] == 'i' ? "gpu.network: all parameters of network.routed"
                                   : "sm.l1d.max_bytes";
    case FORM_REFUSED:
        return "only 0";
    case FORM_NETWORKS:
        return "2 or more, which is the same";
    case FORM_CHOICE:
        return o->words->path;
    default:
        return "";
    }
}

WwOptionClass ww_gpgpusim_class(const char *option)
{
    const LeftOut *l = left_out_find(option);
    return option_find(option) != NULL ? WW_OPTION_MODELLED
           : l != NULL                 ? l->class
                                       : WW_OPTION_UNKNOWN;
}

bool ww_gpgpusim_option(uint32_t i, WwOptionInfo *out)
{
    const Option *o = option_at(i);
    const LeftOut *l = o == NULL ? left_out_at(i - G_N_ELEMENTS(modelled)) : NULL;
    *out = (WwOptionInfo){0};
    if (o != NULL) {
        *out = (WwOptionInfo){.name = o->name,
                              .def = o->def,
                              .class = WW_OPTION_MODELLED,
                              .paths = o->paths,
                              .what = o->paths == NULL ? deed(o) : ""};
    } else if (l != NULL) {
        *out = (WwOptionInfo){.name = l->name, .class = l->class, .what = l->why};
    }
    return o != NULL || l != NULL;
}

const char *option_closest(const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    WwOptionInfo info;
    for (uint32_t i = 0; ww_gpgpusim_option(i, &info); i++) {
        g_ptr_array_add(names, (gpointer)info.name);
    }
    return ww_closest(name, (const char *const *)names->pdata, names->len);
}
