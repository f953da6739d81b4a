/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where output goes, and what becomes of it: a reader that goes away, a disk that is full, a stream that is closed. Files are complete
 * or not there, and never one that is read.
 */
#include "tests.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FULL                                                                                       \
    "warpwright: cannot write to the standard output: No space left on device; expected room for " \
    "it\n"

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in the folder @p path, sorted and joined. */
static char *names_in(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return g_strjoinv(" ", (char **)names->pdata);
}

static const char *new_folder(const char *name)
{
    const char *folder = tool_path(name);
    g_assert_cmpint(g_mkdir(folder, 0777), ==, 0);
    return folder;
}

/* ---- stdout ------------------------------------------------------------------------------------------------------- */

/* `| head`: the reader has had enough. That is no failure, and results are kept. */
static void test_closed_pipe(void)
{
    const char *path = tool_path("closed.json");
    int out = tool_broken_pipe();
    ToolRun run =
        tool_start(out, "run", "-c", "qv100", "--progress=none", "-o", path, tool_trace(2), NULL);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 0);
    g_assert_cmpstr(t.err, ==, "");
    g_autofree char *text = tool_read(path);
    tool_says(&t, text, "\"status\": \"done\"");
    for (const char *const *option = (const char *const[]){"--events", "-o", NULL}; *option != NULL;
         option++) { /* what goes the same way */
        run = tool_start(out, "run", "-c", "qv100", "--progress=none", *option, "/dev/stdout",
                         tool_trace(2), NULL);
        g_auto(Tool) v = tool_end(&run);
        tool_status(&v, 0);
        g_assert_cmpstr(v.err, ==, "");
    }
    run = tool_start(out, "inspect", "-c", "qv100", NULL);
    g_auto(Tool) u = tool_end(&run);
    tool_status(&u, 0);
    g_assert_cmpstr(u.err, ==, "");
    close(out);
}

/* A report that goes on for hours ends with its reader, unless results are wanted. */
static void test_nobody_listens(void)
{
    int out = tool_broken_pipe();
    const char *path = tool_path("unheard.json");
    ToolRun run = tool_start(out, "run", "-c", "qv100", "--report=accelsim", "--progress=plain",
                             tool_trace(3), NULL);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 0);
    g_assert_null(strstr(t.err, "kernel 3 of 3"));
    run = tool_start(out, "run", "-c", "qv100", "--report=accelsim", "--progress=none", "-o", path,
                     tool_trace(3), NULL);
    g_auto(Tool) u = tool_end(&run);
    tool_status(&u, 0);
    g_autofree char *text = tool_read(path);
    tool_says(&u, text, "\"kernel_3\"");
    close(out);
}

static void full(int out, const char *a, const char *b, const char *c, const char *d, const char *e)
{
    ToolRun run = tool_start(out, a, b, c, d, e, NULL);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 2);
    g_assert_cmpstr(t.err, ==, FULL);
}

/* Files, too, say why: the reason that was met first, however much came behind it. */
static void test_full_file(void)
{
    const char *path = tool_path("to-full.json");
    g_assert_cmpint(symlink("/dev/full", path), ==, 0);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "--progress=none", "--events",
                              "/dev/full", tool_trace(1), NULL);
    tool_status(&t, 2);
    g_assert_cmpstr(t.err, ==,
                    "warpwright: cannot write events to '/dev/full': No space left on device; "
                    "expected room for it\n");
    g_auto(Tool) u = tool_run("run", "-c", "qv100", "--report=none", "--progress=none", "-o", path,
                              tool_trace(1), NULL);
    tool_status(&u, 2);
    tool_says(&u, u.err, "warpwright: cannot write results: '");
    tool_says(&u, u.err, "to-full.json': No space left on device; expected room for it\n");
    g_unlink(path);
}

/* In folder @p dir, where no file becomes longer than @p most bytes: one line that ends in @p text, and nothing is left. */
static void no_room(const char *dir, rlim_t most, const char *text, const char *a, const char *b,
                    const char *c, const char *d)
{
    g_autofree char *before = names_in(dir);
    struct rlimit all, few;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &all), ==, 0);
    few = (struct rlimit){most, all.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &few), ==, 0);
    g_auto(Tool) t = tool_run(a, b, c, d, NULL);
    setrlimit(RLIMIT_FSIZE, &all);
    tool_refuses(&t, text);
    g_autofree char *after = names_in(dir);
    g_assert_cmpstr(after, ==, before);
}

static void test_no_room(void)
{
    const char *dir = tool_path("no-room");
    g_autofree char *here = g_get_current_dir();
    g_assert_cmpint(g_mkdir(dir, 0777), ==, 0);
    g_assert_cmpint(g_chdir(dir), ==, 0);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "--progress=none", "-o",
                              "r.json", "--events", "log", tool_trace(1), NULL);
    tool_status(&t, 0);
    no_room(dir, 1024, "warpwright: new: cannot write 'mine/", "new", "scheduler", "mine", NULL);
    no_room(dir, 1024, ": File too large; expected room for it\n", "new", "scheduler", "mine",
            NULL);
    no_room(dir, 8192, "expected a file that can be read and written, and room for it\n", "db",
            "import", "x.db", "r.json");
    no_room(dir, 8192,
            ": cannot write a temporary file beside the picture: File too large; expected room for "
            "it\n",
            "view", "log", "-o", "x.vcd");
    g_assert_cmpint(g_chdir(here), ==, 0);
}

/* One line, and a status that says so. */
static void test_full_disk(void)
{
    int out = open("/dev/full", O_WRONLY);
    const char *a = tool_path("full.json");
    g_assert_cmpint(out, >=, 0);
    ToolRun run =
        tool_start(out, "run", "-c", "qv100", "--progress=none", "-o", a, tool_trace(1), NULL);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 2);
    g_assert_cmpstr(t.err, ==, FULL);
    g_assert_true(g_file_test(a, G_FILE_TEST_EXISTS)); /* the results are there all the same */
    full(out, "--help", NULL, NULL, NULL, NULL);
    full(out, "--version", NULL, NULL, NULL, NULL);
    full(out, "run", "--help", NULL, NULL, NULL);
    full(out, "inspect", "-c", "qv100", NULL, NULL);
    full(out, "inspect", "template.stage", NULL, NULL, NULL);
    full(out, "inspect", "-c", "qv100", "--resolved", NULL);
    full(out, "list", "types", NULL, NULL, NULL);
    full(out, "list", "platforms", NULL, NULL, NULL);
    full(out, "list", "configs", NULL, NULL, NULL);
    full(out, "compare", a, a, NULL, NULL);
    full(out, "trace", "info", tool_trace(1), NULL, NULL);
    full(out, "trace", "check", tool_trace(1), NULL, NULL);
    full(out, "new", "--help", NULL, NULL, NULL);
    run = tool_start(out, "bench", "template.stage", "--cycles", "20", NULL);
    g_auto(Tool) u = tool_end(&run);
    tool_status(&u, 2);
    tool_says(&u, u.err, FULL);
    run = tool_start(out, "run", "-c", "qv100", "--report=accelsim", "--progress=none",
                     tool_trace(1), NULL);
    g_auto(Tool) v = tool_end(&run);
    tool_status(&v, 2);
    g_assert_cmpstr(v.err, ==, FULL);
    close(out);
}

/* Nothing that is opened later becomes stdout. */
static void test_closed_stdout(void)
{
    const char *log = tool_path("closed.log"), *json = tool_path("closed-out.json");
    ToolRun run = tool_start(TOOL_CLOSED, "run", "-c", "qv100", "--progress=none", "--events", log,
                             "--events-filter=kind=kernel", "-o", json, tool_trace(1), NULL);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 0);
    g_autofree char *events = tool_read(log);
    g_auto(GStrv) lines = g_strsplit(events, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3); /* a launch and a finish: no report among them */
    g_assert_nonnull(strstr(lines[1], "\tkernel\t"));
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void test_both(void)
{
    const char *folder = new_folder("both");
    g_autofree char *a = g_build_filename(folder, "a.json", NULL);
    g_autofree char *b = g_build_filename(folder, "b.csv", NULL);
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=none", "-o", a, "-o", b, tool_trace(1), NULL);
    tool_status(&t, 0);
    g_autofree char *names = names_in(folder);
    g_assert_cmpstr(names, ==, "a.json b.csv");
    g_autofree char *x = tool_read(a);
    g_autofree char *y = tool_read(b);
    g_assert_true(*x == '{' && g_str_has_prefix(y, "kernel,uid,"));
}

/* A machine without a trace has statistics, too, maxima among them. */
static void test_bare_csv(void)
{
    const char *path = tool_path("bare.csv");
    const char *plat = tool_source("docs/examples/ring.plat");
    g_auto(Tool) t = tool_run("run", "-p", plat, "--report=none", "-o", path, NULL);
    tool_status(&t, 1); /* it hangs, by design */
    g_autofree char *text = tool_read(path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 3);
    g_auto(GStrv) head = g_strsplit(lines[0], ",", -1);
    g_auto(GStrv) row = g_strsplit(lines[1], ",", -1);
    g_assert_cmpuint(g_strv_length(head), ==, g_strv_length(row));
    bool found = false;
    for (guint i = 0; head[i] != NULL; i++) {
        if (strcmp(head[i], "fifo.most") == 0 || strcmp(head[i], "source.sent") == 0) {
            g_assert_cmpstr(row[i], !=, "0");
            found = true;
        }
    }
    g_test_message("%s", lines[0]);
    g_assert_true(found);
}

/* What lies beside has nothing to do with it. */
static void test_neighbours(void)
{
    const char *folder = new_folder("neighbours");
    g_autofree char *log = g_build_filename(folder, "X", NULL);
    g_autofree char *part = g_build_filename(folder, "X.part", NULL);
    g_assert_true(g_file_set_contents(part, "mine", -1, NULL));
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=none", "--events", log, tool_trace(1), NULL);
    tool_status(&t, 0);
    g_autofree char *text = tool_read(part);
    g_assert_cmpstr(text, ==, "mine");
    g_autofree char *names = names_in(folder);
    g_assert_cmpstr(names, ==, "X X.part");
}

static void refused(const char *option, const char *path, const char *trace, const char *why)
{
    g_autofree char *before = tool_read(path);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", option, path, trace, NULL);
    tool_refuses(&t, why);
    g_autofree char *after = tool_read(path);
    g_assert_cmpstr(before, ==, after);
}

/* An output that is an input, by whatever name. */
static void test_inputs(void)
{
    const char *folder = new_folder("inputs");
    g_autofree char *kernel = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    g_autofree char *hard = g_build_filename(folder, "hard.json", NULL);
    g_autofree char *soft = g_build_filename(folder, "soft.csv", NULL);
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_assert_true(g_file_set_contents(kernel, text, -1, NULL));
    g_assert_true(g_file_set_contents(list, "kernel-1.traceg\n", -1, NULL));
    g_assert_cmpint(link(kernel, hard), ==, 0);
    g_assert_cmpint(symlink("kernelslist.g", soft), ==, 0);
    refused("--events", list, folder, "which is read, too; expected another one");
    refused("--events", kernel, folder, "which is read, too; expected another one");
    refused("-o", hard, folder, "which is read, too; expected another one");
    refused("-o", soft, folder, "which is read, too; expected another one");
    const char *conf = tool_path("own.conf");
    g_assert_true(g_file_set_contents(conf, "include \"qv100.conf\"\n", -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", conf, "--report=none", "--events", conf, folder, NULL);
    tool_refuses(&t, "own.conf', which is read, too; expected another one");
    g_auto(Tool) u = tool_run("run", "-c", "qv100", "-o", tool_path("x.json"), "-o",
                              tool_path("./x.json"), folder, NULL);
    tool_refuses(&u, "x.json' would be written twice; expected a file for each output");
    g_auto(Tool) v = tool_run("run", "-c", "qv100", "-o", tool_path("y.json"), "--events",
                              tool_path("y.json"), folder, NULL);
    tool_refuses(&v, "y.json' would be written twice; expected a file for each output");
}

/* ---- what a result was made from ---------------------------------------------------------------------------------- */

static char *hash_of(const char *path)
{
    g_autofree char *text = tool_read(path);
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

/* Command, files and their hashes: the same whatever only looks at the run; and the command makes it again. */
static void test_record(void)
{
    const char *folder = new_folder("record"), *conf = tool_path("record.conf"),
               *a = tool_path("record-a.json"), *b = tool_path("record-b.json");
    g_autofree char *kernel = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_assert_true(g_file_set_contents(kernel, text, -1, NULL));
    g_assert_true(g_file_set_contents(list, "kernel-1.traceg\n", -1, NULL));
    g_assert_true(g_file_set_contents(conf, "include \"qv100.conf\"\n", -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", conf, "-m", tool_module("hole"), "-s", "gpu.clusters=2",
                              "--report=none", "-o", a, folder, NULL);
    tool_status(&t, 0);
    g_autofree char *x = tool_read(a);
    g_autofree char *command = g_strdup_printf(
        "\"command\": [\"warpwright\", \"run\", \"-c\", \"%s\", \"-m\", \"%s\", \"-s\", "
        "\"gpu.clusters=2\", \"%s\"]",
        conf, tool_module("hole"), folder);
    tool_says(&t, x, command);
    tool_says(&t, x, "\"file\": \"configs/qv100.conf\""); /* wherever it lies */
    tool_says(&t, x, "\"file\": \"platforms/gpu.plat\"");
    g_autofree char *of_conf = hash_of(conf), *of_list = hash_of(list);
    tool_says(&t, x, of_conf);
    tool_says(&t, x, of_list);
    gsize n;
    g_autofree char *module = NULL;
    g_assert_true(g_file_get_contents(tool_module("hole"), &module, &n, NULL));
    g_autofree char *of_module =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)module, n);
    tool_says(&t, x, of_module);
    g_auto(Tool) u = tool_run("run", "-c", conf, "-m", tool_module("hole"), "-s", "gpu.clusters=2",
                              "--no-sleep", "--progress=plain", "-o", b, folder, NULL);
    tool_status(&u, 0);
    g_autofree char *y = tool_read(b);
    g_assert_cmpstr(x, ==, y);
    /* other contents under the same name, with the same values */
    g_assert_true(g_file_set_contents(conf, "# again\ninclude \"qv100.conf\"\n", -1, NULL));
    g_auto(Tool) v =
        tool_run("run", "-c", conf, "-s", "gpu.clusters=2", "--report=none", "-o", b, folder, NULL);
    tool_status(&v, 0);
    g_auto(Tool) c = tool_run("compare", "--exact", a, b, NULL);
    tool_status(&c, 0);
    g_autofree char *differs = g_strdup_printf("  config %s: other contents in B\n", conf);
    g_autofree char *lacks = g_strdup_printf("  module %s: not in B\n", tool_module("hole"));
    tool_says(&c, c.out, "\ninputs that differ\n");
    tool_says(&c, c.out, differs);
    tool_says(&c, c.out, lacks);
    g_assert_null(strstr(c.out, "platforms/gpu.plat"));
}

/* Option files, and the file of the network that one of them names; none of them may be the output. */
static void test_record_options(void)
{
    static const char net[] = "sim_type = gpgpusim; subnets = 2; topology = fly; k = 144; n = 1;\n"
                              "routing_function = dest_tag; vc_allocator = islip; "
                              "sw_allocator = islip; num_vcs = 16; use_map = 0;\n";
    const char *options = tool_path("record.config"), *network = tool_path("record.icnt"),
               *path = tool_path("record-options.json"), *other = tool_path("record-other.json");
    static const char text[] = "-network_mode 1\n-inter_config_file record.icnt\n"; /* beside it */
    g_assert_true(g_file_set_contents(options, text, -1, NULL));
    g_assert_true(g_file_set_contents(network, net, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--gpgpusim", options, "--report=none", "-o",
                              path, tool_trace(1), NULL);
    tool_status(&t, 0);
    g_autofree char *x = tool_read(path), *of_options = hash_of(options),
                    *of_network = hash_of(network);
    g_autofree char *command = g_strdup_printf("\"-c\", \"qv100\", \"--gpgpusim\", \"%s\", \"%s\"]",
                                               options, tool_trace(1));
    g_autofree char *first = g_strdup_printf(
        "\"kind\": \"options\",\n   \"file\": \"%s\",\n   \"sha256\": \"%s\"", options, of_options);
    g_autofree char *second = g_strdup_printf(
        "\"kind\": \"options\",\n   \"file\": \"%s\",\n   \"sha256\": \"%s\"", network, of_network);
    tool_says(&t, x, command);
    tool_says(&t, x, first);
    tool_says(&t, x, second);
    /* other contents under the same name, with the same values */
    g_autofree char *again = g_strconcat("// again\n", net, NULL);
    g_assert_true(g_file_set_contents(network, again, -1, NULL));
    g_auto(Tool) u = tool_run("run", "-c", "qv100", "--gpgpusim", options, "--report=none", "-o",
                              other, tool_trace(1), NULL);
    tool_status(&u, 0);
    g_auto(Tool) c = tool_run("compare", "--exact", path, other, NULL);
    tool_status(&c, 0);
    g_autofree char *differs = g_strdup_printf("  options %s: other contents in B\n", network);
    tool_says(&c, c.out, differs);
    g_assert_null(strstr(c.out, options));
    g_auto(Tool) over = tool_run("run", "-c", "qv100", "--gpgpusim", options, "--events", network,
                                 tool_trace(1), NULL);
    tool_refuses(&over, "record.icnt', which is read, too");
}

/* Ten thousand kernels: a result is not held in memory, and what is held of a kernel is little. */
static void test_many_kernels(void)
{
    const char *folder = new_folder("many"), *path = tool_path("many.json");
    g_autofree char *kernel = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_autoptr(GString) lines = g_string_new(NULL);
    enum { KERNELS = 2000, MOST_KIB_EACH = 10 };
    long used[2];
    g_assert_true(g_file_set_contents(kernel, text, -1, NULL));
    for (int i = 0; i < KERNELS; i++) {
        g_string_append(lines, "kernel-1.traceg\n");
    }
    g_assert_true(g_file_set_contents(list, lines->str, -1, NULL));
    for (int i = 0; i < 2; i++) { /* few kernels, many kernels */
        ToolRun run = tool_start(
            TOOL_NULL, "run", "-c", "qv100", "--report=none", "-s", "gpu.kernels.launch_latency=0",
            i == 0 ? "--kernels=1-10" : "--kernels=1-2000", "-o", path, folder, NULL);
        g_auto(Tool) t = tool_end(&run);
        tool_status(&t, 0);
        used[i] = t.kib;
    }
    g_test_message("%ld and %ld KiB", used[0], used[1]);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
    g_assert_cmpint(used[1] - used[0], <, KERNELS * MOST_KIB_EACH);
#endif
}

/* ---- trace recompress ---------------------------------------------------------------------------------------------------- */

static void test_pack_refuses_inputs(void)
{
    const char *folder = new_folder("pack-in"), *out = new_folder("pack-out");
    g_autofree char *kernel = g_build_filename(out, "kernel-1.traceg.zst", NULL);
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    g_auto(Tool) p = tool_run("trace", "recompress", "-o", out, tool_trace(1), NULL);
    tool_status(&p, 0);
    g_autofree char *line = g_strdup_printf("kernel-1.traceg\n");
    g_autofree char *to = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_assert_cmpint(symlink(kernel, to), ==, 0);
    g_assert_true(g_file_set_contents(list, line, -1, NULL));
    g_autofree char *made = g_build_filename(out, "kernelslist.g", NULL);
    g_assert_cmpint(g_unlink(made), ==, 0); /* it would be refused for that alone */
    g_auto(Tool) t = tool_run("trace", "recompress", "-o", out, folder, NULL);
    tool_refuses(&t,
                 "kernel-1.traceg.zst: is a kernel trace of the list; expected another directory");
    g_auto(Tool) c = tool_run("trace", "check", folder, NULL);
    tool_status(&c, 0);
}

/** Writes a trace into @p folder again, which is refused because of @p there, and leaves everything as it was. */
static void refuses_there(const char *what, const char *from, const char *folder, const char *there)
{
    g_autofree char *path = g_build_filename(folder, there, NULL), *before = tool_read(path);
    g_autofree char *said =
        g_strconcat(path, ": is there already; expected a folder without ",
                    strcmp(there, "kernelslist.g") == 0 ? "a trace" : "that file",
                    ": another one, or remove it", NULL);
    g_auto(Tool) t = tool_run("trace", what, "-o", folder, from, NULL);
    tool_refuses(&t, said);
    g_autofree char *after = tool_read(path);
    g_assert_cmpstr(after, ==, before);
}

/* A trace that is in the folder already stays: with its list, and with a kernel that has lost it. */
static void test_trace_replaces_nothing(void)
{
    const char *program = tool_path("there.wwk"), *pack = tool_path("there.wwpack");
    g_assert_true(g_file_set_contents(program, "kernel k {\n    NOP\n}\n", -1, NULL));
    g_auto(Tool) p = tool_run("trace", "pack", "-o", pack, tool_trace(1), NULL);
    tool_status(&p, 0);
    const char *const ways[][3] = {{"make", program, "kernel-1.traceg.zst"},
                                   {"unpack", pack, "kernel-1.traceg"},
                                   {"recompress", tool_trace(1), "kernel-1.traceg.zst"}};
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        const char *what = ways[i][0], *from = ways[i][1], *kernel = ways[i][2];
        g_autofree char *name = g_strconcat("there-", what, NULL);
        const char *folder = tool_path(name);
        g_auto(Tool) t = tool_run("trace", what, "-o", folder, from, NULL);
        tool_status(&t, 0);
        refuses_there(what, from, folder, "kernelslist.g");
        g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
        g_assert_cmpint(g_unlink(list), ==, 0);
        refuses_there(what, from, folder, kernel);
        g_assert_false(g_file_test(list, G_FILE_TEST_EXISTS));
    }
}

/* Through a link, also to what is not there yet: the link stays. */
static void test_behind_link(void)
{
    const char *folder = new_folder("behind"), *link = tool_path("link.json"),
               *far = tool_path("far.json");
    g_autofree char *real = g_build_filename(folder, "real.json", NULL);
    g_assert_cmpint(symlink("behind/real.json", link), ==, 0);
    g_assert_cmpint(symlink("link.json", far), ==, 0);
    for (int i = 0; i < 2; i++) { /* then it is there */
        g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "--progress=none", "-o",
                                  far, tool_trace(1), NULL);
        tool_status(&t, 0);
        g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK) &&
                      g_file_test(far, G_FILE_TEST_IS_SYMLINK));
        g_assert_false(g_file_test(real, G_FILE_TEST_IS_SYMLINK));
        g_assert_true(g_file_test(real, G_FILE_TEST_IS_REGULAR));
    }
    g_assert_cmpint(g_unlink(real), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "--progress=none", "-o", link,
                              tool_trace(1), NULL);
    tool_refuses(&t, "link.json': No such file or directory; expected a file that can be written");
}

/* Interrupted or failed, nothing of it stays: neither files, nor the folders made for them. */
static void test_pack_leaves_nothing(void)
{
    const char *folder = new_folder("unpacked"), *out = tool_path("made/below/packed");
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    g_autofree char *one = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *two = g_build_filename(folder, "kernel-2.traceg", NULL);
    g_autofree char *packed = g_build_filename(out, "kernel-2.traceg.zst", NULL);
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_assert_true(g_file_set_contents(list, "kernel-1.traceg\nkernel-2.traceg\n", -1, NULL));
    g_assert_true(g_file_set_contents(one, text, -1, NULL));
    tool_make_endless(two);
    ToolRun run = tool_start(TOOL_NULL, "trace", "recompress", "-o", out, folder, NULL);
    tool_until_written(&run, packed);
    kill(run.pid, SIGINT);
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 128 + SIGINT);
    g_assert_false(g_file_test(tool_path("made"), G_FILE_TEST_EXISTS));
    g_assert_cmpint(g_unlink(two), ==, 0);
    g_assert_true(g_file_set_contents(two, "", -1, NULL)); /* an empty file cannot be packed */
    g_auto(Tool) u = tool_run("trace", "recompress", "-o", out, folder, NULL);
    tool_status(&u, 2);
    g_assert_false(g_file_test(tool_path("made"), G_FILE_TEST_EXISTS));
}

/* A folder takes the place of a file that is complete but for its name, for another one is not yet read: what it is of is told. */
static void no_name(const char *option, const char *file, const char *words)
{
    const char *folder = new_folder(file);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    g_autofree char *said = g_strdup_printf(
        "warpwright: %s'%s': Is a directory; expected a file that can be replaced\n", words, path);
    g_autofree char *fifo = g_strconcat(folder, ".json", NULL);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    ToolRun run = tool_start(TOOL_NULL, "run", "-c", "qv100", "--progress=none", option, path, "-o",
                             fifo, tool_trace(1), NULL);
    for (g_autofree char *names = NULL; names == NULL || *names == '\0';) {
        g_usleep(2000);
        g_free(names);
        names = names_in(folder);
    }
    g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    g_free(tool_read(fifo));
    g_auto(Tool) t = tool_end(&run);
    tool_status(&t, 2);
    g_assert_cmpstr(t.err, ==, said);
    g_autofree char *left = names_in(folder);
    g_assert_cmpstr(left, ==, file);
}

static void test_no_name(void)
{
    no_name("-o", "no-name.json", "cannot write results: ");
    no_name("--events", "no-name.log", "cannot write events to ");
    no_name("--view", "no-name.kanata", "cannot write ");
    no_name("--profile-windows", "no-name.csv", "cannot write the profile to ");
    no_name("--report-file", "no-name.txt", "cannot write the report to ");
}

void add_output_tests(void)
{
    g_test_add_func("/cli/output/closed-pipe", test_closed_pipe);
    g_test_add_func("/cli/output/nobody-listens", test_nobody_listens);
    g_test_add_func("/cli/output/full-disk", test_full_disk);
    g_test_add_func("/cli/output/full-file", test_full_file);
    g_test_add_func("/cli/output/no-room", test_no_room);
    g_test_add_func("/cli/output/no-name", test_no_name);
    g_test_add_func("/cli/output/closed-stdout", test_closed_stdout);
    g_test_add_func("/cli/output/both", test_both);
    g_test_add_func("/cli/output/bare-csv", test_bare_csv);
    g_test_add_func("/cli/output/neighbours", test_neighbours);
    g_test_add_func("/cli/output/inputs", test_inputs);
    g_test_add_func("/cli/output/record", test_record);
    g_test_add_func("/cli/output/record-options", test_record_options);
    g_test_add_func("/cli/output/many-kernels", test_many_kernels);
    g_test_add_func("/cli/output/pack-inputs", test_pack_refuses_inputs);
    g_test_add_func("/cli/output/trace-replaces-nothing", test_trace_replaces_nothing);
    g_test_add_func("/cli/output/behind-link", test_behind_link);
    g_test_add_func("/cli/output/pack-leaves-nothing", test_pack_leaves_nothing);
}
