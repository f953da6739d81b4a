/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result buses of an SM: each carries one result a cycle into the write-back registers, and a
 * unit that takes an instruction books the cycle in which its result will need one.
 *
 * Which bus a result gets is never seen, so `width` buses are a count of bookings a cycle. The
 * count of cycle c lives in slot c mod 512 together with c itself: nothing is shifted, a slot that
 * belongs to another cycle counts as empty, and an idle SM costs nothing. A booking is one load,
 * one compare, one store.
 */
#include "types.h"

#include <ports/execute.h>
#include <string.h>

#define BUS_SLOTS 512u
#define BUS_COUNT_BITS 8u

typedef struct ResultBus {
    WwComponent base;
    /* parameters */
    uint32_t width;
    /* ports */
    WwProvided bus;
    /* state */
    uint64_t slot[BUS_SLOTS]; /* (cycle + 1) << 8 | buses booked; 0 belongs to no cycle */
    /* statistics */
    uint64_t reserved;
    uint64_t refused;
} ResultBus;

static bool bus_reserve(void *self, uint32_t latency)
{
    ResultBus *b = self;
    ww_assert(latency < BUS_SLOTS);
    WwCycle cycle = ww_now(b) + latency;
    uint64_t *slot = &b->slot[cycle % BUS_SLOTS];
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

static void bus_reset(void *self)
{
    ResultBus *b = self;
    memset(b->slot, 0, sizeof b->slot);
}

static const WwResultBusIf bus_table = {.reserve = bus_reserve};

static const WwParamRow bus_params[] = {
    WW_UINT(ResultBus, width, "entries", "8", 1, 64,
            "results a cycle; the width of the write-back register set"),
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
    .reset = bus_reset,
};
