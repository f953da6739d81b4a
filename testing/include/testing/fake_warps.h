/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `warps`: hardware warps without a trace. The test puts instructions into
 * i-buffers and moves masks and counters; the fake keeps the masks consistent, causes the
 * contract's notices and counts every call.
 */
#pragma once

#include <ports/warps.h>

/** Calls seen, of one warp or of all. */
typedef struct WwFakeWarpsSeen {
    uint32_t launch, decode, fill, pop, drop, rewind, touch, retire;
    uint32_t leave, complete, release; /**< finish() with WW_END_PIPELINE, _COUNT, _RECORD, */
    uint32_t result, data;             /**< and _RESULT, _DATA. */
    uint32_t exited;                   /**< Lanes given to exit_lanes(). */
    int64_t stores, atomics;           /**< Sums of the deltas. */
} WwFakeWarpsSeen;

/** Hardware warps that the test fills and moves; counts calls. */
typedef struct WwFakeWarps {
    WwComponent base;
    uint32_t slots, schedulers; /* parameters */
    WwProvided warps;
    /* what the test may set */
    bool endless; /**< decode() makes instructions up when a warp's queue is empty (default). */
    /* what it may look at */
    WwFakeWarpsSeen seen[WW_MAX_WARPS], total;
    WwWarpLaunch launched;   /**< The last launch. */
    const WwInst *completed; /**< The last instruction completed, */
    const WwInst *released;  /**< and the last released (records stay with whoever made them). */
    uint32_t reg;            /**< Destination of the last that ended with WW_END_DATA. */
    WwWarpView view;
    WwWarp warp[WW_MAX_WARPS];
    /* its own */
    uint64_t uid;
    uint64_t shown; /**< Warps of which somebody said what they issue next. */
    uint32_t n_made;
    WwInst *head[WW_MAX_WARPS], *tail[WW_MAX_WARPS];
    WwInst made[256];
    WwSinst sinst; /**< Theirs. */
} WwFakeWarps;

/** The type `fake.warps`. */
WW_API extern const WwType ww_fake_warps_type;

/** Makes @p warp resident with @p lanes live. */
WW_API void ww_fake_warps_live(WwFakeWarps *f, uint32_t warp, uint32_t lanes);
/**
 * Gives @p warp (made live with all lanes if it is not) one more instruction. The first two go to
 * the i-buffer; whenever that becomes empty the next two follow at once. Wakes the warp's `issue`
 * caller.
 */
WW_API void ww_fake_warps_put(WwFakeWarps *f, uint32_t warp, WwInst *inst);
/**
 * Gives @p warp one more instruction for decode() to return: nothing enters the i-buffer by
 * itself.
 */
WW_API void ww_fake_warps_trace(WwFakeWarps *f, uint32_t warp, WwInst *inst);
/**
 * Sets the counters of @p warp and the masks that follow from them; wakes whom the contract says.
 */
WW_API void ww_fake_warps_set(WwFakeWarps *f, uint32_t warp, uint32_t in_pipeline, uint32_t stores,
                              uint32_t atomics);
