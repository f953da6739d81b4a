/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `fetches`. */
#include <testing/fake_fetches.h>

static WwFetchResult fake_access(void *self, uint32_t warp, uint64_t pc)
{
    WwFakeFetches *f = self;
    f->accesses++;
    f->warp = warp;
    f->pc = pc;
    return f->result;
}

static bool fake_take(void *self, uint32_t *warp, uint64_t *pc)
{
    WwFakeFetches *f = self;
    if (!f->ready) {
        return false;
    }
    *warp = f->ready_warp;
    *pc = f->ready_pc;
    f->ready = false;
    return true;
}

static bool fake_refuses(void *self)
{
    const WwFakeFetches *f = self;
    return f->refuses && f->result == WW_FETCH_FAIL;
}

static void fake_refused(void *self, uint64_t n, WwCycle last)
{
    WwFakeFetches *f = self;
    f->refused += n;
    f->last = last;
}

static const WwFetchesIf fake_table = {
    .access = fake_access, .take = fake_take, .refuses = fake_refuses, .refused = fake_refused};

void ww_fake_fetches_again(WwFakeFetches *f)
{
    const WwClient *c = ww_provided_client(&f->fetches, WW_FETCHES_FETCH, 0);
    if (c != NULL) {
        ww_wake(&c->wake);
    }
}

void ww_fake_fetches_return(WwFakeFetches *f, uint32_t warp, uint64_t pc)
{
    f->ready = true;
    f->ready_warp = warp;
    f->ready_pc = pc;
    ww_fake_fetches_again(f);
}

static void fake_reset(void *self)
{
    WwFakeFetches *f = self;
    f->result = WW_FETCH_HIT;
    f->accesses = f->warp = f->ready_warp = 0;
    f->pc = f->ready_pc = 0;
    f->ready = f->refuses = false;
    f->refused = f->last = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeFetches, fetches, &ww_contract_fetches, &fake_table,
                     "answers that the test chose"),
    {0},
};

const WwType ww_fake_fetches_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.fetches",
    .doc = "instruction cache of a sub-core that answers what a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeFetches),
    .ports = fake_ports,
    .reset = fake_reset,
};
