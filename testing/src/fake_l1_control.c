/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `l1_control`. */
#include <testing/fake_l1_control.h>

static bool fake_carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t shmem_total,
                       GError **error)
{
    WwFakeL1Control *f = self;
    f->carves++;
    f->sm = sm;
    f->shmem = shmem_total;
    return !f->refuses || ww_fail(error, WW_ERROR_MODEL, "shared memory refused by the test");
}

static const WwL1ControlIf fake_table = {.carve = fake_carve};

static void fake_reset(void *self)
{
    WwFakeL1Control *f = self;
    f->refuses = false;
    f->carves = 0;
    f->shmem = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeL1Control, l1_control, &ww_contract_l1_control, &fake_table,
                     "counts what it is told"),
    {0},
};

const WwType ww_fake_l1_control_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.l1_control",
    .doc = "control of first-level caches that counts",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeL1Control),
    .ports = fake_ports,
    .reset = fake_reset,
};
