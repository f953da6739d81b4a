/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The instruction table: remembers lines, so that each is decoded once.
 *
 * Workload: 10^6 to 10^9 look-ups of 10 to 10^4 distinct lines, nearly always the line seen last at
 * the same pc: that is a direct-mapped array (ww_sinst_recent) in front of the hash index here.
 * Entries are allocated one by one and do not move; the pointer arrays may.
 */
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

#define START_SIZE 256u

void ww_sinst_table_init(WwSinstTable *t)
{
    memset(t, 0, sizeof *t);
    t->cap = START_SIZE;
    t->sinst = g_new0(const WwSinst *, t->cap);
    t->entry = g_new0(WwLineEntry *, t->cap);
    t->index_mask = 2 * t->cap - 1;
    t->index = g_new0(uint32_t, 2 * t->cap);
    t->recent_mask = 4 * t->cap - 1;
    t->recent = g_new0(WwLineEntry *, 4 * t->cap);
    t->text = g_string_chunk_new(4096);
    t->opcodes = g_hash_table_new(ww_text_hash, g_str_equal);
}

void ww_sinst_table_clear(WwSinstTable *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        g_free((void *)t->sinst[i]);
        g_free(t->entry[i]->memo.text);
        g_free(t->entry[i]->memo.block);
        g_free(t->entry[i]);
    }
    g_free(t->sinst);
    g_free(t->entry);
    g_free(t->index);
    g_free(t->recent);
    if (t->text != NULL) {
        g_hash_table_unref(t->opcodes);
        g_string_chunk_free(t->text);
    }
    memset(t, 0, sizeof *t);
}

static uint64_t hash_line(uint64_t pc, const char *text, uint32_t len, int32_t imm)
{
    uint64_t h = (pc ^ (uint64_t)(uint32_t)imm << 40) * 0x9E3779B97F4A7C15u + len;
    h ^= ww_hash_seed();
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
    t->sinst = g_renew(const WwSinst *, t->sinst, t->cap);
    t->entry = g_renew(WwLineEntry *, t->entry, t->cap);
    g_free(t->index);
    g_free(t->recent);
    t->index_mask = 2 * t->cap - 1;
    t->index = g_new0(uint32_t, 2 * t->cap);
    t->recent_mask = 4 * t->cap - 1;
    t->recent = g_new0(WwLineEntry *, 4 * t->cap);
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
    WwSinst *s = g_new(WwSinst, 1);
    *s = *sinst;
    s->id = t->n;
    s->opcode = g_hash_table_lookup(t->opcodes, sinst->opcode);
    if (s->opcode == NULL) {
        s->opcode = g_string_chunk_insert(t->text, sinst->opcode);
        g_hash_table_add(t->opcodes, (char *)s->opcode);
    }

    WwLineEntry *e = g_new0(WwLineEntry, 1);
    e->pc = s->pc;
    e->text = g_string_chunk_insert_len(t->text, text, (gssize)len);
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
