/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `prefetch`. */
#include <testing/fake_prefetch.h>

static WwStreamResult fake_search(void *self, uint64_t line, uint32_t *buffer)
{
    WwFakePrefetch *f = self;
    f->searches++;
    *buffer = 0;
    return f->result;
}

static void fake_searched(void *self, WwCycle last)
{
    WwFakePrefetch *f = self;
    f->searched++;
    f->used = last;
}

static void fake_begin(void *self, uint64_t line)
{
    WwFakePrefetch *f = self;
    f->begins++;
    f->line = line;
}

static void fake_wait(void *self, uint32_t buffer, uint32_t warp, uint64_t addr)
{
    WwFakePrefetch *f = self;
    f->waits++;
    f->warp = warp;
    f->addr = addr;
}

static bool fake_awaits(void *self, const WwMemReq *response)
{
    return ((WwFakePrefetch *)self)->awaits;
}

static void fake_fill(void *self, WwMemReq *response)
{
    ((WwFakePrefetch *)self)->fills++;
}

static void fake_allow(void *self, bool allowed)
{
    ((WwFakePrefetch *)self)->allowed = allowed;
}

static bool fake_take(void *self, uint32_t *warp, uint64_t *addr)
{
    WwFakePrefetch *f = self;
    bool given = f->given;
    *warp = f->given_warp;
    *addr = f->given_addr;
    f->given = false;
    return given;
}

static void fake_clear(void *self)
{
    WwFakePrefetch *f = self;
    f->clears++;
    f->giving = f->given = false;
}

static WwRest fake_step(void *self)
{
    WwFakePrefetch *f = self;
    f->steps++;
    if (f->giving && f->allowed) {
        f->given = true;
        f->giving = false;
    }
    return f->giving ? WW_AGAIN : WW_SLEEP;
}

static void fake_settle(void *self, uint32_t entry, uint64_t n)
{
    ((WwFakePrefetch *)self)->steps += n;
}

void ww_fake_prefetch_give(WwFakePrefetch *f, uint32_t warp, uint64_t addr)
{
    WwWake step = ww_wake_of(f, 0);
    f->giving = true;
    f->given_warp = warp;
    f->given_addr = addr;
    ww_wake(&step);
}

static const WwPrefetchIf fake_table = {
    .search = fake_search,
    .searched = fake_searched,
    .begin = fake_begin,
    .wait = fake_wait,
    .awaits = fake_awaits,
    .fill = fake_fill,
    .allow = fake_allow,
    .take = fake_take,
    .clear = fake_clear,
};

static void fake_reset(void *self)
{
    WwFakePrefetch *f = self;
    f->result = WW_STREAM_NONE;
    f->awaits = f->allowed = f->giving = f->given = false;
    f->clears = f->searches = f->searched = f->begins = f->waits = f->fills = f->warp =
        f->given_warp = 0;
    f->used = f->line = f->addr = f->steps = f->given_addr = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakePrefetch, prefetch, &ww_contract_prefetch, &fake_table,
                     "streams that a test chose"),
    {0},
};

static const WwEntryRow fake_entries[] = {
    {.name = "step", .owner = "prefetch", .tick = fake_step, .doc = "gives what the test said"},
    {0},
};

const WwType ww_fake_prefetch_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.prefetch",
    .doc = "stream buffers that hold what a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakePrefetch),
    .ports = fake_ports,
    .entries = fake_entries,
    .reset = fake_reset,
    .settle = fake_settle,
};
