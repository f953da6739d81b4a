/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Thread blocks as bytes of segments: what pack_read.c reads.
 */
#include "pack-write-priv.h"

#include <string.h>

#include <zstd.h>

static void add(WwPackEncoder *e, WwPackColumn column, uint64_t value)
{
    uint8_t bytes[10];
    g_byte_array_append(e->column[column], bytes, (guint)(ww_put_number(bytes, value) - bytes));
}

static void add_byte(WwPackEncoder *e, WwPackColumn column, uint32_t value)
{
    uint8_t byte = (uint8_t)value;
    g_byte_array_append(e->column[column], &byte, 1);
}

static size_t size_of(const WwPackEncoder *e)
{
    size_t n = 0;
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        n += e->column[i]->len;
    }
    return n;
}

static void end_run(WwPackEncoder *e)
{
    if (e->run == 0) {
        return;
    }
    if (e->run <= WW_PACK_LONG_RUN) {
        add_byte(e, WW_PACK_CONTROL, (uint32_t)e->run - 1);
    } else {
        add_byte(e, WW_PACK_CONTROL, WW_PACK_LONG_RUN);
        add(e, WW_PACK_CONTROL, e->run);
    }
    e->run = 0;
}

/* ---- segments ------------------------------------------------------------------------------------------------------ */

/** All columns, one after the other; each is compressed by itself, as they have little in common. */
static bool compress(WwPackEncoder *e, GByteArray *out, GError **error)
{
    uint8_t head[10 * WW_PACK_COLUMNS], *p = head;
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        p = ww_put_number(p, e->column[i]->len);
    }
    size_t n = (size_t)(p - head), all = n + size_of(e);
    ZSTD_CCtx_reset(e->zst, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(e->zst, all);
    g_byte_array_set_size(out, (guint)(ZSTD_compressBound(all) + 4096));
    ZSTD_outBuffer to = {.dst = out->data, .size = out->len};
    for (uint32_t i = 0; i <= WW_PACK_COLUMNS; i++) {
        ZSTD_inBuffer from = {.src = head, .size = n};
        if (i > 0) {
            from = (ZSTD_inBuffer){.src = e->column[i - 1]->data, .size = e->column[i - 1]->len};
        }
        bool last = i == WW_PACK_COLUMNS;
        bool split = i > 0 && from.size > 256; /* a block has its own codes, but costs some bytes */
        size_t left = ZSTD_compressStream2(e->zst, &to, &from,
                                           last    ? ZSTD_e_end
                                           : split ? ZSTD_e_flush
                                                   : ZSTD_e_continue);
        if (ZSTD_isError(left) || from.pos != from.size || (last && left != 0)) {
            return ww_fail(error, WW_ERROR_SYSTEM, "zstd: %s",
                           ZSTD_isError(left) ? ZSTD_getErrorName(left) : "no room");
        }
    }
    g_byte_array_set_size(out, (guint)to.pos);
    e->segment.bytes = (uint32_t)all;
    e->segment.size = (uint32_t)to.pos;
    return true;
}

static bool end_segment(WwPackEncoder *e, GError **error)
{
    if (size_of(e) == 0) {
        return true;
    }
    g_autoptr(GByteArray) out = g_byte_array_new();
    if (!compress(e, out, error) || !e->write(e->user, out->data, out->len, error)) {
        return false;
    }
    e->segment.ctas = (uint32_t)(e->ctas - e->segment.first_cta);
    g_array_append_val(e->segments, e->segment);
    e->segment = (WwPackSegment){.first_cta = e->ctas};
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        g_byte_array_set_size(e->column[i], 0);
    }
    return true;
}

/* ---- instructions -------------------------------------------------------------------------------------------------- */

static bool same_shape(const WwAddrBlock *shape, const WwAddrBlock *b)
{
    if (shape == NULL || shape->mode != b->mode || shape->stride != b->stride || shape->n != b->n) {
        return false;
    }
    uint64_t base = b->mode == WW_ADDR_LIST ? ww_pack_base(b) : 0;
    const int64_t *value = ww_addr_values(b);
    for (uint32_t i = 0; i < b->n; i++) {
        if ((uint64_t)shape->own[i] != (uint64_t)value[i] - base) {
            return false;
        }
    }
    return true;
}

/** A number, its bytes but the first elsewhere: these say less. */
static void add_split(WwPackEncoder *e, uint64_t value)
{
    add_byte(e, WW_PACK_SHAPES, (value & 127) | (value > 127 ? 128u : 0u));
    if (value > 127) {
        add(e, WW_PACK_MORE, value >> 7);
    }
}

static void add_shape(WwPackEncoder *e, const WwAddrBlock *b, bool before)
{
    uint64_t step[WW_WARP_SIZE], any = UINT64_C(1) << 32;
    uint32_t first = b->mode == WW_ADDR_LIST;
    const int64_t *value = ww_addr_values(b);
    if (before) {
        add_split(e, WW_PACK_SHAPE_BEFORE);
        return;
    }
    for (uint32_t i = first; i < b->n; i++) {
        step[i] = (uint64_t)value[i] - (first ? (uint64_t)value[i - 1] : 0);
        any |= step[i];
    }
    uint32_t shift = b->n <= first ? 0 : (uint32_t)__builtin_ctzll(any);
    add_split(e, b->mode | (uint64_t)shift << 2);
    if (b->mode == WW_ADDR_STRIDE) {
        add_split(e, ww_fold((uint64_t)b->stride));
        return;
    }
    for (uint32_t i = first; i < b->n; i++) {
        add_split(e, ww_fold((uint64_t)((int64_t)step[i] >> shift)));
    }
}

/** What is to be said of the addresses of an instruction. */
typedef struct Addresses {
    uint32_t bits;    /**< Of its token. */
    uint64_t residue; /**< What the base differs by. */
    bool before;      /**< The shape is that of the access before. */
} Addresses;

/** Looks at the addresses, and learns them. */
static Addresses learn(WwPackEncoder *e, const WwTinst *t, const WwAddrBlock *b)
{
    WwPackModel *m = e->model;
    WwPackGuess g;
    Addresses a = {0};
    ww_pack_guess(m, t->sinst, t->mask, &g);
    a.residue = ww_pack_base(b) - g.base[g.best];
    a.bits = a.residue != 0 ? WW_PACK_NEW_BASE : 0u;
    if (!same_shape(g.shape, b)) {
        a.bits |= WW_PACK_NEW_SHAPE;
        a.before = same_shape(ww_pack_shape_before(m, t->mask), b);
        g.shape = NULL;
    }
    ww_pack_learn_addresses(m, t->sinst, t->mask, &g, b);
    return a;
}

static bool add_inst(WwPackEncoder *e, const WwTinst *t, const WwAddrBlock *b, GError **error)
{
    WwPackModel *m = e->model;
    uint32_t *next = ww_pack_next(m), token = 0;
    Addresses a = {0};
    token |= t->sinst != *next ? WW_PACK_NEW_ID : 0u;
    if (t->mask != m->mask) {
        token |= t->mask == m->slot[t->sinst].mask ? WW_PACK_OLD_MASK : WW_PACK_NEW_MASK;
    }
    if (b != NULL) {
        a = learn(e, t, b);
        token |= a.bits;
    }
    if (token == 0) {
        e->run++;
    } else {
        end_run(e);
        add_byte(e, WW_PACK_CONTROL, WW_PACK_TOKEN | token);
        if (token & WW_PACK_NEW_ID) {
            add(e, WW_PACK_IDS, ww_fold((uint64_t)(int64_t)(int32_t)(t->sinst - (m->id[0] + 1))));
        }
        if (token & WW_PACK_NEW_MASK) {
            uint32_t mask = GUINT32_TO_LE(t->mask ^ m->mask);
            g_byte_array_append(e->column[WW_PACK_MASKS], (const guint8 *)&mask, sizeof mask);
        }
        if (token & WW_PACK_NEW_BASE) {
            add(e, WW_PACK_BASES, ww_fold(a.residue));
        }
        if (token & WW_PACK_NEW_SHAPE) {
            add_shape(e, b, a.before);
        }
    }
    ww_pack_learn(m, next, t->sinst, t->mask);
    if (token != 0 && size_of(e) >= WW_PACK_SEGMENT) {
        return end_segment(e, error);
    }
    return true;
}

/* ---- thread blocks ------------------------------------------------------------------------------------------------- */

static void add_id(WwPackEncoder *e, const WwCtaBuf *c)
{
    bool other = memcmp(e->model->cta, c->pub.id, sizeof c->pub.id) != 0;
    add(e, WW_PACK_HEADS, other);
    for (uint32_t i = 0; i < 3 && other; i++) {
        add(e, WW_PACK_HEADS, c->pub.id[i]);
    }
    ww_pack_learn_cta(e->model, c->pub.id, e->grid);
}

static void add_warp(WwPackEncoder *e, uint32_t place, uint32_t warp, uint32_t n)
{
    WwPackModel *m = e->model;
    uint32_t kind = (m->order[place] != warp ? 1u : 0u) | (m->n_insts[warp] != n ? 2u : 0u);
    add(e, WW_PACK_HEADS, kind);
    if (kind & 1) {
        add(e, WW_PACK_HEADS, warp);
    }
    if (kind & 2) {
        add(e, WW_PACK_HEADS, ww_fold((uint64_t)n - m->n_insts[warp]));
    }
    m->n_insts[warp] = n;
    m->order[place] = (uint8_t)warp;
    ww_pack_model_warp(m, warp);
}

static bool add_insts(WwPackEncoder *e, const WwCtaBuf *c, uint32_t warp, GError **error)
{
    WwAddrRoom held;
    for (uint32_t i = 0; i < c->n_insts[warp]; i++) {
        const WwAddrBlock *block;
        WwTinst t = ww_cta_inst(c, warp, i, &held, &block);
        if (!add_inst(e, &t, block, error)) {
            return false;
        }
    }
    end_run(e);
    return true;
}

bool ww_pack_encode(WwPackEncoder *e, const WwCtaBuf *c, GError **error)
{
    if (size_of(e) == 0) {
        ww_pack_model_reset(e->model);
        e->segment.fresh = true;
    }
    e->ctas++;
    add_id(e, c);
    for (uint32_t i = 0; i < c->pub.n_warps; i++) {
        uint32_t warp = c->order[i];
        add_warp(e, i, warp, c->n_insts[warp]);
        if (!add_insts(e, c, warp, error)) {
            return false;
        }
    }
    return size_of(e) < WW_PACK_CTAS || end_segment(e, error);
}

bool ww_pack_encode_end(WwPackEncoder *e, GError **error)
{
    return end_segment(e, error);
}

void ww_pack_encoder_init(WwPackEncoder *e, WwHeap *heap)
{
    e->model = ww_pack_model_new(heap, 0);
    e->segments = g_array_new(false, true, sizeof(WwPackSegment));
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        e->column[i] = g_byte_array_new();
    }
}

void ww_pack_encoder_clear(WwPackEncoder *e)
{
    ww_pack_model_free(e->model);
    g_array_unref(e->segments);
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        g_byte_array_unref(e->column[i]);
    }
}
