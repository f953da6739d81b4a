/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at types and platforms. */
#include "tests.h"

#include <string.h>

static void test_type(void)
{
    g_auto(Tool) t = tool_run("inspect", "fu.pipelined", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "family   fu (also fu.specialized)");
    tool_says(&t, t.out, "sp | dp | int | sfu | tensor");
    tool_says(&t, t.out, "inst over register_set");
    g_auto(Tool) json = tool_run("inspect", "fu.pipelined", "--json", NULL);
    tool_says(&json, json.out, "\"name\": \"fu.pipelined\"");
    g_auto(Tool) wrong = tool_run("inspect", "fu.pipelines", NULL);
    tool_refuses(&wrong, "did you mean 'fu.pipelined'?");
}

static void test_types(void)
{
    g_auto(Tool) t = tool_run("inspect", NULL);
    tool_says(&t, t.out, "\nscheduler\n");
    g_auto(Tool) all = tool_run("inspect", "--markdown", NULL);
    tool_says(&all, all.out, "### `scheduler.gto`\n");
    g_auto(Tool) with = tool_run("inspect", "-m", tool_module("hole"), "memory.hole", NULL);
    tool_says(&with, with.out, "from     /");
    tool_says(&with, with.out, "spin");
}

static void test_platform(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "    cluster[*]\n");
    tool_says(&t, t.out, "warp_scheduler       x 320");
    tool_says(&t, t.out, "  in gpu.cluster[*].sm[*]\n");
    tool_says(&t, t.out, "dispatcher.kernels       => kernels.kernels\n");
    g_auto(Tool) small = tool_run("inspect", "-p", "gpu", "-s", "gpu.clusters=1", NULL);
    tool_says(&small, small.out, "    cluster[*]\n");
    g_auto(Tool) json = tool_run("inspect", "-c", "rtx3070", "--json", NULL);
    tool_says(&json, json.out, "\"path\": \"gpu.cluster[45].sm[0].pool\"");
    g_auto(Tool) dot = tool_run("inspect", "-c", "qv100", "--dot", NULL);
    tool_says(&dot, dot.out, "digraph");
    tool_says(&dot, dot.out, "\"gpu.cluster[*].sm[*].sp[*]\" -> \"gpu.cluster[*].sm[*].ex_wb\"");
}

/* The order can be printed without a trace; consumers stand before producers. */
static void test_order(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "-s", "gpu.clusters=1", "--order", NULL);
    tool_status(&t, 0);
    const char *writeback = strstr(t.out, "sm[0].writeback"), *unit = strstr(t.out, "sm[0].sp[0]");
    const char *collector = strstr(t.out, "sm[0].collector"),
               *issue = strstr(t.out, "sm[0].issue[0]");
    g_assert_true(writeback != NULL && unit != NULL && collector != NULL && issue != NULL);
    g_assert_true(writeback < unit && unit < collector && collector < issue);
}

static void test_why(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "-s", "sm.scheduler=scheduler.gto", "--why",
                              "sm.scheduler", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "scheduler.gto");
    tool_says(&t, t.out, "-s sm.scheduler");
    tool_says(&t, t.out, "qv100.conf:");
    g_auto(Tool) none = tool_run("inspect", "-c", "qv100", "--why", "sm.shceduler", NULL);
    tool_refuses(&none, "sm.shceduler");
    g_auto(Tool) types = tool_run("inspect", "--why", "sm.scheduler", NULL);
    tool_refuses(&types, "expected -p PLATFORM or -c CONFIG as well");
}

/* What --resolved writes is a platform that runs, with the same results. */
static void test_resolved(void)
{
    const char *path = tool_path("resolved.plat"), *one = tool_path("config.csv"),
               *two = tool_path("resolved.csv");
    g_auto(Tool) t =
        tool_run("inspect", "-c", "rtx3070", "-s", "gpu.clusters=2", "--resolved", NULL);
    tool_status(&t, 0);
    g_assert_true(g_file_set_contents(path, t.out, -1, NULL));
    g_auto(Tool) a = tool_run("run", "-c", "rtx3070", "-s", "gpu.clusters=2", "--report=none", "-o",
                              one, tool_trace(2), NULL);
    tool_status(&a, 0);
    g_auto(Tool) b = tool_run("run", "-p", path, "--report=none", "-o", two, tool_trace(2), NULL);
    tool_status(&b, 0);
    g_autofree char *x = tool_read(one);
    g_autofree char *y = tool_read(two);
    g_assert_cmpstr(x, ==, y);
}

void add_inspect_tests(void)
{
    g_test_add_func("/cli/inspect/type", test_type);
    g_test_add_func("/cli/inspect/types", test_types);
    g_test_add_func("/cli/inspect/platform", test_platform);
    g_test_add_func("/cli/inspect/order", test_order);
    g_test_add_func("/cli/inspect/why", test_why);
    g_test_add_func("/cli/inspect/resolved", test_resolved);
}
