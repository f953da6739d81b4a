/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `dependence`: warps are blocked, or not settled, when the test says so (never, at first); every call is counted.
 */
#pragma once

#include <ports/sub_core.h>

/** What keeps warps from issuing, by warp; counts calls. */
typedef struct WwFakeDependence {
    WwComponent base;
    WwProvided dependence;
    /* what the test may set */
    uint32_t blocks[WW_MAX_WARPS]; /**< WW_DEP_ bits. */
    WwCycle until[WW_MAX_WARPS];   /**< At least the next cycle is answered. */
    uint64_t pending;              /**< Warps that are not settled, nor idle. */
    /* what it may look at */
    uint32_t issued, sent, read, written, retired;
    const WwInst *last; /**< Of the last of these calls, */
    WwCycle cycle;      /**< in which it came. */
} WwFakeDependence;

/** The type `fake.dependence`. */
WW_API extern const WwType ww_fake_dependence_type;

/** From now on @p warp is blocked by @p bits, 0: by nothing, which wakes its `check` caller. */
WW_API void ww_fake_dependence_block(WwFakeDependence *f, uint32_t warp, uint32_t bits);
