/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Cubins as tests write them: ELF files with the header of one, sections, and their names.
 */
#pragma once

#include <elf.h>
#include <glib.h>
#include <stdbool.h>

/** A section; the last one has no name. */
typedef struct CubinSection {
    const char *name;
    const void *data;
    size_t size;
    uint32_t type;   /**< 0: SHT_PROGBITS. */
    uint64_t flags;  /**< 0: what code has. */
    uint64_t offset; /**< 0: where its data is put. */
    uint64_t claim;  /**< Bytes that its header says it has; 0: those of its data. */
} CubinSection;

/** What ptxas writes into a header for these. */
#define CUBIN_SM61 0x3d053du
#define CUBIN_SM70 0x460546u
#define CUBIN_SM86 0x560556u

/** The file's bytes; free with g_byte_array_unref(). */
GByteArray *make_cubin(uint32_t flags, const CubinSection *sections);
/** Its header. */
static inline Elf64_Ehdr *cubin_header(GByteArray *cubin)
{
    return (Elf64_Ehdr *)(void *)cubin->data;
}
