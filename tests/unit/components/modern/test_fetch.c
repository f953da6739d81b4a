/* SPDX-License-Identifier: Apache-2.0 */
/* The fetch stage of a sub-core alone: order, one request a cycle, retirement on the way; and the decode stage. */
#include "tests.h"

#include <ports/tokens.h>
#include <string.h>
#include <testing/fake_barriers.h>
#include <testing/fake_ctas.h>
#include <testing/fake_dependence.h>
#include <testing/fake_fetches.h>
#include <testing/fake_ibuffer.h>
#include <testing/fake_warps.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeIbuffer *buffers;
    WwFakeFetches *fetches;
    WwFakeBarriers *barriers;
    WwFakeDependence *dependence;
    WwFakeCtas *ctas;
} Bench;

static Bench bench(void)
{
    Bench b = {.h = ww_harness_new(test_registry(), "fetch.modern", NULL)};
    ww_harness_channel(b.h, "fetch", "depth=1");
    b.warps = ww_harness_fill(b.h, "warps", NULL, "slots=16");
    b.buffers = ww_harness_fill(b.h, "ibuffer", NULL, NULL);
    b.fetches = ww_harness_fill(b.h, "fetches", NULL, NULL);
    b.barriers = ww_harness_fill(b.h, "barriers", NULL, NULL);
    b.dependence = ww_harness_fill(b.h, "dependence", NULL, NULL);
    b.ctas = ww_harness_fill(b.h, "ctas", NULL, NULL);
    ww_harness_start(b.h, NULL);
    ww_harness_step(b.h, 1);
    b.fetches->result = WW_FETCH_MISS;
    b.buffers->view.last[0] = b.buffers->view.before[0] = 15;
    return b;
}

/* Makes @p warp live, the later the younger, with space in its buffer. */
static void live(Bench *b, uint32_t warp)
{
    ww_fake_warps_live(b->warps, warp, UINT32_MAX);
}

/* A cycle; the warp that was fetched for, or -1. Its buffer is full then. */
static int next(Bench *b)
{
    uint32_t before = b->fetches->accesses;
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->fetches->accesses, <=, before + 1);
    if (b->fetches->accesses == before) {
        return -1;
    }
    b->buffers->view.space &= ~(1ull << b->fetches->warp);
    return (int)b->fetches->warp;
}

static void exited(Bench *b, uint32_t warp)
{
    b->warps->warp[warp].lanes = 0;
    ww_fake_warps_set(b->warps, warp, 0, 0, 0);
}

/* Greedy, the youngest first, those at a barrier last and by number. */
static void in_order(uint32_t launches)
{
    Bench b = bench();
    b.warps->view.launches = launches;
    static const uint32_t ages[] = {7, 3, 9, 1, 4, 8};
    for (uint32_t i = 0; i < G_N_ELEMENTS(ages); i++) {
        live(&b, ages[i]);
    }
    ww_fake_barriers_set(b.barriers, 1ull << 8, 1ull << 4, 0);
    b.buffers->view.last[0] = 3;
    g_assert_cmpint(next(&b), ==, 3);
    g_assert_cmpint(next(&b), ==, 1); /* 8 is held, and 4 */
    g_assert_cmpint(next(&b), ==, 9);
    g_assert_cmpint(next(&b), ==, 7);
    g_assert_cmpint(next(&b), ==, 4);
    g_assert_cmpint(next(&b), ==, 8);
    g_assert_cmpint(next(&b), ==, -1);
    g_assert_true(ww_harness_asleep(b.h));
    ww_harness_free(b.h);
}

static void test_order(void)
{
    in_order(0);
    in_order(UINT32_MAX - 2); /* ages wrap around */
}

/* A greedy warp that is held is the first nevertheless; the one that issued in this cycle is not greedy yet. */
static void test_greedy(void)
{
    Bench b = bench();
    live(&b, 2);
    live(&b, 5);
    live(&b, 6);
    ww_fake_barriers_set(b.barriers, 1ull << 2, 0, 0);
    b.buffers->view.last[0] = 2;
    g_assert_cmpint(next(&b), ==, 2);
    ww_fake_ibuffer_space(b.buffers, 2, true);
    b.buffers->view.before[0] = 5;
    b.buffers->view.issued[0] = ww_harness_now(b.h); /* 2 issues in the next cycle */
    g_assert_cmpint(next(&b), ==, 5);
    g_assert_cmpint(next(&b), ==, 2);
    g_assert_cmpint(next(&b), ==, 6);
    ww_harness_free(b.h);
}

/* What comes back goes to decode in the cycle in which another request is sent. */
static void test_response(void)
{
    Bench b = bench();
    WwToken token;
    live(&b, 2);
    g_assert_cmpint(next(&b), ==, 2);
    ww_fake_fetches_return(b.fetches, 2, 0x70);
    ww_fake_ibuffer_space(b.buffers, 2, true);
    g_assert_cmpint(next(&b), ==, 2);
    g_assert_cmphex(b.fetches->pc, ==, 0x10);
    g_assert_true(ww_harness_take(b.h, "fetch", NULL, &token));
    g_assert_cmpuint(ww_fetch_warp(token), ==, 2);
    g_assert_cmphex(ww_fetch_pc(token), ==, 0x70);
    ww_harness_free(b.h);
}

/* What is there at once goes to decode at once; a refused one is tried again. */
static void test_answers(void)
{
    Bench b = bench();
    WwToken token;
    live(&b, 2);
    b.fetches->result = WW_FETCH_FAIL;
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(b.fetches->accesses, ==, 3);
    g_assert_cmpuint(b.buffers->refusals, ==, 3);
    g_assert_cmphex(b.fetches->pc, ==, 0);
    g_assert_false(ww_harness_take(b.h, "fetch", NULL, &token));
    b.fetches->result = WW_FETCH_HIT;
    g_assert_cmpint(next(&b), ==, 2);
    g_assert_true(ww_harness_take(b.h, "fetch", NULL, &token));
    g_assert_cmphex(ww_fetch_pc(token), ==, 0);
    g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(b.h, "requests", 0), ==, 1);
    ww_harness_free(b.h);
}

/* While the cache says that it refuses again, the stage sleeps, and what it would have been refused is counted. */
static void test_refused(void)
{
    Bench b = bench();
    b.fetches->result = WW_FETCH_FAIL;
    b.fetches->refuses = true;
    live(&b, 2);
    live(&b, 5);
    ww_harness_step(b.h, 4);
    g_assert_cmpuint(b.fetches->accesses, ==, 1);
    g_assert_cmpuint(b.fetches->warp, ==, 5);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, 4);
    g_assert_cmpuint(b.fetches->refused, ==, 3);
    g_assert_cmpuint(b.fetches->last, ==, ww_harness_now(b.h) - 1);
    ww_fake_ibuffer_space(b.buffers, 2,
                          true); /* as an issue does: looked at again, and refused again */
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(b.fetches->accesses, ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, 7);
    g_assert_cmpuint(b.fetches->refused, ==, 5);
    g_assert_cmpuint(b.fetches->last, ==, ww_harness_now(b.h) - 1);
    b.fetches->result = WW_FETCH_MISS;
    ww_fake_fetches_again(b.fetches);
    g_assert_cmpint(next(&b), ==, 5);
    g_assert_cmpint(next(&b), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, 7);
    ww_harness_free(b.h);
}

/* It does not sleep where the next turn may go to another warp, or retire one: of these changes nobody tells it. */
static void test_refused_awake(void)
{
    enum { ISSUED, HELD, MEMBAR, OVER, ENDED, FULL, CASES };
    for (uint32_t i = 0; i < CASES; i++) {
        Bench b = bench();
        b.fetches->result = WW_FETCH_FAIL;
        b.fetches->refuses = true;
        live(&b, 2);
        live(&b, 5);
        if (i == ISSUED) {
            b.buffers->view.before[0] = 2;
            b.buffers->view.issued[0] = ww_harness_now(b.h);
        } else if (i == OVER) {
            b.dependence->pending = 1ull << 2;
            exited(&b, 2);
        } else if (i == ENDED) {
            b.buffers->view.ended = 1ull << 2;
            b.buffers->view.space &= ~(1ull << 2);
            ww_fake_warps_set(b.warps, 2, 1, 0, 0); /* what is in flight may exit it yet */
        } else if (i == FULL) {
            ww_fake_fetches_return(b.fetches, 5, 0);
        } else {
            ww_fake_barriers_set(b.barriers, i == HELD ? 1ull << 2 : 0, i == MEMBAR ? 1ull << 2 : 0,
                                 0);
        }
        ww_harness_step(b.h, 1);
        g_assert_cmpuint(b.fetches->accesses, ==, 1);
        g_assert_false(ww_harness_asleep(b.h));
        ww_harness_step(b.h, 1);
        g_assert_cmpuint(b.fetches->accesses, ==, i == FULL ? 1 : 2); /* full: the latch is */
        g_assert_cmpuint(b.fetches->warp, ==, 5);
        g_assert_cmpuint(ww_harness_stat(b.h, "refusals", 0), ==, i == FULL ? 1 : 2);
        ww_harness_free(b.h);
    }
}

/* A finished warp is retired when the walk passes it: not behind one that is fetched for; and not before its counters are 0. */
static void test_retire(void)
{
    Bench b = bench();
    live(&b, 2);
    live(&b, 5);
    live(&b, 9);
    live(&b, 11);
    exited(&b, 2);
    exited(&b, 9);
    ww_fake_barriers_set(b.barriers, 1ull << 5, 0, 0);
    g_assert_cmpint(next(&b), ==, 11); /* the youngest: all that have exited are behind it */
    g_assert_cmphex(b.ctas->retired, ==, 0);
    g_assert_cmpint(next(&b), ==, 5); /* held: by number among those that have exited */
    g_assert_cmphex(b.ctas->retired, ==, 1ull << 2);
    b.dependence->pending = 1ull << 9;
    g_assert_cmpint(next(&b), ==, -1);
    g_assert_cmphex(b.ctas->retired, ==, 1ull << 2);
    b.dependence->pending = 0;
    g_assert_cmpint(next(&b), ==, -1);
    g_assert_cmphex(b.ctas->retired, ==, 1ull << 2 | 1ull << 9);
    g_assert_false(b.warps->view.resident >> 9 & 1u);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(ww_harness_stat(b.h, "retired", 0), ==, 2);
    ww_harness_free(b.h);
}

/* What keeps a warp: stores, atomics, instructions in flight. A greedy one that is finished is retired first. */
static void test_retire_late(void)
{
    Bench b = bench();
    live(&b, 2);
    live(&b, 3);
    b.buffers->view.last[0] = 2;
    b.warps->warp[2].lanes = 0;
    ww_fake_warps_set(b.warps, 2, 1, 0, 0);
    g_assert_cmpint(next(&b), ==, 3);
    ww_fake_warps_set(b.warps, 2, 0, 1, 0);
    next(&b);
    ww_fake_warps_set(b.warps, 2, 0, 0, 1);
    next(&b);
    g_assert_cmphex(b.ctas->retired, ==, 0);
    ww_fake_warps_set(b.warps, 2, 0, 0, 0);
    ww_fake_ibuffer_space(b.buffers, 3, true);
    g_assert_cmpint(next(&b), ==, 3);
    g_assert_cmphex(b.ctas->retired, ==, 1ull << 2);
    ww_harness_free(b.h);
}

/* Without a warp here nothing is taken: it waits in the cache. */
static void test_empty_sub_core(void)
{
    Bench b = bench();
    ww_fake_fetches_return(b.fetches, 2, 0x70);
    ww_harness_step(b.h, 3);
    g_assert_true(b.fetches->ready);
    live(&b, 3);
    ww_harness_step(b.h, 1);
    g_assert_false(b.fetches->ready);
    g_assert_cmpuint(ww_harness_count(b.h, "fetch"), ==, 1);
    ww_harness_free(b.h);
}

/* Lanes that have not exited when the trace is over: the trace is wrong. */
static void test_bad_end(void)
{
    Bench b = bench();
    live(&b, 3);
    b.buffers->view.space = 0;
    b.buffers->view.ended = 1ull << 3;
    ww_fake_warps_set(b.warps, 3, 1, 0, 0); /* the last instruction may exit them yet */
    ww_harness_step(b.h, 2);
    g_assert_false(ww_harness_asleep(b.h));
    ww_fake_warps_set(b.warps, 3, 0, 0, 0);
    g_assert_cmpint(ww_run(ww_harness_machine(b.h), 5), ==, WW_RUN_FAILED);
    ww_harness_free(b.h);
}

/* A report of a hang says for each warp what it waits for. */
static void test_explains(void)
{
    Bench b = bench();
    live(&b, 1);
    live(&b, 2);
    exited(&b, 2);
    live(&b, 6);
    exited(&b, 6);
    b.buffers->view.space = 0;
    g_autofree char *text = ww_machine_explain(ww_harness_machine(b.h));
    g_assert_nonnull(strstr(text, "warp 1 waits for instructions"));
    g_assert_nonnull(strstr(text, "warp 2 has exited with a counter or a register pending"));
    g_assert_nonnull(strstr(text, "warp 6 has exited with a counter or a register pending"));
    g_assert_null(strstr(text, "is refused"));
    ww_harness_free(b.h);
}

static void test_decode(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "decode.modern", NULL);
    ww_harness_channel(h, "fetch", "depth=1");
    WwFakeIbuffer *buffers = ww_harness_fill(h, "ibuffer", NULL, NULL);
    ww_harness_start(h, NULL);
    ww_harness_put(h, "fetch", -1, ww_fetch_token(3, 0x120));
    ww_harness_step(h, 1);
    g_assert_cmpuint(buffers->decodes, ==, 1);
    g_assert_cmpuint(buffers->warp, ==, 3);
    g_assert_cmphex(buffers->decoded_pc, ==, 0x120);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_stat(h, "decoded", 0), ==, 1);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

void register_fetch_modern_tests(void)
{
    g_test_add_func("/modern/fetch/order", test_order);
    g_test_add_func("/modern/fetch/greedy", test_greedy);
    g_test_add_func("/modern/fetch/response", test_response);
    g_test_add_func("/modern/fetch/answers", test_answers);
    g_test_add_func("/modern/fetch/refused", test_refused);
    g_test_add_func("/modern/fetch/refused-awake", test_refused_awake);
    g_test_add_func("/modern/fetch/retire", test_retire);
    g_test_add_func("/modern/fetch/retire-late", test_retire_late);
    g_test_add_func("/modern/fetch/empty-sub-core", test_empty_sub_core);
    g_test_add_func("/modern/fetch/bad-end", test_bad_end);
    g_test_add_func("/modern/fetch/explains", test_explains);
    g_test_add_func("/modern/decode", test_decode);
}
