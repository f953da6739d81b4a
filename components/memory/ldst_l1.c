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
#include "ldst-priv.h"
#include "stores-priv.h"

#include <ports/hash.h>

WW_COLD static void never_over(Ldst *u, const LdstReq *r)
{
    g_autofree char *path = ww_path(u);
    ww_fail_run(
        u, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                       "%s: its L1D has write = through with write_allocate = fetch: the store at "
                       "%" G_GINT64_MODIFIER "x misses, and is neither sent on nor "
                       "acknowledged; expected another of the two, or stores that all hit",
                       path, r->req.addr));
}

/* A response to a part of a line, when all of it was asked for. */
WW_COLD void ldst_l1_part(Ldst *u, const WwMemReq *part)
{
    g_autofree char *path = ww_path(u);
    ww_fail_run(
        u, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                       "%s: its L1D has sector = false and mshr = assoc and waits for the %u bytes "
                       "at %" G_GINT64_MODIFIER "x at once, but an L2 of sectors answers "
                       "in parts of %u; expected sector = true or mshr = sector_assoc",
                       path, u->l1.facts->atom, part->original->addr, WW_SECTOR_BYTES));
}

static void store_accepted(Ldst *u, LdstReq *r, bool hit, uint32_t sent)
{
    StoreEnd end = store_end(u->l1.facts, hit, sent);
    if (G_UNLIKELY(u->l1.loses_stores) && end != STORE_SENT) {
        never_over(u, r);
    }
    if (end == STORE_KEPT) {
        ldst_acknowledge(u, r, 0);
    } else if (end == STORE_FETCHES) {
        r->fetched = true;
    }
}

static WwCacheResult access_cache(Ldst *u, LdstReq *r, uint32_t *sent)
{
    *sent = 0;
    WwCacheResult result = WW_CACHE(&u->l1d)->access(u->l1d.peer, &r->req, ww_now(u), sent);
    if (result != WW_CACHE_RESERVATION_FAIL && G_UNLIKELY(WW_BOUND(&u->pcs))) {
        WW_PCS(&u->pcs)->l1(u->pcs.peer, r->number, result == WW_CACHE_HIT);
    }
    return result;
}

/* False: the cache cannot take it now. */
static bool look_up(Ldst *u, LdstReq *r)
{
    uint32_t sent;
    if (u->wb.hit_ring.n == u->l1.banks && r->flight != NULL) {
        return false; /* a hit would have no place */
    }
    WwCacheResult result = access_cache(u, r, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        return false;
    }
    if (r->flight == NULL) {
        store_accepted(u, r, result == WW_CACHE_HIT, sent);
    } else if (result == WW_CACHE_HIT && u->wb.hits_write_back) {
        r->hit = true;
        ldst_wb_hit(&u->wb, r);
    } else if (result == WW_CACHE_HIT) {
        LdstFlight *f = r->flight;
        ldst_log_done(u, r);
        ldst_request_end(u, r);
        ldst_access_done(u, f, false);
    }
    return true;
}

void ldst_l1_look_up(Ldst *u)
{
    uint64_t next = WW_NEVER;
    for (uint64_t m = u->l1.queued; m != 0; m &= m - 1) {
        LdstBank *b = &u->l1.bank[__builtin_ctzll(m)];
        const LdstQueued *first = &b->queued[ww_ring_first(&b->ring)];
        if (first->due + b->held > u->cycle) {
            /* not yet */
        } else if (!look_up(u, first->req)) {
            b->held += !u->l1.queues_close_up;
        } else {
            ww_ring_take(&b->ring);
            if (b->ring.n == 0) {
                u->l1.queued &= ~(m & -m);
                continue;
            }
        }
        next = MIN(next, MAX(b->queued[ww_ring_first(&b->ring)].due + b->held, u->cycle + 1));
    }
    u->l1.next = next;
}

/* How many acknowledgements a store gets from below the L1D. */
static inline uint32_t acks_of(const LdstL1 *l1, const LdstReq *r)
{
    return l1->facts->mshr_sectors != 0 ? r->req.size / WW_SECTOR_BYTES : 1;
}

/* The first access. */
WW_COLD static void make_queues(Ldst *u)
{
    LdstL1 *l1 = &u->l1;
    size_t slots = (size_t)l1->bank[0].ring.mask + 1;
    LdstQueued *queued = ww_alloc(u, l1->banks * slots * sizeof *queued);
    for (uint32_t i = 0; i < l1->banks; i++) {
        l1->bank[i].queued = queued + i * slots;
    }
}

static void enter(Ldst *u, LdstBank *b)
{
    if (G_UNLIKELY(b->queued == NULL)) {
        make_queues(u);
    }
    LdstReq *r = ldst_request(u);
    WW_LOG(u, &ldst_events[LOG_REQUEST], r->req.warp, WW_PART(&r->req));
    uint64_t due = u->cycle + u->l1.latency;
    b->queued[ww_ring_put(&b->ring)] = (LdstQueued){r, due - b->held};
    b->last = u->cycle;
    u->l1.queued |= 1ull << (b - u->l1.bank);
    u->l1.next = MIN(u->l1.next, due);
    if (r->flight == NULL) {
        ldst_store_sent(u, r, acks_of(&u->l1, r));
    }
    ldst_sent(&u->dispatch);
}

/*
 * A quirk of the reference: the request is made, and so placed by the address map, before it is seen that there is no room for it. Only
 * a map that places at random can tell.
 */
static void place_in_vain(Ldst *u, uint64_t addr)
{
    WwAddress unused;
    if (u->l1.places_unsent && u->placer.early && addr != u->l1.placed &&
        WW_BOUND(&u->address_map)) {
        u->l1.placed = addr;
        WW_ADDRESS_MAP(&u->address_map)->decode(u->address_map.peer, addr, &unused);
    }
}

/* Its index has no bit that the last bank has not: of a number that is no power of two, some are never used. */
static inline uint32_t bank_of(const LdstL1 *l1, uint64_t addr)
{
    uint64_t block = addr >> l1->shift;
    uint32_t index = (uint32_t)block & (l1->banks - 1);
    return ww_hash_place((WwHash)l1->hash, block >> l1->bank_bits, index, l1->banks);
}

/* Is the entry stage of the bank's queue taken? */
static inline bool entry_taken(const Ldst *u, const LdstBank *b)
{
    if (u->l1.queues_close_up) {
        return b->ring.n == u->l1.latency || b->last == u->cycle;
    }
    if (b->ring.n == 0) {
        return false;
    }
    const LdstQueued *last = &b->queued[ww_ring_slot(&b->ring, b->ring.n - 1)];
    return last->due + b->held >= u->cycle + u->l1.latency;
}

/* Accesses enter the latency queues until one finds its bank's entry stage taken. */
static bool serve_queues(Ldst *u)
{
    for (uint32_t k = 0; k < u->l1.banks && u->dispatch.n != 0; k++) {
        uint64_t addr = ldst_next_access(&u->dispatch)->addr;
        LdstBank *b = &u->l1.bank[bank_of(&u->l1, addr)];
        if (entry_taken(u, b)) {
            u->counts.n_l1cache_bkconflict++;
            place_in_vain(u, addr);
            ldst_count_stall(&u->counts, ldst_kind(u->dispatch.inst), LDST_STALL_BANK, 1);
            return false;
        }
        enter(u, b);
    }
    if (u->dispatch.n != 0) {
        ldst_count_stall(&u->counts, ldst_kind(u->dispatch.inst), LDST_STALL_COALESCING, 1);
    }
    return u->dispatch.n == 0;
}

/* Without latency: a hit leaves the register to the retirement of the whole instruction. */
static void direct_hit(Ldst *u, LdstReq *r, uint32_t sent)
{
    if (r->flight != NULL) {
        ldst_access_done_early(u, r->flight);
    }
    if ((sent & WW_CACHE_SENT_WRITE) == 0) {
        ldst_log_done(u, r);
        ldst_request_end(u, r);
    }
}

/* l1_latency = 0: one access a cycle, straight into the cache; only a forwarded store counts. */
static bool serve_directly(Ldst *u)
{
    uint32_t sent;
    LdstKind kind = ldst_kind(u->dispatch.inst);
    if (!WW_CACHE(&u->l1d)->port_free(u->l1d.peer, WW_CACHE_DATA_PORT)) {
        ldst_count_stall(&u->counts, kind, LDST_STALL_DATA_PORT, 1);
        return false;
    }
    LdstReq *r = ldst_request(u);
    WwCacheResult result = access_cache(u, r, &sent);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        ldst_request_undo(&u->pending, r);
        ldst_count_stall(&u->counts, kind, LDST_STALL_BANK, 1);
        return false;
    }
    WW_LOG(u, &ldst_events[LOG_REQUEST], r->req.warp, WW_PART(&r->req));
    ldst_sent(&u->dispatch);
    if ((sent & WW_CACHE_SENT_WRITE) != 0) {
        ldst_store_sent(u, r, acks_of(&u->l1, r));
    }
    if (result == WW_CACHE_HIT) {
        direct_hit(u, r, sent);
    } else if (r->flight == NULL) {
        store_accepted(u, r, false, sent);
    }
    if (u->dispatch.n != 0) {
        ldst_count_stall(&u->counts, kind, LDST_STALL_COALESCING, 1);
    }
    return u->dispatch.n == 0;
}

bool ldst_l1_serve(Ldst *u)
{
    return u->l1.latency != 0 ? serve_queues(u) : serve_directly(u);
}

/* ---- before the first cycle ---------------------------------------------------------------- */

const char *const ldst_l1_hashes[] = {WW_HASH_LABELS, NULL};

bool ldst_l1_init(Ldst *u, GError **error)
{
    LdstL1 *l1 = &u->l1;
    bool hashed = WW_BOUND(&u->l1d) && l1->latency != 0; /* else nobody asks for a bank */
    if (hashed && l1->hash == WW_HASH_IPOLY && !ww_hash_fits(WW_HASH_IPOLY, l1->banks)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "l1_hash = %s with l1_banks = %u; expected 16, 32 or 64 banks",
                       ldst_l1_hashes[l1->hash], l1->banks);
    }
    if (!WW_BOUND(&u->l1d)) {
        return true;
    }
    if (!WW_BOUND(&u->mem_in)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "port l1d is bound and mem_in is not; expected a memory behind the cache");
    }
    l1->shift = 31 - (uint32_t)__builtin_clz(l1->interleave);
    l1->bank_bits = 31 - (uint32_t)__builtin_clz(l1->banks);
    l1->bank = ww_alloc(u, l1->banks * sizeof *l1->bank);
    for (uint32_t i = 0; i < l1->banks; i++) {
        ww_ring_init(&l1->bank[i].ring, l1->latency);
    }
    return true;
}

bool ldst_l1_start(Ldst *u, GError **error)
{
    if (!WW_BOUND(&u->l1d)) {
        return true;
    }
    ww_cache_in_turns(&u->l1d);
    const WwCacheFacts *f = WW_CACHE(&u->l1d)->facts(u->l1d.peer);
    const CoalescePorts ports = {&u->ctas, &u->warps, &u->coalescer};
    uint32_t most = coalesce_most(&u->coalescing, &ports), room = f->one_sector ? f->atom : f->line;
    if (!stores_fit(&u->l1d, error) || (u->l1.latency == 0 && !stores_end(&u->l1d, error))) {
        return false;
    }
    u->l1.loses_stores = f->write == WW_WRITE_THROUGH && f->allocate == WW_ALLOCATE_FETCH;
    u->l1.whole_lines = f->mshr_sectors == 0 && f->atom > WW_SECTOR_BYTES &&
                        (ww_carried(&u->mem_in) & WW_CARRIES_PARTS) != 0;
    if (most > room && WW_BOUND(&u->coalescer)) { /* by the own rule a program may do without */
        g_autofree char *l1d = ww_path(u->l1d.peer);
        g_autofree char *who = coalesce_who(&u->coalescing, &ports);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s makes transactions of up to %u bytes, %s takes %u at a time; expected "
                       "smaller ones, or a cache without sectors and with a longer line",
                       who, most, l1d, room);
    }
    return true;
}

void ldst_l1_reset(Ldst *u)
{
    LdstL1 *l1 = &u->l1;
    l1->facts = NULL;
    l1->queued = 0;
    l1->next = WW_NEVER;
    l1->placed = UINT64_MAX;
    if (!WW_BOUND(&u->l1d)) {
        return;
    }
    l1->facts = WW_CACHE(&u->l1d)->facts(u->l1d.peer);
    ww_step_turns(&u->l1d, u->turns);
    for (uint32_t i = 0; i < l1->banks; i++) {
        ww_ring_clear(&l1->bank[i].ring);
        l1->bank[i].last = WW_NEVER;
        l1->bank[i].held = 0;
    }
}

uint32_t ldst_l1_collect(const LdstL1 *l1, GHashTable *set)
{
    uint32_t n = 0;
    for (uint64_t m = l1->queued; m != 0; m &= m - 1) {
        const LdstBank *b = &l1->bank[__builtin_ctzll(m)];
        for (uint32_t i = 0; i < b->ring.n; i++) {
            g_hash_table_add(set, b->queued[ww_ring_slot(&b->ring, i)].req);
        }
        n += b->ring.n;
    }
    return n;
}
