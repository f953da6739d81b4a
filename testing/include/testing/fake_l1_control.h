/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `l1_control`: counts what it is told. */
#pragma once

#include <ports/cache.h>

/** Control of first-level caches that counts, and fails if the test wants it. */
typedef struct WwFakeL1Control {
    WwComponent base;
    WwProvided l1_control;
    /* what the test may set */
    bool refuses; /**< The next carve() fails. */
    /* what it may look at */
    uint32_t carves;
    uint32_t sm;    /**< Of the last carve(), */
    uint64_t shmem; /**< and its bytes. */
} WwFakeL1Control;

/** The type `fake.l1_control`. */
extern const WwType ww_fake_l1_control_type;
