/* SPDX-License-Identifier: Apache-2.0 */
/* Results side by side. */
#include "tests.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The figure in column @p column (1: the first) of the row that begins with @p name. */
static double figure(const char *text, const char *section, const char *name, int column)
{
    const char *from = strstr(text, section), *row = NULL;
    g_autofree char *start = g_strdup_printf("\n  %s ", name);
    g_assert_nonnull(from);
    row = strstr(from, start);
    if (row == NULL) {
        g_test_message("no row '%s' behind '%s' in:\n%s", name, section, text);
        g_test_fail();
        return 0;
    }
    row += strlen(start);
    char *end = (char *)row;
    double v = 0;
    for (int i = 0; i < column; i++) {
        v = g_ascii_strtod(end, &end);
    }
    return v;
}

/* Sums up column @p column of a section that ends with "slots in all". */
static double sum_of_slots(const char *text, int column)
{
    const char *from = strstr(text, "\nissue slots, %"), *end = strstr(text, "\n  slots in all");
    g_assert_true(from != NULL && end != NULL);
    g_autofree char *section = g_strndup(from + 1, (gsize)(end - from - 1));
    g_auto(GStrv) lines = g_strsplit(section, "\n", -1);
    double sum = 0;
    for (char **l = lines + 1; *l != NULL; l++) {
        char *p = *l + strcspn(*l, "0123456789");
        double v = 0;
        for (int i = 0; i < column; i++) {
            v = g_ascii_strtod(p, &p);
        }
        sum += v;
    }
    return sum;
}

static size_t longest_line(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    size_t most = 0;
    for (char **l = lines; *l != NULL; l++) {
        most = MAX(most, (size_t)g_utf8_strlen(*l, -1));
    }
    return most;
}

/* What one looks at when comparing schedulers, also of different machines: shares of one run's slots add up to 100. */
static void test_where_cycles_went(void)
{
    const char *a = result("here.json", "gpu.clusters=2"), *b = tool_path("other-machine.json");
    g_auto(Tool) run =
        tool_run("run", "-c", "volta", "--sms", "1", "--report=none", "-o", b, tool_trace(2), NULL);
    tool_status(&run, 0);
    g_auto(Tool) t = tool_run("compare", a, b, NULL);
    tool_status(&t, 0);
    g_assert_cmpfloat(fabs(sum_of_slots(t.out, 1) - 100), <, 0.1);
    g_assert_cmpfloat(fabs(sum_of_slots(t.out, 2) - 100), <, 0.1);
    tool_says(&t, t.out, "\nsettings that differ\n");
    tool_says(&t, t.out, "gpu.clusters: A 2, B 1\n");
    tool_says(&t, t.out, " that not all runs have (--all)\n"); /* B has other SMs */
    g_assert_null(strstr(t.out, "A -, B"));
    g_auto(Tool) all = tool_run("compare", "--all", a, b, NULL);
    tool_says(&all, all.out, "\n  gpu.cluster[*].sm[*].sp_units: A 4, B -\n");
    g_assert_null(strstr(all.out, "that not all runs have"));
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "occupancy", 1), >, 0);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "occupancy", 2), <=, 100);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "DRAM row hits", 1), >, 0);
    tool_says(&t, t.out, "\n  data from memory");
}

/* A value that a platform does not use is not shown as one that makes a difference, and -s of it says so. */
static void test_unused(void)
{
    static const char platform[] =
        "import \"gpu.plat\";\ncomposite own extends sm { issue[*].policy : scheduler.lrr; }\n"
        "machine m extends gpu_machine { gpu { cluster[*] { sm[*] : own; } } }\n";
    const char *plat = tool_path("own.plat"), *b = tool_path("own.json");
    const char *a = result("used.json", "gpu.clusters=2");
    g_assert_true(g_file_set_contents(plat, platform, -1, NULL));
    g_auto(Tool) run =
        tool_run("run", "-c", "rtx3070", "-p", plat, "-s", "gpu.clusters=3", "-s",
                 "sm.scheduler=scheduler.oldest", "--report=none", "-o", b, tool_trace(2), NULL);
    tool_status(&run, 0);
    tool_says(&run, run.err,
              "note: '-s sm.scheduler=scheduler.oldest' changes nothing: the "
              "platform does not use this parameter\n");
    g_assert_null(strstr(run.err, "clusters"));
    g_auto(Tool) t = tool_run("compare", a, b, NULL);
    tool_says(&t, t.out,
              "\nsettings that differ\n  gpu.clusters: A 2, B 3\n"
              "  gpu.cluster[*].sm[*].scheduler: A scheduler.lrr, B scheduler.oldest (unused)\n");
    g_auto(Tool) used = tool_run("compare", a, a, NULL);
    g_assert_null(strstr(used.out, "settings that differ"));
}

/* Ways of an L1D that the carve-out sets anew are no cause; where it is fixed they are. */
static void test_carved(void)
{
    const char *a = result("carve-a.json", "sm.l1d.ways=16"),
               *b = result("carve-b.json", "gpu.carve.adaptive=true"),
               *c = result("carve-c.json", "gpu.carve.adaptive=false");
    g_auto(Tool) same = tool_run("compare", a, b, NULL);
    tool_says(&same, same.out, ".l1d[*].ways: A 16 (unused), B 256 (unused)\n");
    g_auto(Tool) fixed = tool_run("compare", a, c, NULL);
    tool_says(&fixed, fixed.out, ".l1d[*].ways: A 16 (unused), B 256\n");
}

/* A run of some kernels beside one of all did not read other files. */
static void test_replayed(void)
{
    const char *a = result("all.json", "gpu.clusters=2"), *b = tool_path("second.json");
    g_auto(Tool) run = tool_run("run", "-c", "rtx3070", "-s", "gpu.clusters=2", "--kernels=2",
                                "--report=none", "-o", b, tool_trace(2), NULL);
    tool_status(&run, 0);
    g_auto(Tool) t = tool_run("compare", a, b, NULL);
    tool_says(&t, t.out, "\nparts of the trace that are replayed\n  --kernels: A all, B 2\n");
    g_assert_null(strstr(t.out, "inputs that differ"));
    g_assert_null(strstr(t.out, "--max-ctas"));
}

/* Rates from figures that are known: instructions and constants apart from data, hits on the way are none, retries do not count. */
static void test_rates(void)
{
    static const char counters[] =
        "{\"schema\": \"warpwright-results-1\", \"kernels\": [], \"total\": {\"cycles\": 10, "
        "\"counters\": {"
        "\"cache.l1.outcomes\": {\"GLOBAL_ACC_R.HIT\": 30, \"GLOBAL_ACC_R.HIT_RESERVED\": 10, "
        "\"GLOBAL_ACC_R.MISS\": 15, \"GLOBAL_ACC_W.SECTOR_MISS\": 5, \"GLOBAL_ACC_R.MSHR_HIT\": 7, "
        "\"GLOBAL_ACC_R.RESERVATION_FAIL\": 1000, \"INST_ACC_R.HIT\": 9, \"INST_ACC_R.MISS\": 1, "
        "\"CONST_ACC_R.HIT\": 100}, "
        "\"cache.l2.outcomes\": {\"CONST_ACC_R.HIT\": 1, \"INST_ACC_R.MISS\": 3}, "
        "\"dram.frfcfs.row_hits\": 3, \"dram.frfcfs.selections\": 8, "
        "\"cta_slots.warp_cycles\": 1, \"cta_slots.slot_cycles\": 5}}}";
    const char *path = tool_path("rates.json");
    g_assert_true(g_file_set_contents(path, counters, -1, NULL));
    g_auto(Tool) t = tool_run("compare", path, path, NULL);
    tool_status(&t, 0);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "L1D hits", 1), ==, 50);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "L1I hits", 1), ==, 90);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "L2 hits", 1), ==, 25);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "DRAM row hits", 1), ==, 37.5);
    g_assert_cmpfloat(figure(t.out, "\nrates, %", "occupancy", 1), ==, 20);
}

/* A run of a machine with @p n units of module `units` beside those that it has. */
static const char *own_result(const char *name, unsigned n)
{
    g_autofree char *text = g_strdup_printf(
        "import \"gpu.plat\";\nmachine own extends gpu_machine { told[%u] : unit.told; }\n", n);
    g_autofree char *plat = g_strdup(tool_path("own.plat"));
    const char *path = tool_path(name);
    g_assert_true(g_file_set_contents(plat, text, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "-m", tool_module("units"), "-p", plat,
                              "--report=none", "-o", path, tool_trace(1), NULL);
    tool_status(&t, 0);
    return path;
}

/* Statistics of modules come before the others, alike or not; results say whose types are. */
static void test_modules(void)
{
    const char *a = own_result("own-1.json", 1), *b = own_result("own-3.json", 3);
    g_autofree char *json = NULL;
    g_assert_true(g_file_get_contents(a, &json, NULL, NULL));
    g_assert_nonnull(
        strstr(json, "\"modules\": {\n  \"units\": [\"unit.told\", \"unit.untold\"]\n },\n"));
    g_auto(Tool) t = tool_run("compare", a, b, NULL);
    tool_status(&t, 0);
    const char *own = strstr(t.out, "\nstatistics of modules "),
               *issued = strstr(t.out, "\n  unit.told.issued ");
    g_assert_true(own != NULL && issued != NULL && own < issued);
    g_assert_null(strstr(issued + 1, "\n  unit.told.issued ")); /* not again among the others */
    g_auto(GStrv) lines = g_strsplit(issued + 1, "\n", 3);
    tool_says(&t, lines[0], " 1,234        3,702   3.000");
    tool_says(&t, lines[1], "unit.told.busy ");
    tool_says(&t, lines[1], " 5           15   3.000");
    g_auto(Tool) same = tool_run("compare", "--exact", a, a, NULL);
    tool_status(&same, 0);
    tool_says(&same, same.out, "\nstatistics of modules ");
    g_auto(Tool) differ = tool_run("compare", "--exact", a, b, NULL);
    tool_status(&differ, 1);
    const char *none = result("no-module.json", "gpu.clusters=2");
    g_auto(Tool) without = tool_run("compare", none, none, NULL);
    g_assert_null(strstr(without.out, "statistics of modules"));
}

/* Statistics and instructions are called as everywhere else. */
static void test_names(void)
{
    static const char form[] =
        "{\"schema\": \"warpwright-results-1\", \"kernels\": [{\"cycles\": 5, \"pcs\": [{\"pc\": "
        "496, "
        "\"opcode\": \"LDG.E\", \"issues\": %d}]}], \"total\": {\"cycles\": 5, \"counters\": "
        "{\"a.list\": [1, %d], \"a.words\": {\"X.HIT\": %d}}}}";
    const char *path[] = {tool_path("names-a.json"), tool_path("names-b.json")};
    for (int i = 0; i < 2; i++) {
        g_autofree char *text = g_strdup_printf(form, i, i, i);
        g_assert_true(g_file_set_contents(path[i], text, -1, NULL));
    }
    g_auto(Tool) t = tool_run("compare", path[0], path[1], NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "\n  a.list.1 ");
    tool_says(&t, t.out, "\n  a.words.X.HIT ");
    tool_says(&t, t.out, "\n  kernel 1, pc 01f0 LDG.E in B: issues\n");
}

static const char *one_counter(const char *name, const char *value)
{
    const char *path = tool_path(name);
    g_autofree char *text = g_strdup_printf(
        "{\"schema\": \"warpwright-results-1\", \"version\": \"\\\"-18446744073709551616\", "
        "\"kernels\": [], \"total\": {\"cycles\": 5, \"counters\": {\"a.x\": %s}}}",
        value);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* What is left out is counted. */
static void test_more(void)
{
    for (int more = 0; more < 3; more++) {
        const char *files[2];
        for (int f = 0; f < 2; f++) {
            g_autofree char *name = g_strdup_printf("more-%d.json", f);
            g_autoptr(GString) values = g_string_new("[0");
            for (int i = 0; i < 40 + more; i++) {
                g_string_append_printf(values, ", %d", 3 + f);
            }
            g_string_append_c(values, ']');
            files[f] = one_counter(name, values->str);
        }
        g_auto(Tool) t = tool_run("compare", files[0], files[1], NULL);
        tool_status(&t, 0);
        tool_says(&t, t.out, "\n  a.x.40 ");
        if (more != 0) {
            tool_says(&t, t.out,
                      more == 1 ? "\n  and 1 more that differs (--all)\n"
                                : "\n  and 2 more that differ (--all)\n");
        }
    }
}

/* Counters of all 64 bits are told apart to the last of them. */
static void test_large_numbers(void)
{
    static const char *const values[] = {
        "9007199254740992",    "9007199254740993",     "9223372036854775807", "9223372036854775808",
        "9223372036854775809", "18446744073709551614", "18446744073709551615"};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        const char *a = one_counter("large-a.json", values[i]),
                   *b = one_counter("large-b.json", values[i > 0 ? i - 1 : 1]);
        g_auto(Tool) same = tool_run("compare", "--exact", a, a, NULL);
        tool_status(&same, 0);
        g_auto(Tool) differ = tool_run("compare", "--exact", a, b, NULL);
        tool_status(&differ, 1);
        tool_says(&differ, differ.out, "\n  a.x ");
        g_auto(Tool) page = tool_run("report", "-o", tool_path("large.html"), a, b, NULL);
        tool_status(&page, 0);
    }
    const char *a = one_counter("large-a.json", "\n18446744073709551616"),
               *b = one_counter("large-b.json", "5");
    g_auto(Tool) more = tool_run("compare", a, b, NULL);
    tool_refuses(&more, "large-a.json:2:1: a number is too large; expected less than 2^64");
}

/* So are the values of parameters, as a run writes them. */
static void test_large_settings(void)
{
    const char *a = result("most-a.json", "kernels.max_cycles=18446744073709551615"),
               *b = result("most-b.json", "kernels.max_cycles=9223372036854775808");
    g_autofree char *text = tool_read(a);
    g_assert_nonnull(strstr(text, "\"gpu.kernels.max_cycles\": 18446744073709551615"));
    g_assert_null(strstr(text, ": -"));
    g_auto(Tool) differ = tool_run("compare", a, b, NULL);
    tool_status(&differ, 0);
    tool_says(&differ, differ.out, "18446744073709551615");
    tool_says(&differ, differ.out, "9223372036854775808");
    const char *page = tool_path("most.html");
    g_auto(Tool) report = tool_run("report", "-o", page, a, b, NULL);
    tool_status(&report, 0);
    g_autofree char *html = tool_read(page);
    g_assert_nonnull(strstr(html, "18446744073709551615"));
    g_assert_nonnull(strstr(html, "9223372036854775808"));
}

/* However many files and however long the names, a line has at most 100 characters. */
static void test_width(void)
{
    const char *a = result("wide-a.json", "gpu.kernels.launch_latency=10"),
               *b = result("wide-b.json", "gpu.kernels.launch_latency=5000");
    g_auto(Tool) two = tool_run("compare", "--all", a, b, NULL);
    g_auto(Tool) three = tool_run("compare", a, b, a, NULL);
    g_auto(Tool) eight = tool_run("compare", a, b, a, b, a, b, a, b, NULL);
    tool_status(&eight, 0);
    /* the first lines name the files, which are as long as they are */
    g_assert_cmpuint(longest_line(strstr(two.out, "\ntotal")), <=, 100);
    g_assert_cmpuint(longest_line(strstr(three.out, "\ntotal")), <=, 100);
    g_assert_cmpuint(longest_line(strstr(eight.out, "\ntotal")), <=, 100);
    g_assert_cmpfloat(figure(eight.out, "\ntotal", "cycles", 1), >, 0);
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
    tool_refuses(&one, "expected two results or more, or a database, got 1");
}

/* ---- files that are none ------------------------------------------------------------------------------------------- */

static gpointer write_once(gpointer fifo)
{
    g_autofree char *text = tool_read(tool_path("one.json"));
    FILE *out = fopen(fifo, "we"); /* waits for a reader */
    g_assert_nonnull(out);
    fputs(text, out);
    fclose(out);
    return NULL;
}

/* What is given is opened once: a pipe has its text only once. */
static void test_pipes(void)
{
    const char *a = one_counter("one.json", "7"), *fifo = tool_path("fifo");
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    const char *const commands[][4] = {{"compare", "--exact", a, fifo},
                                       {"report", "-o", tool_path("fifo.html"), fifo},
                                       {"db", "import", tool_path("fifo.db"), fifo},
                                       {"table", "--rows=trace", "--columns=status", fifo}};
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        const char *const *c = commands[i];
        GThread *writer = g_thread_new("writer", write_once, (gpointer)fifo);
        g_auto(Tool) t = tool_run(c[0], c[1], c[2], c[3], NULL);
        g_thread_join(writer);
        tool_status(&t, 0);
    }
}

static void test_no_files(void)
{
    const char *good = one_counter("one.json", "7"), *loop = tool_path("loop"),
               *empty = tool_path("empty.json"), *folder = tool_path("folder");
    g_assert_true(g_file_set_contents(empty, "", 0, NULL));
    g_assert_cmpint(symlink(loop, loop), ==, 0);
    g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
    const struct {
        const char *path, *says;
    } cases[] = {
        {empty, "empty.json:1:"},
        {folder, "folder: cannot be read (Is a directory); expected a file of results"},
        {loop, "loop: cannot be read (Too many levels of symbolic links)"},
        {"/dev/zero", "/dev/zero:1:1: byte 0x00 is no text; expected a file of results"},
        {"/dev/null", "/dev/null:1:"},
        {tool_path("gone.json"), "gone.json: cannot be read (No such file or directory)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *path = cases[i].path;
        g_auto(Tool) compare = tool_run("compare", good, path, NULL);
        g_auto(Tool) report = tool_run("report", "-o", tool_path("no.html"), path, good, NULL);
        g_auto(Tool) import = tool_run("db", "import", tool_path("no.db"), good, path, NULL);
        tool_refuses(&compare, cases[i].says);
        tool_refuses(&report, cases[i].says);
        tool_refuses(&import, cases[i].says);
        g_assert_false(g_file_test(tool_path("no.html"), G_FILE_TEST_EXISTS));
    }
}

void add_compare_tests(void)
{
    g_test_add_func("/cli/compare/same", test_same);
    g_test_add_func("/cli/compare/different", test_different);
    g_test_add_func("/cli/compare/where-cycles-went", test_where_cycles_went);
    g_test_add_func("/cli/compare/unused", test_unused);
    g_test_add_func("/cli/compare/carved", test_carved);
    g_test_add_func("/cli/compare/replayed", test_replayed);
    g_test_add_func("/cli/compare/rates", test_rates);
    g_test_add_func("/cli/compare/modules", test_modules);
    g_test_add_func("/cli/compare/names", test_names);
    g_test_add_func("/cli/compare/large-numbers", test_large_numbers);
    g_test_add_func("/cli/compare/large-settings", test_large_settings);
    g_test_add_func("/cli/compare/width", test_width);
    g_test_add_func("/cli/compare/more", test_more);
    g_test_add_func("/cli/compare/bad-files", test_bad_files);
    g_test_add_func("/cli/compare/pipes", test_pipes);
    g_test_add_func("/cli/compare/no-files", test_no_files);
}
