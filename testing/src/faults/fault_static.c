/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.static`: the saved check must catch it. How often it has held a
 * number since a run began decides for how long it holds the next one; that is counted in a variable of the program.
 */
#include "fault-priv.h"

static uint32_t holds; /* the fault: state outside the machine */

static WwRest static_pass(void *self)
{
    Fault *f = self;
    if (f->n == 0) {
        holds = 0;
    }
    bool held = f->holding;
    WwRest rest = fault_dawdle(f, f->n, 1 + holds % 5);
    holds += f->holding && !held;
    return rest;
}

static const WwEntryRow static_entries[] = {
    {.name = "pass", .phase = "main", .tick = static_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_static_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.static",
    .doc = "Keeps state in a variable of the program.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = static_entries,
    .reset = fault_reset,
};
