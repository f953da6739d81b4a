/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `l2_control`: counts what it is told. */
#pragma once

#include <ports/cache.h>

/** Control of an L2 slice that counts; nothing to set. */
typedef struct WwFakeL2Control {
    WwComponent base;
    WwProvided l2_control;
    /* what a test may look at */
    uint32_t installs, flushes;
    bool flushing;
    WwCycle flush_edge;   /**< Of the last flush(). */
    uint64_t first, last; /**< Addresses of the first and the latest install. */
    uint64_t partition;   /**< Of the latest install. */
} WwFakeL2Control;

/** The type `fake.l2_control`. */
extern const WwType ww_fake_l2_control_type;
