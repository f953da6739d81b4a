/* SPDX-License-Identifier: Apache-2.0 */
/* The ticks of `warp_scheduler`: what an issue is, which warps may, and the quick tick (warp_scheduler.c explains them). */
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

/* What an issue was: its active lanes, and MORE. @p out: what was issued. */
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
    s->quiet_cause = NOT_QUIET; /* slots are lost to what it has next */
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

/* Was an instruction ready, and its port full? That is the cause then. */
static inline bool is_refused(WarpScheduler *s)
{
    bool refused = s->refused != UNIT_NONE;
    if (refused) {
        s->outcome = STALL;
        s->cause = CAUSE_UNIT + (Cause)s->refused - 1;
    }
    return refused;
}

/* Nothing can issue: why? @p tells: notes whom slots are lost to, if it was no warp that found its port full; a constant. */
static inline __attribute__((always_inline)) void find_cause(WarpScheduler *s, bool tells)
{
    uint64_t blocked = s->can & s->view.warps->ibuf & s->blocked;
    if (is_refused(s)) {
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

/* Who issues, of the candidates. */
typedef struct Choice {
    uint32_t warp, queue;
    int slot;      /* of the queue's port */
    uint64_t left; /* Candidates, but for those whose port was found without room before. */
    uint64_t full; /* Warps that are ready for such a port, if that is told. */
    uint32_t
        refused; /* The first queue whose port was; `WarpScheduler.refused` is its unit, or none. */
} Choice;

typedef enum Chosen { CHOSEN, NOBODY, BAD } Chosen;

/* Of @p ready warps. The policy is asked where there is a choice, once for all that go to the same port. BAD: it says what no policy may. */
static inline __attribute__((always_inline)) Chosen choose(WarpScheduler *s, uint64_t ready,
                                                           bool tells, bool limits, Choice *c)
{
    s->refused = UNIT_NONE;
    c->full = 0;
    c->refused = 0;
    for (c->left = s->view.candidates; c->left != 0; c->left &= ~s->ready[c->queue]) {
        c->warp = (uint32_t)__builtin_ctzll(c->left);
        if ((c->left & (c->left - 1)) != 0) {
            c->warp = s->policy_if->first(s->policy.peer, &s->view, c->left);
            if (G_UNLIKELY(c->warp >= WW_MAX_WARPS || !(c->left >> c->warp & 1u))) {
                return BAD;
            }
        }
        c->queue = s->queue[c->warp];
        c->slot = warp_scheduler_room(s, c->queue);
        if (c->slot >= 0) {
            return CHOSEN;
        }
        if (s->refused == UNIT_NONE) {
            s->refused = (Unit)s->unit[c->queue];
            s->blamed = tells && !limits ? (int32_t)c->warp : s->blamed;
            c->refused = c->queue;
        }
        c->full |= tells && limits ? ready & s->ready[c->queue] : 0;
    }
    return NOBODY;
}

/* Nothing issues of the candidates, nor of others that are @p ready where the policy leaves some out. */
static inline __attribute__((always_inline)) WwRest nothing_to_issue(WarpScheduler *s,
                                                                     uint64_t ready,
                                                                     const Choice *c, bool tells,
                                                                     bool limits)
{
    const WwPolicyIf *p = s->policy_if;
    if (!limits) {
        find_cause(s, tells);
        if (tells) {
            warp_scheduler_tell_slept(s, 1);
        }
        warp_scheduler_count(s, 1);
        return WW_SLEEP;
    }
    bool refused = is_refused(s);
    if (!refused) {
        warp_scheduler_find_cause(s);
    }
    if (tells) {
        warp_scheduler_tell_limited_idle(s, ready, c->full, refused, c->refused);
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

/* The chosen warp issues, and what of it goes on in this tick. */
static inline __attribute__((always_inline)) WwRest issue_chosen(WarpScheduler *s, const Choice *c,
                                                                 bool tells, bool limits)
{
    const WwInst *inst;
    uint32_t done = issue(s, c->warp, s->way[c->queue], c->slot, &inst), n = 1;
    bool more = done >= MORE;
    s->warp_issue[c->warp]++;
    if (tells) {
        tell(s, c->warp, inst, done, limits);
    }
    if (G_UNLIKELY(more)) {
        n = warp_scheduler_go_on(s, c->warp, (Unit)s->unit[c->queue]);
        s->tell_all |= tells && limits;
    }
    s->outcome = ISSUED;
    *(n == 1 ? &s->single_issue : &s->dual_issue) += 1;
    s->policy_if->issued(s->policy.peer, &s->view, c->warp, n);
    if (limits) {
        s->quiet_cause = NOT_QUIET;
        return WW_AGAIN;
    }
    return look_ahead(s, c->warp, more, tells);
}

/*
 * A tick of its four kinds, by two constants: @p tells, somebody is bound to `pcs` and told of each warp; @p limits, the policy leaves warps out. It says
 * which, and is not asked ahead: what it would say in the next cycle, only that cycle tells.
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
    uint64_t ready = s->view.candidates;
    if (limits) {
        s->view.candidates &= s->policy_if->limits(s->policy.peer, &s->view);
    }
    Choice c;
    Chosen chosen = choose(s, ready, tells, limits, &c);
    if (chosen == NOBODY) {
        return nothing_to_issue(s, ready, &c, tells, limits);
    }
    if (G_UNLIKELY(chosen == BAD)) {
        return bad_choice(s, c.warp);
    }
    if (tells && limits && (ready & ~s->ready[c.queue]) != 0) {
        warp_scheduler_tell_limited(s, ready, c.queue);
    } else if (tells && !limits && (s->view.candidates & ~s->ready[c.queue]) != 0) {
        warp_scheduler_tell_passed(s, c.left, c.queue);
    }
    return issue_chosen(s, &c, tells, limits);
}

/* The turns of a scheduler of whom nobody is told. */
WwRest warp_scheduler_tick(void *self)
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
WwRest warp_scheduler_telling_tick(void *self)
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
    return warp_scheduler_telling_tick(s);
}

void warp_scheduler_settle(void *self, uint32_t entry, uint64_t n)
{
    WarpScheduler *s = self;
    warp_scheduler_count(s, n);
    if (G_UNLIKELY(warp_scheduler_tells(s)) && s->outcome != ISSUED) {
        warp_scheduler_tell_slept(s, n);
    }
}
