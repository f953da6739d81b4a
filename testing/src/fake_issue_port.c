/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `issue_port`. */
#include <testing/fake_issue_port.h>

static void fake_stall(void *self, WwCycle from, uint32_t cycles)
{
    WwFakeIssuePort *f = self;
    f->stalls++;
    f->from = from;
    f->cycles = cycles;
}

static const WwIssuePortIf fake_table = {.stall = fake_stall};

static void fake_reset(void *self)
{
    WwFakeIssuePort *f = self;
    f->stalls = f->cycles = 0;
    f->from = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeIssuePort, port, &ww_contract_issue_port, &fake_table,
                     "an issue stage that notes its stalls"),
    {0},
};

const WwType ww_fake_issue_port_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.issue_port",
    .doc = "an issue stage that notes its stalls",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeIssuePort),
    .ports = fake_ports,
    .reset = fake_reset,
};
