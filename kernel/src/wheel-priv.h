/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The hierarchical timing wheel of one clock domain: which WwEvent is due at which edge.
 *
 * Four levels of 256 slots; an event sits at the level of the highest byte in which its cycle
 * differs from @c now, and beyond 2^32 in one overflow list. So level 0 holds exactly the rest of
 * the current 256-edge block, one slot an edge, and whatever is in a lower level is earlier than
 * whatever is in a higher one. When @c now enters another block, the slot of that block moves down
 * (a cascade): each event moves at most four times in its life, and never early or late.
 *
 * Workload: mostly a handful pending at delays under a few thousand edges; up to 100,000 at delays
 * up to 10^6. Adding and cancelling are O(1). One bit per slot and one per 64 slots make "earliest
 * occupied slot" two count-trailing-zeros. An idle edge costs ww_wheel_due() and
 * ww_wheel_advance(): a load, a test and an increment each, 2 ns together. To schedule and fire an
 * event costs 26 to 35 ns with 100 pending, 100 to 200 ns with 100,000 at delays to 10^6, mostly
 * cache misses on the events (SystemC 2.3 on the same machine: 145 ns and 1140 ns or more).
 *
 * Order inside an edge is (priority, sequence). Callers nearly always add in that order, so a slot
 * is a plain list: an event that does not belong at its end is moved a few places forward, or the
 * slot is marked and sorted once, when due.
 */
#pragma once

#include <warpwright/event.h>

enum {
    WW_WHEEL_LEVELS = 4,
    WW_WHEEL_SLOTS = 256,
    WW_WHEEL_OVERFLOW = WW_WHEEL_LEVELS * WW_WHEEL_SLOTS, /**< The list beyond 2^32 edges. */
    WW_WHEEL_WORDS = WW_WHEEL_OVERFLOW / 64 + 1,
};

typedef struct WwWheelSlot {
    WwEvent *first, *last; /**< Meaningful only while the slot's bit is set. */
} WwWheelSlot;

typedef struct WwWheel {
    WwCycle now;                       /**< Edge that is running or runs next. */
    uint64_t n;                        /**< Events pending. */
    uint64_t occupied[WW_WHEEL_WORDS]; /**< A bit per slot. */
    uint32_t summary;                  /**< A bit per word of occupied[]. */
    /** Level 0: the slot must be sorted before it is popped. */
    uint64_t unsorted[WW_WHEEL_SLOTS / 64];
    /**
     * Earliest cycle in each occupied slot above level 0; 0: not known (no event up there has cycle 0). Kept
     * by adding, forgotten when the earliest is cancelled, found again only if somebody asks.
     */
    WwCycle least[WW_WHEEL_OVERFLOW + 1 - WW_WHEEL_SLOTS];
    WwWheelSlot slot[WW_WHEEL_OVERFLOW + 1];
} WwWheel;

/** An empty wheel at edge 0. The wheel is some 22 KiB and owns no memory. */
void ww_wheel_init(WwWheel *wheel);

/** Takes every pending event back and returns to edge 0. */
void ww_wheel_clear(WwWheel *wheel);

/**
 * Adds an event that is not pending; the caller has set cycle (not before wheel->now), priority and
 * sequence. O(1).
 */
void ww_wheel_add(WwWheel *wheel, WwEvent *event);

/** Takes a pending event back. O(1). */
void ww_wheel_remove(WwWheel *wheel, WwEvent *event);

/** Takes and returns the first event due at wheel->now in (priority, sequence) order, or NULL. */
WwEvent *ww_wheel_pop(WwWheel *wheel);

/** Returns what ww_wheel_pop() would, without taking it. */
WwEvent *ww_wheel_peek(WwWheel *wheel);

/**
 * The earliest pending cycle, or WW_NEVER. Exact and O(1), except after the earliest event of a far
 * slot was cancelled: then that slot is scanned once. Not const because the answer is remembered.
 */
WwCycle ww_wheel_next(WwWheel *wheel);

/** Out of line part of ww_wheel_advance(): now has left the 256-edge block of @p was. */
void ww_wheel_cascade(WwWheel *wheel, WwCycle was);

/** Is anything due at wheel->now? */
static inline bool ww_wheel_due(const WwWheel *wheel)
{
    return (wheel->occupied[(wheel->now >> 6) & 3] >> (wheel->now & 63)) & 1;
}

/** Moves now to @p to, one or many edges on; nothing pending may lie before @p to. */
static inline void ww_wheel_advance(WwWheel *wheel, WwCycle to)
{
    WwCycle was = wheel->now;
    wheel->now = to;
    if (G_UNLIKELY((was ^ to) >= WW_WHEEL_SLOTS)) {
        ww_wheel_cascade(wheel, was);
    }
}
