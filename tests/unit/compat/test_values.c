/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that values of the reference's options have: what each becomes on the GPU platform, and what none of them may be. */
#include "tests.h"

#include <compat/import.h>
#include <glib/gstdio.h>
#include <string.h>
#include <tests/support/registry.h>
#include <unistd.h>

/* Reads @p options into @p values, as a file of theirs; @p complete: it is the whole configuration. */
static bool import(WwOverrides *values, const char *options, bool complete, GError **error)
{
    g_autofree char *file = NULL;
    int fd = g_file_open_tmp("options-XXXXXX", &file, error);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    g_assert_true(g_file_set_contents(file, options, -1, NULL));
    const char *files[] = {file, NULL};
    bool ok = ww_gpgpusim_import(values, files,
                                 &(WwImportOptions){.strict = true, .complete = complete}, error);
    g_unlink(file);
    return ok;
}

static void keep_text(void *user, const WwSettingInfo *setting)
{
    char **text = user;
    g_free(*text);
    *text = g_strdup(setting->text);
}

/* @p expected: "PATH VALUE", NULL-terminated; of a small Volta with @p options on top. */
static void check(const char *options, const char *const *expected)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_build_filename(g_getenv("WW_SOURCE_DIR"), "platforms", NULL);
    g_autofree char *base =
        g_build_filename(g_getenv("WW_SOURCE_DIR"), "configs", "qv100.conf", NULL);
    const char *const dirs[] = {folder, NULL};
    g_autoptr(WwOverrides) values = ww_overrides_new();
    g_assert_true(ww_overrides_add_file(values, base, dirs, &error));
    g_assert_true(ww_overrides_add_text(values, "gpu.clusters=1", "-s", &error));
    g_assert_true(import(values, options, false, &error));
    g_autoptr(WwPlatform) platform = ww_platform_load(test_registry(), "gpu", dirs, &error);
    g_assert_no_error(error);
    g_autoptr(WwElaboration) e = NULL;
    WwMachine *m = ww_platform_elaborate(platform, values, &e, &error);
    g_assert_no_error(error);
    for (; *expected != NULL; expected++) {
        g_auto(GStrv) pair = g_strsplit(*expected, " ", 2);
        g_autofree char *text = NULL;
        g_assert_cmpuint(ww_elaboration_each(e, pair[0], keep_text, &text), >, 0);
        g_assert_cmpstr(text, ==, pair[1]);
    }
    ww_machine_free(m);
}

#define CHECK(options, ...) check(options, (const char *const[]){__VA_ARGS__, NULL})

static void test_numbers(void)
{
    CHECK("-gpgpu_smem_latency 29\n-gpgpu_smem_latency 31\n", "sm.ldst.smem_latency 31");
    CHECK("-gpgpu_flush_l2_cache 1\n-gpgpu_gmem_skip_L1D 0\n", "gpu.flush_l2 true",
          "sm.ldst.gmem_skip_l1 false");
    CHECK("-gpgpu_shader_core_pipeline 1024:32\n", "sm.warps 32");
    CHECK("-gpgpu_clock_domains 1000.0:900.5:800.0:700\n", "core_clock 1 GHz",
          "icnt_clock 900.5 MHz", "l2_clock 800 MHz", "dram_clock 700 MHz");
}

/* Options of the report, limits, and what changes nothing. */
static void test_report(void)
{
    CHECK("-gpgpu_memlatency_stat 0\n-icnt_flit_size 8\n-gpgpu_warp_issue_shader 3\n",
          "gpu.report.latencies false", "gpu.report.flit_size 8", "gpu.report.issue_sm 3");
    CHECK("-gpgpu_memlatency_stat 8\n-gpgpu_runtime_stat 100:3\n-visualizer_enabled 1\n",
          "gpu.report.latencies true", "gpu.latency.window 100", "gpu.kernels.sample 100",
          "gpu.kernels.restart_completed true");
    CHECK("-gpgpu_max_cycle 5000000000\n-gpgpu_max_insn 6000000000\n-gpgpu_max_cta 7\n"
          "-gpgpu_max_completed_cta 8\n",
          "gpu.kernels.max_cycles 5000000000", "gpu.kernels.max_insns 6000000000",
          "gpu.kernels.max_ctas 7", "gpu.kernels.max_completed 8");
    CHECK("-gpgpu_perfect_mem 1\n-icnt_subnets 4\n-gpgpu_n_cluster_ejection_buffer_size 5\n",
          "gpu.perfect_mem true", "gpu.cluster[0].straight[0].depth 5",
          "gpu.cluster[0].intake[0].depth 5");
}

/* Fields for several parameters; a stage of no width is one that nothing enters. */
static void test_fields(void)
{
    CHECK("-gpgpu_pipeline_widths 4,0,3,4,5,6,0,7,4,8,2,4,1\n", "sm.id_oc_sp.width 4",
          "sm.id_oc_dp.width 1", "sm.id_oc_int.width 3", "sm.id_oc_mem.width 5",
          "sm.oc_ex_dp.width 1", "sm.oc_ex_int.width 7", "sm.result_buses 2",
          "sm.id_oc_tensor.width 4", "sm.oc_ex_tensor.width 1");
    CHECK("-trace_opcode_latency_initiation_sfu 17,5\n", "sm.decode.lat_sfu [17, 5]");
    CHECK("-cdp_latency 1,2,3,4,5\n", "sm.issue[*].launch_latency [1, 2, 3, 4, 5]");
}

/* Unit k has its registers in sets of number k - 1. */
static void test_special(void)
{
    CHECK("-specialized_unit_2 1,4,200,3,5,TEX\n", "sm.spec2_units 4", "sm.spec2[*].depth 200",
          "sm.id_oc_spec[1].width 3", "sm.oc_ex_spec[1].width 5");
    CHECK("-specialized_unit_2 0,4,200,3,5,TEX\n", "sm.spec2_units 0");
}

/* The first unit that is not enabled ends the list; one that is enabled without units is passed over. */
static void test_special_gap(void)
{
    CHECK("-specialized_unit_1 0,4,4,4,4,BRA\n-specialized_unit_2 1,4,200,3,5,TEX\n",
          "sm.spec1_units 0", "sm.spec2_units 0", "sm.spec3_units 0");
    CHECK("-specialized_unit_2 0,4,200,3,5,TEX\n", "sm.spec1_units 4", "sm.spec2_units 0",
          "sm.spec3_units 0");
    CHECK("-specialized_unit_2 1,0,200,3,5,TEX\n", "sm.spec2_units 0", "sm.spec3_units 4",
          "sm.issue[*].spec_categories [1, 3, 4, 5, 6, 7, 8]");
}

static void test_caches(void)
{
    CHECK("-gpgpu_cache:dl1 S:8:128:32,F:B:f:N:X,S:100:6,7:0,64\n", "sm.l1d.sector true",
          "sm.l1d.sets 8", "sm.l1d.line 128", "sm.l1d.ways 32", "sm.l1d.replacement fifo",
          "sm.l1d.write back", "sm.l1d.allocate fill", "sm.l1d.write_allocate none",
          "sm.l1d.index xor", "sm.l1d.mshr sector_assoc", "sm.l1d.mshr_entries 100",
          "sm.l1d.mshr_merge 6", "sm.l1d.miss_queue 7", "sm.l1d.port_width 64");
    CHECK("-gpgpu_cache:dl1 none\n", "sm.has_l1d false");
    CHECK("-gpgpu_dram_timing_opt 16:2:3:12:28:12:40:12:2:3:10:4:2:4\n", "channel.dram.nbk 16",
          "channel.dram.rcd 12", "channel.dram.rtpl 4");
    /* what is not given is back at its default, whatever an earlier option said */
    CHECK("-gpgpu_dram_timing_opt 8:2:3:12:28:12:40:12:2:3:10\n", "channel.dram.nbk 8",
          "channel.dram.wr 10", "channel.dram.nbkgrp 1", "channel.dram.ccdl 0",
          "channel.dram.rtpl 0");
    CHECK("-gpgpu_dram_timing_opt "
          "WR=10;nbk=0x10:CCD=2:RRD=3:RCD=014:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:RTPL=5\n",
          "channel.dram.nbk 16", "channel.dram.rcd 12", "channel.dram.nbkgrp 1",
          "channel.dram.ccdl 0", "channel.dram.rtpl 5");
}

/* A network file beside the option file; what it leaves out has BookSim's default, the last of two values wins. */
static void test_network(void)
{
    g_autofree char *file = NULL, *options = NULL;
    int fd = g_file_open_tmp("net-XXXXXX.icnt", &file, NULL);
    close(fd);
    const char *text =
        "// a mesh\nsim_type = gpgpusim; subnets = 2; // two\n\n"
        "topology = mesh;k=3;\n k\n =\n 20\n ;routing_function = dor;\n"
        "memory_node_map = {1,5,7};\nvc_allocator = separable_input_first(matrix);\n"
        "sw_allocator = islip(3);alloc_iters=7;\ninternal_speedup = 2.5;\n"
        "wait_for_tail_credit = 1; num_vcs = 10; boundary_buffer_size = 40;\n"
        "read_request_end_vc = 3; write_request_begin_vc = -1; write_request_end_vc = -1;\n"
        "read_reply_begin_vc = 5; read_reply_end_vc = 5;\n"
        "write_reply_begin_vc = -2; write_reply_end_vc = -2;\n"
        "packet_size = {{1,2,3,4},{10,20}}; use_map = 0;";
    g_assert_true(g_file_set_contents(file, text, -1, NULL));
    g_autofree char *name = g_path_get_basename(file);
    options = g_strdup_printf("-network_mode 1\n-inter_config_file %s\n", name);
    CHECK(options, "gpu.interconnect \"network.routed\"", "gpu.network.topology mesh",
          "gpu.network.routing dim_order", "gpu.network.k 20", "gpu.network.n 2",
          "gpu.network.memory_node_map [1, 5, 7]", "gpu.network.use_map false",
          "gpu.network.vc_allocator separable_input_first", "gpu.network.vc_arbiter matrix",
          "gpu.network.sw_allocator islip", "gpu.network.sw_arbiter round_robin",
          "gpu.network.sw_iterations 3", "gpu.network.vc_iterations 1",
          "gpu.network.internal_speedup 2.5", "gpu.network.wait_for_tail_credit true",
          "gpu.network.read_request_vcs [0, 3]", "gpu.network.write_request_vcs [0, 4]",
          "gpu.network.read_reply_vcs [5, 5]", "gpu.network.write_reply_vcs [5, 9]",
          "gpu.network.flit_size 32", "gpu.network.vc_buf_size 8", "gpu.network.buf_size 0",
          "gpu.network.input_buffer_size 9", "gpu.network.routing_delay 1",
          "gpu.network.output_buffer_size 0", "cluster.network_out 400", "channel.network_out 400");
    g_autofree char *crossbar = g_strconcat(options, "-network_mode 2\n", NULL);
    CHECK(crossbar, "gpu.interconnect \"xbar.local\"", "cluster.network_out 512");
    g_unlink(file);
}

static void refuse(const char *options, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwOverrides) values = ww_overrides_new();
    g_assert_false(import(values, options, false, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_INPUT);
    if (strstr(error->message, why) == NULL) {
        g_error("'%s' does not say '%s'", error->message, why);
    }
}

/* Files that are the whole configuration, with a DRAM of no banks: the built-in values for banks have nobody to go to. */
static void test_simple_dram(void)
{
    static const char text[] = "-gpgpu_simple_dram_model 1\n-dram_latency 70\n-network_mode 2\n"
                               "-gpgpu_perfect_inst_const_cache 1\n-gpgpu_n_clusters 1\n"
                               "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n";
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_build_filename(g_getenv("WW_SOURCE_DIR"), "platforms", NULL);
    const char *const dirs[] = {folder, NULL};
    g_autoptr(WwOverrides) values = ww_overrides_new();
    g_assert_true(import(values, text, true, &error));
    g_autoptr(WwPlatform) platform = ww_platform_load(test_registry(), "gpu", dirs, &error);
    g_assert_no_error(error);
    g_autoptr(WwElaboration) e = NULL;
    WwMachine *m = ww_platform_elaborate(platform, values, &e, &error);
    g_assert_no_error(error);
    g_autofree char *latency = NULL;
    g_assert_cmpuint(ww_elaboration_each(e, "channel.dram.latency", keep_text, &latency), >, 0);
    g_assert_cmpstr(latency, ==, "70");
    g_assert_cmpuint(ww_elaboration_each(e, "channel.dram.bank_index", keep_text, &latency), ==, 0);
    ww_machine_free(m);
}

static void test_refused(void)
{
    refuse("-gpgpu_smem_latency -3\n", "expected a number");
    refuse("-gpgpu_flush_l2_cache 2\n", "expected 0 or 1");
    refuse("-gpgpu_shader_core_pipeline 1024:16\n", "multiple of 32");
    refuse("-gpgpu_shader_core_pipeline 1000:32\n", "multiple of 32");
    refuse("-gpgpu_pipeline_widths 4,4,4\n", "expected 13 fields, or 11 without the tensor stages");
    refuse("-cdp_latency 1,2,3,4\n", "expected 5 numbers");
    refuse("-trace_opcode_latency_initiation_sfu 17\n", "expected latency,interval");
    refuse("-specialized_unit_2 1,4,200,3\n", "expected enabled,units");
    refuse("-gpgpu_cache:dl1 S:8:128:32,Q:B:f:N:X,S:100:6,7:0\n", "expected none or TYPE");
    refuse("-gpgpu_dram_timing_opt nbk=16:RCDX=3\n", "expected nbk=N");
    refuse("-gpgpu_dram_timing_opt nbk=16:2\n", "expected nbk=N");
    refuse("-gpgpu_dram_timing_opt 16:2:3:12:28:12:40:12:2:3\n", "expected WR, too");
    refuse("-gpgpu_dram_timing_opt nbk=8:RCD=13\n", "expected CCD, too");
    refuse("-gpgpu_dram_timing_opt 1:2:3:4:5:6:7:8:9:10:11:12:13:14:15\n", "expected nbk=N");
    refuse("-gpgpu_smem_latency 0x\n", "expected a number");
    refuse("-gpgpu_smem_latency 09\n", "expected a number");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_option_tests();
    g_test_add_func("/compat/values/report", test_report);
    g_test_add_func("/compat/values/numbers", test_numbers);
    g_test_add_func("/compat/values/fields", test_fields);
    g_test_add_func("/compat/values/special", test_special);
    g_test_add_func("/compat/values/special-gap", test_special_gap);
    g_test_add_func("/compat/values/caches", test_caches);
    g_test_add_func("/compat/values/network", test_network);
    g_test_add_func("/compat/values/simple-dram", test_simple_dram);
    g_test_add_func("/compat/values/refused", test_refused);
    return test_run();
}
