/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log at the end of a window. What a partition wrote in one turn is a piece; each has its pieces in the order of ticks and places.
 * Those of all are sorted by counting, by place and then by tick, which leaves what is equal in the order of partitions: the same lines as if
 * they all had run tick by tick. A piece is touched twice, whatever their number, and its lines are told once.
 */
#include "log-priv.h"
#include <string.h>

typedef struct Extent {
    uint32_t n; /* With gaps. */
    uint32_t ticks, places;
} Extent;

static Extent extent_of(const Log *l, const LogText *of)
{
    Extent e = {0};
    for (uint32_t i = 0; i < l->n_of; i++) {
        const LogText *t = &of[i];
        if (t->n_pieces != 0) {
            e.n += t->n_pieces;
            e.ticks = MAX(e.ticks, t->last_tick + 1);
            e.places = MAX(e.places, t->last_place + 1);
        }
    }
    return e;
}

static __attribute__((noinline)) void make_room(Log *l, Extent e)
{
    if (l->room_sorted < e.n) {
        l->room_sorted = 2 * (size_t)e.n;
        l->sorted = g_renew(LogSorted, l->sorted, 2 * l->room_sorted + LOG_AHEAD);
    }
    size_t counts = (size_t)e.ticks + e.places;
    if (l->room_count < counts) {
        l->room_count = 2 * counts;
        l->count = g_renew(uint32_t, l->count, l->room_count);
    }
    memset(l->count, 0, counts * sizeof *l->count);
}

static void count(const Log *l, const LogText *of, uint32_t *of_place, uint32_t *of_tick)
{
    for (uint32_t i = 0; i < l->n_of; i++) {
        const LogPiece *end = of[i].piece + of[i].n_pieces;
        for (const LogPiece *p = of[i].piece; p != end; p++) {
            if (G_LIKELY(p->tick != NO_TICK)) {
                of_place[p->place]++;
                of_tick[p->tick]++;
            }
        }
    }
}

/* From how many there are of each to where the first of each goes. Returns how many there are. */
static uint32_t add_up(uint32_t *count, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t here = count[i];
        count[i] = sum;
        sum += here;
    }
    return sum;
}

static void sort_by_place(const Log *l, LogText *of, LogSorted *to, uint32_t *at)
{
    for (uint32_t i = 0; i < l->n_of; i++) {
        const LogPiece *end = of[i].piece + of[i].n_pieces;
        for (const LogPiece *p = of[i].piece; p != end; p++) {
            if (G_LIKELY(p->tick != NO_TICK)) {
                to[at[p->place]++] = (LogSorted){p->from, (uint32_t)(p[1].from - p->from), p->tick};
            }
        }
        ww_log_clear(&of[i]);
    }
}

static void sort_by_tick(const LogSorted *from, uint32_t n, LogSorted *to, uint32_t *at)
{
    for (const LogSorted *end = from + n; from != end; from++) {
        to[at[from->tick]++] = *from;
    }
}

static void put_aside(WwMachine *m, Log *l, LogText *t)
{
    WwCycle *told[WW_MAX_DOMAINS];
    for (uint32_t d = 0; d < WW_MAX_DOMAINS; d++) {
        told[d] = &l->told[d];
    }
    for (const LogPiece *p = t->piece, *end = p + t->n_pieces; p != end; p++) {
        if (p->tick != NO_TICK) {
            size_t n = (size_t)(p[1].from - p->from);
            ww_log_put_kept(l, &l->out, l->cycle, p->from, n, (LogTime){told, p->tick});
        }
        if (ww_log_bytes(&l->out) >= LOG_PIECE) {
            ww_log_write(m, l);
        }
    }
    ww_log_clear(t);
    ww_log_write(m, l);
}

void ww_log_sort(WwMachine *m, LogText *of)
{
    Log *l = m->host->log;
    put_aside(m, l, ww_log_aside(l, of));
    Extent e = extent_of(l, of);
    if (e.n == 0) {
        return;
    }
    make_room(l, e);
    uint32_t *of_place = l->count, *of_tick = of_place + e.places;
    LogSorted *by_place = l->sorted, *sorted = by_place + l->room_sorted;
    count(l, of, of_place, of_tick);
    add_up(of_place, e.places);
    uint32_t n = add_up(of_tick, e.ticks);
    sort_by_place(l, of, by_place, of_place);
    sort_by_tick(by_place, n, sorted, of_tick);
    ww_log_put_parts(m, l, sorted, n);
}

static __attribute__((noinline)) void more_times(Log *l, uint32_t n_domains, uint32_t n)
{
    g_free(l->time[0]);
    l->room_times = 2 * n;
    l->time[0] = g_new(WwCycle, (size_t)n_domains * l->room_times);
    for (uint32_t d = 1; d < n_domains; d++) {
        l->time[d] = l->time[d - 1] + l->room_times;
    }
}

/* The edges at the ticks of the window, and the one behind it: its lines are told in the next one. */
static void take_times(const WwMachine *m, Log *l)
{
    uint32_t n = m->window.at.n + 1;
    if (n > l->room_times) {
        more_times(l, m->n_domains, n);
    }
    for (uint32_t d = 0; d < m->n_domains; d++) {
        memcpy(l->time[d], m->window.time[d], n * sizeof *l->time[d]);
    }
}

void ww_log_sort_all(WwMachine *m, Log *l)
{
    ww_log_leave_aside(l);
    ww_log_take_chunks(&l->chunks);
    ww_log_sort(m, l->of);
    ww_log_give_chunks(&l->chunks);
}

void ww_log_hand_over(WwMachine *m, Log *l)
{
    ww_log_leave_aside(l);
    ww_scribe_wait(l);
    if (!ww_scribe_take(m, l)) {
        ww_log_sort_all(m, l);
    }
}

void ww_log_merge(WwMachine *m)
{
    ww_log_make(m);
    ww_log_tell(m);
    ww_scribe_wait(m->host->log);
    take_times(m, m->host->log);
    ww_log_hand_over(m, m->host->log);
}
