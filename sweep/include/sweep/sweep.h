/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A sweep: axes, each of several values, and the runs that are their product. docs/sweeps.md has the language.
 *
 *     g_autoptr(WwSweep) sweep = ww_sweep_new();
 *     ww_sweep_read(sweep, "schedulers.sweep", &error) && ww_sweep_finish(sweep, &error);
 *     g_autoptr(WwPlan) plan = ww_plan_new(sweep, &error);
 *     for (uint32_t i = 0; i < ww_plan_n(plan); i++) { ... ww_plan_options(plan, i) ... }
 */
#pragma once

#include <warpwright/base.h>

/* ---- what a run is told ----------------------------------------------------------------------------------------- */

/** How the text behind a word of the language is read. */
typedef enum WwSweepKind {
    WW_SWEEP_TEXT,
    WW_SWEEP_NUMBER,
    WW_SWEEP_FLAG,    /**< None. */
    WW_SWEEP_FILE,    /**< A file, from the folder of the sweep. */
    WW_SWEEP_NAMED,   /**< A name, or a file as above, whose name ends in `suffix`. */
    WW_SWEEP_TRACE,   /**< Files or folders, by a pattern. */
    WW_SWEEP_SETTING, /**< `PATH = VALUE`: no word of the language. */
} WwSweepKind;

/** An option of `warpwright run`, which has the same name there. */
typedef struct WwSweepWord {
    const char *name; /**< "config" */
    WwSweepKind kind;
    const char *suffix; /**< ".conf"; WW_SWEEP_NAMED only. */
    bool adds_up;       /**< Several of a run all count; else only the last one. */
    bool host;          /**< It changes no result. */
} WwSweepWord;

/** All of them, up to a row without a name. */
extern const WwSweepWord ww_sweep_words[];
/** The one of that name ("set": a parameter's), or NULL. */
const WwSweepWord *ww_sweep_word(const char *name);

/** A word, and what stands behind it. */
typedef struct WwSweepOption {
    const WwSweepWord *word;
    char *value; /**< "" of flags, "PATH=VALUE" of settings; a file as the process would open it. */
    WwLocation at;
} WwSweepOption;

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/** A value of an axis: what runs that have it are told. */
typedef struct WwSweepValue {
    char *name;         /**< Unique in its axis. */
    GPtrArray *options; /**< WwSweepOption; those of a value without effect: none. */
    WwLocation at;
} WwSweepValue;

/** What runs differ in. */
typedef struct WwSweepAxis {
    char *name;
    GPtrArray *values; /**< WwSweepValue */
    WwLocation at;
} WwSweepAxis;

/** What the texts say; its parts are its own. */
typedef struct WwSweep {
    char *experiment;      /**< Its name in a database; NULL: nobody said. */
    GPtrArray *options;    /**< WwSweepOption, of every run. */
    GPtrArray *axes;       /**< WwSweepAxis, the first one changes slowest. */
    GPtrArray *rules;      /**< Private (plan.c). */
    double time_limit;     /**< Seconds a run may take; 0: as many as it likes. */
    uint64_t memory_limit; /**< Bytes a run may use; 0: as many as all together may. */
    GPtrArray *slurm; /**< char *; options of sbatch, as its scripts have them behind #SBATCH. */
    GPtrArray *files; /**< Names of the files that were read, which locations refer to. */
    char *text;       /**< That of the file of ww_sweep_read(), as it was read; NULL: none. */
} WwSweep;

/** What a sweep may have at most: axes, values of an axis, runs. More is an error. */
#define WW_SWEEP_MAX_AXES 64u
#define WW_SWEEP_MAX_VALUES 100000u /**< Of an axis. */
#define WW_SWEEP_MAX_RUNS 1000000u

/** One that says nothing yet. */
WwSweep *ww_sweep_new(void);
/** @p sweep may be NULL. */
void ww_sweep_free(WwSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwSweep, ww_sweep_free)

/** Adds what the file @p path says. Names of files in it are looked for in its folder. */
bool ww_sweep_read(WwSweep *sweep, const char *path, GError **error);
/** Adds what @p text says, which errors call @p name; names of files are looked for in @p folder (NULL: the present one). */
bool ww_sweep_add(WwSweep *sweep, const char *name, const char *text, const char *folder,
                  GError **error);
/** A row of the language put together from an option and its value: `-c qv100` is "config", "qv100". */
bool ww_sweep_option(WwSweep *sweep, const char *from, const char *word, const char *value,
                     GError **error);

/** Adds options of sbatch, "--partition=short --time=2:00:00", but for those that a sweep itself sets. */
bool ww_sweep_slurm(WwSweep *sweep, const char *from, const char *text, GError **error);
/** "10 min", "90", "1.5h" in seconds. */
bool ww_sweep_time(const char *what, const char *text, double *seconds, GError **error);
/** "2 GiB", "512MiB" in bytes. */
bool ww_sweep_bytes(const char *what, const char *text, uint64_t *bytes, GError **error);

/* ---- the plan --------------------------------------------------------------------------------------------------- */

/** The runs of a sweep, in the order of its axes; numbered from 1 in everything that people see. */
typedef struct WwPlan WwPlan;

/** Applies the rules; an axis without values, a rule that fits nothing and a plan of no runs are errors. Borrows @p sweep. */
WwPlan *ww_plan_new(const WwSweep *sweep, GError **error);
/** The sweep stays; @p plan may be NULL. */
void ww_plan_free(WwPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwPlan, ww_plan_free)
/** How many runs it has, which are numbered from 0 here. */
uint32_t ww_plan_n(const WwPlan *plan);
/** Number of its value of axis @p axis. */
uint32_t ww_plan_value(const WwPlan *plan, uint32_t run, uint32_t axis);
/**
 * Options of run @p run, const WwSweepOption *: those of every run, then those of its values, axis by axis. Of what does not add up only the last one is
 * there. Free with g_ptr_array_unref().
 */
GPtrArray *ww_plan_options(const WwPlan *plan, uint32_t run);
/** "trace=vecadd scheduler=gto"; newly allocated. */
char *ww_plan_text(const WwPlan *plan, uint32_t run);
