/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that units send ahead of time, beside those that they put by hand: the same come at the same time, into the same registers,
 * from whatever tick on somebody looks at each of them, and also where there are fewer registers than come at once.
 */
#include "tests.h"

#include "types.h"
#include <ports/execute.h>
#include <tests/support/machine.h>

#define N_UNITS 4u
#define N_INSTS 200u
#define TICKS 120u

/* What comes out, as write-back takes it. */
typedef struct Drain {
    WwComponent base;
    WwPort in;
    uint32_t turns, n;
    struct {
        WwCycle at;
        uint32_t uid;
    } out[N_INSTS];
} Drain;

static void take(Drain *d, const WwInst *inst)
{
    d->out[d->n].at = ww_now(d);
    d->out[d->n++].uid = inst->uid;
}

static WwRest drain_tick(void *self)
{
    Drain *d = self;
    WwInst *inst;
    int slot;
    d->turns++;
    while ((inst = ww_regs_take_sent(&d->in, ww_now(d))) != NULL) {
        take(d, inst);
    }
    while ((slot = ww_regs_oldest(&d->in)) >= 0) {
        take(d, ww_regs_take(&d->in, slot));
    }
    return ww_regs_rest(&d->in, ww_now(d));
}

static bool drain_init(void *self, GError **error)
{
    ww_regs_drains(&((Drain *)self)->in);
    return true;
}

static const WwPortRow drain_ports[] = {
    WW_PORT_IN(Drain, in, &ww_contract_inst, 1, "results"),
    {0},
};
static const WwEntryRow drain_entries[] = {
    {.name = "drain", .phase = "core", .tick = drain_tick, .doc = "takes all"},
    {0},
};
static const WwType drain_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.drain",
    .doc = "takes all that comes",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Drain),
    .ports = drain_ports,
    .entries = drain_entries,
    .init = drain_init,
};

/* The test's own end. */
typedef struct Ends {
    WwComponent base;
    WwPort in;
} Ends;

static const WwPortRow ends_ports[] = {
    WW_PORT_OUT(Ends, in, &ww_contract_inst, 1, "to the units"),
    {0},
};
static const WwType ends_type = TEST_ENDS_TYPE(Ends, ends_ports);

typedef struct Rig {
    WwMachine *m;
    Ends *ends;
    WwRegisterSet *out;
    Drain *drain;
    WwInst inst[N_INSTS];
} Rig;

static Rig *rig_new(const char *width, const char *multiplier)
{
    Rig *r = g_new0(Rig, 1);
    r->m = test_beating_machine();
    WwComponent *bus = test_add_type(r->m, NULL, &result_bus_type, "bus", -1);
    test_set_one(bus, "width", "8");
    WwComponent *in = test_add_type(r->m, NULL, &ww_register_set_type, "oc_ex", -1);
    r->out = test_add_type(r->m, NULL, &ww_register_set_type, "ex_wb", -1);
    test_set_one(in, "width", "4");
    test_set_one(in, "private", "true");
    test_set_one(r->out, "width", width);
    r->ends = test_add_type(r->m, NULL, &ends_type, "ends", -1);
    r->drain = test_add_type(r->m, NULL, &drain_type, "drain", -1);
    test_join(r->ends, "in", in);
    test_join(r->drain, "in", r->out);
    for (uint32_t i = 0; i < N_UNITS; i++) { /* the last in the order is the first that writes */
        WwComponent *u = test_add_type(r->m, NULL, &fu_pipelined_type, "unit", (int)i);
        test_set_one(u, "clock_multiplier", multiplier);
        test_join(u, "in", in);
        test_join(u, "bus", bus);
    }
    for (uint32_t i = N_UNITS; i-- > 0;) {
        test_join(ww_machine_find(r->m, (char[]){'u', 'n', 'i', 't', '[', (char)('0' + i), ']', 0}),
                  "out", r->out);
    }
    test_seal(r->m, false);
    return r;
}

static void rig_free(Rig *r)
{
    ww_machine_free(r->m);
    g_free(r);
}

/* One instruction, or none, for each unit. */
static void feed(Rig *r, GRand *random)
{
    static const WwSinst s = {.opcode = "TEST"};
    static const uint16_t pair[][2] = {{2, 1}, {2, 2}, {4, 1}, {4, 2}, {8, 4}, {21, 8}};
    for (uint8_t k = 0; k < N_UNITS; k++) {
        uint32_t draw = g_rand_int(random);
        int slot = ww_regs_free(&r->ends->in, k);
        if (slot < 0 || draw % 4 == 0) {
            continue;
        }
        uint32_t uid = 0;
        while (r->inst[uid].uid != 0) {
            uid++;
        }
        const uint16_t *kind = pair[draw / 4 % G_N_ELEMENTS(pair)];
        r->inst[uid] = (WwInst){.s = &s,
                                .uid = uid + 1,
                                .order = uid + 1,
                                .mask = 1,
                                .sched = k,
                                .op = WW_OP_SP,
                                .latency = kind[0],
                                .interval = kind[1]};
        ww_regs_put(&r->ends->in, slot, &r->inst[uid]);
    }
}

static uint32_t fill_of(const WwRegisterSet *s)
{
    WwFill fill;
    ww_register_set_type.channel->fill(s, &fill);
    return fill.tokens;
}

static uint32_t uid_at(const WwRegisterSet *s, uint32_t slot)
{
    return s->full >> slot & 1u ? s->reg[slot]->uid : 0;
}

static void compare(const Rig *hand, const Rig *ahead, bool tapped)
{
    g_assert_cmpuint(fill_of(hand->out), ==, fill_of(ahead->out));
    for (uint32_t i = 0; tapped && i < hand->out->width; i++) {
        g_assert_cmpuint(uid_at(hand->out, i), ==, uid_at(ahead->out, i));
    }
    g_assert_cmpuint(hand->drain->n, ==, ahead->drain->n);
    for (uint32_t i = 0; i < hand->drain->n; i++) {
        g_assert_cmpuint(hand->drain->out[i].at, ==, ahead->drain->out[i].at);
        g_assert_cmpuint(hand->drain->out[i].uid, ==, ahead->drain->out[i].uid);
    }
}

/* Somebody looks from tick @p from on. Returns by how many turns of all components the one is ahead of the other. */
static int64_t run(const char *width, const char *multiplier, uint32_t from)
{
    Rig *hand = rig_new(width, multiplier), *ahead = rig_new(width, multiplier);
    g_autoptr(GRand) one = g_rand_new_with_seed(7), other = g_rand_new_with_seed(7);
    ww_machine_set_fingerprint(hand->m, true);
    for (uint32_t t = 0; t < TICKS; t++) {
        if (t == from) {
            ww_machine_set_fingerprint(ahead->m, true);
            compare(hand, ahead, true);
        }
        if (t % 40 < 20) {
            feed(hand, one);
            feed(ahead, other);
        }
        g_assert_cmpint(ww_run(hand->m, 1), ==, WW_RUN_BUDGET);
        g_assert_cmpint(ww_run(ahead->m, 1), ==, WW_RUN_BUDGET);
        compare(hand, ahead, t >= from);
    }
    g_assert_cmpuint(hand->drain->n, >, 50);
    int64_t turns = (int64_t)(ww_machine_activations(hand->m) - ww_machine_activations(ahead->m));
    rig_free(hand);
    rig_free(ahead);
    return turns;
}

static void test_ahead(void)
{
    g_assert_cmpint(run("8", "1", TICKS), >, 20); /* and it costs fewer turns */
    run("8", "2", TICKS);
    for (uint32_t from = 0; from < 50; from++) {
        run("8", "1", from);
        run("8", "2", from);
    }
}

/* Fewer registers than come at once: from then on each unit puts its own, and those that find none wait. */
static void test_narrow(void)
{
    for (uint32_t from = 0; from < 50; from += 7) {
        run("1", "1", from);
        run("2", "1", from);
        run("2", "2", from);
    }
    run("1", "1", TICKS);
}

/* Units that are faster than the clock might overtake themselves in a tick: they put by hand. */
static void test_by_hand(void)
{
    for (uint32_t multiplier = 1; multiplier <= 2; multiplier++) {
        Rig *r = rig_new("8", multiplier == 1 ? "1" : "2");
        g_assert_cmpuint(r->out->ahead->until, ==, multiplier == 1 ? WW_NEVER : 0);
        rig_free(r);
    }
}

void register_ahead_tests(void)
{
    g_test_add_func("/execute/ahead/same", test_ahead);
    g_test_add_func("/execute/ahead/narrow", test_narrow);
    g_test_add_func("/execute/ahead/by_hand", test_by_hand);
}
