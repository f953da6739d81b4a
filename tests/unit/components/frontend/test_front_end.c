/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pool, fetch unit, decoder and perfect instruction cache together, as in an SM: decode then
 * fetch, several times a tick, after a stage that issues. When what is fetched can issue, and
 * that sleeping changes nothing.
 */
#include "tests.h"

#include <ports/ctas.h>
#include <tests/support/machine.h>

/* ---- a stage that issues and completes at once ----------------------------------------------- */

typedef struct Issuer {
    WwComponent base;
    WwPort warps;
    uint32_t per_tick; /* instructions a tick at most */
    uint32_t last;
    uint64_t issued;
    WwCycle at[512];   /* when each instruction issued, */
    uint8_t warp[512]; /* of which warp */
} Issuer;

static WwRest issuer_tick(void *self)
{
    Issuer *s = self;
    const WwWarpsIf *warps = WW_WARPS(&s->warps);
    const WwWarpView *v = warps->view(s->warps.peer);
    for (uint32_t n = 0; n < s->per_tick && v->ibuf != 0; n++) {
        uint64_t ahead = v->ibuf & (s->last == 63 ? 0 : UINT64_MAX << (s->last + 1));
        s->last = (uint32_t)__builtin_ctzll(ahead != 0 ? ahead : v->ibuf);
        WwInst *inst = warps->pop(s->warps.peer, s->last);
        if (inst->op == WW_OP_EXIT) {
            warps->exit_lanes(s->warps.peer, s->last, inst->mask);
        }
        s->warp[s->issued] = (uint8_t)s->last;
        s->at[s->issued++] = ww_now(s);
        warps->finish(s->warps.peer, inst, WW_END_ALL);
    }
    return v->ibuf != 0 ? WW_AGAIN : WW_SLEEP;
}

static const WwPortRow issuer_ports[] = {
    WW_PORT_REQUIRES(Issuer, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "warps to issue"),
    {0},
};
static const WwStatRow issuer_stats[] = {WW_COUNTER(Issuer, issued, "instructions", "issued"), {0}};
static const WwEntryRow issuer_entries[] = {
    {.name = "issue", .phase = "core", .tick = issuer_tick, .doc = "issues"}, {0}};
static const WwType issuer_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.issuer",
    .doc = "issues and completes at once",
    .family = "test",
    .size = sizeof(Issuer),
    .ports = issuer_ports,
    .stats = issuer_stats,
    .entries = issuer_entries,
};

/* ---- the rig --------------------------------------------------------------------------------- */

typedef struct Ctas {
    WwMachine *m;
    WwCycle at[64]; /* when each warp was retired */
    uint32_t n;
} Ctas;

static WwDomain *core;

static void note_retire(void *self, uint32_t warp)
{
    Ctas *c = self;
    c->at[warp] = core->cycle;
    c->n++;
}

static const WwCtasIf note_ctas = {.retire = note_retire};

typedef struct Rig {
    WwMachine *m;
    WwComponent *pool, *fetch, *decode, *cache;
    Issuer *issuer;
    Ctas ctas;
    WwHazardView hazards;
    WwFakeTrace *trace;
    const WwCtaTrace *cta;
    const WwKernel *kernel;
} Rig;

static Rig *rig_new(uint32_t throughput, uint32_t per_tick, bool no_sleep)
{
    Rig *r = g_new0(Rig, 1);
    r->trace = ww_fake_trace_new();
    r->m = test_core_machine();
    core = ww_machine_domain(r->m, "core");
    WwGroup *root = ww_machine_root(r->m);
    WwGroup *group = ww_machine_add_group(
        r->m, root, &(WwGroupSpec){.name = "front", .mode = WW_GROUP_REPEAT, .repeat = throughput});
    r->fetch = test_add(r->m, group, "fetch_unit", "fetch", -1);
    r->decode = test_add(r->m, group, "decoder", "decode", -1);
    r->pool = test_add(r->m, root, "warp_pool", "warps", -1);
    r->cache = test_add(r->m, root, "icache.perfect", "icache", -1);
    r->issuer = test_add_type(r->m, root, &issuer_type, "issue", -1);
    WwComponent *buffer = test_add(r->m, group, "fifo", "buffer", -1);
    test_set(buffer, "depth=1");
    test_join(r->fetch, "fetch", buffer);
    test_join(r->decode, "fetch", buffer);
    test_join(r->fetch, "warps", r->pool);
    test_join(r->fetch, "simt", r->pool);
    test_join(r->fetch, "icache", r->cache);
    test_join(r->decode, "warps", r->pool);
    test_join(&r->issuer->base, "warps", r->pool);
    test_join_table(r->fetch, "ctas", &note_ctas, &r->ctas);
    test_join_table(r->fetch, "scoreboard", &test_scoreboard, &r->hazards);
    test_join_table(r->pool, "hazard", &test_scoreboard, &r->hazards);
    test_seal(r->m, no_sleep);
    ww_machine_set_fingerprint(r->m, true);
    r->issuer->per_tick = per_tick;
    return r;
}

static void rig_free(Rig *r)
{
    ww_machine_free(r->m);
    ww_fake_trace_free(r->trace);
    g_free(r);
}

/*
 * Places a CTA of @p warps warps, each of @p n instructions and an EXIT, at warp 0, 1, ...
 * between two ticks.
 */
static void place(Rig *r, uint32_t warps, uint32_t n)
{
    WwTestInst program[64];
    for (uint32_t i = 0; i < n; i++) {
        program[i] = (WwTestInst)WW_T_INT(1);
    }
    ww_fake_kernel_program(ww_fake_trace_kernel(r->trace, "k", 1, 32 * warps), program, n);
    WwCommand c;
    g_assert_true(ww_fake_trace_source.next_command(r->trace, &c, NULL));
    g_assert_true(ww_fake_trace_source.next_cta(r->trace, c.kernel, &r->cta, NULL));
    const WwWarpsIf *t = r->pool->type->ports[0].table;
    for (uint32_t w = 0; w < warps; w++) {
        WwWarpLaunch l = {
            .warp = w, .lanes = UINT32_MAX, .kernel = c.kernel, .trace = r->cta, .trace_warp = w};
        t->launch(r->pool, &l);
    }
}

/*
 * Placed at the end of tick 0: fetched and decoded in tick 1, issued in tick 2. One issue a tick
 * from then on, no bubble.
 */
static void test_lone_warp(void)
{
    Rig *r = rig_new(4, 1, false);
    ww_run(r->m, 1);
    place(r, 1, 9);
    ww_run(r->m, 100);
    g_assert_cmpuint(r->issuer->issued, ==, 10);
    for (uint32_t i = 0; i < 10; i++) {
        g_assert_cmpuint(r->issuer->at[i], ==, 2 + i);
    }
    g_assert_cmpuint(r->ctas.at[0], ==,
                     11); /* EXIT issued, completed and noticed in one tick here */
    rig_free(r);
}

/*
 * With one decode and fetch a tick, what is fetched in a tick is decoded in the next: a bubble
 * each two instructions.
 */
static void test_throughput_one(void)
{
    static const WwCycle at[] = {3, 4, 6, 7, 9, 10};
    Rig *r = rig_new(1, 1, false);
    ww_run(r->m, 1);
    place(r, 1, 5);
    ww_run(r->m, 100);
    for (uint32_t i = 0; i < 6; i++) {
        g_assert_cmpuint(r->issuer->at[i], ==, at[i]);
    }
    rig_free(r);
}

/*
 * Four turns a tick: the fetches of turns 1 to 3 are decoded in the same tick, that of turn 4 in
 * the next, after issue.
 */
static void test_four_turns(void)
{
    Rig *r = rig_new(4, 64, false);
    ww_run(r->m, 1);
    place(r, 8, 1);
    const WwWarpView *v = ((const WwWarpsIf *)r->pool->type->ports[0].table)->view(r->pool);
    ww_run(r->m, 1); /* the rotation starts after warp 0 */
    g_assert_cmphex(v->ibuf, ==, 0xe);
    ww_run(r->m, 1);
    g_assert_cmphex(v->ibuf, ==, 0xf0);
    ww_run(r->m, 1);
    g_assert_cmphex(v->ibuf, ==, 0x1); /* warp 0, fetched in the last turn of the tick before */
    ww_run(r->m, 10);
    g_assert_cmpuint(r->ctas.n, ==, 8);
    rig_free(r);
}

/*
 * The same tokens and statistics whether anything sleeps or not, and little work when there is
 * little to do.
 */
static void test_no_sleep(void)
{
    uint64_t print[2], insns[2], activations[2];
    WwCycle at[2][512];
    for (int i = 0; i < 2; i++) {
        Rig *r = rig_new(4, 2, i == 1);
        ww_run(r->m, 1);
        place(r, 16, 13);
        ww_run(r->m, 1000);
        g_assert_cmpuint(r->ctas.n, ==, 16);
        print[i] = ww_machine_fingerprint(r->m);
        activations[i] = ww_machine_activations(r->m);
        ww_stat_sum(r->m, NULL, "warp_pool", "thread_insns", &insns[i], 1);
        memcpy(at[i], r->issuer->at, sizeof at[i]);
        rig_free(r);
    }
    g_assert_cmphex(print[0], ==, print[1]);
    g_assert_cmpuint(insns[0], ==, 16 * 14 * 32);
    g_assert_cmpuint(insns[1], ==, insns[0]);
    g_assert_cmpmem(at[0], sizeof at[0], at[1], sizeof at[1]);
    g_assert_cmpuint(activations[0], <, 450);
    g_assert_cmpuint(activations[1], >, 4000);
}

void register_front_end_tests(void)
{
    g_test_add_func("/frontend/together/lone_warp", test_lone_warp);
    g_test_add_func("/frontend/together/throughput_one", test_throughput_one);
    g_test_add_func("/frontend/together/four_turns", test_four_turns);
    g_test_add_func("/frontend/together/no_sleep", test_no_sleep);
}
