/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpwright run` is asked: its options, and whether they go together. */
#include "run-priv.h"

#include <inttypes.h>
#include <string.h>

const char *const run_report_names[] = {"summary", "accelsim", "none", NULL};
/* Threads without being told: more are worth little (docs/performance.md#threads). */
#define MOST_THREADS 8

static const char *const progress_names[] = {"auto", "plain", "none", NULL};

static const char *const description =
    "TRACE is a kernelslist.g, a folder that holds one, or a single kernel trace; plain, .xz or "
    ".zst.\n"
    "If several lie below a folder (APP/ARGS/traces/kernelslist.g), each is run and gets a row of "
    "a table; {trace}\n"
    "in a file name becomes APP/ARGS: -o 'results/{trace}.json'.\n"
    "A PLATFORM that replays no trace (see tutorial/) runs without one; the report then shows its "
    "statistics.\n"
    "\n"
    "A filter of events: --events-filter=sm=0,warp=3,kind=issue,writeback,from=5000,to=6000; "
    "path=GLOB\n"
    "selects components by path, from= and to= are core cycles. A line of the log is: cycle (of "
    "the component's own clock), kind,\n"
    "path, warp, text, separated by tabs.\n"
    "\n"
    "Exit status: 0 done; 1 the model stopped: hang, --max-cycles, or an interrupt (the results so "
    "far are written\n"
    "and marked as partial); 2 bad usage or input.";

/* Of two, one would be lost. */
static bool only_one(const char *option, char *const *given, const char *expected, const char **is,
                     GError **error)
{
    *is = given != NULL ? given[0] : NULL;
    return given == NULL || given[1] == NULL ||
           ww_fail(error, WW_ERROR_USAGE, "%s is given twice, '%s' and '%s'; expected %s", option,
                   given[0], given[1], expected);
}

/* What is run, and what there is of it then. */
static const GOptionEntry *what_options(Run *r)
{
    static GOptionEntry rows[13];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_RUNS),
        {"opcodes", 0, 0, G_OPTION_ARG_FILENAME, &r->opcodes_name,
         "Classify opcodes by this map, whatever the trace's binary version: NAME of one, or a "
         ".map file",
         "MAP"},
        {"kernels", 0, 0, G_OPTION_ARG_FILENAME, &r->kernels,
         "Run only these kernels of the list, e.g. 3,5-7", "LIST"},
        {"max-ctas", 0, 0, G_OPTION_ARG_FILENAME, &r->max_ctas_text,
         "Run only the first N CTAs of each kernel", "N"},
        {"sass", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r->sass,
         "Listing or cubin of the trace's code; repeatable; none: ignore those beside the trace, "
         "too",
         "FILE"},
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &r->outputs,
         "Write results to FILE.json or FILE.csv; repeatable, for both", "FILE"},
        {"report", 0, 0, G_OPTION_ARG_FILENAME, &r->report_name,
         "What to print: summary (default), accelsim (the reference's lines, after each kernel), "
         "none",
         cli_choices(run_report_names)},
        {"report-file", 0, 0, G_OPTION_ARG_FILENAME, &r->report_file, "Print the report to FILE",
         "FILE"},
        {"progress", 0, 0, G_OPTION_ARG_FILENAME, &r->progress_name,
         "auto (a live line on a terminal), plain (a line every few seconds), none",
         cli_choices(progress_names)},
        {"fingerprint", 0, 0, G_OPTION_ARG_NONE, &r->fingerprint,
         "Hash every token that moves and print the hash", NULL},
        {"host", 0, 0, G_OPTION_ARG_NONE, &r->host,
         "Include host figures (time, speed) in reports and files, which then differ from run to "
         "run",
         NULL},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

/* How it is run: who looks at it, and when it ends. */
static const GOptionEntry *how_options(Run *r)
{
    static GOptionEntry rows[16];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_IS_LOOKED_AT),
        {"pcs", 0, 0, G_OPTION_ARG_NONE, &r->pcs,
         "Count issues, stalls, latencies and hits of each static instruction "
         "(docs/instructions.md)",
         NULL},
        {"events", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r->events_files,
         "Write an event log (FILE.zst: compressed)", "FILE"},
        {"events-filter", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r->events_filters,
         "Which events to write; see below", "FILTER"},
        {"view", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &r->view_files,
         "Draw events to FILE.kanata, FILE.perfetto-trace or FILE.vcd (docs/view.md); repeatable",
         "FILE"},
        CLI_HEADING(CLI_WHEN_IT_ENDS),
        {"max-cycles", 0, 0, G_OPTION_ARG_FILENAME, &r->max_cycles_text, "Stop after N core cycles",
         "N"},
        {"hang-limit", 0, 0, G_OPTION_ARG_FILENAME, &r->hang_text,
         "Stop when no instruction completes for N core cycles (default 50000; 0: never)", "N"},
        CLI_HEADING(CLI_HOST),
        {"threads", 'j', 0, G_OPTION_ARG_FILENAME, &r->threads_text,
         "Run partitions on N threads: faster, same results (default auto: one per processor, up "
         "to " G_STRINGIFY(MOST_THREADS) ", while that is faster)",
         "N"},
        {"threads-from", 0, 0, G_OPTION_ARG_FILENAME, &r->threads_from_text,
         "Use several threads only while windows have N turns or more (default " G_STRINGIFY(
             WW_ENOUGH_TURNS) "): below that one is faster",
         "N"},
        {"no-windows", 0, 0, G_OPTION_ARG_NONE, &r->no_windows,
         "Run all partitions tick by tick, without windows", NULL},
        {"no-sleep", 0, 0, G_OPTION_ARG_NONE, &r->no_sleep,
         "Run every component in every cycle: slow, same results", NULL},
        {"profile-windows", 0, 0, G_OPTION_ARG_FILENAME, &r->profile_file,
         "Write the host time of each partition in each window, as CSV", "FILE"},
        {"profile-turns", 0, 0, G_OPTION_ARG_FILENAME, &r->turns_file,
         "Write how many turns each type had, and how many of them did nothing, as CSV; slow",
         "FILE"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

bool run_parse(Run *r, int *argc, char ***argv, GError **error)
{
    const GOptionEntry *const tables[] = {cli_setup_options(&r->setup),
                                          what_options(r),
                                          how_options(r),
                                          run_figures_options(&r->figures),
                                          cli_live_options(&r->live_options),
                                          cli_checkpoints_options(&r->checkpoints),
                                          NULL};
    cli_live_words(*argc, *argv);
    return cli_parse(argc, argv, "TRACE",
                     "Replays an instruction trace and says how many cycles it takes, and why.",
                     description, tables, error) &&
           only_one("--events", r->events_files, "one file", &r->events_file, error) &&
           only_one("--events-filter", r->events_filters, "one, its parts separated by commas",
                    &r->events_filter, error);
}

/* Texts of a trace are hashed with a number that each process draws. Whoever wants it to do the very same twice says which. */
static bool read_seed(GError **error)
{
    const char *text = g_getenv("WARPWRIGHT_SEED");
    uint64_t seed;
    if (text == NULL) {
        return true;
    }
    if (!cli_number("WARPWRIGHT_SEED", text, &seed, error)) {
        return false;
    }
    ww_trace_set_seed(seed);
    return true;
}

/* What is drawn is drawn by one process, from the first event on. */
static bool check_views(const Run *r, GError **error)
{
    return (r->view_files == NULL || !cli_checkpoints_on(&r->checkpoints) ||
            ww_fail(error, WW_ERROR_USAGE,
                    "--view cannot go on in another process; expected it without checkpoints, or "
                    "--events and 'warpwright view'")) &&
           cli_views_check(r->view_files, error);
}

/* What is printed, and where results go. */
static bool check_outputs(Run *r, GError **error)
{
    int kind = r->report_name != NULL
                   ? cli_choice("--report", r->report_name, run_report_names, error)
               : r->part != NULL && !r->part->alone && r->report_file == NULL ? REPORT_NONE
                                                                              : REPORT_SUMMARY;
    r->report = (ReportKind)kind;
    r->progress = r->progress_name != NULL
                      ? cli_choice("--progress", r->progress_name, progress_names, error)
                      : 0;
    if (kind < 0 || r->progress < 0) {
        return false;
    }
    if (r->report_file != NULL && kind == REPORT_NONE) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--report-file '%s' of --report none; expected summary or accelsim",
                       r->report_file);
    }
    r->files = cli_output_files(r->outputs, r->figures.every_text != NULL);
    for (char **o = r->files; *o != NULL; o++) {
        if (!cli_output_check(*o, error)) {
            return false;
        }
    }
    return (r->events_filter == NULL || r->events_file != NULL || r->view_files != NULL) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "--events-filter has no effect without --events FILE or --view FILE; "
                   "expected one of them");
}

/* A number that an option may give. */
static bool read_number(const char *option, const char *text, uint64_t *value, GError **error)
{
    return text == NULL || cli_number(option, text, value, error);
}

/* A limit that an option may give: 0 is none, and no way to say that there is none. */
static bool read_limit(const char *option, const char *text, uint64_t *value, GError **error)
{
    return text == NULL || cli_number_in(option, text, 1, UINT64_MAX, value, error);
}

static bool or_auto(GError **error)
{
    char *message = g_strconcat((*error)->message, ", or auto", NULL);
    g_free((*error)->message);
    (*error)->message = message;
    return false;
}

/* Is a second processor taken, by what runs or waits for one now? Asked before the run has threads of its own. */
static bool host_is_busy(void)
{
    g_autofree char *load = NULL; /* "0.17 0.25 0.30 2/345 6789": two of 345 threads */
    guint running = 0;
    return g_file_get_contents("/proc/loadavg", &load, NULL, NULL) &&
           sscanf(load, "%*s %*s %*s %u/", &running) == 1 && running >= g_get_num_processors();
}

static bool check_threads(Run *r, GError **error)
{
    r->threads_from = WW_ENOUGH_TURNS;
    r->threads_auto = r->threads_text == NULL || strcmp(r->threads_text, "auto") == 0;
    if (r->threads_auto) {
        bool alone =
            r->turns_file != NULL || r->profile_file != NULL; /* they say where time goes */
        r->threads = alone ? 1 : MIN(g_get_num_processors(), MOST_THREADS);
        r->host_busy = r->threads > 1 && host_is_busy();
    } else if (!cli_number_in("--threads", r->threads_text, 1, WW_MAX_WORKERS, &r->threads,
                              error)) {
        return or_auto(error);
    }
    return (r->turns_file == NULL || r->threads == 1) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "--profile-turns with --threads %" G_GUINT64_FORMAT "; expected one thread",
                   r->threads);
}

bool run_check(Run *r, int argc, char **argv, GError **error)
{
    if (!read_seed(error)) {
        return false;
    }
    if (argc != 2 && !(argc == 1 && r->setup.platform_name != NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       argc < 2 ? "run: no trace given; expected warpwright run [OPTION]... TRACE"
                                : "run: more than one trace given ('%s' and '%s'); expected one",
                       argv[1], argc > 2 ? argv[2] : "");
    }
    if (argc == 2 && g_str_has_suffix(argv[1], ".plat") &&
        g_file_test(argv[1], G_FILE_TEST_IS_REGULAR)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "run: '%s' looks like a platform, not a trace; expected -p %s TRACE",
                       argv[1], argv[1]);
    }
    if (!check_outputs(r, error) || !run_figures_check(r, error) ||
        !cli_live_check(&r->live_options, error) || !check_threads(r, error) ||
        !cli_checkpoints_check(&r->checkpoints, error) || !check_views(r, error)) {
        return false;
    }
    r->hang_limit = 50000;
    r->trace_options = (WwTraceOptions){.strict = r->setup.strict, .kernels = r->kernels};
    return cli_listings(r->sass, &r->trace_options.listings, error) &&
           read_number("--threads-from", r->threads_from_text, &r->threads_from, error) &&
           read_limit("--max-cycles", r->max_cycles_text, &r->max_cycles, error) &&
           read_number("--hang-limit", r->hang_text, &r->hang_limit, error) &&
           read_limit("--max-ctas", r->max_ctas_text, &r->trace_options.max_ctas, error);
}
