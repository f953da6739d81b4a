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

typedef struct Run {
    CliSetup setup;
    /* options */
    char **outputs, **sass, **view_files;
    char *report_name, *progress_name, *max_cycles_text, *hang_text, *events_file, *events_filter;
    char *opcodes_name, *kernels, *max_ctas_text, *threads_text, *threads_from_text, *profile_file,
        *turns_file;
    gboolean no_sleep, no_windows, fingerprint, host, pcs;
    RunFigures figures;
    ReportKind report;
    int progress;
    char **files; /* that results are written to: `outputs`, and what comes with them */
    WwTraceOptions trace_options;
    uint64_t max_cycles, hang_limit, threads, threads_from;
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
} Run;

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
