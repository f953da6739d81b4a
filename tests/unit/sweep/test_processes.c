/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, as many at once as fit: their output, ends, limits, and the order in which they get room. */
#include "tests.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sweep/processes.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_WAIT_S 50      /* for a file to go */
#define GROSS (10ull << 20) /* more than a process needs by itself, with a sanitizer, too */

/* What a process does, by its first word. */
int child(int argc, char **argv)
{
    const char *what = argc > 0 ? argv[0] : "";
    if (strcmp(what, "say") == 0) {
        printf("out of %s", argv[1]);
        fprintf(stderr, "err of %s\n", argv[1]);
    } else if (strcmp(what, "fail") == 0) {
        return 3;
    } else if (strcmp(what, "die") == 0) {
        kill(getpid(), SIGUSR2);
    } else if (strcmp(what, "noise") == 0) {
        for (int i = 0; i < 100000; i++) {
            fprintf(stderr, "%d ", i);
        }
        printf("done");
    } else if (strcmp(what, "wait") == 0) {
        g_usleep((gulong)(atof(argv[1]) * 1e6));
    } else if (strcmp(what, "stop-parent") == 0) {
        kill(getppid(), SIGTERM);
        sleep(100);
    } else if (strcmp(what, "grow") == 0) {
        size_t n = (size_t)atoi(argv[1]) << 20;
        volatile char *memory = g_malloc(n);
        for (size_t i = 0; i < n; i += 512) {
            memory[i] = 1;
        }
        for (int i = 0; i < MOST_WAIT_S * 100 && access(argv[2], F_OK) == 0; i++) {
            g_usleep(10000);
        }
        g_free((char *)memory);
    }
    return 0;
}

typedef struct Try {
    const char *const *jobs; /* words with blanks between, up to NULL */
    double time_limit;       /* of the first */
    uint64_t memory[8], memory_limit;
    uint32_t cores_of[8];
    uint32_t next, running, most;
    uint64_t in_use, most_in_use;
    GString *log;
    WwProcesses *pool;
    int again;        /* an end for want of room: the job comes once more */
    uint32_t starved; /* the number, from 1, of the job that gets no file descriptors; 0: none */
    bool stop;
    const char *held; /* a file that goes when a job is ended for want of room */
} Try;

/* As many file descriptors as before, or none but those that are open. */
static void set_most_files(bool more)
{
    static struct rlimit before;
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &limit), ==, 0);
    if (more) {
        limit = before;
    } else {
        int lowest = dup(STDIN_FILENO);
        close(lowest);
        before = limit;
        limit.rlim_cur = (rlim_t)lowest;
    }
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
}

static bool on_next(void *user, uint32_t cores, uint64_t memory, bool alone, WwProcessJob *job)
{
    Try *t = user;
    if (t->jobs[t->next] == NULL || t->memory[t->next] > memory ||
        MAX(t->cores_of[t->next], 1u) > cores) {
        return false;
    }
    g_autofree char *line = g_strconcat("test --child ", t->jobs[t->next], NULL);
    /* The last word may be a path with blanks. */
    *job = (WwProcessJob){.words = g_strsplit(line, " ", 5),
                          .time_limit = t->next == 0 ? t->time_limit : 0,
                          .memory = t->memory[t->next],
                          .memory_limit = t->memory_limit,
                          .cores = MAX(t->cores_of[t->next], 1u),
                          .user = GUINT_TO_POINTER(t->next)};
    if (t->next + 1 == t->starved) {
        t->starved = 0;
        set_most_files(false);
    }
    t->next++;
    t->running++;
    t->most = MAX(t->most, t->running);
    t->in_use += job->memory;
    t->most_in_use = MAX(t->most_in_use, t->in_use);
    return true;
}

static void on_end(void *user, const WwProcessEnd *e)
{
    static const char *const names[] = {"ended", "time", "memory", "room", "refused"};
    Try *t = user;
    t->running--;
    t->in_use -= t->memory[GPOINTER_TO_UINT(e->user)];
    if (e->why == WW_PROCESS_ENDED) {
        g_string_append_printf(
            t->log, "%u %s %d [%s] [%.20s]\n", GPOINTER_TO_UINT(e->user),
            WIFSIGNALED(e->status) ? "signal" : "status",
            WIFSIGNALED(e->status) ? WTERMSIG(e->status) : WEXITSTATUS(e->status), e->out, e->err);
        g_assert_cmpuint(strlen(e->out), ==, e->out_size);
        g_assert_cmpuint(strlen(e->err), <=, 65536);
    } else {
        g_string_append_printf(t->log, "%u %s\n", GPOINTER_TO_UINT(e->user), names[e->why]);
        if (t->again > 0) {
            t->again--;
            t->next = GPOINTER_TO_UINT(e->user);
            set_most_files(true);
        }
        if (t->held != NULL) {
            unlink(t->held);
        }
    }
}

static bool on_pass(void *user)
{
    return !((Try *)user)->stop;
}

static int carry_out(Try *t, uint32_t cores, uint64_t memory)
{
    g_autoptr(GError) error = NULL;
    t->log = g_string_new(NULL);
    t->pool = ww_processes_new(&(WwProcessesSpec){.cores = cores,
                                                  .memory = memory,
                                                  .next = on_next,
                                                  .ended = on_end,
                                                  .pass = on_pass,
                                                  .user = t},
                               &error);
    g_assert_no_error(error);
    int signal = ww_processes_run(t->pool);
    g_assert_cmpuint(ww_processes_running(t->pool, NULL, 0), ==, 0);
    ww_processes_free(t->pool);
    return signal;
}

static void done(Try *t, const char *log)
{
    g_assert_cmpstr(t->log->str, ==, log);
    g_string_free(t->log, true);
}

/* One place: what each wrote is its own, and its end is told as it was. */
static void test_ends(void)
{
    static const char *const jobs[] = {"say one", "fail", "die", "say two", "noise", NULL};
    Try t = {.jobs = jobs};
    g_assert_cmpint(carry_out(&t, 1, 8ull << 30), ==, 0);
    g_assert_cmpuint(t.most, ==, 1);
    g_autofree char *log = g_strdup_printf("0 status 0 [out of one] [err of one\n]\n"
                                           "1 status 3 [] []\n"
                                           "2 signal %d [] []\n"
                                           "3 status 0 [out of two] [err of two\n]\n"
                                           "4 status 0 [done] [0 1 2 3 4 5 6 7 8 9 ]\n",
                                           SIGUSR2);
    done(&t, log);
}

static void test_many(void)
{
    static const char *const jobs[] = {"wait 0.05", "wait 0.05", "wait 0.05", "wait 0.05",
                                       "wait 0.05", "wait 0.05", NULL};
    Try t = {.jobs = jobs};
    carry_out(&t, 3, 8ull << 30);
    g_assert_cmpuint(t.most, ==, 3);
    g_assert_cmpuint(t.next, ==, 6);
    g_string_free(t.log, true);
}

/* Nothing begins that does not fit beside the others. */
static void test_memory(void)
{
    static const char *const jobs[] = {"wait 0.02", "wait 0.02", "wait 0.02", "wait 0.02", NULL};
    Try t = {.jobs = jobs, .memory = {60 * GROSS, 30 * GROSS, 50 * GROSS, 100 * GROSS}};
    carry_out(&t, 4, 100 * GROSS);
    g_assert_cmpuint(t.next, ==, 4);
    g_assert_cmpuint(t.most_in_use, ==, 100 * GROSS);
    g_string_free(t.log, true);
}

/* A job of two cores has two. */
static void test_cores(void)
{
    static const char *const jobs[] = {"wait 0.02", "wait 0.02", "wait 0.02", NULL};
    Try t = {.jobs = jobs, .cores_of = {2, 1, 1}};
    carry_out(&t, 2, 8ull << 30);
    g_assert_cmpuint(t.next, ==, 3);
    g_assert_cmpuint(t.most, ==, 2);
    g_assert_true(g_str_has_prefix(t.log->str, "0 "));
    g_string_free(t.log, true);
}

static void test_time_limit(void)
{
    static const char *const jobs[] = {"wait 100", "say x", NULL};
    Try t = {.jobs = jobs, .time_limit = 0.5};
    carry_out(&t, 1, 8ull << 30);
    done(&t, "0 time\n1 status 0 [out of x] [err of x\n]\n");
}

static void test_memory_limit(void)
{
    static const char *const jobs[] = {"grow 300 /", NULL};
    Try t = {.jobs = jobs, .memory_limit = 200 << 20};
    carry_out(&t, 1, 8ull << 30);
    done(&t, "0 memory\n");
}

/* Ended before anybody looked: limits hold all the same. */
static void test_short(void)
{
    static const char *const jobs[] = {"wait 0.03", NULL}, *const large[] = {"grow 300 /none",
                                                                             NULL};
    Try t = {.jobs = jobs, .time_limit = 0.01};
    carry_out(&t, 1, 8ull << 30);
    done(&t, "0 time\n");
    Try other = {.jobs = large, .memory_limit = 200 << 20};
    carry_out(&other, 1, 8ull << 30);
    done(&other, "0 memory\n");
}

/* What this process uses is not what its children do, though the kernel counts it. Comes last: the count stays. */
static void test_inherited(void)
{
    static const char *const jobs[] = {"say x", NULL};
    size_t n = 300u << 20;
    volatile char *memory = g_malloc(n);
    for (size_t i = 0; i < n; i += 512) {
        memory[i] = 1;
    }
    g_free((char *)memory);
    Try t = {.jobs = jobs, .memory_limit = 200 << 20};
    carry_out(&t, 1, 8ull << 30);
    done(&t, "0 status 0 [out of x] [err of x\n]\n");
}

/*
 * One grows beyond what was expected, and with it all beyond what there is: it gives way, and only it. Alone it would have been at its end. There is no moment, with a
 * sanitizer either, in which the other one is further above what was expected of it.
 */
static void test_room(void)
{
#ifdef __SANITIZE_THREAD__
    g_test_skip("a process has several times as much memory as it asks for");
    return;
#endif
    g_autofree char *held = NULL;
    close(g_file_open_tmp("held-XXXXXX", &held, NULL));
    g_autofree char *one = g_strconcat("grow 200 ", held, NULL),
                    *other = g_strconcat("grow 600 ", held, NULL);
    const char *const jobs[] = {one, other, NULL};
    Try t = {.jobs = jobs, .memory = {400 << 20, 250 << 20}, .held = held};
    carry_out(&t, 2, 700 << 20);
    done(&t, "1 room\n0 status 0 [] []\n");
    g_assert_true(g_file_set_contents(held, "", 0, NULL));
    Try alone = {.jobs = jobs + 1, .held = held};
    carry_out(&alone, 1, 100 << 20);
    done(&alone, "0 memory\n");
}

/* What cannot be started beside others is for later, when one has ended; alone it is refused. */
static void test_refused(void)
{
    static const char *const jobs[] = {"wait 0.3", "say x", "say y", NULL};
    Try t = {.jobs = jobs, .starved = 2, .again = 1};
    carry_out(&t, 3, 8ull << 30);
    g_assert_true(g_str_has_prefix(t.log->str, "1 room\n0 status 0 [] []\n"));
    g_assert_nonnull(strstr(t.log->str, "\n1 status 0 [out of x] "));
    g_assert_nonnull(strstr(t.log->str, "\n2 status 0 [out of y] "));
    g_string_free(t.log, true);
    static const char *const none[] = {"say x", NULL};
    Try alone = {.jobs = none, .starved = 1};
    carry_out(&alone, 1, 8ull << 30);
    set_most_files(true);
    done(&alone, "0 refused\n");
}

/* A signal: what runs is killed at once, and nobody is told of its end. */
static void test_signal(void)
{
    static const char *const jobs[] = {"say x", "stop-parent", "say y", NULL};
    Try t = {.jobs = jobs};
    gint64 before = g_get_monotonic_time();
    g_assert_cmpint(carry_out(&t, 1, 8ull << 30), ==, SIGTERM);
    g_assert_cmpint(g_get_monotonic_time() - before, <, 50 * G_USEC_PER_SEC);
    done(&t, "0 status 0 [out of x] [err of x\n]\n");
}

void add_process_tests(void)
{
    g_test_add_func("/sweep/processes/ends", test_ends);
    g_test_add_func("/sweep/processes/many", test_many);
    g_test_add_func("/sweep/processes/memory", test_memory);
    g_test_add_func("/sweep/processes/cores", test_cores);
    g_test_add_func("/sweep/processes/time-limit", test_time_limit);
    g_test_add_func("/sweep/processes/memory-limit", test_memory_limit);
    g_test_add_func("/sweep/processes/room", test_room);
    g_test_add_func("/sweep/processes/refused", test_refused);
    g_test_add_func("/sweep/processes/short", test_short);
    g_test_add_func("/sweep/processes/signal", test_signal);
    g_test_add_func("/sweep/processes/inherited", test_inherited);
}
