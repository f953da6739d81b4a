/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `arrivals`. */
#include <testing/fake_arrivals.h>

static void fake_arrived(void *self, WwCycle edge)
{
    WwFakeArrivals *f = self;
    f->n++;
    f->edge = edge;
}

static const WwArrivalsIf fake_table = {.arrived = fake_arrived};

static void fake_reset(void *self)
{
    WwFakeArrivals *f = self;
    f->n = 0;
    f->edge = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeArrivals, arrivals, &ww_contract_arrivals, &fake_table,
                     "counts what it is told"),
    {0},
};

const WwType ww_fake_arrivals_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.arrivals",
    .doc = "packets taken out of the network that are counted",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeArrivals),
    .ports = fake_ports,
    .reset = fake_reset,
};
