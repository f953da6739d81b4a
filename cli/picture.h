/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `warpwright inspect --svg`: a machine as people draw it. Tokens flow from left to right in layers; groups are boxes with pictures of their own
 * inside, which edges enter through the sides; what is only called stands below the flow, and whoever calls it carries its name on a tag.
 *
 *     picture_graph.c   parts and wires -> a tree of nodes with edges; who is in the flow
 *     picture_layers.c  which side and layer; edges that lead back
 *     picture_order.c   long edges in steps; who stands above whom
 *     picture_place.c   sizes and coordinates
 *     picture_straight.c ends of edges, a little to and fro
 *     picture_route.c   edges between layers, at right angles
 *     picture_svg.c     the text of the picture
 *     picture_with.c    figures of a run
 *     picture_same.c    whether they are those of the machine that is drawn
 *     picture_text.c    how wide text is
 *
 * Everything is in the order of the platform's text, and no time or address has a part in it: the same machine is the same bytes.
 */
#pragma once

#include "inspect.h"

typedef struct PictureNode PictureNode;
typedef struct PictureEdge PictureEdge;

typedef enum PictureKind {
    PICTURE_GROUP,   /**< A box around others. */
    PICTURE_PART,    /**< Clocked, or in the way of tokens. */
    PICTURE_CALLED,  /**< Offers functions. */
    PICTURE_CHANNEL, /**< A queue, a row of registers. */
    PICTURE_CLOSED,  /**< A group that is not looked into. */
    PICTURE_PORT,    /**< Where an edge enters the group; has no size. */
    PICTURE_BEND,    /**< Where a long edge crosses a layer; has no size. */
} PictureKind;

enum { PICTURE_LEFT = 0, PICTURE_RIGHT = 1 };

/** A line of text in a node. */
typedef struct PictureLine {
    char *text;
    double size;
    bool bold, figure;
} PictureLine;

/** One step of an edge, from a layer to the next: always from left to right, whatever way its tokens go. */
typedef struct PictureStep {
    PictureEdge *edge;
    PictureNode *from, *to; /**< Items of one group; @p from in the lower layer. */
    double y1, y2;          /**< Where it ends, in the group. */
    double x1, x2, track;   /**< And where it turns. */
    bool back;              /**< Tokens go from @p to to @p from. */
} PictureStep;

struct PictureNode {
    PictureKind kind;
    char *name, *pattern;
    const InspectPart *part; /**< NULL for boxes. */
    PictureNode *parent;
    GPtrArray *children;  /**< PictureNode, in the order of the platform; owned. */
    GPtrArray *lines;     /**< PictureLine: what is written in it. */
    GPtrArray *tags;      /**< char *: whom it calls. */
    GString *title;       /**< What a browser shows when one points at it. */
    double n;             /**< Elements of the array, in one of what it is in: the mean, */
    InspectSpread spread; /**< and the least and the most. */
    uint32_t number;      /**< Order of creation. */
    bool flow;            /**< Has a place in a layer; else it stands below. */
    bool outside;
    /* figures of a run */
    double share;    /**< How busy it is, 0 to 1, or less than 0: not known. */
    double tokens;   /**< Through a channel; less than 0: not known. */
    json_t *figures; /**< Sums of its instances' statistics, or NULL. */
    /* within the parent */
    int layer;
    uint32_t order;
    double weight; /* of its neighbours, while ordering */
    double x, y, w, h;
    double text_h;       /* what its text needs of h */
    GPtrArray *steps[2]; /**< Of the parent, that end at this side; by y. */
    /* of a group's inside */
    GPtrArray *layers; /**< GPtrArray of PictureNode. */
    GPtrArray *inner;  /**< PictureStep. */
    GPtrArray *extra;  /**< Ports and bends; owned. */
    /* of a port */
    PictureEdge *edge;
    int side;
};

/** The height at which a step meets the item that has it at @p side. */
static inline double *picture_end(PictureStep *step, int side)
{
    return side == PICTURE_LEFT ? &step->y2 : &step->y1;
}

struct PictureEdge {
    PictureNode *from, *to; /**< Leaves. */
    const InspectWire *wire;
    bool call;     /**< Not tokens, but calls: dashed. */
    double tokens; /**< Less than 0: not known. */
    uint32_t n;
};

typedef struct Picture {
    PictureNode *root;
    GPtrArray *leaves;   /**< PictureNode, by number; borrowed. */
    GPtrArray *edges;    /**< PictureEdge; owned. */
    GHashTable *node_of; /**< Pattern -> leaf. */
    const InspectMachine *view;
    GHashTable *patterns_of; /**< WwType -> how many patterns of the whole machine have it. */
    bool with;               /**< Has figures. */
    uint32_t n_nodes;
    double most; /**< Tokens of the busiest edge. */
} Picture;

double picture_text_width(const char *text, double size, bool bold);
double picture_tag_width(const char *text);
/** Of all that is written in a part. */
double picture_text_height(const PictureNode *node);

Picture *picture_new(const InspectMachine *view);
void picture_free(Picture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Picture, picture_free)
/** The child of @p group that is @p node or holds it; NULL if none does. */
PictureNode *picture_child_of(const PictureNode *group, PictureNode *node);
PictureNode *picture_node_new(Picture *picture, PictureKind kind, PictureNode *parent,
                              const char *name);

/** For Picture.patterns_of: of a view that is not narrowed yet. */
GHashTable *picture_patterns(const InspectMachine *view);
/** Puts the figures of a run, results of `run -o FILE.json`, on parts and edges. @p setup: of the machine of the picture, which must be the run's. */
bool picture_with(Picture *picture, const CliSetup *setup, const char *file, GError **error);
/** Is @p run, read from @p file, of the machine of the picture? A note on stderr where only values of parts differ. */
bool picture_same(const Picture *picture, const CliSetup *setup, const json_t *run,
                  const char *file, GError **error);
/** "sm[3].pool" as "sm[*].pool"; newly allocated. */
char *picture_pattern(const char *path);

/* ---- layout: from outside to inside, then sizes from inside to outside ------------------------------------------ */

/** Layers of @p group and all groups in it; makes the steps. */
void picture_layers(Picture *picture, PictureNode *group);
/** Orders the layers of one group, its groups being done. */
void picture_order(PictureNode *group);
/** Sizes and coordinates of a group and all in it, from inside to outside. */
void picture_place(Picture *picture, PictureNode *group);
/** Of a group of which everything has its place: moves ends of edges a little. */
void picture_straighten(PictureNode *group);
/** Where the edges of a group turn; sets x of its layers and its width. */
void picture_route(PictureNode *group, double left, double right);

/** Lays it out and writes it. */
void picture_write(Picture *picture, const char *title, const char *subtitle, FILE *out);

#define PICTURE_MOST 1200u /* kinds of parts in a picture */

/* ---- measures --------------------------------------------------------------------------------------------------- */

#define PICTURE_NAME 12.0 /* size of text */
#define PICTURE_TYPE 9.5
#define PICTURE_TAG 8.5
#define PICTURE_TAG_ROW 15.0
#define PICTURE_TAGS_WIDTH 108.0 /* of a row of tags */
#define PICTURE_PAD 8.0          /* around text */
#define PICTURE_GAP 16.0         /* between boxes of a layer */
#define PICTURE_LANE 9.0         /* between edges */
#define PICTURE_EDGE 14.0        /* between a box and where edges turn */
