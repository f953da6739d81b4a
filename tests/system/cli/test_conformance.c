/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright conformance`: types of a module, and of ours, against the checks that every type has to pass. */
#include "tests.h"

#include <sys/personality.h>

static void test_passes(void)
{
    g_auto(Tool) t = tool_run("conformance", "scheduler.gto", "delay", NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "scheduler.gto: 14 of 14 checks passed\ndelay: 14 of 14 checks passed\n");
    g_auto(Tool) said = tool_run("conformance", "-v", "delay", NULL);
    tool_says(&said, said.out, "delay: reset: does the same again after a reset\n");
    g_auto(Tool) apart = tool_run("conformance", "-v", "network.routed", NULL);
    tool_says(&apart, apart.out,
              "network.routed: has no windows: dut (network.routed) may look at any partition in "
              "any tick\n");
}

static void test_fails(void)
{
    g_auto(Tool) t = tool_run("conformance", "delay", "fault.loses", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out, "delay: 14 of 14 checks passed\n");
    tool_says(&t, t.out, "fault.loses: conservation: a token that went in never came out");
    tool_says(&t, t.out, "fault.loses: 13 of 14 checks passed\n");
}

/* What cannot be saved, or goes by another's time, is told where that is. */
static void test_state(void)
{
    g_auto(Tool) t = tool_run("conformance", "fault.code", "fault.static", "fault.clock", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out, "fault.code: memory: dut (fault.code), ");
    tool_says(&t, t.out,
              "an address of this process that it got in the run (of a function, a constant, or "
              "memory of others); expected its state to point to nothing but memory of components");
    tool_says(
        &t, t.out,
        "fault.static: saved: in one piece, and saved and restored: tokens or answers differ");
    tool_says(&t, t.out, "fault.clock: windows: in windows and tick by tick: ");
    tool_says(&t, t.out, "fault.clock: 13 of 14 checks passed\n");
}

/* A module: all its types, without naming them; what they say of themselves is tested. */
static void test_module(void)
{
    g_auto(Tool) t = tool_run("conformance", "-m", tool_module("lazy"), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out, "scheduler.lazy: promises: port policy, cycle ");
    tool_says(&t, t.out, "which could issue; expected every candidate\n");
    tool_says(&t, t.out,
              "needs_own: cannot be checked: port own needs 'lazy_own', of which there is "
              "neither a fake nor a type that offers it");
    tool_says(&t, t.out, "scheduler.lazy: 7 of 14 checks passed\n");
}

/* One that does not start as it is has no bench; the others are checked. */
static void test_does_not_start(void)
{
    g_auto(Tool) t =
        tool_run("conformance", "-m", tool_module("mistakes"), "mistake.refuses", "delay", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out,
              "mistake.refuses: cannot be checked: it does not start with its defaults: dut "
              "(mistake.refuses): one and one is two; expected three\ndelay: 14 of 14 checks");
}

/* One that starts, and later does not start again, fails checks; the others are checked. */
static void test_does_not_start_again(void)
{
    g_auto(Tool) t =
        tool_run("conformance", "-m", tool_module("mistakes"), "mistake.restarts", "delay", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out,
              "started with its defaults before, and does not start again: dut (mistake.restarts): "
              "the file is taken; expected it to be free\n");
    tool_says(&t, t.out, "delay: 14 of 14 checks passed\n");
}

/* A cache of somebody's own is used as ours are: one that is right passes, one that forgets a response does not. */
static void test_own_cache(void)
{
    g_auto(Tool) t = tool_run("conformance", "-m", tool_module("own_cache"), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out, "cache.direct: 14 of 14 checks passed\n");
    tool_says(&t, t.out, "cache.leaky: promises: port cache, cycle ");
    tool_says(&t, t.out, "peek() finds nothing; expected one: its unit is there\n");
    tool_says(&t, t.out, "cache.leaky: 7 of 14 checks passed\n");
    g_auto(Tool) other =
        tool_run("conformance", "--seed", "3", "-m", tool_module("own_cache"), NULL);
    tool_says(&other, other.out, "cache.direct: 14 of 14 checks passed\n");
    g_assert_cmpstr(other.out, !=, t.out); /* it is caught at another time */
}

/* Whoever stands in between is used as what it stands for, and is found when it does not pass on what it should. */
static void test_between(void)
{
    g_auto(Tool) t = tool_run("conformance", "-m", tool_module("between"), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.out, "few: 14 of 14 checks passed\n");
    tool_says(&t, t.out,
              "place() places 0 CTAs on the SM behind it; expected the one it was given");
    tool_says(&t, t.out, "few.silent: promises: port ctas, cycle ");
    tool_says(&t, t.out,
              "a CTA of the SM behind it is complete and the `dispatch` caller is not woken in");
    tool_says(&t, t.out, "ahead: 14 of 14 checks passed\n");
    tool_says(&t, t.out, "ahead.hands_out: promises: port user, cycle ");
    tool_says(&t, t.out, "ahead.stands_still: promises: port user, cycle ");
    tool_says(&t, t.out, "the step of the cache behind it has no turn, and is due; expected");
    tool_says(&t, t.out, "ahead.releases_twice: promises: the run failed: dut: its transaction ");
}

/* What another process would do otherwise. */
static void test_elsewhere(void)
{
    g_auto(Tool) t = tool_run("conformance", "-m", tool_module("elsewhere"), NULL);
    tool_status(&t, 1);
    static const char *const of[] = {"pid", "env", "code"};
    /* under `setarch -R`, which the thread sanitizer needs, code is in the same place in both processes */
    bool random = (personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0;
    for (size_t i = 0; i < G_N_ELEMENTS(of) - !random; i++) {
        g_autofree char *says =
            g_strdup_printf("elsewhere.%s: same-seed: two processes differ, first '", of[i]);
        tool_says(&t, t.out, says);
    }
}

/* The other processes need no folder for what they say. */
static void test_no_temporary_folder(void)
{
    g_autofree char *before = g_strdup(g_getenv("TMPDIR"));
    g_setenv("TMPDIR", "/nonexistent", true);
    g_auto(Tool) t = tool_run("conformance", "delay", NULL);
    before != NULL ? (void)g_setenv("TMPDIR", before, true) : g_unsetenv("TMPDIR");
    tool_status(&t, 0);
    tool_says(&t, t.out, "delay: 14 of 14 checks passed\n");
}

static void test_refuses(void)
{
    g_auto(Tool) nothing = tool_run("conformance", NULL);
    tool_refuses(&nothing, "there is nothing to check; expected a TYPE, or -m MODULE");
    g_auto(Tool) unknown = tool_run("conformance", "scheduler.gtp", NULL);
    tool_refuses(&unknown, "did you mean 'scheduler.gto'?");
    g_auto(Tool) channel = tool_run("conformance", "fifo", NULL);
    tool_refuses(&channel, "'fifo' is a channel; expected a type of component");
}

void add_conformance_tests(void)
{
    g_test_add_func("/cli/conformance/passes", test_passes);
    g_test_add_func("/cli/conformance/fails", test_fails);
    g_test_add_func("/cli/conformance/state", test_state);
    g_test_add_func("/cli/conformance/module", test_module);
    g_test_add_func("/cli/conformance/own-cache", test_own_cache);
    g_test_add_func("/cli/conformance/between", test_between);
    g_test_add_func("/cli/conformance/elsewhere", test_elsewhere);
    g_test_add_func("/cli/conformance/no-temporary-folder", test_no_temporary_folder);
    g_test_add_func("/cli/conformance/refuses", test_refuses);
    g_test_add_func("/cli/conformance/does_not_start", test_does_not_start);
    g_test_add_func("/cli/conformance/does_not_start_again", test_does_not_start_again);
}
