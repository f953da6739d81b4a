/* SPDX-License-Identifier: Apache-2.0 */
/* CTA slots alone: how many fit, where a CTA goes, when it has completed. */
#include "tests.h"

#include <testing/fake_l1_control.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeWarps *warps;
    TestBarriers barriers;
    const WwCtasIf *ctas;
    void *self;
    WwFakeTrace *trace;
    WwKernelRun run[4];
    uint32_t n_runs;
} Bench;

/* @p warps: hardware warps of the SM. */
static Bench *bench_of(uint32_t warps, const char *params)
{
    Bench *b = g_new0(Bench, 1);
    b->trace = ww_fake_trace_new();
    b->h = ww_harness_new(test_registry(), "cta_slots", params);
    g_autofree char *slots = g_strdup_printf("slots=%u", warps);
    b->warps = ww_harness_fill(b->h, "warps", NULL, slots);
    ww_harness_provide(b->h, "barriers", &test_barriers, &b->barriers);
    ww_harness_start(b->h, NULL);
    b->ctas = ww_harness_table(b->h, "ctas", &b->self);
    return b;
}

static Bench *bench(const char *params)
{
    return bench_of(WW_MAX_WARPS, params);
}

static void done(Bench *b)
{
    ww_harness_free(b->h);
    ww_fake_trace_free(b->trace);
    g_free(b);
}

static WwKernelRun *kernel(Bench *b, uint64_t ctas, uint32_t threads, uint32_t shmem,
                           uint32_t nregs)
{
    WwFakeKernel *k = ww_fake_trace_kernel(b->trace, "saxpy", ctas, threads);
    k->pub.shmem = shmem;
    k->pub.nregs = nregs;
    WwCommand c;
    g_assert_true(ww_fake_trace_source.next_command(b->trace, &c, NULL));
    WwKernelRun *run = &b->run[b->n_runs++];
    *run = (WwKernelRun){.kernel = c.kernel, .slot = b->n_runs - 1};
    return run;
}

static const WwCtaTrace *place(Bench *b, WwKernelRun *run)
{
    const WwCtaTrace *trace;
    g_assert_true(b->ctas->can_place(b->self, run, NULL));
    g_assert_true(ww_fake_trace_source.next_cta(b->trace, run->kernel, &trace, NULL));
    run->next_cta++;
    b->ctas->place(b->self, run, trace);
    return trace;
}

static void retire(Bench *b, uint32_t warp)
{
    ((const WwWarpsIf *)ww_fake_warps_type.ports[0].table)->retire(b->warps, warp);
    b->ctas->retire(b->self, warp);
}

/* Places CTAs until one is refused. */
static uint32_t fill_of(uint32_t warps, const char *params, uint32_t sms, uint64_t ctas,
                        uint32_t threads, uint32_t shmem, uint32_t nregs)
{
    Bench *b = bench_of(warps, params);
    WwKernelRun *run = kernel(b, ctas, threads, shmem, nregs);
    b->ctas->number(b->self, 0, sms, 0);
    uint32_t n = 0;
    while (b->ctas->can_place(b->self, run, NULL)) {
        place(b, run);
        n++;
    }
    g_assert_cmpuint(b->ctas->view(b->self)->active, ==, n);
    done(b);
    return n;
}

static uint32_t fill(const char *params, uint32_t sms, uint64_t ctas, uint32_t threads,
                     uint32_t shmem, uint32_t nregs)
{
    return fill_of(WW_MAX_WARPS, params, sms, ctas, threads, shmem, nregs);
}

static void test_limits(void)
{
    const char *p = "shmem=98304 registers=65536 max_ctas=32";
    g_assert_cmpuint(fill(p, 1, 1000, 256, 0, 0), ==, 8); /* threads */
    g_assert_cmpuint(fill_of(48, p, 1, 1000, 256, 0, 0), ==, 6);
    g_assert_cmpuint(fill(p, 1, 1000, 225, 0, 0), ==, 8);    /* rounded up to 256 */
    g_assert_cmpuint(fill(p, 1, 1000, 32, 0, 0), ==, 32);    /* slots */
    g_assert_cmpuint(fill(p, 1, 1000, 32, 10000, 0), ==, 9); /* shared memory */
    g_assert_cmpuint(fill(p, 1, 1000, 256, 0, 64), ==, 4);   /* registers */
    g_assert_cmpuint(fill(p, 1, 1000, 256, 0, 65), ==, 3);   /* 68 of them */
    g_assert_cmpuint(fill("max_ctas=5", 1, 1000, 32, 0, 0), ==, 5);
    g_assert_cmpuint(fill(p, 1, 1, 2048, 0, 32), ==, 1);
}

/* A grid that cannot fill all SMs is spread evenly, rounded up. */
static void test_small_grid(void)
{
    g_assert_cmpuint(fill(NULL, 80, 200, 256, 0, 16), ==, 3);
    g_assert_cmpuint(fill(NULL, 80, 639, 256, 0, 16), ==, 8);
    g_assert_cmpuint(fill(NULL, 80, 640, 256, 0, 16), ==, 8);
    g_assert_cmpuint(fill(NULL, 80, 1, 256, 0, 16), ==, 1);
    g_assert_cmpuint(fill(NULL, 80, 80, 256, 0, 16), ==, 1);
    g_assert_cmpuint(fill(NULL, 80, 81, 256, 0, 16), ==, 2);
}

static void refuses(uint32_t warps, const char *params, uint32_t threads, uint32_t shmem,
                    uint32_t nregs, const char *text)
{
    Bench *b = bench_of(warps, params);
    g_autoptr(GError) error = NULL;
    g_assert_false(b->ctas->can_place(b->self, kernel(b, 10, threads, shmem, nregs), &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(error->message, "'saxpy'"));
    if (strstr(error->message, text) == NULL) {
        g_error("\"%s\" lacks \"%s\"", error->message, text);
    }
    done(b);
}

static void test_never_fits(void)
{
    refuses(16, NULL, 600, 0, 0, "600 threads (19 warps); expected at most the 512");
    refuses(64, "shmem=1KiB", 32, 1025, 0,
            "1025 bytes of shared memory; expected at most the 1024");
    refuses(64, "registers=1000", 64, 0, 17,
            "1280 registers (64 threads of 20); expected at most the 1000");
    refuses(16, "ignore_resource_limits=true", 600, 0, 0, "600 threads");
}

static void test_ignore_limits(void)
{
    g_assert_cmpuint(fill("ignore_resource_limits=true shmem=1KiB", 1, 10, 32, 4096, 16), ==, 1);
    g_assert_cmpuint(fill("ignore_resource_limits=true registers=10", 1, 10, 32, 0, 16), ==, 1);
}

/*
 * Slot s holds the warps from s * warps per CTA on; the last one may be partial; ages follow the
 * order.
 */
static void test_placement(void)
{
    Bench *b = bench(NULL);
    WwKernelRun *run = kernel(b, 20, 80, 0, 16);
    place(b, run);
    place(b, run);
    const WwCtaView *v = b->ctas->view(b->self);
    g_assert_true(v->run == run);
    g_assert_cmpuint(v->active, ==, 2);
    g_assert_cmpuint(v->threads, ==, 160);
    g_assert_cmpuint(v->padded, ==, 96);
    g_assert_cmpuint(v->limit, ==, 20);
    g_assert_cmphex(b->barriers.warps[0], ==, 0x07);
    g_assert_cmphex(b->barriers.warps[1], ==, 0x38);
    g_assert_cmphex(b->warps->view.live, ==, 0x3f);
    g_assert_cmphex(b->warps->warp[4].lanes, ==, UINT32_MAX);
    g_assert_cmphex(b->warps->warp[5].lanes, ==, 0xffff);
    g_assert_cmpuint(b->warps->warp[5].cta, ==, 1);
    g_assert_cmpuint(b->warps->warp[5].dynamic_id, ==, 5);
    g_assert_cmpuint(b->warps->launched.trace_warp, ==, 2);
    g_assert_cmpuint(ww_harness_stat(b->h, "ctas_issued", 0), ==, 2);
    done(b);
}

static void test_whole_sm(void)
{
    Bench *b = bench(NULL);
    WwKernelRun *run = kernel(b, 1, 2048, 0, 16);
    place(b, run);
    g_assert_cmphex(b->barriers.warps[0], ==, UINT64_MAX);
    g_assert_cmphex(b->warps->view.resident, ==, UINT64_MAX);
    done(b);
}

/*
 * A CTA completes with its last thread; the dispatcher is woken, hears of it once, and its slot
 * is the next to be used.
 */
static void test_completion(void)
{
    Bench *b = bench(NULL);
    const WwKernelRun *out;
    WwKernelRun *run = kernel(b, 20, 48, 0, 16);
    const WwCtaTrace *first = place(b, run), *second = place(b, run), *trace;
    place(b, run);
    retire(b, 3);
    g_assert_cmpuint(ww_harness_wakes(b->h, "ctas", WW_RANK_DISPATCH, 0), ==, 0);
    retire(b, 2);
    g_assert_cmpuint(ww_harness_wakes(b->h, "ctas", WW_RANK_DISPATCH, 0), ==, 1);
    g_assert_cmpuint(b->barriers.leaves, ==, 1);
    g_assert_cmpuint(b->barriers.last_left, ==, 1);
    retire(b, 0);
    retire(b, 1);
    const WwCtaView *v = b->ctas->view(b->self);
    g_assert_cmpuint(v->active, ==, 1);
    g_assert_cmpuint(v->threads, ==, 48);
    g_assert_true(b->ctas->collect(b->self, &out, &trace));
    g_assert_true(out == run && trace == second);
    g_assert_true(b->ctas->collect(b->self, &out, &trace));
    g_assert_true(trace == first);
    g_assert_false(b->ctas->collect(b->self, &out, &trace));
    place(b, run);
    g_assert_cmphex(b->barriers.warps[0], ==, 3);
    g_assert_cmpuint(b->warps->launched.cta, ==, 0); /* the lowest free slot */
    g_assert_cmpuint(ww_harness_stat(b->h, "ctas_completed", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b->h, "most_resident", 0), ==, 3);
    done(b);
}

/* The kernel owns the SM until it is empty. */
static void test_binding(void)
{
    Bench *b = bench(NULL);
    WwKernelRun *one = kernel(b, 2, 32, 0, 16), *two = kernel(b, 4, 64, 0, 16);
    place(b, one);
    place(b, one);
    const WwCtaView *v = b->ctas->view(b->self);
    retire(b, 0);
    g_assert_true(v->run == one);
    retire(b, 1);
    g_assert_null(v->run);
    g_assert_false(b->ctas->can_place(b->self, one, NULL)); /* no CTA left to hand out */
    place(b, two);
    g_assert_true(v->run == two);
    g_assert_cmpuint(v->padded, ==, 64);
    done(b);
}

/*
 * An SM that kernels share: a CTA takes what the others left of everything, the first free run of
 * warps at a multiple of its own size, and the lowest slot.
 */
static void test_shared(void)
{
    Bench *b = bench_of(16, "concurrent=true registers=8192 shmem=10000 max_ctas=5");
    b->ctas->number(b->self, 0, 80, 0); /* small grids are not spread */
    const WwKernelRun *out;
    WwKernelRun *small = kernel(b, 20, 32, 1000, 16), *large = kernel(b, 20, 128, 4000, 16);
    const WwCtaTrace *trace;
    const WwCtaView *v = b->ctas->view(b->self);
    g_assert_true(v->shared);
    place(b, small);
    place(b, large); /* warps 4 to 7: not 1 to 4 */
    g_assert_cmphex(b->barriers.warps[0], ==, 0x1);
    g_assert_cmphex(b->barriers.warps[1], ==, 0xf0);
    place(b, small);
    g_assert_cmphex(b->barriers.warps[2], ==, 0x2);
    place(b, large); /* 10000 bytes */
    g_assert_cmphex(b->barriers.warps[3], ==, 0xf00);
    g_assert_false(b->ctas->can_place(b->self, small, NULL)); /* no shared memory left */
    g_assert_cmpuint(v->threads, ==, 320);
    retire(b, 0);
    g_assert_true(b->ctas->collect(b->self, &out, &trace));
    g_assert_true(out == small);
    WwKernelRun *plain = kernel(b, 20, 256, 0, 16);
    g_assert_false(
        b->ctas->can_place(b->self, plain, NULL)); /* threads enough, no run of 8 warps */
    place(b, small);
    g_assert_cmphex(b->barriers.warps[0], ==, 0x1);
    done(b);
}

/* Registers, slots and threads, too; and a kernel that never fits is still refused with a message. */
static void test_shared_limits(void)
{
    static const char *const params[] = {"registers=2048", "max_ctas=2"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(params); i++) {
        g_autofree char *all = g_strdup_printf("concurrent=true %s", params[i]);
        g_assert_cmpuint(fill(all, 80, 1000, 64, 0, 16), ==, 2);
    }
    g_assert_cmpuint(fill_of(4, "concurrent=true", 80, 1000, 64, 0, 16), ==, 2);
    refuses(64, "concurrent=true shmem=1KiB", 32, 1025, 0, "1025 bytes of shared memory");
    g_assert_cmpuint(
        fill("concurrent=true shmem=1KiB ignore_resource_limits=true", 1, 10, 32, 4096, 0), ==,
        0); /* it never fits: as in the reference, it waits for ever */
}

/* What such a CTA lacks is said, and nothing of one that was placed. */
static void test_shared_explains(void)
{
    Bench *b = bench("concurrent=true shmem=3KiB registers=2048 ignore_resource_limits=true");
    WwKernelRun *one = kernel(b, 20, 32, 1024, 16), *two = kernel(b, 20, 64, 4096, 64);
    place(b, one);
    g_autofree char *none = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_null(strstr(none, "the next CTA"));
    g_assert_false(b->ctas->can_place(b->self, two, NULL));
    g_autofree char *text = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_nonnull(strstr(text, "the next CTA of kernel 'saxpy' needs 4096 bytes of shared "
                                  "memory; 2048 of 3072 are free"));
    g_assert_nonnull(strstr(text, "needs 4096 registers; 1536 of 2048 are free"));
    g_assert_null(strstr(text, "side by side"));
    WwKernelRun *three = kernel(b, 20, 64, 2048, 64); /* of shared memory just what is left */
    g_assert_false(b->ctas->can_place(b->self, three, NULL));
    g_autofree char *just = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_nonnull(strstr(just, "needs 4096 registers; 1536 of 2048 are free"));
    g_assert_null(strstr(just, "bytes of shared memory"));
    g_assert_true(b->ctas->can_place(b->self, one, NULL));
    g_autofree char *later = ww_machine_explain(ww_harness_machine(b->h));
    g_assert_null(strstr(later, "the next CTA"));
    done(b);
}

/* Caches are carved when an SM is first asked to hold a CTA of a kernel, whether or not it takes one. */
static void test_carve(void)
{
    for (uint32_t over = 0; over < 2; over++) {
        Bench *b = g_new0(Bench, 1);
        b->trace = ww_fake_trace_new();
        b->h = ww_harness_new(test_registry(), "cta_slots",
                              "concurrent=true shmem=2KiB ignore_resource_limits=true");
        b->warps = ww_harness_fill(b->h, "warps", NULL, NULL);
        WwFakeL1Control *control = ww_harness_fill(b->h, "l1_control", NULL, NULL);
        ww_harness_provide(b->h, "barriers", &test_barriers, &b->barriers);
        ww_harness_start(b->h, NULL);
        b->ctas = ww_harness_table(b->h, "ctas", &b->self);
        WwKernelRun *one = kernel(b, 20, 32, over ? 4096 : 1024, 16),
                    *two = kernel(b, 20, 32, 2048, 16);
        b->ctas->can_place(b->self, one, NULL);
        b->ctas->can_place(b->self, one, NULL);
        g_assert_cmpuint(control->carves, ==,
                         1 - over); /* one that needs too much changes nothing */
        if (!over) {
            g_assert_cmpuint(control->shmem, ==, 2048);
            g_assert_cmpuint(control->sm, ==, UINT32_MAX);
            place(b, one);
            g_assert_false(b->ctas->can_place(b->self, two, NULL));
            g_assert_cmpuint(control->carves, ==, 2);
        }
        done(b);
    }
}

static void test_reset(void)
{
    Bench *b = bench(NULL);
    const WwKernelRun *out;
    WwKernelRun *run = kernel(b, 20, 48, 0, 16);
    const WwCtaTrace *trace;
    place(b, run);
    retire(b, 0);
    retire(b, 1);
    ww_harness_reset(b->h);
    g_assert_false(b->ctas->collect(b->self, &out, &trace));
    g_assert_cmpuint(b->ctas->view(b->self)->active, ==, 0);
    g_assert_cmpuint(b->ctas->view(b->self)->sms, ==, 1);
    g_assert_cmpuint(ww_harness_stat(b->h, "ctas_issued", 0), ==, 0);
    done(b);
}

/*
 * Occupancy: warps that are resident and not finished, by cycle. What the test does between two
 * steps happens in the cycle to come: a CTA counts from the one after it, a retired warp still in
 * it.
 */
static void occupancy(bool no_sleep)
{
    Bench *b = bench_of(8, NULL);
    ww_machine_set_no_sleep(ww_harness_machine(b->h), no_sleep);
    WwKernelRun *run = kernel(b, 20, 96, 0, 16);
    ww_harness_step(b->h, 5);
    g_assert_cmpuint(ww_harness_stat(b->h, "slot_cycles", 0), ==, 0); /* it holds nothing */
    g_assert_cmpuint(ww_harness_stat(b->h, "last_cycle", 0), ==, 0);
    place(b, run);
    ww_harness_step(b->h, 11); /* ten of them with three warps */
    g_assert_cmpuint(ww_harness_stat(b->h, "warp_cycles", 0), ==, 30);
    g_assert_cmpuint(ww_harness_stat(b->h, "slot_cycles", 0), ==, 80);
    retire(b, 1);
    ww_harness_step(b->h, 4); /* one with three, three with two */
    g_assert_cmpuint(ww_harness_stat(b->h, "warp_cycles", 0), ==, 39);
    place(b, run);
    ww_harness_step(b->h, 1);
    g_assert_cmpuint(ww_harness_stat(b->h, "warp_cycles", 0), ==, 41);
    retire(b, 0);
    retire(b, 2);
    ww_harness_step(b->h, 2);
    g_assert_cmpuint(ww_harness_stat(b->h, "warp_cycles", 0), ==, 41 + 5 + 3);
    for (uint32_t w = 3; w < 6; w++) {
        retire(b, w);
    }
    ww_harness_step(b->h, 7); /* one, and then it holds nothing again */
    g_assert_cmpuint(ww_harness_stat(b->h, "warp_cycles", 0), ==, 52);
    g_assert_cmpuint(ww_harness_stat(b->h, "slot_cycles", 0), ==, 8 * (10 + 4 + 1 + 2 + 1));
    g_assert_cmpuint(ww_harness_stat(b->h, "last_cycle", 0), ==, 6 + 10 + 4 + 1 + 2 + 1);
    done(b);
}

static void test_occupancy(void)
{
    occupancy(false);
    occupancy(true);
}

/* spread_small_grids = false: as many as fit. */
static void test_packed_grid(void)
{
    g_assert_cmpuint(fill("spread_small_grids=false", 80, 200, 256, 0, 16), ==, 8);
    g_assert_cmpuint(fill("spread_small_grids=false", 80, 5, 256, 0, 16), ==, 5);
}

/* carve_all = false: each SM has its own cache carved, for each kernel that it is asked to hold while it holds no CTA. */
static void test_carve_own(void)
{
    Bench *b = g_new0(Bench, 1);
    b->trace = ww_fake_trace_new();
    b->h =
        ww_harness_new(test_registry(), "cta_slots", "carve_all=false concurrent=true shmem=4KiB");
    b->warps = ww_harness_fill(b->h, "warps", NULL, NULL);
    WwFakeL1Control *control = ww_harness_fill(b->h, "l1_control", NULL, NULL);
    ww_harness_provide(b->h, "barriers", &test_barriers, &b->barriers);
    ww_harness_start(b->h, NULL);
    b->ctas = ww_harness_table(b->h, "ctas", &b->self);
    b->ctas->number(b->self, 7, 80, 7);
    WwKernelRun *one = kernel(b, 20, 32, 1024, 16), *two = kernel(b, 20, 32, 2048, 16);
    g_assert_true(b->ctas->can_place(b->self, one, NULL));
    g_assert_true(b->ctas->can_place(b->self, one, NULL));
    g_assert_cmpuint(control->carves, ==, 1);
    g_assert_cmpuint(control->sm, ==, 7);
    g_assert_true(b->ctas->can_place(b->self, two, NULL));
    g_assert_cmpuint(control->carves, ==, 2);
    place(b, two);
    g_assert_true(b->ctas->can_place(b->self, one, NULL)); /* beside it */
    g_assert_cmpuint(control->carves, ==, 2);
    done(b);
}

void register_cta_slots_tests(void)
{
    g_test_add_func("/gpu/cta_slots/limits", test_limits);
    g_test_add_func("/gpu/cta_slots/small_grid", test_small_grid);
    g_test_add_func("/gpu/cta_slots/never_fits", test_never_fits);
    g_test_add_func("/gpu/cta_slots/ignore_limits", test_ignore_limits);
    g_test_add_func("/gpu/cta_slots/placement", test_placement);
    g_test_add_func("/gpu/cta_slots/whole_sm", test_whole_sm);
    g_test_add_func("/gpu/cta_slots/completion", test_completion);
    g_test_add_func("/gpu/cta_slots/binding", test_binding);
    g_test_add_func("/gpu/cta_slots/shared", test_shared);
    g_test_add_func("/gpu/cta_slots/shared_limits", test_shared_limits);
    g_test_add_func("/gpu/cta_slots/shared_explains", test_shared_explains);
    g_test_add_func("/gpu/cta_slots/carve", test_carve);
    g_test_add_func("/gpu/cta_slots/reset", test_reset);
    g_test_add_func("/gpu/cta_slots/occupancy", test_occupancy);
    g_test_add_func("/gpu/cta_slots/packed_grid", test_packed_grid);
    g_test_add_func("/gpu/cta_slots/carve_own", test_carve_own);
}
