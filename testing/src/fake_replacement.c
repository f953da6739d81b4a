/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `replacement`. */
#include <testing/fake_replacement.h>

static void fake_begin(void *self, uint32_t lines)
{
    ((WwFakeReplacement *)self)->lines = lines;
}

static uint32_t fake_victim(void *self, WwCacheSet set, const uint64_t *may)
{
    WwFakeReplacement *f = self;
    uint32_t way = 0;
    f->asked++;
    while (!ww_way_may(may, way)) {
        way++;
    }
    return f->way != 0 ? f->way : way;
}

static void fake_touched(void *self, WwCacheSet set, uint32_t way, uint32_t now)
{
    WwFakeReplacement *f = self;
    f->touched++;
    f->set = set.first / set.ways;
    f->at = way;
}

static void fake_filled(void *self, WwCacheSet set, uint32_t way, uint64_t line, bool replaced,
                        uint32_t now)
{
    WwFakeReplacement *f = self;
    f->filled++;
    f->replaced += replaced;
    f->set = set.first / set.ways;
    f->at = way;
    f->line = line;
}

static const WwReplacementIf fake_table = {
    .begin = fake_begin, .victim = fake_victim, .touched = fake_touched, .filled = fake_filled};

static void fake_reset(void *self)
{
    WwFakeReplacement *f = self;
    f->way = f->asked = f->touched = f->filled = f->replaced = f->set = f->at = 0;
    f->line = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeReplacement, policy, &ww_contract_replacement, &fake_table,
                     "the lowest way that may go"),
    {0},
};

const WwType ww_fake_replacement_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.replacement",
    .doc = "replacement that takes the lowest way that may go",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeReplacement),
    .ports = fake_ports,
    .reset = fake_reset,
};
