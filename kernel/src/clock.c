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

INLINE void lay_out(WwClock *clock, uint32_t ticks, const uint64_t *most, const uint64_t *from,
                    WwClockTicks *out, uint32_t n)
{
    uint32_t k = 0, had[WW_CLOCK_MAX] = {0};
    bool more = true;
    for (uint32_t i = 0; i < n; i++) {
        out->cycle[i][0] = from[i];
    }
    while (more && k < ticks) {
        uint32_t lanes = next_lanes(clock, n);
        pass(clock, lanes, n);
        out->lanes[k] = (uint8_t)lanes;
        for (uint32_t i = 0; i < n; i++) {
            out->tick[i][had[i]] = (uint16_t)k;
            had[i] += lanes >> i & 1u;
            out->cycle[i][k + 1] = from[i] + had[i];
            more &= had[i] < most[i];
        }
        k++;
    }
    for (uint32_t i = 0; i < n; i++) {
        out->tick[i][had[i]] = (uint16_t)k;
    }
    out->n = k;
}

/* ---- two lanes, as the reference's clock compares them ------------------------------------------------------------- */

/* Near powers of two; else see clock_pair.c. */
typedef struct Pair {
    double a, b, period_a, period_b; /* Times of the next edges. */
} Pair;

static inline bool is_pair(const WwClock *clock)
{
    return clock->n_lanes == 2 && clock->kind == WW_CLOCK_ACCELSIM;
}

static inline Pair pair_of(const WwClock *clock)
{
    const WwClockLane *l = clock->lane;
    return (Pair){l[0].time, l[1].time, l[0].period, l[1].period};
}

static inline void give_back(WwClock *clock, Pair p, uint64_t a, uint64_t b)
{
    clock->lane[0].time = p.a;
    clock->lane[1].time = p.b;
    clock->lane[0].edges += a;
    clock->lane[1].edges += b;
}

static inline Pair pass_pair(Pair p, bool a, bool b)
{
    return (Pair){p.a + (a ? p.period_a : 0), p.b + (b ? p.period_b : 0), p.period_a, p.period_b};
}

static void lay_out_pair(WwClock *clock, uint32_t ticks, const uint64_t *most, const uint64_t *from,
                         WwClockTicks *out)
{
    Pair p = pair_of(clock);
    uint64_t a_from = from[0], b_from = from[1], a_end = a_from + most[0], b_end = b_from + most[1];
    uint64_t a_now = a_from, b_now = b_from;
    uint32_t k = 0;
    a_end = a_end < a_from ? UINT64_MAX : a_end;
    b_end = b_end < b_from ? UINT64_MAX : b_end;
    for (; k < ticks && a_now < a_end && b_now < b_end; k++) {
        bool a = p.a <= p.b, b = p.b <= p.a;
        out->cycle[0][k] = a_now;
        out->cycle[1][k] = b_now;
        out->tick[0][a_now - a_from] = (uint16_t)k;
        out->tick[1][b_now - b_from] = (uint16_t)k;
        out->lanes[k] = (uint8_t)(a | b << 1);
        p = pass_pair(p, a, b);
        a_now += a;
        b_now += b;
    }
    out->cycle[0][k] = a_now;
    out->cycle[1][k] = b_now;
    out->tick[0][a_now - a_from] = out->tick[1][b_now - b_from] = (uint16_t)k;
    out->n = k;
    give_back(clock, p, a_now - a_from, b_now - b_from);
}

/* ---- any ----------------------------------------------------------------------------------------------------------- */

uint32_t ww_clock_domains(const WwClock *clock, uint32_t lanes)
{
    return domains_of(clock, lanes, clock->n_lanes);
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
    if (is_pair(clock)) {
        return ww_clock_skip_pair(clock, most, before, edges);
    }
    uint64_t k =
        clock->kind == WW_CLOCK_EXACT ? ww_clock_skip_exact(clock, most, before, edges) : 0;
    return k + (clock->n_lanes == 3 ? skip(clock, most - k, before, edges, 3)
                                    : skip(clock, most - k, before, edges, clock->n_lanes));
}

void ww_clock_lay_out(WwClock *clock, uint32_t n, const uint64_t *most, const uint64_t *from,
                      WwClockTicks *ticks)
{
    if (is_pair(clock)) {
        if (!ww_clock_lay_out_pair(clock, n, most, from, ticks)) {
            lay_out_pair(clock, n, most, from, ticks);
        }
    } else if (clock->n_lanes == 1) {
        lay_out(clock, n, most, from, ticks, 1);
    } else {
        lay_out(clock, n, most, from, ticks, clock->n_lanes);
    }
}
