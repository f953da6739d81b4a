/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that a cache of either level offers: accesses, fills, one cycle at a time,
 * invalidation.
 *
 * Its cycle is a step in each of its user's cycles; it sends at most one transaction down and counts
 * the ports down, and sleeps when there is nothing to send and no port is busy.
 */
#include "cache-priv.h"

/* ---- access ---------------------------------------------------------------------------------- */

static inline uint32_t set_for(const Cache *c, uint64_t addr)
{
    uint64_t block = addr >> c->line_bits;
    uint32_t low = (uint32_t)block & (c->sets - 1);
    if (c->index == SET_LINEAR) {
        return low;
    }
    if (c->index == SET_IPOLY) {
        return ww_hash_ipoly(block >> c->set_bits, low, c->sets);
    }
    return set_index((SetFunction)c->index, addr, c->line_bits, c->sets);
}

static inline uint32_t sector_of(const Cache *c, uint8_t sectors)
{
    return c->sector ? (uint32_t)__builtin_ctz(sectors | 8u) : 0;
}

static inline void look_for(const Cache *c, Look *look, uint64_t addr, uint64_t partition,
                            uint8_t sectors)
{
    look->set = set_for(c, c->second ? partition : addr);
    look->tag = addr & ~(uint64_t)(c->line - 1);
    look->sector = sector_of(c, sectors);
}

WW_COLD static WwCacheResult misfit(Cache *c, const WwMemReq *req)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(c, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s of %u bytes in sectors %x at %" G_GINT64_MODIFIER
                               "x does not fit; expected a %s of at most %u bytes%s%s",
                               path, ww_access_type_name(req->type), req->size, req->sectors,
                               req->addr, c->write == WW_WRITE_READ_ONLY ? "read" : "transaction",
                               c->facts.atom, c->sector ? " in one sector" : "",
                               c->second ? "" : ", as coalesce_arch = 40 or more makes them"));
    return WW_CACHE_RESERVATION_FAIL;
}

WW_COLD void queue_too_small(Cache *c, uint32_t places)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(
        c, g_error_new(
               WW_ERROR, WW_ERROR_MODEL,
               "%s: miss_queue = %u, and a write miss with write_allocate = %s needs %u places; "
               "expected at least as many",
               path, c->miss_queue, cache_write_allocates[c->write_allocate], places));
}

static inline bool fits(const Cache *c, const WwMemReq *req)
{
    return req->size <= c->atom && !(c->sector && !ww_one_bit(req->sectors)) &&
           !(c->write == WW_WRITE_READ_ONLY && req->write);
}

static inline void take_port(const Cache *c, CachePort *p, uint32_t cycles)
{
    p->free = MAX(p->free, cycles_over(c)) + cycles;
    p->taken += cycles;
}

/* A hit reads or writes the data array; of a miss only what a write miss throws out moves. */
static void charge_data_port(Cache *c, const Access *a, const WwMemReq *req, WwCacheResult result)
{
    if (result == WW_CACHE_HIT) {
        take_port(c, &c->data, req->size <= c->width ? 1 : (req->size + c->width - 1) / c->width);
    } else if (a->moved >= c->width) {
        take_port(c, &c->data, a->moved / c->width);
    }
}

/* What the access counts as. */
static inline WwCacheResult count_access(Cache *c, const WwMemReq *req, WwCacheResult probe,
                                         WwCacheResult result)
{
    if ((probe == WW_CACHE_HIT_RESERVED && result != WW_CACHE_RESERVATION_FAIL) ||
        (probe == WW_CACHE_SECTOR_MISS && result == WW_CACHE_MISS)) {
        result = probe;
    }
    cache_count(c, req, result);
    return result;
}

static void __attribute__((noinline, cold))
write_access(const Cache *c, const WwMemReq *req, WwCacheResult result)
{
    if (req->type == WW_ACCESS_INST_R &&
        result == WW_CACHE_HIT) { /* its number is the next miss's */
        static const WwEventRow fetched = {
            "access",
            "",
            "",
            {&ww_field_sm, &ww_field_type, &ww_field_addr, &ww_field_size, &cache_field_outcome}};
        WW_LOG(c, &fetched, req->warp, req->sm, WW_TEXT(ww_access_type_name(req->type)), req->addr,
               req->size, WW_PART(cache_outcome(result, c->why)));
        return;
    }
    WW_LOG(c, &cache_events[LOG_ACCESS], req->warp, WW_PART(req),
           WW_PART(cache_outcome(result, c->why)));
}

static inline void log_access(const Cache *c, const WwMemReq *req, WwCacheResult result)
{
    if (G_UNLIKELY(c->base.logged)) {
        write_access(c, req, result);
    }
}

/* Was the same access refused before, and nothing changed since? */
static inline bool refused_again(const Cache *c, const Refusal *r, const WwMemReq *req)
{
    return r->changes == c->changes && r->addr == req->addr && r->bytes.w[0] == req->bytes.w[0] &&
           r->bytes.w[1] == req->bytes.w[1] && r->size == req->size && r->type == req->type &&
           r->sectors == req->sectors && r->write == req->write && r->atomic == req->atomic &&
           r->partition == req->at.partition;
}

static void remember_refusal(Cache *c, const WwMemReq *req)
{
    c->refused = c->changes;
    *refusal_of(c, req) = (Refusal){
        .changes = c->changes,
        .addr = req->addr,
        .partition = req->at.partition,
        .bytes = req->bytes,
        .size = req->size,
        .type = (uint8_t)req->type,
        .sectors = req->sectors,
        .write = req->write,
        .atomic = req->atomic,
        .why = (uint8_t)c->why,
    };
}

static inline bool any_busy(const Cache *c)
{
    return MAX(c->data.free, c->fill.free) > c->port_samples;
}

/* Is there something to do in the next cycle? */
static inline void wake_step(Cache *c)
{
    if (c->down.n != 0 || (!c->in_turns && any_busy(c))) {
        ww_wake(&c->step);
    }
}

static WwCacheResult cache_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    Cache *c = self;
    *sent = 0;
    if (G_UNLIKELY(!fits(c, req))) {
        return misfit(c, req);
    }
    if (c->last == NULL || c->last->stream != req->stream) {
        cache_choose_stream(c, req->stream);
    }
    if (c->refused == c->changes && refused_again(c, refusal_of(c, req), req)) {
        cache_count(c, req, cache_fail(c, req, (CacheFail)refusal_of(c, req)->why));
        log_access(c, req, WW_CACHE_RESERVATION_FAIL);
        return WW_CACHE_RESERVATION_FAIL;
    }
    Access a;
    a.now = now;
    a.sent = a.moved = 0;
    look_for(c, &a.look, req->addr, req->at.partition, req->sectors);
    tags_probe(&c->tags, &a.look, req->write);
    WwCacheResult result;
    if (c->write == WW_WRITE_READ_ONLY) {
        result = cache_read_only(c, &a, req);
    } else {
        result = !req->write                     ? cache_read(c, &a, req)
                 : a.look.result == WW_CACHE_HIT ? cache_write_hit(c, &a, req)
                                                 : cache_write_miss(c, &a, req);
        charge_data_port(c, &a, req, result);
    }
    if (result == WW_CACHE_RESERVATION_FAIL) {
        remember_refusal(c, req);
    } else {
        c->changes++;
        wake_step(c);
    }
    log_access(c, req, count_access(c, req, a.look.result, result));
    *sent = a.sent;
    return result;
}

/* ---- responses ------------------------------------------------------------------------------- */

static MshrEntry *entry_for(const Cache *c, const WwMemReq *asked)
{
    MshrEntry *e = mshr_of(&c->misses, asked);
    return e != NULL && !e->ready ? e : NULL;
}

/* The miss that @p response answers: all of it, or a part (a read for a write has an original, too). */
static MshrEntry *entry_of(const Cache *c, const WwMemReq *response)
{
    MshrEntry *e = entry_for(c, response);
    bool part = e == NULL && c->facts.mshr_sectors != 0 && response->original != NULL;
    return part ? entry_for(c, response->original) : e;
}

static void fill_tags(Cache *c, const MshrEntry *e, const WwMemReq *req, uint32_t now)
{
    Look look;
    uint32_t line = e->line;
    if (c->tags.on_fill || !c->fills_blindly) {
        look_for(c, &look, e->addr, req->at.partition, req->sectors);
        if (c->tags.on_fill) {
            tags_fill_address(&c->tags, &look, req->write, &req->bytes, now);
            return;
        }
        line = tags_waiting(&c->tags, line, &look);
        if (line == NO_LINE) {
            return; /* invalidated meanwhile: the data pass */
        }
    }
    uint32_t sector = sector_of(c, req->sectors);
    tags_fill_line(&c->tags, line, sector, &req->bytes);
    if (e->atomic) {
        tags_modify(&c->tags, line, sector);
        tags_add_bytes(&c->tags, line, &req->bytes);
    }
}

static void cache_fill(void *self, WwMemReq *response, WwCycle now)
{
    Cache *c = self;
    MshrEntry *e = entry_of(c, response);
    ww_assert(e != NULL);
    c->changes++;
    WwMemReq *req = e->first;
    if (req != response) {
        ww_mem_release(response); /* a part, which was made for the way here */
        if (--e->parts != 0) {
            return;
        }
    }
    req->addr = e->own_addr;
    req->size = e->own_size;
    req->miss_of = e->above;
    req->miss = e->above_miss;
    mshr_fetch(&c->misses, e->addr); /* it is taken off the table soon */
    fill_tags(c, e, req, (uint32_t)now);
    mshr_complete(&c->misses, e);
    take_port(c, &c->fill, c->fill_cycles);
    wake_step(c);
    WW_LOG(c, &cache_events[LOG_FILL], req->warp, WW_PART(req));
}

static const WwMemReq *cache_peek(void *self)
{
    const Mshr *misses = &((Cache *)self)->misses;
    return misses->ready != NULL ? mshr_peek(misses) : NULL;
}

static WwMemReq *cache_take(void *self)
{
    Cache *c = self;
    c->changes++;
    return mshr_take(&c->misses);
}

/* Neighbouring sectors from @p addr on that are looked for together. */
static inline uint32_t of_a_line(const Cache *c, uint64_t addr)
{
    return c->sector ? 4 - (uint32_t)(addr / WW_SECTOR_BYTES % 4) : 1;
}

static void cache_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now)
{
    Cache *c = self;
    Look look;
    for (uint32_t i = 0, k; i < n; i += k) {
        k = MIN(n - i, MIN(of_a_line(c, addr), of_a_line(c, partition)));
        look_for(c, &look, addr, partition, (uint8_t)(1u << (addr / WW_SECTOR_BYTES % 4)));
        tags_fill_sectors(&c->tags, &look, k, (uint32_t)(now + i));
        addr += (uint64_t)k * WW_SECTOR_BYTES;
        partition += (uint64_t)k * WW_SECTOR_BYTES;
    }
    c->changes++;
}

static WwCacheResult cache_probe(void *self, uint64_t addr)
{
    Cache *c = self;
    Look look;
    look_for(c, &look, addr, addr, (uint8_t)(1u << (addr / WW_SECTOR_BYTES % 4)));
    tags_probe(&c->tags, &look, false);
    if (look.result == WW_CACHE_HIT) {
        return WW_CACHE_HIT;
    }
    return mshr_find(&c->misses, atom_address(c, addr)) != NULL ? WW_CACHE_HIT_RESERVED
                                                                : WW_CACHE_MISS;
}

static void cache_forget(void *self)
{
    Cache *c = self;
    c->changes++;
    mshr_forget(&c->misses);
}

static void cache_bring(void *self, uint64_t addr, WwCycle now)
{
    Cache *c = self;
    Look look;
    look_for(c, &look, addr, addr, (uint8_t)(1u << (addr / WW_SECTOR_BYTES % 4)));
    c->changes++;
    tags_fill_address(&c->tags, &look, false, &(WwByteMask){{0, 0}}, (uint32_t)now);
    take_port(c, &c->fill, c->fill_cycles);
    wake_step(c);
}

/* ---- time ------------------------------------------------------------------------------------ */

static bool cache_port_free(void *self, WwCachePort port)
{
    const Cache *c = self;
    return (port == WW_CACHE_DATA_PORT ? c->data.free : c->fill.free) <= cycles_over(c);
}

static void send_down(Cache *c)
{
    WwMemReq *req = c->queue[ww_ring_first(&c->down)];
    /* as the reference asks: for an atomic, whose data go along, as for a read */
    if (!ww_fifo_room_for(&c->lower, WW_PACKET_HEAD + (req->write ? req->size : 0))) {
        c->blocked = true;
        c->lower_full++;
        return;
    }
    ww_ring_take(&c->down);
    c->changes++;
    if (!c->second && !c->inner) {
        c->traffic[ww_traffic_entry(req, false)]++;
    }
    WW_LOG(c, &cache_events[LOG_SEND], req->warp, WW_PART(req));
    ww_fifo_put(&c->lower, (WwToken)(uintptr_t)req);
}

static WwRest cache_cycle(void *self)
{
    Cache *c = self;
    c->blocked = false;
    if (c->down.n != 0) {
        send_down(c);
    }
    c->port_samples++;
    bool busy = !c->in_turns && any_busy(c);
    return busy || (c->down.n != 0 && !c->blocked) ? WW_AGAIN : WW_SLEEP;
}

const WwEntryRow cache_entries[] = {
    {.name = "cycle",
     .owner = "cache",
     .tick = cache_cycle,
     .doc = "sends a transaction to the next level; advances the port timers"},
    {0},
};

void cache_settle(void *self, uint32_t entry, uint64_t n)
{
    Cache *c = self;
    if (!c->in_turns) { /* it slept until a port was taken: from now on */
        c->data.free += c->data.free > c->port_samples ? n : 0;
        c->fill.free += c->fill.free > c->port_samples ? n : 0;
    }
    c->port_samples += n;
    c->lower_full += c->blocked ? n : 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const WwCacheFacts *cache_facts(void *self)
{
    return &((Cache *)self)->facts;
}

static void cache_clear(void *self, WwCacheClear what)
{
    Cache *c = self;
    c->changes++;
    if (what == WW_CACHE_ALL) {
        tags_invalidate(&c->tags);
    } else {
        tags_flush_dirty(&c->tags);
    }
}

static void cache_reshape(void *self, uint32_t ways, bool on_fill)
{
    Cache *c = self;
    ww_assert(ways >= 1 && ways <= c->most_ways);
    c->changes++;
    tags_set_ways(&c->tags, ways);
    if (c->allocate == ALLOCATE_STREAMING) {
        c->tags.on_fill = on_fill;
    }
}

static void cache_in_turns(void *self)
{
    ((Cache *)self)->in_turns = true;
}

static void cache_inner(void *self)
{
    ((Cache *)self)->inner = true;
}

static uint32_t cache_ways(void *self)
{
    return ((const Cache *)self)->tags.ways;
}

const WwCacheIf cache_table = {
    .facts = cache_facts,
    .access = cache_access,
    .fill = cache_fill,
    .peek = cache_peek,
    .take = cache_take,
    .port_free = cache_port_free,
    .clear = cache_clear,
    .reshape = cache_reshape,
    .stream = cache_stream,
    .install = cache_install,
    .probe = cache_probe,
    .forget = cache_forget,
    .bring = cache_bring,
    .ways = cache_ways,
    .in_turns = cache_in_turns,
    .inner = cache_inner,
    .refuses = cache_refuses,
    .refused = cache_refused,
};

/* ---- starting -------------------------------------------------------------------------------- */

/* "256 KiB"; newly allocated. */
static char *size_text(uint64_t bytes)
{
    return bytes % 1024 == 0 ? g_strdup_printf("%" G_GUINT64_FORMAT " KiB", bytes / 1024)
                             : g_strdup_printf("%" G_GUINT64_FORMAT " bytes", bytes);
}

/* `max_bytes` leaves room for `ways`, and both are within what can be. */
static bool check_size(const Cache *c, GError **error)
{
    uint64_t way = (uint64_t)c->sets * c->line, asked = way * c->ways;
    g_autofree char *size = size_text(asked),
                    *ways = c->most_ways != 0
                                ? g_strdup_printf("ways of at most %u, or ", c->most_ways)
                                : g_strdup("");
    if (c->most_ways < c->ways) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s asked (%u sets x %u ways x %u bytes), max_bytes is %u; expected "
                       "%smax_bytes of %" G_GUINT64_FORMAT " or more",
                       size, c->sets, c->ways, c->line, c->max_bytes, ways, asked);
    }
    if ((uint64_t)c->sets * c->most_ways > MAX_LINES) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%u sets x %u ways are more than %u lines; expected %s of at most %u",
                       c->sets, c->most_ways, MAX_LINES, c->max_bytes != 0 ? "max_bytes" : "ways",
                       c->max_bytes != 0 ? MAX_LINES * c->line : MAX_LINES / c->sets);
    }
    return true;
}

static bool check_shape(const Cache *c, GError **error)
{
    if ((c->line & (c->line - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "line = %u; expected a power of two", c->line);
    }
    if (c->sector && c->line != 128) {
        return ww_fail(error, WW_ERROR_USAGE, "line = %u; expected 128 in a cache of sectors",
                       c->line);
    }
    if (!set_function_fits((SetFunction)c->index, c->sets)) {
        return ww_fail(error, WW_ERROR_USAGE, "index = %s with sets = %u; expected %s sets",
                       cache_indices[c->index], c->sets,
                       c->index == SET_FERMI ? "32 or 64" : "16, 32, 64, 128, 256, 512 or 1024");
    }
    if (!check_size(c, error)) {
        return false;
    }
    return c->line % c->width == 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "port_width = %u; expected a divisor of the line of %u bytes", c->width,
                   c->line);
}

/* A program may do without write misses, and so with a queue too short for them: see queue_too_small(). */
static bool check_ways_through(const Cache *c, GError **error)
{
    bool writes_back = c->write != WW_WRITE_READ_ONLY && c->write != WW_WRITE_THROUGH;
    bool two = c->write != WW_WRITE_READ_ONLY && (c->spare_entry || writes_back);
    if (two && c->miss_queue < 2) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "miss_queue = %u with write = %s, spare_entry = %s: a read miss needs 2 "
                       "places; expected at least as many",
                       c->miss_queue, cache_writes[c->write], c->spare_entry ? "true" : "false");
    }
    if (c->sector && c->mshr != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "mshr = sector_assoc with sector = true: a sector is answered at once; "
                       "expected mshr = assoc, or sector = false");
    }
    return true;
}

/*
 * A line that is only there when its data come can neither be written back nor be written before.
 */
static bool check_policies(const Cache *c, GError **error)
{
    bool writes = c->write != WW_WRITE_READ_ONLY;
    if (c->allocate == ALLOCATE_MISS ||
        (c->write != WW_WRITE_BACK && !(writes && c->write_allocate >= WW_ALLOCATE_FETCH))) {
        return true;
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "allocate = %s with write = %s, write_allocate = %s; expected allocate = miss",
                   cache_allocates[c->allocate], cache_writes[c->write],
                   cache_write_allocates[c->write_allocate]);
}

bool cache_init(Cache *c, bool second, GError **error)
{
    c->second = second;
    if (second) { /* as the reference has it: in an L2 nobody can see them, so they are no parameters */
        c->write_back_follows = c->skip_unused = true;
    }
    c->most_ways = c->max_bytes != 0 ? c->max_bytes / (c->sets * c->line) : c->ways;
    c->width = c->port_width != 0 ? c->port_width : c->line;
    if (!check_shape(c, error) || !check_policies(c, error) || !check_ways_through(c, error)) {
        return false;
    }
    c->line_bits = (uint32_t)__builtin_ctz(c->line);
    c->set_bits = 31 - (uint32_t)__builtin_clz(c->sets);
    c->facts = (WwCacheFacts){
        .sets = c->sets,
        .ways = c->ways,
        .most_ways = c->most_ways,
        .line = c->line,
        .atom = c->sector ? WW_SECTOR_BYTES : c->line,
        .one_sector = c->sector,
        .mshr_sectors = c->mshr != 0 ? c->line / WW_SECTOR_BYTES : 0,
        .write = (WwWritePolicy)c->write,
        .allocate = (WwWriteAllocate)c->write_allocate,
    };
    c->atom = c->facts.atom;
    c->fill_cycles = c->atom / c->width;
    c->tags.sector = c->sector;
    c->tags.fifo = c->replacement != 0;
    c->tags.sets = c->sets;
    c->tags.write_ratio = c->write_ratio;
    c->tags.skip_unused = c->skip_unused;
    c->tags.exact_dirty = c->exact_dirty;
    c->tags.free_from_top = c->free_from_top;
    c->tags.serial = c->stamps_wrap ? 0 : UINT32_MAX;
    c->tags.policy = WW_BOUND(&c->policy) ? &c->policy : NULL;
    tags_init(&c->tags, c, c->most_ways);
    c->misses.entries = c->mshr_entries;
    c->misses.merge = c->mshr_merge;
    mshr_init(&c->misses, c);
    ww_req_pool_init(&c->own, c);
    c->queue = ww_alloc(c, ww_ring_init(&c->down, c->miss_queue) * sizeof(WwMemReq *));
    return true;
}

void cache_reset(void *self)
{
    Cache *c = self;
    tags_reset(&c->tags, c->ways, c->allocate != ALLOCATE_MISS);
    mshr_reset(&c->misses);
    ww_req_pool_reset(&c->own);
    cache_forget_streams(c);
    c->changes = 1; /* none that is remembered is of this time */
    c->refused = 0;
    c->tells_later = false;
    memset(c->refusal, 0, sizeof c->refusal);
    ww_ring_clear(&c->down);
    c->data = c->fill = (CachePort){0};
    c->blocked = false;
    c->step = ww_wake_of(c, 0);
}

/* A miss: its requests are here, but the first, which went down unless it is back. */
static void hold_miss(const MshrEntry *e, WwExplain *explain)
{
    for (const WwMemReq *r = e->head; r != NULL; r = r->next) {
        ww_explain_holds_req(explain, r);
    }
    if (e->first != NULL && e->ready) {
        ww_explain_holds_req(explain, e->first);
    } else if (e->first != NULL) {
        ww_explain_sent(explain, ww_thing_req(e->first));
    }
}

void cache_explain(void *self, WwExplain *explain)
{
    Cache *c = self;
    if (c->down.n != 0) {
        ww_explain_waits(explain, c->lower.peer, "%u %s to be sent down", c->down.n,
                         WW_PLURAL(c->down.n, "transaction waits", "transactions wait"));
    }
    for (uint32_t i = 0; i < c->down.n; i++) {
        ww_explain_holds_req(explain, c->queue[ww_ring_slot(&c->down, i)]);
    }
    const MshrEntry *oldest = NULL;
    for (uint32_t i = 0; i <= c->misses.mask; i++) {
        if (c->misses.slot[i] == 0) {
            continue;
        }
        const MshrEntry *e = mshr_entry(&c->misses, c->misses.slot[i]);
        hold_miss(e, explain);
        if (e->first != NULL && !e->ready &&
            (oldest == NULL || ww_mem_is_older(e->first, oldest->first))) {
            oldest = e;
        }
    }
    if (oldest != NULL) {
        ww_explain_waits_for(explain, ww_thing_req(oldest->first),
                             "%u %s under way, the oldest of %" G_GINT64_MODIFIER "x with %u %s",
                             c->misses.n, WW_PLURAL(c->misses.n, "miss is", "misses are"),
                             oldest->addr, oldest->n, WW_PLURAL(oldest->n, "request", "requests"));
    }
    ww_req_pool_explain(&c->own, explain);
    if (c->misses.ready != NULL) {
        ww_explain_note(explain, "completed misses wait to be taken");
    }
}
