/* SPDX-License-Identifier: Apache-2.0 */
/* Rows over time. What the next row needs of the past, and the rows, are in the heap: a run that goes on from a checkpoint has them. */
#include "pack-priv.h"
#include <results/intervals.h>

#include <string.h>
#include <warpwright/event_log.h>

/* In the heap. */
typedef struct Rows {
    WW_HEAP_LIST(uint8_t *) packed; /* cycle at its end, then the values */
    WwCycle end;                    /* of the last row */
    uint64_t *before;               /* values at its end, since power-on */
} Rows;

struct WwIntervals {
    WwMachine *machine;
    WwHeap *heap;
    WwPicks *picks;
    WwCycle every;
    Rows *rows;
    uint64_t *now; /* room for a row */
    bool tells;
};

WwIntervals *ww_intervals_new(WwMachine *machine, WwHeap *heap, WwPicks *picks, WwCycle every)
{
    ww_assert(every != 0);
    WwIntervals *v = g_new0(WwIntervals, 1);
    uint32_t n = ww_picks_n(picks) + 1;
    v->machine = machine;
    v->heap = heap;
    v->picks = picks;
    v->every = every;
    v->now = g_new0(uint64_t, n);
    v->rows = WW_HEAP_NEW(heap, Rows, 1);
    v->rows->before = WW_HEAP_NEW(heap, uint64_t, n);
    return v;
}

void ww_intervals_free(WwIntervals *intervals)
{
    if (intervals != NULL) {
        ww_picks_free(intervals->picks);
        g_free(intervals->now);
        g_free(intervals);
    }
}

WwCycle ww_intervals_next(const WwIntervals *intervals)
{
    WwCycle end = intervals->rows->end;
    return intervals->every < WW_NEVER - end ? end - end % intervals->every + intervals->every
                                             : WW_NEVER;
}

/* What was counted since the last row, into v->now behind the cycle; and from now on since here. */
static void read_row(WwIntervals *v, WwCycle now)
{
    uint32_t n = ww_picks_n(v->picks);
    g_autofree uint64_t *total = g_new(uint64_t, n + 1);
    ww_machine_settle(v->machine);
    ww_picks_read(v->picks, total);
    memcpy(v->now + 1, total, n * sizeof *total);
    ww_picks_since(v->picks, v->now + 1, v->rows->before);
    memcpy(v->rows->before, total, n * sizeof *total);
    v->now[0] = now;
    v->rows->end = now;
}

/* ---- the event log ----------------------------------------------------------------------------------------------- */

void ww_intervals_tell(WwIntervals *intervals)
{
    intervals->tells = true;
}

/* A line for each value of @p p: `since=100 statistic=cause.barrier value=7`. */
static void tell_pick(const WwIntervals *v, const WwPick *p, WwCycle since)
{
    bool sum = p->component == NULL;
    g_autofree char *path =
        sum ? g_strconcat(WW_INTERVAL_TOTAL, p->type->name, NULL) : ww_path(p->component);
    size_t before = (sum ? strlen(p->type->name) : strlen(path)) + 1;
    char text[WW_EVENT_ROOM + 80];
    for (uint32_t k = 0; k < p->n; k++) {
        g_autofree char *name = ww_pick_name(p, k);
        int64_t value = (int64_t)v->now[1 + p->at + k]; /* of what can fall, less */
        g_snprintf(text, sizeof text,
                   "since=%" G_GUINT64_FORMAT " statistic=%.200s value=%" G_GINT64_FORMAT, since,
                   name + before, value);
        ww_machine_note(v->machine, WW_INTERVAL_EVENT, path, text);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static WwCycle end_of(const WwIntervals *v, uint32_t i)
{
    const uint8_t *at = v->rows->packed.v[i];
    return ww_unpack_number(&at) == 1 ? ww_unpack_number(&at) : 0;
}

static void keep_row(WwIntervals *v)
{
    uint32_t n, rows = v->rows->packed.n;
    const WwPick *list = ww_picks_list(v->picks, &n);
    for (const WwPick *p = list; v->tells && p < list + n; p++) {
        tell_pick(v, p, rows != 0 ? end_of(v, rows - 1) : 0);
    }
    *WW_HEAP_ADD(v->heap, &v->rows->packed) = ww_pack(v->heap, v->now, ww_picks_n(v->picks) + 1);
}

void ww_intervals_look(WwIntervals *intervals)
{
    WwCycle now = ww_machine_cycle(intervals->machine);
    if (now >= ww_intervals_next(intervals)) {
        read_row(intervals, now);
        keep_row(intervals);
    }
}

/* A run may end in a tick of another clock, in the cycle in which a row was made: that row gets the rest. */
static void extend(WwIntervals *v)
{
    uint32_t n, last = v->rows->packed.n - 1;
    const WwPick *list = ww_picks_list(v->picks, &n);
    g_autofree uint64_t *row = g_new(uint64_t, ww_picks_n(v->picks) + 1);
    ww_intervals_row(v, last, row);
    for (const WwPick *p = list; p < list + n; p++) {
        for (uint32_t k = p->at; p->row->kind != WW_STAT_MAX && k < p->at + p->n; k++) {
            v->now[k + 1] += row[k];
        }
    }
    ww_heap_give(v->heap, v->rows->packed.v[last]);
    v->rows->packed.n = last;
}

void ww_intervals_end(WwIntervals *intervals)
{
    WwCycle now = ww_machine_cycle(intervals->machine);
    bool same = intervals->rows->packed.n != 0 && now == intervals->rows->end;
    read_row(intervals, now);
    if (same) {
        extend(intervals);
    }
    keep_row(intervals);
}

WwCycle ww_intervals_every(const WwIntervals *intervals)
{
    return intervals->every;
}

const WwPicks *ww_intervals_picks(const WwIntervals *intervals)
{
    return intervals->picks;
}

uint32_t ww_intervals_n(const WwIntervals *intervals)
{
    return intervals->rows->packed.n;
}

WwCycle ww_intervals_row(const WwIntervals *intervals, uint32_t i, uint64_t *values)
{
    uint32_t n = ww_picks_n(intervals->picks);
    g_autofree uint64_t *row = g_new(uint64_t, n + 1);
    ww_unpack(intervals->rows->packed.v[i], row, n + 1);
    memcpy(values, row + 1, n * sizeof *row);
    return row[0];
}
