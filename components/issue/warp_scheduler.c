/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warp_scheduler`: chooses the warp that issues in this tick and moves its instruction into an
 * issue register.
 *
 *      [policy]   order of warps                      -> sp, dp, int, sfu, mem, tensor, spec[]
 *         ^                                              issue registers, one set a unit class
 *     warp_scheduler --- hazard: scoreboard, reserve
 *         |   \--------- barriers: held warps, memory barriers, asynchronous copies
 *       warps: i-buffers, lanes, atomics
 *
 * Scheduler number k of n (its ordinal among the issue callers of `warps`) owns the warps w with
 * w mod n = k. Each tick it takes the warps in the order of its policy; the first that can issue
 * does, up to max_issue instructions, and ends the search. A second instruction is tried only
 * after the first has issued, and not to a unit of the same class when dual_issue_diff_units is
 * set.
 *
 * Cost follows warps that may issue: everything that makes a warp wait is a bit mask, and a warp
 * whose head collides with a pending register is remembered (`blocked`) until one of its
 * registers is released. With nothing to issue the scheduler sleeps; fills of i-buffers, releases
 * of registers and barriers, the end of atomics and freed issue registers wake it. The outcome of
 * the last tick is then counted for each tick slept.
 *
 * A memory barrier completes as an effect of looking at its warp (reference behaviour): when the
 * policy examines all of its warps, when the search reaches the warp, or just after an
 * instruction of the warp has issued.
 *
 * Statistics: a tick in which nothing issues counts once, by the warp that came closest. `stall`:
 * an instruction was ready and its unit had no free register; else `scoreboard_wait`: an
 * instruction waited for a register; else `idle`. `cause` divides the same ticks further; the
 * entry nearest to issuing wins, that is the last one of the list (among units, the one that was
 * refused first). An instruction without active lanes counts in `stall`, too, as the reference
 * prints it: sum(cause) = idle + scoreboard_wait + stall - issued[0].
 */
#include "types.h"
#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/register_set.h>
#include <ports/warps.h>
#include <string.h>

#define MAX_ISSUE 4u

typedef enum Unit {
    UNIT_NONE,
    UNIT_SP,
    UNIT_DP,
    UNIT_INT,
    UNIT_SFU,
    UNIT_MEM,
    UNIT_TENSOR,
    UNIT_SPEC, /* all specialised units are one class */
    N_UNITS
} Unit;

/* Why nothing issued; later entries are nearer to issuing. */
typedef enum Cause {
    CAUSE_NO_WARP,
    CAUSE_BARRIER,
    CAUSE_MEMBAR,
    CAUSE_ASYNC,
    CAUSE_ATOMIC,
    CAUSE_FETCH,
    CAUSE_POLICY,
    CAUSE_LONG,
    CAUSE_SHORT,
    CAUSE_UNIT, /* + unit - 1 */
    N_CAUSES = CAUSE_UNIT + N_UNITS - 1
} Cause;

static const char *const cause_names[N_CAUSES] = {
    "no_warp",  "barrier",         "membar",      "async_copy", "atomic",  "fetch",
    "policy",   "scoreboard_long", "scoreboard",  "unit_sp",    "unit_dp", "unit_int",
    "unit_sfu", "unit_mem",        "unit_tensor", "unit_spec",
};

typedef enum Outcome { ISSUED, IDLE, SCOREBOARD, STALL } Outcome;

/* Where a category goes. */
typedef struct Route {
    const WwPort *port;
    Unit unit;
    char name[8]; /* for events and errors */
} Route;

typedef struct WarpScheduler {
    WwComponent base;
    /* parameters */
    uint32_t max_issue;
    bool dual_issue_diff_units;
    uint32_t schedulers;
    /* ports */
    WwPort warps, hazard, barriers, policy;
    WwPort sp, dp, int_, sfu, mem, tensor;
    WwPort spec[WW_NUM_SPEC];
    uint32_t n_spec;
    /* state: wiring, made once */
    const WwWarpsIf *warps_if;
    const WwScoreboardIf *hazard_if;
    const WwBarriersIf *barriers_if;
    const WwPolicyIf *policy_if;
    WwHazardView *hazards;
    WwPolicyView view;
    Route route[WW_N_OPS];
    /* state */
    bool started;
    uint64_t blocked;      /* warps whose head collides with a pending register, */
    uint64_t blocked_long; /* of these, with one that a long operation will write */
    Outcome outcome;       /* of the last tick: what slept ticks repeat */
    Cause cause;
    /* state of one tick */
    uint64_t can; /* warps that do not wait (memory barriers that end when looked at aside) */
    uint64_t due; /* warps whose memory barrier ends when looked at */
    Unit refused; /* unit of the first instruction that was ready and not taken */
    bool acted;   /* something other than an issue has changed */
    /* statistics */
    uint64_t stall;
    uint64_t idle;
    uint64_t scoreboard_wait;
    uint64_t single_issue;
    uint64_t dual_issue;
    uint64_t issued[WW_WARP_SIZE + 1];
    uint64_t warp_issue[WW_MAX_WARPS];
    uint64_t causes[N_CAUSES];
} WarpScheduler;

/* ---- waiting ------------------------------------------------------------------------------- */

static void complete_membars(WarpScheduler *s, uint64_t warps)
{
    s->due &= ~warps;
    s->acted = true;
    for (; warps != 0; warps &= warps - 1) {
        s->barriers_if->complete_membar(s->barriers.peer, (uint32_t)__builtin_ctzll(warps));
    }
}

/* Sorts the scheduler's warps into waiting ones and candidates. */
static void look(WarpScheduler *s)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t changed = s->hazards->changed & s->view.mine;
    s->hazards->changed &= ~changed;
    s->blocked &= ~changed;
    s->blocked_long &= ~changed;
    uint64_t open = s->view.mine & w->live & ~b->held;
    s->due = open & b->membar & ~s->hazards->pending;
    s->can = open & ~((b->membar & s->hazards->pending) | w->atomics | b->async);
    s->view.waiting = s->view.mine & ~s->can;
    if (s->due != 0 && s->policy_if->examines != NULL) {
        uint64_t examined = s->policy_if->examines(s->policy.peer, &s->view);
        if (s->due & examined) {
            complete_membars(s, s->due & examined);
        }
    }
    s->view.candidates = (s->can & w->ibuf & ~s->blocked) | s->due;
}

/* Must the warp that has just issued wait now? Looking completes its memory barrier. */
static bool waits(WarpScheduler *s, uint32_t warp)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t bit = 1ull << warp;
    if (!(w->live & ~b->held & bit)) {
        return true;
    }
    if (b->membar & bit) {
        if (s->hazards->pending & bit) {
            return true;
        }
        complete_membars(s, bit);
    }
    return ((w->atomics | b->async) & bit) != 0;
}

/* ---- issuing ------------------------------------------------------------------------------- */

/* A known opcode whose unit this platform does not have. */
__attribute__((cold)) static void no_unit(WarpScheduler *s, const WwInst *inst)
{
    const WwKernel *kernel = s->view.warps->warp[inst->warp].kernel;
    const char *name = s->route[inst->op].name;
    GError *error = NULL;
    g_autofree char *path = ww_path(s);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s:%u: %s (category %s) needs unit %s, which %s does not have; expected a platform "
            "with that unit",
            kernel != NULL && kernel->file != NULL ? kernel->file : "trace", inst->s->line,
            inst->s->opcode, ww_op_name(inst->op), name, path);
    ww_fail_run(s, error);
}

/* What an instruction does to its warp at issue, besides occupying registers and units. */
static void act(WarpScheduler *s, const WwInst *inst)
{
    const WwSinst *si = inst->s;
    const WwWarp *warp = &s->view.warps->warp[inst->warp];
    if ((si->flags & WW_INST_ATOMIC) && inst->mask != 0) {
        s->warps_if->atomics(s->warps.peer, inst->warp, (int32_t)ww_inst_lanes(inst));
    }
    if (inst->op == WW_OP_EXIT) {
        s->warps_if->exit_lanes(s->warps.peer, inst->warp, inst->mask);
    }
    if (warp->lanes == 0 && warp->cursor == warp->n_trace) {
        s->warps_if->drop(s->warps.peer, inst->warp);
        s->barriers_if->exit(s->barriers.peer, inst->warp);
    }
    if (si->flags & WW_INST_LDGSTS) {
        uint64_t lane0 = inst->mask & 1u ? ww_addr_first(inst->addr, inst->mask) : 0;
        s->barriers_if->async_add(s->barriers.peer, inst->warp, si->pc, lane0, inst->mask == 0);
    }
    if (inst->op == WW_OP_BARRIER) {
        s->barriers_if->arrive(s->barriers.peer, inst->warp);
    } else if (inst->op == WW_OP_MEMBAR) {
        s->barriers_if->set_membar(s->barriers.peer, inst->warp);
    } else if (si->flags & WW_INST_LDGDEPBAR) {
        s->barriers_if->async_commit(s->barriers.peer, inst->warp);
    } else if (si->flags & WW_INST_DEPBAR) {
        s->barriers_if->async_wait(s->barriers.peer, inst->warp, (uint32_t)si->imm);
    }
}

static void issue(WarpScheduler *s, uint32_t warp, const Route *route, int slot)
{
    WwInst *inst = s->warps_if->pop(s->warps.peer, warp);
    inst->sched = (uint8_t)s->view.scheduler;
    inst->cycles = inst->interval;
    s->issued[ww_inst_lanes(inst)]++;
    s->stall += inst->mask == 0;
    act(s, inst);
    s->hazard_if->reserve(s->hazard.peer, inst);
    WW_EVENT(s, "issue", warp,
             "%s pc=%" G_GINT64_MODIFIER "x mask=%08x uid=%" G_GINT64_MODIFIER "u to %s",
             inst->s->opcode, inst->s->pc, inst->mask, inst->uid, route->name);
    ww_regs_put(route->port, slot, inst);
}

/* Issues from one candidate; how many instructions it was. */
static uint32_t try_warp(WarpScheduler *s, uint32_t warp)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    uint64_t bit = 1ull << warp;
    Unit previous = UNIT_NONE;
    uint32_t n = 0;
    if (s->due & bit) {
        complete_membars(s, bit);
        if (!(s->can & bit)) {
            return 0;
        }
    }
    while (n < s->max_issue && (s->view.warps->ibuf & ~s->blocked & bit)) {
        const WwInst *inst = w->ibuf[w->next];
        if (s->hazard_if->collides(s->hazard.peer, warp, inst->s)) {
            s->blocked |= bit;
            if (s->hazard_if->collides_long(s->hazard.peer, warp, inst->s)) {
                s->blocked_long |= bit;
            }
            break;
        }
        const Route *route = &s->route[inst->op];
        if (G_UNLIKELY(!WW_BOUND(route->port))) {
            no_unit(s, inst);
            break;
        }
        int slot = s->dual_issue_diff_units && route->unit == previous
                       ? -1
                       : ww_regs_free(route->port, s->view.scheduler);
        if (slot < 0) {
            if (s->refused == UNIT_NONE) {
                s->refused = route->unit;
            }
            break;
        }
        issue(s, warp, route, slot);
        previous = route->unit;
        s->warp_issue[warp] += ++n;
        if (waits(s, warp)) {
            break;
        }
    }
    return n;
}

/* ---- statistics of ticks without an issue -------------------------------------------------- */

static Cause idle_cause(const WarpScheduler *s)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t live = s->view.mine & w->live;
    uint64_t barred = b->membar & s->hazards->pending;
    if (s->can & w->ibuf) {
        return CAUSE_POLICY; /* it left them out */
    }
    if (s->can != 0) {
        return CAUSE_FETCH;
    }
    if (live & ~b->held & ~barred & w->atomics) {
        return CAUSE_ATOMIC;
    }
    if (live & ~b->held & ~barred) {
        return CAUSE_ASYNC;
    }
    if (live & ~b->held) {
        return CAUSE_MEMBAR;
    }
    return live != 0 ? CAUSE_BARRIER : CAUSE_NO_WARP;
}

static void find_cause(WarpScheduler *s)
{
    if (s->refused != UNIT_NONE) {
        s->outcome = STALL;
        s->cause = CAUSE_UNIT + (Cause)s->refused - 1;
        return;
    }
    uint64_t considered = s->policy_if->considers != NULL
                              ? s->policy_if->considers(s->policy.peer, &s->view)
                              : s->view.mine;
    uint64_t blocked = s->can & s->view.warps->ibuf & s->blocked & considered;
    if (blocked != 0) {
        s->outcome = SCOREBOARD;
        s->cause = blocked & ~s->blocked_long ? CAUSE_SHORT : CAUSE_LONG;
    } else {
        s->outcome = IDLE;
        s->cause = idle_cause(s);
    }
}

static void count(WarpScheduler *s, uint64_t ticks)
{
    switch (s->outcome) {
    case ISSUED:
        return;
    case IDLE:
        s->idle += ticks;
        break;
    case SCOREBOARD:
        s->scoreboard_wait += ticks;
        break;
    case STALL:
        s->stall += ticks;
        break;
    }
    s->causes[s->cause] += ticks;
}

static void scheduler_settle(void *self, uint32_t entry, uint64_t n)
{
    count(self, n);
}

/* ---- the tick ------------------------------------------------------------------------------ */

/* The number of warps is known once every component has been reset. */
static void start(WarpScheduler *s)
{
    s->started = true;
    for (uint32_t w = s->view.scheduler; w < s->view.warps->slots; w += s->schedulers) {
        s->view.mine |= 1ull << w;
    }
}

static WwRest scheduler_tick(void *self)
{
    WarpScheduler *s = self;
    uint8_t order[WW_MAX_WARPS];
    if (G_UNLIKELY(!s->started)) {
        start(s);
    }
    s->refused = UNIT_NONE;
    s->acted = false;
    look(s);
    uint32_t n = s->policy_if->order(s->policy.peer, &s->view, order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t warp = order[i] % WW_MAX_WARPS;
        uint32_t issued = s->view.candidates >> warp & 1u ? try_warp(s, warp) : 0;
        if (issued != 0) {
            s->outcome = ISSUED;
            *(issued == 1 ? &s->single_issue : &s->dual_issue) += 1;
            s->policy_if->issued(s->policy.peer, &s->view, warp, issued);
            return WW_AGAIN;
        }
    }
    find_cause(s);
    count(s, 1);
    bool restless =
        s->policy_if->restless != NULL && s->policy_if->restless(s->policy.peer, &s->view);
    return s->acted || restless ? WW_AGAIN : WW_SLEEP;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void set_route(WarpScheduler *s, uint32_t op, const WwPort *port, Unit unit,
                      const char *name)
{
    Route *r = &s->route[op];
    r->port = port;
    r->unit = unit;
    g_strlcpy(r->name, name, sizeof r->name);
}

/* What has no unit of its own goes to INT, or to SP on machines without INT. */
static void make_routes(WarpScheduler *s)
{
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        if (WW_BOUND(&s->int_)) {
            set_route(s, op, &s->int_, UNIT_INT, "INT");
        } else {
            set_route(s, op, &s->sp, UNIT_SP, "SP");
        }
    }
    set_route(s, WW_OP_LOAD, &s->mem, UNIT_MEM, "MEM");
    set_route(s, WW_OP_STORE, &s->mem, UNIT_MEM, "MEM");
    set_route(s, WW_OP_MEMBAR, &s->mem, UNIT_MEM, "MEM");
    set_route(s, WW_OP_SP, &s->sp, UNIT_SP, "SP");
    set_route(s, WW_OP_SFU, &s->sfu, UNIT_SFU, "SFU");
    set_route(s, WW_OP_TENSOR, &s->tensor, UNIT_TENSOR, "TENSOR");
    if (WW_BOUND(&s->dp)) {
        set_route(s, WW_OP_DP, &s->dp, UNIT_DP, "DP");
    } else {
        set_route(s, WW_OP_DP, &s->sfu, UNIT_SFU, "DP");
    }
    for (uint32_t k = 0; k < WW_NUM_SPEC; k++) {
        char name[8] = {'S', 'P', 'E', 'C', (char)('1' + k), 0};
        set_route(s, WW_OP_SPEC1 + k, &s->spec[k], UNIT_SPEC, name);
    }
}

static bool check_widths(const WarpScheduler *s, GError **error)
{
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        const WwRegisterSet *set = s->route[op].port->peer;
        if (set != NULL && set->private && set->width < s->schedulers) {
            g_autofree char *path = ww_path(set);
            return ww_fail(
                error, WW_ERROR_WIRING,
                "%s is private and has width %u; expected a register for each of %u schedulers",
                path, set->width, s->schedulers);
        }
    }
    return true;
}

/*
 * Providers wake scheduler w mod n by ordinal: the numbers must agree everywhere. A scoreboard of
 * the scheduler's own is fine, too; there its number is 0.
 */
static bool check_numbers(const WarpScheduler *s, GError **error)
{
    uint32_t k = s->warps.ordinal;
    uint32_t n = s->barriers_if->view(s->barriers.peer)->schedulers;
    if (k >= s->schedulers || (n != 0 && n != s->schedulers)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "schedulers = %u, but %u warp schedulers are bound (this is number %u); "
                       "expected as many as the parameter says",
                       s->schedulers, MAX(n, k + 1), k);
    }
    if ((s->hazard.ordinal != k && s->hazard.ordinal != 0) || s->barriers.ordinal != k) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "scheduler is number %u at warps, %u at hazard and %u at barriers; expected "
                       "that schedulers are bound "
                       "in the same order everywhere",
                       k, s->hazard.ordinal, s->barriers.ordinal);
    }
    return true;
}

static bool scheduler_init(void *self, GError **error)
{
    WarpScheduler *s = self;
    s->warps_if = WW_WARPS(&s->warps);
    s->hazard_if = WW_SCOREBOARD(&s->hazard);
    s->barriers_if = WW_BARRIERS(&s->barriers);
    s->policy_if = WW_POLICY(&s->policy);
    make_routes(s);
    return check_widths(s, error) && check_numbers(s, error);
}

static void scheduler_reset(void *self)
{
    WarpScheduler *s = self;
    s->hazards = s->hazard_if->view(s->hazard.peer);
    s->view = (WwPolicyView){
        .warps = s->warps_if->view(s->warps.peer),
        .barriers = s->barriers_if->view(s->barriers.peer),
        .hazards = &s->hazard,
        .scheduler = s->warps.ordinal,
        .n_schedulers = s->schedulers,
    };
    s->started = false;
    s->blocked = s->blocked_long = 0;
    s->outcome = ISSUED;
    s->cause = CAUSE_NO_WARP;
}

static void explain_warp(WarpScheduler *s, WwExplain *explain, uint32_t warp)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    const WwWarp *state = &w->warp[warp];
    uint64_t bit = 1ull << warp;
    if (b->held & bit) {
        ww_explain_waits(explain, s->barriers.peer, "warp %u is at a CTA barrier", warp);
    } else if (b->membar & s->hazards->pending & bit) {
        ww_explain_waits(explain, s->hazard.peer, "warp %u is at a memory barrier", warp);
    } else if (w->atomics & bit) {
        ww_explain_waits(explain, s->warps.peer, "warp %u has %u atomic lanes outstanding", warp,
                         state->atomics);
    } else if (b->async & bit) {
        ww_explain_waits(explain, s->barriers.peer, "warp %u waits for asynchronous copies", warp);
    } else if (!(w->ibuf & bit)) {
        ww_explain_waits(explain, s->warps.peer, "warp %u has no instruction in its i-buffer",
                         warp);
    } else {
        const WwInst *inst = state->ibuf[state->next];
        const Route *route = &s->route[inst->op];
        bool collides = (s->blocked & bit) != 0;
        ww_explain_waits(explain, collides ? s->hazard.peer : route->port->peer,
                         "warp %u: %s (pc %" G_GINT64_MODIFIER "x) needs %s", warp, inst->s->opcode,
                         inst->s->pc,
                         collides ? "a register whose write is pending" : "a free issue register");
    }
}

static void scheduler_explain(void *self, WwExplain *explain)
{
    WarpScheduler *s = self;
    for (uint64_t m = s->view.mine & s->view.warps->live; m != 0; m &= m - 1) {
        explain_warp(s, explain, (uint32_t)__builtin_ctzll(m));
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow scheduler_params[] = {
    WW_UINT(WarpScheduler, max_issue, "", "1", 1, MAX_ISSUE,
            "instructions that one warp may issue in a tick"),
    WW_BOOL(WarpScheduler, dual_issue_diff_units, "true",
            "instructions issued in one tick go to different unit classes"),
    WW_UINT(WarpScheduler, schedulers, "", "1", 1, WW_MAX_WARPS,
            "warp schedulers of the SM; warp w belongs to number w mod schedulers"),
    {0},
};

static const WwPortRow scheduler_ports[] = {
    WW_PORT_REQUIRES(WarpScheduler, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "hardware warps"),
    WW_PORT_REQUIRES(WarpScheduler, hazard, &ww_contract_scoreboard, 1, WW_RANK_CHECK,
                     "pending registers: checked, and reserved at issue"),
    WW_PORT_REQUIRES(WarpScheduler, barriers, &ww_contract_barriers, 1, WW_RANK_ISSUE,
                     "barriers and asynchronous copies"),
    WW_PORT_REQUIRES(WarpScheduler, policy, &ww_contract_scheduler, 1, NULL, "order of the warps"),
    WW_PORT_OUT(WarpScheduler, sp, &ww_contract_inst, 0,
                "fp32; integer and the rest when int is unbound"),
    WW_PORT_OUT(WarpScheduler, dp, &ww_contract_inst, 0, "fp64; unbound: to sfu"),
    {.name = "int",
     .role = WW_OUT,
     .contract = &ww_contract_inst,
     .max = 1,
     .doc = "integer, control, barriers, everything without a unit of its own",
     .offset = WW_FIELD(WarpScheduler, int_, WwPort)},
    WW_PORT_OUT(WarpScheduler, sfu, &ww_contract_inst, 0, "special functions"),
    WW_PORT_OUT(WarpScheduler, mem, &ww_contract_inst, 0, "loads, stores, memory barriers"),
    WW_PORT_OUT(WarpScheduler, tensor, &ww_contract_inst, 0, "tensor core"),
    WW_PORT_ARRAY(WarpScheduler, spec, WW_OUT, &ww_contract_inst, 0, NULL,
                  "specialised units, SPEC1 first"),
    {0},
};

static const WwStatRow scheduler_stats[] = {
    WW_COUNTER(
        WarpScheduler, stall, "cycles",
        "ready instructions, but no free issue register; and instructions without active lanes"),
    WW_COUNTER(WarpScheduler, idle, "cycles",
               "no warp had an instruction that it could try (W0_Idle)"),
    WW_COUNTER(WarpScheduler, scoreboard_wait, "cycles",
               "every instruction waited for a pending register (W0_Scoreboard)"),
    WW_COUNTER(WarpScheduler, single_issue, "cycles", "one instruction issued"),
    WW_COUNTER(WarpScheduler, dual_issue, "cycles", "more than one instruction issued"),
    WW_VECTOR(WarpScheduler, issued, "instructions", NULL, "instructions issued, by active lanes"),
    WW_VECTOR(
        WarpScheduler, warp_issue, "instructions", NULL,
        "issues by hardware warp; the k-th instruction of a tick counts k, as the reference does"),
    {.name = "cause",
     .kind = WW_STAT_VECTOR,
     .unit = "cycles",
     .doc = "why nothing issued: one cause a cycle, that of the warp nearest to issuing",
     .labels = cause_names,
     .n = N_CAUSES,
     .offset = offsetof(WarpScheduler, causes[0])},
    {0},
};

static const WwEntryRow scheduler_entries[] = {
    {.name = "issue", .phase = "core", .tick = scheduler_tick, .doc = "issue from one warp"},
    {0},
};

const WwType warp_scheduler_type = {
    .abi = WW_ABI_VERSION,
    .name = "warp_scheduler",
    .doc = "Issues instructions of the warps of one scheduler in the order of its policy.",
    .family = "issue",
    .size = sizeof(WarpScheduler),
    .params = scheduler_params,
    .ports = scheduler_ports,
    .stats = scheduler_stats,
    .entries = scheduler_entries,
    .init = scheduler_init,
    .reset = scheduler_reset,
    .settle = scheduler_settle,
    .explain = scheduler_explain,
};
