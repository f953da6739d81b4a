/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Calendars: which turns of a word of a partition are due at the next edges of a lane. See events.c. Private to kernel/src.
 */
#pragma once

#include <string.h>
#include <warpwright/component.h>

#define WW_DAYS 256u
#define WW_DAY_WORDS (WW_DAYS / 64)

typedef struct Calendar {
    uint64_t some[WW_DAY_WORDS]; /**< Edges at which there is one. */
    uint64_t day[WW_DAYS];       /**< By edge modulo WW_DAYS. */
    uint64_t *due;               /**< The word. */
    uint32_t word;               /**< Its number among the partition's. */
    struct Calendar *next; /**< Of a later word of the partition, for the same lane; NULL: none. */
} Calendar;

/** The earliest edge from @p from on in which something is noted in @p c itself, or WW_NEVER. All of it is at most WW_DAYS - 1 away. */
static inline WwCycle ww_next_day_of(const Calendar *c, WwCycle from)
{
    uint32_t w = from / 64 % WW_DAY_WORDS;
    uint64_t here = c->some[w] >> (from % 64);
    if (here != 0) {
        return from + (WwCycle)__builtin_ctzll(here);
    }
    for (uint32_t i = 1; i <= WW_DAY_WORDS; i++) {
        uint64_t some = c->some[(w + i) % WW_DAY_WORDS];
        if (some != 0) {
            return (from & ~(WwCycle)63) + 64 * i + (WwCycle)__builtin_ctzll(some);
        }
    }
    return WW_NEVER;
}

/** The same of @p c and of those behind it. */
static inline WwCycle ww_next_day(const Calendar *c, WwCycle from)
{
    WwCycle next = ww_next_day_of(c, from);
    while ((c = c->next) != NULL) {
        WwCycle other = ww_next_day_of(c, from);
        next = other < next ? other : next;
    }
    return next;
}

/** Turns @p turns are due at edge @p cycle. */
static inline void ww_note_day(Calendar *c, WwCycle cycle, uint64_t turns)
{
    c->day[cycle % WW_DAYS] |= turns;
    c->some[cycle / 64 % WW_DAY_WORDS] |= 1ull << (cycle % 64);
}

/** They are not, or have been told. */
static inline void ww_strike_day(Calendar *c, WwCycle cycle, uint64_t turns)
{
    uint64_t *day = &c->day[cycle % WW_DAYS];
    *day &= ~turns;
    if (*day == 0) {
        c->some[cycle / 64 % WW_DAY_WORDS] &= ~(1ull << (cycle % 64));
    }
}

/** What is noted in @p c for edge @p cycle, which is struck. */
static inline uint64_t ww_turn_day(Calendar *c, WwCycle cycle)
{
    uint64_t due = c->day[cycle % WW_DAYS];
    if (due != 0) {
        ww_strike_day(c, cycle, due);
    }
    return due;
}

/** Strikes all. */
static inline void ww_clear_days(Calendar *c)
{
    for (; c != NULL; c = c->next) {
        memset(c->some, 0, sizeof c->some);
        memset(c->day, 0, sizeof c->day);
    }
}
