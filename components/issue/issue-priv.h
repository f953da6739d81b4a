/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Shared by the providers of this room: whom to wake when a warp's state changes. Warp w belongs
 * to caller w mod n of the rank that checks it; the table is made once, so that a notice costs no
 * division.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>

typedef struct WarpWakes {
    uint32_t n; /**< Callers. */
    WwWake none;
    const WwWake *of[WW_MAX_WARPS]; /**< By hardware warp. */
} WarpWakes;

static inline void warp_wakes_gather(WarpWakes *w, const WwProvided *p, int32_t rank)
{
    w->none = ww_wake_none();
    w->n = ww_provided_wakes(p, rank, &w->none, w->of, WW_MAX_WARPS);
}

/** Wakes the callers of every warp in @p warps. */
static inline void warp_wakes_mask(const WarpWakes *w, uint64_t warps)
{
    for (; warps != 0; warps &= warps - 1) {
        ww_wake(w->of[__builtin_ctzll(warps)]);
    }
}
