/* SPDX-License-Identifier: Apache-2.0 */
/* One file into another: rows as they are, with the numbers that the other file has for names, layouts, machines and inputs. */
#include "db-priv.h"

#include <string.h>

#define RUN_COLUMNS                                                                                \
    "experiment, key, number, state, axes, settings, machine, input, trace, platform, config, "    \
    "command, version, status, partial, fingerprint, host, start, seconds, processor_seconds, "    \
    "exit_status, error, cycles, thread_instructions, warp_instructions, ctas, sms, "              \
    "launch_cycles, tail_cycles, bound_by, counters, counter_values, instances, "                  \
    "instance_values, every, intervals, memory"
#define KERNEL_COLUMNS                                                                             \
    "number, name, uid, grid, block, stream, partial, cycles, end_cycle, thread_instructions, "    \
    "warp_instructions, ctas, sms, launch_cycles, tail_cycles, bound_by, counters, "               \
    "counter_values, instances, instance_values"
/* Columns of these, from 0. */
enum {
    AT_AXES = 4,
    AT_SETTINGS = 5,
    AT_MACHINE = 6,
    AT_INPUT = 7,
    AT_CYCLES = 22,
    AT_TAIL_CYCLES = 28,
    AT_COUNTERS = 30,
    AT_INSTANCES = 32,
    AT_INTERVALS = 35,
    AT_MEMORY = 36,
    N_RUN
};
enum {
    AT_NAME = 1,
    AT_KERNEL_CYCLES = 7,
    AT_KERNEL_TAIL_CYCLES = 14,
    AT_KERNEL_COUNTERS = 16,
    AT_KERNEL_INSTANCES = 18,
    N_KERNEL = 20
};

typedef struct Merge {
    WwDb *into, *from;
    GHashTable *layouts, *names, *machines, *inputs; /* number there -> number here */
    sqlite3_stmt *name, *layout, *machine, *input, *kernels, *intervals, *notes;
    WwDbMerged done;
    GError **error;
} Merge;

/* There is no such row, where there must be one, or there was another error. */
static bool missing(Merge *m, const char *what, int64_t number)
{
    if (*m->error == NULL) {
        ww_fail(m->error, WW_ERROR_INPUT,
                "'%s' is damaged (no %s %" G_GINT64_FORMAT "); expected a whole database",
                m->from->path, what, number);
    }
    return false;
}

/* The row of that number: read, and to be reset. */
static bool row_of(Merge *m, sqlite3_stmt *s, const char *what, int64_t number)
{
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, number);
    return db_row(m->from, s, m->error) || missing(m, what, number);
}

static const char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text != NULL ? text : "";
}

static uint32_t known(GHashTable *table, int64_t there)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(table, GSIZE_TO_POINTER((gsize)there)));
}

static uint32_t learned(GHashTable *table, int64_t there, uint32_t here)
{
    if (here != 0) {
        g_hash_table_insert(table, GSIZE_TO_POINTER((gsize)there), GUINT_TO_POINTER(here));
    }
    return here;
}

static uint32_t name_here(Merge *m, int64_t there)
{
    uint32_t here = known(m->names, there);
    if (here != 0 || !row_of(m, m->name, "name", there)) {
        return here;
    }
    const char *text = text_of(m->name, 0);
    here = db_name(m->into, text, strlen(text), m->error);
    sqlite3_reset(m->name);
    return learned(m->names, there, here);
}

static uint32_t layout_here(Merge *m, int64_t there)
{
    uint32_t here = known(m->layouts, there);
    if (here != 0) {
        return here;
    }
    g_autoptr(GArray) names = g_array_new(false, false, sizeof(uint32_t));
    g_autoptr(GError) why = NULL;
    sqlite3_reset(m->layout);
    sqlite3_bind_int64(m->layout, 1, there);
    while (db_row(m->from, m->layout, &why)) {
        uint32_t name = name_here(m, sqlite3_column_int64(m->layout, 0));
        if (name == 0) {
            return 0;
        }
        if (sqlite3_column_int64(m->layout, 1) != names->len) {
            missing(m, "whole layout", there);
            return 0;
        }
        g_array_append_val(names, name);
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return 0;
    }
    if (names->len == 0) {
        missing(m, "layout", there);
        return 0;
    }
    DbLayout *layout =
        db_layout_exact(m->into, (const uint32_t *)(void *)names->data, names->len, m->error);
    return layout != NULL ? learned(m->layouts, there, layout->id) : 0;
}

/* All values of a machine: its own, and those of its base that it does not have. */
static uint32_t machine_here(Merge *m, int64_t there)
{
    uint32_t here = known(m->machines, there);
    if (here != 0 || !row_of(m, m->machine, "machine", there)) {
        return here;
    }
    const char *hash = text_of(m->machine, 0);
    g_autofree char *settings = NULL;
    if (sqlite3_column_type(m->machine, 1) != SQLITE_NULL) {
        settings = sqlite3_column_type(m->machine, 2) == SQLITE_NULL
                       ? g_strdup(text_of(m->machine, 1))
                       : db_machine_join(m->from->path, text_of(m->machine, 2),
                                         text_of(m->machine, 1), m->error);
        if (settings == NULL) {
            sqlite3_reset(m->machine);
            return 0;
        }
    }
    int64_t row = db_machine(m->into, hash, settings, m->error);
    sqlite3_reset(m->machine);
    return learned(m->machines, there, (uint32_t)row);
}

static uint32_t input_here(Merge *m, int64_t there)
{
    uint32_t here = known(m->inputs, there);
    if (here != 0 || !row_of(m, m->input, "list of inputs", there)) {
        return here;
    }
    int64_t row = db_input(m->into, text_of(m->input, 0), m->error);
    sqlite3_reset(m->input);
    return learned(m->inputs, there, (uint32_t)row);
}

typedef uint32_t (*HereFn)(Merge *m, int64_t there);

/* Binds column @p column of @p from at @p at, as the number that it has here. */
static bool bind_here(Merge *m, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, HereFn fn)
{
    if (sqlite3_column_type(from, column) == SQLITE_NULL) {
        return sqlite3_bind_null(to, at) == SQLITE_OK;
    }
    uint32_t here = fn(m, sqlite3_column_int64(from, column));
    return here != 0 && sqlite3_bind_int64(to, at, here) == SQLITE_OK;
}

/* ---- what is taken over must be what we write ------------------------------------------------------------------- */

static bool fail_damaged(Merge *m, const char *what)
{
    return db_damaged(m->from, what, m->error);
}

/* A list of numbers, where there is one. */
static bool check_list(Merge *m, sqlite3_stmt *s, int column, bool falls)
{
    const char *list = (const char *)sqlite3_column_text(s, column);
    return list == NULL || db_list_fits(list, (size_t)sqlite3_column_bytes(s, column), falls) ||
           fail_damaged(m, "a run's statistics");
}

static bool check_figures(Merge *m, sqlite3_stmt *s, int first, int last)
{
    for (int i = first; i <= last; i++) {
        int type = sqlite3_column_type(s, i);
        if (type != SQLITE_NULL && (type != SQLITE_INTEGER || sqlite3_column_int64(s, i) < 0)) {
            return fail_damaged(m, "a run's figures");
        }
    }
    return true;
}

static bool check_pairs(Merge *m, sqlite3_stmt *s, int column)
{
    g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
    g_autoptr(GArray) pairs = g_array_new(false, false, sizeof(WwDbPair));
    return db_read_pairs((const char *)sqlite3_column_text(s, column), pairs, texts) ||
           fail_damaged(m, "a run's axes or settings");
}

static bool check_run(Merge *m, sqlite3_stmt *s, WwDbState *state)
{
    return db_state_of(m->from, text_of(s, 3), state, m->error) && check_pairs(m, s, AT_AXES) &&
           check_pairs(m, s, AT_SETTINGS) && check_figures(m, s, AT_CYCLES, AT_TAIL_CYCLES) &&
           check_list(m, s, AT_COUNTERS + 1, false) && check_list(m, s, AT_INSTANCES + 1, false);
}

static bool check_kernel(Merge *m, sqlite3_stmt *s)
{
    return check_figures(m, s, AT_KERNEL_CYCLES, AT_KERNEL_TAIL_CYCLES) &&
           check_list(m, s, AT_KERNEL_COUNTERS + 1, false) &&
           check_list(m, s, AT_KERNEL_INSTANCES + 1, false);
}

/* ---- rows of a run ---------------------------------------------------------------------------------------------- */

static bool copy_kernels(Merge *m, int64_t there, int64_t here)
{
    g_autoptr(GError) why = NULL;
    sqlite3_stmt *s = m->kernels, *to = db_statement(m->into, DB_ADD_KERNEL, m->error);
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, there);
    while (to != NULL && db_row(m->from, s, &why)) {
        sqlite3_bind_int64(to, 1, here);
        for (int i = 0; i < N_KERNEL; i++) {
            sqlite3_bind_value(to, i + 2, sqlite3_column_value(s, i));
        }
        if (!check_kernel(m, s) || !bind_here(m, to, AT_NAME + 2, s, AT_NAME, name_here) ||
            !bind_here(m, to, AT_KERNEL_COUNTERS + 2, s, AT_KERNEL_COUNTERS, layout_here) ||
            !bind_here(m, to, AT_KERNEL_INSTANCES + 2, s, AT_KERNEL_INSTANCES, layout_here) ||
            !db_done(m->into, to, m->error)) {
            return false;
        }
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return false;
    }
    return to != NULL;
}

static bool copy_intervals(Merge *m, int64_t there, int64_t here)
{
    g_autoptr(GError) why = NULL;
    sqlite3_stmt *s = m->intervals, *to = db_statement(m->into, DB_ADD_INTERVAL, m->error);
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, there);
    while (to != NULL && db_row(m->from, s, &why)) {
        sqlite3_bind_int64(to, 1, here);
        sqlite3_bind_value(to, 2, sqlite3_column_value(s, 0));
        sqlite3_bind_value(to, 3, sqlite3_column_value(s, 1));
        if (!check_list(m, s, 1, true) || !db_done(m->into, to, m->error)) {
            return false;
        }
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return false;
    }
    return to != NULL;
}

static bool copy_notes(Merge *m, int64_t there, int64_t here)
{
    g_autoptr(GError) why = NULL;
    if (m->notes == NULL) { /* no run there has any */
        return true;
    }
    sqlite3_reset(m->notes);
    sqlite3_bind_int64(m->notes, 1, there);
    bool good = true;
    if (db_row(m->from, m->notes, &why)) {
        good = db_add_notes(m->into, here, text_of(m->notes, 0), m->error);
        sqlite3_reset(m->notes);
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return false;
    }
    return good;
}

static bool next_run(WwDb *db, int64_t *row, GError **error)
{
    sqlite3_stmt *s = db_statement(db, DB_NEXT_RUN, error);
    if (!db_row(db, s, error)) {
        return false;
    }
    *row = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return true;
}

/* @p s: a run's columns, then its row and its experiment's name. */
static bool copy_run(Merge *m, sqlite3_stmt *s, int64_t experiment)
{
    int64_t here;
    sqlite3_stmt *to = db_statement(m->into, DB_ADD_RUN, m->error);
    if (to == NULL || !next_run(m->into, &here, m->error)) {
        return false;
    }
    int64_t there = sqlite3_column_int64(s, N_RUN);
    sqlite3_bind_int64(to, 1, experiment);
    for (int i = 1; i < N_RUN; i++) {
        sqlite3_bind_value(to, i + 1, sqlite3_column_value(s, i));
    }
    sqlite3_bind_int64(to, N_RUN + 1, here);
    return bind_here(m, to, AT_MACHINE + 1, s, AT_MACHINE, machine_here) &&
           bind_here(m, to, AT_INPUT + 1, s, AT_INPUT, input_here) &&
           bind_here(m, to, AT_COUNTERS + 1, s, AT_COUNTERS, layout_here) &&
           bind_here(m, to, AT_INSTANCES + 1, s, AT_INSTANCES, layout_here) &&
           bind_here(m, to, AT_INTERVALS + 1, s, AT_INTERVALS, layout_here) &&
           db_done(m->into, to, m->error) && copy_kernels(m, there, here) &&
           copy_intervals(m, there, here) && copy_notes(m, there, here);
}

static bool merge_run(Merge *m, sqlite3_stmt *s)
{
    const char *key = text_of(s, 1), *name = text_of(s, N_RUN + 1);
    WwDbState state = WW_DB_RUNNING, other = WW_DB_RUNNING;
    int64_t experiment, old;
    if (!check_run(m, s, &state) || !db_experiment(m->into, name, &experiment, m->error) ||
        !db_find_run(m->into, experiment, key, &old, &other, m->error)) {
        return false;
    }
    if (old != 0 && state <= other) {
        m->done.same++;
        return true;
    }
    if (old != 0 && !db_drop_run(m->into, old, m->error)) {
        return false;
    }
    m->done.added += old == 0;
    m->done.replaced += old != 0;
    return copy_run(m, s, experiment);
}

/* Texts of experiments that have none here. */
static bool merge_experiments(Merge *m)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(sqlite3_stmt) s =
        db_prepare(m->from, "SELECT name, source FROM experiment ORDER BY id", m->error);
    g_autoptr(sqlite3_stmt) to = db_prepare(
        m->into, "UPDATE experiment SET source = ? WHERE id = ? AND source IS NULL", m->error);
    if (s == NULL || to == NULL) {
        return false;
    }
    while (db_row(m->from, s, &why)) {
        int64_t row;
        if (!db_experiment(m->into, text_of(s, 0), &row, m->error)) {
            return false;
        }
        sqlite3_bind_value(to, 1, sqlite3_column_value(s, 1));
        sqlite3_bind_int64(to, 2, row);
        if (!db_done(m->into, to, m->error)) {
            return false;
        }
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return false;
    }
    return true;
}

static bool prepare(Merge *m)
{
    const struct {
        sqlite3_stmt **at;
        const char *text;
    } all[] = {
        {&m->notes, "SELECT text FROM note WHERE run = ?"}, /* where there is such a table */
        {&m->name, "SELECT name FROM name WHERE id = ?"},
        {&m->layout, "SELECT name, position FROM layout WHERE layout = ? ORDER BY position"},
        {&m->machine, "SELECT m.hash, m.settings, b.settings FROM machine m"
                      " LEFT JOIN machine b ON b.id = m.base WHERE m.id = ?"},
        {&m->input, "SELECT list FROM input WHERE id = ?"},
        {&m->kernels, "SELECT " KERNEL_COLUMNS " FROM kernel WHERE run = ? ORDER BY number"},
        {&m->intervals, "SELECT cycle, numbers FROM interval WHERE run = ? ORDER BY cycle"},
    };
    bool notes;
    if (!db_has_notes(m->from, &notes, m->error)) {
        return false;
    }
    for (size_t i = notes ? 0 : 1; i < G_N_ELEMENTS(all); i++) {
        *all[i].at = db_prepare(m->from, all[i].text, m->error);
        if (*all[i].at == NULL) {
            return false;
        }
    }
    return true;
}

static bool merge_runs(Merge *m)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(sqlite3_stmt) s =
        db_prepare(m->from,
                   "SELECT " RUN_COLUMNS ", run.id, e.name FROM run"
                   " JOIN (SELECT id AS e_id, name FROM experiment) e ON e.e_id = run.experiment"
                   " ORDER BY run.id",
                   m->error);
    while (s != NULL && db_row(m->from, s, &why)) {
        if (!merge_run(m, s)) {
            return false;
        }
    }
    if (why != NULL) {
        g_propagate_error(m->error, g_steal_pointer(&why));
        return false;
    }
    return s != NULL;
}

bool ww_db_merge(WwDb *into, WwDb *from, WwDbMerged *merged, GError **error)
{
    g_autoptr(GError) why = NULL;
    Merge m = {.into = into, .from = from, .error = &why};
    GHashTable **tables[] = {&m.layouts, &m.names, &m.machines, &m.inputs};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        *tables[i] = g_hash_table_new(g_direct_hash, g_direct_equal);
    }
    bool good = db_change(into, &why);
    if (good) {
        good = prepare(&m) && merge_experiments(&m) && merge_runs(&m);
        good = db_end(into, good, &why);
    }
    sqlite3_stmt *all[] = {m.name, m.layout, m.machine, m.input, m.kernels, m.intervals, m.notes};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        sqlite3_finalize(all[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_hash_table_unref(*tables[i]);
    }
    if (merged != NULL) {
        *merged = good ? m.done : (WwDbMerged){0};
    }
    if (why != NULL) {
        g_propagate_error(error, g_steal_pointer(&why));
    }
    return good;
}
