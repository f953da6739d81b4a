/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a channel: asked backwards, from start(). */
#include "tests.h"

#include <warpwright/component.h>
#include <warpwright/machine.h>

/* A channel that nothing moves through. */
typedef struct Wire {
    WwChannel ch;
} Wire;

static const WwPayload payload = {.name = "thing", .version = 1};
static const WwContract thing = {.name = "thing",
                                 .doc = "things",
                                 .version = 1,
                                 .kind = WW_CHANNEL,
                                 .channel = "wire",
                                 .payload = &payload};
static const WwParamRow wire_params[] = {{.name = "latency",
                                          .kind = WW_PARAM_UINT,
                                          .unit = "cycles",
                                          .def = "1",
                                          .min = 1,
                                          .max = 1,
                                          .doc = "no order: rings are allowed",
                                          .offset = WW_FIELD(Wire, ch.latency, uint32_t)},
                                         {0}};
static const WwType wire_type = {.abi = WW_ABI_VERSION,
                                 .name = "wire",
                                 .doc = "a test channel",
                                 .family = "test",
                                 .flags = WW_TYPE_CHANNEL,
                                 .size = sizeof(Wire),
                                 .params = wire_params};

/* Element k of `out` carries bit `bit` + k; with `passes` what comes into element k of `in`, too. */
typedef struct Node {
    WwComponent base;
    uint32_t bit;
    bool passes;
    WwPort in[3], out[3], side;
    uint32_t n_in, n_out;
    uint64_t known[3]; /* what start() was told */
} Node;

static uint64_t node_carries(void *self, const WwPortRow *row, uint32_t k)
{
    Node *n = self;
    if (row->offset == offsetof(Node, side)) {
        return 1ull << 40;
    }
    return (n->passes ? ww_carried(&n->in[k]) : 0) | (n->bit != 0 ? 1ull << (n->bit + k) : 0);
}

static bool node_start(void *self, GError **error)
{
    Node *n = self;
    for (uint32_t k = 0; k < 3; k++) {
        n->known[k] = ww_carried(&n->in[k]);
    }
    return n->known[0] != 1ull << 39 || ww_fail(error, WW_ERROR_USAGE, "not that; expected other");
}

static WwRest node_turn(void *self)
{
    return WW_SLEEP;
}

static const WwParamRow node_params[] = {
    WW_UINT(Node, bit, "", "0", 0, 60, "what it says of out"),
    WW_BOOL(Node, passes, "false", "and what comes in"),
    {0},
};
static const WwPortRow node_ports[] = {
    WW_PORT_ARRAY(Node, in, WW_IN, &thing, 0, NULL, "in"),
    WW_PORT_ARRAY(Node, out, WW_OUT, &thing, 0, NULL, "out"),
    WW_PORT_OUT(Node, side, &thing, 0, "another way out"),
    {0},
};
static const WwEntryRow node_entries[] = {
    {.name = "turn", .phase = "main", .tick = node_turn, .doc = "x"}, {0}};
static const WwType node_type = {.abi = WW_ABI_VERSION,
                                 .name = "node",
                                 .doc = "asks and is asked",
                                 .family = "test",
                                 .size = sizeof(Node),
                                 .params = node_params,
                                 .ports = node_ports,
                                 .entries = node_entries,
                                 .start = node_start,
                                 .carries = node_carries};
static const WwType silent_type = {.abi = WW_ABI_VERSION,
                                   .name = "silent",
                                   .doc = "says nothing of what it puts",
                                   .family = "test",
                                   .size = sizeof(Node),
                                   .params = node_params,
                                   .ports = node_ports,
                                   .entries = node_entries};

/* ---- machines ----------------------------------------------------------------------------------------------------- */

typedef struct Bench {
    WwRegistry *registry;
    WwMachine *m;
} Bench;

static Bench bench(void)
{
    g_autoptr(GError) error = NULL;
    static const WwType *const types[] = {&wire_type, &node_type, &silent_type, NULL};
    Bench b = {.registry = ww_registry_new()};
    ww_registry_add_all(b.registry, types, "test", &error);
    b.m = ww_machine_new(b.registry);
    ww_machine_add_domain(b.m, "core", 1e9, &error);
    ww_machine_add_phase(b.m, "main", "core", &error);
    g_assert_no_error(error);
    return b;
}

static void bench_free(Bench *b)
{
    ww_machine_free(b->m);
    ww_registry_free(b->registry);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_free)

static Node *add(const Bench *b, const WwType *type, uint32_t bit, bool passes)
{
    static uint32_t n;
    g_autofree char *name = g_strdup_printf("n%u", n++), *text = g_strdup_printf("%u", bit);
    WwComponent *c = ww_machine_add(b->m, ww_machine_root(b->m), type, name, -1,
                                    (WwLocation){"test.plat", 1, 2});
    if (type == &node_type || type == &silent_type) {
        ww_component_set_text(c, "bit", text, NULL);
        ww_component_set_text(c, "passes", passes ? "true" : "false", NULL);
    }
    return (Node *)c;
}

static WwComponent *wire(const Bench *b)
{
    return &add(b, &wire_type, 0, false)->base;
}

static void bind(Node *n, const char *port, WwComponent *w)
{
    g_autoptr(GError) error = NULL;
    ww_bind(&n->base, ww_type_port(n->base.type, port), w, -1, (WwLocation){0}, &error);
    g_assert_no_error(error);
}

/* A channel from the next free element of a port to the next free one of `in`. */
static void join(const Bench *b, Node *from, const char *port, Node *to)
{
    WwComponent *w = wire(b);
    bind(from, port, w);
    bind(to, "in", w);
}

static void seal(const Bench *b)
{
    g_autoptr(GError) error = NULL;
    ww_machine_seal(b->m, &error);
    g_assert_no_error(error);
}

/* ---- what is told ------------------------------------------------------------------------------------------------- */

/* Each element of a port is asked for itself, and the other ports of its owner are not. */
static void test_elements(void)
{
    g_auto(Bench) b = bench();
    Node *from = add(&b, &node_type, 4, false), *to = add(&b, &node_type, 0, false);
    join(&b, from, "out", to);
    join(&b, from, "side", to);
    join(&b, from, "out", to);
    seal(&b);
    g_assert_cmphex(to->known[0], ==, 1u << 4);
    g_assert_cmphex(to->known[1], ==, 1ull << 40);
    g_assert_cmphex(to->known[2], ==, 1u << 5);
    g_assert_cmphex(from->known[0], ==, 0); /* unbound */
}

/* What all writers of a channel put, each by every element that it has there; one that says nothing adds nothing. */
static void test_writers(void)
{
    g_auto(Bench) b = bench();
    Node *one = add(&b, &node_type, 4, false), *two = add(&b, &node_type, 8, false),
         *silent = add(&b, &silent_type, 12, false), *to = add(&b, &node_type, 0, false);
    WwComponent *w = wire(&b);
    bind(one, "out", w);
    bind(two, "out", w);
    bind(two, "out", w);
    bind(silent, "out", w);
    bind(to, "in", w);
    seal(&b);
    g_assert_cmphex(to->known[0], ==, 1u << 4 | 1u << 8 | 1u << 9);
}

/* Through others that ask in their turn; one that does not pass on hides what is behind it. */
static void test_passed_on(void)
{
    g_auto(Bench) b = bench();
    Node *from = add(&b, &node_type, 4, false), *middle = add(&b, &node_type, 8, true),
         *to = add(&b, &node_type, 0, false), *wall = add(&b, &node_type, 12, false),
         *behind = add(&b, &node_type, 0, false);
    join(&b, from, "out", middle);
    join(&b, from, "out", middle);
    join(&b, from, "out", wall);
    join(&b, middle, "out", to);
    join(&b, middle, "out", to);
    join(&b, wall, "out", behind);
    seal(&b);
    g_assert_cmphex(to->known[0], ==, 1u << 4 | 1u << 8);
    g_assert_cmphex(to->known[1], ==, 1u << 5 | 1u << 9);
    g_assert_cmphex(behind->known[0], ==, 1u << 12);
}

/* What stands on a ring is told to all on it. */
static void test_ring(void)
{
    g_auto(Bench) b = bench();
    Node *one = add(&b, &node_type, 4, true), *two = add(&b, &node_type, 8, true);
    join(&b, one, "out", two);
    join(&b, two, "out", one);
    seal(&b);
    g_assert_cmphex(one->known[0], ==, 1u << 4 | 1u << 8);
    g_assert_cmphex(two->known[0], ==, 1u << 4 | 1u << 8);
}

/* However far away, and behind what is known already; declared from either end. */
static void test_far(void)
{
    enum { STEPS = 5000 };
    for (uint32_t back = 0; back < 2; back++) {
        g_auto(Bench) b = bench();
        Node *chain[STEPS + 1];
        for (uint32_t i = 0; i <= STEPS; i++) {
            uint32_t at = back ? STEPS - i : i;
            chain[at] = add(&b, &node_type, at == 0 ? 4 : at == STEPS / 2 ? 8 : 0, true);
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            uint32_t at = back ? STEPS - 1 - i : i;
            join(&b, chain[at], "out", chain[at + 1]);
        }
        seal(&b);
        g_assert_cmphex(chain[STEPS]->known[0], ==, 1u << 4 | 1u << 8);
    }
}

/* Where every channel can be reached in two ways, 40 steps are 2^40 ways: each channel is looked at, not each way. */
static void test_many_ways(void)
{
    enum { STEPS = 40 };
    g_auto(Bench) b = bench();
    Node *at = add(&b, &node_type, 4, false);
    for (uint32_t i = 0; i < STEPS; i++) {
        Node *left = add(&b, &node_type, 0, true), *right = add(&b, &node_type, 0, true),
             *next = add(&b, &node_type, 0, true);
        WwComponent *apart = wire(&b), *together = wire(&b);
        bind(at, "out", apart);
        bind(left, "in", apart);
        bind(right, "in", apart);
        bind(left, "out", together);
        bind(right, "out", together);
        bind(next, "in", together);
        at = next;
    }
    seal(&b);
    g_assert_cmphex(at->known[0], ==, 1u << 4);
}

/* It is for refusals: a machine whose start() says no is not sealed. */
static void test_refusal(void)
{
    g_auto(Bench) b = bench();
    g_autoptr(GError) error = NULL;
    join(&b, add(&b, &node_type, 39, false), "out", add(&b, &node_type, 0, false));
    g_assert_false(ww_machine_seal(b.m, &error));
    test_assert_error(&error, WW_ERROR_WIRING, "not that; expected other");
}

void test_carries_register(void)
{
    g_test_add_func("/kernel/carries/elements", test_elements);
    g_test_add_func("/kernel/carries/writers", test_writers);
    g_test_add_func("/kernel/carries/passed-on", test_passed_on);
    g_test_add_func("/kernel/carries/ring", test_ring);
    g_test_add_func("/kernel/carries/far", test_far);
    g_test_add_func("/kernel/carries/many-ways", test_many_ways);
    g_test_add_func("/kernel/carries/refusal", test_refusal);
}
