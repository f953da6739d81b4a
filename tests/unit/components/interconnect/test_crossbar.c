/* SPDX-License-Identifier: Apache-2.0 */
/* The local crossbar. */
#include <string.h>

#include "tests.h"

typedef struct Rig {
    WwHarness *h;
    uint32_t clusters, slices;
} Rig;

static Rig rig_late(uint32_t clusters, uint32_t slices, const char *params, uint32_t in_depth,
                    uint32_t latency, uint32_t out_depth)
{
    Rig r = {ww_harness_new(test_registry(), "xbar.local", params), clusters, slices};
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

/* A crossbar that does not lead to all slices, or clusters, says so of the first packet for another; with both arbiters. */
static void test_no_way(void)
{
    for (int k = 0; k < 4; k++) {
        bool reply = k & 1;
        Rig r = rig_new(2, 3, k < 2 ? NULL : "arbiter=round_robin", 4, 4);
        put(&r, reply, 0, reply ? 300 : 3, 7);
        ww_harness_step(r.h, 1);
        const GError *error = ww_machine_error(ww_harness_machine(r.h));
        g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
        g_assert_nonnull(
            strstr(error->message,
                   reply ? "a reply for cluster 300 came in, and 2 are bound to reply_out"
                         : "a request for slice 3 came in, and 3 are bound to request_out"));
        ww_harness_free(r.h);
    }
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

/* pointer_passes: behind input 0 comes input 2, not 1; requests begin with input 1, replies with input 0. */
static void test_pointer_passes(void)
{
    Rig r = rig_new(4, 4, "pointer_passes=true", 8, 4);
    static const int requests[] = {1, 3, 0, 2, 0, 2, 1, 3};
    static const int replies[] = {0, 2, 0, 2, 1, 3, 1, 3};
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t n = 0; n < 2; n++) {
            put(&r, false, i, 0, i);
            put(&r, true, i, 0, i);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(requests); i++) {
        ww_harness_step(r.h, 1);
        g_assert_cmpint(take(&r, false, 0), ==, requests[i]);
        g_assert_cmpint(take(&r, true, 0), ==, replies[i]);
    }
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

/* A crossbar to which nobody sends requests only counts its cycles. */
static void test_silent(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "xbar.local", NULL);
    ww_harness_channel(h, "reply_out[0]", "depth=4");
    ww_harness_channel(h, "request_out[0]", "depth=4");
    ww_harness_channel(h, "reply_in[0]", "depth=4");
    g_assert_true(ww_harness_start(h, NULL));
    ww_harness_step(h, 7);
    g_assert_cmpuint(ww_harness_stat(h, "transfers", 0), ==, 7);
    g_assert_cmpuint(ww_harness_stat(h, "transfers", 1), ==, 7);
    g_assert_cmpuint(ww_harness_stat(h, "active_transfers", 0), ==, 0);
}

/* One for requests, or for replies, only counts transfers of these. */
static void one_way(bool reply)
{
    Rig r = {.h = ww_harness_new(test_registry(), "xbar.local", NULL), .clusters = 2, .slices = 2};
    for (uint32_t i = 0; i < 2; i++) {
        g_autofree char *a = g_strdup_printf("%s_in[%u]", reply ? "reply" : "request", i),
                        *b = g_strdup_printf("%s_out[%u]", reply ? "reply" : "request", i);
        ww_harness_channel(r.h, a, "depth=4");
        ww_harness_channel(r.h, b, "depth=4");
    }
    g_assert_true(ww_harness_start(r.h, NULL));
    put(&r, reply, 0, 1, 5);
    ww_harness_step(r.h, 7);
    g_assert_cmpint(take(&r, reply, 1), ==, 5);
    g_assert_cmpuint(ww_harness_stat(r.h, "transfers", reply), ==, 7);
    g_assert_cmpuint(ww_harness_stat(r.h, "transfers", !reply), ==, 0);
    g_assert_cmpuint(ww_harness_stat(r.h, "packets", reply), ==, 1);
    ww_harness_free(r.h);
}

static void test_one_way(void)
{
    one_way(false);
    one_way(true);
}

void register_crossbar_tests(void)
{
    g_test_add_func("/interconnect/xbar/one-packet", test_one_packet);
    g_test_add_func("/interconnect/xbar/no-way", test_no_way);
    g_test_add_func("/interconnect/xbar/late-input", test_late_input);
    g_test_add_func("/interconnect/xbar/output-takes-one", test_output_takes_one);
    g_test_add_func("/interconnect/xbar/pointer", test_pointer);
    g_test_add_func("/interconnect/xbar/several-from-one-input", test_several_from_one_input);
    g_test_add_func("/interconnect/xbar/one-from-an-input", test_one_from_an_input);
    g_test_add_func("/interconnect/xbar/pointer-passes", test_pointer_passes);
    g_test_add_func("/interconnect/xbar/full-output", test_full_output);
    g_test_add_func("/interconnect/xbar/directions", test_directions_are_independent);
    g_test_add_func("/interconnect/xbar/plain-islip", test_plain_islip);
    g_test_add_func("/interconnect/xbar/plain-round-robin", test_plain_round_robin);
    g_test_add_func("/interconnect/xbar/silent", test_silent);
    g_test_add_func("/interconnect/xbar/one-way", test_one_way);
}
