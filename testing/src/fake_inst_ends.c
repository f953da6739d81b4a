/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `inst_ends`. */
#include <ports/warps.h>
#include <testing/fake_inst_ends.h>

static void fake_finish(void *self, WwInst *inst, uint32_t what)
{
    WwFakeInstEnds *f = self;
    f->calls++;
    f->over += (what & WW_END_RECORD) != 0;
    f->what = (f->inst == inst ? f->what : 0) | what;
    f->inst = inst;
    f->cycle = ww_now(f);
}

static const WwInstEndsIf fake_table = {.finish = fake_finish};

static void fake_reset(void *self)
{
    WwFakeInstEnds *f = self;
    f->calls = f->over = f->what = 0;
    f->inst = NULL;
    f->cycle = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeInstEnds, ends, &ww_contract_inst_ends, &fake_table,
                     "remembers what it is told"),
    {0},
};

const WwType ww_fake_inst_ends_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.inst_ends",
    .doc = "remembers which instructions end",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeInstEnds),
    .ports = fake_ports,
    .reset = fake_reset,
};
