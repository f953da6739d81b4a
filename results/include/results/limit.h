/* SPDX-License-Identifier: Apache-2.0 */
/** @file What bounds a run, from counted figures: docs/stalls.md#what-bounds-a-run has the rule. */
#pragma once

#include <results/results.h>

/** What most of the cycles went to. */
typedef enum WwTimeLimit {
    WW_TIME_WORK,   /**< All others. */
    WW_TIME_LAUNCH, /**< No SM held a CTA. */
    WW_TIME_TAIL    /**< Tails of kernels: WwResultKernel.tail. */
} WwTimeLimit;

/** What bounds a run or a kernel. Texts are constants. */
typedef struct WwLimit {
    WwTimeLimit time;  /**< The largest part of the cycles. */
    double time_share; /**< Its share of them, in percent. */
    const char *
        what; /**< What bounds the work: "issue", "memory latency", "DRAM bandwidth", ...; NULL: there was none. */
    const char *next;    /**< Too few warps: what bounds those that there are; else NULL. */
    double slot_share;   /**< Issue slots of that kind, in percent. */
    const char *busiest; /**< Memory: "DRAM", "L2" or "L1", whichever was used most; else NULL. */
    double busy;         /**< How much, in percent of the cycles in which SMs had work. */
    bool few_warps;      /**< It is latency, and occupancy below a half. */
    double occupancy;    /**< In percent. */
} WwLimit;

/** Of @p values (`total`, or a kernel's), @p cycles long, @p launch of them without a CTA on any SM, @p tail of them tails. */
WwLimit ww_limit(const WwResults *results, const uint64_t *values, WwCycle cycles, WwCycle launch,
                 WwCycle tail);
/** "launch latency (72 % of the cycles); the work by ..."; newly allocated, NULL when there is nothing to say. */
char *ww_limit_text(const WwLimit *limit);
