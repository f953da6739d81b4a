/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals: the first one ends a run with what there is, or names who does not let it end; it acts at once, whatever is being done.
 * Nothing half written stays.
 */
#include "tests.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_ONCE                                                                                    \
    20 /* seconds: far more than it takes on a machine with other work, less than any run here would */

/* A run that cannot end: the memory spins and nothing completes. It runs when its first line of plain progress comes. */
static ToolRun start_endless(const char *output)
{
    ToolRun run =
        tool_start(TOOL_NULL, "run", "-c", "qv100_ideal", "-m", tool_module("hole"), "-s",
                   "cluster.memory=memory.hole", "-s", "memory.spin=true", "--hang-limit=0",
                   "--progress=plain", "-o", output, tool_trace(1), NULL);
    tool_until(&run, "cycle ");
    tool_until(&run, "\n");
    return run;
}

static Tool end_by(ToolRun *run, int signal)
{
    gint64 begin = g_get_monotonic_time();
    kill(run->pid, signal);
    Tool t = tool_end(run);
    g_assert_cmpint(g_get_monotonic_time() - begin, <, AT_ONCE * G_USEC_PER_SEC);
    return t;
}

/* The first signal ends the run at a tick boundary, with what there is. */
static void ends(int signal)
{
    const char *path = tool_path("signal.json");
    ToolRun run = start_endless(path);
    g_auto(Tool) t = end_by(&run, signal);
    tool_status(&t, 1);
    tool_says(&t, t.err, "warpwright: interrupted in cycle ");
    g_autofree char *text = tool_read(path);
    g_assert_nonnull(strstr(text, "\"status\": \"interrupted\""));
    g_assert_nonnull(strstr(text, "\"partial\": true"));
    g_unlink(path);
}

static void test_interrupt(void)
{
    ends(SIGINT);
    ends(SIGTERM);
    ends(SIGHUP);
}

/* SIGUSR1 asks, and ends nothing. */
static void test_question(void)
{
    const char *path = tool_path("question.json");
    ToolRun run = start_endless(path);
    kill(run.pid, SIGUSR1);
    tool_until(&run, "warpwright: kernel 1 of 1 kernel_1, 0 of 4 CTAs (4 running), cycle ");
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 1);
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* ---- where nothing looks at a flag by itself ---------------------------------------------------------------------- */

/* A list that does not end for hours: there is nothing to keep yet, and the process ends. */
static void test_endless(void)
{
    const char *list = tool_path("endless.g");
    tool_make_endless(list);
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", list, NULL);
    tool_until_busy(&run, 0.5);
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 128 + SIGINT);
    tool_says(&t, t.err, "warpwright: interrupted\n");
}

/* A terabyte takes hours, in one tick. */
static void test_copy(void)
{
    const char *list = tool_path("copy.g"), *path = tool_path("copy.json");
    g_autofree char *kernel = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(kernel);
    g_assert_true(g_file_set_contents(tool_path("kernel-copy.traceg"), text, -1, NULL));
    g_assert_true(g_file_set_contents(
        list, "MemcpyHtoD,0x0000000100000000,1099511627776\nkernel-copy.traceg\n", -1, NULL));
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "-o", path, list, NULL);
    tool_until_busy(&run, 1);
    g_auto(Tool) t = end_by(&run, SIGTERM);
    tool_status(&t, 1);
    tool_says(&t, t.err, "results are partial");
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* ---- who does not let it end -------------------------------------------------------------------------------------- */

static Tool stuck(const char *how)
{
    g_autofree char *value = g_strdup_printf("sm.issue[*].policy.how=%s", how);
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "--sms=1", "-m", tool_module("crash"),
                             "-s", "sm.scheduler=scheduler.crash", "-s", value, "--events",
                             tool_path("stuck.events"), "--progress=none", tool_trace(1), NULL);
    tool_until(&run, "here it stays\n");
    return end_by(&run, SIGINT);
}

/* The first signal names module, function and component; the half-written event log goes. */
static void names(const char *how, const char *where)
{
    g_auto(Tool) t = stuck(how);
    g_autofree char *begin =
        g_strdup_printf("warpwright: interrupted: module %s was at work in ", tool_module("crash"));
    tool_status(&t, 128 + SIGINT);
    tool_says(&t, t.err, begin);
    tool_says(&t, t.err, where);
    tool_says(&t, t.err, "component gpu.cluster[0].sm[0].issue[");
    g_autofree char *folder = g_path_get_dirname(tool_path("x"));
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *file;
    while ((file = g_dir_read_name(dir)) != NULL) {
        g_assert_null(strstr(file, "stuck.events"));
    }
}

static void test_stuck_module(void)
{
    names("loop", "does not come to an end; results are lost\n");
    names("loop", " of type scheduler.crash, ");
    names("wait", "does not come to an end; results are lost\n");
    names("init_loop", ", during init\n");
}

/* A second signal does not wait for anything: here results cannot be written, because nobody reads the report. */
static void test_second_signal(void)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    ToolRun run = tool_start(ends[1], "run", "-c", "qv100", "--report=accelsim", "--progress=none",
                             tool_trace(3), NULL);
    close(ends[1]);
    struct stat st;
    char first;
    g_assert_cmpint(read(ends[0], &first, 1), ==, 1); /* its report is longer than the pipe */
    g_assert_cmpint(fstat(ends[0], &st), ==, 0);
    g_autofree char *wait = g_strdup_printf("/proc/%d/stat", (int)run.pid);
    for (char state = 'R'; state != 'S';) { /* sleeps: the pipe is full */
        g_autofree char *text = tool_read(wait);
        state = strrchr(text, ')')[2];
        g_usleep(2000);
    }
    kill(run.pid, SIGINT);
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 128 + SIGINT);
    close(ends[0]);
}

void add_signal_tests(void)
{
    g_test_add_func("/cli/signals/interrupt", test_interrupt);
    g_test_add_func("/cli/signals/question", test_question);
    g_test_add_func("/cli/signals/endless", test_endless);
    g_test_add_func("/cli/signals/copy", test_copy);
    g_test_add_func("/cli/signals/stuck-module", test_stuck_module);
    g_test_add_func("/cli/signals/second-signal", test_second_signal);
}
