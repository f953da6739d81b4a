/* SPDX-License-Identifier: Apache-2.0 */
/* The core of the kernel: order, waking, gates, rotation and repetition, settling, run limits, explanations, binding errors. */
#include "tests.h"
#include <string.h>
#include <warpwright/event.h>
#include <warpwright/machine.h>

/* ---- a part that writes down when it ran ------------------------------------------------------------------------ */

static GString *diary; /* one letter a turn, '|' between ticks by the tests */

/* A level between parts: what a test channel carries. */
typedef struct Pipe {
    WwChannel ch;
    uint64_t tokens;
    uint32_t refused;
} Pipe;

static const WwPayload payload = {.name = "bit", .version = 1};
static const WwPayload other_payload = {.name = "other", .version = 1};
/* clang-format off */
static const WwContract bit = {.name = "bit", .doc = "bits", .version = 1, .kind = WW_CHANNEL, .channel = "pipe", .payload = &payload};
static const WwContract other = {.name = "other", .doc = "others", .version = 1, .kind = WW_CHANNEL, .channel = "pipe", .payload = &other_payload};
static const char *const ranks[] = {"first", "second", NULL};
static const WwContract desk = {.name = "desk", .doc = "a desk", .version = 1, .kind = WW_INTERFACE, .ranks = ranks};

static const WwParamRow pipe_params[] = {
    {.name = "same", .kind = WW_PARAM_BOOL, .unit = "", .def = "false", .doc = "writer first",
     .offset = WW_FIELD(Pipe, ch.same, bool)},
    {.name = "latency", .kind = WW_PARAM_UINT, .unit = "cycles", .def = "0", .doc = "no order",
     .offset = WW_FIELD(Pipe, ch.latency, uint32_t)},
    {0}};
static const WwType pipe_type = {.abi = WW_ABI_VERSION, .name = "pipe", .doc = "a test channel", .family = "test",
                                 .flags = WW_TYPE_CHANNEL, .size = sizeof(Pipe), .params = pipe_params};

typedef struct Part {
    WwComponent base;
    uint32_t rest;     /* what it answers; 0: sleep */
    bool sends;        /* puts a token at each turn */
    const char *mark;
    WwPort in[4], out[4], first, second;
    uint32_t n_in, n_out;
    WwProvided offered;
    uint64_t turns, slept;
} Part;

static WwRest part_turn(void *self)
{
    Part *p = self;
    p->turns++;
    g_string_append(diary, p->mark);
    for (uint32_t i = 0; i < p->n_in; i++) {
        ((Pipe *)p->in[i].peer)->tokens = 0;
    }
    for (uint32_t i = 0; p->sends && i < p->n_out; i++) {
        Pipe *k = p->out[i].peer;
        k->tokens++;
        ww_wake(&k->ch.reader->wake);
    }
    return p->rest == 0 ? WW_SLEEP : p->rest;
}

static void part_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Part *)self)->slept += n;
}

static void part_explain(void *self, WwExplain *e)
{
    Part *p = self;
    for (uint32_t i = 0; i < p->n_out; i++) {
        ww_explain_waits(e, ((Pipe *)p->out[i].peer)->ch.reader->who, "room in front");
    }
}

static int desk_table;
static const WwParamRow part_params[] = {
    WW_UINT(Part, rest, "cycles", "1", 0, 1e6, "answer"),
    WW_BOOL(Part, sends, "false", "puts"),
    WW_STRING(Part, mark, "x", "in the diary"),
    {0}};
static const WwPortRow part_ports[] = {
    WW_PORT_ARRAY(Part, in, WW_IN, &bit, 0, NULL, "in"),
    WW_PORT_ARRAY(Part, out, WW_OUT, &bit, 0, NULL, "out"),
    WW_PORT_REQUIRES(Part, first, &desk, 0, "first", "acts first"),
    WW_PORT_REQUIRES(Part, second, &desk, 0, "second", "acts second"),
    WW_PORT_PROVIDES(Part, offered, &desk, &desk_table, "a desk"),
    {0}};
static const WwStatRow part_stats[] = {
    WW_COUNTER(Part, turns, "turns", "run"), WW_COUNTER(Part, slept, "cycles", "settled"), {0}};
static const WwEntryRow part_entries[] = {{.name = "turn", .phase = "main", .tick = part_turn, .doc = "x"}, {0}};
static const WwType part_type = {.abi = WW_ABI_VERSION, .name = "part", .doc = "a test part", .family = "test",
                                 .size = sizeof(Part), .params = part_params, .ports = part_ports,
                                 .stats = part_stats, .entries = part_entries, .settle = part_settle,
                                 .explain = part_explain};

typedef struct Odd {
    WwComponent base;
    WwPort need;
    WwPort strange;
} Odd;
static const WwPortRow odd_ports[] = {WW_PORT_REQUIRES(Odd, need, &desk, 1, "first", "needs a desk"),
                                      WW_PORT_OUT(Odd, strange, &other, 0, "others"), {0}};
static const WwType odd_type = {.abi = WW_ABI_VERSION, .name = "odd", .doc = "needs things", .family = "test",
                                .size = sizeof(Odd), .ports = odd_ports};
/* clang-format on */

static WwRegistry *registry;

static WwMachine *machine(void)
{
    GError *error = NULL;
    if (registry == NULL) {
        registry = ww_registry_new();
        const WwType *const types[] = {&pipe_type, &part_type, &odd_type, NULL};
        ww_registry_add_all(registry, types, "test", &error);
        g_assert_no_error(error);
    }
    if (diary != NULL) {
        g_string_free(diary, true);
    }
    diary = g_string_new(NULL);
    WwMachine *m = ww_machine_new(registry);
    g_assert_nonnull(ww_machine_add_domain(m, "core", 1e9, &error));
    g_assert_true(ww_machine_add_phase(m, "main", "core", &error));
    return m;
}

static Part *part(WwMachine *m, WwGroup *g, const char *mark, uint32_t rest)
{
    GError *error = NULL;
    WwComponent *c = ww_machine_add(m, g != NULL ? g : ww_machine_root(m), &part_type, mark, -1,
                                    (WwLocation){"test.plat", 1, 2});
    g_autofree char *text = g_strdup_printf("%u", rest);
    ww_component_set_text(c, "mark", mark, &error);
    ww_component_set_text(c, "rest", text, &error);
    g_assert_no_error(error);
    return (Part *)c;
}

static Pipe *join(Part *from, Part *to, const char *param)
{
    GError *error = NULL;
    WwMachine *m = from->base.machine;
    WwComponent *k = ww_machine_add(m, ww_machine_root(m), &pipe_type, "pipe", -1, (WwLocation){0});
    if (param != NULL) {
        ww_component_set_text(k, param, "1", &error);
    }
    g_assert_true(
        ww_bind(&from->base, ww_type_port(&part_type, "out"), k, -1, (WwLocation){0}, &error));
    g_assert_true(
        ww_bind(&to->base, ww_type_port(&part_type, "in"), k, -1, (WwLocation){0}, &error));
    g_assert_no_error(error);
    return (Pipe *)k;
}

static void seal(WwMachine *m)
{
    GError *error = NULL;
    ww_machine_seal(m, &error);
    g_assert_no_error(error);
}

/* Runs n ticks, '|' after each in the diary. */
static void run(WwMachine *m, int n)
{
    for (int i = 0; i < n; i++) {
        ww_run(m, 1);
        g_string_append_c(diary, '|');
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

static void test_consumer_first(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 1), *b = part(m, NULL, "b", 1), *c = part(m, NULL, "c", 1);
    join(a, b, NULL);
    join(b, c, NULL);
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "cba|cba|");
    ww_machine_free(m);
}

static void test_same_puts_writer_first(void)
{
    WwMachine *m = machine();
    Part *b = part(m, NULL, "b", 1), *a = part(m, NULL, "a", 1);
    join(a, b, "same");
    seal(m);
    run(m, 1);
    g_assert_cmpstr(diary->str, ==, "ab|");
    ww_machine_free(m);
}

static void test_latency_imposes_no_order(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 1), *b = part(m, NULL, "b", 1);
    join(a, b, "latency");
    join(b, a, "latency");
    seal(m);
    run(m, 1);
    g_assert_cmpstr(diary->str, ==, "ab|");
    ww_machine_free(m);
}

static void test_ranks(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    Part *late = part(m, NULL, "l", 1), *early = part(m, NULL, "e", 1), *d = part(m, NULL, "d", 0);
    ww_bind(&late->base, ww_type_port(&part_type, "second"), &d->base, -1, (WwLocation){0}, &error);
    ww_bind(&early->base, ww_type_port(&part_type, "first"), &d->base, -1, (WwLocation){0}, &error);
    g_assert_no_error(error);
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "eld|el|");
    g_assert_cmpuint(d->offered.n, ==, 2);
    g_assert_true(ww_provided_client(&d->offered, 0, 0)->who == &early->base);
    ww_machine_free(m);
}

static void test_loop_is_refused(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    Part *a = part(m, NULL, "a", 1), *b = part(m, NULL, "b", 1);
    join(a, b, NULL);
    join(b, a, NULL);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
    g_assert_nonnull(strstr(error->message, "no order exists in phase 'main'"));
    g_assert_nonnull(strstr(error->message, "b.turn before a.turn before b.turn"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_group_in_the_way_is_dissolved(void)
{
    WwMachine *m = machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g"});
    Part *a = part(m, g, "a", 1), *b = part(m, NULL, "b", 1), *c = part(m, g, "c", 1);
    join(a, b, NULL); /* c b a: b has to stand between the members of g */
    join(b, c, NULL);
    seal(m);
    run(m, 1);
    g_assert_cmpstr(diary->str, ==, "cba|");
    ww_machine_free(m);
}

/* ---- sleep and wake --------------------------------------------------------------------------------------------- */

static void test_rest_and_settle(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 3);
    part(m, NULL, "k", 1);
    seal(m);
    run(m, 8);
    g_assert_cmpstr(diary->str, ==, "ak|k|k|ak|k|k|ak|k|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns, ==, 3);
    g_assert_cmpuint(a->slept, ==,
                     5); /* turns + slept == edges, also for the last, unfinished rest */
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 5);
    ww_machine_free(m);
}

/* Each rest is settled by itself, also one of a single cycle. */
static void test_settle_each_rest(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 2);
    part(m, NULL, "k", 1);
    seal(m);
    run(m, 7);
    g_assert_cmpuint(a->turns, ==, 4);
    g_assert_cmpuint(a->slept, ==, 3);
    ww_machine_free(m);
}

/* A wake acts in this tick when the sleeper's place is still to come, else in the next. */
static void test_wake_place(void)
{
    for (int same = 0; same < 2; same++) {
        WwMachine *m = machine();
        Part *a = part(m, NULL, "a", 4), *b = part(m, NULL, "b", 0);
        join(a, b, same ? "same" : NULL);
        a->sends = true;
        seal(m);
        run(m, 6);
        g_assert_cmpstr(diary->str, ==, same ? "ab||||ab||" : "ba|b|||a|b|");
        ww_machine_free(m);
    }
}

static void test_no_sleep_runs_everything(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 3);
    part(m, NULL, "b", 0);
    ww_machine_set_no_sleep(m, true);
    seal(m);
    run(m, 3);
    g_assert_cmpstr(diary->str, ==, "ab|ab|ab|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 0);
    ww_machine_free(m);
}

static void test_skipped_time_counts(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 1000);
    seal(m);
    g_assert_cmpint(ww_run(m, 2500), ==, WW_RUN_BUDGET);
    g_assert_cmpuint(ww_machine_tick(m), ==, 2500);
    g_assert_cmpuint(ww_machine_activations(m), ==, 3);
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 2497);
    ww_machine_free(m);
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static void test_rotate(void)
{
    WwMachine *m = machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    part(m, g, "a", 1);
    part(m, g, "b", 1);
    part(m, g, "c", 2);
    seal(m);
    run(m, 5);
    g_assert_cmpstr(diary->str, ==, "abc|ba|cab|ab|bca|");
    ww_machine_free(m);
}

static void test_repeat(void)
{
    WwMachine *m = machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m),
                                      &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 3});
    Part *a = part(m, g, "a", 1);
    part(m, NULL, "k", 1);
    part(m, g, "b", 0);
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "abaak|aaak|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns + a->slept, ==, 6);
    ww_machine_free(m);
}

/* Waking an earlier member of a repeat group acts in the next round, a later one in this. */
static void test_repeat_wakes_next_round(void)
{
    WwMachine *m = machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m),
                                      &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 2});
    Part *a = part(m, g, "a", 5), *b = part(m, g, "b", 0);
    join(a, b, NULL); /* order: b, a */
    a->sends = true;
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "bab||"); /* b again in round 2 of the same tick */
    ww_machine_free(m);
}

/* ---- gates ------------------------------------------------------------------------------------------------------ */

static void test_gate(void)
{
    WwMachine *m = machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    Part *a = part(m, g, "a", 1), *b = part(m, g, "b", 4);
    part(m, NULL, "k", 1);
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "k|k|"); /* closed at power-on */
    ww_gate(a, true);
    run(m, 3);
    ww_gate(a, false);
    run(m, 2);
    ww_gate(a, true);
    run(m, 1);
    g_assert_cmpstr(diary->str, ==, "k|k|abk|ak|ak|k|k|abk|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns, ==, 4);
    g_assert_cmpuint(a->slept, ==, 0);
    g_assert_cmpuint(b->turns + b->slept, ==, 4); /* closed edges do not count */
    ww_machine_free(m);
}

static Part *gated;

/* Its turns come after those of the phase `main`: opens the gate in tick 1, closes it in tick 3. */
static WwRest doorkeeper_turn(void *self)
{
    if (ww_now(self) == 1 || ww_now(self) == 3) {
        ww_gate(gated, ww_now(self) == 1);
    }
    return WW_AGAIN;
}

/* A later phase that opens or closes a gate means the next edge: the present one was closed, or was had. */
static void test_gate_from_a_later_phase(void)
{
    static const WwEntryRow entries[] = {
        {.name = "turn", .phase = "late", .tick = doorkeeper_turn, .doc = "x"}, {0}};
    WwType doorkeeper = part_type;
    doorkeeper.name = "doorkeeper";
    doorkeeper.entries = entries;
    WwMachine *m = machine();
    GError *error = NULL;
    g_assert_true(ww_machine_add_phase(m, "late", "core", &error));
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    gated = part(m, g, "a", 1);
    Part *b = part(m, g, "b", 0);
    g_assert_nonnull(
        ww_machine_add(m, ww_machine_root(m), &doorkeeper, "d", -1, (WwLocation){"x.plat", 1, 1}));
    seal(m);
    run(m, 6);
    g_assert_cmpstr(diary->str, ==, "||ab|a|||");
    ww_machine_settle(m);
    g_assert_cmpuint(gated->turns, ==, 2);
    g_assert_cmpuint(gated->slept, ==, 0);
    g_assert_cmpuint(b->turns + b->slept, ==, 2);
    ww_machine_free(m);
}

static void test_no_sleep_keeps_gates(void)
{
    WwMachine *m = machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    part(m, g, "a", 1);
    part(m, NULL, "k", 1);
    ww_machine_set_no_sleep(m, true);
    seal(m);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "k|k|");
    ww_machine_free(m);
}

static void test_rotation_counts_clocked_ticks(void)
{
    WwMachine *m = machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    WwGroup *r = ww_machine_add_group(m, g, &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    Part *a = part(m, r, "a", 1);
    part(m, r, "b", 1);
    part(m, NULL, "k", 1);
    seal(m);
    ww_gate(a, true);
    run(m, 1);
    ww_gate(a, false);
    run(m, 3);
    ww_gate(a, true);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "abk|k|k|k|bak|abk|");
    ww_machine_free(m);
}

/* Edges during which a rotation turns out to have stood still do not move it on. */
static void test_rotation_stands_still(void)
{
    WwMachine *m = machine();
    WwGroup *r =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    WwGroup *inner = ww_machine_add_group(m, r, &(WwGroupSpec){.name = "g"});
    Part *a = part(m, inner, "a", 1);
    part(m, r, "b", 1);
    part(m, r, "c", 1);
    seal(m);
    run(m, 2);
    ww_rotation_still(a, 1), run(m, 2);
    ww_rotation_still(a, 2);
    run(m, 1);
    g_assert_cmpstr(diary->str, ==, "abc|bca|bca|cab|bca|");
    ww_machine_reset(m);
    g_string_truncate(diary, 0);
    run(m, 2);
    ww_machine_reset(m);
    ww_rotation_still(a, WW_NEVER);
    run(m, 2);
    g_assert_cmpstr(diary->str, ==, "abc|bca|abc|abc|");
    ww_machine_free(m);
}

/* ---- between ticks ---------------------------------------------------------------------------------------------- */

static void note_tick(void *self)
{
    g_string_append_printf(diary, "<%u>",
                           (unsigned)ww_machine_tick(((WwComponent *)self)->machine));
}

static void note_and_again(void *self)
{
    note_tick(self);
    ww_after_next_tick(self, note_tick);
    ww_pause(self);
}

static void from_event(void *self, WwEvent *event)
{
    g_assert_cmpuint(ww_edges_over(self, ((WwComponent *)self)->domain), ==, ww_now(self));
    ww_after_next_tick(self, note_and_again);
}

/* At the end of the next tick, also one in which another domain fires, also if everything sleeps; once. */
static void test_after_next_tick(void)
{
    for (uint32_t in_tick = 0; in_tick < 2; in_tick++) {
        WwMachine *m = machine();
        GError *error = NULL;
        WwDomain *fast = ww_machine_add_domain(m, "fast", 4e9, &error);
        Part *a = part(m, NULL, "a", 0);
        WwEvent event = {.fire = from_event, .self = a}, late = {.fire = from_event, .self = a};
        seal(m);
        ww_event_at(m, fast, &late, 100); /* there is something to wait for */
        if (in_tick) {
            ww_event_at(m, fast, &event, 1);
        } else {
            run(m, 1);
            ww_after_next_tick(a, note_and_again);
        }
        WwRunStatus status;
        while ((status = ww_run(m, 6)) == WW_RUN_PAUSED) {
            g_string_append_c(diary, 'P');
        }
        g_assert_cmpint(status, ==, WW_RUN_BUDGET);
        g_assert_cmpstr(diary->str, ==, in_tick ? "a<2>P<3>" : "a|<2>P<3>");
        ww_machine_free(m);
    }
}

/* ---- run ends --------------------------------------------------------------------------------------------------- */

static void test_idle_is_done(void)
{
    WwMachine *m = machine();
    part(m, NULL, "a", 0);
    seal(m);
    g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_DONE);
    g_assert_cmpuint(ww_machine_tick(m), ==, 1);
    ww_machine_free(m);
}

static void test_hang_names_the_knot(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 0), *b = part(m, NULL, "b", 0), *c = part(m, NULL, "c", 0);
    join(a, b, "latency");
    join(b, c, "latency");
    join(c, b, "latency");
    seal(m);
    g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_HANG);
    g_autofree char *text = ww_machine_explain(m);
    g_assert_nonnull(strstr(text, "[knot] b (part) waits for c (part): room in front"));
    g_assert_nonnull(strstr(text, "c (part) waits for b (part)"));
    ww_machine_free(m);
}

static void test_stuck(void)
{
    WwMachine *m = machine();
    part(m, NULL, "a", 1);
    seal(m);
    ww_machine_set_hang_limit(m, 200);
    g_assert_cmpint(ww_run(m, 1000), ==, WW_RUN_STUCK);
    g_assert_cmpuint(ww_machine_tick(m), ==, 200);
    ww_machine_free(m);
}

static void test_limit(void)
{
    WwMachine *m = machine();
    part(m, NULL, "a", 50);
    seal(m);
    ww_machine_set_max_cycles(m, 120);
    g_assert_cmpint(ww_run(m, 1000), ==, WW_RUN_LIMIT);
    g_assert_cmpuint(ww_machine_tick(m), ==, 120);
    ww_machine_free(m);
}

static void test_reset_equals_new(void)
{
    WwMachine *m = machine();
    Part *a = part(m, NULL, "a", 2), *b = part(m, NULL, "b", 0);
    join(a, b, NULL);
    a->sends = true;
    seal(m);
    run(m, 5);
    g_autofree char *first = g_strdup(diary->str);
    g_string_truncate(diary, 0);
    ww_machine_reset(m);
    g_assert_cmpuint(a->turns, ==, 0);
    run(m, 5);
    g_assert_cmpstr(diary->str, ==, first);
    ww_machine_free(m);
}

/* ---- timed events ----------------------------------------------------------------------------------------------- */

typedef struct Note {
    WwEvent event;
    char letter;
} Note;

static void note_fired(void *self, WwEvent *event)
{
    g_string_append_c(diary, ((Note *)self)->letter);
}

static void test_events_by_priority_then_sequence(void)
{
    WwMachine *m = machine();
    WwDomain *d = ww_machine_domain(m, "core");
    part(m, NULL, "a", 1);
    seal(m);
    Note n[3] = {{.letter = '1'}, {.letter = '2'}, {.letter = '3'}};
    for (int i = 0; i < 3; i++) {
        n[i].event.fire = note_fired;
        n[i].event.self = &n[i];
        n[i].event.priority = i == 2 ? -1 : 0;
        ww_event_at(m, d, &n[i].event, 1);
    }
    run(m, 3);
    g_assert_cmpstr(diary->str, ==, "a|312a|a|"); /* before the clocked work of their tick */
    ww_machine_free(m);
}

static WwEvent again;

static void fire_again(void *self, WwEvent *event)
{
    g_string_append_c(diary, 'e');
}

static WwRest ask_at_once(void *self)
{
    g_string_append_c(diary, 't');
    ww_event_at(((WwComponent *)self)->machine, ((WwComponent *)self)->domain, &again,
                ww_now(self));
    return WW_SLEEP;
}

/* Events of a tick run before its clocked work: what that asks for at once comes with the next edge. */
static void test_event_at_once(void)
{
    static const WwEntryRow entries[] = {
        {.name = "turn", .phase = "main", .tick = ask_at_once, .doc = "x"}, {0}};
    WwType asker = part_type;
    asker.name = "asker";
    asker.entries = entries;
    asker.settle = NULL;
    WwMachine *m = machine();
    part(m, NULL, "a", 1);
    g_assert_nonnull(
        ww_machine_add(m, ww_machine_root(m), &asker, "b", -1, (WwLocation){"x.plat", 1, 1}));
    seal(m);
    again = (WwEvent){.fire = fire_again};
    run(m, 3);
    g_assert_cmpstr(diary->str, ==, "at|ea|a|");
    ww_machine_free(m);
}

/* ---- wiring errors ---------------------------------------------------------------------------------------------- */

static void test_unbound_port(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    part(m, NULL, "a", 1);
    ww_machine_add(m, ww_machine_root(m), &odd_type, "o", -1, (WwLocation){"x.plat", 7, 3});
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_cmpstr(error->message, ==,
                    "x.plat:7:3: o.need (REQUIRES of desk, odd) has 0 peers; expected at least 1: "
                    "a provider of desk such "
                    "as a");
    g_error_free(error);
    ww_machine_free(m);
}

static void test_wrong_payload(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    Part *a = part(m, NULL, "a", 1), *b = part(m, NULL, "b", 1);
    Pipe *k = join(a, b, NULL);
    WwComponent *o = ww_machine_add(m, ww_machine_root(m), &odd_type, "o", -1, (WwLocation){0});
    g_assert_false(ww_bind(o, 1, &k->ch.base, -1, (WwLocation){"x.plat", 9, 1}, &error));
    g_assert_nonnull(
        strstr(error->message,
               "x.plat:9:1: o.strange (OUT of other, odd) cannot be joined to pipe (pipe), "
               "which carries bit; expected other"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_one_sided_channel(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    Part *a = part(m, NULL, "a", 1);
    WwComponent *k = ww_machine_add(m, ww_machine_root(m), &pipe_type, "k", -1, (WwLocation){0});
    g_assert_true(
        ww_bind(&a->base, ww_type_port(&part_type, "out"), k, -1, (WwLocation){0}, &error));
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_cmpstr(error->message, ==, "k (pipe) has writers but no reader; expected both");
    g_error_free(error);
    ww_machine_free(m);
}

static void test_partitions_must_not_meet(void)
{
    WwMachine *m = machine();
    GError *error = NULL;
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .partition = true});
    WwGroup *h =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "h", .partition = true});
    Part *a = part(m, g, "a", 1), *b = part(m, h, "b", 1);
    ww_bind(&a->base, ww_type_port(&part_type, "first"), &b->base, -1, (WwLocation){0}, &error);
    g_assert_no_error(error);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_nonnull(
        strstr(error->message, "are in different partitions and meet in phase 'main'"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_unknown_phase(void)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "late", "core", &error);
    part(m, NULL, "a", 1);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_nonnull(
        strstr(error->message, "runs in phase 'main', which the platform does not declare"));
    g_error_free(error);
    ww_machine_free(m);
}

void test_machine_register(void)
{
    static const struct {
        const char *path;
        void (*fn)(void);
    } tests[] = {
        {"order/consumer-first", test_consumer_first},
        {"order/same", test_same_puts_writer_first},
        {"order/latency", test_latency_imposes_no_order},
        {"order/ranks", test_ranks},
        {"order/loop", test_loop_is_refused},
        {"order/dissolve", test_group_in_the_way_is_dissolved},
        {"sleep/rest-and-settle", test_rest_and_settle},
        {"sleep/settle-each-rest", test_settle_each_rest},
        {"sleep/wake-place", test_wake_place},
        {"sleep/no-sleep", test_no_sleep_runs_everything},
        {"sleep/skip", test_skipped_time_counts},
        {"group/rotate", test_rotate},
        {"group/repeat", test_repeat},
        {"group/repeat-wake", test_repeat_wakes_next_round},
        {"gate/counts", test_gate},
        {"gate/later-phase", test_gate_from_a_later_phase},
        {"gate/no-sleep", test_no_sleep_keeps_gates},
        {"gate/rotation", test_rotation_counts_clocked_ticks},
        {"group/still", test_rotation_stands_still},
        {"run/after-next-tick", test_after_next_tick},
        {"run/idle", test_idle_is_done},
        {"run/hang", test_hang_names_the_knot},
        {"run/stuck", test_stuck},
        {"run/limit", test_limit},
        {"run/reset", test_reset_equals_new},
        {"event/order", test_events_by_priority_then_sequence},
        {"event/at-once", test_event_at_once},
        {"wiring/unbound", test_unbound_port},
        {"wiring/payload", test_wrong_payload},
        {"wiring/one-sided", test_one_sided_channel},
        {"wiring/partitions", test_partitions_must_not_meet},
        {"wiring/phase", test_unknown_phase},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
        g_autofree char *path = g_strdup_printf("/kernel/machine/%s", tests[i].path);
        g_test_add_func(path, tests[i].fn);
    }
}
