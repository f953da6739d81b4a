/* SPDX-License-Identifier: Apache-2.0 */
/* Stores in front of a first-level data cache: when they count, and who acknowledges them. */
#include "tests.h"

#include <string.h>

#define VOLTA "l1_banks=4 l1_latency=20"

/* Write-through: counted when it enters, forwarded, acknowledged by the next level. */
static void store_through(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    c.sent = WW_CACHE_SENT_WRITE;
    rig_put(&r, &rig_store);
    ww_harness_step(r.h, 2);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    ww_harness_step(r.h, 30);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    g_assert_cmpuint(c.down.length, ==, 4);
    rig_respond(&r, g_queue_pop_head(&c.down));
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.stores, ==, 3);
    g_assert_cmpuint(c.fills, ==, 0);
    rig_answer_cache(&r, &c);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    rig_close(&r);
}

/* What the cache keeps is acknowledged at the look-up: a hit, a miss that allocates lazily. */
static void store_kept(void)
{
    static const WwCacheResult results[] = {WW_CACHE_HIT, WW_CACHE_MISS};
    for (uint32_t k = 0; k < 2; k++) {
        Rig r;
        ScriptedCache c;
        rig_open_l1(&r, &c, VOLTA);
        c.facts.write = WW_WRITE_BACK;
        c.result = results[k];
        rig_put(&r, &rig_store);
        ww_harness_step(r.h, 21);
        g_assert_cmpint(r.warps->total.stores, ==, 4);
        ww_harness_step(r.h, 1);
        g_assert_cmpint(r.warps->total.stores, ==, 0);
        ww_harness_step(r.h, 2);
        g_assert_true(ww_harness_asleep(r.h));
        rig_close(&r);
    }
}

/* A store that waits for its line is acknowledged when that was read; nothing is written back. */
static void store_fetches(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    c.facts.write = WW_WRITE_BACK;
    c.facts.allocate = WW_ALLOCATE_FETCH;
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_WRITE_ALLOC;
    rig_put(&r, &rig_store);
    ww_harness_step(r.h, 40);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    WwCycle x = ww_harness_now(r.h);
    rig_respond(&r, g_queue_pop_head(&c.down));
    g_assert_cmpuint(rig_until(&r, &c.released, 1), ==, x + 1);
    g_assert_cmpint(r.warps->total.stores, ==, 3);
    rig_answer_cache(&r, &c);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    g_assert_cmpuint(c.fills, ==, 4);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_writeback", 0), ==, 0);
    rig_close(&r);
}

/* A write-through cache that fetches on write: what hits is sent on, what misses would never be over. */
static void store_lost(void)
{
    for (int i = 0; i < 2; i++) {
        Rig r;
        ScriptedCache c;
        scripted_cache_open(&c);
        c.facts.write = WW_WRITE_THROUGH;
        c.facts.allocate = WW_ALLOCATE_FETCH;
        rig_open_l1_as_is(&r, &c, VOLTA);
        c.result = i == 0 ? WW_CACHE_HIT : WW_CACHE_MISS;
        c.sent = i == 0 ? WW_CACHE_SENT_WRITE : 0;
        rig_put(&r, &rig_store);
        bool failed = ww_run(ww_harness_machine(r.h), 40) == WW_RUN_FAILED;
        g_assert_cmpint(failed, ==, i);
        if (failed) {
            g_assert_nonnull(strstr(ww_machine_error(ww_harness_machine(r.h))->message,
                                    "misses, and is neither sent on nor acknowledged"));
        } else {
            g_assert_cmpint(r.warps->total.stores, ==, 4);
            rig_answer_cache(&r, &c);
            g_assert_cmpint(r.warps->total.stores, ==, 0);
        }
        rig_close(&r);
    }
}

/* Naive allocation: the line is read besides; the store itself is acknowledged once, below. */
static void store_naive(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    c.facts.write = WW_WRITE_BACK;
    c.facts.allocate = WW_ALLOCATE_NAIVE;
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_WRITE | WW_CACHE_SENT_WRITE_ALLOC;
    WwTestInst t = rig_store;
    t.mask = 1;
    rig_put(&r, &t);
    ww_harness_step(r.h, 31);
    rig_respond(&r, g_queue_pop_head(&c.down)); /* the read */
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(c.released, ==, 1);
    g_assert_cmpint(r.warps->total.stores, ==, 1);
    rig_close(&r);
}

/* Sector-assoc MSHRs: a store of a whole line counts four times and is answered in four parts. */
static uint32_t parts_given_back;
static void part_back(WwMemOwner *owner, WwMemReq *req)
{
    parts_given_back++;
}

static void store_in_parts(void)
{
    Rig r;
    ScriptedCache c;
    WwMemOwner owner = {.release = part_back};
    WwMemReq part[4];
    parts_given_back = 0;
    rig_open_l1(&r, &c, VOLTA " coalesce_arch=13");
    c.facts.mshr_sectors = 4;
    c.sent = WW_CACHE_SENT_WRITE;
    rig_put(&r, &rig_store);
    ww_harness_step(r.h, 40);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    WwMemReq *whole = g_queue_pop_head(&c.down);
    g_assert_cmpuint(whole->size, ==, 128);
    for (uint32_t k = 0; k < 4; k++) {
        part[k] = *whole;
        part[k].addr += 32 * k;
        part[k].size = 32;
        part[k].original = whole;
        part[k].owner = &owner;
        rig_respond(&r, &part[k]);
        ww_harness_step(r.h, 1);
        g_assert_cmpint(r.warps->total.stores, ==, 3 - k);
        g_assert_cmpuint(parts_given_back, ==, k + 1);
    }
    rig_close(&r);
}

void register_l1_store_tests(void)
{
    g_test_add_func("/memory/l1/store/through", store_through);
    g_test_add_func("/memory/l1/store/kept", store_kept);
    g_test_add_func("/memory/l1/store/fetches", store_fetches);
    g_test_add_func("/memory/l1/store/lost", store_lost);
    g_test_add_func("/memory/l1/store/naive", store_naive);
    g_test_add_func("/memory/l1/store/in_parts", store_in_parts);
}
