/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolved text of a machine elaborates to the same machine, and its own resolved text is the
 * same text.
 */
#include "tests.h"

static char *resolved(const WwElaboration *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    GError *error = NULL;
    g_assert_true(ww_platform_write_resolved(e, out, &error));
    g_assert_no_error(error);
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

/* Groups, domains and order: what the dump of components and bindings leaves out. */
static char *order_of(WwMachine *machine)
{
    char *text = NULL;
    size_t size = 0;
    GError *error = NULL;
    if (!ww_machine_seal(machine, &error)) {
        g_assert_no_error(error);
    }
    FILE *out = open_memstream(&text, &size);
    ww_machine_print_order(machine, out);
    ww_machine_set_no_sleep(machine, true);
    ww_run(machine, 12);
    fprintf(out, "%" G_GUINT64_FORMAT " activations\n", ww_machine_activations(machine));
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

static void check(const char *text, const char *values)
{
    g_autoptr(WwElaboration) e = NULL, again = NULL;
    g_autoptr(WwMachine) machine = test_built(text, values, &e);
    g_autofree char *flat = resolved(e);
    g_test_message("%s", flat);
    g_autoptr(WwMachine) copy = test_built(flat, NULL, &again);
    g_autofree char *before = test_dump(machine), *after = test_dump(copy);
    g_assert_cmpstr(before, ==, after);
    g_autofree char *order = order_of(machine), *order_copy = order_of(copy);
    g_assert_cmpstr(order, ==, order_copy);
    /* comments apart, which tell where values came from */
    g_autofree char *twice = resolved(again);
    g_autoptr(GRegex) comments = g_regex_new("^ *#.*\n", G_REGEX_MULTILINE, 0, NULL);
    g_autofree char *a = g_regex_replace_literal(comments, flat, -1, 0, "", 0, NULL);
    g_autofree char *b = g_regex_replace_literal(comments, twice, -1, 0, "", 0, NULL);
    g_assert_cmpstr(a, ==, b);
}

static const char gpu[] =
    "composite leaf { param n : uint = 1; w[n] : worker; q : pipe; w[*].out -> q; port in = "
    "w[i].in for i in 0..n; port out = q;\n"
    "  port hazard = w[*].hazard; port empty = w[0..0].in; }\n"
    "composite two { a : policy.lrr; b : policy.lrr; port policy = b; }\n"
    "composite sm { doc \"SM \\\"x\\\"\"; gate; param width : uint = 4; "
    "param p : type like policy = policy.lrr;\n"
    "  score : board; x[3] : source { rate = 2; }\n"
    "  rotate issue[4] : worker { width = width; policy : $p; label = \"a \\\"b\\\" # c\\n\"; mode "
    "= \"write-back\"; hz = 877.5MHz; ratio = -0.1; }\n"
    "  repeat = 2 { l : leaf { n = 3; } rotate m[2] : leaf; z : worker { policy : two; } }\n"
    "  sequence o[2] : worker;\n"
    "  issue[1] { width = 9; } issue[3].policy : policy.gto { inner : policy.lrr { quantum = 50; } "
    "}\n"
    "  x[1] : worker { ways = []; } last : policy.lrr; v : worker { hazard : board; policy : "
    "policy.gto; } y : worker;"
    "  v.policy.inner => last; y.policy => v.policy.clients;\n"
    "  issue[*].hazard => score; l.hazard => score; z.hazard => score.clients; z.in -> z.out for i "
    "in 0..0;\n"
    "  l2 : sink; l.out -> l2.in; m[i].out -> l2.in for i in 0..2; x[0].out -> l.in[1]; x[2].out "
    "-> m[1].in;\n"
    "  port in = l.in[2], m[0].in, issue[3].in; port policy = issue[0].policy; none[0] : worker; "
    "}\n"
    "machine m { doc \"all of it\"; param fast : real Hz = 1132.5MHz; clock accelsim; "
    "domain core = fast; domain l2 = 2 * fast / 3; domain dram = 3.3333333333GHz;\n"
    "  phases { core : core; l2 : l2; } sm[5] : sm; src[5] : source; src[i].out -> sm[i].in[0] for "
    "i in 0..5;\n"
    "  q : pipe; src2 : source; src2.out -> q -> sm[2].in[1]; port policy = sm[1].in[2]; }\n";

static void test_same(void)
{
    check(gpu, NULL);
    check(gpu, "sm[1..3].width=5\nsm[2].issue[0].policy.quantum=9\nsm[4].l.w[1].size=64KiB\nsm[0]."
               "m[0].n=2\nsm[0].p=policy.gto");
}

/* Composites whose names must not collide with what is written for others. */
static void test_names(void)
{
    check("composite c { param n : uint = 1; s[n] : source; } composite c_2 { s : source; }\n"
          "machine m { domain core = 1GHz; phases { core : core; } a : c; b : c { n = 2; } d : "
          "c_2; e : c { n = 3; } f[0] : c; }",
          NULL);
}

void register_resolved_tests(void)
{
    g_test_add_func("/platforms/resolved/same", test_same);
    g_test_add_func("/platforms/resolved/names", test_names);
}
