/* SPDX-License-Identifier: Apache-2.0 */
/* Several requesters behind one port of the memory. */
#include "tests.h"

#include <string.h>

static WwHarness *router_new(const char *params, const char *out, uint32_t n)
{
    WwHarness *h = ww_harness_new(test_registry(), "reply_router", params);
    ww_harness_channel(h, "out", out);
    ww_harness_channel(h, "replies", "depth=16");
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *in = g_strdup_printf("in[%u]", i), *to = g_strdup_printf("to[%u]", i);
        ww_harness_channel(h, in, "depth=8");
        ww_harness_channel(h, to, "depth=1");
    }
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

static WwMemReq *ask(WwHarness *h, uint32_t k, uint64_t serial)
{
    g_autofree char *in = g_strdup_printf("in[%u]", k);
    WwMemReq *q = ww_harness_alloc(h, sizeof *q);
    *q = (WwMemReq){.size = 32, .serial = serial, .type = WW_ACCESS_GLOBAL_R};
    g_assert_true(ww_harness_put(h, in, -1, ww_token_of(q)));
    return q;
}

static WwMemReq *take(WwHarness *h, const char *port)
{
    WwToken t;
    return ww_harness_take(h, port, NULL, &t) ? ww_token_mem(t) : NULL;
}

/* One a cycle goes on, the requesters in turn; each answer goes back to who asked, in whatever order answers come. */
static void test_router_turns(void)
{
    g_autoptr(WwHarness) h = router_new(NULL, "depth=16", 3);
    static const uint32_t from[] = {0, 0, 1, 2, 2}, order[] = {0, 2, 3, 1, 4};
    WwMemReq *req[G_N_ELEMENTS(from)];
    for (uint32_t i = 0; i < G_N_ELEMENTS(from); i++) {
        req[i] = ask(h, from[i], i);
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(from); i++) {
        ww_harness_step(h, 1);
        g_assert_true(take(h, "out") == req[order[i]]);
        g_assert_null(take(h, "out"));
    }
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_asleep(h));
    for (uint32_t i = 5; i-- > 0;) {
        g_autofree char *to = g_strdup_printf("to[%u]", from[i]);
        g_assert_true(ww_harness_put(h, "replies", -1, ww_token_of(req[i])));
        ww_harness_step(h, 1);
        g_assert_true(take(h, to) == req[i]);
        g_assert_cmpuint(req[i]->way, ==, 0); /* as the requester made it */
    }
    g_assert_cmpuint(ww_harness_stat(h, "forwarded", 0), ==, 5);
    g_assert_cmpuint(ww_harness_stat(h, "returned", 0), ==, 5);
}

static void test_router_bandwidth(void)
{
    g_autoptr(WwHarness) h = router_new("bandwidth=3", "depth=16", 2);
    for (uint32_t i = 0; i < 4; i++) {
        ask(h, i % 2, i);
    }
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 3);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 4);
}

/* Without room towards memory nobody passes another; the cycles are counted, slept through or not. */
static void test_router_out_full(void)
{
    g_autoptr(WwHarness) h = router_new(NULL, "depth=1", 2);
    WwMemReq *first = ask(h, 0, 0), *second = ask(h, 1, 1);
    ww_harness_step(h, 6);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "out_full", 0), ==, 5);
    g_assert_true(take(h, "out") == first);
    ww_harness_step(h, 1);
    g_assert_true(take(h, "out") == second);
}

/* The answer at the head waits for its requester, and others behind it. */
static void test_router_head_blocks(void)
{
    g_autoptr(WwHarness) h = router_new(NULL, "depth=16", 2);
    WwMemReq *req[] = {ask(h, 0, 0), ask(h, 0, 1), ask(h, 1, 2)};
    ww_harness_step(h, 4);
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_true(ww_harness_put(h, "replies", -1, ww_token_of(req[i])));
    }
    ww_harness_step(h, 6);
    g_assert_cmpuint(ww_harness_count(h, "to[0]"), ==, 1);
    g_assert_cmpuint(ww_harness_count(h, "to[1]"), ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "to_full", 0), ==, 5);
    take(h, "to[0]");
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "to[1]"), ==, 1);
}

/* The parts of a split request know the way, and routers behind one another each have their own. */
static void test_router_ways(void)
{
    WwMemReq req = {0};
    g_assert_true(ww_mem_went(&req, 2, 3));
    g_assert_true(ww_mem_went(&req, 1, 4));
    WwMemReq part = req;
    for (WwMemReq *r = &req;; r = &part) {
        g_assert_cmpuint(ww_mem_way(r, 4), ==, 1);
        ww_mem_back(r, 4);
        g_assert_cmpuint(ww_mem_way(r, 3), ==, 2);
        ww_mem_back(r, 3);
        g_assert_cmpuint(r->way, ==, 0);
        if (r == &part) {
            break;
        }
    }
    g_assert_true(ww_mem_went(&req, 15, 16));
    g_assert_false(ww_mem_went(&req, 15, 16));
}

/* More of them than a request can tell apart ends the run. */
static void test_router_too_many(void)
{
    g_autoptr(WwHarness) h = router_new(NULL, "depth=16", 2);
    ask(h, 1, 0)->way = WW_MEM_WAYS - 1;
    ww_harness_step(h, 2);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_nonnull(error);
    g_assert_nonnull(strstr(error->message, "more than 64 requesters"));
}

static void test_router_pairs(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "reply_router", NULL);
    g_autoptr(GError) error = NULL;
    ww_harness_channel(h, "out", NULL);
    ww_harness_channel(h, "replies", NULL);
    ww_harness_channel(h, "in[0]", NULL);
    ww_harness_channel(h, "in[1]", NULL);
    ww_harness_channel(h, "to[0]", NULL);
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "2 ports `in` are bound and 1 ports `to`"));
}

void register_reply_router_tests(void)
{
    g_test_add_func("/interconnect/reply-router/turns", test_router_turns);
    g_test_add_func("/interconnect/reply-router/bandwidth", test_router_bandwidth);
    g_test_add_func("/interconnect/reply-router/out-full", test_router_out_full);
    g_test_add_func("/interconnect/reply-router/head-blocks", test_router_head_blocks);
    g_test_add_func("/interconnect/reply-router/ways", test_router_ways);
    g_test_add_func("/interconnect/reply-router/too-many", test_router_too_many);
    g_test_add_func("/interconnect/reply-router/pairs", test_router_pairs);
}
