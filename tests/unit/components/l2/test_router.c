/* SPDX-License-Identifier: Apache-2.0 */
/* Where copies from the host go. */
#include "tests.h"

static void test_router(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "memcpy_router", NULL);
    WwFakeAddressMap *map = ww_harness_fill(h, "map", NULL, NULL);
    WwFakeL2Control *slice[2];
    slice[0] = ww_harness_fill(h, "slice[0]", NULL, NULL);
    slice[1] = ww_harness_fill(h, "slice[1]", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    map->channels = map->slices = 2;
    void *self;
    const WwMemcpyIf *copies = ww_harness_table(h, "memcpy", &self);
    copies->copy(self, 0x700000100,
                 0x101); /* cut to 32 bits; 9 sectors: one beyond a piece of 256 bytes */
    g_assert_cmpuint(slice[1]->installs, ==, 8);
    g_assert_cmpuint(slice[1]->first, ==, 0x100);
    g_assert_cmpuint(slice[1]->last, ==, 0x1e0);
    g_assert_cmpuint(slice[0]->installs, ==, 1);
    g_assert_cmpuint(slice[0]->first, ==, 0x200);
    g_assert_cmpuint(ww_harness_stat(h, "sectors", 0), ==, 9);
}

/* cut_addresses = false: the line is where accesses to it will look. */
static void test_router_whole(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "memcpy_router", "cut_addresses=false");
    WwFakeAddressMap *map = ww_harness_fill(h, "map", NULL, NULL);
    WwFakeL2Control *slice = ww_harness_fill(h, "slice[0]", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    map->channels = map->slices = 1;
    void *self;
    const WwMemcpyIf *copies = ww_harness_table(h, "memcpy", &self);
    copies->copy(self, 0x700000100, 0x40);
    g_assert_cmpuint(slice->installs, ==, 2);
    g_assert_cmphex(slice->first, ==, 0x700000100);
    g_assert_cmphex(slice->last, ==, 0x700000120);
}

void add_router_tests(void)
{
    g_test_add_func("/l2/router", test_router);
    g_test_add_func("/l2/router-whole", test_router_whole);
}
