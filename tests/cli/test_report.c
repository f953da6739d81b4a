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
    g_test_add_func("/cli/report/occupancy", test_occupancy);
}
