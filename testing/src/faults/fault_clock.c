/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.clock`: the windows check must catch it. In a window its partition
 * is ahead of the time that the machine has.
 */
#include "fault-priv.h"

#include <warpwright/machine.h>

/* Passes a number on as soon as the machine is in an even cycle. */
static WwRest clock_pass(void *self)
{
    Fault *f = self;
    if (!fault_can_pass(f)) {
        return WW_SLEEP;
    }
    if (ww_machine_cycle(f->base.machine) % 2 == 0) { /* the fault: expected ww_now(f) */
        ww_fifo_put(&f->out, fault_take(f));
    }
    return WW_AGAIN;
}

static const WwEntryRow clock_entries[] = {
    {.name = "pass", .phase = "main", .tick = clock_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_clock_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.clock",
    .doc = "Goes by the time of the machine, not by its own.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = clock_entries,
    .reset = fault_reset,
};
