/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include <ports/hash.h>

/* ---- the outside --------------------------------------------------------------------------- */

#define LOG(...) g_string_append_printf(((Outside *)self)->log, __VA_ARGS__)

static const WwWarpView *warps_view(void *self)
{
    return &((Outside *)self)->view;
}
static void warps_finish(void *self, WwInst *inst, uint32_t what)
{
    LOG("end %u of warp %u:%s%s%s%s%s; ", (unsigned)inst->uid, inst->warp,
        what & WW_END_PIPELINE ? " leaves" : "", what & WW_END_COUNT ? " counts" : "",
        what & WW_END_RESULT ? " result" : "", what & WW_END_DATA ? " data" : "",
        what & WW_END_RECORD ? " free" : "");
}
static void warps_stores(void *self, uint32_t warp, int32_t delta)
{
    LOG("stores %u %d; ", warp, delta);
}
static void warps_atomics(void *self, uint32_t warp, int32_t delta)
{
    LOG("atomics %u %d; ", warp, delta);
}
const WwWarpsIf outside_warps = {
    .view = warps_view, .finish = warps_finish, .stores = warps_stores, .atomics = warps_atomics};

static void async_done(void *self, uint32_t warp, uint64_t pc, uint64_t addr)
{
    LOG("copied %u %x %x; ", warp, (unsigned)pc, (unsigned)addr);
}
const WwBarriersIf outside_barriers = {.async_done = async_done};

/* Refuses a third of the cycles, as a function of the cycle alone. */
static bool banks_write(void *self, const WwInst *inst)
{
    Outside *o = self;
    uint32_t x = ((uint32_t)o->now + o->seed) * 2654435761u;
    LOG("bank %u; ", (unsigned)inst->uid);
    return (x >> 16) % 3 != 0;
}
const WwRegisterBanksIf outside_banks = {.write = banks_write};

static const WwCtaView *ctas_view(void *self)
{
    return &((Outside *)self)->cta;
}
const WwCtasIf outside_ctas = {.view = ctas_view};

/* ---- counters -------------------------------------------------------------------------------- */

static PlainKey *key_of(Plain *p, uint32_t warp, uint64_t pc, uint64_t addr)
{
    for (uint32_t i = 0; i < p->n_keys; i++) {
        if (p->key[i].warp == warp && p->key[i].pc == pc && p->key[i].addr == addr) {
            return &p->key[i];
        }
    }
    g_assert_cmpuint(p->n_keys, <, G_N_ELEMENTS(p->key));
    p->key[p->n_keys] = (PlainKey){warp, pc, addr, 0};
    return &p->key[p->n_keys++];
}

static bool is_copy(const WwInst *i)
{
    return (i->s->flags & WW_INST_LDGSTS) != 0;
}

static void stall(Plain *p, LdstStall reason)
{
    static const LdstKind kinds[2][2] = {{LDST_G_LD, LDST_G_ST}, {LDST_L_LD, LDST_L_ST}};
    LdstKind kind = p->d->space == WW_SPACE_SHARED
                        ? LDST_S_MEM
                        : kinds[p->d->space == WW_SPACE_LOCAL][ww_inst_is_store(p->d)];
    p->stalls++;
    p->stall[kind * LDST_N_STALLS + reason]++;
}

static void acknowledge(Plain *p, PlainReq *q)
{
    if (q->acks != 0) {
        warps_stores(p->self, q->req.warp, -(int32_t)q->acks);
    }
    g_free(q);
}

/* An access has its data, by a hit or through the write-back register. */
static void access_done(Plain *p, WwInst *i, const PlainReq *q, bool hit)
{
    void *self = p->self;
    uint32_t dst = i->s->dst, warp = i->warp;
    uint32_t ends = --p->left[i->uid] == 0 ? WW_END_RECORD : 0;
    if (dst != 0 && --p->pend[warp][dst] == 0) {
        ends |= WW_END_DATA | WW_END_COUNT;
    }
    if (dst == 0 && is_copy(i)) {
        PlainKey *k = key_of(p, warp, q->pc, q->addr0);
        if (--k->n == 0) {
            ends |= hit ? 0 : WW_END_COUNT;
            async_done(self, warp, k->pc, k->addr);
        }
    }
    if (ends != 0) {
        warps_finish(self, i, ends);
    }
}

/* ---- write-back ------------------------------------------------------------------------------ */

static void finish(Plain *p)
{
    void *self = p->self;
    WwInst *i = p->wb;
    if (i->s->dst != 0 && !banks_write(self, i)) {
        return;
    }
    if (p->wb_req != NULL) {
        access_done(p, i, p->wb_req, false);
        g_free(p->wb_req);
    } else {
        warps_finish(self, i, WW_END_RECORD | (i->s->dst != 0 ? WW_END_DATA | WW_END_COUNT : 0));
    }
    p->wb = NULL;
}

static bool supply(Plain *p, uint32_t client)
{
    void *self = p->self;
    if (client == 0 && p->stage[0] != NULL) {
        p->wb = p->stage[0];
        p->wb_req = NULL;
        p->stage[0] = NULL;
        if (p->wb->s->flags & WW_INST_ATOMIC) {
            warps_atomics(self, p->wb->warp, -(int32_t)ww_inst_lanes(p->wb));
        }
        warps_finish(self, p->wb, WW_END_PIPELINE);
        return true;
    }
    if (client == 3 && p->global != NULL) {
        p->wb_req = p->global;
        p->wb = p->global->inst;
        if (p->global->req.atomic) {
            warps_atomics(self, p->wb->warp, -__builtin_popcount(p->global->req.lanes));
        }
        p->global = NULL;
        return true;
    }
    if (client == 4 && p->l1 && scripted_cache_if.peek(&p->self->cache) != NULL) {
        WwMemReq *req = scripted_cache_if.take(&p->self->cache);
        if (req->owner == &p->owner) {
            p->wb_req = (PlainReq *)req;
            p->wb = p->wb_req->inst;
        } else {
            PlainReq *store = (PlainReq *)req->original;
            ww_mem_release(req);
            if (store->fetched) {
                acknowledge(p, store);
            }
        }
        return true;
    }
    return false;
}

static void write_back(Plain *p)
{
    int32_t served = -1;
    if (p->wb != NULL) {
        finish(p);
    }
    for (uint32_t c = 0; c < 5 && p->wb == NULL; c++) {
        uint32_t client = (p->arb + c) % 5;
        if (supply(p, client)) {
            served = (int32_t)client;
        }
    }
    if (served >= 0) {
        p->arb = ((uint32_t)served + 1) % 5;
    }
}

static void take_response(Plain *p)
{
    WwMemReq *q = g_queue_peek_head(p->resp);
    if (q == NULL) {
        return;
    }
    if (q->write) {
        acknowledge(p, g_queue_pop_head(p->resp));
    } else if (q->bypass_l1 || !p->l1) {
        if (p->global == NULL) {
            p->global = g_queue_pop_head(p->resp);
        }
    } else if (scripted_cache_if.port_free(&p->self->cache, WW_CACHE_FILL_PORT)) {
        scripted_cache_if.fill(&p->self->cache, g_queue_pop_head(p->resp), p->self->now);
    }
}

/* ---- the L1D --------------------------------------------------------------------------------- */

static PlainReq *request(Plain *p)
{
    const LdstAccess *a = &p->access[p->n - 1];
    PlainReq *q = g_new0(PlainReq, 1);
    q->inst = p->d;
    q->pc = p->d->s->pc;
    q->addr0 = p->addr[0];
    q->req = (WwMemReq){.addr = a->addr,
                        .owner = &p->owner,
                        .size = a->size,
                        .lanes = a->lanes,
                        .sectors = a->sectors,
                        .warp = p->d->warp,
                        .write = ww_inst_is_store(p->d),
                        .atomic = (p->d->s->flags & WW_INST_ATOMIC) != 0,
                        .bypass_l1 = (p->d->s->flags & WW_INST_BYPASS_L1) != 0};
    q->req.type = q->req.write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
    return q;
}

static uint32_t acks_of(const Plain *p, const PlainReq *q)
{
    return p->self->cache.facts.mshr_sectors != 0 ? q->req.size / 32 : 1;
}

/* A store that the cache has taken and not forwarded. */
static void store_kept(Plain *p, PlainReq *q, WwCacheResult result, uint32_t sent)
{
    const WwCacheFacts *f = &p->self->cache.facts;
    if (sent & WW_CACHE_SENT_WRITE) {
        return;
    }
    if (result == WW_CACHE_HIT ||
        (f->write != WW_WRITE_THROUGH && !(sent & WW_CACHE_SENT_WRITE_ALLOC) &&
         (f->allocate == WW_ALLOCATE_FETCH || f->allocate == WW_ALLOCATE_LAZY))) {
        acknowledge(p, q);
    } else {
        q->fetched = true;
    }
}

static void look_up(Plain *p, PlainReq **exit)
{
    uint32_t sent;
    PlainReq *q = *exit;
    WwCacheResult result = scripted_cache_if.access(&p->self->cache, &q->req, p->self->now, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        return;
    }
    *exit = NULL;
    if (q->req.write) {
        store_kept(p, q, result, sent);
    } else if (result == WW_CACHE_HIT) {
        access_done(p, q->inst, q, true);
        g_free(q);
    }
}

static void step_queues(Plain *p)
{
    for (uint32_t b = 0; b < p->banks && p->latency != 0; b++) {
        PlainReq **stage = p->queue[b];
        if (stage[0] != NULL) {
            look_up(p, &stage[0]);
        }
        for (uint32_t s = 0; s + 1 < p->latency; s++) {
            if (stage[s] == NULL) {
                stage[s] = stage[s + 1];
                stage[s + 1] = NULL;
            }
        }
    }
}

static bool enter_queues(Plain *p)
{
    for (uint32_t k = 0; k < p->banks && p->n != 0; k++) {
        uint64_t block = p->access[p->n - 1].addr / 32;
        uint32_t b = ww_hash_place((WwHash)p->hash, block / p->banks, (uint32_t)block, p->banks);
        PlainReq **entry = &p->queue[b][p->latency - 1];
        if (*entry != NULL) {
            p->bank_conflicts++;
            stall(p, LDST_STALL_BANK);
            return false;
        }
        *entry = request(p);
        if ((*entry)->req.write) {
            (*entry)->acks = acks_of(p, *entry);
            warps_stores(p->self, p->d->warp, (int32_t)(*entry)->acks);
        }
        p->n--;
    }
    if (p->n != 0) {
        stall(p, LDST_STALL_COALESCING);
    }
    return p->n == 0;
}

static bool enter_directly(Plain *p)
{
    uint32_t sent;
    if (!scripted_cache_if.port_free(&p->self->cache, WW_CACHE_DATA_PORT)) {
        stall(p, LDST_STALL_DATA_PORT);
        return false;
    }
    PlainReq *q = request(p);
    WwInst *i = p->d;
    WwCacheResult result = scripted_cache_if.access(&p->self->cache, &q->req, p->self->now, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        g_free(q);
        stall(p, LDST_STALL_BANK);
        return false;
    }
    p->n--;
    if (sent & WW_CACHE_SENT_WRITE) {
        q->acks = acks_of(p, q);
        warps_stores(p->self, i->warp, (int32_t)q->acks);
    }
    if (result != WW_CACHE_HIT) {
        if (q->req.write) {
            store_kept(p, q, result, sent);
        }
    } else {
        if (!q->req.write) {
            p->left[i->uid]--;
            p->pend[i->warp][i->s->dst] -= i->s->dst != 0;
            if (is_copy(i) && --key_of(p, i->warp, q->pc, q->addr0)->n == 0) {
                async_done(p->self, i->warp, q->pc, q->addr0);
            }
        }
        if (!(sent & WW_CACHE_SENT_WRITE)) {
            g_free(q);
        }
    }
    if (p->n != 0) {
        stall(p, LDST_STALL_COALESCING);
    }
    return p->n == 0;
}

/* ---- the dispatch register ------------------------------------------------------------------- */

static bool send(Plain *p)
{
    if (p->out == p->depth) {
        stall(p, LDST_STALL_ICNT);
        return false;
    }
    PlainReq *q = request(p);
    p->n--;
    if (q->req.write) {
        q->acks = 1;
        warps_stores(p->self, q->req.warp, 1);
    }
    g_queue_push_tail(p->sent, q);
    p->out++;
    if (p->n != 0) {
        stall(p, LDST_STALL_COALESCING);
    }
    return p->n == 0;
}

static bool serve(Plain *p)
{
    if (p->d->space == WW_SPACE_SHARED && p->d->mask != 0) {
        p->d->cycles = (uint16_t)(p->d->cycles - (p->d->cycles != 0));
        if (p->d->cycles != 0) {
            p->conflicts++;
            stall(p, LDST_STALL_BANK);
        }
        return p->d->cycles == 0;
    }
    if (p->n == 0) {
        return true;
    }
    if (!p->l1 || (p->d->s->flags & WW_INST_BYPASS_L1)) {
        return send(p);
    }
    return p->latency != 0 ? enter_queues(p) : enter_directly(p);
}

static void retire(Plain *p)
{
    void *self = p->self;
    WwInst *i = p->d;
    if (ww_inst_is_load(i) && i->space == WW_SPACE_SHARED) {
        if (p->stage[PLAIN_STAGES - 1] == NULL) {
            p->stage[PLAIN_STAGES - 1] = i;
            p->d = NULL;
        }
        return;
    }
    p->d = NULL;
    if (!ww_inst_is_load(i)) {
        warps_finish(self, i, WW_END_PIPELINE | WW_END_COUNT | WW_END_RECORD);
        return;
    }
    uint32_t ends = WW_END_PIPELINE;
    if (i->s->dst == 0 || p->pend[i->warp][i->s->dst] == 0) {
        ends |= WW_END_COUNT | (i->s->dst != 0 ? WW_END_RESULT : 0);
        if (is_copy(i) && key_of(p, i->warp, i->s->pc, p->addr[0])->n == 0) {
            async_done(self, i->warp, i->s->pc, p->addr[0]);
        }
    }
    warps_finish(self, i, ends | (p->left[i->uid] == 0 ? WW_END_RECORD : 0));
}

static void unit_cycle(Plain *p)
{
    write_back(p);
    for (uint32_t s = 0; s + 1 < PLAIN_STAGES; s++) {
        if (p->stage[s] == NULL) {
            p->stage[s] = p->stage[s + 1];
            p->stage[s + 1] = NULL;
        }
    }
    take_response(p);
    if (p->l1) {
        scripted_cache_cycle(&p->self->cache);
        step_queues(p);
    }
    if (p->d != NULL && serve(p)) {
        retire(p);
    }
}

static void accept(Plain *p)
{
    int best = -1;
    for (int k = 0; k < 4; k++) {
        if (p->in[k] != NULL && (best < 0 || p->in[k]->uid < p->in[best]->uid)) {
            best = k;
        }
    }
    if (best < 0) {
        return;
    }
    WwInst *i = p->d = p->in[best];
    p->in[best] = NULL;
    p->n = 0;
    ww_addr_expand(i->addr, i->mask, p->addr);
    if (i->mask != 0 && i->space == WW_SPACE_SHARED) {
        SmemRule r = {32, 1, false};
        i->cycles = (uint16_t)smem_cost(&r, p->addr, i->mask);
    } else if (i->mask != 0 && i->space == WW_SPACE_GLOBAL) {
        WwLanes l = {p->addr, 1, i->mask, i->s->width};
        p->n = i->s->flags & WW_INST_ATOMIC ? coalesce_atomic(&l, 1, 32, p->access)
                                            : coalesce_plain(&l, 1, 32, p->access);
    }
    if (ww_inst_is_load(i) && i->space != WW_SPACE_SHARED) {
        p->left[i->uid] = p->n;
        if (i->s->dst != 0) {
            p->pend[i->warp][i->s->dst] += p->n;
        }
        if (is_copy(i)) {
            key_of(p, i->warp, i->s->pc, p->addr[0])->n += p->n;
        }
    }
}

void plain_tick(Plain *p)
{
    for (uint32_t k = 0; k < p->ports; k++) {
        unit_cycle(p);
    }
    if (p->d == NULL) {
        accept(p);
    }
}
