/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The L0 instruction cache of a sub-core.
 *
 * Fetches are known by warp and address, one of each at a time. One that hits is there in the next turn of the fetch stage; one that misses
 * comes back when its line does. It has one response at a time: in its own cycle, behind the fetch stage's turn, the next request of a line that has come becomes
 * the response if there is none, else it waits. Then the stream buffers have their cycle, if there are any.
 *
 * A fetch looks into the stream buffers first: it waits for the first line of one without asking the cache; and starts a new stream behind its own line
 * if it is neither in the cache nor in front of a buffer. Lines of a stream come into the cache when they are asked for, never before.
 *
 * What comes back is given by the link, at the begin of a cycle.
 *
 * Source: Huerta et al., MICRO'25, and the simulator that they released (docs/modern.md).
 *
 * Workload: a lookup for each fetch; hits nearly always. A fetch that is refused comes again in every cycle: while nothing has changed it is only counted, and
 * who asks may sleep.
 *
 *     fetch ──fetches──> icache.l0 ──cache──> cache.l1 ──lower──> link
 *                           │  └──prefetch──> stream_buffer ──────> link
 *                           └──<──refill── link
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/req_pool.h>
#include <ports/sub_core.h>

#define FETCH_BYTES 16u

/* A fetch that has not come back. */
typedef struct Open {
    uint64_t addr;
    uint32_t next; /* Of its warp: a handle, 0 at the end. */
    bool stream;   /* It waits in a stream buffer. */
} Open;

typedef struct L0 {
    WwComponent base;
    /* parameters */
    uint64_t code_at;
    /* ports */
    WwProvided fetches;
    WwProvided refill;
    WwPort cache;
    WwPort prefetch;
    WwPort warps;
    WwPort ctas;
    /* state */
    const WwCacheFacts *facts;
    WwWake step;
    WwReqPool reqs;
    WwMemReq *spare; /* taken, and not used yet */
    WwPool opens;
    uint32_t open[WW_MAX_WARPS]; /* Handles of the first. */
    bool ready;                  /* The response: */
    uint32_t ready_warp;
    uint64_t ready_addr;
    bool again; /* `spare` was refused, and would be again: */
    uint32_t again_warp;
    uint64_t again_addr;
    /* statistics */
    uint64_t accesses;
    uint64_t hits;
    uint64_t misses;
    uint64_t stream_hits;
    uint64_t repeated;
    uint64_t refused;
} L0;

enum { LOG_ACCESS, LOG_DONE };
static const WwEventField field_result =
    WW_EVENT_FIELD("result", WW_EVENT_LABEL, "",
                   "hit, miss, stream: waits for a line of a stream, repeated: is under way, or "
                   "refused: tried again");
static const WwEventRow l0_events[] = {
    [LOG_ACCESS] = {"access",
                    "warp",
                    "a fetch is looked up in the cache",
                    {&ww_field_pc, &ww_field_addr, &field_result}},
    [LOG_DONE] = {"done", "warp", "a fetch that did not hit completes", {&ww_field_addr}},
    {0},
};

/* ---- fetches under way --------------------------------------------------------------------------------------------------- */

static bool is_open(const L0 *l, uint32_t warp, uint64_t addr)
{
    for (uint32_t at = l->open[warp]; at != 0;) {
        const Open *o = ww_pool_at(&l->opens, at);
        if (o->addr == addr) {
            return true;
        }
        at = o->next;
    }
    return l->ready && l->ready_warp == warp && l->ready_addr == addr;
}

static void open_one(L0 *l, uint32_t warp, uint64_t addr, bool stream)
{
    Open *o = ww_pool_take(&l->opens);
    *o = (Open){.addr = addr, .next = l->open[warp], .stream = stream};
    l->open[warp] = ww_pool_handle(o);
}

/* False: nobody waits for it. */
static bool close_one(L0 *l, uint32_t warp, uint64_t addr)
{
    for (uint32_t *at = &l->open[warp]; *at != 0;) {
        Open *o = ww_pool_at(&l->opens, *at);
        if (o->addr == addr) {
            *at = o->next;
            ww_pool_give(&l->opens, o);
            return true;
        }
        at = &o->next;
    }
    return false;
}

/* ---- access -------------------------------------------------------------------------------------------------------------- */

static void wake_fetch(L0 *l)
{
    const WwClient *fetch = ww_provided_client(&l->fetches, WW_FETCHES_FETCH, 0);
    if (fetch != NULL) {
        ww_wake(&fetch->wake);
    }
}

static void set_response(L0 *l, uint32_t warp, uint64_t addr)
{
    l->ready = true;
    l->ready_warp = warp;
    l->ready_addr = addr;
    wake_fetch(l);
}

static void fill_in(L0 *l, WwMemReq *req, uint32_t warp, uint64_t addr)
{
    uint32_t left = l->facts->line - (uint32_t)(addr & (l->facts->line - 1));
    const WwKernel *kernel =
        WW_BOUND(&l->warps) ? WW_WARPS(&l->warps)->view(l->warps.peer)->warp[warp].kernel : NULL;
    req->addr = addr;
    req->size = MIN(FETCH_BYTES, left);
    req->warp = (uint16_t)warp;
    req->type = WW_ACCESS_INST_R;
    if (WW_BOUND(&l->ctas)) {
        const WwCtaView *view = WW_CTAS(&l->ctas)->view(l->ctas.peer);
        req->sm = (uint16_t)view->sm;
        req->cluster = (uint16_t)view->cluster;
    }
    req->birth = (uint32_t)ww_now(l);
    req->stamp = 0;
    req->stream = kernel != NULL ? kernel->stream : 0;
}

/* Each refusal is an event, if somebody wants them. */
static inline bool told(const L0 *l)
{
    return (l->base.logged | ((const WwComponent *)l->cache.peer)->logged) != 0;
}

/* Right after it was: will the access be refused until something changes here? */
static bool refuses(const L0 *l)
{
    const WwCacheIf *cache = WW_CACHE(&l->cache);
    return !told(l) && cache->refuses != NULL && cache->refuses(l->cache.peer);
}

/* @p quiet: no stream was begun for it. */
static WwFetchResult look_up(L0 *l, uint32_t warp, uint64_t addr, bool quiet)
{
    uint32_t sent;
    if (l->spare == NULL) {
        l->spare = ww_req_pool_take(&l->reqs);
    }
    fill_in(l, l->spare, warp, addr);
    switch (WW_CACHE(&l->cache)->access(l->cache.peer, l->spare, ww_now(l), &sent)) {
    case WW_CACHE_HIT:
        l->hits++;
        set_response(l, warp, addr);
        return WW_FETCH_HIT;
    case WW_CACHE_RESERVATION_FAIL:
        l->refused++;
        l->again = quiet && refuses(l);
        l->again_warp = warp;
        l->again_addr = addr;
        return WW_FETCH_FAIL;
    default:
        l->misses++;
        l->spare = NULL;
        open_one(l, warp, addr, false);
        return WW_FETCH_MISS;
    }
}

/* Does the fetch wait for a stream? If not, one may begin behind its line; *@p quiet: none was asked for. */
static bool streams(L0 *l, uint32_t warp, uint64_t addr, bool *quiet)
{
    uint64_t line = addr & ~(uint64_t)(l->facts->line - 1);
    uint32_t buffer;
    const WwPrefetchIf *prefetch = WW_PREFETCH(&l->prefetch);
    WwCacheResult found = WW_CACHE(&l->cache)->probe(l->cache.peer, line);
    WwStreamResult stream = prefetch->search(l->prefetch.peer, line, &buffer);
    if (stream == WW_STREAM_NONE && found != WW_CACHE_HIT) {
        prefetch->begin(l->prefetch.peer, line + l->facts->line);
        *quiet = false;
    } else if (stream == WW_STREAM_HIT) {
        prefetch->wait(l->prefetch.peer, buffer, warp, addr);
        open_one(l, warp, addr, true);
        l->stream_hits++;
        return true;
    }
    return false;
}

static bool l0_refuses(void *self)
{
    return ((L0 *)self)->again;
}

/* Nothing has changed since it was refused: but looking into the stream buffers is a use of them. */
static void l0_refused(void *self, uint64_t n, WwCycle last)
{
    L0 *l = self;
    if (WW_BOUND(&l->prefetch)) {
        WW_PREFETCH(&l->prefetch)->searched(l->prefetch.peer, last);
    }
    l->refused += n;
    WW_CACHE(&l->cache)->refused(l->cache.peer, l->spare, n);
}

/* Something has changed: what was refused may fit now. */
static inline void try_again(L0 *l)
{
    if (l->again) {
        l->again = false;
        wake_fetch(l);
    }
}

static WwFetchResult l0_access(void *self, uint32_t warp, uint64_t pc)
{
    static const WwEventWord names[] = {[WW_FETCH_HIT] = WW_WORD("hit"),
                                        [WW_FETCH_MISS] = WW_WORD("miss"),
                                        [WW_FETCH_FAIL] = WW_WORD("refused")},
                             repeated = WW_WORD("repeated"), stream = WW_WORD("stream");
    L0 *l = self;
    uint64_t addr = l->code_at + pc;
    const WwEventWord *word = &repeated;
    WwFetchResult result = WW_FETCH_MISS;
    bool quiet = true;
    if (l->again && l->again_warp == warp && l->again_addr == addr && !told(l)) {
        l0_refused(l, 1, ww_now(l));
        return WW_FETCH_FAIL;
    }
    l->again = false;
    if (is_open(l, warp, addr)) {
        l->repeated++;
    } else if (G_UNLIKELY(l->ready)) {
        return WW_FETCH_FAIL; /* nobody took the one before */
    } else if (WW_BOUND(&l->prefetch) && streams(l, warp, addr, &quiet)) {
        word = &stream;
    } else {
        result = look_up(l, warp, addr, quiet);
        word = &names[result];
    }
    l->accesses += result != WW_FETCH_FAIL;
    WW_LOG(l, &l0_events[LOG_ACCESS], warp, pc, addr, WW_SAY(word));
    return result == WW_FETCH_HIT ? WW_FETCH_MISS : result; /* there in the next turn */
}

static bool l0_take(void *self, uint32_t *warp, uint64_t *pc)
{
    L0 *l = self;
    if (!l->ready) {
        return false;
    }
    *warp = l->ready_warp;
    *pc = l->ready_addr - l->code_at;
    l->ready = l->again = false;
    if (WW_CACHE(&l->cache)->peek(l->cache.peer) != NULL) {
        ww_wake(&l->step); /* there is room for the next response */
    }
    return true;
}

static const WwFetchesIf fetches_table = {
    .access = l0_access, .take = l0_take, .refuses = l0_refuses, .refused = l0_refused};

/* ---- responses ----------------------------------------------------------------------------------------------------------- */

static bool l0_awaits(void *self, const WwMemReq *response)
{
    L0 *l = self;
    return ww_cache_awaits(l->facts, response) ||
           (WW_BOUND(&l->prefetch) &&
            WW_PREFETCH(&l->prefetch)->awaits(l->prefetch.peer, response));
}

static bool l0_ready(void *self)
{
    L0 *l = self;
    return WW_CACHE(&l->cache)->port_free(l->cache.peer, WW_CACHE_FILL_PORT);
}

static void l0_fill(void *self, WwMemReq *response)
{
    L0 *l = self;
    try_again(l);
    if (ww_cache_awaits(l->facts, response)) {
        WW_CACHE(&l->cache)->fill(l->cache.peer, response, ww_now(l));
    } else {
        WW_PREFETCH(&l->prefetch)->fill(l->prefetch.peer, response);
    }
    ww_wake(&l->step);
}

static void l0_clear(void *self)
{
    L0 *l = self;
    WW_CACHE(&l->cache)->clear(l->cache.peer, WW_CACHE_ALL);
    WW_CACHE(&l->cache)->forget(l->cache.peer);
    if (WW_BOUND(&l->prefetch)) {
        WW_PREFETCH(&l->prefetch)->clear(l->prefetch.peer);
    }
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        while (l->open[warp] != 0) {
            Open *o = ww_pool_at(&l->opens, l->open[warp]);
            l->open[warp] = o->next;
            ww_pool_give(&l->opens, o);
        }
    }
    l->ready = false;
    try_again(l);
}

static const WwRefillIf refill_table = {
    .awaits = l0_awaits, .ready = l0_ready, .fill = l0_fill, .clear = l0_clear};

static void respond(L0 *l, uint32_t warp, uint64_t addr)
{
    if (close_one(l, warp, addr)) {
        WW_LOG(l, &l0_events[LOG_DONE], warp, addr);
        set_response(l, warp, addr);
    }
}

/* One request of a line that has come. */
static void take_miss(L0 *l)
{
    const WwCacheIf *cache = WW_CACHE(&l->cache);
    if (!l->ready && cache->peek(l->cache.peer) != NULL) {
        WwMemReq *req = cache->take(l->cache.peer);
        uint32_t warp = req->warp;
        uint64_t addr = req->addr;
        ww_mem_release(req);
        respond(l, warp, addr);
    }
}

static void run_streams(L0 *l)
{
    uint32_t warp;
    uint64_t addr;
    const WwPrefetchIf *prefetch = WW_PREFETCH(&l->prefetch);
    prefetch->allow(l->prefetch.peer, !l->ready);
    ww_step(&l->prefetch);
    if (prefetch->take(l->prefetch.peer, &warp, &addr)) {
        WW_CACHE(&l->cache)->bring(l->cache.peer, addr & ~(uint64_t)(l->facts->line - 1),
                                   ww_now(l));
        respond(l, warp, addr);
    }
}

static WwRest l0_cycle(void *self)
{
    L0 *l = self;
    try_again(l);
    ww_step(&l->cache);
    take_miss(l);
    if (WW_BOUND(&l->prefetch)) {
        run_streams(l);
    }
    bool more = !l->ready && WW_CACHE(&l->cache)->peek(l->cache.peer) != NULL;
    return more ? WW_AGAIN : WW_SLEEP;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool l0_init(void *self, GError **error)
{
    L0 *l = self;
    ww_req_pool_init(&l->reqs, l);
    ww_pool_init(&l->opens, l, sizeof(Open));
    return true;
}

static bool l0_start(void *self, GError **error)
{
    L0 *l = self;
    const WwCacheFacts *facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    if (facts->one_sector) {
        g_autofree char *cache = ww_path(l->cache.peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has sector = true, and fetches ask for lines of %u bytes; expected "
                       "sector = false",
                       cache, facts->line);
    }
    if (facts->mshr_sectors != 0) {
        g_autofree char *cache = ww_path(l->cache.peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has mshr = sector_assoc, and a line comes to an L0 cache at once; "
                       "expected mshr = assoc",
                       cache);
    }
    ww_cache_inner(&l->cache);
    return true;
}

static void l0_reset(void *self)
{
    L0 *l = self;
    l->facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    l->step = ww_wake_of(l, 0);
    ww_req_pool_reset(&l->reqs);
    ww_pool_reset(&l->opens);
    l->spare = NULL;
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        l->open[warp] = 0;
    }
    l->ready = l->again = false;
    l->ready_warp = 0;
    l->ready_addr = 0;
}

static void l0_explain(void *self, WwExplain *explain)
{
    L0 *l = self;
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        if (l->open[warp] != 0) {
            const Open *o = ww_pool_at(&l->opens, l->open[warp]);
            ww_explain_unit(explain, (int32_t)warp, -1);
            ww_explain_waits(explain, o->stream ? l->prefetch.peer : l->cache.peer,
                             "warp %u waits for the line of %" G_GINT64_MODIFIER "x", warp,
                             o->addr);
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwParamRow l0_params[] = {
    WW_U64(L0, code_at, "", "0x7f0000000000", 0, UINT64_C(1) << 60,
           "base address of the code of every kernel: an instruction is at this plus its pc"),
    {0},
};

static const WwPortRow l0_ports[] = {
    WW_PORT_PROVIDES(L0, fetches, &ww_contract_fetches, &fetches_table, "instructions"),
    WW_PORT_PROVIDES(L0, refill, &ww_contract_refill, &refill_table,
                     "responses from the shared cache"),
    {.name = "cache",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cache,
     .min = 1,
     .max = 1,
     .entry = "cycle",
     .owns = true,
     .doc = "its own read-only cache",
     .offset = WW_FIELD(L0, cache, WwPort)},
    {.name = "prefetch",
     .role = WW_REQUIRES,
     .contract = &ww_contract_prefetch,
     .min = 0,
     .max = 1,
     .entry = "cycle",
     .owns = true,
     .doc = "stream buffers; unbound: no prefetching",
     .offset = WW_FIELD(L0, prefetch, WwPort)},
    WW_PORT_REQUIRES(L0, warps, &ww_contract_warps, 0, NULL,
                     "tell the kernel, for whose stream a fetch counts"),
    WW_PORT_REQUIRES(L0, ctas, &ww_contract_ctas, 0, NULL, "the number of this SM"),
    {0},
};

static const WwStatRow l0_stats[] = {
    WW_COUNTER(L0, accesses, "fetches", "fetches accepted"),
    WW_COUNTER(L0, hits, "fetches", "of these, those that hit"),
    WW_COUNTER(L0, misses, "fetches", "of these, those that wait for a line"),
    WW_COUNTER(L0, stream_hits, "fetches", "of these, those that wait for a line of a stream"),
    WW_COUNTER(L0, repeated, "fetches", "of these, those that were already outstanding"),
    WW_COUNTER(L0, refused, "fetches", "refusals of fetches; a fetch counts each time"),
    {0},
};

static const WwEntryRow l0_entries[] = {
    {.name = "cycle",
     .phase = "core",
     .tick = l0_cycle,
     .port = "fetches",
     .rank = WW_RANK_STEP,
     .doc = "one cycle of the cache, the next response, one cycle of the stream buffers"},
    {0},
};

const WwType icache_l0_type = {
    .abi = WW_ABI_VERSION,
    .name = "icache.l0",
    .doc = "L0 instruction cache of a sub-core",
    .family = "icache_l0",
    .size = sizeof(L0),
    .events = l0_events,
    .params = l0_params,
    .ports = l0_ports,
    .stats = l0_stats,
    .entries = l0_entries,
    .init = l0_init,
    .start = l0_start,
    .reset = l0_reset,
    .explain = l0_explain,
};
