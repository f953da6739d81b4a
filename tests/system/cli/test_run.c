/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that come to their end: reports, files, and that nothing but what should matter does. */
#include "tests.h"

#include <string.h>

static void test_summary(void)
{
    g_auto(Tool) t = tool_run("run", "-c", "qv100", tool_trace(2), NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "    1  kernel_1");
    tool_says(&t, t.out, "    2  kernel_2");
    tool_says(&t, t.out, "issue slots");
    tool_says(&t, t.out, "data from memory");
    tool_says(&t, t.err, "host: "); /* what differs from run to run is not in the report */
    g_assert_null(strstr(t.out, "host"));
}

/* The shares of the issue slots add up to the number in the heading. */
static void test_slots_add_up(void)
{
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--progress=none", tool_trace(2), NULL);
    g_assert_cmpstr(t.err, ==, "");
    char *section = strstr(t.out, "\nissue slots (");
    g_assert_nonnull(section);
    section++;
    *strstr(section, "\n\n") = '\0';
    g_auto(GStrv) lines = g_strsplit(section, "\n", -1);
    guint64 sum = 0, all = 0;
    for (char **l = lines; *l != NULL; l++) {
        g_auto(GStrv) plain = g_strsplit(*l, ",", -1);
        g_autofree char *text = g_strjoinv("", plain);
        if (l == lines) {
            all = g_ascii_strtoull(strrchr(text, ':') + 2, NULL, 10);
        } else {
            sum += g_ascii_strtoull(text + 40, NULL, 10);
        }
    }
    g_assert_cmpuint(all, >, 0);
    g_assert_cmpuint(sum, ==, all);
}

/* The table of units goes by two statistics: who lacks one has no line (docs/components.md). */
static void test_units(void)
{
    static const char text[] = "import \"gpu.plat\";\nmachine units extends gpu_machine {\n"
                               "    told : unit.told; untold : unit.untold; }\n";
    const char *plat = tool_path("units.plat");
    g_assert_true(g_file_set_contents(plat, text, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "-m", tool_module("units"), "-p", plat,
                              "--progress=none", tool_trace(1), NULL);
    tool_status(&t, 0);
    const char *units = strstr(t.out, "\nunits "),
               *told = units ? strstr(units, "\n    told (") : 0;
    g_assert_nonnull(told);
    g_auto(GStrv) line = g_strsplit(told + 1, "\n", 2);
    tool_says(&t, line[0], " 1,234 ");
    const char *module = strstr(t.out, "\nmodule units\n");
    g_assert_nonnull(module);
    const char *untold = strstr(t.out, "untold");
    g_assert_true(untold == NULL || untold > module); /* not among the units */
}

/* Statistics of a module's types are sums over all of the type; other runs have no such section. */
static void test_own_statistics(void)
{
    static const char text[] = "import \"gpu.plat\";\nmachine units extends gpu_machine {\n"
                               "    told[3] : unit.told; other : unit.told; }\n";
    const char *plat = tool_path("own.plat");
    g_assert_true(g_file_set_contents(plat, text, -1, NULL));
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "-m", tool_module("units"), "-p", plat,
                              "--progress=none", tool_trace(1), NULL);
    tool_status(&t, 0);
    const char *module = strstr(t.out, "\nmodule units\n");
    g_assert_nonnull(module);
    g_auto(GStrv) lines = g_strsplit(module + 1, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 4); /* the last is empty */
    g_assert_true(g_str_has_prefix(lines[1], "    unit.told.issued "));
    tool_says(&t, lines[1], " 4,936  instructions instructions accepted");
    g_assert_true(g_str_has_prefix(lines[2], "    unit.told.busy "));
    tool_says(&t, lines[2], " 20  cycles       cycles with one inside");
    g_assert_null(strstr(t.out, "untold"));
    g_auto(Tool) none = tool_run("run", "-c", "qv100", "--progress=none", tool_trace(1), NULL);
    g_assert_null(strstr(none.out, "module"));
}

static void test_accelsim(void)
{
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=accelsim", "--progress=none", tool_trace(2), NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "launching memcpy command : MemcpyHtoD,0x00007f1000000000,4096\n");
    tool_says(&t, t.out, "kernel_name = kernel_2 \nkernel_launch_uid = 2 \n");
    tool_says(&t, t.out, "gpu_tot_sim_insn = 1024\n"); /* 4 CTAs, 64 threads, 4 instructions */
    tool_says(&t, t.out, "gpu_tot_sim_insn = 2048\n");
    tool_says(&t, t.out, "ctas_completed 8, Shader 0");
    tool_says(&t, t.out, "gpgpu_n_load_insn  = 512\n");
    tool_says(&t, t.out, "gpgpu_n_mem_read_global = 32\n"); /* 4 sectors an SM */
    tool_says(&t, t.out, "W32:64\n");
    tool_says(&t, t.out, "GPGPU-Sim: *** exit detected ***\n");
    g_assert_null(strstr(t.out, "gpgpu_simulation_rate"));
    char *first = strstr(t.out, "kernel_launch_uid = 1"), *launch = strstr(t.out, "uid: 2");
    g_assert_true(first != NULL && launch != NULL &&
                  first < launch); /* a kernel is read when the one before has ended */
}

static double host_figure(const char *json, const char *name)
{
    g_autofree char *key = g_strdup_printf("\"%s\": ", name);
    const char *at = strstr(json, key);
    g_assert_nonnull(at);
    return g_ascii_strtod(at + strlen(key), NULL);
}

static void test_json(void)
{
    const char *one = tool_path("one.json"), *two = tool_path("two.json");
    g_auto(Tool) a = tool_run("run", "-c", "qv100", "--report=none", "-o", one, "--fingerprint",
                              tool_trace(2), NULL);
    tool_status(&a, 0);
    tool_says(&a, a.out, "fingerprint ");
    g_auto(Tool) b = tool_run("run", "-c", "qv100", "--report=none", "-o", two, "--fingerprint",
                              "--no-sleep", "-j", "auto", tool_trace(2), NULL);
    tool_status(&b, 0);
    g_autofree char *x = tool_read(one);
    g_autofree char *y = tool_read(two);
    g_assert_cmpstr(x, ==, y); /* the same bytes, asleep or not */
    g_assert_nonnull(strstr(x, "\"schema\": \"warpwright-results-1\""));
    g_assert_nonnull(strstr(x, "\"partial\": false"));
    g_assert_nonnull(strstr(x, "\"gpu.clusters\": 80"));
    g_assert_nonnull(strstr(x, "\"thread_instructions\": 1024"));
    g_assert_nonnull(strstr(x, "\"warp_pool.thread_insns\": 1024"));
    g_assert_nonnull(strstr(x, "\"warp_pool.thread_insns\": 2048"));
    g_assert_null(strstr(x, "\"host\""));
    g_auto(Tool) h =
        tool_run("run", "-c", "qv100", "--report=none", "-o", two, "--host", tool_trace(2), NULL);
    tool_status(&h, 0);
    g_autofree char *z = tool_read(two);
    g_assert_nonnull(strstr(z, "\"processor_seconds\""));
    double all = host_figure(z, "processor_seconds"), start = host_figure(z, "start_seconds");
    g_assert_true(start > 0 && start < all);
}

/* WARPWRIGHT_SEED: what is hashed lies at the same places, so that a checkpoint is the same bytes. */
static void test_seed(void)
{
    const char *const seeds[] = {"5", "5", "6"};
    char *text[3] = {NULL};
    gsize size[3];
    for (int i = 0; i < 3; i++) {
        const char *file = tool_path("seed");
        g_setenv("WARPWRIGHT_SEED", seeds[i], TRUE);
        g_auto(Tool) t = tool_run("run", "-c", "qv100", "-j", "1", "--report=none", "--checkpoint",
                                  file, "--checkpoint-at=500", tool_trace(1), NULL);
        tool_status(&t, 0);
        g_assert_true(g_file_get_contents(file, &text[i], &size[i], NULL));
    }
    g_assert_cmpmem(text[0], size[0], text[1], size[1]);
    g_assert_true(size[0] != size[2] || memcmp(text[0], text[2], size[0]) != 0);
    g_setenv("WARPWRIGHT_SEED", "six", TRUE);
    g_auto(Tool) t = tool_run("run", "-c", "qv100", tool_trace(1), NULL);
    g_unsetenv("WARPWRIGHT_SEED");
    tool_refuses(&t, "WARPWRIGHT_SEED 'six' is not a whole number");
    g_free(text[0]);
    g_free(text[1]);
    g_free(text[2]);
}

/*
 * Instructions come through a cache of each SM: the answers find it, with and without a network
 * that two SMs share. Each SM has two warps that wait for one line, and find it when they go on.
 */
static void test_instruction_cache(void)
{
    static const char *const configs[] = {"qv100", "qv100_ideal"};
    const char *one = tool_path("l1i.json"), *two = tool_path("l1i-no-sleep.json");
    for (guint i = 0; i < G_N_ELEMENTS(configs); i++) {
        g_auto(Tool) a =
            tool_run("run", "-c", configs[i], "--report=none", "-o", one, "-s", "gpu.clusters=2",
                     "-s", "cluster.sms=2", "-s", "sm.has_l1i=true", tool_trace(1), NULL);
        tool_status(&a, 0);
        g_auto(Tool) b = tool_run("run", "-c", configs[i], "--report=none", "-o", two, "-s",
                                  "gpu.clusters=2", "-s", "cluster.sms=2", "-s", "sm.has_l1i=true",
                                  "--no-sleep", tool_trace(1), NULL);
        tool_status(&b, 0);
        g_autofree char *x = tool_read(one);
        g_autofree char *y = tool_read(two);
        g_assert_cmpstr(x, ==, y);
        tool_says(&a, x, "\"INST_ACC_R.HIT\": 8");
        tool_says(&a, x, "\"INST_ACC_R.MISS\": 8");
        tool_says(&a, x, "\"INST_ACC_R.MSHR_HIT\": 4");
        tool_says(&a, x, "\"icache.l1i.strays\": 0");
    }
}

/* Kernels of a run are numbered as in the list, and each stands for itself. */
static void test_csv(void)
{
    const char *path = tool_path("results.csv");
    g_auto(Tool) t = tool_run("run", "-c", "qv100", "--report=none", "-o", path, "--kernels=2-3",
                              "--max-ctas=1", tool_trace(3), NULL);
    tool_status(&t, 0);
    g_autofree char *text = tool_read(path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 4);
    g_assert_true(g_str_has_prefix(
        lines[0],
        "kernel,uid,cycles,end_cycle,thread_instructions,warp_instructions,ctas,partial,"));
    g_assert_true(g_str_has_prefix(lines[1], "kernel_2,2,"));
    g_assert_true(g_str_has_prefix(lines[2], "kernel_3,3,"));
    g_auto(GStrv) head = g_strsplit(lines[0], ",", -1);
    g_auto(GStrv) row = g_strsplit(lines[2], ",", -1);
    g_assert_cmpuint(g_strv_length(head), ==, g_strv_length(row));
    g_assert_cmpstr(row[4], ==, "256");
    g_assert_cmpstr(row[6], ==, "1");
}

static void test_events(void)
{
    const char *path = tool_path("events");
    g_auto(Tool) t =
        tool_run("run", "-c", "qv100", "--report=none", "--events", path,
                 "--events-filter=sm=1,warp=0,kind=issue,writeback,to=20000", tool_trace(1), NULL);
    tool_status(&t, 0);
    g_autofree char *text = tool_read(path);
    g_assert_nonnull(strstr(text, "\tissue\tgpu.cluster[1].sm[0].issue[0]\t0\t"));
    g_assert_nonnull(strstr(text, "\twriteback\t"));
    g_assert_null(strstr(text, "cluster[0]"));
    g_assert_null(strstr(text, "\tfetch\t"));
    g_auto(Tool) sm = tool_run("run", "-c", "qv100", "--events", path, "--events-filter=sm=80",
                               tool_trace(1), NULL);
    tool_refuses(&sm, "there is no SM 80; the platform has 80");
    g_auto(Tool) key = tool_run("run", "-c", "qv100", "--events", path, "--events-filter=wrap=1",
                                tool_trace(1), NULL);
    tool_refuses(&key, "did you mean 'warp'?");
    g_auto(Tool) alone =
        tool_run("run", "-c", "qv100", "--events-filter=warp=1", tool_trace(1), NULL);
    tool_refuses(&alone, "has no effect without --events");
}

/* Precedence: config, then the reference's options, then -s. */
static void test_values(void)
{
    const char *options = tool_path("over.config");
    g_assert_true(g_file_set_contents(options, "-gpgpu_kernel_launch_latency 100\n", -1, NULL));
    g_auto(Tool) imported = tool_run("run", "-c", "qv100", "--gpgpusim", options,
                                     "--report=accelsim", "--max-cycles=90", tool_trace(1), NULL);
    tool_status(&imported, 1);
    tool_says(&imported, imported.out, "gpu_tot_issued_cta = 0\n");
    g_auto(Tool) set =
        tool_run("run", "-c", "qv100", "--gpgpusim", options, "-s", "gpu.kernels.launch_latency=10",
                 "--report=accelsim", "--max-cycles=90", tool_trace(1), NULL);
    tool_says(&set, set.out, "gpu_tot_issued_cta = 4\n");
}

/* N SMs alone over ideal memory; -s may still change what that means. */
static void test_sms(void)
{
    g_auto(Tool) one =
        tool_run("run", "-c", "qv100", "--sms", "1", "--report=accelsim", tool_trace(1), NULL);
    tool_status(&one, 0);
    g_auto(Tool) two = tool_run("run", "-c", "qv100", "--sms=2", tool_trace(1), NULL);
    tool_status(&two, 0);
    tool_says(&two, two.out, "requests to ideal memory");
    g_auto(Tool) tree = tool_run("inspect", "-c", "qv100", "--sms=2", "-s", "gpu.clusters=3", NULL);
    tool_says(&tree, tree.out, " memory.ideal ");
    tool_says(&tree, tree.out, "warp_scheduler        x 12");
    tool_says(&tree, tree.err,
              "warpwright: note: '-s gpu.clusters=3' replaces gpu.clusters = 2 of --sms 2\n");
    g_auto(Tool) same = tool_run("inspect", "-c", "qv100", "--sms=2", "-s", "gpu.clusters=2", NULL);
    g_assert_null(strstr(same.err, "replaces"));
    g_assert_null(strstr(tree.out, "dram.frfcfs"));
    g_auto(Tool) none = tool_run("run", "-c", "qv100", "--sms", "-1", tool_trace(1), NULL);
    tool_refuses(&none, "--sms '-1' is not a whole number");
    g_auto(Tool) help = tool_run("run", "--help", NULL);
    tool_says(&help, help.out, "--sms=N ");
}

/* --checkpoint alone makes none but on a signal, and says so. */
static void test_checkpoint_on_signal(void)
{
    static const char note[] = "note: --checkpoint without --checkpoint-every or --checkpoint-at: "
                               "one is made when SIGUSR2 comes, and only then\n";
    const char *file = tool_path("on-signal.ckpt");
    g_auto(Tool) alone = tool_run("run", "-c", "qv100", "--checkpoint", file, tool_trace(1), NULL);
    tool_status(&alone, 0);
    tool_says(&alone, alone.err, note);
    g_assert_false(g_file_test(file, G_FILE_TEST_EXISTS));
    g_auto(Tool) at = tool_run("run", "-c", "qv100", "--checkpoint", file, "--checkpoint-at=100",
                               tool_trace(1), NULL);
    tool_status(&at, 0);
    g_assert_null(strstr(at.err, note));
}

void add_run_tests(void)
{
    g_test_add_func("/cli/run/checkpoint-on-signal", test_checkpoint_on_signal);
    g_test_add_func("/cli/run/summary", test_summary);
    g_test_add_func("/cli/run/slots-add-up", test_slots_add_up);
    g_test_add_func("/cli/run/units", test_units);
    g_test_add_func("/cli/run/own-statistics", test_own_statistics);
    g_test_add_func("/cli/run/accelsim", test_accelsim);
    g_test_add_func("/cli/run/json", test_json);
    g_test_add_func("/cli/run/instruction-cache", test_instruction_cache);
    g_test_add_func("/cli/run/csv", test_csv);
    g_test_add_func("/cli/run/events", test_events);
    g_test_add_func("/cli/run/values", test_values);
    g_test_add_func("/cli/run/seed", test_seed);
    g_test_add_func("/cli/run/sms", test_sms);
}
