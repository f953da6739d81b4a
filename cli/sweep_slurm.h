/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A sweep on Slurm. Beside the database FILE.db lies the folder FILE.db.slurm, on a file system that all nodes share:
 *
 *     runs            what was submitted: the experiment, then a row a run: task, number, key, key that it takes the place of; as long as it is
 *                     there, results are out that the database does not have
 *     tasks           what each task runs, a line each, as --tasks takes it
 *     array.sh        the job array; task N writes part-N-R.db (R: times that it was begun again) and task-N.log
 *     collect.sh      the job behind it, which brings all parts into FILE.db, and collect.log
 *     jobs            numbers of both
 */
#pragma once

#include "sweep.h"

/** What one sweep has in Slurm's queue. */
typedef struct SweepQueue {
    char *array, *collector; /* numbers of jobs that are not over, or NULL */
    uint32_t running, waiting;
    char *why;   /* the first one that waits: "Priority"; or NULL */
    char *nodes; /* of those that run, "n1, n2"; or NULL */
} SweepQueue;

/* ---- sweep_queue.c ---------------------------------------------------------------------------------------------- */

/** Runs a program of Slurm in @p folder; its stdout, newly allocated, or NULL with what it said. */
char *sweep_slurm_call(const char *const *words, const char *folder, GError **error);
/** What of the jobs @p name and @p name-collect is not over. */
bool sweep_queue_read(const char *name, SweepQueue *queue, GError **error);
void sweep_queue_clear(SweepQueue *queue);
/** "job 12: 3 tasks run on n1, 5 wait (Priority); job 13 collects then"; newly allocated. NULL: nothing is there. */
char *sweep_queue_text(const SweepQueue *queue);

/* ---- sweep_folder.c --------------------------------------------------------------------------------------------- */

/** "x.db.slurm", with all folders before it; newly allocated. */
char *sweep_folder(const Sweep *s);
char *sweep_folder_file(const Sweep *s, const char *name);
/** Is there a job whose results the database does not have? */
bool sweep_is_out(const Sweep *s);
/** Databases of tasks, by name; char *. */
GPtrArray *sweep_folder_parts(const Sweep *s);
/** Removes all that a sweep puts there, and the folder, if nothing else is in it. */
void sweep_folder_remove(const Sweep *s);

/** What was submitted. */
typedef struct SweepOut {
    char *name;       /* of its jobs */
    char *experiment; /* in the database */
    GArray *runs;     /* SweepOutRun */
} SweepOut;

typedef struct SweepOutRun {
    uint32_t task;                                  /* from 1 */
    uint32_t number;                                /* from 1 */
    char key[SWEEP_KEY + 1], before[SWEEP_KEY + 1]; /* before: "" none */
} SweepOutRun;

bool sweep_out_write(const Sweep *s, const SweepOut *out, GError **error);
bool sweep_out_read(const Sweep *s, SweepOut *out, GError **error);
void sweep_out_clear(SweepOut *out);

/* ---- sweep_collect.c -------------------------------------------------------------------------------------------- */

/** Of the runs that were submitted; `left` are neither done nor failed. */
typedef struct SweepCollected {
    uint32_t done, failed, left;
} SweepCollected;

/** Brings what tasks have done into s->db, which is open for writing. A part that cannot be read is told, and stays: @p last, for nobody. */
bool sweep_collect(Sweep *s, bool last, SweepCollected *c, GError **error);
/** `--collect`: the same, as the job behind the array does it; is the exit status. */
int sweep_collect_command(Sweep *s, GError **error);
/** What a job that is over has left goes into s->db; an error where one is not over. */
bool sweep_settle(Sweep *s, GError **error);
/** `--wait`: until no job is in the queue. */
bool sweep_wait(const Sweep *s, GError **error);
/** `--status`: says what the queue has. */
void sweep_tell_queue(const Sweep *s);

/* ---- sweep_slurm.c ---------------------------------------------------------------------------------------------- */

/** Writes the scripts for what is to do, and submits them; is the exit status. */
int sweep_submit(Sweep *s, GError **error);
/** Says how many runs are done; is the exit status. */
int sweep_tell_end(Sweep *s);
/** `--wait`: until what was submitted is over, then the same. */
int sweep_wait_and_tell(Sweep *s, GError **error);
