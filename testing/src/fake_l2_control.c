/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `l2_control`. */
#include <testing/fake_l2_control.h>

static void fake_install(void *self, uint64_t addr, uint64_t partition, uint32_t n)
{
    WwFakeL2Control *f = self;
    uint64_t more = (n - 1) * (uint64_t)WW_SECTOR_BYTES;
    if (f->installs == 0) {
        f->first = addr;
    }
    f->installs += n;
    f->last = addr + more;
    f->partition = partition + more;
}

static void fake_flush(void *self, bool on, WwCycle edge)
{
    WwFakeL2Control *f = self;
    f->flushes += on && !f->flushing;
    f->flushing = on;
    f->flush_edge = edge;
}

static const WwL2ControlIf fake_table = {.install = fake_install, .flush = fake_flush};

static void fake_reset(void *self)
{
    WwFakeL2Control *f = self;
    f->flushing = false;
    f->flush_edge = 0;
    f->installs = f->flushes = 0;
    f->first = f->last = f->partition = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeL2Control, l2_control, &ww_contract_l2_control, &fake_table,
                     "counts calls"),
    {0},
};

const WwType ww_fake_l2_control_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.l2_control",
    .doc = "control of an L2 slice that counts what it is told",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeL2Control),
    .ports = fake_ports,
    .reset = fake_reset,
};
