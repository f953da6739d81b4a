/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `cache.texture`: a cache whose accesses are answered in their order, behind a fifo that is as long as memory is far (Igehy, Eldridge and
 * Proudfoot, "Prefetching in a Texture Cache Architecture", 1998).
 *
 *     access ──> tags ──> [ fragments: every access ] ──────────────> [ results ] ──> user
 *                  └────> [ requests: misses ] ──> lower   fill ──>
 *
 * Tags run ahead: a line that is asked for counts as there from then on, and whoever hits waits in the fifo behind who brings it. So nothing
 * hits at once: an access is a MISS, or HIT_RESERVED. The oldest fragment goes to the results when it is a hit, or its data have come.
 *
 * An access is refused when there is no room for a fragment, for a request or for data under way. Its cycle, a step of its user's: a request
 * goes down, a fragment goes to the results.
 *
 * Source: the reference's texture cache; the ports cost nothing there, either.
 */
#include "tags-priv.h"
#include "types.h"

#include <ports/events.h>
#include <ports/traffic.h>
#include <warpwright/component.h>
#include <warpwright/ring.h>

typedef struct Fragment {
    WwMemReq *req;
    /* of a miss, as it was */
    const void *above;
    uint64_t addr;
    uint32_t size;
    uint32_t parts; /* Of its data, still to come; 0: it is there, or was. */
    bool miss;
} Fragment;

typedef struct Texture {
    WwComponent base;
    /* parameters */
    uint32_t sets, line, ways;
    uint32_t fragments, requests, under_way, results;
    bool sectors;
    /* ports */
    WwProvided cache;
    WwPort lower;
    /* state */
    WwCacheFacts facts;
    Tags tags;
    Fragment *fragment;
    WwMemReq **request, **result;
    WwRing fragment_ring, request_ring, result_ring;
    uint32_t misses; /* Fragments that are. */
    bool blocked;    /* `lower` was full; the step is woken when it is not. */
    WwWake step;
    /* statistics */
    uint64_t accesses, missed, refused[3], lower_full;
    uint64_t traffic[WW_N_TRAFFIC];
} Texture;

enum { LOG_ACCESS, LOG_SEND, LOG_FILL };

static const WwEventField field_result = WW_EVENT_FIELD(
    "result", WW_EVENT_LABEL, "", "pending_hit, miss, or refused: it is tried again");
static const WwEventRow texture_events[] = {
    [LOG_ACCESS] = {"access", "warp", "a request is looked up", {&ww_field_request, &field_result}},
    [LOG_SEND] = {"send", "warp", "a request leaves for the next level", {&ww_field_request}},
    [LOG_FILL] = {"fill", "warp", "the data of a miss have arrived", {&ww_field_request}},
    {0},
};

/* ---- access -------------------------------------------------------------------------------- */

static void look_for(Texture *t, Look *look, uint64_t addr)
{
    look->set = (uint32_t)(addr / t->line) & (t->sets - 1);
    look->tag = addr & ~(uint64_t)(t->line - 1);
    look->sector = 0;
    tags_probe(&t->tags, look, false);
}

WW_COLD static WwCacheResult misfit(Texture *t, const WwMemReq *req)
{
    g_autofree char *path = ww_path(t);
    ww_fail_run(t,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: %s of %u bytes at %" G_GINT64_MODIFIER
                            "x does not fit; expected a read of at most %u bytes",
                            path, ww_access_type_name(req->type), req->size, req->addr, t->line));
    return WW_CACHE_RESERVATION_FAIL;
}

static bool has_room(Texture *t)
{
    const bool full[] = {t->fragment_ring.n == t->fragments, t->request_ring.n == t->requests,
                         t->misses == t->under_way};
    for (uint32_t i = 0; i < G_N_ELEMENTS(full); i++) {
        if (full[i]) {
            t->refused[i]++;
            return false;
        }
    }
    return true;
}

static void begin_miss(Texture *t, Fragment *f, const Look *look, uint32_t now)
{
    WwMemReq *req = f->req;
    Evicted evicted = {0};
    tags_access(&t->tags, look, now, &evicted);
    tags_fill_line(&t->tags, look->line, 0, &(WwByteMask){{0, 0}});
    *f = (Fragment){.req = req,
                    .above = req->miss_of,
                    .addr = req->addr,
                    .size = req->size,
                    .parts = t->sectors ? t->line / WW_SECTOR_BYTES : 1,
                    .miss = true};
    req->addr = look->tag;
    req->size = t->line;
    req->miss_of = &t->facts;
    t->misses++;
    t->missed++;
    t->request[ww_ring_put(&t->request_ring)] = req;
}

static WwCacheResult texture_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    static const WwEventWord refused = WW_WORD("refused"), pending_hit = WW_WORD("pending_hit"),
                             miss = WW_WORD("miss");
    Texture *t = self;
    *sent = 0;
    if (G_UNLIKELY(req->write || req->size > t->line)) {
        return misfit(t, req);
    }
    if (!has_room(t)) {
        WW_LOG(t, &texture_events[LOG_ACCESS], req->warp, WW_PART(req), WW_SAY(&refused));
        return WW_CACHE_RESERVATION_FAIL;
    }
    Look look;
    look_for(t, &look, req->addr);
    bool hit = look.result == WW_CACHE_HIT;
    WW_LOG(t, &texture_events[LOG_ACCESS], req->warp, WW_PART(req),
           WW_SAY(hit ? &pending_hit : &miss));
    Fragment *f = &t->fragment[ww_ring_put(&t->fragment_ring)];
    *f = (Fragment){.req = req};
    t->accesses++;
    if (hit) {
        tags_hit(&t->tags, look.line, (uint32_t)now);
    } else {
        begin_miss(t, f, &look, (uint32_t)now);
        *sent = WW_CACHE_SENT_READ;
    }
    ww_wake(&t->step);
    return hit ? WW_CACHE_HIT_RESERVED : WW_CACHE_MISS;
}

/* ---- responses ----------------------------------------------------------------------------- */

/* The miss of @p asked, which is under way. */
static Fragment *miss_of(const Texture *t, const WwMemReq *asked)
{
    for (uint32_t i = 0; i < t->fragment_ring.n; i++) {
        Fragment *f = &t->fragment[ww_ring_slot(&t->fragment_ring, i)];
        if (f->req == asked && f->parts != 0) {
            return f;
        }
    }
    return NULL;
}

static void texture_fill(void *self, WwMemReq *response, WwCycle now)
{
    Texture *t = self;
    Fragment *f = miss_of(t, response);
    if (f == NULL && t->sectors && response->original != NULL) {
        f = miss_of(t, response->original);
    }
    ww_assert(f != NULL);
    WwMemReq *req = f->req;
    if (req != response) {
        ww_mem_release(response); /* a part, which was made for the way here */
        if (--f->parts != 0) {
            return;
        }
    }
    f->parts = 0;
    req->addr = f->addr;
    req->size = f->size;
    req->miss_of = f->above;
    WW_LOG(t, &texture_events[LOG_FILL], req->warp, WW_PART(req));
    ww_wake(&t->step);
}

static const WwMemReq *texture_peek(void *self)
{
    const Texture *t = self;
    return t->result_ring.n != 0 ? t->result[ww_ring_first(&t->result_ring)] : NULL;
}

static WwMemReq *texture_take(void *self)
{
    Texture *t = self;
    ww_wake(&t->step);
    return t->result[ww_ring_take(&t->result_ring)];
}

/* ---- time ---------------------------------------------------------------------------------- */

static void send_down(Texture *t)
{
    if (!ww_fifo_room_for(&t->lower, WW_PACKET_HEAD)) {
        t->blocked = true;
        t->lower_full++;
        return;
    }
    WwMemReq *req = t->request[ww_ring_take(&t->request_ring)];
    t->traffic[ww_traffic_entry(req, false)]++;
    WW_LOG(t, &texture_events[LOG_SEND], req->warp, WW_PART(req));
    ww_fifo_put(&t->lower, (WwToken)(uintptr_t)req);
}

/* Can the oldest fragment go on? */
static bool goes_on(const Texture *t)
{
    return t->fragment_ring.n != 0 && t->result_ring.n < t->results &&
           t->fragment[ww_ring_first(&t->fragment_ring)].parts == 0;
}

static WwRest texture_cycle(void *self)
{
    Texture *t = self;
    t->blocked = false;
    if (t->request_ring.n != 0) {
        send_down(t);
    }
    if (goes_on(t)) {
        const Fragment *f = &t->fragment[ww_ring_take(&t->fragment_ring)];
        t->misses -= f->miss;
        t->result[ww_ring_put(&t->result_ring)] = f->req;
    }
    return goes_on(t) || (t->request_ring.n != 0 && !t->blocked) ? WW_AGAIN : WW_SLEEP;
}

static void texture_settle(void *self, uint32_t entry, uint64_t n)
{
    Texture *t = self;
    t->lower_full += t->blocked ? n : 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static const WwCacheFacts *texture_facts(void *self)
{
    return &((Texture *)self)->facts;
}

static bool texture_port_free(void *self, WwCachePort port)
{
    return true;
}

/* What is on its way comes all the same. */
static void texture_clear(void *self, WwCacheClear what)
{
    if (what == WW_CACHE_ALL) {
        tags_invalidate(&((Texture *)self)->tags);
    }
}

static void texture_reshape(void *self, uint32_t ways, bool on_fill)
{
    Texture *t = self;
    ww_assert(ways >= 1 && ways <= t->ways);
    tags_set_ways(&t->tags, ways);
}

static uint32_t texture_ways(void *self)
{
    return ((const Texture *)self)->tags.ways;
}

static bool texture_stream(void *self, uint32_t i, WwCacheStream *out)
{
    return false; /* not counted apart */
}

static void texture_install(void *self, uint64_t addr, uint64_t partition, uint32_t n, WwCycle now)
{
    Texture *t = self;
    for (uint32_t i = 0; i < n; i++) {
        Look look;
        look_for(t, &look, addr + (uint64_t)i * WW_SECTOR_BYTES);
        tags_fill_address(&t->tags, &look, false, &(WwByteMask){{0, 0}}, (uint32_t)(now + i));
    }
}

/* Lines whose data are under way count as there: see above. */
static WwCacheResult texture_probe(void *self, uint64_t addr)
{
    Texture *t = self;
    Look look;
    look_for(t, &look, addr);
    return look.result == WW_CACHE_HIT ? WW_CACHE_HIT : WW_CACHE_MISS;
}

WW_COLD static void not_code(Texture *t)
{
    g_autofree char *path = ww_path(t);
    ww_fail_run(t, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: its misses are not answered at once; expected another cache "
                               "for instructions or constants",
                               path));
}

static void texture_forget(void *self)
{
    not_code(self);
}

static void texture_bring(void *self, uint64_t addr, WwCycle now)
{
    not_code(self);
}

static const WwCacheIf texture_table = {
    .facts = texture_facts,
    .access = texture_access,
    .fill = texture_fill,
    .peek = texture_peek,
    .take = texture_take,
    .port_free = texture_port_free,
    .clear = texture_clear,
    .reshape = texture_reshape,
    .ways = texture_ways,
    .stream = texture_stream,
    .install = texture_install,
    .probe = texture_probe,
    .forget = texture_forget,
    .bring = texture_bring,
};

static bool texture_init(void *self, GError **error)
{
    Texture *t = self;
    if ((t->sets & (t->sets - 1)) != 0 || (t->line & (t->line - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "sets = %u, line = %u; expected powers of two",
                       t->sets, t->line);
    }
    if (t->sets * t->ways > MAX_LINES) {
        return ww_fail(error, WW_ERROR_USAGE, "%u sets of %u ways; expected at most %u lines",
                       t->sets, t->ways, MAX_LINES);
    }
    t->facts = (WwCacheFacts){
        .sets = t->sets,
        .ways = t->ways,
        .most_ways = t->ways,
        .line = t->line,
        .atom = t->line,
        .in_order = true,
        .mshr_sectors = t->sectors ? t->line / WW_SECTOR_BYTES : 0,
        .write = WW_WRITE_READ_ONLY,
        .allocate = WW_ALLOCATE_NONE,
    };
    t->tags.sets = t->sets;
    t->tags.skip_unused = t->tags.free_from_top = true;
    tags_init(&t->tags, t, t->ways);
    t->fragment = ww_alloc(t, ww_ring_init(&t->fragment_ring, t->fragments) * sizeof(Fragment));
    t->request = ww_alloc(t, ww_ring_init(&t->request_ring, t->requests) * sizeof(WwMemReq *));
    t->result = ww_alloc(t, ww_ring_init(&t->result_ring, t->results) * sizeof(WwMemReq *));
    return true;
}

static void texture_reset(void *self)
{
    Texture *t = self;
    tags_reset(&t->tags, t->ways, false);
    ww_ring_clear(&t->fragment_ring);
    ww_ring_clear(&t->request_ring);
    ww_ring_clear(&t->result_ring);
    t->misses = 0;
    t->blocked = false;
    t->step = ww_wake_of(t, 0);
}

static void texture_explain(void *self, WwExplain *explain)
{
    Texture *t = self;
    if (t->request_ring.n != 0) {
        ww_explain_waits(explain, t->lower.peer, "%u %s to be sent down", t->request_ring.n,
                         WW_PLURAL(t->request_ring.n, "request waits", "requests wait"));
    }
    for (uint32_t i = 0; i < t->request_ring.n; i++) {
        ww_explain_holds_req(explain, t->request[ww_ring_slot(&t->request_ring, i)]);
    }
    const Fragment *oldest = NULL;
    for (uint32_t i = 0; i < t->fragment_ring.n; i++) {
        const Fragment *f = &t->fragment[ww_ring_slot(&t->fragment_ring, i)];
        if (f->parts == 0) {
            ww_explain_holds_req(explain, f->req);
        } else {
            ww_explain_sent(explain, ww_thing_req(f->req));
            oldest = oldest != NULL ? oldest : f;
        }
    }
    if (oldest != NULL) {
        ww_explain_waits_for(
            explain, ww_thing_req(oldest->req),
            "%u %s in order, for data of %" G_GINT64_MODIFIER "x", t->fragment_ring.n,
            WW_PLURAL(t->fragment_ring.n, "access waits", "accesses wait"), oldest->addr);
    }
    for (uint32_t i = 0; i < t->result_ring.n; i++) {
        ww_explain_holds_req(explain, t->result[ww_ring_slot(&t->result_ring, i)]);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow texture_params[] = {
    WW_UINT(Texture, sets, "", "4", 1, 4096, "number of sets; a power of two"),
    WW_UINT(Texture, line, "bytes", "128", 32, 4096, "line size; a power of two"),
    WW_UINT(Texture, ways, "", "256", 1, MAX_WAYS, "lines per set"),
    WW_UINT(Texture, fragments, "entries", "512", 1, 65536,
            "accesses waiting for data, their own or those of earlier ones"),
    WW_UINT(Texture, requests, "entries", "8", 1, 4096,
            "misses waiting to be sent to the next level"),
    WW_UINT(Texture, under_way, "entries", "128", 1, 65536,
            "misses among the waiting accesses: room for their data"),
    WW_UINT(Texture, results, "entries", "2", 1, 4096, "finished accesses waiting to be taken"),
    WW_BOOL(Texture, sectors, "true",
            "a miss gets one response per 32 bytes, as from a sectored L2; false: a single one"),
    {0},
};

static const WwPortRow texture_ports[] = {
    WW_PORT_PROVIDES(Texture, cache, &ww_contract_cache, &texture_table, "accesses"),
    WW_PORT_OUT(Texture, lower, &ww_contract_mem_request, 1, "misses"),
    {0},
};

static const char *const refusals[] = {"fragments", "requests", "under_way"};
static const char *const traffic_labels[] = {WW_TRAFFIC_LABELS};

static const WwStatRow texture_stats[] = {
    WW_COUNTER(Texture, accesses, "accesses", "accesses accepted"),
    {.name = "misses",
     .kind = WW_STAT_COUNTER,
     .unit = "accesses",
     .doc = "of these, those that requested a line",
     .n = 1,
     .offset = WW_FIELD(Texture, missed, uint64_t)},
    WW_VECTOR(Texture, refused, "accesses", refusals,
              "refusals of accesses (each time), by what was full"),
    WW_COUNTER(Texture, lower_full, "cycles",
               "cycles in which nothing could be sent to the next level"),
    WW_VECTOR(Texture, traffic, "packets", traffic_labels,
              "packets sent into the network, by access type and bytes"),
    {0},
};

static const WwEntryRow texture_entries[] = {
    {.name = "cycle",
     .owner = "cache",
     .tick = texture_cycle,
     .doc = "sends a request to the next level, completes the oldest access"},
    {0},
};

const WwType cache_texture_type = {
    .abi = WW_ABI_VERSION,
    .name = "cache.texture",
    .doc = "texture cache: tags run ahead of data, responses are in access order",
    .family = "cache",
    .size = sizeof(Texture),
    .events = texture_events,
    .params = texture_params,
    .ports = texture_ports,
    .entries = texture_entries,
    .stats = texture_stats,
    .init = texture_init,
    .reset = texture_reset,
    .settle = texture_settle,
    .explain = texture_explain,
};
