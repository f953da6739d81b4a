/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between an LD/ST unit and an SM of the other kind: link.ldst_unit with ldst_unit.linked, link.ldst_shared with ldst.shared. */
#include "tests.h"

#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <testing/fake_inst_ends.h>
#include <testing/fake_sub_core.h>
#include <testing/fake_timing.h>

enum { CORES = 4 };

/* Either of the two, with four sub-cores or schedulers. */
typedef struct LinkRig {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeDispatchSlot *way;
    WwFakeRegisterBanks *banks;
    WwFakeBarriers *barriers;
    WwFakeTiming *timing;
    const WwInstEndsIf *ends;
    void *self;
    uint64_t uid;
} LinkRig;

static void channels(LinkRig *r, const char *name)
{
    for (uint32_t i = 0; i < CORES; i++) {
        g_autofree char *port = g_strdup_printf("%s[%u]", name, i);
        ww_harness_channel(r->h, port, "width=1");
    }
}

static void start(LinkRig *r)
{
    r->warps = ww_harness_fill(r->h, "warps", NULL, NULL);
    g_assert_true(ww_harness_start(r->h, NULL));
    r->ends = ww_harness_table(r->h, "ends", &r->self);
    for (uint32_t w = 0; w < CORES; w++) {
        ww_fake_warps_live(r->warps, w, UINT32_MAX);
        ww_fake_warps_set(r->warps, w, 100, 0, 64);
    }
}

static void open_unit(LinkRig *r, const char *params)
{
    *r = (LinkRig){.h = ww_harness_new(test_registry(), "link.ldst_unit", params)};
    channels(r, "in");
    channels(r, "out");
    ww_harness_channel(r->h, "unit", "width=1");
    r->way = ww_harness_fill(r->h, "dispatch", NULL, NULL);
    start(r);
}

static void open_shared(LinkRig *r)
{
    *r = (LinkRig){.h = ww_harness_new(test_registry(), "link.ldst_shared", NULL)};
    ww_harness_channel(r->h, "in", "width=8");
    channels(r, "to");
    channels(r, "results");
    r->timing = ww_harness_fill(r->h, "timing", NULL, NULL);
    r->banks = ww_harness_fill(r->h, "banks", NULL, NULL);
    r->barriers = ww_harness_fill(r->h, "barriers", NULL, NULL);
    start(r);
}

static void close_rig(LinkRig *r)
{
    ww_harness_free(r->h);
}

/* An instruction of sub-core @p core, whose warp has that number, too. */
static WwInst *make(LinkRig *r, uint32_t core, uint32_t takes, uint16_t flags)
{
    WwTiming t = {.unit = WW_UNIT_MEM, .flags = takes, .space = WW_SPACE_GLOBAL};
    bool store = (takes & WW_TAKES_STORE) != 0;
    return ww_test_inst(r->h, &(WwTestInst){.op = store ? WW_OP_STORE : WW_OP_LOAD,
                                            .space = WW_SPACE_GLOBAL,
                                            .flags = flags,
                                            .dst = store ? 0 : 5,
                                            .warp = (uint16_t)core,
                                            .sched = (uint8_t)core,
                                            .uid = ++r->uid,
                                            .pc = 0x40,
                                            .base = 0x1000,
                                            .stride = 4,
                                            .timing = &t});
}

static void put(LinkRig *r, const char *name, uint32_t core, WwInst *inst)
{
    g_autofree char *port = g_strdup_printf("%s[%u]", name, core);
    g_assert_true(ww_harness_put(r->h, port, 0, ww_token_of(inst)));
}

static WwInst *take(LinkRig *r, const char *name, uint32_t core)
{
    WwToken t;
    g_autofree char *port = g_strdup_printf("%s[%u]", name, core);
    return ww_harness_take(r->h, port, NULL, &t) ? ww_token_inst(t) : NULL;
}

static WwInst *take_unit(LinkRig *r)
{
    WwToken t;
    return ww_harness_take(r->h, "unit", NULL, &t) ? ww_token_inst(t) : NULL;
}

/* ---- sub-cores in front of a ldst_unit ------------------------------------------------------ */

/* One a cycle, the sub-core behind the last one first; none while something is on its way over. */
static void turns(void)
{
    LinkRig r;
    open_unit(&r, NULL);
    WwInst *of[CORES];
    for (uint32_t i = 0; i < CORES; i++) {
        put(&r, "in", i, of[i] = make(&r, i, WW_TAKES_STORE, 0));
    }
    r.way->free_at = 3;
    ww_harness_step(r.h, 3);
    g_assert_null(take_unit(&r));
    for (uint32_t i = 0; i < CORES; i++) {
        ww_harness_step(r.h, 1); /* cycles 3, 4, 5, 6 */
        g_assert_true(take_unit(&r) == of[i]);
        if (i == 1) {
            put(&r, "in", 1, make(&r, 1, WW_TAKES_STORE, 0)); /* 2 and 3 come before it */
        }
    }
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(take_unit(&r)->sched, ==, 1);
    ww_harness_step(r.h, 2);
    g_assert_true(ww_harness_asleep(r.h));
    g_assert_cmpuint(ww_harness_stat(r.h, "instructions", 0), ==, 5);
    g_assert_cmpuint(ww_harness_stat(r.h, "lanes", 0), ==, 5 * 32);
    close_rig(&r);
}

/* It is over with its record, not before: a result in the cycle in which the unit says so, or the end, once and whole. */
static void ends(void)
{
    static const struct {
        uint32_t takes;
        bool result;
    } rows[] = {
        {WW_TAKES_LOAD, true},
        {WW_TAKES_LOAD | WW_TAKES_ATOMIC, true},
        {WW_TAKES_TEXTURE, true},
        {WW_TAKES_STORE, false},
        {WW_TAKES_LOAD | WW_TAKES_STORE | WW_TAKES_ATOMIC, false}, /* of shared memory */
        {WW_TAKES_LOAD | WW_TAKES_LDGSTS, false},
        {WW_TAKES_OTHER, false},
        {WW_TAKES_MEMBAR, false},
    };
    for (uint32_t i = 0; i < G_N_ELEMENTS(rows) + 1; i++) {
        LinkRig r;
        open_unit(&r, NULL);
        bool no_lanes = i == G_N_ELEMENTS(rows), result = !no_lanes && rows[i].result;
        WwInst *inst = make(&r, 2, rows[no_lanes ? 0 : i].takes, 0);
        inst->mask = no_lanes ? 0 : inst->mask;
        put(&r, "in", 2, inst);
        ww_harness_step(r.h, 1);
        g_assert_true(take_unit(&r) == inst);
        r.ends->finish(r.self, inst, WW_END_PIPELINE | WW_END_COUNT);
        r.ends->finish(r.self, inst, WW_END_COUNT);
        ww_harness_step(r.h, 3);
        g_assert_null(take(&r, "out", 2));
        g_assert_cmpuint(r.warps->total.complete + r.warps->total.leave, ==, 0);
        r.ends->finish(r.self, inst, WW_END_DATA | WW_END_RECORD);
        g_assert_cmpuint(r.warps->total.release, ==, !result);
        ww_harness_step(r.h, 1);
        g_assert_true(take(&r, "out", 2) == (result ? inst : NULL));
        g_assert_cmpuint(r.warps->total.leave, ==, !result);
        g_assert_cmpuint(r.warps->total.complete, ==, !result);
        g_assert_cmpuint(r.warps->total.result, ==, !result);
        g_assert_cmpuint(ww_harness_stat(r.h, "results", 0), ==, result);
        g_assert_cmpuint(ww_harness_stat(r.h, "retired", 0), ==, !result);
        g_assert_true(ww_harness_asleep(r.h));
        close_rig(&r);
    }
}

/* Results of a sub-core wait in their order for its latch, and hold up nobody else. */
static void latches(void)
{
    LinkRig r;
    WwInst *of[3];
    open_unit(&r, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t core = i == 2 ? 3 : 1;
        put(&r, "in", core, of[i] = make(&r, core, WW_TAKES_LOAD, 0));
        ww_harness_step(r.h, 1);
        g_assert_true(take_unit(&r) == of[i]);
    }
    r.ends->finish(r.self, of[1], WW_END_ALL); /* the younger one first */
    r.ends->finish(r.self, of[0], WW_END_ALL);
    r.ends->finish(r.self, of[2], WW_END_ALL);
    ww_harness_step(r.h, 5);
    g_assert_true(ww_harness_asleep(r.h));
    g_assert_true(take(&r, "out", 3) == of[2]);
    g_assert_true(take(&r, "out", 1) == of[1]);
    g_assert_null(take(&r, "out", 1));
    ww_harness_step(r.h, 1); /* room wakes it */
    g_assert_true(take(&r, "out", 1) == of[0]);
    g_assert_cmpuint(r.warps->total.release, ==, 0);
    close_rig(&r);
}

/* So many are with the unit at a time; the unit may be full, too. */
static void limits(void)
{
    LinkRig r;
    WwInst *of[4];
    open_unit(&r, "entries=2");
    for (uint32_t i = 0; i < 3; i++) {
        put(&r, "in", i, of[i] = make(&r, i, WW_TAKES_STORE, 0));
    }
    ww_harness_step(r.h, 5);
    g_assert_true(take_unit(&r) == of[0]); /* the unit's register held up the second */
    ww_harness_step(r.h, 5);
    g_assert_true(take_unit(&r) == of[1]);
    ww_harness_step(r.h, 5);
    g_assert_null(take_unit(&r));
    g_assert_true(ww_harness_asleep(r.h));
    r.ends->finish(r.self, of[1], WW_END_ALL);
    ww_harness_step(r.h, 1);
    g_assert_true(take_unit(&r) == of[2]);
    g_assert_cmpuint(ww_harness_stat(r.h, "most", 0), ==, 2);
    close_rig(&r);
}

/* Lanes of atomics are counted when they go over, as the unit counts them back. */
static void atomics(void)
{
    LinkRig r;
    open_unit(&r, NULL);
    WwInst *inst = make(&r, 1, WW_TAKES_LOAD | WW_TAKES_ATOMIC, WW_INST_ATOMIC);
    inst->mask = 0xff;
    put(&r, "in", 1, inst);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->seen[1].atomics, ==, 8);
    inst = make(&r, 1, WW_TAKES_LOAD, 0);
    put(&r, "in", 1, inst);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.atomics, ==, 8);
    close_rig(&r);
}

static void run_fails(LinkRig *r, const char *says)
{
    ww_harness_step(r->h, 2);
    const GError *e = ww_machine_error(ww_harness_machine(r->h));
    g_assert_nonnull(e);
    g_assert_nonnull(strstr(e->message, says));
    close_rig(r);
}

static void refusals(void)
{
    LinkRig r;
    GError *error = NULL;
    open_unit(&r, NULL);
    WwInst *inst = make(&r, 0, WW_TAKES_LOAD, 0);
    inst->sched = CORES;
    put(&r, "in", 0, inst);
    run_fails(&r, "comes from sub-core 4; expected that `out` leads there");
    open_shared(&r);
    inst = make(&r, 0, WW_TAKES_LOAD, 0);
    inst->sched = CORES;
    g_assert_true(ww_harness_put(r.h, "in", 0, ww_token_of(inst)));
    run_fails(&r, "comes from scheduler 4; expected that `to` leads on for it");
    r.h = ww_harness_new(test_registry(), "link.ldst_unit", NULL);
    channels(&r, "in");
    ww_harness_channel(r.h, "out[0]", "width=1");
    ww_harness_channel(r.h, "unit", "width=1");
    ww_harness_fill(r.h, "dispatch", NULL, NULL);
    ww_harness_fill(r.h, "warps", NULL, NULL);
    g_assert_false(ww_harness_start(r.h, &error));
    g_assert_nonnull(strstr(error->message, "4 ports `in` are bound and 1 ports `out`"));
    g_clear_error(&error);
    close_rig(&r);
}

/* ---- the unit behind it ---------------------------------------------------------------------- */

/*
 * Accepted in cycle 0, a load of shared memory is at the exit of the pipeline's S stages in 1 + S and over in 2 + S, with nobody's register
 * bank asked; so a sub-core that gave it in cycle 0 has it in 3 + S: the link had it for a cycle.
 */
static void shared_latency(void)
{
    for (uint32_t s = 2; s < 40; s += 9) {
        g_autofree char *params = g_strdup_printf("smem_latency=%u", s);
        WwHarness *h = ww_harness_new(test_registry(), "ldst_unit.linked", params);
        ww_harness_channel(h, "in", "width=1");
        WwFakeWarps *warps = ww_harness_fill(h, "warps", NULL, NULL);
        WwFakeInstEnds *ends = ww_harness_fill(h, "ends", NULL, NULL);
        ww_harness_fill(h, "ctas", NULL, NULL);
        g_assert_true(ww_harness_start(h, NULL));
        WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_LOAD,
                                                     .space = WW_SPACE_SHARED,
                                                     .dst = 7,
                                                     .base = 0x100,
                                                     .stride = 4,
                                                     .uid = 1});
        g_assert_true(ww_harness_put(h, "in", 0, ww_token_of(inst)));
        ww_harness_step(h, 2 + s);
        g_assert_cmpuint(ends->what, ==, WW_END_PIPELINE);
        g_assert_cmpuint(ends->cycle, ==, 1 + s);
        g_assert_cmpuint(ends->over, ==, 0);
        ww_harness_step(h, 1);
        g_assert_cmpuint(ends->over, ==, 1);
        g_assert_cmpuint(ends->cycle, ==, 2 + s);
        g_assert_true(ends->inst == inst);
        g_assert_cmpuint(warps->total.leave + warps->total.release + warps->total.complete, ==, 0);
        ww_harness_free(h);
    }
}

/* A copy is over with its last data, and nobody is told by address. */
static void linked_copy(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit.linked", NULL);
    ww_harness_channel(h, "in", "width=1");
    ww_harness_channel(h, "mem_out", "depth=8");
    ww_harness_channel(h, "mem_in", "depth=2");
    ww_harness_fill(h, "warps", NULL, NULL);
    WwFakeInstEnds *ends = ww_harness_fill(h, "ends", NULL, NULL);
    ww_harness_fill(h, "ctas", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_LOAD,
                                                 .space = WW_SPACE_GLOBAL,
                                                 .flags = WW_INST_LDGSTS,
                                                 .base = 0x1000000,
                                                 .stride = 4,
                                                 .uid = 1});
    g_assert_true(ww_harness_put(h, "in", 0, ww_token_of(inst)));
    ww_harness_step(h, 10);
    for (uint32_t left = 4; left > 0; left--) {
        WwToken t;
        g_assert_cmpuint(ends->over, ==, 0);
        g_assert_true(ww_harness_take(h, "mem_out", NULL, &t));
        ww_token_mem(t)->response = true;
        g_assert_true(ww_harness_put(h, "mem_in", 0, t));
        ww_harness_step(h, 4);
    }
    g_assert_cmpuint(ends->over, ==, 1);
    g_assert_true(ends->inst == inst);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

/* ---- an operand collector in front of ldst.shared --------------------------------------------- */

/* The oldest of each scheduler goes on as its latch is empty, with what it takes. */
static void hands_on(void)
{
    LinkRig r;
    open_shared(&r);
    WwInst *of[4];
    uint32_t core[4] = {1, 1, 0, 3};
    for (uint32_t i = 0; i < 4; i++) {
        of[i] = make(&r, core[i], WW_TAKES_LOAD, 0);
        of[i]->timing = NULL;
        of[i]->order = 10 - i; /* the second is older than the first */
        g_assert_true(ww_harness_put(r.h, "in", (int)i, ww_token_of(of[i])));
    }
    ww_harness_step(r.h, 3);
    g_assert_true(take(&r, "to", 1) == of[1]);
    g_assert_null(take(&r, "to", 1));
    g_assert_true(take(&r, "to", 0) == of[2]);
    g_assert_true(take(&r, "to", 3) == of[3]);
    g_assert_true(of[1]->timing == &r.timing->of[WW_OP_LOAD]);
    g_assert_null(of[0]->timing);
    ww_harness_step(r.h, 1); /* room wakes it */
    g_assert_true(take(&r, "to", 1) == of[0]);
    g_assert_cmpuint(r.timing->asked, ==, 4);
    g_assert_cmpuint(ww_harness_stat(r.h, "instructions", 0), ==, 4);
    g_assert_true(ww_harness_asleep(r.h));
    close_rig(&r);
}

/* A result ends whole when its register bank is free; one without a register takes none. */
static void writes(void)
{
    LinkRig r;
    open_shared(&r);
    WwInst *inst = make(&r, 2, WW_TAKES_LOAD, 0), *none = make(&r, 1, WW_TAKES_LOAD, 0);
    ww_test_sinst(none)->ndst = 0;
    r.banks->refuse = 3;
    put(&r, "results", 2, inst);
    put(&r, "results", 1, none);
    ww_harness_step(r.h, 1);
    g_assert_true(r.warps->released == none);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    ww_harness_step(r.h, 1);
    g_assert_true(r.warps->released == inst);
    g_assert_cmpuint(r.warps->total.release, ==, 2);
    g_assert_cmpuint(r.warps->total.result, ==, 2);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    g_assert_cmpuint(r.banks->written, ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "bank_conflicts", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "written", 0), ==, 2);
    g_assert_true(ww_harness_asleep(r.h));
    close_rig(&r);
}

/* With an end goes what the SM waits for: lanes of atomics, copies by the address of lane 0. */
static void tells(void)
{
    LinkRig r;
    open_shared(&r);
    WwInst *copy = make(&r, 3, WW_TAKES_LOAD | WW_TAKES_LDGSTS, WW_INST_LDGSTS);
    r.ends->finish(r.self, copy, WW_END_COUNT);
    g_assert_cmpuint(r.barriers->dones + r.warps->total.release, ==, 0);
    r.ends->finish(r.self, copy, WW_END_ALL);
    g_assert_cmpuint(r.barriers->dones, ==, 1);
    g_assert_cmpuint(r.barriers->warp, ==, 3);
    g_assert_cmphex(r.barriers->pc, ==, 0x40);
    g_assert_cmphex(r.barriers->addr, ==, 0x1000);
    copy->mask = 2; /* lane 0 is not active: it was told of with address 0 */
    r.ends->finish(r.self, copy, WW_END_ALL);
    g_assert_cmphex(r.barriers->addr, ==, 0);
    copy->mask = 0; /* it was told of as done */
    r.ends->finish(r.self, copy, WW_END_ALL);
    g_assert_cmpuint(r.barriers->dones, ==, 2);
    g_assert_cmpuint(r.warps->total.release, ==, 3);
    WwInst *atomic = make(&r, 1, WW_TAKES_STORE | WW_TAKES_ATOMIC, WW_INST_ATOMIC);
    atomic->mask = 0xf;
    r.ends->finish(r.self, atomic, WW_END_ALL);
    g_assert_cmpint(r.warps->seen[1].atomics, ==, -4);
    put(&r, "results", 1, atomic); /* of global memory, with a result */
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->seen[1].atomics, ==, -8);
    g_assert_cmpuint(ww_harness_stat(r.h, "ended", 0), ==, 4);
    close_rig(&r);
}

void register_link_tests(void)
{
    g_test_add_func("/memory/link_unit/turns", turns);
    g_test_add_func("/memory/link_unit/ends", ends);
    g_test_add_func("/memory/link_unit/latches", latches);
    g_test_add_func("/memory/link_unit/limits", limits);
    g_test_add_func("/memory/link_unit/atomics", atomics);
    g_test_add_func("/memory/link_unit/refusals", refusals);
    g_test_add_func("/memory/link_unit/shared-latency", shared_latency);
    g_test_add_func("/memory/link_unit/copy", linked_copy);
    g_test_add_func("/memory/link_shared/hands-on", hands_on);
    g_test_add_func("/memory/link_shared/writes", writes);
    g_test_add_func("/memory/link_shared/tells", tells);
}
