/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end of the LD/ST unit: responses, the arbiter of five clients, the write-back register.
 *
 * At most one response leaves the response queue and one client supplies the write-back register
 * in a cycle; what was supplied in cycle x is finished in cycle x + 1 at the earliest, later when
 * another result takes the register bank it needs. A load with four accesses passes here four
 * times, less those that the L1D had, and completes with the last. What the L1D missed goes back
 * through it; the rest is held in one register on its way.
 */
#include "ldst-priv.h"

static inline uint32_t lanes_of(const LdstReq *r)
{
    return (uint32_t)__builtin_popcount(r->req.lanes);
}

static void release_register(Ldst *u, WwInst *inst, uint32_t warp, uint32_t reg)
{
    WW_EVENT(u, "writeback", warp, "R%u", reg - 1);
    WW_SCOREBOARD(&u->hazard)->release(u->hazard.peer, warp, reg);
    WW_WARPS(&u->warps)->complete(u->warps.peer, inst);
}

static void copy_forget(Ldst *u, uint32_t warp, LdstCopy *copy)
{
    LdstCopy **p = &u->copy[warp];
    while (*p != copy) {
        p = &(*p)->next;
    }
    *p = copy->next;
    ww_pool_give(&u->copies, copy);
}

bool ldst_copy_returned(Ldst *u, LdstFlight *f)
{
    if (--f->copy->left != 0) {
        return false;
    }
    copy_forget(u, f->warp, f->copy);
    WW_EVENT(u, "writeback", f->warp, "asynchronous copy pc=%" G_GINT64_MODIFIER "x", f->pc);
    return true;
}

void ldst_access_done(Ldst *u, LdstFlight *f, bool counts)
{
    WwInst *inst = f->inst;
    f->left--;
    if (f->dst != 0) {
        if (f->left == 0) {
            release_register(u, inst, f->warp, f->dst);
        }
    } else if (f->copy != NULL && ldst_copy_returned(u, f)) {
        if (counts) {
            WW_WARPS(&u->warps)->complete(u->warps.peer, inst);
        }
        WW_BARRIERS(&u->barriers)->async_done(u->barriers.peer, f->warp, f->pc, f->addr);
    }
    if (f->left == 0) {
        WW_WARPS(&u->warps)->release(u->warps.peer, inst);
        ww_pool_give(&u->flights, f);
    }
}

void ldst_acknowledge(Ldst *u, LdstReq *r, uint32_t left)
{
    uint32_t n = r->acks > left ? r->acks - left : 0;
    if (n != 0) {
        r->acks = (uint8_t)left;
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, -(int32_t)n);
    }
    if (left == 0) {
        ldst_request_end(u, r);
    }
}

/* Finishes what the write-back register holds. */
static void finish_access(Ldst *u)
{
    WwInst *inst = u->wb;
    u->wb = NULL;
    u->n_writeback++;
    if (u->wb_flight != NULL) {
        ldst_access_done(u, u->wb_flight, u->count_ldgsts_twice && !u->wb_hit);
        return;
    }
    if (u->wb_dst != 0) {
        release_register(u, inst, inst->warp, u->wb_dst);
    }
    WW_WARPS(&u->warps)->release(u->warps.peer, inst);
}

static inline bool shared_ready(const Ldst *u)
{
    return u->pipe.n != 0 && u->stage[ww_ring_first(&u->pipe)].due <= u->cycle;
}

static void supply_shared(Ldst *u)
{
    WwInst *inst = u->stage[ww_ring_take(&u->pipe)].inst;
    if (inst->s->flags & WW_INST_ATOMIC) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, inst->warp, -(int32_t)ww_inst_lanes(inst));
    }
    WW_WARPS(&u->warps)->leave(u->warps.peer, inst->warp);
    u->wb = inst;
    u->wb_flight = NULL;
    u->wb_dst = ldst_destination(u, inst);
}

/* An access of a load goes to the write-back register; its request ends. */
static void supply_access(Ldst *u, LdstReq *r)
{
    u->wb = r->flight->inst;
    u->wb_flight = r->flight;
    u->wb_dst = r->flight->dst;
    u->wb_hit = r->hit;
    ldst_request_end(u, r);
}

static void supply_global(Ldst *u)
{
    LdstReq *r = u->next_global;
    u->next_global = NULL;
    if (r->req.atomic) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, r->req.warp, -(int32_t)lanes_of(r));
    }
    supply_access(u, r);
}

static void supply_hit(Ldst *u)
{
    supply_access(u, u->hit[ww_ring_take(&u->hits)]);
}

static inline bool is_mine(const Ldst *u, const WwMemReq *req)
{
    return req != NULL && req->owner == &u->owner;
}

/*
 * The next access of a completed miss. What a cache read to allocate a line for a store is
 * nobody's: it passes without filling the register, and with it goes a store that waited for it.
 */
static void supply_l1d(Ldst *u)
{
    WwMemReq *req = WW_CACHE(&u->l1d)->take(u->l1d.peer);
    u->l1_ready = WW_CACHE(&u->l1d)->peek(u->l1d.peer) != NULL;
    if (is_mine(u, req)) {
        supply_access(u, (LdstReq *)req);
        return;
    }
    LdstReq *store = is_mine(u, req->original) ? (LdstReq *)req->original : NULL;
    ww_mem_release(req);
    if (store != NULL && store->fetched) {
        ldst_acknowledge(u, store, 0);
    }
}

static void supply(Ldst *u, uint32_t client)
{
    u->arb = client + 1 == LDST_N_CLIENTS ? 0 : client + 1;
    if (client == LDST_CLIENT_SHARED) {
        supply_shared(u);
    } else if (client == LDST_CLIENT_GLOBAL) {
        supply_global(u);
    } else if (client == LDST_CLIENT_HITS) {
        supply_hit(u);
    } else {
        supply_l1d(u);
    }
    if (u->wb != NULL) {
        u->wb->written = 0; /* each access is a fresh write */
    }
}

void ldst_write_back(Ldst *u)
{
    if (u->wb != NULL) {
        if (u->wb_dst != 0 && !WW_REGISTER_BANKS(&u->banks)->write(u->banks.peer, u->wb)) {
            u->n_writeback_blocked++;
            return;
        }
        finish_access(u);
    }
    uint32_t ready = (uint32_t)shared_ready(u) << LDST_CLIENT_SHARED |
                     (uint32_t)(u->hits.n != 0) << LDST_CLIENT_HITS |
                     (uint32_t)(u->next_global != NULL) << LDST_CLIENT_GLOBAL |
                     (uint32_t)u->l1_ready << LDST_CLIENT_L1D;
    if (ready == 0) {
        return;
    }
    /* the first ready client at or after `arb`, around the ring */
    uint32_t before = ready & ((1u << u->arb) - 1), after = ready & ~before;
    supply(u, (uint32_t)__builtin_ctz(after != 0 ? after : before));
    if (u->wb == NULL && after != 0 && before != 0) {
        supply(u, (uint32_t)__builtin_ctz(before)); /* the L1D, last of the ring, had nobody's */
    }
}

/* One of the parts into which the next level split a request; the last one answers it. */
static void take_part(Ldst *u, WwMemReq *part)
{
    LdstReq *whole = (LdstReq *)part->original;
    ww_mem_release(part);
    whole->parts--;
    if (whole->flight == NULL) {
        ldst_acknowledge(u, whole, whole->parts);
    } else if (whole->parts == 0) {
        u->next_global = whole;
    }
}

/* A response to an access that went past the L1D. */
static void take_bypassed(Ldst *u, WwMemReq *req)
{
    ww_fifo_take(&u->mem_in);
    WW_EVENT(u, "response", req->warp, "%s addr=%" G_GINT64_MODIFIER "x",
             req->write ? "store" : "load", req->addr);
    if (!is_mine(u, req)) {
        take_part(u, req);
    } else if (req->write) {
        ldst_acknowledge(u, (LdstReq *)req, 0);
    } else {
        u->next_global = (LdstReq *)req;
    }
}

static inline bool bypassed(const Ldst *u, const WwMemReq *req)
{
    return u->l1 == NULL || req->bypass_l1 ||
           (u->gmem_skip_l1 &&
            (req->type == WW_ACCESS_GLOBAL_R || req->type == WW_ACCESS_GLOBAL_W));
}

static void fill_l1d(Ldst *u, WwMemReq *req)
{
    if (!WW_CACHE(&u->l1d)->port_free(u->l1d.peer, WW_CACHE_FILL_PORT)) {
        return;
    }
    ww_fifo_take(&u->mem_in);
    WW_EVENT(u, "response", req->warp, "fill addr=%" G_GINT64_MODIFIER "x", req->addr);
    WW_CACHE(&u->l1d)->fill(u->l1d.peer, req, ww_now(u));
    u->l1_ready = WW_CACHE(&u->l1d)->peek(u->l1d.peer) != NULL;
}

void ldst_take_response(Ldst *u)
{
    if (!WW_BOUND(&u->mem_in) || !ww_fifo_ready(&u->mem_in)) {
        return;
    }
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_peek(&u->mem_in);
    bool mine = is_mine(u, req) || is_mine(u, req->original);
    if (!mine && !(u->l1 != NULL && ww_cache_awaits(u->l1, req))) {
        ww_fifo_take(&u->mem_in);
        u->n_stray++;
    } else if (req->write) {
        take_bypassed(u, req);
    } else if (!bypassed(u, req)) {
        fill_l1d(u, req);
    } else if (u->next_global == NULL) {
        take_bypassed(u, req);
    }
}
