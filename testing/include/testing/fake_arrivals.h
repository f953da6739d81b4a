/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `arrivals`: counts what it is told. */
#pragma once

#include <ports/cache.h>

/** Counts packets; nothing to set. */
typedef struct WwFakeArrivals {
    WwComponent base;
    WwProvided arrivals;
    /* what the test may look at */
    uint32_t n;
    WwCycle edge; /**< Of the last packet. */
} WwFakeArrivals;

/** The type `fake.arrivals`. */
extern const WwType ww_fake_arrivals_type;
