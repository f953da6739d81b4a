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
#include "types.h"

#include <ports/events.h>
#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/warps.h>

#define MAX_PEERS 16u

/* What a cycle came to; later ones are nearer to issuing. */
typedef enum Cause {
    CAUSE_NO_WARP,
    CAUSE_FETCH,
    CAUSE_BARRIER,
    CAUSE_MEMBAR,
    CAUSE_COPIES,
    CAUSE_COUNTER,
    CAUSE_REGISTER,
    CAUSE_STALL,
    CAUSE_YIELD,
    CAUSE_RESULT,
    CAUSE_CONSTANT,
    CAUSE_UNIT,
    CAUSE_LATCH,
    CAUSE_PORT,
    N_CAUSES
} Cause;

static const char *const causes[N_CAUSES] = {
    [CAUSE_NO_WARP] = "no_warp",   [CAUSE_FETCH] = "fetch",       [CAUSE_BARRIER] = "barrier",
    [CAUSE_MEMBAR] = "membar",     [CAUSE_COPIES] = "async_copy", [CAUSE_COUNTER] = "counter",
    [CAUSE_REGISTER] = "register", [CAUSE_STALL] = "stall_count", [CAUSE_YIELD] = "yield",
    [CAUSE_RESULT] = "result",     [CAUSE_CONSTANT] = "constant", [CAUSE_UNIT] = "unit",
    [CAUSE_LATCH] = "next_stage",  [CAUSE_PORT] = "issue_port",
};

typedef struct IssueStage {
    WwComponent base;
    /* parameters */
    uint32_t patience, imad_bubble;
    WwList membar_stall;
    /* ports */
    WwPort out, policy, warps, ibuffer, dependence, barriers, constants;
    WwPort unit[WW_N_FIXED_UNITS];
    WwPort results, uniform_results;
    WwPort peer[MAX_PEERS];
    uint32_t n_peer;
    WwProvided port;
    /* state */
    WwPolicyView view;
    const WwIbufferView *buffers;
    WwWake self;      /* of its own turn */
    uint32_t number;  /* of this stage: warps w mod the number of stages are its own */
    WwCycle busy;     /* first cycle in which the port is free */
    uint32_t patient; /* cycles that the greedy warp may still wait for a constant */
    uint32_t greedy;  /* warp that issued last */
    Cause cause;
    WwCycle next; /* cycle in which the last turn's waits may be over */
    /* statistics */
    uint64_t issued, bubbles;
    uint64_t lost[N_CAUSES];
    uint64_t warp_issue[WW_MAX_WARPS];
} IssueStage;

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

static const WwPort *slots_for(const IssueStage *s, const WwTiming *t)
{
    const WwPort *port = t->unit == WW_UNIT_UNIFORM ? &s->uniform_results : &s->results;
    return (t->flags & WW_TAKES_FIXED) != 0 && t->dst_file != WW_FILE_NONE && WW_BOUND(port) ? port
                                                                                             : NULL;
}

static void note(IssueStage *s, Cause cause)
{
    s->cause = MAX(s->cause, cause);
}

/* Everything but the constant: may @p inst issue, and to which unit? Notes why not, and until when. */
static bool may_issue(IssueStage *s, const WwInst *inst, int *unit)
{
    const WwTiming *t = inst->timing;
    uint64_t bit = 1ull << inst->warp;
    uint32_t blocked = WW_DEPENDENCE(&s->dependence)->blocks(s->dependence.peer, inst);
    WwCycle free_at = WW_NEVER;
    *unit = t->unit;
    if (blocked != 0) {
        static const Cause why[] = {CAUSE_STALL, CAUSE_YIELD, CAUSE_COUNTER, CAUSE_COPIES,
                                    CAUSE_REGISTER};
        note(s, why[__builtin_ctz(blocked)]);
        if (blocked & (WW_DEP_STALL | WW_DEP_YIELD)) {
            WwCycle until = WW_DEPENDENCE(&s->dependence)->until(s->dependence.peer, inst->warp);
            s->next = MIN(s->next, until);
        }
        return false;
    }
    if (s->view.waiting & bit) {
        note(s, s->view.barriers->held & bit ? CAUSE_BARRIER : CAUSE_MEMBAR);
        return false;
    }
    if (t->flags & WW_TAKES_FIXED) {
        *unit = unit_for(s, t, &free_at);
        if (*unit < 0) {
            note(s, CAUSE_UNIT);
            s->next = MIN(s->next, MAX(free_at, ww_now(s) + 1));
            return false;
        }
    }
    const WwPort *slots = slots_for(s, t);
    if (slots != NULL && !WW_RESULT_SLOTS(slots)->free(slots->peer)) {
        note(s, CAUSE_RESULT);
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
    {"issue", "warp", "an instruction issues", {&ww_field_inst, &ww_field_mask}},
    {0},
};

static void issue(IssueStage *s, uint32_t warp, int unit, int slot)
{
    WwInst *inst = WW_IBUFFERS(&s->ibuffer)->pop(s->ibuffer.peer, warp, s->number);
    const WwTiming *t = inst->timing;
    WwCycle now = ww_now(s);
    inst->unit = (uint8_t)unit;
    inst->sched = (uint8_t)s->number;
    inst->latency = t->latency;
    inst->interval = t->interval;
    WW_LOG(s, &issue_events[0], warp, WW_PART(inst), inst->mask);
    if (t->flags & WW_TAKES_IMAD) {
        s->busy = now + 1 + s->imad_bubble;
    }
    WW_DEPENDENCE(&s->dependence)->issued(s->dependence.peer, inst);
    const WwPort *slots = slots_for(s, t);
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
    s->issued++;
    s->warp_issue[warp]++;
    WW_POLICY(&s->policy)->issued(s->policy.peer, &s->view, warp, 1);
    ww_regs_put(&s->out, slot, inst);
}

/* ---- a cycle ------------------------------------------------------------------------------- */

/* A memory barrier is over when its warp is looked at with all its counters at 0. */
static void look_at_membars(IssueStage *s)
{
    for (uint64_t m = s->view.mine & s->view.barriers->membar; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        if (!(s->view.barriers->held >> warp & 1u) &&
            WW_DEPENDENCE(&s->dependence)->settled(s->dependence.peer, warp)) {
            WW_BARRIERS(&s->barriers)->complete_membar(s->barriers.peer, warp);
        }
    }
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
            note(s, CAUSE_CONSTANT);
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

static WwRest issue_tick(void *self)
{
    IssueStage *s = self;
    WwCycle now = ww_now(s);
    const WwWarpView *warps = s->view.warps;
    uint64_t live = s->view.mine & warps->live;
    s->cause = live != 0 ? CAUSE_FETCH : CAUSE_NO_WARP;
    s->next = WW_NEVER;
    if (live == 0) {
        s->lost[s->cause]++;
        return WW_SLEEP;
    }
    if (now < s->busy) {
        s->cause = CAUSE_PORT;
        s->lost[s->cause]++;
        return s->busy - now;
    }
    int slot = ww_regs_free(&s->out, s->number);
    if (slot < 0) {
        s->cause = CAUSE_LATCH;
        s->lost[s->cause]++;
        return WW_SLEEP;
    }
    look_at_membars(s);
    s->view.candidates = live & s->buffers->valid;
    s->view.waiting = live & (s->view.barriers->held | s->view.barriers->membar);
    if (try_warps(s, slot)) {
        return WW_AGAIN;
    }
    s->lost[s->cause]++;
    return wait_for(s, s->next);
}

static void issue_settle(void *self, uint32_t entry, uint64_t n)
{
    IssueStage *s = self;
    s->lost[s->cause] += n;
}

static void issue_stall(void *self, WwCycle from, uint32_t cycles)
{
    IssueStage *s = self;
    s->busy = MAX(s->busy, from) + cycles;
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
    s->cause = CAUSE_NO_WARP;
    s->next = WW_NEVER;
}

static void issue_explain(void *self, WwExplain *explain)
{
    IssueStage *s = self;
    for (uint64_t m = s->view.mine & s->view.warps->live & s->buffers->valid; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        const WwInst *inst = WW_IBUFFERS(&s->ibuffer)->head(s->ibuffer.peer, warp);
        uint64_t bit = 1ull << warp;
        ww_explain_unit(explain, warp, -1);
        uint32_t blocked = WW_DEPENDENCE(&s->dependence)->blocks(s->dependence.peer, inst);
        if (ww_regs_none_free(&s->out, s->number)) {
            ww_explain_waits(explain, s->out.peer, "%s of warp %u finds the next stage taken",
                             inst->s->opcode, warp);
        } else if ((s->view.barriers->held | s->view.barriers->membar) & bit) {
            ww_explain_waits(explain, s->barriers.peer, "warp %u waits at a barrier", warp);
        } else if (blocked != 0) {
            ww_explain_waits_for(explain, ww_thing_flight(warp),
                                 "%s of warp %u waits for a dependence", inst->s->opcode, warp);
        } else {
            const WwPort *slots = slots_for(s, inst->timing);
            bool full = slots != NULL && !WW_RESULT_SLOTS(slots)->free(slots->peer);
            ww_explain_waits(explain, full ? slots->peer : s->constants.peer,
                             "%s of warp %u waits for %s", inst->s->opcode, warp,
                             full ? "a place for its result" : "its constant");
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow issue_params[] = {
    WW_UINT(IssueStage, patience, "cycles", "4", 0, 1000,
            "in which no other warp is tried while the one that issued last lacks its constant "
            "alone"),
    WW_UINT(IssueStage, imad_bubble, "cycles", "1", 0, 16,
            "without an issue behind an IMAD (paper: IMAD.WIDE)"),
    WW_LIST(IssueStage, membar_stall, "cycles", "[53, 186, 2900]", 0, 1000000,
            "without an issue in the whole SM, once the warps of a CTA have reached a memory "
            "barrier of the CTA, the GPU, the system"),
    {0},
};

#define UNIT_PORT(name_, unit_)                                                                    \
    {                                                                                              \
        .name = name_, .role = WW_REQUIRES, .contract = &ww_contract_unit, .max = 1,               \
        .rank = WW_RANK_ISSUE, .doc = "input of the " name_ " unit",                               \
        .offset = WW_FIELD(IssueStage, unit[unit_], WwPort)                                        \
    }

static const WwPortRow issue_ports[] = {
    WW_PORT_OUT(IssueStage, out, &ww_contract_inst, 1, "the instruction that issues"),
    WW_PORT_REQUIRES(IssueStage, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "the hardware warps"),
    WW_PORT_REQUIRES(IssueStage, ibuffer, &ww_contract_ibuffer, 1, WW_RANK_ISSUE,
                     "decoded instructions"),
    WW_PORT_REQUIRES(IssueStage, dependence, &ww_contract_dependence, 1, WW_RANK_CHECK,
                     "what keeps them from issuing"),
    WW_PORT_REQUIRES(IssueStage, barriers, &ww_contract_barriers, 1, WW_RANK_ISSUE,
                     "CTA barriers, memory barriers"),
    WW_PORT_REQUIRES(IssueStage, policy, &ww_contract_scheduler, 1, NULL, "order of the warps"),
    WW_PORT_REQUIRES(IssueStage, constants, &ww_contract_constants, 0, WW_RANK_ISSUE,
                     "the cache of constant operands; unbound: they are always there"),
    UNIT_PORT("int", WW_UNIT_INT),
    UNIT_PORT("sp", WW_UNIT_SP),
    UNIT_PORT("uniform", WW_UNIT_UNIFORM),
    UNIT_PORT("tensor", WW_UNIT_TENSOR),
    UNIT_PORT("branch", WW_UNIT_BRANCH),
    UNIT_PORT("misc", WW_UNIT_MISC),
    WW_PORT_REQUIRES(IssueStage, results, &ww_contract_result_slots, 0, WW_RANK_ISSUE,
                     "room for results"),
    WW_PORT_REQUIRES(IssueStage, uniform_results, &ww_contract_result_slots, 0, WW_RANK_ISSUE,
                     "the same of the uniform datapath"),
    WW_PORT_ARRAY(IssueStage, peer, WW_REQUIRES, &ww_contract_issue_port, 0, NULL,
                  "the issue stages of the SM, this one too, in their order"),
    WW_PORT_PROVIDES(IssueStage, port, &ww_contract_issue_port, &port_table,
                     "stalls of this stage"),
    {0},
};

static const WwStatRow issue_stats[] = {
    WW_COUNTER(IssueStage, issued, "instructions", "instructions issued"),
    WW_COUNTER(IssueStage, bubbles, "cycles",
               "in which only the constant of the warp that issued last was lacking, and no other "
               "was tried"),
    {.name = "cause",
     .kind = WW_STAT_VECTOR,
     .unit = "cycles",
     .doc = "why nothing issued: one cause a cycle, that of the warp nearest to issuing",
     .labels = causes,
     .n = N_CAUSES,
     .offset = offsetof(IssueStage, lost[0])},
    WW_VECTOR(IssueStage, warp_issue, "instructions", NULL,
              "instructions issued, by hardware warp"),
    {0},
};

static const WwEntryRow issue_entries[] = {
    {.name = "issue", .phase = "core", .tick = issue_tick, .doc = "issues one instruction"},
    {0},
};

const WwType issue_stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "issue_stage",
    .doc = "Issue stage of a sub-core: one instruction a cycle, of the first warp that may issue.",
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
    .explain = issue_explain,
};
