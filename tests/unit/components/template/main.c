/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test of template.stage. Copy it beside a component of your own: each test makes a harness,
 * puts tokens in, steps, and looks at what came out and when.
 */
#include "components/template/types.h"

#include <string.h>
#include <testing/testing.h>

static WwRegistry *registry;

/* A stage between two channels that the test drives. */
static WwHarness *bench(const char *params)
{
    WwHarness *h = ww_harness_new(registry, "template.stage", params);
    ww_harness_channel(h, "in", "depth=8");
    ww_harness_channel(h, "out", "depth=1");
    ww_harness_start(h, NULL);
    return h;
}

/* A number taken in cycle 0 is put in cycle `work`: not one cycle earlier. */
static void works(void)
{
    WwHarness *h = bench("work=5");
    WwToken t;
    ww_harness_put(h, "in", 0, 42);
    ww_harness_step(h, 5); /* cycles 0 to 4 */
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    ww_harness_step(h, 1); /* cycle 5 */
    g_assert_true(ww_harness_take(h, "out", NULL, &t));
    g_assert_cmpuint(t, ==, 42);
    ww_harness_free(h);
}

/* One at a time, in order: the next is taken in the cycle in which the last one left. */
static void one_at_a_time(void)
{
    WwHarness *h = bench("work=3");
    WwToken t;
    for (WwToken k = 0; k < 4; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    for (WwToken k = 0; k < 4; k++) {
        g_assert_cmpuint(ww_harness_until(h, "out", 100), ==, k == 0 ? 4 : 3);
        g_assert_true(ww_harness_take(h, "out", NULL, &t));
        g_assert_cmpuint(t, ==, k);
    }
    ww_harness_free(h);
}

/* A full channel behind it: it sleeps, and the cycles count. A freed slot wakes it. */
static void waits_for_room(void)
{
    WwHarness *h = bench("work=2");
    WwToken t;
    ww_harness_put(h, "in", 0, 1);
    ww_harness_put(h, "in", 0, 2);
    ww_harness_step(h, 20); /* the second is finished in cycle 4 */
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 16);
    ww_harness_take(h, "out", NULL, &t);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "waited", 0), ==, 16);
    ww_harness_free(h);
}

/* Cost: two activations a number, however long the work. */
static void sleeps(void)
{
    WwHarness *h = bench("work=1000");
    ww_harness_step(h, 10);
    g_assert_true(ww_harness_asleep(h));
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    ww_harness_put(h, "in", 0, 1);
    ww_harness_step(h, 2000);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <=, 4);
    ww_harness_free(h);
}

/* After a reset it is as new: what was inside is gone. */
static void resets(void)
{
    WwHarness *h = bench("work=5");
    ww_harness_put(h, "in", 0, 1);
    ww_harness_step(h, 3);
    ww_harness_reset(h);
    ww_harness_step(h, 20);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    g_assert_true(ww_harness_asleep(h));
    ww_harness_free(h);
}

/* What it says in the report of a run that hangs. */
static void explains(void)
{
    WwHarness *h = bench(NULL);
    ww_harness_put(h, "in", 0, 1);
    ww_harness_put(h, "in", 0, 77);
    ww_harness_step(h, 10);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(text, "number 77 waits for room"));
    ww_harness_free(h);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    GError *error = NULL;
    registry = ww_registry_new();
    ww_testing_register(registry, &error);
    ww_registry_add(registry, &template_stage_type, "built-in", &error);
    g_assert_no_error(error);
    g_test_add_func("/template/stage/works", works);
    g_test_add_func("/template/stage/one_at_a_time", one_at_a_time);
    g_test_add_func("/template/stage/waits_for_room", waits_for_room);
    g_test_add_func("/template/stage/sleeps", sleeps);
    g_test_add_func("/template/stage/resets", resets);
    g_test_add_func("/template/stage/explains", explains);
    int status = g_test_run();
    ww_registry_free(registry);
    return status;
}
