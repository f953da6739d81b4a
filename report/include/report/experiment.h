/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * An experiment of many runs as one page: what ran, what made it faster or slower, and where the time went. Who calls has done the sums; here is what
 * they are, and they are written. Numbers that are not known are NAN, texts NULL. A speed-up is cycles of the base by cycles of the run: above 1 is faster.
 */
#pragma once

#include <stdio.h>
#include <warpwright/base.h>

/** A mean of speed-ups, and the two at its ends. */
typedef struct WwReportMean {
    double speed_up; /**< Geometric mean. */
    uint32_t n;      /**< Of so many. */
    double best, worst;
    const char *best_at, *worst_at; /**< Where these are; NULL: there are none. */
} WwReportMean;

/** A value of an axis. */
typedef struct WwReportValue {
    const char *name, *full; /**< Short, and as it is in the database. */
    WwReportMean mean;       /**< Over pairs of runs that differ in this axis only. */
} WwReportValue;

/** What the experiment varies, without what means are over. */
typedef struct WwReportAxis {
    const char *name;
    const WwReportValue *values;
    uint32_t n, base;
    const char *command; /**< What prints the means, too; NULL: nothing does. */
} WwReportAxis;

/** One value of each axis. */
typedef struct WwReportCombination {
    const char *name, *full;
    WwReportMean mean;     /**< Over traces that count, as all that follows. */
    const double *shares;  /**< Of the time, by label; NULL: it has no figures of issue slots. */
    const double *figures; /**< As `figures` of the experiment. */
} WwReportCombination;

/** What the means are over. */
typedef struct WwReportTrace {
    const char *name, *full;
    double best;   /**< The largest speed-up of a run of it. */
    double spread; /**< That by the least. */
} WwReportTrace;

/** How far a run is. */
typedef enum WwReportState {
    WW_REPORT_NO_RUN,
    WW_REPORT_RUNNING,
    WW_REPORT_FAILED,
    WW_REPORT_DONE
} WwReportState;

/** A run of a trace on a combination. */
typedef struct WwReportCell {
    WwReportState state;
    bool partial;
    double cycles, speed_up;
    uint64_t number; /**< In the plan; 0: none. */
} WwReportCell;

/** Runs that failed alike. */
typedef struct WwReportFailure {
    const char *error, *example;
    uint64_t n;
} WwReportFailure;

/** What a combination has beside cycles. */
typedef struct WwReportFigure {
    const char *name;
    bool percent;
    int digits;
} WwReportFigure;

/** A line for a shell, and what it does. */
typedef struct WwReportCommand {
    const char *what, *line;
} WwReportCommand;

/** An experiment as its page shows it; all that it points to belongs to who fills it in. */
typedef struct WwReportExperiment {
    const char *file, *name, *source; /**< The last: the sweep's own text. */
    const char *versions, *same;      /**< "1.2, 1.3"; axes that have one value: "config=qv100". */
    const char *over;                 /**< What the means are over: "trace". */
    uint64_t done, failed, running;
    uint64_t absent; /**< Pairs of trace and combination without a run. */
    uint64_t partial, noted;
    const char *note; /**< The first thing that is noted of a run. */
    const WwReportFailure *failures;
    uint32_t n_failures;
    const WwReportAxis *axes; /**< Those that vary. */
    uint32_t n_axes;
    const WwReportCombination *combinations;
    uint32_t n_combinations, base;
    const WwReportTrace *traces;
    uint32_t n_traces, n_counted; /**< The second: of them means are over. */
    bool own; /**< No trace ran on all combinations: each has its mean over its own ones. */
    uint32_t without_base;     /**< Traces that the base has no run of. */
    const char *const *labels; /**< "issued", causes of lost issue slots, WW_REPORT_ASLEEP. */
    uint32_t n_labels;
    const WwReportFigure *figures;
    uint32_t n_figures;
    const WwReportCommand *commands;
    uint32_t n_commands;
    WwReportCell (*cell)(const void *user, uint32_t trace, uint32_t combination);
    const void *user;
} WwReportExperiment;

/** Writes the page; errors stay in @p out. @p version is that of the program. */
void ww_report_experiment_write(const WwReportExperiment *experiment, const char *version,
                                FILE *out);

/* ---- what statistics are, by their names -------------------------------------------------------------------------- */

/** The label of time in which no SM had a CTA, and nothing counts slots. */
#define WW_REPORT_ASLEEP "asleep"
/** The label of the issue slots that TYPE.STATISTIC[.LABEL] counts: "issued" or that of a cause; NULL: it counts none. */
const char *ww_report_slot(const char *statistic);
/** What an outcome of a cache says of data accesses. */
typedef enum WwReportAccess {
    WW_REPORT_NO_ACCESS,
    WW_REPORT_ACCESS,
    WW_REPORT_HIT /**< Is one, too. */
} WwReportAccess;
/** Of statistic `outcomes` of caches of type @p type, "cache.l1", the entry @p label. */
WwReportAccess ww_report_access(const char *type, const char *label);
/** Statistics that count what DRAM moved; NULL-terminated. */
extern const char *const ww_report_dram_commands[];
