/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: what is listed, what is refused, and who is named when one crashes. */
#include "tests.h"

#include <warpwright/base.h>

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

/* A sanitizer takes the signals, and reports in its own words. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static Tool run_crash(const char *how)
{
    g_autofree char *value = g_strdup_printf("sm.issue[*].policy.how=%s", how);
    return tool_run("run", "-c", "qv100", "--sms=1", "-m", tool_module("crash"), "-s",
                    "sm.scheduler=scheduler.crash", "-s", value, "--report=none", "--progress=none",
                    tool_trace(1), NULL);
}

/* One line names module, function, type and component; then the process ends as it would have. */
static void crashes(const char *how, int number, const char *what, const char *where)
{
    g_auto(Tool) t = run_crash(how);
    g_autofree char *begin =
        g_strdup_printf("warpwright: module %s crashed: %s in ", tool_module("crash"), what);
    tool_status(&t, -number);
    tool_says(&t, t.err, begin);
    tool_says(&t, t.err, where);
    tool_says(&t, t.err, " of type scheduler.crash, component gpu.cluster[0].sm[0].issue[");
    g_assert_cmpstr(strchr(strstr(t.err, begin), '\n'), ==, "\n"); /* the last line */
}

static void test_crash(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    static const char order[] = "crash_order (port policy) of type";
    crashes("segv", SIGSEGV, "segmentation fault", order);
    crashes("abort", SIGABRT, "abort", order);
    crashes("library", SIGSEGV, "segmentation fault", order);
    crashes("nowhere", SIGSEGV, "segmentation fault", order);
    crashes("stack", SIGSEGV, "segmentation fault", "dig of type");
    crashes("inner", SIGSEGV, "segmentation fault", "write_to of type");
    crashes("reset", SIGSEGV, "segmentation fault", "crash_reset (reset) of type");
    crashes("init", SIGSEGV, "segmentation fault", "crash_init (init) of type");
#if defined(__x86_64__)
    crashes("fpe", SIGFPE, "arithmetic error", order);
#endif
    g_auto(Tool) t = run_crash("segv");
    tool_says(&t, t.err, ", cycle ");
}

/* It wrote over the machine, so that looking for who it was crashes, too. */
static void test_crash_damaged(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    g_auto(Tool) t = run_crash("far");
    tool_status(&t, -SIGSEGV);
    const char *said = strstr(t.err, "warpwright: ");
    g_assert_nonnull(said);
    g_assert_nonnull(strstr(said, "crash.so"));
    g_assert_nonnull(strstr(said, "segmentation fault"));
    tool_says(&t, t.err, "; memory of the machine is damaged: something was written out of bounds");
    g_assert_cmpstr(strchr(said, '\n'), ==, "\n");
}

/* What is no crash: the process ends in the middle of a turn. */
static void test_module_exits(void)
{
    g_auto(Tool) t = run_crash("exit");
    tool_refuses(&t, "warpwright: a module (crash.so) ended the process with exit() in type ");
    tool_says(&t, t.err, ", component gpu.cluster[0].sm[0].issue[");
}

/* An answer that comes twice is found where nobody waits for it: the line says where and when, and that it may be a module's doing. */
static void test_module_breaks_contract(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "-s", "gpu.ideal_memory=true", "-m", tool_module("hole"),
                 "-s", "cluster.memory=memory.hole", "-s", "memory.twice=true", "--report=none",
                 "--progress=none", tool_source("samples/sgemm"), NULL);
    tool_status(&t, -SIGABRT);
    tool_says(&t, t.err, ": internal error: '");
    tool_says(&t, t.err, "' does not hold in type ");
    tool_says(&t, t.err, ", component gpu.cluster[0].");
    tool_says(&t, t.err, ", cycle ");
    tool_says(
        &t, t.err,
        "; has a module (hole.so) broken a contract? 'warpwright conformance' looks for it\n");
}

/* Two SMs, each of which runs many cycles before the other does; the module crashes where it sees that, and says in which cycle. */
static Tool run_window_crash(const char *option)
{
    return tool_run("run", "-c", "qv100", "--sms=2", "-m", tool_module("crash"), "-s",
                    "sm.scheduler=scheduler.crash", "-s", "sm.issue[*].policy.how=window",
                    "--report=none", "--progress=none", "--max-cycles=6000",
                    tool_source("tests/traces/vecadd-sm70"), option, NULL);
}

static void test_crash_in_window(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    g_auto(Tool) plain = run_window_crash("--no-windows");
    tool_status(&plain, 1); /* the limit */
    g_auto(Tool) t = run_window_crash(NULL);
    tool_status(&t, -SIGSEGV);
    static const char said[] = "module: a window, cycle ";
    tool_says(&t, t.err, said);
    const char *number = strstr(t.err, said) + strlen(said);
    g_autofree char *cycle = g_strndup(number, strcspn(number, "\n"));
    g_autofree char *end = g_strdup_printf("].policy, cycle %s\n", cycle);
    tool_says(&t, t.err, " of type scheduler.crash, component gpu.cluster[");
    g_assert_true(g_str_has_suffix(t.err, end));
}

/* In a thread that runs SMs beside the first one. */
static void crashes_beside(const char *how, int number, const char *what)
{
    g_autofree char *value = g_strdup_printf("sm.issue[*].policy.how=%s", how);
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "-j", "2", "--threads-from=1", "-m", tool_module("crash"),
                 "-s", "sm.scheduler=scheduler.crash", "-s", value, "--report=none",
                 "--progress=none", tool_source("tests/traces/vecadd-sm70"), NULL);
    tool_status(&t, -number);
    tool_says(&t, t.err, what);
}

static void test_crash_beside(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    crashes_beside("stack_beside", SIGSEGV, " crashed: segmentation fault in dig of type");
    crashes_beside("trap_beside", SIGTRAP, " crashed: trap in ");
}

static void test_crash_loading(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    g_auto(Tool) t = tool_run("list", "types", "-m", tool_module("constructor"), NULL);
    tool_status(&t, -SIGSEGV);
    tool_says(&t, t.err, "constructor.so crashed while it was being loaded: segmentation fault\n");
}

/* A table without its end: what follows is no row. */
static void test_crash_rows(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    static const char *const command[] = {"inspect", "conformance"};
    for (size_t i = 0; i < G_N_ELEMENTS(command); i++) {
        g_auto(Tool) t = tool_run(command[i], "-m", tool_module("endless_rows"), NULL);
        tool_status(&t, -SIGSEGV);
        tool_says(
            &t, t.err,
            "endless_rows.so crashed while its types were looked at: segmentation fault; does "
            "each table of its types end with {0}?\n");
    }
}

/* An `init` that fails, with a reason and without. */
static void test_init(void)
{
    g_auto(Tool) t = run_crash("refuse");
    tool_refuses(&t, "issue[0].policy (scheduler.crash): how = refuse; expected another way");
    g_auto(Tool) u = run_crash("silent");
    tool_refuses(&u, "issue[0].policy (scheduler.crash): init failed without a reason");
}

static void test_undefined(void)
{
    g_auto(Tool) t = tool_run("run", "-m", tool_module("undefined"), tool_trace(1), NULL);
    tool_refuses(&t, "undefined.so: cannot be loaded: undefined symbol: ww_not_there; expected");
}

/* The search path: a folder of WARPWRIGHT_PATH, and modules/ in one; the name alone finds a module there. */
static void test_list(void)
{
    g_assert_cmpint(g_mkdir(tool_path("list"), 0777), ==, 0);
    g_autofree char *crash = g_build_filename(tool_path("list"), "crash.so", NULL);
    g_autofree char *undefined = g_build_filename(tool_path("list"), "undefined.so", NULL);
    g_autofree char *hole = g_build_filename(tool_path("list"), "modules", "hole.so", NULL);
    g_autofree char *inner = g_path_get_dirname(hole);
    g_assert_cmpint(g_mkdir(inner, 0777), ==, 0);
    const char *const from[] = {"crash", "undefined", "hole"};
    const char *const to[] = {crash, undefined, hole};
    for (size_t i = 0; i < G_N_ELEMENTS(from); i++) {
        gsize n;
        g_autofree char *bytes = NULL;
        g_assert_true(g_file_get_contents(tool_module(from[i]), &bytes, &n, NULL));
        g_assert_true(g_file_set_contents(to[i], bytes, (gssize)n, NULL));
    }
    g_setenv("WARPWRIGHT_PATH", tool_path("list"), true);
    g_auto(Tool) t = tool_run("list", "modules", NULL);
    g_auto(Tool) u = tool_run("inspect", "-m", "hole", "memory.hole", NULL);
    g_auto(Tool) misspelt = tool_run("inspect", "-m", "hloe", "memory.hole", NULL);
    g_auto(Tool) with_suffix = tool_run("inspect", "-m", "crsh.so", "memory.hole", NULL);
    g_unsetenv("WARPWRIGHT_PATH");
    tool_refuses(&misspelt, "module 'hloe' is not a file, nor in ");
    tool_refuses(&misspelt, "list/modules");
    tool_refuses(&misspelt, ", did you mean 'hole'?; expected the path of a shared object");
    tool_refuses(&with_suffix, "did you mean 'crash'?");
    tool_status(&t, 0);
    g_autofree char *line = g_strdup_printf("crash.so    crash 1\n    %s, interface version %u\n",
                                            crash, WW_ABI_VERSION);
    tool_says(&t, t.out, line);
    tool_says(&t, t.out, "    scheduler.crash        Ends the process.\n");
    tool_says(&t, t.out, "undefined.so\n");
    tool_says(&t, t.out, "    does not load: cannot be loaded: undefined symbol: ww_not_there");
    tool_says(&t, t.out, hole);
    tool_status(&u, 0);
}

static void test_list_none(void)
{
    g_auto(Tool) t = tool_run("list", "modules", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.err, "no modules in:\n");
    tool_says(
        &t, t.err,
        "sources, for cmake -S FOLDER -B BUILD; cmake --build BUILD; cmake --install BUILD:\n");
    tool_says(&t, t.err, "/modules/ccws\n");
    g_assert_null(strstr(t.err, "templates"));
    tool_says(&t, t.err, "WARPWRIGHT_PATH adds folders");
}

/* A source, the type of module `mistakes`, a sink. */
static Tool run_mistake(const char *type, const char *option, const char *value)
{
    g_autofree char *text =
        g_strdup_printf("machine m {\n    domain core = 1GHz;\n    phases { main : core; }\n"
                        "    feed : source { count = 9; }\n    left : fifo { depth = 2; }\n"
                        "    part : mistake.%s;\n    right : fifo { depth = 2; }\n"
                        "    drain : sink { limit = 9; interval = 3; }\n"
                        "    feed.out -> left -> part.in;\n    part.out -> right -> drain.in;\n}\n",
                        type);
    const char *path = tool_path("mistake.plat");
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return tool_run("run", "-m", tool_module("mistakes"), "-p", path, "--report=none", option,
                    value, NULL);
}

/* What its author got wrong is said in one line. */
static void test_mistakes(void)
{
    g_auto(Tool) takes = run_mistake("takes", NULL, NULL);
    tool_refuses(&takes, "left: a token was taken of an empty queue; expected a reader that asks");
    g_auto(Tool) logged = run_mistake("takes", "--events", tool_path("mistake.log"));
    tool_refuses(&logged, "left: a token was taken of an empty queue; expected a reader that asks");
    g_auto(Tool) says = run_mistake("says", "--events", tool_path("mistake.log"));
    tool_refuses(&says, "part (mistake.says): event 'pass' was written with 3 values; expected no "
                        "more than its row has: 1");
    g_auto(Tool) later = run_mistake("later", "--events", tool_path("mistake.log"));
    tool_refuses(&later, "part (mistake.later): event 'pass' was written with 3 values; expected "
                         "no more than its row has: 1");
    g_auto(Tool) tells = run_mistake("tells", "--events", tool_path("mistake.log"));
    tool_refuses(&tells, "part (mistake.tells): of what was kept of an event 'pass' not all was "
                         "told, or more; expected tell() to move behind what keep() wrote");
    g_auto(Tool) releases = run_mistake("releases", NULL, NULL);
    tool_refuses(&releases, "part: its transaction 0 was released twice, the second time in a turn "
                            "of part; expected it once");
    g_auto(Tool) both = run_mistake("both", NULL, NULL);
    tool_refuses(&both, "part (mistake.both): one and one is two; expected three (and yet true was "
                        "returned; expected false with an error)");
    g_auto(Tool) twice = tool_run("list", "types", "-m", tool_module("mistakes"), "-m",
                                  tool_module("mistakes"), NULL);
    tool_refuses(&twice, "mistakes.so was loaded before; expected it once");
}

/* A type may say that no checkpoint has its state: it runs, and is checked, but is not saved. */
static void test_not_saved(void)
{
    g_auto(Tool) t = run_mistake("keeps", NULL, NULL);
    tool_status(&t, 0);
    g_auto(Tool) saved = run_mistake("keeps", "--checkpoint", tool_path("mistake.ckpt"));
    tool_refuses(&saved, "part (mistake.keeps) cannot be saved, as its type says; expected ");
    g_auto(Tool) checked =
        tool_run("conformance", "-v", "-m", tool_module("mistakes"), "mistake.keeps", NULL);
    tool_status(&checked, 0);
    tool_says(&checked, checked.out, "mistake.keeps: says that it cannot be saved\n");
}

/* A function that the module's table does not have: it was called by one of ours. */
static void test_no_function(void)
{
    if (SANITIZED) {
        g_test_skip("the sanitizer has its own reports");
        return;
    }
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--sms=1", "-m", tool_module("mistakes"), "-s",
                              "sm.scheduler=scheduler.nothing", "--report=none", "--progress=none",
                              tool_trace(1), NULL);
    tool_status(&t, -SIGSEGV);
    tool_says(&t, t.err,
              "warpwright: crashed outside of the modules (mistakes.so): segmentation fault, a "
              "function that is not there was called in type warp_scheduler, component "
              "gpu.cluster[0].sm[0].issue[");
}

/* What the page says that is said of other headers has the version of these. */
static void test_page(void)
{
    g_autofree char *page = NULL;
    g_autofree char *says = g_strdup_printf(
        "`built for interface version 42, expected %u; build it again`", WW_ABI_VERSION);
    g_assert_true(g_file_get_contents(tool_source("docs/modules.md"), &page, NULL, NULL));
    g_assert_nonnull(strstr(page, says));
}

void add_module_tests(void)
{
    g_test_add_func("/cli/modules/page", test_page);
    g_test_add_func("/cli/modules/crash", test_crash);
    g_test_add_func("/cli/modules/crash_damaged", test_crash_damaged);
    g_test_add_func("/cli/modules/exits", test_module_exits);
    g_test_add_func("/cli/modules/breaks-contract", test_module_breaks_contract);
    g_test_add_func("/cli/modules/crash_in_window", test_crash_in_window);
    g_test_add_func("/cli/modules/crash_beside", test_crash_beside);
    g_test_add_func("/cli/modules/crash_loading", test_crash_loading);
    g_test_add_func("/cli/modules/crash_rows", test_crash_rows);
    g_test_add_func("/cli/modules/init", test_init);
    g_test_add_func("/cli/modules/mistakes", test_mistakes);
    g_test_add_func("/cli/modules/not_saved", test_not_saved);
    g_test_add_func("/cli/modules/no_function", test_no_function);
    g_test_add_func("/cli/modules/undefined", test_undefined);
    g_test_add_func("/cli/modules/list", test_list);
    g_test_add_func("/cli/modules/list_none", test_list_none);
}
