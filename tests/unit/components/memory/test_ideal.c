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

static void put_code(WwHarness *h, uint64_t serial, WwAccessType type)
{
    WwMemReq *q = put(h, serial);
    q->type = type;
    q->write = q->atomic = false;
}

static void put_inst(WwHarness *h, uint64_t serial)
{
    put_code(h, serial, WW_ACCESS_INST_R);
}

static uint64_t taken(WwHarness *h, const char *port)
{
    WwToken t;
    g_assert_true(ww_harness_take(h, port, NULL, &t));
    const WwMemReq *q = ww_token_pointer(t);
    g_assert_true(q->response);
    return q->serial;
}

/* Instruction lines and constants leave through `inst`, in their place in the order. */
static void instructions(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "memory.ideal", "latency=5");
    ww_harness_channel(h, "req", "depth=64");
    ww_harness_channel(h, "resp", "depth=1");
    ww_harness_channel(h, "inst", "depth=1");
    ww_harness_start(h, NULL);
    put(h, 0);
    put_inst(h, 1);
    put(h, 2);
    put_code(h, 3, WW_ACCESS_CONST_R);
    ww_harness_step(h, 6);
    g_assert_cmpuint(ww_harness_count(h, "inst"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "inst"), ==, 1);
    ww_harness_step(h, 20); /* number 2 has no room, and 3 waits behind it */
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(taken(h, "inst"), ==, 1);
    ww_harness_step(h, 3);
    g_assert_cmpuint(ww_harness_count(h, "inst"), ==, 0);
    g_assert_cmpuint(taken(h, "resp"), ==, 0);
    ww_harness_step(h, 2);
    g_assert_cmpuint(taken(h, "resp"), ==, 2);
    g_assert_cmpuint(taken(h, "inst"), ==, 3);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

/* The next line waits for room in `inst`, whatever room the others have. */
static void instructions_full(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "memory.ideal", "latency=5");
    ww_harness_channel(h, "req", "depth=64");
    ww_harness_channel(h, "resp", "depth=8");
    ww_harness_channel(h, "inst", "depth=1");
    ww_harness_start(h, NULL);
    put_inst(h, 0);
    put_inst(h, 1);
    put(h, 2);
    ww_harness_step(h, 20);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_count(h, "resp"), ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "blocked", 0), ==, 14);
    g_assert_cmpuint(taken(h, "inst"), ==, 0); /* the freed slot wakes it */
    ww_harness_step(h, 2);
    g_assert_cmpuint(taken(h, "inst"), ==, 1);
    g_assert_cmpuint(taken(h, "resp"), ==, 2);
    ww_harness_free(h);
}

/* Without `inst` they leave with the others. */
static void instructions_together(void)
{
    WwHarness *h = open("latency=5", "depth=4");
    put_inst(h, 7);
    ww_harness_step(h, 6);
    g_assert_cmpuint(taken(h, "resp"), ==, 7);
    ww_harness_free(h);
}

void register_ideal_tests(void)
{
    g_test_add_func("/memory/ideal/latency", latency);
    g_test_add_func("/memory/ideal/bandwidth_and_order", bandwidth_and_order);
    g_test_add_func("/memory/ideal/back_pressure", back_pressure);
    g_test_add_func("/memory/ideal/instructions", instructions);
    g_test_add_func("/memory/ideal/instructions_full", instructions_full);
    g_test_add_func("/memory/ideal/instructions_together", instructions_together);
}
