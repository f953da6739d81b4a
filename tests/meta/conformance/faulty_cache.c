/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty caches, of data and instructions, and what controls them. */
#include "faulty-priv.h"

#include <ports/cache.h>
#include <ports/icache.h>

static const WwCacheIf *cache;

/* Takes the request for something else when it refuses it. */
static WwCacheResult marking_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwCacheResult result = cache->access(self, req, now, sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        req->addr &= ~127ull;
    }
    return result;
}

/* Refuses, and keeps the request all the same. */
static WwCacheResult keeping_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwCacheResult result = cache->access(self, req, now, sent);
    return now_and_then() ? WW_CACHE_RESERVATION_FAIL : result;
}

/* Data that are under way are there. */
static WwCacheResult hasty_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwCacheResult result = cache->access(self, req, now, sent);
    return result == WW_CACHE_MISS && *sent == 0 && !req->write ? WW_CACHE_HIT : result;
}

static WwCacheResult silent_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwCacheResult result = cache->access(self, req, now, sent);
    *sent &= ~WW_CACHE_SENT_READ;
    return result;
}

/* What others read once is not for ever. */
static const WwCacheFacts *moving_facts(void *self)
{
    WwCacheFacts *facts = (WwCacheFacts *)(uintptr_t)cache->facts(self);
    facts->most_ways += now_and_then();
    return facts;
}

static void late_fill(void *self, WwMemReq *req, WwCycle now)
{
    if (!now_and_then()) {
        cache->fill(self, req, now);
    }
}

static WwMemReq *losing_take(void *self)
{
    if (now_and_then()) {
        cache->take(self);
    }
    return cache->peek(self) != NULL ? cache->take(self) : NULL;
}

/* It keeps the address of the unit. */
static WwMemReq *rounding_take(void *self)
{
    WwMemReq *req = cache->take(self);
    req->size = 32;
    return req;
}

static const WwMemReq *shy_peek(void *self)
{
    return now_and_then() ? NULL : cache->peek(self);
}

static bool stuck_port(void *self, WwCachePort port)
{
    return ++*extra(self) < 300 && cache->port_free(self, port);
}

static void idle_clear(void *self, WwCacheClear what) {}

static void idle_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now) {}

static uint32_t configured_ways(void *self)
{
    return cache->facts(self)->ways;
}

static bool doubled_stream(void *self, uint32_t i, WwCacheStream *out)
{
    return cache->stream(self, i / 2, out);
}

/* ---- texture caches --------------------------------------------------------------------------------------------- */

static const WwCacheIf *texture;

static WwCacheResult hasty_texture(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    WwCacheResult result = texture->access(self, req, now, sent);
    return result == WW_CACHE_HIT_RESERVED ? WW_CACHE_HIT : result;
}

/* Another than the oldest. */
static WwMemReq *losing_texture(void *self)
{
    WwMemReq *req = texture->take(self);
    return now_and_then() && texture->peek(self) != NULL ? texture->take(self) : req;
}

/* Data that come are forgotten: nothing behind them ever comes. */
static void deaf_texture(void *self, WwMemReq *req, WwCycle now)
{
    if (!now_and_then()) {
        texture->fill(self, req, now);
    }
}

/* ---- instruction caches ----------------------------------------------------------------------------------------- */

static const WwICacheIf *icache;

static bool losing_icache(void *self, uint32_t *warp)
{
    return icache->take(self, warp) && (!now_and_then() || icache->take(self, warp));
}

static bool crossing_icache(void *self, uint32_t *warp)
{
    bool came = icache->take(self, warp);
    *warp ^= came && now_and_then();
    return came;
}

/* What comes back comes twice. */
static bool repeating_icache(void *self, uint32_t *warp)
{
    uint64_t *last = extra(self);
    if (icache->take(self, warp)) {
        *last = *warp + 1;
        return true;
    }
    *warp = (uint32_t)*last - 1;
    *last = 0;
    return *warp != UINT32_MAX;
}

/* A miss is over at once, and comes back. */
static WwFetchResult hasty_icache(void *self, uint32_t warp, uint64_t pc)
{
    WwFetchResult result = icache->access(self, warp, pc);
    return result == WW_FETCH_MISS && now_and_then() ? WW_FETCH_HIT : result;
}

/* ---- L2 control ------------------------------------------------------------------------------------------------- */

static const WwL2ControlIf *control;

static void twice_install(void *self, uint64_t addr, uint64_t partition, uint32_t n)
{
    control->install(self, addr, partition, n);
    if (now_and_then()) {
        control->install(self, addr, partition, n);
    }
}

static void plain_install(void *self, uint64_t addr, uint64_t partition, uint32_t n)
{
    control->install(self, addr, now_and_then() ? addr : partition, n);
}

static void late_flush(void *self, bool on, WwCycle edge)
{
    control->flush(self, on, edge + 20);
}

static void stuck_flush(void *self, bool on, WwCycle edge)
{
    control->flush(self, true, edge);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {{"cache.l1", "cache", &cache},
                                     {"cache.texture", "cache", &texture},
                                     {"icache.l1i", "icache", &icache},
                                     {"l2_slice", "control", &control},
                                     {NULL, NULL, NULL}};

#define CACHE(name, f, g) FAULT("cache_" name, "cache.l1", "cache", WwCacheIf, f, g)

#define TEXTURE(name, f, g) FAULT("texture_" name, "cache.texture", "cache", WwCacheIf, f, g)
#define ICACHE(name, f, g) FAULT("icache_" name, "icache.l1i", "icache", WwICacheIf, f, g)
#define CONTROL(name, f, g) FAULT("l2_" name, "l2_slice", "control", WwL2ControlIf, f, g)

static const Fault faults[] = {
    {CACHE("marks", access, marking_access), "promises"},
    {CACHE("keeps", access, keeping_access), "promises"},
    {CACHE("hastens", access, hasty_access), "promises"},
    {CACHE("says_nothing", access, silent_access), "promises"},
    {CACHE("moves_facts", facts, moving_facts), "promises"},
    {CACHE("drops_fills", fill, late_fill), "promises"},
    {CACHE("loses", take, losing_take), "promises"},
    {CACHE("rounds", take, rounding_take), "promises"},
    {CACHE("hides", peek, shy_peek), "promises"},
    {CACHE("sticks", port_free, stuck_port), "promises"},
    {CACHE("clears_not", clear, idle_clear), "promises"},
    {CACHE("installs_not", install, idle_install), "promises"},
    {CACHE("keeps_ways", ways, configured_ways), "promises"},
    {CACHE("doubles_streams", stream, doubled_stream), "promises"},
    {TEXTURE("hastens", access, hasty_texture), "promises"},
    {TEXTURE("loses", take, losing_texture), "promises"},
    {TEXTURE("drops_fills", fill, deaf_texture), "promises"},
    {ICACHE("loses", take, losing_icache), "promises"},
    {ICACHE("crosses", take, crossing_icache), "promises"},
    {ICACHE("repeats", take, repeating_icache), "promises"},
    {ICACHE("hastens", access, hasty_icache), "promises"},
    {CONTROL("installs_twice", install, twice_install), "promises"},
    {CONTROL("installs_elsewhere", install, plain_install), "promises"},
    {CONTROL("flushes_late", flush, late_flush), "promises"},
    {CONTROL("flushes_on", flush, stuck_flush), "promises"},
};

const FaultRoom faults_of_caches = {originals, faults, G_N_ELEMENTS(faults)};
