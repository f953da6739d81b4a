/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `pcs`. */
#include <ports/pcs_book.h>
#include <string.h>
#include <testing/fake_pcs.h>

static WwPcsBook *fake_book(void *self)
{
    return &((WwFakePcs *)self)->book;
}

static WwPcsRow *fake_meet(void *self, uint32_t warp, uint32_t id)
{
    return &((WwFakePcs *)self)->row;
}

static WwPcsRow *fake_place(void *self, uint32_t warp)
{
    return &((WwFakePcs *)self)->row;
}

static void fake_launched(void *self, uint32_t warp)
{
    ((WwFakePcs *)self)->launched++;
}

static void fake_retired(void *self, uint32_t warp)
{
    ((WwFakePcs *)self)->retired++;
}

static WwPcsWarp *put(WwFakePcs *f, uint32_t warp, uint32_t state, WwCycle at)
{
    WwPcsWarp *w = &f->book.warp[warp];
    w->state = state;
    w->since = at;
    w->row = &f->row;
    return w;
}

static void fake_issued(void *self, uint32_t scheduler, const WwInst *inst, bool first)
{
    WwFakePcs *f = self;
    f->issued++;
    put(f, inst->warp, WW_STATE_UNKNOWN, ww_now(f) + 1);
}

static void fake_enter(void *self, uint64_t warps, WwStall state, WwCycle at)
{
    for (; warps != 0; warps &= warps - 1) {
        put(self, (uint32_t)__builtin_ctzll(warps), state, at);
    }
}

static void fake_ready(void *self, uint32_t scheduler, uint32_t warp, WwStall state, WwCycle at)
{
    WwFakePcs *f = self;
    ww_pcs_begin_ready(put(f, warp, state, at), &f->book.scheduler[scheduler], state);
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

static void fake_take(void *self, WwPcTakeFn fn, void *user) {}

static const WwPcsIf fake_table = {
    .book = fake_book,
    .meet = fake_meet,
    .place = fake_place,
    .launched = fake_launched,
    .retired = fake_retired,
    .issued = fake_issued,
    .enter = fake_enter,
    .ready = fake_ready,
    .accesses = fake_accesses,
    .l1 = fake_l1,
    .l2 = fake_l2,
    .done = fake_done,
    .take = fake_take,
};

static void fake_reset(void *self)
{
    WwFakePcs *f = self;
    memset(&f->book, 0, sizeof *f - offsetof(WwFakePcs, book));
    f->book.nobody = f->row.next = &f->row;
    f->kernel.row = &f->book.nobody;
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        f->book.warp[i] = (WwPcsWarp){
            .state = WW_STATE_UNKNOWN, .row = &f->row, .last = &f->row, .kernel = &f->kernel};
    }
    for (uint32_t i = 0; i < WW_MAX_SCHEDULERS; i++) {
        f->book.scheduler[i].lost = f->row.slots;
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
