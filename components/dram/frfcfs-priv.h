/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file State of a DRAM channel with command timing, in parts that each have one owner. A file
 * changes its own part alone and reads others as they are handed to it:
 *
 *     DramTiming    values, fixed from init on                      frfcfs.c
 *     DramSched     requests that wait for a bank                   frfcfs_sched.c
 *     DramBanks     rows, what the banks serve, when what may come  frfcfs_banks.c
 *     DramPipe      data on their way over the bus                  frfcfs_pipe.c
 *     DramCounts    statistics                                      frfcfs_count.c
 *
 * What happens in a cycle is two values, each computed by one function, carried out by another and
 * then shown to the statistics: DramChoice, the request that goes to a bank, and DramCommands.
 *
 * Timing is kept as the cycle from which a thing is allowed ("due": allowed when now >= due), never
 * as a counter that somebody has to decrement: a value v loaded in cycle x is due at x + v, and a
 * channel in which nothing can happen sleeps without losing anything. Banks are bits of masks by
 * what their request needs: a column command (row open), an activation, a precharge.
 */
#pragma once

#include "front-priv.h"

#include <warpwright/pool.h>

enum { MAX_BANKS = WW_MAX_DRAM_BANKS, MAX_GROUPS = MAX_BANKS };

/* A set of banks. */
typedef uint64_t BankMask;

static inline BankMask bank_bit(uint32_t b)
{
    return (BankMask)1 << b;
}

/* Lowest bank of @p mask (not 0) from @p from on, round to it again. */
static inline uint32_t bank_from(BankMask mask, uint32_t from)
{
    BankMask upper = mask & (~(BankMask)0 << from);
    return (uint32_t)__builtin_ctzll(upper != 0 ? upper : mask);
}

/* A request inside the channel. */
typedef struct DramJob {
    WwMemReq *mem;
    struct DramJob *next; /* In its row's queue. */
    WwCycle stamp;        /* Core cycle in which it came. */
    uint64_t order;       /* Of arrival. */
    uint32_t row, bank;
    uint32_t size, sent, delivered; /* Bytes: wanted, by column commands, by the data pipe. */
    bool write;
} DramJob;

/* ---- values -------------------------------------------------------------------------------- */

typedef enum DramGroupIndex { GROUP_HIGH, GROUP_LOW } DramGroupIndex;

typedef struct DramTiming {
    /* parameters: in cycles of the DRAM's clock */
    uint32_t ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, ccdl, rtpl;
    bool eliminate_turnaround;
    /* parameters: the shape of banks and buses */
    uint32_t nbk, nbkgrp, bank_index, group_index;
    uint32_t buswidth, burst_length, data_command_ratio, chips;
    bool dual_bus, one_command;
    /* from parameters */
    uint32_t atom;  /* Bytes of a column command. */
    uint32_t burst; /* Cycles of one. */
    uint32_t rcdwr, rtw, wtr, wtp;
    uint64_t rcdwr_counts, rtw_counts; /* The same in n_activity. */
    BankMask all, groups_of[MAX_GROUPS];
    BankMask strays; /* No request may be for one: none of the nbk, or of none of the nbkgrp. */
    bool xor_strays; /* What rows are mixed into may be more than the nbk. */
    uint8_t group[MAX_BANKS];
} DramTiming;

/* The bank of the map with the low bits of the row mixed in. */
static inline uint32_t dram_xor_bank(const DramTiming *t, const WwMemReq *req)
{
    return req->at.bank ^ (req->at.row & (t->nbk - 1));
}

/* ---- scheduler ----------------------------------------------------------------------------- */

typedef enum DramOrder { SCHEDULER_FIFO, SCHEDULER_FRFCFS } DramOrder;

/* Requests of a bank for one row, oldest first. */
typedef struct DramRow {
    struct DramRow *next;
    DramJob *first, *last;
    uint32_t row;
} DramRow;

typedef struct DramQueue {
    DramRow *rows;     /* Unordered: a handful. */
    DramRow *selected; /* Served until empty. */
} DramQueue;

typedef struct DramSched {
    /* parameters */
    uint32_t scheduler;
    bool separate_write_queue;
    uint32_t sched_queue, write_queue, write_high, write_low, row_limit;
    /* state */
    WwPool jobs, rows;
    DramJob *input[2]; /* Between latency queue and scheduler. */
    uint32_t n_input;
    DramQueue queue[2][MAX_BANKS]; /* [1]: writes, with a queue of their own */
    BankMask queued[2];            /* Those for which something waits. */
    uint32_t pending[2];
    uint64_t arrivals;
    bool write_mode;
    uint32_t of_a_row[MAX_BANKS]; /* Requests chosen since the last choice by age. */
} DramSched;

/* Which request goes to its bank. */
typedef struct DramChoice {
    DramJob *job;      /* NULL: none. */
    bool hit;          /* It is for the row that the bank serves; else a row was chosen by age. */
    uint32_t of_a_row; /* Then: requests that were chosen since the choice by age before. */
} DramChoice;

/* ---- banks --------------------------------------------------------------------------------- */

typedef struct DramBanks {
    DramJob *job[MAX_BANKS];
    uint32_t row[MAX_BANKS];
    uint32_t first;                                    /* Bank looked at first. */
    BankMask busy;                                     /* Those with a request, */
    BankMask open_read, open_write, closed, other_row; /* by what it needs. */
    uint32_t n_busy, n_open_read, n_open_write;        /* How many these are, */
    uint32_t n_groups, open_of[MAX_GROUPS];            /* and open ones by group. */
    BankMask active;                                   /* Those with an open row. */
    BankMask young; /* Activated, and not seen since to be past RCD. */
    WwCycle ccd_due, rrd_due, rtw_due, wtr_due;
    WwCycle ccdl_due[MAX_GROUPS], rtpl_due[MAX_GROUPS];
    WwCycle rcd_due[MAX_BANKS], rcdwr_due[MAX_BANKS];
    WwCycle activate_due[MAX_BANKS], precharge_due[MAX_BANKS];
    WwCycle quiet; /* From here on no counter of any bank runs. */
} DramBanks;

/* What the command buses carry in a cycle. */
typedef struct DramCommands {
    BankMask columns;    /* Banks for which a column command was possible, of which */
    int32_t column, row; /* these get a column and a row command; -1: none does. */
    bool activates;      /* The row command: an activation; else a precharge. */
    /* a single bus with a row command: banks at which the pass looked before and after it */
    BankMask before, after;
    BankMask busy; /* Those that had a request. */
} DramCommands;

/* ---- data pipe ----------------------------------------------------------------------------- */

/* A column command on its way through the data pipe. */
typedef struct DramBeat {
    DramJob *job;
    uint64_t cell;
} DramBeat;

/*
 * The delay line between column command and data. Cells are numbered; one leaves per cycle unless
 * the return queue is full. Its minimum length keeps padding it with empty cells, which is a
 * maximum taken when somebody looks.
 */
typedef struct DramPipe {
    DramBeat *beat; /* Occupied cells, */
    WwRing ring;    /* in order. */
    uint64_t first; /* Number of the cell that leaves next. */
    uint64_t end;   /* One past the last cell, before padding. */
    uint64_t last;  /* One past the last occupied cell ever. */
    uint32_t least; /* Minimum length now. */
    bool writing;   /* Direction of the bus. */
} DramPipe;

/* ---- statistics ---------------------------------------------------------------------------- */

/* What a request that finds its row open waits for. */
typedef enum DramLimit {
    LIMIT_RCD,
    LIMIT_RCDWR,
    LIMIT_WTR,
    LIMIT_RTW,
    LIMIT_CCDL,
    LIMIT_PIPE,
    LIMIT_CCDL_ALONE,
    LIMIT_WTR_ALONE,
    LIMIT_RTW_ALONE,
    N_LIMITS
} DramLimit;

/* Of requests that come, and of choices. */
typedef struct DramChoiceCounts {
    uint64_t n_req, reads, writes;
    uint64_t bank_reads[MAX_BANKS], bank_writes[MAX_BANKS]; /* By the bank of the address. */
    uint64_t selections, row_hits, reads_selected, read_hits, writes_selected, write_hits;
    uint64_t row_changes, most_of_a_row;
    uint64_t mrq_latency_sum, mrq_latency_max, mrq_latency_table[WW_LOG2_CLASSES];
    uint64_t bank_selections[MAX_BANKS], bank_row_changes[MAX_BANKS];
    uint64_t bank_most_of_a_row[MAX_BANKS], bank_service_max[MAX_BANKS];
    /* what they need */
    WwCycle interval;             /* Core cycle in which the interval between two pauses began. */
    WwCycle row_since[MAX_BANKS]; /* Of its interval: core cycle of the last choice by age. */
} DramChoiceCounts;

/* Of commands. */
typedef struct DramCommandCounts {
    uint64_t n_nop, n_act, n_pre, n_rd, n_rd_l2_a, n_write, n_wr_bk, bw_util;
    uint64_t row_commands, column_commands, both_commands;
    uint64_t ready, ready_cycles;
    uint64_t n_access[MAX_BANKS], bank_seen_twice[MAX_BANKS], bank_passed_over[MAX_BANKS];
} DramCommandCounts;

/* Of cycles, and of what waits in them. */
typedef struct DramCycleCounts {
    uint64_t n_cmd, n_activity;
    uint64_t occupied, occupied_cycles, open, open_cycles, open_groups;
    uint64_t util_bw, wasted_col, wasted_row, idle;
    uint64_t queue_sum, queue_max;
    uint64_t write_share; /* Of 1 << 32 a cycle. */
    uint64_t limits[N_LIMITS];
    uint64_t bank_busy[MAX_BANKS];
    /* what they need */
    WwCycle counted; /* Cycles that they have. */
} DramCycleCounts;

/* ---- the whole ----------------------------------------------------------------------------- */

typedef struct Frfcfs {
    WwComponent base;
    /* parameters */
    DramTiming timing;
    uint32_t return_queue, latency;
    bool latency_in_core_cycles;
    /* ports */
    WwPort request[MAX_SLICES], response[MAX_SLICES];
    uint32_t n_request, n_response;
    /* state */
    Front front; /* Requests on their way in, */
    DramSched sched;
    DramBanks banks;
    DramPipe pipe;
    DelayQueue returns;    /* and out. */
    uint32_t return_limit; /* Places of it. */
    WwCycle next;          /* Cycle after the last one that ran. */
    /* statistics */
    uint64_t n_sent;
    DramChoiceCounts choices;
    DramCommandCounts commands;
    DramCycleCounts cycles;
} Frfcfs;

/* Data wait for room in the return queue: the pipe stands still. */
static inline bool dram_pipe_stands(const Frfcfs *d)
{
    return d->returns.ring.n >= d->return_limit;
}

/* ---- scheduler (frfcfs_sched.c) ------------------------------------------------------------ */

void dram_sched_init(DramSched *s, void *self);
void dram_sched_reset(DramSched *s);
/* A new request, into the input. */
const DramJob *dram_sched_push(DramSched *s, const DramTiming *t, WwMemReq *req, WwCycle time);
/* The data of a request have gone over the bus. */
void dram_sched_end(DramSched *s, DramJob *job);
/* One cycle: input into the queues, and which request goes to a free bank. */
DramChoice dram_sched_choose(DramSched *s, const DramTiming *t, const DramBanks *banks);
/* Can dram_sched_choose() do anything in the next cycle? */
bool dram_sched_has_work(const DramSched *s, const DramTiming *t, const DramBanks *banks);
/* Says which requests wait. */
void dram_sched_explain(const DramSched *s, const DramTiming *t, WwExplain *explain);

/* No more of this kind may come. */
static inline bool dram_sched_full(const DramSched *s, bool write)
{
    if (s->scheduler == SCHEDULER_FIFO) {
        return s->n_input == 2;
    }
    if (s->sched_queue == 0) {
        return false;
    }
    return s->separate_write_queue && write ? s->pending[1] >= s->write_queue
                                            : s->pending[0] >= s->sched_queue;
}

/* ---- banks (frfcfs_banks.c) ---------------------------------------------------------------- */

void dram_banks_reset(DramBanks *b);
/* The bank of @p job serves it from now on. */
void dram_banks_serve(DramBanks *b, const DramTiming *t, DramJob *job);
/* The commands of cycle @p now; @p pipe_full: no column command. */
DramCommands dram_banks_decide(DramBanks *b, const DramTiming *t, bool pipe_full, WwCycle now);
/* A row command or a column command is given to bank @p i. */
void dram_banks_row(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now);
void dram_banks_column(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now);
/* First cycle after @p now in which a command may be possible; @p stalled: no column command is. */
WwCycle dram_banks_next(const DramBanks *b, const DramTiming *t, bool stalled, WwCycle now);

/* ---- data pipe (frfcfs_pipe.c) ------------------------------------------------------------- */

void dram_pipe_init(DramPipe *p, const DramTiming *t, void *self);
void dram_pipe_reset(DramPipe *p, const DramTiming *t);
/* A column command for @p job. */
void dram_pipe_push(DramPipe *p, const DramTiming *t, DramJob *job);
/* One cell leaves: with data of this request; NULL: it is empty. */
DramJob *dram_pipe_pop(DramPipe *p);
/*
 * In how many of @p n cycles from @p from on is it full, if nothing is done from cycle @p next on?
 * @p stands: nothing leaves.
 */
uint64_t dram_pipe_cycles_full(const DramPipe *p, const DramTiming *t, bool stands, WwCycle next,
                               WwCycle from, uint64_t n);

static inline uint64_t dram_pipe_end(const DramPipe *p)
{
    return MAX(p->end, p->first + p->least);
}

/* What it holds: as many cells as data take, and one. */
static inline uint32_t dram_pipe_places(const DramPipe *p, const DramTiming *t)
{
    return MAX(t->cl, p->least) + 1;
}

static inline bool dram_pipe_full(const DramPipe *p, const DramTiming *t)
{
    return dram_pipe_end(p) - p->first >= dram_pipe_places(p, t);
}

/* ---- statistics (frfcfs_count.c) ----------------------------------------------------------- */

/* A request came. */
void dram_count_request(Frfcfs *d, const DramJob *job);
/* One was chosen. */
void dram_count_choice(Frfcfs *d, const DramChoice *choice);
/* Cycle @p now before its commands; */
void dram_count_begin(Frfcfs *d, WwCycle now);
/* that no bank had a request in it, or, after them, what they were. */
void dram_count_idle(Frfcfs *d, WwCycle now);
void dram_count_commands(Frfcfs *d, const DramCommands *c, WwCycle now);
/* @p n cycles in which nothing happened. */
void dram_count_slept(Frfcfs *d, uint64_t n);
void dram_count_reset(Frfcfs *d);
/* The run goes on after a pause. */
void dram_count_resume(Frfcfs *d);

/* How many of the cycles @p from .. @p from + n - 1 are before @p due. */
static inline uint64_t cycles_before(WwCycle due, WwCycle from, uint64_t n)
{
    return due > from ? MIN(due - from, n) : 0;
}
