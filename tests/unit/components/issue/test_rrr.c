/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.rrr among fakes; what it does with warps of other schedulers is in test_rig.c. */
#include "tests.h"

/* In turn, from slot to slot; nobody jumps the queue. */
static void test_strict(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.rrr", "int");
    bench_feed(&b, "222555777");
    bench_expect(&b, "257257257");
    bench_feed(&b, "57");
    bench_expect(&b, "...");
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(bench_cause(&b, "policy"), ==, 3);
    bench_feed(&b, "2");
    bench_expect(&b, "257.");
}

/* Slot 0 has the first turn even if it has nothing to issue. */
static void test_start(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.rrr", "int");
    ww_fake_warps_live(b.warps, 0, UINT32_MAX);
    bench_feed(&b, "34");
    bench_expect(&b, "...");
    bench_feed(&b, "0");
    bench_expect(&b, "034.");
}

/* A register keeps the turn, a barrier passes it on for good. */
static void test_waits(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.rrr", "int");
    bench_feed(&b, "112233");
    bench_expect(&b, "1");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    ww_fake_scoreboard_collide(b.hazard, 3, false);
    bench_expect(&b, "..");
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 2);
    ww_fake_scoreboard_clear(b.hazard, 3);
    bench_expect(&b, ".");
    ww_fake_scoreboard_clear(b.hazard, 2);
    bench_expect(&b, "2");
    ww_fake_barriers_set(b.barriers, 1u << 3, 0, 0);
    bench_expect(&b, "1");
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    bench_expect(&b, "23.");
}

/* Only the warps up to the one that gets the turn are looked at. */
static void test_membar(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.rrr", "int");
    bench_feed(&b, "1");
    bench_expect(&b, "1");
    ww_fake_warps_live(b.warps, 3, UINT32_MAX);
    ww_fake_warps_live(b.warps, 5, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, 0, 1u << 3 | 1u << 5, 0);
    ww_fake_warps_set(b.warps, 3, 0, 0, 7);
    bench_feed(&b, "1");
    bench_expect(&b, "."); /* 3 waits for atomics, 5 gets the turn */
    g_assert_cmpuint(b.barriers->completions, ==, 2);
    ww_fake_barriers_set(b.barriers, 1u << 5, 1u << 1 | 1u << 6, 0);
    ww_fake_warps_live(b.warps, 6, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, 0, 1u << 1 | 1u << 6, 0);
    bench_expect(&b, ".");
    g_assert_cmpuint(b.barriers->completions, ==, 2); /* 5 has the turn again */
}

static void test_last_slot(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.rrr", "int");
    static const uint32_t order[] = {0, 63, 0, 63};
    for (uint32_t i = 0; i < 2; i++) {
        bench_put(&b, 63, WW_OP_ALU);
        bench_put(&b, 0, WW_OP_ALU);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        g_assert_cmpuint(bench_step(&b, "int")->warp, ==, order[i]);
    }
}

/* A guest is tried afresh each tick, keeps the scheduler awake and is reported to its owner. */
static void test_guest(void)
{
    g_auto(Bench) b = bench_open("schedulers=2", NULL, "int");
    ww_harness_step(b.h, 2);
    b.policy->guest = 1;
    bench_feed(&b, "2");
    ww_fake_scoreboard_collide(b.hazard, 1, false);
    bench_feed(&b, "11");
    bench_expect(&b, "2..");
    g_assert_cmphex(b.policy->mine & 3u, ==, 1);
    g_assert_false(ww_harness_asleep(b.h));
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 2);
    g_assert_cmpuint(b.warps->total.touch, ==, 0);
    ww_fake_scoreboard_clear(b.hazard, 1);
    b.hazard->view.changed = 1u << 1;
    bench_expect(&b, "1");
    g_assert_cmphex(b.hazard->view.changed, ==, 1u << 1); /* its owner's */
    g_assert_cmpuint(b.warps->seen[1].touch, ==, 1);
    b.policy->guest = -1;
    bench_expect(&b, "..");
    g_assert_true(ww_harness_asleep(b.h));
}

void register_rrr_tests(void)
{
    g_test_add_func("/issue/scheduler.rrr/strict", test_strict);
    g_test_add_func("/issue/scheduler.rrr/first", test_start);
    g_test_add_func("/issue/scheduler.rrr/waits", test_waits);
    g_test_add_func("/issue/scheduler.rrr/membar", test_membar);
    g_test_add_func("/issue/scheduler.rrr/last_slot", test_last_slot);
    g_test_add_func("/issue/warp_scheduler/guest", test_guest);
}
