/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Clock sources: ACCELSIM against the reference's loop written down literally, EXACT against
 * arithmetic.
 */
#include "tests.h"

#include "clock-priv.h"

#include <math.h>

enum { CORE, ICNT, L2, DRAM };

/** The accelsim clock of docs/model.md#time, statement by statement; MHz. */
typedef struct Reference {
    double period[4], time[4];
} Reference;

static Reference reference(const double *mhz)
{
    Reference r = {0};
    for (int i = 0; i < 4; i++) {
        r.period[i] = 1 / (mhz[i] * 1000000);
    }
    return r;
}

static uint32_t reference_next(Reference *r)
{
    static const int order[] = {ICNT, DRAM, CORE};
    double smallest = fmin(fmin(r->time[CORE], r->time[ICNT]), r->time[DRAM]);
    uint32_t mask = 0;
    if (r->time[L2] <= smallest) {
        smallest = r->time[L2];
        mask |= 1u << L2;
        r->time[L2] += r->period[L2];
    }
    for (int i = 0; i < 3; i++) {
        if (r->time[order[i]] <= smallest) {
            mask |= 1u << order[i];
            r->time[order[i]] += r->period[order[i]];
        }
    }
    return mask;
}

static void add(WwClock *clock, double hz)
{
    GError *error = NULL;
    g_assert_true(ww_clock_add(clock, hz, &error));
    g_assert_no_error(error);
}

static void add_four(WwClock *clock, WwClockKind kind, const double *mhz)
{
    ww_clock_init(clock, kind);
    for (int i = 0; i < 4; i++) {
        add(clock, mhz[i] * 1e6);
    }
}

static void compare(const double *mhz, int ticks)
{
    WwClock clock;
    add_four(&clock, WW_CLOCK_ACCELSIM, mhz);
    Reference r = reference(mhz);
    for (int i = 0; i < ticks; i++) {
        g_assert_cmphex(ww_clock_next(&clock), ==, reference_next(&r));
    }
}

static void accelsim_configs(void)
{
    /* QV100, RTX 3070, RTX 2060, TITAN X; an L2 of its own, faster and slower; everything
     * different. */
    static const double configs[][4] = {
        {1132, 1132, 1132, 850},  {1320, 1320, 1320, 3500.5}, {1365, 1365, 1365, 3500},
        {1417, 1417, 1417, 2500}, {1000, 1000, 2500, 850},    {1000, 1000, 333.25, 850},
        {1000, 700, 700, 700},    {1, 3, 7, 0.125 * 9},       {1531, 977, 1409, 2039},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(configs); i++) {
        compare(configs[i], 200000);
    }
}

static void accelsim_random(void)
{
    for (int i = 0; i < 300; i++) {
        double mhz[4];
        for (int d = 0; d < 4; d++) {
            mhz[d] = d > 0 && g_test_rand_int_range(0, 3) == 0
                         ? mhz[d - 1]
                         : g_test_rand_int_range(2, 500) / 4.0;
        }
        compare(mhz, 2000);
    }
}

typedef struct Two {
    WwClock one, many; /**< The same: asked tick by tick, and for many at once. */
    uint64_t limit[WW_CLOCK_MAX];
} Two;

/* Counts the edges of the tick by lane; does one reach its limit? */
static bool count(const Two *t, uint32_t fired, uint64_t *had)
{
    bool reached = false;
    for (uint32_t l = 0; l < t->one.n_lanes; l++) {
        had[l] += (fired & t->one.lane[l].mask) != 0;
        reached |= had[l] == t->limit[l];
    }
    return reached;
}

static void skip_some(Two *t, uint64_t most)
{
    uint64_t edges[WW_CLOCK_MAX] = {0}, had[WW_CLOCK_MAX] = {0};
    uint64_t n = ww_clock_skip(&t->many, most, t->limit, edges);
    for (uint64_t k = 0; k < n; k++) {
        count(t, ww_clock_next(&t->one), had);
    }
    bool ends = n == most;
    WwClock next = t->one;
    uint32_t fired = ww_clock_next(&next);
    for (uint32_t l = 0; l < t->one.n_lanes; l++) {
        g_assert_cmpuint(edges[l], ==, had[l]);
        g_assert_cmpuint(had[l], <=, t->limit[l]);
        ends |= (fired & t->one.lane[l].mask) != 0 && had[l] == t->limit[l];
    }
    g_assert_true(ends);
}

static void lay_out_some(Two *t, uint32_t most)
{
    WwClockTicks ticks;
    uint64_t had[WW_CLOCK_MAX] = {0};
    const uint64_t from[WW_CLOCK_MAX] = {0, 5, 1ull << 40, 7};
    ww_clock_lay_out(&t->many, most, t->limit, from, &ticks);
    uint32_t n = ticks.n;
    bool full = false;
    for (uint32_t k = 0; k < n; k++) {
        g_assert_false(full);
        uint32_t fired = ww_clock_domains(&t->one, ticks.lanes[k]);
        g_assert_cmphex(fired, ==, ww_clock_next(&t->one));
        for (uint32_t l = 0; l < t->one.n_lanes; l++) {
            g_assert_cmpuint(ticks.cycle[l][k], ==, from[l] + had[l]);
            if (fired & t->one.lane[l].mask) {
                g_assert_cmpuint(ticks.tick[l][had[l]], ==, k);
            }
        }
        full = count(t, fired, had);
    }
    for (uint32_t l = 0; l < t->one.n_lanes; l++) {
        g_assert_cmpuint(ticks.cycle[l][n], ==, from[l] + had[l]);
        g_assert_cmpuint(ticks.tick[l][had[l]], ==, n);
    }
    g_assert_true(full || n == most);
}

/** Skipping and laying out are the same ticks as one after the other. */
static void many_at_once(void)
{
    for (int i = 0; i < 400; i++) {
        double mhz[4];
        int kinds = g_test_rand_int_range(1, 5);
        for (int d = 0; d < 4; d++) {
            mhz[d] = d >= kinds ? mhz[d - 1] : g_test_rand_int_range(2, 500) / 4.0;
        }
        Two t;
        add_four(&t.one, (WwClockKind)(i % 2), mhz);
        t.many = t.one;
        for (int round = 0; round < 20; round++) {
            for (uint32_t k = 0; k < WW_CLOCK_MAX; k++) {
                t.limit[k] = (uint64_t)g_test_rand_int_range(1, 200);
            }
            skip_some(&t, (uint64_t)g_test_rand_int_range(1, 300));
            lay_out_some(&t, (uint32_t)g_test_rand_int_range(1, 300));
        }
    }
}

/* A frequency: as GPUs have, or one whose period is a sum of few powers of two, so that edges of two meet often. */
static double some_hz(void)
{
    return g_test_rand_bit() ? g_test_rand_int_range(100, 4000) * 0.25e6
                             : (double)(1ull << g_test_rand_int_range(26, 32)) *
                                   (double)g_test_rand_int_range(1, 4);
}

/** Two lanes anywhere in time, also beside a power of two, where doubles begin to be farther apart. */
static void pairs(void)
{
    uint64_t met = 0;
    for (int i = 0; i < 1500; i++) {
        Two t;
        ww_clock_init(&t.one, WW_CLOCK_ACCELSIM);
        add(&t.one, some_hz());
        add(&t.one, some_hz());
        double *a = &t.one.lane[0].time, *b = &t.one.lane[1].time;
        double period = t.one.lane[t.one.n_lanes - 1].period;
        if (t.one.n_lanes == 2 && i % 5 != 0) {
            *a = ldexp(i % 2 ? 1 : g_test_rand_double_range(1, 2), g_test_rand_int_range(-24, 12));
            double beside = *a - g_test_rand_int_range(0, 300) * period;
            *a = i % 2 && beside > 0 ? beside : *a;
            *b = *a + (i % 3 ? 0 : g_test_rand_double()) * period;
        }
        t.many = t.one;
        for (int round = 0; round < 6; round++) {
            int most = round < 3 ? 400 : 20000;
            for (uint32_t k = 0; k < WW_CLOCK_MAX; k++) {
                t.limit[k] = (uint64_t)g_test_rand_int_range(1, most);
            }
            if (round == 5) {
                t.limit[i % 2] = UINT64_MAX;
            }
            skip_some(&t, (uint64_t)g_test_rand_int_range(1, most));
            lay_out_some(&t, (uint32_t)g_test_rand_int_range(1, (int)WW_CLOCK_TICKS));
            met += t.one.n_lanes == 2 && *a == *b;
        }
    }
    g_assert_cmpuint(met, >, 50);
}

/** The same of clocks that do not round, with two lanes or more, far from the beginning, too. */
static void exact_many(void)
{
    uint64_t most_met = 0;
    for (int i = 0; i < 600; i++) {
        Two t;
        ww_clock_init(&t.one, WW_CLOCK_EXACT);
        int lanes = g_test_rand_int_range(2, i % 10 == 0 ? WW_CLOCK_MAX + 1 : 5);
        uint64_t unit = (uint64_t)g_test_rand_int_range(1, 1 << 20) << g_test_rand_int_range(0, 10);
        for (int k = 0; k < lanes; k++) {
            add(&t.one, i % 3 ? some_hz() : (double)unit * g_test_rand_int_range(1, 40));
        }
        if (i % 2) { /* a second after which all meet, as far as they do */
            uint64_t seconds = (uint64_t)g_test_rand_int_range(1, 1 << 20);
            for (uint32_t l = 0; l < t.one.n_lanes; l++) {
                t.one.lane[l].edges = t.one.lane[l].hz * seconds;
            }
        }
        t.many = t.one;
        for (int round = 0; round < 6; round++) {
            int most = round < 3 ? 600 : 20000;
            for (uint32_t k = 0; k < WW_CLOCK_MAX; k++) {
                t.limit[k] = (uint64_t)g_test_rand_int_range(1, most);
            }
            if (round >= 4) {
                t.limit[i % 2] = UINT64_MAX;
            }
            skip_some(&t, (uint64_t)g_test_rand_int_range(1, most));
            lay_out_some(&t, (uint32_t)g_test_rand_int_range(1, (int)WW_CLOCK_TICKS));
        }
        for (uint32_t l = 0; t.one.n_lanes > 1 && l < t.one.n_lanes;
             l++) { /* one lane has no need to count */
            g_assert_cmpuint(t.one.lane[l].edges, ==, t.many.lane[l].edges);
        }
        most_met = MAX(most_met, t.one.n_lanes);
    }
    g_assert_cmpuint(most_met, >=, 6);
}

/** As many ticks as no loop makes in a test: at the end of second 10^6 the lanes have had their frequencies' edges. */
static void exact_jump(void)
{
    static const double mhz[] = {1132, 900, 300, 850};
    static const uint64_t second = 1000000;
    WwClock clock;
    add_four(&clock, WW_CLOCK_EXACT, mhz);
    g_assert_cmpuint(clock.n_lanes, ==, 4);
    uint64_t before[WW_CLOCK_MAX], edges[WW_CLOCK_MAX] = {0};
    for (uint32_t l = 0; l < 4; l++) {
        before[l] = clock.lane[l].hz * second;
    }
    uint64_t ticks = ww_clock_skip(&clock, UINT64_MAX, before, edges);
    for (uint32_t l = 0; l < 4; l++) {
        g_assert_cmpuint(edges[l], ==, before[l]);
    }
    /* in MHz: pairs meet 4, 4, 2, 300, 50, 50 times, three 4, 2, 2, 50, and all of them 2 */
    g_assert_cmpuint(ticks, ==, (1132 + 900 + 300 + 850 - 410 + 58 - 2) * second * 1000000);
    g_assert_cmphex(ww_clock_next(&clock), ==, 0xf);
}

/** Periods that end in half of the distance of doubles: whether it is rounded up or down depends on the time, edge by edge. */
static void ties(void)
{
    for (int i = 0; i < 40; i++) {
        Two t;
        ww_clock_init(&t.one, WW_CLOCK_ACCELSIM);
        add(&t.one, 1073741824);
        add(&t.one, 1e9 - 1e6 * i);
        t.one.lane[i % 2].period =
            ldexp(1, -30) + ldexp(1, -50); /* from 8 to 16, doubles are 2^-49 apart */
        t.one.lane[0].time = t.one.lane[1].time = 8 + ldexp(i, -46 - i % 4);
        t.many = t.one;
        for (int round = 0; round < 6; round++) {
            t.limit[0] = t.limit[1] = (uint64_t)g_test_rand_int_range(1, 3000);
            skip_some(&t, (uint64_t)g_test_rand_int_range(1, 5000));
            lay_out_some(&t, WW_CLOCK_TICKS);
            g_assert_cmpfloat(t.one.lane[0].time, ==, t.many.lane[0].time);
            g_assert_cmpfloat(t.one.lane[1].time, ==, t.many.lane[1].time);
        }
    }
}

/**
 * By hand: 4:4:4:3. At 0 all; then the DRAM's 1/3 lies between the cores' 1/4 and 2/4, and so on;
 * together again at 1.
 */
static void accelsim_pattern(void)
{
    const double mhz[] = {4, 4, 4, 3};
    const uint32_t core = 1u << CORE | 1u << ICNT | 1u << L2;
    const uint32_t dram = 1u << DRAM;
    const uint32_t expected[] = {core | dram, core, dram, core, dram, core, core | dram, core};
    for (int kind = WW_CLOCK_EXACT; kind <= WW_CLOCK_ACCELSIM; kind++) {
        WwClock clock;
        add_four(&clock, (WwClockKind)kind, mhz);
        /* Doubles meet again at 1 only if they round so: the exact clock must, the other is
         * compared above. */
        for (size_t i = 0; i < (kind == WW_CLOCK_EXACT ? 8 : 6); i++) {
            g_assert_cmphex(ww_clock_next(&clock), ==, expected[i]);
        }
    }
}

/** Tick of the n-th edge of every domain must be the order of the fractions n / hz, for ever. */
static void exact_order(void)
{
    static const uint64_t hz[] = {1132000000, 850000000, 999999937, 7};
    WwClock clock;
    ww_clock_init(&clock, WW_CLOCK_EXACT);
    for (int i = 0; i < 4; i++) {
        add(&clock, (double)hz[i]);
    }
    uint64_t n[4] = {0};
    for (int tick = 0; tick < 1000000; tick++) {
        uint32_t mask = ww_clock_next(&clock);
        int first = __builtin_ctz(mask);
        for (int i = 0; i < 4; i++) {
            __extension__ unsigned __int128 mine = (unsigned __int128)n[i] * hz[first];
            __extension__ unsigned __int128 least = (unsigned __int128)n[first] * hz[i];
            g_assert_true(mask >> i & 1 ? mine == least : mine > least);
        }
        for (int i = 0; i < 4; i++) {
            n[i] += mask >> i & 1;
        }
    }
}

/**
 * After a second of simulated time every domain has made exactly its frequency in edges: nothing
 * drifts.
 */
static void exact_drift_free(void)
{
    const double mhz[] = {1.132, 1.132, 1.132, 0.850};
    WwClock clock;
    add_four(&clock, WW_CLOCK_EXACT, mhz);
    for (int second = 0; second < 3; second++) {
        uint64_t edges[4] = {0};
        g_assert_cmphex(ww_clock_next(&clock), ==, 0xf);
        do {
            uint32_t mask = ww_clock_next(&clock);
            for (int i = 0; i < 4; i++) {
                edges[i] += mask >> i & 1;
            }
        } while (edges[DRAM] != 849999 || edges[CORE] != 1131999);
        g_assert_cmpuint(edges[L2], ==, 1131999);
        g_assert_cmpuint(edges[ICNT], ==, 1131999);
    }
}

/** 10^15 ticks in, the comparison still does not overflow. */
static void exact_far(void)
{
    const double mhz[] = {900000, 900000, 900000, 600000};
    WwClock clock;
    add_four(&clock, WW_CLOCK_EXACT, mhz);
    g_assert_cmpuint(clock.n_lanes, ==, 2);
    clock.lane[0].edges = 3000000000000000;
    clock.lane[1].edges = 2000000000000000;
    g_assert_cmphex(ww_clock_next(&clock), ==, 0xf);
    g_assert_cmphex(ww_clock_next(&clock), ==, 0x7);
    g_assert_cmphex(ww_clock_next(&clock), ==, 0x8);
    g_assert_cmphex(ww_clock_next(&clock), ==, 0x7);
    g_assert_cmphex(ww_clock_next(&clock), ==, 0xf);
}

/** Whole hertz: what rounds to the same frequency is the same frequency. */
static void exact_rounds(void)
{
    WwClock clock;
    ww_clock_init(&clock, WW_CLOCK_EXACT);
    add(&clock, 999999999.6);
    add(&clock, 1000000000.4);
    g_assert_true(ww_clock_uniform(&clock));
    g_assert_cmpuint(clock.lane[0].hz, ==, 1000000000);
    ww_clock_init(&clock, WW_CLOCK_ACCELSIM);
    add(&clock, 999999999.6);
    add(&clock, 1000000000.4);
    g_assert_false(ww_clock_uniform(&clock));
}

static void uniform(void)
{
    for (int kind = WW_CLOCK_EXACT; kind <= WW_CLOCK_ACCELSIM; kind++) {
        WwClock clock;
        ww_clock_init(&clock, (WwClockKind)kind);
        for (int i = 0; i < WW_CLOCK_MAX; i++) {
            add(&clock, 1132e6);
        }
        g_assert_true(ww_clock_uniform(&clock));
        for (int i = 0; i < 100; i++) {
            g_assert_cmphex(ww_clock_next(&clock), ==, 0xff);
        }
    }
}

static void reset(void)
{
    const double mhz[] = {1132, 1132, 1132, 850};
    for (int kind = WW_CLOCK_EXACT; kind <= WW_CLOCK_ACCELSIM; kind++) {
        WwClock clock;
        uint32_t first[500];
        add_four(&clock, (WwClockKind)kind, mhz);
        g_assert_false(ww_clock_uniform(&clock));
        for (int i = 0; i < 500; i++) {
            first[i] = ww_clock_next(&clock);
        }
        ww_clock_reset(&clock);
        for (int i = 0; i < 500; i++) {
            g_assert_cmphex(ww_clock_next(&clock), ==, first[i]);
        }
    }
}

static void refuses(void)
{
    GError *error = NULL;
    WwClock clock;
    static const double bad[] = {0, -1, 0.5, 2e12, INFINITY, NAN};
    ww_clock_init(&clock, WW_CLOCK_ACCELSIM);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_false(ww_clock_add(&clock, bad[i], &error));
        test_assert_error(&error, WW_ERROR_USAGE, "out of range");
    }
    while (clock.n < WW_CLOCK_MAX) {
        add(&clock, 1e9);
    }
    g_assert_false(ww_clock_add(&clock, 1e9, &error));
    test_assert_error(&error, WW_ERROR_WIRING, "at most 8");
}

void test_clock_register(void)
{
    g_test_add_func("/kernel/clock/accelsim/configs", accelsim_configs);
    g_test_add_func("/kernel/clock/accelsim/random", accelsim_random);
    g_test_add_func("/kernel/clock/many_at_once", many_at_once);
    g_test_add_func("/kernel/clock/accelsim/pairs", pairs);
    g_test_add_func("/kernel/clock/accelsim/ties", ties);
    g_test_add_func("/kernel/clock/exact/many", exact_many);
    g_test_add_func("/kernel/clock/exact/jump", exact_jump);
    g_test_add_func("/kernel/clock/accelsim/pattern", accelsim_pattern);
    g_test_add_func("/kernel/clock/exact/order", exact_order);
    g_test_add_func("/kernel/clock/exact/drift-free", exact_drift_free);
    g_test_add_func("/kernel/clock/exact/far", exact_far);
    g_test_add_func("/kernel/clock/exact/rounds", exact_rounds);
    g_test_add_func("/kernel/clock/uniform", uniform);
    g_test_add_func("/kernel/clock/reset", reset);
    g_test_add_func("/kernel/clock/refuses", refuses);
}
