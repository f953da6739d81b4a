/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream buffers beside an instruction cache: a queue of lines each, which follow each other in memory and were sent for before anybody asked.
 *
 * A stream begins behind a line that is neither in the cache nor in front of a buffer, and throws out what the buffer held, unless somebody waits for its
 * first line, or the stream would go on there anyway. In each cycle a buffer sends for one more line while it has room, the way to the
 * SM's cache is free, and the line is neither in the cache nor on its way there; if it is, the stream ends. Who asks for the first line of a buffer waits in
 * it; when the line has come one of them is given its instruction each cycle, the lowest warp and address first, and the line goes into the cache. It
 * leaves the buffer with the last of them. A line that nobody asks for never enters the cache.
 *
 * Of several buffers an inactive one takes a new stream, else the one that was looked up in vain for longest; they take turns in giving.
 *
 * Source: Jouppi (ISCA 1990); Huerta et al., MICRO'25, and the simulator that they released (docs/modern.md).
 *
 * Workload: a request for each line of code that is executed for the first time; a look at the first line of each buffer for each fetch.
 *
 *     icache.l0 ──prefetch──> stream_buffer ──requests──> link
 *                                    └──cache──> cache.l1 (of the icache: is the line there?)
 */
#include "types.h"
#include <ports/ctas.h>
#include <ports/events.h>
#include <ports/req_pool.h>
#include <ports/sub_core.h>
#include <string.h>
#include <warpwright/pool.h>

#define MAX_BUFFERS 8u
#define MAX_DEPTH 32u

/* Somebody waits for an instruction of the first line. */
typedef struct Wait {
    uint64_t addr;
    uint32_t next; /* Of its warp, in ascending order: a handle, 0 at the end. */
} Wait;

typedef struct Stream {
    bool active;
    bool asked;                   /* Somebody waits for the first line. */
    uint32_t n;                   /* Lines. */
    uint32_t arrived;             /* Bit i: line i is there. */
    uint64_t next;                /* What is sent for next: the lines lie before it. */
    WwCycle hit;                  /* When a line in front was found last; WW_NEVER: never. */
    uint32_t waits[WW_MAX_WARPS]; /* By warp: handle of the first, 0: none. */
} Stream;

typedef struct Request {
    WwMemReq req; /* First: its address is the item's. */
    uint32_t buffer;
} Request;

typedef struct StreamBuffer {
    WwComponent base;
    /* parameters */
    uint32_t buffers, depth, rate;
    /* ports */
    WwProvided prefetch;
    WwPort cache;
    WwPort requests;
    WwPort ctas;
    /* state */
    WwMemOwner owner;
    WwPool pool;
    WwPool waits;
    uint64_t serial;
    uint32_t line;
    WwWake step;
    Stream stream[MAX_BUFFERS];
    uint32_t turn;  /* The buffer that may give next. */
    uint32_t found; /* Bit i: the last search was a use of buffer i. */
    bool allowed;
    bool given;
    uint32_t given_warp;
    uint64_t given_addr;
    /* statistics */
    uint64_t streams;
    uint64_t prefetches;
    uint64_t discarded;
    uint64_t useful;
    uint64_t ends;
} StreamBuffer;

enum { LOG_STREAM, LOG_PREFETCH };
static const WwEventField field_buffer =
    WW_EVENT_FIELD("buffer", WW_EVENT_NUMBER, "", "which stream buffer");
static const WwEventRow stream_events[] = {
    [LOG_STREAM] = {"stream", "", "a stream starts", {&field_buffer, &ww_field_addr}},
    [LOG_PREFETCH] = {"prefetch", "", "a line is requested", {&field_buffer, &ww_field_addr}},
    {0},
};

static inline uint64_t first_line(const StreamBuffer *b, const Stream *s)
{
    return s->next - (uint64_t)s->n * b->line;
}

/* Has somebody been waiting for a line that is there? */
static inline bool can_give(const Stream *s)
{
    return s->n != 0 && s->asked && (s->arrived & 1u) != 0;
}

/* ---- what the cache asks ------------------------------------------------------------------------------------------------- */

static bool in_front(StreamBuffer *b, uint32_t i, uint64_t line)
{
    Stream *s = &b->stream[i];
    if (s->n == 0 || first_line(b, s) != line) {
        return false;
    }
    s->hit = ww_now(b);
    b->found |= 1u << i;
    return true;
}

static WwStreamResult stream_search(void *self, uint64_t line, uint32_t *buffer)
{
    StreamBuffer *b = self;
    WwStreamResult result = WW_STREAM_NONE;
    b->found = 0;
    for (uint32_t i = 0; i < b->buffers; i++) {
        if (in_front(b, i, line)) {
            *buffer = i;
            return WW_STREAM_HIT;
        }
        if (in_front(b, i, line + b->line)) {
            *buffer = i;
            result = WW_STREAM_AHEAD;
        }
    }
    return result;
}

static void stream_searched(void *self, WwCycle last)
{
    StreamBuffer *b = self;
    for (uint32_t left = b->found; left != 0; left &= left - 1) {
        b->stream[__builtin_ctz(left)].hit = last;
    }
}

static void stream_begin(void *self, uint64_t line)
{
    StreamBuffer *b = self;
    uint32_t best = 0;
    for (uint32_t i = 0; i < b->buffers; i++) {
        if (!b->stream[i].active) {
            best = i;
            break;
        }
        best = b->stream[i].hit < b->stream[best].hit ? i : best;
    }
    Stream *s = &b->stream[best];
    if ((s->n != 0 && s->asked) || s->next == line) {
        return;
    }
    b->discarded += s->n;
    s->n = s->arrived = 0;
    s->active = true;
    s->next = line;
    b->streams++;
    WW_LOG(b, &stream_events[LOG_STREAM], -1, best, line);
    ww_wake(&b->step);
}

static void stream_wait(void *self, uint32_t buffer, uint32_t warp, uint64_t addr)
{
    StreamBuffer *b = self;
    Stream *s = &b->stream[buffer];
    uint32_t *at = &s->waits[warp];
    Wait *w = NULL;
    while (*at != 0 && (w = ww_pool_at(&b->waits, *at))->addr < addr) {
        at = &w->next;
    }
    if (*at == 0 || w->addr != addr) {
        Wait *more = ww_pool_take(&b->waits);
        *more = (Wait){.addr = addr, .next = *at};
        *at = ww_pool_handle(more);
    }
    s->asked = true;
    ww_wake(&b->step);
}

/* ---- what comes back ----------------------------------------------------------------------------------------------------- */

/* The stream that has the line of @p response, and which of its lines (@p k) that is; NULL: none has it any more. */
static Stream *stream_of(StreamBuffer *b, const WwMemReq *response, uint64_t *k)
{
    if (response->owner != &b->owner) {
        return NULL;
    }
    Stream *s = &b->stream[((const Request *)(const void *)response)->buffer];
    uint64_t first = first_line(b, s);
    *k = (response->addr - first) / b->line;
    return response->addr >= first && *k < s->n ? s : NULL;
}

static bool stream_awaits(void *self, const WwMemReq *response)
{
    uint64_t k;
    return stream_of(self, response, &k) != NULL;
}

static void stream_fill(void *self, WwMemReq *response)
{
    StreamBuffer *b = self;
    uint64_t k;
    Stream *s = stream_of(b, response, &k);
    if (s != NULL) {
        s->arrived |= 1u << k;
        ww_wake(&b->step);
    }
    ww_mem_release(response);
}

static void stream_allow(void *self, bool allowed)
{
    ((StreamBuffer *)self)->allowed = allowed;
}

static bool stream_take(void *self, uint32_t *warp, uint64_t *addr)
{
    StreamBuffer *b = self;
    bool given = b->given;
    *warp = b->given_warp;
    *addr = b->given_addr;
    b->given = false;
    return given;
}

/* When a buffer was used last stays. */
static void stream_clear(void *self)
{
    StreamBuffer *b = self;
    for (uint32_t i = 0; i < b->buffers; i++) {
        Stream *s = &b->stream[i];
        b->discarded += s->n;
        s->active = s->asked = false;
        s->n = s->arrived = 0;
        s->next = UINT64_MAX;
        memset(s->waits, 0, sizeof s->waits);
    }
    ww_pool_reset(&b->waits);
    b->given = false;
}

static const WwPrefetchIf prefetch_table = {
    .search = stream_search,
    .searched = stream_searched,
    .begin = stream_begin,
    .wait = stream_wait,
    .awaits = stream_awaits,
    .fill = stream_fill,
    .allow = stream_allow,
    .take = stream_take,
    .clear = stream_clear,
};

/* A request that is over, wherever that was. */
static void give_back(WwMemOwner *owner, WwMemReq *req)
{
    StreamBuffer *b = (StreamBuffer *)(void *)((char *)owner - offsetof(StreamBuffer, owner));
    if (G_UNLIKELY(!ww_pool_is_used(req))) {
        ww_mem_released_twice(b, req);
        return;
    }
    ww_pool_give(&b->pool, (Request *)(void *)req);
}

/* ---- a cycle ------------------------------------------------------------------------------------------------------------- */

static void send_for(StreamBuffer *b, uint32_t i)
{
    Stream *s = &b->stream[i];
    Request *r = ww_pool_take(&b->pool);
    *r = (Request){
        .req = {.addr = s->next,
                .size = b->line,
                .type = WW_ACCESS_INST_R,
                .owner = &b->owner,
                .serial = b->serial++,
                .birth = (uint32_t)ww_now(b)},
        .buffer = i,
    };
    if (WW_BOUND(&b->ctas)) {
        const WwCtaView *view = WW_CTAS(&b->ctas)->view(b->ctas.peer);
        r->req.sm = (uint16_t)view->sm;
        r->req.cluster = (uint16_t)view->cluster;
    }
    WW_LOG(b, &stream_events[LOG_PREFETCH], -1, i, s->next);
    ww_fifo_put(&b->requests, ww_token_of(&r->req));
    s->arrived &= ~(1u << s->n);
    s->n++;
    s->next += b->line;
    b->prefetches++;
}

/* False: it cannot go on before there is room again. */
static bool go_on(StreamBuffer *b, uint32_t i)
{
    Stream *s = &b->stream[i];
    if (!s->active || s->n == b->depth) {
        return true;
    }
    if (!ww_fifo_room(&b->requests)) {
        return false;
    }
    if (WW_CACHE(&b->cache)->probe(b->cache.peer, s->next) != WW_CACHE_MISS) {
        s->active = false; /* what follows was fetched before */
        b->ends++;
        return true;
    }
    send_for(b, i);
    return true;
}

static void give(StreamBuffer *b, Stream *s)
{
    uint32_t warp = 0;
    while (s->waits[warp] == 0) {
        warp++;
    }
    Wait *w = ww_pool_at(&b->waits, s->waits[warp]);
    s->waits[warp] = w->next;
    b->given = true;
    b->given_warp = warp;
    b->given_addr = w->addr;
    ww_pool_give(&b->waits, w);
    while (warp < WW_MAX_WARPS && s->waits[warp] == 0) {
        warp++;
    }
    if (warp == WW_MAX_WARPS) {
        s->asked = false;
        s->n--;
        s->arrived >>= 1;
        b->useful++;
    }
}

static WwRest stream_step(void *self)
{
    StreamBuffer *b = self;
    bool more = false;
    for (uint32_t i = 0; i < b->buffers; i++) {
        for (uint32_t k = 0; k < b->rate && go_on(b, i); k++) {
        }
        if (b->allowed) {
            Stream *s = &b->stream[b->turn];
            b->turn = (b->turn + 1) % b->buffers;
            if (can_give(s)) {
                give(b, s);
                b->allowed = false;
            }
        }
    }
    for (uint32_t i = 0; i < b->buffers; i++) {
        const Stream *s = &b->stream[i];
        more |= can_give(s) || (s->active && s->n < b->depth);
    }
    return more ? WW_AGAIN : WW_SLEEP;
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static bool stream_init(void *self, GError **error)
{
    StreamBuffer *b = self;
    b->owner.release = give_back;
    ww_pool_init(&b->pool, b, sizeof(Request));
    ww_pool_init(&b->waits, b, sizeof(Wait));
    return true;
}

static void stream_reset(void *self)
{
    StreamBuffer *b = self;
    ww_pool_reset(&b->pool);
    ww_pool_reset(&b->waits);
    b->line = WW_CACHE(&b->cache)->facts(b->cache.peer)->line;
    b->step = ww_wake_of(b, 0);
    b->serial = 0;
    memset(b->stream, 0, sizeof b->stream);
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        b->stream[i].next = UINT64_MAX;
        b->stream[i].hit = WW_NEVER;
    }
    b->turn = b->found = 0;
    b->allowed = b->given = false;
    b->given_warp = 0;
    b->given_addr = 0;
}

static void stream_explain(void *self, WwExplain *explain)
{
    StreamBuffer *b = self;
    for (uint32_t i = 0; i < b->buffers; i++) {
        const Stream *s = &b->stream[i];
        if (s->asked && s->n != 0 && !(s->arrived & 1u)) {
            ww_explain_waits(explain, b->requests.peer,
                             "stream buffer %u waits for line %" G_GINT64_MODIFIER "x", i,
                             first_line(b, s));
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwParamRow stream_params[] = {
    WW_UINT(StreamBuffer, buffers, "", "1", 1, MAX_BUFFERS, "stream buffers"),
    WW_UINT(StreamBuffer, depth, "entries", "8", 1, MAX_DEPTH, "lines per buffer"),
    WW_UINT(StreamBuffer, rate, "", "1", 1, MAX_DEPTH, "lines a buffer requests per cycle"),
    {0},
};

static const WwPortRow stream_ports[] = {
    WW_PORT_PROVIDES(StreamBuffer, prefetch, &ww_contract_prefetch, &prefetch_table,
                     "prefetched lines for an instruction cache"),
    WW_PORT_REQUIRES(StreamBuffer, cache, &ww_contract_cache, 1, NULL,
                     "that cache: tells whether a line is present or pending"),
    WW_PORT_OUT(StreamBuffer, requests, &ww_contract_mem_request, 1, "requests for lines"),
    WW_PORT_REQUIRES(StreamBuffer, ctas, &ww_contract_ctas, 0, NULL, "the number of this SM"),
    {0},
};

static const WwStatRow stream_stats[] = {
    WW_COUNTER(StreamBuffer, streams, "streams", "streams started"),
    WW_COUNTER(StreamBuffer, ends, "streams",
               "streams that reached a line that was present or pending"),
    WW_COUNTER(StreamBuffer, prefetches, "lines", "lines requested"),
    WW_COUNTER(StreamBuffer, useful, "lines", "of these, lines that went into the cache"),
    WW_COUNTER(StreamBuffer, discarded, "lines", "of these, lines discarded for a new stream"),
    {0},
};

static const WwEntryRow stream_entries[] = {
    {.name = "step",
     .owner = "prefetch",
     .tick = stream_step,
     .doc = "requests lines, delivers one instruction"},
    {0},
};

const WwType stream_buffer_type = {
    .abi = WW_ABI_VERSION,
    .name = "stream_buffer",
    .doc = "stream buffers: prefetch lines of code for an L0 instruction cache",
    .family = "prefetch",
    .size = sizeof(StreamBuffer),
    .events = stream_events,
    .params = stream_params,
    .ports = stream_ports,
    .stats = stream_stats,
    .entries = stream_entries,
    .init = stream_init,
    .reset = stream_reset,
    .explain = stream_explain,
};
