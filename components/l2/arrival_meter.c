/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the cycles in which at least one slice took a packet out of the network: the one figure of
 * the memory partitions that no slice can know alone. All slices take packets in the network's partition.
 */
#include "types.h"

#include <ports/cache.h>

typedef struct Arrivals {
    WwComponent base;
    /* ports */
    WwProvided arrivals;
    /* state */
    WwCycle last; /* Latest cycle with a packet, + 1. */
    /* statistics */
    uint64_t packets, cycles;
} Arrivals;

static void arrived(void *self, WwCycle edge)
{
    Arrivals *a = self;
    a->packets++;
    if (a->last != edge + 1) {
        a->last = edge + 1;
        a->cycles++;
    }
}

static const WwArrivalsIf arrivals_table = {.arrived = arrived};

static void arrivals_reset(void *self)
{
    ((Arrivals *)self)->last = 0;
}

static const WwPortRow arrivals_ports[] = {
    WW_PORT_PROVIDES(Arrivals, arrivals, &ww_contract_arrivals, &arrivals_table,
                     "called by the slices"),
    {0},
};

static const WwStatRow arrivals_stats[] = {
    WW_COUNTER(Arrivals, packets, "packets", "packets that slices took from the network"),
    WW_COUNTER(Arrivals, cycles, "cycles", "cycles in which any slice took one"),
    {0},
};

const WwType arrival_meter_type = {
    .abi = WW_ABI_VERSION,
    .name = "arrival_meter",
    .doc = "Counts the cycles in which packets reach any L2 slice.",
    .family = "l2",
    .flags = WW_TYPE_SERIAL,
    .size = sizeof(Arrivals),
    .ports = arrivals_ports,
    .stats = arrivals_stats,
    .reset = arrivals_reset,
};
