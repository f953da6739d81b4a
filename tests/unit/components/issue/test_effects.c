/* SPDX-License-Identifier: Apache-2.0 */
/* What an issue does to the warp: lanes that end, atomics, barriers, copies, memory barriers. */
#include "tests.h"

/* EXIT ends lanes; with the last lane and a trace decoded to its end, the i-buffer goes. */
static void test_exit(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=4");
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_EXIT, .mask = 0xff});
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_EXIT, .mask = 0xffffff00});
    b.warps->warp[0].n_trace = b.warps->warp[0].cursor;
    ww_harness_step(b.h, 1);
    g_assert_cmphex(b.warps->warp[0].lanes, ==, 0xffffff00);
    g_assert_cmpuint(b.barriers->exits, ==, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmphex(b.warps->warp[0].lanes, ==, 0);
    g_assert_cmpuint(b.barriers->exits, ==, 1);
    g_assert_cmpuint(b.warps->seen[0].drop, ==, 1);
    ww_harness_step(b.h, 2);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(bench_cause(&b, "no_warp"), ==, 2);
}

static void test_exit_early(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=4");
    bench_put(&b, 0, WW_OP_EXIT);
    bench_put(&b, 0, WW_OP_ALU);
    b.warps->warp[0].n_trace = 3; /* not decoded to its end */
    ww_harness_step(b.h, 4);
    g_assert_cmpuint(b.warps->seen[0].pop, ==, 1); /* nothing issues without lanes */
    g_assert_cmpuint(b.warps->seen[0].drop, ==, 0);
    g_assert_cmpuint(b.barriers->exits, ==, 0);
}

/* Atomic lanes count one by one; the warp waits until they are back. */
static void test_atomics(void)
{
    g_auto(Bench) b = bench_open("max_issue=2", NULL, "mem int");
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_LOAD, .flags = WW_INST_ATOMIC, .mask = 0x70f});
    bench_put(&b, 0, WW_OP_ALU);
    ww_harness_step(b.h, 3);
    g_assert_cmpint(b.warps->seen[0].atomics, ==, 7);
    g_assert_cmpuint(b.warps->seen[0].pop, ==, 1);
    g_assert_true(ww_harness_asleep(b.h));
    ww_fake_warps_set(b.warps, 0, 1, 0, 0);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(bench_cause(&b, "atomic"), ==, 2);
}

/* atomics_block = false: the warp goes on. */
static void test_atomics_pass(void)
{
    g_auto(Bench) b = bench_open("max_issue=2 atomics_block=false", NULL, "mem int");
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_LOAD, .flags = WW_INST_ATOMIC, .mask = 0x70f});
    bench_put(&b, 0, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    g_assert_cmpint(b.warps->seen[0].atomics, ==, 7);
    g_assert_cmpuint(b.warps->seen[0].pop, ==, 2);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(bench_cause(&b, "atomic"), ==, 0);
}

static void test_no_lanes(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "mem=4");
    bench_put_like(&b, 0,
                   &(WwTestInst){.op = WW_OP_LOAD, .flags = WW_INST_ATOMIC, .no_lanes = true});
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_LOAD, .mask = 0x11});
    ww_harness_step(b.h, 2);
    g_assert_cmpint(b.warps->seen[0].atomics, ==, 0);
    g_assert_cmpuint(bench_stat(&b, "issued", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "issued", 2), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "stall", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "single_issue", 0), ==, 2);
}

/* count_empty_as_stall = false: an instruction without lanes is no stall. */
static void test_empty_apart(void)
{
    g_auto(Bench) b = bench_open("count_empty_as_stall=false", NULL, "mem=4");
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_LOAD, .no_lanes = true});
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(bench_stat(&b, "issued", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "stall", 0), ==, 0);
}

static void test_barrier(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=4");
    bench_put(&b, 3, WW_OP_BARRIER);
    bench_put(&b, 3, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    g_assert_true(b.barriers->arrivals == 1 && b.barriers->warp == 3);
    ww_fake_barriers_set(b.barriers, 1u << 3, 0, 0);
    ww_harness_step(b.h, 4);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(b.warps->total.pop, ==, 1);
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.warps->total.pop, ==, 2);
    g_assert_cmpuint(bench_cause(&b, "barrier"), ==, 4);
}

static void test_copies(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "mem=8 int=8");
    WwTestInst copy = {
        .op = WW_OP_LOAD, .flags = WW_INST_LDGSTS, .pc = 0x40, .base = 0x1000, .stride = 4};
    bench_put_like(&b, 2, &copy);
    ww_harness_step(b.h, 1);
    g_assert_true(b.barriers->adds == 1 && b.barriers->warp == 2 && !b.barriers->done);
    g_assert_true(b.barriers->pc == 0x40 && b.barriers->addr == 0x1000);
    copy.mask = 0xf0; /* lane 0 is inactive: its address counts as 0 */
    bench_put_like(&b, 2, &copy);
    ww_harness_step(b.h, 1);
    g_assert_true(b.barriers->adds == 2 && !b.barriers->done && b.barriers->addr == 0);
    copy.no_lanes = true;
    bench_put_like(&b, 2, &copy);
    ww_harness_step(b.h, 1);
    g_assert_true(b.barriers->adds == 3 && b.barriers->done && b.barriers->addr == 0);
    bench_put_like(&b, 2, &(WwTestInst){.op = WW_OP_ALU, .flags = WW_INST_LDGDEPBAR});
    WwInst *wait = bench_put_like(&b, 2, &(WwTestInst){.op = WW_OP_ALU, .flags = WW_INST_DEPBAR});
    ((WwSinst *)wait->s)->imm = 3;
    ww_harness_step(b.h, 2);
    g_assert_true(b.barriers->commits == 1 && b.barriers->waits == 1);
    g_assert_cmpuint(b.barriers->outstanding, ==, 3);
}

/* ---- memory barriers ----------------------------------------------------------------------- */

/* With nothing pending it completes in the tick in which it issues, even in time for the next. */
static void test_membar_at_once(void)
{
    g_auto(Bench) b = bench_open("max_issue=2", NULL, "mem int");
    bench_put(&b, 0, WW_OP_MEMBAR);
    bench_put(&b, 0, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    g_assert_true(b.barriers->membars == 1 && b.barriers->completions == 1);
    g_assert_cmpuint(b.warps->total.pop, ==, 2);
}

static void test_membar_pending(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "mem int");
    bench_put(&b, 0, WW_OP_MEMBAR);
    bench_put(&b, 0, WW_OP_ALU);
    ww_fake_scoreboard_pending(b.hazard, 0, true);
    ww_fake_warps_set(b.warps, 0, 2, 5, 0); /* stores do not count */
    ww_harness_step(b.h, 5);
    g_assert_cmpuint(b.barriers->completions, ==, 0);
    g_assert_true(ww_harness_asleep(b.h));
    ww_fake_scoreboard_pending(b.hazard, 0, false);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(b.barriers->completions, ==, 1);
    g_assert_cmpuint(bench_cause(&b, "membar"), ==, 4);
}

/* Completes only when somebody looks: the search stops at the warp that issues. */
static void test_membar_looked_at(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=8");
    ww_fake_warps_live(b.warps, 5, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, 0, 1u << 5, 0);
    for (uint32_t i = 0; i < 3; i++) {
        bench_put(&b, 1, WW_OP_ALU);
        ww_harness_step(b.h, 1);
        g_assert_cmpuint(b.barriers->completions, ==, 0);
        g_assert_cmphex(b.policy->candidates, ==, 1u << 5 | 1u << 1);
    }
    ww_harness_step(b.h, 1); /* nothing issues: the search reaches it, without instructions */
    g_assert_cmpuint(b.barriers->completions, ==, 1);
    g_assert_false(ww_harness_asleep(b.h)); /* what it changed may matter to the policy */
    ww_harness_step(b.h, 1);
    g_assert_true(ww_harness_asleep(b.h));
}

/* A policy that examines its warps completes it whoever issues; not of warps that wait before. */
static void test_membar_examined(void)
{
    g_auto(Bench) b = bench_open(NULL, NULL, "int=8");
    b.policy->examined = UINT64_MAX;
    for (uint32_t w = 4; w < 8; w++) {
        ww_fake_warps_live(b.warps, w, UINT32_MAX);
    }
    ww_fake_barriers_set(b.barriers, 1u << 6, 0xf0, 0); /* 6 is at a barrier */
    ww_fake_scoreboard_pending(b.hazard, 7, true);
    ww_fake_warps_set(b.warps, 5, 0, 0, 3); /* atomics come later in the test: it completes */
    bench_put(&b, 1, WW_OP_ALU);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmphex(b.barriers->view.membar, ==, 0xc0);
}

/* membar_needs_look = false: it completes whoever issues, and not before the next tick. */
static void test_membar_by_itself(void)
{
    g_auto(Bench) b = bench_open("membar_needs_look=false max_issue=2", NULL, "int=8 mem");
    ww_fake_warps_live(b.warps, 5, UINT32_MAX);
    ww_fake_warps_live(b.warps, 6, UINT32_MAX);
    ww_fake_barriers_set(b.barriers, 1u << 6, 3u << 5, 0);
    bench_put(&b, 1, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.barriers->completions, ==, 1); /* 6 is at a barrier */
    bench_put(&b, 1, WW_OP_MEMBAR);
    bench_put(&b, 1, WW_OP_ALU);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.barriers->completions, ==, 1);
    g_assert_cmpuint(b.warps->seen[1].pop, ==, 2);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(b.barriers->completions, ==, 2);
}

/* membar_waits_stores: for what is in the pipeline, for stores, for atomics; each can be last. */
static void test_membar_stores(void)
{
    static const struct {
        uint32_t pipeline, stores, atomics;
    } left[] = {{1, 1, 0}, {2, 0, 0}, {1, 0, 4}};
    for (size_t i = 0; i < G_N_ELEMENTS(left); i++) {
        g_auto(Bench) b = bench_open("membar_waits_stores=true", NULL, "mem int");
        bench_put(&b, 0, WW_OP_MEMBAR);
        bench_put(&b, 0, WW_OP_ALU);
        ww_harness_step(b.h, 1); /* the barrier itself is in the pipeline now */
        g_assert_cmpuint(b.barriers->membars, ==, 1);
        ww_harness_step(b.h, 2);
        g_assert_true(ww_harness_asleep(b.h));
        ww_fake_warps_set(b.warps, 0, left[i].pipeline, left[i].stores, left[i].atomics);
        ww_harness_step(b.h, 3);
        g_assert_cmpuint(b.barriers->completions, ==, 0);
        g_assert_true(ww_harness_asleep(b.h));
        ww_fake_warps_set(b.warps, 0, 1, 0, 0); /* the ALU instruction, decoded and not issued */
        g_assert_nonnull(bench_step(&b, "int"));
        g_assert_cmpuint(b.barriers->completions, ==, 1);
        g_assert_cmpuint(bench_cause(&b, "membar"), ==, 5);
        g_assert_false(b.warps->warp[0].fenced);
    }
}

void register_effect_tests(void)
{
    g_test_add_func("/issue/warp_scheduler/exit", test_exit);
    g_test_add_func("/issue/warp_scheduler/exit_early", test_exit_early);
    g_test_add_func("/issue/warp_scheduler/atomics", test_atomics);
    g_test_add_func("/issue/warp_scheduler/atomics_pass", test_atomics_pass);
    g_test_add_func("/issue/warp_scheduler/no_lanes", test_no_lanes);
    g_test_add_func("/issue/warp_scheduler/empty_apart", test_empty_apart);
    g_test_add_func("/issue/warp_scheduler/barrier", test_barrier);
    g_test_add_func("/issue/warp_scheduler/copies", test_copies);
    g_test_add_func("/issue/warp_scheduler/membar_at_once", test_membar_at_once);
    g_test_add_func("/issue/warp_scheduler/membar_pending", test_membar_pending);
    g_test_add_func("/issue/warp_scheduler/membar_looked_at", test_membar_looked_at);
    g_test_add_func("/issue/warp_scheduler/membar_examined", test_membar_examined);
    g_test_add_func("/issue/warp_scheduler/membar_by_itself", test_membar_by_itself);
    g_test_add_func("/issue/warp_scheduler/membar_stores", test_membar_stores);
}
