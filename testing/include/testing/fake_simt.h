/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `simt`: every warp has the pc that the test gave it (0 at first: the end of
 * its trace). No warp is unsure until the test says what it expects.
 */
#pragma once

#include <ports/warps.h>

/** Pcs of warps that the test sets. */
typedef struct WwFakeSimt {
    WwComponent base;
    WwProvided simt;
    /* what the test may set */
    uint64_t pc[WW_MAX_WARPS];
    uint64_t expected[WW_MAX_WARPS];
    WwSimtView view;
    /* what it may look at */
    uint32_t asked;          /**< Calls of pc(), */
    uint32_t asked_expected; /**< and of expected(). */
} WwFakeSimt;

/** The type `fake.simt`. */
WW_API extern const WwType ww_fake_simt_type;

/** @p warp is unsure from now on and must issue @p pc next. */
WW_API void ww_fake_simt_expect(WwFakeSimt *f, uint32_t warp, uint64_t pc);
/** @p warp executes what its i-buffer holds. */
WW_API void ww_fake_simt_sure(WwFakeSimt *f, uint32_t warp);
