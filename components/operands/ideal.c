/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `operands.ideal`: operands that are always there. For studies without register file effects, and
 * for small SMs.
 *
 *     sp, dp, int, sfu, mem, tensor, spec[] (ID_OC) -> [ latency ] -> sp_out, dp_out, ... (OC_EX)
 *
 * An instruction issued in tick t is in its OC_EX register in tick t + latency, or as soon after as
 * one is free: latency = 2 is what the operand collector takes without conflicts. Up to 64
 * instructions are on their way, kept in the order in which they came; one that finds its register
 * taken lets the following ones pass.
 */
#include "operands-priv.h"
#include "types.h"
#include <ports/events.h>

enum { LOG_COLLECT, LOG_DISPATCH };
static const WwEventRow ideal_events[] = {
    [LOG_COLLECT] = {"collect",
                     "warp",
                     "an instruction begins to read its operands",
                     {&ww_field_inst}},
    [LOG_DISPATCH] = {"dispatch", "warp", "it goes to its execute register", {&ww_field_inst}},
    {0},
};

#define IDEAL_SIZE 64u

typedef struct OnTheWay {
    WwInst *inst;
    WwCycle due;
    uint8_t class;
} OnTheWay;

typedef struct Ideal {
    WwComponent base;
    /* parameters */
    uint32_t latency;
    /* ports */
    OpPorts ports;
    WwProvided banks;
    /* state */
    uint32_t classes; /* Bound ones. */
    uint32_t n;
    OnTheWay way[IDEAL_SIZE];
    /* statistics */
    uint64_t instructions;
    uint64_t writes;
} Ideal;

static bool ideal_write(void *self, const WwInst *inst)
{
    Ideal *o = self;
    o->writes += inst->s->ndst != 0;
    return true;
}

/* Sends on what is due and finds its register free. Returns when the next one is due. */
static WwCycle send(Ideal *o, WwCycle now)
{
    WwCycle next = WW_NEVER;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        const OnTheWay *w = &o->way[i];
        const WwPort *out = &o->ports.out[w->class];
        if (w->due <= now) {
            int slot = ww_regs_free(out, w->inst->sched);
            if (slot >= 0) {
                WW_LOG(o, &ideal_events[LOG_DISPATCH], w->inst->warp, WW_PART(w->inst));
                ww_regs_put_in(out->peer, slot, w->inst);
                continue;
            }
        } else {
            next = MIN(next, w->due);
        }
        o->way[kept++] = *w;
    }
    o->n = kept;
    return next;
}

static void take(Ideal *o, WwCycle now)
{
    for (uint32_t m = o->classes; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        const WwPort *in = &o->ports.in[class];
        while (o->n < IDEAL_SIZE && ww_regs_full(in) != 0) {
            WwInst *inst = ww_regs_take(in, ww_regs_oldest(in));
            WW_LOG(o, &ideal_events[LOG_COLLECT], inst->warp, WW_PART(inst));
            o->way[o->n++] = (OnTheWay){inst, now + o->latency - 1, (uint8_t) class};
            o->instructions++;
        }
    }
}

static WwRest ideal_step(void *self)
{
    Ideal *o = self;
    WwCycle now = ww_now(o);
    send(o, now);
    take(o, now);
    bool full = o->n == IDEAL_SIZE; /* then something may have stayed outside */
    WwCycle next = send(o, now);    /* with latency 1 what was taken goes at once */
    if (full && o->n < IDEAL_SIZE) {
        return WW_AGAIN;
    }
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

static bool ideal_init(void *self, GError **error)
{
    Ideal *o = self;
    return op_classes(&o->ports, &o->classes, error);
}

static void ideal_reset(void *self)
{
    ((Ideal *)self)->n = 0;
}

static void ideal_explain(void *self, WwExplain *explain)
{
    Ideal *o = self;
    for (uint32_t i = 0; i < o->n; i++) {
        const OnTheWay *w = &o->way[i];
        ww_explain_holds_inst(explain, w->inst);
        if (w->due <= ww_now(o)) {
            ww_explain_waits(explain, o->ports.out[w->class].peer,
                             "%s of warp %u waits for a free register", w->inst->s->opcode,
                             w->inst->warp);
        }
    }
}

static const WwRegisterBanksIf ideal_table = {.write = ideal_write};

static const WwParamRow ideal_params[] = {
    WW_UINT(Ideal, latency, "cycles", "2", 1, 1024, "cycles from issue to the OC_EX register"),
    {0},
};

static uint64_t ideal_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return op_carried(&((const Ideal *)self)->ports, row, k, offsetof(Ideal, ports));
}

static const WwPortRow ideal_ports[] = {
    OP_PORTS(Ideal),
    {.name = "register_banks",
     .role = WW_PROVIDES,
     .contract = &ww_contract_register_banks,
     .entry = "step",
     .table = &ideal_table,
     .doc = "writes, which never conflict",
     .offset = WW_FIELD(Ideal, banks, WwProvided)},
    {0},
};

static const WwStatRow ideal_stats[] = {
    WW_COUNTER(Ideal, instructions, "instructions", "instructions that passed"),
    WW_COUNTER(Ideal, writes, "writes", "results written"),
    {0},
};

static const WwEntryRow ideal_entries[] = {
    {.name = "step",
     .phase = "core",
     .tick = ideal_step,
     .port = "register_banks",
     .rank = WW_RANK_COLLECT,
     .doc = "takes issued instructions, sends on those that are due"},
    {0},
};

const WwType operands_ideal_type = {
    .abi = WW_ABI_VERSION,
    .name = "operands.ideal",
    .doc = "Fixed operand latency; no collector units, no bank conflicts.",
    .family = "operands",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Ideal),
    .events = ideal_events,
    .params = ideal_params,
    .ports = ideal_ports,
    .stats = ideal_stats,
    .entries = ideal_entries,
    .init = ideal_init,
    .reset = ideal_reset,
    .explain = ideal_explain,
    .carries = ideal_carries,
};
