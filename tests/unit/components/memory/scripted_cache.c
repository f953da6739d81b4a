/* SPDX-License-Identifier: Apache-2.0 */
#include "scripted_cache.h"

#define LOG(...)                                                                                   \
    do {                                                                                           \
        if (c->log != NULL) {                                                                      \
            g_string_append_printf(c->log, __VA_ARGS__);                                           \
        }                                                                                          \
    } while (0)

static const WwCacheFacts *cache_facts(void *self)
{
    return &((ScriptedCache *)self)->facts;
}

/* The read that fetches a line for a store: the cache's own. */
static WwMemReq *fetch_line(ScriptedCache *c, WwMemReq *store)
{
    WwMemReq *r = g_new0(WwMemReq, 1);
    r->addr = store->addr;
    r->size = 32;
    r->sectors = store->sectors;
    r->sm = store->sm;
    r->type = WW_ACCESS_L1_WR_ALLOC_R;
    r->original = store;
    r->owner = &c->owner;
    return r;
}

static WwCacheResult cache_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    ScriptedCache *c = self;
    WwCacheResult result = c->result;
    *sent = c->sent;
    if (c->decide != NULL) {
        result = c->decide(c, req, now, sent);
    }
    LOG("access %x %u at %u: %u %x; ", (unsigned)req->addr, req->write, (unsigned)now, result,
        *sent);
    c->accesses++;
    c->last = req;
    c->last_now = now;
    if (result == WW_CACHE_RESERVATION_FAIL) {
        g_assert_cmpuint(*sent, ==, 0);
        c->refusals++;
        return result;
    }
    if (result == WW_CACHE_HIT) {
        c->data_port = c->data_cost;
    }
    WwMemReq *below = req;
    if (*sent & WW_CACHE_SENT_WRITE_ALLOC) {
        below = fetch_line(c, req);
    }
    if (*sent & (WW_CACHE_SENT_WRITE_ALLOC | WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE)) {
        g_queue_push_tail(&c->lower, below);
    }
    if (result != WW_CACHE_HIT && !below->write) {
        if (*sent == 0) { /* it merges with the latest miss */
            WwMemReq *miss = g_queue_peek_tail(&c->pending);
            below->next = miss->next != NULL ? miss->next : miss;
        }
        g_queue_push_tail(&c->pending, below);
    }
    return result;
}

static bool cache_waits_for(void *self, const WwMemReq *req)
{
    ScriptedCache *c = self;
    return g_queue_find(&c->pending, req) != NULL;
}

static void cache_fill(void *self, WwMemReq *req, WwCycle now)
{
    ScriptedCache *c = self;
    LOG("fill %x; ", (unsigned)req->addr);
    g_assert_true(g_queue_remove(&c->pending, req));
    g_queue_push_tail(&c->completed, req);
    c->fill_port = c->fill_cost;
    c->fills++;
    for (GList *l = c->pending.head; l != NULL;) { /* what merged with it completes with it */
        GList *after = l->next;
        WwMemReq *r = l->data;
        if (r->next == req) {
            r->next = NULL;
            g_queue_delete_link(&c->pending, l);
            g_queue_push_tail(&c->completed, r);
        }
        l = after;
    }
}

static bool cache_ready(void *self)
{
    return !g_queue_is_empty(&((ScriptedCache *)self)->completed);
}

static WwMemReq *cache_peek(void *self)
{
    return g_queue_peek_head(&((ScriptedCache *)self)->completed);
}

static WwMemReq *cache_take(void *self)
{
    return g_queue_pop_head(&((ScriptedCache *)self)->completed);
}

static bool cache_data_port_free(void *self)
{
    return ((ScriptedCache *)self)->data_port == 0;
}

static bool cache_fill_port_free(void *self)
{
    return ((ScriptedCache *)self)->fill_port == 0;
}

static void cache_cycle(void *self)
{
    ScriptedCache *c = self;
    c->cycles++;
    if (!c->stuck && !g_queue_is_empty(&c->lower)) {
        g_queue_push_tail(&c->down, g_queue_pop_head(&c->lower));
    }
    c->data_port -= c->data_port != 0;
    c->fill_port -= c->fill_port != 0;
}

static bool cache_busy(void *self)
{
    const ScriptedCache *c = self;
    return (c->lower.length != 0 && !(c->stuck && c->waker)) || c->data_port != 0 ||
           c->fill_port != 0;
}

static void cache_settle(void *self, uint64_t n)
{
    ScriptedCache *c = self;
    g_assert_true(c->data_port == 0 && c->fill_port == 0);
    c->settled += n;
}

static void cache_wake_when_room(void *self, WwWake user)
{
    ScriptedCache *c = self;
    c->user = user;
    c->waker = true;
}

static void cache_invalidate(void *self)
{
    ((ScriptedCache *)self)->invalidations++;
}

const WwCacheIf scripted_cache_if = {
    .facts = cache_facts,
    .access = cache_access,
    .waits_for = cache_waits_for,
    .fill = cache_fill,
    .ready = cache_ready,
    .peek = cache_peek,
    .take = cache_take,
    .data_port_free = cache_data_port_free,
    .fill_port_free = cache_fill_port_free,
    .cycle = cache_cycle,
    .busy = cache_busy,
    .settle = cache_settle,
    .wake_when_room = cache_wake_when_room,
    .invalidate = cache_invalidate,
};

static void cache_release(WwMemOwner *owner, WwMemReq *req)
{
    ScriptedCache *c = (ScriptedCache *)(void *)((char *)owner - offsetof(ScriptedCache, owner));
    c->released++;
    g_free(req);
}

void scripted_cache_open(ScriptedCache *c)
{
    *c = (ScriptedCache){
        .facts = {.line = 128, .atom = 32, .write = WW_WRITE_THROUGH, .allocate = WW_ALLOCATE_LAZY},
        .owner = {.release = cache_release}};
    g_queue_init(&c->lower);
    g_queue_init(&c->down);
    g_queue_init(&c->pending);
    g_queue_init(&c->completed);
}

void scripted_cache_stick(ScriptedCache *c, bool stuck)
{
    c->stuck = stuck;
    if (!stuck) {
        ww_wake(&c->user);
    }
}

void scripted_cache_close(ScriptedCache *c)
{
    g_queue_clear(&c->lower);
    g_queue_clear(&c->down);
    g_queue_clear(&c->pending);
    g_queue_clear(&c->completed);
}
