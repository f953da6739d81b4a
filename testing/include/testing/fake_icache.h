/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `icache`: answers what the test says (a hit at first) and returns misses when
 * told to.
 */
#pragma once

#include <ports/icache.h>
#include <ports/inst.h>

/** An instruction cache whose answers the test sets; keeps what it was asked. */
typedef struct WwFakeICache {
    WwComponent base;
    WwProvided icache;
    /* what the test may set */
    WwFetchResult result; /**< Answer to every access. */
    uint32_t others; /**< Not 0: accesses fail in some cycles, which follow from this number. */
    /* what it may look at */
    uint32_t accesses;
    uint32_t warp; /**< Of the last access. */
    uint64_t pc;
    uint64_t cycles; /**< Of its owned step, run or slept through. */
    /* its own */
    bool busy;
    uint64_t ready; /**< Warps whose miss has come back. */
} WwFakeICache;

/** The type `fake.icache`. */
WW_API extern const WwType ww_fake_icache_type;

/** Its step is due in each turn from the next one on, or sleeps after it. */
WW_API void ww_fake_icache_busy(WwFakeICache *f, bool busy);
/**
 * The miss of @p warp comes back; wakes the caller. Several are taken in ascending order of
 * warps.
 */
WW_API void ww_fake_icache_return(WwFakeICache *f, uint32_t warp);
