/* SPDX-License-Identifier: Apache-2.0 */
/* A machine as JSON, for programs: components, bindings, where each value comes from, and the order of a tick. */
#include "inspect.h"
#include "json.h"

/* ---- components and bindings ------------------------------------------------------------------------------------ */

static void add_binding(void *user, const WwComponent *component, const WwPortRow *row,
                        const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    if (peer == NULL) {
        return; /* the place of a trace, bound so that the machine can be sealed */
    }
    json_t *o = json_object();
    g_autofree char *own = ww_path(component);
    g_autofree char *other = ww_path(peer);
    json_object_set_new(o, "component", cli_json_text(own));
    json_object_set_new(o, "port", cli_json_text(row->name));
    json_object_set_new(o, "contract", cli_json_text(row->contract->name));
    json_object_set_new(o, "peer", cli_json_text(other));
    json_object_set_new(o, "peer_port",
                        peer_row != NULL ? cli_json_text(peer_row->name) : json_null());
    if (where.line != 0) {
        g_autofree char *place = g_strdup_printf("%s:%u:%u", where.file, where.line, where.column);
        json_object_set_new(o, "where", cli_json_text(place));
    }
    json_array_append_new(user, o);
}

static json_t *components_json(WwMachine *machine)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *path = ww_path(c);
        json_t *o = json_object(), *values = json_object();
        const WwParamRow *p;
        for (WW_ROWS(c->type->params, p)) {
            g_autofree char *text = ww_component_get_text(c, (int)(p - c->type->params));
            json_object_set_new(values, p->name, cli_json_text(text));
        }
        json_object_set_new(o, "path", cli_json_text(path));
        json_object_set_new(o, "type", cli_json_text(c->type->name));
        json_object_set_new(o, "parameters", values);
        json_array_append_new(list, o);
    }
    return list;
}

/* ---- where values come from ------------------------------------------------------------------------------------- */

static void add_setting(void *user, const WwSettingInfo *s)
{
    json_t *o = json_object(), *over = json_array(), *where = json_array();
    for (uint32_t i = 0; i < s->n_where; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "name", cli_json_text(s->where[i].name));
        json_object_set_new(one, "value", cli_json_text(s->where[i].text));
        json_object_set_new(one, "from", cli_json_text(s->where[i].from));
        json_object_set_new(one, "depth", json_integer(s->where[i].depth));
        json_array_append_new(where, one);
    }
    for (const WwCause *c = s->cause->over; c != NULL; c = c->over) {
        json_t *one = json_object();
        json_object_set_new(one, "value", cli_json_text(c->text));
        json_object_set_new(one, "from", cli_json_text(c->from));
        json_array_append_new(over, one);
    }
    json_object_set_new(o, "path", cli_json_text(s->path));
    json_object_set_new(o, "owner", cli_json_text(s->owner));
    json_object_set_new(o, "value", cli_json_text(s->text));
    json_object_set_new(o, "from", cli_json_text(s->cause->from));
    if (s->where != NULL) {
        json_object_set_new(o, "where", where);
    } else {
        json_decref(where);
    }
    json_object_set_new(o, "instead_of", over);
    inspect_range_json(o, s->row);
    json_array_append_new(user, o);
}

bool inspect_why_json(const WwElaboration *elaboration, const char *path, FILE *out, GError **error)
{
    /* the text knows what was meant when nothing matches */
    g_autofree char *text = ww_elaboration_why(elaboration, path, error);
    if (text == NULL) {
        return false;
    }
    json_t *list = json_array();
    ww_elaboration_each(elaboration, path, add_setting, list);
    cli_json_write(list, 1, out);
    json_decref(list);
    return true;
}

/* ---- the order of a tick ---------------------------------------------------------------------------------------- */

enum { DEEPEST = 64 };

typedef struct OrderLists {
    json_t *of[DEEPEST]; /* by depth: the list that steps of this depth go to */
} OrderLists;

/* The list of steps that the last of @p owners runs in its turn; borrowed. */
static json_t *steps_of(json_t *owners)
{
    json_t *owner = json_array_get(owners, json_array_size(owners) - 1);
    json_t *steps = json_object_get(owner, "steps");
    if (steps == NULL) {
        json_object_set_new(owner, "steps", steps = json_array());
    }
    return steps;
}

static void add_step(void *user, const WwOrderStep *s)
{
    OrderLists *lists = user;
    json_t *o = json_object(), *members = json_array();
    uint32_t depth = MIN(s->depth, (uint32_t)DEEPEST - 2);
    if (s->depth == 0) {
        json_object_set_new(o, "phase", cli_json_text(s->phase));
        json_object_set_new(o, "domain", cli_json_text(s->domain));
    } else if (s->group != NULL) {
        json_object_set_new(o, "group", cli_json_text(s->group));
    } else {
        g_autofree char *path = ww_path(s->component);
        json_object_set_new(o, "component", cli_json_text(path));
        json_object_set_new(o, "entry", cli_json_text(s->entry->name));
    }
    if (s->depth != 0 && !s->owned) {
        json_object_set_new(o, "only_declared", json_boolean(s->tied));
    }
    if (s->owned) {
        lists->of[depth] = steps_of(lists->of[depth - 1]);
    }
    if (s->entry == NULL || s->depth == 0) {
        json_object_set_new(o, "members", members);
        lists->of[depth + 1] = members; /* borrowed: it stays in its object */
    } else {
        json_decref(members);
    }
    json_array_append_new(lists->of[depth], o);
}

static json_t *order_json(WwMachine *machine)
{
    OrderLists lists = {.of = {json_array()}};
    ww_machine_each_step(machine, add_step, &lists);
    return lists.of[0];
}

void inspect_order_json(WwMachine *machine, FILE *out)
{
    json_t *order = order_json(machine);
    cli_json_write(order, 2, out);
    json_decref(order);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

void inspect_machine_json(WwMachine *machine, const WwElaboration *elaboration, const char *name,
                          const char *order_error, FILE *out)
{
    json_t *all = json_object(), *bindings = json_array(), *settings = json_array();
    ww_machine_each_binding(machine, add_binding, bindings);
    ww_elaboration_each(elaboration, NULL, add_setting, settings);
    json_object_set_new(all, "machine", cli_json_text(name));
    json_object_set_new(all, "components", components_json(machine));
    json_object_set_new(all, "bindings", bindings);
    json_object_set_new(all, "settings", settings);
    if (order_error == NULL) {
        json_object_set_new(all, "order", order_json(machine));
    } else {
        json_object_set_new(all, "order_error", cli_json_text(order_error));
    }
    cli_json_write(all, 2, out);
    json_decref(all);
}
