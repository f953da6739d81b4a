/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dependence.control_bits`: what keeps the warps of a modern SM from issuing, as the compiler wrote it into each instruction: a stall count, a
 * yield, six dependence counters.
 *
 *     written: warp pool        read: units, operand_read     sent: control_stage
 *            └──────────────────────────┬──────────────────────────┘
 *                        [dependence.control_bits] <── issue (check) <── fetch (retire)
 *                                       └── otherwise: kernels without a listing
 *
 * A counter that changes in a cycle is seen changed from the next one on, by whoever asks: what changed is kept apart, with its cycle, and
 * added when that has passed. A stall and a yield are cycles until which the warp is blocked: nothing counts down.
 *
 * `stall = code` is what the released simulator does: the count is halved in each cycle, so that a field of N stalls for as many cycles as
 * N has binary digits. `paper` is what was measured on silicon: N cycles.
 */
#include "dependence-priv.h"
#include "types.h"

#include <ports/register_set.h>
#include <string.h>

#define COUNTERS WW_COUNTERS
#define MOST 63u /* of a counter */

typedef struct Warp {
    WwCycle stall, yield; /* first cycle without */
    WwCycle when;         /* cycle of `change` */
    uint8_t count[COUNTERS];
    int8_t change[COUNTERS];
    uint8_t longs[COUNTERS]; /* of each: instructions that wait for memory; for statistics */
    int8_t long_change[COUNTERS];
    const WwSinst *by[COUNTERS]; /* who counted it up last */
    uint32_t copies;             /* asynchronous copies that are not over */
} Warp;

typedef enum StallRule { STALL_CODE, STALL_PAPER } StallRule;
static const char *const stall_rules[] = {"code", "paper", NULL};

typedef struct ControlBits {
    WwComponent base;
    /* parameters */
    uint32_t stall, yield_stall;
    /* ports */
    WwProvided dependence, hazard;
    WwPort otherwise;
    /* state */
    Warp warp[WW_MAX_WARPS];
    DependenceWakes wakes;
    /* statistics */
    uint64_t ups, downs, highest;
} ControlBits;

/* ---- counters ------------------------------------------------------------------------------ */

/* What changed before this cycle counts. */
static inline Warp *settled(ControlBits *c, uint32_t warp)
{
    Warp *w = &c->warp[warp];
    WwCycle now = ww_now(c);
    if (w->when < now) {
        for (uint32_t i = 0; i < COUNTERS; i++) {
            w->count[i] = (uint8_t)(w->count[i] + w->change[i]);
            w->change[i] = 0;
            w->longs[i] = (uint8_t)(w->longs[i] + w->long_change[i]);
            w->long_change[i] = 0;
        }
        w->when = now;
    }
    return w;
}

WW_COLD static void overflows(ControlBits *c, const WwInst *inst, uint32_t counter)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(c, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                               "%s: SB%u of warp %u goes beyond %u at %s (trace line %u); expected "
                               "a wait for it before",
                               path, counter, inst->warp, MOST, inst->s->opcode, inst->s->line));
}

static void up(ControlBits *c, const WwInst *inst, uint32_t counter)
{
    if (counter >= COUNTERS) {
        return;
    }
    Warp *w = settled(c, inst->warp);
    int32_t n = (int32_t)w->count[counter] + w->change[counter];
    if (G_UNLIKELY(n >= (int32_t)MOST)) {
        overflows(c, inst, counter);
        return;
    }
    w->change[counter]++;
    w->by[counter] = inst->s;
    if (dependence_is_long(inst)) {
        w->long_change[counter]++;
        if (w->count[counter] != 0) { /* it may be waited for, as something short */
            dependence_wake_next(&c->wakes, inst->warp, ww_now(c));
        }
    }
    c->ups++;
    c->highest = MAX(c->highest, (uint64_t)n + 1);
}

static void down(ControlBits *c, const WwInst *inst, uint32_t counter)
{
    if (counter >= COUNTERS) {
        return;
    }
    Warp *w = settled(c, inst->warp);
    if (w->count[counter] + w->change[counter] == 0) {
        return; /* its way up was refused: the run has failed */
    }
    w->change[counter]--;
    w->long_change[counter] = (int8_t)(w->long_change[counter] - dependence_is_long(inst));
    c->downs++;
    dependence_wake_next(&c->wakes, inst->warp, ww_now(c));
}

/* ---- dependence ---------------------------------------------------------------------------- */

/* Who is asked otherwise has no callers of rank check: its waiters are those here, and what it was told may end their waits at once, or from the next cycle on. */
static void other_changed(ControlBits *c, uint32_t warp)
{
    dependence_wake(&c->wakes, warp);
    if (!WW_DEPENDENCE(&c->otherwise)->at_once) {
        dependence_wake_next(&c->wakes, warp, ww_now(c));
    }
}

static inline bool listed(const WwInst *inst)
{
    return inst->s->code != NULL;
}

WW_COLD static void no_listing(ControlBits *c, const WwInst *inst)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(
        c,
        g_error_new(
            WW_ERROR, WW_ERROR_INPUT,
            "%s: no listing has %s (trace line %u), so its control bits are not known; expected a "
            "listing beside the trace (--sass FILE), or a scoreboard at port 'otherwise'",
            path, inst->s->opcode, inst->s->line));
}

/* DEPBAR.LE SBx, n, {list} has its operands to wait for, besides its mask. */
static bool depbar_waits(const ControlBits *c, const Warp *w, const WwInst *inst)
{
    const WwTiming *t = inst->timing;
    if ((t->flags & WW_TAKES_DEPBAR) == 0) {
        return false;
    }
    bool waits = t->depbar < COUNTERS && w->count[t->depbar] > t->depbar_most;
    for (uint32_t m = t->depbar_list; m != 0; m &= m - 1) {
        waits |= w->count[__builtin_ctz(m)] != 0;
    }
    return waits;
}

static uint32_t control_blocks(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    uint32_t bits = 0;
    if (G_UNLIKELY(!listed(inst))) {
        if (!WW_BOUND(&c->otherwise)) {
            no_listing(c, inst);
            return WW_DEP_COUNTER;
        }
        return WW_DEPENDENCE(&c->otherwise)->blocks(c->otherwise.peer, inst);
    }
    const Warp *w = settled(c, inst->warp);
    WwCycle now = ww_now(c);
    for (uint32_t m = inst->s->code->control.wait; m != 0; m &= m - 1) {
        bits |= w->count[__builtin_ctz(m)] != 0 ? WW_DEP_COUNTER : 0;
    }
    bits |= now < w->stall ? WW_DEP_STALL : 0;
    bits |= now < w->yield ? WW_DEP_YIELD : 0;
    bits |= depbar_waits(c, w, inst) ? WW_DEP_COUNTER : 0;
    bits |= (inst->timing->flags & WW_TAKES_LDGDEPBAR) != 0 && w->copies != 0 ? WW_DEP_COPIES : 0;
    return bits;
}

static bool control_waits_long(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    if (G_UNLIKELY(!listed(inst))) {
        const WwDependenceIf *f = WW_BOUND(&c->otherwise) ? WW_DEPENDENCE(&c->otherwise) : NULL;
        return f != NULL && f->waits_long != NULL && f->waits_long(c->otherwise.peer, inst);
    }
    const Warp *w = settled(c, inst->warp);
    const WwTiming *t = inst->timing;
    uint32_t counters = inst->s->code->control.wait;
    if (t->flags & WW_TAKES_DEPBAR) {
        counters |= t->depbar_list | (t->depbar < COUNTERS ? 1u << t->depbar : 0);
    }
    for (; counters != 0; counters &= counters - 1) {
        if (w->longs[__builtin_ctz(counters)] != 0) {
            return true;
        }
    }
    return false;
}

static WwCycle control_until(void *self, uint32_t warp)
{
    ControlBits *c = self;
    const Warp *w = &c->warp[warp];
    WwCycle next = ww_now(c) + 1, own = MAX(MAX(w->stall, w->yield), next);
    if (!WW_BOUND(&c->otherwise)) {
        return own;
    }
    WwCycle other = WW_DEPENDENCE(&c->otherwise)->until(c->otherwise.peer, warp);
    return own > next && other > next ? MIN(own, other) : MAX(own, other);
}

static uint32_t stall_of(const ControlBits *c, const WwControl *control)
{
    uint32_t n = control->stall == 0 && control->yield ? c->yield_stall : control->stall;
    if (c->stall == STALL_PAPER) {
        return MAX(n, 1u);
    }
    return n != 0 ? 32u - (uint32_t)__builtin_clz(n) : 1u;
}

static void control_issued(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    if (G_UNLIKELY(!listed(inst))) {
        if (WW_BOUND(&c->otherwise)) {
            WW_DEPENDENCE(&c->otherwise)->issued(c->otherwise.peer, inst);
        }
        return;
    }
    Warp *w = settled(c, inst->warp);
    const WwControl *control = &inst->s->code->control;
    w->stall = ww_now(c) + stall_of(c, control);
    w->yield = control->yield ? ww_now(c) + 2 : 0;
    w->copies += (inst->timing->flags & WW_TAKES_LDGSTS) != 0;
}

static void control_sent(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    if (G_UNLIKELY(!listed(inst))) {
        if (WW_BOUND(&c->otherwise)) {
            WW_DEPENDENCE(&c->otherwise)->sent(c->otherwise.peer, inst);
        }
        return;
    }
    up(c, inst, inst->s->code->control.read);
    up(c, inst, inst->s->code->control.write);
}

static void control_read(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    if (G_LIKELY(listed(inst))) {
        down(c, inst, inst->s->code->control.read);
    } else if (WW_BOUND(&c->otherwise)) {
        WW_DEPENDENCE(&c->otherwise)->read(c->otherwise.peer, inst);
        other_changed(c, inst->warp);
    }
}

static void control_written(void *self, const WwInst *inst)
{
    ControlBits *c = self;
    if (G_UNLIKELY(!listed(inst))) {
        if (WW_BOUND(&c->otherwise)) {
            WW_DEPENDENCE(&c->otherwise)->written(c->otherwise.peer, inst);
            other_changed(c, inst->warp);
        }
        return;
    }
    down(c, inst, inst->s->code->control.write);
    if (inst->timing->flags & WW_TAKES_HELD) {
        down(c, inst, inst->s->code->control.read);
    }
    if ((inst->timing->flags & WW_TAKES_LDGSTS) != 0 && c->warp[inst->warp].copies != 0) {
        c->warp[inst->warp].copies--;
        dependence_wake(&c->wakes, inst->warp);
    }
}

static bool control_settled(void *self, uint32_t warp)
{
    ControlBits *c = self;
    static const uint8_t zero[COUNTERS];
    return memcmp(settled(c, warp)->count, zero, sizeof zero) == 0 &&
           (!WW_BOUND(&c->otherwise) ||
            WW_DEPENDENCE(&c->otherwise)->settled(c->otherwise.peer, warp));
}

static bool control_idle(void *self, uint32_t warp)
{
    ControlBits *c = self;
    return control_settled(c, warp) && c->warp[warp].copies == 0 &&
           (!WW_BOUND(&c->otherwise) ||
            WW_DEPENDENCE(&c->otherwise)->idle(c->otherwise.peer, warp));
}

static void control_retired(void *self, uint32_t warp)
{
    ControlBits *c = self;
    c->warp[warp] = (Warp){0};
    if (WW_BOUND(&c->otherwise)) {
        WW_DEPENDENCE(&c->otherwise)->retired(c->otherwise.peer, warp);
    }
}

static const WwDependenceIf dependence_table = {
    .blocks = control_blocks,
    .waits_long = control_waits_long,
    .until = control_until,
    .issued = control_issued,
    .sent = control_sent,
    .read = control_read,
    .written = control_written,
    .settled = control_settled,
    .idle = control_idle,
    .retired = control_retired,
};

static const WwScoreboardIf hazard_table = DEPENDENCE_HAZARDS(control_written);

/* ---- life ---------------------------------------------------------------------------------- */

static void control_reset(void *self)
{
    ControlBits *c = self;
    memset(c->warp, 0, sizeof c->warp);
    dependence_wakes_gather(&c->wakes, &c->dependence);
}

/* Each counter that is not 0, and who counted it up last: nobody else knows what a warp waits for. */
static void control_explain(void *self, WwExplain *explain)
{
    ControlBits *c = self;
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        const Warp *w = &c->warp[warp];
        ww_explain_unit(explain, warp, -1);
        for (uint32_t i = 0; i < COUNTERS; i++) {
            int32_t n = (int32_t)w->count[i] + w->change[i];
            if (n != 0) {
                ww_explain_waits_for(explain, ww_thing_flight(warp),
                                     "SB%u of warp %u is %d: %s (pc %" G_GINT64_MODIFIER
                                     "x) counted it up last",
                                     i, warp, n, w->by[i]->opcode, w->by[i]->pc);
            }
        }
        if (w->copies != 0) {
            ww_explain_waits_for(explain, ww_thing_flight(warp),
                                 "%u asynchronous copies of warp %u are not over", w->copies, warp);
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow control_params[] = {
    WW_CHOICE(ControlBits, stall, "code", stall_rules,
              "cycles for a stall count of N: code: the number of binary digits of N, as in the "
              "released simulator; paper: N"),
    WW_UINT(ControlBits, yield_stall, "cycles", "46", 1, 1023,
            "stall count of an instruction with a stall of 0 and a yield (paper: 45)"),
    {0},
};

static const WwPortRow control_ports[] = {
    WW_PORT_PROVIDES(ControlBits, dependence, &ww_contract_dependence, &dependence_table,
                     "what keeps a warp from issuing"),
    WW_PORT_PROVIDES(ControlBits, hazard, &ww_contract_scoreboard, &hazard_table,
                     "for the warp pool, which reports instructions that end"),
    WW_PORT_REQUIRES(ControlBits, otherwise, &ww_contract_dependence, 0, NULL,
                     "handles instructions that are in no listing"),
    {0},
};

static const WwStatRow control_stats[] = {
    WW_COUNTER(ControlBits, ups, "increments", "increments of dependence counters"),
    WW_COUNTER(ControlBits, downs, "decrements", "decrements of dependence counters"),
    WW_MAXIMUM(ControlBits, highest, "", "highest value of a counter"),
    {0},
};

const WwType control_bits_type = {
    .abi = WW_ABI_VERSION,
    .name = "dependence.control_bits",
    .doc =
        "Dependences by the compiler's control bits: stall counts, yields, six counters per warp.",
    .family = "dependence",
    .size = sizeof(ControlBits),
    .params = control_params,
    .ports = control_ports,
    .stats = control_stats,
    .reset = control_reset,
    .explain = control_explain,
};
