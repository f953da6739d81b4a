/* SPDX-License-Identifier: Apache-2.0 */
/* CTA slots alone: how many fit, where a CTA goes, when it has completed. */
#include "tests.h"

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

static Bench *bench(const char *params)
{
    Bench *b = g_new0(Bench, 1);
    b->trace = ww_fake_trace_new();
    b->h = ww_harness_new(test_registry(), "cta_slots", params);
    b->warps = ww_harness_fill(b->h, "warps", NULL, NULL);
    ww_harness_provide(b->h, "barriers", &test_barriers, &b->barriers);
    ww_harness_start(b->h, NULL);
    b->ctas = ww_harness_table(b->h, "ctas", &b->self);
    return b;
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
    *run = (WwKernelRun){.kernel = c.kernel};
    return run;
}

static WwCtaTrace *place(Bench *b, WwKernelRun *run)
{
    WwCtaTrace *trace;
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
static uint32_t fill(const char *params, uint32_t sms, uint64_t ctas, uint32_t threads,
                     uint32_t shmem, uint32_t nregs)
{
    Bench *b = bench(params);
    WwKernelRun *run = kernel(b, ctas, threads, shmem, nregs);
    b->ctas->number(b->self, 0, sms);
    uint32_t n = 0;
    while (b->ctas->can_place(b->self, run, NULL)) {
        place(b, run);
        n++;
    }
    g_assert_cmpuint(b->ctas->view(b->self)->active, ==, n);
    done(b);
    return n;
}

static void test_limits(void)
{
    const char *p = "threads=2048 shmem=98304 registers=65536 max_ctas=32";
    g_assert_cmpuint(fill(p, 1, 1000, 256, 0, 0), ==, 8);    /* threads */
    g_assert_cmpuint(fill(p, 1, 1000, 257, 0, 0), ==, 7);    /* rounded up to 288 */
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

static void refuses(const char *params, uint32_t threads, uint32_t shmem, uint32_t nregs,
                    const char *text)
{
    Bench *b = bench(params);
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
    refuses("threads=512", 600, 0, 0, "600 threads (19 warps); expected at most the 512");
    refuses("shmem=1KiB", 32, 1025, 0, "1025 bytes of shared memory; expected at most the 1024");
    refuses("registers=1000", 64, 0, 17,
            "1280 registers (64 threads of 20); expected at most the 1000");
    refuses("threads=512 ignore_resource_limits=true", 600, 0, 0, "600 threads");
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
    WwKernelRun *run = kernel(b, 20, 48, 0, 16), *out;
    WwCtaTrace *first = place(b, run), *second = place(b, run), *trace;
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

static void test_reset(void)
{
    Bench *b = bench(NULL);
    WwKernelRun *run = kernel(b, 20, 48, 0, 16), *out;
    WwCtaTrace *trace;
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
    g_test_add_func("/gpu/cta_slots/reset", test_reset);
}
