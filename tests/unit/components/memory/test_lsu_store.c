/* SPDX-License-Identifier: Apache-2.0 */
/* Stores and asynchronous copies in ldst.shared. */
#include "lsu_rig.h"

static int64_t outstanding(const LsuRig *r)
{
    return r->warps->total.stores;
}

/*
 * Served when it goes into the latency queue: over 5 cycles after acceptance, and a cycle more for each further access. Its warp counts what is
 * to be acknowledged from then on; what the L1D keeps is when it is looked up.
 */
static void store_kept(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    const WwInst *inst = lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG});
    for (WwCycle tick = 0; tick < 8; tick++) {
        ww_harness_step(r.h, 1);
        g_assert_cmpint(outstanding(&r), ==, tick < 4 ? 0 : tick - 3);
    }
    g_assert_cmpuint(r.l1d.n, ==, 0);
    lsu_over_in(&r, 8, inst);
    lsu_through(&r, 16);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpint(r.warps->seen[1].stores, ==, 4 - k);
        ww_harness_step(r.h, 1);
    }
    g_assert_cmpint(outstanding(&r), ==, 0);
    ww_harness_step(r.h, 1); /* the cache's own */
    g_assert_true(ww_harness_asleep(r.h));
    lsu_close(&r);
}

/* What it sends on is acknowledged by the next level, in the cycle in which the answer comes. */
static void store_sent(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.sent = WW_CACHE_SENT_WRITE;
    lsu_over_in(&r, 5, lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG, .mask = 0xff}));
    lsu_through(&r, 29);
    g_assert_cmpint(outstanding(&r), ==, 1);
    lsu_respond(&r, g_queue_pop_head(&r.l1d.cache.down));
    ww_harness_step(r.h, 1);
    g_assert_cmpint(outstanding(&r), ==, 0);
    lsu_close(&r);
}

/* One for which the cache fetches the line, when that has come. */
static void store_fetches(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.result = WW_CACHE_MISS;
    r.l1d.sent = WW_CACHE_SENT_WRITE_ALLOC;
    lsu_over_in(&r, 5, lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG, .mask = 0xff}));
    lsu_through(&r, 29);
    g_assert_cmpint(outstanding(&r), ==, 1);
    lsu_respond(&r, g_queue_pop_head(&r.l1d.cache.down));
    ww_harness_step(r.h, 1);
    g_assert_cmpint(outstanding(&r), ==, 1);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(outstanding(&r), ==, 0);
    g_assert_cmpuint(r.l1d.cache.released, ==, 1);
    lsu_close(&r);
}

/* One that it sends on and fetches the line for as well is acknowledged by the next level alone. */
static void store_both(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.result = WW_CACHE_MISS;
    r.l1d.sent = WW_CACHE_SENT_WRITE | WW_CACHE_SENT_WRITE_ALLOC;
    lsu_over_in(&r, 5, lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG, .mask = 0xff}));
    lsu_through(&r, 29);
    lsu_respond(&r, g_queue_pop_head(&r.l1d.cache.down));
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.l1d.cache.released, ==, 1);
    g_assert_cmpint(outstanding(&r), ==, 1);
    lsu_respond(&r, r.l1d.cache.last);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(outstanding(&r), ==, 0);
    lsu_close(&r);
}

/* With a cache of which each sector is answered apart the warp counts sectors. */
static void store_sectors(void)
{
    LsuRig r;
    WwMemReq part[4];
    lsu_begin(&r, "coalesce_arch=35", LSU_WITH_L1D, NULL);
    r.l1d.cache.facts.mshr_sectors = 4;
    r.l1d.sent = WW_CACHE_SENT_WRITE;
    lsu_start(&r);
    lsu_over_in(&r, 5, lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG}));
    lsu_through(&r, 29);
    WwMemReq *whole = g_queue_pop_head(&r.l1d.cache.down);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpint(outstanding(&r), ==, 4 - k);
        part[k] = (WwMemReq){.original = whole, .write = true};
        lsu_respond(&r, &part[k]);
        ww_harness_step(r.h, 1);
    }
    g_assert_cmpint(outstanding(&r), ==, 0);
    lsu_close(&r);
}

/* Past the L1D: served when it goes to the network; counted once, whatever its parts. */
static void store_past(void)
{
    LsuRig r;
    WwMemReq part[4];
    lsu_open(&r, "coalesce_arch=35", 0, NULL);
    const WwInst *inst = lsu_put(&r, 1, &(LsuTest){.kind = LSU_STG});
    lsu_through(&r, 2);
    g_assert_cmpint(outstanding(&r), ==, 0);
    lsu_through(&r, 3);
    g_assert_cmpint(outstanding(&r), ==, 1);
    lsu_over_in(&r, 4, inst);
    WwMemReq *whole = lsu_request_of(&r);
    g_assert_true(whole->write && whole->inst != inst); /* the instruction is gone */
    g_assert_cmpuint(whole->uid, ==, inst->uid);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpint(outstanding(&r), ==, 1);
        part[k] = (WwMemReq){.original = whole, .write = true};
        lsu_respond(&r, &part[k]);
        ww_harness_step(r.h, 1);
    }
    g_assert_cmpint(outstanding(&r), ==, 0);
    lsu_close(&r);
}

/* A store to shared memory takes its latency there, and has no result. */
static void store_shared(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    lsu_over_in(&r, 4 + 7 + 1, lsu_put(&r, 1, &(LsuTest){.kind = LSU_STS, .stride = 8}));
    g_assert_cmpint(outstanding(&r), ==, 0);
    g_assert_cmpuint(ww_harness_count(r.h, "out[1]"), ==, 0);
    lsu_close(&r);
}

/* ---- asynchronous copies ----------------------------------------------------------------------------------------- */

/* As a load that would be at its sub-core in 18; so it sets out then, is taken again 19 cycles later, and is over 4 + 8 behind that. */
static void copy_times(void)
{
    static const char *const params[] = {NULL, "copy_cycles=1", "copy_cycles=40"};
    static const WwCycle cycles[] = {19, 1, 40};
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) {
        LsuRig r;
        lsu_open(&r, params[i], LSU_WITH_L1D, NULL);
        const WwInst *inst = lsu_put(&r, 3, &(LsuTest){.kind = LSU_LDGSTS, .mask = 0xff});
        lsu_through(&r, 17);
        g_assert_cmpuint(lsu_stat(&r, "copies", 0), ==, 0);
        lsu_through(&r, 18);
        g_assert_cmpuint(lsu_stat(&r, "copies", 0), ==, 1);
        lsu_over_in(&r, 18 + cycles[i] + 4 + 8, inst);
        g_assert_true(ww_harness_asleep(r.h));
        g_assert_cmpuint(ww_harness_count(r.h, "out[3]"), ==, 0);
        g_assert_cmpuint(lsu_stat(&r, "instructions", OF_L1D), ==, 1);
        g_assert_cmpuint(lsu_stat(&r, "instructions", OF_SHARED), ==, 1);
        g_assert_cmpuint(lsu_stat(&r, "accesses", OF_SHARED), ==, 1);
        g_assert_cmpuint(lsu_stat(&r, "lanes", 0), ==, 8);
        g_assert_cmpint(outstanding(&r), ==, 0);
        lsu_close(&r);
    }
}

/* Its lanes write side by side, wherever they read. */
static void copy_rows(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDGSTS, .stride = 128, .mask = 0xf});
    lsu_through(&r, 99);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(lsu_stat(&r, "accesses", OF_L1D), ==, 4);
    g_assert_cmpuint(lsu_stat(&r, "accesses", OF_SHARED), ==, 1);
    lsu_close(&r);
}

/* Also where lanes between them have nothing: words of 8 bytes of lanes 0 and 16 are in the same banks. */
static void copy_gaps(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDGSTS, .width = 8, .stride = 128, .mask = 0x10001});
    lsu_through(&r, 99);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(lsu_stat(&r, "accesses", OF_SHARED), ==, 2);
    lsu_close(&r);
}

/* One sets out a cycle. */
static void copy_turns(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDGSTS, .mask = 0xff});
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDGSTS, .mask = 0xff, .base = 0x1000020, .latency = 12});
    lsu_through(&r, 17);
    g_assert_cmpuint(r.l1d.n, ==, 2);
    g_assert_cmpuint(r.l1d.at[0], ==, r.l1d.at[1]);
    lsu_through(&r, 18);
    g_assert_cmpuint(lsu_stat(&r, "copies", 0), ==, 1);
    lsu_through(&r, 19);
    g_assert_cmpuint(lsu_stat(&r, "copies", 0), ==, 2);
    lsu_close(&r);
}

/* A copy whose data have come is taken before what sub-cores have, and the turn is the second sub-core's then. */
static void copy_first(void)
{
    static const uint32_t order[] = {1, 2, 3, 0};
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    const WwInst *copy = lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDGSTS, .mask = 0xff});
    lsu_through(&r, 36);
    for (uint32_t k = 0; k < 4; k++) {
        lsu_put(&r, k, &(LsuTest){.kind = LSU_LDS});
    }
    lsu_through(&r, 37);
    g_assert_cmpuint(lsu_stat(&r, "instructions", OF_SHARED), ==, 1);
    for (uint32_t k = 0; k < 4; k++) {
        g_autofree char *port = g_strdup_printf("in[%u]", order[k]);
        g_assert_cmpuint(ww_harness_count(r.h, port), ==, 1);
        ww_harness_step(r.h, 1);
        g_assert_cmpuint(ww_harness_count(r.h, port), ==, 0);
    }
    lsu_over_in(&r, 49, copy);
    lsu_close(&r);
}

/* From when it sets out it counts as one of shared memory, and no more as one of the others. */
static void copy_limits(void)
{
    LsuRig r;
    lsu_open(&r, "most=1 most_shared=1", LSU_WITH_L1D, NULL);
    const WwInst *copy = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDGSTS, .mask = 0xff});
    const WwInst *load = lsu_put(&r, 1, &(LsuTest){.mask = 0xff});
    lsu_through(&r, 18);
    g_assert_cmpuint(ww_harness_count(r.h, "in[1]"), ==, 0);
    lsu_through(&r, 19);
    const WwInst *shared = lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDS});
    lsu_result_in(&r, 18 + 18, 1, load);
    lsu_over_in(&r, 49, copy);
    lsu_result_in(&r, 49 + 12, 2, shared);
    lsu_close(&r);
}

/* Without lanes it goes both ways all the same. */
static void copy_no_lanes(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    const WwInst *copy = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDGSTS, .no_lanes = true});
    lsu_over_in(&r, 4 + 19 + 4, copy);
    g_assert_cmpuint(lsu_stat(&r, "instructions", OF_NOWHERE), ==, 2);
    g_assert_cmpuint(r.l1d.n, ==, 0);
    lsu_close(&r);
}

void register_lsu_store_tests(void)
{
    g_test_add_func("/memory/lsu/store/kept", store_kept);
    g_test_add_func("/memory/lsu/store/sent", store_sent);
    g_test_add_func("/memory/lsu/store/fetches", store_fetches);
    g_test_add_func("/memory/lsu/store/both", store_both);
    g_test_add_func("/memory/lsu/store/sectors", store_sectors);
    g_test_add_func("/memory/lsu/store/past", store_past);
    g_test_add_func("/memory/lsu/store/shared", store_shared);
    g_test_add_func("/memory/lsu/copy/times", copy_times);
    g_test_add_func("/memory/lsu/copy/rows", copy_rows);
    g_test_add_func("/memory/lsu/copy/gaps", copy_gaps);
    g_test_add_func("/memory/lsu/copy/turns", copy_turns);
    g_test_add_func("/memory/lsu/copy/first", copy_first);
    g_test_add_func("/memory/lsu/copy/limits", copy_limits);
    g_test_add_func("/memory/lsu/copy/no-lanes", copy_no_lanes);
}
