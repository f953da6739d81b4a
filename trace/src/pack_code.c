/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Static instructions in a pack's index: column by column, each field by how it differs from the line before. A text that is "destinations OPCODE sources
 * width", and nothing else, is written as these; any other as it is.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <string.h>

typedef enum Column {
    PCS,
    LINES,
    NUMBERS,
    KINDS,
    IMMS,
    COUNTS,
    OPCODES,
    REGS,
    NAMES,
    N_COLUMNS
} Column;

enum { HAS_ADDR = 1, FIELDS = 2, HAS_NUMBER = 4 };
enum { MOST_REGS = 1 + WW_MAX_SRC, MOST_TEXT = 512 };

/** A text by its fields. */
typedef struct Fields {
    const char *opcode;
    uint32_t n_opcode, n_dst, n_src, width;
    uint32_t reg[MOST_REGS];
    int64_t imm; /**< Of one without addresses. */
} Fields;

static const char *get_regs(const char *p, uint32_t max, uint32_t *n, uint32_t *reg)
{
    uint64_t value = 0;
    p = ww_scan_dec(p, max, &value);
    *n = (uint32_t)value;
    for (uint32_t i = 0; p != NULL && i < *n; i++) {
        p = p[0] == ' ' && p[1] == 'R' ? ww_scan_dec(p + 2, 255, &value) : NULL;
        reg[i] = (uint32_t)value;
    }
    return p != NULL && *p == ' ' ? p + 1 : NULL;
}

static void put_regs(GString *out, uint32_t n, const uint32_t *reg)
{
    g_string_append_printf(out, "%u ", n);
    for (uint32_t i = 0; i < n; i++) {
        g_string_append_printf(out, "R%u ", reg[i]);
    }
}

static void write_fields(GString *out, const Fields *f, bool has_addr)
{
    g_string_truncate(out, 0);
    put_regs(out, f->n_dst, f->reg);
    g_string_append_len(out, f->opcode, (gssize)f->n_opcode);
    g_string_append_c(out, ' ');
    put_regs(out, f->n_src, f->reg + f->n_dst);
    g_string_append_printf(out, "%u", f->width);
    if (!has_addr) {
        g_string_append_printf(out, " %" G_GINT64_FORMAT, f->imm);
    }
}

/** Is the text these fields, and nothing else? */
static bool find_fields(const WwPackCode *c, Fields *f, GString *scratch)
{
    uint64_t width;
    const char *p = get_regs(c->text, 1, &f->n_dst, f->reg);
    if (p == NULL) {
        return false;
    }
    f->opcode = p;
    f->n_opcode = (uint32_t)strcspn(p, " ");
    p += f->n_opcode;
    p = *p == ' ' ? get_regs(p + 1, WW_MAX_SRC, &f->n_src, f->reg + f->n_dst) : NULL;
    p = p != NULL ? ww_scan_dec(p, 128, &width) : NULL;
    if (p == NULL || f->n_opcode > 127) {
        return false;
    }
    f->width = (uint32_t)width;
    if (!c->has_addr && (*p != ' ' || ww_scan_signed(p + 1, &f->imm) == NULL)) {
        return false;
    }
    write_fields(scratch, f, c->has_addr);
    return scratch->len == c->n && memcmp(scratch->str, c->text, c->n) == 0;
}

static void add(GByteArray *to, uint64_t value)
{
    uint8_t bytes[10];
    g_byte_array_append(to, bytes, (guint)(ww_put_number(bytes, value) - bytes));
}

static void add_text(GByteArray *to, const char *text, uint32_t n)
{
    add(to, n);
    g_byte_array_append(to, (const guint8 *)text, n);
}

/** An opcode is its number among those before, from 1, or 0 and its text. */
static void add_opcode(GByteArray *const *to, const Fields *f, WwNames *names)
{
    g_autofree char *name = g_strndup(f->opcode, f->n_opcode);
    uint32_t n = names->n, number = ww_names_add(names, name);
    add(to[OPCODES], names->n == n ? number + 1 : 0);
    if (names->n != n) {
        add_text(to[NAMES], name, f->n_opcode);
    }
}

static void add_one(GByteArray *const *to, const WwPackCode *c, const WwPackCode *before,
                    WwNames *names, GString *scratch)
{
    Fields f;
    bool fields = find_fields(c, &f, scratch), number = c->number != before->number;
    add(to[KINDS],
        (c->has_addr ? HAS_ADDR : 0) | (fields ? FIELDS : 0) | (number ? HAS_NUMBER : 0));
    add(to[PCS], ww_fold(c->pc - (before->pc + 16)));
    add(to[LINES], ww_fold((uint64_t)c->line - (before->line + UINT64_C(1))));
    if (number) {
        add(to[NUMBERS], ww_fold(c->number - before->number));
    }
    if (c->has_addr) {
        add(to[IMMS], ww_fold((uint64_t)(int64_t)c->imm));
    }
    if (!fields) {
        add_text(to[NAMES], c->text, c->n);
        return;
    }
    add(to[COUNTS], f.n_dst + 2 * f.n_src);
    add(to[COUNTS], f.width);
    add_opcode(to, &f, names);
    for (uint32_t i = 0; i < f.n_dst + f.n_src; i++) {
        add(to[REGS], f.reg[i]);
    }
    if (!c->has_addr) {
        add(to[IMMS], ww_fold((uint64_t)f.imm));
    }
}

void ww_pack_put_code(GByteArray *out, const WwPackCode *code, uint32_t n)
{
    GByteArray *to[N_COLUMNS];
    WwNames names;
    g_autoptr(WwHeap) heap = ww_heap_new();
    g_autoptr(GString) scratch = g_string_new(NULL);
    const WwPackCode none = {.pc = 0 - UINT64_C(16)};
    ww_names_init(&names, heap);
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        to[i] = g_byte_array_new();
    }
    for (uint32_t i = 0; i < n; i++) {
        add_one(to, &code[i], i == 0 ? &none : &code[i - 1], &names, scratch);
    }
    add(out, n);
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        add(out, to[i]->len);
    }
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        g_byte_array_append(out, to[i]->data, to[i]->len);
        g_byte_array_unref(to[i]);
    }
}

/* ---- back ------------------------------------------------------------------------------------------------------------ */

typedef struct Source {
    WwPackBytes from[N_COLUMNS];
    WwNames names;
    GString *scratch;
    uint64_t *room;
} Source;

/* Of a text in a heap, beside its characters; and of each instruction: PC, line, kind, text. */
enum { TEXT_BYTES = 64, FEWEST_BYTES = 4 };

static bool is_text(const char *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((uint8_t)text[i] < 32) {
            return false;
        }
    }
    return true;
}

/** A text of at most @p most characters; NULL: there is none. */
static const char *get_text(WwPackBytes *b, uint32_t most, uint32_t *n)
{
    uint64_t length = ww_get_number(b);
    if (b->bad || length > most || length > (uint64_t)(b->end - b->p) ||
        !is_text((const char *)b->p, (uint32_t)length)) {
        b->bad = true;
        return NULL;
    }
    *n = (uint32_t)length;
    b->p += length;
    return (const char *)b->p - length;
}

static bool get_opcode(Source *s, Fields *f)
{
    uint64_t number = ww_get_number(&s->from[OPCODES]);
    if (number > s->names.n) {
        return false;
    }
    if (number == 0) {
        const char *text = get_text(&s->from[NAMES], 127, &f->n_opcode);
        if (text == NULL || !ww_pack_afford(s->room, f->n_opcode + TEXT_BYTES)) {
            return false;
        }
        g_autofree char *name = g_strndup(text, f->n_opcode);
        number = ww_names_add(&s->names, name) + UINT64_C(1);
    }
    f->opcode = s->names.text[number - 1];
    f->n_opcode = (uint32_t)strlen(f->opcode);
    return true;
}

static bool get_fields(Source *s, WwPackCode *c)
{
    Fields f = {0};
    uint64_t counts = ww_get_number(&s->from[COUNTS]), width = ww_get_number(&s->from[COUNTS]);
    f.n_dst = counts & 1;
    f.n_src = (uint32_t)(counts >> 1);
    f.width = (uint32_t)width;
    if (counts >> 1 > WW_MAX_SRC || width > 128 || !get_opcode(s, &f)) {
        return false;
    }
    for (uint32_t i = 0; i < f.n_dst + f.n_src; i++) {
        uint64_t reg = ww_get_number(&s->from[REGS]);
        if (reg > 255) {
            return false;
        }
        f.reg[i] = (uint32_t)reg;
    }
    f.imm = c->has_addr ? 0 : (int64_t)ww_unfold(ww_get_number(&s->from[IMMS]));
    write_fields(s->scratch, &f, c->has_addr);
    c->n = (uint32_t)s->scratch->len;
    if (!ww_pack_afford(s->room, c->n + TEXT_BYTES)) {
        return false;
    }
    c->text = ww_heap_text(s->names.heap, s->scratch->str, c->n);
    return true;
}

static bool get_one(Source *s, WwPackCode *c, const WwPackCode *before)
{
    uint64_t kind = ww_get_number(&s->from[KINDS]);
    uint64_t line = ww_unfold(ww_get_number(&s->from[LINES])) + before->line + 1;
    c->has_addr = (kind & HAS_ADDR) != 0;
    c->pc = ww_unfold(ww_get_number(&s->from[PCS])) + before->pc + 16;
    c->line = (uint32_t)line;
    c->number = before->number;
    if (kind & HAS_NUMBER) {
        c->number += ww_unfold(ww_get_number(&s->from[NUMBERS]));
    }
    if (c->has_addr) {
        c->imm = (int32_t)(uint32_t)ww_unfold(ww_get_number(&s->from[IMMS]));
    }
    if (kind & FIELDS) {
        return get_fields(s, c);
    }
    const char *text = get_text(&s->from[NAMES], WW_TRACE_MAX_LINE, &c->n);
    if (text == NULL || !ww_pack_afford(s->room, c->n + TEXT_BYTES)) {
        return false;
    }
    c->text = ww_heap_text(s->names.heap, text, c->n);
    return true;
}

/** All that was read, and nothing more. */
static bool at_end(const Source *s)
{
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        if (s->from[i].bad || s->from[i].p != s->from[i].end) {
            return false;
        }
    }
    return true;
}

static bool find_columns(Source *s, WwPackBytes *in)
{
    uint64_t size[N_COLUMNS];
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        size[i] = ww_get_number(in);
    }
    for (uint32_t i = 0; i < N_COLUMNS; i++) {
        if (in->bad || size[i] > (uint64_t)(in->end - in->p)) {
            return false;
        }
        s->from[i] = (WwPackBytes){.p = in->p, .end = in->p + size[i]};
        in->p += size[i];
    }
    return true;
}

WwPackCode *ww_pack_get_code(WwHeap *heap, WwPackBytes *in, uint64_t *room, uint32_t *n)
{
    uint64_t many = ww_get_number(in);
    Source s = {.room = room};
    if (many > WW_TRACE_MAX_SINSTS || many > (uint64_t)(in->end - in->p) / FEWEST_BYTES ||
        !find_columns(&s, in) || !ww_pack_afford(room, (many + 1) * sizeof(WwPackCode))) {
        return NULL;
    }
    const WwPackCode none = {.pc = 0 - UINT64_C(16)};
    WwPackCode *code = WW_HEAP_NEW(heap, WwPackCode, many + 1);
    bool good = true;
    s.scratch = g_string_new(NULL);
    ww_names_init(&s.names, heap);
    for (uint32_t i = 0; i < many && good; i++) {
        good = get_one(&s, &code[i], i == 0 ? &none : &code[i - 1]);
    }
    ww_names_clear(&s.names);
    g_string_free(s.scratch, true);
    *n = (uint32_t)many;
    return good && at_end(&s) ? code : NULL;
}
