/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that stop early: limits, hangs, errors. Each says why, and leaves nothing half written. */
#include "tests.h"

#include <string.h>

static void test_limit(void)
{
    const char *path = tool_path("limit.json");
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--max-cycles=5010", "-o", path, tool_trace(2), NULL);
    tool_status(&t, 1);
    tool_says(
        &t, t.err,
        "warpwright: stopped in cycle 5,010, the limit of --max-cycles; results are partial\n");
    tool_says(&t, t.out, "(partial: limit)");
    tool_says(&t, t.out, "not finished");
    g_autofree char *text = tool_read(path);
    g_assert_nonnull(strstr(text, "\"status\": \"limit\""));
    g_assert_nonnull(strstr(text, "\"partial\": true"));
    g_assert_nonnull(strstr(text, "\"cycles\": 5010"));
}

/* A memory that answers nothing: the report says who waits for whom, and what the memory says of itself. */
static void test_hang(void)
{
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100_ideal", "-m", tool_module("hole"), "-s",
                 "cluster.memory=memory.hole", "--report=accelsim", tool_trace(1), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err, "warpwright: hang in cycle ");
    tool_says(&t, t.err, "who waits for whom");
    tool_says(&t, t.err, "gpu.cluster[0].memory[0]: takes nothing, ever");
    tool_says(&t, t.out, "kernel_name = kernel_1");
    g_assert_null(strstr(t.out, "exit detected"));
}

static void test_stuck(void)
{
    g_auto(Tool) t = tool_run("run", "-c", "qv100_ideal", "-m", tool_module("hole"), "-s",
                              "cluster.memory=memory.hole", "-s", "memory.spin=true",
                              "--hang-limit=9000", "--report=none", tool_trace(1), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err, "no instruction completed in 9000 cycles");
    tool_says(&t, t.err, "gpu.cluster[0].memory[0]: takes nothing, ever");
}

/* A Volta SM has no uniform datapath: the error says opcode, place and unit, and no results are written. */
static void test_impossible(void)
{
    const char *folder = tool_trace(1), *path = tool_path("failed.json"),
               *bad = tool_path("uniform.traceg");
    g_autofree char *from = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_auto(GStrv) halves = g_strsplit(text, "R5 FFMA", -1);
    g_autofree char *spoilt = g_strjoinv("R5 UIADD3", halves);
    char *version = strstr(spoilt, "version = 70");
    memcpy(version, "version = 80", strlen("version = 80"));
    g_assert_true(g_file_set_contents(bad, spoilt, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "-o", path, bad, NULL);
    tool_refuses(&t, "uniform.traceg:");
    tool_says(&t, t.err, "UIADD3");
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void test_truncated(void)
{
    const char *folder = tool_trace(1), *bad = tool_path("short.traceg");
    g_autofree char *from = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    text[strlen(text) / 2] = '\0';
    g_assert_true(g_file_set_contents(bad, text, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", bad, NULL);
    tool_refuses(&t, "short.traceg:");
}

/* A checkpoint behind the limit: there is no cycle to run. */
static void test_behind_limit(void)
{
    const char *saved = tool_path("limit.ckpt"), *trace = tool_trace(1);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--max-cycles=60", "--report=none",
                              "--checkpoint", saved, "--checkpoint-at=50", trace, NULL);
    tool_status(&t, 1);
    g_auto(Tool) before = tool_run("run", "-c", "qv100", "--max-cycles=49", "--report=none",
                                   "--restore", saved, trace, NULL);
    tool_refuses(&before, "limit.ckpt: the checkpoint is at cycle 50, beyond --max-cycles 49; "
                          "expected a limit that is not over\n");
    g_auto(Tool) at = tool_run("run", "-c", "qv100", "--max-cycles=50", "--report=none",
                               "--restore", saved, trace, NULL);
    tool_status(&at, 1);
    tool_says(&at, at.err, "stopped in cycle 50, the limit of --max-cycles");
}

/* An event log in which nothing is, is told with what was asked for. */
static void test_no_event(void)
{
    static const char *const logs[] = {"none.log", "none.log.zst"};
    for (size_t i = 0; i < G_N_ELEMENTS(logs); i++) {
        const char *log = tool_path(logs[i]);
        g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "--events", log,
                                  "--events-filter=warp=99999", tool_trace(1), NULL);
        tool_status(&t, 0);
        tool_says(&t, t.err, ": no event fits --events-filter=warp=99999; the log is empty\n");
        g_assert_true(g_file_test(log, G_FILE_TEST_EXISTS));
        g_auto(Tool) some = tool_run("run", "-c", "qv100", "--report=none", "--events", log,
                                     "--events-filter=kind=kernel", tool_trace(1), NULL);
        g_assert_null(strstr(some.err, "the log is empty"));
    }
    g_auto(Tool) nobody = tool_run("run", "-c", "qv100", "--report=none", "--events", "/dev/null",
                                   tool_trace(1), NULL);
    g_assert_null(strstr(nobody.err, "the log is empty"));
}

void add_stop_tests(void)
{
    g_test_add_func("/cli/stop/limit", test_limit);
    g_test_add_func("/cli/stop/behind-limit", test_behind_limit);
    g_test_add_func("/cli/stop/no-event", test_no_event);
    g_test_add_func("/cli/stop/hang", test_hang);
    g_test_add_func("/cli/stop/stuck", test_stuck);
    g_test_add_func("/cli/stop/impossible", test_impossible);
    g_test_add_func("/cli/stop/truncated", test_truncated);
}
