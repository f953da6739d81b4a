/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at types and platforms. */
#include "tests.h"

#include <stdint.h>
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
    tool_says(&all, all.out,
              "| barriers | [`barrier_unit`](#barrier_unit) |\n| cache | [`cache.l1`](#cachel1), ");
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
    tool_says(&t, t.out, "\n    dispatcher.kernels ");
    tool_says(&t, t.out, " => kernels.kernels\n");
    g_auto(Tool) small = tool_run("inspect", "-p", "gpu", "-s", "gpu.clusters=1", NULL);
    tool_says(&small, small.out, "    cluster[*]\n");
    g_auto(Tool) json = tool_run("inspect", "-c", "rtx3070", "--json", NULL);
    tool_says(&json, json.out, "\"path\": \"gpu.cluster[45].sm[0].pool\"");
    g_auto(Tool) dot = tool_run("inspect", "-c", "qv100", "--dot", NULL);
    tool_says(&dot, dot.out, "digraph");
    tool_says(&dot, dot.out, "\"gpu.cluster[*].sm[*].sp[*]\" -> \"gpu.cluster[*].sm[*].ex_wb\"");
}

/* One group alone, counted once, with what it is joined to; or groups closed. */
static void test_narrow(void)
{
    g_auto(Tool) sm = tool_run("inspect", "-c", "qv100", "--only", "sm", NULL);
    tool_status(&sm, 0);
    tool_says(&sm, sm.out, "only gpu.cluster[*].sm[*]: ");
    tool_says(&sm, sm.out, "warp_scheduler         x 4");
    tool_says(&sm, sm.out, "\njoined to it from outside\n");
    tool_says(&sm, sm.out, "ldst.mem_out ");
    g_assert_null(strstr(sm.out, "dispatcher.kernels"));
    g_auto(Tool) closed = tool_run("inspect", "-c", "qv100", "--depth", "1", NULL);
    tool_says(&closed, closed.out,
              "    cluster[*]                   (group)               x 80  closed: ");
    tool_says(&closed, closed.out, "-> network[*].request_in  x 80");
    g_assert_null(strstr(closed.out, "warp_scheduler"));
    g_auto(Tool) none = tool_run("inspect", "-c", "qv100", "--only", "smx", NULL);
    tool_refuses(&none, "no group of the platform; expected gpu, gpu.channel[*], gpu.cluster[*]");
    g_auto(Tool) json = tool_run("inspect", "-c", "qv100", "--only", "sm", "--json", NULL);
    tool_refuses(&json, "--only and --depth narrow the tree and the graph");
}

static uint32_t count(const char *text, const char *part)
{
    uint32_t n = 0;
    for (const char *p = strstr(text, part); p != NULL; p = strstr(p + 1, part)) {
        n++;
    }
    return n;
}

/* Graphviz takes it, where it is installed; every brace is closed. */
static void check_graph(const char *name, const char *text)
{
    const char *path = tool_path(name);
    g_autofree char *dot = g_find_program_in_path("dot"), *quoted = g_shell_quote(path);
    g_assert_cmpuint(count(text, "{\n"), ==, count(text, "}\n"));
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    if (dot != NULL) {
        g_autofree char *command = g_strdup_printf("%s -Tsvg -o /dev/null %s", dot, quoted);
        int status;
        g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, &status, NULL));
        g_assert_cmpint(status, ==, 0);
    }
}

/* A page that can be read: tokens are arrows, many calls are lists, closed groups are one node. */
static void test_graph(void)
{
    g_auto(Tool) sm = tool_run("inspect", "-c", "qv100", "--only", "sm", "--dot", NULL);
    tool_status(&sm, 0);
    check_graph("sm.dot", sm.out);
    tool_says(&sm, sm.out, "label=\"gpu.cluster[*].sm[*]\"");
    tool_says(&sm, sm.out, "calls pool, collector");
    g_assert_null(strstr(sm.out, "style=dashed"));
    g_auto(Tool) gpu = tool_run("inspect", "-c", "qv100", "--depth", "1", "--dot", NULL);
    check_graph("gpu.dot", gpu.out);
    tool_says(&gpu, gpu.out, "parts inside");
    g_assert_cmpuint(count(gpu.out, "subgraph"), ==, 1);
    g_auto(Tool) issue = tool_run("inspect", "-c", "qv100", "--only", "issue", "--dot", NULL);
    check_graph("issue.dot", issue.out);
    tool_says(&issue, issue.out, "style=dashed");
}

/* JSON of everything: components, bindings, where values come from, the order. */
static void test_json(void)
{
    g_auto(Tool) all = tool_run("inspect", "-c", "rtx3070", "--sms", "1", "--json", NULL);
    tool_status(&all, 0);
    tool_says(&all, all.out, "\"machine\": \"gpu_machine\"");
    tool_says(&all, all.out, "\"settings\": [");
    tool_says(&all, all.out, "\"from\": \"--sms gpu.clusters=1\"");
    tool_says(&all, all.out, "\"order\": [");
    g_auto(Tool) why = tool_run("inspect", "-c", "qv100", "--json", "--why", "sm.scheduler", NULL);
    tool_status(&why, 0);
    tool_says(&why, why.out, "\"instead_of\": [{\"value\"");
    g_auto(Tool) range = tool_run("inspect", "-c", "qv100", "--json", "--why", "sm.warps", NULL);
    tool_says(&range, range.out, "\"kind\": \"uint\", \"unit\": \"\", \"min\": 1");
    tool_says(&range, range.out, "\"max\": 64");
    g_auto(Tool) large = tool_run("inspect", "coalescer", "--json", NULL);
    g_assert_null(strstr(large.out, ".0,")); /* bounds of whole numbers are whole numbers */
    g_auto(Tool) text = tool_run("inspect", "icache.l0", NULL);
    tool_says(&text, text.out, "0..1152921504606846976");
    g_auto(Tool) choice = tool_run("inspect", "-c", "qv100", "--json", "--why", "l2.mshr", NULL);
    tool_says(&choice, choice.out, "\"choices\": [\"assoc\", \"sector_assoc\"]");
    g_auto(Tool) order =
        tool_run("inspect", "-p", "gpu", "-s", "gpu.clusters=1", "--json", "--order", NULL);
    tool_status(&order, 0);
    tool_says(&order, order.out, "\"phase\": \"core\"");
    tool_says(&order, order.out, "\"group\": \"sm[0] gated\"");
    tool_says(&order, order.out, "\"entry\": \"fetch\", \"only_declared\": false");
    g_auto(Tool) none = tool_run("inspect", "-c", "qv100", "--json", "--why", "sm.shceduler", NULL);
    tool_refuses(&none, "sm.shceduler");
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

/* Who closes a kernel sees what the cycle came to: flushes come before. */
static void test_order_flush(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "-s", "gpu.flush_l2=true", "-s",
                              "gpu.clusters=1", "--order", NULL);
    const char *dispatch = strstr(t.out, "gpu.dispatcher.dispatch"),
               *l1 = strstr(t.out, "gpu.cluster[0].offer.flush"),
               *l2 = strstr(t.out, "gpu.flush[0].flush"),
               *finish = strstr(t.out, "gpu.kernels.finish");
    g_assert_true(dispatch != NULL && l1 != NULL && l2 != NULL && finish != NULL);
    g_assert_true(dispatch < l1 && dispatch < l2 && l1 < finish && l2 < finish);
}

/* What one runs in its own turn stands under it, as text and as JSON; alike owners are one line with it. */
static void test_order_owned(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "--order", NULL);
    tool_says(&t, t.out,
              "          ~ gpu.cluster[0].sm[0].ldst.execute\n"
              "            > gpu.cluster[0].sm[0].l1d[0].cycle\n");
    tool_says(&t, t.out,
              "        gpu.channel[0].slice[0].accept\n"
              "      ~ gpu.channel[0].slice[0].l2\n"
              "        > gpu.channel[0].l2[0].cycle\n"
              "      ~ gpu.channel[0].slice[1].accept\n");
    g_auto(Tool) json = tool_run("inspect", "-c", "qv100", "--json", "--order", NULL);
    tool_says(&json, json.out,
              "\"entry\": \"l2\", \"only_declared\": true, \"steps\": "
              "[{\"component\": \"gpu.channel[0].l2[0]\", \"entry\": \"cycle\"}]");
    g_auto(Tool) fetch =
        tool_run("inspect", "-c", "titanx", "-s", "sm.has_l1i=true", "--order", NULL);
    tool_says(&fetch, fetch.out,
              ".fetch.fetch\n"
              "              > gpu.cluster[0].sm[0].l1i[0].cycle\n"
              "                > gpu.cluster[0].sm[0].l1i_cache[0].cycle\n");
}

/* Alike elements in a row are one line, what differs is not; --all prints every one. */
static void test_order_folds(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "--order", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "gpu.cluster[0].sm[0].sp[0].execute\n");
    tool_says(&t, t.out, "~ sp[1..3] likewise\n");
    tool_says(&t, t.out, "~ cluster[1..79] likewise\n");
    g_assert_null(strstr(t.out, "gpu.cluster[1]."));
    g_assert_cmpuint(count(t.out, "\n"), <, 120);
    g_auto(Tool) two = tool_run("inspect", "-c", "qv100", "-s", "gpu.clusters=2", "-s",
                                "gpu.cluster[1].sm[0].sp_units=1", "--order", NULL);
    tool_status(&two, 0);
    tool_says(&two, two.out, "gpu.cluster[1].sm[0].sp[0].execute\n"); /* it is another SM */
    g_auto(Tool) all = tool_run("inspect", "-c", "qv100", "--order", "--all", NULL);
    tool_says(&all, all.out, "gpu.cluster[79].sm[0].sp[3].execute\n");
}

static void test_why(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "-s", "sm.scheduler=scheduler.gto", "--why",
                              "sm.scheduler", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "scheduler.gto");
    tool_says(&t, t.out, "-s sm.scheduler");
    tool_says(&t, t.out, "/v100.conf:");
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

/* Nothing joins the partitions of a machine, save where addresses are drawn in the order in which they come. */
static void test_partitions(void)
{
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "--partitions", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out,
              "115 partitions: serial, gpu.cluster[0..79], gpu.channel[0..31], requests, replies\n"
              "phase intake: nothing joins two partitions\n");
    g_assert_null(strstr(t.out, " joins gpu"));
    tool_says(
        &t, t.out,
        "in a window: gpu.channel[0..31]; then replies; then gpu.cluster[0..79] (with serial); "
        "then requests\n");
    g_auto(Tool) routed = tool_run("inspect", "-c", "titanx", "--partitions", NULL);
    tool_says(&routed, routed.out, "no windows: gpu.network[0] (network.routed) may look at");
    g_auto(Tool) drawn =
        tool_run("inspect", "-c", "qv100", "-s", "gpu.map.indexing=random", "--partitions", NULL);
    tool_says(&drawn, drawn.out,
              "phase core: gpu.map (address_map) joins gpu.cluster[0..79] through address_map\n");
    g_auto(Tool) type = tool_run("inspect", "address_map", "--partitions", NULL);
    tool_refuses(&type, "--partitions is about a platform");
}

void add_inspect_tests(void)
{
    g_test_add_func("/cli/inspect/type", test_type);
    g_test_add_func("/cli/inspect/types", test_types);
    g_test_add_func("/cli/inspect/platform", test_platform);
    g_test_add_func("/cli/inspect/narrow", test_narrow);
    g_test_add_func("/cli/inspect/graph", test_graph);
    g_test_add_func("/cli/inspect/json", test_json);
    g_test_add_func("/cli/inspect/order", test_order);
    g_test_add_func("/cli/inspect/order_owned", test_order_owned);
    g_test_add_func("/cli/inspect/order_flush", test_order_flush);
    g_test_add_func("/cli/inspect/order-folds", test_order_folds);
    g_test_add_func("/cli/inspect/partitions", test_partitions);
    g_test_add_func("/cli/inspect/why", test_why);
    g_test_add_func("/cli/inspect/resolved", test_resolved);
}
