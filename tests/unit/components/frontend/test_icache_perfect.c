/* SPDX-License-Identifier: Apache-2.0 */
/* The cache in which every fetch hits, and what it asks the address map. */
#include "tests.h"

#include <ports/cache.h>
#include <ports/icache.h>

typedef struct Asked {
    uint32_t n;
    uint64_t last;
} Asked;

static void note(void *self, uint64_t addr, WwAddress *out)
{
    Asked *a = self;
    a->n++;
    a->last = addr;
    *out = (WwAddress){0};
}
static const WwAddressMapIf noting = {.decode = note};

/* Every pc is placed, also one whose neighbour was: a map's regions may be smaller than a line. */
static void test_places(void)
{
    static const uint64_t pcs[] = {0x0, 0x10, 0x18, 0x400, 0x0};
    WwHarness *h = ww_harness_new(test_registry(), "icache.perfect", NULL);
    Asked asked = {0};
    void *self;
    ww_harness_provide(h, "address_map", &noting, &asked);
    ww_harness_start(h, NULL);
    const WwICacheIf *cache = ww_harness_table(h, "icache", &self);
    for (uint32_t i = 0; i < G_N_ELEMENTS(pcs); i++) {
        g_assert_cmpint(cache->access(self, i, pcs[i]), ==, WW_FETCH_HIT);
        g_assert_cmpuint(asked.n, ==, i + 1);
        g_assert_cmphex(asked.last, ==, 0xF0000000 + pcs[i]);
    }
    g_assert_cmpint(cache->access(self, 9, 0), ==, WW_FETCH_HIT);
    g_assert_cmpuint(asked.n, ==, G_N_ELEMENTS(pcs)); /* the answer would be the same */
    ww_harness_free(h);
}

/* places_unsent = false: nothing is sent, so nothing is placed. */
static void test_places_nothing(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "icache.perfect", "places_unsent=false");
    Asked asked = {0};
    void *self;
    ww_harness_provide(h, "address_map", &noting, &asked);
    ww_harness_start(h, NULL);
    const WwICacheIf *cache = ww_harness_table(h, "icache", &self);
    g_assert_cmpint(cache->access(self, 0, 0x40), ==, WW_FETCH_HIT);
    g_assert_cmpuint(asked.n, ==, 0);
    ww_harness_free(h);
}

void register_icache_perfect_tests(void)
{
    g_test_add_func("/frontend/icache_perfect/places", test_places);
    g_test_add_func("/frontend/icache_perfect/places_nothing", test_places_nothing);
}
