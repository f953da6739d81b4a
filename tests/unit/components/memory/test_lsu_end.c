/* SPDX-License-Identifier: Apache-2.0 */
/* Write-back of ldst.shared; what it refuses; reset and sleep. */
#include "lsu_rig.h"

#include <string.h>
#include <testing/fake_pcs.h>

/* ---- write-back -------------------------------------------------------------------------------------------------- */

/* Of two that are served in a cycle that one ends first whose sub-core has its turn; turns go on a cycle, and the copies have one, too. */
static void end_turns(void)
{
    for (WwCycle from = 0; from < 40; from += 4) { /* acceptance begins with the first sub-core */
        LsuRig r;
        lsu_open(&r, NULL, 0, NULL);
        ww_harness_step(r.h, from);
        const WwInst *first = lsu_put(&r, 0, &(LsuTest){.kind = LSU_STS, .latency = 1});
        const WwInst *second = lsu_put(&r, 1, &(LsuTest){.kind = LSU_SHFL});
        lsu_through(&r, from + 4); /* both are served in from + 4 */
        g_assert_cmpuint(r.warps->total.complete, ==, 0);
        ww_harness_step(r.h, 1);
        g_assert_cmpuint(r.warps->total.complete, ==, 2);
        /* in from + 5: 0 1 2 3 copies, or 1 2 3 copies 0, ... */
        g_assert_true(r.warps->completed == ((from + 5) % 5 == 1 ? first : second));
        lsu_close(&r);
    }
}

/* Of a sub-core all those end that are first and have no result. */
static void end_all(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_STS, .latency = 1});
    ww_harness_step(r.h, 1);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_SHFL});
    lsu_through(&r, 4);
    g_assert_cmpuint(r.warps->total.complete, ==, 0);
    ww_harness_step(r.h, 1);
    g_assert_cmpuint(r.warps->total.complete, ==, 2);
    lsu_close(&r);
}

/* One with a result keeps the register of its sub-core while the latch is full, and nothing behind it ends; its entry is free. */
static void end_register(void)
{
    LsuRig r;
    WwToken token;
    lsu_open(&r, "entries=3", 0, NULL);
    const WwInst *put[4];
    for (uint32_t k = 0; k < 3; k++) {
        LsuTest t = {.kind = k == 2 ? LSU_STS : LSU_LDS, .latency = 8};
        put[k] = lsu_put(&r, 0, &t);
        ww_harness_step(r.h, 1);
    }
    put[3] = lsu_put(&r, 1, &(LsuTest){.kind = LSU_STS, .latency = 8}); /* waits for an entry */
    lsu_through(&r, 29);
    g_assert_cmpuint(lsu_stat(&r, "result_waits", 0), ==, 17); /* of the second, since 13 */
    g_assert_cmpuint(lsu_stat(&r, "table_full", 0), ==, 12 - 3);
    g_assert_cmpuint(r.warps->total.complete, ==, 1);
    g_assert_true(r.warps->completed == put[3]);
    g_assert_true(ww_harness_take(r.h, "out[0]", NULL, &token));
    g_assert_true(ww_token_pointer(token) == put[0]);
    lsu_result_in(&r, 30, 0, put[1]);
    lsu_over_in(&r, 31, put[2]);
    g_assert_cmpuint(lsu_stat(&r, "results", 0), ==, 2);
    g_assert_true(ww_harness_asleep(r.h));
    lsu_close(&r);
}

/* ---- figures of instructions ------------------------------------------------------------------------------------- */

/* What an instruction asks memory for and what conflicts in banks, and no conflict where there are no banks; how long answers took. */
static void figures(void)
{
    LsuRig r;
    lsu_begin(&r, NULL, 0, NULL);
    WwFakePcs *pcs = ww_harness_fill(r.h, "pcs", "fake.pcs", NULL);
    lsu_start(&r);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDG_BYPASS});
    lsu_through(&r, 40);
    g_assert_cmpuint(pcs->transactions, ==, 4);
    g_assert_cmpuint(pcs->conflicts, ==, 0);
    g_assert_cmpuint(pcs->done, ==, 0);
    for (uint32_t k = 0; k < 4; k++) {
        lsu_respond(&r, lsu_request_of(&r));
    }
    lsu_through(&r, 60);
    g_assert_cmpuint(pcs->done, ==, 4);
    g_assert_cmpuint(pcs->latency, >=, 4 * 20);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS, .stride = 16}); /* four lanes a bank */
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_SHFL});
    lsu_through(&r, 100);
    g_assert_cmpuint(pcs->transactions, ==, 4);
    g_assert_cmpuint(pcs->conflicts, ==, 3);
    lsu_close(&r);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void assert_fails(LsuRig *r, const char *text)
{
    ww_harness_step(r->h, 8);
    const GError *error = ww_machine_error(ww_harness_machine(r->h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    if (!g_str_has_suffix(error->message, text)) {
        g_error("'%s' ends otherwise: '%s'", text, error->message);
    }
    lsu_close(r);
}

static void refuses_instructions(void)
{
    LsuRig r;
    lsu_open(&r, NULL, 0, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS})->sched = 4;
    assert_fails(&r, "it comes from a sub-core to which `out` does not lead");
    lsu_open(&r, NULL, 0, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDS, .latency = 65});
    assert_fails(&r, "takes 65 cycles in shared memory; expected 1 to 64");
    lsu_open(&r, "l1_stages=12", LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){0});
    assert_fails(&r, "takes 13 cycles in the L1D; expected 1 to 12");
    lsu_open(&r, "constant_stages=10", 0, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDC});
    assert_fails(&r, "takes 11 cycles in the constant cache; expected 1 to 10");
    lsu_open(&r, NULL, 0, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDL, .base = 0x1001, .mask = 4});
    assert_fails(&r, "local access of 4 bytes at 1001 in lane 2; expected it aligned to words of 4 "
                     "bytes");
}

static WwHarness *bare(const char *params, uint32_t outs)
{
    WwHarness *h = ww_harness_new(test_registry(), "ldst.shared", params);
    ww_harness_channel(h, "in[0]", "width=1");
    for (uint32_t i = 0; i < outs; i++) {
        g_autofree char *port = g_strdup_printf("out[%u]", i);
        ww_harness_channel(h, port, "width=1");
    }
    return h;
}

static void refuses_memory(void)
{
    WwTiming t = {.unit = WW_UNIT_MEM, .flags = WW_TAKES_LOAD, .space = WW_SPACE_GLOBAL};
    WwTestInst i = {.op = WW_OP_LOAD, .space = WW_SPACE_GLOBAL, .base = 0x1000, .timing = &t};
    g_autoptr(WwHarness) h = bare(NULL, 1);
    ww_harness_start(h, NULL);
    ww_harness_put(h, "in[0]", -1, ww_token_of(ww_test_inst(h, &i)));
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_str_has_suffix(error->message,
                                   "it needs memory, but no memory is bound to port mem_out"));
}

static void assert_refused(WwHarness *h, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    if (strstr(error->message, text) == NULL) {
        g_error("no '%s' in '%s'", text, error->message);
    }
    ww_harness_free(h);
}

static const WwCacheFacts read_only = {.line = 128, .atom = 32, .write = WW_WRITE_READ_ONLY};
static const WwCacheFacts store_waits = {
    .line = 128, .atom = 32, .write = WW_WRITE_THROUGH, .allocate = WW_ALLOCATE_FETCH};
static const WwCacheFacts *facts_store_waits(void *self)
{
    return &store_waits;
}
static const WwCacheIf store_waits_if = {.facts = facts_store_waits};
static const WwCacheFacts *facts_read_only(void *self)
{
    return &read_only;
}
static const WwCacheIf read_only_if = {.facts = facts_read_only};

static const WwCacheFacts of_sectors = {
    .line = 128, .atom = 32, .one_sector = true, .write = WW_WRITE_THROUGH};
static const WwCacheFacts *facts_of_sectors(void *self)
{
    return &of_sectors;
}
static const WwCacheIf of_sectors_if = {.facts = facts_of_sectors};

static WwRest no_step(void *self)
{
    return WW_SLEEP;
}

/* With an L1D that has a name: that of the texture cache. */
static WwHarness *bare_l1d(const char *params, const WwCacheIf *cache)
{
    WwHarness *h = bare(params, 1);
    ww_harness_channel(h, "mem_out", "depth=2");
    ww_harness_channel(h, "mem_in", "depth=2");
    void *named = ww_harness_fill(h, "textures", NULL, NULL);
    ww_harness_provide(h, "l1d", cache, named);
    ww_harness_provide_step(h, "l1d", no_step, NULL, named);
    return h;
}

static void refuses_machines(void)
{
    assert_refused(bare("warp_parts=3", 1), "warp_parts = 3; expected a power of two, 1..32");
    assert_refused(bare("l1_banks=3", 1),
                   "l1_banks = 3, l1_interleave = 32; expected powers of two");
    assert_refused(bare("l1_interleave=48", 1),
                   "l1_banks = 4, l1_interleave = 48; expected powers of two");
    assert_refused(bare("l1_hash=ipoly", 1),
                   "l1_hash with l1_banks = 4; expected 16, 32 or 64 banks");
    assert_refused(bare(NULL, 2), "1 ports `in` are bound and 2 ports `out`; expected both of each "
                                  "sub-core");
    WwHarness *h = bare(NULL, 1);
    ww_harness_channel(h, "mem_out", "depth=2");
    assert_refused(h,
                   "port mem_out is bound and mem_in is not; expected both (a memory) or neither");
    assert_refused(bare_l1d(NULL, &read_only_if), "read_only; expected one that takes stores");
    assert_refused(
        bare_l1d(NULL, &store_waits_if),
        "write = through with write_allocate = fetch: a store that waits for its line is "
        "neither sent on nor acknowledged; expected another of the two");
    assert_refused(bare_l1d("coalesce_arch=35", &of_sectors_if),
                   "takes 32 bytes at a time, and is sent up to 128; expected coalesce_arch = 40 "
                   "or more, or a cache with a longer line");
    h = bare_l1d(NULL, &of_sectors_if);
    ww_harness_fill(h, "coalescer", "coalescer.segments", "coalesce_arch=35");
    assert_refused(h, "takes 32 bytes at a time, and is sent up to 128; expected a coalescer of "
                      "smaller transactions, or a cache with a longer line");
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void put_some(LsuRig *r, uint32_t cores)
{
    static const LsuTest some[] = {
        {.mask = 0xff}, {.kind = LSU_LDS, .stride = 128}, {.kind = LSU_LDGSTS}, {.kind = LSU_STG}};
    for (uint32_t k = 0; k < cores; k++) {
        lsu_put(r, k, &some[k]);
    }
}

/* Whatever is under way, a reset makes it new: the first access has number 0, and everything comes in its time. */
static void reset(void)
{
    LsuRig r;
    lsu_open(&r, "entries=4", LSU_WITH_L1D | LSU_WITH_CONSTANTS, NULL);
    r.l1d.cache.decide = NULL;
    for (uint32_t ticks = 0; ticks < 60; ticks++) {
        put_some(&r, 4);
        ww_harness_step(r.h, ticks);
        ww_harness_reset(r.h);
        const WwInst *inst = lsu_put(&r, 0, &(LsuTest){.mask = 0xff});
        const WwInst *shared = lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
        lsu_put(&r, 2, &(LsuTest){.kind = LSU_LDC});
        const WwInst *shuffle = lsu_put(&r, 3, &(LsuTest){.kind = LSU_SHFL});
        lsu_over_in(&r, 3 + 4, shuffle);
        lsu_result_in(&r, 1 + 12, 1, shared);
        g_assert_cmpuint(lsu_stat(&r, "instructions", OF_SHARED), ==, 1);
        lsu_result_in(&r, 18, 0, inst);
        g_assert_cmpuint(r.l1d.cache.last->serial, ==, 0);
        g_assert_cmpuint(lsu_stat(&r, "results", 0), ==, 3);
        g_assert_cmpuint(lsu_stat(&r, "table_most", 0), ==, 4);
        ww_harness_reset(r.h);
    }
    lsu_close(&r);
}

/* All that comes out, and when, for instructions that come in bursts with pauses between them. */
static char *follow(bool no_sleep, uint32_t seed, uint64_t *activations)
{
    LsuRig r;
    GString *log = g_string_new(NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    lsu_open(&r, "most_shared=3", LSU_WITH_L1D, NULL);
    ww_machine_set_no_sleep(ww_harness_machine(r.h), no_sleep);
    r.l1d.cache.decide = NULL;
    WwCycle burst = 0;
    for (WwCycle now = 0; now < 3000; now++) {
        if (now == burst) {
            for (uint32_t core = 0; core < 4; core++) {
                g_autofree char *port = g_strdup_printf("in[%u]", core);
                LsuTest t = {.kind = (LsuKind)g_rand_int_range(random, 0, LSU_MEMBAR + 1),
                             .mask = g_rand_int(random) | 1u};
                t.base = t.kind == LSU_LDL ? 0x40 : 0;
                if (g_rand_int_range(random, 0, 3) != 0 && ww_harness_count(r.h, port) == 0) {
                    lsu_put(&r, core, &t);
                }
            }
            burst += (WwCycle)g_rand_int_range(random, 1, 3) == 1
                         ? (WwCycle)g_rand_int_range(random, 1, 6)
                         : (WwCycle)g_rand_int_range(random, 20, 90);
        }
        ww_harness_step(r.h, 1);
        for (uint32_t core = 0; core < 4; core++) {
            g_autofree char *port = g_strdup_printf("out[%u]", core);
            WwToken token;
            if (ww_harness_take(r.h, port, NULL, &token)) {
                g_string_append_printf(log, "%u out %u; ", (unsigned)now,
                                       (unsigned)ww_token_inst(token)->uid);
            }
        }
        const WwInst *over = r.warps->completed;
        g_string_append_printf(log, "%u %d %u; ", r.warps->total.complete,
                               (int)r.warps->total.stores, over != NULL ? (unsigned)over->uid : 0);
        WwMemReq *req = now % 3 == 0 ? lsu_request_of(&r) : NULL;
        if (req != NULL) {
            lsu_respond(&r, req);
        }
    }
    static const char *const stats[] = {"instructions", "accesses", "refused"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(stats); i++) {
        for (uint32_t way = 0; way <= OF_NOWHERE; way++) {
            g_string_append_printf(log, "%u ", (unsigned)lsu_stat(&r, stats[i], way));
        }
    }
    *activations = ww_machine_activations(ww_harness_machine(r.h));
    lsu_close(&r);
    return g_string_free(log, FALSE);
}

/* Asleep or awake, the same comes out in the same cycles: turns go on, and what is in a pipeline moves. */
static void asleep(void)
{
    for (uint32_t seed = 0; seed < 10; seed++) {
        uint64_t slept, awake;
        g_autofree char *one = follow(false, seed, &slept);
        g_autofree char *other = follow(true, seed, &awake);
        g_assert_cmpstr(one, ==, other);
        g_assert_cmpuint(slept, <, awake);
    }
}

/* It runs when something happens: nine cycles for a load that hits, of 19. */
static void sleeps(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    ww_harness_step(r.h, 100);
    g_assert_true(ww_harness_asleep(r.h));
    uint64_t before = ww_machine_activations(ww_harness_machine(r.h));
    lsu_result_in(&r, 118, 0, lsu_put(&r, 0, &(LsuTest){.mask = 0xff}));
    uint64_t ran = ww_machine_activations(ww_harness_machine(r.h)) - before;
    g_assert_cmpuint(ran, <=, 9);
    lsu_close(&r);
}

/* A hang says what it holds, and who waits for what. */
static void explains(void)
{
    LsuRig r;
    lsu_open(&r, NULL, LSU_WITH_L1D, NULL);
    lsu_put(&r, 0, &(LsuTest){.kind = LSU_LDG_BYPASS});
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
    lsu_through(&r, 20);
    lsu_put(&r, 1, &(LsuTest){.kind = LSU_LDS});
    lsu_through(&r, 40);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(r.h));
    g_assert_nonnull(strstr(text, "4 memory requests have not come back, the oldest of warp 0"));
    g_assert_nonnull(
        strstr(text, "1 of 128 entries are taken, 0 of them wait for an address unit"));
    g_assert_nonnull(strstr(text, "the result of LOAD waits for the latch of sub-core 1"));
    lsu_close(&r);
}

void register_lsu_end_tests(void)
{
    g_test_add_func("/memory/lsu/end/turns", end_turns);
    g_test_add_func("/memory/lsu/end/all", end_all);
    g_test_add_func("/memory/lsu/end/register", end_register);
    g_test_add_func("/memory/lsu/end/figures", figures);
    g_test_add_func("/memory/lsu/refuses/instructions", refuses_instructions);
    g_test_add_func("/memory/lsu/refuses/memory", refuses_memory);
    g_test_add_func("/memory/lsu/refuses/machines", refuses_machines);
    g_test_add_func("/memory/lsu/life/reset", reset);
    g_test_add_func("/memory/lsu/life/asleep", asleep);
    g_test_add_func("/memory/lsu/life/sleeps", sleeps);
    g_test_add_func("/memory/lsu/life/explains", explains);
}
