/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The hierarchical timing wheel: see wheel-priv.h for the design and what it costs.
 *
 * At 100,000 pending events the cost is cache misses on the events themselves: one each time an
 * event moves. Cascading therefore asks for the next event of the list before it places the current
 * one.
 */
#include "wheel-priv.h"

#include <string.h>

/**
 * How far an event is moved forward from the end of its slot before the slot is left to be sorted
 * instead.
 */
enum { WALK = 8 };

static inline bool before(const WwEvent *a, const WwEvent *b)
{
    return a->priority != b->priority ? a->priority < b->priority : a->sequence < b->sequence;
}

/** Slot for @p cycle: the level of the highest byte in which it differs from now. */
static inline uint32_t slot_of(const WwWheel *w, WwCycle cycle)
{
    WwCycle apart = cycle ^ w->now;
    if (apart < WW_WHEEL_SLOTS) {
        return cycle & (WW_WHEEL_SLOTS - 1);
    }
    uint32_t level = (uint32_t)(63 - __builtin_clzll(apart)) >> 3;
    if (level >= WW_WHEEL_LEVELS) {
        return WW_WHEEL_OVERFLOW;
    }
    return level * WW_WHEEL_SLOTS + ((cycle >> (8 * level)) & (WW_WHEEL_SLOTS - 1));
}

static inline bool is_occupied(const WwWheel *w, uint32_t s)
{
    return (w->occupied[s >> 6] >> (s & 63)) & 1;
}

static inline void set_occupied(WwWheel *w, uint32_t s)
{
    w->occupied[s >> 6] |= 1ull << (s & 63);
    w->summary |= 1u << (s >> 6);
}

static inline void set_empty(WwWheel *w, uint32_t s)
{
    w->occupied[s >> 6] &= ~(1ull << (s & 63));
    if (w->occupied[s >> 6] == 0) {
        w->summary &= ~(1u << (s >> 6));
    }
    if (s < WW_WHEEL_SLOTS) {
        w->unsorted[s >> 6] &= ~(1ull << (s & 63));
    }
}

/**
 * Puts @p e, which orders before the last event of level-0 slot @p s, where it belongs or at least
 * into the slot.
 */
static void add_out_of_order(WwWheel *w, uint32_t s, WwEvent *e)
{
    WwEvent *at = w->slot[s].last;
    bool sorted = !((w->unsorted[s >> 6] >> (s & 63)) & 1);
    for (int i = 0; sorted && i < WALK && at != NULL && before(e, at); i++) {
        at = at->prev;
    }
    if (sorted && at == NULL) {
        e->prev = NULL;
        e->next = w->slot[s].first;
        e->next->prev = e;
        w->slot[s].first = e;
        return;
    }
    if (!sorted || before(e, at)) {
        at = w->slot[s].last;
        w->unsorted[s >> 6] |= 1ull << (s & 63);
    }
    e->prev = at;
    e->next = at->next;
    at->next = e;
    if (e->next != NULL) {
        e->next->prev = e;
    } else {
        w->slot[s].last = e;
    }
}

static inline void place(WwWheel *w, WwEvent *e)
{
    uint32_t s = slot_of(w, e->cycle);
    WwWheelSlot *slot = &w->slot[s];
    e->slot = s + 1;
    if (!is_occupied(w, s)) {
        e->prev = e->next = NULL;
        slot->first = slot->last = e;
        set_occupied(w, s);
        if (s >= WW_WHEEL_SLOTS) {
            w->least[s - WW_WHEEL_SLOTS] = e->cycle;
        }
        return;
    }
    if (s >= WW_WHEEL_SLOTS) {
        /* An unknown minimum (0) stays unknown: nothing is less than it. */
        WwCycle *least = &w->least[s - WW_WHEEL_SLOTS];
        if (e->cycle < *least) {
            *least = e->cycle;
        }
    } else if (G_UNLIKELY(before(e, slot->last))) {
        add_out_of_order(w, s, e);
        return;
    }
    e->prev = slot->last;
    e->next = NULL;
    slot->last->next = e;
    slot->last = e;
}

void ww_wheel_init(WwWheel *wheel)
{
    memset(wheel, 0,
           offsetof(WwWheel, least)); /* the rest means nothing while no slot is occupied */
}

void ww_wheel_clear(WwWheel *wheel)
{
    for (uint32_t s = 0; wheel->n != 0 && s <= WW_WHEEL_OVERFLOW; s++) {
        WwEvent *next = is_occupied(wheel, s) ? wheel->slot[s].first : NULL;
        while (next != NULL) {
            WwEvent *e = next;
            next = e->next;
            e->slot = 0;
            e->next = e->prev = NULL;
        }
    }
    ww_wheel_init(wheel);
}

void ww_wheel_add(WwWheel *wheel, WwEvent *event)
{
    ww_assert(event->slot == 0 && event->cycle >= wheel->now);
    wheel->n++;
    place(wheel, event);
}

void ww_wheel_remove(WwWheel *wheel, WwEvent *event)
{
    ww_assert(event->slot != 0);
    uint32_t s = event->slot - 1;
    WwWheelSlot *slot = &wheel->slot[s];
    if (event->prev != NULL) {
        event->prev->next = event->next;
    } else {
        slot->first = event->next;
    }
    if (event->next != NULL) {
        event->next->prev = event->prev;
    } else {
        slot->last = event->prev;
    }
    if (slot->first == NULL) {
        set_empty(wheel, s);
    } else if (s >= WW_WHEEL_SLOTS && event->cycle == wheel->least[s - WW_WHEEL_SLOTS]) {
        wheel->least[s - WW_WHEEL_SLOTS] = 0;
    }
    event->slot = 0;
    event->next = event->prev = NULL;
    wheel->n--;
}

/**
 * Merges two sorted lists linked by next only; ties cannot occur between distinct sequences, @p a
 * goes first.
 */
static WwEvent *merge(WwEvent *a, WwEvent *b)
{
    WwEvent *head = NULL;
    WwEvent **tail = &head;
    while (a != NULL && b != NULL) {
        WwEvent **from = before(b, a) ? &b : &a;
        *tail = *from;
        tail = &(*from)->next;
        *from = (*from)->next;
    }
    *tail = a != NULL ? a : b;
    return head;
}

/**
 * Sorts a level-0 slot: a merge sort over the runs that are sorted already, bin[i] holding 2^i of
 * them.
 */
static void sort_slot(WwWheel *w, uint32_t s)
{
    WwEvent *bin[64] = {NULL};
    WwEvent *rest = w->slot[s].first;
    while (rest != NULL) {
        WwEvent *run = rest;
        WwEvent *last = run;
        while (last->next != NULL && !before(last->next, last)) {
            last = last->next;
        }
        rest = last->next;
        last->next = NULL;
        unsigned i = 0;
        for (; bin[i] != NULL; i++) {
            run = merge(bin[i], run);
            bin[i] = NULL;
        }
        bin[i] = run;
    }
    WwEvent *all = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(bin); i++) {
        all = merge(bin[i], all);
    }
    WwEvent *prev = NULL;
    w->slot[s].first = all;
    for (WwEvent *e = all; e != NULL; e = e->next) {
        e->prev = prev;
        prev = e;
    }
    w->slot[s].last = prev;
    w->unsorted[s >> 6] &= ~(1ull << (s & 63));
}

WwEvent *ww_wheel_peek(WwWheel *wheel)
{
    uint32_t s = wheel->now & (WW_WHEEL_SLOTS - 1);
    if (!is_occupied(wheel, s)) {
        return NULL;
    }
    if (G_UNLIKELY((wheel->unsorted[s >> 6] >> (s & 63)) & 1)) {
        sort_slot(wheel, s);
    }
    return wheel->slot[s].first;
}

WwEvent *ww_wheel_pop(WwWheel *wheel)
{
    WwEvent *e = ww_wheel_peek(wheel);
    if (e == NULL) {
        return NULL;
    }
    uint32_t s = e->slot - 1;
    wheel->slot[s].first = e->next;
    if (e->next != NULL) {
        e->next->prev = NULL;
    } else {
        set_empty(wheel, s);
    }
    e->slot = 0;
    e->next = NULL;
    wheel->n--;
    return e;
}

/** Takes a whole slot and places its events again, in order, now that they are nearer. */
static void move_down(WwWheel *w, uint32_t s)
{
    if (!is_occupied(w, s)) {
        return;
    }
    WwEvent *next = w->slot[s].first;
    set_empty(w, s);
    while (next != NULL) {
        WwEvent *e = next;
        next = e->next;
        __builtin_prefetch(next, 1);
        place(w, e);
    }
}

void ww_wheel_cascade(WwWheel *wheel, WwCycle was)
{
    if (wheel->n == 0) {
        return;
    }
    /* From the top: what leaves a high slot may land in the very slot that the next level then
     * moves on. */
    WwCycle apart = was ^ wheel->now;
    if (apart >> (8 * WW_WHEEL_LEVELS) != 0) {
        move_down(wheel, WW_WHEEL_OVERFLOW);
    }
    for (uint32_t level = WW_WHEEL_LEVELS - 1; level > 0; level--) {
        if (apart >> (8 * level) != 0) {
            uint32_t at = (wheel->now >> (8 * level)) & (WW_WHEEL_SLOTS - 1);
            move_down(wheel, level * WW_WHEEL_SLOTS + at);
        }
    }
}

WwCycle ww_wheel_next(WwWheel *wheel)
{
    if (wheel->summary == 0) {
        return WW_NEVER;
    }
    uint32_t word = (uint32_t)__builtin_ctz(wheel->summary);
    uint32_t s = word * 64 + (uint32_t)__builtin_ctzll(wheel->occupied[word]);
    if (s < WW_WHEEL_SLOTS) {
        return (wheel->now & ~(WwCycle)(WW_WHEEL_SLOTS - 1)) | s;
    }
    WwCycle *least = &wheel->least[s - WW_WHEEL_SLOTS];
    if (*least == 0) {
        WwCycle found = WW_NEVER;
        for (const WwEvent *e = wheel->slot[s].first; e != NULL; e = e->next) {
            found = MIN(found, e->cycle);
        }
        *least = found;
    }
    return *least;
}
