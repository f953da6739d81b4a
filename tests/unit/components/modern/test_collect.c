/* SPDX-License-Identifier: Apache-2.0 */
/* operand_collect on a bench. */
#include "backend.h"

#include <testing/fake_dependence.h>
#include <testing/fake_sub_core.h>

static WwHarness *collector(const char *params)
{
    return test_reader("operand_collect", params);
}

/* Accepted in cycle 0; its banks are read from cycle 1 on, a register each a cycle, and it is at its unit in the cycle behind the last read, or behind its acceptance. */
static void test_collect_banks(void)
{
    static const struct {
        const char *params;
        uint8_t reg[4];
        WwCycle leaves;
    } rows[] = {
        {NULL, {0}, 1},
        {NULL, {3, 0}, 2},
        {NULL, {3, 4, 0}, 2},
        {NULL, {2, 4, 0}, 3},
        {NULL, {2, 4, 6, 0}, 4},
        {NULL, {2, 2, 2, 0}, 2}, /* once, however often it is named */
        {"banks=4", {2, 4, 0}, 2},
        {"reads=2", {2, 4, 6, 0}, 3},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(WwHarness) h = collector(rows[i].params);
        WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
        WwFakeUnit *sp = ww_harness_peer(h, "unit[1]");
        WwTiming t = test_fadd(1);
        t.latency = 5;
        test_reads(&t, rows[i].reg);
        test_leaves_in(h, "out[1]", rows[i].leaves, test_put(h, "in", &t, 1));
        g_assert_cmpuint(dependence->read, ==, 1);
        g_assert_cmpuint(dependence->cycle, ==, rows[i].leaves);
        g_assert_cmpuint(sp->booked, ==, 1);
        g_assert_cmpuint(sp->ahead, ==, 2 + 5);
        g_assert_true(ww_harness_asleep(h));
    }
}

/* A bank gives to the older one first; who has all first leaves first. */
static void test_collect_overtakes(void)
{
    g_autoptr(WwHarness) h = collector(NULL);
    WwTiming three = test_fadd(1), one = test_fadd(2), same = test_fadd(3);
    test_reads(&three, (const uint8_t[]){2, 4, 6, 0});
    test_reads(&one, (const uint8_t[]){3, 0});
    test_reads(&same, (const uint8_t[]){8, 0});
    one.unit = WW_UNIT_INT;
    same.unit = WW_UNIT_BRANCH;
    WwInst *first = test_put(h, "in", &three, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &one, 2);
    ww_harness_step(h, 1);
    WwInst *third = test_put(h, "in", &same, 3);
    test_leaves_in(h, "out[0]", 3, second);
    test_leaves_in(h, "out[1]", 4, first);
    test_leaves_in(h, "out[4]", 5, third); /* its bank was the first one's until cycle 3 */
    g_assert_cmpuint(ww_harness_stat(h, "conflicts", 0), >, 0);
}

/* A unit that another one leaves in that cycle, and a latch that is taken, keep it in its collector unit; no free collector unit keeps the next one before it, and each
 * cycle of that is told to its unit. */
static void test_collect_held(void)
{
    g_autoptr(WwHarness) h = collector("units=1");
    WwFakeUnit *sp = ww_harness_peer(h, "unit[1]");
    WwTiming t = test_fadd(1);
    sp->refuse = 3;
    WwInst *first = test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &t, 2);
    test_leaves_in(h, "out[1]", 4, first);
    g_assert_cmpuint(sp->delayed, ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "held", 0), ==, 3);
    test_leaves_in(h, "out[1]", 5, second);
    WwInst *third = test_put(h, "in", &t, 3);
    ww_harness_step(h, 3);
    test_put(h, "in", &t, 4);
    ww_harness_step(h, 3); /* the third is in the latch */
    g_assert_cmpuint(sp->booked, ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 4);
    WwToken token;
    g_assert_true(ww_harness_take(h, "out[1]", NULL, &token));
    g_assert_true(ww_token_pointer(token) == third);
}

static void test_collect_refuses(void)
{
    g_autoptr(WwHarness) h = collector(NULL);
    WwTiming t = test_fadd(1);
    t.unit = WW_UNIT_MEM;
    test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(
        g_str_has_suffix(error->message, "goes to unit mem; expected that the sub-core has one"));
}

void register_collect_tests(void)
{
    g_test_add_func("/modern/collect/banks", test_collect_banks);
    g_test_add_func("/modern/collect/overtakes", test_collect_overtakes);
    g_test_add_func("/modern/collect/held", test_collect_held);
    g_test_add_func("/modern/collect/refuses", test_collect_refuses);
}
