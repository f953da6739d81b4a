/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which run is compared with which. A run without results has a partner, too: that neither of them has any is no difference, that one has is.
 */
#include "compare_many.h"
#include "grid.h"

#include <string.h>
#include <warpwright/component.h>

/* ---- runs ------------------------------------------------------------------------------------------------------- */

WwDbTable *compare_runs_ask(const CompareRuns *m, WwDb *db, const char *const *columns,
                            bool kernels, GError **error)
{
    /* of kernels a condition would choose some, and not some runs */
    const WwDbQuery query = {.columns = columns,
                             .where = kernels ? NULL : (const char *const *)m->how->runs->where,
                             .experiment = m->how->runs->experiment,
                             .kernels = kernels};
    return ww_db_select(db, &query, error);
}

/* Is what a condition asks for known of a run without results? */
static bool is_known(const CompareRuns *m, const char *condition)
{
    static const char *const always[] = {"experiment", "number", "key", "state", NULL};
    g_autofree char *name = g_strndup(condition, strcspn(condition, "!<>="));
    bool known = g_strv_contains(always, name);
    for (guint i = 0; !known && i < m->names->len; i++) {
        known = g_strcmp0(m->names->pdata[i], name) == 0;
    }
    return known;
}

/* All runs, those without results too; of these, what is not known does not leave them out. */
static WwDbTable *ask_all(const CompareRuns *m, WwDb *db, GError **error)
{
    g_autoptr(GPtrArray) where = g_ptr_array_new();
    for (char **w = m->how->runs->where; w != NULL && *w != NULL; w++) {
        if (is_known(m, *w)) {
            g_ptr_array_add(where, *w);
        }
    }
    g_ptr_array_add(where, NULL);
    const WwDbQuery query = {.columns = (const char *const *)m->names->pdata,
                             .where = (const char *const *)where->pdata,
                             .experiment = m->how->runs->experiment,
                             .all = true};
    return ww_db_select(db, &query, error);
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

/* A key for people. */
static char *key_text(const char *key)
{
    char *text = g_strdup(key);
    g_strdelimit(text, "\x1f", ' ');
    return g_strstrip(text);
}

/* Runs of database @p i that have no results. */
static GHashTable *missing_of(const CompareRuns *m, guint i, GError **error)
{
    g_autoptr(WwDbTable) t = ask_all(m, m->dbs->pdata[i], error);
    if (t == NULL) {
        return NULL;
    }
    GHashTable *keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t r = 0; r < t->n_rows; r++) {
        if (ww_db_is(t, r, WW_DB_UNFINISHED)) {
            g_hash_table_add(keys, key_of(t, r, -1));
        }
    }
    return keys;
}

static bool has_axis(const CompareRuns *m, guint i, const char *name)
{
    g_auto(GStrv) axes = ww_db_axes(m->dbs->pdata[i], m->how->runs->experiment, NULL);
    return axes != NULL && g_strv_contains((const char *const *)axes, name);
}

/* Nobody has asked for a name that one database lacks: it is an axis of another. *@p error is what asking database @p i gave. */
static bool fail_other_axes(const CompareRuns *m, guint i, GError **error)
{
    for (guint n = 0; n + 1 < m->names->len; n++) {
        const char *name = m->names->pdata[n], *columns[] = {name, NULL};
        const WwDbQuery query = {.columns = columns, .experiment = m->how->runs->experiment};
        g_autoptr(WwDbTable) own =
            has_axis(m, i, name) ? NULL : ww_db_select(m->dbs->pdata[i], &query, NULL);
        if (own != NULL || has_axis(m, i, name)) {
            continue;
        }
        guint other = 0;
        while (other + 1 < m->dbs->len && !has_axis(m, other, name)) {
            other++;
        }
        g_clear_error(error);
        return ww_fail(error, WW_ERROR_USAGE,
                       "'%s' has no axis '%s', which '%s' has; expected databases, or experiments "
                       "(--experiment), of the same axes",
                       ww_db_path(m->dbs->pdata[i]), name, ww_db_path(m->dbs->pdata[other]));
    }
    return false;
}

/* The axes of all, each once; then their tables. */
static bool look(CompareRuns *m, GError **error)
{
    for (guint i = 0; i < m->dbs->len; i++) {
        g_auto(GStrv) axes = cli_runs_axes(m->dbs->pdata[i], m->how->runs, m->how->baseline, error);
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
        WwDbTable *t = compare_runs_ask(m, m->dbs->pdata[i], (const char *const *)m->names->pdata,
                                        false, error);
        if (t == NULL) {
            return error != NULL && g_error_matches(*error, WW_ERROR, WW_ERROR_USAGE) &&
                   fail_other_axes(m, i, error);
        }
        g_ptr_array_add(m->tables, t);
        g_ptr_array_add(m->vary, columns_that_vary(t));
        GHashTable *missing = missing_of(m, i, error);
        if (missing == NULL) {
            return false;
        }
        g_ptr_array_add(m->missing, missing);
        m->runs += t->n_rows;
    }
    return m->runs != 0 || cli_runs_fail_none(m->dbs->pdata[0], m->how->runs, false, 0, error);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static bool fail_alike(const char *key, GError **error)
{
    g_autofree char *text = key_text(key);
    return ww_fail(
        error, WW_ERROR_USAGE,
        "several runs have the same axes (%s); expected --experiment or --where that choose one",
        text);
}

/* The run has results on one side, and is there without any on the other one. */
static void add_one_side(CompareRuns *m, const char *key)
{
    m->one_side++;
    m->one_side_name = m->one_side_name != NULL ? m->one_side_name : key_text(key);
}

/* Runs without results, @p missing, that have none in the other database, either. */
static void pair_missing(CompareRuns *m, GHashTable *missing, GHashTable *with,
                         GHashTable *other_missing, GHashTable *other_with)
{
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, missing);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        if (g_hash_table_contains(with, key) || g_hash_table_contains(other_with, key)) {
            continue; /* counted there */
        }
        if (g_hash_table_contains(other_missing, key)) {
            g_hash_table_add(m->neither, g_strdup(key));
        } else {
            m->alone++;
        }
    }
}

/* Runs of @p t that the other database has no results of. */
static void pair_lone(CompareRuns *m, const WwDbTable *t, GHashTable *other_with,
                      GHashTable *other_missing)
{
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *key = key_of(t, r, -1);
        if (g_hash_table_contains(other_with, key)) {
            continue;
        }
        if (g_hash_table_contains(other_missing, key)) {
            add_one_side(m, key);
        } else {
            m->alone++;
        }
    }
}

/* Runs of the others with those of the first database that have the same axes. */
static bool pair_files(CompareRuns *m, GError **error)
{
    g_autoptr(GHashTable) first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const WwDbTable *t = m->tables->pdata[0];
    for (uint32_t r = 0; r < t->n_rows; r++) {
        char *key = key_of(t, r, -1);
        if (!g_hash_table_replace(first, key, GUINT_TO_POINTER(r + 1))) {
            return fail_alike(key, error);
        }
    }
    for (guint i = 1; i < m->tables->len; i++) {
        g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        const WwDbTable *other = m->tables->pdata[i];
        for (uint32_t r = 0; r < other->n_rows; r++) {
            char *key = key_of(other, r, -1);
            uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(first, key));
            if (!g_hash_table_add(seen, key)) {
                return fail_alike(key, error);
            }
            if (at != 0) {
                ComparePair pair = {i, r, 0, at - 1};
                g_array_append_val(m->pairs, pair);
            }
        }
        GHashTable *none = m->missing->pdata[0], *other_none = m->missing->pdata[i];
        pair_lone(m, t, seen, other_none);
        pair_lone(m, other, first, none);
        pair_missing(m, none, first, other_none, seen);
        pair_missing(m, other_none, seen, none, first);
    }
    return true;
}

/* The last of the names is NULL. */
static gboolean is_name(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(a, b) == 0;
}

/* Runs without results beside their baseline, and (@p none, by key_of() without the column) baselines without. */
static bool pair_unfinished(CompareRuns *m, const char *value, guint column, GHashTable *bases,
                            GHashTable **none, GError **error)
{
    g_autoptr(WwDbTable) t = ask_all(m, m->dbs->pdata[0], error);
    if (t == NULL) {
        return false;
    }
    *none = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int is_base = 1; is_base >= 0; is_base--) { /* baselines first */
        for (uint32_t r = 0; r < t->n_rows; r++) {
            g_autofree char *own = text_of(ww_db_at(t, r, column));
            if (!ww_db_is(t, r, WW_DB_UNFINISHED) || cli_names(value, own) != (is_base == 1)) {
                continue;
            }
            g_autofree char *key = key_of(t, r, (int)column), *whole = key_of(t, r, -1);
            if (is_base == 1) {
                g_hash_table_add(*none, g_steal_pointer(&key));
            } else if (g_hash_table_contains(bases, key)) {
                add_one_side(m, whole);
            } else if (g_hash_table_contains(*none, key)) {
                g_hash_table_add(m->neither, g_steal_pointer(&whole));
            } else {
                m->alone++;
            }
        }
    }
    return true;
}

static bool pair_baseline(CompareRuns *m, GError **error)
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
            if (!g_hash_table_replace(bases, key, GUINT_TO_POINTER(r + 1))) {
                return fail_alike(key, error);
            }
        }
    }
    if (g_hash_table_size(bases) == 0) {
        g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (uint32_t r = 0; r < t->n_rows; r++) {
            g_hash_table_add(values, text_of(ww_db_at(t, r, column)));
        }
        g_autofree char *instead = cli_runs_instead(values, equals + 1);
        return ww_fail(error, WW_ERROR_USAGE, "no run that fits has --baseline '%s'%s", text,
                       instead);
    }
    g_autoptr(GHashTable) none = NULL;
    if (!pair_unfinished(m, equals + 1, column, bases, &none, error)) {
        return false;
    }
    for (uint32_t r = 0; r < t->n_rows; r++) {
        g_autofree char *key = key_of(t, r, (int)column);
        uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(bases, key));
        if (at == 0 && g_hash_table_contains(none, key)) {
            add_one_side(m, key);
        } else if (at == 0) {
            m->alone++;
        } else if (at != r + 1) {
            ComparePair pair = {0, r, 0, at - 1};
            g_array_append_val(m->pairs, pair);
        }
    }
    return true;
}

static bool pair_all(CompareRuns *m, GError **error)
{
    if (m->how->baseline != NULL) {
        return pair_baseline(m, error);
    }
    if (m->tables->len > 1) {
        return pair_files(m, error);
    }
    const WwDbTable *t = m->tables->pdata[0];
    for (uint32_t r = 1; r < t->n_rows; r++) {
        ComparePair pair = {0, r, 0, 0};
        g_array_append_val(m->pairs, pair);
    }
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, m->missing->pdata[0]);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        add_one_side(m, key);
    }
    return true;
}

/* The values of the axes that vary. */
char *compare_runs_name(const CompareRuns *m, const ComparePair *p)
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

/* Which of the runs that are compared were cut, and which of them beside one that was not. */
static void look_at_partial(CompareRuns *m)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (guint i = 0; i < m->pairs->len; i++) {
        const ComparePair *p = &g_array_index(m->pairs, ComparePair, i);
        const WwDbTable *t = m->tables->pdata[p->table], *base = m->tables->pdata[p->base_table];
        bool own = ww_db_is(t, p->row, WW_DB_PARTIAL),
             other = ww_db_is(base, p->base_row, WW_DB_PARTIAL);
        if (own) {
            g_hash_table_add(seen, &t->marks[p->row]);
        }
        if (other) {
            g_hash_table_add(seen, &base->marks[p->base_row]);
        }
        if (own != other) {
            m->partial_alone++;
            m->partial_name = m->partial_name != NULL ? m->partial_name : compare_runs_name(m, p);
        }
    }
    m->partial = g_hash_table_size(seen);
}

bool compare_runs_pair(CompareRuns *m, GError **error)
{
    if (!look(m, error) || !pair_all(m, error)) {
        return false;
    }
    look_at_partial(m);
    return true;
}

/* Runs that say less than others, or nothing; of those on one side the first. */
void compare_runs_tell(const CompareRuns *m)
{
    guint neither = g_hash_table_size(m->neither);
    if (m->alone != 0) {
        printf("%" G_GUINT64_FORMAT " %s nothing to be compared with\n", m->alone,
               WW_PLURAL(m->alone, "run has", "runs have"));
    }
    if (neither != 0) {
        printf("%u %s no results on either side\n", neither,
               WW_PLURAL(neither, "run has", "runs have"));
    }
    if (m->one_side != 0) {
        printf("%" G_GUINT64_FORMAT " %s results on one side only (%s%s)\n", m->one_side,
               WW_PLURAL(m->one_side, "run has", "runs have"), m->one_side_name,
               WW_PLURAL(m->one_side, "", ", ..."));
    }
    if (m->partial != 0) {
        g_autofree char *text = cli_runs_partial(m->partial, false);
        puts(text);
    }
    if (m->partial_alone != 0) {
        printf("%u %s partial on one side only (%s%s)\n", m->partial_alone,
               WW_PLURAL(m->partial_alone, "run is", "runs are"), m->partial_name,
               WW_PLURAL(m->partial_alone, "", ", ..."));
    }
}
