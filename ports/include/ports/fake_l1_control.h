/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `l1_control`: counts what it is told. */
#pragma once

#include <ports/cache.h>

typedef struct WwFakeL1Control {
    WwComponent base;
    WwProvided l1_control;
    /* what the test may set */
    bool refuses; /**< The next carve() fails. */
    /* what it may look at */
    uint32_t carves;
    uint64_t shmem; /**< Of the last carve(). */
} WwFakeL1Control;

extern const WwType ww_fake_l1_control_type;
