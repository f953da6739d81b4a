/* SPDX-License-Identifier: Apache-2.0 */
/* Questions: names become columns, conditions become a filter, and each run is looked at once. */
#include "query.h"

#include <errno.h>
#include <string.h>

#define FEW 2u /* columns of which each goes over the row's list for itself */

/* In the order of the columns of the query, from FIRST_FIELD on. */
static const char *const fields[] = {"experiment",
                                     "number",
                                     "key",
                                     "state",
                                     "trace",
                                     "platform",
                                     "config",
                                     "version",
                                     "status",
                                     "partial",
                                     "fingerprint",
                                     "host",
                                     "start",
                                     "seconds",
                                     "processor_seconds",
                                     "memory",
                                     "exit_status",
                                     "error",
                                     "notes",
                                     "cycles",
                                     "ipc",
                                     "thread_instructions",
                                     "warp_instructions",
                                     "ctas",
                                     "sms",
                                     "launch_cycles",
                                     "tail_cycles",
                                     "bound_by",
                                     "kernel",
                                     "kernel_number",
                                     NULL};
/* What they are: texts, whole numbers, real ones from 0, or whole ones of either sign. */
static const char field_kinds[] = "twtttttttwttirrwittwrwwwwwwttw";
G_STATIC_ASSERT(sizeof field_kinds == G_N_ELEMENTS(fields));
/* Columns of the query before the fields. */
enum {
    AT_AXES,
    AT_MACHINE,
    AT_COUNTERS,
    AT_COUNTER_VALUES,
    AT_INSTANCES,
    AT_INSTANCE_VALUES,
    FIRST_FIELD
};

const char *const *ww_db_fields(void)
{
    return fields;
}

void db_value_text(WwDbValue *v, GStringChunk *texts, const char *text)
{
    char *end;
    *v = (WwDbValue){WW_DB_NOTHING};
    if (text == NULL) {
        return;
    }
    errno = 0;
    double n = g_ascii_strtod(text, &end);
    bool number = g_ascii_isdigit(end != text ? end[-1] : ' ') && *end == '\0' && errno == 0 &&
                  (g_ascii_isdigit(*text) || *text == '-' || *text == '.') &&
                  strpbrk(text, "xX") == NULL;
    *v = (WwDbValue){number ? WW_DB_NUMBER : WW_DB_TEXT, number ? n : 0,
                     g_string_chunk_insert(texts, text)};
}

static WwDbValue number_value(double n)
{
    return (WwDbValue){WW_DB_NUMBER, n, NULL};
}

/* Could we have written this? */
static bool field_fits(char kind, int type, double n)
{
    switch (type) {
    case SQLITE_NULL:
        return true;
    case SQLITE_TEXT:
        return kind == 't';
    case SQLITE_INTEGER:
        return kind == 'i' || ((kind == 'w' || kind == 'r') && n >= 0);
    case SQLITE_FLOAT:
        return kind == 'r' && n >= 0;
    default:
        return false;
    }
}

static bool field_value(const DbQuery *q, int field, WwDbValue *v, GError **error)
{
    int at = FIRST_FIELD + field, type = sqlite3_column_type(q->rows, at);
    double n = type != SQLITE_TEXT ? sqlite3_column_double(q->rows, at) : 0;
    if (!field_fits(field_kinds[field], type, n)) {
        g_autofree char *what = g_strdup_printf("%s of a run", fields[field]);
        return db_damaged(q->db, what, error);
    }
    switch (type) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        *v = number_value(n);
        break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(q->rows, at);
        *v = (WwDbValue){WW_DB_TEXT, 0,
                         strcmp(fields[field], "config") == 0 && *text == '['
                             ? db_plain_list(q->texts, text)
                             : g_string_chunk_insert(q->texts, text)};
        break;
    }
    default:
        *v = (WwDbValue){WW_DB_NOTHING};
    }
    return true;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void free_name(gpointer data)
{
    DbColumn *c = data;
    g_free(c->name);
    g_clear_pointer(&c->names, g_array_unref);
    g_clear_pointer(&c->places, g_hash_table_unref);
    g_free(c);
}

static bool has_pattern(const char *name)
{
    return strchr(name, '*') != NULL;
}

/* Brackets stand for themselves, as in patterns of --stats. */
static char *glob_of(const char *pattern)
{
    GString *out = g_string_new(NULL);
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p == '[' || *p == ']') {
            g_string_append_printf(out, "[%c]", *p);
        } else {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, false);
}

/* The statistics that the name stands for. */
static bool find_statistics(DbQuery *q, DbColumn *c, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *glob = has_pattern(c->name) ? glob_of(c->name) : NULL;
    g_autoptr(sqlite3_stmt) own =
        glob == NULL
            ? NULL
            : db_prepare(
                  q->db,
                  "SELECT id FROM name WHERE name GLOB ? AND id IN (SELECT name FROM layout)",
                  error);
    if (glob == NULL && q->exact == NULL) { /* there may be a hundred thousand of them */
        q->exact = db_prepare(q->db,
                              "SELECT id FROM name WHERE name = ? AND EXISTS (SELECT 1 FROM layout "
                              "l WHERE l.name = name.id)",
                              error);
    }
    sqlite3_stmt *s = glob != NULL ? own : q->exact;
    if (s == NULL) {
        return false;
    }
    sqlite3_reset(s);
    sqlite3_bind_text(s, 1, glob != NULL ? glob : c->name, -1, SQLITE_TRANSIENT);
    c->names = g_array_new(false, false, sizeof(int64_t));
    while (db_row(q->db, s, &why)) {
        int64_t id = sqlite3_column_int64(s, 0);
        g_array_append_val(c->names, id);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    c->places =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, (GDestroyNotify)g_array_unref);
    return true;
}

static bool fail_unknown(DbQuery *q, const char *name, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    g_auto(GStrv) statistics = ww_db_statistics(q->db, NULL, NULL);
    g_auto(GStrv) values = ww_db_values(q->db, NULL, NULL);
    for (char **a = q->axes; *a != NULL; a++) {
        g_ptr_array_add(all, *a);
    }
    for (const char *const *f = fields; *f != NULL; f++) {
        g_ptr_array_add(all, (gpointer)*f);
    }
    for (char **s = statistics; s != NULL && *s != NULL; s++) {
        g_ptr_array_add(all, *s);
    }
    for (char **v = values; v != NULL && *v != NULL; v++) {
        g_ptr_array_add(all, *v);
    }
    const char *near = ww_closest(name, (const char *const *)all->pdata, all->len);
    return ww_fail(
        error, WW_ERROR_USAGE,
        "no run has '%s'%s%s%s; expected an axis, a figure, a statistic or a value of the machine "
        "('warpwright db list --names')",
        name, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
        near != NULL ? "'?" : "");
}

static int column_of(DbQuery *q, const char *name, GError **error);

static bool find_ratio(DbQuery *q, DbColumn *c, const char *slash, GError **error)
{
    g_autofree char *above = g_strndup(c->name, (gsize)(slash - c->name));
    c->kind = DB_RATIO;
    c->above = column_of(q, g_strstrip(above), error);
    c->below = c->above >= 0 ? column_of(q, slash + 1 + strspn(slash + 1, " "), error) : -1;
    return c->below >= 0;
}

static bool find(DbQuery *q, DbColumn *c, GError **error)
{
    /* What is an option too says of every run what the axis does; a figure of this name is something else. */
    static const char *const alike[] = {"trace", "config", "platform", NULL};
    const char *slash;
    if (g_strv_contains((const char *const *)q->axes, c->name)) {
        c->kind = DB_AXIS;
    }
    for (int i = 0; fields[i] != NULL; i++) {
        if (strcmp(fields[i], c->name) == 0 &&
            (c->kind == DB_UNKNOWN || g_strv_contains(alike, c->name))) {
            c->field = i;
            c->kind = c->kind == DB_UNKNOWN ? DB_FIELD : c->kind;
        }
    }
    if (c->kind != DB_UNKNOWN) {
        return true;
    }
    if (!find_statistics(q, c, error)) {
        return false;
    }
    if (c->names->len != 0) {
        c->kind = DB_STATISTIC;
        q->counts++;
        return true;
    }
    if ((slash = strchr(c->name, '/')) != NULL) {
        return find_ratio(q, c, slash, error);
    }
    bool known = false;
    if (!db_values_know(q, c->name, &known, error)) {
        return false;
    }
    c->kind = DB_MACHINE_VALUE;
    return known || fail_unknown(q, c->name, error);
}

/* The number of the column of that name, which is made where it is not there; -1 with an error. */
static int column_of(DbQuery *q, const char *name, GError **error)
{
    gpointer known = g_hash_table_lookup(q->by_name, name);
    if (known != NULL) {
        return GPOINTER_TO_INT(known) - 1;
    }
    DbColumn *c = g_new0(DbColumn, 1);
    c->name = g_strdup(name);
    c->field = -1;
    if (!find(q, c, error)) {
        free_name(c);
        return -1;
    }
    g_ptr_array_add(q->columns, c);
    g_hash_table_insert(q->by_name, c->name, GUINT_TO_POINTER(q->columns->len));
    return (int)q->columns->len - 1;
}

/* ---- statistics of a row ---------------------------------------------------------------------------------------- */

static int by_number(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Where in lists of @p layout the column's numbers stand, in order; NULL with an error. */
static GArray *places(DbQuery *q, DbColumn *c, int64_t layout, GError **error)
{
    g_autoptr(GError) why = NULL;
    gpointer key = GSIZE_TO_POINTER((gsize)layout);
    GArray *at = g_hash_table_lookup(c->places, key);
    if (at != NULL) {
        return at;
    }
    if (q->place == NULL) {
        q->place =
            db_prepare(q->db, "SELECT position FROM layout WHERE layout = ? AND name = ?", error);
        if (q->place == NULL) {
            return NULL;
        }
    }
    at = g_array_new(false, false, sizeof(uint32_t));
    for (guint i = 0; i < c->names->len && why == NULL; i++) {
        sqlite3_reset(q->place);
        sqlite3_bind_int64(q->place, 1, layout);
        sqlite3_bind_int64(q->place, 2, g_array_index(c->names, int64_t, i));
        if (db_row(q->db, q->place, &why)) {
            uint32_t position = (uint32_t)sqlite3_column_int64(q->place, 0);
            g_array_append_val(at, position);
        }
    }
    if (why != NULL) {
        g_array_unref(at);
        g_propagate_error(error, g_steal_pointer(&why));
        return NULL;
    }
    g_array_sort(at, by_number);
    g_hash_table_insert(c->places, key, at);
    return at;
}

/* The sum of what stands at some places of a list of the row. */
static bool sum_of(DbQuery *q, int kind, const char *list, const GArray *at, double *sum)
{
    size_t length =
        (size_t)sqlite3_column_bytes(q->rows, kind == 0 ? AT_COUNTER_VALUES : AT_INSTANCE_VALUES);
    if (q->counts <= FEW) {
        return db_list_sum(list, length, at, sum);
    }
    if (!q->read[kind] && !(q->read[kind] = db_list_read(list, length, q->numbers[kind]))) {
        return false;
    }
    *sum = 0;
    for (guint i = 0; i < at->len; i++) {
        uint32_t place = g_array_index(at, uint32_t, i);
        *sum += place < q->numbers[kind]->len
                    ? (double)g_array_index(q->numbers[kind], uint64_t, place)
                    : 0;
    }
    return true;
}

static bool statistic_value(DbQuery *q, DbColumn *c, WwDbValue *v, GError **error)
{
    *v = (WwDbValue){WW_DB_NOTHING};
    for (int kind = 0; kind < 2; kind++) {
        int layout = kind == 0 ? AT_COUNTERS : AT_INSTANCES;
        const char *list = (const char *)sqlite3_column_text(q->rows, layout + 1);
        double sum;
        if (list == NULL) {
            continue;
        }
        GArray *at = places(q, c, sqlite3_column_int64(q->rows, layout), error);
        if (at == NULL) {
            return false;
        }
        if (!sum_of(q, kind, list, at, &sum)) {
            return db_damaged(q->db, "a run's statistics", error);
        }
        if (at->len != 0) {
            *v = number_value(v->number + sum);
        }
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The run's value of an axis; false: it has none. */
static bool axis_value(DbQuery *q, const char *name, WwDbValue *v)
{
    const char *json = (const char *)sqlite3_column_text(q->rows, AT_AXES);
    DbScan s;
    DbSlice key, text;
    bool found = false;
    db_scan_init(&s, "axes", json != NULL ? json : "", json != NULL ? strlen(json) : 0, NULL);
    bool good = db_scan_object(&s);
    while (good && !found && db_scan_member(&s, &key)) {
        found = db_slice_is(key, name) && db_scan_peek(&s) == '"';
        good = found ? db_scan_string(&s, &text) : db_scan_any(&s, NULL);
    }
    if (found && good) {
        g_autofree char *own = g_strndup(text.p, text.n);
        db_value_text(v, q->texts, own);
    }
    db_scan_clear(&s);
    return found && good;
}

static bool value_of(DbQuery *q, guint i, WwDbValue *row, GError **error)
{
    DbColumn *c = q->columns->pdata[i];
    WwDbValue *v = &row[i];
    *v = (WwDbValue){WW_DB_NOTHING};
    switch (c->kind) {
    case DB_AXIS:
        return axis_value(q, c->name, v) || c->field < 0 || field_value(q, c->field, v, error);
    case DB_FIELD:
        return field_value(q, c->field, v, error);
    case DB_STATISTIC:
        return statistic_value(q, c, v, error);
    case DB_RATIO:
        if (row[c->above].kind == WW_DB_NUMBER && row[c->below].kind == WW_DB_NUMBER &&
            row[c->below].number != 0) {
            *v = number_value(row[c->above].number / row[c->below].number);
        }
        return true;
    default:
        return db_values_get(q, sqlite3_column_int64(q->rows, AT_MACHINE), c->name, v, error);
    }
}

/* The column of a field in the query. */
static int column_of_field(const char *name)
{
    int i = 0;
    while (strcmp(fields[i], name) != 0) {
        i++;
    }
    return FIRST_FIELD + i;
}

static uint8_t mark_of(const DbQuery *q, int partial, int state, int notes)
{
    return (uint8_t)((sqlite3_column_type(q->rows, notes) != SQLITE_NULL ? WW_DB_NOTED : 0) |
                     (sqlite3_column_int(q->rows, partial) != 0 ? WW_DB_PARTIAL : 0) |
                     (g_strcmp0((const char *)sqlite3_column_text(q->rows, state), "done") != 0
                          ? WW_DB_UNFINISHED
                          : 0));
}

/* The query: everything of a run, or of a kernel; @p states says of which. Lists of numbers only where a column needs them. */
static char *query_text(const DbQuery *q, bool kernels, const char *states, bool notes)
{
    const char *k = kernels ? "k" : "r";
    g_autofree char *lists =
        q->counts != 0
            ? g_strdup_printf("%s.counters, %s.counter_values, %s.instances, %s.instance_values", k,
                              k, k, k)
            : g_strdup("NULL, NULL, NULL, NULL");
    return g_strdup_printf(
        "SELECT r.axes, r.machine, %s, e.name, r.number, r.key, r.state, r.trace, r.platform, "
        "r.config, r.version, r.status,"
        " %s.partial, r.fingerprint, r.host, r.start, r.seconds, r.processor_seconds, r.memory, "
        "r.exit_status, r.error, %s, %s.cycles,"
        " 1.0 * %s.thread_instructions / nullif(%s.cycles, 0), %s.thread_instructions, "
        "%s.warp_instructions, %s.ctas, %s.sms,"
        " %s.launch_cycles, %s.tail_cycles, %s.bound_by, %s"
        " FROM run r JOIN experiment e ON e.id = r.experiment%s WHERE (?1 IS NULL OR e.name = ?1)%s"
        " ORDER BY e.name, r.number, r.key%s",
        lists, k, notes ? "(SELECT t.text FROM note t WHERE t.run = r.id)" : "NULL", k, k, k, k, k,
        k, k, k, k, k,
        kernels ? "(SELECT n.name FROM name n WHERE n.id = k.name), k.number" : "NULL, NULL",
        kernels ? " JOIN kernel k ON k.run = r.id" : "", states, kernels ? ", k.number" : "");
}

static bool read_rows(DbQuery *q, const WwDbQuery *query, guint n, WwDbTable *table, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(GArray) values = g_array_new(false, false, sizeof(WwDbValue));
    g_autoptr(GByteArray) marks = g_byte_array_new();
    int partial = column_of_field("partial"), state = column_of_field("state"),
        notes = column_of_field("notes");
    bool has_notes;
    if (!db_has_notes(q->db, &has_notes, error)) {
        return false;
    }
    g_autofree char *text =
        query_text(q, query->kernels, query->all ? "" : " AND r.state = 'done'", has_notes);
    g_autofree WwDbValue *row = g_new0(WwDbValue, q->columns->len + 1);
    q->rows = db_prepare(q->db, text, error);
    if (q->rows == NULL) {
        return false;
    }
    db_bind_text(q->rows, 1, query->experiment);
    while (db_row(q->db, q->rows, &why)) {
        q->read[0] = q->read[1] = false;
        for (guint i = 0; i < q->columns->len; i++) {
            if (!value_of(q, i, row, error)) {
                return false;
            }
        }
        if (db_where_holds(q, row)) {
            for (guint i = 0; i < n; i++) {
                g_array_append_val(values, row[g_array_index(q->shown, int, i)]);
            }
            uint8_t mark = mark_of(q, partial, state, notes);
            if ((mark & WW_DB_NOTED) != 0 && table->note == NULL) {
                const char *lines = (const char *)sqlite3_column_text(q->rows, notes);
                table->note =
                    g_string_chunk_insert_len(q->texts, lines, (gssize)strcspn(lines, "\n"));
            }
            g_byte_array_append(marks, &mark, 1);
            table->n_rows++;
        }
    }
    table->values = (WwDbValue *)(void *)g_array_free(g_steal_pointer(&values), false);
    table->marks = g_byte_array_free(g_steal_pointer(&marks), false);
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

/* Of those without results, those that fit as far as it is known: they have nothing of what a condition asks of a result. */
static bool count_fitting(DbQuery *q, const WwDbQuery *query, WwDbTable *table, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *text = query_text(q, false, " AND r.state <> 'done'", false);
    g_autofree WwDbValue *row = g_new0(WwDbValue, q->columns->len + 1);
    sqlite3_finalize(q->rows);
    q->rows = db_prepare(q->db, text, error);
    if (q->rows == NULL) {
        return false;
    }
    db_bind_text(q->rows, 1, query->experiment);
    table->unfinished = 0;
    while (db_row(q->db, q->rows, &why)) {
        q->read[0] = q->read[1] = false;
        for (guint i = 0; i < q->columns->len; i++) {
            if (!value_of(q, i, row, error)) {
                return false;
            }
        }
        table->unfinished += db_where_may_hold(q, row);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

/* How many of the runs that fit have no results. */
static bool count_unfinished(DbQuery *q, const WwDbQuery *query, WwDbTable *table, GError **error)
{
    g_autoptr(sqlite3_stmt) s =
        db_prepare(q->db,
                   "SELECT count(*), coalesce(sum(r.state NOT IN ('running', 'failed')), 0)"
                   " FROM run r JOIN experiment e ON e.id = r.experiment"
                   " WHERE r.state <> 'done' AND (?1 IS NULL OR e.name = ?1)",
                   error);
    if (s == NULL) {
        return false;
    }
    db_bind_text(s, 1, query->experiment);
    if (!db_row(q->db, s, error)) {
        return false;
    }
    table->unfinished = (uint32_t)sqlite3_column_int64(s, 0);
    return sqlite3_column_int64(s, 1) != 0 ? db_damaged(q->db, "a run's state", error)
                                           : table->unfinished == 0 || q->where == NULL ||
                                                 count_fitting(q, query, table, error);
}

WwDbTable *ww_db_select(WwDb *db, const WwDbQuery *query, GError **error)
{
    g_autoptr(WwDbTable) table = g_new0(WwDbTable, 1);
    DbQuery q = {.db = db,
                 .columns = g_ptr_array_new_with_free_func(free_name),
                 .by_name = g_hash_table_new(g_str_hash, g_str_equal),
                 .numbers = {g_array_new(false, true, sizeof(uint64_t)),
                             g_array_new(false, true, sizeof(uint64_t))},
                 .shown = g_array_new(false, false, sizeof(int)),
                 .axes = ww_db_axes(db, query->experiment, error)};
    table->texts = q.texts = g_string_chunk_new(65536);
    bool good = q.axes != NULL;
    for (const char *const *c = query->columns; good && *c != NULL; c++) {
        int at = column_of(&q, *c, error);
        good = at >= 0;
        g_array_append_val(q.shown, at);
    }
    for (const char *const *w = query->where; good && w != NULL && *w != NULL; w++) {
        DbWhere *where = db_where_new(*w, error);
        good = where != NULL && (where->column = column_of(&q, where->name, error)) >= 0;
        if (where != NULL) {
            where->next = q.where;
            q.where = where;
        }
    }
    table->n_columns = q.shown->len;
    good = good && read_rows(&q, query, q.shown->len, table, error) &&
           count_unfinished(&q, query, table, error);
    sqlite3_finalize(q.rows);
    sqlite3_finalize(q.exact);
    sqlite3_finalize(q.place);
    g_hash_table_unref(q.by_name);
    g_ptr_array_unref(q.columns);
    g_array_unref(q.numbers[0]);
    g_array_unref(q.numbers[1]);
    g_array_unref(q.shown);
    g_strfreev(q.axes);
    db_where_free(q.where);
    db_values_free(&q);
    return good ? g_steal_pointer(&table) : NULL;
}

void ww_db_table_free(WwDbTable *table)
{
    if (table != NULL) {
        if (table->texts != NULL) {
            g_string_chunk_free(table->texts);
        }
        g_free(table->values);
        g_free(table->marks);
        g_free(table);
    }
}
