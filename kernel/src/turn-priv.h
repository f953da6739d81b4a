/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * One turn of an entry point, and of a block that is a member of another: what runs millions of times a second. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"

/** What runs in every turn is one function a block; GCC sees no reason to inline what calls itself in the end. */
#define WW_WALK static inline __attribute__((always_inline))

/** Number of the lowest bit of @p word, which is not 0. */
WW_WALK uint64_t ww_lowest(uint64_t word)
{
#ifdef __x86_64__ /* the compiler would clear the register first, and extend the sign of an int after */
    uint64_t i;
    __asm__("rep bsfq %1, %0" : "=r"(i) : "r"(word) : "cc");
    return i;
#else
    return (uint64_t)__builtin_ctzll(word);
#endif
}

/** Where the lines of the partition that has its turn go; NULL: it writes none the short way. */
extern __thread struct LogText *ww_log_acting __attribute__((tls_model("initial-exec")));
/** There is an event log: the same for it. */
void ww_log_act(WwMachine *m, const WwPartition *p);
void ww_log_act_no_more(void);

/** Partition @p p has its turn in a window. */
static inline void ww_act(WwMachine *m, WwPartition *p)
{
    ww_acting = p;
    if (G_UNLIKELY(m->events != NULL)) {
        ww_log_act(m, p);
    }
}

/** The turn is over. */
static inline void ww_act_no_more(void)
{
    ww_acting = NULL;
    if (G_UNLIKELY(ww_log_acting != NULL)) {
        ww_log_act_no_more();
    }
}

/** Accounts for the turns that entry point @p k slept through, if its type settles: if *@p settles has @p bit. */
WW_WALK void ww_catch_up(Member *k, const uint64_t *settles, uint64_t bit, uint64_t turn)
{
    if (turn != k->turns && (*settles & bit) != 0) {
        k->entry->settle(k->part, k->entry->row, turn - k->turns);
    }
}

/** One turn of one entry point, which has been accounted for all that were before. Does it want the next one? */
WW_WALK bool ww_run_entry(Member *k, uint64_t turn)
{
    k->turns = turn + 1;
    WwRest rest = k->tick(k->part);
    if (G_LIKELY(rest <= WW_AGAIN)) {
        return true;
    }
    if (rest != WW_SLEEP) {
        ww_rest(k->entry, rest);
    }
    return false;
}

WW_WALK void ww_run_block(WwMachine *m, Block *b, uint64_t turn)
{
    if (!b->closed) {
        ww_walk(m, b, b->has_gate ? b->domain->cycle - b->skipped : turn);
    }
}

/** The member of @p n that goes first in turn @p t, if they rotate from turn @p from on. */
WW_WALK uint32_t ww_goes_first(uint64_t t, uint64_t from, uint32_t n, bool wraps)
{
    return t < from ? 0 : (uint32_t)(wraps ? (t - from) & (n - 1) : (t - from) % n);
}

/** One turn of entry point @p k of plain block @p b; its bit @p bit has been taken off the word. */
WW_WALK void ww_run_member(Block *b, Member *k, uint64_t bit, uint64_t turn)
{
    b->ran++;
    ww_catch_up(k, b->settles, bit, turn);
    if (ww_run_entry(k, turn)) {
        *b->pub.due |= bit;
    }
}

/** A turn of a round of one member, bit @p i: @p times turns, as long as it is due. */
WW_WALK void ww_run_often(Block *b, uint64_t i, uint64_t turn, uint32_t times, bool all)
{
    uint64_t bit = 1ull << i, *const word = b->pub.due;
    Member *k = &b->first[i];
    b->at = (uint32_t)i;
    do {
        *word &= ~bit;
        ww_run_member(b, k, bit, turn);
        turn++;
    } while (--times != 0 && (all || (*word & bit) != 0));
}

/** One turn of each of the members @p open that is due, in order, those that become due meanwhile too. All are entry points. */
WW_WALK void ww_run_members(Block *b, uint64_t open, uint64_t turn)
{
    uint64_t due, *const word = b->pub.due;
    while ((due = *word & open) != 0) {
        uint64_t i = ww_lowest(due), bit = due & -due;
        Member *k = &b->first[i];
        open &= ~1ull << i; /* those behind it */
        *word ^= bit;
        b->at = (uint32_t)i;
        ww_run_member(b, k, bit, turn);
    }
}

/**
 * The same of all members of a block in which none are in a round. The bits of those that are due are taken off the word before the first one has
 * its turn: a word that is written and read again for each member is what the host would wait for.
 */
WW_WALK void ww_run_straight(Block *b, uint64_t turn)
{
    uint64_t now, due, open = b->mask, *const word = b->pub.due;
    const uint64_t first = *word & open;
    *word ^= first;
    while ((due = ((now = *word) | first) & open) != 0) {
        uint64_t i = ww_lowest(due), bit = due & -due;
        open &= ~1ull << i; /* those behind it */
        if (now & bit) {    /* it has been woken since */
            *word = now ^ bit;
        }
        b->at = (uint32_t)i;
        ww_run_member(b, &b->first[i], bit, turn);
    }
}

/**
 * The turns that round @p r has in turn @p turn of its block. A rotation begins with another member each time, in the first of them: then come
 * those behind it, and last those in front of it.
 */
WW_WALK void ww_run_round(Block *b, const Round *r, uint64_t turn, bool all)
{
    uint64_t own = turn * r->times, open = r->mask;
    if (r->rotates) {
        open &= r->mask << ww_goes_first(turn, r->from, r->n, r->wraps);
        ww_run_members(b, open, own);
        open ^= r->mask;
    }
    ww_run_members(b, open, own);
    for (uint32_t left = r->times - 1; left != 0 && (all || (*b->pub.due & r->mask) != 0); left--) {
        *b->pub.due |= all ? r->mask : 0;
        ww_run_members(b, r->mask, ++own);
    }
}

/**
 * The turns of members @p open of a block of one word: of those that are due, in order, those that become due meanwhile too. @p nested: some are
 * blocks. @p all: all have their turns, due or not.
 */
WW_WALK void ww_run_some(WwMachine *m, Block *b, uint64_t turn, uint64_t open, bool nested,
                         bool all)
{
    uint64_t due, *const word = b->pub.due;
    const uint64_t in_round = b->in_round;
    *word |= all ? open : 0;
    while ((due = *word & open) != 0) {
        uint64_t i = ww_lowest(due), bit = due & -due;
        if (bit & in_round) {
            const Round *r = &b->round[b->round_of[i]];
            open &= ~(r->mask | (r->mask - 1)); /* those behind it */
            if (r->n == 1) {
                ww_run_often(b, i, turn * r->times, r->times, all);
            } else {
                ww_run_round(b, r, turn, all);
            }
            continue;
        }
        Member *k = &b->first[i];
        open &= ~1ull << i; /* those behind it */
        *word ^= bit;
        b->at = (uint32_t)i;
        if (nested && k->tick == NULL) {
            ww_run_block(m, k->part, turn);
            continue;
        }
        ww_run_member(b, k, bit, turn);
    }
}

/** At the end of the turn of @p b closes the gate of its group, unless one behind it has a turn to come that does it. */
void ww_close_blocks(Block *b, WwCycle at);

/**
 * A turn of a block that lies open, with the turn number @p turn of the block around it. @p straight: a constant, it has no rounds. @p all: as of
 * a round.
 */
WW_WALK void ww_run_open(WwMachine *m, Block *b, uint64_t turn, bool straight, bool all)
{
    uint64_t own = b->has_gate ? b->domain->cycle - b->skipped : turn;
    b->walking = true;
    if (straight) {
        ww_run_straight(b, own);
    } else {
        ww_run_some(m, b, own, b->mask, false, all);
    }
    b->walking = false;
    if (G_UNLIKELY(b->closing)) {
        ww_close_blocks(b, b->domain->cycle + 1);
    }
}
