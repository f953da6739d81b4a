/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `cache`: the answers that the test chose. */
#include <testing/fake_cache.h>

#include "fake_others-priv.h"

static const WwCacheFacts *fake_facts(void *self)
{
    return &((WwFakeCache *)self)->facts;
}

static WwCacheResult fake_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwFakeCache *f = self;
    f->accesses++;
    f->last = req;
    f->now = now;
    if (fake_others_took(f->others, ww_now(f), 0)) {
        *sent = 0;
        return WW_CACHE_RESERVATION_FAIL;
    }
    *sent = f->sent;
    WwCacheResult result = f->result;
    req->miss_of = result == WW_CACHE_MISS ? &f->facts : NULL;
    if (f->once) {
        f->once = false;
        f->result = f->then;
    }
    return result;
}

void ww_fake_cache_busy(WwFakeCache *f, bool busy)
{
    WwWake step = ww_wake_of(f, 0);
    f->busy = busy;
    ww_wake(&step);
}

void ww_fake_cache_complete(WwFakeCache *f, WwMemReq *req)
{
    ww_assert(f->order.n < WW_FAKE_CACHE_READY);
    f->ready[ww_ring_put(&f->order)] = req;
}

static void fake_fill(void *self, WwMemReq *req, WwCycle now)
{
    WwFakeCache *f = self;
    f->fills++;
    req->miss_of = NULL;
    f->last = req;
    f->now = now;
    if (f->order.n < WW_FAKE_CACHE_READY) { /* random traffic may never take any */
        ww_fake_cache_complete(f, req);
    }
}

static const WwMemReq *fake_peek(void *self)
{
    WwFakeCache *f = self;
    return f->order.n != 0 ? f->ready[ww_ring_first(&f->order)] : NULL;
}

static WwMemReq *fake_take(void *self)
{
    WwFakeCache *f = self;
    return f->ready[ww_ring_take(&f->order)];
}

static bool fake_port_free(void *self, WwCachePort port)
{
    const WwFakeCache *f = self;
    return !(port == WW_CACHE_DATA_PORT ? f->data_port_taken : f->fill_port_taken);
}

static WwRest fake_cycle(void *self)
{
    WwFakeCache *f = self;
    f->cycles++;
    return f->busy ? WW_AGAIN : WW_SLEEP;
}

static void fake_settle(void *self, uint32_t entry, uint64_t n)
{
    ((WwFakeCache *)self)->cycles += n;
}

static void fake_clear(void *self, WwCacheClear what)
{
    WwFakeCache *f = self;
    if (what == WW_CACHE_ALL) {
        f->invalidations++;
    } else {
        f->flushes++;
    }
}

static void fake_reshape(void *self, uint32_t ways, bool on_fill)
{
    WwFakeCache *f = self;
    f->ways = ways;
    f->on_fill = on_fill;
}

static uint32_t fake_ways(void *self)
{
    const WwFakeCache *f = self;
    return f->ways != 0 ? f->ways : f->facts.ways;
}

static void fake_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now)
{
    WwFakeCache *f = self;
    uint64_t more = (n - 1) * (uint64_t)WW_SECTOR_BYTES;
    f->installs += n;
    f->installed = addr + more;
    f->partition = partition + more;
    f->now = now + n - 1;
}

static WwCacheResult fake_probe(void *self, uint64_t addr)
{
    return ((WwFakeCache *)self)->probe;
}

static void fake_forget(void *self)
{
    WwFakeCache *f = self;
    f->forgets++;
    ww_ring_clear(&f->order);
}

static void fake_bring(void *self, uint64_t addr, WwCycle now)
{
    WwFakeCache *f = self;
    f->brought++;
    f->installed = addr;
    f->now = now;
}

static bool fake_stream(void *self, uint32_t i, WwCacheStream *out)
{
    return false; /* it keeps no statistics */
}

static bool fake_refuses(void *self)
{
    return ((WwFakeCache *)self)->refuses;
}

static void fake_refused(void *self, const WwMemReq *req, uint64_t n)
{
    WwFakeCache *f = self;
    ww_assert(req == f->last);
    f->refused += n;
}

static const WwCacheIf fake_table = {
    .facts = fake_facts,
    .access = fake_access,
    .fill = fake_fill,
    .peek = fake_peek,
    .take = fake_take,
    .port_free = fake_port_free,
    .clear = fake_clear,
    .reshape = fake_reshape,
    .stream = fake_stream,
    .install = fake_install,
    .probe = fake_probe,
    .forget = fake_forget,
    .bring = fake_bring,
    .ways = fake_ways,
    .refuses = fake_refuses,
    .refused = fake_refused,
};

/* Facts are there before anybody's reset, as a cache's are. */
static bool fake_init(void *self, GError **error)
{
    WwFakeCache *f = self;
    f->facts = (WwCacheFacts){.sets = 4,
                              .ways = 64,
                              .most_ways = 64,
                              .line = 128,
                              .atom = 32,
                              .write = WW_WRITE_THROUGH,
                              .allocate = WW_ALLOCATE_LAZY};
    return true;
}

static void fake_reset(void *self)
{
    WwFakeCache *f = self;
    f->result = WW_CACHE_HIT;
    f->probe = WW_CACHE_MISS;
    f->brought = f->forgets = 0;
    f->refuses = f->once = false;
    f->refused = 0;
    f->busy = f->data_port_taken = f->fill_port_taken = f->on_fill = false;
    f->others = f->sent = f->accesses = f->fills = f->invalidations = f->flushes = f->installs =
        f->ways = 0;
    f->cycles = f->now = f->installed = f->partition = 0;
    f->last = NULL;
    ww_ring_init(&f->order, WW_FAKE_CACHE_READY);
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCache, cache, &ww_contract_cache, &fake_table,
                     "answers that the test chose"),
    {0},
};

static const WwEntryRow fake_entries[] = {
    {.name = "cycle", .owner = "cache", .tick = fake_cycle, .doc = "counts cycles"},
    {0},
};

const WwType ww_fake_cache_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.cache",
    .doc = "cache that answers what a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeCache),
    .ports = fake_ports,
    .entries = fake_entries,
    .init = fake_init,
    .reset = fake_reset,
    .settle = fake_settle,
};
