/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `latency`. */
#include <testing/fake_latency.h>

static void fake_handed(void *self, const WwMemReq *req, uint32_t latency, WwCycle now)
{
    WwFakeLatency *f = self;
    f->n++;
    f->sum += latency;
}

static WwBankLatency fake_bank(void *self, uint32_t channel, uint32_t bank)
{
    return (WwBankLatency){0};
}

static const WwLatencyIf latency_table = {.handed = fake_handed, .bank = fake_bank};

static void latency_reset(void *self)
{
    WwFakeLatency *f = self;
    f->n = 0;
    f->sum = 0;
}

static const WwPortRow latency_ports[] = {
    WW_PORT_PROVIDES(WwFakeLatency, latency, &ww_contract_latency, &latency_table,
                     "adds up what it is told"),
    {0},
};

const WwType ww_fake_latency_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.latency",
    .doc = "round trips of memory requests that are added up",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeLatency),
    .ports = latency_ports,
    .reset = latency_reset,
};
