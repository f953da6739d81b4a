/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Cubins, the ELF files that ptxas writes and `cuobjdump -xelf` takes out of programs: a function NAME is the section `.text.NAME`, 16 bytes an
 * instruction.
 *
 * The file is looked at once, for its sections (libelf, which believes nothing that a file says); a function's bytes are read from their place
 * in the file when a kernel of its name begins, as text is.
 */
#include "listing-priv.h"
#include "names-priv.h"
#include "sass-priv.h"
#include "text-priv.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#define MOST (512u << 20) /* bytes of a cubin */
#define PIECE (1u << 20)

#ifndef EM_CUDA
#define EM_CUDA 190
#endif

/* The architectures whose instructions have 128 bits with the control field where Volta has it. */
#define FIRST_ARCH 70u
#define LAST_ARCH 129u

WwListingForm ww_listing_form(const unsigned char *begin, size_t n)
{
    static const unsigned char fat[] = {0x50, 0xED, 0x55, 0xBA};
    if (n >= SELFMAG && memcmp(begin, ELFMAG, SELFMAG) == 0) {
        return WW_LISTING_CUBIN;
    }
    if ((n >= sizeof fat && memcmp(begin, fat, sizeof fat) == 0) ||
        (n >= 8 && memcmp(begin, "!<arch>\n", 8) == 0)) {
        return WW_LISTING_FAT;
    }
    return WW_LISTING_TEXT;
}

bool ww_listing_fat(const char *path, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: holds several cubins, packed; expected one, as 'cuobjdump -xelf all %s' "
                   "writes them",
                   path, path);
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

typedef struct Cubin {
    const char *path;
    GByteArray *bytes;
    Elf *elf;
    size_t names; /**< Section with their names. */
    uint32_t arch;
} Cubin;

static bool damaged(const Cubin *c, const char *what, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s: %s; expected a complete cubin", c->path, what);
}

static bool read_whole(Cubin *c, GError **error)
{
    WwStream *stream = ww_stream_open(c->path, error);
    if (stream == NULL) {
        return false;
    }
    bool good = true;
    size_t n = 1;
    while (good && n != 0) {
        guint before = c->bytes->len;
        const char *why = NULL;
        g_byte_array_set_size(c->bytes, before + PIECE);
        if (!ww_stream_read(stream, c->bytes->data + before, PIECE, &n, &why)) {
            n = 0;
            good = ww_fail(error, WW_ERROR_INPUT,
                           "%s: cannot read on: %s; expected a complete file", c->path, why);
        }
        g_byte_array_set_size(c->bytes, before + (guint)n);
        if (c->bytes->len > MOST) {
            good =
                ww_fail(error, WW_ERROR_INPUT, "%s: more than 512 MiB; expected a cubin", c->path);
        }
    }
    ww_stream_free(stream);
    return good;
}

/**
 * The number of the architecture in a header's flags: the low byte until Hopper; the second one where the low one is none, or the highest byte
 * is used, since Blackwell.
 */
static uint32_t arch_of(uint32_t flags)
{
    uint32_t low = flags & 0xFFu, second = flags >> 8 & 0xFFu;
    return flags >> 24 != 0 || low < 20 || low >= 100 ? second : low;
}

/** Is a section of a program or library one that nvcc puts fat binaries into? */
static bool has_fat_section(const Cubin *c)
{
    GElf_Shdr header;
    size_t names;
    if (elf_getshdrstrndx(c->elf, &names) != 0) {
        return false;
    }
    for (Elf_Scn *s = elf_nextscn(c->elf, NULL); s != NULL; s = elf_nextscn(c->elf, s)) {
        const char *name =
            gelf_getshdr(s, &header) != NULL ? elf_strptr(c->elf, names, header.sh_name) : NULL;
        if (name != NULL &&
            (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_fatbin") == 0 ||
             strcmp(name, "__nv_relfatbin") == 0 || strcmp(name, ".nvFatBinSegment") == 0)) {
            return true;
        }
    }
    return false;
}

static bool open_elf(Cubin *c, GError **error)
{
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    const unsigned char *ident = c->bytes->data;
    if (c->bytes->len < EI_NIDENT) {
        return damaged(c, "an ELF file that ends in its header", error);
    }
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: an ELF file of 32 bits or another byte order; expected a cubin, which "
                       "has 64, the low byte first",
                       c->path);
    }
    c->elf = elf_memory((char *)c->bytes->data, c->bytes->len);
    if (c->elf == NULL || elf_kind(c->elf) != ELF_K_ELF || gelf_getehdr(c->elf, &header) == NULL) {
        return damaged(c, "a damaged ELF file", error);
    }
    if (header.e_machine != EM_CUDA) {
        return has_fat_section(c)
                   ? ww_listing_fat(c->path, error)
                   : ww_fail(error, WW_ERROR_INPUT,
                             "%s: an ELF file for machine %u; expected a cubin, which is for %u "
                             "(NVIDIA CUDA)",
                             c->path, header.e_machine, EM_CUDA);
    }
    c->arch = arch_of(header.e_flags);
    size_t n = 0;
    if (header.e_shoff == 0 || elf_getshdrnum(c->elf, &n) != 0 || n == 0 ||
        elf_getshdrstrndx(c->elf, &c->names) != 0) {
        return damaged(c, "an ELF file without its sections", error);
    }
    return true;
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

static bool add_section(Cubin *c, Elf_Scn *section, WwListings *l, GError **error)
{
    GElf_Shdr header;
    char quoted[48];
    const char *name = gelf_getshdr(section, &header) != NULL
                           ? elf_strptr(c->elf, c->names, header.sh_name)
                           : NULL;
    if (name == NULL) {
        return damaged(c, "an ELF file with a section without a name", error);
    }
    if (strncmp(name, ".text.", 6) != 0) {
        return true;
    }
    const char *what = name[6] == '\0'                       ? "is of no function"
                       : header.sh_flags & SHF_COMPRESSED    ? "is compressed"
                       : header.sh_type != SHT_PROGBITS      ? "holds no code"
                       : header.sh_size == 0                 ? "is empty"
                       : header.sh_size % WW_CODE_BYTES != 0 ? "ends in an instruction"
                       : header.sh_offset > c->bytes->len    ? "lies behind the end"
                       : header.sh_size > c->bytes->len - header.sh_offset ? "goes beyond the end"
                                                                           : NULL;
    if (what != NULL) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: section '%s' %s; expected instructions of 16 bytes each", c->path,
                       ww_quote(name, quoted), what);
    }
    return ww_listings_add(l,
                           &(WwListed){.name = (char *)name + 6,
                                       .form = WW_LISTING_CUBIN,
                                       .arch = c->arch,
                                       .bytes = header.sh_offset,
                                       .size = header.sh_size},
                           error);
}

static bool add_sections(Cubin *c, WwListings *l, GError **error)
{
    uint32_t before = l->functions.n;
    for (Elf_Scn *s = elf_nextscn(c->elf, NULL); s != NULL; s = elf_nextscn(c->elf, s)) {
        if (!add_section(c, s, l, error)) {
            return false;
        }
    }
    return l->functions.n != before ||
           ww_fail(error, WW_ERROR_INPUT, "%s: no section .text.NAME; expected a cubin with code",
                   c->path);
}

bool ww_cubin_functions(WwListings *l, const char *path, GError **error)
{
    Cubin c = {.path = path, .bytes = g_byte_array_new()};
    bool good = read_whole(&c, error) && open_elf(&c, error) && add_sections(&c, l, error);
    elf_end(c.elf);
    g_byte_array_unref(c.bytes);
    return good;
}

/* ---- one function ------------------------------------------------------------------------------------------------- */

static uint64_t word_at(const uint8_t *bytes)
{
    uint64_t v;
    memcpy(&v, bytes, sizeof v);
    return GUINT64_FROM_LE(v);
}

/** What is read of a function. */
typedef struct Reading {
    WwCodeInst *inst;
    WW_HEAP_LIST(WwOperand) operands;
    WwNames names;
    WwHeap *heap;
    uint32_t *name; /**< By instruction: number of its opcode. */
} Reading;

/** Bits 12 to 15 of any instruction are its guard: a predicate, and whether it is negated. */
static void read_bits(Reading *r, const uint8_t *bytes, uint32_t i, uint32_t arch)
{
    WwSass sass;
    WwCodeInst *inst = &r->inst[i];
    inst->pc = i * (uint64_t)WW_CODE_BYTES;
    inst->word[0] = word_at(bytes);
    inst->word[1] = word_at(bytes + 8);
    inst->control = ww_control_of(inst->word[1]);
    ww_sass_read(inst->word, inst->pc, arch, &sass);
    inst->guard = inst->word[0] >> 12 & 7u;
    inst->guard_negated = (inst->word[0] >> 15 & 1u) != 0;
    inst->guard_uniform = sass.uniform && (inst->guard != WW_PRED_TRUE || inst->guard_negated);
    inst->bits_only = !sass.known;
    inst->operand = r->operands.n;
    inst->n_operands = sass.n;
    inst->n_dst = sass.n_dst;
    for (uint32_t k = 0; k < sass.n; k++) {
        *WW_HEAP_ADD(r->heap, &r->operands) = sass.operand[k];
    }
    r->name[i] = ww_names_add(&r->names, sass.name);
}

static void keep(WwHeap *heap, const uint8_t *bytes, uint32_t n, WwCode *code)
{
    Reading r = {.inst = WW_HEAP_NEW(heap, WwCodeInst, n), .heap = heap};
    ww_names_init(&r.names, heap);
    r.name = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        read_bits(&r, bytes + i * (size_t)WW_CODE_BYTES, i, code->arch);
    }
    for (uint32_t i = 0; i < n; i++) {
        r.inst[i].opcode = r.names.text[r.name[i]];
    }
    g_free(r.name);
    code->n = n;
    code->inst = r.inst;
    code->operand = r.operands.n != 0 ? r.operands.v : WW_HEAP_NEW(heap, WwOperand, 1);
}

/** @p size bytes at @p place of the file. */
static uint8_t *read_bytes(const char *path, uint64_t place, size_t size, GError **error)
{
    WwStream *stream = ww_stream_open(path, error);
    if (stream == NULL) {
        return NULL;
    }
    g_autofree uint8_t *bytes = g_malloc(size);
    const char *why = "it is shorter than it was";
    size_t have = 0, n = 1;
    bool good = ww_stream_skip(stream, place, &why);
    while (good && n != 0 && have < size) {
        good = ww_stream_read(stream, bytes + have, size - have, &n, &why);
        have += good ? n : 0;
    }
    ww_stream_free(stream);
    if (have < size) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot read on: %s; expected the file as it was", path,
                why);
        return NULL;
    }
    return g_steal_pointer(&bytes);
}

bool ww_cubin_read(const char *path, WwHeap *heap, const WwListed *f, WwCode *code, GError **error)
{
    if (f->arch < FIRST_ARCH || f->arch > LAST_ARCH) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s: is for sm_%u; expected sm_%u to sm_%u, whose instructions have 128 bits", path,
            f->arch, FIRST_ARCH, LAST_ARCH);
    }
    if (f->size / WW_CODE_BYTES > WW_LISTING_MAX_INSTS) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: more than a million instructions in %s; expected a function", path,
                       f->name);
    }
    g_autofree uint8_t *bytes = read_bytes(path, f->bytes, (size_t)f->size, error);
    if (bytes == NULL) {
        return false;
    }
    code->name = f->name;
    code->file = ww_heap_text(heap, path, strlen(path));
    code->arch = f->arch;
    keep(heap, bytes, (uint32_t)(f->size / WW_CODE_BYTES), code);
    return true;
}
