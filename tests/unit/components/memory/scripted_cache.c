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

static void wake(ScriptedCache *c)
{
    ww_wake(&c->step);
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
    wake(c);
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
        below->miss_of = &c->facts;
        g_queue_push_tail(&c->pending, below);
    }
    return result;
}

static void cache_fill(void *self, WwMemReq *req, WwCycle now)
{
    ScriptedCache *c = self;
    LOG("fill %x; ", (unsigned)req->addr);
    req->miss_of = NULL;
    wake(c);
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

static const WwMemReq *cache_peek(void *self)
{
    return g_queue_peek_head(&((ScriptedCache *)self)->completed);
}

static WwMemReq *cache_take(void *self)
{
    return g_queue_pop_head(&((ScriptedCache *)self)->completed);
}

static bool cache_port_free(void *self, WwCachePort port)
{
    const ScriptedCache *c = self;
    return (port == WW_CACHE_DATA_PORT ? c->data_port : c->fill_port) == 0;
}

WwRest scripted_cache_cycle(void *self)
{
    ScriptedCache *c = self;
    c->cycles++;
    if (!c->stuck && !g_queue_is_empty(&c->lower)) {
        g_queue_push_tail(&c->down, g_queue_pop_head(&c->lower));
    }
    c->data_port -= c->data_port != 0;
    c->fill_port -= c->fill_port != 0;
    bool more = (c->lower.length != 0 && !c->stuck) || c->data_port != 0 || c->fill_port != 0;
    return more ? WW_AGAIN : WW_SLEEP;
}

static void cache_settle(void *self, uint32_t entry, uint64_t n)
{
    ((ScriptedCache *)self)->settled += n;
}

static void cache_clear(void *self, WwCacheClear what)
{
    ((ScriptedCache *)self)->invalidations += what == WW_CACHE_ALL;
}

static uint32_t cache_ways(void *self)
{
    return ((ScriptedCache *)self)->facts.ways;
}

const WwCacheIf scripted_cache_if = {
    .facts = cache_facts,
    .access = cache_access,
    .fill = cache_fill,
    .peek = cache_peek,
    .take = cache_take,
    .port_free = cache_port_free,
    .clear = cache_clear,
    .ways = cache_ways,
};

static void cache_release(WwMemOwner *owner, WwMemReq *req)
{
    ScriptedCache *c = (ScriptedCache *)(void *)((char *)owner - offsetof(ScriptedCache, owner));
    c->released++;
    g_free(req);
}

void scripted_cache_provide(WwHarness *h, ScriptedCache *c)
{
    scripted_cache_provide_at(h, "l1d", c);
}

void scripted_cache_provide_at(WwHarness *h, const char *port, ScriptedCache *c)
{
    ww_harness_provide(h, port, &scripted_cache_if, c);
    c->step = ww_harness_provide_step(h, port, scripted_cache_cycle, cache_settle, c);
}

void scripted_cache_open(ScriptedCache *c)
{
    *c = (ScriptedCache){
        .facts = {.line = 128, .atom = 32, .write = WW_WRITE_THROUGH, .allocate = WW_ALLOCATE_LAZY},
        .owner = {.release = cache_release},
        .step = ww_wake_none()};
    g_queue_init(&c->lower);
    g_queue_init(&c->down);
    g_queue_init(&c->pending);
    g_queue_init(&c->completed);
}

void scripted_cache_stick(ScriptedCache *c, bool stuck)
{
    c->stuck = stuck;
    if (!stuck) {
        wake(c);
    }
}

void scripted_cache_close(ScriptedCache *c)
{
    g_queue_clear(&c->lower);
    g_queue_clear(&c->down);
    g_queue_clear(&c->pending);
    g_queue_clear(&c->completed);
}
