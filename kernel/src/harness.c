/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test bench for one component. Every port gets a peer component of a type made for it on the spot: the mirrored port row and
 * one entry point in the same phase, which only counts how often it was woken.
 */
#include "machine-priv.h"
#include <string.h>
#include <warpwright/harness.h>

/* What stands at the other end of a port. */
typedef struct Peer {
    WwComponent base;
    WwPort port;
    uint64_t turns;
    uint64_t carries; /* what is known of what the test puts */
} Peer;

typedef struct PeerType {
    WwType type;
    WwPortRow port[2];
    WwEntryRow entry[2];
} PeerType;

typedef struct End {
    char *port; /* as the test names it: "in", "spec[2]" */
    int row;
    char *rank; /* PROVIDES: of this caller */
    uint32_t ordinal;
    Peer *peer;
    WwComponent *filled; /* REQUIRES: what fills it */
    const WwChannelOps *ops;
    uint64_t seen; /* turns already told by ww_harness_wakes() */
} End;

struct WwHarness {
    const WwRegistry *registry;
    WwMachine *m;
    WwComponent *dut;
    GPtrArray *ends;   /* End */
    GPtrArray *memory; /* of ww_harness_alloc and peer types */
    bool *settled_row; /* rows that the test has dealt with */
};

static void fatal(const char *format, ...) G_GNUC_PRINTF(1, 2) G_GNUC_NORETURN;
static void fatal(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_printerr("harness: %s\n", text);
    abort();
}

/* @p error by its address: it is looked at when the call that sets it is over. */
static void must(bool ok, GError *const *error)
{
    if (!ok) {
        fatal("%s", *error != NULL ? (*error)->message : "failed");
    }
}

void *ww_harness_alloc(WwHarness *h, size_t size)
{
    void *p = g_malloc0(size);
    g_ptr_array_add(h->memory, p);
    return p;
}

/* "name=value name=value" */
static void set_params(WwComponent *c, const char *params)
{
    if (params == NULL) {
        return;
    }
    g_auto(GStrv) words = g_strsplit(params, " ", -1);
    for (char **w = words; *w != NULL; w++) {
        char *eq = strchr(*w, '=');
        if (**w == '\0') {
            continue;
        }
        if (eq == NULL) {
            fatal("'%s' in parameters of %s; expected name=value", *w, c->type->name);
        }
        *eq = '\0';
        GError *error = NULL;
        must(ww_component_set_text(c, *w, eq + 1, &error), &error);
    }
}

static void end_free(gpointer data)
{
    End *e = data;
    g_free(e->port);
    g_free(e->rank);
    g_free(e);
}

/* Phases are needed before the first component: all that any type of the registry names, in order of first mention by the component. */
static void add_phase(WwMachine *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (strcmp(m->phase[i].name, name) == 0) {
            return;
        }
    }
    GError *error = NULL;
    must(ww_machine_add_phase(m, name, "clock", &error), &error);
}

static void add_phases_of(WwMachine *m, const WwType *type)
{
    const WwEntryRow *e;
    for (WW_ROWS(type->entries, e)) {
        if (e->owner == NULL) {
            add_phase(m, e->phase);
        }
    }
}

WwHarness *ww_harness_new(const WwRegistry *registry, const char *type, const char *params)
{
    GError *error = NULL;
    const WwType *t = ww_registry_find(registry, type, &error);
    must(t != NULL, &error);
    WwHarness *h = g_new0(WwHarness, 1);
    h->registry = registry;
    h->m = ww_machine_new(registry);
    h->ends = g_ptr_array_new_with_free_func(end_free);
    h->memory = g_ptr_array_new_with_free_func(g_free);
    must(ww_machine_add_domain(h->m, "clock", 1e9, &error) != NULL, &error);
    add_phases_of(h->m, t);
    add_phase(h->m, "main");
    ww_machine_set_hang_limit(h->m, 0);
    h->dut = ww_machine_add(h->m, ww_machine_root(h->m), t, "dut", -1, (WwLocation){0});
    uint32_t n = 0;
    const WwPortRow *r;
    for (WW_ROWS(t->ports, r)) {
        n++;
    }
    h->settled_row = g_new0(bool, n + 1);
    set_params(h->dut, params);
    return h;
}

void ww_harness_free(WwHarness *h)
{
    if (h == NULL) {
        return;
    }
    ww_machine_free(h->m);
    g_ptr_array_unref(h->ends);
    g_ptr_array_unref(h->memory);
    g_free(h->settled_row);
    g_free(h);
}

/* Row of "name" or "name[i]". */
static int find_row(const WwHarness *h, const char *port)
{
    g_autofree char *name = g_strdup(port);
    char *bracket = strchr(name, '[');
    if (bracket != NULL) {
        *bracket = '\0';
    }
    int row = ww_type_port(h->dut->type, name);
    if (row < 0) {
        fatal("%s has no port '%s'", h->dut->type->name, port);
    }
    return row;
}

static WwRest peer_turn(void *self)
{
    Peer *p = self;
    p->turns++;
    ww_step(&p->port);
    return WW_SLEEP;
}

/* Has the component a step that the first caller at this PROVIDES port runs? */
static bool owns_step(const WwHarness *h, const WwPortRow *row)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        const End *e = g_ptr_array_index(h->ends, i);
        if (e->peer != NULL && &h->dut->type->ports[e->row] == row) {
            return false;
        }
    }
    const WwEntryRow *e;
    for (WW_ROWS(h->dut->type->entries, e)) {
        if (g_strcmp0(e->owner, row->name) == 0) {
            return true;
        }
    }
    return false;
}

static uint64_t peer_carries(void *self, const WwPortRow *port, uint32_t k)
{
    return ((const Peer *)self)->carries;
}

/* A component whose one port mirrors @p row. */
static Peer *add_peer(WwHarness *h, const WwPortRow *row, const char *rank, const char *name)
{
    PeerType *t = ww_harness_alloc(h, sizeof *t);
    const WwType *dut = h->dut->type;
    const char *phase = "main";
    if (dut->entries != NULL && dut->entries->name != NULL) {
        int e = row->entry != NULL ? ww_type_entry(dut, row->entry) : 0;
        phase = dut->entries[e].owner == NULL ? dut->entries[e].phase : phase;
    }
    static const WwPortRole mirror[] = {[WW_IN] = WW_OUT,
                                        [WW_OUT] = WW_IN,
                                        [WW_PROVIDES] = WW_REQUIRES,
                                        [WW_REQUIRES] = WW_PROVIDES};
    t->port[0] = (WwPortRow){.name = "peer",
                             .role = mirror[row->role],
                             .contract = row->contract,
                             .max = 1,
                             .rank = rank,
                             .owns = row->role == WW_PROVIDES && owns_step(h, row),
                             .doc = "the other end",
                             .offset = offsetof(Peer, port)};
    t->entry[0] =
        (WwEntryRow){.name = "turn", .phase = phase, .tick = peer_turn, .doc = "counts wakes"};
    t->type = (WwType){.abi = WW_ABI_VERSION,
                       .name = "harness.peer",
                       .doc = "the other end of a port under test",
                       .family = "harness",
                       .flags = WW_TYPE_FAKE,
                       .size = sizeof(Peer),
                       .ports = t->port,
                       .entries = t->entry,
                       .carries = peer_carries};
    return (Peer *)ww_machine_add(h->m, ww_machine_root(h->m), &t->type, name, -1, (WwLocation){0});
}

static End *add_end(WwHarness *h, const char *port, int row)
{
    End *e = g_new0(End, 1);
    e->port = g_strdup(port);
    e->row = row;
    g_ptr_array_add(h->ends, e);
    h->settled_row[row] = true;
    return e;
}

void ww_harness_channel(WwHarness *h, const char *port, const char *params)
{
    int row = find_row(h, port);
    const WwPortRow *r = &h->dut->type->ports[row];
    if (r->contract->kind != WW_CHANNEL) {
        fatal("port '%s' of %s is no channel port", port, h->dut->type->name);
    }
    GError *error = NULL;
    const WwType *t = ww_registry_find(h->registry, r->contract->channel, &error);
    must(t != NULL, &error);
    g_autofree char *name = g_strdup_printf("channel_%s", port);
    WwComponent *ch = ww_machine_add(h->m, ww_machine_root(h->m), t, name, -1, (WwLocation){0});
    set_params(ch, params);
    End *e = add_end(h, port, row);
    g_autofree char *peer = g_strdup_printf("peer_%s", port);
    e->peer = add_peer(h, r, NULL, peer);
    e->ops = t->channel;
    must(ww_bind(h->dut, row, ch, -1, (WwLocation){0}, &error), &error);
    must(ww_bind(&e->peer->base, 0, ch, -1, (WwLocation){0}, &error), &error);
}

void *ww_harness_fill(WwHarness *h, const char *port, const char *type, const char *params)
{
    int row = find_row(h, port);
    const WwPortRow *r = &h->dut->type->ports[row];
    GError *error = NULL;
    const WwType *t =
        ww_registry_find(h->registry, type != NULL ? type : r->contract->fake, &error);
    must(t != NULL, &error);
    add_phases_of(h->m, t);
    /* one provider may fill several ports: a component whose warps and simt come from the same pool */
    WwComponent *c = NULL;
    for (uint32_t i = 0; i < h->ends->len && c == NULL; i++) {
        End *e = g_ptr_array_index(h->ends, i);
        if (e->filled != NULL && e->filled->type == t && params == NULL && r->max == 1) {
            c = e->filled;
        }
    }
    if (c == NULL) {
        g_autofree char *name = g_strdup_printf("fill_%s", port);
        c = ww_machine_add(h->m, ww_machine_root(h->m), t, name, -1, (WwLocation){0});
        set_params(c, params);
    }
    End *e = add_end(h, port, row);
    e->filled = c;
    must(ww_bind(h->dut, row, c, -1, (WwLocation){0}, &error), &error);
    return c;
}

void ww_harness_provide(WwHarness *h, const char *port, const void *table, void *self)
{
    int row = find_row(h, port);
    GError *error = NULL;
    must(ww_bind_external(h->dut, row, table, self, &error), &error);
    h->settled_row[row] = true;
}

WwWake ww_harness_provide_step(WwHarness *h, const char *port, WwTickFn tick,
                               void (*settle)(void *self, uint32_t entry, uint64_t n), void *self)
{
    return ww_bind_external_step(h->dut, find_row(h, port), tick, settle, self);
}

void ww_harness_callers(WwHarness *h, const char *port, const char *rank, uint32_t n)
{
    int row = find_row(h, port);
    for (uint32_t i = 0; i < n; i++) {
        End *e = add_end(h, port, row);
        g_autofree char *name =
            g_strdup_printf("caller_%s_%s_%u", port, rank != NULL ? rank : "", i);
        e->rank = g_strdup(rank);
        e->ordinal = i;
        e->peer = add_peer(h, &h->dut->type->ports[row], e->rank, name);
        GError *error = NULL;
        must(ww_bind(&e->peer->base, 0, h->dut, row, (WwLocation){0}, &error), &error);
    }
    h->settled_row[row] = true;
}

static bool same_contract_before(const WwHarness *h, int row)
{
    const WwPortRow *ports = h->dut->type->ports;
    for (int i = 0; i < row; i++) {
        if (ports[i].role == WW_PROVIDES && ports[i].contract == ports[row].contract) {
            return true;
        }
    }
    return false;
}

static void fill_the_rest(WwHarness *h)
{
    const WwPortRow *r;
    int row = 0;
    for (WW_ROWS(h->dut->type->ports, r)) {
        if (!h->settled_row[row]) {
            if (r->role == WW_PROVIDES && !same_contract_before(h, row)) {
                if (r->contract->ranks == NULL) {
                    ww_harness_callers(h, r->name, NULL, 1);
                } else {
                    for (const char *const *k = r->contract->ranks; *k != NULL; k++) {
                        ww_harness_callers(h, r->name, *k, 1);
                    }
                }
            } else if (r->role == WW_REQUIRES && r->min != 0) {
                for (uint16_t i = 0; i < r->min; i++) {
                    g_autofree char *name =
                        r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
                    ww_harness_fill(h, name, NULL, NULL);
                }
            } else if ((r->role == WW_IN || r->role == WW_OUT) && r->min != 0) {
                for (uint16_t i = 0; i < r->min; i++) {
                    g_autofree char *name =
                        r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
                    ww_harness_channel(h, name, NULL);
                }
            }
        }
        row++;
    }
}

/* Fakes and whatever fills ports may require more: their own contracts' fakes. */
static void fill_the_fillers(WwHarness *h)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        WwComponent *c = ((End *)g_ptr_array_index(h->ends, i))->filled;
        const WwPortRow *r;
        int row = 0;
        if (c == NULL) {
            continue;
        }
        for (WW_ROWS(c->type->ports, r)) {
            GError *error = NULL;
            if (r->role == WW_REQUIRES && *ww_bound(c, row) < r->min) {
                const WwType *t = ww_registry_find(h->registry, r->contract->fake, &error);
                must(t != NULL, &error);
                WwComponent *f =
                    ww_machine_add(h->m, ww_machine_root(h->m), t, r->name, -1, (WwLocation){0});
                must(ww_bind(c, row, f, -1, (WwLocation){0}, &error), &error);
            }
            row++;
        }
    }
}

/* Power-on makes everything due; the peers have not been woken by anybody yet. */
static void rest_peers(WwHarness *h)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        End *e = g_ptr_array_index(h->ends, i);
        if (e->peer != NULL) {
            const WwWake *w = &e->peer->base.entries[0].wake;
            e->peer->turns = e->seen = 0;
            if (e->peer->base.entries[0].steps != NULL) {
                e->seen = 1; /* its turn for the step, which is due: no wake to tell of */
            } else {
                *w->word &= ~w->bit;
            }
        }
    }
}

bool ww_harness_start(WwHarness *h, GError **error)
{
    fill_the_rest(h);
    fill_the_fillers(h);
    GError *why = NULL;
    if (!ww_machine_seal(h->m, &why)) {
        if (error == NULL) {
            fatal("%s", why->message);
        }
        g_propagate_error(error, why);
        return false;
    }
    rest_peers(h);
    return true;
}

/* ---- driving ---------------------------------------------------------------------------------------------------- */

void ww_harness_step(WwHarness *h, uint64_t n)
{
    /* tick by tick, so that a machine in which all sleep still moves on */
    WwCycle until = h->m->domain[0]->cycle + n;
    while (h->m->domain[0]->cycle < until) {
        WwRunStatus s = ww_run(h->m, until - h->m->domain[0]->cycle);
        if (s == WW_RUN_DONE || s == WW_RUN_HANG) {
            if (h->m->stop != 0) {
                return;
            }
            h->m->domain[0]->cycle = until;
            ww_spread_time(h->m);
            ww_wheel_advance(&h->m->wheel[0], until);
        } else if (s == WW_RUN_FAILED || s == WW_RUN_LIMIT) {
            return;
        }
    }
}

WwCycle ww_harness_now(const WwHarness *h)
{
    return h->m->domain[0]->cycle;
}

static End *find_end(const WwHarness *h, const char *port, const char *rank, uint32_t ordinal)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        End *e = g_ptr_array_index(h->ends, i);
        if (strcmp(e->port, port) == 0 && e->ordinal == ordinal && g_strcmp0(e->rank, rank) == 0) {
            return e;
        }
    }
    fatal("port '%s' of %s has no peer (rank %s, ordinal %u): was it bound?", port,
          h->dut->type->name, rank != NULL ? rank : "none", ordinal);
}

void ww_harness_turn(WwHarness *h, const char *port)
{
    End *e = find_end(h, port, NULL, 0);
    ww_machine_settle(h->m); /* what it slept through lies before this turn */
    (void)peer_turn(e->peer);
    e->seen++; /* nobody has woken it */
}

bool ww_harness_due(WwHarness *h, const char *port)
{
    const WwStep *s = find_end(h, port, NULL, 0)->peer->port.step;
    return s != NULL && (s->due & 1u) != 0;
}

static End *channel_end(const WwHarness *h, const char *port)
{
    End *e = find_end(h, port, NULL, 0);
    if (e->ops == NULL) {
        fatal("port '%s' of %s is no channel port", port, h->dut->type->name);
    }
    return e;
}

bool ww_harness_put(WwHarness *h, const char *port, int slot, WwToken token)
{
    End *e = channel_end(h, port);
    return e->ops->put(&e->peer->port, slot, token);
}

void ww_harness_carries(WwHarness *h, const char *port, uint64_t bits)
{
    channel_end(h, port)->peer->carries = bits;
}

bool ww_harness_take(WwHarness *h, const char *port, int *slot, WwToken *token)
{
    End *e = channel_end(h, port);
    int s;
    return e->ops->take(&e->peer->port, slot != NULL ? slot : &s, token);
}

uint32_t ww_harness_count(WwHarness *h, const char *port)
{
    End *e = channel_end(h, port);
    return e->ops->count(&e->peer->port);
}

uint64_t ww_harness_until(WwHarness *h, const char *port, uint64_t limit)
{
    for (uint64_t n = 0; n <= limit; n++) {
        if (ww_harness_count(h, port) != 0) {
            return n;
        }
        ww_harness_step(h, 1);
    }
    return UINT64_MAX;
}

const void *ww_harness_table(WwHarness *h, const char *port, void **self)
{
    *self = h->dut;
    return h->dut->type->ports[find_row(h, port)].table;
}

void *ww_harness_peer(WwHarness *h, const char *port)
{
    End *e = find_end(h, port, NULL, 0);
    return e->filled != NULL ? (void *)e->filled : (void *)e->peer;
}

static bool entry_due(const WwEntry *e)
{
    return (*e->wake.word & e->wake.bit) != 0;
}

uint32_t ww_harness_wakes(WwHarness *h, const char *port, const char *rank, uint32_t ordinal)
{
    End *e = find_end(h, port, rank, ordinal);
    /* a wake that its turn has not answered yet counts now, and its turn will not count again */
    uint64_t total = e->peer->turns + entry_due(&e->peer->base.entries[0]);
    if (entry_due(&e->peer->base.entries[0])) {
        *e->peer->base.entries[0].wake.word &= ~e->peer->base.entries[0].wake.bit;
        e->peer->turns++;
    }
    uint64_t n = total - e->seen;
    e->seen = total;
    return (uint32_t)n;
}

void *ww_harness_self(WwHarness *h)
{
    return h->dut;
}

WwMachine *ww_harness_machine(WwHarness *h)
{
    return h->m;
}

bool ww_harness_asleep(WwHarness *h)
{
    const WwEntryRow *row;
    uint32_t n = 0;
    for (WW_ROWS(h->dut->type->entries, row)) {
        const WwEntry *e = &h->dut->entries[n++];
        if (ww_turn_of(h->dut->entries + n - 1) == NULL) {
            continue; /* an owned step without its owner */
        }
        if (entry_due(e) || ww_event_pending(&e->timer)) {
            return false;
        }
    }
    return true;
}

uint64_t ww_harness_stat(WwHarness *h, const char *name, uint32_t i)
{
    int row = ww_type_stat(h->dut->type, name);
    if (row < 0) {
        fatal("%s has no statistic '%s'", h->dut->type->name, name);
    }
    ww_machine_settle(h->m);
    return ww_stat_values(h->dut, &h->dut->type->stats[row])[i];
}

void ww_harness_reset(WwHarness *h)
{
    ww_machine_reset(h->m);
    rest_peers(h);
}
