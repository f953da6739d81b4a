/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last stages of a router: flits get the switch, cross it, and wait in a buffer for their link. An input has `input_speedup` ways into the
 * switch, shared by its virtual channels in turns; an output has `output_speedup` ways out, shared by the inputs.
 */
#include "routed-priv.h"

enum { REFUSED = -2 };

static uint32_t way_in(const Routed *x, const RoutedWaiter *w)
{
    return w->input * x->input_speedup + w->vc % x->input_speedup;
}

/* Is @p a before @p b when the turn is at @p from? */
static bool before(uint32_t a, uint32_t b, uint32_t from, uint32_t n)
{
    return (a + n - from) % n < (b + n - from) % n;
}

/* ---- allocation ------------------------------------------------------------------------------ */

/* Of several VCs that share a way in and want the same way out, the first from the turn on asks. */
static void ask(Routed *x, RoutedRouter *r, const RoutedWaiter *w, uint32_t output)
{
    uint32_t in = way_in(x, w), out = output * x->output_speedup + w->input % x->output_speedup;
    uint8_t *by = &r->asked_by[(gsize)in * r->sa.out.n + out];
    if (!bit_is_set(r->sa.out.ask + (gsize)out * r->sa.in.words, in)) {
        routed_alloc_ask(&r->sa, in, out);
        *by = (uint8_t)w->vc;
    } else if (before(w->vc, *by, r->sw_pointer[in], x->num_vcs)) {
        *by = (uint8_t)w->vc;
    }
}

static bool may_send(const Routed *x, const RoutedRouter *r, const RoutedVc *v)
{
    return !routed_full(x, &r->room[v->port * x->num_vcs + v->out_vc]) &&
           (x->output_buffer_size == 0 || r->out[v->port].buffer.n < x->output_buffer_size);
}

static int32_t granted(const Routed *x, RoutedRouter *r, const RoutedWaiter *w)
{
    uint32_t in = way_in(x, w);
    int32_t out = r->sa.in.match[in];
    if (out < 0 || r->asked_by[(gsize)in * r->sa.out.n + (uint32_t)out] != w->vc) {
        return REFUSED;
    }
    r->sw_pointer[in] = (w->vc + x->input_speedup) % x->num_vcs;
    return out;
}

/* The room that was there some cycles ago may be gone. */
static void check_again(Routed *x, RoutedRouter *r, WwCycle now)
{
    for (uint32_t i = 0; i < r->sw_alloc.ring.n; i++) {
        RoutedWaiter *w = routed_stage_at(&r->sw_alloc, i);
        if (w->time != WW_NEVER && now < w->time) {
            break;
        }
        const RoutedVc *v = &r->vc[w->input * x->num_vcs + w->vc];
        if (w->result >= 0 && routed_full(x, &r->room[v->port * x->num_vcs + v->out_vc])) {
            w->result = REFUSED;
        }
    }
}

static void cross_evaluate(Routed *x, RoutedRouter *r, WwCycle now)
{
    for (uint32_t f = r->crossing.head, n = r->crossing.n; n != 0;
         n--, f = routed_flit(x, f)->next) {
        if (routed_flit(x, f)->due != WW_NEVER) {
            break;
        }
        routed_flit(x, f)->due = now + x->switch_delay - 1;
    }
}

void routed_switch_evaluate(Routed *x, RoutedRouter *r)
{
    WwCycle now = ww_now(x);
    routed_alloc_clear(&r->sa);
    uint32_t begun = 0;
    for (; begun < r->sw_alloc.ring.n; begun++) {
        RoutedWaiter *w = routed_stage_at(&r->sw_alloc, begun);
        if (w->time != WW_NEVER) {
            break;
        }
        const RoutedVc *v = &r->vc[w->input * x->num_vcs + w->vc];
        if (may_send(x, r, v)) {
            ask(x, r, w, v->port);
        } else {
            w->result = REFUSED;
        }
    }
    if (begun != 0) {
        routed_alloc_allocate(&r->sa);
    }
    for (uint32_t i = 0; i < begun; i++) {
        RoutedWaiter *w = routed_stage_at(&r->sw_alloc, i);
        w->time = now + x->sw_alloc_delay - 1;
        if (w->result != REFUSED) {
            w->result = granted(x, r, w);
        }
    }
    if (x->sw_alloc_delay > 1) {
        check_again(x, r, now);
    }
    cross_evaluate(x, r, now);
}

/* ---- flits ----------------------------------------------------------------------------------- */

/* The front flit of a VC enters the switch. */
static void forward(Routed *x, RoutedRouter *r, const RoutedWaiter *w)
{
    RoutedVc *v = &r->vc[w->input * x->num_vcs + w->vc];
    uint32_t f = routed_pop(&x->flits, &v->flits);
    RoutedFlit *flit = routed_flit(x, f);
    flit->hops++;
    flit->vc = (uint8_t)v->out_vc;
    flit->output = v->port;
    flit->due = WW_NEVER;
    routed_occupy(x, &r->room[v->port * x->num_vcs + v->out_vc], flit->tail);
    routed_push(&x->flits, &r->crossing, f);
    r->in[w->input].freed |= 1ull << w->vc;
    bit_set(r->freed, w->input);
    if (v->flits.n == 0) {
        v->state = flit->tail ? VC_IDLE : VC_ACTIVE;
    } else if (flit->tail) {
        routed_begin_packet(x, r, w->input, w->vc);
    } else {
        routed_stage_push(&r->sw_alloc, w->input, w->vc);
    }
}

void routed_switch_update(Routed *x, RoutedRouter *r)
{
    WwCycle now = ww_now(x);
    while (routed_stage_over(&r->sw_alloc, now)) {
        RoutedWaiter w = routed_stage_pop(&r->sw_alloc);
        if (w.result >= 0) {
            forward(x, r, &w);
        } else {
            routed_stage_push(&r->sw_alloc, w.input, w.vc);
        }
    }
    while (r->crossing.n != 0 && routed_flit(x, r->crossing.head)->due <= now) {
        uint32_t f = routed_pop(&x->flits, &r->crossing), o = routed_flit(x, f)->output;
        routed_push(&x->flits, &r->out[o].buffer, f);
        if (!bit_is_set(r->buffer_busy, o)) {
            bit_set(r->buffer_busy, o);
            r->busy++;
        }
    }
}
