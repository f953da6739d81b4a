/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several units on one register set and one result bus, compared tick by tick with the plainest
 * possible model: stages that are shifted, bit vectors that are shifted, everything looked at every
 * tick.
 */
#include "tests.h"

#include "types.h"
#include <ports/execute.h>
#include <tests/support/machine.h>

#define N_UNITS 4u
#define STAGES 64u
#define BITS 512u

/* ---- the machine ----------------------------------------------------------------------------- */

/* The test's own ends of the two register sets. */
typedef struct Ends {
    WwComponent base;
    WwPort in, out;
} Ends;

static const WwPortRow ends_ports[] = {
    WW_PORT_OUT(Ends, in, &ww_contract_inst, 1, "to the units"),
    WW_PORT_IN(Ends, out, &ww_contract_inst, 1, "from the units"),
    {0},
};
static const WwType ends_type = TEST_ENDS_TYPE(Ends, ends_ports);

typedef struct Rig {
    WwMachine *m;
    WwComponent *unit[N_UNITS];
    WwComponent *bus;
    Ends *ends;
} Rig;

static void rig_open(Rig *r, bool private, bool no_sleep, const char *width, const char *multiplier)
{
    r->m = test_beating_machine();
    r->bus = test_add_type(r->m, NULL, &result_bus_type, "bus", -1);
    test_set_one(r->bus, "width", width);
    WwComponent *in = test_add_type(r->m, NULL, &ww_register_set_type, "oc_ex", -1);
    WwComponent *out = test_add_type(r->m, NULL, &ww_register_set_type, "ex_wb", -1);
    test_set_one(in, "width", "4");
    test_set_one(in, "private", private ? "true" : "false");
    test_set_one(out, "width", "8");
    r->ends = test_add_type(r->m, NULL, &ends_type, "ends", -1);
    test_join(r->ends, "in", in);
    test_join(r->ends, "out", out);
    for (uint32_t i = 0; i < N_UNITS; i++) {
        r->unit[i] = test_add_type(r->m, NULL, &fu_pipelined_type, "unit", (int)i);
        test_set_one(r->unit[i], "clock_multiplier", multiplier);
        test_join(r->unit[i], "in", in);
        test_join(r->unit[i], "out", out);
        test_join(r->unit[i], "bus", r->bus);
    }
    test_seal(r->m, no_sleep);
}

/* ---- the plain model ------------------------------------------------------------------------- */

typedef struct PlainUnit {
    WwInst *dispatch, *stage[STAGES + 1];
    uint32_t countdown;
    bool occupied[BITS + 1];
} PlainUnit;

typedef struct Plain {
    bool private;
    uint32_t width, multiplier;
    bool bus[8][BITS + 1];
    WwInst *oc_ex[4], *ex_wb[8];
    PlainUnit unit[N_UNITS];
} Plain;

static void plain_unit_cycle(Plain *p, PlainUnit *u)
{
    if (u->stage[0] != NULL) {
        uint32_t slot = 0;
        while (p->ex_wb[slot] != NULL) {
            slot++;
        }
        p->ex_wb[slot] = u->stage[0];
    }
    memmove(&u->stage[0], &u->stage[1], STAGES * sizeof u->stage[0]);
    if (u->dispatch != NULL) {
        u->countdown -= u->countdown > 0;
        uint32_t stage = u->dispatch->latency - u->dispatch->interval;
        if (u->countdown == 0 && u->stage[stage] == NULL) {
            u->stage[stage] = u->dispatch;
            u->dispatch = NULL;
        }
    }
    memmove(&u->occupied[0], &u->occupied[1], BITS * sizeof u->occupied[0]);
}

static void plain_accept(Plain *p, uint32_t k)
{
    PlainUnit *u = &p->unit[k];
    int at = -1;
    for (int i = 0; i < 4; i++) {
        if (p->oc_ex[i] != NULL && (!p->private || i == (int)k) &&
            (at < 0 || p->oc_ex[i]->order < p->oc_ex[at]->order)) {
            at = i;
        }
    }
    if (at < 0 || u->dispatch != NULL || u->occupied[p->oc_ex[at]->latency]) {
        return;
    }
    WwInst *inst = p->oc_ex[at];
    for (uint32_t b = 0; b < p->width; b++) {
        if (!p->bus[b][inst->latency]) {
            p->bus[b][inst->latency] = true;
            u->occupied[inst->latency] = true;
            u->dispatch = inst;
            u->countdown = inst->interval;
            p->oc_ex[at] = NULL;
            return;
        }
    }
}

static void plain_tick(Plain *p)
{
    for (uint32_t b = 0; b < p->width; b++) {
        memmove(&p->bus[b][0], &p->bus[b][1], BITS * sizeof p->bus[b][0]);
    }
    for (uint32_t k = 0; k < N_UNITS; k++) {
        for (uint32_t c = 0; c < p->multiplier; c++) {
            plain_unit_cycle(p, &p->unit[k]);
        }
        plain_accept(p, k);
    }
}

/* ---- the comparison -------------------------------------------------------------------------- */

/* Both machines stand at the same place, and write-back empties EX_WB. */
static void compare_and_drain(Rig *r, Plain *p)
{
    uint64_t in = 0, out = 0;
    for (int i = 0; i < 4; i++) {
        in |= p->oc_ex[i] != NULL ? 1u << i : 0;
    }
    g_assert_cmphex(ww_regs_full(&r->ends->in), ==, in);
    for (int i = 0; i < 8; i++) {
        out |= p->ex_wb[i] != NULL ? 1u << i : 0;
    }
    g_assert_cmphex(ww_regs_full(&r->ends->out), ==, out);
    for (int i = 0; i < 8; i++) {
        if (p->ex_wb[i] != NULL) {
            g_assert_true(ww_regs_take(&r->ends->out, i) == p->ex_wb[i]);
            p->ex_wb[i] = NULL;
        }
    }
}

static void feed(Rig *r, Plain *p, GRand *random, WwInst *inst, const WwSinst *s, uint64_t uid)
{
    uint32_t sched = (uint32_t)g_rand_int_range(random, 0, 4);
    int slot = ww_regs_free(&r->ends->in, sched);
    if (slot < 0) {
        return;
    }
    static const uint16_t pair[][2] = {{2, 1}, {2, 2},  {4, 1}, {4, 2},
                                       {8, 4}, {21, 8}, {5, 0}, {40, 10}};
    const uint16_t *kind = pair[g_rand_int_range(random, 0, G_N_ELEMENTS(pair))];
    *inst = (WwInst){.s = s,
                     .uid = (uint32_t)uid,
                     .order = (uint32_t)uid,
                     .mask = 1,
                     .sched = (uint8_t)sched,
                     .op = WW_OP_SP,
                     .latency = kind[0],
                     .interval = kind[1]};
    ww_regs_put(&r->ends->in, slot, inst);
    p->oc_ex[slot] = inst;
}

static void random_run(bool private, bool no_sleep, uint32_t width, uint32_t multiplier,
                       uint32_t seed, uint32_t ticks)
{
    static const WwSinst s = {.opcode = "TEST"};
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    g_autofree WwInst *inst = g_new0(WwInst, 4 * ticks);
    g_autofree char *text = g_strdup_printf("%u", width);
    Plain *p = g_new0(Plain, 1);
    p->private = private;
    p->width = width;
    p->multiplier = multiplier;
    Rig r = {0};
    rig_open(&r, private, no_sleep, text, multiplier == 1 ? "1" : "2");
    uint64_t uid = 0;
    for (uint32_t t = 0; t < ticks; t++) {
        int load = (t / 200) % 4; /* from idle to flooded */
        for (int i = 0; i < load; i++) {
            uid++;
            feed(&r, p, random, &inst[uid], &s, uid);
        }
        g_assert_cmpint(ww_run(r.m, 1), ==, WW_RUN_BUDGET);
        plain_tick(p);
        compare_and_drain(&r, p);
    }
    ww_machine_free(r.m);
    g_free(p);
}

static void test_plain_model(void)
{
    for (uint32_t seed = 0; seed < 6; seed++) {
        for (uint32_t width = 1; width <= 8; width += seed % 3 + 1) {
            random_run(false, false, width, 1, seed, 2000);
            random_run(true, false, width, 1, seed, 2000);
            random_run(seed & 1, false, width, 2, seed, 1000);
            random_run(seed & 1, true, width, 1, seed, 500);
        }
    }
}

/* Unit k of a private set takes register k and nothing else. */
static void test_private(void)
{
    static const WwSinst s = {.opcode = "TEST"};
    WwInst inst = {
        .s = &s, .uid = 1, .order = 1, .sched = 2, .op = WW_OP_SP, .latency = 2, .interval = 1};
    Rig r = {0};
    rig_open(&r, true, false, "8", "1");
    ww_regs_put(&r.ends->in, 2, &inst);
    ww_run(r.m, 1);
    uint64_t issued[1];
    for (uint32_t i = 0; i < N_UNITS; i++) {
        const WwComponent *u = r.unit[i];
        issued[0] = *ww_stat_values(u, &u->type->stats[ww_type_stat(u->type, "issued")]);
        g_assert_cmpuint(issued[0], ==, i == 2);
    }
    ww_machine_free(r.m);
}

static void wiring_refused(const char *width, const char *private, const char *pattern)
{
    GError *error = NULL;
    g_autoptr(WwMachine) m = test_core_machine();
    WwComponent *bus = test_add_type(m, NULL, &result_bus_type, "bus", -1);
    WwComponent *in = test_add_type(m, NULL, &ww_register_set_type, "oc_ex", -1);
    WwComponent *out = test_add_type(m, NULL, &ww_register_set_type, "ex_wb", -1);
    Ends *ends = test_add_type(m, NULL, &ends_type, "ends", -1);
    test_set_one(in, "width", width);
    test_set_one(in, "private", private);
    test_join(ends, "in", in);
    test_join(ends, "out", out);
    for (int i = 0; i < 3; i++) {
        WwComponent *u = test_add_type(m, NULL, &fu_pipelined_type, "unit", i);
        test_join(u, "in", in);
        test_join(u, "out", out);
        test_join(u, "bus", bus);
    }
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
    g_assert_true(g_pattern_match_simple(pattern, error->message));
    g_clear_error(&error);
}

static void test_wiring(void)
{
    wiring_refused("2", "true", "*private register_set of width 2 has 3 readers*");
}

void register_rig_tests(void)
{
    g_test_add_func("/execute/units/plain_model", test_plain_model);
    g_test_add_func("/execute/units/private", test_private);
    g_test_add_func("/execute/units/wiring", test_wiring);
}
