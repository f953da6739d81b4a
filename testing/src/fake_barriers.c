/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `barriers`: masks by order of the test; what is called is only counted. */
#include <testing/fake_barriers.h>

static void wake(WwFakeBarriers *f, uint64_t warps)
{
    uint32_t n = ww_provided_count(&f->barriers, WW_BARRIERS_ISSUE);
    for (; n != 0 && warps != 0; warps &= warps - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(warps);
        ww_wake(&ww_provided_client(&f->barriers, WW_BARRIERS_ISSUE, warp % n)->wake);
    }
}

void ww_fake_barriers_set(WwFakeBarriers *f, uint64_t held, uint64_t membar, uint64_t async)
{
    uint64_t freed = (f->view.held & ~held) | (f->view.membar & ~membar) | (f->view.async & ~async);
    f->view.held = held;
    f->view.membar = membar;
    f->view.async = async;
    wake(f, freed);
}

/* ---- the contract -------------------------------------------------------------------------- */

static const WwBarrierView *fake_view(void *self)
{
    return &((WwFakeBarriers *)self)->view;
}

static void fake_cta_enter(void *self, uint32_t cta, uint64_t warps)
{
    WwFakeBarriers *f = self;
    f->enters++;
    f->cta = cta;
    f->warps = warps;
    wake(f, warps);
}

static void fake_cta_leave(void *self, uint32_t cta)
{
    WwFakeBarriers *f = self;
    f->leaves++;
    f->cta = cta;
}

static void fake_arrive(void *self, uint32_t warp)
{
    WwFakeBarriers *f = self;
    f->arrivals++;
    f->warp = warp;
}

static void fake_exit(void *self, uint32_t warp)
{
    WwFakeBarriers *f = self;
    f->exits++;
    f->warp = warp;
}

static void fake_set_membar(void *self, uint32_t warp)
{
    WwFakeBarriers *f = self;
    f->membars++;
    f->warp = warp;
    f->view.membar |= 1ull << warp;
}

static void fake_complete_membar(void *self, uint32_t warp)
{
    WwFakeBarriers *f = self;
    f->completions++;
    f->warp = warp;
    f->view.membar &= ~(1ull << warp);
}

static void fake_async_add(void *self, uint32_t warp, uint64_t pc, uint64_t addr, bool done)
{
    WwFakeBarriers *f = self;
    f->adds++;
    f->warp = warp;
    f->pc = pc;
    f->addr = addr;
    f->done = done;
}

static void fake_async_commit(void *self, uint32_t warp)
{
    WwFakeBarriers *f = self;
    f->commits++;
    f->warp = warp;
}

static void fake_async_wait(void *self, uint32_t warp, uint32_t outstanding)
{
    WwFakeBarriers *f = self;
    f->waits++;
    f->warp = warp;
    f->outstanding = outstanding;
}

static void fake_async_done(void *self, uint32_t warp, uint64_t pc, uint64_t addr)
{
    WwFakeBarriers *f = self;
    f->dones++;
    f->warp = warp;
    f->pc = pc;
    f->addr = addr;
}

static const WwBarriersIf fake_table = {
    .view = fake_view,
    .cta_enter = fake_cta_enter,
    .cta_leave = fake_cta_leave,
    .arrive = fake_arrive,
    .exit = fake_exit,
    .set_membar = fake_set_membar,
    .complete_membar = fake_complete_membar,
    .async_add = fake_async_add,
    .async_commit = fake_async_commit,
    .async_wait = fake_async_wait,
    .async_done = fake_async_done,
};

static void fake_reset(void *self)
{
    WwFakeBarriers *f = self;
    f->enters = f->leaves = f->arrivals = f->exits = f->membars = f->completions = 0;
    f->adds = f->commits = f->waits = f->dones = 0;
    f->cta = f->warp = f->outstanding = 0;
    f->warps = f->pc = f->addr = 0;
    f->done = false;
    f->view = (WwBarrierView){0};
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeBarriers, barriers, &ww_contract_barriers, &fake_table,
                     "holds whom the test says"),
    {0},
};

const WwType ww_fake_barriers_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.barriers",
    .doc = "barriers that hold the warps that a test says",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeBarriers),
    .ports = fake_ports,
    .reset = fake_reset,
};
