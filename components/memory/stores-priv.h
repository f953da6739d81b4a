/* SPDX-License-Identifier: Apache-2.0 */
/* A first-level cache took a store: who will acknowledge it? */
#pragma once

#include <ports/cache.h>

typedef enum StoreEnd {
    STORE_SENT,    /* The next level. */
    STORE_KEPT,    /* Nobody has to: it is in the cache. */
    STORE_FETCHES, /* The cache, when the line that it writes to is there. */
} StoreEnd;

/* For start(): refuses a cache behind @p cache that takes no stores, or (the second) never says that one is over. */
bool stores_fit(const WwPort *cache, GError **error);
bool stores_end(const WwPort *cache, GError **error);

/* @p sent: WW_CACHE_SENT_ bits. */
static inline StoreEnd store_end(const WwCacheFacts *cache, bool hit, uint32_t sent)
{
    if ((sent & WW_CACHE_SENT_WRITE) != 0) {
        return STORE_SENT;
    }
    bool fetches = (sent & WW_CACHE_SENT_WRITE_ALLOC) != 0;
    bool kept = cache->allocate == WW_ALLOCATE_FETCH || cache->allocate == WW_ALLOCATE_LAZY;
    return hit || (kept && !fetches) ? STORE_KEPT : STORE_FETCHES;
}
