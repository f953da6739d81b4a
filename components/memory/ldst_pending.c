/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the LD/ST unit waits for: the requests that it has made, the loads with accesses out, the
 * keys of asynchronous copies, the acknowledgements of stores.
 */
#include "ldst-priv.h"
#include <ports/req_pool.h>

/* A request that ends elsewhere than in a response. */
static void release(WwMemOwner *owner, WwMemReq *req)
{
    LdstPending *p = (LdstPending *)(void *)((char *)owner - offsetof(LdstPending, owner));
    if (G_UNLIKELY(!ww_pool_is_used(req))) {
        ww_mem_released_twice(p->reqs.owner, req);
        return;
    }
    ldst_log_done((const Ldst *)(void *)((char *)p - offsetof(Ldst, pending)), (LdstReq *)req);
    ldst_request_free(p, (LdstReq *)req);
}

void ldst_tell_end(Ldst *u, const LdstReq *r)
{
    WW_PCS(&u->pcs)->done(u->pcs.peer, r->number, ww_mem_since(r->req.birth, ww_now(u)));
}

void ldst_pending_init(LdstPending *p, void *self)
{
    p->owner.release = release;
    ww_pool_init(&p->reqs, self, sizeof(LdstReq));
    ww_pool_init(&p->flights, self, sizeof(LdstFlight));
    ww_pool_init(&p->copies, self, sizeof(LdstCopy));
}

void ldst_pending_reset(LdstPending *p)
{
    p->serial = 0;
    p->outstanding = 0;
    for (uint32_t i = 0; p->copy != NULL && i < WW_MAX_WARPS; i++) {
        p->copy[i] = NULL;
    }
    ww_pool_reset(&p->reqs);
    ww_pool_reset(&p->flights);
    ww_pool_reset(&p->copies);
}

/* ---- requests ------------------------------------------------------------------------------ */

static WwAccessType access_type(const WwInst *inst, bool write)
{
    if (inst->space == WW_SPACE_LOCAL) {
        return write ? WW_ACCESS_LOCAL_W : WW_ACCESS_LOCAL_R;
    }
    return write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
}

/* Of the kernel that hardware warp @p warp belongs to. */
static uint64_t stream_of(const Ldst *u, uint32_t warp)
{
    const WwKernel *k = WW_WARPS(&u->warps)->view(u->warps.peer)->warp[warp].kernel;
    return k != NULL ? k->stream : 0;
}

/* Does its warp stay until the access in hand is answered? Stores and atomics are counted; of loads the registers are. */
static bool is_awaited(const Ldst *u, const WwInst *inst, bool write)
{
    return write || (inst->s->flags & WW_INST_ATOMIC) != 0 ||
           (inst->s->ndst != 0 && (inst->s->flags & WW_INST_LDGSTS) == 0 &&
            WW_WARPS(&u->warps)->view(u->warps.peer)->keeps_loads);
}

void ldst_prepare(Ldst *u)
{
    const LdstDispatch *d = &u->dispatch;
    WwInst *inst = d->inst;
    bool write = d->flight == NULL;
    const WwCtaView *view = WW_CTAS(&u->ctas)->view(u->ctas.peer);
    u->dispatch.made = (LdstReq){.req = {.inst = write ? &u->pending.stored : inst,
                                         .owner = &u->pending.owner,
                                         .uid = inst->uid,
                                         .stream = stream_of(u, inst->warp),
                                         .sm = (uint16_t)view->sm,
                                         .cluster = (uint16_t)view->cluster,
                                         .warp = inst->warp,
                                         .type = (uint8_t)access_type(inst, write),
                                         .write = write,
                                         .awaited = is_awaited(u, inst, write),
                                         .atomic = !write && (inst->s->flags & WW_INST_ATOMIC) != 0,
                                         .bypass_l1 = (inst->s->flags & WW_INST_BYPASS_L1) != 0},
                                 .flight = d->flight};
}

LdstReq *ldst_request(Ldst *u)
{
    LdstPending *p = &u->pending;
    const LdstAccess *a = ldst_next_access(&u->dispatch);
    LdstReq *r = ww_pool_take(&p->reqs);
    ww_pool_fetch_next(&p->reqs);
    WwCycle now = ww_now(u);
    *r = u->dispatch.made;
    r->req.addr = a->addr;
    r->req.bytes = a->bytes;
    r->req.serial = p->serial++;
    r->req.size = a->size;
    r->req.lanes = a->lanes;
    r->req.sectors = a->sectors;
    r->req.birth = r->req.stamp = (uint32_t)now;
    r->parts = (uint8_t)(a->size / WW_SECTOR_BYTES);
    if (WW_BOUND(&u->address_map)) {
        ww_place(&u->placer, &u->address_map, a->addr, &r->req.at);
    }
    p->outstanding++;
    return r;
}

const WwMemReq *ldst_oldest_out(const LdstPending *p, GHashTable *set)
{
    const WwMemReq *oldest = NULL;
    uint32_t handle = 0;
    for (LdstReq *r; (r = ww_pool_next_used(&p->reqs, &handle)) != NULL;) {
        if (!g_hash_table_contains(set, r) && (oldest == NULL || r->req.serial < oldest->serial)) {
            oldest = &r->req;
        }
    }
    return oldest;
}

/* ---- asynchronous copies ------------------------------------------------------------------- */

static LdstCopy *copy_find(const LdstPending *p, uint32_t warp, uint64_t pc, uint64_t addr)
{
    LdstCopy *c = p->copy != NULL ? p->copy[warp] : NULL;
    while (c != NULL && (c->pc != (uint32_t)pc || c->addr != (uint32_t)addr)) {
        c = c->next;
    }
    return c;
}

bool ldst_copy_over(const LdstPending *p, uint32_t warp, uint64_t pc, uint64_t addr)
{
    return copy_find(p, warp, pc, addr) == NULL;
}

WW_COLD static void copies_make(LdstPending *p)
{
    p->copy = ww_alloc(p->copies.owner, WW_MAX_WARPS * sizeof(LdstCopy *));
}

static LdstCopy *copy_add(LdstPending *p, uint32_t warp, uint64_t pc, uint64_t addr, uint32_t n)
{
    LdstCopy *c = copy_find(p, warp, pc, addr);
    if (G_UNLIKELY(p->copy == NULL)) {
        copies_make(p);
    }
    if (c == NULL) {
        c = ww_pool_take(&p->copies);
        *c = (LdstCopy){.next = p->copy[warp], .pc = (uint32_t)pc, .addr = (uint32_t)addr};
        p->copy[warp] = c;
    }
    c->left += n;
    return c;
}

static void copy_forget(LdstPending *p, uint32_t warp, LdstCopy *copy)
{
    LdstCopy **at = &p->copy[warp];
    while (*at != copy) {
        at = &(*at)->next;
    }
    *at = copy->next;
    ww_pool_give(&p->copies, copy);
}

/* An access of an asynchronous copy has its data; true: it was the last of its key. */
static bool copy_returned(Ldst *u, LdstFlight *f)
{
    static const WwEventWord word = WW_WORD("shared");
    if (--f->copy->left != 0) {
        return false;
    }
    copy_forget(&u->pending, f->warp, f->copy);
    WW_LOG(u, &ldst_events[LOG_WRITEBACK], f->warp, f->inst->uid, WW_SAY(&word));
    return true;
}

/* ---- loads --------------------------------------------------------------------------------- */

LdstFlight *ldst_flight(Ldst *u)
{
    const LdstDispatch *d = &u->dispatch;
    WwInst *inst = d->inst;
    bool copies = (inst->s->flags & WW_INST_LDGSTS) != 0;
    LdstFlight *f = ww_pool_take(&u->pending.flights);
    *f = (LdstFlight){
        .inst = inst,
        .copy = copies ? copy_add(&u->pending, inst->warp, inst->s->pc, d->addr0, d->n) : NULL,
        .pc = inst->s->pc,
        .addr = d->addr0,
        .left = d->n,
        .dst = ldst_destination(u, inst),
        .warp = inst->warp};
    return f;
}

void ldst_access_done(Ldst *u, LdstFlight *f, bool counts)
{
    uint32_t ends = --f->left == 0 ? WW_END_RECORD : 0;
    if (f->dst != 0 && f->left == 0) {
        ends |= ldst_register_done(u, f->inst, f->dst);
    } else if (f->dst == 0 && f->copy != NULL && copy_returned(u, f)) {
        ends |= counts ? WW_END_COUNT : 0;
        ldst_copied(u, f->warp, f->pc, f->addr);
    }
    if (ends != 0) {
        ldst_finish(u, f->inst, ends);
    }
    if (f->left == 0) {
        ldst_flight_end(&u->pending, f);
    }
}

void ldst_access_done_early(Ldst *u, LdstFlight *f)
{
    f->left--;
    if (f->copy != NULL && copy_returned(u, f)) {
        ldst_copied(u, f->warp, f->pc, f->addr);
    }
}

/* ---- stores -------------------------------------------------------------------------------- */

void ldst_store_sent(Ldst *u, LdstReq *r, uint32_t acks)
{
    r->acks = (uint8_t)acks;
    WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, r->acks);
}

void ldst_acknowledge(Ldst *u, LdstReq *r, uint32_t left)
{
    uint32_t n = r->acks > left ? r->acks - left : 0;
    if (n != 0) {
        r->acks = (uint8_t)left;
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, -(int32_t)n);
    }
    if (left == 0) {
        ldst_log_done(u, r);
        ldst_request_end(u, r);
    }
}
