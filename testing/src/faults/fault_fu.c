/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.fu`: fits where a function unit does, and never gives back what it has taken. A run that
 * hangs because of it must name it: scheduler, scoreboard, then the unit that holds the pending
 * write.
 *
 *     in (OC_EX) -> [ dispatch register ]    out: never used
 */
#include "types.h"

#include <ports/execute.h>
#include <ports/register_set.h>

typedef struct FaultFu {
    WwComponent base;
    /* parameters */
    bool spin;
    bool private;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort bus;
    /* state */
    WwInst *kept;
    /* statistics */
    uint64_t taken;
} FaultFu;

static int oldest(const FaultFu *f)
{
    if (f->private) {
        return ww_regs_full(&f->in) >> f->in.ordinal & 1u ? (int)f->in.ordinal : -1;
    }
    return ww_regs_oldest(&f->in);
}

static WwRest keep(void *self)
{
    FaultFu *f = self;
    int slot = f->kept == NULL ? oldest(f) : -1;
    if (slot >= 0) {
        f->kept = ww_regs_take(&f->in, slot);
        f->taken++;
    }
    return f->spin && f->kept != NULL ? WW_AGAIN : WW_SLEEP;
}

static void keep_reset(void *self)
{
    ((FaultFu *)self)->kept = NULL;
}

static void keep_explain(void *self, WwExplain *explain)
{
    const FaultFu *f = self;
    if (f->kept != NULL) {
        ww_explain_holds_inst(explain, f->kept);
        ww_explain_waits(explain, f,
                         "keeps %s of warp %u in its dispatch register and never frees it",
                         f->kept->s->opcode, f->kept->warp);
    }
}

static const WwParamRow keep_params[] = {
    WW_BOOL(FaultFu, spin, "false", "runs in every cycle: a livelock instead of a deadlock"),
    WW_BOOL(FaultFu, private, "false",
            "takes only from the register of its own ordinal (sub-core model)"),
    {0},
};

static const WwPortRow keep_ports[] = {
    WW_PORT_IN(FaultFu, in, &ww_contract_inst, 1, "instructions whose operands are collected"),
    WW_PORT_OUT(FaultFu, out, &ww_contract_inst, 1, "never used"),
    WW_PORT_REQUIRES(FaultFu, bus, &ww_contract_result_bus, 1, NULL, "never used"),
    {0},
};

static const WwStatRow keep_stats[] = {
    WW_COUNTER(FaultFu, taken, "instructions", "instructions taken"),
    {0},
};

static const WwEntryRow keep_entries[] = {
    {.name = "execute", .phase = "core", .tick = keep, .doc = "takes one instruction and keeps it"},
    {0},
};

const WwType fault_fu_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.fu",
    .doc = "Takes an instruction and never finishes it: a deadlock in an SM.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(FaultFu),
    .params = keep_params,
    .ports = keep_ports,
    .stats = keep_stats,
    .entries = keep_entries,
    .reset = keep_reset,
    .explain = keep_explain,
};
