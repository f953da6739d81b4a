/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `memcpy`. */
#include <testing/fake_memcpy.h>

static void fake_copy(void *self, uint64_t addr, uint64_t bytes)
{
    WwFakeMemcpy *f = self;
    f->copies++;
    f->addr = addr;
    f->bytes = bytes;
    f->total += bytes;
}

static const WwMemcpyIf fake_table = {.copy = fake_copy};

static void fake_reset(void *self)
{
    WwFakeMemcpy *f = self;
    f->copies = 0;
    f->addr = f->bytes = f->total = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeMemcpy, memcpy, &ww_contract_memcpy, &fake_table,
                     "counts what it is told"),
    {0},
};

const WwType ww_fake_memcpy_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.memcpy",
    .doc = "host-to-device copies that are counted",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeMemcpy),
    .ports = fake_ports,
    .reset = fake_reset,
};
