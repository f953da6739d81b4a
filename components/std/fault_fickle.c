/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.fickle`: the determinism check must catch it. What it does depends on how many numbers all of its kind have ever seen.
 */
#include "fault-priv.h"

static WwRest fickle_pass(void *self)
{
    static uint64_t ever; /* the fault: state outside the machine */
    Fault *f = self;
    uint64_t before = f->n;
    WwRest rest = fault_dawdle(f, ever);
    ever += f->n - before;
    return rest;
}

static const WwEntryRow fickle_entries[] = {
    {.name = "pass", .phase = "main", .tick = fickle_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_fickle_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.fickle",
    .doc = "Does not do the same twice.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = fickle_entries,
    .reset = fault_reset,
};
