/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel queue: reads the command list, launches kernels, hands out their CTAs, notices when
 * they finish.
 *
 * The host side of a GPU, reduced to what has consequences: a window of pending kernels (one,
 * unless kernels may run concurrently), a table of running ones, at most one running kernel a
 * stream, a launch latency during which a kernel cannot be selected. An interval is the time from
 * one reported kernel (or power-on) to the next: its length is what a kernel's cycles are
 * reported as, launch latency included.
 *
 * Two steps of its own: `launch`, before CTAs are dispatched, starts the first kernels at the
 * first tick; `finish`, after it, reports a kernel in the tick in which its last CTA was reported
 * complete: it closes the interval, pauses the run, and reads and launches what comes next, to
 * count from the following tick. With latency L the first CTA is placed in tick L + 1 of the
 * interval. When several kernels finish in one tick the others are reported one a tick.
 *
 *     trace_source <── kernel_queue <── clusters, cta_dispatcher
 */
#include "kernel_queue-priv.h"
#include "types.h"
#include <ports/events.h>
#include <string.h>

enum { ENTRY_LAUNCH, ENTRY_FINISH };

static WwRest launch_tick(void *self)
{
    KernelQueue *q = self;
    if (!q->begun) {
        q->begun = true;
        q->start = ww_now(q);
        window_begin(q);
    }
    return WW_SLEEP;
}

static WwRest finish_tick(void *self)
{
    KernelQueue *q = self;
    WwCycle end = ww_now(q) + 1;
    if (q->failed || q->ended) {
        return WW_SLEEP;
    }
    if (limit_reached(q, end)) {
        limit_end(q, end, true);
    } else if (limit_completed(q)) {
        limit_completed_end(q, end);
    } else if (q->report) {
        q->report = false;
        window_report(q, end, false);
    }
    return limit_rest(q, ww_now(q));
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool selectable(const KernelQueue *q, const WwKernelRun *run)
{
    return run->kernel != NULL && ww_kernel_more(run) && ww_now(q) >= run->ready;
}

/* The first entry from @p from on, before @p to, that can be selected, or NULL. */
static WwKernelRun *first_selectable(KernelQueue *q, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if (selectable(q, &q->run[i])) {
            q->selected = i;
            return &q->run[i];
        }
    }
    return NULL;
}

static const WwKernelRun *queue_select(void *self)
{
    KernelQueue *q = self;
    if (q->left == 0) {
        return NULL;
    }
    WwKernelRun *run = &q->run[q->selected];
    if (!selectable(q, run)) {
        run = first_selectable(q, q->selected + 1, q->n_run);
        if (run == NULL) {
            run = first_selectable(q, 0, q->selected);
        }
    }
    if (run != NULL && run->interval != q->interval) {
        results_begun(q, run);
    }
    return run;
}

WW_COLD static void wrong_warps(KernelQueue *q, const WwKernelRun *run, uint32_t n,
                                uint32_t expected)
{
    const WwKernel *k = run->kernel;
    kernel_queue_fail(
        q, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                       "%s: CTA %" G_GUINT64_FORMAT " of kernel '%s' has traces of %u "
                       "warps; expected %u for %u threads",
                       k->file, run->next_cta, k->name, n, expected, k->threads_per_cta));
}

/* No CTA is on an SM in the edges before @p end since the last that are counted. */
static void count_empty(KernelQueue *q, WwCycle end)
{
    if (q->resident == 0 && end > q->empty_from) {
        q->empty_cycles += end - q->empty_from;
        q->empty_from = end;
    }
}

static void queue_tally(void *self)
{
    count_empty(self, ww_now(self));
}

static const WwCtaTrace *queue_take(void *self, const WwKernelRun *of)
{
    KernelQueue *q = self;
    WwKernelRun *run = &q->run[of->slot];
    const WwKernel *k = run->kernel;
    const WwCtaTrace *trace = NULL;
    GError *error = NULL;
    if (q->failed || q->closed) {
        return NULL;
    }
    if (!TRACE(q)->next_cta(q->trace.peer, k, &trace, &error)) {
        kernel_queue_fail(q, error);
        return NULL;
    }
    uint32_t warps = (k->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    if (trace->n_warps != warps) {
        wrong_warps(q, run, trace->n_warps, warps);
        TRACE(q)->release_cta(q->trace.peer, k, trace);
        return NULL;
    }
    run->next_cta++;
    run->resident++;
    count_empty(q, ww_now(q) + 1); /* it is there from the next edge on */
    q->resident++;
    if (!ww_kernel_more(run)) {
        q->changes++;
        if (--q->left == 0) {
            q->idle_from = ww_now(q) + 1;
        }
    }
    q->issued++;
    q->ctas_issued++;
    limit_handed_out(q);
    return trace;
}

WW_COLD static void finish(KernelQueue *q, WwKernelRun *run)
{
    if (q->n_finished == q->size_finished) {
        q->size_finished = 2 * q->size_finished + 4;
        q->finished = ww_resize(q, q->finished, q->size_finished * sizeof *q->finished);
    }
    result_begin(q, &q->finished[q->n_finished], run->kernel);
    q->finished[q->n_finished].unfinished = ww_kernel_more(run);
    q->finished_kernels++;
    run->kernel = NULL;
    if (q->n_finished++ == 0) { /* else there is one to report in each tick anyway */
        q->report = true;
        WwWake wake = ww_wake_of(q, ENTRY_FINISH);
        ww_wake(&wake);
    }
}

static void queue_completed(void *self, const WwKernelRun *of, const WwCtaTrace *trace)
{
    KernelQueue *q = self;
    WwKernelRun *run = &q->run[of->slot];
    ww_assert(run->resident != 0);
    TRACE(q)->release_cta(q->trace.peer, run->kernel, trace);
    run->resident--;
    if (--q->resident == 0) {
        q->empty_from = ww_now(q) + 1;
    }
    q->completed++;
    q->ctas_completed++;
    results_completed(q, ww_now(q));
    if (run->resident == 0 && (q->closed || !ww_kernel_more(run))) {
        finish(q, run);
    }
    if (limit_completed(q)) {
        WwWake wake = ww_wake_of(q, ENTRY_FINISH);
        ww_wake(&wake);
    }
}

static bool queue_more(void *self)
{
    return ((const KernelQueue *)self)->left != 0;
}

static WwCycle queue_idle(void *self)
{
    const KernelQueue *q = self;
    return q->idle + (q->left == 0 ? ww_now(q) + 1 - q->idle_from : 0);
}

static uint64_t queue_changes(void *self)
{
    return ((const KernelQueue *)self)->changes;
}

static const WwKernelsIf kernels_table = {
    .select = queue_select,
    .take = queue_take,
    .completed = queue_completed,
    .more = queue_more,
    .idle = queue_idle,
    .changes = queue_changes,
};

/* ---- windows --------------------------------------------------------------------------------- */

static uint32_t running(const KernelQueue *q)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n_run; i++) {
        n += q->run[i].kernel != NULL;
    }
    return n;
}

/*
 * How long clusters that complete a CTA can be served one after the other: while no kernel finishes, and one alone is running, so that
 * what one cluster takes is nothing to the others.
 */
static WwCycle undisturbed(KernelQueue *q)
{
    bool limited =
        q->max_cycles != 0 || q->max_insns != 0 || q->max_ctas != 0 || q->max_completed != 0;
    if (limited || !q->begun || q->report || q->n_finished != 0 || running(q) > 1) {
        return 0;
    }
    if (q->resident == 0) {
        return WW_NEVER;
    }
    return gpu_lasts(ww_window_most(q->base.machine, q->base.domain), q->cluster, q->n_cluster,
                     &q->longest, q->memory, q->n_memory);
}

static void queue_ahead(void *self)
{
    KernelQueue *q = self;
    ww_window_limit(q->base.machine, q->base.domain, undisturbed(q));
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool queue_init(void *self, GError **error)
{
    KernelQueue *q = self;
    if (q->max_insns != 0 && q->n_cluster == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "max_insns = %" G_GUINT64_FORMAT
                       ", but nobody tells it of instructions; expected 0, or clusters at port "
                       "'cluster'",
                       q->max_insns);
    }
    q->window = q->concurrent ? q->max_concurrent : 1;
    q->run = ww_alloc(q, q->max_concurrent * sizeof *q->run);
    q->ready = ww_alloc(q, q->max_concurrent * sizeof *q->ready);
    q->pending = ww_alloc(q, q->window * sizeof *q->pending);
    q->busy = ww_alloc(q, q->window * sizeof *q->busy);
    return true;
}

/* Kernels and CTAs still out belong to the trace source, which starts over by itself. */
static void queue_reset(void *self)
{
    KernelQueue *q = self;
    memset(q->run, 0, q->max_concurrent * sizeof *q->run);
    for (uint32_t i = 0; i < q->max_concurrent; i++) {
        ww_event_cancel(q->base.machine, q->base.domain, &q->ready[i]);
        q->ready[i].fire = window_ready;
        q->ready[i].self = q;
    }
    memset(q->pending, 0, q->window * sizeof *q->pending);
    q->n_pending = q->n_busy = q->n_run = q->selected = q->left = 0;
    q->begun = q->listed = q->failed = q->report = q->closed = q->ended = false;
    q->shown = q->shown_window = 0;
    q->start = q->idle = q->idle_from = q->empty_from = 0;
    q->interval = 1;
    q->changes = q->longest = 0;
    q->host = (WwBetween){0};
    q->host_looks = false;
    q->issued = q->completed = q->resident = 0;
    results_clear(q);
    q->begun_names.n = q->begun_uids.n = 0;
}

static void explain_run(const KernelQueue *q, WwExplain *explain, const WwKernelRun *run)
{
    const char *name = run->kernel->name;
    const WwClient *dispatch = ww_provided_client(&q->kernels, WW_KERNELS_DISPATCH, 0);
    if (run->resident != 0) {
        ww_explain_waits_for(explain, ww_thing_run(run),
                             "kernel '%s': %" G_GUINT64_FORMAT " of its CTAs are on SMs", name,
                             run->resident);
    }
    if (ww_kernel_more(run) && !q->closed) {
        ww_explain_waits(explain, dispatch != NULL ? dispatch->who : NULL,
                         "kernel '%s': %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                         " CTAs are handed out%s",
                         name, run->next_cta, run->kernel->n_ctas,
                         dispatch != NULL ? "" : ", and no dispatcher is bound");
    }
}

static void queue_explain(void *self, WwExplain *explain)
{
    const KernelQueue *q = self;
    for (uint32_t i = 0; i < q->n_run; i++) {
        if (q->run[i].kernel != NULL) {
            explain_run(q, explain, &q->run[i]);
        }
    }
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow queue_params[] = {
    WW_UINT(KernelQueue, launch_latency, "cycles", "0", 0, 0,
            "from the launch of a kernel until its first CTA can be placed"),
    WW_UINT(KernelQueue, tb_launch_latency, "cycles", "0", 0, 0,
            "added to launch_latency for each CTA of the kernel"),
    WW_UINT(KernelQueue, max_concurrent, "entries", "32", 1, WW_MAX_RUNS,
            "kernels that can run concurrently"),
    WW_BOOL(KernelQueue, concurrent, "false",
            "kernels of different streams overlap: up to max_concurrent are read ahead; false: one "
            "at a time"),
    WW_BOOL(KernelQueue, drop_pending, "true",
            "as in the reference: when a kernel is reported while the machine is empty, waiting "
            "kernels are dropped, at least every second one"),
    WW_U64(KernelQueue, max_cycles, "cycles", "0", 0, 0,
           "the run ends after this many core cycles; 0: no limit"),
    WW_U64(KernelQueue, max_insns, "", "0", 0, 0,
           "the run ends with the cycle in which this many thread instructions have completed; 0: "
           "no limit"),
    WW_U64(KernelQueue, max_ctas, "", "0", 0, 0,
           "at most this many CTAs are handed out; then a kernel is finished when none of its CTAs "
           "is on an SM, and the first to finish ends the run; 0: no limit"),
    WW_U64(KernelQueue, max_completed, "", "0", 0, 0,
           "the run ends with the cycle in which this many CTAs have completed since the last "
           "kernel was reported, unless no kernel is unfinished then; 0: no limit"),
    WW_UINT(KernelQueue, sample, "cycles", "500", 1, 1u << 30,
            "cycles between samples, for restart_completed"),
    WW_BOOL(KernelQueue, restart_completed, "false",
            "as in the reference with its visualiser on: each sample resets the reported number of "
            "completed CTAs to 0"),
    {0},
};

static const WwPortRow queue_ports[] = {
    {.name = "kernels",
     .role = WW_PROVIDES,
     .contract = &ww_contract_kernels,
     .entry = "launch",
     .table = &kernels_table,
     .doc = "kernels to take CTAs from",
     .offset = WW_FIELD(KernelQueue, kernels, WwProvided)},
    WW_PORT_PROVIDES(KernelQueue, results, &ww_contract_kernel_results, &kernel_results_table,
                     "finished kernels"),
    WW_PORT_REQUIRES(KernelQueue, memcpy, &ww_contract_memcpy, 0, NULL,
                     "receives host copies; unbound: they are only counted"),
    WW_PORT_ARRAY(KernelQueue, memory, WW_REQUIRES, &ww_contract_activity, 0, NULL,
                  "components that may hold requests when no thread is left"),
    {.name = "cluster",
     .role = WW_REQUIRES,
     .contract = &ww_contract_cluster,
     .max = WW_MAX_CLUSTERS,
     .rank = WW_RANK_FINISH,
     .entry = "finish",
     .doc = "every cluster, for instructions completed (max_insns)",
     .offset = offsetof(KernelQueue, cluster[0]),
     .count_offset = WW_FIELD(KernelQueue, n_cluster, uint32_t)},
    WW_PORT_REQUIRES(KernelQueue, trace, &ww_contract_trace_source, 1, NULL,
                     "commands, kernels, CTAs"),
    {0},
};

static const WwStatRow queue_stats[] = {
    {.name = "kernels",
     .kind = WW_STAT_COUNTER,
     .unit = "kernels",
     .doc = "kernels finished",
     .n = 1,
     .offset = WW_FIELD(KernelQueue, finished_kernels, uint64_t)},
    WW_COUNTER(KernelQueue, dropped_kernels, "kernels", "kernels dropped without running"),
    WW_COUNTER(KernelQueue, ctas_issued, "CTAs", "CTAs handed out"),
    WW_COUNTER(KernelQueue, ctas_completed, "CTAs", "CTAs completed"),
    WW_COUNTER(KernelQueue, memcpy_bytes, "bytes", "bytes copied from the host"),
    WW_COUNTER(KernelQueue, empty_cycles, "cycles",
               "cycles in which no SM held a CTA: launch latencies and gaps between kernels"),
    {0},
};

static const WwEntryRow queue_entries[] = {
    {.name = "launch",
     .phase = "dispatch",
     .tick = launch_tick,
     .port = "kernels",
     .rank = WW_RANK_LAUNCH,
     .doc = "starts the first kernels"},
    {.name = "finish",
     .phase = "dispatch",
     .tick = finish_tick,
     .port = "kernels",
     .rank = WW_RANK_FINISH,
     .doc = "closes intervals and starts the next kernels"},
    {0},
};

static const WwEventField field_event =
    WW_EVENT_FIELD("event", WW_EVENT_WORD, "",
                   "launch: it begins to wait for its latency; drop: it is never launched; finish");
static const WwEventField field_ctas = WW_EVENT_FIELD("ctas", WW_EVENT_NUMBER, "CTAs", "its grid");
static const WwEventField field_ready =
    WW_EVENT_FIELD("ready", WW_EVENT_NUMBER, "cycles", "from when on CTAs may be placed");
static const WwEventField field_stream =
    WW_EVENT_FIELD("stream", WW_EVENT_NUMBER, "", "its CUDA stream");
static const WwEventField field_cycles =
    WW_EVENT_FIELD("cycles", WW_EVENT_NUMBER, "cycles", "those of its report");
static const WwEventField field_name =
    WW_EVENT_FIELD("name", WW_EVENT_TEXT, "", "the kernel's; up to the end of the line");
static const WwEventRow queue_events[] = {
    {"kernel",
     "",
     "a kernel is launched, dropped or finished",
     {&field_event, &ww_field_kernel, &field_ctas, &field_ready, &field_stream, &field_cycles,
      &field_name}},
    {0},
};

const WwType kernel_queue_type = {
    .abi = WW_ABI_VERSION,
    .name = "kernel_queue",
    .doc = "command list, kernel launch and completion",
    .family = "gpu",
    .flags = WW_TYPE_STOPS,
    .size = sizeof(KernelQueue),
    .events = queue_events,
    .params = queue_params,
    .ports = queue_ports,
    .stats = queue_stats,
    .entries = queue_entries,
    .init = queue_init,
    .reset = queue_reset,
    .explain = queue_explain,
    .ahead = queue_ahead,
    .tally = queue_tally,
};
