/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `activity`. */
#include <testing/fake_activity.h>

static bool fake_active(void *self)
{
    WwFakeActivity *f = self;
    f->asked++;
    return f->active;
}

static WwCycle fake_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwActivityIf fake_table = {.lasts = fake_lasts, .active = fake_active};

static void fake_reset(void *self)
{
    WwFakeActivity *f = self;
    f->active = false;
    f->asked = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeActivity, activity, &ww_contract_activity, &fake_table,
                     "says what the test says"),
    {0},
};

const WwType ww_fake_activity_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.activity",
    .doc = "a part of the memory system that is as busy as a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeActivity),
    .ports = fake_ports,
    .reset = fake_reset,
};
