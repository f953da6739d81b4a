/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders are linear: bit i of one is bit i of the plain index, xor the parity of some of the bits above it. */
#include <ports/hash.h>

/* mask[i]: those bits for bit i of the place. */
static const uint32_t mask16[] = {0x00f59, 0x011eb, 0x003d6, 0x007ac};
static const uint32_t mask32[] = {0x03e69, 0x07cd2, 0x047cd, 0x00f9a, 0x01f34};
static const uint32_t mask64[] = {0x79461, 0x0bca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30};

bool ww_hash_ipoly_fits(uint32_t places)
{
    return places == 16 || places == 32 || places == 64;
}

uint32_t ww_hash_ipoly(uint64_t high, uint32_t index, uint32_t places)
{
    const uint32_t *mask = places == 16 ? mask16 : places == 32 ? mask32 : mask64;
    for (uint32_t i = 0; 1u << i < places; i++) {
        index ^= (uint32_t)__builtin_parity((uint32_t)high & mask[i]) << i;
    }
    return index & (places - 1);
}
