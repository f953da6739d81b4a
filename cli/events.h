/* SPDX-License-Identifier: Apache-2.0 */
/** @file The event log as an option: which events, and where they go. */
#pragma once

#include <stdio.h>
#include <warpwright/machine.h>

typedef struct CliEvents {
    FILE *out;
    char *temporary; /**< Where events go until the run has ended well; NULL: to the file itself. */
    char *path;      /**< Glob, from `path=` or `sm=`. */
    GString *kinds;
    WwEventFilter filter;
} CliEvents;

/**
 * Switches the event log on: @p file, filtered by @p filter ("sm=3,warp=7,kind=issue,fetch,from=100,to=200"; NULL: all). Before the
 * first ww_run().
 */
bool cli_events_start(CliEvents *events, WwMachine *machine, const char *file, const char *filter,
                      GError **error);
/** Closes the file, and gives it its name if it is to be kept; false if something could not be written. */
bool cli_events_end(CliEvents *events, const char *file, bool keep, GError **error);
