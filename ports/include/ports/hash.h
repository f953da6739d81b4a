/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Polynomial hash of address bits over 16, 32 or 64 places: banks, sets, slices (B. R. Rau, "Pseudo-randomly interleaved
 * memory", ISCA 1991). The address, read as a polynomial over GF(2), is divided by a primitive one: x^4 + x + 1,
 * x^5 + x^2 + 1 or x^6 + x + 1; the remainder is the place. Neighbours and strides of powers of two reach every place.
 * Of the bits above the plain index only the lowest 13, 15 or 19 take part, as in the reference.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <warpwright/base.h>

/** Is there a polynomial for @p places? */
WW_API bool ww_hash_ipoly_fits(uint32_t places);

/**
 * The place, below @p places, of what has the plain index @p index and the address bits @p high above it.
 * ww_hash_ipoly_fits() must hold; bits of @p index that choose no place are dropped.
 */
WW_API uint32_t ww_hash_ipoly(uint64_t high, uint32_t index, uint32_t places);
