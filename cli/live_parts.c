/* SPDX-License-Identifier: Apache-2.0 */
/* One component, all channels, all waits: GET /api/component, /api/channels, /api/waits. */
#include "live-priv.h"

#include <string.h>

#define USUAL_CHANNELS 200u
#define MOST_CHANNELS 5000u
#define USUAL_WAITS 200u
#define MOST_PEERS 64u /* of a port, that are named */

static json_t *integer(uint64_t n)
{
    return json_integer((json_int_t)MIN(n, (uint64_t)INT64_MAX));
}

static json_t *path_json(const WwComponent *c)
{
    g_autofree char *path = c != NULL ? ww_path(c) : NULL;
    return path != NULL ? cli_json_text(path) : json_null();
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static void clear_wait(gpointer p)
{
    LiveWait *w = p;
    g_free(w->text);
    g_free(w->holds);
}

static void keep_wait(void *user, const WwWait *wait)
{
    LiveWait w = {*wait, g_strdup(wait->text), g_strdup(wait->holds)};
    g_array_append_val((GArray *)user, w);
}

const GArray *live_waits(CliLive *l)
{
    WwTick now = ww_machine_tick(l->machine);
    if (l->waits == NULL) {
        l->waits = g_array_new(false, false, sizeof(LiveWait));
        g_array_set_clear_func(l->waits, clear_wait);
    } else if (l->waits_at == now) {
        return l->waits;
    }
    g_array_set_size(l->waits, 0);
    l->all_waits = ww_machine_each_wait(l->machine, LIVE_KEPT_WAITS, keep_wait, l->waits);
    l->waits_at = now;
    return l->waits;
}

static json_t *unit_json(int64_t unit)
{
    return unit >= 0 ? json_integer(unit) : json_null();
}

json_t *live_wait_json(const LiveWait *w)
{
    const WwWait *k = &w->wait;
    json_t *o = json_object();
    json_object_set_new(o, "who", path_json(k->who));
    json_object_set_new(o, "type", json_string(k->who->type->name));
    json_object_set_new(o, "unit", unit_json(k->unit));
    json_object_set_new(o, "on", path_json(k->on));
    json_object_set_new(o, "on_type", k->on != NULL ? json_string(k->on->type->name) : json_null());
    json_object_set_new(o, "on_channel",
                        json_boolean(k->on != NULL && (k->on->type->flags & WW_TYPE_CHANNEL) != 0));
    json_object_set_new(o, "on_unit", unit_json(k->on_unit));
    json_object_set_new(o, "text", cli_json_text(w->text));
    json_object_set_new(o, "holds", w->holds != NULL ? cli_json_text(w->holds) : json_null());
    json_object_set_new(o, "guessed", json_boolean(k->guessed));
    json_object_set_new(o, "trail", k->trail >= 0 ? json_integer(k->trail) : json_null());
    json_object_set_new(o, "knot", json_boolean(k->knot));
    return o;
}

void live_get_waits(CliLive *l, const WwRequest *request, WwReply *r)
{
    uint64_t limit = USUAL_WAITS;
    if (!live_number(request, "limit", LIVE_MOST_WAITS, &limit, r)) {
        return;
    }
    const GArray *waits = live_waits(l);
    bool stopped =
        l->over != NULL && (strcmp(l->over, "hang") == 0 || strcmp(l->over, "stuck") == 0);
    json_t *o = json_object(), *list = json_array();
    for (guint i = 0; i < MIN(waits->len, limit); i++) {
        json_array_append_new(list, live_wait_json(&g_array_index(waits, LiveWait, i)));
    }
    json_object_set_new(o, "hang", json_boolean(stopped));
    json_object_set_new(o, "text", stopped && l->why != NULL ? cli_json_text(l->why) : json_null());
    json_object_set_new(o, "cycle", integer(ww_machine_cycle(l->machine)));
    json_object_set_new(o, "all", integer(l->all_waits));
    json_object_set_new(o, "waits", list);
    live_reply(r, o);
}

/* ---- a component ------------------------------------------------------------------------------------------------- */

static json_t *params_json(const WwComponent *c)
{
    json_t *list = json_array();
    const WwParamRow *row;
    int i = 0;
    for (WW_ROWS(c->type->params, row)) {
        g_autofree char *value = ww_component_get_text(c, i++);
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(row->name));
        json_object_set_new(o, "value", cli_json_text(value));
        json_object_set_new(o, "unit", json_string(row->unit != NULL ? row->unit : ""));
        json_object_set_new(o, "doc", json_string(row->doc));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *entries_json(const WwComponent *c)
{
    json_t *list = json_array();
    const WwEntryRow *row;
    uint32_t i = 0;
    for (WW_ROWS(c->type->entries, row)) {
        WwWhen when = ww_entry_when(c, i++);
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(row->name));
        json_object_set_new(o, "doc", json_string(row->doc));
        json_object_set_new(o, "domain",
                            when.domain != NULL ? json_string(when.domain->name) : json_null());
        json_object_set_new(o, "cycle",
                            when.domain != NULL ? integer(when.domain->cycle) : json_null());
        json_object_set_new(o, "due", json_boolean(when.due));
        json_object_set_new(o, "gated", json_boolean(when.gated));
        json_object_set_new(o, "wakes_at", when.at != WW_NEVER ? integer(when.at) : json_null());
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *values_json(const WwComponent *c, const WwStatRow *row)
{
    const uint64_t *v = ww_stat_values(c, row);
    json_t *list = json_array();
    for (uint32_t i = 0; i < row->n; i++) {
        json_array_append_new(list, integer(v[i]));
    }
    return list;
}

static json_t *stats_json(const WwComponent *c)
{
    static const char *const kinds[] = {[WW_STAT_COUNTER] = "counter",
                                        [WW_STAT_MAX] = "maximum",
                                        [WW_STAT_VECTOR] = "vector",
                                        [WW_STAT_HISTOGRAM] = "histogram"};
    json_t *list = json_array();
    const WwStatRow *row;
    for (WW_ROWS(c->type->stats, row)) {
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(row->name));
        json_object_set_new(o, "kind", json_string(kinds[row->kind]));
        json_object_set_new(o, "unit", json_string(row->unit != NULL ? row->unit : ""));
        json_object_set_new(o, "doc", json_string(row->doc));
        json_object_set_new(o, "values", values_json(c, row));
        if (row->labels != NULL) {
            json_t *labels = json_array();
            for (uint32_t i = 0; i < row->n; i++) {
                json_array_append_new(labels, json_string(row->labels[i]));
            }
            json_object_set_new(o, "labels", labels);
        }
        json_array_append_new(list, o);
    }
    return list;
}

typedef struct Wires {
    const WwComponent *of;
    json_t *list;
} Wires;

static void add_wire(void *user, const WwComponent *c, const WwPortRow *row,
                     const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    Wires *w = user;
    bool own = c == w->of;
    if ((!own && peer != w->of) || peer == NULL || json_array_size(w->list) >= MOST_PEERS) {
        return;
    }
    json_t *o = json_object();
    const WwPortRow *mine = own ? row : peer_row;
    bool out = row->role == WW_OUT ? own : row->role == WW_IN ? !own : own;
    json_object_set_new(o, "port", mine != NULL ? json_string(mine->name) : json_null());
    json_object_set_new(o, "peer", path_json(own ? peer : c));
    json_object_set_new(o, "out", json_boolean(out));
    json_array_append_new(w->list, o);
}

static json_t *own_waits_json(CliLive *l, const WwComponent *c)
{
    const GArray *waits = live_waits(l);
    json_t *list = json_array();
    for (guint i = 0; i < waits->len; i++) {
        const LiveWait *w = &g_array_index(waits, LiveWait, i);
        if (w->wait.who == c || w->wait.on == c) {
            json_array_append_new(list, live_wait_json(w));
        }
    }
    return list;
}

static json_t *fill_json(const WwFill *fill)
{
    json_t *o = json_object();
    json_object_set_new(o, "tokens", integer(fill->tokens));
    json_object_set_new(o, "used", integer(fill->used));
    json_object_set_new(o, "capacity", integer(fill->capacity));
    return o;
}

void live_get_component(CliLive *l, const WwRequest *request, WwReply *r)
{
    const char *path = live_word(request, "path");
    const LiveNode *n = path != NULL ? live_node(l, path, r) : NULL;
    if (path == NULL || (n != NULL && n->component == NULL)) {
        live_refuse(r, 400, "path '%s' is that of no component; expected one of /api/tree",
                    path != NULL ? path : "");
        return;
    }
    if (n == NULL) {
        return;
    }
    const WwComponent *c = n->component;
    WwFill fill;
    json_t *o = json_object();
    Wires wires = {c, json_array()};
    ww_machine_settle(l->machine);
    ww_machine_each_binding(l->machine, add_wire, &wires);
    json_object_set_new(o, "path", cli_json_text(n->path));
    json_object_set_new(o, "type", json_string(c->type->name));
    json_object_set_new(o, "doc", json_string(c->type->doc));
    json_object_set_new(o, "cycle", integer(ww_machine_cycle(l->machine)));
    json_object_set_new(o, "state", json_string(live_state(c)));
    json_object_set_new(o, "fill", ww_channel_fill(c, &fill) ? fill_json(&fill) : json_null());
    json_object_set_new(o, "entries", entries_json(c));
    json_object_set_new(o, "waits", own_waits_json(l, c));
    json_object_set_new(o, "wires", wires.list);
    json_object_set_new(o, "statistics", stats_json(c));
    json_object_set_new(o, "parameters", params_json(c));
    live_reply(r, o);
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

static json_t *ends_json(const WwClient *end, uint32_t n)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < MIN(n, MOST_PEERS); i++) {
        json_array_append_new(list, path_json(end[i].who));
    }
    return list;
}

static json_t *channel_json(const WwComponent *c, const char *path, const WwFill *fill)
{
    const WwChannel *ch = (const WwChannel *)c;
    json_t *o = fill_json(fill);
    json_object_set_new(o, "path", cli_json_text(path));
    json_object_set_new(o, "type", json_string(c->type->name));
    json_object_set_new(o, "carries", json_string(ch->payload != NULL ? ch->payload->name : ""));
    json_object_set_new(o, "writers", ends_json(ch->writer, ch->n_writers));
    json_object_set_new(o, "readers", ends_json(ch->reader, ch->n_readers));
    return o;
}

static bool is_under(const char *path, const char *under)
{
    size_t n = strlen(under);
    return n == 0 || (strncmp(path, under, n) == 0 && (path[n] == '\0' || path[n] == '.'));
}

void live_get_channels(CliLive *l, const WwRequest *request, WwReply *r)
{
    const char *under = live_word(request, "under");
    uint64_t least = 0, limit = USUAL_CHANNELS, all = 0, used = 0;
    if (!live_number(request, "least", UINT32_MAX, &least, r) ||
        !live_number(request, "limit", MOST_CHANNELS, &limit, r) ||
        live_node(l, under != NULL ? under : "", r) == NULL) {
        return;
    }
    json_t *o = json_object(), *list = json_array();
    for (uint32_t i = 0; i < ww_machine_n_components(l->machine); i++) {
        const WwComponent *c = ww_machine_component(l->machine, i);
        WwFill fill;
        if (!(c->type->flags & WW_TYPE_CHANNEL) || !ww_channel_fill(c, &fill)) {
            continue;
        }
        g_autofree char *path = ww_path(c);
        if (!is_under(path, under != NULL ? under : "")) {
            continue;
        }
        all++;
        used += fill.tokens != 0;
        if (fill.tokens >= least && json_array_size(list) < limit) {
            json_array_append_new(list, channel_json(c, path, &fill));
        }
    }
    json_object_set_new(o, "cycle", integer(ww_machine_cycle(l->machine)));
    json_object_set_new(o, "all", integer(all));
    json_object_set_new(o, "used", integer(used));
    json_object_set_new(o, "channels", list);
    live_reply(r, o);
}
