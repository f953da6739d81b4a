/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random dispatcher and fetch unit of an SM: places CTAs of random kernels as the SM allows, retires their warps in any order, hears of
 * those that are complete.
 */
#include "ctas-priv.h"

#include <string.h>
#include <testing/fake_barriers.h>
#include <testing/fake_warps.h>
#include <warpwright/component.h>

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static void new_kernel(WwDrive *d, Ctas *c, Run *r)
{
    uint32_t odd = ww_drive_draw(d, 12);
    memset(r, 0, sizeof *r);
    r->kernel = (WwKernel){.name = "driven",
                           .file = "driven",
                           .uid = ++c->uid,
                           .n_ctas = 1 + ww_drive_draw(d, 24),
                           .threads_per_cta = 1 + ww_drive_draw(d, 400),
                           .shmem = ww_drive_draw(d, 2) * ww_drive_draw(d, 30000),
                           .nregs = 8 + ww_drive_draw(d, 40),
                           .binary_version = 80};
    if (odd == 0) {
        r->kernel.threads_per_cta = 4096; /* too many for any SM */
    } else if (odd == 1) {
        r->kernel.shmem = 1u << 30;
    }
    r->run = (WwKernelRun){.kernel = &r->kernel, .slot = (uint32_t)(r - c->run)};
}

static uint32_t warps_of(const Run *r)
{
    return (r->kernel.threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
}

static void begin(WwDrive *d, Ctas *c)
{
    c->begun = true;
    ((const WwCtasIf *)d->table)->number(d->self, SM, SMS, CLUSTER);
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        c->warp[i] = &c->tinst;
        c->n_insts[i] = 1;
    }
    for (uint32_t i = 0; i < RUNS; i++) {
        new_kernel(d, c, &c->run[i]);
    }
}

/* ---- what it shows ---------------------------------------------------------------------------------------------- */

static void check_view(WwDrive *d, const Ctas *c, const char *after)
{
    const WwCtaView *v = ((const WwCtasIf *)d->table)->view(d->self);
    if (v->active != c->active || v->threads != c->threads) {
        ww_drive_wrong(d, "after %s it shows %u CTAs of %u threads; expected %u of %u", after,
                       v->active, v->threads, c->active, c->threads);
    } else if (v->sm != SM || v->sms != SMS || v->cluster != CLUSTER) {
        ww_drive_wrong(d, "it is SM %u of %u, cluster %u; expected what number() said", v->sm,
                       v->sms, v->cluster);
    } else if (c->active == 0 && v->run != NULL) {
        ww_drive_wrong(d, "after %s it is bound to a kernel and holds no CTA", after);
    } else if (!v->shared && c->active > v->limit) {
        ww_drive_wrong(d, "it holds %u CTAs; expected at most its limit of %u", c->active,
                       v->limit);
    }
}

/* ---- placing ---------------------------------------------------------------------------------------------------- */

/* The warps of a new CTA: on slots that were empty, all its threads, and the barrier knows them. */
static void check_warps(WwDrive *d, const Placed *p, const WwFakeWarps *warps, uint64_t before)
{
    const WwFakeBarriers *barriers = ww_drive_fake(d, &ww_fake_barriers_type, 0);
    uint32_t lanes = 0;
    for (uint64_t m = p->warps; m != 0; m &= m - 1) {
        lanes += (uint32_t)__builtin_popcount(warps->warp[__builtin_ctzll(m)].lanes);
    }
    if ((uint32_t)__builtin_popcountll(p->warps) != warps_of(p->run) || (before & p->warps) != 0 ||
        lanes != p->run->kernel.threads_per_cta) {
        ww_drive_wrong(d,
                       "place() launches %u threads on warps %" G_GINT64_MODIFIER
                       "x, where %" G_GINT64_MODIFIER
                       "x were; expected %u threads on %u empty ones",
                       lanes, p->warps, before, p->run->kernel.threads_per_cta, warps_of(p->run));
    } else if (barriers != NULL && barriers->warps != p->warps) {
        ww_drive_wrong(d,
                       "place() tells the barriers of warps %" G_GINT64_MODIFIER
                       "x; expected %" G_GINT64_MODIFIER "x",
                       barriers->warps, p->warps);
    }
}

static void place(WwDrive *d, Ctas *c, Run *r, Placed *p)
{
    const WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    uint64_t before = warps->view.resident;
    uint32_t launches = warps->total.launch;
    *p = (Placed){.run = r,
                  .trace = {.n_warps = warps_of(r), .warp = c->warp, .n_insts = c->n_insts}};
    r->run.next_cta++;
    r->run.resident++;
    r->fits = true;
    ((const WwCtasIf *)d->table)->place(d->self, &r->run, &p->trace);
    c->active++;
    c->threads += r->kernel.threads_per_cta;
    p->warps = warps->view.resident & ~before;
    ww_drive_say(d, "places kernel %u on %" G_GINT64_MODIFIER "x", r->kernel.uid, p->warps);
    if (warps->total.launch - launches != warps_of(r)) {
        ww_drive_wrong(d, "place() launches %u warps; expected %u", warps->total.launch - launches,
                       warps_of(r));
    }
    check_warps(d, p, warps, before);
    check_view(d, c, "place()");
}

/* As dispatch does: an SM stays with its kernel while that has CTAs, and takes another one when it is empty; or shares them. */
Run *ctas_kernel_for(WwDrive *d, Ctas *c)
{
    const WwCtaView *v = ((const WwCtasIf *)d->table)->view(d->self);
    for (uint32_t i = 0; !v->shared && i < RUNS; i++) {
        if (v->run == &c->run[i].run && ww_kernel_more(v->run)) {
            return &c->run[i];
        }
    }
    Run *r = v->shared || v->threads == 0 ? &c->run[ww_drive_draw(d, RUNS)] : NULL;
    if (r != NULL && (r->never || !ww_kernel_more(&r->run)) && r->run.resident == 0) {
        new_kernel(d, c, r);
    }
    return r;
}

static void place_one(WwDrive *d, Ctas *c, Run *r)
{
    const WwCtasIf *f = d->table;
    g_autoptr(GError) error = NULL, again = NULL;
    uint32_t i = 0;
    while (i < PLACES && c->placed[i].run != NULL) {
        i++;
    }
    if (i == PLACES) {
        return;
    }
    bool may = f->can_place(d->self, &r->run, &error);
    ww_drive_say(d, "kernel %u: %s", r->kernel.uid, may ? "yes" : error != NULL ? "never" : "no");
    if (f->can_place(d->self, &r->run, &again) != may || (again != NULL) != (error != NULL)) {
        ww_drive_wrong(d, "can_place() says %s, then %s", may ? "yes" : "no", may ? "no" : "yes");
    } else if (error != NULL && (may || r->fits)) {
        ww_drive_wrong(d, "can_place() says that no CTA of a kernel ever fits%s",
                       may ? ", and yes" : ", one of which was placed");
    } else if (may && !ww_kernel_more(&r->run)) {
        ww_drive_wrong(d, "can_place() says yes to a kernel that has no more CTAs");
    } else if (!may && error == NULL && c->active == 0 && ww_kernel_more(&r->run) &&
               (r->fits || !f->view(d->self)->shared)) {
        ww_drive_wrong(d, "can_place() says no for now, and it is empty");
    } else if (may) {
        place(d, c, r, &c->placed[i]);
    }
    r->never |= error != NULL;
}

static void ctas_drive(WwDrive *d)
{
    Ctas *c = d->state;
    WwFakeCtas *behind = ww_drive_fake(d, &ww_fake_ctas_type, 0);
    if (behind == NULL && ww_drive_fake(d, &ww_fake_warps_type, 0) == NULL) {
        return; /* who retires its warps? */
    }
    if (!c->begun) {
        begin(d, c);
    }
    if (behind != NULL) {
        ctas_between_drive(d, c, behind);
        return;
    }
    for (uint32_t n = ww_drive_draw(d, 3); n > 0 && d->wrong == NULL; n--) {
        Run *r = ctas_kernel_for(d, c);
        if (r != NULL) {
            place_one(d, c, r);
        }
    }
}

/* ---- retiring --------------------------------------------------------------------------------------------------- */

static Placed *holder_of(Ctas *c, uint32_t warp)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        if (c->placed[i].run != NULL && (c->placed[i].warps >> warp & 1u)) {
            return &c->placed[i];
        }
    }
    return NULL;
}

static void retire_one(WwDrive *d, Ctas *c, WwFakeWarps *warps)
{
    const WwWarpsIf *f = ww_fake_warps_type.ports[0].table;
    uint64_t there = warps->view.resident;
    uint32_t skip = ww_drive_draw(d, (uint32_t)__builtin_popcountll(there));
    while (skip-- > 0) {
        there &= there - 1;
    }
    if (there == 0) {
        return;
    }
    uint32_t warp = (uint32_t)__builtin_ctzll(there);
    Placed *p = holder_of(c, warp);
    if (p == NULL) {
        ww_drive_wrong(d, "warp %u is resident, and of no CTA that was placed", warp);
        return;
    }
    c->threads -= (uint32_t)__builtin_popcount(warps->warp[warp].launched);
    p->warps &= ~(1ull << warp);
    c->active -= p->warps == 0;
    f->exit_lanes(warps, warp, UINT32_MAX);
    f->retire(warps, warp);
    ww_harness_wakes(d->h, d->port, WW_RANK_DISPATCH, 0);
    ((const WwCtasIf *)d->table)->retire(d->self, warp);
    check_view(d, c, "retire()");
    if (p->warps == 0) {
        p->complete = true;
        p->order = ++c->order;
        if (ww_harness_wakes(d->h, d->port, WW_RANK_DISPATCH, 0) == 0) {
            ww_drive_wrong(d, "a CTA is complete and the `dispatch` caller is not woken");
        }
    }
}

/* The one that completed first and was not collected; NULL: there is none. */
static Placed *next_complete(Ctas *c)
{
    Placed *first = NULL;
    for (uint32_t i = 0; i < PLACES; i++) {
        Placed *p = &c->placed[i];
        if (p->complete && (first == NULL || p->order < first->order)) {
            first = p;
        }
    }
    return first;
}

static void collect_all(WwDrive *d, Ctas *c)
{
    const WwKernelRun *run;
    const WwCtaTrace *trace;
    while (d->wrong == NULL) {
        Placed *p = next_complete(c);
        bool any = ((const WwCtasIf *)d->table)->collect(d->self, &run, &trace);
        if (any != (p != NULL)) {
            ww_drive_wrong(d, "collect() finds %s CTA; expected %s", any ? "a" : "no",
                           p != NULL ? "one: its last warp has retired" : "none");
        } else if (any && (run != &p->run->run || trace != &p->trace)) {
            ww_drive_wrong(d, "collect() gives another run or trace; expected those of the CTA "
                              "that completed first");
        }
        if (!any || d->wrong != NULL) {
            return;
        }
        p->run->run.resident--;
        *p = (Placed){0};
    }
}

static bool ctas_serve(WwDrive *d)
{
    Ctas *c = d->state;
    WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    WwFakeCtas *behind = ww_drive_fake(d, &ww_fake_ctas_type, 0);
    if (behind != NULL) {
        return c->begun && d->wrong == NULL && ctas_between_serve(d, c, behind);
    }
    for (uint32_t n = ww_drive_draw(d, 6); c->begun && n > 0 && d->wrong == NULL; n--) {
        retire_one(d, c, warps);
    }
    if (c->begun && d->wrong == NULL && ww_drive_draw(d, 3) != 0) {
        collect_all(d, c);
    }
    return c->active != 0 || next_complete(c) != NULL;
}

/* All is retired: another kernel may begin. */
static void ctas_rest(WwDrive *d)
{
    Ctas *c = d->state;
    Run *r = &c->run[0];
    const WwFakeCtas *behind = ww_drive_fake(d, &ww_fake_ctas_type, 0);
    if (behind != NULL) {
        ctas_between_rest(d, behind);
    }
    if (!c->begun || behind != NULL) {
        return;
    }
    check_view(d, c, "all warps have retired");
    if (c->active != 0) {
        ww_drive_wrong(d, "%u CTAs are left with no warp", c->active);
    }
    new_kernel(d, c, r);
    r->kernel.threads_per_cta = WW_WARP_SIZE;
    r->kernel.shmem = r->kernel.nregs = 0;
    if (!((const WwCtasIf *)d->table)->can_place(d->self, &r->run, NULL)) {
        ww_drive_wrong(d, "can_place() refuses a CTA of one warp, and it is empty");
    }
}

const WwDriver drive_ctas = {
    .contract = &ww_contract_ctas,
    .promises =
        "a CTA gets empty warps for all its threads, is told of once, with its own trace, when "
        "its last warp has retired, and gives back what it had; what fits, fits when asked "
        "again, and what never fits never did; what stands before an SM passes on what is asked "
        "of it, and that a CTA is complete",
    .state = sizeof(Ctas),
    .drive = ctas_drive,
    .serve = ctas_serve,
    .rest = ctas_rest,
};
