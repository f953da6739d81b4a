/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fake provider of `warps`. Masks follow the counters and i-buffers as in the real pool; notices
 * go to the callers that the contract names. Calls on warps that hold nothing are counted and
 * otherwise ignored, so that random traffic flows.
 */
#include <string.h>
#include <testing/fake_warps.h>

#define COUNT(f, warp, what)                                                                       \
    do {                                                                                           \
        (f)->seen[(warp) % WW_MAX_WARPS].what++;                                                   \
        (f)->total.what++;                                                                         \
    } while (0)

static void put_bit(uint64_t *mask, uint32_t warp, bool on)
{
    *mask = (*mask & ~(1ull << warp)) | (uint64_t)on << warp;
}

static void wake_issue(WwFakeWarps *f, uint32_t warp)
{
    uint32_t n = ww_provided_count(&f->warps, WW_WARPS_ISSUE);
    const WwClient *c = n != 0 ? ww_provided_client(&f->warps, WW_WARPS_ISSUE, warp % n) : NULL;
    if (c != NULL) {
        ww_wake(&c->wake);
    }
}

static void wake_fetch(WwFakeWarps *f)
{
    const WwClient *c = ww_provided_client(&f->warps, WW_WARPS_FETCH, 0);
    if (c != NULL) {
        ww_wake(&c->wake);
    }
}

static void update(WwFakeWarps *f, uint32_t warp)
{
    const WwWarp *w = &f->warp[warp];
    put_bit(&f->view.live, warp, w->lanes != 0);
    put_bit(&f->view.ibuf, warp, w->ibuf[w->next] != NULL);
    put_bit(&f->view.busy, warp, w->in_pipeline != 0);
    put_bit(&f->view.stores, warp, w->stores != 0);
    put_bit(&f->view.atomics, warp, w->atomics != 0);
}

/* What a warp shows is the test's, or one that was made here. */
static WwInst *record(const WwInst *shown)
{
    return (WwInst *)(uintptr_t)shown;
}

static WwInst *unqueue(WwFakeWarps *f, uint32_t warp)
{
    WwInst *inst = f->head[warp];
    if (inst != NULL) {
        f->head[warp] = inst->next;
        inst->next = NULL;
    }
    return inst;
}

static void enqueue(WwFakeWarps *f, uint32_t warp, WwInst *inst)
{
    inst->next = NULL;
    inst->warp = (uint16_t)warp;
    if (f->head[warp] == NULL) {
        f->head[warp] = inst;
    } else {
        f->tail[warp]->next = inst;
    }
    f->tail[warp] = inst;
}

static void refill(WwFakeWarps *f, uint32_t warp)
{
    WwWarp *w = &f->warp[warp];
    for (uint32_t i = 0; i < WW_IBUFFER && f->head[warp] != NULL; i++) {
        w->ibuf[i] = unqueue(f, warp);
        w->in_pipeline++;
        w->next = 0;
    }
    update(f, warp);
}

/* ---- what the test calls --------------------------------------------------------------------- */

void ww_fake_warps_live(WwFakeWarps *f, uint32_t warp, uint32_t lanes)
{
    WwWarp *w = &f->warp[warp];
    w->lanes = w->launched = lanes;
    w->dynamic_id = f->view.launches++;
    if (w->trace == NULL) {
        w->n_trace = UINT32_MAX; /* never at its end */
    }
    put_bit(&f->view.resident, warp, true);
    update(f, warp);
    wake_fetch(f);
}

void ww_fake_warps_put(WwFakeWarps *f, uint32_t warp, WwInst *inst)
{
    WwWarp *w = &f->warp[warp];
    if (!(f->view.resident >> warp & 1u)) {
        ww_fake_warps_live(f, warp, UINT32_MAX);
    }
    inst->warp = (uint16_t)warp;
    uint32_t second = (w->next + 1u) % WW_IBUFFER;
    if (w->ibuf[w->next] == NULL && f->head[warp] == NULL) {
        enqueue(f, warp, inst);
        refill(f, warp);
    } else if (w->next == 0 && w->ibuf[second] == NULL && f->head[warp] == NULL) {
        w->ibuf[second] = inst;
        w->in_pipeline++;
        update(f, warp);
    } else {
        enqueue(f, warp, inst);
    }
    wake_issue(f, warp);
}

void ww_fake_warps_trace(WwFakeWarps *f, uint32_t warp, WwInst *inst)
{
    enqueue(f, warp, inst);
}

void ww_fake_warps_set(WwFakeWarps *f, uint32_t warp, uint32_t in_pipeline, uint32_t stores,
                       uint32_t atomics)
{
    WwWarp *w = &f->warp[warp];
    bool atomics_over = w->atomics != 0 && atomics == 0;
    w->in_pipeline = in_pipeline;
    w->stores = stores;
    w->atomics = atomics;
    update(f, warp);
    wake_fetch(f);
    if (atomics_over || w->fenced) {
        wake_issue(f, warp);
    }
}

/* ---- the contract ---------------------------------------------------------------------------- */

static const WwWarpView *fake_view(void *self)
{
    WwFakeWarps *f = self;
    f->view.slots = f->slots; /* before the first reset, too */
    f->view.schedulers =
        f->schedulers != 0 ? f->schedulers : ww_provided_count(&f->warps, WW_WARPS_ISSUE);
    return &f->view;
}

static void fake_launch(void *self, const WwWarpLaunch *launch)
{
    WwFakeWarps *f = self;
    COUNT(f, launch->warp, launch);
    /* by member: what lies between them in a caller's copy is anything */
    f->launched.warp = launch->warp;
    f->launched.cta = launch->cta;
    f->launched.lanes = launch->lanes;
    f->launched.kernel = launch->kernel;
    f->launched.trace = launch->trace;
    f->launched.trace_warp = launch->trace_warp;
    WwWarp *w = &f->warp[launch->warp];
    memset(w, 0, sizeof *w);
    w->kernel = launch->kernel;
    w->cta = (uint8_t)launch->cta;
    if (launch->trace != NULL) {
        w->addr = launch->trace->addr;
        w->trace = launch->trace->warp != NULL ? launch->trace->warp[launch->trace_warp] : NULL;
        w->n_trace =
            launch->trace->n_insts != NULL ? launch->trace->n_insts[launch->trace_warp] : 0;
    }
    ww_fake_warps_live(f, launch->warp, launch->lanes);
}

static WwInst *fake_decode(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    COUNT(f, warp, decode);
    WwInst *inst = unqueue(f, warp);
    if (inst == NULL && f->endless) {
        inst = &f->made[f->n_made++ % G_N_ELEMENTS(f->made)];
        *inst =
            (WwInst){.s = &f->sinst, .mask = UINT32_MAX, .warp = (uint16_t)warp, .op = WW_OP_INT};
    }
    f->warp[warp].cursor += inst != NULL;
    return inst;
}

static void fake_fill(void *self, uint32_t warp, uint32_t entry, WwInst *inst)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    COUNT(f, warp, fill);
    w->ibuf[entry] = inst;
    if (entry == 0) {
        w->next = 0;
    }
    w->in_pipeline++;
    update(f, warp);
    wake_issue(f, warp);
}

static uint32_t fake_refill(void *self, uint32_t warp, WwInst *out[WW_IBUFFER])
{
    uint32_t n = 0;
    for (; n < WW_IBUFFER && (out[n] = fake_decode(self, warp)) != NULL; n++) {
        fake_fill(self, warp, n, out[n]);
    }
    return n;
}

static void fake_show(void *self, uint32_t warp, WwInst *inst)
{
    WwFakeWarps *f = self;
    f->shown |= 1ull << warp;
    f->warp[warp].next = 0;
    f->warp[warp].ibuf[0] = inst;
    update(f, warp);
    if (inst != NULL) {
        wake_issue(f, warp);
    }
}

static void fake_flight(void *self, uint32_t warp, int32_t delta)
{
    WwFakeWarps *f = self;
    f->warp[warp].in_pipeline += (uint32_t)delta;
    update(f, warp);
    if (f->warp[warp].in_pipeline == 0) {
        wake_fetch(f);
    }
}

static void fake_set_imiss(void *self, uint32_t warp, bool pending)
{
    WwFakeWarps *f = self;
    put_bit(&f->view.imiss, warp, pending);
}

static WwInst *fake_pop(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    COUNT(f, warp, pop);
    WwInst *inst = record(w->ibuf[w->next]);
    if (inst == NULL) {
        return NULL;
    }
    w->ibuf[w->next] = NULL;
    w->next = (uint8_t)((w->next + 1u) % WW_IBUFFER);
    inst->order = ++f->uid;
    inst->uid = inst->uid != 0 ? inst->uid : inst->order;
    if (w->ibuf[w->next] == NULL) {
        if (!(f->shown >> warp & 1u)) { /* else its i-buffer is somebody else's */
            refill(f, warp);
        }
        wake_fetch(f);
    }
    update(f, warp);
    return inst;
}

static void fake_drop(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    COUNT(f, warp, drop);
    for (uint32_t i = 0; i < WW_IBUFFER; i++) {
        w->in_pipeline -= w->ibuf[i] != NULL && w->in_pipeline != 0;
        w->ibuf[i] = NULL;
    }
    update(f, warp);
}

/* What was dropped is the next to be decoded. */
static void fake_rewind(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    COUNT(f, warp, rewind);
    for (uint32_t i = WW_IBUFFER; i-- > 0;) {
        WwInst *inst = record(w->ibuf[(w->next + i) % WW_IBUFFER]);
        if (inst != NULL) {
            inst->next = f->head[warp];
            f->tail[warp] = f->head[warp] == NULL ? inst : f->tail[warp];
            f->head[warp] = inst;
            w->cursor -= w->cursor != 0;
        }
    }
    fake_drop(self, warp);
    wake_fetch(f);
}

static void fake_touch(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    f->view.touches++;
    COUNT(f, warp, touch);
    wake_issue(f, warp);
}

static void fake_fence(void *self, uint32_t warp, bool on)
{
    ((WwFakeWarps *)self)->warp[warp].fenced = on;
}

static void fake_tries(void *self, uint32_t warp, bool paid, uint32_t wait)
{
    WwWarp *w = &((WwFakeWarps *)self)->warp[warp];
    w->launch_paid = paid;
    w->launch_wait = wait;
}

static void fake_exit_lanes(void *self, uint32_t warp, uint32_t mask)
{
    WwFakeWarps *f = self;
    uint32_t n = (uint32_t)__builtin_popcount(mask);
    f->seen[warp].exited += n;
    f->total.exited += n;
    f->warp[warp].lanes &= ~mask;
    update(f, warp);
}

static void leave(WwFakeWarps *f, uint32_t warp)
{
    WwWarp *w = &f->warp[warp];
    COUNT(f, warp, leave);
    w->in_pipeline -= w->in_pipeline != 0;
    update(f, warp);
    if (w->in_pipeline == 0) {
        wake_fetch(f);
    }
    if (w->fenced) {
        wake_issue(f, warp);
    }
}

static void fake_finish(void *self, WwInst *inst, uint32_t what)
{
    WwFakeWarps *f = self;
    if (what & WW_END_PIPELINE) {
        leave(f, inst->warp);
    }
    if (what & WW_END_COUNT) {
        COUNT(f, inst->warp, complete);
        f->completed = inst;
        ww_progress(f);
    }
    if (what & WW_END_RESULT) {
        COUNT(f, inst->warp, result);
    }
    if (what & WW_END_DATA) {
        COUNT(f, inst->warp, data);
        f->reg = inst->s->dst;
    }
    if (what & WW_END_RECORD) {
        COUNT(f, inst->warp, release);
        f->released = inst;
    }
}

static void fake_stores(void *self, uint32_t warp, int32_t delta)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    f->seen[warp].stores += delta;
    f->total.stores += delta;
    w->stores += (uint32_t)delta;
    update(f, warp);
    if (w->stores == 0) {
        wake_fetch(f);
    }
    if (w->fenced) {
        wake_issue(f, warp);
    }
}

static void fake_atomics(void *self, uint32_t warp, int32_t delta)
{
    WwFakeWarps *f = self;
    WwWarp *w = &f->warp[warp];
    f->seen[warp].atomics += delta;
    f->total.atomics += delta;
    w->atomics += (uint32_t)delta;
    update(f, warp);
    if (w->atomics == 0) {
        wake_issue(f, warp);
        wake_fetch(f);
    }
}

static void fake_retire(void *self, uint32_t warp)
{
    WwFakeWarps *f = self;
    COUNT(f, warp, retire);
    put_bit(&f->view.resident, warp, false);
}

static WwCycle fake_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwWarpsIf fake_table = {
    .view = fake_view,
    .launch = fake_launch,
    .decode = fake_decode,
    .fill = fake_fill,
    .refill = fake_refill,
    .show = fake_show,
    .flight = fake_flight,
    .set_imiss = fake_set_imiss,
    .pop = fake_pop,
    .drop = fake_drop,
    .rewind = fake_rewind,
    .touch = fake_touch,
    .fence = fake_fence,
    .tries = fake_tries,
    .exit_lanes = fake_exit_lanes,
    .finish = fake_finish,
    .stores = fake_stores,
    .atomics = fake_atomics,
    .retire = fake_retire,
    .lasts = fake_lasts,
};

static void fake_reset(void *self)
{
    WwFakeWarps *f = self;
    f->endless = true;
    memset(f->seen, 0, sizeof f->seen);
    memset(&f->total, 0, sizeof f->total);
    memset(&f->view, 0, sizeof f->view);
    memset(f->warp, 0, sizeof f->warp);
    memset(f->head, 0, sizeof f->head);
    memset(f->tail, 0, sizeof f->tail);
    f->launched = (WwWarpLaunch){0};
    f->completed = f->released = NULL;
    f->uid = f->shown = 0;
    f->n_made = 0;
    f->sinst = (WwSinst){
        .opcode = "IADD3", .op = WW_OP_INT, .width = 4, .ndst = 1, .nsrc = 1, .dst = 1, .src = {2}};
    f->view.warp = f->warp;
    fake_view(f);
}

static const WwParamRow fake_params[] = {
    WW_UINT(WwFakeWarps, slots, "", "64", 1, WW_MAX_WARPS, "hardware warps"),
    WW_UINT(WwFakeWarps, schedulers, "", "0", 0, WW_MAX_WARPS,
            "warp schedulers that it speaks of; 0: as many as there are"),
    {0},
};

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeWarps, warps, &ww_contract_warps, &fake_table,
                     "warps that the test moves"),
    {0},
};

const WwType ww_fake_warps_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.warps",
    .doc = "hardware warps without a trace, moved by a test",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeWarps),
    .params = fake_params,
    .ports = fake_ports,
    .reset = fake_reset,
};
