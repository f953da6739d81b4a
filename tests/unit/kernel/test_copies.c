/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of a group, drawn at random and wired at random to what is around them: the machine is what it would be if each had been built member
 * by member: order, what is known of channels, errors.
 */
#include "tests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warpwright/component.h>
#include <warpwright/machine.h>

/* ---- types ------------------------------------------------------------------------------------------------------- */

/* A channel that nothing moves through. */
typedef struct Wire {
    WwChannel ch;
} Wire;

enum { MOST = 6 };

/* An actor has a turn; a worker's is part of that of an actor that owns it. */
typedef struct Actor {
    WwComponent base;
    WwPort in[MOST], out[MOST], first, second, worker;
    uint32_t n_in, n_out, bit;
    WwProvided desk, job;
    uint64_t known[MOST];
} Actor;

static const WwPayload payload = {.name = "thing", .version = 1};
static const char *const ranks[] = {"first", "second", NULL};
/* clang-format off */
static const WwContract thing = {.name = "thing", .doc = "things", .version = 1, .kind = WW_CHANNEL, .channel = "wire", .payload = &payload};
static WwContract desk = { /* `sharing`: drawn */
    .name = "desk", .doc = "a desk", .version = 1, .kind = WW_INTERFACE, .ranks = ranks};
static const WwContract job = {.name = "job", .doc = "a job", .version = 1, .kind = WW_INTERFACE};
static const WwParamRow wire_params[] = {
    {.name = "same", .kind = WW_PARAM_BOOL, .unit = "", .def = "false", .doc = "writer first", .offset = WW_FIELD(Wire, ch.same, bool)},
    {.name = "latency", .kind = WW_PARAM_UINT, .unit = "cycles", .def = "0", .doc = "no order", .offset = WW_FIELD(Wire, ch.latency, uint32_t)},
    {0}};
static const WwType wire_type = {.abi = WW_ABI_VERSION, .name = "wire", .doc = "a test channel", .family = "test", .flags = WW_TYPE_CHANNEL,
                                 .size = sizeof(Wire), .params = wire_params};
/* clang-format on */

static uint64_t actor_carries(void *self, const WwPortRow *row, uint32_t k)
{
    Actor *a = self;
    uint64_t bits = a->bit != 0 ? 1ull << (a->bit + k) : 0;
    for (uint32_t i = 0; i < a->n_in && a->bit % 2 == 0; i++) {
        bits |= ww_carried(&a->in[i]);
    }
    return bits;
}

static bool actor_start(void *self, GError **error)
{
    Actor *a = self;
    for (uint32_t i = 0; i < a->n_in; i++) {
        a->known[i] = ww_carried(&a->in[i]);
    }
    return true;
}

static WwRest actor_turn(void *self)
{
    return WW_SLEEP;
}

static int desk_table, job_table;
static const WwParamRow params[] = {WW_UINT(Actor, bit, "", "0", 0, 57, "what it says of out"),
                                    {0}};
static const WwPortRow actor_ports[] = {
    WW_PORT_ARRAY(Actor, in, WW_IN, &thing, 0, NULL, "in"),
    WW_PORT_ARRAY(Actor, out, WW_OUT, &thing, 0, NULL, "out"),
    WW_PORT_REQUIRES(Actor, first, &desk, 0, "first", "acts first"),
    WW_PORT_REQUIRES(Actor, second, &desk, 0, "second", "acts second"),
    WW_PORT_OWNS(Actor, worker, &job, 0, "works in its turn"),
    WW_PORT_PROVIDES(Actor, desk, &desk, &desk_table, "a desk"),
    {0},
};
static const WwPortRow worker_ports[] = {
    WW_PORT_ARRAY(Actor, in, WW_IN, &thing, 0, NULL, "in"),
    WW_PORT_ARRAY(Actor, out, WW_OUT, &thing, 0, NULL, "out"),
    WW_PORT_REQUIRES(Actor, first, &desk, 0, "first", "acts first"),
    WW_PORT_REQUIRES(Actor, second, &desk, 0, "second", "acts second"),
    WW_PORT_PROVIDES(Actor, job, &job, &job_table, "its job"),
    {0},
};
static const WwEntryRow actor_entries[] = {
    {.name = "turn", .phase = "main", .tick = actor_turn, .doc = "x"}, {0}};
/* Of providers that act among their callers. */
static const WwEntryRow first_entries[] = {{.name = "turn",
                                            .phase = "main",
                                            .tick = actor_turn,
                                            .port = "desk",
                                            .rank = "first",
                                            .doc = "x"},
                                           {0}};
static const WwEntryRow second_entries[] = {{.name = "turn",
                                             .phase = "main",
                                             .tick = actor_turn,
                                             .port = "desk",
                                             .rank = "second",
                                             .doc = "x"},
                                            {0}};
static const WwEntryRow worker_entries[] = {
    {.name = "work", .owner = "job", .tick = actor_turn, .doc = "x"}, {0}};
static const WwType actor_type = {.abi = WW_ABI_VERSION,
                                  .name = "actor",
                                  .doc = "has a turn",
                                  .family = "test",
                                  .size = sizeof(Actor),
                                  .params = params,
                                  .ports = actor_ports,
                                  .entries = actor_entries,
                                  .start = actor_start,
                                  .carries = actor_carries};
/* Its turn stands outside of the partition that it is in. */
static const WwType clerk_type = {.abi = WW_ABI_VERSION,
                                  .name = "clerk",
                                  .doc = "has a turn of the machine's",
                                  .family = "test",
                                  .flags = WW_TYPE_SERIAL,
                                  .size = sizeof(Actor),
                                  .params = params,
                                  .ports = actor_ports,
                                  .entries = actor_entries,
                                  .start = actor_start,
                                  .carries = actor_carries};
static const WwType ranked_actor_type = {.abi = WW_ABI_VERSION,
                                         .name = "ranked_actor",
                                         .doc = "has a turn among those who call it",
                                         .family = "test",
                                         .size = sizeof(Actor),
                                         .params = params,
                                         .ports = actor_ports,
                                         .entries = first_entries,
                                         .start = actor_start,
                                         .carries = actor_carries};
static const WwType ranked_clerk_type = {.abi = WW_ABI_VERSION,
                                         .name = "ranked_clerk",
                                         .doc =
                                             "has a turn of the machine's among those who call it",
                                         .family = "test",
                                         .flags = WW_TYPE_SERIAL,
                                         .size = sizeof(Actor),
                                         .params = params,
                                         .ports = actor_ports,
                                         .entries = second_entries,
                                         .start = actor_start,
                                         .carries = actor_carries};
static const WwType worker_type = {.abi = WW_ABI_VERSION,
                                   .name = "worker",
                                   .doc = "has an owned step",
                                   .family = "test",
                                   .size = sizeof(Actor),
                                   .params = params,
                                   .ports = worker_ports,
                                   .entries = worker_entries,
                                   .start = actor_start,
                                   .carries = actor_carries};

/* ---- what is drawn ------------------------------------------------------------------------------------------------ */

enum { PARTS = 7, WIRES = 9, OUTER = 3, ELEMENTS = 4, CROSSING = 5 };

/* Between two parts, by number: through a channel, or by a port of the first that the second provides. */
typedef struct Wiring {
    uint32_t from, to, kind; /* see wire_up() */
} Wiring;

typedef struct Drawn {
    struct {
        bool worker, clerk, ranked, late, inner;
        uint32_t bit;
    } part[PARTS + OUTER];
    WwGroupMode mode;
    bool partition;
    uint32_t n_parts, n_wires, n_elements, n_crossing, n_inside;
    uint32_t odd; /* an actor that is made another after all are built; UINT32_MAX: none */
    Wiring wire[WIRES], crossing[CROSSING];
} Drawn;

static uint32_t below(GRand *r, uint32_t n)
{
    return (uint32_t)g_rand_int_range(r, 0, (gint32)n);
}

static Drawn draw(uint32_t seed)
{
    g_autoptr(GRand) r = g_rand_new_with_seed(seed);
    Drawn d = {.n_parts = 2 + below(r, PARTS - 1),
               .n_wires = below(r, WIRES + 1),
               .n_elements = 2 + below(r, ELEMENTS - 1),
               .n_crossing = below(r, 3) == 0 ? 0 : below(r, CROSSING + 1),
               .n_inside = 1 + below(r, 3),
               .partition = below(r, 3) == 0,
               .mode = (WwGroupMode[]){WW_GROUP_PLAIN, WW_GROUP_PLAIN, WW_GROUP_SEQUENCE,
                                       WW_GROUP_ROTATE}[below(r, 4)]};
    for (uint32_t i = 0; i < PARTS + OUTER; i++) {
        d.part[i].worker = i != 0 && below(r, 5) == 0;
        d.part[i].clerk = !d.part[i].worker && d.partition && below(r, 2) == 0;
        d.part[i].ranked = below(r, 2) == 0;
        d.part[i].late = !d.part[i].worker && below(r, 4) == 0;
        d.part[i].inner = below(r, 3) == 0;
        d.part[i].bit = below(r, 3) == 0 ? 0 : below(r, 50);
    }
    for (uint32_t i = 0; i < d.n_wires; i++) {
        /* mostly one way, so that there is an order */
        uint32_t a = below(r, d.n_parts), b = below(r, d.n_parts);
        bool turn = below(r, 12) == 0;
        d.wire[i] =
            (Wiring){turn ? MAX(a, b) : MIN(a, b), turn ? MIN(a, b) : MAX(a, b), below(r, 6)};
    }
    uint32_t all = d.n_elements * d.n_parts + OUTER;
    d.odd = below(r, 5) == 0 ? below(r, all) : UINT32_MAX;
    for (uint32_t i = 0; i < d.n_crossing; i++) {
        d.crossing[i] = (Wiring){below(r, all), below(r, all), below(r, 6)};
    }
    return d;
}

/* ---- building ------------------------------------------------------------------------------------------------------ */

typedef struct Bench {
    WwMachine *m;
    const Drawn *drawn;
    Actor *actor[ELEMENTS * PARTS * 3 + OUTER]; /* of elements, then around them */
    uint32_t n;
} Bench;

static bool has_room(const Actor *a, const char *port)
{
    int row = ww_type_port(a->base.type, port);
    return row >= 0 && ww_component_bound(&a->base, row) < a->base.type->ports[row].max;
}

static void join(Actor *a, const char *port, WwComponent *to)
{
    g_autoptr(GError) error = NULL;
    ww_bind(&a->base, ww_type_port(a->base.type, port), to, -1, (WwLocation){"x.plat", 1, 1},
            &error);
    g_assert_no_error(error);
}

/* Kinds 0 to 2: a channel, a `same` one, one with a latency; 3 to 5: a call, first or second, or of a worker: owns it. What has no room is left out. */
static void wire_up(WwGroup *g, const Wiring *w, Actor *from, Actor *to)
{
    bool worker = to->base.type == &worker_type;
    const char *port = worker ? "worker" : w->kind == 3 ? "first" : "second";
    if (w->kind < 3 && has_room(from, "out") && has_room(to, "in")) {
        WwMachine *m = from->base.machine;
        WwComponent *c = ww_machine_add(m, g, &wire_type, "wire", -1, (WwLocation){0});
        ww_component_set_text(c, w->kind == 2 ? "latency" : "same", w->kind == 0 ? "0" : "1", NULL);
        join(from, "out", c);
        join(to, "in", c);
    } else if (w->kind >= 3 && from != to && has_room(from, port)) {
        join(from, port, &to->base);
    }
}

static Actor *add_actor(Bench *b, WwGroup *g, uint32_t i)
{
    g_autofree char *name = g_strdup_printf("p%u", i),
                    *bit = g_strdup_printf("%u", b->drawn->part[i].bit);
    bool ranked = b->drawn->part[i].ranked;
    const WwType *type = b->drawn->part[i].worker  ? &worker_type
                         : b->drawn->part[i].clerk ? (ranked ? &ranked_clerk_type : &clerk_type)
                         : ranked                  ? &ranked_actor_type
                                                   : &actor_type;
    WwComponent *c =
        ww_machine_add(b->m, g, type, g_intern_string(name), -1, (WwLocation){"x.plat", i + 1, 1});
    ww_component_set_text(c, "bit", bit, NULL);
    if (b->drawn->part[i].late) {
        ww_component_place(c, "late", NULL);
    }
    return (Actor *)c;
}

static void add_element(Bench *b, WwGroup *parent, int32_t index)
{
    const Drawn *d = b->drawn;
    WwGroup *g = ww_machine_add_group(b->m, parent,
                                      &(WwGroupSpec){.name = "e",
                                                     .array = index >= 0,
                                                     .index = index >= 0 ? (uint32_t)index : 0,
                                                     .mode = d->mode,
                                                     .partition = d->partition});
    WwGroup *inner = ww_machine_add_group(b->m, g, &(WwGroupSpec){.name = "i"});
    Actor **own = &b->actor[b->n];
    for (uint32_t i = 0; i < d->n_parts; i++) {
        b->actor[b->n++] = add_actor(b, d->part[i].inner ? inner : g, i);
    }
    for (uint32_t i = 0; i < d->n_wires; i++) {
        wire_up(g, &d->wire[i], own[d->wire[i].from], own[d->wire[i].to]);
    }
}

/* Of what has actors number @p first and so on. */
static void copy(Bench *b, WwGroup *parent, const WwExtent *from, const WwExtent *to, int32_t index,
                 uint32_t first, uint32_t n)
{
    uint32_t at = ww_machine_copy_group(parent, from, to, index);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = at + b->actor[first + i]->base.id - from->components;
        b->actor[b->n++] = (Actor *)ww_machine_component(b->m, id);
    }
}

/* Elements, of which all but the first are copies if @p copied. */
static void add_elements(Bench *b, WwGroup *parent, uint32_t n, bool copied)
{
    WwExtent from = ww_machine_extent(b->m), to;
    uint32_t first = b->n;
    add_element(b, parent, 0);
    to = ww_machine_extent(b->m);
    for (uint32_t k = 1; k < n; k++) {
        if (!copied) {
            add_element(b, parent, (int32_t)k);
            continue;
        }
        copy(b, parent, &from, &to, (int32_t)k, first, b->drawn->n_parts);
    }
}

/* Some elements in a group, and a copy of that group with all of them. */
static void add_pair(Bench *b, uint32_t n, bool copied)
{
    WwExtent from = ww_machine_extent(b->m);
    uint32_t first = b->n;
    for (uint32_t k = 0; k < 2; k++) {
        if (k == 0 || !copied) {
            WwGroup *g =
                ww_machine_add_group(b->m, ww_machine_root(b->m),
                                     &(WwGroupSpec){.name = "pair", .array = true, .index = k});
            add_elements(b, g, n, copied);
        } else {
            WwExtent to = ww_machine_extent(b->m);
            copy(b, ww_machine_root(b->m), &from, &to, 1, first, b->n - first);
        }
    }
}

static char *build(const WwRegistry *registry, const Drawn *d, bool copied)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) m = ww_machine_new(registry);
    Bench b = {.m = m, .drawn = d};
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    ww_machine_add_phase(m, "late", "core", &error);
    g_assert_no_error(error);
    if (d->n_inside == 1) {
        add_elements(&b, ww_machine_root(m), d->n_elements, copied);
    } else {
        add_pair(&b, d->n_inside, copied);
    }
    for (uint32_t i = 0; i < OUTER; i++) {
        b.actor[b.n++] = add_actor(&b, ww_machine_root(m), PARTS + i);
    }
    if (d->odd != UINT32_MAX) {
        WwComponent *odd = &b.actor[d->odd % b.n]->base;
        bool placed = odd->type != &worker_type && d->odd % 2 == 0;
        placed ? ww_component_place(odd, "late", NULL)
               : ww_component_set_text(odd, "bit", "33", NULL);
    }
    for (uint32_t i = 0; i < d->n_crossing; i++) {
        const Wiring *w = &d->crossing[i];
        wire_up(ww_machine_root(m), w, b.actor[w->from % b.n], b.actor[w->to % b.n]);
    }
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!ww_machine_seal(m, &error)) {
        fprintf(out, "%s\n", error->message);
    } else {
        ww_machine_print_order(m, out);
        ww_machine_print_partitions(m, out);
    }
    for (uint32_t i = 0; error == NULL && i < ww_machine_n_components(m); i++) {
        const WwComponent *c = ww_machine_component(m, i);
        g_autofree char *path = ww_path(c);
        fprintf(out, "%s", path);
        for (uint32_t k = 0; c->type != &wire_type && k < ((const Actor *)c)->n_in; k++) {
            fprintf(out, " %" PRIx64, ((const Actor *)c)->known[k]);
        }
        fputc('\n', out);
    }
    fclose(out);
    char *found = g_strdup(text);
    free(text);
    return found;
}

static void test_drawn(void)
{
    g_autoptr(GError) error = NULL;
    static const WwType *const types[] = {
        &wire_type,         &actor_type,  &clerk_type, &ranked_actor_type,
        &ranked_clerk_type, &worker_type, NULL};
    WwRegistry *registry = ww_registry_new();
    ww_registry_add_all(registry, types, "test", &error);
    g_assert_no_error(error);
    uint32_t sealed = 0, refused = 0;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        Drawn d = draw(seed);
        desk.sharing = seed % 2 == 0 ? WW_EXCLUSIVE : WW_REDUCE;
        g_autofree char *built = build(registry, &d, false), *copied = build(registry, &d, true);
        if (strcmp(built, copied) != 0) {
            g_error("machine %u: built\n%s\ncopied\n%s", seed, built, copied);
        }
        *(strchr(built, '\n')[1] == '\0' ? &refused : &sealed) += 1;
    }
    g_assert_cmpuint(sealed, >, 1000);
    g_assert_cmpuint(refused, >, 50);
    ww_registry_free(registry);
}

void test_copies_register(void)
{
    g_test_add_func("/kernel/copies/drawn", test_drawn);
}
