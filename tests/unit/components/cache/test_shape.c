/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: what is refused, how sets are chosen, what the facts say. */
#include "set_index-priv.h"
#include "tests.h"

#include <ports/hash.h>
#include <string.h>

static void refused(const char *type, const char *params, const char *word)
{
    g_autoptr(GError) error = NULL;
    WwHarness *h = ww_harness_new(test_registry(), type, params);
    g_assert_false(ww_harness_start(h, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
    g_assert_nonnull(strstr(error->message, word));
    ww_harness_free(h);
}

static void test_refusals(void)
{
    refused("cache.l1", "line=96 sector=false", "expected a power of two");
    refused("cache.l1", "line=64", "expected 128");
    refused("cache.l1", "index=ipoly", "16, 32, 64, 128");
    refused("cache.l2", "index=ipoly_code sets=3", "16, 32, 64, 128");
    refused("cache.l2", "index=fermi sets=16", "expected 32 or 64");
    refused("cache.l1", "ways=8 max_bytes=1024", "max_bytes");
    refused("cache.l2", "sets=4096 index=linear", "lines");
    refused("cache.l1", "port_width=48", "divisor");
    refused("cache.l2", "allocate=fill", "allocate = miss");
    refused("cache.l2", "allocate=streaming write_allocate=none", "write = back");
    refused("cache.l1", "allocate=fill write_allocate=lazy", "write_allocate = lazy");
    refused("cache.l1", "allocate=streaming write_allocate=fetch", "allocate = streaming");
}

/* A cache that only reads may allocate at the fill, whatever it would do with writes. */
static void test_read_only_on_fill(void)
{
    Rig *r =
        rig_new("cache.l1",
                "sector=false sets=64 ways=16 write=read_only allocate=fill mshr=sector_assoc", 4);
    const WwCacheFacts *f = r->c->facts(r->self);
    g_assert_cmpuint(f->atom, ==, 128);
    g_assert_cmpuint(f->mshr_sectors, ==, 4);
    g_assert_cmpint(f->write, ==, WW_WRITE_READ_ONLY);
    rig_free(r);
}

/* A transaction that cannot be the cache's ends the run with a reason. */
static void test_misfit(void)
{
    Rig *r = rig_new("cache.l1", NULL, 4);
    g_assert_cmpint(rig_access(r, rig_line(r, false, 0x1000)), ==, WW_CACHE_RESERVATION_FAIL);
    const GError *e = ww_machine_error(ww_harness_machine(r->h));
    g_assert_error(e, WW_ERROR, WW_ERROR_MODEL);
    g_assert_nonnull(strstr(e->message, "at most 32 bytes in one sector"));
    rig_free(r);
}

static void test_set_index(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    for (int i = 0; i < 2000; i++) {
        uint64_t addr = (uint64_t)g_rand_int(random) << 17 ^ g_rand_int(random);
        g_assert_cmpuint(set_index(SET_LINEAR, addr, 7, 4), ==, addr / 128 % 4);
        g_assert_cmpuint(set_index(SET_XOR, addr, 7, 16), ==,
                         (addr / 128 % 16) ^ (addr / 2048 % 16));
        g_assert_cmpuint(set_index(SET_XOR, addr, 7, 53), ==, /* bits of 52, and six above five */
                         (addr / 128 & 52) ^ (addr / 4096 & 52));
        g_assert_cmpuint(set_index(SET_CUSTOM, addr, 7, 16), ==, 0);
        g_assert_cmpuint(set_index(SET_LINEAR, addr, 7, 3), ==, addr / 128 / 2 % 2 * 2);
        for (uint32_t sets = 1; sets <= 7; sets++) {
            g_assert_cmpuint(set_index(SET_MODULO, addr, 7, sets), ==, addr / 128 % sets);
        }
        g_assert_cmpuint(set_index(SET_IPOLY_CODE, addr, 7, 128), ==,
                         ww_hash_ipoly_code(addr / 128 / 128, (uint32_t)(addr / 128 % 128), 128));
        for (uint32_t sets = 16; sets <= 128; sets *= 2) {
            g_assert_cmpuint(set_index(SET_IPOLY, addr, 7, sets), ==,
                             ww_hash_ipoly(addr / 128 / sets, (uint32_t)(addr / 128 % sets), sets));
        }
        uint64_t upper = (addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4;
        g_assert_cmpuint(set_index(SET_FERMI, addr, 7, 32), ==, (addr >> 7 & 31) ^ upper);
        g_assert_cmpuint(set_index(SET_FERMI, addr, 7, 64), ==,
                         ((addr >> 7 & 31) ^ upper) | (addr >> 12 & 1) << 5);
    }
}

/* The second level looks at the address within the partition. */
static void test_partition_index(void)
{
    Rig *r = rig_new("cache.l2", "sets=2 ways=1 index=linear write_allocate=lazy", 8);
    WwMemReq *a = rig_req(r, false, 0x1000, 4), *b = rig_req(r, false, 0x2000, 4);
    a->at.partition = 0;
    b->at.partition = 128; /* the other set, though the addresses say the same one */
    g_assert_cmpint(rig_access(r, a), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_access(r, b), ==, WW_CACHE_MISS);
    rig_free(r);
    r = rig_new("cache.l1", "sets=2 ways=1", 8);
    g_assert_cmpint(rig_read(r, 0x1000), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, 0x2000), ==, WW_CACHE_RESERVATION_FAIL);
    rig_free(r);
}

/* Over three sets: by two bits of the address as they are, so that one set stays empty; or by the remainder. */
static void test_three_sets(void)
{
    static const struct {
        const char *index;
        uint32_t full[3]; /* Lines that share a set of two ways. */
        uint32_t other;   /* Lies elsewhere. */
    } kinds[] = {{"linear", {0, 1, 4}, 2}, {"modulo", {0, 3, 6}, 2}};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autofree char *params =
            g_strdup_printf("sets=3 ways=2 max_bytes=1536 index=%s", kinds[k].index);
        Rig *r = rig_new("cache.l1", params, 16);
        g_assert_cmpuint(r->c->facts(r->self)->sets, ==, 3);
        g_assert_cmpuint(r->c->facts(r->self)->most_ways, ==, 4);
        g_assert_cmpint(rig_read(r, 128ull * kinds[k].full[0]), ==, WW_CACHE_MISS);
        g_assert_cmpint(rig_read(r, 128ull * kinds[k].full[1]), ==, WW_CACHE_MISS);
        g_assert_cmpint(rig_read(r, 128ull * kinds[k].full[2]), ==, WW_CACHE_RESERVATION_FAIL);
        g_assert_cmpint(rig_read(r, 128ull * kinds[k].other), ==, WW_CACHE_MISS);
        rig_settle(r);
        g_assert_cmpint(rig_read(r, 128ull * kinds[k].full[1]), ==, WW_CACHE_HIT);
        rig_free(r);
    }
}

void register_shape_tests(void)
{
    g_test_add_func("/cache/shape/refusals", test_refusals);
    g_test_add_func("/cache/shape/read-only-on-fill", test_read_only_on_fill);
    g_test_add_func("/cache/shape/misfit", test_misfit);
    g_test_add_func("/cache/shape/set-index", test_set_index);
    g_test_add_func("/cache/shape/three-sets", test_three_sets);
    g_test_add_func("/cache/shape/partition-index", test_partition_index);
}
