/* SPDX-License-Identifier: Apache-2.0 */
/* From the databases of tasks to that of the sweep: the job behind the array does it, and whoever comes after a job that could not. */
#include "sweep_slurm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_US 1000000 /* `--wait` looks whether the collector is done, */
#define MOST_LOOKS 60u  /* the collector waits so long for another sweep */
#define ASK_EVERY 30u   /* and every so many looks asks the queue */

/* ---- one part --------------------------------------------------------------------------------------------------- */

typedef struct Part {
    const Sweep *s;
    const char *experiment;
    GPtrArray *begun, *failed; /* keys; char * */
} Part;

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    Part *p = user;
    if (run->state != WW_DB_DONE) {
        g_ptr_array_add(run->state == WW_DB_RUNNING ? p->begun : p->failed, g_strdup(run->key));
    }
    return true;
}

/* What failed before and has failed again says why it did now. */
static bool make_way(const Part *p, GError **error)
{
    for (guint i = 0; i < p->failed->len; i++) {
        bool found;
        WwDbState state;
        const char *key = p->failed->pdata[i];
        if (!ww_db_state(p->s->db, p->experiment, key, &found, &state, error) ||
            (found && state != WW_DB_DONE &&
             !ww_db_remove(p->s->db, p->experiment, key, NULL, error))) {
            return false;
        }
    }
    return true;
}

static bool bring(Part *p, WwDb *from, GError **error)
{
    if (!ww_db_each_run(from, p->experiment, on_run, p, error)) {
        return false;
    }
    for (guint i = 0; i < p->begun->len; i++) { /* they were lost with their task */
        if (!ww_db_remove(from, p->experiment, p->begun->pdata[i], NULL, error)) {
            return false;
        }
    }
    if (!ww_db_begin(p->s->db, error)) {
        return false;
    }
    if (!make_way(p, error) || !ww_db_merge(p->s->db, from, NULL, error)) {
        ww_db_rollback(p->s->db);
        return false;
    }
    return ww_db_commit(p->s->db, error);
}

/* False with @p error: the part stays, as it is. */
static bool bring_part(const Sweep *s, const char *experiment, const char *file, GError **error)
{
    Part p = {.s = s,
              .experiment = experiment,
              .begun = g_ptr_array_new_with_free_func(g_free),
              .failed = g_ptr_array_new_with_free_func(g_free)};
    g_autoptr(WwDb) from = ww_db_open(file, WW_DB_WRITE, error);
    bool good = from != NULL && bring(&p, from, error);
    g_ptr_array_unref(p.begun);
    g_ptr_array_unref(p.failed);
    return good;
}

static void remove_part(const char *file)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm", ".lock"};
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *name = g_strconcat(file, ends[i], NULL);
        unlink(name);
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

/* Counts runs that are not there, and removes those that others take the place of. */
static bool look_through(const Sweep *s, const SweepOut *out, SweepCollected *c, GString *tasks,
                         GError **error)
{
    uint32_t told = 0;
    for (guint i = 0; i < out->runs->len; i++) {
        const SweepOutRun *r = &g_array_index(out->runs, SweepOutRun, i);
        bool found;
        WwDbState state;
        if (!ww_db_state(s->db, out->experiment, r->key, &found, &state, error)) {
            return false;
        }
        if (!found || state == WW_DB_RUNNING) {
            c->left++;
            if (told != r->task) {
                g_string_append_printf(tasks, "%s%u", tasks->len != 0 ? ", " : "", r->task);
                told = r->task;
            }
            continue;
        }
        *(state == WW_DB_DONE ? &c->done : &c->failed) += 1;
        if (*r->before != '\0' && !ww_db_remove(s->db, out->experiment, r->before, NULL, error)) {
            return false;
        }
    }
    return true;
}

static void tell_left(const Sweep *s, uint32_t n, const char *tasks)
{
    g_autofree char *folder = sweep_folder(s), *shown = cli_cut(tasks, 60);
    g_autofree char *text =
        g_strdup_printf("%u run%s of the job %s left, of tasks %s: their logs are in '%s'", n,
                        n == 1 ? "" : "s", n == 1 ? "is" : "are", shown, folder);
    cli_say("note: ", text);
}

bool sweep_collect(Sweep *s, bool last, SweepCollected *c, GError **error)
{
    SweepOut out;
    bool kept = false;
    g_autoptr(GPtrArray) parts = sweep_folder_parts(s);
    g_autoptr(GString) tasks = g_string_new(NULL);
    *c = (SweepCollected){0};
    bool good = sweep_out_read(s, &out, error);
    for (guint i = 0; good && i < parts->len; i++) {
        g_autoptr(GError) why = NULL;
        if (bring_part(s, out.experiment, parts->pdata[i], &why)) {
            remove_part(parts->pdata[i]);
        } else {
            g_autofree char *text = g_strdup_printf("%s: left out", why->message);
            cli_say("warning: ", text);
            kept = true;
        }
    }
    good = good && look_through(s, &out, c, tasks, error);
    if (good && c->left != 0) {
        tell_left(s, c->left, tasks->str);
    }
    if (good && !kept && c->left == 0) {
        sweep_folder_remove(s);
    } else if (good && (!kept || last)) {
        g_autofree char *file = sweep_folder_file(s, "runs");
        unlink(file);
    }
    sweep_out_clear(&out);
    return good;
}

/* ---- after a job ------------------------------------------------------------------------------------------------ */

static char *queue_of(const Sweep *s, GError **error)
{
    SweepOut out;
    SweepQueue queue = {0};
    bool good = sweep_out_read(s, &out, error) && sweep_queue_read(out.name, &queue, error);
    char *text = good ? sweep_queue_text(&queue) : NULL;
    sweep_out_clear(&out);
    sweep_queue_clear(&queue);
    return good && text == NULL ? g_strdup("") : text;
}

static bool settle(Sweep *s, SweepCollected *c, GError **error)
{
    g_autofree char *text = queue_of(s, error);
    if (text == NULL) {
        return false;
    }
    if (*text != '\0') {
        return ww_fail(error, WW_ERROR_USAGE,
                       "Slurm has this sweep still (%s); expected its end: --wait waits for it, "
                       "scancel ends it",
                       text);
    }
    return sweep_collect(s, true, c, error);
}

bool sweep_settle(Sweep *s, GError **error)
{
    SweepCollected c;
    return !sweep_is_out(s) || settle(s, &c, error);
}

bool sweep_wait(const Sweep *s, GError **error)
{
    g_autofree char *before = NULL;
    for (unsigned n = 0; sweep_is_out(s); n++) {
        if (n % ASK_EVERY == 0) {
            g_autofree char *text = queue_of(s, sweep_is_out(s) ? error : NULL);
            if (text == NULL && sweep_is_out(s)) {
                return false;
            }
            if (text == NULL || *text == '\0') {
                return true; /* what is out is brought in by who waited */
            }
            if (s->progress != 2 && g_strcmp0(text, before) != 0) {
                fprintf(stderr, "%s: %s\n", sweep_name(s), text);
            }
            g_free(before);
            before = g_steal_pointer(&text);
        }
        g_usleep(LOOK_US);
    }
    return true;
}

void sweep_tell_queue(const Sweep *s)
{
    g_autoptr(GError) why = NULL;
    g_autofree char *text = queue_of(s, &why);
    if (text == NULL) {
        cli_say("note: ", why->message);
    } else if (*text == '\0') {
        puts("no job of it is in Slurm's queue; the same command brings in what there is, and goes "
             "on");
    } else {
        puts(text);
    }
}

/* ---- the collector ---------------------------------------------------------------------------------------------- */

/* The job behind the array needs not to ask whether that is over. */
static bool is_collector(const Sweep *s)
{
    SweepOut out;
    const char *job = g_getenv("SLURM_JOB_NAME");
    bool good = job != NULL && sweep_out_read(s, &out, NULL);
    if (good) {
        g_autofree char *name = g_strconcat(out.name, "-collect", NULL);
        good = strcmp(job, name) == 0;
        sweep_out_clear(&out);
    }
    return good;
}

/* Who has just submitted the job, or looks at what there is, may have it for a moment. */
static int wait_for_lock(const char *db, GError **error)
{
    for (unsigned n = 0;; n++) {
        g_autoptr(GError) why = NULL;
        int lock = sweep_take_lock(db, &why);
        if (lock >= 0 || n == MOST_LOOKS) {
            if (lock < 0) {
                g_propagate_error(error, g_steal_pointer(&why));
            }
            return lock;
        }
        g_usleep(LOOK_US);
    }
}

int sweep_collect_command(Sweep *s, GError **error)
{
    SweepCollected c = {0};
    if (!sweep_is_out(s)) {
        ww_fail(error, WW_ERROR_USAGE,
                "--collect: '%s' has no job on Slurm; expected one that was "
                "submitted and not collected",
                s->db_name);
        return CLI_USAGE;
    }
    int lock = wait_for_lock(s->db_name, error);
    if (lock < 0) {
        return CLI_USAGE;
    }
    s->db = ww_db_open(s->db_name, WW_DB_CREATE, error);
    bool good = s->db != NULL &&
                (is_collector(s) ? sweep_collect(s, false, &c, error) : settle(s, &c, error));
    sweep_drop_lock(s->db_name, lock);
    if (!good) {
        return CLI_USAGE;
    }
    uint32_t all = c.done + c.failed + c.left;
    printf("%u of %u %s done, %u failed; in %s\n", c.done, all,
           WW_PLURAL(all, "run is", "runs are"), c.failed, s->db_name);
    return c.failed + c.left != 0 ? CLI_STOPPED : CLI_DONE;
}
