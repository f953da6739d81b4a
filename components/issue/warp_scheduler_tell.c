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
 *
 * A quick tick tells of the warps whose heads it looks at, while it does (warp_scheduler.c); what is more comes here. A walk may try few of
 * its warps: for telling it looks once at each new head, and at all warps when others than before can issue.
 */
#include "warp_scheduler_tell-priv.h"

#include <string.h>

/* Warps that are live and may not issue whatever their heads are, by what holds them. */
typedef struct Waiting {
    uint64_t held, fenced, atomic, async;
} Waiting;

static Waiting sort_waiting(const WarpScheduler *s, uint64_t waiting)
{
    const WwBarrierView *b = s->view.barriers;
    Waiting w = {.held = waiting & b->held};
    waiting &= ~w.held;
    w.fenced = waiting & b->membar;
    w.fenced = w.fenced != 0 ? warp_scheduler_unsettled(s, w.fenced) : 0;
    waiting &= ~w.fenced;
    w.atomic = waiting & warp_scheduler_atomics(s);
    w.async = waiting & ~w.atomic;
    return w;
}

/* Tells that @p warps are in state @p state, those of which something else was told. */
static inline void put(WarpScheduler *s, WwCycle at, uint32_t state, uint64_t warps)
{
    for (; warps != 0; warps &= warps - 1) {
        if (s->book->warp[__builtin_ctzll(warps)].state != state) {
            s->pcs_if->enter(s->pcs.peer, warps & -warps, (WwStall)state, at);
            s->quiet_cause = NOT_QUIET;
        }
    }
}

static void put_waiting(WarpScheduler *s, WwCycle at, uint64_t waiting)
{
    Waiting w = sort_waiting(s, waiting);
    put(s, at, WW_STALL_BARRIER, w.held);
    put(s, at, WW_STALL_MEMBAR, w.fenced);
    put(s, at, WW_STALL_ATOMIC, w.atomic);
    put(s, at, WW_STALL_ASYNC, w.async);
}

/* Those of @p warps that were not READY are; or all, @p anew. */
static void put_ready(WarpScheduler *s, WwCycle at, uint64_t warps, bool anew)
{
    for (; warps != 0; warps &= warps - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(warps);
        if (s->book->warp[warp].state < WW_STATE_READY || anew) {
            uint32_t state = warp_scheduler_ready_state(s, s->queue[warp]);
            s->pcs_if->ready(s->pcs.peer, s->view.scheduler, warp, (WwStall)state, at);
            s->quiet_cause = NOT_QUIET;
        }
    }
}

void warp_scheduler_count_state(WarpScheduler *s, uint32_t warp, WwPcsRow *row, WwCycle at)
{
    ww_pcs_count(s->book, warp, row, at);
}

WwPcsRow *warp_scheduler_find_row(WarpScheduler *s, WwPcsWarp *w, uint32_t id)
{
    const WwPcsBook *b = s->book;
    WwPcsRow *row = ww_pcs_row(&s->pcs, w, (uint32_t)(w - b->warp), id);
    WwPcsRow *old = ww_pcs_is_placed(b, w) ? w->row : row;
    if (w->last != b->nobody) {
        w->last->next = row;
    }
    w->row = row;
    return old;
}

/* The row at which warp @p warp is: that of what it fetches, most of the time. */
static inline WwPcsRow *place_of(WarpScheduler *s, uint32_t warp)
{
    WwPcsWarp *w = &s->book->warp[warp];
    const WwWarp *shown = &s->view.warps->warp[warp];
    if (w->state == WW_STALL_FETCH && shown->ibuf[shown->next] == NULL &&
        shown->cursor != shown->n_trace) {
        return w->row = ww_pcs_row(&s->pcs, w, warp, ww_warp_decodes(shown));
    }
    return ww_pcs_place(&s->pcs, s->book, warp);
}

/* The lowest of warps that lose the slot to the same. */
static __attribute__((noinline)) void blame_lowest(WarpScheduler *s, uint64_t warps)
{
    WwPcsRow *row = warps != 0 ? place_of(s, (uint32_t)__builtin_ctzll(warps)) : s->book->nobody;
    s->cycles->lost = &row->slots[s->cause];
}

/* Those of @p warps that are in the state that the slot is lost to. */
static uint64_t blamed(const WarpScheduler *s, uint64_t warps)
{
    uint64_t found = 0;
    for (; warps != 0; warps &= warps - 1) {
        found |= s->book->warp[__builtin_ctzll(warps)].state == s->cause ? warps & -warps : 0;
    }
    return found;
}

/* The first of @p ready, which are READY, that waits for what the slot is lost to; 0: none. */
static uint64_t blamed_ready(const WarpScheduler *s, uint64_t ready)
{
    if (s->cause == CAUSE_POLICY) {
        return ready & ~s->cycles->full;
    }
    uint64_t m = s->cause >= CAUSE_UNIT ? s->cycles->full : 0;
    uint32_t state = WW_STATE_READY + s->cause - CAUSE_UNIT;
    while (m != 0 && s->book->warp[__builtin_ctzll(m)].state != state) {
        m &= m - 1;
    }
    return m & -m;
}

/*
 * Has port @p port no register? Nothing issues (@p asks): then the scheduler may sleep, and has to be woken when that changes.
 */
static inline bool is_full(const WarpScheduler *s, const WwPort *port, bool asks)
{
    return asks ? ww_regs_free(port, s->view.scheduler) < 0
                : ww_regs_none_free(port, s->view.scheduler);
}

/* ---- quick ticks ----------------------------------------------------------------------------- */

void warp_scheduler_tell_all(WarpScheduler *s, WwCycle at)
{
    const WwWarpView *w = s->view.warps;
    uint64_t mine = s->view.mine & w->resident, live = mine & w->live;
    /* Of the others was told when their heads were looked at, or they issued: one instruction. */
    bool all = s->walking || s->max_issue > 1;
    uint64_t can = all ? s->can : s->can & ~s->quick_can;
    uint64_t heads = can & w->ibuf, blocked = heads & s->blocked, slow = blocked & s->blocked_long;
    s->quick_can = s->can;
    put(s, at, WW_STALL_LONG, slow);
    put(s, at, WW_STALL_SHORT, blocked ^ slow);
    put(s, at, WW_STALL_FETCH, can ^ heads);
    put(s, at, WW_STATE_DRAIN, mine ^ live);
    put_waiting(s, at, live & ~s->can);
    put_ready(s, at, s->view.candidates & can, s->walking);
    s->tell_all = s->walking = s->counting = false;
    s->cycles->walks = s->limited;
    s->cycles->out = 0;
    s->cycles->other = WW_STALL_POLICY;
    s->seen_blocked = 0;
}

void warp_scheduler_tell_passed(WarpScheduler *s, uint64_t left, uint32_t q)
{
    ww_pcs_passed(s->book, s->view.candidates & ~left);
    for (left &= ~s->ready[q]; left != 0; left &= ~s->ready[q]) {
        q = s->queue[__builtin_ctzll(left)];
        if (ww_regs_none_free(s->port[q], s->view.scheduler)) {
            ww_pcs_passed(s->book, left & s->ready[q]);
        }
    }
}

/* Of @p ready, those whose ports have no register. @p asks: as below. */
static inline uint64_t full_of(const WarpScheduler *s, uint64_t ready, bool asks)
{
    uint64_t full = 0;
    for (uint64_t left = ready; left != 0;) {
        uint32_t q = s->queue[__builtin_ctzll(left)];
        left &= ~s->ready[q];
        full |= is_full(s, s->port[q], asks) ? ready & s->ready[q] : 0;
    }
    return full;
}

void warp_scheduler_tell_limited(WarpScheduler *s, uint64_t ready, uint32_t q)
{
    ww_pcs_passed(s->book, full_of(s, ready & ~s->ready[q], false));
}

uint64_t warp_scheduler_limited_full(WarpScheduler *s, uint64_t ready)
{
    return full_of(s, ready, true);
}

void warp_scheduler_blame_waiting(WarpScheduler *s)
{
    blame_lowest(s, s->cause != CAUSE_NO_WARP ? blamed(s, s->view.mine) : 0);
}

uint64_t warp_scheduler_blamed_ready(const WarpScheduler *s, uint64_t ready)
{
    uint64_t warps = blamed_ready(s, ready);
    return warps != 0 ? warps
                      : s->can & s->view.warps->ibuf; /* those that are left out wait, too */
}

/* ---- walks ----------------------------------------------------------------------------------- */

void warp_scheduler_begin_walks(WarpScheduler *s)
{
    s->tell_all = true;
    if (s->walking) {
        return;
    }
    s->walking = true;
    s->quiet_cause = NOT_QUIET;
    s->blamed = -1;
    s->told_can = UINT64_MAX;
    s->seen_blocked = 0;
    s->cycles->walks = true;
}

/* Does the head of @p warp, which is of @p si, wait for a register? Then whether a long operation writes one. */
static inline bool collides(const WarpScheduler *s, uint32_t warp, const WwSinst *si, bool *slow)
{
    if (s->hazards->regs[0] != NULL) {
        uint32_t known = ww_hazard_regs(s->hazards, warp, si);
        *slow = (known & WW_REG_SLOW) != 0;
        return (known & WW_REG_PENDING) != 0;
    }
    bool waits = s->hazard_if->collides(s->hazard.peer, warp, si);
    *slow = waits && s->hazard_if->collides_long(s->hazard.peer, warp, si);
    return waits;
}

/* Each is in seen_blocked or `clear` then, until a register of it is released or it issues; or it is strange. */
void warp_scheduler_look_at_heads(WarpScheduler *s, uint64_t warps)
{
    s->quiet_cause = NOT_QUIET;
    for (; warps != 0; warps &= warps - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(warps);
        uint64_t bit = warps & -warps;
        const WwWarp *w = &s->view.warps->warp[warp];
        const WwInst *inst = w->ibuf[w->next];
        const WwSinst *si = inst->s;
        const Route *route = &s->route[inst->op];
        bool slow;
        if (!s->hazards->exact || (s->odd & bit) || (si->flags & WW_INST_CDP) != 0 ||
            !WW_BOUND(route->port)) {
            s->strange |= bit;
            continue;
        }
        WwPcsWarp *told = warp_scheduler_tell_head(s, warp, si->id, ww_now(s), false);
        if (collides(s, warp, si, &slow)) {
            s->seen_blocked |= bit;
            s->seen_long = slow ? s->seen_long | bit : s->seen_long & ~bit;
            told->state = slow ? WW_STALL_LONG : WW_STALL_SHORT;
        } else {
            warp_scheduler_remember(s, warp, route->queue);
            ww_pcs_begin_ready(told, s->cycles, WW_STATE_READY + route->unit - 1u);
        }
    }
}

void warp_scheduler_tell_can(WarpScheduler *s, uint64_t can, uint64_t heads)
{
    uint64_t slow, blocked = warp_scheduler_wait_for_register(s, heads, &slow);
    put(s, ww_now(s), WW_STALL_LONG, slow);
    put(s, ww_now(s), WW_STALL_SHORT, blocked ^ slow);
    put(s, ww_now(s), WW_STALL_FETCH, can ^ heads);
    put_ready(s, ww_now(s), heads & ~(blocked | s->strange), false);
    s->told_can = can;
    s->told_waiting[0] = UINT64_MAX; /* they may wait again */
    s->quiet_cause = NOT_QUIET;
}

void warp_scheduler_tell_waiting(WarpScheduler *s, uint64_t can)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t mine = s->view.mine & w->resident, live = mine & w->live;
    uint64_t held = mine & b->held, async = mine & b->async, atomics = mine & w->atomics;
    uint64_t *told = s->told_waiting;
    uint64_t differ = (told[0] ^ mine) | (told[1] ^ live) | (told[2] ^ can) | (told[3] ^ held) |
                      (told[4] ^ async) | (told[5] ^ atomics);
    if (((live & b->membar) | differ) != 0) {
        memcpy(told, (const uint64_t[]){mine, live, can, held, async, atomics},
               sizeof s->told_waiting);
        put(s, ww_now(s), WW_STATE_DRAIN, mine ^ live);
        put_waiting(s, ww_now(s), live & ~can);
    }
}

/* The state of a warp whose head is not what it seems, or whose scoreboard has rules of its own: of this turn only. */
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

uint64_t warp_scheduler_tell_odd(WarpScheduler *s, uint64_t ready, uint64_t but)
{
    uint64_t full = 0;
    for (uint64_t m = ready; m != 0; m &= m - 1) {
        const WwPort *port = s->port[s->queue[__builtin_ctzll(m)]];
        full |= is_full(s, port, but == 0) ? m & -m : 0;
    }
    for (uint64_t m = s->strange & ~but; m != 0; m &= m - 1) {
        put(s, ww_now(s), look_at(s, (uint32_t)__builtin_ctzll(m), s->cycles->other), m & -m);
    }
    return full;
}

/* The guest, if its own scheduler said in its last turn that it waits for what the slot is lost to. */
static WW_COLD uint64_t blamed_guest(const WarpScheduler *s)
{
    uint32_t warp = (uint32_t)__builtin_ctzll(s->guest);
    const WwPcsWarp *w = &s->book->warp[warp];
    const WwPcsScheduler *k = &s->book->scheduler[w->scheduler];
    if (w->state < WW_STATE_READY || !k->walks) {
        return blamed(s, s->guest);
    }
    uint32_t unit = w->state - WW_STATE_READY + WW_STALL_UNIT;
    return (k->full >> warp & 1u ? unit : k->other) == s->cause ? s->guest : 0;
}

/* Of several warps that lose the slot to the same cause, that with the lowest number. Another scheduler may move it on meanwhile. */
void warp_scheduler_blame_walk(WarpScheduler *s, uint64_t ready)
{
    uint64_t can = s->can & s->view.mine, heads = can & s->view.warps->ibuf;
    uint64_t slow, blocked = warp_scheduler_wait_for_register(s, heads, &slow);
    uint64_t warps = s->cause == CAUSE_LONG    ? slow
                     : s->cause == CAUSE_SHORT ? blocked ^ slow
                     : s->cause == CAUSE_FETCH ? can ^ heads
                     : s->cause < CAUSE_FETCH  ? blamed(s, s->view.mine & ~can)
                                               : blamed_ready(s, ready);
    warps |= blamed(s, s->strange);
    if (G_UNLIKELY(s->guest != 0)) {
        warps |= blamed_guest(s);
    }
    if (warps == 0 && s->cause != CAUSE_NO_WARP) { /* those that the policy leaves out wait, too */
        warps = s->can & s->view.warps->ibuf & s->view.warps->live & (s->view.mine | s->guest);
    }
    blame_lowest(s, warps);
}
