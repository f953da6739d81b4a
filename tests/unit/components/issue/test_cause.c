/* SPDX-License-Identifier: Apache-2.0 */
/* Every tick in which nothing issues has one cause: which, and that slept ticks repeat it. */
#include "tests.h"

/* Runs 10 ticks in which only @p cause may be counted. */
static void check(Bench *b, const char *cause, const char *bucket)
{
    uint64_t before = bench_cause(b, cause), had = bench_stat(b, bucket, 0);
    ww_harness_step(b->h, 10);
    g_assert_cmpuint(bench_cause(b, cause) - before, ==, 10);
    g_assert_cmpuint(bench_stat(b, bucket, 0) - had, ==, 10);
    g_assert_true(ww_harness_asleep(b->h));
}

/* From nothing at all to nearly issuing: each step is nearer, and wins. */
static void test_ladder(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int sp");
    uint32_t held = 1, barred = 2, copying = 4;
    check(&b, "no_warp", "idle");
    ww_fake_warps_live(b.warps, 0, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, held, 0, 0);
    WW_BARRIERS(&(WwPort){.table = ((WwComponent *)b.barriers)->type->ports[0].table})
        ->cta_enter(b.barriers, 0, 1); /* the placing of a CTA is noticed */
    check(&b, "barrier", "idle");
    ww_fake_scoreboard_pending(b.hazard, 1, true);
    ww_fake_barriers_set(b.barriers, held, barred, 0);
    bench_put(&b, 1, WW_OP_ALU);
    check(&b, "membar", "idle");
    ww_fake_barriers_set(b.barriers, held, barred, copying);
    bench_put(&b, 2, WW_OP_ALU);
    check(&b, "async_copy", "idle");
    bench_put(&b, 3, WW_OP_ALU);
    ww_fake_warps_set(b.warps, 3, 1, 0, 32);
    check(&b, "atomic", "idle");
    bench_put(&b, 4, WW_OP_ALU);
    g_assert_nonnull(bench_step(&b, "int")); /* leaves an empty i-buffer */
    check(&b, "fetch", "idle");
    ww_fake_scoreboard_collide(b.hazard, 5, true);
    bench_put(&b, 5, WW_OP_ALU);
    check(&b, "scoreboard_long", "scoreboard_wait");
    ww_fake_scoreboard_collide(b.hazard, 6, false);
    bench_put(&b, 6, WW_OP_ALU);
    check(&b, "scoreboard", "scoreboard_wait");
    bench_put(&b, 7, WW_OP_ALU);
    bench_put(&b, 7, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    check(&b, "unit_int", "stall");
}

/* Ticks add up: causes to buckets, buckets and issues to ticks. */
static void test_sum(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=3 sp");
    for (uint32_t i = 0; i < 20; i++) {
        bench_put(&b, i % 3, i % 2 ? WW_OP_SP : WW_OP_ALU);
        ww_harness_step(b.h, i % 4);
        if (i % 5 == 0) {
            bench_take(&b, "sp");
            bench_take(&b, "int");
        }
    }
    uint64_t causes = 0;
    for (uint32_t i = 0; i < 16; i++) {
        causes += bench_stat(&b, "cause", i);
    }
    uint64_t idle = bench_stat(&b, "idle", 0) + bench_stat(&b, "scoreboard_wait", 0) +
                    bench_stat(&b, "stall", 0);
    g_assert_cmpuint(causes, ==, idle);
    g_assert_cmpuint(idle + bench_stat(&b, "single_issue", 0), ==, ww_harness_now(b.h));
}

/* The first instruction refused tells the unit. */
static void test_units(void)
{
    static const struct {
        WwOp op;
        const char *port, *cause;
    } row[] = {{WW_OP_SP, "sp", "unit_sp"},          {WW_OP_DP, "dp", "unit_dp"},
               {WW_OP_INT, "int", "unit_int"},       {WW_OP_SFU, "sfu", "unit_sfu"},
               {WW_OP_STORE, "mem", "unit_mem"},     {WW_OP_TENSOR, "tensor", "unit_tensor"},
               {WW_OP_SPEC1, "spec[0]", "unit_spec"}};
    for (size_t i = 0; i < G_N_ELEMENTS(row); i++) {
        g_auto(Bench) b = bench_open(NULL, NULL, row[i].port);
        bench_put(&b, 0, row[i].op);
        bench_put(&b, 0, row[i].op);
        ww_harness_step(b.h, 1);
        check(&b, row[i].cause, "stall");
    }
    g_auto(Bench) b = bench_open(NULL, NULL, "int sp");
    bench_put(&b, 4, WW_OP_SP);
    bench_put(&b, 4, WW_OP_SP);
    bench_put(&b, 5, WW_OP_ALU);
    bench_put(&b, 5, WW_OP_ALU);
    ww_harness_step(b.h, 2);
    check(&b, "unit_sp", "stall");
}

/* A head that collides is checked once, then not looked at until a register is released. */
static void test_blocked(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=8");
    bench_put(&b, 0, WW_OP_ALU);
    ww_fake_scoreboard_collide(b.hazard, 0, false);
    for (uint32_t i = 0; i < 5; i++) {
        bench_put(&b, 1, WW_OP_ALU);
        ww_harness_step(b.h, 1);
    }
    g_assert_cmpuint(b.hazard->checks, ==, 6);
    g_assert_cmphex(b.policy->candidates, ==, 1u << 1);
    ww_harness_step(b.h, 5);
    g_assert_cmpuint(b.hazard->checks, ==, 6);
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 5);
    ww_fake_scoreboard_clear(b.hazard, 0);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(b.hazard->checks, ==, 7);
    g_assert_cmphex(b.hazard->view.changed, ==, 0);
}

/* Warps that the policy leaves out do not count as waiting for registers. */
static void test_left_out(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int");
    bench_put(&b, 0, WW_OP_ALU);
    bench_put(&b, 1, WW_OP_ALU);
    ww_fake_scoreboard_collide(b.hazard, 0, false);
    b.policy->listed = true;
    b.policy->n = 1;
    b.policy->list[0] = 0;
    b.policy->considered = 1u << 0;
    check(&b, "scoreboard", "scoreboard_wait");
    b.policy->list[0] = 2;
    b.policy->considered = 1u << 2;
    bench_put(&b, 0, WW_OP_ALU); /* only to wake it */
    check(&b, "policy", "idle");
}

void register_cause_tests(void)
{
    g_test_add_func("/issue/cause/ladder", test_ladder);
    g_test_add_func("/issue/cause/sum", test_sum);
    g_test_add_func("/issue/cause/units", test_units);
    g_test_add_func("/issue/cause/blocked", test_blocked);
    g_test_add_func("/issue/cause/left_out", test_left_out);
}
