/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of groups drawn at random, against the plainest loop there is: each tick it visits every member of every group, in order, and asks
 * whether it is due. Members sleep, rest, wake each other, at once and later, and open and close gates, all by their number and turn.
 */
#include "tests.h"

#include <warpwright/component.h>
#include <warpwright/heap.h>
#include <warpwright/machine.h>

#define SIDES 2
#define TICKS 300
#define PHASES 2

typedef struct Walker {
    WwComponent base;
    uint32_t number;
    uint64_t turns, slept;
} Walker;

/* What the plain loop knows of a walker. */
typedef struct Known {
    Walker *walker;
    struct Site *site;
    uint32_t phase;
    bool due;
    uint64_t at;            /* edge at which it becomes due, or WW_NEVER */
    uint64_t turns, rights; /* turns that it had, and that it could have had */
} Known;

/* What it knows of a group. */
typedef struct Site {
    WwGroupSpec spec;
    WwGroup *group;
    struct Site *up, *gate; /* gate: the innermost gated one, itself included */
    GPtrArray *in;          /* Site, or NULL: the walker of the same place in `who` */
    GArray *who;            /* uint32_t */
    bool has[PHASES];       /* walkers of the phase */
    bool kept;              /* a walker has its gate, and so can open it */
    struct {
        bool closed, closing, walking;
        uint64_t edges;
    } gated[PHASES];
} Site;

/* What a walker does in a turn. */
typedef struct Deed {
    WwRest rest;
    int wakes, later, gates; /* numbers of walkers, or -1; gates: often its own */
    uint32_t after;          /* of `later` */
    bool opens;
} Deed;

/* One tree, in a partition of its own or not. */
typedef struct Side {
    GPtrArray *sites;
    GArray *known;
    GArray *diary; /* uint64_t: edge and number of each turn */
} Side;

static struct {
    uint64_t seed;
    Side side[SIDES];
    uint64_t now; /* of the plain loop */
    bool no_sleep;
} world;

/* ---- what is drawn ---------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Of walker @p number of @p n in its turn @p turn. The first one never sleeps. */
static Deed deed_of(uint32_t side, uint32_t number, uint64_t turn, uint32_t n)
{
    uint64_t h = mix(world.seed * 1000003 + side * 77777 + number + (turn << 20));
    uint64_t g = mix(h);
    Deed d = {.wakes = -1, .later = -1, .gates = -1};
    uint32_t kind = h % 8;
    d.rest = number == 0 || kind == 4 ? WW_AGAIN
             : kind < 4               ? WW_SLEEP
             : kind == 7              ? (WwRest)(2 + g % 200)
                                      : (WwRest)(2 + g % 30);
    d.wakes = (h >> 8) % 3 == 0 ? (int)((h >> 16) % n) : -1;
    if ((h >> 32) % 6 == 0) {
        d.later = (int)((h >> 40) % n);
        d.after = 1 + (uint32_t)((g >> 8) % 100);
    }
    if ((g >> 16) % (number == 0 ? 2 : 12) == 0) {
        d.gates = number != 0 && (g >> 44) % 2 == 0 ? (int)number : (int)((g >> 24) % n);
        d.opens = (g >> 40) % 3 != 0;
    }
    return d;
}

static Known *known(const Side *s, uint32_t number)
{
    return &g_array_index(s->known, Known, number);
}

/* ---- the machine ------------------------------------------------------------------------------------------------ */

static uint32_t side_of(const Walker *w)
{
    return w->number >> 16;
}

static WwRest walker_turn(void *self)
{
    Walker *w = self;
    const Side *s = &world.side[side_of(w)];
    uint32_t number = w->number & 0xffff;
    uint64_t entry = ww_now(w) << 16 | number;
    Deed d = deed_of(side_of(w), number, w->turns++, s->known->len);
    g_array_append_val(s->diary, entry);
    if (d.wakes >= 0) {
        WwWake wake = ww_wake_of(known(s, (uint32_t)d.wakes)->walker, 0);
        ww_wake(&wake);
    }
    if (d.later >= 0) {
        WwWake wake = ww_wake_of(known(s, (uint32_t)d.later)->walker, 0);
        ww_wake_at(&wake, ww_now(w) + d.after);
    }
    if (d.gates >= 0) {
        ww_gate(known(s, (uint32_t)d.gates)->walker, d.opens);
    }
    return d.rest;
}

static void walker_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Walker *)self)->slept += n;
}

/* clang-format off */
static const WwParamRow walker_params[] = {WW_UINT(Walker, number, "", "0", 0, 1e9, "x"), {0}};
static const WwEntryRow walker_entries[PHASES][2] = {
    {{.name = "turn", .phase = "main", .tick = walker_turn, .doc = "x"}, {0}},
    {{.name = "turn", .phase = "late", .tick = walker_turn, .doc = "x"}, {0}}};
#define WALKER(which, phase)                                                                       \
    {.abi = WW_ABI_VERSION, .name = which, .doc = "walks", .family = "test", .size = sizeof(Walker),\
     .params = walker_params, .entries = walker_entries[phase], .settle = walker_settle}
static const WwType walker_types[PHASES] = {WALKER("walker", 0), WALKER("late_walker", 1)};
/* clang-format on */

static void add_walker(WwMachine *m, uint32_t side, Site *site, GRand *r)
{
    static const WwLocation nowhere;
    Side *s = &world.side[side];
    uint32_t number = s->known->len, phase = number != 0 && g_rand_int_range(r, 0, 8) == 0;
    g_autofree char *text = g_strdup_printf("%u", side << 16 | number);
    GError *error = NULL;
    WwComponent *c = ww_machine_add(m, site->group, &walker_types[phase], "w", -1, nowhere);
    ww_component_set_text(c, "number", text, &error);
    g_assert_no_error(error);
    Known k = {.walker = (Walker *)c, .site = site, .phase = phase, .due = true, .at = WW_NEVER};
    g_array_append_val(s->known, k);
    g_ptr_array_add(site->in, NULL);
    g_array_append_val(site->who, number);
    for (Site *at = site; at != NULL; at = at->up) {
        at->has[phase] = true;
    }
    if (site->gate != NULL) {
        site->gate->kept = true;
    }
}

static Site *add_site(WwMachine *m, uint32_t side, Site *up, WwGroupSpec spec)
{
    Site *site = g_new0(Site, 1);
    *site = (Site){.spec = spec,
                   .up = up,
                   .gate = spec.gated   ? site
                           : up != NULL ? up->gate
                                        : NULL,
                   .in = g_ptr_array_new(),
                   .who = g_array_new(false, false, sizeof(uint32_t))};
    site->group = ww_machine_add_group(m, up != NULL ? up->group : ww_machine_root(m), &spec);
    for (uint32_t p = 0; p < PHASES; p++) {
        site->gated[p].closed = spec.gated;
    }
    g_ptr_array_add(world.side[side].sites, site);
    if (up != NULL) {
        uint32_t nobody = 0;
        g_ptr_array_add(up->in, site);
        g_array_append_val(up->who, nobody);
    }
    return site;
}

/* @p repeats: this one does, or one around it: what repeats may have no gates inside. */
static void fill_site(WwMachine *m, uint32_t side, Site *site, int depth, bool repeats, GRand *r)
{
    int n = g_rand_int_range(r, 1, depth == 0 ? 5 : 7);
    for (int i = 0; i < n; i++) {
        if (depth == 3 || g_rand_int_range(r, 0, 3) == 0) {
            int walkers = g_rand_int_range(r, 0, 4) == 0 ? g_rand_int_range(r, 10, 72) : 1;
            for (int k = 0; k < walkers; k++) {
                add_walker(m, side, site, r);
            }
            continue;
        }
        static const WwGroupMode modes[] = {WW_GROUP_PLAIN, WW_GROUP_SEQUENCE, WW_GROUP_PLAIN,
                                            WW_GROUP_ROTATE, WW_GROUP_REPEAT};
        WwGroupSpec spec = {.mode = modes[g_rand_int_range(r, 0, G_N_ELEMENTS(modes))]};
        spec.repeat = spec.mode == WW_GROUP_REPEAT ? (uint32_t)g_rand_int_range(r, 2, 4) : 0;
        spec.gated = !repeats && g_rand_int_range(r, 0, site->gate == NULL ? 2 : 4) == 0;
        fill_site(m, side, add_site(m, side, site, spec), depth + 1,
                  repeats || spec.mode == WW_GROUP_REPEAT, r);
    }
    if (site->spec.gated && !site->kept) {
        add_walker(m, side, site, r);
    }
}

/* @p apart: in partitions of their own. */
static WwMachine *draw(const WwRegistry *registry, uint64_t seed, bool apart)
{
    GError *error = NULL;
    GRand *r = g_rand_new_with_seed((guint32)seed);
    WwMachine *m = ww_machine_new(registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    ww_machine_add_phase(m, "late", "core", &error);
    g_assert_no_error(error);
    world.seed = seed;
    world.now = 0;
    for (uint32_t i = 0; i < SIDES; i++) {
        Side *s = &world.side[i];
        *s = (Side){.sites = g_ptr_array_new(),
                    .known = g_array_new(false, true, sizeof(Known)),
                    .diary = g_array_new(false, false, sizeof(uint64_t))};
        Site *top =
            add_site(m, i, NULL,
                     (WwGroupSpec){.name = "side", .index = i, .array = true, .partition = apart});
        add_walker(m, i, top, r);
        fill_site(m, i, top, 0, false, r);
    }
    g_rand_free(r);
    return m;
}

static void forget(WwMachine *m)
{
    ww_machine_free(m);
    for (uint32_t i = 0; i < SIDES; i++) {
        for (guint k = 0; k < world.side[i].sites->len; k++) {
            Site *site = world.side[i].sites->pdata[k];
            g_ptr_array_unref(site->in);
            g_array_unref(site->who);
            g_free(site);
        }
        g_ptr_array_unref(world.side[i].sites);
        g_array_unref(world.side[i].known);
        g_array_unref(world.side[i].diary);
    }
}

/* ---- the plain loop --------------------------------------------------------------------------------------------- */

static void gate(Site *g, bool open)
{
    for (uint32_t p = 0; g != NULL && p < PHASES; p++) {
        if (!open && !g->gated[p].closed) {
            g->gated[p].closing = g->gated[p].walking;
            g->gated[p].closed = !g->gated[p].walking;
        } else if (open) {
            g->gated[p].closed = g->gated[p].closing = false;
        }
    }
}

static void visit(uint32_t side, uint32_t number, GArray *diary)
{
    const Side *s = &world.side[side];
    Known *k = known(s, number);
    k->rights++;
    if (!k->due && !world.no_sleep) {
        return;
    }
    uint64_t entry = world.now << 16 | number;
    Deed d = deed_of(side, number, k->turns++, s->known->len);
    k->due = false;
    g_array_append_val(diary, entry);
    if (d.wakes >= 0) {
        known(s, (uint32_t)d.wakes)->due = true;
    }
    if (d.later >= 0) {
        Known *other = known(s, (uint32_t)d.later);
        other->at = MIN(other->at, world.now + d.after);
    }
    if (d.gates >= 0) {
        gate(known(s, (uint32_t)d.gates)->site->gate, d.opens);
    }
    k->due |= d.rest == WW_AGAIN;
    if (d.rest != WW_AGAIN && d.rest != WW_SLEEP) {
        k->at = MIN(k->at, world.now + d.rest);
    }
}

static void walk(uint32_t side, Site *g, uint32_t phase, uint64_t turn, GArray *diary)
{
    if (g->gated[phase].closed || !g->has[phase]) {
        return;
    }
    turn = g->spec.gated ? g->gated[phase].edges++ : turn;
    g->gated[phase].walking = g->spec.gated;
    g_autoptr(GArray) here = g_array_new(false, false, sizeof(uint32_t));
    for (uint32_t i = 0; i < g->in->len; i++) {
        const Site *in = g->in->pdata[i];
        uint32_t who = g_array_index(g->who, uint32_t, i);
        if (in != NULL ? in->has[phase] : known(&world.side[side], who)->phase == phase) {
            g_array_append_val(here, i);
        }
    }
    uint32_t times = MAX(g->spec.repeat, 1);
    for (uint32_t n = 0; n < times * here->len; n++) {
        uint64_t t = turn * times + n / here->len;
        uint32_t first = g->spec.mode == WW_GROUP_ROTATE ? (uint32_t)(t % here->len) : 0;
        uint32_t i = g_array_index(here, uint32_t, (n + first) % here->len);
        if (g->in->pdata[i] != NULL) {
            walk(side, g->in->pdata[i], phase, t, diary);
        } else {
            visit(side, g_array_index(g->who, uint32_t, i), diary);
        }
    }
    g->gated[phase].closed = g->gated[phase].closing;
    g->gated[phase].walking = g->gated[phase].closing = false;
}

/* The turns of a side, one tick after the other. */
static GArray *walk_all(uint32_t side)
{
    GArray *diary = g_array_new(false, false, sizeof(uint64_t));
    const Side *s = &world.side[side];
    for (world.now = 0; world.now < TICKS; world.now++) {
        for (uint32_t i = 0; i < s->known->len; i++) {
            Known *k = known(s, i);
            k->due |= k->at == world.now;
            k->at = k->at == world.now ? WW_NEVER : k->at;
        }
        for (uint32_t p = 0; p < PHASES; p++) {
            walk(side, s->sites->pdata[0], p, world.now, diary);
        }
    }
    return diary;
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

static void compare(uint32_t side)
{
    const Side *s = &world.side[side];
    g_autoptr(GArray) expected = walk_all(side);
    for (guint i = 0; i < MAX(expected->len, s->diary->len); i++) {
        uint64_t e = i < expected->len ? g_array_index(expected, uint64_t, i) : UINT64_MAX;
        uint64_t was = i < s->diary->len ? g_array_index(s->diary, uint64_t, i) : UINT64_MAX;
        if (e != was) {
            g_error("seed %" G_GUINT64_FORMAT
                    ", side %u, turn %u: walker %u at %u, expected %u at %u",
                    world.seed, side, i, (unsigned)(was & 0xffff), (unsigned)(was >> 16),
                    (unsigned)(e & 0xffff), (unsigned)(e >> 16));
        }
    }
    for (uint32_t i = 0; i < s->known->len; i++) {
        const Known *k = known(s, i);
        g_assert_cmpuint(k->walker->turns, ==, k->turns);
        if (k->walker->turns + k->walker->slept != k->rights) {
            g_error("seed %" G_GUINT64_FORMAT
                    ", side %u, walker %u: %u turns and %u slept, expected %u in all",
                    world.seed, side, i, (unsigned)k->turns, (unsigned)k->walker->slept,
                    (unsigned)k->rights);
        }
    }
}

/* The machine to power-on, and the walkers' turns with it. */
static void begin_again(WwMachine *m)
{
    ww_machine_reset(m);
    for (uint32_t i = 0; i < SIDES; i++) {
        const Side *s = &world.side[i];
        g_array_set_size(s->diary, 0);
        for (uint32_t k = 0; k < s->known->len; k++) {
            known(s, k)->walker->turns = known(s, k)->walker->slept = 0;
        }
    }
}

typedef struct Way {
    bool apart, windows, no_sleep;
    bool saved; /* halfway, and goes on as another machine */
} Way;

static WwMachine *build(const WwRegistry *registry, uint64_t seed, Way way)
{
    GError *error = NULL;
    WwMachine *m = draw(registry, seed, way.apart);
    world.no_sleep = way.no_sleep;
    ww_machine_set_no_sleep(m, way.no_sleep);
    ww_machine_set_windows(m, way.windows);
    ww_machine_seal(m, &error);
    g_assert_no_error(error);
    return m;
}

/* A machine like @p m, which is freed, and was like @p image when it was built. */
static WwMachine *move(WwMachine *m, const WwRegistry *registry, Way way, const WwHeapImage *image)
{
    g_autoptr(GArray) changes = g_array_new(false, false, sizeof(WwHeapChange));
    g_autofree WwHeapChange *change = g_new(WwHeapChange, 1);
    const WwHeap *heap = ww_machine_heap(m);
    uint64_t end = ww_heap_end(heap);
    GArray *diary[SIDES];
    for (uint64_t page = 0; ww_heap_change(heap, image, &page, change);) {
        g_array_append_val(changes, *change);
    }
    for (uint32_t i = 0; i < SIDES; i++) {
        diary[i] = g_array_ref(world.side[i].diary);
    }
    forget(m);
    m = build(registry, world.seed, way);
    g_assert_true(ww_heap_extend(ww_machine_heap(m), end));
    for (guint i = 0; i < changes->len; i++) {
        g_assert_true(ww_heap_apply(ww_machine_heap(m), &g_array_index(changes, WwHeapChange, i)));
    }
    for (uint32_t i = 0; i < SIDES; i++) {
        g_array_unref(world.side[i].diary);
        world.side[i].diary = diary[i];
    }
    return m;
}

static void check_way(const WwRegistry *registry, uint64_t seed, Way way)
{
    WwMachine *m = build(registry, seed, way);
    WwHeapImage *image = way.saved ? ww_heap_image_new(ww_machine_heap(m)) : NULL;
    world.seed += 1000000; /* other turns */
    ww_run(m, TICKS / 4);
    begin_again(m);
    world.seed = seed;
    ww_run(m, TICKS / 2);
    if (way.saved) {
        m = move(m, registry, way, image);
        ww_heap_image_free(image);
    }
    ww_run(m, TICKS - TICKS / 2);
    ww_machine_settle(m);
    for (uint32_t i = 0; i < SIDES; i++) {
        compare(i);
    }
    forget(m);
}

static void test_drawn(void)
{
    static const Way ways[] = {{0},
                               {.apart = true},
                               {.apart = true, .windows = true},
                               {.no_sleep = true},
                               {.apart = true, .no_sleep = true},
                               {.apart = true, .windows = true, .saved = true}};
    WwRegistry *registry = ww_registry_new();
    GError *error = NULL;
    const WwType *const types[] = {&walker_types[0], &walker_types[1], NULL};
    ww_registry_add_all(registry, types, "test", &error);
    g_assert_no_error(error);
    for (uint64_t seed = 0; seed < (g_test_thorough() ? 1000 : 24); seed++) {
        for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
            check_way(registry, seed, ways[i]);
        }
    }
    ww_registry_free(registry);
}

void test_blocks_register(void)
{
    g_test_add_func("/kernel/machine/blocks/drawn", test_drawn);
}
