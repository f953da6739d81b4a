/* SPDX-License-Identifier: Apache-2.0 */
/* Units of a sub-core on a bench: fu.fixed, fu.sfu, fu.queued, dp.shared, and the way between sub-cores and SM. */
#include "backend.h"

#include <testing/fake_dependence.h>
#include <testing/fake_sub_core.h>
#include <testing/fake_warps.h>

static WwHarness *unit(const char *type, const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), type, params);
    ww_harness_channel(h, "in", "width=1");
    ww_harness_channel(h, "out", "width=1");
    ww_harness_start(h, NULL);
    return h;
}

/* ---- fu.fixed --------------------------------------------------------------------------------------------------- */

/* What stands in the latch since cycle d leaves in d + interval + latency, a predicate so much later. */
static void test_fixed_latency(void)
{
    static const uint16_t pair[][3] = {{2, 2, 0}, {2, 1, 0}, {1, 1, 0},   {3, 1, 0},
                                       {2, 2, 9}, {2, 2, 1}, {32, 32, 0}, {8, 8, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(pair); i++) {
        g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
        WwTiming t = test_fadd(1);
        t.latency = pair[i][0];
        t.interval = pair[i][1];
        t.extra = pair[i][2];
        ww_harness_step(h, 3); /* as if put in cycle 2 */
        WwInst *inst = test_put(h, "in", &t, 1);
        test_leaves_in(h, "out", 2u + t.interval + t.latency + t.extra, inst);
        g_assert_true(ww_harness_asleep(h));
        g_assert_cmpuint(ww_harness_stat(h, "issued", 0), ==, 1);
        g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, t.interval + t.latency + t.extra - 1u);
        g_assert_cmpuint(ww_harness_stat(h, "lanes", 0), ==, 32);
    }
}

/* The latch is empty again when the interval is over, and then the next one may come. */
static void test_fixed_latch(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    WwTiming t = test_fadd(1);
    t.interval = 4;
    ww_harness_step(h, 1);
    WwInst *first = test_put(h, "in", &t, 1);
    ww_harness_step(h, 3);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1); /* cycle 4 */
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    WwInst *second = test_put(h, "in", &t, 2);
    test_leaves_in(h, "out", 6, first);
    test_leaves_in(h, "out", 10, second);
    g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, 9); /* the same cycles count once */
}

/* One that would enter a stage that is taken waits in the latch; a short one that would not overtakes. */
static void test_fixed_stage(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    WwTiming slow = test_fadd(1), same = test_fadd(2), fast = test_fadd(3);
    slow.latency = 7;
    same.latency = 6;
    slow.interval = same.interval = fast.interval = 1;
    WwInst *first = test_put(h, "in", &slow, 1);
    ww_harness_step(h, 1); /* in cycle 0 it enters, to leave in 7 */
    WwInst *second = test_put(h, "in", &same, 2);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1); /* in 2 it enters, to leave in 8 */
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    WwInst *third = test_put(h, "in", &fast, 3);
    test_leaves_in(h, "out", 5, third);
    test_leaves_in(h, "out", 7, first);
    test_leaves_in(h, "out", 8, second);
}

/* A predicate and what is none come out together, from stages of their own, and not one behind the other. */
static void test_fixed_predicates(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "fu.fixed", NULL);
    ww_harness_channel(h, "in", "width=1");
    ww_harness_channel(h, "out", "width=8");
    ww_harness_start(h, NULL);
    WwTiming setp = test_fadd(1), t = test_fadd(2);
    setp.extra = 9;
    setp.dst_file = WW_FILE_OTHER;
    test_put(h, "in", &setp, 1); /* leaves in 12 */
    ww_harness_step(h, 9);
    test_put(h, "in", &t, 2); /* put in 8: 12 */
    ww_harness_step(h, 3);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 2);
}

/* Two predicates of different length that would be in one stage: the second keeps its own until there is room. */
static void test_fixed_predicate_stage(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    WwTiming longer = test_fadd(1), shorter = test_fadd(2);
    longer.interval = shorter.interval = 1;
    longer.extra = 5;
    shorter.extra = 4;
    WwInst *first = test_put(h, "in", &longer, 1); /* leaves in 0 + 2 + 5 */
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &shorter, 2); /* would in 1 + 2 + 4 */
    test_leaves_in(h, "out", 7, first);
    test_leaves_in(h, "out", 8, second);
}

/* Without a result it is over when it leaves. */
static void test_fixed_retires(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    WwFakeWarps *warps = ww_harness_peer(h, "warps");
    WwTiming t = test_fadd(1);
    t.dst_file = WW_FILE_NONE;
    ww_harness_step(h, 1);
    WwInst *inst = test_put(h, "in", &t, 1);
    ww_harness_step(h, 3);
    g_assert_cmpuint(warps->total.complete, ==, 0);
    ww_harness_step(h, 1); /* cycle 4 */
    g_assert_true(warps->completed == inst && warps->released == inst);
    g_assert_cmpuint(warps->total.result, ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "retired", 0), ==, 1);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    g_assert_true(ww_harness_asleep(h));
}

/* A result queue without room, which cannot be where slots are reserved: what would leave keeps its stage. */
static void test_fixed_no_room(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    WwTiming t = test_fadd(1);
    t.interval = 1;
    test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    WwInst *second = test_put(h, "in", &t, 2);
    ww_harness_step(h, 6); /* the first in 2; the second in 3 finds no room, nor in 4, 5, 6 */
    g_assert_cmpuint(ww_harness_stat(h, "result_waits", 0), ==, 4);
    ww_harness_take(h, "out", NULL, &(WwToken){0});
    test_leaves_in(h, "out", 7, second);
}

static void test_fixed_refuses(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", "depth=8");
    WwTiming t = test_fadd(1);
    t.latency = 9;
    test_put(h, "in", &t, 1);
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_str_has_suffix(error->message,
                                   "has a latency of 9 cycles and 0 for a predicate; expected at "
                                   "most depth = 8 and extra_depth = 16"));
}

/* The input is reserved for the interval, longer by each cycle that an instruction stands still, also one of a reservation that is over. */
static void test_fixed_reserve(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    void *self;
    const WwUnitIf *f = ww_harness_table(h, "unit", &self);
    g_assert_true(f->free(self));
    ww_harness_step(h, 5);
    f->reserve(self, 2);
    g_assert_false(f->free(self));
    g_assert_cmpuint(f->free_at(self), ==, 7);
    ww_harness_step(h, 1);
    f->delay(self);
    g_assert_cmpuint(f->free_at(self), ==, 8);
    ww_harness_step(h, 1);
    g_assert_false(f->free(self));
    ww_harness_step(h, 1);
    g_assert_true(f->free(self));
    ww_harness_step(h, 10);
    f->delay(self); /* in 18: not in this cycle */
    g_assert_false(f->free(self));
    ww_harness_step(h, 1);
    g_assert_true(f->free(self));
    g_assert_cmpuint(ww_harness_stat(h, "delays", 0), ==, 2);
}

/* No two end in a cycle; one that is over is forgotten, however long nobody asked. */
static void test_fixed_calendar(void)
{
    g_autoptr(WwHarness) h = unit("fu.fixed", NULL);
    void *self;
    const WwUnitIf *f = ww_harness_table(h, "unit", &self);
    f->book(self, 7);
    g_assert_false(f->fits(self, 7));
    g_assert_true(f->fits(self, 6) && f->fits(self, 8));
    ww_harness_step(h, 3);
    g_assert_true(f->fits(self, 7));
    g_assert_false(f->fits(self, 4));
    f->book(self, 511);
    ww_harness_step(h, 5); /* 8: what was booked for 7 is the bit of 519, too */
    g_assert_true(f->fits(self, 511));
    g_assert_false(f->fits(self, 506));
    ww_harness_step(h, 2000);
    for (uint32_t ahead = 0; ahead < 512; ahead++) {
        g_assert_true(f->fits(self, ahead));
    }
    g_assert_cmpuint(ww_harness_stat(h, "end_conflicts", 0), ==, 3);
    g_assert_false(f->fits(self, 512));
    ww_harness_step(h, 1);
    g_assert_error(ww_machine_error(ww_harness_machine(h)), WW_ERROR, WW_ERROR_MODEL);
}

/* ---- fu.sfu ----------------------------------------------------------------------------------------------------- */

/* Operands are read when it leaves the latch; the result waits for its latch, and others behind it. */
static void test_sfu(void)
{
    g_autoptr(WwHarness) h = unit("fu.sfu", NULL);
    WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
    WwTiming t = {
        .unit = WW_UNIT_SFU, .dst_file = WW_FILE_REGULAR, .n_dst = 1, .latency = 8, .interval = 8};
    ww_harness_step(h, 1);
    test_put(h, "in", &t, 1); /* in cycle 0 */
    ww_harness_step(h, 7);
    g_assert_cmpuint(dependence->read, ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(dependence->read, ==, 1);
    g_assert_cmpuint(dependence->cycle, ==, 8);
    WwInst *second = test_put(h, "in", &t, 2); /* in 8 */
    ww_harness_step(h, 7);
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 0);
    ww_harness_step(h, 1); /* 16 */
    g_assert_cmpuint(ww_harness_count(h, "out"), ==, 1);
    ww_harness_step(h, 11); /* to 27: the second has waited since 24 */
    g_assert_cmpuint(ww_harness_stat(h, "result_waits", 0), ==, 4);
    ww_harness_take(h, "out", NULL, &(WwToken){0});
    test_leaves_in(h, "out", 28, second);
    g_assert_cmpuint(dependence->read, ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "issued", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, 27); /* also while its result waits */
}

/* ---- fu.queued -------------------------------------------------------------------------------------------------- */

static WwHarness *queued(const char *params, bool shared)
{
    WwHarness *h = ww_harness_new(test_registry(), "fu.queued", params);
    ww_harness_channel(h, "in", "width=1");
    ww_harness_channel(h, "out", "width=1");
    if (shared) {
        ww_harness_fill(h, "dispatch", NULL, NULL);
    }
    ww_harness_start(h, NULL);
    return h;
}

/* As a load of a 32-bit word by a regular register. */
static WwTiming load(void)
{
    return (WwTiming){.unit = WW_UNIT_MEM,
                      .flags = WW_TAKES_TRANSFER,
                      .dst_file = WW_FILE_REGULAR,
                      .n_dst = 1,
                      .n_stages = 6,
                      .stage = {4, 0, 0, 0, 4, 1},
                      .war = 6,
                      .transfer = 2};
}

/* Latch, queue, 4 + 4 + 1 cycles: put in d, in the queue in d + 1, in the first stage in d + 2, over in d + 11; read in d + 8. */
static void test_queued_times(void)
{
    g_autoptr(WwHarness) h = queued(NULL, true);
    WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
    WwFakeRegisterPorts *ports = ww_harness_peer(h, "ports");
    WwFakeDispatchSlot *way = ww_harness_peer(h, "dispatch");
    WwTiming t = load();
    ww_harness_step(h, 1);
    WwInst *inst = test_put(h, "in", &t, 1); /* in 0 */
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    g_assert_cmpuint(ports->queued, ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ports->queued, ==, 1);
    test_leaves_in(h, "out", 11, inst);
    g_assert_cmpuint(dependence->read, ==, 1);
    g_assert_cmpuint(dependence->cycle, ==, 8);
    g_assert_cmpuint(way->taken, ==, 1);
    g_assert_cmpuint(way->cycles, ==, 2);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "issued", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, 10);
}

/* Whoever holds its sources until it is over is not said to have been read. */
static void test_queued_held(void)
{
    g_autoptr(WwHarness) h = queued(NULL, true);
    WwFakeDependence *dependence = ww_harness_peer(h, "dependence");
    WwTiming t = load();
    t.flags |= WW_TAKES_HELD;
    ww_harness_step(h, 1);
    test_leaves_in(h, "out", 11, test_put(h, "in", &t, 1));
    ww_harness_step(h, 4);
    g_assert_cmpuint(dependence->read, ==, 0);
    g_assert_true(ww_harness_asleep(h));
}

/* It runs when something happens: taken, into the queue, into the stages, read, from the first stage, from the last but one, out. */
static void test_queued_sleeps(void)
{
    g_autoptr(WwHarness) h = queued(NULL, true);
    WwTiming t = load();
    t.stage[0] = 100;
    ww_harness_step(h, 1);
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    test_leaves_in(h, "out", 107, test_put(h, "in", &t, 1));
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <=, 8);
}

/* Stages that take no time are passed over, the last never; what takes one cycle in each goes one a cycle. */
static void test_queued_stages(void)
{
    static const struct {
        uint8_t n;
        uint16_t stage[6];
        uint32_t cycles;
    } some[] = {{6, {4, 0, 0, 0, 4, 1}, 9}, {6, {1, 1, 1, 1, 1, 1}, 6},  {6, {0, 0, 0, 0, 0, 1}, 1},
                {6, {2, 0, 3, 0, 0, 0}, 6}, /* the last takes a cycle at any rate */
                {1, {1, 0, 0, 0, 0, 0}, 1}, {5, {1, 1, 1, 1, 13, 0}, 17}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        g_autoptr(WwHarness) h = queued(NULL, true);
        WwTiming t = load();
        t.n_stages = some[i].n;
        memcpy(t.stage, some[i].stage, sizeof some[i].stage);
        t.war = 1;
        ww_harness_step(h, 1);
        test_leaves_in(h, "out", 2 + some[i].cycles, test_put(h, "in", &t, 1));
    }
}

/* Each stage has one: with four cycles in the first and four in the last but one, one goes every four cycles. */
static void test_queued_rate(void)
{
    g_autoptr(WwHarness) h = queued("way_cycles=0", true);
    WwTiming t = load();
    WwInst *inst[6];
    ww_harness_step(h, 1);
    uint32_t put = 0, out = 0;
    static const WwCycle put_in[] = {0, 1, 2, 3, 4, 11}; /* a queue of 4, one in the latch */
    for (WwCycle cycle = 0; cycle < 40; cycle++) {
        WwToken token;
        if (put < 6 && ww_harness_count(h, "in") == 0) {
            g_assert_cmpuint(cycle, ==, put_in[put]);
            inst[put] = test_put(h, "in", &t, put + 1);
            put++;
        }
        ww_harness_step(h, 1);
        while (ww_harness_take(h, "out", NULL, &token)) {
            g_assert_true(ww_token_pointer(token) == inst[out]);
            g_assert_cmpuint(cycle + 1, ==, 11 + 4 * out);
            out++;
        }
    }
    g_assert_cmpuint(out, ==, 6);
    g_assert_cmpuint(ww_harness_stat(h, "most", 0), ==, 4);
}

/* It goes over when the way is free and the latch there is empty; while it cannot its operands are read all the same. */
static void test_queued_way(void)
{
    g_autoptr(WwHarness) h = queued(NULL, true);
    WwFakeDispatchSlot *way = ww_harness_peer(h, "dispatch");
    WwTiming t = load();
    t.war = 2;
    way->free_at = 17;
    ww_harness_step(h, 1);
    test_leaves_in(h, "out", 17, test_put(h, "in", &t, 1));
    g_assert_cmpuint(ww_harness_stat(h, "out_waits", 0), ==, 6);
    test_put(h, "in", &t, 2);
    ww_harness_step(h, 10);
    WwInst *second = test_put(h, "in", &t, 3);
    ww_harness_step(h, 30); /* nobody takes the first */
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(way->taken, ==, 2);
    g_assert_cmpuint(((WwFakeDependence *)ww_harness_peer(h, "dependence"))->read, ==, 3);
    ww_harness_take(h, "out", NULL, &(WwToken){0});
    test_leaves_in(h, "out", ww_harness_now(h), second);
}

/* Without ports it stays in the queue, and asks again each cycle. */
static void test_queued_ports(void)
{
    g_autoptr(WwHarness) h = queued(NULL, true);
    WwFakeRegisterPorts *ports = ww_harness_peer(h, "ports");
    WwTiming t = load();
    ports->refuse = 3;
    ww_harness_step(h, 1);
    test_leaves_in(h, "out", 11 + 3, test_put(h, "in", &t, 1));
    g_assert_cmpuint(ports->asked, ==, 4);
}

/* Without a way to the SM what leaves is a result, or over. */
static void test_queued_alone(void)
{
    g_autoptr(WwHarness) h = queued("queue=3", false);
    WwFakeWarps *warps = ww_harness_peer(h, "warps");
    WwTiming t = {.unit = WW_UNIT_QUEUED,
                  .dst_file = WW_FILE_UNIFORM,
                  .n_dst = 1,
                  .n_stages = 1,
                  .stage = {1},
                  .war = 1};
    ww_harness_step(h, 1);
    test_leaves_in(h, "out", 3, test_put(h, "in", &t, 1));
    t.dst_file = WW_FILE_NONE;
    WwInst *inst = test_put(h, "in", &t, 2); /* in 3 */
    ww_harness_step(h, 2);
    g_assert_cmpuint(warps->total.complete, ==, 0);
    ww_harness_step(h, 1); /* 6 */
    g_assert_true(warps->completed == inst && warps->released == inst);
    g_assert_cmpuint(ww_harness_stat(h, "retired", 0), ==, 1);
}

/* ---- dp.shared -------------------------------------------------------------------------------------------------- */

static WwHarness *dp(void)
{
    WwHarness *h = ww_harness_new(test_registry(), "dp.shared", NULL);
    ww_harness_channel(h, "in", "width=1");
    for (int i = 0; i < 4; i++) {
        g_autofree char *out = g_strdup_printf("out[%d]", i);
        ww_harness_channel(h, out, "width=1");
    }
    ww_harness_start(h, NULL);
    return h;
}

static WwInst *put_dp(WwHarness *h, uint8_t sub_core, WwRegFile file, uint64_t uid)
{
    WwTiming t = {.unit = WW_UNIT_DP,
                  .flags = WW_TAKES_TRANSFER,
                  .dst_file = (uint8_t)file,
                  .n_dst = 2,
                  .latency = 24,
                  .interval = 16,
                  .transfer = 4};
    WwInst *inst = test_timed(h, &t, uid);
    inst->sched = sub_core;
    g_assert_true(ww_harness_put(h, "in", -1, ww_token_of(inst)));
    return inst;
}

/* Taken in a, at its sub-core in a + 25; the next is taken in a + 16. */
static void test_dp(void)
{
    g_autoptr(WwHarness) h = dp();
    WwInst *first = put_dp(h, 2, WW_FILE_REGULAR, 1);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    WwInst *second = put_dp(h, 3, WW_FILE_REGULAR, 2);
    ww_harness_step(h, 15);
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 1);
    ww_harness_step(h, 1); /* 16 */
    g_assert_cmpuint(ww_harness_count(h, "in"), ==, 0);
    test_leaves_in(h, "out[2]", 25, first);
    test_leaves_in(h, "out[3]", 16 + 25, second);
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "issued", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "busy", 0), ==, 16 + 25);
}

/* While another one is on the way over, nothing is taken. */
static void test_dp_way(void)
{
    g_autoptr(WwHarness) h = dp();
    WwFakeDispatchSlot *way = ww_harness_peer(h, "dispatch");
    way->free_at = 4;
    test_leaves_in(h, "out[0]", 4 + 25, put_dp(h, 0, WW_FILE_REGULAR, 1));
}

static void test_dp_full(void)
{
    g_autoptr(WwHarness) h = dp();
    put_dp(h, 1, WW_FILE_REGULAR, 1);
    ww_harness_step(h, 1);
    WwInst *second = put_dp(h, 1, WW_FILE_REGULAR, 2);
    ww_harness_step(h, 49); /* the second has waited in 41 to 49 */
    g_assert_cmpuint(ww_harness_stat(h, "result_waits", 0), ==, 9);
    ww_harness_take(h, "out[1]", NULL, &(WwToken){0});
    test_leaves_in(h, "out[1]", 50, second);
}

static void test_dp_retires(void)
{
    g_autoptr(WwHarness) h = dp();
    WwFakeWarps *warps = ww_harness_peer(h, "warps");
    WwInst *inst = put_dp(h, 1, WW_FILE_NONE, 1);
    ww_harness_step(h, 25);
    g_assert_cmpuint(warps->total.complete, ==, 0);
    ww_harness_step(h, 1);
    g_assert_true(warps->completed == inst && warps->released == inst);
}

static void test_dp_no_sub_core(void)
{
    g_autoptr(WwHarness) h = dp();
    put_dp(h, 4, WW_FILE_REGULAR, 1);
    ww_harness_step(h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(
        g_str_has_suffix(error->message, "comes from sub-core 4; expected that `out` leads there"));
}

/* ---- dispatch_slot ---------------------------------------------------------------------------------------------- */

static void test_way(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "dispatch_slot", NULL);
    ww_harness_start(h, NULL);
    void *self;
    const WwDispatchSlotIf *f = ww_harness_table(h, "slot", &self);
    ww_harness_step(h, 3);
    g_assert_true(f->free(self));
    f->take(self, 2);
    g_assert_false(f->free(self));
    g_assert_cmpuint(f->free_at(self), ==, 5);
    ww_harness_step(h, 1);
    g_assert_false(f->free(self));
    ww_harness_step(h, 1);
    g_assert_true(f->free(self));
    g_assert_cmpuint(ww_harness_stat(h, "taken", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "cycles", 0), ==, 2);
}

/* Sub-cores 0 to 3 always have something: who goes, every two cycles. */
static char *who_goes(const char *params, uint32_t cycles)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "dispatch_slot", params);
    ww_harness_start(h, NULL);
    void *self;
    const WwDispatchSlotIf *f = ww_harness_table(h, "slot", &self);
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < cycles; i++) {
        ww_harness_step(h, 1);
        for (uint32_t core = 0; core < 4; core++) {
            if (f->offer(self, core)) {
                f->take(self, 2);
                g_string_append_printf(s, "%u", core);
            }
        }
    }
    return g_string_free(s, FALSE);
}

static void test_way_order(void)
{
    g_autofree char *code = who_goes(NULL, 16), *paper = who_goes("order=paper", 16);
    g_assert_cmpstr(code, ==, "00000000");
    g_assert_cmpstr(paper, ==, "01230123");
}

void register_units_tests(void)
{
    g_test_add_func("/modern/way/order", test_way_order);
    g_test_add_func("/modern/fixed/latency", test_fixed_latency);
    g_test_add_func("/modern/fixed/latch", test_fixed_latch);
    g_test_add_func("/modern/fixed/stage", test_fixed_stage);
    g_test_add_func("/modern/fixed/predicates", test_fixed_predicates);
    g_test_add_func("/modern/fixed/predicate-stage", test_fixed_predicate_stage);
    g_test_add_func("/modern/fixed/retires", test_fixed_retires);
    g_test_add_func("/modern/fixed/no-room", test_fixed_no_room);
    g_test_add_func("/modern/fixed/refuses", test_fixed_refuses);
    g_test_add_func("/modern/fixed/reserve", test_fixed_reserve);
    g_test_add_func("/modern/fixed/calendar", test_fixed_calendar);
    g_test_add_func("/modern/sfu/times", test_sfu);
    g_test_add_func("/modern/queued/times", test_queued_times);
    g_test_add_func("/modern/queued/held", test_queued_held);
    g_test_add_func("/modern/queued/sleeps", test_queued_sleeps);
    g_test_add_func("/modern/queued/stages", test_queued_stages);
    g_test_add_func("/modern/queued/rate", test_queued_rate);
    g_test_add_func("/modern/queued/way", test_queued_way);
    g_test_add_func("/modern/queued/ports", test_queued_ports);
    g_test_add_func("/modern/queued/alone", test_queued_alone);
    g_test_add_func("/modern/dp/times", test_dp);
    g_test_add_func("/modern/dp/way", test_dp_way);
    g_test_add_func("/modern/dp/full", test_dp_full);
    g_test_add_func("/modern/dp/retires", test_dp_retires);
    g_test_add_func("/modern/dp/no-sub-core", test_dp_no_sub_core);
    g_test_add_func("/modern/way/taken", test_way);
}
