/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Who runs windows: one thread or several, on hosts where several are worth what a test says. The time of a turn with one thread is 1.
 */
#include "tests.h"

#include "pace-priv.h"

enum { ALL = 2000 };

/** So many times as fast are several threads in window @p i. */
typedef double (*Worth)(uint32_t i);

typedef struct Run {
    uint32_t several; /* Windows that several threads ran. */
    double time;
} Run;

static Run run(Worth worth, uint32_t windows)
{
    Pace p = {0};
    Run r = {0};
    for (uint32_t i = 0; i < windows; i++) {
        bool several = ww_pace_several(&p);
        double pace = several ? 1 / worth(i) : 1;
        ww_pace_note(&p, pace);
        r.several += several;
        r.time += pace;
    }
    return r;
}

static double much(uint32_t i)
{
    (void)i;
    return 1.7;
}

static double little(uint32_t i)
{
    (void)i;
    return 1.1;
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

static void test_pays(void)
{
    g_assert_cmpuint(run(much, ALL).several, >, ALL - 40);
    g_assert_cmpuint(run(little, ALL).several, >, ALL - 40);
    g_assert_cmpuint(run(late, ALL).several, >, ALL - 40);
}

static void test_does_not(void)
{
    Run r = run(a_tenth, ALL);
    g_assert_cmpuint(r.several, >, 1); /* it might */
    g_assert_cmpuint(r.several, <, 20);
    g_assert_cmpfloat(r.time, <, 1.1 * ALL);
}

/* What was right is looked at again. */
static void test_changes(void)
{
    Run r = run(until_then, ALL);
    g_assert_cmpuint(r.several, >, ALL / 2 - 10);
    g_assert_cmpuint(r.several, <, ALL - 200);
    r = run(from_then_on, ALL);
    g_assert_cmpuint(r.several, >, 200);
    g_assert_cmpuint(r.several, <, ALL / 2 + 10);
}

/* Where it is one thing and the other, not much is lost. */
static void test_wavers(void)
{
    g_assert_cmpfloat(run(now_and_then, ALL).time, <, 1.25 * ALL);
}

void test_pace_register(void)
{
    static const TestRow tests[] = {
        {"pays", test_pays},
        {"does_not", test_does_not},
        {"changes", test_changes},
        {"wavers", test_wavers},
    };
    test_add_rows("/kernel/pace", tests, G_N_ELEMENTS(tests));
}
