/* SPDX-License-Identifier: Apache-2.0 */
/** @file Runs of a database as CSV and JSON. */
#pragma once

#include "db_source.h"

typedef struct CliExport {
    gboolean kernels;
    char **stats;
} CliExport;

/** Writes the runs of database @p file to each of @p outputs, all of them or none. */
bool cli_export(const char *file, const CliRuns *runs, const CliExport *how, char *const *outputs,
                GError **error);
