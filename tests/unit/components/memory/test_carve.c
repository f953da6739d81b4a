/* SPDX-License-Identifier: Apache-2.0 */
/* The division of unified memory: ways by need, refusals. */
#include "tests.h"

#include <ports/ctas.h>

#include <string.h>

typedef struct Sized {
    WwCacheFacts facts;
    uint32_t ways, shapes;
    bool on_fill;
} Sized;

static const WwCacheFacts *sized_facts(void *self)
{
    return &((Sized *)self)->facts;
}
static void reshape(void *self, uint32_t ways, bool on_fill)
{
    Sized *s = self;
    s->ways = ways;
    s->on_fill = on_fill;
    s->shapes++;
}
static const WwCacheIf sized_if = {.facts = sized_facts, .reshape = reshape};

/* A cache as configured, in unified memory of @p kb. */
static Sized sized(uint32_t kb, uint32_t sets, uint32_t ways)
{
    return (Sized){
        .facts = {.sets = sets, .ways = ways, .line = 128, .most_ways = kb * 1024 / 128 / sets}};
}

/* Of @p sms SMs. */
static WwHarness *open_for(uint32_t sms, const char *params, Sized *a, Sized *b)
{
    WwHarness *h = ww_harness_new(test_registry(), "l1_carve", params);
    ww_harness_provide(h, "cache[0]", &sized_if, a);
    ww_harness_provide(h, "cache[1]", &sized_if, b);
    ww_harness_callers(h, "control", 0, sms);
    ww_harness_start(h, NULL);
    return h;
}

static WwHarness *open_carve(const char *params, Sized *a, Sized *b)
{
    return open_for(2, params, a, b);
}

/* For kernel @p uid, in slot 5 of those that run. */
static bool carve_for(WwHarness *h, uint32_t uid, uint32_t sm, uint64_t bytes, GError **error)
{
    void *self;
    const WwL1ControlIf *t = ww_harness_table(h, "control", &self);
    const WwKernel kernel = {.uid = uid};
    const WwKernelRun run = {.kernel = &kernel, .slot = 5};
    return t->carve(self, sm, &run, bytes, error);
}

/* For one kernel more. */
static bool carve(WwHarness *h, uint64_t bytes, GError **error)
{
    static uint32_t uid;
    return carve_for(h, ++uid, UINT32_MAX, bytes, error);
}

static void expect(WwHarness *h, const Sized *a, const Sized *b, uint64_t bytes, uint32_t ways)
{
    g_assert_true(carve(h, bytes, NULL));
    g_assert_cmpuint(a->ways, ==, ways);
    g_assert_cmpuint(b->ways, ==, ways);
}

/* A V100: 128 KiB, 4 sets of 64 ways. */
static void volta(void)
{
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_carve("adaptive=true options=[96,0,8,16,32,64]", &a, &b);
    expect(h, &a, &b, 0, 256);
    expect(h, &a, &b, 1, 240);
    expect(h, &a, &b, 8192, 240);
    expect(h, &a, &b, 8193, 224);
    expect(h, &a, &b, 32768, 192);
    expect(h, &a, &b, 65536, 128);
    expect(h, &a, &b, 98304, 64);
    g_assert_cmpuint(ww_harness_stat(h, "n_carved", 0), ==, 7);
    GError *error = NULL;
    g_assert_false(carve(h, 98305, &error));
    g_assert_nonnull(strstr(error->message, "need 98305 bytes"));
    g_error_free(error);
    g_assert_cmpuint(a.ways, ==, 64);
    ww_harness_free(h);
}

/* An RTX 3070: 4 sets of 256 ways are all of it, and 100 KiB leave 56. */
static void ampere(void)
{
    Sized a = sized(128, 4, 256), b = a;
    WwHarness *h = open_carve("adaptive=true options=[0,8,16,32,64,100]", &a, &b);
    expect(h, &a, &b, 0, 256);
    expect(h, &a, &b, 65537, 56);
    expect(h, &a, &b, 102400, 56);
    ww_harness_free(h);
}

/* 8 KiB a way: 68 KiB are eight and a half, which count as nine; 65 count as eight. */
static void rounding(void)
{
    Sized a = sized(96, 64, 6), b = a;
    WwHarness *h = open_carve("adaptive=true options=[28,31]", &a, &b);
    expect(h, &a, &b, 28 << 10, 9);
    expect(h, &a, &b, 31 << 10, 8);
    ww_harness_free(h);
}

static void streaming(void)
{
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_carve("adaptive=true options=[0,64]", &a, &b);
    expect(h, &a, &b, 1, 128);
    g_assert_true(a.on_fill && b.on_fill);
    expect(h, &a, &b, 0, 256);
    g_assert_false(a.on_fill || b.on_fill);
    g_assert_cmpuint(b.shapes, ==, 2);
    ww_harness_free(h);
}

static void fixed(void)
{
    Sized a = {0}, b = {0};
    WwHarness *h = open_carve(NULL, &a, &b);
    g_assert_true(carve(h, 1 << 30, NULL));
    g_assert_cmpuint(a.shapes + b.shapes, ==, 0);
    ww_harness_free(h);
}

static void refuse(Sized a, const char *params, const char *want)
{
    WwHarness *h = ww_harness_new(test_registry(), "l1_carve", params);
    GError *error = NULL;
    ww_harness_provide(h, "cache[0]", &sized_if, &a);
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, want));
    g_error_free(error);
    ww_harness_free(h);
}

static void refusals(void)
{
    refuse(sized(100, 4, 64), "adaptive=true", "expected a multiple of the L1D: 4 sets of 64 ways");
    refuse(sized(128, 4, 64), "adaptive=true options=[]", "options = []");
    refuse(sized(128, 4, 64), "adaptive=true options=[0,129]",
           "options has 129; expected at most 128");
}

/* All of it for shared memory is an option, until somebody needs so much. */
static void no_way(void)
{
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_carve("adaptive=true options=[64,128]", &a, &b);
    expect(h, &a, &b, 65536, 128);
    GError *error = NULL;
    g_assert_false(carve(h, 65537, &error));
    g_assert_nonnull(strstr(error->message, "need 65537 bytes of shared memory, for which options "
                                            "has 131072, and no way of the L1D is left"));
    g_error_free(error);
    g_assert_cmpuint(a.shapes + b.shapes, ==, 2);
    ww_harness_free(h);
}

/* One SM's cache alone; a number beyond them changes none. */
static void one_sm(void)
{
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_carve("adaptive=true options=[0,8,16,32,64,96]", &a, &b);
    uint32_t before = a.ways;
    g_assert_true(carve_for(h, 1, 1, 0, NULL));
    g_assert_cmpuint(a.ways, ==, before);
    g_assert_cmpuint(b.ways, ==, 256);
    g_assert_true(carve_for(h, 1, 0, 98304, NULL)); /* the first alone, not the one behind it */
    g_assert_cmpuint(a.ways, ==, 64);
    g_assert_cmpuint(b.ways, ==, 256);
    g_assert_true(carve_for(h, 1, 2, 98304, NULL));
    g_assert_cmpuint(b.ways, ==, 256);
    g_assert_true(carve_for(h, 1, 1, 98304, NULL)); /* each SM for itself */
    g_assert_cmpuint(b.ways, ==, 64);
    ww_harness_free(h);
}

/* Two caches in each SM, and what cannot be shared out. */
static void caches_of_an_sm(void)
{
    const char *params = "adaptive=true options=[0,8,16,32,64,96]";
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_for(1, params, &a, &b);
    g_assert_true(carve_for(h, 1, 0, 98304, NULL));
    g_assert_cmpuint(a.ways, ==, 64);
    g_assert_cmpuint(b.ways, ==, 64);
    ww_harness_free(h);
    h = open_for(3, params, &a, &b);
    GError *error = NULL;
    g_assert_false(carve_for(h, 1, 0, 0, &error));
    g_assert_nonnull(strstr(error->message, "2 caches are carved out one SM at a time "
                                            "(ctas.carve_all = false), of 3 SMs; expected as "
                                            "many for each"));
    g_error_free(error);
    g_assert_cmpuint(a.ways, ==, 64);
    g_assert_true(carve_for(h, 1, UINT32_MAX, 0, NULL));
    g_assert_cmpuint(b.ways, ==, 256);
    ww_harness_free(h);
}

/* All caches at once: the first SM that asks for a kernel decides; a reset forgets it. */
static void once_a_kernel(void)
{
    Sized a = sized(128, 4, 64), b = a;
    WwHarness *h = open_carve("adaptive=true options=[0,8,16,32,64,96]", &a, &b);
    g_assert_true(carve_for(h, 1, UINT32_MAX, 98304, NULL));
    g_assert_true(carve_for(h, 1, UINT32_MAX, 0, NULL));
    g_assert_cmpuint(a.ways, ==, 64);
    g_assert_true(carve_for(h, 2, UINT32_MAX, 0, NULL));
    g_assert_cmpuint(b.ways, ==, 256);
    g_assert_false(carve_for(h, 3, UINT32_MAX, 98305, NULL));
    g_assert_true(carve_for(h, 3, UINT32_MAX, 98304, NULL)); /* what was refused is not done */
    g_assert_cmpuint(a.ways, ==, 64);
    ww_harness_reset(h);
    g_assert_true(carve_for(h, 3, UINT32_MAX, 0, NULL));
    g_assert_cmpuint(a.ways, ==, 256);
    ww_harness_free(h);
}

void register_carve_tests(void)
{
    g_test_add_func("/memory/carve/volta", volta);
    g_test_add_func("/memory/carve/ampere", ampere);
    g_test_add_func("/memory/carve/rounding", rounding);
    g_test_add_func("/memory/carve/streaming", streaming);
    g_test_add_func("/memory/carve/fixed", fixed);
    g_test_add_func("/memory/carve/refusals", refusals);
    g_test_add_func("/memory/carve/no_way", no_way);
    g_test_add_func("/memory/carve/one_sm", one_sm);
    g_test_add_func("/memory/carve/caches_of_an_sm", caches_of_an_sm);
    g_test_add_func("/memory/carve/once_a_kernel", once_a_kernel);
}
