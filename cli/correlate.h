/* SPDX-License-Identifier: Apache-2.0 */
/** @file Simulated kernels beside measured ones: which belong together, and how well they fit. */
#pragma once

#include "hardware.h"
#include "plot.h"

typedef struct CorrelateOptions {
    CliRuns runs;
    char **hardware; /**< "[TRACE=]FILE" */
    char **outputs;  /**< Which no file of figures may be; NULL: none. */
    char *measure, *columns;
    const char *column;       /**< NULL: one that is known. */
    const char *column_shown; /**< The same with its scale, as the user wrote it. */
    double scale;             /**< Measured figures times this. */
    gboolean traces;
} CorrelateOptions;

typedef struct CorrelatePair {
    guint series;
    uint32_t number; /**< Of the kernel in its trace; 0: all of them. */
    char *trace, *kernel;
    double ours, theirs; /**< Simulated, measured. */
} CorrelatePair;

typedef struct Correlation {
    const char *measure, *columns; /**< The options'; columns NULL: all runs are one series. */
    char *column;      /**< What was measured: "gpc__cycles_elapsed.max", "Duration (ns)*1.4". */
    GPtrArray *series; /**< char * */
    GArray *pairs;     /**< CorrelatePair */
    bool traces;       /**< They are of traces. */
} Correlation;

/** NULL with an error; notes on stderr say what was left out. */
Correlation *correlation_new(const CorrelateOptions *options, char *const *files, int n,
                             GError **error);
void correlation_free(Correlation *c);
/** Kernel by kernel, then how well each series fits. */
void correlation_print(const Correlation *c, FILE *out);
