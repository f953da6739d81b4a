/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stall counts and counters for code that has none. Random programs run on the rules alone, and beside them an oracle keeps book of what is written and read when: no
 * instruction issues too early, and each wait is needed in some program.
 */
#include "tests.h"

#include "../../../../components/modern/allocator-priv.h"

#include <ports/hazards.h>
#include <string.h>

enum { LENGTH = 70, REGS = 14, PROGRAMS = 120, NO_FORCE = -1 };

/* An instruction of a random program. Variable latency: when its sources are read and when it is over, from its issue on. */
typedef struct Op {
    WwTiming timing;
    uint32_t latency; /* as its maker meant it; 0: not known */
    uint32_t read, over;
} Op;

typedef struct Program {
    Op op[LENGTH];
} Program;

static void draw_registers(GRand *rand, WwTiming *t, uint32_t n_written, uint32_t n_read)
{
    uint16_t reg = (uint16_t)g_rand_int_range(rand, 0, REGS);
    for (uint32_t i = 0; i < n_written; i++) {
        t->name[t->n_named++] = (uint16_t)((reg + i) % REGS);
    }
    t->n_written = t->n_named;
    for (uint32_t i = 0; i < n_read; i++) {
        uint16_t source = (uint16_t)g_rand_int_range(rand, 0, REGS);
        bool twice = false;
        for (uint32_t k = t->n_written; k < t->n_named; k++) {
            twice |= t->name[k] == source;
        }
        t->name[t->n_named] = source;
        t->n_named += !twice;
    }
}

static void draw(Program *p, uint32_t seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    *p = (Program){0};
    int32_t slow = g_rand_int_range(rand, 5, 70);
    for (uint32_t i = 0; i < LENGTH; i++) {
        Op *op = &p->op[i];
        WwTiming *t = &op->timing;
        if (g_rand_int_range(rand, 0, 100) < slow) {
            op->read = (uint32_t)g_rand_int_range(rand, 3, 12);
            op->over = op->read + (uint32_t)g_rand_int_range(rand, 1, 60);
            draw_registers(rand, t, (uint32_t)g_rand_int_range(rand, 0, 3), 2);
            continue;
        }
        *t = (WwTiming){.flags = WW_TAKES_FIXED,
                        .latency = (uint16_t)g_rand_int_range(rand, 1, 16),
                        .interval = (uint16_t)g_rand_int_range(rand, 1, 3),
                        .read_stages = g_rand_boolean(rand) ? 3 : 6};
        op->latency = t->latency + t->interval + t->read_stages - 3;
        op->read = 5;
        op->over = op->latency + 6;
        draw_registers(rand, t, (uint32_t)g_rand_int_range(rand, 0, 2), 3);
    }
}

/* ---- the oracle ---------------------------------------------------------------------------- */

/* What is true of a register: writes of unknown latency that are not over, reads that have not been, and when the last result of known latency is there. */
typedef struct Truth {
    uint32_t writes[REGS], reads[REGS];
    WwCycle there[REGS];
} Truth;

static bool too_early(const Truth *truth, const Op *op, WwCycle now)
{
    const WwTiming *t = &op->timing;
    bool early = false, fixed = op->latency != 0 && op->latency <= 15;
    for (uint32_t i = 0; i < t->n_named; i++) {
        uint32_t reg = t->name[i];
        early |= truth->writes[reg] != 0;
        if (i < t->n_written) {
            WwCycle own = now + (fixed ? op->latency : 1);
            early |= truth->reads[reg] != 0 || own <= truth->there[reg];
        } else {
            WwCycle there = truth->there[reg];
            early |= there != 0 && now < there + (op->latency == 0 ? 1 : 0);
        }
    }
    return early;
}

static void tell(Truth *truth, const Op *op, WwCycle now)
{
    const WwTiming *t = &op->timing;
    bool stalled = op->latency != 0 && op->latency <= 15;
    for (uint32_t i = 0; i < t->n_named; i++) {
        if (i >= t->n_written) {
            truth->reads[t->name[i]] += op->latency == 0;
        } else if (stalled) {
            truth->there[t->name[i]] = now + op->latency;
        } else {
            truth->writes[t->name[i]]++;
            truth->there[t->name[i]] = 0;
        }
    }
}

static void end_reads(Truth *truth, const Op *op)
{
    for (uint32_t i = op->timing.n_written; op->latency == 0 && i < op->timing.n_named; i++) {
        truth->reads[op->timing.name[i]]--;
    }
}

static void end_writes(Truth *truth, const Op *op)
{
    for (uint32_t i = 0; (op->latency == 0 || op->latency > 15) && i < op->timing.n_written; i++) {
        truth->writes[op->timing.name[i]]--;
    }
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* A wait that is left out: the stall of instruction `op`, or its counter `k`. */
typedef struct Force {
    int32_t op, k; /* k < 0: the stall */
} Force;

typedef struct Run {
    AllocWarp w;
    Truth truth;
    uint32_t given[WW_COUNTERS];
    WwCycle issued[LENGTH];
    uint32_t waits[LENGTH]; /* counters that it found up, and bit 6: the stall */
    bool early;
} Run;

static void give(Run *r, uint32_t counters)
{
    for (uint32_t m = counters; m != 0; m &= m - 1) {
        r->given[__builtin_ctz(m)]++;
    }
}

static void end_some(Run *r, const Program *p, uint32_t n, WwCycle now)
{
    for (uint32_t i = 0; i < n; i++) {
        const Op *op = &p->op[i];
        WwInst inst = {.timing = &op->timing, .uid = i + 1};
        if (r->issued[i] + op->read == now) {
            give(r, alloc_read(&r->w, &inst));
            end_reads(&r->truth, op);
        }
        if (r->issued[i] + op->over == now) {
            give(r, alloc_over(&r->w, &inst));
            end_writes(&r->truth, op);
        }
    }
}

static bool blocked(Run *r, const AllocRules *rules, const Program *p, uint32_t i, WwCycle now,
                    Force force)
{
    AllocPlan plan = alloc_plan(rules, &r->w, &p->op[i].timing);
    uint32_t waits = now < plan.from ? 1u << WW_COUNTERS : 0;
    for (uint32_t k = 0; k < WW_COUNTERS; k++) {
        waits |= (plan.wait >> k & 1u) != 0 && r->w.users[k] != 0 ? 1u << k : 0;
    }
    r->waits[i] |= waits;
    if (force.op == (int32_t)i) {
        waits &= ~(1u << (force.k < 0 ? WW_COUNTERS : (uint32_t)force.k));
    }
    return waits != 0 || !plan.room;
}

/* Runs @p p; what it did is in @p r. */
static void run(Run *r, const Program *p, const AllocRules *rules, Force force)
{
    *r = (Run){0};
    uint32_t i = 0;
    for (WwCycle now = 1; i < LENGTH; now++) {
        g_assert_cmpuint(now, <, 20000);
        for (uint32_t k = 0; k < WW_COUNTERS; k++) { /* seen in the cycle behind */
            r->w.users[k] -= r->given[k];
            r->given[k] = 0;
        }
        end_some(r, p, i, now);
        if (!blocked(r, rules, p, i, now, force)) {
            WwInst inst = {.timing = &p->op[i].timing, .uid = i + 1};
            r->early |= too_early(&r->truth, &p->op[i], now);
            tell(&r->truth, &p->op[i], now);
            alloc_issue(rules, &r->w, &inst, now);
            r->issued[i++] = now;
        }
    }
}

static const AllocRules rules = {.max_stall = 15, .war = true};

/* No instruction issues before its registers may be read and written; and every kind of wait - the stall, and each of six counters - is needed: leaving out one wait of
 * some instruction breaks that. */
static void test_property(void)
{
    uint32_t removed = 0, broken[WW_COUNTERS + 1] = {0};
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        Program p;
        Run whole, without;
        draw(&p, seed);
        run(&whole, &p, &rules, (Force){NO_FORCE, 0});
        g_assert_false(whole.early);
        for (uint32_t i = 0; i < LENGTH; i++) {
            for (uint32_t m = whole.waits[i]; m != 0; m &= m - 1) {
                int32_t k = __builtin_ctz(m);
                run(&without, &p, &rules, (Force){(int32_t)i, k == WW_COUNTERS ? -1 : k});
                broken[k] += without.early;
                removed++;
            }
        }
    }
    for (uint32_t k = 0; k <= WW_COUNTERS; k++) {
        g_test_message("%s %u: needed %u times", k < WW_COUNTERS ? "counter" : "stall", k,
                       broken[k]);
        g_assert_cmpuint(broken[k], >, 10);
    }
    g_assert_cmpuint(removed, >, 1000);
}

/* Without counters for sources somebody writes what is still to be read. */
static void test_war(void)
{
    AllocRules careless = {.max_stall = 15, .war = false};
    uint32_t early = 0;
    for (uint32_t seed = 1; seed <= PROGRAMS; seed++) {
        Program p;
        Run r;
        draw(&p, seed);
        run(&r, &p, &careless, (Force){NO_FORCE, 0});
        early += r.early;
    }
    g_assert_cmpuint(early, >, 10);
}

/* ---- rules one by one ---------------------------------------------------------------------- */

static WwTiming fixed(uint32_t latency, uint16_t dst, uint16_t src)
{
    return (WwTiming){.flags = WW_TAKES_FIXED,
                      .latency = (uint16_t)(latency - 2),
                      .interval = 2,
                      .read_stages = 3,
                      .n_written = 1,
                      .n_named = 2,
                      .name = {dst, src}};
}

static WwTiming load(uint16_t dst, uint16_t src)
{
    return (WwTiming){.n_written = 1, .n_named = 2, .name = {dst, src}};
}

static void issue(AllocWarp *w, const WwTiming *t, uint32_t uid, WwCycle now)
{
    WwInst inst = {.timing = t, .uid = uid};
    alloc_issue(&rules, w, &inst, now);
}

/* FADD to FADD 4, to who reads later than the bypass leads 5; a longer read pipeline counts; a second write comes behind the first. */
static void test_stalls(void)
{
    AllocWarp w = {0};
    WwTiming add = fixed(4, 1, 2), next = fixed(4, 3, 1), slow = load(3, 1),
             predicate = fixed(13, 1, 2);
    issue(&w, &add, 1, 100);
    g_assert_cmpuint(alloc_plan(&rules, &w, &next).from, ==, 104);
    g_assert_cmpuint(alloc_plan(&rules, &w, &slow).from, ==, 105);
    g_assert_cmpuint(alloc_plan(&rules, &w, &add).from, ==, 101);
    issue(&w, &predicate, 2, 110);
    g_assert_cmpuint(alloc_plan(&rules, &w, &next).from, ==, 123);
    g_assert_cmpuint(alloc_plan(&rules, &w, &add).from, ==, 120);
    WwTiming wide = {.flags = WW_TAKES_FIXED, .latency = 8, .interval = 8, .read_stages = 6};
    g_assert_cmpuint(alloc_latency(&wide), ==, 19);
    g_assert_cmpuint(alloc_latency(&slow), ==, 0);
}

/* Counters are taken in turn, free ones first; one for the result, one for the sources; when none is free the next in turn is shared. */
static void test_turns(void)
{
    AllocWarp w = {0};
    for (uint32_t i = 0; i < 3; i++) {
        WwTiming t = load((uint16_t)(10 + i), (uint16_t)(20 + i));
        AllocPlan p = alloc_plan(&rules, &w, &t);
        g_assert_cmpuint(p.write, ==, 2 * i);
        g_assert_cmpuint(p.read, ==, 2 * i + 1);
        issue(&w, &t, i + 1, 100);
    }
    WwTiming more = load(13, 23), uses = fixed(4, 22, 10);
    AllocPlan p = alloc_plan(&rules, &w, &more);
    g_assert_cmpuint(p.write, ==, 0);
    g_assert_cmpuint(p.read, ==, 1);
    g_assert_cmpuint(p.wait, ==, 0);
    w.users[2] = 0; /* free, and so before those whose turn it is */
    p = alloc_plan(&rules, &w, &more);
    g_assert_cmpuint(p.write, ==, 2);
    g_assert_cmpuint(p.read, ==, 0);
    p = alloc_plan(&rules, &w, &uses);
    g_assert_cmpuint(p.wait, ==,
                     1u << 0 | 1u << 5); /* the result of the first, the source of the third */
    g_assert_cmpuint(p.write, ==, WW_NO_COUNTER);
}

/* Latencies beyond max_stall take a counter, too. Who has waited has waited for all registers under it. */
static void test_waited(void)
{
    AllocWarp w = {0};
    WwTiming slow = fixed(16, 1, 2), stalled = fixed(15, 3, 2), reads = fixed(4, 5, 1);
    g_assert_cmpuint(alloc_plan(&rules, &w, &slow).write, ==, 0);
    g_assert_cmpuint(alloc_plan(&rules, &w, &stalled).write, ==, WW_NO_COUNTER);
    issue(&w, &slow, 1, 100);
    g_assert_cmpuint(alloc_plan(&rules, &w, &reads).wait, ==, 1);
    w.users[0] = 0;
    g_assert_cmpuint(alloc_plan(&rules, &w, &reads).wait, ==, 1); /* nobody has waited yet */
    issue(&w, &reads, 2, 120);
    g_assert_cmpuint(alloc_plan(&rules, &w, &reads).wait, ==, 0);
}

/* A counter goes to 63: who would take it further waits. */
static void test_most(void)
{
    AllocWarp w = {0};
    WwTiming t = load(1, 2);
    for (uint32_t k = 0; k < WW_COUNTERS; k++) {
        w.users[k] = 62;
    }
    g_assert_true(alloc_plan(&rules, &w, &t).room);
    w.users[0] = 63;
    g_assert_false(alloc_plan(&rules, &w, &t).room);
    w.users[0] = 0;
    w.n_flights = ALLOC_FLIGHTS;
    g_assert_false(alloc_plan(&rules, &w, &t).room);
}

/* ---- the component ------------------------------------------------------------------------- */

static void component_ends(WwHarness *h, const WwDependenceIf *f, void *self, const Program *p,
                           const WwCycle *issued, uint32_t n)
{
    WwCycle now = ww_harness_now(h);
    for (uint32_t i = 0; i < n; i++) {
        WwSinst s = {.opcode = "X"};
        WwInst inst = {.s = &s, .timing = &p->op[i].timing, .uid = i + 1, .warp = 3};
        if (issued[i] + p->op[i].read == now) {
            f->read(self, &inst);
        }
        if (issued[i] + p->op[i].over == now) {
            f->written(self, &inst);
        }
    }
}

/* The component issues each instruction in the cycle in which the rules say so, and says how long a stall lasts. */
static void test_component(void)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        Program p;
        Run wanted;
        void *self;
        WwCycle issued[LENGTH] = {0};
        draw(&p, seed);
        run(&wanted, &p, &rules, (Force){NO_FORCE, 0});
        WwHarness *h = ww_harness_new(test_registry(), "dependence.allocated", NULL);
        ww_harness_callers(h, "dependence", WW_RANK_CHECK, 1);
        ww_harness_start(h, NULL);
        const WwDependenceIf *f = ww_harness_table(h, "dependence", &self);
        WwCycle begin = ww_harness_now(h), stall = 0;
        for (uint32_t i = 0; i < LENGTH; ww_harness_step(h, 1)) {
            WwSinst s = {.opcode = "X"};
            WwInst inst = {.s = &s, .timing = &p.op[i].timing, .uid = i + 1, .warp = 3};
            component_ends(h, f, self, &p, issued, i);
            uint32_t bits = f->blocks(self, &inst);
            g_assert_true((bits & WW_DEP_STALL) != 0 || stall <= ww_harness_now(h));
            stall = bits & WW_DEP_STALL ? f->until(self, 3) : 0;
            if (bits == 0) {
                f->issued(self, &inst);
                issued[i] = ww_harness_now(h);
                g_assert_cmpuint(issued[i] - begin + 1, ==, wanted.issued[i]);
                i++;
            }
        }
        g_assert_cmpuint(ww_harness_stat(h, "counters", 0), >, 0);
        g_assert_cmpuint(ww_harness_stat(h, "stalls", 0), >, 0);
        f->retired(self, 3);
        g_assert_true(f->idle(self, 3));
        ww_harness_free(h);
    }
}

/* A counter that is given back is seen in the next cycle, and who waits is woken then; copies are for LDGDEPBAR. */
static void test_given_back(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "dependence.allocated", NULL);
    void *self;
    ww_harness_callers(h, "dependence", WW_RANK_CHECK, 1);
    ww_harness_start(h, NULL);
    const WwDependenceIf *f = ww_harness_table(h, "dependence", &self);
    WwTiming t = load(1, 2), uses = fixed(4, 3, 1), bar = {.flags = WW_TAKES_LDGDEPBAR};
    t.flags = WW_TAKES_LDGSTS;
    WwSinst s = {.opcode = "X"};
    WwInst inst = {.s = &s, .timing = &t, .uid = 1, .warp = 3};
    WwInst next = {.s = &s, .timing = &uses, .uid = 2, .warp = 3};
    WwInst ldgdepbar = {.s = &s, .timing = &bar, .uid = 2, .warp = 3};
    f->issued(self, &inst);
    ww_harness_step(h, 1);
    g_assert_cmpuint(f->blocks(self, &next), ==, WW_DEP_COUNTER);
    g_assert_cmpuint(f->blocks(self, &ldgdepbar), ==, WW_DEP_COPIES);
    g_assert_false(f->settled(self, 3));
    ww_harness_wakes(h, "dependence", WW_RANK_CHECK, 0);
    f->written(self, &inst);
    g_assert_cmpuint(f->blocks(self, &next), ==, WW_DEP_COUNTER);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_wakes(h, "dependence", WW_RANK_CHECK, 0), !=, 0);
    g_assert_cmpuint(f->blocks(self, &next), ==, 0);
    g_assert_cmpuint(f->blocks(self, &ldgdepbar), ==, 0);
    g_assert_true(f->idle(self, 3));
    ww_harness_free(h);
}

/* A counter waits for memory while a load that is under way there holds it, whoever else does; from the next cycle on no more. */
static void test_waits_long(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "dependence.allocated", NULL);
    void *self;
    ww_harness_callers(h, "dependence", WW_RANK_CHECK, 1);
    ww_harness_start(h, NULL);
    const WwDependenceIf *f = ww_harness_table(h, "dependence", &self);
    WwTiming slow[7], uses = fixed(4, 30, 10), stored = fixed(4, 20, 31);
    WwSinst s = {.opcode = "X"};
    WwInst inst[7], next = {.s = &s, .timing = &uses, .warp = 3};
    WwInst over = {.s = &s, .timing = &stored, .warp = 3};
    for (
        uint16_t i = 0; i < 7;
        i++) { /* counter 0: a load from shared memory, 1 its address, 2: from global memory, 3 its address, .. */
        slow[i] = load((uint16_t)(10 + i), (uint16_t)(20 + i));
        slow[i].unit = WW_UNIT_MEM;
        slow[i].space = i == 1 ? WW_SPACE_GLOBAL : WW_SPACE_SHARED;
        inst[i] = (WwInst){.s = &s, .timing = &slow[i], .uid = i + 1u, .warp = 3};
    }
    f->issued(self, &inst[0]);
    g_assert_cmpuint(f->blocks(self, &next), ==, WW_DEP_COUNTER);
    g_assert_false(f->waits_long(self, &next));
    f->issued(self, &inst[1]);
    g_assert_false(f->waits_long(self, &next));
    uses.name[1] = 11;
    g_assert_true(f->waits_long(self, &next));
    stored.name[0] = 21;
    g_assert_true(f->waits_long(self, &over)); /* its address may be read there, too */
    f->read(self, &inst[1]);
    ww_harness_step(h, 1);
    g_assert_false(f->waits_long(self, &over));
    g_assert_cmpuint(f->blocks(self, &over), ==, 0);
    for (uint32_t i = 2; i < 6;
         i++) { /* counter 2, of the load from global memory, is shared at last */
        f->issued(self, &inst[i]);
    }
    g_assert_cmpuint(ww_harness_stat(h, "shared", 0), !=, 0);
    f->written(self, &inst[1]);
    g_assert_true(f->waits_long(self, &next));
    ww_harness_step(h, 1);
    g_assert_false(f->waits_long(self, &next)); /* though the counter is up */
    g_assert_cmpuint(f->blocks(self, &next), ==, WW_DEP_COUNTER);
    ww_harness_free(h);
}

void register_allocated_tests(void)
{
    g_test_add_func("/modern/allocated/property", test_property);
    g_test_add_func("/modern/allocated/war", test_war);
    g_test_add_func("/modern/allocated/stalls", test_stalls);
    g_test_add_func("/modern/allocated/turns", test_turns);
    g_test_add_func("/modern/allocated/waited", test_waited);
    g_test_add_func("/modern/allocated/most", test_most);
    g_test_add_func("/modern/allocated/component", test_component);
    g_test_add_func("/modern/allocated/given-back", test_given_back);
    g_test_add_func("/modern/allocated/waits-long", test_waits_long);
}
