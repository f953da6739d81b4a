/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `memcpy`: counts what it is told. */
#pragma once

#include <ports/cache.h>

/** Counts copies from the host; nothing to set. */
typedef struct WwFakeMemcpy {
    WwComponent base;
    WwProvided memcpy;
    /* what the test may look at */
    uint32_t copies;
    uint64_t addr, bytes; /**< Of the last copy. */
    uint64_t total;       /**< Bytes of all. */
} WwFakeMemcpy;

/** The type `fake.memcpy`. */
extern const WwType ww_fake_memcpy_type;
