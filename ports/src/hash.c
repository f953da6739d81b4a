/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remainders of polynomials over GF(2). What is above x^n is put back below it: x^n is x^tap + 1, so that each turn has (n - tap)
 * bits less to put back. The index itself has none.
 */
#include <ports/hash.h>

/* The remainder of @p high * x^n + @p index for x^n + x^tap + 1, when @p turns put back all of it. */
static inline uint32_t place(uint32_t high, uint32_t index, uint32_t n, uint32_t tap,
                             uint32_t turns)
{
    uint32_t places = 1u << n, rest = high ^ high << tap;
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t above = rest >> n;
        rest = (rest & (places - 1)) ^ above ^ above << tap;
    }
    return (rest ^ index) & (places - 1);
}

bool ww_hash_ipoly_fits(uint32_t places)
{
    return places == 16 || places == 32 || places == 64;
}

uint32_t ww_hash_ipoly(uint64_t high, uint32_t index, uint32_t places)
{
    switch (places) {
    case 16:
        return place((uint32_t)high & 0x1fffu, index, 4, 1, 4);
    case 32:
        return place((uint32_t)high & 0x7fffu, index, 5, 2, 4);
    default:
        return place((uint32_t)high & 0x7ffffu, index, 6, 1, 3);
    }
}
