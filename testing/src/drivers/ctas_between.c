/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between a dispatcher and an SM, both played here: all that is asked of it comes through, and that a CTA is complete comes back. It
 * may place fewer than the SM would.
 */
#include "ctas-priv.h"

#include <testing/fake_ctas.h>
#include <warpwright/component.h>

enum { SOON = 4 }; /* Cycles in which it passes on that one is complete. */

static void place(WwDrive *d, Ctas *c, WwFakeCtas *behind, Run *r)
{
    Placed *p = &c->placed[behind->placed % PLACES];
    uint32_t n = behind->placed;
    *p = (Placed){.run = r, .trace = {.n_warps = 1, .warp = c->warp, .n_insts = c->n_insts}};
    r->run.next_cta++;
    r->run.resident++;
    ww_drive_say(d, "places kernel %u", r->kernel.uid);
    ((const WwCtasIf *)d->table)->place(d->self, &r->run, &p->trace);
    if (behind->placed != n + 1 || behind->run[n] != &r->run || behind->trace[n] != &p->trace) {
        ww_drive_wrong(d,
                       "place() places %u CTAs on the SM behind it; expected the one it was given",
                       behind->placed - n);
    }
}

static void place_one(WwDrive *d, Ctas *c, WwFakeCtas *behind)
{
    const WwCtasIf *f = d->table;
    uint32_t here = behind->placed - behind->first;
    Run *r = ctas_kernel_for(d, c);
    if (r == NULL || here == PLACES) {
        return;
    }
    bool room = here < behind->limit && behind->placed < WW_FAKE_CTAS_MAX;
    bool may = f->can_place(d->self, &r->run, NULL);
    ww_drive_say(d, "kernel %u: %s", r->kernel.uid, may ? "yes" : "no");
    if (may && !(room && ww_kernel_more(&r->run))) {
        ww_drive_wrong(d, "can_place() says yes to what the SM behind it refuses");
    } else if (!may && here == 0 && room && ww_kernel_more(&r->run)) {
        ww_drive_wrong(d, "can_place() says no, and the SM behind it is empty and would take it");
    } else if (may) {
        place(d, c, behind, r);
    }
}

void ctas_between_drive(WwDrive *d, Ctas *c, WwFakeCtas *behind)
{
    const WwCtasIf *f = d->table;
    const WwCtaView *v = f->view(d->self);
    if (v->active != behind->view.active || v->threads != behind->view.threads) {
        ww_drive_wrong(d,
                       "it shows %u CTAs of %u threads; expected the %u of %u of the SM behind it",
                       v->active, v->threads, behind->view.active, behind->view.threads);
    }
    for (uint32_t n = ww_drive_draw(d, 3); n > 0 && d->wrong == NULL; n--) {
        place_one(d, c, behind);
    }
    if (d->wrong == NULL && ww_drive_draw(d, 8) == 0) {
        uint32_t n = behind->retires, warp = ww_drive_draw(d, WW_MAX_WARPS);
        f->retire(d->self, warp);
        if (behind->retires != n + 1 || !(behind->retired >> warp & 1u)) {
            ww_drive_wrong(d, "retire() of warp %u does not come to the SM behind it", warp);
        }
    }
}

static void collect_all(WwDrive *d, Ctas *c, WwFakeCtas *behind)
{
    const WwKernelRun *run;
    const WwCtaTrace *trace;
    while (d->wrong == NULL) {
        uint32_t n = behind->first;
        bool expected = n != behind->done;
        if (((const WwCtasIf *)d->table)->collect(d->self, &run, &trace) != expected) {
            ww_drive_wrong(d, "collect() finds %s; expected what the SM behind it has",
                           expected ? "no CTA" : "a CTA");
        } else if (expected &&
                   (run != behind->run[n] || trace != behind->trace[n] || behind->first != n + 1)) {
            ww_drive_wrong(d, "collect() gives another run or trace than the SM behind it");
        }
        if (!expected) {
            return;
        }
        Placed *p = &c->placed[n % PLACES];
        p->run->run.resident--;
        *p = (Placed){0};
    }
}

bool ctas_between_serve(WwDrive *d, Ctas *c, WwFakeCtas *behind)
{
    WwCycle now = ww_harness_now(d->h);
    if (ww_harness_wakes(d->h, d->port, WW_RANK_DISPATCH, 0) != 0) {
        c->owed = false;
        collect_all(d, c, behind);
    } else if (c->owed && now > c->since + SOON) {
        ww_drive_wrong(d,
                       "a CTA of the SM behind it is complete and the `dispatch` caller is not "
                       "woken in %d cycles",
                       SOON);
    }
    if (d->wrong == NULL && behind->done < behind->placed && ww_drive_draw(d, 4) == 0) {
        ww_fake_ctas_complete(behind);
        c->since = c->owed ? c->since : now;
        c->owed = true;
    }
    return behind->first != behind->placed;
}

void ctas_between_rest(WwDrive *d, const WwFakeCtas *behind)
{
    if (behind->collected != behind->placed) {
        ww_drive_wrong(d, "%u CTAs of the SM behind it were never told of",
                       behind->placed - behind->collected);
    }
}
