/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Results of many runs in one SQLite file: experiments, their runs, and what was counted in each. docs/database.md says what its
 * tables and views are; here is how a program writes and reads them. Part of the command, not of libwarpwright.
 *
 * A file holds experiments, by name; an experiment holds runs, by key. What is put is on the disk when the call returns, whole or
 * not at all, whatever ends the process (but between ww_db_begin() and ww_db_commit()). Several processes may use one file: one writes
 * at a time, the others wait some seconds for it. One thread uses a WwDb.
 */
#pragma once

#include <warpwright/base.h>

/** Version of the tables (`PRAGMA user_version`); a file of another one is refused. */
#define WW_DB_VERSION 1

/** A database that is open; ww_db_close() closes it. */
typedef struct WwDb WwDb;

/** How a database is opened. */
enum {
    WW_DB_READ = 0,   /**< Nothing is written; the file must be there. */
    WW_DB_WRITE = 1,  /**< The file must be there. */
    WW_DB_CREATE = 3, /**< Written, and made where it is not there. */
};

/**
 * Opens @p path (":memory:": one that goes with the process). NULL with @p error for what is no such database, damaged, of another
 * version, or locked for longer than some seconds.
 */
WwDb *ww_db_open(const char *path, unsigned flags, GError **error);
/** Closes it and frees @p db (may be NULL); what was begun and not committed is gone. */
void ww_db_close(WwDb *db);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwDb, ww_db_close)
/** As it was given to ww_db_open(). */
const char *ww_db_path(const WwDb *db);
/** Reads now what putting results needs of the file, so that a damaged one is told before there are any. */
bool ww_db_prepare(WwDb *db, GError **error);
/** Has an error said of the file that it is damaged? */
bool ww_db_is_damaged(const WwDb *db);
/** How long databases that are opened from now on wait for another process that writes (10,000). */
void ww_db_set_patience(unsigned ms);

/** What follows is one change, up to ww_db_commit(): faster for many runs, and all of them or none. */
bool ww_db_begin(WwDb *db, GError **error);
/** False with @p error: nothing of the change is in the file, or the file is not there any more: it was removed, or another one has its name. */
bool ww_db_commit(WwDb *db, GError **error);
/** Nothing of what was begun, if anything was, is in the file. */
void ww_db_rollback(WwDb *db);

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/** What has become of a run. Where databases are merged, a higher state takes the place of a lower one. */
typedef enum WwDbState {
    WW_DB_RUNNING, /**< Begun, and not known to have ended. */
    WW_DB_FAILED,  /**< Ended without results, or before its end; `error` says why. */
    WW_DB_DONE,    /**< Has its results, all of them or up to a limit. */
} WwDbState;
/** "running", "failed", "done". */
const char *ww_db_state_name(WwDbState state);

/** A name and what it is set to. */
typedef struct WwDbPair {
    const char *name, *value;
} WwDbPair;

/** What is said of a run by who ran it; the rest is in its results. What is not known is NULL or 0. */
typedef struct WwDbRun {
    const char *key; /**< 64 hexadecimal digits: a hash of everything that decides the result. */
    WwDbState state; /**< With results: WW_DB_DONE takes them whatever they say; else those of a run
                          that did not come to its end (hang, stuck, interrupted) are of one that
                          failed. */
    uint64_t number; /**< Its place in the experiment's plan, from 1. */
    const WwDbPair *
        axes; /**< What the experiment varies, and this run's value. NULL: trace, config, options and
                               settings of the results' command. */
    uint32_t n_axes;
    const WwDbPair *
        settings; /**< Settings that differ from the config. NULL: those of the results' command (-s). */
    uint32_t n_settings;
    const char *machine; /**< Hash of the resolved machine. NULL: made of the results. */
    const char *trace;   /**< NULL: as in the results, as the following. */
    const char *version; /**< Of the program. */
    const char *host;    /**< Where it ran. */
    int64_t start;       /**< When it began, in seconds since 1970 (UTC). */
    double seconds, processor_seconds; /**< That it took. */
    uint64_t memory;                   /**< Bytes that it used at most. */
    const char *error;                 /**< First line of what it said when it failed. */
    const char *notes;                 /**< What its results note of the machine, a line each. */
    int exit_status;                   /**< Of the process; -N: ended by signal N. */
} WwDbRun;

/**
 * The experiment @p name, which is made where it is not there. @p source is what it was made from (the text of a sweep), and replaces
 * an earlier one; NULL: stays as it is.
 */
bool ww_db_experiment(WwDb *db, const char *name, const char *source, GError **error);

/** A run without results: one that begins or has failed. Replaces the experiment's run of that key, with its results. */
bool ww_db_put(WwDb *db, const char *experiment, const WwDbRun *run, GError **error);
/**
 * A run with its results: the file that `warpwright run -o FILE.json` wrote (schema warpwright-results-1). Replaces the experiment's run of
 * that key. With `run->key` NULL the key is a hash of the results without their `host`.
 */
bool ww_db_put_result(WwDb *db, const char *experiment, const WwDbRun *run, const char *file,
                      GError **error);
/** The same of a text of @p length bytes; @p name names it in errors. */
bool ww_db_put_text(WwDb *db, const char *experiment, const WwDbRun *run, const char *name,
                    const char *text, size_t length, GError **error);
/** Removes a run with all that is in it; *found says whether there was one (may be NULL). */
bool ww_db_remove(WwDb *db, const char *experiment, const char *key, bool *found, GError **error);

/** Gives the experiment's run of that key, if there is one, another number and other names of its values; results stay. */
bool ww_db_rename(WwDb *db, const char *experiment, const char *key, uint64_t number,
                  const WwDbPair *axes, uint32_t n_axes, GError **error);

/** The state of the experiment's run of that key; *found false: there is none. */
bool ww_db_state(WwDb *db, const char *experiment, const char *key, bool *found, WwDbState *state,
                 GError **error);
/** Called for each run; what @p run points to is valid during the call. False ends it, without an error. */
typedef bool (*WwDbRunFn)(void *user, const char *experiment, const WwDbRun *run);
/** The runs of @p experiment (NULL: of all, by name), by number, then key. */
bool ww_db_each_run(WwDb *db, const char *experiment, WwDbRunFn fn, void *user, GError **error);

/** Words of the command that makes the run of that key again (NULL-terminated, g_strfreev()); *@p words is NULL where none is known. */
bool ww_db_command(WwDb *db, const char *experiment, const char *key, char ***words,
                   GError **error);

/** An experiment, for ww_db_each_experiment(). */
typedef struct WwDbExperiment {
    const char *name;
    const char *source; /**< NULL: none. */
    uint64_t running, failed, done;
    double seconds; /**< That its runs took. */
} WwDbExperiment;
/** Called for each experiment; what @p experiment points to is valid during the call. False ends it, without an error. */
typedef bool (*WwDbExperimentFn)(void *user, const WwDbExperiment *experiment);
/** The experiments, by name. */
bool ww_db_each_experiment(WwDb *db, WwDbExperimentFn fn, void *user, GError **error);

/* ---- files together --------------------------------------------------------------------------------------------- */

/** What ww_db_merge() did, in runs. */
typedef struct WwDbMerged {
    uint64_t added; /**< Runs that were not there. */
    uint64_t
        replaced; /**< Those that were further here: done instead of failed or running, failed instead of running. */
    uint64_t same; /**< Runs that stay as they are. */
} WwDbMerged;
/** Brings the runs of @p from into @p into, by experiment and key, as one change. The same again changes nothing. */
bool ww_db_merge(WwDb *into, WwDb *from, WwDbMerged *merged, GError **error);
