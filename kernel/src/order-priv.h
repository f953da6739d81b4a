/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What deriving the order (order.c) and building the blocks (blocks.c) share. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"

/* Of two entry points, by their numbers. */
typedef struct Edge {
    uint32_t before;
    uint32_t after : 30;
    /* By something that is bound elsewhere than inside of the model or copy in which they meet. */
    uint32_t outer : 1;
    /* By the ranks of an interface, which do not count between members of a sequence. */
    uint32_t ranked : 1;
} Edge;

/* Of a component, when edges are collected. */
typedef enum Where {
    OUTSIDE,
    IN_MODEL,
    IN_COPY,
    AS_MODEL /* in a copy, and nothing outside is bound to it: what it orders is the model's */
} Where;

/* A child of a group in one phase: an entry point or a group. */
typedef struct Child {
    WwEntry *entry;
    WwGroup *group;
    bool tied; /* sorted: without a direct constraint to the one before */
    uint32_t
        size; /* blocks.c: members that it brings into its parent's block; 0: a block of its own */
    bool round; /* the same: as a round */
} Child;

/* One constraint between two children of a group, by their places in declaration order. */
typedef struct Local {
    uint32_t group, before, after;
} Local;

/* What a group is in the phase in hand: its children and constraints are stretches of Order's arrays. */
typedef struct Family {
    WwGroup *parent; /* block group above */
    uint32_t child, n_children, local, n_locals;
    uint32_t place;     /* among its parent's children, in declaration order */
    uint32_t n_members; /* of its blocks; 0: not counted yet */
    uint32_t n_blocks;  /* blocks.c: more than one if its members are spread over several */
    uint32_t n_rounds;  /* among its members */
    uint32_t n_outer;   /* of its constraints: those of an outer edge */
    bool present;
    bool nests; /* blocks.c: it has members that are blocks */
} Family;

#define ORDER_ALIKE 64u

/*
 * All arrays are sized once for the whole machine: deriving the order is a good part of the time between the start of a program and
 * its first tick.
 */
typedef struct Order {
    WwMachine *m;
    uint32_t phase;
    WW_VEC(Edge) edges[WW_MAX_PHASES];
    uint64_t n_pairs;  /* ends that stand in an order, before those of other phases are left out */
    uint64_t n_redone; /* children sorted again because a group was dissolved */
    bool whole;        /* copies are sorted as if they were none */
    uint8_t *where;    /* by component: Where */
    bool *away;        /* by component of a model or copy: its turns stand outside of it */
    /* of the peer in hand: */
    bool in_copy;
    uint32_t own_from, own_to; /* bindings of the model or copy that it is in */
    WwEntry **entry;           /* by phase, then declaration */
    uint32_t first[WW_MAX_PHASES + 1];
    WwGroup **home;  /* by number of the entry point */
    uint32_t *place; /* the same: among the children of its home, in declaration order */
    Family *family;  /* by number of the group */
    uint32_t *present, n_present;           /* numbers of those that are present */
    Child *child, *unsorted;                /* the second of one sort */
    WW_VEC(Local) locals;                   /* as found */
    WW_VEC(Local) sorted_locals;            /* by group */
    uint32_t *order;                        /* of the phase, by child: which was where */
    uint32_t *waits, *start, *fill;         /* of one sort; by child */
    const Family *sorted_like[ORDER_ALIKE]; /* of the phase, by shape: sorted last */
    bool *sorted;
    uint64_t *ready;
    WW_VEC(uint32_t) out; /* and a channel's readers, before */
} Order;

/** Fills Order.edges, which are empty. */
bool ww_collect_edges(Order *o, GError **error);
/** The blocks of the phase in hand, whose groups are sorted; returns the root's. */
Block *ww_build_blocks(Order *o);
