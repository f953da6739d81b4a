/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `pcs`: keeps what it is told. */
#pragma once

#include <ports/pcs.h>

/** Keeps figures of instructions, of all of them in one row; nothing to set. */
typedef struct WwFakePcs {
    WwComponent base;
    WwProvided pcs;
    WwPcsBook book;
    WwPcsRow row; /* of all instructions: what is written into it from outside */
    WwPcsKernel kernel;
    /* what the test may look at, of what comes in calls */
    uint32_t launched, retired, issued;
    uint32_t transactions, conflicts;
    uint32_t l1, l1_hits, l2, l2_hits, done;
    WwCycle latency; /* of all together */
} WwFakePcs;

/** The type `fake.pcs`. */
extern const WwType ww_fake_pcs_type;
