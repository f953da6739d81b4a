/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `result_bus`: as many refusals as the test ordered, then grants. */
#include <testing/fake_result_bus.h>

#include "fake_others-priv.h"

static bool fake_reserve(void *self, uint32_t latency)
{
    WwFakeResultBus *f = self;
    f->calls++;
    f->latency = latency;
    f->cycle = ww_now(f);
    if (f->refuse != 0) {
        f->refuse -= f->refuse != UINT32_MAX;
        return false;
    }
    if (fake_others_took(f->others, f->cycle + latency, 0)) {
        return false; /* whenever it is asked for: bookings stay */
    }
    f->granted++;
    return true;
}

static const WwResultBusIf fake_table = {.reserve = fake_reserve};

static void fake_reset(void *self)
{
    WwFakeResultBus *f = self;
    f->refuse = f->others = f->calls = f->granted = f->latency = 0;
    f->cycle = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeResultBus, bus, &ww_contract_result_bus, &fake_table,
                     "grants unless the test says otherwise"),
    {0},
};

const WwType ww_fake_result_bus_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.result_bus",
    .doc = "result buses that are free unless a test says otherwise",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeResultBus),
    .ports = fake_ports,
    .reset = fake_reset,
};
