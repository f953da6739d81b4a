/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes: what each policy does with a hit and with a miss, what is thrown out, what can be read
 * after.
 */
#include "tests.h"
#include <testing/fake_cache.h>

#define LINE(n) ((uint64_t)(n)*128)

static void test_back(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=1 index=linear", 8);
    rig_load(r, LINE(1));
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_HIT);
    g_assert_cmphex(r->sent, ==, 0);
    g_assert_null(rig_cycle(r));
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
}

static void test_through(void)
{
    Rig *r = rig_new("cache.l1", "miss_queue=2", 8);
    rig_load(r, LINE(1));
    WwMemReq *w = rig_req(r, true, LINE(1), 4);
    g_assert_cmpint(rig_access(r, w), ==, WW_CACHE_HIT);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_HIT); /* stores use the last entry too */
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_W.MISS_QUEUE_FULL"), ==, 1);
    g_assert_true(rig_cycle(r) == w);
    rig_free(r);
}

static void test_evict(void)
{
    Rig *r = rig_new("cache.l1", "write=evict write_allocate=none", 8);
    rig_load(r, LINE(1));
    rig_load(r, LINE(1) + 32);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_HIT);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE);
    g_assert_cmpint(rig_read(r, LINE(1) + 32), ==, WW_CACHE_HIT); /* only the sector goes */
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    rig_free(r);
}

static void test_local_back(void)
{
    Rig *r = rig_new("cache.l1", "write=local_back write_allocate=none", 8);
    rig_load(r, LINE(1));
    rig_load(r, LINE(2));
    WwMemReq *w = rig_req(r, true, LINE(1), 4);
    w->type = WW_ACCESS_LOCAL_W;
    g_assert_cmpint(rig_access(r, w), ==, WW_CACHE_HIT);
    g_assert_cmphex(r->sent, ==, 0);
    g_assert_cmpint(rig_write(r, LINE(2), 4), ==, WW_CACHE_HIT);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    rig_free(r);
}

/* Without allocation a write needs no line: it goes on even where no line is to be had. */
static void test_allocate_none(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=1 write_allocate=none", 8);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(2), 4), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_MISS); /* to the line under way, too */
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_W.HIT_RESERVED"), ==, 1);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
    r = rig_new("cache.l1", "sets=1 ways=1", 8);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(2), 4), ==, WW_CACHE_RESERVATION_FAIL); /* all others do */
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_W.LINE_ALLOC_FAIL"), ==, 1);
    rig_free(r);
}

static void test_allocate_naive(void)
{
    Rig *r = rig_new("cache.l1", "write_allocate=naive miss_queue=3", 8);
    WwMemReq *w = rig_req(r, true, LINE(1), 4);
    g_assert_cmpint(rig_access(r, w), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE | WW_CACHE_SENT_WRITE_ALLOC);
    g_assert_cmpint(rig_write(r, LINE(2), 4), ==, WW_CACHE_RESERVATION_FAIL); /* may need three */
    g_assert_true(rig_cycle(r) == w);
    WwMemReq *read = rig_cycle(r);
    g_assert_cmpint(read->type, ==, WW_ACCESS_L1_WR_ALLOC_R);
    g_assert_false(read->write);
    g_assert_null(read->original);
    r->c->fill(r->self, read, 5);
    g_assert_true(r->c->take(r->self) == read);
    ww_mem_release(read);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
}

/*
 * A part waits for the rest: the read remembers the write, and the fill makes the sector modified.
 */
static void test_allocate_fetch(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=2 write_allocate=fetch index=linear", 8);
    WwMemReq *w = rig_req(r, true, LINE(1), 4);
    g_assert_cmpint(rig_access(r, w), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE_ALLOC);
    WwMemReq *read = rig_cycle(r);
    g_assert_cmpint(read->type, ==, WW_ACCESS_L2_WR_ALLOC_R);
    g_assert_true(read->original == w);
    r->c->fill(r->self, read, 5);
    g_assert_true(r->c->take(r->self) == read);
    ww_mem_release(read);
    g_assert_cmpint(rig_write(r, LINE(2), 32), ==, WW_CACHE_MISS); /* the whole: nothing to fetch */
    g_assert_cmphex(r->sent, ==, 0);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_write(r, LINE(3), 4), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE_ALLOC | WW_CACHE_SENT_WRITE_BACK);
    rig_cycle(r);
    WwMemReq *back = rig_cycle(r);
    g_assert_cmphex(back->addr, ==, LINE(1));
    g_assert_cmphex(back->bytes.w[0], ==, 0xf); /* merged at the fill */
    rig_free(r);
}

/*
 * A part is taken at once; reading the sector fetches it, unless all its bytes have been written.
 */
static void test_allocate_lazy(void)
{
    Rig *r = rig_new("cache.l1", NULL, 8);
    g_assert_cmpint(rig_write(r, LINE(1), 16), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE);
    g_assert_cmpint(rig_write(r, LINE(1) + 12, 8), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.SECTOR_MISS"), ==, 1);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT); /* modified on fill, readable */
    g_assert_cmpint(rig_write(r, LINE(2), 16), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(2) + 16, 16), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpint(rig_write(r, LINE(3), 32), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_HIT);
    rig_free(r);
}

/*
 * A write to a sector that a read has under way: modified at once, later reads merge, the fill
 * keeps it modified and readable.
 */
static void test_lazy_pending(void)
{
    Rig *r = rig_new("cache.l1", NULL, 8);
    WwMemReq *a = rig_req(r, false, LINE(1), 4), *b = rig_req(r, false, LINE(1), 4);
    g_assert_cmpint(rig_access(r, a), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_MISS);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_W.HIT_RESERVED"), ==, 1);
    g_assert_cmpint(rig_access(r, b), ==, WW_CACHE_MISS);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.SECTOR_MISS"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.MSHR_HIT"), ==, 1);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_free(r);
}

/*
 * What is thrown out: its own address, the routing of what threw it out; after the read, before the
 * next.
 */
static void test_write_back(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cache.l2", "sets=1 ways=1 index=linear");
    ww_harness_fill(h, "address_map", NULL, NULL);
    ww_harness_channel(h, "lower", "depth=8");
    ww_harness_start(h, NULL);
    Rig rig = {.h = h}, *r = &rig;
    r->c = ww_harness_table(h, "cache", &r->self);
    rig_write(r, LINE(0x1001), 32);
    rig_write(r, LINE(0x1001) + 96, 32);
    WwMemReq *read = rig_req(r, false, LINE(0x77), 4);
    read->at.channel = 9;
    read->at.slice = 19;
    g_assert_cmpint(rig_access(r, read), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE_BACK);
    g_assert_true(rig_cycle(r) == read);
    WwMemReq *back = rig_cycle(r);
    g_assert_cmpint(back->type, ==, WW_ACCESS_L2_WRBK);
    g_assert_true(back->write);
    g_assert_cmphex(back->addr, ==, LINE(0x1001));
    g_assert_cmpuint(back->size, ==, 64);
    g_assert_cmphex(back->sectors, ==, 0x9);
    g_assert_cmpuint(back->at.channel, ==, 9);
    g_assert_cmpuint(back->at.slice, ==, 19);
    g_assert_cmphex(back->at.partition, ==, (LINE(0x1001) >> 11 << 8) | 0x80);
    g_assert_false(ww_cache_awaits(r->c->facts(r->self), back));
    ww_mem_release(back);
    g_assert_cmpuint(ww_harness_stat(h, "write_backs", 0), ==, 1);
    ww_harness_free(h);
}

/*
 * The data port: a hit pays its size; a write miss the modified sectors that it throws out, a read
 * miss nothing.
 */
static void test_data_port(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=1 index=linear", 8);
    for (uint32_t i = 0; i < 3; i++) {
        rig_write(r, LINE(1) + 32 * i, 32);
        g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    }
    g_assert_cmpint(rig_write(r, LINE(1), 32), ==, WW_CACHE_HIT);
    g_assert_false(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    rig_cycle(r);
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    g_assert_cmpint(rig_write(r, LINE(2), 32), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_WRITE_BACK);
    for (int i = 0; i < 3; i++) {
        g_assert_false(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
        rig_cycle(r);
    }
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE_BACK);
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    rig_free(r);
}

/* free_read_evictions = false: a read miss pays for what it throws out, as a write miss does. */
static void test_read_eviction(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=1 index=linear free_read_evictions=false", 8);
    rig_write(r, LINE(1), 32);
    rig_write(r, LINE(1) + 32, 32);
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    for (int i = 0; i < 2; i++) {
        g_assert_false(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
        rig_cycle(r);
    }
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    rig_free(r);
}

/* pending_write_modifies = false: reads of the sector wait for its data, which are modified then. */
static void test_pending_stays(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=1 index=linear pending_write_modifies=false", 8);
    WwMemReq *a = rig_req(r, false, LINE(1), 4), *b = rig_req(r, false, LINE(1), 4);
    g_assert_cmpint(rig_access(r, a), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_MISS);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_W.HIT_RESERVED"), ==, 1);
    g_assert_cmpint(rig_access(r, b), ==, WW_CACHE_MISS);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.HIT_RESERVED"), ==, 1);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.SECTOR_MISS"), ==, 0);
    rig_settle(r);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT);
    rig_load(r, LINE(2));
    g_assert_cmpuint(ww_harness_stat(r->h, "write_backs", 0), ==, 1);
    rig_free(r);
}

/* write_back_follows = false: a write-back goes where its own address lives. */
static void test_write_back_home(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cache.l1",
                                  "sets=1 ways=1 write=back write_back_follows=false");
    ww_harness_fill(h, "address_map", NULL,
                    NULL); /* 256 bytes a channel of four, two slices each */
    ww_harness_channel(h, "lower", "depth=8");
    ww_harness_start(h, NULL);
    Rig rig = {.h = h}, *r = &rig;
    r->c = ww_harness_table(h, "cache", &r->self);
    rig_write(r, 0x1900, 32);
    WwMemReq *read = rig_req(r, false, 0x3000, 4);
    read->at.channel = 3;
    read->at.slice = 6;
    g_assert_cmpint(rig_access(r, read), ==, WW_CACHE_MISS);
    g_assert_true(rig_cycle(r) == read);
    WwMemReq *back = rig_cycle(r);
    g_assert_cmphex(back->addr, ==, 0x1900);
    g_assert_cmpuint(back->at.channel, ==, 1);
    g_assert_cmpuint(back->at.slice, ==, 2);
    ww_mem_release(back);
    ww_harness_free(h);
}

void register_write_tests(void)
{
    g_test_add_func("/cache/write/back", test_back);
    g_test_add_func("/cache/write/through", test_through);
    g_test_add_func("/cache/write/evict", test_evict);
    g_test_add_func("/cache/write/local-back", test_local_back);
    g_test_add_func("/cache/write/allocate-none", test_allocate_none);
    g_test_add_func("/cache/write/allocate-naive", test_allocate_naive);
    g_test_add_func("/cache/write/allocate-fetch", test_allocate_fetch);
    g_test_add_func("/cache/write/allocate-lazy", test_allocate_lazy);
    g_test_add_func("/cache/write/lazy-pending", test_lazy_pending);
    g_test_add_func("/cache/write/write-back", test_write_back);
    g_test_add_func("/cache/write/data-port", test_data_port);
    g_test_add_func("/cache/write/read-eviction", test_read_eviction);
    g_test_add_func("/cache/write/pending-stays", test_pending_stays);
    g_test_add_func("/cache/write/write-back-home", test_write_back_home);
}
