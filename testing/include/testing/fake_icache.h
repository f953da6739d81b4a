/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `icache`: answers what the test says (a hit at first) and returns misses when
 * told to.
 */
#pragma once

#include <ports/icache.h>
#include <ports/inst.h>

typedef struct WwFakeICache {
    WwComponent base;
    WwProvided icache;
    /* what the test may set */
    WwFetchResult result; /**< Answer to every access. */
    bool busy;            /**< Wants a cycle at the end of the next turn. */
    /* what it may look at */
    uint32_t accesses;
    uint32_t warp; /**< Of the last access. */
    uint64_t pc;
    uint64_t cycles; /**< Ends of turns, and turns accounted for. */
    /* its own */
    uint64_t ready; /**< Warps whose miss has come back. */
} WwFakeICache;

WW_API extern const WwType ww_fake_icache_type;

/**
 * The miss of @p warp comes back; wakes the caller. Several are taken in ascending order of
 * warps.
 */
WW_API void ww_fake_icache_return(WwFakeICache *f, uint32_t warp);
