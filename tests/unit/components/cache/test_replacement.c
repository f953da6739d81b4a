/* SPDX-License-Identifier: Apache-2.0 */
/* A replacement beside a cache: what it is told and asked; which lines the shipped ones let go (test_model.c compares `replacement.lru`). */
#include "tests.h"

#include <testing/fake_replacement.h>

/* Lines of one set of a cache with one set. */
#define LINE(n) ((uint64_t)(n)*128)

static void told(void)
{
    Rig *r = rig_new_with("cache.l1", "sets=4 ways=2 max_bytes=4096", 8, "fake.replacement", NULL);
    WwFakeReplacement *f = ww_harness_peer(r->h, "policy");
    g_assert_cmpuint(f->lines, ==, 32); /* as large as it may become */
    rig_load(r, LINE(6));               /* of set 2; the highest way first */
    g_assert_cmpuint(f->filled, ==, 1);
    g_assert_cmpuint(f->replaced, ==, 0);
    g_assert_cmpuint(f->set, ==, 2);
    g_assert_cmpuint(f->at, ==, 1);
    g_assert_cmphex(f->line, ==, LINE(6));
    g_assert_cmpuint(f->touched, ==, 0);
    g_assert_cmpint(rig_read(r, LINE(6)), ==, WW_CACHE_HIT);
    g_assert_cmpuint(f->touched, ==, 1);
    rig_load(r, LINE(6) + 32); /* a further sector of it */
    g_assert_cmpuint(f->touched, ==, 2);
    rig_load(r, LINE(10));
    g_assert_cmpuint(f->at, ==, 0);
    g_assert_cmpuint(f->asked, ==, 0); /* there were INVALID ones */
    rig_load(r, LINE(14));             /* in the place of the lowest */
    g_assert_cmpuint(f->asked, ==, 1);
    g_assert_cmpuint(f->filled, ==, 3);
    g_assert_cmpuint(f->replaced, ==, 1);
    g_assert_cmpint(rig_read(r, LINE(6)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(10)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    rig_settle(r);
    rig_load(r, LINE(2)); /* nothing goes any more */
    g_assert_cmpuint(f->replaced, ==, 2);
    rig_free(r);
}

/* A carve-out may leave more ways in a set than anyone may ask for. */
static void many_ways(void)
{
    enum { WAYS = 2048 };
    for (uint32_t other = 0; other < 2; other++) {
        Rig *r = rig_new_with("cache.l1", "sets=1 ways=4 max_bytes=524288", 8,
                              other ? "fake.replacement" : NULL, NULL);
        r->c->reshape(r->self, WAYS, false);
        for (uint32_t i = 0; i <= WAYS; i++) {
            rig_load(r, LINE(i));
        }
        r->c->reshape(r->self, WAYS + 1, false); /* what is there is put in order again */
        uint32_t gone = other ? WAYS - 1 : 0;    /* the fake lets way 0 go, which was filled last */
        for (uint32_t i = 0; i <= WAYS; i++) {
            g_assert_true(i == gone || rig_read(r, LINE(i)) == WW_CACHE_HIT);
        }
        rig_free(r);
    }
}

/* Lines under way may not go, nor may modified ones before there are so many of them. */
static void may_go(void)
{
    Rig *r = rig_new_with("cache.l1", "sets=1 ways=3 write=back write_ratio=60", 8,
                          "fake.replacement", NULL);
    WwFakeReplacement *f = ww_harness_peer(r->h, "policy");
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS); /* way 2 is under way */
    rig_write(r, LINE(2), 32);                                /* way 1: modified */
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS); /* way 0 */
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpuint(f->asked, ==, 0); /* none may */
    rig_settle(r);
    rig_load(r, LINE(4)); /* way 0, the lowest */
    g_assert_cmpuint(f->at, ==, 0);
    rig_write(r, LINE(4), 32);
    rig_load(r, LINE(5)); /* two of three are modified: all may go */
    g_assert_cmpuint(f->at, ==, 0);
    rig_free(r);
}

static void wrong(void)
{
    Rig *r = rig_new_with("cache.l1", "sets=1 ways=2", 8, "fake.replacement", NULL);
    WwFakeReplacement *f = ww_harness_peer(r->h, "policy");
    rig_load(r, LINE(1));
    rig_load(r, LINE(2));
    f->way = 2;
    rig_read(r, LINE(3));
    const GError *error = ww_machine_error(ww_harness_machine(r->h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_cmpstr(error->message, ==,
                    "dut: fill_policy chooses way 2 of 2; expected one that may be replaced");
    rig_free(r);
}

static bool has(Rig *r, uint32_t line)
{
    return r->c->probe(r->self, LINE(line)) == WW_CACHE_HIT;
}

/* Prediction values of ways 3 to 0 behind each step; two bits. */
static void srrip(void)
{
    Rig *r = rig_new_with("cache.l1", "sets=1 ways=4", 8, "replacement.srrip", NULL);
    for (uint32_t i = 1; i <= 4; i++) {
        rig_load(r, LINE(i)); /* 2 2 2 2: lines 1 to 4 */
    }
    rig_read(r, LINE(4)); /* 2 2 2 0 */
    rig_load(r, LINE(5)); /* all older by one, way 1 goes, line 3: 3 3 2 1 */
    g_assert_false(has(r, 3));
    rig_load(r, LINE(6)); /* way 2, line 2: 3 2 2 1 */
    g_assert_false(has(r, 2));
    rig_load(r, LINE(7)); /* way 3, line 1: 2 2 2 1 */
    g_assert_false(has(r, 1));
    g_assert_true(has(r, 4)); /* which was hit, and stays longest */
    rig_load(r, LINE(8));     /* older by one again, way 1, line 5: 3 3 2 2 */
    g_assert_false(has(r, 5));
    g_assert_true(has(r, 4) && has(r, 6) && has(r, 7) && has(r, 8));
    rig_free(r);
}

/* A line that takes an INVALID way makes no other one older. */
static void srrip_room(void)
{
    Rig *r = rig_new_with("cache.l1", "sets=1 ways=4", 8, "replacement.srrip", NULL);
    rig_load(r, LINE(1));
    rig_read(r, LINE(1));
    for (uint32_t i = 2; i <= 4; i++) {
        rig_load(r, LINE(i)); /* 0 2 2 2: line 1 was hit */
    }
    uint64_t aged = 1;
    WwMachine *m = ww_harness_machine(r->h);
    g_assert_cmpuint(ww_stat_sum(m, NULL, "replacement.srrip", "aged", &aged, 1), ==, 1);
    g_assert_cmpuint(aged, ==, 0);
    rig_load(r, LINE(5)); /* 1 3 3 2: way 0 goes, line 4 */
    g_assert_true(has(r, 1));
    g_assert_false(has(r, 4));
    ww_stat_sum(m, NULL, "replacement.srrip", "aged", &aged, 1);
    g_assert_cmpuint(aged, ==, 1);
    rig_free(r);
}

void register_replacement_tests(void)
{
    g_test_add_func("/cache/replacement/told", told);
    g_test_add_func("/cache/replacement/many-ways", many_ways);
    g_test_add_func("/cache/replacement/may-go", may_go);
    g_test_add_func("/cache/replacement/wrong", wrong);
    g_test_add_func("/cache/replacement/srrip", srrip);
    g_test_add_func("/cache/replacement/srrip/room", srrip_room);
}
