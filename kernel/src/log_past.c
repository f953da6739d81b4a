/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: lines of turns that were slept through. What tells the same cycle after cycle would have a turn in each to do so; in a window it
 * sleeps, and its lines are written when it is settled: before its next turn, or when the window is over. They differ in the cycle alone, and are
 * pieces of past ticks in their writer's place, which the merge puts where they belong. Only who has a place of its own may: what else is written in
 * its place would have to be put before or behind. After a window it is woken, since lines outside of windows go to the log at once.
 */
#include "log-priv.h"
#include "stages-priv.h"
#include "turn-priv.h"
#include <string.h>

static __attribute__((noinline)) LogLater *add_later(LogText *t)
{
    if (t->n_later == t->room_later) {
        t->later = ww_vec_grow(t->later, &t->room_later, sizeof *t->later);
    }
    return &t->later[t->n_later++];
}

bool ww_log_later(void)
{
    const WwPartition *p = ww_acting;
    const Turn *at = p != NULL ? p->at : NULL;
    if (at == NULL || at->inner != NULL || at->share == NULL || at->member->tick == NULL ||
        at->settles == 0) {
        return false;
    }
    LogText *t = &p->machine->host->log->of[p->index];
    LogLater *l = t->later, *end = l + t->n_later;
    while (l != end && l->turn != at) {
        l++;
    }
    if (l == end) {
        l = add_later(t);
    }
    *l = (LogLater){at, at->member->turns};
    return true;
}

/* Edges of a domain in the window that is open, by number. */
typedef struct Edges {
    const uint16_t *tick;
    const WwCycle *time; /* Of the lines, by tick. */
    uint32_t from, end;
} Edges;

/* The last @p n edges of the turn in progress, without those that the filter leaves out by their cycle. */
static Edges past_edges(const WwPartition *p, const WwComponent *c, uint64_t n, int64_t unit)
{
    const WwMachine *m = p->machine;
    const uint32_t lane = m->clock.lane_of[p->at->domain];
    const WwClockTicks *at = &m->window.at;
    uint32_t over = (uint32_t)(at->cycle[lane][p->done] - at->cycle[lane][0]);
    Edges e = {.tick = at->tick[lane],
               .time = m->window.time[c->domain->index],
               .from = over - (uint32_t)MIN(n, over),
               .end = over};
    while (e.from < e.end && !ww_log_in_bounds(m, ww_log_core_in(c, e.tick[e.from]), unit)) {
        e.from++;
    }
    while (e.from < e.end && !ww_log_in_bounds(m, ww_log_core_in(c, e.tick[e.end - 1]), unit)) {
        e.end--;
    }
    return e;
}

void ww_log_past(const void *self, uint64_t n, const WwEventRow *row, int64_t unit,
                 const uint64_t *values, uint32_t n_values)
{
    const WwComponent *c = self;
    const WwPartition *p = ww_acting;
    if (p == NULL || !(c->logged & (WW_LOGGED | WW_LOGGED_IF))) {
        return;
    }
    LogText *t = &c->machine->host->log->of[p->index];
    Edges e = past_edges(p, c, n, unit);
    for (uint32_t i = e.from; i < e.end; i++) {
        uint32_t tick = e.tick[i];
        ww_log_past_line(t, c, tick, e.time[tick], row, unit, values, n_values);
    }
}

static void tell(WwMachine *m, WwPartition *p, LogText *t)
{
    ww_set_times(m, p, m->window.at.n);
    p->done = m->window.at.n;
    ww_act(m, p);
    for (uint32_t i = 0; i < t->n_later; i++) {
        const Turn *at = p->at = t->later[i].turn;
        Member *k = at->member;
        if (k->turns == t->later[i].turns) {
            ww_catch_up(k, &at->settles, 1, *at->cycle);
            k->turns = *at->cycle;
            ww_wake(&k->entry->wake);
        }
    }
    t->n_later = 0;
    p->at = NULL;
    ww_act_no_more();
}

void ww_log_tell(WwMachine *m)
{
    Log *l = m->host->log;
    for (uint32_t i = 0; i < l->n_of; i++) {
        if (l->of[i].n_later != 0) {
            tell(m, &m->partition[i], &l->of[i]);
        }
    }
}
