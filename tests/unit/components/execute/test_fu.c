/* SPDX-License-Identifier: Apache-2.0 */
/* One function unit on a bench: when it accepts, when results leave, what it refuses. */
#include "tests.h"

#include <testing/fake_result_bus.h>

/* A unit whose `in` has 4 registers and whose `out` has 8. */
static WwHarness *unit(const char *type, const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), type, params);
    ww_harness_channel(h, "in", "width=4");
    ww_harness_channel(h, "out", "width=8");
    ww_harness_start(h, NULL);
    return h;
}

static WwInst *put(WwHarness *h, WwOp op, uint16_t latency, uint16_t interval, uint64_t uid)
{
    WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = op, .uid = uid});
    inst->latency = latency;
    inst->interval = interval;
    g_assert_true(ww_harness_put(h, "in", -1, ww_token_of(inst)));
    return inst;
}

/* Nothing leaves before tick @p tick, @p inst does in it. */
static void leaves_in(WwHarness *h, WwCycle tick, const WwInst *inst)
{
    WwToken token;
    while (ww_harness_now(h) < tick) {
        ww_harness_step(h, 1);
        g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    }
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_take(h, "out", NULL, &token));
    g_assert_true(ww_token_pointer(token) == inst);
}

/* Accepted in tick e, in EX_WB in e + L + 1: whatever the interval. */
static void test_latency(void)
{
    static const uint16_t pair[][2] = {{1, 1},  {2, 1},   {2, 2},   {4, 2},    {8, 4},
                                       {21, 8}, {64, 64}, {130, 8}, {511, 400}};
    for (size_t i = 0; i < G_N_ELEMENTS(pair); i++) {
        g_autoptr(WwHarness) h = unit("fu.pipelined", "depth=511");
        ww_harness_step(h, 3);
        g_assert_true(ww_harness_asleep(h));
        WwInst *inst = put(h, WW_OP_SP, pair[i][0], pair[i][1], 1);
        leaves_in(h, 3 + pair[i][0] + 1, inst);
        g_assert_true(ww_harness_asleep(h));
    }
}

/* An interval of 0 enters stage L a cycle after acceptance: one cycle later at the end. */
static void test_interval_zero(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    leaves_in(h, 5 + 2, put(h, WW_OP_SP, 5, 0, 1));
}

/* The dispatch register is empty again in tick e + I, and the next instruction is taken in it. */
static void test_interval(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwInst *a = put(h, WW_OP_SP, 6, 3, 1), *b = put(h, WW_OP_SP, 6, 3, 2);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    leaves_in(h, 7, a);
    leaves_in(h, 3 + 7, b);
}

static void test_oldest_first(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwInst *young = put(h, WW_OP_SP, 2, 1, 9), *old = put(h, WW_OP_SP, 2, 1, 4);
    leaves_in(h, 3, old);
    leaves_in(h, 4, young);
}

/* A short instruction overtakes a long one. */
static void test_overtakes(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwInst *slow = put(h, WW_OP_SP, 8, 1, 1), *fast = put(h, WW_OP_SP, 2, 1, 2);
    leaves_in(h, 1 + 3, fast);
    leaves_in(h, 9, slow);
}

/* Two instructions never arrive together: L = 4 accepted in 0 and L = 3 in 1 would. */
static void test_same_arrival(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwInst *a = put(h, WW_OP_SP, 4, 1, 1), *b = put(h, WW_OP_SP, 3, 1, 2);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    leaves_in(h, 5, a);
    leaves_in(h, 2 + 4, b);
    g_assert_cmpuint(ww_harness_stat(h, "slot_waits", 0), ==, 1);
}

/* No bus, no acceptance; it asks again every tick. */
static void test_bus_refuses(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwFakeResultBus *bus = ww_harness_peer(h, "bus");
    bus->refuse = 3;
    WwInst *inst = put(h, WW_OP_SP, 4, 2, 1);
    leaves_in(h, 3 + 5, inst);
    g_assert_cmpuint(bus->calls, ==, 4);
    g_assert_cmpuint(bus->latency, ==, 4);
    g_assert_cmpuint(ww_harness_stat(h, "bus_waits", 0), ==, 3);
}

/* Two activations an instruction, however long it takes. */
static void test_sleeps_inside(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", "depth=300");
    ww_harness_step(h, 1);
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    leaves_in(h, 1 + 201, put(h, WW_OP_SP, 200, 10, 1));
    /* the unit twice and, once, what stands at the other end of `out` */
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <=, 4);
    g_assert_true(ww_harness_asleep(h));
}

static bool accepts(const char *type, const char *params, WwOp op)
{
    g_autoptr(WwHarness) h = unit(type, params);
    put(h, op, 4, 1, 1);
    ww_harness_step(h, 1);
    bool taken = ww_harness_count(h, "in") == 0;
    g_assert_true(taken || ww_harness_asleep(h));
    return taken;
}

static void test_categories(void)
{
    static const struct {
        const char *params;
        uint32_t not, only; /* masks of categories */
    } unit_class[] = {
        {"class=sp",
         1u << WW_OP_SFU | 1u << WW_OP_LOAD | 1u << WW_OP_STORE | 1u << WW_OP_MEMBAR |
             1u << WW_OP_DP,
         0},
        {"class=int",
         1u << WW_OP_SFU | 1u << WW_OP_LOAD | 1u << WW_OP_STORE | 1u << WW_OP_MEMBAR |
             1u << WW_OP_DP | 1u << WW_OP_SP,
         0},
        {"class=sfu", 0, 1u << WW_OP_SFU | 1u << WW_OP_DP},
        {"class=dp", 0, 1u << WW_OP_DP},
        {"class=tensor", 0, 1u << WW_OP_TENSOR},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(unit_class); i++) {
        for (uint32_t op = 0; op < WW_N_OPS; op++) {
            uint32_t set = unit_class[i].only != 0 ? unit_class[i].only : ~unit_class[i].not ;
            g_assert_cmpint(accepts("fu.pipelined", unit_class[i].params, op), ==, set >> op & 1);
        }
    }
}

static void test_specialized(void)
{
    for (uint32_t k = 1; k <= WW_NUM_SPEC; k++) {
        g_autofree char *params = g_strdup_printf("unit=%u", k);
        for (uint32_t op = 0; op < WW_N_OPS; op++) {
            g_assert_cmpint(accepts("fu.specialized", params, op), ==, op == WW_OP_SPEC1 + k - 1);
        }
    }
}

static void refused_as(const char *params, uint16_t latency, uint16_t interval, const char *pattern)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", params);
    put(h, WW_OP_SP, latency, interval, 1);
    ww_harness_step(h, 2);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_pattern_match_simple(pattern, error->message));
}

/*
 * The depth must hold latency - interval; a result bus reaches 511 cycles; nobody leaves before he
 * has entered.
 */
static void test_latency_limits(void)
{
    refused_as("depth=511", 512, 8, "*dut: SP * latency of 512 cycles; expected at most 511");
    refused_as("depth=4", 5, 1, "*does not fit into depth = 4; expected at least 5");
    refused_as(NULL, 4, 8, "*latency of 4 cycles and an initiation interval of 8*not below*");
    g_autoptr(WwHarness) h = unit("fu.pipelined", "depth=4");
    leaves_in(h, 5 + 1, put(h, WW_OP_SP, 5, 2, 1));
}

/* With too few write-back registers results wait in order and nothing new is accepted. */
static void test_full_results(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "fu.pipelined", NULL);
    ww_harness_channel(h, "in", "width=4");
    ww_harness_channel(h, "out", "width=1");
    ww_harness_start(h, NULL);
    WwInst *a = put(h, WW_OP_SP, 2, 1, 1), *b = put(h, WW_OP_SP, 2, 1, 2);
    ww_harness_step(h, 10);
    put(h, WW_OP_SP, 2, 1, 3);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    g_assert_true(ww_harness_asleep(h));
    WwToken token;
    g_assert_true(ww_harness_take(h, "out", NULL, &token));
    g_assert_true(ww_token_pointer(token) == a);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    g_assert_true(ww_harness_take(h, "out", NULL, &token));
    g_assert_true(ww_token_pointer(token) == b);
}

/*
 * Two unit cycles to a tick, all before acceptance: L = 8 from unit cycle 1 leaves in 10, which is
 * tick 5.
 */
static void test_clock_multiplier(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", "clock_multiplier=2");
    WwInst *a = put(h, WW_OP_SP, 8, 4, 1);
    put(h, WW_OP_SP, 8, 4, 2);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    leaves_in(h, 5, a);
}

static void test_statistics(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    WwInst *a = put(h, WW_OP_SP, 4, 2, 1);
    a->mask = 0xff;
    put(h, WW_OP_SP, 4, 2, 2)->mask = 0x3;
    ww_harness_step(h, 30);
    g_assert_cmpuint(ww_harness_stat(h, "issued", 0), ==, 2);
    /* in the stages from e + 2 until it leaves in e + 5 */
    g_assert_cmpuint(ww_harness_stat(h, "active_lane_cycles", 0), ==, 3 * (8 + 2));
    /* from 0 to 5, from 2 to 7 */
    g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, 7);
}

static void test_explains(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", "class=dp");
    put(h, WW_OP_SP, 4, 2, 1);
    ww_harness_step(h, 2);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(text, "category SP, which this unit does not execute"));
}

static void test_reset(void)
{
    g_autoptr(WwHarness) h = unit("fu.pipelined", NULL);
    put(h, WW_OP_SP, 20, 10, 1);
    ww_harness_step(h, 5);
    ww_harness_reset(h);
    g_assert_cmpuint(ww_harness_now(h), ==, 0);
    leaves_in(h, 5, put(h, WW_OP_SP, 4, 2, 1));
}

void register_fu_tests(void)
{
    g_test_add_func("/execute/fu/latency", test_latency);
    g_test_add_func("/execute/fu/interval_zero", test_interval_zero);
    g_test_add_func("/execute/fu/interval", test_interval);
    g_test_add_func("/execute/fu/oldest_first", test_oldest_first);
    g_test_add_func("/execute/fu/overtakes", test_overtakes);
    g_test_add_func("/execute/fu/same_arrival", test_same_arrival);
    g_test_add_func("/execute/fu/bus_refuses", test_bus_refuses);
    g_test_add_func("/execute/fu/sleeps_inside", test_sleeps_inside);
    g_test_add_func("/execute/fu/categories", test_categories);
    g_test_add_func("/execute/fu/specialized", test_specialized);
    g_test_add_func("/execute/fu/latency_limits", test_latency_limits);
    g_test_add_func("/execute/fu/full_results", test_full_results);
    g_test_add_func("/execute/fu/clock_multiplier", test_clock_multiplier);
    g_test_add_func("/execute/fu/statistics", test_statistics);
    g_test_add_func("/execute/fu/explains", test_explains);
    g_test_add_func("/execute/fu/reset", test_reset);
}
