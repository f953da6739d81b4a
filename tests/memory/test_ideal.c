/* SPDX-License-Identifier: Apache-2.0 */
/* memory.ideal: latency, bandwidth, order, back-pressure, sleep. */
#include "tests.h"

static WwHarness *open(const char *params, const char *resp)
{
    WwHarness *h = ww_harness_new(test_registry(), "memory.ideal", params);
    ww_harness_channel(h, "req", "depth=64");
    ww_harness_channel(h, "resp", resp);
    ww_harness_start(h, NULL);
    return h;
}

static WwMemReq *put(WwHarness *h, uint64_t serial)
{
    WwMemReq *q = ww_harness_alloc(h, sizeof *q);
    q->serial = serial;
    q->size = 32;
    q->write = serial % 3 == 1;
    q->atomic = serial % 3 == 2;
    g_assert_true(ww_harness_put(h, "req", 0, ww_token_of(q)));
    return q;
}

/* Taken in cycle 0, answered in cycle 10, the same handle. */
static void latency(void)
{
    WwHarness *h = open("latency=10", "depth=4");
    WwMemReq *q = put(h, 0);
    WwToken t;
    ww_harness_step(h, 10);
    g_assert_cmpuint(ww_harness_count(h, "resp"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_take(h, "resp", NULL, &t));
    g_assert_true(ww_token_pointer(t) == q && q->response);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

static void bandwidth_and_order(void)
{
    for (uint32_t b = 1; b <= 4; b *= 2) {
        g_autofree char *params = g_strdup_printf("latency=7 bandwidth=%u", b);
        WwHarness *h = open(params, "depth=64");
        for (uint64_t k = 0; k < 16; k++) {
            put(h, k);
        }
        ww_harness_step(h, 8);
        for (uint64_t k = 0; k < 16; k++) {
            WwToken t;
            g_assert_cmpuint(ww_harness_count(h, "resp"), ==, b - k % b);
            g_assert_true(ww_harness_take(h, "resp", NULL, &t));
            g_assert_cmpuint(((WwMemReq *)ww_token_pointer(t))->serial, ==, k);
            ww_harness_step(h, k % b == b - 1);
        }
        g_assert_cmpuint(ww_harness_stat(h, "n_read", 0), ==, 6);
        g_assert_cmpuint(ww_harness_stat(h, "n_write", 0), ==, 5);
        g_assert_cmpuint(ww_harness_stat(h, "n_atomic", 0), ==, 5);
        g_assert_cmpuint(ww_harness_stat(h, "bytes", 0), ==, 512);
        ww_harness_free(h);
    }
}

/* With nobody to take answers it fills up, sleeps, counts, and goes on where it stood. */
static void back_pressure(void)
{
    WwHarness *h = open("latency=4 bandwidth=2", "depth=1");
    for (uint64_t k = 0; k < 20; k++) {
        put(h, k);
    }
    ww_harness_step(h, 50);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_count(h, "req"), ==, 20 - 10 - 1);
    g_assert_cmpuint(ww_harness_stat(h, "blocked", 0), ==, 46);
    for (uint64_t k = 0; k < 20; k++) {
        WwToken t;
        g_assert_true(ww_harness_take(h, "resp", NULL, &t));
        g_assert_cmpuint(((WwMemReq *)ww_token_pointer(t))->serial, ==, k);
        ww_harness_step(h, 1);
    }
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

void register_ideal_tests(void)
{
    g_test_add_func("/memory/ideal/latency", latency);
    g_test_add_func("/memory/ideal/bandwidth_and_order", bandwidth_and_order);
    g_test_add_func("/memory/ideal/back_pressure", back_pressure);
}
