/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.duplicates`: conservation must catch a token that came out twice.
 */
#include "fault-priv.h"

static WwRest duplicates_pass(void *self)
{
    Fault *f = self;
    while (fault_put_held(f) && fault_can_pass(f)) {
        WwToken token = fault_take(f);
        ww_fifo_put(&f->out, token);
        if (fault_turn(f)) {
            f->held = token;
            f->holding = true;
        }
    }
    return WW_SLEEP;
}

static const WwEntryRow duplicates_entries[] = {
    {.name = "pass", .phase = "main", .tick = duplicates_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_duplicates_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.duplicates",
    .doc = "Sends every n-th number twice.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = duplicates_entries,
    .reset = fault_reset,
};
