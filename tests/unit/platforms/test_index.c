/* SPDX-License-Identifier: Apache-2.0 */
/* Index sets and what is said once for all their elements; conditions; comparisons. */
#include "tests.h"

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void expect_body(const char *before, const char *body, const char *const *lines)
{
    g_autofree char *text = test_machine(before, body);
    test_expect(text, NULL, lines);
}

/* Fails if what @before and @body elaborate to contains @word. */
static void expect_without(const char *before, const char *body, const char *word)
{
    g_autofree char *text = test_machine(before, body);
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    g_autofree char *dump = test_dump(machine);
    g_assert_null(strstr(dump, word));
}

/* Names, sizes and positions, of sets within sets and of a list in place. */
static void test_elements(void)
{
    expect_body("",
                "index kinds = a, b, c1..c3; index all = kinds, d;\n"
                "m_{k} : source { rate = k + 1; } for k in all;\n"
                "n[kinds] : source { rate = all; }\n"
                "{p}_{q} : source for p in x, y for q in kinds, z;",
                LINES("m_a : source rate=1", "m_c3 : source rate=5", "m_d : source rate=6",
                      "n[4] : source rate=6", "x_a : source rate=1", "x_z : source", "y_b : source",
                      "y_z : source"));
    g_autofree char *text =
        test_machine("", "index k = b, a; {u} : source for u in k; c : source;");
    g_autoptr(WwMachine) machine = test_built(text, NULL, NULL);
    static const char *const order[] = {"b", "a", "c"};
    for (uint32_t i = 0; i < 3; i++) {
        g_assert_cmpstr(ww_machine_component(machine, i)->name, ==, order[i]);
    }
}

/* A parameter for each element, with values by element; they are parameters like others. */
static void test_parameters(void)
{
    static const char text[] =
        "composite c { index kinds = a, b, d; param n : uint = 9;\n"
        "    param {k}_rate : uint = {a: 4, b: n, *: 2 + 3} in 1..20 \"how many\" for k in kinds;\n"
        "    param {k}_mode : choice(plain|fast) = {b: fast, *: plain} for k in kinds;\n"
        "    {k} : source { rate = {k}_rate; } for k in kinds;\n"
        "    w_{k} : worker { mode = {k}_mode; width = {b: 7, *: k + 1}; ways = [k, {k}_rate]; } "
        "for k in "
        "kinds; }\n";
    expect_body(text, "c : c; e : c { d_rate = 6; b_mode = plain; }",
                LINES("c.a : source rate=4", "c.b : source rate=9", "c.d : source rate=5",
                      "e.d : source rate=6",
                      "c.w_a : worker flag=false width=1 size=1 KiB ratio=0.5 hz=1 MHz "
                      "label=\"none\" mode=plain ways=[0, 4]",
                      "c.w_b : worker flag=false width=7 size=1 KiB ratio=0.5 hz=1 MHz "
                      "label=\"none\" mode=fast ways=[1, 9]",
                      "e.w_d : worker flag=false width=3"));
    g_autofree char *whole = test_machine(text, "c : c;");
    test_expect(whole, "c.a_rate=17\nd_rate=3",
                LINES("c.a : source rate=17", "c.d : source rate=3"));
    test_refuse(whole, "c.a_rate=21",
                (const char *const[]){"a_rate", "21", "expected 1 to 20", NULL});
}

/* Wires, boundary ports, values, new types and removal over a set. */
static void test_statements(void)
{
    static const char parts[] =
        "composite base { index kinds = a, b; {k}[2] : source for k in kinds; k : sink;\n"
        "    q_{x} : pipe for x in kinds; s_{x} : worker { policy : policy.lrr; } for x in kinds;\n"
        "    {u}[0].out -> q_{u} -> s_{u}.in for u in kinds;\n"
        "    s_{u}.out -> k.in for u in kinds;\n"
        "    port spare = {u}[1].out for u in kinds; port only_{u} = {u}[1].out for u in kinds; "
        "}\n";
    expect_body(parts, "c : base; k : sink; c.spare -> k.in;",
                LINES("c.s_b.in = c.q_b", "k.in = "));
    expect_body(parts, "c : base; k[3] : sink; c.spare[1] -> k[0].in; c.only_a -> k[1].in;",
                LINES("k[0].in = ", "k[1].in = "));
    expect_body("composite base { index kinds = a, b; {k} : worker for k in kinds; }\n"
                "composite two extends base { {k}.width = 5 + k for k in kinds;\n"
                "    {k} { size = 3KiB; flag = true; } for k in a, b;\n"
                "    {k} : source { rate = 7; } for k in b, c; }\n",
                "c : two;",
                LINES("c.a : worker flag=true width=5 size=3 KiB", "c.b : source rate=7",
                      "c.c : source rate=7"));
    expect_without(
        "composite base { index kinds = a, b; {k} : worker for k in kinds; z : source; }\n"
        "composite two extends base { remove {k} for k in kinds; }",
        "c : two;", "worker");
}

/* Another composite has more elements, or others: all that is said of the set follows. */
static void test_extends(void)
{
    static const char parts[] = "composite base { index kinds = a, b; index all = z, kinds; param "
                                "{k}_rate : uint = {a: 2, *: 3} "
                                "for k in all;\n"
                                "    first : source; {k} : source { rate = {k}_rate; } for k in "
                                "all; n[all] : source; last : "
                                "source; remove last; }\n";
    expect_body(parts,
                "c : base; d : more; e : more_still; f : other;\n"
                "}\ncomposite more extends base { index kinds += c; c_rate = 9; }\n"
                "composite more_still extends more { index kinds += d; d { rate = 8; } }\n"
                "composite other extends base { index kinds = b, x; x_rate = 5; late : source;",
                LINES("c.z : source rate=3", "c.b : source rate=3", "c.n[2] : source",
                      "d.a : source rate=2", "d.c : source rate=9", "d.n[3] : source",
                      "e.d : source rate=8", "e.c : source rate=9", "e.n[4] : source",
                      "f.b : source rate=3", "f.x : source rate=5", "f.late : source"));
    /* a parameter that both have is the same to a config, whatever else the set holds */
    g_autofree char *both =
        test_machine(parts, "c : base; d : o; } composite o extends base { index kinds = b, x;");
    test_expect(both, "b_rate=9", LINES("c.b : source rate=9", "d.b : source rate=9"));
    expect_without(parts, "c : o; } composite o extends base { index kinds = b;", "c.a :");
    expect_without(parts, "c : o; } composite o extends base { index kinds += q;", "c.last");
}

/* A member with a condition is an array of one element or none; wires to what is not there vanish. */
static void test_conditions(void)
{
    static const char parts[] =
        "composite c { param yes : bool = true; param n : uint = 3;\n"
        "    s : source if yes; t[n] : source { rate = n; } if n > 2 and not yes; k : sink;\n"
        "    s.out -> k.in; t[*].out -> k.in;\n"
        "    w[n] : worker; b : board;\n"
        "    w[i].hazard => b for i in 0..n if i != 1 and yes; port o = s, t[*] if yes; }\n";
    expect_body(parts, "c : c; d : c { yes = false; } e : c { n = 2; } e.s { rate = 4; }",
                LINES("c.s[0] : source rate=1", "c.s[0].out = ", "d.t[2] : source rate=3",
                      "d.t[0].out = ", "e.s[0] : source rate=4", "c.w[0].hazard = c.b.clients",
                      "c.w[2].hazard = c.b.clients"));
    expect_without(parts, "c : c;", "c.t[");
    expect_without(parts, "c : c;", "c.w[1].hazard =");
    expect_without(parts, "c : c { yes = false; }", "c.s[");
    expect_without(parts, "c : c { yes = false; n = 2; }", ".out =");
    expect_without(parts, "c : c { yes = false; }", "hazard =");
    g_autofree char *text = test_machine(parts, "c : c { yes = false; }");
    test_expect(text, "c.s.rate=5\nc.s[*].rate=6", LINES("c.t[0] : source rate=3"));
}

static void test_expressions(void)
{
    expect_body(
        "composite c { param n : uint = 4; param t : bool = 2 < 3; param zero : uint = 0;\n"
        "a : source { rate = 1 + (n == 4) + (n != 4) * 2 + (n < 5) * 4 + (n <= 3) * 8; }\n"
        "b : source { rate = 1 + (n > 4) + (n >= 4) * 2 + (not n) * 4 + (n or 1 / zero) * 8; "
        "}\n"
        "d : source if zero and 1 / zero; e : source if not zero and n - 3 == 1 or zero;\n"
        "f : source if 1 or 0 and 0; g : worker { flag = n > 3; } h : worker { flag = t; } "
        "i[n > 3] : source if - n < 0; j : source { rate = - -3; }"
        "k : source { rate = -(-4); } }\n",
        "c : c;",
        LINES("c.a : source rate=6", "c.b : source rate=11", "c.e[0] : source", "c.f[0] : source",
              "c.g : worker flag=true", "c.h : worker flag=true", "c.i[0] : source",
              "c.j : source rate=3", "c.k : source rate=4"));
}

/* A real number makes what it is computed with real; what none is in stays whole. */
static void test_reals(void)
{
    expect_body(
        "composite c { param n : real = 4; param k : uint = 7; param h : real = n / 8 + k / 2;\n"
        "param low : real = 0.5 * k; param off : real = -n; param zero : real = 0;\n"
        "a : source { rate = 1 + (h == 3.5) + (low == 3.5) * 2 + (off + n == 0) * 4; }\n"
        "b : source { rate = 1 + (7 / 2 == 3) + (7 / 2.0 == 3.5) * 2 + (n - k < -2.5) * 4; }\n"
        "d : source if n; e : source if zero; f : source if not zero and 1.5 * n == 6; }\n",
        "c : c;",
        LINES("c.a : source rate=8", "c.b : source rate=8", "c.d[0] : source", "c.f[0] : source"));
}

/* Of two numbers: less, as many, more. */
static void expect_comparisons(const char *kind, const char *less_than, const char *more_than)
{
    static const struct {
        const char *op;
        bool less, same, more;
    } rows[] = {
        {"<", true, false, false}, {"<=", true, true, false}, {"==", false, true, false},
        {"!=", true, false, true}, {">=", false, true, true}, {">", false, false, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf(
            "composite c { param n : %s = 0; w : worker { width = 1 + (n %s 4); } }", kind,
            rows[i].op);
        g_autofree char *members = g_strdup_printf(
            "a : c { n = %s; } b : c { n = 4; } d : c { n = %s; }", less_than, more_than);
        g_autofree char *whole = test_machine(text, members);
        g_autofree char *less =
            g_strdup_printf("a.w : worker flag=false width=%d", 1 + rows[i].less);
        g_autofree char *same =
            g_strdup_printf("b.w : worker flag=false width=%d", 1 + rows[i].same);
        g_autofree char *more =
            g_strdup_printf("d.w : worker flag=false width=%d", 1 + rows[i].more);
        test_expect(whole, NULL, LINES(less, same, more));
    }
}

static void test_comparisons(void)
{
    expect_comparisons("uint", "3", "5");
    expect_comparisons("real", "3.9", "4.1");
}

/* A condition may speak of the element, in names and as a position. */
static void test_conditions_of_elements(void)
{
    static const char text[] =
        "composite c { index kinds = a, b, d; param {k}_on : bool = {b: false, *: true} for k in "
        "kinds;\n"
        "    {k} : source for k in kinds if {k}_on; w_{k} : worker for k in kinds; b0 : board;\n"
        "    w_{k}.hazard => b0 for k in kinds if {k}_on and k > 0;\n"
        "    port all = {k}.out for k in kinds if {k}_on; }\n";
    expect_body(text, "c : c; k : sink; c.all -> k.in;",
                LINES("c.a[0] : source", "c.d[0] : source", "c.w_d.hazard = c.b0.clients",
                      "c.a[0].out = "));
    expect_without(text, "c : c;", "c.b[");
    expect_without(text, "c : c;", "w_a.hazard =");
    expect_without(text, "c : c;", "w_b.hazard =");
}

/* The words are names where nothing follows that they could act on. */
static void test_words(void)
{
    expect_body(
        "composite c { param index : uint = 2; param not : uint = 3; index = 4; a : source { rate "
        "= index; } if : source { rate = not; } b : source { rate = 5; }\n"
        "for : source; x : c2 { index { rate = 6; } } }\n"
        "composite c2 { index : source; }\n",
        "c : c;",
        LINES("c.a : source rate=4", "c.if : source rate=3", "c.for : source",
              "c.b : source rate=5", "c.x.index : source rate=6"));
}

/* What is refused, and the start of what is said, after "test.plat:". */
static const struct {
    const char *text, *error;
} errors[] = {
    {"composite c { index ; }", "1:21: ';' here; expected '=', ':', '{', '->' or '=>'"},
    {"composite c { index k ; }", "1:23: ';' here; expected '=' or '+=' and the elements"},
    {"composite c { index k = ; }", "1:25: ';' here; expected an element or an index set"},
    {"composite c { index k = a b; }", "1:27: 'b' here; expected ',' or ';'"},
    {"composite c { index k = a, ; }", "1:28: ';' here; expected an element or an index set"},
    {"composite c { index k = a.. ; }", "1:29: ';' here; expected the last element"},
    {"composite c { index k = a1..b2; }",
     "1:29: 'a1..b2'; expected elements that count up, as in x1..x8"},
    {"composite c { index k = a3..a1; }",
     "1:29: 'a3..a1'; expected elements that count up, as in x1..x8"},
    {"composite c { index k = a01..a3; }",
     "1:30: 'a01..a3'; expected elements that count up, as in x1..x8"},
    {"composite c { index k = a..b; }",
     "1:28: 'a..b'; expected elements that count up, as in x1..x8"},
    {"composite c { index k = a1..a99999; }", "1:25: more than 4096 elements; expected fewer"},
    {"composite c { index {k} = a; }",
     "1:21: '{k}' has an element's name in it; expected the name of an index set without braces"},
    {"composite c { index k + a; }", "1:25: 'a' here; expected '=' or '+=' and the elements"},
    {"composite c { index k = a; index k = b; }",
     "1:34: index set 'k' is declared twice; expected '+=' to add to it"},
    {"composite c { index k += a; }",
     "1:21: 'c' has no index set 'k' to add to; expected 'index k = ...;'"},
    {"composite c { index kinds = a; index kind += b; }",
     "1:38: 'c' has no index set 'kind' to add to; expected 'index kind = ...;'"},
    {"composite c { index k = a, b, a; }", "1:31: element 'a' a second time; expected each once"},
    {"composite c { index k = a, l; index l = b, k; }",
     "1:21: index set 'k' contains itself; expected elements, or '+=' to add some"},
    {"composite c { index k = a; index l = k, a; }",
     "1:41: element 'a' a second time; expected each once"},
    {"composite c { index k = a; param k : uint = 1; }",
     "1:34: parameter 'k' has the name of an index set; expected another"},
    {"composite c { {u} : source; }",
     "1:15: a name in braces stands for an element of an index set; expected 'for NAME in SET' at "
     "the end of the statement"},
    {"composite c { index k = a; {u} : source for v in k; }",
     "1:28: '{u}' is no index of this statement; expected 'for u in SET' at its end"},
    {"composite c { index k = a; {u} : source for u in kk; }",
     "1:50: 'kk' is no index set of 'c'; expected one, or a range A..B"},
    {"composite c { index k = a; param u : uint = 1; {u} : source for u in k; }",
     "1:65: index 'u' has the name of a parameter; expected another"},
    {"composite c { index k = a; {k} : source for k in k; }",
     "1:45: index 'k' has the name of an index set; expected another"},
    {"composite c { index k = a; {u} : source for u in k for u in k; }",
     "1:56: a second loop 'u'; expected another name"},
    {"composite c { index k = a; {u} : source for u in k for v in 0..2; }",
     "1:56: a loop over numbers behind a member; expected NAME[COUNT] : TYPE"},
    {"composite c { index k = a; x : source for v in 0..2; }",
     "1:43: a loop over numbers behind a member; expected NAME[COUNT] : TYPE"},
    {"composite c { index k = a; x = 5 for v in 0..2; }",
     "1:38: a loop over numbers behind a value; expected an index [A..B] in the path"},
    {"composite c { index k = a; a.b -> x_{u} for i in 0..2 for u in k; }",
     "1:55: a loop over an index set after one over numbers; expected it before"},
    {"composite b { param x : uint = 1; }\ncomposite c extends b { index x = a; }",
     "2:31: index set 'x' has the name of a parameter, declared in test.plat:1; expected another"},
    {"composite c { param {s}_units : uint = 1 for s in spec1..spec8; }",
     "1:51: 'spec1..spec8' alone are numbers; expected an index set, as 'index NAME = "
     "spec1..spec8;' declares it"},
    {"composite c { index k = a; a.b -> x_{u} if 1 for u in k; }",
     "1:46: a loop behind a condition; expected it before"},
    {"composite c { a.b -> x_{u} for i in 0..2; }",
     "1:22: a name in braces stands for an element of an index set; expected 'for NAME in SET' at "
     "the end of the statement"},
    {"composite c { index k = a; {u} : source { rate = {v}; } for u in k; }",
     "1:50: '{v}' is no index of this statement; expected 'for v in SET' at its end"},
    {"composite c { x { rate = 5; } if 1; }",
     "1:31: a condition behind a value; expected it behind a new member or a wire"},
    {"composite c { param x : uint = 1; x = 5 if 1; }",
     "1:41: a condition behind a value; expected it behind a new member or a wire"},
    {"composite c { param x : uint = 1 if 1; }",
     "1:34: a condition behind a parameter; expected a loop over an index set"},
    {"composite c { param x : uint = 1 for i in 0..2; }",
     "1:38: a loop over numbers behind a parameter; expected a loop over an index set"},
    {"composite c { x : source; remove x if 1; }",
     "1:36: a condition behind 'remove'; expected a loop over an index set"},
    {"composite c { x : source; remove x for i in 0..1; }",
     "1:40: a loop over numbers behind 'remove'; expected a loop over an index set"},
    {"composite c { x : source; x : sink if 1; }",
     "1:36: a condition behind a new type of 'x', which is there already; expected none"},
    {"composite c { x[1] : source; x[0] : sink if 1; }",
     "1:42: a condition behind a new type of 'x', which is there already; expected none"},
    {"composite c { param x : uint = {a: 1}; }",
     "1:32: a value for each element; expected one 'for NAME in SET' at the end of the statement"},
    {"composite c { index k = a, b; param {u} : uint = {a: 1} for u in k; }",
     "1:50: no value for element 'b'; expected 'b: VALUE', or '*: VALUE' for all others"},
    {"composite c { index k = a, b; param {u} : uint = {a: 1, d: 2, *: 3} for u in k; }",
     "1:57: 'd' is no element of what the statement goes over; expected one"},
    {"composite c { index k = a, b; param {u} : uint = {a: 1, a: 2} for u in k; }",
     "1:57: two values for 'a'; expected one"},
    {"composite c { index k = a, b; param {u} : uint = {a: 1, *: 2, b: 3} for u in k; }",
     "1:61: ',' here; expected '}' after the value of all others"},
    {"composite c { index k = a, b; param {u} : uint = {a: {b: 1}} for u in k; }",
     "1:54: '{' here; expected one value: braces do not nest"},
    {"composite c { index k = a, b; param {u} : uint = {a 1} for u in k; }",
     "1:53: '1' here; expected ':' and its value"},
    {"composite c { index k = a, b; param {u} : uint = {5: 1} for u in k; }",
     "1:51: '5' here; expected an element or '*'"},
    {"composite c { index k = a, b; param {u} : uint = {} for u in k; }",
     "1:51: '}' here; expected an element or '*'"},
    {"composite c { index k = a, b; param {u}{v} : uint = {a: 1, *: 2} for u in k for v in k; }",
     "1:53: a value for each element; expected one 'for NAME in SET' at the end of the statement"},
    {"composite c { index k = a, b; param x : uint = 1 for u in k; }",
     "1:37: parameter 'x' is declared already in test.plat:1; expected 'x = VALUE;' to "
     "change its value (for element 'b')"},
    {"composite c { index k = a, b; x : source for u in k; }",
     "1:31: member 'x' is declared already in test.plat:1; expected a new name (for element 'b')"},
    {"composite c { index k = a, b; {u}_{v} : source { rate = 99 + u * 2; } for u in k for v in k; "
     "}",
     "1:57: parameter 'rate': 101 is out of range, expected 1 to 100 (for element 'b', 'a')"},
    {"composite c { index k = a, b; param {u} : uint = {a: 3, *: 9} in 1..5 for u in k; }",
     "1:60: parameter 'b': 9 is out of range, expected 1 to 5 (for element 'b')"},
    {"composite c { index k = a, b; x[2] : source; y : sink; x[u + 1].out -> y.in for u in k; }",
     "1:60: index of 'x' (which has 2 elements) is 2; expected 0 to 1 (for element 'b')"},
    {"composite c { index k = a, b; {u}_x -> {u}_y for u in k; }",
     "1:31: 'c' has no member 'a_x'; expected one of its members (for element 'a')"},
    {"composite c { index k = a, b; param gate : uint = 1 for u in k; }",
     "1:37: 'gate' is a word of the language; expected the name of a parameter"},
    {"composite {u} { }", "1:11: name '{u}' has braces; expected one without"},
    {"composite c extends {u} { }",
     "1:21: '{u}' has an element's name in it; expected what it extends without braces"},
    {"composite c { index k = a; a -> b for {u} in k; }",
     "1:39: '{u}' has an element's name in it; expected an index name without braces"},
    {"composite c { repeat = {u} { x : source; } }",
     "1:24: a name in braces stands for an element of an index set; expected 'for NAME in SET' at "
     "the end of the statement"},
    {"composite c { x : source if 1 < 2 < 3; }",
     "1:35: a second comparison; expected 'and' between two, or parentheses"},
    {"composite c { x : source if ; }", "1:29: ';' here; expected a number, a parameter or '('"},
    {"composite c { x : source if 1 and; }",
     "1:34: ';' here; expected a number, a parameter or '('"},
    {"composite c { x : source if not; }",
     "1:29: 'c' has no parameter 'not'; expected a number or a parameter"},
    {"composite c { x : source if 1 = 2; }", "1:31: '=' here; expected ';'"},
    {"composite c { x : source for u in ; }",
     "1:35: ';' here; expected a number, a parameter or '('"},
    {"composite c { x : source { slot : t for u in k; } }",
     "1:37: 'for' here; expected ';' or '{'"},
    {"composite c { port p = x.q if; }", "1:30: ';' here; expected a number, a parameter or '('"},
    {"composite c { index k = a, b; x : source; port p = x.{u} for u in k for i in 0..2; }",
     "1:48: port 'p' over an index set and over numbers; expected one kind of loop, or braces in "
     "its name"},
    {"machine m { domain {u} = 1GHz; }",
     "1:20: '{u}' has an element's name in it; expected the name of a clock domain without braces"},
    {"machine m { domain x = {u}; }",
     "1:24: a name in braces stands for an element of an index set; expected 'for NAME in SET' at "
     "the end of the statement"},
    {"composite c { {u : source; }", "1:15: '{' here; expected a statement or '}'"},
    {"composite c { x{u : source; }", "2:9: 'm' here; expected '=', ':', '{', '->' or '=>'"},
    {"composite c { x : source { {u} } }", "1:32: '}' here; expected '=', ':' or '{'"},
    {"composite c { x < y; }", "1:17: '<' here; expected '=', ':', '{', '->' or '=>'"},
    {"composite c { x ! y; }",
     "1:17: '!' has no meaning here; expected a name, a number or a mark"},
    {"composite c { param x : uint in 1..2 < 3; }",
     "1:38: bad bound of a range; expected a number"},
    {"composite c { param x : uint = 1 in 1 == 1..5; }",
     "1:39: bad bound of a range; expected a number"},
};

static void test_errors(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        bool whole = g_str_has_prefix(errors[i].text, "machine");
        g_autofree char *text = g_strconcat(
            errors[i].text,
            whole ? NULL : "\nmachine m { domain core = 1GHz; phases { core : core; } x : c; }",
            NULL);
        g_autofree char *error = g_strconcat("test.plat:", errors[i].error, "\n", NULL);
        test_refuse(text, NULL, (const char *const[]){error, NULL});
    }
}

/* Texts that would make much of little are refused before they do. */
static void test_limits(void)
{
    static const char machine[] =
        " }\nmachine m { domain core = 1GHz; phases { core : core; } x : c; }";
    static const char much[] = "more than 1000000 names and values for elements of index sets";
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"composite c { index k = a1..a4096; x_{s}_{t}_{u}_{v} : source for s in k for t in k for "
         "u "
         "in k for v in k;",
         much},
        {"composite c { index k = a1..a4096; x : worker; x { ways = [s, t, s, t, s, t, s, t]; } "
         "for s "
         "in k for t in k;",
         much},
        {"composite c { index k = a1..a4096; x : worker; x.out -> x.in for s in k for t in k;",
         much},
        {"composite c { index a = e1..e4000; index b = a, f1..f97;", "more than 4096 elements"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(rows[i].text, machine, NULL);
        test_refuse(text, NULL, (const char *const[]){rows[i].error, NULL});
    }
    g_autoptr(GString) deep = g_string_new("composite c { x : source if ");
    for (uint32_t i = 0; i < 100; i++) {
        g_string_append(deep, "not ");
    }
    g_string_append(deep, "1;");
    g_string_append(deep, machine);
    test_refuse(deep->str, NULL, (const char *const[]){"nested too deeply", NULL});
    g_autoptr(GString) names = g_string_new("composite c { index k = ");
    for (uint32_t i = 0; i < 4000; i++) {
        g_string_append_c(names, 'a');
    }
    g_string_append(names, ";\n{s}{s}{s} : source for s in k;");
    g_string_append(names, machine);
    test_refuse(names->str, NULL, (const char *const[]){"name of more than 10000 bytes", NULL});
}

void register_index_tests(void)
{
    g_test_add_func("/platforms/index/errors", test_errors);
    g_test_add_func("/platforms/index/limits", test_limits);
    g_test_add_func("/platforms/index/elements", test_elements);
    g_test_add_func("/platforms/index/parameters", test_parameters);
    g_test_add_func("/platforms/index/statements", test_statements);
    g_test_add_func("/platforms/index/extends", test_extends);
    g_test_add_func("/platforms/index/conditions", test_conditions);
    g_test_add_func("/platforms/index/expressions", test_expressions);
    g_test_add_func("/platforms/index/conditions_of_elements", test_conditions_of_elements);
    g_test_add_func("/platforms/index/reals", test_reals);
    g_test_add_func("/platforms/index/comparisons", test_comparisons);
    g_test_add_func("/platforms/index/words", test_words);
}
