/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `coalescer`: from the lanes of a memory instruction to its transactions. An LD/ST unit (`ldst_unit`, `ldst_unit.linked`,
 * `ldst.shared`) whose port `coalescer` is bound asks what is bound there, once for each access to global or local memory that has active lanes;
 * else it has a rule of its own, whose parameters it says. Where local memory lies is the unit's affair in both cases, as is shared memory.
 */
#pragma once

#include <ports/tokens.h>
#include <warpwright/component.h>

/** The most transactions of an instruction: eight words of local memory in each of 32 lanes. */
#define WW_COALESCE_MAX (WW_WARP_SIZE * 8u)

/** Where the lanes of an instruction point to. */
typedef struct WwLanes {
    const uint64_t
        *addr;      /**< [32 * `words`], of lane i from i * `words` on; of active lanes alone. */
    uint32_t words; /**< Addresses of a lane: 1, or 2 to 8 aligned words of local memory. */
    uint32_t mask;  /**< Active lanes, at least one. */
    uint32_t width; /**< Bytes at each address: 1, 2, 4, 8, 16. */
    bool
        null_too; /**< An address of 0 is one like any other; false: a lane's addresses end there. */
    bool
        tail_only; /**< Beyond a segment's end only the bytes there count; false: as in the reference, as many as the whole access has. */
} WwLanes;

/** One transaction: what is asked of memory at once, all within a line of 128 bytes. */
typedef struct WwTransaction {
    uint64_t addr;    /**< First byte, a multiple of `size`. */
    WwByteMask bytes; /**< Bytes touched of the line. */
    uint32_t lanes;   /**< Lanes served. */
    uint8_t size;     /**< 32, 64 or 128 bytes. */
    uint8_t
        sectors; /**< Chunks of 32 bytes touched of the line, at least one of those between `addr` and its end, and no other. */
} WwTransaction;

/** A rule that makes transactions of lanes. */
typedef struct WwCoalescerIf {
    /**
     * Writes the transactions of @p inst, whose lanes point to @p lanes, to out[WW_COALESCE_MAX], in the order in which they leave, and
     * returns how many. One that serves a lane has the first byte at each of its addresses (of what crosses a sector the reference asks for no
     * more). What is wrong with an instruction is said with ww_fail_run(). Called once for each execution, in the turn of the LD/ST unit; @p inst, @p lanes and @p out are the caller's.
     */
    uint32_t (*coalesce)(void *self, const WwInst *inst, const WwLanes *lanes, WwTransaction *out);
    /** Bytes of the largest transaction that there may be: 32, 64 or 128. Fixed from init() on. */
    uint32_t (*most)(void *self);
} WwCoalescerIf;
/** Port contract `coalescer`: turns lanes into memory transactions. Nobody is woken. WW_COALESCER(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_coalescer;
#define WW_COALESCER(port) ((const WwCoalescerIf *)(port)->table)

/** The lanes of @p lanes that have an address, and so a transaction. */
static inline uint32_t ww_lanes_with_address(const WwLanes *lanes)
{
    uint32_t with = 0;
    for (uint32_t m = lanes->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        with |= lanes->null_too || lanes->addr[lane * lanes->words] != 0 ? m & -m : 0;
    }
    return with;
}

/**
 * What is wrong with @p t, one of @p lanes' transactions of at most @p most bytes; NULL: nothing. A constant: what was expected.
 */
static inline const char *ww_transaction_wrong(const WwTransaction *t, const WwLanes *lanes,
                                               uint32_t most)
{
    if ((t->size != 32 && t->size != 64 && t->size != 128) || t->size > most) {
        return "a size of 32, 64 or 128 bytes, no more than most() says";
    }
    if (t->addr % t->size != 0) {
        return "an address that is a multiple of the size";
    }
    uint32_t first = (uint32_t)(t->addr % 128u) / WW_SECTOR_BYTES;
    uint32_t within = ((1u << t->size / WW_SECTOR_BYTES) - 1u) << first;
    if (t->sectors == 0 || (t->sectors & ~within) != 0) {
        return "sectors of the line, those between its address and its end";
    }
    if (t->lanes == 0 || (t->lanes & ~lanes->mask) != 0) {
        return "lanes that are active";
    }
    return NULL;
}
