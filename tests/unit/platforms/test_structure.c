/* SPDX-License-Identifier: Apache-2.0 */
/* Members, arrays, values, slots, groups: what a platform without inheritance says. */
#include "tests.h"

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_body(const char *before, const char *body, const char *const *lines)
{
    g_autofree char *text = test_machine(before, body);
    test_expect(text, NULL, lines);
}

static void test_members(void)
{
    expect_body("", "a : source; b[3] : source { rate = 2; } c[0] : source; d[1] : source;",
                LINES("a : source rate=1", "b[0] : source rate=2", "b[2] : source rate=2",
                      "d[0] : source rate=1"));
    g_autofree char *text = test_machine("", "c[0] : source; d[2] : source;");
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    g_assert_cmpuint(ww_machine_n_components(machine), ==, 2);
}

static void test_values(void)
{
    expect_body(
        "",
        "param n : uint = 3; param big : u64 bytes = 2KiB; param r : real = -1.5; param hz : real "
        "Hz = 877.5MHz;\n"
        "param s : string = \"a \\\"b\\\"\"; param l : list = [n, n + 1]; param c : "
        "choice(plain|fast) = fast;\n"
        "param yes : bool = true;\n"
        "a : worker { flag = true; width = n * (2 + 4) - 10 / 5 % 2; size = 4 KiB; ratio = -0.25;\n"
        "             hz = 1132 MHz; label = \"x # y\"; mode = \"write-back\"; ways = [4, n * 2]; "
        "quantum = 5 cycles; }\n"
        "b : worker { flag = yes; size = big; ratio = r; hz = hz; label = s; mode = c; ways = l; "
        "}\n"
        "c[n - 3] : worker; d[yes] : worker { size = n KiB; ratio = 1e-1; ways = []; label = "
        "some.word; }\n"
        "e : worker { size = 18446744073709551615; width = 0x1f; }",
        LINES("a : worker flag=true width=18 size=4 KiB ratio=-0.25 hz=1.132 GHz label=\"x # y\" "
              "mode=write-back "
              "ways=[4, 6] quantum=5",
              "b : worker flag=true width=4 size=2 KiB ratio=-1.5 hz=877.5 MHz label=\"a "
              "\\\"b\\\"\" mode=fast "
              "ways=[3, 4] quantum=7",
              "d[0] : worker flag=false width=4 size=3 KiB ratio=0.1 hz=1 MHz label=\"some.word\" "
              "mode=plain "
              "ways=[] quantum=7",
              "e : worker flag=false width=31 size=18446744073709551615"));
}

/* A parameter may be given by one that is declared after it. */
static void test_order_of_parameters(void)
{
    expect_body(
        "composite c { param a : uint = b + 1; param b : uint = 4; x : source { rate = a; } }",
        "c : c;", LINES("c.x : source rate=5"));
}

static void test_nesting(void)
{
    expect_body("composite inner { param w : uint = 1; x[2] : source { rate = w; } }\n"
                "composite outer { param w : uint = 2; in[2] : inner { w = w * 10; } }",
                "o[2] : outer { w = 3; } o[1] { w = 4; }\n",
                LINES("o[0].in[0].x[0] : source rate=30", "o[0].in[1].x[1] : source rate=30",
                      "o[1].in[0].x[0] : source rate=40"));
}

static void test_elements(void)
{
    expect_body("composite pair { x[4] : source; }",
                "p[3] : pair { x[1] { rate = 5; } x[2..4].rate = 6; }\n"
                "p[2].x[1].rate = 7;\n"
                "p[1] { x { rate = 8; } x[3].rate = 9; }",
                LINES("p[0].x[0] : source rate=1", "p[0].x[1] : source rate=5",
                      "p[0].x[2] : source rate=6", "p[0].x[3] : source rate=6",
                      "p[1].x[0] : source rate=8", "p[1].x[3] : source rate=9",
                      "p[2].x[1] : source rate=7"));
    /* a range may be empty, wherever it is: at the start, inside, at the end, and of no elements */
    for (int n = 0; n <= 4; n++) {
        g_autofree char *body = g_strdup_printf("a[4] : source { rate = 3; } a[0..n].rate = 5;\n"
                                                "a[n..4].rate = 7; a[n..n] : sink; z[0] : source;\n"
                                                "z[0..0].rate = 4; param n : uint = %d;",
                                                n);
        expect_body("", body,
                    LINES(n > 0 ? "a[0] : source rate=5" : "a[0] : source rate=7",
                          n > 3 ? "a[3] : source rate=5" : "a[3] : source rate=7"));
    }
}

static void test_other_type(void)
{
    expect_body(
        "", "x[4] : source { rate = 3; } x[2] : worker { width = 5; } x[3] { rate = 4; }",
        LINES("x[1] : source rate=3", "x[2] : worker flag=false width=5", "x[3] : source rate=4"));
}

static void test_slots(void)
{
    expect_body(
        "composite two { p : policy.lrr; port policy = p; }",
        "w[2] : worker { policy : policy.gto { age = 4; inner : policy.lrr { quantum = 6; } } }\n"
        "v : worker { policy : two; }\n"
        "w[1].policy.inner.quantum = 8;",
        LINES("w[0].policy : policy.gto age=4", "w[0].policy.inner : policy.lrr quantum=6",
              "w[1].policy.inner : policy.lrr quantum=8", "w[0].policy = w[0].policy.clients",
              "w[1].policy.inner = w[1].policy.inner.clients", "v.policy.p : policy.lrr quantum=3",
              "v.policy = v.policy.p.clients"));
}

/* Each element of an array has a composite of its own in its slot: who calls the first calls no other. */
static void test_slots_of_elements(void)
{
    expect_body(
        "composite one { p : lone; port policy = p; }", "w[3] : worker { policy : one; }",
        LINES("w[0].policy = w[0].policy.p.clients", "w[2].policy = w[2].policy.p.clients"));
}

static void test_type_parameters(void)
{
    const char *text = "composite base { } composite one extends base { s : source; } composite "
                       "two extends base { s[2] : source; }\n"
                       "machine m { domain core = 1GHz; phases { core : core; }\n"
                       "param p : type like policy = policy.lrr; param b : type like base = one;\n"
                       "w : worker { policy : $p; } c : $b; }";
    test_expect(text, NULL, LINES("w.policy : policy.lrr", "c.s : source"));
    test_expect(text, "p=policy.gto\nb=two", LINES("w.policy : policy.gto", "c.s[1] : source"));
}

static void test_groups(void)
{
    g_autofree char *text =
        test_machine("", "param n : uint = 2; before : source;\n"
                         "rotate x[3] : worker { width = 2; }\n"
                         "repeat = n + 1 { a : worker; rotate b[2] : worker; }\n"
                         "sequence c[2] : worker;\n"
                         "after : source;");
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    const char *const anonymous[] = {"x[0]", "x[2]", "a", "b[1]", "c[1]"};
    for (size_t i = 0; i < G_N_ELEMENTS(anonymous); i++) {
        int32_t index = 0;
        const WwComponent *c = ww_machine_find(machine, anonymous[i]);
        g_assert_nonnull(c);
        g_assert_null(ww_group_name((WwGroup *)c->group, &index));
        g_assert_true((WwGroup *)c->group != ww_machine_root(machine));
    }
    const WwComponent *a = ww_machine_find(machine, "a"), *b = ww_machine_find(machine, "b[0]");
    g_assert_true(ww_group_parent((WwGroup *)b->group) == (WwGroup *)a->group);
    g_assert_true((WwGroup *)ww_machine_find(machine, "after")->group == ww_machine_root(machine));
    GError *error = NULL;
    ww_machine_seal(machine, &error);
    g_assert_no_error(error);
    /* a tick: 1 + 3 + 3 * (1 + 2) + 2 + 1 entry points */
    ww_machine_set_no_sleep(machine, true);
    ww_run(machine, 1);
    g_assert_cmpuint(ww_machine_activations(machine), ==, 16);
}

static void test_partitions(void)
{
    expect_body("composite sm { partition; gate; s : source; } composite cluster { "
                "partition; sm[2] : sm; t : source; }",
                "c[2] : cluster; u : source;",
                LINES("c[0].sm[0].s : source rate=1 @2", "c[0].sm[1].s : source rate=1 @3",
                      "c[0].t : source rate=1 @1", "c[1].t : source rate=1 @4",
                      "u : source rate=1 @0"));
}

static void test_domains(void)
{
    const char *text = "machine m { param mhz : uint = 700; param f : real Hz = 877.5MHz; clock "
                       "accelsim; doc \"a machine\";\n"
                       "domain core = mhz MHz; domain l2 = 1.5GHz; domain dram = f;\n"
                       "phases { core : core; l2 : l2; dram : dram; } s : source; }";
    g_autoptr(WwMachine) machine = test_built(text, "mhz=800", NULL);
    g_assert_cmpfloat(ww_machine_domain(machine, "core")->hz, ==, 800e6);
    g_assert_cmpfloat(ww_machine_domain(machine, "l2")->hz, ==, 1.5e9);
    g_assert_cmpfloat(ww_machine_domain(machine, "dram")->hz, ==, 877.5e6);
}

static void test_comments(void)
{
    expect_body("# a comment\n// another\n",
                "a : source; # trailing\n// b : source;\n\tc\r\n: source ;",
                LINES("a : source", "c : source"));
}

void register_structure_tests(void)
{
    g_test_add_func("/platforms/structure/members", test_members);
    g_test_add_func("/platforms/structure/values", test_values);
    g_test_add_func("/platforms/structure/order_of_parameters", test_order_of_parameters);
    g_test_add_func("/platforms/structure/nesting", test_nesting);
    g_test_add_func("/platforms/structure/elements", test_elements);
    g_test_add_func("/platforms/structure/other_type", test_other_type);
    g_test_add_func("/platforms/structure/slots", test_slots);
    g_test_add_func("/platforms/structure/slots_of_elements", test_slots_of_elements);
    g_test_add_func("/platforms/structure/type_parameters", test_type_parameters);
    g_test_add_func("/platforms/structure/groups", test_groups);
    g_test_add_func("/platforms/structure/partitions", test_partitions);
    g_test_add_func("/platforms/structure/domains", test_domains);
    g_test_add_func("/platforms/structure/comments", test_comments);
}
