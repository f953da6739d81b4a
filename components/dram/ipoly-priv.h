/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file Polynomial hash of address bits over 16, 32 or 64 places (B. R. Rau, "Pseudo-randomly
 * interleaved memory", ISCA 1991): bit i of the result is the parity of some of the higher bits,
 * xor bit i of the index. Kept as masks: three to six parities a hash.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool ipoly_fits(uint32_t places)
{
    return places == 16 || places == 32 || places == 64;
}

static inline uint32_t ipoly(uint64_t high, uint32_t index, uint32_t places)
{
    static const uint32_t mask16[] = {0xf59, 0x11eb, 0x3d6, 0x7ac};
    static const uint32_t mask32[] = {0x3e69, 0x7cd2, 0x47cd, 0xf9a, 0x1f34};
    static const uint32_t mask64[] = {0x79461, 0xbca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30};
    const uint32_t *mask = places == 16 ? mask16 : places == 32 ? mask32 : mask64;
    for (uint32_t i = 0; 1u << i < places; i++) {
        index ^= (uint32_t)__builtin_parity((uint32_t)high & mask[i]) << i;
    }
    return index & (places - 1);
}
