/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of `warpwright compare` share. */
#pragma once

#include "cli-priv.h"

#include <jansson.h>

#define COMPARE_MOST_FILES 8u /* side by side; more are a line each */
#define COMPARE_MOST_ROWS 40u
#define COMPARE_LINE 100 /* characters, at most */

/** A name and one number a file. */
typedef struct CompareRow {
    char *name;
    double v[COMPARE_MOST_FILES];
    uint64_t whole[COMPARE_MOST_FILES]; /**< The same where it is whole: all its bits. */
    bool has[COMPARE_MOST_FILES];
    bool shown; /**< It has been printed. */
} CompareRow;

/** Rows by name, in the order in which they came. */
typedef struct CompareRows {
    GPtrArray *rows; /**< CompareRow. */
    GHashTable *by_name;
} CompareRows;

typedef struct Compare {
    json_t *run[COMPARE_MOST_FILES];
    const char *file[COMPARE_MOST_FILES];
    uint32_t n;
    CompareRows counters;
    bool exact_same;
    gboolean exact, all;
} Compare;

/** Prints that @p n more differ than were shown, behind @p indent. */
void compare_print_more(const char *indent, uint32_t n);

void compare_rows_init(CompareRows *rows);
void compare_rows_clear(CompareRows *rows);
/** Numbers of @p value, which is run @p i's, become rows: entries of vectors by number or label, behind a point. */
void compare_rows_add(CompareRows *rows, uint32_t i, const char *name, const json_t *value);
/** Prints those that differ below @p title, and how many of @p what are the same. */
void compare_rows_print(Compare *c, const CompareRows *rows, const char *title, const char *what);

/** Values of the machine, and files, that differ (compare_inputs.c). */
void compare_settings(const Compare *c);
void compare_inputs(const Compare *c);
/** What --stats, --intervals and --pcs added to the files (compare_more.c). */
void compare_more(Compare *c);

static inline json_t *compare_total(const Compare *c, uint32_t i)
{
    return json_object_get(c->run[i], "total");
}
/** Are the cycles of each run within this part of the first one's? Prints those that are not (compare_judge.c). */
bool compare_within(const Compare *c, double most);
/** Are all runs partial, or none? Prints which differ from the first. */
bool compare_ends(const Compare *c);

/** What is asked of many runs. */
typedef struct CompareMany {
    char **measures, *baseline, *max_change;
    gboolean exact, all;
    struct CliRuns *runs;
    double most; /**< The largest change that is none; NAN: any. */
} CompareMany;
/** A line a run, from databases and files (compare_many.c). *same: nothing differs that must not. */
bool compare_many(const CompareMany *how, char *const *files, int n, bool *same, GError **error);
/** "1%", "0.5 %": as a part of 1. */
bool compare_percent(const char *text, double *out, GError **error);
