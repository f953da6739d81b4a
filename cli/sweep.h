/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of `warpwright sweep` share. */
#pragma once

#include "cli-priv.h"
#include <db/db.h>
#include <sweep/processes.h>
#include <sweep/sweep.h>

#define SWEEP_KEY 64u /* hexadecimal digits */
#define MOST_CORES 4096u
#define SWEEP_GUESS_BYTES (96u << 20) /* of a run's memory, where nothing is known */

typedef enum SweepState {
    SWEEP_TO_DO,
    SWEEP_RUNNING,
    SWEEP_DONE,   /* has its results in the database */
    SWEEP_FAILED, /* is there with its error */
    SWEEP_SAME,   /* another run of the plan has the same inputs */
    SWEEP_OUT,    /* --tasks does not name it */
    SWEEP_STATES,
} SweepState;

typedef struct SweepRun {
    char key[SWEEP_KEY + 1];
    SweepState state;
    bool marked;          /* as running, in the database */
    bool renamed;         /* the database has it under other names or another number */
    uint8_t again;        /* times that it was begun again */
    bool guessed;         /* `memory` is not from earlier runs */
    uint32_t cores;       /* that it keeps busy */
    double expected;      /* seconds */
    uint64_t memory;      /* bytes */
    uint64_t trace_bytes; /* of text */
    uint32_t version;     /* of its trace's instructions; 0: it says none */
    bool replays;         /* has a trace */
    const char *before;   /* key of the run that it takes the place of, or NULL */
} SweepRun;

typedef struct Sweep {
    /* options */
    char *db_name, *experiment, *tasks, *jobs_text, *memory_text, *time_text, *run_memory_text,
        *progress_name, *on_name, *slurm_tasks;
    char **slurm_options, **known; /* known: databases whose runs need not be run again */
    char **axes, **excluded, **kept, **configs, **platforms, **modules, **gpgpusim, **values,
        **traces;
    gboolean list, dry, status, retry, keep_going, wait, collect;
    bool slurm;
    int progress;
    uint32_t cores;
    uint64_t memory;
    const char *file; /* or NULL: options alone */
    /* what is made of them */
    WwSweep *sweep;
    WwPlan *plan;
    SweepRun *runs;
    uint32_t n, first, last; /* first to last - 1: what shall be done here */
    uint32_t counts[SWEEP_STATES];
    uint32_t n_machines,
        n_tried;         /* different ones, and those that were built to see whether they can be */
    uint32_t n_known;    /* of which earlier runs say how long they take */
    GHashTable *earlier; /* what the database says (sweep_earlier.c) */
    WwDb *db;            /* NULL: none is there yet */
    GPtrArray *others;   /* char *; databases with runs of this plan, beside `db` */
    GPtrArray *noted;    /* what is to be told of runs, and */
    GHashTable *told;    /* what has been (sweep_notes.c) */
} Sweep;

/** "schedulers": what the experiment is called. */
const char *sweep_name(const Sweep *s);
/** Run @p run of the part is in this state now. */
void sweep_set(Sweep *s, uint32_t run, SweepState state);
/** Is @p run one of the part that has a key of its own? */
bool sweep_has(const Sweep *s, uint32_t run);
/** All runs of the part but those that are the same as others. */
uint32_t sweep_all(const Sweep *s);
/** "3 s", "12 min", "2 h 5 min"; newly allocated. */
char *sweep_duration(double seconds);
/** "61 MiB"; newly allocated. */
char *sweep_size(uint64_t bytes);

/* ---- sweep_part.c ----------------------------------------------------------------------------------------------- */

/** `--tasks 1-4,7`: `first`, `last`, and what is left out between them. */
bool sweep_set_part(Sweep *s, GError **error);
/** "1-4,7" of @p n run numbers, the first one 0, in order; newly allocated. */
char *sweep_part_text(const uint32_t *runs, uint32_t n);
/** Held as long as this process is there, whatever ends it; below 0 with an error: another one has it. */
int sweep_take_lock(const char *db, GError **error);
void sweep_drop_lock(const char *db, int lock);

/* ---- sweep_inputs.c --------------------------------------------------------------------------------------------- */

/** Keys of the part's runs, from all that goes into them; names and values are tried out. */
bool sweep_find_keys(Sweep *s, GError **error);
/** The words of run @p run behind "warpwright"; newly allocated. */
char **sweep_words(const Sweep *s, uint32_t run);

/* ---- sweep_try.c ------------------------------------------------------------------------------------------------ */

/** How much of a machine is made. */
typedef enum SweepDepth { SWEEP_FILES, SWEEP_ELABORATED, SWEEP_SEALED } SweepDepth;

/** Words of the language that choose the files of a machine, and how they are read. */
extern const char *const sweep_machine_words[];
bool sweep_is_one_of(const WwSweepOption *o, const char *const *names);
/** What the option is told; NULL where a run does not have it. */
const char *sweep_value_of(const GPtrArray *options, const char *name);
/** The same of one that adds up: NULL-terminated, or NULL when there are none; newly allocated. */
char **sweep_values_of(const GPtrArray *options, const char *name);
/** Platform and configs of a machine, without settings. */
bool sweep_set_up(CliSetup *setup, const SweepRun *run, const GPtrArray *options, GError **error);

/** Does it go without the options that @p options has not? */
typedef bool (*SweepTryFn)(gpointer user, const GPtrArray *options, GError **error);
/** Puts before *@p error, which @p attempt gives for @p options of run @p run, the place of the option that it is about; false. */
bool sweep_blame(const Sweep *s, uint32_t run, const GPtrArray *options, SweepTryFn attempt,
                 gpointer user, GError **error);
bool sweep_blame_machine(const Sweep *s, uint32_t run, SweepDepth depth, GError **error);
/** Elaborates the first machine that has it, for each value of each axis: names and single values are told before all else. */
bool sweep_try_values(const Sweep *s, GError **error);
/** "a.sweep:4:1", or the option that says it ("--axis"); newly allocated. */
char *sweep_place(WwLocation at);
/** Builds the machine of run @p run; *@p notes (@p notes may be NULL) is what is noted of it, a line each, newly allocated. */
bool sweep_try_run(const Sweep *s, uint32_t run, SweepDepth depth, char **notes, GError **error);
/** Has a value of the axis an option that makes another machine? */
bool sweep_changes_machine(const WwSweepAxis *axis);

/* ---- sweep_axes.c ----------------------------------------------------------------------------------------------- */

/** Options of every run that an axis replaces. */
typedef struct SweepReplaced {
    GHashTable *won;   /* const WwSweepOption *: holds for some part of some machine */
    GHashTable *notes; /* -> what is to be said of it where it has not */
} SweepReplaced;
void sweep_replaced_init(SweepReplaced *replaced);
/** Notes what has held nowhere (@p s NULL: nothing), and clears it. */
void sweep_replaced_tell(const Sweep *s, SweepReplaced *replaced);
/** No two axes set one parameter of the machine of run @p run. */
bool sweep_try_axes(const Sweep *s, uint32_t run, SweepReplaced *replaced, GError **error);

/* ---- sweep_kinds.c ---------------------------------------------------------------------------------------------- */

/** Seals a machine of each kind among what is to do, for as long as that is worth it; what is noted of them is to be told. */
bool sweep_try_machines(Sweep *s, GError **error);

/* ---- sweep_notes.c ---------------------------------------------------------------------------------------------- */

/** The note as it is for all values of an axis whose parameter it names; newly allocated. */
char *sweep_note_of_all(const Sweep *s, uint32_t run, const char *note);
/** Run @p run has these notes, a line each. */
void sweep_note(Sweep *s, uint32_t run, const char *lines);
/** Each note on stderr, with how many runs have it, unless that has been told; then there are none to be told. */
void sweep_tell_notes(Sweep *s);
/** The same of what the database has of the runs of the plan. */
bool sweep_tell_noted(Sweep *s, GError **error);

/* ---- sweep_earlier.c -------------------------------------------------------------------------------------------- */

/** What the database has of these runs, and how long and large others were: states, `expected`, `memory`. */
bool sweep_read_earlier(Sweep *s, GError **error);
/** Called for runs of the experiment (NULL: of all) in the database, then in `others`; such a one that cannot be read is told and left out. */
bool sweep_each_run(const Sweep *s, const char *experiment, WwDbRunFn fn, void *user,
                    GError **error);
/** Seconds of one core that what is to do takes. */
double sweep_work(const Sweep *s);
/** Seconds that what is to do takes on all cores. */
double sweep_estimate(const Sweep *s);

/* ---- sweep_go.c ------------------------------------------------------------------------------------------------- */

/** Does what is to do. Is the exit status, or CLI_USAGE with @p error. */
int sweep_go(Sweep *s, GError **error);
/** `--status`: what the database has. */
int sweep_tell_status(Sweep *s, GError **error);
/** The same of a whole database, where there is no plan. */
int sweep_tell_database(Sweep *s, GError **error);

/* ---- sweep_page.c ----------------------------------------------------------------------------------------------- */

/** What is shown while runs go on. */
typedef struct SweepPage SweepPage;

/** Where it all stands. */
typedef struct SweepNow {
    const Sweep *sweep;
    const WwProcessRun *running; /* user: run number + 1 */
    uint32_t n_running;
    uint32_t ended, failed, lost; /* here, since the beginning; lost: to be begun again */
    double left;                  /* seconds, expected; below 0: not known */
    double slower;                /* than expected: what runs take, as a factor */
    const char *failure;          /* the last one: "#3 trace=x: why", or NULL */
} SweepNow;

SweepPage *sweep_page_new(int progress);
/** Shows it; on a terminal in place of what was there, else at times a line. */
void sweep_page_show(SweepPage *page, const SweepNow *now);
/** A line that stays: a run has failed. */
void sweep_page_tell(SweepPage *page, const char *line);
/** Removes what was shown on a terminal. */
void sweep_page_free(SweepPage *page);
