/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the kernel remembers of components, their types and what is bound to what. Private to kernel/src.
 */
#pragma once

#include <warpwright/machine.h>

typedef struct TypeInfo TypeInfo;

/** What the kernel remembers of a component besides its state. */
typedef struct Info {
    WwComponent *component;
    TypeInfo *type;
    WwLocation where;
    const char *phase; /**< In which its entry points run; NULL: those of the type. */
    uint32_t sequence;
    uint32_t bound; /**< Where its ports' counts begin in the machine's. */
} Info;

/**
 * A copy of a group that is in no other copy: groups, components and bindings from a number on. The bindings lead to nothing outside; what is bound
 * to it later is behind all of them.
 */
typedef struct Copied {
    WwExtent from, to;
    WwExtent behind; /**< What the model's numbers are less. */
} Copied;

/** What is bound to a port from outside of the machine. */
typedef struct External {
    const void *table;
    void *self;
    WwStep *step; /**< Its owned step, or NULL. */
} External;

/** A cache line: sealing goes through all of them some ten times. */
typedef struct Binding {
    WwComponent *component;
    WwComponent *peer;     /**< NULL: external. */
    const WwPortRow *port; /**< Of the component. */
    WwEntry *turn; /**< In whose turn the component uses it, or NULL; after ww_own_steps(). */
    WwLocation where;
    uint32_t to;           /**< The peer's id; external: ww_external(). */
    uint16_t nth;          /**< Index in the port array. */
    int16_t row, peer_row; /**< peer_row -1: a channel. */
    int16_t rank;          /**< PortInfo.rank of the component's row. */
    /* what the passes over all bindings look for: most have none of it */
    bool crosses;   /**< Component and peer are of two partitions. */
    bool elsewhere; /**< PortInfo.elsewhere of the component's row. */
    bool to_steps;  /**< The peer, or what is outside, may have an owned step there. */
    bool away;      /**< The turn is not of the peer's partition; after ww_own_steps(). */
} Binding;

G_STATIC_ASSERT(sizeof(Binding) <= 64);

/** What the names of a port row mean. */
typedef struct PortInfo {
    int16_t rank; /**< Index in the contract's ranks, or -1. */
    bool
        elsewhere; /**< That has its turns in another partition, perhaps: an owned step does, or one that names its partition. */
    uint32_t entry; /**< The entry point that it speaks for (if its type has any). */
    int32_t step;   /**< PROVIDES: the entry point that its owner runs, or -1. */
} PortInfo;

/** Among whose callers an entry point acts. */
typedef struct ActsInfo {
    const WwContract *contract; /**< NULL: nobody's. */
    int32_t rank;
} ActsInfo;

/** Bytes of a component's state. */
typedef struct Stretch {
    uint32_t offset, size;
} Stretch;

/** Cached per type: what its rows mean, so that a component costs no look-up. */
struct TypeInfo {
    const WwType *type;
    uint32_t number; /**< Among the machine's types. */
    uint32_t n_params, n_ports, n_entries;
    uint32_t n;      /**< Components so far. */
    uint32_t state;  /**< Bytes of a component's state, whole cache lines; behind it, */
    uint32_t memory; /**< with both in so many bytes, are its entry points. */
    void *
        defaults; /**< A component's state, up to the last parameter, in which only these are set. */
    Stretch *param; /**< Where in it they are: neighbours together. */
    uint32_t n_stretches;
    PortInfo *port;
    uint32_t *phase; /**< Per entry point; after ww_place_entries(). */
    ActsInfo *acts;  /**< Per entry point. */
    int *provides;   /**< Rows of its interfaces. */
    uint32_t n_provides;
    bool placed;
    bool own_turns; /**< All entry points have turns of their own, in the component's partition. */
};

/** A channel that ww_join() made: those of an array differ in nothing but the group. */
typedef struct Joined {
    const WwType *out;
    const char *out_name; /**< Interned. */
    int32_t out_index, row;
    const WwType *type;
    const char *name;
} Joined;
