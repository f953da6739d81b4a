/* SPDX-License-Identifier: Apache-2.0 */
/** @file The plain model of a DRAM channel: the rules of dram.frfcfs, as slow as can be. */
#pragma once

#include "tests.h"

enum { BANKS = 64, GROUPS = BANKS, SLICES = 4 };

/** Timing, sizes and choices, as the component's parameters say them. */
typedef struct Shape {
    uint32_t nbk, ccd, rrd, rcd, ras, rp, rc, cl, wl, cdlr, wr, nbkgrp, ccdl, rtpl;
    uint32_t burst, atom, latency, slices, sched_queue, return_queue, write_queue, write_high,
        write_low, depth;
    bool dual, low_groups, xor_banks, separate, eliminate, fifo;
} Shape;

typedef struct Ask {
    WwMemReq *mem;
    uint32_t bank, row, sent, delivered;
    uint64_t stamp;
} Ask;

typedef struct Plain {
    Shape s;
    uint64_t time, interval;                  /* of its beginning */
    GQueue request[SLICES], response[SLICES]; /* WwMemReq */
    GQueue waiting;                           /* Ask: latency queue, stamp is when it is ready */
    GQueue input, pending[2];                 /* Ask, in order of arrival */
    GQueue returns;                           /* WwMemReq */
    GQueue rwq;                               /* Ask or &empty */
    uint32_t rwq_min;
    Ask *mrq[BANKS];
    bool active[BANKS], picked[2][BANKS], write_mode, writing;
    uint32_t row[BANKS], picked_row[2][BANKS], prio, last, private_out[SLICES];
    int shared_out;
    uint32_t rcdc[BANKS], rcdwrc[BANKS], rasc[BANKS], rcc[BANKS], rpc[BANKS], wtpc[BANKS],
        rtpc[BANKS];
    uint32_t ccdc, rrdc, rtwc, wtrc, ccdlc[GROUPS], rtplc[GROUPS];
    uint32_t rtw_wrapped,
        rcdwr_wrapped[BANKS]; /* as the reference has them: for the activity count */
    uint64_t n_cmd, n_nop, n_activity, n_act, n_pre, n_req, n_rd, n_rd_l2_a, n_write, n_wr_bk,
        bw_util;
    uint64_t selections, row_hits, row_changes, mrq_latency_sum, mrq_latency_max, released,
        n_access[BANKS];
    uint64_t occupied, occupied_cycles, open, open_cycles, ready, ready_cycles, open_groups;
    uint64_t util_bw, wasted_col, wasted_row, idle, queue_sum, queue_max, both_commands, n_sent;
    uint64_t write_share, limits[9], n_idle[BANKS], reads[BANKS], writes[BANKS];
    uint64_t picks[BANKS], changes[BANKS], of_a_row[BANKS], most[BANKS], since[BANKS],
        service[BANKS];
} Plain;

Plain *plain_new(Shape shape);
void plain_free(Plain *p);
/** One cycle. What slices send stands in `request`, what comes back in `response`. */
void plain_step(Plain *p);
/** Does a backlog keep it busy? (Without a limit of the scheduler's queue it can be long.) */
bool plain_works(const Plain *p);
