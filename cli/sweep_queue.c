/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's programs: sbatch, scancel, squeue, as they are found in PATH. */
#include "sweep_slurm.h"

#include <string.h>
#include <unistd.h>

/* ---- programs --------------------------------------------------------------------------------------------------- */

/* The line that says why: the first with "error: ", without what stands before that. Newly allocated. */
static char *said(const char *text)
{
    static const char mark[] = "error: ";
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *first = NULL;
    for (char **l = lines; *l != NULL; l++) {
        const char *at = strstr(*l, mark);
        if (at != NULL) {
            return g_utf8_make_valid(at + strlen(mark), -1);
        }
        first = first == NULL && *g_strstrip(*l) != '\0' ? *l : first;
    }
    return first != NULL ? g_utf8_make_valid(first, -1) : g_strdup("it does not say why");
}

/* The user's, without what would change what is asked for, and what a job in which this may run says of itself. */
static char **environment(void)
{
    static const char *const not_ours[] = {"SBATCH_ARRAY_INX",
                                           "SBATCH_JOB_NAME",
                                           "SBATCH_OUTPUT",
                                           "SBATCH_OPEN_MODE",
                                           "SBATCH_REQUEUE",
                                           "SBATCH_NO_REQUEUE",
                                           "SBATCH_WAIT",
                                           "SLURM_RESTART_COUNT",
                                           "SLURM_MEM_PER_CPU",
                                           "SLURM_MEM_PER_NODE",
                                           NULL};
    char **env = g_get_environ();
    g_auto(GStrv) all = g_strdupv(env);
    for (char **e = all; *e != NULL; e++) {
        g_autofree char *name = g_strndup(*e, strcspn(*e, "="));
        if (g_str_has_prefix(name, "SQUEUE_") || g_strv_contains(not_ours, name)) {
            env = g_environ_unsetenv(env, name);
        }
    }
    return env;
}

char *sweep_slurm_call(const char *const *words, const char *folder, GError **error)
{
    g_autofree char *out = NULL, *err = NULL;
    g_autoptr(GError) why = NULL;
    g_auto(GStrv) env = environment();
    int status = 0;
    if (!g_spawn_sync(folder, (char **)words, env, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err,
                      &status, &why)) {
        ww_fail(error, WW_ERROR_SYSTEM, "cannot run %s: %s; expected the programs of Slurm in PATH",
                *words,
                g_error_matches(why, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT) ? "it is not there"
                                                                         : why->message);
        return NULL;
    }
    if (!g_spawn_check_wait_status(status, NULL)) {
        g_autofree char *text = said(*err != '\0' ? err : out);
        ww_fail(error, WW_ERROR_SYSTEM, "%s refuses: %s; expected %s", *words, text,
                strcmp(*words, "sbatch") == 0
                    ? "a job that this cluster takes (--slurm-option, 'slurm' in the sweep)"
                    : "an answer");
        return NULL;
    }
    return g_steal_pointer(&out);
}

/* ---- the queue -------------------------------------------------------------------------------------------------- */

void sweep_queue_clear(SweepQueue *q)
{
    g_free(q->array);
    g_free(q->collector);
    g_free(q->why);
    g_free(q->nodes);
    *q = (SweepQueue){0};
}

/* Columns of a row of squeue. */
enum { AT_NAME, AT_JOB, AT_STATE, AT_NODES, AT_WHY, N_COLUMNS };

static void add_node(GPtrArray *nodes, const char *name)
{
    if (*name != '\0' && !g_ptr_array_find_with_equal_func(nodes, name, g_str_equal, NULL)) {
        g_ptr_array_add(nodes, g_strdup(name));
    }
}

static void add_row(SweepQueue *q, const char *name, char *const *row, GPtrArray *nodes)
{
    if (strcmp(row[AT_NAME], name) != 0) {
        g_free(q->collector);
        q->collector = g_strdup(row[AT_JOB]);
        return;
    }
    if (q->array == NULL) {
        q->array = g_strdup(row[AT_JOB]);
    }
    if (strcmp(row[AT_STATE], "PENDING") == 0) {
        q->waiting++;
        if (q->why == NULL && strcmp(row[AT_WHY], "None") != 0) {
            q->why = g_strdup(row[AT_WHY]);
        }
    } else {
        q->running++;
        add_node(nodes, row[AT_NODES]);
    }
}

bool sweep_queue_read(const char *name, SweepQueue *q, GError **error)
{
    g_autofree char *names = g_strdup_printf("--name=%s,%s-collect", name, name);
    g_autofree char *user = g_strdup_printf("--user=%u", (unsigned)getuid());
    const char *const words[] = {"squeue", "--noheader", "--array",        user,
                                 names,    "--format",   "%j|%F|%T|%N|%r", NULL};
    g_autoptr(GPtrArray) nodes = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *text = sweep_slurm_call(words, NULL, error);
    *q = (SweepQueue){0};
    if (text == NULL) {
        return false;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **l = lines; *l != NULL; l++) {
        g_auto(GStrv) row = g_strsplit(*l, "|", N_COLUMNS);
        if (g_strv_length(row) == N_COLUMNS) {
            add_row(q, name, row, nodes);
        }
    }
    if (nodes->len != 0) {
        g_ptr_array_add(nodes, NULL);
        q->nodes = g_strjoinv(", ", (char **)nodes->pdata);
    }
    return true;
}

char *sweep_queue_text(const SweepQueue *q)
{
    if (q->array == NULL) {
        return q->collector != NULL ? g_strdup_printf("job %s collects results", q->collector)
                                    : NULL;
    }
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "job %s: ", q->array);
    if (q->running != 0) {
        g_string_append_printf(out, "%u task%s%s%s", q->running,
                               q->running == 1 ? " runs" : "s run", q->nodes != NULL ? " on " : "",
                               q->nodes != NULL ? q->nodes : "");
    }
    if (q->waiting != 0) {
        g_string_append_printf(out, "%s%u wait%s", q->running != 0 ? ", " : "", q->waiting,
                               q->waiting == 1 ? "s" : "");
        if (q->why != NULL) {
            g_string_append_printf(out, " (%s)", q->why);
        }
    }
    if (q->collector != NULL) {
        g_string_append_printf(out, "; then job %s collects results", q->collector);
    }
    return g_string_free(out, false);
}
