/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `control_bits`: what GPUs since Maxwell have instead of a scoreboard, for the SM of Accel-Sim: stall counts and six counters a warp.
 *
 *            release: write-back, LD/ST unit
 *                         v
 *     reserve, check  [control_bits]  retire scan
 *     warp schedulers                 fetch unit
 *
 * It offers the interface of `scoreboard` and stands in its place. Where the trace has a listing (WwSinst.code) it does what the control bits in there say. Where it has
 * none they are assigned as instructions issue, by the rules of allocator.c, with what this SM knows of an instruction: one regular register that it writes, up to four
 * that it reads, and a latency. So a short result can be used `latency` cycles after the issue of its producer - a bypass is taken to be there, the write-back is not
 * waited for - and long ones share counters. R255 is never waited for.
 *
 * Nobody says here when operands have been read: a counter that guards sources is down `read_cycles` after the issue. Whom a stall or such a counter holds back is woken
 * by a timed event in the cycle in which it ends; a release is seen in its own cycle, and wakes, as the scoreboard's.
 */
#include "allocator-priv.h"
#include "types.h"

#include <ports/hazards.h>
#include <ports/register_set.h>
#include <string.h>
#include <warpwright/event.h>

#define MOST_STALL 500u
#define SLOTS 512u      /* cycles that a stall may last, a power of 2 */
#define MOST_READ 64u   /* read_cycles */
#define MOST_ISSUED 64u /* in a cycle, by all schedulers of an SM */
#define READS (MOST_READ * MOST_ISSUED)
G_STATIC_ASSERT(SLOTS > MOST_STALL);

typedef struct Warp {
    AllocWarp alloc;
    uint16_t writes[WW_NUM_REGS]; /* results on their way */
    uint8_t under[WW_NUM_REGS];   /* 1 + the counter that the one under a counter gives back */
    uint32_t n_writes;
    uint8_t slow;  /* counters with a load from global or local memory, a mask */
    WwCycle stall; /* listing: first cycle of the next issue */
} Warp;

typedef struct Read {
    WwCycle due;
    uint8_t warp, counter;
} Read;

typedef struct HazardBits {
    WwComponent base;
    /* parameters */
    AllocRules rules;
    uint32_t read_cycles, yield_stall;
    /* ports */
    WwProvided hazards;
    /* state */
    WwHazardView view;
    uint64_t used; /* warps that ever issued */
    Warp *warp;
    WwEvent event;
    uint64_t slot[SLOTS]; /* warps whose stall ends in a cycle */
    Read *read;           /* in order of time */
    uint32_t first_read, n_reads;
    WwWake none;
    const WwWake *check[WW_MAX_WARPS]; /* by warp */
    uint32_t n_retire;
    /* statistics */
    uint64_t stalls, counters, shared;
} HazardBits;

/* ---- time ---------------------------------------------------------------------------------- */

static void changed(HazardBits *c, uint64_t warps)
{
    c->view.changed |= warps;
    for (; warps != 0; warps &= warps - 1) {
        ww_wake(c->check[__builtin_ctzll(warps)]);
    }
}

static void plan(HazardBits *c, WwCycle due)
{
    if (!ww_event_pending(&c->event) || c->event.cycle > due) {
        ww_event_at(c->base.machine, c->base.domain, &c->event, due);
    }
}

static void give_back(HazardBits *c, uint32_t warp, uint32_t k)
{
    Warp *w = &c->warp[warp];
    bool full = w->alloc.users[k] == ALLOC_MOST;
    w->alloc.users[k]--;
    if (w->alloc.users[k] == 0) {
        w->slow &= (uint8_t) ~(1u << k);
    }
    if (full || w->alloc.users[k] == 0) {
        changed(c, 1ull << warp);
    }
}

/* Before the clocked work of the cycle. */
static void fire(void *self, WwEvent *event)
{
    HazardBits *c = self;
    WwCycle now = ww_now(c);
    uint64_t warps = c->slot[now % SLOTS];
    c->slot[now % SLOTS] = 0;
    changed(c, warps);
    while (c->n_reads != 0 && c->read[c->first_read].due <= now) {
        const Read *r = &c->read[c->first_read];
        give_back(c, r->warp, r->counter);
        c->first_read = (c->first_read + 1) % READS;
        c->n_reads--;
    }
    if (c->n_reads != 0) {
        plan(c, c->read[c->first_read].due);
    }
    for (uint32_t i = 1; i < SLOTS; i++) {
        if (c->slot[(now + i) % SLOTS] != 0) {
            plan(c, now + i);
            break;
        }
    }
}

static void wake_later(HazardBits *c, uint32_t warp, WwCycle due)
{
    c->slot[due % SLOTS] |= 1ull << warp;
    plan(c, due);
    c->stalls++;
}

/* The sources of @p warp's instruction are guarded by counter @p k, which counts them already. */
static void read_later(HazardBits *c, uint32_t warp, uint32_t k)
{
    c->read[(c->first_read + c->n_reads++) % READS] =
        (Read){ww_now(c) + c->read_cycles, (uint8_t)warp, (uint8_t)k};
    plan(c, c->read[c->first_read].due);
}

/* ---- instructions -------------------------------------------------------------------------- */

static inline bool is_register(uint32_t reg)
{
    return reg != 0 && reg != WW_ZERO_REG;
}

static inline bool goes_to_memory(const WwSinst *s)
{
    return (s->flags & (WW_INST_LOAD | WW_INST_STORE)) != 0;
}

/* What the rules know of @p s, whose result is there after @p latency cycles, 0: nobody knows; its registers go into @p name. */
static AllocInst of_sinst(const WwSinst *s, uint32_t latency, uint16_t name[WW_MAX_SRC + 1])
{
    AllocInst in = {.name = name, .there = latency, .own = 1, .guards = latency == 0};
    if (is_register(s->dst)) {
        name[in.n_written++] = (uint16_t)(s->dst - 1);
    }
    in.n_named = in.n_written;
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (is_register(s->src[i])) {
            name[in.n_named++] = (uint16_t)(s->src[i] - 1);
        }
    }
    return in;
}

/* Cycles until the result of @p inst is there, 0: it takes a counter. */
static uint32_t latency_of(const HazardBits *c, const WwInst *inst)
{
    bool known = !goes_to_memory(inst->s) && inst->latency <= c->rules.max_stall;
    return known ? MAX(inst->latency, 1u) : 0;
}

/* The control bits of @p s, or NULL when nobody knows them. */
static inline const WwControl *bits_of(const WwSinst *s)
{
    return s->code != NULL ? &s->code->control : NULL;
}

/* ---- checking ------------------------------------------------------------------------------ */

static bool any_up(const Warp *w, uint32_t counters)
{
    for (; counters != 0; counters &= counters - 1) {
        if (w->alloc.users[__builtin_ctz(counters)] != 0) {
            return true;
        }
    }
    return false;
}

static bool full(const Warp *w, uint32_t k)
{
    return k < WW_COUNTERS && w->alloc.users[k] >= ALLOC_MOST;
}

static bool hazard_collides(void *self, uint32_t warp, const WwSinst *s)
{
    const HazardBits *c = self;
    const Warp *w = &c->warp[warp];
    const WwControl *word = bits_of(s);
    if (w->stall > ww_now(c) || w->writes[s->dst] == UINT16_MAX) {
        return true;
    }
    if (word != NULL) {
        return any_up(w, word->wait) || full(w, word->write) || full(w, word->read);
    }
    uint16_t name[WW_MAX_SRC + 1];
    AllocInst in = of_sinst(s, goes_to_memory(s) ? 0 : 1, name);
    AllocPlan p = alloc_plan_of(&c->rules, &w->alloc, &in);
    return p.from > ww_now(c) || any_up(w, p.wait) || !p.room;
}

/* Counters that @p s waits for; without a listing for its sources, and, if @p all, for its result. */
static uint32_t waits_for(const Warp *w, const WwSinst *s, bool all)
{
    uint16_t name[WW_MAX_SRC + 1];
    const WwControl *word = bits_of(s);
    if (word != NULL) {
        return word->wait;
    }
    AllocInst in = of_sinst(s, 1, name);
    uint32_t first = all ? 0 : in.n_written;
    return alloc_guards(&w->alloc, name + first, 0, in.n_named - first);
}

static bool hazard_waits_long(void *self, uint32_t warp, const WwSinst *s)
{
    const Warp *w = &((HazardBits *)self)->warp[warp];
    return (waits_for(w, s, false) & w->slow) != 0;
}

static bool hazard_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    const Warp *w = &((HazardBits *)self)->warp[warp];
    return (waits_for(w, s, true) & w->slow) != 0;
}

static const WwHazardView *hazard_view(void *self)
{
    return &((HazardBits *)self)->view;
}

static void hazard_seen(void *self, uint64_t warps)
{
    ((HazardBits *)self)->view.changed &= ~warps;
}

/* ---- issue --------------------------------------------------------------------------------- */

/* The result of @p inst gives counter @p k back, which counts it already. */
static void guard_result(HazardBits *c, Warp *w, const WwInst *inst, uint32_t k)
{
    uint32_t reg = inst->s->dst;
    if (w->under[reg] != 0) { /* a listing that does not protect its writes: this one gives both */
        give_back(c, inst->warp, w->under[reg] - 1u);
    }
    w->under[reg] = (uint8_t)(k + 1);
    c->counters++;
    if (ww_inst_is_load(inst) &&
        (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL)) {
        w->slow |= (uint8_t)(1u << k);
    }
}

static void follow(HazardBits *c, Warp *w, const WwInst *inst, const WwControl *word)
{
    uint32_t stall = word->stall == 0 && word->yield ? c->yield_stall : word->stall;
    stall = MAX(stall, word->yield ? 2u : 1u);
    w->stall = ww_now(c) + stall;
    if (stall > 1) {
        wake_later(c, inst->warp, w->stall);
    }
    if (word->write < WW_COUNTERS && inst->s->dst != 0) {
        w->alloc.users[word->write]++;
        guard_result(c, w, inst, word->write);
    }
    if (word->read < WW_COUNTERS) {
        w->alloc.users[word->read]++;
        c->counters++;
        read_later(c, inst->warp, word->read);
    }
}

static void assign(HazardBits *c, Warp *w, const WwInst *inst)
{
    uint16_t name[WW_MAX_SRC + 1];
    AllocInst in = of_sinst(inst->s, latency_of(c, inst), name);
    AllocPlan p = alloc_take(&c->rules, &w->alloc, &in, ww_now(c), &c->shared);
    if (p.write != WW_NO_COUNTER) {
        guard_result(c, w, inst, p.write);
    } else if (in.n_written != 0) {
        wake_later(c, inst->warp, ww_now(c) + in.there);
    }
    if (p.read != WW_NO_COUNTER) {
        c->counters++;
        read_later(c, inst->warp, p.read);
    }
}

static void hazard_reserve(void *self, const WwInst *inst)
{
    HazardBits *c = self;
    Warp *w = &c->warp[inst->warp];
    const WwControl *word = bits_of(inst->s);
    c->used |= 1ull << inst->warp;
    if (inst->s->dst != 0) {
        w->writes[inst->s->dst]++;
        w->n_writes++;
        c->view.pending |= 1ull << inst->warp;
    }
    if (word != NULL) {
        follow(c, w, inst, word);
    } else {
        assign(c, w, inst);
    }
}

/* ---- release ------------------------------------------------------------------------------- */

static void written(HazardBits *c, uint32_t warp, uint32_t reg, bool counted)
{
    Warp *w = &c->warp[warp];
    if (w->writes[reg] == 0) {
        return;
    }
    if (w->writes[reg]-- == UINT16_MAX) {
        changed(c, 1ull << warp); /* there is room to count another one */
    }
    if (counted && w->under[reg] != 0) {
        uint32_t k = w->under[reg] - 1u;
        w->under[reg] = 0;
        give_back(c, warp, k);
    }
    if (--w->n_writes == 0) {
        c->view.pending &= ~(1ull << warp);
        changed(c, 1ull << warp); /* a memory barrier may end */
        for (uint32_t i = 0; i < c->n_retire; i++) {
            ww_wake(&ww_provided_client(&c->hazards, WW_HAZARD_RETIRE, i)->wake);
        }
    }
}

static void hazard_release(void *self, uint32_t warp, uint32_t reg)
{
    written(self, warp, reg, true);
}

/* Of two results on their way to one register, one may be under a counter: which, the instruction says. */
static void hazard_release_all(void *self, const WwInst *inst)
{
    HazardBits *c = self;
    const WwControl *word = bits_of(inst->s);
    bool counted = word != NULL ? word->write < WW_COUNTERS : latency_of(c, inst) == 0;
    if (inst->s->dst != 0) {
        written(c, inst->warp, inst->s->dst, counted);
    }
}

static const WwScoreboardIf hazard_table = {
    .view = hazard_view,
    .seen = hazard_seen,
    .collides = hazard_collides,
    .waits_long = hazard_waits_long,
    .reserve = hazard_reserve,
    .release = hazard_release,
    .release_all = hazard_release_all,
    .collides_long = hazard_collides_long,
};

/* ---- life ---------------------------------------------------------------------------------- */

static bool hazard_init(void *self, GError **error)
{
    HazardBits *c = self;
    c->warp = ww_alloc(c, WW_MAX_WARPS * sizeof *c->warp);
    c->read = ww_alloc(c, READS * sizeof *c->read);
    return true;
}

static void hazard_reset(void *self)
{
    HazardBits *c = self;
    c->view = (WwHazardView){0};
    for (; c->used != 0; c->used &= c->used - 1) {
        memset(&c->warp[__builtin_ctzll(c->used)], 0, sizeof(Warp));
    }
    memset(c->slot, 0, sizeof c->slot);
    c->first_read = c->n_reads = 0;
    ww_event_cancel(c->base.machine, c->base.domain, &c->event);
    c->event = (WwEvent){.fire = fire, .self = c};
    c->none = ww_wake_none();
    ww_provided_wakes(&c->hazards, WW_HAZARD_CHECK, &c->none, c->check, WW_MAX_WARPS);
    c->n_retire = ww_provided_count(&c->hazards, WW_HAZARD_RETIRE);
}

/* A counter that guards sources comes down by itself. */
static void hazard_explain(void *self, WwExplain *explain)
{
    HazardBits *c = self;
    for (uint64_t m = c->view.pending; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        const Warp *w = &c->warp[warp];
        ww_explain_unit(explain, warp, warp);
        for (uint32_t reg = 1; reg < WW_NUM_REGS; reg++) {
            if (w->under[reg] != 0) {
                uint32_t k = w->under[reg] - 1u;
                ww_explain_waits_for(explain, ww_thing_write(warp, reg),
                                     "warp %u: counter %u stands at %u until R%u is written", warp,
                                     k, w->alloc.users[k], reg - 1);
            }
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow hazard_params[] = {
    WW_UINT_AT(HazardBits, rules.max_stall, "max_stall", "cycles", "15", 1, MOST_STALL,
               "largest latency that is covered by stalling instead of a counter"),
    WW_BOOL_AT(HazardBits, rules.war, "war", "true",
               "a counter protects the sources of instructions of unknown or longer latency until "
               "they have been read; false: they may be overwritten at any time"),
    WW_UINT(HazardBits, read_cycles, "cycles", "6", 1, MOST_READ,
            "from issue of an instruction until its operands have been read"),
    WW_UINT(HazardBits, yield_stall, "cycles", "45", 1, MOST_STALL,
            "stall of a listed instruction with a stall of 0 and a yield"),
    {0},
};

static const WwPortRow hazard_ports[] = {
    WW_PORT_PROVIDES(
        HazardBits, hazards, &ww_contract_scoreboard, &hazard_table,
        "instead of a scoreboard: checked and reserved at issue, released at write-back"),
    {0},
};

static const WwStatRow hazard_stats[] = {
    WW_COUNTER(HazardBits, stalls, "instructions",
               "instructions waited for by stalling: for their results, or as a listing says"),
    WW_COUNTER(HazardBits, counters, "instructions",
               "instructions that took a counter, once per counter"),
    WW_COUNTER(HazardBits, shared, "instructions",
               "of these, without a listing, those that shared a counter because none was free"),
    {0},
};

const WwType hazard_bits_type = {
    .abi = WW_ABI_VERSION,
    .name = "control_bits",
    .doc = "Stall counts and six counters per warp instead of a scoreboard: from a listing, else "
           "assigned as a compiler would.",
    .family = "hazards",
    .size = sizeof(HazardBits),
    .params = hazard_params,
    .ports = hazard_ports,
    .stats = hazard_stats,
    .init = hazard_init,
    .reset = hazard_reset,
    .explain = hazard_explain,
};
