/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways of loads in ldst.shared, cycle by cycle. One that is accepted in cycle 0 makes its accesses from 1 on, one a cycle, which go to a queue in
 * the next.
 */
#include "lsu_rig.h"

/* Lanes of which none are alone in a bank take as many accesses, one a cycle; the last is through 4 + latency after acceptance. */
static void shared_times(void)
{
    static const uint32_t conflicts[] = {1, 2, 4, 32};
    for (size_t i = 0; i < G_N_ELEMENTS(conflicts); i++) {
        LsuRig r;
        uint32_t n = conflicts[i];
        lsu_open(&r, NULL, 0, NULL);
        const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS, .stride = 4 * n});
        lsu_result_in(&r, 4 + 8 + n - 1, 0, inst);
        g_assert_true(ww_harness_asleep(r.h));
        g_assert_cmpuint(lsu_stat(&r, "bank_conflicts", 0), ==, n - 1);
        g_assert_cmpuint(lsu_stat(&r, "accesses", OF_SHARED), ==, n);
        g_assert_cmpuint(lsu_stat(&r, "lanes", 0), ==, 32);
        lsu_close(&r);
    }
}

/* The pipeline has one access in each cycle at its exit: a second waits a cycle; a short one overtakes. */
static void shared_pipeline(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    const WwInst *load = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS});  /* through in 3 + 8 */
    const WwInst *store = lsu_put(&r, 1, &(LsuTest){.kind = LSU_STS}); /* 4 + 7 would be, too */
    const WwInst *fast = lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDS, .latency = 2});
    lsu_result_in(&r, 9, 2, fast); /* 2 after acceptance, one behind the store that waited */
    lsu_result_in(&r, 12, 0, load);
    lsu_over_in(&r, 13, store);
    g_assert_cmpuint(lsu_stat(&r, "refused", OF_SHARED), ==, 1);
    lsu_close(&r);
}

/* Queue before translation, queue behind it, 13 stages: a hit is at its sub-core in 5 + 13; each further access a cycle later. */
static void l1d_hit(void)
{
    static const struct {
        int64_t stride;
        uint32_t mask, sectors;
    } some[] = {{4, 0xff, 1}, {4, 0, 4}, {8, 0, 8}, {32, 0, 32}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
        uint32_t n = some[i].sectors;
        const WwInst *inst =
            lsu_put(&r, 3, &(LsuTest){.stride = some[i].stride, .mask = some[i].mask});
        lsu_result_in(&r, 5 + 13 + n - 1, 3, inst);
        g_assert_true(ww_harness_asleep(r.h));
        g_assert_cmpuint(r.l1d.n, ==, n);
        for (uint32_t k = 0; k < n; k++) { /* the highest address first */
            g_assert_cmphex(r.l1d.addr[k], ==, 0x1000000 + 32 * (n - 1 - k));
            g_assert_cmpuint(r.l1d.at[k], ==, 17 + k);
        }
        g_assert_cmpuint(lsu_stat(&r, "accesses", OF_L1D), ==, n);
        g_assert_cmpuint(lsu_stat(&r, "results", 0), ==, 1);
        lsu_close(&r);
    }
}

/* All lanes at address 0: an access of nothing, which hits. */
static void l1d_null(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    WwInst *inst = lsu_put(&r, 0, &(LsuTest){0});
    inst->addr = NULL;
    lsu_result_in(&r, 18, 0, inst);
    g_assert_cmpuint(r.l1d.n, ==, 0);
    lsu_close(&r);
}

/* The stage at the entry of a full latency queue takes as many accesses as are looked up in a cycle. */
static void l1d_lookups(void)
{
    static const WwCycle at[][5] = {{30, 30, 30, 30, 31}, {30, 30, 31, 31, 32}};
    for (uint32_t i = 0; i < 2; i++) {
        LsuRig r;
        lsu_open(&r, i == 0 ? "l1d_queue=8" : "l1d_queue=8 lookups=2", LSU_WITH_L1D, NULL);
        r.l1d.refuses_until = 30;
        LsuTest t = {.mask = 0xff, .latency = 1};
        for (uint32_t k = 0; k < 5; k++, t.base += 128) {
            t.base = 0x1000000 + 128 * k;
            lsu_put(&r, k % 4, &t);
            ww_harness_step(r.h, 1);
        }
        lsu_through(&r, 40);
        g_assert_cmpuint(r.l1d.n, ==, 5);
        for (uint32_t k = 0; k < 5; k++) {
            g_assert_cmpuint(r.l1d.at[k], ==, at[i][k]);
            g_assert_cmphex(r.l1d.addr[k], ==, 0x1000000 + 128 * k);
        }
        lsu_close(&r);
    }
}

/* Lanes by what they do; an asynchronous copy is a load, and then of shared memory. */
static void lanes_of(void)
{
    static const struct {
        LsuKind kind;
        uint32_t lanes[5]; /* loads, stores, shared, constants, others */
    } some[] = {
        {LSU_LDG, {8}},
        {LSU_LDL, {8}},
        {LSU_LDG_BYPASS, {8}},
        {LSU_STG, {0, 8}},
        {LSU_LDGSTS, {8, 0, 8}},
        {LSU_LDS, {0, 0, 8}},
        {LSU_STS, {0, 0, 8}},
        {LSU_LDC, {0, 0, 0, 8}},
        {LSU_TEX, {0, 0, 0, 0, 8}},
        {LSU_SHFL, {0, 0, 0, 0, 8}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
        lsu_put(&r, 0, &(LsuTest){.kind = some[i].kind, .mask = 0xff});
        lsu_through(&r, 80);
        for (uint32_t k = 0; k < 5; k++) {
            g_assert_cmpuint(lsu_stat(&r, "lanes_of", k), ==, some[i].lanes[k]);
        }
        lsu_close(&r);
    }
}

/* What the network has no room for keeps the address units waiting; what waits at a bank of the L1D loses its lookups of the cycle. */
static void waits(void)
{
    LsuRig r;
    lsu_open(&r, "address_units=2 l2_queue=1", 0, "depth=1");
    lsu_put(&r, 0,
            &(LsuTest){.stride = 32}); /* one is in the network, one in the queue, two wait */
    lsu_through(&r, 20);
    uint64_t before = lsu_stat(&r, "next_full", 0);
    g_assert_cmpuint(before, >, 10);
    lsu_through(&r, 40);
    g_assert_cmpuint(lsu_stat(&r, "next_full", 0), ==, before + 20);
    for (uint32_t i = 0; i < 32; i++) {
        lsu_request_of(&r);
        ww_harness_step(r.h, 4);
    }
    before = lsu_stat(&r, "next_full", 0);
    ww_harness_step(r.h, 20);
    g_assert_cmpuint(lsu_stat(&r, "next_full", 0), ==, before);
    lsu_close(&r);
    for (uint32_t lookups = 1; lookups <= 4; lookups *= 2) {
        g_autofree char *params = g_strdup_printf("l1d_queue=8 l1_stages=1 lookups=%u", lookups);
        lsu_open(&r, params, LSU_WITH_L1D, NULL);
        r.l1d.refuses_until = 30;
        for (uint32_t k = 0; k < 6; k++) {
            lsu_put(&r, k % 4, &(LsuTest){.mask = 0xff, .latency = 1, .base = 0x1000000 + 128 * k});
            ww_harness_step(r.h, 1);
        }
        lsu_through(&r, 40);
        /* one of the six comes in each cycle, from 4 on: as many as are looked up have a place, the next one waits to 30 */
        g_assert_cmpuint(lsu_stat(&r, "l1d_lookups_lost", 0), ==, lookups * (26 - lookups));
        lsu_close(&r);
    }
}

/* Each bank has queues of its own: what is refused in one holds up nothing in another. */
static void l1d_banks(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.refuses_until = 40;
    r.l1d.refused_bits = 0x60;
    const WwInst *first = lsu_put(&r, 0, &(LsuTest){.mask = 0xff});
    const WwInst *same = lsu_put(&r, 1, &(LsuTest){.mask = 0xff, .base = 0x1000080});
    const WwInst *other = lsu_put(&r, 2, &(LsuTest){.mask = 0xff, .base = 0x10000a0});
    lsu_result_in(&r, 2 + 18, 2, other);
    lsu_result_in(&r, 41, 0, first);
    lsu_result_in(&r, 42, 1, same);
    lsu_close(&r);
}

/* Banks by more bytes, and as many as are asked for. */
static void l1d_interleave(void)
{
    LsuRig r;
    lsu_open(&r, "l1_banks=2 l1_interleave=64", LSU_WITH_L1D, NULL);
    r.l1d.refuses_until = 40;
    r.l1d.refused_bits = 0x40;
    const WwInst *first = lsu_put(&r, 0, &(LsuTest){.mask = 0xff});
    const WwInst *same = lsu_put(&r, 1, &(LsuTest){.mask = 0xff, .base = 0x10000a0});
    const WwInst *other = lsu_put(&r, 2, &(LsuTest){.mask = 0xff, .base = 0x10000c0});
    lsu_result_in(&r, 2 + 18, 2, other);
    lsu_result_in(&r, 41, 0, first);
    lsu_result_in(&r, 42, 1, same);
    lsu_close(&r);
}

/* What is refused stays at the exit, those behind it close up: one right behind is as late, one with a gap ahead is not. */
static void l1d_refused(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.refuses_until = 20;
    LsuTest t = {.mask = 0xff};
    const WwInst *first = lsu_put(&r, 0, &t), *second = lsu_put(&r, 1, &t);
    ww_harness_step(r.h, 5);
    const WwInst *third = lsu_put(&r, 2, &t); /* accepted in 5 */
    lsu_result_in(&r, 21, 0, first);
    lsu_result_in(&r, 22, 1, second);
    lsu_result_in(&r, 5 + 18, 2, third);
    g_assert_cmpuint(lsu_stat(&r, "refused", OF_L1D), ==, 3); /* in 17, 18, 19 */
    lsu_close(&r);
}

/* A response that comes in cycle x fills the cache, is served in x + 1, at its sub-core in x + 2; no sooner than the fill port is free. */
static void l1d_miss(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    r.l1d.result = WW_CACHE_MISS;
    r.l1d.sent = WW_CACHE_SENT_READ;
    r.l1d.cache.fill_cost = 4; /* one of them passes in the cycle of the fill */
    const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.mask = 0xffff});
    lsu_through(&r, 49);
    g_assert_true(ww_harness_asleep(r.h));
    g_assert_cmpuint(r.l1d.cache.down.length, ==, 2);
    lsu_respond(&r, g_queue_pop_head(&r.l1d.cache.down));
    lsu_respond(&r, g_queue_pop_head(&r.l1d.cache.down));
    lsu_result_in(&r, 50 + 4 + 2, 0, inst);
    ww_harness_step(r.h, 4); /* the port */
    g_assert_true(ww_harness_asleep(r.h));
    lsu_close(&r);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* A line of lanes a cycle, the highest first; 4 + 11 after acceptance the last of them. */
static void constant_lines(void)
{
    static const struct {
        int64_t stride;
        uint32_t mask, lines;
    } some[] = {{4, 0xffff, 1}, {4, 0, 2}, {64, 0xf, 4}, {64, 0, 32}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        for (uint32_t cache = 0; cache < 2; cache++) {
            LsuRig r;
            lsu_begin(&r, NULL, cache ? LSU_WITH_CONSTANTS : 0, NULL);
            r.constants.cache.facts.line = 64;
            lsu_start(&r);
            uint32_t n = some[i].lines;
            const WwInst *inst = lsu_put(
                &r, 0, &(LsuTest){.kind = LSU_LDC, .stride = some[i].stride, .mask = some[i].mask});
            lsu_result_in(&r, 4 + 11 + n - 1, 0, inst);
            g_assert_true(ww_harness_asleep(r.h));
            g_assert_cmpuint(r.constants.n, ==, cache ? n : 0);
            for (uint32_t k = 0; k < r.constants.n; k++) {
                g_assert_cmphex(r.constants.addr[k], ==, 0x100 + 64 * (n - 1 - k));
                g_assert_cmpuint(r.constants.at[k], ==, 14 + k);
            }
            g_assert_cmpuint(lsu_stat(&r, "accesses", OF_CONSTANT), ==, n);
            lsu_close(&r);
        }
    }
}

/* Whichever way they lie. */
static void constant_descending(void)
{
    LsuRig r;
    lsu_begin(&r, NULL, LSU_WITH_CONSTANTS, NULL);
    r.constants.cache.facts.line = 64;
    lsu_start(&r);
    LsuTest t = {.kind = LSU_LDC, .base = 0x1c0, .stride = -32, .mask = 0x7f};
    lsu_result_in(&r, 15 + 3, 0, lsu_put(&r, 0, &t));
    g_assert_cmpuint(r.constants.n, ==, 4);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmphex(r.constants.addr[k], ==, 0x1c0 - 64 * k);
    }
    lsu_close(&r);
}

/* The operand's own address and what the lanes add. */
static void constant_address(void)
{
    LsuRig r;
    lsu_begin(&r, NULL, LSU_WITH_CONSTANTS, NULL);
    r.constants.cache.facts.line = 64;
    lsu_start(&r);
    WwInst *inst = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDC, .mask = 1});
    ww_test_timing(inst)->constant = 0x20000;
    lsu_result_in(&r, 15, 0, inst);
    g_assert_cmphex(r.constants.addr[0], ==, 0x20100);
    lsu_close(&r);
}

/* What the link brings for the constant cache fills it; the next cycle serves it. */
static void constant_refill(void)
{
    LsuRig r;
    void *self;
    lsu_begin(&r, NULL, LSU_WITH_CONSTANTS, NULL);
    r.constants.cache.facts.line = 64;
    r.constants.result = WW_CACHE_MISS;
    r.constants.sent = WW_CACHE_SENT_READ;
    lsu_start(&r);
    const WwRefillIf *refill = ww_harness_table(r.h, "refill", &self);
    const WwInst *inst = lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDC, .mask = 1});
    lsu_through(&r, 29);
    g_assert_true(ww_harness_asleep(r.h));
    WwMemReq *req = g_queue_pop_head(&r.constants.cache.down);
    g_assert_cmpuint(req->type, ==, WW_ACCESS_CONST_R);
    g_assert_true(refill->awaits(self, req));
    g_assert_false(refill->awaits(self, &(WwMemReq){0}));
    g_assert_true(refill->ready(self));
    r.constants.cache.fill_port = 1;
    g_assert_false(refill->ready(self));
    refill->fill(self, req); /* as if in 29 */
    lsu_result_in(&r, 31, 2, inst);
    lsu_close(&r);
}

/* ---- textures, nothing ------------------------------------------------------------------------------------------- */

static void texture(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    lsu_result_in(&r, 4, 1, lsu_put(&r, 1, &(LsuTest){.kind = LSU_TEX}));
    g_assert_cmpuint(lsu_stat(&r, "instructions", OF_TEXTURE), ==, 1);
    lsu_close(&r);
}

/* Straight into the cache as soon as its port is free and it does not refuse; a response is at the sub-core 2 cycles after it comes. */
static void texture_cache(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_TEXTURES, NULL);
    r.textures.result = WW_CACHE_MISS;
    r.textures.sent = WW_CACHE_SENT_READ;
    r.textures.refuses_until = 6;
    WwInst *inst = lsu_put(&r, 1, &(LsuTest){.kind = LSU_TEX});
    lsu_through(&r, 19);
    g_assert_cmpuint(r.textures.n, ==, 1);
    g_assert_cmpuint(r.textures.at[0], ==, 6);
    g_assert_cmpuint(lsu_stat(&r, "refused", OF_TEXTURE), ==, 3);
    g_assert_true(ww_harness_asleep(r.h));
    WwMemReq *req = g_queue_pop_head(&r.textures.cache.down);
    g_assert_cmpuint(req->serial, ==, 0); /* as if the refused ones had not been made */
    g_assert_cmpuint(req->type, ==, WW_ACCESS_TEXTURE_R);
    lsu_respond(&r, req);
    lsu_result_in(&r, 22, 1, inst);
    r.textures.result = WW_CACHE_HIT;
    r.textures.sent = 0;
    inst = lsu_put(&r, 2, &(LsuTest){.kind = LSU_TEX}); /* in 23 */
    ww_harness_step(r.h, 1);
    r.textures.cache.data_port = 8; /* until it has stepped in 31 */
    ww_wake(&r.textures.cache.step);
    lsu_result_in(&r, 32, 2, inst);
    lsu_close(&r);
}

/* What the cache answers in its own step is served in the next cycle. */
static void texture_step(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_TEXTURES, NULL);
    ScriptedCache *c = &r.textures.cache;
    r.textures.result = WW_CACHE_MISS;
    r.textures.sent = WW_CACHE_SENT_READ;
    const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.kind = LSU_TEX});
    lsu_through(&r, 19);
    g_queue_push_tail(&c->completed, g_queue_pop_head(&c->pending));
    ww_wake(&c->step);
    lsu_result_in(&r, 22, 0, inst);
    lsu_close(&r);
}

/* Without active lanes, without memory: over 4 cycles after acceptance, without a result. */
static void nothing(void)
{
    static const LsuTest some[] = {{.kind = LSU_SHFL},
                                   {.kind = LSU_MEMBAR},
                                   {.kind = LSU_LDG, .no_lanes = true},
                                   {.kind = LSU_STG, .no_lanes = true},
                                   {.kind = LSU_LDS, .no_lanes = true},
                                   {.kind = LSU_LDC, .no_lanes = true},
                                   {.kind = LSU_TEX, .no_lanes = true}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        LsuRig r;
        lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
        lsu_over_in(&r, 4, lsu_put(&r, 2, &some[i]));
        lsu_through(&r, 40);
        g_assert_cmpuint(ww_harness_count(r.h, "out[2]"), ==, 0);
        g_assert_cmpuint(lsu_stat(&r, "instructions", OF_NOWHERE), ==, 1);
        g_assert_cmpuint(r.l1d.n, ==, 0);
        g_assert_true(ww_harness_asleep(r.h));
        lsu_close(&r);
    }
}

/* ---- past the L1D ------------------------------------------------------------------------------------------------ */

/* One request a cycle, from 3 on; an answer that comes in x is at the sub-core in x + 1. */
static void network(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDG_BYPASS});
    for (uint32_t k = 0; k < 4; k++) {
        lsu_through(&r, 2 + k);
        g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, k);
    }
    lsu_through(&r, 19);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 4);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t k = 0; k < 4; k++) {
        WwMemReq *req = lsu_request_of(&r);
        g_assert_cmphex(req->addr, ==, 0x1000060 - 32 * k);
        lsu_respond(&r, req);
    }
    lsu_result_in(&r, 20 + 3 + 1, 0, inst); /* one response a cycle */
    g_assert_cmpuint(r.l1d.n, ==, 0);
    lsu_close(&r);
}

/* All lanes at address 0: nothing is sent, for nobody would answer, and it is served when its turn comes. */
static void network_null(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    WwInst *load = lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDG_BYPASS});
    load->addr = NULL;
    lsu_result_in(&r, 4, 0, load);
    WwInst *store = lsu_put(&r, 0, &(LsuTest){.kind = LSU_STG_BYPASS});
    store->addr = NULL;
    lsu_over_in(&r, 5 + 4, store);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 0);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    lsu_close(&r);
}

/* A full network is waited for. */
static void network_room(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, "depth=1");
    const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.mask = 0xffff});
    lsu_through(&r, 19);
    g_assert_cmpuint(lsu_stat(&r, "refused", OF_PAST_L1), ==, 16); /* from 4 on */
    g_assert_cmpuint(lsu_stat(&r, "table_most", 0), ==, 1);
    WwMemReq *first = lsu_request_of(&r);
    lsu_through(&r, 20);
    WwMemReq *second = lsu_request_of(&r);
    g_assert_cmphex(second->addr, ==, 0x1000000);
    lsu_respond(&r, second);
    lsu_respond(&r, first);
    lsu_result_in(&r, 23, 0, inst);
    lsu_close(&r);
}

/* gmem_skip_l1 is for global memory alone. */
static void network_skips(void)
{
    LsuRig r;
    lsu_open(&r, "gmem_skip_l1=true", LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){.mask = 0xff});
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDL, .base = 0x40, .mask = 1});
    lsu_through(&r, 30);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 1);
    g_assert_cmpuint(r.l1d.n, ==, 1);
    g_assert_cmpuint(r.l1d.cache.last->type, ==, WW_ACCESS_LOCAL_R);
    lsu_close(&r);
}

/* A request that the next level answers in parts is answered by the last one. */
static void network_parts(void)
{
    LsuRig r;
    WwMemReq part[4];
    lsu_open(&r, "coalesce_arch=35", 0, NULL);
    const WwInst *inst = lsu_put(&r, 0, &(LsuTest){0});
    lsu_through(&r, 9);
    WwMemReq *whole = lsu_request_of(&r);
    g_assert_cmpuint(whole->size, ==, 128);
    g_assert_null(lsu_request_of(&r));
    for (uint32_t k = 0; k < 4; k++) {
        part[k] = (WwMemReq){.original = whole};
        lsu_respond(&r, &part[k]);
    }
    lsu_result_in(&r, 10 + 3 + 1, 0, inst);
    lsu_close(&r);
}

/* A response that nobody asked for is dropped, and counted. */
static void strays(void)
{
    LsuRig r;
    WwMemReq stray = {0};
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    lsu_respond(&r, &stray);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(lsu_stat(&r, "strays", 0), ==, 1);
    g_assert_true(ww_harness_asleep(r.h));
    lsu_close(&r);
}

void register_lsu_tests(void)
{
    g_test_add_func("/memory/lsu/shared/times", shared_times);
    g_test_add_func("/memory/lsu/shared/pipeline", shared_pipeline);
    g_test_add_func("/memory/lsu/l1d/hit", l1d_hit);
    g_test_add_func("/memory/lsu/l1d/null", l1d_null);
    g_test_add_func("/memory/lsu/l1d/lookups", l1d_lookups);
    g_test_add_func("/memory/lsu/l1d/banks", l1d_banks);
    g_test_add_func("/memory/lsu/l1d/interleave", l1d_interleave);
    g_test_add_func("/memory/lsu/l1d/refused", l1d_refused);
    g_test_add_func("/memory/lsu/lanes-of", lanes_of);
    g_test_add_func("/memory/lsu/waits", waits);
    g_test_add_func("/memory/lsu/l1d/miss", l1d_miss);
    g_test_add_func("/memory/lsu/constant/lines", constant_lines);
    g_test_add_func("/memory/lsu/constant/descending", constant_descending);
    g_test_add_func("/memory/lsu/constant/address", constant_address);
    g_test_add_func("/memory/lsu/constant/refill", constant_refill);
    g_test_add_func("/memory/lsu/texture/none", texture);
    g_test_add_func("/memory/lsu/texture/cache", texture_cache);
    g_test_add_func("/memory/lsu/texture/step", texture_step);
    g_test_add_func("/memory/lsu/nothing", nothing);
    g_test_add_func("/memory/lsu/network/times", network);
    g_test_add_func("/memory/lsu/network/null", network_null);
    g_test_add_func("/memory/lsu/network/room", network_room);
    g_test_add_func("/memory/lsu/network/skips", network_skips);
    g_test_add_func("/memory/lsu/network/parts", network_parts);
    g_test_add_func("/memory/lsu/network/strays", strays);
}
