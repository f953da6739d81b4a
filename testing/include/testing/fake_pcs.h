/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `pcs`: keeps what it is told. */
#pragma once

#include <ports/pcs.h>

typedef struct WwFakePcs {
    WwComponent base;
    WwProvided pcs;
    WwPcsView view;
    /* what the test may look at */
    uint32_t launched, retired, issued;
    uint32_t state[WW_MAX_WARPS]; /* WwStall of each warp: what it was said to wait for, */
    WwCycle since[WW_MAX_WARPS];  /* and from when on */
    uint64_t lost[WW_N_STALLS];   /* slots */
    int32_t lost_warp;            /* that lost the last */
    uint64_t passed;
    uint32_t transactions, conflicts;
    uint32_t l1, l1_hits, l2, l2_hits, done;
    WwCycle latency; /* of all together */
    WwStall why;
} WwFakePcs;

extern const WwType ww_fake_pcs_type;
