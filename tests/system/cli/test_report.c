/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's report: what its scrapers read, in its order. */
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>

/* Every part stands in @p text, each after the one before. */
static void in_order(const char *text, const char *const *parts)
{
    for (; *parts != NULL; parts++) {
        const char *at = strstr(text, *parts);
        if (at == NULL) {
            g_error("'%s' is missing, or out of order", *parts);
        }
        text = at + strlen(*parts);
    }
}

static void test_layout(void)
{
    static const char *const lines[] = {
        "\nkernel_name = kernel_1 \nkernel_launch_uid = 1 \nkernel_stream_id = 0\ngpu_sim_cycle = ",
        "\ngpu_sim_insn = 1024\ngpu_ipc = ",
        "\ngpu_tot_sim_cycle = ",
        "\ngpu_tot_sim_insn = 1024\ngpu_tot_ipc = ",
        "\ngpu_tot_issued_cta = 4\n",
        "gpu_occupancy = -nan% \ngpu_tot_occupancy = -nan% \nmax_total_param_size = 0\n",
        "\n========= Core cache stats =========\nL1I_cache:\n\tL1I_total_cache_accesses = 0\n",
        "\tL1I_total_cache_reservation_fails = 0\nL1D_cache:\n\tL1D_cache_core[0]: Access = ",
        "\tL1D_cache_core[79]: Access = ",
        "\tL1D_total_cache_accesses = 64\n\tL1D_total_cache_misses = ",
        "\tL1D_total_cache_miss_rate = ",
        "\tL1D_cache_data_port_util = ",
        "\tL1D_cache_fill_port_util = ",
        "\nL1C_cache:\n\tL1C_total_cache_accesses = 0\n",
        "\nL1T_cache:\n\tL1T_total_cache_accesses = 0\n",
        "\n\nTotal_core_cache_stats:\n\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = ",
        "\tTotal_core_cache_stats_breakdown[L2_WR_ALLOC_R][MSHR_HIT] = 0\n",
        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = 32\n",
        "\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 32\n",
        "\nTotal_core_cache_fail_stats:\n",
        "ctas_completed 4, Shader 0 warp_id issue ditsribution:\nwarp_id:\n",
        "\ngpgpu_n_mem_read_global = 16\n", /* each of four SMs fetches four sectors, once */
        "gpgpu_n_mem_write_global = 32\n",
        "gpgpu_n_load_insn  = 256\ngpgpu_n_store_insn = 256\n",
        "\nWarp Occupancy Distribution:\nStall:",
        "\nsingle_issue_nums: WS0:",
        "\ndual_issue_nums: WS0:0\tWS1:0\tWS2:0\tWS3:0\t\n",
        "traffic_breakdown_coretomem[GLOBAL_ACC_R] = 128 {8:16,}\n",
        "traffic_breakdown_coretomem[GLOBAL_ACC_W] = 1280 {40:32,}\n",
        "traffic_breakdown_memtocore[GLOBAL_ACC_R] = 640 {40:16,}\n",
        "traffic_breakdown_memtocore[GLOBAL_ACC_W] = 256 {8:32,}\n",
        "maxmflatency = ",
        " \nmax_icnt2mem_latency = ",
        " \nmax_icnt2sh_latency = ",
        " \naveragemflatency = ",
        " \navg_icnt2sh_latency = ",
        "\nmf_lat_table:0 \t",
        "\nicnt2sh_lat_table:",
        "\nmf_lat_pw_table:",
        NULL,
    };
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", tool_trace(2), NULL);
    tool_status(&t, 0);
    in_order(t.out, lines);
    g_auto(Tool) awake = tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none",
                                  "--no-sleep", tool_trace(2), NULL);
    g_assert_cmpstr(t.out, ==, awake.out);
}

/* What is nothing over nothing has no value; a machine without such caches has no lines for them. */
static void test_absent(void)
{
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", "-s",
                 "gpu.ideal_memory=true", "-s", "sm.has_l1d=false", tool_trace(1), NULL);
    tool_status(&t, 0);
    g_assert_null(strstr(t.out, "L1D"));
    g_assert_null(strstr(t.out, "memtocore"));
    g_assert_null(strstr(t.out, "mf_lat_table"));
    g_assert_null(strstr(t.out, "breakdown[GLOBAL_ACC_R]"));
    tool_says(&t, t.out, "gpgpu_n_mem_read_global = 32\n"); /* nothing merges */
    tool_says(&t, t.out, "traffic_breakdown_coretomem[GLOBAL_ACC_R] = 256 {8:32,}\n");
    g_auto(Tool) idle =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", tool_trace(1), NULL);
    tool_says(&idle, idle.out,
              "\tL1D_cache_core[4]: Access = 0, Miss = 0, Miss_rate = -nan, Pending_hits = 0, "
              "Reservation_fails = 0\n"); /* four CTAs, one a cluster */
}

/* The trace of two kernels, the second in a stream of its own. */
static const char *two_streams(void)
{
    const char *from = tool_trace(2), *to = tool_path("streams");
    static const char *const files[] = {"kernelslist.g", "kernel-1.traceg", "kernel-2.traceg"};
    g_assert_cmpint(g_mkdir(to, 0777), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *old = g_build_filename(from, files[i], NULL);
        g_autofree char *new = g_build_filename(to, files[i], NULL);
        g_autofree char *text = tool_read(old);
        g_auto(GStrv) parts = g_strsplit(text, "-cuda stream id = 0", -1);
        g_autofree char *other = g_strjoinv("-cuda stream id = 7", parts);
        g_assert_true(g_file_set_contents(new, i == 2 ? other : text, -1, NULL));
    }
    return to;
}

/* The tables of outcomes are those of the kernel's stream, the totals those of all. */
static void test_streams(void)
{
    g_auto(Tool) one =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", tool_trace(2), NULL);
    const char *second = strstr(one.out, "kernel_launch_uid = 2");
    g_assert_nonnull(second);
    tool_says(&one, second, "stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 64\n");
    tool_says(&one, second, "L1D_total_cache_accesses = 128\n");
    g_auto(Tool) two =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", two_streams(), NULL);
    tool_status(&two, 0);
    second = strstr(two.out, "kernel_launch_uid = 2 \nkernel_stream_id = 7\n");
    g_assert_nonnull(second);
    tool_says(&two, second, "stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = 32\n");
    tool_says(&two, second, "L1D_total_cache_accesses = 128\n");
}

static guint times(const char *text, const char *line)
{
    guint n = 0;
    for (; (text = strstr(text, line)) != NULL; text++) {
        n++;
    }
    return n;
}

#define REPORT(...)                                                                                \
    tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", __VA_ARGS__, NULL)

/* Settings of the machine's `report`: what is left out, what is counted how, whose issues are shown. */
static void test_settings(void)
{
    g_auto(Tool) plain = REPORT(tool_trace(1));
    tool_says(&plain, plain.out,
              "\nicnt_total_pkts_mem_to_simt=48\nicnt_total_pkts_simt_to_mem=48\n");
    tool_says(&plain, plain.out, "Shader 0 warp_id issue ditsribution:\nwarp_id:\n0, 1, \n");
    g_auto(Tool) t = REPORT("-s", "gpu.report.latencies=false", "-s", "gpu.report.flit_size=8",
                            "-s", "gpu.report.issue_sm=7", tool_trace(1));
    tool_status(&t, 0);
    static const char *const left_out[] = {"maxmflatency", "mf_lat_pw_table",
                                           "average row locality", "total dram reads",
                                           "maximum mf latency per bank"};
    for (size_t i = 0; i < G_N_ELEMENTS(left_out); i++) {
        tool_says(&plain, plain.out, left_out[i]);
        g_assert_null(strstr(t.out, left_out[i]));
    }
    tool_says(&t, t.out, "\nMemory Partition 0: \n"); /* the channels stay */
    /* a head of 8 bytes each, and 32 of data with 32 stores there and 16 loads back */
    tool_says(&t, t.out, "\nicnt_total_pkts_mem_to_simt=112\nicnt_total_pkts_simt_to_mem=176\n");
    tool_says(&t, t.out, "Shader 7 warp_id issue ditsribution:\nwarp_id:\n\ndistro:\n\n");
    g_auto(Tool) none = REPORT("-s", "gpu.report.issue_sm=80", tool_trace(1));
    tool_status(&none, 2);
    tool_says(&none, none.err,
              "report.issue_sm is 80 and there are 80 SMs; expected one of them, from 0 on\n");
}

/* What the reference says of its flushes of the L2, in each cycle that ends without a thread. */
static void test_flushes(void)
{
    g_auto(Tool) t =
        REPORT("-s", "gpu.flush_l2=true", "-s", "gpu.kernels.launch_latency=9", tool_trace(2));
    tool_status(&t, 0);
    /* cycles 1 to 9 of each kernel, and its last one */
    g_assert_cmpuint(times(t.out, "\nFlushed L2 caches...\nDirty lines flushed from L2 0 is 0\n"),
                     ==, 20);
    g_assert_cmpuint(times(t.out, "\nDirty lines flushed from L2 31 is 0\n"), ==, 20);
    g_assert_null(strstr(t.out, "L2 32 is"));
    /* what was read comes before what came of it */
    g_assert_true(g_str_has_prefix(t.out, "launching memcpy command "));
    const char *first = strstr(t.out, "\nkernel_launch_uid = 1 ");
    g_assert_cmpuint(times(first, "\nFlushed L2"), ==, 10);
}

/* A limit of the machine: the last kernel as far as it came, the reference's line, and no failure. */
static void test_limit(void)
{
    const char *path = tool_path("limit.json");
    g_auto(Tool) t = REPORT("-s", "gpu.kernels.max_cycles=5020", "-o", path, tool_trace(2));
    tool_status(&t, 0);
    tool_says(&t, t.out, "\ngpu_sim_cycle = 5020\n");
    g_assert_null(strstr(t.out, "kernel_launch_uid = 2"));
    tool_says(&t, t.out,
              "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n"
              "GPGPU-Sim: *** simulation thread exiting ***\n");
    tool_says(&t, t.err, "warpwright: stopped in cycle 5,020, at a limit of the machine");
    g_autofree char *json = tool_read(path);
    g_assert_nonnull(strstr(json, "\"status\": \"limit\""));
    g_assert_nonnull(strstr(json, "\"partial\": true"));
    g_auto(Tool) insns = REPORT("-s", "gpu.kernels.max_insns=1024", tool_trace(2));
    tool_status(&insns, 0);
    tool_says(&insns, insns.out, "\ngpu_sim_insn = 1024\n");
    g_assert_null(strstr(insns.out, "kernel_launch_uid = 2"));
    g_auto(Tool) ctas = REPORT("-s", "gpu.kernels.max_ctas=3", tool_trace(2));
    tool_says(&ctas, ctas.out, "\ngpu_tot_issued_cta = 3\n");
}

/* Requests that clusters answer themselves are counted as flits, and nowhere else. */
static void test_perfect(void)
{
    g_auto(Tool) t = REPORT("-s", "gpu.perfect_mem=true", tool_trace(1));
    tool_status(&t, 0);
    tool_says(&t, t.out, "\ngpgpu_n_mem_read_global = 0\n");
    tool_says(&t, t.out, "\nicnt_total_pkts_mem_to_simt=0\nicnt_total_pkts_simt_to_mem=48\n");
    tool_says(&t, t.out, "\nReq_Network_injected_packets_num = 0\nReq_Network_cycles = ");
    tool_says(&t, t.out, "\nL2_total_cache_accesses = 0\n");
    tool_says(&t, t.out, "\nmaxmflatency = 28 \n");
    g_assert_null(strstr(t.out, "traffic_breakdown"));
    g_auto(Tool) awake = REPORT("-s", "gpu.perfect_mem=true", "--no-sleep", tool_trace(1));
    g_assert_cmpstr(t.out, ==, awake.out);
}

/* The share of warp slots in use, of SMs with work. */
static void test_occupancy(void)
{
    const char *path = tool_path("occupancy.json");
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "-o", path, tool_trace(1), NULL);
    tool_status(&t, 0);
    static const char head[] = "\nrates\n    occupancy ";
    const char *line = strstr(t.out, head);
    g_assert_nonnull(line);
    double percent = g_ascii_strtod(line + strlen(head), NULL);
    tool_says(&t, t.out, "\n    L1D hits ");
    tool_says(&t, t.out, "\n    DRAM row hits ");
    g_assert_cmpfloat(percent, >, 100 * 1.0 / 64); /* two warps, of which one may end first */
    g_assert_cmpfloat(percent, <=, 100 * 2.0 / 64 + 0.05);
    g_autofree char *json = tool_read(path);
    g_assert_nonnull(strstr(json, "\"cta_slots.warp_cycles\": "));
    g_assert_nonnull(strstr(json, "\"cta_slots.slot_cycles\": "));
}

void add_report_tests(void)
{
    g_test_add_func("/cli/report/layout", test_layout);
    g_test_add_func("/cli/report/absent", test_absent);
    g_test_add_func("/cli/report/streams", test_streams);
    g_test_add_func("/cli/report/settings", test_settings);
    g_test_add_func("/cli/report/flushes", test_flushes);
    g_test_add_func("/cli/report/limit", test_limit);
    g_test_add_func("/cli/report/perfect", test_perfect);
    g_test_add_func("/cli/report/occupancy", test_occupancy);
}
