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

/* ---- banks ----------------------------------------------------------------------------------- */

/*
 * The bank of a register as the trace numbers it plus 1. With the warp added neighbours start in
 * different banks.
 */
static inline uint32_t register_bank(const OperandCollector *oc, const WwInst *inst, uint32_t reg)
{
    uint32_t at = oc->bank_adds_warp ? reg + inst->warp : reg;
    at = oc->bank_mask != 0 ? at & oc->bank_mask : at % oc->share;
    return at + inst->sched * oc->first_bank;
}

/* Does the register lie in no bank? */
static inline bool no_bank(const OperandCollector *oc, uint32_t reg)
{
    return reg == 0 || (reg == WW_ZERO_REG && !oc->zero_register);
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
    if (no_bank(oc, inst->s->dst)) {
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
    uint64_t bank = 1ull << register_bank(oc, inst, inst->s->dst);
    if (oc->written & bank) {
        oc->write_refusals++;
        return false;
    }
    oc->written |= bank;
    oc->writes++;
    return true;
}

static inline void mark_complete(OperandCollector *oc, const CollectorUnit *u)
{
    oc->set[u->set].complete |= 1ull << u->index;
    oc->live |= 1u << u->set;
}

static void request_reads(OperandCollector *oc, uint32_t number)
{
    CollectorUnit *u = &oc->unit[number];
    const WwSinst *s = u->inst->s;
    u->need = 0;
    for (uint32_t i = 0; i < s->nsrc; i++) {
        bool seen = no_bank(oc, s->src[i]);
        for (uint32_t k = 0; k < i; k++) {
            seen |= s->src[k] == s->src[i];
        }
        if (seen) {
            continue;
        }
        uint32_t bank = register_bank(oc, u->inst, s->src[i]);
        uint16_t node = (uint16_t)(number * WW_MAX_SRC + u->need++);
        oc->next[node] = NO_NODE;
        if (oc->queued >> bank & 1u) {
            oc->next[oc->last[bank]] = node;
        } else {
            oc->queued |= 1ull << bank;
            oc->first[bank] = node;
        }
        oc->last[bank] = node;
    }
    oc->requests += u->need;
    if (u->need == 0) {
        mark_complete(oc, u);
    }
}

static void grant_reads(OperandCollector *oc, uint64_t banks)
{
    uint32_t granted = ww_ones(banks);
    oc->bank_conflicts += oc->requests - granted;
    oc->requests -= granted;
    oc->reads += granted;
    for (; banks != 0; banks &= banks - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(banks);
        uint16_t node = oc->first[bank];
        oc->first[bank] = oc->next[node];
        if (oc->first[bank] == NO_NODE) {
            oc->queued &= ~(1ull << bank);
        }
        CollectorUnit *u = &oc->unit[node / WW_MAX_SRC];
        if (--u->need == 0) {
            mark_complete(oc, u);
        }
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* Sends unit @p index of @p set on, if its class has an OC_EX register for it. */
static bool send(OperandCollector *oc, CollectorSet *set, uint32_t index)
{
    CollectorUnit *u = &oc->unit[set->first + index];
    const WwPort *out = &oc->ports.out[u->class];
    WwInst *inst = u->inst;
    int slot = ww_regs_free(out, oc->sub_core_model ? u->group : inst->sched);
    if (slot < 0) {
        set->stuck |= 1ull << index;
        oc->stuck |= 1u << u->set;
        return false;
    }
    WW_EVENT(oc, "dispatch", inst->warp, "%s pc=%" G_GINT64_MODIFIER "x uid=%" G_GUINT64_FORMAT,
             inst->s->opcode, inst->s->pc, inst->uid);
    u->inst = NULL;
    set->complete &= ~(1ull << index);
    set->free |= 1ull << index;
    oc->waiting |= oc->refused[u->owner]; /* there is a unit again */
    oc->refused[u->owner] = 0;
    ww_regs_put(out, slot, inst);
    return true;
}

/* The unit of @p ready with the oldest instruction. */
static uint32_t oldest_ready(const OperandCollector *oc, const CollectorSet *set, uint64_t ready)
{
    uint32_t best = (uint32_t)__builtin_ctzll(ready);
    for (uint64_t m = ready & (ready - 1); m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        best =
            oc->unit[set->first + i].inst->uid < oc->unit[set->first + best].inst->uid ? i : best;
    }
    return best;
}

static void dispatch_set(OperandCollector *oc, CollectorSet *set)
{
    uint64_t ready = set->complete & ~set->stuck;
    for (uint32_t d = 0; d < set->dispatches && ready != 0; d++) {
        bool sent = false;
        while (ready != 0 && !sent) {
            uint64_t ahead = ready & UINT64_MAX << set->start[d];
            uint32_t index = oc->dispatch_oldest
                                 ? oldest_ready(oc, set, ready)
                                 : (uint32_t)__builtin_ctzll(ahead != 0 ? ahead : ready);
            ready &= ~(1ull << index);
            sent = send(oc, set, index);
            if (sent) {
                set->start[d] = oc->unit[set->first + index].after;
            }
        }
    }
}

/* ---- allocation ------------------------------------------------------------------------------ */

typedef enum Taken { TAKEN_NONE, TAKEN_LAST, TAKEN_MORE } Taken;

/* Units of @p set that may take an instruction of scheduler @p sched. */
static inline uint64_t units_for(const OperandCollector *oc, const CollectorSet *set,
                                 uint32_t sched)
{
    return set->free & set->owned << (sched * set->step);
}

/* The register of @p slots, which is not empty, that holds the oldest instruction. */
static int oldest_among(const WwPort *in, uint64_t slots)
{
    int best = __builtin_ctzll(slots);
    for (uint64_t m = slots & (slots - 1); m != 0; m &= m - 1) {
        int i = __builtin_ctzll(m);
        best = ww_regs_at(in, i)->uid < ww_regs_at(in, best)->uid ? i : best;
    }
    return best;
}

/*
 * Moves the oldest instruction of @p class into a unit of @p own, or else of the generic set; when it
 * finds none, those behind it wait, too, or are looked at by age (not oldest_blocks).
 */
static Taken take(OperandCollector *oc, uint32_t class, CollectorSetId own)
{
    const WwPort *in = &oc->ports.in[class];
    CollectorSet *set = NULL;
    uint64_t units = 0, left = ww_regs_full(in);
    int slot;
    do {
        slot = oldest_among(in, left);
        uint32_t sched = ww_regs_at(in, slot)->sched;
        if (G_UNLIKELY(sched >= oc->schedulers && oc->sub_core_model)) {
            bad_scheduler(oc, ww_regs_at(in, slot));
            return TAKEN_NONE;
        }
        set = &oc->set[own];
        units = units_for(oc, set, sched);
        if (units == 0) {
            set = &oc->set[SET_GENERIC];
            units = units_for(oc, set, sched);
        }
        left &= oc->oldest_blocks ? 0 : ~(1ull << slot);
    } while (units == 0 && left != 0);
    if (units == 0) {
        return TAKEN_NONE;
    }
    WwInst *inst = ww_regs_take(in, slot);
    set->free &= ~(units & -units);
    uint32_t number = set->first + (uint32_t)__builtin_ctzll(units);
    oc->unit[number].inst = inst;
    oc->unit[number].class = (uint8_t) class;
    oc->instructions++;
    WW_EVENT(oc, "collect", inst->warp,
             "%s pc=%" G_GINT64_MODIFIER "x uid=%" G_GUINT64_FORMAT " unit=%u", inst->s->opcode,
             inst->s->pc, inst->uid, number);
    request_reads(oc, number);
    return ww_regs_full(in) != 0 ? TAKEN_MORE : TAKEN_LAST;
}

/* Units of classes of which an OC_EX register was freed may go again, if it is theirs. */
static void unstick(OperandCollector *oc, uint32_t classes)
{
    oc->freed = 0;
    for (uint32_t m = oc->stuck; m != 0; m &= m - 1) {
        CollectorSet *set = &oc->set[__builtin_ctz(m)];
        uint64_t stuck = set->stuck;
        for (uint64_t k = stuck; k != 0; k &= k - 1) {
            const CollectorUnit *u = &oc->unit[set->first + (uint32_t)__builtin_ctzll(k)];
            if ((classes >> u->class & 1u) != 0 &&
                ww_regs_free(&oc->ports.out[u->class],
                             oc->sub_core_model ? u->group : u->inst->sched) >= 0) {
                stuck &= ~(k & -k);
            }
        }
        oc->live |= stuck != set->stuck ? m & -m : 0;
        oc->stuck &= stuck != 0 ? UINT32_MAX : ~(m & -m);
        set->stuck = stuck;
    }
}

/* Classes with an instruction in front of the units that has not been refused as it is. */
static uint32_t classes_waiting(OperandCollector *oc)
{
    uint32_t waiting = 0;
    for (uint32_t m = oc->waiting | oc->unmarked; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        waiting |= ww_regs_full(&oc->ports.in[class]) != 0 ? m & -m : 0;
    }
    return waiting;
}

/*
 * All input ports in order. The generic ports are all alike, and units only get fewer: a class that
 * found none at one port finds none at the following ones, nor in a later step before a unit is
 * free or another instruction comes. Whatever was taken makes the next step worth while, which then
 * takes more.
 */
static void allocate(OperandCollector *oc)
{
    uint32_t waiting = classes_waiting(oc);
    uint32_t able = oc->set[SET_GENERIC].in_ports != 0 ? waiting : 0;
    for (uint32_t p = 0; p < oc->set[SET_GENERIC].in_ports && able != 0; p++) {
        for (uint32_t m = able; m != 0; m &= m - 1) {
            uint32_t class = (uint32_t)__builtin_ctz(m);
            Taken taken = take(oc, class, SET_GENERIC);
            able &= taken == TAKEN_MORE ? UINT32_MAX : ~(1u << class);
            waiting &= taken == TAKEN_LAST ? ~(1u << class) : UINT32_MAX;
        }
    }
    for (uint32_t i = 0; oc->enable_specialized && i < N_SPECIAL; i++) {
        uint32_t class = collector_special[i].class, bit = 1u << class;
        Taken taken = TAKEN_MORE;
        for (uint32_t p = 0; p < oc->set[collector_special[i].set].in_ports && (waiting & bit) &&
                             taken == TAKEN_MORE;
             p++) {
            taken = take(oc, class, collector_special[i].set);
            able = taken == TAKEN_MORE ? able | bit : able & ~bit;
            waiting &= taken == TAKEN_LAST ? ~bit : UINT32_MAX;
        }
    }
    oc->waiting = waiting & able;
    for (uint32_t m = waiting & ~able; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        const WwPort *in = &oc->ports.in[class];
        const WwInst *oldest = ww_regs_at(in, ww_regs_oldest(in));
        oc->unit_refusals += oldest->uid != oc->refused_uid[class];
        oc->refused_uid[class] = oldest->uid;
        oc->refused[oc->owned ? oldest->sched : 0] |= 1u << class;
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

static WwRest collector_step(void *self)
{
    OperandCollector *oc = self;
    uint32_t freed = oc->freed | oc->unmarked_out;
    if (freed != 0) {
        unstick(oc, freed);
    }
    for (uint32_t m = oc->live; m != 0; m &= m - 1) {
        dispatch_set(oc, &oc->set[__builtin_ctz(m)]);
    }
    if (oc->queued != 0) {
        grant_reads(oc, oc->written_at == ww_now(oc) ? oc->queued & ~oc->written : oc->queued);
    }
    if ((oc->waiting | oc->unmarked) != 0) {
        allocate(oc);
    }
    oc->written = 0;
    for (uint32_t m = oc->live; m != 0; m &= m - 1) {
        const CollectorSet *set = &oc->set[__builtin_ctz(m)];
        oc->live &= (set->complete & ~set->stuck) != 0 ? UINT32_MAX : ~(m & -m);
    }
    return oc->queued != 0 || oc->live != 0 ? WW_AGAIN : WW_SLEEP;
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
             "instructions of each class that the set takes in a step"),                           \
        SIZE(set_, out_ports, prefix "_out_ports", out_,                                           \
             "instructions that it sends on in a step")

static const WwParamRow collector_params[] = {
    WW_BOOL(OperandCollector, sub_core_model, "false",
            "units and banks are divided among the schedulers"),
    WW_UINT_AT(OperandCollector, n_banks, "banks", "entries", "16", 1, COLLECTOR_MAX_BANKS,
               "register file banks"),
    WW_BOOL(OperandCollector, enable_specialized, "false",
            "adds the sets of a single class, which their instructions try before the generic one"),
    WW_BOOL(OperandCollector, bank_adds_warp, "true",
            "a register's bank depends on its warp, too, as in the reference"),
    WW_BOOL(OperandCollector, oldest_blocks, "true",
            "when the oldest instruction of a class finds no unit, younger ones of other "
            "schedulers wait behind it, as in the reference"),
    WW_BOOL(
        OperandCollector, dispatch_oldest, "false",
        "of several units that are ready the one with the oldest instruction goes first; false: "
        "by their numbers, as in the reference"),
    WW_BOOL(OperandCollector, zero_register, "true",
            "R255 is in a bank like any register, as in the reference; false: in none"),
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
    WW_COUNTER(OperandCollector, instructions, "instructions",
               "instructions that went into a unit"),
    WW_COUNTER(OperandCollector, reads, "reads", "operands read from a bank"),
    WW_COUNTER(OperandCollector, writes, "writes", "banks claimed by results"),
    WW_COUNTER(OperandCollector, bank_conflicts, "steps",
               "steps that a read request waited for another request or a write"),
    WW_COUNTER(OperandCollector, write_refusals, "requests",
               "writes that found their bank claimed by another one of the same cycle"),
    WW_COUNTER(OperandCollector, unit_refusals, "instructions",
               "instructions that, oldest of their register set, had to wait for a free unit"),
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
