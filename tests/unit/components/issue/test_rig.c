/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of this room together: two warp schedulers in a rotating group over one scoreboard and
 * one barrier unit, and a drain that executes what they issue after a delay. For what only shows
 * together: release in the same tick, and that sleeping changes nothing.
 */
#include "tests.h"

#include "components/issue/types.h"

#include <tests/support/machine.h>

/* Takes an instruction every `every` ticks; releases its registers and atomics after `delay`. */
typedef struct Drain {
    WwComponent base;
    uint32_t every, delay;
    WwPort in, hazard, warps;
    WwInst *held[64];
    WwCycle due[64];
    uint32_t n;
    WwCycle next;
} Drain;

static void finish_inst(Drain *d, WwInst *inst)
{
    WW_SCOREBOARD(&d->hazard)->release_all(d->hazard.peer, inst);
    if ((inst->s->flags & WW_INST_ATOMIC) && inst->mask != 0) {
        WW_WARPS(&d->warps)->atomics(d->warps.peer, inst->warp, -(int32_t)ww_inst_lanes(inst));
    }
    WW_WARPS(&d->warps)->finish(d->warps.peer, inst, WW_END_PIPELINE);
}

static WwRest drain_tick(void *self)
{
    Drain *d = self;
    WwCycle now = ww_now(d);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->due[i] <= now) {
            finish_inst(d, d->held[i]);
        } else {
            d->held[kept] = d->held[i];
            d->due[kept++] = d->due[i];
        }
    }
    d->n = kept;
    int slot = ww_regs_oldest(&d->in);
    if (slot >= 0 && now >= d->next && d->n < G_N_ELEMENTS(d->held)) {
        d->due[d->n] = now + d->delay;
        d->held[d->n++] = ww_regs_take(&d->in, slot);
        d->next = now + d->every;
    }
    return d->n != 0 || ww_regs_full(&d->in) != 0 ? WW_AGAIN : WW_SLEEP;
}

static void drain_reset(void *self)
{
    Drain *d = self;
    d->n = 0;
    d->next = 0;
}

static const WwParamRow drain_params[] = {
    WW_UINT(Drain, every, "cycles", "1", 1, 100, "ticks between two instructions"),
    WW_UINT(Drain, delay, "cycles", "1", 1, 100, "ticks until registers are released"),
    {0},
};

static const WwPortRow drain_ports[] = {
    WW_PORT_IN(Drain, in, &ww_contract_inst, 1, "instructions"),
    WW_PORT_REQUIRES(Drain, hazard, &ww_contract_scoreboard, 1, WW_RANK_RELEASE, "releases"),
    WW_PORT_REQUIRES(Drain, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK, "leaves"),
    {0},
};

static const WwEntryRow drain_entries[] = {
    {.name = "drain", .phase = "core", .tick = drain_tick, .doc = "execute"},
    {0},
};

static const WwType drain_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.drain",
    .doc = "executes instructions after a delay",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Drain),
    .params = drain_params,
    .ports = drain_ports,
    .entries = drain_entries,
    .reset = drain_reset,
};

/* ---- the rig ------------------------------------------------------------------------------- */

typedef struct Rig {
    WwMachine *m;
    WwFakeWarps *warps;
    WwComponent *scheduler[2], *board, *barriers;
    GPtrArray *insts; /* WwInst, WwSinst */
} Rig;

static void add_unit(Rig *r, const char *port, const char *every, const char *delay)
{
    WwComponent *set_ = test_add_type(r->m, NULL, &ww_register_set_type, port, -1);
    WwComponent *drain = test_add_type(r->m, NULL, &drain_type, "drain", -1);
    test_set_one(set_, "width", "2");
    test_set_one(set_, "private", "true");
    test_set_one(drain, "every", every);
    test_set_one(drain, "delay", delay);
    test_join(r->scheduler[0], port, set_);
    test_join(r->scheduler[1], port, set_);
    test_join(drain, "in", set_);
    test_join(drain, "hazard", r->board);
    test_join(drain, "warps", &r->warps->base);
}

/* @p policy: a type, and the value of its parameter. */
static Rig rig(const char *policy, const char *max_issue, bool no_sleep)
{
    Rig r = {.m = test_core_machine(), .insts = g_ptr_array_new_with_free_func(g_free)};
    g_auto(GStrv) text = g_strsplit(policy, " ", 2);
    WwGroup *group = ww_machine_add_group(r.m, ww_machine_root(r.m),
                                          &(WwGroupSpec){.name = "g", .mode = WW_GROUP_ROTATE});
    r.warps = test_add_type(r.m, NULL, &ww_fake_warps_type, "warps", -1);
    r.board = test_add_type(r.m, NULL, &scoreboard_type, "score", -1);
    r.barriers = test_add_type(r.m, NULL, &barrier_unit_type, "barriers", -1);
    for (int32_t i = 0; i < 2; i++) {
        r.scheduler[i] = test_add_type(r.m, group, &warp_scheduler_type, "issue", i);
        WwComponent *p = test_add(r.m, NULL, text[0], "policy", i);
        if (text[1] != NULL) {
            test_set_one(p,
                         strstr(text[0], "swl")   ? "limit"
                         : strstr(text[0], "rrr") ? "begins_at_zero"
                                                  : "active",
                         text[1]);
        }
        test_set_one(r.scheduler[i], "max_issue", max_issue);
        test_join(r.scheduler[i], "warps", &r.warps->base);
        test_join(r.scheduler[i], "hazard", r.board);
        test_join(r.scheduler[i], "barriers", r.barriers);
        test_join(r.scheduler[i], "policy", p);
    }
    add_unit(&r, "int", "1", "3");
    add_unit(&r, "sp", "3", "5");
    add_unit(&r, "mem", "2", "40");
    test_add_type(r.m, NULL, &test_heart_type, "heart", -1);
    test_seal(r.m, no_sleep);
    r.warps->endless = false;
    return r;
}

static void rig_close(Rig *r)
{
    ww_machine_free(r->m);
    g_ptr_array_unref(r->insts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_close)

static void rig_put(Rig *r, uint32_t warp, const WwSinst *what, uint32_t mask)
{
    WwSinst *s = g_memdup2(what, sizeof *what);
    WwInst *i = g_new0(WwInst, 1);
    g_ptr_array_add(r->insts, s);
    g_ptr_array_add(r->insts, i);
    s->opcode = ww_op_name(s->op);
    s->ndst = s->dst != 0;
    *i =
        (WwInst){.s = s, .mask = mask, .op = s->op, .space = s->space, .latency = 1, .interval = 1};
    ww_fake_warps_put(r->warps, warp, i);
}

static void run(Rig *r, uint64_t ticks)
{
    for (uint64_t i = 0; i < ticks; i++) {
        ww_run(r->m, 1);
    }
    g_assert_null(ww_machine_error(r->m));
}

static uint64_t sum(Rig *r, const char *name, uint64_t *out, uint32_t n)
{
    uint64_t one;
    uint32_t found =
        ww_stat_sum(r->m, NULL, NULL, name, out != NULL ? out : &one, out != NULL ? n : 1);
    g_assert_cmpuint(found, >=, 1);
    return out != NULL ? 0 : one;
}

static void enter(Rig *r, uint32_t cta, uint64_t warps)
{
    const WwBarriersIf *f = r->barriers->type->ports[0].table;
    f->cta_enter(r->barriers, cta, warps);
}

/*
 * Warp 0 waits at the barrier; warp 1, of the other scheduler, arrives in tick @p tick. In odd
 * ticks scheduler 1 goes first, and warp 0 issues in the same tick; in even ones scheduler 0 had
 * its turn already.
 */
static void check_release(uint64_t tick, uint64_t wait)
{
    static const WwSinst bar = {.op = WW_OP_BARRIER}, alu = {.op = WW_OP_ALU};
    g_auto(Rig) r = rig("scheduler.lrr", "1", false);
    enter(&r, 0, 0x3);
    rig_put(&r, 0, &bar, UINT32_MAX);
    rig_put(&r, 0, &alu, UINT32_MAX);
    run(&r, tick);
    g_assert_cmpuint(r.warps->seen[0].pop, ==, 1);
    rig_put(&r, 1, &bar, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(r.warps->seen[1].pop, ==, 1);
    g_assert_cmpuint(r.warps->seen[0].pop, ==, wait == 0 ? 2 : 1);
    run(&r, wait);
    g_assert_cmpuint(r.warps->seen[0].pop, ==, 2);
}

static void test_barrier_order(void)
{
    check_release(5, 0);
    check_release(6, 1);
    check_release(7, 0);
}

/* A register released in a tick lets its warp issue in that tick. */
static void test_release_order(void)
{
    static const WwSinst load = {.op = WW_OP_LOAD, .flags = WW_INST_LOAD, .dst = 3};
    static const WwSinst use = {.op = WW_OP_ALU, .src = {3}, .nsrc = 1};
    g_auto(Rig) r = rig("scheduler.gto", "1", false);
    enter(&r, 0, 0x1);
    rig_put(&r, 0, &load, UINT32_MAX);
    rig_put(&r, 0, &use, UINT32_MAX);
    run(&r, 1); /* issues in tick 0, is drained in 1, released in 41 */
    run(&r, 40);
    g_assert_cmpuint(r.warps->seen[0].pop, ==, 1);
    run(&r, 1);
    g_assert_cmpuint(r.warps->seen[0].pop, ==, 2);
    g_assert_cmpuint(sum(&r, "scoreboard_wait", NULL, 0), ==, 40);
}

/* ---- a guest -------------------------------------------------------------------------------- */

static uint32_t issuer_of(const Rig *r, uint32_t i)
{
    const WwInst *inst = g_ptr_array_index(r->insts, 2 * i + 1);
    g_assert_cmpuint(inst->uid, !=, 0);
    return inst->sched;
}

static bool issued(const Rig *r, uint32_t i)
{
    return ((const WwInst *)g_ptr_array_index(r->insts, 2 * i + 1))->uid != 0;
}

/*
 * Strict round robin starts with warp 0 whoever owns it: scheduler 1 does not look at its own warp
 * before it has issued one instruction of warp 0, from its own registers.
 */
static void test_rrr_start(void)
{
    static const WwSinst alu = {.op = WW_OP_ALU};
    g_auto(Rig) r = rig("scheduler.rrr", "1", false);
    enter(&r, 0, 0x3);
    ww_fake_warps_live(r.warps, 0, UINT32_MAX);
    rig_put(&r, 1, &alu, UINT32_MAX);
    run(&r, 20);
    g_assert_false(issued(&r, 0));
    for (uint32_t i = 0; i < 3; i++) {
        rig_put(&r, 0, &alu, UINT32_MAX);
    }
    run(&r, 1); /* tick 20: scheduler 0 first */
    g_assert_cmpuint(issuer_of(&r, 1), ==, 0);
    g_assert_cmpuint(issuer_of(&r, 2), ==, 1);
    g_assert_cmpuint(r.warps->seen[0].touch, ==, 1);
    g_assert_false(issued(&r, 0) || issued(&r, 3));
    run(&r, 2);                                /* the unit takes an instruction a tick */
    g_assert_cmpuint(issuer_of(&r, 0), ==, 1); /* its own at last */
    g_assert_cmpuint(issuer_of(&r, 3), ==, 0);
    rig_put(&r, 0, &alu, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(issuer_of(&r, 4), ==, 0);
    g_assert_cmpuint(r.warps->seen[0].touch, ==, 1);
}

/* Warp 0 waits when scheduler 1 looks for the first time: it takes a warp of its own. */
static void test_rrr_start_waiting(void)
{
    static const WwSinst alu = {.op = WW_OP_ALU};
    g_auto(Rig) r = rig("scheduler.rrr", "1", false);
    enter(&r, 0, 0x3);
    rig_put(&r, 1, &alu, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(issuer_of(&r, 0), ==, 1);
    rig_put(&r, 0, &alu, UINT32_MAX);
    rig_put(&r, 0, &alu, UINT32_MAX);
    run(&r, 2);
    g_assert_cmpuint(issuer_of(&r, 1) + issuer_of(&r, 2), ==, 0);
}

/* begins_at_zero = false: scheduler 1 begins with its own warp, though warp 0 is there and does not wait. */
static void test_rrr_begins_anywhere(void)
{
    static const WwSinst alu = {.op = WW_OP_ALU};
    g_auto(Rig) r = rig("scheduler.rrr false", "1", false);
    enter(&r, 0, 0x3);
    ww_fake_warps_live(r.warps, 0, UINT32_MAX);
    rig_put(&r, 1, &alu, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(issuer_of(&r, 0), ==, 1);
    g_assert_cmpuint(r.warps->seen[0].touch, ==, 0);
}

/* Policies of a rig of fake ones that order @p n[i] warps: warp 0. */
static void order_first(Rig *r, WwFakeScheduler *policy[2], const uint32_t n[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        const WwPort *slot =
            (const void *)((const char *)r->scheduler[i] + warp_scheduler_type.ports[3].offset);
        policy[i] = slot->peer;
        policy[i]->listed = true;
        policy[i]->n = n[i];
        policy[i]->list[0] = 0;
    }
}

/*
 * The owner of warp 0 has found its head free of pending registers, and no register for it; another scheduler issues it. The next one
 * collides, and its owner does not take it for the one that it has looked at.
 */
static void test_guest_changes_head(void)
{
    static const WwSinst sp = {.op = WW_OP_SP}, alu = {.op = WW_OP_ALU};
    static const WwSinst makes = {.op = WW_OP_SP, .dst = 3};
    static const WwSinst needs = {.op = WW_OP_SP, .src = {3}, .nsrc = 1};
    g_auto(Rig) r = rig("fake.scheduler", "1", false);
    WwFakeScheduler *policy[2];
    order_first(&r, policy, (const uint32_t[]){1, 1});
    rig_put(&r, 0, &sp, UINT32_MAX);
    rig_put(&r, 0, &sp, UINT32_MAX); /* waits three ticks for its unit */
    rig_put(&r, 0, &makes, UINT32_MAX);
    rig_put(&r, 0, &needs, UINT32_MAX);
    run(&r, 3);
    g_assert_true(issued(&r, 1));
    g_assert_false(issued(&r, 2));
    policy[1]->guest = 0;
    rig_put(&r, 1, &alu, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(issuer_of(&r, 2), ==, 1);
    policy[1]->guest = -1;
    run(&r, 6); /* the unit takes both, the second in tick 7 */
    g_assert_false(issued(&r, 3));
    run(&r, 4);
    g_assert_cmpuint(issuer_of(&r, 3), ==, 0);
}

/* What a guest does is seen by its owner, which sleeps: here, a free unit for the next one. */
static void test_guest_wakes_owner(void)
{
    static const WwSinst alu = {.op = WW_OP_ALU}, sp = {.op = WW_OP_SP};
    g_auto(Rig) r = rig("fake.scheduler", "1", false);
    WwFakeScheduler *policy[2];
    order_first(&r, policy, (const uint32_t[]){0, 1});
    rig_put(&r, 0, &alu, UINT32_MAX);
    rig_put(&r, 0, &sp, UINT32_MAX);
    run(&r, 5);
    g_assert_false(issued(&r, 0));
    g_assert_cmpuint(policy[0]->orders, ==, 1); /* asleep */
    policy[1]->guest = 0;
    run(&r, 3);
    g_assert_false(issued(&r, 0)); /* scheduler 1 sleeps as well: nobody tells it */
    rig_put(&r, 1, &alu, UINT32_MAX);
    run(&r, 1);
    g_assert_cmpuint(issuer_of(&r, 0), ==, 1);
    g_assert_cmpuint(policy[0]->orders, >=, 1);
    run(&r, 1);
    g_assert_cmpuint(policy[0]->orders, ==, 2);
    g_assert_cmpuint(issuer_of(&r, 1), ==, 1); /* it does not sleep any more */
}

/* ---- random programs ----------------------------------------------------------------------- */

#define WARPS 8u
#define TICKS 3000u

static void random_inst(Rig *r, GRand *random, uint32_t warp)
{
    WwSinst s = {.op = WW_OP_ALU};
    uint32_t kind = (uint32_t)g_rand_int_range(random, 0, 20);
    uint32_t mask = g_rand_int_range(random, 0, 10) == 0 ? 0 : g_rand_int(random) | 1u;
    s.dst = (uint16_t)g_rand_int_range(random, 0, 8);
    s.src[0] = (uint16_t)g_rand_int_range(random, 0, 8);
    s.nsrc = 1;
    if (kind < 5) {
        s.op = WW_OP_SP;
    } else if (kind < 9) {
        s.op = WW_OP_LOAD;
        s.space = kind == 5 ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
        s.flags = kind == 6 ? WW_INST_LOAD | WW_INST_ATOMIC : WW_INST_LOAD;
    } else if (kind == 10) {
        s = (WwSinst){.op = WW_OP_MEMBAR};
    }
    rig_put(r, warp, &s, mask);
}

/* Every statistic that a run leaves, in one text. */
static char *random_run(const char *policy, const char *max_issue, uint32_t seed, bool no_sleep,
                        uint64_t *activations)
{
    /* "releases" are those of registers and of barriers */
    static const char *const names[] = {"stall",        "idle",       "scoreboard_wait",
                                        "single_issue", "dual_issue", "reservations",
                                        "releases",     "arrivals",   "membars"};
    static const WwSinst bar = {.op = WW_OP_BARRIER};
    g_auto(Rig) r = rig(policy, max_issue, no_sleep);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    ww_machine_set_fingerprint(r.m, true);
    enter(&r, 0, 0x3f);
    enter(&r, 1, 0xc0);
    for (uint32_t w = 0; w < WARPS; w++) {
        ww_fake_warps_live(r.warps, w, UINT32_MAX);
    }
    for (uint32_t t = 0; t < TICKS; t += 10) {
        /* busy and quiet times by turns */
        for (uint32_t w = 0; w < WARPS && t % 300 < 130; w++) {
            random_inst(&r, random, w);
        }
        for (uint32_t w = 0; w < WARPS && t % 70 == 0; w++) {
            rig_put(&r, w, &bar, UINT32_MAX);
        }
        run(&r, 10);
    }
    *activations = ww_machine_activations(r.m);
    ww_machine_settle(r.m);
    GString *s = g_string_new(NULL);
    uint64_t v[64], nothing = 0, causes = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_string_append_printf(s, "%s %" G_GUINT64_FORMAT "\n", names[i],
                               sum(&r, names[i], NULL, 0));
    }
    sum(&r, "cause", v, 17);
    for (uint32_t i = 0; i < 17; i++) {
        g_string_append_printf(s, "cause %u %" G_GUINT64_FORMAT "\n", i, v[i]);
        causes += v[i];
    }
    sum(&r, "issued", v, 33);
    nothing = sum(&r, "idle", NULL, 0) + sum(&r, "scoreboard_wait", NULL, 0) +
              sum(&r, "stall", NULL, 0) - v[0];
    g_assert_cmpuint(causes, ==, nothing);
    g_assert_cmpuint(nothing + sum(&r, "single_issue", NULL, 0) + sum(&r, "dual_issue", NULL, 0),
                     ==, 2 * TICKS);
    g_string_append_printf(s, "%" G_GINT64_MODIFIER "x\n", ww_machine_fingerprint(r.m));
    return g_string_free(s, false);
}

static void test_no_sleep(void)
{
    static const char *const policy[] = {
        "scheduler.lrr",         "scheduler.gto",         "fake.scheduler",
        "scheduler.oldest",      "scheduler.swl 1",       "scheduler.swl 3",
        "scheduler.two_level 2", "scheduler.two_level 3", "scheduler.rrr",
    };
    static const char *const max_issue[] = {"1", "2", "4"};
    for (uint32_t i = 0; i < 3 * G_N_ELEMENTS(policy); i++) {
        for (uint32_t seed = 1; seed <= 4; seed++) {
            uint64_t with, without;
            g_autofree char *a = random_run(policy[i / 3], max_issue[i % 3], seed, false, &with);
            g_autofree char *b = random_run(policy[i / 3], max_issue[i % 3], seed, true, &without);
            g_assert_cmpstr(a, ==, b);
            g_assert_cmpuint(with, <, without);
        }
    }
}

/* ---- wiring and reports -------------------------------------------------------------------- */

static void test_bound_in_order(void)
{
    g_autoptr(WwMachine) m = test_core_machine();
    g_autoptr(GError) error = NULL;
    WwComponent *warps = test_add_type(m, NULL, &ww_fake_warps_type, "warps", -1);
    WwComponent *board = test_add_type(m, NULL, &scoreboard_type, "score", -1);
    WwComponent *barriers = test_add_type(m, NULL, &barrier_unit_type, "barriers", -1);
    WwComponent *s[2];
    for (int32_t i = 0; i < 2; i++) {
        s[i] = test_add_type(m, NULL, &warp_scheduler_type, "issue", i);
        test_join(s[i], "warps", warps);
        test_join(s[i], "policy", test_add_type(m, NULL, &scheduler_lrr_type, "policy", i));
        test_join(s[i], "barriers", barriers);
    }
    test_join(s[1], "hazard", board);
    test_join(s[0], "hazard", board);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_nonnull(strstr(error->message, "number 0 at warps, 1 at hazard and 0 at barriers"));
}

/* A policy serves one scheduler. */
static void test_policy_shared(void)
{
    g_autoptr(WwMachine) m = ww_machine_new(test_registry());
    g_autoptr(GError) error = NULL;
    WwLocation here = {0};
    WwComponent *policy = test_add_type(m, NULL, &scheduler_gto_type, "policy", -1);
    WwComponent *a = test_add_type(m, NULL, &warp_scheduler_type, "issue", 0);
    WwComponent *b = test_add_type(m, NULL, &warp_scheduler_type, "issue", 1);
    int row = ww_type_port(&warp_scheduler_type, "policy");
    g_assert_true(ww_bind(a, row, policy, -1, here, &error));
    g_assert_false(ww_bind(b, row, policy, -1, here, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
}

/* Everybody at a barrier but one, which has nothing to issue: the report names it. */
static void test_explain(void)
{
    static const WwSinst bar = {.op = WW_OP_BARRIER};
    g_auto(Rig) r = rig("scheduler.gto", "1", false);
    enter(&r, 0, 0x3);
    ww_fake_warps_live(r.warps, 1, UINT32_MAX);
    rig_put(&r, 0, &bar, UINT32_MAX);
    run(&r, 20);
    g_autofree char *text = ww_machine_explain(r.m);
    g_assert_nonnull(strstr(text, "warp 0 is at a CTA barrier"));
    g_assert_nonnull(strstr(text, "until warp 1 arrives or exits"));
    g_assert_nonnull(strstr(text, "warp 1 has no instruction in its i-buffer"));
}

void register_rig_tests(void)
{
    g_test_add_func("/issue/rig/barrier_order", test_barrier_order);
    g_test_add_func("/issue/rig/release_order", test_release_order);
    g_test_add_func("/issue/scheduler.rrr/start", test_rrr_start);
    g_test_add_func("/issue/scheduler.rrr/start_waiting", test_rrr_start_waiting);
    g_test_add_func("/issue/scheduler.rrr/begins_anywhere", test_rrr_begins_anywhere);
    g_test_add_func("/issue/rig/guest_wakes_owner", test_guest_wakes_owner);
    g_test_add_func("/issue/rig/guest_changes_head", test_guest_changes_head);
    g_test_add_func("/issue/rig/no_sleep", test_no_sleep);
    g_test_add_func("/issue/rig/bound_in_order", test_bound_in_order);
    g_test_add_func("/issue/rig/policy_shared", test_policy_shared);
    g_test_add_func("/issue/rig/explain", test_explain);
}
