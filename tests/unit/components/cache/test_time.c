/* SPDX-License-Identifier: Apache-2.0 */
/* A cache's cycles: one transaction down each, ports, when its user may sleep, reset. */
#include "tests.h"

#define LINE(n) ((uint64_t)(n)*128)

static void test_one_a_cycle(void)
{
    Rig *r = rig_new("cache.l1", NULL, 2);
    for (uint32_t i = 0; i < 4; i++) {
        rig_read(r, LINE(i));
    }
    for (uint32_t i = 1; i <= 4; i++) {
        g_assert_true(ww_harness_due(r->h, "cache") == (i <= 3)); /* then it waits for room */
        ww_harness_turn(r->h, "cache");
        g_assert_cmpuint(ww_harness_count(r->h, "lower"), ==, MIN(i, 2)); /* it holds two */
    }
    WwToken token;
    ww_harness_take(r->h, "lower", NULL, &token);
    ww_harness_take(r->h, "lower", NULL, &token);
    ww_harness_turn(r->h, "cache");
    g_assert_true(ww_harness_due(r->h, "cache"));
    ww_harness_turn(r->h, "cache");
    g_assert_false(ww_harness_due(r->h, "cache"));
    rig_free(r);
}

static void test_fill_port(void)
{
    Rig *r = rig_new("cache.l1", "sector=false port_width=64", 4);
    WwMemReq *req = rig_line(r, false, LINE(1));
    g_assert_cmpint(rig_access(r, req), ==, WW_CACHE_MISS);
    g_assert_true(rig_cycle(r) == req);
    g_assert_false(ww_harness_due(r->h, "cache"));
    r->c->fill(r->self, req, 3);
    for (int i = 0; i < 2; i++) {
        g_assert_false(r->c->port_free(r->self, WW_CACHE_FILL_PORT));
        g_assert_true(ww_harness_due(r->h, "cache"));
        rig_cycle(r);
    }
    g_assert_true(r->c->port_free(r->self, WW_CACHE_FILL_PORT));
    g_assert_false(ww_harness_due(r->h, "cache"));
    rig_free(r);
}

/* A hit takes the data port for each part of its width, and for what is left. */
static void test_data_port(void)
{
    Rig *r = rig_new("cache.l1", "sector=false port_width=64", 4);
    rig_load(r, LINE(1));
    while (!r->c->port_free(r->self, WW_CACHE_DATA_PORT)) {
        rig_cycle(r);
    }
    WwMemReq *req = rig_line(r, false, LINE(1));
    req->size = 96;
    g_assert_cmpint(rig_access(r, req), ==, WW_CACHE_HIT);
    for (int i = 0; i < 2; i++) {
        g_assert_false(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
        rig_cycle(r);
    }
    g_assert_true(r->c->port_free(r->self, WW_CACHE_DATA_PORT));
    rig_free(r);
}

/* The use of ports is sampled each cycle, before it ends; cycles without a call are told. */
static void test_samples(void)
{
    Rig *r = rig_new("cache.l1", NULL, 4);
    rig_load(r, LINE(1));
    uint64_t before = ww_harness_stat(r->h, "port_samples", 0);
    g_assert_cmpuint(ww_harness_stat(r->h, "fill_port_busy", 0), ==, 1);
    rig_read(r, LINE(1));
    rig_cycle(r);
    rig_cycle(r);
    for (int i = 0; i < 10; i++) {
        ww_harness_turn(r->h, "cache");
    }
    g_assert_cmpuint(ww_harness_stat(r->h, "port_samples", 0), ==, before + 12);
    g_assert_cmpuint(ww_harness_stat(r->h, "data_port_busy", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r->h, "fill_port_busy", 0), ==, 1);
    rig_free(r);
}

static uint64_t hits_of(Rig *r, uint64_t stream, uint64_t *fails)
{
    WwCacheStream s;
    for (uint32_t i = 0; r->c->stream(r->self, i, &s); i++) {
        if (s.stream == stream) {
            *fails = s.fails[WW_ACCESS_GLOBAL_R * 5]; /* LINE_ALLOC_FAIL */
            return s.outcomes[WW_ACCESS_GLOBAL_R * WW_N_CACHE_RESULTS + WW_CACHE_HIT];
        }
    }
    return UINT64_MAX;
}

static void read_for(Rig *r, uint64_t stream, uint64_t addr)
{
    WwMemReq *q = rig_req(r, false, addr, 32);
    q->stream = stream;
    rig_access(r, q);
}

/* Outcomes are kept for each stream, and add up to the statistics. What a cache sends by itself is its cause's. */
static void test_streams(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=2 write=back", 8);
    uint64_t fails;
    WwCacheStream s;
    g_assert_false(r->c->stream(r->self, 0, &s));
    WwMemReq *w = rig_req(r, true, LINE(1), 32);
    w->stream = 7;
    rig_access(r, w);
    read_for(r, 7, LINE(1));
    read_for(r, UINT64_MAX - 1, LINE(1));
    read_for(r, 7, LINE(1));
    read_for(r, 9, LINE(2));
    read_for(r, 9, LINE(3)); /* throws line 1 out, which was written for stream 7 */
    read_for(r, 9, LINE(4)); /* both ways wait for data */
    g_assert_cmpuint(hits_of(r, 7, &fails), ==, 2);
    g_assert_cmpuint(fails, ==, 0);
    g_assert_cmpuint(hits_of(r, UINT64_MAX - 1, &fails), ==, 1);
    g_assert_cmpuint(hits_of(r, 9, &fails), ==, 0);
    g_assert_cmpuint(fails, ==, 1);
    g_assert_cmpuint(hits_of(r, 8, &fails), ==, UINT64_MAX);
    g_assert_cmpuint(rig_count(r, "outcomes", "GLOBAL_ACC_R.HIT"), ==, 3);
    g_assert_cmpuint(rig_count(r, "fails", "GLOBAL_ACC_R.LINE_ALLOC_FAIL"), ==, 1);
    rig_cycle(r);
    rig_cycle(r);
    WwMemReq *back = rig_cycle(r);
    g_assert_nonnull(back);
    g_assert_cmpuint(back->type, ==, WW_ACCESS_L1_WRBK);
    g_assert_cmpuint(back->stream, ==, 9);
    ww_harness_reset(r->h);
    g_assert_false(r->c->stream(r->self, 0, &s));
    rig_free(r);
}

/* What a first-level cache sends is counted when it enters the network, by type and bytes. */
static void test_traffic(void)
{
    Rig *r = rig_new("cache.l1", "sets=1 ways=1 write=back", 8);
    rig_write(r, LINE(1), 32);
    rig_write(r, LINE(1) + 32, 32);
    rig_read(r, LINE(2)); /* throws both sectors out */
    g_assert_cmpuint(ww_harness_stat(r->h, "traffic", WW_ACCESS_GLOBAL_R * WW_PACKET_SIZES), ==, 0);
    for (int i = 0; i < 4; i++) {
        rig_cycle(r);
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        sum += ww_harness_stat(r->h, "traffic", i);
    }
    g_assert_cmpuint(sum, ==, 2);
    g_assert_cmpuint(ww_harness_stat(r->h, "traffic", WW_ACCESS_GLOBAL_R * WW_PACKET_SIZES), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r->h, "traffic", WW_ACCESS_L1_WRBK * WW_PACKET_SIZES + 2), ==,
                     1);
    rig_free(r);
}

/* With a full `lower` the step sleeps; a slot freed wakes it, and with it its owner. */
static void test_wakes_when_room(void)
{
    Rig *r = rig_new("cache.l1", NULL, 1);
    WwToken token;
    rig_read(r, LINE(1));
    rig_read(r, LINE(2));
    ww_harness_turn(r->h, "cache");
    ww_harness_turn(r->h, "cache");
    g_assert_false(ww_harness_due(r->h, "cache"));
    ww_harness_wakes(r->h, "cache", NULL, 0); /* by the accesses */
    ww_harness_step(r->h, 3);
    g_assert_cmpuint(ww_harness_wakes(r->h, "cache", NULL, 0), ==, 0);
    ww_harness_take(r->h, "lower", NULL, &token);
    g_assert_true(ww_harness_due(r->h, "cache"));
    ww_harness_step(r->h, 1);
    g_assert_cmpuint(ww_harness_wakes(r->h, "cache", NULL, 0), ==, 1);
    g_assert_cmpuint(ww_harness_count(r->h, "lower"), ==, 1);
    g_assert_false(ww_harness_due(r->h, "cache"));
    rig_free(r);
}

/* Turns in which something had no room below, also those that the step slept through. */
static void test_lower_full(void)
{
    Rig *r = rig_new("cache.l1", NULL, 1);
    rig_read(r, LINE(1));
    rig_read(r, LINE(2));
    for (int i = 0; i < 3; i++) {
        ww_harness_turn(r->h, "cache"); /* one goes, the other is refused twice */
    }
    g_assert_cmpuint(ww_harness_stat(r->h, "lower_full", 0), ==, 2);
    for (int i = 0; i < 10; i++) {
        ww_harness_turn(r->h, "cache");
    }
    g_assert_cmpuint(ww_harness_stat(r->h, "lower_full", 0), ==, 2 + 10);
    rig_free(r);
}

static void test_reset(void)
{
    Rig *r = rig_new("cache.l2", "sets=1 ways=2 index=linear", 8);
    rig_load(r, LINE(1));
    rig_write(r, LINE(2), 32);
    rig_read(r, LINE(3)); /* throws 1 out */
    rig_read(r, LINE(4)); /* and 2 */
    r->c->reshape(r->self, 1, false);
    ww_harness_reset(r->h);
    ww_harness_turn(r->h, "cache");
    g_assert_false(ww_harness_due(r->h, "cache"));
    g_assert_cmpuint(ww_harness_count(r->h, "lower"), ==, 0);
    g_assert_null(r->c->peek(r->self));
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(4)), ==, WW_CACHE_MISS);
    g_assert_cmphex(r->sent, ==, WW_CACHE_SENT_READ);
    g_assert_cmpuint(ww_harness_stat(r->h, "accesses", 0), ==, 2);
    g_assert_cmpint(rig_read(r, LINE(5)), ==, WW_CACHE_RESERVATION_FAIL);
    rig_free(r);
}

void register_time_tests(void)
{
    g_test_add_func("/cache/time/traffic", test_traffic);
    g_test_add_func("/cache/time/streams", test_streams);
    g_test_add_func("/cache/time/one-a-cycle", test_one_a_cycle);
    g_test_add_func("/cache/time/fill-port", test_fill_port);
    g_test_add_func("/cache/time/data-port", test_data_port);
    g_test_add_func("/cache/time/samples", test_samples);
    g_test_add_func("/cache/time/wakes-when-room", test_wakes_when_room);
    g_test_add_func("/cache/time/lower-full", test_lower_full);
    g_test_add_func("/cache/time/reset", test_reset);
}
