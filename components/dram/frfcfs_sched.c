/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First ready, first come, first served: which request a free bank gets.
 *
 * A bank serves a row until no request for it is left; then the row that is (or was last) open if
 * something waits for it, else the row of the oldest request. There is no limit of age, unless
 * row_limit sets one: after so many requests of a row the oldest one's is next. With a
 * write queue of its own, writes wait until there are many and then go until there are few.
 *
 * Workload: at most 64 requests (and 128 writes) a channel; one leaves per cycle. Requests hang in
 * a queue per row, rows in a list per bank.
 */
#include "frfcfs-priv.h"

#include <ports/hash.h>

/* ---- requests and rows --------------------------------------------------------------------- */

static uint32_t bank_of(const Frfcfs *d, const WwMemReq *req)
{
    uint32_t bank = req->at.bank;
    if (d->bank_index == BANK_XOR) {
        bank ^= req->at.row & (d->nbk - 1);
    } else if (d->bank_index == BANK_IPOLY) {
        bank = ww_hash_ipoly(req->at.row, bank, d->nbk);
    }
    return bank % d->nbk;
}

void queue_push(Frfcfs *d, WwMemReq *req, WwCycle time)
{
    Job *j = ww_pool_take(&d->jobs);
    *j = (Job){.mem = req,
               .stamp = time,
               .row = req->at.row,
               .bank = bank_of(d, req),
               .size = req->size,
               .write = req->write};
    d->input[d->n_input++] = j;
    d->n_req++;
    uint32_t atoms = req->size / d->atom, raw = req->at.bank % MAX_BANKS;
    *(req->write ? &d->writes : &d->reads) += atoms;
    (req->write ? d->bank_writes : d->bank_reads)[raw] += atoms;
}

static RowQueue *row_of(const BankQueue *q, uint32_t row)
{
    RowQueue *r = q->rows;
    while (r != NULL && r->row != row) {
        r = r->next;
    }
    return r;
}

static RowQueue *row_of_oldest(const BankQueue *q)
{
    RowQueue *best = q->rows;
    for (RowQueue *r = best->next; r != NULL; r = r->next) {
        if (r->first->order < best->first->order) {
            best = r;
        }
    }
    return best;
}

static void enqueue(Frfcfs *d, Job *j)
{
    uint32_t k = d->separate_write_queue && j->write;
    BankQueue *q = &d->queue[k][j->bank];
    RowQueue *r = row_of(q, j->row);
    if (r == NULL) {
        r = ww_pool_take(&d->rows);
        *r = (RowQueue){.next = q->rows, .row = j->row};
        q->rows = r;
    }
    j->order = d->arrivals++;
    j->next = NULL;
    if (r->first == NULL) {
        r->first = j;
    } else {
        r->last->next = j;
    }
    r->last = j;
    d->queued[k] |= bank_bit(j->bank);
    d->pending[k]++;
}

static Job *dequeue(Frfcfs *d, uint32_t k, uint32_t b)
{
    BankQueue *q = &d->queue[k][b];
    RowQueue *r = q->selected;
    Job *j = r->first;
    r->first = j->next;
    d->pending[k]--;
    if (r->first != NULL) {
        return j;
    }
    RowQueue **at = &q->rows;
    while (*at != r) {
        at = &(*at)->next;
    }
    *at = r->next;
    ww_pool_give(&d->rows, r);
    q->selected = NULL;
    if (q->rows == NULL) {
        d->queued[k] &= ~bank_bit(b);
    }
    return j;
}

/* ---- choosing ------------------------------------------------------------------------------ */

static void count_selection(Frfcfs *d, const Job *j, bool hit)
{
    d->selections++;
    d->row_hits += hit;
    if (j->write) {
        d->writes_selected++;
        d->write_hits += hit;
    } else {
        d->reads_selected++;
        d->read_hits += hit;
    }
}

/*
 * Another row was chosen by age. The time that the last one was served for is measured in cycles of
 * the interval, as the reference does: across the end of a kernel it is no time at all.
 */
static void count_row_change(Frfcfs *d, uint32_t b)
{
    WwCycle now = front_interval_time(&d->front);
    d->row_changes++;
    d->bank_row_changes[b]++;
    d->most_of_a_row = MAX(d->most_of_a_row, d->of_a_row[b]);
    d->bank_most_of_a_row[b] = MAX(d->bank_most_of_a_row[b], d->of_a_row[b]);
    d->of_a_row[b] = 0;
    if (now > d->row_since[b]) {
        d->bank_service_max[b] = MAX(d->bank_service_max[b], now - d->row_since[b]);
    }
    d->row_since[b] = now;
}

static Job *select_request(Frfcfs *d, uint32_t k, uint32_t b)
{
    BankQueue *q = &d->queue[k][b];
    bool hit = true;
    RowQueue *row = q->selected != NULL ? q->selected : row_of(q, d->row[b]);
    bool enough = d->row_limit != 0 && d->of_a_row[b] >= d->row_limit;
    q->selected = row == NULL || enough ? row_of_oldest(q) : row;
    if (q->selected != row) {
        hit = false;
        count_row_change(d, b);
    }
    d->of_a_row[b]++;
    d->bank_selections[b]++;
    Job *j = dequeue(d, k, b);
    count_selection(d, j, hit);
    return j;
}

/* Writes go when there are many of them, until there are few. */
static inline bool next_mode(const Frfcfs *d)
{
    return d->write_mode ? d->pending[1] >= d->write_low : d->pending[1] >= d->write_high;
}

static void measure(Frfcfs *d, const Job *j, WwCycle time)
{
    uint64_t waited = (uint32_t)(time - j->stamp);
    d->mrq_latency_sum += waited;
    d->mrq_latency_max = MAX(d->mrq_latency_max, waited);
    d->mrq_latency_table[log2_class(waited)]++;
}

static void schedule_frfcfs(Frfcfs *d, WwCycle time)
{
    for (uint32_t i = 0; i < d->n_input; i++) {
        enqueue(d, d->input[i]);
    }
    d->n_input = 0;
    Banks open = d->all & ~d->busy;
    if (open == 0) {
        return;
    }
    if (d->separate_write_queue) {
        d->write_mode = next_mode(d);
    }
    open &= d->queued[d->write_mode];
    if (open == 0) {
        return;
    }
    uint32_t b = bank_from(open, d->prio);
    Job *j = select_request(d, d->write_mode, b);
    d->prio = d->prio + 1 == d->nbk ? 0 : d->prio + 1;
    measure(d, j, time);
    bank_serve(d, b, j);
}

/* In order: the head waits until its bank is free. */
static void schedule_fifo(Frfcfs *d)
{
    if (d->n_input != 0 && !(d->busy & bank_bit(d->input[0]->bank))) {
        Job *j = d->input[0];
        d->input[0] = d->input[1];
        d->n_input--;
        bank_serve(d, j->bank, j);
    }
}

void queue_schedule(Frfcfs *d, WwCycle time)
{
    if (d->scheduler == SCHEDULER_FRFCFS) {
        schedule_frfcfs(d, time);
    } else {
        schedule_fifo(d);
    }
}

bool queue_has_work(const Frfcfs *d)
{
    if (d->scheduler == SCHEDULER_FIFO) {
        return d->n_input != 0 && !(d->busy & bank_bit(d->input[0]->bank));
    }
    Banks open = d->all & ~d->busy;
    bool changes = d->separate_write_queue && next_mode(d) != d->write_mode;
    return d->n_input != 0 || (d->queued[d->write_mode] & open) != 0 || (changes && open != 0);
}

void queue_reset(Frfcfs *d)
{
    ww_pool_reset(&d->jobs);
    ww_pool_reset(&d->rows);
    memset(d->queue, 0, sizeof d->queue);
    memset(d->of_a_row, 0, sizeof d->of_a_row);
    memset(d->row_since, 0, sizeof d->row_since);
    d->queued[0] = d->queued[1] = 0;
    d->pending[0] = d->pending[1] = 0;
    d->arrivals = 0;
    d->n_input = 0;
    d->write_mode = false;
}
