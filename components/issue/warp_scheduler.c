/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warp_scheduler`: chooses the warp that issues in this tick and moves its instruction into an
 * issue register.
 *
 *      [policy]   order of warps                      -> sp, dp, int, sfu, mem, tensor, spec[]
 *         ^                                              issue registers, one set a unit class
 *     warp_scheduler --- hazard: scoreboard, reserve
 *         |   \--------- barriers: held warps, memory barriers, asynchronous copies
 *       warps: i-buffers, lanes, atomics; simt (optional): what they are expected to execute
 *
 * Scheduler number k of n (its ordinal among the issue callers of `warps`) owns the warps w with
 * w mod n = k. Each tick it takes the warps in the order of its policy; the first that can issue
 * does, up to max_issue instructions, and ends the search. A second instruction is tried only
 * after the first has issued, and not to a unit of the same class when dual_issue_diff_units is
 * set.
 *
 * Cost follows warps that may issue: everything that makes a warp wait is a bit mask, and a warp
 * whose head collides with a pending register is remembered (`blocked`) until one of its
 * registers is released. So is one whose head collides with none (`clear`): it cannot before it has issued, so that
 * of these warps only the ports are asked, one for all whose heads go there.
 *
 * With nothing to issue the scheduler sleeps; fills of i-buffers, releases of registers of blocked warps and of
 * barriers, the end of atomics and freed issue registers wake it. The outcome of the last tick is then counted
 * for each tick slept. It looks ahead for that: after an issue it finds out what the next tick would find if
 * nothing happened before, and sleeps when that is nothing to issue.
 *
 * That is the quick tick, for a scoreboard that shows its registers and a policy that has first(). All other
 * ticks try the warps one after the other: warp_scheduler_walk.c.
 *
 * A memory barrier completes as an effect of looking at its warp (reference behaviour): when the
 * policy examines all of its warps, when the search reaches the warp, or just after an
 * instruction of the warp has issued. Without membar_needs_look it completes first thing in the
 * tick in which nothing holds it any more.
 *
 * Two things that hardly a trace brings cost a mask test each (warp_scheduler_odd.c). An i-buffer that starts with another
 * instruction than its warp is expected to execute is flushed when its turn comes, and fetched
 * again from there. A call of the device-side launch interface finds its unit free, then waits a
 * number of further tries (launch_latency) and issues in the try after that; tries do not count
 * while the warp waits or a better one issues.
 *
 * A policy may name one warp of another scheduler (a guest): the scheduler then does not sleep,
 * looks at the guest afresh each tick, and wakes its owner when it has changed it.
 *
 * Statistics: a tick in which nothing issues counts once, by the warp that came closest. `stall`:
 * an instruction was ready and its unit had no free register; else `scoreboard_wait`: an
 * instruction waited for a register; else `idle`. `cause` divides the same ticks further; the
 * entry nearest to issuing wins, that is the last one of the list (among units, the one that was
 * refused first). An instruction without active lanes counts in `stall`, too, as the reference
 * prints it: sum(cause) = idle + scoreboard_wait + stall - issued[0].
 */
#include "types.h"
#include "warp_scheduler_tell-priv.h"
#include <ports/events.h>
#include <string.h>

/* ---- issuing ------------------------------------------------------------------------------- */

#define ACTING_OPS (1u << WW_OP_EXIT | 1u << WW_OP_BARRIER | 1u << WW_OP_MEMBAR)
#define ACTING_FLAGS (WW_INST_ATOMIC | WW_INST_LDGSTS | WW_INST_LDGDEPBAR | WW_INST_DEPBAR)

/* What an instruction does to its warp at issue, besides occupying registers and units. */
static void __attribute__((noinline)) act(WarpScheduler *s, const WwInst *inst)
{
    const WwSinst *si = inst->s;
    const WwWarp *warp = &s->view.warps->warp[inst->warp];
    if ((si->flags & WW_INST_ATOMIC) && inst->mask != 0) {
        s->warps_if->atomics(s->warps.peer, inst->warp, (int32_t)ww_inst_lanes(inst));
    }
    if (inst->op == WW_OP_EXIT) {
        s->warps_if->exit_lanes(s->warps.peer, inst->warp, inst->mask);
        if (warp->lanes == 0 && warp->cursor == warp->n_trace) {
            s->warps_if->drop(s->warps.peer, inst->warp);
            s->barriers_if->exit(s->barriers.peer, inst->warp);
        }
    }
    if (si->flags & WW_INST_LDGSTS) {
        uint64_t lane0 = inst->mask & 1u ? ww_addr_first(inst->addr, inst->mask) : 0;
        s->barriers_if->async_add(s->barriers.peer, inst->warp, si->pc, lane0, inst->mask == 0);
    }
    if (inst->op == WW_OP_BARRIER) {
        s->barriers_if->arrive(s->barriers.peer, inst->warp);
    } else if (inst->op == WW_OP_MEMBAR) {
        s->barriers_if->set_membar(s->barriers.peer, inst->warp);
        s->warps_if->fence(s->warps.peer, inst->warp, s->membar_waits_stores);
    } else if (si->flags & WW_INST_LDGDEPBAR) {
        s->barriers_if->async_commit(s->barriers.peer, inst->warp);
    } else if (si->flags & WW_INST_DEPBAR) {
        s->barriers_if->async_wait(s->barriers.peer, inst->warp, (uint32_t)si->imm);
    }
}

/* What an issue was: its active lanes, and MORE when to its warp, or to others, more has happened, or may in this tick. */
#define MORE 64u

/* @p out: what was issued. */
static inline __attribute__((always_inline)) uint32_t issue(WarpScheduler *s, uint32_t warp,
                                                            const Route *route, int slot,
                                                            const WwInst **out)
{
    WwInst *inst = s->warps_if->pop(s->warps.peer, warp);
    *out = inst;
    warp_scheduler_forget(s, warp);
    inst->sched = (uint8_t)s->view.scheduler;
    inst->cycles = inst->interval;
    uint32_t lanes = ww_inst_lanes(inst), done = lanes | s->more;
    s->issued[lanes]++;
    s->stall += s->count_empty_as_stall && inst->mask == 0;
    if (G_UNLIKELY((inst->s->flags & ACTING_FLAGS) != 0 || (ACTING_OPS >> inst->op & 1u) != 0)) {
        act(s, inst);
        done |= MORE;
    }
    s->hazard_if->reserve(s->hazard.peer, inst);
    WW_LOG(s, &warp_scheduler_events[LOG_ISSUE], warp, WW_PART(inst), inst->mask, WW_PART(inst->s),
           inst->s->line, inst->order, WW_SAY(route->name));
    ww_regs_put_in(s->set[route->queue], slot, inst);
    return done;
}

void warp_scheduler_issue(WarpScheduler *s, uint32_t warp, const Route *route, int slot, bool first)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    const WwInst *inst;
    if (warp_scheduler_tells(s) && first) {
        warp_scheduler_tell_issue(s, warp, w->ibuf[w->next]);
    } else if (warp_scheduler_tells(s)) {
        s->pcs_if->issued(s->pcs.peer, s->view.scheduler, w->ibuf[w->next], false);
    }
    issue(s, warp, route, slot, &inst);
}

void warp_scheduler_forget_all(WarpScheduler *s)
{
    s->clear = s->seen_blocked = s->quick_can = 0;
    s->told_can = UINT64_MAX;
    memset(s->ready, 0, sizeof s->ready);
    s->touches = s->view.warps->touches;
}

/* ---- looking ------------------------------------------------------------------------------- */

/* Does the head of @p warp wait for a register? False: it is for a walk. @p tells: with warp_scheduler_tell_head(); a constant. */
static inline __attribute__((always_inline)) bool look_at_head(WarpScheduler *s, uint32_t warp,
                                                               uint64_t bit, bool tells, WwCycle at,
                                                               bool next)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    const WwInst *inst = w->ibuf[w->next];
    const WwSinst *si = inst->s;
    uint32_t known = ww_hazard_regs(s->hazards, warp, si);
    if (known & WW_REG_PENDING) {
        bool slow = (known & WW_REG_SLOW) != 0;
        if (tells) {
            warp_scheduler_tell_head(s, warp, si->id, at, next)->state =
                slow ? WW_STALL_LONG : WW_STALL_SHORT;
        }
        warp_scheduler_block(s, bit, slow);
        return true;
    }
    const Route *route = &s->route[inst->op];
    if (G_UNLIKELY((si->flags & WW_INST_CDP) != 0 || !WW_BOUND(route->port))) {
        return false;
    }
    if (tells) {
        ww_pcs_begin_ready(warp_scheduler_tell_head(s, warp, si->id, at, next), s->cycles,
                           WW_STATE_READY + route->unit - 1u);
    }
    warp_scheduler_remember(s, warp, route->queue);
    return true;
}

/*
 * Sorts the scheduler's warps into those that wait, those that are blocked and candidates, which are clear. False: a walk has to. @p ahead: it is told for the
 * next cycle.
 */
static inline __attribute__((always_inline)) bool sort(WarpScheduler *s, bool tells, bool limits,
                                                       WwCycle ahead)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t mine = s->view.mine, open = mine & w->live & ~b->held;
    if (G_UNLIKELY((open & (b->membar | s->simt_view->unsure)) != 0)) {
        return false;
    }
    if (G_UNLIKELY(s->touches != w->touches)) {
        warp_scheduler_forget_all(s);
        s->tell_all |= tells;
        s->quiet_cause = NOT_QUIET;
    }
    uint64_t can = open & ~(warp_scheduler_atomics(s) | b->async);
    uint64_t blocked = s->blocked & ~s->hazards->changed;
    uint64_t heads = can & w->ibuf;
    if (tells && can != s->can) {
        s->tell_all = true;
    }
    s->can = can;
    s->view.waiting = mine & ~can;
    s->blocked_long &= blocked;
    s->blocked = blocked;
    uint64_t left = heads & ~(blocked | s->clear);
    if (left != 0 && tells && limits) {
        s->quiet_cause = NOT_QUIET;
    }
    const WwCycle at = left != 0 && tells ? ww_now(s) + ahead : 0;
    for (; left != 0; left &= left - 1) {
        if (!look_at_head(s, (uint32_t)__builtin_ctzll(left), left & -left, tells, at, false)) {
            return false;
        }
    }
    s->view.candidates = heads & s->clear;
    return true;
}

/* Nothing can issue: why? @p tells: notes whom slots are lost to, if it was no warp that found its port full; a constant. */
static inline __attribute__((always_inline)) void find_cause(WarpScheduler *s, bool tells)
{
    uint64_t blocked = s->can & s->view.warps->ibuf & s->blocked;
    if (s->refused != UNIT_NONE) {
        s->outcome = STALL;
        s->cause = CAUSE_UNIT + (Cause)s->refused - 1;
        return;
    }
    if (blocked == 0) {
        warp_scheduler_find_cause(s);
        if (tells) {
            warp_scheduler_blame_idle(s);
        }
        return;
    }
    uint64_t quick = blocked & ~s->blocked_long;
    s->outcome = SCOREBOARD;
    s->cause = quick != 0 ? CAUSE_SHORT : CAUSE_LONG;
    if (tells) {
        s->blamed = __builtin_ctzll(quick != 0 ? quick : blocked);
    }
}

/* The number of warps is known once every component has been reset. */
static void __attribute__((noinline)) start(WarpScheduler *s)
{
    s->started = true;
    for (uint32_t w = s->view.scheduler; w < s->view.warps->slots; w += s->schedulers) {
        s->view.mine |= 1ull << w;
    }
    if (warp_scheduler_tells(s)) {
        s->turns = s->quick ? QUICK : s->limited ? LIMITED : WALKS;
        s->cycles->walks = !s->quick;
        for (uint64_t m = s->view.mine; m != 0; m &= m - 1) {
            s->book->warp[__builtin_ctzll(m)].scheduler = s->view.scheduler;
            s->book->warp[__builtin_ctzll(m)].guesses = true;
        }
    }
}

static __attribute__((noinline)) bool sort_again(WarpScheduler *s)
{
    return sort(s, false, false, 0);
}

/* The policy says what no policy may. */
static WwRest __attribute__((noinline)) bad_choice(WarpScheduler *s, uint32_t warp)
{
    return warp_scheduler_bad_policy(s, "chooses warp", warp, s->view.warps->slots - 1);
}

/* ---- telling, where somebody is bound to `pcs` ----------------------------------------------- */

/* After an issue: sorts again for the next cycle, and tells of all warps. */
static __attribute__((noinline)) bool sort_and_tell(WarpScheduler *s)
{
    s->tell_all = true;
    bool sorted = sort(s, true, false, 1);
    if (sorted) {
        warp_scheduler_tell_all(s, ww_now(s) + 1);
    }
    return sorted;
}

/* @p warp has issued @p inst: @p done. */
static inline __attribute__((always_inline)) void tell(WarpScheduler *s, uint32_t warp,
                                                       const WwInst *inst, uint32_t done,
                                                       bool limits)
{
    WwPcsWarp *w = ww_pcs_warp(s->book, warp);
    WwPcsScheduler *k = s->cycles;
    WwPcsRow *row = w->row;
    WwCycle now = ww_now(s);
    bool several = done >= MORE && s->max_issue > 1;
    if (!several && w->since < now) {
        ww_pcs_count_ready(s->book, k, w, warp, row, now, limits);
    } else if (G_UNLIKELY(several || (limits && w->since > now))) {
        s->pcs_if->issued(s->pcs.peer, s->view.scheduler, inst, true); /* not alone in this cycle */
        return;
    }
    k->issued++;
    ww_pcs_select(w, row, now);
    if (G_UNLIKELY(done != WW_WARP_SIZE)) {
        row->idle_lanes += WW_WARP_SIZE - done % MORE;
    }
}

/* ---- the quick tick ---------------------------------------------------------------------------- */

/*
 * What would the next tick find if nothing happened before? When that is nothing to issue, it need not be. @p warp has issued, and
 * @p more than an ordinary instruction. @p tells: a constant.
 */
static inline __attribute__((always_inline)) WwRest look_ahead(WarpScheduler *s, uint32_t warp,
                                                               bool more, bool tells)
{
    uint64_t bit = 1ull << warp;
    if (G_UNLIKELY(more)) {
        if (!(tells ? sort_and_tell(s) : sort_again(s))) {
            return WW_AGAIN;
        }
    } else if (s->view.warps->ibuf & bit) { /* all else is as it was */
        if (!look_at_head(s, warp, bit, tells, 0, true)) {
            return WW_AGAIN;
        }
        s->view.candidates &= s->clear;
    } else {
        s->view.candidates &= ~bit;
    }
    uint64_t left = s->view.candidates;
    s->refused = UNIT_NONE;
    if (left != 0) {
        uint32_t q;
        do {
            q = s->queue[__builtin_ctzll(left)];
            if (warp_scheduler_room(s, q) >= 0) {
                return WW_AGAIN;
            }
            left &= ~s->ready[q];
        } while (left != 0);
        uint32_t first = (uint32_t)__builtin_ctzll(s->view.candidates);
        if (tells ? (s->view.candidates & (s->view.candidates - 1)) != 0
                  : (s->view.candidates & ~s->ready[q]) != 0) { /* not all go to the same port */
            first = s->policy_if->first(s->policy.peer, &s->view, s->view.candidates);
            if (G_UNLIKELY(first >= WW_MAX_WARPS)) {
                return bad_choice(s, first);
            }
            q = s->queue[first];
        }
        s->blamed = tells ? (int32_t)first : s->blamed;
        s->refused = (Unit)s->unit[q];
    }
    find_cause(s, tells);
    return WW_SLEEP;
}

/*
 * Nothing issues of the warps to which the policy limits itself, nor of others that are @p ready; the ports of @p full have no room, first of all that of
 * queue @p q. @p tells: a constant.
 */
static inline __attribute__((always_inline)) WwRest nothing_to_issue(WarpScheduler *s,
                                                                     uint64_t ready, uint64_t full,
                                                                     uint32_t q, bool tells)
{
    const WwPolicyIf *p = s->policy_if;
    if (s->refused != UNIT_NONE) {
        s->outcome = STALL;
        s->cause = CAUSE_UNIT + (Cause)s->refused - 1;
        if (tells) {
            warp_scheduler_tell_limited_idle(s, ready, full, true, q);
        }
    } else {
        warp_scheduler_find_cause(s);
        if (tells) {
            warp_scheduler_tell_limited_idle(s, ready, full, false, q);
        }
    }
    warp_scheduler_count(s, 1);
    return p->restless != NULL && p->restless(s->policy.peer, &s->view) ? WW_AGAIN : WW_SLEEP;
}

/* Does the policy name a warp of another scheduler? */
static bool has_guest(WarpScheduler *s)
{
    s->guest = 0;
    return s->policy_if->guest != NULL && s->policy_if->guest(s->policy.peer, &s->view) >= 0;
}

/*
 * @p tells, @p limits: constants. Where the policy leaves warps out it says which, and is not asked ahead: what it would say in the next cycle, only that
 * cycle tells.
 */
static inline __attribute__((always_inline)) WwRest quick_tick(WarpScheduler *s, bool tells,
                                                               bool limits)
{
    if ((limits && has_guest(s)) || !sort(s, tells, limits, 0)) {
        if (tells) {
            warp_scheduler_begin_walks(s);
        }
        return tells ? warp_scheduler_walk_telling(s) : warp_scheduler_walk(s);
    }
    if (tells && G_UNLIKELY(s->tell_all)) {
        warp_scheduler_tell_all(s, ww_now(s));
    }
    uint32_t warp, q, refused = 0;
    int slot;
    s->refused = UNIT_NONE;
    uint64_t ready = s->view.candidates, full = 0;
    if (limits) {
        s->view.candidates &= s->policy_if->limits(s->policy.peer, &s->view);
    }
    uint64_t left = s->view.candidates;
    for (;; left &= ~s->ready[q]) {
        if (limits && left == 0) {
            return nothing_to_issue(s, ready, full, refused, tells);
        }
        if (left == 0) {
            find_cause(s, tells);
            if (tells) {
                warp_scheduler_tell_slept(s, 1);
            }
            warp_scheduler_count(s, 1);
            return WW_SLEEP;
        }
        warp = (uint32_t)__builtin_ctzll(left);
        if ((left & (left - 1)) != 0) { /* there is a choice */
            warp = s->policy_if->first(s->policy.peer, &s->view, left);
            if (G_UNLIKELY(warp >= WW_MAX_WARPS || !(left >> warp & 1u))) {
                return bad_choice(s, warp);
            }
        }
        q = s->queue[warp];
        slot = warp_scheduler_room(s, q);
        if (slot >= 0) {
            break;
        }
        if (s->refused == UNIT_NONE) {
            s->refused = (Unit)s->unit[q];
            s->blamed = tells && !limits ? (int32_t)warp : s->blamed;
            refused = q;
        }
        full |= tells && limits ? ready & s->ready[q] : 0;
    }
    if (tells && limits && (ready & ~s->ready[q]) != 0) {
        warp_scheduler_tell_limited(s, ready, q);
    } else if (tells && !limits && (s->view.candidates & ~s->ready[q]) != 0) {
        warp_scheduler_tell_passed(s, left, q);
    }
    const WwInst *inst;
    uint32_t done = issue(s, warp, s->way[q], slot, &inst), n = 1;
    bool more = done >= MORE;
    s->warp_issue[warp]++;
    if (tells) {
        tell(s, warp, inst, done, limits);
    }
    if (G_UNLIKELY(more)) {
        n = warp_scheduler_go_on(s, warp, (Unit)s->unit[q]);
        s->tell_all |= tells && limits;
    }
    s->outcome = ISSUED;
    *(n == 1 ? &s->single_issue : &s->dual_issue) += 1;
    s->policy_if->issued(s->policy.peer, &s->view, warp, n);
    if (limits) {
        s->quiet_cause = NOT_QUIET;
        return WW_AGAIN;
    }
    return look_ahead(s, warp, more, tells);
}

/* The turns of a scheduler of whom nobody is told. */
static WwRest scheduler_tick(void *self)
{
    WarpScheduler *s = self;
    if (G_UNLIKELY(!s->started)) {
        start(s);
    }
    s->counting = false;
    return G_LIKELY(s->quick) ? quick_tick(s, false, false)
           : s->limited       ? quick_tick(s, false, true)
                              : warp_scheduler_walk(s);
}

static __attribute__((noinline)) WwRest telling_quick(WarpScheduler *s)
{
    return quick_tick(s, true, false);
}

static __attribute__((noinline)) WwRest telling_limited(WarpScheduler *s)
{
    return quick_tick(s, true, true);
}

static WwRest telling_first(WarpScheduler *s);

/* Those of one that tells. `counting` is of walks: tell_all() ends it, which follows on them. */
static WwRest telling_tick(void *self)
{
    static WwRest (*const turn[])(WarpScheduler *) = {
        [UNSTARTED] = telling_first,
        [QUICK] = telling_quick,
        [LIMITED] = telling_limited,
        [WALKS] = warp_scheduler_walk_telling,
    };
    WarpScheduler *s = self;
    return turn[s->turns](s);
}

static WwRest telling_first(WarpScheduler *s)
{
    start(s);
    return telling_tick(s);
}

static void scheduler_settle(void *self, uint32_t entry, uint64_t n)
{
    WarpScheduler *s = self;
    warp_scheduler_count(s, n);
    if (G_UNLIKELY(warp_scheduler_tells(s)) && s->outcome != ISSUED) {
        warp_scheduler_tell_slept(s, n);
    }
}

/* ---- life ---------------------------------------------------------------------------------- */

static void scheduler_reset(void *self)
{
    static const WwSimtView all_sure;
    WarpScheduler *s = self;
    s->simt_view = WW_BOUND(&s->simt) ? s->simt_if->view(s->simt.peer) : &all_sure;
    s->guest = 0;
    s->hazards = s->hazard_if->view(s->hazard.peer);
    const WwPolicyIf *p = s->policy_if;
    bool quick = s->hazards->exact && s->hazards->regs[0] != NULL && p->first != NULL;
    s->limited = quick && p->limits != NULL;
    s->quick = quick && p->limits == NULL && p->restless == NULL && p->considers == NULL &&
               p->guest == NULL;
    s->more = s->max_issue > 1 ? MORE : 0;
    s->tell_all = s->walking = false;
    s->quiet_cause = NOT_QUIET;
    s->blamed = -1;
    s->seen_long = s->strange = s->quick_can = 0;
    memset(s->told_waiting, 0, sizeof s->told_waiting);
    if (warp_scheduler_tells(s)) {
        s->pcs_if = WW_PCS(&s->pcs);
        s->book = s->pcs_if->book(s->pcs.peer);
        s->cycles = &s->book->scheduler[s->warps.ordinal];
    }
    s->view = (WwPolicyView){
        .warps = s->warps_if->view(s->warps.peer),
        .barriers = s->barriers_if->view(s->barriers.peer),
        .hazards = &s->hazard,
        .scheduler = s->warps.ordinal,
        .n_schedulers = s->schedulers,
    };
    for (uint32_t q = 0; q < N_QUEUES; q++) { /* the registers are there, too */
        s->slots[q] = s->set[q] != NULL ? ww_regs_for(s->port[q], s->view.scheduler) : 0;
    }
    s->started = false;
    s->turns = UNSTARTED;
    s->counting = false;
    s->blocked = s->blocked_long = 0;
    s->full = 0;
    warp_scheduler_forget_all(s);
    s->touches = 0;
    s->outcome = ISSUED;
    s->cause = CAUSE_NO_WARP;
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow scheduler_params[] = {
    WW_UINT(WarpScheduler, max_issue, "", "1", 1, MAX_ISSUE,
            "instructions that one warp may issue in a tick"),
    WW_BOOL(WarpScheduler, dual_issue_diff_units, "true",
            "instructions issued in one tick go to different unit classes"),
    WW_BOOL(WarpScheduler, atomics_block, "true",
            "a warp issues nothing while lanes of its atomics are outstanding, as in the "
            "reference; false: only what needs their results waits"),
    WW_BOOL(WarpScheduler, membar_needs_look, "true",
            "a memory barrier ends when its warp is looked at, as in the reference; false: as soon "
            "as nothing holds it"),
    WW_BOOL(WarpScheduler, membar_waits_stores, "false",
            "a memory barrier waits for its warp's stores and atomics, too, and for all that is "
            "in the pipeline; false: for registers only, as the reference does"),
    WW_BOOL(WarpScheduler, count_empty_as_stall, "true",
            "an instruction without active lanes counts as a stall, too, as in the reference"),
    WW_LIST(WarpScheduler, launch_latency, "cycles", "[7200, 8000, 100, 12000, 1600]", 0, 1 << 24,
            "of calls of the device-side launch interface, before they issue: create a stream; "
            "parameter buffer, for the warp and each lane; launch, for the warp and each lane"),
    WW_LIST(WarpScheduler, spec_categories, "", "[1, 2, 3, 4, 5, 6, 7, 8]", 1, WW_NUM_SPEC,
            "specialised category, SPEC1 to SPEC8, that goes to each spec port, in their order: "
            "[1, 3] for a machine without units for SPEC2"),
    {0},
};

static const WwGoneRow scheduler_gone[] = {
    {"schedulers", "as many as are joined to the warps (sm.schedulers)"},
    {0},
};

static const WwPortRow scheduler_ports[] = {
    WW_PORT_REQUIRES(WarpScheduler, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "hardware warps"),
    WW_PORT_REQUIRES(WarpScheduler, hazard, &ww_contract_scoreboard, 1, WW_RANK_CHECK,
                     "pending registers: checked, and reserved at issue"),
    WW_PORT_REQUIRES(WarpScheduler, barriers, &ww_contract_barriers, 1, WW_RANK_ISSUE,
                     "barriers and asynchronous copies"),
    WW_PORT_REQUIRES(WarpScheduler, policy, &ww_contract_scheduler, 1, NULL, "order of the warps"),
    WW_PORT_REQUIRES(WarpScheduler, simt, &ww_contract_simt, 0, NULL,
                     "what warps are expected to execute; unbound: what their i-buffers hold"),
    WW_PORT_PCS(WarpScheduler, "hears of issues, of what warps wait for, of lost slots"),
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
                  "specialised units, in the order of spec_categories"),
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
    WW_COUNTER(WarpScheduler, flushes, "groups",
               "i-buffers flushed because their warp had to execute something else"),
    WW_VECTOR(WarpScheduler, issued, "instructions", NULL, "instructions issued, by active lanes"),
    WW_VECTOR(
        WarpScheduler, warp_issue, "instructions", NULL,
        "issues by hardware warp; the k-th instruction of a tick counts k, as the reference does"),
    {.name = "cause",
     .kind = WW_STAT_VECTOR,
     .unit = "cycles",
     .doc = "why nothing issued: one cause a cycle, that of the warp nearest to issuing",
     .labels = warp_scheduler_causes,
     .n = N_CAUSES,
     .offset = offsetof(WarpScheduler, causes[0])},
    {0},
};

static const WwEntryRow scheduler_entries[] = {
    {.name = "issue",
     .phase = "core",
     .tick = scheduler_tick,
     .doc = "issue from one warp",
     .bound = "pcs",
     .tick_bound = telling_tick},
    {0},
};

static const WwEventField field_order =
    WW_EVENT_FIELD("order", WW_EVENT_NUMBER, "", "of issue in the SM");
static const WwEventField field_to =
    WW_EVENT_FIELD("to", WW_EVENT_LABEL, "", "the units that it goes to");
static const WwEventField field_expected =
    WW_EVENT_FIELD("expected", WW_EVENT_HEX, "bytes", "the pc that the warp goes on at");
static const WwEventField field_tries =
    WW_EVENT_FIELD("tries", WW_EVENT_NUMBER, "", "how often it is tried before it issues");
const WwEventRow warp_scheduler_events[] = {
    [LOG_ISSUE] = {"issue",
                   "warp",
                   "an instruction issues",
                   {&ww_field_inst, &ww_field_mask, &ww_field_registers, &ww_field_line,
                    &field_order, &field_to}},
    [LOG_FLUSH] = {"flush",
                   "warp",
                   "after a branch the i-buffer holds what is not executed: it is dropped",
                   {&ww_field_inst, &field_expected}},
    [LOG_LAUNCH] = {"launch",
                    "warp",
                    "a device-side launch begins to wait",
                    {&ww_field_inst, &field_tries}},
    {0},
};

const WwType warp_scheduler_type = {
    .abi = WW_ABI_VERSION,
    .name = "warp_scheduler",
    .doc = "Issues instructions of the warps of one scheduler in the order of its policy.",
    .family = "issue",
    .size = sizeof(WarpScheduler),
    .events = warp_scheduler_events,
    .params = scheduler_params,
    .gone = scheduler_gone,
    .ports = scheduler_ports,
    .stats = scheduler_stats,
    .entries = scheduler_entries,
    .init = warp_scheduler_init,
    .reset = scheduler_reset,
    .settle = scheduler_settle,
    .explain = warp_scheduler_explain,
    .carries = warp_scheduler_carries,
};
