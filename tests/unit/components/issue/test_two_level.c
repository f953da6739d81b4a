/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.two_level: who is active, who queues, and when. */
#include "tests.h"

/* A machine of @p warps hardware warps. */
static Bench open_with(const char *params, const char *active, uint32_t warps)
{
    g_autofree char *policy = g_strdup_printf("scheduler.two_level active=%s", active);
    Bench b = bench_open(params, policy, "int=4");
    b.warps->view.slots = warps;
    return b;
}

/* The first two of four take turns; the others are not tried, and do not count. */
static void test_active(void)
{
    g_auto(Bench) b = open_with(NULL, "2", 4);
    bench_feed(&b, "00112233");
    bench_expect(&b, "0101");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    bench_expect(&b, "...");
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, 3);
    g_assert_cmpuint(bench_cause(&b, "policy"), ==, 3);
    g_assert_true(ww_harness_asleep(b.h)); /* nobody is sent away */
}

/* Sent to the queue: at a barrier; before a register that a load writes. Not for a short wait. */
static void check_demotion(bool barrier, bool slow, const char *then)
{
    g_auto(Bench) b = open_with(NULL, "2", 4);
    bench_feed(&b, "00112233");
    bench_expect(&b, "01");
    if (barrier) {
        ww_fake_barriers_set(b.barriers, 1u << 0, 0, 0);
        bench_feed(&b, "1"); /* wakes */
    } else {
        ww_fake_scoreboard_collide(b.hazard, 0, slow);
    }
    bench_expect(&b, then);
}

static void test_demotion(void)
{
    check_demotion(true, false, "1212.");
    check_demotion(false, true, "122.");
    check_demotion(false, false, "1..");
}

/* The order turns so that the place that issued is the last one, not only the warp. */
static void test_turns(void)
{
    g_auto(Bench) b = open_with(NULL, "4", 4);
    ww_fake_scoreboard_collide(b.hazard, 0, false);
    bench_feed(&b, "0012233");
    bench_expect(&b, "1"); /* 0 1 2 3 became 2 3 0 1 */
    ww_fake_scoreboard_clear(b.hazard, 0);
    bench_expect(&b, "230230");
}

/* Two instructions turn it twice by the same place: 0 1 2, 2 0 1, 1 2 0. */
static void test_turns_twice(void)
{
    g_auto(Bench) b = open_with("max_issue=2 dual_issue_diff_units=false", "3", 3);
    ww_fake_warps_live(b.warps, 0, UINT32_MAX);
    ww_fake_warps_live(b.warps, 2, UINT32_MAX);
    bench_feed(&b, "11");
    ww_harness_step(b.h, 1);
    g_assert_nonnull(bench_take(&b, "int"));
    g_assert_nonnull(bench_take(&b, "int"));
    bench_feed(&b, "012");
    bench_expect(&b, "120");
}

/*
 * One place, nobody can use it: it is handed on each tick, also to warps that cannot either. The
 * turn of warp 3 comes in the third tick after its first, and so on.
 */
static void test_hands_on(void)
{
    g_auto(Bench) b = open_with(NULL, "1", 4);
    ww_harness_step(b.h, 8); /* 0 left in tick 0: the place is 1's, and in tick 7 again 0's */
    g_assert_false(ww_harness_asleep(b.h));
    bench_feed(&b, "3");
    bench_expect(&b, "..3.");
    g_assert_true(ww_harness_asleep(b.h)); /* 3 keeps it */
    ww_fake_warps_live(b.warps, 3, 0);
    bench_feed(&b, "2");
    bench_expect(&b, "..2");
}

/* A barrier that ends while its warp queues: back at the end of the queue, not at once. */
static void test_queue_order(void)
{
    g_auto(Bench) b = open_with(NULL, "1", 3);
    for (uint32_t w = 0; w < 3; w++) {
        ww_fake_warps_live(b.warps, w, UINT32_MAX);
    }
    ww_fake_barriers_set(b.barriers, 1u << 0, 0, 0);
    bench_expect(&b, "."); /* 0 goes, 1 comes: queue 2 0 */
    ww_fake_barriers_set(b.barriers, 1u << 1, 0, 0);
    bench_expect(&b, "."); /* 1 goes, 2 comes: queue 0 1 */
    bench_feed(&b, "01");
    ww_fake_barriers_set(b.barriers, 1u << 2, 0, 0);
    bench_expect(&b, "0.");
    ww_fake_barriers_set(b.barriers, 1u << 0, 0, 0);
    bench_feed(&b, "0");
    bench_expect(&b, "1");
}

/* More places than warps: everybody is active always, and comes back at once. */
static void test_room_for_all(void)
{
    g_auto(Bench) b = open_with(NULL, "8", 3);
    bench_feed(&b, "012");
    ww_fake_scoreboard_collide(b.hazard, 0, true);
    bench_expect(&b, "12.");
    ww_fake_scoreboard_clear(b.hazard, 0);
    bench_expect(&b, "0");
}

void register_two_level_tests(void)
{
    g_test_add_func("/issue/scheduler.two_level/active", test_active);
    g_test_add_func("/issue/scheduler.two_level/demotion", test_demotion);
    g_test_add_func("/issue/scheduler.two_level/turns", test_turns);
    g_test_add_func("/issue/scheduler.two_level/turns_twice", test_turns_twice);
    g_test_add_func("/issue/scheduler.two_level/hands_on", test_hands_on);
    g_test_add_func("/issue/scheduler.two_level/queue_order", test_queue_order);
    g_test_add_func("/issue/scheduler.two_level/room_for_all", test_room_for_all);
}
