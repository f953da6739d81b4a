/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Blocks: the order of a phase as the loop walks it, see blocks.c and sched.c. Private to kernel/src.
 */
#pragma once

#include <warpwright/machine.h>

typedef struct Block Block;

/**
 * A member of a block: an entry point or a block. Holds all that the walk needs, in half a cache line: a sparse tick is bound by cache
 * misses, not by instructions.
 */
typedef struct Member {
    WwTickFn tick;  /**< NULL: `part` is a Block. */
    void *part;     /**< The component, or the Block. */
    uint64_t turns; /**< Turns accounted for: run or settled. */
    WwEntry *entry;
} Member;

/**
 * Members of a block that repeat, or that take turns in going first: a group of entry points that needs no block of its own, because all of the
 * block is one word.
 */
typedef struct Round {
    const WwGroup *group;
    uint64_t mask;  /**< Their bits, which stand side by side. */
    uint64_t from;  /**< Turn from which on they rotate; WW_NEVER: none. */
    uint32_t times; /**< Rounds in a turn. */
    uint32_t n;
    bool rotates;
    bool wraps; /**< `n` is a power of two. */
} Round;

/**
 * A member of a block in which partitions meet. Which of its members are due, a partition keeps in words of its own; outside of windows the
 * block's bits say the same. A plain block of entry points lies open in the word (`inner`); any other member is one bit.
 */
typedef struct Share {
    WwBlock
        block; /**< Its bits are those of `word`; its parent the block, while no window is open. */
    WwEntry *entry; /**< NULL: the member is a block. */
    Block *inner;   /**< The member is a block, and its members' bits are in the word. */
    uint64_t *word, mask;
    uint64_t *live; /**< Beside the word: bits that are not behind a closed gate. */
    uint32_t member;
    uint32_t number; /**< Among its partition's turns. */
    Block *of;
} Share;

/** What a partition knows of 64 turns. */
typedef struct Word {
    uint64_t due, live;
    Member *member; /**< [64] Of blocks that lie open. */
} Word;

/**
 * The entry points of one group in one phase. Walked when its parent's bit says so; a gated block keeps its own count of clocked
 * edges: edge number of the domain minus `skipped`.
 */
struct Block {
    WwBlock pub;
    uint32_t n;
    uint32_t at; /**< Member being run (order of the walk). */
    Member *member;
    uint64_t *settles; /**< A bit per member: its type has settle(). */
    /* of plain blocks */
    Member *first;     /**< That of bit 0, if there is one: `member` less `shift`. */
    uint64_t mask;     /**< Bits of its members, also of other blocks of up to 64. */
    uint64_t in_round; /**< Those that belong to a Round. */
    Round *round;
    uint8_t *round_of; /**< By bit. */
    uint32_t n_rounds;
    uint32_t shift; /**< Bit of the first member. */
    Share *open;    /**< Its members' bits are in a word of their partition's. */
    Block *
        next; /**< Of the same group, whose members are more than a word: what comes behind it; NULL: nothing. */
    /* structure */
    bool *tied;     /**< Only declaration order puts the member after the one before. */
    WwGroup **home; /**< Innermost group around the member (a block's: its own). */
    Share **share;  /**< Of blocks in which partitions meet; NULL: the member is such a block. */
    uint32_t *
        place; /**< Of blocks in which partitions meet: the members' places in the order of the phase. */
    WwGroup *group;
    Block *clock; /**< The gated block (or root) whose edges it counts; may be itself. */
    WwDomain *domain;
    uint32_t phase;
    uint32_t
        factor; /**< Turns of a member per clocked edge: product of the repeats above and here. */
    uint32_t repeat;
    uint32_t
        round_size; /**< Turns until the same member goes first again; 0: it does not rotate. */
    bool wraps;     /**< `round_size` is a power of two. */
    bool
        plain; /**< One word of members, of one partition, once a turn, always in the same order. */
    bool leaf; /**< All members are entry points. */
    bool walking, closing, has_gate;
    bool closed;       /**< Its gate is, or one around it. */
    bool shut;         /**< Of the first block of a gated group: what its own gate was told last. */
    WwCycle skipped;   /**< Edges during which it was closed, up to the last opening. */
    WwCycle closed_at; /**< First edge at which it is closed. */
    uint64_t from;     /**< Turn from which on a rotating block moves on; WW_NEVER: none. */
    uint64_t ran;      /**< Turns that members ran. */
};
