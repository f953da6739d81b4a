/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright compare` of many runs: each beside the run that it is compared with - of another file, the first one, or the one that differs in
 * the baseline's axis only.
 */
#include "compare.h"
#include "grid.h"

#include <math.h>
#include <string.h>

#define BATCH 64u /* columns that are looked at together */

/* A run, and what it is compared with. */
typedef struct Pair {
    uint32_t table, row, base_table, base_row;
} Pair;
typedef struct Line {
    char *name;
    double base, v, change; /* INFINITY: from 0 */
} Line;

typedef struct Many {
    const CompareMany *how;
    GPtrArray *dbs;    /* WwDb */
    GPtrArray *tables; /* WwDbTable, what tells runs apart */
    GPtrArray *names;  /* its columns; without the last NULL */
    GPtrArray *vary;   /* bool *: which of its columns vary */
    GArray *pairs;
    GArray *lines;
    uint64_t alone, unfinished, runs, same;
    double log_sum;
    uint64_t n_log;
    bool good;
} Many;

static void free_table(gpointer data)
{
    ww_db_table_free(data);
}

static void close_db(gpointer data)
{
    ww_db_close(data);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static WwDbTable *ask(const Many *m, WwDb *db, const GPtrArray *columns, GError **error)
{
    const WwDbQuery query = {.columns = (const char *const *)columns->pdata,
                             .where = (const char *const *)m->how->runs->where,
                             .experiment = m->how->runs->experiment};
    return ww_db_select(db, &query, error);
}

/* A database of its own for each database; files of results are one together. */
static bool open_all(Many *m, char *const *files, int n, GError **error)
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

static char *text_of(const WwDbValue *v)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    return v->text != NULL            ? g_strdup(v->text)
           : v->kind == WW_DB_NOTHING ? g_strdup("-")
                                      : g_strdup(g_ascii_dtostr(buffer, sizeof buffer, v->number));
}

/* Which columns are not the same in all runs of a table. */
static bool *columns_that_vary(const WwDbTable *t)
{
    bool *vary = g_new0(bool, (gsize)t->n_columns + 1);
    for (uint32_t c = 0; c < t->n_columns; c++) {
        g_autofree char *first = t->n_rows != 0 ? text_of(ww_db_at(t, 0, c)) : NULL;
        for (uint32_t r = 1; !vary[c] && r < t->n_rows; r++) {
            g_autofree char *other = text_of(ww_db_at(t, r, c));
            vary[c] = strcmp(first, other) != 0;
        }
    }
    return vary;
}

/* The axes of all, each once; then their tables. */
static bool look(Many *m, GError **error)
{
    for (guint i = 0; i < m->dbs->len; i++) {
        g_auto(GStrv) axes = ww_db_axes(m->dbs->pdata[i], m->how->runs->experiment, error);
        if (axes == NULL) {
            return false;
        }
        for (char **a = axes; *a != NULL; a++) {
            if (!g_ptr_array_find_with_equal_func(m->names, *a, g_str_equal, NULL)) {
                g_ptr_array_add(m->names, g_strdup(*a));
            }
        }
    }
    g_ptr_array_add(m->names, NULL);
    for (guint i = 0; i < m->dbs->len; i++) {
        WwDbTable *t = ask(m, m->dbs->pdata[i], m->names, error);
        if (t == NULL) {
            return false;
        }
        g_ptr_array_add(m->tables, t);
        g_ptr_array_add(m->vary, columns_that_vary(t));
        m->unfinished += t->unfinished;
        m->runs += t->n_rows;
    }
    return m->runs != 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "compare: no run with results fits; expected some ('warpwright db list')");
}

/* What tells a run apart, but for column @p without. */
static char *key_of(const WwDbTable *t, uint32_t r, int without)
{
    GString *key = g_string_new(NULL);
    for (uint32_t c = 0; c < t->n_columns; c++) {
        g_autofree char *text = (int)c != without ? text_of(ww_db_at(t, r, c)) : NULL;
        g_string_append_printf(key, "%s\x1f", text != NULL ? text : "");
    }
    return g_string_free(key, false);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static bool fail_alike(const Many *m, const char *key, GError **error)
{
    g_autofree char *text = g_strdup(key);
    g_strdelimit(text, "\x1f", ' ');
    return ww_fail(
        error, WW_ERROR_USAGE,
        "several runs have the same axes (%s); expected --experiment or --where that choose one",
        g_strstrip(text));
}

/* Runs of the others with those of the first database that have the same axes. */
static bool pair_files(Many *m, GError **error)
{
    g_autoptr(GHashTable) first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const WwDbTable *t = m->tables->pdata[0];
    for (uint32_t r = 0; r < t->n_rows; r++) {
        char *key = key_of(t, r, -1);
        if (!g_hash_table_insert(first, key, GUINT_TO_POINTER(r + 1))) {
            return fail_alike(m, key, error);
        }
    }
    for (guint i = 1; i < m->tables->len; i++) {
        g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        const WwDbTable *other = m->tables->pdata[i];
        uint32_t found = 0;
        for (uint32_t r = 0; r < other->n_rows; r++) {
            char *key = key_of(other, r, -1);
            uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(first, key));
            if (!g_hash_table_add(seen, key)) {
                return fail_alike(m, key, error);
            }
            m->alone += at == 0;
            found += at != 0;
            if (at != 0) {
                Pair pair = {i, r, 0, at - 1};
                g_array_append_val(m->pairs, pair);
            }
        }
        m->alone += t->n_rows - found;
    }
    return true;
}

/* The last of the names is NULL. */
static gboolean is_name(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b) == 0;
}

static bool pair_baseline(Many *m, GError **error)
{
    const char *text = m->how->baseline, *equals = strchr(text, '=');
    g_autofree char *name = equals != NULL ? g_strndup(text, (gsize)(equals - text)) : NULL;
    guint column;
    if (m->tables->len != 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--baseline with several databases; expected one, or none");
    }
    if (name == NULL || !g_ptr_array_find_with_equal_func(m->names, name, is_name, &column)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--baseline '%s'; expected NAME=VALUE with the name of an axis", text);
    }
    g_autoptr(GHashTable) bases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const WwDbTable *t = m->tables->pdata[0];
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *own = text_of(ww_db_at(t, r, column));
        if (cli_names(equals + 1, own)) {
            char *key = key_of(t, r, (int)column);
            if (!g_hash_table_insert(bases, key, GUINT_TO_POINTER(r + 1))) {
                return fail_alike(m, key, error);
            }
        }
    }
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *key = key_of(t, r, (int)column);
        uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(bases, key));
        m->alone += at == 0;
        if (at != 0 && at != r + 1) {
            Pair pair = {0, r, 0, at - 1};
            g_array_append_val(m->pairs, pair);
        }
    }
    return g_hash_table_size(bases) != 0 ||
           ww_fail(error, WW_ERROR_USAGE, "no run that fits has --baseline '%s'; expected some",
                   text);
}

static bool pair_all(Many *m, GError **error)
{
    if (m->how->baseline != NULL) {
        return pair_baseline(m, error);
    }
    if (m->tables->len > 1) {
        return pair_files(m, error);
    }
    const WwDbTable *t = m->tables->pdata[0];
    for (uint32_t r = 1; r < t->n_rows; r++) {
        Pair pair = {0, r, 0, 0};
        g_array_append_val(m->pairs, pair);
    }
    return true;
}

/* The values of the axes that vary. */
static char *name_of(const Many *m, const Pair *p)
{
    GString *name = g_string_new(NULL);
    const WwDbTable *t = m->tables->pdata[p->table];
    const bool *vary = m->vary->pdata[p->table];
    for (uint32_t c = 0; c < t->n_columns; c++) {
        g_autofree char *own = text_of(ww_db_at(t, p->row, c));
        if (vary[c]) {
            g_string_append_printf(name, "%s%s=%s", name->len != 0 ? " " : "",
                                   (const char *)m->names->pdata[c], own);
        }
    }
    if (m->tables->len > 2) {
        g_string_append_printf(name, " (%s)", ww_db_path(m->dbs->pdata[p->table]));
    }
    if (name->len == 0) {
        g_autofree char *first =
            t->n_columns != 0 ? text_of(ww_db_at(t, p->row, 0)) : g_strdup("run");
        g_string_append(name, first);
    }
    return g_string_free(name, false);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* A column of all databases; NULL with an error, which a database without the name is. */
static GPtrArray *columns_of(const Many *m, const GPtrArray *names, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_table);
    for (guint i = 0; i < m->dbs->len; i++) {
        WwDbTable *t = ask(m, m->dbs->pdata[i], names, error);
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
static bool measure(Many *m, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_ptr_array_add(names, (gpointer)name);
    g_ptr_array_add(names, NULL);
    g_autoptr(GPtrArray) tables = columns_of(m, names, error);
    if (tables == NULL) {
        return false;
    }
    for (guint i = 0; i < m->pairs->len; i++) {
        const Pair *p = &g_array_index(m->pairs, Pair, i);
        double base = figure(tables, p->base_table, p->base_row, 0),
               v = figure(tables, p->table, p->row, 0);
        double change = v == base || (isnan(v) && isnan(base)) ? 0
                        : base != 0                            ? v / base - 1
                                                               : INFINITY;
        if (isnan(v) != isnan(base)) {
            change = INFINITY;
        }
        m->good &= isnan(m->how->most) || fabs(change) <= m->how->most;
        m->good &= !m->how->exact || change == 0;
        if (v > 0 && base > 0) {
            m->log_sum += log(v / base);
            m->n_log++;
        }
        if (change == 0) {
            m->same++;
            continue;
        }
        g_autofree char *of = name_of(m, p);
        Line line = {m->how->measures != NULL ? g_strdup_printf("%s %s", of, name)
                                              : g_steal_pointer(&of),
                     base, v, change};
        g_array_append_val(m->lines, line);
    }
    return true;
}

/* --exact: which statistics differ in how many runs; a batch of columns at a time. */
static bool all_statistics(Many *m, GError **error)
{
    guint differ = 0, equal = 0;
    g_auto(GStrv) every = ww_db_statistics(m->dbs->pdata[0], NULL, error);
    for (char **from = every; from != NULL && *from != NULL;) {
        g_autoptr(GPtrArray) names = g_ptr_array_new();
        while (*from != NULL && names->len < BATCH) {
            g_ptr_array_add(names, *from++);
        }
        guint n = names->len;
        g_ptr_array_add(names, NULL);
        g_autoptr(GPtrArray) tables = columns_of(m, names, error);
        if (tables == NULL) {
            return false;
        }
        for (guint c = 0; c < n; c++) {
            guint runs = 0;
            for (guint i = 0; i < m->pairs->len; i++) {
                const Pair *p = &g_array_index(m->pairs, Pair, i);
                double base = figure(tables, p->base_table, p->base_row, c),
                       v = figure(tables, p->table, p->row, c);
                runs += !(v == base || (isnan(v) && isnan(base)));
            }
            equal += runs == 0;
            differ += runs != 0;
            if (runs != 0 && (differ <= COMPARE_MOST_ROWS || m->how->all)) {
                printf("%s  %-50s in %u runs\n", differ == 1 ? "\nstatistics that differ\n" : "",
                       (const char *)names->pdata[c], runs);
            }
        }
    }
    if (every == NULL) {
        return false;
    }
    if (differ > COMPARE_MOST_ROWS && !m->how->all) {
        printf("  and %u more that differ (--all)\n", differ - COMPARE_MOST_ROWS);
    }
    printf("\n%u of %u statistics are the same in all runs\n", equal, equal + differ);
    m->good &= differ == 0;
    return true;
}

static void print(const Many *m)
{
    guint width = 20;
    guint n = m->how->all ? m->lines->len : MIN(m->lines->len, COMPARE_MOST_ROWS);
    for (guint i = 0; i < n; i++) {
        width = MAX(width, (guint)g_utf8_strlen(g_array_index(m->lines, Line, i).name, -1));
    }
    width = MIN(width, 100);
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
        printf("and %u more that differ (--all)\n", m->lines->len - n);
    }
    guint figures = m->lines->len + (guint)m->same;
    printf("%s%" G_GUINT64_FORMAT " of %u %s the same", n != 0 ? "\n" : "", m->same, figures,
           figures == 1 ? "is" : "are");
    if (m->n_log != 0) {
        printf("; geometric mean of the ratios to A %.4f", exp(m->log_sum / (double)m->n_log));
    }
    puts("");
    if (m->alone != 0) {
        printf("%" G_GUINT64_FORMAT " runs have nothing to be compared with\n", m->alone);
    }
    if (m->unfinished != 0) {
        printf("%" G_GUINT64_FORMAT " runs have no results\n", m->unfinished);
    }
}

static bool work(Many *m, GError **error)
{
    static char cycles[] = "cycles";
    static char *const standard[] = {cycles, NULL};
    for (char *const *name = m->how->measures != NULL ? m->how->measures : standard; *name != NULL;
         name++) {
        if (!measure(m, *name, error)) {
            return false;
        }
    }
    g_array_sort(m->lines, by_change);
    print(m);
    if (m->how->exact || !isnan(m->how->most)) {
        m->good &= m->alone == 0 && m->unfinished == 0;
    }
    return !m->how->exact || all_statistics(m, error);
}

bool compare_many(const CompareMany *how, char *const *files, int n, bool *same, GError **error)
{
    Many m = {.how = how,
              .dbs = g_ptr_array_new_with_free_func(close_db),
              .tables = g_ptr_array_new_with_free_func(free_table),
              .names = g_ptr_array_new_with_free_func(g_free),
              .vary = g_ptr_array_new_with_free_func(g_free),
              .pairs = g_array_new(false, false, sizeof(Pair)),
              .lines = g_array_new(false, false, sizeof(Line)),
              .good = true};
    bool good =
        open_all(&m, files, n, error) && look(&m, error) && pair_all(&m, error) &&
        (m.pairs->len != 0 || how->baseline != NULL || m.dbs->len > 1 ||
         ww_fail(error, WW_ERROR_USAGE, "compare: only one run fits; expected two or more")) &&
        work(&m, error);
    *same = m.good;
    for (guint i = 0; i < m.lines->len; i++) {
        g_free(g_array_index(m.lines, Line, i).name);
    }
    g_array_unref(m.lines);
    g_array_unref(m.pairs);
    g_ptr_array_unref(m.names);
    g_ptr_array_unref(m.tables);
    g_ptr_array_unref(m.vary);
    g_ptr_array_unref(m.dbs);
    return good;
}
