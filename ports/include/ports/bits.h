/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Bits of masks, counted inline: a portable build has no instruction for it, and the compiler's own function is a call.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** How many bits of @p m are set. */
static inline uint32_t ww_ones(uint64_t m)
{
    m -= m >> 1 & 0x5555555555555555u;
    m = (m & 0x3333333333333333u) + (m >> 2 & 0x3333333333333333u);
    m = (m + (m >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(m * 0x0101010101010101u >> 56);
}

/** The same of 32 bits. */
static inline uint32_t ww_ones32(uint32_t m)
{
    m -= m >> 1 & 0x55555555u;
    m = (m & 0x33333333u) + (m >> 2 & 0x33333333u);
    m = (m + (m >> 4)) & 0x0f0f0f0fu;
    return m * 0x01010101u >> 24;
}

/** Is exactly one bit of @p m set? */
static inline bool ww_one_bit(uint64_t m)
{
    return m != 0 && (m & (m - 1)) == 0;
}

/** Are the set bits of @p m, which is not 0, neighbours all? */
static inline bool ww_one_run(uint64_t m)
{
    m |= m - 1;
    return (m & (m + 1)) == 0;
}
