/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A value that an entry point of one partition changes and one of another reads as it was at an edge: in a window (docs/kernel.md) the
 * reader may be behind the writer, never before it.
 */
#pragma once

#include <warpwright/ring.h>

/** A change: the value from an edge on. */
typedef struct WwChange {
    WwCycle from;
    uint64_t value;
} WwChange;

/** Changes that the reader has not passed, and the value before them. Embedded in the writer's and reader's common state. */
typedef struct WwPast {
    uint64_t value; /**< Before the first change. */
    WwChange *change;
    WwRing ring;
} WwPast;

/** For init: the past of a value of component @p self. */
WW_API void ww_past_init(WwPast *past, void *self);
/** For reset: the value is @p value, from the beginning. */
WW_API void ww_past_clear(WwPast *past, uint64_t value);
/** For the writer, in component @p self: the value is @p value from edge @p from on, later than at the change before. */
WW_API void ww_past_set(WwPast *past, void *self, WwCycle from, uint64_t value);

/** For the reader: the value at edge @p now, which never goes back. */
static inline uint64_t ww_past_at(WwPast *past, WwCycle now)
{
    while (past->ring.n != 0 && past->change[ww_ring_first(&past->ring)].from <= now) {
        past->value = past->change[ww_ring_take(&past->ring)].value;
    }
    return past->value;
}

/** For the reader, after ww_past_at(): the edge of the next change that is known; WW_NEVER: none is. */
static inline WwCycle ww_past_next(const WwPast *past)
{
    return past->ring.n != 0 ? past->change[ww_ring_first(&past->ring)].from : WW_NEVER;
}
