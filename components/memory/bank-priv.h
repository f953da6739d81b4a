/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bank of the first-level data cache an address falls into: a pure function, used by
 * ldst_l1.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum BankHash {
    BANK_LINEAR, /* the bits above the interleave */
    BANK_XOR,    /* xor of the next higher bits, as many as choose a bank */
    BANK_IPOLY,  /* remainder of an irreducible polynomial; 16, 32 or 64 banks */
    BANK_N_HASHES
} BankHash;

/* The bank of @p addr among @p banks (a power of two), interleaved every 2^@p shift bytes. */
uint32_t bank_hash(BankHash hash, uint64_t addr, uint32_t shift, uint32_t banks);

/* Can @p hash spread over @p banks? */
bool bank_hash_fits(BankHash hash, uint32_t banks);
