/* SPDX-License-Identifier: Apache-2.0 */
/* The hash puts bits back; here it is what it is meant to be, a remainder, by long division. */
#include "tests.h"

#include <ports/hash.h>

typedef struct Polynomial {
    uint32_t bits;    /* 2^bits places */
    uint64_t divisor; /* primitive, of that degree */
    uint32_t high;    /* bits above the index that take part */
} Polynomial;

static const Polynomial polynomials[] = {
    {4, 1 << 4 | 1 << 1 | 1, 13},
    {5, 1 << 5 | 1 << 2 | 1, 15},
    {6, 1 << 6 | 1 << 1 | 1, 19},
    {7, 1 << 7 | 1 << 3 | 1, 40},
    {8, 1 << 8 | 1 << 4 | 1 << 3 | 1 << 2 | 1, 40},
    {9, 1 << 9 | 1 << 4 | 1, 40},
    {10, 1 << 10 | 1 << 3 | 1, 40},
};

static uint32_t remainder_of(const Polynomial *p, uint64_t high, uint32_t index)
{
    uint64_t rest = (high & ((1ull << p->high) - 1)) << p->bits | index;
    for (uint32_t i = p->high; i-- > 0;) {
        if (rest >> (i + p->bits) & 1u) {
            rest ^= p->divisor << i;
        }
    }
    return (uint32_t)rest;
}

static void test_remainder(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    for (size_t k = 0; k < G_N_ELEMENTS(polynomials); k++) {
        const Polynomial *p = &polynomials[k];
        uint32_t places = 1u << p->bits;
        for (int i = 0; i < 5000; i++) {
            uint64_t high = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
            uint32_t index = g_rand_int(random) & (places - 1);
            uint32_t place = ww_hash_ipoly(high, index, places);
            g_assert_cmpuint(place, ==, remainder_of(p, high, index));
            g_assert_cmpuint(ww_hash_ipoly(high, index | places * 5, places), ==, place);
        }
    }
}

/* A stride of a power of two reaches every place, as long as the hash sees the bits that it moves. */
static void test_spread(void)
{
    for (size_t k = 0; k < G_N_ELEMENTS(polynomials); k++) {
        const Polynomial *p = &polynomials[k];
        uint32_t places = 1u << p->bits;
        for (uint32_t shift = 0; shift <= p->high; shift++) {
            g_autofree bool *seen = g_new0(bool, places);
            for (uint64_t i = 0; i < places; i++) {
                uint64_t addr = i << shift;
                seen[ww_hash_ipoly(addr >> p->bits, (uint32_t)addr & (places - 1), places)] = true;
            }
            for (uint32_t i = 0; i < places; i++) {
                g_assert_true(seen[i]);
            }
        }
    }
}

static void test_fits(void)
{
    for (uint32_t places = 0; places <= 2100; places++) {
        bool fits = false;
        for (size_t k = 0; k < G_N_ELEMENTS(polynomials); k++) {
            fits |= places == 1u << polynomials[k].bits;
        }
        g_assert_cmpint(ww_hash_ipoly_fits(places), ==, fits);
    }
}

/* Bit k of the place: parity of the bits of `row` k places further up, and of bit k - `upper`; nothing above bit `last`. */
static void test_code(void)
{
    static const struct {
        uint32_t bits, upper, last;
        uint64_t row;
    } rows[] = {
        {7, 3, 18, 0x1fc9}, {8, 4, 26, 0xeb49d}, {9, 4, 33, 0x2ea9111}, {10, 3, 39, 0x5d551209}};
    g_autoptr(GRand) random = g_rand_new_with_seed(12);
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
        uint32_t places = 1u << rows[k].bits;
        for (int i = 0; i < 5000; i++) {
            uint64_t high = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
            uint64_t part = high & ((2ull << rows[k].last) - 1);
            uint32_t index = g_rand_int(random) & (places - 1), place = index;
            for (uint32_t b = 0; b < rows[k].bits; b++) {
                place ^= (uint32_t)__builtin_parityll(part & rows[k].row << b) << b;
                if (b >= rows[k].upper) {
                    place ^= (uint32_t)(part >> (b - rows[k].upper) & 1u) << b;
                }
            }
            g_assert_cmpuint(ww_hash_ipoly_code(high, index, places), ==, place);
        }
    }
    for (uint32_t places = 16; places <= 64; places *= 2) {
        g_assert_cmpuint(ww_hash_ipoly_code(0x12345, 7, places), ==,
                         ww_hash_ipoly(0x12345, 7, places));
    }
}

/* The plain index; the plain index and as many bits above it; the polynomial. */
static void test_kinds(void)
{
    g_assert_cmpuint(ww_hash_place(WW_HASH_LINEAR, 1, 3, 4), ==, 3);
    g_assert_cmpuint(ww_hash_place(WW_HASH_LINEAR, 1, 7, 6), ==, 1);
    g_assert_cmpuint(ww_hash_place(WW_HASH_LINEAR, UINT64_MAX, UINT32_MAX, 1), ==, 0);
    g_assert_cmpuint(ww_hash_place(WW_HASH_XOR, 0, 3, 4), ==, 3);
    g_assert_cmpuint(ww_hash_place(WW_HASH_XOR, 2, 3, 4), ==, 1);
    g_assert_cmpuint(ww_hash_place(WW_HASH_XOR, 4, 8, 4), ==,
                     0); /* of bits further up it knows nothing */
    g_assert_cmpuint(ww_hash_place(WW_HASH_IPOLY, 0x2345, 9, 16), ==, ww_hash_ipoly(0x2345, 9, 16));
    g_assert_true(ww_hash_fits(WW_HASH_LINEAR, 5) && ww_hash_fits(WW_HASH_XOR, 2));
    g_assert_false(ww_hash_fits(WW_HASH_XOR, 6) || ww_hash_fits(WW_HASH_IPOLY, 4));
    g_assert_true(ww_hash_fits(WW_HASH_IPOLY, 16) && ww_hash_fits(WW_HASH_IPOLY, 64));
}

void add_hash_tests(void)
{
    g_test_add_func("/ports/hash/remainder", test_remainder);
    g_test_add_func("/ports/hash/spread", test_spread);
    g_test_add_func("/ports/hash/fits", test_fits);
    g_test_add_func("/ports/hash/code", test_code);
    g_test_add_func("/ports/hash/kinds", test_kinds);
}
