/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `issue_stage`: the issue stage of a sub-core: one instruction a cycle, of the first warp, in the order of its policy, that may issue.
 *
 *     ibuffer, dependence, barriers, units, results, constants ──> [issue_stage] ──out──> control_stage
 *                                                  policy (scheduler.cggty) ──┘  └──> ports of the others: stalls
 *
 * A warp may issue when its i-buffer begins with a decoded instruction, nothing blocks that one (dependence), it waits at no barrier, the input of
 * the instruction's unit is free, its result finds a slot in the result queue (both of fixed latency), and its constant operand is in the cache.
 * The constant is looked up in every cycle, for each warp that is tried, ready or not: so warps behind send for theirs, too. When nothing but
 * the constant is lacking, and the warp is the one that issued last, no other is tried for some cycles.
 *
 * Sleeps while nothing can change: until a stall is over, a unit is free, or somebody who changes something wakes it. A constant that is waited for
 * keeps it awake, for each look-up counts.
 */
#include "issue_stage-priv.h"
#include "types.h"

#include <ports/events.h>

/* ---- one instruction ----------------------------------------------------------------------- */

/* The unit that takes @p t now, or -1: none is free. */
static int unit_for(const IssueStage *s, const WwTiming *t, WwCycle *free_at)
{
    uint32_t first = t->unit;
    if (t->flags & WW_TAKES_EITHER && WW_BOUND(&s->unit[WW_UNIT_INT])) {
        const WwPort *other = &s->unit[WW_UNIT_INT];
        if (WW_FIXED_UNIT(other)->free(other->peer)) {
            return WW_UNIT_INT;
        }
        *free_at = MIN(*free_at, WW_FIXED_UNIT(other)->free_at(other->peer));
    }
    const WwPort *unit = &s->unit[first];
    if (!WW_BOUND(unit) || WW_FIXED_UNIT(unit)->free(unit->peer)) {
        return (int)first;
    }
    *free_at = MIN(*free_at, WW_FIXED_UNIT(unit)->free_at(unit->peer));
    return -1;
}

/* Warp @p warp waits for @p cause. */
static void note(IssueStage *s, WwStall cause)
{
    if (issue_stage_rank[cause] > issue_stage_rank[s->cause]) {
        s->cause = cause;
    }
}

static WwStall stall_of(IssueStage *s, const WwInst *inst, uint32_t blocked)
{
    switch (blocked & -blocked) {
    case WW_DEP_STALL:
        return WW_STALL_COUNT;
    case WW_DEP_YIELD:
        return WW_STALL_YIELD;
    case WW_DEP_COPIES:
        return WW_STALL_ASYNC;
    default:
        break;
    }
    const WwDependenceIf *f = WW_DEPENDENCE(&s->dependence);
    if (f->waits_long != NULL && f->waits_long(s->dependence.peer, inst)) {
        return WW_STALL_LONG;
    }
    return blocked & WW_DEP_COUNTER ? WW_STALL_MIO : WW_STALL_SHORT;
}

static WwStall unit_stall(uint32_t unit)
{
    static const uint8_t which[WW_N_UNITS] = {
        [WW_UNIT_INT] = 2,    [WW_UNIT_SP] = 0,     [WW_UNIT_UNIFORM] = 6, [WW_UNIT_TENSOR] = 5,
        [WW_UNIT_BRANCH] = 6, [WW_UNIT_MISC] = 6,   [WW_UNIT_MEM] = 4,     [WW_UNIT_DP] = 1,
        [WW_UNIT_SFU] = 3,    [WW_UNIT_QUEUED] = 6,
    };
    return (WwStall)(WW_STALL_UNIT + which[unit]);
}

WwStall issue_stage_held(const IssueStage *s)
{
    int slot = ww_regs_oldest(&s->out);
    uint32_t unit = slot >= 0 ? ww_regs_at(&s->out, slot)->unit : WW_UNIT_INT;
    return unit < WW_N_FIXED_UNITS ? WW_STALL_DISPATCH : unit_stall(unit);
}

/* Everything but the constant, without effects. */
WwStall issue_stage_waits(IssueStage *s, const WwInst *inst, int *unit, WwCycle *until)
{
    const WwTiming *t = inst->timing;
    uint64_t bit = 1ull << inst->warp;
    WwCycle free_at = WW_NEVER;
    *unit = t->unit;
    if (s->view.waiting & bit) {
        return s->view.barriers->held & bit ? WW_STALL_BARRIER : WW_STALL_MEMBAR;
    }
    uint32_t blocked = WW_DEPENDENCE(&s->dependence)->blocks(s->dependence.peer, inst);
    if (blocked != 0) {
        if (blocked & (WW_DEP_STALL | WW_DEP_YIELD)) {
            *until = WW_DEPENDENCE(&s->dependence)->until(s->dependence.peer, inst->warp);
        }
        return stall_of(s, inst, blocked);
    }
    if (t->flags & WW_TAKES_FIXED) {
        *unit = unit_for(s, t, &free_at);
        if (*unit < 0) {
            *until = MAX(free_at, ww_now(s) + 1);
            return unit_stall(t->unit);
        }
    }
    const WwPort *slots = issue_stage_slots(s, t);
    bool room = slots == NULL || WW_RESULT_SLOTS(slots)->free(slots->peer);
    return room ? WW_STATE_NOT_SELECTED : WW_STALL_RESULT;
}

/* May @p inst issue, but for its constant, and to which unit? Notes why not, and until when. */
static bool may_issue(IssueStage *s, const WwInst *inst, int *unit)
{
    WwCycle until = WW_NEVER;
    WwStall why = issue_stage_waits(s, inst, unit, &until);
    s->next = MIN(s->next, until);
    if (why != WW_STATE_NOT_SELECTED) {
        note(s, why);
        return false;
    }
    return true;
}

static bool constant_ready(IssueStage *s, const WwInst *inst)
{
    if (!(s->buffers->constant >> inst->warp & 1u) || inst->mask == 0 || !WW_BOUND(&s->constants)) {
        return true;
    }
    s->next = ww_now(s) + 1; /* it is looked up in every cycle */
    return WW_CONSTANTS(&s->constants)->ready(s->constants.peer, inst);
}

/* ---- what issuing does --------------------------------------------------------------------- */

static void exit_lanes(IssueStage *s, const WwInst *inst)
{
    uint32_t warp = inst->warp;
    const WwWarp *w = &s->view.warps->warp[warp];
    WW_WARPS(&s->warps)->exit_lanes(s->warps.peer, warp, inst->mask);
    if (w->lanes == 0) {
        WW_IBUFFERS(&s->ibuffer)->flush(s->ibuffer.peer, warp);
        WW_BARRIERS(&s->barriers)->exit(s->barriers.peer, warp);
    }
}

/* All warps of the CTA have come, the last one with a memory barrier: nobody issues for a while. */
static void stall_all(IssueStage *s, uint32_t scope)
{
    WwCycle now = ww_now(s);
    for (uint32_t i = 0; i < s->n_peer; i++) {
        const WwPort *p = &s->peer[i];
        WW_ISSUE_PORT(p)->stall(p->peer, i > s->number ? now : now + 1, s->membar_stall.v[scope]);
    }
}

static void reach_barrier(IssueStage *s, const WwInst *inst)
{
    const WwTiming *t = inst->timing;
    const WwBarriersIf *f = WW_BARRIERS(&s->barriers);
    bool membar = (t->flags & WW_TAKES_MEMBAR) != 0;
    if (membar) {
        f->set_membar(s->barriers.peer, inst->warp);
    }
    f->arrive(s->barriers.peer, inst->warp);
    if (membar && !(s->view.barriers->held >> inst->warp & 1u)) {
        stall_all(s, t->membar);
    }
}

static const WwEventRow issue_events[] = {
    {"issue",
     "warp",
     "an instruction issues",
     {&ww_field_inst, &ww_field_mask, &ww_field_registers, &ww_field_line}},
    {0},
};

static void issue(IssueStage *s, uint32_t warp, int unit, int slot)
{
    WwInst *inst = WW_IBUFFERS(&s->ibuffer)->pop(s->ibuffer.peer, warp, s->number);
    if (s->book != NULL) {
        WW_PCS(&s->pcs)->issued(s->pcs.peer, s->number, inst, true);
    }
    const WwTiming *t = inst->timing;
    WwCycle now = ww_now(s);
    inst->unit = (uint8_t)unit;
    inst->sched = (uint8_t)s->number;
    inst->latency = t->latency;
    inst->interval = t->interval;
    WW_LOG(s, &issue_events[0], warp, WW_PART(inst), inst->mask, WW_PART(inst->s), inst->s->line);
    if (t->flags & WW_TAKES_IMAD) {
        s->busy = now + 1 + s->imad_bubble;
        s->closed = WW_STALL_PORT;
    }
    WW_DEPENDENCE(&s->dependence)->issued(s->dependence.peer, inst);
    const WwPort *slots = issue_stage_slots(s, t);
    if (slots != NULL) {
        WW_RESULT_SLOTS(slots)->reserve(slots->peer);
    }
    if ((t->flags & WW_TAKES_FIXED) && WW_BOUND(&s->unit[unit])) {
        WW_FIXED_UNIT(&s->unit[unit])->reserve(s->unit[unit].peer, t->interval);
    }
    if (inst->s->op == WW_OP_EXIT) {
        exit_lanes(s, inst);
    } else if (t->flags & (WW_TAKES_BARRIER | WW_TAKES_MEMBAR)) {
        reach_barrier(s, inst);
    }
    s->greedy = warp;
    s->patient = s->patience;
    s->single_issue++;
    s->warp_issue[warp]++;
    WW_POLICY(&s->policy)->issued(s->policy.peer, &s->view, warp, 1);
    ww_regs_put_in(s->out.peer, slot, inst);
}

/* ---- a cycle ------------------------------------------------------------------------------- */

/* A memory barrier is over when its warp is looked at with all its counters at 0. */
static bool is_over(const IssueStage *s, uint32_t warp)
{
    return !(s->view.barriers->held >> warp & 1u) &&
           WW_DEPENDENCE(&s->dependence)->settled(s->dependence.peer, warp);
}

static void look_at_membar(IssueStage *s, uint32_t warp)
{
    if (is_over(s, warp)) {
        WW_BARRIERS(&s->barriers)->complete_membar(s->barriers.peer, warp);
    }
}

/*
 * The released simulator looks at warps where it puts them in order, in the issue stage when that may issue, and in the fetch stage in every
 * cycle; there the first warp of the sub-core is only compared with others that do not wait.
 */
static void look_at_membars(IssueStage *s)
{
    uint64_t first = s->view.mine & -s->view.mine;
    for (uint64_t m = s->view.mine & s->view.barriers->membar & ~first; m != 0; m &= m - 1) {
        look_at_membar(s, (uint32_t)__builtin_ctzll(m));
    }
    uint64_t others = s->view.mine & s->view.warps->live & ~first;
    if ((s->view.barriers->membar & first) != 0 &&
        (others & ~(s->view.barriers->held | s->view.barriers->membar)) != 0) {
        look_at_membar(s, (uint32_t)__builtin_ctzll(first));
    }
}

/* Also those that are not there, and those of others: a policy's guest never comes to a sub-core. */
static void note_waiting(IssueStage *s)
{
    s->view.waiting =
        ~(s->view.mine & s->view.warps->live) | s->view.barriers->held | s->view.barriers->membar;
}

/* Tries the warps in the order of the policy. Did one issue? */
static bool try_warps(IssueStage *s, int slot)
{
    uint8_t order[WW_MAX_WARPS];
    uint32_t n = WW_POLICY(&s->policy)->order(s->policy.peer, &s->view, order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t warp = order[i];
        if (!(s->view.candidates >> warp & 1u)) {
            continue;
        }
        const WwInst *inst = WW_IBUFFERS(&s->ibuffer)->head(s->ibuffer.peer, warp);
        int unit;
        if (G_UNLIKELY(s->view.barriers->membar >> warp & 1u)) {
            look_at_membar(s, warp);
            note_waiting(s);
        }
        bool may = may_issue(s, inst, &unit), constant = constant_ready(s, inst), stay = false;
        if (warp == s->greedy) {
            s->patient = constant ? s->patience : s->patient - (s->patient != 0);
            stay = s->patient != 0;
        }
        if (may && constant) {
            issue(s, warp, unit, slot);
            return true;
        }
        if (may) {
            note(s, WW_STALL_CONSTANT);
            s->lacking |= 1ull << warp;
            if (stay) {
                s->bubbles++;
                return false;
            }
        }
    }
    return false;
}

static WwRest wait_for(IssueStage *s, WwCycle next)
{
    WwCycle now = ww_now(s);
    return next == WW_NEVER ? WW_SLEEP : MAX(next, now + 1) - now;
}

/* Nothing can issue, whatever the warps have, for @p cause. @p told: a constant. */
static inline WwRest closed(IssueStage *s, WwStall cause, WwRest rest, bool told)
{
    s->cause = cause;
    s->lost[cause]++;
    if (told) {
        issue_stage_tell_closed(s);
    }
    return rest;
}

static inline __attribute__((always_inline)) WwRest turn(IssueStage *s, bool told)
{
    WwCycle now = ww_now(s);
    uint64_t live = s->view.mine & s->view.warps->live;
    s->next = WW_NEVER;
    s->view.candidates = live & s->buffers->valid;
    note_waiting(s);
    if (live == 0) {
        return closed(s, WW_STALL_NO_WARP, WW_SLEEP, told);
    }
    if (now < s->busy) {
        return closed(s, s->closed, s->busy - now, told);
    }
    int slot = ww_regs_free(&s->out, s->number);
    if (slot < 0) {
        return closed(s, issue_stage_held(s), WW_SLEEP, told);
    }
    look_at_membars(s);
    note_waiting(s);
    s->cause = live & ~(s->view.waiting | s->buffers->valid) ? WW_STALL_FETCH : WW_STALL_NO_WARP;
    s->lacking = 0;
    if (told) {
        issue_stage_look(s);
    }
    if (try_warps(s, slot)) {
        if (told) {
            issue_stage_tell(s, 1ull << s->greedy);
        }
        return WW_AGAIN;
    }
    if (s->cause == WW_STALL_NO_WARP || s->cause == WW_STALL_FETCH) {
        note(s, issue_stage_idle(s)); /* no warp was tried */
    }
    s->lost[s->cause]++;
    if (told) {
        issue_stage_tell(s, 0);
    }
    const WwPolicyIf *policy = WW_POLICY(&s->policy);
    bool restless = policy->restless != NULL && policy->restless(s->policy.peer, &s->view);
    return restless ? WW_AGAIN : wait_for(s, s->next);
}

/* Warps are looked at in the fetch stage, too, which comes next. */
static inline WwRest after(IssueStage *s, WwRest rest)
{
    uint64_t before = s->view.barriers->membar & s->view.mine, first = s->view.mine & -s->view.mine;
    if (G_LIKELY(before == 0)) {
        return rest;
    }
    look_at_membars(s);
    uint64_t now = s->view.barriers->membar & s->view.mine;
    bool unseen = (now & first) != 0 && is_over(s, (uint32_t)__builtin_ctzll(first));
    return unseen || now != before ? WW_AGAIN : rest;
}

static WwRest issue_tick(void *self)
{
    IssueStage *s = self;
    return after(s, turn(s, false));
}

static WwRest issue_tick_told(void *self)
{
    IssueStage *s = self;
    return after(s, turn(s, true));
}

static void issue_settle(void *self, uint32_t entry, uint64_t n)
{
    IssueStage *s = self;
    s->lost[s->cause] += n;
    if (s->book != NULL) {
        *s->book->scheduler[s->number].lost += n;
    }
}

static void issue_stall(void *self, WwCycle from, uint32_t cycles)
{
    IssueStage *s = self;
    s->busy = MAX(s->busy, from) + cycles;
    s->closed = WW_STALL_MEMBAR;
    ww_wake(&s->self);
}

static const WwIssuePortIf port_table = {.stall = issue_stall};

/* ---- life ---------------------------------------------------------------------------------- */

static bool issue_init(void *self, GError **error)
{
    IssueStage *s = self;
    if (s->membar_stall.n != WW_N_SCOPES) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "membar_stall has %u numbers; expected 3: CTA, GPU, system",
                       s->membar_stall.n);
    }
    if (s->warps.ordinal >= WW_MAX_SCHEDULERS) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "it is number %u of the issue stages of its warps; expected at most %u",
                       s->warps.ordinal + 1, WW_MAX_SCHEDULERS);
    }
    return true;
}

static void issue_reset(void *self)
{
    IssueStage *s = self;
    const WwWarpView *warps = WW_WARPS(&s->warps)->view(s->warps.peer);
    s->number = s->warps.ordinal;
    s->buffers = WW_IBUFFERS(&s->ibuffer)->view(s->ibuffer.peer);
    s->view = (WwPolicyView){
        .warps = warps,
        .barriers = WW_BARRIERS(&s->barriers)->view(s->barriers.peer),
        .hazards = NULL,
        .scheduler = s->number,
        .n_schedulers = MAX(warps->schedulers, 1u),
    };
    for (uint32_t w = s->number; w < warps->slots; w += s->view.n_schedulers) {
        s->view.mine |= 1ull << w;
        s->greedy = w;
    }
    s->self = ww_wake_of(s, 0);
    s->busy = 0;
    s->patient = 0;
    s->closed = WW_STALL_PORT;
    s->cause = WW_STALL_NO_WARP;
    s->lacking = 0;
    s->book = WW_BOUND(&s->pcs) ? WW_PCS(&s->pcs)->book(s->pcs.peer) : NULL;
    s->next = WW_NEVER;
}

/* Whose they are: private registers on their way are by that number. */
static uint64_t issue_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carries_scheduler(((const IssueStage *)self)->warps.ordinal);
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow issue_params[] = {
    WW_UINT(IssueStage, patience, "cycles", "4", 0, 1000,
            "cycles without trying another warp while the one that issued last lacks only its "
            "constant"),
    WW_UINT(IssueStage, imad_bubble, "cycles", "1", 0, 16,
            "cycles without issue after an IMAD (paper: IMAD.WIDE)"),
    WW_LIST(IssueStage, membar_stall, "cycles", "[53, 186, 2900]", 0, 1000000,
            "cycles without issue in the whole SM once the warps of a CTA have reached a memory "
            "barrier of scope CTA, GPU, system"),
    {0},
};

#define UNIT_PORT(name_, unit_)                                                                    \
    {                                                                                              \
        .name = name_, .role = WW_REQUIRES, .contract = &ww_contract_unit, .max = 1,               \
        .rank = WW_RANK_ISSUE, .doc = "input of the " name_ " unit",                               \
        .offset = WW_FIELD(IssueStage, unit[unit_], WwPort)                                        \
    }

static const WwPortRow issue_ports[] = {
    WW_PORT_OUT(IssueStage, out, &ww_contract_inst, 1, "issued instructions"),
    WW_PORT_REQUIRES(IssueStage, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "the hardware warps"),
    WW_PORT_REQUIRES(IssueStage, ibuffer, &ww_contract_ibuffer, 1, WW_RANK_ISSUE,
                     "decoded instructions"),
    WW_PORT_REQUIRES(IssueStage, dependence, &ww_contract_dependence, 1, WW_RANK_CHECK,
                     "what keeps instructions from issuing"),
    WW_PORT_REQUIRES(IssueStage, barriers, &ww_contract_barriers, 1, WW_RANK_ISSUE,
                     "CTA barriers, memory barriers"),
    WW_PORT_REQUIRES(IssueStage, policy, &ww_contract_scheduler, 1, NULL, "order of warps"),
    WW_PORT_REQUIRES(IssueStage, constants, &ww_contract_constants, 0, WW_RANK_ISSUE,
                     "the constant-operand cache; unbound: every access hits"),
    UNIT_PORT("int", WW_UNIT_INT),
    UNIT_PORT("sp", WW_UNIT_SP),
    UNIT_PORT("uniform", WW_UNIT_UNIFORM),
    UNIT_PORT("tensor", WW_UNIT_TENSOR),
    UNIT_PORT("branch", WW_UNIT_BRANCH),
    UNIT_PORT("misc", WW_UNIT_MISC),
    WW_PORT_REQUIRES(IssueStage, results, &ww_contract_result_slots, 0, WW_RANK_ISSUE,
                     "room for results"),
    WW_PORT_REQUIRES(IssueStage, uniform_results, &ww_contract_result_slots, 0, WW_RANK_ISSUE,
                     "the same for the uniform datapath"),
    WW_PORT_ARRAY(IssueStage, peer, WW_REQUIRES, &ww_contract_issue_port, 0, NULL,
                  "the issue stages of the SM, including this one, in order"),
    WW_PORT_PROVIDES(IssueStage, port, &ww_contract_issue_port, &port_table,
                     "stalls of this stage"),
    WW_PORT_PCS(IssueStage, "told of issues, of what warps wait for, of lost slots"),
    {0},
};

static const WwStatRow issue_stats[] = {
    WW_COUNTER(IssueStage, single_issue, "cycles", "cycles in which an instruction issued"),
    WW_COUNTER(IssueStage, bubbles, "cycles",
               "cycles in which only the constant of the warp that issued last was missing and no "
               "other warp was tried"),
    {.name = "cause",
     .kind = WW_STAT_VECTOR,
     .unit = "cycles",
     .doc = "why nothing issued: one cause per cycle, that of the warp closest to issuing",
     .labels = issue_stage_causes,
     .n = WW_N_STALLS,
     .offset = offsetof(IssueStage, lost[0])},
    WW_VECTOR(IssueStage, warp_issue, "instructions", NULL,
              "instructions issued, by hardware warp"),
    {0},
};

static const WwEntryRow issue_entries[] = {
    {.name = "issue",
     .phase = "core",
     .tick = issue_tick,
     .doc = "issues one instruction",
     .bound = "pcs",
     .tick_bound = issue_tick_told},
    {0},
};

const WwType issue_stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "issue_stage",
    .doc =
        "Issue stage of a sub-core: one instruction per cycle, from the first warp that can issue.",
    .family = "issue_stage",
    .size = sizeof(IssueStage),
    .events = issue_events,
    .params = issue_params,
    .ports = issue_ports,
    .stats = issue_stats,
    .entries = issue_entries,
    .init = issue_init,
    .reset = issue_reset,
    .settle = issue_settle,
    .explain = issue_stage_explain,
    .carries = issue_carries,
};
