/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `replacement`: which line of a set goes when another one comes. A cache (`cache.l1`, `cache.l2`) whose port `policy` is bound asks
 * what is bound there; else its parameter `replacement` decides. What may go at all is the cache's affair: lines whose data are under way may
 * not, modified ones only where it says so; and an INVALID one is taken without asking.
 */
#pragma once

#include <warpwright/component.h>

/** The most ways of a set: an adaptive carve-out may leave all lines of a cache in one. */
#define WW_MAX_WAYS 32768u

/**
 * A set: its lines are numbered `first` to `first` + `ways` - 1, so it is the set first / ways. When a cache's associativity changes (an adaptive
 * carve-out), lines keep their numbers and what they hold, and are of other sets.
 */
typedef struct WwCacheSet {
    uint32_t first;
    uint32_t ways; /**< At least 1, at most WW_MAX_WAYS. */
} WwCacheSet;

/** The rule by which lines of one cache are replaced. */
typedef struct WwReplacementIf {
    /** Before the first access: line numbers stay below @p lines, a number that does not change. For memory (ww_alloc()); after a reset what it took is still there. */
    void (*begin)(void *self, uint32_t lines);
    /**
     * The way of @p set that goes: one whose bit in @p may is set (bit w % 64 of word w / 64; at least one is). Asking has no effect: a miss that is
     * refused asks again, and what it is told may be another one then if there were accesses between.
     */
    uint32_t (*victim)(void *self, WwCacheSet set, const uint64_t *may);
    /** An access hit the line in way @p way, or found a sector of it under way or to be fetched. @p now: cycle of the cache's user, modulo 2^32. */
    void (*touched)(void *self, WwCacheSet set, uint32_t way, uint32_t now);
    /**
     * Way @p way is the line of address @p line from now on; the access that brings it is not told of besides. @p replaced: it was another one, which
     * victim() chose; else it was INVALID.
     */
    void (*filled)(void *self, WwCacheSet set, uint32_t way, uint64_t line, bool replaced,
                   uint32_t now);
} WwReplacementIf;
/** Port contract `replacement`: choice of the line to replace in a set. Nobody is woken. WW_REPLACEMENT(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_replacement;
#define WW_REPLACEMENT(port) ((const WwReplacementIf *)(port)->table)

/** Whether way @p way is one of @p may. */
static inline bool ww_way_may(const uint64_t *may, uint32_t way)
{
    return (may[way / 64] >> way % 64 & 1u) != 0;
}
