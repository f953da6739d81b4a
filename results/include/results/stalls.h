/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a warp scheduler's causes mean, and what Nsight Compute calls them: one table, which docs/stalls.md prints. */
#pragma once

#include <stdint.h>

/** What kind of thing a cause waits for: what bounds a run is decided among these. */
typedef enum WwLostKind {
    WW_LOST_WARPS,      /**< There is no warp. */
    WW_LOST_SYNC,       /**< Other warps of the CTA. */
    WW_LOST_MEMORY,     /**< Data from memory, or a place in the way there. */
    WW_LOST_FETCH,      /**< Instructions. */
    WW_LOST_ARITHMETIC, /**< Results of arithmetic. */
    WW_LOST_UNIT,       /**< A function unit. */
    WW_LOST_OTHER,
    WW_N_LOST_KINDS,
} WwLostKind;

/** A cause for which issue slots are lost. Texts are constants. */
typedef struct WwStallCause {
    const char *cause; /**< Label of the statistic `cause` of who issues. */
    WwLostKind kind;
    const char *text; /**< For people: "data from memory". */
    const char *
        nsight; /**< "long_scoreboard": the stall reason without smsp__pcsamp_warps_issue_stalled_; "": it has none. */
    const char *meaning; /**< A sentence. */
    const char *remedy;  /**< What to look at, or do. */
} WwStallCause;

/**
 * The types that issue, up to a NULL. Each has a slot in each cycle in which its SM is clocked: it counts in the statistic `single_issue` or
 * `dual_issue`, or is lost to one of `cause`.
 */
extern const char *const ww_issue_types[];
/** What stands behind "TYPE.cause" and a character @p mark in @p name, TYPE one of these: the cause; NULL: it does not begin so. */
const char *ww_cause_of(const char *name, char mark);

/** All that are known, in the order of issue_stage's labels, with which warp_scheduler's begin; @p n of them. */
const WwStallCause *ww_stalls(uint32_t *n);
/** That of @p cause, or NULL. */
const WwStallCause *ww_stall(const char *cause);
