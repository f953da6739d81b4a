/* SPDX-License-Identifier: Apache-2.0 */
/* The barrier unit on its own: who is held, released and woken, and which copies count. */
#include "tests.h"

#include <testing/fake_cache.h>

typedef struct Unit {
    WwHarness *h;
    const WwBarriersIf *f;
    void *self;
    const WwBarrierView *view;
} Unit;

static void unit_close(Unit *u)
{
    ww_harness_free(u->h);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Unit, unit_close)

/* Two CTAs: slot 0 has warps 0..3, slot 5 warps 4..7. */
static Unit unit_with(const char *params, uint32_t schedulers)
{
    Unit u = {.h = ww_harness_new(test_registry(), "barrier_unit", params)};
    ww_harness_callers(u.h, "barriers", WW_RANK_ISSUE, schedulers);
    ww_harness_start(u.h, NULL);
    u.f = ww_harness_table(u.h, "barriers", &u.self);
    u.view = u.f->view(u.self);
    g_assert_cmpuint(u.view->schedulers, ==, schedulers);
    u.f->cta_enter(u.self, 0, 0x0f);
    u.f->cta_enter(u.self, 5, 0xf0);
    for (uint32_t i = 0; i < schedulers; i++) {
        g_assert_cmpuint(ww_harness_wakes(u.h, "barriers", WW_RANK_ISSUE, i), >=, 1);
    }
    return u;
}

static Unit unit(uint32_t schedulers)
{
    return unit_with(NULL, schedulers);
}

static void assert_wakes(Unit *u, uint32_t mask)
{
    for (uint32_t i = 0; i < u->view->schedulers; i++) {
        g_assert_cmpuint(ww_harness_wakes(u->h, "barriers", WW_RANK_ISSUE, i), ==, mask >> i & 1u);
    }
}

/* All warps of the CTA meet; the last one is never held. */
static void test_meeting(void)
{
    g_auto(Unit) u = unit(4);
    u.f->arrive(u.self, 0);
    u.f->arrive(u.self, 2);
    u.f->arrive(u.self, 3);
    u.f->arrive(u.self, 5); /* the other CTA */
    g_assert_cmphex(u.view->held, ==, 0x2d);
    assert_wakes(&u, 0);
    u.f->arrive(u.self, 1);
    g_assert_cmphex(u.view->held, ==, 0x20);
    assert_wakes(&u, 0xf);
    g_assert_cmpuint(ww_harness_stat(u.h, "arrivals", 0), ==, 5);
    g_assert_cmpuint(ww_harness_stat(u.h, "releases", 0), ==, 1);
    u.f->arrive(u.self, 0); /* and again */
    g_assert_cmphex(u.view->held, ==, 0x21);
}

/* A warp that exits is not waited for, and its exit can be what the others wait for. */
static void test_exit(void)
{
    g_auto(Unit) u = unit(2);
    u.f->exit(u.self, 3);
    u.f->arrive(u.self, 0);
    u.f->arrive(u.self, 2);
    g_assert_cmphex(u.view->held, ==, 0x05);
    assert_wakes(&u, 0);
    u.f->exit(u.self, 1);
    g_assert_cmphex(u.view->held, ==, 0);
    assert_wakes(&u, 0x1);
    u.f->exit(u.self, 0);
    u.f->exit(u.self, 2);
    u.f->cta_leave(u.self, 0);
    u.f->cta_enter(u.self, 1, 0x03); /* the same warps in another slot */
    u.f->arrive(u.self, 0);
    g_assert_cmphex(u.view->held, ==, 0x01);
    u.f->arrive(u.self, 1);
    g_assert_cmphex(u.view->held, ==, 0);
}

static void test_alone(void)
{
    g_auto(Unit) u = unit(1);
    u.f->cta_enter(u.self, 2, 0x01);
    u.f->arrive(u.self, 0);
    g_assert_cmphex(u.view->held, ==, 0);
}

static void test_membar(void)
{
    g_auto(Unit) u = unit(1);
    u.f->set_membar(u.self, 2);
    g_assert_cmphex(u.view->membar, ==, 0x04);
    u.f->complete_membar(u.self, 2);
    g_assert_cmphex(u.view->membar, ==, 0);
    g_assert_cmpuint(ww_harness_stat(u.h, "membars", 0), ==, 1);
}

/* A completed memory barrier invalidates the L1Ds that are bound. */
static void test_membar_flush(void)
{
    for (uint32_t k = 0; k < 3; k++) {
        WwHarness *h = ww_harness_new(test_registry(), "barrier_unit", NULL);
        WwFakeCache *l1[2];
        for (uint32_t i = 0; i < k; i++) {
            l1[i] = ww_harness_fill(h, i == 0 ? "l1[0]" : "l1[1]", NULL, NULL);
        }
        void *self;
        ww_harness_start(h, NULL);
        const WwBarriersIf *f = ww_harness_table(h, "barriers", &self);
        f->cta_enter(self, 0, 1);
        f->set_membar(self, 0);
        for (uint32_t over = 0; over < 2; over++) {
            for (uint32_t i = 0; i < k; i++) {
                g_assert_cmpuint(l1[i]->invalidations, ==, over);
            }
            if (over == 0) {
                f->complete_membar(self, 0);
            }
        }
        g_assert_cmpuint(ww_harness_stat(h, "l1_flushes", 0), ==, k);
        ww_harness_free(h);
    }
}

/* Copies @p n times from pc 100, addresses 0, 1, ..., and commits them as a group. */
static void group(Unit *u, uint64_t pc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        u->f->async_add(u->self, 1, pc, i, false);
    }
    u->f->async_commit(u->self, 1);
}

static void finish(Unit *u, uint64_t pc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        u->f->async_done(u->self, 1, pc, i);
    }
}

/* Waits for all but the last of three groups. */
static void test_copies(void)
{
    g_auto(Unit) u = unit(4);
    group(&u, 100, 9);
    group(&u, 200, 2);
    group(&u, 300, 1);
    u.f->async_wait(u.self, 1, 1);
    g_assert_cmphex(u.view->async, ==, 0x02);
    finish(&u, 100, 9);
    finish(&u, 300, 1);
    u.f->async_done(u.self, 1, 200, 1);
    g_assert_cmphex(u.view->async, ==, 0x02);
    assert_wakes(&u, 0);
    u.f->async_done(u.self, 1, 200, 0);
    g_assert_cmphex(u.view->async, ==, 0);
    assert_wakes(&u, 0x2);
    g_assert_cmpuint(ww_harness_stat(u.h, "copies_issued", 0), ==, 12);
    g_assert_cmpuint(ww_harness_stat(u.h, "copy_waits", 0), ==, 1);
}

/* Nothing to wait for: finished already, without lanes, empty groups, unrelated. */
static void test_copies_done(void)
{
    g_auto(Unit) u = unit(1);
    u.f->async_wait(u.self, 1, 0); /* no group at all */
    u.f->async_wait(u.self, 1, 7); /* undefined in the reference: does not wait */
    g_assert_cmphex(u.view->async, ==, 0);
    u.f->async_add(u.self, 1, 100, 0, true);
    u.f->async_commit(u.self, 1);
    u.f->async_commit(u.self, 1);
    u.f->async_wait(u.self, 1, 0);
    g_assert_cmphex(u.view->async, ==, 0);
    group(&u, 200, 1);
    u.f->async_wait(u.self, 1, 1); /* the only unfinished group may stay */
    u.f->async_wait(u.self, 1, 4); /* more than there are */
    g_assert_cmphex(u.view->async, ==, 0);
    u.f->async_add(u.self, 2, 300, 0, false); /* not committed: not waited for */
    u.f->async_wait(u.self, 2, 0);
    g_assert_cmphex(u.view->async, ==, 0);
}

/* Issued when exactly one group was committed: everything must finish, the open group included. */
static void test_copies_first(void)
{
    g_auto(Unit) u = unit(1);
    group(&u, 100, 1);
    u.f->async_add(u.self, 1, 200, 0, false);
    u.f->async_wait(u.self, 1, 0);
    finish(&u, 100, 1);
    g_assert_cmphex(u.view->async, ==, 0x02);
    finish(&u, 200, 1);
    g_assert_cmphex(u.view->async, ==, 0);
}

/* first_waits_all = false: for the groups that it names. */
static void test_copies_named(void)
{
    g_auto(Unit) u = unit_with("first_waits_all=false", 1);
    group(&u, 100, 1);
    u.f->async_add(u.self, 1, 200, 0, false);
    u.f->async_wait(u.self, 1, 0);
    g_assert_cmphex(u.view->async, ==, 0x02);
    finish(&u, 100, 1);
    g_assert_cmphex(u.view->async, ==, 0);
}

/* The oldest copy of the same pc and address is meant; unknown ones change nothing. */
static void test_copies_same(void)
{
    g_auto(Unit) u = unit(1);
    group(&u, 100, 1);
    group(&u, 100, 1);
    u.f->async_wait(u.self, 1, 1);
    g_assert_cmphex(u.view->async, ==, 0x02);
    u.f->async_done(u.self, 1, 100, 77);
    u.f->async_done(u.self, 1, 96, 0);
    g_assert_cmphex(u.view->async, ==, 0x02);
    u.f->async_done(u.self, 1, 100, 0);
    g_assert_cmphex(u.view->async, ==, 0);
    u.f->async_wait(u.self, 1, 0);
    g_assert_cmphex(u.view->async, ==, 0x02);
    u.f->async_done(u.self, 1, 100, 0);
    g_assert_cmphex(u.view->async, ==, 0);
}

/* A new CTA begins without history. */
static void test_fresh(void)
{
    g_auto(Unit) u = unit(1);
    group(&u, 100, 1);
    u.f->async_wait(u.self, 1, 0);
    u.f->set_membar(u.self, 1);
    u.f->arrive(u.self, 1);
    u.f->cta_leave(u.self, 0);
    u.f->cta_enter(u.self, 0, 0x0f);
    g_assert_cmphex(u.view->held | u.view->membar | u.view->async, ==, 0);
    u.f->async_commit(u.self, 1);
    u.f->async_wait(u.self, 1, 0);
    g_assert_cmphex(u.view->async, ==, 0);
}

void register_barrier_unit_tests(void)
{
    g_test_add_func("/issue/barrier_unit/meeting", test_meeting);
    g_test_add_func("/issue/barrier_unit/exit", test_exit);
    g_test_add_func("/issue/barrier_unit/alone", test_alone);
    g_test_add_func("/issue/barrier_unit/membar", test_membar);
    g_test_add_func("/issue/barrier_unit/membar_flush", test_membar_flush);
    g_test_add_func("/issue/barrier_unit/copies", test_copies);
    g_test_add_func("/issue/barrier_unit/copies_done", test_copies_done);
    g_test_add_func("/issue/barrier_unit/copies_first", test_copies_first);
    g_test_add_func("/issue/barrier_unit/copies_named", test_copies_named);
    g_test_add_func("/issue/barrier_unit/copies_same", test_copies_same);
    g_test_add_func("/issue/barrier_unit/fresh", test_fresh);
}
