/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One partition in a window: its ticks, one after the other, without a look at the others.
 *
 * Nearly all partitions have one word of turns, and nearly all SMs, networks and the like have domains that fire together: these go from
 * edge to edge. What costs something in a tick costs it hundreds of thousands of times a second.
 */
#include "stages-priv.h"
#include "turn-priv.h"

/* The partition's time is that of tick @p k, as far as its turns ask for it. */
static inline void set_time(const WwPartition *p, uint32_t k)
{
    const Time *t = p->time;
    *t->to = t->from[k];
    for (uint32_t left = p->n_times - 1; left != 0; left--) {
        t++;
        *t->to = t->from[k];
    }
}

void ww_set_times(const WwMachine *m, const WwPartition *p, uint32_t k)
{
    for (uint32_t d = 0; d < m->n_domains; d++) {
        p->moment.domain[d]->cycle = m->window.time[d][k];
    }
}

bool ww_busy(const WwPartition *p)
{
    for (uint32_t i = 0; i < p->n_runs; i++) {
        if ((*p->run[i].due & *p->run[i].live) != 0) {
            return true;
        }
    }
    return false;
}

static inline void enter_tick(const WwMachine *m, WwPartition *p, uint32_t k)
{
    p->done = k;
    p->moment.now.fired = m->window.domains[m->window.at.lanes[k]];
    set_time(p, k);
}

/* Fires the timed events of the tick, which are due. */
static void fire(WwPartition *p)
{
    p->moment.now.phase = WW_NOT_IN_TICK;
    p->at = NULL;
    ww_fire_events(p);
    p->event = WW_NOT_KNOWN;
}

/* Functions of their own, so that all that one needs from one entry point to the next stays in registers. */
static void __attribute__((noinline)) run_open(Block *b, uint64_t turn)
{
    ww_run_open(NULL, b, turn, false, false);
}
static void __attribute__((noinline)) run_straight(Block *b, uint64_t turn)
{
    ww_run_open(NULL, b, turn, true, false);
}

/* The turns @p turn of a word that are due and in @p open, in their order, those that become due meanwhile too. */
WW_WALK void take_turns_of(WwMachine *m, WwPartition *p, uint64_t *word, const uint64_t *live,
                           const Turn *turn, uint64_t open)
{
    uint64_t due;
    while ((due = *word & *live & open) != 0) {
        uint64_t i = ww_lowest(due), bit = due & -due;
        const Turn *t = &turn[i];
        p->at = t;
        p->moment.now.phase = t->phase;
        if (t->inner != NULL) {
            open &= -bit & ~t->inner->mask;
            p->rounds++;
            if (t->inner->in_round != 0) {
                run_open(t->inner, *t->cycle);
            } else {
                run_straight(t->inner, *t->cycle);
            }
            continue;
        }
        Member *k = t->member;
        uint64_t now = *t->cycle;
        open &= ~1ull << i; /* those behind it */
        *word ^= bit;
        if (G_UNLIKELY(k->tick == NULL)) {
            ww_run_block(m, k->part, now);
            continue;
        }
        p->ran++;
        ww_catch_up(k, &t->settles, 1, now);
        if (ww_run_entry(k, now)) {
            *word |= bit;
        }
    }
}

/* Those of words behind the first. */
static void __attribute__((noinline)) take_more_turns(WwMachine *m, WwPartition *p, uint32_t lanes)
{
    for (uint32_t i = 1; i < p->n_runs; i++) {
        const Run *r = &p->run[i];
        take_turns_of(m, p, r->due, r->live, r->turn, r->open[lanes]);
    }
}

/* The turns of the tick that the partition has entered. */
WW_WALK void take_turns(WwMachine *m, WwPartition *p, uint32_t lanes)
{
    take_turns_of(m, p, &p->word.due, &p->word.live, p->turn, p->run->open[lanes]);
    if (p->n_runs > 1) {
        take_more_turns(m, p, lanes);
    }
}

/* The tick is over, and the next one is not begun. */
static inline void rest_after_tick(WwPartition *p)
{
    p->moment.now.phase = WW_MAX_PHASES;
    ww_act_no_more();
}

/* It is held there, since it has posted something, or waits for its writers. */
static void stop_after_tick(WwPartition *p)
{
    p->hold = false;
    p->stopped = true;
    rest_after_tick(p);
}

static inline uint32_t event_tick(const WwMachine *m, WwPartition *p)
{
    return G_LIKELY(p->event != WW_NOT_KNOWN) ? p->event : ww_next_event_tick(m, p);
}

void ww_run_tick(WwMachine *m, WwPartition *p, uint32_t k)
{
    ww_act(m, p);
    p->moment.now.phase = WW_NOT_IN_TICK;
    p->at = NULL;
    enter_tick(m, p, k);
    fire(p); /* if there is anything */
    take_turns(m, p, m->window.at.lanes[k]);
    p->last = k + 1;
    p->hold = false;
    rest_after_tick(p);
}

/* Turns of words behind the first that are due: in any tick, and in those of lanes @p lanes. */
static inline uint64_t more_due(const WwPartition *p, uint32_t lanes, uint64_t *now)
{
    uint64_t due = 0;
    for (uint32_t i = 1; i < p->n_runs; i++) {
        const Run *r = &p->run[i];
        uint64_t turns = *r->due & *r->live;
        due |= turns;
        *now |= turns & r->open[lanes];
    }
    return due;
}

/* The partition has had its ticks before tick @p end. */
static inline void rest_until(const WwMachine *m, WwPartition *p, uint32_t end)
{
    ww_act_no_more();
    p->done = end;
    p->moment.now = (WwNow){.phase = WW_NOT_IN_TICK};
    ww_set_times(m, p, end);
}

/* See ww_run_on(). */
static void __attribute__((noinline)) run_words(WwMachine *m, WwPartition *p, uint32_t end)
{
    const uint8_t *lanes = m->window.at.lanes;
    uint32_t k = p->done + p->stopped;
    p->stopped = false;
    ww_act(m, p);
    while (k < end) {
        uint64_t due = p->word.due & p->word.live, now = due & p->run->open[lanes[k]];
        uint32_t event = event_tick(m, p);
        due |= more_due(p, lanes[k], &now);
        if (now == 0 && k != event) {
            k = due != 0 ? k + 1 : MIN(event, end);
            continue;
        }
        enter_tick(m, p, k);
        if (k == event) {
            fire(p);
        }
        take_turns(m, p, lanes[k]);
        p->last = ++k;
        if (G_UNLIKELY(p->hold)) {
            stop_after_tick(p);
            return;
        }
    }
    rest_until(m, p, end);
}

/* The number of edges of the partition's lane before tick @p k of the window. */
static inline uint32_t edges_before(const WwClockTicks *at, uint32_t lane, uint32_t k)
{
    return (uint32_t)(at->cycle[lane][k] - at->cycle[lane][0]);
}

/* What is noted for edge @p cycle is due. Is there anything? @p one: there is one word. */
WW_WALK bool turn_days(WwPartition *p, WwCycle cycle, bool one)
{
    uint64_t any = 0;
    for (Calendar *c = p->days; c != NULL; c = one ? NULL : c->next) {
        uint64_t noted = ww_turn_day(c, cycle);
        if (noted != 0) {
            *(one ? &p->word.due : c->due) |= noted;
            any |= noted;
        }
    }
    return any != 0;
}

/* See ww_run_on(): of a partition all of whose domains fire together. Its ticks are the edges of their lane, one after the other. @p one: see above. */
WW_WALK void run_edges(WwMachine *m, WwPartition *p, uint32_t end, bool one)
{
    const WwClockTicks *at = &m->window.at;
    const uint32_t lane = p->lane, until = edges_before(at, lane, end);
    const WwCycle from = at->cycle[lane][0];
    uint32_t e = edges_before(at, lane, p->done + p->stopped);
    p->stopped = false;
    p->moment.now.fired = m->clock.lane[lane].mask;
    ww_act(m, p);
    while (e < until) {
        const WwCycle cycle = from + e;
        const uint32_t k = at->tick[lane][e], event = event_tick(m, p);
        if (turn_days(p, cycle, one)) {
            p->last = k + 1; /* even if they are behind a closed gate: time went on for them */
        }
        uint64_t due = p->word.due & p->word.live, now;
        if (!one) {
            due |= more_due(p, 0, &now);
        }
        if (due == 0 && k != event) {
            WwCycle next = (one ? ww_next_day_of : ww_next_day)(p->days, cycle + 1) - from;
            e = event < end ? edges_before(at, lane, event) : until;
            e = (uint32_t)MIN(next, e);
            continue;
        }
        const Time *t = p->time;
        *t->to = cycle;
        if (p->n_times > 1) {
            *t[1].to = cycle;
            for (uint32_t i = 2; i < p->n_times; i++) {
                *t[i].to = cycle;
            }
        }
        p->done = k;
        if (k == event) {
            fire(p);
        }
        take_turns_of(m, p, &p->word.due, &p->word.live, p->turn, UINT64_MAX);
        if (!one) {
            take_more_turns(m, p, at->lanes[k]);
        }
        e++;
        p->last = k + 1;
        if (G_UNLIKELY(p->hold)) {
            stop_after_tick(p);
            return;
        }
    }
    rest_until(m, p, end);
}

void ww_run_on(WwMachine *m, WwPartition *p, uint32_t end)
{
    if (p->lane == NO_LANE) {
        run_words(m, p, end);
    } else if (G_LIKELY(p->n_runs == 1)) {
        run_edges(m, p, end, true);
    } else {
        run_edges(m, p, end, false);
    }
}
