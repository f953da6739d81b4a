/* SPDX-License-Identifier: Apache-2.0 */
/** @file The event log as an option: which events, and where they go. */
#pragma once

#include <events/log.h>
#include <warpwright/machine.h>

typedef struct CliEvents {
    WwLogFile *out;
    char *path; /**< Glob, from `path=` or `sm=`. */
    char *sm;   /**< "sm=3", from `sm=`. */
    GString *kinds, *fields;
    const char *file, *text; /**< As they were given. */
    uint32_t given;          /**< Keys, a bit each. */
    WwEventFilter filter;
} CliEvents;

/**
 * Switches the event log on: into @p file, filtered by @p filter ("sm=3,warp=7,kind=issue,fetch,from=100,to=200"; NULL: all; @p file NULL: only the filter is made). Before the
 * first ww_run(). @p resumable: a run that goes on from a checkpoint goes on with the file; cli_events_from() comes before the first ww_run().
 */
bool cli_events_start(CliEvents *events, WwMachine *machine, const char *file, const char *filter,
                      bool resumable, GError **error);
/** Words that a filter may have, NULL-terminated: its keys, and the kinds of events that the types of @p registry declare, newly allocated. */
const char *const *cli_events_keys(void);
char **cli_events_kinds(const WwRegistry *registry);
/** Is @p kind one of the events that the machine's components write? If not, the error begins with @p what. */
bool cli_events_kind(const WwMachine *machine, const char *what, const char *kind, GError **error);
/** Glob over the paths inside SM number @p n, newly allocated; NULL: there is none, and the error begins with @p what, the option's name. */
char *cli_events_sm(WwMachine *machine, const char *what, uint64_t n, GError **error);
/** Is @p glob like the path of any component, or (@p sums) of the sums over a type in events `interval`? */
bool cli_events_path(WwMachine *machine, const char *what, const char *glob, bool sums,
                     GError **error);
/** How far the log is, for a checkpoint. Nothing if there is none. */
bool cli_events_sum(CliEvents *events, uint64_t *bytes, uint64_t *sum, GError **error);
/** Goes on from there; 0 bytes: begins. */
bool cli_events_from(CliEvents *events, uint64_t bytes, uint64_t sum, GError **error);
/** Closes the file, and gives it its name if it is to be kept; false if something could not be written. */
bool cli_events_end(CliEvents *events, bool keep, GError **error);
