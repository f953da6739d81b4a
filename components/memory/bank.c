/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bank hashes. The polynomial one is linear over GF(2): each bit of the result is the parity of
 * some of the higher bits and a lower one.
 */
#include "bank-priv.h"

/* Higher bits that each bit of the result depends on (Rau, "Pseudo-randomly interleaved memory"),
 * for 16, 32 and 64 banks. */
static const uint32_t ipoly16[] = {0x00f59, 0x011eb, 0x003d6, 0x007ac};
static const uint32_t ipoly32[] = {0x03e69, 0x07cd2, 0x047cd, 0x00f9a, 0x01f34};
static const uint32_t ipoly64[] = {0x79461, 0x0bca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30};

static uint32_t ipoly(uint64_t high, uint32_t low, uint32_t banks)
{
    const uint32_t *mask = banks == 16 ? ipoly16 : banks == 32 ? ipoly32 : ipoly64;
    for (uint32_t i = 0; 1u << i < banks; i++) {
        low ^= (uint32_t)__builtin_parityll(high & mask[i]) << i;
    }
    return low;
}

uint32_t bank_of(BankHash hash, uint64_t addr, uint32_t shift, uint32_t banks)
{
    uint64_t block = addr >> shift;
    uint32_t low = (uint32_t)block & (banks - 1);
    if (hash == BANK_LINEAR) {
        return low;
    }
    uint64_t high = block >> __builtin_ctz(banks);
    return hash == BANK_XOR ? low ^ ((uint32_t)high & (banks - 1)) : ipoly(high, low, banks);
}

bool bank_hash_fits(BankHash hash, uint32_t banks)
{
    return hash != BANK_IPOLY || banks == 16 || banks == 32 || banks == 64;
}
