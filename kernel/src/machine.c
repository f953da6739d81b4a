/* SPDX-License-Identifier: Apache-2.0 */
/* Building a machine: domains, phases, groups, components, parameters; sealing and resetting it. */
#include "machine-priv.h"
#include <string.h>
#include <sys/mman.h>

/* A whole GPU is some 10 MiB of state that each tick walks through: on huge pages its translations fit the TLB. */
#define CHUNK (2u << 20)

void *ww_machine_alloc(WwMachine *m, size_t size)
{
    size = (size + 63) & ~(size_t)63;
    if (size > m->chunk_left) {
        size_t n = (size + CHUNK - 1) / CHUNK * CHUNK;
        void *c = mmap(NULL, n + CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        ww_assert(c != MAP_FAILED);
        Chunk k = {c, n + CHUNK};
        g_array_append_val(m->chunks, k);
        m->chunk = (char *)(((uintptr_t)c + CHUNK - 1) & ~(uintptr_t)(CHUNK - 1));
        m->chunk_left = n;
        madvise(m->chunk, n, MADV_HUGEPAGE); /* a wish: without it all is the same, slower */
    }
    void *p = m->chunk;
    m->chunk += size;
    m->chunk_left -= size;
    return p;
}

void *ww_alloc(void *self, size_t size)
{
    return ww_machine_alloc(((WwComponent *)self)->machine, size);
}

static void type_info_free(gpointer data)
{
    TypeInfo *t = data;
    for (uint32_t i = 0; i < t->n_params; i++) {
        ww_value_clear(&t->value[i]);
    }
    g_free(t->value);
    g_free(t);
}

static void group_free(gpointer data)
{
    WwGroup *g = data;
    if (g->blocks != NULL) {
        g_ptr_array_unref(g->blocks);
    }
    g_free(g);
}

WwMachine *ww_machine_new(const WwRegistry *registry)
{
    WwMachine *m = g_new0(WwMachine, 1);
    m->registry = registry;
    m->info = g_array_new(false, true, sizeof(Info));
    m->bindings = g_array_new(false, true, sizeof(Binding));
    m->groups = g_ptr_array_new_with_free_func(group_free);
    m->chunks = g_array_new(false, false, sizeof(Chunk));
    m->types = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, type_info_free);
    m->text = g_string_chunk_new(4096);
    m->hang_limit = 50000;
    m->now_phase = -1;
    m->n_partitions = 1;
    for (uint32_t i = 0; i < WW_MAX_DOMAINS; i++) {
        ww_wheel_init(&m->wheel[i]);
    }
    ww_clock_init(&m->clock, WW_CLOCK_EXACT);
    m->root = ww_machine_add_group(m, NULL, &(WwGroupSpec){.name = NULL});
    return m;
}

void ww_machine_free(WwMachine *m)
{
    if (m == NULL) {
        return;
    }
    for (uint32_t i = 0; i < m->info->len; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (m->sealed && c->type->finish != NULL) {
            c->type->finish(c);
        }
        g_free(ww_info(m, i)->bound);
    }
    for (uint32_t i = 0; i < m->n_domains; i++) {
        g_free(m->domain[i]);
    }
    for (uint32_t i = 0; i < WW_MAX_DOMAINS; i++) {
        ww_wheel_clear(&m->wheel[i]);
    }
    g_array_unref(m->info);
    g_array_unref(m->bindings);
    g_ptr_array_unref(m->groups);
    g_hash_table_unref(m->types);
    if (m->paths != NULL) {
        g_hash_table_unref(m->paths);
    }
    g_string_chunk_free(m->text);
    for (uint32_t i = 0; i < m->chunks->len; i++) {
        munmap(g_array_index(m->chunks, Chunk, i).at, g_array_index(m->chunks, Chunk, i).size);
    }
    g_array_unref(m->chunks);
    g_strfreev(m->kinds);
    g_free((char *)m->filter.path);
    g_free(m->print);
    g_clear_error(&m->error);
    g_free(m);
}

void ww_machine_set_clock(WwMachine *m, WwClockKind kind)
{
    ww_assert(m->n_domains == 0);
    m->clock_kind = kind;
    ww_clock_init(&m->clock, kind);
}

WwDomain *ww_machine_add_domain(WwMachine *m, const char *name, double hz, bool follows, GError **error)
{
    if (m->n_domains == WW_MAX_DOMAINS) {
        ww_fail(error, WW_ERROR_WIRING, "clock domain '%s' is one too many; expected at most %u", name,
                WW_MAX_DOMAINS);
        return NULL;
    }
    if (ww_machine_domain(m, name) != NULL) {
        ww_fail(error, WW_ERROR_WIRING, "clock domain '%s' is declared twice", name);
        return NULL;
    }
    if (!(hz >= 1.0 && hz <= 1e12)) {
        ww_fail(error, WW_ERROR_USAGE, "clock domain '%s' at %g Hz; expected 1 Hz to 1 THz", name, hz);
        return NULL;
    }
    if (!ww_clock_add(&m->clock, hz, follows, error)) {
        return NULL;
    }
    WwDomain *d = g_new0(WwDomain, 1);
    d->name = g_string_chunk_insert(m->text, name);
    d->hz = hz;
    d->index = m->n_domains;
    m->domain[m->n_domains++] = d;
    return d;
}

WwDomain *ww_machine_domain(const WwMachine *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if (strcmp(m->domain[i]->name, name) == 0) {
            return m->domain[i];
        }
    }
    return NULL;
}

bool ww_machine_add_phase(WwMachine *m, const char *name, const char *domain, GError **error)
{
    WwDomain *d = ww_machine_domain(m, domain);
    if (d == NULL) {
        return ww_fail(error, WW_ERROR_WIRING, "phase '%s' is tied to clock domain '%s', which is not declared; expected a declared one",
                       name, domain);
    }
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (strcmp(m->phase[i].name, name) == 0) {
            return ww_fail(error, WW_ERROR_WIRING, "phase '%s' is declared twice", name);
        }
    }
    if (m->n_phases == WW_MAX_PHASES) {
        return ww_fail(error, WW_ERROR_WIRING, "phase '%s' is one too many; expected at most %u", name,
                       WW_MAX_PHASES);
    }
    m->phase[m->n_phases++] = (Phase){.name = g_string_chunk_insert(m->text, name), .domain = d};
    return true;
}

WwGroup *ww_machine_root(WwMachine *m)
{
    return m->root;
}

WwGroup *ww_machine_add_group(WwMachine *m, WwGroup *parent, const WwGroupSpec *spec)
{
    ww_assert(!m->sealed);
    WwGroup *g = g_new0(WwGroup, 1);
    g->machine = m;
    g->parent = parent;
    g->spec = *spec;
    g->name = spec->name != NULL ? g_string_chunk_insert_const(m->text, spec->name) : NULL;
    g->sequence = m->sequence_of_parts++;
    g->depth = parent != NULL ? parent->depth + 1 : 0;
    g->partition = spec->partition ? m->n_partitions++ : parent != NULL ? parent->partition : 0;
    g->gate = spec->gated ? g : parent != NULL ? parent->gate : NULL;
    if (spec->gated) {
        g->blocks = g_ptr_array_new();
    }
    g_ptr_array_add(m->groups, g);
    return g;
}

static TypeInfo *type_info(WwMachine *m, const WwType *type)
{
    TypeInfo *t = g_hash_table_lookup(m->types, type);
    if (t != NULL) {
        return t;
    }
    t = g_new0(TypeInfo, 1);
    t->type = type;
    const WwParamRow *p;
    const WwPortRow *q;
    const WwEntryRow *e;
    for (WW_ROWS(type->params, p)) {
        t->n_params++;
    }
    for (WW_ROWS(type->ports, q)) {
        t->n_ports++;
    }
    for (WW_ROWS(type->entries, e)) {
        t->n_entries++;
    }
    t->value = g_new0(WwValue, t->n_params + 1);
    for (uint32_t i = 0; i < t->n_params; i++) {
        GError *error = NULL;
        t->value[i].kind = type->params[i].kind;
        if (type->params[i].def != NULL &&
            !ww_value_parse(&type->params[i], type->params[i].def, &t->value[i], &error)) {
            g_error("%s", error->message); /* the registry has checked every default */
        }
    }
    g_hash_table_insert(m->types, (gpointer)type, t);
    return t;
}

static void store(WwComponent *c, const WwParamRow *row, const WwValue *v)
{
    char *at = (char *)c + row->offset;
    switch (row->kind) {
    case WW_PARAM_BOOL:
        *(bool *)at = v->b;
        break;
    case WW_PARAM_UINT:
    case WW_PARAM_CHOICE:
        *(uint32_t *)at = (uint32_t)v->u;
        break;
    case WW_PARAM_U64:
        *(uint64_t *)at = v->u;
        break;
    case WW_PARAM_REAL:
        *(double *)at = v->r;
        break;
    case WW_PARAM_STRING:
        *(const char **)at =
            v->s != NULL ? g_string_chunk_insert_const(c->machine->text, v->s) : NULL;
        break;
    case WW_PARAM_LIST: {
        uint32_t *copy = NULL;
        if (v->list.n != 0) {
            copy = ww_machine_alloc(c->machine, v->list.n * sizeof *copy);
            memcpy(copy, v->list.v, v->list.n * sizeof *copy);
        }
        *(WwList *)at = (WwList){.n = v->list.n, .v = copy};
        break;
    }
    }
}

WwComponent *ww_machine_add(WwMachine *m, WwGroup *group, const WwType *type, const char *name,
                            int32_t index, WwLocation where)
{
    ww_assert(!m->sealed);
    TypeInfo *t = type_info(m, type);
    WwComponent *c = ww_machine_alloc(m, type->size);
    *c = (WwComponent){
        .type = type,
        .machine = m,
        .group = group,
        .name = g_string_chunk_insert_const(m->text, name),
        .index = index,
        .id = m->info->len,
        .partition = type->flags & WW_TYPE_SERIAL ? 0 : group->partition,
    };
    Info info = {
        .component = c,
        .where = where,
        .sequence = m->sequence_of_parts++,
        .bound = g_new0(uint16_t, t->n_ports + 1),
    };
    g_array_append_val(m->info, info);
    for (uint32_t i = 0; i < t->n_params; i++) {
        store(c, &type->params[i], &t->value[i]);
    }
    if (t->n_entries != 0) {
        c->entries = ww_machine_alloc(m, t->n_entries * sizeof(WwEntry));
    }
    return c;
}

bool ww_component_set(WwComponent *c, int row, const WwValue *value, GError **error)
{
    ww_assert(!c->machine->sealed);
    if (!ww_value_check(&c->type->params[row], value, error)) {
        return false;
    }
    store(c, &c->type->params[row], value);
    return true;
}

bool ww_component_set_text(WwComponent *c, const char *name, const char *text, GError **error)
{
    int row = ww_type_param(c->type, name);
    if (row < 0) {
        return ww_fail(error, WW_ERROR_USAGE, "%s has no parameter '%s'", c->type->name, name);
    }
    WwValue v = {0};
    if (!ww_value_parse(&c->type->params[row], text, &v, error)) {
        return false;
    }
    store(c, &c->type->params[row], &v);
    ww_value_clear(&v);
    return true;
}

char *ww_component_get_text(const WwComponent *c, int row)
{
    const WwParamRow *p = &c->type->params[row];
    const char *at = (const char *)c + p->offset;
    WwValue v = {.kind = p->kind};
    switch (p->kind) {
    case WW_PARAM_BOOL:
        v.b = *(const bool *)at;
        break;
    case WW_PARAM_UINT:
    case WW_PARAM_CHOICE:
        v.u = *(const uint32_t *)at;
        break;
    case WW_PARAM_U64:
        v.u = *(const uint64_t *)at;
        break;
    case WW_PARAM_REAL:
        v.r = *(const double *)at;
        break;
    case WW_PARAM_STRING:
        v.s = *(const char *const *)at;
        break;
    case WW_PARAM_LIST:
        v.list = *(const WwList *)at;
        break;
    }
    return ww_value_text(p, &v);
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

static void append_group_path(GString *s, const WwGroup *g)
{
    if (g == NULL) {
        return;
    }
    append_group_path(s, g->parent);
    if (g->name != NULL) {
        g_string_append_printf(s, "%s%s", s->len != 0 ? "." : "", g->name);
        if (g->spec.array) {
            g_string_append_printf(s, "[%u]", g->spec.index);
        }
    }
}

char *ww_path(const void *self)
{
    const WwComponent *c = self;
    GString *s = g_string_new(NULL);
    append_group_path(s, c->group);
    g_string_append_printf(s, "%s%s", s->len != 0 ? "." : "", c->name);
    if (c->index >= 0) {
        g_string_append_printf(s, "[%d]", c->index);
    }
    return g_string_free(s, false);
}

char *ww_location_text(WwLocation where)
{
    return where.file == NULL   ? g_strdup("")
           : where.line == 0    ? g_strdup_printf("%s: ", where.file)
           : where.column == 0  ? g_strdup_printf("%s:%u: ", where.file, where.line)
                                : g_strdup_printf("%s:%u:%u: ", where.file, where.line, where.column);
}

char *ww_component_text(const WwComponent *c)
{
    g_autofree char *path = ww_path(c);
    return g_strdup_printf("%s (%s)", path, c->type->name);
}

uint32_t ww_machine_n_components(const WwMachine *m)
{
    return m->info->len;
}

WwComponent *ww_machine_component(const WwMachine *m, uint32_t i)
{
    return ww_info(m, i)->component;
}

WwComponent *ww_machine_find(const WwMachine *machine, const char *path)
{
    WwMachine *m = (WwMachine *)machine;
    if (m->paths == NULL || g_hash_table_size(m->paths) != m->info->len) {
        if (m->paths != NULL) {
            g_hash_table_unref(m->paths);
        }
        m->paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (uint32_t i = 0; i < m->info->len; i++) {
            g_hash_table_insert(m->paths, ww_path(ww_info(m, i)->component), ww_info(m, i)->component);
        }
    }
    return g_hash_table_lookup(m->paths, path);
}

WwLocation ww_component_where(const WwComponent *c)
{
    return ww_info(c->machine, c->id)->where;
}

WwGroup *ww_group_parent(const WwGroup *group)
{
    return group->parent;
}

const char *ww_group_name(const WwGroup *group, int32_t *index)
{
    *index = group->spec.array ? (int32_t)group->spec.index : -1;
    return group->name;
}

/* ---- sealing ---------------------------------------------------------------------------------------------------- */

static bool place_entries(WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->info->len; i++) {
        WwComponent *c = ww_info(m, i)->component;
        const WwEntryRow *row;
        uint32_t n = 0;
        for (WW_ROWS(c->type->entries, row)) {
            uint32_t p = 0;
            while (p < m->n_phases && strcmp(m->phase[p].name, row->phase) != 0) {
                p++;
            }
            if (p == m->n_phases) {
                g_autofree char *where = ww_location_text(ww_info(m, i)->where);
                g_autofree char *text = ww_component_text(c);
                return ww_fail(error, WW_ERROR_WIRING,
                               "%s%s: entry point '%s' runs in phase '%s', which the platform does not declare; "
                               "expected it among its phases",
                               where, text, row->name, row->phase);
            }
            c->entries[n] = (WwEntry){
                .tick = row->tick,
                .self = c,
                .settle = c->type->settle,
                .row = n,
                .phase = p,
                .domain = m->phase[p].domain,
            };
            n++;
        }
        c->domain = n != 0 ? c->entries[0].domain : NULL;
    }
    return true;
}

bool ww_machine_seal(WwMachine *m, GError **error)
{
    ww_assert(!m->sealed);
    if (m->n_domains == 0 || m->n_phases == 0) {
        return ww_fail(error, WW_ERROR_WIRING, "the machine has no clock domain or no phase; expected at least one");
    }
    if (!place_entries(m, error) || !ww_check_bindings(m, error) || !ww_order(m, error)) {
        return false;
    }
    ww_connect(m);
    m->print = g_new0(uint64_t, m->n_partitions);
    for (uint32_t i = 0; i < m->info->len; i++) {
        WwComponent *c = ww_info(m, i)->component;
        g_autoptr(GError) why = NULL;
        if (c->type->init != NULL && !c->type->init(c, &why)) {
            g_autofree char *where = ww_location_text(ww_info(m, i)->where);
            g_autofree char *text = ww_component_text(c);
            ww_fail(error, WW_ERROR_WIRING, "%s%s: %s", where, text,
                    why != NULL ? why->message : "init failed without a reason");
            for (uint32_t k = 0; k < i; k++) {
                WwComponent *done = ww_info(m, k)->component;
                if (done->type->finish != NULL) {
                    done->type->finish(done);
                }
            }
            return false;
        }
    }
    m->sealed = true;
    ww_machine_reset(m);
    return true;
}

static void reset_block(WwMachine *m, Block *b)
{
    memset(b->pub.due, 0xff, (b->n + 63) / 64 * sizeof(uint64_t));
    if (b->n % 64 != 0) {
        b->pub.due[b->n / 64] = (1ull << (b->n % 64)) - 1;
    }
    b->closed = b->has_gate;
    b->pub.stopped = b->closed;
    b->closing = b->walking = false;
    b->skipped = 0;
    b->closed_at = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        b->member[i].turns = 0;
        if (b->member[i].tick == NULL) {
            reset_block(m, b->member[i].part);
        }
    }
}

void ww_machine_reset(WwMachine *m)
{
    ww_assert(m->sealed);
    ww_clock_reset(&m->clock);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        ww_wheel_clear(&m->wheel[i]);
        m->domain[i]->cycle = 0;
    }
    m->tick = 0;
    m->stop = 0;
    m->activations = m->sequence = m->progress = m->progress_seen = 0;
    m->progress_at = 0;
    m->in_tick = false;
    m->now_phase = -1;
    g_clear_error(&m->error);
    memset(m->print, 0, m->n_partitions * sizeof *m->print);
    /* everything starts due: a component says itself that it may sleep */
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (m->phase[i].root != NULL) {
            reset_block(m, m->phase[i].root);
        }
    }
    for (uint32_t i = 0; i < m->info->len; i++) {
        WwComponent *c = ww_info(m, i)->component;
        const WwStatRow *s;
        for (WW_ROWS(c->type->stats, s)) {
            memset((char *)c + s->offset, 0, s->n * sizeof(uint64_t));
        }
        if (c->type->reset != NULL) {
            c->type->reset(c);
        }
    }
}
