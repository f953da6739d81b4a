/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `pcs`. */
#include <string.h>
#include <testing/fake_pcs.h>

static const WwPcsView *fake_view(void *self)
{
    return &((WwFakePcs *)self)->view;
}

static void fake_launched(void *self, uint32_t warp)
{
    ((WwFakePcs *)self)->launched++;
}

static void fake_retired(void *self, uint32_t warp)
{
    ((WwFakePcs *)self)->retired++;
}

static void put(WwFakePcs *f, uint32_t warp, uint32_t state, WwCycle at)
{
    f->view.in[f->state[warp]] &= ~(1ull << warp);
    f->view.in[state] |= 1ull << warp;
    f->state[warp] = state;
    f->since[warp] = at;
}

static void fake_issued(void *self, uint32_t scheduler, const WwInst *inst, bool first)
{
    WwFakePcs *f = self;
    f->issued++;
    put(f, inst->warp, WW_STATE_UNKNOWN, ww_now(f) + 1);
}

static void fake_issued_alone(void *self, uint32_t scheduler, const WwInst *inst, uint32_t next)
{
    WwFakePcs *f = self;
    f->issued++;
    put(f, inst->warp, next & 0xffu, ww_now(f) + 1);
}

static void fake_enter(void *self, uint64_t warps, WwStall state, WwCycle at)
{
    for (; warps != 0; warps &= warps - 1) {
        put(self, (uint32_t)__builtin_ctzll(warps), state, at);
    }
}

static void fake_wait(void *self, uint32_t scheduler, uint32_t warp, uint32_t what, WwCycle at)
{
    put(self, warp, what & 0xffu, at);
}

static void fake_passed(void *self, uint32_t scheduler, uint32_t port)
{
    ((WwFakePcs *)self)->passed++;
}

static void fake_lost_to(void *self, WwStall why, int32_t warp, uint64_t slots)
{
    WwFakePcs *f = self;
    f->lost[why] += slots;
    f->lost_warp = warp;
}

static void fake_blame(void *self, uint32_t scheduler, WwStall why, int32_t warp)
{
    WwFakePcs *f = self;
    f->why = why;
    f->lost_warp = warp;
}

static void fake_lost(void *self, uint32_t scheduler, uint64_t slots)
{
    WwFakePcs *f = self;
    f->lost[f->why] += slots;
}

static uint32_t fake_accesses(void *self, const WwInst *inst, uint32_t transactions,
                              uint32_t conflicts)
{
    WwFakePcs *f = self;
    f->transactions += transactions;
    f->conflicts += conflicts;
    return inst->s->id;
}

static void fake_l1(void *self, uint32_t number, bool hit)
{
    WwFakePcs *f = self;
    f->l1++;
    f->l1_hits += hit;
}

static void fake_l2(void *self, uint32_t number, bool hit)
{
    WwFakePcs *f = self;
    f->l2++;
    f->l2_hits += hit;
}

static void fake_done(void *self, uint32_t number, WwCycle latency)
{
    WwFakePcs *f = self;
    f->done++;
    f->latency += latency;
}

static void fake_take(void *self, WwPcRowFn fn, void *user) {}

static const WwPcsIf fake_table = {
    .view = fake_view,
    .launched = fake_launched,
    .retired = fake_retired,
    .issued = fake_issued,
    .issued_alone = fake_issued_alone,
    .enter = fake_enter,
    .wait = fake_wait,
    .passed = fake_passed,
    .lost_to = fake_lost_to,
    .blame = fake_blame,
    .lost = fake_lost,
    .accesses = fake_accesses,
    .l1 = fake_l1,
    .l2 = fake_l2,
    .done = fake_done,
    .take = fake_take,
};

static void fake_reset(void *self)
{
    WwFakePcs *f = self;
    memset(&f->view, 0, sizeof *f - offsetof(WwFakePcs, view));
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        f->state[i] = WW_STATE_UNKNOWN;
    }
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakePcs, pcs, &ww_contract_pcs, &fake_table, "keeps what it is told"),
    {0},
};

const WwType ww_fake_pcs_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.pcs",
    .doc = "figures of instructions that are kept",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakePcs),
    .ports = fake_ports,
    .reset = fake_reset,
};
