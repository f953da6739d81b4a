/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of round trips: what is folded when, at the edges of windows and of intervals, asleep and awake; round trips by bank.
 */
#include "tests.h"

#include <ports/latency.h>

typedef struct Rig {
    WwHarness *h;
    const WwLatencyIf *l;
    void *self;
} Rig;

static Rig rig_new(const char *params, bool no_sleep)
{
    Rig r = {.h = ww_harness_new(registry, "latency_meter", params)};
    ww_machine_set_no_sleep(ww_harness_machine(r.h), no_sleep);
    g_assert_true(ww_harness_start(r.h, NULL));
    r.l = ww_harness_table(r.h, "latency", &r.self);
    return r;
}

/* Steps up to the edge @p edge, and tells of a response in it. */
static void handed_at(Rig *r, WwCycle edge, uint32_t latency)
{
    WwMemReq req = {.at = {.channel = 1, .bank = 3}};
    ww_harness_step(r->h, edge - ww_harness_now(r->h));
    r->l->handed(r->self, &req, latency, edge);
}

static void assert_folded(Rig *r, uint64_t n, uint64_t sum)
{
    ww_machine_settle(ww_harness_machine(r->h));
    g_assert_cmpuint(ww_harness_stat(r->h, "folded", 0), ==, n);
    g_assert_cmpuint(ww_harness_stat(r->h, "folded_sum", 0), ==, sum);
}

/* The last edge of a window belongs to it; it is folded at the end of that edge. */
static void windows(bool no_sleep)
{
    Rig r = rig_new("window=10", no_sleep);
    handed_at(&r, 0, 100);
    handed_at(&r, 9, 50);
    assert_folded(&r, 0, 0);
    ww_harness_step(r.h, 1);
    assert_folded(&r, 2, 150);
    handed_at(&r, 10, 7);
    ww_harness_step(r.h, 9);
    assert_folded(&r, 2, 150);
    ww_harness_step(r.h, 1);
    assert_folded(&r, 3, 157);
    handed_at(&r, 35, 1); /* a window without any in between */
    handed_at(&r, 47, 2);
    assert_folded(&r, 4, 158);
    ww_harness_step(r.h, 100);
    assert_folded(&r, 5, 160);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 6), ==, 1); /* 75 on average */
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 2), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 1), ==, 1);
    ww_harness_free(r.h);
}

static void test_windows(void)
{
    windows(false);
    windows(true);
}

/* Who reads in the middle of a window does not divide it, though the one before it is folded by that. */
static void test_read_between(void)
{
    Rig r = rig_new("window=10", false);
    handed_at(&r, 12, 5);
    handed_at(&r, 22, 64);
    assert_folded(&r, 1, 5);
    handed_at(&r, 23, 70);
    ww_harness_step(r.h, 10);
    assert_folded(&r, 3, 139);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 6), ==, 1);
    ww_harness_free(r.h);
}

/* Nobody reads, so nothing is folded before it must be: two windows are open, and each response is in its own. */
static void test_two_open(void)
{
    Rig r = rig_new("window=10", false);
    handed_at(&r, 2, 1);
    handed_at(&r, 10, 64); /* the first edge behind the window before */
    WwMemReq late = {.at = {.channel = 1, .bank = 3}};
    r.l->handed(r.self, &late, 1, 9); /* of a partition that is not as far */
    handed_at(&r, 22, 1024);          /* ends the older one of the two that are open */
    r.l->handed(r.self, &late, 66, 19);
    handed_at(&r, 23, 1026);
    ww_harness_step(r.h, 20);
    assert_folded(&r, 6, 2182);
    for (uint32_t i = 0; i < 12; i++) {
        g_assert_cmpuint(ww_harness_stat(r.h, "window_table", i), ==, i == 0 || i == 6 || i == 10);
    }
    ww_harness_free(r.h);
}

/* The run goes on after a pause: the next interval begins. It has no turns, so the bench alone does not pause. */
static void resume(const Rig *r)
{
    WwComponent *c = ww_harness_self(r->h);
    c->type->resume(c);
}

/* The interval ends with the edge @p edge, in which there is a response, too. */
static void end_interval(Rig *r, WwCycle edge, uint32_t latency)
{
    handed_at(r, edge, latency);
    ww_harness_step(r->h, 1);
}

/* What an interval cut short is folded after it: its report does not have it, the next one's has. */
static void intervals(bool no_sleep)
{
    Rig r = rig_new("window=10", no_sleep);
    handed_at(&r, 12, 5);
    end_interval(&r, 15, 6);
    assert_folded(&r, 0, 0);
    resume(&r);
    ww_harness_step(r.h, 1);
    assert_folded(&r, 2, 11);
    handed_at(&r, 24, 3); /* windows count from the beginning of the interval: 16 to 25 */
    ww_harness_step(r.h, 1);
    assert_folded(&r, 2, 11);
    ww_harness_step(r.h, 1);
    assert_folded(&r, 3, 14);
    ww_harness_free(r.h);
}

/* The next report has it, too, if nothing came back in the interval that it closes. */
static void empty_interval(bool no_sleep)
{
    Rig r = rig_new("window=10", no_sleep);
    handed_at(&r, 12, 5);
    end_interval(&r, 15, 6);
    assert_folded(&r, 0, 0);
    resume(&r);
    ww_harness_step(r.h, 3);
    assert_folded(&r, 2, 11);
    ww_harness_free(r.h);
}

/* The first response of the new interval does not join the window of the old one. */
static void first_of_interval(bool no_sleep)
{
    Rig r = rig_new("window=10", no_sleep);
    end_interval(&r, 15, 64);
    resume(&r);
    handed_at(&r, 16, 4);
    ww_harness_step(r.h, 10);
    assert_folded(&r, 2, 68);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 6), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "window_table", 2), ==, 1);
    ww_harness_free(r.h);
}

/* An interval of whole windows leaves nothing out. */
static void whole_interval(bool no_sleep)
{
    Rig r = rig_new("window=10", no_sleep);
    end_interval(&r, 19, 6);
    assert_folded(&r, 1, 6);
    ww_harness_free(r.h);
}

static void test_intervals(void)
{
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        intervals(no_sleep);
        empty_interval(no_sleep);
        first_of_interval(no_sleep);
        whole_interval(no_sleep);
    }
}

static void test_banks(void)
{
    Rig r = rig_new(NULL, false);
    handed_at(&r, 0, 10);
    handed_at(&r, 0, 30);
    handed_at(&r, 2, 20);
    WwBankLatency l = r.l->bank(r.self, 1, 3);
    g_assert_cmpuint(l.sum, ==, 60);
    g_assert_cmpuint(l.max, ==, 30);
    g_assert_cmpuint(r.l->bank(r.self, 0, 3).sum, ==, 0);
    g_assert_cmpuint(r.l->bank(r.self, 7, 0).sum, ==, 0);
    g_assert_cmpuint(r.l->bank(r.self, 256, 0).sum, ==, 0); /* there are no more than 256 */
    g_assert_cmpuint(r.l->bank(r.self, 1, WW_MAX_DRAM_BANKS).sum, ==, 0);
    ww_harness_reset(r.h);
    g_assert_cmpuint(r.l->bank(r.self, 1, 3).max, ==, 0);
    ww_harness_free(r.h);
}

/* A channel may have 64 banks. */
static void test_all_banks(void)
{
    Rig r = rig_new(NULL, false);
    for (uint32_t b = 0; b < WW_MAX_DRAM_BANKS; b++) {
        WwMemReq req = {.at = {.channel = 1, .bank = b}};
        r.l->handed(r.self, &req, 100 + b, 0);
    }
    for (uint32_t b = 0; b < WW_MAX_DRAM_BANKS; b++) {
        g_assert_cmpuint(r.l->bank(r.self, 1, b).sum, ==, 100 + b);
    }
    ww_harness_reset(r.h);
    g_assert_cmpuint(r.l->bank(r.self, 1, WW_MAX_DRAM_BANKS - 1).sum, ==, 0);
    ww_harness_free(r.h);
}

void add_latency_tests(void)
{
    g_test_add_func("/l2/latency/windows", test_windows);
    g_test_add_func("/l2/latency/read-between", test_read_between);
    g_test_add_func("/l2/latency/two-open", test_two_open);
    g_test_add_func("/l2/latency/intervals", test_intervals);
    g_test_add_func("/l2/latency/banks", test_banks);
    g_test_add_func("/l2/latency/all-banks", test_all_banks);
}
