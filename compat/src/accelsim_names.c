/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the lines of the reference's report are called in results (docs/from-accel-sim.md). Lines that are one figure each have it from
 * the table that prints them; the rest is said here. A test compares every figure with the formula that stands beside it.
 */
#include "accelsim-priv.h"

#include <string.h>

#define CACHE(name, type)                                                                          \
    {name "_total_cache_accesses", type ".accesses", ""},                                          \
        {name "_total_cache_misses", type ".misses", ""},                                          \
        {name "_total_cache_miss_rate", type ".misses / " type ".accesses", ""},                   \
        {name "_total_cache_pending_hits", type ".pending_hits", ""},                              \
    {                                                                                              \
        name "_total_cache_reservation_fails", type ".reservation_fails", ""                       \
    }

/* Caches of which there is no such trace, or which cannot be told apart by their type. */
#define SAID(name, why)                                                                            \
    {                                                                                              \
        name "_total_cache_*", "", why                                                             \
    }

#define NETWORK(name, which, sent)                                                                 \
    {name "_Network_injected_packets_num", sent, ""},                                              \
        {name "_Network_cycles", "xbar.local.transfers." which, ""},                               \
        {name "_Network_injected_packets_per_cycle", sent " / xbar.local.transfers." which, ""},   \
        {name "_Network_conflicts_per_cycle",                                                      \
         "xbar.local.conflicts." which " / xbar.local.transfers." which, ""},                      \
        {name "_Network_conflicts_per_cycle_util",                                                 \
         "xbar.local.active_conflicts." which " / xbar.local.active_transfers." which, ""},        \
        {name "_Bank_Level_Parallism",                                                             \
         "xbar.local.active_packets." which " / xbar.local.active_transfers." which, ""},          \
        {name "_Network_in_buffer_full_per_cycle", "", "packets that found no room, a cycle"},     \
        {name "_Network_in_buffer_avg_util", "",                                                   \
         "xbar.local.input_occupancy." which " by cycles and nodes"},                              \
        {name "_Network_out_buffer_full_per_cycle",                                                \
         "xbar.local.output_full." which " / xbar.local.transfers." which, ""},                    \
    {                                                                                              \
        name "_Network_out_buffer_avg_util", "",                                                   \
            "xbar.local.output_occupancy." which " by cycles and nodes"                            \
    }

/* Before the lines of accelsim.c's table. */
static const WwAccelsimLine before[] = {
    {"Processing kernel", "",
     "the kernel's file; it and what follows up to 'launching' when it is "
     "read"},
    {"-kernel name", "", "kernels[].name"},
    {"-kernel id", "", "kernels[].uid"},
    {"-grid dim", "", "kernels[].grid"},
    {"-block dim", "", "kernels[].block"},
    {"-shmem", "", "of the trace's header: 'warpwright trace info'"},
    {"-nregs", "", "the same"},
    {"-binary version", "", "the same"},
    {"-cuda stream id", "", "kernels[].stream"},
    {"Header info loaded for kernel command", "", "the kernel's file"},
    {"launching kernel name", "", "kernels[].name, uid, stream"},
    {"launching memcpy command", "", "a copy of the list"},
    {"Flushed L2 caches...", "", "l2_flush.cycles, so often; as the next"},
    {"Dirty lines flushed from L2 N is N", "", "always 0: nothing was ever written back so"},
    {"kernel_name", "", "kernels[].name"},
    {"kernel_launch_uid", "kernels[].uid", ""},
    {"kernel_stream_id", "kernels[].stream", ""},
    {"gpu_sim_cycle", "kernels[].cycles", ""},
    {"gpu_sim_insn", "kernels[].thread_instructions", ""},
    {"gpu_ipc", "kernels[].thread_instructions / kernels[].cycles", ""},
    {"gpu_tot_sim_cycle", "kernels[].end_cycle", ""},
    {"gpu_tot_sim_insn", "total.thread_instructions", ""},
    {"gpu_tot_ipc", "total.thread_instructions / kernels[].end_cycle", ""},
    {"gpu_tot_issued_cta", "kernel_queue.ctas_issued", ""},
    {"gpu_occupancy", "",
     "always -nan: measured for the power model only; here occupancy is in the "
     "summary"},
    {"gpu_tot_occupancy", "", "the same"},
    {"max_total_param_size", "", "always 0: traces have no parameters"},
    {"gpu_stall_dramfull", "l2_slice.stall_dramfull", ""},
    {"gpu_stall_icnt2sh", "l2_slice.stall_icnt2sh", ""},
    {"partiton_level_parallism", "l2_slice.accepted / kernels[].cycles", "of the kernel"},
    {"partiton_level_parallism_total", "l2_slice.accepted / kernels[].end_cycle", ""},
    {"partiton_level_parallism_util", "l2_slice.accepted / arrival_meter.cycles", "of the kernel"},
    {"partiton_level_parallism_util_total", "l2_slice.accepted / arrival_meter.cycles", ""},
    {"L2_BW", "", "l2_slice.replies of the kernel, each 32 bytes, by its time at core_clock"},
    {"L2_BW_total", "", "the same since the beginning"},
    {"gpu_total_sim_rate", "", "with --host"},
    SAID("L0I", "modern SMs: --stats '*.l0i_tags': cache.l1 behind icache.l0"),
    SAID("L1I", "--stats '*.l1i_cache': cache.l1 behind icache.l1i; modern SMs: '*.sm[*].l1', "
                "of code and constants"),
    {"L1D_cache_core[N]", "", "--stats '*.l1d': the cache.l1 of each cluster"},
    CACHE("L1D", "cache.l1"),
    {"L1D_cache_data_port_util", "cache.l1.data_port_busy / cache.l1.port_samples", ""},
    {"L1D_cache_fill_port_util", "cache.l1.fill_port_busy / cache.l1.port_samples", ""},
    SAID("L1C", "modern SMs: --stats '*.constants[*]': cache.l1 of LDC; others: always 0"),
    SAID("L1T", "modern SMs: --stats '*.textures[*]': cache.texture; others: always 0"),
    {"Total_core_cache_stats_breakdown[TYPE][OUTCOME]", "",
     "cache.l1.outcomes.TYPE.OUTCOME without L0 caches; TOTAL_ACCESS is HIT + HIT_RESERVED + MISS "
     "+ SECTOR_MISS"},
    {"Total_core_cache_fail_stats_breakdown[TYPE][WHY]", "", "cache.l1.fails.TYPE.WHY"},
    {"ctas_completed", "", "kernel_queue.ctas_completed at that moment"},
    {"warp_id", "", "of SM gpu.report.issue_sm; the line below: warp slots"},
    {"distro", "", "warp_scheduler.warp_issue of that SM: --stats '*.issue*:warp_issue'"},
};

static const WwAccelsimLine after[] = {
    {"Stall:N W0_Idle:N W0_Scoreboard:N WN:N ...", "",
     "warp_scheduler.stall, idle, scoreboard_wait, issued by active lanes; causes in more detail: "
     "warp_scheduler.cause"},
    {"single_issue_nums", "", "warp_scheduler.single_issue by number of the scheduler"},
    {"dual_issue_nums", "", "warp_scheduler.dual_issue by number of the scheduler"},
    {"traffic_breakdown_coretomem[TYPE]", "",
     "ldst_unit.traffic + cache.l1.traffic: bytes, and packets by size; modern SMs: "
     "ldst.shared.traffic, cache.texture.traffic, too"},
    {"traffic_breakdown_memtocore[TYPE]", "", "cluster_port.traffic"},
    {"maxmflatency", "cluster_port.latency_max", ""},
    {"max_icnt2mem_latency", "l2_slice.icnt2mem_max", ""},
    {"maxmrqlatency", "dram.frfcfs.mrq_latency_max", ""},
    {"max_icnt2sh_latency", "cluster_port.reply_max", ""},
    {"averagemflatency", "latency_meter.folded_sum / latency_meter.folded", "cut off"},
    {"avg_icnt2mem_latency", "l2_slice.icnt2mem_sum / latency_meter.folded", "cut off"},
    {"avg_mrq_latency", "dram.frfcfs.mrq_latency_sum / dram.frfcfs.selections", "cut off"},
    {"avg_icnt2sh_latency", "cluster_port.reply_sum / latency_meter.folded", "cut off"},
    {"mrq_lat_table", "", "dram.frfcfs.mrq_latency_table"},
    {"dq_lat_table", "", "always 0: never counted there"},
    {"mf_lat_table", "", "cluster_port.latency_table"},
    {"icnt2mem_lat_table", "", "l2_slice.icnt2mem_table"},
    {"icnt2sh_lat_table", "", "cluster_port.reply_table"},
    {"mf_lat_pw_table", "", "latency_meter.window_table"},
    {"maximum concurrent accesses to same row", "", "dram.frfcfs.bank_most_of_a_row, by channel"},
    {"maximum service time to same row", "", "dram.frfcfs.bank_service_max, by channel"},
    {"average row accesses per activate", "",
     "dram.frfcfs.bank_selections / dram.frfcfs.bank_row_changes, by channel"},
    {"average row locality", "", "the same of all channels"},
    {"number of total memory accesses made", "", "always 0: never counted there"},
    {"number of total read accesses", "", "dram.frfcfs.bank_reads, by channel"},
    {"number of total write accesses", "", "dram.frfcfs.bank_writes, by channel"},
    {"total accesses", "", "always 0: never counted there"},
    {"total dram reads", "dram.frfcfs.bank_reads", ""},
    {"total dram writes", "dram.frfcfs.bank_writes", ""},
    {"bank skew", "", "most by least of the table above"},
    {"chip skew", "", "the same of channels"},
    {"min_bank_accesses", "", "there is a bank without any"},
    {"min_chip_accesses", "", "the same of channels"},
    {"average mf latency per bank", "", "round trips of a bank by what DRAM moved for them"},
    {"maximum mf latency per bank", "", "the longest"},
    {"dram[N]", "", "a channel's row of the table above"},
    {"Memory Partition N", "", "of channel N, --stats '*.channel[N].dram', up to the next one"},
    {"Cache L2_bank_N", "", "nothing"},
    {"MSHR contents", "", "nothing"},
    {"In Dram Latency Queue (total = N)", "", "dram.frfcfs.n_sent without dram.frfcfs.n_req"},
    {"DRAM[N]", "", "parameters of channel.dram"},
    {"n_cmd=N n_nop=N n_act=N n_pre=N n_ref_event=N n_req=N n_rd=N n_rd_L2_A=N n_write=N n_wr_bk=N "
     "bw_util=N",
     "",
     "dram.frfcfs.n_cmd, n_nop, n_act, n_pre, n_req, n_rd, n_rd_l2_a, n_write, n_wr_bk; bw_util: "
     "dram.frfcfs.bw_util / n_cmd"},
    {"n_activity=N dram_eff=N", "", "dram.frfcfs.n_activity; dram.frfcfs.bw_util by it"},
    {"bkN: Na Ni ...", "", "dram.frfcfs.n_access, and cycles in which the bank was idle"},
    {"Row_Buffer_Locality", "", "dram.frfcfs.row_hits / dram.frfcfs.selections"},
    {"Row_Buffer_Locality_read", "", "dram.frfcfs.read_hits / dram.frfcfs.reads_selected"},
    {"Row_Buffer_Locality_write", "", "dram.frfcfs.write_hits / dram.frfcfs.writes_selected"},
    {"Bank_Level_Parallism", "", "dram.frfcfs.occupied / dram.frfcfs.occupied_cycles"},
    {"Bank_Level_Parallism_Col", "", "dram.frfcfs.open / dram.frfcfs.open_cycles"},
    {"Bank_Level_Parallism_Ready", "", "dram.frfcfs.ready / dram.frfcfs.ready_cycles"},
    {"write_to_read_ratio_blp_rw_average", "", "dram.frfcfs.write_share / dram.frfcfs.open_cycles"},
    {"GrpLevelPara", "", "dram.frfcfs.open_groups / dram.frfcfs.open_cycles"},
    {"bwutil", "", "dram.frfcfs.bw_util / dram.frfcfs.n_cmd"},
    {"total_CMD", "", "dram.frfcfs.n_cmd"},
    {"util_bw", "", "dram.frfcfs.util_bw"},
    {"Wasted_Col", "", "dram.frfcfs.wasted_col"},
    {"Wasted_Row", "", "dram.frfcfs.wasted_row"},
    {"Idle", "", "dram.frfcfs.idle"},
    {"RCDc_limit", "", "dram.frfcfs.limits, and so the lines up to RTWc_limit_alone"},
    {"RCDWRc_limit", "", "the same"},
    {"WTRc_limit", "", "the same"},
    {"RTWc_limit", "", "the same"},
    {"CCDLc_limit", "", "the same"},
    {"rwq", "", "the same"},
    {"CCDLc_limit_alone", "", "the same"},
    {"WTRc_limit_alone", "", "the same"},
    {"RTWc_limit_alone", "", "the same"},
    {"n_nop", "", "dram.frfcfs.n_nop"},
    {"Read", "", "dram.frfcfs.n_rd"},
    {"Write", "", "dram.frfcfs.n_write"},
    {"L2_Alloc", "", "dram.frfcfs.n_rd_l2_a"},
    {"L2_WB", "", "dram.frfcfs.n_wr_bk"},
    {"n_act", "", "dram.frfcfs.n_act"},
    {"n_pre", "", "dram.frfcfs.n_pre"},
    {"n_ref", "", "always 0: there is no refresh"},
    {"n_req", "", "dram.frfcfs.n_req"},
    {"total_req", "", "dram.frfcfs.n_rd + n_write + n_rd_l2_a + n_wr_bk"},
    {"issued_total_row", "", "dram.frfcfs.row_commands"},
    {"issued_total_col", "", "dram.frfcfs.column_commands"},
    {"Row_Bus_Util", "", "dram.frfcfs.row_commands / dram.frfcfs.n_cmd"},
    {"CoL_Bus_Util", "", "dram.frfcfs.column_commands / dram.frfcfs.n_cmd"},
    {"Either_Row_CoL_Bus_Util", "",
     "row and column commands without dram.frfcfs.both_commands, by "
     "n_cmd"},
    {"Issued_on_Two_Bus_Simul_Util", "", "dram.frfcfs.both_commands / dram.frfcfs.n_cmd"},
    {"issued_two_Eff", "", "dram.frfcfs.both_commands by cycles with either"},
    {"queue_avg", "", "dram.frfcfs.queue_sum / dram.frfcfs.n_cmd"},
    {"dram_util_bins", "", "always 0: never counted there"},
    {"dram_eff_bins", "", "always 0: never counted there"},
    {"mrqq: max=N avg=N", "", "dram.frfcfs.queue_max; dram.frfcfs.queue_sum by n_cmd"},
    {"L2_cache_bank[N]", "", "--stats '*.l2[*]': cache.l2 of each slice"},
    CACHE("L2", "cache.l2"),
    {"L2_cache_stats_breakdown[TYPE][OUTCOME]", "",
     "cache.l2.outcomes.TYPE.OUTCOME; TOTAL_ACCESS as above"},
    {"L2_cache_stats_fail_breakdown[TYPE][WHY]", "", "cache.l2.fails.TYPE.WHY"},
    {"L2_cache_data_port_util", "cache.l2.data_port_busy / cache.l2.port_samples", ""},
    {"L2_cache_fill_port_util", "cache.l2.fill_port_busy / cache.l2.port_samples", ""},
    {"icnt_total_pkts_mem_to_simt", "",
     "flits of gpu.report.flit_size bytes of what "
     "cluster_port.traffic counts"},
    {"icnt_total_pkts_simt_to_mem", "",
     "the same of ldst_unit.traffic and cache.l1.traffic; modern SMs: ldst.shared.traffic, "
     "cache.texture.traffic, too"},
    {"LD_mem_lat_dist", "", "always 0: never counted there"},
    {"ST_mem_lat_dist", "", "always 0: never counted there"},
    NETWORK("Req", "requests", "ldst_unit.traffic + cache.l1.traffic"),
    NETWORK("Reply", "replies", "l2_slice.replies"),
    {"Class 0", "",
     "network.routed: packets, flits and latencies of a network with routers, to "
     "the end of its tables"},
    {"fingerprint", "", "of ours, with --fingerprint"},
    {"gpgpu_simulation_time", "", "with --host, as the next ones"},
    {"gpgpu_simulation_rate", "", "the same"},
    {"gpgpu_silicon_slowdown", "", "the same: core_clock by simulated cycles a second"},
    {"GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **", "",
     "the status 'limit'"},
    {"GPGPU-Sim: *** simulation thread exiting ***", "", "the run came to its end"},
    {"GPGPU-Sim: *** exit detected ***", "", "the same"},
};

bool ww_accelsim_line(uint32_t i, WwAccelsimLine *out)
{
    if (i < G_N_ELEMENTS(before)) {
        *out = before[i];
        return true;
    }
    i -= G_N_ELEMENTS(before);
    if (accelsim_line(i, out)) {
        return true;
    }
    i -= accelsim_n_lines();
    if (i >= G_N_ELEMENTS(after)) {
        return false;
    }
    *out = after[i];
    return true;
}
