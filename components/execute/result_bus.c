/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result buses of an SM: each carries one result a cycle into the write-back registers, and a
 * unit that takes an instruction books the cycle in which its result will need one.
 *
 * Which bus a result gets is never seen, so `width` buses are a count of bookings a cycle. The
 * count of cycle c lives in slot c mod slots together with c itself: nothing is shifted, a slot that
 * belongs to another cycle counts as empty, and an idle SM costs nothing. A booking is one load,
 * one compare, one store. There are as many slots as the longest booking so far needs.
 */
#include "types.h"

#include <ports/execute.h>
#include <string.h>

#define BUS_MOST 512u /* slots */
#define BUS_FEW 64u   /* at first */
#define BUS_COUNT_BITS 8u

typedef struct ResultBus {
    WwComponent base;
    /* parameters */
    uint32_t width;
    /* ports */
    WwProvided bus;
    /* state */
    uint64_t *slot; /* (cycle + 1) << 8 | buses booked; 0 belongs to no cycle */
    uint32_t slots;
    /* statistics */
    uint64_t reserved;
    uint64_t refused;
} ResultBus;

static bool bus_reserve(void *self, uint32_t latency);

/* The first booking so far ahead. */
WW_COLD static bool reserve_farther(ResultBus *b, uint32_t latency)
{
    const uint64_t *old = b->slot;
    uint32_t n = b->slots;
    ww_assert(latency < BUS_MOST);
    while (b->slots <= latency) {
        b->slots *= 2;
    }
    b->slot = ww_alloc(b, b->slots * sizeof *b->slot);
    for (uint32_t i = 0; i < n; i++) {
        WwCycle cycle = (old[i] >> BUS_COUNT_BITS) - 1;
        if (old[i] != 0 && cycle >= ww_now(b)) {
            b->slot[cycle & (b->slots - 1)] = old[i];
        }
    }
    return bus_reserve(b, latency);
}

static bool bus_reserve(void *self, uint32_t latency)
{
    ResultBus *b = self;
    if (G_UNLIKELY(latency >= b->slots)) {
        return reserve_farther(b, latency);
    }
    WwCycle cycle = ww_now(b) + latency;
    uint64_t *slot = &b->slot[cycle & (b->slots - 1)];
    if (*slot >> BUS_COUNT_BITS != cycle + 1) {
        *slot = (cycle + 1) << BUS_COUNT_BITS;
    }
    if ((*slot & ((1u << BUS_COUNT_BITS) - 1)) >= b->width) {
        b->refused++;
        return false;
    }
    (*slot)++;
    b->reserved++;
    return true;
}

static bool bus_init(void *self, GError **error)
{
    ResultBus *b = self;
    b->slots = BUS_FEW;
    b->slot = ww_alloc(b, b->slots * sizeof *b->slot);
    return true;
}

static void bus_reset(void *self)
{
    ResultBus *b = self;
    memset(b->slot, 0, b->slots * sizeof *b->slot);
}

static const WwResultBusIf bus_table = {.reserve = bus_reserve};

static const WwParamRow bus_params[] = {
    WW_UINT(ResultBus, width, "entries", "8", 1, 64,
            "results per cycle; the width of the write-back register set"),
    {0},
};

static const WwPortRow bus_ports[] = {
    WW_PORT_PROVIDES(ResultBus, bus, &ww_contract_result_bus, &bus_table,
                     "function units book the cycle of their results"),
    {0},
};

static const WwStatRow bus_stats[] = {
    WW_COUNTER(ResultBus, reserved, "results", "bookings made"),
    WW_COUNTER(ResultBus, refused, "requests", "bookings refused because all buses were taken"),
    {0},
};

const WwType result_bus_type = {
    .abi = WW_ABI_VERSION,
    .name = "result_bus",
    .doc = "Books result buses up to 511 cycles ahead for the pipelined units of an SM.",
    .family = "result_bus",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(ResultBus),
    .params = bus_params,
    .ports = bus_ports,
    .stats = bus_stats,
    .init = bus_init,
    .reset = bus_reset,
};
