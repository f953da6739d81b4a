/* SPDX-License-Identifier: Apache-2.0 */
/* How long the CTA lasts that lasts longest. */
#include "lasts.h"

static WwCycle on_clusters(WwCycle most, const WwPort *cluster, uint32_t n, uint32_t *longest)
{
    WwCycle best = 0;
    for (uint32_t k = 0; best < most && k < n; k++) {
        uint32_t i = (*longest + k) % n;
        WwCycle lasts = WW_CLUSTER(&cluster[i])->lasts(cluster[i].peer, most);
        if (lasts > best) {
            best = lasts;
            *longest = i;
        }
    }
    return best;
}

WwCycle gpu_lasts(WwCycle most, const WwPort *cluster, uint32_t n_cluster, uint32_t *longest,
                  const WwPort *memory, uint32_t n_memory)
{
    WwCycle best = on_clusters(most, cluster, n_cluster, longest);
    for (uint32_t k = 0; best < most && k < n_memory; k++) {
        WwCycle lasts = WW_ACTIVITY(&memory[k])->lasts(memory[k].peer, most);
        best = MAX(best, lasts);
    }
    return best;
}
