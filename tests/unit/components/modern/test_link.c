/* SPDX-License-Identifier: Apache-2.0 */
/* The link alone, and with real caches at both ends: how long a miss takes. */
#include "tests.h"

#include <ports/sub_core.h>
#include <testing/fake_cache.h>
#include <testing/fake_refill.h>
#include <tests/support/machine.h>

typedef struct Bench {
    WwHarness *h;
    WwFakeCache *cache;
    WwFakeRefill *client;
    WwMemReq req[8];
} Bench;

static void start(Bench *b, const char *params)
{
    b->h = ww_harness_new(test_registry(), "link.l0_l1", params);
    ww_harness_channel(b->h, "requests", "depth=1");
    ww_harness_channel(b->h, "response", "depth=0 same=true");
    b->cache = ww_harness_fill(b->h, "cache", NULL, NULL);
    b->client = ww_harness_fill(b->h, "clients[0]", NULL, NULL);
    ww_harness_start(b->h, NULL);
    for (uint32_t i = 0; i < G_N_ELEMENTS(b->req); i++) {
        b->req[i] = (WwMemReq){.addr = 0x1000 + 128 * i, .size = 16, .type = WW_ACCESS_INST_R};
    }
}

static bool put(Bench *b, uint32_t i)
{
    return ww_harness_put(b->h, "requests", -1, ww_token_of(&b->req[i]));
}

/* Steps until something more is given back; in which cycle. */
static WwCycle given(Bench *b)
{
    uint32_t fills = b->client->fills;
    for (uint32_t i = 0; i < 400 && b->client->fills == fills; i++) {
        ww_harness_step(b->h, 1);
    }
    g_assert_cmpuint(b->client->fills, ==, fills + 1);
    return b->client->when;
}

/* What is put in cycle 0 is looked up in 40 and, when it hits, given in 79; one a cycle follows. */
static void test_latency(void)
{
    Bench b;
    start(&b, NULL);
    ww_harness_step(b.h, 1);
    g_assert_true(put(&b, 0)); /* late in cycle 0 */
    ww_harness_step(b.h, 39);  /* cycles 1 to 39 */
    g_assert_cmpuint(b.cache->accesses, ==, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.cache->accesses, ==, 1);
    g_assert_cmpuint(given(&b), ==, 79);
    g_assert_true(b.client->last == &b.req[0]);
    g_assert_true(ww_harness_asleep(b.h));
    ww_harness_step(b.h, 20); /* now = 100: put late in 99 */
    for (uint32_t i = 1; i < 4; i++) {
        g_assert_true(put(&b, i));
        g_assert_false(put(&b, i + 1)); /* one a cycle */
        ww_harness_step(b.h, 1);
    }
    g_assert_cmpuint(given(&b), ==, 99 + 79);
    g_assert_cmpuint(given(&b), ==, 99 + 80);
    g_assert_cmpuint(given(&b), ==, 99 + 81);
    g_assert_cmpuint(ww_harness_stat(b.h, "requested", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(b.h, "replies", 0), ==, 4);
    ww_harness_free(b.h);
}

/* Stages, one less and one more, on each way. */
static void test_stages(void)
{
    Bench b;
    start(&b, "to_l1=2 to_l0=1");
    ww_harness_step(b.h, 1);
    put(&b, 0);
    ww_harness_step(b.h, 2);
    g_assert_cmpuint(b.cache->accesses, ==, 0);
    g_assert_cmpuint(given(&b), ==, 4); /* looked up in 3 */
    ww_harness_free(b.h);
}

/* A cache that refuses holds those behind; the way there closes up, and fills: 2 stages, and the place in front. */
static void test_refused(void)
{
    Bench b;
    start(&b, "to_l1=2 to_l0=3");
    b.cache->result = WW_CACHE_RESERVATION_FAIL;
    uint32_t n = 0;
    ww_harness_step(b.h, 1);
    for (uint32_t i = 0; i < 10; i++) {
        n += put(&b, n);
        ww_harness_step(b.h, 1);
    }
    g_assert_cmpuint(n, ==, 3);
    g_assert_cmpuint(b.cache->accesses, ==, 8);     /* cycles 3 to 10 */
    g_assert_cmpuint(b.cache->last->birth, ==, 10); /* each try is a new one */
    b.cache->result = WW_CACHE_HIT;
    WwCycle now = ww_harness_now(b.h);
    g_assert_cmpuint(given(&b), ==, now + 3);
    g_assert_cmpuint(given(&b), ==, now + 4);
    ww_harness_free(b.h);
}

/* A client that cannot be filled holds all behind; what nobody awaits goes. */
static void test_blocked(void)
{
    Bench b;
    start(&b, "to_l1=2 to_l0=2");
    ww_harness_step(b.h, 1);
    b.client->busy = true;
    for (uint32_t i = 0; i < 2; i++) {
        put(&b, i);
        ww_harness_step(b.h, 1);
    }
    ww_harness_step(b.h, 10);
    g_assert_cmpuint(b.client->fills, ==, 0);
    b.client->busy = false;
    WwCycle now = ww_harness_now(b.h);
    g_assert_cmpuint(given(&b), ==, now);
    g_assert_cmpuint(given(&b), ==, now + 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "blocked", 0), !=, 0);
    b.client->deaf = true;
    put(&b, 3);
    ww_harness_step(b.h, 20);
    g_assert_cmpuint(b.client->fills, ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "dropped", 0), ==, 1);
    g_assert_true(ww_harness_asleep(b.h));
    ww_harness_free(b.h);
}

/* A miss is over when the cache says so, and goes onto the way back in that cycle, unless a hit did. */
static void test_miss(void)
{
    Bench b;
    start(&b, "to_l1=2 to_l0=4");
    b.cache->result = WW_CACHE_MISS;
    ww_harness_step(b.h, 1);
    put(&b, 0);
    ww_harness_step(b.h, 10);
    WwMemReq *asked = b.cache->last;
    g_assert_true(asked != &b.req[0]);
    g_assert_cmphex(asked->addr, ==, b.req[0].addr);
    g_assert_true(ww_harness_asleep(b.h));
    b.cache->result = WW_CACHE_HIT;
    put(&b, 1); /* late in 10: looked up in 13 */
    ww_harness_step(b.h, 2);
    asked->response = true;
    ww_harness_put(b.h, "response", -1, ww_token_of(asked)); /* seen in 13 */
    g_assert_cmpuint(given(&b), ==, 17);
    g_assert_true(b.client->last == &b.req[1]);
    g_assert_cmpuint(given(&b), ==, 18);
    g_assert_true(b.client->last == &b.req[0]);
    ww_harness_free(b.h);
}

/* Code is given up: what nobody waits for any more goes, also from the first stage, but for what stands in front of the cache. */
static void test_clear(void)
{
    Bench b;
    void *self;
    start(&b, "to_l1=2 to_l0=9");
    const WwCodeCachesIf *control = ww_harness_table(b.h, "control", &self);
    ww_harness_step(b.h, 1);
    put(&b, 0); /* late in 0: on the way back from 3 on */
    ww_harness_step(b.h, 2);
    b.cache->result = WW_CACHE_MISS;
    ww_harness_step(b.h, 1);
    b.cache->result = WW_CACHE_RESERVATION_FAIL;
    for (uint32_t i = 1; i < 4; i++) { /* in front of the cache, on the way, in the first stage */
        put(&b, i);
        ww_harness_step(b.h, i < 3 ? 3 : 0);
    }
    b.client->forgets = true;
    control->clear(self);
    g_assert_cmpuint(b.client->clears, ==, 1);
    g_assert_cmpuint(b.cache->invalidations, ==, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "dropped", 0), ==, 1); /* on the way */
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(ww_harness_stat(b.h, "dropped", 0), ==, 2); /* in the first stage */
    b.client->deaf = false; /* a new one, and what it asks for */
    b.cache->result = WW_CACHE_HIT;
    put(&b, 4);
    given(&b);
    g_assert_true(b.client->last == &b.req[1]); /* what stood in front of the cache */
    given(&b);
    g_assert_true(b.client->last == &b.req[4]);
    ww_harness_free(b.h);
}

/* ---- with caches -------------------------------------------------------------------------------------------------- */

/* Two L0 caches and one of constants in front of a shared one, with ideal memory. */
typedef struct Ends {
    WwComponent base;
    WwPort fetches[2];
    uint32_t n_fetches;
    WwPort constants;
} Ends;

static const WwPortRow ends_rows[] = {
    WW_PORT_ARRAY(Ends, fetches, WW_REQUIRES, &ww_contract_fetches, 2, WW_RANK_FETCH, "fetches"),
    WW_PORT_REQUIRES(Ends, constants, &ww_contract_constants, 1, WW_RANK_ISSUE, "lookups"),
    {0},
};
static const WwType ends_type = TEST_ENDS_TYPE(Ends, ends_rows);

typedef struct Rig {
    WwMachine *m;
    WwDomain *core;
    Ends *ends;
    WwComponent *link;
    WwComponent *l0i[2]; /* their tags */
} Rig;

#define CACHE                                                                                      \
    "sector=false write=read_only allocate=fill write_allocate=none port_width=0 mshr=assoc "

static WwComponent *l0(Rig *r, const char *type, int32_t i, WwComponent *requests,
                       WwComponent *link, bool streams)
{
    WwMachine *m = r->m;
    WwComponent *c = test_add(m, NULL, type, type[0] == 'i' ? "l0" : "constants", i);
    WwComponent *cache = test_add(m, NULL, "cache.l1", type[0] == 'i' ? "l0i" : "l0c", i);
    test_set(cache, CACHE "sets=8 ways=32 mshr_entries=32 mshr_merge=16 miss_queue=8");
    if (i >= 0) {
        r->l0i[i] = cache;
    }
    test_join(c, "cache", cache);
    test_join(cache, "lower", requests);
    if (streams) {
        WwComponent *s = test_add(m, NULL, "stream_buffer", "streams", i);
        test_join(c, "prefetch", s);
        test_join(s, "cache", cache);
        test_join(s, "requests", requests);
    }
    test_join(link, "clients", c);
    return c;
}

/* As it is wired, not yet sealed. */
static Rig parts(bool streams)
{
    Rig r = {.m = ww_machine_new(test_registry())};
    ww_machine_add_domain(r.m, "core", 1e9, NULL);
    ww_machine_add_phase(r.m, "intake", "core", NULL);
    ww_machine_add_phase(r.m, "core", "core", NULL);
    ww_machine_set_hang_limit(r.m, 0);
    test_add_type(r.m, NULL, &test_heart_type, "heart", -1);
    r.core = ww_machine_domain(r.m, "core");
    WwComponent *link = test_add(r.m, NULL, "link.l0_l1", "link", -1);
    WwComponent *requests = test_add(r.m, NULL, "fifo", "requests", -1);
    WwComponent *down = test_add(r.m, NULL, "fifo", "down", -1);
    WwComponent *up = test_add(r.m, NULL, "fifo", "up", -1);
    WwComponent *l1 = test_add(r.m, NULL, "cache.l1", "l1", -1);
    WwComponent *memory = test_add(r.m, NULL, "memory.ideal", "memory", -1);
    r.ends = test_add_type(r.m, NULL, &ends_type, "ends", -1);
    r.link = link;
    test_set(requests, "depth=1");
    test_set(up, "depth=0");
    test_set(l1, CACHE "sets=64 ways=16 mshr_entries=32 mshr_merge=32 miss_queue=32");
    test_set(memory, "latency=100");
    test_join(link, "requests", requests);
    test_join(link, "cache", l1);
    test_join(link, "response", up);
    test_join(l1, "lower", down);
    test_join(memory, "req", down);
    test_join(memory, "resp", up);
    for (int32_t i = 0; i < 2; i++) {
        test_join(r.ends, "fetches", l0(&r, "icache.l0", i, requests, link, streams));
    }
    test_join(r.ends, "constants", l0(&r, "constants.l0", -1, requests, link, false));
    return r;
}

static Rig rig(bool streams, bool no_sleep)
{
    Rig r = parts(streams);
    test_seal(r.m, no_sleep);
    return r;
}

static WwFetchResult rig_access(Rig *r, uint32_t i, uint64_t pc)
{
    const WwPort *p = &r->ends->fetches[i];
    return WW_FETCHES(p)->access(p->peer, 1, pc);
}

/* Steps until L0 cache @p i has something; how many cycles that took. */
static uint32_t rig_takes(Rig *r, uint32_t i, uint64_t pc)
{
    const WwPort *p = &r->ends->fetches[i];
    uint32_t warp, n = 0;
    uint64_t at;
    do {
        g_assert_cmpuint(n, <, 1000);
        ww_run(r->m, 1);
        n++;
    } while (!WW_FETCHES(p)->take(p->peer, &warp, &at));
    g_assert_cmphex(at, ==, pc);
    return n;
}

/*
 * A fetch that misses its L0 and hits the shared cache can be taken 80 cycles later, one that hits 1: the cache sends it in its own cycle, at the end of that of the access,
 * its line is given back 79 cycles later, and is the response in that cycle. A constant is there 79 cycles after it was asked for.
 */
static void latencies(bool no_sleep)
{
    Rig r = rig(false, no_sleep);
    ww_run(r.m, 3);
    g_assert_cmpint(rig_access(&r, 0, 0), ==, WW_FETCH_MISS);
    g_assert_cmpuint(rig_takes(&r, 0, 0), >, 180); /* from memory */
    rig_access(&r, 0, 0x70);
    g_assert_cmpuint(rig_takes(&r, 0, 0x70), ==, 1);
    ww_run(r.m, 7);
    rig_access(&r, 1, 0x10); /* between two cycles: it is as if late in the one before */
    g_assert_cmpuint(rig_takes(&r, 1, 0x10), ==, 80);
    ww_machine_free(r.m);
}

static void test_latencies(void)
{
    latencies(false);
    latencies(true);
}

static uint32_t constant_takes(Rig *r, const WwInst *inst)
{
    const WwPort *p = &r->ends->constants;
    uint32_t n = 0;
    while (!WW_CONSTANTS(p)->ready(p->peer, inst)) {
        g_assert_cmpuint(n, <, 1000);
        ww_run(r->m, 1);
        n++;
    }
    return n;
}

static void test_constant_latency(void)
{
    Rig r = rig(false, false);
    WwTiming timing = {.flags = WW_TAKES_CONSTANT, .constant = 0x7f0000000000 + 0x40};
    WwInst inst = {.timing = &timing, .mask = 1};
    ww_run(r.m, 3);
    rig_access(&r, 0, 0); /* the line comes into the shared cache */
    rig_takes(&r, 0, 0);
    ww_run(r.m, 7);
    g_assert_cmpuint(constant_takes(&r, &inst), ==, 80); /* asked late in a cycle, as above */
    g_assert_cmpuint(constant_takes(&r, &inst), ==, 0);
    ww_machine_free(r.m);
}

/* Code in a row: with stream buffers each line is there, or nearly, when it is asked for. */
static uint32_t straight(bool streams, bool no_sleep)
{
    Rig r = rig(streams, no_sleep);
    uint32_t n = 0;
    ww_run(r.m, 3);
    for (uint64_t pc = 0; pc < 16 * 128; pc += 16) {
        while (rig_access(&r, 0, pc) == WW_FETCH_FAIL) {
            ww_run(r.m, 1);
            n++;
        }
        n += rig_takes(&r, 0, pc);
    }
    ww_machine_free(r.m);
    return n;
}

static void test_straight(void)
{
    uint32_t without = straight(false, false), with = straight(true, false);
    g_assert_cmpuint(without, >, 16 * 180);
    g_assert_cmpuint(with, <, without / 3);
    g_assert_cmpuint(without, ==, straight(false, true));
    g_assert_cmpuint(with, ==, straight(true, true));
}

static void add_stats(GString *to, const WwComponent *c)
{
    const WwStatRow *row;
    for (WW_ROWS(c->type->stats, row)) {
        for (uint32_t i = 0; i < row->n; i++) {
            g_string_append_printf(to, " %s[%u]=%" G_GUINT64_FORMAT, row->name, i,
                                   ww_stat_values(c, row)[i]);
        }
    }
}

/* What random fetches of few warps come to, of L0 caches with little room: all statistics and answers, as text. Who has to write events tries anew each time. */
static char *refusals(uint32_t seed, bool logged)
{
    Rig r = parts(true);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    GString *all = g_string_new(NULL);
    FILE *nowhere = fopen("/dev/null", "w");
    for (uint32_t i = 0; i < 2; i++) {
        test_set(r.l0i[i],
                 g_rand_boolean(random) ? "mshr_entries=1" : "mshr_entries=2 miss_queue=1");
    }
    test_seal(r.m, false);
    ww_machine_set_events(r.m, logged ? nowhere : NULL, NULL);
    uint32_t warp[2] = {0}, asked = 0;
    uint64_t pc[2] = {0};
    for (uint32_t n = 0; n < 4000; n++) {
        for (uint32_t i = 0; i < 2; i++) {
            const WwPort *p = &r.ends->fetches[i];
            if (!(asked >> i & 1u) ||
                g_rand_int_range(random, 0, 40) == 0) { /* another comes before it */
                warp[i] = (uint32_t)g_rand_int_range(random, 0, 4);
                pc[i] = (uint64_t)g_rand_int_range(random, 0, 400) * 16;
                asked |= 1u << i;
            }
            WwFetchResult result = WW_FETCHES(p)->access(p->peer, warp[i], pc[i]);
            asked &= ~((uint32_t)(result != WW_FETCH_FAIL) << i);
            g_string_append_c(all, "hmf"[result]);
        }
        ww_run(r.m, 1);
        for (uint32_t i = 0; i < 2; i++) {
            const WwPort *p = &r.ends->fetches[i];
            uint32_t to;
            uint64_t at;
            if (WW_FETCHES(p)->take(p->peer, &to, &at)) {
                g_string_append_printf(all, " %u:%" G_GINT64_MODIFIER "x ", to, at);
            }
        }
    }
    ww_machine_settle(r.m);
    for (uint32_t i = 0; i < 2; i++) {
        add_stats(all, r.ends->fetches[i].peer);
        add_stats(all, r.l0i[i]);
    }
    ww_machine_free(r.m);
    fclose(nowhere);
    return g_string_free(all, FALSE);
}

/* A fetch that is refused, and comes again, is counted as if it had been tried. */
static void test_refused_again(void)
{
    uint32_t refused = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        g_autofree char *counted = refusals(seed, false), *tried = refusals(seed, true);
        g_assert_cmpstr(counted, ==, tried);
        for (const char *at = counted; (at = strchr(at, 'f')) != NULL; at++) {
            refused++;
        }
    }
    g_assert_cmpuint(refused, >, 20 * 1000);
}

/* As a cluster does. */
static void clear_code(WwComponent *link)
{
    const WwPortRow *row;
    for (WW_ROWS(link->type->ports, row)) {
        if (row->contract == &ww_contract_code_caches) {
            ((const WwCodeCachesIf *)row->table)->clear(link);
        }
    }
}

/* With real caches: fetches and streams under way are forgotten, lines are gone; what comes late harms nobody. */
static void test_given_up(void)
{
    Rig r = rig(true, false);
    void *link = r.link;
    ww_run(r.m, 3);
    rig_access(&r, 0, 0);
    rig_takes(&r, 0, 0);
    rig_access(&r, 0, 0x400); /* far from what was fetched ahead */
    rig_access(&r, 1, 0x800);
    ww_run(r.m, 60);
    clear_code(link);
    ww_run(r.m, 2);
    rig_access(&r, 0, 0);
    g_assert_cmpuint(rig_takes(&r, 0, 0), >, 180); /* from memory */
    rig_access(&r, 1, 0x800); /* what was asked of memory has come to the shared cache since */
    g_assert_cmpuint(rig_takes(&r, 1, 0x800), ==, 80);
    ww_run(r.m, 400);
    ww_machine_free(r.m);
}

void register_link_tests(void)
{
    g_test_add_func("/modern/link/latency", test_latency);
    g_test_add_func("/modern/link/stages", test_stages);
    g_test_add_func("/modern/link/refused", test_refused);
    g_test_add_func("/modern/link/blocked", test_blocked);
    g_test_add_func("/modern/link/miss", test_miss);
    g_test_add_func("/modern/link/clear", test_clear);
    g_test_add_func("/modern/link/given-up", test_given_up);
    g_test_add_func("/modern/link/latencies", test_latencies);
    g_test_add_func("/modern/link/constant-latency", test_constant_latency);
    g_test_add_func("/modern/link/straight", test_straight);
    g_test_add_func("/modern/link/refused-again", test_refused_again);
}
