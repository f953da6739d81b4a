/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction buffers alone: entries, wrong paths, orphans, greedy pointers, uniform loads. */
#include "tests.h"

#include <ports/sub_core.h>
#include <string.h>
#include <testing/fake_timing.h>
#include <testing/fake_warps.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeTiming *timing;
    const WwIbufferIf *f;
    const WwIbufferView *v;
    void *self;
} Bench;

#define W 5u
#define BIT (1ull << W)

static Bench bench(const char *params)
{
    Bench b = {.h = ww_harness_new(test_registry(), "ibuffer", params)};
    b.warps = ww_harness_fill(b.h, "warps", NULL, NULL);
    b.timing = ww_harness_fill(b.h, "timing", NULL, NULL);
    ww_harness_callers(b.h, "ibuffer", WW_RANK_ISSUE, 4);
    ww_harness_callers(b.h, "ibuffer", WW_RANK_FETCH, 4);
    ww_harness_start(b.h, NULL);
    b.f = ww_harness_table(b.h, "ibuffer", &b.self);
    b.v = b.f->view(b.self);
    b.warps->endless = false;
    return b;
}

/* What the warp issues next, decoded or not. */
static uint64_t next_pc(const Bench *b)
{
    return b->v->next[W] != NULL ? b->v->next[W]->s->pc : UINT64_MAX;
}

/* The trace of warp W: @p n instructions at @p pcs. */
static void trace(Bench *b, const uint64_t *pcs, uint32_t n)
{
    ww_fake_warps_live(b->warps, W, UINT32_MAX);
    b->warps->warp[W].n_trace = n;
    for (uint32_t i = 0; i < n; i++) {
        WwInst *inst = ww_test_inst(b->h, &(WwTestInst){.op = WW_OP_INT, .pc = pcs[i]});
        ww_fake_warps_trace(b->warps, W, inst);
    }
}

static uint64_t issue(Bench *b)
{
    g_assert_true(b->v->valid >> W & 1u);
    return b->f->pop(b->self, W, W % 4)->s->pc;
}

#define REQUEST(pc) g_assert_cmphex(b.f->request(b.self, W), ==, pc)
#define DECODED(pc, n) g_assert_cmpuint(b.f->decoded(b.self, W, pc), ==, n)

/* Entries follow each other, whatever the trace does; there is space while fewer than three are there. */
static void test_entries(void)
{
    Bench b = bench("second_from_0=false");
    static const uint64_t pcs[] = {0x100, 0x110, 0x120, 0x130};
    trace(&b, pcs, 4);
    g_assert_cmphex(next_pc(&b), ==, UINT64_MAX);
    REQUEST(0x100);
    g_assert_cmphex(next_pc(&b), ==, 0x100);
    REQUEST(0x110);
    g_assert_true(b.v->space & BIT);
    REQUEST(0x120);
    g_assert_false(b.v->space & BIT);
    DECODED(0x110, 1); /* not the first: nothing to issue */
    g_assert_cmphex(next_pc(&b), ==, 0x100);
    g_assert_false(b.v->valid & BIT);
    g_assert_cmpuint(ww_harness_wakes(b.h, "ibuffer", WW_RANK_ISSUE, W % 4), ==, 0);
    DECODED(0x100, 1);
    g_assert_true(b.v->valid & BIT);
    g_assert_cmpuint(ww_harness_wakes(b.h, "ibuffer", WW_RANK_ISSUE, W % 4), !=, 0);
    DECODED(0x100, 0); /* it is already */
    g_assert_true(b.f->head(b.self, W)->timing == &b.timing->of[WW_OP_INT]);
    g_assert_true(b.warps->warp[W].ibuf[0] == b.f->head(b.self, W)); /* others see it */
    g_assert_cmpuint(b.warps->warp[W].in_pipeline, ==, 2);
    ww_harness_wakes(b.h, "ibuffer", WW_RANK_FETCH, W % 4);
    g_assert_cmphex(issue(&b), ==, 0x100);
    g_assert_cmpuint(ww_harness_wakes(b.h, "ibuffer", WW_RANK_FETCH, W % 4), !=, 0);
    g_assert_true(b.v->space & BIT);
    g_assert_true(b.v->valid & BIT);
    REQUEST(0x130);
    b.f->refused(b.self, W); /* the cache has no room: the same again */
    REQUEST(0x130);
    g_assert_cmphex(issue(&b), ==, 0x110);
    g_assert_false(b.v->valid & BIT);
    g_assert_cmphex(next_pc(&b), ==, 0x120);
    ww_harness_free(b.h);
}

/* A trace that does not begin at 0: fetch goes on behind 0 all the same, until an instruction has issued. */
static void test_second_from_0(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0x20, 0x30, 0x40};
    trace(&b, pcs, 3);
    REQUEST(0x20);
    REQUEST(0x10);
    REQUEST(0x20);
    DECODED(0x20, 2); /* both */
    DECODED(0x10, 1);
    g_assert_cmpuint(b.warps->warp[W].in_pipeline, ==, 1);
    g_assert_cmphex(issue(&b), ==, 0x20);
    g_assert_false(b.v->valid & BIT);
    REQUEST(0x30);
    REQUEST(0x40);
    DECODED(0x30, 1);
    g_assert_cmphex(issue(&b), ==, 0x30);
    ww_harness_free(b.h);
}

/* Behind a taken branch entries are dropped, and fetch goes on where the trace does. */
static void test_redirect(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0, 0x80, 0x90};
    trace(&b, pcs, 3);
    REQUEST(0);
    REQUEST(0x10);
    REQUEST(0x20);
    DECODED(0, 1);
    DECODED(0x10, 1); /* of the wrong path: valid, and of no instruction */
    g_assert_cmpuint(b.warps->warp[W].in_pipeline, ==, 1);
    g_assert_cmphex(issue(&b), ==, 0);
    g_assert_false(b.v->valid & BIT);
    g_assert_cmpuint(ww_harness_stat(b.h, "dropped", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "redirects", 0), ==, 1);
    DECODED(0x20, 0); /* under way meanwhile */
    REQUEST(0x80);
    DECODED(0x80, 1);
    g_assert_cmphex(issue(&b), ==, 0x80);
    g_assert_cmpuint(ww_harness_stat(b.h, "wrong", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "orphans", 0), ==, 1);
    ww_harness_free(b.h);
}

/* A loop of one instruction: the response to the entry that was dropped makes the new one valid. */
static void test_made_again(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0, 0x10, 0, 0x10, 0x20};
    trace(&b, pcs, 5);
    REQUEST(0);
    REQUEST(0x10);
    REQUEST(0x20);
    DECODED(0, 1);
    issue(&b);
    DECODED(0x10, 1);
    issue(&b); /* jumps back: 0x20 is dropped while it is under way */
    REQUEST(0);
    REQUEST(0x10);
    REQUEST(0x20);
    DECODED(0x20, 1); /* the answer to the first request, for the second one's entry */
    DECODED(0, 1);
    DECODED(0x10, 1);
    g_assert_cmphex(issue(&b), ==, 0);
    g_assert_cmphex(issue(&b), ==, 0x10);
    g_assert_cmphex(issue(&b), ==, 0x20);
    ww_harness_free(b.h);
}

/* Behind the end of the trace nothing becomes valid any more; the buffer is given free by flush(), and begins anew. */
static void test_end(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0, 0x10};
    trace(&b, pcs, 2);
    REQUEST(0);
    REQUEST(0x10);
    REQUEST(0x20);
    DECODED(0, 1);
    DECODED(0x10, 1);
    DECODED(0x20, 0);
    issue(&b);
    REQUEST(0x30);
    g_assert_false(b.v->ended & BIT);
    issue(&b);
    g_assert_cmphex(next_pc(&b), ==, UINT64_MAX);
    g_assert_true(b.v->ended & BIT);
    g_assert_false((b.v->space | b.v->valid) & BIT);
    b.f->flush(b.self, W);
    g_assert_false(b.v->ended & BIT);
    g_assert_true(b.v->space & BIT);
    static const uint64_t next[] = {0x40};
    trace(&b, next, 1);
    REQUEST(0x40);
    ww_harness_free(b.h);
}

/* What was decoded ahead of an end that comes too early goes back to its pool. */
static void test_flush_early(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0, 0x10, 0x20};
    trace(&b, pcs, 3);
    REQUEST(0);
    REQUEST(0x10);
    DECODED(0, 1);
    DECODED(0x10, 1);
    issue(&b);
    b.f->flush(b.self, W);
    g_assert_cmphex(next_pc(&b), ==, UINT64_MAX);
    g_assert_cmpuint(b.warps->total.release, ==, 1);
    g_assert_cmpuint(b.warps->warp[W].in_pipeline, ==, 1); /* the one that was issued */
    g_assert_null(b.warps->warp[W].ibuf[0]);
    ww_harness_free(b.h);
}

/* An empty trace is its end. */
static void test_empty(void)
{
    Bench b = bench(NULL);
    trace(&b, NULL, 0);
    b.f->request(b.self, W);
    g_assert_true(b.v->ended & BIT);
    g_assert_false(b.v->space & BIT);
    ww_harness_free(b.h);
}

/* The first greedy warp is the last one of each issuer; later the one that issued, which is seen by who acts later in the next cycle. */
static void test_greedy(void)
{
    Bench b = bench(NULL);
    static const uint64_t pcs[] = {0, 0x10};
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(b.v->last[i], ==, 60 + i);
        g_assert_cmpuint(b.v->before[i], ==, 60 + i);
    }
    trace(&b, pcs, 2);
    ww_harness_step(b.h, 3);
    REQUEST(0);
    REQUEST(0x10);
    DECODED(0, 1);
    DECODED(0x10, 1);
    issue(&b);
    g_assert_cmpuint(b.v->last[W % 4], ==, W);
    g_assert_cmpuint(b.v->before[W % 4], ==, 61);
    g_assert_cmpuint(b.v->issued[W % 4], ==, 3);
    ww_harness_step(b.h, 1);
    issue(&b);
    g_assert_cmpuint(b.v->before[W % 4], ==, W);
    g_assert_cmpuint(b.v->issued[W % 4], ==, 4);
    ww_harness_free(b.h);
}

/* ---- uniform loads ------------------------------------------------------------------------------------------------ */

/* Code of five instructions; those at 0x10 and 0x20 are uniform loads. */
static const WwCodeInst code_insts[] = {
    {.pc = 0, .opcode = "BRA"},   {.pc = 0x10, .opcode = "ULDC.64"}, {.pc = 0x20, .opcode = "ULDC"},
    {.pc = 0x30, .opcode = "UL"}, {.pc = 0x40, .opcode = "EXIT"},
};
static const WwCode code = {.name = "k", .arch = 86, .n = 5, .inst = code_insts};
static const WwKernel kernel = {.name = "k", .file = "k", .code = &code};

/* Which of the @p n instructions at @p pcs are looked up, as bits. */
static uint32_t looked_up(const char *params, const uint64_t *pcs, uint32_t n)
{
    Bench b = bench(params);
    uint32_t bits = 0;
    b.timing->of[WW_OP_INT].flags |= WW_TAKES_CONSTANT;
    ww_fake_warps_live(b.warps, W, UINT32_MAX);
    b.warps->warp[W].n_trace = n;
    b.warps->warp[W].kernel = &kernel;
    for (uint32_t i = 0; i < n; i++) {
        WwInst *inst = ww_test_inst(
            b.h,
            &(WwTestInst){.op = WW_OP_INT, .opcode = code_insts[pcs[i] / 16].opcode, .pc = pcs[i]});
        ww_fake_warps_trace(b.warps, W, inst);
    }
    for (uint32_t i = 0; i < n; i++) {
        while (b.v->space & BIT) {
            uint64_t pc = b.f->request(b.self, W);
            b.f->decoded(b.self, W, pc);
        }
        g_assert_true(b.v->valid & BIT);
        bits |= (uint32_t)(b.v->constant >> W & 1u) << i;
        g_assert_cmphex(issue(&b), ==, pcs[i]);
    }
    ww_harness_free(b.h);
    return bits;
}

/*
 * A ULDC is looked up only if it was decoded before on a wrong path, as that at 0x20 before the first of two times; others are, whatever they
 * did.
 */
static void test_uldc(void)
{
    static const uint64_t pcs[] = {0, 0x10, 0x40, 0x20, 0x30, 0x20};
    g_assert_cmphex(looked_up(NULL, pcs, G_N_ELEMENTS(pcs)), ==, 0x1d);
    g_assert_cmphex(looked_up("uldc=always", pcs, G_N_ELEMENTS(pcs)), ==, 0x3f);
    g_assert_cmphex(looked_up("uldc=never", pcs, G_N_ELEMENTS(pcs)), ==, 0x15);
}

/* Two that were decoded on a wrong path, twice, are each looked up once. */
static void test_uldc_again(void)
{
    static const uint64_t pcs[] = {0, 0x40, 0, 0x40, 0x10, 0x20, 0x10, 0x20};
    g_assert_cmphex(looked_up(NULL, pcs, G_N_ELEMENTS(pcs)), ==, 0x3f);
}

/* What no lane executes has no operand to wait for. */
static void test_no_lanes(void)
{
    Bench b = bench(NULL);
    b.timing->of[WW_OP_INT].flags |= WW_TAKES_CONSTANT;
    ww_fake_warps_live(b.warps, W, UINT32_MAX);
    for (uint32_t i = 0; i < 2; i++) {
        WwInst *inst =
            ww_test_inst(b.h, &(WwTestInst){.op = WW_OP_INT, .pc = 16 * i, .no_lanes = i == 0});
        ww_fake_warps_trace(b.warps, W, inst);
    }
    for (uint32_t i = 0; i < 2; i++) {
        REQUEST(16 * i);
        DECODED(16 * i, 1);
        g_assert_cmpuint(b.v->constant >> W & 1u, ==, i);
        issue(&b);
    }
    ww_harness_free(b.h);
}

void register_ibuffer_tests(void)
{
    g_test_add_func("/modern/ibuffer/entries", test_entries);
    g_test_add_func("/modern/ibuffer/second-from-0", test_second_from_0);
    g_test_add_func("/modern/ibuffer/redirect", test_redirect);
    g_test_add_func("/modern/ibuffer/made-again", test_made_again);
    g_test_add_func("/modern/ibuffer/end", test_end);
    g_test_add_func("/modern/ibuffer/flush-early", test_flush_early);
    g_test_add_func("/modern/ibuffer/empty", test_empty);
    g_test_add_func("/modern/ibuffer/greedy", test_greedy);
    g_test_add_func("/modern/ibuffer/uldc", test_uldc);
    g_test_add_func("/modern/ibuffer/uldc-again", test_uldc_again);
    g_test_add_func("/modern/ibuffer/no-lanes", test_no_lanes);
}
