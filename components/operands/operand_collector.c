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
#include "operands-priv.h"
#include "types.h"

#include <string.h>

#define MAX_BANKS 64u
#define MAX_UNITS 64u    /* A set. */
#define MAX_DISPATCH 64u /* A set. */
#define NO_NODE UINT16_MAX

/* Sets in the order in which their units are numbered and their dispatch units act. */
typedef enum SetId {
    SET_GENERIC,
    SET_SP,
    SET_DP,
    SET_TENSOR,
    SET_SFU,
    SET_MEM,
    SET_INT,
    N_SETS
} SetId;

static const char *const set_name[N_SETS] = {"generic", "sp", "dp", "tensor", "sfu", "mem", "int"};

/* Special input ports come after the generic ones, in this order. */
static const struct {
    uint8_t set, class;
} special[] = {{SET_SP, CLASS_SP},         {SET_DP, CLASS_DP},   {SET_SFU, CLASS_SFU},
               {SET_TENSOR, CLASS_TENSOR}, {SET_MEM, CLASS_MEM}, {SET_INT, CLASS_INT}};

typedef struct SetSize {
    uint32_t units, in_ports, out_ports;
} SetSize;

typedef struct UnitSet {
    uint64_t free;     /* Units that hold nothing. */
    uint64_t complete; /* Units that hold an instruction with all operands. */
    uint64_t stuck;    /* Of these, found without an OC_EX register in the present step. */
    uint32_t n;
    uint32_t first; /* Number of unit 0 among all units. */
    uint32_t share; /* Units of each scheduler (sub-core model). */
    uint32_t in_ports, dispatches;
    uint8_t start[MAX_DISPATCH]; /* Where each dispatch unit begins to look. */
} UnitSet;

typedef struct Unit {
    WwInst *inst;
    uint8_t class;
    uint8_t need; /* Operands outstanding. */
    uint8_t set;
    uint8_t index; /* In its set. */
    uint8_t group; /* OC_EX register that it may use (sub-core model). */
} Unit;

typedef struct OperandCollector {
    WwComponent base;
    /* parameters */
    bool sub_core_model;
    bool enable_specialized;
    bool bank_adds_warp, zero_register;
    bool oldest_blocks, dispatch_oldest;
    uint32_t n_banks;
    SetSize size[N_SETS];
    /* ports */
    OpPorts ports;
    WwProvided banks;
    /* state */
    uint32_t classes;    /* Bound ones. */
    uint32_t schedulers; /* Whose instructions come in. */
    uint32_t share;      /* Banks of each scheduler (sub-core model). */
    uint32_t live;       /* Sets with a complete unit. */
    uint32_t requests;   /* Reads queued. */
    uint64_t queued;     /* Banks with queued reads. */
    uint64_t written;    /* Banks claimed by a write in cycle `written_at`. */
    WwCycle written_at;
    uint64_t refused_uid[N_CLASSES];
    uint16_t first[MAX_BANKS], last[MAX_BANKS]; /* Queue of each bank. */
    UnitSet set[N_SETS];
    uint32_t n_units;
    Unit *unit;
    uint16_t *next; /* Request i of unit u is node u * WW_MAX_SRC + i. */
    /* statistics */
    uint64_t instructions;
    uint64_t reads;
    uint64_t writes;
    uint64_t bank_conflicts;
    uint64_t write_refusals;
    uint64_t unit_refusals;
} OperandCollector;

/* ---- banks ----------------------------------------------------------------------------------- */

/*
 * The bank of a register as the trace numbers it plus 1. With the warp added neighbours start in
 * different banks.
 */
static inline uint32_t register_bank(const OperandCollector *oc, const WwInst *inst, uint32_t reg)
{
    uint32_t at = oc->bank_adds_warp ? reg + inst->warp : reg;
    if (oc->sub_core_model) {
        return at % oc->share + inst->sched * oc->share;
    }
    return at % oc->n_banks;
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

static inline void mark_complete(OperandCollector *oc, const Unit *u)
{
    oc->set[u->set].complete |= 1ull << u->index;
    oc->live |= 1u << u->set;
}

static void request_reads(OperandCollector *oc, uint32_t number)
{
    Unit *u = &oc->unit[number];
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
    uint32_t granted = (uint32_t)__builtin_popcountll(banks);
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
        Unit *u = &oc->unit[node / WW_MAX_SRC];
        if (--u->need == 0) {
            mark_complete(oc, u);
        }
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* Sends unit @p index of @p set on, if its class has an OC_EX register for it. */
static bool send(OperandCollector *oc, UnitSet *set, uint32_t index)
{
    Unit *u = &oc->unit[set->first + index];
    const WwPort *out = &oc->ports.out[u->class];
    WwInst *inst = u->inst;
    int slot = ww_regs_free(out, oc->sub_core_model ? u->group : inst->sched);
    if (slot < 0) {
        set->stuck |= 1ull << index;
        return false;
    }
    WW_EVENT(oc, "dispatch", inst->warp, "%s pc=%" G_GINT64_MODIFIER "x uid=%" G_GUINT64_FORMAT,
             inst->s->opcode, inst->s->pc, inst->uid);
    u->inst = NULL;
    set->complete &= ~(1ull << index);
    set->free |= 1ull << index;
    ww_regs_put(out, slot, inst);
    return true;
}

/*
 * Where dispatch unit @p d looks first after unit @p index went: the next unit, or the next
 * scheduler's first one.
 */
static void move_start(const OperandCollector *oc, UnitSet *set, uint32_t d, uint32_t index)
{
    uint32_t start = oc->sub_core_model ? index + set->share - index % set->share : index + 1;
    set->start[d] = (uint8_t)(start % set->n);
}

/* The unit of @p ready with the oldest instruction. */
static uint32_t oldest_ready(const OperandCollector *oc, const UnitSet *set, uint64_t ready)
{
    uint32_t best = (uint32_t)__builtin_ctzll(ready);
    for (uint64_t m = ready & (ready - 1); m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        best =
            oc->unit[set->first + i].inst->uid < oc->unit[set->first + best].inst->uid ? i : best;
    }
    return best;
}

static void dispatch_set(OperandCollector *oc, UnitSet *set)
{
    uint64_t ready = set->complete;
    set->stuck = 0;
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
                move_start(oc, set, d, index);
            }
        }
    }
}

/* ---- allocation ------------------------------------------------------------------------------ */

typedef enum Taken { TAKEN_NONE, TAKEN_LAST, TAKEN_MORE } Taken;

/* Units of @p set that may take an instruction of scheduler @p sched. */
static inline uint64_t units_for(const OperandCollector *oc, const UnitSet *set, uint32_t sched)
{
    if (!oc->sub_core_model) {
        return set->free;
    }
    return set->n == 0 ? 0 : set->free & UINT64_MAX >> (64 - set->share) << (sched * set->share);
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
static Taken take(OperandCollector *oc, uint32_t class, SetId own)
{
    const WwPort *in = &oc->ports.in[class];
    UnitSet *set = NULL;
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

/*
 * All input ports in order. The generic ports are all alike, and units only get fewer: a class that
 * found none at one port finds none at the following ones. Whatever was taken makes the next step
 * worth while, which then takes more.
 */
static void allocate(OperandCollector *oc)
{
    uint32_t waiting = 0;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        waiting |= ww_regs_full(&oc->ports.in[class]) != 0 ? 1u << class : 0;
    }
    uint32_t able = oc->set[SET_GENERIC].in_ports != 0 ? waiting : 0;
    for (uint32_t p = 0; p < oc->set[SET_GENERIC].in_ports && able != 0; p++) {
        for (uint32_t m = able; m != 0; m &= m - 1) {
            uint32_t class = (uint32_t)__builtin_ctz(m);
            Taken taken = take(oc, class, SET_GENERIC);
            able &= taken == TAKEN_MORE ? UINT32_MAX : ~(1u << class);
            waiting &= taken == TAKEN_LAST ? ~(1u << class) : UINT32_MAX;
        }
    }
    for (uint32_t i = 0; oc->enable_specialized && i < G_N_ELEMENTS(special); i++) {
        uint32_t class = special[i].class, bit = 1u << class;
        Taken taken = TAKEN_MORE;
        for (uint32_t p = 0;
             p < oc->set[special[i].set].in_ports && (waiting & bit) && taken == TAKEN_MORE; p++) {
            taken = take(oc, class, special[i].set);
            able = taken == TAKEN_MORE ? able | bit : able & ~bit;
            waiting &= taken == TAKEN_LAST ? ~bit : UINT32_MAX;
        }
    }
    for (uint32_t m = waiting & ~able; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        const WwPort *in = &oc->ports.in[class];
        uint64_t uid = ww_regs_at(in, ww_regs_oldest(in))->uid;
        oc->unit_refusals += uid != oc->refused_uid[class];
        oc->refused_uid[class] = uid;
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

static WwRest collector_step(void *self)
{
    OperandCollector *oc = self;
    for (uint32_t m = oc->live; m != 0; m &= m - 1) {
        dispatch_set(oc, &oc->set[__builtin_ctz(m)]);
    }
    if (oc->queued != 0) {
        grant_reads(oc, oc->written_at == ww_now(oc) ? oc->queued & ~oc->written : oc->queued);
    }
    allocate(oc);
    oc->written = 0;
    bool more = oc->queued != 0;
    for (uint32_t m = oc->live; m != 0; m &= m - 1) {
        const UnitSet *set = &oc->set[__builtin_ctz(m)];
        more |= (set->complete & ~set->stuck) != 0;
        oc->live &= set->complete != 0 ? UINT32_MAX : ~(m & -m);
    }
    return more ? WW_AGAIN : WW_SLEEP;
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool check_sharing(const OperandCollector *oc, GError **error)
{
    if (oc->n_banks % oc->schedulers != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "banks = %u with sub_core_model needs a multiple of schedulers = %u",
                       oc->n_banks, oc->schedulers);
    }
    for (uint32_t i = 0; i < N_SETS; i++) {
        if (oc->set[i].n % oc->schedulers != 0) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s_units = %u with sub_core_model needs a multiple of schedulers = %u",
                           set_name[i], oc->set[i].n, oc->schedulers);
        }
    }
    return true;
}

/*
 * Every bound class needs a way in and every unit a way out, or instructions would wait for ever.
 */
static bool check_paths(const OperandCollector *oc, GError **error)
{
    uint32_t served =
        oc->set[SET_GENERIC].n != 0 && oc->set[SET_GENERIC].in_ports != 0 ? oc->classes : 0;
    for (uint32_t i = 0; i < G_N_ELEMENTS(special); i++) {
        const UnitSet *set = &oc->set[special[i].set];
        if (set->in_ports != 0 && set->n + oc->set[SET_GENERIC].n != 0) {
            served |= 1u << special[i].class;
        }
    }
    if (oc->classes & ~served) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "a class of instructions is connected but no collector units and input ports serve it; "
            "raise generic_units and generic_in_ports, or those of its own set with "
            "enable_specialized");
    }
    for (uint32_t i = 0; i < N_SETS; i++) {
        if (oc->set[i].n != 0 && oc->set[i].dispatches == 0) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s_out_ports = 0 with %s_units = %u; expected at least 1", set_name[i],
                           set_name[i], oc->set[i].n);
        }
    }
    return true;
}

/* A private register set behind has a register for each scheduler. */
static bool check_outputs(const OperandCollector *oc, GError **error)
{
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwRegisterSet *set = oc->ports.out[__builtin_ctz(m)].peer;
        if (set->private && set->width < oc->schedulers) {
            return ww_fail(error, WW_ERROR_WIRING,
                           "a private register_set of width %u on an output with schedulers = %u; "
                           "expected a register for each",
                           set->width, oc->schedulers);
        }
    }
    return true;
}

static uint64_t collector_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return op_carried(&((const OperandCollector *)self)->ports, row, k,
                      offsetof(OperandCollector, ports));
}

static bool collector_init(void *self, GError **error)
{
    OperandCollector *oc = self;
    for (uint32_t i = 0; i < N_SETS; i++) {
        bool on = i == SET_GENERIC || oc->enable_specialized;
        UnitSet *set = &oc->set[i];
        set->n = on ? oc->size[i].units : 0;
        set->in_ports = on ? oc->size[i].in_ports : 0;
        set->dispatches = on ? oc->size[i].out_ports : 0;
        set->first = oc->n_units;
        oc->n_units += set->n;
    }
    if (!op_classes(&oc->ports, &oc->classes, error) || !check_paths(oc, error)) {
        return false;
    }
    oc->unit = ww_alloc(oc, (oc->n_units + 1) * sizeof(Unit));
    oc->next = ww_alloc(oc, (oc->n_units + 1) * WW_MAX_SRC * sizeof(uint16_t));
    for (uint32_t i = 0; i < N_SETS; i++) {
        for (uint32_t k = 0; k < oc->set[i].n; k++) {
            uint32_t number = oc->set[i].first + k;
            Unit *u = &oc->unit[number];
            u->set = (uint8_t)i;
            u->index = (uint8_t)k;
        }
    }
    return true;
}

/*
 * How many schedulers there are: what comes in is known to be of so many, or else each writer of the registers in front is one.
 */
static uint32_t schedulers_of(const OperandCollector *oc)
{
    uint32_t known = 0, writers = 1;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwPort *in = &oc->ports.in[__builtin_ctz(m)];
        known = MAX(known, ww_carried_schedulers(in));
        writers = MAX(writers, ((const WwChannel *)in->peer)->n_writers);
    }
    return known != 0 ? known : writers;
}

static bool collector_start(void *self, GError **error)
{
    OperandCollector *oc = self;
    oc->schedulers = schedulers_of(oc);
    if ((oc->sub_core_model && !check_sharing(oc, error)) || !check_outputs(oc, error)) {
        return false;
    }
    oc->share = oc->n_banks / oc->schedulers;
    for (uint32_t i = 0; i < N_SETS; i++) {
        oc->set[i].share = oc->set[i].n / oc->schedulers;
    }
    for (uint32_t u = 0; oc->sub_core_model && u < oc->n_units; u++) {
        oc->unit[u].group = (uint8_t)(u / (oc->n_units / oc->schedulers));
    }
    return true;
}

static void collector_reset(void *self)
{
    OperandCollector *oc = self;
    oc->live = 0;
    oc->requests = 0;
    oc->queued = 0;
    oc->written = 0;
    oc->written_at = WW_NEVER;
    memset(oc->refused_uid, 0, sizeof oc->refused_uid);
    for (uint32_t i = 0; i < N_SETS; i++) {
        UnitSet *set = &oc->set[i];
        set->free = set->n == 0 ? 0 : UINT64_MAX >> (64 - set->n);
        set->complete = 0;
        set->stuck = 0;
        for (uint32_t d = 0; set->n != 0 && d < set->dispatches; d++) {
            move_start(oc, set, d, 0);
        }
    }
    for (uint32_t u = 0; u < oc->n_units; u++) {
        oc->unit[u].inst = NULL;
    }
}

static void collector_explain(void *self, WwExplain *explain)
{
    OperandCollector *oc = self;
    for (uint32_t i = 0; i < oc->n_units; i++) {
        const Unit *u = &oc->unit[i];
        if (u->inst == NULL) {
            continue;
        }
        ww_explain_holds_inst(explain, u->inst);
        if (u->need == 0) {
            ww_explain_waits(
                explain, oc->ports.out[u->class].peer,
                "unit %u: %s of warp %u has its operands and waits for a free register", i,
                u->inst->s->opcode, u->inst->warp);
        } else {
            ww_explain_note(explain, "unit %u: %s of warp %u waits for %u operands", i,
                            u->inst->s->opcode, u->inst->warp, u->need);
        }
    }
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwPort *in = &oc->ports.in[__builtin_ctz(m)];
        int slot = ww_regs_oldest(in);
        if (slot >= 0) {
            const WwInst *inst = ww_regs_at(in, slot);
            ww_explain_note(explain, "%s of warp %u, scheduler %u, needs a free collector unit",
                            inst->s->opcode, inst->warp, inst->sched);
        }
    }
}

static const WwRegisterBanksIf banks_table = {.write = banks_write};

static const WwParamRow collector_params[] = {
    WW_BOOL(OperandCollector, sub_core_model, "false",
            "units and banks are divided among the schedulers"),
    BANKS(OperandCollector),
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
    SIZES(OperandCollector, "generic", SET_GENERIC, "8", "8", "8"),
    SIZES(OperandCollector, "sp", SET_SP, "4", "1", "1"),
    SIZES(OperandCollector, "dp", SET_DP, "0", "0", "0"),
    SIZES(OperandCollector, "int", SET_INT, "0", "0", "0"),
    SIZES(OperandCollector, "sfu", SET_SFU, "4", "1", "1"),
    SIZES(OperandCollector, "mem", SET_MEM, "2", "1", "1"),
    SIZES(OperandCollector, "tensor", SET_TENSOR, "4", "1", "1"),
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
