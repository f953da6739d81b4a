/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `control_stage`: the stage behind the issue stage of a sub-core, a cycle for each instruction.
 *
 *     in (ISSUE_CONTROL) -> [ control ] -> out (CONTROL_ALLOCATE): fixed latency
 *                                       -> mem, dp, sfu, queued: variable latency, straight to the unit
 *
 * Dependence counters go up when an instruction comes here, which is why what waits for them cannot issue in the next cycle. One that finds
 * its way taken stays, and all behind it in the issue stage; while it is one of fixed latency, the reservation of its unit lasts a cycle longer.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>

typedef struct Control {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort mem, dp, sfu, queued;
    WwPort dependence;
    WwPort unit[WW_N_FIXED_UNITS];
    uint32_t n_unit;
    /* state */
    int32_t at; /* Register of `in` whose instruction has been counted; -1: none. */
    /* statistics */
    uint64_t instructions;
    uint64_t held;
    uint64_t held_by_unit;
} Control;

static const WwEventRow control_events[] = {
    {"control", "warp", "an instruction is in the control stage", {&ww_field_inst}},
    {0},
};

static const WwPort *way_of(const Control *c, const WwInst *inst)
{
    switch (inst->unit) {
    case WW_UNIT_MEM:
        return &c->mem;
    case WW_UNIT_DP:
        return &c->dp;
    case WW_UNIT_SFU:
        return &c->sfu;
    case WW_UNIT_QUEUED:
        return &c->queued;
    default:
        return &c->out;
    }
}

/* An instruction for a unit that the sub-core has not. */
WW_COLD static void fail_way(Control *c, const WwInst *inst)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(c, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s (trace line %u) goes to unit %s; expected that the "
                               "sub-core has one",
                               path, inst->s->opcode, inst->s->line,
                               ww_unit_name((WwUnit)inst->unit)));
}

static bool has_way(const Control *c, const WwInst *inst)
{
    return WW_BOUND(way_of(c, inst)) &&
           (!(inst->timing->flags & WW_TAKES_FIXED) || inst->unit < c->n_unit);
}

static WwRest control_tick(void *self)
{
    Control *c = self;
    if (c->at < 0) {
        c->at = ww_regs_oldest(&c->in);
        if (c->at < 0) {
            return WW_SLEEP;
        }
        const WwInst *inst = ww_regs_at(&c->in, c->at);
        if (G_UNLIKELY(!has_way(c, inst))) {
            fail_way(c, inst);
            return WW_SLEEP;
        }
        WW_DEPENDENCE(&c->dependence)->sent(c->dependence.peer, inst);
        WW_LOG(c, &control_events[0], inst->warp, WW_PART(inst));
    }
    const WwInst *inst = ww_regs_at(&c->in, c->at);
    const WwPort *way = way_of(c, inst);
    int slot = ww_regs_free(way, inst->sched);
    if (slot >= 0) {
        ww_regs_put_in(way->peer, slot, ww_regs_take(&c->in, c->at));
        c->at = -1;
        c->instructions++;
        return ww_regs_full(&c->in) != 0 ? WW_AGAIN : WW_SLEEP;
    }
    if (way != &c->out) {
        c->held_by_unit++;
        return WW_SLEEP; /* until the unit takes what it has */
    }
    const WwPort *unit = &c->unit[inst->unit];
    WW_FIXED_UNIT(unit)->delay(unit->peer);
    c->held++;
    return WW_AGAIN;
}

/* It sleeps with an instruction only while that one's unit has no room. */
static void control_settle(void *self, uint32_t entry, uint64_t n)
{
    Control *c = self;
    if (c->at >= 0) {
        c->held_by_unit += n;
    }
}

static void control_reset(void *self)
{
    ((Control *)self)->at = -1;
}

static void control_explain(void *self, WwExplain *explain)
{
    Control *c = self;
    if (c->at >= 0) {
        const WwInst *inst = ww_regs_at(&c->in, c->at);
        ww_explain_waits(explain, way_of(c, inst)->peer, "%s of warp %u waits for unit %s",
                         inst->s->opcode, inst->warp, ww_unit_name((WwUnit)inst->unit));
    }
}

static uint64_t control_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const Control *)self)->in);
}

static void control_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Control *c = self;
    WwInst *inst = ww_token_inst(token);
    const WwPort *way = way_of(c, inst);
    if (!WW_BOUND(way) || (way == &c->out && inst->unit >= c->n_unit)) {
        inst->unit = ww_test_timing(inst)->unit = WW_UNIT_INT;
        ww_test_timing(inst)->flags |= WW_TAKES_FIXED;
    }
}

static const WwPortRow control_ports[] = {
    WW_PORT_IN(Control, in, &ww_contract_inst, 1, "issued instructions"),
    WW_PORT_OUT(Control, out, &ww_contract_inst, 1, "fixed-latency instructions, to Allocate"),
    WW_PORT_OUT(Control, mem, &ww_contract_inst, 0, "instructions for the mem unit"),
    WW_PORT_OUT(Control, dp, &ww_contract_inst, 0, "instructions for the dp unit"),
    WW_PORT_OUT(Control, sfu, &ww_contract_inst, 0, "instructions for the sfu unit"),
    WW_PORT_OUT(Control, queued, &ww_contract_inst, 0,
                "instructions for the queued unit: miscellaneous, with a queue"),
    WW_PORT_REQUIRES(Control, dependence, &ww_contract_dependence, 1, WW_RANK_SENT,
                     "the counters to increment"),
    WW_PORT_ARRAY(Control, unit, WW_REQUIRES, &ww_contract_unit, 1, WW_RANK_CONTROL,
                  "fixed-latency units, by number: int, sp, uniform, tensor, branch, misc"),
    {0},
};

static const WwStatRow control_stats[] = {
    WW_COUNTER(Control, instructions, "instructions", "instructions that passed"),
    WW_COUNTER(Control, held, "cycles",
               "cycles in which a fixed-latency instruction waited for Allocate"),
    WW_COUNTER(Control, held_by_unit, "cycles",
               "cycles in which a variable-latency instruction waited for its unit"),
    {0},
};

static const WwEntryRow control_entries[] = {
    {.name = "control",
     .phase = "core",
     .tick = control_tick,
     .doc = "increments counters for an instruction and passes it on"},
    {0},
};

const WwType control_stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "control_stage",
    .doc = "The stage after issue: increments dependence counters and routes instructions to their "
           "units.",
    .family = "control_stage",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Control),
    .events = control_events,
    .ports = control_ports,
    .stats = control_stats,
    .entries = control_entries,
    .reset = control_reset,
    .settle = control_settle,
    .explain = control_explain,
    .carries = control_carries,
    .adapt = control_adapt,
};
