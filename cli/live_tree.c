/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a machine: groups and components, and what state they are in: GET /api/tree. Made when somebody asks for the first time. */
#include "live-priv.h"

#include <string.h>

#define MOST_CHILD_WAITS 3u /* of a component, that the tree tells */

static const char *const states[] = {"due", "rests", "asleep", "gated", "passive", "channel"};
enum { DUE, RESTS, ASLEEP, GATED, PASSIVE, CHANNEL, N_STATES };

/* ---- the tree ----------------------------------------------------------------------------------------------------- */

static void free_node(gpointer p)
{
    LiveNode *n = p;
    g_free(n->path);
    g_ptr_array_unref(n->children);
    g_free(n);
}

static LiveNode *add_node(CliLive *l, LiveNode *parent, char *path, const WwComponent *c)
{
    LiveNode *n = g_new0(LiveNode, 1);
    n->path = path;
    n->component = c;
    n->children = g_ptr_array_new();
    g_hash_table_insert(l->nodes, n->path, n);
    if (parent != NULL) {
        g_ptr_array_add(parent->children, n);
    }
    return n;
}

/* The place at the first @p length characters of @p path, made with those around it: a group, or a component with parts of its own. */
static LiveNode *place_at(CliLive *l, const char *path, size_t length)
{
    g_autofree char *own = g_strndup(path, length);
    LiveNode *n = g_hash_table_lookup(l->nodes, own);
    if (n != NULL) {
        return n;
    }
    const char *dot = memrchr(path, '.', length);
    LiveNode *parent = dot != NULL ? place_at(l, path, (size_t)(dot - path)) : l->root;
    return add_node(l, parent, g_steal_pointer(&own), NULL);
}

static void make_tree(CliLive *l)
{
    if (l->nodes != NULL) {
        return;
    }
    l->nodes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_node);
    l->root = add_node(l, NULL, g_strdup(""), NULL);
    for (uint32_t i = 0; i < ww_machine_n_components(l->machine); i++) {
        const WwComponent *c = ww_machine_component(l->machine, i);
        char *path = ww_path(c);
        const char *dot = strrchr(path, '.');
        LiveNode *parent = dot != NULL ? place_at(l, path, (size_t)(dot - path)) : l->root;
        LiveNode *there = g_hash_table_lookup(l->nodes, path);
        if (there == NULL) {
            add_node(l, parent, path, c);
        } else {
            there->component = c; /* its parts came first */
            g_free(path);
        }
    }
}

void live_tree_clear(CliLive *l)
{
    if (l->nodes != NULL) {
        g_hash_table_unref(l->nodes);
    }
    if (l->waits != NULL) {
        g_array_unref(l->waits);
    }
}

const LiveNode *live_node(CliLive *l, const char *path, WwReply *r)
{
    make_tree(l);
    const LiveNode *n = g_hash_table_lookup(l->nodes, path);
    if (n == NULL) {
        live_refuse(r, 404, "there is nothing at path '%s'; expected one of /api/tree", path);
    }
    return n;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static int state_of(const WwComponent *c)
{
    int state = ASLEEP;
    uint32_t i = 0;
    const WwEntryRow *row;
    if (c->type->flags & WW_TYPE_CHANNEL) {
        return CHANNEL;
    }
    for (WW_ROWS(c->type->entries, row)) {
        WwWhen when = ww_entry_when(c, i++);
        int own = when.domain == NULL   ? ASLEEP
                  : when.gated          ? GATED
                  : when.due            ? DUE
                  : when.at != WW_NEVER ? RESTS
                                        : ASLEEP;
        state = own == GATED ? GATED : state == GATED ? GATED : MIN(state, own);
    }
    return i == 0 ? PASSIVE : state;
}

const char *live_state(const WwComponent *c)
{
    return states[state_of(c)];
}

static void count_states(const LiveNode *n, uint32_t count[N_STATES])
{
    if (n->component != NULL) {
        count[state_of(n->component)]++;
    }
    for (guint i = 0; i < n->children->len; i++) {
        count_states(n->children->pdata[i], count);
    }
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* Components, and how many things each waits for. */
static GHashTable *waiting_parts(CliLive *l)
{
    const GArray *waits = live_waits(l);
    GHashTable *out = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < waits->len; i++) {
        const LiveWait *w = &g_array_index(waits, LiveWait, i);
        GPtrArray *of = g_hash_table_lookup(out, w->wait.who);
        if (of == NULL) {
            of = g_ptr_array_new();
            g_hash_table_insert(out, (void *)w->wait.who, of);
        }
        g_ptr_array_add(of, (void *)w);
    }
    return out;
}

static uint32_t waits_in(const LiveNode *n, GHashTable *waiting)
{
    const GPtrArray *of = n->component != NULL ? g_hash_table_lookup(waiting, n->component) : NULL;
    uint32_t sum = of != NULL ? of->len : 0;
    for (guint i = 0; i < n->children->len; i++) {
        sum += waits_in(n->children->pdata[i], waiting);
    }
    return sum;
}

static json_t *states_json(const LiveNode *n)
{
    uint32_t count[N_STATES] = {0};
    json_t *by = json_object();
    count_states(n, count);
    for (int i = 0; i < N_STATES; i++) {
        if (count[i] != 0) {
            json_object_set_new(by, states[i], json_integer(count[i]));
        }
    }
    return by;
}

/* What a component says of itself. */
static void add_part(json_t *o, const WwComponent *c, GHashTable *waiting)
{
    const GPtrArray *of = g_hash_table_lookup(waiting, c);
    WwFill fill;
    json_t *why = json_array();
    json_object_set_new(o, "type", json_string(c->type->name));
    json_object_set_new(o, "state", json_string(live_state(c)));
    for (guint i = 0; of != NULL && i < MIN(of->len, MOST_CHILD_WAITS); i++) {
        json_array_append_new(why, cli_json_text(((const LiveWait *)of->pdata[i])->text));
    }
    json_object_set_new(o, "why", why);
    if (ww_channel_fill(c, &fill)) {
        json_object_set_new(o, "used", json_integer(fill.used));
        json_object_set_new(o, "capacity", json_integer(fill.capacity));
    }
}

static json_t *child_json(const LiveNode *n, GHashTable *waiting)
{
    json_t *o = json_object();
    json_object_set_new(o, "path", cli_json_text(n->path));
    json_object_set_new(o, "children", json_integer(n->children->len));
    json_object_set_new(o, "waits", json_integer(waits_in(n, waiting)));
    if (n->children->len != 0) {
        json_object_set_new(o, "states", states_json(n));
    }
    if (n->component != NULL) {
        add_part(o, n->component, waiting);
    }
    return o;
}

void live_get_tree(CliLive *l, const WwRequest *request, WwReply *r)
{
    const char *path = live_word(request, "path");
    const LiveNode *n = live_node(l, path != NULL ? path : "", r);
    if (n == NULL) {
        return;
    }
    g_autoptr(GHashTable) waiting = waiting_parts(l);
    json_t *o = json_object(), *children = json_array();
    for (guint i = 0; i < n->children->len; i++) {
        json_array_append_new(children, child_json(n->children->pdata[i], waiting));
    }
    json_object_set_new(o, "path", cli_json_text(n->path));
    json_object_set_new(o, "children", children);
    live_reply(r, o);
}
