/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The runs of one experiment, each at its place: a trace (or what else means are over) and a combination, which is one value of each axis that varies.
 * Places are numbers, so that 100,000 runs take seconds.
 */
#pragma once

#include "db_source.h"

#include <report/experiment.h>

typedef struct ExperimentOptions {
    CliRuns runs;
    char **baselines, *over;
    gboolean full_names;
} ExperimentOptions;

/** Values of one name. */
typedef struct ExperimentNames {
    GPtrArray *full, *shorter; /**< char * */
    GHashTable *places;
} ExperimentNames;

typedef struct ExperimentAxis {
    const char *name;
    guint column;
    ExperimentNames values;
    uint32_t base;
} ExperimentAxis;

typedef struct ExperimentRun {
    uint32_t trace, combination;
    WwReportState state;
    bool partial;
    double cycles, speed_up;
} ExperimentRun;

typedef struct Experiment {
    const ExperimentOptions *o;
    WwDb *db;
    const char *over;
    char *name, *source;
    GPtrArray *columns; /**< Names of the table's, char *; NULL-terminated. */
    guint n_apart, trace, state, error, number, partial, cycles, launch, ipc, key;
    WwDbTable *table;
    GArray *axes; /**< ExperimentAxis: those that vary. */
    ExperimentNames traces;
    uint32_t *values; /**< Of each combination the number of its value of each axis. */
    uint32_t n_combinations, base;
    ExperimentRun *runs; /**< As rows of the table. */
    GHashTable *cells;   /**< By trace and combination: number of a run + 1. */
    bool *counted;       /**< Traces that means of combinations are over. */
    uint32_t n_counted, without_base;
    bool own;
    GStringChunk *texts;
} Experiment;

/** Reads the runs and puts them into their places. */
bool experiment_read(Experiment *x, GError **error);
void experiment_clear(Experiment *x);
/** The run there, or -1. */
int64_t experiment_at(const Experiment *x, uint32_t trace, uint32_t combination);
static inline uint32_t experiment_value(const Experiment *x, uint32_t combination, guint axis)
{
    return x->values[(gsize)combination * x->axes->len + axis];
}
/** "lrr 16", or (@p full) "scheduler=lrr ways=16", without axis @p without (-1: with all); stays as long as @p x. */
const char *experiment_name(const Experiment *x, uint32_t combination, int without, bool full);

/* ---- means (experiment_means.c) --------------------------------------------------------------------------------- */

/** What is the same of every combination: figures, and where time goes. */
typedef struct ExperimentFigures {
    WwReportFigure figures[8];
    uint32_t n_figures;
    GPtrArray *labels; /**< const char *, of shares of the time. */
    double *shares;    /**< By combination and label; NAN: none. */
    double *values;    /**< By combination and figure. */
} ExperimentFigures;

/** The mean of each combination, over traces that count. */
WwReportMean *experiment_combinations(const Experiment *x);
/** The mean of each value of an axis, over pairs of runs that differ in nothing else. */
WwReportMean *experiment_values(const Experiment *x, guint axis);
bool experiment_figures(const Experiment *x, ExperimentFigures *f, GError **error);
void experiment_figures_clear(ExperimentFigures *f);

/** The page of the experiment; @p x has been read. */
bool experiment_page(const Experiment *x, FILE *out, GError **error);
