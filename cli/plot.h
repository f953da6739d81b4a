/* SPDX-License-Identifier: Apache-2.0 */
/** @file Pictures of figures of many runs. */
#pragma once

#include "grid.h"

typedef enum CliPlotKind { CLI_BARS, CLI_LINES, CLI_SCATTER } CliPlotKind;

/** Points of one colour. */
typedef struct CliSeries {
    const char *name;
    GArray *points; /**< CliPoint. */
} CliSeries;
typedef struct CliPoint {
    double x, y;
} CliPoint;

/** What is drawn. Bars: the grid; else series, with what their axes are called. */
typedef struct CliPlot {
    CliPlotKind kind;
    const CliGrid *grid;
    GPtrArray *series;        /**< CliSeries. */
    const char *const *ticks; /**< Names of x = 0, 1, ...; NULL: x is a number. */
    const char *x, *y, *title;
    const char *mean; /**< Of what y is one: "geometric mean over trace"; NULL: none. */
    const char *key;  /**< What the colours' names are values of; "" or NULL: not said. */
    bool log_x, log_y, line_at_1;
    bool diagonal;        /**< Points: both axes go as far, and a line is where y is x. */
    bool beside;          /**< The baseline was another: one series alone has its name told, too. */
    double width, height; /**< In centimetres. */
    double low, high;     /**< Of y; NAN: as the values are. */
} CliPlot;

typedef enum CliPlotForm { CLI_SVG, CLI_PDF, CLI_SCRIPT, CLI_DUMB } CliPlotForm;

/** Writes the script that gnuplot draws it with; @p columns and @p lines are those of the terminal (CLI_DUMB). */
void cli_plot_script(const CliPlot *plot, CliPlotForm form, uint32_t columns, uint32_t lines,
                     FILE *out);
/** Draws it: has gnuplot do so, and writes the picture to @p out. */
bool cli_plot_draw(const CliPlot *plot, CliPlotForm form, FILE *out, GError **error);
/** Bars as text, as wide as the terminal. */
void cli_plot_bars(const CliGrid *grid, const char *title, FILE *out);
