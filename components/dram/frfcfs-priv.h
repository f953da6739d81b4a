/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file State of a DRAM channel with command timing, shared by its three files: scheduler queues,
 * commands and data pipe, the component.
 *
 * Timing is kept as the cycle from which a thing is allowed ("due": allowed when now >= due), never
 * as a counter that somebody has to decrement: a value v loaded in cycle x is due at x + v, and a
 * channel in which nothing can happen sleeps without losing anything. Banks are bits of masks by
 * what their request needs: a column command (row open), an activation, a precharge.
 */
#pragma once

#include "front-priv.h"

#include <warpwright/pool.h>

enum { MAX_BANKS = 64, MAX_GROUPS = MAX_BANKS, CLASSES = 32 };

/* A set of banks. */
typedef uint64_t Banks;

static inline Banks bank_bit(uint32_t b)
{
    return (Banks)1 << b;
}

/* What a request that finds its row open waits for. */
typedef enum Limit {
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
} Limit;

typedef enum Scheduler { SCHEDULER_FIFO, SCHEDULER_FRFCFS } Scheduler;
typedef enum BankIndex { BANK_LINEAR, BANK_XOR, BANK_IPOLY } BankIndex;
typedef enum GroupIndex { GROUP_HIGH, GROUP_LOW } GroupIndex;

/* A request inside the channel. */
typedef struct Job {
    WwMemReq *mem;
    struct Job *next; /* In its row's queue, or free. */
    WwCycle stamp;    /* Core cycle in which it came. */
    uint64_t order;   /* Of arrival. */
    uint32_t row, bank;
    uint32_t size, sent, delivered; /* Bytes: wanted, by column commands, by the data pipe. */
    bool write;
} Job;

/* Requests of a bank for one row, oldest first. */
typedef struct RowQueue {
    struct RowQueue *next;
    Job *first, *last;
    uint32_t row;
} RowQueue;

typedef struct BankQueue {
    RowQueue *rows;     /* Unordered: a handful. */
    RowQueue *selected; /* Served until empty. */
} BankQueue;

/* A column command on its way through the data pipe. */
typedef struct Beat {
    Job *job;
    uint64_t cell;
} Beat;

/*
 * The delay line between column command and data. Cells are numbered; one leaves per cycle unless
 * the return queue is full. Its minimum length keeps padding it with empty cells, which is a
 * maximum taken when somebody looks.
 */
typedef struct Pipe {
    Beat *beat;     /* Occupied cells, */
    WwRing ring;    /* in order. */
    uint64_t first; /* Number of the cell that leaves next. */
    uint64_t end;   /* One past the last cell, before padding. */
    uint64_t last;  /* One past the last occupied cell ever. */
    uint32_t least; /* Minimum length now. */
} Pipe;

typedef struct Frfcfs {
    WwComponent base;
    /* parameters: timing in cycles of the DRAM's clock */
    uint32_t nbk, ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, nbkgrp, ccdl, rtpl;
    uint32_t buswidth, burst_length, data_command_ratio, chips;
    uint32_t scheduler, bank_index, group_index;
    bool dual_bus, one_command;
    bool separate_write_queue, eliminate_turnaround;
    uint32_t sched_queue, return_queue, write_queue, write_high, write_low, row_limit;
    uint32_t latency;
    bool latency_in_core_cycles;
    /* ports */
    WwPort request[MAX_SLICES], response[MAX_SLICES];
    uint32_t n_request, n_response;
    /* state: from parameters */
    uint32_t atom;  /* Bytes of a column command. */
    uint32_t burst; /* Cycles of one. */
    uint32_t rcdwr, rtw, wtr, wtp;
    uint64_t rcdwr_counts, rtw_counts; /* The same in n_activity. */
    uint32_t return_limit;             /* Places of the return queue. */
    Banks groups_of[MAX_GROUPS];
    uint8_t group[MAX_BANKS];
    Banks all;
    /* state: requests on their way in and out */
    Front front;
    DelayQueue returns;
    Job *input[2]; /* Between latency queue and scheduler. */
    uint32_t n_input;
    WwPool jobs, rows;
    /* state: scheduler; [1]: writes, with a queue of their own */
    BankQueue queue[2][MAX_BANKS];
    Banks queued[2]; /* Those for which something waits. */
    uint32_t pending[2];
    uint64_t arrivals;
    bool write_mode;
    /* state: banks */
    Job *job[MAX_BANKS];
    uint32_t row[MAX_BANKS];
    uint32_t prio;                                  /* Bank looked at first. */
    Banks busy;                                     /* Those with a request, */
    Banks open_read, open_write, closed, other_row; /* by what it needs. */
    Banks active;                                   /* Those with an open row. */
    Banks young; /* Activated, and not seen since to be past RCD. */
    WwCycle ccd_due, rrd_due, rtw_due, wtr_due;
    WwCycle ccdl_due[MAX_GROUPS], rtpl_due[MAX_GROUPS];
    WwCycle rcd_due[MAX_BANKS], rcdwr_due[MAX_BANKS];
    WwCycle activate_due[MAX_BANKS], precharge_due[MAX_BANKS];
    WwCycle quiet; /* From here on no counter of any bank runs. */
    bool writing;  /* Direction of the bus. */
    Pipe pipe;
    WwCycle next;    /* Cycle after the last one that ran. */
    WwCycle counted; /* Cycles that the statistics have. */
    /* statistics */
    uint64_t n_cmd, n_nop, n_activity, n_act, n_pre, n_sent, n_req, n_rd, n_rd_l2_a, n_write,
        n_wr_bk;
    uint64_t bw_util;
    uint64_t reads, writes;
    uint64_t selections, row_hits, reads_selected, read_hits, writes_selected, write_hits,
        row_changes;
    uint64_t most_of_a_row;
    uint64_t mrq_latency_sum, mrq_latency_max, mrq_latency_table[CLASSES];
    uint64_t occupied, occupied_cycles, open, open_cycles, open_groups, ready, ready_cycles;
    uint64_t util_bw, wasted_col, wasted_row, idle;
    uint64_t queue_sum, queue_max;
    uint64_t row_commands, column_commands, both_commands;
    uint64_t write_share; /* Of 1 << 32 a cycle. */
    uint64_t limits[N_LIMITS];
    uint64_t n_access[MAX_BANKS];
    uint64_t bank_reads[MAX_BANKS], bank_writes[MAX_BANKS]; /* By the bank of the address. */
    uint64_t bank_busy[MAX_BANKS], bank_seen_twice[MAX_BANKS], bank_passed_over[MAX_BANKS];
    uint64_t bank_selections[MAX_BANKS], bank_row_changes[MAX_BANKS];
    uint64_t bank_most_of_a_row[MAX_BANKS], bank_service_max[MAX_BANKS];
    /* state: for statistics */
    uint32_t of_a_row[MAX_BANKS];
    WwCycle row_since[MAX_BANKS]; /* Of its interval: core cycle of the last choice by age. */
} Frfcfs;

static inline uint32_t log2_class(uint64_t v)
{
    return v == 0 ? 0 : MIN(63u - (uint32_t)__builtin_clzll(v), CLASSES - 1u);
}

/* Lowest bank of @p mask (not 0) from @p from on, round to it again. */
static inline uint32_t bank_from(Banks mask, uint32_t from)
{
    Banks upper = mask & (~(Banks)0 << from);
    return (uint32_t)__builtin_ctzll(upper != 0 ? upper : mask);
}

/* ---- scheduler (frfcfs_queue.c) ------------------------------------------------------------ */

/* A new request, into the input. */
void queue_push(Frfcfs *d, WwMemReq *req, WwCycle time);
/* One cycle: input into the queues, one request to a free bank. */
void queue_schedule(Frfcfs *d, WwCycle time);
/* Can queue_schedule() do anything in the next cycle? */
bool queue_has_work(const Frfcfs *d);
void queue_reset(Frfcfs *d);

/* No more of this kind may come. */
static inline bool queue_full(const Frfcfs *d, bool write)
{
    if (d->scheduler == SCHEDULER_FIFO) {
        return d->n_input == 2;
    }
    if (d->sched_queue == 0) {
        return false;
    }
    return d->separate_write_queue && write ? d->pending[1] >= d->write_queue
                                            : d->pending[0] >= d->sched_queue;
}

/* ---- banks and data pipe (frfcfs_command.c) ------------------------------------------------ */

/* Bank @p b serves @p job from now on. */
void bank_serve(Frfcfs *d, uint32_t b, Job *job);
/* Issues the commands of cycle @p now and counts the cycle. */
void commands(Frfcfs *d, WwCycle now);
/* First cycle after @p now in which a command may be possible. */
WwCycle commands_next(const Frfcfs *d, WwCycle now);
/* Counts @p n cycles in which nothing happened. */
void commands_settle(Frfcfs *d, uint64_t n);
void commands_reset(Frfcfs *d);

static inline uint64_t pipe_end(const Pipe *p)
{
    return MAX(p->end, p->first + p->least);
}

/* What it holds: as many cells as data take, and one. */
static inline uint32_t pipe_places(const Frfcfs *d)
{
    return MAX(d->cl, d->pipe.least) + 1;
}

static inline bool pipe_full(const Frfcfs *d)
{
    return pipe_end(&d->pipe) - d->pipe.first >= pipe_places(d);
}
