/* SPDX-License-Identifier: Apache-2.0 */
/* What the command says when it is called wrongly: one clear line, status 2. */
#include "tests.h"

#include <glib/gstdio.h>

#include <string.h>

static void test_nothing(void)
{
    g_auto(Tool) t = tool_run(NULL, NULL);
    tool_status(&t, 2);
    tool_says(&t, t.err, "usage: warpwright COMMAND");
}

static void test_help(void)
{
    g_auto(Tool) all = tool_run("--help", NULL);
    tool_status(&all, 0);
    tool_says(&all, all.out, "inspect");
    g_auto(Tool) run = tool_run("run", "--help", NULL);
    tool_status(&run, 0);
    tool_says(&run, run.out, "warpwright run [OPTION...] TRACE");
    tool_says(&run, run.out, "--max-cycles=N");
    g_auto(Tool) same = tool_run("help", "run", NULL);
    g_assert_cmpstr(same.out, ==, run.out);
    g_auto(Tool) help = tool_run("help", "--help", NULL);
    tool_status(&help, 0);
    g_assert_cmpstr(help.out, ==, all.out);
    g_auto(Tool) version = tool_run("--version", NULL);
    tool_says(&version, version.out, "warpwright ");
}

static void test_unknown_command(void)
{
    g_auto(Tool) near = tool_run("inpsect", NULL);
    tool_refuses(&near, "unknown command 'inpsect', did you mean 'inspect'?");
    g_auto(Tool) far = tool_run("make-coffee", NULL);
    tool_refuses(&far, "expected run, inspect, ");
}

static void test_unknown_option(void)
{
    g_auto(Tool) t = tool_run("run", "--max-cycle=3", "x", NULL);
    tool_refuses(&t, "run: unknown option --max-cycle=3, did you mean --max-cycles?");
    g_assert_cmpuint(strcspn(t.err, "\n"), ==, strlen(t.err) - 1); /* one line */
}

static void test_bad_values(void)
{
    const char *trace = tool_trace(1);
    g_auto(Tool) report = tool_run("run", "--report=sumary", trace, NULL);
    tool_refuses(&report, "--report 'sumary' is unknown, did you mean 'summary'?");
    g_auto(Tool) number = tool_run("run", "--max-cycles=many", trace, NULL);
    tool_refuses(&number, "--max-cycles 'many' is not a whole number");
    g_auto(Tool) none = tool_run("run", NULL, NULL);
    tool_refuses(&none, "run: no trace given");
    g_auto(Tool) two = tool_run("run", trace, trace, NULL);
    tool_refuses(&two, "more than one trace given");
    g_auto(Tool) value = tool_run("run", "--report", NULL);
    tool_refuses(&value, "run: missing argument for --report");
}

static void test_bad_names(void)
{
    const char *trace = tool_trace(1);
    g_auto(Tool) config = tool_run("run", "-c", "qv1000", trace, NULL);
    tool_refuses(&config, "qv1000");
    g_auto(Tool) platform = tool_run("run", "-p", "nosuch", trace, NULL);
    tool_refuses(&platform, "nosuch");
    g_auto(Tool) key = tool_run("run", "-s", "sm.shedulers=2", trace, NULL);
    tool_refuses(&key, "did you mean 'sm.schedulers'?");
    g_auto(Tool) module = tool_run("run", "-m", "nosuch", trace, NULL);
    tool_refuses(&module, "module 'nosuch' is not a file");
    g_auto(Tool) none = tool_run("run", tool_path("no-trace"), NULL);
    tool_refuses(&none, "no-trace");
}

static void test_bad_output(void)
{
    const char *trace = tool_trace(1);
    g_auto(Tool) format = tool_run("run", "-o", "x.txt", trace, NULL);
    tool_refuses(&format, "expected a name that ends in .json or .csv");
    g_auto(Tool) folder = tool_run("run", "-o", tool_path("nowhere/x.json"), trace, NULL);
    tool_refuses(&folder, "No such file or directory");
}

static void test_list(void)
{
    g_auto(Tool) configs = tool_run("list", "configs", NULL);
    tool_says(&configs, configs.out, "\nqv100                sm_70        Quadro V100: ");
    tool_says(&configs, configs.out, "\ntitanx               sm_60 sm_61  Titan X (Pascal): ");
    tool_says(&configs, configs.out,
              "fermi_like           sm_70        "); /* by what it includes */
    tool_says(&configs, configs.out, "\nminimal              -            ");
    tool_says(&configs, configs.out,
              "\nrtx3080_modern_paper sm_86        GeForce "); /* the longest */
    tool_says(&configs, configs.out, " where its released simulator has them otherwise.\n");
    g_auto(Tool) platforms = tool_run("list", "platforms", NULL);
    tool_says(&platforms, platforms.out, "gpu  ");
    tool_says(&platforms, platforms.out, "parts to import\nsm ");
    g_auto(Tool) types = tool_run("list", "types", NULL);
    tool_says(&types, types.out, "warp_scheduler");
    g_assert_null(strstr(types.out, "fake."));
    g_auto(Tool) wrong = tool_run("list", "tpyes", NULL);
    tool_refuses(&wrong, "did you mean 'types'?");
}

/* A config that cannot be read stays in the list, with the reason. */
static void test_list_broken(void)
{
    g_autofree char *folder = g_build_filename(tool_path("broken-list"), "configs", NULL);
    g_autofree char *file = g_build_filename(folder, "broken.conf", NULL);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
    g_assert_true(g_file_set_contents(file, "traces sm_99 soon\n", -1, NULL));
    g_setenv("WARPWRIGHT_PATH", tool_path("broken-list"), true);
    g_auto(Tool) t = tool_run("list", "configs", NULL);
    g_unsetenv("WARPWRIGHT_PATH");
    tool_status(&t, 0);
    tool_says(&t, t.out, "broken               (broken: ");
    tool_says(&t, t.out, "broken.conf:1");
    tool_says(&t, t.out, "\nqv100                sm_70 ");
}

/* What a config is, in the words of its first comment: a sentence, or a line where none ends. */
static void test_list_words(void)
{
    static const char *const cases[][2] = {
        {"# SPDX-License-Identifier: X\n#\n# Mine\n# more\n", "Mine\n"},
        {"# Mine. And more.\n# More.\n", "Mine. And more.\n"},
        {"# Mine goes\n# on. And more.\n", "Mine goes on.\n"},
        {"# Mine is. What\n# is more.\n", "Mine is.\n"},
        {"# Mine goes\n#\n# on. And more.\n", "Mine goes\n"},
        {"\n# later\n", "\n"},
    };
    g_autofree char *folder = g_build_filename(tool_path("words-list"), "configs", NULL);
    g_autofree char *file = g_build_filename(folder, "its_own.conf", NULL);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
    g_setenv("WARPWRIGHT_PATH", tool_path("words-list"), true);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strconcat(cases[i][0], "traces sm_99\n", NULL),
                        *line =
                            g_strconcat("its_own              sm_99        ", cases[i][1], NULL);
        g_assert_true(g_file_set_contents(file, text, -1, NULL));
        g_auto(Tool) t = tool_run("list", "configs", NULL);
        tool_says(&t, t.out, line);
    }
    g_unsetenv("WARPWRIGHT_PATH");
}

static void test_trace(void)
{
    const char *trace = tool_trace(2);
    g_auto(Tool) info = tool_run("trace", "info", trace, NULL);
    tool_status(&info, 0);
    tool_says(&info, info.out, "kernel_2");
    g_auto(Tool) check = tool_run("trace", "check", trace, NULL);
    tool_status(&check, 0);
    tool_says(&check, check.out, "ok");
    g_auto(Tool) pack = tool_run("trace", "recompress", "-o", tool_path("packed"), trace, NULL);
    tool_status(&pack, 0);
    g_auto(Tool) again = tool_run("trace", "check", tool_path("packed"), NULL);
    tool_status(&again, 0);
    g_auto(Tool) where = tool_run("trace", "recompress", trace, NULL);
    tool_refuses(&where, "expected -o FOLDER");
    g_auto(Tool) what = tool_run("trace", "infos", trace, NULL);
    tool_refuses(&what, "did you mean 'info'?");
}

/* What users of other commands type: a value right behind its letter, and "--" before arguments. */
static void test_spelling(void)
{
    g_auto(Tool) a = tool_run("run", "-cqv100", "-ssm.scheduler=scheduler.gto", "--report=none",
                              "--progress=none", "--", tool_trace(1), NULL);
    tool_status(&a, 0);
    g_assert_cmpstr(a.err, ==, "");
    g_auto(Tool) b = tool_run("run", "-c", "qv100", "--", "-c", NULL);
    tool_refuses(&b, "-c: cannot open: No such file or directory; expected a trace");
    g_auto(Tool) c = tool_run("run", "--report=none", "-cnothing", tool_trace(1), NULL);
    tool_refuses(&c, "nothing: there is no such file");
    g_auto(Tool) d = tool_run("run", "--", tool_trace(1), "--report=none", NULL);
    tool_refuses(&d, "more than one trace given");
}

/* APP/ARGS/traces, as Accel-Sim's tracer leaves them; any folder above that has no other trace. */
static void test_trace_folders(void)
{
    const char *app = tool_path("app"), *args = tool_path("app/4096"),
               *traces = tool_path("app/4096/traces");
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *list = g_build_filename(traces, "kernelslist.g", NULL);
    g_autofree char *kernel = g_build_filename(traces, "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_assert_cmpint(g_mkdir_with_parents(traces, 0777), ==, 0);
    g_assert_true(g_file_set_contents(list, "kernel-1.traceg\n", -1, NULL));
    g_assert_true(g_file_set_contents(kernel, text, -1, NULL));
    for (int i = 0; i < 3; i++) {
        g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none",
                                  i == 0   ? app
                                  : i == 1 ? args
                                           : traces,
                                  NULL);
        tool_status(&t, 0);
    }
}

/* "./x.plat" is beside the user, and what it imports beside it. */
static void test_own_platform(void)
{
    const char *folder = tool_path("own");
    g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
    g_autofree char *plat = g_build_filename(folder, "x.plat", NULL);
    g_autofree char *part = g_build_filename(folder, "part.plat", NULL);
    g_assert_true(g_file_set_contents(plat,
                                      "import \"./part.plat\"; machine mine { domain core = 1GHz; "
                                      "phases { main : core; } c : counter; p : part; }\n",
                                      -1, NULL));
    g_assert_true(g_file_set_contents(part, "composite part { c : counter; }\n", -1, NULL));
    g_autofree char *before = g_get_current_dir();
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_auto(Tool) t = tool_run("run", "-p", "./x.plat", "--report=none", "--progress=none", NULL);
    g_auto(Tool) u = tool_run("run", "-p./x.plat", "--report=none", "--progress=none", NULL);
    g_assert_cmpint(g_chdir(before), ==, 0);
    tool_status(&t, 0);
    tool_status(&u, 0);
}

/* Names of files are the user's, and may hold anything: a message stays one line that moves no cursor. */
static void test_one_line(void)
{
    static const char bad[] = "no\033[2J\r\tthing\177";
    const char *const calls[][5] = {
        {"run", bad},
        {"run", "-c", bad, "t"},
        {"run", "-p", bad, "t"},
        {"run", "-m", bad, "t"},
        {"run", "-s", bad, "t"},
        {"run", "-c", "qv100", "--gpgpusim", bad},
        {"run", "--report", bad, "t"},
        {"trace", "info", bad},
        {"trace", bad},
        {"inspect", bad},
        {"compare", bad, "b.json"},
        {"bench", bad},
        {"bench", "template.stage", bad},
        {"list", bad},
        {"new", bad, "x"},
        {"new", "scheduler", bad},
        {bad},
        {"run", "two\n   lines"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        const char *const *c = calls[i];
        g_auto(Tool) t = tool_run(c[0], c[1], c[2], c[3], c[4], NULL);
        tool_status(&t, 2);
        g_assert_true(g_str_has_prefix(t.err, "warpwright: "));
        g_assert_true(strchr(t.err, '\n') == t.err + strlen(t.err) - 1);
        for (const char *p = t.err; p[1] != '\0'; p++) {
            g_assert_false(g_ascii_iscntrl(*p));
        }
    }
}

void add_usage_tests(void)
{
    g_test_add_func("/cli/usage/spelling", test_spelling);
    g_test_add_func("/cli/usage/trace-folders", test_trace_folders);
    g_test_add_func("/cli/usage/own-platform", test_own_platform);
    g_test_add_func("/cli/usage/nothing", test_nothing);
    g_test_add_func("/cli/usage/help", test_help);
    g_test_add_func("/cli/usage/unknown-command", test_unknown_command);
    g_test_add_func("/cli/usage/unknown-option", test_unknown_option);
    g_test_add_func("/cli/usage/bad-values", test_bad_values);
    g_test_add_func("/cli/usage/bad-names", test_bad_names);
    g_test_add_func("/cli/usage/bad-output", test_bad_output);
    g_test_add_func("/cli/list", test_list);
    g_test_add_func("/cli/list/broken", test_list_broken);
    g_test_add_func("/cli/list/broken-words", test_list_words);
    g_test_add_func("/cli/usage/one-line", test_one_line);
    g_test_add_func("/cli/trace", test_trace);
}
