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
         "One row (group of bars, place on the x axis) per value of this: an axis, or a text or "
         "figure of runs",
         "NAME"},
        {"columns", 0, 0, G_OPTION_ARG_FILENAME, &o->columns,
         "One column (bar of each group, line) per value of this", "NAME"},
        {"measure", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->measures,
         "The figure: cycles (default), ipc, seconds, a statistic (* sums), A/B; repeatable: one "
         "column each",
         "NAME"},
        {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &o->baseline,
         "Show figures relative to the run that has this value and is otherwise the same; for "
         "cycles and seconds the speed-up",
         "[NAME=]VALUE"},
        {"over", 0, 0, G_OPTION_ARG_FILENAME, &o->over,
         "Make each cell the mean over the values of these", "NAME,NAME..."},
        {"mean", 0, 0, G_OPTION_ARG_FILENAME, &o->mean,
         "Add a row of means over the rows, a column, or both (default: rows if there is a "
         "baseline)",
         cli_choices(cli_grid_means)},
        {"average", 0, 0, G_OPTION_ARG_FILENAME, &o->average, "Kind of mean (default geometric)",
         cli_choices(cli_grid_averages)},
        {"kernels", 0, 0, G_OPTION_ARG_NONE, &o->kernels,
         "Show kernels instead of runs (--rows kernel)", NULL},
        {"full-names", 0, 0, G_OPTION_ARG_NONE, &o->full_names,
         "Do not shorten names that begin or end alike", NULL},
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
