/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the operand collector one by one. "Issued in tick t" is what the test puts before
 * tick t + 1.
 */
#include "tests.h"

#define SUB_CORE "sub_core_model=true "

/* Ticks from issue to OC_EX of one instruction, alone, with two steps a cycle. */
static uint32_t alone(uint16_t s0, uint16_t s1, uint16_t s2)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "banks=8", .repeat = 2}, NULL);
    WwInst *inst = rig_inst(&r, 0, 0, s0, s1, s2);
    g_assert_true(rig_issue(&r, CLASS_SP, inst));
    uint32_t n = rig_until(&r, CLASS_SP, inst);
    rig_close(&r);
    return n;
}

/*
 * Two steps a cycle: allocate, collect | dispatch. Bank conflicts of one instruction cost from the
 * third operand on.
 */
static void test_timing(void)
{
    g_assert_cmpuint(alone(0, 0, 0), ==, 1);
    g_assert_cmpuint(alone(1, 0, 0), ==, 2);
    g_assert_cmpuint(alone(1, 2, 3), ==, 2);
    g_assert_cmpuint(alone(1, 9, 0), ==, 2);
    g_assert_cmpuint(alone(1, 9, 17), ==, 3);
    g_assert_cmpuint(alone(1, 1, 1), ==, 2);
}

/* One step a cycle: allocate | collect | dispatch. */
static void test_one_step(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "banks=8"}, NULL);
    WwInst *none = rig_inst(&r, 0, 0, 0, 0, 0), *some = rig_inst(&r, 0, 0, 1, 0, 0);
    rig_issue(&r, CLASS_SP, none);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, none), ==, 2);
    rig_issue(&r, CLASS_SP, some);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, some), ==, 3);
    g_assert_cmpuint(rig_stat(&r, "reads"), ==, 1);
    g_assert_cmpuint(rig_stat(&r, "bank_conflicts"), ==, 0);
    g_assert_cmpuint(rig_stat(&r, "instructions"), ==, 2);
    rig_close(&r);
}

/*
 * bank = (register + warp) mod banks: the same register of two warps differs, of one warp it does
 * not.
 */
static void test_banks(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "banks=4"}, NULL);
    WwInst *a = rig_inst(&r, 0, 0, 3, 0, 0), *b = rig_inst(&r, 1, 0, 3, 0, 0);
    WwInst *c = rig_inst(&r, 5, 0, 6, 0, 0); /* (6 + 5) mod 4 is (3 + 0) mod 4 */
    rig_issue(&r, CLASS_SP, a);
    rig_issue(&r, CLASS_SP, b);
    rig_issue(&r, CLASS_SP, c);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, a), ==, 3);
    g_assert_true(rig_take(&r, CLASS_SP, b));
    g_assert_false(rig_take(&r, CLASS_SP, c));
    g_assert_cmpuint(rig_until(&r, CLASS_SP, c), ==, 1);
    g_assert_cmpuint(rig_stat(&r, "bank_conflicts"), ==, 1);
    rig_close(&r);
}

/* bank_adds_warp = false: the same three registers of other warps meet in one bank. */
static void test_banks_without_warp(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "banks=4 bank_adds_warp=false"}, NULL);
    WwInst *a = rig_inst(&r, 0, 0, 3, 0, 0), *b = rig_inst(&r, 1, 0, 7, 0, 0);
    rig_issue(&r, CLASS_SP, a);
    rig_issue(&r, CLASS_SP, b);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, a), ==, 3);
    g_assert_false(rig_take(&r, CLASS_SP, b));
    g_assert_cmpuint(rig_until(&r, CLASS_SP, b), ==, 1);
    rig_close(&r);
}

/* zero_register = false: R255 is read from no bank and claims none. */
static void test_zero_register(void)
{
    for (uint32_t reads = 0; reads < 2; reads++) {
        Rig r;
        rig_open(&r, &(RigSpec){.params = reads ? NULL : "zero_register=false"}, NULL);
        WwInst *a = rig_inst(&r, 0, 0, WW_ZERO_REG, 0, 0);
        rig_issue(&r, CLASS_SP, a);
        rig_until(&r, CLASS_SP, a);
        g_assert_cmpuint(rig_stat(&r, "reads"), ==, reads);
        g_assert_true(rig_write(&r, 0, 0, WW_ZERO_REG));
        g_assert_cmpint(rig_write(&r, 0, 0, WW_ZERO_REG), ==, !reads);
        rig_close(&r);
    }
}

/*
 * Sub-core: schedulers own banks, so that the same register of the same warp number does not meet.
 */
static void test_private_banks(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = SUB_CORE "banks=8", .private = true}, NULL);
    WwInst *a = rig_inst(&r, 0, 0, 2, 4, 0), *b = rig_inst(&r, 0, 1, 2, 3, 0);
    rig_issue(&r, CLASS_SP, a); /* two banks a scheduler: 2 and 4 meet, 2 and 3 do not */
    rig_issue(&r, CLASS_SP, b);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, b), ==, 3);
    g_assert_false(rig_take(&r, CLASS_SP, a));
    g_assert_cmpuint(rig_until(&r, CLASS_SP, a), ==, 1);
    rig_close(&r);
}

/* A write keeps its bank from reads in the first step of its tick, not in the second. */
static void test_write_blocks(void)
{
    for (uint32_t repeat = 1; repeat <= 2; repeat++) {
        Rig r;
        rig_open(&r, &(RigSpec){.params = "banks=8 generic_units=2", .repeat = repeat}, NULL);
        WwInst *a = rig_inst(&r, 0, 0, 1, 9, 17), *b = rig_inst(&r, 0, 0, 1, 0, 0);
        rig_issue(&r, CLASS_SP, a);
        rig_tick(&r); /* repeat 2: allocate, read 1; repeat 1: allocate */
        g_assert_true(rig_write(&r, 0, 0, 25));
        rig_tick(&r); /* repeat 2: blocked, read 9; repeat 1: blocked */
        rig_tick(&r); /* repeat 2: read 17, dispatch; repeat 1: read 1 */
        g_assert_cmpint(rig_take(&r, CLASS_SP, a), ==, repeat == 2);
        if (repeat == 2) {
            rig_issue(&r, CLASS_SP, b);
            g_assert_true(rig_write(&r, 0, 0, 1));
            g_assert_cmpuint(rig_until(&r, CLASS_SP, b), ==,
                             2); /* read in the second step anyway */
        }
        g_assert_cmpuint(rig_stat(&r, "writes"), ==, repeat);
        rig_close(&r);
    }
}

/*
 * Two writes to one bank in a tick: the second is refused, and in the next tick it is not, awake or
 * asleep.
 */
static void test_write_refused(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "banks=8"}, NULL);
    rig_tick(&r);
    g_assert_true(rig_write(&r, 0, 0, 3));
    g_assert_false(rig_write(&r, 0, 0, 11));
    g_assert_true(rig_write(&r, 0, 0, 4));
    rig_tick(&r);
    g_assert_true(rig_write(&r, 0, 0, 11));
    g_assert_cmpuint(rig_stat(&r, "write_refusals"), ==, 1);
    /* in one cycle a destination is written once */
    WwInst *inst = rig_inst(&r, 0, 0, 0, 0, 0);
    ((WwSinst *)inst->s)->ndst = 1;
    ((WwSinst *)inst->s)->dst = 6;
    const WwRegisterBanksIf *banks = WW_REGISTER_BANKS(&r.ends->banks);
    g_assert_true(banks->write(r.ends->banks.peer, inst));
    g_assert_false(banks->write(r.ends->banks.peer, inst));
    g_assert_cmpuint(rig_stat(&r, "write_refusals"), ==, 2);
    rig_close(&r);
}

/* The oldest of a set holds up younger ones of other schedulers when its own units are taken. */
static void test_oldest_blocks(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = SUB_CORE "banks=8 generic_units=4", .private = true}, NULL);
    WwInst *a = rig_inst(&r, 0, 0, 0, 0, 0), *b = rig_inst(&r, 0, 0, 0, 0, 0);
    WwInst *c = rig_inst(&r, 4, 0, 0, 0, 0), *d = rig_inst(&r, 1, 1, 0, 0, 0);
    rig_issue(&r, CLASS_SP, a);
    rig_tick(&r);
    rig_issue(&r, CLASS_SP, b);
    rig_tick(&r); /* a goes to OC_EX, b takes the only unit of scheduler 0 */
    rig_issue(&r, CLASS_SP, c);
    rig_issue(&r, CLASS_SP, d);
    rig_tick(&r);
    rig_tick(&r); /* b cannot leave: OC_EX register 0 holds a; c waits for b's unit, d for c */
    g_assert_cmphex(ww_regs_full(&r.issue[CLASS_SP]), ==, 3);
    g_assert_cmpuint(rig_stat(&r, "unit_refusals"), ==, 1);
    g_assert_true(rig_take(&r, CLASS_SP, a));
    rig_tick(&r);
    g_assert_cmphex(ww_regs_full(&r.issue[CLASS_SP]), ==, 0);
    g_assert_cmpuint(rig_until(&r, CLASS_SP, d), ==, 1);
    rig_close(&r);
}

/* A port takes one instruction of each class a step. */
static void test_in_ports(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "generic_in_ports=1 generic_units=8"}, NULL);
    for (int i = 0; i < 3; i++) {
        rig_issue(&r, CLASS_SP, rig_inst(&r, 0, 0, 0, 0, 0));
        rig_issue(&r, CLASS_MEM, rig_inst(&r, 0, 0, 0, 0, 0));
    }
    rig_tick(&r);
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_SP])), ==, 2);
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_MEM])), ==, 2);
    rig_tick(&r);
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_SP])), ==, 1);
    rig_close(&r);
}

/* Classes are served in the order SP, SFU, MEM, TENSOR, DP, INT, SPEC. */
static void test_class_order(void)
{
    static const OpClass order[] = {CLASS_SP, CLASS_SFU, CLASS_MEM,  CLASS_TENSOR,
                                    CLASS_DP, CLASS_INT, CLASS_SPEC, CLASS_SPEC + 1};
    Rig r;
    rig_open(&r, &(RigSpec){.params = "generic_units=1", .classes = 0xff}, NULL);
    for (int i = G_N_ELEMENTS(order); i-- > 0;) {
        rig_issue(&r, order[i], rig_inst(&r, 0, 0, 0, 0, 0));
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(order); i++) {
        rig_tick(&r);
        for (uint32_t k = 0; k < G_N_ELEMENTS(order); k++) {
            g_assert_cmpint(ww_regs_full(&r.issue[order[k]]) == 0, ==, k <= i);
        }
    }
    rig_close(&r);
}

/*
 * One dispatch unit goes round: after unit 0 it begins at 1. The lowest free unit is allocated
 * first.
 */
static void test_circular_scan(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "generic_units=4 generic_out_ports=1"}, NULL);
    WwInst *i[4];
    for (int k = 0; k < 4; k++) {
        i[k] = rig_inst(&r, 0, 0, 0, 0, 0);
        rig_issue(&r, CLASS_SP, i[k]);
    }
    static const int expected[] = {1, 2, 3, 0}; /* `last` is unit 0 at first */
    rig_tick(&r);
    for (int k = 0; k < 4; k++) {
        rig_tick(&r);
        g_assert_true(rig_take(&r, CLASS_SP, i[expected[k]]));
    }
    rig_close(&r);
}

/*
 * Sub-core: after a unit of scheduler s the scan begins at the first unit of s + 1; inside a group
 * the lowest goes first.
 */
static void test_sub_core_scan(void)
{
    Rig r;
    rig_open(&r,
             &(RigSpec){.schedulers = 2,
                        .params = "sub_core_model=true banks=8 generic_units=4 "
                                  "generic_out_ports=1",
                        .private = true,
                        .width = 2,
                        .classes = 1 << CLASS_SP | 1 << CLASS_SFU | 1 << CLASS_MEM | 1 << CLASS_DP},
             NULL);
    WwInst *a = rig_inst(&r, 0, 0, 0, 0, 0), *b = rig_inst(&r, 0, 0, 0, 0, 0);
    WwInst *c = rig_inst(&r, 1, 1, 0, 0, 0), *d = rig_inst(&r, 1, 1, 0, 0, 0);
    rig_issue(&r, CLASS_SP, a); /* units 0 and 1 */
    rig_issue(&r, CLASS_SFU, b);
    rig_issue(&r, CLASS_MEM, c); /* units 2 and 3 */
    rig_issue(&r, CLASS_DP, d);
    rig_tick(&r);
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_MEM, c));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_SP, a));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_DP, d));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_SFU, b));
    rig_close(&r);
}

/* Special sets: their classes try their own units, then the generic ones. */
static void test_special_sets(void)
{
    Rig r;
    rig_open(&r,
             &(RigSpec){.params = "enable_specialized=true generic_units=1 generic_in_ports=0 "
                                  "generic_out_ports=1 sp_units=2 sp_in_ports=4 sp_out_ports=2 "
                                  "mem_units=1 mem_in_ports=1 mem_out_ports=1"},
             NULL);
    for (int k = 0; k < 4; k++) {
        rig_issue(&r, CLASS_SP, rig_inst(&r, 0, 0, 1, 2, 0));
        rig_issue(&r, CLASS_MEM, rig_inst(&r, 0, 0, 1, 2, 0));
    }
    rig_tick(&r);
    /* two SP units and the generic one for SP, whose ports come first; one for MEM */
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_SP])), ==, 1);
    g_assert_cmpint(__builtin_popcountll(ww_regs_full(&r.issue[CLASS_MEM])), ==, 3);
    rig_close(&r);
}

static bool due(const Rig *r)
{
    /* the heart beats in every tick, so what is left of the activations is the collector's */
    return ww_machine_activations(r->m) > ww_machine_tick(r->m);
}

/*
 * It sleeps when idle, and when all that it holds waits for OC_EX; a freed register wakes it in
 * that tick.
 */
static void test_sleeps(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.width = 1}, NULL);
    rig_tick(&r);
    uint64_t idle = ww_machine_activations(r.m);
    for (int i = 0; i < 10; i++) {
        rig_tick(&r);
    }
    g_assert_cmpuint(ww_machine_activations(r.m) - idle, ==, 10);
    WwInst *a = rig_inst(&r, 0, 0, 1, 0, 0), *b = rig_inst(&r, 0, 0, 2, 0, 0);
    rig_issue(&r, CLASS_SP, a);
    rig_tick(&r);
    rig_issue(&r, CLASS_SP, b);
    for (int i = 0; i < 10; i++) {
        rig_tick(&r);
    }
    uint64_t waiting = ww_machine_activations(r.m);
    for (int i = 0; i < 10; i++) {
        rig_tick(&r);
    }
    g_assert_cmpuint(ww_machine_activations(r.m) - waiting, ==, 10);
    g_assert_true(rig_take(&r, CLASS_SP, a));
    g_assert_cmpuint(rig_until(&r, CLASS_SP, b), ==, 1);
    g_assert_true(due(&r));
    rig_close(&r);
}

static void refused(const RigSpec *spec, const char *pattern)
{
    Rig r;
    GError *error = NULL;
    g_assert_false(rig_open(&r, spec, &error));
    g_assert_true(g_pattern_match_simple(pattern, error->message));
    g_clear_error(&error);
}

static void test_refusals(void)
{
    refused(&(RigSpec){.params = SUB_CORE "banks=6"}, "*banks = 6*multiple of schedulers = 4*");
    refused(&(RigSpec){.params = SUB_CORE "generic_units=6"}, "*generic_units = 6*multiple*");
    refused(&(RigSpec){.params = "generic_units=0"}, "*no collector units*");
    refused(&(RigSpec){.params = "generic_out_ports=0"}, "*generic_out_ports = 0*");
    refused(&(RigSpec){.private = true, .width = 2},
            "*private register_set of width 2*schedulers = 4*");
}

/* How many schedulers share banks and units is known from what comes in. */
static void test_known_schedulers(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.schedulers = 2, .params = SUB_CORE "banks=6"}, NULL);
    rig_close(&r);
    refused(&(RigSpec){.schedulers = 3, .params = SUB_CORE "banks=8"},
            "*banks = 8*multiple of schedulers = 3*");
    refused(&(RigSpec){.schedulers = 5, .private = true}, "*width 4*with schedulers = 5*");
}

/*
 * An instruction from a scheduler that the sub-core model does not have ends the run with a reason.
 */
static void test_bad_scheduler(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = SUB_CORE}, NULL);
    rig_issue(&r, CLASS_SP, rig_inst(&r, 3, 4, 0, 0, 0));
    ww_run(r.m, 2);
    g_assert_nonnull(ww_machine_error(r.m));
    g_assert_true(g_pattern_match_simple("*dut: TEST of warp 3 comes from scheduler 4*",
                                         ww_machine_error(r.m)->message));
    rig_close(&r);
}

/* A hang report can say what each unit waits for, and why a register set is not emptied. */
static void test_explains(void)
{
    Rig r;
    rig_open(&r, &(RigSpec){.params = "generic_units=1", .width = 2}, NULL);
    for (int i = 0; i < 4; i++) {
        rig_issue(&r, CLASS_SP, rig_inst(&r, 7, 0, 1, 0, 0));
        for (int t = 0; t < 4; t++) {
            rig_tick(&r);
        }
    }
    g_autofree char *text = ww_machine_explain(r.m);
    g_assert_nonnull(strstr(text, "TEST of warp 7 has its operands and waits for a free register"));
    g_assert_nonnull(strstr(text, "needs a free collector unit"));
    rig_close(&r);
}

/* The harness sees it as any other component. */
static void test_harness(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "operand_collector", NULL);
    ww_harness_channel(h, "dp", "width=2");
    ww_harness_channel(h, "dp_out", "width=2");
    ww_harness_start(h, NULL);
    WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_DP, .src = {4, 5}, .uid = 1});
    ww_harness_put(h, "dp", 1, ww_token_of(inst));
    g_assert_cmpuint(ww_harness_until(h, "dp_out", 10), ==, 3);
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_reset(h);
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 0);
}

/* oldest_blocks = false: c still waits for b's unit, d does not wait for c. */
static void test_oldest_passes(void)
{
    Rig r;
    rig_open(&r,
             &(RigSpec){.params = SUB_CORE "banks=8 generic_units=4 oldest_blocks=false",
                        .private = true},
             NULL);
    WwInst *a = rig_inst(&r, 0, 0, 0, 0, 0), *b = rig_inst(&r, 0, 0, 0, 0, 0);
    WwInst *c = rig_inst(&r, 4, 0, 0, 0, 0), *d = rig_inst(&r, 1, 1, 0, 0, 0);
    rig_issue(&r, CLASS_SP, a);
    rig_tick(&r);
    rig_issue(&r, CLASS_SP, b);
    rig_tick(&r);
    rig_issue(&r, CLASS_SP, c);
    rig_issue(&r, CLASS_SP, d);
    rig_tick(&r);
    rig_tick(&r);
    g_assert_cmphex(ww_regs_full(&r.issue[CLASS_SP]), ==, 1);
    g_assert_true(rig_take(&r, CLASS_SP, d));
    g_assert_true(rig_take(&r, CLASS_SP, a));
    rig_close(&r);
}

/* dispatch_oldest: by age, whatever unit an instruction is in. */
static void test_dispatch_oldest(void)
{
    Rig r;
    rig_open(&r,
             &(RigSpec){.schedulers = 2,
                        .params = "sub_core_model=true banks=8 generic_units=4 "
                                  "generic_out_ports=1 dispatch_oldest=true",
                        .private = true,
                        .width = 2,
                        .classes = 1 << CLASS_SP | 1 << CLASS_SFU | 1 << CLASS_MEM | 1 << CLASS_DP},
             NULL);
    WwInst *d = rig_inst(&r, 1, 1, 0, 0, 0), *b = rig_inst(&r, 0, 0, 0, 0, 0);
    WwInst *c = rig_inst(&r, 1, 1, 0, 0, 0), *a = rig_inst(&r, 0, 0, 0, 0, 0);
    rig_issue(&r, CLASS_DP, d);
    rig_issue(&r, CLASS_SFU, b);
    rig_issue(&r, CLASS_MEM, c);
    rig_issue(&r, CLASS_SP, a);
    rig_tick(&r);
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_DP, d));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_SFU, b));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_MEM, c));
    rig_tick(&r);
    g_assert_true(rig_take(&r, CLASS_SP, a));
    rig_close(&r);
}

void register_collector_tests(void)
{
    g_test_add_func("/operands/collector/timing", test_timing);
    g_test_add_func("/operands/collector/one_step", test_one_step);
    g_test_add_func("/operands/collector/banks", test_banks);
    g_test_add_func("/operands/collector/banks_without_warp", test_banks_without_warp);
    g_test_add_func("/operands/collector/zero_register", test_zero_register);
    g_test_add_func("/operands/collector/private_banks", test_private_banks);
    g_test_add_func("/operands/collector/write_blocks", test_write_blocks);
    g_test_add_func("/operands/collector/write_refused", test_write_refused);
    g_test_add_func("/operands/collector/oldest_blocks", test_oldest_blocks);
    g_test_add_func("/operands/collector/in_ports", test_in_ports);
    g_test_add_func("/operands/collector/class_order", test_class_order);
    g_test_add_func("/operands/collector/circular_scan", test_circular_scan);
    g_test_add_func("/operands/collector/sub_core_scan", test_sub_core_scan);
    g_test_add_func("/operands/collector/special_sets", test_special_sets);
    g_test_add_func("/operands/collector/sleeps", test_sleeps);
    g_test_add_func("/operands/collector/refusals", test_refusals);
    g_test_add_func("/operands/collector/known_schedulers", test_known_schedulers);
    g_test_add_func("/operands/collector/bad_scheduler", test_bad_scheduler);
    g_test_add_func("/operands/collector/explains", test_explains);
    g_test_add_func("/operands/collector/harness", test_harness);
    g_test_add_func("/operands/collector/oldest_passes", test_oldest_passes);
    g_test_add_func("/operands/collector/dispatch_oldest", test_dispatch_oldest);
}
