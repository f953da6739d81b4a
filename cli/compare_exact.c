/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright compare --exact` of many runs: figures, texts and statistics of each run and of its kernels, a batch of columns at a time.
 */
#include "compare_many.h"

#include <string.h>

#define BATCH 64u /* columns that are looked at together */

/* A kernel's, and a run's, besides statistics. */
static const char *const of_kernels[] = {
    "kernel", "cycles",        "thread_instructions", "warp_instructions", "ctas",
    "sms",    "launch_cycles", "tail_cycles",         "bound_by"};
static const char *const of_runs[] = {"thread_instructions", "warp_instructions", "ctas",    "sms",
                                      "launch_cycles",       "tail_cycles",       "bound_by"};

/* Where a run's rows are in a table. */
typedef struct Rows {
    uint32_t first, n;
} Rows;

/* Runs, or their kernels. */
typedef struct Level {
    bool kernels;
    GPtrArray *rows;     /* a GArray of Rows for each database: one for each of its runs */
    GHashTable *differ;  /* names that differ */
    uint32_t all, equal; /* columns */
} Level;

static void free_rows(gpointer data)
{
    g_array_unref(data);
}

/* "EXPERIMENT\nKEY" of a row of these two columns. */
static char *run_of(const WwDbTable *t, uint32_t row)
{
    return g_strconcat(ww_db_at(t, row, 0)->text, "\n", ww_db_at(t, row, 1)->text, NULL);
}

/* Where each run of database @p db has its kernels. */
static GArray *kernels_of(const CompareRuns *m, WwDb *db, GError **error)
{
    static const char *const columns[] = {"experiment", "key", NULL};
    g_autoptr(WwDbTable) runs = compare_runs_ask(m, db, columns, false, error);
    g_autoptr(WwDbTable) kernels =
        runs != NULL ? compare_runs_ask(m, db, columns, true, error) : NULL;
    if (kernels == NULL) {
        return NULL;
    }
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (uint32_t i = 0; i < kernels->n_rows; i++) {
        char *run = run_of(kernels, i);
        Rows *rows = g_hash_table_lookup(known, run);
        if (rows == NULL) {
            rows = g_new(Rows, 1);
            *rows = (Rows){i, 0};
            g_hash_table_insert(known, run, rows);
        } else {
            g_free(run);
        }
        rows->n++;
    }
    GArray *all = g_array_sized_new(false, true, sizeof(Rows), runs->n_rows);
    for (uint32_t i = 0; i < runs->n_rows; i++) {
        g_autofree char *run = run_of(runs, i);
        const Rows *rows = g_hash_table_lookup(known, run);
        g_array_append_vals(all, rows != NULL ? rows : &(Rows){0, 0}, 1);
    }
    return all;
}

static Rows rows_of(const Level *l, uint32_t table, uint32_t row)
{
    return l->kernels ? g_array_index((GArray *)l->rows->pdata[table], Rows, row) : (Rows){row, 1};
}

static bool same_value(const WwDbValue *a, const WwDbValue *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind == WW_DB_NUMBER ? a->number == b->number && g_strcmp0(a->text, b->text) == 0
                                   : a->kind == WW_DB_NOTHING || strcmp(a->text, b->text) == 0;
}

static bool same_column(const Level *l, const GPtrArray *tables, const ComparePair *p,
                        uint32_t column)
{
    Rows base = rows_of(l, p->base_table, p->base_row), own = rows_of(l, p->table, p->row);
    for (uint32_t i = 0; i < MIN(base.n, own.n); i++) {
        if (!same_value(ww_db_at(tables->pdata[p->base_table], base.first + i, column),
                        ww_db_at(tables->pdata[p->table], own.first + i, column))) {
            return false;
        }
    }
    return true;
}

static void judge_column(CompareRuns *m, Level *l, const GPtrArray *tables, const char *name,
                         uint32_t column)
{
    guint runs = 0;
    for (guint i = 0; i < m->pairs->len; i++) {
        runs += !same_column(l, tables, &g_array_index(m->pairs, ComparePair, i), column);
    }
    l->all++;
    l->equal += runs == 0;
    if (runs == 0 || g_hash_table_contains(l->differ, name)) {
        return; /* of kernels, what differs in their run, too, is told once */
    }
    g_hash_table_add(l->differ, g_strdup(name));
    guint shown = g_hash_table_size(l->differ);
    if (shown <= COMPARE_MOST_ROWS || m->how->all) {
        printf("%s  %-50s in %s%u %s\n", shown == 1 ? "\nfigures and statistics that differ\n" : "",
               name, l->kernels ? "kernels of " : "", runs, WW_PLURAL(runs, "run", "runs"));
    }
}

static bool judge_columns(CompareRuns *m, Level *l, const char *const *names, guint n,
                          GError **error)
{
    for (guint from = 0; from < n; from += BATCH) {
        const char *columns[BATCH + 1] = {NULL};
        guint here = MIN(BATCH, n - from);
        memcpy(columns, names + from, here * sizeof *columns);
        g_autoptr(GPtrArray) tables = compare_runs_columns(m, columns, l->kernels, error);
        if (tables == NULL) {
            return false;
        }
        for (guint c = 0; c < here; c++) {
            judge_column(m, l, tables, columns[c], c);
        }
    }
    return true;
}

/* Runs that have more or fewer kernels than the one beside them. */
static void judge_numbers(CompareRuns *m, const Level *l)
{
    guint n = 0;
    for (guint i = 0; i < m->pairs->len; i++) {
        const ComparePair *p = &g_array_index(m->pairs, ComparePair, i);
        n += rows_of(l, p->base_table, p->base_row).n != rows_of(l, p->table, p->row).n;
    }
    if (n != 0) {
        compare_runs_why(m, "%u %s another number of kernels", n,
                         WW_PLURAL(n, "run has", "runs have"));
    }
}

/* Fingerprints, of runs that have one on both sides. */
static bool judge_fingerprints(CompareRuns *m, GError **error)
{
    static const char *const columns[] = {"fingerprint", NULL};
    guint n = 0;
    g_autoptr(GPtrArray) tables = compare_runs_columns(m, columns, false, error);
    if (tables == NULL) {
        return false;
    }
    for (guint i = 0; i < m->pairs->len; i++) {
        const ComparePair *p = &g_array_index(m->pairs, ComparePair, i);
        const WwDbValue *base = ww_db_at(tables->pdata[p->base_table], p->base_row, 0),
                        *own = ww_db_at(tables->pdata[p->table], p->row, 0);
        n += base->text != NULL && own->text != NULL && strcmp(base->text, own->text) != 0;
    }
    if (n != 0) {
        compare_runs_why(m, "%u %s another fingerprint", n, WW_PLURAL(n, "run has", "runs have"));
    }
    return true;
}

static bool judge_level(CompareRuns *m, Level *l, const char *const *figures, guint n,
                        char *const *statistics, GError **error)
{
    return judge_columns(m, l, figures, n, error) &&
           judge_columns(m, l, (const char *const *)statistics, g_strv_length((char **)statistics),
                         error);
}

bool compare_runs_exactly(CompareRuns *m, GError **error)
{
    g_auto(GStrv) statistics = ww_db_statistics(m->dbs->pdata[0], NULL, error);
    g_autoptr(GHashTable) differ = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(free_rows);
    Level runs = {.differ = differ}, kernels = {.kernels = true, .rows = rows, .differ = differ};
    if (statistics == NULL) {
        return false;
    }
    for (guint i = 0; i < m->dbs->len; i++) {
        GArray *of = kernels_of(m, m->dbs->pdata[i], error);
        if (of == NULL) {
            return false;
        }
        g_ptr_array_add(rows, of);
    }
    if (!judge_level(m, &runs, of_runs, G_N_ELEMENTS(of_runs), statistics, error) ||
        !judge_level(m, &kernels, of_kernels, G_N_ELEMENTS(of_kernels), statistics, error) ||
        !judge_fingerprints(m, error)) {
        return false;
    }
    guint n = g_hash_table_size(differ);
    if (n > COMPARE_MOST_ROWS && !m->how->all) {
        compare_print_more("  ", n - COMPARE_MOST_ROWS);
    }
    printf("\n%u of %u figures and statistics are the same in all runs, %u of %u in all kernels\n",
           runs.equal, runs.all, kernels.equal, kernels.all);
    judge_numbers(m, &kernels);
    if (n != 0) {
        compare_runs_why(
            m, "%u %s", n,
            WW_PLURAL(n, "figure or statistic differs", "figures or statistics differ"));
    }
    return true;
}
