/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of a group, from outside to inside. Tokens go from a layer to a later one, but for those that lead back: then the edge is laid out as
 * if it led forward, and only its arrow tells. An edge that leaves a group does so at the side where its other end is.
 */
#include "picture.h"

/* One edge between two items of a group; @p lo stands to the left. */
typedef struct Link {
    PictureNode *from, *to;
    PictureEdge *edge;
    bool back;
} Link;

typedef struct Layering {
    PictureNode *group;
    GArray *links; /* Link, in the order of edges */
    GPtrArray *items;
} Layering;

static bool holds_flow(const PictureNode *node)
{
    bool flow = node->kind != PICTURE_GROUP && node->flow;
    for (guint i = 0; i < node->children->len && !flow; i++) {
        flow = node->kind == PICTURE_GROUP && holds_flow(node->children->pdata[i]);
    }
    return flow;
}

/* The item of the group at which @p end of an edge lies: a child, or the port through which the edge leaves. */
static PictureNode *item_of(const PictureNode *group, const PictureEdge *edge, PictureNode *end)
{
    PictureNode *child = picture_child_of(group, end);
    for (guint i = 0; i < group->extra->len && child == NULL; i++) {
        PictureNode *port = group->extra->pdata[i];
        child = port->edge == edge ? port : NULL;
    }
    return child;
}

static void add_links(Layering *l, const Picture *picture)
{
    for (guint i = 0; i < picture->edges->len; i++) {
        PictureEdge *edge = picture->edges->pdata[i];
        PictureNode *from = item_of(l->group, edge, edge->from),
                    *to = item_of(l->group, edge, edge->to);
        if (from != NULL && to != NULL && from != to) {
            const Link link = {from, to, edge, false};
            g_array_append_val(l->links, link);
        }
    }
}

static bool is_port(const PictureNode *item, int side)
{
    return item->kind == PICTURE_PORT && item->side == side;
}

/* ---- edges that lead back --------------------------------------------------------------------------------------- */

/*
 * Tokens that come in at the right, on their way to the middle (a reply): a channel or part of which all that comes in comes from there. And
 * (@p side left) those on their way out to the left.
 */
static bool returns(const Layering *l, const bool *set, const PictureNode *node, int side)
{
    bool any = false;
    for (guint i = 0; i < l->links->len; i++) {
        const Link *link = &g_array_index(l->links, Link, i);
        const PictureNode *own = side == PICTURE_RIGHT ? link->to : link->from,
                          *other = side == PICTURE_RIGHT ? link->from : link->to;
        if (own == node) {
            if (!is_port(other, side) && !(other->kind < PICTURE_PORT && set[other->number])) {
                return false;
            }
            any = true;
        } else if (other == node && is_port(own, side)) {
            return false;
        }
    }
    return any && node->kind != PICTURE_GROUP && node->kind != PICTURE_CLOSED;
}

static void turn_returns(Layering *l, uint32_t n_nodes, int side)
{
    g_autofree bool *set = g_new0(bool, n_nodes);
    for (bool more = true; more;) {
        more = false;
        for (guint i = 0; i < l->items->len; i++) {
            const PictureNode *node = l->items->pdata[i];
            if (!set[node->number] && returns(l, set, node, side)) {
                set[node->number] = more = true;
            }
        }
    }
    for (guint i = 0; i < l->links->len; i++) {
        Link *link = &g_array_index(l->links, Link, i);
        const PictureNode *own = side == PICTURE_RIGHT ? link->from : link->to;
        link->back |= is_port(own, side) || (own->kind < PICTURE_PORT && set[own->number]);
    }
}

/* Depth first: what leads to a node that is not done yet leads back. */
static void visit(Layering *l, uint8_t *state, const PictureNode *node)
{
    state[node->number] = 1;
    for (guint i = 0; i < l->links->len; i++) {
        Link *link = &g_array_index(l->links, Link, i);
        const PictureNode *lo = link->back ? link->to : link->from,
                          *hi = link->back ? link->from : link->to;
        if (lo != node) {
            continue;
        }
        if (state[hi->number] == 1) {
            link->back = !link->back;
        } else if (state[hi->number] == 0) {
            visit(l, state, hi);
        }
    }
    state[node->number] = 2;
}

static bool has_before(const Layering *l, const PictureNode *node)
{
    for (guint i = 0; i < l->links->len; i++) {
        const Link *link = &g_array_index(l->links, Link, i);
        if ((link->back ? link->from : link->to) == node) {
            return true;
        }
    }
    return false;
}

/*
 * Of a view that is cut out of its machine: when something outside takes tokens, what gives some is there, too, to the right, where the rest
 * of the machine is.
 */
static void turn_outside(Layering *l)
{
    bool takes = false;
    for (guint i = 0; i < l->links->len; i++) {
        takes |= g_array_index(l->links, Link, i).to->outside;
    }
    for (guint i = 0; i < l->links->len && takes; i++) {
        Link *link = &g_array_index(l->links, Link, i);
        link->back |= link->from->outside && !link->to->outside;
    }
}

static void break_cycles(Layering *l, uint32_t n_nodes)
{
    g_autofree uint8_t *state = g_new0(uint8_t, n_nodes);
    for (int pass = 0; pass < 2; pass++) {
        for (guint i = 0; i < l->items->len; i++) {
            const PictureNode *node = l->items->pdata[i];
            if (state[node->number] == 0 && (pass == 1 || !has_before(l, node))) {
                visit(l, state, node);
            }
        }
    }
}

/* ---- layers ----------------------------------------------------------------------------------------------------- */

static int assign(Layering *l)
{
    int last = 1;
    for (guint i = 0; i < l->items->len; i++) {
        PictureNode *node = l->items->pdata[i];
        node->layer = is_port(node, PICTURE_LEFT) ? 0 : 1;
    }
    for (bool more = true; more;) { /* no cycles: as often as the longest path has steps */
        more = false;
        for (guint i = 0; i < l->links->len; i++) {
            const Link *link = &g_array_index(l->links, Link, i);
            PictureNode *lo = link->back ? link->to : link->from,
                        *hi = link->back ? link->from : link->to;
            if (hi->layer <= lo->layer) {
                hi->layer = lo->layer + 1;
                more = true;
            }
        }
    }
    for (guint i = 0; i < l->items->len; i++) {
        const PictureNode *node = l->items->pdata[i];
        last = MAX(last, node->layer + (node->kind != PICTURE_PORT));
    }
    return last;
}

/* Where nothing leads to a node it stands right before what it leads to; ports at the right stand last. */
static void tighten(Layering *l, int last)
{
    for (guint i = l->items->len; i-- > 0;) {
        PictureNode *node = l->items->pdata[i];
        int least = last;
        for (guint k = 0; k < l->links->len; k++) {
            const Link *link = &g_array_index(l->links, Link, k);
            const PictureNode *lo = link->back ? link->to : link->from,
                              *hi = link->back ? link->from : link->to;
            if (lo == node && hi->kind != PICTURE_PORT) {
                least = MIN(least, hi->layer);
            }
        }
        if (is_port(node, PICTURE_RIGHT)) {
            node->layer = last;
        } else if (node->kind != PICTURE_PORT && least < last && !has_before(l, node)) {
            node->layer = least - 1;
        }
    }
}

static PictureNode *bend(Picture *picture, PictureNode *group, PictureEdge *edge, int layer)
{
    PictureNode *node = picture_node_new(picture, PICTURE_BEND, group, "");
    node->edge = edge;
    node->layer = layer;
    g_ptr_array_add(group->layers->pdata[layer], node);
    return node;
}

static void add_step(PictureNode *group, const Link *link, PictureNode *from, PictureNode *to)
{
    PictureStep *step = g_new0(PictureStep, 1);
    step->edge = link->edge;
    step->from = from;
    step->to = to;
    step->back = link->back;
    g_ptr_array_add(group->inner, step);
    g_ptr_array_add(from->steps[PICTURE_RIGHT], step);
    g_ptr_array_add(to->steps[PICTURE_LEFT], step);
}

static void add_port(Picture *picture, PictureNode *child, PictureEdge *edge, int side)
{
    if (child->kind == PICTURE_GROUP) {
        PictureNode *port = picture_node_new(picture, PICTURE_PORT, child, "");
        port->edge = edge;
        port->side = side;
    }
}

static void make_steps(Layering *l, Picture *picture, int last)
{
    PictureNode *group = l->group;
    for (int i = 0; i <= last; i++) {
        g_ptr_array_add(group->layers, g_ptr_array_new());
    }
    for (guint i = 0; i < l->items->len; i++) {
        PictureNode *node = l->items->pdata[i];
        g_ptr_array_add(group->layers->pdata[node->layer], node);
    }
    for (guint i = 0; i < l->links->len; i++) {
        const Link *link = &g_array_index(l->links, Link, i);
        PictureNode *lo = link->back ? link->to : link->from,
                    *hi = link->back ? link->from : link->to;
        add_port(picture, lo, link->edge, PICTURE_RIGHT);
        add_port(picture, hi, link->edge, PICTURE_LEFT);
        for (int layer = lo->layer + 1; layer < hi->layer; layer++) {
            PictureNode *next = bend(picture, group, link->edge, layer);
            add_step(group, link, lo, next);
            lo = next;
        }
        add_step(group, link, lo, hi);
    }
}

void picture_layers(Picture *picture, PictureNode *group)
{
    g_autoptr(GArray) links = g_array_new(false, false, sizeof(Link));
    g_autoptr(GPtrArray) items = g_ptr_array_new();
    Layering l = {group, links, items};
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *child = group->children->pdata[i];
        child->flow = holds_flow(child);
        if (child->flow) {
            g_ptr_array_add(items, child);
        }
    }
    for (guint i = 0; i < group->extra->len; i++) {
        g_ptr_array_add(items, group->extra->pdata[i]);
    }
    add_links(&l, picture);
    turn_returns(&l, picture->n_nodes, PICTURE_RIGHT);
    turn_returns(&l, picture->n_nodes, PICTURE_LEFT);
    turn_outside(&l);
    break_cycles(&l, picture->n_nodes);
    if (items->len != 0) {
        int last = assign(&l);
        tighten(&l, last);
        make_steps(&l, picture, last);
    }
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *child = group->children->pdata[i];
        if (child->kind == PICTURE_GROUP) {
            picture_layers(picture, child);
        }
    }
}
