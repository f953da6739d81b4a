/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty caches. */
#include "faulty-priv.h"

#include <ports/cache.h>

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

static WwMemReq *shy_peek(void *self)
{
    return now_and_then() ? NULL : cache->peek(self);
}

static bool stuck_port(void *self, WwCachePort port)
{
    return ++*extra(self) < 300 && cache->port_free(self, port);
}

static void idle_clear(void *self, WwCacheClear what) {}

static void idle_install(void *self, uint64_t addr, uint64_t partition, WwCycle now) {}

static bool doubled_stream(void *self, uint32_t i, WwCacheStream *out)
{
    return cache->stream(self, i / 2, out);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {{"cache.l1", "cache", &cache}, {NULL, NULL, NULL}};

#define CACHE(name, f, g) FAULT("cache_" name, "cache.l1", "cache", WwCacheIf, f, g)

static const Fault faults[] = {
    {CACHE("marks", access, marking_access), "promises"},
    {CACHE("keeps", access, keeping_access), "promises"},
    {CACHE("hastens", access, hasty_access), "promises"},
    {CACHE("says_nothing", access, silent_access), "promises"},
    {CACHE("drops_fills", fill, late_fill), "promises"},
    {CACHE("loses", take, losing_take), "promises"},
    {CACHE("rounds", take, rounding_take), "promises"},
    {CACHE("hides", peek, shy_peek), "promises"},
    {CACHE("sticks", port_free, stuck_port), "promises"},
    {CACHE("clears_not", clear, idle_clear), "promises"},
    {CACHE("installs_not", install, idle_install), "promises"},
    {CACHE("doubles_streams", stream, doubled_stream), "promises"},
};

const FaultRoom faults_of_caches = {originals, faults, G_N_ELEMENTS(faults)};
