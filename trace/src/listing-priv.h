/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Listings: static code beside a trace, as `cuobjdump -sass` and `nvdisasm -hex` print it, or as a cubin has it.
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

/** What a file is, by its first bytes. */
typedef enum WwListingForm {
    WW_LISTING_TEXT,
    WW_LISTING_CUBIN, /**< An ELF file; whether it is a cubin has to be seen. */
    WW_LISTING_FAT,   /**< A fat binary or an archive, with cubins inside. */
} WwListingForm;

/** A function of a listing. */
typedef struct WwListed {
    char *name;
    uint32_t file; /**< Of WwListings. */
    uint32_t arch; /**< 0: the listing does not say. */
    WwListingForm form;
    uint64_t bytes, line; /**< Where it begins: bytes before it, and, of text, lines. */
    uint64_t size;        /**< Bytes of a cubin's. */
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
 * Opens the listings of a trace: @p files (NULL-terminated); if that is NULL those beside file @p trace. Of a list these are `*.sass` and `*.cubin` in its folder; of a
 * @p single file, a kernel trace or a pack, those with its name.
 */
bool ww_listings_open(WwListings *listings, WwHeap *heap, const char *trace, bool single,
                      const char *const *files, GError **error);
/** Adds a function of the file that was added last; the name is copied. */
bool ww_listings_add(WwListings *listings, const WwListed *function, GError **error);
/**
 * The code of function @p name for sm_@p arch into *@p code, NULL when no listing has the function. Of text and cubin it is the text, which has all operands; their
 * bits must be the same. False with @p error: they are not, it is there for other architectures only, or what is there makes no sense.
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

/* ---- cubins (listing_cubin.c) ------------------------------------------------------------------------------------- */

/** Of a file that begins with @p n bytes @p begin, eight if it has them. */
WwListingForm ww_listing_form(const unsigned char *begin, size_t n);
/** Fails: what to do with a file that has cubins inside. */
bool ww_listing_fat(const char *path, GError **error);
/** Adds the functions of an ELF file. */
bool ww_cubin_functions(WwListings *listings, const char *path, GError **error);
/** Reads the instructions of @p function. */
bool ww_cubin_read(const char *path, WwHeap *heap, const WwListed *function, WwCode *code,
                   GError **error);

/* ---- operands (operands.c) ---------------------------------------------------------------------------------------- */

/** Reads one operand, the @p n bytes at @p text. What is none that is known becomes WW_OPERAND_OTHER. */
WwOperand ww_operand_read(const char *text, size_t n);
/** How many of the @p n operands of @p opcode, the first, are written by it. */
uint8_t ww_operands_written(const char *opcode, const WwOperand *operand, uint32_t n);
