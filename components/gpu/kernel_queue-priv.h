/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * State of the kernel queue, shared by its files: what dispatch sees (kernel_queue.c), the window of pending kernels and its
 * intervals (kernel_window.c), the results (kernel_results.c).
 */
#pragma once

#include <ports/cache.h>
#include <ports/ctas.h>
#include <warpwright/event.h>

#define QUEUE_MAX_MEMORY 257u /* slices of the L2, and the network */

/** A kernel that was read and has not left the window. */
typedef struct Pending {
    WwKernel *kernel;
    bool launched;
} Pending;

typedef struct KernelQueue {
    WwComponent base;
    /* parameters */
    uint32_t launch_latency;
    uint32_t tb_launch_latency;
    uint32_t max_concurrent;
    bool concurrent;
    bool drop_pending;
    /* ports */
    WwProvided kernels;
    WwProvided after;
    WwProvided results;
    WwPort trace;
    WwPort memcpy;
    WwPort memory[QUEUE_MAX_MEMORY];
    uint32_t n_memory;
    /* state */
    uint32_t window;          /* pending kernels at a time */
    WwKernelRun *run;         /* [max_concurrent]; kernel NULL: free */
    WwEvent *ready;           /* [max_concurrent]: launch latency over */
    uint32_t n_run;           /* entries of it that were ever used */
    Pending *pending;         /* [window], oldest first */
    uint64_t *busy;           /* [window]: streams of launched kernels, in order of launch */
    WwKernelResult *finished; /* [n_finished], in order of completion; not reported yet */
    uint32_t n_pending, n_busy, n_finished, size_finished;
    uint32_t selected;          /* entry of `run` that gave the last CTA */
    uint64_t resident;          /* CTAs on SMs */
    uint32_t left;              /* running kernels with CTAs to hand out */
    WwCycle idle, idle_from;    /* edges that began with `left` 0; and if it is, since when */
    bool begun;                 /* the first launch is done */
    bool listed;                /* the command list is at its end */
    bool failed;                /* a trace error ended the run */
    bool report;                /* a kernel is to be reported in this tick */
    WwCycle start;              /* first edge of the interval */
    uint64_t issued, completed; /* CTAs in the interval */
    uint64_t interval;          /* its number, from 1 */
    GString *begun_names, *begun_uids; /* kernels selected in the interval, by their first time */
    /* not asked for yet: first_result .. n_results - 1; the one before is still the caller's */
    WwKernelResult *result;
    uint32_t n_results, first_result, size_results;
    /* statistics */
    uint64_t finished_kernels;
    uint64_t dropped_kernels;
    uint64_t ctas_issued;
    uint64_t ctas_completed;
    uint64_t memcpy_bytes;
} KernelQueue;

#define TRACE(q) ((const WwTraceSourceIf *)(q)->trace.table)

/** Ends the run with @p error. */
void queue_fail(KernelQueue *q, GError *error);

/* ---- window --------------------------------------------------------------------------------------------------- */

/** Gathers and launches whatever may start with the interval at edge q->start; ends the run when nothing is left. */
void window_begin(KernelQueue *q);
/** A kernel's launch latency is over: wakes those who dispatch. */
void window_ready(void *self, WwEvent *event);
/** Reports the kernel that finished first; the interval ends before edge @p end, the next one begins. */
void window_report(KernelQueue *q, WwCycle end);

/* ---- results -------------------------------------------------------------------------------------------------- */

/** What is known of @p k when it finishes; free with result_clear(). */
WwKernelResult result_of(const WwKernel *k);
void result_clear(WwKernelResult *r);
/** Remembers that @p run was selected in this interval. */
void results_begun(KernelQueue *q, WwKernelRun *run);
/** Takes over @p r as the result of the interval that ends before edge @p end. */
void results_add(KernelQueue *q, WwKernelResult r, WwCycle end);
void results_clear(KernelQueue *q);
extern const WwKernelResultsIf kernel_results_table;
