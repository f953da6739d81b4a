/* SPDX-License-Identifier: Apache-2.0 */
/** @file Many runs that are compared: which with which (compare_pairs.c), what of it is shown (compare_many.c), and what must be the same (compare_exact.c). */
#pragma once

#include "compare.h"
#include "db_source.h"

/** A run, and what it is compared with. */
typedef struct ComparePair {
    uint32_t table, row, base_table, base_row;
} ComparePair;
typedef struct CompareRuns {
    const CompareMany *how;
    GPtrArray *dbs;     /**< WwDb. */
    GPtrArray *tables;  /**< WwDbTable, what tells runs apart. */
    GPtrArray *missing; /**< GHashTable, a set: keys of runs without results. */
    GPtrArray *names;   /**< Its columns, and NULL. */
    GPtrArray *vary;    /**< Of each table which columns vary, bool *. */
    GArray *pairs;
    GArray *lines;
    GHashTable *neither; /**< What has no results on either side. */
    uint64_t alone, runs, same, one_side;
    char *one_side_name, *partial_name; /**< The first of them; NULL: none. */
    uint32_t partial, partial_alone, beyond;
    double log_sum;
    uint64_t n_log;
    GString *why; /**< Why it is not as it must be; "": it is. */
} CompareRuns;

/** Pairs of the runs of @p m's databases, which are open; what has no partner, and which runs are partial, is counted. */
bool compare_runs_pair(CompareRuns *m, GError **error);
/** These columns (NULL-terminated) of the runs with results of database @p db, or of the kernels of all runs. NULL with an error. */
WwDbTable *compare_runs_ask(const CompareRuns *m, WwDb *db, const char *const *columns,
                            bool kernels, GError **error);
/** The same of all databases, in their order: WwDbTable, freed with the array. NULL with an error, which a database without a name is. */
GPtrArray *compare_runs_columns(const CompareRuns *m, const char *const *columns, bool kernels,
                                GError **error);
/** One more reason for status 1. */
void compare_runs_why(CompareRuns *m, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** --exact: looks at all that databases have of the pairs and their kernels, and prints what differs (compare_exact.c). False with an error. */
bool compare_runs_exactly(CompareRuns *m, GError **error);
/** The pair for people: the values of the axes that vary. */
char *compare_runs_name(const CompareRuns *m, const ComparePair *pair);
/** Tells of runs that say less than others, or nothing. */
void compare_runs_tell(const CompareRuns *m);
