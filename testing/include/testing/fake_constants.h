/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `constants`: operands are there, or not, as the test says (they are, at first).
 */
#pragma once

#include <ports/sub_core.h>

/** A cache of constant operands of which the test says which are missing. */
typedef struct WwFakeConstants {
    WwComponent base;
    WwProvided constants;
    /* what the test may set */
    uint64_t missing; /**< Warps whose operand is not there. */
    /* what it may look at */
    uint32_t asked;
    uint32_t warp; /**< Of the last lookup. */
} WwFakeConstants;

/** The type `fake.constants`. */
WW_API extern const WwType ww_fake_constants_type;

/** The operand of @p warp is missing, or is there, which wakes the `issue` callers. */
WW_API void ww_fake_constants_miss(WwFakeConstants *f, uint32_t warp, bool missing);
