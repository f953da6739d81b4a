/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `register_cache`: the register-file cache of a sub-core. An entry for each operand slot and bank keeps one register of one warp, put there by
 * an instruction whose operand in that slot said reuse.
 *
 * The next instruction of fixed latency that has a register of that bank in that slot finds it, if it is the same register of the same warp, and
 * empties the entry either way: what is to stay has to say reuse again. The released simulator has four slots, the paper three.
 */
#include "types.h"

#include <ports/sub_core.h>
#include <string.h>

enum { MAX_SLOTS = 8, MAX_BANKS = 16 };

typedef struct RegisterCache {
    WwComponent base;
    /* parameters */
    uint32_t slots;
    /* ports */
    WwProvided cache;
    /* state */
    uint32_t entry[MAX_SLOTS][MAX_BANKS]; /* 1 + warp * 256 + register; 0: empty. */
    /* statistics */
    uint64_t fills;
    uint64_t lost;
} RegisterCache;

static inline uint32_t key_of(uint32_t warp, const WwTimingRead *read)
{
    return 1u + warp * 256u + read->reg;
}

static bool cache_hit(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    const RegisterCache *c = self;
    return read->slot < c->slots && c->entry[read->slot][bank % MAX_BANKS] == key_of(warp, read);
}

static void cache_use(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    RegisterCache *c = self;
    if (read->slot >= c->slots) {
        return;
    }
    uint32_t *entry = &c->entry[read->slot][bank % MAX_BANKS];
    c->lost += *entry != 0 && *entry != key_of(warp, read);
    *entry = read->reuse ? key_of(warp, read) : 0;
    c->fills += read->reuse;
}

static void cache_reset(void *self)
{
    RegisterCache *c = self;
    memset(c->entry, 0, sizeof c->entry);
}

static const WwRegisterCacheIf cache_table = {.hit = cache_hit, .use = cache_use};

static const WwParamRow cache_params[] = {
    WW_UINT(RegisterCache, slots, "", "4", 1, MAX_SLOTS,
            "operand slots: an operand beyond them is never kept; the paper has 3"),
    {0},
};

static const WwPortRow cache_ports[] = {
    WW_PORT_PROVIDES(RegisterCache, cache, &ww_contract_register_cache, &cache_table,
                     "serves a register file"),
    {0},
};

static const WwStatRow cache_stats[] = {
    WW_COUNTER(RegisterCache, fills, "registers", "registers kept for reuse"),
    WW_COUNTER(RegisterCache, lost, "registers",
               "registers replaced by another one in their slot and bank"),
    {0},
};

const WwType register_cache_type = {
    .abi = WW_ABI_VERSION,
    .name = "register_cache",
    .doc = "The register-file cache: registers kept for reuse, by operand slot and bank.",
    .family = "register_cache",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(RegisterCache),
    .params = cache_params,
    .ports = cache_ports,
    .stats = cache_stats,
    .reset = cache_reset,
};
