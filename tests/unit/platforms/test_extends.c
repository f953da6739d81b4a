/* SPDX-License-Identifier: Apache-2.0 */
/* `extends`, `remove`, and what an extension may change. */
#include "tests.h"
#include <glib/gstdio.h>

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char base[] =
    "composite base {\n"
    "    doc \"The base\"; param n : uint = 2; param p : type like policy = policy.lrr;\n"
    "    s : source; w[n] : worker { width = 5; policy : $p { } } q : pipe; k : sink; spare : "
    "board; b : board;\n"
    "    s.out -> q -> w[0].in; w[i].out -> k.in for i in 0..n; w[*].hazard => b;\n"
    "    port out = w[*].out; port feed = s;\n"
    "}\n";

static void expect(const char *extension, const char *body, const char *const *lines)
{
    g_autofree char *before = g_strconcat(base, extension, NULL);
    g_autofree char *text = test_machine(before, body);
    test_expect(text, NULL, lines);
}

static char *dump_of(const char *extension, const char *body)
{
    g_autofree char *before = g_strconcat(base, extension, NULL);
    g_autofree char *text = test_machine(before, body);
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    return test_dump(machine);
}

static void test_values(void)
{
    expect("composite c extends base { n = 3; p = policy.gto; w[1].width = 9; s { rate = 4; } }",
           "c : c;",
           LINES("c.s : source rate=4", "c.w[0] : worker flag=false width=5",
                 "c.w[1] : worker flag=false width=9", "c.w[2].policy : policy.gto",
                 "c.w[2].hazard = c.b.clients"));
}

static void test_additions(void)
{
    expect("composite c extends base { param m : uint = n * 2; n = 1; extra[m] : source; "
           "extra[0].out -> k.in; }",
           "c : c;", LINES("c.extra[1] : source", "c.w[0].out = ", "c.extra[0].out = "));
}

static void test_other_types(void)
{
    expect("composite c extends base { s : worker { width = 3; } w { policy : policy.gto { age = "
           "2; } } w[1] : source; "
           "  remove w.hazard; remove w.out; w[0].hazard => b; w[0].out -> k.in; }",
           "c : c;",
           LINES("c.s : worker flag=false width=3", "c.w[0].policy : policy.gto age=2",
                 "c.w[1] : source rate=1"));
}

static void test_remove(void)
{
    g_autofree char *dump =
        dump_of("composite c extends base { remove q; remove spare; s.out -> w[1].in; }", "c : c;");
    g_assert_null(strstr(dump, "c.q :"));
    g_assert_null(strstr(dump, "spare"));
    g_assert_null(strstr(dump, "c.w[0].in ="));
    g_assert_nonnull(strstr(dump, "c.w[1].in = "));
}

static void test_remove_port(void)
{
    g_autofree char *dump =
        dump_of("composite c extends base { remove w.hazard; w[*].hazard => spare; }", "c : c;");
    g_assert_nonnull(strstr(dump, "c.w[0].hazard = c.spare.clients"));
    g_assert_null(strstr(dump, "c.b.clients"));
}

static void test_boundary(void)
{
    expect("composite c extends base { remove w.out; extra : source; port out = extra.out; }",
           "c : c; z : sink; c.out -> z.in;", LINES("c.extra.out = "));
}

static void test_three_levels(void)
{
    expect("composite d extends c { n = 4; w.width = 7; } composite c extends base { n = 3; gate; "
           "partition; w[0].width = 6; }",
           "x : d;",
           LINES("x.w[0] : worker flag=false width=7", "x.w[3] : worker flag=false width=7"));
}

static void test_machines(void)
{
    const char *text =
        "composite one { s : source; } composite two extends one { t : source; }\n"
        "machine old_m { param f : u64 Hz = 1GHz; domain core = f; domain x = 2GHz; clock exact;\n"
        "    phases { core : core; } c[2] : one; }\n"
        "import \"/nowhere/else.plat\";";
    GError *error = NULL;
    g_assert_null(test_build(text, NULL, NULL, &error));
    g_assert_nonnull(strstr(error->message, "test.plat:4:8: cannot import: /nowhere/else.plat: "));
    g_clear_error(&error);

    g_autofree char *dir = g_dir_make_tmp("ww-platforms-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(dir, "old.plat", NULL);
    g_autofree char *cut = g_strndup(text, (gsize)(strstr(text, "import") - text));
    g_assert_true(g_file_set_contents(file, cut, -1, NULL));
    g_autofree char *whole = g_strdup_printf(
        "import \"%s\";\nmachine new_m extends old_m { f = 3GHz; domain x = 5GHz; c[1] : two; }\n",
        file);
    g_autoptr(WwMachine) machine = test_built(whole, NULL, NULL);
    g_assert_cmpfloat(ww_machine_domain(machine, "core")->hz, ==, 3e9);
    g_assert_cmpfloat(ww_machine_domain(machine, "x")->hz, ==, 5e9);
    g_assert_nonnull(ww_machine_find(machine, "c[1].t"));
    g_assert_null(ww_machine_find(machine, "c[0].t"));
    g_assert_cmpint(g_unlink(file), ==, 0);
    g_assert_cmpint(g_rmdir(dir), ==, 0);
}

/* A member's new type: an extension of the old one keeps what was said of it, anything else does not. */
static void test_body_of_member(void)
{
    static const char parts[] =
        "composite one { param n : uint = 1; s : source { rate = n; } w : worker { width = 2; } }\n"
        "composite two extends one { t : source; } composite three extends two { n = 5; }\n"
        "composite twin { param n : uint = 1; s : source { rate = n; } w : worker { width = 2; } "
        "}\n"
        "composite box { m[2] : one { n = 7; w { width = 9; } } }\n"
        "composite far { b : box; }\n";
    const struct {
        const char *extension, *rate, *width;
    } cases[] = {
        {"extends box { m : two; }", "7", "9"},
        {"extends box { m : three; }", "7", "9"},
        {"extends box { m[0..2] : two { n = 8; } }", "8", "9"},
        {"extends box { m : two; m : one; }", "1", "2"}, /* `one` does not extend `two` */
        {"extends box { m : twin; }", "1", "2"},
        {"extends box { m : twin { n = 3; } }", "3", "2"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *before = g_strdup_printf("%scomposite c %s\n", parts, cases[i].extension);
        g_autofree char *text = test_machine(before, "c : c;");
        g_autofree char *rate = g_strdup_printf("c.m[1].s : source rate=%s", cases[i].rate);
        g_autofree char *width =
            g_strdup_printf("c.m[1].w : worker flag=false width=%s", cases[i].width);
        test_expect(text, NULL, LINES(rate, width));
    }
    g_autofree char *deep = test_machine(parts, "x : far; x.b.m[1] : three;");
    test_expect(
        deep, NULL,
        LINES("x.b.m[0].s : source rate=7", "x.b.m[1].s : source rate=7", "x.b.m[1].t : source"));
}

void register_extends_tests(void)
{
    g_test_add_func("/platforms/extends/body_of_member", test_body_of_member);
    g_test_add_func("/platforms/extends/values", test_values);
    g_test_add_func("/platforms/extends/additions", test_additions);
    g_test_add_func("/platforms/extends/other_types", test_other_types);
    g_test_add_func("/platforms/extends/remove", test_remove);
    g_test_add_func("/platforms/extends/remove_port", test_remove_port);
    g_test_add_func("/platforms/extends/boundary", test_boundary);
    g_test_add_func("/platforms/extends/three_levels", test_three_levels);
    g_test_add_func("/platforms/extends/machines", test_machines);
}
