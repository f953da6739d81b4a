/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `scheduler`: the order that the test chose, or ascending candidates. */
#include <string.h>
#include <testing/fake_scheduler.h>

static uint32_t fake_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    WwFakeScheduler *f = self;
    uint32_t n = 0;
    f->orders++;
    f->candidates = view->candidates;
    f->waiting = view->waiting;
    f->mine = view->mine;
    if (f->listed) {
        memcpy(out, f->list, f->n);
        return f->n;
    }
    for (uint64_t m = view->candidates; m != 0; m &= m - 1) {
        out[n++] = (uint8_t)__builtin_ctzll(m);
    }
    return n;
}

static void fake_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    WwFakeScheduler *f = self;
    f->issues++;
    f->warp = warp;
    f->count = n;
}

static uint64_t fake_examines(void *self, const WwPolicyView *view)
{
    return ((WwFakeScheduler *)self)->examined;
}

static bool fake_restless(void *self, const WwPolicyView *view)
{
    return ((WwFakeScheduler *)self)->restless;
}

static uint64_t fake_considers(void *self, const WwPolicyView *view)
{
    return ((WwFakeScheduler *)self)->considered;
}

static int32_t fake_guest(void *self, const WwPolicyView *view)
{
    return ((WwFakeScheduler *)self)->guest;
}

static const WwPolicyIf fake_table = {
    .order = fake_order,
    .issued = fake_issued,
    .examines = fake_examines,
    .restless = fake_restless,
    .considers = fake_considers,
    .guest = fake_guest,
};

static void fake_reset(void *self)
{
    WwFakeScheduler *f = self;
    f->listed = f->restless = false;
    f->n = f->orders = f->issues = f->warp = f->count = 0;
    f->examined = f->candidates = f->waiting = f->mine = 0;
    f->considered = UINT64_MAX;
    f->guest = -1;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeScheduler, policy, &ww_contract_scheduler, &fake_table,
                     "the order that the test chose"),
    {0},
};

const WwType ww_fake_scheduler_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.scheduler",
    .doc = "policy whose order a test chooses",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeScheduler),
    .ports = fake_ports,
    .reset = fake_reset,
};
