/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Counts over the instructions of a kernel or a whole trace, for `trace info` and `trace check`.
 */
#pragma once

#include "trace-priv.h"

#include <stdio.h>

typedef struct WwOpcodeCount {
    const char *opcode; /**< Without suffixes; owned by the tally. */
    uint64_t warp_insts;
} WwOpcodeCount;

typedef struct WwTally {
    uint64_t ctas;
    uint64_t warp_insts, thread_insts;
    uint64_t by_op[WW_N_OPS]; /**< Warp instructions. */
    uint64_t by_mode[3];      /**< Address blocks by mode. */
    uint64_t sinsts;          /**< Distinct instruction lines. */
    WwOpcodeCount *opcodes;   /**< Most frequent first, after ww_tally_kernel(). */
    uint32_t n_opcodes;
} WwTally;

void ww_tally_clear(WwTally *tally);

/** Reads every CTA of @p kernel (and, without max_ctas, the end of its file) and counts. */
bool ww_tally_kernel(WwTally *tally, WwTrace *trace, const WwKernel *kernel, GError **error);

/** Adds @p from to @p to; opcodes are not merged. */
void ww_tally_add(WwTally *to, const WwTally *from);

/** @p text as a JSON string. */
void ww_info_string(FILE *out, const char *text);
/** What a listing adds to kernel @p k, which was read whole (info_code.c). */
void ww_info_listing_json(FILE *out, const WwKernelReader *k);
void ww_info_listing_text(FILE *out, const WwKernelReader *k);
/** Its code, an instruction a line. */
void ww_info_code(FILE *out, const WwKernelReader *k);
