/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding: the masks of known configurations, hashes, channel counts that are no power of two,
 * refusals.
 */
#include "tests.h"

#include <ports/hash.h>
#include <string.h>

#define QV100                                                                                      \
    "mapping=dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"
#define RTX3070                                                                                    \
    "mapping=dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"

static WwHarness *map_new(const char *params)
{
    WwHarness *h = ww_harness_new(registry, "address_map", params);
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

static WwAddress decode(WwHarness *h, uint64_t addr)
{
    void *self;
    const WwAddressMapIf *map = ww_harness_table(h, "address_map", &self);
    WwAddress a;
    map->decode(self, addr, &a);
    return a;
}

/* Bits of @p mask in @p addr, packed, one by one. */
static uint64_t pack(uint64_t addr, uint64_t mask)
{
    uint64_t value = 0;
    for (uint32_t i = 0, n = 0; i < 64; i++) {
        if (mask >> i & 1u) {
            value |= (addr >> i & 1u) << n++;
        }
    }
    return value;
}

typedef struct Known {
    const char *params;
    uint64_t channel, bank, row, column, slice;
} Known;

static void test_known_masks(void)
{
    static const Known known[] = {
        {"channels=32 slices_per_channel=2 " QV100, 0x1f00, 0xe2000, 0x1fff00000, 0x1c0ff, 0x2000},
        {"channels=16 slices_per_channel=2 " RTX3070, 0xf00, 0x70080, 0xfff80000, 0xf07f, 0x80},
    };
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (size_t k = 0; k < G_N_ELEMENTS(known); k++) {
        g_autoptr(WwHarness) h = map_new(known[k].params);
        for (int i = 0; i < 1000; i++) {
            uint64_t addr = (uint64_t)g_rand_int(random) << 20 ^ g_rand_int(random);
            WwAddress a = decode(h, addr);
            g_assert_cmpuint(a.channel, ==, pack(addr, known[k].channel));
            g_assert_cmpuint(a.bank, ==, pack(addr, known[k].bank));
            g_assert_cmpuint(a.row, ==, (uint32_t)pack(addr, known[k].row));
            g_assert_cmpuint(a.column, ==, pack(addr, known[k].column));
            g_assert_cmpuint(a.slice, ==, 2 * a.channel + (a.bank & 1));
            g_assert_cmpuint(a.partition, ==, pack(addr, ~(known[k].channel | known[k].slice)));
        }
    }
}

static void test_ipoly(void)
{
    g_autoptr(WwHarness) v = map_new("channels=32 slices_per_channel=2 indexing=ipoly " QV100);
    g_autoptr(WwHarness) a = map_new("channels=16 slices_per_channel=2 indexing=ipoly " RTX3070);
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    for (int i = 0; i < 2000; i++) {
        uint64_t addr = (uint64_t)g_rand_int(random) << 10 ^ g_rand_int(random);
        uint32_t x = 2 * (uint32_t)pack(addr, 0x1f00) + (uint32_t)(addr >> 13 & 1u);
        WwAddress d = decode(v, addr);
        g_assert_cmpuint(d.slice, ==, ww_hash_ipoly(addr >> 14, x, 64));
        g_assert_cmpuint(d.channel, ==, d.slice / 2);
        g_assert_cmpuint(d.bank, ==, pack(addr, 0xe2000)); /* not changed by the hash */
        x = 2 * (uint32_t)pack(addr, 0xf00) + (uint32_t)(addr >> 7 & 1u);
        d = decode(a, addr);
        g_assert_cmpuint(d.slice, ==, ww_hash_ipoly(addr >> 13, x, 32));
    }
}

/* More than 64 slices: remainders of larger polynomials, or the equations of the modern SM's simulator. */
static void test_ipoly_128(void)
{
    g_autoptr(WwHarness) p = map_new("channels=32 slices_per_channel=4 indexing=ipoly " QV100);
    g_autoptr(WwHarness) c = map_new("channels=32 slices_per_channel=4 indexing=ipoly_code " QV100);
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    uint32_t differ = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t addr = (uint64_t)g_rand_int(random) << 10 ^ g_rand_int(random);
        WwAddress d = decode(p, addr), e = decode(c, addr);
        uint32_t x = 4 * (uint32_t)pack(addr, 0x1f00) + (d.bank & 3u);
        uint64_t high = addr >> 15;
        g_assert_cmpuint(d.slice, ==, ww_hash_ipoly(high, x, 128));
        g_assert_cmpuint(e.slice, ==, ww_hash_ipoly_code(high, x, 128));
        g_assert_cmpuint(e.channel, ==, e.slice / 4);
        g_assert_cmpuint(e.bank, ==, d.bank);
        differ += d.slice != e.slice;
    }
    g_assert_cmpuint(differ, >, 0);
}

/*
 * 24 channels: the remainder chooses the channel, the quotient takes the place of the higher bits.
 */
static void test_no_power_of_two(void)
{
    g_autoptr(WwHarness) h = map_new("channels=24 slices_per_channel=2 " QV100);
    g_autoptr(WwHarness) p = map_new("channels=24 slices_per_channel=2 indexing=ipoly " QV100);
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    for (int i = 0; i < 2000; i++) {
        uint64_t addr = (uint64_t)g_rand_int(random) << 10 ^ g_rand_int(random);
        uint64_t q = (addr >> 8) / 24, rest = q << 8 | (addr & 0xff);
        uint32_t channel = (uint32_t)((addr >> 8) % 24);
        WwAddress d = decode(h, addr);
        g_assert_cmpuint(d.channel, ==, channel);
        g_assert_cmpuint(d.bank, ==, pack(rest, 0x7100));
        g_assert_cmpuint(d.row, ==, (uint32_t)pack(rest, 0xfff8000));
        g_assert_cmpuint(d.column, ==, pack(rest, 0xeff));
        g_assert_cmpuint(d.slice, ==, 2 * channel + (d.bank & 1));
        g_assert_cmpuint(d.partition, ==, pack(rest, ~(uint64_t)0x100));
        uint32_t x = ww_hash_ipoly(q, 2 * channel + (d.bank & 1), 64) % 48;
        d = decode(p, addr);
        g_assert_cmpuint(d.slice, ==, x);
        g_assert_cmpuint(d.channel, ==, x / 2);
    }
}

static void test_xor(void)
{
    g_autoptr(WwHarness) h = map_new("channels=16 slices_per_channel=2 indexing=xor " RTX3070);
    WwAddress d = decode(h, 0x5000 | 0x300 | 0x80); /* higher bits from 13 on: 2 */
    g_assert_cmpuint(d.channel, ==, 3 ^ 2);
    g_assert_cmpuint(d.slice, ==, 2 * (3 ^ 2) + 1);
}

/* Blocks of addresses: places of neighbours, asked for one by one and by block. */
static void test_block(void)
{
    static const struct {
        const char *params;
        uint32_t bytes;
    } maps[] = {
        {"channels=32 slices_per_channel=2 indexing=ipoly " QV100, 256},
        {"channels=24 slices_per_channel=2 indexing=ipoly " QV100, 256},
        {"channels=16 slices_per_channel=2 indexing=ipoly " RTX3070, 128},
        {"channels=16 slices_per_channel=2 indexing=xor " RTX3070, 128},
        {"channels=8 slices_per_channel=1 mapping= mask=160", 64},
        {"channels=4 slices_per_channel=1 mapping= mask=100", 1},
        {"channels=8 slices_per_channel=2 indexing=random " RTX3070, 0},
    };
    g_autoptr(GRand) random = g_rand_new_with_seed(4);
    for (size_t k = 0; k < G_N_ELEMENTS(maps); k++) {
        g_autoptr(WwHarness) h = map_new(maps[k].params);
        WwPort port = {.table = ww_harness_table(h, "address_map", &port.peer)};
        WwPlacer placer;
        WwAddress got;
        ww_placer_begin(&placer, &port);
        g_assert_cmpuint(WW_ADDRESS_MAP(&port)->block(port.peer), ==, maps[k].bytes);
        g_assert_cmpint(placer.early, ==, maps[k].bytes == 0);
        uint64_t addr = 0;
        for (int i = 0; i < 4000; i++) {
            addr = i % 4 == 0 ? (uint64_t)g_rand_int(random) << 13 ^ g_rand_int(random)
                              : addr ^ (uint64_t)g_rand_int_range(random, 0, 512);
            WwAddress want = decode(h, addr);
            ww_place(&placer, &port, addr, &got);
            g_assert_cmphex(got.partition, ==, want.partition);
            g_assert_cmpuint(got.channel, ==, want.channel);
            g_assert_cmpuint(got.slice, ==, want.slice);
            g_assert_cmpuint(got.bank, ==, want.bank);
            g_assert_cmpuint(got.row, ==, want.row);
            g_assert_cmpuint(got.column, ==, want.column);
        }
    }
}

/*
 * The first draws of the C library's generator seeded with 1, one for each region of 2^start /
 * slices bytes.
 */
static void test_random(void)
{
    g_autoptr(WwHarness) h = map_new("channels=8 slices_per_channel=2 indexing=random " RTX3070);
    static const uint32_t draws[] = {1804289383, 846930886, 1681692777, 1714636915};
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 4; i++) {
            WwAddress d = decode(h, 0x40000 + 128 * i + 4);
            g_assert_cmpuint(d.slice, ==, draws[i] % 16);
            g_assert_cmpuint(d.channel, ==, draws[i] % 16 / 2);
        }
        for (uint32_t i = 0; i < 5000; i++) { /* more than the table begins with */
            decode(h, 0x1000000 + 128 * i);
        }
        if (round == 0) {
            g_assert_cmpuint(decode(h, 0x40000).slice, ==, draws[0] % 16);
            ww_harness_reset(h);
        }
    }
}

static void test_d_letters(void)
{
    g_autoptr(WwHarness) h =
        map_new("channels=4 mapping=00000000|00000000|00000000|00000000|RRRRRRRR|RRRRRRBB|BCCCCCDD|"
                "CCCSSSSS");
    WwAddress d = decode(h, 0x12345678);
    g_assert_cmpuint(d.channel, ==, 0x12345678 >> 8 & 3);
    g_assert_cmpuint(d.bank, ==, 0x12345678 >> 15 & 7);
    g_assert_cmpuint(d.row, ==, 0x12345678 >> 18);
    g_assert_cmpuint(d.slice, ==, d.channel);
}

/* The higher bits begin where the reference's do: one below the number of channel bits. */
static void test_d_letters_xor(void)
{
    g_autoptr(WwHarness) h = map_new("channels=4 indexing=xor mapping=00000000|00000000|00000000|"
                                     "00000000|RRRRRRRR|RRRRRRBB|BCCCCCDD|CCCSSSSS");
    for (uint32_t bits = 0; bits < 16; bits++) {
        WwAddress d = decode(h, (bits & 3u) << 8 | bits >> 2 << 1);
        g_assert_cmpuint(d.channel, ==, (bits & 3u) ^ bits >> 2);
    }
}

/* Fewer than channels have bits: those above have nothing, unless something is mixed in. */
static void test_few_d_letters(void)
{
    static const char few[] =
        "channels=8 slices_per_channel=2 indexing=%s "
        "mapping=00000000|00000000|00000000|00000000|RRRRRRRR|RRRRRRBB|BCCCCCCD|CCCSSSSS";
    g_autofree char *plain = g_strdup_printf(few, "consecutive"),
                    *mixed = g_strdup_printf(few, "xor");
    g_autoptr(WwHarness) h = map_new(plain);
    g_autoptr(WwHarness) x = map_new(mixed);
    for (uint32_t i = 0; i < 256; i++) {
        uint64_t addr = i * 0x10f0b8ull;
        WwAddress d = decode(h, addr);
        g_assert_cmpuint(d.channel, ==, addr >> 8 & 1);
        g_assert_cmpuint(d.slice, ==, 2 * d.channel + (addr >> 15 & 1));
        g_assert_cmpuint(decode(x, addr).channel, ==, (addr >> 8 & 1) ^ (addr >> 3 & 7));
    }
}

/* hash_from_bottom = false: the bits above the channel's. */
static void test_hash_above(void)
{
    g_autoptr(WwHarness) h = map_new("channels=4 indexing=xor hash_from_bottom=false "
                                     "mapping=00000000|00000000|00000000|"
                                     "00000000|RRRRRRRR|RRRRRRBB|BCCCCCDD|CCCSSSSS");
    for (uint32_t bits = 0; bits < 16; bits++) {
        WwAddress d = decode(h, bits << 8 | 0x3e);
        g_assert_cmpuint(d.channel, ==, (bits & 3u) ^ bits >> 2);
    }
}

/* The same with the channel's bits on top: none is above them. */
static void test_hash_nothing_above(void)
{
    for (uint32_t top = 0; top < 2; top++) {
        g_autofree char *params = g_strdup_printf(
            "channels=4 indexing=xor hash_from_bottom=false mapping=%s00000|00000000|00000000|"
            "00000000|RRRRRRRR|RRRRRRBB|BCCCCCCC|CCCSSSSS",
            top ? "DD0" : "0DD");
        g_autoptr(WwHarness) h = map_new(params);
        for (uint64_t i = 0; i < 16; i++) {
            g_assert_cmpuint(decode(h, (i & 3) << (top ? 62 : 61) | i * 0x5a3e).channel, ==, i & 3);
        }
    }
}

/* Without dramid@ the reference draws for regions of 2^62 bytes: all that a program touches is one. */
static void test_random_letters(void)
{
    static const char letters[] = "channels=4 slices_per_channel=2 indexing=random "
                                  "mapping=00000000|00000000|00000000|"
                                  "00000000|RRRRRRRR|RRRRRRBB|BCCCCCDD|CCCSSSSS";
    g_autofree char *sensible = g_strdup_printf("hash_from_bottom=false %s", letters);
    g_autoptr(WwHarness) one = map_new(letters);
    g_autoptr(WwHarness) many = map_new(sensible);
    uint32_t seen = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        g_assert_cmpuint(decode(one, i << 7).slice, ==, decode(one, 0).slice);
        g_assert_cmpuint(decode(many, i << 7).slice, ==, decode(many, (i << 7) + 0x7f).slice);
        seen |= 1u << decode(many, i << 7).slice;
    }
    g_assert_cmpuint(seen, ==, 0xff);
}

static void test_mask_number(void)
{
    g_autoptr(WwHarness) h = map_new("channels=8 mask=2");
    WwAddress d = decode(h, 0x12345678);
    g_assert_cmpuint(d.channel, ==, 0x12345678 >> 11 & 7);
    g_assert_cmpuint(d.bank, ==, pack(0x12345678, 0x1800 << 3));
    g_assert_cmpuint(d.row, ==, pack(0x12345678, 0x7ffe000ull << 3));
}

static void refuse(const char *params, const char *word)
{
    WwHarness *h = ww_harness_new(registry, "address_map", params);
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, word));
    ww_harness_free(h);
}

static void test_refusals(void)
{
    refuse("slices_per_channel=3", "power of two");
    refuse("mask=4", "mask");
    refuse("mapping=dramid@8;0000RRRR", "8 letters");
    refuse("mapping=dramid@8;0000RXRR", "'X'");
    refuse("mapping=dramid@x;0000RXRR", "dramid@");
    refuse("channels=4 indexing=ipoly", "16 to 1024");
    refuse("channels=4 indexing=ipoly_code", "indexing = ipoly_code");
    refuse("channels=6 indexing=xor", "power of two");
    refuse("channels=2 mapping=0000000000000000000000000000000000RRRRRRRRRRRRRRRRBBBBCCCDDSSSSS",
           "2 channels with 2 D letters; expected dramid@, or at most a letter for each bit");
    refuse("channels=6 mapping=0000000000000000000000000000000000RRRRRRRRRRRRRRRRBBBBCCCDDSSSSS",
           "6 channels with 2 D letters; expected dramid@");
}

void add_address_map_tests(void)
{
    g_test_add_func("/dram/map/known-masks", test_known_masks);
    g_test_add_func("/dram/map/ipoly", test_ipoly);
    g_test_add_func("/dram/map/ipoly-128", test_ipoly_128);
    g_test_add_func("/dram/map/no-power-of-two", test_no_power_of_two);
    g_test_add_func("/dram/map/xor", test_xor);
    g_test_add_func("/dram/map/block", test_block);
    g_test_add_func("/dram/map/random", test_random);
    g_test_add_func("/dram/map/random-letters", test_random_letters);
    g_test_add_func("/dram/map/d-letters", test_d_letters);
    g_test_add_func("/dram/map/few-d-letters", test_few_d_letters);
    g_test_add_func("/dram/map/d-letters-xor", test_d_letters_xor);
    g_test_add_func("/dram/map/hash-above", test_hash_above);
    g_test_add_func("/dram/map/hash-nothing-above", test_hash_nothing_above);
    g_test_add_func("/dram/map/mask-number", test_mask_number);
    g_test_add_func("/dram/map/refusals", test_refusals);
}
