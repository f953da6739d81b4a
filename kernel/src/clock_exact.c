/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Many ticks at once of clocks that do not round.
 *
 * All lanes began at time 0, so edges of lane i are the multiples of 1 / hz[i], and those of several lanes meet at the multiples of
 * 1 / gcd(hz). How many instants before time T have an edge is then inclusion and exclusion over the sets of lanes: those of
 * each lane, less those in which two meet, and so on.
 */
#include "clock-priv.h"

__extension__ typedef unsigned __int128 Wide;

/** The instant edges / hz. */
typedef struct Instant {
    uint64_t edges, hz;
} Instant;

static bool earlier(Instant a, Instant b)
{
    return (Wide)a.edges * b.hz < (Wide)b.edges * a.hz;
}

/** Multiples of 1 / @p hz before @p t. */
static uint64_t edges_before(Instant t, uint64_t hz)
{
    return (uint64_t)(((Wide)t.edges * hz + t.hz - 1) / t.hz);
}

static uint64_t common(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/** Instants in [from, until) at which a lane has an edge. */
static uint64_t ticks_between(const WwClock *clock, Instant from, Instant until)
{
    uint64_t gcd[1u << WW_CLOCK_MAX] = {0}, sum = 0;
    for (uint32_t s = 1; s < 1u << clock->n_lanes; s++) {
        gcd[s] = common(clock->lane[__builtin_ctz(s)].hz, gcd[s & (s - 1)]);
        uint64_t meet = edges_before(until, gcd[s]) - edges_before(from, gcd[s]);
        sum += __builtin_parity(s) ? meet : -meet;
    }
    return sum;
}

/** All ticks before any in which a lane has edge @p before[lane], up to @p room, or a part of them. Returns how many; 0: too few to be worth it. */
static uint64_t pass_over(WwClock *clock, uint64_t room, const uint64_t *before, uint64_t *edges)
{
    uint32_t n = clock->n_lanes;
    uint64_t worth = 32ull << n;
    ww_assert(n != 0);
    if (room < worth) {
        return 0;
    }
    /* no lane has more edges than the fastest one, and one: as many of that one as there is room for in each lane */
    const WwClockLane *fast = clock->lane;
    for (uint32_t i = 0; i < n; i++) {
        const WwClockLane *lane = &clock->lane[i];
        if (before[i] - edges[i] < 16 || lane->edges >> 62 != 0) {
            return 0;
        }
        fast = lane->hz > fast->hz ? lane : fast;
    }
    Instant from = {fast->edges, fast->hz},
            until = {fast->edges + MIN(room, 1ull << 62) / n - 2, fast->hz};
    for (uint32_t i = 0; i < n; i++) {
        const WwClockLane *lane = &clock->lane[i];
        Instant next = {lane->edges, lane->hz},
                limit = {lane->edges + MIN(before[i] - edges[i], 1ull << 62), lane->hz};
        from = earlier(next, from) ? next : from;
        until = earlier(limit, until) ? limit : until;
    }
    if (edges_before(until, fast->hz) < fast->edges + worth / n / 2) {
        return 0;
    }
    uint64_t ticks = ticks_between(clock, from, until);
    for (uint32_t i = 0; i < n; i++) {
        WwClockLane *lane = &clock->lane[i];
        uint64_t had = edges_before(until, lane->hz) - lane->edges;
        lane->edges += had;
        edges[i] += had;
    }
    return ticks;
}

uint64_t ww_clock_skip_exact(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges)
{
    uint64_t k = 0, n;
    do {
        n = pass_over(clock, most - k, before, edges);
        k += n;
    } while (n != 0);
    return k;
}
