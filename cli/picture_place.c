/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes and coordinates, from inside to outside. Within a layer everything keeps its order and its distance; subject to that each item is as near to
 * its neighbours as it gets (least squares), layer by layer to and fro. Parts that many edges meet grow, so that the edges run straight.
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>

enum { SWEEPS = 30, ROUNDS = 6, MOST_EDGES = 2 /* that meet a box as it is */ };

#define GRAVITY 0.03 /* of the middle of a group on what is in it, at first; an edge has 1 */
#define HEAD 20.0    /* of a box: its name */
#define INSIDE 12.0  /* between a box and what is in it */
#define SHELF_GAP 12.0
#define LEAST_WIDTH 40.0

/* ---- sizes of parts --------------------------------------------------------------------------------------------- */

static double line_height(double size)
{
    return size * 1.3;
}

static void size_text(const PictureNode *node, double *w, double *h)
{
    for (guint i = 0; i < node->lines->len; i++) {
        const PictureLine *line = node->lines->pdata[i];
        *w = MAX(*w, picture_text_width(line->text, line->size, line->bold));
        *h += line_height(line->size);
    }
}

double picture_tag_width(const char *text)
{
    return picture_text_width(text, PICTURE_TAG, false) + 8;
}

/* Rows of tags: their widest, and how many. */
static guint size_tags(const PictureNode *node, double *w)
{
    double row = 0;
    guint rows = node->tags->len != 0;
    for (guint i = 0; i < node->tags->len; i++) {
        double one = picture_tag_width(node->tags->pdata[i]);
        if (row != 0 && row + 4 + one > PICTURE_TAGS_WIDTH) {
            rows++;
            row = 0;
        }
        row += (row != 0 ? 4 : 0) + one;
        *w = MAX(*w, row);
    }
    return rows;
}

double picture_text_height(const PictureNode *node)
{
    double w = 0, h = 0;
    size_text(node, &w, &h);
    for (guint i = 0; i < node->children->len; i++) {
        h += ((PictureNode *)node->children->pdata[i])->h + 4;
    }
    return h + size_tags(node, &w) * PICTURE_TAG_ROW;
}

static void size_part(PictureNode *node)
{
    double w = 0, h = 0;
    bool channel = node->kind == PICTURE_CHANNEL;
    size_text(node, &w, &h);
    for (guint i = 0; i < node->children->len; i++) { /* what stands in its slots */
        PictureNode *slot = node->children->pdata[i];
        size_part(slot);
        w = MAX(w, slot->w);
        h += slot->h + 4;
    }
    h += size_tags(node, &w) * PICTURE_TAG_ROW;
    node->w = MAX(w + 2 * (channel ? 5 : PICTURE_PAD), channel ? 0 : LEAST_WIDTH);
    guint edges = MAX(node->steps[0]->len, node->steps[1]->len);
    node->h = MAX(h + (channel ? 6 : 12), 14 + (MIN(edges, MOST_EDGES) - 1.0) * PICTURE_LANE);
    node->text_h = node->h;
}

/* ---- the nearest places in an order (pool adjacent violators) --------------------------------------------------- */

typedef struct Block {
    double sum, weight;
    guint n;
} Block;

/*
 * Of @p n items that want to be at @p want and keep at least @p gap[i] between i - 1 and i: @p want becomes where they are.
 */
static void spread(double *want, const double *gap, const double *weight, guint n)
{
    g_autofree Block *blocks = g_new(Block, n);
    guint used = 0;
    double offset = 0;
    for (guint i = 0; i < n; i++) {
        offset += i != 0 ? gap[i] : 0;
        blocks[used++] = (Block){(want[i] - offset) * weight[i], weight[i], 1};
        while (used > 1 && blocks[used - 2].sum * blocks[used - 1].weight >=
                               blocks[used - 1].sum * blocks[used - 2].weight) {
            blocks[used - 2].sum += blocks[used - 1].sum;
            blocks[used - 2].weight += blocks[used - 1].weight;
            blocks[used - 2].n += blocks[used - 1].n;
            used--;
        }
    }
    offset = 0;
    for (guint b = 0, i = 0; b < used; b++) {
        for (guint k = 0; k < blocks[b].n; k++, i++) {
            offset += i != 0 ? gap[i] : 0;
            want[i] = blocks[b].sum / blocks[b].weight + offset;
        }
    }
}

/* ---- where edges meet an item ----------------------------------------------------------------------------------- */

static const PictureNode *other(const PictureStep *step, int side)
{
    return side == PICTURE_LEFT ? step->from : step->to;
}

static double other_end(const PictureStep *step, int side)
{
    return side == PICTURE_LEFT ? step->y1 : step->y2;
}

static const PictureNode *port_of(const PictureNode *group, const PictureEdge *edge)
{
    for (guint i = 0; i < group->extra->len; i++) {
        const PictureNode *port = group->extra->pdata[i];
        if (port->kind == PICTURE_PORT && port->edge == edge) {
            return port;
        }
    }
    return NULL;
}

static int by_other_end(const void *a, const void *b, void *side)
{
    const PictureStep *x = *(PictureStep *const *)a, *y = *(PictureStep *const *)b;
    int s = GPOINTER_TO_INT(side);
    const PictureNode *m = other(x, s), *n = other(y, s);
    if (m->order != n->order) {
        return m->order < n->order ? -1 : 1;
    }
    double d = other_end(x, s) - other_end(y, s);
    return d != 0 ? (d < 0 ? -1 : 1) : (x->edge->from->number < y->edge->from->number ? -1 : 1);
}

/* Edges meet a box where they come from, if it is as high as that; with room between them. */
static void attach(PictureNode *node, int side)
{
    GPtrArray *steps = node->steps[side];
    guint n = steps->len;
    double pad = MIN(8, node->h / 3), top = node->y + pad, room = node->h - 2 * pad;
    if (node->kind == PICTURE_GROUP) {
        for (guint i = 0; i < n; i++) {
            const PictureNode *port = port_of(node, ((PictureStep *)steps->pdata[i])->edge);
            *picture_end(steps->pdata[i], side) = node->y + port->y;
        }
        return;
    }
    if (n == 0) {
        return;
    }
    g_autofree double *want = g_new(double, n), *gap = g_new(double, n), *one = g_new(double, n);
    g_ptr_array_sort_with_data(steps, (GCompareDataFunc)by_other_end, GINT_TO_POINTER(side));
    double lane = n > 1 ? MIN(PICTURE_LANE, room / (n - 1)) : 0;
    if (node->kind == PICTURE_CHANNEL && n == 1 && node->h < 2 * PICTURE_GAP) { /* in its middle */
        top += room / 2;
        room = 0;
    }
    for (guint i = 0; i < n; i++) {
        want[i] = CLAMP(other_end(steps->pdata[i], side), top, top + room);
        gap[i] = lane;
        one[i] = 1;
    }
    spread(want, gap, one, n);
    double up = MAX(want[n - 1] - (top + room), 0), down = MAX(top - want[0], 0);
    for (guint i = 0; i < n; i++) {
        double y = want[i] - up + down;
        *picture_end(steps->pdata[i], side) =
            node->kind >= PICTURE_PORT
                ? node->y
                : CLAMP(y, top + i * lane, top + room - (double)(n - 1 - i) * lane);
    }
}

/* ---- heights ---------------------------------------------------------------------------------------------------- */

static double gap_between(const PictureNode *a, const PictureNode *b)
{
    bool boxes = a->kind < PICTURE_PORT && b->kind < PICTURE_PORT;
    bool lanes = a->kind >= PICTURE_PORT && b->kind >= PICTURE_PORT;
    double gap = boxes ? PICTURE_GAP : lanes ? PICTURE_LANE : PICTURE_LANE + 2;
    return a->h / 2 + gap + b->h / 2;
}

/* Many edges meet it here: it grows to be where they are. */
static bool is_tall(const PictureNode *node, int side)
{
    guint n = 0;
    for (guint i = 0; node->kind != PICTURE_GROUP && i < node->steps[side]->len; i++) {
        n += !((const PictureStep *)node->steps[side]->pdata[i])->edge->call;
    }
    return n > MOST_EDGES;
}

/* Many edges meet it at the other side: those at this one are to meet its middle. */
static bool is_grown(const PictureNode *node)
{
    return is_tall(node, PICTURE_LEFT) || is_tall(node, PICTURE_RIGHT);
}

static double first_end(const PictureNode *node, int side)
{
    return other_end(node->steps[side]->pdata[0], side);
}

static double last_end(const PictureNode *node, int side)
{
    return other_end(node->steps[side]->pdata[node->steps[side]->len - 1], side);
}

/* What counts for more: long edges, which are the longest lines; and less: what grows to where this is, of which only the middle counts. */
static double weight_of(const PictureNode *node, const PictureStep *step, int side)
{
    const PictureNode *at = other(step, side);
    bool returns = step->edge->call && step->back && node->kind != PICTURE_BEND;
    return node->kind == PICTURE_BEND && at->kind == PICTURE_BEND ? 4
           : is_tall(at, !side)                                   ? 0.002
           : returns                                              ? 0.01
                                                                  : 1;
}

/* Where the middle of @p node would have its edges straight: at @p sides, one bit each. */
static double wanted(const PictureNode *node, int sides, double centre, double gravity,
                     double *weight)
{
    double sum = gravity * centre, n = gravity, span = -1, middle = 0;
    for (int side = 0; side < 2; side++) {
        for (guint i = 0; (sides >> side & 1) != 0 && i < node->steps[side]->len; i++) {
            PictureStep *step = node->steps[side]->pdata[i];
            double w = weight_of(node, step, side);
            double own = *picture_end(step, side) - (node->y + node->h / 2);
            const PictureNode *at = other(step, side);
            bool middle_of = is_tall(at, !side) || is_grown(at);
            sum += w * (middle_of ? at->y + at->h / 2 : other_end(step, side) - own);
            n += w;
        }
        if (is_tall(node, side) && last_end(node, side) - first_end(node, side) > span) {
            span = last_end(node, side) - first_end(node, side);
            middle = (last_end(node, side) + first_end(node, side)) / 2;
        }
    }
    *weight = n;
    return span >= 0 ? middle : sum / n;
}

static void place_layer(const GPtrArray *layer, int sides, double centre, double gravity)
{
    guint n = layer->len;
    g_autofree double *want = g_new(double, n + 1), *gap = g_new(double, n + 1),
                      *weight = g_new(double, n + 1);
    for (guint i = 0; i < n; i++) {
        PictureNode *node = layer->pdata[i];
        want[i] = wanted(node, sides, centre, gravity, &weight[i]);
        gap[i] = i != 0 ? gap_between(layer->pdata[i - 1], node) : 0;
    }
    spread(want, gap, weight, n);
    for (guint i = 0; i < n; i++) {
        PictureNode *node = layer->pdata[i];
        node->y = want[i] - node->h / 2;
    }
}

static void attach_layer(const GPtrArray *layer)
{
    for (guint i = 0; i < layer->len; i++) {
        attach(layer->pdata[i], PICTURE_LEFT);
        attach(layer->pdata[i], PICTURE_RIGHT);
    }
}

static void extent(const PictureNode *group, double *top, double *bottom)
{
    *top = G_MAXDOUBLE;
    *bottom = -G_MAXDOUBLE;
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            const PictureNode *node = layer->pdata[k];
            *top = MIN(*top, node->y);
            *bottom = MAX(*bottom, node->y + node->h);
        }
    }
}

static void sweep(const PictureNode *group, int number)
{
    guint n = group->layers->len;
    double top, bottom;
    extent(group, &top, &bottom);
    for (guint i = 0; i < n; i++) {
        const GPtrArray *layer = group->layers->pdata[number % 2 == 0 ? i : n - 1 - i];
        bool last = number >= SWEEPS - 4;
        place_layer(layer,
                    last              ? 3
                    : number % 2 == 0 ? 1 << PICTURE_LEFT
                                      : 1 << PICTURE_RIGHT,
                    (top + bottom) / 2, number < SWEEPS / 2 ? GRAVITY : GRAVITY / 1000);
        attach_layer(layer);
    }
}

/* A box that many edges meet becomes as high as where they come from. */
static bool stretch(const PictureNode *group)
{
    bool any = false;
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *node = group->children->pdata[i];
        double least = node->kind == PICTURE_GROUP ? node->h : node->text_h;
        for (int side = 0; side < 2; side++) {
            if (is_tall(node, side)) {
                least = MAX(least, last_end(node, side) - first_end(node, side) + 18);
            }
        }
        if (fabs(least - node->h) > 0.5) {
            node->h = least;
            any = true;
        }
    }
    return any;
}

static void first_places(const PictureNode *group)
{
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        double y = 0;
        for (guint k = 0; k < layer->len; k++) {
            PictureNode *node = layer->pdata[k];
            y += k != 0 ? gap_between(layer->pdata[k - 1], node) : 0;
            node->y = y - node->h / 2;
        }
        attach_layer(layer);
    }
}

/* ---- pieces that nothing joins ----------------------------------------------------------------------------------- */

/* All that edges join to @p node, and itself, belongs to @p part. */
static void mark(const PictureNode *node, uint32_t part, GHashTable *of)
{
    if (g_hash_table_contains(of, node)) {
        return;
    }
    g_hash_table_insert(of, (gpointer)node, GUINT_TO_POINTER(part));
    for (int side = 0; side < 2; side++) {
        for (guint i = 0; i < node->steps[side]->len; i++) {
            mark(other(node->steps[side]->pdata[i], side), part, of);
        }
    }
}

/* How far @p part can go down (@p way 1) or up (-1) until it meets another. */
static double room_of(const PictureNode *group, GHashTable *of, gpointer part, int way)
{
    double room = G_MAXDOUBLE;
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k + 1 < layer->len; k++) {
            const PictureNode *a = layer->pdata[k], *b = layer->pdata[k + 1];
            gpointer first = g_hash_table_lookup(of, a), second = g_hash_table_lookup(of, b);
            if (first != second && (way > 0 ? first : second) == part) {
                double apart = b->y + b->h / 2 - a->y - a->h / 2;
                room = MIN(room, apart - gap_between(a, b));
            }
        }
    }
    return room;
}

static void move(const PictureNode *group, GHashTable *of, gpointer part, double dy)
{
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            PictureNode *node = layer->pdata[k];
            node->y += g_hash_table_lookup(of, node) == part ? dy : 0;
        }
    }
}

/* What no edge joins drifts apart: each piece comes as near to the others as it can, the topmost first. */
static void draw_together(const PictureNode *group)
{
    g_autoptr(GHashTable) of = g_hash_table_new(g_direct_hash, g_direct_equal);
    uint32_t parts = 0;
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            if (!g_hash_table_contains(of, layer->pdata[k])) {
                mark(layer->pdata[k], ++parts, of);
            }
        }
    }
    for (uint32_t round = 0; parts > 1 && round < 2 * parts; round++) {
        gpointer part = GUINT_TO_POINTER(round % parts + 1);
        double down = room_of(group, of, part, 1), up = room_of(group, of, part, -1);
        if (down != G_MAXDOUBLE && up == G_MAXDOUBLE) {
            move(group, of, part, down);
        } else if (up != G_MAXDOUBLE && down == G_MAXDOUBLE) {
            move(group, of, part, -up);
        }
    }
}

/* Everything down by @p dy, so that the topmost is at the top. */
static void shift(const PictureNode *group, double dy)
{
    for (guint i = 0; i < group->layers->len; i++) {
        const GPtrArray *layer = group->layers->pdata[i];
        for (guint k = 0; k < layer->len; k++) {
            ((PictureNode *)layer->pdata[k])->y += dy;
        }
    }
    for (guint i = 0; i < group->inner->len; i++) {
        PictureStep *step = group->inner->pdata[i];
        step->y1 += dy;
        step->y2 += dy;
    }
}

/* ---- what stands below the flow --------------------------------------------------------------------------------- */

/* In rows, as wide as the flow (or a page's width); returns where the last one ends. */
static double place_shelf(PictureNode *group, double y, double *width)
{
    double x = INSIDE, row = 0, most = MAX(*width - INSIDE, 420);
    bool any = false;
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *node = group->children->pdata[i];
        if (node->flow) {
            continue;
        }
        if (any && x + node->w > most) {
            x = INSIDE;
            y += row + SHELF_GAP;
            row = 0;
        }
        node->x = x;
        node->y = y;
        x += node->w + SHELF_GAP;
        row = MAX(row, node->h);
        *width = MAX(*width, node->x + node->w + INSIDE);
        any = true;
    }
    return any ? y + row : y;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

void picture_place(Picture *picture, PictureNode *group)
{
    bool outermost = group->parent == NULL;
    double head = outermost ? 0 : HEAD, width = 0, top, bottom;
    for (guint i = 0; i < group->children->len; i++) {
        PictureNode *child = group->children->pdata[i];
        if (child->kind == PICTURE_GROUP) {
            picture_place(picture, child);
        } else {
            size_part(child);
        }
    }
    picture_order(group);
    first_places(group);
    for (int round = 0; round == 0 || (round < ROUNDS && stretch(group)); round++) {
        for (int i = 0; i < SWEEPS; i++) {
            sweep(group, i);
        }
    }
    draw_together(group);
    for (int i = 0; i < 2; i++) {
        for (guint k = 0; k < group->layers->len; k++) {
            attach_layer(group->layers->pdata[k]);
        }
    }
    picture_straighten(group);
    extent(group, &top, &bottom);
    double y = head + INSIDE;
    if (group->layers->len != 0) {
        shift(group, y - top);
        y += bottom - top;
        picture_route(group, outermost ? 0 : INSIDE, outermost ? 0 : INSIDE);
        width = group->w;
        y += SHELF_GAP * 1.5;
    }
    double before = y;
    y = place_shelf(group, y, &width);
    y = y > before ? y + INSIDE : before - (group->layers->len != 0 ? SHELF_GAP * 1.5 - INSIDE : 0);
    double named = picture_text_width(group->name, PICTURE_NAME, true) + 60;
    double wide = MAX(width, named);
    for (guint i = 0; i < group->inner->len; i++) { /* ends at the right side go on to it */
        PictureStep *step = group->inner->pdata[i];
        step->x2 =
            step->to->kind == PICTURE_PORT && step->to->side == PICTURE_RIGHT ? wide : step->x2;
    }
    group->w = wide;
    group->h = y;
}
