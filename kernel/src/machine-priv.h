/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the files of the kernel share about a machine: groups, entry points, blocks, bindings. Private to kernel/src.
 */
#pragma once

#include "block-priv.h"
#include "calendar-priv.h"
#include "clock-priv.h"
#include "pace-priv.h"
#include "wheel-priv.h"
#include "wiring-priv.h"
#include <pthread.h>
#include <stdarg.h>
#include <warpwright/machine.h>

#define WW_MAX_PHASES 32u

/** A growing array: building a machine appends some ten thousand times. */
#define WW_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *v;                                                                                      \
        uint32_t n, room;                                                                          \
    }
/** Appends a place to a WW_VEC, not cleared, and points to it. */
#define WW_VEC_ADD(vec)                                                                            \
    ((vec)->n == (vec)->room ? ((vec)->v = ww_vec_grow((vec)->v, &(vec)->room, sizeof *(vec)->v))  \
                             : (vec)->v,                                                           \
     &(vec)->v[(vec)->n++])
/** Room for @p more, which WW_VEC_ADD would find. */
#define WW_VEC_RESERVE(vec, more)                                                                  \
    do {                                                                                           \
        while ((vec)->room - (vec)->n < (more)) {                                                  \
            (vec)->v = ww_vec_grow((vec)->v, &(vec)->room, sizeof *(vec)->v);                      \
        }                                                                                          \
    } while (0)
/** @p v with room for twice as many elements. */
void *ww_vec_grow(void *v, uint32_t *room, size_t size);

/** One entry point of one component: what is not needed at every turn (see Member). */
struct WwEntry {
    WwWake wake;
    WwTickFn tick;
    void *self;
    void (*settle)(void *self, uint32_t entry, uint64_t n);
    uint32_t row; /**< Index in the type's entries. */
    uint32_t phase;
    uint32_t number;  /**< Among all entry points. */
    WwDomain *domain; /**< Of its partition. */
    WwPartition *partition;
    WwEvent timer;
    struct Calendar *calendar; /**< NULL: it has an event of its own instead. */
    WwCycle noted_at;          /**< Edge that was last noted in the calendar; WW_NEVER: none. */
    /* owned steps */
    WwStep *step;   /**< Of an owned entry point. */
    WwEntry *owner; /**< Whose turn it has a part of; NULL: nobody's. */
    WwStep *steps;  /**< That this entry point owns. */
    bool external;  /**< `self` is no component. */
};

#define NO_LANE UINT32_MAX

/** The time of a domain in a window, and where a partition has it. */
typedef struct Time {
    const WwCycle *from; /**< By tick. */
    WwCycle *to;
} Time;

struct WwGroup {
    WwMachine *machine;
    WwGroup *parent;
    WwGroupSpec spec;
    const char *name;
    uint32_t number;   /**< Index in the machine's groups. */
    uint32_t sequence; /**< Declaration order among groups and components. */
    uint32_t depth;
    uint32_t partition;
    WwGroup *gate;               /**< Innermost gated group, itself included, or NULL. */
    Block *block[WW_MAX_PHASES]; /**< NULL where it has none of its own. */
    GPtrArray *blocks;           /**< Gated groups: their blocks. */
    WwGroup *inner;              /**< Gated groups: one that is next inside, or NULL, */
    WwGroup *beside;             /**< and another one that is in the same. */
    uint32_t dissolved;          /**< Bit p: not a block of its own in phase p. */
};

typedef struct WwCrew WwCrew;

typedef struct Phase {
    const char *name;
    WwDomain *domain;
    Block *root;
} Phase;

#define WW_JOINED 64u /* joins remembered; a power of two */

/** The same of what grows while the model runs: its memory is the machine's heap. */
#define WW_LIST_ADD(machine, vec)                                                                  \
    ((vec)->n == (vec)->room                                                                       \
         ? ((vec)->v = ww_list_grow((machine), (vec)->v, &(vec)->room, sizeof *(vec)->v))          \
         : (vec)->v,                                                                               \
     &(vec)->v[(vec)->n++])
void *ww_list_grow(WwMachine *machine, void *v, uint32_t *room, size_t size);

/** What is left of a piece of memory. */
typedef struct Room {
    char *at;
    size_t left;
} Room;

/** Of a tick: to be found. */
#define WW_NOT_KNOWN UINT32_MAX
/** Ticks of a window at most. */
#define WW_WINDOW WW_CLOCK_TICKS

/** A channel between two partitions. */
typedef struct Span {
    WwComponent *channel;
    const WwDomain *domain; /**< Of its writers. */
    WwCycle room;           /**< When nothing is in it. */
    WwPartition *writer, *reader;
    WwCycle now;    /**< Room, when a window was planned. */
    bool lags;      /**< Its reader may be ahead: the only partition of the next stage. */
    bool early;     /**< In a tick its writers have their turn before the reader. */
    uint32_t stage; /**< Of its writers. */
    uint32_t n_ports;
    WwPort **port; /**< Of its writers. */
} Span;

/** Partitions none of which writes into another: those of ranks from..end-1. */
typedef struct Stage {
    uint32_t from, end;
    bool serial; /**< Some post to the serial partition. */
} Stage;

/** A word of due bits, and whose they are. */
typedef struct Watch {
    const uint64_t *due;
    WwPartition *of[64]; /**< NULL: not a partition's own. */
} Watch;

/** The ticks of the window in progress. */
typedef struct Window {
    WwCycle room
        [WW_MAX_DOMAINS]; /**< Edges that it may have when the channels between partitions are empty. */
    WwCycle most[WW_MAX_DOMAINS]; /**< Edges that it may have. */
    WwTick ticks;                 /**< Of all windows so far. */
    WwClock clock;                /**< As it was at its begin. */
    uint64_t tight;               /**< Stages that take turns with the next: ww_run_tight(), */
    uint64_t always_tight;        /**< and those that do so in each window. */
    uint32_t wait;                /**< Ticks until the next is tried. */
    uint64_t number;              /**< Windows so far, this one too. */
    bool open;                    /**< Partitions have times of their own. */
    uint64_t *in;                 /**< By rank: partitions that take part. */
    uint8_t domains[1u << WW_MAX_DOMAINS]; /**< Of lanes. */
    WwClockTicks at;
    const WwCycle *time
        [WW_MAX_DOMAINS]; /**< Cycles of each domain before each tick, and in the end: its lane's. */
} Window;

enum { STOP_PAUSE = 1, STOP_FAIL = 2, STOP_DONE = 4 };

/** A member of a block in which partitions meet, as its partition runs it in a window. */
typedef struct Turn {
    Member *member;
    Block *inner; /**< A block that lies open: the bit is of one of its members. */
    Share *share;
    const WwCycle *cycle; /**< Of its domain. */
    uint64_t settles;     /**< 1: its type has settle(). */
    int32_t phase;
    uint32_t domain;
} Turn;

/** Up to 64 turns of a partition, in the order of a tick: those of all phases. */
typedef struct Run {
    uint64_t *due;
    const uint64_t *live;
    const uint64_t *open; /**< By lanes of a tick: turns whose domains fire in it. */
    Turn *turn;
    uint32_t n;
} Run;

/** A token that moved in a window, for fingerprints. */
typedef struct Note {
    uint64_t turn;      /**< ww_turn_in_window() */
    uint32_t partition; /**< Whose print it changes, */
    uint32_t id;        /**< the channel, */
    uint64_t what, key; /**< when, in or out, and what it means. */
} Note;

/** A wake at a time, for an entry point of another partition. */
typedef struct Mail {
    WwEntry *entry;
    WwCycle cycle;
} Mail;

/** A wake that leaves its partition: outside of windows it goes on at once, in them it is kept. */
typedef struct Post {
    WwBlock block; /**< Of one bit, whose parent's bit is the entry point's. */
    uint64_t due;
    WwPartition *from;
    WwEntry *entry;
} Post;

/**
 * What owns state and counts time. Outside of windows all partitions have the machine's time; in a window each has its own.
 */
struct WwPartition {
    WwMoment moment;
    Word word; /**< Which of its first 64 turns are due. */
    Run *run;  /**< Its turns, in the order of a tick. */
    uint32_t n_runs;
    uint32_t wheels;         /**< Domains in which it ever had a timed event. */
    uint32_t noted;          /**< Domains in whose calendars there may be something. */
    uint32_t n_times, times; /**< Domains that it asks for in a tick, as a mask. */
    Time time[WW_MAX_DOMAINS];
    uint32_t lane;   /**< Of all that it asks for; NO_LANE: of several, or without domain 0. */
    uint32_t done;   /**< Ticks of the window that are over. */
    uint32_t until;  /**< Ticks to which it may go on. */
    uint32_t event;  /**< In which its next timed event is due, or WW_NOT_KNOWN. */
    uint64_t ran;    /**< Turns of members of its runs, */
    uint64_t rounds; /**< and of blocks that lie open in them, in windows. */
    WwMachine *machine;
    uint32_t index;
    const char *name; /**< Of one that entry points name. */
    Turn *turn;
    uint32_t n_turns;
    Word *last_word; /**< The last that was given out. */
    Share **share;   /**< Whose its turns are. */
    uint32_t n_shares;
    /* windows */
    uint32_t rank; /**< Partitions of lower ones run before it. */
    uint32_t last; /**< Those up to the last in which something ran. */
    bool
        hold; /**< It stops at the end of its tick: it has posted something, or waits for its writers. */
    bool by_itself;   /**< No other one runs meanwhile. */
    bool stopped;     /**< In tick `done` of the window: what it posted has to be taken. */
    bool with_serial; /**< It was served, and goes on tick by tick. */
    bool may_post;
    Span **lag; /**< Channels that it writes into whose reader may be ahead. */
    uint32_t n_lag;
    uint32_t
        horizon; /**< As a reader of such channels: to this tick its writers have come, or have put enough, */
    bool together; /**< but for these, which it never passes. */
    uint8_t
        before; /**< Of channels whose reader may be ahead: 1: it writes into them early, 2: late in a tick. */
    bool tells;     /**< Its components have entry points in later ones, too. */
    const Turn *at; /**< That is in progress; NULL: none. */
    WwCycle
        progress; /**< In a window: cycles of domain 0 over when the tick of the last progress is. */
    WW_VEC(Post *) posts;
    WW_VEC(Mail) mail; /**< Taken when all of its stage are done. */
    WW_VEC(Note) notes;
    uint32_t stage;
    /* time */
    WwWheel *wheel[WW_MAX_DOMAINS]; /**< NULL: never used. */
    Calendar *calendar
        [WW_MAX_DOMAINS]; /**< One for all domains of a lane; NULL: it has no turns there, or no time of its own. */
    Calendar *days; /**< If all are of one lane: that, or an empty one. */
    WwEvent alarm
        [WW_MAX_DOMAINS]; /**< Outside of windows, in the machine's wheels: at its earliest timed event. */
    uint64_t sequence; /**< Of timed events. */
};

/** The partition that has its turn in a window; NULL: all have the same time. */
extern __thread WwPartition *ww_acting __attribute__((tls_model("initial-exec")));

/** What a machine has of the process alone: no checkpoint saves it. */
typedef struct Host {
    WwCrew *crew; /**< Threads besides the caller's; NULL: not begun, or none. */
    pthread_mutex_t
        lock; /**< What several threads come to, rarely: memory, the first error. (A GMutex is hidden from a thread sanitizer.) */
    GHashTable *paths; /**< Lazily: path -> component */
    uint64_t enough;   /**< Turns of a window from which on it is worth several threads. */
    uint64_t turns;    /**< Turns of partitions in all windows so far, */
    uint64_t before;   /**< and in the last one: what the next one is likely to have. */
    WwTick after;      /**< The tick behind the last one. */
    bool several;      /**< Several threads run the window that is open, */
    bool when_it_pays; /**< as long as they are faster; */
    Pace pace;         /**< of windows that are large enough. */
    WwCycle
        until; /**< ww_run() comes back when domain 0 has completed so many edges; WW_NEVER: no. */
    struct Profile *profile; /**< Of windows; NULL: none. */
    struct Counts *counts;   /**< Of turns; NULL: not counted. */
    struct Log *log;         /**< NULL: none yet. */
    struct Watcher *watcher; /**< NULL: no event is watched for. */
    struct Guards *guards;   /**< NULL: nothing stands around what components have. */
} Host;

struct WwMachine {
    /* hot */
    Host *host;
    WwDomain *domain[WW_MAX_DOMAINS];
    WwWheel wheel[WW_MAX_DOMAINS];
    WwClock clock;
    Phase phase[WW_MAX_PHASES];
    uint32_t n_domains, n_phases;
    WwNow now;
    WwPartition *partition; /**< [n_all]; [0] is the serial one, whose domains are the machine's. */
    uint32_t n_all;         /**< Those of groups, then those that entry points name. */
    WwDomain *times;        /**< [n_all][domain]: the time of all partitions but the first. */
    bool no_sleep;
    bool one_time;   /**< All partitions share the machine's time and wheels. */
    bool exclusive;  /**< A component is (ww_exclusive()). */
    bool windows;    /**< There are stages. */
    bool no_windows; /**< One tick at a time. */
    bool serving;    /**< The serial partition has a turn in a window. */
    bool late;       /**< Partitions are to be told the machine's time before anybody looks. */
    uint32_t stop;
    Stage *stage;
    Span *span;
    uint8_t *
        touched; /**< [n_spans], whole words: something was put there, and room has to be asked for. */
    WwComponent **ahead;  /**< Those that limit windows. */
    Watch *watch;         /**< All turns of partitions. */
    WwPartition **ranked; /**< [n_all], by rank: those of the stages, then the others. */
    uint32_t n_stages, n_spans, n_ahead, n_watches;
    Span **lag; /**< [n_spans]: those of partitions, by their writers. */
    uint32_t
        whole; /**< Stages that are over before the next begins; those behind them may run side by side. */
    char *lockstep; /**< Why there are no stages. */
    Window window;
    uint32_t threads;  /**< That run the partitions of a stage. */
    WwPartition **job; /**< [n_all] */
    WwTick tick;
    WwBetween *between,
        **between_end; /**< Calls when the tick is over, in order; see ww_between_ticks(). */
    uint64_t progress;
    WwCycle progress_at; /**< Cycle of domain 0 at the last progress. */
    WwCycle active_at;   /**< The same after the last tick in which something had a turn. */
    uint64_t progress_seen;
    WwCycle max_cycles, hang_limit;
    GError *error;
    uint64_t error_turn; /**< ww_turn_in_window() of it. */
    /* structure */
    const WwRegistry *registry;
    WwClockKind clock_kind;
    WwGroup *root;
    GPtrArray *groups;
    GPtrArray *group_memory; /**< In which they lie. */
    WW_VEC(Info) info;
    WW_VEC(uint32_t) first; /**< By type number: its first component. */
    WW_VEC(Binding) bindings;
    WW_VEC(uint32_t) apart;   /**< Those that cross, or are away; after ww_own_steps(). */
    WW_VEC(uint32_t) meeting; /**< All ends of channels one of which is apart; the same. */
    WW_VEC(Copied) copies;    /**< In the order of their numbers. */
    WW_VEC(External *) externals;
    WW_VEC(uint32_t) bound; /**< Peers bound so far, per port row of each component. */
    Joined joined[WW_JOINED];
    uint32_t n_entries;
    GPtrArray *steps;  /**< WwStep: all owned steps. */
    GHashTable *types; /**< WwType* -> TypeInfo* */
    GStringChunk *text;
    WwHeap *heap; /**< This structure, too, is in it, and all that changes while the model runs. */
    Room room;
    Room guarded; /**< In its place, with guards. */
    uint32_t sequence_of_parts, n_partitions;
    bool paused;        /**< Since the last ww_run(). */
    GPtrArray *resumed; /**< Components that are told when it goes on. */
    bool sealed;
    uint64_t *carried; /**< What is known of channels, by id: ww_carried(). NULL: not asked yet. */
    /* fingerprint and event log */
    bool fingerprint;
    uint64_t *print; /**< One per partition. */
    FILE *events;
    WwEventFilter filter;
    char **kinds;
};

/** Zeroed memory for @p n groups, which lives as long as the machine. */
WwGroup *ww_groups_take(WwMachine *m, uint32_t n);
/** The same as ww_machine_add_group() in such memory; @p name lives as long as the machine. */
WwGroup *ww_group_add(WwMachine *m, WwGroup *g, WwGroup *parent, const WwGroupSpec *spec,
                      const char *name);
/** Zeroed memory that lives as long as the machine. */
void *ww_machine_alloc(WwMachine *m, size_t size);
static inline Info *ww_info(const WwMachine *m, uint32_t i)
{
    return &m->info.v[i];
}
/** What is outside behind @p b, whose peer is NULL. */
static inline External *ww_external(const WwMachine *m, const Binding *b)
{
    return m->externals.v[b->to];
}
/** What the names in port row @p row of @p c mean. */
static inline const PortInfo *ww_port_info(const WwComponent *c, int row)
{
    return &ww_info(c->machine, c->id)->type->port[row];
}
/** Peers bound so far to port row @p row of @p c. */
static inline uint32_t *ww_bound(const WwComponent *c, int row)
{
    return &c->machine->bound.v[ww_info(c->machine, c->id)->bound + (uint32_t)row];
}
/** The entry point that port row @p row of @p c speaks for, or NULL. */
static inline WwEntry *ww_row_entry(const WwComponent *c, int row)
{
    return c->entries != NULL ? &c->entries[ww_port_info(c, row)->entry] : NULL;
}
/** Adds the component of ww_join(): default parameters, @p name interned. */
WwComponent *ww_machine_add_channel(WwMachine *m, WwGroup *group, const WwType *type,
                                    const char *name, WwLocation where);
/** Frees a TypeInfo. */
void ww_type_info_free(gpointer info);
/** The function of an entry point of @p c, whose ports have been bound. */
WwTickFn ww_own_tick(const WwComponent *c, const WwEntryRow *row);
/** Fills in every entry point, in order of components. */
bool ww_place_entries(WwMachine *m, GError **error);
/** Phase of an owned entry point, which has none. */
#define WW_NO_PHASE UINT32_MAX
/** The entry point in whose turn @p e runs: itself, or the owner's; NULL: nobody owns it. */
static inline WwEntry *ww_turn_of(WwEntry *e)
{
    while (e != NULL && e->step != NULL) {
        e = e->owner;
    }
    return e;
}
/** Makes @p e an owned step, without an owner for now. */
void ww_place_step(WwMachine *m, WwEntry *e);
/** The owned step of @p c behind its PROVIDES row @p row, or NULL. */
WwStep *ww_step_at(WwComponent *c, int row);
/** The partition in whose turns the component of @p b uses it. */
static inline WwPartition *ww_user_of(const Binding *b)
{
    return b->turn != NULL ? b->turn->partition
                           : &b->component->machine->partition[b->component->partition];
}
/** Finds the owner of every owned step, and whose turns use each binding. */
bool ww_own_steps(WwMachine *m, GError **error);
/** Joins the wakes of steps to those of their owners, whose places are known by now. */
void ww_join_steps(WwMachine *m);
/** To power-on: all steps are due. */
void ww_reset_steps(WwMachine *m);
/** Accounts for the slept turns of the steps that @p e owns, and theirs. */
void ww_settle_steps(WwEntry *e);
/** The same for steps without an owner. */
void ww_settle_all_steps(WwMachine *m);
/** Makes entry point @p e due at edge @p cycle of its domain. */
void ww_wake_entry_at(WwEntry *e, WwCycle cycle);
/** The same in @p rest edges from the present one: it has its turn. */
void ww_rest(WwEntry *e, WwRest rest);
/** Is it to be woken at an edge to come? */
bool ww_timer_pending(const WwEntry *e);
/** The entry point behind a wake: its bit's place in its block. NULL: nobody. */
WwEntry *ww_entry_of(const WwWake *w);
/** What its timer does: said once, since it is an address of the program. */
void ww_set_timer(WwEntry *e);
/** Derives the order of every phase and builds the blocks. */
bool ww_order(WwMachine *m, GError **error);
/** Fills every WwPort, WwProvided and channel end from the bindings. */
void ww_connect(WwMachine *m);
/** Counts binding @p b at both of its ends. */
void ww_count_ends(WwMachine *m, const Binding *b);
/** Checks that every required port is bound and that partitions do not meet inside a phase. */
bool ww_check_bindings(WwMachine *m, GError **error);
/** Checks that no array port that requires an interface is bound to one twice. */
bool ww_check_twice(const WwMachine *m, GError **error);
/** Installs or removes taps and log flags after a change of fingerprint or events. */
void ww_machine_retap(WwMachine *m);
/** An event of @p c, of which WW_WATCHED is set. */
void ww_watch_event(const WwComponent *c, WwCycle cycle, const char *kind, int64_t unit,
                    const char *text);
/** Gives a channel its tap; NULL: it has none. */
void ww_set_tap(WwChannel *channel, WwTap *tap);
/** A channel's tap while it is watched and nothing else wants its tokens. */
extern WwTap ww_tap_of_watch;
/** Nobody watches any more. */
void ww_watch_end(WwMachine *m);
/** Runs every explain: does anybody wait? */
bool ww_machine_anyone_waits(WwMachine *m);
/** Is a member due? */
bool ww_block_due(const Block *b);
/** The round that member @p i of @p b belongs to, or NULL: blocks of several words have none. */
static inline Round *ww_round_of(const Block *b, uint32_t i)
{
    return i + b->shift < 64 && (b->in_round >> (i + b->shift) & 1u)
               ? &b->round[b->round_of[i + b->shift]]
               : NULL;
}
/** The first of the blocks that the members of group @p g stand in, in phase @p phase; NULL: it has none there. */
Block *ww_blocks_around(const WwGroup *g, uint32_t phase);
/** One turn of a block. */
void ww_walk(WwMachine *m, Block *b, uint64_t turn);
/** The one partition that all members of @p b belong to, or NULL. */
WwPartition *ww_owner_of(const Block *b);
/** Puts the machine's alarm of partition @p p in domain @p d where its earliest timed event is. */
void ww_alarm(WwMachine *m, WwPartition *p, uint32_t d);
/** Fires the timed events of a partition that are due in the domains of its tick. */
void ww_fire_events(WwPartition *p);
/**
 * The tick of the window in which the partition's next timed event is due, or that of its end: fills in p->event. Notes in calendars count, too,
 * for who does not go from edge to edge and looks at each.
 */
uint32_t ww_next_event_tick(const WwMachine *m, WwPartition *p);
/** Is one of its turns to be woken? */
bool ww_anything_noted(const WwPartition *p);
/** Partition @p p looks at the time of domain @p d, in windows. */
void ww_use_time(WwPartition *p, uint32_t d);
/** The same for all partitions, in the machine's tick. */
void ww_fire_alarms(WwMachine *m);
/** Orders what partitions do in a window, by tick, phase and place; outside of windows: 0. */
uint64_t ww_turn_in_window(void);
/** Prints what was noted in a window. */
void ww_print_notes(WwMachine *m);
/** What waits to go to the file of events, goes. */
void ww_log_flush(WwMachine *m);
/** Partition @p p takes part in the window that is open. */
void ww_join_window(WwPartition *p);
/** Where in its tick partition @p p is. */
static inline const WwNow *ww_now_of(const WwPartition *p)
{
    return p->moment.window != 0 ? &p->moment.now : p->moment.outside;
}
/** Runs as many ticks as a window holds, at most @p budget; 0: none now. @p due: not only a timed event is. */
WwTick ww_window(WwMachine *m, WwTick budget, bool due);
/** Could partitions have times of their own, by the wiring? If not, m->lockstep says why. */
bool ww_may_have_windows(WwMachine *m);
/** All partitions have the machine's time, for ever. */
void ww_share_time(WwMachine *m);
/** At a reset, when all channels are empty: asks those between partitions for their room. */
void ww_reset_windows(WwMachine *m);
/** Derives runs and stages of the partitions of a machine that is ready, or says why there are none. */
void ww_plan_windows(WwMachine *m);
/** The wake of entry point @p e for whoever is in @p from. */
WwWake ww_post(WwMachine *m, WwPartition *from, WwEntry *e);
/** Makes the partitions, and gives each its time; before entry points are placed. */
void ww_make_partitions(WwMachine *m);
/** All partitions have the machine's time. */
void ww_spread_time(const WwMachine *m);
/** The same, if they have not. */
static inline void ww_catch_up_time(WwMachine *m)
{
    if (m->late) {
        m->late = false;
        ww_spread_time(m);
    }
}
/** The partition that entry point @p row of @p c belongs to. */
WwPartition *ww_partition_of(const WwComponent *c, const WwEntryRow *row);
/** Accounts for the slept turns of everything in @p block. */
void ww_block_settle(WwMachine *m, Block *block);
/** "FILE:LINE:COL: " or "" as a prefix of errors; newly allocated. */
char *ww_location_text(WwLocation where);
/** Path of a group; newly allocated. */
char *ww_group_path(const WwGroup *group);
/** "path (type)" for errors; newly allocated. */
char *ww_component_text(const WwComponent *c);
