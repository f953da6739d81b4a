/* SPDX-License-Identifier: Apache-2.0 */
/* The network with routers: nodes, links, topologies, what its devices see. */
#include "tests.h"

#include "components/interconnect/routed-priv.h"

#include <string.h>

Net net_new(uint32_t clusters, uint32_t slices, const char *params)
{
    g_autofree char *all = g_strconcat("num_vcs=1 routing_delay=0 ", params, NULL);
    Net n = {ww_harness_new(test_registry(), "network.routed", all), clusters, slices};
    for (uint32_t i = 0; i < clusters; i++) {
        g_autofree char *a = g_strdup_printf("request_in[%u]", i),
                        *b = g_strdup_printf("reply_out[%u]", i);
        ww_harness_channel(n.h, a, "depth=1");
        ww_harness_channel(n.h, b, "depth=8");
    }
    for (uint32_t i = 0; i < slices; i++) {
        g_autofree char *a = g_strdup_printf("request_out[%u]", i),
                        *b = g_strdup_printf("reply_in[%u]", i);
        ww_harness_channel(n.h, a, "depth=8");
        ww_harness_channel(n.h, b, "depth=1");
    }
    GError *error = NULL;
    ww_harness_start(n.h, &error);
    g_assert_no_error(error);
    return n;
}

static bool put(Net *n, bool reply, bool write, uint32_t from, uint32_t to, uint32_t size,
                uint64_t serial)
{
    WwMemReq *q = ww_harness_alloc(n->h, sizeof *q);
    q->size = size;
    q->write = write;
    q->serial = serial;
    q->at.slice = to;
    q->cluster = (uint16_t)to;
    g_autofree char *port = g_strdup_printf("%s_in[%u]", reply ? "reply" : "request", from);
    return ww_harness_put(n->h, port, -1, ww_token_of(q));
}

bool net_put(Net *n, bool reply, uint32_t from, uint32_t to, uint32_t size, uint64_t serial)
{
    return put(n, reply, false, from, to, size, serial);
}

bool net_put_write(Net *n, uint32_t from, uint32_t to, uint32_t size, uint64_t serial)
{
    return put(n, false, true, from, to, size, serial);
}

int64_t net_take(Net *n, bool reply, uint32_t at)
{
    WwToken t;
    g_autofree char *port = g_strdup_printf("%s_out[%u]", reply ? "reply" : "request", at);
    return ww_harness_take(n->h, port, NULL, &t)
               ? (int64_t)((WwMemReq *)ww_token_pointer(t))->serial
               : -1;
}

uint64_t net_until(Net *n, bool reply, uint32_t at, uint64_t limit, int64_t serial)
{
    for (uint64_t i = 0; i < limit; i++) {
        ww_harness_step(n->h, 1);
        int64_t got = net_take(n, reply, at);
        if (got >= 0) {
            g_assert_cmpint(got, ==, serial);
            return ww_harness_now(n->h);
        }
    }
    return 0;
}

/* Cycles until a packet put in cycle 0 can be taken. */
static uint64_t way(const char *params, uint32_t clusters, uint32_t from, uint32_t to)
{
    Net n = net_new(clusters, 4, params);
    g_assert_true(net_put(&n, false, from, to, 32, 1));
    uint64_t cycles = net_until(&n, false, to, 200, 1);
    ww_harness_step(n.h, 20);
    g_assert_true(ww_harness_asleep(n.h));
    g_assert_cmpuint(ww_harness_stat(n.h, "cycles", 0), ==, cycles + 20); /* also asleep */
    ww_harness_free(n.h);
    return cycles;
}

/* ---- one packet ---------------------------------------------------------------------------------------------------- */

/* Two cycles a link, one for each of: virtual channel, switch, crossing; a delay more is a cycle more. */
static void test_delays(void)
{
    g_assert_cmpuint(way("", 2, 0, 1), ==, 7);
    g_assert_cmpuint(way("routing_delay=1", 2, 0, 1), ==, 8);
    g_assert_cmpuint(way("routing_delay=3", 2, 0, 1), ==, 10);
    g_assert_cmpuint(way("vc_alloc_delay=2", 2, 0, 1), ==, 8);
    g_assert_cmpuint(way("sw_alloc_delay=3", 2, 0, 1), ==, 9);
    g_assert_cmpuint(way("st_prepare_delay=2", 2, 0, 1), ==, 9);
    g_assert_cmpuint(way("st_final_delay=2", 2, 0, 1), ==, 8);
    g_assert_cmpuint(way("credit_delay=9", 2, 0, 1), ==, 7);
}

/* A router that works more often gets through its stages sooner; one and a half times: now and then. */
static void test_internal_speedup(void)
{
    g_assert_cmpuint(way("internal_speedup=2", 2, 0, 1), ==, 6);
    g_assert_cmpuint(way("internal_speedup=3", 2, 0, 1), ==, 5);
    g_assert_cmpuint(way("internal_speedup=1.5", 2, 0, 1), ==, 6);
    Net n = net_new(1, 1, "internal_speedup=1.5"); /* asleep the halves add up, too */
    ww_harness_step(n.h, 1);
    net_put(&n, false, 0, 0, 32, 1);
    g_assert_cmpuint(net_until(&n, false, 0, 100, 1), ==, 1 + 6);
    ww_harness_free(n.h);
}

/* Sums of doubles, as the reference makes them, to the last bit. */
static void test_sums(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    uint32_t inexact = 0;
    for (int k = 0; k < 300; k++) {
        double speedup = k < 20 ? 1 + k * 0.1 : g_rand_double_range(random, 1, 15), sum = 0;
        uint64_t fixed = (uint64_t)(speedup * (double)(1ull << ROUTED_FRACTION)), partial = 0;
        for (int i = 0; i < 3000; i++) {
            uint32_t steps = 0;
            sum += speedup;
            while (sum >= 1) { /* one by one: each rounds for itself */
                sum -= 1;
                steps++;
            }
            g_assert_cmpuint(routed_internal_cycles(&partial, fixed), ==, steps);
            g_assert_cmpfloat((double)partial / (double)(1ull << ROUTED_FRACTION), ==, sum);
        }
        inexact += partial != (fixed * 3000 & ((1ull << ROUTED_FRACTION) - 1));
    }
    g_assert_cmpuint(inexact, >, 10); /* some were rounded somewhere */
}

/* A packet is as many flits as its bytes need; the last one makes it whole. Reads go without data, their replies with. */
static void test_flits(void)
{
    Net n = net_new(2, 2, "flit_size=32");
    net_put(&n, false, 0, 1, 128, 1);
    g_assert_cmpuint(net_until(&n, false, 1, 100, 1), ==, 7);
    net_put_write(&n, 0, 1, 128, 2); /* 136 bytes: 5 flits */
    g_assert_cmpuint(net_until(&n, false, 1, 100, 2), ==, 7 + 7 + 4);
    net_put(&n, true, 0, 1, 64, 3); /* 72 bytes */
    g_assert_cmpuint(net_until(&n, true, 1, 100, 3), ==, 18 + 7 + 2);
    g_assert_cmpuint(ww_harness_stat(n.h, "flits_in", 0), ==, 1 + 5);
    g_assert_cmpuint(ww_harness_stat(n.h, "flits_in", 1), ==, 3);
    g_assert_cmpuint(ww_harness_stat(n.h, "flits_out", 0), ==, 1 + 5);
    g_assert_cmpuint(ww_harness_stat(n.h, "packets_out", 1), ==, 1);
    ww_harness_free(n.h);
}

/* ---- topologies ---------------------------------------------------------------------------------------------------- */

/* A router more on the way: a link, and three stages, the first of which begins on arrival. */
enum { HOP = 4 };

static void test_mesh(void)
{
    /* 4 x 4, clusters at nodes 0 to 11, slices at 12 to 15: from 0 to 12 three up, from 0 to 15 six */
    const char *mesh = "topology=mesh routing=dim_order k=4 n=2";
    g_assert_cmpuint(way(mesh, 12, 0, 0), ==, 7 + 3 * HOP);
    g_assert_cmpuint(way(mesh, 12, 0, 3), ==, 7 + 6 * HOP);
    g_assert_cmpuint(way(mesh, 12, 11, 3), ==, 7 + HOP);
    g_assert_cmpuint(way(mesh, 12, 11, 0), ==, 7 + 4 * HOP);
}

static void test_torus(void)
{
    /* 3 x 3 x 3: clusters at 0 to 22, slices at 23 to 26; round the end, over links of two cycles */
    const char *torus = "topology=torus routing=dim_order k=3 n=3 num_vcs=2";
    g_assert_cmpuint(way(torus, 23, 0, 3), ==, 7 + 3 * (HOP + 1));
    g_assert_cmpuint(way(torus, 23, 17, 3), ==, 7 + HOP + 1);
    g_autofree char *even = g_strconcat(torus, " use_noc_latency=false", NULL);
    g_assert_cmpuint(way(even, 23, 0, 3), ==, 7 + 3 * HOP);
}

static void test_fly(void)
{
    g_assert_cmpuint(way("k=16", 12, 3, 2), ==, 7);
    g_assert_cmpuint(way("k=4 n=2", 12, 3, 2), ==, 7 + HOP);
    g_assert_cmpuint(way("k=2 n=4", 12, 3, 2), ==, 7 + 3 * HOP);
}

/* Everybody reaches everybody: nothing arrives elsewhere, or not at all. */
static void all_pairs(const char *params, uint32_t clusters, uint32_t slices)
{
    Net n = net_new(clusters, slices, params);
    for (uint32_t c = 0; c < clusters; c++) {
        for (uint32_t s = 0; s < slices; s++) {
            g_assert_true(net_put(&n, false, c, s, 32, c * slices + s));
            g_assert_cmpuint(net_until(&n, false, s, 200, c * slices + s), !=, 0);
            g_assert_true(net_put(&n, true, s, c, 32, s));
            g_assert_cmpuint(net_until(&n, true, c, 200, s), !=, 0);
        }
    }
    g_assert_cmpuint(ww_harness_stat(n.h, "packets_out", 0), ==, (uint64_t)clusters * slices);
    ww_harness_free(n.h);
}

static void test_all_pairs(void)
{
    all_pairs("k=3 n=3", 15, 12);
    all_pairs("k=5 n=2", 20, 5);
    all_pairs("k=2 n=4", 8, 8);
    all_pairs("topology=mesh routing=dim_order k=3 n=3", 20, 7);
    all_pairs("topology=mesh routing=dim_order k=16 n=1", 10, 6);
    all_pairs("topology=torus routing=dim_order k=5 n=2 num_vcs=2", 15, 10);
    all_pairs("topology=torus routing=dim_order k=7 n=1 num_vcs=4", 4, 3);
}

/* Memory where the map has it, clusters on the nodes that are left. */
static void test_map(void)
{
    /* a row of 6: slices at 1 and 3, clusters at 0, 2, 4 */
    const char *row = "topology=mesh routing=dim_order k=6 n=1 use_map=true memory_node_map=[1,3]";
    Net n = net_new(3, 2, row);
    const struct {
        uint32_t cluster, slice, hops;
    } ways[] = {{0, 0, 1}, {0, 1, 3}, {1, 0, 1}, {1, 1, 1}, {2, 0, 3}, {2, 1, 1}};
    uint64_t now = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        net_put(&n, false, ways[i].cluster, ways[i].slice, 32, i);
        now += 7 + HOP * ways[i].hops;
        g_assert_cmpuint(net_until(&n, false, ways[i].slice, 100, (int64_t)i), ==, now);
    }
    g_assert_cmpuint(ww_harness_stat(n.h, "hops", 0), ==, 1 + 3 + 1 + 1 + 3 + 1 + 6);
    ww_harness_free(n.h);
    n = net_new(8, 8,
                "topology=mesh routing=dim_order k=4 n=2 use_map=true"); /* a known one: M0 at 1 */
    net_put(&n, false, 0, 0, 32, 1);
    g_assert_cmpuint(net_until(&n, false, 0, 100, 1), ==, 7 + HOP);
    ww_harness_free(n.h);
}

/* ---- buffers ------------------------------------------------------------------------------------------------------- */

/* The input measures flits, not packets: a write of 5 and two reads fill 7. */
static void test_input_buffer(void)
{
    Net n = net_new(1, 1, "flit_size=32 input_buffer_size=7 vc_buf_size=1");
    WwPort out = ((const Routed *)ww_harness_self(n.h))->request_in[0];
    g_assert_true(ww_fifo_room_for(&out, 7 * 32));
    g_assert_true(net_put_write(&n, 0, 0, 128, 1));
    g_assert_true(ww_fifo_room_for(&out, 64));
    g_assert_false(ww_fifo_room_for(&out, 65));
    g_assert_true(net_put(&n, false, 0, 0, 32, 2));
    g_assert_true(net_put(&n, false, 0, 0, 32, 3));
    g_assert_false(net_put(&n, false, 0, 0, 32, 4));
    ww_harness_step(n.h, 1); /* one flit has left */
    g_assert_true(net_put(&n, false, 0, 0, 32, 4));
    g_assert_false(net_put(&n, false, 0, 0, 32, 5));
    ww_harness_free(n.h);
}

/* What nobody takes fills the boundary buffer, then everything behind it; a packet taken lets one on. */
static void test_boundary_buffer(void)
{
    Net n = net_new(1, 1, "flit_size=32 boundary_buffer_size=3 vc_buf_size=2 input_buffer_size=64");
    for (uint64_t i = 0; i < 20; i++) {
        g_assert_true(net_put(&n, false, 0, 0, 32, i));
    }
    ww_harness_step(n.h, 100);
    /* 3 in the boundary buffer, 2 before it and 2 before the switch, by their credits */
    g_assert_cmpuint(ww_harness_stat(n.h, "packets_out", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(n.h, "flits_in", 0), ==, 3 + 2 + 2);
    g_assert_cmpint(net_take(&n, false, 0), ==, 0);
    ww_harness_step(n.h, 20);
    g_assert_cmpuint(ww_harness_stat(n.h, "packets_out", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(n.h, "flits_in", 0), ==, 8);
    for (int64_t i = 1; i < 20; i++) {
        ww_harness_step(n.h, 20);
        g_assert_cmpint(net_take(&n, false, 0), ==, i);
    }
    ww_harness_step(n.h, 20);
    g_assert_true(ww_harness_asleep(n.h));
    ww_harness_free(n.h);
}

static void expect_failure(Net *n, const char *text)
{
    ww_harness_step(n->h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(n->h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(error->message, text));
    ww_harness_free(n->h);
}

/* A packet that can never stand whole in a buffer ends the run; one that just can does not. */
static void test_packets_too_long(void)
{
    Net n = net_new(1, 1, "flit_size=32 boundary_buffer_size=5 input_buffer_size=64");
    g_assert_true(net_put_write(&n, 0, 0, 128, 1)); /* 136 bytes */
    g_assert_cmpuint(net_until(&n, false, 0, 50, 1), !=, 0);
    g_assert_true(net_put_write(&n, 0, 0, 160, 2));
    expect_failure(&n, "boundary_buffer_size = 5, and a request of 168 bytes is 6 flits");
    n = net_new(1, 1, "flit_size=32 boundary_buffer_size=1 input_buffer_size=64");
    g_assert_true(net_put(&n, true, 0, 0, 32, 1));
    expect_failure(&n, "boundary_buffer_size = 1, and a reply of 40 bytes is 2 flits");
    n = net_new(1, 1, "flit_size=32 input_buffer_size=7");
    WwPort out = ((const Routed *)ww_harness_self(n.h))->request_in[0];
    g_assert_false(ww_fifo_room_for(&out, 7 * 32 + 1));
    expect_failure(&n, "input_buffer_size = 7, and what is 225 bytes long needs 8 places of 32");
}

/* A network that does not lead to all slices, or clusters, says so of the first packet for another. */
static void test_no_way(void)
{
    for (int reply = 0; reply < 2; reply++) {
        Net n = net_new(2, 3, NULL);
        g_assert_true(net_put(&n, reply, 0, reply ? 2 : 3, 32, 1));
        expect_failure(&n, reply ? "a reply for cluster 2 came in, and 2 are bound to reply_out"
                                 : "a request for slice 3 came in, and 3 are bound to request_out");
    }
}

/* Packets of different virtual channels are taken in turns, in the order that they have when they are taken. */
static void test_turns(void)
{
    Net n = net_new(1, 1,
                    "num_vcs=2 flit_size=136 input_buffer_size=64 read_request_vcs=[0,0] "
                    "write_request_vcs=[1,1]");
    for (uint64_t i = 0; i < 3; i++) {
        net_put(&n, false, 0, 0, 32, i);
    }
    ww_harness_step(n.h, 30); /* the three reads stand there */
    for (uint64_t i = 0; i < 2; i++) {
        net_put_write(&n, 0, 0, 32, 10 + i);
    }
    g_assert_cmpint(net_take(&n, false, 0), ==, 0);
    ww_harness_step(n.h, 30);
    const int64_t expected[] = {10, 1, 11, 2, -1};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpint(net_take(&n, false, 0), ==, expected[i]);
    }
    ww_harness_free(n.h);
}

/* ---- figures ------------------------------------------------------------------------------------------------------- */

static void test_figures(void)
{
    Net n = net_new(2, 2, "flit_size=32 input_buffer_size=64");
    net_put_write(&n, 0, 1, 128, 1); /* 5 flits */
    net_put(&n, false, 0, 1, 32, 2); /* waits behind them */
    net_put(&n, true, 0, 1, 0, 3);
    ww_harness_step(n.h, 30);
    g_assert_cmpuint(ww_harness_stat(n.h, "packets_left", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(n.h, "flit_latency_min", 0), ==, 6);
    g_assert_cmpuint(ww_harness_stat(n.h, "network_latency_min", 0), ==, 6);
    g_assert_cmpuint(ww_harness_stat(n.h, "network_latency_max", 0), ==, 6 + 4);
    g_assert_cmpuint(ww_harness_stat(n.h, "packet_latency_sum", 0), ==, (6 + 4) + (6 + 5 + 1) + 6);
    g_assert_cmpuint(ww_harness_stat(n.h, "fragmentation_max", 0), ==, 0);
    g_assert_cmpuint(ww_harness_stat(n.h, "hops", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(n.h, "slowest_packet", 0), ==, 0);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_max", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_max_node", 0), ==, 0);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_min", 0), ==, 0);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_min_node", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(n.h, "accepted_flits_max", 0), ==, 6);
    g_assert_cmpuint(ww_harness_stat(n.h, "accepted_flits_max_node", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(n.h, "accepted_flits_min_node", 0), ==, 0);
    ww_harness_free(n.h);
    n = net_new(2, 1, ""); /* of two with the most the lower is meant, whoever came first */
    net_put(&n, false, 0, 0, 32, 1);
    ww_harness_step(n.h, 1);
    net_put(&n, false, 1, 0, 32, 2);
    ww_harness_step(n.h, 1);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_max", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(n.h, "sent_packets_max_node", 0), ==, 0);
    ww_harness_free(n.h);
}

/* ---- sleep --------------------------------------------------------------------------------------------------------- */

/* Random traffic, awake and asleep: what comes out when, and every figure. */
static char *traffic(const char *params, uint32_t seed, bool no_sleep)
{
    Net n = net_new(5, 4, params);
    ww_machine_set_no_sleep(ww_harness_machine(n.h), no_sleep);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    GString *log = g_string_new(NULL);
    for (uint64_t t = 0; t < 600; t++) {
        bool reply = g_rand_boolean(random), write = g_rand_boolean(random);
        uint32_t from = (uint32_t)g_rand_int_range(random, 0, reply ? 4 : 5);
        uint32_t to = (uint32_t)g_rand_int_range(random, 0, reply ? 5 : 4);
        if (t % 150 < 100 && g_rand_int_range(random, 0, 3) != 0) {
            put(&n, reply, write, from, to, 32u << (t % 3), t);
        }
        ww_harness_step(n.h, t % 150 < 100 ? 1 : 7);
        for (uint32_t i = 0; i < 9; i++) {
            int64_t got = g_rand_boolean(random) ? net_take(&n, i < 5, i < 5 ? i : i - 5) : -1;
            if (got >= 0) {
                g_string_append_printf(log, "%" G_GUINT64_FORMAT ":%u:%" G_GINT64_FORMAT " ", t, i,
                                       got);
            }
        }
    }
    static const char *const figures[] = {
        "cycles",           "flits_out",         "packets_left", "packet_latency_sum",
        "flit_latency_sum", "fragmentation_sum", "slowest_flit"};
    for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
        g_string_append_printf(log, "%s=%" G_GUINT64_FORMAT " ", figures[i],
                               ww_harness_stat(n.h, figures[i], 0));
    }
    ww_harness_free(n.h);
    return g_string_free(log, false);
}

static void test_sleep(void)
{
    static const char *const nets[] = {
        "k=3 n=2 internal_speedup=1.3 input_buffer_size=20 num_vcs=2",
        ("topology=mesh routing=dim_order k=3 n=2 credit_delay=5 routing_delay=2 "
         "wait_for_tail_credit=true input_buffer_size=20"),
        "boundary_buffer_size=5 internal_speedup=2.7 vc_buf_size=2 input_buffer_size=20",
    };
    for (uint32_t i = 0; i < G_N_ELEMENTS(nets); i++) {
        g_autofree char *asleep = traffic(nets[i], i, false), *awake = traffic(nets[i], i, true);
        g_assert_cmpuint(strlen(asleep), >, 1000);
        g_assert_cmpstr(asleep, ==, awake);
    }
}

/* It does not rest before the last credit counts: then the next packet finds all room. */
static void test_credits_keep_awake(void)
{
    Net n = net_new(1, 1, "vc_buf_size=1 credit_delay=20");
    net_put(&n, false, 0, 0, 32, 1);
    g_assert_cmpuint(net_until(&n, false, 0, 100, 1), ==, 7);
    ww_harness_step(n.h, 15);
    g_assert_false(ww_harness_asleep(n.h));
    ww_harness_step(n.h, 100);
    g_assert_true(ww_harness_asleep(n.h));
    net_put(&n, false, 0, 0, 32, 2);
    g_assert_cmpuint(net_until(&n, false, 0, 100, 2), ==, 7 + 15 + 100 + 7);
    ww_harness_free(n.h);
}

/* A network that has worked and is reset is as good as new. */
static void test_reset(void)
{
    Net n = net_new(2, 2, "internal_speedup=1.5 input_buffer_size=64");
    uint64_t first = 0;
    for (int k = 0; k < 2; k++) {
        for (uint64_t i = 0; i < 20; i++) {
            net_put(&n, false, i % 2, 1, 32, i);
        }
        ww_harness_step(n.h, 12);
        uint64_t sum = ww_harness_stat(n.h, "packet_latency_sum", 0);
        g_assert_cmpuint(sum, >, 0);
        g_assert_cmpuint(k == 0 ? sum : first, ==, sum);
        first = sum;
        ww_harness_reset(n.h);
    }
    ww_harness_free(n.h);
}

void register_routed_tests(void)
{
    g_test_add_func("/interconnect/routed/delays", test_delays);
    g_test_add_func("/interconnect/routed/internal-speedup", test_internal_speedup);
    g_test_add_func("/interconnect/routed/sums", test_sums);
    g_test_add_func("/interconnect/routed/flits", test_flits);
    g_test_add_func("/interconnect/routed/mesh", test_mesh);
    g_test_add_func("/interconnect/routed/torus", test_torus);
    g_test_add_func("/interconnect/routed/fly", test_fly);
    g_test_add_func("/interconnect/routed/all-pairs", test_all_pairs);
    g_test_add_func("/interconnect/routed/map", test_map);
    g_test_add_func("/interconnect/routed/input-buffer", test_input_buffer);
    g_test_add_func("/interconnect/routed/boundary-buffer", test_boundary_buffer);
    g_test_add_func("/interconnect/routed/packets-too-long", test_packets_too_long);
    g_test_add_func("/interconnect/routed/no-way", test_no_way);
    g_test_add_func("/interconnect/routed/turns", test_turns);
    g_test_add_func("/interconnect/routed/figures", test_figures);
    g_test_add_func("/interconnect/routed/sleep", test_sleep);
    g_test_add_func("/interconnect/routed/credits-keep-awake", test_credits_keep_awake);
    g_test_add_func("/interconnect/routed/reset", test_reset);
}
