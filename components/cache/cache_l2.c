/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slice of the second-level cache. Its sets are chosen by the address within the partition,
 * without channel and slice bits.
 *
 *     user ──cache──> cache.l2 ──lower──> DRAM channel
 */
#include "cache-priv.h"
#include "types.h"

static bool l2_init(void *self, GError **error)
{
    return cache_init(self, true, error);
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow l2_params[] = {
    CACHE_PARAMS("32", "24", "back", "ipoly", "192", "4", "32", ""),
    {0},
};

static const WwGoneRow l2_gone[] = {
    {"write_back_follows", "what a slice holds, and what evicts it, is of that slice"},
    {"skip_unused", "an L2 is emptied of dirty lines only"},
    {"exact_dirty", "an L2 replaces dirty lines however many there are"},
    {0},
};

static const WwPortRow l2_ports[] = {
    WW_PORT_PROVIDES(Cache, cache, &ww_contract_cache, &cache_table, "accesses"),
    WW_PORT_OUT(Cache, lower, &ww_contract_dram_request, 1, "misses, writes and write-backs"),
    WW_PORT_REQUIRES(Cache, address_map, &ww_contract_address_map, 0, NULL,
                     "decodes write-backs; unbound: they keep the decoded address of the access "
                     "that caused them"),
    CACHE_POLICY,
    {0},
};

const WwType cache_l2_type = {
    .abi = WW_ABI_VERSION,
    .name = "cache.l2",
    .doc = "slice of the second-level cache: tags, MSHRs, miss queue, ports",
    .family = "cache",
    .size = sizeof(Cache),
    .events = cache_events,
    .params = l2_params,
    .gone = l2_gone,
    .ports = l2_ports,
    .entries = cache_entries,
    .stats = cache_l2_stats,
    .init = l2_init,
    .start = cache_start,
    .reset = cache_reset,
    .settle = cache_settle,
    .tally = cache_tally,
    .explain = cache_explain,
};
