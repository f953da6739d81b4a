/* SPDX-License-Identifier: Apache-2.0 */
/* The random user of a cache, towards memory: what comes out below is what was announced, what comes back completes who waits for it. */
#include "cache-priv.h"

#include <warpwright/component.h>

/* ---- what is expected ------------------------------------------------------------------------------------------- */

static bool is_request(const WwPortRow *r)
{
    return r->contract == &ww_contract_mem_request || r->contract == &ww_contract_dram_request;
}

const WwPortRow *cache_lower(const WwDrive *d)
{
    const WwPortRow *r, *lower = NULL;
    for (WW_ROWS(((const WwComponent *)d->self)->type->ports, r)) {
        if (r->role == WW_IN && r->contract->payload == &ww_payload_mem) {
            return NULL;
        }
        lower = r->role == WW_OUT && is_request(r) ? r : lower;
    }
    return lower;
}

uint64_t cache_unit_of(const Cache *c, uint64_t addr)
{
    return addr & ~(uint64_t)(c->facts->atom - 1);
}

Unit *cache_unit(Cache *c, uint64_t addr)
{
    for (uint32_t i = 0; i < UNITS; i++) {
        if (c->unit[i].used && c->unit[i].addr == addr) {
            return &c->unit[i];
        }
    }
    return NULL;
}

void cache_wait(Cache *c, uint64_t unit, Req *r)
{
    Unit *u = cache_unit(c, unit);
    for (uint32_t i = 0; u == NULL && i < UNITS; i++) {
        if (!c->unit[i].used) {
            u = &c->unit[i];
            *u = (Unit){.used = true, .addr = unit};
        }
    }
    for (uint32_t i = 0; u != NULL && i < WAITS; i++) {
        if (!c->wait[i].used) {
            c->wait[i] = (Wait){.used = true, .unit = unit, .order = ++c->order, .req = r};
            return;
        }
    }
}

bool cache_room_for_waits(const Cache *c)
{
    uint32_t units = 0, waits = 0;
    for (uint32_t i = 0; i < UNITS; i++) {
        units += !c->unit[i].used;
    }
    for (uint32_t i = 0; i < WAITS; i++) {
        waits += !c->wait[i].used;
    }
    return units >= 2 && waits >= 2;
}

/* The oldest that waits for @p u, or NULL. */
static Wait *first_wait(Cache *c, const Unit *u)
{
    Wait *first = NULL;
    for (uint32_t i = 0; i < WAITS; i++) {
        Wait *w = &c->wait[i];
        if (w->used && w->unit == u->addr && (first == NULL || w->order < first->order)) {
            first = w;
        }
    }
    return first;
}

/* The unit that completed first, of which not all was taken, or NULL. */
static Unit *first_ready(Cache *c)
{
    Unit *first = NULL;
    for (uint32_t i = 0; i < UNITS; i++) {
        Unit *u = &c->unit[i];
        if (u->used && u->ready && (first == NULL || u->order < first->order)) {
            first = u;
        }
    }
    return first;
}

/* ---- what comes out below --------------------------------------------------------------------------------------- */

static Req *own_request(Cache *c, const WwMemReq *q)
{
    for (uint32_t i = 0; i < REQS; i++) {
        if (&c->req[i].req == q) {
            return &c->req[i];
        }
    }
    return NULL;
}

void cache_respond(WwDrive *d, Cache *c, WwMemReq *q, bool own)
{
    for (uint32_t i = 0; i < RESPONSES; i++) {
        Response *s = &c->response[i];
        if (s->parts == 0) {
            s->whole = q;
            s->own = own;
            s->parts = MAX(c->facts->mshr_sectors, 1u);
            s->part = ww_harness_alloc(d->h, s->parts * sizeof *s->part);
            s->due = ww_harness_now(d->h) + 1 + ww_drive_draw(d, 40);
            return;
        }
    }
    ww_drive_wrong(d, "more than %d misses are sent down at a time", RESPONSES);
}

static void check_miss(WwDrive *d, Cache *c, WwMemReq *q)
{
    const Unit *u = cache_unit(c, q->addr);
    bool wanted = c->facts->in_order || (u != NULL && !u->ready);
    if (q->addr != cache_unit_of(c, q->addr) || q->size != c->facts->atom || !wanted) {
        ww_drive_wrong(d,
                       "a miss of %u bytes at %" G_GINT64_MODIFIER
                       "x goes down; expected a unit of "
                       "%u bytes that is under way",
                       q->size, q->addr, c->facts->atom);
    } else {
        cache_respond(d, c, q, false);
    }
}

/* Not one of the user's: a read for a write, or a write-back. */
static void own_came(WwDrive *d, Cache *c, WwMemReq *q)
{
    uint64_t *announced = ww_cache_awaits(c->facts, q) ? &c->own_reads : &c->write_backs;
    if (q->owner == NULL || *announced == 0) {
        ww_drive_wrong(d, "a %s of %" G_GINT64_MODIFIER "x goes down that nobody was told of",
                       q->write ? "write" : "read", q->addr);
        return;
    }
    --*announced;
    if (announced == &c->own_reads) {
        check_miss(d, c, q);
    } else {
        ww_mem_release(q);
    }
}

void cache_came(WwDrive *d, const WwPortRow *row, WwToken token)
{
    Cache *c = d->state;
    if (row != cache_lower(d) || c->facts == NULL || d->wrong != NULL) {
        return;
    }
    WwMemReq *q = ww_token_mem(token);
    Req *r = own_request(c, q);
    c->below--;
    if (r == NULL) {
        own_came(d, c, q);
    } else if (!r->used || !r->goes) {
        ww_drive_wrong(d, "a request of %" G_GINT64_MODIFIER "x goes down %s", r->before.addr,
                       r->used ? "twice" : "that was refused, or has ended");
    } else {
        r->goes = false;
        r->used = r->waits || r->written;
        if (r->waits) {
            check_miss(d, c, q);
        }
    }
}

/* ---- what comes back -------------------------------------------------------------------------------------------- */

static void fill_with(WwDrive *d, Cache *c, Response *s)
{
    const WwCacheIf *f = d->table;
    bool parts = c->facts->mshr_sectors != 0;
    WwMemReq *q = parts ? &s->part[s->parts - 1] : s->whole;
    uint64_t addr = cache_unit_of(c, s->whole->addr), line = s->whole->addr - CACHE_BASE;
    if (parts) {
        *q = *s->whole;
        q->original = s->whole;
        q->owner = NULL;
        q->miss_of = NULL;
        q->addr = addr + 32ull * (s->parts - 1);
        q->size = 32;
    }
    if (!ww_cache_awaits(c->facts, q)) {
        ww_drive_wrong(d, "a miss of %" G_GINT64_MODIFIER "x is not marked as the cache's", addr);
        return;
    }
    f->fill(d->self, q, ww_harness_now(d->h) + c->installs);
    if (--s->parts != 0 || s->own) {
        return;
    }
    if (c->facts->in_order) {
        own_request(c, s->whole)->filled = true;
    } else {
        Unit *u = cache_unit(c, addr);
        u->ready = true;
        u->order = ++c->order;
    }
    line /= c->facts->line;
    uint64_t set = line % c->facts->sets, tag = line / c->facts->sets;
    c->touched[set][tag] = true;
    c->present[set][tag][c->facts->one_sector ? addr % WHOLE / 32 : 0] = true;
}

/* Responses come back in any order, one at a time; with a fill port that is free. */
void cache_fill_one(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    uint32_t first = ww_drive_draw(d, RESPONSES);
    for (uint32_t k = 0; k < RESPONSES; k++) {
        Response *s = &c->response[(first + k) % RESPONSES];
        if (s->parts != 0 && s->due <= ww_harness_now(d->h)) {
            if (f->port_free(d->self, WW_CACHE_FILL_PORT)) {
                fill_with(d, c, s);
            }
            return;
        }
    }
}

/* ---- what is complete ------------------------------------------------------------------------------------------- */

/* A write ends with the read that was made for it. */
static void end_own(WwDrive *d, Cache *c, WwMemReq *q)
{
    Req *r = q->original != NULL ? own_request(c, q->original) : NULL;
    if (own_request(c, q) != NULL || q->owner == NULL) {
        ww_drive_wrong(d, "take() hands out %" G_GINT64_MODIFIER "x; expected the cache's own read",
                       q->addr);
        return;
    }
    if (r != NULL) {
        r->written = false;
        r->used = r->goes || r->waits;
    }
    ww_mem_release(q);
}

static void end_request(WwDrive *d, Req *r, const WwMemReq *q)
{
    if (q != &r->req) {
        ww_drive_wrong(d,
                       "take() hands out another request than %" G_GINT64_MODIFIER
                       "x; expected the oldest of the unit that completed first",
                       r->before.addr);
    } else if (q->addr != r->before.addr || q->size != r->before.size ||
               q->miss_of != r->before.miss_of) {
        ww_drive_wrong(d,
                       "take() hands out %u bytes at %" G_GINT64_MODIFIER
                       "x; expected the request's own %u at %" G_GINT64_MODIFIER "x",
                       q->size, q->addr, r->before.size, r->before.addr);
    } else if (r->goes) {
        ww_drive_wrong(d, "%" G_GINT64_MODIFIER "x is complete before it came out below", q->addr);
    }
    r->waits = false;
    r->used = r->goes || r->written;
}

/* In the order of accesses, each when its data have come. */
static void take_in_order(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    Req *first = NULL;
    for (uint32_t i = 0; i < REQS; i++) {
        Req *r = &c->req[i];
        if (r->waits && (first == NULL || r->order < first->order)) {
            first = r;
        }
    }
    const WwMemReq *next = f->peek(d->self);
    if (next == NULL) {
        return;
    }
    if (first == NULL || next != &first->req || !first->filled) {
        ww_drive_wrong(d, "peek() shows a request %s; expected the oldest, when its data are there",
                       first != NULL && next == &first->req ? "without data" : "out of its order");
    } else if (f->take(d->self) != next) {
        ww_drive_wrong(d, "take() hands out another request than peek() showed");
    } else {
        end_request(d, first, next);
    }
}

void cache_take_one(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    if (c->facts->in_order) {
        take_in_order(d, c);
        return;
    }
    const WwMemReq *next = f->peek(d->self);
    Unit *u = first_ready(c);
    if ((next != NULL) != (u != NULL)) {
        ww_drive_wrong(d, "peek() finds %s; expected %s", next != NULL ? "a request" : "nothing",
                       u != NULL ? "one: its unit is there" : "nothing");
        return;
    }
    if (next == NULL) {
        return;
    }
    Wait *w = first_wait(c, u);
    WwMemReq *q = f->take(d->self);
    if (q != next) {
        ww_drive_wrong(d, "take() hands out another request than peek() showed");
        return;
    }
    ww_drive_say(d, "takes %" G_GINT64_MODIFIER "x", q->addr);
    w->used = false;
    if (w->req != NULL) {
        end_request(d, w->req, q);
    } else {
        end_own(d, c, q);
    }
    u->used = first_wait(c, u) != NULL;
}
