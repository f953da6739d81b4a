/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `latency`: adds up what it is told. */
#pragma once

#include <ports/latency.h>

/** Adds up round trips; nothing to set. */
typedef struct WwFakeLatency {
    WwComponent base;
    WwProvided latency;
    /* what the test may look at */
    uint32_t n;
    uint64_t sum;
} WwFakeLatency;

/** The type `fake.latency`. */
extern const WwType ww_fake_latency_type;
