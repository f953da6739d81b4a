/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `cache`: answers every access as the test says (hits at first), hands out as
 * completed what the test gives it, and keeps what it was asked. It sends nothing down by itself.
 */
#pragma once

#include <ports/cache.h>
#include <warpwright/ring.h>

/** Completed requests that a test may line up. */
#define WW_FAKE_CACHE_READY 64u

/** A cache whose answers the test sets; keeps what it was asked. */
typedef struct WwFakeCache {
    WwComponent base;
    WwProvided cache;
    /* what the test may set */
    WwCacheFacts facts;   /**< A write-through sector cache with lazy allocation at first. */
    WwCacheResult result; /**< Answer to every access. */
    bool once;            /**< The next access only; those behind it, */
    WwCacheResult then;   /**< this. */
    WwCacheResult probe;  /**< Answer to every probe(), a miss at first. */
    uint32_t sent;        /**< WW_CACHE_SENT_ bits of every access. */
    bool refuses;         /**< Answer to refuses(), false at first. */
    bool data_port_taken, fill_port_taken;
    uint32_t
        others; /**< Not 0: in some cycles, which follow from this number, all that misses need is taken. */
    /* what it may look at */
    uint64_t refused; /**< Accesses that refused() told of. */
    uint32_t accesses, fills, invalidations, flushes, installs, brought, forgets;
    uint64_t
        cycles;     /**< Of its owned step, run or slept through; while `busy` it does not sleep. */
    WwMemReq *last; /**< Of the last access or fill. */
    WwCycle now;
    uint32_t ways; /**< As set; 0 at first, and ways() then says those of the facts. */
    bool on_fill;
    uint64_t installed, partition; /**< Of the last install(); the former of bring(), too. */
    /* its own */
    bool busy;
    WwMemReq *ready[WW_FAKE_CACHE_READY];
    WwRing order; /**< Of `ready`. */
} WwFakeCache;

/** The type `fake.cache`. */
extern const WwType ww_fake_cache_type;

/** Its step is due in each turn from the next one on, or sleeps after it. */
WW_API void ww_fake_cache_busy(WwFakeCache *f, bool busy);
/** @p req is completed: can be taken. A fill does the same with what it was given. */
WW_API void ww_fake_cache_complete(WwFakeCache *f, WwMemReq *req);
