/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `register_banks`: lets every write through (at first) and remembers the last.
 */
#pragma once

#include <ports/execute.h>

/** Register banks that refuse as many writes as the test says. */
typedef struct WwFakeRegisterBanks {
    WwComponent base;
    WwProvided banks;
    /* what the test may set */
    uint32_t refuse; /**< Writes still to refuse; UINT32_MAX: all. */
    uint32_t others; /**< Not 0: others write to some banks first, which follow from this number. */
    /* what it may look at */
    uint32_t calls, written;
    const WwInst *inst; /**< Of the last call. */
    WwCycle cycle;      /**< In which it came. */
} WwFakeRegisterBanks;

/** The type `fake.register_banks`. */
WW_API extern const WwType ww_fake_register_banks_type;
