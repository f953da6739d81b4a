/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A pool of equal items, for what comes and goes in ticks: instructions, transactions, flits.
 *
 * An item's address never changes, and each has a number, its **handle**, from which its address follows and which follows from
 * it: 0 is nobody. Handles mean the same in a copy of the state, addresses do not: what is to be stored, sent or compared between
 * two runs is handles. The storage comes from ww_alloc(), so it is its component's and lives as long as the machine: a chunk more
 * whenever more items are in use than ever before, the first one at the first use. So a pool has no more memory than its run needs.
 *
 * Chunk k holds the handles 16 k .. 16 k + 15, from k = 1 on. Items that were never used are not touched.
 *
 *     taken:    used ──> used ──> ...          an item that was given back is the next one taken
 *     free:     free ─next─> free ─next─> 0
 *     fresh:    the handles from `fresh` on, in order
 */
#pragma once

#include <warpwright/base.h>

/** In front of each item. */
typedef struct WwPoolHead {
    uint32_t handle;
    uint32_t next; /**< Free: handle of the next free one, 0 at the end. Else WW_POOL_USED. */
} WwPoolHead;

/** WwPoolHead.next of an item that is taken. */
#define WW_POOL_USED UINT32_MAX
/** Items of a chunk, and the smallest handle. */
#define WW_POOL_CHUNK 16u

/** In the state of its owner; ww_pool_init() fills it in. */
typedef struct WwPool {
    uint32_t free;  /**< Given back last; 0: none. */
    uint32_t fresh; /**< Handles from here on were never used since the last reset. */
    uint32_t stride;
    uint32_t end;  /**< One past the largest handle for which there is room. */
    uint32_t room; /**< Of `chunk`. */
    char **chunk;  /**< Where the first item of each is, without its head; [0] is nobody's. */
    void *owner;
} WwPool;

/**
 * For init: a pool of items of @p size bytes (aligned to 8) of the component @p owner. Never freed: the storage is the machine's.
 */
WW_API void ww_pool_init(WwPool *pool, void *owner, size_t size);
/** Nobody uses an item any more; what the items hold stays in memory. */
WW_API void ww_pool_reset(WwPool *pool);
/** Out of line: an item that is used for the first time. */
WW_API void *ww_pool_take_fresh(WwPool *pool);
/**
 * The used item with the smallest handle above *@p handle, which becomes its own; NULL: there is none. For explanations and checkpoints,
 * beginning with 0: the time grows with the items ever used.
 */
WW_API void *ww_pool_next_used(const WwPool *pool, uint32_t *handle);
/** The same of all items for which there is room, used or not: for what an item owns beyond its own bytes. All zero if never used. */
WW_API void *ww_pool_next(const WwPool *pool, uint32_t *handle);

/** The item of a handle that was used once. */
static inline void *ww_pool_at(const WwPool *pool, uint32_t handle)
{
    return pool->chunk[handle / WW_POOL_CHUNK] + (size_t)(handle % WW_POOL_CHUNK) * pool->stride;
}

/** What stands in front of an item of a pool. */
static inline WwPoolHead *ww_pool_head(const void *item)
{
    return (WwPoolHead *)(uintptr_t)item - 1;
}

/** The handle of an item of a pool. */
static inline uint32_t ww_pool_handle(const void *item)
{
    return ww_pool_head(item)->handle;
}

/** An item: with what it held when it was given back, all zero at its first use. */
static inline void *ww_pool_take(WwPool *pool)
{
    if (G_UNLIKELY(pool->free == 0)) {
        return ww_pool_take_fresh(pool);
    }
    void *item = ww_pool_at(pool, pool->free);
    WwPoolHead *head = ww_pool_head(item);
    pool->free = head->next;
    head->next = WW_POOL_USED;
    return item;
}

/** Fetches the item that would be taken next, if it was used before, into the host's cache: it will be written soon. */
static inline void ww_pool_fetch_next(const WwPool *pool)
{
    if (pool->free != 0) {
        char *item = (char *)ww_pool_at(pool, pool->free);
        for (uint32_t at = 0; at < pool->stride; at += 64) {
            __builtin_prefetch(item + at, 1);
        }
    }
}

/** Is an item, which was taken once, not given back? For who gives back what others say. */
static inline bool ww_pool_is_used(const void *item)
{
    return ww_pool_head(item)->next == WW_POOL_USED;
}

/** Gives back what was taken from this pool and is used. */
static inline void ww_pool_give(WwPool *pool, void *item)
{
    WwPoolHead *head = ww_pool_head(item);
    head->next = pool->free;
    pool->free = head->handle;
}
