/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `code_caches`: counts.
 */
#pragma once

#include <ports/cache.h>

/** Counts what it is asked; nothing to set. */
typedef struct WwFakeCodeCaches {
    WwComponent base;
    WwProvided control;
    /* what the test may look at */
    uint32_t clears;
} WwFakeCodeCaches;

/** The type `fake.code_caches`. */
WW_API extern const WwType ww_fake_code_caches_type;
