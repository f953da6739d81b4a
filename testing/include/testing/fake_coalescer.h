/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `coalescer`: each lane has transactions of its own, of 32 bytes, in the order of lanes.
 */
#pragma once

#include <ports/coalesce.h>

/** A rule that the test may spoil; counts calls. */
typedef struct WwFakeCoalescer {
    WwComponent base;
    WwProvided coalescer;
    /* what a test may set */
    void (*spoil)(WwTransaction *made,
                  uint32_t *n); /**< What is made goes through this; NULL at first. */
    /* what it may look at */
    uint32_t calls;
} WwFakeCoalescer;

/** The type `fake.coalescer`. */
extern const WwType ww_fake_coalescer_type;
