/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Thread blocks as text, as tracers write it: what `trace unpack` gives back, and what `trace pack` compares its input with.
 */
#include "pack-priv.h"

#include <string.h>

#define PIECE (64u << 10)
#define MOST_LINE 2048u /* of what a line has besides its text */

typedef struct Writer {
    WwPackSink sink;
    void *user;
    GError **error;
    size_t n;
    char text[PIECE];
} Writer;

static bool flush(Writer *w)
{
    size_t n = w->n;
    w->n = 0;
    return n == 0 || w->sink(w->user, w->text, n, w->error);
}

static bool room(Writer *w, size_t n)
{
    return PIECE - w->n >= n || flush(w);
}

static void put(Writer *w, const char *text, size_t n)
{
    memcpy(w->text + w->n, text, n);
    w->n += n;
}

static void put_word(Writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_newlines(Writer *w, uint32_t n)
{
    memset(w->text + w->n, '\n', n);
    w->n += n;
}

static void put_hex(Writer *w, uint64_t value, uint32_t digits)
{
    char text[16];
    uint32_t n = 0;
    do {
        text[15 - n++] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    while (n < MIN(digits, sizeof text)) {
        text[15 - n++] = '0';
    }
    put(w, text + 16 - n, n);
}

static void put_dec(Writer *w, uint64_t value)
{
    char text[20];
    uint32_t n = 0;
    do {
        text[19 - n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(w, text + 20 - n, n);
}

static void put_signed(Writer *w, int64_t value)
{
    if (value < 0) {
        put(w, "-", 1);
    }
    put_dec(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void put_addresses(Writer *w, const WwPackStyle *style, const WwAddrBlock *b)
{
    put(w, " ", 1);
    put_dec(w, b->mode);
    if (b->mode == WW_ADDR_LIST && b->n == 0 && style->empty_blank) {
        put(w, " ", 1);
    }
    if (b->mode != WW_ADDR_LIST) {
        put(w, " 0x", 3);
        put_hex(w, b->base, 1);
    }
    if (b->mode == WW_ADDR_STRIDE) {
        put(w, " ", 1);
        put_signed(w, b->stride);
    }
    const int64_t *value = ww_addr_values(b);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->mode == WW_ADDR_LIST) {
            put(w, " 0x", 3);
            put_hex(w, (uint64_t)value[i], 1);
        } else {
            put(w, " ", 1);
            put_signed(w, value[i]);
        }
    }
}

static bool put_line(Writer *w, const WwPackKernel *k, const WwKernelReader *r, const WwCtaBuf *c,
                     uint32_t warp, const WwPackCode *code, uint32_t mask, const WwAddrBlock *b)
{
    if (!room(w, MOST_LINE)) {
        return false;
    }
    if (r->tracer_version < 3) {
        for (uint32_t i = 0; i < 3; i++) {
            put_dec(w, c->pub.id[i]);
            put(w, " ", 1);
        }
        put_dec(w, warp);
        put(w, " ", 1);
    }
    if ((r->tracer_version < 3 ? 4u : 0u) != r->skip) {
        put_dec(w, code->number);
        put(w, " ", 1);
    }
    put_hex(w, code->pc, k->style.pc_digits);
    put(w, " ", 1);
    put_hex(w, mask, 8);
    put(w, " ", 1);
    if (code->n > PIECE / 2) { /* nobody writes such a line */
        if (!flush(w) || !w->sink(w->user, code->text, code->n, w->error)) {
            return false;
        }
    } else if (room(w, code->n + MOST_LINE)) {
        put(w, code->text, code->n);
    } else {
        return false;
    }
    if (b != NULL) {
        put_addresses(w, &k->style, b);
        if (!k->style.no_imm) {
            put(w, " ", 1);
            put_signed(w, code->imm);
        }
    }
    put(w, k->style.line_blank ? " \n" : "\n", 1 + k->style.line_blank);
    return true;
}

static bool put_warp(Writer *w, const WwPackKernel *k, const WwPackCode *code,
                     const WwKernelReader *r, const WwCtaBuf *c, uint32_t warp)
{
    WwAddrRoom held;
    if (!room(w, MOST_LINE)) {
        return false;
    }
    put_word(w, "warp = ");
    put_dec(w, warp);
    put_word(w, "\ninsts = ");
    put_dec(w, c->n_insts[warp]);
    put(w, "\n", 1);
    for (uint32_t i = 0; i < c->n_insts[warp]; i++) {
        const WwAddrBlock *block;
        WwTinst t = ww_cta_inst(c, warp, i, &held, &block);
        if (!put_line(w, k, r, c, warp, &code[t.sinst], t.mask, block)) {
            return false;
        }
    }
    return true;
}

bool ww_pack_text(const WwPackKernel *k, const WwPackCode *code, const WwKernelReader *r,
                  const WwCtaBuf *c, bool first, WwPackSink sink, void *user, GError **error)
{
    g_autofree Writer *w = g_new(Writer, 1);
    w->sink = sink;
    w->user = user;
    w->error = error;
    w->n = 0;
    put_newlines(w, first ? 0 : k->style.between);
    put_word(w, "#BEGIN_TB\n");
    put_newlines(w, k->style.before_id);
    put_word(w, "thread block = ");
    for (uint32_t i = 0; i < 3; i++) {
        put_dec(w, c->pub.id[i]);
        put(w, i < 2 ? "," : "\n", 1);
    }
    put_newlines(w, k->style.before_warp);
    for (uint32_t i = 0; i < c->pub.n_warps; i++) {
        if (!put_warp(w, k, code, r, c, c->order[i]) || !room(w, MOST_LINE)) {
            return false;
        }
        put_newlines(w, i + 1 < c->pub.n_warps ? k->style.after_warp : k->style.after_last);
    }
    put_word(w, "#END_TB");
    return flush(w);
}
