/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file How an address chooses its set: plain, or hashed so that strides do not camp on few sets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum SetFunction {
    SET_LINEAR,     /* the bits above the line that sets - 1 has; of 3 sets these are two */
    SET_XOR,        /* xor of the next higher bits, as many as choose a set */
    SET_IPOLY,      /* remainder of a primitive polynomial; ww_hash_ipoly_fits() */
    SET_FERMI,      /* hand-picked bits; 32 or 64 sets */
    SET_CUSTOM,     /* always set 0 */
    SET_MODULO,     /* the remainder of the line's number */
    SET_IPOLY_CODE, /* as SET_IPOLY, with ww_hash_ipoly_code() */
} SetFunction;

/* The set of @p addr among @p sets (how many fit: see below) for lines of 2^@p line_bits bytes. */
uint32_t set_index(SetFunction function, uint64_t addr, uint32_t line_bits, uint32_t sets);

/* Can @p function spread over @p sets? */
bool set_function_fits(SetFunction function, uint32_t sets);
