/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Listings: static code beside a trace, as `cuobjdump -sass` and `nvdisasm -hex` print it.
 *
 * A listing may be of a whole library, some GB: it is read once to know which functions it has and where, and a function is read when a
 * kernel of its name begins.
 */
#pragma once

#include "stream-priv.h"

#include <ports/code.h>

#define WW_LISTING_MAX_INSTS (1u << 20) /**< Of a function. */
#define WW_LISTING_MAX_FUNCTIONS (1u << 22)
#define WW_LISTING_OPERANDS 16u /**< Of an instruction. */
#define WW_LISTING_OPCODE 127u  /**< Bytes of an opcode. */

/** A function of a listing. */
typedef struct WwListed {
    char *name;
    uint32_t file;        /**< Of WwListings. */
    uint32_t arch;        /**< 0: the listing does not say. */
    uint64_t bytes, line; /**< Where it begins: bytes before it, and lines. */
    const WwCode *code;   /**< NULL: not read yet. */
} WwListed;

typedef struct WwListings {
    WwHeap *heap;
    WW_HEAP_LIST(char *) files;
    WW_HEAP_LIST(WwListed) functions; /**< In the order in which they stand there. */
    uint32_t *index;                  /**< By name, open addressing: number of the first + 1. */
    uint32_t index_mask;
} WwListings;

/**
 * Opens the listings of a trace: @p files (NULL-terminated); if that is NULL those beside file @p trace. Of a list these are `*.sass` in its folder; of a @p single
 * file, a kernel trace or a pack, the one with its name.
 */
bool ww_listings_open(WwListings *listings, WwHeap *heap, const char *trace, bool single,
                      const char *const *files, GError **error);
/**
 * The code of function @p name for sm_@p arch into *@p code, NULL when no listing has the function. False with @p error: it has it for other architectures only,
 * or what is there makes no sense.
 */
bool ww_listings_find(WwListings *listings, const char *name, uint32_t arch, const WwCode **code,
                      GError **error);

/* ---- text (listing_text.c) ---------------------------------------------------------------------------------------- */

/** What a line of a listing is. */
typedef enum WwListingLine {
    WW_LISTING_OTHER,
    WW_LISTING_ARCH,     /**< Names the architecture of the functions that follow. */
    WW_LISTING_FUNCTION, /**< A function begins. */
    WW_LISTING_SECTION,  /**< A section that is no function begins. */
} WwListingLine;

/** @p arch: with ARCH, the number; @p name, @p n: with FUNCTION. */
WwListingLine ww_listing_line(const char *line, uint32_t *arch, const char **name, size_t *n);

/** Reads the instructions of a function; @p lines stands behind the line that names it. @p arch: of the listing, or 0. */
bool ww_listing_read(WwLines *lines, WwHeap *heap, const char *name, uint32_t arch, WwCode *code,
                     GError **error);

/* ---- operands (operands.c) ---------------------------------------------------------------------------------------- */

/** Reads one operand, the @p n bytes at @p text. What is none that is known becomes WW_OPERAND_OTHER. */
WwOperand ww_operand_read(const char *text, size_t n);
/** How many of the @p n operands of @p opcode, the first, are written by it. */
uint8_t ww_operands_written(const char *opcode, const WwOperand *operand, uint32_t n);
