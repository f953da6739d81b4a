/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Channel `register_set`: a fixed row of pipeline registers between two stages (ID_OC_SP, OC_EX_MEM, EX_WB, ...).
 *
 * Writers and readers bind the whole set. Readers run before writers in a phase, so a register freed in this cycle can be
 * refilled in this cycle and what was put is seen in the next. With `private` (the sub-core model) each scheduler owns the register
 * of its number. A handful of instructions an operation.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>

#define WW_REGISTER_SET_MAX 64u
#define WW_REGISTER_SET_FEW 4u /**< Registers inside the set itself; more are allocated. */

typedef struct WwRegisterSet {
    WwChannel ch;
    /* parameters */
    uint32_t width; /**< Registers, 1..64. */
    bool private;   /**< Register i belongs to scheduler i. */
    /* state */
    uint64_t full; /**< Occupied registers. */
    uint64_t *
        refused; /**< Writers to wake when a register is freed, by ww_writer_bit(): [register] with `private`, else [0]. */
    WwInst **reg; /**< [width] */
    uint32_t *put_mark,
        *take_mark; /**< Words of the reader and the writer: see ww_regs_mark_puts(). */
    uint32_t put_bit, take_bit;
    WwInst *few[WW_REGISTER_SET_FEW];
    uint64_t few_refused[WW_REGISTER_SET_FEW];
    uint32_t nobody; /**< Where marks go that nobody asked for. */
} WwRegisterSet;

WW_API extern const WwPayload ww_payload_inst;
/**
 * Port contract: instructions through a register_set. What is known of them (ww_carried()): a bit per WwOp, and from bit
 * WW_CARRIES_SCHEDULERS on one per scheduler that issues them.
 */
WW_API extern const WwContract ww_contract_inst;
#define WW_CARRIES_SCHEDULERS 32u
#define WW_MAX_SCHEDULERS 32u /**< Of an SM. */
G_STATIC_ASSERT((int)WW_N_OPS <= (int)WW_CARRIES_SCHEDULERS);

/** For carries() of an OUT port: instructions of scheduler @p number. */
static inline uint64_t ww_carries_scheduler(uint32_t number)
{
    return 1ull << (WW_CARRIES_SCHEDULERS + number % WW_MAX_SCHEDULERS);
}

/**
 * How many schedulers there are as far as IN port @p in knows, for start(): one more than the greatest number whose instructions
 * come in; 0: nothing is known.
 */
static inline uint32_t ww_carried_schedulers(const WwPort *in)
{
    uint64_t known = ww_carried(in) >> WW_CARRIES_SCHEDULERS;
    return known != 0 ? 64u - (uint32_t)__builtin_clzll(known) : 0;
}

WW_API extern const WwType ww_register_set_type;

/**
 * For the start() of a reader of many sets: from now on each put sets the bits @p bit of @p word, which the reader clears. False, and
 * nothing, when it is not the only one.
 */
WW_API bool ww_regs_mark_puts(const WwPort *in, uint32_t *word, uint32_t bit);
/** The same for a writer, of each take: when it is the only one, a set that was full is full until it is marked. */
WW_API bool ww_regs_mark_takes(const WwPort *out, uint32_t *word, uint32_t bit);

/** Is there none that ww_regs_free() would give? For explanations: it wakes nobody later. */
static inline bool ww_regs_none_free(const WwPort *out, uint32_t sched)
{
    const WwRegisterSet *s = out->peer;
    uint64_t mine = s->private ? 1ull << sched : UINT64_MAX >> (64u - s->width);
    return (mine & ~s->full) == 0;
}

/**
 * The register that a writer on behalf of scheduler @p sched may fill: its own (private) or the lowest empty one; -1 if none.
 * A refusal is remembered: the writer's entry point is woken when a register is freed that would do.
 */
static inline int ww_regs_free(const WwPort *out, uint32_t sched)
{
    WwRegisterSet *s = out->peer;
    uint32_t at = 0;
    if (s->private) {
        at = MIN(sched, s->width - 1);
        if (at == sched && !(s->full >> sched & 1u)) {
            return (int)sched;
        }
    } else {
        uint64_t empty = ~s->full & (UINT64_MAX >> (64u - s->width));
        if (empty != 0) {
            return __builtin_ctzll(empty);
        }
    }
    s->refused[at] |= ww_writer_bit(out);
    return -1;
}

/** Moves @p inst into empty register @p slot and wakes its reader (with several readers and `private`: reader @p slot). */
static inline void ww_regs_put(const WwPort *out, int slot, WwInst *inst)
{
    WwRegisterSet *s = out->peer;
    WW_TAP(&s->ch, "put", (uint32_t)slot, inst);
    s->full |= 1ull << slot;
    s->reg[slot] = inst;
    *s->put_mark |= s->put_bit;
    if (s->ch.n_readers == 1) {
        ww_wake(&s->ch.reader[0].wake);
    } else if (s->private && (uint32_t)slot < s->ch.n_readers) {
        ww_wake(&s->ch.reader[slot].wake);
    } else {
        for (uint32_t i = 0; i < s->ch.n_readers; i++) {
            ww_wake(&s->ch.reader[i].wake);
        }
    }
}

/** Occupied registers as a mask. */
static inline uint64_t ww_regs_full(const WwPort *port)
{
    return ((const WwRegisterSet *)port->peer)->full;
}

/** What register @p slot holds; it must be occupied. */
static inline const WwInst *ww_regs_at(const WwPort *port, int slot)
{
    return ((const WwRegisterSet *)port->peer)->reg[slot];
}

/** The register that holds the oldest instruction (smallest uid), or -1 when the set is empty. */
static inline int ww_regs_oldest(const WwPort *in)
{
    const WwRegisterSet *s = in->peer;
    int best = -1;
    for (uint64_t m = s->full; m != 0; m &= m - 1) {
        int i = __builtin_ctzll(m);
        if (best < 0 || s->reg[i]->uid < s->reg[best]->uid) {
            best = i;
        }
    }
    return best;
}

/** Things to wait for in explanations: a pending write of a warp (register number + 1), the end of any of its instructions. */
static inline uint64_t ww_thing_write(uint32_t warp, uint32_t reg)
{
    return 1ull << 32 | (uint64_t)warp << 16 | reg;
}
static inline uint64_t ww_thing_flight(uint32_t warp)
{
    return 2ull << 32 | warp;
}
/** Says that the component holds @p inst: its pending write, and the end of it. */
WW_API void ww_explain_holds_inst(WwExplain *explain, const WwInst *inst);

/** Moves the instruction out of register @p slot and wakes the writers that were refused. */
static inline WwInst *ww_regs_take(const WwPort *in, int slot)
{
    WwRegisterSet *s = in->peer;
    WwInst *inst = s->reg[slot];
    WW_TAP(&s->ch, "take", (uint32_t)slot, inst);
    s->full &= ~(1ull << slot);
    *s->take_mark |= s->take_bit;
    uint64_t *refused = &s->refused[s->private ? slot : 0];
    if (*refused != 0) {
        ww_wake_writers(&s->ch, *refused);
        *refused = 0;
    }
    return inst;
}
