/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CTA dispatch: each tick every cluster is offered one CTA, starting after the cluster that took
 * the last one.
 *
 * When all have refused nothing changes until a CTA completes (a cluster notices and wakes this)
 * or a kernel becomes ready (the kernel queue wakes this), so it sleeps. At its first turn after
 * power-on it numbers the SMs of the GPU in cluster order. Workload: a turn for each tick in
 * which a CTA is placed or completes, an indirect call for each cluster.
 *
 *     cta_dispatcher ──> clusters
 *           └──> kernels
 */
#include "types.h"
#include <ports/ctas.h>

typedef struct CtaDispatcher {
    WwComponent base;
    /* ports */
    WwPort cluster[WW_MAX_CLUSTERS];
    uint32_t n_cluster;
    WwPort kernels;
    /* state */
    uint32_t last; /* cluster that took the last CTA */
    bool numbered;
    /* statistics */
    uint64_t ctas_issued;
} CtaDispatcher;

static void number_sms(CtaDispatcher *d)
{
    uint32_t sms = 0, first = 0;
    for (uint32_t i = 0; i < d->n_cluster; i++) {
        sms += WW_CLUSTER(&d->cluster[i])->size(d->cluster[i].peer);
    }
    for (uint32_t i = 0; i < d->n_cluster; i++) {
        first += WW_CLUSTER(&d->cluster[i])->number(d->cluster[i].peer, first, sms, i);
    }
    d->numbered = true;
}

static WwRest dispatch_tick(void *self)
{
    CtaDispatcher *d = self;
    const WwKernelsIf *kernels = WW_KERNELS(&d->kernels);
    if (!d->numbered) {
        number_sms(d);
    }
    if (!kernels->more(d->kernels.peer)) {
        return WW_SLEEP;
    }
    uint32_t start = d->last;
    bool placed = false;
    for (uint32_t k = 0; k < d->n_cluster; k++) {
        uint32_t i = (start + 1 + k) % d->n_cluster;
        if (WW_CLUSTER(&d->cluster[i])->offer(d->cluster[i].peer)) {
            d->last = i;
            d->ctas_issued++;
            placed = true;
        }
    }
    return placed ? WW_AGAIN : WW_SLEEP;
}

static void dispatch_reset(void *self)
{
    CtaDispatcher *d = self;
    d->last = d->n_cluster - 1;
    d->numbered = false;
}

static void dispatch_explain(void *self, WwExplain *explain)
{
    CtaDispatcher *d = self;
    if (!WW_KERNELS(&d->kernels)->more(d->kernels.peer)) {
        return;
    }
    for (uint32_t i = 0; i < d->n_cluster; i++) {
        ww_explain_waits(explain, d->cluster[i].peer, "CTAs are left that cluster %u does not take",
                         i);
    }
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwPortRow dispatch_ports[] = {
    WW_PORT_ARRAY(CtaDispatcher, cluster, WW_REQUIRES, &ww_contract_cluster, 1, WW_RANK_DISPATCH,
                  "the clusters, in order"),
    WW_PORT_REQUIRES(CtaDispatcher, kernels, &ww_contract_kernels, 1, WW_RANK_DISPATCH,
                     "tells whether CTAs are left"),
    {0},
};

static const WwStatRow dispatch_stats[] = {
    WW_COUNTER(CtaDispatcher, ctas_issued, "CTAs", "CTAs placed"),
    {0},
};

static const WwEntryRow dispatch_entries[] = {
    {.name = "dispatch",
     .phase = "dispatch",
     .tick = dispatch_tick,
     .doc = "offers each cluster one CTA"},
    {0},
};

const WwType cta_dispatcher_type = {
    .abi = WW_ABI_VERSION,
    .name = "cta_dispatcher",
    .doc = "offers CTAs to clusters in rotation",
    .family = "gpu",
    .flags = WW_TYPE_STOPS,
    .size = sizeof(CtaDispatcher),
    .ports = dispatch_ports,
    .stats = dispatch_stats,
    .entries = dispatch_entries,
    .reset = dispatch_reset,
    .explain = dispatch_explain,
};
