/* SPDX-License-Identifier: Apache-2.0 */
/* The local crossbar and the cluster's end of the reply network. */
#include <ports/traffic.h>
#include <string.h>
#include <testing/fake_latency.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

#include "tests.h"

static const WwRegistry *registry;

/* ---- crossbar --------------------------------------------------------------------------------------------------- */

typedef struct Rig {
    WwHarness *h;
    uint32_t clusters, slices;
} Rig;

static Rig rig_late(uint32_t clusters, uint32_t slices, const char *params, uint32_t in_depth,
                    uint32_t latency, uint32_t out_depth)
{
    Rig r = {ww_harness_new(registry, "xbar.local", params), clusters, slices};
    g_autofree char *in = g_strdup_printf("depth=%u latency=%u", in_depth, latency),
                    *out = g_strdup_printf("depth=%u", out_depth);
    for (uint32_t i = 0; i < clusters; i++) {
        g_autofree char *a = g_strdup_printf("request_in[%u]", i),
                        *b = g_strdup_printf("reply_out[%u]", i);
        ww_harness_channel(r.h, a, in);
        ww_harness_channel(r.h, b, out);
    }
    for (uint32_t i = 0; i < slices; i++) {
        g_autofree char *a = g_strdup_printf("request_out[%u]", i),
                        *b = g_strdup_printf("reply_in[%u]", i);
        ww_harness_channel(r.h, a, out);
        ww_harness_channel(r.h, b, in);
    }
    g_assert_true(ww_harness_start(r.h, NULL));
    return r;
}

static Rig rig_new(uint32_t clusters, uint32_t slices, const char *params, uint32_t in_depth,
                   uint32_t out_depth)
{
    return rig_late(clusters, slices, params, in_depth, 0, out_depth);
}

static bool put(Rig *r, bool reply, uint32_t from, uint32_t to, uint64_t serial)
{
    WwMemReq *q = ww_harness_alloc(r->h, sizeof *q);
    q->size = 32;
    q->serial = serial;
    q->at.slice = to;
    q->cluster = (uint16_t)to;
    g_autofree char *port = g_strdup_printf("%s_in[%u]", reply ? "reply" : "request", from);
    return ww_harness_put(r->h, port, -1, ww_token_of(q));
}

/* Serial of what comes out of an output, or -1. */
static int64_t take(Rig *r, bool reply, uint32_t at)
{
    WwToken t;
    g_autofree char *port = g_strdup_printf("%s_out[%u]", reply ? "reply" : "request", at);
    return ww_harness_take(r->h, port, NULL, &t)
               ? (int64_t)((WwMemReq *)ww_token_pointer(t))->serial
               : -1;
}

static void test_one_packet(void)
{
    Rig r = rig_new(2, 3, NULL, 4, 4);
    put(&r, false, 1, 2, 7);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 2), ==, 7);
    ww_harness_step(r.h, 2);
    g_assert_true(ww_harness_asleep(r.h));
    g_assert_cmpuint(ww_harness_stat(r.h, "transfers", 0), ==, 3); /* counted while asleep too */
    ww_harness_free(r.h);
}

/*
 * A packet on its way through an input with a latency is not there: it moves in the cycle in which it arrives, also the second one, for
 * which the switch has to be woken again; and it is counted from then on only.
 */
static void test_late_input(void)
{
    static const char *const arbiters[] = {"arbiter=islip", "arbiter=round_robin"};
    for (int i = 0; i < 2; i++) {
        Rig r = rig_late(2, 2, arbiters[i], 8, 3, 4);
        put(&r, false, 1, 0, 7);
        ww_harness_step(r.h, 2);
        put(&r, false, 1, 1, 8); /* two cycles later */
        g_assert_cmpint(take(&r, false, 0), ==, -1);
        WwCycle at[2] = {0, 0};
        for (WwCycle c = 2; c < 12; c++) {
            ww_harness_step(r.h, 1);
            at[0] += take(&r, false, 0) == 7 ? c : 0;
            at[1] += take(&r, false, 1) == 8 ? c : 0;
        }
        g_assert_cmpuint(at[0], !=, 0);
        g_assert_cmpuint(at[1], ==, at[0] + 2);
        g_assert_true(ww_harness_asleep(r.h));
        g_assert_cmpuint(ww_harness_stat(r.h, "active_transfers", 0), ==, 2);
        g_assert_cmpuint(ww_harness_stat(r.h, "input_occupancy", 0), ==, 0);
        ww_harness_free(r.h);
    }
}

static void test_output_takes_one(void)
{
    Rig r = rig_new(3, 2, NULL, 4, 4);
    for (uint32_t i = 0; i < 3; i++) {
        put(&r, false, i, 1, i);
    }
    for (int i = 0; i < 3; i++) {
        ww_harness_step(r.h, 1);
        g_assert_cmpint(take(&r, false, 1), ==, i);
        g_assert_cmpint(take(&r, false, 1), ==, -1);
    }
    g_assert_cmpuint(ww_harness_stat(r.h, "conflicts", 0), ==, 2 + 1);
    ww_harness_free(r.h);
}

/* The pointer moves behind the input that was served: the others go before it gets a second turn. */
static void test_pointer(void)
{
    Rig r = rig_new(2, 1, NULL, 4, 4);
    put(&r, false, 0, 0, 10);
    put(&r, false, 0, 0, 11);
    put(&r, false, 1, 0, 20);
    static const int64_t expected[] = {10, 20, 11};
    for (int i = 0; i < 3; i++) {
        ww_harness_step(r.h, 1);
        g_assert_cmpint(take(&r, false, 0), ==, expected[i]);
    }
    ww_harness_free(r.h);
}

/* An input gives several packets in one transfer when they go to ascending outputs, one when they descend. */
static void test_several_from_one_input(void)
{
    Rig r = rig_new(1, 3, NULL, 8, 4);
    put(&r, false, 0, 0, 1);
    put(&r, false, 0, 2, 2);
    put(&r, false, 0, 1, 3);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 0), ==, 1);
    g_assert_cmpint(take(&r, false, 2), ==, 2);
    g_assert_cmpint(take(&r, false, 1), ==, -1);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 1), ==, 3);
    ww_harness_free(r.h);
}

/* one_per_input: the second packet waits for the next transfer, wherever it goes. */
static void test_one_from_an_input(void)
{
    Rig r = rig_new(2, 3, "one_per_input=true", 8, 4);
    put(&r, false, 0, 0, 1);
    put(&r, false, 0, 2, 2);
    put(&r, false, 1, 1, 3);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 0), ==, 1);
    g_assert_cmpint(take(&r, false, 1), ==, 3);
    g_assert_cmpint(take(&r, false, 2), ==, -1);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 2), ==, 2);
    ww_harness_free(r.h);
}

static void test_full_output(void)
{
    Rig r = rig_new(2, 2, NULL, 4, 1);
    put(&r, false, 0, 0, 1);
    put(&r, false, 1, 0, 2);
    ww_harness_step(r.h, 3);
    g_assert_cmpuint(ww_harness_stat(r.h, "output_full", 0), ==, 2);
    g_assert_cmpint(take(&r, false, 0), ==, 1);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 0), ==, 2);
    ww_harness_free(r.h);
}

static void test_directions_are_independent(void)
{
    Rig r = rig_new(2, 2, NULL, 4, 4);
    put(&r, false, 0, 1, 1);
    put(&r, true, 1, 0, 2);
    ww_harness_step(r.h, 1);
    g_assert_cmpint(take(&r, false, 1), ==, 1);
    g_assert_cmpint(take(&r, true, 0), ==, 2);
    ww_harness_free(r.h);
}

/* ---- a plain model of both arbiters ----------------------------------------------------------------------------- */

enum { NODES = 12, DEPTH = 3 };

typedef struct Plain {
    int64_t in[NODES][64]; /* serial * 64 + output */
    int n_in[NODES], n_out[NODES], next[NODES], pointer;
    int64_t out[NODES][DEPTH];
    uint64_t packets, conflicts, active, active_conflicts, active_packets, full, held_in, held_out;
} Plain;

static void plain_move(Plain *p, int i, int o)
{
    p->out[o][p->n_out[o]++] = p->in[i][0] / 64;
    memmove(&p->in[i][0], &p->in[i][1], sizeof p->in[i] - sizeof p->in[i][0]);
    p->n_in[i]--;
    p->packets++;
}

/* Heads whose output a head before wants, and how many inputs are not empty. */
static uint32_t plain_conflicts(const Plain *p, uint32_t *heads)
{
    uint32_t n = 0;
    bool wanted[NODES] = {false};
    *heads = 0;
    for (int i = 0; i < NODES; i++) {
        if (p->n_in[i] != 0) {
            bool *w = &wanted[p->in[i][0] % 64];
            n += *w;
            *w = true;
            ++*heads;
        }
    }
    return n;
}

static void plain_transfer(Plain *p, bool islip, uint32_t *conflicts)
{
    bool used[NODES] = {false};
    for (int a = 0; a < NODES; a++) {
        for (int b = 0; b < NODES; b++) {
            int o = islip ? a : 0, i = islip ? (b + p->next[a]) % NODES : (a + p->pointer) % NODES;
            if (islip && p->n_out[o] >= DEPTH) {
                p->full++;
                break;
            }
            if (p->n_in[i] != 0 && (!islip || p->in[i][0] % 64 == o)) {
                o = (int)(p->in[i][0] % 64);
                if (islip || (!used[o] && p->n_out[o] < DEPTH)) {
                    used[o] = true;
                    plain_move(p, i, o);
                    p->next[o] = (i + 1) % NODES;
                } else {
                    p->full += p->n_out[o] >= DEPTH;
                    *conflicts += used[o];
                }
                break;
            }
            if (!islip) {
                break;
            }
        }
    }
    p->pointer = (p->pointer + 1) % NODES;
}

static void plain_step(Plain *p, bool islip)
{
    uint32_t heads, conflicts = plain_conflicts(p, &heads);
    uint64_t before = p->packets;
    conflicts = islip ? conflicts : 0; /* the other arbiter counts as it goes */
    plain_transfer(p, islip, &conflicts);
    p->conflicts += conflicts;
    if (heads != 0) {
        p->active++;
        p->active_conflicts += conflicts;
        p->active_packets += p->packets - before;
    }
    for (int i = 0; i < NODES; i++) {
        p->held_in += (uint64_t)p->n_in[i];
        p->held_out += (uint64_t)p->n_out[i];
    }
}

static void compare_counts(WwHarness *h, const Plain *p, uint64_t transfers)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"transfers", transfers},
        {"packets", p->packets},
        {"conflicts", p->conflicts},
        {"active_transfers", p->active},
        {"active_conflicts", p->active_conflicts},
        {"active_packets", p->active_packets},
        {"output_full", p->full},
        {"input_occupancy", p->held_in},
        {"output_occupancy", p->held_out},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_test_message("%s", counts[i].name);
        g_assert_cmpuint(ww_harness_stat(h, counts[i].name, 0), ==, counts[i].value);
    }
}

/* Requests among 7 clusters and 5 slices, against loops over all nodes. */
static void compare_with_plain(bool islip, uint32_t seed, bool no_sleep)
{
    enum { CLUSTERS = 7 };
    Rig r = rig_new(CLUSTERS, NODES - CLUSTERS, islip ? NULL : "arbiter=round_robin", 64, DEPTH);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Plain *p = g_new0(Plain, 1);
    ww_machine_set_no_sleep(ww_harness_machine(r.h), no_sleep);
    int64_t serial = 0;
    for (int t = 0; t < 400; t++) {
        for (int i = 0; i < CLUSTERS; i++) {
            if (t % 100 < 60 && p->n_in[i] < 60 && g_rand_int_range(random, 0, 3) == 0) {
                int o = CLUSTERS + g_rand_int_range(random, 0, NODES - CLUSTERS);
                g_assert_true(
                    put(&r, false, (uint32_t)i, (uint32_t)(o - CLUSTERS), (uint64_t)serial));
                p->in[i][p->n_in[i]++] = serial++ * 64 + o;
            }
        }
        ww_harness_step(r.h, 1);
        plain_step(p, islip);
        for (int o = CLUSTERS; o < NODES; o++) {
            if (g_rand_boolean(random)) {
                int64_t expected = p->n_out[o] != 0 ? p->out[o][0] : -1;
                g_assert_cmpint(take(&r, false, (uint32_t)(o - CLUSTERS)), ==, expected);
                if (expected >= 0) {
                    memmove(&p->out[o][0], &p->out[o][1], sizeof p->out[o] - sizeof p->out[o][0]);
                    p->n_out[o]--;
                }
            }
        }
    }
    g_assert_cmpint(serial, >, 100);
    compare_counts(r.h, p, 400);
    g_free(p);
    ww_harness_free(r.h);
}

static void test_plain_islip(void)
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        compare_with_plain(true, seed, seed % 2);
    }
}

static void test_plain_round_robin(void)
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        compare_with_plain(false, seed, seed % 2);
    }
}

/* ---- cluster port ----------------------------------------------------------------------------------------------- */

static WwHarness *port_new(const char *params)
{
    WwHarness *h = ww_harness_new(registry, "cluster_port", params);
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

static WwMemNote *new_note(WwHarness *h, WwCycle birth, WwCycle stamp)
{
    WwMemNote *note = ww_harness_alloc(h, sizeof *note);
    *note = (WwMemNote){.birth = birth, .stamp = stamp};
    return note;
}

/* From creation, and from the reply network, to the hand-over; whoever averages is told. Without instruction lines. */
static void test_port_latency(void)
{
    WwHarness *h = ww_harness_new(registry, "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "data[0]", "depth=16");
    ww_harness_channel(h, "inst[0]", "depth=16");
    WwFakeLatency *told = ww_harness_fill(h, "latency", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_step(h, 100);
    for (uint32_t i = 0; i < 3; i++) { /* taken in cycles 100, 101, 102, handed over one later */
        WwMemReq *q = ww_harness_alloc(h, sizeof *q);
        *q = (WwMemReq){.size = 32,
                        .note = new_note(h, 1, 95),
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
    WwHarness *h = ww_harness_new(registry, "cluster_port", NULL);
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
                        .note = new_note(h, 10, 7),
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

/* Without room in the SM it waits, and sends no acknowledgement on ahead of it. */
static void test_port_direct_waits(void)
{
    WwHarness *h = ww_harness_new(registry, "cluster_port", NULL);
    ww_harness_channel(h, "net", "depth=16");
    ww_harness_channel(h, "direct", "depth=2");
    ww_harness_channel(h, "data[0]", "depth=1");
    g_assert_true(ww_harness_start(h, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        WwMemReq *q = ww_harness_alloc(h, sizeof *q);
        *q = (WwMemReq){.size = 32, .serial = i, .type = WW_ACCESS_GLOBAL_R};
        g_assert_true(ww_harness_put(h, "direct", -1, ww_token_of(q)));
    }
    ww_harness_step(h, 5);
    g_assert_cmpuint(ww_harness_count(h, "direct"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "blocked", 0), ==, 4);
    ww_harness_free(h);
}

/* A crossbar to which nobody sends requests only counts its cycles. */
static void test_silent(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "xbar.local", NULL);
    ww_harness_channel(h, "reply_out[0]", "depth=4");
    ww_harness_channel(h, "request_out[0]", "depth=4");
    ww_harness_channel(h, "reply_in[0]", "depth=4");
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_step(h, 7);
    g_assert_cmpuint(ww_harness_stat(h, "transfers", 0), ==, 7);
    g_assert_cmpuint(ww_harness_stat(h, "transfers", 1), ==, 7);
    g_assert_cmpuint(ww_harness_stat(h, "active_transfers", 0), ==, 0);
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    registry = test_registry();
    g_test_add_func("/interconnect/xbar/one-packet", test_one_packet);
    g_test_add_func("/interconnect/xbar/late-input", test_late_input);
    g_test_add_func("/interconnect/xbar/output-takes-one", test_output_takes_one);
    g_test_add_func("/interconnect/xbar/pointer", test_pointer);
    g_test_add_func("/interconnect/xbar/several-from-one-input", test_several_from_one_input);
    g_test_add_func("/interconnect/xbar/one-from-an-input", test_one_from_an_input);
    g_test_add_func("/interconnect/xbar/full-output", test_full_output);
    g_test_add_func("/interconnect/xbar/directions", test_directions_are_independent);
    g_test_add_func("/interconnect/xbar/plain-islip", test_plain_islip);
    g_test_add_func("/interconnect/xbar/plain-round-robin", test_plain_round_robin);
    g_test_add_func("/interconnect/port/direct", test_port_direct);
    g_test_add_func("/interconnect/port/direct-waits", test_port_direct_waits);
    g_test_add_func("/interconnect/xbar/silent", test_silent);
    g_test_add_func("/interconnect/port/pace", test_port_pace);
    g_test_add_func("/interconnect/port/head-blocks", test_port_head_blocks);
    g_test_add_func("/interconnect/port/instructions", test_port_instructions);
    g_test_add_func("/interconnect/port/traffic", test_port_traffic);
    g_test_add_func("/interconnect/port/latency", test_port_latency);
    g_test_add_func("/interconnect/port/depth", test_port_depth);
    register_routed_tests();
    register_routed_router_tests();
    register_alloc_tests();
    return test_run();
}
