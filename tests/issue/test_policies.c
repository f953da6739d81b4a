/* SPDX-License-Identifier: Apache-2.0 */
/* The policies, in the slot of a warp scheduler: the order in which warps issue. */
#include "tests.h"

/* Each of @p n warps (slots @p warps) always has instructions; the slots that issue in turn. */
static void feed(Bench *b, const char *warps)
{
    for (const char *c = warps; *c != '\0'; c++) {
        bench_put(b, (uint32_t)(*c - '0'), WW_OP_ALU);
    }
}

static void assert_order(Bench *b, const char *expected)
{
    for (const char *c = expected; *c != '\0'; c++) {
        const WwInst *inst = bench_step(b, "int");
        g_assert_nonnull(inst);
        g_assert_cmpuint(inst->warp, ==, (uint32_t)(*c - '0'));
    }
}

static void test_lrr_circle(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.lrr", "int");
    feed(&b, "222555777");
    assert_order(&b, "257257257");
    feed(&b, "25");
    assert_order(&b, "25");
    feed(&b, "25");
    assert_order(&b, "25"); /* behind 5 there is nobody: from the start */
    feed(&b, "2577");
    assert_order(&b, "7257");
}

/* A warp that cannot issue is passed over and keeps its place in the circle. */
static void test_lrr_passes(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.lrr", "int");
    feed(&b, "111222333");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    assert_order(&b, "131");
    ww_fake_scoreboard_clear(b.hazard, 2);
    assert_order(&b, "2312"
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
    feed(&b, "775533"); /* launched in this order */
    assert_order(&b, "775533");
    feed(&b, "357");
    assert_order(&b, "375"); /* 3 issued last: greedy; then by age */
}

/* Before anything has issued, the first slot of the scheduler is the greedy one. */
static void test_gto_first(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    feed(&b, "4455006");
    assert_order(&b, "0044556");
}

static void test_gto_greedy_returns(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    feed(&b, "111222333");
    assert_order(&b, "1");
    ww_fake_scoreboard_collide(b.hazard, 1, false);
    assert_order(&b, "2");
    ww_fake_scoreboard_clear(b.hazard, 1);
    assert_order(&b, "22113"); /* 2 is the greedy one now, 1 the oldest */
}

/* A new launch makes a slot young; the greedy place stays with the slot. */
static void test_gto_ages_change(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.gto", "int");
    feed(&b, "1234");
    assert_order(&b, "1234");
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    feed(&b, "123");
    assert_order(&b, "231");
    ww_fake_warps_live(b.warps, 1, UINT32_MAX);
    feed(&b, "123");
    assert_order(&b, "123");
}

/* Sorting looks at everybody: a memory barrier that is over ends, though another warp issues. */
static void check_membar(const char *policy, uint32_t completions)
{
    g_auto(Bench) b = bench_open(NULL, policy, "int");
    ww_fake_warps_live(b.warps, 9, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, 0, 1u << 9, 0);
    feed(&b, "0");
    assert_order(&b, "0");
    g_assert_cmpuint(b.barriers->completions, ==, completions);
}

static void test_membar(void)
{
    check_membar("scheduler.gto", 1);
    check_membar("scheduler.lrr", 0);
}

static void check_reset(const char *policy, const char *order)
{
    g_auto(Bench) b = bench_open(NULL, policy, "int");
    feed(&b, "531");
    assert_order(&b, order);
    ww_harness_reset(b.h);
    feed(&b, "531");
    assert_order(&b, order);
}

static void test_reset(void)
{
    check_reset("scheduler.lrr", "135");
    check_reset("scheduler.gto", "531");
}

static void test_sleep(void)
{
    static const char *const policy[] = {"scheduler.lrr", "scheduler.gto"};
    for (size_t i = 0; i < G_N_ELEMENTS(policy); i++) {
        g_auto(Bench) b = bench_open(NULL, policy[i], "int");
        feed(&b, "12");
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
    g_test_add_func("/issue/scheduler.gto/first", test_gto_first);
    g_test_add_func("/issue/scheduler.gto/greedy_returns", test_gto_greedy_returns);
    g_test_add_func("/issue/scheduler.gto/ages_change", test_gto_ages_change);
    g_test_add_func("/issue/policies/membar", test_membar);
    g_test_add_func("/issue/policies/reset", test_reset);
    g_test_add_func("/issue/policies/sleep", test_sleep);
}
