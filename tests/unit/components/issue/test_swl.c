/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.swl: which warps are the few. */
#include "tests.h"

/* Tried one after the other, and picked by masks. */
static Bench (*const ways[])(const char *, const char *, const char *) = {bench_open,
                                                                          bench_open_exact};

/* Warps 1, 2 and 3, launched in this order; only the two oldest issue. */
static void test_few(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_auto(Bench) b = ways[i](NULL, "scheduler.swl limit=2", "int");
        bench_feed(&b, "112233");
        bench_expect(&b, "1122..");
        g_assert_cmpuint(bench_cause(&b, "policy"), ==, 2);
        g_assert_true(ww_harness_asleep(b.h));
    }
}

/* A warp that waits makes room for the next one, and comes back. */
static void test_waiting(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.swl limit=2", "int");
    bench_feed(&b, "12334");
    bench_expect(&b, "12.");
    ww_fake_barriers_set(b.barriers, 1u << 1, 0, 0);
    bench_feed(&b, "1");
    bench_expect(&b, "3");
    ww_fake_barriers_set(b.barriers, 1u << 2, 0, 0); /* 1 is back, 2 is held, 3 greedy */
    bench_expect(&b, "31.");
    ww_fake_barriers_set(b.barriers, 1u << 1 | 1u << 2, 0, 0);
    bench_feed(&b, "3");
    bench_expect(&b, "34");
}

/* Who waits for a register or has nothing to issue keeps its place. */
static void test_keeps_place(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.swl limit=2", "int");
    bench_feed(&b, "12345");
    ww_fake_scoreboard_collide(b.hazard, 2, false);
    bench_expect(&b, "1..");
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 2);
    ww_fake_scoreboard_collide(b.hazard, 3, false); /* not tried: does not count */
    ww_fake_scoreboard_clear(b.hazard, 2);
    bench_expect(&b, "2.");
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 2);
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, 1);
}

/* The greedy warp is tried besides: the one that issued last, at first the first slot. */
static void test_greedy(void)
{
    g_auto(Bench) b = bench_open(NULL, "scheduler.swl limit=1", "int");
    bench_feed(&b, "120");
    bench_expect(&b, "01.");
    ww_fake_barriers_set(b.barriers, 1u << 1, 0, 0);
    bench_feed(&b, "2");
    bench_expect(&b, "22");
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    bench_feed(&b, "22011"); /* 2 is younger than 1, but greedy */
    bench_expect(&b, "2211.");
    g_auto(Bench) none = bench_open(NULL, "scheduler.swl limit=0", "int");
    bench_feed(&none, "001");
    bench_expect(&none, "00..");
}

static void test_refused(void)
{
    g_autoptr(GError) error = NULL;
    WwValue value;
    const WwParamRow *row = &ww_registry_find(test_registry(), "scheduler.swl", NULL)->params[0];
    g_assert_false(ww_value_parse(row, "65", &value, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_USAGE);
}

void register_swl_tests(void)
{
    g_test_add_func("/issue/scheduler.swl/few", test_few);
    g_test_add_func("/issue/scheduler.swl/waiting", test_waiting);
    g_test_add_func("/issue/scheduler.swl/keeps_place", test_keeps_place);
    g_test_add_func("/issue/scheduler.swl/greedy", test_greedy);
    g_test_add_func("/issue/scheduler.swl/refused", test_refused);
}
