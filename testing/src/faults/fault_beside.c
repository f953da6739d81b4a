/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.beside`: the memory check must catch it. It counts in a word that is
 * not its own.
 */
#include "fault-priv.h"

static WwRest beside_pass(void *self)
{
    Fault *f = self;
    while (fault_can_pass(f)) {
        ww_fifo_put(&f->out, fault_take(f));
        ++*(uint64_t *)(void *)((char *)self + f->base.type->size); /* the fault */
    }
    return WW_SLEEP;
}

static const WwEntryRow beside_entries[] = {
    {.name = "pass", .phase = "main", .tick = beside_pass, .doc = "passes numbers on"},
    {0},
};

const WwType fault_beside_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.beside",
    .doc = "Writes behind the end of its state.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = beside_entries,
    .reset = fault_reset,
};
