/* SPDX-License-Identifier: Apache-2.0 */
/* The flush of the L2 between fake clusters and fake slices. */
#include "tests.h"

#include <testing/fake_l2_control.h>

enum { CLUSTERS = 3, SLICES = 4 };

typedef struct Bench {
    WwHarness *h;
    WwFakeCluster *cluster[CLUSTERS];
    WwFakeL2Control *slice[SLICES];
} Bench;

static Bench bench(const char *params)
{
    Bench b = {.h = ww_harness_new(test_registry(), "l2_flush", params)};
    for (uint32_t i = 0; i < CLUSTERS; i++) {
        g_autofree char *port = g_strdup_printf("cluster[%u]", i);
        b.cluster[i] = ww_harness_fill(b.h, port, NULL, NULL);
    }
    for (uint32_t i = 0; i < SLICES; i++) {
        g_autofree char *port = g_strdup_printf("slice[%u]", i);
        b.slice[i] = ww_harness_fill(b.h, port, NULL, NULL);
    }
    ww_harness_start(b.h, NULL);
    return b;
}

/* From the first cycle without threads on, to the one in which a CTA was placed; a part of the slices. */
static void test_threads(void)
{
    Bench b = bench("slices=3");
    ww_harness_step(b.h, 1);
    for (uint32_t i = 0; i < SLICES; i++) {
        g_assert_cmpint(b.slice[i]->flushing, ==, i < 3);
    }
    g_assert_cmpuint(b.slice[0]->flush_edge, ==, 0);
    ww_harness_step(b.h, 10);
    g_assert_true(ww_harness_asleep(b.h));
    b.cluster[1]->busy = true;
    ww_fake_cluster_free(b.cluster[1], 0); /* it tells that something has changed */
    ww_harness_step(b.h, 1);
    g_assert_false(b.slice[2]->flushing);
    g_assert_cmpuint(b.slice[2]->flush_edge, ==, 11);
    b.cluster[2]->busy = true;
    b.cluster[1]->busy = false;
    ww_fake_cluster_free(b.cluster[1], 0);
    ww_harness_step(b.h, 3);
    g_assert_false(b.slice[2]->flushing); /* cluster 2 has a CTA */
    b.cluster[2]->busy = false;
    ww_fake_cluster_free(b.cluster[2], 0);
    ww_harness_step(b.h, 3);
    g_assert_true(b.slice[2]->flushing);
    g_assert_cmpuint(b.slice[2]->flush_edge, ==, 15);
    g_assert_cmpuint(b.slice[2]->flushes, ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "flushes", 0), ==, 2);
    ww_harness_free(b.h);
}

/* Every cycle that ends without a thread counts, whether anything happens in it or not. */
static void test_cycles(void)
{
    for (int no_sleep = 0; no_sleep < 2; no_sleep++) {
        Bench b = bench("slices=3");
        ww_machine_set_no_sleep(ww_harness_machine(b.h), no_sleep != 0);
        ww_harness_step(b.h, 7);
        g_assert_cmpuint(ww_harness_stat(b.h, "cycles", 0), ==, 7);
        b.cluster[1]->busy = true;
        ww_fake_cluster_free(b.cluster[1], 0);
        ww_harness_step(b.h, 20);
        g_assert_cmpuint(ww_harness_stat(b.h, "cycles", 0), ==, 7);
        b.cluster[1]->busy = false;
        ww_fake_cluster_free(b.cluster[1], 0);
        ww_harness_step(b.h, 5);
        g_assert_cmpuint(ww_harness_stat(b.h, "cycles", 0), ==, 12);
        ww_harness_free(b.h);
    }
}

static void test_reset(void)
{
    Bench b = bench("slices=4");
    ww_harness_step(b.h, 5);
    ww_harness_reset(b.h);
    g_assert_false(b.slice[3]->flushing);
    ww_harness_step(b.h, 1);
    g_assert_true(b.slice[3]->flushing);
    ww_harness_free(b.h);
}

void register_l2_flush_tests(void)
{
    g_test_add_func("/gpu/l2_flush/threads", test_threads);
    g_test_add_func("/gpu/l2_flush/reset", test_reset);
    g_test_add_func("/gpu/l2_flush/cycles", test_cycles);
}
