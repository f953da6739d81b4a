/* SPDX-License-Identifier: Apache-2.0 */
/* An L0 instruction cache in which every fetch hits, and is there at once: without the cycle that a lookup takes. Passive. */
#include "types.h"
#include <ports/sub_core.h>

typedef struct PerfectL0 {
    WwComponent base;
    WwProvided fetches;
} PerfectL0;

static WwFetchResult perfect_access(void *self, uint32_t warp, uint64_t pc)
{
    return WW_FETCH_HIT;
}

static bool perfect_take(void *self, uint32_t *warp, uint64_t *pc)
{
    return false;
}

static const WwFetchesIf fetches_table = {.access = perfect_access, .take = perfect_take};

static const WwPortRow perfect_ports[] = {
    WW_PORT_PROVIDES(PerfectL0, fetches, &ww_contract_fetches, &fetches_table,
                     "instructions, without delay"),
    {0},
};

const WwType icache_perfect_l0_type = {
    .abi = WW_ABI_VERSION,
    .name = "icache.perfect_l0",
    .doc = "instruction cache of a sub-core in which every fetch hits",
    .family = "icache_l0",
    .size = sizeof(PerfectL0),
    .ports = perfect_ports,
};
