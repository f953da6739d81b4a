/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a component's code uses: its base, the time, waking, ports, notices, the event log, explanations, failure.
 * Everything here that a tick calls is inline and costs a few instructions.
 */
#pragma once

#include <warpwright/type.h>

typedef struct WwBlock WwBlock;
/** What the kernel keeps of one entry point of one component: private to it. */
typedef struct WwEntry WwEntry;
/** What becomes of tokens that are looked at, for a fingerprint, the event log or a watch: private to the kernel. */
typedef struct WwTap WwTap;
typedef struct WwStep WwStep;

/** A clock domain. @c cycle is the number of edges completed: during an edge, the ordinal of that edge (0 first). */
struct WwDomain {
    WwCycle cycle;
    const char *name;
    double hz;
    uint32_t index;
    WwPartition *
        partition; /**< Whose time it is: each partition counts the edges of every domain itself. */
};

/** Wakes one entry point. Copied freely; a zero WwWake must not be used (unbound ends hold ww_wake_none()). */
typedef struct WwWake {
    uint64_t *word;
    uint64_t bit;
    WwBlock *block;
} WwWake;

/** A run of entry points and blocks that are walked in order; see kernel/src/sched.c. Only what wakes need is public. */
struct WwBlock {
    uint64_t *due; /**< A bit per member, in derived order. */
    WwBlock *parent;
    uint64_t *up_word; /**< This block's bit in the parent. */
    uint64_t up_bit;
    bool stopped; /**< Being walked, or its gate is closed: nothing goes up to the parent now. */
    bool step;    /**< The head of a WwStep: one bit. */
    bool post;    /**< Of one bit, for a wake that leaves its partition. */
    bool share;   /**< Of one bit, where a partition's turns meet those of others. */
};

/** An owned step (see WwEntryRow) as its owner sees it. */
struct WwStep {
    WwBlock block;    /**< Of one member; its parent's bit is the owner's. */
    uint64_t due;     /**< Bit 0: due; bit 1: always, without sleep. */
    uint64_t skipped; /**< Turns that it slept through since it last ran or settled. */
    uint32_t turns;   /**< In a turn of its owner; see ww_step_turns(). */
    WwEntry *entry;
    WwStep *next; /**< Of the same owner. */
};

/** Bits of WwComponent.logged. */
enum {
    WW_LOGGED = 1u << 0,  /**< The event log does. */
    WW_WATCHED = 1u << 1, /**< A watch does: ww_machine_watch(). */
    WW_LOGGED_IF =
        1u
        << 2, /**< The event log wants those that say that they are for somebody else: WwEventFilter.outside. */
    WW_LOGGED_ALL = 1u << 3, /**< The event log asks nothing of them but their kind. */
};

/** The head of every component's state. Set by the kernel. */
struct WwComponent {
    const WwType *type;
    WwMachine *machine;
    WwDomain *domain; /**< Of the first entry point; for passive components that of their group. */
    WwEntry *entries; /**< One per row of type->entries. */
    struct WwGroup *group;
    const char *name;
    int32_t index; /**< In its array, or -1. */
    uint32_t id;   /**< Order of creation in the machine. */
    uint32_t partition;
    uint8_t logged; /**< Somebody wants events of this component: WW_LOGGED and the like. */
    bool exclusive; /**< See ww_exclusive(). */
};

/** One bound end of an interface or a channel, seen from the provider or the channel. */
typedef struct WwClient {
    WwWake wake;
    WwComponent *who;
    uint32_t
        ordinal;  /**< Among the clients of the same rank (interfaces) or direction (channels). */
    int32_t rank; /**< Interfaces: index in WwContract.ranks, or -1. */
    uint32_t
        moves; /**< Channels: tokens that it puts or takes in a turn at most, see ww_puts_a_turn(); 0: nobody said. */
} WwClient;

/** The requiring or channel end of a port, in a component's state. All zero when unbound. */
struct WwPort {
    void *peer;        /**< Channel, or the provider's state. */
    const void *table; /**< Interface: function table of the provider. */
    uint32_t
        ordinal; /**< This end's ordinal at the peer (which writer, which reader, which caller of its rank). */
    WwStep
        *step; /**< Interface that this end owns: the provider's owned step; NULL: it has none. */
};

/** The providing end: who may be called back. */
struct WwProvided {
    uint32_t n;
    WwClient *client;
};

/** The head of every channel's state. */
typedef struct WwChannel {
    WwComponent base;
    WwTap *tap; /**< Non-NULL when tokens are fingerprinted or logged. */
    const WwPayload *payload;
    WwClient *reader;
    WwClient *writer;
    uint32_t n_readers, n_writers;
    uint32_t
        latency; /**< Edges of the reader's domain until a token is visible; 0: by order alone. */
    bool same;   /**< Tokens are visible in the tick in which they are put. */
} WwChannel;

/** Is anything at the other end of @p port? */
#define WW_BOUND(port) ((port)->peer != NULL)

/**
 * What is known to come into IN port @p in: the bits of all that write to its channel (WwType.carries); 0: nothing, also for an
 * unbound port. For start(), and for carries() of what passes tokens on.
 */
WW_API uint64_t ww_carried(const WwPort *in);
/** The same of any of the @p n IN ports from @p in on. */
WW_API uint64_t ww_carried_by_any(const WwPort *in, uint32_t n);

/** Ordinal of the current edge of the component's domain. */
static inline WwCycle ww_now(const void *self)
{
    return ((const WwComponent *)self)->domain->cycle;
}

/** Edges of @p domain that are over when the present tick is; between ticks, all that it had. */
WW_API WwCycle ww_edges_over(const void *self, const WwDomain *domain);

/** Out of line part of ww_wake(): says to the blocks above that something is due. */
WW_API void ww_block_up(WwBlock *block);

/**
 * Makes an entry point due: in this tick if its place is still to come, else at its next edge. Costs a test when it is due
 * already.
 */
static inline void ww_wake(const WwWake *w)
{
    if (!(*w->word & w->bit)) {
        *w->word |= w->bit;
        if (!w->block->stopped) {
            ww_block_up(w->block);
        }
    }
}

/** Out of line part of ww_step(): the step, which is due, has its turn. */
WW_API void ww_step_run(WwStep *step);
/**
 * A turn of the owned step behind @p port (nothing if the provider has none): it runs if it is due. Its owner calls this in each of its turns,
 * once or as often as it told ww_step_turns(); a turn in which the owner sleeps counts for it as slept.
 */
static inline void ww_step(const WwPort *port)
{
    WwStep *s = port->step;
    if (s == NULL) {
        return;
    }
    if (s->due != 0) {
        ww_step_run(s);
    } else {
        s->skipped++;
    }
}
/**
 * For who provides an owned step, in a turn of its owner: turns that the step slept through and that settle() did not tell it of. @p own:
 * the step's wake.
 */
static inline uint64_t ww_step_slept(const WwWake *own)
{
    return ((const WwStep *)own->block)->skipped;
}
/** For the owner's reset: how often it calls ww_step() in a turn of its own (1 unless told). */
static inline void ww_step_turns(const WwPort *port, uint32_t n)
{
    if (port->step != NULL) {
        port->step->turns = n;
    }
}
/**
 * For a writer's reset: it puts up to @p n tokens in a turn. One unless told: how far a reader of another partition may be behind
 * depends on it (docs/kernel.md#windows).
 */
static inline void ww_puts_a_turn(const WwPort *out, uint32_t n)
{
    if (out->peer != NULL) {
        ((WwChannel *)out->peer)->writer[out->ordinal].moves = n;
    }
}
/**
 * For a reader's reset: it takes up to @p n tokens in a turn from this channel. Unless told, any number: then it is never ahead of its writers, if
 * these are of another partition, and a channel between them that is full has the machine run tick by tick.
 */
static inline void ww_takes_a_turn(const WwPort *in, uint32_t n)
{
    if (in->peer != NULL) {
        ((WwChannel *)in->peer)->reader[in->ordinal].moves = n;
    }
}
/** Most clock domains of a machine. */
#define WW_MAX_DOMAINS 8u
/** Where in a tick one is. */
typedef struct WwNow {
    uint32_t fired; /**< Domains of the tick. */
    int32_t
        phase; /**< That is in progress, or -1 before the first; WW_NOT_IN_TICK: between ticks, or in timed events. */
} WwNow;
/** WwNow.phase between two ticks. */
#define WW_NOT_IN_TICK (-2)
/** The head of a WwPartition: what its time is. */
typedef struct WwMoment {
    uint64_t
        window; /**< Number of the window in which it has a time of its own; 0: it has the machine's. */
    WwNow now;            /**< In a window. */
    const WwNow *outside; /**< Else. */
    WwDomain *domain[WW_MAX_DOMAINS];
} WwMoment;
/** Is a window open, in which this partition has a time of its own? Then it is the window's number, which no other has; else 0. */
static inline uint64_t ww_window_number(const WwPartition *partition)
{
    return ((const WwMoment *)partition)->window;
}
/** The same, as yes or no. */
static inline bool ww_partition_alone(const WwPartition *partition)
{
    return ww_window_number(partition) != 0;
}
/** When an entry point has its turns: in phase @c phase of each edge of @c domain (index), in the time of @c partition. */
typedef struct WwTurns {
    WwPartition *partition;
    uint32_t domain;
    int32_t phase;
} WwTurns;
/**
 * Turns of the entry point behind @p wake, which belongs to a port of @p channel; those of nobody: before all others, in the
 * channel's domain and partition.
 */
WW_API WwTurns ww_turns_of(const WwWake *wake, const void *channel);
/**
 * How often the entry point behind @p wake has a turn at an edge: more than once in a group that repeats, and as a step whose owner has
 * said so in its reset. Between windows.
 */
WW_API uint32_t ww_turns_an_edge(const WwWake *wake);
/**
 * For reset: the place of the entry point behind @p wake in the turns of *@p among, where it has one turn at an edge, always at the same place;
 * else -1. Of two that are among the same ones, that with the lower place has its turn first.
 */
WW_API int32_t ww_place_in_turn(const WwWake *wake, const void **among);
/**
 * For a channel whose reader may be ahead of its writers (WwType.lag), in a turn of the reader, which has taken so much that it may soon take
 * what is not there yet: its partition goes on behind this tick when that of the writers, @p writer, has come far enough. @p early: in a tick they
 * have their turn first. True: what they put that this turn could see may not be there yet. False: it is, or they have nothing to do.
 */
WW_API bool ww_await_writers(WwPartition *reader, const WwPartition *writer, bool early);
/**
 * The first edge of domain @p domain whose turn in phase @p phase is still to come, as partition @p partition counts: number of those
 * that are over.
 */
static inline WwCycle ww_turns_over(const WwPartition *partition, uint32_t domain, int32_t phase)
{
    const WwMoment *m = (const WwMoment *)partition;
    const WwNow *now = m->window != 0 ? &m->now : m->outside;
    return m->domain[domain]->cycle + (now->fired >> domain & (uint32_t)(phase <= now->phase));
}
/** For init: domain @p domain as the partition of the component's entry point @p entry counts it. */
WW_API const WwDomain *ww_time_of(void *self, uint32_t entry, const WwDomain *domain);
/**
 * Wakes an entry point of another partition from component @p self: at edge @p cycle of its domain, which is its next one if it has the same time; in a
 * window it may be behind.
 */
WW_API void ww_wake_across(const WwWake *wake, const void *self, WwCycle cycle);
/**
 * Number of the thread that asks, below WW_MAX_WORKERS: 0 is the caller's of ww_run(). Who is told sums by several partitions (WW_REDUCE) keeps
 * one for each, and adds them up when it is asked, which is by thread 0 alone.
 */
WW_API uint32_t ww_worker(void);
/** Most threads that run a machine, the caller's included. */
#define WW_MAX_WORKERS 64u
/** For WwType.ahead: the next window has at most @p edges edges of @p domain. */
WW_API void ww_window_limit(WwMachine *machine, const WwDomain *domain, WwCycle edges);
/** For WwType.ahead: how many it has by what has been said so far. Who would say more needs not find out how much. */
WW_API WwCycle ww_window_most(const WwMachine *machine, const WwDomain *domain);

/** A wake that wakes nobody. */
WW_API WwWake ww_wake_none(void);

/** Wake of the component's own entry point @p entry (index of its row). */
WW_API WwWake ww_wake_of(void *self, uint32_t entry);

/** Makes the entry point behind @p wake due at edge @p cycle of its domain (or earlier, if it already was). */
WW_API void ww_wake_at(const WwWake *wake, WwCycle cycle);

/** A writer's bit in a channel's mask of writers that found no room; those from the 64th on share the last. */
static inline uint64_t ww_writer_bit(const WwPort *out)
{
    return 1ull << MIN(out->ordinal, 63u);
}

/** Wakes the writers of a mask of ww_writer_bit()s. */
static inline void ww_wake_writers(const WwChannel *channel, uint64_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(mask);
        do {
            ww_wake(&channel->writer[i].wake);
        } while (G_UNLIKELY(i >= 63) && ++i < channel->n_writers);
    }
}

/** Notifies every caller of an interface. */
static inline void ww_notify(const WwProvided *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        ww_wake(&p->client[i].wake);
    }
}

/**
 * The client of rank @p rank (index) and ordinal @p ordinal, or NULL. For init: keep a pointer, do not search in a tick.
 */
WW_API const WwClient *ww_provided_client(const WwProvided *p, int32_t rank, uint32_t ordinal);
/** Number of clients of rank @p rank. */
WW_API uint32_t ww_provided_count(const WwProvided *p, int32_t rank);
/**
 * The wakes of the clients of rank @p rank, over and over: @p of[i], of @p n, is that of client i mod their number, as warps have them; @p none if there is
 * none. Returns how many clients there are.
 */
WW_API uint32_t ww_provided_wakes(const WwProvided *p, int32_t rank, const WwWake *none,
                                  const WwWake **of, uint32_t n);

/**
 * Opens or closes the gate of the innermost gated group that holds @p self. A closed group is not clocked at all: its
 * entry points do not run, slept edges do not count. Closing acts at the end of the group's turn in this tick (at once when it
 * is not running); opening acts from the next tick, or this one if its place is still to come. A gated group inside of another
 * one is clocked at edges at which both gates are open; each keeps what it was told while the other is closed. Inside of a group that
 * repeats there are none.
 */
WW_API void ww_gate(void *self, bool open);

/**
 * The innermost rotating group that holds @p self takes turns from its edge @p edge on, past or future: there the first member goes
 * first, at the next edge the second, and so on; before it always the first. Edge 0 after a reset; WW_NEVER: it never does. Not
 * while the group is having its turn.
 */
WW_API void ww_rotate_from(void *self, WwCycle edge);

/** A unit of useful work is done (an instruction completed): feeds hang detection and --max-... limits. */
WW_API void ww_progress(void *self);

/** Ends the run at the end of this tick with an error that the user sees (exit 2); takes @p error. */
WW_API void ww_fail_run(void *self, GError *error);

/**
 * For init(): with these parameters the component keeps more state than a contract that it offers allows (WwSharing); partitions that call it
 * depend on each other.
 */
WW_API void ww_exclusive(void *self);

/** Ends the current ww_run() at the end of this tick with WW_RUN_PAUSED. */
WW_API void ww_pause(void *self);

/** Ends the run at the end of this tick with WW_RUN_DONE. */
WW_API void ww_done(void *self);

/** A call between two ticks, embedded in its owner's state; all zero at power-on. */
typedef struct WwBetween {
    void (*call)(void *self); /**< NULL: none is asked for. */
    void *self;
    struct WwBetween *next;
} WwBetween;

/**
 * Calls @p fn with @p self once, when the tick in progress is over, whatever domains fire in it: for what a host does between two ticks. Asked
 * for between two ticks, from such a call or from outside, it comes after the next one, which is then not skipped. In the call,
 * ww_now() is the number of edges completed and a wake acts from the next edge on. Calls come in the order in which they were asked
 * for; @p between has no other pending.
 */
WW_API void ww_between_ticks(void *self, WwBetween *between, void (*fn)(void *self));

/**
 * Zeroed memory, aligned to a cache line, that lives as long as the machine: for init. It lies beside the states of the components around
 * it, which is what a tick walks through; nothing has to be freed.
 */
WW_API void *ww_alloc(void *self, size_t size);

/**
 * Zeroed memory that can be given back, for what comes and goes while the model runs, but not at every turn; what is left goes with the machine.
 * All that changes after start() is in a component's state, in ww_alloc()'s or in this memory, and points to nothing but memory of
 * components and of the trace: checkpoints rely on it.
 */
WW_API void *ww_take(void *self, size_t size);
/** Such memory with what @p at (NULL: nothing) held, as far as it has room; what is more is not cleared. @p at is given back. */
WW_API void *ww_resize(void *self, void *at, size_t size);
/** A copy of @p text in such memory. */
WW_API char *ww_text(void *self, const char *text);
/** Gives such memory back; @p at may be NULL. */
WW_API void ww_give(void *self, void *at);

/** Path of a component ("gpu.sm[12].issue[2]"), newly allocated. */
WW_API char *ww_path(const void *self);

/* ---- event log -------------------------------------------------------------------------------------------------- */

/**
 * Writes an event of row @p row (a WwEventRow of the type's) when somebody listens: @p unit is a number to filter by (the warp; -1
 * none), the rest a value for each field of the row, in order; texts are WW_TEXT(), what parts are made of is WW_PART(). Free when off:
 * one load and a branch.
 */
#define WW_LOG(self, row, unit, ...)                                                               \
    do {                                                                                           \
        if (G_UNLIKELY(((const WwComponent *)(self))->logged)) {                                   \
            const uint64_t ww_log_values[] = {__VA_ARGS__};                                        \
            G_STATIC_ASSERT(G_N_ELEMENTS(ww_log_values) <= WW_EVENT_FIELDS);                       \
            if (G_N_ELEMENTS(ww_log_values) == 1) {                                                \
                ww_log_one((self), (row), (unit), ww_log_values[0]);                               \
            } else {                                                                               \
                ww_log((self), (row), (unit), ww_log_values, G_N_ELEMENTS(ww_log_values));         \
            }                                                                                      \
        }                                                                                          \
    } while (0)
/** What WW_LOG() calls when somebody listens: an event of @p n values. */
WW_API void ww_log(const void *self, const WwEventRow *row, int64_t unit, const uint64_t *values,
                   uint32_t n);
/** The same of an event of one field. */
WW_API void ww_log_one(const void *self, const WwEventRow *row, int64_t unit, uint64_t value);
/**
 * In a turn that writes an event which it would write again, but for the time, in each of the next, if it had any: may it sleep, and write
 * them by ww_log_past() in its settle()? The kernel settles and wakes it in time. False: not here.
 */
WW_API bool ww_log_later(void);
/** In settle(), after ww_log_later(): an event in each of the last @p n turns. */
WW_API void ww_log_past(const void *self, uint64_t n, const WwEventRow *row, int64_t unit,
                        const uint64_t *values, uint32_t n_values);
/**
 * The same with printf's help, which costs more: @p kind is the name of a row, a constant, since kinds are told apart by their addresses, and the text
 * has the row's fields.
 */
#define WW_EVENT(self, kind, unit, ...)                                                            \
    do {                                                                                           \
        if (G_UNLIKELY(((WwComponent *)(self))->logged)) {                                         \
            ww_event_write((self), (kind), (unit), __VA_ARGS__);                                   \
        }                                                                                          \
    } while (0)
/** What WW_EVENT() calls when somebody listens. */
WW_API void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/** Kinds of events of channels: for their types. */
WW_API extern const WwEventRow ww_token_events[];
/** What a channel calls when tapped: @p verb is "put" or "take". */
WW_API void ww_tap(WwChannel *channel, const char *verb, uint32_t slot, WwToken token);
/** ww_tap(), if the channel is tapped: a load and a branch otherwise. */
#define WW_TAP(channel, verb, slot, token)                                                         \
    do {                                                                                           \
        if (G_UNLIKELY((channel)->tap != NULL)) {                                                  \
            ww_tap((channel), (verb), (slot), (WwToken)(uintptr_t)(token));                        \
        }                                                                                          \
    } while (0)

/* ---- explanations ----------------------------------------------------------------------------------------------- */

/** Says that the component waits for @p on (a peer's state, may be NULL when unknown), and why. */
WW_API void ww_explain_waits(WwExplain *explain, const void *on, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/**
 * What follows concerns unit @p own of this component and, where it waits, unit @p other of its peer (units: warps, slots;
 * -1: any). A report then follows one warp from component to component. Until the next call.
 */
WW_API void ww_explain_unit(WwExplain *explain, int64_t own, int64_t other);
/** For ww_explain_holds(): something whose name the holder does not know. */
#define WW_THING_UNKNOWN UINT64_MAX
/** Bit of things that their holders always name: WW_THING_UNKNOWN does not stand for them. */
#define WW_THING_NAMED (1ull << 63)
/**
 * Says that it waits for whoever holds @p thing: a number (not 0) that holders and waiters agree on, see ww_thing_write() in
 * ports/register_set.h. Of several holders the one nearest in the tree of groups is meant, of things without WW_THING_NAMED one in
 * the waiter's partition; if there is none, the first
 * component on its way (along channels) whose type cannot explain itself.
 */
WW_API void ww_explain_waits_for(WwExplain *explain, uint64_t thing, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/** Says that it holds @p thing, for whose sake others wait; WW_THING_UNKNOWN: it may be what nobody else holds. */
WW_API void ww_explain_holds(WwExplain *explain, uint64_t thing, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/** Says that it has sent @p thing on, and expects it back: when nobody holds it, the search begins behind the last one. */
WW_API void ww_explain_sent(WwExplain *explain, uint64_t thing);
/** For such texts, "1 request waits", "2 requests wait": @p one if @p n is 1, else @p many. */
#define WW_PLURAL(n, one, many) ((n) == 1 ? (one) : (many))
/** Says something it holds or knows, without waiting. */
WW_API void ww_explain_note(WwExplain *explain, const char *format, ...) G_GNUC_PRINTF(2, 3);
