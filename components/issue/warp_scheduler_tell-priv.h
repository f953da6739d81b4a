/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What ticks of a warp scheduler tell of its warps (ports/pcs_book.h), in line; what is more is in warp_scheduler_tell.c. Only where somebody is
 * bound to its port `pcs`.
 */
#pragma once

#include "warp_scheduler-priv.h"

/* ---- quick ticks --------------------------------------------------------------------------- */

/** Tells of all warps of which something else was told last. */
void warp_scheduler_tell_all(WarpScheduler *s, WwCycle at);
/** An instruction goes to port @p q; the ports of candidates other than @p left are full, those of @p left, of which it is one, were not asked. */
void warp_scheduler_tell_passed(WarpScheduler *s, uint64_t left, uint32_t q);
/** The same where the policy has limits(): of all that are @p ready, those whose ports are full do not wait for the instruction that goes to @p q. */
void warp_scheduler_tell_limited(WarpScheduler *s, uint64_t ready, uint32_t q);
/** There, nothing issues: of those that are @p ready, the ones whose ports are full, which are asked. */
uint64_t warp_scheduler_limited_full(WarpScheduler *s, uint64_t ready);
/** There, those that slots are lost to, of them that are @p ready: where the policy left some out, or the unit is several. */
uint64_t warp_scheduler_blamed_ready(const WarpScheduler *s, uint64_t ready);
/** Notes whom slots are lost to where no warp has, or waits for, a head that is to blame. */
void warp_scheduler_blame_waiting(WarpScheduler *s);
/** Warp @p warp, which is at @p row, has been in its state up to cycle @p at: any state. */
void warp_scheduler_count_state(WarpScheduler *s, uint32_t warp, WwPcsRow *row, WwCycle at);

/** The next instruction of @p w is @p id, which is not what it has at hand: finds its row. Where its cycles up to now count. */
WwPcsRow *warp_scheduler_find_row(WarpScheduler *s, WwPcsWarp *w, uint32_t id);

/**
 * The head of @p warp, which is of instruction @p id, has been looked at: the warp has been in its state up to cycle @p at. @p next: a
 * constant, it has issued in this cycle, and is in none before the next one.
 */
static inline __attribute__((always_inline)) WwPcsWarp *warp_scheduler_tell_head(
    WarpScheduler *s, uint32_t warp, uint32_t id, WwCycle at, bool next)
{
    WwPcsWarp *w = ww_pcs_warp(s->book, warp);
    WwPcsRow *row = w->row;
    if (G_UNLIKELY(row->id != id)) {
        row = warp_scheduler_find_row(s, w, id);
    }
    if (!next && w->since < at) {
        if (G_LIKELY(w->state < WW_STATE_NOT_SELECTED)) {
            row->states[w->state] += at - w->since;
            w->since = at;
            ww_pcs_take_lost(w, row);
        } else {
            warp_scheduler_count_state(s, warp, row, at);
        }
    }
    return w;
}

/** The state of a ready warp whose head goes to the unit of queue @p q. */
static inline uint32_t warp_scheduler_ready_state(const WarpScheduler *s, uint32_t q)
{
    return WW_STATE_READY + s->unit[q] - 1u;
}

/**
 * Notes whom slots are lost to for which no head of a warp is to blame: mostly one that fetches. Where there are guests another scheduler may
 * issue it before slots that were slept through are put down: then the row has to be known now.
 */
static inline void warp_scheduler_blame_idle(WarpScheduler *s)
{
    uint64_t warps = s->can & ~s->view.warps->ibuf;
    s->blamed = -1;
    if (G_LIKELY(s->cause == CAUSE_FETCH && warps != 0 && s->policy_if->guest == NULL)) {
        s->cycles->lost = &s->book->warp[__builtin_ctzll(warps)].lost;
    } else {
        warp_scheduler_blame_waiting(s);
    }
}

/** Where the policy has limits(), notes whom slots are lost to where no port was refused. All heads have been looked at, none is strange. */
static inline void warp_scheduler_blame_limited(WarpScheduler *s, uint64_t ready)
{
    uint64_t warps;
    if (s->cause == CAUSE_LONG || s->cause == CAUSE_SHORT) {
        warps = s->can & s->view.warps->ibuf & s->blocked &
                (s->blocked_long ^ (s->cause == CAUSE_LONG ? 0 : UINT64_MAX));
    } else if (s->cause <= CAUSE_FETCH) {
        warp_scheduler_blame_idle(s);
        return;
    } else {
        warps = warp_scheduler_blamed_ready(s, ready);
    }
    s->cycles->lost = &s->book->warp[__builtin_ctzll(warps)].row->slots[s->cause];
}

/**
 * There, nothing issues: of those that are @p ready, the ports of @p full have no room, the others' are asked. @p refused: a constant, some port has
 * none, first of all that of queue @p q.
 */
static inline __attribute__((always_inline)) void warp_scheduler_tell_limited_idle(
    WarpScheduler *s, uint64_t ready, uint64_t full, bool refused, uint32_t q)
{
    WwPcsScheduler *k = s->cycles;
    uint64_t out = ready & ~full;
    if (out != 0) {
        full |= warp_scheduler_limited_full(s, out);
        out = ready & ~full;
        ww_pcs_left_out(s->book, out, 1);
    }
    bool quiet = s->cause == s->quiet_cause && full == k->full; /* as in the tick before */
    k->full = full;
    k->out = out;
    if (!quiet) {
        s->quiet_cause = s->cause;
        if (!refused) {
            warp_scheduler_blame_limited(s, ready);
        } else {
            /* All that wait for a unit do so at one port, but for those of which there are several. */
            uint64_t warps = s->refused != UNIT_SPEC ? ready & s->ready[q]
                                                     : warp_scheduler_blamed_ready(s, ready);
            k->lost = &s->book->warp[__builtin_ctzll(warps)].row->slots[s->cause];
        }
    }
    ++*k->lost;
}

/** Slots of ticks that were slept through, in which nothing issued. */
static inline void warp_scheduler_tell_slept(WarpScheduler *s, uint64_t slots)
{
    WwPcsScheduler *k = s->cycles;
    if (G_LIKELY(s->blamed >= 0)) {
        s->book->warp[s->blamed].row->slots[s->cause] += slots;
        return;
    }
    *k->lost += slots;
    ww_pcs_left_out(s->book, k->out, slots);
}

/* ---- walks --------------------------------------------------------------------------------- */

/** A quick scheduler walks. */
void warp_scheduler_begin_walks(WarpScheduler *s);
/** Looks at the heads of @p warps, which nobody has looked at. */
void warp_scheduler_look_at_heads(WarpScheduler *s, uint64_t warps);
/** Tells of all warps; of them @p can can issue, @p heads have an instruction to. */
void warp_scheduler_tell_can(WarpScheduler *s, uint64_t can, uint64_t heads);
/** Tells of the others than @p can, which wait whatever their heads are; if anything is other than it was. */
void warp_scheduler_tell_waiting(WarpScheduler *s, uint64_t can);
/** Of warps whose ports nobody asked, or whose state is of this tick only: those of @p ready that have no room. @p but: see below. */
uint64_t warp_scheduler_tell_odd(WarpScheduler *s, uint64_t ready, uint64_t but);
/** Nothing issues: notes whom slots are lost to. */
void warp_scheduler_blame_walk(WarpScheduler *s, uint64_t ready);

/** The warps have been sorted: tells in which state they are from this cycle on. */
static inline void warp_scheduler_tell_sorted(WarpScheduler *s)
{
    const WwWarpView *w = s->view.warps;
    uint64_t can = s->can & s->view.mine, heads = can & w->ibuf;
    uint64_t unknown = heads & (~(s->blocked | s->seen_blocked | s->clear) | s->odd);
    s->strange = 0;
    s->unasked = s->due; /* of which looking may be the end */
    if (unknown != 0) {
        warp_scheduler_look_at_heads(s, unknown);
    }
    if (can != s->told_can || G_UNLIKELY((s->odd & s->view.mine) != 0)) {
        warp_scheduler_tell_can(s, can, heads);
    }
    if ((s->view.mine & w->resident) != can) {
        warp_scheduler_tell_waiting(s, can);
    }
}

/** Warps whose state is READY, but for those of @p but: the one that issues; 0: nothing does. Sets whose ports are full. */
static inline uint64_t warp_scheduler_tell_ready(WarpScheduler *s, uint64_t but)
{
    uint64_t ready = s->can & s->view.mine & s->view.warps->ibuf & s->clear & ~(s->odd | but);
    s->cycles->full = ready & s->full;
    s->cycles->other = but != 0 ? WW_STATE_NOT_SELECTED : WW_STALL_POLICY;
    if (G_UNLIKELY(((ready & s->unasked) | (s->strange & ~but)) != 0)) {
        s->cycles->full |= warp_scheduler_tell_odd(s, ready & s->unasked, but);
    }
    return ready;
}

/** Warp @p warp is about to issue @p inst, the first instruction of this cycle. */
static inline void warp_scheduler_tell_issue(WarpScheduler *s, uint32_t warp, const WwInst *inst)
{
    WwPcsWarp *w = &s->book->warp[warp];
    WwCycle now = ww_now(s);
    warp_scheduler_tell_ready(s, 1ull << warp);
    ww_pcs_passed(s->book, s->cycles->full);
    s->quiet_cause = NOT_QUIET;
    if (G_UNLIKELY(w->since > now)) { /* another scheduler has issued it in this cycle */
        s->pcs_if->issued(s->pcs.peer, s->view.scheduler, inst, true);
        return;
    }
    WwPcsRow *row =
        ww_pcs_is_placed(s->book, w) ? w->row : ww_pcs_row(&s->pcs, w, warp, inst->s->id);
    if (w->since < now) {
        ww_pcs_count(s->book, warp, row, now);
    }
    if (G_UNLIKELY(row->id != inst->s->id)) { /* it is of the warp's kernel, or nobody's */
        row = ww_pcs_row(&s->pcs, w, warp, inst->s->id);
    }
    ww_pcs_select(w, row, now);
    row->idle_lanes += WW_WARP_SIZE - ww_inst_lanes(inst);
    s->cycles->issued++;
}

/** Warps of @p heads that wait for a register, and of these for one that a long operation writes. */
static inline uint64_t warp_scheduler_wait_for_register(const WarpScheduler *s, uint64_t heads,
                                                        uint64_t *slow)
{
    uint64_t blocked = heads & (s->blocked | s->seen_blocked) & ~s->strange;
    *slow = blocked & (s->blocked_long | (s->seen_long & ~s->blocked));
    return blocked;
}

/** Nothing issues: notes whom slots are lost to, which is mostly a warp that waits for a register. */
static inline void warp_scheduler_blame_for(WarpScheduler *s, uint64_t ready)
{
    if (G_LIKELY((s->cause == CAUSE_LONG || s->cause == CAUSE_SHORT) &&
                 (s->strange | s->guest) == 0)) {
        uint64_t heads = s->can & s->view.mine & s->view.warps->ibuf, slow;
        uint64_t blocked = warp_scheduler_wait_for_register(s, heads, &slow);
        uint64_t warps = s->cause == CAUSE_LONG ? slow : blocked ^ slow;
        const WwPcsWarp *w = &s->book->warp[__builtin_ctzll(warps | 1ull << 63)];
        if (G_LIKELY(warps != 0 && ww_pcs_is_placed(s->book, w))) {
            s->cycles->lost = &w->row->slots[s->cause];
            return;
        }
    }
    warp_scheduler_blame_walk(s, ready);
}

/** Nothing issues in this cycle, and why is found out. */
static inline void warp_scheduler_tell_idle(WarpScheduler *s)
{
    WwPcsScheduler *k = s->cycles;
    uint64_t full = k->full, ready = warp_scheduler_tell_ready(s, 0);
    k->out = ready & ~k->full;
    ww_pcs_left_out(s->book, k->out, 1);
    if (full != k->full || s->cause != s->quiet_cause || s->guest != 0) {
        warp_scheduler_blame_for(s, ready);
        s->quiet_cause = s->guest == 0 ? s->cause : NOT_QUIET;
    }
    ++*k->lost;
}
