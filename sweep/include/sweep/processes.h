/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Runs as child processes of this program, as many at once as there are cores and memory for. What a child writes to stdout is read from
 * memory when it has ended: no file is made. A child ends with this process, however that ends.
 *
 * All functions of a spec are called from within ww_processes_run(), by one thread.
 */
#pragma once

#include <warpwright/base.h>

/** A pool of child processes. Free with ww_processes_free(). */
typedef struct WwProcesses WwProcesses;

/** A process that shall run. */
typedef struct WwProcessJob {
    char **words;          /**< argv, its own name first; the pool frees it (g_strfreev). */
    double time_limit;     /**< Seconds; 0: as long as it takes. */
    uint64_t memory;       /**< Bytes that it is expected to need. */
    uint64_t memory_limit; /**< Bytes that it may use; 0: as many as there are for all. */
    uint32_t cores;        /**< That it keeps busy. */
    void *user;
} WwProcessJob;

/** How a process ended. */
typedef enum WwProcessWhy {
    WW_PROCESS_ENDED,  /**< By itself, or somebody else's signal: `status` says. */
    WW_PROCESS_TIME,   /**< It was stopped at its time limit, */
    WW_PROCESS_MEMORY, /**< or at its limit of memory, */
    WW_PROCESS_ROOM, /**< or because all together needed more than there is, so that it may be tried again when there is more; `memory` is 0: it could not even start. */
    WW_PROCESS_REFUSED, /**< It could not be started, though nothing else ran: `err` says why. */
} WwProcessWhy;

/** What is known of a process that has ended; texts are valid in the call. */
typedef struct WwProcessEnd {
    void *user; /**< Of the job. */
    WwProcessWhy why;
    int status;    /**< As of wait(). */
    int64_t start; /**< Seconds since 1970. */
    double seconds, processor_seconds;
    uint64_t memory; /**< Bytes, at most, that were in use. */
    const char *out; /**< What it wrote to stdout, with a NUL behind it, */
    size_t out_size;
    const char *err; /**< and the first part of what it wrote to stderr. */
} WwProcessEnd;

/** A process that runs now. */
typedef struct WwProcessRun {
    void *user;
    double seconds; /**< So far. */
    uint64_t memory;
} WwProcessRun;

/** Parameters of ww_processes_new(). */
typedef struct WwProcessesSpec {
    uint32_t cores;
    uint64_t memory; /**< Bytes for all. */
    uint32_t tick_ms;
    /**
     * The next job that needs no more than @p cores and @p memory, into @p job; false: there is none now. @p alone: nothing runs; then false
     * ends it all.
     */
    bool (*next)(void *user, uint32_t cores, uint64_t memory, bool alone, WwProcessJob *job);
    void (*ended)(void *user, const WwProcessEnd *end);
    /** After one or more have ended, and places have been filled again. False ends it all. */
    bool (*pass)(void *user);
    /** When the first have begun and every tick_ms from then; may be NULL. */
    void (*tick)(void *user);
    void *user;
} WwProcessesSpec;

/** For a program's only loop of events; NULL with @p error when the system gives no file descriptors. Free with ww_processes_free(). */
WwProcesses *ww_processes_new(const WwProcessesSpec *spec, GError **error);
/** Kills what runs, and waits for it; @p pool may be NULL. */
void ww_processes_free(WwProcesses *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwProcesses, ww_processes_free)
/**
 * Runs jobs until there are none, pass() says no, or SIGINT, SIGTERM or SIGHUP comes: then what runs is killed, and its end is told to nobody. Is that
 * signal, or 0.
 */
int ww_processes_run(WwProcesses *pool);
/** What runs now, the oldest first; called from tick(). */
uint32_t ww_processes_running(const WwProcesses *pool, WwProcessRun *runs, uint32_t most);

/** What ww_free_memory() says where the system does not tell: not that nothing is free. */
#define WW_MEMORY_UNKNOWN UINT64_MAX
/**
 * Bytes of memory that are free: of the host's, and within the limits of the control groups that this process is in. WW_MEMORY_UNKNOWN: the
 * system does not tell. @p root is "/", but in tests: the folder that /proc and /sys are in.
 */
uint64_t ww_free_memory(const char *root);
