/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fake provider of `register_banks`: as many refusals as the test ordered, then every write goes
 * through.
 */
#include <testing/fake_register_banks.h>

#include "fake_others-priv.h"

static bool fake_write(void *self, const WwInst *inst)
{
    WwFakeRegisterBanks *f = self;
    f->calls++;
    f->inst = inst;
    f->cycle = ww_now(f);
    if (inst->s->ndst == 0) {
        return true;
    }
    if (f->refuse != 0) {
        f->refuse -= f->refuse != UINT32_MAX;
        return false;
    }
    if (fake_others_took(f->others, f->cycle, inst->s->dst)) {
        return false;
    }
    f->written++;
    return true;
}

static const WwRegisterBanksIf fake_table = {.write = fake_write};

static void fake_reset(void *self)
{
    WwFakeRegisterBanks *f = self;
    f->refuse = f->others = f->calls = f->written = 0;
    f->inst = NULL;
    f->cycle = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeRegisterBanks, banks, &ww_contract_register_banks, &fake_table,
                     "lets writes through unless the test says otherwise"),
    {0},
};

const WwType ww_fake_register_banks_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.register_banks",
    .doc = "register banks that are free unless a test says otherwise",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeRegisterBanks),
    .ports = fake_ports,
    .reset = fake_reset,
};
