/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tick of a warp scheduler that tries its warps one after the other, in the order of its policy: where looking at a warp has an effect
 * (memory barriers), where a warp is more than a trace makes it (a guest, one that strays, a device-side launch), and where scoreboard or
 * policy say no more than their tables of functions. All others are warp_scheduler.c's.
 */
#include "warp_scheduler_tell-priv.h"

/* ---- waiting ------------------------------------------------------------------------------- */

static void complete_membars(WarpScheduler *s, uint64_t warps)
{
    s->due &= ~warps;
    s->acted = true;
    for (; warps != 0; warps &= warps - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(warps);
        s->warps_if->fence(s->warps.peer, warp, false);
        s->barriers_if->complete_membar(s->barriers.peer, warp);
    }
}

/* Which of the clear candidates find no register? Their ports are asked, so that they tell when one is free. */
static void look_at_ports(WarpScheduler *s)
{
    uint64_t known = s->view.candidates & s->clear & ~(s->due | s->odd);
    s->full = 0;
    for (uint64_t left = known; left != 0;) {
        uint32_t q = s->queue[__builtin_ctzll(left)];
        left &= ~s->ready[q];
        if (warp_scheduler_room(s, q) < 0) {
            s->full |= known & s->ready[q];
        }
    }
}

/* Sorts the scheduler's warps into waiting ones and candidates. @p tells: a constant, here and below. */
static inline __attribute__((always_inline)) void look(WarpScheduler *s, bool tells)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t reach = s->view.mine | s->guest;
    uint64_t changed = s->hazards->changed & s->view.mine;
    if (changed != 0) {
        s->hazard_if->seen(s->hazard.peer, changed);
    }
    s->odd = s->guest | s->simt_view->unsure;
    changed |= s->odd;
    s->blocked &= ~changed;
    s->blocked_long &= ~changed;
    uint64_t open = reach & w->live & ~b->held;
    uint64_t fenced = open & b->membar;
    uint64_t unsettled = fenced != 0 ? warp_scheduler_unsettled(s, fenced) : 0;
    s->due = fenced & ~unsettled;
    s->can = open & ~(unsettled | warp_scheduler_atomics(s) | b->async);
    s->view.waiting = reach & ~s->can;
    if (s->due != 0 && !s->membar_needs_look) {
        complete_membars(s, s->due);
    } else if (s->due != 0 && s->policy_if->examines != NULL) {
        uint64_t examined = s->policy_if->examines(s->policy.peer, &s->view);
        if (s->due & examined) {
            complete_membars(s, s->due & examined);
        }
    }
    s->view.candidates = (s->can & w->ibuf & ~s->blocked) | s->due;
    if (G_UNLIKELY(s->touches != w->touches)) {
        warp_scheduler_forget_all(s); /* another scheduler has issued one of them */
    }
    if (tells) {
        s->seen_blocked &= ~changed;
        warp_scheduler_tell_sorted(s);
    }
    look_at_ports(s);
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
        if (!s->membar_needs_look || warp_scheduler_unsettled(s, bit) != 0) {
            return true;
        }
        complete_membars(s, bit);
    }
    return ((warp_scheduler_atomics(s) | b->async) & bit) != 0;
}

/* ---- issuing ------------------------------------------------------------------------------- */

/* Does it wait for a register? */
static inline bool collides(WarpScheduler *s, uint32_t warp, const WwInst *inst)
{
    if (!s->hazard_if->collides(s->hazard.peer, warp, inst->s)) {
        return false;
    }
    warp_scheduler_block(s, 1ull << warp,
                         s->hazard_if->collides_long(s->hazard.peer, warp, inst->s));
    return true;
}

/* A free register of the instruction's unit, or -1. */
static inline int free_register(WarpScheduler *s, const WwInst *inst, const Route *route,
                                Unit previous)
{
    if (G_UNLIKELY(!WW_BOUND(route->port))) {
        warp_scheduler_no_unit(s, inst);
        return -1;
    }
    int slot = s->dual_issue_diff_units && route->unit == previous
                   ? -1
                   : ww_regs_free(route->port, s->view.scheduler);
    if (slot < 0 && s->refused == UNIT_NONE) {
        s->refused = route->unit;
    }
    return slot;
}

/* Issues the head of a warp; false: not now. @p previous: unit of the instruction before. */
static bool try_head(WarpScheduler *s, uint32_t warp, Unit *previous)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    const WwInst *inst = w->ibuf[w->next];
    uint32_t launch = inst->s->flags & WW_INST_CDP;
    if (G_UNLIKELY(launch != 0) && warp_scheduler_launches(s, warp)) {
        return false;
    }
    if (G_UNLIKELY(s->odd >> warp & 1u) && warp_scheduler_strays(s, warp, inst)) {
        warp_scheduler_forget(s, warp);
        return false;
    }
    const Route *route = &s->route[inst->op];
    if (!(s->clear >> warp & 1u)) {
        if (collides(s, warp, inst)) {
            return false;
        }
        if (G_LIKELY(launch == 0 && WW_BOUND(route->port)) && s->hazards->exact &&
            (s->view.mine >> warp & 1u)) {
            warp_scheduler_remember(s, warp, route->queue);
        }
    }
    int slot = free_register(s, inst, route, *previous);
    if (slot < 0) {
        return false;
    }
    if (G_UNLIKELY(launch != 0) && warp_scheduler_must_launch(s, inst, route->unit)) {
        return false;
    }
    warp_scheduler_issue(s, warp, route, slot, *previous == UNIT_NONE);
    *previous = route->unit;
    return true;
}

/* Issues what @p warp may issue on top of @p n instructions, the last of them to @p previous; how many it is in all. */
static uint32_t issue_more(WarpScheduler *s, uint32_t warp, uint32_t n, Unit previous)
{
    uint64_t bit = 1ull << warp;
    while (n < s->max_issue && (s->view.warps->ibuf & ~s->blocked & bit) &&
           try_head(s, warp, &previous)) {
        s->warp_issue[warp] += ++n;
        if (waits(s, warp)) {
            break;
        }
    }
    return n;
}

uint32_t warp_scheduler_go_on(WarpScheduler *s, uint32_t warp, Unit previous)
{
    return waits(s, warp) ? 1 : issue_more(s, warp, 1, previous);
}

/* Issues from one candidate; how many instructions it was. */
static uint32_t try_warp(WarpScheduler *s, uint32_t warp)
{
    uint64_t bit = 1ull << warp;
    if (s->due & bit) {
        complete_membars(s, bit);
        if (!(s->can & bit)) {
            return 0;
        }
    }
    uint32_t n = issue_more(s, warp, 0, UNIT_NONE);
    if (G_UNLIKELY(s->odd & bit) && (s->guest & bit) && (n != 0 || s->acted)) {
        s->warps_if->touch(s->warps.peer, warp);
    }
    return n;
}

/* ---- the tick ------------------------------------------------------------------------------ */

/* What is of one tick. */
static inline __attribute__((always_inline)) void begin(WarpScheduler *s, bool tells)
{
    s->refused = UNIT_NONE;
    s->acted = s->counting = false;
    if (G_UNLIKELY(s->policy_if->guest != NULL)) {
        warp_scheduler_invite(s);
    }
    look(s, tells);
}

static WwRest issued(WarpScheduler *s, uint32_t warp, uint32_t n)
{
    s->outcome = ISSUED;
    *(n == 1 ? &s->single_issue : &s->dual_issue) += 1;
    s->policy_if->issued(s->policy.peer, &s->view, warp, n);
    return WW_AGAIN;
}

static inline __attribute__((always_inline)) WwRest nothing_issued(WarpScheduler *s, bool tells)
{
    warp_scheduler_find_cause(s);
    if (tells) {
        warp_scheduler_tell_idle(s);
    }
    warp_scheduler_count(s, 1);
    bool restless =
        s->policy_if->restless != NULL && s->policy_if->restless(s->policy.peer, &s->view);
    return s->acted || s->guest != 0 || restless ? WW_AGAIN : WW_SLEEP;
}

static inline __attribute__((always_inline)) WwRest walk(WarpScheduler *s, bool tells)
{
    uint8_t order[WW_MAX_WARPS];
    begin(s, tells);
    uint32_t n = s->policy_if->order(s->policy.peer, &s->view, order);
    if (G_UNLIKELY(n > WW_MAX_WARPS)) {
        return warp_scheduler_bad_policy(s, "orders this many warps:", n, WW_MAX_WARPS);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t warp = order[i];
        if (G_UNLIKELY(warp >= WW_MAX_WARPS)) {
            return warp_scheduler_bad_policy(s, "orders warp", warp, s->view.warps->slots - 1);
        }
        if (s->full >> warp & 1u) {
            s->refused = s->refused == UNIT_NONE ? (Unit)s->unit[s->queue[warp]] : s->refused;
            continue;
        }
        uint32_t of_it = s->view.candidates >> warp & 1u ? try_warp(s, warp) : 0;
        if (of_it != 0) {
            return issued(s, warp, of_it);
        }
    }
    return nothing_issued(s, tells);
}

WwRest warp_scheduler_walk(WarpScheduler *s)
{
    return walk(s, false);
}

WwRest warp_scheduler_walk_telling(WarpScheduler *s)
{
    return walk(s, true);
}
