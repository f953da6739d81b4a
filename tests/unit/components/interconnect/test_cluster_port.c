/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster's end of the reply network. */
#include <string.h>
#include <testing/fake_ctas.h>
#include <testing/fake_latency.h>

#include "tests.h"

static WwHarness *port_new(const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), "cluster_port", params);
    ww_harness_channel(h, "net", "depth=16");
    for (int i = 0; i < 2; i++) {
        g_autofree char *a = g_strdup_printf("data[%d]", i), *b = g_strdup_printf("inst[%d]", i);
        ww_harness_channel(h, a, "depth=1");
        ww_harness_channel(h, b, "depth=1");
    }
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

static void respond(WwHarness *h, uint16_t sm, WwAccessType type)
{
    WwMemReq *q = ww_harness_alloc(h, sizeof *q);
    q->size = 32;
    q->sm = sm;
    q->type = (uint8_t)type;
    g_assert_true(ww_harness_put(h, "net", -1, ww_token_of(q)));
}

/* Taken in one cycle, handed over in the next; one of each a cycle. */
static void test_port_pace(void)
{
    g_autoptr(WwHarness) h = port_new(NULL);
    respond(h, 0, WW_ACCESS_GLOBAL_R);
    respond(h, 1, WW_ACCESS_GLOBAL_R);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[0]"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[0]"), ==, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "responses", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "latency_max", 0), ==, 2);
    g_assert_true(ww_harness_asleep(h));
}

/* SMs are counted from the first of the cluster, whatever sizes the clusters before it have. */
static void test_port_first(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "data[0]", "depth=4");
    ww_harness_channel(h, "data[1]", "depth=4");
    WwFakeCtas *first = ww_harness_fill(h, "first", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    first->view.sm = 3; /* numbered after the start, as the dispatcher does */
    respond(h, 3, WW_ACCESS_GLOBAL_R);
    respond(h, 4, WW_ACCESS_GLOBAL_R);
    respond(h, 3, WW_ACCESS_GLOBAL_R);
    ww_harness_step(h, 6);
    g_assert_cmpuint(ww_harness_count(h, "data[0]"), ==, 2);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 1);
    ww_harness_free(h);
}

static void test_port_head_blocks(void)
{
    g_autoptr(WwHarness) h = port_new(NULL);
    respond(h, 0, WW_ACCESS_GLOBAL_R);
    respond(h, 0, WW_ACCESS_GLOBAL_R); /* finds the SM's buffer full */
    respond(h, 1, WW_ACCESS_GLOBAL_R);
    ww_harness_step(h, 6);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "blocked", 0), ==, 4);
    WwToken t;
    g_assert_true(ww_harness_take(h, "data[0]", NULL, &t));
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 1);
}

static void test_port_instructions(void)
{
    g_autoptr(WwHarness) h = port_new(NULL);
    respond(h, 1, WW_ACCESS_INST_R);
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "inst[1]"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "responses", 0), ==,
                     0); /* left out of the latency figures */
    g_assert_cmpuint(ww_harness_stat(h, "traffic", WW_ACCESS_INST_R * WW_PACKET_SIZES + 1), ==, 1);
}

/* Constants are data, unless the SM's instruction cache has them, too; then the latency figures leave them out as they do instructions. */
static void test_port_constants(void)
{
    for (int with_code = 0; with_code < 2; with_code++) {
        g_autoptr(WwHarness) h = port_new(with_code ? "constants_with_code=true" : NULL);
        respond(h, 1, WW_ACCESS_CONST_R);
        ww_harness_step(h, 2);
        g_assert_cmpuint(ww_harness_count(h, with_code ? "inst[1]" : "data[1]"), ==, 1);
        g_assert_cmpuint(ww_harness_stat(h, "responses", 0), ==, with_code ? 0 : 1);
    }
}

/* What comes back is counted by access type and bytes: data come with all but writes. */
static void test_port_traffic(void)
{
    g_autoptr(WwHarness) h = port_new(NULL);
    static const struct {
        WwAccessType type;
        bool write, atomic;
        uint32_t size, entry;
    } packets[] = {
        {WW_ACCESS_GLOBAL_R, false, false, 32, WW_ACCESS_GLOBAL_R * WW_PACKET_SIZES + 1},
        {WW_ACCESS_GLOBAL_R, false, true, 32, WW_TRAFFIC_ATOMIC * WW_PACKET_SIZES + 1},
        {WW_ACCESS_GLOBAL_W, true, false, 32, WW_ACCESS_GLOBAL_W * WW_PACKET_SIZES},
        {WW_ACCESS_LOCAL_R, false, false, 128, WW_ACCESS_LOCAL_R * WW_PACKET_SIZES + 4},
        {WW_ACCESS_INST_R, false, false, 16, WW_ACCESS_INST_R * WW_PACKET_SIZES + 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        WwMemReq *q = ww_harness_alloc(h, sizeof *q);
        *q = (WwMemReq){.size = packets[i].size,
                        .type = packets[i].type,
                        .write = packets[i].write,
                        .atomic = packets[i].atomic};
        g_assert_true(ww_harness_put(h, "net", -1, ww_token_of(q)));
    }
    ww_harness_step(h, 20);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        sum += ww_harness_stat(h, "traffic", i);
    }
    g_assert_cmpuint(sum, ==, G_N_ELEMENTS(packets));
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        g_assert_cmpuint(ww_harness_stat(h, "traffic", packets[i].entry), ==, 1);
    }
    g_assert_cmpuint(ww_traffic_bytes(packets[0].entry), ==, 40);
    g_assert_cmpuint(ww_traffic_bytes(packets[2].entry), ==, 8);
    g_assert_cmpuint(ww_traffic_bytes(packets[3].entry), ==, 136);
}

/* From creation, and from the reply network, to the hand-over; whoever averages is told. Without instruction lines. */
static void test_port_latency(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "data[0]", "depth=16");
    ww_harness_channel(h, "inst[0]", "depth=16");
    WwFakeLatency *told = ww_harness_fill(h, "latency", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_step(h, 100);
    for (uint32_t i = 0; i < 3; i++) { /* taken in cycles 100, 101, 102, handed over one later */
        WwMemReq *q = ww_harness_alloc(h, sizeof *q);
        *q = (WwMemReq){.size = 32,
                        .birth = 1,
                        .stamp = 95,
                        .type = i == 1 ? WW_ACCESS_INST_R : WW_ACCESS_GLOBAL_R};
        g_assert_true(ww_harness_put(h, "net", -1, ww_token_of(q)));
    }
    ww_harness_step(h, 10);
    g_assert_cmpuint(ww_harness_stat(h, "responses", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "latency_sum", 0), ==, 100 + 102);
    g_assert_cmpuint(ww_harness_stat(h, "latency_max", 0), ==, 102);
    g_assert_cmpuint(ww_harness_stat(h, "latency_table", 6), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "reply_sum", 0), ==, 6 + 8);
    g_assert_cmpuint(ww_harness_stat(h, "reply_max", 0), ==, 8);
    g_assert_cmpuint(ww_harness_stat(h, "reply_table", 2), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "reply_table", 3), ==, 1);
    g_assert_cmpuint(told->n, ==, 2);
    g_assert_cmpuint(told->sum, ==, 202);
    ww_harness_free(h);
}

/* Perfect memory: a request waits for its SM, and for nothing else; what an L1 wrote back ends here. */
static void test_port_direct(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "direct", "depth=16");
    ww_harness_channel(h, "data[0]", "depth=1");
    ww_harness_channel(h, "data[1]", "depth=16");
    WwFakeLatency *told = ww_harness_fill(h, "latency", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_step(h, 10);
    static const WwAccessType types[] = {WW_ACCESS_GLOBAL_R, WW_ACCESS_L1_WRBK, WW_ACCESS_GLOBAL_W,
                                         WW_ACCESS_LOCAL_R};
    for (uint32_t i = 0; i < G_N_ELEMENTS(types); i++) {
        WwMemReq *q = ww_harness_alloc(h, sizeof *q);
        *q = (WwMemReq){.size = 32,
                        .birth = 10,
                        .stamp = 7,
                        .type = types[i],
                        .write = i == 1 || i == 2,
                        .sm = i == 3};
        g_assert_true(ww_harness_put(h, "direct", -1, ww_token_of(q)));
    }
    WwToken t;
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_take(h, "data[0]", NULL, &t));
    g_assert_true(((WwMemReq *)ww_token_pointer(t))->response);
    ww_harness_step(h, 2); /* the one written back, then the store */
    g_assert_cmpuint(ww_harness_count(h, "data[0]"), ==, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "data[1]"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "responses", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "reply_sum", 0), ==,
                     10 + 12 + 13); /* as if since cycle 0 */
    g_assert_cmpuint(told->sum, ==, 0 + 2 + 3);
    uint64_t packets = 0;
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        packets += ww_harness_stat(h, "traffic", i);
    }
    g_assert_cmpuint(packets, ==, 0); /* of the network */
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

/* Without room in the SM it waits as it was put, and sends no acknowledgement on ahead of it. */
static void test_port_direct_waits(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "direct", "depth=2");
    ww_harness_channel(h, "data[0]", "depth=1");
    g_assert_true(ww_harness_start(h, NULL));
    WwMemReq *put[2];
    for (uint32_t i = 0; i < 2; i++) {
        put[i] = ww_harness_alloc(h, sizeof *put[i]);
        *put[i] =
            (WwMemReq){.size = 32, .birth = 3, .stamp = 7, .serial = i, .type = WW_ACCESS_GLOBAL_R};
        g_assert_true(ww_harness_put(h, "direct", -1, ww_token_of(put[i])));
    }
    ww_harness_step(h, 5);
    g_assert_cmpuint(ww_harness_count(h, "direct"), ==, 1);
    g_assert_true(put[0]->response);
    g_assert_false(put[1]->response); /* still its SM's request, to whoever looks */
    g_assert_cmpuint(put[1]->stamp, ==, 7);
    g_assert_cmpuint(ww_harness_stat(h, "blocked", 0), ==, 4);
    ww_harness_free(h);
}

static void test_port_depth(void)
{
    g_autoptr(WwHarness) h = port_new("depth=2");
    for (int i = 0; i < 6; i++) {
        respond(h, 0, WW_ACCESS_GLOBAL_R);
    }
    ww_harness_step(h, 10);
    g_assert_cmpuint(ww_harness_count(h, "net"), ==, 3); /* one handed over, two held */
}

void register_cluster_port_tests(void)
{
    g_test_add_func("/interconnect/port/pace", test_port_pace);
    g_test_add_func("/interconnect/port/first", test_port_first);
    g_test_add_func("/interconnect/port/head-blocks", test_port_head_blocks);
    g_test_add_func("/interconnect/port/instructions", test_port_instructions);
    g_test_add_func("/interconnect/port/constants", test_port_constants);
    g_test_add_func("/interconnect/port/traffic", test_port_traffic);
    g_test_add_func("/interconnect/port/latency", test_port_latency);
    g_test_add_func("/interconnect/port/direct", test_port_direct);
    g_test_add_func("/interconnect/port/direct-waits", test_port_direct_waits);
    g_test_add_func("/interconnect/port/depth", test_port_depth);
}
