/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of dram.frfcfs as plain as can be: counters that go down every cycle, loops over all banks, lists that are searched.
 */
#include "naive.h"

static Ask empty;

static uint32_t group(const Plain *p, uint32_t b)
{
    uint32_t shift = 0;
    while (p->s.nbk / p->s.nbkgrp >> (shift + 1) != 0) {
        shift++;
    }
    return p->s.low_groups ? b & (p->s.nbkgrp - 1) : b >> shift;
}

static uint32_t slice_of(const WwMemReq *m)
{
    return m->at.slice;
}

static void return_credit(Plain *p, const WwMemReq *m)
{
    if (p->private_out[slice_of(m)] != 0) {
        p->private_out[slice_of(m)] = 0;
    } else {
        p->shared_out--;
    }
}

static bool full(const Plain *p, const WwMemReq *m)
{
    if (p->s.fifo) {
        return p->input.length >= 2;
    }
    if (p->s.sched_queue == 0) {
        return false;
    }
    return p->s.separate && m->write ? p->pending[1].length >= p->s.write_queue
                                     : p->pending[0].length >= p->s.sched_queue;
}

static void rwq_pad(Plain *p)
{
    while (p->rwq.length < p->rwq_min) {
        g_queue_push_tail(&p->rwq, &empty);
    }
}

static void rwq_push(Plain *p, Ask *a)
{
    if (p->rwq.length == 0 || p->rwq.tail->data != &empty || p->rwq.length < p->rwq_min) {
        g_queue_push_tail(&p->rwq, a);
    } else {
        p->rwq.tail->data = a;
    }
}

static void rwq_turn(Plain *p, bool writing)
{
    if (p->writing == writing) {
        return;
    }
    p->writing = writing;
    p->rwq_min = writing ? p->s.wl : p->s.cl;
    while (p->rwq.length > p->rwq_min && p->rwq.tail->data == &empty) {
        g_queue_pop_tail(&p->rwq);
    }
    rwq_pad(p);
}

static void plain_returns(Plain *p)
{
    WwMemReq *m = g_queue_peek_head(&p->returns);
    if (m != NULL && p->response[slice_of(m)].length < p->s.depth) {
        g_queue_push_tail(&p->response[slice_of(m)], g_queue_pop_head(&p->returns));
        return_credit(p, m);
    }
}

static void plain_pipe(Plain *p)
{
    if (p->returns.length >= (p->s.return_queue != 0 ? p->s.return_queue : 1024)) {
        return;
    }
    Ask *a = g_queue_pop_head(&p->rwq);
    rwq_pad(p);
    if (a == NULL || a == &empty || (a->delivered += p->s.atom) < a->mem->size) {
        return;
    }
    if (a->mem->type == WW_ACCESS_L2_WRBK) {
        return_credit(p, a->mem);
        p->released++;
    } else {
        g_queue_push_tail(&p->returns, a->mem);
    }
    g_free(a);
}

/* The request that bank @p b gets, or NULL. */
static Ask *plain_select(Plain *p, uint32_t b)
{
    if (p->s.separate) {
        if (!p->write_mode && p->pending[1].length >= p->s.write_high) {
            p->write_mode = true;
        } else if (p->write_mode && p->pending[1].length < p->s.write_low) {
            p->write_mode = false;
        }
    }
    uint32_t k = p->write_mode;
    Ask *oldest = NULL, *of_row = NULL;
    uint32_t row = p->picked[k][b] ? p->picked_row[k][b] : p->row[b];
    for (GList *l = p->pending[k].head; l != NULL; l = l->next) {
        Ask *a = l->data;
        if (a->bank == b) {
            oldest = oldest != NULL ? oldest : a;
            of_row = of_row == NULL && a->row == row ? a : of_row;
        }
    }
    if (oldest == NULL) {
        return NULL;
    }
    bool hit = of_row != NULL;
    Ask *a = hit ? of_row : oldest;
    g_assert_true(hit || !p->picked[k][b]);
    g_queue_remove(&p->pending[k], a);
    p->picked[k][b] = false;
    for (GList *l = p->pending[k].head; l != NULL; l = l->next) {
        const Ask *other = l->data;
        p->picked[k][b] |= other->bank == b && other->row == a->row;
    }
    p->picked_row[k][b] = a->row;
    p->selections++;
    p->row_hits += hit;
    p->row_changes += !hit;
    if (!hit) {
        p->changes[b]++;
        p->most[b] = MAX(p->most[b], p->of_a_row[b]);
        p->of_a_row[b] = 0;
        uint64_t now = p->time - p->interval;
        p->service[b] = MAX(p->service[b], now > p->since[b] ? now - p->since[b] : 0);
        p->since[b] = now;
    }
    p->picks[b]++;
    p->of_a_row[b]++;
    return a;
}

static void plain_schedule(Plain *p)
{
    if (p->s.fifo) {
        Ask *a = g_queue_peek_head(&p->input);
        if (a != NULL && p->mrq[a->bank] == NULL) {
            p->mrq[a->bank] = g_queue_pop_head(&p->input);
        }
        return;
    }
    Ask *a;
    while ((a = g_queue_pop_head(&p->input)) != NULL) {
        g_queue_push_tail(&p->pending[p->s.separate && a->mem->write], a);
    }
    for (uint32_t i = 0; i < p->s.nbk; i++) {
        uint32_t b = (i + p->prio) % p->s.nbk;
        if (p->mrq[b] == NULL && (a = plain_select(p, b)) != NULL) {
            p->mrq[b] = a;
            p->prio = (p->prio + 1) % p->s.nbk;
            p->mrq_latency_sum += p->time - a->stamp;
            p->mrq_latency_max = MAX(p->mrq_latency_max, p->time - a->stamp);
            break;
        }
    }
}

static bool row_open(const Plain *p, uint32_t b)
{
    return p->mrq[b] != NULL && p->active[b] && p->row[b] == p->mrq[b]->row;
}

static bool column_possible(const Plain *p, uint32_t b)
{
    if (!row_open(p, b) || p->ccdc != 0 || p->ccdlc[group(p, b)] != 0 ||
        p->rwq.length >= MAX(p->s.cl, p->rwq_min) + 1) {
        return false;
    }
    return p->mrq[b]->mem->write ? p->rcdwrc[b] == 0 && p->rtwc == 0
                                 : p->rcdc[b] == 0 && p->wtrc == 0;
}

static bool try_column(Plain *p, uint32_t b)
{
    if (!column_possible(p, b)) {
        return false;
    }
    Ask *a = p->mrq[b];
    rwq_turn(p, a->mem->write);
    rwq_push(p, a);
    a->sent += p->s.atom;
    p->ccdc = p->s.ccd;
    p->ccdlc[group(p, b)] = p->s.ccdl;
    p->bw_util += p->s.burst;
    if (a->mem->write) {
        p->wtrc = p->s.eliminate ? 0 : p->s.wl + p->s.burst + p->s.cdlr;
        p->wtpc[b] = p->s.wl + p->s.burst + p->s.wr;
        *(a->mem->type == WW_ACCESS_L2_WRBK ? &p->n_wr_bk : &p->n_write) += 1;
    } else {
        p->rtw_wrapped = p->s.eliminate ? 0 : p->s.cl + p->s.burst + 2 - p->s.wl;
        p->rtwc = (int32_t)p->rtw_wrapped < 0 ? 0 : p->rtw_wrapped;
        p->rtpc[b] = p->s.burst;
        p->rtplc[group(p, b)] = p->s.rtpl;
        *(a->mem->type == WW_ACCESS_L2_WR_ALLOC_R ? &p->n_rd_l2_a : &p->n_rd) += 1;
        p->n_access[b]++;
    }
    if (a->sent >= a->mem->size) {
        p->mrq[b] = NULL;
    }
    return true;
}

static bool try_row(Plain *p, uint32_t b)
{
    if (p->mrq[b] == NULL) {
        return false;
    }
    if (!p->active[b] && p->rrdc == 0 && p->rpc[b] == 0 && p->rcc[b] == 0) {
        p->row[b] = p->mrq[b]->row;
        p->active[b] = true;
        p->rrdc = p->s.rrd;
        p->rcdc[b] = p->s.rcd;
        p->rcdwr_wrapped[b] = p->s.rcd - (p->s.wl + 1);
        p->rcdwrc[b] = p->s.rcd > p->s.wl ? p->rcdwr_wrapped[b] : 0;
        p->rasc[b] = p->s.ras;
        p->rcc[b] = p->s.rc;
        p->n_act++;
    } else if (p->active[b] && p->row[b] != p->mrq[b]->row && p->rasc[b] == 0 && p->wtpc[b] == 0 &&
               p->rtpc[b] == 0 && p->rtplc[group(p, b)] == 0) {
        p->active[b] = false;
        p->rpc[b] = p->s.rp;
        p->n_pre++;
    } else {
        return false;
    }
    p->prio = (b + 1) % p->s.nbk;
    return true;
}

/* Looked at when the pass reaches the bank, as in the reference: for the activity count. */
static uint32_t at_rest(const Plain *p, uint32_t b)
{
    return p->mrq[b] == NULL && (p->ccdc | p->rrdc | p->rtw_wrapped | p->wtrc | p->rcdc[b] |
                                 p->rasc[b] | p->rcc[b] | p->rpc[b] | p->rcdwr_wrapped[b]) == 0;
}

static void down(uint32_t *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        v[i] -= v[i] != 0;
    }
}

static void count_before(Plain *p)
{
    uint32_t occupied = 0, open = 0, ready = 0, writes = 0;
    uint64_t groups = 0;
    for (uint32_t b = 0; b < p->s.nbk; b++) {
        occupied += p->mrq[b] != NULL;
        open += row_open(p, b);
        writes += row_open(p, b) && p->mrq[b]->mem->write;
        ready += column_possible(p, b);
        groups |= row_open(p, b) ? 1ull << group(p, b) : 0;
    }
    p->occupied += occupied;
    p->occupied_cycles += occupied != 0;
    p->write_share += open != 0 ? ((uint64_t)writes << 32) / open : 0;
    p->open += open;
    p->open_cycles += open != 0;
    p->open_groups += (uint64_t)__builtin_popcountll(groups);
    p->ready += ready;
    p->ready_cycles += ready != 0;
    uint64_t queued = p->s.fifo ? p->input.length : p->pending[0].length;
    p->queue_sum += queued;
    p->queue_max = MAX(p->queue_max, queued);
}

/* In a cycle that moved no data though a row was open: in the order of `limits`. */
static void count_limits(Plain *p)
{
    bool full = p->rwq.length >= MAX(p->s.cl, p->rwq_min) + 1;
    for (uint32_t b = 0; b < p->s.nbk; b++) {
        if (!row_open(p, b)) {
            continue;
        }
        bool write = p->mrq[b]->mem->write, ccdl = p->ccdlc[group(p, b)] != 0;
        bool turn = (write ? p->rtwc : p->wtrc) != 0;
        p->limits[write] += (write ? p->rcdwrc[b] : p->rcdc[b]) != 0;
        p->limits[2 + write] += turn;
        p->limits[4] += ccdl;
        p->limits[5] += full;
        p->limits[6] += ccdl && !turn;
        p->limits[7 + write] += turn && !ccdl;
    }
}

static void count_after(Plain *p, bool column, bool row, uint32_t awake)
{
    bool occupied = false, open = false;
    for (uint32_t b = 0; b < p->s.nbk; b++) {
        occupied |= p->mrq[b] != NULL;
        open |= row_open(p, b);
    }
    p->n_cmd++;
    p->n_nop += !(column || row);
    p->both_commands += column && row;
    p->n_activity += awake != 0;
    if (!column && p->ccdc == 0 && open) {
        count_limits(p);
    }
    *(column || p->ccdc != 0 ? &p->util_bw
      : open                 ? &p->wasted_col
      : occupied             ? &p->wasted_row
                             : &p->idle) += 1;
}

static void plain_commands(Plain *p)
{
    bool column = false, row = false;
    uint32_t n = p->s.nbk, awake = n;
    count_before(p);
    if (p->s.dual) {
        for (uint32_t i = 0; i < n && !column; i++) {
            column = try_column(p, (i + p->prio) % n);
        }
        for (uint32_t i = 0; i < n && !row; i++) {
            row = try_row(p, (i + p->prio) % n);
        }
        for (uint32_t b = 0; b < n; b++) {
            awake -= at_rest(p, b);
            p->n_idle[b] += p->mrq[b] == NULL;
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t b = (i + p->prio) % n;
            column = column || try_column(p, b);
            row = row || (!column && try_row(p, b));
            awake -= at_rest(p, b);
            p->n_idle[b] += p->mrq[b] == NULL;
        }
    }
    count_after(p, column, row, awake);
    down(&p->ccdc, 1);
    down(&p->rrdc, 1);
    down(&p->rtwc, 1);
    down(&p->rtw_wrapped, 1);
    down(&p->wtrc, 1);
    down(p->ccdlc, GROUPS);
    down(p->rtplc, GROUPS);
    down(p->rcdc, BANKS);
    down(p->rcdwrc, BANKS);
    down(p->rcdwr_wrapped, BANKS);
    down(p->rasc, BANKS);
    down(p->rcc, BANKS);
    down(p->rpc, BANKS);
    down(p->wtpc, BANKS);
    down(p->rtpc, BANKS);
}

static bool has_credit(const Plain *p, uint32_t slice)
{
    int limit =
        p->s.sched_queue == 0 || p->s.return_queue == 0
            ? 0
            : (int)(p->s.sched_queue + p->s.return_queue + (p->s.separate ? p->s.write_queue : 0)) -
                  (int)(p->s.slices - 1);
    return p->private_out[slice] == 0 || limit == 0 || p->shared_out < limit;
}

static void plain_arbitrate(Plain *p)
{
    for (uint32_t i = 0; i < p->s.slices; i++) {
        uint32_t s = (p->last + 1 + i) % p->s.slices;
        WwMemReq *m = g_queue_peek_head(&p->request[s]);
        if (m == NULL || p->response[s].length >= p->s.depth || !has_credit(p, s)) {
            continue;
        }
        if (full(p, m)) {
            return;
        }
        g_queue_pop_head(&p->request[s]);
        Ask *a = g_new0(Ask, 1);
        *a = (Ask){.mem = m, .bank = m->at.bank, .row = m->at.row, .stamp = p->time + p->s.latency};
        a->bank = p->s.xor_banks ? a->bank ^ (a->row % p->s.nbk) : a->bank;
        g_queue_push_tail(&p->waiting, a);
        p->n_sent++;
        if (p->private_out[s] == 0) {
            p->private_out[s] = 1;
        } else {
            p->shared_out++;
        }
        p->last = s;
        return;
    }
}

void plain_step(Plain *p)
{
    plain_returns(p);
    plain_pipe(p);
    plain_schedule(p);
    plain_commands(p);
    plain_arbitrate(p);
    Ask *a = g_queue_peek_head(&p->waiting);
    if (a != NULL && a->stamp <= p->time && !full(p, a->mem)) {
        a->stamp = p->time;
        g_queue_push_tail(&p->input, g_queue_pop_head(&p->waiting));
        p->n_req++;
        (a->mem->write ? p->writes : p->reads)[a->mem->at.bank] += a->mem->size / p->s.atom;
    }
    p->time++;
}

bool plain_works(const Plain *p)
{
    bool works = p->pending[0].length + p->input.length + p->returns.length != 0;
    for (uint32_t b = 0; b < p->s.nbk; b++) {
        works |= p->mrq[b] != NULL;
    }
    return works;
}

Plain *plain_new(Shape shape)
{
    Plain *p = g_new0(Plain, 1);
    p->s = shape;
    p->last = shape.slices - 1;
    p->rwq_min = shape.cl;
    rwq_pad(p);
    return p;
}

void plain_free(Plain *p)
{
    g_queue_clear_full(&p->waiting, g_free);
    g_queue_clear_full(&p->input, g_free);
    g_queue_clear_full(&p->pending[0], g_free);
    g_queue_clear_full(&p->pending[1], g_free);
    for (uint32_t s = 0; s < SLICES; s++) {
        g_queue_clear(&p->request[s]);
    }
    g_queue_clear(&p->rwq);
    g_free(p);
}
