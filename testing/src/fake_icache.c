/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fake provider of `icache`: the answer that the test chose, and misses that return when it says
 * so.
 */
#include <testing/fake_icache.h>

#include "fake_others-priv.h"

static WwFetchResult fake_access(void *self, uint32_t warp, uint64_t pc)
{
    WwFakeICache *f = self;
    f->accesses++;
    f->warp = warp;
    f->pc = pc;
    return fake_others_took(f->others, ww_now(f), 0) ? WW_FETCH_FAIL : f->result;
}

static bool fake_take(void *self, uint32_t *warp)
{
    WwFakeICache *f = self;
    if (f->ready == 0) {
        return false;
    }
    *warp = (uint32_t)__builtin_ctzll(f->ready);
    f->ready &= f->ready - 1;
    return true;
}

static WwRest fake_cycle(void *self)
{
    WwFakeICache *f = self;
    f->cycles++;
    return f->busy ? WW_AGAIN : WW_SLEEP;
}

static void fake_settle(void *self, uint32_t entry, uint64_t n)
{
    ((WwFakeICache *)self)->cycles += n;
}

static const WwICacheIf fake_table = {.access = fake_access, .take = fake_take};

void ww_fake_icache_busy(WwFakeICache *f, bool busy)
{
    WwWake step = ww_wake_of(f, 0);
    f->busy = busy;
    ww_wake(&step);
}

void ww_fake_icache_return(WwFakeICache *f, uint32_t warp)
{
    f->ready |= 1ull << warp;
    ww_notify(&f->icache);
}

static void fake_reset(void *self)
{
    WwFakeICache *f = self;
    f->result = WW_FETCH_HIT;
    f->accesses = f->warp = f->others = 0;
    f->pc = f->ready = f->cycles = 0;
    f->busy = false;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeICache, icache, &ww_contract_icache, &fake_table,
                     "answers that the test chose"),
    {0},
};

static const WwEntryRow fake_entries[] = {
    {.name = "cycle", .owner = "icache", .tick = fake_cycle, .doc = "counts cycles"},
    {0},
};

const WwType ww_fake_icache_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.icache",
    .doc = "instruction cache that answers what a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeICache),
    .ports = fake_ports,
    .entries = fake_entries,
    .reset = fake_reset,
    .settle = fake_settle,
};
