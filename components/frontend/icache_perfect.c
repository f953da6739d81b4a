/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction cache in which every access hits: passive, stateless, without cycles of its own. */
#include "types.h"
#include <ports/icache.h>

typedef struct PerfectICache {
    WwComponent base;
    /* ports */
    WwProvided icache;
} PerfectICache;

static WwFetchResult perfect_access(void *self, uint32_t warp, uint64_t pc)
{
    return WW_FETCH_HIT;
}

static bool perfect_take(void *self, uint32_t *warp)
{
    return false;
}

static const WwICacheIf icache_table = {.access = perfect_access, .take = perfect_take};

static const WwPortRow perfect_ports[] = {
    WW_PORT_PROVIDES(PerfectICache, icache, &ww_contract_icache, &icache_table,
                     "instructions at once"),
    {0},
};

const WwType icache_perfect_type = {
    .abi = WW_ABI_VERSION,
    .name = "icache.perfect",
    .doc = "instruction cache in which every access hits",
    .family = "icache",
    .size = sizeof(PerfectICache),
    .ports = perfect_ports,
};
