/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `replacement`: the lowest way that may go.
 */
#pragma once

#include <ports/replacement.h>

/** A rule that the test may set; counts what it is told. */
typedef struct WwFakeReplacement {
    WwComponent base;
    WwProvided policy;
    /* what the test may set */
    uint32_t way; /**< Answered in any case, if it is not 0. */
    /* what it may look at */
    uint32_t lines, asked, touched, filled, replaced;
    uint32_t set, at; /**< The set and the way that it was told of last, */
    uint64_t line;    /**< and the line, if it was a new one. */
} WwFakeReplacement;

/** The type `fake.replacement`. */
extern const WwType ww_fake_replacement_type;
