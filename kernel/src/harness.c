/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test bench for one component. Every port gets a peer component of a type made for it on the spot: the mirrored port row and
 * one entry point in the same phase, which only counts how often it was woken.
 */
#include "guards-priv.h"
#include "harness-priv.h"
#include <string.h>

void ww_harness_fatal(const char *format, ...)
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
        ww_harness_fatal("%s", *error != NULL ? (*error)->message : "failed");
    }
}

void *ww_harness_alloc(WwHarness *h, size_t size)
{
    return ww_heap_take(h->m->heap, size);
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
            ww_harness_fatal("'%s' in parameters of %s; expected name=value", *w, c->type->name);
        }
        *eq = '\0';
        GError *error = NULL;
        must(ww_component_set_text(c, *w, eq + 1, &error), &error);
    }
}

static void end_free(gpointer data)
{
    HarnessEnd *e = data;
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

/* Two partitions that meet at a channel do so in different phases. */
#define ENDS "ends"

/* ---- partitions ------------------------------------------------------------------------------------------------- */

static WwGroup *add_partition(WwHarness *h)
{
    return ww_machine_add_group(h->m, ww_machine_root(h->m), &(WwGroupSpec){.partition = true});
}

static WwRest pace(void *self)
{
    return WW_AGAIN;
}

/* Somebody of another partition who is always due: there is something to run alone, and time goes on. */
static void add_pacer(WwHarness *h)
{
    static const WwEntryRow entries[] = {
        {.name = "pace", .phase = ENDS, .tick = pace, .doc = "does nothing, at every edge"},
        {0},
    };
    static const WwType type = {.abi = WW_ABI_VERSION,
                                .name = "harness.pacer",
                                .doc = "keeps a partition busy",
                                .family = "harness",
                                .flags = WW_TYPE_FAKE,
                                .size = sizeof(WwComponent),
                                .entries = entries};
    ww_machine_add(h->m, add_partition(h), &type, "pacer", -1, (WwLocation){0});
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static _Thread_local bool guarded;

void ww_harness_guarded(bool on)
{
    guarded = on;
}

char *ww_harness_overwritten(const WwHarness *h)
{
    return h->m->host->guards != NULL ? ww_guards_overwritten(h->m) : NULL;
}

static WwHarness *new_harness(const WwRegistry *registry, const char *type, const char *params,
                              bool apart)
{
    GError *error = NULL;
    const WwType *t = ww_registry_find(registry, type, &error);
    must(t != NULL, &error);
    WwHarness *h = g_new0(WwHarness, 1);
    h->registry = registry;
    h->apart = apart;
    h->m = ww_machine_new(registry);
    if (guarded) {
        ww_guards_begin(h->m);
    }
    h->ends = g_ptr_array_new_with_free_func(end_free);
    must(ww_machine_add_domain(h->m, "clock", 1e9, &error) != NULL, &error);
    if (apart) {
        add_phase(h->m, ENDS);
    }
    add_phases_of(h->m, t);
    add_phase(h->m, "main");
    ww_machine_set_hang_limit(h->m, 0);
    h->own = apart && !(t->flags & WW_TYPE_SERIAL) ? add_partition(h) : ww_machine_root(h->m);
    h->dut = ww_machine_add(h->m, h->own, t, "dut", -1, (WwLocation){0});
    uint32_t n = 0;
    const WwPortRow *r;
    for (WW_ROWS(t->ports, r)) {
        n++;
    }
    h->settled_row = g_new0(bool, n + 1);
    set_params(h->dut, params);
    if (apart) {
        add_pacer(h);
    }
    return h;
}

WwHarness *ww_harness_new(const WwRegistry *registry, const char *type, const char *params)
{
    return new_harness(registry, type, params, false);
}

WwHarness *ww_harness_new_apart(const WwRegistry *registry, const char *type, const char *params)
{
    return new_harness(registry, type, params, true);
}

void ww_harness_free(WwHarness *h)
{
    if (h == NULL) {
        return;
    }
    ww_machine_free(h->m);
    g_ptr_array_unref(h->ends);
    g_free(h->settled_row);
    g_free(h);
}

int ww_harness_row(const WwHarness *h, const char *port)
{
    g_autofree char *name = g_strdup(port);
    char *bracket = strchr(name, '[');
    if (bracket != NULL) {
        *bracket = '\0';
    }
    int row = ww_type_port(h->dut->type, name);
    if (row < 0) {
        ww_harness_fatal("%s has no port '%s'", h->dut->type->name, port);
    }
    return row;
}

/* Has the component a step that the first caller at this PROVIDES port runs? */
static bool owns_step(const WwHarness *h, const WwPortRow *row)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        const HarnessEnd *e = g_ptr_array_index(h->ends, i);
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
    return ((const HarnessPeer *)self)->carries;
}

typedef struct PeerType {
    WwType type;
    WwPortRow port[2];
    WwEntryRow entry[2];
} PeerType;

/* A component of group @p g whose one port mirrors @p row. */
static HarnessPeer *add_peer(WwHarness *h, WwGroup *g, const WwPortRow *row, const char *rank,
                             const char *name)
{
    PeerType *t = ww_harness_alloc(h, sizeof *t);
    const WwType *dut = h->dut->type;
    const char *phase = g == h->own ? "main" : ENDS;
    if (g == h->own && dut->entries != NULL && dut->entries->name != NULL) {
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
                             .offset = offsetof(HarnessPeer, port)};
    t->entry[0] = (WwEntryRow){
        .name = "turn", .phase = phase, .tick = ww_harness_peer_turn, .doc = "counts wakes"};
    t->type = (WwType){.abi = WW_ABI_VERSION,
                       .name = "harness.peer",
                       .doc = "the other end of a port under test",
                       .family = "harness",
                       .flags = WW_TYPE_FAKE | WW_TYPE_STOPS,
                       .size = sizeof(HarnessPeer),
                       .ports = t->port,
                       .entries = t->entry,
                       .carries = peer_carries};
    return (HarnessPeer *)ww_machine_add(h->m, g, &t->type, name, -1, (WwLocation){0});
}

static HarnessEnd *add_end(WwHarness *h, const char *port, int row)
{
    HarnessEnd *e = g_new0(HarnessEnd, 1);
    e->port = g_strdup(port);
    e->row = row;
    g_ptr_array_add(h->ends, e);
    h->settled_row[row] = true;
    return e;
}

/* A channel that keeps the times of its tokens may lead to another partition, from all but the serial one. */
static bool may_be_apart(const WwHarness *h, const WwPortRow *row, const WwType *channel)
{
    const WwType *dut = h->dut->type;
    if (!h->apart || channel->span == NULL || dut->entries == NULL) {
        return false;
    }
    int e = row->entry != NULL ? ww_type_entry(dut, row->entry) : 0;
    return !(dut->flags & WW_TYPE_SERIAL) || dut->entries[e].partition != NULL;
}

void ww_harness_channel(WwHarness *h, const char *port, const char *params)
{
    int row = ww_harness_row(h, port);
    const WwPortRow *r = &h->dut->type->ports[row];
    if (r->contract->kind != WW_CHANNEL) {
        ww_harness_fatal("port '%s' of %s is no channel port", port, h->dut->type->name);
    }
    GError *error = NULL;
    const WwType *t = ww_registry_find(h->registry, r->contract->channel, &error);
    must(t != NULL, &error);
    g_autofree char *name = g_strdup_printf("channel_%s", port);
    bool apart = may_be_apart(h, r, t);
    WwGroup *of = apart ? ww_machine_root(h->m) : h->own;
    WwComponent *ch = ww_machine_add(h->m, of, t, name, -1, (WwLocation){0});
    set_params(ch, params);
    HarnessEnd *e = add_end(h, port, row);
    g_autofree char *peer = g_strdup_printf("peer_%s", port);
    e->peer = add_peer(h, apart ? add_partition(h) : h->own, r, NULL, peer);
    e->peer->reads = r->role == WW_OUT;
    e->peer->ops = e->ops = t->channel;
    must(ww_bind(h->dut, row, ch, -1, (WwLocation){0}, &error), &error);
    must(ww_bind(&e->peer->base, 0, ch, -1, (WwLocation){0}, &error), &error);
}

void *ww_harness_fill(WwHarness *h, const char *port, const char *type, const char *params)
{
    int row = ww_harness_row(h, port);
    const WwPortRow *r = &h->dut->type->ports[row];
    GError *error = NULL;
    const WwType *t =
        ww_registry_find(h->registry, type != NULL ? type : r->contract->fake, &error);
    must(t != NULL, &error);
    add_phases_of(h->m, t);
    /* one provider may fill several ports, a component whose warps and simt come from the same pool, but whose step runs has one owner */
    WwComponent *c = NULL;
    for (uint32_t i = 0; i < h->ends->len && c == NULL; i++) {
        HarnessEnd *e = g_ptr_array_index(h->ends, i);
        if (e->filled != NULL && e->filled->type == t && params == NULL && r->max == 1 &&
            !r->owns) {
            c = e->filled;
        }
    }
    if (c == NULL) {
        g_autofree char *name = g_strdup_printf("fill_%s", port);
        c = ww_machine_add(h->m, h->own, t, name, -1, (WwLocation){0});
        set_params(c, params);
    }
    HarnessEnd *e = add_end(h, port, row);
    e->filled = c;
    must(ww_bind(h->dut, row, c, -1, (WwLocation){0}, &error), &error);
    return c;
}

void ww_harness_provide(WwHarness *h, const char *port, const void *table, void *self)
{
    int row = ww_harness_row(h, port);
    GError *error = NULL;
    must(ww_bind_external(h->dut, row, table, self, &error), &error);
    h->settled_row[row] = true;
}

WwWake ww_harness_provide_step(WwHarness *h, const char *port, WwTickFn tick,
                               void (*settle)(void *self, uint32_t entry, uint64_t n), void *self)
{
    return ww_bind_external_step(h->dut, ww_harness_row(h, port), tick, settle, self);
}

void ww_harness_callers(WwHarness *h, const char *port, const char *rank, uint32_t n)
{
    int row = ww_harness_row(h, port);
    for (uint32_t i = 0; i < n; i++) {
        HarnessEnd *e = add_end(h, port, row);
        g_autofree char *name =
            g_strdup_printf("caller_%s_%s_%u", port, rank != NULL ? rank : "", i);
        e->rank = g_strdup(rank);
        e->ordinal = i;
        e->peer = add_peer(h, h->own, &h->dut->type->ports[row], e->rank, name);
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
        WwComponent *c = ((HarnessEnd *)g_ptr_array_index(h->ends, i))->filled;
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
                WwComponent *f = ww_machine_add(h->m, h->own, t, r->name, -1, (WwLocation){0});
                must(ww_bind(c, row, f, -1, (WwLocation){0}, &error), &error);
            }
            row++;
        }
    }
}

void ww_harness_rest_peers(const WwHarness *h)
{
    for (uint32_t i = 0; i < h->ends->len; i++) {
        HarnessEnd *e = g_ptr_array_index(h->ends, i);
        if (e->peer != NULL) {
            const WwWake *w = &e->peer->base.entries[0].wake;
            e->peer->turns = e->peer->seen = 0;
            e->peer->pass.n = e->peer->passed = 0;
            if (e->peer->base.entries[0].steps != NULL) {
                e->peer->seen = 1; /* its turn for the step, which is due: no wake to tell of */
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
            ww_harness_fatal("%s", why->message);
        }
        g_propagate_error(error, why);
        return false;
    }
    ww_harness_rest_peers(h);
    return true;
}
