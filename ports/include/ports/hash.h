/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Hashes of address bits over places: banks, sets, slices. The polynomial one is over 16 to 1024 places, a power of two (B. R. Rau,
 * "Pseudo-randomly interleaved memory", ISCA 1991): the address, read as a polynomial over GF(2), is divided by a primitive one:
 * x^4 + x + 1, x^5 + x^2 + 1, x^6 + x + 1, x^7 + x^3 + 1, x^8 + x^4 + x^3 + x^2 + 1, x^9 + x^4 + 1 or x^10 + x^3 + 1; the remainder is
 * the place. Neighbours and strides of powers of two reach every place.
 * Of the bits above the plain index only the lowest 13, 15 or 19 take part over 16, 32 and 64 places, as in the reference, else 40.
 *
 * The simulator that was released with MICRO'25's modern SM names these polynomials from 128 places on, too, but its equations are not
 * their remainders: ww_hash_ipoly_code() is what it does.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <warpwright/base.h>

/** Is there a polynomial for @p places? */
WW_API bool ww_hash_ipoly_fits(uint32_t places);

/** What each byte of the address bits above the index adds to the remainder: of 16, 32 and 64 places. */
WW_API extern const uint8_t ww_hash_ipoly_rests[3][3][256];

/** The same of 128, 256, 512 and 1024 places. */
typedef uint16_t WwIpolyRests[4][5][256];
/** These tables: of the polynomials above, and of the released simulator's equations (ww_hash_ipoly_code()). */
WW_API extern const WwIpolyRests ww_hash_ipoly_more, ww_hash_ipoly_coded;

/** The remainder by @p rests, one of the two tables above, for @p places from 128 on: see ww_hash_ipoly(). */
static inline uint32_t ww_hash_ipoly_by(const WwIpolyRests *rests, uint64_t high, uint32_t index,
                                        uint32_t places)
{
    const uint16_t(*rest)[256] = (*rests)[31 - __builtin_clz(places) - 7];
    return (rest[0][high & 0xff] ^ rest[1][high >> 8 & 0xff] ^ rest[2][high >> 16 & 0xff] ^
            rest[3][high >> 24 & 0xff] ^ rest[4][high >> 32 & 0xff] ^ index) &
           (places - 1);
}

/**
 * The place, below @p places, of what has the plain index @p index and the address bits @p high above it.
 * ww_hash_ipoly_fits() must hold; bits of @p index that choose no place are dropped.
 */
static inline uint32_t ww_hash_ipoly(uint64_t high, uint32_t index, uint32_t places)
{
    if (places > 64) {
        return ww_hash_ipoly_by(&ww_hash_ipoly_more, high, index, places);
    }
    const uint8_t(*rest)[256] = ww_hash_ipoly_rests[places >> 5];
    return (rest[0][high & 0xff] ^ rest[1][high >> 8 & 0xff] ^ rest[2][high >> 16 & 0xff] ^ index) &
           (places - 1);
}

/**
 * The same by the released simulator's equations: over N = 2^n places from 128 on, the least bit of the place takes the bits 0, i, j, ...
 * above the index, bit k those that lie k higher, and the upper bits also take bit k - t (t = 3, 4, 4, 3).
 */
static inline uint32_t ww_hash_ipoly_code(uint64_t high, uint32_t index, uint32_t places)
{
    return places > 64 ? ww_hash_ipoly_by(&ww_hash_ipoly_coded, high, index, places)
                       : ww_hash_ipoly(high, index, places);
}

/** Which of what has a plain index and address bits above it goes where. */
typedef enum WwHash {
    WW_HASH_LINEAR, /**< By the plain index. */
    WW_HASH_XOR, /**< By the plain index xor the next bits, as many as choose a place; over a power of two. */
    WW_HASH_IPOLY, /**< By ww_hash_ipoly(). */
    WW_N_HASHES
} WwHash;
/** Their names, for choices. */
#define WW_HASH_LABELS "linear", "xor", "ipoly"

/** Can @p hash spread over @p places? */
static inline bool ww_hash_fits(WwHash hash, uint32_t places)
{
    return hash == WW_HASH_LINEAR ||
           (hash == WW_HASH_XOR ? (places & (places - 1)) == 0 : ww_hash_ipoly_fits(places));
}

/** The place, below @p places, of what has the plain index @p index and the address bits @p high above it. */
static inline uint32_t ww_hash_place(WwHash hash, uint64_t high, uint32_t index, uint32_t places)
{
    switch (hash) {
    case WW_HASH_XOR:
        return (index ^ (uint32_t)high) & (places - 1);
    case WW_HASH_IPOLY:
        return ww_hash_ipoly(high, index, places);
    default:
        return index % places;
    }
}
