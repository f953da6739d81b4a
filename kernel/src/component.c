/* SPDX-License-Identifier: Apache-2.0 */
/* Components of a machine: adding them, their parameters, the phases of their entry points. */
#include "add-priv.h"
#include "counts-priv.h"
#include "guards-priv.h"
#include "machine-priv.h"
#include "param-priv.h"
#include <string.h>

void ww_type_info_free(gpointer info)
{
    TypeInfo *t = info;
    g_free(t->defaults);
    g_free(t->param);
    g_free(t->port);
    g_free(t->phase);
    g_free(t->acts);
    g_free(t->provides);
    g_free(t);
}

static int32_t rank_index(const WwContract *contract, const char *rank)
{
    if (rank == NULL || contract->ranks == NULL) {
        return -1;
    }
    for (int32_t i = 0; contract->ranks[i] != NULL; i++) {
        if (strcmp(contract->ranks[i], rank) == 0) {
            return i;
        }
    }
    return -1;
}

static void store(WwMachine *m, void *state, const WwParamRow *row, const WwValue *v)
{
    char *at = (char *)state + row->offset;
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
        *(const char **)at = v->s != NULL ? g_string_chunk_insert_const(m->text, v->s) : NULL;
        break;
    case WW_PARAM_LIST: {
        uint32_t *copy = NULL;
        if (v->list.n != 0) {
            copy = ww_machine_alloc(m, v->list.n * sizeof *copy);
            memcpy(copy, v->list.v, v->list.n * sizeof *copy);
        }
        *(WwList *)at = (WwList){.n = v->list.n, .v = copy};
        break;
    }
    }
}

/* What lies between two parameters is zero in a component that is being built: a little of it may be copied, too. */
static void find_stretches(TypeInfo *t)
{
    t->param = g_new(Stretch, t->n_params + 1);
    for (uint32_t i = 0; i < t->n_params; i++) {
        const WwParamRow *row = &t->type->params[i];
        uint32_t from = (uint32_t)row->offset,
                 end = from + (uint32_t)ww_param_field[row->kind].size;
        Stretch *last = i != 0 ? &t->param[t->n_stretches - 1] : NULL;
        if (last != NULL && from >= last->offset + last->size &&
            from - (last->offset + last->size) < sizeof(uint64_t)) {
            last->size = end - last->offset;
        } else {
            t->param[t->n_stretches++] = (Stretch){from, end - from};
        }
    }
}

static void store_defaults(WwMachine *m, TypeInfo *t)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < t->n_stretches; i++) {
        end = MAX(end, t->param[i].offset + t->param[i].size);
    }
    t->defaults = g_malloc0(end + 1);
    for (uint32_t i = 0; i < t->n_params; i++) {
        const WwParamRow *row = &t->type->params[i];
        GError *error = NULL;
        WwValue v = {.kind = row->kind};
        if (row->def != NULL && !ww_value_parse(row, row->def, &v, &error)) {
            g_error("%s", error->message); /* the registry has checked every default */
        }
        store(m, t->defaults, row, &v);
        ww_value_clear(&v);
    }
}

/* For a component of @p type that is about to be added. */
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
    t->port = g_new0(PortInfo, t->n_ports + 1);
    for (uint32_t i = 0; i < t->n_ports; i++) {
        q = &type->ports[i];
        int entry = q->entry != NULL ? ww_type_entry(type, q->entry) : 0;
        t->port[i] = (PortInfo){
            .rank = (int16_t)rank_index(q->contract, q->rank),
            .elsewhere = t->n_entries != 0 && (type->entries[entry].owner != NULL ||
                                               type->entries[entry].partition != NULL),
            .entry = (uint32_t)entry,
            .step = -1,
        };
    }
    t->provides = g_new0(int, t->n_ports + 1);
    for (uint32_t i = 0; i < t->n_ports; i++) {
        if (type->ports[i].role == WW_PROVIDES) {
            t->provides[t->n_provides++] = (int)i;
        }
    }
    for (uint32_t i = t->n_entries; i-- > 0;) { /* of several the first */
        int port = type->entries[i].owner != NULL ? ww_type_port(type, type->entries[i].owner) : -1;
        if (port >= 0) {
            t->port[port].step = (int32_t)i;
        }
    }
    t->own_turns = true;
    for (uint32_t i = 0; i < t->n_entries; i++) {
        t->own_turns &= type->entries[i].owner == NULL && type->entries[i].partition == NULL;
    }
    t->phase = g_new0(uint32_t, t->n_entries + 1);
    t->acts = g_new0(ActsInfo, t->n_entries + 1);
    for (uint32_t i = 0; i < t->n_entries; i++) {
        if (type->entries[i].port != NULL) {
            const WwContract *c = type->ports[ww_type_port(type, type->entries[i].port)].contract;
            t->acts[i] = (ActsInfo){c, rank_index(c, type->entries[i].rank)};
        }
    }
    find_stretches(t);
    store_defaults(m, t);
    t->state = ((uint32_t)type->size + 63) & ~63u;
    t->state += m->host->guards != NULL ? ww_guards_room() : 0;
    t->memory = t->state + ((t->n_entries * (uint32_t)sizeof(WwEntry) + 63) & ~63u);
    t->number = m->first.n;
    *WW_VEC_ADD(&m->first) = m->info.n; /* which is added now */
    g_hash_table_insert(m->types, (gpointer)type, t);
    return t;
}

/* Like ww_component_add(); for now nothing is bound to it. */
static WwComponent *add_component(WwMachine *m, WwGroup *group, TypeInfo *t, const void *like,
                                  const char *name, int32_t index, WwLocation where)
{
    WW_VEC_RESERVE(&m->bound, t->n_ports);
    for (uint32_t i = 0; i < t->n_ports; i++) {
        m->bound.v[m->bound.n + i] = 0;
    }
    WwComponent *c = ww_component_add(m, group, t, like, name, index, where);
    if (m->host->guards != NULL) {
        ww_guards_own(c, c, t->type->size);
    }
    return c;
}

WwComponent *ww_machine_add(WwMachine *m, WwGroup *group, const WwType *type, const char *name,
                            int32_t index, WwLocation where)
{
    TypeInfo *t = type_info(m, type);
    return add_component(m, group, t, t->defaults, g_string_chunk_insert_const(m->text, name),
                         index, where);
}

WwComponent *ww_machine_add_like(WwGroup *group, const WwComponent *model, int32_t index,
                                 WwLocation where)
{
    TypeInfo *t = ww_info(model->machine, model->id)->type;
    WwComponent *c = add_component(model->machine, group, t, model, model->name, index, where);
    ww_info(c->machine, c->id)->phase = ww_info(c->machine, model->id)->phase;
    return c;
}

WwComponent *ww_machine_add_channel(WwMachine *m, WwGroup *group, const WwType *type,
                                    const char *name, WwLocation where)
{
    TypeInfo *t = type_info(m, type);
    return add_component(m, group, t, t->defaults, name, -1, where);
}

/* It may be in a copy, which is like its model no more, or be the model: from now on they are not taken for alike. */
static void forget_copies(const WwComponent *c)
{
    WwMachine *m = c->machine;
    if (m->copies.n != 0 && c->id < m->copies.v[m->copies.n - 1].to.components) {
        m->copies.n = 0;
    }
}

bool ww_component_set(WwComponent *c, int row, const WwValue *value, GError **error)
{
    ww_assert(!c->machine->sealed);
    if (!ww_value_check(&c->type->params[row], value, error)) {
        return false;
    }
    forget_copies(c);
    store(c->machine, c, &c->type->params[row], value);
    return true;
}

bool ww_component_set_text(WwComponent *c, const char *name, const char *text, GError **error)
{
    int row = ww_type_param(c->type, name);
    if (row < 0) {
        const char *now = ww_type_gone(c->type, name);
        return ww_fail(error, WW_ERROR_USAGE, "%s has no parameter '%s'%s%s", c->type->name, name,
                       now != NULL ? " any more: " : "", now != NULL ? now : "");
    }
    WwValue v = {0};
    if (!ww_value_parse(&c->type->params[row], text, &v, error)) {
        return false;
    }
    forget_copies(c);
    store(c->machine, c, &c->type->params[row], &v);
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

/* The phase of that name, or WW_NO_PHASE with an error that says which entry point wants it. */
static uint32_t find_phase(const WwMachine *m, const Info *info, const WwEntryRow *row,
                           const char *name, GError **error)
{
    for (uint32_t p = 0; p < m->n_phases; p++) {
        if (strcmp(m->phase[p].name, name) == 0) {
            return p;
        }
    }
    g_autofree char *where = ww_location_text(info->where);
    g_autofree char *text = ww_component_text(info->component);
    ww_fail(error, WW_ERROR_WIRING,
            "%s%s: entry point '%s' runs in phase '%s', which the platform does not declare; "
            "expected it among its phases",
            where, text, row->name, name);
    return WW_NO_PHASE;
}

/* The phase of each of a type's entry points; @p info for the message. */
static bool place_type(WwMachine *m, const Info *info, GError **error)
{
    TypeInfo *t = info->type;
    for (uint32_t i = 0; i < t->n_entries; i++) {
        const WwEntryRow *row = &t->type->entries[i];
        t->phase[i] = WW_NO_PHASE;
        if (row->owner == NULL &&
            (t->phase[i] = find_phase(m, info, row, row->phase, error)) == WW_NO_PHASE) {
            return false;
        }
    }
    t->placed = true;
    return true;
}

bool ww_component_place(WwComponent *c, const char *phase, GError **error)
{
    Info *info = ww_info(c->machine, c->id);
    const WwEntryRow *row, *first = NULL;
    for (WW_ROWS(c->type->entries, row)) {
        if (row->owner != NULL) {
            continue;
        }
        if (first != NULL && strcmp(first->phase, row->phase) != 0) {
            return ww_fail(error, WW_ERROR_WIRING,
                           "component type '%s' runs in the phases '%s' and '%s', which cannot be "
                           "one; expected a type with one phase",
                           c->type->name, first->phase, row->phase);
        }
        first = first != NULL ? first : row;
    }
    if (first == NULL) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "component type '%s' has no turns of its own; expected no phase",
                       c->type->name);
    }
    forget_copies(c);
    info->phase = g_string_chunk_insert_const(c->machine->text, phase);
    return true;
}

WwTickFn ww_own_tick(const WwComponent *c, const WwEntryRow *row)
{
    bool bound =
        row->bound != NULL && ww_component_bound(c, ww_type_port(c->type, row->bound)) != 0;
    return bound ? row->tick_bound : row->tick;
}

/* The phase of entry point @p n: of the component, or of its type. */
static bool place_entry(WwMachine *m, const Info *info, uint32_t n, GError **error)
{
    const WwEntryRow *row = &info->type->type->entries[n];
    WwComponent *c = info->component;
    WwEntry *e = &c->entries[n]; /* all zero */
    e->tick = ww_counts_tick(c, ww_own_tick(c, row), n);
    e->self = c;
    e->settle = c->type->settle;
    e->row = n;
    ww_set_timer(e);
    if (row->owner != NULL) {
        e->phase = WW_NO_PHASE;
        ww_place_step(m, e);
        return true;
    }
    e->phase =
        info->phase == NULL ? info->type->phase[n] : find_phase(m, info, row, info->phase, error);
    if (e->phase == WW_NO_PHASE) {
        return false;
    }
    e->number = m->n_entries++;
    e->partition = row->partition == NULL ? &m->partition[c->partition] : ww_partition_of(c, row);
    e->domain = e->partition->moment.domain[m->phase[e->phase].domain->index];
    if (c->domain == NULL) {
        c->domain = m->partition[c->partition].moment.domain[e->domain->index];
    }
    return true;
}

bool ww_place_entries(WwMachine *m, GError **error)
{
    m->n_entries = 0;
    for (uint32_t i = 0; i < m->info.n; i++) {
        const Info *info = ww_info(m, i);
        if (info->type->n_entries == 0) {
            continue;
        }
        if (info->phase == NULL && !info->type->placed && !place_type(m, info, error)) {
            return false;
        }
        for (uint32_t n = 0; n < info->type->n_entries; n++) {
            if (!place_entry(m, info, n, error)) {
                return false;
            }
        }
    }
    return true;
}
