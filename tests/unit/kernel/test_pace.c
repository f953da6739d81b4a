/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Who runs windows: one thread or several, on hosts where several are worth what a test says. The time of a turn with one thread is 1.
 */
#include "tests.h"

#include "pace-priv.h"

enum { ALL = 2000, TURNS = 1000 };

/** So many times as fast are several threads in window @p i. */
typedef double (*Worth)(uint32_t i);

typedef struct Run {
    uint32_t several; /* Windows that several threads ran. */
    double time;
} Run;

static bool were_several; /* In the window before. */
static double turns;      /* Of this one: as many as its worth says, or TURNS. */

static Run run_on(Worth worth, uint32_t windows, bool busy)
{
    Pace p = {.busy = busy};
    Run r = {0};
    were_several = false;
    for (uint32_t i = 0; i < windows; i++) {
        turns = TURNS;
        bool several = ww_pace_several(&p);
        double gain = worth(i), time = several ? turns / gain : turns;
        ww_pace_note(&p, time, turns);
        r.several += several;
        r.time += time;
        were_several = several;
    }
    return r;
}

static Run run(Worth worth, uint32_t windows)
{
    return run_on(worth, windows, false);
}

static double much(uint32_t i)
{
    (void)i;
    return 1.7;
}

static double little(uint32_t i)
{
    (void)i;
    return 1.2;
}

static double a_tenth(uint32_t i)
{
    (void)i;
    return 0.1;
}

/* The first one is of threads that have hardly begun. */
static double late(uint32_t i)
{
    return i < 3 ? 0.1 : 1.7;
}

/* What partitions have comes from other cores first. */
static double moves(uint32_t i)
{
    (void)i;
    turns = 8000;
    return were_several ? 1.7 : 0.6;
}

static double huge(uint32_t i)
{
    (void)i;
    turns = 60000;
    return 1.7;
}

static double soon(uint32_t i)
{
    return i < 100 ? 0.5 : 1.7;
}

static double until_then(uint32_t i)
{
    return i < ALL / 2 ? 1.7 : 0.5;
}

static double from_then_on(uint32_t i)
{
    return i < ALL / 2 ? 0.5 : 1.7;
}

static double now_and_then(uint32_t i)
{
    return i / 8 % 2 == 0 ? 1.7 : 0.3;
}

/* Where the first CTAs come there is little to do in a window. */
static double when_large(uint32_t i)
{
    turns = i < 15 ? 300 : 30000;
    return i < 15 ? 0.7 : 1.7;
}

static void test_pays(void)
{
    g_assert_cmpuint(run(much, ALL).several, >, ALL - 40);
    g_assert_cmpuint(run(little, ALL).several, >, ALL - 40);
    g_assert_cmpuint(run(late, ALL).several, >, ALL - 40);
    g_assert_cmpuint(run(moves, ALL).several, >, ALL - 80);
    g_assert_cmpuint(run(when_large, 40).several, >, 20); /* of 25 large ones */
}

static void test_does_not(void)
{
    Run r = run(a_tenth, ALL);
    g_assert_cmpuint(r.several, >, 1); /* it might */
    g_assert_cmpuint(r.several, <, 20);
    g_assert_cmpfloat(r.time, <, 1.1 * TURNS * ALL);
}

/* Where there is other work to begin with, short runs are not for tries; it may end. */
static void test_busy(void)
{
    g_assert_cmpuint(run_on(a_tenth, 60, true).several, ==, 0);
    g_assert_cmpuint(run_on(huge, 20, true).several, >, 12);
    g_assert_cmpuint(run_on(much, ALL, true).several, >, ALL - 110);
}

/* What was right is looked at again. */
static void test_changes(void)
{
    Run r = run(until_then, ALL);
    g_assert_cmpuint(r.several, >, ALL / 2 - 10);
    g_assert_cmpuint(r.several, <, ALL - 200);
    g_assert_cmpuint(run(soon, ALL).several, >, ALL - 500);
    r = run(from_then_on, ALL);
    g_assert_cmpuint(r.several, >, 200);
    g_assert_cmpuint(r.several, <, ALL / 2 + 10);
}

/* Where it is one thing and the other, not much is lost. */
static void test_wavers(void)
{
    g_assert_cmpfloat(run(now_and_then, ALL).time, <, 1.25 * TURNS * ALL);
}

void test_pace_register(void)
{
    static const TestRow tests[] = {
        {"pays", test_pays},       {"does_not", test_does_not}, {"busy", test_busy},
        {"changes", test_changes}, {"wavers", test_wavers},
    };
    test_add_rows("/kernel/pace", tests, G_N_ELEMENTS(tests));
}
