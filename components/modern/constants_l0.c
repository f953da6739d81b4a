/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The L0 cache of constant operands of a sub-core: of instructions with a fixed latency, which are not issued before their operand is there.
 *
 * The issue stage asks for each candidate in each cycle in which it considers it. A hit uses the line; a miss is sent for once, by whoever asks first,
 * and is not remembered: who needs it asks again. It goes through the same link as instructions do.
 *
 * Source: Huerta et al., MICRO'25, and the simulator that they released (docs/modern.md).
 *
 * Workload: a lookup for each candidate with a constant operand; misses are few.
 *
 *     issue ──constants──> constants.l0 ──cache──> cache.l1 ──lower──> link
 *                              └──<──refill── link
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/req_pool.h>
#include <ports/sub_core.h>

#define FETCH_BYTES 4u /* What a lookup asks for. */

typedef struct Constants {
    WwComponent base;
    /* ports */
    WwProvided constants;
    WwProvided refill;
    WwPort cache;
    WwPort warps;
    WwPort ctas;
    /* state */
    const WwCacheFacts *facts;
    WwReqPool reqs;
    WwMemReq *spare; /* taken, and not used yet */
    /* statistics */
    uint64_t hits;
    uint64_t waits;
    uint64_t misses;
    uint64_t refused;
} Constants;

enum { LOG_ACCESS, LOG_FILL };
static const WwEventField field_result = WW_EVENT_FIELD(
    "result", WW_EVENT_LABEL, "", "hit, miss, pending: it is on its way, or refused: tried again");
static const WwEventRow constants_events[] = {
    [LOG_ACCESS] = {"access",
                    "warp",
                    "an instruction's constant operand is looked up",
                    {&ww_field_inst, &ww_field_addr, &field_result}},
    [LOG_FILL] = {"fill", "", "a line has arrived", {&ww_field_addr}},
    {0},
};

static void fill_in(const Constants *c, WwMemReq *req, const WwInst *inst)
{
    uint64_t addr = inst->timing->constant;
    uint32_t left = c->facts->line - (uint32_t)(addr & (c->facts->line - 1));
    const WwKernel *kernel = WW_BOUND(&c->warps)
                                 ? WW_WARPS(&c->warps)->view(c->warps.peer)->warp[inst->warp].kernel
                                 : NULL;
    req->addr = addr;
    req->size = MIN(FETCH_BYTES, left);
    req->warp = inst->warp;
    req->type = WW_ACCESS_CONST_R;
    if (WW_BOUND(&c->ctas)) {
        const WwCtaView *view = WW_CTAS(&c->ctas)->view(c->ctas.peer);
        req->sm = (uint16_t)view->sm;
        req->cluster = (uint16_t)view->cluster;
    }
    req->birth = (uint32_t)ww_now(c);
    req->stamp = 0;
    req->stream = kernel != NULL ? kernel->stream : 0;
}

static WwCacheResult look_up(Constants *c, const WwInst *inst)
{
    uint32_t sent;
    if (c->spare == NULL) {
        c->spare = ww_req_pool_take(&c->reqs);
    }
    fill_in(c, c->spare, inst);
    WwCacheResult result = WW_CACHE(&c->cache)->access(c->cache.peer, c->spare, ww_now(c), &sent);
    if (result == WW_CACHE_MISS || result == WW_CACHE_HIT_RESERVED) {
        c->spare = NULL; /* the cache has it */
    }
    return result;
}

static bool constants_ready(void *self, const WwInst *inst)
{
    static const WwEventWord names[] = {[WW_CACHE_HIT] = WW_WORD("hit"),
                                        [WW_CACHE_HIT_RESERVED] = WW_WORD("pending"),
                                        [WW_CACHE_MISS] = WW_WORD("miss"),
                                        [WW_CACHE_RESERVATION_FAIL] = WW_WORD("refused")};
    Constants *c = self;
    uint64_t addr = inst->timing->constant;
    WwCacheResult result = WW_CACHE(&c->cache)->probe(c->cache.peer, addr);
    if (result != WW_CACHE_HIT_RESERVED) {
        result = look_up(c, inst);
    }
    c->hits += result == WW_CACHE_HIT;
    c->waits += result == WW_CACHE_HIT_RESERVED;
    c->misses += result == WW_CACHE_MISS;
    c->refused += result == WW_CACHE_RESERVATION_FAIL;
    WW_LOG(c, &constants_events[LOG_ACCESS], inst->warp, WW_PART(inst), addr,
           WW_SAY(&names[result]));
    return result == WW_CACHE_HIT;
}

static const WwConstantsIf constants_table = {.ready = constants_ready};

static bool constants_awaits(void *self, const WwMemReq *response)
{
    return ww_cache_awaits(((Constants *)self)->facts, response);
}

static bool constants_port(void *self)
{
    Constants *c = self;
    return WW_CACHE(&c->cache)->port_free(c->cache.peer, WW_CACHE_FILL_PORT);
}

static void constants_fill(void *self, WwMemReq *response)
{
    Constants *c = self;
    const WwCacheIf *cache = WW_CACHE(&c->cache);
    cache->fill(c->cache.peer, response, ww_now(c));
    while (cache->peek(c->cache.peer) != NULL) {
        WwMemReq *req = cache->take(c->cache.peer);
        WW_LOG(c, &constants_events[LOG_FILL], -1, req->addr);
        ww_mem_release(req);
    }
    const WwClient *issue = ww_provided_client(&c->constants, WW_CONSTANTS_ISSUE, 0);
    if (issue != NULL) {
        ww_wake(&issue->wake);
    }
}

/* Constants stay, as in the released simulator. */
static void constants_clear(void *self) {}

static const WwRefillIf refill_table = {
    .awaits = constants_awaits,
    .ready = constants_port,
    .fill = constants_fill,
    .clear = constants_clear,
};

/* The cycle of the cache: the issue stage, and whoever fills, acted before. */
static WwRest constants_cycle(void *self)
{
    ww_step(&((Constants *)self)->cache);
    return WW_SLEEP;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool constants_init(void *self, GError **error)
{
    Constants *c = self;
    ww_req_pool_init(&c->reqs, c);
    return true;
}

static bool constants_start(void *self, GError **error)
{
    Constants *c = self;
    const WwCacheFacts *facts = WW_CACHE(&c->cache)->facts(c->cache.peer);
    if (facts->one_sector || facts->mshr_sectors != 0) {
        g_autofree char *cache = ww_path(c->cache.peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has %s, and lines come to an L0 cache at once; expected %s", cache,
                       facts->one_sector ? "sector = true" : "mshr = sector_assoc",
                       facts->one_sector ? "sector = false" : "mshr = assoc");
    }
    ww_cache_inner(&c->cache);
    return true;
}

static void constants_reset(void *self)
{
    Constants *c = self;
    c->facts = WW_CACHE(&c->cache)->facts(c->cache.peer);
    ww_req_pool_reset(&c->reqs);
    c->spare = NULL;
}

static void constants_explain(void *self, WwExplain *explain)
{
    Constants *c = self;
    const WwMemReq *oldest = ww_req_pool_explain(&c->reqs, explain);
    if (oldest != NULL && oldest != c->spare) {
        ww_explain_waits(explain, c->cache.peer,
                         "constants at %" G_GINT64_MODIFIER "x are on their way", oldest->addr);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwPortRow constants_ports[] = {
    WW_PORT_PROVIDES(Constants, constants, &ww_contract_constants, &constants_table,
                     "constant operands"),
    WW_PORT_PROVIDES(Constants, refill, &ww_contract_refill, &refill_table,
                     "responses from the shared cache"),
    {.name = "cache",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cache,
     .min = 1,
     .max = 1,
     .entry = "cycle",
     .owns = true,
     .doc = "its own read-only cache",
     .offset = WW_FIELD(Constants, cache, WwPort)},
    WW_PORT_REQUIRES(Constants, warps, &ww_contract_warps, 0, NULL,
                     "tell the kernel, for whose stream a lookup counts"),
    WW_PORT_REQUIRES(Constants, ctas, &ww_contract_ctas, 0, NULL, "the number of this SM"),
    {0},
};

static const WwStatRow constants_stats[] = {
    WW_COUNTER(Constants, hits, "lookups", "lookups that hit"),
    WW_COUNTER(Constants, misses, "lookups", "lookups that requested their line"),
    WW_COUNTER(Constants, waits, "lookups", "lookups whose line was already requested"),
    WW_COUNTER(Constants, refused, "lookups", "lookups that could not request their line"),
    {0},
};

static const WwEntryRow constants_entries[] = {
    {.name = "cycle",
     .phase = "core",
     .tick = constants_cycle,
     .port = "constants",
     .rank = WW_RANK_STEP,
     .doc = "one cycle of the cache"},
    {0},
};

const WwType constants_l0_type = {
    .abi = WW_ABI_VERSION,
    .name = "constants.l0",
    .doc = "L0 constant-operand cache of a sub-core",
    .family = "constants",
    .size = sizeof(Constants),
    .events = constants_events,
    .ports = constants_ports,
    .stats = constants_stats,
    .entries = constants_entries,
    .init = constants_init,
    .start = constants_start,
    .reset = constants_reset,
    .explain = constants_explain,
};

/* ---- the same, in which every lookup hits -------------------------------------------------------------------------------- */

typedef struct PerfectConstants {
    WwComponent base;
    WwProvided constants;
} PerfectConstants;

static bool perfect_ready(void *self, const WwInst *inst)
{
    return true;
}

static const WwConstantsIf perfect_table = {.ready = perfect_ready};

static const WwPortRow perfect_ports[] = {
    WW_PORT_PROVIDES(PerfectConstants, constants, &ww_contract_constants, &perfect_table,
                     "constant operands, without delay"),
    {0},
};

const WwType constants_perfect_type = {
    .abi = WW_ABI_VERSION,
    .name = "constants.perfect",
    .doc = "constant operands that always hit",
    .family = "constants",
    .size = sizeof(PerfectConstants),
    .ports = perfect_ports,
};
