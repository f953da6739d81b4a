/* SPDX-License-Identifier: Apache-2.0 */
/* Results side by side. */
#include "tests.h"

#include <string.h>

static const char *result(const char *name, const char *setting)
{
    const char *path = tool_path(name);
    g_auto(Tool) t = tool_run("run", "-c", "rtx3070", "-s", setting, "--report=none", "-o", path,
                              tool_trace(2), NULL);
    tool_status(&t, 0);
    return path;
}

static void test_same(void)
{
    const char *a = result("same-a.json", "gpu.clusters=2"),
               *b = result("same-b.json", "gpu.clusters=2");
    g_auto(Tool) t = tool_run("compare", "--exact", a, b, NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "2 of 2 kernels took the same cycles and instructions");
    tool_says(&t, t.out, "  1.000\n");
    g_assert_null(strstr(t.out, "counters that differ"));
}

static void test_different(void)
{
    const char *a = result("fast.json", "gpu.kernels.launch_latency=10");
    const char *b = result("slow.json", "gpu.kernels.launch_latency=5000");
    g_auto(Tool) t = tool_run("compare", a, b, a, NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "0 of 2 kernels took the same cycles");
    tool_says(&t, t.out, "1 kernel_1");
    g_auto(Tool) exact = tool_run("compare", "--exact", a, b, NULL);
    tool_status(&exact, 1);
}

static void test_bad_files(void)
{
    const char *good = result("good.json", "gpu.clusters=2"), *bad = tool_path("bad.json"),
               *other = tool_path("other.json");
    g_assert_true(g_file_set_contents(bad, "{\n  \"schema\": oops\n}\n", -1, NULL));
    g_assert_true(g_file_set_contents(other, "{\"schema\": \"something-else\"}\n", -1, NULL));
    g_auto(Tool) broken = tool_run("compare", good, bad, NULL);
    tool_refuses(&broken, "bad.json:2:");
    g_auto(Tool) schema = tool_run("compare", good, other, NULL);
    tool_refuses(&schema, "schema is 'something-else'; expected 'warpwright-results-1'");
    g_auto(Tool) none = tool_run("compare", good, tool_path("none.json"), NULL);
    tool_refuses(&none, "none.json");
    g_auto(Tool) one = tool_run("compare", good, NULL);
    tool_refuses(&one, "expected 2 to 8 results, got 1");
}

void add_compare_tests(void)
{
    g_test_add_func("/cli/compare/same", test_same);
    g_test_add_func("/cli/compare/different", test_different);
    g_test_add_func("/cli/compare/bad-files", test_bad_files);
}
