/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `simt`: every warp has the pc that the test gave it (0 at first: the end of
 * its trace).
 */
#pragma once

#include <ports/warps.h>

typedef struct WwFakeSimt {
    WwComponent base;
    WwProvided simt;
    /* what the test may set */
    uint64_t pc[WW_MAX_WARPS];
    /* what it may look at */
    uint32_t asked;
} WwFakeSimt;

WW_API extern const WwType ww_fake_simt_type;
