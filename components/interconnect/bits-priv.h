/* SPDX-License-Identifier: Apache-2.0 */
/** @file Masks of more than 64 bits: bit i of word i / 64. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool bit_is_set(const uint64_t *words, uint32_t i)
{
    return (words[i / 64] >> (i % 64) & 1u) != 0;
}

static inline void bit_set(uint64_t *words, uint32_t i)
{
    words[i / 64] |= 1ull << (i % 64);
}

static inline void bit_clear(uint64_t *words, uint32_t i)
{
    words[i / 64] &= ~(1ull << (i % 64));
}

/* The first set bit from @p i on among @p n_words words, or -1. */
static inline int32_t bit_next(const uint64_t *words, uint32_t n_words, uint32_t i)
{
    uint32_t w = i / 64;
    if (w >= n_words) {
        return -1;
    }
    uint64_t m = words[w] & (UINT64_MAX << (i % 64));
    while (m == 0) {
        if (++w == n_words) {
            return -1;
        }
        m = words[w];
    }
    return (int32_t)(w * 64 + (uint32_t)__builtin_ctzll(m));
}

#define FOR_BITS(i, words, n_words)                                                                \
    for (int32_t i = bit_next(words, n_words, 0); i >= 0;                                          \
         i = bit_next(words, n_words, (uint32_t)i + 1))
