/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Clock sources: which domains fire in the next tick.
 *
 * Every domain has an edge at time 0 and then one each period; a tick is an instant at which at
 * least one domain has an edge, and all that have one at that instant fire together. The two kinds
 * differ only in how instants are compared: WW_CLOCK_EXACT counts edges and compares n / hz as
 * fractions; WW_CLOCK_ACCELSIM adds double periods edge by edge, as the reference does (see
 * docs/model.md#time), so that its rounding decides which edges coincide. Time is never reset by a
 * kernel.
 *
 * Workload: called once a tick, also for ticks that are skipped. Domains of equal frequency always
 * fire together (the same additions are made on each), so they share a lane; one lane costs a test.
 * QV100 has four domains in two lanes, some 7 ns a tick.
 */
#pragma once

#include <warpwright/machine.h>

enum { WW_CLOCK_MAX = 8 /**< Domains. */ };

/** Domains of one frequency. */
typedef struct WwClockLane {
    double period;  /**< ACCELSIM: seconds. */
    double time;    /**< ACCELSIM: of the next edge. */
    uint64_t hz;    /**< EXACT */
    uint64_t edges; /**< EXACT: completed; the next edge is at edges / hz. */
    double given;   /**< Frequency as it was asked for. */
    uint32_t mask;  /**< Its domains. */
} WwClockLane;

/** When edges of two lanes meet: what does not change as long as their steps do not; see clock_pair.c. */
typedef struct WwClockMeeting {
    uint64_t pa, pb; /**< Steps. */
    uint64_t common; /**< Greatest common divisor. */
    uint64_t inverse;
} WwClockMeeting;

typedef struct WwClock {
    WwClockKind kind;
    uint32_t n; /**< Domains. */
    uint32_t n_lanes;
    uint32_t all;                  /**< Mask of all domains. */
    uint8_t lane_of[WW_CLOCK_MAX]; /**< Of each domain. */
    WwClockLane lane[WW_CLOCK_MAX];
    WwClockMeeting meeting;
} WwClock;

void ww_clock_init(WwClock *clock, WwClockKind kind);

/**
 * Adds the next domain (index 0, 1, ...). EXACT rounds @p hz to whole hertz and needs 1 Hz to 1
 * THz; ACCELSIM takes it as it is: "1132 MHz" must come here as 1132 * 1e6, the product that the
 * reference forms. Before the first ww_clock_next().
 */
bool ww_clock_add(WwClock *clock, double hz, GError **error);

/** Back to time 0. */
void ww_clock_reset(WwClock *clock);

/** Out of line part of ww_clock_next(). */
uint32_t ww_clock_next_of_lanes(WwClock *clock);

/**
 * Moves on by up to @p most ticks, at most to before the first in which a lane has the edge of number @p before[lane] (0: its next
 * one). Adds to @p edges, which begins with 0, what each lane has had. Returns the ticks.
 */
uint64_t ww_clock_skip(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges);

/** Ticks in a row. */
#define WW_CLOCK_TICKS 384u
typedef struct WwClockTicks {
    uint32_t n;
    uint8_t lanes[WW_CLOCK_TICKS]; /**< Those that have an edge in each. */
    uint64_t cycle[WW_CLOCK_MAX]
                  [WW_CLOCK_TICKS +
                   1]; /**< Edges that each lane has had before each tick, and in the end. */
    uint16_t tick[WW_CLOCK_MAX]
                 [WW_CLOCK_TICKS + 1]; /**< Of each edge of a lane; behind its last, n. */
} WwClockTicks;

/**
 * Moves on by up to @p n ticks (WW_CLOCK_TICKS at most), or to behind the first in which a lane has had @p most[lane] more edges, and says in
 * @p ticks which they are. @p from[lane]: its edges so far, as the caller counts them.
 */
void ww_clock_lay_out(WwClock *clock, uint32_t n, const uint64_t *most, const uint64_t *from,
                      WwClockTicks *ticks);

/** ww_clock_skip() of two lanes of WW_CLOCK_ACCELSIM. */
uint64_t ww_clock_skip_pair(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges);
/** As much of ww_clock_skip() as is worth it at once, of WW_CLOCK_EXACT; see clock_exact.c. */
uint64_t ww_clock_skip_exact(WwClock *clock, uint64_t most, const uint64_t *before,
                             uint64_t *edges);
/** ww_clock_lay_out() of two lanes of WW_CLOCK_ACCELSIM; false, and nothing is done, where rounding is not the same for all edges. */
bool ww_clock_lay_out_pair(WwClock *clock, uint32_t n, const uint64_t *most, const uint64_t *from,
                           WwClockTicks *ticks);

/** The domains of lanes @p lanes. */
uint32_t ww_clock_domains(const WwClock *clock, uint32_t lanes);

/** Do all domains fire in every tick? */
static inline bool ww_clock_uniform(const WwClock *clock)
{
    return clock->n_lanes <= 1;
}

/**
 * Moves to the next tick: the mask of the domains that fire in it, bit = index. Never 0 when there
 * is a domain.
 */
static inline uint32_t ww_clock_next(WwClock *clock)
{
    return ww_clock_uniform(clock) ? clock->all : ww_clock_next_of_lanes(clock);
}
