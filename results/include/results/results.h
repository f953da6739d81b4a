/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a run leaves behind: every statistic of the machine, summed over the components of a type, as it was at the end of
 * each kernel. Reports, JSON and CSV read only this.
 *
 * Workload: 4,000 components with 5 statistics each are summed once a kernel (some 100 us). Of some 5,000 values of a kernel most are
 * 0 and the others small: what is kept of it is a few hundred bytes to a few KiB, so that there may be very many kernels.
 */
#pragma once

#include <ports/ctas.h>
#include <results/picks.h>
#include <warpwright/machine.h>

/** One statistic of one component type. */
typedef struct WwColumn {
    const WwType *type;
    const WwStatRow *row;
    uint32_t at;        /**< Its row->n values start here. */
    uint32_t instances; /**< Components that were summed. */
} WwColumn;

/** One kernel, or what was left of the last one when a run ended early (`partial`). */
typedef struct WwResultKernel {
    char *name, *file;
    char *begun, *begun_uids; /**< As in WwKernelResult. */
    uint32_t uid;
    uint32_t grid[3], block[3];
    uint64_t stream, ctas;
    uint64_t ctas_completed; /**< As in WwKernelResult. */
    WwCycle cycles, end;
    uint64_t thread_insns, warp_insns; /**< Of this kernel alone. */
    bool partial;
    uint32_t sms;   /**< SMs that had work in it; 0: none, or not known. */
    WwCycle launch; /**< Cycles of it in which no SM held a CTA. */
    WwCycle tail;   /**< Cycles at its end in which fewer than half of `sms` held one. */
    uint8_t *
        packed; /**< Every value of this kernel alone, see ww_results_kernel_values(); NULL when they are not kept. */
    uint8_t *picked; /**< The same of those that were chosen. */
    uint8_t *pcs;    /**< Its instructions, see ww_pcs_next(); NULL: nobody counts. */
} WwResultKernel;

/** Where figures of instructions of all SMs are added up: private (pcs.c). */
typedef struct WwPcsSum WwPcsSum;

/** What a run came to: values of all statistics, and each kernel. Free with ww_results_free(). */
typedef struct WwResults {
    WwMachine *machine;
    GArray *columns;   /**< WwColumn, by (type name, order of the descriptor). */
    GArray *parts;     /**< Components with statistics. */
    GArray *stretches; /**< Where in a component of a type statistics are: Part of results.c. */
    GPtrArray *slots;  /**< Of them, those that hold an SM's CTAs. */
    GPtrArray *pcs;    /**< Those that have figures of instructions, */
    WwPcsSum *sum;     /**< and where these are added up when a kernel ends. */
    uint32_t n;        /**< Values in all. */
    uint64_t *total;   /**< Since power-on, as of the last ww_results_read(). */
    WwTick read_at;    /**< The machine's tick then; WW_NEVER: there was none. */
    uint64_t *before;  /**< Since power-on, at the end of the kernel before. */
    WwHeap *heap;      /**< Where this, the values and the kernels are. */
    WW_HEAP_LIST(WwResultKernel *) kernels;
    bool keep;              /**< Keep the values of each kernel. */
    WwPicks *picks;         /**< Statistics that were chosen besides, or NULL. */
    uint64_t *picked_total; /**< Since power-on, as of the last ww_results_read(). */
    /* what the run was */
    const char *trace, *platform; /**< No trace: "". */
    char **configs;
    const char *status; /**< "done", "limit", "hang", "stuck", "interrupted" */
    bool partial;
    bool at_limit;     /**< A limit of the machine itself ended the run. */
    bool limit_untold; /**< The reference does not say so. */
    bool has_fingerprint;
    uint64_t fingerprint;
    WwCycle cycles; /**< Core cycles since power-on. */
    /** Seconds, shown only where they are asked for: of the host's clock from the first tick on, but for those in which somebody had it pause; of the process's processor time, in all and before that. */
    double host_s, host_cpu_s, host_start_cpu_s;
    uint64_t activations, window_ticks;
    uint32_t threads; /**< That ran the machine. */
} WwResults;

/** Results of @p machine in memory of @p heap, which stays with its owner; @p keep: with the values of each kernel. */
WwResults *ww_results_new(WwMachine *machine, WwHeap *heap, bool keep);
/** With its picks; the machine and the heap stay. @p results may be NULL. */
void ww_results_free(WwResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwResults, ww_results_free)

/** From now on @p picks (closed; now owned) are read, too. Before anything has run. */
void ww_results_pick(WwResults *results, WwPicks *picks);

/** Settles the machine and reads every statistic into `total`, if a tick has passed since it last did. */
void ww_results_read(WwResults *results);
/**
 * Ends a kernel: reads, and adds an entry with what happened since the last one. Strings of @p from are copied.
 */
WwResultKernel *ww_results_add(WwResults *results, const WwKernelResult *from, bool partial);

/**
 * What @p results would be if the run ended now, in memory of @p heap, for looking at only: read from the settled machine, with the kernel @p open,
 * or NULL, as a partial one. Neither the results nor what becomes of them is changed.
 */
WwResults *ww_results_so_far(const WwResults *results, const WwKernelResult *open, WwHeap *heap);

/** Every value of kernel @p k alone into @p values, which has room for `n`; they must have been kept. */
void ww_results_kernel_values(const WwResults *results, const WwResultKernel *k, uint64_t *values);

/** The same of those that were chosen; room for ww_picks_n(). Maxima cannot be taken apart: they are as of the kernel's end. */
void ww_results_kernel_picked(const WwResults *results, const WwResultKernel *k, uint64_t *values);

/** The column of a statistic, or NULL when the machine has no such component. */
const WwColumn *ww_results_column(const WwResults *results, const char *type, const char *stat);
/**
 * Adds up entries of a statistic in @p values (`total` or a kernel's `alone`): the whole of it (@p label NULL), or the entry
 * with that label or number. False when the machine has no such statistic or entry; @p out is then 0.
 */
bool ww_results_value(const WwResults *results, const uint64_t *values, const char *type,
                      const char *stat, const char *label, uint64_t *out);
/** The values that the last ww_results_add() added up: present total minus `before`. For maxima the present total. */
uint64_t ww_results_alone(const WwResults *results, const WwColumn *column, uint32_t i);
/** Sums one counter now, without settling or reading the others; for progress. */
uint64_t ww_results_peek(const WwResults *results, const WwColumn *column);

/** Statistics that the headline figures come from. */
#define WW_THREAD_INSNS "warp_pool", "thread_insns"
#define WW_WARP_INSNS "warp_pool", "warp_insns"

/** Statistics that say when SMs had work: of each SM, and of the machine. */
#define WW_SM_LAST "cta_slots", "last_cycle"
#define WW_EMPTY_CYCLES "kernel_queue", "empty_cycles"
/** SMs that had a CTA at any time until the last ww_results_read(), and all, of machines that tell. */
uint32_t ww_results_sms(const WwResults *results, uint32_t *all);
