/* SPDX-License-Identifier: Apache-2.0 */
/* What joins partitions: passive providers, by what their contract says of sharing. */
#include "tests.h"

#include <string.h>
#include <warpwright/component.h>
#include <warpwright/machine.h>

/* Two providers of each kind of contract, a caller of all, one that passes calls on. */
static const char *const ranks[] = {"early", "late", NULL};
static const WwContract exclusive = {
    .name = "exclusive", .doc = "x", .version = 1, .kind = WW_INTERFACE, .ranks = ranks};
static const WwContract pure = {
    .name = "pure", .doc = "x", .version = 1, .kind = WW_INTERFACE, .sharing = WW_PURE};
static const WwContract reduce = {
    .name = "reduce", .doc = "x", .version = 1, .kind = WW_INTERFACE, .sharing = WW_REDUCE};
static const int table;

typedef struct Shared {
    WwComponent base;
    bool draws; /* Parameter: says that it keeps state. */
    WwProvided exclusive, pure, reduce;
} Shared;

static bool shared_init(void *self, GError **error)
{
    if (((Shared *)self)->draws) {
        ww_exclusive(self);
    }
    return true;
}

static const WwParamRow shared_params[] = {WW_BOOL(Shared, draws, "false", "x"), {0}};
static const WwPortRow shared_ports[] = {
    WW_PORT_PROVIDES(Shared, exclusive, &exclusive, &table, "x"),
    WW_PORT_PROVIDES(Shared, pure, &pure, &table, "x"),
    WW_PORT_PROVIDES(Shared, reduce, &reduce, &table, "x"),
    {0},
};
static const WwType shared_type = {.abi = WW_ABI_VERSION,
                                   .name = "shared",
                                   .doc = "is called",
                                   .family = "test",
                                   .size = sizeof(Shared),
                                   .params = shared_params,
                                   .ports = shared_ports,
                                   .init = shared_init};

typedef struct Caller {
    WwComponent base;
    WwPort exclusive, pure, reduce, after;
} Caller;

static WwRest turn(void *self)
{
    return WW_SLEEP;
}

static const WwPortRow caller_ports[] = {
    WW_PORT_REQUIRES(Caller, exclusive, &exclusive, 0, "early", "x"),
    WW_PORT_REQUIRES(Caller, pure, &pure, 0, NULL, "x"),
    WW_PORT_REQUIRES(Caller, reduce, &reduce, 0, NULL, "x"),
    WW_PORT_REQUIRES(Caller, after, &exclusive, 0, "late", "x"),
    {0},
};
static const WwEntryRow caller_entries[] = {
    {.name = "turn", .phase = "main", .tick = turn, .doc = "x"}, {0}};
static const WwType caller_type = {.abi = WW_ABI_VERSION,
                                   .name = "caller",
                                   .doc = "calls",
                                   .family = "test",
                                   .size = sizeof(Caller),
                                   .ports = caller_ports,
                                   .entries = caller_entries};

typedef struct Between {
    WwComponent base;
    WwProvided offered;
    WwPort exclusive, late;
} Between;

static const WwPortRow between_ports[] = {
    WW_PORT_PROVIDES(Between, offered, &exclusive, &table, "x"),
    WW_PORT_REQUIRES(Between, exclusive, &exclusive, 0, "early", "x"),
    {.name = "late",
     .role = WW_REQUIRES,
     .contract = &exclusive,
     .max = 1,
     .in_calls = "late",
     .doc = "x",
     .offset = WW_FIELD(Between, late, WwPort)},
    {0},
};
static const WwType between_type = {.abi = WW_ABI_VERSION,
                                    .name = "between",
                                    .doc = "passes calls on",
                                    .family = "test",
                                    .size = sizeof(Between),
                                    .ports = between_ports};

/* Of the serial partition, after all others; it never looks at another partition than the one that woke it. */
typedef struct Clerk {
    WwComponent base;
    WwPort desk;
} Clerk;

static const WwPortRow clerk_ports[] = {
    WW_PORT_REQUIRES(Clerk, desk, &exclusive, 0, "late", "x"),
    {0},
};
static const WwEntryRow clerk_entries[] = {
    {.name = "turn", .phase = "end", .tick = turn, .doc = "x"}, {0}};
static const WwType clerk_type = {.abi = WW_ABI_VERSION,
                                  .name = "clerk",
                                  .doc = "calls late",
                                  .family = "test",
                                  .flags = WW_TYPE_STOPS,
                                  .size = sizeof(Clerk),
                                  .ports = clerk_ports,
                                  .entries = clerk_entries};

typedef struct Rig {
    WwRegistry *registry;
    WwMachine *m;
    WwGroup *side[2];
    WwComponent *caller[2]; /* Each in a partition of its own: side[0], side[1]. */
} Rig;

static Rig rig(void)
{
    static const WwType *const types[] = {&shared_type, &caller_type, &between_type, &clerk_type,
                                          NULL};
    GError *error = NULL;
    Rig r = {.registry = ww_registry_new()};
    ww_registry_add_all(r.registry, types, "test", &error);
    r.m = ww_machine_new(r.registry);
    ww_machine_add_domain(r.m, "core", 1e9, &error);
    ww_machine_add_phase(r.m, "main", "core", &error);
    ww_machine_add_phase(r.m, "end", "core", &error);
    for (uint32_t i = 0; i < 2; i++) {
        r.side[i] = ww_machine_add_group(
            r.m, ww_machine_root(r.m),
            &(WwGroupSpec){.name = "side", .index = i, .array = true, .partition = true});
        r.caller[i] = ww_machine_add(r.m, r.side[i], &caller_type, "c", -1, (WwLocation){0});
    }
    g_assert_no_error(error);
    return r;
}

static WwComponent *add(Rig *r, const WwType *type, const char *name)
{
    return ww_machine_add(r->m, ww_machine_root(r->m), type, name, -1, (WwLocation){0});
}

static void join(WwComponent *from, const char *port, WwComponent *to)
{
    GError *error = NULL;
    ww_bind(from, ww_type_port(from->type, port), to, -1, (WwLocation){0}, &error);
    g_assert_no_error(error);
}

/* Seals, asks, frees; what was said. */
static char *ask(Rig *r, uint32_t *joined)
{
    GError *error = NULL;
    ww_machine_seal(r->m, &error);
    g_assert_no_error(error);
    char *said = NULL;
    size_t size;
    FILE *out = open_memstream(&said, &size);
    *joined = ww_machine_print_partitions(r->m, out);
    fclose(out);
    ww_machine_free(r->m);
    ww_registry_free(r->registry);
    return said;
}

static void expect(Rig *r, uint32_t joined, const char *text)
{
    uint32_t n;
    char *said = ask(r, &n);
    g_autofree char *all = g_strdup_printf("3 partitions: serial, side[0..1]\n%s", text);
    g_assert_true(g_str_has_prefix(said, all)); /* then come windows */
    g_assert_nonnull(strstr(said + strlen(all), "window"));
    g_assert_cmpuint(n, ==, joined);
    free(said);
}

static void expect_windows(Rig *r, const char *text)
{
    uint32_t n;
    char *said = ask(r, &n);
    g_assert_true(g_str_has_suffix(said, text));
    free(said);
}

static void test_kinds(void)
{
    for (int i = 0; i < 4; i++) {
        static const char *const ports[] = {"exclusive", "pure", "reduce", "pure"};
        Rig r = rig();
        WwComponent *s = add(&r, &shared_type, "s");
        if (i == 3) {
            GError *error = NULL;
            ww_component_set_text(s, "draws", "true", &error);
            g_assert_no_error(error);
        }
        join(r.caller[0], ports[i], s);
        join(r.caller[1], ports[i], s);
        bool joins = i == 0 || i == 3;
        g_autofree char *text = joins ? g_strdup_printf("phase main: s (shared) joins side[0..1] "
                                                        "through %s\n",
                                                        ports[i])
                                      : g_strdup("phase main: nothing joins two partitions\n");
        expect(&r, joins, text);
    }
}

/* One caller alone joins nothing. */
static void test_alone(void)
{
    Rig r = rig();
    join(r.caller[0], "exclusive", add(&r, &shared_type, "s"));
    join(r.caller[1], "exclusive", add(&r, &shared_type, "t"));
    expect(&r, 0, "phase main: nothing joins two partitions\n");
}

/* Through two passive parts that lead to the same third. */
static void test_passed_on(void)
{
    Rig r = rig();
    WwComponent *b[2] = {add(&r, &between_type, "b"), add(&r, &between_type, "d")};
    WwComponent *s = add(&r, &shared_type, "s");
    for (int i = 0; i < 2; i++) {
        join(r.caller[i], "exclusive", b[i]);
        join(b[i], "exclusive", s);
    }
    expect(&r, 1, "phase main: s (shared) joins side[0..1] through exclusive\n");
}

/* What lies behind the place where they meet is not told as well. */
static void test_where_they_meet(void)
{
    Rig r = rig();
    WwComponent *b = add(&r, &between_type, "b");
    join(r.caller[0], "exclusive", b);
    join(r.caller[1], "exclusive", b);
    join(b, "exclusive", add(&r, &shared_type, "s"));
    expect(&r, 1, "phase main: b (between) joins side[0..1] through exclusive\n");
}

/* A port that is used in the calls of another rank only. */
static void test_in_calls(void)
{
    Rig r = rig();
    WwComponent *b[2] = {add(&r, &between_type, "b"), add(&r, &between_type, "d")};
    WwComponent *s = add(&r, &shared_type, "s");
    for (int i = 0; i < 2; i++) {
        join(r.caller[i], "exclusive", b[i]); /* these are early */
        join(b[i], "late", s);
    }
    expect(&r, 0, "phase main: nothing joins two partitions\n");
}

/*
 * Such a port leads out of its partition, but no turn of that partition calls through it as long as all who call with that rank are of the serial
 * one: then there are windows. Callers of another rank do not count, nor who has none.
 */
static void test_in_serial_calls(void)
{
    enum { SERIAL, NOBODY, OTHER_SIDE, NO_RANK, CASES };
    for (int i = 0; i < CASES; i++) {
        Rig r = rig();
        WwComponent *b = ww_machine_add(r.m, r.side[0], &between_type, "b", -1, (WwLocation){0});
        join(r.caller[0], "exclusive", b); /* early, and of b's own partition */
        join(b, "late", add(&r, &shared_type, "s"));
        if (i != NOBODY) {
            join(add(&r, &clerk_type, "k"), "desk", b);
        }
        if (i == OTHER_SIDE) {
            join(r.caller[1], "after", b);
        }
        if (i == NO_RANK) {
            join(ww_machine_add(r.m, r.side[0], &between_type, "d", -1, (WwLocation){0}), "late",
                 b);
        }
        expect_windows(&r, i == SERIAL || i == NO_RANK
                               ? "\nin a window: side[0..1] (with serial)\n"
                               : "\nno windows: side[0].b (between) calls s (shared), which is of "
                                 "another partition\n");
    }
}

void test_partitions_register(void)
{
    g_test_add_func("/kernel/partitions/kinds", test_kinds);
    g_test_add_func("/kernel/partitions/alone", test_alone);
    g_test_add_func("/kernel/partitions/passed-on", test_passed_on);
    g_test_add_func("/kernel/partitions/where-they-meet", test_where_they_meet);
    g_test_add_func("/kernel/partitions/in-calls", test_in_calls);
    g_test_add_func("/kernel/partitions/in-serial-calls", test_in_serial_calls);
}
