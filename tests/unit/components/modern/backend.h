/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a sub-core's back end, for its tests. */
#pragma once

#include "tests.h"

#include <ports/sub_core.h>
#include <ports/tokens.h>

/* One of fixed latency as FADD is, with result R@p dst. */
static inline WwTiming test_fadd(uint8_t dst)
{
    return (WwTiming){.flags = WW_TAKES_FIXED | WW_TAKES_CACHED,
                      .unit = WW_UNIT_SP,
                      .dst_file = WW_FILE_REGULAR,
                      .dst = dst,
                      .n_dst = 1,
                      .latency = 2,
                      .interval = 2,
                      .read_stages = 3};
}

/* It reads these registers, in slots from 0 on; ends at 0. */
static inline void test_reads(WwTiming *t, const uint8_t *reg)
{
    for (t->n_reads = 0; reg[t->n_reads] != 0; t->n_reads++) {
        t->read[t->n_reads] = (WwTimingRead){.reg = reg[t->n_reads], .slot = t->n_reads};
    }
}

/* What reads operands, of type @p type, started, with latches of six units of fixed latency. */
static inline WwHarness *test_reader(const char *type, const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), type, params);
    ww_harness_channel(h, "in", "width=1");
    for (int i = 0; i < 6; i++) {
        g_autofree char *out = g_strdup_printf("out[%d]", i);
        g_autofree char *unit = g_strdup_printf("unit[%d]", i);
        ww_harness_channel(h, out, "width=1");
        ww_harness_fill(h, unit, NULL, NULL);
    }
    ww_harness_start(h, NULL);
    return h;
}

/* The instruction of number @p uid. */
static inline WwInst *test_timed(WwHarness *h, const WwTiming *t, uint64_t uid)
{
    return ww_test_inst(h, &(WwTestInst){.op = WW_OP_SP, .uid = uid, .timing = t});
}

static inline WwInst *test_put(WwHarness *h, const char *port, const WwTiming *t, uint64_t uid)
{
    WwInst *inst = test_timed(h, t, uid);
    g_assert_true(ww_harness_put(h, port, -1, ww_token_of(inst)));
    return inst;
}

/* Nothing comes out of @p port before tick @p tick, @p inst does in it. */
static inline void test_leaves_in(WwHarness *h, const char *port, WwCycle tick, const WwInst *inst)
{
    WwToken token;
    while (ww_harness_now(h) < tick) {
        ww_harness_step(h, 1);
        g_assert_cmpuint(ww_harness_count(h, port), ==, 0);
    }
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, port), ==, 1);
    g_assert_true(ww_harness_take(h, port, NULL, &token));
    g_assert_true(ww_token_pointer(token) == inst);
}
