/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments and runs, as who ran them describes them. */
#include "db-priv.h"

#include <string.h>

#define KEY_LENGTH 64

static const char *const states[] = {"running", "failed", "done"};

const char *ww_db_state_name(WwDbState state)
{
    return states[state];
}

bool db_state_of(WwDb *db, const char *name, WwDbState *state, GError **error)
{
    for (int i = WW_DB_DONE; i >= WW_DB_RUNNING; i--) {
        if (g_strcmp0(name, states[i]) == 0) {
            *state = (WwDbState)i;
            return true;
        }
    }
    return db_damaged(db, "a run's state", error);
}

bool db_key_fits(const char *key, GError **error)
{
    size_t n = strspn(key, "0123456789abcdef");
    return (n == KEY_LENGTH && key[n] == '\0') ||
           ww_fail(error, WW_ERROR_USAGE, "'%s' is no key of a run; expected %d hexadecimal digits",
                   key, KEY_LENGTH);
}

void db_json_text(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < ' ') {
            g_string_append_printf(out, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\') {
            g_string_append_c(out, '\\');
        }
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

char *db_pairs_json(const WwDbPair *pairs, uint32_t n)
{
    GString *out = g_string_new("{");
    for (uint32_t i = 0; i < n; i++) {
        g_string_append(out, i != 0 ? "," : "");
        db_json_text(out, pairs[i].name);
        g_string_append_c(out, ':');
        db_json_text(out, pairs[i].value);
    }
    g_string_append_c(out, '}');
    return g_string_free(out, false);
}

/* A list as it is written: ["a","b"] as "a+b". */
const char *db_plain_list(GStringChunk *texts, const char *json)
{
    DbScan s;
    DbSlice word;
    g_autoptr(GString) out = g_string_new(NULL);
    db_scan_init(&s, "config", json, strlen(json), NULL);
    bool good = db_scan_array(&s);
    while (good && db_scan_entry(&s) && (good = db_scan_string(&s, &word))) {
        g_string_append(out, out->len != 0 ? "+" : "");
        g_string_append_len(out, word.p, (gssize)word.n);
    }
    good = good && !s.failed;
    db_scan_clear(&s);
    return g_string_chunk_insert(texts, good ? out->str : json);
}

/* ---- experiments ------------------------------------------------------------------------------------------------ */

/* *row is 0 where there is none. */
static bool find_experiment(WwDb *db, const char *name, int64_t *row, GError **error)
{
    g_autoptr(GError) why = NULL;
    sqlite3_stmt *s = db_statement(db, DB_FIND_EXPERIMENT, error);
    bool good = s != NULL;
    *row = 0;
    if (!good) {
        return false;
    }
    sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
    if (db_row(db, s, &why)) {
        good = db_row_number(db, s, 0, "an experiment", row, error);
        sqlite3_reset(s);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

/* SQLite gives the number behind the largest that is there, which a damaged file may have below 0. */
bool db_experiment(WwDb *db, const char *name, int64_t *row, GError **error)
{
    if (!find_experiment(db, name, row, error)) {
        return false;
    }
    if (*row != 0) {
        return true;
    }
    if (*name == '\0' || strlen(name) > 200 || !g_utf8_validate(name, -1, NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "'%s' cannot name an experiment; expected 1 to 200 bytes of text", name);
    }
    sqlite3_stmt *s = db_statement(db, DB_ADD_EXPERIMENT, error);
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_text(s, 1, name, -1, SQLITE_TRANSIENT);
    if (!db_done(db, s, error)) {
        return false;
    }
    *row = sqlite3_last_insert_rowid(db->sql);
    return *row > 0 || db_damaged(db, "the number of an experiment", error);
}

bool ww_db_experiment(WwDb *db, const char *name, const char *source, GError **error)
{
    if (!db_change(db, error)) {
        return false;
    }
    int64_t row;
    bool good = db_experiment(db, name, &row, error);
    if (good && source != NULL) {
        sqlite3_stmt *s = db_statement(db, DB_SET_SOURCE, error);
        good = s != NULL;
        if (good) {
            db_bind_text(s, 1, source);
            sqlite3_bind_int64(s, 2, row);
            good = db_done(db, s, error);
        }
    }
    return db_end(db, good, error);
}

bool ww_db_each_experiment(WwDb *db, WwDbExperimentFn fn, void *user, GError **error)
{
    g_autoptr(GError) why = NULL;
    bool good = true, more = true;
    g_autoptr(sqlite3_stmt) s = db_prepare(
        db,
        "SELECT e.name, e.source, coalesce(sum(r.state = 'running'), 0),"
        " coalesce(sum(r.state = 'failed'), 0), coalesce(sum(r.state = 'done'), 0), "
        "total(r.seconds), coalesce(sum(r.state NOT IN ('running', 'failed', 'done')), 0)"
        " FROM experiment e LEFT JOIN run r ON r.experiment = e.id GROUP BY e.id ORDER BY e.name",
        error);
    if (s == NULL) {
        return false;
    }
    while (good && more && db_row(db, s, &why)) {
        WwDbExperiment e = {.name = (const char *)sqlite3_column_text(s, 0),
                            .source = (const char *)sqlite3_column_text(s, 1),
                            .running = (uint64_t)sqlite3_column_int64(s, 2),
                            .failed = (uint64_t)sqlite3_column_int64(s, 3),
                            .done = (uint64_t)sqlite3_column_int64(s, 4),
                            .seconds = sqlite3_column_double(s, 5)};
        good = sqlite3_column_int64(s, 6) == 0 || db_damaged(db, "a run's state", error);
        more = good && fn(user, &e);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

bool db_find_run(WwDb *db, int64_t experiment, const char *key, int64_t *row, WwDbState *state,
                 GError **error)
{
    g_autoptr(GError) why = NULL;
    sqlite3_stmt *s = db_statement(db, DB_FIND_RUN, error);
    bool good = true;
    *row = 0;
    if (s == NULL) {
        return false;
    }
    sqlite3_bind_int64(s, 1, experiment);
    sqlite3_bind_text(s, 2, key, -1, SQLITE_TRANSIENT);
    if (db_row(db, s, &why)) {
        WwDbState own = WW_DB_RUNNING;
        good = db_row_number(db, s, 0, "a run", row, error) &&
               db_state_of(db, (const char *)sqlite3_column_text(s, 1),
                           state != NULL ? state : &own, error);
        sqlite3_reset(s);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

bool db_drop_run(WwDb *db, int64_t row, GError **error)
{
    static const DbSql all[] = {DB_DROP_NOTES, DB_DROP_INTERVALS, DB_DROP_KERNELS, DB_DROP_RUN};
    bool notes = false;
    if (!db_has_notes(db, &notes, error)) {
        return false;
    }
    for (size_t i = notes ? 0 : 1; i < G_N_ELEMENTS(all); i++) {
        sqlite3_stmt *s = db_statement(db, all[i], error);
        if (s == NULL) {
            return false;
        }
        sqlite3_bind_int64(s, 1, row);
        if (!db_done(db, s, error)) {
            return false;
        }
    }
    return true;
}

bool ww_db_state(WwDb *db, const char *experiment, const char *key, bool *found, WwDbState *state,
                 GError **error)
{
    int64_t row = 0, of;
    *found = false;
    if (!find_experiment(db, experiment, &of, error)) {
        return false;
    }
    if (of != 0 && !db_find_run(db, of, key, &row, state, error)) {
        return false;
    }
    *found = row != 0;
    return true;
}

bool ww_db_remove(WwDb *db, const char *experiment, const char *key, bool *found, GError **error)
{
    int64_t row = 0, of;
    if (!db_change(db, error)) {
        return false;
    }
    bool good = find_experiment(db, experiment, &of, error);
    good = good && (of == 0 || db_find_run(db, of, key, &row, NULL, error));
    good = good && (row == 0 || db_drop_run(db, row, error));
    if (found != NULL) {
        *found = row != 0;
    }
    return db_end(db, good, error);
}

bool ww_db_rename(WwDb *db, const char *experiment, const char *key, uint64_t number,
                  const WwDbPair *axes, uint32_t n_axes, GError **error)
{
    g_autofree char *text = db_pairs_json(axes, n_axes);
    int64_t row = 0, of;
    if (!db_change(db, error)) {
        return false;
    }
    if (!find_experiment(db, experiment, &of, error) ||
        (of != 0 && !db_find_run(db, of, key, &row, NULL, error))) {
        return db_end(db, false, NULL);
    }
    g_autoptr(sqlite3_stmt) s =
        db_prepare(db, "UPDATE run SET number = ?, axes = ? WHERE id = ?", error);
    if (s == NULL) {
        return db_end(db, false, NULL);
    }
    db_bind_count(s, 1, (int64_t)number);
    db_bind_text(s, 2, text);
    sqlite3_bind_int64(s, 3, row);
    return db_end(db, db_done(db, s, error), error);
}

/* ---- looking at runs -------------------------------------------------------------------------------------------- */

/* {"NAME":"VALUE",...}, which we wrote; values of another kind, which others did, are their text. */
bool db_read_pairs(const char *json, GArray *pairs, GStringChunk *texts)
{
    DbScan s;
    DbSlice name, value;
    g_autoptr(GString) any = g_string_new(NULL);
    if (json == NULL) {
        return false;
    }
    db_scan_init(&s, "pairs", json, strlen(json), NULL);
    bool good = db_scan_object(&s);
    while (good && db_scan_member(&s, &name)) {
        if (db_scan_peek(&s) == '"') {
            good = db_scan_string(&s, &value);
        } else {
            g_string_truncate(any, 0);
            good = db_scan_any(&s, any);
            value = (DbSlice){any->str, any->len};
        }
        if (good) {
            WwDbPair pair = {g_string_chunk_insert_len(texts, name.p, (gssize)name.n),
                             g_string_chunk_insert_len(texts, value.p, (gssize)value.n)};
            g_array_append_val(pairs, pair);
        }
    }
    good = good && db_scan_end(&s);
    db_scan_clear(&s);
    return good;
}

static const char *text_at(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite3_column_text(s, column);
}

/* One row of the query below. */
static bool tell(WwDb *db, sqlite3_stmt *s, WwDbRunFn fn, void *user, bool *more, GError **error)
{
    g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
    g_autoptr(GArray) axes = g_array_new(false, false, sizeof(WwDbPair));
    g_autoptr(GArray) settings = g_array_new(false, false, sizeof(WwDbPair));
    const char *a = text_at(s, 4), *b = text_at(s, 5), *key = text_at(s, 1);
    WwDbState state = WW_DB_RUNNING;
    if (!db_state_of(db, text_at(s, 2), &state, error)) {
        return false;
    }
    if (key == NULL || !db_read_pairs(a, axes, texts) || !db_read_pairs(b, settings, texts)) {
        return db_damaged(db, "a run's axes or settings", error);
    }
    WwDbRun run = {.key = key,
                   .state = state,
                   .number = (uint64_t)sqlite3_column_int64(s, 3),
                   .axes = (const WwDbPair *)(void *)axes->data,
                   .n_axes = axes->len,
                   .settings = (const WwDbPair *)(void *)settings->data,
                   .n_settings = settings->len,
                   .machine = text_at(s, 6),
                   .trace = text_at(s, 7),
                   .version = text_at(s, 8),
                   .host = text_at(s, 9),
                   .start = sqlite3_column_int64(s, 10),
                   .seconds = sqlite3_column_double(s, 11),
                   .processor_seconds = sqlite3_column_double(s, 12),
                   .error = text_at(s, 13),
                   .exit_status = sqlite3_column_int(s, 14),
                   .memory = (uint64_t)sqlite3_column_int64(s, 15),
                   .notes = text_at(s, 16)};
    *more = fn(user, text_at(s, 0), &run);
    return true;
}

bool ww_db_each_run(WwDb *db, const char *experiment, WwDbRunFn fn, void *user, GError **error)
{
    g_autoptr(GError) why = NULL;
    bool good = true, more = true, notes;
    if (!db_has_notes(db, &notes, error)) {
        return false;
    }
    g_autofree char *text = g_strdup_printf(
        "SELECT e.name, r.key, r.state, r.number, r.axes, r.settings, m.hash, r.trace,"
        " r.version, r.host, r.start, r.seconds, r.processor_seconds, r.error, r.exit_status,"
        " r.memory, %s"
        " FROM run r JOIN experiment e ON e.id = r.experiment LEFT JOIN machine m ON m.id = "
        "r.machine"
        " WHERE ?1 IS NULL OR e.name = ?1 ORDER BY e.name, r.number, r.key",
        notes ? "(SELECT n.text FROM note n WHERE n.run = r.id)" : "NULL");
    g_autoptr(sqlite3_stmt) s = db_prepare(db, text, error);
    if (s == NULL) {
        return false;
    }
    db_bind_text(s, 1, experiment);
    while (good && more && db_row(db, s, &why)) {
        good = tell(db, s, fn, user, &more, error);
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

/* The words of ["warpwright", "run", ...]; NULL: it is none. */
static char **words_of(const char *json)
{
    DbScan s;
    DbSlice word;
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    db_scan_init(&s, "command", json, strlen(json), NULL);
    bool good = db_scan_array(&s);
    while (good && db_scan_entry(&s)) {
        good = db_scan_string(&s, &word);
        g_ptr_array_add(words, good ? g_strndup(word.p, word.n) : NULL);
    }
    good = good && db_scan_end(&s);
    db_scan_clear(&s);
    g_ptr_array_add(words, NULL);
    return good ? (char **)g_ptr_array_free(g_steal_pointer(&words), false) : NULL;
}

bool ww_db_command(WwDb *db, const char *experiment, const char *key, char ***words, GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(sqlite3_stmt) s =
        db_prepare(db,
                   "SELECT r.command FROM run r JOIN experiment e ON e.id = r.experiment"
                   " WHERE e.name = ? AND r.key = ?",
                   error);
    *words = NULL;
    if (s == NULL) {
        return false;
    }
    db_bind_text(s, 1, experiment);
    db_bind_text(s, 2, key);
    const char *json = db_row(db, s, &why) ? text_at(s, 0) : NULL;
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    *words = json != NULL ? words_of(json) : NULL;
    return json == NULL || *words != NULL || db_damaged(db, "a run's command", error);
}
