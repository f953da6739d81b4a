/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `ctas`: an SM that accepts CTAs up to a limit and completes them when the test
 * says so.
 */
#pragma once

#include <ports/ctas.h>

#define WW_FAKE_CTAS_MAX 1024u /**< CTAs that a fake SM can hold and remember. */

/** The CTA slots of an SM whose CTAs complete when the test says so. */
typedef struct WwFakeCtas {
    WwComponent base;
    WwProvided ctas;
    /* what the test may set */
    uint32_t limit;    /**< CTAs that are accepted at a time (32 at first). */
    const char *error; /**< Non-NULL: can_place() fails with this text. */
    /* what it may look at */
    WwCtaView view;
    uint32_t asked; /**< Calls of can_place(). */
    uint32_t placed;
    uint32_t collected;
    uint32_t retires;
    uint64_t retired;    /**< Warps that were retired. */
    WwCycle rotate_from; /**< Edge from which on its cluster's SMs take turns. */
    /* its own */
    uint32_t first; /**< CTAs first .. done - 1 have completed and wait for collect(), */
    uint32_t done;  /**< done .. placed - 1 are resident. */
    const WwKernelRun *run[WW_FAKE_CTAS_MAX];
    const WwCtaTrace *trace[WW_FAKE_CTAS_MAX];
} WwFakeCtas;

/** The type `fake.ctas`. */
WW_API extern const WwType ww_fake_ctas_type;

/**
 * The oldest resident CTA completes; wakes the `dispatch` callers. The last one unbinds the
 * kernel.
 */
WW_API void ww_fake_ctas_complete(WwFakeCtas *f);
