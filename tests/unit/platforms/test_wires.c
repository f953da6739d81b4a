/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wires: chains, ranges, whole arrays, boundary ports, order of binding, parts that are left out.
 */
#include "tests.h"

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static char *bindings(const char *before, const char *body)
{
    g_autofree char *text = test_machine(before, body);
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    g_autofree char *dump = test_dump(machine);
    GString *out = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(dump, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        if (strstr(*line, " : ") == NULL && **line != '\0') {
            g_string_append_printf(out, "%s;", *line);
        }
    }
    return g_string_free(out, false);
}

static void expect(const char *before, const char *body, const char *expected)
{
    g_autofree char *got = bindings(before, body);
    g_assert_cmpstr(got, ==, expected);
}

static void test_chain(void)
{
    expect("", "s : source; q : pipe; w : worker; k : sink; s.out -> q -> w.in; w.out -> k.in;",
           "s.out = q;w.in = q;w.out = w.out;k.in = w.out;");
    expect(
        "",
        "s[2] : source; q[2] : pipe; w[2] : worker; s[i].out -> q[1 - i] -> w[i].in for i in 0..2;",
        "s[0].out = q[1];s[1].out = q[0];w[0].in = q[1];w[1].in = q[0];");
}

/* Binding order is the order of the text, then of the indices; the last loop turns fastest. */
static void test_order(void)
{
    expect("composite c { s[3] : source; port out = s[j].out for j in 0..3; }",
           "c[2] : c; q : pipe; k[6] : pipe;\n"
           "c[i].out[2 - j] -> k[i * 3 + j] for i in 0..2 for j in 0..3;",
           "c[0].s[2].out = k[0];c[0].s[1].out = k[1];c[0].s[0].out = k[2];"
           "c[1].s[2].out = k[3];c[1].s[1].out = k[4];c[1].s[0].out = k[5];");
}

static void test_whole_arrays(void)
{
    expect("", "s[4] : source; q : pipe; s[*].out -> q;",
           "s[0].out = q;s[1].out = q;s[2].out = q;s[3].out = q;");
    expect("", "s[4] : source; q[2] : pipe; s[1..3].out -> q[*];",
           "s[1].out = q[0];s[2].out = q[1];");
    expect("", "w[2] : worker; b : board; w[*].hazard => b; w[*].policy => b.spare;",
           "w[0].hazard = b.clients;w[1].hazard = b.clients;w[0].policy = b.spare;w[1].policy = "
           "b.spare;");
}

static void test_boundary_ports(void)
{
    const char *before = "composite leaf { w : worker; q : pipe; port in = w.in; port out = w.out; "
                         "port fifo = q; port hazard = w.hazard; }\n"
                         "composite mid { l[2] : leaf; b : board; l[*].hazard => b; port in = "
                         "l[0].in, l[1].in; port out = l[*].out;\n"
                         "  port board = b; port fifo = l[1].fifo; port other = b.spare; }\n";
    expect(before,
           "m : mid; s[2] : source; k[2] : pipe; v : worker; s[*].out -> k[*] -> m.in; m.out[1] -> "
           "m.fifo -> v.in; v.hazard => m.board; v.policy => m.other;",
           "m.l[0].w.hazard = m.b.clients;m.l[1].w.hazard = m.b.clients;s[0].out = k[0];s[1].out = "
           "k[1];m.l[0].w.in = k[0];"
           "m.l[1].w.in = k[1];m.l[1].w.out = m.l[1].q;v.in = m.l[1].q;v.hazard = "
           "m.b.clients;v.policy = m.b.spare;");
}

static void test_left_out(void)
{
    expect("composite c { param n : uint = 0; w[n] : worker; port in = w[*].in; port hazard = "
           "w[i].hazard for i in 0..n; }",
           "c : c; s : source; q : pipe; b[0] : board; v : worker; s.out -> q -> c.in; c.hazard => "
           "b[*]; v.hazard => b[*];\n"
           "v.in -> v.out for i in 0..0;",
           "s.out = q;");
}

static void test_slots(void)
{
    expect("",
           "w : worker { policy : policy.gto; } l : policy.lrr; v : worker; w.policy.inner => l; "
           "v.policy => w.policy.clients;",
           "w.policy = w.policy.clients;w.policy.inner = l.clients;v.policy = w.policy.clients;");
}

void register_wires_tests(void)
{
    g_test_add_func("/platforms/wires/chain", test_chain);
    g_test_add_func("/platforms/wires/order", test_order);
    g_test_add_func("/platforms/wires/whole_arrays", test_whole_arrays);
    g_test_add_func("/platforms/wires/boundary_ports", test_boundary_ports);
    g_test_add_func("/platforms/wires/left_out", test_left_out);
    g_test_add_func("/platforms/wires/slots", test_slots);
}
