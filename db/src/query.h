/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of questions share. */
#pragma once

#include "db-priv.h"

#include <db/query.h>

typedef enum DbColumnKind {
    DB_UNKNOWN,
    DB_AXIS,
    DB_FIELD,
    DB_STATISTIC,
    DB_RATIO,
    DB_MACHINE_VALUE
} DbColumnKind;

typedef struct DbColumn {
    char *name;
    DbColumnKind kind;
    int field;          /**< Also of an axis: the text of runs that are without it; -1: none. */
    int above, below;   /**< Columns, before this one. */
    GArray *names;      /**< int64_t: statistics. */
    GHashTable *places; /**< Layout -> GArray of uint32_t. */
} DbColumn;

typedef enum DbTest { DB_EQUAL, DB_UNEQUAL, DB_LESS, DB_AT_MOST, DB_MORE, DB_AT_LEAST } DbTest;
typedef struct DbWhere {
    char *name, *value;
    char **words; /**< The value, cut at each ','. */
    DbTest test;
    double number;
    bool is_number;
    GPtrArray *patterns; /**< GPatternSpec: what it may be equal to. */
    int column;
    struct DbWhere *next;
} DbWhere;

typedef struct DbQuery {
    WwDb *db;
    GPtrArray *columns; /**< DbColumn: those asked for, and what they and the conditions need. */
    GArray *shown;      /**< int: of these. */
    char **axes;
    GHashTable *by_name; /**< Of columns: their number, from 1. */
    guint counts;        /**< How many columns are statistics. */
    GArray *numbers[2];  /**< uint64_t: the row's lists, where many columns ask for them... */
    bool read[2];        /**< ... and they have been read. */
    DbWhere *where;
    sqlite3_stmt *rows, *exact, *place, *machine;
    GStringChunk *texts;
    GHashTable *machines; /**< Row -> its values, GHashTable. */
} DbQuery;

void db_value_text(WwDbValue *v, GStringChunk *texts, const char *text);

/** "NAME=VALUE"; NULL with an error. */
DbWhere *db_where_new(const char *text, GError **error);
void db_where_free(DbWhere *where);
/** Do all conditions hold for this row of all columns? */
bool db_where_holds(const DbQuery *q, const WwDbValue *row);
/** The same of a run without results, as far as it is known: no condition fails but by an axis, or what is there. */
bool db_where_may_hold(const DbQuery *q, const WwDbValue *row);

/** Has any machine a value of this name? */
bool db_values_know(DbQuery *q, const char *name, bool *known, GError **error);
/** The value of a machine. */
bool db_values_get(DbQuery *q, int64_t machine, const char *name, WwDbValue *v, GError **error);
void db_values_free(DbQuery *q);
