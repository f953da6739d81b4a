/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: what does not happen at every use. */
#include <warpwright/component.h>
#include <warpwright/pool.h>

/* Items of more bytes than this lie alike in cache lines, so that their owners can say what is in which. */
enum { ALIGNED = 128, CACHE_LINE = 64 };

WW_COLD static void add_chunk(WwPool *p)
{
    uint32_t k = 31u - (uint32_t)__builtin_clz(p->end);
    ww_assert(k < WW_POOL_CHUNKS);
    p->chunk[k] = ww_alloc(p->owner, ((size_t)1 << k) * p->stride);
    p->end *= 2;
}

void ww_pool_init(WwPool *p, void *owner, size_t size, uint32_t items)
{
    uint32_t first = 2;
    while (first < items) {
        first *= 2;
    }
    *p = (WwPool){.owner = owner, .first = first, .end = first, .fresh = first};
    size_t unit = sizeof(WwPoolHead) + size > ALIGNED ? CACHE_LINE : 8;
    p->stride = (uint32_t)((sizeof(WwPoolHead) + size + unit - 1) & ~(unit - 1));
    add_chunk(p);
}

void ww_pool_reset(WwPool *p)
{
    p->free = 0;
    p->fresh = p->first;
}

void *ww_pool_take_fresh(WwPool *p)
{
    if (p->fresh == p->end) {
        add_chunk(p);
    }
    void *item = ww_pool_at(p, p->fresh);
    *ww_pool_head(item) = (WwPoolHead){p->fresh++, WW_POOL_USED};
    return item;
}

void *ww_pool_next_used(const WwPool *p, uint32_t *handle)
{
    for (uint32_t h = MAX(*handle + 1, p->first); h < p->fresh; h++) {
        void *item = ww_pool_at(p, h);
        if (ww_pool_head(item)->next == WW_POOL_USED) {
            *handle = h;
            return item;
        }
    }
    return NULL;
}

void *ww_pool_next(const WwPool *p, uint32_t *handle)
{
    *handle = MAX(*handle + 1, p->first);
    return *handle < p->end ? ww_pool_at(p, *handle) : NULL;
}
