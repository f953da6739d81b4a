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

/*
 * What a signal may cost, in processor time: unlike time on the clock, it does not depend on what else the machine does. The
 * kernel counts it in steps of 0.01 s.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AT_ONCE 1.0
#else
#define AT_ONCE 0.22
#endif
#define NEVER_MS 60000 /* without a word after it: it does not end at all */
/*
 * Processor time after which a run is in its first tick, where nothing tells: many times what it takes to get there (0.05 s; 0.6 s of
 * a sanitizer's build on a slow machine).
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IN_FIRST_TICK 5.0
#else
#define IN_FIRST_TICK 1.0
#endif

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

/* It stands still while what it has used is read: else it goes on until whoever runs this test has a processor again. */
static Tool end_by(ToolRun *run, int signal)
{
    GPollFD said = {run->err, G_IO_IN | G_IO_HUP, 0};
    siginfo_t stopped;
    kill(run->pid, SIGSTOP);
    g_assert_cmpint(waitid(P_PID, (id_t)run->pid, &stopped, WSTOPPED | WEXITED | WNOWAIT), ==, 0);
    double busy = tool_busy(run);
    kill(run->pid, signal);
    kill(run->pid, SIGCONT);
    if (g_poll(&said, 1, NEVER_MS) == 0) {
        kill(run->pid, SIGKILL);
        g_error("signal %d did not end it", signal);
    }
    Tool t = tool_end(run);
    g_assert_cmpfloat(t.busy - busy, <, AT_ONCE);
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

/* What a window wrote is drawn for longer than a model may take to answer: it goes on being drawn, and all is kept. */
static void test_drawing(void)
{
    const char *path = tool_path("drawing.json");
    static const char *const names[] = {"drawing.vcd", "drawing.perfetto-trace"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *picture = tool_path(names[i]), *log = tool_path("drawing.log");
        ToolRun run =
            tool_start(TOOL_NULL, "run", "-c", "qv100", "--view", picture, "-o", path, "--events",
                       log, "--progress=none", tool_source("samples/sgemm"), NULL);
        tool_until_written(&run, log);
        kill(run.pid, SIGINT);
        g_auto(Tool) t = tool_end(&run);
        tool_status(&t, 1);
        tool_says(&t, t.err, "warpwright: interrupted in cycle ");
        g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
        g_assert_true(g_file_test(picture, G_FILE_TEST_EXISTS));
        tool_says(&t, t.err, "drawing.log: the event log is partial: it ends in cycle ");
        g_assert_true(g_file_test(log, G_FILE_TEST_EXISTS));
        g_unlink(log);
        g_unlink(path);
        g_unlink(picture);
    }
}

/* SIGUSR1 asks, and ends nothing. */
static void test_question(void)
{
    const char *path = tool_path("question.json");
    ToolRun run = start_endless(path);
    kill(run.pid, SIGUSR1);
    tool_until(&run, "warpwright: kernel 1 of 1 kernel_1, 0 of 4 CTAs (4 running), cycle ");
    tool_until(&run, " with qv100_ideal (so far)\n");
    tool_until(&run, "kernel_1 ");
    tool_until(&run, "  not finished\n");
    tool_until(&run, "issue slots ");
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

/* A trace that begins with a copy of a terabyte, which takes hours, in one tick. */
static const char *with_long_copy(void)
{
    const char *list = tool_path("copy.g");
    g_autofree char *kernel = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(kernel);
    g_assert_true(g_file_set_contents(tool_path("kernel-copy.traceg"), text, -1, NULL));
    g_assert_true(g_file_set_contents(
        list, "MemcpyHtoD,0x0000000100000000,1099511627776\nkernel-copy.traceg\n", -1, NULL));
    return list;
}

static void test_copy(void)
{
    const char *list = with_long_copy(), *path = tool_path("copy.json");
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "-o", path, list, NULL);
    tool_until_busy(&run, IN_FIRST_TICK);
    g_auto(Tool) t = end_by(&run, SIGTERM);
    tool_status(&t, 1);
    tool_says(&t, t.err, "results are partial");
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* A signal that ends the run cuts such a copy short; what a checkpoint then had would be another run. */
static void test_copy_saved(void)
{
    const char *list = with_long_copy(), *path = tool_path("saved.ckpt");
    ToolRun run =
        tool_start(TOOL_NULL, "run", "-c", "qv100", "-j", "2", "--checkpoint", path, list, NULL);
    tool_until_busy(&run, IN_FIRST_TICK);
    kill(run.pid, SIGUSR2);
    g_auto(Tool) t = end_by(&run, SIGTERM);
    tool_status(&t, 1);
    tool_says(&t, t.err, "results are partial");
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* Adds @p text as a compressed frame to @p to. */
static void add_frame(GString *to, const char *name, const char *text, gsize n)
{
    g_autofree char *plain = g_build_filename(tool_path("frames"), name, NULL);
    g_autofree char *folder = g_strconcat(plain, ".packed", NULL);
    g_autofree char *zst = g_build_filename(folder, "kernel-1.traceg.zst", NULL);
    g_autofree char *bytes = NULL;
    gsize size;
    g_mkdir(tool_path("frames"), 0777);
    g_assert_true(g_file_set_contents(plain, text, (gssize)n, NULL));
    g_auto(Tool) t = tool_run("trace", "recompress", "-o", folder, plain, NULL);
    tool_status(&t, 0);
    g_assert_true(g_file_get_contents(zst, &bytes, &size, NULL));
    g_string_append_len(to, bytes, (gssize)size);
}

/* Megabytes of text from a few bytes of a file, within one tick: what was simulated before is kept. */
static void test_unpacking(void)
{
    enum { LINES = 1 << 19, COPIES = 500 };
    static const char line[] = "0010 ffffffff 0 NOP 0 0 \n";
    const char *list = tool_path("unpacking.g"), *path = tool_path("unpacking.json");
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_autoptr(GString) head = g_string_new_len(text, strstr(text, "insts = ") - text);
    g_autoptr(GString) lines = g_string_sized_new(LINES * sizeof line);
    g_autoptr(GString) file = g_string_new(NULL), frame = g_string_new(NULL);
    g_string_append(head, "insts = 268435456\n");
    for (int i = 0; i < LINES; i++) {
        g_string_append(lines, line);
    }
    add_frame(file, "head.traceg", head->str, head->len);
    add_frame(frame, "lines.traceg", lines->str, lines->len);
    for (int i = 0; i < COPIES; i++) { /* frames may be joined */
        g_string_append_len(file, frame->str, (gssize)frame->len);
    }
    g_assert_true(g_file_set_contents(tool_path("kernel-unpacking.traceg"), file->str,
                                      (gssize)file->len, NULL));
    g_assert_true(g_file_set_contents(list, "kernel-unpacking.traceg\n", -1, NULL));
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "-o", path, list, NULL);
    tool_until_busy(&run, IN_FIRST_TICK);
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 1);
    tool_says(&t, t.err, "warpwright: interrupted in cycle ");
    g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* However early it comes: while it reads its arguments, builds the machine, or is in the first ticks. */
static void test_first_ticks(void)
{
    const char *path = tool_path("early.json");
    for (int i = 0; i < 12; i++) {
        ToolRun run =
            tool_start(TOOL_NULL, "run", "-c", "qv100_ideal", "-m", tool_module("hole"), "-s",
                       "cluster.memory=memory.hole", "-s", "memory.spin=true", "--hang-limit=0",
                       "--progress=none", "-o", path, tool_trace(1), NULL);
        tool_until_busy(&run, 0.01 * i);
        g_auto(Tool) t = end_by(&run, SIGINT);
        bool before = t.status == -SIGINT || t.status == 128 + SIGINT; /* nothing to keep yet */
        tool_status(&t, before ? t.status : 1);
        g_assert_cmpint(g_file_test(path, G_FILE_TEST_EXISTS), ==, !before);
        g_unlink(path);
    }
}

/* Results for a FIFO that nobody reads. */
static void test_fifo(void)
{
    const char *path = tool_path("fifo.json");
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "--max-cycles=100", "-o", path,
                             tool_trace(1), NULL);
    tool_until(&run, "the limit of --max-cycles");
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 2);
    tool_says(&t, t.err, "fifo.json': Interrupted system call; expected");
}

/* One that is read gets them, whenever the reader comes. */
static void test_fifo_read(void)
{
    const char *path = tool_path("fifo-read.json");
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "--max-cycles=100", "-o", path,
                             tool_trace(1), NULL);
    tool_until(&run, "the limit of --max-cycles");
    g_autofree char *text = tool_read(path);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 1);
    g_assert_nonnull(strstr(text, "\"status\": \"limit\""));
}

/* A thread sanitizer keeps a signal until the program calls a function that it knows: not in a loop, and not where the library writes. */
static bool are_held_back(void)
{
#if defined(__SANITIZE_THREAD__)
    g_test_skip("a thread sanitizer holds the signal back");
    return true;
#else
    return false;
#endif
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

/* In a thread beside the first, which waits for it. */
static void names_beside(void)
{
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "-j", "2", "--threads-from=1", "-m",
                             tool_module("crash"), "-s", "sm.scheduler=scheduler.crash", "-s",
                             "sm.issue[*].policy.how=loop_beside", "--progress=none",
                             tool_source("tests/traces/vecadd-sm70"), NULL);
    tool_until(&run, "here it stays\n");
    g_auto(Tool) t = end_by(&run, SIGINT);
    tool_status(&t, 128 + SIGINT);
    tool_says(&t, t.err, " was at work in stay of type scheduler.crash, component gpu.cluster[");
    tool_says(&t, t.err, "does not come to an end; results are lost\n");
}

static void test_stuck_module(void)
{
    if (are_held_back()) {
        return;
    }
    names("loop", "does not come to an end; results are lost\n");
    names("loop", " of type scheduler.crash, ");
    names("wait", "does not come to an end; results are lost\n");
    names("init_loop", ", during init\n");
    names_beside();
}

/* A second signal does not wait for anything: here results cannot be written, because nobody reads the report. */
static void test_second_signal(void)
{
    int ends[2];
    if (are_held_back()) {
        return;
    }
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
    kill(run.pid, SIGINT); /* another one than the second: two of a kind that both wait are one */
    g_auto(Tool) t = end_by(&run, SIGTERM);
    tool_status(&t, 128 + SIGTERM);
    close(ends[0]);
}

void add_signal_tests(void)
{
    g_test_add_func("/cli/signals/interrupt", test_interrupt);
    g_test_add_func("/cli/signals/drawing", test_drawing);
    g_test_add_func("/cli/signals/question", test_question);
    g_test_add_func("/cli/signals/endless", test_endless);
    g_test_add_func("/cli/signals/copy", test_copy);
    g_test_add_func("/cli/signals/copy-saved", test_copy_saved);
    g_test_add_func("/cli/signals/unpacking", test_unpacking);
    g_test_add_func("/cli/signals/first-ticks", test_first_ticks);
    g_test_add_func("/cli/signals/fifo", test_fifo);
    g_test_add_func("/cli/signals/fifo-read", test_fifo_read);
    g_test_add_func("/cli/signals/stuck-module", test_stuck_module);
    g_test_add_func("/cli/signals/second-signal", test_second_signal);
}
