/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.loses`: conservation must catch a token that went in and never came out.
 */
#include "fault-priv.h"

static WwRest loses_pass(void *self)
{
    Fault *f = self;
    while (fault_can_pass(f)) {
        WwToken token = fault_take(f);
        if (!fault_turn(f)) {
            ww_fifo_put(&f->out, token);
        }
    }
    return WW_SLEEP;
}

static const WwEntryRow loses_entries[] = {
    {.name = "pass", .phase = "main", .tick = loses_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_loses_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.loses",
    .doc = "Loses every n-th number.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = loses_entries,
    .reset = fault_reset,
};
