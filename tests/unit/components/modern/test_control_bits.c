/* SPDX-License-Identifier: Apache-2.0 */
/* Stall counts, yields, dependence counters: the values of the specification's sections 3 and 20.1. */
#include "tests.h"

#include <ports/hazards.h>
#include <ports/sub_core.h>

typedef struct Bits {
    WwHarness *h;
    const WwDependenceIf *f;
    void *self;
    WwCodeInst code;
    WwSinst s;
    WwTiming timing;
    WwInst inst;
} Bits;

static void bits_open(Bits *b, const char *params)
{
    *b = (Bits){.h = ww_harness_new(test_registry(), "dependence.control_bits", params)};
    ww_harness_callers(b->h, "dependence", WW_RANK_CHECK, 1);
    ww_harness_start(b->h, NULL);
    b->f = ww_harness_table(b->h, "dependence", &b->self);
    b->code.control = (WwControl){.write = WW_NO_COUNTER, .read = WW_NO_COUNTER};
    b->s = (WwSinst){.opcode = "NOP", .code = &b->code};
    b->inst = (WwInst){.s = &b->s, .timing = &b->timing, .warp = 3, .mask = 1};
}

static void bits_close(Bits *b)
{
    ww_harness_free(b->h);
}

static uint32_t blocks(Bits *b)
{
    return b->f->blocks(b->self, &b->inst);
}

/* Cycles from an issue with these control bits to the next of the warp. */
static uint32_t distance(const char *params, uint32_t stall, bool yield)
{
    Bits b;
    uint32_t n = 0;
    bits_open(&b, params);
    b.code.control.stall = (uint8_t)stall;
    b.code.control.yield = yield;
    b.f->issued(b.self, &b.inst);
    WwCycle until = b.f->until(b.self, 3), now = ww_harness_now(b.h);
    do {
        ww_harness_step(b.h, 1);
        n++;
    } while (blocks(&b) != 0);
    g_assert_cmpuint(until - now, ==, n);
    bits_close(&b);
    return n;
}

static void test_stall(void)
{
    static const uint8_t code[16] = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};
    for (uint32_t n = 0; n < 16; n++) {
        g_assert_cmpuint(distance(NULL, n, false), ==, code[n]);
        g_assert_cmpuint(distance("stall=paper", n, false), ==, MAX(n, 1));
    }
}

static void test_yield(void)
{
    g_assert_cmpuint(distance(NULL, 1, true), ==, 2);
    g_assert_cmpuint(distance(NULL, 4, true), ==, 3);
    g_assert_cmpuint(distance(NULL, 0, true), ==, 6);
    g_assert_cmpuint(distance("stall=paper yield_stall=45", 0, true), ==, 45);
    g_assert_cmpuint(distance("stall=paper", 1, true), ==, 2);
}

/* Up when it leaves the issue stage, down when it is read or written: each seen in the next cycle. */
static void test_counters(void)
{
    Bits b;
    bits_open(&b, NULL);
    WwCodeInst waits = {
        .control = {.write = WW_NO_COUNTER, .read = WW_NO_COUNTER, .wait = 1u << 2}};
    WwSinst s = {.opcode = "FADD", .code = &waits};
    WwInst next = {.s = &s, .timing = &b.timing, .warp = 3};
    b.code.control.write = 2;
    b.code.control.read = 5;
    b.f->sent(b.self, &b.inst);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, 0);
    g_assert_true(b.f->settled(b.self, 3));
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    waits.control.wait = 1u << 5;
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    g_assert_false(b.f->settled(b.self, 3));
    g_assert_true(b.f->settled(b.self, 2)); /* another warp's */
    b.f->read(b.self, &b.inst);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, 0);
    waits.control.wait = 1u << 2;
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    void *self;
    const WwScoreboardIf *hazard = ww_harness_table(b.h, "hazard", &self);
    hazard->release_all(self, &b.inst); /* how the warp pool says that it is written */
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, 0);
    g_assert_true(b.f->idle(b.self, 3));
    g_assert_cmpuint(ww_harness_stat(b.h, "ups", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(b.h, "downs", 0), ==, 2);
    bits_close(&b);
}

/* Who holds his sources until he is over gives back both counters then. */
static void test_held(void)
{
    Bits b;
    bits_open(&b, NULL);
    WwCodeInst waits = {
        .control = {.write = WW_NO_COUNTER, .read = WW_NO_COUNTER, .wait = 1u << 5}};
    WwSinst s = {.opcode = "FADD", .code = &waits};
    WwInst next = {.s = &s, .timing = &b.timing, .warp = 3};
    b.code.control.write = 2;
    b.code.control.read = 5;
    b.timing.flags = WW_TAKES_HELD;
    b.f->sent(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    b.f->written(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, 0);
    g_assert_true(b.f->idle(b.self, 3));
    bits_close(&b);
}

/* DEPBAR.LE SB2, 1, {4}: two may be under way, not more, and none under counter 4. */
static void test_depbar(void)
{
    Bits b;
    bits_open(&b, NULL);
    WwCodeInst bar = {.control = {.write = WW_NO_COUNTER, .read = WW_NO_COUNTER}};
    WwSinst s = {.opcode = "DEPBAR.LE", .code = &bar};
    WwTiming t = {.flags = WW_TAKES_DEPBAR, .depbar = 2, .depbar_most = 1, .depbar_list = 1u << 4};
    WwInst depbar = {.s = &s, .timing = &t, .warp = 3};
    b.code.control.write = 2;
    b.f->sent(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &depbar), ==, 0);
    b.f->sent(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &depbar), ==, WW_DEP_COUNTER);
    b.f->written(b.self, &b.inst);
    b.code.control.write = 4;
    b.f->sent(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &depbar), ==, WW_DEP_COUNTER);
    b.f->written(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &depbar), ==, 0);
    bits_close(&b);
}

/* Asynchronous copies are counted apart, from the issue on and until the end, at once. */
static void test_copies(void)
{
    Bits b;
    bits_open(&b, NULL);
    WwCodeInst code = {.control = {.write = WW_NO_COUNTER, .read = WW_NO_COUNTER}};
    WwSinst s = {.opcode = "LDGDEPBAR", .code = &code};
    WwTiming t = {.flags = WW_TAKES_LDGDEPBAR};
    WwInst bar = {.s = &s, .timing = &t, .warp = 3};
    b.timing.flags = WW_TAKES_LDGSTS;
    b.f->issued(b.self, &b.inst);
    ww_harness_step(b.h, 4);
    g_assert_cmpuint(b.f->blocks(b.self, &bar), ==, WW_DEP_COPIES);
    g_assert_true(b.f->settled(b.self, 3));
    g_assert_false(b.f->idle(b.self, 3));
    b.f->written(b.self, &b.inst);
    g_assert_cmpuint(b.f->blocks(b.self, &bar), ==, 0);
    g_assert_true(b.f->idle(b.self, 3));
    bits_close(&b);
}

/* A new warp of a number does not feel the last instruction of the old one. */
static void test_retired(void)
{
    Bits b;
    bits_open(&b, NULL);
    b.code.control.stall = 15;
    b.f->issued(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(blocks(&b), ==, WW_DEP_STALL);
    b.f->retired(b.self, 3);
    g_assert_cmpuint(blocks(&b), ==, 0);
    bits_close(&b);
}

/* A counter waits for memory while a load from there is under way under it, whatever else is. */
static void test_waits_long(void)
{
    Bits b;
    bits_open(&b, NULL);
    WwCodeInst waits = {
        .control = {.write = WW_NO_COUNTER, .read = WW_NO_COUNTER, .wait = 1u << 2}};
    WwSinst s = {.opcode = "FADD", .code = &waits};
    WwTiming load = {.unit = WW_UNIT_MEM, .space = WW_SPACE_GLOBAL};
    WwInst next = {.s = &s, .timing = &b.timing, .warp = 3}, ldg = b.inst;
    ldg.timing = &load;
    b.timing = (WwTiming){.unit = WW_UNIT_MEM, .space = WW_SPACE_SHARED};
    b.code.control.write = 2;
    b.f->sent(b.self, &b.inst);
    ww_harness_step(b.h, 1);
    g_assert_false(b.f->waits_long(b.self, &next));
    ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0);
    b.f->sent(b.self, &ldg);
    g_assert_false(b.f->waits_long(b.self, &next)); /* seen from the next cycle on, and told */
    ww_harness_step(b.h, 1);
    g_assert_true(b.f->waits_long(b.self, &next));
    ww_harness_step(b.h, 1); /* the turn of that cycle */
    g_assert_cmpuint(ww_harness_wakes(b.h, "dependence", WW_RANK_CHECK, 0), ==, 1);
    b.f->written(b.self, &ldg);
    ww_harness_step(b.h, 1);
    g_assert_cmpuint(b.f->blocks(b.self, &next), ==, WW_DEP_COUNTER);
    g_assert_false(b.f->waits_long(b.self, &next));
    load = (WwTiming){.unit = WW_UNIT_MEM, .flags = WW_TAKES_TEXTURE};
    b.f->sent(b.self, &ldg);
    ww_harness_step(b.h, 1);
    g_assert_true(b.f->waits_long(b.self, &next));
    waits.control.wait = 1u << 3; /* another counter */
    g_assert_false(b.f->waits_long(b.self, &next));
    bits_close(&b);
}

/* An instruction that no listing has is somebody else's. */
static void test_otherwise(void)
{
    Bits b;
    bits_open(&b, NULL);
    b.s.code = NULL;
    g_assert_cmpuint(blocks(&b), !=, 0); /* and the run fails */
    bits_close(&b);
}

void register_control_bits_tests(void)
{
    g_test_add_func("/modern/control_bits/stall", test_stall);
    g_test_add_func("/modern/control_bits/yield", test_yield);
    g_test_add_func("/modern/control_bits/counters", test_counters);
    g_test_add_func("/modern/control_bits/held", test_held);
    g_test_add_func("/modern/control_bits/depbar", test_depbar);
    g_test_add_func("/modern/control_bits/copies", test_copies);
    g_test_add_func("/modern/control_bits/retired", test_retired);
    g_test_add_func("/modern/control_bits/waits-long", test_waits_long);
    g_test_add_func("/modern/control_bits/otherwise", test_otherwise);
}
