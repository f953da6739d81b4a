/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.insomniac`: the idle check must catch an entry point that wants every cycle.
 */
#include "fault-priv.h"

static WwRest insomniac_pass(void *self)
{
    Fault *f = self;
    while (fault_can_pass(f)) {
        ww_fifo_put(&f->out, fault_take(f));
    }
    return WW_AGAIN;
}

static const WwEntryRow insomniac_entries[] = {
    {.name = "pass", .phase = "main", .tick = insomniac_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_insomniac_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.insomniac",
    .doc = "Never sleeps, though it has nothing to do.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = insomniac_entries,
    .reset = fault_reset,
};
