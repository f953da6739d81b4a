/* SPDX-License-Identifier: Apache-2.0 */
/* The slices' end of a memory channel: what does not happen in every cycle. */
#include "front-priv.h"

#include <warpwright/machine.h>

void delay_queue_init(DelayQueue *q, void *owner)
{
    q->owner = owner;
    q->at = ww_alloc(owner, ww_ring_init(&q->ring, 16) * sizeof *q->at);
}

void delay_queue_explain(const DelayQueue *q, WwExplain *explain)
{
    for (uint32_t i = 0; i < q->ring.n; i++) {
        ww_explain_holds_req(explain, q->at[ww_ring_slot(&q->ring, i)].req);
    }
}

static void latency_over(void *self, WwEvent *event)
{
    ww_wake(&((Front *)self)->wake);
}

bool front_init(Front *f, void *self, const WwPort *request, uint32_t n_request,
                const WwPort *response, uint32_t n_response, uint32_t latency, bool in_core_cycles,
                uint32_t limit, GError **error)
{
    WwComponent *c = self;
    if (n_request != n_response) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u request and %u response ports are bound; expected as many", n_request,
                       n_response);
    }
    f->request = request;
    f->response = response;
    f->slices = n_request;
    f->latency = latency;
    f->limited = limit != UINT32_MAX;
    f->shared_limit = limit;
    f->machine = c->machine;
    delay_queue_init(&f->waiting, self);
    f->delay = in_core_cycles ? f->core : c->domain;
    f->lockstep = f->delay == c->domain || f->core->hz == c->domain->hz;
    return true;
}

void front_reset(Front *f, void *self)
{
    f->wake = ww_wake_of(self, 0);
    f->last = f->slices - 1;
    f->private_out = 0;
    f->shared_out = 0;
    ww_ring_clear(&f->waiting.ring);
    ww_event_cancel(f->machine, f->core, &f->due);
    f->due.fire = latency_over;
    f->due.self = f;
}

WwRest front_rest(Front *f)
{
    WwCycle ready = delay_queue_first(&f->waiting)->ready, now = f->delay->cycle;
    if (f->lockstep || ready <= now + 1) {
        return ready <= now ? WW_AGAIN : ready - now;
    }
    /*
     * a core edge before the one that completes the latency: the next edges of the channel's clock
     * then look
     */
    if (!ww_event_pending(&f->due) || f->due.cycle != ready - 1) {
        ww_event_at(f->machine, f->core, &f->due, ready - 1);
    }
    return WW_SLEEP;
}

void front_explain(const Front *f, WwExplain *explain)
{
    delay_queue_explain(&f->waiting, explain);
    for (uint32_t s = 0; s < f->slices; s++) {
        const WwFifo *out = f->response[s].peer;
        if (ww_fifo_full(&f->response[s])) {
            ww_explain_waits(explain, out->ch.reader->who, "responses to slice %u find no room", s);
        }
    }
    if (f->waiting.ring.n != 0) {
        ww_explain_note(explain, "%u %s on the way into the channel", f->waiting.ring.n,
                        WW_PLURAL(f->waiting.ring.n, "request", "requests"));
    }
    if (f->limited && f->shared_out >= f->shared_limit) {
        ww_explain_note(explain, "all shared credits are out");
    }
}

void front_adapt(const Front *f, WwToken token, GRand *random)
{
    WwMemReq *req = (WwMemReq *)(uintptr_t)token;
    req->at.slice = (uint32_t)g_rand_int_range(random, 0, (gint32)f->slices);
    req->at.bank = (uint32_t)g_rand_int_range(random, 0, 4);
    req->at.row = (uint32_t)g_rand_int_range(random, 0, 3);
}
