/* SPDX-License-Identifier: Apache-2.0 */
/* Every complaint of lexer and parser, with its place. */
#include "tests.h"

typedef struct Case {
    const char *text;
    const char *error; /* start of the message, after "test.plat:" */
} Case;

static const Case cases[] = {
    /* lexer */
    {"composite c { x : source { rate = 4K; } }",
     "1:36: unknown unit 'K'; expected B, KiB, MiB, GiB, Hz, kHz, MHz, GHz, "
     "cycles or entries\n    composite c { x : source { rate = 4K; } }\n                           "
     "            ^\n    did you mean 'KiB'?"},
    {"composite c { x = 4MB; }", "1:20: unknown unit 'MB'"},
    {"composite c { x = 5 Mhz; }", "1:21: 'Mhz' here; expected ';' after the value"},
    {"composite c { x = 5Mhz; }", "1:20: unknown unit 'Mhz'"},
    {"composite c { doc \"abc\n\"; }",
     "1:19: string without an end; expected '\"' in the same line"},
    {"composite c { doc \"a\\qb\"; }", "1:21: unknown escape in a string"},
    {"composite c { doc \"a\\", "1:21: unknown escape"},
    {"composite c { ~ }", "1:15: '~' has no meaning here"},
    {"composite \xc3\xa9 { }", "1:11: character U+00E9 has no meaning here"},
    {"composite \x01 { }", "1:11: control character 0x01; expected text"},
    {"composite c {\n\t\txyz ? }", "2:7: '?' has no meaning here; expected a name, a number or a "
                                   "mark\n    \t\txyz ? }\n    \t\t    ^"},
    /* files */
    {"", ": no machine is declared; expected 'machine NAME { ... }'"},
    {"x", "1:1: 'x' here; expected 'import', 'composite' or 'machine'"},
    {"import x;", "1:8: 'x' here; expected a file name in quotes"},
    {"import \"x\"", "1:11: end of the text here; expected ';'"},
    /* composites */
    {"composite", "1:10: end of the text here; expected a name"},
    {"composite 5", "1:11: '5' here; expected a name"},
    {"composite gate { }", "1:11: 'gate' is a word of the language; expected a name"},
    {"composite c extends { }", "1:21: '{' here; expected what it extends"},
    {"composite c ;", "1:13: ';' here; expected 'extends' or '{'"},
    {"composite c extends d ;", "1:23: ';' here; expected '{'"},
    {"composite c {", "1:14: end of the text here; expected a statement or '}'"},
    {"composite c { } composite c { }",
     "1:27: 'c' is declared already in test.plat:1; expected another name"},
    {"composite c { \"x\" }", "1:15: string \"x\" here; expected a statement or '}'"},
    {"composite c { doc 5; }", "1:19: '5' here; expected a string"},
    {"composite c { doc \"a\"; doc \"b\"; }", "1:24: 'doc' is given twice in 'c'"},
    {"composite c { doc \"a\" }", "1:23: '}' here; expected ';'"},
    {"composite c { gate }", "1:20: '}' here; expected ';'"},
    {"composite c { gate; gate; }", "1:21: 'gate' is given twice in 'c'; expected it once"},
    {"composite c { partition; partition; }",
     "1:26: 'partition' is given twice in 'c'; expected it once"},
    {"machine m { gate; }", "1:13: 'gate' in a machine; expected in a composite"},
    {"machine m { partition; }", "1:13: 'partition' in a machine"},
    {"composite c { clock core; }", "1:15: 'clock' in composite 'c'; expected none: what is in it "
                                    "runs in the clock domains of its "
                                    "phases, which the machine declares\n"},
    {"machine m { clock ; }", "1:19: ';' here; expected accelsim or exact"},
    {"machine m { clock fast; }", "1:19: clock 'fast' in a machine; expected accelsim or exact"},
    {"machine m { clock axact; }", "1:19: clock 'axact' in a machine; expected accelsim or exact\n "
                                   "   machine m { clock axact; }\n"
                                   "                      ^\n    did you mean 'exact'?"},
    {"composite c { domain core = 1GHz; }",
     "1:15: clock domain in composite 'c'; expected in a machine only"},
    {"machine m { domain 5 = 1GHz; }", "1:20: '5' here; expected the name of a clock domain"},
    {"machine m { domain core 1GHz; }", "1:25: '1GHz' here; expected '=' and a frequency"},
    {"machine m { domain core = 1GHz leads; }", "1:32: 'leads' here; expected ';'"},
    {"composite c { phases { } }", "1:15: phases in composite 'c'; expected in a machine only"},
    {"machine m { phases { a : b; } phases { } }", "1:31: 'phases' is given twice"},
    {"machine m { phases ; }", "1:20: ';' here; expected '{'"},
    {"machine m { phases { ; } }", "1:22: ';' here; expected the name of a phase or '}'"},
    {"machine m { phases { a b } }", "1:24: 'b' here; expected ':' and a clock domain"},
    {"machine m { phases { a : } }", "1:26: '}' here; expected a clock domain"},
    {"machine m { phases { a : b } }", "1:28: '}' here; expected ';'"},
    {"composite c { remove 5; }", "1:22: '5' here; expected a name"},
    {"composite c { remove a[1]; }",
     "1:22: 'remove' with an index; expected MEMBER or MEMBER.PORT"},
    {"composite c { remove a.b.c; }", "1:26: 'remove' with a longer path"},
    /* parameters */
    {"composite c { param ; }", "1:21: ';' here; expected the name of a parameter"},
    {"composite c { param gate : uint; }",
     "1:21: 'gate' is a word of the language; expected the name of a parameter"},
    {"composite c { param x = 5; }", "1:23: '=' here; expected ':' and the kind"},
    {"composite c { param x : unit; }",
     "1:25: 'unit' here; expected bool, uint, u64, real, string, list, choice(a|b) or type like "
     "FAMILY\n    composite c { param x : unit; }\n                            ^\n    did you mean "
     "'uint'?"},
    {"composite c { param x : 5; }", "1:25: '5' here; expected bool, uint"},
    {"composite c { param x : uint miles; }", "1:30: 'miles' here; expected a unit"},
    {"composite c { param x : uint 5; }",
     "1:30: '5' here; expected '=', 'in', a doc string, 'for' or ';'"},
    {"composite c { param x : choice; }", "1:31: ';' here; expected '(' and the choices"},
    {"composite c { param x : choice(); }", "1:32: ')' here; expected a choice"},
    {"composite c { param x : choice(a b); }", "1:34: 'b' here; expected '|' or ')'"},
    {"composite c { param x : choice(a|a); }",
     "1:34: choice 'a' is given twice; expected each once"},
    {"composite c { param x : type policy; }", "1:30: 'policy' here; expected 'like'"},
    {"composite c { param x : type like; }", "1:34: ';' here; expected a family or a composite"},
    {"composite c { param x : bool = true in 0..1; }",
     "1:37: range for 'x', which is not a number; expected none"},
    {"composite c { param x : uint in 5; }", "1:34: ';' here; expected '..'"},
    {"composite c { param x : uint in 5..1; }",
     "1:33: empty range; expected LEAST..MOST of at least 0"},
    {"composite c { param x : uint in -5..1; }", "1:33: empty range"},
    {"composite c { param x : real in 1..0.5; }", "1:33: empty range; expected LEAST..MOST\n"},
    {"composite c { param y : uint = 1; param x : uint in y..5; }",
     "1:53: bad bound of a range; expected a number"},
    {"composite c { param x : uint in 4/2..5; }", "1:34: bad bound of a range"},
    /* ports */
    {"composite c { port x; }", "1:21: ';' here; expected '=' and the inner port"},
    {"composite c { port x = 5; }", "1:24: '5' here; expected a name"},
    {"composite c { port x = a.b }", "1:28: '}' here; expected ',', 'for', 'if' or ';'"},
    /* entries */
    {"composite c { x }", "1:17: '}' here; expected '=', ':', '{', '->' or '=>'"},
    {"composite c { x : ; }", "1:19: ';' here; expected a component type or composite"},
    {"composite c { x : $; }", "1:20: ';' here; expected the name of a parameter"},
    {"composite c { x : a.; }", "1:21: ';' here; expected a name after '.'"},
    {"composite c { x : a }", "1:21: '}' here; expected ';' or '{'"},
    {"composite c { x : a { 5 } }",
     "1:23: '5' here; expected 'NAME = VALUE;', 'NAME : TYPE' or '}'"},
    {"composite c { x : a { b } }", "1:25: '}' here; expected '=', ':' or '{'"},
    {"composite c { x : a { b -> d; } }", "1:25: '->' here; expected '=', ':' or '{'"},
    {"composite c { x[1] = 5; }", "1:15: parameter 'x' with an index; expected NAME = VALUE"},
    {"composite c { x[1 : a; }", "1:19: ':' here; expected ']' or '..'"},
    {"composite c { x[1..2 : a; }", "1:22: ':' here; expected ']'"},
    {"composite c { x[* : a; }", "1:19: ':' here; expected ']'"},
    {"composite c { x.5 : a; }", "1:17: '5' here; expected a name"},
    {"composite c { x = 5 }", "1:21: '}' here; expected ';' after the value"},
    {"composite c { x = ; }", "1:19: ';' here; expected a number, a parameter or '('"},
    {"composite c { x = [1 2]; }", "1:22: '2' here; expected ',' or ']'"},
    {"composite c { x = (1; }", "1:21: ';' here; expected ')'"},
    {"composite c { x = 1 + ; }", "1:23: ';' here; expected a number"},
    /* groups */
    {"composite c { rotate x = 5; }",
     "1:24: '=' here; expected ':' and a type: a group holds members"},
    {"composite c { x : source; rotate x { rate = 5; } }",
     "1:36: '{' here; expected ':' and a type: a group holds members"},
    {"composite c { rotate a.b : x; }", "1:24: path in a group; expected a new member"},
    {"composite c { rotate { param x : uint; } }",
     "1:24: 'param' here; expected a member, 'rotate', 'repeat', 'sequence' or '}'"},
    {"composite c { repeat { } }", "1:22: '{' here; expected '=' and how often"},
    {"composite c { rotate { a.x -> b; } }", "1:26: path in a group; expected a new member"},
    {"composite c { rotate { a -> b; } }",
     "1:26: '->' here; expected ':' and a type: a group holds members"},
    /* wires */
    {"composite c { a -> ; }", "1:20: ';' here; expected a name"},
    {"composite c { a -> b }", "1:22: '}' here; expected ';', 'for', 'if' or an arrow"},
    {"composite c { a -> b for 5; }", "1:26: '5' here; expected an index name"},
    {"composite c { a -> b for i of 5; }", "1:28: 'of' here; expected 'in'"},
    {"composite c { a -> b for i in 5; }", "1:32: ';' here; expected '..'"},
    {"composite c { a -> b for i in 0..5 }", "1:36: '}' here; expected ';'"},
    {"composite c { a -> b for i in 0..1 for i in 0..1 for i in 0..1 for i in 0..1 for i in 0..1; "
     "}",
     "1:78: a fifth 'for'; expected at most four"},
};

static void test_cases(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(WwMachine) machine = test_build(cases[i].text, NULL, NULL, &error);
        g_autofree char *expected =
            g_strconcat("test.plat", cases[i].error[0] == ':' ? "" : ":", cases[i].error, NULL);
        if (machine != NULL || error == NULL || !g_str_has_prefix(error->message, expected)) {
            g_test_fail_printf("'%s' is refused with\n%s\nnot\n%s", cases[i].text,
                               error != NULL ? error->message : "nothing", expected);
        }
        g_assert_true(error == NULL || error->domain == WW_ERROR);
    }
}

static char *repeat(const char *head, const char *what, int n, const char *tail)
{
    GString *s = g_string_new(head);
    for (int i = 0; i < n; i++) {
        g_string_append(s, what);
    }
    return g_string_free(g_string_append(s, tail), false);
}

static void test_depth(void)
{
    static const struct {
        const char *head, *what, *error;
    } deep[] = {
        {"composite c { x = ", "(", "nested too deeply; expected at most 64 levels"},
        {"composite c { x = ", "-", "nested too deeply"},
        {"composite c { x = 1", "+1", "more than 64 operators in a row; expected parentheses"},
        {"composite c { x ", "{ x ", "nested too deeply"},
        {"composite c { ", "rotate ", "nested too deeply"},
        {"composite c { ", "rotate { ", "nested too deeply"},
        {"composite c { x", ".x", "path too long; expected at most 64 names"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(deep); i++) {
        g_autofree char *text = repeat(deep[i].head, deep[i].what, 1000, ";");
        test_refuse(text, NULL, (const char *const[]){deep[i].error, NULL});
    }
    g_autofree char *blanks = repeat("composite c { ", "\t", 600, " ~ ");
    test_refuse(blanks, NULL, (const char *const[]){"test.plat:1:616: '~'", "\n    ...", NULL});
}

void register_syntax_error_tests(void)
{
    g_test_add_func("/platforms/syntax_error/cases", test_cases);
    g_test_add_func("/platforms/syntax_error/depth", test_depth);
}
