/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `icache`: where the fetch unit gets its instructions from. A provider with a cycle of its own has it as an owned
 * step, which the fetch unit runs at the end of each of its turns, whatever happened in it.
 */
#pragma once

#include <warpwright/component.h>

/** What came of asking for instructions. */
typedef enum WwFetchResult {
    WW_FETCH_HIT,  /**< Here they are. */
    WW_FETCH_MISS, /**< Comes later: see ready(). */
    WW_FETCH_FAIL, /**< No resources: try again. */
} WwFetchResult;

/** Where code begins in the memory map: what a fetch of pc asks the memory for is this and the pc (reference: PROGRAM_MEM_START). */
#define WW_PROGRAM_START 0xF0000000u

/** Where a fetch unit asks for instructions. */
typedef struct WwICacheIf {
    /** Asks for the instructions at @p pc for @p warp. */
    WwFetchResult (*access)(void *self, uint32_t warp, uint64_t pc);
    /** A miss that has come back: its warp into @p warp (and forgotten), or false. Wakes the caller when one comes. */
    bool (*take)(void *self, uint32_t *warp);
} WwICacheIf;
/** Port contract `icache`: instruction fetch. WW_ICACHE(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_icache;
#define WW_ICACHE(port) ((const WwICacheIf *)(port)->table)
