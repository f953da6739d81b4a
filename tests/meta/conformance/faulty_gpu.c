/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty providers of CTA dispatch. */
#include "faulty-priv.h"

#include <ports/ctas.h>

/* ---- an SM's CTAs ----------------------------------------------------------------------------------------------- */

static const WwCtasIf *ctas;

/* One more than there is room for. */
static bool generous_place(void *self, const WwKernelRun *run, GError **error)
{
    return ctas->can_place(self, run, error) || (ww_kernel_more(run) && now_and_then());
}

static bool moody_place(void *self, const WwKernelRun *run, GError **error)
{
    return !now_and_then() && ctas->can_place(self, run, error);
}

/* No for what never fits, without an error. */
static bool silent_place(void *self, const WwKernelRun *run, GError **error)
{
    GError *never = NULL;
    bool may = ctas->can_place(self, run, &never);
    g_clear_error(&never);
    return may;
}

static void forgets_retire(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        ctas->retire(self, warp);
    }
}

static bool loses_collect(void *self, const WwKernelRun **run, const WwCtaTrace **trace)
{
    return ctas->collect(self, run, trace) && (!now_and_then() || ctas->collect(self, run, trace));
}

/* Traces and runs of two that completed together. */
static bool mixes_collect(void *self, const WwKernelRun **run, const WwCtaTrace **trace)
{
    const WwCtaTrace *first;
    if (!ctas->collect(self, run, trace)) {
        return false;
    }
    first = *trace;
    if (ctas->collect(self, run, trace)) {
        *trace = first;
    }
    return true;
}

static void misnumbers(void *self, uint32_t sm, uint32_t sms, uint32_t cluster)
{
    ctas->number(self, sm, sms, sm);
}

/* ---- clusters --------------------------------------------------------------------------------------------------- */

static const WwClusterIf *cluster;

static bool denies_offer(void *self)
{
    return cluster->offer(self) && !now_and_then();
}

/* Two in a tick. */
static bool greedy_offer(void *self)
{
    bool first = now_and_then() && cluster->offer(self);
    return cluster->offer(self) || first;
}

static bool never_empty(void *self)
{
    return cluster->empty(self) && now_and_then();
}

static uint32_t numbers_all(void *self, uint32_t first, uint32_t sms, uint32_t of)
{
    return cluster->number(self, first + 1, sms, of);
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static const WwKernelsIf *kernels;
static const WwKernelResultsIf *results;

static const WwKernelRun *moody_select(void *self)
{
    return now_and_then() ? NULL : kernels->select(self);
}

static const WwCtaTrace *losing_take(void *self, const WwKernelRun *run)
{
    const WwCtaTrace *trace = kernels->take(self, run);
    if (ww_kernel_more(run) && now_and_then()) {
        kernels->completed(self, run, trace);
        trace = kernels->take(self, run);
    }
    return trace;
}

/* CTAs of a kernel that has more are not given back. */
static void keeping_completed(void *self, const WwKernelRun *run, const WwCtaTrace *trace)
{
    if (!ww_kernel_more(run) || !now_and_then()) {
        kernels->completed(self, run, trace);
    }
}

static WwCycle late_idle(void *self)
{
    WwCycle idle = kernels->idle(self);
    return idle - MIN(idle, 5u) + (now_and_then() ? MIN(idle, 5u) : 0);
}

static bool hopeful_more(void *self)
{
    return kernels->more(self) != now_and_then();
}

static bool losing_next(void *self, WwKernelResult *out)
{
    return results->next(self, out) && (++*extra(self) % 3 != 0 || results->next(self, out));
}

/* The same interval for all. */
static bool long_next(void *self, WwKernelResult *out)
{
    bool any = results->next(self, out);
    out->cycles = any ? out->end : 0;
    return any;
}

static uint32_t never_running(void *self)
{
    return results->running(self) + 1;
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {
    {"cta_slots", "ctas", &ctas},
    {"cluster", "cluster", &cluster},
    {"kernel_queue", "kernels", &kernels},
    {"kernel_queue", "results", &results},
    {NULL, NULL, NULL},
};

#define CTAS(name, f, g) FAULT("ctas_" name, "cta_slots", "ctas", WwCtasIf, f, g)
#define CLUSTER(name, f, g) FAULT("cluster_" name, "cluster", "cluster", WwClusterIf, f, g)
#define KERNELS(name, f, g) FAULT("kernels_" name, "kernel_queue", "kernels", WwKernelsIf, f, g)
#define RESULTS(name, f, g)                                                                        \
    FAULT("results_" name, "kernel_queue", "results", WwKernelResultsIf, f, g)

static const Fault faults[] = {
    {CTAS("overfill", can_place, generous_place), "promises"},
    {CTAS("change_their_mind", can_place, moody_place), "promises"},
    {CTAS("say_nothing", can_place, silent_place), "promises"},
    {CTAS("forget", retire, forgets_retire), "promises"},
    {CTAS("lose", collect, loses_collect), "promises"},
    {CTAS("mix", collect, mixes_collect), "promises"},
    {CTAS("misnumber", number, misnumbers), "promises"},
    {CLUSTER("denies", offer, denies_offer), "promises"},
    {CLUSTER("greedy", offer, greedy_offer), "promises"},
    {CLUSTER("never_empty", empty, never_empty), "promises"},
    {CLUSTER("misnumbers", number, numbers_all), "promises"},
    {KERNELS("moody", select, moody_select), "promises"},
    {KERNELS("lose", take, losing_take), "promises"},
    {KERNELS("keep", completed, keeping_completed), "promises"},
    {KERNELS("late", idle, late_idle), "promises"},
    {KERNELS("hopeful", more, hopeful_more), "promises"},
    {RESULTS("lose", next, losing_next), "promises"},
    {RESULTS("long", next, long_next), "promises"},
    {RESULTS("never_end", running, never_running), "promises"},
};

const FaultRoom faults_of_gpu = {originals, faults, G_N_ELEMENTS(faults)};
