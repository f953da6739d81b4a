/* SPDX-License-Identifier: Apache-2.0 */
/* Bank hashes against their definitions. */
#include "tests.h"

#include "components/memory/bank-priv.h"

#include <ports/hash.h>

static void linear_and_xor(void)
{
    g_assert_cmpuint(bank_hash(BANK_LINEAR, 0x1000060, 5, 4), ==, 3);
    g_assert_cmpuint(bank_hash(BANK_LINEAR, 0x1000080, 5, 4), ==, 0);
    g_assert_cmpuint(bank_hash(BANK_LINEAR, 0x1000080, 7, 4), ==, 1);
    g_assert_cmpuint(bank_hash(BANK_LINEAR, 0xffffffffffffffff, 5, 1), ==, 0);
    g_assert_cmpuint(bank_hash(BANK_XOR, 0x60, 5, 4), ==, 3);
    g_assert_cmpuint(bank_hash(BANK_XOR, 0x60 | 2u << 7, 5, 4), ==, 1);
    g_assert_cmpuint(bank_hash(BANK_XOR, 1u << 9, 5, 4), ==, 0);
}

static void polynomial(void)
{
    g_autoptr(GRand) r = g_rand_new_with_seed(1);
    for (uint32_t k = 0; k < 1000; k++) {
        uint64_t a = (uint64_t)g_rand_int(r) << 32 | g_rand_int(r);
        uint32_t block = (uint32_t)(a >> 5);
        g_assert_cmpuint(bank_hash(BANK_IPOLY, a, 5, 16), ==,
                         ww_hash_ipoly(a >> 9, block & 15, 16));
        g_assert_cmpuint(bank_hash(BANK_IPOLY, a, 5, 32), ==,
                         ww_hash_ipoly(a >> 10, block & 31, 32));
        g_assert_cmpuint(bank_hash(BANK_IPOLY, a, 5, 64), ==,
                         ww_hash_ipoly(a >> 11, block & 63, 64));
    }
}

/* Strides of powers of two reach every bank. */
static void spreads(void)
{
    for (uint32_t banks = 16; banks <= 64; banks *= 2) {
        for (uint32_t shift = 5; shift <= 10; shift++) {
            uint64_t seen = 0;
            for (uint32_t i = 0; i < banks; i++) {
                seen |= 1ull << bank_hash(BANK_IPOLY, (uint64_t)i << shift, 5, banks);
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
