/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `operands.register_cache`: collector units and register banks, with a small cache of results in front of the banks.
 *
 *     sp, dp, int, sfu, mem, tensor, spec[] (ID_OC) -> [ units | cache | banks ] -> sp_out, ... (OC_EX)
 *                                                      register_banks <= write-back, LD/ST unit
 *
 * After Gebhart, Johnson, Tarjan, Keckler, Dally, Lindholm and Skadron, "Energy-efficient Mechanisms for Managing Thread
 * Context in Throughput Processors" (ISCA 2011): most results are read once, soon, and never again. Each warp has `entries`
 * registers in a cache of its own. A result goes there; when it is full, the entry used least recently goes to its bank,
 * which cannot be read meanwhile. A source found there needs no bank. Sources read from a bank are not kept. What a
 * warp holds is dropped when it exits. entries = 0 is a register file without a cache, to compare with.
 *
 * Units and banks belong to one scheduler each. A step: (1) units that have all operands go to an OC_EX register, (2) each
 * bank that is not being written grants its oldest read, (3) issued instructions move into free units, the oldest first.
 * A write keeps its bank from reads in the first step of its cycle. The banks are those of `operand_collector` with
 * sub_core_model; it, too, makes several steps a cycle when it stands in a `repeat` group.
 *
 * Cost: a step looks at the units that are taken. When all of them wait for OC_EX registers, or there is none, it sleeps.
 */
#include <ports/events.h>
#include <ports/execute.h>
#include <ports/register_set.h>
#include <string.h>
#include <warpwright/module.h>

enum { LOG_COLLECT, LOG_DISPATCH };
static const WwEventRow register_cache_events[] = {
    [LOG_COLLECT] = {"collect", "warp", "an instruction gets a collector unit", {&ww_field_inst}},
    [LOG_DISPATCH] = {"dispatch", "warp", "it goes to its execute register", {&ww_field_inst}},
    {0},
};

#define MAX_UNITS 64u
#define MAX_BANKS 64u
#define MAX_ENTRIES 16u

enum { SP, DP, INT, SFU, MEM, TENSOR, SPEC, N_CLASSES = SPEC + WW_NUM_SPEC };

typedef struct Unit {
    WwInst *inst;
    uint64_t turn; /* order of arrival */
    uint8_t class;
    uint8_t n_reads;          /* still to be granted, */
    uint8_t bank[WW_MAX_SRC]; /* of these banks */
} Unit;

/* The registers of a warp that are cached, the one used last first. */
typedef struct Cached {
    uint8_t n;
    uint16_t reg[MAX_ENTRIES];
} Cached;

typedef struct Stage {
    WwComponent base;
    /* parameters */
    uint32_t banks, generic_units, entries;
    /* ports */
    WwPort in[N_CLASSES], out[N_CLASSES];
    uint32_t n_spec, n_spec_out;
    WwProvided register_banks;
    /* state */
    uint32_t classes;
    uint32_t schedulers; /* whose instructions come in: each has its own units and banks */
    uint64_t used;       /* units that hold an instruction */
    uint64_t turn;
    WwCycle stepped; /* cycle of the last step, WW_NEVER before the first */
    WwCycle written_at;
    uint64_t written; /* banks written in that cycle */
    Unit unit[MAX_UNITS];
    Cached cached[WW_MAX_WARPS];
    /* statistics */
    uint64_t instructions, hits, reads, writes, evictions, refusals;
} Stage;

/* ---- the cache -------------------------------------------------------------------------------------------------- */

static bool holds(const Cached *k, uint32_t reg, uint32_t *at)
{
    for (*at = 0; *at < k->n; ++*at) {
        if (k->reg[*at] == reg) {
            return true;
        }
    }
    return false;
}

/* Entry @p at becomes the one used last; it holds @p reg. */
static void use(Cached *k, uint32_t at, uint32_t reg)
{
    memmove(&k->reg[1], &k->reg[0], at * sizeof k->reg[0]);
    k->reg[0] = (uint16_t)reg;
}

static uint32_t cached_bank(const Stage *s, const WwInst *inst, uint32_t reg)
{
    uint32_t share = s->banks / s->schedulers;
    return (reg + inst->warp) % share + inst->sched % s->schedulers * share;
}

static bool claim(Stage *s, uint32_t bank)
{
    WwCycle now = ww_now(s);
    if (s->written_at != now) {
        s->written_at = now;
        s->written = 0;
    }
    if (s->written >> bank & 1u) {
        s->refusals++;
        return false;
    }
    s->written |= 1ull << bank;
    return true;
}

/* A result: into the cache, and what it displaces into its bank. */
static bool stage_write(void *self, const WwInst *inst)
{
    Stage *s = self;
    Cached *k = &s->cached[inst->warp % WW_MAX_WARPS];
    uint32_t reg = inst->s->dst, at;
    if (inst->s->ndst == 0 || reg == 0 || reg == WW_ZERO_REG) {
        return true;
    }
    if (s->entries == 0) {
        if (!claim(s, cached_bank(s, inst, reg))) {
            return false;
        }
    } else if (holds(k, reg, &at)) {
        use(k, at, reg);
    } else if (k->n < s->entries) {
        use(k, k->n, reg);
        k->n++;
    } else {
        if (!claim(s, cached_bank(s, inst, k->reg[k->n - 1]))) {
            return false; /* whoever does not try again has written past the cache */
        }
        s->evictions++;
        use(k, k->n - 1u, reg);
    }
    s->writes++;
    return true;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* The oldest of @p units. */
static uint32_t oldest(const Stage *s, uint64_t units)
{
    uint32_t best = (uint32_t)__builtin_ctzll(units);
    for (uint64_t m = units & (units - 1); m != 0; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctzll(m);
        best = s->unit[u].turn < s->unit[best].turn ? u : best;
    }
    return best;
}

static void dispatch(Stage *s)
{
    uint64_t ready = 0;
    for (uint64_t m = s->used; m != 0; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctzll(m);
        ready |= s->unit[u].n_reads == 0 ? 1ull << u : 0;
    }
    while (ready != 0) {
        uint32_t u = oldest(s, ready);
        const Unit *unit = &s->unit[u];
        const WwPort *out = &s->out[unit->class];
        int slot = ww_regs_free(out, unit->inst->sched);
        ready &= ~(1ull << u);
        if (slot >= 0) {
            WW_LOG(s, &register_cache_events[LOG_DISPATCH], unit->inst->warp, WW_PART(unit->inst));
            ww_regs_put(out, slot, unit->inst);
            s->used &= ~(1ull << u);
        }
    }
}

static void grant(Stage *s, uint64_t blocked)
{
    uint64_t wanted[MAX_BANKS], open = 0;
    memset(wanted, 0, s->banks * sizeof wanted[0]);
    for (uint64_t m = s->used; m != 0; m &= m - 1) {
        uint32_t u = (uint32_t)__builtin_ctzll(m);
        for (uint32_t i = 0; i < s->unit[u].n_reads; i++) {
            wanted[s->unit[u].bank[i]] |= 1ull << u;
            open |= 1ull << s->unit[u].bank[i];
        }
    }
    for (open &= ~blocked; open != 0; open &= open - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(open);
        Unit *unit = &s->unit[oldest(s, wanted[bank])];
        uint32_t i = 0;
        while (unit->bank[i] != bank) {
            i++;
        }
        unit->bank[i] = unit->bank[--unit->n_reads];
    }
}

/* Its sources: those in the cache are there, the others are read from their banks. */
static void collect(Stage *s, Unit *unit)
{
    const WwInst *inst = unit->inst;
    Cached *k = &s->cached[inst->warp % WW_MAX_WARPS];
    for (uint32_t i = 0; i < inst->s->nsrc; i++) {
        uint32_t reg = inst->s->src[i], at;
        if (reg == 0 || reg == WW_ZERO_REG) {
            continue;
        }
        if (holds(k, reg, &at)) {
            use(k, at, reg);
            s->hits++;
        } else {
            unit->bank[unit->n_reads++] = (uint8_t)cached_bank(s, inst, reg);
            s->reads++;
        }
    }
    if (inst->op == WW_OP_EXIT) {
        k->n = 0;
    }
    s->instructions++;
}

static void accept(Stage *s)
{
    uint32_t share = s->generic_units / s->schedulers;
    for (uint32_t m = s->classes; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        const WwPort *in = &s->in[class];
        uint64_t left = ww_regs_full(in);
        while (left != 0) {
            int slot = __builtin_ctzll(left);
            for (uint64_t o = left & (left - 1); o != 0; o &= o - 1) {
                int other = __builtin_ctzll(o);
                slot = ww_inst_older(ww_regs_at(in, other), ww_regs_at(in, slot)) ? other : slot;
            }
            left &= ~(1ull << slot);
            uint32_t group = ww_regs_at(in, slot)->sched % s->schedulers;
            uint64_t own = (share == 64 ? UINT64_MAX : (1ull << share) - 1) << (group * share);
            if ((own & ~s->used) != 0) {
                uint32_t u = (uint32_t)__builtin_ctzll(own & ~s->used);
                s->unit[u] = (Unit){
                    .inst = ww_regs_take(in, slot), .turn = s->turn++, .class = (uint8_t) class};
                s->used |= 1ull << u;
                WW_LOG(s, &register_cache_events[LOG_COLLECT], s->unit[u].inst->warp,
                       WW_PART(s->unit[u].inst));
                collect(s, &s->unit[u]);
            }
        }
    }
}

static WwRest stage_step(void *self)
{
    Stage *s = self;
    WwCycle now = ww_now(s);
    uint64_t before = s->used, turn = s->turn;
    dispatch(s);
    grant(s, s->stepped != now && s->written_at == now ? s->written : 0);
    accept(s);
    s->stepped = now;
    bool reading = before != s->used || turn != s->turn; /* something has moved */
    for (uint64_t m = s->used; m != 0; m &= m - 1) {
        const Unit *unit = &s->unit[__builtin_ctzll(m)];
        reading |= unit->n_reads != 0;
    }
    if (!reading) { /* those granted just now have not been tried */
        for (uint64_t m = s->used; m != 0; m &= m - 1) {
            const Unit *unit = &s->unit[__builtin_ctzll(m)];
            reading |= ww_regs_free(&s->out[unit->class], unit->inst->sched) >= 0;
        }
    }
    return reading ? WW_AGAIN : WW_SLEEP;
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static bool stage_init(void *self, GError **error)
{
    Stage *s = self;
    s->classes = 0;
    for (uint32_t c = 0; c < N_CLASSES; c++) {
        if (WW_BOUND(&s->in[c]) != WW_BOUND(&s->out[c])) {
            return ww_fail(error, WW_ERROR_WIRING,
                           "one port of class %u of %u is bound, the other is not; expected both",
                           c, N_CLASSES);
        }
        s->classes |= WW_BOUND(&s->in[c]) ? 1u << c : 0;
    }
    return true;
}

/* Each scheduler has its own units and banks: how many schedulers there are is known from what comes in. */
static bool stage_start(void *self, GError **error)
{
    Stage *s = self;
    s->schedulers = 1;
    for (uint32_t m = s->classes; m != 0; m &= m - 1) {
        s->schedulers = MAX(s->schedulers, ww_carried_schedulers(&s->in[__builtin_ctz(m)]));
    }
    if (s->banks % s->schedulers != 0 || s->generic_units % s->schedulers != 0 ||
        s->generic_units == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "banks = %u and generic_units = %u for schedulers = %u; expected multiples",
                       s->banks, s->generic_units, s->schedulers);
    }
    return true;
}

static void stage_reset(void *self)
{
    Stage *s = self;
    s->used = s->turn = s->written = 0;
    s->stepped = s->written_at = WW_NEVER;
    memset(s->cached, 0, sizeof s->cached);
}

static void stage_explain(void *self, WwExplain *explain)
{
    Stage *s = self;
    for (uint64_t m = s->used; m != 0; m &= m - 1) {
        const Unit *unit = &s->unit[__builtin_ctzll(m)];
        ww_explain_holds_inst(explain, unit->inst);
        ww_explain_waits(explain, s->out[unit->class].peer,
                         "%s of warp %u waits for a free register", unit->inst->s->opcode,
                         unit->inst->warp);
    }
}

static const WwRegisterBanksIf banks_table = {.write = stage_write};

static const WwParamRow params[] = {
    WW_UINT(Stage, banks, "entries", "16", 1, MAX_BANKS, "register file banks, of all schedulers"),
    WW_UINT(Stage, generic_units, "entries", "8", 1, MAX_UNITS,
            "collector units, of all schedulers"),
    WW_UINT(Stage, entries, "entries", "6", 0, MAX_ENTRIES, "cached registers of each warp"),
    {0},
};

#define PORT(name_, role_, field_, doc_)                                                           \
    {                                                                                              \
        .name = name_, .role = role_, .contract = &ww_contract_inst, .min = 0, .max = 1,           \
        .doc = doc_, .offset = WW_FIELD(Stage, field_, WwPort)                                     \
    }
#define PAIR(name_, class_)                                                                        \
    PORT(name_, WW_IN, in[class_], "instructions issued to the " name_ " class"),                  \
        PORT(name_ "_out", WW_OUT, out[class_], "the same, with operands, for its units")
#define SPECS(name_, role_, field_, count_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .role = role_, .contract = &ww_contract_inst, .min = 0, .max = WW_NUM_SPEC, \
        .doc = doc_, .offset = WW_FIELD(Stage, field_[SPEC], WwPort),                              \
        .count_offset = WW_FIELD(Stage, count_, uint32_t)                                          \
    }

static const WwPortRow ports[] = {
    PAIR("sp", SP),
    PAIR("dp", DP),
    PAIR("int", INT),
    PAIR("sfu", SFU),
    PAIR("mem", MEM),
    PAIR("tensor", TENSOR),
    SPECS("spec", WW_IN, in, n_spec, "instructions issued to specialised units 1, 2, .."),
    SPECS("spec_out", WW_OUT, out, n_spec_out, "the same, with operands"),
    {.name = "register_banks",
     .role = WW_PROVIDES,
     .contract = &ww_contract_register_banks,
     .entry = "step",
     .table = &banks_table,
     .doc = "results on their way to the cache",
     .offset = WW_FIELD(Stage, register_banks, WwProvided)},
    {0},
};
static const WwStatRow stats[] = {
    WW_COUNTER(Stage, instructions, "instructions", "instructions that took a unit"),
    WW_COUNTER(Stage, hits, "registers", "sources found in the cache"),
    WW_COUNTER(Stage, reads, "registers", "sources read from a bank"),
    WW_COUNTER(Stage, writes, "registers", "results written"),
    WW_COUNTER(Stage, evictions, "registers", "cached results that had to go to their bank"),
    WW_COUNTER(Stage, refusals, "registers", "writes that found their bank taken"),
    {0},
};
static const WwEntryRow entries[] = {
    {.name = "step",
     .phase = "core",
     .tick = stage_step,
     .port = "register_banks",
     .rank = WW_RANK_COLLECT,
     .doc = "dispatch, grant reads, take what was issued"},
    {0},
};

static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "operands.register_cache",
    .doc = "Collector units and banks behind a small cache of each warp's latest results.",
    .family = "operands",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Stage),
    .events = register_cache_events,
    .params = params,
    .ports = ports,
    .stats = stats,
    .entries = entries,
    .init = stage_init,
    .start = stage_start,
    .reset = stage_reset,
    .explain = stage_explain,
};

static const WwType *const types[] = {&type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "register_cache",
    .version = "1",
    .doc = "an operand stage with a register-file cache",
    .types = types,
};
