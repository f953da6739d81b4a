/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global, local and constant memory through the unit: requests, responses, write-back,
 * completion, refusals.
 */
#include "tests.h"

#include <string.h>

#define LDG(dst_, stride_)                                                                         \
    &(WwTestInst)                                                                                  \
    {                                                                                              \
        .op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL, .dst = dst_, .base = 0x1000000,                \
        .stride = stride_, .warp = 2, .uid = 1                                                     \
    }
#define STG(stride_)                                                                               \
    &(WwTestInst)                                                                                  \
    {                                                                                              \
        .op = WW_OP_STORE, .space = WW_SPACE_GLOBAL, .base = 0x1000000, .stride = stride_,         \
        .warp = 2, .uid = 1                                                                        \
    }

/*
 * Accepted 0; requests in cycles 1 to 4, the highest address first; the warp may go on when the
 * last is out.
 */
static void load(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 1);
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpuint(r.warps->total.leave, ==, 0);
        ww_harness_step(r.h, 1);
        WwMemReq *q = rig_request(&r);
        g_assert_nonnull(q);
        g_assert_cmphex(q->addr, ==, 0x1000060 - 32 * k);
        g_assert_cmpuint(q->size, ==, 32);
        g_assert_cmpuint(q->type, ==, WW_ACCESS_GLOBAL_R);
        g_assert_cmphex(q->lanes, ==, 0xffu << 8 * (3 - k));
        g_assert_cmphex(q->sectors, ==, 8 >> k);
        g_assert_false(q->write || q->atomic || q->bypass_l1);
        g_assert_cmpuint(q->birth, ==, 1 + k);
        g_assert_cmpuint(q->sm, ==, 3);
        g_assert_cmpuint(q->warp, ==, 2);
        g_assert_cmpuint(q->serial, ==, k);
    }
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 0);
    g_assert_cmpuint(rig_stall(&r, "global_load.coalescing"), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_stall_shd_mem", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "traffic", WW_ACCESS_GLOBAL_R * WW_PACKET_SIZES), ==, 4);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_load_insn", 0), ==, 32);
    rig_close(&r);
}

/*
 * A response seen in cycle x is held, in the write-back register in x + 1, finished in x + 2; the
 * register goes with the last.
 */
static void response(void)
{
    Rig r;
    WwMemReq *q[4];
    rig_open(&r, NULL, NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 6);
    for (uint32_t k = 0; k < 4; k++) {
        q[k] = rig_request(&r);
    }
    for (uint32_t k = 0; k < 3; k++) {
        rig_respond(&r, q[k]);
        ww_harness_step(r.h, 10);
    }
    g_assert_cmpuint(r.banks->written, ==, 3);
    g_assert_cmpuint(r.warps->total.data, ==, 0);
    g_assert_true(ww_harness_asleep(r.h));
    WwCycle x = ww_harness_now(r.h);
    rig_respond(&r, q[3]);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, x + 2);
    g_assert_cmpuint(r.warps->reg, ==, 5);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    rig_close(&r);
}

/* A load that the next level answers in parts: the last of them is its response. */
static void parts(void)
{
    Rig r;
    WwMemReq part[4];
    rig_open(&r, "coalesce_arch=13 warp_parts=1", NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 4);
    WwMemReq *whole = rig_request(&r);
    g_assert_cmpuint(whole->size, ==, 128);
    g_assert_null(rig_request(&r));
    for (uint32_t k = 0; k < 4; k++) {
        g_assert_cmpuint(r.warps->total.data, ==, 0);
        part[k] = *whole;
        part[k].owner = NULL;
        part[k].original = whole;
        part[k].size = 32;
        rig_respond(&r, &part[k]);
        ww_harness_step(r.h, 10);
    }
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    rig_close(&r);
}

/*
 * A refused bank keeps the write-back register, the next response held, the one after in the
 * queue.
 */
static void blocked_bank(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 6);
    r.banks->refuse = 5;
    WwCycle x = ww_harness_now(r.h);
    rig_respond(&r, rig_request(&r));
    rig_respond(&r, rig_request(&r));
    ww_harness_step(r.h, 1);
    rig_respond(&r, rig_request(&r));
    ww_harness_step(r.h, 2);
    rig_respond(&r, rig_request(&r));
    g_assert_cmpuint(ww_harness_count(r.h, "mem_in"), ==, 2);
    g_assert_cmpuint(rig_until(&r, &r.banks->written, 1), ==, x + 2 + 5);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_writeback_blocked", 0), ==, 5);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.data, 1), ==, x + 2 + 5 + 3);
    rig_close(&r);
}

/* Each access of a load is a write. */
static bool count_write(void *self, const WwInst *inst)
{
    ++*(uint32_t *)self;
    return true;
}

static void fresh_writes(void)
{
    static const WwRegisterBanksIf table = {.write = count_write};
    uint32_t writes = 0;
    Rig r = {.h = ww_harness_new(test_registry(), "ldst_unit", NULL)};
    ww_harness_channel(r.h, "mem_out", "depth=8");
    ww_harness_channel(r.h, "mem_in", "depth=8");
    ww_harness_provide(r.h, "banks", &table, &writes);
    ww_harness_start(r.h, NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 6);
    rig_answer_all(&r);
    g_assert_cmpuint(writes, ==, 4);
    rig_close(&r);
}

/*
 * A store completes when it leaves; its warp counts each access out and each acknowledgement
 * back.
 */
static void store(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwInst *i = rig_put(&r, STG(4));
    ww_harness_step(r.h, 5);
    g_assert_cmpint(r.warps->total.stores, ==, 4);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.leave, ==, 1);
    g_assert_true(r.warps->released == i);
    g_assert_cmpuint(rig_stall(&r, "global_store.coalescing"), ==, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "traffic", WW_ACCESS_GLOBAL_W * WW_PACKET_SIZES + 1), ==,
                     4);
    WwMemReq *q = rig_request(&r);
    g_assert_true(q->write);
    g_assert_cmphex(q->bytes.w[1], ==, 0xffffffff00000000u);
    rig_respond(&r, q);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.stores, ==, 3);
    rig_answer_all(&r);
    g_assert_cmpint(r.warps->total.stores, ==, 0);
    g_assert_cmpuint(r.banks->calls, ==, 0);
    rig_close(&r);
}

/*
 * ATOM: a read that writes, past the cache; lanes come back when the response enters the write-
 * back register.
 */
static void atomic(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = *LDG(5, 0);
    t.flags = WW_INST_ATOMIC | WW_INST_BYPASS_L1;
    t.mask = 7;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 3);
    WwMemReq *q = rig_request(&r);
    g_assert_true(q->atomic && !q->write && q->bypass_l1);
    g_assert_cmpuint(q->type, ==, WW_ACCESS_GLOBAL_R);
    g_assert_cmpuint(ww_harness_stat(r.h, "traffic", WW_TRAFFIC_ATOMIC * WW_PACKET_SIZES + 1), ==,
                     3); /* apart from reads, and with data */
    g_assert_cmphex(q->lanes, ==, 4);
    rig_respond(&r, q);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.atomics, ==, 0);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(r.warps->total.atomics, ==, -1);
    rig_answer_all(&r);
    g_assert_cmpint(r.warps->total.atomics, ==, -3);
    g_assert_cmpuint(r.warps->total.data, ==, 1);
    rig_close(&r);
}

/* RED has no destination: it completes on leaving, and its responses only count lanes. */
static void reduction(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = *LDG(0, 4);
    t.flags = WW_INST_ATOMIC | WW_INST_BYPASS_L1;
    rig_put(&r, &t);
    ww_harness_step(r.h, 5);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 0);
    rig_answer_all(&r);
    g_assert_cmpint(r.warps->total.atomics, ==, -32);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_cmpuint(r.warps->total.release, ==, 1);
    g_assert_cmpuint(r.warps->total.data + r.warps->total.result, ==, 0);
    rig_close(&r);
}

/* Without lanes, or with every address 0, nothing is sent and the load completes at once. */
static void nothing_to_do(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    WwTestInst t = *LDG(5, 4);
    t.no_lanes = true;
    rig_put(&r, &t);
    g_assert_cmpuint(rig_until(&r, &r.warps->total.result, 1), ==, 1);
    t = *LDG(5, 0);
    t.base = 0;
    rig_put(&r, &t);
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.result, ==, 2);
    g_assert_cmpuint(r.warps->total.complete, ==, 2);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 0);
    g_assert_true(ww_harness_asleep(r.h));
    rig_close(&r);
}

/* The sensible sides of two quirks: a null pointer is read, and the lowest address goes first. */
static void not_as_the_reference(void)
{
    Rig r;
    rig_open(&r, "null_skipped=false highest_first=false", NULL);
    WwTestInst t = *LDG(5, 4);
    t.base = 0;
    rig_put(&r, &t);
    ww_harness_step(r.h, 1);
    for (uint32_t k = 0; k < 4; k++) {
        ww_harness_step(r.h, 1);
        const WwMemReq *q = rig_request(&r);
        g_assert_cmphex(q->addr, ==, 32 * k);
        g_assert_cmphex(q->lanes, ==, 0xffu << 8 * k);
    }
    rig_close(&r);
}

/* MEMBAR passes through; a constant load completes with no latency. */
static void others(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    rig_put(&r, &(WwTestInst){.op = WW_OP_MEMBAR, .warp = 1, .uid = 1});
    g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 1);
    rig_put(&r, &(WwTestInst){
                    .op = WW_OP_LOAD, .space = WW_SPACE_CONST, .dst = 3, .base = 64, .uid = 2});
    ww_harness_step(r.h, 2);
    g_assert_cmpuint(r.warps->total.result, ==, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 2);
    g_assert_cmpuint(ww_harness_stat(r.h, "n_const_insn", 0), ==, 32);
    rig_close(&r);
}

/* Local memory: translated, four words for 16 bytes; neighbouring threads share sectors. */
static void local(void)
{
    Rig r;
    rig_open(&r, NULL, NULL);
    rig_put(&r, &(WwTestInst){.op = WW_OP_STORE,
                              .space = WW_SPACE_LOCAL,
                              .width = 16,
                              .base = 0x40,
                              .warp = 3,
                              .uid = 1});
    ww_harness_step(r.h, 1 + 16);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 16);
    uint64_t base = 4 * (64 * (3 + 10 * 1) + 32) + 0x1f880000u, all = 4u * 64 * 4 * 10;
    g_assert_cmphex(rig_request(&r)->addr, ==, (0x10 + 3) * all + base + 96);
    g_assert_cmpuint(rig_stall(&r, "local_store.coalescing"), ==, 15);
    g_assert_cmpuint(ww_harness_stat(r.h, "traffic", WW_ACCESS_LOCAL_W * WW_PACKET_SIZES + 1), ==,
                     16);
    rig_close(&r);
}

/* Older rules: larger segments, halves of the warp apart. */
static void older_coalescing(void)
{
    Rig r;
    rig_open(&r, "coalesce_arch=20", NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 1);
    g_assert_cmpuint(rig_request(&r)->size, ==, 128);
    rig_close(&r);
    rig_open(&r, "coalesce_arch=13 warp_parts=2 mem_unit_ports=1", NULL);
    rig_put(&r, LDG(5, 4));
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, 2);
    WwMemReq *q = rig_request(&r);
    g_assert_cmpuint(q->size, ==, 64);
    g_assert_cmphex(q->addr, ==, 0x1000040);
    rig_close(&r);
}

/* Shared, held response, shared, ...: the arbiter goes round. */
static void arbiter(void)
{
    Rig r;
    rig_open(&r, "smem_latency=2", NULL);
    rig_put(&r, LDG(9, 4));
    ww_harness_step(r.h, 6);
    r.banks->refuse = 20;
    for (uint16_t k = 1; k <= 3; k++) {
        rig_put(&r, &(WwTestInst){.op = WW_OP_LOAD,
                                  .space = WW_SPACE_SHARED,
                                  .dst = k,
                                  .base = 64,
                                  .stride = 4,
                                  .uid = k + 1u});
    }
    ww_harness_step(r.h, 12);
    rig_respond(&r, rig_request(&r));
    rig_respond(&r, rig_request(&r));
    ww_harness_step(r.h, 5);
    r.banks->refuse = 0;
    /* R1 is in the register since its first turn; then held, shared, held, shared */
    static const char *const order[] = {"shared", "global", "shared", "global", "shared"};
    for (uint32_t k = 0; k < 5; k++) {
        uint32_t before = r.warps->total.data, written = r.banks->written;
        ww_harness_step(r.h, 1);
        g_assert_cmpuint(r.banks->written, ==, written + 1);
        g_assert_cmpstr(r.warps->total.data > before ? "shared" : "global", ==, order[k]);
    }
    rig_close(&r);
}

/* ---- what a user may get wrong ------------------------------------------------------------- */

static void refuse(const char *params, const char *want)
{
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit", params);
    GError *error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, want));
    g_error_free(error);
    ww_harness_free(h);
}

static void refusals(void)
{
    refuse("warp_parts=3", "power of two");
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit", NULL);
    GError *error = NULL;
    ww_harness_channel(h, "mem_out", NULL);
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "mem_in is not"));
    g_error_free(error);
    ww_harness_free(h);
}

static void fails_with(const WwTestInst *t, bool memory, const char *want)
{
    Rig r;
    if (memory) {
        rig_open(&r, NULL, NULL);
    } else {
        r = (Rig){.h = ww_harness_new(test_registry(), "ldst_unit", NULL)};
        ww_harness_start(r.h, NULL);
    }
    rig_put(&r, t);
    g_assert_cmpint(ww_run(ww_harness_machine(r.h), 5), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(ww_harness_machine(r.h))->message, want));
    rig_close(&r);
}

static void model_errors(void)
{
    WwTestInst t = *LDG(5, 4);
    fails_with(&t, false, "no memory is bound");
    t.flags = WW_INST_ATOMIC;
    t.base += 30;
    fails_with(&t, true, "crosses a segment");
    t = (WwTestInst){
        .op = WW_OP_LOAD, .space = WW_SPACE_LOCAL, .dst = 1, .base = 0x42, .uid = 1, .pc = 0x70};
    fails_with(&t, true, "LOAD at pc 70");
}

/* signed_widths: a load of bytes stays in its sector; with 4 bytes its last lanes cross the end. */
static void signed_widths(void)
{
    static const char *const params[] = {NULL, "signed_widths=true"};
    for (uint32_t on = 0; on < 2; on++) {
        Rig r;
        rig_open(&r, params[on], NULL);
        WwInst *load = rig_put(&r, LDG(5, 1));
        ((WwSinst *)load->s)->signed_width = 1;
        ww_harness_step(r.h, 10);
        g_assert_cmpuint(ww_harness_count(r.h, "mem_out"), ==, on ? 1 : 2);
        rig_answer_all(&r);
        rig_close(&r);
    }
}

/* tail_counts_whole = false: of a lane across the end, the bytes that it touches there. */
static void tails(void)
{
    static const char *const params[] = {NULL, "tail_counts_whole=false"};
    for (uint32_t on = 0; on < 2; on++) {
        Rig r;
        rig_open(&r, params[on], NULL);
        rig_put(&r, LDG(5, 1)); /* bytes 0 to 34 */
        ww_harness_step(r.h, 2);
        const WwMemReq *q = rig_request(&r);
        g_assert_cmphex(q->addr % 128, ==, 32);
        g_assert_cmphex(q->bytes.w[0], ==, (on ? 0x7ull : 0x3full) << 32);
        rig_close(&r);
    }
}

/* Where nobody waits for R255 a load to R255 is done when its accesses have left, and claims no bank. */
static void zero_register(void)
{
    for (uint32_t on = 0; on < 2; on++) {
        Rig r;
        rig_open(&r, NULL, NULL);
        r.warps->view.zero_free = on != 0;
        rig_put(&r, LDG(WW_ZERO_REG, 4));
        g_assert_cmpuint(rig_until(&r, &r.warps->total.leave, 1), ==, 4);
        g_assert_cmpuint(r.warps->total.complete, ==, on);
        rig_answer_all(&r);
        g_assert_cmpuint(r.warps->total.complete, ==, 1);
        g_assert_cmpuint(r.warps->total.release, ==, 1);
        g_assert_cmpuint(r.banks->calls, ==, on ? 0 : 4);
        rig_close(&r);
    }
}

void register_global_tests(void)
{
    g_test_add_func("/memory/ldst/global/load", load);
    g_test_add_func("/memory/ldst/global/response", response);
    g_test_add_func("/memory/ldst/global/parts", parts);
    g_test_add_func("/memory/ldst/global/blocked_bank", blocked_bank);
    g_test_add_func("/memory/ldst/global/fresh_writes", fresh_writes);
    g_test_add_func("/memory/ldst/global/store", store);
    g_test_add_func("/memory/ldst/global/atomic", atomic);
    g_test_add_func("/memory/ldst/global/reduction", reduction);
    g_test_add_func("/memory/ldst/global/nothing_to_do", nothing_to_do);
    g_test_add_func("/memory/ldst/global/not_as_the_reference", not_as_the_reference);
    g_test_add_func("/memory/ldst/others", others);
    g_test_add_func("/memory/ldst/local", local);
    g_test_add_func("/memory/ldst/older_coalescing", older_coalescing);
    g_test_add_func("/memory/ldst/arbiter", arbiter);
    g_test_add_func("/memory/ldst/refusals", refusals);
    g_test_add_func("/memory/ldst/model_errors", model_errors);
    g_test_add_func("/memory/ldst/global/signed_widths", signed_widths);
    g_test_add_func("/memory/ldst/global/tails", tails);
    g_test_add_func("/memory/ldst/global/zero_register", zero_register);
}
