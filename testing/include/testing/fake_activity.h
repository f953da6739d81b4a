/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `activity`: says what the test says. */
#pragma once

#include <ports/ctas.h>

typedef struct WwFakeActivity {
    WwComponent base;
    WwProvided activity;
    /* what the test may set */
    bool active;
    /* what it may look at */
    uint32_t asked;
} WwFakeActivity;

WW_API extern const WwType ww_fake_activity_type;
