/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reading a kernel of a pack: its segments, one at a time, and the thread blocks in them. Everything is checked: sums do not say who wrote them.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <string.h>

struct WwPackReader {
    WwPack *pack;
    const WwPackKernel *kernel;
    WwPackModel *model;
    uint32_t segment; /**< The next to be read. */
    uint64_t run;     /**< Instructions as predicted, still to come. */
    uint64_t ctas;    /**< That began. */
    WwPackBytes column[WW_PACK_COLUMNS];
    uint8_t *bytes;
    WwPackGuess guess;
};

static bool damaged(const WwKernelReader *k, const char *what, GError **error)
{
    const WwPackReader *r = k->pack;
    uint32_t i = r->segment - (r->segment > 0);
    uint64_t at = r->kernel->n_segments > 0 ? r->kernel->segments[i].at : WW_PACK_HEAD;
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: byte %" G_GUINT64_FORMAT ": %s (thread block %" G_GUINT64_FORMAT
                   " of %s); expected what 'trace pack' wrote",
                   r->pack->path, at, what, r->ctas, r->kernel->name);
}

/* ---- segments ------------------------------------------------------------------------------------------------------ */

static bool find_columns(WwPackReader *r, uint32_t n)
{
    WwPackBytes in = {.p = r->bytes, .end = r->bytes + n};
    uint64_t size[WW_PACK_COLUMNS];
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        size[i] = ww_get_number(&in);
    }
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        if (in.bad || size[i] > (uint64_t)(in.end - in.p)) {
            return false;
        }
        r->column[i] = (WwPackBytes){.p = in.p, .end = in.p + size[i]};
        in.p += size[i];
    }
    return in.p == in.end;
}

static bool used_up(const WwPackReader *r)
{
    for (uint32_t i = 0; i < WW_PACK_COLUMNS; i++) {
        if (r->column[i].p != r->column[i].end) {
            return false;
        }
    }
    return r->run == 0;
}

/** The next segment; in the middle of a thread block it may not be one of its own. */
static bool next_segment(WwKernelReader *k, bool inside, GError **error)
{
    WwPackReader *r = k->pack;
    if (!used_up(r)) {
        return damaged(k, "a segment is longer than its instructions", error);
    }
    if (r->segment == r->kernel->n_segments) {
        return damaged(k, "the instructions end too early", error);
    }
    const WwPackSegment *s = &r->kernel->segments[r->segment++];
    if (!ww_pack_bytes(r->pack, s->at, s->size, s->bytes, r->bytes, error)) {
        return false;
    }
    if ((s->fresh && inside) || (r->segment == 1 && !s->fresh) || s->first_cta != r->ctas ||
        !find_columns(r, s->bytes)) {
        return damaged(k, "a segment does not fit to what was before it", error);
    }
    if (s->fresh) {
        ww_pack_model_reset(r->model);
    }
    return true;
}

/* ---- instructions -------------------------------------------------------------------------------------------------- */

/** A number whose bytes but the first are elsewhere. */
static uint64_t get_split(WwPackReader *r)
{
    WwPackBytes *from = &r->column[WW_PACK_SHAPES];
    if (from->p == from->end) {
        from->bad = true;
        return 0;
    }
    uint32_t first = *from->p++;
    return first < 128 ? first : (ww_get_number(&r->column[WW_PACK_MORE]) << 7 | (first & 127));
}

/** A shape of its own, or that of the access before; its base is left out. */
static bool get_shape(WwPackReader *r, uint32_t mask, WwAddrBlock *b)
{
    uint64_t head = get_split(r);
    uint32_t shift = (uint32_t)MIN(head >> 2, 64);
    b->mode = head & 3;
    b->stride = 0;
    b->shared = NULL;
    if (b->mode == WW_PACK_SHAPE_BEFORE) {
        const WwAddrBlock *shape = ww_pack_shape_before(r->model, mask);
        if (shape == NULL || shape->n != ww_pack_n(shape->mode, mask)) {
            return false;
        }
        memcpy(b, shape, sizeof *b + shape->n * sizeof b->own[0]);
        return true;
    }
    if (shift > 32) {
        return false;
    }
    if (b->mode == WW_ADDR_STRIDE) {
        b->stride = (int64_t)ww_unfold(get_split(r));
        if (b->stride < INT32_MIN || b->stride > INT32_MAX) {
            return false;
        }
    }
    b->n = (uint8_t)ww_pack_n(b->mode, mask);
    uint64_t value = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (i > 0 || b->mode == WW_ADDR_DELTA) {
            uint64_t step = ww_unfold(get_split(r)) << shift;
            value = b->mode == WW_ADDR_DELTA ? step : value + step;
        }
        b->own[i] = (int64_t)value;
    }
    return !r->column[WW_PACK_SHAPES].bad && !r->column[WW_PACK_MORE].bad;
}

/** The addresses of an instruction, as @p token says. */
static bool get_addresses(WwPackReader *r, WwCtaBuf *c, uint32_t token, WwTinst *t)
{
    WwPackModel *m = r->model;
    WwPackGuess *g = &r->guess;
    if (!ww_reserve_addr(c)) {
        return false;
    }
    WwAddrBlock *b = ww_next_block(c);
    ww_pack_guess(m, t->sinst, t->mask, g);
    uint64_t base = g->base[g->best];
    if (token & WW_PACK_NEW_BASE) {
        base += ww_unfold(ww_get_number(&r->column[WW_PACK_BASES]));
    }
    if (token & WW_PACK_NEW_SHAPE) {
        if (!get_shape(r, t->mask, b)) {
            return false;
        }
        g->shape = NULL;
    } else if (g->shape != NULL) {
        memcpy(b, g->shape, sizeof *b + g->shape->n * sizeof b->own[0]);
    } else {
        return false;
    }
    b->base = b->mode != WW_ADDR_LIST ? base : 0;
    for (uint32_t i = 0; b->mode == WW_ADDR_LIST && i < b->n; i++) {
        b->own[i] = (int64_t)((uint64_t)b->own[i] + base);
    }
    ww_pack_learn_addresses(m, t->sinst, t->mask, g, b);
    t->addr = ww_commit_block(c, b);
    return !r->column[WW_PACK_BASES].bad;
}

/** What stands before the next instruction; 0: it is as predicted. */
static bool next_token(WwKernelReader *k, uint32_t *token, GError **error)
{
    WwPackReader *r = k->pack;
    WwPackBytes *control = &r->column[WW_PACK_CONTROL];
    *token = 0;
    if (r->run == 0) {
        if (control->p == control->end && !next_segment(k, true, error)) {
            return false;
        }
        if (control->p == control->end) {
            return damaged(k, "an empty segment", error);
        }
        uint32_t byte = *control->p++;
        if (byte >= WW_PACK_TOKEN) {
            *token = byte;
            return true;
        }
        r->run = byte < WW_PACK_LONG_RUN ? byte + UINT64_C(1) : ww_get_number(control);
        if (control->bad || r->run == 0) {
            return damaged(k, "no length of a run", error);
        }
    }
    r->run--;
    return true;
}

static bool get_one(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    WwPackReader *r = k->pack;
    WwPackModel *m = r->model;
    uint32_t token;
    if (!next_token(k, &token, error)) {
        return false;
    }
    uint32_t *next = ww_pack_next(m);
    uint64_t id = *next;
    if (token & WW_PACK_NEW_ID) {
        id = (uint32_t)(ww_unfold(ww_get_number(&r->column[WW_PACK_IDS])) + m->id[0] + 1);
    }
    if (id >= m->n_slots || r->column[WW_PACK_IDS].bad) {
        return damaged(k, "an instruction that there is not", error);
    }
    WwTinst t = {.sinst = (uint32_t)id, .mask = m->mask};
    if (token & WW_PACK_OLD_MASK) {
        t.mask = m->slot[id].mask;
    } else if (token & WW_PACK_NEW_MASK) {
        WwPackBytes *from = &r->column[WW_PACK_MASKS];
        if (from->end - from->p < 4) {
            return damaged(k, "a mask is missing", error);
        }
        memcpy(&t.mask, from->p, 4);
        t.mask = GUINT32_FROM_LE(t.mask) ^ m->mask;
        from->p += 4;
    }
    const WwLineEntry *e = k->table.entry[id];
    if (e->has_addr && !get_addresses(r, c, token, &t)) {
        return damaged(k, "no addresses", error);
    }
    ww_pack_learn(m, next, t.sinst, t.mask);
    c->inst[c->n_inst++] = t;
    if (G_UNLIKELY(e->odd)) {
        if (k->trace->options.strict) {
            return ww_fail_unknown(k, k->table.sinst[id], error);
        }
        ww_cta_odd(k, c, k->table.entry[id]);
    }
    if (G_UNLIKELY(e->exits)) {
        ww_exit_lanes(c, t.mask, k->table.sinst[id]->line);
    }
    return true;
}

bool ww_pack_lines(WwKernelReader *k, WwCtaBuf *c, uint32_t count, GError **error)
{
    if (ww_trace_interrupted()) { /* asked here: few bytes of the file may be very many */
        return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read on: interrupted", k->lines.file);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!get_one(k, c, error)) {
            return false;
        }
    }
    return true;
}

/* ---- thread blocks ------------------------------------------------------------------------------------------------- */

static bool get_id(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    WwPackReader *r = k->pack;
    WwPackBytes *heads = &r->column[WW_PACK_HEADS];
    uint64_t kind = ww_get_number(heads);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t id = kind == 0 ? r->model->cta[i] : ww_get_number(heads);
        if (heads->bad || kind > 1 || id >= k->pub.grid[i]) {
            return damaged(k, "a thread block that is not in the grid", error);
        }
        c->pub.id[i] = (uint32_t)id;
    }
    ww_pack_learn_cta(r->model, c->pub.id, k->pub.grid);
    return true;
}

static bool get_warp(WwKernelReader *k, WwCtaBuf *c, uint32_t place, GError **error)
{
    WwPackReader *r = k->pack;
    WwPackModel *m = r->model;
    WwPackBytes *heads = &r->column[WW_PACK_HEADS];
    uint64_t kind = ww_get_number(heads);
    uint64_t warp = kind & 1 ? ww_get_number(heads) : m->order[place];
    if (heads->bad || kind > 3 || warp >= c->pub.n_warps || c->n_insts[warp] != 0) {
        return damaged(k, "a warp that is not due", error);
    }
    uint64_t n = m->n_insts[warp];
    if (kind & 2) {
        n += ww_unfold(ww_get_number(heads));
    }
    if (heads->bad || n == 0 || n > WW_TRACE_MAX_CTA_INSTS - c->n_read) {
        return damaged(k, "a warp with no instructions, or too many", error);
    }
    m->n_insts[warp] = (uint32_t)n;
    m->order[place] = (uint8_t)warp;
    ww_pack_model_warp(m, (uint32_t)warp);
    return ww_cta_read_warp(k, c, (uint32_t)warp, n, error);
}

bool ww_pack_cta_read(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    WwPackReader *r = k->pack;
    if (used_up(r) && !next_segment(k, false, error)) {
        return false;
    }
    r->ctas++;
    if (!get_id(k, c, error)) {
        return false;
    }
    for (uint32_t i = 0; i < c->pub.n_warps; i++) {
        if (!get_warp(k, c, i, error)) {
            return false;
        }
    }
    return true;
}

bool ww_pack_kernel_end(WwKernelReader *k, GError **error)
{
    const WwPackReader *r = k->pack;
    return (used_up(r) && r->segment == r->kernel->n_segments) ||
           damaged(k, "there is more behind the last thread block", error);
}

/* ---- kernels --------------------------------------------------------------------------------------------------------- */

/** The header's lines, as if they came from a file. */
static void lay_out_header(WwKernelReader *k, const WwPackKernel *kernel)
{
    static const char end[] = "\n#BEGIN_TB\n";
    WwLines *l = &k->lines;
    l->cap = kernel->n_header + sizeof end;
    l->buf = ww_heap_take(l->heap, l->cap + WW_LINES_SLACK);
    memcpy(l->buf, kernel->header, kernel->n_header);
    memcpy(l->buf + kernel->n_header, end, sizeof end - 1);
    l->end = kernel->n_header + sizeof end - 1;
    l->max_line = l->cap;
    l->eof = true;
}

bool ww_pack_kernel_open(WwKernelReader *k, uint32_t number, GError **error)
{
    WwPack *p = k->trace->pack;
    const WwPackKernel *kernel = &p->kernels[number];
    g_autofree char *file = g_strdup_printf("%s/%s", p->path, kernel->name);
    k->lines = (WwLines){.heap = p->heap};
    k->lines.file = ww_heap_text(p->heap, file, strlen(file));
    k->pack = WW_HEAP_NEW(p->heap, WwPackReader, 1);
    k->pack->pack = p;
    k->pack->kernel = kernel;
    lay_out_header(k, kernel);
    return true;
}

bool ww_pack_kernel_begin(WwKernelReader *k, GError **error)
{
    WwPackReader *r = k->pack;
    const WwPackKernel *kernel = r->kernel;
    const WwPackCodes *codes = &r->pack->codes[kernel->code];
    uint32_t most = 0;
    if (kernel->ctas != k->ctas_in_grid) {
        return damaged(k, "as many thread blocks as the grid has not", error);
    }
    for (uint32_t i = 0; i < codes->n; i++) {
        if (!ww_decode_static(k, &codes->code[i], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < kernel->n_segments; i++) {
        most = MAX(most, kernel->segments[i].bytes);
    }
    r->bytes = ww_heap_take(r->pack->heap, MAX(most, 1));
    r->model = ww_pack_model_new(r->pack->heap, codes->n);
    return true;
}

void ww_pack_kernel_close(WwKernelReader *k)
{
    WwPackReader *r = k->pack;
    if (r != NULL) {
        ww_pack_model_free(r->model);
        ww_heap_give(r->pack->heap, r->bytes);
        ww_heap_give(r->pack->heap, r);
        k->pack = NULL;
    }
}
