/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channels without command timing; and latencies in core cycles when the channel's clock is
 * another.
 */
#include "tests.h"
#include <string.h>
#include <tests/support/machine.h>

static WwHarness *channel_new(const char *type, const char *params, uint32_t slices,
                              const char *depth)
{
    WwHarness *h = ww_harness_new(registry, type, params);
    for (uint32_t i = 0; i < slices; i++) {
        ww_harness_channel(h, element("request", i), "depth=64");
        ww_harness_channel(h, element("response", i), depth);
    }
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

/* One request in and one response out a cycle, each after the latency. */
static void test_simple(void)
{
    g_autoptr(WwHarness) h = channel_new("dram.simple", "latency=20", 2, "depth=64");
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *r = new_req(h, WW_ACCESS_GLOBAL_R, 0, 0, i);
        r->at.slice = i % 2;
        put_req(h, r);
    }
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(response_at(h, i % 2, i), ==, 20 + i);
    }
    ww_harness_step(h, 2);
    g_assert_true(ww_harness_asleep(h));
}

static void test_simple_no_room(void)
{
    g_autoptr(WwHarness) h = channel_new("dram.simple", "latency=5", 1, "depth=1");
    for (uint32_t i = 0; i < 3; i++) {
        put_req(h, new_req(h, WW_ACCESS_GLOBAL_R, 0, 0, i));
    }
    ww_harness_step(h, 50);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 1);
    g_assert_true(ww_harness_asleep(h));
    for (uint32_t i = 0; i < 3; i++) {
        response_at(h, 0, i);
    }
}

static void test_simple_credits(void)
{
    g_autoptr(WwHarness) h =
        channel_new("dram.simple", "latency=50 sched_queue=1 return_queue=2", 1, "depth=64");
    for (uint32_t i = 0; i < 10; i++) {
        put_req(h, new_req(h, WW_ACCESS_L2_WRBK, 0, 0, i));
    }
    ww_harness_step(h, 40);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 6);
    ww_harness_step(h, 200);
    g_assert_cmpuint(ww_harness_stat(h, "write_backs", 0), ==, 10);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 0);
}

/* Of the places of the queues each slice but one takes its own credit off. */
static void test_simple_credits_of_two(void)
{
    g_autoptr(WwHarness) h =
        channel_new("dram.simple", "latency=50 sched_queue=1 return_queue=2", 2, "depth=64");
    for (uint32_t i = 0; i < 10; i++) {
        put_req(h, new_req(h, WW_ACCESS_L2_WRBK, 0, 0, i));
    }
    ww_harness_step(h, 40);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 7);
}

/* A separate write queue counts as places, too. */
static void test_simple_write_queue(void)
{
    g_autoptr(WwHarness) h = channel_new(
        "dram.simple",
        "latency=50 sched_queue=1 return_queue=2 separate_write_queue=true write_queue=3", 1,
        "depth=64");
    for (uint32_t i = 0; i < 10; i++) {
        put_req(h, new_req(h, WW_ACCESS_L2_WRBK, 0, 0, i));
    }
    ww_harness_step(h, 40);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "n_sent", 0), ==, 7);
}

static void test_fixed(void)
{
    g_autoptr(WwHarness) h = channel_new("dram.fixed", "latency=12 interval=4", 2, "depth=64");
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *r = new_req(h, i == 2 ? WW_ACCESS_L2_WRBK : WW_ACCESS_GLOBAL_R, 0, 0, i);
        r->at.slice = i % 2;
        put_req(h, r);
    }
    g_assert_cmpuint(response_at(h, 0, 0), ==, 12);
    g_assert_cmpuint(response_at(h, 1, 1), ==, 16);
    g_assert_cmpuint(response_at(h, 1, 3), ==, 24);
    g_assert_cmpuint(ww_harness_stat(h, "write_backs", 0), ==, 1);
    ww_harness_step(h, 2);
    g_assert_true(ww_harness_asleep(h));
}

static void test_fixed_no_room(void)
{
    g_autoptr(WwHarness) h = channel_new("dram.fixed", "latency=6 interval=2", 1, "depth=1");
    for (uint32_t i = 0; i < 8; i++) {
        put_req(h, new_req(h, WW_ACCESS_GLOBAL_R, 0, 0, i));
    }
    ww_harness_step(h, 60);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 8 - 1 - 4);
    g_assert_true(ww_harness_asleep(h));
    for (uint32_t i = 0; i < 8; i++) {
        response_at(h, 0, i);
    }
}

/* A channel that nobody asks, or that has nobody to answer, is refused for what it lacks. */
static void test_ends(void)
{
    static const char *const types[] = {"dram.fixed", "dram.simple", "dram.frfcfs"};
    for (uint32_t i = 0; i < 2 * G_N_ELEMENTS(types); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(WwMachine) m = test_core_machine();
        g_assert_true(ww_machine_add_phase(m, "dram", "core", &error));
        WwComponent *d = test_add(m, NULL, types[i / 2], "dram", -1);
        if (i % 2 == 1) {
            test_join(d, "request", test_add(m, NULL, "fifo", "in", -1));
        }
        g_assert_false(ww_machine_seal(m, &error));
        g_assert_true(g_pattern_match_simple(
            i % 2 == 0 ? "dram.request (*) has 0 peers; expected at least 1: *"
                       : "dram.response (*) has 0 peers; expected at least 1: *",
            error->message));
    }
}

/* ---- two clocks ---------------------------------------------------------------------------- */

/* Asks in certain core cycles, and notes in which core cycle an answer is there. */
typedef struct Asker {
    WwComponent base;
    WwPort ask, answer;
    WwMemReq req[32];
    uint32_t sent, got;
    WwCycle at[32];
} Asker;

static WwRest asker_turn(void *self)
{
    Asker *a = self;
    while (ww_fifo_ready(&a->answer)) {
        WwMemReq *r = ww_token_pointer(ww_fifo_take(&a->answer));
        a->at[r->serial] = ww_now(a);
        a->got++;
    }
    if (a->sent < 32 && ww_now(a) % 37 == 5 && ww_fifo_room(&a->ask)) {
        WwMemReq *r = &a->req[a->sent];
        *r = (WwMemReq){
            .type = WW_ACCESS_GLOBAL_R, .size = 32, .serial = a->sent++, .at.row = a->sent / 4};
        ww_fifo_put(&a->ask, ww_token_of(r));
    }
    return WW_AGAIN; /* keeps time going */
}

static const WwPortRow asker_ports[] = {
    WW_PORT_OUT(Asker, ask, &ww_contract_dram_request, 1, "requests"),
    WW_PORT_IN(Asker, answer, &ww_contract_dram_response, 1, "answers"),
    {0},
};
static const WwEntryRow asker_entries[] = {
    {.name = "turn", .phase = "main", .tick = asker_turn, .doc = "asks, notes"}, {0}};
static const WwType asker_type = {.abi = WW_ABI_VERSION,
                                  .name = "test.asker",
                                  .doc = "asks and notes answers",
                                  .family = "test",
                                  .flags = WW_TYPE_FAKE,
                                  .size = sizeof(Asker),
                                  .ports = asker_ports,
                                  .entries = asker_entries};

static Asker *two_clocks(WwMachine *m, const char *type, const char *params, double dram_hz,
                         bool no_sleep)
{
    GError *error = NULL;
    ww_machine_set_clock(m, WW_CLOCK_ACCELSIM);
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_domain(m, "dram", dram_hz, &error);
    ww_machine_add_phase(m, "dram", "dram", &error);
    ww_machine_add_phase(m, "main", "core", &error);
    g_assert_no_error(error);
    WwLocation where = {0};
    WwComponent *d = test_add(m, NULL, type, "dram", -1);
    WwComponent *a = test_add_type(m, NULL, &asker_type, "asker", -1);
    test_set(d, params);
    g_assert_true(ww_join(a, 0, d, 0, where, &error));
    g_assert_true(ww_join(d, 1, a, 1, where, &error));
    g_assert_true(ww_machine_seal(m, &error));
    ww_machine_set_no_sleep(m, no_sleep);
    ww_machine_set_hang_limit(m, 0);
    ww_machine_set_max_cycles(m, 3000);
    while (ww_run(m, 1000) == WW_RUN_BUDGET) {
    }
    return (Asker *)a;
}

/*
 * Put in core cycle c, taken by the channel at the first of its edges with c + 1 cycles completed,
 * ready 10 cycles later.
 */
static void test_latency_in_core_cycles(void)
{
    g_autoptr(WwMachine) m = ww_machine_new(registry);
    const Asker *a = two_clocks(m, "dram.simple", "latency=10", 3e9, false);
    g_assert_cmpuint(a->got, ==, 32);
    for (uint32_t i = 0; i < 32; i++) {
        g_assert_cmpuint(a->at[i], ==, 5 + 37 * i + 1 + 10);
    }
}

/* latency_in_core_cycles = false: 60 cycles of a clock three times as fast are 20 of the core's. */
static void test_latency_in_own_cycles(void)
{
    g_autoptr(WwMachine) m = ww_machine_new(registry);
    const Asker *a =
        two_clocks(m, "dram.simple", "latency=60 latency_in_core_cycles=false", 3e9, false);
    g_assert_cmpuint(a->got, ==, 32);
    for (uint32_t i = 0; i < 32; i++) {
        WwCycle late = a->at[i] - (5 + 37 * i + 1); /* the edges do not fall together */
        g_assert_true(late == 19 || late == 20);
    }
}

static void test_clocks_no_sleep(void)
{
    static const double hz[] = {0.751e9, 1e9, 1.33e9, 3.09e9};
    static const char *const types[] = {"dram.simple", "dram.frfcfs"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(hz) * G_N_ELEMENTS(types) * 4; i++) {
        double f = hz[i % G_N_ELEMENTS(hz)];
        const char *type = types[i / G_N_ELEMENTS(hz) % 2];
        static const char *const params[] = {"latency=0", "latency=1", "latency=30",
                                             "latency=30 latency_in_core_cycles=false"};
        const char *p = params[i / G_N_ELEMENTS(hz) / 2];
        g_autoptr(WwMachine) x = ww_machine_new(registry);
        g_autoptr(WwMachine) y = ww_machine_new(registry);
        const Asker *a = two_clocks(x, type, p, f, false), *b = two_clocks(y, type, p, f, true);
        g_assert_cmpuint(a->got, ==, 32);
        g_assert_cmpmem(a->at, sizeof a->at, b->at, sizeof b->at);
        if (strcmp(type, "dram.frfcfs") == 0) {
            uint64_t m[2][2];
            ww_machine_settle(x);
            ww_machine_settle(y);
            ww_stat_sum(x, NULL, type, "n_cmd", &m[0][0], 1);
            ww_stat_sum(x, NULL, type, "wasted_col", &m[0][1], 1);
            ww_stat_sum(y, NULL, type, "n_cmd", &m[1][0], 1);
            ww_stat_sum(y, NULL, type, "wasted_col", &m[1][1], 1);
            g_assert_cmpmem(m[0], sizeof m[0], m[1], sizeof m[1]);
        }
        g_assert_cmpuint(ww_machine_activations(x), <, ww_machine_activations(y) * 7 / 8);
    }
}

void add_channel_tests(void)
{
    g_test_add_func("/dram/simple/latency", test_simple);
    g_test_add_func("/dram/simple/no-room", test_simple_no_room);
    g_test_add_func("/dram/simple/credits", test_simple_credits);
    g_test_add_func("/dram/simple/credits-of-two", test_simple_credits_of_two);
    g_test_add_func("/dram/simple/write-queue", test_simple_write_queue);
    g_test_add_func("/dram/fixed/pace", test_fixed);
    g_test_add_func("/dram/fixed/no-room", test_fixed_no_room);
    g_test_add_func("/dram/ends", test_ends);
    g_test_add_func("/dram/clocks/latency", test_latency_in_core_cycles);
    g_test_add_func("/dram/clocks/own-latency", test_latency_in_own_cycles);
    g_test_add_func("/dram/clocks/no-sleep", test_clocks_no_sleep);
}
