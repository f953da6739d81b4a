/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.fickle`: the determinism check must catch it. How long it holds every n-th number
 * depends on how often any of its kind has been reset.
 */
#include "fault-priv.h"

static uint32_t resets; /* the fault: state outside the machine */

static WwRest fickle_pass(void *self)
{
    Fault *f = self;
    return fault_dawdle(f, f->n, f->dawdle);
}

static void fickle_reset(void *self)
{
    Fault *f = self;
    fault_reset(f);
    f->dawdle = 1 + resets++ % 5;
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
    .reset = fickle_reset,
};
