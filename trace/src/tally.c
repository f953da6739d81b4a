/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Counting instructions; one array of counts by static instruction, folded into opcodes at the end
 * of a kernel.
 */
#include "tally-priv.h"
#include "text-priv.h"

#include <string.h>

void ww_tally_clear(WwTally *t)
{
    for (uint32_t i = 0; i < t->n_opcodes; i++) {
        g_free((char *)t->opcodes[i].opcode);
    }
    g_free(t->opcodes);
    *t = (WwTally){0};
}

void ww_tally_add(WwTally *to, const WwTally *from)
{
    to->ctas += from->ctas;
    to->warp_insts += from->warp_insts;
    to->thread_insts += from->thread_insts;
    to->sinsts += from->sinsts;
    for (size_t i = 0; i < WW_N_OPS; i++) {
        to->by_op[i] += from->by_op[i];
    }
    for (size_t i = 0; i < 3; i++) {
        to->by_mode[i] += from->by_mode[i];
    }
}

/** Executions by static instruction; grows with the kernel's table. */
typedef struct Counts {
    uint64_t *n;
    uint32_t size;
} Counts;

static void count_packed(WwTally *t, Counts *counts, WwPacked *packed)
{
    WwTinst inst;
    WwAddrRoom room;
    ww_packed_start(packed);
    while (ww_packed_next(packed, &inst, &room)) {
        counts->n[inst.sinst]++;
        t->thread_insts += (uint32_t)__builtin_popcount(inst.mask);
        if (inst.addr != 0) {
            t->by_mode[ww_addr_block(&room)->mode]++;
        }
    }
}

static void count_cta(WwTally *t, Counts *counts, const WwKernelReader *k, const WwCtaTrace *cta)
{
    if (counts->size < k->table.n) {
        counts->n = g_renew(uint64_t, counts->n, k->table.cap);
        memset(counts->n + counts->size, 0, (k->table.cap - counts->size) * sizeof *counts->n);
        counts->size = k->table.cap;
    }
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        t->warp_insts += cta->n_insts[w];
        if (cta->packed != NULL && cta->packed[w] != NULL) {
            count_packed(t, counts, cta->packed[w]);
            continue;
        }
        for (uint32_t i = 0; i < cta->n_insts[w]; i++) {
            const WwTinst *inst = &cta->warp[w][i];
            counts->n[inst->sinst]++;
            t->thread_insts += (uint32_t)__builtin_popcount(inst->mask);
        }
    }
    t->ctas++;
    ww_cta_count_modes(cta->priv, t->by_mode);
}

static int by_count(const void *a, const void *b)
{
    const WwOpcodeCount *x = a, *y = b;
    if (x->warp_insts != y->warp_insts) {
        return x->warp_insts > y->warp_insts ? -1 : 1;
    }
    return strcmp(x->opcode, y->opcode);
}

/** Sums the static instructions of each opcode, most frequent first. */
static void fold(WwTally *t, const Counts *counts, const WwKernelReader *k)
{
    g_autoptr(GHashTable) index = g_hash_table_new(ww_text_hash, g_str_equal);
    t->sinsts = k->table.n;
    for (uint32_t i = 0; i < k->table.n && i < counts->size; i++) {
        const WwSinst *s = k->table.sinst[i];
        g_autofree char *name = g_strndup(s->opcode, strcspn(s->opcode, "."));
        uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(index, name));
        t->by_op[s->op] += counts->n[i];
        if (at == 0) {
            if ((t->n_opcodes & (t->n_opcodes - 1)) == 0) {
                t->opcodes = g_renew(WwOpcodeCount, t->opcodes, MAX(1, 2 * (size_t)t->n_opcodes));
            }
            at = ++t->n_opcodes;
            g_hash_table_insert(index, name, GUINT_TO_POINTER(at));
            t->opcodes[at - 1] = (WwOpcodeCount){.opcode = g_steal_pointer(&name)};
        }
        t->opcodes[at - 1].warp_insts += counts->n[i];
    }
    if (t->n_opcodes > 0) {
        qsort(t->opcodes, t->n_opcodes, sizeof *t->opcodes, by_count);
    }
}

bool ww_tally_kernel(WwTally *t, WwTrace *trace, const WwKernel *kernel, GError **error)
{
    WwKernelReader *k = ww_kernel_reader(kernel);
    Counts counts = {0};
    bool good = true;
    for (uint64_t i = 0; i < kernel->n_ctas && good; i++) {
        const WwCtaTrace *cta = NULL;
        good = ww_trace_source.next_cta(trace, kernel, &cta, error);
        if (good) {
            count_cta(t, &counts, k, cta);
            ww_trace_source.release_cta(trace, kernel, cta);
        }
    }
    if (good) {
        fold(t, &counts, k);
    }
    g_free(counts.n);
    return good;
}
