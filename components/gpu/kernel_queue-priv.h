/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * State of the kernel queue, shared by its files: what dispatch sees (kernel_queue.c), the window of pending kernels and its
 * intervals (kernel_window.c), the results (kernel_results.c).
 */
#pragma once

#include "lasts.h"
#include <ports/cache.h>
#include <warpwright/event.h>

/** A kernel that was read and has not left the window. */
typedef struct Pending {
    const WwKernel *kernel;
    bool launched;
} Pending;

/** A text that grows. */
typedef struct Words {
    char *text;
    size_t n, room;
} Words;

typedef struct KernelQueue {
    WwComponent base;
    /* parameters */
    uint32_t launch_latency;
    uint32_t tb_launch_latency;
    uint32_t max_concurrent;
    bool concurrent;
    bool drop_pending;
    uint64_t max_cycles, max_insns, max_ctas, max_completed;
    uint32_t sample;
    bool restart_completed;
    /* ports */
    WwProvided kernels;
    WwProvided results;
    WwPort trace;
    WwPort memcpy;
    WwPort memory[GPU_MAX_MEMORY];
    uint32_t n_memory;
    WwPort cluster[WW_MAX_CLUSTERS];
    uint32_t n_cluster;
    /* state */
    uint32_t window;          /* pending kernels at a time */
    WwKernelRun *run;         /* [max_concurrent]; kernel NULL: free */
    WwEvent *ready;           /* [max_concurrent]: launch latency over */
    uint32_t n_run;           /* entries of it that were ever used */
    Pending *pending;         /* [window], oldest first */
    uint64_t *busy;           /* [window]: streams of launched kernels, in order of launch */
    WwKernelResult *finished; /* [n_finished], in order of completion; not reported yet */
    uint32_t n_pending, n_busy, n_finished, size_finished;
    uint32_t selected;             /* entry of `run` that gave the last CTA */
    uint64_t resident;             /* CTAs on SMs */
    uint32_t left;                 /* running kernels with CTAs to hand out */
    WwCycle idle, idle_from;       /* edges that began with `left` 0; and if it is, since when */
    bool begun;                    /* the first launch is done */
    bool listed;                   /* the command list is at its end */
    bool failed;                   /* a trace error ended the run */
    bool report;                   /* a kernel is to be reported in this tick */
    bool closed;                   /* max_ctas CTAs are handed out: there are no more */
    bool ended;                    /* a limit ended the run */
    WwCycle start;                 /* first edge of the interval */
    WwCycle empty_from;            /* while `resident` is 0: edges before it are in empty_cycles */
    uint64_t issued, completed;    /* CTAs in the interval */
    uint64_t shown;                /* CTAs completed since the last sample, */
    WwCycle shown_window;          /* as of this window of the interval */
    uint64_t interval;             /* its number, from 1 */
    uint64_t changes;              /* of what may be selected */
    uint32_t longest;              /* cluster that had much to do when last asked */
    WwBetween host;                /* the host looks at what has finished, */
    bool host_looks;               /* and does so now */
    Words begun_names, begun_uids; /* kernels selected in the interval, by their first time */
    /* not asked for yet: first_result .. n_results - 1; the one before is still the caller's */
    WwKernelResult *result;
    uint32_t n_results, first_result, size_results;
    /* statistics */
    uint64_t finished_kernels;
    uint64_t dropped_kernels;
    uint64_t ctas_issued;
    uint64_t ctas_completed;
    uint64_t memcpy_bytes;
    uint64_t empty_cycles;
} KernelQueue;

#define TRACE(q) ((const WwTraceSourceIf *)(q)->trace.table)

/** Ends the run with @p error. */
void kernel_queue_fail(KernelQueue *q, GError *error);

/* ---- window --------------------------------------------------------------------------------------------------- */

/** Gathers and launches whatever may start with the interval at edge q->start; ends the run when nothing is left. */
void window_begin(KernelQueue *q);
/** A kernel's launch latency is over: wakes those who dispatch. */
void window_ready(void *self, WwEvent *event);
/** The kernel that finished first and is not reported; there must be one. */
WwKernelResult window_finished(KernelQueue *q);
/** The interval ends before edge @p end with @p r; the run pauses. */
void window_close(KernelQueue *q, WwKernelResult r, WwCycle end);
/** The stream whose kernel the clean-up of a whole window finds last, as the reference has it; UINT64_MAX: none. */
uint64_t window_last_stream(const KernelQueue *q);
/** Reports the kernel that finished first; the interval ends before edge @p end, the next one begins. @p all: what waits goes, too. */
void window_report(KernelQueue *q, WwCycle end, bool all);
/** Is there anything behind the kernels of the window that run or wait, or would some of them stay if all went? */
bool window_more(KernelQueue *q);

/* ---- limits --------------------------------------------------------------------------------------------------- */

/** Is the end of the tick before edge @p end where max_cycles or max_insns end the run? */
bool limit_reached(const KernelQueue *q, WwCycle end);
/** Have as many CTAs completed in the interval as max_completed allows? */
static inline bool limit_completed(const KernelQueue *q)
{
    return G_UNLIKELY(q->max_completed != 0) && q->completed >= q->max_completed;
}
/** Then: ends the run before edge @p end, or with all kernels finished goes on with what comes next. */
void limit_completed_end(KernelQueue *q, WwCycle end);
/** A CTA was handed out: was it the last that max_ctas allows? Then there are no more. */
void limit_handed_out(KernelQueue *q);
/** Ends the run before edge @p end, with the kernel that finished first or, if none has, the oldest that has not. @p told: as a limit. */
void limit_end(KernelQueue *q, WwCycle end, bool told);
/** Edges that the finish step may rest after edge @p now. */
WwRest limit_rest(const KernelQueue *q, WwCycle now);

/* ---- results -------------------------------------------------------------------------------------------------- */

/** Puts into @p r what is known of @p k when it finishes; free with result_clear(). */
void result_begin(KernelQueue *q, WwKernelResult *r, const WwKernel *k);
void result_clear(KernelQueue *q, WwKernelResult *r);
/** Remembers that @p run was selected in this interval. */
void results_begun(KernelQueue *q, WwKernelRun *run);
/** A CTA has completed at edge @p now. */
void results_completed(KernelQueue *q, WwCycle now);
/** Takes over @p r as the result of the interval that ends before edge @p end. */
void results_add(KernelQueue *q, WwKernelResult r, WwCycle end);
void results_clear(KernelQueue *q);
extern const WwKernelResultsIf kernel_results_table;
