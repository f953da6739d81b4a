/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory side of the reference's report, against lines of the reference's own: of the second kernel of a program, so that
 * figures of an interval and of the whole run differ.
 */
#include "tests.h"

#include <stdlib.h>
#include <string.h>

/* Sections of lines that follow each other, divided by "%%". */
static void assert_sections(const char *text, const char *golden)
{
    g_auto(GStrv) section = g_strsplit(golden, "\n%%\n", -1);
    for (size_t i = 0; section[i] != NULL; i++) {
        g_autofree char *lines = g_strdup_printf("\n%s\n", section[i]);
        const char *at = strstr(text, lines);
        if (at == NULL) {
            g_error("missing, or out of order:%s", lines);
        }
        text = at + strlen(lines) - 1;
    }
}

static void test_golden(void)
{
    const char *trace = tool_source("tests/traces/hotspot-sm70");
    g_autofree char *golden = tool_read(tool_source("tests/system/cli/report-memory.golden"));
    golden[strlen(golden) - 1] = '\0'; /* its last line's end */
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none",
                                  trace, no_sleep ? "--no-sleep" : NULL, NULL);
        tool_status(&t, 0);
        const char *second = strstr(t.out, "\nkernel_launch_uid = 2 \n");
        g_assert_nonnull(second);
        assert_sections(second, golden);
    }
}

/* No network, no L2, no DRAM: no lines of them. */
static void test_absent(void)
{
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", "-s",
                              "gpu.ideal_memory=true", tool_trace(1), NULL);
    tool_status(&t, 0);
    static const char *const lines[] = {
        "gpu_stall_dramfull", "L2_BW", "L2_total", "n_cmd=", "Network", "icnt_total_pkts"};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_assert_null(strstr(t.out, lines[i]));
    }
}

/* A channel without banks and commands has their lines, with zeroes, as in the reference; the rest stays. */
static void test_other_dram(void)
{
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", "-s",
                              "channel.memory=dram.simple", tool_trace(1), NULL);
    tool_status(&t, 0);
    tool_says(
        &t, t.out,
        "DRAM[0]: 16 bks, busW=16 BL=2 CL=12, tRRD=3 tCCD=1, tRCD=12 tRAS=28 tRP=12 tRC=40\n");
    tool_says(&t, t.out, "\nmrqq: max=0 avg=-nan\n");
    tool_says(&t, t.out, "\nn_cmd=0 ");
    tool_says(&t, t.out, "\nmaxmrqlatency = 0 \n");
    tool_says(&t, t.out, "\naverage row locality = 0/0 = -nan\n");
    tool_says(&t, t.out, "\nL2_total_cache_accesses = ");
    tool_says(&t, t.out, "\nReply_Network_injected_packets_num = ");
    g_auto(Tool) late = tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", "-s",
                                 "channel.memory=dram.simple", "-s", "channel.dram.latency=3000",
                                 "-s", "gpu.kernels.max_cycles=6000", tool_trace(1), NULL);
    tool_status(&late, 0);
    tool_says(&late, late.out, "\nIn Dram Latency Queue (total = 4): \n");
}

/*
 * Requests on their way into the channels when a run stops in the middle, by channel: the reference's figures of this trace with
 * -gpgpu_max_cycle 5600. Others have entered by then, and moved data.
 */
static void test_latency_queue(void)
{
    static const unsigned expected[32] = {2, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    static const char line[] = "\nIn Dram Latency Queue (total = ";
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", "-s",
                 "gpu.kernels.max_cycles=5600", tool_source("tests/traces/hotspot-sm70"), NULL);
    tool_status(&t, 0);
    const char *at = t.out;
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        at = strstr(at, line);
        g_assert_nonnull(at);
        at += strlen(line);
        g_assert_cmpuint(strtoul(at, NULL, 10), ==, expected[i]);
    }
    g_assert_null(strstr(at, line));
}

void add_report_memory_tests(void)
{
    g_test_add_func("/cli/report/memory/golden", test_golden);
    g_test_add_func("/cli/report/memory/latency-queue", test_latency_queue);
    g_test_add_func("/cli/report/memory/absent", test_absent);
    g_test_add_func("/cli/report/memory/other-dram", test_other_dram);
}
