/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `scheduler`: a policy that tries all candidates in ascending order, or exactly
 * the warps that the test lists.
 */
#pragma once

#include <ports/issue.h>

/** A policy whose answers the test sets; keeps what it was shown. */
typedef struct WwFakeScheduler {
    WwComponent base;
    WwProvided policy;
    /* what the test may set */
    bool listed; /**< order() answers `list`, not the candidates. */
    uint32_t n;
    uint8_t list[WW_MAX_WARPS];
    uint64_t examined;   /**< Answer of examines(). */
    uint64_t considered; /**< Answer of considers(); all at first. */
    bool restless;
    int32_t guest; /**< Answer of guest(); -1 at first. */
    /* what it may look at */
    uint32_t orders, issues; /**< Calls of order() and issued(). */
    uint32_t warp, count;    /**< Of the last issued(). */
    uint64_t candidates;     /**< Of the view at the last order(), */
    uint64_t waiting, mine;
} WwFakeScheduler;

/** The type `fake.scheduler`. */
WW_API extern const WwType ww_fake_scheduler_type;
