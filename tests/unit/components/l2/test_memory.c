/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partition of the QV100: two slices, their caches, a channel, in the clocks and phases of a GPU.
 * The time line of a cold load that misses everywhere, and sleeping against never sleeping under
 * random traffic and unequal clocks.
 */
#include "tests.h"
#include <string.h>
#include <tests/support/machine.h>

enum { MOST = 4096 };

/* Stands for the network: sends what the plan says in certain cycles, notes replies. */
typedef struct Net {
    WwComponent base;
    WwPort out[2], in[2], map;
    uint32_t n_out, n_in;
    uint32_t seed, every, n;
    WwMemReq req[MOST];
    uint32_t sent, got;
    WwCycle at[MOST];
} Net;

/* The load: sectors of one line, from edge 5028 on one a cycle. */
static WwMemReq *planned(Net *net, WwCycle now)
{
    uint32_t x = (uint32_t)((now + net->seed) * 2654435761u) >> 7;
    WwMemReq *q = &net->req[net->sent];
    if (net->every == 0) {
        if (now < 5028) {
            return NULL;
        }
        *q = (WwMemReq){.addr = 0x1000000 + 32 * net->sent, .type = WW_ACCESS_GLOBAL_R};
    } else {
        if (x % net->every != 0 || now / 500 % 3 == 2) {
            return NULL;
        }
        *q = (WwMemReq){.addr = 0x1000000 + (uint64_t)(x >> 3) % 96 * 0x18020 + 32 * (x >> 11 & 3)};
        q->addr &= ~31ull;
        q->write = (x >> 14) % 4 == 0;
        q->type = q->write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
    }
    q->size = 32;
    q->sectors = (uint8_t)(1u << (q->addr / 32 % 4));
    q->bytes.w[q->addr / 64 % 2] = 0xffffffffull << (q->addr % 64);
    q->birth = (uint32_t)now;
    q->serial = net->sent;
    WW_ADDRESS_MAP(&net->map)->decode(net->map.peer, q->addr, &q->at);
    if (net->every != 0) {
        q->at.slice &= 1;
        q->at.channel = 0;
    }
    return q;
}

static WwRest net_turn(void *self)
{
    Net *net = self;
    for (uint32_t i = 0; i < 2; i++) {
        if (ww_fifo_ready(&net->in[i])) {
            const WwMemReq *q = ww_token_pointer(ww_fifo_take(&net->in[i]));
            g_assert_true(q->response);
            g_assert_cmpuint(net->at[q->serial], ==, 0);
            net->at[q->serial] = ww_now(net);
            net->got++;
        }
    }
    WwMemReq *q = net->sent < net->n ? planned(net, ww_now(net)) : NULL;
    if (q != NULL && ww_fifo_room(&net->out[q->at.slice & 1])) {
        ww_fifo_put(&net->out[q->at.slice & 1], ww_token_of(q));
        net->sent++;
    }
    return WW_AGAIN;
}

static const WwPortRow net_ports[] = {
    WW_PORT_ARRAY(Net, out, WW_OUT, &ww_contract_mem_request, 2, NULL, "to the slices"),
    WW_PORT_ARRAY(Net, in, WW_IN, &ww_contract_mem_response, 2, NULL, "from the slices"),
    WW_PORT_REQUIRES(Net, map, &ww_contract_address_map, 1, NULL, "decodes"),
    {0},
};
static const WwParamRow net_params[] = {
    WW_UINT(Net, seed, "", "0", 0, 1 << 20, "of the traffic"),
    WW_UINT(Net, every, "", "0", 0, 1 << 20, "cycles between two requests, about; 0: the load"),
    WW_UINT(Net, n, "", "4", 0, MOST, "requests"),
    {0},
};
static const WwEntryRow net_entries[] = {
    {.name = "net", .phase = "net", .tick = net_turn, .doc = "sends and notes"}, {0}};
static const WwType net_type = {.abi = WW_ABI_VERSION,
                                .name = "test.net",
                                .doc = "a network of one's own",
                                .family = "test",
                                .flags = WW_TYPE_FAKE,
                                .size = sizeof(Net),
                                .params = net_params,
                                .ports = net_ports,
                                .entries = net_entries};

typedef struct Gpu {
    WwMachine *m;
    Net *net;
    WwComponent *slice[2], *cache[2], *dram;
} Gpu;

static WwComponent *add(Gpu *g, const char *type, const char *name, const char *params)
{
    const WwType *t =
        strcmp(type, "test.net") == 0 ? &net_type : ww_registry_find(registry, type, NULL);
    WwComponent *c = ww_machine_add(g->m, ww_machine_root(g->m), t, name, -1, (WwLocation){0});
    test_set(c, params);
    return c;
}

static void bind_slice(Gpu *g, uint32_t i, WwComponent *map, const char *slice, const char *cache)
{
    WwComponent *down = add(g, "fifo", "down", "depth=8"), *up = add(g, "fifo", "up", "depth=8");
    WwComponent *request = add(g, "fifo", "request", "depth=32"),
                *reply = add(g, "fifo", "reply", "depth=2");
    WwComponent *s = g->slice[i] = add(g, "l2_slice", i == 0 ? "slice0" : "slice1", slice);
    WwComponent *c = g->cache[i] = add(g, "cache.l2", i == 0 ? "cache0" : "cache1", cache);
    test_join(&g->net->base, "out", request);
    test_join(s, "request", request);
    test_join(s, "reply", reply);
    test_join(&g->net->base, "in", reply);
    test_join(s, "cache", c);
    test_join(c, "address_map", map);
    test_join(c, "lower", down);
    test_join(s, "to_dram", down);
    test_join(g->dram, "request", down);
    test_join(g->dram, "response", up);
    test_join(s, "from_dram", up);
}

static Gpu gpu_new(const double hz[4], const char *net, const char *slice, const char *cache,
                   const char *dram)
{
    static const char *const names[] = {"core", "icnt", "l2", "dram"};
    static const char *const phases[] = {"reply", "icnt", "dram", "dram", "l2",
                                         "l2",    "net",  "icnt", "core", "core"};
    Gpu g = {.m = ww_machine_new(registry)};
    GError *error = NULL;
    ww_machine_set_clock(g.m, WW_CLOCK_ACCELSIM);
    for (uint32_t i = 0; i < 4; i++) {
        ww_machine_add_domain(g.m, names[i], hz[i], &error);
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(phases); i += 2) {
        ww_machine_add_phase(g.m, phases[i], phases[i + 1], &error);
    }
    g_assert_no_error(error);
    WwComponent *map = add(
        &g, "address_map", "map",
        "channels=32 slices_per_channel=2 indexing=ipoly "
        "mapping=dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS");
    g.net = (Net *)add(&g, "test.net", "net", net);
    g.dram = add(&g, "dram.frfcfs", "dram", dram);
    test_join(&g.net->base, "map", map);
    bind_slice(&g, 0, map, slice, cache);
    bind_slice(&g, 1, map, slice, cache);
    ww_machine_seal(g.m, &error);
    g_assert_no_error(error);
    ww_machine_set_hang_limit(g.m, 0);
    return g;
}

#define QV100_DRAM                                                                                 \
    "nbk=16 ccd=1 rrd=3 rcd=12 ras=28 rp=12 rc=40 cl=12 wl=2 cdlr=3 wr=10 nbkgrp=4 ccdl=2 rtpl=3 " \
    "buswidth=16 "                                                                                 \
    "burst_length=2 data_command_ratio=2 dual_bus=true group_index=low sched_queue=64 "            \
    "return_queue=192 "
#define QV100_L2                                                                                   \
    "sets=32 ways=24 write=back write_allocate=lazy index=ipoly mshr_entries=192 mshr_merge=4 "    \
    "miss_queue=32"

static void run(Gpu *g, WwCycle cycles)
{
    ww_machine_set_max_cycles(g->m, cycles);
    WwRunStatus s;
    while ((s = ww_run(g->m, 100000)) == WW_RUN_BUDGET) {
    }
    g_assert_cmpint(s, ==, WW_RUN_LIMIT);
}

/*
 * Ticks are counted from 1, edges from 0: the first request is moved to the slice in tick 5029, so
 * taken in 5030, and its reply leaves in tick 5329; the other sectors' commands follow CCDL = 2
 * DRAM cycles apart.
 */
static void test_time_line(void)
{
    static const double hz[] = {1132e6, 1132e6, 1132e6, 850e6};
    Gpu g = gpu_new(hz, "n=4", "rop_latency=160 icnt_to_l2=64 l2_to_icnt=64", QV100_L2,
                    QV100_DRAM "latency=100");
    run(&g, 6000);
    g_assert_cmpuint(g.net->got, ==, 4);
    g_assert_cmpuint(g.net->at[0], ==, 5329 - 1);
    g_assert_cmpuint(g.net->at[3], ==, 5337 - 1);
    uint64_t n;
    ww_machine_settle(g.m);
    g_assert_cmpuint(ww_stat_sum(g.m, NULL, "dram.frfcfs", "n_act", &n, 1), ==, 1);
    g_assert_cmpuint(n, ==, 1);
    ww_machine_free(g.m);
}

/* The L2 at half the clock of the core: 160 of its own cycles take 160 cycles of the core more. */
static void test_rop_clock(void)
{
    static const double hz[] = {1000e6, 1000e6, 500e6, 1000e6};
    WwCycle at[2];
    for (uint32_t own = 0; own < 2; own++) {
        Gpu g = gpu_new(hz, "n=4",
                        own ? "rop_latency=160 icnt_to_l2=64 l2_to_icnt=64 rop_in_core_cycles=false"
                            : "rop_latency=160 icnt_to_l2=64 l2_to_icnt=64",
                        QV100_L2, QV100_DRAM "latency=100");
        run(&g, 6000);
        g_assert_cmpuint(g.net->got, ==, 4);
        at[own] = g.net->at[0];
        ww_machine_free(g.m);
    }
    g_assert_cmpuint(at[1] - at[0], ==, 160);
}

/* All statistics of the slices, caches and the channel as one text. */
static char *figures(Gpu *g)
{
    GString *s = g_string_new(NULL);
    WwComponent *all[] = {g->slice[0], g->slice[1], g->cache[0], g->cache[1], g->dram};
    ww_machine_settle(g->m);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        const WwStatRow *row;
        for (WW_ROWS(all[i]->type->stats, row)) {
            for (uint32_t k = 0; k < row->n; k++) {
                g_string_append_printf(s, "%s.%s[%u]=%" G_GUINT64_FORMAT "\n", all[i]->name,
                                       row->name, k, ww_stat_values(all[i], row)[k]);
            }
        }
    }
    return g_string_free(s, false);
}

static void compare_with_no_sleep(uint32_t i)
{
    static const double clocks[][4] = {{1132e6, 1132e6, 1132e6, 850e6},
                                       {1132e6, 1132e6, 1132e6, 3500.5e6},
                                       {1000e6, 700e6, 1500e6, 900e6},
                                       {1000e6, 1300e6, 600e6, 2100e6}};
    static const char *const caches[] = {
        QV100_L2,
        "sets=16 ways=2 write=back write_allocate=lazy mshr_entries=4 mshr_merge=2 miss_queue=4",
        "sets=16 ways=2 write=back write_allocate=fetch mshr_entries=8 mshr_merge=2 miss_queue=6",
        "sets=16 ways=2 write=back write_allocate=naive mshr_entries=8 mshr_merge=2 miss_queue=6"};
    g_autofree char *net = g_strdup_printf("seed=%u every=%u n=1500", i * 7919, 1 + i % 5);
    const char *slice = i % 2 ? "rop_latency=1 icnt_to_l2=8 l2_to_icnt=2"
                              : "rop_latency=40 icnt_to_l2=16 l2_to_icnt=8";
    const char *dram = i % 3 ? QV100_DRAM "latency=20"
                             : QV100_DRAM "latency=1 separate_write_queue=true write_queue=8 "
                                          "write_high=4 write_low=1";
    g_autofree char *own = g_strconcat(slice, " rop_in_core_cycles=false", NULL);
    slice = i % 8 < 4 ? slice : own;
    Gpu a = gpu_new(clocks[i % 4], net, slice, caches[i / 4 % 4], dram);
    Gpu b = gpu_new(clocks[i % 4], net, slice, caches[i / 4 % 4], dram);
    ww_machine_set_no_sleep(b.m, true);
    run(&a, 15000);
    run(&b, 15000);
    g_assert_cmpuint(a.net->sent, >, 200);
    g_assert_cmpmem(a.net->at, sizeof a.net->at, b.net->at, sizeof b.net->at);
    g_autofree char *x = figures(&a), *y = figures(&b);
    g_assert_cmpstr(x, ==, y);
    g_assert_cmpuint(ww_machine_activations(a.m), <, ww_machine_activations(b.m));
    ww_machine_free(a.m);
    ww_machine_free(b.m);
}

static void test_no_sleep(void)
{
    for (uint32_t i = 0; i < 32; i++) {
        compare_with_no_sleep(i);
    }
}

void add_memory_tests(void)
{
    g_test_add_func("/l2/memory/time-line", test_time_line);
    g_test_add_func("/l2/memory/no-sleep", test_no_sleep);
    g_test_add_func("/l2/memory/rop-clock", test_rop_clock);
}
