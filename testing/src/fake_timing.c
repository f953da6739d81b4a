/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `timing`. */
#include <string.h>
#include <testing/fake_timing.h>

static const WwTiming *fake_of(void *self, const WwInst *inst)
{
    WwFakeTiming *f = self;
    f->asked++;
    return &f->of[inst->op];
}

static const WwTimingIf fake_table = {.of = fake_of};

static void fake_reset(void *self)
{
    WwFakeTiming *f = self;
    f->asked = 0;
    memset(f->of, 0, sizeof f->of);
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        f->of[op].flags = WW_TAKES_FIXED;
        f->of[op].unit = WW_UNIT_INT;
        f->of[op].latency = f->of[op].interval = 2;
        f->of[op].read_stages = 3;
    }
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeTiming, timing, &ww_contract_timing, &fake_table,
                     "what a test says that instructions take"),
    {0},
};

const WwType ww_fake_timing_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.timing",
    .doc = "what instructions take, as a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeTiming),
    .ports = fake_ports,
    .reset = fake_reset,
};
