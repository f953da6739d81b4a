/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files share that write results for programs. */
#pragma once

#include "cli-priv.h"

#include <jansson.h>
#include <results/intervals.h>
#include <results/results.h>

/** As RFC 4180 says: quotes around what has a comma, a quote or a line break, quotes doubled. */
void cli_csv_text(const char *text, FILE *out);
/** The same of cli_visible(): for what may be printed. */
void cli_csv_visible(const char *text, FILE *out);

/** Writes @p what as the ending @p kind, an index, says. */
typedef bool (*CliWriteFn)(const void *what, int kind, FILE *out, GError **error);
/** Writes the files @p paths, each as its ending, one of @p endings, says: all of them, or none (output_files.c). */
bool cli_write_files(char *const *paths, const char *const *endings, CliWriteFn write,
                     const void *what, GError **error);

/** {PATH: {"type": TYPE, STATISTIC: value, ...}}; @p maxima: these, too. */
json_t *cli_picks_json(const WwPicks *picks, const uint64_t *values, bool maxima);
/** A column for each value, each with a comma before it. */
void cli_picks_csv_head(const WwPicks *picks, bool maxima, FILE *out);
void cli_picks_csv_row(const WwPicks *picks, const uint64_t *values, bool maxima, FILE *out);

/** {"every": N, "statistics": [NAME, ...], "rows": [[cycle, value, ...], ...]}, a line a row; as a member of the results' own object. */
void cli_intervals_json(const WwIntervals *intervals, FILE *out);
/** The same: a row an interval. */
void cli_intervals_csv(const WwIntervals *intervals, FILE *out);
