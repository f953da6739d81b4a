/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a run prints and writes. */
#pragma once

#include "results.h"

#include <platforms/platform.h>

/* ---- for people (report_summary.c) ------------------------------------------------------------------------------ */

void cli_report_summary(const CliResults *results, FILE *out);
/** For a platform without a trace (report_statistics.c): every statistic, as of now. */
void cli_report_statistics(const CliResults *results, FILE *out);
/** How fast the host was: one line. */
void cli_report_host(const CliResults *results, FILE *out);

/* ---- the reference's `name = value` lines (report_accelsim.c) ----------------------------------------------------- */

/** Has the machine what its settings of this report speak of? */
bool cli_report_accelsim_check(const WwMachine *machine, GError **error);
/** Everything as printed at the end of a kernel; `total` must be as of then. @p host: host speed, too. */
void cli_report_accelsim(const CliResults *results, const CliKernel *kernel, bool host, FILE *out);
/** The last lines of a run that came to its end, or to a limit of its machine. */
void cli_report_accelsim_end(const CliResults *results, FILE *out);

/* ---- for programs (output.c, json.c) ------------------------------------------------------------------------------ */

/** Is @p path something that can be written, with a suffix that is known? Asked before the run. */
bool cli_output_check(const char *path, GError **error);
/** Writes each of @p paths (NULL-terminated; NULL: none), .json or .csv: all of them, or none. @p host: host figures, too. */
bool cli_output_write(const CliResults *results, const WwElaboration *elaboration, bool host,
                      char *const *paths, GError **error);
