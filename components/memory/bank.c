/* SPDX-License-Identifier: Apache-2.0 */
/* Bank hashes. */
#include "bank-priv.h"

#include <ports/hash.h>

uint32_t bank_hash(BankHash hash, uint64_t addr, uint32_t shift, uint32_t banks)
{
    uint64_t block = addr >> shift;
    uint32_t low = (uint32_t)block & (banks - 1);
    if (hash == BANK_LINEAR) {
        return low;
    }
    uint64_t high = block >> __builtin_ctz(banks);
    return hash == BANK_XOR ? low ^ ((uint32_t)high & (banks - 1))
                            : ww_hash_ipoly(high, low, banks);
}

bool bank_hash_fits(BankHash hash, uint32_t banks)
{
    return hash != BANK_IPOLY || ww_hash_ipoly_fits(banks);
}
