/* SPDX-License-Identifier: Apache-2.0 */
/* The policies, in the slot of a warp scheduler: the order in which warps issue. */
#include "tests.h"

static void test_lrr_circle(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.lrr", "int");
    bench_feed(&b, "222555777");
    bench_expect(&b, "257257257");
    bench_feed(&b, "25");
    bench_expect(&b, "25");
    bench_feed(&b, "25");
    bench_expect(&b, "25"); /* behind 5 there is nobody: from the start */
    bench_feed(&b, "2577");
    bench_expect(&b, "7257");
}

/* A warp that cannot issue is passed over and keeps its place in the circle. */
static void test_lrr_passes(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.lrr", "int");
    bench_feed(&b, "111222333");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    bench_expect(&b, "131");
    ww_fake_scoreboard_clear(b.hazard, 2);
    bench_expect(&b, "2312"
                     "3");
    ww_harness_step(b.h, 1);
}

/* The last slot of all: nothing behind it. */
static void test_lrr_last_slot(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.lrr", "int");
    for (uint32_t i = 0; i < 2; i++) {
        bench_put(&b, 63, WW_OP_ALU);
        bench_put(&b, 0, WW_OP_ALU);
    }
    static const uint32_t order[] = {0, 63, 0, 63};
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        g_assert_cmpuint(bench_step(&b, "int")->warp, ==, order[i]);
    }
}

/* Stays with the last one, else takes the oldest by launch, not by slot. */
static void test_gto_order(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    bench_feed(&b, "775533"); /* launched in this order */
    bench_expect(&b, "775533");
    bench_feed(&b, "357");
    bench_expect(&b, "375"); /* 3 issued last: greedy; then by age */
}

/* The number of launches begins again at 0 after 2^32: who was launched then is younger. */
static void test_ages_wrap(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    b.warps->view.launches = UINT32_MAX - 1;
    bench_feed(&b, "775533");
    bench_expect(&b, "775533");
    bench_feed(&b, "357");
    bench_expect(&b, "375");
}

/* Stays with the last one, else takes the youngest by launch. Before anything has issued, the last slot of the scheduler is the greedy one. */
static void test_cggty(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.cggty", "int");
    bench_feed(&b, "775533"); /* launched in this order */
    bench_expect(&b, "335577");
    bench_feed(&b, "357");
    bench_expect(&b, "735"); /* 7 issued last: greedy; then by age */
}

/* Before anything has issued, the first slot of the scheduler is the greedy one. */
static void test_gto_first(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    bench_feed(&b, "4455006");
    bench_expect(&b, "0044556");
}

/* Age alone: nobody is preferred for having issued last. */
static void test_oldest(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.oldest", "int");
    bench_feed(&b, "775533");
    bench_expect(&b, "775533");
    bench_feed(&b, "3");
    bench_expect(&b, "3");
    bench_feed(&b, "3357");
    bench_expect(&b, "7533");
    ww_fake_warps_live(b.warps, 7, UINT32_MAX); /* a new warp in the slot */
    bench_feed(&b, "357");
    bench_expect(&b, "537");
}

static void test_gto_greedy_returns(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    bench_feed(&b, "111222333");
    bench_expect(&b, "1");
    ww_fake_scoreboard_collide(b.hazard, 1, false);
    bench_expect(&b, "2");
    ww_fake_scoreboard_clear(b.hazard, 1);
    bench_expect(&b, "22113"); /* 2 is the greedy one now, 1 the oldest */
}

/* A new launch makes a slot young; the greedy place stays with the slot. */
static void test_gto_ages_change(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    bench_feed(&b, "1234");
    bench_expect(&b, "1234");
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    bench_feed(&b, "123");
    bench_expect(&b, "231");
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    bench_feed(&b, "123");
    bench_expect(&b, "123");
}

/* Sorting looks at everybody: a memory barrier that is over ends, though another warp issues. */
static void check_membar(const char *policy, uint32_t completions)
{
    g_auto(Bench) b = bench_open(NULL, policy, "int");
    bench_feed(&b, "0");
    ww_fake_warps_live(b.warps, 9, UINT32_MAX); /* the youngest: no search gets to it */
    ww_fake_barriers_set(b.barriers, 0, 1u << 9, 0);
    bench_expect(&b, "0");
    g_assert_cmpuint(b.barriers->completions, ==, completions);
}

static void test_membar(void)
{
    check_membar("scheduler.gto", 1);
    check_membar("scheduler.lrr", 0);
    check_membar("scheduler.oldest", 1);
    check_membar("scheduler.swl", 1);
    check_membar("scheduler.rrr", 0);
    check_membar("scheduler.two_level active=8", 0);
    check_membar("scheduler.two_level active=10", 1);
}

static void check_reset(const char *policy, const char *order)
{
    g_auto(Bench) b = bench_open(NULL, policy, "int");
    bench_feed(&b, "531");
    bench_expect(&b, order);
    ww_harness_reset(b.h);
    bench_feed(&b, "531");
    bench_expect(&b, order);
}

static void test_reset(void)
{
    check_reset("scheduler.lrr", "135");
    check_reset("scheduler.gto", "531");
    check_reset("scheduler.oldest", "531");
    check_reset("scheduler.swl limit=3", "531");
    check_reset("scheduler.rrr", "135");
    check_reset("scheduler.two_level active=6", "135");
}

static void test_sleep(void)
{
    static const char *const policy[] = {"scheduler.lrr", "scheduler.gto", "scheduler.oldest",
                                         "scheduler.swl", "scheduler.rrr"};
    for (size_t i = 0; i < G_N_ELEMENTS(policy); i++) {
        g_auto(Bench) b = bench_open(NULL, policy[i], "int");
        bench_feed(&b, "12");
        ww_harness_step(b.h, 3);
        g_assert_true(ww_harness_asleep(b.h)); /* one register: nobody takes it */
    }
}

void register_policy_tests(void)
{
    g_test_add_func("/issue/scheduler.lrr/circle", test_lrr_circle);
    g_test_add_func("/issue/scheduler.lrr/passes", test_lrr_passes);
    g_test_add_func("/issue/scheduler.lrr/last_slot", test_lrr_last_slot);
    g_test_add_func("/issue/scheduler.gto/order", test_gto_order);
    g_test_add_func("/issue/scheduler.gto/ages_wrap", test_ages_wrap);
    g_test_add_func("/issue/scheduler.cggty", test_cggty);
    g_test_add_func("/issue/scheduler.gto/first", test_gto_first);
    g_test_add_func("/issue/scheduler.gto/greedy_returns", test_gto_greedy_returns);
    g_test_add_func("/issue/scheduler.gto/ages_change", test_gto_ages_change);
    g_test_add_func("/issue/scheduler.oldest/order", test_oldest);
    g_test_add_func("/issue/policies/membar", test_membar);
    g_test_add_func("/issue/policies/reset", test_reset);
    g_test_add_func("/issue/policies/sleep", test_sleep);
}
