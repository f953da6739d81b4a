/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of the first level: data, instructions, constants. Its sets are chosen by plain
 * addresses.
 *
 *     user ──cache──> cache.l1 ──lower──> network
 */
#include "cache-priv.h"
#include "types.h"

static bool l1_init(void *self, GError **error)
{
    return cache_init(self, false, error);
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow l1_params[] = {
    CACHE_PARAMS("4", "64", "through", "linear", "512", "8", "16",
                 "; with an adaptive carve-out only until the first CTA of a kernel"),
    WW_UINT(Cache, write_ratio, "%", "0", 0, 100,
            "share of dirty lines at which modified lines may be replaced"),
    WW_BOOL(Cache, write_back_follows, "true",
            "a write-back goes to the channel and slice of the access that evicted it, as in the "
            "reference; false: to those of its address"),
    WW_BOOL(Cache, skip_unused, "true",
            "an invalidation is skipped if the cache has not been accessed since the last one, as "
            "in the reference"),
    WW_BOOL(Cache, exact_dirty, "false",
            "the count of dirty lines falls when a fill or a copy makes the last modified sector "
            "of a line VALID; false: it does not, as in the reference"),
    {0},
};

static const WwPortRow l1_ports[] = {
    WW_PORT_PROVIDES(Cache, cache, &ww_contract_cache, &cache_table, "accesses"),
    WW_PORT_OUT(Cache, lower, &ww_contract_mem_request, 1, "misses, writes and write-backs"),
    WW_PORT_REQUIRES(Cache, address_map, &ww_contract_address_map, 0, NULL,
                     "decodes write-backs; unbound: they keep the decoded address of the access "
                     "that caused them"),
    CACHE_POLICY,
    {0},
};

const WwType cache_l1_type = {
    .abi = WW_ABI_VERSION,
    .name = "cache.l1",
    .doc = "first-level cache: tags, MSHRs, miss queue, ports",
    .family = "cache",
    .size = sizeof(Cache),
    .events = cache_events,
    .params = l1_params,
    .ports = l1_ports,
    .entries = cache_entries,
    .stats = cache_l1_stats,
    .init = l1_init,
    .start = cache_start,
    .reset = cache_reset,
    .settle = cache_settle,
    .tally = cache_tally,
    .explain = cache_explain,
};
