/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One slice alone, its cache a fake one. The bench runs the reply entry after the L2's in a cycle,
 * where a GPU runs it before: replies come one cycle earlier here.
 */
#include "tests.h"
#include <string.h>

typedef struct Rig {
    WwHarness *h;
    WwFakeCache *cache;
} Rig;

static Rig rig_of(const char *params, const char *reply, const char *down, bool cached)
{
    Rig r = {.h = ww_harness_new(registry, "l2_slice", params)};
    ww_harness_channel(r.h, "request", "depth=64");
    ww_harness_channel(r.h, "reply", reply);
    ww_harness_channel(r.h, "to_dram", down);
    ww_harness_channel(r.h, "from_dram", "depth=64");
    if (cached) {
        r.cache = ww_harness_fill(r.h, "cache", NULL, NULL);
    }
    g_assert_true(ww_harness_start(r.h, NULL));
    if (cached) {
        r.cache->facts = (WwCacheFacts){
            .line = 128, .atom = 32, .write = WW_WRITE_BACK, .allocate = WW_ALLOCATE_LAZY};
    }
    return r;
}

static Rig rig_new(const char *params)
{
    return rig_of(params, "depth=64", "depth=64", true);
}

static void rig_free(Rig *r)
{
    ww_harness_free(r->h);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, rig_free)

static WwMemReq *new_req(Rig *r, WwAccessType type, uint64_t addr)
{
    WwMemReq *q = ww_harness_alloc(r->h, sizeof *q);
    q->note = ww_harness_alloc(r->h, sizeof *q->note);
    q->type = (uint8_t)type;
    q->write = type == WW_ACCESS_GLOBAL_W || type == WW_ACCESS_L1_WRBK;
    q->addr = addr;
    q->size = 32;
    q->sectors = (uint8_t)(1u << (addr / 32 % 4));
    q->bytes = (WwByteMask){{UINT64_MAX, UINT64_MAX}};
    return q;
}

static WwMemReq *request(Rig *r, WwAccessType type, uint64_t addr)
{
    WwMemReq *q = new_req(r, type, addr);
    g_assert_true(ww_harness_put(r->h, "request", -1, ww_token_of(q)));
    return q;
}

static WwMemReq *take(Rig *r, const char *port)
{
    WwToken t;
    return ww_harness_take(r->h, port, NULL, &t) ? ww_token_pointer(t) : NULL;
}

static void step(Rig *r, uint64_t n)
{
    ww_harness_step(r->h, n);
}

static uint64_t stat(Rig *r, const char *name)
{
    return ww_harness_stat(r->h, name, 0);
}

/* Taken in cycle 0, ready at T = 20, accessed in 21, replied. */
static void test_hit(void)
{
    g_auto(Rig) r = rig_new("rop_latency=20");
    WwMemReq *q = request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 21);
    g_assert_cmpuint(r.cache->accesses, ==, 0);
    g_assert_null(take(&r, "reply"));
    step(&r, 1);
    g_assert_cmpuint(r.cache->now, ==, 21);
    g_assert_true(take(&r, "reply") == q);
    g_assert_true(q->response);
    g_assert_cmpuint(q->note->stamp, ==, 21);
    g_assert_cmpuint(stat(&r, "replies"), ==, 1);
    step(&r, 2);
    g_assert_true(ww_harness_asleep(r.h));
}

/* The cache has had its cycle in every cycle, slept ones too. */
static void test_cache_cycles(void)
{
    g_auto(Rig) r = rig_new("rop_latency=100");
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 400);
    stat(&r, "replies");
    g_assert_cmpuint(r.cache->cycles, ==, 400);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(r.h)), <, 20);
}

/* One packet a cycle in, one request a cycle out of the delay, one access a cycle. */
static void test_pace(void)
{
    g_auto(Rig) r = rig_new("rop_latency=10");
    for (uint32_t i = 0; i < 6; i++) {
        request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    step(&r, 12);
    for (uint32_t i = 0; i < 6; i++) {
        const WwMemReq *q = take(&r, "reply");
        g_assert_cmpuint(q->addr, ==, 0x1000 + 32 * i);
        g_assert_null(take(&r, "reply"));
        step(&r, 1);
    }
}

static void test_texture(void)
{
    g_auto(Rig) r = rig_new("rop_latency=50");
    request(&r, WW_ACCESS_TEXTURE_R, 0x1000);
    step(&r, 1);
    g_assert_nonnull(take(&r, "reply"));
}

/* Failed accesses are tried again in every cycle. */
static void test_retry(void)
{
    g_auto(Rig) r = rig_new("rop_latency=1");
    r.cache->result = WW_CACHE_RESERVATION_FAIL;
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 2 + 10);
    g_assert_cmpuint(r.cache->accesses, ==, 10);
    r.cache->result = WW_CACHE_HIT;
    step(&r, 1);
    g_assert_nonnull(take(&r, "reply"));
}

/* What a write is told, by policy, by result, by what the access sent. */
static void test_writes(void)
{
    static const struct {
        WwWriteAllocate allocate;
        WwWritePolicy write;
        WwCacheResult result;
        uint32_t sent;
        WwAccessType type;
        bool reply;
    } rows[] = {
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_HIT, 0, WW_ACCESS_GLOBAL_W, true},
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_MISS, 0, WW_ACCESS_GLOBAL_W, true},
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_MISS, WW_CACHE_SENT_WRITE_BACK,
         WW_ACCESS_GLOBAL_W, true},
        {WW_ALLOCATE_FETCH, WW_WRITE_BACK, WW_CACHE_MISS, 0, WW_ACCESS_GLOBAL_W, true},
        {WW_ALLOCATE_FETCH, WW_WRITE_BACK, WW_CACHE_MISS, WW_CACHE_SENT_WRITE_ALLOC,
         WW_ACCESS_GLOBAL_W, false},
        {WW_ALLOCATE_NAIVE, WW_WRITE_BACK, WW_CACHE_MISS, WW_CACHE_SENT_WRITE, WW_ACCESS_GLOBAL_W,
         false},
        {WW_ALLOCATE_NONE, WW_WRITE_THROUGH, WW_CACHE_MISS, WW_CACHE_SENT_WRITE, WW_ACCESS_GLOBAL_W,
         false},
        {WW_ALLOCATE_LAZY, WW_WRITE_THROUGH, WW_CACHE_MISS, WW_CACHE_SENT_WRITE, WW_ACCESS_GLOBAL_W,
         false},
        {WW_ALLOCATE_LAZY, WW_WRITE_THROUGH, WW_CACHE_HIT, WW_CACHE_SENT_WRITE, WW_ACCESS_GLOBAL_W,
         false},
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_HIT, 0, WW_ACCESS_L1_WRBK, false},
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_MISS, 0, WW_ACCESS_L1_WRBK, false},
        {WW_ALLOCATE_LAZY, WW_WRITE_BACK, WW_CACHE_MISS, WW_CACHE_SENT_READ, WW_ACCESS_GLOBAL_R,
         false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(Rig) r = rig_new("rop_latency=0");
        r.cache->facts.allocate = rows[i].allocate;
        r.cache->facts.write = rows[i].write;
        r.cache->result = rows[i].result;
        r.cache->sent = rows[i].sent;
        request(&r, rows[i].type, 0x1000);
        step(&r, 5);
        g_assert_cmpuint(r.cache->accesses, ==, 1);
        g_assert_cmpint(take(&r, "reply") != NULL, ==, rows[i].reply);
        g_assert_cmpuint(stat(&r, "dropped"), ==, rows[i].type == WW_ACCESS_L1_WRBK);
    }
}

/*
 * A response fills the cache; the completed miss is a reply one cycle later. One that the cache
 * does not wait for is a reply.
 */
static void test_responses(void)
{
    g_auto(Rig) r = rig_new(NULL);
    WwMemReq *q = new_req(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->miss_of = &r.cache->facts;
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    step(&r, 1);
    g_assert_cmpuint(r.cache->fills, ==, 1);
    g_assert_null(take(&r, "reply"));
    step(&r, 1);
    g_assert_true(take(&r, "reply") == q);
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    step(&r, 1);
    g_assert_cmpuint(r.cache->fills, ==, 1);
    g_assert_true(take(&r, "reply") == q);
}

/*
 * A write-allocate read ends here; under fetch-on-write the write that it was for is acknowledged.
 */
static void test_write_allocate(void)
{
    for (int fetch = 0; fetch < 2; fetch++) {
        g_auto(Rig) r = rig_new(NULL);
        r.cache->facts.allocate = fetch ? WW_ALLOCATE_FETCH : WW_ALLOCATE_NAIVE;
        WwMemReq *q = new_req(&r, WW_ACCESS_L2_WR_ALLOC_R, 0x1000),
                 *w = new_req(&r, WW_ACCESS_GLOBAL_W, 0x1000);
        q->original = w;
        ww_fake_cache_complete(r.cache, q);
        request(&r, WW_ACCESS_GLOBAL_R, 0x2000); /* wakes it */
        step(&r, 2);
        g_assert_true(take(&r, "reply") == (fetch ? w : NULL));
        g_assert_cmpuint(stat(&r, "dropped"), ==, 1);
    }
}

/* Bytes of @p n sectors from @p from on. */
static WwByteMask bytes(uint32_t from, uint32_t n)
{
    WwByteMask m = {{0, 0}};
    for (uint32_t i = 32 * from; i < 32 * (from + n); i++) {
        m.w[i / 64] |= 1ull << (i % 64);
    }
    return m;
}

static void expect_part(Rig *r, const WwMemReq *whole, uint64_t addr, uint32_t sector,
                        WwByteMask mask)
{
    WwMemReq *p = take(r, "reply");
    g_assert_nonnull(p);
    g_assert_true(p != whole && p->original == whole);
    g_assert_cmpuint(p->addr, ==, addr);
    g_assert_cmpuint(p->at.partition, ==, whole->at.partition + (addr - whole->addr));
    g_assert_cmpuint(p->size, ==, 32);
    g_assert_cmpuint(p->sectors, ==, 1u << sector);
    g_assert_cmpuint(p->bytes.w[0], ==, mask.w[0]);
    g_assert_cmpuint(p->bytes.w[1], ==, mask.w[1]);
    g_assert_true(p->note != whole->note); /* born when it was cut, for the same stream */
    g_assert_cmpuint(p->note->birth, <=, ww_harness_now(r->h));
    g_assert_cmpuint(p->note->stream, ==, whole->note->stream);
    g_assert_cmpuint(whole->note->stamp, ==, 0);
    ww_mem_release(p);
}

/* A line becomes four requests, whose bytes reach back to the first sector. */
static void test_split_line(void)
{
    g_auto(Rig) r = rig_new("rop_latency=3");
    for (int round = 0; round < 20; round++) { /* parts are used again */
        WwMemReq *q = new_req(&r, WW_ACCESS_INST_R, 0x1000);
        q->size = 128;
        q->at.partition = 0x400;
        *q->note = (WwMemNote){.birth = WW_NEVER, .stream = 7};
        g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
        step(&r, 10);
        for (uint32_t i = 0; i < 4; i++) {
            expect_part(&r, q, 0x1000 + 32 * i, i, bytes(0, i + 1));
        }
        g_assert_null(take(&r, "reply"));
    }
    g_assert_cmpuint(stat(&r, "splits"), ==, 80);
    g_assert_cmpuint(stat(&r, "accepted"), ==, 20);
}

/* A part lives where its own address says, in the channel and slice of the packet. */
static void test_split_places(void)
{
    g_auto(Rig) r = {.h = ww_harness_new(registry, "l2_slice", "rop_latency=3")};
    WwFakeAddressMap *map = ww_harness_fill(r.h, "address_map", NULL, NULL);
    ww_harness_channel(r.h, "request", "depth=64");
    ww_harness_channel(r.h, "reply", "depth=64");
    ww_harness_channel(r.h, "to_dram", "depth=64");
    ww_harness_channel(r.h, "from_dram", "depth=64");
    r.cache = ww_harness_fill(r.h, "cache", NULL, NULL);
    g_assert_true(ww_harness_start(r.h, NULL));
    r.cache->facts = (WwCacheFacts){.line = 128, .atom = 32};
    WwMemReq *q = new_req(&r, WW_ACCESS_INST_R, 0xF0001080);
    q->size = 128;
    q->at = (WwAddress){.channel = 3, .slice = 7, .column = 0xf0}; /* of another pc in the line */
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 10);
    g_assert_cmpuint(map->decodes, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *p = take(&r, "reply");
        g_assert_nonnull(p);
        g_assert_cmpuint(p->at.channel, ==, 3);
        g_assert_cmpuint(p->at.slice, ==, 7);
        g_assert_cmphex(p->at.column, ==, 0x80 + 32 * i);
        g_assert_cmphex(p->at.bank, ==, 0xF0001080 / 0x800 % 16);
        g_assert_cmphex(p->at.partition % 256, ==, 0x80 + 32 * i);
        ww_mem_release(p);
    }
}

/* Half a line: two requests that both keep the address. */
static void test_split_half(void)
{
    g_auto(Rig) r = rig_new("rop_latency=3");
    WwMemReq *q = new_req(&r, WW_ACCESS_CONST_R, 0x1040);
    q->size = 64;
    q->sectors = 0;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 10);
    expect_part(&r, q, 0x1040, 2, bytes(2, 1));
    expect_part(&r, q, 0x1040, 3, bytes(2, 2));
    g_assert_null(take(&r, "reply"));
}

static void test_split_by_mask(void)
{
    g_auto(Rig) r = rig_new("rop_latency=3");
    WwMemReq *q = new_req(&r, WW_ACCESS_GLOBAL_W, 0x1000);
    q->size = 64;
    q->sectors = 0xa;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 10);
    expect_part(&r, q, 0x1020, 1, bytes(1, 1));
    expect_part(&r, q, 0x1060, 3, bytes(3, 1));
    g_assert_null(take(&r, "reply"));
}

/* A line cache takes packets whole; so does no cache. */
static void test_no_split(void)
{
    g_auto(Rig) r = rig_new("rop_latency=0");
    r.cache->facts.atom = 128;
    WwMemReq *q = new_req(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->size = 128;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 3);
    g_assert_true(take(&r, "reply") == q);
    g_assert_cmpuint(stat(&r, "splits"), ==, 0);
}

/* Without a cache requests go to DRAM, responses to the network. */
static void test_no_cache(void)
{
    g_auto(Rig) r = rig_of("rop_latency=2", "depth=64", "depth=64", false);
    WwMemReq *q = request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 3);
    g_assert_null(take(&r, "to_dram"));
    step(&r, 1);
    g_assert_true(take(&r, "to_dram") == q);
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    step(&r, 1);
    g_assert_true(take(&r, "reply") == q);
}

static void test_texture_only(void)
{
    g_auto(Rig) r = rig_new("rop_latency=0 texture_only=true");
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    request(&r, WW_ACCESS_TEXTURE_R, 0x2000);
    step(&r, 5);
    g_assert_cmpuint(take(&r, "to_dram")->addr, ==, 0x1000);
    g_assert_cmpuint(take(&r, "reply")->addr, ==, 0x2000);
    g_assert_cmpuint(r.cache->accesses, ==, 1);
}

/*
 * From three places short of full on, no packet is taken; every such cycle counts, also those slept
 * through.
 */
static void test_stall_dramfull(void)
{
    g_auto(Rig) r = rig_of("rop_latency=0 icnt_to_l2=8", "depth=64", "depth=1", false);
    for (uint32_t i = 0; i < 20; i++) {
        request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    /*
     * packet i is taken in cycle i and queued; packet 0 leaves in cycle 1: 5 queued after cycle 5
     */
    step(&r, 6);
    g_assert_cmpuint(stat(&r, "stall_dramfull"), ==, 0);
    step(&r, 100);
    g_assert_cmpuint(stat(&r, "stall_dramfull"), ==, 100);
    g_assert_cmpuint(ww_harness_count(r.h, "request"), ==, 20 - 6);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t i = 0; i < 20; i++) {
        ww_harness_until(r.h, "to_dram", 10);
        g_assert_cmpuint(take(&r, "to_dram")->addr, ==, 0x1000 + 32 * i);
    }
}

/* With 20 cycles of ROP delay any number enters; with rop_counts 5 of 8 places' worth. */
static void test_rop_counts(void)
{
    for (uint32_t counts = 0; counts < 2; counts++) {
        g_auto(Rig) r = rig_of(counts ? "rop_latency=20 icnt_to_l2=8 rop_counts=true"
                                      : "rop_latency=20 icnt_to_l2=8",
                               "depth=64", "depth=64", true);
        for (uint32_t i = 0; i < 12; i++) {
            request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
        }
        step(&r, 15);
        g_assert_cmpuint(ww_harness_count(r.h, "request"), ==, counts ? 12 - 5 : 0);
        g_assert_cmpuint(stat(&r, "stall_dramfull"), ==, counts ? 10 : 0);
        for (uint32_t i = 0; i < 12; i++) {
            ww_harness_until(r.h, "reply", 30);
            g_assert_cmpuint(take(&r, "reply")->addr, ==, 0x1000 + 32 * i);
        }
    }
}

/* Replies that find no room; then the queue before them fills, and accesses stop. */
static void test_stall_icnt2sh(void)
{
    g_auto(Rig) r = rig_of("rop_latency=0 icnt_to_l2=16 l2_to_icnt=2", "depth=1", "depth=64", true);
    for (uint32_t i = 0; i < 10; i++) {
        request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    step(&r, 20);
    g_assert_cmpuint(r.cache->accesses, ==, 3); /* one in the network's buffer, two in the queue */
    uint64_t before = stat(&r, "stall_icnt2sh");
    step(&r, 100);
    g_assert_cmpuint(stat(&r, "stall_icnt2sh"), ==, before + 100);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t i = 0; i < 10; i++) {
        ww_harness_until(r.h, "reply", 10);
        g_assert_cmpuint(take(&r, "reply")->addr, ==, 0x1000 + 32 * i);
    }
}

/* No access while there is no room towards DRAM; the room wakes it. */
static void test_no_room_below(void)
{
    g_auto(Rig) r =
        rig_of("rop_latency=0 texture_only=true icnt_to_l2=32", "depth=64", "depth=1", true);
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000); /* fills the queue to DRAM */
    request(&r, WW_ACCESS_TEXTURE_R, 0x2000);
    request(&r, WW_ACCESS_TEXTURE_R, 0x2020);
    step(&r, 1);
    step(&r, 50);
    uint32_t had = r.cache->accesses;
    g_assert_cmpuint(had, <=, 1);
    g_assert_true(ww_harness_asleep(r.h));
    take(&r, "to_dram");
    step(&r, 3);
    g_assert_cmpuint(r.cache->accesses, ==, 2);
}

static void test_latency_figures(void)
{
    g_auto(Rig) r = rig_new("rop_latency=5");
    step(&r, 30);
    WwMemReq *q = request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->note->birth = 10;
    step(&r, 1);
    g_assert_cmpuint(stat(&r, "icnt2mem_sum"), ==, 20);
    g_assert_cmpuint(stat(&r, "icnt2mem_max"), ==, 20);
    g_assert_cmpuint(ww_harness_stat(r.h, "icnt2mem_table", 4), ==, 1);
}

/*
 * Copies install at the time of the next cycle plus how many there were; later accesses keep that
 * lead.
 */
static void test_install(void)
{
    g_auto(Rig) r = rig_new("rop_latency=0");
    void *self;
    const WwL2ControlIf *control = ww_harness_table(r.h, "control", &self);
    control->install(self, 0x100, 0x80);
    g_assert_cmpuint(r.cache->now, ==, 0);
    control->install(self, 0x120, 0xa0);
    g_assert_cmpuint(r.cache->now, ==, 1);
    g_assert_cmpuint(r.cache->installed, ==, 0x120);
    g_assert_cmpuint(r.cache->partition, ==, 0xa0);
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 2);
    g_assert_cmpuint(r.cache->now, ==, 1 + 2);
    control->install(self, 0x140, 0xc0);
    g_assert_cmpuint(r.cache->now, ==, 2 + 2); /* two cycles are over */
}

/*
 * While it flushes, the first use of the cache after the end of a core cycle finds it flushed; each one is made up for once.
 */
static void test_flush(void)
{
    g_auto(Rig) r = rig_new("rop_latency=0");
    void *self;
    const WwL2ControlIf *control = ww_harness_table(r.h, "control", &self);
    step(&r, 10);
    control->flush(self, true, 10);      /* cycle 10 is the first to end with a flush */
    control->install(self, 0x100, 0x80); /* after nine cycles */
    g_assert_cmpuint(r.cache->flushes, ==, 0);
    step(&r, 1);
    g_assert_cmpuint(r.cache->flushes, ==, 0); /* in cycle 10 itself: too early */
    step(&r, 20);
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 1);
    g_assert_cmpuint(r.cache->flushes, >, 0);
    step(&r, 20);
    uint32_t had = r.cache->flushes;
    control->flush(self, false, 52);
    g_assert_cmpuint(r.cache->flushes, ==, had + 1); /* up to and with cycle 51 */
    step(&r, 5);
    control->flush(self, true, 57);
    control->flush(self, false, 57); /* none in between */
    request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    step(&r, 5);
    g_assert_cmpuint(r.cache->flushes, ==, had + 1);
}

static void test_router(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "memcpy_router", NULL);
    WwFakeAddressMap *map = ww_harness_fill(h, "map", NULL, NULL);
    WwFakeL2Control *slice[2];
    slice[0] = ww_harness_fill(h, "slice[0]", NULL, NULL);
    slice[1] = ww_harness_fill(h, "slice[1]", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    map->channels = map->slices = 2;
    void *self;
    const WwMemcpyIf *copies = ww_harness_table(h, "memcpy", &self);
    copies->copy(self, 0x700000100,
                 0x101); /* cut to 32 bits; 9 sectors: one beyond a piece of 256 bytes */
    g_assert_cmpuint(slice[1]->installs, ==, 8);
    g_assert_cmpuint(slice[1]->first, ==, 0x100);
    g_assert_cmpuint(slice[1]->last, ==, 0x1e0);
    g_assert_cmpuint(slice[0]->installs, ==, 1);
    g_assert_cmpuint(slice[0]->first, ==, 0x200);
    g_assert_cmpuint(ww_harness_stat(h, "sectors", 0), ==, 9);
}

/* cut_addresses = false: the line is where accesses to it will look. */
static void test_router_whole(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "memcpy_router", "cut_addresses=false");
    WwFakeAddressMap *map = ww_harness_fill(h, "map", NULL, NULL);
    WwFakeL2Control *slice = ww_harness_fill(h, "slice[0]", NULL, NULL);
    g_assert_true(ww_harness_start(h, NULL));
    map->channels = map->slices = 1;
    void *self;
    const WwMemcpyIf *copies = ww_harness_table(h, "memcpy", &self);
    copies->copy(self, 0x700000100, 0x40);
    g_assert_cmpuint(slice->installs, ==, 2);
    g_assert_cmphex(slice->first, ==, 0x700000100);
    g_assert_cmphex(slice->last, ==, 0x700000120);
}

static void test_arrivals(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(registry, "arrival_meter", NULL);
    g_assert_true(ww_harness_start(h, NULL));
    void *self;
    const WwArrivalsIf *a = ww_harness_table(h, "arrivals", &self);
    a->arrived(self, 0);
    a->arrived(self, 7);
    a->arrived(self, 7);
    a->arrived(self, 8);
    g_assert_cmpuint(ww_harness_stat(h, "packets", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(h, "cycles", 0), ==, 3);
}

static void test_refusals(void)
{
    WwHarness *h = ww_harness_new(registry, "l2_slice", "texture_only=true");
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "cache"));
    ww_harness_free(h);
}

/* parts_reach_back = false: each part has its own bytes. */
static void test_split_own_bytes(void)
{
    g_auto(Rig) r = rig_new("rop_latency=3 parts_reach_back=false");
    WwMemReq *q = new_req(&r, WW_ACCESS_INST_R, 0x1000);
    q->size = 128;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 10);
    for (uint32_t i = 0; i < 4; i++) {
        expect_part(&r, q, 0x1000 + 32 * i, i, bytes(i, 1));
    }
    q = new_req(&r, WW_ACCESS_CONST_R, 0x1040);
    q->size = 64;
    q->sectors = 0;
    g_assert_true(ww_harness_put(r.h, "request", -1, ww_token_of(q)));
    step(&r, 10);
    expect_part(&r, q, 0x1040, 2, bytes(2, 1));
    expect_part(&r, q, 0x1040, 3, bytes(3, 1));
}

void add_slice_tests(void)
{
    g_test_add_func("/l2/slice/hit", test_hit);
    g_test_add_func("/l2/slice/cache-cycles", test_cache_cycles);
    g_test_add_func("/l2/slice/pace", test_pace);
    g_test_add_func("/l2/slice/texture", test_texture);
    g_test_add_func("/l2/slice/retry", test_retry);
    g_test_add_func("/l2/slice/writes", test_writes);
    g_test_add_func("/l2/slice/responses", test_responses);
    g_test_add_func("/l2/slice/write-allocate", test_write_allocate);
    g_test_add_func("/l2/slice/split-line", test_split_line);
    g_test_add_func("/l2/slice/split-places", test_split_places);
    g_test_add_func("/l2/slice/split-half", test_split_half);
    g_test_add_func("/l2/slice/split-by-mask", test_split_by_mask);
    g_test_add_func("/l2/slice/no-split", test_no_split);
    g_test_add_func("/l2/slice/no-cache", test_no_cache);
    g_test_add_func("/l2/slice/texture-only", test_texture_only);
    g_test_add_func("/l2/slice/stall-dramfull", test_stall_dramfull);
    g_test_add_func("/l2/slice/rop-counts", test_rop_counts);
    g_test_add_func("/l2/slice/stall-icnt2sh", test_stall_icnt2sh);
    g_test_add_func("/l2/slice/no-room-below", test_no_room_below);
    g_test_add_func("/l2/slice/latency-figures", test_latency_figures);
    g_test_add_func("/l2/slice/install", test_install);
    g_test_add_func("/l2/slice/flush", test_flush);
    g_test_add_func("/l2/slice/refusals", test_refusals);
    g_test_add_func("/l2/router", test_router);
    g_test_add_func("/l2/router-whole", test_router_whole);
    g_test_add_func("/l2/arrivals", test_arrivals);
    g_test_add_func("/l2/slice/split-own-bytes", test_split_own_bytes);
}
