/* SPDX-License-Identifier: Apache-2.0 */
/* The L0 instruction cache, the stream buffers and the cache of constants, each alone. */
#include "tests.h"

#include <ports/sub_core.h>
#include <testing/fake_cache.h>
#include <testing/fake_prefetch.h>

#define CODE UINT64_C(0x7f0000000000)

/* ---- L0 instruction cache ----------------------------------------------------------------------------------------- */

typedef struct Bench {
    WwHarness *h;
    WwFakeCache *cache;
    WwFakePrefetch *prefetch;
    const WwFetchesIf *f;
    const WwRefillIf *refill;
    void *self;
} Bench;

static Bench bench(bool streams)
{
    Bench b = {.h = ww_harness_new(test_registry(), "icache.l0", NULL)};
    b.cache = ww_harness_fill(b.h, "cache", NULL, NULL);
    b.prefetch = streams ? ww_harness_fill(b.h, "prefetch", NULL, NULL) : NULL;
    ww_harness_callers(b.h, "fetches", WW_RANK_FETCH, 1);
    ww_harness_start(b.h, NULL);
    b.f = ww_harness_table(b.h, "fetches", &b.self);
    b.refill = ww_harness_table(b.h, "refill", &b.self);
    b.cache->facts.line = b.cache->facts.atom = 128;
    return b;
}

static void takes(Bench *b, uint32_t warp, uint64_t pc)
{
    uint32_t w;
    uint64_t at;
    g_assert_true(b->f->take(b->self, &w, &at));
    g_assert_cmpuint(w, ==, warp);
    g_assert_cmphex(at, ==, pc);
}

static void takes_nothing(Bench *b)
{
    uint32_t w;
    uint64_t at;
    g_assert_false(b->f->take(b->self, &w, &at));
}

#define ACCESS(warp, pc, result) g_assert_cmpint(b.f->access(b.self, warp, pc), ==, result)

/* A hit is there in the next turn: a miss for who asks. */
static void test_hit(void)
{
    Bench b = bench(false);
    ww_harness_step(b.h, 1);
    takes_nothing(&b);
    ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0);
    ACCESS(3, 0x90, WW_FETCH_MISS);
    g_assert_cmphex(b.cache->last->addr, ==, CODE + 0x90);
    g_assert_cmpuint(b.cache->last->size, ==, 16);
    g_assert_cmpuint(ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0), !=, 0);
    ww_harness_step(b.h, 1);
    takes(&b, 3, 0x90);
    takes_nothing(&b);
    g_assert_cmpuint(ww_harness_stat(b.h, "hits", 0), ==, 1);
    ww_harness_free(b.h);
}

/* A pair of warp and address is asked for once until it has been taken; others of the line are misses of their own. */
static void test_open(void)
{
    Bench b = bench(false);
    b.cache->result = WW_CACHE_MISS;
    ACCESS(3, 0, WW_FETCH_MISS);
    WwMemReq *first = b.cache->last;
    ACCESS(3, 0, WW_FETCH_MISS);
    g_assert_cmpuint(b.cache->accesses, ==, 1);
    ACCESS(3, 0x10, WW_FETCH_MISS);
    WwMemReq *second = b.cache->last;
    ACCESS(4, 0, WW_FETCH_MISS);
    WwMemReq *third = b.cache->last;
    g_assert_cmpuint(b.cache->accesses, ==, 3);
    b.cache->result = WW_CACHE_RESERVATION_FAIL;
    ACCESS(5, 0, WW_FETCH_FAIL);
    ACCESS(5, 0, WW_FETCH_FAIL);
    g_assert_cmpuint(b.cache->accesses, ==, 5);
    g_assert_true(b.refill->awaits(b.self, first));
    b.refill->fill(b.self, first); /* the line comes: the fake has one request of it */
    ww_fake_cache_complete(b.cache, second);
    ww_fake_cache_complete(b.cache, third);
    takes_nothing(&b);
    ww_harness_step(b.h, 1);     /* one response at a time */
    ACCESS(3, 0, WW_FETCH_MISS); /* still under way */
    ww_harness_step(b.h, 3);
    takes(&b, 3, 0);
    takes_nothing(&b);
    ww_harness_step(b.h, 1);
    takes(&b, 3, 0x10);
    ww_harness_step(b.h, 1);
    takes(&b, 4, 0);
    ww_harness_step(b.h, 2);
    takes_nothing(&b);
    g_assert_true(ww_harness_asleep(b.h));
    g_assert_cmpuint(ww_harness_stat(b.h, "repeated", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "refused", 0), ==, 2);
    ww_harness_free(b.h);
}

/* A fetch that finds its line in front of a stream waits there; one that finds nothing begins a stream behind its line. */
static void test_streams(void)
{
    Bench b = bench(true);
    b.cache->result = WW_CACHE_MISS;
    ACCESS(1, 0x90, WW_FETCH_MISS);
    g_assert_cmpuint(b.prefetch->begins, ==, 1);
    g_assert_cmphex(b.prefetch->line, ==, CODE + 0x100);
    g_assert_cmpuint(b.cache->accesses, ==, 1);
    b.prefetch->result = WW_STREAM_AHEAD; /* the stream that it would begin is there */
    ACCESS(2, 0x90, WW_FETCH_MISS);
    b.prefetch->result = WW_STREAM_NONE;
    b.cache->probe = WW_CACHE_HIT; /* nor behind a line that is there */
    ACCESS(3, 0x90, WW_FETCH_MISS);
    g_assert_cmpuint(b.prefetch->begins, ==, 1);
    b.cache->probe = WW_CACHE_HIT_RESERVED; /* one that is under way is not there */
    ACCESS(4, 0x90, WW_FETCH_MISS);
    g_assert_cmpuint(b.prefetch->begins, ==, 2);
    b.prefetch->result = WW_STREAM_HIT;
    ACCESS(5, 0x120, WW_FETCH_MISS);
    g_assert_cmpuint(b.cache->accesses, ==, 4);
    g_assert_cmpuint(b.prefetch->waits, ==, 1);
    g_assert_cmphex(b.prefetch->addr, ==, CODE + 0x120);
    ACCESS(5, 0x120, WW_FETCH_MISS); /* once */
    g_assert_cmpuint(b.prefetch->waits, ==, 1);
    ww_fake_prefetch_give(b.prefetch, 5, CODE + 0x120);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.cache->brought, ==, 1); /* the line goes into the cache */
    g_assert_cmphex(b.cache->installed, ==, CODE + 0x100);
    takes(&b, 5, 0x120);
    g_assert_cmpuint(ww_harness_stat(b.h, "stream_hits", 0), ==, 1);
    ww_harness_free(b.h);
}

/* What the cache refuses until it changes is refused until then, and who asks is woken when that may be over. */
static void test_refuses(void)
{
    Bench b = bench(true);
    const WwFetchesIf *f = b.f;
    b.prefetch->result = WW_STREAM_AHEAD;
    b.cache->result = WW_CACHE_RESERVATION_FAIL;
    ACCESS(5, 0, WW_FETCH_FAIL);
    g_assert_false(f->refuses(b.self)); /* the cache does not say so */
    b.cache->refuses = true;
    b.prefetch->result = WW_STREAM_NONE;
    ACCESS(5, 0x10, WW_FETCH_FAIL);
    g_assert_false(f->refuses(b.self)); /* a stream was begun for it */
    b.prefetch->result = WW_STREAM_AHEAD;
    ACCESS(5, 0x10, WW_FETCH_FAIL);
    g_assert_true(f->refuses(b.self));
    ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0);
    f->refused(b.self, 7, 123);
    g_assert_cmpuint(b.cache->refused, ==, 7);
    g_assert_cmpuint(b.prefetch->searched, ==, 1);
    g_assert_cmpuint(b.prefetch->used, ==, 123);
    ACCESS(5, 0x10,
           WW_FETCH_FAIL); /* who asks again is told the same, and the cache is not asked */
    g_assert_cmpuint(b.cache->accesses, ==, 3);
    g_assert_cmpuint(b.cache->refused, ==, 8);
    g_assert_cmpuint(ww_harness_stat(b.h, "refused", 0), ==, 3 + 7 + 1);
    g_assert_cmpuint(ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0), ==, 0);
    ww_harness_step(b.h, 2); /* its own cycle may have changed something */
    g_assert_cmpuint(ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0), ==, 1);
    g_assert_false(f->refuses(b.self));
    ACCESS(5, 0x10, WW_FETCH_FAIL);
    g_assert_true(f->refuses(b.self));
    b.refill->clear(b.self);
    g_assert_false(f->refuses(b.self));
    g_assert_cmpuint(ww_harness_wakes(b.h, "fetches", WW_RANK_FETCH, 0), ==, 1);
    ww_harness_free(b.h);
}

/* Streams give nothing while a response waits. */
static void test_stream_waits(void)
{
    Bench b = bench(true);
    ww_harness_step(b.h, 1);
    b.prefetch->result = WW_STREAM_HIT;
    ACCESS(5, 0x120, WW_FETCH_MISS);
    b.prefetch->result = WW_STREAM_AHEAD;
    ACCESS(6, 0, WW_FETCH_MISS); /* hits */
    ww_fake_prefetch_give(b.prefetch, 5, CODE + 0x120);
    ww_harness_step(b.h, 3);
    g_assert_cmpuint(b.cache->brought, ==, 0);
    takes(&b, 6, 0);
    takes_nothing(&b);
    ww_harness_step(b.h, 1);
    takes(&b, 5, 0x120);
    ww_harness_free(b.h);
}

/* ---- stream buffers ----------------------------------------------------------------------------------------------- */

typedef struct Streams {
    WwHarness *h;
    WwFakeCache *cache;
    const WwPrefetchIf *f;
    void *self;
} Streams;

static Streams streams(const char *params, const char *channel)
{
    Streams s = {.h = ww_harness_new(test_registry(), "stream_buffer", params)};
    s.cache = ww_harness_fill(s.h, "cache", NULL, NULL);
    ww_harness_channel(s.h, "requests", channel);
    ww_harness_start(s.h, NULL);
    s.f = ww_harness_table(s.h, "prefetch", &s.self);
    return s;
}

/* A cycle; the line that was sent for, or 0. */
static uint64_t sent(Streams *s, WwMemReq **req)
{
    WwToken t;
    ww_harness_step(s->h, 1);
    if (!ww_harness_take(s->h, "requests", NULL, &t)) {
        return 0;
    }
    if (req != NULL) {
        *req = ww_token_mem(t);
    }
    return ww_token_mem(t)->addr;
}

static WwStreamResult search(Streams *s, uint64_t line)
{
    uint32_t buffer;
    return s->f->search(s->self, line, &buffer);
}

/* Lines are sent for one a cycle until the buffer is full; only the first one is found. */
static void test_depth(void)
{
    Streams s = streams("depth=3", "depth=1");
    s.f->begin(s.self, 0x1000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x1000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x1080);
    g_assert_cmphex(sent(&s, NULL), ==, 0x1100);
    g_assert_cmphex(sent(&s, NULL), ==, 0);
    g_assert_true(ww_harness_asleep(s.h));
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_HIT);
    g_assert_cmpint(search(&s, 0xf80), ==, WW_STREAM_AHEAD);
    g_assert_cmpint(search(&s, 0x1080), ==, WW_STREAM_NONE);
    ww_harness_free(s.h);
}

/* A line that is in the cache, or on its way there, ends the stream; a new one that begins just there is refused. */
static void test_ends(void)
{
    Streams s = streams(NULL, "depth=1");
    s.f->begin(s.self, 0x1000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x1000);
    s.cache->probe = WW_CACHE_HIT_RESERVED;
    g_assert_cmphex(sent(&s, NULL), ==, 0);
    s.cache->probe = WW_CACHE_MISS;
    s.f->begin(s.self, 0x1080);
    g_assert_cmphex(sent(&s, NULL), ==, 0);
    s.f->begin(s.self, 0x2000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x2000);
    g_assert_cmpuint(ww_harness_stat(s.h, "ends", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(s.h, "discarded", 0), ==, 1);
    ww_harness_free(s.h);
}

/* Nothing is sent while the way is taken. */
static void test_busy(void)
{
    Streams s = streams(NULL, "depth=1");
    WwToken t;
    s.f->begin(s.self, 0x1000);
    ww_harness_step(s.h, 5);
    g_assert_cmpuint(ww_harness_count(s.h, "requests"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(s.h, "prefetches", 0), ==, 1);
    ww_harness_take(s.h, "requests", NULL, &t);
    g_assert_cmphex(sent(&s, NULL), ==, 0x1080);
    ww_harness_free(s.h);
}

/* Who waits is given an instruction a cycle, the lowest warp and address first; the line leaves with the last; a stream that is waited for stays. */
static void test_give(void)
{
    Streams s = streams("depth=2", "depth=1");
    WwMemReq *req = NULL;
    uint32_t warp;
    uint64_t addr;
    s.f->begin(s.self, 0x1000);
    sent(&s, &req);
    sent(&s, NULL);
    s.f->wait(s.self, 0, 7, 0x107f);
    s.f->wait(s.self, 0, 2, 0x1031); /* any pc, to the byte */
    s.f->wait(s.self, 0, 2, 0x1000);
    s.f->wait(s.self, 0, 2, 0x1030);
    s.f->wait(s.self, 0, 2, 0x1031); /* once */
    s.f->begin(s.self, 0x8000);
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_HIT);
    s.f->allow(s.self, true);
    ww_harness_step(s.h, 2);
    g_assert_false(s.f->take(s.self, &warp, &addr));
    g_assert_true(s.f->awaits(s.self, req));
    s.f->fill(s.self, req);
    static const uint32_t warps[] = {2, 2, 2, 7};
    static const uint64_t addrs[] = {0x1000, 0x1030, 0x1031, 0x107f};
    s.f->allow(s.self, false);
    ww_harness_step(s.h, 2);
    g_assert_false(s.f->take(s.self, &warp, &addr));
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_HIT);
        s.f->allow(s.self, true);
        ww_harness_step(s.h, 1);
        g_assert_true(s.f->take(s.self, &warp, &addr));
        g_assert_cmpuint(warp, ==, warps[i]);
        g_assert_cmphex(addr, ==, addrs[i]);
    }
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_AHEAD); /* the next is in front */
    g_assert_cmphex(sent(&s, NULL), ==, 0x1100);
    g_assert_cmpuint(ww_harness_stat(s.h, "useful", 0), ==, 1);
    ww_harness_free(s.h);
}

/* A search that would have been made again is a use in the last of its cycles, of what it found. */
static void test_searched(void)
{
    Streams s = streams("buffers=2 depth=1", "depth=1");
    s.f->begin(s.self, 0x1000);
    sent(&s, NULL);
    s.f->begin(s.self, 0x2000);
    sent(&s, NULL);
    g_assert_cmpint(search(&s, 0x2000), ==, WW_STREAM_HIT);
    ww_harness_step(s.h, 1);
    g_assert_cmpint(search(&s, 0x1000 - 0x80), ==, WW_STREAM_AHEAD);
    s.f->searched(s.self, 100);
    g_assert_cmpint(search(&s, 0x5000), ==, WW_STREAM_NONE);
    s.f->searched(s.self, 0); /* it found nothing */
    for (uint32_t i = 0; i < 2; i++) {
        ww_harness_step(s.h, 1);
        g_assert_cmpint(search(&s, 0x2000), ==,
                        WW_STREAM_HIT); /* later, but not used to cycle 100 */
    }
    s.f->begin(s.self, 0x3000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x3000);
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_HIT);
    g_assert_cmpint(search(&s, 0x2000), ==, WW_STREAM_NONE);
    ww_harness_free(s.h);
}

/* What comes for a stream that is gone is nobody's; an inactive buffer, or the one used longest ago, takes a new stream. */
static void test_victim(void)
{
    Streams s = streams("buffers=2 depth=1", "depth=1");
    WwMemReq *old = NULL;
    s.f->begin(s.self, 0x1000);
    sent(&s, &old);
    s.f->begin(s.self, 0x2000);
    sent(&s, NULL);
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_HIT); /* one buffer each */
    ww_harness_step(s.h, 1);
    g_assert_cmpint(search(&s, 0x2000), ==, WW_STREAM_HIT); /* used later */
    s.f->begin(s.self, 0x3000);
    g_assert_cmphex(sent(&s, NULL), ==, 0x3000);
    g_assert_cmpint(search(&s, 0x1000), ==, WW_STREAM_NONE);
    g_assert_cmpint(search(&s, 0x2000), ==, WW_STREAM_HIT);
    g_assert_false(s.f->awaits(s.self, old));
    ww_harness_free(s.h);
}

/* ---- constants ---------------------------------------------------------------------------------------------------- */

static void test_constants(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "constants.l0", NULL);
    WwFakeCache *cache = ww_harness_fill(h, "cache", NULL, NULL);
    void *self;
    ww_harness_start(h, NULL);
    const WwConstantsIf *f = ww_harness_table(h, "constants", &self);
    const WwRefillIf *refill = ww_harness_table(h, "refill", &self);
    WwTiming timing = {.flags = WW_TAKES_CONSTANT, .constant = 0xEEEEEEEEu + 0x160};
    WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_SP, .warp = 9});
    inst->timing = &timing;
    cache->result = WW_CACHE_MISS;
    g_assert_false(f->ready(self, inst)); /* sent for, */
    WwMemReq *req = cache->last;
    g_assert_cmphex(req->addr, ==, timing.constant);
    g_assert_cmpint(req->type, ==, WW_ACCESS_CONST_R);
    cache->probe = WW_CACHE_HIT_RESERVED;
    g_assert_false(f->ready(self, inst)); /* once */
    g_assert_cmpuint(cache->accesses, ==, 1);
    cache->fill_port_taken = true;
    g_assert_false(refill->ready(self));
    cache->fill_port_taken = false;
    g_assert_true(refill->awaits(self, req));
    ww_harness_wakes(h, "constants", WW_RANK_ISSUE, 0);
    refill->fill(self, req);
    g_assert_cmpuint(cache->order.n, ==, 0); /* nobody is told: who needs it asks again */
    g_assert_cmpuint(ww_harness_wakes(h, "constants", WW_RANK_ISSUE, 0), !=, 0);
    cache->result = cache->probe = WW_CACHE_HIT;
    g_assert_true(f->ready(self, inst));
    g_assert_cmpuint(cache->accesses, ==, 2); /* it is used */
    cache->result = WW_CACHE_RESERVATION_FAIL;
    cache->probe = WW_CACHE_MISS;
    g_assert_false(f->ready(self, inst));
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "misses", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "waits", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "refused", 0), ==, 1);
    ww_harness_free(h);
}

void register_icache_l0_tests(void)
{
    g_test_add_func("/modern/icache_l0/hit", test_hit);
    g_test_add_func("/modern/icache_l0/open", test_open);
    g_test_add_func("/modern/icache_l0/streams", test_streams);
    g_test_add_func("/modern/icache_l0/stream-waits", test_stream_waits);
    g_test_add_func("/modern/icache_l0/refuses", test_refuses);
    g_test_add_func("/modern/stream_buffer/depth", test_depth);
    g_test_add_func("/modern/stream_buffer/ends", test_ends);
    g_test_add_func("/modern/stream_buffer/busy", test_busy);
    g_test_add_func("/modern/stream_buffer/give", test_give);
    g_test_add_func("/modern/stream_buffer/victim", test_victim);
    g_test_add_func("/modern/stream_buffer/searched", test_searched);
    g_test_add_func("/modern/constants_l0", test_constants);
}
