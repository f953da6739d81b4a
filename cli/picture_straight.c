/* SPDX-License-Identifier: Apache-2.0 */
/* The last touches at edges: those that are almost straight become so, long ones turn once, and two that change places make room for each other. */
#include "picture.h"

#include <math.h>

/* May the edge @p step meet @p node at @p y: inside of it, and not too near to another one? */
static bool may_meet(const PictureNode *node, int side, const PictureStep *step, double y)
{
    if (node->kind == PICTURE_GROUP || node->kind >= PICTURE_PORT || y < node->y + 4 ||
        y > node->y + node->h - 4) {
        return false;
    }
    const GPtrArray *steps = node->steps[side];
    for (guint i = 0; i < steps->len; i++) {
        PictureStep *beside = steps->pdata[i];
        if (beside != step && fabs(*picture_end(beside, side) - y) < 5) {
            return false;
        }
    }
    return true;
}

/* A bend or port goes to @p y if its neighbours leave room, with the ends of what meets there. */
static bool move_bend(const PictureNode *group, PictureNode *node, double y)
{
    const GPtrArray *layer = group->layers->pdata[node->layer];
    const PictureNode *above = node->order > 0 ? layer->pdata[node->order - 1] : NULL,
                      *below = node->order + 1 < layer->len ? layer->pdata[node->order + 1] : NULL;
    if (node->kind < PICTURE_PORT || (above != NULL && above->y + above->h + 5 > y) ||
        (below != NULL && below->y - 5 < y)) {
        return false;
    }
    node->y = y;
    for (int side = 0; side < 2; side++) {
        for (guint i = 0; i < node->steps[side]->len; i++) {
            *picture_end(node->steps[side]->pdata[i], side) = y;
        }
    }
    return true;
}

/* Long edges turn once, not a bit at each layer. */
static void straighten(const PictureNode *group)
{
    guint n = group->inner->len;
    for (guint i = 0; i < 4 * n; i++) {
        PictureStep *step = group->inner->pdata[i / n % 2 == 0 ? i % n : n - 1 - i % n];
        if (step->from->kind >= PICTURE_PORT && step->to->kind >= PICTURE_PORT &&
            step->y1 != step->y2 && !move_bend(group, step->from, step->y2)) {
            move_bend(group, step->to, step->y1);
        }
    }
}

/* Edges that are almost straight become so. */
static void snap(const PictureNode *group)
{
    for (guint i = 0; i < 2 * group->inner->len; i++) {
        guint n = group->inner->len;
        PictureStep *step = group->inner->pdata[i < n ? i : 2 * n - 1 - i];
        if (fabs(step->y1 - step->y2) > PICTURE_LANE || step->y1 == step->y2) {
            continue;
        }
        if (may_meet(step->to, PICTURE_LEFT, step, step->y1)) {
            step->y2 = step->y1;
        } else if (may_meet(step->from, PICTURE_RIGHT, step, step->y2)) {
            step->y1 = step->y2;
        } else if (!move_bend(group, step->to, step->y1)) {
            move_bend(group, step->from, step->y2);
        }
    }
}

/* Two edges that change places between two layers would lie on each other where they turn: one of them makes room. */
static void part_swaps(const PictureNode *group)
{
    for (guint i = 0; i < group->inner->len; i++) {
        PictureStep *a = group->inner->pdata[i];
        for (guint k = 0; k < group->inner->len; k++) {
            PictureStep *b = group->inner->pdata[k];
            if (a == b || a->from->layer != b->from->layer || fabs(a->y1 - b->y2) > 3 ||
                fabs(a->y2 - b->y1) > 3 || fabs(a->y1 - a->y2) <= 3) {
                continue;
            }
            for (int way = -1; way <= 1; way += 2) {
                if (may_meet(b->to, PICTURE_LEFT, b, b->y2 + way * 4.5)) {
                    b->y2 += way * 4.5;
                    break;
                }
            }
        }
    }
}

void picture_straighten(PictureNode *group)
{
    straighten(group);
    snap(group);
    part_swaps(group);
}
