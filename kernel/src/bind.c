/* SPDX-License-Identifier: Apache-2.0 */
/* Binding ports: what fits what, the checks that need the whole machine, and filling in the direct pointers. */
#include "machine-priv.h"
#include <string.h>

static const char *const role_names[] = {"IN", "OUT", "PROVIDES", "REQUIRES"};

static bool is_channel(const WwComponent *c)
{
    return (c->type->flags & WW_TYPE_CHANNEL) != 0;
}

/* The same without a look at the component. */
static bool is_channel_type(const Info *info)
{
    return (info->type->type->flags & WW_TYPE_CHANNEL) != 0;
}

static char *end_text(const WwComponent *c, const WwPortRow *row)
{
    g_autofree char *path = ww_path(c);
    return g_strdup_printf("%s.%s (%s of %s, %s)", path, row->name, role_names[row->role],
                           row->contract->name, c->type->name);
}

/* Finds the peer's place in the port's field. */
static bool take_place(WwComponent *c, int row, WwLocation where, uint32_t *nth, GError **error)
{
    const WwPortRow *r = &c->type->ports[row];
    const uint32_t *n = ww_bound(c, row);
    if (r->role != WW_PROVIDES && *n >= r->max) {
        g_autofree char *at = ww_location_text(where);
        g_autofree char *end = end_text(c, r);
        return ww_fail(error, WW_ERROR_WIRING, "%s%s is bound already; expected at most %u %s", at,
                       end, r->max, r->max == 1 ? "peer" : "peers");
    }
    *nth = *n;
    return true;
}

void ww_count_ends(WwMachine *m, const Binding *b)
{
    m->bound.v[ww_info(m, b->component->id)->bound + (uint32_t)b->row]++;
    if (b->peer_row >= 0) {
        m->bound.v[ww_info(m, b->to)->bound + (uint32_t)b->peer_row]++;
    } else {
        WwChannel *ch = (WwChannel *)b->peer;
        ++*(b->port->role == WW_OUT ? &ch->n_writers : &ch->n_readers);
    }
}

static void record(WwComponent *c, int row, WwComponent *peer, int peer_row, WwLocation where,
                   uint32_t nth)
{
    const PortInfo *info = ww_port_info(c, row);
    Binding *b = WW_VEC_ADD(&c->machine->bindings);
    *b = (Binding){
        .component = c,
        .peer = peer,
        .port = &c->type->ports[row],
        .turn = c->entries != NULL ? &c->entries[info->entry] : NULL,
        .where = where,
        .to = peer->id,
        .nth = (uint16_t)nth,
        .row = (int16_t)row,
        .peer_row = (int16_t)peer_row,
        .rank = info->rank,
        .crosses = c->partition != peer->partition,
        .away = c->partition != peer->partition,
        .elsewhere = info->elsewhere,
        .to_steps = peer_row >= 0 && ww_port_info(peer, peer_row)->step >= 0,
    };
    ww_count_ends(c->machine, b);
}

/* A channel takes its payload from the first port that names one; all others must agree. */
static bool fit_channel(const WwComponent *c, const WwPortRow *r, WwComponent *peer,
                        WwLocation where, GError **error)
{
    WwChannel *ch = (WwChannel *)peer;
    bool kind = r->contract->channel == peer->type->name ||
                strcmp(r->contract->channel, peer->type->name) == 0;
    bool payload =
        r->contract->payload == NULL || ch->payload == NULL || ch->payload == r->contract->payload;
    if (!kind || !payload) {
        g_autofree char *at = ww_location_text(where);
        g_autofree char *end = end_text(c, r);
        g_autofree char *text = ww_component_text(peer);
        return kind ? ww_fail(error, WW_ERROR_WIRING,
                              "%s%s cannot be joined to %s, which carries %s; expected %s", at, end,
                              text, ch->payload->name, r->contract->payload->name)
                    : ww_fail(error, WW_ERROR_WIRING, "%s%s cannot be joined to %s; expected a %s",
                              at, end, text, r->contract->channel);
    }
    if (ch->payload == NULL) {
        ch->payload = r->contract->payload;
    }
    return true;
}

/* The PROVIDES row of @p peer that offers @p contract; -1 with an error that says what it offers. */
static int find_provided(const WwComponent *c, const WwPortRow *r, const WwComponent *peer,
                         WwLocation where, GError **error)
{
    const WwPortRow *p;
    int row = 0;
    for (WW_ROWS(peer->type->ports, p)) {
        if (p->role == WW_PROVIDES && p->contract == r->contract) {
            return row;
        }
        row++;
    }
    g_autoptr(GString) offers = g_string_new(NULL);
    for (WW_ROWS(peer->type->ports, p)) {
        if (p->role == WW_PROVIDES) {
            g_string_append_printf(offers, "%s%s", offers->len != 0 ? ", " : "", p->contract->name);
        }
    }
    g_autofree char *at = ww_location_text(where);
    g_autofree char *end = end_text(c, r);
    g_autofree char *text = ww_component_text(peer);
    ww_fail(error, WW_ERROR_WIRING, "%s%s cannot be filled by %s, which offers %s; expected %s", at,
            end, text, offers->len != 0 ? offers->str : "no interface", r->contract->name);
    return -1;
}

bool ww_bind(WwComponent *c, int row, WwComponent *peer, int peer_row, WwLocation where,
             GError **error)
{
    ww_assert(!c->machine->sealed);
    const WwPortRow *r = &c->type->ports[row];
    uint32_t nth;
    if (r->role == WW_PROVIDES) {
        g_autofree char *at = ww_location_text(where);
        g_autofree char *end = end_text(c, r);
        return ww_fail(
            error, WW_ERROR_WIRING,
            "%s%s offers an interface; expected the requiring end on this side of the wire", at,
            end);
    }
    if (r->contract->kind == WW_CHANNEL) {
        if (!is_channel(peer)) {
            g_autofree char *at = ww_location_text(where);
            g_autofree char *end = end_text(c, r);
            g_autofree char *text = ww_component_text(peer);
            return ww_fail(error, WW_ERROR_WIRING,
                           "%s%s cannot be joined to %s; expected a channel (%s)", at, end, text,
                           r->contract->channel);
        }
        if (!fit_channel(c, r, peer, where, error)) {
            return false;
        }
        peer_row = -1;
    } else {
        if (peer_row < 0) {
            peer_row = find_provided(c, r, peer, where, error);
            if (peer_row < 0) {
                return false;
            }
        }
        const WwPortRow *p = &peer->type->ports[peer_row];
        if (p->role != WW_PROVIDES || p->contract != r->contract) {
            g_autofree char *at = ww_location_text(where);
            g_autofree char *end = end_text(c, r);
            g_autofree char *other = end_text(peer, p);
            return ww_fail(error, WW_ERROR_WIRING,
                           "%s%s cannot be filled by %s; expected PROVIDES of %s", at, end, other,
                           r->contract->name);
        }
        if (p->max != 0 && *ww_bound(peer, peer_row) >= p->max) {
            g_autofree char *at = ww_location_text(where);
            g_autofree char *other = end_text(peer, p);
            return ww_fail(error, WW_ERROR_WIRING,
                           "%s%s has all the callers it takes; expected at most %u", at, other,
                           p->max);
        }
    }
    if (!take_place(c, row, where, &nth, error)) {
        return false;
    }
    record(c, row, peer, peer_row, where, nth);
    return true;
}

/* The channel's type and name; NULL with an error. */
static const Joined *joined(const WwComponent *out, int row, GError **error)
{
    WwMachine *m = out->machine;
    const WwPortRow *o = &out->type->ports[row];
    Joined *j = &m->joined[((uintptr_t)out->name / 8 + (uint32_t)out->index * 5 + (uint32_t)row) %
                           WW_JOINED];
    if (j->out == out->type && j->out_name == out->name && j->out_index == out->index &&
        j->row == row) {
        return j;
    }
    const WwType *type = ww_registry_find(m->registry, o->contract->channel, error);
    if (type == NULL) {
        return NULL;
    }
    g_autofree char *name = out->index >= 0
                                ? g_strdup_printf("%s[%d].%s", out->name, out->index, o->name)
                                : g_strdup_printf("%s.%s", out->name, o->name);
    *j = (Joined){out->type, out->name, out->index,
                  row,       type,      g_string_chunk_insert_const(m->text, name)};
    return j;
}

bool ww_join(WwComponent *out, int out_row, WwComponent *in, int in_row, WwLocation where,
             GError **error)
{
    const WwPortRow *o = &out->type->ports[out_row], *i = &in->type->ports[in_row];
    if (o->role != WW_OUT || i->role != WW_IN ||
        strcmp(o->contract->channel, i->contract->channel) != 0) {
        g_autofree char *at = ww_location_text(where);
        g_autofree char *a = end_text(out, o);
        g_autofree char *b = end_text(in, i);
        return ww_fail(
            error, WW_ERROR_WIRING,
            "%s%s cannot be joined to %s; expected an OUT and an IN port of the same channel type",
            at, a, b);
    }
    const Joined *j = joined(out, out_row, error);
    if (j == NULL) {
        return false;
    }
    WwComponent *ch = ww_machine_add_channel(out->machine, out->group, j->type, j->name, where);
    return ww_bind(out, out_row, ch, -1, where, error) && ww_bind(in, in_row, ch, -1, where, error);
}

bool ww_bind_external(WwComponent *c, int row, const void *table, void *self, GError **error)
{
    uint32_t nth;
    if (c->type->ports[row].role != WW_REQUIRES) {
        g_autofree char *end = end_text(c, &c->type->ports[row]);
        return ww_fail(error, WW_ERROR_WIRING,
                       "%s cannot be bound to outside functions; expected a REQUIRES port", end);
    }
    if (!take_place(c, row, (WwLocation){0}, &nth, error)) {
        return false;
    }
    ++*ww_bound(c, row);
    External *external = ww_machine_alloc(c->machine, sizeof *external);
    *external = (External){.table = table, .self = self};
    const PortInfo *info = ww_port_info(c, row);
    *WW_VEC_ADD(&c->machine->bindings) = (Binding){
        .component = c,
        .port = &c->type->ports[row],
        .turn = c->entries != NULL ? &c->entries[info->entry] : NULL,
        .to = c->machine->externals.n,
        .nth = (uint16_t)nth,
        .row = (int16_t)row,
        .peer_row = -1,
        .rank = info->rank,
        .elsewhere = info->elsewhere,
        .to_steps = true,
    };
    *WW_VEC_ADD(&c->machine->externals) = external;
    return true;
}

/* ---- checks of the whole ---------------------------------------------------------------------------------------- */

/* What in the machine would fill the port of @p self: for errors. */
static char *what_fits(const WwMachine *m, const WwComponent *self, const WwPortRow *r)
{
    for (uint32_t i = 0; i < m->bindings.n; i++) { /* rather one that carries such tokens already */
        const Binding *b = &m->bindings.v[i];
        if (b->peer != NULL && b->peer_row < 0 && b->port->contract == r->contract) {
            g_autofree char *path = ww_path(b->peer);
            return g_strdup_printf("a %s such as %s", r->contract->channel, path);
        }
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwComponent *c = ww_info(m, i)->component;
        if (r->contract->kind == WW_CHANNEL) {
            if (is_channel(c) && strcmp(c->type->name, r->contract->channel) == 0) {
                g_autofree char *path = ww_path(c);
                return g_strdup_printf("a %s such as %s", r->contract->channel, path);
            }
            continue;
        }
        const WwPortRow *p;
        for (WW_ROWS(c->type->ports, p)) {
            if (c != self && p->role == WW_PROVIDES && p->contract == r->contract) {
                g_autofree char *path = ww_path(c);
                return g_strdup_printf("a provider of %s such as %s", r->contract->name, path);
            }
        }
    }
    return r->contract->kind == WW_CHANNEL ? g_strdup_printf("a %s", r->contract->channel)
                                           : g_strdup_printf("a provider of %s", r->contract->name);
}

static bool fail_bound(const Info *info, const WwPortRow *r, uint32_t bound, GError **error)
{
    g_autofree char *at = ww_location_text(info->where);
    g_autofree char *end = end_text(info->component, r);
    g_autofree char *fits = what_fits(info->component->machine, info->component, r);
    return ww_fail(error, WW_ERROR_WIRING, "%s%s has %u %s; expected at least %u: %s", at, end,
                   bound, bound == 1 ? "peer" : "peers", r->min, fits);
}

static bool check_bound(const WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->info.n; i++) {
        const Info *info = ww_info(m, i);
        const uint32_t *bound = m->bound.v != NULL ? &m->bound.v[info->bound] : NULL; /* no ports */
        const WwPortRow *r = info->type->type->ports;
        for (uint32_t k = 0; k < info->type->n_ports; k++, r++) {
            if (bound[k] < r->min) {
                return fail_bound(info, r, bound[k], error);
            }
        }
    }
    return true;
}

static bool check_channel_ends(const WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwChannel *ch = (const WwChannel *)ww_info(m, i)->component;
        if (is_channel_type(ww_info(m, i)) && (ch->n_readers == 0) != (ch->n_writers == 0)) {
            g_autofree char *at = ww_location_text(ww_info(m, i)->where);
            g_autofree char *text = ww_component_text(&ch->base);
            return ww_fail(error, WW_ERROR_WIRING, "%s%s has %s but no %s; expected both", at, text,
                           ch->n_readers == 0 ? "writers" : "readers",
                           ch->n_readers == 0 ? "reader" : "writer");
        }
    }
    return true;
}

static bool fail_meeting(WwMachine *m, const Binding *b, const WwComponent *other,
                         const WwComponent *channel, uint32_t phase, GError **error)
{
    g_autofree char *at = ww_location_text(b->where);
    g_autofree char *end = end_text(b->component, b->port);
    g_autofree char *text = ww_component_text(other);
    g_autofree char *through = channel != NULL ? ww_component_text(channel) : NULL;
    return ww_fail(error, WW_ERROR_WIRING,
                   "%s%s and %s are in different partitions and meet%s%s in phase '%s'; expected "
                   "different phases",
                   at, end, text, through != NULL ? " at " : "", through != NULL ? through : "",
                   m->phase[phase].name);
}

/* Channels that have an end in another partition: by id their number, from 1 on; 0: others. */
static uint32_t number_crossed(const WwMachine *m, uint32_t *number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        if (b->crosses && b->peer_row < 0 && number[b->to] == 0) {
            number[b->to] = ++n;
        }
    }
    return n;
}

/* All ends of a channel that act in the same phase belong to one partition. */
static bool check_channel_partitions(WwMachine *m, GError **error)
{
    gsize n = m->n_phases;
    g_autofree uint32_t *number = g_new0(uint32_t, m->info.n + 1);
    uint32_t channels = number_crossed(m, number);
    g_autofree const Binding **first = g_new0(const Binding *, channels *n + 1);
    for (uint32_t i = 0; i < m->meeting.n; i++) {
        const Binding *b = &m->bindings.v[m->meeting.v[i]];
        if (number[b->to] == 0 || b->turn == NULL) {
            continue;
        }
        const WwEntry *mine = b->turn;
        const Binding **other = &first[(number[b->to] - 1) * n + mine->phase];
        if (*other == NULL) {
            *other = b;
        } else if ((*other)->component->partition != b->component->partition) {
            return fail_meeting(m, b, (*other)->component, b->peer, mine->phase, error);
        }
    }
    return true;
}

/* State is owned by one partition: ends in two of them may not meet inside a phase. */
static bool check_partitions(WwMachine *m, GError **error)
{
    if (m->n_partitions == 1) {
        return true;
    }
    if (!check_channel_partitions(m, error)) {
        return false;
    }
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        if (!b->crosses) {
            continue;
        }
        const WwEntry *mine = b->turn;
        WwEntry *theirs = b->peer->entries;
        if (mine != NULL && theirs != NULL && b->peer_row >= 0) {
            theirs = ww_row_entry(b->peer, b->peer_row);
        }
        theirs = ww_turn_of(theirs);
        if (mine != NULL && theirs != NULL && mine->phase == theirs->phase) {
            return fail_meeting(m, b, b->peer, NULL, mine->phase, error);
        }
    }
    return true;
}

bool ww_check_bindings(WwMachine *m, GError **error)
{
    return check_bound(m, error) && check_channel_ends(m, error) && check_partitions(m, error);
}

/* ---- filling in pointers ---------------------------------------------------------------------------------------- */

static WwProvided *provided_field(WwComponent *c, int row)
{
    return (WwProvided *)((char *)c + c->type->ports[row].offset);
}

/* Domain @p d as the component's partition counts it. */
static WwDomain *own_time(const WwComponent *c, const WwDomain *d)
{
    return c->machine->partition[c->partition].moment.domain[d->index];
}

/* Passive parts count time as their callers do. */
static void adopt_domain(WwComponent *passive, const WwEntry *caller)
{
    if (passive->domain == NULL && caller != NULL && caller->domain != NULL) {
        passive->domain = own_time(passive, caller->domain);
    }
}

/* How many callers of the rank there are: one more than the ordinal of the last of them. */
static uint32_t next_ordinal(const WwProvided *p, int32_t rank)
{
    uint32_t i = p->n;
    while (i > 0 && p->client[i - 1].rank != rank) {
        i--;
    }
    return i > 0 ? p->client[i - 1].ordinal + 1 : 0;
}

#define MANY_ENDS 512u /* taken at a time */

/* Room for lists of ends. */
typedef struct EndRoom {
    WwClient *at;
    uint32_t left;
} EndRoom;

/* A list of @p n ends; where there is none one can be looked at. */
static inline WwClient *take_ends(WwMachine *m, EndRoom *room, uint32_t n)
{
    n = MAX(n, 1);
    if (G_UNLIKELY(n > room->left)) {
        room->left = MAX(n, MANY_ENDS);
        room->at = ww_machine_alloc(m, room->left * sizeof *room->at);
    }
    WwClient *list = room->at;
    room->at += n;
    room->left -= n;
    return list;
}

/* Makes the lists of callers of each interface, and of readers and writers of each channel, empty as yet. */
static void allocate_clients(WwMachine *m)
{
    EndRoom room = {0};
    for (uint32_t i = 0; i < m->info.n; i++) {
        const Info *info = ww_info(m, i);
        const TypeInfo *t = info->type;
        if (is_channel_type(info)) {
            WwChannel *ch = (WwChannel *)info->component;
            ch->reader = take_ends(m, &room, ch->n_readers);
            ch->writer = take_ends(m, &room, ch->n_writers);
            ch->n_readers = ch->n_writers = 0;
        }
        for (uint32_t k = 0; k < t->n_provides; k++) {
            uint32_t row = (uint32_t)t->provides[k];
            provided_field(info->component, (int)row)->client =
                take_ends(m, &room, m->bound.v[info->bound + row]);
        }
    }
}

/* How the provider of an interface wakes the entry point @p entry of its caller. */
static WwWake wake_of_caller(WwMachine *m, const Binding *b, WwEntry *entry)
{
    const WwEntry *turn = b->turn;
    bool posts = turn != NULL && turn->partition->index == 0 && b->peer->partition != 0 &&
                 !b->port->contract->quiet;
    return posts           ? ww_post(m, &m->partition[b->peer->partition], entry)
           : entry != NULL ? entry->wake
                           : ww_wake_none();
}

/* Returns its ordinal. */
static uint32_t add_caller(WwMachine *m, const Binding *b, WwEntry *entry)
{
    WwProvided *p = provided_field(b->peer, b->peer_row);
    uint32_t ordinal = next_ordinal(p, b->rank);
    WwClient *client = &p->client[p->n++]; /* all zero */
    client->wake = wake_of_caller(m, b, entry);
    client->who = b->component;
    client->ordinal = ordinal;
    client->rank = b->rank;
    adopt_domain(b->peer, entry);
    return ordinal;
}

/* The same. */
static uint32_t add_end(const Binding *b, const WwEntry *entry)
{
    WwChannel *ch = (WwChannel *)b->peer;
    bool out = b->port->role == WW_OUT;
    uint32_t ordinal = out ? ch->n_writers++ : ch->n_readers++;
    WwClient *end = (out ? ch->writer : ch->reader) + ordinal; /* all zero */
    end->wake = entry != NULL ? entry->wake : ww_wake_none();
    end->who = b->component;
    end->ordinal = ordinal;
    end->rank = b->rank;
    if (!out && entry != NULL && entry->domain != NULL) {
        ch->base.domain = entry->domain; /* channels keep their reader's time, in its partition */
    }
    return ordinal;
}

static void connect_binding(WwMachine *m, const Binding *b)
{
    const WwPortRow *r = b->port;
    WwEntry *entry = b->elsewhere ? ww_row_entry(b->component, b->row) : b->turn;
    WwPort *port = (WwPort *)((char *)b->component + r->offset) + b->nth;
    if (b->peer == NULL) {
        const External *external = ww_external(m, b);
        *port = (WwPort){external->self, external->table, 0, r->owns ? external->step : NULL};
    } else if (b->peer_row < 0) {
        *port = (WwPort){b->peer, NULL, add_end(b, entry), NULL};
    } else {
        const void *table = b->peer->type->ports[b->peer_row].table;
        WwStep *step = r->owns ? ww_step_at(b->peer, b->peer_row) : NULL;
        *port = (WwPort){b->peer, table, add_caller(m, b, entry), step};
    }
    if (r->count_offset != 0) {
        *(uint32_t *)((char *)b->component + r->count_offset) = b->nth + 1;
    }
}

/* Is something bound to component @p i? */
static bool has_peers(const WwMachine *m, uint32_t i)
{
    const Info *info = ww_info(m, i);
    const WwChannel *ch = (const WwChannel *)info->component;
    bool any = is_channel_type(info) && ch->n_readers + ch->n_writers != 0;
    for (uint32_t k = 0; k < info->type->n_provides; k++) {
        any |= m->bound.v[info->bound + (uint32_t)info->type->provides[k]] != 0;
    }
    return any;
}

/* To those that have no turns, and no callers that have. */
static void give_domains(WwMachine *m)
{
    bool more = false;
    for (uint32_t i = 0; i < m->info.n && !more; i++) {
        more = ww_info(m, i)->component->domain == NULL && has_peers(m, i);
    }
    /* chains of passive parts: a few rounds reach everything that has a caller at all */
    for (int round = 0; round < 4 && more; round++) {
        more = false;
        for (uint32_t i = 0; i < m->bindings.n; i++) {
            const Binding *b = &m->bindings.v[i];
            if (b->peer != NULL && b->peer->domain == NULL) {
                if (b->component->domain != NULL) {
                    b->peer->domain = own_time(b->peer, b->component->domain);
                    more = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (c->domain == NULL) {
            c->domain = own_time(c, m->domain[0]);
        }
    }
}

void ww_connect(WwMachine *m)
{
    allocate_clients(m);
    ww_join_steps(m);
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        connect_binding(m, &m->bindings.v[i]);
    }
    give_domains(m);
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwClockRow *clock;
        for (WW_ROWS(ww_info(m, i)->type->type->clocks, clock)) {
            WwComponent *c = ww_info(m, i)->component;
            WwDomain *d = ww_machine_domain(m, clock->name);
            *(WwDomain **)((char *)c + clock->offset) = d != NULL ? own_time(c, d) : c->domain;
        }
    }
}

const WwClient *ww_provided_client(const WwProvided *p, int32_t rank, uint32_t ordinal)
{
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->client[i].rank == rank && p->client[i].ordinal == ordinal) {
            return &p->client[i];
        }
    }
    return NULL;
}

uint32_t ww_provided_count(const WwProvided *p, int32_t rank)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        n += p->client[i].rank == rank;
    }
    return n;
}

uint32_t ww_provided_wakes(const WwProvided *p, int32_t rank, const WwWake *none, const WwWake **of,
                           uint32_t n)
{
    uint32_t clients = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const WwClient *c = &p->client[i];
        if (c->rank == rank) {
            clients++;
            if (c->ordinal < n) {
                of[c->ordinal] = &c->wake;
            }
        }
    }
    for (uint32_t i = clients; i < n; i++) {
        of[i] = clients != 0 ? of[i - clients] : none;
    }
    return clients;
}

uint32_t ww_component_bound(const WwComponent *c, int row)
{
    return *ww_bound(c, row);
}

static void show(const Binding *b, WwBindingFn fn, void *user)
{
    fn(user, b->component, b->port, b->peer,
       b->peer != NULL && b->peer_row >= 0 ? &b->peer->type->ports[b->peer_row] : NULL, b->where);
}

void ww_machine_each_binding(const WwMachine *m, WwBindingFn fn, void *user)
{
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        show(&m->bindings.v[i], fn, user);
    }
}

void ww_machine_bindings_of(const WwMachine *m, const WwContract *contract, WwBindingFn fn,
                            void *user)
{
    const Binding *end = m->bindings.v + m->bindings.n;
    for (const Binding *b = m->bindings.v; b < end; b++) {
        if (b->port->contract == contract) {
            show(b, fn, user);
        }
    }
}
