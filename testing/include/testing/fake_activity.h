/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `activity`: says what the test says. */
#pragma once

#include <ports/ctas.h>

/** A part of the memory system that is as busy as the test says; counts how often it is asked. */
typedef struct WwFakeActivity {
    WwComponent base;
    WwProvided activity;
    /* what the test may set */
    bool active;
    /* what it may look at */
    uint32_t asked;
} WwFakeActivity;

/** The type `fake.activity`. */
WW_API extern const WwType ww_fake_activity_type;
