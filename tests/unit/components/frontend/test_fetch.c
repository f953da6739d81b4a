/* SPDX-License-Identifier: Apache-2.0 */
/* The fetch unit alone: rotation, retirement on the way, misses, sleep. */
#include "tests.h"

#include <string.h>
#include <testing/fake_ctas.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeSimt *simt;
    WwFakeICache *icache;
    WwFakeCtas *ctas;
    WwHazardView hazards;
} Bench;

static Bench *bench_of(const char *params, const char *buffer)
{
    Bench *b = g_new0(Bench, 1);
    b->h = ww_harness_new(test_registry(), "fetch_unit", params);
    ww_harness_channel(b->h, "fetch", buffer);
    b->warps = ww_harness_fill(b->h, "warps", NULL, NULL);
    b->simt = ww_harness_fill(b->h, "simt", NULL, NULL);
    b->icache = ww_harness_fill(b->h, "icache", NULL, NULL);
    b->ctas = ww_harness_fill(b->h, "ctas", NULL, NULL);
    ww_harness_provide(b->h, "scoreboard", &test_scoreboard, &b->hazards);
    ww_harness_start(b->h, NULL);
    ww_harness_step(b->h, 1);
    return b;
}

static Bench *bench_with(const char *params)
{
    return bench_of(params, "depth=1");
}

static Bench *bench(void)
{
    return bench_with(NULL);
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    g_free(b);
}

/*
 * One tick; the warp that was fetched for, or -1. The group is decoded: the i-buffer holds
 * something.
 */
static int next(Bench *b)
{
    WwToken token;
    ww_harness_step(b->h, 1);
    if (!ww_harness_take(b->h, "fetch", NULL, &token)) {
        return -1;
    }
    uint32_t w = ww_fetch_warp(token);
    g_assert_cmphex(ww_fetch_pc(token), ==, b->simt->pc[w]);
    b->warps->view.ibuf |= 1ull << w;
    return (int)w;
}

/* The warp's i-buffer is empty again, and the unit is told as the contract says. */
static void empty(Bench *b, uint32_t warp)
{
    b->warps->view.ibuf &= ~(1ull << warp);
    ww_fake_warps_set(b->warps, warp, 0, 0, 0);
}

/* Warp @p warp has exited; nothing keeps it but what the counters say. */
static void exited(Bench *b, uint32_t warp, uint32_t in_pipeline, uint32_t stores)
{
    ww_fake_warps_live(b->warps, warp, 1);
    b->warps->warp[warp].lanes = 0;
    ww_fake_warps_set(b->warps, warp, in_pipeline, stores, 0);
}

static void test_rotation(void)
{
    Bench *b = bench();
    g_assert_true(ww_harness_asleep(b->h));
    static const uint32_t live[] = {0, 1, 7, 63};
    for (uint32_t i = 0; i < G_N_ELEMENTS(live); i++) {
        ww_fake_warps_live(b->warps, live[i], UINT32_MAX);
        b->simt->pc[live[i]] = 16 * live[i];
    }
    g_assert_cmpint(next(b), ==, 1); /* the last fetched is 0 at first */
    g_assert_cmpint(next(b), ==, 7);
    g_assert_cmpint(next(b), ==, 63);
    g_assert_cmpint(next(b), ==, 0);
    g_assert_cmpint(next(b), ==, -1);
    g_assert_true(ww_harness_asleep(b->h));
    empty(b, 0);
    empty(b, 7);
    g_assert_cmpint(next(b), ==, 7);
    g_assert_cmpint(next(b), ==, 0);
    g_assert_cmpuint(ww_harness_stat(b->h, "groups", 0), ==, 6);
    done(b);
}

static void test_buffer_full(void)
{
    Bench *b = bench();
    ww_fake_warps_live(b->warps, 2, UINT32_MAX);
    ww_fake_warps_live(b->warps, 3, UINT32_MAX);
    ww_harness_step(b->h, 5);
    g_assert_cmpuint(ww_harness_count(b->h, "fetch"), ==, 1);
    g_assert_cmpuint(b->icache->accesses, ==, 1);
    g_assert_true(ww_harness_asleep(b->h));
    WwToken token;
    g_assert_true(ww_harness_take(b->h, "fetch", NULL, &token)); /* the freed slot wakes it */
    b->warps->view.ibuf |= 4;
    g_assert_cmpint(next(b), ==, 3);
    done(b);
}

/* A warp whose group is still in a deeper buffer, or on its way through it, is not fetched for again. */
static void test_deep_buffer(void)
{
    Bench *b = bench_of(NULL, "depth=4 latency=3");
    ww_fake_warps_live(b->warps, 2, UINT32_MAX);
    ww_fake_warps_live(b->warps, 3, UINT32_MAX);
    ww_harness_step(b->h, 2);
    g_assert_cmpuint(b->icache->accesses, ==, 2);
    g_assert_true(ww_harness_asleep(b->h));
    ww_harness_step(b->h, 10);
    g_assert_cmpuint(b->icache->accesses, ==, 2);
    g_assert_cmpint(next(b), ==, 2);
    empty(b, 2); /* decoded, issued: now it is */
    g_assert_cmpint(next(b), ==, 3);
    ww_harness_step(b->h, 4);
    g_assert_cmpuint(b->icache->accesses, ==, 3);
    g_assert_cmpint(next(b), ==, 2);
    done(b);
}

/* Finished warps are retired as long as no fetchable warp comes first in the rotation. */
static void test_retire_order(void)
{
    Bench *b = bench();
    exited(b, 2, 0, 0);
    exited(b, 9, 0, 0);
    exited(b, 0, 0, 0);
    ww_fake_warps_live(b->warps, 5, UINT32_MAX);
    g_assert_cmpint(next(b), ==, 5);
    g_assert_cmphex(b->ctas->retired, ==, 1u << 2); /* 9 and 0 were not visited */
    ww_fake_warps_live(b->warps, 4, UINT32_MAX);
    g_assert_cmpint(next(b), ==, 4); /* 6 .. 63, 0 .. 3 on the way */
    g_assert_cmphex(b->ctas->retired, ==, 1u << 2 | 1u << 9 | 1u);
    g_assert_cmpuint(b->warps->total.retire, ==, 3);
    g_assert_cmpuint(ww_harness_stat(b->h, "retired", 0), ==, 3);
    g_assert_cmpint(next(b), ==, -1);
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

/* visit_ends = false: those behind the fetched warp are noticed, too. */
static void test_retire_all(void)
{
    Bench *b = bench_with("visit_ends=false");
    exited(b, 2, 0, 0);
    exited(b, 9, 0, 0);
    exited(b, 0, 0, 0);
    ww_fake_warps_live(b->warps, 5, UINT32_MAX);
    g_assert_cmpint(next(b), ==, 5);
    g_assert_cmphex(b->ctas->retired, ==, 1u << 2 | 1u << 9 | 1u);
    g_assert_cmpuint(b->ctas->retires, ==, 3);
    done(b);
}

static void test_retire_several(void)
{
    Bench *b = bench();
    exited(b, 0, 0, 0);
    exited(b, 31, 0, 0);
    exited(b, 63, 0, 0);
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->ctas->retires, ==, 3);
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

/* Instructions in flight, open stores, atomics and pending registers each keep a warp. */
static void test_retire_conditions(void)
{
    Bench *b = bench();
    exited(b, 1, 1, 0);
    exited(b, 2, 0, 1);
    exited(b, 3, 0, 0);
    b->hazards.pending = 1u << 3;
    exited(b, 4, 0, 0);
    exited(b, 5, 0, 0);
    ww_fake_warps_set(b->warps, 5, 0, 0, 7);
    ww_harness_step(b->h, 3);
    g_assert_cmphex(b->ctas->retired, ==, 1u << 4);
    g_assert_true(ww_harness_asleep(b->h));
    b->hazards.pending = 0;
    ww_fake_warps_set(b->warps, 1, 0, 0, 0);
    ww_fake_warps_set(b->warps, 2, 0, 0, 0);
    ww_harness_step(b->h, 1);
    g_assert_cmphex(b->ctas->retired, ==, 0x1e);
    ww_fake_warps_set(b->warps, 5, 0, 0, 0);
    ww_harness_step(b->h, 1);
    g_assert_cmphex(b->ctas->retired, ==, 0x3e);
    done(b);
}

static void test_miss(void)
{
    Bench *b = bench();
    ww_fake_warps_live(b->warps, 1, UINT32_MAX);
    ww_fake_warps_live(b->warps, 2, UINT32_MAX);
    b->icache->result = WW_FETCH_MISS;
    g_assert_cmpint(next(b), ==, -1);
    g_assert_cmphex(b->warps->view.imiss, ==, 2);
    b->icache->result = WW_FETCH_HIT;
    g_assert_cmpint(next(b), ==, 2); /* the rotation moved on */
    g_assert_cmpint(next(b), ==, -1);
    g_assert_true(ww_harness_asleep(b->h));
    ww_fake_warps_live(b->warps, 3, UINT32_MAX);
    ww_fake_icache_return(b->icache, 1);
    g_assert_cmpint(next(b), ==, 1); /* first what came back, and nothing else in that turn */
    g_assert_cmphex(b->warps->view.imiss, ==, 0);
    g_assert_cmpint(next(b), ==, 3);
    empty(b, 2);
    empty(b, 1);
    g_assert_cmpint(next(b), ==, 1); /* the miss did not move the rotation; 3 did */
    g_assert_cmpuint(ww_harness_stat(b->h, "misses", 0), ==, 1);
    done(b);
}

/* A refused access moves the rotation and is tried again. */
static void test_refusal(void)
{
    Bench *b = bench();
    ww_fake_warps_live(b->warps, 1, UINT32_MAX);
    ww_fake_warps_live(b->warps, 2, UINT32_MAX);
    b->icache->result = WW_FETCH_FAIL;
    g_assert_cmpint(next(b), ==, -1);
    g_assert_cmpuint(b->icache->warp, ==, 1);
    g_assert_cmpint(next(b), ==, -1);
    g_assert_cmpuint(b->icache->warp, ==, 2);
    b->icache->result = WW_FETCH_HIT;
    g_assert_cmpint(next(b), ==, 1);
    g_assert_cmpuint(ww_harness_stat(b->h, "refusals", 0), ==, 2);
    done(b);
}

/* A warp that has nothing left to execute and lanes that never exited: an error of the trace. */
static void test_trace_ends(void)
{
    Bench *b = bench();
    ww_fake_warps_live(b->warps, 6, 0xff00u);
    b->warps->warp[6].n_trace = b->warps->warp[6].cursor = 12;
    ww_harness_step(b->h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(b->h));
    g_assert_error(error, WW_ERROR, WW_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, "after 12 instructions while lanes 0000ff00"));
    done(b);
}

/*
 * The instruction cache gets a cycle at the end of each turn, slept ones are told; while it is busy
 * the unit stays awake.
 */
static void test_cache_cycles(void)
{
    Bench *b = bench();
    ww_harness_step(b->h, 20);
    g_assert_true(ww_harness_asleep(b->h));
    ww_machine_settle(ww_harness_machine(b->h));
    g_assert_cmpuint(b->icache->cycles, ==, 21);
    ww_fake_icache_busy(b->icache, true);
    ww_fake_warps_live(b->warps, 2, UINT32_MAX);
    ww_harness_step(b->h, 4); /* the fetch buffer is full from the first turn on */
    g_assert_false(ww_harness_asleep(b->h));
    g_assert_cmpuint(b->icache->accesses, ==, 1);
    g_assert_cmpuint(b->icache->cycles, ==, 25);
    ww_fake_icache_busy(b->icache, false);
    ww_harness_step(b->h, 1);
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

/* A report of a hang says for each warp that misses what it waits for. */
static void test_explains(void)
{
    Bench *b = bench();
    ww_fake_warps_live(b->warps, 1, UINT32_MAX);
    ww_fake_warps_live(b->warps, 3, UINT32_MAX);
    b->icache->result = WW_FETCH_MISS;
    g_assert_cmpint(next(b), ==, -1);
    g_autofree char *one = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_nonnull(strstr(one, "warp 1 waits for an instruction miss"));
    g_assert_null(strstr(one, "warp 3 "));
    g_assert_cmpint(next(b), ==, -1);
    g_autofree char *two = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_nonnull(strstr(two, "warp 1 waits for an instruction miss"));
    g_assert_nonnull(strstr(two, "warp 3 waits for an instruction miss"));
    done(b);
}

static void test_first_warp(void)
{
    for (int first = 0; first < 3; first += 2) {
        Bench *b = bench_with(first == 0 ? "first_warp=0" : "first_warp=2");
        for (uint32_t w = 0; w < 3; w++) {
            ww_fake_warps_live(b->warps, w, UINT32_MAX);
        }
        for (int w = 0; w < 3; w++) {
            g_assert_cmpint(next(b), ==, (first + w) % 3);
        }
        done(b);
    }
}

void register_fetch_tests(void)
{
    g_test_add_func("/frontend/fetch/rotation", test_rotation);
    g_test_add_func("/frontend/fetch/buffer_full", test_buffer_full);
    g_test_add_func("/frontend/fetch/deep_buffer", test_deep_buffer);
    g_test_add_func("/frontend/fetch/retire_order", test_retire_order);
    g_test_add_func("/frontend/fetch/retire_all", test_retire_all);
    g_test_add_func("/frontend/fetch/retire_several", test_retire_several);
    g_test_add_func("/frontend/fetch/retire_conditions", test_retire_conditions);
    g_test_add_func("/frontend/fetch/miss", test_miss);
    g_test_add_func("/frontend/fetch/refusal", test_refusal);
    g_test_add_func("/frontend/fetch/trace_ends", test_trace_ends);
    g_test_add_func("/frontend/fetch/cache_cycles", test_cache_cycles);
    g_test_add_func("/frontend/fetch/first_warp", test_first_warp);
    g_test_add_func("/frontend/fetch/explains", test_explains);
}
