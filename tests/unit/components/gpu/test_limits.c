/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that end a run before its kernels do, and the completed CTAs that a result tells of. The test plays the dispatcher. */
#include "tests.h"

#include <malloc.h>
#include <string.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeTrace *trace;
    WwFakeCluster *cluster[2];
    const WwKernelsIf *kernels;
    const WwKernelResultsIf *results;
    void *self;
} Bench;

static Bench bench(const char *params, bool no_sleep)
{
    Bench b = {.h = ww_harness_new(test_registry(), "kernel_queue", params),
               .trace = ww_fake_trace_new()};
    ww_harness_provide(b.h, "trace", &ww_fake_trace_source, b.trace);
    for (uint32_t i = 0; i < 2; i++) {
        g_autofree char *port = g_strdup_printf("cluster[%u]", i);
        b.cluster[i] = ww_harness_fill(b.h, port, NULL, NULL);
    }
    ww_harness_callers(b.h, "kernels", WW_RANK_DISPATCH, 1);
    ww_harness_start(b.h, NULL);
    ww_machine_set_no_sleep(ww_harness_machine(b.h), no_sleep);
    b.kernels = ww_harness_table(b.h, "kernels", &b.self);
    b.results = ww_harness_table(b.h, "results", &b.self);
    return b;
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    ww_fake_trace_free(b->trace);
}

static WwKernelResult result(Bench *b)
{
    WwKernelResult r;
    g_assert_true(b->results->next(b->self, &r));
    return r;
}

static void kernel(Bench *b, const char *name, uint32_t ctas, uint64_t stream)
{
    ww_fake_trace_kernel(b->trace, name, ctas, 32)->pub.stream = stream;
}

/* The cycle that completes as many is the last, in the middle of a kernel or of its launch latency. */
static void test_cycles(void)
{
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        Bench b = bench("launch_latency=30 max_cycles=25", no_sleep != 0);
        kernel(&b, "k", 2, 6);
        kernel(&b, "l", 2, 6);
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_PAUSED);
        WwKernelResult r = result(&b);
        g_assert_cmpuint(r.cycles, ==, 25);
        g_assert_cmpstr(r.name, ==, "k");
        g_assert_cmpstr(r.begun, ==, ""); /* it was never selected */
        g_assert_cmpuint(r.stream, ==, 6);
        g_assert_true(r.limit && r.unfinished);
        g_assert_cmpuint(b.results->running(b.self), ==, 0);
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_DONE);
        g_assert_cmpuint(ww_harness_now(b.h), ==, 25);
        done(&b);
    }
}

/* A kernel that finishes in that very cycle is told of as finished, and nothing comes after it. */
static void test_cycles_and_end(void)
{
    Bench b = bench("max_cycles=5", true);
    kernel(&b, "k", 1, 6);
    kernel(&b, "l", 1, 7);
    ww_harness_step(b.h, 4);
    const WwKernelRun *k = b.kernels->select(b.self);
    b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
    ww_run(ww_harness_machine(b.h), 1);
    WwKernelResult r = result(&b);
    g_assert_cmpuint(r.cycles, ==, 5);
    g_assert_true(r.limit);
    g_assert_false(r.unfinished);
    g_assert_cmpstr(r.begun_uids, ==, "1 ");
    g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_DONE);
    done(&b);
}

/* The cycle in which all clusters together have completed as many instructions is the last. */
static void test_insns(void)
{
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        Bench b = bench("max_insns=1000", no_sleep != 0);
        kernel(&b, "k", 2, 0);
        ww_harness_step(b.h, 10);
        b.cluster[0]->insns = 500;
        b.cluster[1]->insns = 499;
        ww_harness_step(b.h, 10);
        b.cluster[1]->insns = 500;
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_PAUSED);
        WwKernelResult r = result(&b);
        g_assert_cmpuint(r.cycles, ==, 21);
        g_assert_true(r.limit && r.unfinished);
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_DONE);
        done(&b);
    }
}

/* Where nobody counts instructions the limit is refused, and nothing stays behind: finish() is not called then. */
static void test_insns_refused(void)
{
    size_t before = 0;
    for (int i = 0; i < 32; i++) { /* the first few bring what the libraries keep */
        struct mallinfo2 now = mallinfo2();
        before = i == 4 ? now.uordblks + now.hblkhd : before;
        g_autoptr(GError) error = NULL;
        WwHarness *h =
            ww_harness_new(test_registry(), "kernel_queue", "max_insns=10 max_concurrent=1024");
        g_assert_false(ww_harness_start(h, &error));
        g_assert_nonnull(strstr(error->message, "max_insns = 10, but nobody tells it"));
        ww_harness_free(h);
    }
    struct mallinfo2 after = mallinfo2();
    g_assert_cmpuint(after.uordblks + after.hblkhd, <, before + 64 * 1024);
}

/* No kernel has CTAs any more when as many are out; the first of which none is resident ends the run. */
static void test_ctas(void)
{
    Bench b = bench("concurrent=true max_ctas=3", true);
    kernel(&b, "k", 2, 1);
    kernel(&b, "l", 5, 2);
    ww_harness_step(b.h, 10);
    const WwKernelRun *k = b.kernels->select(b.self);
    const WwCtaTrace *k0 = b.kernels->take(b.self, k);
    g_assert_nonnull(b.kernels->take(b.self, k));
    const WwKernelRun *l = b.kernels->select(b.self);
    g_assert_true(b.kernels->more(b.self));
    const WwCtaTrace *l0 = b.kernels->take(b.self, l);
    g_assert_nonnull(l0);
    g_assert_false(b.kernels->more(b.self));
    g_assert_null(b.kernels->select(b.self));
    g_assert_null(b.kernels->take(b.self, l)); /* an SM that stays with its kernel */
    b.kernels->completed(b.self, k, k0);
    ww_harness_step(b.h, 5);
    g_assert_cmpuint(b.results->running(b.self), ==, 2);
    b.kernels->completed(b.self, l, l0); /* the first kernel has one left */
    g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_PAUSED);
    WwKernelResult r = result(&b);
    g_assert_cmpstr(r.name, ==, "l");
    g_assert_cmpuint(r.cycles, ==, 16);
    g_assert_cmpuint(r.stream, ==, 2);
    g_assert_true(r.limit && r.unfinished);
    g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_DONE);
    g_assert_cmpuint(ww_harness_stat(b.h, "ctas_issued", 0), ==, 3);
    done(&b);
}

/* As many completed in an interval end the run, unless no kernel is unfinished then; the reference says so only where it would go on. */
static void test_completed_limit(void)
{
    for (int more = 0; more < 2; more++) {
        Bench b = bench("max_completed=2", more != 0);
        kernel(&b, "k", 2, 1);
        kernel(&b, "l", 3, 2);
        if (more) {
            kernel(&b, "m", 1, 3);
        }
        ww_harness_step(b.h, 10);
        const WwKernelRun *k = b.kernels->select(b.self);
        b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
        b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_PAUSED);
        WwKernelResult r = result(&b);
        g_assert_cmpuint(r.limit, ==, 0);
        g_assert_false(r.unfinished);
        ww_harness_step(b.h, 5);
        const WwKernelRun *l = b.kernels->select(b.self);
        b.kernels->completed(b.self, l, b.kernels->take(b.self, l));
        ww_harness_step(b.h, 5);
        b.kernels->completed(b.self, l, b.kernels->take(b.self, l));
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_PAUSED);
        r = result(&b);
        g_assert_cmpstr(r.name, ==, "l");
        g_assert_cmpuint(r.limit, ==, more ? 1 : 2);
        g_assert_true(r.unfinished);
        g_assert_cmpuint(r.stream, ==, 2);
        g_assert_cmpint(ww_run(ww_harness_machine(b.h), 100), ==, WW_RUN_DONE);
        done(&b);
    }
}

/* At the limit the streams of every second entry of the window are freed, as in any clean-up of all. */
static void test_stream(void)
{
    static const struct {
        uint64_t stream[3], last;
    } cases[] = {
        {{1, 2, 3}, 3},
        {{1, 2, 1},
         1}, /* the third is not launched, and its stream's only kernel has gone before */
        {{1, 2, 2}, 2}, /* nor here, but its stream has one */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b = bench("concurrent=true max_cycles=4", true);
        for (int k = 0; k < 3; k++) {
            kernel(&b, "k", 1, cases[i].stream[k]);
        }
        ww_run(ww_harness_machine(b.h), 100);
        g_assert_cmpuint(result(&b).stream, ==, cases[i].last);
        done(&b);
    }
}

/* Samples of a window of 10 cycles restart the count; what completes in the cycle of a sample is in none. */
static void test_completed(void)
{
    for (int restart = 0; restart < 2; restart++) {
        Bench b = bench(restart ? "restart_completed=true sample=10" : "sample=10", true);
        kernel(&b, "k", 5, 0);
        kernel(&b, "l", 1, 0);
        ww_harness_step(b.h, 1);
        const WwKernelRun *k = b.kernels->select(b.self);
        static const uint32_t after[] = {3, 5, 1, 1,
                                         4}; /* cycles 4, 9, 10, 11, 15 of the interval */
        for (size_t i = 0; i < G_N_ELEMENTS(after); i++) {
            ww_harness_step(b.h, after[i] - (i == 0));
            b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
        }
        ww_run(ww_harness_machine(b.h), 1);
        WwKernelResult r = result(&b);
        g_assert_cmpuint(r.cycles, ==, 15);
        g_assert_cmpuint(r.ctas_completed, ==, restart ? 2 : 5);
        ww_harness_step(b.h, 9); /* the windows of an interval begin with it */
        k = b.kernels->select(b.self);
        b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
        ww_run(ww_harness_machine(b.h), 1);
        r = result(&b);
        g_assert_cmpuint(r.cycles, ==, 10);
        g_assert_cmpuint(r.ctas_completed, ==, restart ? 0 : 6);
        done(&b);
    }
}

void register_limit_tests(void)
{
    g_test_add_func("/gpu/kernel_queue/limits/cycles", test_cycles);
    g_test_add_func("/gpu/kernel_queue/limits/cycles-and-end", test_cycles_and_end);
    g_test_add_func("/gpu/kernel_queue/limits/insns", test_insns);
    g_test_add_func("/gpu/kernel_queue/limits/insns-refused", test_insns_refused);
    g_test_add_func("/gpu/kernel_queue/limits/completed_ctas", test_completed_limit);
    g_test_add_func("/gpu/kernel_queue/limits/ctas", test_ctas);
    g_test_add_func("/gpu/kernel_queue/limits/stream", test_stream);
    g_test_add_func("/gpu/kernel_queue/completed", test_completed);
}
