/* SPDX-License-Identifier: Apache-2.0 */
/** @file Interface contract `icache`: where the fetch unit gets its instructions from. */
#pragma once

#include <warpwright/component.h>

typedef enum WwFetchResult {
    WW_FETCH_HIT,
    WW_FETCH_MISS, /**< Comes later: see ready(). */
    WW_FETCH_FAIL, /**< No resources: try again. */
} WwFetchResult;

/** Where code begins in the memory map: what a fetch of pc asks the memory for is this and the pc (reference: PROGRAM_MEM_START). */
#define WW_PROGRAM_START 0xF0000000u

typedef struct WwICacheIf {
    /** Asks for the instructions at @p pc for @p warp. */
    WwFetchResult (*access)(void *self, uint32_t warp, uint64_t pc);
    /** A miss that has come back: its warp into @p warp (and forgotten), or false. Wakes the caller when one comes. */
    bool (*take)(void *self, uint32_t *warp);
    /**
     * The end of a fetch turn, whatever happened in it: the cache's own cycle. NULL, with the two below: the cache has none, and need
     * not be called.
     */
    void (*cycle)(void *self);
    /** Must cycle() be called at the end of the next turn? If not the caller may sleep. */
    bool (*busy)(void *self);
    /** Accounts for @p n turns that were slept through. */
    void (*settle)(void *self, uint64_t n);
} WwICacheIf;
WW_API extern const WwContract ww_contract_icache;
#define WW_ICACHE(port) ((const WwICacheIf *)(port)->table)
