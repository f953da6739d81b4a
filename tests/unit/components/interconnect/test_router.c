/* SPDX-License-Identifier: Apache-2.0 */
/* Routers of the routed network under load: virtual channels, credits, speedups, limits. */
#include "tests.h"

/* Cycles until all of @p packets from each of @p clusters to one slice were taken, one a cycle. */
static uint64_t drain(const char *params, uint32_t clusters, uint32_t packets, uint32_t size)
{
    g_autofree char *all = g_strconcat("input_buffer_size=1000 ", params, NULL);
    Net n = net_new(clusters, 2, all);
    for (uint32_t c = 0; c < clusters; c++) {
        for (uint32_t i = 0; i < packets; i++) {
            g_assert_true(net_put_write(&n, c, 1, size, c * packets + i));
        }
    }
    uint32_t taken = 0;
    while (taken < clusters * packets) {
        g_assert_cmpuint(ww_harness_now(n.h), <, 5000);
        ww_harness_step(n.h, 1);
        taken += net_take(&n, false, 1) >= 0;
    }
    uint64_t now = ww_harness_now(n.h);
    ww_harness_free(n.h);
    return now;
}

/* An output serves its inputs in turns. */
static void test_fair(void)
{
    Net n = net_new(3, 1, "input_buffer_size=100");
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < 5; i++) {
            net_put(&n, false, c, 0, 32, c);
        }
    }
    ww_harness_step(n.h, 8);
    uint32_t of[3] = {0};
    for (uint32_t i = 0; i < 9; i++) {
        int64_t c;
        while ((c = net_take(&n, false, 0)) < 0) {
            ww_harness_step(n.h, 1);
        }
        of[c]++;
        g_assert_cmpuint(of[c], <=, i / 3 + 1);
    }
    ww_harness_free(n.h);
}

/* A flit a cycle and input, when every packet has its channel before the last one's end. */
static void test_pace(void)
{
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=32", 1, 8, 128), ==,
                     7 + 31 + 8 - 1); /* 4 flits; one channel: a cycle between packets */
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=32 internal_speedup=2", 1, 8, 128), ==,
                     6 + 31);
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=32 num_vcs=2", 1, 8, 128), ==, 7 + 31);
}

/* With few places the flits wait for credits: two links and the router's stages round. */
static void test_credits(void)
{
    uint64_t many = drain("flit_size=34 vc_buf_size=16", 1, 8, 128);
    uint64_t two = drain("flit_size=34 vc_buf_size=2", 1, 8, 128);
    uint64_t one = drain("flit_size=34 vc_buf_size=1", 1, 8, 128);
    g_assert_cmpuint(two, >, many);
    g_assert_cmpuint(one, >, two);
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=1 credit_delay=3", 1, 8, 128), ==,
                     one + 3 * 31);
    g_assert_cmpuint(drain("flit_size=34 buf_size=2 num_vcs=2", 1, 8, 128), ==,
                     drain("flit_size=34 vc_buf_size=1 num_vcs=2", 1, 8, 128));
}

/* A channel is free again when the tail was sent, or only when its credit is back. */
static void test_tail_credit(void)
{
    uint64_t soon = drain("flit_size=34 vc_buf_size=32", 1, 8, 128);
    uint64_t late = drain("flit_size=34 vc_buf_size=32 wait_for_tail_credit=true", 1, 8, 128);
    g_assert_cmpuint(late, >=, soon + 7 * 4);
    /* which is its own, not that of the packet before: with room for one flit it is empty again and again in the middle of one */
    const char *net = "k=2 n=3 flit_size=34 vc_buf_size=1 wait_for_tail_credit=true";
    g_assert_cmpuint(drain(net, 4, 6, 128), ==, 513);
}

/* Packets of two inputs for two outputs, in each input behind one for the other: two ways in let both go. */
static uint64_t crossed(const char *params)
{
    g_autofree char *all = g_strconcat("input_buffer_size=1000 flit_size=34 vc_buf_size=4 "
                                       "num_vcs=2 read_request_vcs=[0,0] write_request_vcs=[1,1] ",
                                       params, NULL);
    Net n = net_new(1, 2, all);
    for (uint64_t i = 0; i < 12; i++) { /* reads to slice 0, writes to slice 1 */
        net_put(&n, false, 0, 0, 32, i);
        net_put_write(&n, 0, 1, 26, i);
    }
    uint32_t taken = 0;
    while (taken < 24) {
        g_assert_cmpuint(ww_harness_now(n.h), <, 5000);
        ww_harness_step(n.h, 1);
        taken += (net_take(&n, false, 0) >= 0) + (net_take(&n, false, 1) >= 0);
    }
    uint64_t now = ww_harness_now(n.h);
    ww_harness_free(n.h);
    return now;
}

static void test_input_speedup(void)
{
    /* the link brings a flit a cycle: the switch is no narrower, but with one way in a cycle is lost where both want it */
    g_assert_cmpuint(crossed("input_speedup=2"), <=, crossed("input_speedup=1"));
    g_assert_cmpuint(drain("flit_size=34 num_vcs=4 input_speedup=4 output_speedup=2", 4, 6, 128),
                     >=, 4 * 6 * 4);
}

/* Two ways out: two flits a cycle cross the switch, the link still takes one. */
static void test_output_speedup(void)
{
    uint64_t one = drain("flit_size=34 vc_buf_size=4 num_vcs=2", 2, 10, 128);
    uint64_t two = drain("flit_size=34 vc_buf_size=4 num_vcs=2 output_speedup=2", 2, 10, 128);
    g_assert_cmpuint(two, <=, one);
    g_assert_cmpuint(two, >=, 2 * 10 * 4 + 6);
}

/* A bound behind the switch keeps flits before it; they come out all the same. */
static void test_output_buffer(void)
{
    uint64_t any = drain("flit_size=34 internal_speedup=3 vc_buf_size=16", 3, 6, 128);
    uint64_t one = drain(
        "flit_size=34 internal_speedup=3 vc_buf_size=16 output_buffer_size=1 st_final_delay=2", 3,
        6, 128);
    uint64_t two =
        drain("flit_size=34 internal_speedup=3 vc_buf_size=16 st_final_delay=2", 3, 6, 128);
    g_assert_cmpuint(any, >=, 3 * 6 * 4);
    g_assert_cmpuint(one, >=, two);
}

/*
 * Nothing begins a stage behind what has begun it, as in the reference. In the switch, where flits gather meanwhile, two then begin
 * together and little is lost; for the switch there is but one at a time: its two cycles halve the pace.
 */
static void test_stages_block(void)
{
    uint64_t base = drain("flit_size=34 vc_buf_size=32", 1, 4, 128);
    g_assert_cmpuint(base, ==, 7 + 15 + 3);
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=32 st_final_delay=2", 1, 4, 128), ==,
                     base + 2);
    g_assert_cmpuint(drain("flit_size=34 vc_buf_size=32 sw_alloc_delay=2", 1, 4, 128), ==,
                     base + 16);
}

/* All kinds of allocators bring all packets through, also where packets interleave. */
static void test_all_allocators(void)
{
    static const char *const names[] = {
        "islip",     "separable_input_first", "separable_output_first",
        "wavefront", "rr_wavefront",          "loa"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        for (int matrix = 0; matrix < 2; matrix++) {
            g_autofree char *params = g_strdup_printf(
                "flit_size=34 num_vcs=3 vc_buf_size=2 vc_allocator=%s sw_allocator=%s "
                "vc_arbiter=%s sw_arbiter=%s vc_shuffle_requests=%s",
                names[i], names[i], matrix ? "matrix" : "round_robin",
                matrix ? "matrix" : "round_robin", matrix ? "true" : "false");
            g_assert_cmpuint(drain(params, 4, 6, 128), >=, 4 * 6 * 4);
        }
    }
}

/* A full channel may be asked for, or not. */
static void test_busy_when_full(void)
{
    const char *net = "k=2 n=3 flit_size=34 vc_buf_size=1 num_vcs=2";
    g_autofree char *busy = g_strconcat(net, " vc_busy_when_full=true", NULL);
    g_assert_cmpuint(drain(busy, 4, 8, 60), !=, drain(net, 4, 8, 60));
}

void register_routed_router_tests(void)
{
    g_test_add_func("/interconnect/router/fair", test_fair);
    g_test_add_func("/interconnect/router/pace", test_pace);
    g_test_add_func("/interconnect/router/credits", test_credits);
    g_test_add_func("/interconnect/router/tail-credit", test_tail_credit);
    g_test_add_func("/interconnect/router/input-speedup", test_input_speedup);
    g_test_add_func("/interconnect/router/output-speedup", test_output_speedup);
    g_test_add_func("/interconnect/router/output-buffer", test_output_buffer);
    g_test_add_func("/interconnect/router/stages-block", test_stages_block);
    g_test_add_func("/interconnect/router/allocators", test_all_allocators);
    g_test_add_func("/interconnect/router/busy-when-full", test_busy_when_full);
}
