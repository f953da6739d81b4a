/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright run`: from options to a machine, its trace and its results; and back to where a checkpoint was made. */
#include "pcs.h"
#include "run-priv.h"

#include <string.h>

static void find_results(Run *r)
{
    for (uint32_t t = 0; t < ww_machine_n_types(r->setup.machine); t++) {
        WwComponent *c = ww_machine_first(r->setup.machine, t);
        const WwPortRow *row;
        for (WW_ROWS(c->type->ports, row)) {
            if (row->role == WW_PROVIDES && row->contract == &ww_contract_kernel_results) {
                r->queue = c;
                r->queue_if = row->table;
                return;
            }
        }
    }
}

/* The user's map, or that of a config; else the trace's version chooses. */
static bool choose_opcodes(Run *r, GError **error)
{
    const char *by;
    const char *asked = ww_overrides_opcodes(r->setup.overrides, &by);
    if (r->opcodes_name != NULL) {
        return ww_opcodes_choose(r->opcodes, r->opcodes_name, error);
    }
    if (asked != NULL && !ww_opcodes_choose(r->opcodes, asked, error)) {
        return g_prefix_error(error, "%s: ", by), false;
    }
    return true;
}

/* Before the machine, which may depend on what kind of trace it is. */
static bool open_trace(Run *r, const char *trace, GError **error)
{
    r->opcodes = ww_opcodes_new(cli_opcode_dirs());
    r->trace_options.opcodes = r->opcodes;
    r->source =
        cli_source_new(r->heap, trace, &r->trace_options, r->report == REPORT_ACCELSIM, error);
    if (r->source == NULL) {
        return false;
    }
    r->source->describes = r->pcs;
    r->setup.replays = true;
    bool early = !cli_checkpoints_on(
        &r->checkpoints); /* else nothing may have been read before the image is taken */
    r->setup.version = ww_trace_version(r->source->trace, early);
    if (early && r->threads > 1) {
        ww_trace_unpack_ahead(r->source->trace);
    }
    if (!cli_setup_values(&r->setup, error) || !choose_opcodes(r, error)) {
        return false;
    }
    if (r->setup.version != 0) { /* what is wrong with it is told with the kernel */
        r->setup.map = ww_opcodes_for(r->opcodes, r->setup.version, NULL);
    }
    if (early && r->threads > 1) {
        ww_trace_read_ahead(r->source->trace); /* without it the results are the same */
    }
    return true;
}

static bool bind_trace(Run *r, GError **error)
{
    int row;
    WwComponent *reader = cli_trace_port(r->setup.machine, &row, error);
    if (reader == NULL || !ww_bind_external(reader, row, &cli_source_table, r->source, error)) {
        return false;
    }
    find_results(r);
    if (r->queue_if == NULL) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "nothing in platform '%s' says what its kernels took; expected a component "
                       "that provides "
                       "kernel_results, such as a kernel_queue",
                       ww_platform_name(r->setup.platform));
    }
    return true;
}

/* Without a trace: only a platform that does not replay one. */
static bool check_bare(Run *r, GError **error)
{
    int row;
    if (cli_trace_port(r->setup.machine, &row, NULL) != NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "run: no trace given, and platform '%s' replays one; expected warpwright "
                       "run [OPTION]... TRACE",
                       r->setup.platform_name);
    }
    if (r->report == REPORT_ACCELSIM) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--report=accelsim needs a TRACE; expected summary or none");
    }
    return true;
}

/* The record: what the run is made from. The options here are those that change a result. */
static void note(Run *r, const char *trace)
{
    const struct {
        const char *option, *value;
        bool flag;
    } words[] = {
        {"--opcodes", r->opcodes_name, false},
        {"--kernels", r->kernels, false},
        {"--max-ctas", r->max_ctas_text, false},
        {"--max-cycles", r->max_cycles_text, false},
        {"--hang-limit", r->hang_text, false},
        {"--fingerprint", NULL, r->fingerprint},
        {"--pcs", NULL, r->pcs},
    };
    r->record = cli_record_new(&r->setup, r->source != NULL ? r->source->trace : NULL,
                               r->outputs != NULL || cli_checkpoints_on(&r->checkpoints));
    if (r->setup.map != NULL) {
        cli_record_opcodes(r->record, r->setup.map);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (words[i].value != NULL || words[i].flag) {
            cli_record_word(r->record, words[i].option, words[i].value);
        }
    }
    run_figures_note(r);
    for (char **file = r->sass; file != NULL && *file != NULL; file++) {
        cli_record_word(r->record, "--sass", *file);
    }
    if (trace != NULL) {
        cli_record_word(r->record, trace[0] == '-' ? "--" : trace, trace[0] == '-' ? trace : NULL);
    }
}

static bool fail_twice(const char *file, GError **error)
{
    return ww_fail(error, WW_ERROR_USAGE,
                   "'%s' would be written twice; expected a file for each output", file);
}

static void add_files(GArray *all, const char *option, char *const *names)
{
    for (; names != NULL && *names != NULL; names++) {
        RunFile f = {option, *names};
        g_array_append_val(all, f);
    }
}

GArray *run_outputs(const Run *r, char *const *results)
{
    GArray *all = g_array_new(false, false, sizeof(RunFile));
    const RunFile single[] = {
        {"--events", r->events_file},          {"--profile-windows", r->profile_file},
        {"--profile-turns", r->turns_file},    {"--report-file", r->report_file},
        {"--checkpoint", r->checkpoints.file},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(single); i++) {
        if (single[i].name != NULL) {
            g_array_append_val(all, single[i]);
        }
    }
    add_files(all, "--view", r->view_files);
    add_files(all, "-o", results);
    return all;
}

/* What this run reads beside its inputs is not what it writes; the checkpoint that it goes on from may be written again. */
static bool check_beside(const Run *r, const RunFile *f, GError **error)
{
    const char *restore = r->checkpoints.restore, *token = r->live_options.token_file;
    bool again = f->name == r->checkpoints.file;
    return (restore == NULL || again || cli_record_apart(f->option, f->name, restore, error)) &&
           (token == NULL || cli_record_apart(f->option, f->name, token, error));
}

/* No output is an input, nor another output. */
static bool check_outputs(const Run *r, GError **error)
{
    g_autoptr(GArray) all = run_outputs(r, r->files);
    g_autofree char *partial = r->events_file != NULL && cli_checkpoints_on(&r->checkpoints)
                                   ? g_strconcat(r->events_file, WW_OUTPUT_PARTIAL, NULL)
                                   : NULL;
    if (partial != NULL) {
        add_files(all, "--events", (char *[]){partial, NULL});
    }
    for (guint i = 0; i < all->len; i++) {
        const RunFile *f = &g_array_index(all, RunFile, i);
        if (!cli_record_refuse(r->record, f->option, f->name, error) ||
            !check_beside(r, f, error)) {
            return false;
        }
        for (guint k = 0; k < i; k++) {
            if (cli_record_same_place(g_array_index(all, RunFile, k).name, f->name)) {
                return fail_twice(f->name, error);
            }
        }
    }
    return true;
}

/* The log, and what is drawn of the events that a log would have. */
static bool start_events(Run *r, GError **error)
{
    WwMachine *m = r->setup.machine;
    if (r->events_file == NULL && r->view_files == NULL) {
        return true;
    }
    if (!cli_events_start(&r->events, m, r->events_file, r->events_filter,
                          cli_checkpoints_on(&r->checkpoints), error)) {
        return false;
    }
    FILE *log = r->events.out != NULL ? ww_log_stream(r->events.out) : NULL;
    if (r->view_files != NULL) {
        if (!cli_views_start(&r->views, r->view_files, m, log, error)) {
            return false;
        }
        ww_machine_set_events(m, r->views.stream, &r->events.filter);
    }
    return true;
}

static bool open_profile(const char *file, WwOutput **out, GError **error)
{
    *out = file != NULL ? ww_output_new(file, error) : NULL;
    return file == NULL || *out != NULL ||
           (g_prefix_error(error, "cannot write the profile to "), false);
}

static bool start_profiles(Run *r, GError **error)
{
    if (!open_profile(r->profile_file, &r->profile, error) ||
        !open_profile(r->turns_file, &r->turns, error)) {
        return false;
    }
    r->printed = r->report_file != NULL ? ww_output_new(r->report_file, error) : NULL;
    if (r->report_file != NULL && r->printed == NULL) {
        return g_prefix_error(error, "cannot write the report to "), false;
    }
    if (r->profile != NULL) {
        ww_machine_set_profile(r->setup.machine, ww_output_file(r->profile));
    }
    return true;
}

/* What a run that goes on must have in common with the one before, besides files and machine. */
static bool begin_checkpoints(Run *r, GError **error)
{
    CliCheckpoints *c = &r->checkpoints;
    const struct {
        const char *name, *value;
    } facts[] = {
        {"--max-ctas", r->max_ctas_text},
        {"--fingerprint", r->fingerprint ? "given" : NULL},
        {"--no-sleep", r->no_sleep ? "given" : NULL},
        {"--pcs", r->pcs ? "given" : NULL},
        {"--report", run_report_names[r->report]},
        {"-o", r->outputs != NULL ? "given" : NULL},
        {"--events", r->events_file != NULL ? "given" : NULL},
        {"--events-filter", r->events_filter},
    };
    WwTrace *trace = r->source != NULL ? r->source->trace : NULL;
    if (!cli_checkpoints_begin(c, &r->setup, r->heap, trace, error)) {
        return false;
    }
    cli_checkpoints_fact(c, "--kernels", r->kernels); /* before their files */
    if (!cli_checkpoints_facts(c, &r->setup, r->record, error)) {
        return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++) {
        cli_checkpoints_fact(c, facts[i].name, facts[i].value);
    }
    run_figures_facts(r);
    if (!cli_checkpoints_restore(c, error) ||
        (cli_checkpoints_on(c) &&
         !cli_events_from(&r->events, r->kept->logged, r->kept->log_sum, error))) {
        return false;
    }
    for (uint32_t i = 0; i < r->kept->printed.n; i++) {
        fputs(r->kept->printed.v[i], run_out(r));
    }
    return true;
}

/* A run that goes on from behind its limit has no cycle to run. */
static bool check_limit(const Run *r, GError **error)
{
    uint64_t cycle = r->checkpoints.head.cycle;
    return r->max_cycles == 0 || cycle <= r->max_cycles ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%s: the checkpoint is at cycle %" G_GUINT64_FORMAT
                   ", beyond --max-cycles %" G_GUINT64_FORMAT "; expected a limit that is not over",
                   r->checkpoints.restore, cycle, r->max_cycles);
}

bool run_build(Run *r, const char *trace, GError **error)
{
    if (!cli_checkpoints_early(&r->checkpoints, error) || !check_limit(r, error)) {
        return false;
    }
    r->heap = ww_heap_new();
    r->kept = WW_HEAP_NEW(r->heap, Kept, 1);
    if (!(trace == NULL || open_trace(r, trace, error)) || !cli_setup_machine(&r->setup, error)) {
        return false;
    }
    WwMachine *m = r->setup.machine;
    if (r->turns_file != NULL) {
        ww_machine_count_turns(m);
    }
    if ((r->pcs && !cli_pcs_bind(m, r->setup.registry, error)) ||
        !(trace != NULL ? bind_trace(r, error) : check_bare(r, error)) ||
        !cli_seal(&r->setup, error) ||
        !(trace == NULL || cli_fit_listings(&r->setup, r->source->trace, r->sass != NULL, error))) {
        return false;
    }
    r->setup.sealed = true;
    if (r->report == REPORT_ACCELSIM && !ww_accelsim_check(r->setup.machine, error)) {
        return false;
    }
    ww_machine_set_max_cycles(m, r->max_cycles);
    ww_machine_set_hang_limit(m, r->hang_limit);
    ww_machine_set_no_sleep(m, r->no_sleep);
    ww_machine_set_windows(m, !r->no_windows);
    ww_machine_set_threads(m, (uint32_t)r->threads);
    ww_machine_set_threads_when_they_pay(m, r->threads_auto, r->host_busy);
    ww_machine_set_threads_from(m, r->threads_from);
    ww_machine_set_fingerprint(m, r->fingerprint);
    r->results = ww_results_new(m, r->heap, r->outputs != NULL);
    if (!run_figures_begin(r, error)) {
        return false;
    }
    note(r, trace);
    if (!check_outputs(r, error) || !start_events(r, error) || !start_profiles(r, error)) {
        return false;
    }
    cli_fit_tell(&r->setup);
    cli_checkpoints_tell_begin(&r->checkpoints);
    r->accelsim = ww_accelsim_new(r->results);
    r->results->trace = trace != NULL ? trace : "";
    r->results->platform = r->setup.platform_name;
    r->results->configs = r->setup.configs;
    r->insns = ww_results_column(r->results, WW_THREAD_INSNS);
    if (!begin_checkpoints(r, error)) {
        return false;
    }
    run_plan(r);
    if (trace != NULL && r->threads > 1 && cli_checkpoints_on(&r->checkpoints)) {
        ww_trace_read_ahead(r->source->trace);
    }
    return true;
}
