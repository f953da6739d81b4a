/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of somebody's own: direct-mapped, written through, each sector by itself. `cache.direct` is right; `cache.leaky` forgets every 16th
 * response.
 */
#include <ports/cache.h>
#include <string.h>
#include <warpwright/component.h>
#include <warpwright/module.h>
#include <warpwright/ring.h>

enum { LINES = 256, MISSES = 8, QUEUE = 8, SECTOR = 32 };

typedef struct Miss {
    WwMemReq *first, *last; /* Who waits; NULL: the entry is free. */
    uint64_t unit, addr;    /* The latter: of the first. */
    uint32_t size;
    uint64_t ready; /* Order of completion; 0: under way. */
} Miss;

typedef struct Direct {
    WwComponent base;
    /* ports */
    WwProvided cache;
    WwPort lower;
    /* state */
    WwCacheFacts facts;
    WwWake step;
    uint64_t line[LINES]; /* Address of the sector + 1; 0: none. */
    Miss miss[MISSES];
    WwMemReq *queue[QUEUE];
    WwRing down;
    uint64_t completed, fills;
    bool leaky;
} Direct;

static uint64_t *line_of(Direct *c, uint64_t addr)
{
    return &c->line[addr / SECTOR % LINES];
}

static uint64_t unit_of(uint64_t addr)
{
    return addr & ~(uint64_t)(SECTOR - 1);
}

static Miss *miss_of(Direct *c, uint64_t unit)
{
    for (uint32_t i = 0; i < MISSES; i++) {
        if (c->miss[i].first != NULL && c->miss[i].unit == unit) {
            return &c->miss[i];
        }
    }
    return NULL;
}

static void send_down(Direct *c, WwMemReq *req)
{
    c->queue[ww_ring_put(&c->down)] = req;
    ww_wake(&c->step);
}

static WwCacheResult begin_miss(Direct *c, WwMemReq *req, uint32_t *sent)
{
    uint32_t i = 0;
    while (i < MISSES && c->miss[i].first != NULL) {
        i++;
    }
    if (i == MISSES) {
        return WW_CACHE_RESERVATION_FAIL;
    }
    c->miss[i] = (Miss){req, req, unit_of(req->addr), req->addr, req->size, 0};
    req->next = NULL;
    req->miss_of = &c->facts;
    req->addr = unit_of(req->addr);
    req->size = SECTOR;
    send_down(c, req);
    *sent = WW_CACHE_SENT_READ;
    return WW_CACHE_MISS;
}

static const WwCacheFacts *direct_facts(void *self)
{
    return &((Direct *)self)->facts;
}

static WwCacheResult direct_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    Direct *c = self;
    bool there = *line_of(c, req->addr) == unit_of(req->addr) + 1;
    *sent = 0;
    if (!req->write && there) {
        return WW_CACHE_HIT;
    }
    Miss *m = req->write ? NULL : miss_of(c, unit_of(req->addr));
    if (m != NULL) {
        req->next = NULL;
        m->last = m->last->next = req;
        return WW_CACHE_MISS;
    }
    if (c->down.n == QUEUE) {
        return WW_CACHE_RESERVATION_FAIL;
    }
    if (!req->write) {
        return begin_miss(c, req, sent);
    }
    send_down(c, req);
    *sent = WW_CACHE_SENT_WRITE;
    return there ? WW_CACHE_HIT : WW_CACHE_MISS;
}

static void direct_fill(void *self, WwMemReq *req, WwCycle now)
{
    Direct *c = self;
    Miss *m = miss_of(c, req->addr);
    *line_of(c, req->addr) = req->addr + 1;
    if (c->leaky && ++c->fills % 16 == 0) {
        return;
    }
    req->addr = m->addr;
    req->size = m->size;
    req->miss_of = NULL;
    m->ready = ++c->completed;
}

static Miss *next_ready(Direct *c)
{
    Miss *next = NULL;
    for (uint32_t i = 0; i < MISSES; i++) {
        Miss *m = &c->miss[i];
        if (m->first != NULL && m->ready != 0 && (next == NULL || m->ready < next->ready)) {
            next = m;
        }
    }
    return next;
}

static const WwMemReq *direct_peek(void *self)
{
    const Miss *m = next_ready(self);
    return m != NULL ? m->first : NULL;
}

static WwMemReq *direct_take(void *self)
{
    Miss *m = next_ready(self);
    WwMemReq *req = m->first;
    m->first = req->next;
    return req;
}

static bool direct_port_free(void *self, WwCachePort port)
{
    return true;
}

static void direct_clear(void *self, WwCacheClear what)
{
    Direct *c = self;
    if (what == WW_CACHE_ALL) {
        memset(c->line, 0, sizeof c->line);
    }
}

static void direct_reshape(void *self, uint32_t ways, bool on_fill) {}

static uint32_t direct_ways(void *self)
{
    return 1;
}

static bool direct_stream(void *self, uint32_t i, WwCacheStream *out)
{
    return false;
}

static void direct_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now)
{
    for (; n != 0; n--, addr += WW_SECTOR_BYTES) {
        *line_of(self, addr) = unit_of(addr) + 1;
    }
}

/* Of a first-level cache of data nobody asks these. */
static WwCacheResult direct_probe(void *self, uint64_t addr)
{
    return *line_of(self, addr) == unit_of(addr) + 1 ? WW_CACHE_HIT : WW_CACHE_MISS;
}

static void direct_forget(void *self) {}

static void direct_bring(void *self, uint64_t addr, WwCycle now) {}

static const WwCacheIf table = {
    .facts = direct_facts,
    .access = direct_access,
    .fill = direct_fill,
    .peek = direct_peek,
    .take = direct_take,
    .port_free = direct_port_free,
    .clear = direct_clear,
    .reshape = direct_reshape,
    .stream = direct_stream,
    .install = direct_install,
    .probe = direct_probe,
    .forget = direct_forget,
    .bring = direct_bring,
    .ways = direct_ways,
};

static WwRest direct_cycle(void *self)
{
    Direct *c = self;
    if (c->down.n == 0 || !ww_fifo_room(&c->lower)) {
        return WW_SLEEP;
    }
    ww_fifo_put(&c->lower, ww_token_of(c->queue[ww_ring_take(&c->down)]));
    return c->down.n != 0 ? WW_AGAIN : WW_SLEEP;
}

static bool direct_init(void *self, GError **error)
{
    Direct *c = self;
    c->facts = (WwCacheFacts){.sets = 64,
                              .ways = 1,
                              .most_ways = 1,
                              .line = 128,
                              .atom = SECTOR,
                              .one_sector = true,
                              .write = WW_WRITE_THROUGH,
                              .allocate = WW_ALLOCATE_NONE};
    return true;
}

static void direct_reset(void *self)
{
    Direct *c = self;
    memset(c->line, 0, sizeof c->line);
    memset(c->miss, 0, sizeof c->miss);
    ww_ring_init(&c->down, QUEUE);
    c->completed = c->fills = 0;
    c->step = ww_wake_of(c, 0);
    c->leaky = strcmp(c->base.type->name, "cache.leaky") == 0;
}

static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Direct, cache, &ww_contract_cache, &table, "accesses"),
    WW_PORT_OUT(Direct, lower, &ww_contract_mem_request, 1, "misses and writes"),
    {0},
};

static const WwEntryRow entries[] = {
    {.name = "cycle", .owner = "cache", .tick = direct_cycle, .doc = "sends a transaction down"},
    {0},
};

static const WwType direct_type = {
    .abi = WW_ABI_VERSION,
    .name = "cache.direct",
    .doc = "A direct-mapped cache.",
    .family = "cache",
    .size = sizeof(Direct),
    .ports = ports,
    .entries = entries,
    .init = direct_init,
    .reset = direct_reset,
};

static const WwType leaky_type = {
    .abi = WW_ABI_VERSION,
    .name = "cache.leaky",
    .doc = "The same, with a fault.",
    .family = "cache",
    .size = sizeof(Direct),
    .ports = ports,
    .entries = entries,
    .init = direct_init,
    .reset = direct_reset,
};

static const WwType *const types[] = {&direct_type, &leaky_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "own_cache",
    .version = "1",
    .doc = "a direct-mapped cache",
    .types = types,
};
