/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `refill`. */
#include <testing/fake_refill.h>

#include "fake_others-priv.h"

static bool fake_awaits(void *self, const WwMemReq *response)
{
    return !((WwFakeRefill *)self)->deaf;
}

static bool fake_ready(void *self)
{
    const WwFakeRefill *f = self;
    return !f->busy && !fake_others_took(f->others, ww_now(f), 0);
}

static void fake_fill(void *self, WwMemReq *response)
{
    WwFakeRefill *f = self;
    f->fills++;
    f->last = response;
    f->when = ww_now(f);
}

static void fake_clear(void *self)
{
    WwFakeRefill *f = self;
    f->clears++;
    f->deaf |= f->forgets;
}

static const WwRefillIf fake_table = {
    .awaits = fake_awaits, .ready = fake_ready, .fill = fake_fill, .clear = fake_clear};

static void fake_reset(void *self)
{
    WwFakeRefill *f = self;
    f->deaf = f->busy = f->forgets = false;
    f->fills = f->clears = f->others = 0;
    f->last = NULL;
    f->when = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeRefill, refill, &ww_contract_refill, &fake_table,
                     "awaits what a test says"),
    {0},
};

const WwType ww_fake_refill_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.refill",
    .doc = "cache of a sub-core that awaits what a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeRefill),
    .ports = fake_ports,
    .reset = fake_reset,
};
