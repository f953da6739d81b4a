/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests and what comes back; results, copies, the end of instructions.
 *
 *     done -+-> result of the sub-core -> out
 *           +-> no result: over
 *           +-> copies: copy_cycles later a store to shared memory -> waiting
 *
 * In a cycle the sub-cores and the copies take turns, each beginning a cycle: what ends without a result ends, as much as is first of its sub-core; the
 * first with a result goes into the register of that sub-core, and from there into its latch when that is empty.
 */
#include "lsu-priv.h"
#include <ports/req_pool.h>

enum { OF_L1D, OF_CONSTANTS, OF_TEXTURES };

/* ---- requests ------------------------------------------------------------------------------ */

/* A request that ends elsewhere than in a response. */
static void release(WwMemOwner *owner, WwMemReq *req)
{
    Lsu *u = (Lsu *)(void *)((char *)owner - offsetof(Lsu, end.owner));
    if (G_UNLIKELY(!ww_pool_is_used(req))) {
        ww_mem_released_twice(u, req);
        return;
    }
    WW_LOG(u, &lsu_events[LOG_DONE], req->warp, WW_PART(req));
    lsu_request_free(u, (LsuReq *)(void *)req);
}

void lsu_end_init(Lsu *u)
{
    LsuEnd *d = &u->end;
    d->owner.release = release;
    ww_pool_init(&d->reqs, u, sizeof(LsuReq));
    d->copy = ww_alloc(u, ww_ring_init(&d->copies, u->table.entries) * sizeof *d->copy);
}

void lsu_end_reset(Lsu *u)
{
    LsuEnd *d = &u->end;
    ww_pool_reset(&d->reqs);
    ww_ring_clear(&d->copies);
    d->serial = 0;
    d->outstanding = d->results = d->turn = 0;
    memset(d->result, 0, sizeof d->result);
    memset(d->missed, 0, sizeof d->missed);
}

static WwAccessType type_of(const LsuEntry *e, bool write)
{
    switch ((LsuWay)e->way) {
    case LSU_CONSTANT:
        return WW_ACCESS_CONST_R;
    case LSU_TEXTURE:
        return WW_ACCESS_TEXTURE_R;
    default:
        break;
    }
    if (e->inst->timing->space == WW_SPACE_LOCAL) {
        return write ? WW_ACCESS_LOCAL_W : WW_ACCESS_LOCAL_R;
    }
    return write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
}

LsuReq *lsu_request(Lsu *u, const LsuAccess *a)
{
    LsuEnd *d = &u->end;
    const LsuEntry *e = &u->table.entry[a->entry];
    WwInst *inst = e->inst;
    bool write = lsu_is_store(e), placed = e->way != LSU_CONSTANT; /* those the link places */
    const WwCtaView *view = WW_CTAS(&u->ctas)->view(u->ctas.peer);
    const WwKernel *kernel = WW_WARPS(&u->warps)->view(u->warps.peer)->warp[inst->warp].kernel;
    WwCycle now = ww_now(u);
    LsuReq *r = ww_pool_take(&d->reqs);
    *r = (LsuReq){
        .req = {.addr = a->at.addr,
                .inst = write ? &d->stored : inst,
                .owner = &d->owner,
                .bytes = a->at.bytes,
                .serial = d->serial++,
                .uid = inst->uid,
                .stream = kernel != NULL ? kernel->stream : 0,
                .size = a->at.size,
                .lanes = a->at.lanes,
                .sm = (uint16_t)view->sm,
                .cluster = (uint16_t)view->cluster,
                .warp = inst->warp,
                .type = (uint8_t)type_of(e, write),
                .sectors = a->at.sectors,
                .write = write,
                .atomic = !write && (inst->timing->flags & WW_TAKES_ATOMIC) != 0,
                .bypass_l1 = (inst->timing->flags & WW_TAKES_BYPASS) != 0,
                .awaited = true,
                .birth = (uint32_t)now,
                .stamp = (uint32_t)now},
        .entry = a->entry,
        .number = e->number,
        .parts = (uint8_t)(a->at.size / WW_SECTOR_BYTES),
    };
    if (placed && WW_BOUND(&u->address_map)) {
        ww_place(&u->placer, &u->address_map, a->at.addr, &r->req.at);
    }
    d->outstanding++;
    WW_LOG(u, &lsu_events[LOG_REQUEST], inst->warp, WW_PART(&r->req));
    return r;
}

void lsu_request_free(Lsu *u, LsuReq *r)
{
    u->end.outstanding--;
    ww_pool_give(&u->end.reqs, r);
}

void lsu_request_end(Lsu *u, LsuReq *r)
{
    WW_LOG(u, &lsu_events[LOG_DONE], r->req.warp, WW_PART(&r->req));
    if (G_UNLIKELY(WW_BOUND(&u->pcs)) && r->req.type != WW_ACCESS_CONST_R &&
        r->req.type != WW_ACCESS_TEXTURE_R) {
        WW_PCS(&u->pcs)->done(u->pcs.peer, r->number, ww_mem_since(r->req.birth, ww_now(u)));
    }
    lsu_request_free(u, r);
}

const WwMemReq *lsu_oldest_out(const Lsu *u)
{
    const WwMemReq *oldest = NULL;
    uint32_t handle = 0;
    for (LsuReq *r; (r = ww_pool_next_used(&u->end.reqs, &handle)) != NULL;) {
        if (oldest == NULL || r->req.serial < oldest->serial) {
            oldest = &r->req;
        }
    }
    return oldest;
}

/* ---- stores -------------------------------------------------------------------------------- */

void lsu_store_sent(Lsu *u, LsuReq *r, uint32_t acks)
{
    r->acks = (uint8_t)acks;
    WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, r->acks);
}

/* @p left parts of it are still under way; with none it ends. */
void lsu_acknowledge(Lsu *u, LsuReq *r, uint32_t left)
{
    uint32_t n = r->acks > left ? r->acks - left : 0;
    if (n != 0) {
        r->acks = (uint8_t)left;
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, -(int32_t)n);
    }
    if (left == 0) {
        lsu_request_end(u, r);
    }
}

/* ---- completed misses ---------------------------------------------------------------------- */

static inline bool is_mine(const Lsu *u, const WwMemReq *req)
{
    return req != NULL && req->owner == &u->end.owner;
}

static void serve_load(Lsu *u, LsuReq *r)
{
    uint32_t entry = r->entry;
    lsu_request_end(u, r);
    lsu_served(u, entry);
}

/* What a cache read to allocate a line for a store is nobody's; with it goes a store that waited for it. */
static void serve_miss(Lsu *u, const WwPort *cache, uint32_t which)
{
    if (!u->end.missed[which]) {
        return;
    }
    WwMemReq *req = WW_CACHE(cache)->take(cache->peer);
    u->end.missed[which] = WW_CACHE(cache)->peek(cache->peer) != NULL;
    if (is_mine(u, req)) {
        serve_load(u, (LsuReq *)(void *)req);
        return;
    }
    LsuReq *store = is_mine(u, req->original) ? (LsuReq *)(void *)req->original : NULL;
    ww_mem_release(req);
    if (store != NULL && store->fetched) {
        lsu_acknowledge(u, store, 0);
    }
}

void lsu_serve_misses(Lsu *u)
{
    serve_miss(u, &u->textures, OF_TEXTURES);
    serve_miss(u, &u->constants, OF_CONSTANTS);
    serve_miss(u, &u->l1d, OF_L1D);
}

static void fill(Lsu *u, const WwPort *cache, uint32_t which, WwMemReq *req)
{
    WW_CACHE(cache)->fill(cache->peer, req, ww_now(u));
    u->end.missed[which] = WW_CACHE(cache)->peek(cache->peer) != NULL;
}

void lsu_see_textures(Lsu *u)
{
    u->end.missed[OF_TEXTURES] = WW_CACHE(&u->textures)->peek(u->textures.peer) != NULL;
}

/* ---- responses ----------------------------------------------------------------------------- */

/* What a response came to in the L2: an access of an instruction's, or a part of one. */
static __attribute__((noinline)) void tell_l2(Lsu *u, const WwMemReq *req)
{
    const WwMemReq *whole = is_mine(u, req) ? req : req->original;
    if ((req->l2 & WW_L2_ACCESS) && is_mine(u, whole) && req->type != WW_ACCESS_L1_WR_ALLOC_R) {
        WW_PCS(&u->pcs)->l2(u->pcs.peer, ((const LsuReq *)(const void *)whole)->number,
                            (req->l2 & WW_L2_HIT) != 0);
    }
}

static WwMemReq *take(Lsu *u)
{
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_take(&u->mem_in);
    WW_LOG(u, &lsu_events[LOG_RESPONSE], req->warp, WW_PART(req));
    if (G_UNLIKELY(WW_BOUND(&u->pcs))) {
        tell_l2(u, req);
    }
    return req;
}

/* One of the parts into which the next level split a request; the last one answers it. */
static void take_part(Lsu *u, WwMemReq *part)
{
    LsuReq *whole = (LsuReq *)(void *)part->original;
    ww_mem_release(part);
    whole->parts--;
    if (whole->req.write) {
        lsu_acknowledge(u, whole, whole->parts);
    } else if (whole->parts == 0) {
        serve_load(u, whole);
    }
}

/* A response that no cache waits for. */
static void take_answer(Lsu *u, WwMemReq *req)
{
    if (!is_mine(u, req)) {
        take_part(u, req);
    } else if (req->write) {
        lsu_acknowledge(u, (LsuReq *)(void *)req, 0);
    } else {
        serve_load(u, (LsuReq *)(void *)req);
    }
}

static inline bool awaits(const WwCacheFacts *cache, const WwMemReq *req)
{
    return cache != NULL && ww_cache_awaits(cache, req);
}

void lsu_take_response(Lsu *u)
{
    if (!WW_BOUND(&u->mem_in) || !ww_fifo_ready(&u->mem_in)) {
        return;
    }
    const WwMemReq *req = (const WwMemReq *)(uintptr_t)ww_fifo_peek(&u->mem_in);
    const WwPort *cache = awaits(u->l1d_facts, req)       ? &u->l1d
                          : awaits(u->texture_facts, req) ? &u->textures
                                                          : NULL;
    if (cache != NULL && !req->write) {
        if (WW_CACHE(cache)->port_free(cache->peer, WW_CACHE_FILL_PORT)) {
            fill(u, cache, cache == &u->l1d ? OF_L1D : OF_TEXTURES, take(u));
        }
    } else if (is_mine(u, req) || is_mine(u, req->original)) {
        take_answer(u, take(u));
    } else {
        ww_fifo_take(&u->mem_in);
        u->counts.strays++;
    }
}

/* ---- what the link to the SM's cache brings ------------------------------------------------ */

static bool refill_awaits(void *self, const WwMemReq *response)
{
    return awaits(((Lsu *)self)->constant_facts, response);
}

static bool refill_ready(void *self)
{
    Lsu *u = self;
    return WW_CACHE(&u->constants)->port_free(u->constants.peer, WW_CACHE_FILL_PORT);
}

static void refill_fill(void *self, WwMemReq *response)
{
    Lsu *u = self;
    fill(u, &u->constants, OF_CONSTANTS, response);
    ww_wake(&u->wake);
}

static void refill_clear(void *self) {}

const WwRefillIf lsu_refill_table = {
    .awaits = refill_awaits,
    .ready = refill_ready,
    .fill = refill_fill,
    .clear = refill_clear,
};

/* ---- results ------------------------------------------------------------------------------- */

static void leaves_unit(Lsu *u, bool shared)
{
    uint32_t *inside = shared ? &u->table.inside_shared : &u->table.inside;
    (*inside)--;
}

void lsu_retire(Lsu *u, uint32_t entry)
{
    const LsuEntry *e = &u->table.entry[entry];
    WwInst *inst = e->inst;
    leaves_unit(u, lsu_is_shared(e));
    lsu_release(u, entry);
    WW_LOG(u, &lsu_events[LOG_RETIRE], inst->warp, WW_PART(inst));
    if (G_UNLIKELY(WW_BOUND(&u->ends))) {
        WW_INST_ENDS(&u->ends)->finish(u->ends.peer, inst, WW_END_ALL);
    } else {
        WW_WARPS(&u->warps)->finish(u->warps.peer, inst, WW_END_ALL);
    }
}

static uint32_t take_done(Lsu *u, LsuList *done)
{
    u->table.n_done--;
    return lsu_list_take(done);
}

/* The next of @p core that has a result; those before it are over. */
static WwInst *next_result(Lsu *u, uint32_t core)
{
    LsuList *done = &u->table.done[core];
    while (done->ring.n != 0) {
        uint32_t entry = take_done(u, done);
        LsuEntry *e = &u->table.entry[entry];
        WwInst *inst = e->inst;
        if (!e->nothing && !lsu_is_store(e)) {
            lsu_release(u, entry);
            return inst;
        }
        lsu_retire(u, entry);
    }
    return NULL;
}

static void give_result(Lsu *u, uint32_t core)
{
    LsuEnd *d = &u->end;
    if (d->result[core] == NULL) {
        d->result[core] = next_result(u, core);
        d->results += d->result[core] != NULL;
    }
    WwInst *inst = d->result[core];
    if (inst == NULL) {
        return;
    }
    int slot = ww_regs_free(&u->out[core], core);
    if (slot < 0) {
        u->counts.result_waits++;
        return;
    }
    leaves_unit(u, inst->timing->space == WW_SPACE_SHARED);
    ww_regs_put_in(u->out[core].peer, slot, inst);
    u->counts.results++;
    d->result[core] = NULL;
    d->results--;
}

/* The data of an asynchronous copy set out for shared memory. */
static void begin_copy(Lsu *u)
{
    LsuEnd *d = &u->end;
    LsuList *done = &u->table.done[u->n_in];
    if (done->ring.n == 0) {
        return;
    }
    uint32_t entry = take_done(u, done);
    LsuEntry *e = &u->table.entry[entry];
    *e = (LsuEntry){.inst = e->inst, .storing = true};
    d->copy[ww_ring_put(&d->copies)] = (LsuCopy){(uint16_t)entry, u->cycle + d->copy_cycles};
    u->table.inside--;
    u->table.inside_shared++;
    u->counts.copies++;
    WW_LOG(u, &lsu_events[LOG_COPY], e->inst->warp, WW_PART(e->inst));
}

void lsu_write_back(Lsu *u)
{
    LsuEnd *d = &u->end;
    const uint32_t first = d->turn;
    d->turn = lsu_in_turn(first, 1, u->n_in + 1);
    if (d->results + u->table.n_done == 0) {
        return;
    }
    for (uint32_t i = 0; i <= u->n_in; i++) {
        uint32_t who = lsu_in_turn(first, i, u->n_in + 1);
        if (who < u->n_in) {
            give_result(u, who);
        } else {
            begin_copy(u);
        }
    }
}
