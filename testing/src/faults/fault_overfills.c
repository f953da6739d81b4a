/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.overfills`: back-pressure checks must catch a put into a full channel.
 */
#include "fault-priv.h"

static WwRest overfills_pass(void *self)
{
    Fault *f = self;
    while (ww_fifo_ready(&f->in)) {
        ww_fifo_put(&f->out, fault_take(f));
    }
    return WW_SLEEP;
}

static const WwEntryRow overfills_entries[] = {
    {.name = "pass", .phase = "main", .tick = overfills_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_overfills_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.overfills",
    .doc = "Puts numbers without asking for room.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = overfills_entries,
    .reset = fault_reset,
};
