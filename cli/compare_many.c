/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright compare` of many runs: each beside the run that it is compared with - of another file, the first one, or the one that differs in
 * the baseline's axis only.
 */
#include "compare_many.h"
#include "grid.h"

#include <math.h>
#include <string.h>
#include <warpwright/component.h>

typedef struct Line {
    char *name;
    double base, v, change; /* INFINITY: from 0 */
} Line;

static void free_table(gpointer data)
{
    ww_db_table_free(data);
}

static void close_db(gpointer data)
{
    ww_db_close(data);
}

static void free_keys(gpointer data)
{
    g_hash_table_unref(data);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* A database of its own for each database; files of results are one together. */
static bool open_all(CompareRuns *m, char *const *files, int n, GError **error)
{
    g_autoptr(GPtrArray) results = g_ptr_array_new();
    for (int i = 0; i < n; i++) {
        if (!ww_db_is_one(files[i])) {
            g_ptr_array_add(results, files[i]);
            continue;
        }
        WwDb *db = ww_db_open(files[i], WW_DB_READ, error);
        if (db == NULL) {
            return false;
        }
        g_ptr_array_add(m->dbs, db);
        if (!ww_db_hold(db, error)) { /* a sweep may go on: pairs are numbers of rows */
            return false;
        }
    }
    if (results->len != 0 && m->dbs->len != 0) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "compare: '%s' is a file of results beside a database; expected only one kind",
            (const char *)results->pdata[0]);
    }
    if (results->len != 0) {
        WwDb *db = cli_runs_open((char *const *)results->pdata, (int)results->len, error);
        if (db == NULL) {
            return false;
        }
        g_ptr_array_add(m->dbs, db);
    }
    return m->dbs->len != 0 ||
           ww_fail(error, WW_ERROR_USAGE, "compare: expected results or databases");
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

GPtrArray *compare_runs_columns(const CompareRuns *m, const char *const *columns, bool kernels,
                                GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_table);
    for (guint i = 0; i < m->dbs->len; i++) {
        WwDbTable *t = compare_runs_ask(m, m->dbs->pdata[i], columns, kernels, error);
        if (t == NULL) {
            return NULL;
        }
        g_ptr_array_add(all, t);
    }
    return g_steal_pointer(&all);
}

static double figure(const GPtrArray *tables, uint32_t table, uint32_t row, uint32_t column)
{
    const WwDbValue *v = ww_db_at(tables->pdata[table], row, column);
    return v->kind == WW_DB_NUMBER ? v->number : NAN;
}

static int by_change(gconstpointer a, gconstpointer b)
{
    const Line *x = a, *y = b;
    double one = fabs(x->change), other = fabs(y->change);
    return one != other ? (one < other ? 1 : -1) : strcmp(x->name, y->name);
}

/* One figure of all pairs. */
static bool measure(CompareRuns *m, const char *name, GError **error)
{
    const char *const names[] = {name, NULL};
    g_autoptr(GPtrArray) tables = compare_runs_columns(m, names, false, error);
    if (tables == NULL) {
        return false;
    }
    for (guint i = 0; i < m->pairs->len; i++) {
        const ComparePair *p = &g_array_index(m->pairs, ComparePair, i);
        double base = figure(tables, p->base_table, p->base_row, 0),
               v = figure(tables, p->table, p->row, 0);
        double change = v == base || (isnan(v) && isnan(base)) ? 0
                        : base != 0                            ? v / base - 1
                                                               : INFINITY;
        if (isnan(v) != isnan(base)) {
            change = INFINITY;
        }
        m->beyond += !isnan(m->how->most) && fabs(change) > m->how->most;
        if (v > 0 && base > 0) {
            m->log_sum += log(v / base);
            m->n_log++;
        }
        if (change == 0) {
            m->same++;
            continue;
        }
        g_autofree char *of = compare_runs_name(m, p);
        Line line = {m->how->measures != NULL ? g_strdup_printf("%s %s", of, name)
                                              : g_steal_pointer(&of),
                     base, v, change};
        g_array_append_val(m->lines, line);
    }
    return true;
}

/* Who is A, where that is one run for all and nobody chose it. */
static void print_base(const CompareRuns *m)
{
    if (m->how->baseline == NULL && m->dbs->len == 1) {
        const ComparePair first = {0, 0, 0, 0};
        g_autofree char *name = compare_runs_name(m, &first), *shown = cli_visible(name);
        printf("A is the first run: %s\n%s", shown, m->lines->len != 0 ? "\n" : "");
    }
}

static void print(const CompareRuns *m)
{
    guint width = 20;
    guint n = m->how->all ? m->lines->len : MIN(m->lines->len, COMPARE_MOST_ROWS);
    for (guint i = 0; i < n; i++) {
        width = MAX(width, (guint)g_utf8_strlen(g_array_index(m->lines, Line, i).name, -1));
    }
    width = MIN(width, 100);
    print_base(m);
    for (guint i = 0; i < n; i++) {
        const Line *l = &g_array_index(m->lines, Line, i);
        g_autofree char *a = cli_figure(l->base, false), *b = cli_figure(l->v, false),
                        *name = cli_cut(l->name, m->how->all ? UINT32_MAX : width),
                        *change = isinf(l->change) ? g_strdup("")
                                                   : g_strdup_printf("%+.2f %%", l->change * 100);
        if (i == 0) {
            printf("%*s %14s %14s %10s\n", (int)width, "", "A", "", "change");
        }
        printf("%s%*s %14s %14s %10s\n", name, MAX((int)width - (int)g_utf8_strlen(name, -1), 0),
               "", a, b, change);
    }
    if (n < m->lines->len) {
        compare_print_more("", m->lines->len - n);
    }
    guint figures = m->lines->len + (guint)m->same;
    printf("%s%" G_GUINT64_FORMAT " of %u %s the same", n != 0 ? "\n" : "", m->same, figures,
           figures == 1 ? "is" : "are");
    if (m->n_log != 0) {
        printf("; geometric mean of the ratios to A %.4f", exp(m->log_sum / (double)m->n_log));
    }
    puts("");
    compare_runs_tell(m);
}

void compare_runs_why(CompareRuns *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_string_append(m->why, m->why->len != 0 ? "; " : "");
    g_string_append_vprintf(m->why, format, list);
    va_end(list);
}

/* What must not be, besides what --exact alone looks at. */
static void judge(CompareRuns *m)
{
    guint n = m->lines->len;
    if (m->how->exact && n != 0) {
        compare_runs_why(m, "%u %s", n, WW_PLURAL(n, "figure differs", "figures differ"));
    }
    if (m->beyond != 0) {
        compare_runs_why(m, "%u %s changed by more than %g %%", m->beyond,
                         WW_PLURAL(m->beyond, "figure", "figures"), m->how->most * 100);
    }
    if (m->alone != 0) {
        compare_runs_why(m, "%" G_GUINT64_FORMAT " %s nothing to be compared with", m->alone,
                         WW_PLURAL(m->alone, "run has", "runs have"));
    }
    if (m->one_side != 0) {
        compare_runs_why(m, "%" G_GUINT64_FORMAT " %s results on one side only", m->one_side,
                         WW_PLURAL(m->one_side, "run has", "runs have"));
    }
    if (m->partial_alone != 0) {
        compare_runs_why(m, "%u %s partial on one side only", m->partial_alone,
                         WW_PLURAL(m->partial_alone, "run is", "runs are"));
    }
}

static bool work(CompareRuns *m, GError **error)
{
    static char cycles[] = "cycles";
    static char *const standard[] = {cycles, NULL};
    bool must = m->how->exact || !isnan(m->how->most);
    for (char *const *name = m->how->measures != NULL ? m->how->measures : standard; *name != NULL;
         name++) {
        if (!measure(m, *name, error)) {
            return false;
        }
    }
    g_array_sort(m->lines, by_change);
    print(m);
    if (must) {
        judge(m);
    }
    if (m->how->exact && !compare_runs_exactly(m, error)) {
        return false;
    }
    if (m->why->len != 0) {
        printf("\nnot as it must be: %s\n", m->why->str);
    }
    return true;
}

bool compare_many(const CompareMany *how, char *const *files, int n, bool *same, GError **error)
{
    CompareRuns m = {.how = how,
                     .dbs = g_ptr_array_new_with_free_func(close_db),
                     .tables = g_ptr_array_new_with_free_func(free_table),
                     .names = g_ptr_array_new_with_free_func(g_free),
                     .vary = g_ptr_array_new_with_free_func(g_free),
                     .pairs = g_array_new(false, false, sizeof(ComparePair)),
                     .lines = g_array_new(false, false, sizeof(Line)),
                     .missing = g_ptr_array_new_with_free_func(free_keys),
                     .neither = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                     .why = g_string_new(NULL)};
    bool good =
        open_all(&m, files, n, error) && compare_runs_pair(&m, error) &&
        (m.pairs->len != 0 || how->baseline != NULL || m.dbs->len > 1 ||
         ww_fail(error, WW_ERROR_USAGE, "compare: only one run fits; expected two or more")) &&
        work(&m, error);
    *same = m.why->len == 0;
    for (guint i = 0; i < m.lines->len; i++) {
        g_free(g_array_index(m.lines, Line, i).name);
    }
    g_array_unref(m.lines);
    g_array_unref(m.pairs);
    g_ptr_array_unref(m.names);
    g_ptr_array_unref(m.tables);
    g_ptr_array_unref(m.vary);
    g_ptr_array_unref(m.missing);
    g_hash_table_unref(m.neither);
    g_string_free(m.why, true);
    g_free(m.one_side_name);
    g_free(m.partial_name);
    g_ptr_array_unref(m.dbs);
    return good;
}
