/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `pcs`: figures of each static instruction of an SM, and where its warps spend their cycles.
 *
 *     warp_pool: launched, retired --+
 *     warp_scheduler: issued, states, lost slots --> [ a row for each instruction ] --> take(), at a kernel's end
 *     ldst_unit: transactions, answers --+
 *
 * Passive, and nothing looks at it while the machine runs: `run --pcs` puts one into each SM, a platform may name one.
 *
 * A warp is in one state at a time, at one instruction: the one that it is to issue next; where it waits for what it has issued (a
 * barrier, an atomic, a copy, its end), that one. Nothing is done in a cycle in which it stays there: when it enters another state, the
 * cycles since are added to the row of the old one.
 *
 * Rows are made when an instruction is first met, and go when they have been taken and neither a warp of their kernel nor a
 * transaction of theirs is left. A table by WwSinst.id leads to those of a kernel.
 *
 * Workload: 1 to 10,000 instructions of 400 bytes of a kernel; three changes of state and one issue an executed instruction.
 */
#include "types.h"

#include <ports/pcs.h>
#include <ports/register_set.h>
#include <string.h>
#include <warpwright/component.h>

typedef struct Row {
    WwPcCounts n;
    uint64_t pc;
    uint32_t kernel; /* uid; 0: nobody's */
    uint32_t id;
    uint32_t number;  /* in the table */
    uint32_t pending; /* transactions that are not answered */
    bool used;        /* else free, or nobody's */
} Row;

/* A kernel that has, or had, a warp here. */
typedef struct Kernel {
    struct Kernel *next;
    uint32_t uid, warps;
    uint32_t room; /* of the table by WwSinst.id */
    Row **row;     /* NULL: not met yet */
} Kernel;

/* Cycles in which a scheduler issued, and those of them in which a port was full. */
typedef struct Scheduler {
    uint64_t issued;
    uint64_t passed[WW_PCS_PORTS];
} Scheduler;

typedef struct Warp {
    WwCycle since; /* first cycle in its state */
    Row *row;      /* where it is, in its state */
    Row *last;     /* what it issued last */
    Kernel *kernel;
    const WwWarp *shown; /* by the warp pool */
    uint32_t state;      /* WwStall */
    /* READY: what it waits for, as ww_pcs_ready() has it, */
    uint8_t port, unit;
    const Scheduler *scheduler;
    uint64_t issued, passed; /* and the scheduler's cycles when it began to */
    /* for statistics */
    WwCycle here; /* first cycle of its stay that `resident` does not have */
} Warp;

typedef struct Blame {
    Row *row;
    uint32_t why;
} Blame;

#define FIRST_ROOM 64u

typedef struct Pcs {
    WwComponent base;
    /* ports */
    WwProvided pcs;
    WwPort warps;
    /* state */
    WwPcsView view;
    const WwWarpView *warp_view;
    Warp warp[WW_MAX_WARPS];
    Blame blame[WW_MAX_SCHEDULERS];
    Scheduler scheduler[WW_MAX_SCHEDULERS];
    Row *nobody; /* number 0: of no instruction */
    Row **row;   /* by number */
    uint32_t n_rows, room;
    uint32_t n_free;
    uint32_t *free; /* numbers, [room] */
    Kernel *kernels;
    uint64_t taken[WW_N_WARP_STATES]; /* states, of what rows do not have any more */
    /* statistics */
    uint64_t states[WW_N_WARP_STATES];
    uint64_t resident[WW_MAX_WARPS], not_selected[WW_MAX_WARPS];
} Pcs;

/* ---- rows ------------------------------------------------------------------------------------ */

static WW_COLD void more_rows(Pcs *p)
{
    p->room = 2 * p->room + FIRST_ROOM;
    p->row = ww_resize(p, p->row, p->room * sizeof(Row *));
    p->free = ww_resize(p, p->free, p->room * sizeof *p->free);
}

static WW_COLD Row *new_row(Pcs *p)
{
    Row *r;
    if (p->n_free != 0) {
        r = p->row[p->free[--p->n_free]];
    } else {
        if (p->n_rows == p->room) {
            more_rows(p);
        }
        r = p->row[p->n_rows] = ww_take(p, sizeof *r);
        r->number = p->n_rows++;
    }
    return r;
}

static WW_COLD void more_instructions(Pcs *p, Kernel *k, uint32_t id)
{
    uint32_t room = MAX(2 * k->room, FIRST_ROOM);
    room = MAX(room, id + 1);
    k->row = ww_resize(p, k->row, room * sizeof(Row *));
    memset((void *)(k->row + k->room), 0, (room - k->room) * sizeof(Row *));
    k->room = room;
}

static WW_COLD Row *meet(Pcs *p, const Warp *w, uint32_t id)
{
    Kernel *k = w->kernel;
    if (id >= k->room) {
        more_instructions(p, k, id);
    }
    Row *r = new_row(p);
    r->pc = w->shown->kernel != NULL ? w->shown->kernel->sinst[id]->pc : 0;
    r->kernel = k->uid;
    r->id = id;
    r->used = true;
    return k->row[id] = r;
}

/* Of instruction @p id of a warp that is here. */
static inline Row *row_of(Pcs *p, const Warp *w, uint32_t id)
{
    Kernel *k = w->kernel;
    Row *r = G_LIKELY(id < k->room) ? k->row[id] : NULL;
    return G_LIKELY(r != NULL) ? r : meet(p, w, id);
}

static __attribute__((noinline)) Row *packed_row(Pcs *p, const Warp *w, const WwPacked *packed)
{
    return row_of(p, w, ww_packed_peek(packed));
}

/* Of what the warp is to issue next; when there is nothing, of what it has issued last. */
static inline Row *head_row(Pcs *p, const Warp *w)
{
    const WwWarp *shown = w->shown;
    const WwInst *inst = shown->ibuf[shown->next];
    if (inst != NULL) {
        return row_of(p, w, inst->s->id);
    }
    if (G_UNLIKELY(shown->cursor == shown->n_trace)) {
        return w->last;
    }
    if (G_UNLIKELY(shown->packed != NULL)) {
        return packed_row(p, w, shown->packed);
    }
    return row_of(p, w, shown->trace[shown->cursor].sinst);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static WW_COLD Kernel *new_kernel(Pcs *p, Kernel **at, uint32_t uid)
{
    *at = ww_take(p, sizeof **at);
    (*at)->uid = uid;
    return *at;
}

static Kernel *kernel_of(Pcs *p, uint32_t uid)
{
    Kernel **at = &p->kernels;
    while (*at != NULL && (*at)->uid != uid) {
        at = &(*at)->next;
    }
    return *at != NULL ? *at : new_kernel(p, at, uid);
}

/* ---- warps ------------------------------------------------------------------------------------- */

/* States in which a warp waits for what it has issued. */
#define BEHIND                                                                                     \
    (1u << WW_STALL_BARRIER | 1u << WW_STALL_MEMBAR | 1u << WW_STALL_ASYNC |                       \
     1u << WW_STALL_ATOMIC | 1u << WW_STATE_DRAIN)

static inline void add_ready(Pcs *p, Warp *w, uint64_t cycles)
{
    uint64_t issued = w->scheduler->issued, passed = w->scheduler->passed[w->port];
    uint64_t others = issued - w->issued - (passed - w->passed);
    w->issued = issued;
    w->passed = passed;
    w->row->n.states[w->unit] += cycles - others;
    w->row->n.states[WW_STATE_NOT_SELECTED] += others;
    p->not_selected[w - p->warp] += others;
}

/* The warp has been in its state up to cycle @p at. */
static inline void add_cycles(Pcs *p, Warp *w, WwCycle at)
{
    if (at <= w->since) {
        return;
    }
    if (w->state == WW_STATE_READY) {
        add_ready(p, w, at - w->since);
    } else {
        w->row->n.states[w->state] += at - w->since;
        if (w->state == WW_STATE_NOT_SELECTED) {
            p->not_selected[w - p->warp] += at - w->since;
        }
    }
    w->since = at;
}

static const WwPcsView *pcs_view(void *self)
{
    return &((Pcs *)self)->view;
}

static void pcs_launched(void *self, uint32_t warp)
{
    Pcs *p = self;
    Warp *w = &p->warp[warp];
    w->shown = &p->warp_view->warp[warp];
    w->kernel = kernel_of(p, w->shown->kernel != NULL ? w->shown->kernel->uid : 0);
    w->kernel->warps++;
    w->last = p->nobody;
    w->here = w->since = ww_now(p) + 1;
    w->state = WW_STALL_FETCH;
    w->row = head_row(p, w);
    p->view.in[WW_STALL_FETCH] |= 1ull << warp;
}

static void pcs_retired(void *self, uint32_t warp)
{
    Pcs *p = self;
    Warp *w = &p->warp[warp];
    add_cycles(p, w, ww_now(p) + 1);
    p->resident[warp] += w->since - w->here;
    p->view.in[w->state] &= ~(1ull << warp);
    w->state = WW_STATE_UNKNOWN;
    w->kernel->warps--;
    w->kernel = NULL;
    w->row = w->last = p->nobody;
}

/* From cycle `since` on it waits for @p what, after state @p before. */
static inline void begin(Pcs *p, uint32_t k, Warp *w, uint64_t bit, uint32_t what, uint32_t before)
{
    uint32_t state = what & 0xffu;
    p->view.in[state] |= bit;
    w->state = state;
    if (state == WW_STATE_READY) {
        w->scheduler = &p->scheduler[k];
        w->port = (uint8_t)(what >> 8);
        w->unit = (uint8_t)(what >> 16);
        w->issued = w->scheduler->issued;
        w->passed = w->scheduler->passed[w->port];
    }
    if (BEHIND >> state & 1u) {
        w->row = w->last;
    } else if (before == WW_STATE_UNKNOWN || (BEHIND >> before & 1u)) {
        w->row = head_row(p, w);
    }
}

/* Counts an issue, and ends the warp's state with the cycle before. */
static inline Row *count_issue(Pcs *p, uint32_t k, Warp *w, const WwInst *inst, bool first)
{
    Row *r = w->row;
    if (G_UNLIKELY(r->id != inst->s->id)) { /* it is of the warp's kernel, or nobody's */
        r = row_of(p, w, inst->s->id);
    }
    r->n.issues++;
    r->n.lanes += ww_inst_lanes(inst);
    r->n.slots[WW_SLOT_ISSUED] += first;
    p->scheduler[k].issued += first;
    return r;
}

static inline void select_warp(Pcs *p, Warp *w, Row *r, uint64_t bit, WwCycle now)
{
    r->n.states[WW_STATE_SELECTED]++;
    p->view.in[w->state] &= ~bit;
    w->since = now + 1;
}

static void pcs_issued(void *self, uint32_t scheduler, const WwInst *inst, bool first)
{
    Pcs *p = self;
    Warp *w = &p->warp[inst->warp];
    WwCycle now = ww_now(p);
    bool once = w->since <= now; /* else it has issued in this cycle before */
    add_cycles(p, w, now);
    Row *r = count_issue(p, scheduler, w, inst, first);
    if (once) {
        select_warp(p, w, r, 1ull << inst->warp, now);
        w->state = WW_STATE_UNKNOWN;
    }
    w->last = r;
}

static void pcs_issued_alone(void *self, uint32_t scheduler, const WwInst *inst, uint32_t next)
{
    Pcs *p = self;
    Warp *w = &p->warp[inst->warp];
    WwCycle now = ww_now(p);
    uint64_t bit = 1ull << inst->warp;
    add_cycles(p, w, now);
    Row *r = count_issue(p, scheduler, w, inst, true);
    select_warp(p, w, r, bit, now);
    w->last = r;
    begin(p, scheduler, w, bit, next, WW_STATE_UNKNOWN);
}

static inline void change(Pcs *p, uint32_t k, uint32_t warp, uint32_t what, WwCycle at)
{
    Warp *w = &p->warp[warp];
    uint64_t bit = 1ull << warp;
    uint32_t before = w->state;
    add_cycles(p, w, at);
    p->view.in[before] &= ~bit;
    begin(p, k, w, bit, what, before);
}

static void pcs_enter(void *self, uint64_t warps, WwStall state, WwCycle at)
{
    for (; warps != 0; warps &= warps - 1) {
        change(self, 0, (uint32_t)__builtin_ctzll(warps), state, at);
    }
}

static void pcs_wait(void *self, uint32_t scheduler, uint32_t warp, uint32_t what, WwCycle at)
{
    change(self, scheduler, warp, what, at);
}

static void pcs_passed(void *self, uint32_t scheduler, uint32_t port)
{
    ((Pcs *)self)->scheduler[scheduler].passed[port]++;
}

/* ---- slots ------------------------------------------------------------------------------------- */

static inline Row *blamed(Pcs *p, int32_t warp)
{
    return warp >= 0 ? p->warp[warp].row : p->nobody;
}

static void pcs_lost_to(void *self, WwStall why, int32_t warp, uint64_t slots)
{
    blamed(self, warp)->n.slots[why] += slots;
}

static void pcs_blame(void *self, uint32_t scheduler, WwStall why, int32_t warp)
{
    ((Pcs *)self)->blame[scheduler] = (Blame){blamed(self, warp), why};
}

static void pcs_lost(void *self, uint32_t scheduler, uint64_t slots)
{
    const Blame *b = &((Pcs *)self)->blame[scheduler];
    b->row->n.slots[b->why] += slots;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static uint32_t pcs_accesses(void *self, const WwInst *inst, uint32_t transactions,
                             uint32_t conflicts)
{
    Pcs *p = self;
    Row *r = row_of(p, &p->warp[inst->warp], inst->s->id);
    r->n.transactions += transactions;
    r->n.bank_conflicts += conflicts;
    r->pending += transactions;
    return r->number;
}

static void pcs_l1(void *self, uint32_t number, bool hit)
{
    Row *r = ((Pcs *)self)->row[number];
    r->n.l1_accesses++;
    r->n.l1_hits += hit;
}

static void pcs_l2(void *self, uint32_t number, bool hit)
{
    Row *r = ((Pcs *)self)->row[number];
    r->n.l2_accesses++;
    r->n.l2_hits += hit;
}

static void pcs_done(void *self, uint32_t number, WwCycle latency)
{
    Row *r = ((Pcs *)self)->row[number];
    r->pending--;
    r->n.requests++;
    r->n.latency += latency;
    r->n.latency_max = MAX(r->n.latency_max, latency);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static void add_states(uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i < WW_N_WARP_STATES; i++) {
        to[i] += from[i];
    }
}

static void pcs_tally(void *self)
{
    Pcs *p = self;
    WwCycle now = ww_now(p);
    for (uint64_t m = p->warp_view->resident; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        Warp *w = &p->warp[warp];
        if (w->state != WW_STATE_UNKNOWN) {
            add_cycles(p, w, now);
        }
        if (w->kernel != NULL) {
            p->resident[warp] += now - w->here;
            w->here = now;
        }
    }
    memcpy(p->states, p->taken, sizeof p->states);
    for (uint32_t i = 0; i < p->n_rows; i++) {
        add_states(p->states, p->row[i]->n.states);
    }
}

/* Does anybody still speak of it? */
static bool in_use(const Pcs *p, const Row *r)
{
    bool used = r->pending != 0;
    for (uint32_t i = 0; i < WW_MAX_SCHEDULERS; i++) {
        used |= p->blame[i].row == r;
    }
    return used;
}

/* Kernels without a warp go. What may still be answered keeps its row until the next time. */
static void drop_kernels(Pcs *p)
{
    for (Kernel **at = &p->kernels; *at != NULL;) {
        Kernel *k = *at;
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
    const Kernel *k = p->kernels;
    while (k != NULL && k->uid != uid) {
        k = k->next;
    }
    return k != NULL;
}

static bool counted(const WwPcCounts *n)
{
    static const WwPcCounts none;
    return memcmp(n, &none, sizeof none) != 0;
}

static void pcs_take(void *self, WwPcRowFn fn, void *user)
{
    Pcs *p = self;
    drop_kernels(p);
    uint32_t uid = 0;
    bool here = false; /* kernel `uid`: neighbours are often of one */
    for (uint32_t i = 0; i < p->n_rows; i++) {
        Row *r = p->row[i];
        if (counted(&r->n)) {
            fn(user, &(WwPcRow){.pc = r->pc, .kernel = r->kernel, .id = r->id, .n = r->n});
            add_states(p->taken, r->n.states);
            memset(&r->n, 0, sizeof r->n);
        }
        if (r->kernel != uid) {
            uid = r->kernel;
            here = has_kernel(p, uid);
        }
        if (r->used && !here && !in_use(p, r)) {
            r->used = false;
            p->free[p->n_free++] = i;
        }
    }
}

static const WwPcsIf pcs_table = {
    .view = pcs_view,
    .launched = pcs_launched,
    .retired = pcs_retired,
    .issued = pcs_issued,
    .issued_alone = pcs_issued_alone,
    .enter = pcs_enter,
    .wait = pcs_wait,
    .passed = pcs_passed,
    .lost_to = pcs_lost_to,
    .blame = pcs_blame,
    .lost = pcs_lost,
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
        Kernel *k = p->kernels;
        p->kernels = k->next;
        ww_give(p, (void *)k->row);
        ww_give(p, k);
    }
    for (uint32_t i = 0; i < p->n_rows; i++) {
        ww_give(p, p->row[i]);
    }
    ww_give(p, (void *)p->row);
    ww_give(p, p->free);
    p->row = NULL;
    p->free = NULL;
    p->n_rows = p->room = p->n_free = 0;
}

static void pcs_reset(void *self)
{
    Pcs *p = self;
    forget(p);
    p->warp_view = WW_WARPS(&p->warps)->view(p->warps.peer);
    p->nobody = new_row(p);
    p->nobody->id = UINT32_MAX; /* no instruction's */
    memset(&p->view, 0, sizeof p->view);
    memset(p->warp, 0, sizeof p->warp);
    memset(p->scheduler, 0, sizeof p->scheduler);
    memset(p->taken, 0, sizeof p->taken);
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        p->warp[i].state = WW_STATE_UNKNOWN;
        p->warp[i].row = p->warp[i].last = p->nobody;
    }
    for (uint32_t i = 0; i < WW_MAX_SCHEDULERS; i++) {
        p->blame[i] = (Blame){p->nobody, WW_STALL_NO_WARP};
    }
}

static const WwPortRow pcs_ports[] = {
    WW_PORT_PROVIDES(Pcs, pcs, &ww_contract_pcs, &pcs_table, "is told what happens"),
    WW_PORT_REQUIRES(Pcs, warps, &ww_contract_warps, 1, NULL, "what warps are to issue next"),
    {0},
};

static const char *const state_labels[] = {WW_WARP_STATE_LABELS};
G_STATIC_ASSERT(G_N_ELEMENTS(state_labels) == WW_N_WARP_STATES);

static const WwStatRow pcs_stats[] = {
    WW_VECTOR(Pcs, states, "cycles", state_labels,
              "cycles of resident warps, by what each waited for; selected: it issued"),
    WW_VECTOR(Pcs, resident, "cycles", NULL, "cycles of a resident warp, by hardware warp"),
    WW_VECTOR(Pcs, not_selected, "cycles", NULL,
              "of these, those in which it could have issued and another one did"),
    {0},
};

const WwType pcs_type = {
    .abi = WW_ABI_VERSION,
    .name = "pcs",
    .doc = "Figures of each static instruction, and the states of warps; no effect on time.",
    .family = "pcs",
    .size = sizeof(Pcs),
    .ports = pcs_ports,
    .stats = pcs_stats,
    .reset = pcs_reset,
    .tally = pcs_tally,
};
