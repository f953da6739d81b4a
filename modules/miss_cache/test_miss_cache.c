/* SPDX-License-Identifier: Apache-2.0 */
/* miss_cache alone between four channels that the test drives. Called with the module's path. */
#include <ports/tokens.h>
#include <string.h>
#include <testing/testing.h>
#include <warpwright/module.h>

static WwRegistry *registry;

static WwHarness *bench(const char *params)
{
    WwHarness *h = ww_harness_new(registry, "miss_cache", params);
    ww_harness_channel(h, "in", "depth=8");
    ww_harness_channel(h, "out", "depth=1");
    ww_harness_channel(h, "replies", "depth=8");
    ww_harness_channel(h, "to", "depth=1");
    ww_harness_start(h, NULL);
    return h;
}

/* A read of a sector; others are made of it. */
static WwMemReq *request(WwHarness *h, uint64_t addr)
{
    WwMemReq *r = ww_harness_alloc(h, sizeof *r);
    *r = (WwMemReq){.addr = addr, .size = 32, .type = WW_ACCESS_GLOBAL_R};
    return r;
}

static WwMemReq *ask(WwHarness *h, WwMemReq *r)
{
    g_assert_true(ww_harness_put(h, "in", 0, ww_token_of(r)));
    ww_harness_step(h, 1);
    return r;
}

static WwMemReq *taken(WwHarness *h, const char *port)
{
    WwToken t;
    return ww_harness_take(h, port, NULL, &t) ? ww_token_mem(t) : NULL;
}

/* It has gone on to memory, and its answer comes back to the SM. */
static void answer(WwHarness *h, WwMemReq *r)
{
    g_assert_true(taken(h, "out") == r);
    r->response = true;
    g_assert_true(ww_harness_put(h, "replies", 0, ww_token_of(r)));
    ww_harness_step(h, 1);
    g_assert_true(taken(h, "to") == r);
}

/* Is a read of @p addr answered from here? If it is not, it comes back at once. */
static bool hits(WwHarness *h, uint64_t addr)
{
    WwMemReq *r = ask(h, request(h, addr));
    if (ww_harness_count(h, "out") != 0) {
        answer(h, r);
        return false;
    }
    ww_harness_until(h, "to", 1000);
    g_assert_true(taken(h, "to") == r);
    g_assert_true(r->response);
    return true;
}

static void keeps(void)
{
    g_autoptr(WwHarness) h = bench(NULL);
    g_assert_false(hits(h, 0x1000));
    g_assert_true(hits(h, 0x1000));
    g_assert_false(hits(h, 0x1020)); /* the next sector is another */
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 1);
    ww_harness_reset(h);
    g_assert_false(hits(h, 0x1000));
}

/* A read that is found in cycle c is answered in c + latency, not before; and sleeps meanwhile. */
static void latency(void)
{
    g_autoptr(WwHarness) h = bench("latency=7");
    g_assert_false(hits(h, 0x1000));
    ask(h, request(h, 0x1000));
    ww_harness_step(h, 6);
    g_assert_cmpuint(ww_harness_count(h, "to"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "to"), ==, 1);
}

/* Of three in two places the one that was used longest ago goes. */
static void least_recent(void)
{
    g_autoptr(WwHarness) h = bench("entries=2");
    g_assert_false(hits(h, 0x1000));
    g_assert_false(hits(h, 0x2000));
    g_assert_true(hits(h, 0x1000));
    g_assert_false(hits(h, 0x3000));
    g_assert_true(hits(h, 0x1000));
    g_assert_false(hits(h, 0x2000));
}

/* Writes and atomics go on, and drop what they change, all of it. */
static void drops(void)
{
    for (int atomic = 0; atomic < 2; atomic++) {
        g_autoptr(WwHarness) h = bench(NULL);
        g_assert_false(hits(h, 0x1000));
        g_assert_false(hits(h, 0x1020));
        g_assert_false(hits(h, 0x1040));
        WwMemReq *r = request(h, 0x1010);
        r->write = atomic == 0;
        r->atomic = atomic == 1;
        answer(h, ask(h, r)); /* bytes 0x1010 to 0x102f */
        g_assert_cmpuint(ww_harness_stat(h, "drops", 0), ==, 2);
        g_assert_false(hits(h, 0x1000));
        g_assert_false(hits(h, 0x1020));
        g_assert_true(hits(h, 0x1040));
    }
}

/* Nothing is kept of code, of reads past the L1 and of whole lines. */
static void passes(void)
{
    g_autoptr(WwHarness) h = bench(NULL);
    for (int i = 0; i < 3; i++) {
        for (int again = 0; again < 2; again++) {
            WwMemReq *r = request(h, 0x1000);
            r->type = i == 0 ? WW_ACCESS_INST_R : r->type;
            r->bypass_l1 = i == 1;
            r->size = i == 2 ? 128 : r->size;
            answer(h, ask(h, r));
        }
    }
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 0);
    g_assert_false(hits(h, 0x1000));
}

/* No room towards memory: it sleeps, the cycles count, and an answer that it could be found in wakes it. */
static void waits(void)
{
    g_autoptr(WwHarness) h = bench(NULL);
    WwMemReq *first = ask(h, request(h, 0x1000)), *second = ask(h, request(h, 0x1000));
    ww_harness_step(h, 9);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 10);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(text, "a request waits for room towards memory"));
    WwMemReq *earlier = request(h, 0x1000); /* the way out is still taken */
    earlier->response = true;
    g_assert_true(ww_harness_put(h, "replies", 0, ww_token_of(earlier)));
    ww_harness_step(h, 2);
    g_assert_true(taken(h, "to") == earlier);
    ww_harness_until(h, "to", 100);
    g_assert_true(taken(h, "to") == second);
    answer(h, first);
}

/* As many reads that were found as may wait for their answers; the next one waits in front, and is no miss. */
static void answers(void)
{
    g_autoptr(WwHarness) h = bench("answers=2");
    g_assert_false(hits(h, 0x1000));
    for (int i = 0; i < 4; i++) {
        ask(h, request(h, 0x1000));
    }
    ww_harness_step(h, 20);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 3); /* one of them is in `to` */
    for (int i = 0; i < 4; i++) {
        ww_harness_until(h, "to", 100);
        g_assert_nonnull(taken(h, "to"));
    }
    g_assert_cmpuint(ww_harness_stat(h, "hits", 0), ==, 4);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
}

/* Without entries it is a wire. */
static void off(void)
{
    g_autoptr(WwHarness) h = bench("entries=0");
    g_assert_false(hits(h, 0x1000));
    g_assert_false(hits(h, 0x1000));
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(argc, ==, 2);
    registry = ww_registry_new();
    ww_testing_register(registry, &error);
    g_assert_no_error(error);
    ww_module_load(registry, argv[1], NULL, &error);
    g_assert_no_error(error);
    g_test_add_func("/modules/miss_cache/keeps", keeps);
    g_test_add_func("/modules/miss_cache/latency", latency);
    g_test_add_func("/modules/miss_cache/least_recent", least_recent);
    g_test_add_func("/modules/miss_cache/drops", drops);
    g_test_add_func("/modules/miss_cache/passes", passes);
    g_test_add_func("/modules/miss_cache/waits", waits);
    g_test_add_func("/modules/miss_cache/answers", answers);
    g_test_add_func("/modules/miss_cache/off", off);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
