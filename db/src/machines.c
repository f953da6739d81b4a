/* SPDX-License-Identifier: Apache-2.0 */
/* Machines: hundreds of values each, of which a sweep changes few. One is kept whole, others as what differs from it. */
#include "db-priv.h"

#include <string.h>

#define MOST_BASES 32u

typedef struct Base {
    int64_t row;
    GHashTable *values; /* name -> value, as texts of JSON */
} Base;

struct DbMachines {
    GHashTable *rows; /* hash -> row, int64_t * */
    GPtrArray *bases;
};

static void free_base(gpointer data)
{
    Base *b = data;
    g_hash_table_unref(b->values);
    g_free(b);
}

void db_machines_free(DbMachines *m)
{
    if (m != NULL) {
        g_hash_table_unref(m->rows);
        g_ptr_array_unref(m->bases);
        g_free(m);
    }
}

/* {NAME: VALUE}: names and values as they stand there, with quotes. NULL with an error. */
GHashTable *db_machine_values(const char *name, const char *settings, GError **error)
{
    DbScan s;
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GString) value = g_string_new(NULL);
    DbSlice key;
    db_scan_init(&s, name, settings, strlen(settings), error);
    bool good = db_scan_object(&s);
    while (good && db_scan_member(&s, &key)) {
        char *own = g_strndup(key.p, key.n);
        g_string_truncate(value, 0);
        good = db_scan_any(&s, value);
        if (good && g_hash_table_contains(values, own)) {
            good = db_scan_fail(&s, "'%s' is there twice; expected each name once", own);
        }
        g_hash_table_insert(values, own, g_strdup(value->str));
    }
    good = good && db_scan_end(&s);
    db_scan_clear(&s);
    return good ? g_steal_pointer(&values) : NULL;
}

static void add_base(DbMachines *m, int64_t row, GHashTable *values)
{
    Base *b = g_new0(Base, 1);
    b->row = row;
    b->values = values;
    g_ptr_array_add(m->bases, b);
}

static bool read_bases(WwDb *db, DbMachines *m, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *text = g_strdup_printf("SELECT id, settings FROM machine WHERE base IS NULL "
                                            "AND settings IS NOT NULL ORDER BY id LIMIT %u",
                                            MOST_BASES);
    g_autoptr(sqlite3_stmt) s = db_prepare(db, text, error);
    if (s == NULL) {
        return false;
    }
    while (db_row(db, s, &why)) {
        const char *settings = (const char *)sqlite3_column_text(s, 1);
        GHashTable *values = db_machine_values(db->path, settings, NULL);
        if (values == NULL) {
            return db_damaged(db, "a machine's values", error);
        }
        add_base(m, sqlite3_column_int64(s, 0), values);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

static DbMachines *machines_of(WwDb *db, GError **error)
{
    if (db->machines != NULL) {
        return db->machines;
    }
    DbMachines *m = g_new0(DbMachines, 1);
    m->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    m->bases = g_ptr_array_new_with_free_func(free_base);
    if (!read_bases(db, m, error)) {
        db_machines_free(m);
        return NULL;
    }
    db->machines = m;
    return m;
}

bool db_machines_read(WwDb *db, GError **error)
{
    return machines_of(db, error) != NULL;
}

static void remember(DbMachines *m, const char *hash, int64_t row)
{
    int64_t *own = g_new(int64_t, 1);
    *own = row;
    g_hash_table_insert(m->rows, g_strdup(hash), own);
}

/* How many values differ between @p values and @p base, counting up to @p most. */
static uint32_t distance(GHashTable *values, GHashTable *base, uint32_t most)
{
    GHashTableIter i;
    gpointer name, value;
    uint32_t n = 0, both = 0;
    g_hash_table_iter_init(&i, values);
    while (n < most && g_hash_table_iter_next(&i, &name, &value)) {
        const char *other = g_hash_table_lookup(base, name);
        both += other != NULL;
        n += other == NULL || strcmp(other, value) != 0;
    }
    return n < most ? n + (g_hash_table_size(base) - both) : n;
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

static void add_member(GString *out, const char *name, const char *value)
{
    if (out->len > 1) {
        g_string_append_c(out, ',');
    }
    db_json_text(out, name);
    g_string_append_printf(out, ":%s", value);
}

/* What of @p values differs from @p base, in the order of names; null for what is not there. */
static char *difference(GHashTable *values, GHashTable *base)
{
    g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(values), by_name);
    g_autoptr(GList) others = g_list_sort(g_hash_table_get_keys(base), by_name);
    GString *out = g_string_new("{");
    for (GList *l = names; l != NULL; l = l->next) {
        const char *value = g_hash_table_lookup(values, l->data);
        if (g_strcmp0(value, g_hash_table_lookup(base, l->data)) != 0) {
            add_member(out, l->data, value);
        }
    }
    for (GList *l = others; l != NULL; l = l->next) {
        if (!g_hash_table_contains(values, l->data)) {
            add_member(out, l->data, "null");
        }
    }
    g_string_append_c(out, '}');
    return g_string_free(out, false);
}

/* The row that is there; *whole: its values are known. */
static bool find(WwDb *db, const char *hash, int64_t *row, bool *whole, GError **error)
{
    g_autoptr(GError) why = NULL;
    sqlite3_stmt *s = db_statement(db, DB_FIND_MACHINE, error);
    bool good = true;
    *row = 0;
    if (s == NULL) {
        return false;
    }
    db_bind_text(s, 1, hash);
    if (db_row(db, s, &why)) {
        good = db_row_number(db, s, 0, "a machine", row, error);
        *whole = sqlite3_column_int(s, 1) != 0;
        sqlite3_reset(s);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

static bool add(WwDb *db, const char *hash, int64_t base, const char *settings, GError **error)
{
    sqlite3_stmt *s = db_statement(db, DB_ADD_MACHINE, error);
    if (s == NULL) {
        return false;
    }
    db_bind_text(s, 1, hash);
    db_bind_count(s, 2, base);
    db_bind_text(s, 3, settings);
    return db_done(db, s, error);
}

/* The nearest machine that is kept whole, or NULL where none is near. */
static const Base *nearest(const DbMachines *m, GHashTable *values)
{
    const Base *best = NULL;
    uint32_t least = g_hash_table_size(values) / 2 + 1;
    for (guint i = 0; i < m->bases->len; i++) {
        const Base *b = m->bases->pdata[i];
        uint32_t n = distance(values, b->values, least);
        if (n < least) {
            least = n;
            best = b;
        }
    }
    return best;
}

int64_t db_machine(WwDb *db, const char *hash, const char *settings, GError **error)
{
    DbMachines *m = machines_of(db, error);
    int64_t *known = m != NULL ? g_hash_table_lookup(m->rows, hash) : NULL, row;
    bool whole = false;
    if (m == NULL || known != NULL) {
        return m == NULL ? 0 : *known;
    }
    if (!find(db, hash, &row, &whole, error)) {
        return 0;
    }
    if (row == 0 || (!whole && settings != NULL)) {
        g_autoptr(GHashTable) values =
            settings != NULL ? db_machine_values("resolved", settings, error) : NULL;
        if (settings != NULL && values == NULL) {
            return 0;
        }
        const Base *base = values != NULL ? nearest(m, values) : NULL;
        g_autofree char *less = base != NULL ? difference(values, base->values) : NULL;
        if (!add(db, hash, base != NULL ? base->row : 0, less != NULL ? less : settings, error) ||
            !find(db, hash, &row, &whole, error)) {
            return 0;
        }
        if (values != NULL && base == NULL && m->bases->len < MOST_BASES) {
            add_base(m, row, g_steal_pointer(&values));
        }
    }
    if (whole) {
        remember(m, hash, row);
    }
    return row;
}

char *db_machine_join(const char *name, const char *base, const char *own, GError **error)
{
    g_autoptr(GHashTable) values = db_machine_values(name, base, error);
    g_autoptr(GHashTable) others = values != NULL ? db_machine_values(name, own, error) : NULL;
    GHashTableIter i;
    gpointer key, value;
    if (others == NULL) {
        return NULL;
    }
    g_hash_table_iter_init(&i, others);
    while (g_hash_table_iter_next(&i, &key, &value)) {
        if (strcmp(value, "null") == 0) {
            g_hash_table_remove(values, key);
        } else {
            g_hash_table_replace(values, g_strdup(key), g_strdup(value));
        }
    }
    g_hash_table_remove_all(others);
    return difference(values, others);
}

/* ---- lists of inputs -------------------------------------------------------------------------------------------- */

int64_t db_input(WwDb *db, const char *list, GError **error)
{
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, list, -1);
    g_autoptr(GError) why = NULL;
    int64_t row = 0;
    sqlite3_stmt *s = db_statement(db, DB_FIND_INPUT, error);
    if (s == NULL) {
        return 0;
    }
    db_bind_text(s, 1, hash);
    if (db_row(db, s, &why)) {
        bool good = db_row_number(db, s, 0, "a list of inputs", &row, error);
        sqlite3_reset(s);
        return good ? row : 0;
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return 0;
    }
    s = db_statement(db, DB_ADD_INPUT, error);
    if (s == NULL) {
        return 0;
    }
    db_bind_text(s, 1, hash);
    db_bind_text(s, 2, list);
    if (!db_done(db, s, error)) {
        return 0;
    }
    row = sqlite3_last_insert_rowid(db->sql);
    return row > 0 ? row : (db_damaged(db, "the number of a list of inputs", error), 0);
}
