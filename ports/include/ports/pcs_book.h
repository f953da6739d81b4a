/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * How a scheduler writes into the book of a provider of `pcs` (ports/pcs.h) what its turns do: some 60 instructions of the host for an
 * instruction of a warp, none for a turn in which no warp comes to wait for something else.
 *
 * A warp is in one state at a time, at one instruction: the one that it is to issue next; where it waits for what it has issued (a
 * barrier, an atomic, a copy, its end), that one. Nothing is done in a cycle in which it stays there: when it enters another state, the
 * cycles since are added to the row of the old one.
 *
 * A warp that is READY waits for its unit while its scheduler issues nothing, or the port to it is full, and is not selected in all other
 * cycles; or the policy leaves it out, where nothing issues and the port has room. That is what the scheduler's cycles tell when
 * the warp has waited.
 */
#pragma once

#include <ports/pcs.h>

/**
 * Adds the cycles since @p w, warp number @p warp of scheduler @p k, became READY, up to cycle @p at: not none. It begins anew with others.
 * @p walks: its scheduler may; a constant where that counts.
 */
static inline void ww_pcs_count_ready(WwPcsBook *b, const WwPcsScheduler *k, WwPcsWarp *w,
                                      uint32_t warp, WwPcsRow *row, WwCycle at, bool walks)
{
    uint64_t others = k->issued - w->others, cycles = at - w->since - others;
    if (walks && w->left != 0) {
        row->states[WW_STALL_POLICY] += w->left;
        cycles -= w->left;
        w->left = 0;
    }
    row->states[w->state - WW_STATE_READY + WW_STALL_UNIT] += cycles;
    row->states[WW_STATE_NOT_SELECTED] += others;
    b->not_selected[warp] += others;
}

/** What warp @p w fetches, or did up to now, is what @p row is of. */
static inline void ww_pcs_take_lost(WwPcsWarp *w, WwPcsRow *row)
{
    row->slots[WW_STALL_FETCH] += w->lost;
    w->lost = 0;
}

/** Warp @p warp has been in its state up to cycle @p at, and not since then; it is at @p row. */
static inline void ww_pcs_count(WwPcsBook *b, uint32_t warp, WwPcsRow *row, WwCycle at)
{
    WwPcsWarp *w = &b->warp[warp];
    if (w->state >= WW_STATE_READY) {
        const WwPcsScheduler *k = &b->scheduler[w->scheduler];
        ww_pcs_count_ready(b, k, w, warp, row, at, true);
        w->others = k->issued;
    } else {
        row->states[w->state] += at - w->since;
        b->not_selected[warp] += w->state == WW_STATE_NOT_SELECTED ? at - w->since : 0;
        ww_pcs_take_lost(w, row);
    }
    w->since = at;
}

/** Warp @p w is READY from now on: @p state. @p k: its scheduler's. */
static inline void ww_pcs_begin_ready(WwPcsWarp *w, const WwPcsScheduler *k, uint32_t state)
{
    w->state = state;
    w->others = k->issued;
}

/** In a cycle in which their scheduler issues the port of @p warps is full, which are READY. */
static inline void ww_pcs_passed(WwPcsBook *b, uint64_t warps)
{
    for (; warps != 0; warps &= warps - 1) {
        b->warp[__builtin_ctzll(warps)].others++;
    }
}

/** For @p n cycles it issues nothing and leaves out @p warps, which are READY and whose ports have room. */
static inline void ww_pcs_left_out(WwPcsBook *b, uint64_t warps, uint64_t n)
{
    for (; warps != 0; warps &= warps - 1) {
        b->warp[__builtin_ctzll(warps)].left += n;
    }
}

/** What is noted of warp @p warp. Where it is, is worked out once: without the barrier the compiler does so again at each use. */
static inline WwPcsWarp *ww_pcs_warp(WwPcsBook *b, uint32_t warp)
{
    WwPcsWarp *w = &b->warp[warp];
    __asm__("" : "+r"(w));
    return w;
}

/** Warp @p w, whose cycles have been counted, issues in cycle @p now the instruction of @p row; of its lanes, the caller tells. */
static inline void ww_pcs_select(WwPcsWarp *w, WwPcsRow *row, WwCycle now)
{
    row->states[WW_STATE_SELECTED]++;
    w->last = row;
    w->since = now + 1;
    w->row = row->next;
    w->state = WW_STALL_FETCH; /* unless its next one is there */
}

/** The row of instruction @p id, which is of warp @p w, number @p warp. */
static inline WwPcsRow *ww_pcs_row(const WwPort *pcs, const WwPcsWarp *w, uint32_t warp,
                                   uint32_t id)
{
    WwPcsRow *row = w->kernel->row[id & w->kernel->mask];
    return G_LIKELY(row->id == id) ? row : WW_PCS(pcs)->meet(pcs->peer, warp, id);
}

/** Is the warp's row that of the instruction at which it is? */
static inline bool ww_pcs_is_placed(const WwPcsBook *b, const WwPcsWarp *w)
{
    return w->row != b->nobody && !(w->guesses && w->state == WW_STALL_FETCH);
}

/** The row at which warp @p warp is. */
static inline WwPcsRow *ww_pcs_place(const WwPort *pcs, const WwPcsBook *b, uint32_t warp)
{
    const WwPcsWarp *w = &b->warp[warp];
    return G_LIKELY(ww_pcs_is_placed(b, w)) ? w->row : WW_PCS(pcs)->place(pcs->peer, warp);
}
