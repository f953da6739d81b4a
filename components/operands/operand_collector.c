/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operand collector: issued instructions wait in collector units until their sources have been
 * read from the register banks.
 *
 *     sp, dp, int, sfu, mem, tensor, spec[] (ID_OC) -> [ units | banks ] -> sp_out, ... (OC_EX)
 *                                                    register_banks <= write-back, LD/ST unit
 *
 * One step: (1) each dispatch unit sends one ready unit on; (2) every bank that is not being
 * written grants its oldest read; (3) input ports move instructions into free units, the oldest of
 * each register set only, so that it holds up the younger ones of other schedulers; (4) writes let
 * go of their banks. With two steps a cycle and no conflicts an instruction issued in tick t is in
 * OC_EX in t + 2 and can execute in t + 3; without sources one tick earlier. Two reads of one bank
 * cost nothing then, a third one costs a tick. A write keeps its bank from reads in the first step
 * of its tick only: claims carry the cycle in which they were made, so no step is needed to clear
 * them.
 *
 * Units are bits in the masks of their set, requests are nodes in a list a bank. A step costs a
 * load a class, plus what moves: of the 8 units of an SM about 5 are busy under load. When all that
 * is left waits for OC_EX registers, it sleeps.
 */
#include "collector-priv.h"
#include "types.h"
#include <ports/events.h>

enum { LOG_COLLECT, LOG_DISPATCH };
static const WwEventField field_unit =
    WW_EVENT_FIELD("unit", WW_EVENT_NUMBER, "", "the collector unit");
static const WwEventRow collector_events[] = {
    [LOG_COLLECT] = {"collect",
                     "warp",
                     "an instruction gets a collector unit",
                     {&ww_field_inst, &field_unit}},
    [LOG_DISPATCH] = {"dispatch", "warp", "it goes to its execute register", {&ww_field_inst}},
    {0},
};

/*
 * What there is of each function for a collector like most: one set of units, in the reference's order, alone at both of its ends.
 * @p plain, a constant, says which of the two it is.
 */

/* ---- banks ----------------------------------------------------------------------------------- */

/*
 * The bank of a register as the trace numbers it plus 1. With the warp added neighbours start in
 * different banks.
 */
static inline uint32_t register_bank(const OperandCollector *oc, const WwInst *inst, uint32_t reg,
                                     bool plain)
{
    uint32_t at = reg + (inst->warp & oc->warp_mask);
    at = plain || oc->bank_mask != 0 ? at & oc->bank_mask : at % oc->share;
    return at + inst->sched * oc->first_bank;
}

/* Does the register lie in no bank? */
static inline bool no_bank(const OperandCollector *oc, uint32_t reg, bool plain)
{
    return reg == 0 || (!plain && reg == oc->no_bank);
}

WW_COLD static void bad_scheduler(OperandCollector *oc, const WwInst *inst)
{
    GError *error = NULL;
    char *path = ww_path(oc);
    ww_fail(&error, WW_ERROR_MODEL, "%s: %s of warp %u comes from scheduler %u; schedulers = %u",
            path, inst->s->opcode, inst->warp, inst->sched, oc->schedulers);
    ww_fail_run(oc, error);
    g_free(path);
}

static bool banks_write(void *self, const WwInst *inst)
{
    OperandCollector *oc = self;
    WwCycle now = ww_now(oc);
    if (no_bank(oc, inst->s->dst, false)) {
        return true;
    }
    if (G_UNLIKELY(inst->sched >= oc->schedulers && oc->sub_core_model)) {
        bad_scheduler(oc, inst);
        return true;
    }
    if (oc->written_at != now) {
        oc->written_at = now;
        oc->written = 0;
    }
    uint64_t bank = 1ull << register_bank(oc, inst, inst->s->dst, false);
    if (oc->written & bank) {
        oc->write_refusals++;
        return false;
    }
    oc->written |= bank;
    oc->writes++;
    return true;
}

static inline bool has_register(const CollectorUnit *u)
{
    return (u->may & ~u->out->full) != 0;
}

/* Units @p units of @p set find no OC_EX register: not looked at again before one that they may use is freed. */
static inline __attribute__((always_inline)) void wait_for_register(OperandCollector *oc,
                                                                    const CollectorUnit *u,
                                                                    uint64_t units, bool plain)
{
    CollectorClass *c = &oc->class[u->class];
    CollectorWait *w = &c->wait[u->slot];
    c->awaited |= u->may;
    *(plain || u->set == SET_GENERIC ? &w->generic : &w->own) |= units;
    ww_regs_await_in(u->out, u->slot, c->writer);
}

/* A unit has its operands. */
static inline __attribute__((always_inline)) void mark_ready(OperandCollector *oc,
                                                             const CollectorUnit *u, bool plain)
{
    uint32_t set = plain ? SET_GENERIC : u->set;
    if (has_register(u)) {
        oc->set[set].ready |= u->bit;
        oc->live |= 1u << set;
    } else {
        wait_for_register(oc, u, u->bit, plain);
    }
}

/* A read of @p bank is to be made, for node @p node, behind those that wait for it. */
static inline __attribute__((always_inline)) void request_read(OperandCollector *oc, uint32_t bank,
                                                               uint32_t node)
{
    uint64_t bit = 1ull << bank;
    CollectorQueue *q = &oc->bank[bank];
    if (oc->queued & bit) {
        oc->next[q->last] = (uint16_t)node;
    } else {
        q->first = (uint16_t)node;
        oc->queued |= bit;
    }
    q->last = (uint16_t)node;
}

/* The reads of an instruction that has come into a unit: two in one register are one. */
static inline __attribute__((always_inline)) void request_reads(OperandCollector *oc,
                                                                CollectorUnit *u,
                                                                const WwInst *inst, bool plain)
{
    const uint16_t *r = inst->s->src;
    const uint32_t n = inst->s->nsrc;
    const uint32_t first = (uint32_t)(u - oc->unit) * WW_MAX_SRC;
    uint32_t node = first;
    if (n > 0 && !no_bank(oc, r[0], plain)) {
        request_read(oc, register_bank(oc, inst, r[0], plain), node++);
    }
    if (n > 1 && r[1] != r[0] && !no_bank(oc, r[1], plain)) {
        request_read(oc, register_bank(oc, inst, r[1], plain), node++);
    }
    if (n > 2 && r[2] != r[0] && r[2] != r[1] && !no_bank(oc, r[2], plain)) {
        request_read(oc, register_bank(oc, inst, r[2], plain), node++);
    }
    if (n > 3 && r[3] != r[0] && r[3] != r[1] && r[3] != r[2] && !no_bank(oc, r[3], plain)) {
        request_read(oc, register_bank(oc, inst, r[3], plain), node++);
    }
    u->need = (uint8_t)(node - first);
    oc->requests += node - first;
    if (node == first) {
        mark_ready(oc, u, plain);
    }
}

static inline __attribute__((always_inline)) void grant_reads(OperandCollector *oc, uint64_t banks,
                                                              bool plain)
{
    uint32_t granted = 0;
    for (; banks != 0; banks &= banks - 1) {
        CollectorQueue *q = &oc->bank[__builtin_ctzll(banks)];
        uint32_t node = q->first;
        CollectorUnit *u = &oc->unit[node / WW_MAX_SRC];
        if (node == q->last) {
            oc->queued ^= banks & -banks;
        } else {
            q->first = oc->next[node];
        }
        granted++;
        if (--u->need == 0) {
            mark_ready(oc, u, plain);
        }
    }
    oc->requests -= granted;
    oc->reads += granted;
    oc->bank_conflicts += oc->requests;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* Sends the instruction of a unit that has a register on. */
static inline __attribute__((always_inline)) void send(OperandCollector *oc, CollectorSet *set,
                                                       CollectorUnit *u)
{
    WwInst *inst = u->inst;
    WW_LOG(oc, &collector_events[LOG_DISPATCH], inst->warp, WW_PART(inst));
    u->inst = NULL;
    set->ready &= ~u->bit;
    set->free |= u->bit;
    uint32_t refused = oc->refused[u->owner];
    if (refused != 0) { /* there is a unit again */
        oc->waiting |= refused;
        oc->held &= ~refused;
        oc->refused[u->owner] = 0;
    }
    ww_regs_put_in(u->out, __builtin_ctzll(u->may & ~u->out->full), inst);
}

/* The unit of @p ready with the oldest instruction. */
static uint32_t oldest_ready(const OperandCollector *oc, const CollectorSet *set, uint64_t ready)
{
    uint32_t best = (uint32_t)__builtin_ctzll(ready);
    for (uint64_t m = ready & (ready - 1); m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        best = ww_inst_older(oc->unit[set->first + i].inst, oc->unit[set->first + best].inst)
                   ? i
                   : best;
    }
    return best;
}

/* Others were quicker: @p u has no register, nor have those of @p ready that want the same ones. Who they are. */
static inline __attribute__((always_inline)) uint64_t too_late(OperandCollector *oc,
                                                               CollectorSet *set,
                                                               const CollectorUnit *u,
                                                               uint64_t ready, bool plain)
{
    uint64_t units = u->bit;
    if (!oc->class[u->class].private) {
        for (uint64_t m = ready & ~units; m != 0; m &= m - 1) {
            units |= oc->unit[set->first + (uint32_t)__builtin_ctzll(m)].out == u->out ? m & -m : 0;
        }
    }
    set->ready &= ~units;
    wait_for_register(oc, u, units, plain);
    return units;
}

/* Each dispatch unit sends the first ready unit from its place on that has a register. */
static inline __attribute__((always_inline)) void dispatch_set(OperandCollector *oc,
                                                               CollectorSet *set, bool plain)
{
    CollectorUnit *unit = &oc->unit[set->first];
    uint64_t ready = set->ready;
    for (uint32_t d = 0; ready != 0 && d < set->dispatches;) {
        uint64_t ahead = ready & UINT64_MAX << set->start[d];
        uint32_t index = !plain && oc->dispatch_oldest
                             ? oldest_ready(oc, set, ready)
                             : (uint32_t)__builtin_ctzll(ahead != 0 ? ahead : ready);
        CollectorUnit *u = &unit[index];
        if (has_register(u)) {
            ready &= ~u->bit;
            send(oc, set, u);
            set->start[d++] = u->after;
        } else {
            ready &= ~too_late(oc, set, u, ready, plain);
        }
    }
}

static inline void go_again(OperandCollector *oc, CollectorSetId set, uint64_t units)
{
    oc->set[set].ready |= units;
    oc->live |= units != 0 ? 1u << set : 0;
}

/* OC_EX registers of @p class were freed: the units that waited for them go again. */
static inline __attribute__((always_inline)) void unstick_class(OperandCollector *oc,
                                                                uint32_t class, bool plain)
{
    CollectorClass *c = &oc->class[class];
    uint64_t freed = c->awaited & ~c->out->full;
    uint64_t slots = c->private || freed == 0 ? freed : 1;
    c->awaited &= c->private || freed == 0 ? ~freed : 0;
    for (; slots != 0; slots &= slots - 1) {
        CollectorWait *w = &c->wait[__builtin_ctzll(slots)];
        go_again(oc, SET_GENERIC, w->generic);
        if (!plain && w->own != 0) {
            go_again(oc, c->own, w->own);
        }
        *w = (CollectorWait){0};
    }
    if (!plain && (oc->unmarked_out >> class & 1u)) { /* others may have been quicker */
        for (uint64_t m = c->awaited; m != 0; m &= m - 1) {
            ww_regs_await(&oc->ports.out[class], (uint32_t)__builtin_ctzll(m));
        }
    }
}

static inline __attribute__((always_inline)) void unstick(OperandCollector *oc, uint32_t classes,
                                                          bool plain)
{
    oc->freed = 0;
    for (; classes != 0; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        if (oc->class[class].awaited != 0) {
            unstick_class(oc, class, plain);
        }
    }
}

/* ---- allocation ------------------------------------------------------------------------------ */

typedef enum Taken { TAKEN_NONE, TAKEN_LAST, TAKEN_MORE } Taken;

/* Units of @p set that may take an instruction of scheduler @p sched. */
static inline uint64_t units_for(const CollectorSet *set, uint32_t sched)
{
    return set->free & set->owned << (sched * set->step);
}

/* Instruction @p inst of @p class goes into a unit, the first of @p units. */
static inline __attribute__((always_inline)) void enter(OperandCollector *oc, CollectorSet *set,
                                                        uint32_t class, uint64_t units,
                                                        WwInst *inst, bool plain)
{
    CollectorUnit *u = &oc->unit[set->first + (uint32_t)__builtin_ctzll(units)];
    const CollectorClass *c = &oc->class[class];
    set->free &= ~u->bit;
    u->inst = inst;
    u->class = (uint8_t) class;
    u->out = c->out;
    if (c->private) {
        u->slot = oc->sub_core_model ? u->group : inst->sched;
        u->may = 1ull << u->slot;
    } else {
        u->slot = 0;
        u->may = c->all;
    }
    oc->instructions++;
    WW_LOG(oc, &collector_events[LOG_COLLECT], inst->warp, WW_PART(inst), (uint64_t)(u - oc->unit));
    request_reads(oc, u, inst, plain);
}

/* The oldest instruction of @p class, @p oldest, has found no unit; those behind it wait, too. */
static inline __attribute__((always_inline)) void refuse(OperandCollector *oc, uint32_t class,
                                                         const WwInst *oldest, bool plain)
{
    CollectorClass *c = &oc->class[class];
    oc->unit_refusals += oldest->order != c->refused_order;
    c->refused_order = oldest->order;
    c->seen = c->in->full;
    oc->refused[oc->owned ? oldest->sched : 0] |= 1u << class;
    oc->held |= plain ? 1u << class : (oc->oldest_blocks ? 1u << class : 0) & ~oc->unmarked;
}

/*
 * Moves the oldest instruction of @p class into a unit of @p own, or else of the generic set; when it
 * finds none, those behind it wait, too, or are looked at by age (not oldest_blocks). @p last: the class is not
 * tried again in this step.
 */
static inline __attribute__((always_inline)) Taken take(OperandCollector *oc, uint32_t class,
                                                        CollectorSetId own, bool last, bool plain)
{
    const WwRegisterSet *in = oc->class[class].in;
    CollectorSet *set;
    uint64_t units, left = in->full;
    const WwInst *oldest = NULL;
    int slot;
    do {
        slot = ww_regs_oldest_in(in, left);
        const WwInst *inst = in->reg[slot];
        oldest = oldest == NULL ? inst : oldest;
        if (G_UNLIKELY(inst->sched >= oc->schedulers && oc->sub_core_model)) {
            bad_scheduler(oc, inst);
            return TAKEN_NONE;
        }
        set = &oc->set[own];
        units = units_for(set, inst->sched);
        if (own != SET_GENERIC && units == 0) {
            set = &oc->set[SET_GENERIC];
            units = units_for(set, inst->sched);
        }
        left &= plain || oc->oldest_blocks ? 0 : ~(1ull << slot);
    } while (units == 0 && left != 0);
    if (units == 0) {
        if (last) {
            refuse(oc, class, oldest, plain);
        }
        return TAKEN_NONE;
    }
    enter(oc, set, class, units, ww_regs_take_out(in, slot), plain);
    return in->full != 0 ? TAKEN_MORE : TAKEN_LAST;
}

/*
 * The oldest instruction of @p class found no unit, and there is none for it yet: is it the oldest still, now that others
 * have come?
 */
static inline bool still_held(CollectorClass *c)
{
    uint64_t fresh = c->in->full & ~c->seen;
    c->seen = c->in->full;
    for (; fresh != 0; fresh &= fresh - 1) {
        uint32_t order = c->in->reg[__builtin_ctzll(fresh)]->order;
        if (ww_order_older(order, c->refused_order)) {
            return false;
        }
    }
    return true;
}

/* Is there an instruction of @p class in front of the units that has not been refused as it is? */
static inline bool is_waiting(const OperandCollector *oc, CollectorClass *c, uint32_t bit)
{
    return c->in->full != 0 && !((oc->held & bit) && still_held(c));
}

/* The sets of a single class, for what the generic ports left. Returns what is waiting still; what may go on is in @p able. */
static __attribute__((noinline)) uint32_t allocate_special(OperandCollector *oc, uint32_t waiting,
                                                           uint32_t *able)
{
    for (uint32_t i = 0; i < N_SPECIAL; i++) {
        uint32_t class = collector_special[i].class, bit = 1u << class;
        Taken taken = TAKEN_MORE;
        for (uint32_t p = 0; p < oc->set[collector_special[i].set].in_ports && (waiting & bit) &&
                             taken == TAKEN_MORE;
             p++) {
            taken = take(oc, class, collector_special[i].set, false, false);
            *able = taken == TAKEN_MORE ? *able | bit : *able & ~bit;
            waiting &= taken == TAKEN_LAST ? ~bit : UINT32_MAX;
        }
    }
    for (uint32_t m = waiting & ~*able; m != 0; m &= m - 1) {
        const WwRegisterSet *in = oc->class[__builtin_ctz(m)].in;
        refuse(oc, (uint32_t)__builtin_ctz(m), in->reg[ww_regs_oldest_in(in, in->full)], false);
    }
    return waiting;
}

/*
 * All input ports in order. The generic ports are all alike, and units only get fewer: a class that
 * found none at one port finds none at the following ones, nor in a later step before a unit is
 * free or another instruction comes. Whatever was taken makes the next step worth while, which then
 * takes more.
 */
static inline __attribute__((always_inline)) void allocate(OperandCollector *oc, bool plain)
{
    const bool special = !plain && oc->enable_specialized;
    uint32_t ports = oc->set[SET_GENERIC].in_ports, able = 0, waiting = 0;
    for (uint32_t m = oc->waiting | (plain ? 0 : oc->unmarked); m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m), bit = m & -m;
        if (is_waiting(oc, &oc->class[class], bit)) {
            Taken taken = ports != 0 ? take(oc, class, SET_GENERIC, !special, plain) : TAKEN_NONE;
            able |= taken == TAKEN_MORE ? bit : 0;
            waiting |= taken != TAKEN_LAST ? bit : 0;
        }
    }
    while (G_UNLIKELY(able != 0) && --ports != 0) {
        for (uint32_t m = able; m != 0; m &= m - 1) {
            Taken taken = take(oc, (uint32_t)__builtin_ctz(m), SET_GENERIC, !special, plain);
            able &= taken == TAKEN_MORE ? UINT32_MAX : ~(m & -m);
            waiting &= taken == TAKEN_LAST ? ~(m & -m) : UINT32_MAX;
        }
    }
    if (special) {
        waiting = allocate_special(oc, waiting, &able);
    }
    oc->waiting = waiting & able;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* @p plain: a constant. */
static inline __attribute__((always_inline)) WwRest step(OperandCollector *oc, bool plain)
{
    uint32_t freed = plain ? oc->freed : oc->freed | oc->unmarked_out;
    if (freed != 0) {
        unstick(oc, freed, plain);
    }
    if (plain && oc->live != 0) {
        dispatch_set(oc, &oc->set[SET_GENERIC], true);
        oc->live = oc->set[SET_GENERIC].ready != 0;
    } else if (!plain) {
        uint32_t live = oc->live;
        for (uint32_t m = live; m != 0; m &= m - 1) {
            CollectorSet *set = &oc->set[__builtin_ctz(m)];
            dispatch_set(oc, set, false);
            live ^= set->ready != 0 ? 0 : m & -m;
        }
        oc->live = live;
    }
    if (oc->queued != 0) {
        grant_reads(oc, oc->written_at == ww_now(oc) ? oc->queued & ~oc->written : oc->queued,
                    plain);
    }
    if ((plain ? oc->waiting : oc->waiting | oc->unmarked) != 0) {
        allocate(oc, plain);
    }
    oc->written = 0;
    return (oc->queued | oc->live | oc->waiting) != 0 ? WW_AGAIN : WW_SLEEP;
}

static __attribute__((noinline)) WwRest other_step(OperandCollector *oc)
{
    return step(oc, false);
}

static WwRest collector_step(void *self)
{
    OperandCollector *oc = self;
    return G_LIKELY(oc->plain) ? step(oc, true) : other_step(oc);
}

/* ---- the type -------------------------------------------------------------------------------- */

static const WwRegisterBanksIf banks_table = {.write = banks_write};

/* The size of a set of units. */
#define SIZE(set_, field_, name_, default_, doc_)                                                  \
    WW_UINT_AT(OperandCollector, size[set_].field_, name_, "entries", default_, 0,                 \
               COLLECTOR_MAX_UNITS, doc_)
#define SIZES(set_, prefix, units_, in_, out_)                                                     \
    SIZE(set_, units, prefix "_units", units_, "collector units of the " prefix " set"),           \
        SIZE(set_, in_ports, prefix "_in_ports", in_,                                              \
             "instructions of each class the set takes per step"),                                 \
        SIZE(set_, out_ports, prefix "_out_ports", out_, "instructions the set sends on per step")

static const WwParamRow collector_params[] = {
    WW_BOOL(OperandCollector, sub_core_model, "false",
            "units and banks are divided among the schedulers"),
    WW_UINT_AT(OperandCollector, n_banks, "banks", "entries", "16", 1, COLLECTOR_MAX_BANKS,
               "register file banks"),
    WW_BOOL(OperandCollector, enable_specialized, "false",
            "adds sets for single classes; instructions try the one of their class before the "
            "generic one"),
    WW_BOOL(OperandCollector, bank_adds_warp, "true",
            "a register's bank also depends on its warp, as in the reference"),
    WW_BOOL(OperandCollector, oldest_blocks, "true",
            "if the oldest instruction of a class finds no unit, younger ones of other schedulers "
            "wait behind it, as in the reference"),
    WW_BOOL(OperandCollector, dispatch_oldest, "false",
            "of several ready units the one with the oldest instruction goes first; false: by "
            "number, as in the reference"),
    WW_BOOL(OperandCollector, zero_register, "true",
            "R255 is in a bank like any other register, as in the reference; false: in none"),
    SIZES(SET_GENERIC, "generic", "8", "8", "8"),
    SIZES(SET_SP, "sp", "4", "1", "1"),
    SIZES(SET_DP, "dp", "0", "0", "0"),
    SIZES(SET_INT, "int", "0", "0", "0"),
    SIZES(SET_SFU, "sfu", "4", "1", "1"),
    SIZES(SET_MEM, "mem", "2", "1", "1"),
    SIZES(SET_TENSOR, "tensor", "4", "1", "1"),
    {0},
};

static const WwGoneRow collector_gone[] = {
    {"schedulers", "as many as issue to it (sm.schedulers)"},
    {0},
};

static const WwPortRow collector_ports[] = {
    OP_PORTS(OperandCollector),
    {.name = "register_banks",
     .role = WW_PROVIDES,
     .contract = &ww_contract_register_banks,
     .entry = "step",
     .table = &banks_table,
     .doc = "write-backs claim the bank of their destination",
     .offset = WW_FIELD(OperandCollector, banks, WwProvided)},
    {0},
};

static const WwStatRow collector_stats[] = {
    WW_COUNTER(OperandCollector, instructions, "instructions", "instructions that entered a unit"),
    WW_COUNTER(OperandCollector, reads, "reads", "operands read from a bank"),
    WW_COUNTER(OperandCollector, writes, "writes", "banks claimed by results"),
    WW_COUNTER(OperandCollector, bank_conflicts, "steps",
               "steps a read request waited for another request or a write"),
    WW_COUNTER(OperandCollector, write_refusals, "requests",
               "writes that found their bank claimed by another in the same cycle"),
    WW_COUNTER(OperandCollector, unit_refusals, "instructions",
               "instructions that waited for a free unit, as the oldest of their register set"),
    {0},
};

static const WwEntryRow collector_entries[] = {
    {.name = "step",
     .phase = "core",
     .tick = collector_step,
     .port = "register_banks",
     .rank = WW_RANK_COLLECT,
     .doc = "dispatches, reads banks, takes instructions; repeated for register file throughput"},
    {0},
};

const WwType operand_collector_type = {
    .abi = WW_ABI_VERSION,
    .name = "operand_collector",
    .doc = "Collector units, arbiter and register banks between issue and the function units.",
    .family = "operands",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(OperandCollector),
    .events = collector_events,
    .params = collector_params,
    .gone = collector_gone,
    .ports = collector_ports,
    .stats = collector_stats,
    .entries = collector_entries,
    .init = collector_init,
    .start = collector_start,
    .reset = collector_reset,
    .explain = collector_explain,
    .carries = collector_carries,
};
