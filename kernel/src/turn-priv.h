/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * One turn of an entry point, and of a block that is a member of another: what runs millions of times a second. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"

/** What runs in every turn is one function a block; GCC sees no reason to inline what calls itself in the end. */
#define WW_WALK static inline __attribute__((always_inline))

/** One turn of one entry point. Does it want the next one? */
WW_WALK bool ww_run_entry(Member *k, const bool *settles, uint64_t turn)
{
    if (turn != k->turns && *settles) {
        k->entry->settle(k->part, k->entry->row, turn - k->turns);
    }
    k->turns = turn + 1;
    WwRest rest = k->tick(k->part);
    if (G_LIKELY(rest <= WW_AGAIN)) {
        return true;
    }
    if (rest != WW_SLEEP) {
        ww_wake_entry_at(k->entry, k->entry->domain->cycle + rest);
    }
    return false;
}

WW_WALK void ww_run_block(WwMachine *m, Block *b, uint64_t turn)
{
    if (!b->closed) {
        ww_walk(m, b, b->has_gate ? b->domain->cycle - b->skipped : turn);
    }
}
