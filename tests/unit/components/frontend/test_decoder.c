/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder alone: i-buffer filling, the latency table, what it refuses. */
#include "tests.h"

static WwHarness *decoder(const char *params, WwFakeWarps **warps)
{
    WwHarness *h = ww_harness_new(test_registry(), "decoder", params);
    ww_harness_channel(h, "fetch", "depth=1");
    *warps = ww_harness_fill(h, "warps", NULL, NULL);
    ww_harness_start(h, NULL);
    ww_harness_step(h, 1);
    (*warps)->endless = false;
    return h;
}

/* One group gives two instructions, the last one of a trace alone. */
static void test_two(void)
{
    WwFakeWarps *warps;
    g_autoptr(WwHarness) h = decoder(NULL, &warps);
    WwInst *a = ww_test_inst(h, &(WwTestInst){.op = WW_OP_INT});
    WwInst *b = ww_test_inst(h, &(WwTestInst){.op = WW_OP_SP});
    WwInst *c = ww_test_inst(h, &(WwTestInst){.op = WW_OP_EXIT});
    ww_fake_warps_trace(warps, 9, a);
    ww_fake_warps_trace(warps, 9, b);
    ww_fake_warps_trace(warps, 9, c);
    g_assert_true(ww_harness_asleep(h));
    g_assert_true(ww_harness_put(h, "fetch", -1, ww_fetch_token(9, 0x40)));
    g_assert_false(ww_harness_asleep(h));
    ww_harness_step(h, 1);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_count(h, "fetch"), ==, 0);
    g_assert_true(warps->warp[9].ibuf[0] == a && warps->warp[9].ibuf[1] == b);
    g_assert_cmpuint(warps->warp[9].in_pipeline, ==, 2);
    warps->warp[9].ibuf[0] = warps->warp[9].ibuf[1] = NULL;
    warps->warp[9].next = 1;
    g_assert_true(ww_harness_put(h, "fetch", -1, ww_fetch_token(9, 0x60)));
    ww_harness_step(h, 1);
    g_assert_true(warps->warp[9].ibuf[0] == c && warps->warp[9].ibuf[1] == NULL);
    g_assert_cmpuint(warps->warp[9].next, ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "decoded", 0), ==, 3);
}

static void decodes(const char *params, WwOp op, uint16_t flags, uint32_t latency,
                    uint32_t interval)
{
    WwFakeWarps *warps;
    g_autoptr(WwHarness) h = decoder(params, &warps);
    WwInst *inst =
        ww_test_inst(h, &(WwTestInst){.op = op, .flags = flags, .latency = 99, .interval = 99});
    ww_fake_warps_trace(warps, 0, inst);
    ww_harness_put(h, "fetch", -1, ww_fetch_token(0, 0));
    ww_harness_step(h, 1);
    g_assert_cmpuint(inst->latency, ==, latency);
    g_assert_cmpuint(inst->interval, ==, interval);
    g_assert_cmpuint(inst->cycles, ==, interval);
}

static void test_latencies(void)
{
    static const WwOp plain[] = {WW_OP_LOAD, WW_OP_STORE, WW_OP_BARRIER, WW_OP_MEMBAR, WW_OP_EXIT};
    static const WwOp integer[] = {WW_OP_ALU, WW_OP_INT, WW_OP_BRANCH, WW_OP_CALL, WW_OP_RET};
    const char *params = "lat_int=[2,3] lat_sp=[5,6] lat_dp=[64,64] lat_sfu=[21,8] "
                         "lat_tensor=[32,31] lat_spec1=[7,1] "
                         "lat_spec2=[200,4] lat_spec8=[511,511]";
    for (uint32_t i = 0; i < 5; i++) {
        decodes(params, plain[i], 0, 1, 1);
        decodes(params, integer[i], 0, 2, 3);
        decodes(NULL, integer[i], 0, 4, 1);
    }
    decodes(params, WW_OP_SP, 0, 5, 6);
    decodes(params, WW_OP_DP, 0, 64, 64);
    decodes(params, WW_OP_SFU, 0, 21, 8);
    decodes(params, WW_OP_TENSOR, 0, 32, 31);
    decodes(params, WW_OP_SPEC1, 0, 7, 1);
    decodes(params, WW_OP_SPEC1 + 1, 0, 200, 4);
    decodes(params, WW_OP_SPEC8, 0, 511, 511);
    decodes(NULL, WW_OP_SP, 0, 4, 1);
    decodes(NULL, WW_OP_SPEC1 + 2, 0, 4, 4);
}

/* Packed half precision: half the interval, never below 1; the latency stays. */
static void test_half_rate(void)
{
    decodes("lat_sp=[2,2]", WW_OP_SP, WW_INST_HALF_RATE_II, 2, 1);
    decodes("lat_sp=[2,1]", WW_OP_SP, WW_INST_HALF_RATE_II, 2, 1);
    decodes("lat_sp=[9,5]", WW_OP_SP, WW_INST_HALF_RATE_II, 9, 2);
}

static void test_refuses(void)
{
    static const char *const params[] = {"lat_int=[4]", "lat_dp=[1,2,3]"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(params); i++) {
        g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "decoder", params[i]);
        g_autoptr(GError) error = NULL;
        g_assert_false(ww_harness_start(h, &error));
        g_assert_nonnull(error);
        g_assert_nonnull(strstr(error->message, "expected [latency, interval]"));
    }
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "decoder", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_component_set_text(ww_harness_self(h), "lat_dp", "[512, 1]", &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_USAGE);
    g_assert_nonnull(strstr(error->message, "511"));
}

/* all_half_rate: HMUL2 and HMNMX2, too. */
static void test_all_half_rate(void)
{
    decodes("lat_sp=[2,2]", WW_OP_SP, WW_INST_PACKED_HALF, 2, 2);
    decodes("lat_sp=[2,2] all_half_rate=true", WW_OP_SP, WW_INST_PACKED_HALF, 2, 1);
    decodes("lat_sp=[2,2] all_half_rate=true", WW_OP_SP, WW_INST_HALF_RATE_II, 2, 1);
    decodes("lat_sp=[2,2] all_half_rate=true", WW_OP_SP, 0, 2, 2);
}

/* true_units: the category and its latencies. */
static void test_true_units(void)
{
    for (int on = 0; on < 2; on++) {
        WwFakeWarps *warps;
        g_autoptr(WwHarness) h =
            decoder(on ? "lat_int=[3,1] lat_spec3=[9,8] true_units=true" : "lat_int=[3,1]", &warps);
        WwInst *inst = ww_test_inst(h, &(WwTestInst){.op = WW_OP_INT});
        ((WwSinst *)inst->s)->true_op = 1 + WW_OP_SPEC1 + 2;
        ww_fake_warps_trace(warps, 0, inst);
        ww_harness_put(h, "fetch", -1, ww_fetch_token(0, 0));
        ww_harness_step(h, 1);
        g_assert_cmpuint(inst->op, ==, on ? WW_OP_SPEC1 + 2 : WW_OP_INT);
        g_assert_cmpuint(inst->latency, ==, on ? 9 : 3);
        g_assert_cmpuint(inst->interval, ==, on ? 8 : 1);
    }
}

/* fetch_bytes: the second instruction comes along if it lies in the same bytes, and behind. */
static void test_fetch_bytes(void)
{
    static const struct {
        const char *params;
        uint64_t first, second;
        bool both;
    } rows[] = {{"fetch_bytes=32", 0x40, 0x50, true},  {"fetch_bytes=32", 0x50, 0x60, false},
                {"fetch_bytes=32", 0x50, 0x40, false}, {"fetch_bytes=32", 0x40, 0x40, false},
                {"fetch_bytes=32", 0x40, 0x90, false}, {"fetch_bytes=128", 0x40, 0x70, true},
                {"fetch_bytes=0", 0x50, 0x400, true}};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        const bool packed = i >= G_N_ELEMENTS(rows); /* as in a trace of many instructions */
        const size_t row = i % G_N_ELEMENTS(rows);
        WwFakeWarps *warps;
        g_autoptr(WwHarness) h = decoder(rows[row].params, &warps);
        g_autoptr(WwHeap) heap = ww_heap_new();
        WwPacked *k = ww_packed_new(heap);
        WwInst *a = ww_test_inst(h, &(WwTestInst){.op = WW_OP_INT});
        WwInst *b = ww_test_inst(h, &(WwTestInst){.op = WW_OP_INT});
        ((WwSinst *)a->s)->pc = rows[row].first;
        ((WwSinst *)b->s)->pc = rows[row].second;
        const WwSinst *table[] = {a->s, b->s};
        const WwTinst trace[] = {{.sinst = 0}, {.sinst = 1}, {.sinst = 1}};
        const WwKernel kernel = {.sinst = table};
        ww_fake_warps_trace(warps, 9, a);
        ww_fake_warps_trace(warps, 9, b);
        for (uint32_t t = 0; t < 3; t++) {
            ww_packed_add(k, &trace[t], 1, NULL);
        }
        ww_packed_start(k);
        ww_packed_next(k, &(WwTinst){0}, &(WwAddrRoom){0});
        warps->warp[9].trace = packed ? NULL : trace;
        warps->warp[9].packed = packed ? k : NULL;
        warps->warp[9].n_trace = 3;
        warps->warp[9].cursor = 1;
        warps->warp[9].kernel = &kernel;
        g_assert_true(ww_harness_put(h, "fetch", -1, ww_fetch_token(9, rows[row].first)));
        ww_harness_step(h, 1);
        g_assert_cmpuint(ww_harness_stat(h, "decoded", 0), ==, rows[row].both ? 2 : 1);
        g_assert_true(warps->warp[9].ibuf[0] == a);
        g_assert_true(warps->warp[9].ibuf[1] == (rows[row].both ? b : NULL));
    }
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "decoder", "fetch_bytes=24");
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, "expected a power of two"));
}

void register_decoder_tests(void)
{
    g_test_add_func("/frontend/decoder/two", test_two);
    g_test_add_func("/frontend/decoder/latencies", test_latencies);
    g_test_add_func("/frontend/decoder/half_rate", test_half_rate);
    g_test_add_func("/frontend/decoder/refuses", test_refuses);
    g_test_add_func("/frontend/decoder/all_half_rate", test_all_half_rate);
    g_test_add_func("/frontend/decoder/true_units", test_true_units);
    g_test_add_func("/frontend/decoder/fetch_bytes", test_fetch_bytes);
}
