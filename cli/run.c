/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright run`: a machine, a trace; then steps of the model inside the event loop until the trace is at its end, the
 * model stops, or the user has enough. Results are read whenever a kernel has ended.
 *
 * The order of the end: statistics and reports first, then files, then the exit status. A run that stopped early reports what it
 * has, marked partial; a run that failed (bad trace, impossible instruction) reports nothing but its error.
 */
#include "pcs.h"
#include "run-priv.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_US 20000 /* what a step of the model should take */
#define FIRST_BUDGET                                                                               \
    1u /* what is read of the trace to begin with is told before the first kernel */
#define MOST_BUDGET (1ull << 32)

/* ---- running ---------------------------------------------------------------------------------------------------- */

static WwCycle core_cycle(const Run *r)
{
    if (r->queue != NULL) {
        return ww_now(r->queue);
    }
    for (uint32_t i = 0; i < ww_machine_n_components(r->setup.machine); i++) {
        const WwComponent *c = ww_machine_component(r->setup.machine, i);
        if (c->domain != NULL) {
            return ww_now(c);
        }
    }
    return 0;
}

static double processor_seconds(void)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
}

static void read_host(Run *r)
{
    gint64 us = g_get_monotonic_time() - r->begin - cli_live_paused_for(r->live);
    r->results->host_s = (double)us / 1e6;
    r->results->host_cpu_s = processor_seconds();
    r->results->host_start_cpu_s = r->begin_cpu_s;
    r->results->activations = ww_machine_activations(r->setup.machine);
    r->results->threads = ww_machine_threads(r->setup.machine);
    r->results->window_ticks = ww_machine_window_ticks(r->setup.machine);
}

static void print_warnings(Run *r)
{
    for (; r->n_warned < r->source->warnings.n; r->n_warned++) {
        ww_monitor_clear_line(r->monitor);
        cli_say("warning: ", r->source->warnings.v[r->n_warned]);
    }
}

FILE *run_out(const Run *r)
{
    return r->printed != NULL ? ww_output_file(r->printed) : stdout;
}

/* Where to print what a run that goes on from a checkpoint has to print again. */
static FILE *begin_print(Run *r)
{
    return r->checkpoints.checkpoint == NULL ? run_out(r)
                                             : open_memstream(&r->print_text, &r->print_size);
}

static void end_print(Run *r, FILE *out)
{
    if (out != run_out(r)) {
        fclose(out);
        fputs(r->print_text, run_out(r));
        *WW_HEAP_ADD(r->heap, &r->kept->printed) =
            ww_heap_text(r->heap, r->print_text, r->print_size);
        free(r->print_text);
    }
}

static void print_launches(Run *r)
{
    if (r->source->lines.n != 0) {
        ww_monitor_clear_line(r->monitor);
        FILE *out = begin_print(r);
        cli_source_lines(r->source, out);
        end_print(r, out);
    }
}

static void end_kernel(Run *r, const WwKernelResult *k, bool partial)
{
    WwResultKernel *kernel = ww_results_add(r->results, k, partial);
    if (r->source != NULL) {
        ww_pcs_add(r->results, kernel, cli_source_instruction, r->source);
    }
    r->kept->end_before = k->end;
    r->kept->insns_before = r->insns != NULL ? ww_results_peek(r->results, r->insns) : 0;
    if (r->fingerprint) {
        r->results->has_fingerprint = true;
        r->results->fingerprint = ww_machine_fingerprint(r->setup.machine);
    }
    if (r->report == REPORT_ACCELSIM) {
        ww_monitor_clear_line(r->monitor);
        read_host(r);
        FILE *out = begin_print(r);
        ww_accelsim_kernel(r->accelsim, kernel, r->host, out);
        end_print(r, out);
        r->unheard = cli_process_unheard() && r->outputs == NULL && r->printed == NULL &&
                     r->events_file == NULL && r->view_files == NULL;
    }
}

/* Kernels that ended in the last step; what was read of the trace since then is told after them. */
static void collect(Run *r)
{
    WwKernelResult k;
    bool any = false;
    if (r->source == NULL) {
        return;
    }
    while (r->queue_if->next(r->queue, &k)) {
        end_kernel(r, &k, k.unfinished);
        r->results->at_limit = k.limit != 0;
        r->results->limit_untold = k.limit == 2;
        any = true;
    }
    cli_source_forget(r->source);
    print_launches(r);
    print_warnings(r);
    if (any) {
        ww_monitor_mark(r->monitor);
    }
}

WwCycle run_limit(const Run *r)
{
    WwCycle until = r->checkpoints.until;
    return r->figures.intervals != NULL ? MIN(until, ww_intervals_next(r->figures.intervals))
                                        : until;
}

void run_plan(Run *r)
{
    ww_machine_run_until(r->setup.machine, run_limit(r));
}

/* Steps take about as long on every machine: then the progress line never waits (a signal ends a step). Without one they only grow: a
 * training run does the same each time. */
static void advance(Run *r)
{
    bool paced = r->progress != WW_PROGRESS_NONE || cli_checkpoints_on(&r->checkpoints);
    gint64 before = paced ? g_get_monotonic_time() : 0;
    r->status = ww_run(r->setup.machine, r->budget);
    gint64 took = paced ? g_get_monotonic_time() - before : 0;
    if (r->status == WW_RUN_BUDGET && took < STEP_US / 2 && r->budget < MOST_BUDGET) {
        r->budget *= 2;
    } else if (took > STEP_US * 2 && r->budget > 16) {
        r->budget /= 2;
    }
}

static bool write_checkpoint(Run *r)
{
    bool good = cli_events_sum(&r->events, &r->kept->logged, &r->kept->log_sum, &r->failed);
    cli_live_watch(r->live, false);
    good = good && cli_checkpoints_write(&r->checkpoints, &r->failed);
    cli_live_watch(r->live, true);
    return good;
}

static bool step(void *user)
{
    Run *r = user;
    if (r->live != NULL) {
        run_monitor_advance(r);
    } else {
        advance(r);
    }
    run_figures_look(r);
    collect(r);
    if (r->live != NULL) {
        cli_live_collected(r->live);
    }
    bool more = (r->status == WW_RUN_BUDGET || r->status == WW_RUN_PAUSED) && !r->unheard;
    if (more && cli_checkpoints_due(&r->checkpoints)) {
        more = write_checkpoint(r);
    }
    run_plan(r);
    return more;
}

static void look(void *user, WwProgress *p)
{
    Run *r = user;
    uint64_t issued, done, total;
    guint finished = r->results->kernels.n;
    p->cycle = core_cycle(r);
    if (r->source == NULL) {
        return;
    }
    r->queue_if->ctas(r->queue, &issued, &done, &total);
    p->kernels = ww_trace_n_kernels(r->source->trace);
    p->kernel = MIN(finished + 1, p->kernels);
    p->name = r->source->open.n != 0 ? r->source->open.v[0]->name : NULL;
    p->ctas_done = done;
    p->ctas_running = issued - done;
    p->ctas_total = total;
    if (r->insns != NULL && p->cycle > r->kept->end_before) {
        p->ipc = (double)(ww_results_peek(r->results, r->insns) - r->kept->insns_before) /
                 (double)(p->cycle - r->kept->end_before);
    }
    if (p->kernels != 0) {
        p->done = ((double)finished + (total != 0 ? (double)done / (double)total : 0)) / p->kernels;
    }
}

/* ---- so far ----------------------------------------------------------------------------------------------------- */

/* The kernel that is running, up to now; false when there is none, or it has had no time. */
static bool present_kernel(const Run *r, WwKernelResult *k)
{
    const WwKernel *open =
        r->source != NULL && r->source->open.n != 0 ? r->source->open.v[0] : NULL;
    WwCycle now = core_cycle(r);
    if (open == NULL || now == r->kept->end_before) {
        return false;
    }
    *k = (WwKernelResult){
        .name = open->name,
        .file = open->file,
        .uid = open->uid,
        .grid = {open->grid[0], open->grid[1], open->grid[2]},
        .block = {open->block[0], open->block[1], open->block[2]},
        .stream = open->stream,
        .cycles = now - r->kept->end_before,
        .end = now,
    };
    uint64_t issued, total;
    r->queue_if->ctas(r->queue, &issued, &k->ctas, &total);
    return true;
}

/* SIGUSR1: the report as it would be now. */
static void tell(void *user, FILE *out)
{
    const Run *r = user;
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwKernelResult k;
    WwResults *now = ww_results_so_far(r->results, present_kernel(r, &k) ? &k : NULL, heap);
    now->cycles = core_cycle(r);
    if (r->source != NULL) {
        cli_report_summary(now, r->setup.loaded, out);
    } else {
        cli_report_statistics(now, out);
    }
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

/* The kernel that was running when the run stopped, up to there. */
static void end_partial(Run *r, const char *status)
{
    WwKernelResult k;
    r->results->partial = true;
    r->results->status = status;
    if (!present_kernel(r, &k)) {
        ww_results_read(r->results);
        r->results->cycles = core_cycle(r);
        return;
    }
    end_kernel(r, &k, true);
}

/* An event log does not say by itself that there would have been more. */
static void note_log(const Run *r, const char *cycle)
{
    if (r->events_file != NULL) {
        g_autofree char *text = g_strdup_printf("%s: the event log is partial: it ends in cycle %s",
                                                r->events_file, cycle);
        cli_say("note: ", text);
    }
}

/* Says why the model stopped, on stderr; is the exit status. */
static int explain_end(Run *r)
{
    if (r->status == WW_RUN_DONE && r->queue_if != NULL && r->queue_if->running(r->queue) != 0) {
        r->status = WW_RUN_HANG; /* everything sleeps and nobody says why */
    }
    g_autofree char *cycle = cli_grouped(core_cycle(r));
    if (r->results->at_limit) { /* as the reference: a run that did what it was to do */
        r->results->partial = true;
        r->results->status = "limit";
        fprintf(
            stderr,
            "warpwright: stopped in cycle %s, at a limit of the machine (max_cycles, max_insns, "
            "max_ctas or max_completed of kernel_queue)\n",
            cycle);
        return CLI_DONE;
    }
    if (r->stopped) {
        end_partial(r, "interrupted");
        fprintf(stderr, "warpwright: interrupted in cycle %s; results are partial\n", cycle);
        note_log(r, cycle);
    } else if (r->status == WW_RUN_LIMIT) {
        end_partial(r, "limit");
        fprintf(stderr,
                "warpwright: stopped in cycle %s, the limit of --max-cycles; results are partial\n",
                cycle);
    } else if (r->status == WW_RUN_HANG || r->status == WW_RUN_STUCK) {
        bool hang = r->status == WW_RUN_HANG;
        g_autofree char *why = ww_machine_explain(r->setup.machine);
        end_partial(r, hang ? "hang" : "stuck");
        if (hang) {
            fprintf(stderr, "warpwright: hang in cycle %s: everything sleeps and %s\n%s", cycle,
                    r->queue_if != NULL ? "kernels are not finished" : "something waits", why);
        } else {
            fprintf(stderr,
                    "warpwright: stuck in cycle %s: no instruction completed in %" PRIu64
                    " cycles (--hang-limit)\n%s",
                    cycle, r->hang_limit, why);
        }
    }
    return r->results->partial ? CLI_STOPPED : CLI_DONE;
}

static void print_report(const Run *r, FILE *out)
{
    if (r->report == REPORT_SUMMARY) {
        if (r->source != NULL) {
            cli_report_summary(r->results, r->setup.loaded, out);
        } else {
            cli_report_statistics(r->results, out);
        }
        if (r->host) {
            cli_report_host(r->results, out);
        }
    } else if (r->report == REPORT_ACCELSIM && (!r->results->partial || r->results->at_limit)) {
        ww_accelsim_end(r->accelsim, out);
    } else if (r->report == REPORT_NONE && r->fingerprint && (r->part == NULL || r->part->alone)) {
        fprintf(out, "fingerprint %016" PRIx64 "\n", r->results->fingerprint);
    }
}

/* What print_report() has for stdout, which gets it when the files have their names. */
typedef struct Text {
    char *bytes;
    size_t n;
} Text;

static void prepare_report(const Run *r, Text *text)
{
    FILE *out =
        r->printed != NULL ? ww_output_file(r->printed) : open_memstream(&text->bytes, &text->n);
    if (out == NULL) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    if (r->printed != NULL) {
        print_report(r, out);
        return;
    }
    cli_stand_for_stdout(out);
    print_report(r, out);
    cli_stand_for_stdout(NULL);
    bool whole = !ferror(out);
    if (fclose(out) != 0 || !whole) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
}

static void show_report(const Run *r, Text *text)
{
    if (text->bytes != NULL) {
        fwrite(text->bytes, 1, text->n, stdout);
        free(text->bytes);
    }
    cli_process_unheard(); /* before what goes to stderr */
    if (r->report == REPORT_SUMMARY && !r->host && r->progress != WW_PROGRESS_NONE) {
        cli_report_host(r->results, stderr);
    }
}

static bool keep_profile(WwOutput *profile, GError **error)
{
    return profile == NULL || ww_output_keep(profile, "cannot write the profile to ", error);
}

static bool end_profiles(Run *r, GError **error)
{
    WwOutput *turns = g_steal_pointer(&r->turns);
    if (turns != NULL) {
        ww_machine_write_turns(r->setup.machine, ww_output_file(turns));
    }
    bool good = keep_profile(g_steal_pointer(&r->profile), error);
    return keep_profile(turns, good ? error : NULL) && good;
}

static bool end_report(Run *r, GError **error)
{
    WwOutput *printed = g_steal_pointer(&r->printed);
    return printed == NULL || ww_output_keep(printed, "cannot write the report to ", error);
}

/*
 * Files first: whoever reads the report may have enough of it at any time. They get their names together, when nothing is left to do for which there may
 * be no memory: a run that fails leaves none. The report is printed whatever becomes of the files.
 */
static bool write_results(Run *r, GError **error)
{
    if (r->fingerprint) {
        r->results->has_fingerprint = true;
        r->results->fingerprint = ww_machine_fingerprint(r->setup.machine);
    }
    if (!r->results->partial) { /* what happened after the last kernel's end */
        ww_results_read(r->results);
    }
    if (r->source == NULL) {
        r->results->cycles = core_cycle(r);
    }
    read_host(r);
    run_figures_end(r);
    const CliOutput run = {
        r->results,      r->record, r->setup.elaboration, r->figures.intervals, r->setup.told,
        r->setup.loaded, r->host};
    Text report = {0};
    ww_outputs_hold();
    bool good = cli_output_write(&run, r->outputs, error);
    bool drawn = cli_views_end(&r->views, true, good ? error : NULL);
    bool logged = cli_events_end(&r->events, true, good && drawn ? error : NULL);
    bool profiled = end_profiles(r, good && drawn && logged ? error : NULL);
    prepare_report(r, &report);
    bool printed = end_report(r, good && drawn && logged && profiled ? error : NULL);
    good = good && drawn && logged && profiled && printed;
    good = ww_outputs_release(good ? error : NULL) && good;
    show_report(r, &report);
    return good;
}

static bool run_machine(Run *r, GError **error)
{
    r->begin = g_get_monotonic_time();
    r->begin_cpu_s = processor_seconds();
    r->budget = FIRST_BUDGET;
    r->monitor = ww_monitor_new(&(WwMonitorSpec){.progress = (WwProgressKind)r->progress,
                                                 .out = stderr,
                                                 .step = step,
                                                 .look = look,
                                                 .tell = tell,
                                                 .serving = run_monitor_serving,
                                                 .waiting = run_monitor_waiting,
                                                 .user = r},
                                error);
    if (r->monitor == NULL || !run_monitor_begin(r, look, error)) {
        return false;
    }
    ww_monitor_run(r->monitor);
    r->stopped = ww_monitor_signal(r->monitor) != 0 && r->status != WW_RUN_DONE &&
                 r->status != WW_RUN_LIMIT && r->status != WW_RUN_HANG && r->status != WW_RUN_STUCK;
    if (r->failed != NULL) {
        g_propagate_error(error, r->failed);
        return false;
    }
    if (!r->stopped && r->status == WW_RUN_FAILED) {
        const GError *why = ww_machine_error(r->setup.machine);
        return ww_fail(error, (WwErrorCode)why->code, "%s", why->message);
    }
    return true;
}

static void clear(Run *r)
{
    cli_live_free(r->live);
    cli_live_options_clear(&r->live_options);
    ww_monitor_free(r->monitor);
    cli_checkpoints_clear(&r->checkpoints);
    ww_results_free(r->results);
    cli_record_free(r->record);
    ww_machine_free(r->setup.machine);
    r->setup.machine = NULL;
    cli_source_free(r->source);
    ww_opcodes_free(r->opcodes);
    ww_heap_free(r->heap);
    cli_setup_clear(&r->setup);
    char *const texts[] = {r->opcodes_name,  r->threads_from_text, r->threads_text, r->report_name,
                           r->progress_name, r->max_cycles_text,   r->hang_text,    r->kernels,
                           r->max_ctas_text, r->profile_file,      r->turns_file,   r->report_file};
    g_strfreev(r->outputs);
    g_strfreev(r->files);
    g_strfreev(r->view_files);
    g_strfreev(r->events_files);
    g_strfreev(r->events_filters);
    run_figures_clear(&r->figures);
    g_strfreev(r->sass);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
}

static void end_outputs(Run *r, bool good)
{
    cli_views_end(&r->views, false, NULL);
    cli_events_end(&r->events, false, NULL);
    ww_output_drop(r->profile);
    ww_output_drop(r->turns);
    ww_output_drop(r->printed);
    run_each_keep_folders(r, good);
}

static int done_status;

/* All is done and shown: what there is no memory for is only the giving back of memory. */
static void leave(void)
{
    _exit(done_status);
}

int run_one(int argc, char **argv, RunPart *part)
{
    Run r = {.part = part};
    GError *error = NULL;
    int status = CLI_DONE, n = argc;
    g_autofree char **words = g_memdup2(argv, sizeof *argv * (gsize)argc); /* GLib takes some out */
    bool good = run_parse(&r, &argc, &argv, &error);
    if (good && run_each(&r, argc == 2 ? argv[1] : NULL, words, n, &status, &error)) {
        clear(&r);
        return error == NULL ? status : cli_fail(error);
    }
    good = good && (part == NULL || run_each_folders(&r, &error)) &&
           run_check(&r, argc, argv, &error) && run_build(&r, argc == 2 ? argv[1] : NULL, &error) &&
           run_machine(&r, &error);
    if (good && !r.unheard) {
        status = explain_end(&r);
        good = write_results(&r, &error);
        if (good) {
            cli_checkpoints_tell(&r.checkpoints);
        }
    }
    if (good && part != NULL) {
        run_each_note(&r, part);
    } else if (good) {
        done_status = status;
        ww_before_exhaustion(leave);
    }
    run_monitor_over(&r);
    end_outputs(&r, good);
    clear(&r);
    ww_before_exhaustion(ww_pending_remove_all);
    return good ? status : cli_fail(error);
}

int cli_run(int argc, char **argv)
{
    return run_one(argc, argv, NULL);
}
