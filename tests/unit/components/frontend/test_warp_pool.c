/* SPDX-License-Identifier: Apache-2.0 */
/* The warp pool alone: masks, i-buffers, notices, generic spaces, statistics. */
#include "tests.h"

#include <testing/fake_scoreboard.h>

/* A pool whose warp 5 runs a program of a one-CTA kernel. */
typedef struct Pool {
    WwHarness *h;
    WwFakeTrace *trace;
    WwFakeKernel *kernel;
    const WwCtaTrace *cta;
    const WwWarpsIf *warps;
    const WwWarpView *view;
    void *self;
} Pool;

#define WARP 5u
#define AGAIN 6u
#define BIT (1ull << WARP)

static Pool pool_start(const char *params, uint32_t schedulers)
{
    Pool p = {.h = ww_harness_new(test_registry(), "warp_pool", params),
              .trace = ww_fake_trace_new()};
    ww_harness_callers(p.h, "warps", WW_RANK_ISSUE, schedulers);
    ww_harness_callers(p.h, "warps", WW_RANK_FETCH, 1);
    ww_harness_start(p.h, NULL);
    p.warps = ww_harness_table(p.h, "warps", &p.self);
    p.view = p.warps->view(p.self);
    p.kernel = ww_fake_trace_kernel(p.trace, "k", 1, 32);
    return p;
}

static void pool_stop(Pool *p)
{
    ww_harness_free(p->h);
    ww_fake_trace_free(p->trace);
}

/* Launches warp WARP with @p program. */
static void launch(Pool *p, const WwTestInst *program, uint32_t n)
{
    ww_fake_kernel_program(p->kernel, program, n);
    WwCommand c;
    g_assert_true(ww_fake_trace_source.next_command(p->trace, &c, NULL));
    g_assert_true(ww_fake_trace_source.next_cta(p->trace, c.kernel, &p->cta, NULL));
    WwWarpLaunch l = {
        .warp = WARP, .cta = 3, .lanes = UINT32_MAX, .kernel = c.kernel, .trace = p->cta};
    p->warps->launch(p->self, &l);
}

/* The same CTA once more, as warp AGAIN. */
static void launch_again(Pool *p)
{
    WwWarpLaunch l = {.warp = AGAIN,
                      .cta = 3,
                      .lanes = UINT32_MAX,
                      .kernel = p->view->warp[WARP].kernel,
                      .trace = p->cta};
    p->warps->launch(p->self, &l);
}

static uint32_t issue_wakes(Pool *p, uint32_t scheduler)
{
    return ww_harness_wakes(p->h, "warps", WW_RANK_ISSUE, scheduler);
}

static uint32_t fetch_wakes(Pool *p)
{
    return ww_harness_wakes(p->h, "warps", WW_RANK_FETCH, 0);
}

static void test_life(void)
{
    static const WwTestInst program[] = {WW_T_INT(1, 2), WW_T_SP(3, 1)};
    Pool p = pool_start(NULL, 4);
    g_assert_cmpuint(p.view->slots, ==, 64);
    g_assert_cmpuint(fetch_wakes(&p) + issue_wakes(&p, WARP % 4), ==, 0);
    launch(&p, program, 2);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1);
    g_assert_cmphex(p.view->resident & p.view->live, ==, BIT);
    g_assert_cmphex(p.view->ibuf | p.view->busy | p.view->imiss, ==, 0);
    g_assert_cmpuint(p.view->warp[WARP].cta, ==, 3);
    WwInst *a = p.warps->decode(p.self, WARP), *b = p.warps->decode(p.self, WARP);
    g_assert_cmpuint(a->op, ==, WW_OP_INT);
    g_assert_cmpuint(b->s->pc, ==, 16);
    p.warps->fill(p.self, WARP, 0, a);
    g_assert_cmpuint(issue_wakes(&p, WARP % 4), ==, 1); /* its scheduler and no other */
    p.warps->fill(p.self, WARP, 1, b);
    g_assert_cmpuint(issue_wakes(&p, 0) + issue_wakes(&p, 2) + issue_wakes(&p, 3), ==, 0);
    g_assert_cmpuint(p.view->warp[WARP].in_pipeline, ==, 2);
    g_assert_cmphex(p.view->ibuf & p.view->busy, ==, BIT);
    g_assert_cmpuint(fetch_wakes(&p), ==, 0);
    g_assert_true(p.warps->pop(p.self, WARP) == a);
    g_assert_cmpuint(a->uid, ==, 1);
    g_assert_cmphex(p.view->ibuf, ==, BIT);
    g_assert_cmpuint(fetch_wakes(&p), ==, 0);
    g_assert_true(p.warps->pop(p.self, WARP) == b);
    g_assert_cmpuint(b->uid, ==, 2);
    g_assert_cmphex(p.view->ibuf, ==, 0);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1); /* the i-buffer became empty */
    WwInst *e = p.warps->decode(p.self, WARP);
    g_assert_cmpuint(e->op, ==, WW_OP_EXIT);
    g_assert_null(p.warps->decode(p.self, WARP));
    p.warps->fill(p.self, WARP, 0, e);
    p.warps->pop(p.self, WARP);
    p.warps->exit_lanes(p.self, WARP, UINT32_MAX);
    (void)fetch_wakes(&p);
    g_assert_cmphex(p.view->live, ==, 0);
    p.warps->finish(p.self, a, WW_END_PIPELINE);
    p.warps->finish(p.self, b, WW_END_PIPELINE | WW_END_RECORD);
    g_assert_cmpuint(fetch_wakes(&p), ==, 0);
    p.warps->finish(p.self, e, WW_END_ALL);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1); /* nothing left in the pipeline */
    g_assert_cmphex(p.view->busy, ==, 0);
    p.warps->retire(p.self, WARP);
    g_assert_cmphex(p.view->resident, ==, 0);
    pool_stop(&p);
}

static void test_drop(void)
{
    static const WwTestInst program[] = {WW_T_INT(1), WW_T_INT(2)};
    Pool p = pool_start(NULL, 1);
    launch(&p, program, 2);
    p.warps->fill(p.self, WARP, 0, p.warps->decode(p.self, WARP));
    p.warps->fill(p.self, WARP, 1, p.warps->decode(p.self, WARP));
    p.warps->pop(p.self, WARP);
    p.warps->exit_lanes(p.self, WARP, UINT32_MAX);
    p.warps->drop(p.self, WARP);
    g_assert_cmphex(p.view->ibuf, ==, 0);
    g_assert_cmpuint(p.view->warp[WARP].in_pipeline, ==, 1); /* the one that was issued */
    pool_stop(&p);
}

/* Stores and atomics keep an exited warp; atomics keep a scheduler asleep until the last is back. */
static void test_counters(void)
{
    Pool p = pool_start(NULL, 4);
    launch(&p, NULL, 0);
    p.warps->exit_lanes(p.self, WARP, UINT32_MAX);
    p.warps->stores(p.self, WARP, 2);
    p.warps->atomics(p.self, WARP, 32);
    g_assert_cmphex(p.view->stores & p.view->atomics, ==, BIT);
    (void)fetch_wakes(&p);
    p.warps->stores(p.self, WARP, -1);
    p.warps->atomics(p.self, WARP, -31);
    g_assert_cmpuint(fetch_wakes(&p) + issue_wakes(&p, 1), ==, 0);
    p.warps->stores(p.self, WARP, -1);
    g_assert_cmpuint(fetch_wakes(&p), ==, 0);
    p.warps->atomics(p.self, WARP, -1);
    g_assert_cmpuint(issue_wakes(&p, 1), ==, 1);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1);
    g_assert_cmphex(p.view->stores | p.view->atomics, ==, 0);
    pool_stop(&p);
}

static void test_imiss(void)
{
    Pool p = pool_start(NULL, 1);
    launch(&p, NULL, 0);
    (void)fetch_wakes(&p);
    p.warps->set_imiss(p.self, WARP, true);
    g_assert_cmphex(p.view->imiss, ==, BIT);
    g_assert_cmpuint(fetch_wakes(&p), ==, 0);
    p.warps->set_imiss(p.self, WARP, false);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1);
    pool_stop(&p);
}

static const char *generic_params; /* of the pools that generic() makes */

static WwSpace generic(uint64_t shmem_base, uint64_t local_base, uint64_t address, bool no_lanes)
{
    WwTestInst load = WW_T_LOAD(WW_SPACE_GENERIC, 1, 2, 0, 4);
    load.base = address;
    load.mask = 0xfffffff0u; /* the lowest active lane decides: lane 4 */
    load.no_lanes = no_lanes;
    Pool p = pool_start(generic_params, 1);
    p.kernel->pub.shmem_base = shmem_base;
    p.kernel->pub.local_base = local_base;
    launch(&p, &load, 1);
    WwSpace space = p.warps->decode(p.self, WARP)->space;
    pool_stop(&p);
    return space;
}

static void test_generic(void)
{
    const uint64_t s = 0x10000, l = 0x20000;
    g_assert_cmpint(generic(0, l, 0x99999, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, 0, 0x99999, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, l, s - 17, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(s, l, s - 16, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, l, l - 17, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, l, l - 16, false), ==, WW_SPACE_LOCAL);
    g_assert_cmpint(generic(s, l, l + 16384 - 17, false), ==, WW_SPACE_LOCAL);
    g_assert_cmpint(generic(s, l, l + 16384 - 16, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(l, s, s + 20000, false), ==,
                    WW_SPACE_GLOBAL); /* an empty shared range */
    g_assert_cmpint(generic(s, l, l, true), ==, WW_SPACE_NONE);
}

static void test_statistics(void)
{
    for (int gated = 0; gated < 2; gated++) {
        Pool p = pool_start(gated ? "clock_gated_lanes=true" : NULL, 1);
        p.warps->finish(p.self, ww_test_inst(p.h, &(WwTestInst){.op = WW_OP_SP, .mask = 0xff}),
                        WW_END_COUNT);
        p.warps->finish(p.self, ww_test_inst(p.h, &(WwTestInst){.op = WW_OP_SP, .no_lanes = true}),
                        WW_END_COUNT);
        g_assert_cmpuint(ww_harness_stat(p.h, "thread_insns", 0), ==, 8);
        g_assert_cmpuint(ww_harness_stat(p.h, "warp_insns", 0), ==, 2);
        g_assert_cmpuint(ww_harness_stat(p.h, "thread_slots", 0), ==, gated ? 8 : 64);
        pool_stop(&p);
    }
}

/* What a scheduler knows of its warp stands with the warp, and a new one begins without. */
static void test_scheduler_notes(void)
{
    static const WwTestInst program[] = {WW_T_INT(1)};
    Pool p = pool_start(NULL, 1);
    launch(&p, program, 1);
    p.warps->tries(p.self, WARP, true, 9);
    p.warps->fence(p.self, WARP, true);
    g_assert_true(p.view->warp[WARP].launch_paid && p.view->warp[WARP].fenced);
    g_assert_cmpuint(p.view->warp[WARP].launch_wait, ==, 9);
    p.warps->tries(p.self, WARP, false, 0);
    g_assert_false(p.view->warp[WARP].launch_paid);
    g_assert_cmpuint(p.view->warp[WARP].launch_wait, ==, 0);
    p.warps->tries(p.self, WARP, true, 9);
    const WwKernel *kernel = p.view->warp[WARP].kernel;
    p.warps->retire(p.self, WARP);
    p.warps->launch(p.self, &(WwWarpLaunch){.warp = WARP, .kernel = kernel, .trace = p.cta});
    g_assert_false(p.view->warp[WARP].launch_paid || p.view->warp[WARP].fenced);
    g_assert_cmpuint(p.view->warp[WARP].launch_wait, ==, 0);
    pool_stop(&p);
}

/* Each part of an instruction's end is told to those whom it is due, and no other. */
static void test_finish(void)
{
    static const WwTestInst program[] = {{.op = WW_OP_LOAD, .dst = 7}};
    static const uint32_t parts[] = {WW_END_PIPELINE, WW_END_COUNT,  WW_END_RESULT,
                                     WW_END_DATA,     WW_END_RECORD, WW_END_ALL};
    for (uint32_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        Pool p = pool_start(NULL, 1);
        const WwFakeScoreboard *board = ww_harness_peer(p.h, "hazard");
        uint32_t all = parts[i];
        launch(&p, program, 1);
        p.warps->fill(p.self, WARP, 0, p.warps->decode(p.self, WARP));
        WwInst *inst = p.warps->pop(p.self, WARP);
        p.warps->finish(p.self, inst, parts[i]);
        g_assert_cmpuint(p.view->warp[WARP].in_pipeline, ==, all & WW_END_PIPELINE ? 0 : 1);
        g_assert_cmpuint(ww_harness_stat(p.h, "warp_insns", 0), ==, all & WW_END_COUNT ? 1 : 0);
        g_assert_cmpuint(board->released_all, ==, all & WW_END_RESULT ? 1 : 0);
        g_assert_cmpuint(board->released, ==, all & WW_END_DATA ? 1 : 0);
        if (all & WW_END_DATA) {
            g_assert_cmpuint(board->warp, ==, WARP);
            g_assert_cmpuint(board->reg, ==, 7);
        }
        launch_again(&p);
        g_assert_true((p.warps->decode(p.self, AGAIN) == inst) == ((all & WW_END_RECORD) != 0));
        pool_stop(&p);
    }
}

/* Records are given back and used again; a reset takes all of them back. */
static void test_records(void)
{
    WwTestInst program[300];
    for (uint32_t i = 0; i < G_N_ELEMENTS(program); i++) {
        program[i] = (WwTestInst)WW_T_INT(1);
    }
    Pool p = pool_start(NULL, 1);
    launch(&p, program, G_N_ELEMENTS(program));
    WwInst *first = p.warps->decode(p.self, WARP);
    p.warps->finish(p.self, first, WW_END_RECORD);
    g_assert_true(p.warps->decode(p.self, WARP) == first);
    for (uint32_t i = 2; i < G_N_ELEMENTS(program); i++) {
        WwInst *inst = p.warps->decode(p.self, WARP);
        g_assert_cmphex(inst->s->pc, ==, 16 * i);
        g_assert_cmpuint(inst->warp, ==, WARP);
    }
    ww_harness_reset(p.h);
    g_assert_cmphex(p.view->resident | p.view->live, ==, 0);
    g_assert_cmpuint(p.view->launches, ==, 0);
    pool_stop(&p);
}

/* The pc to fetch follows the last instruction that was issued, wherever the trace goes on. */
static void test_straight(void)
{
    static const WwTestInst program[] = {{.op = WW_OP_BRANCH, .pc = 0x80},
                                         {.op = WW_OP_INT, .pc = 0x340},
                                         {.op = WW_OP_EXIT, .pc = 0x500}};
    Pool p = pool_start(NULL, 1);
    void *self;
    const WwSimtIf *simt = ww_harness_table(p.h, "simt", &self);
    launch(&p, program, 3);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x80); /* the trace begins there */
    for (uint32_t i = 0; i < 2; i++) {
        p.warps->fill(p.self, WARP, i, p.warps->decode(p.self, WARP));
    }
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x80);
    g_assert_cmphex(simt->expected(self, WARP), ==, 0x80);
    p.warps->pop(p.self, WARP);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x90);
    g_assert_cmphex(simt->expected(self, WARP), ==, 0x340);
    p.warps->pop(p.self, WARP);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x350);
    g_assert_cmphex(simt->expected(self, WARP), ==, 0x500);
    pool_stop(&p);
}

/* fetch_straight = false: where the trace goes on. */
static void test_simt(void)
{
    static const WwTestInst program[] = {{.op = WW_OP_INT, .pc = 0x80},
                                         {.op = WW_OP_EXIT, .pc = 0x40}};
    Pool p = pool_start("fetch_straight=false", 1);
    void *self;
    const WwSimtIf *simt = ww_harness_table(p.h, "simt", &self);
    launch(&p, program, 2);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x80);
    p.warps->decode(p.self, WARP);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0x40);
    p.warps->decode(p.self, WARP);
    g_assert_cmphex(simt->pc(self, WARP), ==, 0);
    pool_stop(&p);
}

/* What the i-buffer holds is decoded again: both entries, or the one that is left. */
static void check_rewind(uint32_t issued)
{
    static const WwTestInst program[] = {{.op = WW_OP_INT, .pc = 0x10},
                                         {.op = WW_OP_INT, .pc = 0x60},
                                         {.op = WW_OP_INT, .pc = 0x30}};
    Pool p = pool_start(NULL, 2);
    void *self;
    const WwSimtIf *simt = ww_harness_table(p.h, "simt", &self);
    launch(&p, program, 3);
    for (uint32_t i = 0; i < 2; i++) {
        p.warps->fill(p.self, WARP, i, p.warps->decode(p.self, WARP));
    }
    g_assert_cmphex(simt->expected(self, WARP), ==, 0x10);
    if (issued != 0) {
        p.warps->pop(p.self, WARP);
        g_assert_cmphex(simt->expected(self, WARP), ==, 0x60);
    }
    fetch_wakes(&p);
    p.warps->rewind(p.self, WARP);
    g_assert_cmpuint(fetch_wakes(&p), ==, 1);
    g_assert_cmphex(p.view->ibuf, ==, 0);
    g_assert_cmpuint(p.view->warp[WARP].in_pipeline, ==, issued);
    g_assert_cmphex(simt->pc(self, WARP), ==, issued != 0 ? 0x60 : 0x10);
    g_assert_cmphex(simt->expected(self, WARP), ==, issued != 0 ? 0x60 : 0x10);
    g_assert_cmphex(p.warps->decode(p.self, WARP)->s->pc, ==, issued != 0 ? 0x60 : 0x10);
    g_assert_cmphex(simt->view(self)->unsure, ==, 0);
    pool_stop(&p);
}

static void test_rewind(void)
{
    check_rewind(0);
    check_rewind(1);
}

static void test_touch(void)
{
    Pool p = pool_start(NULL, 4);
    p.warps->touch(p.self, WARP);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(issue_wakes(&p, i), ==, i == WARP % 4);
    }
    pool_stop(&p);
}

/* Ages count the launches of an SM and are never reset. */
static void test_ages(void)
{
    Pool p = pool_start("slots=8", 1);
    g_assert_cmpuint(p.view->slots, ==, 8);
    launch(&p, NULL, 0);
    g_assert_cmpuint(p.view->warp[WARP].dynamic_id, ==, 0);
    p.warps->exit_lanes(p.self, WARP, UINT32_MAX);
    p.warps->retire(p.self, WARP);
    WwWarpLaunch l = {.warp = WARP, .lanes = 1, .kernel = &p.kernel->pub, .trace = p.cta};
    p.warps->launch(p.self, &l);
    g_assert_cmpuint(p.view->warp[WARP].dynamic_id, ==, 1);
    g_assert_cmpuint(p.view->warp[WARP].launched, ==, 1);
    g_assert_cmpuint(p.view->launches, ==, 2);
    pool_stop(&p);
}

/* generic_window: both windows have that size, in whatever order, and an unknown one is empty. */
static void test_generic_window(void)
{
    const uint64_t s = 0x20000, l = 0x10000;
    generic_params = "generic_window=256";
    g_assert_cmpint(generic(s, l, s - 17, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(s, l, s - 16, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, l, s + 255 - 16, false), ==, WW_SPACE_SHARED);
    g_assert_cmpint(generic(s, l, s + 256 - 16, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(s, l, l - 17, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(s, l, l + 255 - 16, false), ==, WW_SPACE_LOCAL);
    g_assert_cmpint(generic(s, l, l + 256 - 16, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(0, l, 20, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(0, l, l, false), ==, WW_SPACE_LOCAL);
    g_assert_cmpint(generic(0, 0, 20, false), ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(generic(s, l, s, true), ==, WW_SPACE_NONE);
    generic_params = NULL;
}

/* What a memory barrier waits for wakes the warp's scheduler; without one nothing does. */
static void test_fenced(void)
{
    Pool p = pool_start(NULL, 1);
    WwTestInst load = WW_T_LOAD(WW_SPACE_GLOBAL, 1, 2, 0, 4);
    launch(&p, &load, 1);
    p.warps->stores(p.self, WARP, 2);
    p.warps->fill(p.self, WARP, 0, p.warps->decode(p.self, WARP));
    WwInst *out = p.warps->pop(p.self, WARP);
    (void)issue_wakes(&p, 0);
    p.warps->stores(p.self, WARP, -1);
    g_assert_cmpuint(issue_wakes(&p, 0), ==, 0);
    p.warps->fence(p.self, WARP, true);
    p.warps->stores(p.self, WARP, -1);
    g_assert_cmpuint(issue_wakes(&p, 0), ==, 1);
    p.warps->finish(p.self, out, WW_END_PIPELINE);
    g_assert_cmpuint(issue_wakes(&p, 0), ==, 1);
    p.warps->fence(p.self, WARP, false);
    g_assert_false(p.view->warp[WARP].fenced);
    pool_stop(&p);
}

/*
 * A warp that comes packed decodes as a flat one: instructions, pc, steps back; and the addresses of
 * what is in flight stay, however much is decoded meanwhile.
 */
static void test_packed(void)
{
    enum { HELD = 300 };
    Pool p = pool_start("slots=8 fetch_straight=false", 1);
    const WwTestInst two[] = {{.op = WW_OP_LOAD, .pc = 0x40}, {.op = WW_OP_LOAD, .pc = 0x50}};
    launch(&p, two, 2); /* for its kernel and CTA */
    const WwKernel *kernel = p.view->warp[WARP].kernel;
    g_assert_cmphex(kernel->sinst[1]->pc, !=, kernel->sinst[0]->pc);
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwPacked *packed[1] = {ww_packed_new(heap)};
    for (uint32_t i = 0; i < 1000; i++) {
        const WwAddrRoom room = {.words = {0x1000 + 64 * i, 4, WW_ADDR_STRIDE}};
        const WwTinst t = {.sinst = i % 2, .mask = i + 1, .addr = i % 3 ? 1 : 0};
        ww_packed_add(packed[0], &t, 1, room.words);
    }
    const uint32_t n_insts[] = {1000};
    const WwTinst *flat[] = {NULL};
    WwCtaTrace cta = *p.cta;
    cta.warp = flat;
    cta.packed = packed;
    cta.n_insts = n_insts;
    WwWarpLaunch l = {.warp = 2, .lanes = UINT32_MAX, .kernel = kernel, .trace = &cta};
    p.warps->launch(p.self, &l);
    void *simt_self;
    const WwSimtIf *simt = ww_harness_table(p.h, "simt", &simt_self);
    WwInst *held[HELD];
    for (uint32_t i = 0; i < 1000; i++) {
        g_assert_cmphex(simt->pc(simt_self, 2), ==, kernel->sinst[i % 2]->pc);
        WwInst *inst = p.warps->decode(p.self, 2);
        if (i == 500) { /* back to before this one */
            p.warps->fill(p.self, 2, 0, inst);
            p.warps->rewind(p.self, 2);
            inst = p.warps->decode(p.self, 2);
        }
        g_assert_cmpuint(inst->mask, ==, i + 1);
        WwInst *old = i >= HELD ? held[i % HELD] : NULL;
        if (old != NULL) {
            uint32_t was = i - HELD;
            g_assert_cmpuint(old->mask, ==, was + 1);
            g_assert_cmphex(ww_addr_first(old->addr, 1), ==, was % 3 ? 0x1000 + 64 * was : 0);
            p.warps->finish(p.self, old, WW_END_RECORD);
        }
        held[i % HELD] = inst;
    }
    g_assert_cmphex(simt->pc(simt_self, 2), ==, 0);
    g_assert_null(p.warps->decode(p.self, 2));
    pool_stop(&p);
    ww_packed_free(packed[0]);
}

void register_warp_pool_tests(void)
{
    g_test_add_func("/frontend/warp_pool/packed", test_packed);
    g_test_add_func("/frontend/warp_pool/life", test_life);
    g_test_add_func("/frontend/warp_pool/drop", test_drop);
    g_test_add_func("/frontend/warp_pool/counters", test_counters);
    g_test_add_func("/frontend/warp_pool/imiss", test_imiss);
    g_test_add_func("/frontend/warp_pool/generic", test_generic);
    g_test_add_func("/frontend/warp_pool/statistics", test_statistics);
    g_test_add_func("/frontend/warp_pool/records", test_records);
    g_test_add_func("/frontend/warp_pool/straight", test_straight);
    g_test_add_func("/frontend/warp_pool/simt", test_simt);
    g_test_add_func("/frontend/warp_pool/rewind", test_rewind);
    g_test_add_func("/frontend/warp_pool/touch", test_touch);
    g_test_add_func("/frontend/warp_pool/ages", test_ages);
    g_test_add_func("/frontend/warp_pool/generic_window", test_generic_window);
    g_test_add_func("/frontend/warp_pool/fenced", test_fenced);
    g_test_add_func("/frontend/warp_pool/finish", test_finish);
    g_test_add_func("/frontend/warp_pool/scheduler_notes", test_scheduler_notes);
}
