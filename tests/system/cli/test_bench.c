/* SPDX-License-Identifier: Apache-2.0 */
/* One component alone: scripts, random traffic, and what is refused. */
#include "tests.h"

#include <string.h>

static const char *script(const char *text)
{
    const char *path = tool_path("one.bench");
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* The template's stage: times, back-pressure, sleep and statistics. */
static void test_script(void)
{
    const char *path = script("channel in depth=8\n"
                              "hold out\n"
                              "put in 42   # worked on in cycles 0 to 4\n"
                              "put in 0x2b\n"
                              "step 20\n"
                              "asleep\n"
                              "stat waited 10\n"
                              "open out\n"
                              "expect out 42 at 5\n"
                              "expect out 43 at 20\n"
                              "expect out nothing\n"
                              "reset\n"
                              "stat waited 0\n"
                              "put in 1\n"
                              "expect out 1 at 5\n");
    g_auto(Tool) t = tool_run("bench", "template.stage", "-s", "work=5", path, NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "\n      5  out           42\n     20  out           43\n");
    tool_says(&t, t.err, "activations (");
    g_auto(Tool) awake =
        tool_run("bench", "template.stage", "-s", "work=5", "--no-sleep", path, NULL);
    tool_status(&awake, 0);
    g_assert_cmpstr(awake.out, ==, t.out);
}

/* Tokens with fields, needs filled with fakes, names; and a need filled with a real component. */
static void test_tokens(void)
{
    static const char inst[] = "token a in op=sp dst=5 src0=1 latency=4 interval=2 uid=1\n"
                               "put in a slot=0\n"
                               "put in random slot=1\n"
                               "expect out a at 5\n"
                               "stat issued 2\n";
    g_auto(Tool) fake = tool_run("bench", "fu.pipelined", script(inst), NULL);
    tool_status(&fake, 0);
    tool_says(&fake, fake.out, "  5  out           a: SP pc=0 warp=0 uid=1\n");
    g_autofree char *real = g_strconcat("fill bus result_bus\n", inst, NULL);
    g_auto(Tool) filled = tool_run("bench", "fu.pipelined", script(real), NULL);
    tool_status(&filled, 0);
    g_auto(Tool) mem = tool_run("bench", "memory.ideal",
                                script("put req addr=0x1040 size=32 warp=3\n"
                                       "expect resp \"response addr=1040 size=32 sm=0 warp=3\"\n"),
                                NULL);
    tool_status(&mem, 0);
}

/* The same seed is the same traffic, sleeping or not. */
static void test_random(void)
{
    g_auto(Tool) a = tool_run("bench", "template.stage", "-s", "work=3", "--all", NULL);
    g_auto(Tool) b =
        tool_run("bench", "template.stage", "-s", "work=3", "--all", "--no-sleep", NULL);
    g_auto(Tool) c =
        tool_run("bench", "template.stage", "-s", "work=3", "--all", "--seed", "2", NULL);
    tool_status(&a, 0);
    tool_status(&b, 0);
    tool_status(&c, 0);
    tool_says(&a, a.out, "\n  waited ");
    g_assert_cmpstr(a.out, ==, b.out);
    g_assert_cmpstr(a.out, !=, c.out);
    g_auto(Tool) short_one = tool_run("bench", "delay", "--cycles", "100", NULL);
    tool_says(&short_one, short_one.out, "more (--all)");
    g_auto(Tool) module =
        tool_run("bench", "-m", tool_module("hole"), "memory.hole", "--cycles", "10", NULL);
    tool_status(&module, 0);
    /* Nobody calls what only answers, which is said. */
    g_auto(Tool) passive = tool_run("bench", "scheduler.gto", NULL);
    tool_status(&passive, 0);
    tool_says(&passive, passive.err, "note: nobody called scheduler.gto");
    tool_says(&passive, passive.err, "'fill policy scheduler.gto'");
    g_assert_null(strstr(module.err, "nobody called"));
}

/* Status 1 and a line that says what came instead, and where it was expected. */
static void test_differs(void)
{
    static const struct {
        const char *script, *says;
    } cases[] = {
        {"put in 42\n\nexpect out 42 at 4\n",
         "one.bench:3: port out: expected 42 at cycle 4, got nothing up to cycle 4"},
        {"put in 42\nexpect out 42 at 6\n",
         "one.bench:2: port out: expected 42 at cycle 6, got 42 at cycle 5"},
        {"put in 42\nexpect out 43\n", "one.bench:2: port out: expected 43, got 42 at cycle 5"},
        {"put in 42\nstep 6\nexpect out nothing\n",
         "one.bench:3: port out: expected nothing, got 42 in cycle 5"},
        {"stat waited 3\n", "one.bench:1: waited: expected 3 cycles, got 0"},
        {"put in 1\nasleep\n",
         "one.bench:2: expected the component asleep in cycle 0, it is awake"},
        {"put in 1\nput in 2\n", "one.bench:2: port in has no room in cycle 0"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Tool) t =
            tool_run("bench", "template.stage", "-s", "work=5", script(cases[i].script), NULL);
        tool_status(&t, 1);
        tool_says(&t, t.err, cases[i].says);
    }
    g_auto(Tool) breaks = tool_run("bench", "fault.overfills", NULL);
    tool_status(&breaks, 1);
    tool_says(&breaks, breaks.err, "expected a writer that asks for room");
}

static void test_refusals(void)
{
    static const struct {
        const char *script, *says;
    } cases[] = {
        {"exepct out 3\n", "one.bench:1: unknown command 'exepct', did you mean 'expect'?"},
        {"# nothing\n\nput inn 3\n",
         "one.bench:3: template.stage has no such port 'inn'; expected in"},
        {"put out 3\n", "one.bench:1: template.stage has no such port 'out'; expected in"},
        {"put in hello\n",
         "one.bench:1: 'hello' is no token; expected a number, 'random', or the name of a token"},
        {"channel in depht=3\n",
         "one.bench:1: fifo has no parameter 'depht', did you mean 'depth'?"},
        {"step\nchannel in depth=3\n", "one.bench:2: 'channel' after the component was started"},
        {"fill in fifo\n", "one.bench:1: template.stage has no such port 'in'; expected none"},
        {"stat wait 1\n", "one.bench:1: template.stage has no statistic 'wait'"},
        {"stat waited[2] 1\n", "one.bench:1: statistic 'waited' has no entry '2'"},
        {"put in \"3\n", "one.bench:1: cannot part the line into words"},
        {"step many\n", "one.bench:1: number 'many' is not a whole number"},
        {"hold\n", "one.bench:1: 1 words; expected 'hold PORT'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Tool) t = tool_run("bench", "template.stage", script(cases[i].script), NULL);
        tool_refuses(&t, cases[i].says);
    }
    g_auto(Tool) type = tool_run("bench", "template.stag", NULL);
    tool_refuses(&type, "did you mean 'template.stage'?");
    g_auto(Tool) channel = tool_run("bench", "fifo", NULL);
    tool_refuses(&channel, "'fifo' is a channel");
    g_auto(Tool) param = tool_run("bench", "template.stage", "-s", "work=3000", NULL);
    tool_refuses(&param, "expected 1 to 1000 cycles");
    g_auto(Tool) file = tool_run("bench", "template.stage", tool_path("none.bench"), NULL);
    tool_refuses(&file,
                 "none.bench: cannot be read (No such file or directory); expected a script");
    g_auto(Tool) none = tool_run("bench", NULL);
    tool_refuses(&none, "expected TYPE and at most one SCRIPT");
    g_auto(Tool) wrong_fill =
        tool_run("bench", "fu.pipelined", script("fill bus warp_pool\n"), NULL);
    tool_refuses(&wrong_fill, "warp_pool does not offer 'result_bus'");
    g_auto(Tool) twice = tool_run("bench", "fu.pipelined",
                                  script("fill bus result_bus\nfill bus result_bus\n"), NULL);
    tool_refuses(&twice, "one.bench:2: port bus: 1 of bus are filled; expected the next one, once");
    g_auto(Tool) op = tool_run("bench", "fu.pipelined", script("put in op=foo\n"), NULL);
    tool_refuses(&op, "one.bench:1: 'op=foo'; expected 0 to 21 or ALU, INT, SP,");
    g_auto(Tool) range = tool_run("bench", "fu.pipelined", script("put in dst=255\n"), NULL);
    tool_refuses(&range, "one.bench:1: 'dst=255'; expected 0 to 254");
    g_auto(Tool) field = tool_run("bench", "fu.pipelined", script("put in dest=5\n"), NULL);
    tool_refuses(&field, "'dest=5' is no field of this token; expected op, dst, src0");
    g_auto(Tool) line = tool_run("bench", "memory.ideal", script("put req addr=0x7c\n"), NULL);
    tool_refuses(&line, "32 bytes at 0x7c; expected 1 to 128 bytes within a line of 128");
    g_auto(Tool) help = tool_run("bench", "--help", NULL);
    tool_says(&help, help.out, "expect PORT TOKEN [at CYCLE]");
}

void add_bench_tests(void)
{
    g_test_add_func("/cli/bench/script", test_script);
    g_test_add_func("/cli/bench/tokens", test_tokens);
    g_test_add_func("/cli/bench/random", test_random);
    g_test_add_func("/cli/bench/differs", test_differs);
    g_test_add_func("/cli/bench/refusals", test_refusals);
}
