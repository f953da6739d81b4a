/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways of accesses to memories, each with a queue.
 *
 *     next -+-> before -> behind -> latency queue of the bank -> L1D
 *           +-> constant ---------> latency queue -------------> constant cache
 *           +-> texture --------------------------------------> texture cache
 *           +-> L2 -------------------------------------------> mem_out
 *           +-> shared -----------> pipeline ------------------> served
 *           +-> nowhere ---------------------------------------> served
 *
 * In a cycle the memories come first, then those in front of them, so that an access goes on by one place. A store is served when it goes into the latency queue of the
 * L1D, or to the network: the table does not wait for its acknowledgement, its warp does.
 */
#include "lsu-priv.h"
#include "stores-priv.h"

#include <ports/hash.h>

/* ---- before the first cycle ---------------------------------------------------------------- */

/* The first access that goes through. */
WW_COLD static void latency_make(Lsu *u, LsuLatency *l)
{
    l->stage = ww_alloc(u, ((size_t)l->ring.mask + 1) * sizeof *l->stage);
}

bool lsu_paths_init(Lsu *u, GError **error)
{
    LsuPaths *p = &u->paths;
    if ((p->banks & (p->banks - 1)) != 0 || (p->interleave & (p->interleave - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "l1_banks = %u, l1_interleave = %u; expected powers of two", p->banks,
                       p->interleave);
    }
    if (!ww_hash_fits((WwHash)p->hash, p->banks)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "l1_hash with l1_banks = %u; expected 16, 32 or 64 banks", p->banks);
    }
    p->shift = (uint32_t)__builtin_ctz(p->interleave);
    p->bank_bits = (uint32_t)__builtin_ctz(p->banks);
    p->bank = ww_alloc(u, p->banks * sizeof *p->bank);
    for (uint32_t i = 0; i < p->banks; i++) {
        ww_ring_init(&p->bank[i].ring, p->l1_stages);
    }
    ww_ring_init(&p->constant.ring, p->constant_stages);
    p->shared = ww_alloc(u, (p->shared_stages + 1) * sizeof *p->shared);
    return true;
}

static void latency_reset(LsuLatency *l)
{
    ww_ring_clear(&l->ring);
    l->last = WW_NEVER;
}

void lsu_paths_reset(Lsu *u)
{
    LsuPaths *p = &u->paths;
    memset(p->queue, 0, sizeof p->queue);
    memset(p->before, 0, sizeof p->before);
    memset(p->behind, 0, sizeof p->behind);
    memset(p->shared, 0, (p->shared_stages + 1) * sizeof *p->shared);
    p->waits_before = p->waits_behind = p->looked_up = 0;
    for (uint32_t i = 0; i < p->banks; i++) {
        latency_reset(&p->bank[i]);
    }
    latency_reset(&p->constant);
    p->in_shared = 0;
    p->shared_due = WW_NEVER;
}

uint32_t lsu_bank(const LsuPaths *p, uint64_t addr)
{
    uint64_t block = addr >> p->shift;
    return ww_hash_place((WwHash)p->hash, block >> p->bank_bits, (uint32_t)block, p->banks);
}

/* ---- shared memory ------------------------------------------------------------------------- */

uint32_t lsu_shared_cost(LsuPaths *p, const Coalescing *c, const WwInst *inst, bool copy)
{
    bool atomic = (inst->timing->flags & WW_TAKES_ATOMIC) != 0;
    SmemRule rule = {p->shared_banks, c->rule.parts, p->limited_broadcast,
                     atomic && !p->atomics_merge, p->first_word ? 0 : inst->s->width};
    if (copy) { /* a trace has one address: the lanes are written side by side */
        uint64_t addr[WW_WARP_SIZE];
        for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
            addr[i] = (uint64_t)i * inst->s->width;
        }
        return MAX(smem_cost(&rule, addr, inst->mask), 1u);
    }
    return MAX(smem_cost_of(&p->memo, &rule, inst->addr, inst->mask), 1u);
}

static inline LsuAccess **shared_at(LsuPaths *p, WwCycle cycle)
{
    return &p->shared[cycle % (p->shared_stages + 1)];
}

void lsu_leave_shared(Lsu *u)
{
    LsuPaths *p = &u->paths;
    if (p->shared_due > u->cycle) {
        return;
    }
    LsuAccess **at = shared_at(p, u->cycle);
    if (*at != NULL) {
        lsu_served(u, (*at)->entry);
        ww_pool_give(&u->table.accesses, *at);
        *at = NULL;
        p->in_shared--;
    }
    p->shared_due = p->in_shared != 0 ? u->cycle + 1 : WW_NEVER;
}

WW_COLD static void too_long(Lsu *u, const WwInst *inst, const char *what, uint32_t stages)
{
    g_autofree char *path = ww_path(u);
    ww_fail_run(u,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: %s (trace line %u) takes %u cycles in %s; expected 1 to %u", path,
                            inst->s->opcode, inst->s->line, inst->timing->shared, what, stages));
}

/* What an instruction takes in the memory of its way: at least a cycle, at most @p stages. */
static uint32_t latency_of(Lsu *u, const LsuEntry *e, const char *what, uint32_t stages)
{
    uint32_t latency = e->storing ? e->inst->timing->copy : e->inst->timing->shared;
    if (G_UNLIKELY(latency == 0 || latency > stages)) {
        too_long(u, e->inst, what, stages);
        return 1;
    }
    return latency;
}

static void serve_shared(Lsu *u)
{
    LsuPaths *p = &u->paths;
    LsuQueue *q = &p->queue[LSU_SHARED];
    if (q->n == 0) {
        return;
    }
    const LsuEntry *e = &u->table.entry[q->first->entry];
    WwCycle due = u->cycle + latency_of(u, e, "shared memory", p->shared_stages);
    LsuAccess **at = shared_at(p, due);
    if (*at != NULL) {
        u->counts.refused[LSU_SHARED]++;
        return;
    }
    *at = lsu_queue_take(q);
    p->in_shared++;
    p->shared_due = MIN(p->shared_due, due);
}

/* ---- latency queues ------------------------------------------------------------------------ */

/* The stage at the entry, @p latency from the exit; NULL: it has as many accesses as are looked up in a cycle. */
static LsuStage *entry_stage(Lsu *u, LsuLatency *l, uint32_t latency, uint32_t lookups)
{
    if (l->ring.n >= latency || l->last == u->cycle) {
        LsuStage *s = &l->stage[ww_ring_slot(&l->ring, l->ring.n - 1)];
        return s->n < lookups ? s : NULL;
    }
    if (G_UNLIKELY(l->stage == NULL)) {
        latency_make(u, l);
    }
    LsuStage *s = &l->stage[ww_ring_put(&l->ring)];
    *s = (LsuStage){.due = u->cycle + latency};
    l->last = u->cycle;
    return s;
}

/* Those of the stage at the exit are looked up, if it is time; what is refused stays. Is anything left in the queue? */
static bool leave(Lsu *u, LsuLatency *l, bool (*look_up)(Lsu *u, LsuReq *r))
{
    LsuStage *s = &l->stage[ww_ring_first(&l->ring)];
    if (s->due > u->cycle) {
        return true;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!look_up(u, s->req[i])) {
            s->req[n++] = s->req[i];
        }
    }
    s->n = n;
    if (n == 0) {
        ww_ring_take(&l->ring);
        if (l->ring.n != 0) {
            LsuStage *next = &l->stage[ww_ring_first(&l->ring)];
            next->due = MAX(next->due, u->cycle + 1);
        }
    }
    return l->ring.n != 0;
}

/* ---- the L1D ------------------------------------------------------------------------------- */

static void tell_l1(Lsu *u, const LsuReq *r, WwCacheResult result)
{
    if (result != WW_CACHE_RESERVATION_FAIL && G_UNLIKELY(WW_BOUND(&u->pcs))) {
        WW_PCS(&u->pcs)->l1(u->pcs.peer, r->number, result == WW_CACHE_HIT);
    }
}

static void load_hit(Lsu *u, LsuReq *r)
{
    uint32_t entry = r->entry;
    lsu_request_end(u, r);
    lsu_served(u, entry);
}

static bool look_up_l1d(Lsu *u, LsuReq *r)
{
    uint32_t sent = 0;
    WwCacheResult result = WW_CACHE_HIT;
    if (r->req.sectors != 0) { /* an access of nothing is one that hits */
        result = WW_CACHE(&u->l1d)->access(u->l1d.peer, &r->req, ww_now(u), &sent);
    }
    tell_l1(u, r, result);
    if (result == WW_CACHE_RESERVATION_FAIL) {
        u->counts.refused[LSU_L1D]++;
        return false;
    }
    if (r->req.write) {
        StoreEnd end = store_end(u->l1d_facts, result == WW_CACHE_HIT, sent);
        if (end == STORE_KEPT) {
            lsu_acknowledge(u, r, 0);
        }
        r->fetched = end == STORE_FETCHES;
    } else if (result == WW_CACHE_HIT) {
        load_hit(u, r);
    }
    return true;
}

static bool serve_l1d(Lsu *u, uint32_t bank)
{
    LsuPaths *p = &u->paths;
    LsuQueue *q = &p->behind[bank];
    const LsuAccess *a = q->first;
    const LsuEntry *e = &u->table.entry[a->entry];
    uint32_t latency = latency_of(u, e, "the L1D", p->l1_stages);
    LsuStage *s = entry_stage(u, &p->bank[bank], latency, p->lookups);
    if (s == NULL) {
        u->counts.refused[LSU_L1D]++;
        return false;
    }
    LsuReq *r = lsu_request(u, a);
    s->req[s->n++] = r;
    p->looked_up |= 1ull << bank;
    if (r->req.write) {
        lsu_store_sent(u, r, u->l1d_facts->mshr_sectors != 0 ? r->req.size / WW_SECTOR_BYTES : 1);
        lsu_served(u, a->entry);
    }
    ww_pool_give(&u->table.accesses, lsu_queue_take(q));
    return true;
}

/* ---- constants, textures ------------------------------------------------------------------- */

static bool look_up_constant(Lsu *u, LsuReq *r)
{
    uint32_t sent = 0;
    WwCacheResult result = WW_CACHE_HIT;
    if (u->constant_facts != NULL) {
        result = WW_CACHE(&u->constants)->access(u->constants.peer, &r->req, ww_now(u), &sent);
    }
    if (result == WW_CACHE_HIT) {
        load_hit(u, r);
    }
    u->counts.refused[LSU_CONSTANT] += result == WW_CACHE_RESERVATION_FAIL;
    return result != WW_CACHE_RESERVATION_FAIL;
}

static void serve_constant(Lsu *u)
{
    LsuPaths *p = &u->paths;
    LsuQueue *q = &p->queue[LSU_CONSTANT];
    if (q->n == 0) {
        return;
    }
    const LsuEntry *e = &u->table.entry[q->first->entry];
    uint32_t latency = latency_of(u, e, "the constant cache", p->constant_stages);
    LsuStage *s = entry_stage(u, &p->constant, latency, 1);
    if (s == NULL) {
        u->counts.refused[LSU_CONSTANT]++;
        return;
    }
    s->req[s->n++] = lsu_request(u, q->first);
    ww_pool_give(&u->table.accesses, lsu_queue_take(q));
}

/* Straight into the cache; without one the data are there at once. */
static void serve_texture(Lsu *u)
{
    LsuQueue *q = &u->paths.queue[LSU_TEXTURE];
    uint32_t sent = 0;
    if (q->n == 0) {
        return;
    }
    uint32_t entry = q->first->entry;
    if (u->texture_facts == NULL) {
        lsu_served(u, entry);
    } else {
        if (!WW_CACHE(&u->textures)->port_free(u->textures.peer, WW_CACHE_DATA_PORT)) {
            return;
        }
        LsuReq *r = lsu_request(u, q->first);
        WwCacheResult result =
            WW_CACHE(&u->textures)->access(u->textures.peer, &r->req, ww_now(u), &sent);
        if (result == WW_CACHE_RESERVATION_FAIL) {
            u->end.serial--; /* as if it had not been made */
            lsu_request_free(u, r);
            u->counts.refused[LSU_TEXTURE]++;
            return;
        }
        if (result == WW_CACHE_HIT) {
            load_hit(u, r);
        }
    }
    ww_pool_give(&u->table.accesses, lsu_queue_take(q));
}

void lsu_look_up(Lsu *u)
{
    LsuPaths *p = &u->paths;
    for (uint64_t m = p->looked_up; m != 0; m &= m - 1) {
        if (!leave(u, &p->bank[__builtin_ctzll(m)], look_up_l1d)) {
            p->looked_up &= ~(m & -m);
        }
    }
    if (p->constant.ring.n != 0) {
        leave(u, &p->constant, look_up_constant);
    }
}

/* ---- past the L1D, nowhere ----------------------------------------------------------------- */

static void serve_network(Lsu *u)
{
    LsuQueue *q = &u->paths.queue[LSU_L2];
    if (q->n == 0 || !WW_BOUND(&u->mem_out)) {
        return;
    }
    const LsuAccess *a = q->first;
    const LsuEntry *e = &u->table.entry[a->entry];
    if (a->at.sectors == 0) { /* an access of nothing: nobody would answer it */
        lsu_served(u, a->entry);
        ww_pool_give(&u->table.accesses, lsu_queue_take(q));
        return;
    }
    bool data = lsu_is_store(e) || (e->inst->timing->flags & WW_TAKES_ATOMIC) != 0;
    if (!ww_fifo_room_for(&u->mem_out, WW_PACKET_HEAD + (data ? a->at.size : 0))) {
        u->counts.refused[LSU_L2]++;
        return;
    }
    LsuReq *r = lsu_request(u, a);
    u->counts.traffic[ww_traffic_entry(&r->req, false)]++;
    WW_LOG(u, &lsu_events[LOG_SEND], r->req.warp, WW_PART(&r->req));
    ww_fifo_put(&u->mem_out, (WwToken)(uintptr_t)r);
    if (r->req.write) {
        lsu_store_sent(u, r, 1);
        lsu_served(u, a->entry);
    }
    ww_pool_give(&u->table.accesses, lsu_queue_take(q));
}

static void serve_nothing(Lsu *u)
{
    LsuQueue *q = &u->paths.queue[LSU_NOWHERE];
    if (q->n != 0) {
        lsu_served(u, q->first->entry);
        ww_pool_give(&u->table.accesses, lsu_queue_take(q));
    }
}

/* ---- a cycle ------------------------------------------------------------------------------- */

void lsu_serve(Lsu *u)
{
    LsuPaths *p = &u->paths;
    for (uint64_t m = p->waits_behind; m != 0; m &= m - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(m);
        for (uint32_t i = 0; i < p->lookups && p->behind[bank].n != 0; i++) {
            if (!serve_l1d(u, bank)) {
                u->counts.l1d_lookups_lost += p->lookups - i;
                break;
            }
        }
        p->waits_behind &= ~((uint64_t)(p->behind[bank].n == 0) << bank);
    }
    serve_constant(u);
    serve_texture(u);
    serve_network(u);
    serve_nothing(u);
    serve_shared(u);
}

void lsu_translate(Lsu *u)
{
    LsuPaths *p = &u->paths;
    for (uint64_t m = p->waits_before; m != 0; m &= m - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(m);
        LsuQueue *from = &p->before[bank], *to = &p->behind[bank];
        for (uint32_t i = 0; i < p->lookups && from->n != 0 && to->n < p->room[LSU_L1D]; i++) {
            lsu_queue_put(to, lsu_queue_take(from));
        }
        p->waits_behind |= (uint64_t)(to->n != 0) << bank;
        p->waits_before &= ~((uint64_t)(from->n == 0) << bank);
    }
}

void lsu_distribute(Lsu *u)
{
    LsuPaths *p = &u->paths;
    LsuQueue *next = &u->table.next;
    for (uint32_t i = 0; i < p->lookups && next->n != 0; i++) {
        const LsuAccess *a = next->first;
        LsuQueue *q = a->way == LSU_L1D ? &p->before[a->bank] : &p->queue[a->way];
        if (q->n >= p->room[a->way]) {
            break;
        }
        if (a->way == LSU_L1D) {
            p->waits_before |= 1ull << a->bank;
        }
        lsu_queue_put(q, lsu_queue_take(next));
    }
}

static inline WwCycle latency_due(const LsuLatency *l)
{
    return l->ring.n != 0 ? l->stage[ww_ring_first(&l->ring)].due : WW_NEVER;
}

WwCycle lsu_paths_due(const Lsu *u)
{
    const LsuPaths *p = &u->paths;
    WwCycle due = MIN(p->shared_due, latency_due(&p->constant));
    for (uint64_t m = p->looked_up; m != 0; m &= m - 1) {
        due = MIN(due, latency_due(&p->bank[__builtin_ctzll(m)]));
    }
    return due;
}
