/* SPDX-License-Identifier: Apache-2.0 */
/** @file Pictures of a run as options: of which part, in which format. */
#pragma once

#include <view/view.h>
#include <warpwright/output.h>

/** Zero-initialise; cli_view_clear() at the end. */
typedef struct CliViewOptions {
    /* options */
    char *as, *sm, *warp, *from, *to, *every;
    char **paths;
    /* what they say */
    int format; /**< -1: by the name of the file, */
    bool named; /**< which alone says it: there is no --as. */
    WwViewSpec spec;
} CliViewOptions;

/** Option rows that fill @p options; valid until the next call. */
const GOptionEntry *cli_view_options(CliViewOptions *options);
/** Do they mean anything? */
bool cli_view_check(CliViewOptions *options, GError **error);
/** After cli_view_check(): is what they select in @p machine? NULL: nobody knows. */
bool cli_view_check_machine(const CliViewOptions *options, WwMachine *machine, GError **error);
/** The format of @p file: as told, or by its ending; -1 with @p error. */
int cli_view_format(const CliViewOptions *options, const char *file, GError **error);
/** Opens @p file and what draws into it; @p machine may be NULL. @p log: whose events these are; NULL: of a run, as they happen. */
bool cli_view_open(const CliViewOptions *options, const char *file, const WwMachine *machine,
                   const char *log, WwOutput **out, WwView **view, GError **error);
/* ---- while the model runs ------------------------------------------------------------------------------------------ */

/** The pictures of a run. Zero-initialise. */
typedef struct CliViews {
    GPtrArray *each; /**< struct CliDrawn *; NULL: none. */
    FILE *stream;    /**< Events go there. */
    FILE *log;       /**< And from there to this; NULL: to no log. */
    GString *begun;  /**< A line that is not complete. */
    uint64_t line;
    GError *failed;
} CliViews;

/** Are these names (NULL-terminated; NULL: none) of files whose format is known? */
bool cli_views_check(char *const *files, GError **error);
/** Opens the pictures @p files of the events of @p machine, which go to @p log, too, unless it is NULL. cli_views_stream() takes them. */
bool cli_views_start(CliViews *views, char *const *files, const WwMachine *machine, FILE *log,
                     GError **error);
/** All that was written to the stream has reached the log: before that is closed. */
void cli_views_flush(CliViews *views);
/** Completes the pictures, or leaves none of them; frees all. False when one could not be drawn or written. */
bool cli_views_end(CliViews *views, bool keep, GError **error);

/** Says on stderr what is missing in the picture @p file. */
void cli_view_tell(const WwView *view, const char *file);
void cli_view_clear(CliViewOptions *options);
