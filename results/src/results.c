/* SPDX-License-Identifier: Apache-2.0 */
/* Reading statistics: which there are is found out once, reading is then a walk over two arrays. */
#include "pack-priv.h"
#include "work-priv.h"
#include <results/results.h>

#include <stdlib.h>
#include <string.h>

/* Statistics of a type that stand side by side in a component, as their columns do: most of a type's are one stretch. */
typedef struct Stretch {
    uint32_t offset, n, at; /* in the component; of values */
    bool max;
} Stretch;

/* A component with statistics, and where they are. */
typedef struct Part {
    const WwComponent *component;
    uint32_t first, n; /* stretches */
} Part;

#define COLUMN(r, i) (&g_array_index((r)->columns, WwColumn, (i)))
#define STRETCH(r, i) (&g_array_index((r)->stretches, Stretch, (i)))

/* A type, how many there are, and where its statistics are. */
typedef struct TypeColumns {
    const WwType *type;
    uint32_t number, instances; /* `number`: among the machine's types */
    uint32_t first, n;          /* stretches */
} TypeColumns;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const TypeColumns *)a)->type->name, ((const TypeColumns *)b)->type->name);
}

static void add_stretch(WwResults *r, TypeColumns *type, const WwStatRow *row)
{
    Stretch s = {(uint32_t)row->offset, row->n, r->n, row->kind == WW_STAT_MAX};
    Stretch *last = type->n != 0 ? STRETCH(r, r->stretches->len - 1) : NULL;
    if (last != NULL && last->max == s.max &&
        last->offset + last->n * sizeof(uint64_t) == s.offset) {
        last->n += s.n;
    } else {
        g_array_append_val(r->stretches, s);
        type->n++;
    }
}

static void add_columns(WwResults *r, TypeColumns *type)
{
    const WwStatRow *row;
    type->first = r->stretches->len;
    for (WW_ROWS(type->type->stats, row)) {
        WwColumn column = {type->type, row, r->n, type->instances};
        g_array_append_val(r->columns, column);
        add_stretch(r, type, row);
        r->n += row->n;
    }
}

/* The columns of types with statistics, by name of the type, and the components that have some. */
static void add_parts(WwResults *r)
{
    const WwMachine *m = r->machine;
    uint32_t n_types = ww_machine_n_types(m), n = ww_machine_n_components(m), parts = 0;
    g_autofree TypeColumns *types = g_new0(TypeColumns, n_types + 1);
    g_autofree Part *part = g_new(Part, n_types + 1); /* by number of the type */
    for (uint32_t t = 0; t < n_types; t++) {
        types[t] = (TypeColumns){
            .type = ww_machine_first(m, t)->type, .number = t, .instances = ww_machine_n_of(m, t)};
    }
    if (n_types > 1) {
        qsort(types, n_types, sizeof *types, by_name);
    }
    for (uint32_t t = 0; t < n_types; t++) {
        add_columns(r, &types[t]);
        part[types[t].number] = (Part){.first = types[t].first, .n = types[t].n};
    }
    g_array_set_size(r->parts, n);
    for (uint32_t i = 0; i < n; i++) {
        const Part *like = &part[ww_machine_type_of(m, i)];
        if (like->n != 0) {
            g_array_index(r->parts, Part, parts++) =
                (Part){ww_machine_component(m, i), like->first, like->n};
        }
    }
    g_array_set_size(r->parts, parts);
}

WwResults *ww_results_new(WwMachine *machine, WwHeap *heap, bool keep)
{
    WwResults *r = WW_HEAP_NEW(heap, WwResults, 1);
    r->heap = heap;
    r->machine = machine;
    r->keep = keep;
    r->columns = g_array_new(false, false, sizeof(WwColumn));
    r->stretches = g_array_new(false, false, sizeof(Stretch));
    r->parts = g_array_sized_new(false, false, sizeof(Part), ww_machine_n_components(machine));
    r->status = "done";
    r->read_at = WW_NEVER;
    add_parts(r);
    ww_work_begin(r);
    ww_pcs_begin(r);
    r->total = WW_HEAP_NEW(heap, uint64_t, r->n + 1);
    r->before = WW_HEAP_NEW(heap, uint64_t, r->n + 1);
    return r;
}

void ww_results_free(WwResults *r)
{
    if (r == NULL) {
        return;
    }
    ww_picks_free(r->picks);
    g_array_unref(r->columns);
    g_array_unref(r->stretches);
    g_array_unref(r->parts);
    g_ptr_array_unref(r->slots);
    ww_pcs_free(r);
}

/* Some hundred thousand values of a GPU, at each kernel's end. */
static inline void add(uint64_t *to, const uint64_t *from, uint32_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8) {
#pragma GCC unroll 8
        for (uint32_t k = 0; k < 8; k++) {
            to[k] += from[k];
        }
    }
    for (; n != 0; n--) {
        *to++ += *from++;
    }
}

static void most(uint64_t *to, const uint64_t *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        to[k] = MAX(to[k], from[k]);
    }
}

void ww_results_read(WwResults *r)
{
    WwTick now = ww_machine_tick(r->machine);
    if (r->read_at == now) { /* at the end of most runs: the last kernel's end */
        return;
    }
    r->read_at = now;
    ww_machine_settle(r->machine);
    memset(r->total, 0, r->n * sizeof *r->total);
    for (uint32_t i = 0; i < r->parts->len; i++) {
        const Part *part = &g_array_index(r->parts, Part, i);
        for (uint32_t k = part->first; k < part->first + part->n; k++) {
            const Stretch *s = STRETCH(r, k);
            const uint64_t *from = (const uint64_t *)((const char *)part->component + s->offset);
            if (s->max) {
                most(r->total + s->at, from, s->n);
            } else {
                add(r->total + s->at, from, s->n);
            }
        }
    }
    if (r->picks != NULL) {
        ww_picks_read(r->picks, r->picked_total);
    }
}

uint64_t ww_results_alone(const WwResults *r, const WwColumn *column, uint32_t i)
{
    uint64_t v = r->total[column->at + i];
    return column->row->kind == WW_STAT_MAX ? v : v - r->before[column->at + i];
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

void ww_results_kernel_values(const WwResults *r, const WwResultKernel *k, uint64_t *values)
{
    ww_unpack(k->packed, values, r->n);
}

void ww_results_kernel_picked(const WwResults *r, const WwResultKernel *k, uint64_t *values)
{
    ww_unpack(k->picked, values, ww_picks_n(r->picks));
}

void ww_results_pick(WwResults *r, WwPicks *picks)
{
    r->picks = picks;
    r->picked_total = WW_HEAP_NEW(r->heap, uint64_t, ww_picks_n(picks) + 1);
}

/* What was chosen, of the kernel that has ended: read since @p before. */
static uint8_t *pack_picked(const WwResults *r, const uint64_t *before)
{
    uint32_t n = ww_picks_n(r->picks);
    g_autofree uint64_t *alone = g_new(uint64_t, n + 1);
    memcpy(alone, r->picked_total, n * sizeof *alone);
    ww_picks_since(r->picks, alone, before);
    return ww_pack(r->heap, alone, n);
}

static char *copy(WwResults *r, const char *text)
{
    return text != NULL ? ww_heap_text(r->heap, text, strlen(text)) : NULL;
}

WwResultKernel *ww_results_add(WwResults *r, const WwKernelResult *from, bool partial)
{
    WwResultKernel *k = WW_HEAP_NEW(r->heap, WwResultKernel, 1);
    memcpy(r->before, r->total, r->n * sizeof *r->total);
    g_autofree uint64_t *picked_before =
        r->picks != NULL
            ? g_memdup2(r->picked_total, (ww_picks_n(r->picks) + 1) * sizeof *r->picked_total)
            : NULL;
    ww_results_read(r);
    k->name = copy(r, from->name);
    k->file = copy(r, from->file);
    k->uid = from->uid;
    memcpy(k->grid, from->grid, sizeof k->grid);
    memcpy(k->block, from->block, sizeof k->block);
    k->stream = from->stream;
    g_autofree char *name = g_strdup_printf("%s ", from->name);
    g_autofree char *uid = g_strdup_printf("%u ", from->uid);
    k->begun = copy(r, from->begun != NULL ? from->begun : name);
    k->begun_uids = copy(r, from->begun_uids != NULL ? from->begun_uids : uid);
    k->ctas = from->ctas;
    k->ctas_completed = from->ctas_completed;
    k->cycles = from->cycles;
    k->end = from->end;
    k->partial = partial;
    r->cycles = from->end;
    g_autofree uint64_t *alone = g_new0(uint64_t, r->n + 1);
    for (uint32_t c = 0; c < r->columns->len; c++) {
        for (uint32_t i = 0; i < COLUMN(r, c)->row->n; i++) {
            alone[COLUMN(r, c)->at + i] = ww_results_alone(r, COLUMN(r, c), i);
        }
    }
    ww_results_value(r, alone, WW_THREAD_INSNS, NULL, &k->thread_insns);
    ww_results_value(r, alone, WW_WARP_INSNS, NULL, &k->warp_insns);
    ww_results_value(r, alone, WW_EMPTY_CYCLES, NULL, &k->launch);
    ww_work_end(r, k);
    if (r->keep) {
        k->packed = ww_pack(r->heap, alone, r->n);
        k->picked = r->picks != NULL ? pack_picked(r, picked_before) : NULL;
    }
    *WW_HEAP_ADD(r->heap, &r->kernels) = k;
    return k;
}

WwResults *ww_results_so_far(const WwResults *r, const WwKernelResult *open, WwHeap *heap)
{
    WwResults *s = WW_HEAP_NEW(heap, WwResults, 1);
    *s = *r;
    s->heap = heap;
    s->keep = false;
    s->picks = NULL;
    s->partial = true;
    s->status = "running";
    s->total = WW_HEAP_NEW(heap, uint64_t, r->n + 1);
    s->before = WW_HEAP_NEW(heap, uint64_t, r->n + 1);
    memcpy(s->total, r->total, r->n * sizeof *s->total);
    memset(&s->kernels, 0, sizeof s->kernels);
    for (uint32_t i = 0; i < r->kernels.n; i++) {
        *WW_HEAP_ADD(heap, &s->kernels) = r->kernels.v[i];
    }
    if (open != NULL) {
        ww_results_add(s, open, true);
    } else {
        ww_results_read(s);
    }
    return s;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

const WwColumn *ww_results_column(const WwResults *r, const char *type, const char *stat)
{
    uint32_t at = 0, end = r->columns->len;
    while (at < end) { /* the type's first one */
        uint32_t mid = at + (end - at) / 2;
        if (strcmp(COLUMN(r, mid)->type->name, type) < 0) {
            at = mid + 1;
        } else {
            end = mid;
        }
    }
    for (; at < r->columns->len && strcmp(COLUMN(r, at)->type->name, type) == 0; at++) {
        if (strcmp(COLUMN(r, at)->row->name, stat) == 0) {
            return COLUMN(r, at);
        }
    }
    return NULL;
}

static int entry_of(const WwStatRow *row, const char *label)
{
    for (uint32_t i = 0; row->labels != NULL && i < row->n; i++) {
        if (strcmp(row->labels[i], label) == 0) {
            return (int)i;
        }
    }
    uint64_t n;
    return g_ascii_string_to_unsigned(label, 10, 0, row->n - 1, &n, NULL) ? (int)n : -1;
}

bool ww_results_value(const WwResults *r, const uint64_t *values, const char *type,
                      const char *stat, const char *label, uint64_t *out)
{
    const WwColumn *column = ww_results_column(r, type, stat);
    *out = 0;
    if (column == NULL) {
        return false;
    }
    if (label == NULL) {
        for (uint32_t i = 0; i < column->row->n; i++) {
            *out += values[column->at + i];
        }
        return true;
    }
    int entry = entry_of(column->row, label);
    if (entry < 0) {
        return false;
    }
    *out = values[column->at + (uint32_t)entry];
    return true;
}

uint64_t ww_results_peek(const WwResults *r, const WwColumn *column)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->parts->len; i++) {
        const Part *part = &g_array_index(r->parts, Part, i);
        if (part->component->type == column->type) {
            sum += ww_stat_values(part->component, column->row)[0];
        }
    }
    return sum;
}
