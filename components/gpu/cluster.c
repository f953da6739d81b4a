/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster as CTA dispatch sees it: its SMs take turns, and at most one of them gets a CTA in a
 * tick.
 *
 * An offer goes to the SMs from the one after the last that took a CTA. An SM stays with its
 * kernel while that has CTAs to hand out, and takes another one (the one that the kernel queue
 * selects) only when it holds no thread any more; one that kernels share always takes the one
 * selected. The own step, collect, runs when a CTA has
 * completed on one of the SMs: in the same tick, before the dispatcher, which it wakes. It
 * belongs to the serial partition.
 *
 * The first-level caches that are bound here are invalidated when the cluster has no unfinished thread, after the dispatcher had its chance
 * to refill it. The reference does so in every cycle in which the cluster is empty; only the first can find anything, since nothing accesses the caches
 * then.
 *
 *     SMs (ctas) <── cluster ──> kernels
 *                       ^
 *                  cta_dispatcher
 */
#include "types.h"
#include <ports/cache.h>
#include <ports/ctas.h>

enum { ENTRY_COLLECT, ENTRY_FLUSH };

typedef struct Cluster {
    WwComponent base;
    /* parameters */
    bool rotate, flush_when_empty;
    /* ports */
    WwProvided cluster;
    WwPort l1d[WW_MAX_CLUSTER_SMS];
    uint32_t n_l1d;
    WwPort sm[WW_MAX_CLUSTER_SMS];
    uint32_t n_sm;
    WwPort kernels;
    WwPort code[WW_MAX_CLUSTER_SMS];
    uint32_t n_code;
    /* state */
    const WwCtaView *view[WW_MAX_CLUSTER_SMS];
    bool empty;                              /* No CTA is on an SM. */
    bool code_clear;                         /* Since the last CTA went, and no thread was left. */
    uint32_t kernel_uid[WW_MAX_CLUSTER_SMS]; /* for which the SM's cache was flushed */
    uint32_t last;                           /* SM that took the last CTA */
    WwCycle still;       /* cycles in which it was not clocked: turns begin so much later */
    WwCycle empty_since; /* idle cycles of the kernel queue when the last CTA completed here */
    WwWake flush_wake;
    WwCycle asked_at, lasts; /* what lasts() said, before which edge */
    bool full;               /* it has refused, and no CTA has completed since; */
    uint64_t full_at;        /* the kernel queue's number of changes then */
    /* statistics */
    uint64_t ctas_issued;
} Cluster;

/* While its SMs have the same time as who asks. */
static bool any_thread(const Cluster *c)
{
    for (uint32_t i = 0; i < c->n_sm; i++) {
        if (c->view[i]->threads != 0) {
            return true;
        }
    }
    return false;
}

static bool cluster_empty(void *self)
{
    return ((const Cluster *)self)->empty;
}

static uint64_t cluster_insns(void *self)
{
    const Cluster *c = self;
    uint64_t insns = 0;
    for (uint32_t i = 0; i < c->n_sm; i++) {
        insns += c->view[i]->insns != NULL ? *c->view[i]->insns : 0;
    }
    return insns;
}

static WwCycle idle_cycles(const Cluster *c)
{
    return WW_KERNELS(&c->kernels)->idle(c->kernels.peer);
}

/* In the order in which the SMs had their turns in this cycle. */
static WwRest collect_tick(void *self)
{
    Cluster *c = self;
    bool any = false;
    uint32_t first = c->rotate ? (uint32_t)((ww_now(c) - c->still) % c->n_sm) : 0;
    for (uint32_t k = 0; k < c->n_sm; k++) {
        uint32_t i = (first + k) % c->n_sm;
        const WwKernelRun *run;
        const WwCtaTrace *trace;
        while (WW_CTAS(&c->sm[i])->collect(c->sm[i].peer, &run, &trace)) {
            WW_KERNELS(&c->kernels)->completed(c->kernels.peer, run, trace);
            any = true;
        }
    }
    if (any) {
        c->full = false;
        c->empty = !any_thread(c);
        ww_notify(&c->cluster);
        ww_wake(&c->flush_wake);
        c->code_clear = false;
        c->empty_since = idle_cycles(c);
    }
    return WW_SLEEP;
}

static void clear_code(const Cluster *c)
{
    for (uint32_t i = 0; i < c->n_code; i++) {
        WW_CODE_CACHES(&c->code[i])->clear(c->code[i].peer);
    }
}

static WwRest flush_tick(void *self)
{
    Cluster *c = self;
    if (c->n_code != 0 && !c->code_clear && c->empty) {
        clear_code(c);
        c->code_clear = true; /* once: nothing there is clocked until a CTA comes */
    }
    if (c->n_l1d != 0 && c->flush_when_empty && c->empty) {
        for (uint32_t i = 0; i < c->n_l1d; i++) {
            WW_CACHE(&c->l1d[i])->clear(c->l1d[i].peer, WW_CACHE_ALL);
        }
    }
    return WW_SLEEP;
}

/* The kernel that SM @p i would take a CTA of, or NULL. */
static const WwKernelRun *kernel_for(Cluster *c, uint32_t i)
{
    const WwCtaView *v = c->view[i];
    if (!v->shared && v->run != NULL && ww_kernel_more(v->run)) {
        return v->run;
    }
    return v->shared || v->threads == 0 ? WW_KERNELS(&c->kernels)->select(c->kernels.peer) : NULL;
}

/*
 * A cluster is not clocked in a cycle that begins without a thread on it and without a CTA to
 * hand out anywhere: then the order of its SMs does not move on.
 */
static void stood_still(Cluster *c)
{
    WwCycle edges = idle_cycles(c) - c->empty_since;
    c->empty_since += edges;
    c->still += edges;
    if (c->rotate) {
        WW_CTAS(&c->sm[0])->rotate_from(c->sm[0].peer, c->still);
    }
}

/* Tells those who flush what is empty. */
static void no_longer_empty(const Cluster *c)
{
    for (uint32_t i = 0; i < c->cluster.n; i++) {
        if (c->cluster.client[i].rank == WW_CLUSTER_FLUSH) {
            ww_wake(&c->cluster.client[i].wake);
        }
    }
}

/* Without flush_when_empty: SM @p i is empty, and gets its first CTA of another kernel than it had. */
static void flush_for(Cluster *c, uint32_t i, const WwKernelRun *run)
{
    uint32_t each = c->n_l1d / c->n_sm;
    if (c->flush_when_empty || c->view[i]->threads != 0 || c->kernel_uid[i] == run->kernel->uid) {
        return;
    }
    c->kernel_uid[i] = run->kernel->uid;
    for (uint32_t k = i * each; k < (i + 1) * each; k++) {
        WW_CACHE(&c->l1d[k])->clear(c->l1d[k].peer, WW_CACHE_ALL);
    }
}

/* Gives SM @p i a CTA if it takes one. */
static bool offer_to(Cluster *c, uint32_t i)
{
    const WwKernelRun *run = kernel_for(c, i);
    GError *error = NULL;
    if (run == NULL) {
        return false;
    }
    if (!WW_CTAS(&c->sm[i])->can_place(c->sm[i].peer, run, &error)) {
        if (error != NULL) {
            ww_fail_run(c, error);
        }
        return false;
    }
    const WwCtaTrace *trace = WW_KERNELS(&c->kernels)->take(c->kernels.peer, run);
    if (trace == NULL) {
        return false; /* the queue has ended the run */
    }
    if (c->empty) {
        c->empty = false;
        stood_still(c);
        no_longer_empty(c);
        if (c->code_clear) { /* not where the last CTA went in this very cycle */
            clear_code(c);   /* of what came meanwhile, too */
            c->code_clear = false;
        }
    }
    flush_for(c, i, run);
    WW_CTAS(&c->sm[i])->place(c->sm[i].peer, run, trace);
    return true;
}

/* One that is full is not looked at: in a window its SMs may have another time. */
static bool cluster_offer(void *self)
{
    Cluster *c = self;
    uint64_t changes = WW_KERNELS(&c->kernels)->changes(c->kernels.peer);
    if (c->full && c->full_at == changes) {
        return false;
    }
    for (uint32_t k = 0; k < c->n_sm; k++) {
        uint32_t i = (c->last + 1 + k) % c->n_sm;
        if (offer_to(c, i)) {
            c->last = i;
            c->ctas_issued++;
            return true;
        }
    }
    c->full = true;
    c->full_at = changes;
    return false;
}

/* Asked by all who limit windows, before the same one. */
static WwCycle cluster_lasts(void *self, WwCycle most)
{
    Cluster *c = self;
    WwCycle next = ww_now(c) + 1;
    if (c->asked_at != next) {
        c->asked_at = next;
        c->lasts = 0;
    }
    for (uint32_t i = 0; c->lasts < most && i < c->n_sm; i++) {
        c->lasts = MAX(c->lasts, WW_CTAS(&c->sm[i])->lasts(c->sm[i].peer, most));
    }
    return c->lasts;
}

static uint32_t cluster_number(void *self, uint32_t first, uint32_t sms, uint32_t cluster)
{
    Cluster *c = self;
    for (uint32_t i = 0; i < c->n_sm; i++) {
        WW_CTAS(&c->sm[i])->number(c->sm[i].peer, first + i, sms, cluster);
    }
    return c->n_sm;
}

static uint32_t cluster_size(void *self)
{
    return ((Cluster *)self)->n_sm;
}

static const WwClusterIf cluster_table = {
    .number = cluster_number,
    .size = cluster_size,
    .offer = cluster_offer,
    .empty = cluster_empty,
    .insns = cluster_insns,
    .lasts = cluster_lasts,
};

static void cluster_reset(void *self)
{
    Cluster *c = self;
    for (uint32_t i = 0; i < c->n_sm; i++) {
        c->view[i] = WW_CTAS(&c->sm[i])->view(c->sm[i].peer);
        c->kernel_uid[i] = 0;
    }
    c->last = c->n_sm - 1;
    c->still = c->empty_since = 0;
    c->asked_at = c->lasts = 0;
    c->full = false;
    c->empty = true;
    if (!c->rotate) {
        WW_CTAS(&c->sm[0])->rotate_from(c->sm[0].peer, WW_NEVER);
    }
    c->flush_wake = ww_wake_of(c, ENTRY_FLUSH);
    c->code_clear = false;
}

static void cluster_explain(void *self, WwExplain *explain)
{
    const Cluster *c = self;
    bool more = WW_KERNELS(&c->kernels)->more(c->kernels.peer);
    for (uint32_t i = 0; i < c->n_sm; i++) {
        if (c->view[i]->active != 0) {
            ww_explain_waits(explain, c->sm[i].peer, "SM %u holds %u %s", c->view[i]->sm,
                             c->view[i]->active, WW_PLURAL(c->view[i]->active, "CTA", "CTAs"));
        } else if (more) {
            ww_explain_waits(explain, c->sm[i].peer, "SM %u is empty and takes no CTA",
                             c->view[i]->sm);
        }
    }
}

/* The caches of an SM lie side by side, as many for each. */
static bool cluster_start(void *self, GError **error)
{
    const Cluster *c = self;
    return c->flush_when_empty || c->n_l1d % c->n_sm == 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "flush_when_empty = false with %u caches at l1d for %u SMs; expected as many "
                   "for each",
                   c->n_l1d, c->n_sm);
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow cluster_params[] = {
    WW_BOOL(Cluster, rotate, "true",
            "the SM that works first in a cycle rotates; false: always the first"),
    WW_BOOL(Cluster, flush_when_empty, "true",
            "the caches bound to l1d are invalidated whenever the cluster has no thread, as in the "
            "reference; false: those of an SM when it begins another kernel"),
    {0},
};

static const WwPortRow cluster_ports[] = {
    {.name = "cluster",
     .role = WW_PROVIDES,
     .contract = &ww_contract_cluster,
     .entry = "collect",
     .table = &cluster_table,
     .doc = "accepts offers of CTAs",
     .offset = WW_FIELD(Cluster, cluster, WwProvided)},
    WW_PORT_ARRAY(Cluster, l1d, WW_REQUIRES, &ww_contract_cache, 0, NULL,
                  "L1Ds to flush when no thread is left; unbound: they keep their contents"),
    WW_PORT_ARRAY(
        Cluster, code, WW_REQUIRES, &ww_contract_code_caches, 0, NULL,
        "instruction caches to empty when no thread is left; unbound: they keep their contents"),
    WW_PORT_ARRAY(Cluster, sm, WW_REQUIRES, &ww_contract_ctas, 1, WW_RANK_DISPATCH,
                  "the SMs, in order"),
    WW_PORT_REQUIRES(Cluster, kernels, &ww_contract_kernels, 1, WW_RANK_DISPATCH,
                     "kernels to take CTAs from"),
    {0},
};

static const WwStatRow cluster_stats[] = {
    WW_COUNTER(Cluster, ctas_issued, "CTAs", "CTAs placed on its SMs"),
    {0},
};

static const WwEntryRow cluster_entries[] = {
    {.name = "collect",
     .phase = "dispatch",
     .tick = collect_tick,
     .port = "cluster",
     .rank = WW_RANK_CLUSTER_COLLECT,
     .doc = "reports completed CTAs to the kernel queue"},
    {.name = "flush",
     .phase = "dispatch",
     .tick = flush_tick,
     .port = "cluster",
     .rank = WW_RANK_CLUSTER_FLUSH,
     .doc = "invalidates the caches of an empty cluster"},
    {0},
};

const WwType cluster_type = {
    .abi = WW_ABI_VERSION,
    .name = "cluster",
    .doc = "SMs that take turns to receive CTAs",
    .family = "gpu",
    .flags = WW_TYPE_SERIAL | WW_TYPE_STOPS, /* CTA issue is one decision for the whole GPU */
    .size = sizeof(Cluster),
    .params = cluster_params,
    .ports = cluster_ports,
    .stats = cluster_stats,
    .entries = cluster_entries,
    .reset = cluster_reset,
    .start = cluster_start,
    .explain = cluster_explain,
};
