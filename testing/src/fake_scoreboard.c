/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `scoreboard`: collisions by order of the test; keeps no registers of its own. */
#include <string.h>
#include <testing/fake_scoreboard.h>

static void wake(WwFakeScoreboard *f, uint32_t rank, uint32_t warp)
{
    uint32_t n = ww_provided_count(&f->hazards, (int32_t)rank);
    const WwClient *c = n != 0 ? ww_provided_client(&f->hazards, (int32_t)rank, warp % n) : NULL;
    if (c != NULL) {
        ww_wake(&c->wake);
    }
}

void ww_fake_scoreboard_collide(WwFakeScoreboard *f, uint32_t warp, bool slow)
{
    uint64_t bit = 1ull << warp;
    f->colliding |= bit;
    f->slow = slow ? f->slow | bit : f->slow & ~bit;
    f->view.pending |= bit;
    memset(f->regs[warp], slow ? WW_REG_PENDING | WW_REG_SLOW : WW_REG_PENDING,
           sizeof f->regs[warp]);
}

void ww_fake_scoreboard_clear(WwFakeScoreboard *f, uint32_t warp)
{
    uint64_t bit = 1ull << warp;
    f->colliding &= ~bit;
    f->slow &= ~bit;
    memset(f->regs[warp], 0, sizeof f->regs[warp]);
    ww_fake_scoreboard_pending(f, warp, false);
}

void ww_fake_scoreboard_pending(WwFakeScoreboard *f, uint32_t warp, bool pending)
{
    uint64_t bit = 1ull << warp;
    if (pending) {
        f->view.pending |= bit;
        return;
    }
    f->view.pending &= ~bit;
    f->view.changed |= bit;
    wake(f, WW_HAZARD_CHECK, warp);
    wake(f, WW_HAZARD_RETIRE, warp);
}

void ww_fake_scoreboard_show(WwFakeScoreboard *f)
{
    f->exact = true;
}

/* ---- the contract -------------------------------------------------------------------------- */

static const WwHazardView *fake_view(void *self)
{
    WwFakeScoreboard *f = self;
    f->view.exact = f->exact;
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        f->view.regs[i] = f->exact ? f->regs[i] : NULL;
    }
    return &f->view;
}

static void fake_seen(void *self, uint64_t warps)
{
    ((WwFakeScoreboard *)self)->view.changed &= ~warps;
}

static bool fake_collides(void *self, uint32_t warp, const WwSinst *s)
{
    WwFakeScoreboard *f = self;
    f->checks++;
    return (f->colliding >> warp & 1u) != 0;
}

static bool fake_slow(void *self, uint32_t warp, const WwSinst *s)
{
    return (((WwFakeScoreboard *)self)->slow >> warp & 1u) != 0;
}

static void fake_reserve(void *self, const WwInst *inst)
{
    WwFakeScoreboard *f = self;
    f->reserved++;
    f->last = inst;
}

static void fake_release(void *self, uint32_t warp, uint32_t reg)
{
    WwFakeScoreboard *f = self;
    f->released++;
    f->warp = warp;
    f->reg = reg;
}

static void fake_release_all(void *self, const WwInst *inst)
{
    WwFakeScoreboard *f = self;
    f->released_all++;
    f->last = inst;
}

static const WwScoreboardIf fake_table = {
    .view = fake_view,
    .seen = fake_seen,
    .collides = fake_collides,
    .waits_long = fake_slow,
    .reserve = fake_reserve,
    .release = fake_release,
    .release_all = fake_release_all,
    .collides_long = fake_slow,
};

static void fake_reset(void *self)
{
    WwFakeScoreboard *f = self;
    f->checks = f->reserved = f->released = f->released_all = 0;
    f->last = NULL;
    f->warp = f->reg = 0;
    f->view = (WwHazardView){0};
    fake_view(f);
    memset(f->regs, 0, sizeof f->regs);
    f->colliding = f->slow = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeScoreboard, hazards, &ww_contract_scoreboard, &fake_table,
                     "collisions that the test chose"),
    {0},
};

const WwType ww_fake_scoreboard_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.scoreboard",
    .doc = "scoreboard whose collisions a test chooses",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeScoreboard),
    .ports = fake_ports,
    .reset = fake_reset,
};
