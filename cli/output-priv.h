/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files share that write results for programs. */
#pragma once

#include "cli-priv.h"

#include <jansson.h>
#include <results/intervals.h>
#include <results/results.h>

/** As RFC 4180 says: quotes around what has a comma, a quote or a line break, quotes doubled. */
void cli_csv_text(const char *text, FILE *out);

/** {PATH: {"type": TYPE, STATISTIC: value, ...}}; @p maxima: these, too. */
json_t *cli_picks_json(const WwPicks *picks, const uint64_t *values, bool maxima);
/** A column for each value, each with a comma before it. */
void cli_picks_csv_head(const WwPicks *picks, bool maxima, FILE *out);
void cli_picks_csv_row(const WwPicks *picks, const uint64_t *values, bool maxima, FILE *out);

/** {"every": N, "statistics": [NAME, ...], "rows": [[cycle, value, ...], ...]}, a line a row; as a member of the results' own object. */
void cli_intervals_json(const WwIntervals *intervals, FILE *out);
/** The same: a row an interval. */
void cli_intervals_csv(const WwIntervals *intervals, FILE *out);
