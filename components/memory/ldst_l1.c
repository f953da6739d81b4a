/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LD/ST unit in front of a first-level data cache.
 *
 *     dispatch register -> [ latency queue of each bank ] -> L1D -+-> hit: done here
 *                                                                 +-> miss: MSHR, miss queue
 *
 * Up to l1_banks accesses enter in a cycle, at most one a bank; an access that enters in cycle d
 * is looked up in cycle d + l1_latency. A hit finishes a load at once: neither the write-back
 * register nor a register bank is asked, unless hits_write_back. What the cache refuses stays at the exit of its bank
 * and is tried again in every cycle (the cache counts each try), while the accesses behind close
 * up.
 *
 * A store counts as outstanding from when it enters; it is acknowledged by the next level if it
 * was forwarded, here if the cache keeps it.
 */
#include "bank-priv.h"
#include "ldst-priv.h"

/* The cache took a store: who will acknowledge it? */
static void store_accepted(Ldst *u, LdstReq *r, bool hit, uint32_t sent)
{
    if ((sent & WW_CACHE_SENT_WRITE) != 0) {
        return; /* the next level */
    }
    bool fetches = (sent & WW_CACHE_SENT_WRITE_ALLOC) != 0;
    bool kept = u->l1->write != WW_WRITE_THROUGH &&
                (u->l1->allocate == WW_ALLOCATE_FETCH || u->l1->allocate == WW_ALLOCATE_LAZY);
    if (hit || (kept && !fetches)) {
        ldst_acknowledge(u, r, 0);
    } else {
        r->fetched = true; /* when its line is there */
    }
}

static WwCacheResult access_cache(Ldst *u, LdstReq *r, uint32_t *sent)
{
    *sent = 0;
    WwCacheResult result = WW_CACHE(&u->l1d)->access(u->l1d.peer, &r->req, ww_now(u), sent);
    if (result != WW_CACHE_RESERVATION_FAIL) {
        WW_EVENT(u, "l1d", r->req.warp, "%s %s addr=%" G_GINT64_MODIFIER "x",
                 r->flight == NULL ? "store" : "load", result == WW_CACHE_HIT ? "hit" : "miss",
                 r->req.addr);
    }
    return result;
}

/* False: the cache cannot take it now. */
static bool look_up(Ldst *u, LdstReq *r)
{
    uint32_t sent;
    if (u->hits.n == u->l1_banks && r->flight != NULL) {
        return false; /* a hit would have no place */
    }
    WwCacheResult result = access_cache(u, r, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        return false;
    }
    if (r->flight == NULL) {
        store_accepted(u, r, result == WW_CACHE_HIT, sent);
    } else if (result == WW_CACHE_HIT && u->hits_write_back) {
        r->hit = true;
        u->hit[ww_ring_put(&u->hits)] = r;
    } else if (result == WW_CACHE_HIT) {
        LdstFlight *f = r->flight;
        ldst_request_end(u, r);
        ldst_access_done(u, f, false);
    }
    return true;
}

void ldst_l1_look_up(Ldst *u)
{
    if (u->cycle < u->l1_next) {
        return;
    }
    uint64_t next = WW_NEVER;
    for (uint64_t m = u->l1_queued; m != 0; m &= m - 1) {
        LdstBank *b = &u->bank[__builtin_ctzll(m)];
        const LdstQueued *first = &b->queued[ww_ring_first(&b->ring)];
        if (first->due + b->held > u->cycle) {
            /* not yet */
        } else if (!look_up(u, first->req)) {
            b->held += !u->l1_queues_close_up;
        } else {
            ww_ring_take(&b->ring);
            if (b->ring.n == 0) {
                u->l1_queued &= ~(m & -m);
                continue;
            }
        }
        next = MIN(next, MAX(b->queued[ww_ring_first(&b->ring)].due + b->held, u->cycle + 1));
    }
    u->l1_next = next;
}

static void enter(Ldst *u, LdstBank *b)
{
    LdstReq *r = ldst_request(u);
    uint64_t due = u->cycle + u->l1_latency;
    b->queued[ww_ring_put(&b->ring)] = (LdstQueued){r, due - b->held};
    b->last = u->cycle;
    u->l1_queued |= 1ull << (b - u->bank);
    u->l1_next = MIN(u->l1_next, due);
    if (r->flight == NULL) {
        r->acks = u->l1->mshr_sectors != 0 ? (uint8_t)(r->req.size / 32) : 1;
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, r->acks);
    }
    u->d.n--;
}

/*
 * A quirk of the reference: the request is made, and so placed by the address map, before it is seen that there is no room for it. Only
 * a map that places at random can tell.
 */
static void place_in_vain(Ldst *u, uint64_t addr)
{
    WwAddress unused;
    if (u->places_unsent && addr != u->l1_placed && WW_BOUND(&u->address_map)) {
        u->l1_placed = addr;
        WW_ADDRESS_MAP(&u->address_map)->decode(u->address_map.peer, addr, &unused);
    }
}

/* Is the entry stage of the bank's queue taken? */
static inline bool entry_taken(const Ldst *u, const LdstBank *b)
{
    if (u->l1_queues_close_up) {
        return b->ring.n == u->l1_latency || b->last == u->cycle;
    }
    const LdstQueued *last = &b->queued[ww_ring_slot(&b->ring, b->ring.n - 1)];
    return b->ring.n != 0 && last->due + b->held >= u->cycle + u->l1_latency;
}

/* Accesses enter the latency queues until one finds its bank's entry stage taken. */
static bool serve_queues(Ldst *u)
{
    for (uint32_t k = 0; k < u->l1_banks && u->d.n != 0; k++) {
        uint64_t addr = u->d.access[u->d.n - 1].addr;
        LdstBank *b = &u->bank[bank_hash((BankHash)u->l1_hash, addr, u->l1_shift, u->l1_banks)];
        if (entry_taken(u, b)) {
            u->n_l1cache_bkconflict++;
            place_in_vain(u, addr);
            ldst_count_stall(u, ldst_kind(u->d.inst), LDST_STALL_BANK, 1);
            return false;
        }
        enter(u, b);
    }
    if (u->d.n != 0) {
        ldst_count_stall(u, ldst_kind(u->d.inst), LDST_STALL_COALESCING, 1);
    }
    return u->d.n == 0;
}

/* Without latency: a hit leaves the register to the retirement of the whole instruction. */
static void direct_hit(Ldst *u, LdstReq *r, uint32_t sent)
{
    if (r->flight != NULL) {
        r->flight->left--;
        if (r->flight->copy != NULL && ldst_copy_returned(u, r->flight)) {
            WW_BARRIERS(&u->barriers)
                ->async_done(u->barriers.peer, r->req.warp, r->flight->pc, r->flight->addr);
        }
    }
    if ((sent & WW_CACHE_SENT_WRITE) == 0) {
        ldst_request_end(u, r);
    }
}

/* l1_latency = 0: one access a cycle, straight into the cache; only a forwarded store counts. */
static bool serve_directly(Ldst *u)
{
    uint32_t sent;
    LdstKind kind = ldst_kind(u->d.inst);
    if (!WW_CACHE(&u->l1d)->port_free(u->l1d.peer, WW_CACHE_DATA_PORT)) {
        ldst_count_stall(u, kind, LDST_STALL_DATA_PORT, 1);
        return false;
    }
    LdstReq *r = ldst_request(u);
    WwCacheResult result = access_cache(u, r, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        u->serial--;
        ldst_request_end(u, r);
        ldst_count_stall(u, kind, LDST_STALL_BANK, 1);
        return false;
    }
    u->d.n--;
    if ((sent & WW_CACHE_SENT_WRITE) != 0) {
        r->acks = u->l1->mshr_sectors != 0 ? (uint8_t)(r->req.size / 32) : 1;
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, r->acks);
    }
    if (result == WW_CACHE_HIT) {
        direct_hit(u, r, sent);
    } else if (r->flight == NULL) {
        store_accepted(u, r, false, sent);
    }
    if (u->d.n != 0) {
        ldst_count_stall(u, kind, LDST_STALL_COALESCING, 1);
    }
    return u->d.n == 0;
}

bool ldst_l1_serve(Ldst *u)
{
    return u->l1_latency != 0 ? serve_queues(u) : serve_directly(u);
}
