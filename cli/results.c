/* SPDX-License-Identifier: Apache-2.0 */
/* Reading statistics: which there are is found out once, reading is then a walk over two arrays. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

/* One statistic of one component: where it is, and where it is added to. */
typedef struct Cell {
    const uint64_t *from;
    uint32_t at, n, column;
    bool max;
} Cell;

#define COLUMN(r, i) (&g_array_index((r)->columns, CliColumn, (i)))

static int by_name(const void *a, const void *b)
{
    const WwType *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* The types of the machine that have statistics, by name. */
static GPtrArray *types_with_statistics(const WwMachine *machine)
{
    GPtrArray *types = g_ptr_array_new();
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwType *type = ww_machine_component(machine, i)->type;
        if (type->stats != NULL && g_hash_table_add(seen, (gpointer)type)) {
            g_ptr_array_add(types, (gpointer)type);
        }
    }
    qsort(types->pdata, types->len, sizeof types->pdata[0], by_name);
    return types;
}

static void add_columns(CliResults *r, GHashTable *first_of)
{
    g_autoptr(GPtrArray) types = types_with_statistics(r->machine);
    for (uint32_t t = 0; t < types->len; t++) {
        const WwType *type = types->pdata[t];
        const WwStatRow *row;
        g_hash_table_insert(first_of, (gpointer)type, GUINT_TO_POINTER(r->columns->len));
        for (WW_ROWS(type->stats, row)) {
            CliColumn column = {type, row, r->n, 0};
            g_array_append_val(r->columns, column);
            r->n += row->n;
        }
    }
}

CliResults *cli_results_new(WwMachine *machine, bool keep)
{
    CliResults *r = g_new0(CliResults, 1);
    r->machine = machine;
    r->keep = keep;
    r->columns = g_array_new(false, false, sizeof(CliColumn));
    r->cells = g_array_new(false, false, sizeof(Cell));
    r->kernels = g_ptr_array_new();
    r->status = "done";
    g_autoptr(GHashTable) first_of = g_hash_table_new(NULL, NULL);
    add_columns(r, first_of);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        const WwStatRow *row;
        for (WW_ROWS(c->type->stats, row)) {
            uint32_t k = GPOINTER_TO_UINT(g_hash_table_lookup(first_of, c->type)) +
                         (uint32_t)(row - c->type->stats);
            Cell cell = {ww_stat_values(c, row), COLUMN(r, k)->at, row->n, k,
                         row->kind == WW_STAT_MAX};
            g_array_append_val(r->cells, cell);
            COLUMN(r, k)->instances++;
        }
    }
    r->total = g_new0(uint64_t, r->n + 1);
    r->before = g_new0(uint64_t, r->n + 1);
    return r;
}

static void free_kernel(CliKernel *k)
{
    g_free(k->name);
    g_free(k->file);
    g_free(k->alone);
    g_free(k);
}

void cli_results_free(CliResults *r)
{
    if (r == NULL) {
        return;
    }
    for (uint32_t i = 0; i < r->kernels->len; i++) {
        free_kernel(r->kernels->pdata[i]);
    }
    g_ptr_array_unref(r->kernels);
    g_array_unref(r->columns);
    g_array_unref(r->cells);
    g_free(r->total);
    g_free(r->before);
    g_free(r);
}

void cli_results_read(CliResults *r)
{
    ww_machine_settle(r->machine);
    memset(r->total, 0, r->n * sizeof *r->total);
    for (uint32_t i = 0; i < r->cells->len; i++) {
        const Cell *cell = &g_array_index(r->cells, Cell, i);
        uint64_t *to = r->total + cell->at;
        for (uint32_t k = 0; k < cell->n; k++) {
            to[k] = cell->max ? MAX(to[k], cell->from[k]) : to[k] + cell->from[k];
        }
    }
}

uint64_t cli_alone(const CliResults *r, const CliColumn *column, uint32_t i)
{
    uint64_t v = r->total[column->at + i];
    return column->row->kind == WW_STAT_MAX ? v : v - r->before[column->at + i];
}

CliKernel *cli_results_add(CliResults *r, const WwKernelResult *from, bool partial)
{
    CliKernel *k = g_new0(CliKernel, 1);
    memcpy(r->before, r->total, r->n * sizeof *r->total);
    cli_results_read(r);
    k->name = g_strdup(from->name);
    k->file = g_strdup(from->file);
    k->uid = from->uid;
    memcpy(k->grid, from->grid, sizeof k->grid);
    memcpy(k->block, from->block, sizeof k->block);
    k->stream = from->stream;
    k->ctas = from->ctas;
    k->cycles = from->cycles;
    k->end = from->end;
    k->partial = partial;
    r->cycles = from->end;
    uint64_t *alone = g_new0(uint64_t, r->n + 1);
    for (uint32_t c = 0; c < r->columns->len; c++) {
        for (uint32_t i = 0; i < COLUMN(r, c)->row->n; i++) {
            alone[COLUMN(r, c)->at + i] = cli_alone(r, COLUMN(r, c), i);
        }
    }
    cli_value(r, alone, CLI_THREAD_INSNS, NULL, &k->thread_insns);
    cli_value(r, alone, CLI_WARP_INSNS, NULL, &k->warp_insns);
    if (r->keep) {
        k->alone = alone;
    } else {
        g_free(alone);
    }
    g_ptr_array_add(r->kernels, k);
    return k;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

const CliColumn *cli_column(const CliResults *r, const char *type, const char *stat)
{
    for (uint32_t c = 0; c < r->columns->len; c++) {
        if (strcmp(COLUMN(r, c)->type->name, type) == 0 &&
            strcmp(COLUMN(r, c)->row->name, stat) == 0) {
            return COLUMN(r, c);
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

bool cli_value(const CliResults *r, const uint64_t *values, const char *type, const char *stat,
               const char *label, uint64_t *out)
{
    const CliColumn *column = cli_column(r, type, stat);
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

uint64_t cli_peek(const CliResults *r, const CliColumn *column)
{
    uint64_t sum = 0;
    uint32_t wanted = (uint32_t)(column - COLUMN(r, 0));
    for (uint32_t i = 0; i < r->cells->len; i++) {
        const Cell *cell = &g_array_index(r->cells, Cell, i);
        if (cell->column == wanted) {
            sum += cell->from[0];
        }
    }
    return sum;
}
