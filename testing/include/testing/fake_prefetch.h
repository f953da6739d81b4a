/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `prefetch`: finds what the test says (nothing, at first), gives what it says, and counts every call.
 */
#pragma once

#include <ports/sub_core.h>

/** Stream buffers whose answers the test sets; counts calls. */
typedef struct WwFakePrefetch {
    WwComponent base;
    WwProvided prefetch;
    /* what the test may set */
    WwStreamResult result; /**< Answer to every search(), of buffer 0. */
    bool awaits;           /**< Answer to every awaits(). */
    /* what it may look at */
    uint32_t searches, searched, begins, waits, fills, clears;
    WwCycle used;   /**< Of the last searched(). */
    uint64_t line;  /**< Of the last begin(). */
    uint32_t warp;  /**< Of the last wait(), */
    uint64_t addr;  /**< with this address. */
    bool allowed;   /**< As told last. */
    uint64_t steps; /**< Turns of its step. */
    /* its own */
    bool giving, given; /**< What is to be given, and was. */
    uint32_t given_warp;
    uint64_t given_addr;
} WwFakePrefetch;

/** The type `fake.prefetch`. */
WW_API extern const WwType ww_fake_prefetch_type;

/** The instruction at @p addr of @p warp is given as soon as that is allowed. */
WW_API void ww_fake_prefetch_give(WwFakePrefetch *f, uint32_t warp, uint64_t addr);
