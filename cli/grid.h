/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Rows, columns and a figure for each pair of them, from a database: what `table` writes and `plot` draws.
 *
 * A cell holds one run, or those that differ only in what the mean goes over. A baseline is the run that differs from a run only in one axis;
 * cells are then ratios to it.
 */
#pragma once

#include "db_source.h"

typedef struct CliGridOptions {
    CliRuns runs;
    char *rows, *columns, **measures, *baseline, *over, *mean, *average;
    gboolean kernels, full_names;
} CliGridOptions;

/** Rows of options that fill @p options; valid until the next call. */
const GOptionEntry *cli_grid_options(CliGridOptions *options);
void cli_grid_options_clear(CliGridOptions *options);
/** What --average and --mean may be; NULL-terminated. */
extern const char *const cli_grid_averages[], *const cli_grid_means[];

typedef enum CliAverage { CLI_GEOMETRIC, CLI_ARITHMETIC, CLI_HARMONIC } CliAverage;
/** NAN where there is none: no values, or values that it is not defined for. */
double cli_average(CliAverage kind, const double *values, guint n);

typedef struct CliGrid {
    char *rows_name,
        *columns_name;         /**< Names of axes; the second "" where measures are the columns. */
    char *what;                /**< What the figures are: "cycles", "speed-up over lrr (cycles)". */
    char *mean;                /**< What a cell is: "geometric mean over trace"; NULL: one run. */
    GPtrArray *rows, *columns; /**< Labels. */
    double *values;            /**< Row by row; NAN: none. */
    bool relative;             /**< Ratios to a baseline. */
    char *baseline;            /**< Which column it is; NULL: none. */
    bool mean_row, mean_column; /**< The last row or column are means. */
} CliGrid;

/** The grid of these files. NULL with an error. */
CliGrid *cli_grid_new(const CliGridOptions *options, char *const *files, int n, GError **error);
/** Removes the column of the baseline, which is 1 everywhere, where there are others. */
bool cli_grid_drop_baseline(CliGrid *grid);
void cli_grid_free(CliGrid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliGrid, cli_grid_free)
static inline double cli_grid_at(const CliGrid *g, guint row, guint column)
{
    return g->values[(gsize)row * g->columns->len + column];
}

/* ---- what means nothing (grid_check.c) -------------------------------------------------------------------------- */

/** Are rows, columns and measures one name each, and each its own? */
bool cli_grid_check(const CliGridOptions *options, WwDb *db, GError **error);
/** Is the figure @p name (NULL: none) behind @p option, where it is a pattern, a sum of statistics of one unit? */
bool cli_grid_check_figure(WwDb *db, const char *option, const char *name, GError **error);

/* ---- the baseline (grid_base.c) --------------------------------------------------------------------------------- */

/** Is the value of a column not the same in all rows? */
bool cli_varies(const WwDbTable *table, guint column);
/**
 * Which of the first @p n columns, called @p names, --baseline @p text is of: "NAME=VALUE", or a value that only one of them has; *@p value is the value. -1
 * with an error.
 */
int cli_baseline(const WwDbTable *table, char *const *names, guint n, const char *text,
                 const char **value, GError **error);
/** What keeps run @p run from a baseline, a run with @p value in column @p base: in which others of the columns the nearest differs, "'a', 'b'"; newly allocated. */
char *cli_besides(const WwDbTable *table, char *const *names, guint n, uint32_t run, guint base,
                  const char *value);

/* ---- names in figures (grid_names.c) ---------------------------------------------------------------------------- */

/** Labels (char *, owned), values of @p name (or NULL), without what all begin and end with, up to a '/' or a '.' before a letter: "a/x/traces", "a/y/traces" become "x" and "y". */
void cli_short_names(GPtrArray *labels, const char *name);
/** The place of the label @p text among @p labels (char *, owned), to which it is added where it is none; @p places finds them. */
guint cli_label_at(GPtrArray *labels, GHashTable *places, const char *text);
/** Numbers in their order; labels that are none stay in that of the runs. */
void cli_labels_sort(GPtrArray *labels, GHashTable *places);
/** Does @p word stand for @p label? ww_db_stands_for(). */
bool cli_names(const char *word, const char *label);
/** What is behind the last '/', else behind the last '.' before a letter, of @p text. */
const char *cli_short_name(const char *text);

/** What the figures are, whole, in one line: "ipc, geometric mean over trace, by gpu.channels". */
char *cli_grid_title(const CliGrid *grid);
/** A number for people: whole with separators, else with so many digits as say something. */
char *cli_figure(double v, bool relative);
