/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Clock sources: see clock-priv.h for what a tick is and why equal frequencies share a lane.
 *
 * In the reference the L2 takes no part in the minimum but is tested first, and lowers it: it fires
 * when its time t <= minimum, and the others then fire when theirs is <= t. That is the same as
 * taking part. The order in which the others are tested (icnt, dram, core) cannot matter: a test
 * changes only the time of the domain tested, and the instant it is compared with is fixed by then.
 */
#include "clock-priv.h"

#include <math.h>
#include <string.h>

/** Fastest EXACT clock: 2^64 edges of it are 200 days, and edges * hz stays far below 2^128. */
#define MAX_HZ 1e12

__extension__ typedef unsigned __int128 Wide;

void ww_clock_init(WwClock *clock, WwClockKind kind)
{
    memset(clock, 0, sizeof *clock);
    clock->kind = kind;
}

bool ww_clock_add(WwClock *clock, double hz, GError **error)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, "%.9g", hz);
    if (clock->n == WW_CLOCK_MAX) {
        return ww_fail(error, WW_ERROR_WIRING, "too many clock domains, expected at most %d",
                       WW_CLOCK_MAX);
    }
    if (!isfinite(hz) || hz < 1 || hz > MAX_HZ) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "clock frequency %s Hz is out of range, expected 1 Hz to 1000 GHz", text);
    }
    double given = clock->kind == WW_CLOCK_EXACT ? round(hz) : hz;
    WwClockLane *lane = clock->lane;
    while (lane < clock->lane + clock->n_lanes && lane->given != given) {
        lane++;
    }
    if (lane == clock->lane + clock->n_lanes) {
        clock->n_lanes++;
        *lane = (WwClockLane){.given = given, .period = 1 / given, .hz = (uint64_t)given};
    }
    lane->mask |= 1u << clock->n;
    clock->lane_of[clock->n] = (uint8_t)(lane - clock->lane);
    clock->all |= 1u << clock->n;
    clock->n++;
    return true;
}

void ww_clock_reset(WwClock *clock)
{
    for (uint32_t i = 0; i < clock->n_lanes; i++) {
        clock->lane[i].time = 0;
        clock->lane[i].edges = 0;
    }
}

/*
 * What follows is compiled once for each of the kinds and small numbers of lanes that machines have: a tick is some twenty instructions
 * then, a hundred otherwise.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t next_accelsim(const WwClock *clock, uint32_t n)
{
    double instant = clock->lane[0].time;
    for (uint32_t i = 1; i < n; i++) {
        instant = MIN(instant, clock->lane[i].time);
    }
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < n; i++) {
        lanes |= (uint32_t)(clock->lane[i].time <= instant) << i;
    }
    return lanes;
}

/**
 * Compares edges / hz by cross-multiplication: no common multiple of the frequencies is needed, so
 * nothing overflows.
 */
static uint32_t next_exact(const WwClock *clock)
{
    const WwClockLane *first = &clock->lane[0];
    uint32_t lanes = 1;
    for (uint32_t i = 1; i < clock->n_lanes; i++) {
        const WwClockLane *lane = &clock->lane[i];
        Wide mine = (Wide)lane->edges * first->hz;
        Wide least = (Wide)first->edges * lane->hz;
        if (mine < least) {
            first = lane;
            lanes = 1u << i;
        } else if (mine == least) {
            lanes |= 1u << i;
        }
    }
    return lanes;
}

/* The lanes (of @p n) that have an edge in the next tick. */
INLINE uint32_t next_lanes(const WwClock *clock, uint32_t n)
{
    if (n <= 1) {
        return 1;
    }
    return clock->kind == WW_CLOCK_ACCELSIM ? next_accelsim(clock, n) : next_exact(clock);
}

/* They have had it. */
INLINE void pass(WwClock *clock, uint32_t lanes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (lanes >> i & 1u) {
            clock->lane[i].time += clock->lane[i].period;
            clock->lane[i].edges++;
        }
    }
}

INLINE uint32_t domains_of(const WwClock *clock, uint32_t lanes, uint32_t n)
{
    uint32_t fired = 0;
    for (uint32_t i = 0; i < n; i++) {
        fired |= lanes >> i & 1u ? clock->lane[i].mask : 0;
    }
    return fired;
}

INLINE uint64_t skip(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges,
                     uint32_t n)
{
    uint64_t k = 0;
    for (; k < most; k++) {
        uint32_t lanes = next_lanes(clock, n);
        for (uint32_t i = 0; i < n; i++) {
            if ((lanes >> i & 1u) && edges[i] == before[i]) {
                return k;
            }
        }
        pass(clock, lanes, n);
        for (uint32_t i = 0; i < n; i++) {
            edges[i] += lanes >> i & 1u;
        }
    }
    return k;
}

INLINE uint32_t lay_out(WwClock *clock, uint32_t ticks, const uint64_t *most, uint8_t *fired,
                        WwClockEdges *edges, uint32_t n)
{
    uint32_t k = 0;
    bool more = true;
    memset(edges[0], 0, sizeof *edges);
    while (more && k < ticks) {
        uint32_t lanes = next_lanes(clock, n);
        pass(clock, lanes, n);
        fired[k] = (uint8_t)domains_of(clock, lanes, n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t had = edges[k][i] + (lanes >> i & 1u);
            edges[k + 1][i] = (uint16_t)had;
            more &= had < most[i];
        }
        k++;
    }
    return k;
}

uint32_t ww_clock_next_of_lanes(WwClock *clock)
{
    uint32_t lanes = next_lanes(clock, clock->n_lanes);
    pass(clock, lanes, clock->n_lanes);
    return domains_of(clock, lanes, clock->n_lanes);
}

uint64_t ww_clock_skip(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges)
{
    if (clock->n_lanes <= 1) { /* every tick is an edge of every domain */
        return edges[0] = MIN(most, before[0]);
    }
    return clock->n_lanes == 2   ? skip(clock, most, before, edges, 2)
           : clock->n_lanes == 3 ? skip(clock, most, before, edges, 3)
                                 : skip(clock, most, before, edges, clock->n_lanes);
}

uint32_t ww_clock_lay_out(WwClock *clock, uint32_t n, const uint64_t *most, uint8_t *fired,
                          WwClockEdges *edges)
{
    return clock->n_lanes == 2   ? lay_out(clock, n, most, fired, edges, 2)
           : clock->n_lanes == 3 ? lay_out(clock, n, most, fired, edges, 3)
                                 : lay_out(clock, n, most, fired, edges, clock->n_lanes);
}
