/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of a cache's accesses: by stream while it runs, added up when it is read. */
#include "cache-priv.h"

#include <string.h>

/* A stream's first access; there are a few streams in a run. */
WW_COLD static StreamCounts *add_stream(Cache *c, StreamCounts **at, uint64_t stream)
{
    *at = ww_take(c, sizeof **at);
    (*at)->stream = stream;
    return *at;
}

/* What the access counts for, besides all. */
void cache_choose_stream(Cache *c, uint64_t stream)
{
    StreamCounts **at = &c->streams;
    while (*at != NULL && (*at)->stream != stream) {
        at = &(*at)->next;
    }
    c->last = *at != NULL ? *at : add_stream(c, at, stream);
}

void cache_forget_streams(Cache *c)
{
    while (c->streams != NULL) {
        StreamCounts *s = c->streams;
        c->streams = s->next;
        ww_give(c, s);
    }
    c->last = NULL;
}

bool cache_stream(void *self, uint32_t i, WwCacheStream *out)
{
    const StreamCounts *s = ((Cache *)self)->streams;
    while (i != 0 && s != NULL) {
        s = s->next;
        i--;
    }
    if (s != NULL) {
        *out = (WwCacheStream){s->stream, s->outcomes, s->fails};
    }
    return s != NULL;
}

/* Those for which it was taken and that are over. */
static uint64_t busy_cycles(const Cache *c, const CachePort *p)
{
    uint64_t over = cycles_over(c);
    return p->taken - (p->free > over ? p->free - over : 0);
}

void cache_tally(void *self)
{
    Cache *c = self;
    c->data_port_busy = busy_cycles(c, &c->data);
    c->fill_port_busy = busy_cycles(c, &c->fill);
    memset(c->outcomes, 0, sizeof c->outcomes);
    memset(c->fails, 0, sizeof c->fails);
    c->accesses = c->misses_total = c->pending_hits = c->reservation_fails = 0;
    for (const StreamCounts *s = c->streams; s != NULL; s = s->next) {
        for (uint32_t i = 0; i < G_N_ELEMENTS(c->outcomes); i++) {
            c->outcomes[i] += s->outcomes[i];
        }
        for (uint32_t i = 0; i < G_N_ELEMENTS(c->fails); i++) {
            c->fails[i] += s->fails[i];
        }
    }
    for (uint32_t type = 0; type < WW_N_ACCESS_TYPES; type++) {
        const uint64_t *o = &c->outcomes[type * WW_N_CACHE_RESULTS];
        uint64_t misses = o[WW_CACHE_MISS] + o[WW_CACHE_SECTOR_MISS];
        c->accesses += o[WW_CACHE_HIT] + o[WW_CACHE_HIT_RESERVED] + misses;
        c->misses_total += misses;
        c->pending_hits += o[WW_CACHE_HIT_RESERVED];
        c->reservation_fails += o[WW_CACHE_RESERVATION_FAIL];
    }
}

/* Each refusal is an event, if somebody wants them. */
bool cache_refuses(void *self)
{
    Cache *c = self;
    bool refuses = c->refused == c->changes;
    c->tells_later = refuses && c->base.logged != 0 && ww_log_later();
    return refuses && (c->base.logged == 0 || c->tells_later);
}

static __attribute__((noinline)) void tell_refused(Cache *c, const WwMemReq *req, uint64_t n)
{
    const uint64_t values[] = {
        WW_PART(req),
        WW_PART(cache_outcome(WW_CACHE_RESERVATION_FAIL, (CacheFail)refusal_of(c, req)->why))};
    ww_log_past(c, n, &cache_events[LOG_ACCESS], req->warp, values, G_N_ELEMENTS(values));
}

void cache_refused(void *self, const WwMemReq *req, uint64_t n)
{
    Cache *c = self;
    if (c->last->stream != req->stream) {
        cache_choose_stream(c, req->stream);
    }
    c->last->fails[req->type * N_CACHE_FAILS + refusal_of(c, req)->why] += n;
    c->last->outcomes[req->type * WW_N_CACHE_RESULTS + WW_CACHE_RESERVATION_FAIL] += n;
    if (c->tells_later) {
        tell_refused(c, req, n);
    }
}
