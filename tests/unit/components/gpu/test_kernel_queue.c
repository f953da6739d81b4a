/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel queue alone: launch latency, selection, completion, intervals, streams, errors. The
 * test plays the dispatcher.
 */
#include "tests.h"

typedef struct Bench {
    WwHarness *h;
    WwFakeTrace *trace;
    const WwKernelsIf *kernels;
    const WwKernelResultsIf *results;
    void *self;
} Bench;

static Bench bench(const char *params)
{
    Bench b = {.h = ww_harness_new(test_registry(), "kernel_queue", params),
               .trace = ww_fake_trace_new()};
    ww_harness_provide(b.h, "trace", &ww_fake_trace_source, b.trace);
    ww_harness_callers(b.h, "kernels", WW_RANK_DISPATCH, 1);
    ww_harness_start(b.h, NULL);
    b.kernels = ww_harness_table(b.h, "kernels", &b.self);
    b.results = ww_harness_table(b.h, "results", &b.self);
    return b;
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    ww_fake_trace_free(b->trace);
}

/* With nobody asleep: alone the queue would be found hanging, as nothing else is there to act. */
static WwRunStatus run(Bench *b, WwTick ticks)
{
    ww_machine_set_no_sleep(ww_harness_machine(b->h), true);
    return ww_run(ww_harness_machine(b->h), ticks);
}

/* Runs tick by tick until the dispatcher is woken; the tick in which it would act. */
static WwCycle woken(Bench *b)
{
    for (uint32_t i = 0; i < 100; i++) {
        ww_harness_step(b->h, 1);
        if (ww_harness_wakes(b->h, "kernels", WW_RANK_DISPATCH, 0) != 0) {
            return ww_harness_now(b->h) - 1;
        }
    }
    return WW_NEVER;
}

/*
 * With latency L a kernel can be selected from the interval's tick L + 1 (edge L) on, and those
 * who dispatch are woken then.
 */
static void test_latency(void)
{
    static const struct {
        const char *params;
        WwCycle ready;
    } cases[] = {{NULL, 0},
                 {"launch_latency=1", 1},
                 {"launch_latency=20", 20},
                 {"launch_latency=5 tb_launch_latency=3", 17}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b = bench(cases[i].params);
        ww_fake_trace_kernel(b.trace, "k", 4, 64);
        g_assert_cmpuint(woken(&b), ==, cases[i].ready);
        g_assert_nonnull(b.kernels->select(b.self));
        g_assert_true(ww_harness_asleep(b.h));
        done(&b);
    }
    Bench b = bench("launch_latency=20");
    ww_fake_trace_kernel(b.trace, "k", 4, 64);
    ww_harness_step(b.h, 19);
    g_assert_null(b.kernels->select(b.self)); /* edge 19: tick 20 */
    g_assert_true(b.kernels->more(b.self));
    ww_harness_step(b.h, 1);
    g_assert_nonnull(b.kernels->select(b.self));
    done(&b);
}

/* A kernel that would be ready after cycle 2^63 ends the run: the sum may be any number, 0 among them. */
static void test_never_ready(void)
{
    static const struct {
        uint64_t ctas;
        bool fits;
    } cases[] = {{1ull << 33, false}, {1ull << 32, false}, {(1ull << 32) - 1, true}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b = bench("launch_latency=5 tb_launch_latency=2147483648");
        ww_fake_trace_kernel(b.trace, "k", cases[i].ctas, 64);
        g_assert_cmpint(run(&b, 10), ==, cases[i].fits ? WW_RUN_BUDGET : WW_RUN_FAILED);
        g_assert_null(b.kernels->select(b.self));
        if (!cases[i].fits) {
            g_assert_nonnull(strstr(ww_machine_error(ww_harness_machine(b.h))->message,
                                    "would be ready after cycle 2^63"));
        }
        done(&b);
    }
}

/*
 * The interval ends in the tick in which the last CTA was reported; the next kernel counts from
 * the one after it.
 */
static void test_intervals(void)
{
    Bench b = bench("launch_latency=10");
    ww_fake_trace_memcpy(b.trace, 0x1000, 100);
    ww_fake_trace_kernel(b.trace, "one", 2, 64);
    ww_fake_trace_memcpy(b.trace, 0x2000, 23);
    ww_fake_trace_kernel(b.trace, "two", 1, 32);
    WwKernelResult r;
    uint64_t issued, completed, total;
    g_assert_cmpint(run(&b, 30), ==, WW_RUN_BUDGET);
    g_assert_cmpuint(b.results->running(b.self), ==, 1);
    const WwKernelRun *one = b.kernels->select(b.self);
    const WwCtaTrace *c0 = b.kernels->take(b.self, one), *c1 = b.kernels->take(b.self, one);
    g_assert_null(b.kernels->select(b.self));
    g_assert_false(b.kernels->more(b.self));
    b.kernels->completed(b.self, one, c1);
    b.results->ctas(b.self, &issued, &completed, &total);
    g_assert_cmpuint(issued * 100 + completed * 10 + total, ==, 212);
    g_assert_cmpint(run(&b, 5), ==, WW_RUN_BUDGET);
    g_assert_false(b.results->next(b.self, &r));
    b.kernels->completed(b.self, one, c0); /* before edge 35 */
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    g_assert_cmpuint(ww_harness_now(b.h), ==, 36);
    g_assert_true(b.results->next(b.self, &r));
    g_assert_cmpstr(r.name, ==, "one");
    g_assert_cmpuint(r.cycles, ==, 36);
    g_assert_cmpuint(r.end, ==, 36);
    g_assert_cmpuint(ww_harness_stat(b.h, "empty_cycles", 0), ==, 31);
    g_assert_cmpuint(r.ctas, ==, 2);
    g_assert_cmpuint(r.block[0], ==, 64);
    g_assert_false(b.results->next(b.self, &r));
    g_assert_cmpuint(ww_fake_trace_held(b.trace), ==, 0);
    g_assert_cmpuint(ww_fake_trace_open(b.trace), ==, 1); /* the second one is launched already */
    g_assert_cmpuint(run(&b, 9), ==, WW_RUN_BUDGET);
    g_assert_null(b.kernels->select(b.self));
    run(&b, 1); /* edge 46 = 36 + 10 comes */
    const WwKernelRun *two = b.kernels->select(b.self);
    b.kernels->completed(b.self, two, b.kernels->take(b.self, two));
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    g_assert_true(b.results->next(b.self, &r));
    g_assert_cmpuint(r.uid, ==, 2);
    g_assert_cmpuint(r.cycles, ==, 11);
    g_assert_cmpuint(r.end, ==, 47);
    g_assert_cmpuint(ww_harness_stat(b.h, "empty_cycles", 0), ==, 42);
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_DONE); /* after the pause, and no tick later */
    g_assert_cmpuint(ww_harness_now(b.h), ==, 47);
    g_assert_cmpuint(ww_harness_stat(b.h, "kernels", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "ctas_issued", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(b.h, "memcpy_bytes", 0), ==, 123);
    g_assert_cmpuint(ww_fake_trace_open(b.trace), ==, 0);
    done(&b);
}

static void test_empty(void)
{
    Bench b = bench(NULL);
    ww_fake_trace_memcpy(b.trace, 0, 5);
    g_assert_cmpint(run(&b, 10), ==, WW_RUN_DONE);
    done(&b);
}

/*
 * A window of several kernels: one a stream, in the table's free entries; the selector sticks to
 * its entry, then goes on.
 */
static void test_streams(void)
{
    Bench b = bench("concurrent=true max_concurrent=3");
    static const uint64_t stream[] = {7, 7, 8, 9};
    for (uint32_t i = 0; i < 4; i++) {
        ww_fake_trace_kernel(b.trace, "k", 2, 32)->pub.stream = stream[i];
    }
    run(&b, 2);
    g_assert_cmpuint(ww_fake_trace_open(b.trace), ==, 3); /* the window is full */
    g_assert_cmpuint(b.results->running(b.self), ==, 2);  /* 1 and 3: 2 shares a stream */
    const WwKernelRun *first = b.kernels->select(b.self);
    g_assert_cmpuint(first->kernel->uid, ==, 1);
    const WwCtaTrace *a = b.kernels->take(b.self, first);
    g_assert_true(b.kernels->select(b.self) == first);
    const WwCtaTrace *c = b.kernels->take(b.self, first);
    const WwKernelRun *third = b.kernels->select(b.self);
    g_assert_cmpuint(third->kernel->uid, ==, 3);
    g_assert_cmpuint(third->slot, ==, 1);
    b.kernels->completed(b.self, first, a);
    b.kernels->completed(b.self, first, c);
    g_assert_cmpint(run(&b, 1), ==, WW_RUN_PAUSED);
    g_assert_cmpuint(b.results->running(b.self), ==, 3); /* 2, its stream is free; and 4 */
    b.kernels->take(b.self, third);
    b.kernels->take(b.self, third);
    const WwKernelRun *next = b.kernels->select(b.self);
    g_assert_cmpuint(next->kernel->uid, ==, 4); /* in entry 2, the next one */
    b.kernels->take(b.self, next);
    b.kernels->take(b.self, next);
    g_assert_cmpuint(b.kernels->select(b.self)->kernel->uid, ==, 2); /* round again, to entry 0 */
    done(&b);
}

/* Hands out and completes every CTA of the kernel that is selected. */
static void complete(Bench *b)
{
    const WwKernelRun *r = b->kernels->select(b->self);
    g_assert_nonnull(r);
    while (r->kernel != NULL) {
        b->kernels->completed(b->self, r, b->kernels->take(b->self, r));
    }
}

static void expect(Bench *b, uint32_t uid, WwCycle cycles, uint64_t stream, const char *begun)
{
    WwKernelResult r;
    g_assert_true(b->results->next(b->self, &r));
    g_assert_cmpuint(r.uid, ==, uid);
    g_assert_cmpuint(r.cycles, ==, cycles);
    g_assert_cmpuint(r.stream, ==, stream);
    g_assert_cmpstr(r.begun_uids, ==, begun);
}

static Bench five_kernels(const char *params, WwFakeActivity **activity)
{
    Bench b = {.h = ww_harness_new(test_registry(), "kernel_queue", params),
               .trace = ww_fake_trace_new()};
    ww_harness_provide(b.h, "trace", &ww_fake_trace_source, b.trace);
    *activity = ww_harness_fill(b.h, "memory[0]", NULL, NULL);
    ww_harness_callers(b.h, "kernels", WW_RANK_DISPATCH, 1);
    ww_harness_start(b.h, NULL);
    b.kernels = ww_harness_table(b.h, "kernels", &b.self);
    b.results = ww_harness_table(b.h, "results", &b.self);
    for (uint32_t i = 0; i < 5; i++) {
        ww_fake_trace_kernel(b.trace, "k", 1, 32)->pub.stream = 3;
    }
    return b;
}

/* Runs to the end; the uids that were reported, as digits of a number. */
static uint32_t reported(Bench *b)
{
    uint32_t uids = 0;
    WwKernelResult r;
    while (run(b, 1) != WW_RUN_DONE) {
        while (b->results->next(b->self, &r)) {
            uids = 10 * uids + r.uid;
        }
        if (b->kernels->more(b->self)) {
            complete(b);
        }
    }
    return uids;
}

/*
 * In an empty machine kernels that wait are dropped, every second one: of five of one stream the
 * reference runs three. Not when something moves in the memory system, and not without the option.
 */
static void test_drop(void)
{
    static const struct {
        const char *params;
        bool active;
        uint32_t uids, dropped;
    } cases[] = {
        {"concurrent=true", false, 124, 2},
        {"concurrent=true", true, 12345, 0},
        {"concurrent=true drop_pending=false", false, 12345, 0},
        {"concurrent=true max_concurrent=2", false, 12345, 0}, /* passed over each time */
        {"concurrent=false", false, 12345, 0},
    };
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WwFakeActivity *activity;
        Bench b = five_kernels(cases[i].params, &activity);
        activity->active = cases[i].active;
        g_assert_cmpuint(reported(&b), ==, cases[i].uids);
        g_assert_cmpuint(ww_harness_stat(b.h, "dropped_kernels", 0), ==, cases[i].dropped);
        g_assert_cmpuint(ww_harness_stat(b.h, "kernels", 0), ==, 5 - cases[i].dropped);
        g_assert_cmpuint(ww_fake_trace_open(b.trace), ==, 0);
        done(&b);
    }
}

/* Two that finish in one tick are reported one a tick; results say what was selected meanwhile. */
static void test_two_at_once(void)
{
    WwFakeActivity *activity;
    Bench b = {.h = ww_harness_new(test_registry(), "kernel_queue", "concurrent=true"),
               .trace = ww_fake_trace_new()};
    ww_harness_provide(b.h, "trace", &ww_fake_trace_source, b.trace);
    activity = ww_harness_fill(b.h, "memory[0]", NULL, NULL);
    ww_harness_start(b.h, NULL);
    b.kernels = ww_harness_table(b.h, "kernels", &b.self);
    b.results = ww_harness_table(b.h, "results", &b.self);
    activity->active = true;
    ww_fake_trace_kernel(b.trace, "a", 1, 32)->pub.stream = 1;
    ww_fake_trace_kernel(b.trace, "b", 1, 32)->pub.stream = 2;
    run(&b, 4);
    const WwKernelRun *x = b.kernels->select(b.self);
    const WwCtaTrace *cx = b.kernels->take(b.self, x);
    const WwKernelRun *y = b.kernels->select(b.self);
    const WwCtaTrace *cy = b.kernels->take(b.self, y);
    b.kernels->completed(b.self, y, cy);
    b.kernels->completed(b.self, x, cx);
    WwKernelResult r;
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    expect(&b, 2, 5, 2, "1 2 ");
    g_assert_false(b.results->next(b.self, &r));
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    expect(&b, 1, 1, 1, "");
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_DONE);
    done(&b);
}

/* With nothing left to simulate no tick passes between the two. */
static void test_two_at_the_end(void)
{
    Bench b = bench("concurrent=true drop_pending=false");
    ww_fake_trace_kernel(b.trace, "a", 1, 32)->pub.stream = 1;
    ww_fake_trace_kernel(b.trace, "b", 1, 32)->pub.stream = 2;
    run(&b, 4);
    complete(&b);
    complete(&b);
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    expect(&b, 1, 5, 1, "1 2 ");
    expect(&b, 2, 0, 2, "");
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_DONE);
    done(&b);
}

/* A kernel that goes on being selected is named in each interval. */
static void test_selected_again(void)
{
    Bench b = bench("concurrent=true");
    ww_fake_trace_kernel(b.trace, "a", 1, 32)->pub.stream = 1;
    ww_fake_trace_kernel(b.trace, "b", 3, 32)->pub.stream = 2;
    run(&b, 4);
    const WwKernelRun *x = b.kernels->select(b.self);
    const WwCtaTrace *cx = b.kernels->take(b.self, x);
    const WwKernelRun *y = b.kernels->select(b.self);
    const WwCtaTrace *cy = b.kernels->take(b.self, y);
    b.kernels->completed(b.self, x, cx);
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    expect(&b, 1, 5, 1, "1 2 ");
    g_assert_true(b.kernels->select(b.self) == y);
    b.kernels->completed(b.self, y, cy);
    complete(&b);
    g_assert_cmpint(run(&b, 100), ==, WW_RUN_PAUSED);
    expect(&b, 2, 1, 2, "2 ");
    done(&b);
}

/* Cycles that began without a CTA to hand out, up to and with this one. */
static void test_idle(void)
{
    Bench b = bench("launch_latency=10");
    ww_fake_trace_kernel(b.trace, "k", 1, 32);
    ww_fake_trace_kernel(b.trace, "k", 1, 32);
    run(&b, 15);
    g_assert_cmpuint(b.kernels->idle(b.self), ==, 0); /* launch latency is not idle */
    const WwKernelRun *r = b.kernels->select(b.self);
    const WwCtaTrace *c = b.kernels->take(b.self, r); /* in cycle 15 */
    g_assert_cmpuint(b.kernels->idle(b.self), ==, 0);
    run(&b, 5);
    g_assert_cmpuint(b.kernels->idle(b.self), ==, 5); /* 16 to 20, the one to come */
    b.kernels->completed(b.self, r, c);
    run(&b, 1);
    g_assert_cmpuint(b.kernels->idle(b.self), ==, 5); /* the next one is launched */
    run(&b, 5);
    g_assert_cmpuint(b.kernels->idle(b.self), ==, 5);
    done(&b);
}

/* Results may wait; they come in order. */
static void test_results_wait(void)
{
    Bench b = bench(NULL);
    for (uint32_t i = 0; i < 12; i++) {
        ww_fake_trace_kernel(b.trace, "k", 1, 32);
    }
    WwKernelResult r;
    uint32_t asked = 0;
    for (uint32_t i = 0; i < 12; i++) {
        run(&b, 3);
        const WwKernelRun *k = b.kernels->select(b.self);
        b.kernels->completed(b.self, k, b.kernels->take(b.self, k));
        g_assert_cmpint(run(&b, 10), ==, WW_RUN_PAUSED);
        if (i % 3 == 2) {
            g_assert_true(b.results->next(b.self, &r));
            g_assert_cmpuint(r.uid, ==, ++asked);
        }
    }
    while (b.results->next(b.self, &r)) {
        g_assert_cmpuint(r.uid, ==, ++asked);
    }
    g_assert_cmpuint(asked, ==, 12);
    done(&b);
}

static void failed_with(Bench *b, const char *text)
{
    g_assert_cmpint(run(b, 10), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(ww_harness_machine(b->h))->message, text));
}

static void test_errors(void)
{
    Bench b = bench(NULL);
    ww_fake_trace_fail_command(b.trace, 0, "kernelslist.g:1: no such file");
    failed_with(&b, "no such file");
    done(&b);
    b = bench(NULL);
    WwFakeKernel *k = ww_fake_trace_kernel(b.trace, "k", 3, 64);
    ww_fake_kernel_fail_cta(k, 1, "trace ends early");
    run(&b, 2);
    const WwKernelRun *r = b.kernels->select(b.self);
    g_assert_nonnull(b.kernels->take(b.self, r));
    g_assert_null(b.kernels->take(b.self, r));
    g_assert_cmpuint(r->next_cta, ==, 1);
    failed_with(&b, "trace ends early");
    done(&b);
    b = bench(NULL);
    ww_fake_trace_kernel(b.trace, "k", 3, 64)->pub.threads_per_cta = 0;
    failed_with(&b, "3 CTAs of 0 threads");
    done(&b);
}

/* A finished kernel is told before the trouble with what follows it. */
static void test_pause_first(void)
{
    Bench b = bench(NULL);
    ww_fake_trace_kernel(b.trace, "k", 1, 32);
    ww_fake_trace_fail_command(b.trace, 1, "bad line");
    run(&b, 2);
    const WwKernelRun *r = b.kernels->select(b.self);
    b.kernels->completed(b.self, r, b.kernels->take(b.self, r));
    g_assert_cmpint(run(&b, 10), ==, WW_RUN_PAUSED);
    WwKernelResult result;
    g_assert_true(b.results->next(b.self, &result));
    failed_with(&b, "bad line");
    done(&b);
}

static void test_reset(void)
{
    Bench b = bench("launch_latency=3");
    ww_fake_trace_kernel(b.trace, "k", 1, 32);
    WwKernelResult result;
    for (uint32_t i = 0; i < 2; i++) {
        run(&b, 5);
        const WwKernelRun *r = b.kernels->select(b.self);
        b.kernels->completed(b.self, r, b.kernels->take(b.self, r));
        g_assert_cmpint(run(&b, 10), ==, WW_RUN_PAUSED);
        ww_fake_trace_rewind(b.trace);
        ww_harness_reset(b.h);
        g_assert_false(b.results->next(b.self, &result));
        g_assert_cmpuint(b.results->running(b.self), ==, 0);
    }
    done(&b);
}

void register_kernel_queue_tests(void)
{
    g_test_add_func("/gpu/kernel_queue/latency", test_latency);
    g_test_add_func("/gpu/kernel_queue/latency_too_long", test_never_ready);
    g_test_add_func("/gpu/kernel_queue/intervals", test_intervals);
    g_test_add_func("/gpu/kernel_queue/empty", test_empty);
    g_test_add_func("/gpu/kernel_queue/streams", test_streams);
    g_test_add_func("/gpu/kernel_queue/drop", test_drop);
    g_test_add_func("/gpu/kernel_queue/two_at_once", test_two_at_once);
    g_test_add_func("/gpu/kernel_queue/two_at_the_end", test_two_at_the_end);
    g_test_add_func("/gpu/kernel_queue/selected_again", test_selected_again);
    g_test_add_func("/gpu/kernel_queue/idle", test_idle);
    g_test_add_func("/gpu/kernel_queue/results_wait", test_results_wait);
    g_test_add_func("/gpu/kernel_queue/errors", test_errors);
    g_test_add_func("/gpu/kernel_queue/pause_first", test_pause_first);
    g_test_add_func("/gpu/kernel_queue/reset", test_reset);
}
