/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Two lanes, as the reference's clock compares them: what most GPUs have.
 *
 * The reference adds a period to a double, edge by edge, and its rounding decides which edges meet. But between two powers of two all
 * doubles have the same distance u, so a time there is a whole number of u, and adding the period to it rounds by the same amount each time
 * (unless the period ends in exactly half a u: then it depends on whether the time is odd). So the times of both lanes are arithmetic
 * progressions of whole numbers until the next power of two, the bits of the doubles are these numbers, and many ticks are a division.
 * Where that does not hold, ticks are taken one by one.
 */
#include "clock-priv.h"

#include <string.h>

__extension__ typedef unsigned __int128 Wide;

/** Both progressions, in units of the distance of doubles. */
typedef struct Grid {
    uint64_t a, b;   /**< Next edges of lanes 0 and 1. */
    uint64_t pa, pb; /**< From edge to edge. */
    uint64_t end;    /**< Times of this and more are on another grid. */
} Grid;

static uint64_t bits_of(double time)
{
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static double time_of(uint64_t bits)
{
    double time;
    memcpy(&time, &bits, sizeof time);
    return time;
}

/** What each addition of the period adds to times beside @p lane's, or 0 if that is not always the same. */
static uint64_t step_of(const WwClockLane *lane, uint64_t end, double distance)
{
    double next = lane->time + lane->period;
    double lost = lane->period - (next - lane->time);
    if (bits_of(next) >= end || lost * 2 == distance || lost * 2 == -distance) {
        return 0;
    }
    return bits_of(next) - bits_of(lane->time);
}

static bool find_grid(const WwClock *clock, Grid *g)
{
    const WwClockLane *lane = clock->lane;
    *g = (Grid){.a = bits_of(lane[0].time), .b = bits_of(lane[1].time)};
    uint64_t exponent = g->a >> 52;
    if (exponent != g->b >> 52 || exponent <= 52) {
        return false;
    }
    double distance = time_of((exponent - 52) << 52);
    g->end = (exponent + 1) << 52;
    g->pa = step_of(&lane[0], g->end, distance);
    g->pb = step_of(&lane[1], g->end, distance);
    return g->pa != 0 && g->pb != 0;
}

/* ---- ticks that are passed over ------------------------------------------------------------------------------------ */

/** The inverse of @p a modulo @p n, to which it is prime. */
static uint64_t inverse(uint64_t a, uint64_t n)
{
    int64_t x = 1, y = 0;
    for (uint64_t m = n; m != 0;) {
        uint64_t q = a / m, r = a % m;
        int64_t z = x - (int64_t)q * y;
        a = m;
        m = r;
        x = y;
        y = z;
    }
    return x < 0 ? (uint64_t)(x + (int64_t)n) : (uint64_t)x;
}

/** What of two steps does not depend on where they begin. */
static void find_meeting(WwClock *clock, uint64_t pa, uint64_t pb)
{
    WwClockMeeting *m = &clock->meeting;
    if (m->pa == pa && m->pb == pb) {
        return;
    }
    uint64_t x = pa, y = pb;
    while (y != 0) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    *m = (WwClockMeeting){.pa = pa, .pb = pb, .common = x};
    m->inverse = pb / x > 1 ? inverse(pa / x % (pb / x), pb / x) : 0;
}

/** How many edges of the two lanes meet before time @p until? */
static uint64_t meetings(WwClock *clock, const Grid *g, uint64_t until)
{
    find_meeting(clock, g->pa, g->pb);
    const WwClockMeeting *m = &clock->meeting;
    uint64_t apart = g->a > g->b ? g->a - g->b : g->b - g->a, n = g->pb / m->common;
    if (apart % m->common != 0) {
        return 0;
    }
    /* edge i of lane 0 meets one of lane 1: i * pa is the distance from a to b, modulo pb */
    uint64_t d = apart / m->common % n;
    d = g->a > g->b && d != 0 ? n - d : d;
    Wide first = g->a + (Wide)g->pa * (uint64_t)((Wide)d * m->inverse % n), every = (Wide)g->pa * n;
    if (first < g->b) {
        first += every;
    }
    return first < until ? (uint64_t)((until - 1 - first) / every) + 1 : 0;
}

/** Time of the edge @p n of a lane after that at @p from, or @p most if that is earlier. */
static uint64_t edge_after(uint64_t from, uint64_t step, uint64_t n, uint64_t most)
{
    return from < most && n <= (most - from) / step ? from + n * step : most;
}

/** Edges of a lane before @p until. */
static uint64_t edges_before(uint64_t from, uint64_t step, uint64_t until)
{
    return from < until ? (until - from + step - 1) / step : 0;
}

static void move_on(WwClockLane *lane, uint64_t time, uint64_t edges)
{
    lane->time = time_of(time);
    lane->edges += edges;
}

/** All ticks before any in which a lane has edge @p before[lane], up to @p room, as far as the grid goes. Returns how many. */
static uint64_t pass_over(WwClock *clock, uint64_t room, const uint64_t *before, uint64_t *edges)
{
    Grid g;
    if (room < 16 || !find_grid(clock, &g)) {
        return 0;
    }
    /* the edges that come next have to be on the grid, too; and no more than half of the room for each lane */
    uint64_t until = g.end - MAX(g.pa, g.pb);
    until = edge_after(MIN(g.a, g.b), MIN(g.pa, g.pb), room / 2, until);
    until = edge_after(g.a, g.pa, before[0] - edges[0], until);
    until = edge_after(g.b, g.pb, before[1] - edges[1], until);
    uint64_t na = edges_before(g.a, g.pa, until), nb = edges_before(g.b, g.pb, until);
    uint64_t both = na != 0 && nb != 0 ? meetings(clock, &g, until) : 0;
    move_on(&clock->lane[0], g.a + na * g.pa, na);
    move_on(&clock->lane[1], g.b + nb * g.pb, nb);
    edges[0] += na;
    edges[1] += nb;
    return na + nb - both;
}

/** The lanes that have an edge in the next tick. */
static uint32_t next_of(const WwClock *clock)
{
    double a = clock->lane[0].time, b = clock->lane[1].time;
    return (uint32_t)(a <= b) | (uint32_t)(b <= a) << 1;
}

static void pass(WwClockLane *lane)
{
    lane->time += lane->period;
    lane->edges++;
}

uint64_t ww_clock_skip_pair(WwClock *clock, uint64_t most, const uint64_t *before, uint64_t *edges)
{
    uint64_t k = 0;
    while (k < most) {
        uint64_t n = pass_over(clock, most - k, before, edges);
        k += n;
        if (n != 0) {
            continue;
        }
        uint32_t lanes = next_of(clock);
        for (uint32_t i = 0; i < 2; i++) {
            if ((lanes >> i & 1u) && edges[i] == before[i]) {
                return k;
            }
        }
        for (uint32_t i = 0; i < 2; i++) {
            if (lanes >> i & 1u) {
                pass(&clock->lane[i]);
                edges[i]++;
            }
        }
        k++;
    }
    return k;
}

/* ---- ticks one by one ---------------------------------------------------------------------------------------------- */

/**
 * As long as both have all of their ticks on the grid; lane @p f has no longer steps than lane @p s, both known to the compiler. @p most and @p from as
 * ww_clock_lay_out() has them. Returns the ticks.
 */
static inline __attribute__((always_inline)) void lay_out_on_grid(
    WwClock *clock, const Grid *g, uint32_t ticks, const uint64_t *most, const uint64_t *from,
    WwClockTicks *out, uint32_t f, uint32_t s)
{
    const uint64_t f_step = f == 0 ? g->pa : g->pb, s_step = f == 0 ? g->pb : g->pa;
    const uint64_t f_from = from[f], s_from = from[s];
    const uint64_t f_end = f_from + MIN(most[f], WW_CLOCK_TICKS + 1),
                   s_end = s_from + MIN(most[s], WW_CLOCK_TICKS + 1);
    uint64_t f_time = f == 0 ? g->a : g->b, s_time = f == 0 ? g->b : g->a;
    uint64_t f_edge = f_from, s_edge = s_from, k = 0;
    for (; k < ticks && f_edge != f_end && s_edge != s_end; k++) {
        out->cycle[f][k] = f_edge;
        out->cycle[s][k] = s_edge;
        if (s_time <= f_time) {
            bool both = s_time == f_time;
            out->tick[s][s_edge - s_from] = (uint16_t)k;
            s_edge++;
            s_time += s_step;
            if (G_LIKELY(!both)) {
                out->lanes[k] = (uint8_t)(1u << s);
                continue;
            }
        }
        out->lanes[k] = (uint8_t)(1u << f | (out->cycle[s][k] != s_edge ? 1u << s : 0));
        out->tick[f][f_edge - f_from] = (uint16_t)k;
        f_edge++;
        f_time += f_step;
    }
    out->cycle[f][k] = f_edge;
    out->cycle[s][k] = s_edge;
    out->tick[f][f_edge - f_from] = out->tick[s][s_edge - s_from] = (uint16_t)k;
    out->n = (uint32_t)k;
    move_on(&clock->lane[f], f_time, f_edge - f_from);
    move_on(&clock->lane[s], s_time, s_edge - s_from);
}

bool ww_clock_lay_out_pair(WwClock *clock, uint32_t ticks, const uint64_t *most,
                           const uint64_t *from, WwClockTicks *out)
{
    Grid g;
    if (!find_grid(clock, &g) || (g.end - MAX(g.a, g.b)) / MAX(g.pa, g.pb) <= WW_CLOCK_TICKS + 1) {
        return false;
    }
    if (g.pa <= g.pb) {
        lay_out_on_grid(clock, &g, ticks, most, from, out, 0, 1);
    } else {
        lay_out_on_grid(clock, &g, ticks, most, from, out, 1, 0);
    }
    return true;
}
