/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a grid. */
#include "grid.h"

#include <string.h>

const GOptionEntry *cli_grid_options(CliGridOptions *o)
{
    static GOptionEntry rows[11];
    const GOptionEntry own[] = {
        CLI_HEADING("What is shown"),
        {"rows", 0, 0, G_OPTION_ARG_FILENAME, &o->rows,
         "What has a row (or a group of bars, or a place on the x axis) each: an axis, or a text "
         "or figure of runs",
         "NAME"},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &o->columns,
         "What has a column (a bar of each group, a line) each", "NAME"},
        {"measure", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->measures,
         "The figure: cycles (default), ipc, seconds, a statistic (* sums), A/B; several are "
         "columns",
         "NAME"},
        {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &o->baseline,
         "Relative to the run that has this value and is else the same; for cycles and seconds the "
         "speed-up",
         "[NAME=]VALUE"},
        {"over", 0, 0, G_OPTION_ARG_FILENAME, &o->over,
         "A cell is the mean over the values of these", "NAME,NAME..."},
        {"mean", 0, 0, G_OPTION_ARG_FILENAME, &o->mean,
         "Adds a row of means over the rows, a column, or both (default: rows, with a baseline)",
         cli_choices(cli_grid_means)},
        {"average", 0, 0, G_OPTION_ARG_FILENAME, &o->average, "Which mean (default geometric)",
         cli_choices(cli_grid_averages)},
        {"kernels", 0, 0, G_OPTION_ARG_NONE, &o->kernels,
         "Look at kernels instead of runs (--rows kernel)", NULL},
        {"full-names", 0, 0, G_OPTION_ARG_NONE, &o->full_names,
         "Leave nothing out of names that begin or end alike", NULL},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof own);
    memcpy(rows, own, sizeof own);
    return rows;
}

void cli_grid_options_clear(CliGridOptions *o)
{
    cli_runs_clear(&o->runs);
    g_free(o->rows);
    g_free(o->columns);
    g_strfreev(o->measures);
    g_free(o->baseline);
    g_free(o->over);
    g_free(o->mean);
    g_free(o->average);
}
