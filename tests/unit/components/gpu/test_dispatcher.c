/* SPDX-License-Identifier: Apache-2.0 */
/* The CTA dispatcher between fake clusters and a fake kernel queue. */
#include "tests.h"

#define N 5u

typedef struct Bench {
    WwHarness *h;
    WwFakeCluster *cluster[N];
    WwFakeKernels *kernels;
    uint32_t order;
} Bench;

static Bench *bench(void)
{
    Bench *b = g_new0(Bench, 1);
    b->h = ww_harness_new(test_registry(), "cta_dispatcher", NULL);
    for (uint32_t i = 0; i < N; i++) {
        g_autofree char *port = g_strdup_printf("cluster[%u]", i);
        b->cluster[i] = ww_harness_fill(b->h, port, NULL, NULL);
    }
    b->kernels = ww_harness_fill(b->h, "kernels", NULL, NULL);
    ww_harness_start(b->h, NULL);
    for (uint32_t i = 0; i < N; i++) {
        b->cluster[i]->order = &b->order;
        b->cluster[i]->cores = i + 1;
    }
    return b;
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    g_free(b);
}

/* The SMs of the GPU are numbered at the first turn, in cluster order. */
static void test_numbers(void)
{
    Bench *b = bench();
    ww_harness_step(b->h, 3);
    for (uint32_t i = 0; i < N; i++) {
        g_assert_cmpuint(b->cluster[i]->numbered, ==, 1);
        g_assert_cmpuint(b->cluster[i]->first, ==, i * (i + 1) / 2);
        g_assert_cmpuint(b->cluster[i]->sms, ==, 15);
        g_assert_cmpuint(b->cluster[i]->offers, ==, 0);
    }
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

/*
 * Each tick one offer to each cluster, from the one after the last that took a CTA at the start
 * of the tick.
 */
static void test_rotation(void)
{
    Bench *b = bench();
    ww_harness_step(b->h, 1);
    ww_fake_kernels_add(b->kernels, 1000, 64, 0);
    for (uint32_t i = 0; i < N; i++) {
        b->cluster[i]->accept = i == 1 || i == 3;
    }
    ww_harness_step(b->h, 1);
    for (uint32_t i = 0; i < N; i++) {
        g_assert_cmpuint(b->cluster[i]->turn, ==, i); /* 0 first at first */
    }
    ww_harness_step(b->h, 1);
    for (uint32_t i = 0; i < N; i++) {
        g_assert_cmpuint(b->cluster[(4 + i) % N]->turn, ==, N + i); /* 3 took the last one */
    }
    g_assert_true(ww_harness_asleep(b->h)); /* all refused */
    ww_fake_cluster_free(b->cluster[2], 1);
    g_assert_false(ww_harness_asleep(b->h));
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cluster[2]->placed, ==, 1);
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cluster[3]->turn, ==, 3 * N); /* after 2 */
    g_assert_cmpuint(ww_harness_stat(b->h, "ctas_issued", 0), ==, 3);
    done(b);
}

/* It sleeps until a kernel is ready, and when none has CTAs left. */
static void test_ready(void)
{
    Bench *b = bench();
    ww_harness_step(b->h, 1);
    g_assert_true(ww_harness_asleep(b->h));
    for (uint32_t i = 0; i < N; i++) {
        b->cluster[i]->accept = 0;
    }
    WwKernelRun *run = ww_fake_kernels_add(b->kernels, 10, 64, 7);
    ww_harness_step(b->h, 6);
    g_assert_cmpuint(b->cluster[0]->offers, ==, 0);
    ww_harness_step(b->h, 1); /* tick 7 */
    g_assert_cmpuint(b->cluster[0]->offers, ==, 1);
    g_assert_true(ww_harness_asleep(b->h));
    run->next_cta = 10;
    ww_fake_cluster_free(b->cluster[0], 1);
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cluster[0]->offers, ==, 1);
    g_assert_true(ww_harness_asleep(b->h));
    done(b);
}

static void test_reset(void)
{
    Bench *b = bench();
    ww_fake_kernels_add(b->kernels, 1000, 64, 0);
    ww_harness_step(b->h, 1);
    ww_harness_reset(b->h);
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(b->cluster[0]->numbered, ==, 1);
    g_assert_cmpuint(ww_harness_stat(b->h, "ctas_issued", 0), ==, 0);
    done(b);
}

void register_dispatcher_tests(void)
{
    g_test_add_func("/gpu/cta_dispatcher/numbers", test_numbers);
    g_test_add_func("/gpu/cta_dispatcher/rotation", test_rotation);
    g_test_add_func("/gpu/cta_dispatcher/ready", test_ready);
    g_test_add_func("/gpu/cta_dispatcher/reset", test_reset);
}
