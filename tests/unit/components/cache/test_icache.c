/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction fetch through a cache: what it asks for, when misses come back, whose turns count. */
#include "tests.h"
#include <ports/icache.h>
#include <testing/fake_address_map.h>
#include <testing/fake_cache.h>
#include <testing/fake_ctas.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeCache *cache;
    WwFakeAddressMap *map;
    WwFakeCtas *ctas;
    const WwICacheIf *i;
    void *self;
} Bench;

static Bench *bench_of(const char *params)
{
    Bench *b = g_new0(Bench, 1);
    b->h = ww_harness_new(test_registry(), "icache.l1i", params);
    b->cache = ww_harness_fill(b->h, "cache", NULL, NULL);
    b->map = ww_harness_fill(b->h, "address_map", NULL, NULL);
    b->ctas = ww_harness_fill(b->h, "ctas", NULL, NULL);
    ww_harness_channel(b->h, "response", "depth=0 same=true");
    ww_harness_start(b->h, NULL);
    b->i = ww_harness_table(b->h, "icache", &b->self);
    ww_harness_step(b->h, 1);
    return b;
}

static Bench *bench(void)
{
    return bench_of(NULL);
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    g_free(b);
}

static void test_request(void)
{
    Bench *b = bench();
    g_assert_cmpint(b->i->access(b->self, 5, 0x40), ==, WW_FETCH_HIT);
    const WwMemReq *req = b->cache->last;
    g_assert_cmphex(req->addr, ==, 0xF0000040);
    g_assert_cmpuint(req->size, ==, 16);
    g_assert_cmpint(req->type, ==, WW_ACCESS_INST_R);
    g_assert_cmpuint(req->warp, ==, 5);
    g_assert_false(req->write);
    g_assert_cmpuint(b->cache->now, ==, ww_harness_now(b->h));
    b->i->access(b->self, 5, 0x78);
    g_assert_cmpuint(b->cache->last->size, ==, 8); /* the line ends there */
    b->cache->result = WW_CACHE_RESERVATION_FAIL;
    g_assert_cmpint(b->i->access(b->self, 5, 0x80), ==, WW_FETCH_FAIL);
    done(b);
}

/*
 * What is sent is a line, but it goes where the bytes live that were asked for. The answer comes
 * back to the network port of the SM's cluster.
 */
static void test_route(void)
{
    static const uint64_t pcs[] = {0x40, 0x770, 0x7f8};
    Bench *b = bench_of(NULL);
    b->ctas->view.sm = 5;
    b->ctas->view.cluster = 2;
    b->cache->result = WW_CACHE_MISS;
    for (uint32_t k = 0; k < G_N_ELEMENTS(pcs); k++) {
        g_assert_cmpint(b->i->access(b->self, k, pcs[k]), ==, WW_FETCH_MISS);
        const WwMemReq *req = b->cache->last;
        g_assert_cmphex(req->addr, ==, 0xF0000000 + pcs[k]);
        g_assert_cmphex(req->at.column, ==, pcs[k] & 0xff);
        g_assert_cmpuint(req->at.channel, ==, pcs[k] >> 8 & 3);
        g_assert_cmpuint(req->sm, ==, 5);
        g_assert_cmpuint(req->cluster, ==, 2);
    }
    done(b);
}

/* Every fetch is placed by the address map, whatever the cache says then. */
static void test_placed(void)
{
    static const WwCacheResult results[] = {WW_CACHE_HIT, WW_CACHE_RESERVATION_FAIL, WW_CACHE_MISS,
                                            WW_CACHE_HIT};
    Bench *b = bench();
    for (uint32_t k = 0; k < G_N_ELEMENTS(results); k++) {
        b->cache->result = results[k];
        b->i->access(b->self, k, 0);
        g_assert_cmpuint(b->map->decodes, ==, k + 1);
    }
    done(b);
}

/* A response is filled in the tick in which it is handed over, and the fetch unit woken in it. */
static void test_response(void)
{
    Bench *b = bench();
    uint32_t warp = 99;
    b->cache->result = WW_CACHE_MISS;
    g_assert_cmpint(b->i->access(b->self, 7, 0), ==, WW_FETCH_MISS);
    WwMemReq *req = b->cache->last;
    g_assert_false(b->i->take(b->self, &warp));
    g_assert_true(ww_harness_asleep(b->h));
    ww_harness_put(b->h, "response", -1, ww_token_of(req));
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cache->fills, ==, 1);
    g_assert_cmpuint(b->cache->now, ==, ww_harness_now(b->h) - 1);
    g_assert_cmpuint(ww_harness_wakes(b->h, "icache", NULL, 0), ==, 1);
    g_assert_true(b->i->take(b->self, &warp));
    g_assert_cmpuint(warp, ==, 7);
    g_assert_false(b->i->take(b->self, &warp));
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

static void test_stray(void)
{
    Bench *b = bench();
    WwMemReq req = {.addr = 32, .size = 32};
    ww_harness_put(b->h, "response", -1, ww_token_of(&req));
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cache->fills, ==, 0);
    g_assert_cmpuint(ww_harness_stat(b->h, "strays", 0), ==, 1);
    done(b);
}

/* Parts of a line for a cache that waits for it as a whole: its warp would wait for ever. */
static void test_part_for_whole(void)
{
    Bench *b = bench();
    WwMemReq req = {.addr = 0, .size = 128}, part = {.addr = 32, .size = 32, .original = &req};
    ww_harness_put(b->h, "response", -1, ww_token_of(&part));
    ww_harness_step(b->h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(b->h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(error->message, "128 bytes in sectors of 32"));
    g_assert_nonnull(strstr(error->message, "expected mshr = sector_assoc"));
    done(b);
}

/* The cache's cycles are the fetch turns; a full network wakes the fetch unit. */
static void test_cycles(void)
{
    Bench *b = bench();
    uint64_t before = b->cache->cycles;
    g_assert_false(ww_harness_due(b->h, "icache"));
    ww_harness_wakes(b->h, "icache", NULL, 0);
    for (uint32_t i = 0; i < 7; i++) {
        ww_harness_turn(b->h, "icache");
    }
    ww_machine_settle(ww_harness_machine(b->h));
    g_assert_cmpuint(b->cache->cycles, ==, before + 7);
    ww_fake_cache_busy(b->cache, true);
    g_assert_true(ww_harness_due(b->h, "icache"));
    ww_harness_step(b->h, 3);
    g_assert_cmpuint(b->cache->cycles, ==, before + 10);
    g_assert_true(ww_harness_due(b->h, "icache"));
    ww_fake_cache_busy(b->cache, false);
    ww_harness_step(b->h, 1);
    g_assert_false(ww_harness_due(b->h, "icache"));
    done(b);
}

#define REAL                                                                                       \
    "sector=false sets=64 ways=16 write=read_only allocate=fill mshr=sector_assoc mshr_entries=2 " \
    "mshr_merge=48 miss_queue=4 port_width=0"

/* With a real cache: four parts complete a line, and warps that share it come back in order. */
static void test_parts(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "icache.l1i", NULL);
    ww_harness_channel(h, "response", "depth=0 same=true");
    Rig below = {.h = NULL};
    Rig *r = rig_new("cache.l1", REAL, 4);
    ww_harness_provide(h, "cache", r->c, r->self);
    ww_harness_start(h, NULL);
    const WwICacheIf *i = ww_harness_table(h, "icache", &below.self);
    uint32_t warp;
    g_assert_cmpint(i->access(below.self, 3, 0), ==, WW_FETCH_MISS);
    g_assert_cmpint(i->access(below.self, 1, 64), ==, WW_FETCH_MISS);
    WwMemReq *req = rig_cycle(r);
    g_assert_cmphex(req->addr, ==, 0xF0000000);
    g_assert_cmpuint(req->size, ==, 128);
    for (uint32_t k = 0; k < 4; k++) {
        WwMemReq *part = rig_req(r, false, req->addr + 32 * k, 32);
        part->original = req;
        g_assert_false(i->take(below.self, &warp));
        ww_harness_put(h, "response", -1, ww_token_of(part));
        ww_harness_step(h, 1);
    }
    g_assert_true(i->take(below.self, &warp));
    g_assert_cmpuint(warp, ==, 3);
    g_assert_true(i->take(below.self, &warp));
    g_assert_cmpuint(warp, ==, 1);
    g_assert_cmpint(i->access(below.self, 3, 16), ==, WW_FETCH_HIT);
    g_assert_cmpuint(rig_count(r, "outcomes", "INST_ACC_R.MISS"), ==, 2);
    g_assert_cmpuint(rig_count(r, "outcomes", "INST_ACC_R.MSHR_HIT"), ==, 1);
    ww_harness_free(h);
    rig_free(r);
}

/* A memory that answers the line as a whole completes it at once, also after some parts. */
static void test_whole(void)
{
    for (uint32_t parts = 0; parts < 4; parts++) {
        WwHarness *h = ww_harness_new(test_registry(), "icache.l1i", NULL);
        ww_harness_channel(h, "response", "depth=0 same=true");
        void *self;
        Rig *r = rig_new("cache.l1", REAL, 4);
        ww_harness_provide(h, "cache", r->c, r->self);
        ww_harness_start(h, NULL);
        const WwICacheIf *i = ww_harness_table(h, "icache", &self);
        uint32_t warp;
        g_assert_cmpint(i->access(self, 3, 0x170), ==, WW_FETCH_MISS);
        WwMemReq *req = rig_cycle(r);
        for (uint32_t k = 0; k < parts; k++) {
            WwMemReq *part = rig_req(r, false, req->addr + 32 * k, 32);
            part->original = req;
            ww_harness_put(h, "response", -1, ww_token_of(part));
        }
        ww_harness_step(h, 1);
        g_assert_false(i->take(self, &warp));
        ww_harness_put(h, "response", -1, ww_token_of(req));
        ww_harness_step(h, 1);
        g_assert_true(i->take(self, &warp));
        g_assert_cmpuint(warp, ==, 3);
        g_assert_cmpint(i->access(self, 3, 0x100), ==, WW_FETCH_HIT);
        g_assert_cmpuint(ww_harness_stat(h, "strays", 0), ==, 0);
        ww_harness_free(h);
        rig_free(r);
    }
}

void register_icache_tests(void)
{
    g_test_add_func("/cache/icache/request", test_request);
    g_test_add_func("/cache/icache/route", test_route);
    g_test_add_func("/cache/icache/placed", test_placed);
    g_test_add_func("/cache/icache/response", test_response);
    g_test_add_func("/cache/icache/stray", test_stray);
    g_test_add_func("/cache/icache/part_for_whole", test_part_for_whole);
    g_test_add_func("/cache/icache/cycles", test_cycles);
    g_test_add_func("/cache/icache/parts", test_parts);
    g_test_add_func("/cache/icache/whole", test_whole);
}
