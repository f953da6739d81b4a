/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Cubins as tests write them: header, sections, their names, their headers.
 */
#include "cubin.h"

#include <string.h>

#define ALIGN 16u

static uint64_t append(GByteArray *out, const void *data, size_t n)
{
    static const uint8_t zeros[ALIGN];
    g_byte_array_append(out, zeros, (guint)(-out->len % ALIGN));
    uint64_t at = out->len;
    g_byte_array_append(out, data != NULL ? data : zeros, (guint)(data != NULL ? n : 0));
    return at;
}

GByteArray *make_cubin(uint32_t flags, const CubinSection *sections)
{
    g_autoptr(GByteArray) names = g_byte_array_new();
    g_autoptr(GArray) headers = g_array_new(false, true, sizeof(Elf64_Shdr));
    Elf64_Shdr none = {0}, strings = {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 51, 7},
                    .e_type = ET_EXEC,
                    .e_machine = 190,
                    .e_version = 111, /* the toolkit's */
                    .e_flags = flags,
                    .e_ehsize = sizeof h,
                    .e_shentsize = sizeof(Elf64_Shdr)};
    GByteArray *out = g_byte_array_new();
    append(out, &h, sizeof h);
    g_byte_array_append(names, (const guint8 *)"\0.shstrtab", 11);
    g_array_append_val(headers, none);
    for (const CubinSection *s = sections; s->name != NULL; s++) {
        Elf64_Shdr header = {.sh_name = names->len,
                             .sh_type = s->type != 0 ? s->type : SHT_PROGBITS,
                             .sh_flags = s->flags != 0 ? s->flags : SHF_ALLOC | SHF_EXECINSTR,
                             .sh_offset = append(out, s->data, s->size),
                             .sh_size = s->claim != 0 ? s->claim : s->size,
                             .sh_addralign = ALIGN};
        header.sh_offset = s->offset != 0 ? s->offset : header.sh_offset;
        g_byte_array_append(names, (const guint8 *)s->name, (guint)strlen(s->name) + 1);
        g_array_append_val(headers, header);
    }
    strings.sh_offset = append(out, names->data, names->len);
    strings.sh_size = names->len;
    g_array_append_val(headers, strings);
    h.e_shoff = append(out, headers->data, headers->len * sizeof(Elf64_Shdr));
    h.e_shnum = (Elf64_Half)headers->len;
    h.e_shstrndx = (Elf64_Half)(headers->len - 1);
    memcpy(out->data, &h, sizeof h);
    return out;
}
