/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs a text means. */
#include "tests.h"

#include <string.h>

typedef struct PlanCase {
    const char *name, *text, *runs;
} PlanCase;

static const PlanCase cases[] = {
    {"none", "", ":\n"},
    {"common", "config qv100\nsm.warps = 32   # so many\nmax-ctas 4\nstrict\ntrace t/a\n",
     ": config(qv100) set(sm.warps=32) max-ctas(4) strict() trace(DIR/t/a)\n"},
    {"product",
     "axis trace: t/a, t/b\naxis scheduler of sm.scheduler: lrr = scheduler.lrr, "
     "gto = scheduler.gto\n",
     "trace=a scheduler=lrr: trace(DIR/t/a) set(sm.scheduler=scheduler.lrr)\n"
     "trace=a scheduler=gto: trace(DIR/t/a) set(sm.scheduler=scheduler.gto)\n"
     "trace=b scheduler=lrr: trace(DIR/t/b) set(sm.scheduler=scheduler.lrr)\n"
     "trace=b scheduler=gto: trace(DIR/t/b) set(sm.scheduler=scheduler.gto)\n"},
    {"patterns", "axis trace: t/*\n", "trace=a: trace(DIR/t/a)\ntrace=b: trace(DIR/t/b)\n"},
    {"found-twice", "axis trace: t/b, t/*\n", "trace=b: trace(DIR/t/b)\ntrace=a: trace(DIR/t/a)\n"},
    {"below", "axis trace: sub\n",
     "trace=one: trace(DIR/sub/one/x/traces)\ntrace=two: trace(DIR/sub/two/x/traces)\n"},
    {"short", "axis trace: first = sub/one, t/a, k.traceg.xz\n",
     "trace=first: trace(DIR/sub/one/x/traces)\ntrace=a: trace(DIR/t/a)\n"
     "trace=k: trace(DIR/k.traceg.xz)\n"},
    {"same-names", "axis trace: t/a, sub/one/x, sub/two/x\n",
     "trace=t/a: trace(DIR/t/a)\ntrace=sub/one/x: trace(DIR/sub/one/x/traces)\n"
     "trace=sub/two/x: trace(DIR/sub/two/x/traces)\n"},
    {"configs", "axis config: qv100, wide.conf, other = ./c/x.conf\n",
     "config=qv100: config(qv100)\nconfig=wide: config(DIR/wide.conf)\n"
     "config=other: config(DIR/./c/x.conf)\n"},
    {"machine", "axis machine of config: small = minimal, qv100\n",
     "machine=small: config(minimal)\nmachine=qv100: config(qv100)\n"},
    {"numbers", "axis ways of sm.l1d.ways: 2,\n    4,  # half\n\n    8\nsms 2\n",
     "ways=2: sms(2) set(sm.l1d.ways=2)\nways=4: sms(2) set(sm.l1d.ways=4)\n"
     "ways=8: sms(2) set(sm.l1d.ways=8)\n"},
    {"lists", "axis l of gpu.x: [1, 2], [3], \"a, b\"\n",
     "l=[1__2]: set(gpu.x=[1, 2])\nl=[3]: set(gpu.x=[3])\nl=a__b: set(gpu.x=a, b)\n"},
    {"block",
     "axis kind {\n  plain {}\n  wide { sm[0..2].schedulers = 8; config wide.conf; strict }\n"
     "  mine {   # two lines\n    module build/mine.so\n    sm.scheduler = scheduler.mine\n  "
     "}\n}\n",
     "kind=plain:\nkind=wide: set(sm[0..2].schedulers=8) config(DIR/wide.conf) strict()\n"
     "kind=mine: module(DIR/build/mine.so) set(sm.scheduler=scheduler.mine)\n"},
    {"last-counts", "platform one\nconfig a\naxis platform: two\naxis config: b\n",
     "platform=two config=b: config(a) platform(two) config(b)\n"},
    {"exclude", "axis a of x: 1, 2, 3\naxis b of y: 1, 2\nexclude a=2 b=1\nexclude a=3\n",
     "a=1 b=1: set(x=1) set(y=1)\na=1 b=2: set(x=1) set(y=2)\na=2 b=2: set(x=2) set(y=2)\n"},
    {"keep", "axis a of x: 10, 12, 20\nexclude a=*\nkeep a=1*\n",
     "a=10: set(x=10)\na=12: set(x=12)\n"},
    {"differs", "axis a of x: 10, 12, 20, 30\nexclude a!=10,2?\n",
     "a=10: set(x=10)\na=20: set(x=20)\n"},
    {"strings", "axis a of x: n = \"a # b, \\\"c\\\"\", d#e\n",
     "a=n: set(x=a # b, \"c\")\na=d_e: set(x=d#e)\n"},
    {"crlf-no-end", "config a", ": config(a)\n"},
};

static void test_case(gconstpointer data)
{
    const PlanCase *c = data;
    g_autofree char *runs = plan_of(c->text);
    g_assert_cmpstr(runs, ==, c->runs);
}

/* A line from an option, and the limits. */
static void test_options(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwSweep) s = ww_sweep_new();
    g_assert_true(ww_sweep_add(s, "--axis", "axis ways of l1d.ways: 2, 4", NULL, &error));
    g_assert_true(ww_sweep_add(s, "x", "time-limit 1.5 min\nmemory-limit 2GiB", NULL, &error));
    g_assert_true(ww_sweep_option(s, "-c", "config", "x, y # z", &error));
    g_assert_cmpfloat(s->time_limit, ==, 90);
    g_assert_cmpuint(s->memory_limit, ==, 2ull << 30);
    g_autoptr(WwPlan) plan = ww_plan_new(s, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ww_plan_n(plan), ==, 2);
    g_autoptr(GPtrArray) options = ww_plan_options(plan, 1);
    g_assert_cmpstr(((WwSweepOption *)options->pdata[0])->value, ==, "x, y # z");
    g_assert_cmpuint(ww_plan_value(plan, 1, 0), ==, 1);
}

void add_plan_tests(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/sweep/plan/", cases[i].name, NULL);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/sweep/options", test_options);
}
