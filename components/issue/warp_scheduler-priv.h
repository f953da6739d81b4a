/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * State of a warp scheduler, shared by its type (warp_scheduler.c), its turns (warp_scheduler_turn.c, warp_scheduler_walk.c), what hardly happens in
 * them (warp_scheduler_odd.c), what it says about ticks without one (warp_scheduler_why.c) and tells of its
 * warps (warp_scheduler_tell.c), and how it is joined to the rest (warp_scheduler_wiring.c).
 */
#pragma once

#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/pcs_book.h>
#include <ports/register_set.h>
#include <ports/warps.h>

#define MAX_ISSUE 0x7fffffffu
/* Beside the active lanes of an issue: to its warp, or to others, more has happened, or may in this tick. */
#define MORE 64u

typedef enum Unit {
    UNIT_NONE,
    UNIT_SP,
    UNIT_DP,
    UNIT_INT,
    UNIT_SFU,
    UNIT_MEM,
    UNIT_TENSOR,
    UNIT_SPEC,   /* all specialised units are one class */
    UNIT_LAUNCH, /* no unit: a device-side launch that has not taken its time */
    N_UNITS
} Unit;

#define N_QUEUES (6u + WW_NUM_SPEC) /* Ports that instructions are issued to. */

/* Why nothing issued; later entries are nearer to issuing. */
typedef enum Cause {
    CAUSE_NO_WARP = WW_STALL_NO_WARP,
    CAUSE_BARRIER = WW_STALL_BARRIER,
    CAUSE_MEMBAR = WW_STALL_MEMBAR,
    CAUSE_ASYNC = WW_STALL_ASYNC,
    CAUSE_ATOMIC = WW_STALL_ATOMIC,
    CAUSE_FETCH = WW_STALL_FETCH,
    CAUSE_POLICY = WW_STALL_POLICY,
    CAUSE_LONG = WW_STALL_LONG,
    CAUSE_SHORT = WW_STALL_SHORT,
    CAUSE_UNIT = WW_STALL_UNIT, /* + unit - 1 */
    N_CAUSES = CAUSE_UNIT + N_UNITS - 1
} Cause;
#define NOT_QUIET N_CAUSES
G_STATIC_ASSERT(N_CAUSES == (int)WW_N_SCHEDULER_STALLS);

typedef enum Outcome { ISSUED, IDLE, SCOREBOARD, STALL } Outcome;

/* Of one that tells, once it has started: which turns are its. */
typedef enum Turns { UNSTARTED, QUICK, LIMITED, WALKS } Turns;

/* Where a category goes. */
typedef struct Route {
    const WwPort *port;
    Unit unit;
    uint32_t queue;          /* Number of the port: the same for all that go there. */
    const WwEventWord *name; /* for events and errors */
} Route;

/* What each turn touches comes first, close together. */
typedef struct WarpScheduler {
    WwComponent base;
    /* parameters */
    uint32_t max_issue;
    bool dual_issue_diff_units;
    bool atomics_block, membar_needs_look, membar_waits_stores, count_empty_as_stall;
    /* state */
    bool quick;   /* wiring: the scoreboard shows its registers, the policy has first() */
    bool limited; /* the same, and limits() */
    bool started;
    bool acted;      /* in this tick: something other than an issue has changed */
    bool counting;   /* in this tick: a device-side launch takes its time */
    Unit refused;    /* in this tick: unit of the first instruction that was ready and not taken */
    Outcome outcome; /* of the last tick: what slept ticks repeat */
    Cause cause;
    uint32_t more;         /* it may issue several instructions in a tick; see issue() */
    uint32_t touches;      /* of the warps, when `clear` was right */
    uint64_t blocked;      /* warps whose head collides with a pending register, */
    uint64_t blocked_long; /* of these, with one that a long operation will write */
    uint64_t clear;        /* warps whose head was found to collide with none */
    uint64_t can; /* warps that do not wait (memory barriers that end when looked at aside) */
    WwPolicyView view;
    const WwHazardView *hazards;
    const WwSimtView *simt_view;
    const WwPolicyIf *policy_if;
    const WwWarpsIf *warps_if;
    const WwScoreboardIf *hazard_if;
    WwPort policy, warps, hazard;       /* ports */
    uint64_t ready[N_QUEUES];           /* of the clear warps, those whose head goes to the port */
    const WwRegisterSet *set[N_QUEUES]; /* of a bound port: its registers, */
    uint64_t slots[N_QUEUES];           /* and those of them that the scheduler may fill */
    const WwPort *port[N_QUEUES];
    const Route *way[N_QUEUES]; /* a category that goes to each port */
    uint8_t unit[N_QUEUES];
    uint8_t queue[WW_MAX_WARPS]; /* of a clear warp: where its head goes */
    Route route[WW_N_OPS];
    /* ports */
    WwPort barriers, simt;
    WwPort sp, dp, int_, sfu, mem, tensor;
    WwPort spec[WW_NUM_SPEC];
    uint32_t n_spec;
    /* wiring */
    uint32_t schedulers; /* of the SM: warp w belongs to number w mod schedulers */
    const WwBarriersIf *barriers_if;
    const WwSimtIf *simt_if;
    /* state of a tick that walks through the warps */
    uint64_t due;   /* warps whose memory barrier ends when looked at */
    uint64_t odd;   /* warps that are more than a trace makes them: a guest, unsure ones */
    uint64_t full;  /* clear warps whose port has no free register */
    uint64_t guest; /* a warp of another scheduler that the policy may name */
    /* parameters, of what is rare */
    WwList launch_latency, spec_categories;
    /* who is told of warps and slots, if somebody is */
    WwPort pcs;
    const WwPcsIf *pcs_if;
    WwPcsBook *book;
    WwPcsScheduler *cycles;
    Turns turns;
    bool tell_all; /* in the next quick tick, whatever was told */
    bool walking;  /* quick: the last tick walked */
    /* Walks, and where the policy has limits(): the cause of the last tick without an issue, if nothing was told since; or NOT_QUIET. */
    Cause quiet_cause;
    int32_t blamed; /* warp whose row slots are lost to; -1: they count where `cycles` says */
    /* Walks: masks of the scheduler's warps when all of them were told of. */
    uint64_t told_can, told_waiting[6];
    uint64_t quick_can; /* Quick ticks: warps that could issue when all of them were told of. */
    uint64_t strange;   /* in this tick: warps whose state is of this tick only, */
    uint64_t unasked;   /* and those whose ports it does not ask first */
    /* Warps whose heads collide, of those that no walk has tried: looked at for telling only. */
    uint64_t seen_blocked, seen_long;
    /* statistics */
    uint64_t stall;
    uint64_t idle;
    uint64_t scoreboard_wait;
    uint64_t single_issue;
    uint64_t dual_issue;
    uint64_t flushes;
    uint64_t issued[WW_WARP_SIZE + 1];
    uint64_t warp_issue[WW_MAX_WARPS];
    uint64_t causes[N_CAUSES];
} WarpScheduler;

extern const char *const warp_scheduler_causes[N_CAUSES];

/** Is somebody told of warps and slots? */
static inline bool warp_scheduler_tells(const WarpScheduler *s)
{
    return WW_BOUND(&s->pcs);
}

/**
 * Of @p warps, those that a memory barrier of theirs would still hold: with pending registers; with
 * membar_waits_stores also with stores or atomics that are not acknowledged, or with anything
 * issued that has not left the pipeline, for a store is counted only when it enters memory.
 */
static inline uint64_t warp_scheduler_unsettled(const WarpScheduler *s, uint64_t warps)
{
    const WwWarpView *w = s->view.warps;
    uint64_t mask = warps & s->hazards->pending;
    if (s->membar_waits_stores) {
        mask |= warps & (w->stores | w->atomics);
        for (uint64_t m = warps & ~mask; m != 0; m &= m - 1) {
            const WwWarp *warp = &w->warp[__builtin_ctzll(m)];
            uint32_t decoded = 0; /* and not issued */
            for (uint32_t i = 0; i < WW_IBUFFER; i++) {
                decoded += warp->ibuf[i] != NULL;
            }
            mask |= warp->in_pipeline > decoded ? m & -m : 0;
        }
    }
    return mask;
}

/** Atomics of a warp that keep it from issuing. */
static inline uint64_t warp_scheduler_atomics(const WarpScheduler *s)
{
    return s->atomics_block ? s->view.warps->atomics : 0;
}

/** The head of @p warp collides with no pending register, and does not before it has issued. */
static inline void warp_scheduler_remember(WarpScheduler *s, uint32_t warp, uint32_t queue)
{
    uint64_t bit = 1ull << warp;
    s->clear |= bit;
    s->ready[queue] |= bit;
    s->queue[warp] = (uint8_t)queue;
}

/** Nothing is known of the head of @p warp. */
static inline void warp_scheduler_forget(WarpScheduler *s, uint32_t warp)
{
    uint64_t bit = 1ull << warp;
    if (s->clear & bit) {
        s->clear &= ~bit;
        s->ready[s->queue[warp]] &= ~bit;
    }
}

/** The head of a warp waits for a register: it is not looked at again before one of the warp is released. */
static inline void warp_scheduler_block(WarpScheduler *s, uint64_t bit, bool slow)
{
    s->blocked |= bit;
    s->blocked_long |= slow ? bit : 0;
    if (s->hazards->changed & s->view.mine & bit) {
        s->hazard_if->seen(s->hazard.peer, bit); /* the next release is to be told */
    }
}

/** ww_regs_free() of port @p q, which is bound. */
static inline int warp_scheduler_room(const WarpScheduler *s, uint32_t q)
{
    uint64_t empty = s->slots[q] & ~s->set[q]->full;
    if (empty != 0) {
        return __builtin_ctzll(empty);
    }
    ww_regs_await(s->port[q], s->view.scheduler);
    return -1;
}

/* ---- warp_scheduler_turn.c ----------------------------------------------------------------- */

/** A turn of one of whom nobody is told, */
WwRest warp_scheduler_tick(void *self);
/** of one that tells, */
WwRest warp_scheduler_telling_tick(void *self);
/** and @p n turns that it slept through. */
void warp_scheduler_settle(void *self, uint32_t entry, uint64_t n);
/** Another scheduler has issued one of the warps: nothing is known of their heads. */
void warp_scheduler_forget_all(WarpScheduler *s);
/** Issues the head of a warp into register @p slot of its port; @p first: of the tick. */
void warp_scheduler_issue(WarpScheduler *s, uint32_t warp, const Route *route, int slot,
                          bool first);

/* ---- warp_scheduler_walk.c ----------------------------------------------------------------- */

/** A tick in which the warps are tried one after the other, as the policy orders them. */
WwRest warp_scheduler_walk(WarpScheduler *s);
/** The same where somebody is told. */
WwRest warp_scheduler_walk_telling(WarpScheduler *s);
/** @p warp has issued an instruction to @p previous: issues more if it may; how many it was in all. */
uint32_t warp_scheduler_go_on(WarpScheduler *s, uint32_t warp, Unit previous);

/* ---- warp_scheduler_wiring.c --------------------------------------------------------------- */

/** Checks the wiring, and makes the routes. */
bool warp_scheduler_init(void *self, GError **error);
/** What is known to go to a port: its arithmetic classes, the scheduler's number. */
uint64_t warp_scheduler_carries(void *self, const WwPortRow *row, uint32_t k);

/* ---- warp_scheduler_odd.c ------------------------------------------------------------------ */

/** A known opcode whose unit this platform does not have: the run ends. */
void warp_scheduler_no_unit(WarpScheduler *s, const WwInst *inst);
/** The policy says what no policy may: the run ends, and its author knows at once. */
WwRest warp_scheduler_bad_policy(WarpScheduler *s, const char *what, int64_t number, uint32_t most);
/** Asks the policy for a guest. */
void warp_scheduler_invite(WarpScheduler *s);
/** Flushes the i-buffer of a warp that must execute something else than @p inst. Not in trace-driven runs. */
bool warp_scheduler_strays(WarpScheduler *s, uint32_t warp, const WwInst *inst);
/** One try of a device-side launch that has started to count; false: none has. */
bool warp_scheduler_launches(WarpScheduler *s, uint32_t warp);
/** A device-side launch could issue: does it have to take its time first? */
bool warp_scheduler_must_launch(WarpScheduler *s, const WwInst *inst, Unit unit);

/* ---- warp_scheduler_why.c ------------------------------------------------------------------ */

/** Nothing has issued in this tick: finds out why, for the statistics. */
void warp_scheduler_find_cause(WarpScheduler *s);
/** Counts @p ticks of the outcome that the last tick had. */
static inline void warp_scheduler_count(WarpScheduler *s, uint64_t ticks)
{
    switch (s->outcome) {
    case ISSUED:
        return;
    case IDLE:
        s->idle += ticks;
        break;
    case SCOREBOARD:
        s->scoreboard_wait += ticks;
        break;
    case STALL:
        s->stall += ticks;
        break;
    }
    s->causes[s->cause] += ticks;
}
void warp_scheduler_explain(void *self, WwExplain *explain);

/* Kinds of events. */
enum { LOG_ISSUE, LOG_FLUSH, LOG_LAUNCH };
extern const WwEventRow warp_scheduler_events[];
