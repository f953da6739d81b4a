/* SPDX-License-Identifier: Apache-2.0 */
/* The hash is kept as masks; here it is what it is meant to be, a remainder, by long division. */
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
            uint64_t seen = 0;
            for (uint64_t i = 0; i < places; i++) {
                uint64_t addr = i << shift;
                seen |=
                    1ull << ww_hash_ipoly(addr >> p->bits, (uint32_t)addr & (places - 1), places);
            }
            g_assert_cmpint(__builtin_popcountll(seen), ==, (int)places);
        }
    }
}

static void test_fits(void)
{
    for (uint32_t places = 0; places <= 130; places++) {
        g_assert_cmpint(ww_hash_ipoly_fits(places), ==,
                        places == 16 || places == 32 || places == 64);
    }
}

void add_hash_tests(void)
{
    g_test_add_func("/ports/hash/remainder", test_remainder);
    g_test_add_func("/ports/hash/spread", test_spread);
    g_test_add_func("/ports/hash/fits", test_fits);
}
