/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The reference's report: the `name = value` lines that scrapers of Accel-Sim's output look for, printed from a run's results.
 */
#pragma once

#include <results/results.h>
#include <stdio.h>

/** A report of one run: some lines are averages over the kernels reported so far. */
typedef struct WwAccelsim WwAccelsim;

/** Has the machine what its settings of this report speak of? Asked before the run. */
WW_API bool ww_accelsim_check(const WwMachine *machine, GError **error);
/** What a line of the report is called in results. */
typedef struct WwAccelsimLine {
    const char *text; /**< What stands before the figure, or the line with N for each number. */
    const char *
        from; /**< The figure from members and counters of JSON results, "A + B", "A / B", of a first kernel; "": not as a formula. */
    const char *what; /**< What else there is to say; or "". */
} WwAccelsimLine;

/** The @p i-th line that the report may have, in its order; false behind the last. The strings stay. */
WW_API bool ww_accelsim_line(uint32_t i, WwAccelsimLine *out);

/** A report of @p results, in the same memory. */
WW_API WwAccelsim *ww_accelsim_new(WwResults *results);
/** Everything as printed at the end of @p kernel; the results' `total` must be as of then. @p host: host speed, too. */
WW_API void ww_accelsim_kernel(WwAccelsim *report, const WwResultKernel *kernel, bool host,
                               FILE *out);
/** The last lines of a run that came to its end, or to a limit of its machine. */
WW_API void ww_accelsim_end(const WwAccelsim *report, FILE *out);
