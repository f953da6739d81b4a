/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction fetch through a first-level cache.
 *
 * An instruction's address in memory is its pc plus a fixed offset, far from data. A fetch asks for
 * 16 bytes, or what is left of the line, and is placed by the address map before the cache is
 * asked: a map that places at random sees also what hits or is refused. A miss asks for the line,
 * but goes where its first bytes live. What comes back is filled in the intake phase, before the
 * core works, however busy the fetch unit is: with a cache whose misses are answered sector by
 * sector, the last response of a line completes it. The cache's own cycle belongs to the fetch
 * turn: several a core cycle.
 *
 * It may stand inside an SM's gate: a warp that waits for a miss has lanes that have not exited and
 * cannot issue, so the SM is clocked until the last response is there.
 *
 * Workload: hits nearly always, one lookup a fetch; a miss costs a request and up to four
 * responses. A warp waits for one miss at a time, so that each has its request in place.
 *
 *     fetch_unit ──icache──> icache.l1i ──cache──> cache.l1 ──lower──> network
 *                                └──<── response
 */
#include "types.h"
#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/icache.h>
#include <ports/inst.h>
#include <ports/tokens.h>
#include <ports/warps.h>

enum { LOG_RESPONSE, LOG_DONE };
static const WwEventRow l1i_events[] = {
    [LOG_RESPONSE] = {"response",
                      "warp",
                      "an instruction line, or part of one, is received",
                      {&ww_field_request}},
    [LOG_DONE] = {"done", "warp", "a fetch that missed gets its line", {&ww_field_request}},
    {0},
};

#define FETCH_BYTES 16u

typedef struct L1I {
    WwComponent base;
    /* parameters */
    bool places_unsent;
    /* ports */
    WwProvided icache;
    WwPort response;
    WwPort cache;
    WwPort address_map;
    WwPort ctas;
    WwPort warps;
    /* state */
    uint32_t line;
    uint64_t serial;
    WwPlacer placer;
    WwMemReq req[WW_MAX_WARPS];
    /* statistics */
    uint64_t strays;
} L1I;

/* Of which SM it is; alone, in a test, of the first. */
static const WwCtaView *view_of(const L1I *l)
{
    static const WwCtaView first;
    return WW_BOUND(&l->ctas) ? WW_CTAS(&l->ctas)->view(l->ctas.peer) : &first;
}

static uint64_t stream_of(const L1I *l, uint32_t warp)
{
    const WwKernel *k =
        WW_BOUND(&l->warps) ? WW_WARPS(&l->warps)->view(l->warps.peer)->warp[warp].kernel : NULL;
    return k != NULL ? k->stream : 0;
}

static void place(L1I *l, uint64_t addr, WwMemReq *req)
{
    if (WW_BOUND(&l->address_map)) {
        ww_place(&l->placer, &l->address_map, addr, &req->at);
    }
}

static WwFetchResult l1i_access(void *self, uint32_t warp, uint64_t pc)
{
    L1I *l = self;
    WwMemReq *req = &l->req[warp];
    uint64_t addr = pc + WW_PROGRAM_START;
    uint32_t left = l->line - (uint32_t)(addr & (l->line - 1));
    uint32_t sent;
    const WwCtaView *view = view_of(l);
    *req = (WwMemReq){
        .addr = addr,
        .size = MIN(FETCH_BYTES, left),
        .birth = (uint32_t)ww_now(l),
        .serial = l->serial,
        .stream = stream_of(l, warp),
        .sm = (uint16_t)view->sm,
        .cluster = (uint16_t)view->cluster, /* the answer finds its way by it */
        .warp = (uint16_t)warp,
        .type = WW_ACCESS_INST_R,
    };
    bool early = l->places_unsent && l->placer.early; /* else nobody can tell */
    if (early) {
        place(l, addr, req);
    }
    WwCacheResult result = WW_CACHE(&l->cache)->access(l->cache.peer, req, ww_now(l), &sent);
    switch (result) {
    case WW_CACHE_HIT:
        return WW_FETCH_HIT;
    case WW_CACHE_RESERVATION_FAIL:
        return WW_FETCH_FAIL;
    default:
        if (!early) {
            place(l, addr, req);
        }
        l->serial++;
        return WW_FETCH_MISS;
    }
}

static bool l1i_take(void *self, uint32_t *warp)
{
    L1I *l = self;
    if (WW_CACHE(&l->cache)->peek(l->cache.peer) == NULL) {
        return false;
    }
    const WwMemReq *req = WW_CACHE(&l->cache)->take(l->cache.peer);
    WW_LOG(l, &l1i_events[LOG_DONE], req->warp, WW_PART(req));
    *warp = req->warp;
    return true;
}

/* The cycle of the cache belongs to the fetch turn. */
static WwRest l1i_cycle(void *self)
{
    ww_step(&((L1I *)self)->cache);
    return WW_SLEEP;
}

static const WwICacheIf l1i_table = {
    .access = l1i_access,
    .take = l1i_take,
};

/* A part of a line for a cache that waits for it as a whole: its warp would wait for ever. */
WW_COLD static void part_for_whole(L1I *l, const WwMemReq *part, uint32_t line)
{
    g_autofree char *path = ww_path(l->cache.peer);
    ww_fail_run(l, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: the L2 answers a line of %u bytes in sectors of %u, and mshr = "
                               "assoc waits for one answer; expected mshr = sector_assoc",
                               path, line, part->size));
}

/* What nobody waits for is dropped. */
static void stray(L1I *l, WwMemReq *req)
{
    const WwCacheFacts *facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    if (req->original != NULL && facts->mshr_sectors == 0) {
        part_for_whole(l, req, facts->line);
    }
    l->strays++;
    ww_mem_release(req);
}

static WwRest l1i_fill(void *self)
{
    L1I *l = self;
    const WwCacheIf *cache = WW_CACHE(&l->cache);
    const WwCacheFacts *facts = cache->facts(l->cache.peer);
    while (ww_fifo_ready(&l->response)) {
        WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_take(&l->response);
        WW_LOG(l, &l1i_events[LOG_RESPONSE], req->warp, WW_PART(req));
        if (ww_cache_awaits(facts, req)) {
            cache->fill(l->cache.peer, req, ww_now(l));
        } else {
            stray(l, req);
        }
    }
    if (cache->peek(l->cache.peer) != NULL) {
        ww_notify(&l->icache);
    }
    return WW_SLEEP;
}

static void l1i_reset(void *self)
{
    L1I *l = self;
    l->line = WW_CACHE(&l->cache)->facts(l->cache.peer)->line;
    l->serial = 0;
    ww_placer_begin(&l->placer, &l->address_map);
}

static void l1i_explain(void *self, WwExplain *explain)
{
    L1I *l = self;
    ww_explain_waits(explain, l->cache.peer, "instructions come through the cache");
}

/* Fetches ask for lines, and a cache with plain MSHRs waits for a line in one answer. */
static bool l1i_start(void *self, GError **error)
{
    L1I *l = self;
    const WwCacheFacts *facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    if (facts->one_sector) {
        g_autofree char *cache = ww_path(l->cache.peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has sector = true, and fetches ask for lines of %u bytes; expected "
                       "sector = false",
                       cache, facts->line);
    }
    if (facts->mshr_sectors == 0 && (ww_carried(&l->response) & WW_CARRIES_PARTS) != 0 &&
        facts->atom > WW_SECTOR_BYTES) {
        g_autofree char *cache = ww_path(l->cache.peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has mshr = assoc and waits for a line of %u bytes at once, but an L2 of "
                       "sectors answers in parts of %u; expected mshr = sector_assoc",
                       cache, facts->line, WW_SECTOR_BYTES);
    }
    return true;
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow l1i_params[] = {
    WW_BOOL(
        L1I, places_unsent, "true",
        "every fetch consults the address map, as in the reference; false: only those that miss"),
    {0},
};

static const WwPortRow l1i_ports[] = {
    {.name = "icache",
     .role = WW_PROVIDES,
     .contract = &ww_contract_icache,
     .max = 1,
     .table = &l1i_table,
     .doc = "instructions, for one fetch unit",
     .offset = WW_FIELD(L1I, icache, WwProvided)},
    WW_PORT_IN(L1I, response, &ww_contract_mem_response, 1,
               "responses; written in the intake phase, so a `same` fifo without a bound"),
    {.name = "cache",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cache,
     .min = 1,
     .max = 1,
     .entry = "cycle",
     .owns = true,
     .doc = "its own read-only cache",
     .offset = WW_FIELD(L1I, cache, WwPort)},
    WW_PORT_REQUIRES(L1I, address_map, &ww_contract_address_map, 0, NULL,
                     "gives the destination of a request"),
    WW_PORT_REQUIRES(L1I, ctas, &ww_contract_ctas, 0, NULL, "the number of this SM"),
    WW_PORT_REQUIRES(L1I, warps, &ww_contract_warps, 0, NULL,
                     "tell the kernel, for whose stream a fetch counts"),
    {0},
};

static const WwStatRow l1i_stats[] = {
    WW_COUNTER(L1I, strays, "transactions", "responses nothing waited for"),
    {0},
};

static const WwEntryRow l1i_entries[] = {
    {.name = "fill", .phase = "intake", .tick = l1i_fill, .doc = "performs fills for responses"},
    {.name = "cycle", .owner = "icache", .tick = l1i_cycle, .doc = "one cycle of the cache"},
    {0},
};

const WwType icache_l1i_type = {
    .abi = WW_ABI_VERSION,
    .name = "icache.l1i",
    .doc = "instruction fetch through a first-level cache",
    .family = "icache",
    .size = sizeof(L1I),
    .events = l1i_events,
    .params = l1i_params,
    .ports = l1i_ports,
    .stats = l1i_stats,
    .entries = l1i_entries,
    .reset = l1i_reset,
    .explain = l1i_explain,
    .start = l1i_start,
};
