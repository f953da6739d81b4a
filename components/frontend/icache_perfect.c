/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An instruction cache in which every access hits: passive, without cycles of its own.
 *
 * A quirk of the reference is kept if `address_map` is bound: it makes a memory request out of every fetch before it sees that none is
 * needed, and with it an address map that places regions at random (indexing = random) draws a place for the instructions, too. A map
 * never answers differently the second time, so that a pc seen lately need not be asked for again.
 */
#include "types.h"
#include <ports/cache.h>
#include <ports/icache.h>
#include <string.h>

enum { SEEN = 128 }; /* fetches of two instructions: 4 KiB of code */

typedef struct PerfectICache {
    WwComponent base;
    /* parameters */
    bool places_unsent;
    /* ports */
    WwProvided icache;
    WwPort address_map;
    /* state */
    uint64_t seen[SEEN]; /* What the map was asked for, and 1. */
} PerfectICache;

static WwFetchResult perfect_access(void *self, uint32_t warp, uint64_t pc)
{
    PerfectICache *c = self;
    uint64_t *seen = &c->seen[pc / 32 % SEEN];
    if (*seen != pc + 1 && c->places_unsent && WW_BOUND(&c->address_map)) {
        WwAddress unused;
        *seen = pc + 1;
        WW_ADDRESS_MAP(&c->address_map)
            ->decode(c->address_map.peer, WW_PROGRAM_START + pc, &unused);
    }
    return WW_FETCH_HIT;
}

static bool perfect_take(void *self, uint32_t *warp)
{
    return false;
}

static void perfect_reset(void *self)
{
    PerfectICache *c = self;
    memset(c->seen, 0, sizeof c->seen);
}

static const WwICacheIf icache_table = {.access = perfect_access, .take = perfect_take};

static const WwParamRow perfect_params[] = {
    WW_BOOL(PerfectICache, places_unsent, "true",
            "every fetch consults the address map, though none is sent, as in the reference"),
    {0},
};

static const WwPortRow perfect_ports[] = {
    WW_PORT_PROVIDES(PerfectICache, icache, &ww_contract_icache, &icache_table,
                     "instructions, without delay"),
    WW_PORT_REQUIRES(PerfectICache, address_map, &ww_contract_address_map, 0, NULL,
                     "consulted for where the instructions would be"),
    {0},
};

const WwType icache_perfect_type = {
    .abi = WW_ABI_VERSION,
    .name = "icache.perfect",
    .doc = "instruction cache in which every access hits",
    .family = "icache",
    .size = sizeof(PerfectICache),
    .params = perfect_params,
    .ports = perfect_ports,
    .reset = perfect_reset,
};
