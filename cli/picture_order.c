/* SPDX-License-Identifier: Apache-2.0 */
/* Who stands above whom in a layer: each at the mean of its neighbours, layer by layer to and fro; the order with the fewest crossings stays. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

enum {
    SWEEPS = 24,
    FEW_STEPS = 250,
    MANY_STEPS = 1500
}; /* looking at all pairs of them takes long */

static PictureNode *port_of(const PictureNode *group, const PictureEdge *edge)
{
    for (guint i = 0; i < group->extra->len; i++) {
        PictureNode *port = group->extra->pdata[i];
        if (port->kind == PICTURE_PORT && port->edge == edge) {
            return port;
        }
    }
    return NULL;
}

/* Where a step ends at @p node, among all ends of the layer: the order of the node, and within a group that of its port. */
static double place(const PictureNode *node, const PictureStep *step)
{
    const PictureNode *port = node->kind == PICTURE_GROUP ? port_of(node, step->edge) : NULL;
    return node->order + (port != NULL && node->h > 0 ? port->y / (node->h + 1) : 0.5);
}

static double crossings(const PictureNode *group)
{
    double n = 0;
    for (guint i = 0; i < group->inner->len; i++) {
        const PictureStep *a = group->inner->pdata[i];
        double a1 = place(a->from, a), a2 = place(a->to, a);
        for (guint k = i + 1; k < group->inner->len; k++) {
            const PictureStep *b = group->inner->pdata[k];
            if (a->from->layer == b->from->layer) {
                double b1 = place(b->from, b), b2 = place(b->to, b);
                n += (a1 - b1) * (a2 - b2) < 0;
            }
        }
    }
    return n;
}

static void number(GPtrArray *layer)
{
    for (guint i = 0; i < layer->len; i++) {
        ((PictureNode *)layer->pdata[i])->order = i;
    }
}

static int by_weight(const void *a, const void *b)
{
    const PictureNode *x = *(PictureNode *const *)a, *y = *(PictureNode *const *)b;
    if (x->weight != y->weight) {
        return x->weight < y->weight ? -1 : 1;
    }
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : 0;
}

/* Sorts a layer by the neighbours at @p side. */
static void sort_layer(GPtrArray *layer, int side)
{
    for (guint i = 0; i < layer->len; i++) {
        PictureNode *node = layer->pdata[i];
        const GPtrArray *steps = node->steps[side];
        double sum = 0;
        for (guint k = 0; k < steps->len; k++) {
            const PictureStep *step = steps->pdata[k];
            sum += place(side == PICTURE_LEFT ? step->from : step->to, step);
        }
        node->weight = steps->len != 0 ? sum / steps->len : node->order + 0.5;
    }
    if (layer->len != 0) {
        qsort(layer->pdata, layer->len, sizeof layer->pdata[0], by_weight);
    }
    number(layer);
}

static int by_order(const void *a, const void *b)
{
    const PictureNode *x = *(PictureNode *const *)a, *y = *(PictureNode *const *)b;
    return x->order < y->order ? -1 : x->order > y->order;
}

typedef struct Best {
    uint32_t *order; /* by number of node */
    double crossings;
} Best;

static void keep(const PictureNode *group, Best *best)
{
    double n = crossings(group);
    if (n >= best->crossings) {
        return;
    }
    best->crossings = n;
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            const PictureNode *node = layer->pdata[k];
            best->order[node->number] = node->order;
        }
    }
}

/* Neighbours in a layer change places as long as that takes crossings away. */
static void swap_neighbours(PictureNode *group)
{
    double now = crossings(group);
    for (guint i = 0; i < group->layers->len && now > 0; i++) {
        GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k + 1 < layer->len; k++) {
            PictureNode *a = layer->pdata[k], *b = layer->pdata[k + 1];
            a->order = k + 1;
            b->order = k;
            double then = crossings(group);
            if (then < now) {
                layer->pdata[k] = b;
                layer->pdata[k + 1] = a;
                now = then;
            } else {
                a->order = k;
                b->order = k + 1;
            }
        }
    }
}

void picture_order(PictureNode *group)
{
    uint32_t most = 0;
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        number(group->layers->pdata[i]);
        for (guint k = 0; k < layer->len; k++) {
            most = MAX(most, ((PictureNode *)layer->pdata[k])->number);
        }
    }
    Best best = {g_new0(uint32_t, most + 1), G_MAXDOUBLE};
    keep(group, &best);
    int sweeps = group->inner->len <= MANY_STEPS ? SWEEPS : 2;
    for (int sweep = 0; sweep < sweeps && best.crossings > 0; sweep++) {
        guint n = group->layers->len;
        for (guint i = 0; i < n; i++) {
            bool down = sweep % 2 == 0;
            sort_layer(group->layers->pdata[down ? i : n - 1 - i],
                       down ? PICTURE_LEFT : PICTURE_RIGHT);
        }
        keep(group, &best);
        if (sweep % 4 == 3 && group->inner->len <= FEW_STEPS) {
            swap_neighbours(group);
            keep(group, &best);
        }
    }
    for (guint i = 0; i < group->layers->len; i++) {
        GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            PictureNode *node = layer->pdata[k];
            node->order = best.order[node->number];
        }
        if (layer->len != 0) {
            qsort(layer->pdata, layer->len, sizeof layer->pdata[0], by_order);
        }
    }
    g_free(best.order);
}
