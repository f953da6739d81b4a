/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright sweep`: from a text of axes to a plan of runs, what is known of them, and what of it is to be done now. The language, the plan and the
 * processes are in sweep/; here is what makes runs of `warpwright run` of them.
 */
#include "sweep_slurm.h"

#include <monitor/signals.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const on_names[] = {"here", "slurm", NULL};
static const char *const progress_names[] = {"auto", "plain", "none", NULL};

static const char *const description =
    "FILE defines axes, each with several values; every combination is run unless excluded:\n"
    "\n"
    "  config qv100                              # for every run\n"
    "  axis trace: samples/*, traces/micro-*     # all that match the patterns\n"
    "  axis scheduler of sm.scheduler: lrr = scheduler.lrr, gto = scheduler.gto\n"
    "  exclude trace=micro-* scheduler=lrr\n"
    "\n"
    "Options are equivalent to lines of FILE: -c NAME is 'config NAME', --axis TEXT is 'axis "
    "TEXT'. Each TRACE is a\n"
    "pattern of 'axis trace'. docs/sweeps.md describes the whole language.\n"
    "\n"
    "Results go into a database (docs/database.md). After an interruption of any kind the same "
    "command resumes,\n"
    "and repeats the runs whose inputs have changed: program, modules, configs, platforms, "
    "traces.\n"
    "\n"
    "Exit status: 0 all runs are done; 1 some failed, or it was interrupted; 2 bad usage or "
    "input.\n"
    "If interrupted before the runs are planned and started, it ends at once with 130 (SIGTERM "
    "143, SIGHUP 129).";

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool parse_options(Sweep *s, int *argc, char ***argv, GError **error)
{
    const GOptionEntry rows[] = {
        CLI_HEADING(CLI_WHAT_RUNS),
        {"axis", 'a', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->axes,
         "Add an axis: 'NAME of PARAMETER: VALUE, SHORT = VALUE'; repeatable", "TEXT"},
        {"exclude", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->excluded,
         "Leave out runs that pass all these tests: 'AXIS=PATTERN AXIS!=PATTERN'", "TESTS"},
        {"keep", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->kept,
         "But keep these; the last line that matches a run decides", "TESTS"},
        {"config", 'c', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->configs, "For every run", "CONFIG"},
        {"platform", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->platforms, "For every run",
         "PLATFORM"},
        {"gpgpusim", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->gpgpusim, "For every run", "FILE"},
        {"module", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->modules, "For every run", "MODULE.so"},
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->values, "For every run", "KEY=VALUE"},
        {"tasks", 0, 0, G_OPTION_ARG_FILENAME, &s->tasks,
         "Only these runs of the plan (--list shows the numbers)", "FIRST-LAST,..."},
        {"retry", 0, 0, G_OPTION_ARG_NONE, &s->retry, "Repeat runs that failed", NULL},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &s->keep_going,
         "Start even if some machines cannot be built: only their runs fail", NULL},
        {"known", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->known,
         "Also leave out runs that are in this database; repeatable", "FILE.db"},
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"db", 0, 0, G_OPTION_ARG_FILENAME, &s->db_name,
         "The database (default: FILE's name, with .db, in this folder)", "FILE.db"},
        {"experiment", 0, 0, G_OPTION_ARG_FILENAME, &s->experiment,
         "Name of the experiment in the database (default: FILE's name)", "NAME"},
        {"progress", 0, 0, G_OPTION_ARG_FILENAME, &s->progress_name,
         "auto (a live page on a terminal), plain (a line every few seconds), none",
         cli_choices(progress_names)},
        CLI_HEADING("Plan and status"),
        {"list", 0, 0, G_OPTION_ARG_NONE, &s->list,
         "Print the plan (number, key, state and values of each run) and exit", NULL},
        {"dry-run", 0, 0, G_OPTION_ARG_NONE, &s->dry,
         "Print how many runs there are and an estimate of their time, and exit", NULL},
        {"status", 0, 0, G_OPTION_ARG_NONE, &s->status,
         "Print what is done, what is running and why runs failed, and exit", NULL},
        CLI_HEADING(CLI_WHEN_IT_ENDS),
        {"time-limit", 0, 0, G_OPTION_ARG_FILENAME, &s->time_text,
         "End a run that takes longer: '90 s', '10 min', '2 h'", "TIME"},
        {"memory-limit", 0, 0, G_OPTION_ARG_FILENAME, &s->run_memory_text,
         "End a run that needs more: '512 MiB', '2 GiB'", "SIZE"},
        CLI_HEADING("On a cluster"),
        {"on", 0, 0, G_OPTION_ARG_FILENAME, &s->on_name,
         "here (default), or slurm: submit a job array and a job that collects its results",
         cli_choices(on_names)},
        {"slurm-option", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->slurm_options,
         "Options for sbatch: '--partition=short --time=2:00:00'; repeatable", "TEXT"},
        {"slurm-tasks", 0, 0, G_OPTION_ARG_FILENAME, &s->slurm_tasks,
         "Tasks of the array (default: by the estimated time of the runs, at most 1000)", "N"},
        {"wait", 0, 0, G_OPTION_ARG_NONE, &s->wait, "With --on slurm: wait until its jobs end",
         NULL},
        {"collect", 0, 0, G_OPTION_ARG_NONE, &s->collect,
         "Collect the results of finished tasks into --db, as the last job does", NULL},
        CLI_HEADING(CLI_HOST),
        {"jobs", 'j', 0, G_OPTION_ARG_FILENAME, &s->jobs_text, "Keep N cores busy (default: all)",
         "N"},
        {"memory", 0, 0, G_OPTION_ARG_FILENAME, &s->memory_text,
         "Memory for all runs together (default: nine tenths of what is free)", "SIZE"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {rows, NULL};
    return cli_parse(argc, argv, "[FILE.sweep] [TRACE]...",
                     "Runs an experiment of many runs, on all cores.", description, tables, error);
}

/* Cores that this process may use. */
static uint32_t cores_of_host(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)MAX(CPU_COUNT(&set), 1)
                                                       : g_get_num_processors();
}

/* Nine tenths of what nobody uses now, but room for a run in any case. */
static uint64_t memory_of_host(void)
{
    uint64_t n = ww_free_memory("/");
    return n != WW_MEMORY_UNKNOWN ? MAX(n / 10 * 9, SWEEP_GUESS_BYTES) : 1ull << 30;
}

/* What is said of a cluster without --on slurm, and databases that are not there. */
static bool check_more(Sweep *s, GError **error)
{
    const struct {
        const char *name;
        bool given;
    } of_slurm[] = {{"--slurm-option", s->slurm_options != NULL},
                    {"--slurm-tasks", s->slurm_tasks != NULL},
                    {"--wait", s->wait}};
    int on = s->on_name != NULL ? cli_choice("--on", s->on_name, on_names, error) : 0;
    if (on < 0) {
        return false;
    }
    s->slurm = on == 1;
    for (size_t i = 0; !s->slurm && i < G_N_ELEMENTS(of_slurm); i++) {
        if (of_slurm[i].given) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "sweep: %s has no effect here; expected it with --on slurm",
                           of_slurm[i].name);
        }
    }
    s->others = g_ptr_array_new_with_free_func(g_free);
    for (char **k = s->known; k != NULL && *k != NULL; k++) {
        if (!g_file_test(*k, G_FILE_TEST_IS_REGULAR)) {
            return ww_fail(error, WW_ERROR_USAGE, "--known '%s': no such file; expected a database",
                           *k);
        }
        g_ptr_array_add(s->others, g_strdup(*k));
    }
    return true;
}

static bool check_options(Sweep *s, GError **error)
{
    uint64_t jobs = 0;
    s->progress = s->progress_name != NULL
                      ? cli_choice("--progress", s->progress_name, progress_names, error)
                      : 0;
    if (s->progress < 0) {
        return false;
    }
    if (s->list + s->dry + s->status + s->collect > 1) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "sweep: --list, --dry-run, --status and --collect together; expected one of them");
    }
    if (!check_more(s, error)) {
        return false;
    }
    s->cores = s->slurm ? MOST_CORES : cores_of_host();
    if (s->jobs_text != NULL) {
        if (!cli_number_in("--jobs", s->jobs_text, 1, MOST_CORES, &jobs, error)) {
            return false;
        }
        s->cores = (uint32_t)jobs;
    }
    s->memory = memory_of_host();
    return s->memory_text == NULL || ww_sweep_bytes("--memory", s->memory_text, &s->memory, error);
}

/* ---- the sweep -------------------------------------------------------------------------------------------------- */

static bool add_lines(Sweep *s, const char *from, const char *word, char **texts, GError **error)
{
    for (char **t = texts; t != NULL && *t != NULL; t++) {
        g_autofree char *line = g_strconcat(word, " ", *t, NULL);
        if (!ww_sweep_add(s->sweep, from, line, NULL, error)) {
            return false;
        }
    }
    return true;
}

static bool add_options(Sweep *s, const char *from, const char *word, char **values, GError **error)
{
    for (char **v = values; v != NULL && *v != NULL; v++) {
        if (!ww_sweep_option(s->sweep, from, word, *v, error)) {
            return false;
        }
    }
    return true;
}

/* Could it stand in a sweep's text, which is UTF-8, within quotes? */
static bool is_trace_name(const char *name, GError **error)
{
    if (!g_utf8_validate(name, -1, NULL)) {
        g_autofree char *valid = g_utf8_make_valid(name, -1);
        return ww_fail(error, WW_ERROR_USAGE, "sweep: trace '%s'; expected a name in UTF-8", valid);
    }
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\') {
            return ww_fail(error, WW_ERROR_USAGE,
                           "sweep: trace '%s'; expected a name without quotes, backslashes and "
                           "control characters",
                           name);
        }
    }
    return true;
}

/* What a shell made of patterns, and patterns, as one axis. */
static bool add_traces(Sweep *s, GError **error)
{
    g_autoptr(GString) line = g_string_new(NULL);
    for (char **t = s->traces; t != NULL && *t != NULL; t++) {
        if (!is_trace_name(*t, error)) {
            return false;
        }
        g_string_append_printf(line, "%s\"%s\"", line->len != 0 ? ", " : "axis trace: ", *t);
    }
    return line->len == 0 || ww_sweep_add(s->sweep, "TRACE", line->str, NULL, error);
}

static bool add_limits(Sweep *s, GError **error)
{
    return (s->time_text == NULL ||
            ww_sweep_time("--time-limit", s->time_text, &s->sweep->time_limit, error)) &&
           (s->run_memory_text == NULL ||
            ww_sweep_bytes("--memory-limit", s->run_memory_text, &s->sweep->memory_limit, error));
}

static bool add_slurm(Sweep *s, GError **error)
{
    for (char **t = s->slurm_options; t != NULL && *t != NULL; t++) {
        if (!ww_sweep_slurm(s->sweep, "--slurm-option", *t, error)) {
            return false;
        }
    }
    return true;
}

static bool read_sweep(Sweep *s, GError **error)
{
    s->sweep = ww_sweep_new();
    return (s->file == NULL || ww_sweep_read(s->sweep, s->file, error)) &&
           add_options(s, "-p", "platform", s->platforms, error) &&
           add_options(s, "-c", "config", s->configs, error) &&
           add_options(s, "--gpgpusim", "gpgpusim", s->gpgpusim, error) &&
           add_options(s, "-m", "module", s->modules, error) &&
           add_options(s, "-s", "set", s->values, error) && add_traces(s, error) &&
           add_lines(s, "--axis", "axis", s->axes, error) &&
           add_lines(s, "--exclude", "exclude", s->excluded, error) &&
           add_lines(s, "--keep", "keep", s->kept, error) && add_limits(s, error) &&
           add_slurm(s, error);
}

static bool plan(Sweep *s, GError **error)
{
    if (!read_sweep(s, error)) {
        return false;
    }
    s->plan = ww_plan_new(s->sweep, error);
    if (s->plan == NULL) {
        return false;
    }
    s->n = ww_plan_n(s->plan);
    s->runs = g_new0(SweepRun, s->n);
    if (!sweep_set_part(s, error) || !sweep_find_keys(s, error)) {
        return false;
    }
    if (s->slurm && s->jobs_text == NULL) { /* of a task: what its runs need */
        s->cores = 1;
        for (uint32_t i = s->first; i < s->last; i++) {
            s->cores = MAX(s->cores, s->runs[i].cores);
        }
    }
    return true;
}

const char *sweep_name(const Sweep *s)
{
    return s->experiment != NULL ? s->experiment : s->sweep->experiment;
}

void sweep_set(Sweep *s, uint32_t run, SweepState state)
{
    s->counts[s->runs[run].state]--;
    s->counts[state]++;
    s->runs[run].state = state;
}

uint32_t sweep_all(const Sweep *s)
{
    return s->last - s->first - s->counts[SWEEP_SAME] - s->counts[SWEEP_OUT];
}

bool sweep_has(const Sweep *s, uint32_t run)
{
    return s->runs[run].state != SWEEP_SAME && s->runs[run].state != SWEEP_OUT;
}

/* ---- the database ----------------------------------------------------------------------------------------------- */

/* "schedulers" of "a/schedulers.sweep" */
static char *stem(const char *file)
{
    char *name = g_path_get_basename(file);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
    return name;
}

static void set_db(Sweep *s)
{
    if (s->db_name == NULL && s->file != NULL) {
        g_autofree char *name = stem(s->file);
        s->db_name = g_strconcat(name, ".db", NULL);
    }
}

static bool set_names(Sweep *s, GError **error)
{
    if (s->file == NULL && s->db_name == NULL && !s->list && !s->dry) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "sweep: no FILE.sweep, and no --db; expected where results go");
    }
    if (sweep_name(s) == NULL) {
        s->experiment = s->file != NULL      ? stem(s->file)
                        : s->db_name != NULL ? stem(s->db_name)
                                             : g_strdup("sweep");
    }
    set_db(s);
    return true;
}

/* A sweep that was killed before it had made tables leaves such a file, perhaps with a journal, which is rolled back when it is opened. */
static bool is_empty(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

static bool open_db(Sweep *s, bool write, GError **error)
{
    if (!write && (s->db_name == NULL || !g_file_test(s->db_name, G_FILE_TEST_EXISTS))) {
        return true;
    }
    g_autoptr(GError) why = NULL;
    s->db = ww_db_open(s->db_name, write ? WW_DB_CREATE : WW_DB_READ, &why);
    if (s->db != NULL || (!write && is_empty(s->db_name))) {
        return true;
    }
    g_propagate_error(error, g_steal_pointer(&why));
    return false;
}

/* Before anything is begun or written, and while Ctrl-C still ends all at once. */
static bool try_machines(Sweep *s, GError **error)
{
    g_autoptr(GPtrArray) others = g_steal_pointer(&s->others); /* a note about one comes later */
    bool good =
        open_db(s, false, error) && sweep_read_earlier(s, error) && sweep_try_machines(s, error);
    s->others = g_steal_pointer(&others);
    g_clear_pointer(&s->db, ww_db_close);
    return good;
}

/* ---- carrying it out --------------------------------------------------------------------------------------------- */

static void tell_plan(const Sweep *s);

static int go(Sweep *s, GError **error)
{
    return !s->slurm                     ? sweep_go(s, error)
           : s->counts[SWEEP_TO_DO] != 0 ? sweep_submit(s, error)
                                         : sweep_tell_end(s);
}

static int carry_out(Sweep *s, GError **error)
{
    int lock = s->wait && !sweep_wait(s, error) ? -1 : sweep_take_lock(s->db_name, error),
        status = CLI_USAGE;
    if (lock < 0) {
        return status;
    }
    if (!s->slurm) {
        ww_signals_set(WW_SIGNALS_DEFER); /* from here on it is told how far it came */
    }
    bool good = open_db(s, true, error) && sweep_settle(s, error) && sweep_read_earlier(s, error);
    if (good) {
        tell_plan(s);
        sweep_tell_notes(s);
    }
    if (good && ww_db_experiment(s->db, sweep_name(s), s->sweep->text, error)) {
        status = go(s, error);
    }
    sweep_drop_lock(s->db_name, lock);
    return s->wait && sweep_is_out(s) && status == CLI_DONE ? sweep_wait_and_tell(s, error)
                                                            : status;
}

/* ---- what is told ----------------------------------------------------------------------------------------------- */

/* "trace 8 x config 2" */
static char *shape(const Sweep *s)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < s->sweep->axes->len; i++) {
        const WwSweepAxis *a = s->sweep->axes->pdata[i];
        g_string_append_printf(out, "%s%u %s", i != 0 ? " x " : "", a->values->len, a->name);
    }
    return g_string_free(out, false);
}

static void tell_plan(const Sweep *s)
{
    uint32_t left = s->counts[SWEEP_TO_DO];
    g_autofree char *all = cli_grouped(sweep_all(s)), *to_do = cli_grouped(left),
                    *size = sweep_size(s->memory), *axes = shape(s),
                    *done = cli_grouped(s->counts[SWEEP_DONE]),
                    *time = sweep_duration(sweep_estimate(s));
    printf("%s: %s run%s", sweep_name(s), all, sweep_all(s) != 1 ? "s" : "");
    if (*axes != '\0') {
        printf(" (%s%s)", axes, s->tasks != NULL ? "; a part" : "");
    }
    if (s->counts[SWEEP_DONE] != 0) {
        printf(", %s done", done);
    }
    if (s->counts[SWEEP_FAILED] != 0) {
        printf(", %u failed", s->counts[SWEEP_FAILED]);
    }
    printf("\n");
    if (s->counts[SWEEP_SAME] != 0) {
        printf("%u left out: the inputs are those of other runs\n", s->counts[SWEEP_SAME]);
    }
    if (left != 0 && s->slurm) {
        g_autofree char *work = sweep_duration(sweep_work(s));
        printf("%s to do: about %s of a core\n", to_do, work);
    } else if (left != 0) {
        const char *from = s->n_known == 0      ? "by the size of traces"
                           : s->n_known == left ? "by earlier runs"
                                                : "by earlier runs, and the size of traces";
        printf("%s to do on %u %s in %s of memory: about %s, %s\n", to_do, s->cores,
               WW_PLURAL(s->cores, "core", "cores"), size, time, from);
    }
    if (s->n_tried < s->n_machines) {
        g_autofree char *tried = cli_grouped(s->n_tried), *of = cli_grouped(s->n_machines);
        printf("%s of %s machines have been built to see whether they can be\n", tried, of);
    }
    fflush(stdout);
}

static int list(const Sweep *s)
{
    static const char *const states[] = {[SWEEP_TO_DO] = "to do",
                                         [SWEEP_RUNNING] = "running",
                                         [SWEEP_DONE] = "done",
                                         [SWEEP_FAILED] = "failed",
                                         [SWEEP_SAME] = "same"};
    G_STATIC_ASSERT(G_N_ELEMENTS(states) == SWEEP_OUT && SWEEP_OUT + 1 == SWEEP_STATES);
    for (uint32_t i = s->first; i < s->last && !cli_process_unheard(); i++) {
        if (s->runs[i].state == SWEEP_OUT) {
            continue;
        }
        g_autofree char *text = ww_plan_text(s->plan, i), *shown = cli_visible(text);
        printf("%u\t%.12s\t%s\t%s\n", i + 1, s->runs[i].key, states[s->runs[i].state], shown);
    }
    return CLI_DONE;
}

static int look(Sweep *s, GError **error)
{
    bool out = sweep_is_out(s);
    if (out) {
        g_autoptr(GPtrArray) parts = sweep_folder_parts(s);
        g_ptr_array_extend_and_steal(s->others, g_steal_pointer(&parts));
    }
    if (!open_db(s, false, error) || !sweep_read_earlier(s, error)) {
        return CLI_USAGE;
    }
    if (s->list) {
        return list(s);
    }
    if (s->dry && !sweep_try_machines(s, error)) {
        return CLI_USAGE;
    }
    tell_plan(s);
    sweep_tell_notes(s);
    if (out && s->status) {
        sweep_tell_queue(s);
    }
    return s->status ? sweep_tell_status(s, error) : CLI_DONE;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static void clear(Sweep *s)
{
    char *const texts[] = {s->db_name,     s->experiment, s->tasks,           s->jobs_text,
                           s->memory_text, s->time_text,  s->run_memory_text, s->progress_name,
                           s->on_name,     s->slurm_tasks};
    char **const lists[] = {s->axes,    s->excluded, s->kept,   s->configs, s->platforms,
                            s->modules, s->gpgpusim, s->values, s->known,   s->slurm_options};
    ww_db_close(s->db);
    ww_plan_free(s->plan);
    ww_sweep_free(s->sweep);
    g_free(s->runs);
    g_clear_pointer(&s->earlier, g_hash_table_unref);
    g_clear_pointer(&s->others, g_ptr_array_unref);
    g_clear_pointer(&s->noted, g_ptr_array_unref);
    g_clear_pointer(&s->told, g_hash_table_unref);
    g_free(s->traces);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        g_strfreev(lists[i]);
    }
}

static bool has_plan(const Sweep *s)
{
    return s->file != NULL || *s->traces != NULL || s->axes != NULL || s->platforms != NULL;
}

/* The arguments: the sweep, if the first one is that, and traces. */
static bool sort_arguments(Sweep *s, int argc, char **argv, GError **error)
{
    int first = 1;
    if (argc > 1 && g_str_has_suffix(argv[1], ".sweep")) {
        s->file = argv[1];
        first = 2;
    }
    s->traces = g_new0(char *, (gsize)(argc - first) + 1);
    for (int i = first; i < argc; i++) {
        if (g_str_has_suffix(argv[i], ".sweep")) {
            return ww_fail(error, WW_ERROR_USAGE,
                           s->file != NULL ? "sweep: a second sweep, '%s'; expected one"
                                           : "sweep: '%s' behind a trace; expected it first",
                           argv[i]);
        }
        s->traces[i - first] = argv[i];
    }
    return has_plan(s) || ((s->status || s->collect) && s->db_name != NULL) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "sweep: nothing to run; expected warpwright sweep "
                   "FILE.sweep, or --axis and TRACE...");
}

int cli_sweep(int argc, char **argv)
{
    Sweep s = {0};
    GError *error = NULL;
    int status = CLI_USAGE;
    bool good = parse_options(&s, &argc, &argv, &error) && sort_arguments(&s, argc, argv, &error) &&
                check_options(&s, &error);
    if (good && s.collect) {
        set_db(&s);
        status = sweep_collect_command(&s, &error);
    } else if (good && !has_plan(&s)) {
        status = sweep_tell_database(&s, &error);
    } else if (good && plan(&s, &error) && set_names(&s, &error)) {
        if (s.list || s.dry || s.status) {
            status = look(&s, &error);
        } else if (try_machines(&s, &error)) {
            status = carry_out(&s, &error);
        }
    }
    clear(&s);
    return error != NULL ? cli_fail(error) : status;
}
