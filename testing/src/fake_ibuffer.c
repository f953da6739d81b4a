/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `ibuffer`. */
#include <string.h>
#include <testing/fake_ibuffer.h>

static void put_bit(uint64_t *mask, uint32_t warp, bool on)
{
    *mask = (*mask & ~(1ull << warp)) | (uint64_t)on << warp;
}

static void wake(WwFakeIbuffer *f, int32_t rank, uint32_t warp)
{
    uint32_t n = ww_provided_count(&f->ibuffer, rank);
    const WwClient *c = n != 0 ? ww_provided_client(&f->ibuffer, rank, warp % n) : NULL;
    if (c != NULL) {
        ww_wake(&c->wake);
    }
}

static void update(WwFakeIbuffer *f, uint32_t warp)
{
    const WwInst *inst = f->head[warp];
    bool constant =
        inst != NULL && inst->timing != NULL && (inst->timing->flags & WW_TAKES_CONSTANT) != 0;
    f->view.next[warp] = inst;
    put_bit(&f->view.valid, warp, inst != NULL);
    put_bit(&f->view.constant, warp, constant);
    if (inst != NULL) {
        wake(f, WW_IBUFFER_ISSUE, warp);
    }
}

void ww_fake_ibuffer_put(WwFakeIbuffer *f, uint32_t warp, WwInst *inst)
{
    inst->next = NULL;
    inst->warp = (uint16_t)warp;
    if (f->head[warp] == NULL) {
        f->head[warp] = inst;
    } else {
        f->tail[warp]->next = inst;
    }
    f->tail[warp] = inst;
    update(f, warp);
}

void ww_fake_ibuffer_space(WwFakeIbuffer *f, uint32_t warp, bool space)
{
    put_bit(&f->view.space, warp, space);
    if (space) {
        wake(f, WW_IBUFFER_FETCH, warp);
    }
}

/* ---- the contract -------------------------------------------------------------------------- */

static const WwIbufferView *fake_view(void *self)
{
    WwFakeIbuffer *f = self;
    f->view.entries = 3;
    f->view.issuers = ww_provided_count(&f->ibuffer, WW_IBUFFER_ISSUE);
    f->view.fetchers = ww_provided_count(&f->ibuffer, WW_IBUFFER_FETCH);
    return &f->view;
}

static uint64_t fake_request(void *self, uint32_t warp)
{
    WwFakeIbuffer *f = self;
    uint64_t pc = f->pc[warp];
    f->requests++;
    f->warp = warp;
    f->pc[warp] += WW_CODE_BYTES;
    return pc;
}

static void fake_refused(void *self, uint32_t warp)
{
    WwFakeIbuffer *f = self;
    f->refusals++;
    f->warp = warp;
    f->pc[warp] -= WW_CODE_BYTES;
}

static uint32_t fake_decoded(void *self, uint32_t warp, uint64_t pc)
{
    WwFakeIbuffer *f = self;
    f->decodes++;
    f->warp = warp;
    f->decoded_pc = pc;
    return 1;
}

static const WwInst *fake_head(void *self, uint32_t warp)
{
    return ((WwFakeIbuffer *)self)->head[warp];
}

static WwInst *fake_pop(void *self, uint32_t warp, uint32_t issuer)
{
    WwFakeIbuffer *f = self;
    WwInst *inst = f->head[warp];
    f->pops++;
    f->warp = warp;
    f->issuer = issuer;
    f->head[warp] = inst->next;
    inst->next = NULL;
    inst->order = f->pops;
    f->view.before[issuer] = f->view.last[issuer];
    f->view.last[issuer] = (uint8_t)warp;
    f->view.issued[issuer] = ww_now(f);
    update(f, warp);
    return inst;
}

static void fake_flush(void *self, uint32_t warp)
{
    WwFakeIbuffer *f = self;
    f->flushes++;
    f->warp = warp;
    f->head[warp] = f->tail[warp] = NULL;
    f->view.ended &= ~(1ull << warp);
    update(f, warp);
}

static const WwIbufferIf fake_table = {
    .view = fake_view,
    .request = fake_request,
    .refused = fake_refused,
    .decoded = fake_decoded,
    .head = fake_head,
    .pop = fake_pop,
    .flush = fake_flush,
};

static void fake_reset(void *self)
{
    WwFakeIbuffer *f = self;
    f->view = (WwIbufferView){.space = UINT64_MAX};
    fake_view(f);
    for (uint32_t warp = 0; warp < WW_MAX_WARPS && f->view.issuers != 0; warp++) {
        uint32_t issuer = warp % f->view.issuers;
        f->view.last[issuer] = f->view.before[issuer] = (uint8_t)warp;
    }
    f->requests = f->refusals = f->decodes = f->pops = f->flushes = 0;
    f->warp = f->issuer = 0;
    f->decoded_pc = 0;
    memset(f->pc, 0, sizeof f->pc);
    memset(f->head, 0, sizeof f->head);
    memset(f->tail, 0, sizeof f->tail);
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeIbuffer, ibuffer, &ww_contract_ibuffer, &fake_table,
                     "instructions that a test put there"),
    {0},
};

const WwType ww_fake_ibuffer_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.ibuffer",
    .doc = "instruction buffers that a test fills",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeIbuffer),
    .ports = fake_ports,
    .reset = fake_reset,
};
