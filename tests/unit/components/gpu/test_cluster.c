/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster between fake SMs and a fake kernel queue. */
#include "tests.h"

#include <testing/fake_cache.h>
#include <testing/fake_code_caches.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeCtas *sm[3];
    WwFakeKernels *kernels;
    const WwClusterIf *cluster;
    void *self;
} Bench;

static Bench bench(void)
{
    Bench b = {.h = ww_harness_new(test_registry(), "cluster", NULL)};
    for (uint32_t i = 0; i < 3; i++) {
        g_autofree char *port = g_strdup_printf("sm[%u]", i);
        b.sm[i] = ww_harness_fill(b.h, port, NULL, NULL);
    }
    b.kernels = ww_harness_fill(b.h, "kernels", NULL, NULL);
    ww_harness_callers(b.h, "cluster", WW_RANK_DISPATCH, 1);
    ww_harness_start(b.h, NULL);
    b.cluster = ww_harness_table(b.h, "cluster", &b.self);
    ww_harness_step(b.h, 1);
    return b;
}

/* Offers a CTA; the SM that took it, or -1. */
static int offer(Bench *b)
{
    uint32_t before[3];
    for (uint32_t i = 0; i < 3; i++) {
        before[i] = b->sm[i]->placed;
    }
    bool taken = b->cluster->offer(b->self);
    for (int i = 0; i < 3; i++) {
        if (b->sm[i]->placed != before[i]) {
            g_assert_true(taken);
            return i;
        }
    }
    g_assert_false(taken);
    return -1;
}

static void test_rotation(void)
{
    Bench b = bench();
    ww_fake_kernels_add(b.kernels, 100, 64, 0);
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpint(offer(&b), ==, 1);
    b.sm[2]->limit = 0;
    g_assert_cmpint(offer(&b), ==, 0);
    b.sm[2]->limit = 32;
    g_assert_cmpint(offer(&b), ==, 1);
    g_assert_cmpint(offer(&b), ==, 2);
    b.sm[0]->limit = b.sm[1]->limit = b.sm[2]->limit = 0;
    g_assert_cmpint(offer(&b), ==, -1);
    b.sm[1]->limit = 32;
    g_assert_cmpint(offer(&b), ==, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "ctas_issued", 0), ==, 6);
    ww_harness_free(b.h);
}

/* An SM with threads stays with its kernel; an empty one takes what the queue selects. */
static void test_kernel_choice(void)
{
    Bench b = bench();
    const WwKernelRun *one = ww_fake_kernels_add(b.kernels, 2, 64, 0),
                      *two = ww_fake_kernels_add(b.kernels, 9, 64, 0);
    b.sm[1]->limit = b.sm[2]->limit = 0;
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpuint(one->next_cta, ==, 2);
    uint32_t selects = b.kernels->selects;
    g_assert_cmpint(offer(&b), ==, -1); /* its kernel has no CTA left and it is not empty */
    g_assert_cmpuint(b.kernels->selects, ==, selects + 2); /* of the other two, which are */
    ww_fake_ctas_complete(b.sm[0]);
    g_assert_cmpint(offer(&b), ==, -1);
    ww_fake_ctas_complete(b.sm[0]);
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpuint(two->next_cta, ==, 1);
    g_assert_true(b.sm[0]->view.run == two);
    ww_harness_free(b.h);
}

static void test_not_ready(void)
{
    Bench b = bench();
    ww_fake_kernels_add(b.kernels, 4, 64, 5);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(ww_harness_now(b.h), ==, 4);
    g_assert_cmpint(offer(&b), ==, -1);
    ww_harness_step(b.h, 1);
    g_assert_cmpint(offer(&b), ==, 0);
    ww_harness_free(b.h);
}

/*
 * Completed CTAs reach the queue in the tick after they completed here (in the same one in a GPU:
 * its phase comes later).
 */
static void test_collect(void)
{
    Bench b = bench();
    const WwKernelRun *run = ww_fake_kernels_add(b.kernels, 3, 64, 0);
    while (offer(&b) >= 0) {
    }
    ww_harness_step(b.h, 2); /* the kernel's being ready woke it, too */
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(ww_harness_wakes(b.h, "cluster", WW_RANK_DISPATCH, 0), ==, 0);
    ww_fake_ctas_complete(b.sm[1]);
    ww_fake_ctas_complete(b.sm[2]);
    g_assert_false(ww_harness_asleep(b.h));
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.kernels->completed, ==, 2);
    g_assert_true(b.kernels->last == run && b.kernels->last_trace == &b.kernels->trace);
    g_assert_cmpuint(run->resident, ==, 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "cluster", WW_RANK_DISPATCH, 0), ==, 1);
    g_assert_true(ww_harness_asleep(b.h));
    ww_harness_free(b.h);
}

/* Two SMs with an L1D each. */
static void fill_with_caches(Bench *b, WwFakeCache *l1d[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        g_autofree char *sm = g_strdup_printf("sm[%u]", i), *l1 = g_strdup_printf("l1d[%u]", i);
        b->sm[i] = ww_harness_fill(b->h, sm, NULL, NULL);
        l1d[i] = ww_harness_fill(b->h, l1, NULL, NULL);
    }
    b->kernels = ww_harness_fill(b->h, "kernels", NULL, NULL);
    ww_harness_callers(b->h, "cluster", WW_RANK_DISPATCH, 1);
    ww_harness_start(b->h, NULL);
    b->cluster = ww_harness_table(b->h, "cluster", &b->self);
}

/* Caches that are bound lose their lines when the last thread of the cluster has gone. */
static void flush_with(const char *params, uint32_t at_start, uint32_t when_empty)
{
    Bench b = {.h = ww_harness_new(test_registry(), "cluster", params)};
    WwFakeCache *l1d[2];
    fill_with_caches(&b, l1d);
    ww_fake_kernels_add(b.kernels, 2, 64, 0);
    g_assert_true(b.cluster->offer(b.self));
    g_assert_true(b.cluster->offer(b.self));
    ww_harness_step(b.h, 2);
    ww_fake_ctas_complete(b.sm[0]);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(l1d[0]->invalidations, ==, at_start);
    ww_fake_ctas_complete(b.sm[1]);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(l1d[0]->invalidations, ==, at_start + when_empty);
    g_assert_cmpuint(l1d[1]->invalidations, ==, at_start + when_empty);
    ww_harness_free(b.h);
}

static void test_flush(void)
{
    flush_with(NULL, 0, 1);
}

/* flush_when_empty = false: when an SM begins another kernel, and only then. */
static void test_flush_at_start(void)
{
    flush_with("flush_when_empty=false", 1, 0);
}

/*
 * Code is given up when the last thread has gone, and what came meanwhile when the first one comes. Where it comes in the cycle in which the
 * last one goes all stays: tests/system/modern_machines, program multi-again.
 */
static void test_code(void)
{
    Bench b = {.h = ww_harness_new(test_registry(), "cluster", NULL)};
    WwFakeCache *l1d[2];
    WwFakeCodeCaches *code = ww_harness_fill(b.h, "code[0]", NULL, NULL);
    fill_with_caches(&b, l1d);
    ww_fake_kernels_add(b.kernels, 3, 64, 0);
    g_assert_true(b.cluster->offer(b.self));
    g_assert_true(b.cluster->offer(b.self));
    uint32_t first = code->clears;
    ww_harness_step(b.h, 2);
    ww_fake_ctas_complete(b.sm[0]);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(code->clears, ==, first);
    ww_fake_ctas_complete(b.sm[1]);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(code->clears, ==, first + 1);
    g_assert_true(b.cluster->offer(b.self));
    g_assert_cmpuint(code->clears, ==, first + 2);
    ww_harness_free(b.h);
}

/* An SM that was empty and goes on with the kernel that it had keeps its lines; with another kernel it loses them. */
static void test_flush_other_kernel(void)
{
    Bench b = {.h = ww_harness_new(test_registry(), "cluster", "flush_when_empty=false")};
    WwFakeCache *l1d[2];
    fill_with_caches(&b, l1d);
    ww_fake_kernels_add(b.kernels, 2, 64, 0);
    b.sm[1]->limit = 0;
    static const uint32_t flushed[] = {1, 1, 2}; /* after each CTA, the last is of another kernel */
    for (uint32_t i = 0; i < G_N_ELEMENTS(flushed); i++) {
        if (i == 2) {
            ww_fake_kernels_add(b.kernels, 1, 64, 0);
        }
        g_assert_true(b.cluster->offer(b.self));
        g_assert_cmpuint(l1d[0]->invalidations, ==, flushed[i]);
        ww_fake_ctas_complete(b.sm[0]);
        ww_harness_step(b.h, 2);
    }
    ww_harness_free(b.h);
}

/* Caches of an SM lie side by side; as many for each there must be. */
static void test_flush_several(void)
{
    for (uint32_t caches = 3; caches < 5; caches++) {
        WwHarness *h = ww_harness_new(test_registry(), "cluster", "flush_when_empty=false");
        WwFakeCache *l1d[4];
        ww_harness_fill(h, "sm[0]", NULL, NULL);
        WwFakeCtas *sm = ww_harness_fill(h, "sm[1]", NULL, NULL);
        for (uint32_t i = 0; i < caches; i++) {
            g_autofree char *port = g_strdup_printf("l1d[%u]", i);
            l1d[i] = ww_harness_fill(h, port, NULL, NULL);
        }
        WwFakeKernels *kernels = ww_harness_fill(h, "kernels", NULL, NULL);
        ww_harness_callers(h, "cluster", WW_RANK_DISPATCH, 1);
        GError *error = NULL;
        if (caches % 2 != 0) {
            g_assert_false(ww_harness_start(h, &error));
            g_assert_nonnull(strstr(error->message, "3 caches at l1d for 2 SMs; expected as many "
                                                    "for each"));
            g_error_free(error);
        } else {
            void *self;
            ww_harness_start(h, NULL);
            const WwClusterIf *cluster = ww_harness_table(h, "cluster", &self);
            sm->limit = 0;
            ww_fake_kernels_add(kernels, 1, 64, 0);
            g_assert_true(cluster->offer(self));
            for (uint32_t i = 0; i < caches; i++) {
                g_assert_cmpuint(l1d[i]->invalidations, ==, i < 2);
            }
        }
        ww_harness_free(h);
    }
}

static void test_failures(void)
{
    Bench b = bench();
    const WwKernelRun *run = ww_fake_kernels_add(b.kernels, 4, 64, 0);
    b.kernels->fail = true;
    g_assert_cmpint(offer(&b), ==, -1); /* the trace is at fault: nothing is placed */
    g_assert_cmpuint(run->next_cta, ==, 0);
    b.kernels->fail = false;
    b.sm[0]->error = "too large for this SM";
    b.cluster->offer(b.self);
    ww_harness_step(b.h, 1);
    g_assert_error(ww_machine_error(ww_harness_machine(b.h)), WW_ERROR, WW_ERROR_MODEL);
    ww_harness_free(b.h);
}

static void test_numbers(void)
{
    Bench b = bench();
    g_assert_cmpuint(b.cluster->size(b.self), ==, 3);
    g_assert_cmpuint(b.cluster->number(b.self, 6, 30, 2), ==, 3);
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_cmpuint(b.sm[i]->view.sm, ==, 6 + i);
        g_assert_cmpuint(b.sm[i]->view.sms, ==, 30);
    }
    ww_harness_free(b.h);
}

/* An SM that kernels share takes the kernel that is selected, not the one it has. */
static void test_shared(void)
{
    Bench b = bench();
    const WwKernelRun *one = ww_fake_kernels_add(b.kernels, 4, 64, 0);
    const WwKernelRun *two = ww_fake_kernels_add(b.kernels, 4, 64, 0);
    offer(&b);
    b.sm[0]->view.run = two;
    b.sm[1]->limit = b.sm[2]->limit = 0;
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpuint(one->next_cta * 10 + two->next_cta, ==, 11); /* it stays with its own */
    b.sm[0]->view.run = two;
    b.sm[0]->view.shared = true;
    g_assert_cmpint(offer(&b), ==, 0);
    g_assert_cmpuint(one->next_cta * 10 + two->next_cta, ==, 21);
    g_assert_false(b.cluster->empty(b.self));
    ww_harness_free(b.h);
}

/*
 * What the queue calls idle while the cluster was empty, it was not clocked: the turns of its SMs
 * begin as much later. Idle cycles with threads do not count.
 */
static void test_still(void)
{
    Bench b = bench();
    ww_fake_kernels_add(b.kernels, 5, 64, 0);
    b.kernels->idle = 2;
    offer(&b);
    g_assert_cmpuint(b.sm[0]->rotate_from, ==, 2);
    b.kernels->idle = 50;
    ww_fake_ctas_complete(b.sm[0]);
    ww_harness_step(b.h, 1);
    b.kernels->idle = 80;
    offer(&b);
    g_assert_cmpuint(b.sm[0]->rotate_from, ==, 2 + 30);
    b.kernels->idle = 90;
    offer(&b);
    g_assert_cmpuint(b.sm[0]->rotate_from, ==, 2 + 30);
    ww_harness_free(b.h);
}

void register_cluster_tests(void)
{
    g_test_add_func("/gpu/cluster/rotation", test_rotation);
    g_test_add_func("/gpu/cluster/kernel_choice", test_kernel_choice);
    g_test_add_func("/gpu/cluster/not_ready", test_not_ready);
    g_test_add_func("/gpu/cluster/collect", test_collect);
    g_test_add_func("/gpu/cluster/flush", test_flush);
    g_test_add_func("/gpu/cluster/code", test_code);
    g_test_add_func("/gpu/cluster/flush_at_start", test_flush_at_start);
    g_test_add_func("/gpu/cluster/flush_other_kernel", test_flush_other_kernel);
    g_test_add_func("/gpu/cluster/flush_several", test_flush_several);
    g_test_add_func("/gpu/cluster/failures", test_failures);
    g_test_add_func("/gpu/cluster/numbers", test_numbers);
    g_test_add_func("/gpu/cluster/shared", test_shared);
    g_test_add_func("/gpu/cluster/still", test_still);
}
