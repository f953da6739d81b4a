/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU without memory: kernel queue, dispatcher, clusters, SMs of CTA slots, warp pool, fetch
 * unit, decoder and a stage that issues and completes at once. When CTAs are placed and kernels
 * end, to the tick; gates; that sleeping changes nothing.
 */
#include "tests.h"

#include <tests/support/machine.h>

#define MAX_SMS 16u

typedef struct Issuer {
    WwComponent base;
    WwPort warps;
    uint64_t turns; /* while its SM is clocked, with nobody asleep */
    uint64_t slept;
} Issuer;

static WwRest issuer_tick(void *self)
{
    Issuer *s = self;
    const WwWarpsIf *warps = WW_WARPS(&s->warps);
    const WwWarpView *v = warps->view(s->warps.peer);
    s->turns++;
    if (v->ibuf == 0) {
        return WW_SLEEP;
    }
    WwInst *inst = warps->pop(s->warps.peer, (uint32_t)__builtin_ctzll(v->ibuf));
    if (inst->op == WW_OP_EXIT) {
        warps->exit_lanes(s->warps.peer, inst->warp, inst->mask);
    }
    warps->finish(s->warps.peer, inst, WW_END_ALL);
    return v->ibuf != 0 ? WW_AGAIN : WW_SLEEP;
}

static void issuer_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Issuer *)self)->slept += n;
}

static const WwPortRow issuer_ports[] = {
    WW_PORT_REQUIRES(Issuer, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "warps to issue"),
    {0},
};
static const WwStatRow issuer_stats[] = {
    WW_COUNTER(Issuer, turns, "cycles", "edges run"),
    WW_COUNTER(Issuer, slept, "cycles", "edges slept"),
    {0},
};
static const WwEntryRow issuer_entries[] = {
    {.name = "issue", .phase = "core", .tick = issuer_tick, .doc = "issues"}, {0}};
static const WwType issuer_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.issuer",
    .doc = "issues one instruction a tick and completes it at once",
    .family = "test",
    .size = sizeof(Issuer),
    .ports = issuer_ports,
    .stats = issuer_stats,
    .entries = issuer_entries,
    .settle = issuer_settle,
};

typedef struct Gpu {
    WwMachine *m;
    WwDomain *core;
    WwComponent *queue, *dispatcher;
    WwComponent *slots[MAX_SMS];
    TestBarriers barriers[MAX_SMS];
    uint32_t n_sms;
    WwFakeTrace *trace;
} Gpu;

static WwComponent *add_sm(Gpu *g, WwGroup *cluster)
{
    uint32_t n = g->n_sms++;
    WwGroup *sm = ww_machine_add_group(
        g->m, cluster, &(WwGroupSpec){.name = "sm", .array = true, .index = n, .gated = true});
    WwGroup *front =
        ww_machine_add_group(g->m, sm, &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 4});
    WwComponent *slots = test_add(g->m, sm, "cta_slots", "ctas", -1);
    WwComponent *pool = test_add(g->m, sm, "warp_pool", "warps", -1);
    WwComponent *icache = test_add(g->m, sm, "icache.perfect", "icache", -1);
    WwComponent *fetch = test_add(g->m, front, "fetch_unit", "fetch", -1);
    WwComponent *decode = test_add(g->m, front, "decoder", "decode", -1);
    WwComponent *buffer = test_add(g->m, front, "fifo", "buffer", -1);
    WwComponent *issue = test_add_type(g->m, sm, &issuer_type, "issue", -1);
    test_set(slots, "max_ctas=4");
    test_set(buffer, "depth=1");
    test_join(fetch, "fetch", buffer);
    test_join(decode, "fetch", buffer);
    test_join(fetch, "warps", pool);
    test_join(fetch, "simt", pool);
    test_join(fetch, "icache", icache);
    test_join(fetch, "ctas", slots);
    test_join(decode, "warps", pool);
    test_join(issue, "warps", pool);
    test_join(slots, "warps", pool);
    test_join_table(slots, "barriers", &test_barriers, &g->barriers[n]);
    test_join_table(fetch, "scoreboard", &test_scoreboard, g);
    test_join_table(pool, "hazard", &test_scoreboard, g);
    return g->slots[n] = slots;
}

static Gpu *gpu_new(uint32_t clusters, uint32_t sms, const char *latency, bool no_sleep)
{
    Gpu *g = g_new0(Gpu, 1);
    g->trace = ww_fake_trace_new();
    g->m = test_core_machine();
    g->core = ww_machine_domain(g->m, "core");
    g_assert_true(ww_machine_add_phase(g->m, "dispatch", "core", NULL));
    WwGroup *root = ww_machine_root(g->m);
    /* declared against the order */
    g->dispatcher = test_add(g->m, root, "cta_dispatcher", "dispatcher", -1);
    g->queue = test_add(g->m, root, "kernel_queue", "queue", -1);
    test_set_one(g->queue, "launch_latency", latency);
    test_join(g->dispatcher, "kernels", g->queue);
    for (uint32_t c = 0; c < clusters; c++) {
        WwGroup *group = ww_machine_add_group(
            g->m, root,
            &(WwGroupSpec){.name = "part", .array = true, .index = c, .partition = true});
        WwComponent *cluster = test_add(g->m, root, "cluster", "cluster", (int32_t)c);
        for (uint32_t s = 0; s < sms; s++) {
            test_join(cluster, "sm", add_sm(g, group));
        }
        test_join(cluster, "kernels", g->queue);
        test_join(g->dispatcher, "cluster", cluster);
    }
    test_join_table(g->queue, "trace", &ww_fake_trace_source, g->trace);
    test_seal(g->m, no_sleep);
    ww_machine_set_fingerprint(g->m, true);
    return g;
}

static void gpu_free(Gpu *g)
{
    ww_machine_free(g->m);
    ww_fake_trace_free(g->trace);
    g_free(g);
}

/* Runs until the next kernel has finished; its cycles. */
static WwCycle finish(Gpu *g)
{
    WwKernelResult r;
    g_assert_cmpint(ww_run(g->m, 1000000), ==, WW_RUN_PAUSED);
    const WwKernelResultsIf *results =
        g->queue->type->ports[ww_type_port(g->queue->type, "results")].table;
    g_assert_true(results->next(g->queue, &r));
    g_assert_cmpuint(r.end, ==, g->core->cycle);
    return r.cycles;
}

static uint64_t sum(Gpu *g, const char *type, const char *stat)
{
    uint64_t n = 0;
    ww_stat_sum(g->m, NULL, type, stat, &n, 1);
    return n;
}

/*
 * Placed in tick L + 1, fetched and decoded in L + 2, issued in L + 3, where this issuer also
 * completes it: noticed at once.
 */
static void test_one_cta(void)
{
    static const char *const latency[] = {"0", "1", "5000"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(latency); i++) {
        Gpu *g = gpu_new(2, 1, latency[i], false);
        ww_fake_trace_kernel(g->trace, "a", 1, 32);
        ww_fake_trace_kernel(g->trace, "b", 1, 32);
        WwCycle l = strtoull(latency[i], NULL, 10);
        g_assert_cmpuint(finish(g), ==, l + 3);
        g_assert_cmpuint(finish(g), ==, l + 3); /* every kernel pays it */
        g_assert_cmpint(ww_run(g->m, 100), ==, WW_RUN_DONE);
        g_assert_cmpuint(ww_fake_trace_held(g->trace) + ww_fake_trace_open(g->trace), ==, 0);
        g_assert_cmpuint(ww_machine_activations(g->m), <, 50);
        gpu_free(g);
    }
}

/*
 * An SM is clocked from the tick after its first CTA was placed to the tick in which its last one
 * completed.
 */
static void test_gate(void)
{
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        Gpu *g = gpu_new(2, 1, "10", no_sleep != 0);
        ww_fake_trace_kernel(g->trace, "a", 1, 32);
        ww_fake_trace_kernel(g->trace, "b", 1, 32);
        finish(g);
        g_assert_cmpuint(sum(g, "test.issuer", "turns") + sum(g, "test.issuer", "slept"), ==, 2);
        finish(g);
        g_assert_cmpuint(sum(g, "test.issuer", "turns") + sum(g, "test.issuer", "slept"), ==, 4);
        gpu_free(g);
    }
}

/* One CTA a cluster a tick, in turn; SMs of a cluster take turns, too. Small grids are spread. */
static void test_placement(void)
{
    Gpu *g = gpu_new(3, 2, "0", false);
    ww_fake_trace_kernel(g->trace, "k", 8, 64);
    static const uint32_t placed[][6] = {
        {1, 0, 1, 0, 1, 0}, {1, 1, 1, 1, 1, 1}, {2, 1, 2, 1, 1, 1}};
    for (uint32_t t = 0; t < 3; t++) {
        ww_run(g->m, 1);
        for (uint32_t i = 0; i < 6; i++) {
            g_assert_cmpuint(g->barriers[i].enters, ==, placed[t][i]);
        }
    }
    finish(g);
    gpu_free(g);
    g = gpu_new(3, 1, "0", false);
    ww_fake_trace_kernel(g->trace, "small", 4, 64); /* at most 2 an SM although 4 fit */
    ww_fake_trace_kernel(g->trace, "next", 2, 64);
    ww_run(g->m, 3);
    g_assert_cmpuint(g->barriers[0].enters, ==, 2);
    g_assert_cmpuint(g->barriers[1].enters + g->barriers[2].enters, ==, 2);
    finish(g);
    ww_run(g->m, 1); /* the rotation goes on where it was: cluster 0 took the last one */
    g_assert_cmpuint(g->barriers[0].enters, ==, 2);
    g_assert_cmpuint(g->barriers[1].enters + g->barriers[2].enters, ==, 4);
    gpu_free(g);
}

/* A slot freed in a tick is filled in the same tick. */
static void test_refill(void)
{
    Gpu *g = gpu_new(1, 1, "0", false);
    ww_fake_trace_kernel(g->trace, "k", 5, 32); /* 4 slots */
    ww_run(g->m, 4);
    const WwCtaView *v = ((const WwCtasIf *)g->slots[0]->type->ports[0].table)->view(g->slots[0]);
    /*
     * placed in ticks 1 to 4; the first one is fetched in tick 2, issued and retired in tick 3,
     * so its slot is free again in tick 3
     */
    g_assert_cmpuint(g->barriers[0].enters, ==, 4);
    g_assert_cmpuint(v->active, ==, 2);
    g_assert_cmpuint(finish(g), ==, 7);
    g_assert_cmpuint(g->barriers[0].enters, ==, 5);
    g_assert_cmpuint(v->active, ==, 0);
    gpu_free(g);
}

/* The same run whether anything sleeps or not. */
static void test_no_sleep(void)
{
    uint64_t print[2], cycles[2][3], insns[2], activations[2];
    for (int i = 0; i < 2; i++) {
        Gpu *g = gpu_new(3, 2, "40", i == 1);
        WwTestInst program[20];
        for (uint32_t k = 0; k < 20; k++) {
            program[k] = (WwTestInst)WW_T_INT(1);
        }
        ww_fake_kernel_program(ww_fake_trace_kernel(g->trace, "a", 100, 96), program, 20);
        ww_fake_kernel_warp(ww_fake_trace_kernel(g->trace, "b", 7, 70), 3, 1, program, 20);
        ww_fake_kernel_program(ww_fake_trace_kernel(g->trace, "c", 30, 128), program, 5);
        for (uint32_t k = 0; k < 3; k++) {
            cycles[i][k] = finish(g);
        }
        g_assert_cmpuint(sum(g, "kernel_queue", "ctas_completed"), ==, 137);
        g_assert_cmpuint(sum(g, "cta_slots", "ctas_completed"), ==, 137);
        g_assert_cmpuint(sum(g, "cta_dispatcher", "ctas_issued"), ==, 137);
        g_assert_cmpuint(sum(g, "cluster", "ctas_issued"), ==, 137);
        print[i] = ww_machine_fingerprint(g->m);
        insns[i] = sum(g, "warp_pool", "warp_insns");
        activations[i] = ww_machine_activations(g->m);
        g_assert_cmpuint(ww_fake_trace_held(g->trace) + ww_fake_trace_open(g->trace), ==, 0);
        gpu_free(g);
    }
    g_assert_cmphex(print[0], ==, print[1]);
    g_assert_cmpmem(cycles[0], sizeof cycles[0], cycles[1], sizeof cycles[1]);
    g_assert_cmpuint(insns[0], ==, insns[1]);
    g_assert_cmpuint(insns[0], ==, 100 * 3 * 21 + 7 * 3 + 20 + 30 * 4 * 6);
    g_assert_cmpuint(2 * activations[0], <, activations[1]);
}

/* A CTA that fits nowhere ends the run with a message that names kernel, need and have. */
static void test_too_large(void)
{
    Gpu *g = gpu_new(1, 1, "5", false);
    ww_fake_trace_kernel(g->trace, "huge", 1, 64)->pub.shmem = 1u << 20;
    g_assert_cmpint(ww_run(g->m, 100), ==, WW_RUN_FAILED);
    g_assert_cmpuint(g->core->cycle, ==, 6);
    const char *message = ww_machine_error(g->m)->message;
    g_assert_nonnull(
        strstr(message, "'huge' needs 1048576 bytes of shared memory; expected at most the 98304"));
    gpu_free(g);
}

/* A warp that never gets its instructions issued: the report leads from the kernel to the warp. */
static void test_explain(void)
{
    static const WwTestInst half[] = {{.op = WW_OP_EXIT, .mask = 0xffff}};
    Gpu *g = gpu_new(1, 1, "0", false);
    ww_fake_kernel_program(ww_fake_trace_kernel(g->trace, "stuck", 1, 32), half, 1);
    g_assert_cmpint(ww_run(g->m, 100), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(g->m)->message, "lanes ffff0000 have not exited"));
    g_autofree char *text = ww_machine_explain(g->m);
    g_assert_nonnull(strstr(text, "kernel 'stuck': 1 of its CTAs are on SMs"));
    g_assert_nonnull(strstr(text, "has 32 threads left"));
    g_assert_nonnull(strstr(text, "warp 0 waits for fetch"));
    gpu_free(g);
}

void register_gpu_tests(void)
{
    g_test_add_func("/gpu/together/one_cta", test_one_cta);
    g_test_add_func("/gpu/together/gate", test_gate);
    g_test_add_func("/gpu/together/placement", test_placement);
    g_test_add_func("/gpu/together/refill", test_refill);
    g_test_add_func("/gpu/together/no_sleep", test_no_sleep);
    g_test_add_func("/gpu/together/too_large", test_too_large);
    g_test_add_func("/gpu/together/explain", test_explain);
}
