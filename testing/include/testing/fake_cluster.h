/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `cluster`: accepts as many CTAs as the test allows. */
#pragma once

#include <ports/ctas.h>

/** A cluster that accepts as many CTAs as the test allows. */
typedef struct WwFakeCluster {
    WwComponent base;
    WwProvided cluster;
    /* what the test may set */
    uint32_t accept; /**< CTAs that offer() still accepts (no end at first). */
    uint32_t cores;  /**< SMs that it has (1 at first). */
    bool busy;       /**< A CTA is on it (not at first). */
    uint64_t insns;  /**< Thread instructions completed (0 at first). */
    uint32_t
        *order; /**< Shared counter of a test: offer() notes its value in `turn` and adds one. */
    /* what it may look at */
    uint32_t first, sms; /**< What number() said, */
    uint32_t numbered;   /**< how often. */
    uint32_t offers, placed;
    uint32_t turn;       /**< When it was last offered a CTA (see `order`). */
    WwCycle last_placed; /**< Cycle of the last CTA accepted. */
} WwFakeCluster;

/** The type `fake.cluster`. */
WW_API extern const WwType ww_fake_cluster_type;

/** Accepts @p n more CTAs and wakes the dispatcher, as a cluster does in which CTAs completed. */
WW_API void ww_fake_cluster_free(WwFakeCluster *f, uint32_t n);
