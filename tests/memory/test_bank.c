/* SPDX-License-Identifier: Apache-2.0 */
/* Bank hashes against their definitions, bit by bit. */
#include "tests.h"

#include "components/memory/bank-priv.h"

#define BIT(x, i) ((uint32_t)((x) >> (i)&1u))

static void linear_and_xor(void)
{
    g_assert_cmpuint(bank_of(BANK_LINEAR, 0x1000060, 5, 4), ==, 3);
    g_assert_cmpuint(bank_of(BANK_LINEAR, 0x1000080, 5, 4), ==, 0);
    g_assert_cmpuint(bank_of(BANK_LINEAR, 0x1000080, 7, 4), ==, 1);
    g_assert_cmpuint(bank_of(BANK_LINEAR, 0xffffffffffffffff, 5, 1), ==, 0);
    g_assert_cmpuint(bank_of(BANK_XOR, 0x60, 5, 4), ==, 3);
    g_assert_cmpuint(bank_of(BANK_XOR, 0x60 | 2u << 7, 5, 4), ==, 1);
    g_assert_cmpuint(bank_of(BANK_XOR, 1u << 9, 5, 4), ==, 0);
}

static void polynomial(void)
{
    g_autoptr(GRand) r = g_rand_new_with_seed(1);
    for (uint32_t k = 0; k < 1000; k++) {
        uint64_t a = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);
        uint64_t h = a >> 9;
        uint32_t b = (uint32_t)(a >> 5) & 15;
        uint32_t x0 = BIT(h, 11) ^ BIT(h, 10) ^ BIT(h, 9) ^ BIT(h, 8) ^ BIT(h, 6) ^ BIT(h, 4) ^
                      BIT(h, 3) ^ BIT(h, 0) ^ BIT(b, 0);
        uint32_t x3 = BIT(h, 10) ^ BIT(h, 9) ^ BIT(h, 8) ^ BIT(h, 7) ^ BIT(h, 5) ^ BIT(h, 3) ^
                      BIT(h, 2) ^ BIT(b, 3);
        uint32_t bank = bank_of(BANK_IPOLY, a, 5, 16);
        g_assert_cmpuint(bank, <, 16);
        g_assert_cmpuint(BIT(bank, 0), ==, x0);
        g_assert_cmpuint(BIT(bank, 3), ==, x3);
        h = a >> 11;
        b = (uint32_t)(a >> 5) & 63;
        uint32_t y5 = BIT(h, 17) ^ BIT(h, 16) ^ BIT(h, 15) ^ BIT(h, 14) ^ BIT(h, 11) ^ BIT(h, 9) ^
                      BIT(h, 5) ^ BIT(h, 4) ^ BIT(b, 5);
        bank = bank_of(BANK_IPOLY, a, 5, 64);
        g_assert_cmpuint(bank, <, 64);
        g_assert_cmpuint(BIT(bank, 5), ==, y5);
        h = a >> 10;
        b = (uint32_t)(a >> 5) & 31;
        uint32_t z4 = BIT(h, 12) ^ BIT(h, 11) ^ BIT(h, 10) ^ BIT(h, 9) ^ BIT(h, 8) ^ BIT(h, 5) ^
                      BIT(h, 4) ^ BIT(h, 2) ^ BIT(b, 4);
        bank = bank_of(BANK_IPOLY, a, 5, 32);
        g_assert_cmpuint(BIT(bank, 4), ==, z4);
    }
}

/* Strides of powers of two reach every bank. */
static void spreads(void)
{
    for (uint32_t banks = 16; banks <= 64; banks *= 2) {
        for (uint32_t shift = 5; shift <= 10; shift++) {
            uint64_t seen = 0;
            for (uint32_t i = 0; i < banks; i++) {
                seen |= 1ull << bank_of(BANK_IPOLY, (uint64_t)i << shift, 5, banks);
            }
            g_assert_cmpint(__builtin_popcountll(seen), ==, (int)banks);
        }
    }
}

static void fits(void)
{
    g_assert_true(bank_hash_fits(BANK_LINEAR, 4) && bank_hash_fits(BANK_XOR, 2));
    g_assert_true(bank_hash_fits(BANK_IPOLY, 16) && bank_hash_fits(BANK_IPOLY, 32));
    g_assert_true(bank_hash_fits(BANK_IPOLY, 64));
    g_assert_false(bank_hash_fits(BANK_IPOLY, 4) || bank_hash_fits(BANK_IPOLY, 1));
}

void register_bank_tests(void)
{
    g_test_add_func("/memory/bank/linear_and_xor", linear_and_xor);
    g_test_add_func("/memory/bank/polynomial", polynomial);
    g_test_add_func("/memory/bank/spreads", spreads);
    g_test_add_func("/memory/bank/fits", fits);
}
