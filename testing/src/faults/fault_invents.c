/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.invents`: conservation must catch a token that nobody put in.
 */
#include "fault-priv.h"

static WwRest invents_pass(void *self)
{
    Fault *f = self;
    while (fault_put_held(f) && fault_can_pass(f)) {
        ww_fifo_put(&f->out, fault_take(f));
        if (fault_turn(f)) {
            f->held = UINT64_MAX - f->n;
            f->holding = true;
        }
    }
    return WW_SLEEP;
}

static const WwEntryRow invents_entries[] = {
    {.name = "pass", .phase = "main", .tick = invents_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_invents_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.invents",
    .doc = "Sends a number of its own after every n-th.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = invents_entries,
    .reset = fault_reset,
};
