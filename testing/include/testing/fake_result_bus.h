/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `result_bus`: grants every booking (at first) and remembers the last. */
#pragma once

#include <ports/execute.h>

/** Result buses that refuse as many bookings as the test says. */
typedef struct WwFakeResultBus {
    WwComponent base;
    WwProvided bus;
    /* what the test may set */
    uint32_t refuse; /**< Bookings still to refuse; UINT32_MAX: all. */
    uint32_t others; /**< Not 0: others have booked some cycles, which follow from this number. */
    /* what it may look at */
    uint32_t calls, granted;
    uint32_t latency; /**< Of the last call. */
    WwCycle cycle;    /**< In which it came. */
} WwFakeResultBus;

/** The type `fake.result_bus`. */
WW_API extern const WwType ww_fake_result_bus_type;
