/* SPDX-License-Identifier: Apache-2.0 */
/* Wires and signals: values without back-pressure. */
#include "tests.h"

#include <string.h>

static void test_wire(void)
{
    Bench *b = bench_open("wire", "", "number_wire", 1, 1);
    const WwPort *out = &b->writer[0]->port, *in = &b->reader[0]->port;
    g_assert_false(ww_wire_ready(in));
    ww_wire_put(out, 3);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->reader[0]), ==, 1);
    g_assert_true(ww_wire_ready(in));
    bench_fill(b, 1, 1, 1);
    g_assert_cmpuint(ww_wire_take(in), ==, 3);
    bench_fill(b, 0, 0, 1);
    g_assert_false(ww_wire_ready(in));
    ww_wire_put(out, 4);
    ww_machine_reset(b->m);
    g_assert_false(ww_wire_ready(in));
    bench_free(b);
}

static void test_overrun(void)
{
    Bench *b = bench_open("wire", "", "number_wire", 1, 1);
    ww_wire_put(&b->writer[0]->port, 3);
    ww_wire_put(&b->writer[0]->port, 4);
    g_assert_cmpint(ww_run(b->m, 5), ==, WW_RUN_FAILED);
    const char *text = ww_machine_error(b->m)->message;
    g_assert_true(g_str_has_prefix(
        text, "channel: token 4 put while 3 is still on the wire; expected that in[0] takes"));
    bench_free(b);
    bench_refused(bench_new("wire", "", "number_wire", 1, 2), "wire has 2 readers; expected one");
}

/* A change wakes all readers, the same level again nobody; a reset brings the first level back. */
static void test_signal(void)
{
    Bench *b = bench_open("signal", "initial=5", "level", 1, 3);
    const WwPort *out = &b->writer[0]->port;
    WwFill fill;
    g_assert_false(ww_channel_fill(b->channel, &fill)); /* a level has no places */
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_cmpuint(ww_signal_read(&b->reader[i]->port), ==, 5);
    }
    ww_signal_write(out, 5);
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->reader[1]), ==, 0);
    ww_signal_write(out, 6);
    bench_step(b, 2);
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_cmpuint(bench_runs(b->reader[i]), ==, 1);
        g_assert_cmpuint(ww_signal_read(&b->reader[i]->port), ==, 6);
    }
    ww_machine_reset(b->m);
    g_assert_cmpuint(ww_signal_read(&b->reader[0]->port), ==, 5);
    bench_free(b);
}

/* What a harness does with any channel, by its table: a level is written and read, and is not used up. */
static void test_signal_any(void)
{
    Bench *b = bench_open("signal", "initial=5", "level", 1, 2);
    const WwChannelOps *ops = ww_signal_type.channel;
    const WwPort *in = &b->reader[0]->port;
    g_assert_true(ops->put(&b->writer[0]->port, 0, 6));
    bench_step(b, 2);
    g_assert_cmpuint(bench_runs(b->reader[1]), ==, 1);
    for (uint32_t i = 0; i < 2; i++) {
        WwToken token = 0;
        int slot = -1;
        g_assert_cmpuint(ops->count(in), ==, 1);
        g_assert_true(ops->take(in, &slot, &token));
        g_assert_cmpint(slot, ==, 0);
        g_assert_cmpuint(token, ==, 6);
    }
    bench_free(b);
}

void add_wire_tests(void)
{
    g_test_add_func("/ports/wire/take", test_wire);
    g_test_add_func("/ports/wire/overrun", test_overrun);
    g_test_add_func("/ports/signal/levels", test_signal);
    g_test_add_func("/ports/signal/any", test_signal_any);
}
