/* SPDX-License-Identifier: Apache-2.0 */
/** @file Results of runs, read from files: for `compare`, `report` and `inspect --with`. */
#pragma once

#include <jansson.h>
#include <platforms/platform.h>

#define CLI_RESULTS_SCHEMA "warpwright-results-1"

/**
 * The results in @p file: an object of our schema that has a list `kernels`, and `total` with `counters`, and passes ww_report_check().
 * NULL with an error that names the file, and the line where it is no JSON.
 */
json_t *cli_result_read(const char *file, GError **error);

/** Every value of a machine, as `resolved` of its results has it. Paths by which nothing of the platform goes are added to list @p unused, if it is not NULL. */
json_t *cli_resolved_json(const WwElaboration *elaboration, json_t *unused);
