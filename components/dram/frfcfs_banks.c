/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands to the banks, the data pipe, and what is counted of them.
 *
 * With two command buses a cycle issues the first possible column command and the first possible
 * row command, in bank order from `prio`. With one bus a single pass over the banks looks for a
 * column command, or else a row command; a row command moves `prio` in the middle of the pass, so
 * that some banks are looked at twice and some not at all, and one of those may still get a column
 * command.
 *
 * Workload: up to 16 banks hold a request, two or three of them can do anything. Which banks need
 * which command are masks; only those that pass what is common to all (bus, direction, bank group)
 * are looked at one by one.
 */
#include "frfcfs-priv.h"

/* ---- data pipe ----------------------------------------------------------------------------- */

/* Behind the last command, or in the last cell if that is empty. */
static void pipe_push(Pipe *p, Job *job)
{
    p->end = pipe_end(p);
    if (p->end == p->first || p->last == p->end) {
        p->end++;
    }
    p->last = p->end;
    p->beat[ww_ring_put(&p->ring)] = (Beat){job, p->end - 1};
}

/* The other direction has another minimum; empty cells at the end go, or come. */
static void turn_bus(Frfcfs *d, bool writing)
{
    Pipe *p = &d->pipe;
    d->writing = writing;
    p->end = pipe_end(p);
    p->least = writing ? d->wl : d->cl;
    uint64_t occupied = MAX(p->last, p->first);
    p->end = MIN(p->end, MAX(p->first + p->least, occupied));
}

/* ---- banks --------------------------------------------------------------------------------- */

void bank_serve(Frfcfs *d, uint32_t b, Job *job)
{
    Banks bit = bank_bit(b);
    d->job[b] = job;
    d->busy |= bit;
    if (!(d->active & bit)) {
        d->closed |= bit;
    } else if (d->row[b] != job->row) {
        d->other_row |= bit;
    } else {
        *(job->write ? &d->open_write : &d->open_read) |= bit;
    }
}

/* Banks among @p mask that are past RCD for what they want. */
static Banks past_rcd(Frfcfs *d, Banks mask, WwCycle now)
{
    for (Banks m = mask & d->young; m != 0; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        Banks bit = m & -m;
        if (now >= d->rcd_due[b] && now >= d->rcdwr_due[b]) {
            d->young &= ~bit;
        } else if (now < (d->open_read & bit ? d->rcd_due[b] : d->rcdwr_due[b])) {
            mask &= ~bit;
        }
    }
    return mask;
}

/* Banks for which a column command is possible. */
static Banks possible_columns(Frfcfs *d, WwCycle now)
{
    if (now < d->ccd_due || (d->open_read | d->open_write) == 0 || pipe_full(d)) {
        return 0;
    }
    Banks mask = (now >= d->wtr_due ? d->open_read : 0) | (now >= d->rtw_due ? d->open_write : 0);
    for (uint32_t g = 0; g < d->nbkgrp; g++) {
        if (now < d->ccdl_due[g]) {
            mask &= ~d->groups_of[g];
        }
    }
    return past_rcd(d, mask, now);
}

/* Banks for which an activation or a precharge is possible. */
static Banks possible_rows(const Frfcfs *d, WwCycle now)
{
    Banks possible = 0;
    for (Banks m = now >= d->rrd_due ? d->closed : 0; m != 0; m &= m - 1) {
        possible |= now >= d->activate_due[__builtin_ctzll(m)] ? m & -m : 0;
    }
    for (Banks m = d->other_row; m != 0; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        possible |= now >= d->precharge_due[b] && now >= d->rtpl_due[d->group[b]] ? m & -m : 0;
    }
    return possible;
}

static void count_column(Frfcfs *d, const Job *j, uint32_t b)
{
    d->bw_util += d->burst;
    if (j->write) {
        *(j->mem->type == WW_ACCESS_L2_WRBK ? &d->n_wr_bk : &d->n_write) += 1;
    } else {
        *(j->mem->type == WW_ACCESS_L2_WR_ALLOC_R ? &d->n_rd_l2_a : &d->n_rd) += 1;
        d->n_access[b]++;
    }
}

static void issue_column(Frfcfs *d, uint32_t b, WwCycle now)
{
    Job *j = d->job[b];
    uint32_t g = d->group[b];
    Banks bit = bank_bit(b);
    if (d->writing != j->write) {
        turn_bus(d, j->write);
    }
    pipe_push(&d->pipe, j);
    j->sent += d->atom;
    d->ccd_due = now + d->ccd;
    d->ccdl_due[g] = now + d->ccdl;
    d->quiet = MAX(d->quiet, d->ccd_due);
    if (j->write) {
        d->wtr_due = now + d->wtr;
        d->quiet = MAX(d->quiet, d->wtr_due);
        d->precharge_due[b] = MAX(d->precharge_due[b], now + d->wtp);
    } else {
        d->rtw_due = now + d->rtw;
        d->quiet = MAX(d->quiet, now + d->rtw_counts);
        d->precharge_due[b] = MAX(d->precharge_due[b], now + d->burst);
        d->rtpl_due[g] = now + d->rtpl;
    }
    count_column(d, j, b);
    WW_EVENT(d, "column", (int64_t)b, "%s row=%u", j->write ? "write" : "read", j->row);
    if (j->sent >= j->size) {
        d->busy &= ~bit;
        d->open_read &= ~bit;
        d->open_write &= ~bit;
    }
}

static void issue_row(Frfcfs *d, uint32_t b, WwCycle now)
{
    Job *j = d->job[b];
    Banks bit = bank_bit(b);
    if (d->closed & bit) {
        d->closed &= ~bit;
        d->active |= bit;
        d->young |= bit;
        *(j->write ? &d->open_write : &d->open_read) |= bit;
        d->row[b] = j->row;
        d->rrd_due = now + d->rrd;
        d->rcd_due[b] = now + d->rcd;
        d->rcdwr_due[b] = now + d->rcdwr;
        d->precharge_due[b] = MAX(d->precharge_due[b], now + d->ras);
        d->activate_due[b] = MAX(d->activate_due[b], now + d->rc);
        d->quiet =
            MAX(d->quiet, now + MAX(MAX(MAX(d->rrd, d->rcd), MAX(d->ras, d->rc)), d->rcdwr_counts));
        d->n_act++;
        WW_EVENT(d, "activate", (int64_t)b, "row=%u", j->row);
    } else {
        d->other_row &= ~bit;
        d->active &= ~bit;
        d->closed |= bit;
        d->activate_due[b] = MAX(d->activate_due[b], now + d->rp);
        d->quiet = MAX(d->quiet, now + d->rp);
        d->n_pre++;
        WW_EVENT(d, "precharge", (int64_t)b, "row=%u", d->row[b]);
    }
    d->prio = b + 1 == d->nbk ? 0 : b + 1;
}

/* ---- one cycle ----------------------------------------------------------------------------- */

/* @p n banks, from bank @p from on. */
static Banks banks_from(const Frfcfs *d, uint32_t from, uint32_t n)
{
    Banks run = n < MAX_BANKS ? bank_bit(n) - 1 : ~(Banks)0;
    return (run << from | (from != 0 ? run >> (d->nbk - from) : 0)) & d->all;
}

/*
 * Banks that the rest of a single-bus pass looks at after a row command to bank @p b as number @p i
 * of the pass, first @p *from.
 */
static Banks rest_of_pass(const Frfcfs *d, uint32_t b, uint32_t i, uint32_t *from)
{
    *from = (b + i + 2) % d->nbk;
    return banks_from(d, *from, d->nbk - 1 - i);
}

/*
 * Banks without a request that the two parts of a pass looked at twice, and not at all. @p busy: in
 * the first part; a column command may have freed one since.
 */
static void count_looks(Frfcfs *d, Banks begun, Banks rest, Banks busy)
{
    for (Banks m = begun & rest & ~busy; m != 0; m &= m - 1) {
        d->bank_seen_twice[__builtin_ctzll(m)]++;
    }
    for (Banks m = d->all & ~(begun | rest | d->busy); m != 0; m &= m - 1) {
        d->bank_passed_over[__builtin_ctzll(m)]++;
    }
}

static void one_bus(Frfcfs *d, WwCycle now, Banks columns, bool *column, bool *row)
{
    Banks rows = possible_rows(d, now);
    if ((columns | rows) == 0) {
        return;
    }
    uint32_t b = bank_from(columns | rows, d->prio);
    if (columns & bank_bit(b)) {
        issue_column(d, b, now);
        *column = true;
        return;
    }
    uint32_t i = (b + d->nbk - d->prio) % d->nbk, from;
    Banks busy = d->busy, begun = banks_from(d, d->prio, i + 1);
    Banks rest = rest_of_pass(d, b, i, &from);
    issue_row(d, b, now);
    *row = true;
    if (d->one_command) {
        return;
    }
    Banks possible = rest & possible_columns(d, now);
    if (possible != 0) {
        issue_column(d, bank_from(possible, from), now);
        *column = true;
    }
    count_looks(d, begun, rest, busy);
}

static void two_buses(Frfcfs *d, WwCycle now, Banks columns, bool *column, bool *row)
{
    if (columns != 0) {
        issue_column(d, bank_from(columns, d->prio), now);
        *column = true;
    }
    Banks rows = possible_rows(d, now);
    if (rows != 0) {
        issue_row(d, bank_from(rows, d->prio), now);
        *row = true;
    }
}

/* What waits, in @p n cycles in which it does not change. */
static void count_waiting(Frfcfs *d, uint64_t n)
{
    Banks open = d->open_read | d->open_write;
    uint64_t queued = d->scheduler == SCHEDULER_FIFO ? d->n_input : d->pending[0];
    d->queue_sum += n * queued;
    d->queue_max = MAX(d->queue_max, queued);
    if (d->busy != 0) {
        d->occupied += n * (uint64_t)__builtin_popcountll(d->busy);
        d->occupied_cycles += n;
    }
    if (open != 0) {
        uint32_t groups = 0;
        for (uint32_t g = 0; g < d->nbkgrp; g++) {
            groups += (open & d->groups_of[g]) != 0;
        }
        if (d->open_write != 0) {
            uint64_t writes = (uint64_t)__builtin_popcountll(d->open_write);
            d->write_share += n * ((writes << 32) / (uint64_t)__builtin_popcountll(open));
        }
        d->open += n * (uint64_t)__builtin_popcountll(open);
        d->open_groups += n * groups;
        d->open_cycles += n;
    }
}

/* How many of the cycles @p from .. @p from + n - 1 are before @p due. */
static uint64_t cycles_before(WwCycle due, WwCycle from, uint64_t n)
{
    return due > from ? MIN(due - from, n) : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/*
 * What kept the requests at open rows from a column command in @p n cycles from @p from on, of which
 * the data pipe was full in @p full.
 */
static void count_limits(Frfcfs *d, WwCycle from, uint64_t n, uint64_t full)
{
    uint64_t wtr = cycles_before(d->wtr_due, from, n), rtw = cycles_before(d->rtw_due, from, n);
    for (Banks m = d->open_read | d->open_write; m != 0; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        bool read = (d->open_read & m & -m) != 0;
        uint64_t ccdl = cycles_before(d->ccdl_due[d->group[b]], from, n), turn = read ? wtr : rtw;
        d->limits[read ? LIMIT_RCD : LIMIT_RCDWR] +=
            cycles_before(read ? d->rcd_due[b] : d->rcdwr_due[b], from, n);
        d->limits[LIMIT_CCDL] += ccdl;
        d->limits[read ? LIMIT_WTR : LIMIT_RTW] += turn;
        d->limits[LIMIT_PIPE] += full;
        d->limits[LIMIT_CCDL_ALONE] += less(ccdl, turn);
        d->limits[read ? LIMIT_WTR_ALONE : LIMIT_RTW_ALONE] += less(turn, ccdl);
    }
}

/*
 * What @p n cycles from @p from on, without a column command, were; none of them is one in which the
 * one before still ran. @p full: see above.
 */
static void count_wasted(Frfcfs *d, WwCycle from, uint64_t n, uint64_t full)
{
    if (n == 0) {
        return;
    }
    if ((d->open_read | d->open_write) != 0) {
        d->wasted_col += n;
        count_limits(d, from, n, full);
    } else if (d->busy != 0) {
        d->wasted_row += n;
    } else {
        d->idle += n;
    }
}

static void count_busy(Frfcfs *d, uint64_t n)
{
    for (Banks m = d->busy; m != 0; m &= m - 1) {
        d->bank_busy[__builtin_ctzll(m)] += n;
    }
}

void commands(Frfcfs *d, WwCycle now)
{
    bool column = false, row = false;
    d->n_cmd++;
    d->counted = now + 1;
    count_waiting(d, 1);
    if (d->busy == 0) {
        d->n_nop++;
        d->n_activity += now < d->quiet;
        *(now < d->ccd_due ? &d->util_bw : &d->idle) += 1;
        return;
    }
    Banks columns = possible_columns(d, now);
    if (columns != 0) {
        d->ready += (uint64_t)__builtin_popcountll(columns);
        d->ready_cycles++;
    }
    if (d->dual_bus) {
        two_buses(d, now, columns, &column, &row);
    } else {
        one_bus(d, now, columns, &column, &row);
    }
    d->n_activity += d->busy != 0 || now < d->quiet; /* (a command without any delay leaves rest) */
    d->n_nop += !(column || row);
    d->column_commands += column;
    d->row_commands += row;
    d->both_commands += column && row;
    if (column || now < d->ccd_due) {
        d->util_bw++;
    } else {
        count_wasted(d, now, 1, pipe_full(d));
    }
    count_busy(d, 1);
}

/*
 * In how many of @p n cycles slept from @p from on the data pipe is full. It stands while the return queue is full, else a cell
 * leaves before each cycle's commands: only one that still has the length of writes, longer than reads, is full for more than the
 * cycle that filled it.
 */
static uint64_t cycles_full(const Frfcfs *d, WwCycle from, uint64_t n)
{
    uint64_t length = pipe_end(&d->pipe) - d->pipe.first, most = pipe_places(d);
    if (length < most) {
        return 0;
    }
    return d->returns.ring.n >= d->return_limit ? n
                                                : cycles_before(d->next + (length - most), from, n);
}

void commands_settle(Frfcfs *d, uint64_t n)
{
    count_waiting(d, n);
    uint64_t used = cycles_before(d->ccd_due, d->counted, n);
    d->n_cmd += n;
    d->n_nop += n;
    d->n_activity += d->busy != 0 ? n : cycles_before(d->quiet, d->counted, n);
    d->util_bw += used;
    count_wasted(d, d->counted + used, n - used, cycles_full(d, d->counted + used, n - used));
    count_busy(d, n);
    d->counted += n;
}

/* ---- looking ahead ------------------------------------------------------------------------- */

static WwCycle next_column(const Frfcfs *d)
{
    WwCycle best = WW_NEVER;
    for (Banks m = d->open_read | d->open_write; m != 0; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        bool read = (d->open_read & m & -m) != 0;
        WwCycle t = MAX(d->ccdl_due[d->group[b]], read ? d->rcd_due[b] : d->rcdwr_due[b]);
        t = MAX(t, read ? d->wtr_due : d->rtw_due);
        best = MIN(best, t);
    }
    return best == WW_NEVER ? best : MAX(best, d->ccd_due);
}

static WwCycle next_row(const Frfcfs *d)
{
    WwCycle best = WW_NEVER;
    for (Banks m = d->closed; m != 0; m &= m - 1) {
        best = MIN(best, d->activate_due[__builtin_ctzll(m)]);
    }
    best = best == WW_NEVER ? best : MAX(best, d->rrd_due);
    for (Banks m = d->other_row; m != 0; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctzll(m);
        best = MIN(best, MAX(d->precharge_due[b], d->rtpl_due[d->group[b]]));
    }
    return best;
}

WwCycle commands_next(const Frfcfs *d, WwCycle now)
{
    if (d->busy == 0) {
        return WW_NEVER;
    }
    bool stalled = d->returns.ring.n >= d->return_limit && pipe_full(d);
    WwCycle column = stalled ? WW_NEVER : next_column(d), row = next_row(d);
    return MAX(MIN(column, row), now + 1);
}

void commands_reset(Frfcfs *d)
{
    Pipe *p = &d->pipe;
    memset(d->row, 0, sizeof d->row);
    memset(d->job, 0, sizeof d->job);
    d->prio = d->busy = d->open_read = d->open_write = d->closed = d->other_row = d->active =
        d->young = 0;
    d->ccd_due = d->rrd_due = d->rtw_due = d->wtr_due = d->quiet = 0;
    memset(d->ccdl_due, 0, sizeof d->ccdl_due);
    memset(d->rtpl_due, 0, sizeof d->rtpl_due);
    memset(d->rcd_due, 0, sizeof d->rcd_due);
    memset(d->rcdwr_due, 0, sizeof d->rcdwr_due);
    memset(d->activate_due, 0, sizeof d->activate_due);
    memset(d->precharge_due, 0, sizeof d->precharge_due);
    d->writing = false;
    ww_ring_clear(&p->ring);
    p->first = p->end = p->last = 0;
    p->least = d->cl;
    d->next = d->counted = 0;
}
