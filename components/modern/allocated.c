/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dependence.allocated`: control bits for code that has none: stall counts and six counters, assigned as a compiler would, in the order in which instructions issue.
 *
 *     written: warp pool        read: units, operand_read
 *            └────────────┬────────────────┘
 *              [dependence.allocated] <── issue (check, issued) <── fetch (retire)
 *
 * The rules are in allocator.c. A counter is up from the issue of who takes it on, and what it comes down to is seen from the next cycle on, as that of
 * dependence.control_bits. Asynchronous copies are counted apart, for LDGDEPBAR, as there; a DEPBAR waits for nothing, for nobody counts on one.
 */
#include "allocator-priv.h"
#include "dependence-priv.h"
#include "types.h"

#include <ports/register_set.h>
#include <string.h>

typedef struct Warp {
    AllocWarp alloc;
    WwCycle stall;               /* of who was asked about last */
    WwCycle when;                /* cycle of `given` */
    uint32_t given[WW_COUNTERS]; /* that `users` will be less from the next cycle on */
    uint32_t longs[WW_COUNTERS]; /* of `users`: instructions that wait for memory; for statistics */
    uint32_t long_given[WW_COUNTERS];
    uint32_t copies;
} Warp;

typedef struct Allocated {
    WwComponent base;
    /* parameters */
    AllocRules rules;
    /* ports */
    WwProvided dependence, hazard;
    /* state */
    uint64_t used; /* warps that ever issued */
    Warp *warp;
    DependenceWakes wakes;
    /* statistics */
    uint64_t stalls, counters, shared;
} Allocated;

/* What was given back before this cycle counts. */
static inline Warp *settled(const Allocated *a, uint32_t warp)
{
    Warp *w = &a->warp[warp];
    WwCycle now = ww_now((Allocated *)(uintptr_t)a);
    if (w->when < now) {
        for (uint32_t k = 0; k < WW_COUNTERS; k++) {
            w->alloc.users[k] -= w->given[k];
            w->given[k] = 0;
            w->longs[k] -= w->long_given[k];
            w->long_given[k] = 0;
        }
        w->when = now;
    }
    return w;
}

static void give(Allocated *a, const WwInst *inst, uint32_t counters)
{
    Warp *w = settled(a, inst->warp);
    for (uint32_t m = counters; m != 0; m &= m - 1) {
        w->given[__builtin_ctz(m)]++;
        w->long_given[__builtin_ctz(m)] += dependence_is_long(inst);
    }
    if (counters != 0) {
        dependence_wake_next(&a->wakes, inst->warp, ww_now(a));
    }
}

/* ---- dependence ---------------------------------------------------------------------------- */

static uint32_t allocated_blocks(void *self, const WwInst *inst)
{
    Allocated *a = self;
    Warp *w = settled(a, inst->warp);
    AllocPlan p = alloc_plan(&a->rules, &w->alloc, inst->timing);
    uint32_t bits = p.room ? 0 : WW_DEP_COUNTER;
    for (uint32_t m = p.wait; m != 0; m &= m - 1) {
        bits |= w->alloc.users[__builtin_ctz(m)] != 0 ? WW_DEP_COUNTER : 0;
    }
    w->stall = p.from;
    bits |= ww_now(a) < p.from ? WW_DEP_STALL : 0;
    bits |= (inst->timing->flags & WW_TAKES_LDGDEPBAR) != 0 && w->copies != 0 ? WW_DEP_COPIES : 0;
    return bits;
}

static bool allocated_waits_long(void *self, const WwInst *inst)
{
    Allocated *a = self;
    const Warp *w = settled(a, inst->warp);
    const WwTiming *t = inst->timing;
    for (uint32_t m = alloc_guards(&w->alloc, t->name, t->n_written, t->n_named); m != 0;
         m &= m - 1) {
        if (w->longs[__builtin_ctz(m)] != 0) {
            return true;
        }
    }
    return false;
}

static WwCycle allocated_until(void *self, uint32_t warp)
{
    Allocated *a = self;
    return MAX(a->warp[warp].stall, ww_now(a) + 1);
}

static void allocated_issued(void *self, const WwInst *inst)
{
    Allocated *a = self;
    const WwTiming *t = inst->timing;
    Warp *w = settled(a, inst->warp);
    AllocPlan p = alloc_plan(&a->rules, &w->alloc, t);
    a->used |= 1ull << inst->warp;
    a->counters += (p.write != WW_NO_COUNTER) + (p.read != WW_NO_COUNTER);
    if (p.write != WW_NO_COUNTER) {
        w->longs[p.write] += dependence_is_long(inst);
    }
    if (p.read != WW_NO_COUNTER) {
        w->longs[p.read] += dependence_is_long(inst);
    }
    a->stalls += t->n_written != 0 && p.write == WW_NO_COUNTER;
    a->shared += alloc_issue(&a->rules, &w->alloc, inst, ww_now(a));
    w->copies += (t->flags & WW_TAKES_LDGSTS) != 0;
}

static void allocated_sent(void *self, const WwInst *inst) {}

static void allocated_read(void *self, const WwInst *inst)
{
    Allocated *a = self;
    give(a, inst, alloc_read(&a->warp[inst->warp].alloc, inst));
}

static void allocated_written(void *self, const WwInst *inst)
{
    Allocated *a = self;
    Warp *w = &a->warp[inst->warp];
    give(a, inst, alloc_over(&w->alloc, inst));
    if ((inst->timing->flags & WW_TAKES_LDGSTS) != 0 && w->copies != 0) {
        w->copies--;
        dependence_wake(&a->wakes, inst->warp);
    }
}

static bool allocated_settled(void *self, uint32_t warp)
{
    static const uint32_t zero[WW_COUNTERS];
    return memcmp(settled(self, warp)->alloc.users, zero, sizeof zero) == 0;
}

static bool allocated_idle(void *self, uint32_t warp)
{
    return allocated_settled(self, warp) && ((const Allocated *)self)->warp[warp].copies == 0;
}

static void allocated_retired(void *self, uint32_t warp)
{
    memset(&((Allocated *)self)->warp[warp], 0, sizeof(Warp));
}

static const WwDependenceIf dependence_table = {
    .blocks = allocated_blocks,
    .waits_long = allocated_waits_long,
    .until = allocated_until,
    .issued = allocated_issued,
    .sent = allocated_sent,
    .read = allocated_read,
    .written = allocated_written,
    .settled = allocated_settled,
    .idle = allocated_idle,
    .retired = allocated_retired,
};

/* One that nobody has told what it takes holds nothing. */
static void allocated_over(void *self, const WwInst *inst)
{
    if (inst->timing != NULL) {
        allocated_written(self, inst);
    }
}

static const WwScoreboardIf hazard_table = DEPENDENCE_HAZARDS(allocated_over);

/* ---- life ---------------------------------------------------------------------------------- */

static bool allocated_init(void *self, GError **error)
{
    Allocated *a = self;
    (void)error;
    a->warp = ww_alloc(a, WW_MAX_WARPS * sizeof *a->warp);
    return true;
}

static void allocated_reset(void *self)
{
    Allocated *a = self;
    for (; a->used != 0; a->used &= a->used - 1) {
        allocated_retired(a, (uint32_t)__builtin_ctzll(a->used));
    }
    dependence_wakes_gather(&a->wakes, &a->dependence);
}

static void allocated_explain(void *self, WwExplain *explain)
{
    const Allocated *a = self;
    for (uint64_t m = a->used; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        for (uint32_t k = 0; k < WW_COUNTERS; k++) {
            if (a->warp[warp].alloc.users[k] != 0) {
                ww_explain_unit(explain, warp, warp);
                ww_explain_waits_for(explain, ww_thing_flight(warp),
                                     "warp %u: counter %u stands at %u", warp, k,
                                     a->warp[warp].alloc.users[k]);
            }
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow allocated_params[] = {
    WW_UINT_AT(Allocated, rules.max_stall, "max_stall", "cycles", "15", 1, 1023,
               "largest latency that is covered by stalling instead of a counter"),
    WW_BOOL_AT(Allocated, rules.war, "war", "true",
               "a counter protects the sources of variable-latency instructions until they have "
               "been read; false: they may be overwritten at any time"),
    {0},
};

static const WwPortRow allocated_ports[] = {
    WW_PORT_PROVIDES(Allocated, dependence, &ww_contract_dependence, &dependence_table,
                     "what keeps a warp from issuing"),
    WW_PORT_PROVIDES(Allocated, hazard, &ww_contract_scoreboard, &hazard_table,
                     "for the warp pool, which reports instructions that end"),
    {0},
};

static const WwStatRow allocated_stats[] = {
    WW_COUNTER(Allocated, stalls, "instructions",
               "instructions whose result is waited for by stalling"),
    WW_COUNTER(Allocated, counters, "instructions",
               "instructions that took a counter, once per counter"),
    WW_COUNTER(Allocated, shared, "instructions",
               "of these, those that shared a counter because none was free"),
    {0},
};

const WwType allocated_type = {
    .abi = WW_ABI_VERSION,
    .name = "dependence.allocated",
    .doc = "Dependences by stall counts and six counters per warp, assigned in issue order as a "
           "compiler would.",
    .family = "dependence",
    .size = sizeof(Allocated),
    .params = allocated_params,
    .ports = allocated_ports,
    .stats = allocated_stats,
    .init = allocated_init,
    .reset = allocated_reset,
    .explain = allocated_explain,
};
