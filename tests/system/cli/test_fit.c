/* SPDX-License-Identifier: Apache-2.0 */
/* What is told before time starts: a config that was chosen, a machine for other traces, values that did not win. */
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>

static const char *write_file(const char *name, const char *text)
{
    const char *path = tool_path(name);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* One kernel whose header says another binary version. */
static const char *trace_of(const char *version)
{
    g_autofree char *name = g_strconcat("sm", version, ".traceg", NULL);
    g_autofree char *from = g_build_filename(tool_trace(1), "kernel-1.traceg", NULL);
    g_autofree char *text = tool_read(from);
    g_auto(GStrv) parts = g_strsplit(text, "binary version = 70", 2);
    g_autofree char *line = g_strconcat("binary version = ", version, NULL);
    g_autofree char *other = g_strjoinv(line, parts);
    return write_file(name, other);
}

/* Fails unless the notes are exactly these (the line about the host apart); "" is none. */
static void notes(const Tool *t, const char *expected)
{
    g_autoptr(GString) all = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(t->err, "\n", -1);
    for (char **l = lines; *l != NULL; l++) {
        if (g_str_has_prefix(*l, "warpwright: note: ")) {
            g_string_append_printf(all, "%s\n", *l + strlen("warpwright: note: "));
        }
    }
    g_assert_cmpstr(all->str, ==, expected);
}

#define RUN(...) tool_run("run", "--report=none", __VA_ARGS__, NULL)

static void test_misfit(void)
{
    g_auto(Tool) fits = RUN("-c", "qv100", tool_trace(1));
    tool_status(&fits, 0);
    notes(&fits, "");
    g_auto(Tool) other = RUN("-c", "rtx3070", tool_trace(1));
    tool_status(&other, 0); /* a note: it may be meant so */
    notes(&other, "this trace is sm_70; rtx3070 is sm_86: try -c qv100\n");
    g_auto(Tool) several = RUN("-c", "titanx", tool_trace(1));
    notes(&several,
          "this trace is sm_70; titanx is sm_60, sm_61: try -c qv100\n"
          "opcodes of Volta go to SPEC1 (branch), SPEC2 (texture), SPEC3 (tensor), which no "
          "SM of this machine has: the first of them ends the run\n");
    g_auto(Tool) nobody = RUN("-c", "rtx3070", trace_of("87"));
    notes(&nobody, "this trace is sm_87; rtx3070 is sm_86; no config is for sm_87\n");
    g_auto(Tool) any = RUN("-c", "minimal", tool_trace(1)); /* says nothing of traces */
    notes(&any, "");
}

/* What a config is for goes with `include`; the last line wins, and a config of one's own can say something else. */
static void test_misfit_is_data(void)
{
    const char *mine = write_file("mine.conf", "include \"qv100.conf\"\ngpu.clusters = 2\n");
    g_auto(Tool) fits = RUN("-c", mine, tool_trace(1));
    notes(&fits, "");
    const char *ampere = write_file("ampere.conf", "include \"qv100.conf\"\ntraces sm_80 sm_86\n");
    g_auto(Tool) other = RUN("-c", ampere, tool_trace(1));
    notes(&other, "this trace is sm_70; ampere is sm_80, sm_86: try -c qv100\n");
    const char *options = write_file("some.config", "-gpgpu_n_clusters 2\n");
    g_auto(Tool) with = RUN("-c", "qv100", "--gpgpusim", options, tool_trace(1));
    notes(&with, "");
}

/* Without -c the trace chooses, and the result says what it was. */
static void test_choice(void)
{
    const char *json = tool_path("chosen.json");
    g_auto(Tool) t = RUN("-o", json, tool_trace(1));
    tool_status(&t, 0);
    notes(&t, "no config was given: qv100 is taken, as the trace is sm_70 (so are gv100, titanv, "
              "v100 and "
              "volta; -c chooses)\n");
    g_autofree char *text = tool_read(json);
    g_assert_nonnull(strstr(text, "\"qv100\""));
    g_auto(Tool) one = RUN(trace_of("86"));
    tool_status(&one, 0);
    notes(&one, "no config was given: rtx3070 is taken, as the trace is sm_86 (so are "
                "rtx3080_modern, rtx3080_modern_paper and rtxa6000_modern; -c chooses)\n");
    g_auto(Tool) with = RUN("-s", "sm.scheduler=scheduler.gto", trace_of("61"));
    tool_status(&with, 0);
    notes(&with, "no config was given: titanx is taken, as the trace is sm_61\n");
    g_auto(Tool) none = RUN(trace_of("87"));
    tool_status(&none, 0);
    notes(&none,
          "no config was given, and none is for the trace's sm_87: the platform runs on bare "
          "defaults; 'warpwright list configs' names them all\n");
}

/* A folder of one's own may bring the config for a version that none has. */
static void test_choice_is_data(void)
{
    const char *folder = tool_path("more");
    g_mkdir(folder, 0777);
    write_file("more/a.conf", "include \"rtx3070.conf\"\n");
    write_file("more/b.conf", "include \"rtx3070.conf\"\ntraces sm_87\n");
    write_file("more/c.conf", "include \"rtx3070.conf\"\ntraces sm_87 preferred # rather\n");
    g_setenv("WARPWRIGHT_PATH", folder, true);
    g_auto(Tool) t = RUN(trace_of("87"));
    g_unsetenv("WARPWRIGHT_PATH");
    tool_status(&t, 0);
    notes(&t, "no config was given: c is taken, as the trace is sm_87 (so are b; -c chooses)\n");
    g_auto(Tool) bad = RUN("-c", write_file("bad.conf", "traces sm_70 Volta\n"), tool_trace(1));
    tool_status(&bad, 2);
    tool_says(&bad, bad.err,
              "bad.conf:1:1: 'traces sm_70 Volta'; expected up to 16 binary versions");
}

static const char mine[] = "name Mine\nversions 70\nbase volta\nSPEC5: EXIT\n";

/* The map is an option's, a config's, or that of the first folder that has one for the trace; the result says which. */
static void test_opcodes(void)
{
    const char *trace = tool_trace(1), *json = tool_path("opcodes.json");
    const char *map = write_file("mine.map", mine);
    const char *conf = write_file("mapped.conf", "include \"qv100.conf\"\nopcodes mine.map\n");
    g_auto(Tool) option = RUN("-c", "qv100", "--opcodes", map, "-o", json, trace);
    tool_status(&option, 2);
    tool_says(&option, option.err, "EXIT (category SPEC5) needs unit SPEC5");
    notes(&option, "opcodes of Mine go to SPEC5, which no SM of this machine has: the first of "
                   "them ends the run\n");
    g_auto(Tool) config = RUN("-c", conf, trace);
    tool_says(&config, config.err, "EXIT (category SPEC5)");
    g_auto(Tool) threads = RUN("-c", conf, "-j", "2", trace);
    tool_says(&threads, threads.err, "EXIT (category SPEC5)");
    g_auto(Tool) stronger = RUN("-c", conf, "--opcodes", "volta", "-o", json, trace);
    tool_status(&stronger, 0);
    notes(&stronger, "");
    g_autofree char *text = tool_read(json);
    tool_says(&stronger, text, "\"--opcodes\"");
    tool_says(&stronger, text, "\"kind\": \"opcodes\"");
    tool_says(&stronger, text, "\"file\": \"configs/opcodes/volta.map\"");
    const char *folder = tool_path("maps");
    g_mkdir(folder, 0777);
    g_mkdir(tool_path("maps/opcodes"), 0777);
    write_file("maps/opcodes/ours.map", mine);
    g_setenv("WARPWRIGHT_PATH", folder, true);
    g_auto(Tool) found = RUN("-c", "qv100", trace);
    g_auto(Tool) info = tool_run("trace", "info", trace, NULL);
    g_unsetenv("WARPWRIGHT_PATH");
    tool_says(&found, found.err, "EXIT (category SPEC5)");
    tool_says(&info, info.out, "binary version 70 (Mine)");
}

/* A config for a version that no map has brings its own; a checkpoint is of one map. */
static void test_opcodes_of_version(void)
{
    const char *trace = trace_of("777"), *file = tool_path("opcodes.ckpt");
    const char *folder = tool_path("new");
    g_mkdir(folder, 0777);
    write_file("new/new.conf", "include \"qv100.conf\"\ntraces sm_777\nopcodes new.map\n");
    write_file("new/new.map", "name New\nbase volta\n");
    g_setenv("WARPWRIGHT_PATH", folder, true);
    g_auto(Tool) t = RUN(trace);
    g_auto(Tool) saved = RUN("--checkpoint", file, "--checkpoint-at=100", trace);
    write_file("new/new.map", "name New\nbase volta\nSPEC3: HGMMA\n");
    g_auto(Tool) other = RUN("--restore", file, trace);
    write_file("new/new.map", "name New\nbase volta\n");
    g_auto(Tool) again = RUN("--restore", file, trace);
    g_unsetenv("WARPWRIGHT_PATH");
    tool_status(&t, 0);
    notes(&t, "no config was given: new is taken, as the trace is sm_777\n");
    tool_status(&saved, 0);
    tool_status(&other, 2);
    tool_says(&other, other.err, "the checkpoint is of another run: opcodes '");
    tool_status(&again, 0);
}

static void test_bare_platform(void)
{
    g_auto(Tool) t = RUN("-p", "gpu", tool_trace(1));
    tool_status(&t, 0);
    notes(&t, "no config was given: gpu runs on bare defaults: try -c qv100\n");
    g_auto(Tool) own = RUN("-p", "minimal", tool_trace(1));
    notes(&own, "no config was given: minimal runs on bare defaults: try -c minimal\n");
    g_auto(Tool) text = tool_run("inspect", "-c", "qv100", "--sms=1", "--resolved", NULL);
    const char *resolved = write_file("resolved.plat", text.out);
    g_auto(Tool) whole = RUN("-p", resolved, tool_trace(1)); /* it says all values */
    tool_status(&whole, 0);
    notes(&whole, "");
    g_auto(Tool) with = RUN("-p", "gpu", "-c", "qv100", tool_trace(1));
    notes(&with, "");
}

/* An L1D whose ways are divided anew at each kernel, and a module whose types nobody chose. */
static void test_no_effect(void)
{
    g_auto(Tool) t = RUN("-c", "qv100", "-s", "sm.l1d.ways=16", tool_trace(1));
    tool_status(&t, 0);
    notes(&t, "'-s sm.l1d.ways=16' holds until a kernel's first CTA only, which divides L1D and "
              "shared memory anew; -s gpu.carve.adaptive=false keeps it\n");
    g_auto(Tool) fixed =
        RUN("-c", "qv100", "-s", "sm.l1d.ways=16", "-s", "gpu.carve.adaptive=false", tool_trace(1));
    notes(&fixed, "");
    const char *conf = write_file("l16.conf", "include \"qv100.conf\"\nsm.l1d.ways = 16\n");
    g_auto(Tool) file = RUN("-c", conf, tool_trace(1));
    g_autofree char *says = g_strconcat(
        conf, ":2: l1d.ways = 16 holds until a kernel's first CTA only, which divides L1D and ",
        "shared memory anew; -s gpu.carve.adaptive=false keeps it\n", NULL);
    notes(&file, says);
    conf = write_file("both.conf", "include \"qv100.conf\"\nsm.l1d.ways = 16\n"
                                   "gpu.carve.adaptive = true\n");
    g_auto(Tool) both = RUN("-c", conf, tool_trace(1)); /* who says both means it */
    notes(&both, "");
    conf = write_file("l16fixed.conf", "include \"qv100.conf\"\nsm.l1d.ways = 16\n"
                                       "gpu.carve.adaptive = false\n");
    g_auto(Tool) held = RUN("-c", conf, tool_trace(1));
    notes(&held, "");
    g_auto(Tool) shipped = RUN("-c", "a100", tool_trace(1)); /* rtx3070 makes it adaptive */
    g_assert_null(strstr(shipped.err, "l1d.ways"));
    g_auto(Tool) other = RUN("-c", "qv100", "-s", "sm.l1i.ways=16", tool_trace(1));
    notes(&other, "");
    g_auto(Tool) module = RUN("-c", "qv100", "-m", tool_module("mistakes"), tool_trace(1));
    notes(&module, "no part of this machine is of a type of module mistakes: mistake.says, ...\n");
}

/* Private registers beyond the schedulers are nobody's; of a set that all share they are not. */
static void test_registers_of_nobody(void)
{
    g_auto(Tool) t = RUN("-c", "qv100", "-s", "sm.id_oc_sp.width=16", tool_trace(1));
    tool_status(&t, 0);
    notes(&t, "'-s sm.id_oc_sp.width=16' is as good as 4: the set is private, a register for each "
              "of 4 schedulers\n");
    g_auto(Tool) enough = RUN("-c", "qv100", "-s", "sm.id_oc_sp.width=4", tool_trace(1));
    notes(&enough, "");
    g_auto(Tool) shared = RUN("-c", "qv100", "-s", "sm.id_oc_sp.width=16", "-s",
                              "sm.sub_core_model=false", tool_trace(1));
    tool_status(&shared, 0);
    notes(&shared, "");
    const char *conf = write_file(
        "r16.conf", "include \"qv100.conf\"\nsm.oc_ex_sp.width = 8\nsm.oc_ex_mem.width = 5\n");
    g_auto(Tool) file = RUN("-c", conf, tool_trace(1));
    g_autofree char *says = g_strdup_printf(
        "%s:2: oc_ex_sp.width = 8 is as good as 4: the set is private, a register for each of 4 "
        "schedulers\n"
        "%s:3: oc_ex_mem.width = 5 is as good as 4: the set is private, a register for each of 4 "
        "schedulers\n",
        conf, conf);
    notes(&file, says);
}

static const char wide[] = "import \"gpu.plat\";\n"
                           "composite sm_wide extends sm {\n"
                           "    schedulers = 8;\n"
                           "    sub_core_model = true;\n" /* as qv100 has it */
                           "    issue[*].max_issue = 2;\n"
                           "    sp_units = 4;\n"
                           "    %s\n"
                           "}\n"
                           "machine wide extends gpu_machine { gpu.cluster.sm : sm_wide; }\n";

static const char *wide_platform(const char *name, const char *more)
{
    g_autofree char *text = g_strdup_printf(wide, more);
    return write_file(name, text);
}

#define CLASH(what, mine, other)                                                                   \
    "wide8.plat says " what " = " mine ", qv100 says " other ": " other                            \
    " is used; put it last with -c or -s\n"

static void test_clash(void)
{
    const char *plat = wide_platform("wide8.plat", "");
    g_auto(Tool) t = RUN("-p", plat, "-c", "qv100", tool_trace(1));
    tool_status(
        &t,
        0); /* one line each, though 80 SMs have the value; nothing of what gpu.plat and sm.plat say */
    notes(&t, CLASH("schedulers", "8", "4") CLASH("issue[*].max_issue", "2", "1"));
    /* the command line may have its way without comment */
    g_auto(Tool) set = RUN("-p", plat, "-c", "qv100", "-s", "sm.schedulers=4", "-s",
                           "issue[*].max_issue=1", tool_trace(1));
    notes(&set, "");
    const char *last = write_file("last.conf", "sm.schedulers = 8\nsm.issue.max_issue = 2\n");
    g_auto(Tool) put =
        tool_run("inspect", "-p", plat, "-c", "qv100", "-c", last, "--why", "sm.schedulers", NULL);
    tool_status(&put, 0);
    notes(&put, "");
    tool_says(&put, put.out, "schedulers = 8");
    /* a config that is for this platform is meant to have other values */
    g_auto(Tool) meant = tool_run("inspect", "-c", "fermi_like", "--why", "sm.schedulers", NULL);
    notes(&meant, "");
}

static void test_final(void)
{
    const char *plat = wide_platform("final.plat", "final warps = 32; sub_core_model = false;");
    g_auto(Tool) conf = RUN("-p", plat, "-c", "qv100", tool_trace(1));
    tool_status(&conf, 2);
    tool_says(&conf, conf.err, "/v100.conf:");
    tool_says(&conf, conf.err, "'sm.warps' is final in ");
    tool_says(&conf, conf.err, "final.plat:7:11, which says 32; expected no other value (64)");
    g_auto(Tool) set = RUN("-p", plat, "-s", "sm.warps=16", tool_trace(1));
    tool_status(&set, 2);
    tool_says(&set, set.err, "warpwright: -s sm.warps=16: 'sm.warps' is final in ");
    g_auto(Tool) same = RUN("-p", plat, "-s", "sm.warps=32", tool_trace(1));
    tool_status(&same, 0);
}

static void test_trace_config(void)
{
    const char *gpu = write_file("gpgpusim.config", "-gpgpu_compute_capability_major 8\n"
                                                    "-gpgpu_compute_capability_minor 6\n");
    g_auto(Tool) t = tool_run("inspect", "-c", "qv100", "--gpgpusim", gpu, "--order", NULL);
    tool_status(&t, 0);
    g_auto(Tool) other = RUN("-c", "qv100", "--gpgpusim", gpu, tool_trace(1));
    tool_status(&other, 0);
    tool_says(&other, other.err, "this trace is sm_70; gpgpusim.config is sm_86: try -c qv100\n");
}

static void test_empty(void)
{
    const char *plat =
        write_file("empty.plat", "machine m { domain core = 1GHz; phases { main : core; } }\n");
    g_auto(Tool) t = tool_run("inspect", "-p", plat, NULL);
    tool_status(&t, 0);
    tool_says(&t, t.out, "m: 0 components");
    tool_says(&t, t.out, "the machine is empty");
    g_auto(Tool) order = tool_run("inspect", "-p", plat, "--order", NULL);
    tool_status(&order, 0);
    notes(&order, "machine 'm' is empty: it has no components\n");
}

/* Options without effect here are one line, whatever they are; -v names them. */
static void test_left_out(void)
{
    const char *harmless =
        write_file("harmless.config", "-power_simulation_enabled 0\n-visualizer_outputfile x\n"
                                      "-accelwattch_xml_file x\n-gpgpu_ptx_use_cuobjdump 1\n");
    g_auto(Tool) t = RUN("-c", "qv100", "--gpgpusim", harmless, tool_trace(1));
    tool_status(&t, 0);
    notes(&t, "options left out: 1 without effect on timing, 2 of the power model, 1 of "
              "visualisation and logs; -v names them\n");
    g_auto(Tool) all = RUN("-v", "-c", "qv100", "--gpgpusim", harmless, tool_trace(1));
    tool_status(&all, 0);
    notes(&all, "options left out, without effect on timing: -gpgpu_ptx_use_cuobjdump\n"
                "options left out, of the power model: -power_simulation_enabled "
                "-accelwattch_xml_file\n"
                "options left out, of visualisation and logs: -visualizer_outputfile\n");
    const char *unknown = write_file("unknown.config", "-no_such_thing_at_all 1\n");
    g_auto(Tool) refused = RUN("-c", "qv100", "--gpgpusim", unknown, tool_trace(1));
    tool_refuses(&refused, "unknown.config:1: -no_such_thing_at_all is no option of the reference");
    g_auto(Tool) asked =
        RUN("-c", "qv100", "--gpgpusim", unknown, "--ignore-unknown-options", tool_trace(1));
    tool_status(&asked, 0);
    notes(&asked, "options left out, unknown: -no_such_thing_at_all\n");
}

void add_fit_tests(void)
{
    g_test_add_func("/cli/fit/opcodes", test_opcodes);
    g_test_add_func("/cli/fit/opcodes-of-version", test_opcodes_of_version);
    g_test_add_func("/cli/fit/misfit", test_misfit);
    g_test_add_func("/cli/fit/misfit-is-data", test_misfit_is_data);
    g_test_add_func("/cli/fit/choice", test_choice);
    g_test_add_func("/cli/fit/choice-is-data", test_choice_is_data);
    g_test_add_func("/cli/fit/bare-platform", test_bare_platform);
    g_test_add_func("/cli/fit/no_effect", test_no_effect);
    g_test_add_func("/cli/fit/registers_of_nobody", test_registers_of_nobody);
    g_test_add_func("/cli/fit/clash", test_clash);
    g_test_add_func("/cli/fit/final", test_final);
    g_test_add_func("/cli/fit/trace-config", test_trace_config);
    g_test_add_func("/cli/fit/empty-machine", test_empty);
    g_test_add_func("/cli/fit/left-out", test_left_out);
}
