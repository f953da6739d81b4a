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
    return ww_ones32(r->req.lanes);
}

void ldst_wb_init(LdstWriteback *wb, void *self, uint32_t hits)
{
    uint32_t slots = ww_ring_init(&wb->hit_ring, hits);
    wb->hits = wb->hits_write_back ? ww_alloc(self, slots * sizeof(LdstReq *)) : NULL;
}

void ldst_wb_reset(LdstWriteback *wb)
{
    wb->inst = NULL;
    wb->flight = NULL;
    wb->dst = 0;
    wb->first = 0;
    wb->missed = false;
    wb->held = NULL;
    ww_ring_clear(&wb->hit_ring);
}

uint32_t ldst_register_done(Ldst *u, const WwInst *inst, uint32_t reg)
{
    static const WwEventWord word = WW_WORD("register");
    WW_LOG(u, &ldst_events[LOG_WRITEBACK], inst->warp, inst->uid, WW_SAY(&word), reg - 1);
    return WW_END_DATA | WW_END_COUNT;
}

/* Finishes what the write-back register holds. */
static void finish_access(Ldst *u)
{
    LdstWriteback *wb = &u->wb;
    WwInst *inst = wb->inst;
    wb->inst = NULL;
    u->counts.n_writeback++;
    if (wb->flight != NULL) {
        ldst_access_done(u, wb->flight, wb->count_ldgsts_twice && !wb->hit);
        return;
    }
    uint32_t ends = wb->dst != 0 ? ldst_register_done(u, inst, wb->dst) : 0;
    ldst_finish(u, inst, ends | WW_END_RECORD);
}

static inline bool shared_ready(const Ldst *u)
{
    return u->shared.pipe.n != 0 && ldst_shared_due(&u->shared) <= u->cycle;
}

static void supply_shared(Ldst *u)
{
    WwInst *inst = ldst_shared_take(&u->shared);
    if (inst->s->flags & WW_INST_ATOMIC) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, inst->warp, -(int32_t)ww_inst_lanes(inst));
    }
    ldst_finish(u, inst, WW_END_PIPELINE);
    u->wb.inst = inst;
    u->wb.flight = NULL;
    u->wb.dst = ldst_destination(u, inst);
}

/* An access of a load goes to the write-back register; its request ends. */
static void supply_access(Ldst *u, LdstReq *r)
{
    u->wb.inst = r->flight->inst;
    u->wb.flight = r->flight;
    u->wb.dst = r->flight->dst;
    u->wb.hit = r->hit;
    ldst_log_done(u, r);
    ldst_request_end(u, r);
}

static void supply_global(Ldst *u)
{
    LdstReq *r = u->wb.held;
    u->wb.held = NULL;
    if (r->req.atomic) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, r->req.warp, -(int32_t)lanes_of(r));
    }
    supply_access(u, r);
}

static void supply_hit(Ldst *u)
{
    supply_access(u, u->wb.hits[ww_ring_take(&u->wb.hit_ring)]);
}

static inline bool is_mine(const Ldst *u, const WwMemReq *req)
{
    return req != NULL && req->owner == &u->pending.owner;
}

/*
 * The next access of a completed miss. What a cache read to allocate a line for a store is
 * nobody's: it passes without filling the register, and with it goes a store that waited for it.
 */
static void supply_l1d(Ldst *u)
{
    WwMemReq *req = WW_CACHE(&u->l1d)->take(u->l1d.peer);
    u->wb.missed = WW_CACHE(&u->l1d)->peek(u->l1d.peer) != NULL;
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
    u->wb.first = client + 1 == LDST_N_CLIENTS ? 0 : client + 1;
    if (client == LDST_CLIENT_SHARED) {
        supply_shared(u);
    } else if (client == LDST_CLIENT_GLOBAL) {
        supply_global(u);
    } else if (client == LDST_CLIENT_HITS) {
        supply_hit(u);
    } else {
        supply_l1d(u);
    }
}

void ldst_write_back(Ldst *u)
{
    LdstWriteback *wb = &u->wb;
    if (wb->inst != NULL) {
        if (wb->dst != 0 && WW_BOUND(&u->banks) &&
            !WW_REGISTER_BANKS(&u->banks)->write(u->banks.peer, wb->inst)) {
            u->counts.n_writeback_blocked++;
            return;
        }
        finish_access(u);
    }
    uint32_t ready = (uint32_t)shared_ready(u) << LDST_CLIENT_SHARED |
                     (uint32_t)(wb->hit_ring.n != 0) << LDST_CLIENT_HITS |
                     (uint32_t)(wb->held != NULL) << LDST_CLIENT_GLOBAL |
                     (uint32_t)wb->missed << LDST_CLIENT_L1D;
    if (ready == 0) {
        return;
    }
    /* the first ready client at or after `first`, around the ring */
    uint32_t before = ready & ((1u << wb->first) - 1), after = ready & ~before;
    supply(u, (uint32_t)__builtin_ctz(after != 0 ? after : before));
    if (wb->inst == NULL && after != 0 && before != 0) {
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
        u->wb.held = whole;
    }
}

/* What a response that was taken came to in the L2: an access of an instruction's, or a part of one. */
static __attribute__((noinline)) void tell_l2(Ldst *u, const WwMemReq *req)
{
    const WwMemReq *whole = is_mine(u, req) ? req : req->original;
    if ((req->l2 & WW_L2_ACCESS) && is_mine(u, whole) && req->type != WW_ACCESS_L1_WR_ALLOC_R) {
        WW_PCS(&u->pcs)->l2(u->pcs.peer, ((const LdstReq *)whole)->number,
                            (req->l2 & WW_L2_HIT) != 0);
    }
}

/* A response to an access that went past the L1D. */
static void take_bypassed(Ldst *u, WwMemReq *req)
{
    ww_fifo_take(&u->mem_in);
    WW_LOG(u, &ldst_events[LOG_RESPONSE], req->warp, WW_PART(req));
    if (G_UNLIKELY(WW_BOUND(&u->pcs))) {
        tell_l2(u, req);
    }
    if (!is_mine(u, req)) {
        take_part(u, req);
    } else if (req->write) {
        ldst_acknowledge(u, (LdstReq *)req, 0);
    } else {
        u->wb.held = (LdstReq *)req;
    }
}

static inline bool bypassed(const Ldst *u, const WwMemReq *req)
{
    return u->l1.facts == NULL || req->bypass_l1 ||
           (u->coalescing.rule.skip_l1 &&
            (req->type == WW_ACCESS_GLOBAL_R || req->type == WW_ACCESS_GLOBAL_W));
}

static void fill_l1d(Ldst *u, WwMemReq *req)
{
    if (!WW_CACHE(&u->l1d)->port_free(u->l1d.peer, WW_CACHE_FILL_PORT)) {
        return;
    }
    ww_fifo_take(&u->mem_in);
    WW_LOG(u, &ldst_events[LOG_RESPONSE], req->warp, WW_PART(req));
    if (G_UNLIKELY(WW_BOUND(&u->pcs))) {
        tell_l2(u, req);
    }
    WW_CACHE(&u->l1d)->fill(u->l1d.peer, req, ww_now(u));
    u->wb.missed = WW_CACHE(&u->l1d)->peek(u->l1d.peer) != NULL;
}

void ldst_take_response(Ldst *u)
{
    if (!ww_fifo_ready(&u->mem_in)) {
        return;
    }
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_peek(&u->mem_in);
    bool mine = is_mine(u, req) || is_mine(u, req->original);
    if (G_UNLIKELY(u->l1.whole_lines) && req->original != NULL && req->size != u->l1.facts->atom) {
        ldst_l1_part(u, req);
    } else if (!mine && !(u->l1.facts != NULL && ww_cache_awaits(u->l1.facts, req))) {
        ww_fifo_take(&u->mem_in);
        u->counts.n_stray++;
    } else if (req->write) {
        take_bypassed(u, req);
    } else if (!bypassed(u, req)) {
        fill_l1d(u, req);
    } else if (u->wb.held == NULL) {
        take_bypassed(u, req);
    }
}
