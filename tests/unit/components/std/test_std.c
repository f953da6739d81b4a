/* SPDX-License-Identifier: Apache-2.0 */
/* Source, sink, probe, delay, counter: what they do, in which cycle, and that they sleep. */
#include "tests.h"

#include <tests/support/machine.h>

static WwHarness *bench_open(const char *type, const char *params, const char *in, const char *out)
{
    WwHarness *h = ww_harness_new(test_registry(), type, params);
    if (in != NULL) {
        ww_harness_channel(h, "in", in);
    }
    if (out != NULL) {
        ww_harness_channel(h, "out", out);
    }
    ww_harness_start(h, NULL);
    return h;
}

static WwToken take(WwHarness *h)
{
    WwToken t = 0;
    g_assert_true(ww_harness_take(h, "out", NULL, &t));
    return t;
}

/* ---- source -------------------------------------------------------------------------------- */

static void source_sends(void)
{
    WwHarness *h = bench_open("source", "count=4 interval=3 start=100", NULL, "depth=8");
    for (uint64_t k = 0; k < 4; k++) {
        ww_harness_step(h, 1);
        g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
        g_assert_cmpuint(take(h), ==, 100 + k);
        ww_harness_step(h, 2);
    }
    ww_harness_step(h, 20);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "sent", 0), ==, 4);
    ww_harness_free(h);
}

static void source_waits(void)
{
    WwHarness *h = bench_open("source", "count=0", NULL, "depth=2");
    ww_harness_step(h, 3);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_step(h, 9);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 10);
    g_assert_cmpuint(take(h), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 10);
    ww_harness_free(h);
}

/* ---- sink ---------------------------------------------------------------------------------- */

static void sink_takes(void)
{
    WwHarness *h = bench_open("sink", "interval=4", "depth=8", NULL);
    for (WwToken k = 1; k <= 3; k++) {
        ww_harness_put(h, "in", 0, 10 * k);
    }
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 2);
    ww_harness_step(h, 3);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 2);
    ww_harness_step(h, 10);
    g_assert_cmpuint(ww_harness_stat(h, "taken", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "sum", 0), ==, 60);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

static void sink_ends_the_run(void)
{
    WwHarness *h = bench_open("sink", "limit=2", "depth=8", NULL);
    for (WwToken k = 0; k < 3; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    g_assert_cmpint(ww_run(ww_harness_machine(h), 10), ==, WW_RUN_DONE);
    g_assert_cmpuint(ww_harness_now(h), ==, 2);
    ww_harness_free(h);
}

/* ---- probe --------------------------------------------------------------------------------- */

static void probe_records(void)
{
    static const WwToken values[] = {5, 3, 9};
    WwHarness *h = bench_open("probe", NULL, "depth=8", "depth=8");
    for (uint32_t k = 0; k < 3; k++) {
        ww_harness_put(h, "in", 0, values[k]);
        ww_harness_step(h, 1);
        g_assert_cmpuint(take(h), ==, values[k]);
        ww_harness_step(h, 4);
    }
    g_assert_cmpuint(ww_harness_stat(h, "passed", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "smallest", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "largest", 0), ==, 9);
    g_assert_cmpuint(ww_harness_stat(h, "last", 0), ==, 9);
    g_assert_cmpuint(ww_harness_stat(h, "gap", 2), ==, 2); /* 5 cycles: 4..7 */
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

static void probe_takes_no_bandwidth(void)
{
    WwHarness *h = bench_open("probe", NULL, "depth=8", "depth=3");
    for (WwToken k = 0; k < 5; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 3);
    ww_harness_step(h, 7);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 8);
    take(h);
    take(h);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 8);
    ww_harness_free(h);
}

/* ---- delay --------------------------------------------------------------------------------- */

static void delay_delays(void)
{
    WwHarness *h = bench_open("delay", "cycles=5", "depth=8", "depth=8");
    for (WwToken k = 0; k < 3; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    ww_harness_step(h, 5);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    for (WwToken k = 0; k < 3; k++) {
        ww_harness_step(h, 1);
        g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
        g_assert_cmpuint(take(h), ==, k);
    }
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

static void delay_sleeps(void)
{
    WwHarness *h = bench_open("delay", "cycles=1000", "depth=8", "depth=8");
    ww_harness_step(h, 1);
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    ww_harness_put(h, "in", 0, 1);
    ww_harness_step(h, 1000);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <=, 4);
    ww_harness_free(h);
}

/* Full behind, `cycles` inside: closes up, then refuses; all come out in order, one a cycle. */
static void delay_waits(void)
{
    WwHarness *h = bench_open("delay", "cycles=3", "depth=8", "depth=1");
    for (WwToken k = 0; k < 8; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    ww_harness_step(h, 20);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 8 - 1 - 3);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 20 - 4);
    for (WwToken k = 0; k < 8; k++) {
        g_assert_cmpuint(take(h), ==, k);
        ww_harness_step(h, 1);
    }
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "passed", 0), ==, 8);
    ww_harness_free(h);
}

/* What a delay that has three turns in a cycle waits for a slow sink. */
static uint64_t waits(bool no_sleep)
{
    WwMachine *m = ww_machine_new(test_registry());
    ww_machine_add_domain(m, "core", 1e9, NULL);
    ww_machine_add_phase(m, "main", "core", NULL);
    WwGroup *often = ww_machine_add_group(m, ww_machine_root(m),
                                          &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 3});
    WwComponent *in = test_add(m, NULL, "fifo", "in", -1),
                *out = test_add(m, NULL, "fifo", "out", -1);
    WwComponent *source = test_add(m, NULL, "source", "source", -1);
    WwComponent *delay = test_add(m, often, "delay", "delay", -1);
    WwComponent *sink = test_add(m, NULL, "sink", "sink", -1);
    test_set(in, "depth=1");
    test_set(out, "depth=1");
    test_set(delay, "cycles=2");
    test_set(sink, "interval=7");
    test_join(source, "out", in);
    test_join(delay, "in", in);
    test_join(delay, "out", out);
    test_join(sink, "in", out);
    test_seal(m, no_sleep);
    ww_run(m, 60);
    ww_machine_settle(m);
    uint64_t n = 0;
    ww_stat_sum(m, NULL, "delay", "waited", &n, 1);
    ww_machine_free(m);
    return n;
}

static void delay_repeated(void)
{
    g_assert_cmpuint(waits(true), >, 2 * 50);
    g_assert_cmpuint(waits(false), ==, waits(true));
}

/* ---- counter ------------------------------------------------------------------------------- */

static void counter_counts(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "counter", "limit=25");
    ww_harness_start(h, NULL);
    g_assert_cmpint(ww_run(ww_harness_machine(h), 100), ==, WW_RUN_DONE);
    g_assert_cmpuint(ww_harness_now(h), ==, 25);
    g_assert_cmpuint(ww_harness_stat(h, "ticks", 0), ==, 25);
    ww_harness_free(h);
}

void register_std_tests(void)
{
    g_test_add_func("/std/source/sends", source_sends);
    g_test_add_func("/std/source/waits", source_waits);
    g_test_add_func("/std/sink/takes", sink_takes);
    g_test_add_func("/std/sink/ends_the_run", sink_ends_the_run);
    g_test_add_func("/std/probe/records", probe_records);
    g_test_add_func("/std/probe/takes_no_bandwidth", probe_takes_no_bandwidth);
    g_test_add_func("/std/delay/delays", delay_delays);
    g_test_add_func("/std/delay/sleeps", delay_sleeps);
    g_test_add_func("/std/delay/waits", delay_waits);
    g_test_add_func("/std/delay/repeated", delay_repeated);
    g_test_add_func("/std/counter/counts", counter_counts);
}
