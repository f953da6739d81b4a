/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.spins`: stuck detection must end the run. After its first number it runs in every cycle
 * and does nothing.
 */
#include "fault-priv.h"

static WwRest spins_turn(void *self)
{
    Fault *f = self;
    if (f->n == 0 && ww_fifo_ready(&f->in)) {
        fault_take(f);
    }
    return f->n != 0 ? WW_AGAIN : WW_SLEEP;
}

static void spins_explain(void *self, WwExplain *explain)
{
    Fault *f = self;
    if (f->n != 0) {
        ww_explain_waits(explain, f, "runs in every cycle and does nothing");
    }
}

static const WwEntryRow spins_entries[] = {
    {.name = "turn",
     .phase = "main",
     .tick = spins_turn,
     .doc = "takes one number, then turns in place"},
    {0},
};

const WwType fault_spins_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.spins",
    .doc = "Is always busy and gets nowhere: a livelock.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = spins_entries,
    .reset = fault_reset,
    .explain = spins_explain,
};
