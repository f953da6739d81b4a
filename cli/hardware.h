/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a GPU measured, kernel by kernel: CSV of NVIDIA's profilers, or any with a column of kernels.
 *
 * Read are: a metric a line (`ncu --csv`), a column a metric (`ncu --csv --page raw`, `nvprof --csv`), and tables that people write: a column
 * `kernel`, a column of numbers, and `trace` where the table is of several. What profilers print around it is skipped.
 */
#pragma once

#include "cli-priv.h"

/** Which column is meant where nobody names one: the first of these of which the file has a value; NULL-terminated. */
extern const char *const cli_measured_columns[];

typedef struct CliMeasuredKernel {
    char *name;    /**< As the file has it. */
    char *trace;   /**< What its column `trace` says; NULL: there is none. */
    double value;  /**< 0, or from 1e-30 to 1e30. */
    uint32_t line; /**< Where. */
} CliMeasuredKernel;

typedef struct CliMeasured {
    char *path, *column; /**< The column that was read. */
    GArray *kernels;     /**< CliMeasuredKernel, in the order of the file: that of the launches. */
} CliMeasured;

/** Reads @p column (NULL: see above) of the file @p path. NULL with an error that names file and line. */
CliMeasured *cli_measured_read(const char *path, const char *column, GError **error);
void cli_measured_free(CliMeasured *measured);

/**
 * May @p ours, a trace's name of a kernel, and @p theirs, a profiler's, be one kernel? Compared is the function's own name: without what encloses it,
 * template arguments and parameters, mangled or not. A mangled name that cannot be read to its end has the other's in it; what is no name (a
 * lambda's) may be any.
 */
bool cli_measured_same(const char *ours, const char *theirs);
