/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges between two layers: along, down or up, along. Each turns on a track of its own between the layers, so chosen that edges that need
 * not cross do not, and none lies on another; those that share an end may share the track.
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

#define STRAIGHT 0.75 /* less is not seen */

/* Edges that go down turn first where they begin lowest, those that go up where they begin highest: so they do not cross. */
static int by_turn(const void *a, const void *b)
{
    const PictureStep *x = *(PictureStep *const *)a, *y = *(PictureStep *const *)b;
    bool down_x = x->y2 > x->y1, down_y = y->y2 > y->y1;
    if (down_x != down_y) {
        return down_x ? -1 : 1;
    }
    if (x->y1 != y->y1) {
        return (x->y1 > y->y1) == down_x ? -1 : 1;
    }
    if (x->y2 != y->y2) {
        return (x->y2 > y->y2) == down_x ? -1 : 1;
    }
    return x->edge->from->number < y->edge->from->number   ? -1
           : x->edge->from->number > y->edge->from->number ? 1
           : x->edge->to->number < y->edge->to->number     ? -1
                                                       : x->edge->to->number > y->edge->to->number;
}

static bool overlap(const PictureStep *a, const PictureStep *b)
{
    double a1 = MIN(a->y1, a->y2), a2 = MAX(a->y1, a->y2), b1 = MIN(b->y1, b->y2),
           b2 = MAX(b->y1, b->y2);
    return a1 <= b2 + 2 && b1 <= a2 + 2;
}

/* An edge that begins at the height at which another ends turns before that one: else they would lie on each other. */
static void first_who_ends(GPtrArray *turning)
{
    for (guint i = 0; i < turning->len; i++) {
        for (guint k = i + 1; k < turning->len; k++) {
            PictureStep *a = turning->pdata[i], *b = turning->pdata[k];
            if (fabs(b->y1 - a->y2) < 3 && fabs(a->y1 - b->y2) >= 3) {
                g_ptr_array_remove_index(turning, k);
                g_ptr_array_insert(turning, (gint)i, b);
            }
        }
    }
}

/* The tracks between a layer and the next: how many. */
static guint assign_tracks(const PictureNode *group, guint layer)
{
    g_autoptr(GPtrArray) turning = g_ptr_array_new();
    guint tracks = 0;
    for (guint i = 0; i < group->inner->len; i++) {
        PictureStep *step = group->inner->pdata[i];
        if (step->from->layer == (int)layer) {
            step->track = 0;
            if (fabs(step->y1 - step->y2) > STRAIGHT) {
                g_ptr_array_add(turning, step);
            } else { /* the rounding of a sum is no bend */
                step->y2 = step->to->kind >= PICTURE_PORT || step->to->kind == PICTURE_GROUP
                               ? step->y2
                               : step->y1;
            }
        }
    }
    if (turning->len != 0) {
        qsort(turning->pdata, turning->len, sizeof turning->pdata[0], by_turn);
    }
    first_who_ends(turning);
    for (guint i = 0; i < turning->len; i++) {
        PictureStep *step = turning->pdata[i];
        double track = 0;
        for (guint k = 0; k < i; k++) {
            const PictureStep *before = turning->pdata[k];
            if (overlap(step, before)) {
                track = MAX(track, before->track + 1);
            }
        }
        step->track = track;
        tracks = MAX(tracks, (guint)track + 1);
    }
    return tracks;
}

static double widest(const GPtrArray *layer)
{
    double w = 0;
    for (guint i = 0; i < layer->len; i++) {
        w = MAX(w, ((PictureNode *)layer->pdata[i])->w);
    }
    return w;
}

/* Ends of a step at the sides of what it joins. */
static void set_ends(const PictureNode *group, guint layer, double from, double lane)
{
    for (guint i = 0; i < group->inner->len; i++) {
        PictureStep *step = group->inner->pdata[i];
        if (step->from->layer == (int)layer) {
            step->x1 = step->from->x + step->from->w;
            step->track = from + step->track * lane;
        }
        if (step->to->layer == (int)layer + 1) {
            step->x2 = step->to->x;
        }
    }
}

void picture_route(PictureNode *group, double left, double right)
{
    double x = 0;
    guint n = group->layers->len;
    for (guint i = 0; i < n; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        double w = widest(layer);
        for (guint k = 0; k < layer->len; k++) {
            PictureNode *node = layer->pdata[k];
            node->x = node->kind >= PICTURE_PORT ? x : x + (w - node->w) / 2;
            node->w = node->kind == PICTURE_BEND ? w : node->w; /* runs across the layer */
        }
        x += w;
        if (i + 1 == n) {
            break;
        }
        const GPtrArray *next = group->layers->pdata[i + 1];
        guint tracks = assign_tracks(group, i);
        bool edge = i == 0 || (i + 2 == n && next->len == 0);
        double begin = x;
        x += PICTURE_EDGE + (tracks > 1 ? (tracks - 1) * PICTURE_LANE : 0) + PICTURE_EDGE + 6;
        if (edge && tracks == 0) {
            x = begin + (layer->len == 0 || next->len == 0 ? MAX(i == 0 ? left : right, 0.0)
                                                           : PICTURE_EDGE + 6);
        }
        group->w = x;
        for (guint k = 0; k < next->len;
             k++) { /* set_ends() wants them; widths are set again in their turn */
            PictureNode *node = next->pdata[k];
            double wide = widest(next);
            node->x = node->kind >= PICTURE_PORT ? x : x + (wide - node->w) / 2;
        }
        set_ends(group, i, begin + PICTURE_EDGE, PICTURE_LANE);
    }
    group->w = x;
}
