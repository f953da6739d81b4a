/* SPDX-License-Identifier: Apache-2.0 */
#include "cache-priv.h"

#include <string.h>
#include <testing/fake_cache.h>
#include <warpwright/component.h>

/* ---- addresses -------------------------------------------------------------------------------------------------- */

typedef struct Place {
    uint32_t set, tag, sector;
    uint64_t addr; /* Of the line. */
} Place;

static Place draw_place(WwDrive *d, const Cache *c)
{
    Place p = {.set = ww_drive_draw(d, MIN(SETS, c->facts->sets)),
               .tag = ww_drive_draw(d, ww_drive_draw(d, 2) ? MIN(TAGS, 2 * c->facts->ways + 2) : 4),
               .sector = ww_drive_draw(d, WHOLE / 32)};
    p.addr = CACHE_BASE + (uint64_t)c->facts->line * (p.set + (uint64_t)c->facts->sets * p.tag);
    return p;
}

/* By which of the units that `present` tells apart. */
static uint32_t part_of(const Cache *c, const Place *p)
{
    return c->facts->one_sector ? p->sector : 0;
}

static void make_request(WwDrive *d, Cache *c, Req *r, const Place *p)
{
    WwMemReq *q = &r->req;
    uint32_t most = MIN(c->facts->atom, 32u), skip = 4 * ww_drive_draw(d, 4);
    uint32_t size =
        ww_drive_draw(d, 2) == 0 ? most : MIN(4 * (1 + ww_drive_draw(d, 4)), most - skip);
    uint32_t sector = MIN(p->sector, c->facts->line / 32 - 1);
    bool local = ww_drive_draw(d, 4) == 0;
    skip = size == most ? 0 : skip;
    *q = (WwMemReq){.addr = p->addr + 32ull * sector + skip,
                    .size = size,
                    .sectors = (uint8_t)(1u << sector),
                    .lanes = UINT32_MAX,
                    .birth = (uint32_t)ww_harness_now(d->h),
                    .serial = c->serial,
                    .warp = (uint16_t)ww_drive_draw(d, 8)};
    r->req.stream = ww_drive_draw(d, 3);
    q->at.partition = q->addr;
    uint64_t bytes = size >= 32 ? 0xffffffffu : (1u << size) - 1;
    q->bytes.w[sector / 2] = bytes << (32 * (sector % 2) + skip);
    q->type = c->facts->write == WW_WRITE_READ_ONLY ? WW_ACCESS_INST_R
              : local                               ? WW_ACCESS_LOCAL_R
                                                    : WW_ACCESS_GLOBAL_R;
    if (c->facts->write != WW_WRITE_READ_ONLY && !c->reads_only) {
        q->write = ww_drive_draw(d, 3) == 0;
        q->atomic = !q->write && !local && ww_drive_draw(d, 8) == 0;
        q->type = !q->write ? q->type : local ? WW_ACCESS_LOCAL_W : WW_ACCESS_GLOBAL_W;
    }
    r->before = *q;
}

/* ---- accesses --------------------------------------------------------------------------------------------------- */

/* It may hit if data can be there. */
static void check_hit(WwDrive *d, const Cache *c, const Req *r, const Place *p)
{
    bool there = c->reads_only && !c->shaken && !c->facts->in_order
                     ? c->present[p->set][p->tag][part_of(c, p)]
                     : c->touched[p->set][p->tag];
    if (!there && !r->req.write && cache_lower(d) != NULL) {
        ww_drive_wrong(
            d, "a read of %" G_GINT64_MODIFIER "x hits, of which nothing has come from below",
            r->before.addr);
    }
}

/* Of a miss: who waits for what, what comes out below. */
static void note_miss(WwDrive *d, Cache *c, Req *r, uint32_t sent)
{
    if (c->facts->in_order) {
        r->goes = (sent & WW_CACHE_SENT_READ) != 0;
        r->filled = !r->goes;
        r->waits = r->used = true;
        r->order = ++c->order;
        return;
    }
    uint64_t unit = cache_unit_of(c, r->before.addr);
    const Unit *under_way = cache_unit(c, unit);
    if (!r->req.write && cache_lower(d) != NULL &&
        ((sent & WW_CACHE_SENT_READ) != 0) != (under_way == NULL)) {
        ww_drive_wrong(d, "a read of unit %" G_GINT64_MODIFIER "x goes %s although one is %s way",
                       unit, sent & WW_CACHE_SENT_READ ? "down" : "nowhere",
                       under_way != NULL ? "under" : "not under");
    }
    r->goes = (sent & (WW_CACHE_SENT_READ | WW_CACHE_SENT_WRITE)) != 0;
    if (!r->req.write) {
        r->waits = true;
        cache_wait(c, unit, r);
    } else if (sent & WW_CACHE_SENT_WRITE_ALLOC) {
        c->own_reads += under_way == NULL;
        r->written = !r->goes;
        cache_wait(c, unit, NULL);
    }
    r->used = r->goes || r->waits || r->written;
}

/* Field by field: what lies between the fields means nothing. */
static bool same_place(const WwAddress *a, const WwAddress *b)
{
    return a->partition == b->partition && a->channel == b->channel && a->slice == b->slice &&
           a->bank == b->bank && a->row == b->row && a->column == b->column;
}

static bool same_request(const WwMemReq *a, const WwMemReq *b)
{
    bool links = a->inst == b->inst && a->next == b->next && a->original == b->original &&
                 a->owner == b->owner && a->miss_of == b->miss_of && a->miss == b->miss;
    bool data = a->addr == b->addr && a->bytes.w[0] == b->bytes.w[0] &&
                a->bytes.w[1] == b->bytes.w[1] && same_place(&a->at, &b->at) &&
                a->size == b->size && a->lanes == b->lanes && a->sectors == b->sectors;
    bool maker = a->serial == b->serial && a->birth == b->birth && a->stamp == b->stamp &&
                 a->sm == b->sm && a->cluster == b->cluster && a->warp == b->warp &&
                 a->type == b->type;
    return links && data && maker && a->write == b->write && a->atomic == b->atomic &&
           a->bypass_l1 == b->bypass_l1 && a->awaited == b->awaited && a->response == b->response;
}

static bool same_facts(const WwCacheFacts *a, const WwCacheFacts *b)
{
    return a->sets == b->sets && a->ways == b->ways && a->most_ways == b->most_ways &&
           a->line == b->line && a->atom == b->atom && a->one_sector == b->one_sector &&
           a->in_order == b->in_order && a->mshr_sectors == b->mshr_sectors &&
           a->write == b->write && a->allocate == b->allocate;
}

static void check_access(WwDrive *d, Cache *c, Req *r, const Place *p, WwCacheResult result,
                         uint32_t sent)
{
    if (result == WW_CACHE_RESERVATION_FAIL) {
        uint32_t again_sent = 0;
        if (sent != 0 || !same_request(&r->req, &r->before)) {
            ww_drive_wrong(d, "a refused access of %" G_GINT64_MODIFIER "x changes %s",
                           r->before.addr, sent != 0 ? "what is sent" : "its request");
        } else if (((const WwCacheIf *)d->table)
                       ->access(d->self, &r->req, ww_harness_now(d->h) + c->installs,
                                &again_sent) != WW_CACHE_RESERVATION_FAIL) {
            ww_drive_wrong(
                d, "a refused access of %" G_GINT64_MODIFIER "x is taken when nothing has changed",
                r->before.addr);
        }
        return;
    }
    if (result == WW_CACHE_HIT && c->facts->in_order) {
        ww_drive_wrong(d, "a read of %" G_GINT64_MODIFIER "x hits at once; expected its turn",
                       r->before.addr);
    } else if (result == WW_CACHE_HIT) {
        check_hit(d, c, r, p);
        r->goes = r->used = (sent & WW_CACHE_SENT_WRITE) != 0;
    } else if (result == WW_CACHE_MISS || result == WW_CACHE_HIT_RESERVED) {
        if (c->facts->in_order && result == WW_CACHE_HIT_RESERVED) {
            check_hit(d, c, r, p);
        }
        note_miss(d, c, r, sent);
    } else {
        ww_drive_wrong(d, "an access answers %d; expected hit, pending hit, miss or refusal",
                       result);
    }
    c->write_backs += (sent & WW_CACHE_SENT_WRITE_BACK) != 0;
    c->touched[p->set][p->tag] = true;
    c->used |= !r->before.write; /* a write that throws its sector out may not count */
}

static WwCacheResult draw_result(WwDrive *d)
{
    return ww_drive_draw(d, 6) == 0   ? WW_CACHE_RESERVATION_FAIL
           : ww_drive_draw(d, 2) == 0 ? WW_CACHE_HIT
                                      : WW_CACHE_MISS;
}

/* What stands before another cache, a fake here: that one takes, refuses or has what is asked for. */
static WwFakeCache *draw_behind(WwDrive *d, Cache *c, const Req *r)
{
    WwFakeCache *behind = ww_drive_fake(d, &ww_fake_cache_type, 0);
    if (behind != NULL) {
        bool under_way = cache_unit(c, cache_unit_of(c, r->req.addr)) != NULL;
        behind->result = under_way ? WW_CACHE_RESERVATION_FAIL : draw_result(d);
        behind->once = behind->result != WW_CACHE_RESERVATION_FAIL; /* which is asked again */
        behind->then = draw_result(d);
    }
    return behind;
}

static void access_one(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    Place p = draw_place(d, c);
    Req *r = &c->req[ww_drive_draw(d, REQS)];
    if (r->used || !cache_room_for_waits(c) || !f->port_free(d->self, WW_CACHE_DATA_PORT)) {
        return;
    }
    uint32_t sent = 0;
    memset(r, 0, sizeof *r);
    make_request(d, c, r, &p);
    const WwFakeCache *behind = draw_behind(d, c, r);
    uint32_t before = behind != NULL ? behind->accesses : 0;
    c->serial++;
    WwCacheResult result = f->access(d->self, &r->req, ww_harness_now(d->h) + c->installs, &sent);
    ww_drive_say(d, "%s %" G_GINT64_MODIFIER "x: %d, sent %x", r->before.write ? "write" : "read",
                 r->before.addr, result, sent);
    check_access(d, c, r, &p, result, sent);
    if (behind != NULL && r->waits) {
        cache_respond(d, c, &r->req, false);
    }
    if (behind != NULL && behind->accesses - before > 1 && behind->last != &r->req &&
        behind->result == WW_CACHE_MISS && !behind->last->write) {
        cache_respond(d, c, behind->last, true); /* as a prefetch */
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static uint64_t under_way(const Cache *c)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < UNITS; i++) {
        n += c->unit[i].used;
    }
    for (uint32_t i = 0; i < REQS; i++) {
        n += c->facts->in_order && c->req[i].used;
    }
    return n;
}

static void clear_all(WwDrive *d, Cache *c)
{
    ((const WwCacheIf *)d->table)->clear(d->self, WW_CACHE_ALL);
    if (under_way(c) == 0 && c->used) { /* else what is under way may still come, or nothing goes */
        memset(c->touched, 0, sizeof c->touched);
        memset(c->present, 0, sizeof c->present);
    }
    c->used = false;
}

/* Now and then: all or the modified lines go, the shape changes, a copy brings a sector. */
static void seldom(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    Place p = draw_place(d, c);
    uint32_t kind = ww_drive_draw(d, 160);
    c->shaken |= kind < 3;
    if (kind == 0) {
        clear_all(d, c);
    } else if (kind == 1) {
        f->clear(d->self, WW_CACHE_DIRTY);
        c->used = false;
    } else if (kind == 2) {
        c->ways = 1 + ww_drive_draw(d, c->facts->most_ways);
        f->reshape(d->self, c->ways, ww_drive_draw(d, 2) == 0);
    } else if (kind < 6) {
        uint64_t addr = p.addr + 32ull * MIN(p.sector, c->facts->line / 32 - 1);
        f->install(d->self, addr, addr, 1, ww_harness_now(d->h) + c->installs++);
        c->touched[p.set][p.tag] = c->present[p.set][p.tag][part_of(c, &p)] = true;
    }
}

/* In a turn at most one transaction goes down; another turn of the owner, now and then. */
static void count_turns(WwDrive *d, Cache *c)
{
    const WwPortRow *lower = cache_lower(d);
    uint32_t extra = ww_drive_draw(d, 6) == 0;
    uint32_t below = lower != NULL ? ww_harness_count(d->h, lower->name) : 0;
    WwCycle now = ww_harness_now(d->h), turns = now - c->counted + c->extra;
    if (below > c->below + turns) {
        ww_drive_wrong(d,
                       "%u transactions go down in %" G_GUINT64_FORMAT
                       " turns of the owner; expected one a turn",
                       below - c->below, turns);
    }
    if (extra != 0 && now != 0) {
        ww_harness_turn(d->h, d->port);
    }
    c->below = below;
    c->counted = now;
    c->extra = extra;
}

/* While the cache behind it is busy, each turn of its own step is one of that cache's. */
static void check_step(WwDrive *d, Cache *c)
{
    WwFakeCache *behind = ww_drive_fake(d, &ww_fake_cache_type, 0);
    if (behind == NULL) {
        return;
    }
    if (c->busy && behind->cycles == c->steps) {
        ww_drive_wrong(d, "the step of the cache behind it has no turn, and is due; expected "
                          "ww_step() in its own");
    }
    c->busy = ww_drive_draw(d, 16) == 0;
    c->steps = behind->cycles;
    ww_fake_cache_busy(behind, c->busy);
}

static void cache_drive(WwDrive *d)
{
    const WwCacheIf *f = d->table;
    Cache *c = d->state;
    if (c->facts == NULL) {
        c->facts = f->facts(d->self);
        c->copy = *c->facts;
        c->ways = c->facts->ways;
        c->reads_only = ww_drive_draw(d, 3) == 0;
    }
    count_turns(d, c);
    check_step(d, c);
    if (f->ways(d->self) != c->ways) {
        ww_drive_wrong(d, "a set has %u ways; expected %u", f->ways(d->self), c->ways);
    }
    for (uint32_t n = ww_drive_draw(d, 3); n > 0 && d->wrong == NULL; n--) {
        access_one(d, c);
    }
    seldom(d, c);
}

static bool cache_serve(WwDrive *d)
{
    Cache *c = d->state;
    if (c->facts == NULL) {
        return false;
    }
    cache_fill_one(d, c);
    if (d->wrong == NULL && ww_drive_draw(d, 3) != 0) {
        cache_take_one(d, c);
    }
    return under_way(c) != 0;
}

static WwCacheResult read_first(WwDrive *d, Cache *c, Req *r, uint32_t tag)
{
    Place p = {.tag = tag, .addr = CACHE_BASE + (uint64_t)c->facts->line * c->facts->sets * tag};
    uint32_t sent;
    make_request(d, c, r, &p);
    r->req.write = r->req.atomic = false;
    r->req.type = c->facts->write == WW_WRITE_READ_ONLY ? WW_ACCESS_INST_R : WW_ACCESS_GLOBAL_R;
    return ((const WwCacheIf *)d->table)
        ->access(d->self, &r->req, ww_harness_now(d->h) + c->installs, &sent);
}

/* Nothing is under way: what is installed is there until all goes. Nothing goes of what nobody used, so it is used first. */
static void check_contents(WwDrive *d, Cache *c)
{
    const WwCacheIf *f = d->table;
    if (read_first(d, c, &c->req[1], 1) == WW_CACHE_RESERVATION_FAIL) {
        return; /* no line may go: nothing can be installed either */
    }
    for (int there = 1; there >= 0; there--) {
        f->clear(d->self, WW_CACHE_ALL);
        if (there) {
            f->install(d->self, CACHE_BASE, CACHE_BASE, 1, ww_harness_now(d->h) + c->installs++);
        }
        WwCacheResult result = read_first(d, c, &c->req[0], 0);
        if (result == WW_CACHE_RESERVATION_FAIL && c->facts->in_order) {
            return; /* it takes nothing while the first one is under way, whatever is there */
        }
        bool hit = result == (c->facts->in_order ? WW_CACHE_HIT_RESERVED : WW_CACHE_HIT);
        if (hit != there) {
            ww_drive_wrong(d, "a read %s after %s", hit ? "hits" : "does not hit",
                           there ? "install() of its sector" : "clear() of all lines");
        }
    }
}

/* What the streams come to is what all come to. */
static void check_streams(WwDrive *d)
{
    const WwCacheIf *f = d->table;
    const WwComponent *self = d->self;
    WwCacheStream s;
    int row = ww_type_stat(self->type, "outcomes");
    for (uint32_t k = 0; row >= 0 && k < self->type->stats[row].n; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; f->stream(d->self, i, &s); i++) {
            sum += s.outcomes[k];
        }
        if (sum != ww_harness_stat(d->h, "outcomes", k)) {
            ww_drive_wrong(d,
                           "the streams' outcomes %u come to %" G_GUINT64_FORMAT
                           "; expected the %" G_GUINT64_FORMAT " of all",
                           k, sum, ww_harness_stat(d->h, "outcomes", k));
        }
    }
}

static void cache_rest(WwDrive *d)
{
    const WwCacheIf *f = d->table;
    Cache *c = d->state;
    bool behind = ww_drive_fake(d, &ww_fake_cache_type, 0) != NULL;
    if (c->facts == NULL || d->wrong != NULL || (cache_lower(d) == NULL && !behind)) {
        return;
    }
    for (uint32_t i = 0; i < REQS; i++) {
        if (c->req[i].used) {
            ww_drive_wrong(d, "%s of %" G_GINT64_MODIFIER "x was taken and never %s",
                           c->req[i].before.write ? "a write" : "a read", c->req[i].before.addr,
                           c->req[i].goes ? "went down" : "completed");
        }
    }
    if (c->write_backs + c->own_reads != 0) {
        ww_drive_wrong(d, "%" G_GUINT64_FORMAT " transactions were announced and never went down",
                       c->write_backs + c->own_reads);
    } else if (!f->port_free(d->self, WW_CACHE_DATA_PORT) ||
               !f->port_free(d->self, WW_CACHE_FILL_PORT)) {
        ww_drive_wrong(d, "a port is taken although nothing moves");
    } else if (f->facts(d->self) != c->facts || !same_facts(c->facts, &c->copy)) {
        ww_drive_wrong(d, "its facts change");
    }
    if (!behind) {
        check_streams(d);
    }
    if (d->wrong == NULL && !behind) {
        check_contents(d, c);
    }
}

const WwDriver drive_cache = {
    .contract = &ww_contract_cache,
    .promises =
        "a request that is taken ends once, as it was; one that is refused leaves nothing "
        "behind; a unit is fetched once, and those that wait for it come in their order; "
        "nothing goes down unannounced, nor two in a turn; no hit without data; as many ways "
        "as were set; a cache that answers in order does so; what stands before one keeps its own "
        "requests, and runs its step",
    .state = sizeof(Cache),
    .drive = cache_drive,
    .serve = cache_serve,
    .came = cache_came,
    .rest = cache_rest,
};
