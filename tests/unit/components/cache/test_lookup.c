/* SPDX-License-Identifier: Apache-2.0 */
/* The tag array: what is found, which line goes, what invalidation and resizing leave behind. */
#include "tests.h"

/* Lines of one set of a cache with one set. */
#define LINE(n) ((uint64_t)(n)*128)

static void test_sectors(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 8);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS); /* pending, merged */
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(1) + 64), ==, WW_CACHE_MISS); /* another sector */
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.MISS"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.HIT_RESERVED"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.MSHR_HIT"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.SECTOR_MISS"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.HIT"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r->h, "accesses", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(r->h, "misses", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(r->h, "pending_hits", 0), ==, 1);
    rig_free(r);
}

/*
 * Fills ways 3, 2, 1, 0 in this order: the highest invalid way is taken; then the least recently
 * used.
 */
static void test_lru(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 8);
    for (uint32_t i = 1; i <= 4; i++) {
        rig_load(r, LINE(i));
    }
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_load(r, LINE(5)); /* instead of 2 */
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS); /* instead of 4 */
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* Of lines of one age the lowest way goes: the one that was filled last. */
static void test_lru_tie(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 8);
    for (uint32_t i = 1; i <= 4; i++) {
        r->now = 10;
        g_assert_cmpint(rig_read(r, LINE(i)), ==, WW_CACHE_MISS);
    }
    rig_settle(r);
    r->now = 100;
    rig_load(r, LINE(5)); /* way 0 held line 4 */
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_MISS);
    rig_free(r);
}

static void test_fifo(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=2 replacement=fifo", 8);
    rig_load(r, LINE(1));
    rig_load(r, LINE(2));
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_load(r, LINE(3)); /* instead of 1, however recently it was used */
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    rig_free(r);
}

static void test_all_reserved(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=2", 8);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    for (int i = 0; i < 3; i++) { /* every retry counts */
        g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_RESERVATION_FAIL);
    }
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.LINE_ALLOC_FAIL"), ==, 3);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.RESERVATION_FAIL"), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r->h, "reservation_fails", 0), ==, 3);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* Modified lines stay until a share of the cache is dirty; a set full of them takes nothing. */
static void test_write_ratio(void)
{
    Rig *r = rig_new("cache.l1", "sets=2 ways=2 write_ratio=75", 16);
    g_assert_cmpint(rig_write(r, LINE(0), 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(2), 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_RESERVATION_FAIL); /* 50 % */
    g_assert_cmpint(rig_write(r, LINE(1), 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_MISS); /* 75 % */
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpuint(ww_harness_stat(r->h, "write_backs", 0), ==, 0); /* written through already */
    rig_free(r);
}

static void test_clean_first(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=2 write_ratio=100", 16);
    rig_write(r, LINE(1), 32);
    rig_load(r, LINE(2));
    rig_load(r, LINE(3)); /* instead of 2, which is younger but clean */
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
}

static void test_invalidate(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 16);
    rig_load(r, LINE(1));
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    rig_settle(r);
    r->c->clear(r->self, WW_CACHE_ALL);
    rig_free(r);
}

/*
 * A fill that was under way makes its remembered way VALID although that was invalidated; without
 * an access since, the next invalidation is skipped and the line stays.
 */
static void test_fill_after_invalidate(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 16);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    rig_settle(r);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/*
 * A repeated miss to a wiped line merges, and takes a second way that only the next miss of its own
 * fills.
 */
static void test_wiped_twice(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4", 16);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS); /* way 3 */
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(7)), ==, WW_CACHE_MISS); /* way 3 again */
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS); /* way 2, merged */
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.MSHR_HIT"), ==, 1);
    WwMemReq *first = rig_cycle(r);
    r->c->fill(r->self, first, ++r->now); /* makes way 3 VALID, which is line 7's by now */
    g_assert_cmpint(rig_read(r, LINE(7)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS); /* way 2 is still reserved */
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.HIT_RESERVED"), ==, 1);
    rig_free(r);
}

/* Dirty lines are dropped, clean ones stay. */
static void test_flush_dirty(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=4 index=linear", 16);
    rig_load(r, LINE(1));
    g_assert_cmpint(rig_write(r, LINE(2), 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(2), 32), ==, WW_CACHE_HIT);
    r->c->clear(r->self, WW_CACHE_DIRTY);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmpuint(ww_harness_stat(r->h, "write_backs", 0), ==, 0);
    rig_free(r);
}

/*
 * The same lines, read with other sets: way 2 of 4 in set 0 is set 1's way 0 of 2. Hidden ones come
 * back as they were.
 */
static void test_ways(void)
{
    Rig *r = rig_new("cache.l1", "sets=2 ways=4 max_bytes=1024", 16);
    rig_load(r, LINE(0)); /* set 0, way 3: line 3 of the array */
    rig_load(r, LINE(2)); /* set 0, way 2 */
    rig_load(r, LINE(1)); /* set 1, way 3: array line 7 */
    g_assert_cmpuint(r->c->ways(r->self), ==, 4);
    r->c->reshape(r->self, 2, false);
    g_assert_cmpuint(r->c->ways(r->self), ==, 2);
    g_assert_cmpuint(r->c->facts(r->self)->ways, ==, 4);      /* as configured */
    g_assert_cmpint(rig_read(r, LINE(0)), ==, WW_CACHE_MISS); /* set 0 has array lines 0, 1 now */
    rig_settle(r);
    r->c->clear(r->self, WW_CACHE_ALL); /* reaches array lines 0..3 only */
    r->c->reshape(r->self, 4, false);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT); /* was hidden */
    r->c->reshape(r->self, 2, false);
    ww_harness_reset(r->h);
    g_assert_cmpuint(r->c->ways(r->self), ==, 4);
    rig_free(r);
}

/* Allocation at the fill: a miss takes no line; what comes back evicts then. */
static void test_on_fill(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=1 write=read_only allocate=fill", 16);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    rig_free(r);
}

static void test_streaming(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=1 write_allocate=none allocate=streaming", 16);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_settle(r);
    r->c->reshape(r->self, 1, false);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_RESERVATION_FAIL);
    rig_free(r);
    r = rig_new("cache.l1", "sets=1 ways=1", 16); /* others are what they are */
    r->c->reshape(r->self, 1, true);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_RESERVATION_FAIL);
    rig_free(r);
}

/* A copy from the host: clean at once, no statistics; over a MODIFIED sector it makes it VALID. */
static void test_install(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=2 index=linear", 16);
    r->c->install(r->self, LINE(1) + 32, 0, 1, 1);
    g_assert_cmpuint(ww_harness_stat(r->h, "accesses", 0), ==, 0);
    g_assert_cmpint(rig_read(r, LINE(1) + 32), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    rig_settle(r);
    rig_write(r, LINE(2), 32);
    r->c->install(r->self, LINE(2), 0, 1, ++r->now);
    rig_load(r, LINE(3));
    rig_load(r, LINE(4)); /* both lines have gone, and nothing was written back */
    g_assert_cmpuint(ww_harness_stat(r->h, "write_backs", 0), ==, 0);
    rig_free(r);
}

/* Several sectors at once are those, also of the next line. */
static void test_install_several(void)
{
    Rig *r = rig_new("cache.l2", "sets=4 ways=2 index=linear", 16);
    r->c->install(r->self, LINE(1) + 64, LINE(1) + 64, 3, 1);
    for (uint32_t i = 0; i < 5; i++) {
        bool there = i >= 1 && i <= 3;
        g_assert_cmpint(rig_read(r, LINE(1) + 32 + 32 * i), ==,
                        there ? WW_CACHE_HIT : WW_CACHE_MISS);
        rig_settle(r);
    }
    rig_free(r);
}

/* skip_unused = false: what a fill made valid is invalidated though nothing was accessed since. */
static void test_invalidate_always(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4 skip_unused=false", 16);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    rig_settle(r);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* fills_blindly = false: way 3 stays line 7's; the fill goes to way 2, which waits for line 2 now. */
static void test_fill_by_tag(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4 fills_blindly=false", 16);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(7)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    WwMemReq *first = rig_cycle(r);
    r->c->fill(r->self, first, ++r->now);
    g_assert_cmpint(rig_read(r, LINE(7)), ==, WW_CACHE_MISS); /* pending */
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    r->c->clear(r->self, WW_CACHE_ALL);
    WwMemReq *second = rig_cycle(r);
    r->c->fill(r->self, second, ++r->now); /* nobody waits: it fills nothing */
    g_assert_cmpint(rig_read(r, LINE(7)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* A blind fill brings line 2 back to way 1, while way 0 waits for it: the lower one is found. */
static void test_fill_twice(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=4 free_from_top=false", 16);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_cycle(r);
    r->c->fill(r->self, rig_cycle(r), ++r->now);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* free_from_top = false: the lowest way is filled first, so that of equal ages it goes first. */
static void test_free_from_bottom(void)
{
    Rig *r = rig_new(
        "cache.l1",
        "sets=2 ways=80 index=linear mshr_entries=128 miss_queue=256 free_from_top=false", 256);
    for (uint32_t i = 0; i < 80; i++) {
        r->now = 10;
        g_assert_cmpint(rig_read(r, LINE(2 * i + 1)), ==, WW_CACHE_MISS);
    }
    rig_settle(r);
    r->now = 100;
    rig_load(r, LINE(201)); /* way 0 held line 1 */
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(159)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* exact_dirty: a copy over a modified sector takes its line off the count; else it stays there. */
static void test_exact_dirty(void)
{
    for (int exact = 0; exact < 2; exact++) {
        g_autofree char *params = g_strdup_printf(
            "sets=1 ways=4 write=back write_ratio=50 exact_dirty=%s", exact ? "true" : "false");
        Rig *r = rig_new("cache.l1", params, 16);
        rig_write(r, LINE(1), 32);
        r->c->install(r->self, LINE(1), 0, 1, ++r->now);
        for (uint32_t i = 2; i <= 4; i++) {
            rig_load(r, LINE(i));
        }
        rig_write(r, LINE(2), 32); /* the only modified line, and the older of two */
        g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
        g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_HIT);
        g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_HIT);
        rig_load(r, LINE(5)); /* two of four count as dirty, or one */
        g_assert_cmpuint(ww_harness_stat(r->h, "write_backs", 0), ==, (exact ? 0 : 1));
        rig_free(r);
    }
}

/* Times of 32 bits begin again: what was accessed before 2^32 then counts as younger; not with stamps_wrap = false. */
static void test_stamps_wrap(void)
{
    for (int right = 0; right < 2; right++) {
        g_autofree char *params = g_strdup_printf(
            "sets=1 ways=4 max_bytes=512 write_ratio=25 stamps_wrap=%s", right ? "false" : "true");
        for (int way = 0; way < 4; way++) { /* 1: touched, 2: put in order anew, 3: modified */
            Rig *r = rig_new("cache.l1", params, 16);
            r->now = (1ull << 32) - 50;
            rig_load(r, LINE(1));
            rig_load(r, LINE(2));
            if (way == 3) {
                rig_write(r, LINE(1), 32);
            }
            r->now = 1ull << 32;
            rig_load(r, LINE(3));
            rig_load(r, LINE(4));
            if (way == 1) {
                g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
            } else if (way == 2) {
                r->c->reshape(r->self, 2, false);
                r->c->reshape(r->self, 4, false);
            }
            rig_load(r, LINE(5));
            uint64_t gone = !right ? 3 : way == 1 || way == 3 ? 2 : 1;
            for (uint64_t i = 1; i <= 4; i++) {
                if (i != gone) {
                    g_assert_cmpint(rig_read(r, LINE(i)), ==, WW_CACHE_HIT);
                }
            }
            g_assert_cmpint(rig_read(r, LINE(gone)), ==, WW_CACHE_MISS);
            rig_free(r);
        }
    }
}

void register_lookup_tests(void)
{
    g_test_add_func("/cache/lookup/sectors", test_sectors);
    g_test_add_func("/cache/lookup/lru", test_lru);
    g_test_add_func("/cache/lookup/lru-tie", test_lru_tie);
    g_test_add_func("/cache/lookup/fifo", test_fifo);
    g_test_add_func("/cache/lookup/all-reserved", test_all_reserved);
    g_test_add_func("/cache/lookup/write-ratio", test_write_ratio);
    g_test_add_func("/cache/lookup/clean-first", test_clean_first);
    g_test_add_func("/cache/lookup/invalidate", test_invalidate);
    g_test_add_func("/cache/lookup/fill-after-invalidate", test_fill_after_invalidate);
    g_test_add_func("/cache/lookup/wiped-twice", test_wiped_twice);
    g_test_add_func("/cache/lookup/flush-dirty", test_flush_dirty);
    g_test_add_func("/cache/lookup/ways", test_ways);
    g_test_add_func("/cache/lookup/on-fill", test_on_fill);
    g_test_add_func("/cache/lookup/streaming", test_streaming);
    g_test_add_func("/cache/lookup/install", test_install);
    g_test_add_func("/cache/lookup/install-several", test_install_several);
    g_test_add_func("/cache/lookup/invalidate-always", test_invalidate_always);
    g_test_add_func("/cache/lookup/fill-by-tag", test_fill_by_tag);
    g_test_add_func("/cache/lookup/fill_twice", test_fill_twice);
    g_test_add_func("/cache/lookup/free-from-bottom", test_free_from_bottom);
    g_test_add_func("/cache/lookup/exact-dirty", test_exact_dirty);
    g_test_add_func("/cache/lookup/stamps-wrap", test_stamps_wrap);
}
