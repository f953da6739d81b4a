/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GPU of 80 SMs of some 70 components: how long it takes to read and to elaborate. `-m perf`
 * prints figures.
 */
#include "tests.h"

#include <time.h>

static char *gpu_text(void)
{
    GString *s = g_string_new(
        "composite sm {\n    gate; partition;\n    param schedulers : uint = 4 in 1..16;\n"
        "    param policy : type like policy = policy.lrr;\n    param width : uint = 2;\n"
        "    score : board;\n    feed : source; out : sink;\n"
        "    rotate issue[schedulers] : worker { width = width; policy : $policy; }\n"
        "    in[schedulers] : pipe { depth = 4; }\n"
        "    feed2[schedulers] : source;\n"
        "    feed2[i].out -> in[i] -> issue[i].in for i in 0..schedulers;\n"
        "    issue[*].hazard => score;\n"
        "    issue[i].out -> out.in for i in 0..schedulers;\n");
    for (int i = 0; i < 14; i++) {
        g_string_append_printf(
            s,
            "    a%d : source { rate = width; }\n    p%d : pipe { depth = width + %d; }\n"
            "    u%d : worker { width = %d; label = \"unit %d\"; hazard : board; }\n"
            "    a%d.out -> p%d -> u%d.in;\n    u%d.out -> out.in;\n",
            i, i, i, i, i + 1, i, i, i, i, i);
    }
    g_string_append(s, "    spare : source; port mem = spare.out;\n}\n"
                       "machine gpu_machine {\n    param sms : uint = 80;\n"
                       "    domain core = 1132MHz; phases { core : core; }\n"
                       "    sm[sms] : sm; net : sink; sm[i].mem -> net.in for i in 0..sms;\n}\n");
    return g_string_free(s, false);
}

static void test_gpu(void)
{
    g_autofree char *text = gpu_text();
    GError *error = NULL;
    double load = 1e9, build = 1e9, special = 1e9;
    uint32_t n = 0;
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    for (int i = 0; i < 200; i++) {
        g_autofree char *line = g_strdup_printf("u%d.width=%d", i % 14, 1 + i % 60);
        ww_overrides_add_text(overrides, line, "-s", &error);
        g_assert_no_error(error);
    }
    g_autoptr(WwOverrides) each = ww_overrides_new();
    for (int i = 0; i < 80; i++) {
        g_autofree char *line = g_strdup_printf("sm[%d].width=%d", i, 1 + i % 40);
        ww_overrides_add_text(each, line, "-s", &error);
        g_assert_no_error(error);
    }
    for (int i = 0; i < (g_test_perf() ? 50 : 1); i++) {
        g_test_timer_start();
        g_autoptr(WwPlatform) platform =
            ww_platform_load_text(test_registry(), text, strlen(text), "gpu.plat", NULL, &error);
        load = MIN(load, g_test_timer_elapsed());
        g_test_timer_start();
        g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, overrides, NULL, &error);
        build = MIN(build, g_test_timer_elapsed());
        g_assert_no_error(error);
        n = ww_machine_n_components(machine);
        g_test_timer_start();
        g_autoptr(WwMachine) other = ww_platform_elaborate(platform, each, NULL, &error);
        special = MIN(special, g_test_timer_elapsed());
        g_assert_no_error(error);
        g_assert_cmpuint(ww_machine_n_components(other), ==, n);
    }
    g_assert_cmpuint(n, >, 80 * 70);
    g_test_message("%u components: read in %.2f ms, elaborated with 200 overrides in %.2f ms, with "
                   "80 different SMs in %.2f ms",
                   n, load * 1e3, build * 1e3, special * 1e3);
}

/* One machine of @p n members of a kind, and what belongs to them. */
static char *flat_text(const char *kind, int n)
{
    GString *s = g_string_new(NULL);
    GString *more = g_string_new(NULL);
    for (int i = 0; i < n; i++) {
        if (strcmp(kind, "wires") == 0) {
            g_string_append_printf(s, "a%d : source; b%d : sink;\n", i, i);
            g_string_append_printf(more, "a%d.out -> b%d.in;\n", i, i);
        } else if (strcmp(kind, "bodies") == 0) {
            g_string_append_printf(s, "a%d : source { rate = %d; }\n", i, i % 100 + 1);
        } else if (strcmp(kind, "values") == 0) {
            g_string_append_printf(s, "a%d : source;\n", i);
            g_string_append_printf(more, "a%d.rate = %d;\n", i, i % 100 + 1);
        } else if (strcmp(kind, "elements") == 0) {
            g_string_append_printf(more, "a[%d].rate = %d;\n", i, i % 100 + 1);
        } else if (strcmp(kind, "parameters") == 0) {
            g_string_append_printf(s, "param p%d : uint = %d;\n", i, i);
            g_string_append_printf(more, "p%d = %d;\n", i, i + 1);
        } else if (strcmp(kind, "composites") == 0) {
            g_string_append_printf(s, "a%d : c;\n", i);
        } else if (strcmp(kind, "groups") == 0) {
            g_string_append_printf(s, "repeat = 2 a%d : source;\n", i);
        } else { /* callers of one interface */
            g_string_append_printf(s, "a%d : worker; a%d.hazard => score;\n", i, i);
        }
    }
    g_string_append(s, more->str);
    g_string_free(more, true);
    g_autofree char *body = g_string_free(s, false);
    g_autofree char *first = strcmp(kind, "elements") == 0 ? g_strdup_printf("a[%d] : source;", n)
                                                           : g_strdup("score : board;");
    g_autofree char *whole = g_strconcat(first, "\n", body, NULL);
    return test_machine("composite c { s : source; }", whole);
}

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double time_of(const char *kind, int n)
{
    g_autofree char *text = flat_text(kind, n);
    GError *error = NULL;
    double begin = cpu();
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), text, strlen(text), "flat.plat", NULL, &error);
    g_assert_no_error(error);
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    for (int k = 0; k < 20; k++) { /* without a path: for every member */
        ww_overrides_add_text(overrides, k % 2 == 0 ? "label=a" : "ratio=3", "-s", NULL);
    }
    bool workers = strcmp(kind, "callers") == 0;
    g_autoptr(WwMachine) machine =
        ww_platform_elaborate(platform, workers ? overrides : NULL, NULL, &error);
    g_assert_no_error(error);
    ww_machine_seal(machine, NULL); /* of some kinds ports are unbound */
    return cpu() - begin;
}

/*
 * Eight times the members work, and take about eight times as long, not sixty-four. How long is looked at in `./dev test --full` alone, as the least of some tries: a
 * busy host makes the larger one slower by more than the smaller one.
 */
static void test_flat(gconstpointer kind)
{
    double few = 1e9, many = 1e9;
    bool full = g_getenv("WW_TEST_FULL") != NULL;
    for (int i = 0; i < (full ? 5 : 1); i++) {
        few = MIN(few, MAX(0.005, time_of(kind, 4000)));
        many = MIN(many, time_of(kind, 32000));
        g_test_message("%s: %.3f s and %.3f s", (const char *)kind, few, many);
    }
    g_assert_true(!full || many <= 20 * few);
}

void register_speed_tests(void)
{
    static const char *const kinds[] = {"wires",      "bodies",     "values", "elements",
                                        "parameters", "composites", "groups", "callers"};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_strconcat("/platforms/speed/flat/", kinds[i], NULL);
        g_test_add_data_func(path, kinds[i], test_flat);
    }
    g_test_add_func("/platforms/speed/gpu", test_gpu);
}
