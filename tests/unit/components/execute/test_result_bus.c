/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <ports/execute.h>

static WwHarness *buses(const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), "result_bus", params);
    ww_harness_start(h, NULL);
    return h;
}

static bool reserve(WwHarness *h, uint32_t latency)
{
    void *self;
    const WwResultBusIf *t = ww_harness_table(h, "bus", &self);
    return t->reserve(self, latency);
}

/* As many results a cycle as there are buses; other cycles do not matter. */
static void test_width(void)
{
    g_autoptr(WwHarness) h = buses("width=3");
    for (int i = 0; i < 3; i++) {
        g_assert_true(reserve(h, 7));
    }
    g_assert_false(reserve(h, 7));
    g_assert_true(reserve(h, 6));
    g_assert_true(reserve(h, 8));
    g_assert_cmpuint(ww_harness_stat(h, "reserved", 0), ==, 5);
    g_assert_cmpuint(ww_harness_stat(h, "refused", 0), ==, 1);
}

/* A booking comes nearer with every cycle. */
static void test_moves(void)
{
    g_autoptr(WwHarness) h = buses("width=1");
    g_assert_true(reserve(h, 7));
    ww_harness_step(h, 3);
    g_assert_true(reserve(h, 7));
    g_assert_false(reserve(h, 4));
    ww_harness_step(h, 4);
    g_assert_false(reserve(h, 0));
    ww_harness_step(h, 1);
    g_assert_true(reserve(h, 0));
}

/* 512 cycles are told apart, and what is past is free again. */
static void test_wraps(void)
{
    g_autoptr(WwHarness) h = buses("width=1");
    for (uint32_t i = 0; i < 512; i++) {
        g_assert_true(reserve(h, i));
    }
    for (uint32_t i = 0; i < 512; i++) {
        g_assert_false(reserve(h, i));
    }
    ww_harness_step(h, 1);
    g_assert_false(reserve(h, 510));
    g_assert_true(reserve(h, 511));
    ww_harness_step(h, 100000);
    g_assert_true(reserve(h, 0));
}

void register_result_bus_tests(void)
{
    g_test_add_func("/execute/result_bus/width", test_width);
    g_test_add_func("/execute/result_bus/moves", test_moves);
    g_test_add_func("/execute/result_bus/wraps", test_wraps);
}
