/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

/* Issued in tick t, in OC_EX in t + latency, sources or not, conflicts or not. */
static void test_latency(void)
{
    static const uint32_t latency[] = {1, 2, 7, 400};
    for (size_t i = 0; i < G_N_ELEMENTS(latency); i++) {
        g_autofree char *params = g_strdup_printf("latency=%u", latency[i]);
        Rig r;
        rig_open(&r, &(RigSpec){.type = "operands.ideal", .params = params}, NULL);
        WwInst *a = rig_inst(&r, 0, 0, 1, 9, 17), *b = rig_inst(&r, 0, 0, 0, 0, 0);
        rig_issue(&r, CLASS_SP, a);
        rig_issue(&r, CLASS_MEM, b);
        g_assert_cmpuint(rig_until(&r, CLASS_SP, a), ==, latency[i]);
        g_assert_true(rig_take(&r, CLASS_MEM, b));
        g_assert_cmpuint(rig_stat(&r, "instructions"), ==, 2);
        rig_close(&r);
    }
}

/* A taken register holds up its own instruction only; freeing it wakes the sleeper. */
static void test_blocked(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.type = "operands.ideal", .private = true}, NULL);
    WwInst *a = rig_inst(&r, 0, 0, 0, 0, 0), *b = rig_inst(&r, 0, 0, 0, 0, 0);
    WwInst *c = rig_inst(&r, 1, 1, 0, 0, 0);
    rig_issue(&r, CLASS_SP, a);
    rig_tick(&r);
    rig_issue(&r, CLASS_SP, b);
    rig_issue(&r, CLASS_SP, c);
    for (int i = 0; i < 10; i++) {
        rig_tick(&r);
    }
    uint64_t before = ww_machine_activations(r.m);
    rig_tick(&r);
    g_assert_cmpuint(ww_machine_activations(r.m) - before, ==, 1); /* the heart */
    g_assert_true(rig_take(&r, CLASS_SP, c));
    g_assert_true(rig_take(&r, CLASS_SP, a));
    g_assert_cmpuint(rig_until(&r, CLASS_SP, b), ==, 1);
    rig_close(&r);
}

/* More than fit on the way wait outside and lose nothing. */
static void test_full(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.type = "operands.ideal", .params = "latency=500", .width = 64}, NULL);
    WwInst *inst[100];
    for (int i = 0; i < 100; i++) {
        inst[i] = rig_inst(&r, 0, 0, 0, 0, 0);
        g_assert_true(rig_issue(&r, i < 50 ? CLASS_SP : CLASS_MEM, inst[i]));
    }
    rig_tick(&r);
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_MEM])), ==, 36);
    for (int i = 0; i < 100; i++) {
        g_assert_cmpuint(rig_until(&r, i < 50 ? CLASS_SP : CLASS_MEM, inst[i]), <, 600);
    }
    rig_close(&r);
}

/* What stayed outside because all places were taken goes in as soon as there is one. */
static void test_full_then_empty(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.type = "operands.ideal", .params = "latency=1", .width = 64}, NULL);
    for (int i = 0; i < 64; i++) {
        rig_issue(&r, CLASS_SP, rig_inst(&r, 0, 0, 0, 0, 0));
    }
    WwInst *late = rig_inst(&r, 0, 0, 0, 0, 0);
    rig_issue(&r, CLASS_MEM, late);
    rig_tick(&r);
    g_assert_cmphex(ww_regs_full(&r.exec[CLASS_SP]), ==, UINT64_MAX);
    g_assert_cmpuint(rig_until(&r, CLASS_MEM, late), ==, 1);
    rig_close(&r);
}

static void test_writes(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.type = "operands.ideal"}, NULL);
    g_assert_true(rig_write(&r, 0, 0, 3));
    g_assert_true(rig_write(&r, 0, 0, 3));
    g_assert_cmpuint(rig_stat(&r, "writes"), ==, 2);
    rig_close(&r);
}

void register_ideal_tests(void)
{
    g_test_add_func("/operands/ideal/latency", test_latency);
    g_test_add_func("/operands/ideal/blocked", test_blocked);
    g_test_add_func("/operands/ideal/full", test_full);
    g_test_add_func("/operands/ideal/full_then_empty", test_full_then_empty);
    g_test_add_func("/operands/ideal/writes", test_writes);
}
