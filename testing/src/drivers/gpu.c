/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of CTA dispatch: what offers CTAs to a cluster, what takes them from a kernel queue, who hears of kernels that are done. */
#include "drivers-priv.h"

#include <ports/ctas.h>
#include <string.h>
#include <testing/fake_ctas.h>
#include <testing/fake_kernels.h>
#include <testing/fake_trace.h>
#include <warpwright/component.h>

/* ---- cluster ---------------------------------------------------------------------------------------------------- */

enum { FIRST_SM = 5, GPU_SMS = 32, CLUSTER = 2 };

typedef struct Cluster {
    bool begun;
    uint32_t size;
    uint64_t insns;
    uint32_t complete; /* CTAs that completed, all, */
    uint32_t pending;  /* and in this tick. */
} Cluster;

static WwFakeCtas *sm_of(const WwDrive *d, uint32_t i)
{
    return ww_drive_fake(d, &ww_fake_ctas_type, i);
}

/* CTAs placed on its SMs so far. */
static uint32_t placed_on(const WwDrive *d)
{
    const WwFakeCtas *sm;
    uint32_t n = 0;
    for (uint32_t i = 0; (sm = sm_of(d, i)) != NULL; i++) {
        n += sm->placed;
    }
    return n;
}

static uint32_t threads_on(const WwDrive *d)
{
    const WwFakeCtas *sm;
    uint32_t n = 0;
    for (uint32_t i = 0; (sm = sm_of(d, i)) != NULL; i++) {
        n += sm->view.threads;
    }
    return n;
}

/* SMs are numbered in their order. */
static void number_sms(WwDrive *d, Cluster *c)
{
    const WwClusterIf *f = d->table;
    const WwFakeCtas *sm;
    c->begun = true;
    c->size = f->size(d->self);
    uint32_t numbered = f->number(d->self, FIRST_SM, GPU_SMS, CLUSTER);
    if (numbered != c->size) {
        ww_drive_wrong(d, "number() answers %u; expected its size of %u", numbered, c->size);
    }
    for (uint32_t i = 0; (sm = sm_of(d, i)) != NULL; i++) {
        if (sm->view.sm != FIRST_SM + i || sm->view.sms != GPU_SMS || sm->view.cluster != CLUSTER) {
            ww_drive_wrong(d, "number() makes SM %u of %u of what is %u of %u", sm->view.sm,
                           sm->view.sms, FIRST_SM + i, GPU_SMS);
        }
    }
}

static void check_cluster(WwDrive *d, Cluster *c)
{
    const WwClusterIf *f = d->table;
    uint64_t insns = f->insns(d->self);
    bool empty = f->empty(d->self);
    ww_drive_say(d, "%s", empty ? "empty" : "busy");
    if (sm_of(d, 0) != NULL && c->pending == 0 && empty != (threads_on(d) == 0)) {
        ww_drive_wrong(d, "empty() says %d; expected %d, for its SMs have %u threads", empty,
                       !empty, threads_on(d));
    } else if (f->size(d->self) != c->size) {
        ww_drive_wrong(d, "size() says %u, then %u", c->size, f->size(d->self));
    } else if (insns < c->insns) {
        ww_drive_wrong(d, "insns() falls");
    }
    c->insns = insns;
}

/* At most one is placed, and it was taken from the kernels; the first on an empty cluster is told to those who flush. */
static void offer(WwDrive *d)
{
    const WwClusterIf *f = d->table;
    const WwFakeKernels *kernels = ww_drive_fake(d, &ww_fake_kernels_type, 0);
    uint32_t before = placed_on(d), takes = kernels != NULL ? kernels->takes : 0;
    bool empty = f->empty(d->self);
    ww_harness_wakes(d->h, d->port, WW_RANK_CLUSTER_FLUSH, 0);
    bool took = f->offer(d->self);
    bool told = ww_harness_wakes(d->h, d->port, WW_RANK_CLUSTER_FLUSH, 0) != 0;
    ww_drive_say(d, "offer: %d", took);
    if (sm_of(d, 0) != NULL && placed_on(d) - before != took) {
        ww_drive_wrong(d, "offer() answers %d and places %u CTAs; expected %d", took,
                       placed_on(d) - before, took);
    } else if (kernels != NULL && kernels->takes - takes != took) {
        ww_drive_wrong(d, "offer() answers %d and takes %u CTAs from the kernels", took,
                       kernels->takes - takes);
    } else if (took && f->empty(d->self)) {
        ww_drive_wrong(d, "offer() answers true, and it is empty");
    } else if (took && empty && !told) {
        ww_drive_wrong(d, "the first CTA of an empty cluster is placed and the `flush` caller is "
                          "not woken");
    }
}

/* What completed before the last tick is given back by now, and the dispatcher woken. */
static void check_collected(WwDrive *d, Cluster *c)
{
    const WwFakeKernels *kernels = ww_drive_fake(d, &ww_fake_kernels_type, 0);
    if (kernels != NULL && kernels->completed != c->complete) {
        ww_drive_wrong(d, "%u CTAs are given back; expected the %u that completed",
                       kernels->completed, c->complete);
    } else if (ww_harness_wakes(d->h, d->port, WW_RANK_DISPATCH, 0) == 0 && c->pending != 0) {
        ww_drive_wrong(d, "CTAs completed and the `dispatch` caller is not woken");
    }
    c->pending = 0;
}

static void cluster_drive(WwDrive *d)
{
    Cluster *c = d->state;
    WwFakeKernels *kernels = ww_drive_fake(d, &ww_fake_kernels_type, 0);
    if (!c->begun) {
        number_sms(d, c);
    }
    if (kernels != NULL && kernels->n < WW_FAKE_KERNELS_MAX && ww_drive_draw(d, 40) == 0) {
        ww_fake_kernels_add(kernels, 1 + ww_drive_draw(d, 40), 1 + ww_drive_draw(d, 256),
                            ww_harness_now(d->h) + ww_drive_draw(d, 20));
    }
    WwFakeCtas *sm = sm_of(d, ww_drive_draw(d, MAX(c->size, 1)));
    if (sm != NULL && ww_drive_draw(d, 16) == 0) {
        sm->limit = ww_drive_draw(d, 6);
    }
    if (ww_drive_draw(d, 2) == 0) {
        offer(d);
    }
}

static bool cluster_serve(WwDrive *d)
{
    Cluster *c = d->state;
    WwFakeCtas *sm;
    if (!c->begun) {
        return false;
    }
    check_collected(d, c);
    for (uint32_t i = 0; (sm = sm_of(d, i)) != NULL; i++) {
        while (sm->done < sm->placed && ww_drive_draw(d, 4) == 0) {
            ww_fake_ctas_complete(sm);
            c->complete++;
            c->pending++;
        }
    }
    check_cluster(d, c);
    return c->pending != 0 || threads_on(d) != 0;
}

static void cluster_rest(WwDrive *d)
{
    if (sm_of(d, 0) != NULL && threads_on(d) == 0 &&
        !((const WwClusterIf *)d->table)->empty(d->self)) {
        ww_drive_wrong(d, "empty() denies it, and its SMs are empty");
    }
}

const WwDriver drive_cluster = {
    .contract = &ww_contract_cluster,
    .promises = "an offer places one CTA or none, as it says; what completes is given back in the "
                "same tick and told to the dispatcher, the first on an empty cluster to `flush`; "
                "SMs are numbered in order, and it is empty when they are",
    .state = sizeof(Cluster),
    .drive = cluster_drive,
    .serve = cluster_serve,
    .rest = cluster_rest,
};

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

enum { LAUNCHES = 8, OUT = 48 };

/* A CTA that was handed out. */
typedef struct Handed {
    const WwKernelRun *run; /* NULL: none */
    const WwCtaTrace *trace;
} Handed;

typedef struct Kernels {
    bool begun;
    bool none;               /* select() had none the last time. */
    const WwKernelRun *last; /* Selected last, */
    const WwKernel *of;      /* when it was this kernel's. */
    bool more;               /* At the end of the last turn, */
    WwCycle idle, at;        /* as this, then. */
    Handed out[OUT];
} Kernels;

static WwFakeTrace *trace_of(const WwDrive *d)
{
    WwFakeTraceSource *source = ww_drive_fake(d, &ww_fake_trace_source_type, 0);
    return source != NULL ? source->trace : NULL;
}

/* A command list: kernels of several streams, copies between them. */
static void describe(WwDrive *d, WwFakeTrace *t)
{
    ww_fake_trace_clear(t);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        uint64_t ctas = 1 + ww_drive_draw(d, 8);
        WwFakeKernel *k = ww_fake_trace_kernel(t, "driven", ctas, 1 + ww_drive_draw(d, 200));
        k->pub.stream = ww_drive_draw(d, 3);
        if (ww_drive_draw(d, 3) == 0) {
            ww_fake_trace_memcpy(t, 0x1000u * i, 1 + ww_drive_draw(d, 1000));
        }
    }
}

static Handed *free_place(Kernels *s)
{
    for (uint32_t i = 0; i < OUT; i++) {
        if (s->out[i].run == NULL) {
            return &s->out[i];
        }
    }
    return NULL;
}

static bool is_out(const Kernels *s, const WwCtaTrace *trace)
{
    for (uint32_t i = 0; i < OUT; i++) {
        if (s->out[i].run != NULL && s->out[i].trace == trace) {
            return true;
        }
    }
    return false;
}

/* What select() answers can be taken from, is ready, and stays the answer as long as it can. */
static const WwKernelRun *select_one(WwDrive *d, Kernels *s, bool told)
{
    const WwKernelsIf *f = d->table;
    const WwKernelRun *run = f->select(d->self);
    if (f->select(d->self) != run) {
        ww_drive_wrong(d, "select() answers something else when asked again");
    } else if (run != NULL && (run->kernel == NULL || !ww_kernel_more(run) || !f->more(d->self))) {
        ww_drive_wrong(d, "select() answers a kernel without CTAs to hand out");
    } else if (run != NULL && run->ready > ww_harness_now(d->h)) {
        ww_drive_wrong(d, "select() answers a kernel that is ready in cycle %" G_GUINT64_FORMAT,
                       run->ready);
    } else if (s->last != NULL && s->last->kernel == s->of && f->more(d->self) &&
               ww_kernel_more(s->last) && run != s->last) {
        ww_drive_wrong(d, "select() leaves a kernel that has CTAs to hand out");
    } else if (run != NULL && s->none && !told && run->ready < ww_harness_now(d->h)) {
        ww_drive_wrong(d, "a kernel is ready and the `dispatch` caller is not woken");
    }
    /* at the edge at which it is ready the wake is still to come */
    s->none = run == NULL || (s->none && run->ready == ww_harness_now(d->h));
    s->last = run;
    s->of = run != NULL ? run->kernel : NULL;
    return run;
}

static void take_one(WwDrive *d, Kernels *s, const WwKernelRun *run)
{
    const WwKernelsIf *f = d->table;
    Handed *place = free_place(s);
    if (place == NULL) {
        return;
    }
    uint64_t next = run->next_cta, resident = run->resident;
    uint32_t warps = (run->kernel->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    const WwCtaTrace *trace = f->take(d->self, run);
    ww_drive_say(d, "kernel %u CTA %" G_GUINT64_FORMAT, run->kernel->uid, next);
    if (trace == NULL) {
        ww_drive_wrong(d, "take() hands out nothing of a kernel that was selected");
    } else if (is_out(s, trace)) {
        ww_drive_wrong(d, "take() hands out a CTA twice");
    } else if (trace->n_warps != warps) {
        ww_drive_wrong(d, "take() hands out %u warps; expected %u", trace->n_warps, warps);
    } else if (run->next_cta != next + 1 || run->resident != resident + 1) {
        ww_drive_wrong(d,
                       "take() counts %" G_GUINT64_FORMAT " handed out, %" G_GUINT64_FORMAT
                       " resident; expected one more of each than %" G_GUINT64_FORMAT
                       ", %" G_GUINT64_FORMAT,
                       run->next_cta, run->resident, next, resident);
    } else {
        *place = (Handed){run, trace};
    }
}

static void complete_one(WwDrive *d, Handed *h)
{
    const WwKernelRun *run = h->run;
    uint64_t resident = run->resident;
    ((const WwKernelsIf *)d->table)->completed(d->self, run, h->trace);
    if (run->resident != resident - 1) {
        ww_drive_wrong(
            d, "completed() counts %" G_GUINT64_FORMAT " resident; expected %" G_GUINT64_FORMAT,
            run->resident, resident - 1);
    }
    *h = (Handed){0};
}

/* A cycle that began without a kernel to take from is an idle one, any other is not. */
static void check_idle(WwDrive *d, const Kernels *s)
{
    const WwKernelsIf *f = d->table;
    WwCycle now = ww_harness_now(d->h), idle = f->idle(d->self);
    bool more = f->more(d->self);
    WwCycle least = !s->more && !more ? now - s->at : 0, most = s->more && more ? 0 : now - s->at;
    if (s->at != 0 && (idle - s->idle < least || idle - s->idle > most)) {
        ww_drive_wrong(d,
                       "idle() grows by %" G_GINT64_FORMAT " in %" G_GUINT64_FORMAT
                       " cycles that begin %s a kernel to take from",
                       (int64_t)(idle - s->idle), now - s->at, more ? "with" : "without");
    }
}

static void kernels_drive(WwDrive *d)
{
    Kernels *s = d->state;
    WwFakeTrace *trace = trace_of(d);
    if (!s->begun && trace != NULL) {
        describe(d, trace);
    }
    s->begun = true;
}

static bool kernels_serve(WwDrive *d)
{
    const WwKernelsIf *f = d->table;
    Kernels *s = d->state;
    bool told = ww_harness_wakes(d->h, d->port, WW_RANK_DISPATCH, 0) != 0;
    check_idle(d, s);
    const WwKernelRun *run = select_one(d, s, told);
    while (run != NULL && d->wrong == NULL && ww_drive_draw(d, 3) == 0) {
        take_one(d, s, run);
        run = select_one(d, s, true);
    }
    for (uint32_t i = 0; i < OUT && d->wrong == NULL; i++) {
        if (s->out[i].run != NULL && ww_drive_draw(d, 24) == 0) {
            complete_one(d, &s->out[i]);
        }
    }
    s->more = f->more(d->self);
    s->idle = f->idle(d->self);
    s->at = ww_harness_now(d->h);
    return s->more;
}

/* The trace has back what was given back. */
static void kernels_rest(WwDrive *d)
{
    const Kernels *s = d->state;
    const WwFakeTrace *trace = trace_of(d);
    uint64_t out = 0;
    for (uint32_t i = 0; i < OUT; i++) {
        out += s->out[i].run != NULL;
    }
    if (trace != NULL && ww_fake_trace_held(trace) != out) {
        ww_drive_wrong(d,
                       "%" G_GUINT64_FORMAT
                       " CTAs of the trace are held; expected the %" G_GUINT64_FORMAT
                       " that are not complete",
                       ww_fake_trace_held(trace), out);
    }
}

const WwDriver drive_kernels = {
    .contract = &ww_contract_kernels,
    .promises =
        "what is selected is ready, has CTAs and stays selected while it has; each CTA is "
        "handed out once and given back; idle cycles are those that begin with none to hand "
        "out; a kernel that becomes ready is told to `dispatch`",
    .state = sizeof(Kernels),
    .drive = kernels_drive,
    .serve = kernels_serve,
    .rest = kernels_rest,
};

/* ---- kernel_results --------------------------------------------------------------------------------------------- */

typedef struct Results {
    WwCycle end;             /* Of the last interval. */
    bool told[LAUNCHES + 1]; /* By uid; */
    uint32_t closed
        [LAUNCHES +
         1]; /* with an interval that took time: what is dropped beside others may have none. */
    WwCycle gone[LAUNCHES + 1]; /* When its kernel was seen to be given back; 0: not yet. */
    bool limit;
} Results;

static void check_result(WwDrive *d, Results *s, const WwKernelResult *r)
{
    ww_drive_say(d, "kernel %u (%s of %s): %" G_GUINT64_FORMAT " cycles up to %" G_GUINT64_FORMAT,
                 r->uid, r->name, r->file, r->cycles, r->end);
    if (r->end < s->end || r->cycles != r->end - s->end) {
        ww_drive_wrong(d,
                       "an interval of %" G_GUINT64_FORMAT " cycles ends in %" G_GUINT64_FORMAT
                       ", the one before in %" G_GUINT64_FORMAT "; expected the time between them",
                       r->cycles, r->end, s->end);
    } else if (r->uid <= LAUNCHES && r->uid != 0) {
        s->told[r->uid] = true;
        if (r->cycles != 0 && s->closed[r->uid]++ != 0) {
            ww_drive_wrong(d, "kernel %u is told of twice", r->uid);
        }
    }
    s->end = r->end;
    s->limit |= r->limit;
}

static void results_drive(WwDrive *d)
{
    const WwKernelResultsIf *f = d->table;
    uint64_t issued = 0, completed = 0, total = 0;
    f->ctas(d->self, &issued, &completed, &total);
    ww_drive_say(d, "%u running, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " CTAs",
                 f->running(d->self), completed, total);
    if (issued > total) {
        ww_drive_wrong(
            d, "ctas() says that %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " are handed out",
            issued, total);
    }
}

/* The kernel of command @p n, if it is one of those that are followed, or NULL. */
static const WwFakeKernel *followed(const WwFakeTrace *trace, uint32_t n)
{
    const WwFakeKernel *k = ww_fake_trace_command(trace, n);
    return k != NULL && k->pub.uid <= LAUNCHES ? k : NULL;
}

static bool results_serve(WwDrive *d)
{
    const WwKernelResultsIf *f = d->table;
    Results *s = d->state;
    const WwFakeTrace *trace = trace_of(d);
    for (uint32_t n = 0; trace != NULL && n < ww_fake_trace_read(trace); n++) {
        const WwFakeKernel *k = followed(trace, n);
        if (k != NULL && k->closed && s->gone[k->pub.uid] == 0) {
            s->gone[k->pub.uid] = ww_harness_now(d->h);
        }
    }
    WwKernelResult r = {0};
    while (d->wrong == NULL && ww_drive_draw(d, 4) != 0 && f->next(d->self, &r)) {
        check_result(d, d->state, &r);
    }
    return false;
}

/* Did kernel @p uid leave together with one that was told of? */
static bool left_with_another(const Results *s, uint32_t uid)
{
    bool found = false;
    for (uint32_t i = 1; i <= LAUNCHES; i++) {
        found |= s->told[i] && s->gone[i] == s->gone[uid];
    }
    return found;
}

/*
 * Every kernel that ran to its end was told of. Of several that end in one cycle the last may be dropped with what waits
 * when one of them is told of (quirk 43).
 */
static void results_rest(WwDrive *d)
{
    const WwKernelResultsIf *f = d->table;
    Results *s = d->state;
    WwFakeTrace *trace = trace_of(d);
    WwKernelResult r = {0};
    while (d->wrong == NULL && f->next(d->self, &r)) {
        check_result(d, s, &r);
    }
    for (uint32_t n = 0; trace != NULL && !s->limit && n < ww_fake_trace_read(trace); n++) {
        const WwFakeKernel *k = followed(trace, n);
        if (k != NULL && k->closed && k->handed == k->pub.n_ctas && !s->told[k->pub.uid] &&
            !left_with_another(s, k->pub.uid)) {
            ww_drive_wrong(d, "kernel %u is complete and was never told of", k->pub.uid);
        }
    }
    if (trace != NULL && !s->limit &&
        (f->running(d->self) != 0) != (ww_fake_trace_open(trace) != 0)) {
        ww_drive_wrong(d, "running() says %u, and of the trace %u kernels are not given back",
                       f->running(d->self), ww_fake_trace_open(trace));
    }
}

const WwDriver drive_kernel_results = {
    .contract = &ww_contract_kernel_results,
    .promises = "every kernel that is complete is told of once, unless it was dropped with another "
                "that was; intervals lie end to end",
    .state = sizeof(Results),
    .drive = results_drive,
    .serve = results_serve,
    .rest = results_rest,
};
