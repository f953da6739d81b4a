/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dispatch_slot`: the one way of an SM from its sub-cores to what they share. An instruction that goes over takes it for some cycles, in which
 * no other goes, and what is shared accepts none. Who asks first in a cycle has it: the first sub-cores before the last (`order = code`). Or
 * sub-cores that were refused while it was taken go in turns (`paper`).
 */
#include "types.h"

#include <ports/sub_core.h>

enum { MAX_CORES = 16 };
enum { ORDER_FIRST, ORDER_TURNS };
static const char *const orders[] = {"code", "paper", NULL};

typedef struct DispatchSlot {
    WwComponent base;
    /* parameters */
    uint32_t order;
    /* ports */
    WwProvided slot;
    /* state */
    WwCycle free_at;
    uint64_t asked; /* Sub-cores that were refused since it was taken. */
    uint32_t last;  /* The one that went last. */
    /* statistics */
    uint64_t taken;
    uint64_t cycles;
} DispatchSlot;

static bool slot_free(void *self)
{
    const DispatchSlot *d = self;
    return ww_now(d) >= d->free_at;
}

/* Of those that were refused, is @p core the next after the last that went? */
static bool is_next(const DispatchSlot *d, uint32_t core)
{
    for (uint32_t i = 1; i <= MAX_CORES; i++) {
        uint32_t who = (d->last + i) % MAX_CORES;
        if (d->asked >> who & 1u) {
            return who == core;
        }
    }
    return true; /* there are none */
}

static bool slot_offer(void *self, uint32_t core)
{
    DispatchSlot *d = self;
    WwCycle now = ww_now(d);
    core %= MAX_CORES;
    /* whose turn it is has the first cycle: it may have lost its place over there since */
    if (now < d->free_at || (d->order == ORDER_TURNS && now == d->free_at && !is_next(d, core))) {
        d->asked |= 1ull << core;
        return false;
    }
    d->asked &= ~(1ull << core);
    d->last = core;
    return true;
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
    DispatchSlot *d = self;
    d->free_at = 0;
    d->asked = 0;
    d->last = MAX_CORES - 1;
}

static const WwDispatchSlotIf slot_table = {
    .free = slot_free,
    .offer = slot_offer,
    .free_at = slot_free_at,
    .take = slot_take,
};

static const WwParamRow slot_params[] = {
    WW_CHOICE(DispatchSlot, order, "code", orders,
              "code: the first sub-core that asks gets it, as in the released simulator; paper: "
              "sub-cores take turns"),
    {0},
};

static const WwPortRow slot_ports[] = {
    WW_PORT_PROVIDES(DispatchSlot, slot, &ww_contract_dispatch_slot, &slot_table,
                     "units of sub-cores take it, shared units wait for it"),
    {0},
};

static const WwStatRow slot_stats[] = {
    WW_COUNTER(DispatchSlot, taken, "instructions", "instructions transferred"),
    WW_COUNTER(DispatchSlot, cycles, "cycles", "cycles for which they occupied the path"),
    {0},
};

const WwType dispatch_slot_type = {
    .abi = WW_ABI_VERSION,
    .name = "dispatch_slot",
    .doc = "The path from the sub-cores of an SM to its shared units, one instruction at a time.",
    .family = "dispatch_slot",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(DispatchSlot),
    .params = slot_params,
    .ports = slot_ports,
    .stats = slot_stats,
    .reset = slot_reset,
};
