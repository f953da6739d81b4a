/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `constants`. */
#include <testing/fake_constants.h>

static bool fake_is_there(void *self, const WwInst *inst)
{
    WwFakeConstants *f = self;
    f->asked++;
    f->warp = inst->warp;
    return (f->missing >> inst->warp & 1u) == 0;
}

static const WwConstantsIf fake_table = {.ready = fake_is_there};

void ww_fake_constants_miss(WwFakeConstants *f, uint32_t warp, bool missing)
{
    f->missing = (f->missing & ~(1ull << warp)) | (uint64_t)missing << warp;
    if (!missing) {
        ww_notify(&f->constants);
    }
}

static void fake_reset(void *self)
{
    WwFakeConstants *f = self;
    f->missing = 0;
    f->asked = f->warp = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeConstants, constants, &ww_contract_constants, &fake_table,
                     "operands that a test says are there"),
    {0},
};

const WwType ww_fake_constants_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.constants",
    .doc = "constant operands that are there when a test says so",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeConstants),
    .ports = fake_ports,
    .reset = fake_reset,
};
