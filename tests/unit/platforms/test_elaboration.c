/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of an elaboration and of a platform. */
#include "tests.h"

static const char text[] = "composite base { param w : uint = 2 in 1..9 \"a width\"; param size : "
                           "u64 bytes = w * 1KiB; }\n"
                           "composite sm extends base { doc \"An SM\"; w = 3; x[4] : "
                           "worker { width = w; policy : policy.lrr; } x[2].width = 7;\n"
                           "    trace : worker; port trace = trace.policy; port all = x[*].out; }\n"
                           "machine m { domain core = 1GHz; phases { core : core; } sm[2] : sm; "
                           "port trace = sm[1].trace; port sm = sm[0].all;\n"
                           "    port none = sm[0].all[1..1]; port name = sm[0].trace; }\n";

static void test_why(void)
{
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_built(text, "sm[0].w=5", &e);
    g_assert_nonnull(machine);
    g_autofree char *why = ww_elaboration_why(e, "sm.w", &error);
    g_assert_cmpstr(
        why, ==,
        "sm[0].w = 5    (sm)\n    from -s sm[0].w=5\n    instead of 3 from test.plat:2:42\n"
        "    instead of 2 from test.plat:1:24\n"
        "sm[1].w = 3    (sm)\n    from test.plat:2:42\n    instead of 2 from test.plat:1:24\n");
    g_autofree char *element = ww_elaboration_why(e, "sm[1].x[2].width", &error);
    g_assert_cmpstr(element, ==,
                    "sm[1].x[2].width = 7    (worker)\n    from test.plat:2:104\n    instead of 3 "
                    "from test.plat:2:65\n"
                    "    instead of 4 from default of worker\n");
    g_autofree char *computed = ww_elaboration_why(e, "sm[0].x[0].width", &error);
    g_assert_cmpstr(computed, ==,
                    "sm[0].x[0..2].width = 5    (worker)\n    from test.plat:2:65\n    where w = "
                    "5 from -s sm[0].w=5\n    instead of 4 from default of worker\n");
    g_autofree char *size = ww_elaboration_why(e, "sm[1].size", &error);
    g_assert_nonnull(strstr(size, "    where w = 3 from test.plat:2:42\n"));
    g_autofree char *untouched = ww_elaboration_why(e, "sm[0].x[3].policy.quantum", &error);
    g_assert_cmpstr(
        untouched, ==,
        "sm[0].x[3].policy.quantum = 3    (policy.lrr)\n    from default of policy.lrr\n");
    g_assert_null(ww_elaboration_why(e, "sm.nothing", &error));
    g_assert_cmpstr(error->message, ==,
                    "no parameter matches 'sm.nothing'; expected the path of one");
    g_clear_error(&error);
    g_assert_null(ww_elaboration_why(e, "sm.x.widht", &error));
    g_assert_nonnull(strstr(error->message, "did you mean 'sm.x.width'?"));
    g_clear_error(&error);
    g_assert_null(ww_elaboration_why(e, "x.widht", &error)); /* the end of a path, too */
    g_assert_nonnull(strstr(error->message, "did you mean 'x.width'?"));
    g_clear_error(&error);
    g_assert_null(ww_elaboration_why(e, "sm[", &error));
    g_assert_cmpstr(error->message, ==, "bad path 'sm[': expected an index from 0 to 65535 or '*'");
}

/* Down to what is not computed, each parameter once. */
static void test_why_chain(void)
{
    static const char chain[] =
        "composite sm { param w : uint = 2; param v : uint = w + 1; param u : uint = v * w; x : "
        "worker { width = u - v; } }\n"
        "machine m { param n : uint = 1; domain core = 1GHz; phases { core : core; } sm : sm { w = "
        "n + 1; } }\n";
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_built(chain, "n=2", &e);
    g_assert_nonnull(machine);
    g_autofree char *why = ww_elaboration_why(e, "sm.x.width", &error);
    g_assert_cmpstr(why, ==,
                    "sm.x.width = 8    (worker)\n    from test.plat:1:97\n"
                    "    where u = 12 from test.plat:1:66\n"
                    "      where v = 4 from test.plat:1:42\n"
                    "        where w = 3 from test.plat:2:87\n"
                    "          where n = 2 from -s n=2\n"
                    "    instead of 4 from default of worker\n");
}

static void count(void *user, const WwSettingInfo *setting)
{
    g_assert_nonnull(setting->cause);
    g_assert_nonnull(setting->text);
    uint32_t *n = user;
    n[setting->composite]++;
}

static void test_values(void)
{
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_built(text, NULL, &e);
    g_assert_nonnull(machine);
    g_assert_cmpuint(ww_elaboration_value(e, "sm.size", &error)->u, ==, 3072);
    g_assert_cmpuint(ww_elaboration_value(e, "sm[1].x[0].width", &error)->u, ==, 3);
    g_assert_cmpstr(ww_elaboration_value(e, "trace.label", &error)->s, ==, "none");
    g_assert_cmpuint(ww_elaboration_value(e, "trace.ways", &error)->list.n, ==, 2);
    g_assert_null(ww_elaboration_value(e, "x.width", &error));
    g_assert_cmpstr(error->message, ==,
                    "'x.width' has several values: sm[*].x[0..2].width = 3 and sm[*].x[2].width = "
                    "7; expected a longer path");
    g_clear_error(&error);
    g_assert_null(ww_elaboration_value(e, "y.width", &error));
    g_assert_nonnull(error);
    uint32_t n[2] = {0};
    /*
     * runs 0..2 and 3..4 of x, x[2], trace: 9 values each, and three policies with one; two of the
     * composite
     */
    g_assert_cmpuint(ww_elaboration_each(e, NULL, count, n), ==, 4 * 9 + 3 + 2);
    g_assert_cmpuint(n[1], ==, 2);
    g_assert_cmpuint(ww_elaboration_each(e, "x[1].policy.quantum", count, n), ==, 1);
    g_assert_cmpuint(ww_elaboration_each(e, "x[", count, n), ==, 0);
}

static void test_ports(void)
{
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_built(text, NULL, &e);
    WwComponent *component = NULL;
    int row = -1;
    g_assert_true(ww_elaboration_port(e, "trace", &component, &row, &error));
    g_assert_true(component == ww_machine_find(machine, "sm[1].trace"));
    g_assert_cmpstr(component->type->ports[row].name, ==, "policy");
    g_assert_false(ww_elaboration_port(e, "tracee", &component, &row, &error));
    g_assert_nonnull(strstr(error->message, "test.plat:4:9: machine 'm' has no port 'tracee'"));
    g_assert_nonnull(strstr(error->message, "did you mean 'trace'?"));
    g_clear_error(&error);
    g_assert_false(ww_elaboration_port(e, "sm", &component, &row, &error));
    g_assert_nonnull(strstr(error->message, "has 4 inner ports; expected one"));
    g_clear_error(&error);
    g_assert_false(ww_elaboration_port(e, "none", &component, &row, &error));
    g_assert_nonnull(strstr(error->message, "has 0 inner ports; expected one"));
}

static void test_composites(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), text, strlen(text), "test.plat", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(ww_platform_name(platform), ==, "m");
    uint32_t n = 0;
    const WwCompositeInfo *info = ww_platform_composites(platform, &n);
    g_assert_cmpuint(n, ==, 3);
    g_assert_cmpstr(info[1].name, ==, "sm");
    g_assert_cmpstr(info[1].base, ==, "base");
    g_assert_cmpstr(info[1].doc, ==, "An SM");
    g_assert_cmpuint(info[1].where.line, ==, 2);
    g_assert_cmpuint(info[1].n_params, ==, 2);
    g_assert_cmpstr(info[1].params[0].row->name, ==, "w");
    g_assert_cmpstr(info[1].params[0].row->doc, ==, "a width");
    g_assert_cmpfloat(info[1].params[0].row->max, ==, 9);
    g_assert_cmpstr(info[1].params[0].row->def, ==, "2");
    g_assert_cmpstr(info[1].params[1].row->def, ==, "(computed)");
    g_assert_cmpuint(info[1].n_ports, ==, 2);
    g_assert_cmpstr(info[1].ports[1], ==, "all");
    g_assert_cmpuint(info[1].n_members, ==, 2);
    g_assert_true(info[2].machine);
}

static void list_unused(void *user, const WwSettingInfo *setting)
{
    g_string_append_printf(user, "%s%s ", setting->unused ? "" : "!", setting->path);
}

/* A parameter whose slot another composite fills, and one that nothing names, change nothing. */
static void test_unused(void)
{
    static const char of_two[] =
        "composite sm { param policy : type like policy = policy.lrr; param w : uint = 2; param "
        "none : uint = 1;\n"
        "    param half : uint = w / 2; x : worker { width = w; policy : $policy; } }\n"
        "composite own extends sm { x.policy : policy.gto; x.width = 3; }\n"
        "machine m { domain core = 1GHz; phases { core : core; } a : sm; b : own; }\n";
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(WwMachine) machine = test_built(of_two, NULL, &e);
    g_assert_nonnull(machine);
    ww_elaboration_each(e, "policy", list_unused, all);
    ww_elaboration_each(e, "w", list_unused, all);
    ww_elaboration_each(e, "none", list_unused, all);
    ww_elaboration_each(e, "half", list_unused, all);
    ww_elaboration_each(e, "x.width", list_unused, all);
    g_assert_cmpstr(
        all->str, ==,
        "!a.policy b.policy !a.w !b.w a.none b.none a.half b.half !a.x.width !b.x.width ");
}

/* The elaboration outlives what it was made from. */
static void test_lifetime(void)
{
    GError *error = NULL;
    WwPlatform *platform =
        ww_platform_load_text(test_registry(), text, strlen(text), "test.plat", NULL, &error);
    WwOverrides *overrides = ww_overrides_new();
    g_assert_true(ww_overrides_add_text(overrides, "sm.w=4", "-s", &error));
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(WwElaboration) again = NULL;
    WwMachine *machine = ww_platform_elaborate(platform, overrides, &e, &error);
    WwMachine *second = ww_platform_elaborate(platform, overrides, &again, &error);
    ww_platform_free(platform);
    ww_overrides_free(overrides);
    ww_machine_free(machine);
    ww_machine_free(second);
    g_autofree char *why = ww_elaboration_why(e, "sm.w", &error);
    g_assert_nonnull(strstr(why, "-s sm.w=4"));
    g_autofree char *same = ww_elaboration_why(again, "sm.w", &error);
    g_assert_cmpstr(why, ==, same);
}

static void test_limit(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), text, strlen(text), "test.plat", NULL, &error);
    ww_platform_set_limit(platform, 5);
    g_assert_null(ww_platform_elaborate(platform, NULL, NULL, &error));
    g_assert_nonnull(strstr(error->message, "expected at most 5"));
}

void register_elaboration_tests(void)
{
    g_test_add_func("/platforms/elaboration/why", test_why);
    g_test_add_func("/platforms/elaboration/why-chain", test_why_chain);
    g_test_add_func("/platforms/elaboration/values", test_values);
    g_test_add_func("/platforms/elaboration/unused", test_unused);
    g_test_add_func("/platforms/elaboration/ports", test_ports);
    g_test_add_func("/platforms/elaboration/composites", test_composites);
    g_test_add_func("/platforms/elaboration/lifetime", test_lifetime);
    g_test_add_func("/platforms/elaboration/limit", test_limit);
}
