/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `cache`: the answers that the test chose. */
#include <testing/fake_cache.h>

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
    *sent = f->sent;
    return f->result;
}

static bool fake_waits_for(void *self, const WwMemReq *req)
{
    return ((WwFakeCache *)self)->waits;
}

void ww_fake_cache_complete(WwFakeCache *f, WwMemReq *req)
{
    ww_assert(f->n < WW_FAKE_CACHE_READY);
    f->ready[(f->head + f->n++) % WW_FAKE_CACHE_READY] = req;
}

static void fake_fill(void *self, WwMemReq *req, WwCycle now)
{
    WwFakeCache *f = self;
    f->fills++;
    f->last = req;
    f->now = now;
    if (f->n < WW_FAKE_CACHE_READY) { /* random traffic may never take any */
        ww_fake_cache_complete(f, req);
    }
}

static bool fake_ready(void *self)
{
    return ((WwFakeCache *)self)->n != 0;
}

static WwMemReq *fake_peek(void *self)
{
    WwFakeCache *f = self;
    return f->ready[f->head];
}

static WwMemReq *fake_take(void *self)
{
    WwFakeCache *f = self;
    WwMemReq *req = f->ready[f->head];
    f->head = (f->head + 1) % WW_FAKE_CACHE_READY;
    f->n--;
    return req;
}

static bool fake_data_port_free(void *self)
{
    return !((WwFakeCache *)self)->data_port_taken;
}

static bool fake_fill_port_free(void *self)
{
    return !((WwFakeCache *)self)->fill_port_taken;
}

static void fake_cycle(void *self)
{
    ((WwFakeCache *)self)->cycles++;
}

static bool fake_busy(void *self)
{
    return ((WwFakeCache *)self)->busy;
}

static void fake_settle(void *self, uint64_t n)
{
    ((WwFakeCache *)self)->cycles += n;
}

static void fake_wake_when_room(void *self, WwWake user)
{
    ((WwFakeCache *)self)->user = user;
}

static void fake_invalidate(void *self)
{
    ((WwFakeCache *)self)->invalidations++;
}

static void fake_flush_dirty(void *self)
{
    ((WwFakeCache *)self)->flushes++;
}

static void fake_set_ways(void *self, uint32_t ways)
{
    ((WwFakeCache *)self)->ways = ways;
}

static void fake_set_on_fill(void *self, bool on_fill)
{
    ((WwFakeCache *)self)->on_fill = on_fill;
}

static void fake_install(void *self, uint64_t addr, uint64_t partition, WwCycle now)
{
    WwFakeCache *f = self;
    f->installs++;
    f->installed = addr;
    f->partition = partition;
    f->now = now;
}

static const WwCacheIf fake_table = {
    .facts = fake_facts,
    .access = fake_access,
    .waits_for = fake_waits_for,
    .fill = fake_fill,
    .ready = fake_ready,
    .peek = fake_peek,
    .take = fake_take,
    .data_port_free = fake_data_port_free,
    .fill_port_free = fake_fill_port_free,
    .cycle = fake_cycle,
    .busy = fake_busy,
    .settle = fake_settle,
    .wake_when_room = fake_wake_when_room,
    .invalidate = fake_invalidate,
    .flush_dirty = fake_flush_dirty,
    .set_ways = fake_set_ways,
    .set_on_fill = fake_set_on_fill,
    .install = fake_install,
};

/* Facts are there before anybody's reset, as a cache's are. */
static bool fake_init(void *self, GError **error)
{
    WwFakeCache *f = self;
    f->facts = (WwCacheFacts){
        .line = 128, .atom = 32, .write = WW_WRITE_THROUGH, .allocate = WW_ALLOCATE_LAZY};
    return true;
}

static void fake_reset(void *self)
{
    WwFakeCache *f = self;
    f->result = WW_CACHE_HIT;
    f->waits = true;
    f->busy = f->data_port_taken = f->fill_port_taken = f->on_fill = false;
    f->sent = f->accesses = f->fills = f->invalidations = f->flushes = f->installs = f->ways = 0;
    f->cycles = f->now = f->installed = f->partition = 0;
    f->last = NULL;
    f->head = f->n = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCache, cache, &ww_contract_cache, &fake_table,
                     "answers that the test chose"),
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
    .init = fake_init,
    .reset = fake_reset,
};
