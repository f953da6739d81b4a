/* SPDX-License-Identifier: Apache-2.0 */
/* Names, each once in the file, and layouts: which name's number stands where in a list of numbers. */
#include "db-priv.h"

#include <string.h>

#define MOST_ORDERS 8u       /* layouts of the same names */
#define BYTES_OF_AN_ENTRY 24 /* of a layout in the file, with its index */

struct DbNames {
    GHashTable *ids; /* text -> number */
    GStringChunk *texts;
    GPtrArray *by_id;   /* texts by number; [0] is none */
    GPtrArray *layouts; /* DbLayout */
};

static void free_layout(gpointer data)
{
    DbLayout *l = data;
    g_free(l->names);
    g_free(l->place);
    g_free(l->used);
    g_free(l->seen);
    g_free(l);
}

void db_names_free(DbNames *names)
{
    if (names != NULL) {
        g_hash_table_unref(names->ids);
        g_ptr_array_unref(names->by_id);
        g_ptr_array_unref(names->layouts);
        g_string_chunk_free(names->texts);
        g_free(names);
    }
}

/* ---- layouts in memory ------------------------------------------------------------------------------------------ */

/* Of a set: the sum of these. */
static uint64_t mark_of(uint32_t name)
{
    uint64_t h = (name + 1) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static uint64_t set_of(const uint32_t *names, uint32_t n)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        set += mark_of(names[i]);
    }
    return set;
}

static uint32_t place_of(const DbLayout *l, uint32_t name)
{
    return name < l->n_place ? l->place[name] : 0;
}

/* Takes @p names, by position. NULL: one is there twice, and is put into @p twice. */
static DbLayout *new_layout(uint32_t id, uint32_t *names, uint32_t n, uint32_t *twice)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        most = MAX(most, names[i]);
    }
    DbLayout *l = g_new0(DbLayout, 1);
    *l = (DbLayout){.id = id,
                    .n = n,
                    .names = names,
                    .n_place = most + 1,
                    .place = g_new0(uint32_t, (gsize)most + 1),
                    .used = g_new0(uint32_t, (gsize)n + 1),
                    .seen = g_new0(uint32_t, (gsize)n + 1),
                    .set = set_of(names, n)};
    for (uint32_t i = 0; i < n; i++) {
        if (l->place[names[i]] != 0) {
            *twice = names[i];
            free_layout(l);
            return NULL;
        }
        l->place[names[i]] = i + 1;
    }
    return l;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void learn(DbNames *names, uint32_t id, const char *text, size_t length)
{
    char *own = g_string_chunk_insert_len(names->texts, text, (gssize)length);
    if (id >= names->by_id->len) {
        g_ptr_array_set_size(names->by_id, (gint)id + 1);
    }
    names->by_id->pdata[id] = own;
    g_hash_table_insert(names->ids, own, GUINT_TO_POINTER(id));
}

static bool read_names(WwDb *db, DbNames *names, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(sqlite3_stmt) s = db_prepare(db, "SELECT id, name FROM name ORDER BY id", error);
    if (s == NULL) {
        return false;
    }
    while (db_row(db, s, &why)) {
        int64_t id = sqlite3_column_int64(s, 0);
        const char *text = (const char *)sqlite3_column_text(s, 1);
        if (id != (int64_t)names->by_id->len || text == NULL) {
            return db_damaged(db, "its names are not numbered from 1", error);
        }
        learn(names, (uint32_t)id, text, strlen(text));
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

static bool keep_layout(WwDb *db, DbNames *names, uint32_t id, GArray *of, GError **error)
{
    uint32_t n = of->len, twice;
    if (n == 0) {
        return true;
    }
    uint32_t *own = g_memdup2(of->data, n * sizeof *own);
    DbLayout *l = new_layout(id, own, n, &twice);
    g_array_set_size(of, 0);
    if (l == NULL) {
        return db_damaged(db, "a layout has a name twice", error);
    }
    g_ptr_array_add(names->layouts, l);
    return true;
}

static bool read_layouts(WwDb *db, DbNames *names, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(GArray) of = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(sqlite3_stmt) s = db_prepare(
        db, "SELECT layout, position, name FROM layout ORDER BY layout, position", error);
    uint32_t id = 0;
    if (s == NULL) {
        return false;
    }
    while (db_row(db, s, &why)) {
        int64_t layout = sqlite3_column_int64(s, 0), position = sqlite3_column_int64(s, 1),
                name = sqlite3_column_int64(s, 2);
        if (layout != id && !keep_layout(db, names, id, of, error)) {
            return false;
        }
        if (layout <= 0 || layout > G_MAXINT32 || position != of->len || name <= 0 ||
            name >= names->by_id->len) {
            return db_damaged(db, "a layout has gaps", error);
        }
        uint32_t v = (uint32_t)name;
        id = (uint32_t)layout;
        g_array_append_val(of, v);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return keep_layout(db, names, id, of, error);
}

/* What the file has, read once. */
static DbNames *names_of(WwDb *db, GError **error)
{
    if (db->names != NULL) {
        return db->names;
    }
    DbNames *names = g_new0(DbNames, 1);
    names->ids = g_hash_table_new(g_str_hash, g_str_equal);
    names->texts = g_string_chunk_new(65536);
    names->by_id = g_ptr_array_new();
    names->layouts = g_ptr_array_new_with_free_func(free_layout);
    g_ptr_array_add(names->by_id, (gpointer) "");
    if (!read_names(db, names, error) || !read_layouts(db, names, error)) {
        db_names_free(names);
        return NULL;
    }
    db->names = names;
    return names;
}

bool db_names_read(WwDb *db, GError **error)
{
    return names_of(db, error) != NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

uint32_t db_name(WwDb *db, const char *name, size_t length, GError **error)
{
    DbNames *names = names_of(db, error);
    if (names == NULL) {
        return 0;
    }
    g_autofree char *copy = name[length] == '\0' ? NULL : g_strndup(name, length);
    const char *text = copy != NULL ? copy : name;
    uint32_t id = GPOINTER_TO_UINT(g_hash_table_lookup(names->ids, text));
    if (id != 0) {
        return id;
    }
    sqlite3_stmt *s = db_statement(db, DB_ADD_NAME, error);
    id = names->by_id->len;
    if (s == NULL) {
        return 0;
    }
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_text(s, 2, text, -1, SQLITE_TRANSIENT);
    if (!db_done(db, s, error)) {
        return 0;
    }
    learn(names, id, text, strlen(text));
    return id;
}

/* ---- layouts ---------------------------------------------------------------------------------------------------- */

static bool write_layout(WwDb *db, const DbLayout *l, GError **error)
{
    sqlite3_stmt *s = db_statement(db, DB_ADD_LAYOUT, error);
    for (uint32_t i = 0; s != NULL && i < l->n; i++) {
        sqlite3_bind_int64(s, 1, l->id);
        sqlite3_bind_int64(s, 2, l->names[i]);
        sqlite3_bind_int64(s, 3, i);
        if (!db_done(db, s, error)) {
            return false;
        }
    }
    return s != NULL;
}

/* Takes @p of. */
static DbLayout *add_layout(WwDb *db, DbNames *names, uint32_t *of, uint32_t n, GError **error)
{
    uint32_t id = 1, twice;
    for (guint i = 0; i < names->layouts->len; i++) {
        id = MAX(id, ((DbLayout *)names->layouts->pdata[i])->id + 1);
    }
    DbLayout *l = new_layout(id, of, n, &twice);
    if (l == NULL) {
        ww_fail(error, WW_ERROR_INPUT, "statistic '%s' is there twice; expected each name once",
                (const char *)names->by_id->pdata[twice]);
        return NULL;
    }
    if (!write_layout(db, l, error)) {
        free_layout(l);
        return NULL;
    }
    g_ptr_array_add(names->layouts, l);
    return l;
}

/* Has it these names, each once? */
static bool fits(DbLayout *l, const uint32_t *names, uint32_t n)
{
    l->turn++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place = place_of(l, names[i]);
        if (place == 0 || l->seen[place - 1] == l->turn) {
            return false;
        }
        l->seen[place - 1] = l->turn;
    }
    return true;
}

/* The names of @p l, those first that are seldom 0. */
static uint32_t *better_order(const DbLayout *l)
{
    uint32_t *order = g_new(uint32_t, (gsize)l->n + 1), most = 0, at = 0;
    g_autofree uint32_t *first = NULL;
    for (uint32_t i = 0; i < l->n; i++) {
        most = MAX(most, l->used[i]);
    }
    first =
        g_new0(uint32_t, (gsize)most + 2); /* a sort by counting, that keeps the order of equals */
    for (uint32_t i = 0; i < l->n; i++) {
        first[l->used[i]]++;
    }
    for (uint32_t k = most + 1; k-- > 0;) {
        uint32_t n = first[k];
        first[k] = at;
        at += n;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        order[first[l->used[i]]++] = l->names[i];
    }
    return order;
}

/* Those that are not 0 first. */
static uint32_t *first_order(const DbCounts *counts)
{
    const uint32_t *names = (const uint32_t *)(void *)counts->names->data;
    const uint64_t *values = (const uint64_t *)(void *)counts->values->data;
    uint32_t n = counts->names->len, at = 0;
    uint32_t *order = g_new(uint32_t, (gsize)n + 1);
    for (int zero = 0; zero < 2; zero++) {
        for (uint32_t i = 0; i < n; i++) {
            if ((values[i] == 0) == (zero != 0)) {
                order[at++] = names[i];
            }
        }
    }
    return order;
}

DbLayout *db_layout(WwDb *db, const DbCounts *counts, GError **error)
{
    DbNames *names = names_of(db, error);
    const uint32_t *of = (const uint32_t *)(void *)counts->names->data;
    uint32_t n = counts->names->len, orders = 0;
    uint64_t set = set_of(of, n);
    DbLayout *last = NULL;
    if (names == NULL) {
        return NULL;
    }
    for (guint i = names->layouts->len; i-- > 0;) {
        DbLayout *l = names->layouts->pdata[i];
        if (l->n == n && l->set == set && (last != NULL || fits(l, of, n))) {
            last = last != NULL ? last : l;
            orders++;
        }
    }
    if (last == NULL) {
        return add_layout(db, names, first_order(counts), n, error);
    }
    if (last->waste > (uint64_t)n * BYTES_OF_AN_ENTRY && orders < MOST_ORDERS) {
        last->waste = 0;
        return add_layout(db, names, better_order(last), n, error);
    }
    return last;
}

DbLayout *db_layout_exact(WwDb *db, const uint32_t *of, uint32_t n, GError **error)
{
    DbNames *names = names_of(db, error);
    uint64_t set = set_of(of, n);
    if (names == NULL) {
        return NULL;
    }
    for (guint i = 0; i < names->layouts->len; i++) {
        DbLayout *l = names->layouts->pdata[i];
        if (l->n == n && l->set == set && memcmp(l->names, of, n * sizeof *of) == 0) {
            return l;
        }
    }
    return add_layout(db, names, g_memdup2(of, n * sizeof *of), n, error);
}

static void append_number(GString *out, uint64_t v, bool falls)
{
    char text[24], *p = text + sizeof text;
    bool minus = falls && v > INT64_MAX;
    uint64_t n = minus ? 0 - v : v;
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    if (minus) {
        *--p = '-';
    }
    g_string_append_len(out, p, text + sizeof text - p);
}

/* [1,0,2] without the zeros at its end, or 0 where there is nothing else; how many zeros that needed. */
static uint32_t write_piece(GString *out, const uint64_t *v, uint32_t n, bool falls)
{
    uint32_t zeros = 0;
    while (n > 0 && v[n - 1] == 0) {
        n--;
    }
    if (n == 0) {
        g_string_append_c(out, '0');
        return 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        g_string_append_c(out, i == 0 ? '[' : ',');
        append_number(out, v[i], falls);
        zeros += v[i] == 0;
    }
    g_string_append_c(out, ']');
    return zeros;
}

void db_layout_write(DbLayout *l, const DbCounts *counts, GString *out)
{
    const uint32_t *names = (const uint32_t *)(void *)counts->names->data;
    const uint64_t *values = (const uint64_t *)(void *)counts->values->data;
    uint32_t n = 0, zeros = 0;
    g_autofree uint64_t *v = g_new0(uint64_t, (gsize)l->n + 1);
    for (uint32_t i = 0; i < counts->names->len; i++) {
        uint32_t at = place_of(l, names[i]) - 1;
        v[at] = values[i];
        if (values[i] != 0) {
            l->used[at]++;
            n = MAX(n, at + 1);
        }
    }
    g_string_append_c(out, '[');
    for (uint32_t at = 0; at < n; at += DB_PIECE) {
        if (at != 0) {
            g_string_append_c(out, ',');
        }
        zeros += write_piece(out, v + at, MIN(n - at, DB_PIECE), counts->falls);
    }
    g_string_append_c(out, ']');
    l->waste += 2u * zeros;
}
