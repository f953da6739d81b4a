/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Empties the L2 of what was written while no thread runs anywhere.
 *
 *     clusters <── l2_flush ──> L2 slices
 *
 * Each core cycle that ends without an unfinished thread, launch latencies included, leaves no line
 * with a modified sector in the first `slices` slices; nothing is written back. (The reference takes
 * the number of channels for that of slices.) It acts after the dispatcher, which may have placed a
 * CTA in this cycle, and before kernels are reported.
 *
 * It has nothing to tell in a window: while no thread runs, a CTA comes only by a timed event of the serial partition, which ends windows;
 * and while some run, it says for how long CTAs last at least (`ahead`).
 *
 * Workload: it tells the slices when such a time begins and ends; a cluster that took its first CTA
 * or lost one wakes it.
 */
#include "lasts.h"
#include "types.h"
#include <ports/cache.h>

typedef struct L2Flush {
    WwComponent base;
    /* parameters */
    uint32_t slices;
    /* ports */
    WwPort cluster[WW_MAX_CLUSTERS];
    uint32_t n_cluster;
    WwPort slice[WW_MAX_SLICES];
    uint32_t n_slice;
    WwPort memory[GPU_MAX_MEMORY];
    uint32_t n_memory;
    /* state */
    bool on;
    uint32_t longest; /* see gpu_lasts() */
    WwCycle counted;  /* edges that are in `cycles` */
    /* statistics */
    uint64_t flushes, cycles;
} L2Flush;

static bool any_thread(const L2Flush *f)
{
    for (uint32_t i = 0; i < f->n_cluster; i++) {
        if (!WW_CLUSTER(&f->cluster[i])->empty(f->cluster[i].peer)) {
            return true;
        }
    }
    return false;
}

/* Edges before @p edge were as it has been since the last change. */
static void count(L2Flush *f, WwCycle edge)
{
    f->cycles += f->on ? edge - f->counted : 0;
    f->counted = edge;
}

static WwRest flush_tick(void *self)
{
    L2Flush *f = self;
    bool on = !any_thread(f);
    count(f, ww_now(f));
    if (on != f->on) {
        f->on = on;
        f->flushes += on;
        for (uint32_t i = 0; i < MIN(f->slices, f->n_slice); i++) {
            WW_L2_CONTROL(&f->slice[i])->flush(f->slice[i].peer, on, ww_now(f));
        }
    }
    count(f, ww_now(f) + 1);
    return WW_SLEEP;
}

static void flush_ahead(void *self)
{
    L2Flush *f = self;
    if (f->on) {
        return;
    }
    WwCycle most = ww_window_most(f->base.machine, f->base.domain);
    most = gpu_lasts(most, f->cluster, f->n_cluster, &f->longest, f->memory, f->n_memory);
    ww_window_limit(f->base.machine, f->base.domain, most);
}

static void flush_settle(void *self, uint32_t entry, uint64_t n)
{
    count(self, ww_now(self));
}

static void flush_reset(void *self)
{
    L2Flush *f = self;
    f->on = false;
    f->longest = 0;
    f->counted = 0;
}

static const WwParamRow flush_params[] = {
    WW_UINT(L2Flush, slices, "entries", "8", 0, WW_MAX_SLICES, "slices to flush, from the first"),
    {0},
};

static const WwPortRow flush_ports[] = {
    WW_PORT_ARRAY(L2Flush, cluster, WW_REQUIRES, &ww_contract_cluster, 1, WW_RANK_CLUSTER_FLUSH,
                  "every cluster: tells whether it has threads"),
    WW_PORT_ARRAY(L2Flush, slice, WW_REQUIRES, &ww_contract_l2_control, 1, NULL,
                  "every slice, in order"),
    WW_PORT_ARRAY(
        L2Flush, memory, WW_REQUIRES, &ww_contract_activity, 0, NULL,
        "components that may hold requests a warp waits for; if bound, windows are longer"),
    {0},
};

static const WwStatRow flush_stats[] = {
    WW_COUNTER(L2Flush, flushes, "flushes", "times the last thread left"),
    WW_COUNTER(L2Flush, cycles, "cycles", "cycles at the end of which there was no thread"),
    {0},
};

static const WwEntryRow flush_entries[] = {
    {.name = "flush",
     .phase = "dispatch",
     .tick = flush_tick,
     .doc = "tells the slices whether any thread is left"},
    {0},
};

const WwType l2_flush_type = {
    .abi = WW_ABI_VERSION,
    .name = "l2_flush",
    .doc = "Flushes written data from the L2 while no thread runs.",
    .family = "gpu",
    .flags = WW_TYPE_SERIAL | WW_TYPE_STOPS,
    .size = sizeof(L2Flush),
    .params = flush_params,
    .ports = flush_ports,
    .stats = flush_stats,
    .entries = flush_entries,
    .reset = flush_reset,
    .settle = flush_settle,
    .ahead = flush_ahead,
};
