/* SPDX-License-Identifier: Apache-2.0 */
/* control_stage and operand_read on a bench. */
#include "backend.h"

#include <testing/fake_dependence.h>
#include <testing/fake_sub_core.h>

/* ---- control_stage ---------------------------------------------------------------------------------------------- */

static WwHarness *control(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "control_stage", NULL);
    static const char *const ports[] = {"in", "out", "mem", "dp", "sfu", "queued"};
    for (size_t i = 0; i < G_N_ELEMENTS(ports); i++) {
        ww_harness_channel(h, ports[i], "width=1");
    }
    for (int i = 0; i < 6; i++) {
        g_autofree char *name = g_strdup_printf("unit[%d]", i);
        ww_harness_fill(h, name, NULL, NULL);
    }
    ww_harness_start(h, NULL);
    return h;
}

/* A cycle for each instruction: it is counted in that in which it goes. */
static void test_control_passes(void)
{
    g_autoptr(WwHarness) h = control();
    WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
    WwTiming t = test_fadd(1);
    ww_harness_step(h, 4);
    test_leaves_in(h, "out", 4, test_put(h, "in", &t, 1));
    g_assert_cmpuint(dependence->sent, ==, 1);
    g_assert_cmpuint(dependence->cycle, ==, 4);
    g_assert_true(ww_harness_asleep(h));
    test_leaves_in(h, "out", 5, test_put(h, "in", &t, 2));
    g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 2);
}

static void test_control_ways(void)
{
    static const struct {
        WwUnit unit;
        const char *port;
    } way[] = {{WW_UNIT_MEM, "mem"},       {WW_UNIT_DP, "dp"},   {WW_UNIT_SFU, "sfu"},
               {WW_UNIT_QUEUED, "queued"}, {WW_UNIT_INT, "out"}, {WW_UNIT_TENSOR, "out"},
               {WW_UNIT_BRANCH, "out"},    {WW_UNIT_MISC, "out"}};
    for (size_t i = 0; i < G_N_ELEMENTS(way); i++) {
        g_autoptr(WwHarness) h = control();
        WwTiming t = {.unit = (uint8_t)way[i].unit,
                      .flags = way[i].unit < WW_UNIT_MEM ? WW_TAKES_FIXED : 0};
        test_leaves_in(h, way[i].port, 0, test_put(h, "in", &t, 1));
    }
}

/* While Allocate is taken one of fixed latency stays: it is counted once, and its unit is reserved a cycle longer for each. */
static void test_control_held(void)
{
    g_autoptr(WwHarness) h = control();
    WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
    WwFakeUnit *sp = ww_harness_peer(h, "unit[1]");
    WwTiming t = test_fadd(1);
    test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &t, 2);
    ww_harness_step(h, 5);
    g_assert_cmpuint(dependence->sent, ==, 2);
    g_assert_cmpuint(dependence->cycle, ==, 1);
    g_assert_cmpuint(sp->delayed, ==, 5);
    g_assert_cmpuint(ww_harness_stat(h, "held", 0), ==, 5);
    ww_harness_take(h, "out", NULL, &(WwToken){0});
    test_leaves_in(h, "out", 6, second);
    g_assert_cmpuint(sp->delayed, ==, 5);
    g_assert_cmpuint(((WwFakeUnit *)ww_harness_peer(h, "unit[0]"))->delayed, ==, 0);
}

/* One of variable latency waits for the latch of its unit asleep, and all others behind it. */
static void test_control_blocks(void)
{
    g_autoptr(WwHarness) h = control();
    WwTiming mem = {.unit = WW_UNIT_MEM};
    test_put(h, "in", &mem, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &mem, 2);
    ww_harness_step(h, 8);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "held_by_unit", 0), ==, 8);
    ww_harness_take(h, "mem", NULL, &(WwToken){0});
    test_leaves_in(h, "mem", 9, second);
    g_assert_cmpuint(ww_harness_stat(h, "held_by_unit", 0), ==, 8);
    g_assert_cmpuint(ww_harness_stat(h, "held", 0), ==, 0);
}

static void test_control_no_unit(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "control_stage", NULL);
    ww_harness_channel(h, "in", NULL);
    ww_harness_channel(h, "out", NULL);
    ww_harness_start(h, NULL);
    test_put(h, "in", &(WwTiming){.unit = WW_UNIT_SFU}, 1);
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_str_has_suffix(error->message, "SP (trace line 0) goes to unit sfu; expected "
                                                   "that the sub-core has one"));
}

/* ---- operand_read ----------------------------------------------------------------------------------------------- */

static WwHarness *reader(const char *params)
{
    return test_reader("operand_read", params);
}

/* Allocated in cycle c, at its unit and read in c + its read stages; it ends that, its interval and its latency later. */
static void test_reader_stages(void)
{
    static const uint8_t stages[] = {1, 3, 6};
    for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
        g_autoptr(WwHarness) h = reader(NULL);
        WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
        WwFakeUnit *sp = ww_harness_peer(h, "unit[1]");
        WwTiming t = test_fadd(1);
        t.read_stages = stages[i];
        t.latency = 5;
        ww_harness_step(h, 2);
        test_leaves_in(h, "out[1]", 2u + stages[i], test_put(h, "in", &t, 1));
        g_assert_cmpuint(dependence->read, ==, 1);
        g_assert_cmpuint(dependence->cycle, ==, 2u + stages[i]);
        g_assert_cmpuint(sp->booked, ==, 1);
        g_assert_cmpuint(sp->ahead, ==, stages[i] + 2u + 5u);
        g_assert_true(sp->end[2u + stages[i] + 2u + 5u] != 0);
        g_assert_true(ww_harness_asleep(h));
    }
}

/* It rests while nothing leaves. */
static void test_reader_sleeps(void)
{
    g_autoptr(WwHarness) h = reader(NULL);
    WwTiming t = test_fadd(1);
    t.read_stages = 6;
    ww_harness_step(h, 1);
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    test_leaves_in(h, "out[1]", 7, test_put(h, "in", &t, 1));
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <=, 3);
}

/* One a cycle, back to back, to different units. */
static void test_reader_pipelined(void)
{
    g_autoptr(WwHarness) h = reader(NULL);
    WwInst *inst[3];
    for (uint32_t i = 0; i < 3; i++) {
        WwTiming t = test_fadd(1);
        t.unit = (uint8_t)i;
        inst[i] = test_put(h, "in", &t, i + 1);
        ww_harness_step(h, 1);
    }
    test_leaves_in(h, "out[0]", 3, inst[0]);
    test_leaves_in(h, "out[1]", 4, inst[1]);
    test_leaves_in(h, "out[2]", 5, inst[2]);
}

/* Without register ports, or with another one that ends with it, it stays, and its unit is reserved a cycle longer. */
static void test_reader_held(void)
{
    for (int by_unit = 0; by_unit < 2; by_unit++) {
        g_autoptr(WwHarness) h = reader(NULL);
        WwFakeUnit *sp = ww_harness_peer(h, "unit[1]");
        WwFakeRegisterPorts *ports = ww_harness_peer(h, "ports");
        WwTiming t = test_fadd(1);
        *(by_unit ? &sp->refuse : &ports->refuse) = 4;
        test_leaves_in(h, "out[1]", 4 + 3, test_put(h, "in", &t, 1));
        g_assert_cmpuint(sp->delayed, ==, 4);
        g_assert_cmpuint(ports->reads, ==, 1);
        g_assert_cmpuint(ports->asked, ==, by_unit ? 1 : 5);
        g_assert_cmpuint(ww_harness_stat(h, "held", 0), ==, 4);
        g_assert_cmpuint(ww_harness_stat(h, "instructions", 0), ==, 1);
    }
}

/* One of six stages, three cycles later one of three: they would share a stage, so the second takes the next. */
static void test_reader_stage_taken(void)
{
    g_autoptr(WwHarness) h = reader(NULL);
    WwTiming wide = test_fadd(1), t = test_fadd(2);
    wide.read_stages = 6;
    wide.unit = WW_UNIT_TENSOR;
    WwInst *first = test_put(h, "in", &wide, 1);
    ww_harness_step(h, 3);
    WwInst *second = test_put(h, "in", &t, 2);
    test_leaves_in(h, "out[3]", 6, first);
    test_leaves_in(h, "out[1]", 7, second);
    g_assert_cmpuint(ww_harness_stat(h, "held", 0), ==, 1);
    g_assert_cmpuint(((WwFakeUnit *)ww_harness_peer(h, "unit[1]"))->delayed, ==, 1);
}

/* A dispatch latch that is still taken: what was read stays in its stage, and what comes right behind it does, too. */
static void test_reader_latch_taken(void)
{
    g_autoptr(WwHarness) h = reader(NULL);
    WwTiming t = test_fadd(1), other = test_fadd(2);
    other.unit = WW_UNIT_INT;
    test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &t, 2);
    ww_harness_step(h, 1);
    WwInst *third = test_put(h, "in", &other, 3);
    ww_harness_step(h, 5); /* the first in 3, the second has waited in 4, 5, 6 */
    g_assert_cmpuint(ww_harness_stat(h, "latch_waits", 0), ==, 3);
    g_assert_cmpuint(ww_harness_count(h, "out[0]"), ==, 0);
    ww_harness_take(h, "out[1]", NULL, &(WwToken){0});
    test_leaves_in(h, "out[1]", 7, second);
    test_leaves_in(h, "out[0]", 8, third);
}

static void reader_refuses(const WwTiming *t, const char *says)
{
    g_autoptr(WwHarness) h = reader("depth=4");
    test_put(h, "in", t, 1);
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_str_has_suffix(error->message, says));
}

static void test_reader_refuses(void)
{
    WwTiming t = test_fadd(1);
    t.read_stages = 5;
    reader_refuses(&t, "takes 5 read stages of depth = 4; expected 1 to 4");
    t.unit = WW_UNIT_MEM;
    reader_refuses(&t, "goes to unit mem; expected that the sub-core has one");
}

void register_control_tests(void)
{
    g_test_add_func("/modern/control/passes", test_control_passes);
    g_test_add_func("/modern/control/ways", test_control_ways);
    g_test_add_func("/modern/control/held", test_control_held);
    g_test_add_func("/modern/control/blocks", test_control_blocks);
    g_test_add_func("/modern/control/no-unit", test_control_no_unit);
    g_test_add_func("/modern/read/stages", test_reader_stages);
    g_test_add_func("/modern/read/sleeps", test_reader_sleeps);
    g_test_add_func("/modern/read/pipelined", test_reader_pipelined);
    g_test_add_func("/modern/read/held", test_reader_held);
    g_test_add_func("/modern/read/stage-taken", test_reader_stage_taken);
    g_test_add_func("/modern/read/latch-taken", test_reader_latch_taken);
    g_test_add_func("/modern/read/refuses", test_reader_refuses);
}
