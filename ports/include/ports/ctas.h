/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts of CTA dispatch: `ctas` (the CTA slots of an SM), `cluster` (SMs that share a port), `kernels` (kernels that
 * run or wait), `kernel_results` (what the outside asks when a run pauses).
 */
#pragma once

#include <ports/trace_source.h>
#include <warpwright/component.h>

/** Most kernels that are launched and not finished at a time. */
#define WW_MAX_RUNS 1024u

/** A kernel that was launched. Owned by whoever provides `kernels`. */
typedef struct WwKernelRun {
    const WwKernel *kernel;
    uint64_t next_cta; /**< CTAs handed out so far. */
    uint64_t resident; /**< CTAs on SMs. */
    uint64_t
        interval;  /**< The kernel queue's number of the last interval in which it was selected. */
    WwCycle ready; /**< Core cycle from which it may be selected (launch latency over). */
    uint32_t slot; /**< In the table of running kernels, below WW_MAX_RUNS. */
} WwKernelRun;

/** Thing to wait for in explanations: the CTAs of a kernel. */
static inline uint64_t ww_thing_run(const WwKernelRun *run)
{
    return (uint64_t)(uintptr_t)run | WW_THING_NAMED;
}

/** Has it CTAs that nobody has been handed? */
static inline bool ww_kernel_more(const WwKernelRun *run)
{
    return run->next_cta < run->kernel->n_ctas;
}

/* ---- ctas ------------------------------------------------------------------------------------------------------- */

/** What others may look at of the CTA slots of an SM; the provider's, and always as it is now. */
typedef struct WwCtaView {
    const WwKernelRun *run; /**< The kernel that the SM is bound to, or NULL. */
    uint32_t active;        /**< Resident CTAs. */
    uint32_t threads;       /**< Unfinished threads. */
    uint32_t sm;            /**< Number of this SM in the GPU. */
    uint32_t sms;           /**< SMs of the GPU. */
    uint32_t cluster;       /**< Number of its cluster: the network port that answers find it by. */
    uint32_t
        limit; /**< CTAs of the bound kernel that the SM may hold: docs/model.md#how-many-ctas-fit. */
    uint32_t padded; /**< Its threads per CTA rounded up to warps (P). */
    const uint64_t
        *insns; /**< Thread instructions completed so far; NULL: nobody counts. Constant. */
    bool
        shared; /**< Several kernels may have CTAs here at a time: it is bound to none. Constant. */
} WwCtaView;

/** The CTA slots of one SM. */
typedef struct WwCtasIf {
    const WwCtaView *(*view)(void *self);
    /** Called once after reset: this SM's number and how many there are, and the number of its cluster. */
    void (*number)(void *self, uint32_t sm, uint32_t sms, uint32_t cluster);
    /** May a CTA of @p run be placed now? Sets @p error when the kernel can never fit. The first call for a run carves the caches. */
    bool (*can_place)(void *self, const WwKernelRun *run, GError **error);
    /** Places a CTA: slots, warps, barrier. */
    void (*place)(void *self, const WwKernelRun *run, const WwCtaTrace *trace);
    /** The fetch stage retires a finished warp (it called warps.retire() itself). */
    void (*retire)(void *self, uint32_t warp);
    /** A completed CTA that the dispatcher has not heard of yet; its trace and run, forgotten here. False: none. */
    bool (*collect)(void *self, const WwKernelRun **run, const WwCtaTrace **trace);
    /** No fewer edges pass until its last CTA completes, if it holds one: what it knows, at most @p most. Before a window. */
    WwCycle (*lasts)(void *self, WwCycle most);
    /** The SMs of this one's cluster take turns from core edge @p edge on, the first SM first; WW_NEVER: they do not. */
    void (*rotate_from)(void *self, WwCycle edge);
} WwCtasIf;
/** Fetch (retire) < dispatch. A completed CTA wakes the `dispatch` caller. */
#define WW_RANK_DISPATCH "dispatch"
/** The ranks by number (WwClient.rank); the first is WW_RANK_FETCH of ports/warps.h. */
enum { WW_CTAS_FETCH, WW_CTAS_DISPATCH };
/** Port contract `ctas`: the CTA slots of an SM. WW_CTAS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_ctas;
#define WW_CTAS(port) ((const WwCtasIf *)(port)->table)

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/** Kernels that were launched, and the CTAs that they have left to hand out. */
typedef struct WwKernelsIf {
    /** The kernel to take a CTA from (docs/model.md#placing), or NULL. Sticks to the last one. */
    const WwKernelRun *(*select)(void *self);
    /** Hands out the next CTA of @p run; NULL after a trace error (the run then fails). */
    const WwCtaTrace *(*take)(void *self, const WwKernelRun *run);
    /** A CTA of @p run has completed; gives its trace back. */
    void (*completed)(void *self, const WwKernelRun *run, const WwCtaTrace *trace);
    /** Is any running kernel left with CTAs to hand out? */
    bool (*more)(void *self);
    /** Cycles up to and with this one that began without such a kernel. */
    WwCycle (*idle)(void *self);
    /** Changes whenever select() may answer otherwise than before: who was refused for want of a kernel may ask again. */
    uint64_t (*changes)(void *self);
} WwKernelsIf;
/** Launch (the queue itself) < dispatch < finish (the queue itself). A kernel that becomes ready wakes `dispatch`. */
#define WW_RANK_LAUNCH "launch"
#define WW_RANK_FINISH "finish"
/** The ranks by number (WwClient.rank). */
enum { WW_KERNELS_LAUNCH, WW_KERNELS_DISPATCH, WW_KERNELS_FINISH };
/** Port contract `kernels`: running kernels and their CTAs. WW_KERNELS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_kernels;
#define WW_KERNELS(port) ((const WwKernelsIf *)(port)->table)

/* ---- cluster ---------------------------------------------------------------------------------------------------- */

/** The most clusters that a GPU has, and SMs that a cluster has. */
#define WW_MAX_CLUSTERS 256u
#define WW_MAX_CLUSTER_SMS 32u

/** SMs that share a port of the network, as the dispatcher sees them. */
typedef struct WwClusterIf {
    /** Numbers the SMs from @p first of @p sms, those of cluster @p cluster; returns how many it has. Called after reset. */
    uint32_t (*number)(void *self, uint32_t first, uint32_t sms, uint32_t cluster);
    /** SMs in this cluster. */
    uint32_t (*size)(void *self);
    /** Offers one CTA (at most one is placed); true if one was. */
    bool (*offer)(void *self);
    /** Is no CTA on its SMs? As of the last one that was placed or collected there, so it may be asked whatever time the SMs have. */
    bool (*empty)(void *self);
    /** Thread instructions that its SMs have completed since power-on. */
    uint64_t (*insns)(void *self);
    /** No fewer edges pass until it holds no CTA; see WwCtasIf. */
    WwCycle (*lasts)(void *self, WwCycle most);
} WwClusterIf;
/**
 * Collect (the cluster's own step: CTAs completed on its SMs go to kernels.completed()) < dispatch. A cluster that collected a CTA
 * wakes its caller, in the same tick. The first CTA placed on an empty one wakes the `flush` callers.
 */
#define WW_RANK_CLUSTER_COLLECT "collect"
/** After the dispatcher: is the cluster, or the whole GPU, empty now? Flushes of caches. */
#define WW_RANK_CLUSTER_FLUSH "flush"
/** Last, `finish`: what the cycle came to, for the end of kernels and of the run. */
enum { WW_CLUSTER_COLLECT, WW_CLUSTER_DISPATCH, WW_CLUSTER_FLUSH, WW_CLUSTER_FINISH };
/** Port contract `cluster`: SMs that share a port. WW_CLUSTER(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_cluster;
#define WW_CLUSTER(port) ((const WwClusterIf *)(port)->table)

/* ---- activity --------------------------------------------------------------------------------------------------- */

/** Whether a part of the memory system is empty. */
typedef struct WwActivityIf {
    /** Are requests or packets inside this part of the memory system, for a network in the fifos at its ports, too? Asked at the end of a tick. */
    bool (*active)(void *self);
    /**
     * No fewer core cycles pass until the last request inside is answered that a warp waits for before it can finish; at most @p most, 0: not
     * known. Before a window.
     */
    WwCycle (*lasts)(void *self, WwCycle most);
} WwActivityIf;
/** Port contract `activity`: tells whether a part of the memory system is empty. Nobody is woken. WW_ACTIVITY(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_activity;
#define WW_ACTIVITY(port) ((const WwActivityIf *)(port)->table)

/* ---- results ---------------------------------------------------------------------------------------------------- */

/**
 * A finished kernel, as the outside asks for it after WW_RUN_PAUSED; it closes an interval, the time since the one before (or
 * power-on).
 */
typedef struct WwKernelResult {
    const char *name;
    const char *file;
    uint32_t uid;
    uint32_t grid[3], block[3];
    uint16_t
        limit; /**< Not 0: a limit of the queue was reached, the run ends with it (2: the reference does not say so); */
    uint16_t unfinished; /**< the kernel was not complete then. */
    uint64_t stream;     /**< CUDA stream that became free; UINT64_MAX: none did. */
    uint64_t ctas;
    WwCycle cycles; /**< Core ticks of the interval that it closed. */
    WwCycle end;    /**< Core cycles since power-on. */
    const char
        *begun; /**< Kernels selected in the interval, in order: their names, a blank after each, */
    const char *begun_uids; /**< and their uids likewise. */
    uint64_t
        ctas_completed; /**< CTAs completed since power-on, or since the last sample (kernel_queue.restart_completed). */
} WwKernelResult;
G_STATIC_ASSERT(sizeof(WwKernelResult) ==
                104); /* without holes: it is kept in a component's memory */

/** Finished kernels, for whoever runs the machine: asked between two ticks. */
typedef struct WwKernelResultsIf {
    /** The oldest finished kernel not asked for yet; false: none. Strings stay valid until the next call. */
    bool (*next)(void *self, WwKernelResult *out);
    /** Kernels launched and not finished, for progress displays. */
    uint32_t (*running)(void *self);
    /** CTAs handed out and completed, of the present interval. */
    void (*ctas)(void *self, uint64_t *issued, uint64_t *completed, uint64_t *total);
} WwKernelResultsIf;
/** Port contract `kernel_results`: finished kernels. WW_KERNEL_RESULTS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_kernel_results;
#define WW_KERNEL_RESULTS(port) ((const WwKernelResultsIf *)(port)->table)

/** Port contract `trace_source`: kernels, CTAs and instructions (ports/trace_source.h). */
WW_API extern const WwContract ww_contract_trace_source;
