/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.oversleeps`: the no-sleep comparison must catch it. A number is due n cycles after it
 * was taken, but the component asks to be woken some cycles later, unless another number wakes it
 * before.
 */
#include "fault-priv.h"

static WwRest oversleeps_pass(void *self)
{
    Fault *f = self;
    if (fault_put_held(f) && fault_can_pass(f)) {
        f->held = fault_take(f);
        f->holding = true;
        f->due = ww_now(f) + f->every;
    }
    return f->holding ? f->every + 5 : WW_SLEEP; /* the fault: it should be `every` */
}

static const WwEntryRow oversleeps_entries[] = {
    {.name = "pass", .phase = "main", .tick = oversleeps_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_oversleeps_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.oversleeps",
    .doc = "Sleeps while a number that it holds becomes due.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = oversleeps_entries,
    .reset = fault_reset,
};
