/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, values of machines, and names that there are. */
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- conditions ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *sign;
    DbTest test;
} signs[] = {{"!=", DB_UNEQUAL}, {"<=", DB_AT_MOST}, {">=", DB_AT_LEAST},
             {"=", DB_EQUAL},    {"<", DB_LESS},     {">", DB_MORE}};

static void free_pattern(gpointer data)
{
    g_pattern_spec_free(data);
}

DbWhere *db_where_new(const char *text, GError **error)
{
    const char *at = strpbrk(text, "!<>=");
    size_t k = 0;
    while (at != NULL && k < G_N_ELEMENTS(signs) && !g_str_has_prefix(at, signs[k].sign)) {
        k++;
    }
    if (at == NULL || at == text || k == G_N_ELEMENTS(signs)) {
        ww_fail(error, WW_ERROR_USAGE,
                "'%s' is no condition; expected NAME=VALUE (also !=, <, <=, > and >=)", text);
        return NULL;
    }
    DbWhere *w = g_new0(DbWhere, 1);
    char *end;
    w->name = g_strndup(text, (gsize)(at - text));
    w->value = g_strdup(at + strlen(signs[k].sign));
    w->test = signs[k].test;
    errno = 0;
    w->number = g_ascii_strtod(w->value, &end);
    w->is_number = end != w->value && *end == '\0' && errno == 0 && isfinite(w->number);
    w->patterns = g_ptr_array_new_with_free_func(free_pattern);
    g_ptr_array_add(w->patterns, g_pattern_spec_new(w->value));
    w->words = g_strsplit(w->value, ",", -1);
    for (char **e = w->words; e[0] != NULL && g_strv_length(w->words) > 1; e++) {
        g_ptr_array_add(w->patterns, g_pattern_spec_new(*e));
    }
    if (w->test > DB_UNEQUAL && !w->is_number) {
        ww_fail(error, WW_ERROR_USAGE, "'%s': '%s' is no number; expected one behind %s", text,
                w->value, signs[k].sign);
        db_where_free(w);
        return NULL;
    }
    return w;
}

void db_where_free(DbWhere *w)
{
    while (w != NULL) {
        DbWhere *next = w->next;
        g_free(w->name);
        g_free(w->value);
        g_strfreev(w->words);
        g_ptr_array_unref(w->patterns);
        g_free(w);
        w = next;
    }
}

bool ww_db_stands_for(const char *word, const char *text)
{
    size_t n = strlen(text), k = strlen(word);
    const char *end = n > k ? text + n - k : NULL;
    return strcmp(word, text) == 0 ||
           (k != 0 && end != NULL && strcmp(end, word) == 0 &&
            (end[-1] == '/' || (end[-1] == '.' && g_ascii_isalpha(*word))));
}

static bool stands_one_for(char *const *words, const char *text)
{
    for (; *words != NULL; words++) {
        if (ww_db_stands_for(*words, text)) {
            return true;
        }
    }
    return false;
}

static bool equal(const DbWhere *w, const WwDbValue *v)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *text = v->text;
    if (v->kind == WW_DB_NOTHING) {
        return *w->value == '\0';
    }
    if (v->kind == WW_DB_NUMBER && w->is_number && v->number == w->number) {
        return true;
    }
    if (text == NULL) {
        text = g_ascii_dtostr(number, sizeof number, v->number);
    }
    for (guint i = 0; i < w->patterns->len; i++) {
        if (g_pattern_spec_match_string(w->patterns->pdata[i], text)) {
            return true;
        }
    }
    return v->kind == WW_DB_TEXT && stands_one_for(w->words, text);
}

static bool holds(const DbWhere *w, const WwDbValue *v)
{
    switch (w->test) {
    case DB_EQUAL:
        return equal(w, v);
    case DB_UNEQUAL:
        return !equal(w, v);
    case DB_LESS:
        return v->kind == WW_DB_NUMBER && v->number < w->number;
    case DB_AT_MOST:
        return v->kind == WW_DB_NUMBER && v->number <= w->number;
    case DB_MORE:
        return v->kind == WW_DB_NUMBER && v->number > w->number;
    default:
        return v->kind == WW_DB_NUMBER && v->number >= w->number;
    }
}

bool db_where_holds(const DbQuery *q, const WwDbValue *row)
{
    for (const DbWhere *w = q->where; w != NULL; w = w->next) {
        if (!holds(w, &row[w->column])) {
            return false;
        }
    }
    return true;
}

bool db_where_may_hold(const DbQuery *q, const WwDbValue *row)
{
    for (const DbWhere *w = q->where; w != NULL; w = w->next) {
        const DbColumn *c = q->columns->pdata[w->column];
        bool known = row[w->column].kind != WW_DB_NOTHING || c->kind == DB_AXIS;
        if (known && !holds(w, &row[w->column])) {
            return false;
        }
    }
    return true;
}

/* ---- values of machines ----------------------------------------------------------------------------------------- */

bool db_values_know(DbQuery *q, const char *name, bool *known, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(sqlite3_stmt) s = db_prepare(
        q->db, "SELECT 1 FROM machine m JOIN json_each(m.settings) s WHERE s.key = ? LIMIT 1",
        error);
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    *known = db_row(q->db, s, &why);
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

/* The text of a JSON value: without quotes. */
static char *plain(const char *json)
{
    DbScan s;
    DbSlice text;
    char *out = NULL;
    db_scan_init(&s, "value", json, strlen(json), NULL);
    if (db_scan_peek(&s) == '"' && db_scan_string(&s, &text)) {
        out = g_strndup(text.p, text.n);
    }
    db_scan_clear(&s);
    return out != NULL ? out : g_strdup(json);
}

static bool read_machine(DbQuery *q, int64_t machine, GHashTable **values, GError **error)
{
    g_autoptr(GError) why = NULL;
    *values = g_hash_table_lookup(q->machines, GSIZE_TO_POINTER((gsize)machine));
    if (*values != NULL) {
        return true;
    }
    sqlite3_reset(q->machine);
    sqlite3_bind_int64(q->machine, 1, machine);
    if (!db_row(q->db, q->machine, &why)) {
        if (why != NULL) {
            g_propagate_error(error, g_steal_pointer(&why));
            return false;
        }
        return true;
    }
    const char *own = (const char *)sqlite3_column_text(q->machine, 0);
    *values = own != NULL ? db_machine_values(q->db->path, own, error)
                          : g_hash_table_new(g_str_hash, g_str_equal);
    if (*values == NULL) {
        return false;
    }
    if (sqlite3_column_type(q->machine, 1) != SQLITE_NULL) { /* its base; "" is no text of JSON */
        g_hash_table_insert(*values, g_strdup(""),
                            g_strdup((const char *)sqlite3_column_text(q->machine, 1)));
    }
    g_hash_table_insert(q->machines, GSIZE_TO_POINTER((gsize)machine), *values);
    return true;
}

bool db_values_get(DbQuery *q, int64_t machine, const char *name, WwDbValue *v, GError **error)
{
    if (q->machine == NULL) {
        q->machine = db_prepare(q->db, "SELECT settings, base FROM machine WHERE id = ?", error);
        q->machines = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
                                            (GDestroyNotify)g_hash_table_unref);
        if (q->machine == NULL) {
            return false;
        }
    }
    for (int level = 0; machine != 0 && level < 2; level++) {
        GHashTable *values;
        if (!read_machine(q, machine, &values, error)) {
            return false;
        }
        const char *json = values != NULL ? g_hash_table_lookup(values, name) : NULL,
                   *base = values != NULL ? g_hash_table_lookup(values, "") : NULL;
        if (json != NULL) {
            g_autofree char *text = plain(json);
            if (strcmp(json, "null") != 0) {
                db_value_text(v, q->texts, text);
            }
            return true;
        }
        machine = base != NULL ? g_ascii_strtoll(base, NULL, 10) : 0;
    }
    return true;
}

void db_values_free(DbQuery *q)
{
    sqlite3_finalize(q->machine);
    g_clear_pointer(&q->machines, g_hash_table_unref);
}

/* ---- names that there are --------------------------------------------------------------------------------------- */

/* The first column of a query with one text bound to it, which may be NULL. */
static char **texts_of(WwDb *db, const char *sql, const char *bound, GError **error)
{
    g_autoptr(GError) why = NULL;
    GPtrArray *all = g_ptr_array_new();
    g_autoptr(sqlite3_stmt) s = db_prepare(db, sql, &why);
    if (s != NULL) {
        db_bind_text(s, 1, bound);
    }
    while (s != NULL && db_row(db, s, &why)) {
        g_ptr_array_add(all, g_strdup((const char *)sqlite3_column_text(s, 0)));
    }
    g_ptr_array_add(all, NULL);
    char **list = (char **)g_ptr_array_free(all, false);
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        g_clear_pointer(&list, g_strfreev);
    }
    return list;
}

/* The first place in which each name stands. */
static bool add_axes(GHashTable *places, const char *json)
{
    g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
    g_autoptr(GArray) axes = g_array_new(false, false, sizeof(WwDbPair));
    if (!db_read_pairs(json, axes, texts)) {
        return false;
    }
    for (guint i = 0; i < axes->len; i++) {
        const char *name = g_array_index(axes, WwDbPair, i).name;
        gpointer place;
        if (!g_hash_table_lookup_extended(places, name, NULL, &place) ||
            GPOINTER_TO_UINT(place) > i) {
            g_hash_table_insert(places, g_strdup(name), GUINT_TO_POINTER(i));
        }
    }
    return true;
}

static int compare_places(gconstpointer a, gconstpointer b, gpointer user)
{
    guint x = GPOINTER_TO_UINT(g_hash_table_lookup(user, a)),
          y = GPOINTER_TO_UINT(g_hash_table_lookup(user, b));
    return x != y ? (x < y ? -1 : 1) : strcmp(a, b);
}

static char **by_place(GHashTable *places)
{
    GPtrArray *all = g_ptr_array_new();
    g_autoptr(GList) names =
        g_list_sort_with_data(g_hash_table_get_keys(places), compare_places, places);
    for (GList *l = names; l != NULL; l = l->next) {
        g_ptr_array_add(all, g_strdup(l->data));
    }
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, false);
}

char **ww_db_axes(WwDb *db, const char *experiment, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(sqlite3_stmt) s =
        db_prepare(db,
                   "SELECT DISTINCT axes FROM run WHERE ?1 IS NULL OR experiment ="
                   " (SELECT id FROM experiment WHERE name = ?1)",
                   &why);
    if (s != NULL) {
        db_bind_text(s, 1, experiment);
    }
    while (s != NULL && why == NULL && db_row(db, s, &why)) {
        if (!add_axes(places, (const char *)sqlite3_column_text(s, 0))) {
            db_damaged(db, "a run's axes or settings", &why);
        }
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return NULL;
    }
    return by_place(places);
}

char **ww_db_statistics(WwDb *db, const char *pattern, GError **error)
{
    return texts_of(db,
                    "SELECT name FROM name WHERE id IN (SELECT name FROM layout) AND (?1 IS NULL "
                    "OR name GLOB ?1)"
                    " ORDER BY name",
                    pattern, error);
}

char **ww_db_values(WwDb *db, const char *pattern, GError **error)
{
    return texts_of(db,
                    "SELECT DISTINCT s.key FROM machine m JOIN json_each(m.settings) s"
                    " WHERE ?1 IS NULL OR s.key GLOB ?1 ORDER BY s.key",
                    pattern, error);
}

/* A pipe is left alone: what is read of it here nobody gets, and who writes it may wait for a reader. */
bool ww_db_is_one(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    struct stat st;
    int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode)
                 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return n == (ssize_t)sizeof head && memcmp(head, magic, sizeof head) == 0;
}
