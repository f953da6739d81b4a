/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What an instruction can say about itself: names of its category and space, addresses of its
 * lanes.
 *
 * ww_addr_expand() runs once for each executed memory instruction (a third of all, roughly); it
 * walks only the active lanes.
 */
#include <ports/inst.h>

#include <string.h>

const char *ww_op_name(WwOp op)
{
    static const char *const names[WW_N_OPS] = {
        [WW_OP_ALU] = "ALU",         [WW_OP_INT] = "INT",         [WW_OP_SP] = "SP",
        [WW_OP_DP] = "DP",           [WW_OP_SFU] = "SFU",         [WW_OP_TENSOR] = "TENSOR",
        [WW_OP_LOAD] = "LOAD",       [WW_OP_STORE] = "STORE",     [WW_OP_BARRIER] = "BARRIER",
        [WW_OP_MEMBAR] = "MEMBAR",   [WW_OP_EXIT] = "EXIT",       [WW_OP_BRANCH] = "BRANCH",
        [WW_OP_CALL] = "CALL",       [WW_OP_RET] = "RET",         [WW_OP_SPEC1] = "SPEC1",
        [WW_OP_SPEC1 + 1] = "SPEC2", [WW_OP_SPEC1 + 2] = "SPEC3", [WW_OP_SPEC1 + 3] = "SPEC4",
        [WW_OP_SPEC1 + 4] = "SPEC5", [WW_OP_SPEC1 + 5] = "SPEC6", [WW_OP_SPEC1 + 6] = "SPEC7",
        [WW_OP_SPEC8] = "SPEC8",
    };
    return (unsigned)op < WW_N_OPS ? names[op] : "?";
}

const char *ww_sub_op_name(WwSubOp op)
{
    static const char *const names[WW_N_SUB_OPS] = {
        [WW_SUB_INT] = "int",         [WW_SUB_SP] = "sp",
        [WW_SUB_HALF] = "half",       [WW_SUB_PREDICATE] = "predicate",
        [WW_SUB_UNIFORM] = "uniform", [WW_SUB_TENSOR] = "tensor",
        [WW_SUB_BRANCH] = "branch",   [WW_SUB_CALL] = "call",
        [WW_SUB_RET] = "ret",         [WW_SUB_EXIT] = "exit",
        [WW_SUB_MISC] = "misc",       [WW_SUB_BARRIER] = "barrier",
        [WW_SUB_DEPBAR] = "depbar",   [WW_SUB_ASYNC] = "async",
        [WW_SUB_SFU] = "sfu",         [WW_SUB_DP] = "dp",
        [WW_SUB_QUEUED] = "queued",   [WW_SUB_LOAD] = "load",
        [WW_SUB_STORE] = "store",     [WW_SUB_OTHER] = "other",
        [WW_SUB_MEMBAR] = "membar",   [WW_SUB_TEXTURE] = "texture",
        [WW_SUB_SURFACE] = "surface",
    };
    return op < WW_N_SUB_OPS ? names[op] : "?";
}

const WwEventWord *ww_space_word(WwSpace space)
{
    static const WwEventWord words[WW_N_SPACES + 1] = {
        [WW_SPACE_NONE] = WW_WORD("none"),   [WW_SPACE_GLOBAL] = WW_WORD("global"),
        [WW_SPACE_LOCAL] = WW_WORD("local"), [WW_SPACE_SHARED] = WW_WORD("shared"),
        [WW_SPACE_CONST] = WW_WORD("const"), [WW_SPACE_GENERIC] = WW_WORD("generic"),
        [WW_N_SPACES] = WW_WORD("?"),
    };
    return &words[MIN((unsigned)space, WW_N_SPACES)];
}

const char *ww_space_name(WwSpace space)
{
    return ww_space_word(space)->text;
}

/* Does every lane get an address? */
static bool gives_all(const WwAddrBlock *block, uint32_t mask)
{
    if (block == NULL || mask != UINT32_MAX) {
        return false;
    }
    return block->mode == WW_ADDR_STRIDE ||
           (block->mode == WW_ADDR_LIST && block->n >= WW_WARP_SIZE) ||
           (block->mode == WW_ADDR_DELTA && block->n >= WW_WARP_SIZE - 1);
}

static void expand_list(const WwAddrBlock *block, uint32_t mask, uint64_t *out)
{
    const int64_t *value = ww_addr_values(block);
    uint32_t k = 0;
    if (gives_all(block, mask)) {
        memcpy(out, value, sizeof *value * WW_WARP_SIZE);
        return;
    }
    for (uint32_t rest = mask; rest != 0 && k < block->n; rest &= rest - 1) {
        out[__builtin_ctz(rest)] = (uint64_t)value[k++];
    }
}

/** A stride covers one run of active lanes; the tracer never writes a second one, and a reader
 * gives it 0. */
static void expand_stride(const WwAddrBlock *block, uint32_t mask, uint64_t *out)
{
    uint64_t address = block->base, stride = (uint64_t)block->stride;
    if (mask == UINT32_MAX) {
        for (uint32_t lane = 0; lane < WW_WARP_SIZE; lane++) {
            out[lane] = address + lane * stride;
        }
        return;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    for (; lane < WW_WARP_SIZE && (mask >> lane & 1) != 0; lane++) {
        out[lane] = address;
        address += stride;
    }
}

static void expand_delta(const WwAddrBlock *block, uint32_t mask, uint64_t *out)
{
    const int64_t *value = ww_addr_values(block);
    uint64_t address = block->base;
    uint32_t k = 0;
    if (gives_all(block, mask)) {
        out[0] = address;
        for (uint32_t lane = 1; lane < WW_WARP_SIZE; lane++) {
            address += (uint64_t)value[lane - 1];
            out[lane] = address;
        }
        return;
    }
    out[__builtin_ctz(mask)] = address;
    for (uint32_t rest = mask & (mask - 1); rest != 0 && k < block->n; rest &= rest - 1) {
        address += (uint64_t)value[k++];
        out[__builtin_ctz(rest)] = address;
    }
}

void ww_addr_expand(const WwAddrBlock *block, uint32_t mask, uint64_t out[WW_WARP_SIZE])
{
    if (!gives_all(block, mask)) {
        memset(out, 0, WW_WARP_SIZE * sizeof *out);
    }
    if (block == NULL || mask == 0) {
        return;
    }
    switch ((WwAddrMode)block->mode) {
    case WW_ADDR_LIST:
        expand_list(block, mask, out);
        break;
    case WW_ADDR_STRIDE:
        expand_stride(block, mask, out);
        break;
    case WW_ADDR_DELTA:
        expand_delta(block, mask, out);
        break;
    }
}

uint64_t ww_addr_first(const WwAddrBlock *block, uint32_t mask)
{
    if (block == NULL || mask == 0) {
        return 0;
    }
    if (block->mode == WW_ADDR_LIST) {
        return block->n > 0 ? (uint64_t)ww_addr_values(block)[0] : 0;
    }
    return block->base;
}
