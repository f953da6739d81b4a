/* SPDX-License-Identifier: Apache-2.0 */
/** @file Runs to look at: a database, or files of results, for the commands that ask. */
#pragma once

#include "cli-priv.h"

#include <db/query.h>

/** Where runs come from and which of them; options of commands that ask. cli_source_clear() at the end. */
typedef struct CliRuns { /* also known to compare.h */
    char **where;
    char *experiment;
} CliRuns;

/** Rows of options that fill @p runs; valid until the next call. */
const GOptionEntry *cli_runs_options(CliRuns *runs);
void cli_runs_clear(CliRuns *runs);

/**
 * The runs of these files: of one database, which is opened for reading; of several, or of files of results, a database that goes with the
 * process. NULL with an error.
 */
WwDb *cli_runs_open(char *const *files, int n, GError **error);

/** "2 runs are partial: ...", or kernels; newly allocated. */
char *cli_runs_partial(uint32_t n, bool kernels);
/** What a value @p wanted that no run has may have meant, of the names in @p values (a set): ", did you mean 'lrr'?; expected gto or lrr"; newly allocated. */
char *cli_runs_instead(GHashTable *values, const char *wanted);
/** A value as it is shown: whole numbers without a fraction, "-" where there is none; newly allocated. */
char *cli_runs_text(const WwDbValue *v);
/** The place of the column @p name among those that a query asks for (char *, owned), to which it is added if it is none. */
guint cli_runs_column(GPtrArray *columns, const char *name);
/**
 * The axes that tell these runs apart, for a NULL-terminated list of names: all but `module`, where runs that have any have the same. A module alone
 * changes nothing: which of its types are used, other axes say. With a @p baseline (NULL: none) that is of `module` it is one. NULL with an error.
 */
char **cli_runs_axes(WwDb *db, const CliRuns *runs, const char *baseline, GError **error);
/** The error of a question to which no run with results was the answer: the first --where that leaves none, and what there is. @p unfinished: runs without results fit. */
bool cli_runs_fail_none(WwDb *db, const CliRuns *runs, bool kernels, uint32_t unfinished,
                        GError **error);
/** Notes on what is shown: @p partial of it are; and on what is not. */
void cli_runs_note(const WwDbTable *table, uint32_t partial, bool kernels);

/** Finds what stdout or a file of a known ending shall be: the ending of @p path is one of @p endings. @p what names the option's files. */
int cli_ending(const char *path, const char *const *endings, GError **error);
