/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an access does to a cache, by policy. Each function first makes sure that there is room for
 * all it may send; only then it changes anything, so that a refused access leaves no trace but its
 * statistic.
 */
#include "cache-priv.h"

/* ---- what they share ------------------------------------------------------------------------- */

/* One of the cache's own transactions, made for @p cause and routed as it is. */
static WwMemReq *make_own(Cache *c, const Access *a, const WwMemReq *cause, WwAccessType type)
{
    WwMemReq *req = ww_req_pool_take(&c->own);
    req->type = (uint8_t)type;
    req->at = cause->at;
    req->lanes = cause->lanes;
    req->birth = (uint32_t)a->now;
    req->stream = cause->stream;
    req->sm = cause->sm;
    req->cluster = cause->cluster;
    req->warp = cause->warp;
    return req;
}

/*
 * Sends a modified victim to memory. It is decoded by its own address but takes the channel and
 * slice of the transaction that caused it (write_back_follows). A write-through cache has nothing to write back. True
 * when one was sent.
 */
static bool write_back(Cache *c, Access *a, const WwMemReq *cause, const Evicted *e)
{
    if (!e->any || c->write == WW_WRITE_THROUGH) {
        return false;
    }
    WwMemReq *req = make_own(c, a, cause, c->second ? WW_ACCESS_L2_WRBK : WW_ACCESS_L1_WRBK);
    if (WW_BOUND(&c->address_map)) {
        WW_ADDRESS_MAP(&c->address_map)->decode(c->address_map.peer, e->addr, &req->at);
        if (c->write_back_follows) {
            req->at.channel = cause->at.channel;
            req->at.slice = cause->at.slice;
        }
    }
    req->addr = e->addr;
    req->size = e->size;
    req->bytes = e->bytes;
    req->sectors = e->sectors;
    req->write = true;
    cache_send(c, req);
    a->sent |= WW_CACHE_SENT_WRITE_BACK;
    c->write_backs++;
    WW_LOG(c, &cache_events[LOG_EVICT], -1, WW_PART(req));
    return true;
}

static void forward(Cache *c, Access *a, WwMemReq *req)
{
    cache_send(c, req);
    a->sent |= WW_CACHE_SENT_WRITE;
}

/* May a miss of this unit be recorded? False with the reason. */
static bool can_record(const Cache *c, const MshrEntry *e, CacheFail *why)
{
    if (e != NULL) {
        *why = FAIL_MSHR_MERGE;
        return e->n < c->mshr_merge;
    }
    *why = FAIL_MSHR_ENTRY;
    return c->misses.n < c->mshr_entries;
}

/*
 * Commits a miss that needs data: merges it into a miss under way (@p e), or starts one, which
 * makes the request one for the whole fetched unit.
 */
static void send_read(Cache *c, Access *a, WwMemReq *req, MshrEntry *e, uint32_t event,
                      Evicted *out)
{
    tags_access(&c->tags, &a->look, (uint32_t)a->now, out);
    if (e != NULL) {
        WW_LOG(c, &cache_events[LOG_MERGE], req->warp, WW_PART(req), WW_PART(e->first));
        mshr_merge(e, req);
        cache_count(c, req, WW_CACHE_MSHR_HIT);
        return;
    }
    e = mshr_add(&c->misses, atom_address(c, req->addr), req);
    e->own_addr = req->addr;
    e->own_size = (uint16_t)req->size;
    req->miss_of = &c->facts;
    e->line = (uint16_t)a->look.line;
    e->parts = (uint8_t)MAX(c->facts.mshr_sectors, 1u);
    req->addr = e->addr;
    req->size = c->atom;
    cache_send(c, req);
    a->sent |= event;
    WW_LOG(c, &cache_events[LOG_MISS], req->warp, WW_PART(req));
}

/* A sector all of whose bytes have been written can be read. */
static inline void update_readable(Cache *c, const Access *a, const WwMemReq *req)
{
    Line *l = &c->tags.line[a->look.line];
    if (G_LIKELY((l->unreadable >> a->look.sector & 1u) == 0)) {
        return;
    }
    WwByteMask bytes = tags_bytes(&c->tags, a->look.line);
    for (uint32_t m = req->sectors & 0xfu; m != 0; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m);
        if ((uint32_t)(bytes.w[s / 2] >> (32 * (s % 2))) == UINT32_MAX) {
            l->unreadable &= (uint8_t) ~(1u << a->look.sector);
        }
    }
}

static bool writes_all(const Cache *c, const WwMemReq *req)
{
    uint32_t n = ww_ones(req->bytes.w[0]) + ww_ones(req->bytes.w[1]);
    return n == c->atom;
}

/* The line takes written data: MODIFIED, with these bytes. */
static inline void take_data(Cache *c, const Access *a, const WwMemReq *req)
{
    if (line_status(&c->tags.line[a->look.line], a->look.sector) != SECTOR_MODIFIED) {
        tags_modify(&c->tags, a->look.line, a->look.sector);
    }
    tags_add_bytes(&c->tags, a->look.line, &req->bytes);
}

/* Will this miss send a write-back down, too? */
static bool evicts(const Cache *c, const Access *a)
{
    return a->look.result == WW_CACHE_MISS && !c->tags.on_fill && c->write != WW_WRITE_THROUGH &&
           line_modified(&c->tags.line[a->look.line]);
}

/* ---- reads ----------------------------------------------------------------------------------- */

WwCacheResult cache_read(Cache *c, Access *a, WwMemReq *req)
{
    CacheFail why;
    Evicted out;
    out.any = false;
    if (a->look.result == WW_CACHE_HIT) {
        tags_hit(&c->tags, a->look.line, (uint32_t)a->now);
        if (req->atomic) {
            take_data(c, a, req);
        }
        return WW_CACHE_HIT;
    }
    if (a->look.result == WW_CACHE_RESERVATION_FAIL) {
        return cache_fail(c, req, FAIL_LINE_ALLOC);
    }
    if (queue_short(c, c->spare_entry || evicts(c, a))) { /* the read, and a write-back */
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    MshrEntry *e = mshr_find(&c->misses, atom_address(c, req->addr));
    if (!can_record(c, e, &why)) {
        return cache_fail(c, req, why);
    }
    send_read(c, a, req, e, WW_CACHE_SENT_READ, &out);
    if (write_back(c, a, req, &out) && !c->free_read_evictions) {
        a->moved = out.size;
    }
    return WW_CACHE_MISS;
}

WwCacheResult cache_read_only(Cache *c, Access *a, WwMemReq *req)
{
    CacheFail why;
    Evicted out;
    out.any = false;
    if (a->look.result == WW_CACHE_HIT) {
        tags_hit(&c->tags, a->look.line, (uint32_t)a->now);
        return WW_CACHE_HIT;
    }
    if (a->look.result == WW_CACHE_RESERVATION_FAIL) {
        return cache_fail(c, req, FAIL_LINE_ALLOC);
    }
    if (queue_short(c, 0)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    MshrEntry *e = mshr_find(&c->misses, atom_address(c, req->addr));
    if (!can_record(c, e, &why)) {
        return cache_fail(c, req, why);
    }
    send_read(c, a, req, e, WW_CACHE_SENT_READ, &out);
    return WW_CACHE_MISS;
}

/* ---- writes that hit ------------------------------------------------------------------------- */

static WwCacheResult write_and_forward(Cache *c, Access *a, WwMemReq *req, bool keep)
{
    if (queue_short(c, 0)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    if (keep) {
        tags_hit(&c->tags, a->look.line, (uint32_t)a->now);
        take_data(c, a, req);
        update_readable(c, a, req);
    } else { /* neither age nor the count of dirty lines notices */
        tags_set_status(&c->tags, a->look.line, a->look.sector, SECTOR_INVALID);
    }
    forward(c, a, req);
    return WW_CACHE_HIT;
}

WwCacheResult cache_write_hit(Cache *c, Access *a, WwMemReq *req)
{
    bool evicts = c->write == WW_WRITE_EVICT ||
                  (c->write == WW_WRITE_LOCAL_BACK_GLOBAL_EVICT && req->type == WW_ACCESS_GLOBAL_W);
    if (evicts || c->write == WW_WRITE_THROUGH) {
        return write_and_forward(c, a, req, !evicts);
    }
    tags_hit(&c->tags, a->look.line, (uint32_t)a->now);
    take_data(c, a, req);
    update_readable(c, a, req);
    return WW_CACHE_HIT;
}

/* ---- writes that miss ------------------------------------------------------------------------ */

/* A write-back that a write miss caused: the data port reads the modified sectors out. */
static void write_back_charged(Cache *c, Access *a, const WwMemReq *cause, const Evicted *e)
{
    if (write_back(c, a, cause, e)) {
        a->moved = e->size;
    }
}

/* A read for the unit that @p cause writes. */
static WwMemReq *allocating_read(Cache *c, const Access *a, const WwMemReq *cause)
{
    WwMemReq *req =
        make_own(c, a, cause, c->second ? WW_ACCESS_L2_WR_ALLOC_R : WW_ACCESS_L1_WR_ALLOC_R);
    req->addr = cause->addr;
    req->size = c->atom;
    req->bytes = cause->bytes;
    req->sectors = cause->sectors;
    req->uid = cause->uid;
    return req;
}

static WwCacheResult miss_none(Cache *c, Access *a, WwMemReq *req)
{
    if (queue_short(c, 0)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    forward(c, a, req);
    return WW_CACHE_MISS;
}

/* Sends the write and a read for its unit. */
static WwCacheResult miss_naive(Cache *c, Access *a, WwMemReq *req)
{
    CacheFail why;
    Evicted out;
    out.any = false;
    if (queue_short(c, 2)) { /* the write, the read and perhaps a write-back */
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    MshrEntry *e = mshr_find(&c->misses, atom_address(c, req->addr));
    if (!can_record(c, e, &why)) {
        return cache_fail(c, req, why);
    }
    forward(c, a, req);
    send_read(c, a, allocating_read(c, a, req), e, 0, &out);
    a->sent |= WW_CACHE_SENT_WRITE_ALLOC;
    write_back_charged(c, a, req, &out);
    return WW_CACHE_MISS;
}

/* A write of the whole unit needs no data from below. */
static WwCacheResult miss_fetch_whole(Cache *c, Access *a, WwMemReq *req)
{
    Evicted out;
    out.any = false;
    if (queue_short(c, 0)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    tags_access(&c->tags, &a->look, (uint32_t)a->now, &out);
    take_data(c, a, req); /* a fill under way will make it VALID all the same */
    write_back_charged(c, a, req, &out);
    return WW_CACHE_MISS;
}

/* A part of the unit waits for the rest, which a read of the cache's own fetches. */
static WwCacheResult miss_fetch_part(Cache *c, Access *a, WwMemReq *req)
{
    CacheFail why;
    Evicted out;
    out.any = false;
    if (queue_short(c, 1)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    MshrEntry *e = mshr_find(&c->misses, atom_address(c, req->addr));
    if (!can_record(c, e, &why)) {
        return cache_fail(c, req, why);
    }
    WwMemReq *read = allocating_read(c, a, req);
    read->original = req;
    send_read(c, a, read, e, 0, &out);
    Line *l = &c->tags.line[a->look.line];
    l->modified_on_fill |= (uint8_t)(1u << a->look.sector);
    l->merge_on_fill = true;
    a->sent |= WW_CACHE_SENT_WRITE_ALLOC;
    write_back_charged(c, a, req, &out);
    return WW_CACHE_MISS;
}

/* Takes the data at once; what was written in parts is fetched when it is read. */
static WwCacheResult miss_lazy(Cache *c, Access *a, WwMemReq *req)
{
    Evicted out;
    out.any = false;
    if (queue_short(c, 0)) {
        return cache_fail(c, req, FAIL_MISS_QUEUE);
    }
    if (c->write == WW_WRITE_THROUGH) {
        forward(c, a, req);
    }
    tags_access(&c->tags, &a->look, (uint32_t)a->now, &out);
    Line *l = &c->tags.line[a->look.line];
    uint8_t bit = (uint8_t)(1u << a->look.sector);
    bool pending = a->look.result == WW_CACHE_HIT_RESERVED;
    if (pending && !c->pending_write_modifies) { /* what it wrote joins the data when they come */
        l->modified_on_fill |= bit;
        tags_add_bytes(&c->tags, a->look.line, &req->bytes);
        return WW_CACHE_MISS;
    }
    take_data(c, a, req);
    if (pending) {
        l->modified_on_fill |= bit;
        l->merge_on_fill = true;
    }
    if (writes_all(c, req)) {
        l->unreadable &= (uint8_t)~bit;
    } else {
        l->unreadable |= bit;
        if (pending) {
            l->readable_on_fill |= bit;
        }
    }
    update_readable(c, a, req);
    write_back_charged(c, a, req, &out);
    return WW_CACHE_MISS;
}

WwCacheResult cache_write_miss(Cache *c, Access *a, WwMemReq *req)
{
    if (c->write_allocate == WW_ALLOCATE_NONE) {
        return miss_none(c, a, req);
    }
    if (a->look.result == WW_CACHE_RESERVATION_FAIL) {
        return cache_fail(c, req, FAIL_LINE_ALLOC);
    }
    switch (c->write_allocate) {
    case WW_ALLOCATE_NAIVE:
        return miss_naive(c, a, req);
    case WW_ALLOCATE_FETCH:
        return writes_all(c, req) ? miss_fetch_whole(c, a, req) : miss_fetch_part(c, a, req);
    default:
        return miss_lazy(c, a, req);
    }
}
