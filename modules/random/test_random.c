/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.random: everybody gets a turn, the seed decides, and a run can be repeated. Called with the module's path. */
#include <string.h>
#include <testing/policy_bench.h>

static WwRegistry *registry;

/* The order in which eight warps with ten instructions each issue. */
static char *sequence(const char *params)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.random", params);
    GString *s = g_string_new(NULL);
    for (int i = 0; i < 10; i++) {
        ww_policy_feed(h, "01234567", WW_OP_ALU);
    }
    for (int i = 0; i < 80; i++) {
        g_string_append_c(s, ww_policy_step(h));
    }
    g_assert_null(strchr(s->str, '.')); /* always somebody */
    return g_string_free(s, false);
}

static void repeats(void)
{
    g_autofree char *a = sequence("seed=5"), *b = sequence("seed=5"), *c = sequence("seed=6");
    g_assert_cmpstr(a, ==, b);
    g_assert_cmpstr(a, !=, c);
}

/* Of the first 40 issues each of eight warps has some: 5 on average. */
static void fair(void)
{
    uint32_t seen[8] = {0};
    g_autofree char *s = sequence(NULL);
    for (int i = 0; i < 40; i++) {
        seen[s[i] - '0']++;
    }
    for (int w = 0; w < 8; w++) {
        g_assert_cmpuint(seen[w], >=, 1);
        g_assert_cmpuint(seen[w], <=, 10);
    }
}

/* A cycle without an issue draws nothing: the run does not depend on how often it is asked. */
static void pure(void)
{
    g_autoptr(WwHarness) h = ww_policy_bench(registry, "scheduler.random", NULL);
    g_autoptr(WwHarness) k = ww_policy_bench(registry, "scheduler.random", NULL);
    ww_policy_feed(h, "0123", WW_OP_ALU);
    ww_harness_step(k, 7);
    ww_policy_feed(k, "0123", WW_OP_ALU);
    for (int i = 0; i < 4; i++) {
        g_assert_cmpint(ww_policy_step(h), ==, ww_policy_step(k));
    }
    ww_harness_reset(h);
    ww_policy_feed(h, "0123", WW_OP_ALU);
    char again = ww_policy_step(h);
    ww_harness_reset(k);
    ww_policy_feed(k, "0123", WW_OP_ALU);
    g_assert_cmpint(again, ==, ww_policy_step(k));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_bench_registry(argv[1]);
    g_test_add_func("/modules/random/repeats", repeats);
    g_test_add_func("/modules/random/fair", fair);
    g_test_add_func("/modules/random/pure", pure);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
