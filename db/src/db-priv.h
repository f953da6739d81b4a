/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of the database share. */
#pragma once

#include "scan.h"

#include <db/db.h>
#include <sqlite3.h>

/** Of our files: "WWdb". */
#define DB_APPLICATION 0x57576462

/** Statements that are prepared once. */
typedef enum DbSql {
    DB_BEGIN,
    DB_COMMIT,
    DB_ROLLBACK,
    DB_DATA_VERSION,
    DB_ADD_NAME,
    DB_ADD_LAYOUT,
    DB_ADD_EXPERIMENT,
    DB_FIND_EXPERIMENT,
    DB_SET_SOURCE,
    DB_FIND_MACHINE,
    DB_ADD_MACHINE,
    DB_FIND_INPUT,
    DB_ADD_INPUT,
    DB_FIND_RUN,
    DB_NEXT_RUN,
    DB_ADD_RUN,
    DB_ADD_KERNEL,
    DB_ADD_INTERVAL,
    DB_DROP_INTERVALS,
    DB_DROP_KERNELS,
    DB_DROP_RUN,
    DB_HAS_NOTES,
    DB_ADD_NOTES,
    DB_DROP_NOTES,
    DB_N_SQL,
} DbSql;

typedef struct DbNames DbNames;       /* names.c */
typedef struct DbMachines DbMachines; /* machines.c */

struct WwDb {
    char *path;
    sqlite3 *sql;
    sqlite3_stmt *statements[DB_N_SQL];
    bool writable;
    bool begun;   /**< By ww_db_begin(). */
    bool wal;     /**< As long as it is open. */
    bool damaged; /**< Has been found so. */
    int refused;  /**< What SQLite said last that was no success; 0: nothing. */
    int64_t data_version;
    DbNames *names; /**< What is known of the file; NULL: to be read. */
    DbMachines *machines;
};

/** The error of what SQLite has just refused; false. */
bool db_fail(WwDb *db, GError **error);
/** The error of a file that holds what was never written; false. */
bool db_damaged(WwDb *db, const char *what, GError **error);
/** The prepared statement, reset; NULL with an error. */
sqlite3_stmt *db_statement(WwDb *db, DbSql which, GError **error);
/** Prepares a text of ours; NULL with an error. */
sqlite3_stmt *db_prepare(WwDb *db, const char *text, GError **error);
/** Steps a statement that returns no row, and resets it. */
bool db_done(WwDb *db, sqlite3_stmt *s, GError **error);
/** Steps: a row? False at the end, and with an error. */
bool db_row(WwDb *db, sqlite3_stmt *s, GError **error);

/** One change around what follows, unless there is one already; db_end() keeps it when @p good, else nothing of it is left. */
bool db_change(WwDb *db, GError **error);
bool db_end(WwDb *db, bool good, GError **error);

/** NULL and 0 mean "not known". */
void db_bind_text(sqlite3_stmt *s, int at, const char *text);
void db_bind_slice(sqlite3_stmt *s, int at, DbSlice text);
void db_bind_count(sqlite3_stmt *s, int at, int64_t n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sqlite3_stmt, sqlite3_finalize)

/* ---- names and layouts (names.c) -------------------------------------------------------------------------------- */

/** What was counted: names and a number for each, in the order of the results. */
typedef struct DbCounts {
    GArray *names;  /**< uint32_t: numbers of names. */
    GArray *values; /**< uint64_t; */
    bool falls;     /**< or int64_t: what was counted since, of what can fall. */
} DbCounts;

void db_names_free(DbNames *names);
/** Reads names and layouts, unless they are known. */
bool db_names_read(WwDb *db, GError **error);
/** The number of a name, which is made where it is not there; 0 with an error. */
uint32_t db_name(WwDb *db, const char *name, size_t length, GError **error);
/** Which name's number stands where in a list. */
typedef struct DbLayout {
    uint32_t id, n;
    uint32_t *names; /**< By position. */
    uint32_t *place; /**< By name: its position + 1; 0: not in it. */
    uint32_t n_place;
    uint64_t set;   /**< The same for the same names, in whichever order. */
    uint32_t *used; /**< By position: how often it was not 0. */
    uint32_t *seen; /**< By position: when last. */
    uint32_t turn;
    uint64_t waste; /**< Bytes of zeros that another order would not have. */
} DbLayout;
/**
 * The layout for these names. Those that are often 0 stand last, so that the end of a list need not be written. NULL with an error, also where
 * a name is there twice.
 */
DbLayout *db_layout(WwDb *db, const DbCounts *counts, GError **error);
/** Numbers in a piece of a list; a power of 2 that the views know. */
#define DB_PIECE 16u
/** Writes the numbers as `[[...],0,[...]]` in the order of @p layout, which db_layout() gave for these names. */
void db_layout_write(DbLayout *layout, const DbCounts *counts, GString *out);
/** The layout that has these @p n names in this order: one that is there, or a new one; for merging. NULL with an error. */
DbLayout *db_layout_exact(WwDb *db, const uint32_t *of, uint32_t n, GError **error);

/* ---- lists (lists.c) -------------------------------------------------------------------------------------------- */

/** The sum of the numbers at these places, which stand in order; what is not written is 0. False: @p list, which ends with a NUL, is none of ours. */
bool db_list_sum(const char *list, size_t length, const GArray *at, double *sum);
/** All numbers of the list. False: it is damaged. */
bool db_list_read(const char *list, size_t length, GArray *numbers);
/** Is all of it as db_layout_write() writes it? @p falls: numbers may be below 0. */
bool db_list_fits(const char *list, size_t length, bool falls);

/* ---- machines (machines.c) -------------------------------------------------------------------------------------- */

void db_machines_free(DbMachines *machines);
bool db_machines_read(WwDb *db, GError **error);
/** The row of the machine with this hash; @p settings (a JSON object without blanks, NULL: not known) are its values. 0 with an error. */
int64_t db_machine(WwDb *db, const char *hash, const char *settings, GError **error);

/** All values of a machine of which @p own are those that differ from @p base. NULL with an error. */
char *db_machine_join(const char *name, const char *base, const char *own, GError **error);
/** {NAME: VALUE} of a JSON object, values as they stand there. NULL with an error; @p name is that of the text. */
GHashTable *db_machine_values(const char *name, const char *settings, GError **error);
/** The row of this list of files; 0 with an error. */
int64_t db_input(WwDb *db, const char *list, GError **error);

/* ---- runs (runs.c) ---------------------------------------------------------------------------------------------- */

/** A column of rows' numbers, which count up from 1: what is below is the error of a damaged file. */
bool db_row_number(WwDb *db, sqlite3_stmt *s, int column, const char *of, int64_t *row,
                   GError **error);
/** The experiment's row, made where it is not there. */
bool db_experiment(WwDb *db, const char *name, int64_t *row, GError **error);
/** The row of a run, or 0; @p state may be NULL. */
bool db_find_run(WwDb *db, int64_t experiment, const char *key, int64_t *row, WwDbState *state,
                 GError **error);
bool db_drop_run(WwDb *db, int64_t row, GError **error);
/** Is there a table of notes? It is made with the first ones: files from before are as good. */
bool db_has_notes(WwDb *db, bool *has, GError **error);
/** Notes of the run of that row, which has none yet. */
bool db_add_notes(WwDb *db, int64_t row, const char *notes, GError **error);
/** @p text as JSON, in quotes. */
void db_json_text(GString *out, const char *text);
/** ["a","b"] as "a+b", put into @p texts. */
const char *db_plain_list(GStringChunk *texts, const char *json);
/** {"NAME":"VALUE",...} */
char *db_pairs_json(const WwDbPair *pairs, uint32_t n);
bool db_key_fits(const char *key, GError **error);
bool db_state_of(WwDb *db, const char *name, WwDbState *state, GError **error);
/** Adds the pairs of {"NAME":"VALUE",...}; @p texts has what they point to. False: it is none (NULL, too). */
bool db_read_pairs(const char *json, GArray *pairs, GStringChunk *texts);
