/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that end a run before its kernels do: cycles, thread instructions, CTAs.
 *
 * Cycles and instructions are looked at when a tick ends: the interval is closed as if a kernel had finished, and what runs or waits is
 * left where it is. CTAs are counted when they are handed out: when as many are out as may be, no kernel has any more, and one of which
 * none is left on an SM has finished. The first that has is the last that is told of. Those that complete are counted by interval.
 *
 * Workload: max_insns asks every cluster in each tick; the others cost next to nothing.
 */
#include "kernel_queue-priv.h"

static uint64_t insns(const KernelQueue *q)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < q->n_cluster; i++) {
        n += WW_CLUSTER(&q->cluster[i])->insns(q->cluster[i].peer);
    }
    return n;
}

bool limit_reached(const KernelQueue *q, WwCycle end)
{
    return (q->max_cycles != 0 && end >= q->max_cycles) ||
           (q->max_insns != 0 && insns(q) >= q->max_insns);
}

void limit_handed_out(KernelQueue *q)
{
    if (q->max_ctas == 0 || q->ctas_issued < q->max_ctas) {
        return;
    }
    q->closed = true;
    if (q->left != 0) {
        q->left = 0;
        q->changes++;
        q->idle_from = ww_now(q) + 1;
    }
}

void limit_end(KernelQueue *q, WwCycle end, bool told)
{
    WwKernelResult r = {0};
    if (q->n_finished != 0) {
        r = window_finished(q);
    } else if (q->n_pending != 0) {
        result_begin(q, &r, q->pending[0].kernel);
        r.unfinished = true;
    }
    r.stream = window_last_stream(q);
    r.limit = told ? 1 : 2;
    q->ended = true;
    window_close(q, r, end);
    ww_done(q);
}

/*
 * The reference forgets the limit with the interval: it goes on, as if all its kernels had finished. With one that has not it is at its
 * end when nothing else is listed, and says nothing of a limit; else it uses what it has given back, and the run ends here.
 */
void limit_completed_end(KernelQueue *q, WwCycle end)
{
    bool unfinished = q->n_finished != 1;
    for (uint32_t i = 0; i < q->n_run && !unfinished; i++) {
        unfinished = q->run[i].kernel != NULL;
    }
    if (unfinished) {
        limit_end(q, end, window_more(q));
        return;
    }
    q->report = false;
    window_report(q, end, true);
}

WwRest limit_rest(const KernelQueue *q, WwCycle now)
{
    if (q->max_insns != 0 && !q->ended) {
        return WW_AGAIN;
    }
    return q->max_cycles > now + 1 && !q->ended ? q->max_cycles - 1 - now : WW_SLEEP;
}
