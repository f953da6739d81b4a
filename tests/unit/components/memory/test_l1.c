/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of a first-level data cache: misses, what goes past the cache, asynchronous copies, no
 * latency, sleep.
 */
#include "tests.h"

#include <string.h>
#include <testing/fake_cache.h>

const WwTestInst l1_load = {.op = WW_OP_LOAD,
                            .space = WW_SPACE_GLOBAL,
                            .dst = 5,
                            .base = 0x1000000,
                            .stride = 4,
                            .warp = 2,
                            .uid = 1};
static const WwTestInst copy = {.op = WW_OP_LOAD,
                                .space = WW_SPACE_GLOBAL,
                                .flags = WW_INST_LDGSTS,
                                .base = 0x1000000,
                                .stride = 4,
                                .warp = 2,
                                .uid = 1,
                                .pc = 0x40};

/*
 * Missed in cycle 21, sent down from cycle 22 on. A response in cycle x fills the cache, is in
 * the write-back register in x + 1, done in x + 2.
 */
static void miss(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 22);
    g_assert_cmpuint(c.lower.length, ==, 4);
    for (uint32_t k = 1; k <= 4; k++) {
        ww_harness_step(r.h, 1);
        g_assert_cmpuint(c.down.length, ==, k);
    }
    ww_harness_step(r.h, 50);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t k = 0; k < 3; k++) {
        rig_respond(&r, g_queue_pop_head(&c.down));
        ww_harness_step(r.h, 5);
    }
    g_assert_cmpuint(c.fills, ==, 3);
    g_assert_cmpuint(r.banks->written, ==, 3);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    WwCycle x = ww_harness_now(r.h);
    rig_respond(&r, g_queue_pop_head(&c.down));
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, x + 2);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    rig_close(&r);
}

static WwCacheResult miss_one(ScriptedCache *c, const WwMemReq *req, WwCycle now, uint32_t *sent)
{
    bool misses = (req->addr & 0x60) == 0;
    *sent = misses ? WW_CACHE_SENT_READ : 0;
    return misses ? WW_CACHE_MISS : WW_CACHE_HIT;
}

/* Three sectors hit, one misses: the register goes with the last, whichever way it comes. */
static void mixed(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    c.decide = miss_one;
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 40);
    g_assert_cmpuint(c.accesses, ==, 4);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    rig_answer_cache(&r, &c);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    g_assert_cmpuint(r.banks->written, ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_writeback", 0), ==, 1);
    rig_close(&r);
}

/* A busy fill port holds the response, and the acknowledgement behind it. */
static void fill_port(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    c.fill_cost = 4; /* one of them passes in the cycle of the fill */
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    WwTestInst t = l1_load;
    t.mask = 0xffff;
    rig_put(&r, &t);
    ww_harness_step(r.h, 40);
    WwCycle x = ww_harness_now(r.h);
    rig_respond(&r, g_queue_pop_head(&c.down));
    rig_respond(&r, g_queue_pop_head(&c.down));
    g_assert_cmpuint(rig_until(&r, &c.fills, 1), ==, x);
    g_assert_cmpuint(rig_until(&r, &c.fills, 2), ==, x + 4);
    rig_close(&r);
}

/* ---- past the cache ------------------------------------------------------------------------ */

/* Operator "global": one access a cycle to memory, held on its way back; the L1D knows nothing. */
static void bypass_operator(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    WwTestInst t = l1_load;
    t.flags = WW_INST_BYPASS_L1;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 4);
    rig_answer_all(&r);
    g_assert_cmpuint(c.accesses + c.fills, ==, 0);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    rig_close(&r);
}

/* gmem_skip_l1: global memory goes past, local memory does not. */
static void bypass_global(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA " gmem_skip_l1=true");
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 10);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 4);
    rig_answer_all(&r);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    WwTestInst t = l1_load;
    t.space = WW_SPACE_LOCAL;
    t.base = 0x40;
    t.stride = 0;
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    rig_put(&r, &t);
    ww_harness_step(r.h, 40);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 0);
    g_assert_cmpuint(c.accesses, ==, 4);
    rig_answer_cache(&r, &c);
    g_assert_cmpuint(c.fills, ==, 4);
    g_assert_cmpuint(r.warps->total.data, ==, 2);
    rig_close(&r);
}

/* The held response and the L1D's misses take turns at the write-back register. */
static void arbiter(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    WwTestInst t = l1_load;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    t.flags = WW_INST_BYPASS_L1;
    t.dst = 6;
    t.uid = 2;
    t.mask = 0xff;
    rig_put(&r, &t);
    ww_harness_step(r.h, 40);
    r.banks->refuse = 8;
    for (uint32_t k = 0; k < 3; k++) { /* the first fills the register, two are ready behind it */
        rig_respond(&r, g_queue_pop_head(&c.down));
        ww_harness_step(r.h, 2);
    }
    rig_respond(&r, rig_request(&r));
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(r.banks->written, ==, 0);
    r.banks->refuse = 0;
    ww_harness_step(r.h, 1); /* the first L1D access is done, the held response follows */
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, ww_harness_now(r.h) - 1);
    g_assert_cmpuint(r.warps->reg, ==, 6);
    g_assert_cmpuint(r.banks->written, ==, 2);
    rig_close(&r);
}

/* ---- asynchronous copies ------------------------------------------------------------------- */

/* A copy that hits counts as an instruction once, one that misses twice; both are reported. */
static void copies(void)
{
    for (uint32_t misses = 0; misses < 2; misses++) {
        Rig r;
        ScriptedCache c;
        rig_open_l1(&r, &c, L1_VOLTA);
        c.result = misses ? WW_CACHE_MISS : WW_CACHE_HIT;
        c.sent = misses ? WW_CACHE_SENT_READ : 0;
        rig_put(&r, &copy);
        ww_harness_step(r.h, 21);
        g_assert_cmpuint(r.warps->total.complete, ==, 1);
        g_assert_cmpuint(r.barriers->dones, ==, 0);
        ww_harness_step(r.h, 1);
        g_assert_cmpuint(r.barriers->dones, ==, misses ? 0 : 1);
        rig_answer_cache(&r, &c);
        g_assert_cmpuint(r.barriers->dones, ==, 1);
        g_assert_cmpuint(r.warps->total.complete, ==, 1 + misses);
        g_assert_cmpuint(r.warps->total.release, ==, 1);
        rig_close(&r);
    }
}

/* ---- requests ------------------------------------------------------------------------------ */

static void decode(void *self, uint64_t addr, WwAddress *out)
{
    ++*(uint32_t *)self;
    *out = (WwAddress){.partition = addr / 2, .channel = 7, .slice = 15};
}
static const WwAddressMapIf map_if = {.decode = decode};

static void where_it_goes(void)
{
    Rig r;
    uint32_t decoded = 0;
    r = (Rig){.h = ww_harness_new(test_registry(), "ldst_unit", NULL)};
    ww_harness_channel(r.h, "mem_out", "depth=8");
    ww_harness_channel(r.h, "mem_in", "depth=8");
    ww_harness_provide(r.h, "address_map", &map_if, &decoded);
    r.ctas = ww_harness_fill(r.h, "ctas", NULL, NULL);
    ww_harness_start(r.h, NULL);
    r.ctas->view.sm = 7;
    r.ctas->view.cluster = 3;
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(decoded, ==, 2);
    WwMemReq *q = rig_request(&r);
    g_assert_cmphex(q->at.partition, ==, 0x800030);
    g_assert_cmpuint(q->at.channel, ==, 7);
    g_assert_cmpuint(q->at.slice, ==, 15);
    g_assert_cmpuint(q->sm, ==, 7);
    g_assert_cmpuint(q->cluster, ==, 3);
    g_assert_cmpuint(q->stamp, ==, q->birth);
    g_assert_nonnull(q->owner);
    ww_mem_release(q); /* ends elsewhere: one request fewer to wait for */
    ww_harness_step(r.h, 5);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(r.h));
    g_assert_nonnull(strstr(text, "3 memory requests have not come back"));
    g_assert_cmpuint(decoded, ==, 4);
    rig_close(&r);
}

/* ---- no latency ---------------------------------------------------------------------------- */

/* One access a cycle straight into the cache; the whole instruction retires with the last. */
static void no_latency(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=0");
    rig_put(&r, &l1_load);
    g_assert_cmpuint(rig_until(&r, &c.accesses, 1), ==, 1);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.complete, 1), ==, 4);
    g_assert_cmpuint(r.warps->total.result, ==, 1);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 3);
    rig_close(&r);
}

/* Refusals are stalls by "bank", a busy data port by its own name; only what is forwarded counts. */
static void no_latency_stalls(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_latency=0");
    c.result = WW_CACHE_RESERVATION_FAIL;
    rig_put(&r, &rig_store);
    ww_harness_step(r.h, 6);
    g_assert_cmpuint(rig_stall(&r, "global_store.bank"), ==, 5);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    c.result = WW_CACHE_HIT;
    c.sent = WW_CACHE_SENT_WRITE;
    c.data_cost = 3;
    ww_harness_step(r.h, 10); /* hits in cycles 6, 9, 12 and 15 */
    g_assert_cmpuint(rig_stall(&r, "global_store.data_port"), ==, 6);
    g_assert_cmpuint(rig_stall(&r, "global_store.coalescing"), ==, 3);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    rig_answer_cache(&r, &c);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    rig_close(&r);
}

/* ---- sleep --------------------------------------------------------------------------------- */

/* The latency is slept through; the cache is told of every cycle, one way or the other. */
static void sleeps(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=100");
    ww_harness_step(r.h, 10);
    uint64_t before = ww_machine_activations(ww_harness_machine(r.h));
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 200);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(r.h)) - before, <=, 6);
    ww_harness_stat(r.h, "n_insn", 0);
    g_assert_cmpuint(c.cycles + c.settled, ==, 210);
    rig_close(&r);
}

/* What cannot leave the cache is no reason to stay awake: room wakes the unit. */
static void sleeps_while_stuck(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    scripted_cache_stick(&c, true);
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 50);
    g_assert_true(ww_harness_asleep(r.h));
    scripted_cache_stick(&c, false);
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(c.down.length, ==, 3);
    rig_close(&r);
}

/* A reset forgets what is in the queues. */
static void reset(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 10);
    ww_harness_reset(r.h);
    ww_harness_step(r.h, 100);
    g_assert_cmpuint(c.accesses, ==, 0);
    g_assert_true(ww_harness_asleep(r.h));
    rig_put(&r, &l1_load);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 100 + 21);
    rig_close(&r);
}

/* With the contract's own fake: what is in front of the cache is not under way in memory. */
static void explains(void)
{
    Rig r;
    r = (Rig){.h = ww_harness_new(test_registry(), "ldst_unit", L1_VOLTA)};
    ww_harness_channel(r.h, "mem_out", "depth=8");
    ww_harness_channel(r.h, "mem_in", "depth=8");
    WwFakeCache *c = ww_harness_fill(r.h, "l1d", NULL, NULL);
    ww_harness_start(r.h, NULL);
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 10);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(r.h));
    g_assert_nonnull(strstr(text, "4 accesses are in front of the L1D"));
    g_assert_null(strstr(text, "have not come back"));
    c->result = WW_CACHE_MISS;
    ww_harness_step(r.h, 20);
    g_autofree char *later = ww_machine_explain(ww_harness_machine(r.h));
    g_assert_null(strstr(later, "in front of the L1D"));
    g_assert_nonnull(strstr(later, "4 memory requests have not come back"));
    g_assert_cmpuint(c->accesses, ==, 4);
    rig_close(&r);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void refuse(const char *params, bool l1d, const char *want)
{
    ScriptedCache c;
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit", params);
    GError *error = NULL;
    scripted_cache_open(&c);
    if (l1d) {
        scripted_cache_provide(h, &c);
    }
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, want));
    g_error_free(error);
    ww_harness_free(h);
    scripted_cache_close(&c);
}

/* A hash that no number of banks fits is none of anybody's business where no bank is chosen. */
static void unused_hash(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit", "l1_banks=4 l1_hash=ipoly");
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_free(h);
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=0 l1_hash=ipoly");
    rig_close(&r);
}

static void refusals(void)
{
    refuse("l1_latency=5 l1_banks=4 l1_hash=ipoly", true, "expected 16, 32 or 64 banks");
    refuse(NULL, true, "port l1d is bound and mem_in is not");
}

void register_l1_tests(void)
{
    g_test_add_func("/memory/l1/miss", miss);
    g_test_add_func("/memory/l1/mixed", mixed);
    g_test_add_func("/memory/l1/fill_port", fill_port);
    g_test_add_func("/memory/l1/bypass/operator", bypass_operator);
    g_test_add_func("/memory/l1/bypass/global", bypass_global);
    g_test_add_func("/memory/l1/arbiter", arbiter);
    g_test_add_func("/memory/l1/copies", copies);
    g_test_add_func("/memory/l1/where_it_goes", where_it_goes);
    g_test_add_func("/memory/l1/no_latency", no_latency);
    g_test_add_func("/memory/l1/no_latency_stalls", no_latency_stalls);
    g_test_add_func("/memory/l1/sleeps", sleeps);
    g_test_add_func("/memory/l1/sleeps_while_stuck", sleeps_while_stuck);
    g_test_add_func("/memory/l1/reset", reset);
    g_test_add_func("/memory/l1/explains", explains);
    g_test_add_func("/memory/l1/refusals", refusals);
    g_test_add_func("/memory/l1/unused_hash", unused_hash);
}
