/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CTA slots of an SM: how many CTAs of a kernel fit, which warps a CTA gets, and when it has
 * completed.
 *
 * Passive. One kernel at a time owns the SM. Its CTAs take fixed places: slot s holds threads s *
 * padded .. of the SM, padded being the CTA's threads rounded up to warps. Or (`concurrent`) CTAs
 * of any kernels share it: then each takes from what threads, shared memory, registers and slots
 * the others left, and the first free run of warps at a multiple of its own size. A CTA completes when
 * the fetch unit has retired its last warp; the dispatcher hears of it, may refill the slot and
 * may find the kernel finished in the same tick. The first CTA opens the SM's clock gate, the
 * last one to complete closes it: an SM that holds nothing is not clocked.
 *
 * How many fit: the smallest of what threads, shared memory, registers and the slot limit allow;
 * a grid that could not fill all SMs is spread evenly instead (no SM takes more than its share,
 * rounded up; an SM that kernels share takes what fits).
 *
 * Occupancy is an integral: what the SM holds in a cycle is what it holds when the core's work
 * begins, so a CTA placed counts from the next cycle on and a warp retired still counts in this
 * one. It is brought up to date before each change and before it is read; the entry point is
 * there to be settled.
 */
#include "types.h"
#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/hazards.h>
#include <ports/warps.h>
#include <string.h>

static const WwEventField field_event = WW_EVENT_FIELD(
    "event", WW_EVENT_WORD, "", "place: it begins; complete: its last warp has left");
static const WwEventWord placed = WW_WORD("place"), completed = WW_WORD("complete");
static const WwEventField field_cta =
    WW_EVENT_FIELD("cta", WW_EVENT_NUMBER, "", "which of the kernel's, in order of launch");
static const WwEventField field_warp =
    WW_EVENT_FIELD("warp", WW_EVENT_NUMBER, "", "its first hardware warp");
static const WwEventField field_warps =
    WW_EVENT_FIELD("warps", WW_EVENT_NUMBER, "warps", "how many it has");
static const WwEventRow cta_events[] = {
    {"cta",
     "",
     "a CTA is placed on an SM, or completes",
     {&field_event, &ww_field_slot, &ww_field_kernel, &field_cta, &field_warp, &field_warps}},
    {0},
};

typedef struct Slot {
    uint32_t threads; /* not retired yet; 0: the slot is free */
    uint64_t warps;   /* hardware warps, as a mask */
    const WwKernelRun *run;
    const WwCtaTrace *trace;
} Slot;

typedef struct Done {
    const WwKernelRun *run;
    const WwCtaTrace *trace;
} Done;

typedef struct CtaSlots {
    WwComponent base;
    /* parameters */
    uint32_t shmem;
    uint32_t registers;
    uint32_t max_ctas;
    bool ignore_resource_limits;
    bool concurrent;
    bool spread_small_grids, carve_all;
    /* ports */
    WwProvided ctas;
    WwPort warps;
    WwPort l1_control;
    WwPort barriers;
    /* state */
    WwCtaView view;
    const WwWarpView *warp_view;
    uint32_t occupied;   /* slots, as a mask */
    uint32_t carved_uid; /* kernel for which caches were carved last */
    uint32_t known_uid;  /* kernel whose limit is known; 0: none */
    uint32_t known_limit;
    bool known_over;            /* that kernel needs more than there is */
    const WwKernelRun *refused; /* last asked about, if resident CTAs leave too little; or NULL */
    uint64_t warps_used;        /* hardware warps of resident CTAs */
    uint64_t shmem_used, registers_used; /* by resident CTAs */
    uint32_t done_first, done_n;         /* ring of CTAs that the dispatcher has not heard of */
    Done done[WW_MAX_CTAS];
    Slot slot[WW_MAX_CTAS];
    uint32_t warps_left; /* unfinished warps of resident CTAs */
    WwCycle counted;     /* edges that are in the occupancy */
    /* statistics */
    uint64_t ctas_issued;
    uint64_t ctas_completed;
    uint64_t most_resident;
    uint64_t warp_cycles, slot_cycles;
    uint64_t last_cycle;
} CtaSlots;

static uint32_t padded_threads(const WwKernel *k)
{
    return (k->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE * WW_WARP_SIZE;
}

/* Threads of the SM: its hardware warps are the pool's. */
static uint32_t threads(const CtaSlots *c)
{
    return c->warp_view->slots * WW_WARP_SIZE;
}

/* ---- how many fit ---------------------------------------------------------------------------- */

static uint64_t registers_needed(const WwKernel *k)
{
    return (uint64_t)padded_threads(k) * ((k->nregs + 3u) & ~3u);
}

/* Says which resource a single CTA lacks. */
WW_COLD static bool fail_to_fit(const CtaSlots *c, const WwKernel *k, GError **error)
{
    uint32_t padded = padded_threads(k);
    if (padded > threads(c)) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "%s: a CTA of kernel '%s' has %u threads (%u warps); expected at most the "
                       "%u threads of an SM",
                       k->file, k->name, k->threads_per_cta, padded / WW_WARP_SIZE, threads(c));
    }
    if (k->shmem > c->shmem) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "%s: a CTA of kernel '%s' needs %u bytes of shared memory; expected at most "
                       "the %u of an SM",
                       k->file, k->name, k->shmem, c->shmem);
    }
    return ww_fail(error, WW_ERROR_MODEL,
                   "%s: a CTA of kernel '%s' needs %" G_GUINT64_FORMAT
                   " registers (%u threads of %u); expected at most the %u of an SM",
                   k->file, k->name, registers_needed(k), padded, (k->nregs + 3u) & ~3u,
                   c->registers);
}

static uint32_t resource_limit(const CtaSlots *c, const WwKernel *k)
{
    uint32_t limit = MIN(threads(c) / padded_threads(k), c->max_ctas);
    if (k->shmem != 0) {
        limit = MIN(limit, c->shmem / k->shmem);
    }
    if (k->nregs != 0) {
        limit = (uint32_t)MIN(limit, c->registers / registers_needed(k));
    }
    return limit;
}

/* CTAs of @p k that the SM may hold; 0 with an error if it can never hold one. */
static uint32_t limit_of(CtaSlots *c, const WwKernel *k, GError **error)
{
    if (c->known_uid == k->uid) {
        return c->known_limit;
    }
    uint32_t limit = resource_limit(c, k);
    if (padded_threads(k) > threads(c) || (limit == 0 && !c->ignore_resource_limits)) {
        fail_to_fit(c, k, error);
        return 0;
    }
    c->known_over = limit == 0;
    if (limit == 0) {
        limit = 1;
    } else if (c->spread_small_grids && k->n_ctas < (uint64_t)limit * c->view.sms) {
        limit = (uint32_t)((k->n_ctas + c->view.sms - 1) / c->view.sms);
    }
    c->known_uid = k->uid;
    c->known_limit = limit;
    return limit;
}

/* ---- the contract ---------------------------------------------------------------------------- */

static const WwCtaView *slots_view(void *self)
{
    CtaSlots *c = self;
    return &c->view;
}

static void slots_number(void *self, uint32_t sm, uint32_t sms, uint32_t cluster)
{
    CtaSlots *c = self;
    c->view.sm = sm;
    c->view.sms = sms;
    c->view.cluster = cluster;
    c->known_uid = c->carved_uid = 0;
}

/*
 * The first SM that is asked decides how first-level caches and shared memory share their storage
 * while the kernel runs. One that needs more than there is changes nothing. Each SM by itself: while
 * it holds CTAs its storage stays as it is.
 */
static bool carve(CtaSlots *c, const WwKernelRun *run, uint32_t limit, GError **error)
{
    if (c->carved_uid == run->kernel->uid || c->known_over || !WW_BOUND(&c->l1_control) ||
        (!c->carve_all && c->view.active != 0)) {
        return true;
    }
    c->carved_uid = run->kernel->uid;
    return WW_L1_CONTROL(&c->l1_control)
        ->carve(c->l1_control.peer, c->carve_all ? UINT32_MAX : c->view.sm, run,
                (uint64_t)run->kernel->shmem * limit, error);
}

static uint64_t warp_set(uint32_t first, uint32_t n)
{
    return (n == 64 ? UINT64_MAX : (1ull << n) - 1) << first;
}

/* The first hardware warp of a free run for @p n warps, which begins at a multiple of n; or -1. */
static int free_warps(const CtaSlots *c, uint32_t n)
{
    for (uint32_t first = 0; first + n <= c->warp_view->slots; first += n) {
        if ((c->warps_used & warp_set(first, n)) == 0) {
            return (int)first;
        }
    }
    return -1;
}

/* Do the resident CTAs leave enough of everything? */
static bool fits(const CtaSlots *c, const WwKernel *k)
{
    return c->view.active < c->max_ctas && c->shmem_used + k->shmem <= c->shmem &&
           c->registers_used + registers_needed(k) <= c->registers &&
           free_warps(c, padded_threads(k) / WW_WARP_SIZE) >= 0;
}

static bool slots_can_place(void *self, const WwKernelRun *run, GError **error)
{
    CtaSlots *c = self;
    uint32_t limit = ww_kernel_more(run) ? limit_of(c, run->kernel, error) : 0;
    if (limit == 0 || !carve(c, run, limit, error)) {
        return false;
    }
    if (!c->concurrent) {
        return c->view.active < limit;
    }
    bool place = fits(c, run->kernel);
    c->refused = place ? NULL : run;
    return place;
}

/* Accounts for the edges up to @p end (exclusive), since when nothing has changed. */
static void count_occupancy(CtaSlots *c, WwCycle end)
{
    if (end <= c->counted) {
        return;
    }
    if (c->view.active != 0) {
        c->warp_cycles += (end - c->counted) * c->warps_left;
        c->slot_cycles += (end - c->counted) * c->warp_view->slots;
        c->last_cycle = end;
    }
    c->counted = end;
}

static void launch_warps(CtaSlots *c, uint32_t slot, uint32_t first, const WwKernel *k,
                         const WwCtaTrace *trace)
{
    uint32_t n = c->view.padded / WW_WARP_SIZE;
    WW_BARRIERS(&c->barriers)->cta_enter(c->barriers.peer, slot, warp_set(first, n));
    for (uint32_t w = 0; w < n; w++) {
        uint32_t left = k->threads_per_cta - w * WW_WARP_SIZE;
        WW_WARPS(&c->warps)->launch(
            c->warps.peer, &(WwWarpLaunch){
                               .warp = first + w,
                               .cta = slot,
                               .lanes = left >= WW_WARP_SIZE ? UINT32_MAX : (1u << left) - 1,
                               .kernel = k,
                               .trace = trace,
                               .trace_warp = w,
                           });
    }
}

static void slots_place(void *self, const WwKernelRun *run, const WwCtaTrace *trace)
{
    CtaSlots *c = self;
    const WwKernel *k = run->kernel;
    c->view.limit = limit_of(c, k, NULL);
    c->view.padded = padded_threads(k);
    ww_assert(~c->occupied != 0);
    count_occupancy(c, ww_now(c) + 1);
    c->warps_left += c->view.padded / WW_WARP_SIZE;
    uint32_t slot = (uint32_t)__builtin_ctz(~c->occupied);
    uint32_t n = c->view.padded / WW_WARP_SIZE;
    uint32_t first = c->concurrent ? (uint32_t)free_warps(c, n) : slot * n;
    ww_assert(c->concurrent || slot < c->view.limit);
    c->occupied |= 1u << slot;
    c->slot[slot] = (Slot){
        .threads = k->threads_per_cta, .warps = warp_set(first, n), .run = run, .trace = trace};
    c->warps_used |= c->slot[slot].warps;
    c->shmem_used += k->shmem;
    c->registers_used += registers_needed(k);
    c->view.run = run;
    c->view.threads += k->threads_per_cta;
    if (c->view.active++ == 0) {
        ww_gate(c, true);
    }
    WW_LOG(c, &cta_events[0], -1, WW_SAY(&placed), slot, k->uid, run->next_cta - 1, first, n);
    launch_warps(c, slot, first, k, trace);
    c->ctas_issued++;
    c->most_resident = MAX(c->most_resident, c->view.active);
}

static void complete(CtaSlots *c, uint32_t slot)
{
    Slot *s = &c->slot[slot];
    ww_assert(c->done_n < WW_MAX_CTAS);
    c->done[(c->done_first + c->done_n++) % WW_MAX_CTAS] = (Done){s->run, s->trace};
    c->occupied &= ~(1u << slot);
    c->warps_used &= ~s->warps;
    c->shmem_used -= s->run->kernel->shmem;
    c->registers_used -= registers_needed(s->run->kernel);
    WW_BARRIERS(&c->barriers)->cta_leave(c->barriers.peer, slot);
    WW_LOG(c, &cta_events[0], -1, WW_SAY(&completed), slot, s->run->kernel->uid);
    c->ctas_completed++;
    if (--c->view.active == 0) {
        c->view.run = NULL;
        ww_gate(c, false);
    }
    for (uint32_t i = 0; i < c->ctas.n; i++) {
        if (c->ctas.client[i].rank == WW_CTAS_DISPATCH) {
            ww_wake(&c->ctas.client[i].wake);
        }
    }
}

static void slots_retire(void *self, uint32_t warp)
{
    CtaSlots *c = self;
    const WwWarp *w = &c->warp_view->warp[warp];
    uint32_t lanes = ww_ones32(w->launched);
    Slot *s = &c->slot[w->cta];
    ww_assert(s->threads >= lanes && c->warps_left != 0);
    count_occupancy(c, ww_now(c) + 1);
    c->warps_left--;
    s->threads -= lanes;
    c->view.threads -= lanes;
    if (s->threads == 0) {
        complete(c, w->cta);
    }
}

static bool slots_collect(void *self, const WwKernelRun **run, const WwCtaTrace **trace)
{
    CtaSlots *c = self;
    if (c->done_n == 0) {
        return false;
    }
    const Done *d = &c->done[c->done_first];
    *run = d->run;
    *trace = d->trace;
    c->done_first = (c->done_first + 1) % WW_MAX_CTAS;
    c->done_n--;
    return true;
}

static void slots_rotate_from(void *self, WwCycle edge)
{
    ww_rotate_from(self, edge);
}

static WwCycle slots_lasts(void *self, WwCycle most)
{
    CtaSlots *c = self;
    return c->view.active != 0 ? WW_WARPS(&c->warps)->lasts(c->warps.peer, most) : 0;
}

static const WwCtasIf ctas_table = {
    .view = slots_view,
    .number = slots_number,
    .can_place = slots_can_place,
    .place = slots_place,
    .retire = slots_retire,
    .collect = slots_collect,
    .lasts = slots_lasts,
    .rotate_from = slots_rotate_from,
};

static WwRest occupancy_tick(void *self)
{
    count_occupancy(self, ww_now(self) + 1);
    return WW_SLEEP;
}

static void slots_settle(void *self, uint32_t entry, uint64_t n)
{
    count_occupancy(self, ww_now(self));
}

/* ---- life ------------------------------------------------------------------------------------ */

static void slots_reset(void *self)
{
    CtaSlots *c = self;
    c->view = (WwCtaView){.sms = 1, .shared = c->concurrent};
    c->warp_view = WW_WARPS(&c->warps)->view(c->warps.peer);
    c->view.insns = c->warp_view->insns;
    c->occupied = 0;
    c->known_uid = c->known_limit = 0;
    c->known_over = false;
    c->refused = NULL;
    c->warps_used = c->shmem_used = c->registers_used = 0;
    c->done_first = c->done_n = 0;
    c->warps_left = 0;
    c->counted = 0;
    memset(c->slot, 0, sizeof c->slot);
}

/* What a CTA that was refused lacks; of one that needs more than an SM has, nothing else would say it. */
static void explain_refused(const CtaSlots *c, WwExplain *explain)
{
    const WwKernel *k = c->refused != NULL ? c->refused->kernel : NULL;
    if (k == NULL || !ww_kernel_more(c->refused)) {
        return;
    }
    uint32_t warps = padded_threads(k) / WW_WARP_SIZE, slots = c->warp_view->slots;
    const struct {
        const char *what;
        uint64_t needs, free, all;
    } of[] = {
        {"free CTA slot", 1, c->max_ctas - c->view.active, c->max_ctas},
        {"bytes of shared memory", k->shmem, c->shmem - c->shmem_used, c->shmem},
        {"registers", registers_needed(k), c->registers - c->registers_used, c->registers},
        {"warps side by side", warps, free_warps(c, warps) < 0 ? 0 : slots, slots},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(of); i++) {
        if (of[i].needs > of[i].free) {
            ww_explain_note(explain,
                            "the next CTA of kernel '%s' needs %" G_GUINT64_FORMAT
                            " %s; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " are free",
                            k->name, of[i].needs, of[i].what, of[i].free, of[i].all);
        }
    }
}

static void slots_explain(void *self, WwExplain *explain)
{
    const CtaSlots *c = self;
    for (uint32_t m = c->occupied; m != 0; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(m);
        ww_explain_holds(explain, ww_thing_run(c->slot[slot].run), "the CTA in slot %u", slot);
        ww_explain_waits(explain, c->warps.peer,
                         "the CTA in slot %u (kernel '%s') has %u threads left", slot,
                         c->slot[slot].run->kernel->name, c->slot[slot].threads);
    }
    explain_refused(c, explain);
}

/* ---- descriptor ------------------------------------------------------------------------------ */

static const WwParamRow slots_params[] = {
    WW_UINT(CtaSlots, shmem, "bytes", "98304", 0, 0, "shared memory of the SM"),
    WW_UINT(CtaSlots, registers, "entries", "65536", 0, 0, "registers of the SM"),
    WW_UINT(CtaSlots, max_ctas, "entries", "32", 1, WW_MAX_CTAS, "CTA slots"),
    WW_BOOL(CtaSlots, ignore_resource_limits, "false",
            "a CTA that needs more shared memory or registers than the SM has is placed alone "
            "instead of refused; with concurrent = true it waits for ever, as in the reference"),
    WW_BOOL(CtaSlots, concurrent, "false", "CTAs of several kernels may be resident at a time"),
    WW_BOOL(CtaSlots, spread_small_grids, "true",
            "of a grid too small to fill all SMs, an SM holds no more than its share, as in the "
            "reference; false: as many CTAs as fit"),
    WW_BOOL(CtaSlots, carve_all, "true",
            "the first SM offered a CTA of a kernel carves the caches of all SMs for it, as in the "
            "reference; false: each SM only its own, while it holds no CTA"),
    {0},
};

static const WwGoneRow slots_gone[] = {
    {"threads", "32 for each of the warp pool's (pool.slots, sm.warps)"},
    {0},
};

static const WwPortRow slots_ports[] = {
    WW_PORT_PROVIDES(CtaSlots, ctas, &ww_contract_ctas, &ctas_table,
                     "placing, retiring, collecting CTAs"),
    WW_PORT_REQUIRES(CtaSlots, warps, &ww_contract_warps, 1, WW_RANK_CTA,
                     "the hardware warps to launch on"),
    WW_PORT_REQUIRES(CtaSlots, barriers, &ww_contract_barriers, 1, WW_RANK_CTA,
                     "told which warps form a CTA"),
    {.name = "l1_control",
     .role = WW_REQUIRES,
     .contract = &ww_contract_l1_control,
     .max = 1,
     .in_calls = WW_RANK_DISPATCH, /* can_place() */
     .doc = "told of each kernel's needs",
     .offset = WW_FIELD(CtaSlots, l1_control, WwPort)},
    {0},
};

static const WwStatRow slots_stats[] = {
    WW_COUNTER(CtaSlots, ctas_issued, "CTAs", "CTAs placed"),
    WW_COUNTER(CtaSlots, ctas_completed, "CTAs", "CTAs completed"),
    WW_MAXIMUM(CtaSlots, most_resident, "CTAs", "maximum number of resident CTAs"),
    WW_COUNTER(CtaSlots, warp_cycles, "warp-cycles",
               "resident, unfinished warps, summed over the cycles in which the SM holds a CTA; "
               "divided by slot_cycles: the occupancy"),
    WW_COUNTER(CtaSlots, slot_cycles, "warp-cycles",
               "hardware warps, summed over the cycles in which the SM holds a CTA"),
    WW_MAXIMUM(CtaSlots, last_cycle, "cycles",
               "core cycles up to and including the last one in which the SM held a CTA; 0: never"),
    {0},
};

static const WwEntryRow slots_entries[] = {
    {.name = "occupancy", .phase = "core", .tick = occupancy_tick, .doc = "updates the occupancy"},
    {0},
};

const WwType cta_slots_type = {
    .abi = WW_ABI_VERSION,
    .name = "cta_slots",
    .doc = "CTA slots of an SM: limits, placement, completion, clock gate",
    .family = "gpu",
    .size = sizeof(CtaSlots),
    .events = cta_events,
    .params = slots_params,
    .gone = slots_gone,
    .ports = slots_ports,
    .stats = slots_stats,
    .entries = slots_entries,
    .reset = slots_reset,
    .settle = slots_settle,
    .explain = slots_explain,
};
