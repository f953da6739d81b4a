/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Channel `register_set`: a fixed row of pipeline registers between two stages (ID_OC_SP, OC_EX_MEM, EX_WB, ...).
 *
 * Writers and readers bind the whole set. Readers run before writers in a phase, so a register freed in this cycle can be
 * refilled in this cycle and what was put is seen in the next. With `same` the writer runs first: what was put is seen in this cycle, and
 * a register freed in it is refilled in the next. With `private` (the sub-core model) each scheduler owns the register of its number. A
 * handful of instructions an operation.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>
#include <warpwright/ring.h>

/** Registers of a set at most: masks of them are uint64_t. */
#define WW_REGISTER_SET_MAX 64u
#define WW_REGISTER_SET_FEW 4u /**< Registers inside the set itself; more are allocated. */

/** An instruction on its way into a register. */
typedef struct WwRegsSent {
    WwInst *inst;
    WwCycle due;     /**< Edge at which it is put. */
    uint32_t writer; /**< Whose it is. */
} WwRegsSent;

/**
 * Instructions of which the writers have said in advance when they put them (ww_regs_send()). It is as if they were put then, but no writer
 * needs a turn for it. That takes writers all of which send what they put, in turns of one order, and a reader that leaves nothing in
 * the set; with fewer registers than sometimes come at an edge, or when each token is to be seen (WwChannelOps.tapped), writers put what is due themselves.
 */
typedef struct WwRegsAhead {
    WwCycle until;    /**< What is due at this edge, or later, its writer puts itself. */
    WwRing ring;      /**< What is on its way, */
    WwRegsSent *sent; /**< by edge. */
    uint32_t senders; /**< Writers that send. */
    bool drained;     /**< The reader leaves nothing. */
} WwRegsAhead;

/** What an operation touches lies in two cache lines. */
typedef struct WwRegisterSet {
    WwChannel ch;
    /* first line */
    _Alignas(64) uint64_t full; /**< Occupied registers. */
    uint64_t all;               /**< All registers. */
    WwInst **reg;               /**< [width] */
    uint32_t *put_mark,
        *take_mark; /**< Words of the reader and the writer: see ww_regs_mark_puts(). */
    uint32_t put_bit, take_bit;
    uint32_t width; /**< Parameter: registers, 1..64. */
    bool private;   /**< Parameter: register i belongs to scheduler i. */
    bool one;       /**< There is one reader. */
    bool tapped;    /**< ch.tap is there. */
    bool refusing;  /**< There may be something in `refused`. */
    uint64_t *
        refused; /**< Writers to wake when a register is freed, by ww_writer_bit(): [register] with `private`, else [0]. */
    /* second line */
    WwInst *few[WW_REGISTER_SET_FEW];
    WwWake read;     /**< Of the one reader. */
    uint32_t nobody; /**< Where marks go that nobody asked for. */
    /* third line */
    uint64_t few_refused[WW_REGISTER_SET_FEW];
    WwRegsAhead *ahead; /**< NULL: nobody sends. */
} WwRegisterSet;

/** What a register_set carries: the token is a WwInst. */
WW_API extern const WwPayload ww_payload_inst;
/**
 * Port contract: instructions through a register_set. What is known of them (ww_carried()): a bit per WwOp, and from bit
 * WW_CARRIES_SCHEDULERS on one per scheduler that issues them.
 */
WW_API extern const WwContract ww_contract_inst;
/** First bit of the schedulers; below it are the WW_N_OPS of the categories. */
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

/** What is known of scheduler @p number's instructions that come into IN port @p in: for carries() of who gives each its own. */
static inline uint64_t ww_carried_from(const WwPort *in, uint32_t number)
{
    uint64_t classes = (1ull << WW_CARRIES_SCHEDULERS) - 1;
    return ww_carried(in) & (classes | ww_carries_scheduler(number));
}

/** The channel type `register_set`. */
WW_API extern const WwType ww_register_set_type;

/**
 * For the start() of a reader of many sets: from now on each put sets the bits @p bit of @p word, which the reader clears. False, and
 * nothing, when it is not the only one.
 */
WW_API bool ww_regs_mark_puts(const WwPort *in, uint32_t *word, uint32_t bit);
/** The same for a writer, of each take: when it is the only one, a set that was full is full until it is marked. */
WW_API bool ww_regs_mark_takes(const WwPort *out, uint32_t *word, uint32_t bit);

/** The registers that a writer on behalf of scheduler @p sched may fill: its own (private) or any. */
static inline uint64_t ww_regs_for(const WwPort *out, uint32_t sched)
{
    const WwRegisterSet *s = out->peer;
    return s->private ? (1ull << (sched & 63u)) & s->all : s->all;
}

/** Where ww_regs_full() stands, for who asks more often than it has time for: constant. */
static inline const uint64_t *ww_regs_full_at(const WwPort *port)
{
    return &((const WwRegisterSet *)port->peer)->full;
}

/** What components have at hand is to be looked at; functions of this header change it. */
static inline WwRegisterSet *ww_regs_of(const WwRegisterSet *shown)
{
    return (WwRegisterSet *)(uintptr_t)shown;
}

/** ww_regs_await() for a writer that keeps the set itself at hand, and its own ww_writer_bit() @p writer. */
static inline void ww_regs_await_in(const WwRegisterSet *out, uint32_t slot, uint64_t writer)
{
    WwRegisterSet *s = ww_regs_of(out);
    s->refused[slot] |= writer;
    s->refusing = true;
}

/** A writer on behalf of scheduler @p sched waits until ww_regs_free() would give a register: its entry point is woken then. */
static inline void ww_regs_await(const WwPort *out, uint32_t sched)
{
    WwRegisterSet *s = out->peer;
    s->refused[s->private ? MIN(sched, s->width - 1) : 0] |= ww_writer_bit(out);
    s->refusing = true;
}

/** Is there none that ww_regs_free() would give? For explanations: it wakes nobody later. */
static inline bool ww_regs_none_free(const WwPort *out, uint32_t sched)
{
    return (ww_regs_for(out, sched) & ~*ww_regs_full_at(out)) == 0;
}

/**
 * The register that a writer on behalf of scheduler @p sched may fill: its own (private) or the lowest empty one; -1 if none.
 * A refusal is remembered: the writer's entry point is woken when a register is freed that would do.
 */
static inline int ww_regs_free(const WwPort *out, uint32_t sched)
{
    uint64_t empty = ww_regs_for(out, sched) & ~*ww_regs_full_at(out);
    if (empty != 0) {
        return __builtin_ctzll(empty);
    }
    ww_regs_await(out, sched);
    return -1;
}

/** Out of line: the run ends if register @p slot is taken, or not there, and false comes back. @p who NULL: whose turn it is. */
WW_API bool ww_regs_check_put(const WwRegisterSet *set, int slot, const WwComponent *who);

/** Out of line: ww_regs_put_in() where tokens are looked at. The run ends as ww_regs_check_put() says. */
WW_API void ww_regs_put_seen(WwRegisterSet *s, int slot, WwInst *inst);

/** Out of line: wakes the readers, of which there are several. */
WW_API void ww_regs_wake_readers(const WwRegisterSet *s);

/** What ww_regs_put_in() is when nobody looks. */
static inline void ww_regs_put_now(WwRegisterSet *s, int slot, WwInst *inst)
{
    s->full |= 1ull << slot;
    s->reg[slot] = inst;
    *s->put_mark |= s->put_bit;
    if (G_LIKELY(s->one)) {
        ww_wake(&s->read);
    } else if (s->private && (uint32_t)slot < s->ch.n_readers) {
        ww_wake(&s->ch.reader[slot].wake);
    } else {
        ww_regs_wake_readers(s);
    }
}

/** ww_regs_put() for a writer that keeps the set itself at hand, and has @p slot of ww_regs_free() or the like: only where tokens are looked at that is checked. */
static inline void ww_regs_put_in(const WwRegisterSet *out, int slot, WwInst *inst)
{
    WwRegisterSet *s = ww_regs_of(out);
    if (G_UNLIKELY(s->tapped)) {
        ww_regs_put_seen(s, slot, inst);
    } else {
        ww_regs_put_now(s, slot, inst);
    }
}

/** Moves @p inst into empty register @p slot and wakes its reader (with several readers and `private`: reader @p slot). The run ends if it is not empty. */
static inline void ww_regs_put(const WwPort *out, int slot, WwInst *inst)
{
    WwRegisterSet *s = out->peer;
    if (G_UNLIKELY((uint32_t)slot >= s->width || (s->full >> slot & 1u) != 0)) {
        ww_regs_check_put(s, slot, s->ch.writer[out->ordinal].who);
        return;
    }
    ww_regs_put_in(s, slot, inst);
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

/** That of the registers @p slots, not none and all occupied, which holds the oldest instruction. */
static inline int ww_regs_oldest_in(const WwRegisterSet *s, uint64_t slots)
{
    WwInst *const *reg = s->reg;
    int best = __builtin_ctzll(slots);
    slots &= slots - 1;
    if (slots != 0) {
        uint32_t order = reg[best]->order;
        do {
            int i = __builtin_ctzll(slots);
            uint32_t other = reg[i]->order;
            if (ww_order_older(other, order)) {
                best = i;
                order = other;
            }
            slots &= slots - 1;
        } while (slots != 0);
    }
    return best;
}

/** The same behind a port. */
static inline int ww_regs_oldest_of(const WwPort *in, uint64_t slots)
{
    return ww_regs_oldest_in(in->peer, slots);
}

/**
 * The same of the registers that this reader takes from: where they are private and it is one of several, that of its own number (it is woken
 * for no other), else all; -1 when there is nothing. For function units.
 */
static inline int ww_regs_oldest_mine(const WwPort *in)
{
    const WwRegisterSet *s = in->peer;
    uint64_t mine = s->private && !s->one ? 1ull << (in->ordinal & 63u) : UINT64_MAX;
    return (s->full & mine) != 0 ? ww_regs_oldest_in(s, s->full & mine) : -1;
}

/** The register that holds the oldest instruction, or -1 when the set is empty. */
static inline int ww_regs_oldest(const WwPort *in)
{
    uint64_t full = ww_regs_full(in);
    return full != 0 ? ww_regs_oldest_of(in, full) : -1;
}

/** Things to wait for in explanations: a pending write of a warp (register number + 1), the end of any of its instructions. */
static inline uint64_t ww_thing_write(uint32_t warp, uint32_t reg)
{
    return 1ull << 32 | (uint64_t)warp << 16 | reg;
}
/** The end of any instruction of warp @p warp. */
static inline uint64_t ww_thing_flight(uint32_t warp)
{
    return 2ull << 32 | warp;
}
/** Says that the component holds @p inst: its pending write, and the end of it. */
WW_API void ww_explain_holds_inst(WwExplain *explain, const WwInst *inst);

/** Wakes the writers that were refused a register of place @p i in `refused`. */
static inline void ww_regs_freed(WwRegisterSet *s, int i)
{
    ww_wake_writers(&s->ch, s->refused[i]);
    s->refused[i] = 0;
    s->refusing = s->private; /* those of other registers may still wait */
}

/** ww_regs_take() for a reader that keeps the set itself at hand. */
static inline WwInst *ww_regs_take_out(const WwRegisterSet *in, int slot)
{
    WwRegisterSet *s = ww_regs_of(in);
    WwInst *inst = s->reg[slot];
    if (G_UNLIKELY(s->tapped)) {
        ww_tap(&s->ch, "take", (uint32_t)slot, (WwToken)(uintptr_t)inst);
    }
    s->full &= ~(1ull << slot);
    *s->take_mark |= s->take_bit;
    if (s->refusing) {
        ww_regs_freed(s, s->private ? slot : 0);
    }
    return inst;
}

/** Out of line: ww_regs_take() where tokens are looked at. The run ends if this reader has no business in register @p slot. */
WW_API WwInst *ww_regs_take_seen(const WwPort *in, int slot);

/** Moves the instruction out of register @p slot and wakes the writers that were refused. */
static inline WwInst *ww_regs_take(const WwPort *in, int slot)
{
    const WwRegisterSet *s = in->peer;
    return G_UNLIKELY(s->tapped) ? ww_regs_take_seen(in, slot) : ww_regs_take_out(s, slot);
}

/* ---- ahead of time ----------------------------------------------------------------------------------------------- */

/**
 * For the init() of a writer that sends all that it puts, by ww_regs_send(). What is due before WwRegsAhead.until it must not put; what is due then or
 * later it has to. When that changes, it is woken. @p in_order: what it sends for the same edge it sends in the order in which it would put it; else
 * it puts everything.
 */
WW_API const WwRegsAhead *ww_regs_sends(const WwPort *out, bool in_order);
/**
 * For the init() of the reader: in each of its turns it takes all there is, ww_regs_take_sent() first, and rests for ww_regs_rest(). A gate that
 * closes while something is on its way does not stop that.
 */
WW_API void ww_regs_drains(const WwPort *in);
/** Out of line: twice as many may be on their way. */
WW_API void ww_regs_grow_sent(WwRegisterSet *set);
/** Out of line: from edge @p from on writers put what is due themselves. */
WW_API void ww_regs_stop_ahead(WwRegisterSet *set, WwCycle from);

/** For a writer that sends: @p inst, which comes at edge @p due, not before the next one. */
static inline void ww_regs_send(const WwPort *out, WwInst *inst, WwCycle due)
{
    WwRegisterSet *s = out->peer;
    WwRegsAhead *a = s->ahead;
    if (G_UNLIKELY(due >= a->until)) {
        return;
    }
    if (G_UNLIKELY(ww_ring_full(&a->ring))) {
        ww_regs_grow_sent(s);
    }
    uint32_t i = a->ring.n;
    ww_ring_put(&a->ring);
    for (; i != 0 && a->sent[ww_ring_slot(&a->ring, i - 1)].due > due; i--) {
        a->sent[ww_ring_slot(&a->ring, i)] = a->sent[ww_ring_slot(&a->ring, i - 1)];
    }
    a->sent[ww_ring_slot(&a->ring, i)] = (WwRegsSent){inst, due, out->ordinal};
    if (i == 0) {
        ww_wake_at(&s->read, due + 1);
    } else if (i >= s->width &&
               G_UNLIKELY(a->sent[ww_ring_slot(&a->ring, i - s->width)].due == due)) {
        ww_regs_stop_ahead(s, s->ch.base.domain->cycle + 1); /* one of them has to wait */
    }
}

/** For a reader that drains, at edge @p now: the oldest that was put ahead of time and has come, taken; NULL: there is none. */
static inline WwInst *ww_regs_take_sent(const WwPort *in, WwCycle now)
{
    WwRegsAhead *a = ((WwRegisterSet *)in->peer)->ahead;
    WwRegsSent *sent = a->sent;
    uint32_t n = a->ring.n, first = ww_ring_first(&a->ring), best = 0;
    if (n == 0 || sent[first].due >= now) {
        return NULL;
    }
    WwInst *inst = sent[first].inst;
    for (uint32_t i = 1; i < n; i++) {
        const WwRegsSent *other = &sent[ww_ring_slot(&a->ring, i)];
        if (other->due >= now) {
            break;
        }
        if (ww_inst_older(other->inst, inst)) {
            inst = other->inst;
            best = i;
        }
    }
    for (; G_UNLIKELY(best != 0); best--) {
        sent[ww_ring_slot(&a->ring, best)] = sent[ww_ring_slot(&a->ring, best - 1)];
    }
    ww_ring_take(&a->ring);
    return inst;
}

/** For a reader that drains, at edge @p now: how long it rests. */
static inline WwRest ww_regs_rest(const WwPort *in, WwCycle now)
{
    const WwRegsAhead *a = ((const WwRegisterSet *)in->peer)->ahead;
    if (a->ring.n == 0) {
        return WW_SLEEP;
    }
    WwCycle due = a->sent[ww_ring_first(&a->ring)].due;
    return due > now ? due + 1 - now : WW_AGAIN;
}
