/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of pending kernels: reading commands, launching, and what happens when a kernel has finished.
 *
 * A finished kernel is reported at the end of a tick, one a tick, whatever domains fire in it. It leaves the window, its
 * stream becomes free, the interval ends; then the window is filled up again and kernels are launched.
 *
 * With drop_pending, as the reference has it, a window is cleaned up in a strange way when the whole machine is empty at that
 * moment: everything that waits in it goes, but every entry after one that went is passed over. So of five kernels of one
 * stream only the first, the second and the fourth run.
 */
#include "kernel_queue-priv.h"
#include <string.h>

#define NO_STREAM UINT64_MAX

WW_COLD void kernel_queue_fail(KernelQueue *q, GError *error)
{
    q->failed = true;
    ww_fail_run(q, error);
}

/* ---- gathering and launching ----------------------------------------------------------------- */

WW_COLD static void nothing_to_run(KernelQueue *q, const WwKernel *k)
{
    kernel_queue_fail(q, g_error_new(WW_ERROR, WW_ERROR_INPUT,
                                     "%s: kernel '%s' has %" G_GUINT64_FORMAT
                                     " CTAs of %u threads; expected at least one of each",
                                     k->file, k->name, k->n_ctas, k->threads_per_cta));
}

static void add_pending(KernelQueue *q, const WwKernel *k)
{
    if (k->n_ctas == 0 || k->threads_per_cta == 0) {
        nothing_to_run(q, k);
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
            kernel_queue_fail(q, error);
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
    for (uint32_t i = 0; i < q->n_busy; i++) {
        if (q->busy[i] == stream) {
            return true;
        }
    }
    return false;
}

static WwKernelRun *free_run(KernelQueue *q)
{
    uint32_t i = 0;
    while (i < q->n_run && q->run[i].kernel != NULL) {
        i++;
    }
    if (i == q->max_concurrent) {
        return NULL;
    }
    q->n_run = MAX(q->n_run, i + 1);
    return &q->run[i];
}

/* Those who dispatch wake: a kernel may be selected. */
static void announce(KernelQueue *q)
{
    q->changes++;
    for (uint32_t i = 0; i < q->kernels.n; i++) {
        const WwClient *c = &q->kernels.client[i];
        if (c->rank == WW_KERNELS_DISPATCH) {
            ww_wake(&c->wake);
        }
    }
}

void window_ready(void *self, WwEvent *event)
{
    announce(self);
}

/* A cycle below 2^63 in which @p k is ready; grids and latencies may be as large as numbers are. */
static bool ready_at(const KernelQueue *q, const WwKernel *k, WwCycle *ready)
{
    WwCycle ctas;
    return !__builtin_mul_overflow(k->n_ctas, (uint64_t)q->tb_launch_latency, &ctas) &&
           !__builtin_add_overflow(q->start + q->launch_latency, ctas, ready) && *ready >> 63 == 0;
}

WW_COLD static void never_ready(KernelQueue *q, const WwKernel *k)
{
    kernel_queue_fail(q, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                     "%s: kernel '%s' of %" G_GUINT64_FORMAT
                                     " CTAs would be ready after cycle 2^63 (launch_latency = %u, "
                                     "tb_launch_latency = %u); expected an earlier one",
                                     k->file, k->name, k->n_ctas, q->launch_latency,
                                     q->tb_launch_latency));
}

static void launch(KernelQueue *q, Pending *p, WwKernelRun *run)
{
    const WwKernel *k = p->kernel;
    WwCycle ready;
    if (!ready_at(q, k, &ready)) {
        never_ready(q, k);
        return;
    }
    *run = (WwKernelRun){
        .kernel = p->kernel,
        .ready = ready,
        .slot = (uint32_t)(run - q->run),
    };
    p->launched = true;
    if (q->left++ == 0) {
        q->idle += q->start - q->idle_from;
    }
    q->busy[q->n_busy++] = k->stream;
    WW_EVENT(q, "kernel", -1,
             "launch kernel=%u ctas=%" G_GUINT64_FORMAT " ready=%" G_GUINT64_FORMAT
             " stream=%" G_GUINT64_FORMAT " name=%s",
             k->uid, k->n_ctas, run->ready, k->stream, k->name);
    if (run->ready <= ww_now(q)) {
        announce(q);
    } else {
        ww_event_at(q->base.machine, q->base.domain, &q->ready[run->slot], run->ready);
    }
}

static void launch_all(KernelQueue *q)
{
    for (uint32_t i = 0; i < q->n_pending && !q->failed; i++) {
        Pending *p = &q->pending[i];
        WwKernelRun *run = !p->launched && !stream_busy(q, p->kernel->stream) ? free_run(q) : NULL;
        if (run != NULL) {
            launch(q, p, run);
        }
    }
}

/* ---- leaving --------------------------------------------------------------------------------- */

/* Does the machine hold threads, requests or packets, or kernels with CTAs to hand out? */
static bool machine_active(const KernelQueue *q)
{
    bool active = q->resident != 0 || q->left != 0;
    for (uint32_t i = 0; i < q->n_memory && !active; i++) {
        active = WW_ACTIVITY(&q->memory[i])->active(q->memory[i].peer);
    }
    return active;
}

static bool free_stream(KernelQueue *q, uint64_t stream)
{
    for (uint32_t i = 0; i < q->n_busy; i++) {
        if (q->busy[i] == stream) {
            q->n_busy--;
            memmove(&q->busy[i], &q->busy[i + 1], (q->n_busy - i) * sizeof *q->busy);
            return true;
        }
    }
    return false;
}

static void remove_pending(KernelQueue *q, uint32_t i)
{
    const WwKernel *k = q->pending[i].kernel;
    if (!q->pending[i].launched) {
        q->dropped_kernels++;
        WW_EVENT(q, "kernel", -1, "drop kernel=%u name=%s", k->uid, k->name);
    }
    q->n_pending--;
    memmove(&q->pending[i], &q->pending[i + 1], (q->n_pending - i) * sizeof *q->pending);
    TRACE(q)->close_kernel(q->trace.peer, k);
}

/*
 * The kernel of @p r leaves the window (uid 0: none has been asked for, the first that goes is meant). Notes which stream
 * became free last. @p all: everything goes as if the machine were empty.
 */
static void clean_up(KernelQueue *q, WwKernelResult *r, bool all)
{
    all = q->drop_pending && (all || !machine_active(q));
    uint32_t uid = r->uid;
    r->stream = NO_STREAM;
    for (uint32_t i = 0; i < q->n_pending; i++) {
        const WwKernel *k = q->pending[i].kernel;
        if (k->uid != uid && !all) {
            continue;
        }
        uint64_t stream = free_stream(q, k->stream) ? k->stream : r->stream;
        if (r->uid == 0) {
            result_begin(q, r, k);
        }
        r->stream = stream;
        remove_pending(q, i); /* i then stands for the next one, which the loop passes over */
        if (!all) {
            break;
        }
    }
}

WwKernelResult window_finished(KernelQueue *q)
{
    WwKernelResult r = q->finished[0];
    q->n_finished--;
    memmove(q->finished, q->finished + 1, q->n_finished * sizeof *q->finished);
    return r;
}

void window_close(KernelQueue *q, WwKernelResult r, WwCycle end)
{
    WW_EVENT(q, "kernel", -1, "finish kernel=%u cycles=%" G_GUINT64_FORMAT, r.uid, end - q->start);
    results_add(q, r, end);
    q->start = end;
    q->issued = q->completed = 0;
    ww_progress(q);
    ww_pause(q);
}

/* Ends the interval before edge @p end with result @p r. */
static void end_interval(KernelQueue *q, WwKernelResult r, WwCycle end, bool all)
{
    clean_up(q, &r, all);
    r.limit = q->closed;
    q->ended = q->closed; /* as many CTAs as may be were handed out by now */
    window_close(q, r, end);
}

/* Every second entry goes when all do, see clean_up(). */
uint64_t window_last_stream(const KernelQueue *q)
{
    uint64_t last = NO_STREAM;
    for (uint32_t i = 0; i < q->n_pending; i += 2) {
        uint64_t stream = q->pending[i].kernel->stream;
        uint32_t before = 0, busy = 0; /* entries gone that freed this stream, and its kernels */
        for (uint32_t k = 0; k < i; k += 2) {
            before += q->pending[k].kernel->stream == stream;
        }
        for (uint32_t k = 0; k < q->n_busy; k++) {
            busy += q->busy[k] == stream;
        }
        last = busy > before ? stream : last;
    }
    return last;
}

bool window_more(KernelQueue *q)
{
    WwCommand command;
    g_autoptr(GError) error = NULL;
    if (q->n_pending > 1) {
        return true;
    }
    return !q->listed && (!TRACE(q)->next_command(q->trace.peer, &command, &error) ||
                          command.kind != WW_COMMAND_END);
}

/* The host looks once in every tick, at its end. */
static void host_looks(void *self)
{
    KernelQueue *q = self;
    if (!q->failed) {
        q->host_looks = true;
        window_report(q, ww_now(q), false);
        q->host_looks = false;
    }
}

/* It has looked in this tick. */
static void host_has_looked(void *self)
{
    KernelQueue *q = self;
    ww_between_ticks(q, &q->host, host_looks);
}

void window_begin(KernelQueue *q)
{
    gather(q);
    launch_all(q);
    while (!q->failed && q->n_pending != 0 && !machine_active(q)) {
        /* nothing to simulate: the host comes back at once */
        if (!q->drop_pending && q->n_finished == 0) {
            return;
        }
        end_interval(q, q->drop_pending ? (WwKernelResult){0} : window_finished(q), q->start,
                     false);
        gather(q);
        launch_all(q);
    }
    if (q->failed) {
        return;
    }
    if (q->n_pending == 0 && q->listed) {
        ww_done(q);
    } else if (q->n_finished != 0) {
        ww_between_ticks(q, &q->host, q->host_looks ? host_looks : host_has_looked);
    }
}

void window_report(KernelQueue *q, WwCycle end, bool all)
{
    end_interval(q, window_finished(q), end, all);
    if (q->ended) {
        ww_done(q);
    } else {
        window_begin(q);
    }
}
