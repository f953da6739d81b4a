/* SPDX-License-Identifier: Apache-2.0 */
/* Owned steps: whose turn they are part of, when they run, what they slept through, who may own them. */
#include "tests.h"

#include <string.h>
#include <warpwright/component.h>
#include <warpwright/machine.h>

/*
 * A post offers a desk and has a step of its own there; it may own the step of another post, and runs it in its own. A clerk owns the step
 * of a post and has a phase.
 */
typedef struct Post {
    WwComponent base;
    WwProvided desk;
    WwPort next;
    uint32_t rest, runs;
    uint64_t slept;
} Post;

typedef struct Clerk {
    WwComponent base;
    WwPort post, look;
    uint32_t rest, times;
    uint32_t turns;
} Clerk;

static int desk_table;
static const WwContract desk = {
    .name = "desk", .doc = "a desk", .version = 1, .kind = WW_INTERFACE};

static WwRest post_work(void *self)
{
    Post *p = self;
    p->runs++;
    ww_step(&p->next);
    return p->rest == 0 ? WW_SLEEP : p->rest;
}

static void post_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Post *)self)->slept += n;
}

static WwRest clerk_turn(void *self)
{
    Clerk *c = self;
    c->turns++;
    for (uint32_t i = 0; i < c->times; i++) {
        ww_step(&c->post);
    }
    return c->rest == 0 ? WW_SLEEP : c->rest;
}

static void clerk_reset(void *self)
{
    Clerk *c = self;
    ww_step_turns(&c->post, c->times);
}

static const WwParamRow post_params[] = {WW_UINT(Post, rest, "cycles", "0", 0, 1000, "answer"),
                                         {0}};
static const WwPortRow post_ports[] = {
    WW_PORT_PROVIDES(Post, desk, &desk, &desk_table, "its desk"),
    WW_PORT_OWNS(Post, next, &desk, 0, "one whose step is part of its own"),
    {0},
};
static const WwEntryRow post_entries[] = {
    {.name = "work", .owner = "desk", .tick = post_work, .doc = "works"}, {0}};
static const WwType post_type = {.abi = WW_ABI_VERSION,
                                 .name = "post",
                                 .doc = "has an owned step",
                                 .family = "test",
                                 .size = sizeof(Post),
                                 .params = post_params,
                                 .ports = post_ports,
                                 .entries = post_entries,
                                 .settle = post_settle};

static const WwParamRow clerk_params[] = {
    WW_UINT(Clerk, rest, "cycles", "1", 0, 1000, "answer; 0: sleeps"),
    WW_UINT(Clerk, times, "", "1", 1, 8, "runs the step so often in a turn"),
    {0},
};
static const WwPortRow clerk_ports[] = {
    WW_PORT_OWNS(Clerk, post, &desk, 0, "runs its step"),
    WW_PORT_REQUIRES(Clerk, look, &desk, 0, NULL, "only calls it"),
    {0},
};
static const WwEntryRow clerk_entries[] = {
    {.name = "turn", .phase = "main", .tick = clerk_turn, .doc = "x"}, {0}};
static const WwType clerk_type = {.abi = WW_ABI_VERSION,
                                  .name = "clerk",
                                  .doc = "owns a step",
                                  .family = "test",
                                  .size = sizeof(Clerk),
                                  .params = clerk_params,
                                  .ports = clerk_ports,
                                  .entries = clerk_entries,
                                  .reset = clerk_reset};

/* ---- machines --------------------------------------------------------------------------------------------------- */

typedef struct Office {
    WwRegistry *registry;
    WwMachine *m;
    Clerk *clerk;
    Post *post, *behind;
} Office;

static void *add(Office *o, const WwType *type, const char *name)
{
    return ww_machine_add(o->m, ww_machine_root(o->m), type, name, -1, (WwLocation){0});
}

static void bind_port(void *from, const char *port, void *to)
{
    const WwComponent *c = from;
    GError *error = NULL;
    ww_bind(from, ww_type_port(c->type, port), to, -1, (WwLocation){"x.plat", 3, 4}, &error);
    g_assert_no_error(error);
}

static void set(void *self, const char *param, uint64_t value)
{
    const WwComponent *c = self;
    const WwValue v = {.kind = WW_PARAM_UINT, .u = value};
    ww_component_set(self, ww_type_param(c->type, param), &v, NULL);
}

static Office office(void)
{
    static const WwType *const types[] = {&post_type, &clerk_type, NULL};
    Office o = {.registry = ww_registry_new()};
    GError *error = NULL;
    ww_registry_add_all(o.registry, types, "test", &error);
    g_assert_no_error(error);
    o.m = ww_machine_new(o.registry);
    ww_machine_add_domain(o.m, "core", 1e9, &error);
    ww_machine_add_phase(o.m, "main", "core", &error);
    g_assert_no_error(error);
    ww_machine_set_hang_limit(o.m, 0);
    o.post = add(&o, &post_type, "post");
    o.clerk = add(&o, &clerk_type, "clerk");
    return o;
}

static void office_free(Office *o)
{
    ww_machine_free(o->m);
    ww_registry_free(o->registry);
}

/* A clerk with a post, and another post behind that one. */
static Office chain(uint32_t clerk_rest, uint32_t times, bool no_sleep)
{
    Office o = office();
    o.behind = add(&o, &post_type, "behind");
    bind_port(o.clerk, "post", o.post);
    bind_port(o.post, "next", o.behind);
    set(o.clerk, "rest", clerk_rest);
    set(o.clerk, "times", times);
    ww_machine_set_no_sleep(o.m, no_sleep);
    g_assert_true(ww_machine_seal(o.m, NULL));
    return o;
}

static void run(Office *o, WwTick ticks)
{
    ww_run(o->m, ticks);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* A step that has nothing to do sleeps while its owner runs; every turn is run or settled. */
static void test_sleeps(void)
{
    for (int awake = 0; awake < 2; awake++) {
        Office o = chain(1, 1, awake != 0);
        run(&o, 20);
        ww_machine_settle(o.m);
        g_assert_cmpuint(o.clerk->turns, ==, 20);
        g_assert_cmpuint(o.post->runs, ==, awake ? 20 : 1); /* due at power-on */
        g_assert_cmpuint(o.post->runs + o.post->slept, ==, 20);
        g_assert_cmpuint(o.behind->runs + o.behind->slept, ==, 20);
        office_free(&o);
    }
}

/* What wakes a step wakes its owner, through as many as there are between. */
static void test_wakes_owner(void)
{
    Office o = chain(0, 1, false);
    run(&o, 1);
    g_assert_cmpuint(o.clerk->turns, ==, 1);
    g_assert_cmpint(ww_run(o.m, 5), ==, WW_RUN_DONE);
    WwWake wake = ww_wake_of(o.behind, 0);
    ww_wake(&wake);
    run(&o, 1);
    g_assert_cmpuint(o.clerk->turns, ==, 2);
    g_assert_cmpuint(o.post->runs, ==, 2);
    g_assert_cmpuint(o.behind->runs, ==, 2);
    office_free(&o);
}

/* WW_AGAIN and a number of edges keep the owner's turns coming. */
static void test_rests(void)
{
    Office o = office();
    bind_port(o.clerk, "post", o.post);
    set(o.clerk, "rest", 0);
    set(o.post, "rest", 1);
    g_assert_true(ww_machine_seal(o.m, NULL));
    run(&o, 10);
    g_assert_cmpuint(o.clerk->turns, ==, 10);
    g_assert_cmpuint(o.post->runs, ==, 10);
    office_free(&o);
    o = office();
    bind_port(o.clerk, "post", o.post);
    set(o.clerk, "rest", 0);
    set(o.post, "rest", 4);
    g_assert_true(ww_machine_seal(o.m, NULL));
    run(&o, 9); /* at edges 0, 4 and 8 */
    g_assert_cmpuint(o.clerk->turns, ==, 3);
    g_assert_cmpuint(o.post->runs, ==, 3);
    ww_machine_settle(o.m);
    g_assert_cmpuint(o.post->runs + o.post->slept, ==, 9);
    office_free(&o);
}

/* Turns that the owner sleeps through count as often as it would have run the step. */
static void test_times(void)
{
    for (int awake = 0; awake < 2; awake++) {
        Office o = chain(7, 3, awake != 0);
        run(&o, 50);
        ww_machine_settle(o.m);
        g_assert_cmpuint(o.post->runs + o.post->slept, ==, 150);
        g_assert_cmpuint(o.behind->runs + o.behind->slept, ==, 150);
        ww_machine_reset(o.m);
        o.post->slept = o.behind->slept = o.post->runs = o.behind->runs = 0;
        run(&o, 10);
        ww_machine_settle(o.m);
        g_assert_cmpuint(o.post->runs + o.post->slept, ==, 30);
        office_free(&o);
    }
}

/* An owner of something without a step runs nothing; a step that nobody is bound to is nobody's. */
static void test_none(void)
{
    Office o = office();
    g_assert_true(ww_machine_seal(o.m, NULL));
    run(&o, 5);
    g_assert_cmpuint(o.clerk->turns, ==, 5);
    g_assert_cmpuint(o.post->runs, ==, 0);
    office_free(&o);
}

static WwRest outside_work(void *self)
{
    (*(uint32_t *)self)++;
    return WW_SLEEP;
}

static void outside_settle(void *self, uint32_t entry, uint64_t n)
{
    *(uint32_t *)self += 100 * (uint32_t)n;
}

static void test_outside(void)
{
    Office o = office();
    uint32_t n = 0;
    int row = ww_type_port(&clerk_type, "post");
    g_assert_true(ww_bind_external(&o.clerk->base, row, &desk_table, &n, NULL));
    WwWake wake = ww_bind_external_step(&o.clerk->base, row, outside_work, outside_settle, &n);
    g_assert_true(ww_machine_seal(o.m, NULL));
    run(&o, 4);
    ww_machine_settle(o.m);
    g_assert_cmpuint(n, ==, 1 + 300);
    ww_wake(&wake);
    run(&o, 1);
    g_assert_cmpuint(n, ==, 2 + 300);
    office_free(&o);
}

static void refused(Office *o, const char *part)
{
    GError *error = NULL;
    g_assert_false(ww_machine_seal(o->m, &error));
    test_assert_error(&error, WW_ERROR_WIRING, part);
    office_free(o);
}

static void test_refused(void)
{
    Office o = office();
    Clerk *other = add(&o, &clerk_type, "other");
    bind_port(o.clerk, "post", o.post);
    bind_port(other, "post", o.post);
    refused(&o,
            "x.plat:3:4: post (post): entry point 'work' is run by whoever owns port 'desk', and "
            "other (clerk) is another; expected one owner");
    o = office();
    bind_port(o.clerk, "look", o.post);
    refused(&o, "clerk (clerk) only calls it; expected one owner");
    o = office();
    o.behind = add(&o, &post_type, "behind");
    bind_port(o.post, "next", o.behind);
    bind_port(o.behind, "next", o.post);
    refused(&o, "owns itself");
}

static void check(const WwType *type, const char *part)
{
    GError *error = NULL;
    g_assert_false(ww_type_check(type, &error));
    test_assert_error(&error, WW_ERROR_MODULE, part);
}

static void test_descriptor(void)
{
    WwEntryRow entries[] = {
        {.name = "work", .owner = "desk", .tick = post_work, .doc = "works"}, {0}, {0}};
    WwPortRow ports[G_N_ELEMENTS(post_ports)];
    memcpy(ports, post_ports, sizeof ports);
    WwType type = post_type;
    type.entries = entries;
    type.ports = ports;
    g_assert_true(ww_type_check(&type, NULL));
    entries[0].owner = "next";
    check(&type, "entry point 'work': owner 'next' is no PROVIDES port");
    entries[0].owner = "nobody";
    check(&type, "owner 'nobody' is no PROVIDES port");
    entries[0].owner = "desk";
    entries[0].phase = "main";
    check(&type, "phase 'main' and owner 'desk', expected one of them");
    entries[0].phase = NULL;
    entries[1] = entries[0];
    entries[1].name = "more";
    check(&type, "entry points 'work' and 'more' have the same owner 'desk'");
    entries[1] = (WwEntryRow){0};
    ports[0].owns = true;
    check(&type, "port 'desk': owns a step, and is no REQUIRES port");
}

/* In the text of the order a step stands under its owner. */
static void test_shown(void)
{
    Office o = chain(1, 1, false);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ww_machine_print_order(o.m, out);
    fclose(out);
    g_assert_cmpstr(text, ==,
                    "phase main (core)\n"
                    "    clerk.turn\n"
                    "    > post.work\n"
                    "      > behind.work\n");
    free(text);
    office_free(&o);
}

void test_step_register(void)
{
    g_test_add_func("/kernel/step/sleeps", test_sleeps);
    g_test_add_func("/kernel/step/wakes-owner", test_wakes_owner);
    g_test_add_func("/kernel/step/rests", test_rests);
    g_test_add_func("/kernel/step/times", test_times);
    g_test_add_func("/kernel/step/none", test_none);
    g_test_add_func("/kernel/step/outside", test_outside);
    g_test_add_func("/kernel/step/shown", test_shown);
    g_test_add_func("/kernel/step/refused", test_refused);
    g_test_add_func("/kernel/step/descriptor", test_descriptor);
}
