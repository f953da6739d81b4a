/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlocks and livelocks put into machines on purpose, run as a user runs them: the report must
 * name, line by line, who waits for whom, down to the component that never frees its register, and
 * what there is of results must be marked partial.
 */
#include <stdlib.h>
#include <string.h>
#include <tests/support/tool.h>

#define GPU                                                                                        \
    "import \"gpu.plat\";\n"                                                                       \
    "machine m extends gpu_machine { gpu.cluster.sm : bad_sm; }\n"
#define PIPELINE(parts) "machine m { domain main = 1GHz; phases { main : main; }\n" parts "}\n"

static const char *platform(const char *name, const char *text)
{
    g_autofree char *file = g_strconcat(name, ".plat", NULL);
    const char *path = tool_path(file);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* The lines of the report, each a part of its line, in this order and without others between. */
static void says_lines(const Tool *t, const char *const *lines)
{
    g_auto(GStrv) all = g_strsplit(t->err, "\n", -1);
    guint at = 0;
    while (all[at] != NULL && strstr(all[at], lines[0]) == NULL) {
        at++;
    }
    for (; *lines != NULL; lines++, at++) {
        if (all[at] == NULL || strstr(all[at], *lines) == NULL) {
            g_error("expected '%s'\nnot '%s'\nin:\n%s", *lines,
                    all[at] != NULL ? all[at] : "the end", t->err);
        }
    }
}
#define SAYS(tool, ...) says_lines(tool, (const char *const[]){__VA_ARGS__, NULL})

/* Status, partial results on stdout and in the file. */
static void is_partial(const Tool *t, const char *results, const char *status)
{
    g_autofree char *shown = g_strdup_printf("(partial: %s)", status);
    g_autofree char *kept = g_strdup_printf("\"status\": \"%s\"", status);
    g_autofree char *text = tool_read(results);
    tool_status(t, 1);
    tool_says(t, t->out, shown);
    tool_says(t, t->out, "not finished");
    g_assert_nonnull(strstr(text, kept));
    g_assert_nonnull(strstr(text, "\"partial\": true"));
}

#define SM0 "gpu.cluster[0].sm[0]"
#define CHAIN                                                                                      \
    "gpu.kernels (kernel_queue) waits for " SM0                                                    \
    ".ctas (cta_slots): kernel 'kernel_1': 4 of its CTAs are on SMs",                              \
        SM0 ".ctas (cta_slots) waits for " SM0 ".pool (warp_pool): the CTA in slot 0",             \
        SM0 ".pool (warp_pool) waits for " SM0                                                     \
            ".issue[0] (warp_scheduler): warp 0 waits for the issue of STG",                       \
        SM0 ".issue[0] (warp_scheduler) waits for " SM0                                            \
            ".score (scoreboard): warp 0: STG.E.SYS (pc 20) needs"

/* Scheduler, scoreboard, the register in front of the unit, the unit. */
static void test_deadlock(void)
{
    const char *p = platform("deadlock", GPU "composite bad_sm extends sm { sp[*] : fault.fu; }");
    const char *results = tool_path("deadlock.json");
    g_auto(Tool) t =
        tool_run("run", "-p", p, "-o", results, "--progress=none", tool_trace(1), NULL);
    is_partial(&t, results, "hang");
    SAYS(&t, "warpwright: hang in cycle ", "who waits for whom, round to the knot:", CHAIN,
         SM0 ".score (scoreboard) waits for " SM0
             ".oc_ex_sp (register_set): warp 0: the write to R5 is pending; it "
             "holds FFMA pc=10 warp=0",
         SM0 ".oc_ex_sp (register_set) waits for " SM0
             ".sp[0] (fault.fu): register 0 holds FFMA pc=10 warp=0",
         "[knot] " SM0 ".sp[0] (fault.fu) waits for " SM0
         ".sp[0] (fault.fu): keeps FFMA of warp 1 in its dispatch "
         "register and never frees it");
}

/* The same unit, busy for ever: nothing sleeps, and nothing completes. */
static void test_livelock(void)
{
    const char *p = platform("livelock", GPU
                             "composite bad_sm extends sm { sp[*] : fault.fu { spin = true; } }");
    const char *results = tool_path("livelock.json");
    g_auto(Tool) t = tool_run("run", "-p", p, "-o", results, "--hang-limit=2000", "--progress=none",
                              tool_trace(1), NULL);
    is_partial(&t, results, "stuck");
    SAYS(&t, "warpwright: stuck in cycle ", "who waits for whom, round to the knot:", CHAIN);
    tool_says(&t, t.err, "no instruction completed in 2000 cycles");
    tool_says(&t, t.err,
              "[knot] " SM0 ".sp[0] (fault.fu) waits for " SM0 ".sp[0] (fault.fu): keeps FFMA");
}

/* CTAs that no SM has room for: what they lack is said. */
static void test_no_room(void)
{
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--sms", "2", "-s", "ctas.registers=64", "-s",
                 "ctas.ignore_resource_limits=true", "-s", "ctas.concurrent=true", "-s",
                 "gpu.concurrent_kernels=true", "--progress=none", tool_trace(1), NULL);
    tool_status(&t, 1);
    SAYS(&t, "gpu.dispatcher (cta_dispatcher) waits for gpu.cluster[0].offer (cluster)",
         "waits for gpu.cluster[0].sm[0].ctas (cta_slots): SM 0 is empty and takes no CTA");
    tool_says(&t, t.err,
              "note: gpu.cluster[0].sm[0].ctas: the next CTA of kernel 'kernel_1' needs 1024 "
              "registers; 64 of 64 are free");
}

/* Every component awake in every cycle: the same report, by the other way. */
static void test_no_sleep(void)
{
    const char *p = platform("awake", GPU "composite bad_sm extends sm { sp[*] : fault.fu; }");
    g_auto(Tool) t = tool_run("run", "-p", p, "--no-sleep", "--hang-limit=2000", "--progress=none",
                              tool_trace(1), NULL);
    tool_status(&t, 1);
    SAYS(&t, "who waits for whom, round to the knot:", CHAIN);
    tool_says(&t, t.err, "[knot] " SM0 ".sp[0] (fault.fu)");
}

/* One bad unit among good ones is the one that is named. */
static void test_one_of_several(void)
{
    const char *p =
        platform("one", GPU "composite bad_sm extends sm {\n"
                            "  sp_units = 4; schedulers = 4; sub_core_model = true;\n"
                            "  id_oc_sp.width = 4; id_oc_mem.width = 4; id_oc_sfu.width = 4;\n"
                            "  oc_ex_sp.width = 4; oc_ex_mem.width = 4; oc_ex_sfu.width = 4;\n"
                            "  sfu_units = 4; result_buses = 8;\n"
                            "  sp[1] : fault.fu { private = true; } }");
    g_auto(Tool) t =
        tool_run("run", "-p", p, "--progress=none", "-s", "collector.sp_units=4", "-s",
                 "collector.sfu_units=4", "-s", "collector.mem_units=4", tool_trace(1), NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err,
              "score (scoreboard) waits for " SM0
              ".sp[1] (fault.fu): warp 1: the write to R5 is pending; it "
              "holds FFMA");
    tool_says(&t, t.err, "[knot] " SM0 ".sp[1] (fault.fu)");
}

/* A load that memory does not answer. */
static void test_memory(void)
{
    g_autofree char *module = g_build_filename(g_getenv("WW_BUILD_DIR"), "tests", "system", "cli",
                                               "modules", "hole.so", NULL);
    g_auto(Tool) t =
        tool_run("run", "-m", module, "-s", "gpu.ideal_memory=true", "-s", "sm.has_l1d=false", "-s",
                 "cluster.memory=memory.hole", "--progress=none", tool_trace(1), NULL);
    tool_status(&t, 1);
    SAYS(&t, "who waits for whom:", "gpu.kernels (kernel_queue) waits for " SM0 ".ctas (cta_slots)",
         SM0 ".ctas (cta_slots) waits for " SM0 ".pool",
         SM0 ".pool (warp_pool) waits for " SM0 ".issue[0]",
         SM0 ".issue[0] (warp_scheduler) waits for " SM0
             ".score (scoreboard): warp 0: FFMA (pc 10) needs",
         SM0 ".score (scoreboard) waits for " SM0
             ".ldst (ldst_unit): warp 0: the write to R4 (of a load) is pending",
         SM0 ".ldst (ldst_unit) waits for gpu.cluster[0].memory_request[0] (fifo): ",
         "gpu.cluster[0].memory_request[0] (fifo) waits for gpu.cluster[0].memory[0] (memory.hole)",
         "gpu.cluster[0].memory[0] (memory.hole) waits for nobody: the cause is there");
}

/* ---- policies ---------------------------------------------------------------------------------- */

/* A policy that orders no warp, by mistake or because its limit is 0: not the issue register. */
static void test_policy(void)
{
    static const struct {
        const char *text, *type;
    } cases[] = {
        {GPU "composite bad_sm extends sm { issue[*] { policy : scheduler.none; } }",
         "scheduler.none"},
        {GPU "composite bad_sm extends sm { issue[*] { policy : scheduler.swl { limit = 0; } } }",
         "scheduler.swl"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Tool) t =
            tool_run("run", "-m", tool_module("stations"), "-p", platform("policy", cases[i].text),
                     "--progress=none", tool_trace(1), NULL);
        g_autofree char *line = g_strdup_printf(SM0 ".issue[0] (warp_scheduler) waits for " SM0
                                                    ".issue[0].policy (%s): warp ",
                                                cases[i].type);
        g_autofree char *end = g_strdup_printf(
            SM0 ".issue[0].policy (%s) waits for nobody: the cause is there", cases[i].type);
        tool_status(&t, 1);
        tool_says(&t, t.err, line);
        tool_says(&t, t.err, "needs its policy, which does not order it");
        tool_says(&t, t.err, end);
    }
}

/* A policy that names what does not exist ends the run at once, with status 2. */
static void test_wild_policy(void)
{
    static const struct {
        const char *type, *says;
    } cases[] = {
        {"scheduler.wild", "orders warp 200 for " SM0 ".issue[0]; expected a number from 0 to "},
        {"scheduler.many", "orders this many warps: 65 for " SM0 ".issue[0]; expected a number"},
        {"scheduler.guest", "invites warp 999 for " SM0 ".issue[0]; expected a number from 0 to "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *setting = g_strdup_printf("sm.scheduler=%s", cases[i].type);
        g_autofree char *says = g_strdup_printf("warpwright: " SM0 ".issue[0].policy (%s) %s",
                                                cases[i].type, cases[i].says);
        g_auto(Tool) t = tool_run("run", "-m", tool_module("stations"), "-p", "gpu", "-s", setting,
                                  "--progress=none", "--report=none", tool_trace(1), NULL);
        tool_refuses(&t, says);
    }
}

/* ---- the way of a request ---------------------------------------------------------------------- */

#define CLUSTER(type)                                                                              \
    "import \"gpu.plat\";\ncomposite bad extends sm_cluster { intake[*] : " type "; }\n"           \
    "machine m extends gpu_machine { gpu.cluster : bad; }\n"
#define NETWORK(type)                                                                              \
    "import \"gpu.plat\";\nmachine m extends gpu_machine { gpu.interconnect = " type "; }\n"
#define DRAM(type)                                                                                 \
    "import \"gpu.plat\";\ncomposite bad extends memory_partition { dram : " type "; }\n"          \
    "machine m extends gpu_machine { gpu.channel : bad; }\n"
#define SLICE(type)                                                                                \
    "import \"gpu.plat\";\n"                                                                       \
    "composite bad extends memory_partition { slice[*] : " type "; has_l2 = false; }\n"            \
    "machine m extends gpu_machine { gpu.channel : bad; }\n"

/*
 * Each station of memory, once silent (it forgets what it takes) and once stuck (it takes nothing):
 * the chain ends at it, and nowhere else.
 */
static void test_stations(void)
{
    static const char *const texts[][2] = {
        {NETWORK("\"net.eats\""), "gpu.network[0] (net.eats)"},
        {NETWORK("\"net.stuck\""), "gpu.network[0] (net.stuck)"},
        {SLICE("slice.eats"), "].slice[0] (slice.eats)"},
        {SLICE("slice.stuck"), "].slice[0] (slice.stuck)"},
        {DRAM("dram.eats"), "].dram (dram.eats)"},
        {DRAM("dram.stuck"), "].dram (dram.stuck)"},
        {CLUSTER("intake.eats"), "gpu.cluster[0].intake[0] (intake.eats)"},
        {CLUSTER("intake.stuck"), "gpu.cluster[0].intake[0] (intake.stuck)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *end =
            g_strdup_printf("%s waits for nobody: the cause is there", texts[i][1]);
        g_auto(Tool) t =
            tool_run("run", "-m", tool_module("stations"), "-p", platform("station", texts[i][0]),
                     "--progress=none", "--hang-limit=3000", tool_trace(1), NULL);
        tool_status(&t, 1);
        tool_says(&t, t.err, SM0 ".ldst (ldst_unit) waits for ");
        tool_says(&t, t.err, "memory requests have not come back, the oldest of warp");
        tool_says(&t, t.err, end);
    }
}

/* Of many channels the one is named that has the request, by the cache that sent it there. */
static void test_right_channel(void)
{
    const char *p = platform("channel", DRAM("dram.eats"));
    g_auto(Tool) t = tool_run("run", "-m", tool_module("stations"), "-p", p, "--progress=none",
                              "--hang-limit=3000", tool_trace(1), NULL);
    g_autofree char *kept = g_strdup(strstr(t.err, ".ldst (ldst_unit) waits for gpu.channel["));
    g_assert_nonnull(kept);
    g_auto(Tool) events = tool_run("run", "-m", tool_module("stations"), "-p", p, "--progress=none",
                                   "--hang-limit=3000", "--events", tool_path("events.tsv"),
                                   "--events-filter=path=*to_dram*", tool_trace(1), NULL);
    tool_status(&events, 1);
    g_autofree char *log = tool_read(tool_path("events.tsv"));
    int channel = atoi(strchr(kept, '[') + 1);
    g_autofree char *taken = g_strdup_printf("gpu.channel[%d].to_dram[0]", channel);
    g_assert_nonnull(strstr(log, taken));
}

/* An instruction that nobody has any more, and nobody speaks of. */
static void test_lost(void)
{
    const char *p = platform("lost", GPU "composite bad_sm extends sm { sp[*] : fu.lossy; }");
    g_auto(Tool) t = tool_run("run", "-m", tool_module("lossy"), "-p", p, "--progress=none",
                              tool_trace(1), NULL);
    tool_status(&t, 1);
    SAYS(&t, "who waits for whom:", CHAIN,
         SM0 ".score (scoreboard) waits for something that nobody says to hold: warp 0: the write "
             "to R5 is pending");
}

/* ---- without any GPU ---------------------------------------------------------------------- */

static void test_pipeline(void)
{
    const char *p =
        platform("pipeline",
                 PIPELINE("s : source { count = 100; } k : fault.keeps { every = 5; } e : sink;\n"
                          "d : delay; q : fifo { depth = 2; } r : fifo { depth = 2; }\n"
                          "s.out -> q -> d.in; d.out -> r -> k.in; k.out -> e.in;\n"));
    g_auto(Tool) t = tool_run("run", "-p", p, "--progress=none", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err, "warpwright: hang in cycle ");
    tool_says(
        &t, t.err,
        "d (delay) waits for r (fifo): 1 token waits for room\n"
        "  r (fifo) waits for k (fault.keeps): holds 2 of 2 tokens until they are taken\n"
        "  [knot] k (fault.keeps) waits for k (fault.keeps): keeps 5 numbers and frees none\n");
    tool_says(&t, t.out, ": hang, ");
}

static void test_pipeline_spins(void)
{
    const char *p =
        platform("spins", PIPELINE("s : source { count = 100; } k : fault.spins; e : sink;\n"
                                   "q : fifo { depth = 2; } s.out -> q -> k.in; k.out -> e.in;\n"));
    g_auto(Tool) t = tool_run("run", "-p", p, "--hang-limit=500", "--progress=none", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err, "warpwright: stuck in cycle ");
    tool_says(&t, t.err,
              "q (fifo) waits for k (fault.spins): holds 2 of 2 tokens until they are taken\n"
              "  [knot] k (fault.spins) waits for k (fault.spins): runs in every cycle and does "
              "nothing\n");
}

/* A fifo without a bound has no number of places to tell. */
static void test_unbounded(void)
{
    const char *p =
        platform("unbounded", PIPELINE("s : source { count = 3; } k : fault.spins; e : sink;\n"
                                       "q : fifo { depth = 0; } s.out -> q -> k.in;\n"
                                       "k.out -> e.in;\n"));
    g_auto(Tool) t = tool_run("run", "-p", p, "--hang-limit=500", "--progress=none", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err,
              "also q (fifo) waits for k (fault.spins): holds 2 tokens until they are taken\n");
}

/* Two parts that wait for each other's room: the knot has two ends, and both are told. */
static void test_ring(void)
{
    const char *p = platform(
        "ring",
        PIPELINE("s : source { count = 100; } a : delay; b : delay;\n"
                 "q : fifo { depth = 2; latency = 1; } r : fifo { depth = 2; latency = 1; }\n"
                 "s.out -> q; b.out -> q; q -> a.in; a.out -> r -> b.in;\n"));
    g_auto(Tool) t = tool_run("run", "-p", p, "--hang-limit=500", "--progress=none", NULL);
    tool_status(&t, 1);
    tool_says(&t, t.err, "round to the knot:");
    tool_says(&t, t.err, "a (delay) waits for r (fifo)");
    tool_says(&t, t.err, "r (fifo) waits for b (delay)");
    tool_says(&t, t.err, "b (delay) waits for q (fifo)");
    tool_says(&t, t.err, "q (fifo) waits for a (delay)");
}

/* A channel at the end of the way is empty: who does not go on, or who brings nothing, is the cause. */
static void test_empty_channel(void)
{
    static const char *const types[][2] = {
        {"forgets",
         "r (fifo) is empty: k (forgets) has room there and does not go on: the cause is there"},
        {"starves", "q (fifo) is empty: the cause is with who fills it, s (source)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        g_autofree char *text = g_strdup_printf(
            PIPELINE("s : source { count = 2; } k : %s; e : sink;\n"
                     "q : fifo; r : fifo; s.out -> q -> k.in; k.out -> r -> e.in;\n"),
            types[i][0]);
        g_auto(Tool) t = tool_run("run", "-m", tool_module("forgets"), "-p",
                                  platform(types[i][0], text), "--progress=none", NULL);
        tool_status(&t, 1);
        tool_says(&t, t.err, types[i][1]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hang/deadlock", test_deadlock);
    g_test_add_func("/hang/livelock", test_livelock);
    g_test_add_func("/hang/empty-channel", test_empty_channel);
    g_test_add_func("/hang/no-room", test_no_room);
    g_test_add_func("/hang/no-sleep", test_no_sleep);
    g_test_add_func("/hang/one-of-several", test_one_of_several);
    g_test_add_func("/hang/memory", test_memory);
    g_test_add_func("/hang/policy", test_policy);
    g_test_add_func("/hang/wild-policy", test_wild_policy);
    g_test_add_func("/hang/stations", test_stations);
    g_test_add_func("/hang/right-channel", test_right_channel);
    g_test_add_func("/hang/lost", test_lost);
    g_test_add_func("/hang/pipeline", test_pipeline);
    g_test_add_func("/hang/pipeline-spins", test_pipeline_spins);
    g_test_add_func("/hang/unbounded", test_unbounded);
    g_test_add_func("/hang/ring", test_ring);
    return tool_test_run();
}
