/* SPDX-License-Identifier: Apache-2.0 */
/* Set index functions of caches. */
#include "set_index-priv.h"

#include <ports/hash.h>

/* Bits 7..11 of a 128-byte line's address, xor bits 13, 14, 15, 17, 19; bit 12 is the sixth. */
static uint32_t fermi(uint64_t addr, uint32_t line_bits, uint32_t sets)
{
    uint64_t lower = addr >> line_bits & 0x1f;
    uint64_t upper = (addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4;
    uint64_t sixth = sets == 64 ? addr >> 12 & 1 : 0;
    return (uint32_t)((lower ^ upper) | sixth << 5);
}

uint32_t set_index(SetFunction function, uint64_t addr, uint32_t line_bits, uint32_t sets)
{
    uint64_t block = addr >> line_bits;
    uint32_t low = (uint32_t)block & (sets - 1);
    uint32_t bits = 31 - (uint32_t)__builtin_clz(sets);
    switch (function) {
    case SET_LINEAR:
        return low;
    case SET_XOR:
        return low ^ ((uint32_t)(block >> bits) & (sets - 1));
    case SET_IPOLY:
        return ww_hash_ipoly(block >> bits, low, sets);
    case SET_FERMI:
        return fermi(addr, line_bits, sets);
    case SET_CUSTOM:
        return 0;
    case SET_MODULO:
        return (uint32_t)(block % sets);
    case SET_IPOLY_CODE:
        return ww_hash_ipoly_code(block >> bits, low, sets);
    }
    return 0;
}

bool set_function_fits(SetFunction function, uint32_t sets)
{
    switch (function) {
    case SET_IPOLY:
    case SET_IPOLY_CODE:
        return ww_hash_ipoly_fits(sets);
    case SET_FERMI:
        return sets == 32 || sets == 64;
    default:
        return true;
    }
}
