/* SPDX-License-Identifier: Apache-2.0 */
/* Putting a run into the file: what is said of it, and its results. */
#include "put.h"

#include <string.h>

#define MOST_BYTES (1u << 30)

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The last value of a name holds. */
static void set_pair(GArray *pairs, const char *name, const char *value)
{
    for (guint k = 0; k < pairs->len; k++) {
        if (strcmp(g_array_index(pairs, WwDbPair, k).name, name) == 0) {
            g_array_remove_index(pairs, k--);
        }
    }
    WwDbPair pair = {name, value};
    g_array_append_val(pairs, pair);
}

/* PATH=VALUE words become pairs; the words are cut. */
static void add_given(GArray *pairs, const GPtrArray *given)
{
    for (guint i = 0; i < given->len; i++) {
        char *word = given->pdata[i], *equals = strchr(word, '=');
        if (equals != NULL) {
            *equals = '\0';
            set_pair(pairs, word, equals + 1);
        }
    }
}

static char *json_of(const GArray *pairs)
{
    return db_pairs_json((const WwDbPair *)(void *)pairs->data, pairs->len);
}

/* What tells this run from others, when nobody says what was varied: trace, config, options and settings. */
static char *own_axes(const Put *p, const GArray *settings)
{
    g_autoptr(GArray) pairs = g_array_new(false, false, sizeof(WwDbPair));
    g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
    if (p->trace.n != 0) {
        set_pair(pairs, "trace", g_string_chunk_insert_len(texts, p->trace.p, (gssize)p->trace.n));
    }
    if (p->config->len > 2) {
        set_pair(pairs, "config", db_plain_list(texts, p->config->str));
    }
    for (guint i = 0; i + 1 < p->options->len; i += 2) {
        set_pair(pairs, p->options->pdata[i], p->options->pdata[i + 1]);
    }
    for (guint i = 0; i < settings->len; i++) {
        const WwDbPair *s = &g_array_index(settings, WwDbPair, i);
        set_pair(pairs, s->name, s->value);
    }
    return json_of(pairs);
}

static bool input_row(Put *p, int64_t *row)
{
    *row = p->inputs->len != 0 ? db_input(p->db, p->inputs->str, p->error) : 0;
    return p->inputs->len == 0 || *row != 0 || put_failed(p);
}

/* What is said of the run: its row before results, or instead of them. */
static void bind_run(sqlite3_stmt *s, int64_t experiment, const WwDbRun *run, const char *axes,
                     const char *settings)
{
    sqlite3_clear_bindings(s);
    sqlite3_bind_int64(s, 1, experiment);
    db_bind_text(s, 2, run->key);
    db_bind_count(s, 3, (int64_t)run->number);
    db_bind_text(s, 4, ww_db_state_name(run->state));
    db_bind_text(s, 5, axes);
    db_bind_text(s, 6, settings);
    db_bind_text(s, 9, run->trace);
    db_bind_text(s, 13, run->version);
    db_bind_text(s, 17, run->host);
    db_bind_count(s, 18, run->start);
    if (run->seconds != 0) {
        sqlite3_bind_double(s, 19, run->seconds);
    }
    if (run->processor_seconds != 0) {
        sqlite3_bind_double(s, 20, run->processor_seconds);
    }
    sqlite3_bind_int(s, 21, run->exit_status);
    db_bind_text(s, 22, run->error);
    db_bind_count(s, 37, (int64_t)run->memory);
}

/* What stands for the text of the results, where the run's description does not say it. */
static void bind_missing(sqlite3_stmt *s, int at, bool known, DbSlice text)
{
    if (!known) {
        db_bind_slice(s, at, text);
    }
}

static void bind_string(sqlite3_stmt *s, int at, const GString *text)
{
    if (text->len != 0) {
        sqlite3_bind_text64(s, at, text->str, text->len, SQLITE_STATIC, SQLITE_UTF8);
    }
}

static bool bind_results(Put *p, sqlite3_stmt *s, const WwDbRun *run, int64_t machine,
                         int64_t input_row_)
{
    db_bind_count(s, 7, machine);
    db_bind_count(s, 8, input_row_);
    bind_missing(s, 9, run->trace != NULL, p->trace);
    db_bind_slice(s, 10, p->platform);
    bind_string(s, 11, p->config);
    bind_string(s, 12, p->command);
    bind_missing(s, 13, run->version != NULL, p->version);
    db_bind_slice(s, 14, p->status);
    sqlite3_bind_int(s, 15, p->partial);
    db_bind_slice(s, 16, p->fingerprint);
    if (run->seconds == 0 && p->seconds != 0) {
        sqlite3_bind_double(s, 19, p->seconds);
    }
    if (run->processor_seconds == 0 && p->processor_seconds != 0) {
        sqlite3_bind_double(s, 20, p->processor_seconds);
    }
    for (int i = 0; i < N_FIGURES; i++) {
        put_bind_figure(s, 23 + i, &p->total, i);
    }
    db_bind_slice(s, 30, p->total.bound_by);
    if (p->n_intervals != 0) {
        sqlite3_bind_int64(s, 35, p->every);
        sqlite3_bind_int64(s, 36, p->over_time->id);
    }
    return put_bind_counts(p, s, 31, &p->total.counters, p->values) &&
           put_bind_counts(p, s, 33, &p->total.instances, p->more);
}

/* Makes room for the run: the row that it will have. */
static bool reserve(Put *p)
{
    sqlite3_stmt *s = db_statement(p->db, DB_NEXT_RUN, p->error);
    if (!db_row(p->db, s, p->error)) {
        return put_failed(p);
    }
    p->row = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return true;
}

static bool replace(WwDb *db, int64_t experiment, const char *key, GError **error)
{
    int64_t old;
    return db_find_run(db, experiment, key, &old, NULL, error) &&
           (old == 0 || db_drop_run(db, old, error));
}

/* A run that was cut by a limit has done what it was to do. */
static bool came_to_no_end(DbSlice status)
{
    static const char *const words[] = {"hang", "stuck", "interrupted", "error"};
    for (size_t i = 0; status.p != NULL && i < G_N_ELEMENTS(words); i++) {
        if (db_slice_is(status, words[i])) {
            return true;
        }
    }
    return false;
}

static bool write_run(Put *p, int64_t experiment, const WwDbRun *given)
{
    WwDbRun run = *given;
    g_autoptr(GArray) own = g_array_new(false, false, sizeof(WwDbPair));
    add_given(own, p->given);
    g_autofree char *axes =
        run.axes != NULL ? db_pairs_json(run.axes, run.n_axes) : own_axes(p, own);
    g_autofree char *settings =
        run.settings != NULL ? db_pairs_json(run.settings, run.n_settings) : json_of(own);
    int64_t in = 0, machine = 0;
    g_autofree char *why = NULL;
    run.state = WW_DB_DONE;
    if (given->state != WW_DB_DONE && came_to_no_end(p->status)) {
        run.state = WW_DB_FAILED;
        why = g_strdup_printf("status '%.*s': did not come to its end", (int)p->status.n,
                              p->status.p);
        run.error = run.error != NULL ? run.error : why;
        run.exit_status = run.exit_status != 0 ? run.exit_status : 1; /* as `warpwright run` had */
    }
    run.key = run.key != NULL ? run.key : g_checksum_get_string(p->all);
    const char *hash = run.machine != NULL     ? run.machine
                       : p->settings->len != 0 ? g_checksum_get_string(p->machine)
                                               : NULL;
    if (hash != NULL) {
        machine =
            db_machine(p->db, hash, p->settings->len != 0 ? p->settings->str : NULL, p->error);
    }
    if ((hash != NULL && machine == 0) || !replace(p->db, experiment, run.key, p->error)) {
        return put_failed(p);
    }
    sqlite3_stmt *s = db_statement(p->db, DB_ADD_RUN, p->error);
    if (s == NULL || !input_row(p, &in)) {
        return put_failed(p);
    }
    bind_run(s, experiment, &run, axes, settings);
    sqlite3_bind_int64(s, 38, p->row);
    return bind_results(p, s, &run, machine, in) &&
           ((db_done(p->db, s, p->error) &&
             (p->notes->len == 0 || db_add_notes(p->db, p->row, p->notes->str, p->error))) ||
            put_failed(p));
}

static void put_init(Put *p)
{
    p->word = g_string_new(NULL);
    p->values = g_string_new(NULL);
    p->more = g_string_new(NULL);
    p->config = g_string_new(NULL);
    p->command = g_string_new(NULL);
    p->inputs = g_string_new(NULL);
    p->settings = g_string_new(NULL);
    p->notes = g_string_new(NULL);
    p->given = g_ptr_array_new_with_free_func(g_free);
    p->options = g_ptr_array_new_with_free_func(g_free);
    p->machine = g_checksum_new(G_CHECKSUM_SHA256);
    put_part_init(&p->total);
    put_part_init(&p->kernel);
}

static void put_clear(Put *p)
{
    g_string_free(p->word, true);
    g_string_free(p->values, true);
    g_string_free(p->more, true);
    g_string_free(p->config, true);
    g_string_free(p->command, true);
    g_string_free(p->inputs, true);
    g_string_free(p->settings, true);
    g_string_free(p->notes, true);
    g_ptr_array_unref(p->given);
    g_ptr_array_unref(p->options);
    g_checksum_free(p->machine);
    if (p->all != NULL) {
        g_checksum_free(p->all);
    }
    put_part_clear(&p->total);
    put_part_clear(&p->kernel);
    db_scan_clear(&p->scan);
}

/* @p text has been checked: reading a file has done so. */
static bool put_text(WwDb *db, const char *experiment, const WwDbRun *run, const char *name,
                     const char *text, size_t length, GError **error)
{
    if (run->key != NULL && !db_key_fits(run->key, error)) {
        return false;
    }
    g_autoptr(GError) why = NULL;
    Put p = {.db = db, .error = &why};
    put_init(&p);
    p.all = run->key == NULL ? g_checksum_new(G_CHECKSUM_SHA256) : NULL;
    db_scan_init(&p.scan, name, text, length, &why);
    bool good = db_change(db, error);
    if (good) {
        int64_t of;
        good = db_experiment(db, experiment, &of, &why) && reserve(&p) && put_read(&p) &&
               write_run(&p, of, run);
        good = db_end(db, good, &why);
    }
    put_clear(&p);
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
    }
    return good;
}

static const WwTextLimits limits = {.bytes = MOST_BYTES, .expected = "a file of results"};

bool ww_db_put_text(WwDb *db, const char *experiment, const WwDbRun *run, const char *name,
                    const char *text, size_t length, GError **error)
{
    return ww_check_text(name, text, length, &limits, error) &&
           put_text(db, experiment, run, name, text, length, error);
}

bool ww_db_put_result(WwDb *db, const char *experiment, const WwDbRun *run, const char *file,
                      GError **error)
{
    g_autofree char *text = NULL;
    size_t length;
    return ww_read_text(file, &limits, &text, &length, error) &&
           put_text(db, experiment, run, file, text, length, error);
}

bool ww_db_put(WwDb *db, const char *experiment, const WwDbRun *run, GError **error)
{
    ww_assert(run->key != NULL);
    if (!db_key_fits(run->key, error) || !db_change(db, error)) {
        return false;
    }
    g_autofree char *axes = db_pairs_json(run->axes, run->n_axes);
    g_autofree char *settings = db_pairs_json(run->settings, run->n_settings);
    int64_t of, machine = 0;
    bool good = db_experiment(db, experiment, &of, error);
    if (good && run->machine != NULL) {
        machine = db_machine(db, run->machine, NULL, error);
        good = machine != 0;
    }
    sqlite3_stmt *s = good ? db_statement(db, DB_ADD_RUN, error) : NULL;
    good = s != NULL && replace(db, of, run->key, error);
    if (good) {
        bind_run(s, of, run, axes, settings);
        db_bind_count(s, 7, machine);
        good = db_done(db, s, error);
    }
    return db_end(db, good, error);
}
