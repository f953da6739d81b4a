/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `timing`: what the test says of each category of opcodes.
 */
#pragma once

#include <ports/sub_core.h>

/** What instructions take, by category (WwOp) as the test sets it. */
typedef struct WwFakeTiming {
    WwComponent base;
    WwProvided timing;
    /* what the test may set, between ticks; at first of unit INT, with latency and interval 2, and without registers */
    WwTiming of[WW_N_OPS];
    /* what it may look at */
    uint32_t asked;
} WwFakeTiming;

/** The type `fake.timing`. */
WW_API extern const WwType ww_fake_timing_type;
