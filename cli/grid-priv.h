/* SPDX-License-Identifier: Apache-2.0 */
/* How a grid is built (grid.c), and its cells are filled (grid_fill.c). */
#pragma once

#include "grid.h"

enum { MEAN_NONE, MEAN_ROWS, MEAN_COLUMNS, MEAN_BOTH }; /* as cli_grid_means */

/* The table of runs has: the axes and what else tells runs apart, then rows, columns, measures. */
typedef struct Build {
    const CliGridOptions *o;
    WwDb *db;
    GPtrArray *names; /* columns asked for */
    guint n_apart;    /* of them: what tells runs apart */
    guint row, column, measure, n_measures, status, partial;
    WwDbTable *table;
    double *values; /* a run each, for each measure */
    char **over;
    int base; /* the column of the baseline's axis; -1: none */
    CliAverage average;
    int mean;
    CliGrid *grid;
} Build;

/* What an average is called, by CliAverage. */
extern const char *const grid_average_names[];

/* Is the average taken over what @p name has? */
bool grid_is_over(const Build *b, const char *name);
/* Runs go into cells; each becomes one figure. Two runs in one cell over which no average is taken are an error. */
bool grid_fill(Build *b, GError **error);
/* Columns get one more label, rows one more line, as is asked for; what they are not over is noted. */
void grid_means(const Build *b);
