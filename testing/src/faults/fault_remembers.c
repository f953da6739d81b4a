/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.remembers`: the reset check must catch it. It holds every n-th number one cycle longer
 * and goes on counting through a reset.
 */
#include "fault-priv.h"

static WwRest remembers_pass(void *self)
{
    Fault *f = self;
    return fault_dawdle(f, f->n, 1);
}

static void remembers_reset(void *self)
{
    Fault *f = self;
    uint64_t n = f->n;
    fault_reset(f);
    f->n = n == 0 ? 1 : 2; /* the fault: it should be what it is in a new one */
}

static const WwEntryRow remembers_entries[] = {
    {.name = "pass", .phase = "main", .tick = remembers_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_remembers_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.remembers",
    .doc = "Keeps state over a reset.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = remembers_entries,
    .reset = remembers_reset,
};
