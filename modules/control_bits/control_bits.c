/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `control_bits`: what GPUs since Maxwell have instead of a scoreboard. The compiler writes into each instruction how long the
 * next one must stall, and which of six dependence barriers of the warp it takes, frees and waits for.
 *
 *            release: write-back, LD/ST unit
 *                         v
 *     reserve, check  [control_bits]  retire scan
 *     warp schedulers                 fetch unit
 *
 * It offers the same interface as `scoreboard` and stands in its place. Where the trace has a listing (WwSinst.code) it does what the
 * control bits in there say. Traces of the stock tracer carry none: then they are assigned in program order, as an instruction issues:
 *
 * - a result of known latency of at most `max_stall` cycles needs no barrier: it can be used `latency` cycles after the issue
 *   of its producer (the bypass network is assumed, the write-back is not waited for);
 * - any other result (of loads, and of slower units) takes a barrier: the next free one in turn, else the next in turn, which is
 *   then shared. Whoever reads or writes the register waits until the barrier is free, that is, until all results under it
 *   have been written;
 * - an instruction that has waited for a barrier has waited for all registers under it; nobody waits for them again.
 *
 * So it differs from a scoreboard in two ways: short results are forwarded, and long ones share barriers. R255, the zero
 * register, is never waited for. Registers that are read are not protected against later writes, unless a listing has read
 * barriers: those are free `read_cycles` after the issue.
 *
 * Whom a stall holds back is woken by a timed event in the cycle in which it ends; a release wakes as the scoreboard's does.
 */
#include <ports/hazards.h>
#include <ports/register_set.h>
#include <string.h>
#include <warpwright/event.h>
#include <warpwright/module.h>

#define BARRIERS WW_COUNTERS
#define NO_BARRIER WW_NO_COUNTER
#define SLOTS 512u  /* cycles that a stall may last, a power of 2 */
#define READS 2048u /* read barriers on their way */
#define UNDER                                                                                      \
    (1ull << 63) /* Register.value: under a barrier; else the cycle from which it can be used */

typedef struct Warp {
    uint64_t value[WW_NUM_REGS];  /* by register: a cycle, or UNDER | wait << 3 | barrier */
    uint8_t writes[WW_NUM_REGS];  /* results on their way */
    uint8_t barrier[WW_NUM_REGS]; /* barrier + 1 that the one under a barrier will free */
    uint32_t n_writes;
    uint32_t waits[BARRIERS]; /* how often somebody has waited for it */
    uint32_t users[BARRIERS]; /* that have not freed it */
    uint8_t slow;             /* barriers with a load from global or local memory, a mask */
    uint8_t next;             /* barrier whose turn it is */
    WwCycle stall;            /* listing: first cycle of the next issue */
} Warp;

typedef struct Read {
    WwCycle due;
    uint8_t warp, barrier;
} Read;

typedef struct Control {
    WwComponent base;
    /* parameters */
    uint32_t max_stall, read_cycles;
    /* ports */
    WwProvided hazards;
    /* state */
    WwHazardView view;
    Warp *warp;
    WwEvent event;
    uint64_t slot[SLOTS]; /* warps whose stall ends in a cycle */
    Read read[READS];     /* in order of time */
    uint32_t first_read, n_reads;
    WwWake check[WW_MAX_WARPS];
    uint32_t n_retire;
    /* statistics */
    uint64_t stalls, barriers, shared;
} Control;

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void changed(Control *c, uint64_t warps)
{
    c->view.changed |= warps;
    for (; warps != 0; warps &= warps - 1) {
        ww_wake(&c->check[__builtin_ctzll(warps)]);
    }
}

static void plan(Control *c, WwCycle due)
{
    if (!ww_event_pending(&c->event) || c->event.cycle > due) {
        ww_event_at(c->base.machine, c->base.domain, &c->event, due);
    }
}

static void release_barrier(Control *c, uint32_t warp, uint32_t k)
{
    Warp *w = &c->warp[warp];
    if (w->users[k] != 0 && --w->users[k] == 0) {
        w->slow &= (uint8_t) ~(1u << k);
        changed(c, 1ull << warp);
    }
}

/* Before the clocked work of the cycle. */
static void fire(void *self, WwEvent *event)
{
    Control *c = self;
    WwCycle now = ww_now(c);
    uint64_t warps = c->slot[now % SLOTS];
    c->slot[now % SLOTS] = 0;
    changed(c, warps);
    while (c->n_reads != 0 && c->read[c->first_read].due <= now) {
        const Read *r = &c->read[c->first_read];
        release_barrier(c, r->warp, r->barrier);
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

static void wake_later(Control *c, uint32_t warp, WwCycle due)
{
    c->slot[due % SLOTS] |= 1ull << warp;
    plan(c, due);
}

/* ---- checking --------------------------------------------------------------------------------------------------- */

/* The barrier that register @p reg is under and that is taken, or NO_BARRIER. */
static uint32_t barrier_of(const Warp *w, uint32_t reg)
{
    uint64_t v = w->value[reg];
    uint32_t k = (uint32_t)(v & 7u);
    return (v & UNDER) && w->users[k] != 0 && (uint32_t)((v & ~UNDER) >> 3) == w->waits[k]
               ? k
               : NO_BARRIER;
}

static bool must_wait(const Control *c, const Warp *w, uint32_t reg)
{
    if (reg == 0 || reg == WW_ZERO_REG) {
        return false;
    }
    return w->value[reg] & UNDER ? barrier_of(w, reg) != NO_BARRIER : w->value[reg] > ww_now(c);
}

/* The control bits of @p s, or NULL when nobody knows them. */
static inline const WwControl *bits_of(const WwSinst *s)
{
    return s->code != NULL ? &s->code->control : NULL;
}

static bool listed_wait(const Control *c, const Warp *w, const WwControl *word)
{
    for (uint32_t m = word->wait; m != 0; m &= m - 1) {
        if (w->users[__builtin_ctz(m)] != 0) {
            return true;
        }
    }
    return w->stall > ww_now(c);
}

static bool control_collides(void *self, uint32_t warp, const WwSinst *s)
{
    const Control *c = self;
    const Warp *w = &c->warp[warp];
    const WwControl *word = bits_of(s);
    if (word != NULL) {
        return listed_wait(c, w, word);
    }
    bool wait = w->stall > ww_now(c) || must_wait(c, w, s->dst);
    for (uint32_t i = 0; i < s->nsrc; i++) {
        wait |= must_wait(c, w, s->src[i]);
    }
    return wait;
}

static bool slow_source(const Warp *w, const WwSinst *s)
{
    for (uint32_t i = 0; i < s->nsrc; i++) {
        uint32_t k = barrier_of(w, s->src[i]);
        if (k != NO_BARRIER && (w->slow >> k & 1u)) {
            return true;
        }
    }
    return false;
}

static bool control_waits_long(void *self, uint32_t warp, const WwSinst *s)
{
    const Control *c = self;
    const WwControl *word = bits_of(s);
    return word != NULL ? (word->wait & c->warp[warp].slow) != 0 : slow_source(&c->warp[warp], s);
}

static bool control_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    const Control *c = self;
    const Warp *w = &c->warp[warp];
    uint32_t k = barrier_of(w, s->dst);
    return control_waits_long(self, warp, s) || (k != NO_BARRIER && (w->slow >> k & 1u));
}

static const WwHazardView *control_view(void *self)
{
    return &((Control *)self)->view;
}

static void control_seen(void *self, uint64_t warps)
{
    ((Control *)self)->view.changed &= ~warps;
}

/* ---- issue ------------------------------------------------------------------------------------------------------ */

/* Whoever issues has waited for the barriers of its registers: nobody has to do that again. */
static void waited(Warp *w, const WwSinst *s)
{
    for (uint32_t i = 0; i <= s->nsrc; i++) {
        uint64_t v = w->value[i < s->nsrc ? s->src[i] : s->dst];
        uint32_t k = (uint32_t)(v & 7u);
        if ((v & UNDER) && (uint32_t)((v & ~UNDER) >> 3) == w->waits[k]) {
            w->waits[k]++;
        }
    }
}

/* The next free barrier in turn, else the next in turn. */
static uint32_t choose(Control *c, Warp *w)
{
    uint32_t k = w->next, i = 0;
    while (i < BARRIERS && w->users[(k + i) % BARRIERS] != 0) {
        i++;
    }
    c->shared += i == BARRIERS;
    k = (k + i) % BARRIERS;
    w->next = (uint8_t)((k + 1) % BARRIERS);
    return k;
}

/* The result of @p inst will free barrier @p k. */
static void take_barrier(Control *c, Warp *w, const WwInst *inst, uint32_t k)
{
    uint32_t reg = inst->s->dst;
    if (w->barrier[reg] !=
        0) { /* a listing that does not protect its writes: the earlier one frees nothing more */
        release_barrier(c, inst->warp, w->barrier[reg] - 1u);
    }
    w->barrier[reg] = (uint8_t)(k + 1);
    w->users[k]++;
    c->barriers++;
    if (ww_inst_is_load(inst) &&
        (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL)) {
        w->slow |= (uint8_t)(1u << k);
    }
}

static void follow(Control *c, Warp *w, const WwInst *inst, const WwControl *word)
{
    uint32_t stall = MAX(word->stall, word->yield ? 2u : 1u);
    w->stall = ww_now(c) + stall;
    if (stall > 1) {
        wake_later(c, inst->warp, w->stall);
        c->stalls++;
    }
    if (word->write != NO_BARRIER && inst->s->dst != 0) {
        take_barrier(c, w, inst, word->write);
    }
    if (word->read != NO_BARRIER && c->n_reads < READS) {
        c->read[(c->first_read + c->n_reads++) % READS] =
            (Read){ww_now(c) + c->read_cycles, (uint8_t)inst->warp, word->read};
        w->users[word->read]++;
        plan(c, c->read[c->first_read].due);
    }
}

static void assign(Control *c, Warp *w, const WwInst *inst)
{
    const WwSinst *s = inst->s;
    waited(w, s);
    if (s->dst == 0 || s->dst == WW_ZERO_REG) {
        return;
    }
    if (ww_inst_is_load(inst) || inst->latency > c->max_stall) {
        uint32_t k = choose(c, w);
        take_barrier(c, w, inst, k);
        w->value[s->dst] = UNDER | (uint64_t)w->waits[k] << 3 | k;
    } else {
        w->value[s->dst] = ww_now(c) + inst->latency;
        wake_later(c, inst->warp, w->value[s->dst]);
        c->stalls++;
    }
}

static void control_reserve(void *self, const WwInst *inst)
{
    Control *c = self;
    Warp *w = &c->warp[inst->warp % WW_MAX_WARPS];
    const WwControl *word = bits_of(inst->s);
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

/* ---- release ---------------------------------------------------------------------------------------------------- */

static void written(Control *c, uint32_t warp, uint32_t reg, bool slow)
{
    Warp *w = &c->warp[warp];
    if (w->writes[reg] == 0) {
        return;
    }
    w->writes[reg]--;
    if (slow && w->barrier[reg] != 0) {
        uint32_t k = w->barrier[reg] - 1u;
        w->barrier[reg] = 0;
        release_barrier(c, warp, k);
    }
    if (--w->n_writes == 0) {
        c->view.pending &= ~(1ull << warp);
        changed(c, 1ull << warp); /* a memory barrier may end */
        for (uint32_t i = 0; i < c->n_retire; i++) {
            ww_wake(&ww_provided_client(&c->hazards, WW_HAZARD_RETIRE, i)->wake);
        }
    }
}

static void control_release(void *self, uint32_t warp, uint32_t reg)
{
    written(self, warp, reg, true);
}

/* Of two results on their way to one register, the one under the barrier is the load's, or the slow unit's. */
static void control_release_all(void *self, const WwInst *inst)
{
    Control *c = self;
    bool slow = inst->s->code != NULL || ww_inst_is_load(inst) || inst->latency > c->max_stall;
    if (inst->s->dst != 0) {
        written(c, inst->warp, inst->s->dst, slow);
    }
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static bool control_init(void *self, GError **error)
{
    Control *c = self;
    c->warp = ww_alloc(c, WW_MAX_WARPS * sizeof *c->warp);
    return true;
}

static void control_reset(void *self)
{
    Control *c = self;
    uint32_t n = ww_provided_count(&c->hazards, WW_HAZARD_CHECK);
    c->view = (WwHazardView){0};
    memset(c->warp, 0, WW_MAX_WARPS * sizeof *c->warp);
    memset(c->slot, 0, sizeof c->slot);
    c->first_read = c->n_reads = 0;
    ww_event_cancel(c->base.machine, c->base.domain, &c->event);
    c->event = (WwEvent){.fire = fire, .self = c};
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        const WwClient *client =
            n != 0 ? ww_provided_client(&c->hazards, WW_HAZARD_CHECK, i % n) : NULL;
        c->check[i] = client != NULL ? client->wake : ww_wake_none();
    }
    c->n_retire = ww_provided_count(&c->hazards, WW_HAZARD_RETIRE);
}

static void control_explain(void *self, WwExplain *explain)
{
    Control *c = self;
    for (uint64_t m = c->view.pending; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        ww_explain_unit(explain, warp, warp);
        for (uint32_t reg = 1; reg < WW_NUM_REGS; reg++) {
            if (c->warp[warp].barrier[reg] != 0) {
                ww_explain_waits_for(explain, ww_thing_write(warp, reg),
                                     "warp %u: R%u will free barrier %u", warp, reg - 1,
                                     c->warp[warp].barrier[reg] - 1u);
            }
        }
    }
}

static const WwScoreboardIf control_table = {
    .view = control_view,
    .seen = control_seen,
    .collides = control_collides,
    .waits_long = control_waits_long,
    .reserve = control_reserve,
    .release = control_release,
    .release_all = control_release_all,
    .collides_long = control_collides_long,
};

static const WwParamRow control_params[] = {
    WW_UINT(Control, max_stall, "cycles", "15", 1, 500,
            "latency up to which a result is waited for by stalling, not by a barrier"),
    WW_UINT(Control, read_cycles, "cycles", "6", 1, 1000,
            "until the operands of an instruction are read"),
    {0},
};
static const WwGoneRow control_gone[] = {
    {"listing", "beside the trace, or what --sass names, as a disassembler prints it"},
    {0},
};
static const WwPortRow control_ports[] = {
    WW_PORT_PROVIDES(Control, hazards, &ww_contract_scoreboard, &control_table,
                     "in place of a scoreboard: check and reserve at issue, release at write-back"),
    {0},
};
static const WwStatRow control_stats[] = {
    WW_COUNTER(Control, stalls, "instructions", "results that were waited for by stalling"),
    WW_COUNTER(Control, barriers, "instructions", "results that took a barrier"),
    WW_COUNTER(Control, shared, "instructions",
               "of these, because none was free, one that was taken"),
    {0},
};

static const WwType control_type = {
    .abi = WW_ABI_VERSION,
    .name = "control_bits",
    .doc = "Stall counts and six dependence barriers, as compilers write them into SASS, in place "
           "of a scoreboard.",
    .family = "hazards",
    .size = sizeof(Control),
    .params = control_params,
    .gone = control_gone,
    .ports = control_ports,
    .stats = control_stats,
    .init = control_init,
    .reset = control_reset,
    .explain = control_explain,
};

static const WwType *const types[] = {&control_type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "control_bits",
    .version = "1",
    .doc = "dependence barriers instead of a scoreboard",
    .types = types,
};
