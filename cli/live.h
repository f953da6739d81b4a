/* SPDX-License-Identifier: Apache-2.0 */
/** @file `run --monitor`: a page and a JSON API (docs/monitor.md) that look at a run and hold it, between two steps of it. */
#pragma once

#include <monitor/monitor.h>
#include <results/results.h>

typedef struct CliLive CliLive;

/** Zero-initialise; cli_live_options_clear() at the end. */
typedef struct CliLiveOptions {
    char *listen, *token_file, *wait_text;
    /* what they say */
    char *token;
    bool wait_start, wait_end;
} CliLiveOptions;

/** Option rows that fill @p options; valid until the next call. */
const GOptionEntry *cli_live_options(CliLiveOptions *options);
/** Words of @p argv that may stand without a value get theirs: GLib would take the next word. */
void cli_live_words(int argc, char **argv);
/** Do they go together? Reads the token. */
bool cli_live_check(CliLiveOptions *options, GError **error);
void cli_live_options_clear(CliLiveOptions *options);

typedef struct CliLiveSpec {
    WwMonitor *monitor;
    WwResults *results; /**< Of the machine. */
    void (*look)(void *user, WwProgress *out);
    void *user;
} CliLiveSpec;

/** Listens, and says on stderr where. */
CliLive *cli_live_new(const CliLiveOptions *options, const CliLiveSpec *spec, GError **error);
void cli_live_free(CliLive *live);

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/**
 * Some 20 ms of ww_run(), or less: up to domain 0's cycle @p limit (WW_NEVER: none), until a kernel ends, or to where somebody wants it to pause.
 */
WwRunStatus cli_live_run(CliLive *live, WwCycle limit);
/** What ended in that step has been collected: does somebody want to pause at the end of a kernel? */
void cli_live_collected(CliLive *live);
/** Breakpoints are (not) looked for: a checkpoint is made of a machine without. */
void cli_live_watch(CliLive *live, bool on);
/** Of WwMonitorSpec; @p live may be NULL. */
bool cli_live_serving(CliLive *live);
bool cli_live_waiting(const CliLive *live);
/** Microseconds for which the run was paused up to now; 0 where nobody looks (@p live NULL). */
gint64 cli_live_paused_for(const CliLive *live);
/** The run is over: "done", "hang", ... and why, if there is more to say (NULL: not). */
void cli_live_over(CliLive *live, const char *state, const char *why);
/** Goes on serving for those who asked for that. */
void cli_live_hold(CliLive *live);
