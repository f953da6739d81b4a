/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel queue: reads the command list, launches kernels, hands out their CTAs, notices when
 * they finish.
 *
 * The host side of a GPU, reduced to what has consequences: a window of pending kernels (one,
 * unless kernels may run concurrently), a table of running ones, at most one running kernel a
 * stream, a launch latency during which a kernel cannot be selected. An interval is the time from
 * one finished kernel (or power-on) to the next: its length is what a kernel's cycles are
 * reported as, launch latency included.
 *
 * Two steps of its own: `launch`, before CTAs are dispatched, starts the first kernels at the
 * first tick; `finish`, after it, closes the interval in the tick in which a kernel's last CTA
 * was reported complete, pauses the run, and reads and launches what comes next, to count from
 * the following tick. With latency L the first CTA is placed in tick L + 1 of the interval. When
 * several kernels finish in one tick the others are taken one a tick, as the reference does.
 *
 *     trace_source <── kernel_queue <── clusters, cta_dispatcher
 */
#include "types.h"
#include <ports/cache.h>
#include <ports/ctas.h>
#include <string.h>

typedef struct Pending {
    WwKernel *kernel;
    WwKernelRun *run; /* NULL: not launched */
} Pending;

typedef struct KernelQueue {
    WwComponent base;
    /* parameters */
    uint32_t launch_latency;
    uint32_t tb_launch_latency;
    uint32_t max_concurrent;
    uint32_t window;
    /* ports */
    WwProvided kernels;
    WwProvided after;
    WwProvided results;
    WwPort trace;
    WwPort memcpy;
    /* state */
    WwKernelRun *run;    /* [max_concurrent]; kernel NULL: free */
    Pending *pending;    /* [window], oldest first */
    WwKernel **finished; /* [window], in order of completion */
    uint32_t n_pending, n_finished;
    uint32_t selected;          /* entry of `run` that gave the last CTA */
    bool begun;                 /* the first launch is done */
    bool listed;                /* the command list is at its end */
    bool failed;                /* a trace error ended the run */
    WwCycle start;              /* first edge of the interval */
    uint64_t issued, completed; /* CTAs in the interval */
    /* not asked for yet: first_result .. n_results - 1; the one before is still the caller's */
    WwKernelResult *result;
    uint32_t n_results, first_result, size_results;
    /* statistics */
    uint64_t finished_kernels;
    uint64_t ctas_issued;
    uint64_t ctas_completed;
    uint64_t memcpy_bytes;
} KernelQueue;

enum { ENTRY_LAUNCH, ENTRY_FINISH };

#define TRACE(q) ((const WwTraceSourceIf *)(q)->trace.table)

static __attribute__((cold)) void fail(KernelQueue *q, GError *error)
{
    q->failed = true;
    ww_fail_run(q, error);
}

/* ---- gathering and launching ----------------------------------------------------------------- */

static void add_pending(KernelQueue *q, WwKernel *k)
{
    if (k->n_ctas == 0 || k->threads_per_cta == 0) {
        fail(q, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                            "%s: kernel '%s' has %" G_GUINT64_FORMAT
                            " CTAs of %u threads; expected at least one of each",
                            k->file, k->name, k->n_ctas, k->threads_per_cta));
        return;
    }
    q->pending[q->n_pending++] = (Pending){.kernel = k};
}

/* Reads commands until the window is full or the list is at its end. */
static void gather(KernelQueue *q)
{
    while (!q->failed && !q->listed && q->n_pending < q->window) {
        WwCommand command;
        GError *error = NULL;
        if (!TRACE(q)->next_command(q->trace.peer, &command, &error)) {
            fail(q, error);
            return;
        }
        switch (command.kind) {
        case WW_COMMAND_END:
            q->listed = true;
            break;
        case WW_COMMAND_KERNEL:
            add_pending(q, command.kernel);
            break;
        case WW_COMMAND_MEMCPY_HTOD:
            q->memcpy_bytes += command.bytes;
            if (WW_BOUND(&q->memcpy)) {
                WW_MEMCPY(&q->memcpy)->copy(q->memcpy.peer, command.address, command.bytes);
            }
            break;
        }
    }
}

static bool stream_busy(const KernelQueue *q, uint64_t stream)
{
    for (uint32_t i = 0; i < q->n_pending; i++) {
        if (q->pending[i].run != NULL && q->pending[i].kernel->stream == stream) {
            return true;
        }
    }
    return false;
}

static WwKernelRun *free_run(KernelQueue *q)
{
    for (uint32_t i = 0; i < q->max_concurrent; i++) {
        if (q->run[i].kernel == NULL) {
            return &q->run[i];
        }
    }
    return NULL;
}

/*
 * Those who dispatch wake when the kernel may be selected: at once when that is this edge or
 * over.
 */
static void announce(const KernelQueue *q, WwCycle ready)
{
    for (uint32_t i = 0; i < q->kernels.n; i++) {
        const WwClient *c = &q->kernels.client[i];
        if (c->rank != WW_KERNELS_DISPATCH) {
            continue;
        }
        if (ready <= ww_now(q)) {
            ww_wake(&c->wake);
        } else {
            ww_wake_at(&c->wake, ready);
        }
    }
}

static void launch(KernelQueue *q, Pending *p, WwKernelRun *run)
{
    const WwKernel *k = p->kernel;
    *run = (WwKernelRun){
        .kernel = p->kernel,
        .ready = q->start + q->launch_latency + k->n_ctas * q->tb_launch_latency,
        .slot = (uint32_t)(run - q->run),
    };
    p->run = run;
    WW_EVENT(q, "kernel", -1,
             "launch uid=%u %s ctas=%" G_GUINT64_FORMAT " ready=%" G_GUINT64_FORMAT, k->uid,
             k->name, k->n_ctas, run->ready);
    announce(q, run->ready);
}

/*
 * Gathers and launches whatever may start with the interval at edge q->start; ends the run when
 * nothing is left.
 */
static void begin_interval(KernelQueue *q)
{
    gather(q);
    for (uint32_t i = 0; i < q->n_pending && !q->failed; i++) {
        Pending *p = &q->pending[i];
        WwKernelRun *run =
            p->run == NULL && !stream_busy(q, p->kernel->stream) ? free_run(q) : NULL;
        if (run != NULL) {
            launch(q, p, run);
        }
    }
    if (q->listed && q->n_pending == 0) {
        ww_done(q);
    }
}

static WwRest launch_tick(void *self)
{
    KernelQueue *q = self;
    if (!q->begun) {
        q->begun = true;
        q->start = ww_now(q);
        begin_interval(q);
    }
    return WW_SLEEP;
}

/* ---- finishing ------------------------------------------------------------------------------- */

/* Results are made once a kernel, not in the steady state: hence cold, allocations and all. */
static __attribute__((cold)) WwKernelResult *new_result(KernelQueue *q)
{
    if (q->first_result > 1) { /* what was asked for is of no use any more, the last one aside */
        uint32_t drop = q->first_result - 1;
        memmove(q->result, q->result + drop, (q->n_results - drop) * sizeof *q->result);
        q->n_results -= drop;
        q->first_result -= drop;
    }
    if (q->n_results == q->size_results) {
        q->size_results = 2 * q->size_results + 4;
        q->result = g_renew(WwKernelResult, q->result, q->size_results);
    }
    return &q->result[q->n_results++];
}

static __attribute__((cold)) void free_result(WwKernelResult *r)
{
    g_free((char *)r->name);
    g_free((char *)r->file);
    r->name = r->file = NULL;
}

static __attribute__((cold)) void record_result(KernelQueue *q, const WwKernel *k, WwCycle end)
{
    *new_result(q) = (WwKernelResult){
        .name = g_strdup(k->name),
        .file = g_strdup(k->file),
        .uid = k->uid,
        .grid = {k->grid[0], k->grid[1], k->grid[2]},
        .block = {k->block[0], k->block[1], k->block[2]},
        .stream = k->stream,
        .ctas = k->n_ctas,
        .cycles = end - q->start,
        .end = end,
    };
}

static void remove_pending(KernelQueue *q, const WwKernel *k)
{
    uint32_t i = 0;
    while (q->pending[i].kernel != k) {
        i++;
    }
    q->n_pending--;
    memmove(&q->pending[i], &q->pending[i + 1], (q->n_pending - i) * sizeof *q->pending);
}

static WwRest finish_tick(void *self)
{
    KernelQueue *q = self;
    if (q->n_finished == 0 || q->failed) {
        return WW_SLEEP;
    }
    WwKernel *k = q->finished[0];
    WwCycle end = ww_now(q) + 1;
    q->n_finished--;
    memmove(q->finished, q->finished + 1, q->n_finished * sizeof *q->finished);
    WW_EVENT(q, "kernel", -1, "finish uid=%u cycles=%" G_GUINT64_FORMAT, k->uid, end - q->start);
    record_result(q, k, end);
    remove_pending(q, k);
    TRACE(q)->close_kernel(q->trace.peer, k);
    q->finished_kernels++;
    q->start = end;
    q->issued = q->completed = 0;
    ww_progress(q);
    ww_pause(q);
    begin_interval(q);
    return q->n_finished != 0 ? WW_AGAIN : WW_SLEEP;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool selectable(const KernelQueue *q, const WwKernelRun *run)
{
    return run->kernel != NULL && ww_kernel_more(run) && ww_now(q) >= run->ready;
}

static WwKernelRun *queue_select(void *self)
{
    KernelQueue *q = self;
    if (selectable(q, &q->run[q->selected])) {
        return &q->run[q->selected];
    }
    for (uint32_t i = 0; i < q->max_concurrent; i++) {
        uint32_t slot = (q->selected + 1 + i) % q->max_concurrent;
        if (selectable(q, &q->run[slot])) {
            q->selected = slot;
            return &q->run[slot];
        }
    }
    return NULL;
}

static WwCtaTrace *queue_take(void *self, WwKernelRun *run)
{
    KernelQueue *q = self;
    WwKernel *k = run->kernel;
    WwCtaTrace *trace = NULL;
    GError *error = NULL;
    if (q->failed) {
        return NULL;
    }
    if (!TRACE(q)->next_cta(q->trace.peer, k, &trace, &error)) {
        fail(q, error);
        return NULL;
    }
    uint32_t warps = (k->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    if (trace->n_warps != warps) {
        fail(q, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                            "%s: CTA %" G_GUINT64_FORMAT
                            " of kernel '%s' has traces of %u warps; expected %u for %u threads",
                            k->file, run->next_cta, k->name, trace->n_warps, warps,
                            k->threads_per_cta));
        TRACE(q)->release_cta(q->trace.peer, k, trace);
        return NULL;
    }
    run->next_cta++;
    run->resident++;
    q->issued++;
    q->ctas_issued++;
    return trace;
}

static void queue_completed(void *self, WwKernelRun *run, WwCtaTrace *trace)
{
    KernelQueue *q = self;
    ww_assert(run->resident != 0);
    TRACE(q)->release_cta(q->trace.peer, run->kernel, trace);
    run->resident--;
    q->completed++;
    q->ctas_completed++;
    if (run->resident == 0 && !ww_kernel_more(run)) {
        q->finished[q->n_finished++] = run->kernel;
        run->kernel = NULL;
        WwWake wake = ww_wake_of(q, ENTRY_FINISH);
        ww_wake(&wake);
    }
}

static bool queue_more(void *self)
{
    const KernelQueue *q = self;
    for (uint32_t i = 0; i < q->n_pending; i++) {
        const WwKernelRun *run = q->pending[i].run;
        if (run != NULL && run->kernel == q->pending[i].kernel && ww_kernel_more(run)) {
            return true;
        }
    }
    return false;
}

static const WwKernelsIf kernels_table = {
    .select = queue_select,
    .take = queue_take,
    .completed = queue_completed,
    .more = queue_more,
};

/* ---- results --------------------------------------------------------------------------------- */

static bool results_next(void *self, WwKernelResult *out)
{
    KernelQueue *q = self;
    if (q->first_result != 0) {
        free_result(&q->result[q->first_result - 1]);
    }
    if (q->first_result == q->n_results) {
        return false;
    }
    *out = q->result[q->first_result++];
    return true;
}

static uint32_t results_running(void *self)
{
    const KernelQueue *q = self;
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n_pending; i++) {
        n += q->pending[i].run != NULL;
    }
    return n;
}

static void results_ctas(void *self, uint64_t *issued, uint64_t *completed, uint64_t *total)
{
    const KernelQueue *q = self;
    *issued = q->issued;
    *completed = q->completed;
    *total = 0;
    for (uint32_t i = 0; i < q->n_pending; i++) {
        *total += q->pending[i].run != NULL ? q->pending[i].kernel->n_ctas : 0;
    }
}

static const WwKernelResultsIf results_table = {
    .next = results_next,
    .running = results_running,
    .ctas = results_ctas,
};

/* ---- life ------------------------------------------------------------------------------------ */

static bool queue_init(void *self, GError **error)
{
    KernelQueue *q = self;
    q->run = g_new0(WwKernelRun, q->max_concurrent);
    q->pending = g_new0(Pending, q->window);
    q->finished = g_new0(WwKernel *, q->window);
    return true;
}

static void free_results(KernelQueue *q)
{
    for (uint32_t i = q->first_result != 0 ? q->first_result - 1 : 0; i < q->n_results; i++) {
        free_result(&q->result[i]);
    }
    q->n_results = q->first_result = 0;
}

/* Kernels and CTAs still out belong to the trace source, which starts over by itself. */
static void queue_reset(void *self)
{
    KernelQueue *q = self;
    memset(q->run, 0, q->max_concurrent * sizeof *q->run);
    memset(q->pending, 0, q->window * sizeof *q->pending);
    q->n_pending = q->n_finished = q->selected = 0;
    q->begun = q->listed = q->failed = false;
    q->start = 0;
    q->issued = q->completed = 0;
    free_results(q);
}

static void queue_finish(void *self)
{
    KernelQueue *q = self;
    free_results(q);
    g_free(q->result);
    g_free(q->run);
    g_free(q->pending);
    g_free(q->finished);
}

static void explain_run(const KernelQueue *q, WwExplain *explain, const WwKernelRun *run)
{
    const char *name = run->kernel->name;
    const WwClient *dispatch = ww_provided_client(&q->kernels, WW_KERNELS_DISPATCH, 0);
    if (run->resident != 0) {
        ww_explain_waits_for(explain, ww_thing_run(run),
                             "kernel '%s': %" G_GUINT64_FORMAT " of its CTAs are on SMs", name, run->resident);
    }
    if (ww_kernel_more(run)) {
        ww_explain_waits(explain, dispatch != NULL ? dispatch->who : NULL,
                         "kernel '%s': %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " CTAs are handed out%s", name,
                         run->next_cta, run->kernel->n_ctas, dispatch != NULL ? "" : ", and no dispatcher is bound");
    }
}

static void queue_explain(void *self, WwExplain *explain)
{
    const KernelQueue *q = self;
    for (uint32_t i = 0; i < q->n_pending; i++) {
        if (q->pending[i].run != NULL && q->pending[i].run->kernel != NULL) {
            explain_run(q, explain, q->pending[i].run);
        }
    }
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow queue_params[] = {
    WW_UINT(KernelQueue, launch_latency, "cycles", "0", 0, 0,
            "from the launch of a kernel until its first CTA can be placed"),
    WW_UINT(KernelQueue, tb_launch_latency, "cycles", "0", 0, 0,
            "added to launch_latency for each CTA of the kernel"),
    WW_UINT(KernelQueue, max_concurrent, "entries", "32", 1, 1024,
            "kernels that can run at a time"),
    WW_UINT(KernelQueue, window, "entries", "1", 1, 1024,
            "kernels read ahead; more than 1 lets kernels of different streams overlap"),
    {0},
};

static const WwPortRow queue_ports[] = {
    {.name = "kernels",
     .role = WW_PROVIDES,
     .contract = &ww_contract_kernels,
     .rank = WW_RANK_LAUNCH,
     .entry = "launch",
     .table = &kernels_table,
     .doc = "kernels to take CTAs from",
     .offset = WW_FIELD(KernelQueue, kernels, WwProvided)},
    {.name = "after",
     .role = WW_PROVIDES,
     .contract = &ww_contract_kernels,
     .rank = WW_RANK_FINISH,
     .entry = "finish",
     .table = &kernels_table,
     .doc = "the same: puts the finish step after those who dispatch",
     .offset = WW_FIELD(KernelQueue, after, WwProvided)},
    WW_PORT_PROVIDES(KernelQueue, results, &ww_contract_kernel_results, &results_table,
                     "finished kernels"),
    WW_PORT_REQUIRES(KernelQueue, memcpy, &ww_contract_memcpy, 0, NULL, "where host copies go; unbound: they are counted"),
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
    WW_COUNTER(KernelQueue, ctas_issued, "CTAs", "CTAs handed out"),
    WW_COUNTER(KernelQueue, ctas_completed, "CTAs", "CTAs completed"),
    WW_COUNTER(KernelQueue, memcpy_bytes, "bytes", "bytes copied from the host"),
    {0},
};

static const WwEntryRow queue_entries[] = {
    {.name = "launch", .phase = "dispatch", .tick = launch_tick, .doc = "starts the first kernels"},
    {.name = "finish",
     .phase = "dispatch",
     .tick = finish_tick,
     .doc = "closes intervals and starts what comes next"},
    {0},
};

const WwType kernel_queue_type = {
    .abi = WW_ABI_VERSION,
    .name = "kernel_queue",
    .doc = "command list, kernel launch and completion",
    .family = "gpu",
    .size = sizeof(KernelQueue),
    .params = queue_params,
    .ports = queue_ports,
    .stats = queue_stats,
    .entries = queue_entries,
    .init = queue_init,
    .reset = queue_reset,
    .finish = queue_finish,
    .explain = queue_explain,
};
