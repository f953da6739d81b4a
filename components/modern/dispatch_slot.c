/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dispatch_slot`: the one way of an SM from its sub-cores to what they share. An instruction that goes over takes it for some cycles, in which
 * no other goes, and what is shared accepts none. Who asks first in a cycle has it: the first sub-cores before the last.
 */
#include "types.h"

#include <ports/sub_core.h>

typedef struct DispatchSlot {
    WwComponent base;
    /* ports */
    WwProvided slot;
    /* state */
    WwCycle free_at;
    /* statistics */
    uint64_t taken;
    uint64_t cycles;
} DispatchSlot;

static bool slot_free(void *self)
{
    const DispatchSlot *d = self;
    return ww_now(d) >= d->free_at;
}

static WwCycle slot_free_at(void *self)
{
    return ((const DispatchSlot *)self)->free_at;
}

static void slot_take(void *self, uint32_t cycles)
{
    DispatchSlot *d = self;
    d->free_at = ww_now(d) + cycles;
    d->taken++;
    d->cycles += cycles;
}

static void slot_reset(void *self)
{
    ((DispatchSlot *)self)->free_at = 0;
}

static const WwDispatchSlotIf slot_table = {
    .free = slot_free,
    .free_at = slot_free_at,
    .take = slot_take,
};

static const WwPortRow slot_ports[] = {
    WW_PORT_PROVIDES(DispatchSlot, slot, &ww_contract_dispatch_slot, &slot_table,
                     "units of sub-cores take it, what the SM shares waits for it"),
    {0},
};

static const WwStatRow slot_stats[] = {
    WW_COUNTER(DispatchSlot, taken, "instructions", "instructions that went over"),
    WW_COUNTER(DispatchSlot, cycles, "cycles", "cycles for which they took the way"),
    {0},
};

const WwType dispatch_slot_type = {
    .abi = WW_ABI_VERSION,
    .name = "dispatch_slot",
    .doc = "The way of an SM from its sub-cores to what they share, one instruction at a time.",
    .family = "dispatch_slot",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(DispatchSlot),
    .ports = slot_ports,
    .stats = slot_stats,
    .reset = slot_reset,
};
