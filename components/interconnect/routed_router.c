/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A router with queues at its inputs: what it takes from its links and puts on them. In between lie, once or several times a cycle (the internal
 * speedup), the stages: route, virtual channel (routed_vc.c), switch, crossing (routed_switch.c). In each internal cycle all stages begin
 * what waits for them, then all end what is over, so that nothing passes through two stages in one.
 */
#include "routed-priv.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

static uint64_t *words(Routed *x, uint32_t n)
{
    return ww_alloc(x, n * sizeof(uint64_t));
}

static void stage_init(Routed *x, RoutedStage *s)
{
    s->at = ww_alloc(x, ww_ring_init(&s->ring, x->inputs * x->num_vcs) * sizeof *s->at);
}

void routed_router_init(Routed *x, RoutedRouter *r, uint32_t id)
{
    uint32_t vcs = x->num_vcs, in = x->inputs * x->input_speedup,
             out = x->outputs * x->output_speedup;
    r->id = id;
    r->in = ww_alloc(x, x->inputs * sizeof *r->in);
    r->out = ww_alloc(x, x->outputs * sizeof *r->out);
    r->vc = ww_alloc(x, (gsize)x->inputs * vcs * sizeof *r->vc);
    r->room = ww_alloc(x, (gsize)x->outputs * vcs * sizeof *r->room);
    r->link_busy = words(x, x->in_words);
    r->arrived = words(x, x->in_words);
    r->freed = words(x, x->in_words);
    r->credits_busy = words(x, x->in_words);
    r->credit_link_busy = words(x, x->out_words);
    r->buffer_busy = words(x, x->out_words);
    stage_init(x, &r->routing);
    stage_init(x, &r->vc_alloc);
    stage_init(x, &r->sw_alloc);
    r->va.kind = x->vc_allocator;
    r->va.matrix = x->vc_arbiter != 0;
    r->va.iterations = x->vc_iterations;
    routed_alloc_init(x, &r->va, x->inputs * vcs, x->outputs * vcs);
    r->sa.kind = x->sw_allocator;
    r->sa.matrix = x->sw_arbiter != 0;
    r->sa.iterations = x->sw_iterations;
    routed_alloc_init(x, &r->sa, in, out);
    r->asked_by = ww_alloc(x, (gsize)in * out * sizeof *r->asked_by);
    r->sw_pointer = ww_alloc(x, in * sizeof *r->sw_pointer);
}

void routed_router_reset(Routed *x, RoutedRouter *r)
{
    r->active = false;
    r->busy = 0;
    for (uint32_t i = 0; i < x->inputs; i++) {
        r->in[i] = (RoutedInput){.from = r->in[i].from};
    }
    for (uint32_t o = 0; o < x->outputs; o++) {
        r->out[o] = (RoutedOutput){.to = r->out[o].to, .delay = r->out[o].delay};
    }
    memset(r->vc, 0, (gsize)x->inputs * x->num_vcs * sizeof *r->vc);
    for (uint32_t i = 0; i < x->outputs * x->num_vcs; i++) {
        r->room[i] = (RoutedRoom){.user = -1};
    }
    memset(r->link_busy, 0, x->in_words * sizeof *r->link_busy);
    memset(r->arrived, 0, x->in_words * sizeof *r->arrived);
    memset(r->freed, 0, x->in_words * sizeof *r->freed);
    memset(r->credits_busy, 0, x->in_words * sizeof *r->credits_busy);
    memset(r->credit_link_busy, 0, x->out_words * sizeof *r->credit_link_busy);
    memset(r->buffer_busy, 0, x->out_words * sizeof *r->buffer_busy);
    ww_ring_clear(&r->routing.ring);
    ww_ring_clear(&r->vc_alloc.ring);
    ww_ring_clear(&r->sw_alloc.ring);
    r->crossing = r->processed = (RoutedQueue){0};
    routed_alloc_reset(&r->va);
    routed_alloc_reset(&r->sa);
    for (uint32_t i = 0; i < x->inputs * x->input_speedup; i++) {
        r->sw_pointer[i] = i % x->input_speedup;
    }
}

/* ---- links ----------------------------------------------------------------------------------- */

static void mark(RoutedRouter *r, uint64_t *busy, uint32_t i)
{
    if (!bit_is_set(busy, i)) {
        bit_set(busy, i);
        r->busy++;
    }
}

static void unmark(RoutedRouter *r, uint64_t *busy, uint32_t i)
{
    bit_clear(busy, i);
    r->busy--;
}

void routed_send_flit(Routed *x, RoutedNet *net, RoutedEnd to, uint32_t flit, uint32_t delay)
{
    routed_flit(x, flit)->due = ww_now(x) + delay + 1;
    if (to.router < 0) {
        routed_push(&x->flits, &net->node[to.port].arriving, flit);
        bit_set(net->arriving, to.port);
    } else {
        RoutedRouter *r = &net->router[to.router];
        routed_push(&x->flits, &r->in[to.port].link, flit);
        mark(r, r->link_busy, to.port);
    }
}

void routed_send_credit(Routed *x, RoutedNet *net, RoutedEnd to, uint64_t vcs, uint32_t delay)
{
    uint32_t i = routed_new(&x->credits);
    RoutedCredit *c = routed_credit(x, i);
    c->due = ww_now(x) + delay + 1;
    c->vcs = vcs;
    if (to.router < 0) {
        routed_push(&x->credits, &net->node[to.port].credits, i);
        bit_set(net->credits_busy, to.port);
    } else {
        RoutedRouter *r = &net->router[to.router];
        routed_push(&x->credits, &r->out[to.port].link, i);
        mark(r, r->credit_link_busy, to.port);
    }
}

static void receive(Routed *x, RoutedRouter *r, WwCycle now)
{
    FOR_BITS(i, r->link_busy, x->in_words)
    {
        RoutedQueue *link = &r->in[i].link;
        if (routed_flit(x, link->head)->due <= now) {
            r->in[i].arrived = routed_pop(&x->flits, link);
            bit_set(r->arrived, (uint32_t)i);
            r->active = true;
            if (link->n == 0) {
                unmark(r, r->link_busy, (uint32_t)i);
            }
        }
    }
    FOR_BITS(o, r->credit_link_busy, x->out_words)
    {
        RoutedQueue *link = &r->out[o].link;
        RoutedCredit *c = routed_credit(x, link->head);
        if (c->due <= now) {
            c->due = now + x->credit_delay;
            c->output = (uint32_t)o;
            routed_push(&x->credits, &r->processed, routed_pop(&x->credits, link));
            r->active = true;
            if (link->n == 0) {
                unmark(r, r->credit_link_busy, (uint32_t)o);
            }
        }
    }
}

/* One flit an output, one credit an input. */
static void send(Routed *x, RoutedNet *net, RoutedRouter *r)
{
    FOR_BITS(o, r->buffer_busy, x->out_words)
    {
        RoutedOutput *out = &r->out[o];
        routed_send_flit(x, net, out->to, routed_pop(&x->flits, &out->buffer), out->delay);
        if (out->buffer.n == 0) {
            unmark(r, r->buffer_busy, (uint32_t)o);
        }
    }
    FOR_BITS(i, r->credits_busy, x->in_words)
    {
        RoutedInput *in = &r->in[i];
        uint32_t c = routed_pop(&x->credits, &in->credits);
        uint64_t vcs = routed_credit(x, c)->vcs;
        uint32_t delay =
            in->from.router < 0 ? 1 : net->router[in->from.router].out[in->from.port].delay;
        routed_free(&x->credits, c);
        routed_send_credit(x, net, in->from, vcs, delay);
        if (in->credits.n == 0) {
            unmark(r, r->credits_busy, (uint32_t)i);
        }
    }
}

/* ---- an internal cycle ----------------------------------------------------------------------- */

void routed_begin_packet(Routed *x, RoutedRouter *r, uint32_t input, uint32_t vc)
{
    RoutedVc *v = &r->vc[input * x->num_vcs + vc];
    if (x->routing_delay != 0) {
        v->state = VC_ROUTING;
        routed_stage_push(&r->routing, input, vc);
    } else {
        routed_route(x, r, input, v);
        v->state = VC_ALLOC;
        routed_stage_push(&r->vc_alloc, input, vc);
    }
}

/* What arrived joins its queue; credits whose delay is over count. */
static void queue_inputs(Routed *x, RoutedNet *net, RoutedRouter *r, WwCycle now)
{
    FOR_BITS(i, r->arrived, x->in_words)
    {
        uint32_t f = r->in[i].arrived, vc = routed_flit(x, f)->vc;
        RoutedVc *v = &r->vc[(uint32_t)i * x->num_vcs + vc];
        routed_push(&x->flits, &v->flits, f);
        if (v->state == VC_IDLE) {
            routed_begin_packet(x, r, (uint32_t)i, vc);
        } else if (v->state == VC_ACTIVE && v->flits.n == 1) {
            routed_stage_push(&r->sw_alloc, (uint32_t)i, vc);
        }
        bit_clear(r->arrived, (uint32_t)i);
    }
    while (r->processed.n != 0 && routed_credit(x, r->processed.head)->due <= now) {
        uint32_t c = routed_pop(&x->credits, &r->processed);
        routed_release(x, &r->room[routed_credit(x, c)->output * x->num_vcs],
                       routed_credit(x, c)->vcs);
        routed_free(&x->credits, c);
        net->credits--;
    }
}

static void route_evaluate(Routed *x, RoutedRouter *r, WwCycle now)
{
    for (uint32_t i = 0; i < r->routing.ring.n; i++) {
        RoutedWaiter *w = routed_stage_at(&r->routing, i);
        if (w->time != WW_NEVER) {
            break; /* nothing begins behind one that has begun: so it is in every stage */
        }
        w->time = now + x->routing_delay - 1;
    }
}

static void route_update(Routed *x, RoutedRouter *r, WwCycle now)
{
    while (routed_stage_over(&r->routing, now)) {
        RoutedWaiter w = routed_stage_pop(&r->routing);
        RoutedVc *v = &r->vc[w.input * x->num_vcs + w.vc];
        routed_route(x, r, w.input, v);
        v->state = VC_ALLOC;
        routed_stage_push(&r->vc_alloc, w.input, w.vc);
    }
}

/* The VCs that gave a flit in this step share a credit an input. */
static void queue_credits(Routed *x, RoutedNet *net, RoutedRouter *r)
{
    FOR_BITS(i, r->freed, x->in_words)
    {
        uint32_t c = routed_new(&x->credits);
        routed_credit(x, c)->vcs = r->in[i].freed;
        r->in[i].freed = 0;
        routed_push(&x->credits, &r->in[i].credits, c);
        mark(r, r->credits_busy, (uint32_t)i);
        bit_clear(r->freed, (uint32_t)i);
        net->credits++;
    }
}

static void internal_cycle(Routed *x, RoutedNet *net, RoutedRouter *r)
{
    WwCycle now = ww_now(x);
    queue_inputs(x, net, r, now);
    bool active = r->processed.n != 0;
    route_evaluate(x, r, now);
    routed_vc_evaluate(x, r);
    routed_switch_evaluate(x, r);
    route_update(x, r, now);
    routed_vc_update(x, r);
    routed_switch_update(x, r);
    queue_credits(x, net, r);
    r->active = active || r->routing.ring.n != 0 || r->vc_alloc.ring.n != 0 ||
                r->sw_alloc.ring.n != 0 || r->crossing.n != 0;
}

void routed_router_cycle(Routed *x, RoutedNet *net, RoutedRouter *r, uint32_t steps)
{
    if (r->busy == 0 && !r->active) {
        return;
    }
    receive(x, r, ww_now(x));
    for (uint32_t s = 0; s < steps && r->active; s++) {
        internal_cycle(x, net, r);
    }
    send(x, net, r);
}
