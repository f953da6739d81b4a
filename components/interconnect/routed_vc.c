/* SPDX-License-Identifier: Apache-2.0 */
/* The second stage of a router: a packet gets a virtual channel of the output that it goes to. */
#include "routed-priv.h"

enum { REFUSED = -2 };

/* Inputs as the allocator numbers them. */
static uint32_t asker(const Routed *x, const RoutedWaiter *w)
{
    return x->vc_shuffle_requests ? w->vc * x->inputs + w->input : w->input * x->num_vcs + w->vc;
}

/* Asks for every virtual channel that nobody has. Returns whether there was one. */
static bool ask(Routed *x, RoutedRouter *r, const RoutedWaiter *w)
{
    const RoutedVc *v = &r->vc[w->input * x->num_vcs + w->vc];
    bool asked = false;
    for (uint32_t out = v->first; out <= v->last; out++) {
        uint32_t o = v->port * x->num_vcs + out;
        if (r->room[o].user < 0 && !(x->vc_busy_when_full && routed_full(x, &r->room[o]))) {
            routed_alloc_ask(&r->va, asker(x, w), o);
            asked = true;
        }
    }
    return asked;
}

/* What was granted some cycles ago may be gone. */
static void check_again(Routed *x, RoutedRouter *r, WwCycle now)
{
    for (uint32_t i = 0; i < r->vc_alloc.ring.n; i++) {
        RoutedWaiter *w = routed_stage_at(&r->vc_alloc, i);
        if (w->time != WW_NEVER && now < w->time) {
            break;
        }
        if (w->result >= 0) {
            const RoutedRoom *room = &r->room[w->result];
            if (room->user >= 0 || (x->vc_busy_when_full && routed_full(x, room))) {
                w->result = REFUSED;
            }
        }
    }
}

void routed_vc_evaluate(Routed *x, RoutedRouter *r)
{
    WwCycle now = ww_now(x);
    routed_alloc_clear(&r->va);
    uint32_t begun = 0;
    for (; begun < r->vc_alloc.ring.n; begun++) {
        RoutedWaiter *w = routed_stage_at(&r->vc_alloc, begun);
        if (w->time != WW_NEVER) {
            break;
        }
        w->result = ask(x, r, w) ? -1 : REFUSED;
    }
    if (begun != 0) {
        routed_alloc_allocate(&r->va);
    }
    for (uint32_t i = 0; i < begun; i++) {
        RoutedWaiter *w = routed_stage_at(&r->vc_alloc, i);
        w->time = now + x->vc_alloc_delay - 1;
        if (w->result != REFUSED) {
            int32_t out = r->va.in.match[asker(x, w)];
            w->result = out >= 0 ? out : REFUSED;
        }
    }
    if (x->vc_alloc_delay > 1) {
        check_again(x, r, now);
    }
}

void routed_vc_update(Routed *x, RoutedRouter *r)
{
    WwCycle now = ww_now(x);
    while (routed_stage_over(&r->vc_alloc, now)) {
        RoutedWaiter w = routed_stage_pop(&r->vc_alloc);
        if (w.result < 0) {
            routed_stage_push(&r->vc_alloc, w.input, w.vc);
            continue;
        }
        RoutedVc *v = &r->vc[w.input * x->num_vcs + w.vc];
        RoutedRoom *room = &r->room[w.result];
        room->user = (int32_t)(w.input * x->num_vcs + w.vc);
        room->tail_sent = false;
        v->out_vc = (uint32_t)w.result % x->num_vcs;
        v->state = VC_ACTIVE;
        routed_stage_push(&r->sw_alloc, w.input, w.vc);
    }
}
