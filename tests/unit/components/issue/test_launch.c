/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the device-side launch interface: how long they take before they issue. */
#include "tests.h"

#define SHORT "launch_latency=[3,4,2,5,1]"

static WwInst *put(Bench *b, uint32_t warp, uint16_t kind, uint32_t lanes)
{
    return bench_put_like(
        b, warp, &(WwTestInst){.op = WW_OP_CALL, .flags = kind, .mask = (1u << lanes) - 1});
}

/* The first try finds the unit free and stalls, the next ones count, the one after issues. */
static void check_ticks(uint16_t kind, uint32_t lanes, uint32_t tries)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int");
    put(&b, 2, kind, lanes);
    for (uint32_t i = 0; i < tries + 1; i++) {
        g_assert_null(bench_step(&b, "int"));
        g_assert_false(ww_harness_asleep(b.h));
    }
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(bench_stat(&b, "stall", 0), ==, 1);
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, tries);
    g_assert_cmpuint(bench_cause(&b, "device_launch"), ==, tries + 1);
}

static void test_kinds(void)
{
    check_ticks(WW_INST_CDP_STREAM, 5, 3);
    check_ticks(WW_INST_CDP_BUFFER, 1, 4 + 2);
    check_ticks(WW_INST_CDP_BUFFER, 7, 4 + 7 * 2);
    check_ticks(WW_INST_CDP_LAUNCH, 3, 5 + 3);
}

/* Each call pays for itself; an ordinary instruction behind it does not. */
static void test_each(void)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int");
    put(&b, 2, WW_INST_CDP_STREAM, 1);
    put(&b, 2, WW_INST_CDP_STREAM, 1);
    bench_feed(&b, "2");
    bench_expect(&b, "....2....22");
}

/* Nothing to wait for: one more try all the same. */
static void test_zero(void)
{
    g_auto(Bench) b = bench_open("launch_latency=[0,0,0,0,0]", NULL, "int");
    put(&b, 2, WW_INST_CDP_LAUNCH, 9);
    bench_expect(&b, ".2");
    g_assert_cmpuint(bench_stat(&b, "stall", 0), ==, 1);
}

/* Time passes only in tries: not while a better warp issues, and not at a barrier. */
static void test_tries(void)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int");
    put(&b, 2, WW_INST_CDP_STREAM, 1);
    bench_expect(&b, "..");
    bench_feed(&b, "0000");
    bench_expect(&b, "0000.");
    ww_fake_barriers_set(b.barriers, 1u << 2, 0, 0);
    bench_expect(&b, "......");
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    bench_expect(&b, ".2");
}

/* A worse warp issues meanwhile, and the time of two warps passes at once. */
static void test_others(void)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int");
    put(&b, 2, WW_INST_CDP_STREAM, 1);
    put(&b, 3, WW_INST_CDP_STREAM, 1);
    bench_feed(&b, "55");
    bench_expect(&b, "55..23");
}

/* It starts to count only where it could issue: after registers and with a free unit. */
static void test_start(void)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    put(&b, 2, WW_INST_CDP_STREAM, 1);
    bench_expect(&b, ".....");
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 5);
    g_assert_true(ww_harness_asleep(b.h));
    ww_fake_scoreboard_clear(b.hazard, 2);
    bench_feed(&b, "0");
    ww_harness_step(b.h, 5); /* 0 takes the register and nobody empties it */
    g_assert_cmpuint(bench_cause(&b, "unit_int"), ==, 4);
    g_assert_cmpuint(bench_take(&b, "int")->warp, ==, 0);
    bench_expect(&b, "....2");
}

/* Only what goes to INT or SP is one. */
static void test_units(void)
{
    g_auto(Bench) b = bench_open(SHORT, NULL, "int sfu mem");
    bench_put_like(&b, 0, &(WwTestInst){.op = WW_OP_SFU, .flags = WW_INST_CDP_STREAM});
    bench_put_like(&b, 1, &(WwTestInst){.op = WW_OP_STORE, .flags = WW_INST_CDP_STREAM});
    g_assert_nonnull(bench_step(&b, "sfu"));
    g_assert_nonnull(bench_step(&b, "mem"));
    g_auto(Bench) sp = bench_open(SHORT, NULL, "sp");
    put(&sp, 0, WW_INST_CDP_STREAM, 1);
    ww_harness_step(sp.h, 4);
    g_assert_null(bench_take(&sp, "sp"));
    g_assert_nonnull(bench_step(&sp, "sp"));
}

static void test_refused(void)
{
    g_autoptr(WwHarness) h =
        ww_harness_new(test_registry(), "warp_scheduler", "launch_latency=[1,2,3,4]");
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "launch_latency has 4 numbers; expected 5"));
}

void register_launch_tests(void)
{
    g_test_add_func("/issue/launch/kinds", test_kinds);
    g_test_add_func("/issue/launch/each", test_each);
    g_test_add_func("/issue/launch/zero", test_zero);
    g_test_add_func("/issue/launch/tries", test_tries);
    g_test_add_func("/issue/launch/others", test_others);
    g_test_add_func("/issue/launch/start", test_start);
    g_test_add_func("/issue/launch/units", test_units);
    g_test_add_func("/issue/launch/refused", test_refused);
}
