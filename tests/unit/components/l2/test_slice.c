/* SPDX-License-Identifier: Apache-2.0 */
/* One slice: the time of a request in it, its replies, what stops it. */
#include "slice_rig.h"

#include <string.h>

/* Taken in cycle 0, ready at T = 20, accessed in 21, replied. */
static void test_hit(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=20");
    WwMemReq *q = slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 21);
    g_assert_cmpuint(r.cache->accesses, ==, 0);
    g_assert_null(slice_take(&r, "reply"));
    slice_step(&r, 1);
    g_assert_cmpuint(r.cache->now, ==, 21);
    g_assert_true(slice_take(&r, "reply") == q);
    g_assert_true(q->response);
    g_assert_cmpuint(q->stamp, ==, 21);
    g_assert_cmpuint(slice_stat(&r, "replies"), ==, 1);
    slice_step(&r, 2);
    g_assert_true(ww_harness_asleep(r.h));
}

/* The cache has had its cycle in every cycle, slept ones too. */
static void test_cache_cycles(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=100");
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 400);
    slice_stat(&r, "replies");
    g_assert_cmpuint(r.cache->cycles, ==, 400);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(r.h)), <, 20);
}

/* One packet a cycle in, one request a cycle out of the delay, one access a cycle. */
static void test_pace(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=10");
    for (uint32_t i = 0; i < 6; i++) {
        slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    slice_step(&r, 12);
    for (uint32_t i = 0; i < 6; i++) {
        const WwMemReq *q = slice_take(&r, "reply");
        g_assert_cmpuint(q->addr, ==, 0x1000 + 32 * i);
        g_assert_null(slice_take(&r, "reply"));
        slice_step(&r, 1);
    }
}

static void test_texture(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=50");
    slice_request(&r, WW_ACCESS_TEXTURE_R, 0x1000);
    slice_step(&r, 1);
    g_assert_nonnull(slice_take(&r, "reply"));
}

/* ... unless they have to. */
static void test_texture_rop(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=50 texture_rop=true");
    slice_request(&r, WW_ACCESS_TEXTURE_R, 0x1000);
    slice_step(&r, 49);
    g_assert_null(slice_take(&r, "reply"));
    slice_step(&r, 3);
    g_assert_nonnull(slice_take(&r, "reply"));
}

/* One that comes while another leaves the raster pipeline's delay goes behind it, though the slice sleeps through that cycle. */
static void test_texture_behind(void)
{
    for (uint32_t comes = 17; comes < 25; comes++) {
        g_auto(Rig) r = slice_rig("rop_latency=20");
        const WwMemReq *first = slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000), *texture = NULL;
        uint32_t first_at = 0, texture_at = 0;
        for (uint32_t cycle = 0; cycle < 30; cycle++) {
            if (cycle == comes) {
                texture = slice_request(&r, WW_ACCESS_TEXTURE_R, 0x2000);
            }
            slice_step(&r, 1);
            const WwMemReq *q = slice_take(&r, "reply");
            first_at = q == first ? cycle : first_at;
            texture_at = q != NULL && q == texture ? cycle : texture_at;
        }
        g_assert_cmpuint(first_at, ==, 21);
        g_assert_cmpuint(texture_at, ==, comes == 21 ? 22 : comes);
    }
}

/* Failed accesses are tried again in every cycle. */
static void test_retry(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=1");
    r.cache->result = WW_CACHE_RESERVATION_FAIL;
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 2 + 10);
    g_assert_cmpuint(r.cache->accesses, ==, 10);
    r.cache->result = WW_CACHE_HIT;
    slice_step(&r, 1);
    g_assert_nonnull(slice_take(&r, "reply"));
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
        g_auto(Rig) r = slice_rig("rop_latency=0");
        r.cache->facts.allocate = rows[i].allocate;
        r.cache->facts.write = rows[i].write;
        r.cache->result = rows[i].result;
        r.cache->sent = rows[i].sent;
        slice_request(&r, rows[i].type, 0x1000);
        slice_step(&r, 5);
        g_assert_cmpuint(r.cache->accesses, ==, 1);
        g_assert_cmpint(slice_take(&r, "reply") != NULL, ==, rows[i].reply);
        g_assert_cmpuint(slice_stat(&r, "dropped"), ==, rows[i].type == WW_ACCESS_L1_WRBK);
    }
}

/* A cache that is said to keep a write that it neither kept nor sent: the run ends. */
static void test_lost_writes(void)
{
    static const struct {
        WwWriteAllocate allocate;
        WwWritePolicy write;
        WwCacheResult result;
        uint32_t sent;
        WwAccessType type;
        const char *said;
    } rows[] = {
        {WW_ALLOCATE_LAZY, WW_WRITE_EVICT, WW_CACHE_MISS, 0, WW_ACCESS_GLOBAL_W,
         "write = evict with write_allocate = lazy: the write at 1000 misses"},
        {WW_ALLOCATE_FETCH, WW_WRITE_EVICT, WW_CACHE_SECTOR_MISS, WW_CACHE_SENT_WRITE_BACK,
         WW_ACCESS_GLOBAL_W, "write = evict with write_allocate = fetch: the write at 1000 misses"},
        {WW_ALLOCATE_FETCH, WW_WRITE_THROUGH, WW_CACHE_MISS, 0, WW_ACCESS_GLOBAL_W,
         "write = through with write_allocate = fetch: the write at 1000 misses"},
        {WW_ALLOCATE_FETCH, WW_WRITE_THROUGH, WW_CACHE_HIT, WW_CACHE_SENT_WRITE, WW_ACCESS_GLOBAL_W,
         NULL},
        {WW_ALLOCATE_FETCH, WW_WRITE_EVICT, WW_CACHE_MISS, WW_CACHE_SENT_WRITE_ALLOC,
         WW_ACCESS_GLOBAL_W, NULL},
        {WW_ALLOCATE_LAZY, WW_WRITE_EVICT, WW_CACHE_MISS, 0, WW_ACCESS_L1_WRBK, NULL},
        {WW_ALLOCATE_LAZY, WW_WRITE_EVICT, WW_CACHE_MISS, WW_CACHE_SENT_READ, WW_ACCESS_GLOBAL_R,
         NULL},
        {WW_ALLOCATE_NONE, WW_WRITE_EVICT, WW_CACHE_MISS, 0, WW_ACCESS_GLOBAL_W, NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(Rig) r = slice_rig("rop_latency=0");
        r.cache->facts.allocate = rows[i].allocate;
        r.cache->facts.write = rows[i].write;
        r.cache->result = rows[i].result;
        r.cache->sent = rows[i].sent;
        slice_request(&r, rows[i].type, 0x1000);
        slice_step(&r, 5);
        const GError *error = ww_machine_error(ww_harness_machine(r.h));
        g_assert_cmpint(error != NULL, ==, rows[i].said != NULL);
        g_assert_true(error == NULL || strstr(error->message, rows[i].said) != NULL);
    }
}

/*
 * A response fills the cache; the completed miss is a reply one cycle later. One that the cache
 * does not wait for is a reply.
 */
static void test_responses(void)
{
    g_auto(Rig) r = slice_rig(NULL);
    WwMemReq *q = slice_req(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->miss_of = &r.cache->facts;
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    slice_step(&r, 1);
    g_assert_cmpuint(r.cache->fills, ==, 1);
    g_assert_null(slice_take(&r, "reply"));
    slice_step(&r, 1);
    g_assert_true(slice_take(&r, "reply") == q);
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    slice_step(&r, 1);
    g_assert_cmpuint(r.cache->fills, ==, 1);
    g_assert_true(slice_take(&r, "reply") == q);
}

/*
 * A write-allocate read ends here; under fetch-on-write the write that it was for is acknowledged.
 */
static void test_write_allocate(void)
{
    for (int fetch = 0; fetch < 2; fetch++) {
        g_auto(Rig) r = slice_rig(NULL);
        r.cache->facts.allocate = fetch ? WW_ALLOCATE_FETCH : WW_ALLOCATE_NAIVE;
        WwMemReq *q = slice_req(&r, WW_ACCESS_L2_WR_ALLOC_R, 0x1000),
                 *w = slice_req(&r, WW_ACCESS_GLOBAL_W, 0x1000);
        q->original = w;
        q->miss_of = &r.cache->facts;
        g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
        slice_step(&r, 3);
        g_assert_true(slice_take(&r, "reply") == (fetch ? w : NULL));
        g_assert_cmpuint(slice_stat(&r, "dropped"), ==, 1);
    }
}

/* Without a cache requests go to DRAM, responses to the network. */
static void test_no_cache(void)
{
    g_auto(Rig) r = slice_rig_of("rop_latency=2", "depth=64", "depth=64", false);
    WwMemReq *q = slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 3);
    g_assert_null(slice_take(&r, "to_dram"));
    slice_step(&r, 1);
    g_assert_true(slice_take(&r, "to_dram") == q);
    g_assert_true(ww_harness_put(r.h, "from_dram", -1, ww_token_of(q)));
    slice_step(&r, 1);
    g_assert_true(slice_take(&r, "reply") == q);
}

static void test_texture_only(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=0 texture_only=true");
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_request(&r, WW_ACCESS_TEXTURE_R, 0x2000);
    slice_step(&r, 5);
    g_assert_cmpuint(slice_take(&r, "to_dram")->addr, ==, 0x1000);
    g_assert_cmpuint(slice_take(&r, "reply")->addr, ==, 0x2000);
    g_assert_cmpuint(r.cache->accesses, ==, 1);
}

/*
 * From three places short of full on, no packet is taken; every such cycle counts, also those slept
 * through.
 */
static void test_stall_dramfull(void)
{
    g_auto(Rig) r = slice_rig_of("rop_latency=0 icnt_to_l2=8", "depth=64", "depth=1", false);
    for (uint32_t i = 0; i < 20; i++) {
        slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    /*
     * packet i is taken in cycle i and queued; packet 0 leaves in cycle 1: 5 queued after cycle 5
     */
    slice_step(&r, 6);
    g_assert_cmpuint(slice_stat(&r, "stall_dramfull"), ==, 0);
    slice_step(&r, 100);
    g_assert_cmpuint(slice_stat(&r, "stall_dramfull"), ==, 100);
    g_assert_cmpuint(ww_harness_count(r.h, "request"), ==, 20 - 6);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t i = 0; i < 20; i++) {
        ww_harness_until(r.h, "to_dram", 10);
        g_assert_cmpuint(slice_take(&r, "to_dram")->addr, ==, 0x1000 + 32 * i);
    }
}

/* With 20 cycles of ROP delay any number enters; with rop_counts 5 of 8 places' worth. */
static void test_rop_counts(void)
{
    for (uint32_t counts = 0; counts < 2; counts++) {
        g_auto(Rig) r = slice_rig_of(counts ? "rop_latency=20 icnt_to_l2=8 rop_counts=true"
                                            : "rop_latency=20 icnt_to_l2=8",
                                     "depth=64", "depth=64", true);
        for (uint32_t i = 0; i < 12; i++) {
            slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
        }
        slice_step(&r, 15);
        g_assert_cmpuint(ww_harness_count(r.h, "request"), ==, counts ? 12 - 5 : 0);
        g_assert_cmpuint(slice_stat(&r, "stall_dramfull"), ==, counts ? 10 : 0);
        for (uint32_t i = 0; i < 12; i++) {
            ww_harness_until(r.h, "reply", 30);
            g_assert_cmpuint(slice_take(&r, "reply")->addr, ==, 0x1000 + 32 * i);
        }
    }
}

/* Replies that find no room; then the queue before them fills, and accesses stop. */
static void test_stall_icnt2sh(void)
{
    g_auto(Rig) r =
        slice_rig_of("rop_latency=0 icnt_to_l2=16 l2_to_icnt=2", "depth=1", "depth=64", true);
    for (uint32_t i = 0; i < 10; i++) {
        slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000 + 32 * i);
    }
    slice_step(&r, 20);
    g_assert_cmpuint(r.cache->accesses, ==, 3); /* one in the network's buffer, two in the queue */
    uint64_t before = slice_stat(&r, "stall_icnt2sh");
    slice_step(&r, 100);
    g_assert_cmpuint(slice_stat(&r, "stall_icnt2sh"), ==, before + 100);
    g_assert_true(ww_harness_asleep(r.h));
    for (uint32_t i = 0; i < 10; i++) {
        ww_harness_until(r.h, "reply", 10);
        g_assert_cmpuint(slice_take(&r, "reply")->addr, ==, 0x1000 + 32 * i);
    }
}

/* No access while there is no room towards DRAM; the room wakes it. */
static void test_no_room_below(void)
{
    g_auto(Rig) r =
        slice_rig_of("rop_latency=0 texture_only=true icnt_to_l2=32", "depth=64", "depth=1", true);
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000); /* fills the queue to DRAM */
    slice_request(&r, WW_ACCESS_TEXTURE_R, 0x2000);
    slice_request(&r, WW_ACCESS_TEXTURE_R, 0x2020);
    slice_step(&r, 1);
    slice_step(&r, 50);
    uint32_t had = r.cache->accesses;
    g_assert_cmpuint(had, <=, 1);
    g_assert_true(ww_harness_asleep(r.h));
    slice_take(&r, "to_dram");
    slice_step(&r, 3);
    g_assert_cmpuint(r.cache->accesses, ==, 2);
}

static void test_latency_figures(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=5");
    slice_step(&r, 30);
    WwMemReq *q = slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    q->birth = 10;
    slice_step(&r, 1);
    g_assert_cmpuint(slice_stat(&r, "icnt2mem_sum"), ==, 20);
    g_assert_cmpuint(slice_stat(&r, "icnt2mem_max"), ==, 20);
    g_assert_cmpuint(ww_harness_stat(r.h, "icnt2mem_table", 4), ==, 1);
}

/*
 * Copies install at the time of the next cycle plus how many there were; later accesses keep that
 * lead.
 */
static void test_install(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=0");
    void *self;
    const WwL2ControlIf *control = ww_harness_table(r.h, "control", &self);
    control->install(self, 0x100, 0x80, 1);
    g_assert_cmpuint(r.cache->now, ==, 0);
    control->install(self, 0x120, 0xa0, 2);
    g_assert_cmpuint(r.cache->installs, ==, 3);
    g_assert_cmpuint(r.cache->now, ==, 2); /* of the second of them */
    g_assert_cmpuint(r.cache->installed, ==, 0x140);
    g_assert_cmpuint(r.cache->partition, ==, 0xc0);
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 2);
    g_assert_cmpuint(r.cache->now, ==, 1 + 3);
    control->install(self, 0x160, 0xe0, 1);
    g_assert_cmpuint(r.cache->now, ==, 2 + 3); /* two cycles are over */
}

/*
 * While it flushes, the first use of the cache after the end of a core cycle finds it flushed; each one is made up for once.
 */
static void test_flush(void)
{
    g_auto(Rig) r = slice_rig("rop_latency=0");
    void *self;
    const WwL2ControlIf *control = ww_harness_table(r.h, "control", &self);
    slice_step(&r, 10);
    control->flush(self, true, 10);         /* cycle 10 is the first to end with a flush */
    control->install(self, 0x100, 0x80, 1); /* after nine cycles */
    g_assert_cmpuint(r.cache->flushes, ==, 0);
    slice_step(&r, 1);
    g_assert_cmpuint(r.cache->flushes, ==, 0); /* in cycle 10 itself: too early */
    slice_step(&r, 20);
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 1);
    g_assert_cmpuint(r.cache->flushes, >, 0);
    slice_step(&r, 20);
    uint32_t had = r.cache->flushes;
    control->flush(self, false, 52);
    g_assert_cmpuint(r.cache->flushes, ==, had + 1); /* up to and with cycle 51 */
    slice_step(&r, 5);
    control->flush(self, true, 57);
    control->flush(self, false, 57); /* none in between */
    slice_request(&r, WW_ACCESS_GLOBAL_R, 0x1000);
    slice_step(&r, 5);
    g_assert_cmpuint(r.cache->flushes, ==, had + 1);
}

/* The choice of the slice: dirty lines, or all. */
static void test_flush_all(void)
{
    static const char *const kinds[] = {"dirty", "all"};
    for (uint32_t all = 0; all < 2; all++) {
        g_autofree char *params = g_strdup_printf("rop_latency=0 flush=%s", kinds[all]);
        g_auto(Rig) r = slice_rig(params);
        void *self;
        const WwL2ControlIf *control = ww_harness_table(r.h, "control", &self);
        slice_step(&r, 10);
        control->flush(self, true, 10);
        slice_step(&r, 5);
        control->flush(self, false, 15);
        g_assert_cmpuint(r.cache->flushes, ==, 1 - all);
        g_assert_cmpuint(r.cache->invalidations, ==, all);
    }
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

void add_slice_tests(void)
{
    g_test_add_func("/l2/slice/hit", test_hit);
    g_test_add_func("/l2/slice/cache-cycles", test_cache_cycles);
    g_test_add_func("/l2/slice/pace", test_pace);
    g_test_add_func("/l2/slice/texture", test_texture);
    g_test_add_func("/l2/slice/texture-rop", test_texture_rop);
    g_test_add_func("/l2/slice/texture-behind", test_texture_behind);
    g_test_add_func("/l2/slice/retry", test_retry);
    g_test_add_func("/l2/slice/writes", test_writes);
    g_test_add_func("/l2/slice/lost-writes", test_lost_writes);
    g_test_add_func("/l2/slice/responses", test_responses);
    g_test_add_func("/l2/slice/write-allocate", test_write_allocate);
    g_test_add_func("/l2/slice/no-cache", test_no_cache);
    g_test_add_func("/l2/slice/texture-only", test_texture_only);
    g_test_add_func("/l2/slice/stall-dramfull", test_stall_dramfull);
    g_test_add_func("/l2/slice/rop-counts", test_rop_counts);
    g_test_add_func("/l2/slice/stall-icnt2sh", test_stall_icnt2sh);
    g_test_add_func("/l2/slice/no-room-below", test_no_room_below);
    g_test_add_func("/l2/slice/latency-figures", test_latency_figures);
    g_test_add_func("/l2/slice/install", test_install);
    g_test_add_func("/l2/slice/flush", test_flush);
    g_test_add_func("/l2/slice/flush-all", test_flush_all);
    g_test_add_func("/l2/slice/refusals", test_refusals);
    g_test_add_func("/l2/arrivals", test_arrivals);
}
