/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a run prints and writes. */
#pragma once

#include "record.h"

#include <results/intervals.h>
#include <results/results.h>

#include <platforms/platform.h>

/* ---- for people (report_summary.c) ------------------------------------------------------------------------------ */

/** @p modules: const WwModule *, those that the user loaded; NULL: none. */
void cli_report_summary(const WwResults *results, const GPtrArray *modules, FILE *out);
/** Of the summary: every statistic of the types of these modules that the machine has, a section for each module. */
void cli_report_modules(const WwResults *results, const GPtrArray *modules, FILE *out);
/** For a platform without a trace (report_statistics.c): every statistic, as of now. */
void cli_report_statistics(const WwResults *results, FILE *out);
/** How fast the host was: one line. */
void cli_report_host(const WwResults *results, FILE *out);

/* ---- for programs (output.c, json.c) ------------------------------------------------------------------------------ */

/** Is @p path something that can be written, with a suffix that is known? Asked before the run. */
bool cli_output_check(const char *path, GError **error);
/** Can a new file @p path be made where it is to be? @p what, "the checkpoint ", stands before it in the message. */
bool cli_output_place(const char *what, const char *path, GError **error);
/** Every file that comes of outputs @p paths (NULL-terminated; NULL: none): with @p intervals, X.intervals.csv beside X.csv, at the end. */
char **cli_output_files(char *const *paths, bool intervals);
/** What is written of a run. */
typedef struct CliOutput {
    const WwResults *results;
    const CliRecord *record; /**< What it was made from. */
    const WwElaboration *elaboration;
    const WwIntervals *intervals; /**< Or NULL. */
    const GPtrArray *notes;       /**< char *: what is noted of the machine; or NULL. */
    const GPtrArray *modules;     /**< const WwModule *, those that the user loaded; or NULL. */
    bool host;                    /**< Host figures, too. */
} CliOutput;

/** Writes each of @p paths (NULL-terminated; NULL: none), .json or .csv: all of them, or none. */
bool cli_output_write(const CliOutput *run, char *const *paths, GError **error);
