/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel queue tells the outside: one result an interval, and figures for progress displays.
 *
 * Made once a kernel, not in the steady state: hence allocations.
 */
#include "kernel_queue-priv.h"
#include <stdio.h>
#include <string.h>

WW_COLD void result_begin(KernelQueue *q, WwKernelResult *r, const WwKernel *k)
{
    memset(r, 0, sizeof *r); /* what a checkpoint saves has no holes */
    r->name = ww_text(q, k->name);
    r->file = ww_text(q, k->file);
    r->uid = k->uid;
    memcpy(r->grid, k->grid, sizeof r->grid);
    memcpy(r->block, k->block, sizeof r->block);
    r->stream = k->stream;
    r->ctas = k->n_ctas;
}

/* A result's texts are its own. */
WW_COLD static void free_text(KernelQueue *q, const char *text)
{
    ww_give(q, (void *)(uintptr_t)text);
}

WW_COLD void result_clear(KernelQueue *q, WwKernelResult *r)
{
    free_text(q, r->name);
    free_text(q, r->file);
    free_text(q, r->begun);
    free_text(q, r->begun_uids);
    *r = (WwKernelResult){0};
}

/* Appends @p text and a blank. */
WW_COLD static void add_word(KernelQueue *q, Words *w, const char *text)
{
    size_t n = strlen(text);
    if (w->room - w->n < n + 2) {
        w->room = 2 * w->room + n + 2;
        w->text = ww_resize(q, w->text, w->room);
    }
    memcpy(w->text + w->n, text, n);
    w->text[w->n + n] = ' ';
    w->n += n + 1;
    w->text[w->n] = '\0';
}

/* What was written so far, which then begins anew. */
WW_COLD static const char *take_words(KernelQueue *q, Words *w)
{
    const char *text = ww_text(q, w->n != 0 ? w->text : "");
    w->n = 0;
    return text;
}

WW_COLD void results_begun(KernelQueue *q, WwKernelRun *run)
{
    run->interval = q->interval;
    char uid[16];
    snprintf(uid, sizeof uid, "%u", run->kernel->uid);
    add_word(q, &q->begun_names, run->kernel->name);
    add_word(q, &q->begun_uids, uid);
}

/*
 * A sample is taken at the end of each full window of an interval. How many lie between two completions, or between the last one and the end
 * of the interval, follows from their windows.
 */
static void to_window(KernelQueue *q, WwCycle window)
{
    if (q->restart_completed && window != q->shown_window) {
        q->shown = 0;
    }
    q->shown_window = window;
}

void results_completed(KernelQueue *q, WwCycle now)
{
    to_window(q, (now - q->start) / q->sample);
    q->shown++;
}

/* Room for one more. What was asked for is of no use any more, the last one aside. */
WW_COLD static WwKernelResult *new_result(KernelQueue *q)
{
    if (q->first_result > 1) {
        uint32_t drop = q->first_result - 1;
        memmove(q->result, q->result + drop, (q->n_results - drop) * sizeof *q->result);
        q->n_results -= drop;
        q->first_result -= drop;
    }
    if (q->n_results == q->size_results) {
        q->size_results = 2 * q->size_results + 4;
        q->result = ww_resize(q, q->result, q->size_results * sizeof *q->result);
    }
    return &q->result[q->n_results++];
}

WW_COLD void results_add(KernelQueue *q, WwKernelResult r, WwCycle end)
{
    r.cycles = end - q->start;
    r.end = end;
    r.begun = take_words(q, &q->begun_names);
    r.begun_uids = take_words(q, &q->begun_uids);
    to_window(q, r.cycles / q->sample);
    q->shown_window = 0;
    r.ctas_completed = q->shown;
    q->interval++;
    q->changes++;
    *new_result(q) = r;
}

void results_clear(KernelQueue *q)
{
    for (uint32_t i = q->first_result != 0 ? q->first_result - 1 : 0; i < q->n_results; i++) {
        result_clear(q, &q->result[i]);
    }
    for (uint32_t i = 0; i < q->n_finished; i++) {
        result_clear(q, &q->finished[i]);
    }
    q->n_results = q->first_result = q->n_finished = 0;
}

/* ---- the contract ---------------------------------------------------------------------------- */

static bool results_next(void *self, WwKernelResult *out)
{
    KernelQueue *q = self;
    if (q->first_result != 0) {
        result_clear(q, &q->result[q->first_result - 1]);
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
        n += q->pending[i].launched && !q->ended;
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
        *total += q->pending[i].launched ? q->pending[i].kernel->n_ctas : 0;
    }
}

const WwKernelResultsIf kernel_results_table = {
    .next = results_next,
    .running = results_running,
    .ctas = results_ctas,
};
