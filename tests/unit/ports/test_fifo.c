/* SPDX-License-Identifier: Apache-2.0 */
/* Depth, growth, latency, `same`, refusals and what happens to a writer that does not ask. */
#include "tests.h"

#include <string.h>

static const WwPort *out(const Bench *b)
{
    return &b->writer[0]->port;
}

static const WwPort *in(const Bench *b)
{
    return &b->reader[0]->port;
}

static void test_depth(void)
{
    Bench *b = bench_open("fifo", "depth=2", "number", 2, 1);
    g_assert_true(ww_fifo_room(out(b)));
    ww_fifo_put(out(b), 1);
    bench_fill(b, 1, 1, 2);
    ww_fifo_put(out(b), 2);
    bench_fill(b, 2, 2, 2);
    g_assert_false(ww_fifo_room(&b->writer[1]->port));
    bench_step(b, 3);
    g_assert_cmpuint(bench_runs(b->reader[0]), ==, 1);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 0);
    g_assert_cmpuint(ww_fifo_peek(in(b)), ==, 1);
    g_assert_cmpuint(ww_fifo_take(in(b)), ==, 1);
    bench_step(b, 3);
    g_assert_cmpuint(bench_runs(b->writer[1]), ==, 1); /* who was refused, and nobody else */
    g_assert_cmpuint(bench_runs(b->writer[0]), ==, 0);
    g_assert_cmpuint(ww_fifo_length(in(b)), ==, 1);
    g_assert_cmpuint(ww_fifo_take(in(b)), ==, 2);
    g_assert_false(ww_fifo_ready(in(b)));
    bench_free(b);
}

/* A ring that grows while it wraps keeps the order. */
static void test_unbounded(const char *params)
{
    Bench *b = bench_open("fifo", params, "number", 1, 1);
    uint64_t put = 0, taken = 0;
    for (int round = 0; round < 40; round++) {
        for (int k = 0; k < 3 + round; k++) {
            g_assert_true(ww_fifo_room(out(b)));
            ww_fifo_put(out(b), put++);
        }
        bench_step(b, 4);
        for (int k = 0; k < 2 + round / 2; k++) {
            g_assert_true(ww_fifo_ready(in(b)));
            g_assert_cmpuint(ww_fifo_take(in(b)), ==, taken++);
        }
    }
    g_assert_cmpuint(ww_fifo_length(in(b)), ==, put - taken);
    uint64_t most, puts;
    ww_stat_sum(b->m, NULL, "fifo", "most", &most, 1);
    ww_stat_sum(b->m, NULL, "fifo", "puts", &puts, 1);
    g_assert_cmpuint(puts, ==, put);
    g_assert_cmpuint(most, >=, put - taken);
    ww_machine_reset(b->m);
    g_assert_cmpuint(ww_fifo_length(in(b)), ==, 0);
    bench_free(b);
}

static void test_grows(void)
{
    test_unbounded("depth=0");
    test_unbounded("depth=0 latency=2");
}

static void put_now(Hand *h)
{
    ww_fifo_put(&h->port, 42);
    h->seen = ww_now(h);
    h->act = NULL;
}

static void take_now(Hand *h)
{
    if (ww_fifo_ready(&h->port)) {
        ww_fifo_take(&h->port);
        h->seen = ww_now(h);
        h->data++;
    }
}

/* How many cycles after the put the reader sees the token; it wakes exactly once. */
static uint64_t travel(const char *params)
{
    Bench *b = bench_open("fifo", params, "number", 1, 1);
    Hand *w = b->writer[0], *r = b->reader[0];
    WwWake wake = ww_wake_of(w, 0);
    w->act = put_now;
    r->act = take_now;
    ww_wake(&wake);
    bench_step(b, 50);
    g_assert_cmpuint(r->data, ==, 1);
    g_assert_cmpuint(bench_runs(r), ==, 1);
    uint64_t cycles = r->seen - w->seen;
    bench_free(b);
    return cycles;
}

/* As many are visible as can be taken one after the other, in each cycle; those on their way are in the queue only. */
static void test_visible(void)
{
    Bench *b = bench_open("fifo", "depth=0 latency=3", "number", 1, 1);
    uint32_t put = 0, taken = 0;
    for (uint32_t cycle = 0; cycle < 20; cycle++) {
        for (uint32_t k = 0; cycle < 6 && k < cycle % 3; k++) { /* 0, 1, 2 a cycle */
            ww_fifo_put(out(b), put++);
        }
        uint32_t visible = ww_fifo_visible(in(b)), length = ww_fifo_length(in(b));
        g_assert_cmpuint(length, ==, put - taken);
        uint32_t n = 0;
        for (; ww_fifo_ready(in(b)); n++) {
            g_assert_cmpuint(ww_fifo_take(in(b)), ==, taken++);
        }
        g_assert_cmpuint(visible, ==, n);
        bench_step(b, 1);
    }
    g_assert_cmpuint(taken, ==, 6);
    bench_free(b);
}

static void test_latency(void)
{
    g_assert_cmpuint(travel("depth=1"), ==, 1);
    g_assert_cmpuint(travel("depth=1 same=true"), ==, 0);
    g_assert_cmpuint(travel("depth=1 latency=1"), ==, 1);
    g_assert_cmpuint(travel("depth=1 latency=7"), ==, 7);
}

/* The error names the channel, the token and what was expected; the run ends. */
static void test_overrun(void)
{
    Bench *b = bench_open("fifo", "depth=1", "number", 1, 1);
    ww_fifo_put(out(b), 17);
    ww_fifo_put(out(b), 18);
    g_assert_cmpint(ww_run(b->m, 5), ==, WW_RUN_FAILED);
    const char *text = ww_machine_error(b->m)->message;
    g_assert_true(
        g_str_has_prefix(text, "channel: token 18 put while all 1 places are taken; expected "));
    bench_free(b);
}

/* A token taken where none is: found by the writer that asks for room, by one that puts, and by whoever looks at tokens. */
static void test_overdrawn(void)
{
    for (int how = 0; how < 3; how++) {
        Bench *b = bench_new("fifo", how == 1 ? "depth=0" : "depth=2", "number", 1, 1);
        ww_machine_set_fingerprint(b->m, how == 2);
        g_assert_true(ww_machine_seal(b->m, NULL));
        ww_fifo_take(&b->reader[0]->port);
        if (how == 0) {
            ww_fifo_room(out(b));
        } else if (how == 1) {
            ww_fifo_put(out(b), 1);
        }
        g_assert_cmpint(ww_run(b->m, 5), ==, WW_RUN_FAILED);
        g_assert_true(
            g_str_has_prefix(ww_machine_error(b->m)->message,
                             "channel: a token was taken of an empty queue; expected a reader"));
        bench_free(b);
    }
}

static void test_refused(void)
{
    bench_refused(bench_new("fifo", "same=true latency=2", "number", 1, 1),
                  "same = true and latency = 2; expected one");
    bench_refused(bench_new("fifo", "", "number", 1, 2), "2 readers; expected one");
    bench_refused(bench_new("fifo", "", "number", 0, 1),
                  "has readers but no writer; expected both");
}

static uint32_t ten_each(WwToken token)
{
    return (uint32_t)token * 10;
}

/* A reader that measures: room by bytes in its units, with what it took and still holds; the depth says nothing. */
static void test_gauge(void)
{
    Bench *b = bench_open("fifo", "depth=1", "number", 2, 1);
    WwFifoGauge gauge = {.unit = 8, .capacity = 9, .bytes = ten_each};
    ww_fifo_measure(in(b), &gauge);
    g_assert_true(ww_fifo_room_for(out(b), 72));
    ww_fifo_put(out(b), 1); /* 10 bytes: 2 units */
    ww_fifo_put(out(b), 2); /* 3 units */
    ww_fifo_put(out(b), 1);
    g_assert_cmpuint(ww_fifo_length(in(b)), ==, 3);
    g_assert_true(ww_fifo_room_for(out(b), 16));
    g_assert_true(ww_fifo_room(out(b)));
    g_assert_false(ww_fifo_room_for(out(b), 17));
    ww_fifo_replace(out(b), 1, 3);
    g_assert_false(ww_fifo_room_for(out(b), 16)); /* 30 bytes there now: 4 units */
    g_assert_cmpuint(ww_fifo_take(in(b)), ==, 1);
    gauge.held = 2;         /* it has the packet still */
    bench_fill(b, 2, 8, 9); /* 2 held, 4 and 2 in the queue */
    g_assert_false(ww_fifo_room_for(&b->writer[1]->port, 16));
    gauge.held = 0;
    const WwFifo *f = in(b)->peer;
    g_assert_cmpuint(f->refused, !=, 0);
    ww_fifo_freed(in(b));
    g_assert_cmpuint(f->refused, ==, 0);
    g_assert_true(ww_fifo_room_for(out(b), 24));
    for (int i = 0; i < 20; i++) { /* more than was asked for: nothing is lost */
        ww_fifo_put(out(b), 4);
    }
    g_assert_cmpuint(ww_fifo_take(in(b)), ==, 3);
    g_assert_cmpuint(ww_fifo_put_at(in(b)), ==, 1);
    g_assert_cmpuint(ww_fifo_length(in(b)), ==, 21);
    bench_free(b);
}

/* What would not fit into an empty queue ends the run, in the words of the reader. */
static void test_gauge_too_small(void)
{
    Bench *b = bench_open("fifo", "depth=1", "number", 2, 1);
    WwFifoGauge gauge = {.unit = 8, .capacity = 9, .name = "room", .bytes = ten_each};
    ww_fifo_measure(in(b), &gauge);
    gauge.held = 9;
    g_assert_false(ww_fifo_room_for(out(b), 72));
    g_assert_no_error(ww_machine_error(b->m));
    g_assert_false(ww_fifo_room_for(out(b), 73));
    g_assert_error(ww_machine_error(b->m), WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(ww_machine_error(b->m)->message,
                            "room = 9, and what is 73 bytes long needs 10 places of 8"));
    bench_free(b);
}

void add_fifo_tests(void)
{
    g_test_add_func("/ports/fifo/depth", test_depth);
    g_test_add_func("/ports/fifo/grows", test_grows);
    g_test_add_func("/ports/fifo/latency", test_latency);
    g_test_add_func("/ports/fifo/visible", test_visible);
    g_test_add_func("/ports/fifo/overrun", test_overrun);
    g_test_add_func("/ports/fifo/overdrawn", test_overdrawn);
    g_test_add_func("/ports/fifo/refused", test_refused);
    g_test_add_func("/ports/fifo/gauge", test_gauge);
    g_test_add_func("/ports/fifo/gauge_too_small", test_gauge_too_small);
}
