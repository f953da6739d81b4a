/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A queue in an array: which entry is where. The array, or the arrays side by side, are their owner's, typed and without a call
 * between; a ring says slots of it.
 *
 *     queue->req[ww_ring_put(&queue->ring)] = req;         a new last entry
 *     req = queue->req[ww_ring_first(&queue->ring)];       the oldest
 *     req = queue->req[ww_ring_take(&queue->ring)];        which leaves
 *     queue->req[ww_ring_slot(&queue->ring, i)]            the i-th oldest, from 0
 *
 * The number of slots is a power of two. How many entries its owner lets in is the owner's own affair, as long as it is not more.
 */
#pragma once

#include <warpwright/base.h>

/** In the state of its owner; ww_ring_init() fills it in. */
typedef struct WwRing {
    uint32_t head, n; /**< Slot of the oldest; entries. */
    uint32_t mask;    /**< Slots - 1. */
} WwRing;

/** For init: an empty ring for @p places entries. Returns for how many slots the owner has to allocate: @p places or some more. */
WW_API uint32_t ww_ring_init(WwRing *ring, uint32_t places);

/**
 * Twice as many slots, in an array (of component @p owner, by ww_alloc()) that is returned; @p entries: the old one, of entries of @p size
 * bytes. For queues without a limit; it happens a few times in a run.
 */
WW_API void *ww_ring_grow(WwRing *ring, void *owner, const void *entries, size_t size);

/** No entry is left. */
static inline void ww_ring_clear(WwRing *ring)
{
    ring->head = ring->n = 0;
}

/** Has every slot an entry? */
static inline bool ww_ring_full(const WwRing *ring)
{
    return ring->n > ring->mask;
}

/** Slot of the oldest entry; there must be one. */
static inline uint32_t ww_ring_first(const WwRing *ring)
{
    return ring->head;
}

/** Slot of the @p i-th oldest entry, from 0; for i = n the next one that is put. */
static inline uint32_t ww_ring_slot(const WwRing *ring, uint32_t i)
{
    return (ring->head + i) & ring->mask;
}

/** Slot of a new last entry; there must be a free one. */
static inline uint32_t ww_ring_put(WwRing *ring)
{
    return (ring->head + ring->n++) & ring->mask;
}

/** Slot of the oldest entry, which leaves; what stands there stays until another is put. */
static inline uint32_t ww_ring_take(WwRing *ring)
{
    uint32_t at = ring->head;
    ring->head = (at + 1) & ring->mask;
    ring->n--;
    return at;
}
