/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded harness tells beside what something was written, and by how much; others have no words to see it. */
#include "tests.h"

#include <string.h>
#include <warpwright/component.h>

typedef struct Reaches {
    WwComponent base;
    uint64_t from_block; /* 1: from the block, not from the state */
    uint64_t skip;       /* bytes behind it that are left alone; 0: none is written */
    uint64_t below;      /* bytes in front of it that are written */
    uint32_t *block;
} Reaches;

enum { BLOCK = 20 };

static WwRest reach(void *self)
{
    Reaches *r = self;
    char *at = r->from_block ? (char *)r->block : self;
    size_t size = r->from_block ? BLOCK : sizeof *r;
    memset(at - r->below, 1, r->below);
    if (r->skip != 0) {
        at[size + r->skip - 1] = 1;
    }
    return WW_SLEEP;
}

static bool reaches_init(void *self, GError **error)
{
    Reaches *r = self;
    r->block = ww_alloc(r, BLOCK);
    return true;
}

static const WwParamRow params[] = {
    WW_U64(Reaches, from_block, "", "0", 0, 1, "from where"),
    WW_U64(Reaches, skip, "bytes", "0", 0, 5000, "behind it"),
    WW_U64(Reaches, below, "bytes", "0", 0, 5000, "in front of it"),
    {0},
};
static const WwEntryRow entries[] = {
    {.name = "reach", .phase = "main", .tick = reach, .doc = "writes"},
    {0},
};
static const WwType reaches = {
    .abi = WW_ABI_VERSION,
    .name = "test.reaches",
    .doc = "Writes beside what it has.",
    .family = "test",
    .size = sizeof(Reaches),
    .params = params,
    .entries = entries,
    .init = reaches_init,
};

static char *overwritten(const char *values, bool guarded)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_assert_true(ww_registry_add(registry, &reaches, "test", NULL));
    ww_harness_guarded(guarded);
    WwHarness *h = ww_harness_new(registry, "test.reaches", values);
    ww_harness_guarded(false);
    ww_harness_start(h, NULL);
    g_assert_null(ww_harness_overwritten(h));
    ww_harness_step(h, 2);
    char *after = ww_harness_overwritten(h);
    ww_harness_free(h);
    return after;
}

static void says(const char *values, const char *text)
{
    g_autofree char *said = overwritten(values, true);
    g_assert_nonnull(said);
    g_assert_cmpstr(said, ==, text);
}

static void guards(void)
{
    g_assert_null(overwritten(NULL, true));
    g_assert_null(overwritten("skip=1", false));
    G_STATIC_ASSERT(BLOCK == 20);
    g_autofree char *state =
        g_strdup_printf("something was written behind the state of dut (test.reaches, %zu bytes), "
                        "0 bytes from its end; expected it to end there",
                        sizeof(Reaches));
    says("skip=1", state);
    g_autofree char *front =
        g_strdup_printf("something was written in front of the state of dut (test.reaches, %zu "
                        "bytes), 5 bytes before its begin; expected it to begin there",
                        sizeof(Reaches));
    says("below=5", front);
    says("from_block=1 skip=1", "something was written behind 20 bytes that dut (test.reaches) has "
                                "of ww_alloc(), 0 bytes from its end; expected it to end there");
    says("from_block=1 skip=4000",
         "something was written behind 20 bytes that dut (test.reaches) has of ww_alloc(), 3999 "
         "bytes from its end; expected it to end there");
    says("from_block=1 below=200",
         "something was written in front of 20 bytes that dut (test.reaches) has of ww_alloc(), "
         "200 bytes before its begin; expected it to begin there");
}

void register_guard_tests(void)
{
    g_test_add_func("/std/guards", guards);
}
