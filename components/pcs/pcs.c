/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `pcs`: figures of each static instruction of an SM, and where its warps spend their cycles.
 *
 *     warp_pool: launched, retired --+
 *     warp_scheduler: issued, states, lost slots --> [ a row for each instruction ] --> take(), at a kernel's end
 *     ldst_unit: transactions, answers --+
 *
 * Passive, and nothing looks at it while the machine runs: `run --pcs` puts one into each SM, a platform may name one. What schedulers tell at
 * every turn they write into its book (ports/pcs_book.h); what they tell now and then comes here.
 *
 * Rows are made when an instruction is first met, and go when they have been taken and neither a warp of their kernel nor a
 * transaction of theirs is left. A table by WwSinst.id leads to those of a kernel.
 *
 * Workload: 1 to 10,000 instructions of 576 bytes of a kernel; a call for a barrier, an exit, an access to memory and its answer.
 */
#include "types.h"

#include <ports/pcs_book.h>
#include <ports/pcs_rows.h>
#include <string.h>
#include <warpwright/component.h>

#define FIRST_ROOM 64u
#define FIRST_INSTRUCTIONS 128u
#define ROWS_AT_ONCE 16u

/* A row, and as much room as leaves the next at a multiple of a line. */
#define ROW_SIZE ((sizeof(WwPcsRow) + WW_PCS_LINE - 1) / WW_PCS_LINE * WW_PCS_LINE)

typedef struct Pcs {
    WwComponent base;
    /* ports */
    WwProvided pcs;
    WwPort warps;
    /* state */
    WwPcsBook book;
    const WwWarpView *warp_view;
    WwPcsRow **row; /* by number; 0: of no instruction */
    uint32_t n_rows, room;
    uint32_t n_used;
    uint32_t *
        number; /* [room] of those in use first, of nobody's before all; then of those that are free */
    void **chunk; /* memory of rows, ROWS_AT_ONCE each */
    uint32_t n_chunks;
    WwPcsKernel *kernels;
    WwPcsKernel nothing;              /* where no warp is */
    WwCycle here[WW_MAX_WARPS];       /* that it is resident since, or was tallied last */
    uint64_t taken[WW_N_WARP_STATES]; /* states, of what rows do not have any more */
    WwCycle tallied;                  /* 1 + the cycle up to which `states` has all */
    bool empty; /* since all was taken nothing has been counted: most SMs, in kernels of few CTAs */
    /* statistics */
    uint64_t states[WW_N_WARP_STATES];
    uint64_t resident[WW_MAX_WARPS], not_selected[WW_MAX_WARPS];
} Pcs;

/* ---- rows ------------------------------------------------------------------------------------ */

static WW_COLD void more_rows(Pcs *p)
{
    p->room = 2 * p->room + FIRST_ROOM;
    p->row = ww_resize(p, p->row, p->room * sizeof(WwPcsRow *));
    p->number = ww_resize(p, p->number, p->room * sizeof *p->number);
    p->chunk = ww_resize(p, (void *)p->chunk, p->room / ROWS_AT_ONCE * sizeof(void *));
}

/* All rows are in use: some that are free. */
static WW_COLD void make_rows(Pcs *p)
{
    if (p->n_rows == p->room) {
        more_rows(p);
    }
    char *at = ww_take(p, ROWS_AT_ONCE * ROW_SIZE + WW_PCS_LINE);
    p->chunk[p->n_chunks++] = at;
    at += -(uintptr_t)at % WW_PCS_LINE;
    for (uint32_t i = p->n_rows; i < p->n_rows + ROWS_AT_ONCE; i++, at += ROW_SIZE) {
        p->row[i] = (WwPcsRow *)(void *)at;
        p->row[i]->number = p->number[i] = i;
    }
    p->n_rows += ROWS_AT_ONCE;
}

/* Kernels of a microsecond have a hundred instructions or two, and each SM meets them anew: what that takes is most of what they cost. */
static inline WwPcsRow *new_row(Pcs *p)
{
    if (G_UNLIKELY(p->n_used == p->n_rows)) {
        make_rows(p);
    }
    return p->row[p->number[p->n_used++]];
}

/* A table of @p room places, in which no row is. */
static WW_COLD WwPcsRow **new_table(Pcs *p, uint32_t room)
{
    WwPcsRow **row = ww_resize(p, NULL, room * sizeof(WwPcsRow *)), *nobody = p->book.nobody;
    for (WwPcsRow **at = row; at < row + room; at += 16) {
#pragma GCC unroll 16
        for (uint32_t i = 0; i < 16; i++) {
            at[i] = nobody;
        }
    }
    return row;
}
G_STATIC_ASSERT(FIRST_INSTRUCTIONS % 16 == 0);

/* Twice as many places. */
static WW_COLD void more_places(Pcs *p, WwPcsKernel *k)
{
    uint32_t room = 2 * (k->mask + 1);
    WwPcsRow **row = new_table(p, room), *next;
    for (uint32_t i = 0; i <= k->mask; i++) {
        for (WwPcsRow *r = k->row[i]; r != p->book.nobody; r = next) {
            WwPcsRow **at = &row[r->id & (room - 1)];
            next = r->chain;
            r->chain = *at;
            *at = r;
        }
    }
    ww_give(p, (void *)k->row);
    k->row = row;
    k->mask = room - 1;
}

/* The row of instruction @p id of @p k, which is none at place @p at yet, but may be behind another one; it is the first there now. */
static WwPcsRow *find_behind(Pcs *p, WwPcsRow **at, uint32_t id)
{
    for (WwPcsRow **from = at; *from != p->book.nobody; from = &(*from)->chain) {
        WwPcsRow *r = *from;
        if (r->id == id) {
            *from = r->chain;
            r->chain = *at;
            return *at = r;
        }
    }
    return NULL;
}

static WwPcsRow *pcs_meet(void *self, uint32_t warp, uint32_t id)
{
    Pcs *p = self;
    WwPcsKernel *k = p->book.warp[warp].kernel;
    const WwKernel *kernel = p->warp_view->warp[warp].kernel;
    if (k->uid == 0) {
        return p->book.nobody;
    }
    WwPcsRow **at = &k->row[id & k->mask], *r;
    if (*at != p->book.nobody && (r = find_behind(p, at, id)) != NULL) {
        return r;
    }
    if (G_UNLIKELY(k->n > k->mask)) {
        more_places(p, k);
        at = &k->row[id & k->mask];
    }
    k->n++;
    r = new_row(p);
    r->next = p->book.nobody;
    r->pc = kernel != NULL ? kernel->sinst[id]->pc : 0;
    r->kernel = k->uid;
    r->id = id;
    r->chain = *at;
    return *at = r;
}

/* Of instruction @p id of a warp that is here. */
static WwPcsRow *row_of(Pcs *p, uint32_t warp, uint32_t id)
{
    const WwPcsKernel *k = p->book.warp[warp].kernel;
    WwPcsRow *r = k->row[id & k->mask];
    return r->id == id ? r : pcs_meet(p, warp, id);
}

/* Of what the warp is to issue next, if nobody has taken more of its trace than its i-buffer shows; at its end, of what it has issued last. */
static WwPcsRow *head_row(Pcs *p, uint32_t warp)
{
    const WwWarp *shown = &p->warp_view->warp[warp];
    const WwInst *inst = shown->ibuf[shown->next];
    if (inst != NULL) {
        return row_of(p, warp, inst->s->id);
    }
    if (shown->cursor == shown->n_trace) {
        return p->book.warp[warp].last;
    }
    return row_of(p, warp, ww_warp_decodes(shown));
}

static WwPcsRow *pcs_place(void *self, uint32_t warp)
{
    Pcs *p = self;
    WwPcsWarp *w = &p->book.warp[warp];
    if (!ww_pcs_is_placed(&p->book, w)) {
        w->row = head_row(p, warp);
    }
    return w->row;
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static WW_COLD WwPcsKernel *new_kernel(Pcs *p, WwPcsKernel **at, uint32_t uid)
{
    *at = ww_take(p, sizeof **at);
    (*at)->uid = uid;
    (*at)->row = new_table(p, FIRST_INSTRUCTIONS);
    (*at)->mask = FIRST_INSTRUCTIONS - 1;
    return *at;
}

static WwPcsKernel *kernel_of(Pcs *p, uint32_t uid)
{
    WwPcsKernel **at = &p->kernels;
    while (*at != NULL && (*at)->uid != uid) {
        at = &(*at)->next;
    }
    return *at != NULL ? *at : new_kernel(p, at, uid);
}

/* ---- warps ------------------------------------------------------------------------------------- */

/* States in which a warp waits for what it has issued. */
#define BEHIND                                                                                     \
    (1ull << WW_STALL_BARRIER | 1ull << WW_STALL_MEMBAR | 1ull << WW_STALL_ASYNC |                 \
     1ull << WW_STALL_ATOMIC | 1ull << WW_STATE_DRAIN)
G_STATIC_ASSERT(WW_STATE_READY + WW_N_STALL_UNITS <= 64);

/* The warp has been in its state up to cycle @p at. */
static void add_cycles(Pcs *p, uint32_t warp, WwCycle at)
{
    if (at > p->book.warp[warp].since) {
        ww_pcs_count(&p->book, warp, pcs_place(p, warp), at);
    }
}

static WwPcsBook *pcs_book(void *self)
{
    return &((Pcs *)self)->book;
}

static void pcs_launched(void *self, uint32_t warp)
{
    Pcs *p = self;
    WwPcsWarp *w = &p->book.warp[warp];
    const WwKernel *kernel = p->warp_view->warp[warp].kernel;
    p->empty = false;
    w->kernel = kernel != NULL ? kernel_of(p, kernel->uid) : &p->nothing;
    w->kernel->warps++;
    w->last = p->book.nobody;
    p->here[warp] = w->since = ww_now(p) + 1;
    w->state = WW_STALL_FETCH;
    /* Its trace is at its start. Where i-buffers look ahead in it the cursor says no more later. */
    w->row = w->guesses ? p->book.nobody : head_row(p, warp);
}

static void pcs_retired(void *self, uint32_t warp)
{
    Pcs *p = self;
    WwPcsWarp *w = &p->book.warp[warp];
    add_cycles(p, warp, ww_now(p) + 1);
    p->resident[warp] += w->since - p->here[warp];
    w->state = WW_STATE_UNKNOWN;
    w->kernel->warps--;
    w->kernel = &p->nothing;
    w->row = w->last = p->book.nobody;
}

static void pcs_issued(void *self, uint32_t scheduler, const WwInst *inst, bool first)
{
    Pcs *p = self;
    uint32_t warp = inst->warp;
    WwPcsWarp *w = &p->book.warp[warp];
    WwCycle now = ww_now(p);
    bool once = w->since <= now; /* else it has issued in this cycle before */
    WwPcsRow *r = w->row;        /* of its kernel, or nobody's */
    if (!ww_pcs_is_placed(&p->book, w)) {
        r = row_of(p, warp, inst->s->id); /* its head may be the next one by now */
    }
    if (now > w->since) {
        ww_pcs_count(&p->book, warp, r, now);
    }
    if (r->id != inst->s->id) {
        r = row_of(p, warp, inst->s->id);
    }
    r->states[WW_STATE_SELECTED] += once;
    r->more_issues += !once;
    r->more_slots += (uint64_t)first - (uint64_t)once;
    r->idle_lanes += WW_WARP_SIZE - ww_inst_lanes(inst);
    p->book.scheduler[scheduler].issued += first;
    if (once) {
        w->state = WW_STATE_UNKNOWN;
        w->since = now + 1;
    }
    w->last = r;
    w->row = p->book.nobody;
}

/* The warp leaves its state with the cycle before @p at, and comes into state @p state. */
static inline WwPcsWarp *change(Pcs *p, uint32_t warp, uint32_t state, WwCycle at)
{
    WwPcsWarp *w = &p->book.warp[warp];
    uint32_t before = w->state;
    add_cycles(p, warp, at);
    w->state = state;
    if (BEHIND >> state & 1u) {
        w->row = w->last;
    } else if (before == WW_STATE_UNKNOWN || (BEHIND >> before & 1u) ||
               (before == WW_STALL_FETCH && w->guesses)) {
        bool known = w->guesses && (state == WW_STALL_LONG || state == WW_STALL_SHORT);
        w->row = known ? head_row(p, warp) : p->book.nobody;
    }
    return w;
}

static void pcs_enter(void *self, uint64_t warps, WwStall state, WwCycle at)
{
    for (; warps != 0; warps &= warps - 1) {
        change(self, (uint32_t)__builtin_ctzll(warps), state, at);
    }
}

static void pcs_ready(void *self, uint32_t scheduler, uint32_t warp, WwStall state, WwCycle at)
{
    Pcs *p = self;
    WwPcsWarp *w = change(p, warp, state, at);
    const WwPcsScheduler *k = &p->book.scheduler[scheduler];
    w->row = head_row(p, warp);
    w->scheduler = scheduler;
    ww_pcs_begin_ready(w, k, state);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static uint32_t pcs_accesses(void *self, const WwInst *inst, uint32_t transactions,
                             uint32_t conflicts)
{
    WwPcsRow *r = row_of(self, inst->warp, inst->s->id);
    r->transactions += transactions;
    r->bank_conflicts += conflicts;
    r->pending += transactions;
    return r->number;
}

static void pcs_l1(void *self, uint32_t number, bool hit)
{
    WwPcsRow *r = ((Pcs *)self)->row[number];
    r->l1_accesses++;
    r->l1_hits += hit;
}

static void pcs_l2(void *self, uint32_t number, bool hit)
{
    WwPcsRow *r = ((Pcs *)self)->row[number];
    r->l2_accesses++;
    r->l2_hits += hit;
}

static void pcs_done(void *self, uint32_t number, WwCycle latency)
{
    WwPcsRow *r = ((Pcs *)self)->row[number];
    r->pending--;
    r->requests++;
    r->latency += latency;
    r->latency_max = MAX(r->latency_max, latency);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* Those of all rows, which are many, in registers. */
static void add_states(Pcs *p)
{
    WwTwo sum[WW_PCS_STATES / 2] = {{0}};
    for (const uint32_t *at = p->number, *end = at + p->n_used; at != end; at++) {
        const WwTwo *states = (const WwTwo *)(p->row[*at]->states + WW_PCS_FIRST_STATE);
#pragma GCC unroll 32
        for (uint32_t i = 0; i < WW_PCS_STATES / 2; i++) {
            sum[i] += states[i];
        }
    }
    memcpy(p->states, p->taken, sizeof p->states);
    for (uint32_t i = 0; i < WW_PCS_STATES; i++) {
        p->states[WW_PCS_FIRST_STATE + i] += sum[i / 2][i % 2];
    }
}

static void pcs_tally(void *self)
{
    Pcs *p = self;
    WwCycle now = ww_now(p);
    p->tallied = now + 1;
    if (p->empty) {
        return;
    }
    for (uint64_t m = p->warp_view->resident; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        WwPcsWarp *w = &p->book.warp[warp];
        if (w->state != WW_STATE_UNKNOWN) {
            add_cycles(p, warp, now);
        }
        if (w->kernel != &p->nothing) {
            p->resident[warp] += now - p->here[warp];
            p->here[warp] = now;
        }
    }
    memcpy(p->not_selected, p->book.not_selected, sizeof p->not_selected);
    add_states(p);
}

/* Kernels without a warp go. What may still be answered keeps its row until the next time. */
static void drop_kernels(Pcs *p)
{
    for (WwPcsKernel **at = &p->kernels; *at != NULL;) {
        WwPcsKernel *k = *at;
        if (k->warps != 0) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        ww_give(p, (void *)k->row);
        ww_give(p, k);
    }
}

static bool has_kernel(const Pcs *p, uint32_t uid)
{
    const WwPcsKernel *k = p->kernels;
    while (k != NULL && k->uid != uid) {
        k = k->next;
    }
    return k != NULL;
}

/* Rows to which schedulers go on counting slots: as if @p more transactions of theirs were out. */
static void hold_lost(Pcs *p, uint32_t more)
{
    for (uint32_t i = 0; i < p->warp_view->schedulers; i++) {
        const uint64_t *lost = p->book.scheduler[i].lost, *none = p->book.nobody->slots;
        uint32_t k = lost >= none && lost < none + WW_N_STALLS ? p->n_used : 0;
        for (; k < p->n_used; k++) {
            WwPcsRow *r = p->row[p->number[k]];
            r->pending += lost >= r->slots && lost < r->slots + WW_N_STALLS ? more : 0;
        }
    }
}

/* Rows that nobody will count in any more are free. */
static void drop_rows(Pcs *p)
{
    uint32_t uid = 0, n = 1; /* nobody's stays */
    bool here = false;       /* kernel `uid`: neighbours are often of one */
    for (uint32_t i = 1; i < p->n_used; i++) {
        uint32_t number = p->number[i];
        WwPcsRow *r = p->row[number];
        if (r->kernel != uid) {
            uid = r->kernel;
            here = has_kernel(p, uid);
        }
        if (here || r->pending != 0) { /* in the order in which they were met */
            p->number[i] = p->number[n];
            p->number[n++] = number;
        } else {
            r->kernel = 0;
        }
    }
    p->n_used = n;
}

static void pcs_take(void *self, WwPcTakeFn fn, void *user)
{
    Pcs *p = self;
    if (p->tallied != ww_now(p) + 1) { /* since the last tick */
        pcs_tally(p);
    }
    if (p->empty) {
        return;
    }
    memcpy(p->taken, p->states, sizeof p->taken);
    memset(p->book.nobody->states, 0, sizeof p->book.nobody->states);
    for (uint32_t i = 1; i < p->n_used; i++) {
        WwPcsRow *r = p->row[p->number[i]];
        if (ww_pcs_counted(r) && !fn(user, r)) {
            ww_pcs_clear(r);
        }
    }
    drop_kernels(p);
    hold_lost(p, 1);
    drop_rows(p);
    hold_lost(p, UINT32_MAX);
    p->empty = p->n_used == 1 && p->kernels == NULL && p->nothing.warps == 0;
}

static const WwPcsIf pcs_table = {
    .book = pcs_book,
    .meet = pcs_meet,
    .place = pcs_place,
    .launched = pcs_launched,
    .retired = pcs_retired,
    .issued = pcs_issued,
    .enter = pcs_enter,
    .ready = pcs_ready,
    .accesses = pcs_accesses,
    .l1 = pcs_l1,
    .l2 = pcs_l2,
    .done = pcs_done,
    .take = pcs_take,
};

/* ---- life -------------------------------------------------------------------------------------- */

static void forget(Pcs *p)
{
    while (p->kernels != NULL) {
        WwPcsKernel *k = p->kernels;
        p->kernels = k->next;
        ww_give(p, (void *)k->row);
        ww_give(p, k);
    }
    for (uint32_t i = 0; i < p->n_chunks; i++) {
        ww_give(p, p->chunk[i]);
    }
    ww_give(p, (void *)p->chunk);
    ww_give(p, (void *)p->row);
    ww_give(p, p->number);
    p->chunk = NULL;
    p->row = NULL;
    p->number = NULL;
    p->n_rows = p->n_used = p->room = p->n_chunks = 0;
}

static void pcs_reset(void *self)
{
    Pcs *p = self;
    p->warp_view = WW_WARPS(&p->warps)->view(p->warps.peer);
    if (p->n_rows != 0) { /* all is zero at first */
        forget(p);
        memset(&p->book, 0, sizeof p->book);
        memset(&p->nothing, 0, sizeof p->nothing);
        memset(p->taken, 0, sizeof p->taken);
        p->empty = false;
    }
    p->book.nobody = new_row(p);
    p->book.nobody->id = UINT32_MAX; /* no instruction's */
    p->book.nobody->next = p->book.nobody;
    p->nothing.row = &p->book.nobody;
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        WwPcsWarp *w = &p->book.warp[i];
        w->state = WW_STATE_UNKNOWN;
        w->row = w->last = p->book.nobody;
        w->kernel = &p->nothing;
    }
    for (uint32_t i = 0; i < WW_MAX_SCHEDULERS; i++) {
        p->book.scheduler[i].lost = &p->book.nobody->slots[WW_STALL_NO_WARP];
    }
}

static const WwPortRow pcs_ports[] = {
    WW_PORT_PROVIDES(Pcs, pcs, &ww_contract_pcs, &pcs_table, "told of what happens"),
    WW_PORT_REQUIRES(Pcs, warps, &ww_contract_warps, 1, NULL, "what warps will issue next"),
    {0},
};

static const char *const state_labels[] = {WW_WARP_STATE_LABELS};
G_STATIC_ASSERT(G_N_ELEMENTS(state_labels) == WW_N_WARP_STATES);

static const WwStatRow pcs_stats[] = {
    WW_VECTOR(Pcs, states, "cycles", state_labels,
              "cycles of resident warps, by what each waited for; selected: it issued"),
    WW_VECTOR(Pcs, resident, "cycles", NULL, "cycles of a resident warp, by hardware warp"),
    WW_VECTOR(Pcs, not_selected, "cycles", NULL,
              "of these, cycles in which it could have issued but another one did"),
    {0},
};

const WwType pcs_type = {
    .abi = WW_ABI_VERSION,
    .name = "pcs",
    .doc = "Statistics of each static instruction and the states of warps; no effect on timing.",
    .family = "pcs",
    .size = sizeof(Pcs),
    .ports = pcs_ports,
    .stats = pcs_stats,
    .reset = pcs_reset,
    .tally = pcs_tally,
};
