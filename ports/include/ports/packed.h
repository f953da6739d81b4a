/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The instructions of one warp in few bytes, for warps that have very many.
 *
 * Workload: 10^4 to 10^8 instructions, written once, then read once from the first to the last by whoever runs the
 * warp. Programs loop: the instruction that followed this one last time follows it again, on the same lanes, at
 * addresses that move on by the same step. Only what differs from that is written down, so that a loop costs a byte or
 * two an iteration, and an address that nobody could guess what its text in the trace costs.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/heap.h>

/** Packed instructions of one warp, and where their reader is. */
typedef struct WwPacked WwPacked;

/** An empty one, in memory of @p heap. Free with ww_packed_free(). */
WW_API WwPacked *ww_packed_new(WwHeap *heap);
/** Gives its memory back to its heap; @p packed may be NULL. */
WW_API void ww_packed_free(WwPacked *packed);

/**
 * Appends @p n instructions, whose address blocks stand in @p arena (see WwTinst.addr). Not after
 * ww_packed_start().
 */
WW_API void ww_packed_add(WwPacked *packed, const WwTinst *inst, uint32_t n, const uint64_t *arena);

/** Begins to read, or begins again. */
WW_API void ww_packed_start(WwPacked *packed);

/**
 * The next instruction into @p out, its addresses into @p room; out->addr is 1 if it has any, else 0. False at the
 * end.
 */
WW_API bool ww_packed_next(WwPacked *packed, WwTinst *out, WwAddrRoom *room);

/** The instruction that ww_packed_next() gives next (its `sinst`); UINT32_MAX at the end. */
WW_API uint32_t ww_packed_peek(const WwPacked *packed);

/** Goes back by @p n instructions, at most WW_PACKED_BACK. */
WW_API void ww_packed_back(WwPacked *packed, uint32_t n);
/** How far ww_packed_back() goes: an i-buffer (WW_IBUFFER), which is what a warp is rewound by. */
#define WW_PACKED_BACK 2u

/** Bytes that it holds. */
WW_API size_t ww_packed_bytes(const WwPacked *packed);
