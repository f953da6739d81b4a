/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two parts of CCWS, each alone: the monitor in front of a fake cache, the policy with a monitor that the test plays.
 * Called with the module's path.
 */
#include "ccws.h"
#include <testing/fake_cache.h>
#include <testing/policy_bench.h>

static WwRegistry *registry;

/* ---- the monitor ------------------------------------------------------------------------------------------------ */

typedef struct Watch {
    WwHarness *h;
    WwFakeCache *cache;
    WwFakeWarps *warps;
    const WwCacheIf *user;
    const CcwsIf *locality;
    void *self;
} Watch;

/* With @p n live warps, all loads of which miss. */
static Watch watch_open(const char *params, uint32_t n)
{
    Watch w = {.h = ww_harness_new(registry, "ccws_monitor", params)};
    ww_harness_start(w.h, NULL);
    w.cache = ww_harness_peer(w.h, "cache");
    w.warps = ww_harness_peer(w.h, "warps");
    w.user = ww_harness_table(w.h, "user", &w.self);
    w.locality = ww_harness_table(w.h, "locality", &w.self);
    for (uint32_t i = 0; i < n; i++) {
        ww_fake_warps_live(w.warps, i, UINT32_MAX);
    }
    w.cache->result = WW_CACHE_MISS;
    return w;
}

static void load(Watch *w, uint16_t warp, uint64_t addr)
{
    uint32_t sent;
    WwMemReq req = {.addr = addr, .size = 32, .warp = warp};
    g_assert_cmpint(w->user->access(w->self, &req, ww_harness_now(w->h), &sent), ==,
                    w->cache->result);
}

static void check_may(Watch *w, uint64_t expected)
{
    g_assert_cmphex(w->locality->may_load(w->self), ==, expected);
}

/* Only a second miss of the same warp on the same sector is lost locality. */
static void finds_lost(void)
{
    Watch w = watch_open(NULL, 4);
    w.locality->issued(w.self, 1000);
    load(&w, 1, 0x1000);
    load(&w, 2, 0x1000); /* another warp */
    load(&w, 1, 0x1020); /* another sector */
    w.cache->result = WW_CACHE_HIT;
    load(&w, 1, 0x1000);
    w.cache->result = WW_CACHE_HIT_RESERVED;
    load(&w, 1, 0x1000);
    g_assert_cmpuint(ww_harness_stat(w.h, "lost", 0), ==, 0);
    w.cache->result = WW_CACHE_MISS;
    load(&w, 1, 0x1004);
    g_assert_cmpuint(ww_harness_stat(w.h, "lost", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(w.h, "misses", 0), ==, 4);
    ww_harness_free(w.h);
}

/* The array holds so many lines, and the oldest goes. */
static void forgets(void)
{
    Watch w = watch_open("tags=2", 2);
    load(&w, 0, 0x000);
    load(&w, 0, 0x100);
    load(&w, 0, 0x200); /* displaces 0x000 */
    load(&w, 0, 0x000); /* displaces 0x100 */
    g_assert_cmpuint(ww_harness_stat(w.h, "lost", 0), ==, 0);
    load(&w, 0, 0x200);
    g_assert_cmpuint(ww_harness_stat(w.h, "lost", 0), ==, 1);
    ww_fake_warps_live(w.warps, 0, UINT32_MAX); /* a new warp in the slot */
    load(&w, 0, 0x200);
    g_assert_cmpuint(ww_harness_stat(w.h, "lost", 0), ==, 1);
    ww_harness_free(w.h);
}

/*
 * Four warps, base 100: cutoff 400. One loss in 32 instructions, weight 8: a jump of 1 * 8 * 400 / 32 = 100. Then the scores
 * are 200, 100, 100, 100: three warps are in front of the sum of 400, the youngest is not. It falls by 1 a cycle: with 199 and
 * less the sum in front of the last is below 400.
 */
static void holds_back(void)
{
    Watch w = watch_open(NULL, 4);
    w.locality->issued(w.self, 32);
    check_may(&w, 0xf);
    load(&w, 2, 0x1000);
    load(&w, 2, 0x1000);
    check_may(&w, 0x7); /* 2 first, then 0 and 1; 3 is the youngest */
    ww_harness_step(w.h, 1);
    check_may(&w, 0xf);
    load(&w, 2, 0x1000); /* the second loss: 200 */
    check_may(&w, 0x5);
    ww_harness_step(w.h, 100);
    check_may(&w, 0x7);
    ww_harness_step(w.h, 1);
    check_may(&w, 0xf);
    ww_harness_reset(w.h);
    for (uint32_t i = 0; i < 4; i++) {
        ww_fake_warps_live(w.warps, i, UINT32_MAX);
    }
    load(&w, 2, 0x1000);
    check_may(&w, 0xf);
    ww_harness_free(w.h);
}

/* A score beyond the cutoff still lets its own warp load. */
static void never_all(void)
{
    Watch w = watch_open(NULL, 4);
    w.locality->issued(w.self, 1);
    load(&w, 3, 0x1000);
    load(&w, 3, 0x1000);
    check_may(&w, 0x8);
    ww_harness_free(w.h);
}

/* Everything else goes to the cache as it is. */
static void passes_on(void)
{
    Watch w = watch_open(NULL, 1);
    WwMemReq req = {.addr = 64, .size = 32};
    w.user->fill(w.self, &req, 5);
    g_assert_cmpuint(w.cache->fills, ==, 1);
    g_assert_nonnull(w.user->peek(w.self));
    g_assert_true(w.user->peek(w.self) == &req);
    g_assert_true(w.user->take(w.self) == &req);
    g_assert_null(w.user->peek(w.self));
    w.cache->data_port_taken = true;
    g_assert_false(w.user->port_free(w.self, WW_CACHE_DATA_PORT));
    g_assert_true(w.user->port_free(w.self, WW_CACHE_FILL_PORT));
    uint64_t before = w.cache->cycles;
    for (uint32_t i = 0; i < 5; i++) {
        ww_harness_turn(w.h, "user");
    }
    ww_machine_settle(ww_harness_machine(w.h));
    g_assert_cmpuint(w.cache->cycles, ==, before + 5);
    ww_fake_cache_busy(w.cache, true);
    g_assert_true(ww_harness_due(w.h, "user"));
    w.user->clear(w.self, WW_CACHE_ALL);
    w.user->clear(w.self, WW_CACHE_DIRTY);
    g_assert_cmpuint(w.user->ways(w.self), ==, w.cache->facts.ways);
    w.user->reshape(w.self, 3, true);
    g_assert_cmpuint(w.user->ways(w.self), ==, 3);
    w.user->install(w.self, 96, 32, 1, 0);
    g_assert_cmpuint(w.cache->invalidations + w.cache->flushes + w.cache->installs, ==, 3);
    g_assert_cmpuint(w.cache->ways, ==, 3);
    g_assert_true(w.cache->on_fill);
    ww_harness_free(w.h);
}

/* ---- the policy ------------------------------------------------------------------------------------------------- */

/* Plays the monitor. Its contract is the module's: found at the end of the policy that needs it. */
typedef struct Fake {
    WwComponent base;
    WwProvided locality;
} Fake;

static uint64_t may;
static uint32_t issues;

static uint64_t fake_may_load(void *self)
{
    return may;
}

static void fake_issued(void *self, uint32_t n)
{
    issues += n;
}

static void add_fake(void)
{
    static const CcwsIf table = {.may_load = fake_may_load, .issued = fake_issued};
    static WwPortRow rows[] = {
        {.name = "locality",
         .role = WW_PROVIDES,
         .table = &table,
         .doc = "answers as the test says",
         .offset = offsetof(Fake, locality)},
        {0},
    };
    static const WwType type = {
        .abi = WW_ABI_VERSION,
        .name = "fake.ccws",
        .doc = "Plays the monitor.",
        .family = "fake",
        .flags = WW_TYPE_FAKE,
        .size = sizeof(Fake),
        .ports = rows,
    };
    GError *error = NULL;
    const WwType *policy = ww_registry_find(registry, "scheduler.ccws", NULL);
    rows[0].contract = policy->ports[ww_type_port(policy, "locality")].contract;
    ww_registry_add(registry, &type, "test", &error);
    g_assert_no_error(error);
}

static void feed_loads(WwHarness *h, const char *warps)
{
    for (; *warps != '\0'; warps++) {
        ww_fake_warps_put(
            ww_harness_peer(h, "warps"), (uint32_t)(*warps - '0'),
            ww_test_inst(h, &(WwTestInst){.op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL}));
    }
}

/* Loads of warps that may not load are left out; their other instructions are not, nor are loads of others. */
static void leaves_out(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.ccws", NULL);
    may = 1u << 2;
    issues = 0;
    ww_policy_feed(h, "1", WW_OP_ALU);
    feed_loads(h, "123");
    ww_policy_expect(h, "12..");
    g_assert_cmpuint(issues, ==, 2);
    may = UINT64_MAX; /* nobody tells the scheduler: it must be awake */
    ww_policy_expect(h, "13.");
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_asleep(h));
}

static void greedy_then_oldest(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.ccws", NULL);
    may = UINT64_MAX;
    ww_policy_feed(h, "775533", WW_OP_ALU); /* launched in this order */
    ww_policy_expect(h, "775533");
    ww_policy_feed(h, "357", WW_OP_ALU);
    ww_policy_expect(h, "375");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    add_fake();
    g_test_add_func("/modules/ccws/finds_lost", finds_lost);
    g_test_add_func("/modules/ccws/forgets", forgets);
    g_test_add_func("/modules/ccws/holds_back", holds_back);
    g_test_add_func("/modules/ccws/never_all", never_all);
    g_test_add_func("/modules/ccws/passes_on", passes_on);
    g_test_add_func("/modules/ccws/leaves_out", leaves_out);
    g_test_add_func("/modules/ccws/greedy_then_oldest", greedy_then_oldest);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
