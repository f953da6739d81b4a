/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The banks of a DRAM channel, and which commands they get.
 *
 * With two command buses a cycle has the first possible column command and the first possible row
 * command, in bank order from `first`. With one bus a single pass over the banks looks for a
 * column command, or else a row command; a row command moves `first` in the middle of the pass, so
 * that some banks are looked at twice and some not at all, and one of those may still get a column
 * command.
 *
 * Workload: up to 16 banks hold a request, two or three of them can do anything. Which banks need
 * which command are masks; only those that pass what is common to all (bus, direction, bank group)
 * are looked at one by one.
 */
#include "frfcfs-priv.h"

#include <string.h>

void dram_banks_reset(DramBanks *b)
{
    memset(b, 0, sizeof *b);
}

/* The request of bank @p i finds its row open. */
static void open_bank(DramBanks *b, const DramTiming *t, uint32_t i, bool write)
{
    *(write ? &b->open_write : &b->open_read) |= bank_bit(i);
    *(write ? &b->n_open_write : &b->n_open_read) += 1;
    b->n_groups += b->open_of[t->group[i]]++ == 0;
}

/* It has its data. */
static void end_job(DramBanks *b, const DramTiming *t, uint32_t i, bool write)
{
    BankMask bit = bank_bit(i);
    b->busy &= ~bit;
    b->n_busy--;
    *(write ? &b->open_write : &b->open_read) &= ~bit;
    *(write ? &b->n_open_write : &b->n_open_read) -= 1;
    b->n_groups -= --b->open_of[t->group[i]] == 0;
}

void dram_banks_serve(DramBanks *b, const DramTiming *t, DramJob *job)
{
    uint32_t i = job->bank;
    BankMask bit = bank_bit(i);
    b->job[i] = job;
    b->busy |= bit;
    b->n_busy++;
    if (!(b->active & bit)) {
        b->closed |= bit;
    } else if (b->row[i] != job->row) {
        b->other_row |= bit;
    } else {
        open_bank(b, t, i, job->write);
    }
}

/* ---- what is possible ---------------------------------------------------------------------- */

/* Those of @p reads and @p writes that neither a bus nor their group keeps from a column command. */
static BankMask past_buses(const DramBanks *b, const DramTiming *t, BankMask reads, BankMask writes,
                           WwCycle now)
{
    BankMask mask = (now >= b->wtr_due ? reads : 0) | (now >= b->rtw_due ? writes : 0);
    for (uint32_t g = 0; g < t->nbkgrp; g++) {
        if (now < b->ccdl_due[g]) {
            mask &= ~t->groups_of[g];
        }
    }
    return now >= b->ccd_due ? mask : 0;
}

/* Banks among @p mask that are past RCD for what they want. Those past it for all are not young any more. */
static BankMask past_rcd(DramBanks *b, BankMask mask, WwCycle now)
{
    for (BankMask m = mask & b->young; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        BankMask bit = m & -m;
        if (now >= b->rcd_due[i] && now >= b->rcdwr_due[i]) {
            b->young &= ~bit;
        } else if (now < (b->open_read & bit ? b->rcd_due[i] : b->rcdwr_due[i])) {
            mask &= ~bit;
        }
    }
    return mask;
}

/* Banks for which a column command is possible. */
static BankMask possible_columns(DramBanks *b, const DramTiming *t, bool pipe_full, WwCycle now)
{
    if (now < b->ccd_due || (b->open_read | b->open_write) == 0 || pipe_full) {
        return 0;
    }
    return past_rcd(b, past_buses(b, t, b->open_read, b->open_write, now), now);
}

/* The same behind a row command to bank @p i, which may be past RCD at once. */
static BankMask columns_behind_row(const DramBanks *b, const DramTiming *t, BankMask columns,
                                   bool pipe_full, uint32_t i, WwCycle now)
{
    BankMask bit = bank_bit(i);
    bool write = b->job[i]->write;
    if ((b->closed & bit) == 0 || pipe_full || (write ? t->rcdwr : t->rcd) != 0) {
        return columns;
    }
    return columns | past_buses(b, t, write ? 0 : bit, write ? bit : 0, now);
}

/* Banks for which an activation or a precharge is possible. */
static BankMask possible_rows(const DramBanks *b, const DramTiming *t, WwCycle now)
{
    BankMask possible = 0;
    for (BankMask m = now >= b->rrd_due ? b->closed : 0; m != 0; m &= m - 1) {
        possible |= now >= b->activate_due[__builtin_ctzll(m)] ? m & -m : 0;
    }
    for (BankMask m = b->other_row; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        possible |= now >= b->precharge_due[i] && now >= b->rtpl_due[t->group[i]] ? m & -m : 0;
    }
    return possible;
}

/* The same behind a column command to bank @p i: a read keeps its group from precharges. */
static BankMask rows_behind_column(const DramBanks *b, const DramTiming *t, BankMask rows,
                                   int32_t i)
{
    bool keeps = i >= 0 && t->rtpl != 0 && !b->job[i]->write;
    return keeps ? rows & ~(b->other_row & t->groups_of[t->group[i]]) : rows;
}

/* ---- the decision -------------------------------------------------------------------------- */

/* @p n banks, from bank @p from on. */
static BankMask banks_from(const DramTiming *t, uint32_t from, uint32_t n)
{
    BankMask run = n < MAX_BANKS ? bank_bit(n) - 1 : ~(BankMask)0;
    return (run << from | (from != 0 ? run >> (t->nbk - from) : 0)) & t->all;
}

/*
 * The pass of a single bus goes on behind its row command: not at the next bank but, as it counts
 * from the new `first`, as many further on as it has looked at.
 */
static void look_on(const DramBanks *b, const DramTiming *t, bool pipe_full, WwCycle now,
                    DramCommands *c)
{
    uint32_t row = (uint32_t)c->row, looked = (row + t->nbk - b->first) % t->nbk + 1;
    uint32_t from = (row + 1 + looked) % t->nbk;
    c->before = banks_from(t, b->first, looked);
    c->after = banks_from(t, from, t->nbk - looked);
    BankMask columns = c->after & columns_behind_row(b, t, c->columns, pipe_full, row, now);
    c->column = columns != 0 ? (int32_t)bank_from(columns, from) : -1;
}

static int32_t first_of(const DramBanks *b, BankMask mask)
{
    return mask != 0 ? (int32_t)bank_from(mask, b->first) : -1;
}

DramCommands dram_banks_decide(DramBanks *b, const DramTiming *t, bool pipe_full, WwCycle now)
{
    BankMask columns = possible_columns(b, t, pipe_full, now), rows = possible_rows(b, t, now);
    DramCommands c = {.columns = columns, .column = -1, .row = -1, .busy = b->busy};
    if (t->dual_bus) {
        c.column = first_of(b, columns);
        c.row = first_of(b, rows_behind_column(b, t, rows, c.column));
    } else {
        int32_t i = first_of(b, columns | rows);
        if (i >= 0 && (columns & bank_bit((uint32_t)i)) != 0) {
            c.column = i;
        } else if (i >= 0) {
            c.row = i;
            if (!t->one_command) {
                look_on(b, t, pipe_full, now, &c);
            }
        }
    }
    c.activates = c.row >= 0 && (b->closed & bank_bit((uint32_t)c.row)) != 0;
    return c;
}

/* ---- what commands do ---------------------------------------------------------------------- */

void dram_banks_column(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now)
{
    const DramJob *j = b->job[i];
    uint32_t g = t->group[i];
    b->ccd_due = now + t->ccd;
    b->ccdl_due[g] = now + t->ccdl;
    b->quiet = MAX(b->quiet, b->ccd_due);
    if (j->write) {
        b->wtr_due = now + t->wtr;
        b->quiet = MAX(b->quiet, b->wtr_due);
        b->precharge_due[i] = MAX(b->precharge_due[i], now + t->wtp);
    } else {
        b->rtw_due = now + t->rtw;
        b->quiet = MAX(b->quiet, now + t->rtw_counts);
        b->precharge_due[i] = MAX(b->precharge_due[i], now + t->burst);
        b->rtpl_due[g] = now + t->rtpl;
    }
    if (j->sent >= j->size) {
        end_job(b, t, i, j->write);
    }
}

static void activate(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now)
{
    const DramJob *j = b->job[i];
    BankMask bit = bank_bit(i);
    b->closed &= ~bit;
    b->active |= bit;
    b->young |= bit;
    open_bank(b, t, i, j->write);
    b->row[i] = j->row;
    b->rrd_due = now + t->rrd;
    b->rcd_due[i] = now + t->rcd;
    b->rcdwr_due[i] = now + t->rcdwr;
    b->precharge_due[i] = MAX(b->precharge_due[i], now + t->ras);
    b->activate_due[i] = MAX(b->activate_due[i], now + t->rc);
    b->quiet =
        MAX(b->quiet, now + MAX(MAX(MAX(t->rrd, t->rcd), MAX(t->ras, t->rc)), t->rcdwr_counts));
}

static void precharge(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now)
{
    BankMask bit = bank_bit(i);
    b->other_row &= ~bit;
    b->active &= ~bit;
    b->closed |= bit;
    b->activate_due[i] = MAX(b->activate_due[i], now + t->rp);
    b->quiet = MAX(b->quiet, now + t->rp);
}

void dram_banks_row(DramBanks *b, const DramTiming *t, uint32_t i, WwCycle now)
{
    if (b->closed & bank_bit(i)) {
        activate(b, t, i, now);
    } else {
        precharge(b, t, i, now);
    }
    b->first = i + 1 == t->nbk ? 0 : i + 1;
}

/* ---- looking ahead ------------------------------------------------------------------------- */

static WwCycle next_column(const DramBanks *b, const DramTiming *t)
{
    WwCycle best = WW_NEVER;
    for (BankMask m = b->open_read | b->open_write; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        bool read = (b->open_read & m & -m) != 0;
        WwCycle due = MAX(b->ccdl_due[t->group[i]], read ? b->rcd_due[i] : b->rcdwr_due[i]);
        due = MAX(due, read ? b->wtr_due : b->rtw_due);
        best = MIN(best, due);
    }
    return best == WW_NEVER ? best : MAX(best, b->ccd_due);
}

static WwCycle next_row(const DramBanks *b, const DramTiming *t)
{
    WwCycle best = WW_NEVER;
    for (BankMask m = b->closed; m != 0; m &= m - 1) {
        best = MIN(best, b->activate_due[__builtin_ctzll(m)]);
    }
    best = best == WW_NEVER ? best : MAX(best, b->rrd_due);
    for (BankMask m = b->other_row; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        best = MIN(best, MAX(b->precharge_due[i], b->rtpl_due[t->group[i]]));
    }
    return best;
}

WwCycle dram_banks_next(const DramBanks *b, const DramTiming *t, bool stalled, WwCycle now)
{
    if (b->busy == 0) {
        return WW_NEVER;
    }
    WwCycle column = stalled ? WW_NEVER : next_column(b, t), row = next_row(b, t);
    return MAX(MIN(column, row), now + 1);
}
