/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Instructions of any look: what payloads make random tokens from, and tests their own.
 */
#pragma once

#include <ports/inst.h>
#include <ports/tokens.h>
#include <warpwright/harness.h>

/** What an instruction of a test looks like; zero fields get sensible values (full mask, latency and interval 1). */
typedef struct WwTestInst {
    const char *opcode; /**< For texts only; default the name of `op`. */
    WwOp op;
    uint16_t flags;           /**< WW_INST_... ; LOAD / STORE are added for those categories. */
    uint8_t space;            /**< WwSpace */
    uint8_t width;            /**< Bytes a lane; default 4 for memory categories. */
    uint16_t dst;             /**< Register number + 1, 0: none. */
    uint16_t src[WW_MAX_SRC]; /**< Ends at the first 0. */
    uint16_t warp;
    uint8_t sched;
    uint32_t mask; /**< 0: all lanes (use `no_lanes` for none). */
    bool no_lanes;
    uint16_t latency, interval;
    uint64_t uid;
    uint64_t pc;
    uint64_t base; /**< Addresses: base + lane * stride. */
    int64_t stride;
    const struct WwTiming *timing; /**< Of a sub-core's instruction: copied. */
} WwTestInst;

/** An instruction owned by the harness. */
WW_API WwInst *ww_test_inst(WwHarness *h, const WwTestInst *what);
/** The static instruction of one that ww_test_inst() or a payload made, for whoever adapts it; no trace's. */
WW_API WwSinst *ww_test_sinst(WwInst *inst);
/** The same of what it takes in a sub-core: of one that a payload made, or with `timing`. */
WW_API struct WwTiming *ww_test_timing(WwInst *inst);
