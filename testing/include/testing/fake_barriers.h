/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `barriers`: holds warps when the test says so (never, at first) and counts
 * every call. Memory-barrier flags are kept.
 */
#pragma once

#include <ports/hazards.h>

/** Barriers whose masks the test sets with ww_fake_barriers_set(); of the calls only those about memory barriers change one. */
typedef struct WwFakeBarriers {
    WwComponent base;
    WwProvided barriers;
    /* what it may look at */
    uint32_t enters, leaves, arrivals, exits, membars, completions, adds, commits, waits, dones;
    uint32_t cta;         /**< Of the last cta_enter() or cta_leave(), */
    uint64_t warps;       /**< and the warps of the former. */
    uint32_t warp;        /**< Of the last other call. */
    uint64_t pc, addr;    /**< Of the last async_add() or async_done(). */
    bool done;            /**< Of the last async_add(). */
    uint32_t outstanding; /**< Of the last async_wait(). */
    WwBarrierView view;
} WwFakeBarriers;

/** The type `fake.barriers`. */
WW_API extern const WwType ww_fake_barriers_type;

/** Sets the masks; wakes the `issue` callers of warps that were in one and are not any more. */
WW_API void ww_fake_barriers_set(WwFakeBarriers *f, uint64_t held, uint64_t membar, uint64_t async);
