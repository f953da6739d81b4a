/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.criticality: who has longest to go at his pace goes first. Called with the module's path. */
#include <testing/policy_bench.h>

static WwRegistry *registry;

/* So many instructions are left to decode. */
static void left(WwHarness *h, uint32_t warp, uint32_t n)
{
    WwFakeWarps *fake = ww_harness_peer(h, "warps");
    fake->warp[warp].n_trace = fake->warp[warp].cursor + n;
}

static void longest_first(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.criticality", "greedy=false");
    ww_policy_feed(h, "123", WW_OP_ALU);
    left(h, 1, 5);
    left(h, 2, 9);
    left(h, 3, 7);
    ww_policy_expect(h, "231.");
}

/* Two warps have the same to go; the one that has been waiting is the more critical one. */
static void stalls_count(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.criticality", "greedy=false");
    ww_policy_feed(h, "12", WW_OP_ALU);
    ww_policy_expect(h, "12");
    ww_policy_feed(h, "1", WW_OP_ALU);
    ww_policy_expect(h, "1.....");
    ww_policy_feed(h, "2", WW_OP_ALU);
    ww_policy_expect(h, "2"); /* 2 was stalled for six cycles */
    left(h, 1, 10);
    left(h, 2, 10);
    ww_policy_feed(h, "12", WW_OP_ALU);
    ww_policy_expect(h, "21");
}

static void greedy(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.criticality", NULL);
    ww_policy_feed(h, "1122", WW_OP_ALU);
    left(h, 1, 9);
    left(h, 2, 8);
    ww_policy_expect(h, "1");
    left(h, 2, 90);
    ww_policy_expect(h, "122");
}

/* A new warp in the slot has no past. */
static void forgets(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.criticality", "greedy=false");
    ww_policy_feed(h, "2", WW_OP_ALU);
    ww_policy_expect(h, "2......");
    ww_policy_feed(h, "2", WW_OP_ALU);
    ww_policy_expect(h, "2"); /* stalled for seven cycles: slow */
    ww_fake_warps_live(ww_harness_peer(h, "warps"), 2, UINT32_MAX);
    ww_policy_feed(h, "12", WW_OP_ALU);
    left(h, 1, 3);
    left(h, 2, 2);
    ww_policy_expect(h, "12");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    g_test_add_func("/modules/criticality/longest_first", longest_first);
    g_test_add_func("/modules/criticality/stalls_count", stalls_count);
    g_test_add_func("/modules/criticality/greedy", greedy);
    g_test_add_func("/modules/criticality/forgets", forgets);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
