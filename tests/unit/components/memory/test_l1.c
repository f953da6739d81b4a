/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of a first-level data cache: latency queues and banks, hits, misses, refusals, stores
 * and who acknowledges them, what goes past the cache.
 */
#include "tests.h"

#include <string.h>
#include <testing/fake_cache.h>

#define VOLTA "l1_banks=4 l1_latency=20"

static const WwTestInst load = {.op = WW_OP_LOAD,
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

/* Accepted 0; four banks take an access each in cycle 1; looked up, and done, in cycle 21. */
static void hit(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    rig_put(&r, &load);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 0);
    g_assert_cmpuint(rig_until(&r, &c.accesses, 1), ==, 21);
    g_assert_cmpuint(c.accesses, ==, 4);
    g_assert_cmpuint(c.last_now, ==, 21);
    g_assert_cmpuint(c.last->note->birth, ==, 1);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    g_assert_cmpuint(r.warps->reg, ==, 5);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    g_assert_cmpuint(r.banks->calls, ==, 0); /* no register bank, no write-back register */
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 0);
    ww_harness_step(r.h, 1);
    g_assert_true(ww_harness_asleep(r.h));
    rig_close(&r);
}

static WwCacheResult by_bank(ScriptedCache *c, const WwMemReq *req, WwCycle now, uint32_t *sent)
{
    *sent = 0;
    g_assert_cmphex(req->addr, ==, 0x1000000 + 32 * (c->accesses % 4));
    return WW_CACHE_HIT;
}

/* Banks are looked up in their order, though the highest address entered first. */
static void bank_order(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    c.decide = by_bank;
    rig_put(&r, &load);
    ww_harness_step(r.h, 30);
    g_assert_cmpuint(c.accesses, ==, 4);
    rig_close(&r);
}

/* Two banks: two accesses a cycle, the rest waits for the next; one bank: one. */
static void one_access_a_bank(void)
{
    for (uint32_t banks = 1; banks <= 2; banks++) {
        Rig r;
        ScriptedCache c;
        rig_open_l1(&r, &c, banks == 1 ? "l1_banks=1 l1_latency=5" : "l1_banks=2 l1_latency=5");
        rig_put(&r, &load);
        g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4 / banks);
        g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 4 / banks - 1);
        g_assert_cmpuint(ww_harness_stat(r.h, "n_l1cache_bkconflict", 0), ==, 0);
        g_assert_cmpuint(rig_until(&r, &c.accesses, 4), ==, 4 / banks + 5);
        g_assert_cmpuint(c.accesses, ==, 4);
        rig_close(&r);
    }
}

/* Stride 64 uses two of the four banks: the third access finds its bank taken in this cycle. */
static void bank_conflict(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    WwTestInst t = load;
    t.stride = 64;
    t.mask = 0xff;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_l1cache_bkconflict", 0), ==, 3);
    g_assert_cmpuint(rig_stall(&r, "global_load.bank"), ==, 3);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 0);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_stall_shd_mem", 0), ==, 3);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 24);
    rig_close(&r);
}

/* The hash and the interleave choose the bank. */
static void bank_choice(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=5 l1_interleave=128");
    rig_put(&r, &load); /* all in one bank */
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4);
    rig_close(&r);
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=5 l1_hash=xor");
    WwTestInst t = load;
    t.stride = 128; /* linear: one bank; xor: all */
    t.mask = 0xf;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 1);
    rig_close(&r);
}

/*
 * Refused: tried every cycle. Those behind close up until the queue is full; then the bank
 * refuses. Freed, one leaves a cycle.
 */
static void refused(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=1 l1_latency=4");
    c.result = WW_CACHE_RESERVATION_FAIL;
    WwTestInst t = load;
    t.stride = 32;
    t.mask = 0x3f; /* six accesses, in cycles 1 to 4, then no more */
    rig_put(&r, &t);
    ww_harness_step(r.h, 21);
    g_assert_cmpuint(c.refusals, ==, 16); /* cycles 5 to 20 */
    g_assert_cmpuint(c.accesses, ==, 16);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_l1cache_bkconflict", 0), ==, 16);
    g_assert_cmpuint(rig_stall(&r, "global_load.bank"), ==, 16);
    c.result = WW_CACHE_HIT;
    ww_harness_step(r.h, 1); /* cycle 21: one done, all move up, one enters */
    g_assert_cmpuint(c.accesses, ==, 17);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 4 + 1);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 22);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 26);
    g_assert_cmpuint(c.accesses, ==, 16 + 6);
    rig_close(&r);
}

/*
 * Behind a blocked exit: A is refused in cycles 6 to 9, and is looked up again in cycle 10; B entered
 * 3 cycles behind it. @p second: when B is looked up.
 */
static void blocked_exit(const char *params, WwCycle second)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, params);
    c.result = WW_CACHE_RESERVATION_FAIL;
    WwTestInst t = load;
    t.mask = 1;
    rig_put(&r, &t);
    ww_harness_step(r.h, 3);
    t.uid = 2;
    t.dst = 6;
    rig_put(&r, &t); /* enters in cycle 4, due in cycle 9 */
    ww_harness_step(r.h, 7);
    g_assert_cmpuint(c.accesses, ==, 4);
    c.result = WW_CACHE_HIT;
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 10);
    g_assert_cmpuint(r.warps->reg, ==, 5);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 2), ==, second);
    rig_close(&r);
}

/* A gap closes: B is looked up in cycle 11 only, because it is one stage behind when A leaves. */
static void closes_up(void)
{
    blocked_exit("l1_banks=1 l1_latency=5", 11);
}

/* l1_queues_close_up = false: B stands still with A, and is looked up three cycles behind it. */
static void stands_still(void)
{
    blocked_exit("l1_banks=1 l1_latency=5 l1_queues_close_up=false", 13);
}

/*
 * Missed in cycle 21, sent down from cycle 22 on. A response in cycle x fills the cache, is in
 * the write-back register in x + 1, done in x + 2.
 */
static void miss(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    rig_put(&r, &load);
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
    rig_open_l1(&r, &c, VOLTA);
    c.decide = miss_one;
    rig_put(&r, &load);
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
    rig_open_l1(&r, &c, VOLTA);
    c.fill_cost = 4; /* one of them passes in the cycle of the fill */
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    WwTestInst t = load;
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
    rig_open_l1(&r, &c, VOLTA);
    WwTestInst t = load;
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
    rig_open_l1(&r, &c, VOLTA " gmem_skip_l1=true");
    rig_put(&r, &load);
    ww_harness_step(r.h, 10);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 4);
    rig_answer_all(&r);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    WwTestInst t = load;
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
    rig_open_l1(&r, &c, VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    WwTestInst t = load;
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
        rig_open_l1(&r, &c, VOLTA);
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
    rig_put(&r, &load);
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(decoded, ==, 2);
    WwMemReq *q = rig_request(&r);
    g_assert_cmphex(q->at.partition, ==, 0x800030);
    g_assert_cmpuint(q->at.channel, ==, 7);
    g_assert_cmpuint(q->at.slice, ==, 15);
    g_assert_cmpuint(q->sm, ==, 7);
    g_assert_cmpuint(q->cluster, ==, 3);
    g_assert_cmpuint(q->note->stamp, ==, q->note->birth);
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
    rig_put(&r, &load);
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
    rig_put(&r, &load);
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
    rig_open_l1(&r, &c, VOLTA);
    c.result = WW_CACHE_MISS;
    c.sent = WW_CACHE_SENT_READ;
    scripted_cache_stick(&c, true);
    rig_put(&r, &load);
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
    rig_open_l1(&r, &c, VOLTA);
    rig_put(&r, &load);
    ww_harness_step(r.h, 10);
    ww_harness_reset(r.h);
    ww_harness_step(r.h, 100);
    g_assert_cmpuint(c.accesses, ==, 0);
    g_assert_true(ww_harness_asleep(r.h));
    rig_put(&r, &load);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 100 + 21);
    rig_close(&r);
}

/* With the contract's own fake: what is in front of the cache is not under way in memory. */
static void explains(void)
{
    Rig r;
    r = (Rig){.h = ww_harness_new(test_registry(), "ldst_unit", VOLTA)};
    ww_harness_channel(r.h, "mem_out", "depth=8");
    ww_harness_channel(r.h, "mem_in", "depth=8");
    WwFakeCache *c = ww_harness_fill(r.h, "l1d", NULL, NULL);
    ww_harness_start(r.h, NULL);
    rig_put(&r, &load);
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
    refuse("l1_banks=3", false, "expected powers of two");
    refuse("l1_interleave=48", false, "expected powers of two");
    refuse("l1_latency=5 l1_banks=4 l1_hash=ipoly", true, "expected 16, 32 or 64 banks");
    refuse(NULL, true, "port l1d is bound and mem_in is not");
}

/* hits_write_back: four hits in cycle 21 pass the write-back register from 22 to 26, each with its bank. */
static void hits_write_back(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, VOLTA " hits_write_back=true");
    rig_put(&r, &load);
    g_assert_cmpuint(rig_until(&r, &c.accesses, 1), ==, 21);
    g_assert_cmpuint(c.accesses, ==, 4);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 26);
    g_assert_cmpuint(r.banks->calls, ==, 4);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    rig_close(&r);
}

/* While hits find no register bank, as many wait as there are banks, and the queues stand. */
static void hits_wait(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=1 l1_latency=4 hits_write_back=true");
    r.banks->refuse = 1000;
    WwTestInst t = load;
    t.stride = 32;
    t.mask = 0x1f;
    rig_put(&r, &t);
    ww_harness_step(r.h, 60);
    g_assert_cmpuint(c.accesses, ==, 2); /* one in the register, one waits for it */
    r.banks->refuse = 0;
    ww_harness_step(r.h, 30);
    g_assert_cmpuint(c.accesses, ==, 5);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    rig_close(&r);
}

/* Behind a refused access nothing enters a queue that stands still: it could not move on. */
static void stands_full(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=1 l1_latency=4 l1_queues_close_up=false");
    c.result = WW_CACHE_RESERVATION_FAIL;
    WwTestInst t = load;
    t.stride = 32;
    t.mask = 0x3f; /* six accesses, in cycles 1 to 4, then no more */
    rig_put(&r, &t);
    ww_harness_step(r.h, 21);
    g_assert_cmpuint(c.refusals, ==, 16);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_l1cache_bkconflict", 0), ==, 16);
    c.result = WW_CACHE_HIT;
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, 26);
    g_assert_cmpuint(c.accesses, ==, 16 + 6);
    rig_close(&r);
}

void register_l1_tests(void)
{
    g_test_add_func("/memory/l1/hit", hit);
    g_test_add_func("/memory/l1/bank_order", bank_order);
    g_test_add_func("/memory/l1/one_access_a_bank", one_access_a_bank);
    g_test_add_func("/memory/l1/bank_conflict", bank_conflict);
    g_test_add_func("/memory/l1/bank_choice", bank_choice);
    g_test_add_func("/memory/l1/refused", refused);
    g_test_add_func("/memory/l1/closes_up", closes_up);
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
    g_test_add_func("/memory/l1/hits_write_back", hits_write_back);
    g_test_add_func("/memory/l1/hits_wait", hits_wait);
    g_test_add_func("/memory/l1/stands_still", stands_still);
    g_test_add_func("/memory/l1/stands_full", stands_full);
}
