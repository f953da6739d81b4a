/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: what does not happen at every use. */
#include <warpwright/component.h>
#include <warpwright/pool.h>

#include <string.h>

/* Items of more bytes than this lie alike in cache lines, so that their owners can say what is in which. */
enum { ALIGNED = 128, CACHE_LINE = 64 };

/* Chunks of which a pool knows at first. */
#define FEW 8u

static void add_room(WwPool *p)
{
    uint32_t room = p->room != 0 ? 2 * p->room : FEW;
    char **to = ww_alloc(p->owner, room * sizeof *to);
    if (p->room != 0) {
        memcpy(to, p->chunk, p->room * sizeof *to);
    }
    p->chunk = to;
    p->room = room;
}

WW_COLD static void add_chunk(WwPool *p)
{
    uint32_t k = p->end / WW_POOL_CHUNK;
    ww_assert(p->end <= UINT32_MAX - WW_POOL_CHUNK);
    if (k >= p->room) {
        add_room(p);
    }
    p->chunk[k] =
        (char *)ww_alloc(p->owner, (size_t)WW_POOL_CHUNK * p->stride) + sizeof(WwPoolHead);
    p->end += WW_POOL_CHUNK;
}

void ww_pool_init(WwPool *p, void *owner, size_t size)
{
    *p = (WwPool){.owner = owner, .end = WW_POOL_CHUNK, .fresh = WW_POOL_CHUNK};
    size_t unit = sizeof(WwPoolHead) + size > ALIGNED ? CACHE_LINE : 8;
    p->stride = (uint32_t)((sizeof(WwPoolHead) + size + unit - 1) & ~(unit - 1));
}

void ww_pool_reset(WwPool *p)
{
    p->free = 0;
    p->fresh = WW_POOL_CHUNK;
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
    for (uint32_t h = MAX(*handle + 1, WW_POOL_CHUNK); h < p->fresh; h++) {
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
    *handle = MAX(*handle + 1, WW_POOL_CHUNK);
    return *handle < p->end ? ww_pool_at(p, *handle) : NULL;
}
