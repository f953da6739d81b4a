/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--on slurm`: what is to do, as a job array and a job behind it. Each task is this command again, with --tasks and a database of its own, so that no
 * two processes write one file; what the scripts say may be read, and done by hand.
 */
#include "sweep_slurm.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <monitor/signals.h>
#include <stdio.h>
#include <string.h>

#define MOST_TASKS 1000u /* MaxArraySize of a Slurm that nobody configured is 1001 */
#define TASK_S 60.0      /* that a task should take at least, where its runs are shorter */

/* Some runs of the sweep, which one task does. */
typedef struct Chunk {
    GArray *runs; /* uint32_t, in order */
    double seconds;
} Chunk;

static void free_chunk(gpointer data)
{
    Chunk *c = data;
    g_array_unref(c->runs);
    g_free(c);
}

/* ---- chunks ----------------------------------------------------------------------------------------------------- */

static bool number_of_tasks(const Sweep *s, double seconds, uint32_t *n, GError **error)
{
    uint32_t runs = s->counts[SWEEP_TO_DO];
    uint64_t asked = 0;
    *n = (uint32_t)CLAMP(ceil(seconds / TASK_S), 1, MIN(runs, MOST_TASKS));
    if (s->slurm_tasks == NULL) {
        return true;
    }
    if (!cli_number_in("--slurm-tasks", s->slurm_tasks, 1, 1000000, &asked, error)) {
        return false;
    }
    *n = (uint32_t)MIN(asked, runs);
    return true;
}

static int longest_first(const void *a, const void *b)
{
    const Chunk *x = *(const Chunk *const *)a, *y = *(const Chunk *const *)b;
    return x->seconds != y->seconds
               ? (x->seconds < y->seconds ? 1 : -1)
               : (g_array_index(x->runs, uint32_t, 0) > g_array_index(y->runs, uint32_t, 0) ? 1
                                                                                            : -1);
}

/* Neighbours in the plan are one task's, each of about the same time: they share traces, and lists stay short. */
static GPtrArray *cut(const Sweep *s, uint32_t n, double seconds)
{
    GPtrArray *chunks = g_ptr_array_new_with_free_func(free_chunk);
    double done = 0;
    uint32_t n_done = 0;
    Chunk *now = NULL;
    for (uint32_t i = s->first; i < s->last; i++) {
        if (s->runs[i].state != SWEEP_TO_DO) {
            continue;
        }
        uint32_t left = s->counts[SWEEP_TO_DO] - n_done, others = n - chunks->len;
        bool full =
            now != NULL && others != 0 && (left <= others || done >= seconds * chunks->len / n);
        if (now == NULL || full) {
            now = g_new0(Chunk, 1);
            now->runs = g_array_new(false, false, sizeof(uint32_t));
            g_ptr_array_add(chunks, now);
        }
        double takes = s->runs[i].expected * s->runs[i].cores / s->cores;
        g_array_append_val(now->runs, i);
        now->seconds += takes;
        done += takes;
        n_done++;
    }
    g_ptr_array_sort(chunks, longest_first);
    return chunks;
}

/* ---- what is written -------------------------------------------------------------------------------------------- */

static void add_word(GString *out, const char *word)
{
    g_autofree char *quoted = g_shell_quote(word);
    g_string_append_printf(out, " %s", quoted);
}

static void add_words(GString *out, const char *option, char *const *values)
{
    for (char *const *v = values; v != NULL && *v != NULL; v++) {
        g_string_append_printf(out, " %s", option);
        add_word(out, *v);
    }
}

/* Options of this command that say what runs. */
static void add_options(const Sweep *s, GString *out)
{
    const struct {
        const char *option;
        char *const *values;
    } all[] = {{"--axis", s->axes},      {"--exclude", s->excluded},   {"--keep", s->kept},
               {"--config", s->configs}, {"--platform", s->platforms}, {"--gpgpusim", s->gpgpusim},
               {"--module", s->modules}, {"--set", s->values}};
    char *const time[] = {s->time_text, NULL}, *const memory[] = {s->run_memory_text, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        add_words(out, all[i].option, all[i].values);
    }
    add_words(out, "--time-limit", time);
    add_words(out, "--memory-limit", memory);
    g_string_append(out, " --");
    if (s->file != NULL) {
        add_word(out, s->file);
    }
    for (char *const *t = s->traces; t != NULL && *t != NULL; t++) {
        add_word(out, *t);
    }
}

/* What both scripts begin with: up to the folder in which the command was given. @p own: options of sbatch that count more than the user's. */
static bool begin_script(const Sweep *s, const char *name, const char *own, GString *out,
                         GError **error)
{
    g_autofree char *here = g_get_current_dir(), *folder = sweep_folder(s),
                    *quoted_here = g_shell_quote(here), *quoted = g_shell_quote(folder);
    if (!g_path_is_absolute(here)) {
        return ww_fail(error, WW_ERROR_SYSTEM, "the current folder has no name; expected one");
    }
    g_string_append_printf(out, "#!/bin/bash\n#SBATCH --requeue\n#SBATCH --open-mode=append\n");
    for (guint i = 0; i < s->sweep->slurm->len; i++) {
        g_string_append_printf(out, "#SBATCH %s\n", (const char *)s->sweep->slurm->pdata[i]);
    }
    g_string_append_printf(out, "#SBATCH --job-name=%s %s\nhere=%s\nfolder=%s\n", name, own,
                           quoted_here, quoted);
    return true;
}

static char *program(GError **error)
{
    char *path = g_file_read_link("/proc/self/exe", NULL);
    if (path == NULL || !g_file_test(path, G_FILE_TEST_IS_EXECUTABLE)) {
        ww_fail(error, WW_ERROR_SYSTEM,
                "this program's file is not there any more ('%s'); expected "
                "it, on a file system that all nodes share",
                path != NULL ? path : "/proc/self/exe");
        g_clear_pointer(&path, g_free);
    }
    return path;
}

static bool write_file(const Sweep *s, const char *name, const char *text, GError **error)
{
    g_autofree char *path = sweep_folder_file(s, name);
    g_autoptr(GError) why = NULL;
    return g_file_set_contents(path, text, -1, &why) ||
           ww_fail(error, WW_ERROR_SYSTEM, "cannot write '%s': %s; expected a folder with room",
                   path, why->message);
}

static bool write_array(const Sweep *s, const char *name, uint32_t n, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *own = program(error);
    g_autofree char *options =
        g_strdup_printf("--array=1-%u --cpus-per-task=%u --output=task-%%a.log", n, s->cores);
    if (own == NULL || !begin_script(s, name, options, out, error)) {
        return false;
    }
    g_string_append(out,
                    "cd \"$here\" && [ -e \"$folder/runs\" ] || {\n"
                    "    echo \"warpwright: $(hostname) does not have '$here' and '$folder'; "
                    "expected folders that all nodes share\" >&2\n"
                    "    exit 2\n}\n"
                    "task=${SLURM_ARRAY_TASK_ID:?}\n"
                    "part=$folder/part-$task-${SLURM_RESTART_COUNT:-0}.db\n"
                    "options=()\n"
                    "for earlier in \"$folder/part-$task-\"*.db; do # of the same task, on a node "
                    "that was lost\n"
                    "    [ \"$earlier\" = \"$part\" ] || [ ! -e \"$earlier\" ] || "
                    "options+=(--known \"$earlier\")\n"
                    "done\n"
                    "memory=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * "
                    "${SLURM_CPUS_PER_TASK:-1}))} # MiB\n"
                    "[ \"$memory\" -eq 0 ] || options+=(--memory \"$((memory * 9 / 10)) MiB\")\n");
    g_string_append(out, "exec");
    add_word(out, own);
    g_string_append_printf(
        out,
        " sweep \"${options[@]}\" --progress plain%s --jobs \"${SLURM_CPUS_PER_TASK:-1}\" "
        "--tasks \"$(sed -n \"${task}p\" \"$folder/tasks\")\" \\\n"
        "    --db \"$part\" --experiment",
        s->keep_going ? " --keep-going" : "");
    add_word(out, sweep_name(s));
    add_options(s, out);
    g_string_append_c(out, '\n');
    return write_file(s, "array.sh", out->str, error);
}

static bool write_collector(const Sweep *s, const char *name, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *own = program(error), *full = g_strconcat(name, "-collect", NULL);
    if (own == NULL ||
        !begin_script(s, full, "--cpus-per-task=1 --output=collect.log", out, error)) {
        return false;
    }
    g_string_append(out, "[ -e \"$folder/runs\" ] || exit 0 # somebody has done it\n"
                         "cd \"$here\" && exec");
    add_word(out, own);
    g_string_append(out, " sweep --collect --db");
    add_word(out, s->db_name);
    g_string_append_c(out, '\n');
    return write_file(s, "collect.sh", out->str, error);
}

/* The database's name may hold anything, that of a job may not; the number tells sweeps of the same name apart. */
static char *job_name(const Sweep *s)
{
    g_autofree char *name = g_strndup(sweep_name(s), 60);
    g_strcanon(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-", '_');
    return g_strdup_printf("%s-%08x", name, g_random_int());
}

static bool write_all(const Sweep *s, const GPtrArray *chunks, SweepOut *out, GError **error)
{
    g_autoptr(GString) tasks = g_string_new(NULL);
    for (guint c = 0; c < chunks->len; c++) {
        const Chunk *chunk = chunks->pdata[c];
        g_autofree char *text =
            sweep_part_text((const uint32_t *)(void *)chunk->runs->data, chunk->runs->len);
        g_string_append_printf(tasks, "%s\n", text);
        for (guint i = 0; i < chunk->runs->len; i++) {
            uint32_t number = g_array_index(chunk->runs, uint32_t, i);
            const SweepRun *r = &s->runs[number];
            SweepOutRun run = {.task = c + 1, .number = number + 1};
            g_strlcpy(run.key, r->key, sizeof run.key);
            g_strlcpy(run.before, r->before != NULL ? r->before : "", sizeof run.before);
            g_array_append_val(out->runs, run);
        }
    }
    return write_file(s, "tasks", tasks->str, error) &&
           write_array(s, out->name, chunks->len, error) && write_collector(s, out->name, error) &&
           sweep_out_write(s, out, error);
}

/* ---- submitting ------------------------------------------------------------------------------------------------- */

/* "123" of "123;cluster"; newly allocated, or NULL with an error. */
static char *submit(const char *folder, const char *script, const char *after, GError **error)
{
    const char *words[] = {"sbatch", "--parsable", script, NULL, NULL};
    g_autofree char *dependency =
        after != NULL ? g_strconcat("--dependency=afterany:", after, NULL) : NULL;
    if (after != NULL) {
        words[2] = dependency;
        words[3] = script;
    }
    g_autofree char *text = sweep_slurm_call(words, folder, error);
    if (text == NULL) {
        return NULL;
    }
    size_t n = strspn(g_strchug(text), "0123456789");
    if (n == 0) {
        ww_fail(error, WW_ERROR_SYSTEM, "sbatch says '%s'; expected the number of a job",
                g_strchomp(text));
        return NULL;
    }
    return g_strndup(text, n);
}

static void cancel(const char *folder, const char *job, GError **error)
{
    const char *const words[] = {"scancel", job, NULL};
    g_autoptr(GError) why = NULL;
    g_autofree char *text = sweep_slurm_call(words, folder, &why);
    if (text == NULL) {
        g_prefix_error(error, "job %s is still there (%s): ", job, why->message);
    }
}

/* Both jobs or none. */
static bool submit_both(const Sweep *s, char **array, char **collector, GError **error)
{
    g_autofree char *folder = sweep_folder(s);
    *collector = NULL;
    *array = submit(folder, "array.sh", NULL, error);
    if (*array == NULL) {
        return false;
    }
    *collector = submit(folder, "collect.sh", *array, error);
    if (*collector == NULL) {
        cancel(folder, *array, error);
        return false;
    }
    g_autofree char *text = g_strdup_printf("%s %s\n", *array, *collector);
    write_file(s, "jobs", text, NULL); /* for people */
    return true;
}

static bool make_folder(const Sweep *s, GError **error)
{
    g_autofree char *folder = sweep_folder(s);
    sweep_folder_remove(s); /* logs of an earlier job */
    return g_mkdir(folder, 0777) == 0 || errno == EEXIST ||
           ww_fail(error, WW_ERROR_SYSTEM,
                   "cannot make folder '%s': %s; expected a place that can "
                   "be written",
                   folder, g_strerror(errno));
}

static void tell(const Sweep *s, const GPtrArray *chunks, const char *array, const char *collector)
{
    const Chunk *longest = chunks->pdata[0];
    g_autofree char *time = sweep_duration(longest->seconds);
    printf("%u task%s of %u core%s, at most about %s each: job %s; job %s fills %s then\n",
           chunks->len, chunks->len == 1 ? "" : "s", s->cores, s->cores == 1 ? "" : "s", time,
           array, collector, s->db_name);
    printf("'--status' says how far they are\n");
    fflush(stdout);
}

int sweep_submit(Sweep *s, GError **error)
{
    double seconds = sweep_work(s) / s->cores;
    uint32_t n;
    if (!number_of_tasks(s, seconds, &n, error) || !make_folder(s, error)) {
        return CLI_USAGE;
    }
    SweepOut out = {.name = job_name(s),
                    .experiment = g_strdup(sweep_name(s)),
                    .runs = g_array_new(false, true, sizeof(SweepOutRun))};
    g_autoptr(GPtrArray) chunks = cut(s, n, seconds);
    g_autofree char *array = NULL, *collector = NULL;
    ww_signals_set(WW_SIGNALS_DEFER); /* not between the two */
    bool good = write_all(s, chunks, &out, error) && submit_both(s, &array, &collector, error);
    ww_signals_set(WW_SIGNALS_END);
    if (good) {
        tell(s, chunks, array, collector);
    } else {
        sweep_folder_remove(s);
    }
    sweep_out_clear(&out);
    return good ? CLI_DONE : CLI_USAGE;
}

/* ---- afterwards ------------------------------------------------------------------------------------------------- */

/* What the database has now; whoever ran it. */
static bool read_again(Sweep *s, GError **error)
{
    for (uint32_t i = s->first; i < s->last; i++) {
        s->runs[i].before = NULL;
        if (sweep_has(s, i)) {
            sweep_set(s, i, SWEEP_TO_DO);
        }
    }
    g_clear_pointer(&s->earlier, g_hash_table_unref);
    s->retry = false; /* that is done */
    return sweep_read_earlier(s, error);
}

int sweep_tell_end(Sweep *s)
{
    g_autofree char *done = cli_grouped(s->counts[SWEEP_DONE]), *all = cli_grouped(sweep_all(s));
    uint32_t left = s->counts[SWEEP_TO_DO], failed = s->counts[SWEEP_FAILED];
    printf("%s: %s of %s %s done", sweep_name(s), done, all,
           WW_PLURAL(sweep_all(s), "run", "runs"));
    if (failed != 0) {
        printf(", %u failed", failed);
    }
    printf("; in %s\n", s->db_name);
    sweep_tell_noted(s, NULL); /* it has been read already */
    if (left != 0) {
        fflush(stdout);
        g_autofree char *text = g_strdup_printf("%u %s left; the same command goes on", left,
                                                WW_PLURAL(left, "run is", "runs are"));
        cli_say("", text);
    } else if (failed != 0) {
        printf("'--status' says why runs failed, '--retry' runs them again\n");
    }
    return left != 0 || failed != 0 ? CLI_STOPPED : CLI_DONE;
}

int sweep_wait_and_tell(Sweep *s, GError **error)
{
    g_clear_pointer(&s->db, ww_db_close);
    int lock = sweep_wait(s, error) ? sweep_take_lock(s->db_name, error) : -1;
    if (lock < 0) {
        return CLI_USAGE;
    }
    s->db = ww_db_open(s->db_name, WW_DB_WRITE, error);
    bool good = s->db != NULL && sweep_settle(s, error) && read_again(s, error);
    sweep_drop_lock(s->db_name, lock);
    return good ? sweep_tell_end(s) : CLI_USAGE;
}
