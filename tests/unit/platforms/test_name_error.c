/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every complaint about names, values, types and wires, with its place. The text under test is line
 * 1.
 */
#include "tests.h"

typedef struct Case {
    const char *text;
    const char *error;
} Case;

/* Within a machine that has the clock domain and phase core. */
#define M(body) "machine m { domain core = 1GHz; phases { core : core; } \n" body " }"

#define MODULE " (a type of a module needs -m MODULE.so)"

static const Case flat_cases[] = {
    {"composite c extends d { }",
     "1:21: 'c' extends 'd', which is not declared; expected a composite"},
    {"composite base { } composite c extends bse { }",
     "1:40: 'c' extends 'bse', which is not declared; expected a composite\n"
     "    composite base { } composite c extends bse { }\n                                         "
     "  ^\n    did you mean 'base'?"},
    {"machine b { } composite c extends b { }",
     "1:35: composite 'c' extends machine 'b'; expected a composite"},
    {"composite b { } machine c extends b { }",
     "1:35: machine 'c' extends composite 'b'; expected a machine"},
    {"composite a extends b { } composite b extends c { } composite c extends a { }",
     "1:73: 'a' extends itself through 'c'; expected no cycle"},
    {"composite a extends a { }", "1:21: 'a' extends itself through 'a'"},
    {"composite a { param x : uint; param x : bool; }",
     "1:37: parameter 'x' is declared already in test.plat:1; expected 'x = VALUE;' "
     "to change its value"},
    {"composite a { x : source; x : sink; }",
     "1:27: member 'x' is declared already in test.plat:1; expected a new name"},
    {"composite a { x[*] : source; }",
     "1:15: there is no member 'x' yet; expected NAME : TYPE or NAME[COUNT] : TYPE"},
    {"composite a { x : source; } composite b extends a { rotate x : sink; }",
     "1:60: member 'x' is declared already"},
    {"composite a { width = 5; }",
     "1:15: 'a' has no parameter 'width'; expected one of its parameters"},
    {"composite a { param width : uint; widht = 5; }",
     "1:35: 'a' has no parameter 'widht'; expected one of its parameters\n"
     "    composite a { param width : uint; widht = 5; }\n                                      "
     "^\n    did you mean 'width'?"},
    {"composite a { issue : worker; isue { width = 5; } }",
     "1:31: 'a' has no member 'isue'; expected one of its members\n"
     "    composite a { issue : worker; isue { width = 5; } }\n                                  "
     "^\n    did you mean 'issue'?"},
    {"composite a { x -> y; }", "1:15: 'a' has no member 'x'"},
    {"composite a { x : pipe; x -> y; }", "1:30: 'a' has no member 'y'"},
    {"composite a { port p = x.y; }", "1:24: 'a' has no member 'x'"},
    {"composite a { x : pipe; port p = x; port p = x; }",
     "1:42: port 'p' is declared twice; expected once, several inner ports with ',' between"},
    {"machine m { domain a = 1GHz; domain a = 1GHz; }",
     "1:37: clock domain 'a' is declared twice; expected once"},
    {"composite a { remove x; }", "1:22: 'a' has no member 'x'"},
    {"composite a { x : pipe; } composite b extends a { remove x.y; }",
     "1:60: no wire and no boundary port touches x.y"},
    {"composite a { x : source; } composite b extends a { remove x; x.out -> x; }",
     "1:63: 'b' has no member 'x'"},
};

static const Case cases[] = {
    /* types */
    {M("x : sourze;"),
     "2:5: 'sourze' is neither a component type nor a composite; expected one" MODULE
     "\n    x : sourze; }\n        ^\n    did you mean 'source'?"},
    {"machine throttled { domain core = 1GHz; phases { core : core; }\nx : throttle; }",
     "2:5: 'throttle' is neither a component type nor a composite; expected one" MODULE
     "\n    x : throttle; }\n        ^"}, /* a machine is no member: not suggested */
    {"composite throttled { } " M("x : throttle;"),
     "2:5: 'throttle' is neither a component type nor a composite; expected one" MODULE
     "\n    x : throttle; }\n        ^\n    did you mean 'throttled'?"},
    {M("x : m;"), "2:5: 'm' is a machine; expected a composite"},
    {M("x : fake.policy;"), "2:5: 'fake.policy' is for test benches only"},
    {"composite source { } " M("x : source;"),
     "2:5: 'source' is both a composite and a component type"},
    {M("x : $p;"),
     "2:5: 'm' has no parameter 'p'; expected a parameter of kind 'type like FAMILY'"},
    {M("param p : uint = 1; x : $p;"), "2:25: parameter 'p' is no type"},
    {M("param p : type like policy = board; w : worker;"),
     "2:30: 'board' is of family 'board'; expected one like 'policy'"},
    {M("param p : type like policy = policy.lr; w : worker;"),
     "2:30: 'policy.lr' is neither a component type nor a composite; "
     "expected one like 'policy'" MODULE
     "\n    param p : type like policy = policy.lr; w : worker; }\n      "
     "                           ^\n    did you mean 'policy.lrr'?"},
    {M("param p : type like policy = lrr; w : worker;"),
     "2:30: 'lrr' is neither a component type nor a composite; "
     "expected one like 'policy'" MODULE
     "\n    param p : type like policy = lrr; w : worker; }\n      "
     "                           ^\n    did you mean 'policy.lrr'?"},
    /* recursion and size */
    {"composite a { x : b; }\ncomposite b { x : a; }" M("y : a;"),
     "2:15: composite 'a' contains itself; expected no recursion"},
    {"composite a { x[0] : a; }" M("y : a;"), "1:15: composite 'a' contains itself"},
    {M("x[65537] : source;"), "2:3: number of elements is 65537; expected 0 to 65536"},
    {M("x[0 - 1] : source;"), "2:5: number of elements is -1; expected 0 to 65536"},
    {"composite a { x[60000] : source; }" M("y[20] : a;"),
     "2:1: 1200021 components and composites in 'm'; expected at most 1000000"},
    {M("repeat = 0 { x : source; }"), "2:10: repeat is 0; expected 1 to 65536"},
    /* expressions */
    {M("x[1 / 0] : source;"), "2:7: division by zero"},
    {M("x[1 % (2 - 2)] : source;"), "2:10: division by zero"},
    {M("x[9223372036854775807 + 1] : source;"), "2:23: result beyond 2^63"},
    {M("x[9223372036854775807 * 2] : source;"), "2:23: result beyond 2^63"},
    {M("x[-9223372036854775807 - 2] : source;"), "2:24: result beyond 2^63"},
    {M("x[-(-9223372036854775807 - 1)] : source;"), "2:3: result beyond 2^63; expected less"},
    {M("x[9223372036854775808] : source;"),
     "2:3: number too large to compute with; expected less than 2^63"},
    {M("x[1.5] : source;"), "2:3: number with a fraction; expected an integer"},
    {M("param n : uint = 2; x[nn] : source;"),
     "2:23: 'm' has no parameter 'nn'; expected a number or a parameter"},
    {M("param n : real = 2; x[n] : source;"), "2:23: parameter 'n' is not an integer"},
    {M("param n : real = 2; x[4 - 2 * n] : source;"), "2:31: parameter 'n' is not an integer"},
    {M("param n : string = \"2\"; x[n] : source;"), "2:27: parameter 'n' is not a number"},
    {M("param n : real = 2; param r : real = n % 2;"),
     "2:40: '%' of a number with a fraction; expected integers"},
    {M("param n : real = 2; param r : real = 1 / (n - 2);"), "2:45: division by zero"},
    {M("param n : real = 2e300; param r : real = n * n;"),
     "2:44: result beyond the range of real numbers; expected less"},
    {M("param n : u64 = 18446744073709551615; x[n] : source;"),
     "2:41: 'n' is too large to compute with; expected less than 2^63"},
    /* parameters */
    {M("param a : uint = b; param b : uint = a;"),
     "2:7: parameter 'a' depends on itself; expected a value without it"},
    {M("param a : uint;"),
     "1:9: parameter 'a' of the machine (m) has no value and no default; expected 'a = VALUE;'"},
    {"composite c { param a : uint; }" M("x[2] : c;"),
     "2:1: parameter 'a' of x[*] (c) has no value and no default"},
    {M("x : strict;"),
     "2:1: parameter 'must' of x (strict) has no value and no default; expected 'must = VALUE;'"},
    {M("param a : uint = 9 in 1..8;"), "2:18: parameter 'a': 9 is out of range, expected 1 to 8"},
    {M("x : source { rte = 5; }"),
     "2:14: component type 'source' has no parameter 'rte'; expected one of its parameters\n"
     "    x : source { rte = 5; } }\n                 ^\n    did you mean 'rate'?"},
    {M("x : source { pace = 5; }"),
     "2:14: component type 'source' has no parameter 'pace'; expected "},
    {"composite c { param b : uint = 1; }" M("x : c { axis = 5; }"),
     "2:9: composite 'c' has no parameter 'axis'; expected b\n"},
    {"composite c { }" M("x : c { a = 5; }"),
     "2:9: composite 'c' has no parameter 'a'; expected none: it has no parameters"},
    {M("x : source { rate = 101; }"),
     "2:21: parameter 'rate': 101 is out of range, expected 1 to 100"},
    {M("x : source { rate = 4KiB; }"), "2:21: parameter 'rate': unit 'KiB' does not fit"},
    {M("x : source { rate = 0 - 1; }"), "2:21: parameter 'rate': -1 is out of range"},
    {M("x : source { rate = [1]; }"), "2:21: parameter 'rate': '[1]' is not a whole number"},
    {M("param speed : uint = 1; x : source { rate = sped; }"),
     "2:45: parameter 'rate': 'sped' is not a whole number, expected 1 to 100; nor is it a "
     "parameter of 'm'\n"
     "    param speed : uint = 1; x : source { rate = sped; } }\n                                  "
     "              ^\n    did you mean 'speed'?"},
    {M("x : worker { mode = fats; }"), "2:21: parameter 'mode': 'fats' is unknown, expected plain, "
                                       "fast or write-back; did you mean 'fast'?"},
    {M("x : worker { ways = [1, z]; }"), "2:25: 'm' has no parameter 'z'"},
    {M("x : worker { ways = [1, 101]; }"), "2:21: parameter 'ways': 101 is out of range"},
    {"machine m { param f : real cycles = 1000;\ndomain core = f; phases { core : core; } }",
     "2:15: 'f' is in cycles, and 'frequency' is in Hz; expected a parameter in the same unit, or "
     "without one"},
    /* elements and slots */
    {M("x[2] : source; x[2].rate = 4;"), "2:18: index of 'x' is 2; expected 0 to 1"},
    {M("x[2] : source; x[1..3].rate = 4;"), "2:21: end of the range is 3; expected 1 to 2"},
    {M("x[2] : source; x[3..3].rate = 4;"),
     "2:18: start of the range of 'x' is 3; expected 0 to 2"},
    {M("x[2] : source; x[2..3].rate = 4;"), "2:21: end of the range is 3; expected 2 to 2"},
    {M("x[0] : source; x[0..1].rate = 4;"), "2:21: end of the range is 1; expected 0 to 0"},
    {M("x[0] : source; x[0].rate = 4;"), "2:18: 'x' has no elements; expected no index, or '[*]'"},
    {M("x : source; x[0].rate = 4;"), "2:13: 'x' is no array; expected no index"},
    {"composite c { w : worker; }" M("x : c { v.width = 5; }"),
     "2:9: composite 'c' has no member 'v'; expected one of its members"},
    {M("x : worker { polcy : policy.lrr; }"),
     "2:14: component type 'worker' has no slot 'polcy'; expected a port that requires an "
     "interface\n    x : worker { polcy : policy.lrr; } }\n                 ^\n    did you mean "
     "'policy'?"},
    {M("x : worker { in : policy.lrr; }"), "2:14: component type 'worker' has no slot 'in'"},
    {M("x : worker { policy.quantum = 5; }"),
     "2:14: nothing fills slot 'policy'; expected 'policy : TYPE' before"},
    {M("x : worker { policy[1] : policy.lrr; }"), "2:14: 'policy' is no array; expected no index"},
    {"composite c { b : policy.lrr; }" M("x : worker { policy : c; }"),
     "2:14: composite 'c' in slot 'policy' has no boundary port of that name with one end; "
     "expected 'port policy = ...;'"},
    {M("x : worker { hazard : policy.lrr; }"),
     "2:14: x.hazard (REQUIRES of board, worker) cannot be filled by"},
    /* domains */
    {M("domain x = 5;\nphases { }"), "3:1: 'phases' is given twice"},
    {"machine m { domain core = 0.5; phases { core : core; } }",
     "1:27: parameter 'frequency': 0.5 is out of range"},
    {"machine m { domain core = 1GHz; phases { core : cor; } }",
     "1:49: phase 'core' is tied to clock domain 'cor'"},
    {"machine m { domain core = 1GHz; phases { a : core; a : core; } }",
     "1:56: phase 'a' is declared twice"},
    /* wires */
    {M("x : source; y : sink; x.ot -> y.in;"),
     "2:25: component type 'source' has no port 'ot'; expected out\n"
     "    x : source; y : sink; x.ot -> y.in; }\n                            ^\n    did you mean "
     "'out'?"},
    {"composite c { x : source; port p = x.out; }" M("x : c; y : sink; x.q -> y.in;"),
     "2:20: composite 'c' has no port 'q'; expected p"},
    {"composite c { x : source; }" M("x : c; y : sink; x.x -> y.in;"),
     "2:20: composite 'c' has no port 'x'; expected none: it has no ports"},
    {"composite c { x : source; port p = x.out; }" M("x : c; y : sink; x.p.z -> y.in;"),
     "2:22: 'z' after a port; expected the end of the path"},
    {"composite c { x : source; port p = x.out; }" M("x : c; y : sink; x -> y.in;"),
     "2:18: 'x' is a composite ('c'); expected x.PORT"},
    {"composite c { x : source; port p = x.out; }" M("x : c; y : sink; x.p[1] -> y.in;"),
     "2:22: index of 'p' (which has 1 elements) is 1"},
    {M("x : source; y : sink; x.out -> y.in[0];"),
     "2:34: index on 'in'; expected none: a port takes its peers in the order of the wires"},
    {M("x[2] : source; y : sink; x.out -> y.in;"),
     "2:26: 'x' is an array of 2; expected x[INDEX], x[A..B] or x[*]"},
    {M("x : source; y : sink; x[0].out -> y.in;"), "2:23: 'x' is no array; expected no index"},
    {M("x[2] : source; y : sink; x[i].out -> y.in for i in 0..3;"),
     "2:28: index of 'x' (which has 2 elements) is 2; expected 0 to 1"},
    {M("x[0] : source; y : sink; x[0].out -> y.in;"),
     "2:26: 'x' has no elements here; expected x[*], which may be none"},
    {M("x : source if 0; y : sink; x[0].out -> y.in;"),
     "2:28: 'x' has no elements here; expected x, which may be none"},
    {M("x[2] : source; y : sink; x[1..0].out -> y.in;"),
     "2:31: index of 'x' (which has 2 elements) is 0; expected 1 to 2"},
    {M("x[2] : source; y[3] : pipe; x[*].out -> y[*];"),
     "2:38: 2 ends before the arrow and 3 after it; expected as many, or one on a side"},
    {M("param i : uint = 1; x : source; y : pipe; x.out -> y for i in 0..1;"),
     "2:58: index 'i' has the name of a parameter; expected another"},
    {M("x : source; y : pipe; x.out -> y for i in 0..65537;"), "2:46: end of the range is 65537"},
    {M("x : source; y : sink; y.in -> x.out;"),
     "2:23: 'in' is an IN port tokens; expected an OUT port or a channel before '->' (turn the "
     "wire round)"},
    {M("x : source; y : sink; x -> y.in;"),
     "2:23: 'x' is a component (source); expected an OUT port or a channel before '->'"},
    {M("x : source; y : sink; x.out -> y;"),
     "2:32: 'y' is a component (sink); expected an IN port or a channel after '->'"},
    {M("x : pipe; y : pipe; x -> y;"),
     "2:26: 'y' is a channel (pipe); expected an IN port or a channel after '->'"},
    {M("x : source; y : board; x.out -> y.clients;"),
     "2:33: 'clients' is a port that provides board; expected an IN port or a channel after "
     "'->' (interfaces are joined by '=>')"},
    {M("w : worker; b : board; w.hazard -> b;"),
     "2:24: 'hazard' is a port that requires board; expected an OUT port or a channel before '->' "
     "(interfaces are joined by '=>')"},
    {M("w : worker; b : board; b.clients => w.hazard;"),
     "2:24: 'clients' is a port that provides board; expected a port that requires an "
     "interface before '=>' (turn the wire round)"},
    {M("w : worker; q : pipe; w.hazard => q;"),
     "2:35: 'q' is a channel (pipe); expected a component or a port that provides it after '=>' "
     "(tokens flow along '->')"},
    {M("w : worker; v : worker; w.hazard => v.policy;"),
     "2:37: 'policy' is a port that requires policy; expected a component or a port that "
     "provides it after '=>' (turn the wire round)"},
    {M("w : worker; v : source; w.out => v;"),
     "2:25: 'out' is an OUT port tokens; expected a port that requires an interface before '=>' "
     "(tokens flow along '->')"},
    {M("w : worker; b : policy.lrr; w.hazard => b;"),
     "2:29: w.hazard (REQUIRES of board, worker) cannot be filled by b (policy.lrr)"},
    {M("w : worker; b[2] : board; w.hazard => b[*];"),
     "2:27: w.hazard (REQUIRES of board, worker) is bound already; expected at most 1 peer\n"
     "    w : worker; b[2] : board; w.hazard => b[*]; }\n                              ^"},
    {M("x[65536] : source; y : pipe; x[*].out -> y for i in 0..65536;"),
     "2:39: more than 4000000 wires and indices; expected fewer"},
};

static void check(const Case *c)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = test_build(c->text, NULL, NULL, &error);
    g_autofree char *expected = g_strconcat("test.plat:", c->error, NULL);
    bool ends = !g_str_has_suffix(expected, "^") || /* where the text ends here, there is none */
                (error != NULL && strcmp(error->message, expected) == 0);
    if (machine != NULL || error == NULL || !g_str_has_prefix(error->message, expected) || !ends) {
        g_test_fail_printf("'%s' is refused with\n%s\nnot\n%s", c->text,
                           error != NULL ? error->message : "nothing", expected);
    }
    g_assert_true(error == NULL || error->domain == WW_ERROR);
}

static void test_flat(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(flat_cases); i++) {
        check(&flat_cases[i]);
    }
}

static void test_elaboration(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        check(&cases[i]);
    }
}

/* Composites in composites: doubling at each level, and too many levels. */
static void test_explosion(void)
{
    GString *s = g_string_new("composite c0 { }\n");
    for (int i = 1; i < 40; i++) {
        g_string_append_printf(s, "composite c%d { a : c%d; b : c%d; }\n", i, i - 1, i - 1);
    }
    g_string_append(s, "machine m { x : c39; }");
    test_refuse(s->str, NULL,
                (const char *const[]){
                    "more than 200000 different parts; expected arrays of alike elements", NULL});
    g_string_assign(s, "composite c0 { }\n");
    for (int i = 1; i < 70; i++) {
        g_string_append_printf(s, "composite c%d { a : c%d; }\n", i, i - 1);
    }
    g_string_append(s, "machine m { x : c69; }");
    test_refuse(s->str, NULL,
                (const char *const[]){"nested too deeply; expected at most 64 levels", NULL});
    g_string_assign(s, "composite c0 { }\n");
    for (int i = 1; i < 70; i++) {
        g_string_append_printf(s, "composite c%d extends c%d { }\n", i, (i + 1) % 70);
    }
    g_string_append(s, "machine m { x : c69; }");
    test_refuse(s->str, NULL, (const char *const[]){"extends", NULL});
    g_string_assign(s, "machine m { param p0 : uint = 1;\n");
    for (int i = 1; i < 400; i++) {
        g_string_append_printf(s, "param p%d : uint = p%d;\n", i, i - 1);
    }
    GString *turned = g_string_new("machine m {\n");
    for (int i = 399; i > 0; i--) {
        g_string_append_printf(turned, "param p%d : uint = p%d;\n", i, i - 1);
    }
    g_string_append(turned, "param p0 : uint = 1; }");
    test_refuse(turned->str, NULL, (const char *const[]){"depends on too many others", NULL});
    g_string_free(turned, true);
    g_string_append(s, "domain core = 1GHz; phases { core : core; } x : source { rate = p399; } }");
    test_expect(s->str, NULL, (const char *const[]){"x : source rate=1", NULL});
    g_string_free(s, true);
}

void register_name_error_tests(void)
{
    g_test_add_func("/platforms/name_error/flat", test_flat);
    g_test_add_func("/platforms/name_error/elaboration", test_elaboration);
    g_test_add_func("/platforms/name_error/explosion", test_explosion);
}
