/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operands from the bits of an instruction, as far as that is known.
 */
#pragma once

#include "listing-priv.h"

#define WW_SASS_LATER 90u /**< Since this architecture numbers and fields mean other things. */

/** Kinds of data, and what stands for negated and absolute values. */
enum {
    WW_SASS_BITS,   /**< Nothing is negated. */
    WW_SASS_INT,    /**< Negated. */
    WW_SASS_FLOAT,  /**< Negated, absolute; immediates are singles, */
    WW_SASS_DOUBLE, /**< the upper halves of doubles, */
    WW_SASS_HALF,   /**< pairs of halves, */
    WW_SASS_HALF3,  /**< with the third source's signs elsewhere. */
    WW_SASS_FIRST,  /**< The first and the second source may be negated, the third not. */
    WW_SASS_DATA = 7,
    WW_SASS_UNIFORM = 8, /**< Added: registers and predicates are uniform. */
};

typedef struct WwSassOpcode {
    const char *name;
    const char *operands; /**< A letter each, see sass.c; NULL: not known. */
    uint8_t data;
    uint8_t forms; /**< Bit i: of this form (bits 9 to 11) they are known. */
} WwSassOpcode;

/** By its number, NULL where there is none that is known on sm_@p arch. */
const WwSassOpcode *ww_sass_opcode(uint64_t low, uint32_t arch);

/** Were the operands of words of this number and form compared with texts of sm_@p arch? */
bool ww_sass_compared(uint64_t low, uint32_t arch);

/** What an instruction's bits say. */
typedef struct WwSass {
    const char *name; /**< "": not known. */
    bool known;       /**< The operands are. */
    bool uniform;     /**< Its guard is a uniform predicate. */
    uint8_t n, n_dst;
    WwOperand operand[WW_LISTING_OPERANDS];
} WwSass;

void ww_sass_read(const uint64_t word[2], uint64_t pc, uint32_t arch, WwSass *out);
