/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `ibuffer`: buffers that hold what the test puts into them, and fetches of consecutive pcs, a warp's own.
 */
#pragma once

#include <ports/sub_core.h>

/** Instruction buffers that the test fills; counts calls. */
typedef struct WwFakeIbuffer {
    WwComponent base;
    WwProvided ibuffer;
    /* what the test may set: the view's masks (`space` of all warps, at first), and */
    uint64_t pc[WW_MAX_WARPS]; /**< the next to be fetched (0 at first). */
    /* what it may look at */
    WwIbufferView view;
    uint32_t requests, refusals, decodes, pops, flushes;
    uint32_t warp; /**< Of the last of these calls, */
    uint64_t decoded_pc;
    uint32_t issuer;
    /* its own */
    WwInst *head[WW_MAX_WARPS], *tail[WW_MAX_WARPS];
} WwFakeIbuffer;

/** The type `fake.ibuffer`. */
WW_API extern const WwType ww_fake_ibuffer_type;

/** Gives @p warp one more instruction, with its timing; the first one is valid at once. Wakes the warp's `issue` caller. */
WW_API void ww_fake_ibuffer_put(WwFakeIbuffer *f, uint32_t warp, WwInst *inst);
/** Is there space in the buffer of @p warp? Wakes its `fetch` caller if so. */
WW_API void ww_fake_ibuffer_space(WwFakeIbuffer *f, uint32_t warp, bool space);
