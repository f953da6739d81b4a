/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module for tests: what stands before an SM or before a cache, and passes on what is asked of it. Those in `faulty` make one mistake each.
 */
#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/req_pool.h>
#include <warpwright/module.h>

static bool is(const void *self, const char *fault)
{
    return g_str_has_suffix(((const WwComponent *)self)->type->name, fault);
}

/* ---- before an SM ------------------------------------------------------------------------------------------------ */

typedef struct Few {
    WwComponent base;
    WwPort sm;
    WwProvided ctas;
    const WwCtasIf *f;
    uint32_t here;
} Few;

static const WwCtaView *few_view(void *self)
{
    Few *b = self;
    return b->f->view(b->sm.peer);
}

static void few_number(void *self, uint32_t sm, uint32_t sms, uint32_t cluster)
{
    Few *b = self;
    b->f->number(b->sm.peer, sm, sms, cluster);
}

/* Four at a time. */
static bool few_can_place(void *self, const WwKernelRun *run, GError **error)
{
    Few *b = self;
    return b->f->can_place(b->sm.peer, run, error) && b->here < 4;
}

static void few_place(void *self, const WwKernelRun *run, const WwCtaTrace *trace)
{
    Few *b = self;
    b->here++;
    if (!is(b, "drops")) {
        b->f->place(b->sm.peer, run, trace);
    }
}

static void few_retire(void *self, uint32_t warp)
{
    Few *b = self;
    b->f->retire(b->sm.peer, warp);
}

static bool few_collect(void *self, const WwKernelRun **run, const WwCtaTrace **trace)
{
    Few *b = self;
    bool any = b->f->collect(b->sm.peer, run, trace);
    b->here -= any;
    return any;
}

static WwCycle few_lasts(void *self, WwCycle most)
{
    Few *b = self;
    return b->f->lasts(b->sm.peer, most);
}

static void few_rotate_from(void *self, WwCycle edge)
{
    Few *b = self;
    b->f->rotate_from(b->sm.peer, edge);
}

static WwRest few_tell(void *self)
{
    Few *b = self;
    if (!is(b, "silent")) {
        ww_notify(&b->ctas);
    }
    return WW_SLEEP;
}

static bool few_init(void *self, GError **error)
{
    Few *b = self;
    b->f = WW_CTAS(&b->sm);
    return true;
}

static void few_reset(void *self)
{
    ((Few *)self)->here = 0;
}

static const WwCtasIf few_table = {few_view,   few_number,  few_can_place, few_place,
                                   few_retire, few_collect, few_lasts,     few_rotate_from};
static const WwPortRow few_ports[] = {
    WW_PORT_PROVIDES(Few, ctas, &ww_contract_ctas, &few_table, "for the dispatcher"),
    WW_PORT_REQUIRES(Few, sm, &ww_contract_ctas, 1, WW_RANK_DISPATCH, "the SM"),
    {0},
};
static const WwEntryRow few_entries[] = {
    {.name = "tell", .phase = "dispatch", .tick = few_tell, .doc = "passes on that a CTA is over"},
    {0},
};

/* ---- before a cache ---------------------------------------------------------------------------------------------- */

typedef struct Ahead {
    WwComponent base;
    WwPort cache;
    WwProvided user;
    const WwCacheIf *f;
    WwReqPool reqs;
} Ahead;

static const WwCacheFacts *ahead_facts(void *self)
{
    Ahead *b = self;
    return b->f->facts(b->cache.peer);
}

/* What it asked for itself goes no further. */
static void keep_own(Ahead *b)
{
    for (const WwMemReq *r; !is(b, "hands_out") && (r = b->f->peek(b->cache.peer)) != NULL &&
                            r->owner == &b->reqs.owner;) {
        ww_mem_release(b->f->take(b->cache.peer));
    }
}

/* A read that misses brings the next line. */
static WwCacheResult ahead_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    Ahead *b = self;
    WwMemReq as_it_was = *req;
    WwCacheResult result = b->f->access(b->cache.peer, req, now, sent);
    if (result == WW_CACHE_MISS && !as_it_was.write && !as_it_was.atomic) {
        uint32_t more;
        WwMemReq *own = ww_req_pool_take(&b->reqs);
        own->addr = as_it_was.addr + 128;
        own->size = as_it_was.size;
        own->type = as_it_was.type;
        if (b->f->access(b->cache.peer, own, now, &more) != WW_CACHE_MISS) {
            ww_mem_release(own);
            if (is(b, "releases_twice")) {
                ww_mem_release(own);
            }
        }
    }
    return result;
}

static void ahead_fill(void *self, WwMemReq *req, WwCycle now)
{
    Ahead *b = self;
    b->f->fill(b->cache.peer, req, now);
    keep_own(b);
}

static const WwMemReq *ahead_peek(void *self)
{
    Ahead *b = self;
    return b->f->peek(b->cache.peer);
}

static WwMemReq *ahead_take(void *self)
{
    Ahead *b = self;
    WwMemReq *req = b->f->take(b->cache.peer);
    keep_own(b);
    return req;
}

static bool ahead_port_free(void *self, WwCachePort port)
{
    Ahead *b = self;
    return b->f->port_free(b->cache.peer, port);
}

static void ahead_clear(void *self, WwCacheClear what)
{
    Ahead *b = self;
    b->f->clear(b->cache.peer, what);
}

static void ahead_reshape(void *self, uint32_t ways, bool on_fill)
{
    Ahead *b = self;
    b->f->reshape(b->cache.peer, ways, on_fill);
}

static bool ahead_stream(void *self, uint32_t i, WwCacheStream *out)
{
    Ahead *b = self;
    return b->f->stream(b->cache.peer, i, out);
}

static void ahead_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now)
{
    Ahead *b = self;
    b->f->install(b->cache.peer, addr, partition, n, now);
}

static WwCacheResult ahead_probe(void *self, uint64_t addr)
{
    Ahead *b = self;
    return b->f->probe(b->cache.peer, addr);
}

static void ahead_forget(void *self)
{
    Ahead *b = self;
    b->f->forget(b->cache.peer);
}

static void ahead_bring(void *self, uint64_t addr, WwCycle now)
{
    Ahead *b = self;
    b->f->bring(b->cache.peer, addr, now);
}

static uint32_t ahead_ways(void *self)
{
    Ahead *b = self;
    return b->f->ways(b->cache.peer);
}

static WwRest ahead_cycle(void *self)
{
    Ahead *b = self;
    if (!is(b, "stands_still")) {
        ww_step(&b->cache);
    }
    return WW_SLEEP;
}

static bool ahead_init(void *self, GError **error)
{
    Ahead *b = self;
    b->f = WW_CACHE(&b->cache);
    ww_req_pool_init(&b->reqs, b);
    return true;
}

static void ahead_reset(void *self)
{
    ww_req_pool_reset(&((Ahead *)self)->reqs);
}

static const WwCacheIf ahead_table = {
    .facts = ahead_facts,
    .access = ahead_access,
    .fill = ahead_fill,
    .peek = ahead_peek,
    .take = ahead_take,
    .port_free = ahead_port_free,
    .clear = ahead_clear,
    .reshape = ahead_reshape,
    .stream = ahead_stream,
    .install = ahead_install,
    .probe = ahead_probe,
    .forget = ahead_forget,
    .bring = ahead_bring,
    .ways = ahead_ways,
};
static const WwPortRow ahead_ports[] = {
    WW_PORT_PROVIDES(Ahead, user, &ww_contract_cache, &ahead_table, "for its user"),
    WW_PORT_OWNS(Ahead, cache, &ww_contract_cache, 1, "the cache behind it"),
    {0},
};
static const WwEntryRow ahead_entries[] = {
    {.name = "cycle", .owner = "user", .tick = ahead_cycle, .doc = "a cycle of the cache"},
    {0},
};

/* ---- types ------------------------------------------------------------------------------------------------------- */

#define FEW(id, name_)                                                                             \
    static const WwType id = {.abi = WW_ABI_VERSION,                                               \
                              .name = name_,                                                       \
                              .doc = "Lets four CTAs run at a time.",                              \
                              .family = "between",                                                 \
                              .size = sizeof(Few),                                                 \
                              .ports = few_ports,                                                  \
                              .entries = few_entries,                                              \
                              .init = few_init,                                                    \
                              .reset = few_reset}
#define AHEAD(id, name_)                                                                           \
    static const WwType id = {.abi = WW_ABI_VERSION,                                               \
                              .name = name_,                                                       \
                              .doc = "Brings the next line.",                                      \
                              .family = "between",                                                 \
                              .size = sizeof(Ahead),                                               \
                              .ports = ahead_ports,                                                \
                              .entries = ahead_entries,                                            \
                              .init = ahead_init,                                                  \
                              .reset = ahead_reset}

FEW(few, "few");
FEW(drops, "few.drops");
FEW(silent, "few.silent");
AHEAD(ahead, "ahead");
AHEAD(hands_out, "ahead.hands_out");
AHEAD(stands_still, "ahead.stands_still");
AHEAD(releases_twice, "ahead.releases_twice");

static const WwType *const types[] = {&few,       &drops,        &silent,         &ahead,
                                      &hands_out, &stands_still, &releases_twice, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "between",
    .version = "1",
    .doc = "what stands in between",
    .types = types,
};
