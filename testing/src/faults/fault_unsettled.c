/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.unsettled`: the no-sleep comparison of statistics must catch it. It counts cycles and
 * has no settle function.
 */
#include "fault-priv.h"

static WwRest unsettled_pass(void *self)
{
    Fault *f = self;
    f->cycles++;
    while (fault_can_pass(f)) {
        ww_fifo_put(&f->out, fault_take(f));
    }
    return WW_SLEEP;
}

static const WwEntryRow unsettled_entries[] = {
    {.name = "pass", .phase = "main", .tick = unsettled_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_unsettled_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.unsettled",
    .doc = "Counts its cycles only when it runs.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = unsettled_entries,
    .reset = fault_reset,
};
