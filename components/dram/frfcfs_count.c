/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted of a DRAM channel: requests, choices, commands, and what waits in a cycle. Nothing
 * here decides anything; cycles slept are sums over an unchanging state.
 */
#include "frfcfs-priv.h"

#include <string.h>

void dram_count_reset(Frfcfs *d)
{
    memset(d->choices.row_since, 0, sizeof d->choices.row_since);
    d->choices.interval = 0;
    d->cycles.counted = 0;
}

void dram_count_resume(Frfcfs *d)
{
    d->choices.interval = front_time(&d->front);
}

/* ---- requests and choices ------------------------------------------------------------------ */

void dram_count_request(Frfcfs *d, const DramJob *job)
{
    DramChoiceCounts *c = &d->choices;
    uint32_t atoms = job->size / d->timing.atom, bank = job->mem->at.bank % MAX_BANKS;
    c->n_req++;
    *(job->write ? &c->writes : &c->reads) += atoms;
    (job->write ? c->bank_writes : c->bank_reads)[bank] += atoms;
}

/*
 * Another row was chosen by age. The time that the last one was served for is measured in cycles of
 * the interval, as the reference does: across the end of a kernel it is no time at all.
 */
static void count_row_change(DramChoiceCounts *c, uint32_t bank, uint64_t of_a_row, WwCycle now)
{
    c->row_changes++;
    c->bank_row_changes[bank]++;
    c->most_of_a_row = MAX(c->most_of_a_row, of_a_row);
    c->bank_most_of_a_row[bank] = MAX(c->bank_most_of_a_row[bank], of_a_row);
    if (now > c->row_since[bank]) {
        c->bank_service_max[bank] = MAX(c->bank_service_max[bank], now - c->row_since[bank]);
    }
    c->row_since[bank] = now;
}

void dram_count_choice(Frfcfs *d, const DramChoice *choice)
{
    DramChoiceCounts *c = &d->choices;
    const DramJob *job = choice->job;
    uint64_t waited = (uint32_t)(front_time(&d->front) - job->stamp);
    if (!choice->hit) {
        count_row_change(c, job->bank, choice->of_a_row, front_time(&d->front) - c->interval);
    }
    c->bank_selections[job->bank]++;
    c->selections++;
    c->row_hits += choice->hit;
    *(job->write ? &c->writes_selected : &c->reads_selected) += 1;
    *(job->write ? &c->write_hits : &c->read_hits) += choice->hit;
    c->mrq_latency_sum += waited;
    c->mrq_latency_max = MAX(c->mrq_latency_max, waited);
    c->mrq_latency_table[ww_log2_class(waited)]++;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void count_column(Frfcfs *d, uint32_t bank)
{
    DramCommandCounts *c = &d->commands;
    const DramJob *job = d->banks.job[bank];
    c->column_commands++;
    c->bw_util += d->timing.burst;
    if (job->write) {
        *(job->mem->type == WW_ACCESS_L2_WRBK ? &c->n_wr_bk : &c->n_write) += 1;
    } else {
        *(job->mem->type == WW_ACCESS_L2_WR_ALLOC_R ? &c->n_rd_l2_a : &c->n_rd) += 1;
        c->n_access[bank]++;
    }
}

/* Banks without a request at which the two parts of a pass looked twice, and not at all. */
static void count_looks(Frfcfs *d, const DramCommands *c)
{
    for (BankMask m = c->before & c->after & ~c->busy; m != 0; m &= m - 1) {
        d->commands.bank_seen_twice[__builtin_ctzll(m)]++;
    }
    BankMask unseen = d->timing.all & ~(c->before | c->after);
    for (BankMask m = unseen & ~c->busy; m != 0; m &= m - 1) {
        d->commands.bank_passed_over[__builtin_ctzll(m)]++;
    }
}

static void count_buses(Frfcfs *d, const DramCommands *c)
{
    DramCommandCounts *to = &d->commands;
    if (c->columns != 0) {
        to->ready += ww_ones(c->columns);
        to->ready_cycles++;
    }
    if (c->column >= 0) {
        count_column(d, (uint32_t)c->column);
    }
    if (c->row >= 0) {
        to->row_commands++;
        *(c->activates ? &to->n_act : &to->n_pre) += 1;
    }
    if (c->before != 0) {
        count_looks(d, c);
    }
    to->both_commands += c->column >= 0 && c->row >= 0;
    to->n_nop += c->column < 0 && c->row < 0;
}

/* ---- cycles -------------------------------------------------------------------------------- */

/* What waits, in @p n cycles in which it does not change. */
static void count_waiting(Frfcfs *d, uint64_t n)
{
    const DramBanks *b = &d->banks;
    const DramSched *s = &d->sched;
    DramCycleCounts *c = &d->cycles;
    uint64_t queued = s->scheduler == SCHEDULER_FIFO ? s->n_input : s->pending[0];
    c->queue_sum += n * queued;
    c->queue_max = MAX(c->queue_max, queued);
    if (b->n_busy == 0) {
        return;
    }
    c->occupied += n * b->n_busy;
    c->occupied_cycles += n;
    uint32_t open = b->n_open_read + b->n_open_write;
    if (open == 0) {
        return;
    }
    if (b->n_open_read == 0) {
        c->write_share += n << 32;
    } else if (b->n_open_write != 0) {
        c->write_share += n * (((uint64_t)b->n_open_write << 32) / open);
    }
    c->open += n * open;
    c->open_groups += n * b->n_groups;
    c->open_cycles += n;
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
    const DramBanks *b = &d->banks;
    uint64_t *limits = d->cycles.limits;
    uint64_t wtr = cycles_before(b->wtr_due, from, n), rtw = cycles_before(b->rtw_due, from, n);
    for (BankMask m = b->open_read | b->open_write; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        bool read = (b->open_read & m & -m) != 0;
        uint64_t ccdl = cycles_before(b->ccdl_due[d->timing.group[i]], from, n);
        uint64_t turn = read ? wtr : rtw;
        limits[read ? LIMIT_RCD : LIMIT_RCDWR] +=
            cycles_before(read ? b->rcd_due[i] : b->rcdwr_due[i], from, n);
        limits[LIMIT_CCDL] += ccdl;
        limits[read ? LIMIT_WTR : LIMIT_RTW] += turn;
        limits[LIMIT_PIPE] += full;
        limits[LIMIT_CCDL_ALONE] += less(ccdl, turn);
        limits[read ? LIMIT_WTR_ALONE : LIMIT_RTW_ALONE] += less(turn, ccdl);
    }
}

/*
 * What @p n cycles from @p from on, without a column command, were; none of them is one in which the
 * one before still ran. @p full: see above.
 */
static void count_wasted(Frfcfs *d, WwCycle from, uint64_t n, uint64_t full)
{
    DramCycleCounts *c = &d->cycles;
    if (n == 0) {
        return;
    }
    if ((d->banks.open_read | d->banks.open_write) != 0) {
        c->wasted_col += n;
        count_limits(d, from, n, full);
    } else if (d->banks.busy != 0) {
        c->wasted_row += n;
    } else {
        c->idle += n;
    }
}

static void count_busy(Frfcfs *d, uint64_t n)
{
    for (BankMask m = d->banks.busy; m != 0; m &= m - 1) {
        d->cycles.bank_busy[__builtin_ctzll(m)] += n;
    }
}

void dram_count_begin(Frfcfs *d, WwCycle now)
{
    d->cycles.n_cmd++;
    d->cycles.counted = now + 1;
    count_waiting(d, 1);
}

void dram_count_idle(Frfcfs *d, WwCycle now)
{
    DramCycleCounts *c = &d->cycles;
    d->commands.n_nop++;
    c->n_activity += now < d->banks.quiet;
    *(now < d->banks.ccd_due ? &c->util_bw : &c->idle) += 1;
}

void dram_count_commands(Frfcfs *d, const DramCommands *c, WwCycle now)
{
    const DramBanks *b = &d->banks;
    count_buses(d, c);
    /* (a command without any delay leaves rest) */
    d->cycles.n_activity += b->busy != 0 || now < b->quiet;
    if (c->column >= 0 || now < b->ccd_due) {
        d->cycles.util_bw++;
    } else {
        count_wasted(d, now, 1, dram_pipe_full(&d->pipe, &d->timing));
    }
    count_busy(d, 1);
}

void dram_count_slept(Frfcfs *d, uint64_t n)
{
    const DramBanks *b = &d->banks;
    DramCycleCounts *c = &d->cycles;
    count_waiting(d, n);
    uint64_t used = cycles_before(b->ccd_due, c->counted, n);
    WwCycle from = c->counted + used;
    c->n_cmd += n;
    d->commands.n_nop += n;
    c->n_activity += b->busy != 0 ? n : cycles_before(b->quiet, c->counted, n);
    c->util_bw += used;
    count_wasted(
        d, from, n - used,
        dram_pipe_cycles_full(&d->pipe, &d->timing, dram_pipe_stands(d), d->next, from, n - used));
    count_busy(d, n);
    c->counted += n;
}
