/* SPDX-License-Identifier: Apache-2.0 */
/* Reads: misses under way, the miss queue, responses, atomics. */
#include "tests.h"

#define LINE(n) ((uint64_t)(n)*128)

/* The request that misses travels as one for its sector and is itself again when it comes back. */
static void test_round_trip(void)
{
    Rig *r = rig_new("cache.l1", NULL, 4);
    WwMemReq *req = rig_req(r, false, LINE(3) + 40, 4);
    req->addr = LINE(3) + 40;
    req->size = 8;
    g_assert_cmpint(rig_access(r, req), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ);
    g_assert_true(rig_cycle(r) == req);
    g_assert_cmphex(req->addr, ==, LINE(3) + 32);
    g_assert_cmpuint(req->size, ==, 32);
    g_assert_true(ww_cache_awaits(r->c->facts(r->self), req));
    g_assert_null(r->c->peek(r->self));
    r->c->fill(r->self, req, 9);
    g_assert_cmphex(req->addr, ==, LINE(3) + 40);
    g_assert_cmpuint(req->size, ==, 8);
    g_assert_false(ww_cache_awaits(r->c->facts(r->self), req));
    g_assert_nonnull(r->c->peek(r->self));
    g_assert_true(r->c->peek(r->self) == req);
    g_assert_true(r->c->take(r->self) == req);
    g_assert_null(r->c->peek(r->self));
    rig_free(r);
}

/*
 * Keys in order of completion, requests in order of arrival; the key is taken until its last
 * request is.
 */
static void test_order(void)
{
    Rig *r = rig_new("cache.l1", "mshr_entries=2", 8);
    WwMemReq *q[4];
    static const uint64_t at[] = {LINE(1), LINE(2), LINE(1), LINE(2)};
    for (int i = 0; i < 4; i++) {
        q[i] = rig_req(r, false, at[i], 4);
        g_assert_cmpint(rig_access(r, q[i]), ==, WW_CACHE_MISS);
    }
    g_assert_true(rig_cycle(r) == q[0]);
    g_assert_true(rig_cycle(r) == q[1]);
    g_assert_null(rig_cycle(r)); /* merged ones go nowhere */
    r->c->fill(r->self, q[1], 10);
    r->c->fill(r->self, q[0], 10);
    static const int order[] = {1, 3, 0, 2};
    for (int i = 0; i < 4; i++) {
        if (i == 1) {
            g_assert_cmpint(rig_read(r, LINE(5)), ==, WW_CACHE_RESERVATION_FAIL);
        }
        g_assert_true(r->c->take(r->self) == q[order[i]]);
        if (i == 1) {
            g_assert_cmpint(rig_read(r, LINE(5)), ==, WW_CACHE_MISS);
        }
    }
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.MSHR_ENRTY_FAIL"), ==, 1);
    rig_free(r);
}

/* A request for a key that is complete but not drained is served as part of it. */
static void test_merge_late(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=1 mshr_merge=2", 8);
    WwMemReq *first = rig_req(r, false, LINE(1), 4), *late = rig_req(r, false, LINE(1), 4);
    g_assert_cmpint(rig_access(r, first), ==, WW_CACHE_MISS);
    r->c->fill(r->self, rig_cycle(r), 5);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(rig_access(r, late), ==, WW_CACHE_MISS);
    g_assert_true(r->c->take(r->self) == first);
    g_assert_true(r->c->take(r->self) == late);
    rig_free(r);
}

static void test_merge_limit(void)
{
    Rig *r = rig_new("cache.l1", "mshr_merge=3", 8);
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    }
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.MSHR_MERGE_ENRTY_FAIL"), ==, 1);
    g_assert_cmpint(rig_read(r, LINE(1) + 32), ==, WW_CACHE_MISS); /* the sector is the key */
    rig_free(r);
}

/*
 * Of a queue of 4 a data cache's reads use 3, even those that would only merge; a read-only cache's
 * all 4.
 */
static void test_spare_entry(void)
{
    Rig *r = rig_new("cache.l1", "miss_queue=4", 8);
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_cmpint(rig_read(r, LINE(i)), ==, WW_CACHE_MISS);
    }
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpint(rig_read(r, LINE(0)), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.MISS_QUEUE_FULL"), ==, 2);
    rig_free(r);
    r = rig_new("cache.l1", "miss_queue=4 write=read_only", 8);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpint(rig_read(r, LINE(i)), ==, WW_CACHE_MISS);
    }
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.MISS_QUEUE_FULL"), ==, 1);
    rig_free(r);
}

/* spare_entry = false: all entries, unless a modified line has to go, too. */
static void test_no_spare_entry(void)
{
    Rig *r = rig_new("cache.l2", "miss_queue=2 spare_entry=false sets=1 ways=2 index=linear", 8);
    rig_write(r, LINE(1), 32);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2) + 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2) + 64), ==, WW_CACHE_RESERVATION_FAIL);
    rig_cycle(r);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_RESERVATION_FAIL); /* instead of 1 */
    rig_cycle(r);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE_BACK);
    rig_free(r);
    /* a further sector of a modified line throws nothing out: one entry is enough */
    r = rig_new("cache.l2", "miss_queue=2 spare_entry=false sets=1 ways=2 index=linear", 8);
    rig_write(r, LINE(1), 32);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(1) + 32), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* A refused access leaves no trace: not even the age of a line. */
static void test_no_trace(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=2 miss_queue=2 mshr_entries=8", 8);
    rig_load(r, LINE(1));
    rig_load(r, LINE(2));
    g_assert_cmpint(rig_read(r, LINE(1) + 32), ==, WW_CACHE_MISS); /* queue: 1 of 2 */
    g_assert_cmpint(rig_read(r, LINE(2) + 32), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_RESERVATION_FAIL);
    rig_settle(r);
    rig_load(r, LINE(3)); /* instead of 2 */
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
}

/* Atomics: hit or fill, the sector is modified and goes back when it is replaced. */
static void test_atomic(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=1 index=linear", 8);
    WwMemReq *a = rig_req(r, false, LINE(1), 8), *plain = rig_req(r, false, LINE(1), 4);
    a->atomic = true;
    g_assert_cmpint(rig_access(r, plain), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_access(r, a), ==, WW_CACHE_MISS); /* merged: counts for the fill */
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE_BACK);
    rig_settle(r);
    WwMemReq *b = rig_req(r, false, LINE(2), 8);
    b->atomic = true;
    g_assert_cmpint(rig_access(r, b), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    rig_cycle(r);
    WwMemReq *back = rig_cycle(r);
    g_assert_cmpint(back->type, ==, WW_ACCESS_L2_WRBK);
    g_assert_cmphex(back->bytes.w[0], ==, 0xff);
    rig_free(r);
}

/* One line's miss is answered by four parts, each made below for the whole and given back there. */
static void test_sector_assoc(void)
{
    Rig *r =
        rig_new("cache.l1",
                "sector=false sets=64 ways=16 write=read_only allocate=fill mshr=sector_assoc", 8);
    WwMemReq *whole = rig_line(r, false, LINE(5));
    whole->sectors = 0;
    whole->size = 16;
    g_assert_cmpint(rig_access(r, whole), ==, WW_CACHE_MISS);
    g_assert_true(rig_cycle(r) == whole);
    g_assert_cmpuint(whole->size, ==, 128);
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *part = rig_req(r, false, LINE(5) + 32 * i, 32);
        part->original = whole;
        g_assert_true(ww_cache_awaits(r->c->facts(r->self), part));
        g_assert_null(r->c->peek(r->self));
        r->c->fill(r->self, part, 10);
    }
    g_assert_true(r->c->take(r->self) == whole);
    g_assert_cmpuint(whole->size, ==, 16);
    g_assert_cmpint(rig_access(r, whole), ==, WW_CACHE_HIT);
    rig_free(r);
}

void register_read_tests(void)
{
    g_test_add_func("/cache/read/round-trip", test_round_trip);
    g_test_add_func("/cache/read/order", test_order);
    g_test_add_func("/cache/read/merge-late", test_merge_late);
    g_test_add_func("/cache/read/merge-limit", test_merge_limit);
    g_test_add_func("/cache/read/spare-entry", test_spare_entry);
    g_test_add_func("/cache/read/no-spare-entry", test_no_spare_entry);
    g_test_add_func("/cache/read/no-trace", test_no_trace);
    g_test_add_func("/cache/read/atomic", test_atomic);
    g_test_add_func("/cache/read/sector-assoc", test_sector_assoc);
}
