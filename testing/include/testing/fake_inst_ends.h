/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `inst_ends`: remembers what it is told. */
#pragma once

#include <ports/execute.h>

/** Remembers which instructions end; nothing to set. */
typedef struct WwFakeInstEnds {
    WwComponent base;
    WwProvided ends;
    /* what a test may look at */
    uint32_t calls;
    uint32_t over;      /**< Of these, with WW_END_RECORD. */
    uint32_t what;      /**< All bits of the last instruction, */
    const WwInst *inst; /**< and which that is. */
    WwCycle cycle;      /**< Of the last call. */
} WwFakeInstEnds;

/** The type `fake.inst_ends`. */
WW_API extern const WwType ww_fake_inst_ends_type;
