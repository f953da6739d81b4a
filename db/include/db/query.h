/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Questions to a database: for each run, what is asked for by name. A name is, in this order: an axis of the experiment; a figure or a text of
 * the run (`cycles`, `ipc`, `seconds`, `trace`, ...: ww_db_fields()); a statistic (`TYPE.STATISTIC[.LABEL]`, `PATH:STATISTIC[.LABEL]`; with
 * `*` the sum of all that match); a value of the run's machine (`gpu.clusters`); or two of these with a '/' between: their ratio.
 */
#pragma once

#include <db/db.h>

/** What a value is. */
typedef enum WwDbKind { WW_DB_NOTHING, WW_DB_NUMBER, WW_DB_TEXT } WwDbKind;

/** What a run has under a name. A text that reads as a number is one, and has its text, too. */
typedef struct WwDbValue {
    WwDbKind kind;
    double number;
    const char *text; /**< NULL: of a number that is counted. */
} WwDbValue;

/** What is asked, and of which runs. */
typedef struct WwDbQuery {
    const char *const *columns; /**< NULL-terminated. */
    const char *const
        *where; /**< `NAME=VALUE`, all of which must hold; also `!=`, `<`, `<=`, `>`, `>=`. A
                                     value may hold `*` and `?`, several stand with ',' between, and what is behind a '/' or '.' will do. NULL-terminated, or NULL. */
    const char *experiment; /**< NULL: of all. */
    bool kernels;           /**< A row a kernel instead of a row a run. */
    bool all;               /**< Runs without results, too. */
} WwDbQuery;

/** What is known of a row beside its columns. */
enum {
    WW_DB_PARTIAL = 1,    /**< The run, or the kernel, was cut: by a limit, or what did not end. */
    WW_DB_UNFINISHED = 2, /**< The run has no results. */
    WW_DB_NOTED = 4,      /**< Something is noted of the run's machine (`notes`). */
};

/** An answer: a value for each row and column of the query. Free with ww_db_table_free(), and with it all texts. */
typedef struct WwDbTable {
    uint32_t n_rows, n_columns;
    WwDbValue *values; /**< Row by row. */
    uint8_t *marks;    /**< Of each row: WW_DB_PARTIAL and its like. */
    uint32_t
        unfinished; /**< Runs that fit, but have no results (and are not among the rows unless `all`). */
    const char
        *note; /**< Of the first row of which something is noted: its first line; NULL: none is. */
    GStringChunk *texts;
} WwDbTable;

/**
 * From here on every question is answered with what the file has now, whatever other processes write, until it is closed: rows of two answers are those
 * of the same runs. On a network's file system who writes waits meanwhile.
 */
bool ww_db_hold(WwDb *db, GError **error);
/** In the order of experiments, numbers and keys. NULL with @p error, also where no run has something of a name. */
WwDbTable *ww_db_select(WwDb *db, const WwDbQuery *query, GError **error);
/** @p table may be NULL. */
void ww_db_table_free(WwDbTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwDbTable, ww_db_table_free)
/** Has row @p row one of these marks? */
static inline bool ww_db_is(const WwDbTable *table, uint32_t row, unsigned mark)
{
    return (table->marks[row] & mark) != 0;
}
/** The table's value of a column of the query. */
static inline const WwDbValue *ww_db_at(const WwDbTable *table, uint32_t row, uint32_t column)
{
    return &table->values[(size_t)row * table->n_columns + column];
}

/** Names of the axes of @p experiment (NULL: of all), in the order in which runs have them; NULL-terminated, g_strfreev(). NULL with @p error. */
char **ww_db_axes(WwDb *db, const char *experiment, GError **error);
/** Names of figures and texts that every run has; NULL-terminated. */
const char *const *ww_db_fields(void);
/** Names of statistics that match @p pattern (NULL: all), by name; NULL-terminated, g_strfreev(). NULL with @p error. */
char **ww_db_statistics(WwDb *db, const char *pattern, GError **error);
/** Names of the machines' values that match @p pattern (NULL: all), likewise. */
char **ww_db_values(WwDb *db, const char *pattern, GError **error);
/**
 * Is @p text what @p word says: all of it, or all behind a '/', or a '.' before a letter? "gto" is "scheduler.gto", "vecadd" is "samples/vecadd",
 * "5_GHz" is not "3.5_GHz".
 */
bool ww_db_stands_for(const char *word, const char *text);
/** Is @p path a database by its first bytes? */
bool ww_db_is_one(const char *path);
