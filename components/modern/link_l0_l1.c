/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link between the small caches of an SM's sub-cores and the cache of instructions and constants that they share.
 *
 * Requests come through one entry stage, a fifo of depth 1 for all, move on by a stage a cycle (those behind close up where one stands
 * still), wait in a place of their own in front of the shared cache, and are looked up one a cycle, while the way back has room. One that hits
 * goes onto the way back at once, as long again; what a miss brought goes there when nothing else does. At its end a reply is given to the
 * cache that waits for it, which may be busy with another fill: then it stands still, and all behind it; what nobody waits for is dropped.
 *
 * In a cycle: a reply is given, a request is looked up, a request gets to the place in front of the cache, one enters, a miss that is over goes onto the way
 * back; then the cache has its own cycle. It is the first in the cycle of an SM. What the cache asked for below is filled as it comes. Time is counted in cycles in which the SM
 * is clocked.
 *
 * Source: the simulator released with Huerta et al., MICRO'25 (docs/modern.md).
 *
 * Workload: a request for each line that a sub-core lacks; asleep in between, also while they are on their way.
 *
 *     caches ──requests──> [ stages ] ──> cache.l1 ──lower──> network
 *            <──refill──── [ stages ] <──    └──<── response
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/sub_core.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

#define MAX_LATENCY 1024u
#define MAX_CLIENTS 32u
#define FETCH_PARTS 8u /* of a line: what the shared cache is asked for */

/* What the shared cache is asked for on behalf of another. */
typedef struct Ask {
    WwMemReq req;     /* First: its address is the item's. */
    WwMemReq *client; /* Its request. */
} Ask;

/* Something on its way; `due`: the cycle in which it may leave. */
typedef struct Moving {
    WwMemReq *req;
    WwCycle due;
} Moving;

typedef struct Link {
    WwComponent base;
    /* parameters */
    uint32_t to_l1, to_l0;
    bool places_unsent;
    /* ports */
    WwPort requests;
    WwPort clients[MAX_CLIENTS];
    uint32_t n_clients;
    WwPort cache;
    WwPort response;
    WwProvided control;
    WwPort address_map;
    WwPort ctas;
    /* state */
    const WwCacheFacts *facts;
    WwPlacer placer;
    WwWake cycle;
    WwPool asks;
    uint64_t serial;
    WwCycle clock; /* Turns, those slept through, too. */
    Moving *there, *back;
    WwRing there_ring, back_ring;
    WwMemReq *front; /* In front of the cache, or NULL. */
    Ask *ask;        /* Its, if the cache has refused it. */
    bool stale;      /* What is in the first stage was there when all was given up. */
    /* statistics */
    uint64_t requested;
    uint64_t replies;
    uint64_t dropped;
    uint64_t blocked;
    uint64_t strays;
} Link;

enum { LOG_ENTER, LOG_ACCESS, LOG_REPLY, LOG_DROP, LOG_RESPONSE };
static const WwEventField field_result =
    WW_EVENT_FIELD("result", WW_EVENT_LABEL, "", "hit, miss, or refused: tried again");
static const WwEventRow link_events[] = {
    [LOG_ENTER] = {"enter", "warp", "a request enters the link", {&ww_field_request}},
    [LOG_ACCESS] = {"access",
                    "warp",
                    "a request is looked up in the shared cache",
                    {&ww_field_request, &field_result}},
    [LOG_REPLY] = {"reply", "warp", "a reply is delivered to its requester", {&ww_field_request}},
    [LOG_DROP] = {"drop",
                  "warp",
                  "a reply that nobody waits for any more is dropped",
                  {&ww_field_request}},
    [LOG_RESPONSE] = {"response",
                      "warp",
                      "a line, or part of one, arrives for the shared cache",
                      {&ww_field_request}},
    {0},
};

/* ---- the way back -------------------------------------------------------------------------------------------------------- */

static inline bool way_back(const Link *l)
{
    return l->back_ring.n < l->to_l0;
}

static void send_back(Link *l, WwMemReq *req)
{
    l->back[ww_ring_put(&l->back_ring)] = (Moving){req, l->clock + l->to_l0};
}

/* Who waits for it; NULL: nobody. */
static const WwPort *client_of(const Link *l, const WwMemReq *req)
{
    for (uint32_t i = 0; i < l->n_clients; i++) {
        if (WW_REFILL(&l->clients[i])->awaits(l->clients[i].peer, req)) {
            return &l->clients[i];
        }
    }
    return NULL;
}

static void drop(Link *l, WwMemReq *req)
{
    WW_LOG(l, &link_events[LOG_DROP], req->warp, WW_PART(req));
    l->dropped++;
    ww_mem_release(req);
}

static void give_reply(Link *l)
{
    if (l->back_ring.n == 0) {
        return;
    }
    const Moving *m = &l->back[ww_ring_first(&l->back_ring)];
    if (m->due > l->clock) {
        return;
    }
    WwMemReq *req = m->req;
    const WwPort *client = client_of(l, req);
    if (client != NULL && !WW_REFILL(client)->ready(client->peer)) {
        l->blocked++;
        return;
    }
    ww_ring_take(&l->back_ring);
    req->response = true;
    if (client != NULL) {
        WW_LOG(l, &link_events[LOG_REPLY], req->warp, WW_PART(req));
        l->replies++;
        WW_REFILL(client)->fill(client->peer, req);
    } else {
        drop(l, req);
    }
}

/* ---- the shared cache ---------------------------------------------------------------------------------------------------- */

static void place(Link *l, WwMemReq *req)
{
    if (WW_BOUND(&l->address_map)) {
        ww_place(&l->placer, &l->address_map, req->addr, &req->at);
    }
}

static Ask *make_ask(Link *l, WwMemReq *client)
{
    Ask *a = ww_pool_take(&l->asks);
    uint32_t most = MAX(l->facts->line / FETCH_PARTS, 1u);
    uint32_t left = l->facts->line - (uint32_t)(client->addr & (l->facts->line - 1));
    *a = (Ask){
        .req = {.addr = client->addr,
                .size = MIN(most, left),
                .type = client->type,
                .serial = l->serial,
                .stream = client->stream,
                .sm = client->sm,
                .cluster = client->cluster,
                .warp = client->warp,
                .uid = client->uid},
        .client = client,
    };
    if (WW_BOUND(&l->ctas)) {
        const WwCtaView *view = WW_CTAS(&l->ctas)->view(l->ctas.peer);
        a->req.sm = (uint16_t)view->sm;
        a->req.cluster = (uint16_t)view->cluster;
    }
    if (l->places_unsent && l->placer.early) {
        place(l, &a->req);
    }
    return a;
}

/* True: a reply went onto the way back. */
static bool look_up(Link *l)
{
    static const WwEventWord names[] = {[WW_CACHE_HIT] = WW_WORD("hit"),
                                        [WW_CACHE_HIT_RESERVED] = WW_WORD("miss"),
                                        [WW_CACHE_MISS] = WW_WORD("miss"),
                                        [WW_CACHE_RESERVATION_FAIL] = WW_WORD("refused")};
    uint32_t sent;
    if (l->front == NULL || !way_back(l)) {
        return false;
    }
    WwMemReq *req = l->front;
    if (l->ask == NULL) {
        l->ask = make_ask(l, req);
    }
    /* each try is another one, as in the released simulator */
    l->ask->req.birth = (uint32_t)ww_now(l);
    WwCacheResult result =
        WW_CACHE(&l->cache)->access(l->cache.peer, &l->ask->req, ww_now(l), &sent);
    WW_LOG(l, &link_events[LOG_ACCESS], req->warp, WW_PART(req), WW_SAY(&names[result]));
    if (result == WW_CACHE_RESERVATION_FAIL) {
        return false;
    }
    if (result == WW_CACHE_HIT) {
        ww_pool_give(&l->asks, l->ask);
        send_back(l, req);
    } else {
        if (!(l->places_unsent && l->placer.early)) {
            place(l, &l->ask->req);
        }
        l->serial++;
    }
    l->ask = NULL;
    l->front = NULL;
    return result == WW_CACHE_HIT;
}

static void take_miss(Link *l)
{
    const WwCacheIf *cache = WW_CACHE(&l->cache);
    if (way_back(l) && cache->peek(l->cache.peer) != NULL) {
        Ask *a = (Ask *)(void *)cache->take(l->cache.peer);
        WwMemReq *req = a->client;
        ww_pool_give(&l->asks, a);
        send_back(l, req);
    }
}

/* ---- the way there ------------------------------------------------------------------------------------------------------- */

static void move_requests(Link *l)
{
    if (l->front == NULL && l->there_ring.n != 0 &&
        l->there[ww_ring_first(&l->there_ring)].due <= l->clock) {
        l->front = l->there[ww_ring_take(&l->there_ring)].req;
    }
    if (l->there_ring.n + 1 < l->to_l1 && ww_fifo_ready(&l->requests)) {
        WwMemReq *req = ww_token_mem(ww_fifo_take(&l->requests));
        WW_LOG(l, &link_events[LOG_ENTER], req->warp, WW_PART(req));
        l->requested++;
        if (G_UNLIKELY(l->stale)) {
            l->stale = false;
            if (client_of(l, req) == NULL) {
                drop(l, req);
                return;
            }
        }
        l->there[ww_ring_put(&l->there_ring)] = (Moving){req, l->clock + l->to_l1 - 1};
    }
}

/* ---- a cycle ------------------------------------------------------------------------------------------------------------- */

static WwCycle due_of(const Link *l, const WwRing *ring, const Moving *moving)
{
    return ring->n != 0 ? MAX(moving[ww_ring_first(ring)].due, l->clock) : WW_NEVER;
}

static WwRest link_cycle(void *self)
{
    Link *l = self;
    give_reply(l);
    bool taken = look_up(l);
    move_requests(l);
    if (!taken) {
        take_miss(l);
    }
    ww_step(&l->cache);
    l->clock++;
    if (l->front != NULL || WW_CACHE(&l->cache)->peek(l->cache.peer) != NULL ||
        ww_fifo_length(&l->requests) != 0) {
        return WW_AGAIN;
    }
    WwCycle next = MIN(due_of(l, &l->there_ring, l->there), due_of(l, &l->back_ring, l->back));
    return next == WW_NEVER ? WW_SLEEP : next - l->clock + 1;
}

/* Cycles that it slept through: the clock goes on, but not while the SM is not clocked. */
static void link_settle(void *self, uint32_t entry, uint64_t n)
{
    Link *l = self;
    if (entry == 0) {
        l->clock += n;
    }
}

/* ---- what comes from below ----------------------------------------------------------------------------------------------- */

/* A part of a line for a cache that waits for it as a whole: it would wait for ever. */
WW_COLD static void part_for_whole(Link *l, const WwMemReq *part)
{
    g_autofree char *path = ww_path(l->cache.peer);
    ww_fail_run(l, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: the L2 answers a line of %u bytes in sectors of %u, and mshr = "
                               "assoc waits for one answer; expected mshr = sector_assoc",
                               path, l->facts->line, part->size));
}

static void fill_all(Link *l)
{
    const WwCacheIf *cache = WW_CACHE(&l->cache);
    while (ww_fifo_ready(&l->response)) {
        WwMemReq *req = ww_token_mem(ww_fifo_take(&l->response));
        WW_LOG(l, &link_events[LOG_RESPONSE], req->warp, WW_PART(req));
        if (ww_cache_awaits(l->facts, req)) {
            cache->fill(l->cache.peer, req, ww_now(l));
        } else {
            if (req->original != NULL && l->facts->mshr_sectors == 0) {
                part_for_whole(l, req);
            }
            l->strays++;
            ww_mem_release(req);
        }
    }
    if (cache->peek(l->cache.peer) != NULL) {
        ww_wake(&l->cycle);
    }
}

static WwRest link_fill(void *self)
{
    fill_all(self);
    return WW_SLEEP;
}

/* ---- code is given up ---------------------------------------------------------------------------------------------------- */

/* What nobody waits for any more goes. */
static void drop_moving(Link *l, WwRing *ring, Moving *moving)
{
    for (uint32_t n = ring->n; n != 0; n--) {
        Moving m = moving[ww_ring_take(ring)];
        if (client_of(l, m.req) != NULL) {
            moving[ww_ring_put(ring)] = m;
        } else {
            drop(l, m.req);
        }
    }
}

/*
 * While an SM holds no thread its caches of instructions are empty, and so are the ways between them, but for what stands in front of the
 * shared cache; what came to that one meanwhile, while nothing here was clocked, is in none of its lines.
 */
static void link_clear(void *self)
{
    Link *l = self;
    for (uint32_t i = 0; i < l->n_clients; i++) {
        WW_REFILL(&l->clients[i])->clear(l->clients[i].peer);
    }
    fill_all(l);
    WW_CACHE(&l->cache)->clear(l->cache.peer, WW_CACHE_ALL);
    drop_moving(l, &l->there_ring, l->there);
    drop_moving(l, &l->back_ring, l->back);
    l->stale = ww_fifo_length(&l->requests) != 0;
}

static const WwCodeCachesIf control_table = {.clear = link_clear};

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool link_init(void *self, GError **error)
{
    Link *l = self;
    ww_ring_init(&l->there_ring, l->to_l1);
    ww_ring_init(&l->back_ring, l->to_l0);
    l->there = ww_alloc(l, (l->there_ring.mask + 1) * sizeof *l->there);
    l->back = ww_alloc(l, (l->back_ring.mask + 1) * sizeof *l->back);
    ww_pool_init(&l->asks, l, sizeof(Ask));
    return true;
}

static bool link_start(void *self, GError **error)
{
    Link *l = self;
    const WwCacheFacts *facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    g_autofree char *cache = ww_path(l->cache.peer);
    if (facts->one_sector) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has sector = true, and is asked for lines of %u bytes; expected sector "
                       "= false",
                       cache, facts->line);
    }
    if (facts->mshr_sectors == 0 && (ww_carried(&l->response) & WW_CARRIES_PARTS) != 0 &&
        facts->atom > WW_SECTOR_BYTES) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has mshr = assoc and waits for a line of %u bytes at once, but an L2 of "
                       "sectors answers in parts of %u; expected mshr = sector_assoc",
                       cache, facts->line, WW_SECTOR_BYTES);
    }
    return true;
}

static void link_reset(void *self)
{
    Link *l = self;
    l->facts = WW_CACHE(&l->cache)->facts(l->cache.peer);
    ww_placer_begin(&l->placer, &l->address_map);
    l->cycle = ww_wake_of(l, 0);
    ww_pool_reset(&l->asks);
    ww_ring_init(&l->there_ring, l->to_l1);
    ww_ring_init(&l->back_ring, l->to_l0);
    l->front = NULL;
    l->ask = NULL;
    l->stale = false;
    l->serial = l->clock = 0;
}

static void link_explain(void *self, WwExplain *explain)
{
    Link *l = self;
    for (uint32_t i = 0; i < l->there_ring.n; i++) {
        ww_explain_holds_req(explain, l->there[ww_ring_slot(&l->there_ring, i)].req);
    }
    for (uint32_t i = 0; i < l->back_ring.n; i++) {
        ww_explain_holds_req(explain, l->back[ww_ring_slot(&l->back_ring, i)].req);
    }
    if (l->front != NULL) {
        ww_explain_holds_req(explain, l->front);
    }
    uint32_t handle = 0;
    for (const Ask *a; (a = ww_pool_next_used(&l->asks, &handle)) != NULL;) {
        ww_explain_holds_req(explain, a->client);
        ww_explain_waits(explain, l->cache.peer, "line %" G_GINT64_MODIFIER "x is on its way",
                         a->req.addr);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwParamRow link_params[] = {
    WW_UINT(Link, to_l1, "cycles", "39", 2, MAX_LATENCY, "stages to the shared cache"),
    WW_UINT(Link, to_l0, "cycles", "39", 1, MAX_LATENCY, "stages back"),
    WW_BOOL(
        Link, places_unsent, "true",
        "every lookup consults the address map, as in the reference; false: only those that miss"),
    {0},
};

static const WwPortRow link_ports[] = {
    {.name = "requests",
     .role = WW_IN,
     .contract = &ww_contract_mem_request,
     .min = 1,
     .max = 1,
     .entry = "cycle",
     .doc = "misses of all caches; a fifo of depth 1 is the first stage",
     .offset = WW_FIELD(Link, requests, WwPort)},
    WW_PORT_ARRAY(Link, clients, WW_REQUIRES, &ww_contract_refill, 1, NULL,
                  "the caches of the sub-cores"),
    {.name = "cache",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cache,
     .min = 1,
     .max = 1,
     .entry = "cycle",
     .owns = true,
     .doc = "the shared cache, read-only",
     .offset = WW_FIELD(Link, cache, WwPort)},
    {.name = "response",
     .role = WW_IN,
     .contract = &ww_contract_mem_response,
     .min = 1,
     .max = 1,
     .entry = "fill",
     .doc = "responses to the shared cache; written in the intake phase, so a `same` fifo without "
            "a bound",
     .offset = WW_FIELD(Link, response, WwPort)},
    WW_PORT_PROVIDES(Link, control, &ww_contract_code_caches, &control_table,
                     "discards the code held by these caches"),
    WW_PORT_REQUIRES(Link, address_map, &ww_contract_address_map, 0, NULL,
                     "gives the destination of a request"),
    WW_PORT_REQUIRES(Link, ctas, &ww_contract_ctas, 0, NULL, "the number of this SM"),
    {0},
};

static const WwStatRow link_stats[] = {
    WW_COUNTER(Link, requested, "requests", "requests that entered"),
    WW_COUNTER(Link, replies, "requests", "replies delivered"),
    WW_COUNTER(Link, dropped, "requests", "replies that nobody waited for any more"),
    WW_COUNTER(Link, blocked, "cycles",
               "cycles in which a reply waited because its cache was busy"),
    WW_COUNTER(Link, strays, "transactions", "responses the shared cache did not wait for"),
    {0},
};

static const WwEntryRow link_entries[] = {
    {.name = "cycle",
     .phase = "core",
     .tick = link_cycle,
     .doc = "moves requests and replies; one cycle of the shared cache"},
    {.name = "fill",
     .phase = "intake",
     .tick = link_fill,
     .doc = "performs fills of the shared cache"},
    {0},
};

const WwType link_l0_l1_type = {
    .abi = WW_ABI_VERSION,
    .name = "link.l0_l1",
    .doc = "link between the sub-cores' caches and the SM's cache of instructions and constants",
    .family = "link",
    .size = sizeof(Link),
    .events = link_events,
    .params = link_params,
    .ports = link_ports,
    .stats = link_stats,
    .entries = link_entries,
    .init = link_init,
    .start = link_start,
    .reset = link_reset,
    .settle = link_settle,
    .explain = link_explain,
};
