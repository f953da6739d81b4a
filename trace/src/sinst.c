/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The instruction table: remembers lines, so that each is decoded once.
 *
 * Workload: 10^6 to 10^9 look-ups of 10 to 10^4 distinct lines, nearly always the line seen last at
 * the same pc: that is a direct-mapped array (ww_sinst_recent) in front of the hash index here.
 * Entries are allocated one by one and do not move; the pointer arrays may. Who looks at CTAs that were read before has that of theirs.
 */
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

#define START_SIZE 256u

static void make_room(WwSinstTable *t)
{
    const WwSinst **sinst = WW_HEAP_NEW(t->heap, const WwSinst *, t->cap);
    if (t->n != 0) {
        memcpy((void *)sinst, (const void *)t->sinst, t->n * sizeof *sinst);
        *WW_HEAP_ADD(t->heap, &t->outgrown) = t->sinst;
    }
    t->sinst = sinst;
    t->entry = ww_heap_resize(t->heap, (void *)t->entry, t->cap * sizeof *t->entry);
}

static void make_index(WwSinstTable *t)
{
    t->index_mask = 2 * t->cap - 1;
    t->index = WW_HEAP_NEW(t->heap, uint32_t, 2 * t->cap);
    t->recent_mask = 4 * t->cap - 1;
    t->recent = WW_HEAP_NEW(t->heap, WwLineEntry *, 4 * t->cap);
}

void ww_sinst_table_init(WwSinstTable *t, WwHeap *heap)
{
    *t = (WwSinstTable){.heap = heap};
    t->cap = START_SIZE;
    make_room(t);
    make_index(t);
    ww_names_init(&t->opcodes, heap);
}

void ww_sinst_table_clear(WwSinstTable *t)
{
    WwHeap *h = t->heap;
    for (uint32_t i = 0; i < t->n; i++) {
        ww_heap_give(h, (void *)(uintptr_t)t->sinst[i]);
        ww_heap_give(h, t->entry[i]->memo.text);
        ww_heap_give(h, t->entry[i]->memo.block);
        ww_heap_give(h, t->entry[i]->bytes.text);
        ww_heap_give(h, (void *)(uintptr_t)t->entry[i]->text);
        ww_heap_give(h, t->entry[i]);
    }
    void *const arrays[] = {(void *)t->sinst, (void *)t->entry, t->index, (void *)t->recent};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) {
        ww_heap_give(h, arrays[i]);
    }
    for (uint32_t i = 0; i < t->patterns.n; i++) {
        ww_heap_give(h, t->patterns.v[i]);
    }
    ww_heap_give(h, t->patterns.v);
    for (uint32_t i = 0; i < t->outgrown.n; i++) {
        ww_heap_give(h, (void *)t->outgrown.v[i]);
    }
    ww_heap_give(h, (void *)t->outgrown.v);
    ww_names_clear(&t->opcodes);
    memset(t, 0, sizeof *t);
}

static uint64_t hash_line(uint64_t pc, const char *text, uint32_t len, int32_t imm)
{
    uint64_t h = (pc ^ (uint64_t)(uint32_t)imm << 40) * 0x9E3779B97F4A7C15u + len;
    h ^= ww_trace_seed();
    for (uint32_t i = 0; i < len; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, MIN(8, len - i));
        h = (h ^ word) * 0xD6E8FEB86659FD93u;
        h ^= h >> 32;
    }
    return h;
}

/** Slot of the line in the index: its own, or the empty one where it belongs. */
static uint32_t *slot_of(const WwSinstTable *t, uint64_t hash, uint64_t pc, const char *text,
                         uint32_t len, int32_t imm)
{
    for (uint64_t i = hash;; i++) {
        uint32_t *slot = &t->index[i & t->index_mask];
        if (*slot == 0) {
            return slot;
        }
        const WwLineEntry *e = t->entry[*slot - 1];
        if (e->hash == hash && e->pc == pc && e->imm == imm && e->len == len &&
            memcmp(e->text, text, len) == 0) {
            return slot;
        }
    }
}

WwLineEntry *ww_sinst_find(const WwSinstTable *t, uint64_t pc, const char *text, uint32_t len,
                           int32_t imm)
{
    uint32_t id = *slot_of(t, hash_line(pc, text, len, imm), pc, text, len, imm);
    return id == 0 ? NULL : t->entry[id - 1];
}

static void grow(WwSinstTable *t)
{
    t->cap *= 2;
    make_room(t);
    ww_heap_give(t->heap, t->index);
    ww_heap_give(t->heap, (void *)t->recent);
    make_index(t);
    for (uint32_t i = 0; i < t->n; i++) {
        const WwLineEntry *e = t->entry[i];
        *slot_of(t, e->hash, e->pc, e->text, e->len, e->imm) = i + 1;
    }
}

WwLineEntry *ww_sinst_add(WwSinstTable *t, const WwSinst *sinst, const char *text, uint32_t len)
{
    if (t->n == t->cap) {
        grow(t);
    }
    WwSinst *s = WW_HEAP_NEW(t->heap, WwSinst, 1);
    *s = *sinst;
    s->id = t->n;
    uint32_t opcode = ww_names_add(&t->opcodes, sinst->opcode);
    s->opcode = t->opcodes.text[opcode];
    s->letters = strlen(s->opcode) & 127u; /* of no more there are than 127 */
    G_STATIC_ASSERT(WW_NAME_ROOM >= WW_OPCODE_ROOM);

    WwLineEntry *e = WW_HEAP_NEW(t->heap, WwLineEntry, 1);
    e->next[0] = e->next[1] = e;
    e->pc = s->pc;
    e->text = ww_heap_text(t->heap, text, len);
    e->len = len;
    e->imm = s->imm;
    e->hash = hash_line(e->pc, e->text, e->len, e->imm);
    e->sinst = s->id;
    e->unknown = WW_NOT_UNKNOWN;
    *slot_of(t, e->hash, e->pc, e->text, e->len, e->imm) = s->id + 1;
    t->sinst[t->n] = s;
    t->entry[t->n] = e;
    t->n++;
    return e;
}

bool ww_memo_share(WwSinstTable *t, WwAddrMemo *m)
{
    size_t size = m->block->n * sizeof m->block->own[0];
    if (t->patterns.n == WW_TRACE_MAX_PATTERNS) {
        return false;
    }
    int64_t *pattern = ww_heap_take(t->heap, size);
    memcpy(pattern, m->block->own, size);
    *WW_HEAP_ADD(t->heap, &t->patterns) = pattern;
    m->block->shared = pattern;
    return true;
}
