/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `miss_cache`: a few sectors that were read last, between the first-level cache of an SM and its way to memory.
 *
 *     requests of the SM -> in [ forward ] out -> to memory
 *     answers to the SM  <- to [ return  ] replies <- from memory
 *
 * After Jouppi, "Improving Direct-Mapped Cache Performance by the Addition of a Small Fully-Associative Cache and Prefetch
 * Buffers" (ISCA 1990), its miss cache. What comes back for a read is kept, and takes the place of what was used longest
 * ago. A later read of it is answered from here; all else goes on. Writes and atomics drop what they change.
 *
 * A part that stands in the way of memory requests has to know four things. Packets have sizes, and a network may have room
 * for small ones only: ww_fifo_room_for(). What is known of answers is known of those that are passed on: carries(). A
 * request belongs to who made it: answered early, it goes back as it is. And whatever changes what an entry point of the
 * own component would do has to wake it: here an answer that is kept may be what the oldest request waits for.
 */
#include <ports/events.h>
#include <ports/traffic.h>
#include <string.h>
#include <warpwright/module.h>
#include <warpwright/ring.h>

enum { ENTRY_FORWARD, ENTRY_RETURN, N_ENTRIES };

typedef struct Kept {
    uint64_t sector; /* address / WW_SECTOR_BYTES */
    uint64_t used;   /* when, as MissCache.uses; 0: empty */
} Kept;

/* A read that was found. */
typedef struct Found {
    WwMemReq *req;
    WwCycle ready;
} Found;

typedef struct MissCache {
    WwComponent base;
    /* parameters */
    uint32_t entries, latency, answers;
    /* ports */
    WwPort in, out, replies, to;
    /* state */
    Kept *kept;   /* [entries] */
    Found *found; /* by `order` */
    WwRing order; /* the oldest first: all take as long */
    uint64_t uses;
    bool blocked[N_ENTRIES]; /* what is at its head has no room */
    WwWake wake[N_ENTRIES];  /* own entry points; set by init() */
    /* statistics */
    uint64_t reads, hits, drops, waited[N_ENTRIES];
} MissCache;

static const WwEventRow events[] = {
    {"hit", "warp", "a read is found, and will be answered from here", {&ww_field_request}},
    {"keep", "warp", "what was read is kept", {&ww_field_request}},
    {"drop", "warp", "a write or atomic drops what was kept of its address", {&ww_field_request}},
    {0},
};
enum { LOG_HIT, LOG_KEEP, LOG_DROP };

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* May a read of these data be answered from here? Not of code, and not of what is to be read from the L2. */
static bool may_keep(const WwMemReq *r)
{
    return !r->write && !r->atomic && !r->bypass_l1 && r->size <= WW_SECTOR_BYTES &&
           (r->type == WW_ACCESS_GLOBAL_R || r->type == WW_ACCESS_LOCAL_R);
}

static Kept *find(const MissCache *m, uint64_t sector)
{
    for (uint32_t i = 0; i < m->entries; i++) {
        if (m->kept[i].used != 0 && m->kept[i].sector == sector) {
            return &m->kept[i];
        }
    }
    return NULL;
}

static void keep(MissCache *m, const WwMemReq *r)
{
    uint64_t sector = r->addr / WW_SECTOR_BYTES;
    Kept *place = find(m, sector);
    for (uint32_t i = 0; place == NULL && i < m->entries; i++) { /* the first that is empty, */
        place = m->kept[i].used == 0 ? &m->kept[i] : NULL;
    }
    if (place == NULL) { /* or the one that was used longest ago */
        place = &m->kept[0];
        for (uint32_t i = 1; i < m->entries; i++) {
            place = m->kept[i].used < place->used ? &m->kept[i] : place;
        }
    }
    *place = (Kept){.sector = sector, .used = ++m->uses};
    WW_LOG(m, &events[LOG_KEEP], r->warp, WW_PART(r));
    ww_wake(&m->wake[ENTRY_FORWARD]);
}

static void drop(MissCache *m, const WwMemReq *r)
{
    uint64_t last = (r->addr + MAX(r->size, 1) - 1) / WW_SECTOR_BYTES;
    for (uint64_t sector = r->addr / WW_SECTOR_BYTES; sector <= last; sector++) {
        Kept *old = find(m, sector);
        if (old != NULL) {
            old->used = 0;
            m->drops++;
            WW_LOG(m, &events[LOG_DROP], r->warp, WW_PART(r));
        }
    }
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

/* What is at the head cannot go on: whoever makes room wakes. Its cycles count, asleep or not (settle()). */
static WwRest block(MissCache *m, uint32_t entry)
{
    m->blocked[entry] = true;
    m->waited[entry]++;
    return WW_SLEEP;
}

/* The oldest request is found, or goes on to memory. */
static WwRest miss_cache_forward(void *self)
{
    MissCache *m = self;
    m->blocked[ENTRY_FORWARD] = false;
    if (!ww_fifo_ready(&m->in)) {
        return WW_SLEEP;
    }
    WwMemReq *r = ww_token_mem(ww_fifo_peek(&m->in));
    Kept *hit = may_keep(r) ? find(m, r->addr / WW_SECTOR_BYTES) : NULL;
    if (hit != NULL ? m->order.n == m->answers
                    : !ww_fifo_room_for(&m->out, ww_packet_bytes(r, false))) {
        return block(m, ENTRY_FORWARD);
    }
    ww_fifo_take(&m->in);
    m->reads += may_keep(r);
    if (hit != NULL) {
        hit->used = ++m->uses;
        m->hits++;
        m->found[ww_ring_put(&m->order)] = (Found){r, ww_now(m) + m->latency};
        ww_wake_at(&m->wake[ENTRY_RETURN], ww_now(m) + m->latency);
        WW_LOG(m, &events[LOG_HIT], r->warp, WW_PART(r));
        return WW_AGAIN;
    }
    if (r->write || r->atomic) {
        drop(m, r);
    }
    ww_fifo_put(&m->out, ww_token_of(r));
    return WW_AGAIN;
}

/* An answer goes back: of a read that was found, else of memory. */
static WwRest miss_cache_return(void *self)
{
    MissCache *m = self;
    WwCycle now = ww_now(m);
    bool own = m->order.n != 0 && m->found[ww_ring_first(&m->order)].ready <= now;
    m->blocked[ENTRY_RETURN] = false;
    if (!own && !ww_fifo_ready(&m->replies)) {
        return m->order.n != 0 ? m->found[ww_ring_first(&m->order)].ready - now : WW_SLEEP;
    }
    if (!ww_fifo_room(&m->to)) {
        return block(m, ENTRY_RETURN);
    }
    WwMemReq *r;
    if (own) {
        r = m->found[ww_ring_take(&m->order)].req;
        r->response = true;
        ww_wake(&m->wake[ENTRY_FORWARD]); /* there is room for another */
    } else {
        r = ww_token_mem(ww_fifo_take(&m->replies));
        if (may_keep(r) && m->entries != 0) {
            keep(m, r);
        }
    }
    ww_fifo_put(&m->to, ww_token_of(r));
    return WW_AGAIN;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void miss_cache_settle(void *self, uint32_t entry, uint64_t n)
{
    MissCache *m = self;
    m->waited[entry] += m->blocked[entry] ? n : 0;
}

static bool miss_cache_init(void *self, GError **error)
{
    MissCache *m = self;
    m->kept = ww_alloc(m, (m->entries + 1) * sizeof *m->kept);
    m->found = ww_alloc(m, ww_ring_init(&m->order, m->answers) * sizeof *m->found);
    for (uint32_t i = 0; i < N_ENTRIES; i++) {
        m->wake[i] = ww_wake_of(m, i);
    }
    return true;
}

static void miss_cache_reset(void *self)
{
    MissCache *m = self;
    memset(m->kept, 0, m->entries * sizeof *m->kept);
    ww_ring_clear(&m->order);
    m->uses = 0;
    memset(m->blocked, 0, sizeof m->blocked);
}

static uint64_t miss_cache_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return row->contract == &ww_contract_mem_response
               ? ww_carried(&((const MissCache *)self)->replies)
               : 0;
}

static void miss_cache_explain(void *self, WwExplain *explain)
{
    const MissCache *m = self;
    if (m->blocked[ENTRY_FORWARD] && m->order.n != m->answers) {
        ww_explain_waits(explain, m->out.peer, "a request waits for room towards memory");
    }
    if (m->blocked[ENTRY_RETURN]) {
        ww_explain_waits(explain, m->to.peer, "an answer waits for room");
    }
    for (uint32_t i = 0; i < m->order.n; i++) {
        ww_explain_holds_req(explain, m->found[ww_ring_slot(&m->order, i)].req);
    }
}

static const WwParamRow params[] = {
    WW_UINT(MissCache, entries, "entries", "64", 0, 4096,
            "sectors that are kept; 0: all requests go on"),
    WW_UINT(MissCache, latency, "cycles", "4", 1, 1000,
            "cycles from a read that is found to its answer"),
    WW_UINT(MissCache, answers, "entries", "8", 1, 1024,
            "reads that were found and are not answered yet"),
    {0},
};
/* Rows of single ports that say which entry point uses them. */
#define PORT(f, role_, contract_, entry_, doc_)                                                    \
    {                                                                                              \
        .name = #f, .role = role_, .contract = contract_, .min = 1, .max = 1, .entry = entry_,     \
        .doc = doc_, .offset = WW_FIELD(MissCache, f, WwPort)                                      \
    }
static const WwPortRow ports[] = {
    PORT(in, WW_IN, &ww_contract_mem_request, "forward", "requests of the SM"),
    PORT(out, WW_OUT, &ww_contract_mem_request, "forward", "those that go on to memory"),
    PORT(replies, WW_IN, &ww_contract_mem_response, "return", "answers of memory"),
    PORT(to, WW_OUT, &ww_contract_mem_response, "return", "all answers, to the SM"),
    {0},
};
static const char *const entry_names[] = {"forward", "return"};
static const WwStatRow stats[] = {
    WW_COUNTER(MissCache, reads, "requests", "reads that could be answered from here"),
    WW_COUNTER(MissCache, hits, "requests", "of these, those that were"),
    WW_COUNTER(MissCache, drops, "sectors", "sectors dropped by writes and atomics"),
    WW_VECTOR(MissCache, waited, "cycles", entry_names,
              "cycles in which the head of an entry point's queue could not go on"),
    {0},
};
static const WwEntryRow entries[] = {
    {.name = "forward",
     .phase = "core",
     .tick = miss_cache_forward,
     .doc = "finds a request, or passes it on"},
    {.name = "return", .phase = "core", .tick = miss_cache_return, .doc = "returns an answer"},
    {0},
};
static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "miss_cache",
    .doc = "Keeps the sectors that an SM read last from memory, and answers reads of them.",
    .family = "miss_cache",
    .conserves = WW_CONSERVES_ONE, /* what goes in comes out once, here or there */
    .size = sizeof(MissCache),
    .params = params,
    .ports = ports,
    .stats = stats,
    .entries = entries,
    .events = events,
    .init = miss_cache_init,
    .reset = miss_cache_reset,
    .settle = miss_cache_settle,
    .carries = miss_cache_carries,
    .explain = miss_cache_explain,
};

static const WwType *const types[] = {&type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "miss_cache",
    .version = "1",
    .doc = "a miss cache between L1D and memory",
    .types = types,
};
