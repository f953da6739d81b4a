/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of `warpwright run` share. */
#pragma once

#include "checkpoint.h"
#include "events.h"
#include "live.h"
#include "report.h"
#include "source.h"
#include "view.h"
#include <compat/accelsim.h>
#include <monitor/monitor.h>
#include <results/intervals.h>

typedef enum ReportKind { REPORT_SUMMARY, REPORT_ACCELSIM, REPORT_NONE } ReportKind;
extern const char *const run_report_names[]; /**< Of ReportKind. */

/* What the run remembers from step to step; in its heap. */
typedef struct Kept {
    uint64_t insns_before;
    WwCycle end_before;
    uint64_t logged, log_sum;     /* of the event log: bytes, and a sum */
    WW_HEAP_LIST(char *) printed; /* on stdout, where checkpoints are made */
} Kept;

/* Statistics that the user chooses (run_figures.c). */
typedef struct RunFigures {
    char **stats, **interval_stats; /* patterns */
    char *every_text;
    uint64_t every;         /* core cycles; 0: no intervals */
    WwIntervals *intervals; /* or NULL */
} RunFigures;

/* What one of several runs came to (run_each.c): a row of a table. */
typedef struct RunPart {
    bool alone;       /* there are no others: it prints what a run prints */
    char *status;     /* as in results; NULL: it failed */
    uint32_t kernels; /* reported */
    uint64_t cycles, thread_insns, warp_insns, fingerprint;
    bool has_fingerprint;
    char *bound_by; /* or NULL */
} RunPart;

typedef struct Run {
    CliSetup setup;
    RunPart *part;      /* one of several runs (run_each.c); or NULL */
    GPtrArray *folders; /* made for its files: WwPending */
    /* options */
    char **outputs, **sass, **view_files;
    char **events_files, **events_filters; /* one each, or NULL */
    const char *events_file, *events_filter;
    char *report_name, *report_file, *progress_name, *max_cycles_text, *hang_text;
    char *opcodes_name, *kernels, *max_ctas_text, *threads_text, *threads_from_text, *profile_file,
        *turns_file;
    gboolean no_sleep, no_windows, fingerprint, host, pcs;
    RunFigures figures;
    ReportKind report;
    int progress;
    char **files; /* that results are written to: `outputs`, and what comes with them */
    WwTraceOptions trace_options;
    uint64_t max_cycles, hang_limit, threads, threads_from;
    bool threads_auto; /* Only while they pay. */
    bool host_busy;    /* Others want the processors. */
    /* what runs */
    WwHeap *heap; /* of the trace and the results */
    WwOpcodes *opcodes;
    CliSource *source;
    WwAccelsim *accelsim;
    CliRecord *record;
    WwResults *results;
    CliEvents events;
    CliViews views;
    WwOutput *profile, *turns;
    WwOutput *printed; /* --report-file; NULL: stdout */
    CliCheckpoints checkpoints;
    GError *failed; /* a checkpoint could not be written */
    WwMonitor *monitor;
    CliLiveOptions live_options;
    CliLive *live;                     /* NULL: nobody may look */
    void *queue;                       /* whoever provides kernel_results, */
    const WwKernelResultsIf *queue_if; /* or NULL */
    WwTick budget;
    WwRunStatus status;
    bool stopped;          /* by a signal */
    bool unheard;          /* nobody reads the report, and nothing else was asked for */
    const WwColumn *insns; /* for IPC in progress */
    Kept *kept;
    char *print_text; /* begin_print() */
    size_t print_size;
    uint32_t n_warned;
    gint64 begin;
    double begin_cpu_s; /* not in the results: these are in checkpoints */
} Run;

/** A file that a run writes, and the option that says so. */
typedef struct RunFile {
    const char *option, *name;
} RunFile;

/** Every file that a run with these options writes, RunFile; @p results: those behind -o (run_build.c). */
GArray *run_outputs(const Run *r, char *const *results);

/* ---- run_each.c: a run for each trace below a folder -------------------------------------------------------------- */

/**
 * If @p trace (NULL: none) is a folder of several traces, or {trace} stands in one of the @p n @p words of the command: runs each, and prints a row
 * for each. False: it is a run of its own. True: *status is the exit's, or @p error is set.
 */
bool run_each(const Run *r, const char *trace, char *const *words, int n, int *status,
              GError **error);
/** The folders of its files are made; at the end they stay (@p keep) or go, unless something is in them. */
bool run_each_folders(Run *r, GError **error);
void run_each_keep_folders(Run *r, bool keep);
/** What @p part is, of a run that has come to an end. */
void run_each_note(const Run *r, RunPart *part);
/** One run; @p part: one of several, whose row is filled. Is the exit status (run.c). */
int run_one(int argc, char **argv, RunPart *part);

/* ---- run_options.c ------------------------------------------------------------------------------------------------ */

/** Takes the options out of the command's words. */
bool run_parse(Run *r, int *argc, char ***argv, GError **error);
/** Do they go together, and with the words that are left? */
bool run_check(Run *r, int argc, char **argv, GError **error);

/* ---- run.c ---------------------------------------------------------------------------------------------------------- */

/** Where the report goes. */
FILE *run_out(const Run *r);

/** From options to a machine that has not run, or that stands where a checkpoint was made (run_build.c). @p trace: NULL for none. */
bool run_build(Run *r, const char *trace, GError **error);

/** The model comes back no later than somebody wants to look at it (run.c). Whenever one of them may have changed its mind. */
void run_plan(Run *r);
/** The same as a cycle of domain 0. */
WwCycle run_limit(const Run *r);

/* ---- run_figures.c ---------------------------------------------------------------------------------------------- */

/** Option rows that fill @p figures; valid until the next call. */
const GOptionEntry *run_figures_options(RunFigures *figures);
/** Do they go together with the others? */
bool run_figures_check(Run *r, GError **error);
/** With a machine and results. */
bool run_figures_begin(Run *r, GError **error);
/** After a step of the model. */
void run_figures_look(Run *r);
/** It does not go on. */
void run_figures_end(Run *r);
/** Words of the command, and what a run that goes on must have in common. */
void run_figures_note(const Run *r);
void run_figures_facts(Run *r);
void run_figures_clear(RunFigures *figures);

/* ---- run_monitor.c ---------------------------------------------------------------------------------------------- */

/** With --monitor: listens. @p look: of WwMonitorSpec. */
bool run_monitor_begin(Run *r, void (*look)(void *user, WwProgress *out), GError **error);
/** A step of a run that somebody may look at. */
void run_monitor_advance(Run *r);
/** Of WwMonitorSpec. */
bool run_monitor_serving(void *user);
bool run_monitor_waiting(void *user);
/** The run is over, its results are written: tells who looks, and waits for those who asked for that. */
void run_monitor_over(Run *r);
