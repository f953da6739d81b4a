/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The latency queues in front of a first-level data cache: banks, who is looked up when, what a
 * refusal holds up, hits on their way to the write-back register.
 */
#include "tests.h"

/* Accepted 0; four banks take an access each in cycle 1; looked up, and done, in cycle 21. */
static void hit(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA);
    rig_put(&r, &l1_load);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 0);
    g_assert_cmpuint(rig_until(&r, &c.accesses, 1), ==, 21);
    g_assert_cmpuint(c.accesses, ==, 4);
    g_assert_cmpuint(c.last_now, ==, 21);
    g_assert_cmpuint(c.last->birth, ==, 1);
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
    rig_open_l1(&r, &c, L1_VOLTA);
    c.decide = by_bank;
    rig_put(&r, &l1_load);
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
        rig_put(&r, &l1_load);
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
    rig_open_l1(&r, &c, L1_VOLTA);
    WwTestInst t = l1_load;
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
    rig_put(&r, &l1_load); /* all in one bank */
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4);
    rig_close(&r);
    rig_open_l1(&r, &c, "l1_banks=4 l1_latency=5 l1_hash=xor");
    WwTestInst t = l1_load;
    t.stride = 128; /* linear: one bank; xor: all */
    t.mask = 0xf;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 1);
    rig_close(&r);
}

/* Of three banks 0 and 2 are used, of six 0, 1, 4 and 5; an interleave of 48 is one of 32. */
static void odd_banks(void)
{
    static const struct {
        const char *params;
        uint32_t lanes;
        int32_t stride;
        uint32_t leave;
    } rows[] = {
        {"l1_latency=5 l1_banks=3", 2, 64, 1},
        {"l1_latency=5 l1_banks=3", 2, 32, 2},
        {"l1_latency=5 l1_banks=3", 4, 32, 3},
        {"l1_latency=5 l1_banks=6", 2, 32, 1},
        {"l1_latency=5 l1_banks=6", 2, 64, 2},
        {"l1_latency=5 l1_banks=6", 2, 128, 1},
        {"l1_latency=5 l1_banks=6", 2, 512, 2},
        {"l1_latency=5 l1_banks=6 l1_hash=xor", 2, 512, 1}, /* block 16: its bits from 2 on are 4 */
        {"l1_latency=5 l1_banks=6 l1_hash=xor", 2, 256, 2},
        {"l1_latency=5 l1_banks=4 l1_interleave=48", 4, 32, 1},
        {"l1_latency=5 l1_banks=4 l1_interleave=96", 2, 32, 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        Rig r;
        ScriptedCache c;
        rig_open_l1(&r, &c, rows[i].params);
        WwTestInst t = l1_load;
        t.stride = rows[i].stride;
        t.mask = (1u << rows[i].lanes) - 1;
        rig_put(&r, &t);
        g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, rows[i].leave);
        rig_close(&r);
    }
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
    WwTestInst t = l1_load;
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
    WwTestInst t = l1_load;
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

/* Behind a refused access nothing enters a queue that stands still: it could not move on. */
static void stands_full(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, "l1_banks=1 l1_latency=4 l1_queues_close_up=false");
    c.result = WW_CACHE_RESERVATION_FAIL;
    WwTestInst t = l1_load;
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

/* hits_write_back: four hits in cycle 21 pass the write-back register from 22 to 26, each with its bank. */
static void hits_write_back(void)
{
    Rig r;
    ScriptedCache c;
    rig_open_l1(&r, &c, L1_VOLTA " hits_write_back=true");
    rig_put(&r, &l1_load);
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
    WwTestInst t = l1_load;
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

void register_l1_queue_tests(void)
{
    g_test_add_func("/memory/l1/hit", hit);
    g_test_add_func("/memory/l1/bank_order", bank_order);
    g_test_add_func("/memory/l1/one_access_a_bank", one_access_a_bank);
    g_test_add_func("/memory/l1/bank_conflict", bank_conflict);
    g_test_add_func("/memory/l1/bank_choice", bank_choice);
    g_test_add_func("/memory/l1/odd_banks", odd_banks);
    g_test_add_func("/memory/l1/refused", refused);
    g_test_add_func("/memory/l1/closes_up", closes_up);
    g_test_add_func("/memory/l1/stands_still", stands_still);
    g_test_add_func("/memory/l1/stands_full", stands_full);
    g_test_add_func("/memory/l1/hits_write_back", hits_write_back);
    g_test_add_func("/memory/l1/hits_wait", hits_wait);
}
