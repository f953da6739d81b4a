/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a warp scheduler tells of its warps, where somebody is bound to its port `pcs` (run --pcs): in which state each is, and what lost
 * slots are lost to. It is worked out when the scheduler has a turn, and for the next one when it goes to sleep: until it is
 * woken nothing of it changes.
 *
 *     not live: drain | held: barrier | memory barrier | atomics | copies | no head: fetch | head waits for a register |
 *     head is ready: its port is full: unit, else another one issued: not_selected, or the policy leaves it out: policy
 *
 * The first that applies is the warp's state. Telling changes nothing that a model goes by.
 */
#include "warp_scheduler-priv.h"

static inline void enter(WarpScheduler *s, WwCycle at, uint32_t state, uint64_t warps)
{
    warps &= ~s->pcs_view->in[state];
    if (warps != 0) {
        s->pcs_if->enter(s->pcs.peer, warps, (WwStall)state, at);
    }
}

/* Warps of @p waiting are live and may not issue whatever their heads are. */
static __attribute__((noinline)) void tell_waiting(WarpScheduler *s, WwCycle at, uint64_t waiting)
{
    const WwBarrierView *b = s->view.barriers;
    uint64_t held = waiting & b->held;
    waiting &= ~held;
    uint64_t fenced = waiting & b->membar;
    fenced = fenced != 0 ? warp_scheduler_unsettled(s, fenced) : 0;
    waiting &= ~fenced;
    uint64_t atomic = waiting & warp_scheduler_atomics(s);
    enter(s, at, WW_STALL_BARRIER, held);
    enter(s, at, WW_STALL_MEMBAR, fenced);
    enter(s, at, WW_STALL_ATOMIC, atomic);
    enter(s, at, WW_STALL_ASYNC, waiting & ~atomic);
}

/*
 * Has port @p port no register? Nothing issues (@p asks): then the scheduler may sleep, and has to be woken when that changes.
 */
static inline bool is_full(const WarpScheduler *s, const WwPort *port, bool asks)
{
    return asks ? ww_regs_free(port, s->view.scheduler) < 0
                : ww_regs_none_free(port, s->view.scheduler);
}

/* The state of a warp whose head nobody has looked at in this tick. */
static uint32_t look_at(const WarpScheduler *s, uint32_t warp, uint32_t other)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    const WwInst *inst = w->ibuf[w->next];
    const Route *route = &s->route[inst->op];
    if ((inst->s->flags & WW_INST_CDP) != 0 && w->launch_paid) {
        return CAUSE_UNIT + UNIT_LAUNCH - 1;
    }
    if (s->hazard_if->collides(s->hazard.peer, warp, inst->s)) {
        return s->hazard_if->collides_long(s->hazard.peer, warp, inst->s) ? WW_STALL_LONG
                                                                          : WW_STALL_SHORT;
    }
    bool full = WW_BOUND(route->port) && is_full(s, route->port, other == WW_STALL_POLICY);
    return full ? CAUSE_UNIT + route->unit - 1 : other;
}

static __attribute__((noinline)) void tell_unknown(WarpScheduler *s, WwCycle at, uint64_t warps,
                                                   uint32_t other)
{
    for (; warps != 0; warps &= warps - 1) {
        uint32_t state = look_at(s, (uint32_t)__builtin_ctzll(warps), other);
        enter(s, at, state, warps & -warps);
    }
}

void warp_scheduler_tell(WarpScheduler *s, WwCycle at, uint64_t but)
{
    const WwWarpView *w = s->view.warps;
    uint64_t mine = s->view.mine & w->resident & ~but, live = mine & w->live;
    uint64_t can = live & s->can & ~s->view.barriers->held, heads = can & w->ibuf;
    uint64_t blocked = heads & s->blocked, slow = blocked & s->blocked_long;
    s->tell_all = true; /* of the warps in `but` nothing is known yet */
    uint32_t other = but != 0 ? WW_STATE_NOT_SELECTED : WW_STALL_POLICY;
    enter(s, at, WW_STALL_LONG, slow);
    enter(s, at, WW_STALL_SHORT, blocked ^ slow);
    enter(s, at, WW_STALL_FETCH, can ^ heads);
    if (mine != can) {
        enter(s, at, WW_STATE_DRAIN, mine ^ live);
        if (live != can) {
            tell_waiting(s, at, live ^ can);
        }
    }
    uint64_t ready = heads & ~blocked, unknown = ready & ~s->clear;
    for (ready ^= unknown; ready != 0;) {
        uint32_t q = s->queue[__builtin_ctzll(ready)];
        uint64_t to = ready & s->ready[q];
        bool full = is_full(s, s->port[q], but == 0);
        enter(s, at, full ? (uint32_t)(CAUSE_UNIT + s->unit[q] - 1) : other, to);
        ready ^= to;
    }
    if (G_UNLIKELY(unknown != 0)) {
        tell_unknown(s, at, unknown, other);
    }
}

/* ---- quick ticks ----------------------------------------------------------------------------- */

void warp_scheduler_tell_ready(WarpScheduler *s, uint64_t warps)
{
    for (uint64_t m = warps & ~s->pcs_view->in[WW_STATE_READY]; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        s->pcs_if->wait(s->pcs.peer, s->view.scheduler, warp,
                        warp_scheduler_ready(s, s->queue[warp]), ww_now(s));
    }
}

void warp_scheduler_tell_blocked(WarpScheduler *s, uint64_t warps)
{
    enter(s, ww_now(s), WW_STALL_LONG, warps & s->blocked_long);
    enter(s, ww_now(s), WW_STALL_SHORT, warps & ~s->blocked_long);
}

void warp_scheduler_tell_all(WarpScheduler *s, WwCycle at)
{
    const WwWarpView *w = s->view.warps;
    uint64_t mine = s->view.mine & w->resident, live = mine & w->live;
    uint64_t heads = s->can & w->ibuf, blocked = heads & s->blocked,
             slow = blocked & s->blocked_long;
    s->tell_all = false;
    enter(s, at, WW_STALL_LONG, slow);
    enter(s, at, WW_STALL_SHORT, blocked ^ slow);
    enter(s, at, WW_STALL_FETCH, s->can ^ heads);
    enter(s, at, WW_STATE_DRAIN, mine ^ live);
    tell_waiting(s, at, live & ~s->can);
    for (uint64_t m = s->view.candidates & ~s->pcs_view->in[WW_STATE_READY]; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        s->pcs_if->wait(s->pcs.peer, s->view.scheduler, warp,
                        warp_scheduler_ready(s, s->queue[warp]), at);
    }
}

void warp_scheduler_tell_passed(WarpScheduler *s, uint64_t left, uint32_t q, uint32_t full)
{
    for (left &= ~s->ready[q]; left != 0; left &= ~s->ready[q]) {
        q = s->queue[__builtin_ctzll(left)];
        full |= (uint32_t)ww_regs_none_free(s->port[q], s->view.scheduler) << q;
    }
    for (; full != 0; full &= full - 1) {
        s->pcs_if->passed(s->pcs.peer, s->view.scheduler, (uint32_t)__builtin_ctz(full));
    }
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Of several warps that lose the slot to the same cause, that with the lowest number. Another scheduler may move it on meanwhile. */
void warp_scheduler_blame_walk(WarpScheduler *s)
{
    uint64_t reach = s->view.mine | s->guest, warps = s->pcs_view->in[s->cause] & reach;
    if (warps == 0 && s->cause != CAUSE_NO_WARP) { /* those that the policy leaves out wait, too */
        warps = s->can & s->view.warps->ibuf & s->view.warps->live & reach;
    }
    s->pcs_if->blame(s->pcs.peer, s->view.scheduler, (WwStall)s->cause,
                     warps != 0 ? __builtin_ctzll(warps) : -1);
    s->lost_to = LOST_TO_BLAMED;
}
