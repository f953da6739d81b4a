/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused, and how that is said: the place, what is wrong, what was expected. */
#include "tests.h"

#include <string.h>

typedef struct ErrorCase {
    const char *name, *text, *says;
} ErrorCase;

static const ErrorCase cases[] = {
    {"unknown", "confg qv100\n",
     "DIR/x.sweep:1:1: 'confg' begins no statement, did you mean 'config'?; expected axis, "
     "exclude, "
     "keep, experiment, time-limit, memory-limit, slurm, an option of run, or PARAMETER = VALUE"},
    {"unknown-inside", "axis a {\n  v { trac x }\n}\n",
     "DIR/x.sweep:2:7: 'trac' begins no statement, did you mean 'trace'?; expected an option of "
     "run, "
     "or PARAMETER = VALUE"},
    {"no-statement", "a=1\n= 3\n", "DIR/x.sweep:2:1: '=' here; expected a statement"},
    {"no-value", "config\n", "DIR/x.sweep:1:7: the end of the line here; expected what it is"},
    {"no-setting", "sm.warps =  # 3\n",
     "DIR/x.sweep:1:16: the end of the line here; expected a value"},
    {"behind", "strict yes\n", "DIR/x.sweep:1:8: 'y' here; expected the end of the line"},
    {"no-ctas", "max-ctas 0\n", "DIR/x.sweep:1:10: max-ctas 0; expected 1 or more"},
    {"no-cycles", "max-cycles 0\n", "DIR/x.sweep:1:12: max-cycles 0; expected 1 or more"},
    {"no-number", "max-ctas many\n",
     "DIR/x.sweep:1:10: max-ctas 'many' is not a whole number; expected one"},
    {"no-string-end", "\n sm.x = \"abc\n",
     "DIR/x.sweep:2:9: a string without an end; expected '\"' before the line ends"},
    {"axis-of-nothing", "axis scheduler: lrr\n",
     "DIR/x.sweep:1:6: axis 'scheduler' does not say what it sets; expected 'axis scheduler of "
     "PARAMETER: ...', or 'axis scheduler { ... }'"},
    {"axis-alone", "axis x\n",
     "DIR/x.sweep:1:7: the end of the line here; expected 'of', ':' or '{'"},
    {"axis-without-values", "axis x of y:\n",
     "DIR/x.sweep:1:13: the end of the line here; expected a value"},
    {"axis-without-name", "axis : a\n", "DIR/x.sweep:1:6: ':' here; expected the name of an axis"},
    {"axis-name", "axis a.b of c: 1\n",
     "DIR/x.sweep:1:6: 'a.b' names no axis; expected 'axis NAME of a.b: ...' if it is a parameter"},
    {"axis-measure", "axis cycles of c: 1\n",
     "DIR/x.sweep:1:6: an axis 'cycles'; expected another name: tables have a figure of this name"},
    {"axis-twice", "axis a of b: 1\naxis a of c: 2\n",
     "DIR/x.sweep:2:6: a second axis 'a'; expected one: the first is at DIR/x.sweep:1"},
    {"axis-of-flag", "axis a of strict: 1\n",
     "DIR/x.sweep:1:11: 'strict' has no values; expected 'axis NAME { ... }'"},
    {"value-twice", "axis a of b: 1, 2, 1\n",
     "DIR/x.sweep:1:20: axis 'a' has two values '1'; expected each once, or names: NAME = VALUE"},
    {"values-end", "axis a of b: 1,\n",
     "DIR/x.sweep:2:1: the end of the text here; expected a value"},
    {"block-end", "axis a {\n  v {\n", "DIR/x.sweep:3:1: the end of the text here; expected '}'"},
    {"block-value", "axis a {\n  v\n}\n",
     "DIR/x.sweep:2:4: the end of the line here; expected '{' and what the value sets"},
    {"block-empty", "axis a {\n}\n",
     "DIR/x.sweep:1:6: axis 'a' has no values; expected at least one"},
    {"block-two", "axis a { v { x = 1 y = 2; { } }\n",
     "DIR/x.sweep:1:27: '{' here; expected a statement"},
    {"no-trace", "axis trace: t/a, u/*\n",
     "DIR/x.sweep:1:18: no trace is 'DIR/u/*'; expected a folder with kernelslist.g, a list, a "
     "kernel "
     "trace or a pack"},
    {"no-trace-below", "trace none\n",
     "DIR/x.sweep:1:7: no trace is in folder 'DIR/none'; expected a kernelslist.g there, or below "
     "it"},
    {"many-traces", "trace sub\n",
     "DIR/x.sweep:1:7: 2 traces are 'sub'; expected one here, or an axis of them"},
    {"many-named", "axis trace: x = t/*\n",
     "DIR/x.sweep:1:13: 2 traces are 't/*'; expected one that is 'x', or no name"},
    {"two-say", "trace t/a\naxis trace: t/b\n",
     "DIR/x.sweep:2:6: axis 'trace' says which trace runs, which another line says, too; expected "
     "one "
     "of them"},
    {"rule-axis", "axis trace: t/a\nexclude trase=a\n",
     "DIR/x.sweep:2:9: no axis is 'trase', did you mean 'trace'?; expected one of: trace"},
    {"rule-value", "axis trace: t/a\nexclude trace=c*\n",
     "DIR/x.sweep:2:9: no value of axis 'trace' is 'c*'; expected the name of one, as 'warpwright "
     "sweep --list' shows them"},
    {"rule-test", "axis trace: t/a\nexclude trace\n",
     "DIR/x.sweep:2:14: the end of the line here; expected '=' or '!='"},
    {"rule-none", "axis a of b: 1, 2\nexclude a=1 a=2\n",
     "DIR/x.sweep:2:1: no run is like this; expected tests that hold of one run at least"},
    {"rule-all", "axis a of b: 1, 2\nexclude a=*\n",
     "every run is excluded; expected rules that leave some"},
    {"time", "time-limit 5 parsec\n",
     "DIR/x.sweep:1:12: time-limit '5 parsec'; expected a time above 0, such as '90 s', '10 min' "
     "or "
     "'1.5 h'"},
    {"memory", "memory-limit 0\n",
     "DIR/x.sweep:1:14: memory-limit '0'; expected a size above 0, such as '512 MiB' or '2 GiB'"},
    {"experiments", "experiment a\nexperiment b\n",
     "DIR/x.sweep:2:12: a second name of the experiment; expected one: it is 'a'"},
    {"nul", "config a\x01\n", NULL},
};

static void test_case(gconstpointer data)
{
    const ErrorCase *c = data;
    g_autofree char *says = plan_of(c->text);
    if (c->says != NULL) {
        g_assert_cmpstr(says, ==, c->says);
    } else {
        g_assert_true(g_str_has_prefix(says, "DIR/x.sweep:"));
    }
}

/* As many values as fit make more runs than are allowed: refused before they are made. */
static void test_too_many(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int axis = 0; axis < 10; axis++) {
        g_string_append_printf(text, "axis a%d of x%d: 0, 1, 2, 3, 4, 5, 6, 7\n", axis, axis);
    }
    g_autofree char *says = plan_of(text->str);
    g_assert_cmpstr(says, ==,
                    "DIR/x.sweep:7:6: more than 1000000 runs with axis 'a6'; expected fewer");
    g_string_truncate(text, 0);
    for (int axis = 0; axis < 65; axis++) {
        g_string_append_printf(text, "axis a%d of x: 0\n", axis);
    }
    g_autofree char *axes = plan_of(text->str);
    g_assert_cmpstr(axes, ==, "DIR/x.sweep:65:6: more than 64 axes; expected fewer");
}

void add_error_tests(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/sweep/errors/", cases[i].name, NULL);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/sweep/errors/too-many", test_too_many);
}
