/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the files of the kernel share about a machine: groups, entry points, blocks, bindings. Private to kernel/src.
 */
#pragma once

#include "clock-priv.h"
#include "wheel-priv.h"
#include <warpwright/machine.h>

#define WW_MAX_DOMAINS 8u
#define WW_MAX_PHASES 32u

/** One entry point of one component: what is not needed at every turn (see Member). */
struct WwEntry {
    WwWake wake;
    WwTickFn tick;
    void *self;
    void (*settle)(void *self, uint32_t entry, uint64_t n);
    uint32_t row;        /**< Index in the type's entries. */
    uint32_t phase;
    WwDomain *domain;
    WwEvent timer;
};

typedef struct Block Block;

/**
 * A member of a block: an entry point or a block. Holds all that the walk needs, in half a cache line: a sparse tick is bound by cache
 * misses, not by instructions.
 */
typedef struct Member {
    WwTickFn tick;       /**< NULL: `part` is a Block. */
    void *part;          /**< The component, or the Block. */
    uint64_t turns;      /**< Turns accounted for: run or settled. */
    WwEntry *entry;
} Member;

/**
 * The entry points of one group in one phase. Walked when its parent's bit says so; a gated block keeps its own count of clocked
 * edges: edge number of the domain minus `skipped`.
 */
struct Block {
    WwBlock pub;
    uint32_t n;
    uint32_t at;         /**< Member being run (order of the walk). */
    Member *member;
    bool *tied;          /**< Only declaration order puts the member after the one before. */
    bool *settles;       /**< The member's type has settle(). */
    WwGroup *group;
    Block *clock;        /**< The gated block (or root) whose edges it counts; may be itself. */
    WwDomain *domain;
    uint32_t phase;
    uint32_t factor;     /**< Turns of a member per clocked edge: product of the repeats above and here. */
    uint32_t repeat;
    bool rotate, walking, closed, closing, has_gate;
    WwCycle skipped;     /**< Edges during which it was closed, up to the last opening. */
    WwCycle closed_at;   /**< First edge at which it is closed. */
};

struct WwGroup {
    WwMachine *machine;
    WwGroup *parent;
    WwGroupSpec spec;
    const char *name;
    uint32_t sequence;   /**< Declaration order among groups and components. */
    uint32_t depth;
    uint32_t partition;
    WwGroup *gate;       /**< Innermost gated group, itself included, or NULL. */
    Block *block[WW_MAX_PHASES]; /**< NULL where it has no entry points (or is dissolved). */
    GPtrArray *blocks;   /**< Gated groups: their blocks. */
    uint32_t dissolved;  /**< Bit p: not a block of its own in phase p. */
};

/** What the kernel remembers of a component besides its state. */
typedef struct Info {
    WwComponent *component;
    WwLocation where;
    uint32_t sequence;
    uint16_t *bound;     /**< Peers bound so far, per port row. */
    uint32_t first_client; /**< Scratch of seal. */
} Info;

typedef struct Binding {
    WwComponent *component;
    WwComponent *peer;   /**< NULL: external. */
    const void *table;   /**< External: functions and self. */
    void *self;
    WwLocation where;
    int16_t row, peer_row; /**< peer_row -1: a channel. */
    uint32_t nth;        /**< Index in the port array. */
    uint32_t ordinal;
} Binding;

typedef struct Phase {
    const char *name;
    WwDomain *domain;
    Block *root;
} Phase;

/** Cached per type: parsed defaults. */
typedef struct TypeInfo {
    const WwType *type;
    uint32_t n_params, n_ports, n_entries;
    WwValue *value;
} TypeInfo;

/** A piece of mapped memory. */
typedef struct Chunk {
    void *at;
    size_t size;
} Chunk;

enum { STOP_PAUSE = 1, STOP_FAIL = 2, STOP_DONE = 4 };

struct WwMachine {
    /* hot */
    WwDomain *domain[WW_MAX_DOMAINS];
    WwWheel wheel[WW_MAX_DOMAINS];
    WwClock clock;
    Phase phase[WW_MAX_PHASES];
    uint32_t n_domains, n_phases;
    uint32_t fired;      /**< Domains of the tick in progress. */
    int32_t now_phase;   /**< -1: between ticks or in timed events; see in_tick. */
    bool in_tick;
    bool no_sleep;
    uint32_t stop;
    WwTick tick;
    uint64_t activations;
    uint64_t sequence;   /**< Of timed events. */
    uint64_t progress;
    WwCycle progress_at; /**< Cycle of domain 0 at the last progress. */
    uint64_t progress_seen;
    WwCycle max_cycles, hang_limit;
    GError *error;
    /* structure */
    const WwRegistry *registry;
    WwClockKind clock_kind;
    WwGroup *root;
    GPtrArray *groups;
    GArray *info;        /**< Info */
    GArray *bindings;    /**< Binding */
    GHashTable *types;   /**< WwType* -> TypeInfo* */
    GHashTable *paths;   /**< Lazily: path -> component */
    GStringChunk *text;
    GArray *chunks;      /**< Chunk: memory of components. */
    char *chunk;
    size_t chunk_left;
    uint32_t sequence_of_parts, n_partitions;
    bool sealed;
    /* fingerprint and event log */
    bool fingerprint;
    uint64_t *print;     /**< One per partition. */
    FILE *events;
    WwEventFilter filter;
    char **kinds;
};

/** Zeroed memory that lives as long as the machine. */
void *ww_machine_alloc(WwMachine *m, size_t size);
static inline Info *ww_info(const WwMachine *m, uint32_t i)
{
    return &g_array_index(m->info, Info, i);
}
/** The entry point that port row @p row of @p c speaks for, or NULL. */
WwEntry *ww_row_entry(const WwComponent *c, const WwPortRow *row);
/** Derives the order of every phase and builds the blocks. */
bool ww_order(WwMachine *m, GError **error);
/** Fills every WwPort, WwProvided and channel end from the bindings. */
void ww_connect(WwMachine *m);
/** Checks that every required port is bound and that partitions do not meet inside a phase. */
bool ww_check_bindings(WwMachine *m, GError **error);
/** Installs or removes taps and log flags after a change of fingerprint or events. */
void ww_machine_retap(WwMachine *m);
/** Runs every explain: does anybody wait? */
bool ww_machine_anyone_waits(WwMachine *m);
/** Accounts for the slept turns of everything in @p block. */
void ww_block_settle(WwMachine *m, Block *block);
/** "FILE:LINE:COL: " or "" as a prefix of errors; newly allocated. */
char *ww_location_text(WwLocation where);
/** "path (type)" for errors; newly allocated. */
char *ww_component_text(const WwComponent *c);
