/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A first-level data cache that answers what a test tells it: no tags, only the protocol. What
 * it sends down waits in `lower` and leaves, one a cycle, to `down`, where the test takes it.
 */
#pragma once

#include <ports/cache.h>
#include <warpwright/harness.h>

typedef struct ScriptedCache {
    /* what the test says */
    WwCacheFacts facts;
    WwCacheResult result; /* Of every access, */
    uint32_t sent;        /* with these WW_CACHE_SENT_ bits, */
    WwCacheResult (*decide)(struct ScriptedCache *c, const WwMemReq *req, WwCycle now,
                            uint32_t *sent); /* unless this is set. */
    uint32_t data_cost, fill_cost;           /* Cycles that a hit and a fill keep their ports. */
    uint32_t seed;
    GString *log; /* NULL: none. */
    /* what it saw */
    uint32_t accesses, refusals, fills, released, invalidations;
    uint64_t cycles, settled;
    WwMemReq *last;
    WwCycle last_now;
    GQueue lower, down, pending, completed; /* WwMemReq */
    /* its own */
    bool stuck;
    WwWake step; /* Of its cycle; none outside a machine. */
    uint32_t data_port, fill_port;
    WwMemOwner owner;
} ScriptedCache;

extern const WwCacheIf scripted_cache_if;
/* Its owned step. */
WwRest scripted_cache_cycle(void *self);
/* Fills port l1d of the unit under test with it, or another one. */
void scripted_cache_provide(WwHarness *h, ScriptedCache *c);
void scripted_cache_provide_at(WwHarness *h, const char *port, ScriptedCache *c);

void scripted_cache_open(ScriptedCache *c);
/* Nothing leaves `lower`, or (waking the user) again. */
void scripted_cache_stick(ScriptedCache *c, bool stuck);
void scripted_cache_close(ScriptedCache *c);
