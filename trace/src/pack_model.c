/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What writer and reader of a trace pack expect of the next instruction.
 *
 * Warps do what other warps did: who followed the last two instructions follows them again, on the same lanes. Addresses are those of the
 * instruction's last execution moved on, or stand where they stood from the access before, or (a warp's first) where the same warp of the CTA
 * before had them, moved as the warp's neighbours were. Which guess is believed is what was right lately.
 */
#include "pack-write-priv.h"

#include <string.h>

WwPackModel *ww_pack_model_new(WwHeap *heap, uint32_t n_slots)
{
    WwPackModel *m = WW_HEAP_NEW(heap, WwPackModel, 1);
    m->heap = heap;
    m->n_slots = n_slots;
    m->slot = WW_HEAP_NEW(heap, WwPackSlot, MAX(n_slots, 1));
    ww_pack_model_reset(m);
    return m;
}

void ww_pack_model_free(WwPackModel *m)
{
    if (m != NULL) {
        for (uint32_t i = 0; i < m->n_slots; i++) {
            ww_heap_give(m->heap, m->slot[i].shape);
        }
        ww_heap_give(m->heap, m->slot);
        ww_heap_give(m->heap, m);
    }
}

void ww_pack_model_reset(WwPackModel *m)
{
    for (uint32_t i = 0; i < m->n_slots; i++) {
        ww_heap_give(m->heap, m->slot[i].shape);
        m->slot[i] = (WwPackSlot){.mask = UINT32_MAX};
    }
    memset(m->next, 0, sizeof m->next);
    memset(m->firsts, 0, sizeof m->firsts);
    memset(m->n_insts, 0, sizeof m->n_insts);
    memset(m->cta, 0, sizeof m->cta);
    for (uint32_t w = 0; w < WW_MAX_WARPS; w++) {
        m->order[w] = (uint8_t)w;
    }
    m->first_mask = UINT32_MAX;
    m->before = m->serial = 0;
    m->before_id = WW_PACK_NONE;
    ww_pack_model_warp(m, 0);
    m->serial = 0;
}

void ww_pack_model_grow(WwPackModel *m, uint32_t n)
{
    if (n > m->n_slots) {
        uint32_t room = MAX(n, 2 * m->n_slots);
        m->slot = ww_heap_resize(m->heap, m->slot, room * sizeof *m->slot);
        for (uint32_t i = m->n_slots; i < room; i++) {
            m->slot[i] = (WwPackSlot){.mask = UINT32_MAX};
        }
        m->n_slots = room;
    }
}

void ww_pack_model_warp(WwPackModel *m, uint32_t warp)
{
    m->id[0] = m->id[1] = WW_PACK_NONE;
    m->mask = m->first_mask;
    m->warp = warp;
    m->serial++;
}

void ww_pack_learn_cta(WwPackModel *m, const uint32_t id[3], const uint32_t grid[3])
{
    memcpy(m->cta, id, sizeof m->cta);
    for (uint32_t i = 0; i < 3 && ++m->cta[i] == grid[i]; i++) {
        m->cta[i] = 0;
    }
}

static uint64_t *first_of(WwPackModel *m, uint32_t id)
{
    return &m->firsts[(id * WW_MAX_WARPS + m->warp) & (WW_PACK_FIRSTS - 1)];
}

/** How tracers write lanes that are next to each other at equal distances, and any others. */
static void shape_of_lanes(const uint64_t lane[WW_WARP_SIZE], uint32_t mask, WwAddrBlock *b)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint64_t before = lane[first];
    bool equal = ((mask >> first) & ((mask >> first) + 1)) == 0;
    b->n = 0;
    b->shared = NULL;
    for (uint32_t left = mask & (mask - 1); left != 0; left &= left - 1) {
        uint64_t at = lane[__builtin_ctz(left)];
        b->own[b->n] = (int64_t)(at - before);
        equal = equal && b->own[b->n] == b->own[0];
        b->n++;
        before = at;
    }
    b->stride = 0;
    b->mode = WW_ADDR_DELTA;
    if (equal) {
        b->mode = WW_ADDR_STRIDE;
        b->stride = b->n > 0 ? b->own[0] : 0;
        b->n = 0;
    }
    b->base = lane[first];
}

/** Fewer lanes of the last time: where they were, without those that are gone. */
static bool guess_lanes(const WwPackSlot *s, uint32_t mask, WwPackGuess *g)
{
    uint64_t lane[WW_WARP_SIZE];
    WwAddrBlock *b = ww_addr_block(&g->room);
    if (mask == s->lanes || mask == 0 || (mask & ~s->lanes) != 0 ||
        s->shape->mode == WW_ADDR_LIST) {
        return false;
    }
    memcpy(b, s->shape, sizeof *b + s->shape->n * sizeof b->own[0]);
    b->base = s->base;
    ww_addr_expand(b, s->lanes, lane);
    shape_of_lanes(lane, mask, b);
    g->shape = b;
    g->last = b->base;
    return true;
}

void ww_pack_guess(const WwPackModel *m, uint32_t id, uint32_t mask, WwPackGuess *g)
{
    const WwPackSlot *s = &m->slot[id];
    bool first = s->warp != m->serial;
    g->best = 0;
    g->shape = NULL;
    g->last = s->base;
    if (s->shape != NULL && !guess_lanes(s, mask, g) &&
        s->shape->n == ww_pack_n(s->shape->mode, mask)) {
        g->shape = s->shape;
    }
    g->base[1] = m->before + s->diff;
    if (first) {
        g->base[0] = *first_of((WwPackModel *)m, id) + s->ctas;
        g->base[2] = s->first + s->warps;
    } else {
        g->base[0] = g->last + s->step;
        g->base[2] = g->last;
    }
    for (uint32_t i = 1; i < WW_PACK_GUESSES; i++) {
        if (s->score[first][i] > s->score[first][g->best]) {
            g->best = i;
        }
    }
}

static void learn_base(WwPackModel *m, uint32_t id, const WwPackGuess *g, uint64_t base)
{
    WwPackSlot *s = &m->slot[id];
    bool first = s->warp != m->serial;
    for (uint32_t i = 0; i < WW_PACK_GUESSES; i++) {
        uint32_t score = s->score[first][i];
        s->score[first][i] = (uint8_t)(g->base[i] == base ? MIN(score + 1, 8) : score / 2);
    }
    if (first) {
        uint64_t *cta = first_of(m, id);
        s->ctas = base - *cta;
        *cta = base;
        s->warps = base - s->first;
        s->first = base;
        s->warp = m->serial;
    } else {
        s->step = base - g->last;
    }
    s->base = base;
    s->diff = base - m->before;
    m->before = base;
    m->before_id = id;
}

/** Its shape: the block without its base; of a list how far each address is from the first. */
static void learn_shape(WwPackModel *m, WwPackSlot *s, const WwAddrBlock *b)
{
    const int64_t *value = ww_addr_values(b);
    uint64_t first = b->mode == WW_ADDR_LIST && b->n > 0 ? (uint64_t)value[0] : 0;
    if (s->shape == NULL) {
        s->shape = ww_heap_take(m->heap, sizeof *b + WW_WARP_SIZE * sizeof b->own[0]);
    }
    *s->shape = *b;
    s->shape->shared = NULL;
    for (uint32_t i = 0; i < b->n; i++) {
        s->shape->own[i] = (int64_t)((uint64_t)value[i] - first);
    }
}

void ww_pack_learn_addresses(WwPackModel *m, uint32_t id, uint32_t mask, const WwPackGuess *g,
                             const WwAddrBlock *b)
{
    WwPackSlot *s = &m->slot[id];
    if (g->shape != s->shape || s->shape == NULL) {
        learn_shape(m, s, b);
    }
    s->lanes = mask;
    learn_base(m, id, g, ww_pack_base(b));
}
