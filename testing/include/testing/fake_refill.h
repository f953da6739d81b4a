/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `refill`: a cache that awaits what the test says, everything at first.
 */
#pragma once

#include <ports/sub_core.h>

/** A cache of a sub-core that awaits what the test says; counts what is filled. */
typedef struct WwFakeRefill {
    WwComponent base;
    WwProvided refill;
    /* what the test may set */
    bool deaf;    /**< It awaits nothing. */
    bool busy;    /**< Nothing can be filled. */
    bool forgets; /**< Cleared, it awaits nothing any more. */
    uint32_t
        others; /**< Not 0: nothing can be filled in some cycles, which follow from this number. */
    /* what it may look at */
    uint32_t fills, clears;
    WwMemReq *last; /**< Filled last, */
    WwCycle when;   /**< in this cycle. */
} WwFakeRefill;

/** The type `fake.refill`. */
WW_API extern const WwType ww_fake_refill_type;
