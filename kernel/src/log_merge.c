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
#define AT_MOST 2048u /* Bytes that are copied at once. */

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
            e.ticks = MAX(e.ticks, t->piece[t->n_pieces - 2].tick + 1); /* before a gap */
            e.places = MAX(e.places, t->last_place + 1);
        }
    }
    return e;
}

static __attribute__((noinline)) void make_room(Log *l, Extent e)
{
    if (l->room_sorted < e.n) {
        l->room_sorted = 2 * (size_t)e.n;
        l->sorted = g_renew(LogSorted, l->sorted, 2 * l->room_sorted + AHEAD);
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

static char *copy_long(char *at, const char **from, size_t n)
{
    size_t rest = n;
    for (; rest > AT_MOST; rest -= AT_MOST) {
        memmove(at, *from, AT_MOST);
        at += AT_MOST;
        *from += AT_MOST;
    }
    return at;
}

/* Pieces up to @p end behind each other, as far as there is room before @p limit; behind @p end are AHEAD more, of which the first lines are fetched. */
static __attribute__((noinline)) char *copy(char *at, const char *limit, const LogSorted **piece,
                                            const LogSorted *end)
{
    const LogSorted *p = *piece;
    for (; p != end; p++) {
        const char *next = p[AHEAD].from, *from = p->from;
#pragma GCC unroll 4
        for (uint32_t k = 0; k < FETCH; k += 64) {
            ww_host_fetch(next + k);
        }
        size_t n = p->n;
        if (G_UNLIKELY(n > (size_t)(limit - at))) {
            break;
        }
        if (G_UNLIKELY(n > AT_MOST)) {
            at = copy_long(at, &from, n);
            n = (n - 1) % AT_MOST + 1;
        }
        memmove(at, from, n);
        at += n;
    }
    *piece = p;
    return at;
}

/* Into the log. */
static void copy_all(WwMachine *m, LogText *out, LogSorted *piece, uint32_t n)
{
    const LogSorted *p = piece, *end = piece + n;
    for (uint32_t i = 0; i < AHEAD; i++) {
        piece[n + i] = piece[n - 1];
    }
    while (p != end) {
        char *at = ww_log_room(m, MAX(p->n, LOG_PIECE));
        out->at = copy(at, at + MAX(p->n, LOG_PIECE), &p, end);
    }
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
    uint32_t n = add_up(of_tick, e.ticks);
    sort_by_place(l, of, by_place, of_place);
    sort_by_tick(by_place, n, sorted, of_tick);
    copy_all(m, &l->out, sorted, n);
}

void ww_log_merge(WwMachine *m)
{
    ww_log_make(m);
    Log *l = m->host->log;
    ww_log_tell(m);
    if (!ww_scribe_take(m, l)) {
        ww_log_take_chunks(&l->chunks);
        ww_log_sort(m, l->of);
        ww_log_give_chunks(&l->chunks);
    }
}
