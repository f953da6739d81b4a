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

static uint32_t next_accelsim(WwClock *clock)
{
    double instant = clock->lane[0].time;
    for (uint32_t i = 1; i < clock->n_lanes; i++) {
        instant = MIN(instant, clock->lane[i].time);
    }
    uint32_t fired = 0;
    for (uint32_t i = 0; i < clock->n_lanes; i++) {
        WwClockLane *lane = &clock->lane[i];
        if (lane->time <= instant) {
            fired |= lane->mask;
            lane->time += lane->period;
        }
    }
    return fired;
}

/**
 * Compares edges / hz by cross-multiplication: no common multiple of the frequencies is needed, so
 * nothing overflows.
 */
static uint32_t next_exact(WwClock *clock)
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
    uint32_t fired = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        WwClockLane *lane = &clock->lane[__builtin_ctz(lanes)];
        fired |= lane->mask;
        lane->edges++;
    }
    return fired;
}

uint32_t ww_clock_next_of_lanes(WwClock *clock)
{
    return clock->kind == WW_CLOCK_ACCELSIM ? next_accelsim(clock) : next_exact(clock);
}
