/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flush of an i-buffer whose warp must execute something else. The real pool never asks for
 * one: a fake `simt` disagrees here, and the real front end fetches again.
 */
#include "tests.h"

#include <testing/fake_trace.h>
#include <tests/support/machine.h>

static WwInst *put_at(Bench *b, uint32_t warp, uint64_t pc)
{
    return bench_put_like(b, warp, &(WwTestInst){.op = WW_OP_ALU, .pc = pc});
}

/* Decodes again what was dropped. */
static void refill(Bench *b, uint32_t warp, uint32_t n)
{
    const WwWarpsIf *warps = ((WwComponent *)b->warps)->type->ports[0].table;
    for (uint32_t i = 0; i < n; i++) {
        warps->fill(b->warps, warp, i, warps->decode(b->warps, warp));
    }
}

/* A warp that is sure is not asked about; an unsure one that agrees issues. */
static void test_agrees(void)
{
    g_auto(Bench) b = bench_open_simt(NULL, NULL, "int");
    put_at(&b, 3, 0x40);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(b.simt->asked_expected, ==, 0);
    put_at(&b, 3, 0x50);
    ww_fake_simt_expect(b.simt, 3, 0x50);
    g_assert_nonnull(bench_step(&b, "int"));
    g_assert_cmpuint(b.warps->total.rewind, ==, 0);
    g_assert_cmpuint(bench_stat(&b, "flushes", 0), ==, 0);
}

/* Two entries go, the tick counts as idle, and what comes again issues in the tick after. */
static void test_flush(void)
{
    g_auto(Bench) b = bench_open_simt(NULL, NULL, "int=2");
    put_at(&b, 3, 0x40);
    put_at(&b, 3, 0x50);
    ww_fake_simt_expect(b.simt, 3, 0x80);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_count(b.h, "int"), ==, 0);
    g_assert_cmpuint(b.warps->seen[3].rewind, ==, 1);
    g_assert_cmpuint(b.warps->warp[3].in_pipeline, ==, 0);
    g_assert_cmpuint(bench_stat(&b, "flushes", 0), ==, 1);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(bench_stat(&b, "idle", 0), ==, 4);
    g_assert_true(ww_harness_asleep(b.h));
    ww_fake_simt_expect(b.simt, 3, 0x40);
    refill(&b, 3, 2);
    g_assert_cmphex(bench_step(&b, "int")->s->pc, ==, 0x40);
    ww_fake_simt_sure(b.simt, 3);
    g_assert_cmphex(bench_step(&b, "int")->s->pc, ==, 0x50);
}

/* Comes before the scoreboard, and does not keep another warp from issuing in the tick. */
static void test_order(void)
{
    g_auto(Bench) b = bench_open_simt(NULL, NULL, "int");
    ww_fake_scoreboard_collide(b.hazard, 3, false);
    put_at(&b, 3, 0x40);
    ww_harness_step(b.h, 5);
    g_assert_true(ww_harness_asleep(b.h));
    ww_fake_simt_expect(b.simt, 3, 0x80); /* wakes */
    put_at(&b, 7, 0x10);
    g_assert_cmpuint(bench_step(&b, "int")->warp, ==, 7);
    g_assert_cmpuint(b.warps->seen[3].rewind, ==, 1);
    g_assert_cmpuint(bench_stat(&b, "scoreboard_wait", 0), ==, 5);
}

/* With two issues a tick the second one may be wrong. */
static void test_second(void)
{
    g_auto(Bench) b = bench_open_simt("max_issue=2", NULL, "int sp");
    put_at(&b, 3, 0x40);
    bench_put_like(&b, 3, &(WwTestInst){.op = WW_OP_SP, .pc = 0x50});
    ww_fake_simt_expect(b.simt, 3, 0x40);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_count(b.h, "int"), ==, 1);
    g_assert_cmpuint(ww_harness_count(b.h, "sp"), ==, 0);
    g_assert_cmpuint(b.policy->count, ==, 1);
    g_assert_cmpuint(b.warps->seen[3].rewind, ==, 1);
}

/* A warp that waits is not looked at. */
static void test_waits(void)
{
    g_auto(Bench) b = bench_open_simt(NULL, NULL, "int");
    ww_fake_barriers_set(b.barriers, 1u << 3, 0, 0);
    put_at(&b, 3, 0x40);
    ww_fake_simt_expect(b.simt, 3, 0x80);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(b.warps->total.rewind, ==, 0);
    ww_fake_barriers_set(b.barriers, 0, 0, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.warps->total.rewind, ==, 1);
}

/* ---- with the real front end --------------------------------------------------------------- */

static const WwTestInst program[] = {
    {.op = WW_OP_INT, .pc = 0x00}, {.op = WW_OP_INT, .pc = 0x10}, {.op = WW_OP_INT, .pc = 0x20},
    {.op = WW_OP_INT, .pc = 0x30}, {.op = WW_OP_INT, .pc = 0x40},
};

/* Reads nothing and never sleeps, so that time goes on. */
typedef struct Keeper {
    WwComponent base;
    WwPort in;
} Keeper;

static WwRest keeper_tick(void *self)
{
    return WW_AGAIN;
}

static const WwPortRow keeper_ports[] = {
    WW_PORT_IN(Keeper, in, &ww_contract_inst, 1, "instructions"),
    {0},
};

static const WwEntryRow keeper_entries[] = {
    {.name = "keep", .phase = "core", .tick = keeper_tick, .doc = "time goes on"},
    {0},
};

static const WwType keeper_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.keeper",
    .doc = "keeps instructions",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Keeper),
    .ports = keeper_ports,
    .entries = keeper_entries,
};

typedef struct Rig {
    WwMachine *m;
    WwFakeTrace *trace;
    WwComponent *pool, *issue, *regs;
    WwFakeSimt *simt;
} Rig;

/* One warp of `program` at slot 0, launched before tick 0. */
static Rig rig_new(bool no_sleep)
{
    Rig r = {.m = test_core_machine(), .trace = ww_fake_trace_new()};
    WwComponent *decode = test_add(r.m, NULL, "decoder", "decoder", -1),
                *fetch = test_add(r.m, NULL, "fetch_unit", "fetch_unit", -1);
    WwComponent *buffer = test_add(r.m, NULL, "fifo", "fifo", -1),
                *icache = test_add(r.m, NULL, "icache.perfect", "icache.perfect", -1);
    WwComponent *board = test_add(r.m, NULL, "fake.scoreboard", "fake.scoreboard", -1),
                *barriers = test_add(r.m, NULL, "fake.barriers", "fake.barriers", -1);
    WwComponent *ctas = test_add(r.m, NULL, "fake.ctas", "fake.ctas", -1),
                *policy = test_add(r.m, NULL, "scheduler.lrr", "scheduler.lrr", -1);
    r.pool = test_add(r.m, NULL, "warp_pool", "warp_pool", -1);
    r.simt = (WwFakeSimt *)test_add(r.m, NULL, "fake.simt", "fake.simt", -1);
    r.issue = test_add(r.m, NULL, "warp_scheduler", "warp_scheduler", -1);
    r.regs = test_add(r.m, NULL, "register_set", "register_set", -1);
    test_set_one(buffer, "depth", "1");
    test_set_one(r.regs, "width", "16");
    test_join(fetch, "fetch", buffer);
    test_join(decode, "fetch", buffer);
    test_join(fetch, "warps", r.pool);
    test_join(fetch, "simt", r.pool);
    test_join(fetch, "icache", icache);
    test_join(fetch, "ctas", ctas);
    test_join(fetch, "scoreboard", board);
    test_join(r.pool, "hazard", board);
    test_join(decode, "warps", r.pool);
    test_join(r.issue, "warps", r.pool);
    test_join(r.issue, "simt", &r.simt->base);
    test_join(r.issue, "hazard", board);
    test_join(r.issue, "barriers", barriers);
    test_join(r.issue, "policy", policy);
    test_join(r.issue, "int", r.regs);
    test_join(test_add_type(r.m, NULL, &keeper_type, "keeper", -1), "in", r.regs);
    test_seal(r.m, no_sleep);
    WwCommand c;
    const WwCtaTrace *cta;
    ww_fake_kernel_program(ww_fake_trace_kernel(r.trace, "k", 1, 32), program,
                           G_N_ELEMENTS(program));
    g_assert_true(ww_fake_trace_source.next_command(r.trace, &c, NULL));
    g_assert_true(ww_fake_trace_source.next_cta(r.trace, c.kernel, &cta, NULL));
    WwWarpLaunch l = {.lanes = UINT32_MAX, .kernel = c.kernel, .trace = cta};
    const WwWarpsIf *warps = r.pool->type->ports[0].table;
    warps->launch(r.pool, &l);
    return r;
}

static void rig_close(Rig *r)
{
    ww_machine_free(r->m);
    ww_fake_trace_free(r->trace);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_close)

/* Runs a tick; the pc that issued in it, or -1. */
static int64_t tick_pc(Rig *r)
{
    const WwRegisterSet *set_ = (const void *)r->regs;
    uint32_t had = (uint32_t)__builtin_popcountll(set_->full);
    ww_run(r->m, 1);
    uint32_t now = (uint32_t)__builtin_popcountll(set_->full);
    return now == had ? -1 : (int64_t)set_->reg[now - 1]->s->pc;
}

static void expect_pcs(Rig *r, const int64_t *pc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_assert_cmpint(tick_pc(r), ==, pc[i]);
    }
}

/*
 * Fetched in tick 0, decoded in 1, issued in 2. Before tick 3 the second one becomes wrong: it is
 * flushed in tick 3 and fetched again, with the one behind it, in the same tick; decoded in 4,
 * issued in 5.
 */
static void check_restart(bool no_sleep)
{
    static const int64_t before[] = {-1, -1, 0x00}, after[] = {-1, 0x10, 0x20, -1, 0x30};
    g_auto(Rig) r = rig_new(no_sleep);
    const WwWarpsIf *warps = r.pool->type->ports[0].table;
    const WwWarp *w = &warps->view(r.pool)->warp[0];
    expect_pcs(&r, before, 3);
    g_assert_cmpuint(w->cursor, ==, 2);
    ww_fake_simt_expect(r.simt, 0, 0x70);
    g_assert_cmpint(tick_pc(&r), ==, -1);
    g_assert_cmpuint(w->cursor, ==, 1);
    g_assert_cmpuint(w->in_pipeline, ==, 1); /* the one that has issued */
    ww_fake_simt_sure(r.simt, 0);
    expect_pcs(&r, after, 5);
}

static void test_restart(void)
{
    check_restart(false);
    check_restart(true);
}

/* The real pool agrees with itself always. */
static void test_pool_expects(void)
{
    g_auto(Rig) r = rig_new(false);
    const WwSimtIf *simt = r.pool->type->ports[1].table;
    static const uint64_t pc[] = {0x00, 0x00, 0x10, 0x20};
    for (size_t i = 0; i < G_N_ELEMENTS(pc); i++) {
        ww_run(r.m, 1);
        g_assert_cmphex(simt->expected(r.pool, 0), ==, pc[i]);
        g_assert_cmphex(simt->view(r.pool)->unsure, ==, 0);
    }
}

void register_flush_tests(void)
{
    g_test_add_func("/issue/flush/agrees", test_agrees);
    g_test_add_func("/issue/flush/flush", test_flush);
    g_test_add_func("/issue/flush/order", test_order);
    g_test_add_func("/issue/flush/second", test_second);
    g_test_add_func("/issue/flush/waits", test_waits);
    g_test_add_func("/issue/flush/restart", test_restart);
    g_test_add_func("/issue/flush/pool_expects", test_pool_expects);
}
