/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log at the end of a window. What a partition wrote in one turn is a piece; each has its pieces in the order of ticks and places.
 * Those of all are sorted by counting, by place and then by tick, which leaves what is equal in the order of partitions: the same lines as if
 * they all had run tick by tick. A piece is touched twice, whatever their number, and its lines are copied once, by memmove(): of a memcpy() of
 * AT_MOST bytes the compiler makes a loop, which is slower than the library's.
 */
#include "log-priv.h"
#include <string.h>

#define AHEAD 6u      /* Pieces that are fetched into the cache before they are copied, */
#define FETCH 256u    /* as far as so many bytes. */
#define AT_ONCE 256u  /* Pieces for which room is made at once. */
#define AT_MOST 2048u /* Bytes that are copied at once. */

void ww_log_piece(LogText *t, const WwPartition *p)
{
    const Share *share = p->at != NULL ? p->at->share : NULL;
    if (G_UNLIKELY(t->n_pieces == t->room_pieces)) {
        t->piece = ww_vec_grow(t->piece, &t->room_pieces, sizeof *t->piece);
    }
    LogPiece *piece = &t->piece[t->n_pieces];
    *piece = (LogPiece){.tick = p->done,
                        .place = share != NULL ? share->of->place[share->member] + 1 : 0,
                        .at = t->n};
    t->n_pieces++;
    t->last_place = MAX(t->last_place, piece->place);
    t->turn = p->at;
    t->tick = p->done;
}

typedef struct Extent {
    uint32_t n, ticks, places;
} Extent;

static Extent extent_of(const Log *l, const LogText *of)
{
    Extent e = {0};
    for (uint32_t i = 0; i < l->n_of; i++) {
        const LogText *t = &of[i];
        if (t->n_pieces != 0) {
            e.n += t->n_pieces;
            e.ticks = MAX(e.ticks, t->piece[t->n_pieces - 1].tick + 1);
            e.places = MAX(e.places, t->last_place + 1);
        }
    }
    return e;
}

static __attribute__((noinline)) void make_room(Log *l, Extent e)
{
    if (l->room_sorted < e.n) {
        l->room_sorted = 2 * (size_t)e.n;
        l->sorted = g_renew(LogSorted, l->sorted, 2 * l->room_sorted);
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
        const LogText *t = &of[i];
        for (uint32_t k = 0; k < t->n_pieces; k++) {
            of_place[t->piece[k].place]++;
            of_tick[t->piece[k].tick]++;
        }
    }
}

/* From how many there are of each to where the first of each goes. */
static void add_up(uint32_t *count, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t here = count[i];
        count[i] = sum;
        sum += here;
    }
}

static void sort_by_place(const Log *l, LogText *of, LogSorted *to, uint32_t *at)
{
    for (uint32_t i = 0; i < l->n_of; i++) {
        LogText *t = &of[i];
        for (uint32_t k = 0; k < t->n_pieces; k++) {
            const LogPiece *p = &t->piece[k];
            size_t end = k + 1 < t->n_pieces ? p[1].at : t->n;
            to[at[p->place]++] = (LogSorted){t->text + p->at, end - p->at, p->tick};
        }
        t->n = t->n_pieces = 0;
        t->tick = NO_TICK;
    }
}

static void sort_by_tick(const LogSorted *from, uint32_t n, LogSorted *to, uint32_t *at)
{
    for (uint32_t i = 0; i < n; i++) {
        to[at[from[i].tick]++] = from[i];
    }
}

/* The first @p n of @p left pieces into the log. */
static void copy(WwMachine *m, Log *l, const LogSorted *piece, uint32_t n, uint32_t left)
{
    size_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        all += piece[i].n;
    }
    char *at = ww_log_room(m, all);
    for (uint32_t i = 0; i < n; i++) {
        const char *next = piece[MIN(i + AHEAD, left - 1)].from, *from = piece[i].from;
        for (uint32_t k = 0; k < FETCH; k += 64) {
            ww_host_fetch(next + k);
        }
        size_t rest = piece[i].n;
        for (; rest > AT_MOST; rest -= AT_MOST) {
            memmove(at, from, AT_MOST);
            at += AT_MOST;
            from += AT_MOST;
        }
        memmove(at, from, rest);
        at += rest;
    }
    l->out.n += all;
}

void ww_log_sort(WwMachine *m, LogText *of)
{
    Log *l = m->host->log;
    Extent e = extent_of(l, of);
    if (e.n == 0) {
        return;
    }
    make_room(l, e);
    uint32_t *of_place = l->count, *of_tick = of_place + e.places;
    LogSorted *by_place = l->sorted, *sorted = by_place + l->room_sorted;
    count(l, of, of_place, of_tick);
    add_up(of_place, e.places);
    add_up(of_tick, e.ticks);
    sort_by_place(l, of, by_place, of_place);
    sort_by_tick(by_place, e.n, sorted, of_tick);
    for (uint32_t i = 0, n; i < e.n; i += n) {
        n = MIN(e.n - i, AT_ONCE);
        copy(m, l, &sorted[i], n, e.n - i);
    }
}

void ww_log_merge(WwMachine *m)
{
    ww_log_make(m);
    Log *l = m->host->log;
    if (!ww_scribe_take(m, l)) {
        ww_log_sort(m, l->of);
    }
}
