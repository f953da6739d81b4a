/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The timing wheel: against a naive list at every scale of delay, and its corners one by one.
 */
#include "tests.h"

#include "wheel-priv.h"

#include <string.h>

static uint64_t sequence;

static void add(WwWheel *w, WwEvent *e, WwCycle cycle, int32_t priority)
{
    e->cycle = cycle;
    e->priority = priority;
    e->sequence = sequence++;
    ww_wheel_add(w, e);
}

/** Goes to the next pending cycle and takes the first event; NULL at the end. */
static WwEvent *next_event(WwWheel *w)
{
    if (!ww_wheel_due(w)) {
        WwCycle next = ww_wheel_next(w);
        if (next == WW_NEVER) {
            return NULL;
        }
        g_assert_cmpuint(next, >, w->now);
        ww_wheel_advance(w, next);
    }
    g_assert_true(ww_wheel_due(w));
    g_assert_cmpuint(ww_wheel_next(w), ==, w->now);
    WwEvent *first = ww_wheel_peek(w);
    WwEvent *e = ww_wheel_pop(w);
    g_assert_true(first == e);
    g_assert_cmpuint(e->cycle, ==, w->now);
    g_assert_false(ww_event_pending(e));
    return e;
}

static void empty(void)
{
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    ww_wheel_init(w);
    for (int i = 0; i < 1000; i++) {
        g_assert_false(ww_wheel_due(w));
        g_assert_null(ww_wheel_pop(w));
        g_assert_null(ww_wheel_peek(w));
        g_assert_cmpuint(ww_wheel_next(w), ==, WW_NEVER);
        ww_wheel_advance(w, w->now + 1);
    }
    ww_wheel_advance(w, UINT64_MAX - 1);
    g_assert_false(ww_wheel_due(w));
}

/**
 * One event at each power of two and around it, seen from edges that are about to wrap: fires
 * exactly then.
 */
static void exactness(void)
{
    static const WwCycle starts[] = {0,     1,     254,      255,        256,
                                     65535, 65536, 0xffffff, 0xfffffffe, 1ull << 40};
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    for (size_t s = 0; s < G_N_ELEMENTS(starts); s++) {
        for (int bit = 0; bit < 50; bit++) {
            for (int d = -1; d <= 1; d++) {
                WwEvent e = {0};
                WwCycle at = starts[s] + (1ull << bit) + (WwCycle)(int64_t)d;
                ww_wheel_init(w);
                ww_wheel_advance(w, starts[s]);
                add(w, &e, at, 0);
                g_assert_cmpuint(ww_wheel_next(w), ==, at);
                /* In two jumps: half way nothing is due, and the event is found again. */
                ww_wheel_advance(w, starts[s] + (at - starts[s]) / 2);
                g_assert_cmpint(ww_wheel_due(w), ==, w->now == at);
                g_assert_cmpuint(ww_wheel_next(w), ==, at);
                g_assert_true(next_event(w) == &e);
                g_assert_null(next_event(w));
            }
        }
    }
}

/** Edge by edge, without ever asking ww_wheel_next(). */
static void stepping(void)
{
    enum { N = 500, LAST = 200000 };
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    g_autofree WwEvent *events = g_new0(WwEvent, N);
    ww_wheel_init(w);
    for (int i = 0; i < N; i++) {
        add(w, &events[i], (WwCycle)g_test_rand_int_range(0, LAST), 0);
    }
    int fired = 0;
    while (w->now <= LAST) {
        if (ww_wheel_due(w)) {
            for (WwEvent *e; (e = ww_wheel_pop(w)) != NULL; fired++) {
                g_assert_cmpuint(e->cycle, ==, w->now);
            }
        }
        ww_wheel_advance(w, w->now + 1);
    }
    g_assert_cmpint(fired, ==, N);
}

static int compare_events(gconstpointer a, gconstpointer b)
{
    const WwEvent *x = *(WwEvent *const *)a;
    const WwEvent *y = *(WwEvent *const *)b;
    if (x->cycle != y->cycle) {
        return x->cycle < y->cycle ? -1 : 1;
    }
    if (x->priority != y->priority) {
        return x->priority < y->priority ? -1 : 1;
    }
    return x->sequence < y->sequence ? -1 : 1;
}

/** How delays and priorities are drawn. */
typedef struct Mix {
    int bits; /**< Delays below 2^bits, spread over all magnitudes. */
    int priorities;
    int events;
} Mix;

static WwCycle draw(const Mix *mix)
{
    uint64_t bits = (uint64_t)g_test_rand_int() << 32 | (uint32_t)g_test_rand_int();
    int magnitude = g_test_rand_int_range(0, mix->bits + 1);
    return magnitude == 0 ? 0 : bits >> (64 - magnitude);
}

/**
 * Random adding, cancelling, moving and firing; a sorted array of what is pending says what must
 * happen.
 */
static void against_naive(gconstpointer data)
{
    const Mix *mix = data;
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    g_autofree WwEvent *events = g_new0(WwEvent, mix->events);
    g_autoptr(GPtrArray) pending = g_ptr_array_new();
    ww_wheel_init(w);
    if (g_test_rand_bit()) {
        ww_wheel_advance(w, draw(mix));
    }
    for (int step = 0; step < 30000; step++) {
        WwEvent *e = &events[g_test_rand_int_range(0, mix->events)];
        int what = g_test_rand_int_range(0, 10);
        if (what < 6) {
            if (ww_event_pending(e)) {
                ww_wheel_remove(w, e);
                g_assert_true(g_ptr_array_remove_fast(pending, e));
            }
            if (what > 0) {
                add(w, e, w->now + draw(mix), g_test_rand_int_range(0, mix->priorities) - 1);
                g_assert_true(ww_event_pending(e));
                g_ptr_array_add(pending, e);
            }
        } else {
            g_ptr_array_sort(pending, compare_events);
            WwEvent *expected = pending->len != 0 ? pending->pdata[0] : NULL;
            g_assert_cmpuint(ww_wheel_next(w), ==, expected != NULL ? expected->cycle : WW_NEVER);
            if (what == 6 && expected != NULL && expected->cycle > w->now) {
                /* Part of the way. */
                ww_wheel_advance(w, w->now + draw(mix) % (expected->cycle - w->now + 1));
                continue;
            }
            g_assert_true(next_event(w) == expected);
            if (expected != NULL) {
                g_ptr_array_remove_index(pending, 0);
            }
        }
        g_assert_cmpuint(w->n, ==, pending->len);
    }
    g_ptr_array_sort(pending, compare_events);
    for (guint i = 0; i < pending->len; i++) {
        g_assert_true(next_event(w) == pending->pdata[i]);
    }
    g_assert_null(next_event(w));
    g_assert_cmpuint(w->summary, ==, 0);
}

/** Thousands at one edge with priorities in the worst order, added from far and from near. */
static void same_edge(void)
{
    enum { N = 4000 };
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    g_autofree WwEvent *events = g_new0(WwEvent, N);
    for (int far = 0; far < 2; far++) {
        ww_wheel_init(w);
        for (int i = 0; i < N; i++) {
            add(w, &events[i], far ? 70000 : 7, i % 2 != 0 ? -i : g_test_rand_int_range(0, 10));
        }
        const WwEvent *last = NULL;
        for (int i = 0; i < N; i++) {
            WwEvent *e = next_event(w);
            g_assert_true(last == NULL || compare_events(&last, &e) < 0);
            last = e;
        }
        g_assert_null(next_event(w));
    }
}

/** An event that fires schedules more for its own edge: they run in it, after it, in order. */
static void while_firing(void)
{
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    WwEvent events[40];
    memset(events, 0, sizeof events);
    ww_wheel_init(w);
    add(w, &events[0], 5, 0);
    add(w, &events[1], 5, 9);
    g_assert_true(next_event(w) == &events[0]);
    for (int i = 2; i < 40; i++) {
        add(w, &events[i], 5, 40 - i);
    }
    for (int i = 39; i >= 32; i--) {
        g_assert_true(next_event(w) == &events[i]);
    }
    g_assert_true(next_event(w) == &events[1]); /* Priority 9, scheduled before number 31. */
    for (int i = 31; i >= 2; i--) {
        g_assert_true(next_event(w) == &events[i]);
    }
    g_assert_null(next_event(w));
}

/** Cancelling the earliest of a far slot: the next one is still exact. */
static void cancel_earliest(void)
{
    enum { N = 50 };
    static const WwCycle bases[] = {300, 70000, 1ull << 25, 1ull << 33};
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    WwEvent events[N];
    for (size_t b = 0; b < G_N_ELEMENTS(bases); b++) {
        memset(events, 0, sizeof events);
        ww_wheel_init(w);
        for (int i = 0; i < N; i++) {
            add(w, &events[i], bases[b] + (WwCycle)i, 0);
        }
        for (int i = 0; i < N; i++) {
            g_assert_cmpuint(ww_wheel_next(w), ==, bases[b] + (WwCycle)i);
            ww_wheel_remove(w, &events[i]);
            if (i % 3 == 0) {
                /* Forgotten minimum, then an earlier event. */
                add(w, &events[i], bases[b] - 1, 0);
                g_assert_cmpuint(ww_wheel_next(w), ==, bases[b] - 1);
                ww_wheel_remove(w, &events[i]);
            }
        }
        g_assert_cmpuint(ww_wheel_next(w), ==, WW_NEVER);
    }
}

static void clear(void)
{
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    WwEvent events[6];
    memset(events, 0, sizeof events);
    ww_wheel_init(w);
    for (int i = 0; i < 6; i++) {
        add(w, &events[i], 1ull << (8 * i), 0);
    }
    ww_wheel_advance(w, 1);
    ww_wheel_clear(w);
    g_assert_cmpuint(w->now, ==, 0);
    g_assert_cmpuint(ww_wheel_next(w), ==, WW_NEVER);
    for (int i = 0; i < 6; i++) {
        g_assert_false(ww_event_pending(&events[i]));
        add(w, &events[i], 3, 0);
    }
    for (int i = 0; i < 6; i++) {
        g_assert_true(next_event(w) == &events[i]);
    }
}

/** Reported, not asserted: `test_kernel -m perf`. */
static void cost(void)
{
    static const struct {
        int n;
        uint32_t delay;
    } cases[] = {{100, 1000}, {100, 1000000}, {100000, 1000000}};
    g_autofree WwWheel *w = g_new(WwWheel, 1);
    for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
        enum { FIRES = 5000000 };
        g_autofree WwEvent *events = g_new0(WwEvent, cases[c].n);
        uint64_t random = 88172645463325252;
        ww_wheel_init(w);
        for (int i = 0; i < cases[c].n; i++) {
            add(w, &events[i], (WwCycle)g_test_rand_int_range(1, (gint32)cases[c].delay), 0);
        }
        g_test_timer_start();
        for (int i = 0; i < FIRES; i++) {
            if (!ww_wheel_due(w)) {
                ww_wheel_advance(w, ww_wheel_next(w));
            }
            WwEvent *e = ww_wheel_pop(w);
            random = random * 6364136223846793005 + 1442695040888963407;
            add(w, e, w->now + 1 + ((random >> 32) * cases[c].delay >> 32), 0);
        }
        double ns = g_test_timer_elapsed() * 1e9 / FIRES;
        g_test_minimized_result(ns, "%d pending, delays to %u: %.1f ns to schedule and fire",
                                cases[c].n, cases[c].delay, ns);
    }
}

void test_wheel_register(void)
{
    static const Mix mixes[] = {{3, 1, 20},   {9, 3, 100},  {17, 1, 300}, {20, 5, 1000},
                                {26, 2, 300}, {34, 3, 300}, {45, 1, 100}, {48, 1, 20}};
    g_test_add_func("/kernel/wheel/empty", empty);
    g_test_add_func("/kernel/wheel/exactness", exactness);
    g_test_add_func("/kernel/wheel/stepping", stepping);
    for (size_t i = 0; i < G_N_ELEMENTS(mixes); i++) {
        g_autofree char *path =
            g_strdup_printf("/kernel/wheel/against-naive/%d-bits", mixes[i].bits);
        g_test_add_data_func(path, &mixes[i], against_naive);
    }
    g_test_add_func("/kernel/wheel/same-edge", same_edge);
    g_test_add_func("/kernel/wheel/while-firing", while_firing);
    g_test_add_func("/kernel/wheel/cancel-earliest", cancel_earliest);
    g_test_add_func("/kernel/wheel/clear", clear);
    if (g_test_perf()) {
        g_test_add_func("/kernel/wheel/cost", cost);
    }
}
