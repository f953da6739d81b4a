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
#include <string.h>

/* ---- requests and rows --------------------------------------------------------------------- */

void dram_sched_init(DramSched *s, void *self)
{
    ww_pool_init(&s->jobs, self, sizeof(DramJob));
    ww_pool_init(&s->rows, self, sizeof(DramRow));
}

void dram_sched_reset(DramSched *s)
{
    ww_pool_reset(&s->jobs);
    ww_pool_reset(&s->rows);
    memset(s->queue, 0, sizeof s->queue);
    memset(s->of_a_row, 0, sizeof s->of_a_row);
    s->queued[0] = s->queued[1] = 0;
    s->pending[0] = s->pending[1] = 0;
    s->arrivals = 0;
    s->n_input = 0;
    s->write_mode = false;
}

/* One beyond the banks is among the strays, whichever it is. */
static uint32_t bank_of(const DramTiming *t, const WwMemReq *req)
{
    if (G_UNLIKELY(t->xor_strays)) {
        return MIN(dram_xor_bank(t, req), MAX_BANKS - 1);
    }
    return ww_hash_place((WwHash)t->bank_index, req->at.row, req->at.bank, t->nbk);
}

const DramJob *dram_sched_push(DramSched *s, const DramTiming *t, WwMemReq *req, WwCycle time)
{
    DramJob *j = ww_pool_take(&s->jobs);
    *j = (DramJob){.mem = req,
                   .stamp = time,
                   .row = req->at.row,
                   .bank = bank_of(t, req),
                   .size = req->size,
                   .write = req->write};
    s->input[s->n_input++] = j;
    return j;
}

void dram_sched_end(DramSched *s, DramJob *job)
{
    ww_pool_give(&s->jobs, job);
}

static DramRow *row_of(const DramQueue *q, uint32_t row)
{
    DramRow *r = q->rows;
    while (r != NULL && r->row != row) {
        r = r->next;
    }
    return r;
}

static DramRow *row_of_oldest(const DramQueue *q)
{
    DramRow *best = q->rows;
    for (DramRow *r = best->next; r != NULL; r = r->next) {
        if (r->first->order < best->first->order) {
            best = r;
        }
    }
    return best;
}

static void enqueue(DramSched *s, DramJob *j)
{
    uint32_t k = s->separate_write_queue && j->write;
    DramQueue *q = &s->queue[k][j->bank];
    DramRow *r = row_of(q, j->row);
    if (r == NULL) {
        r = ww_pool_take(&s->rows);
        *r = (DramRow){.next = q->rows, .row = j->row};
        q->rows = r;
    }
    j->order = s->arrivals++;
    j->next = NULL;
    if (r->first == NULL) {
        r->first = j;
    } else {
        r->last->next = j;
    }
    r->last = j;
    s->queued[k] |= bank_bit(j->bank);
    s->pending[k]++;
}

static DramJob *dequeue(DramSched *s, uint32_t k, uint32_t bank)
{
    DramQueue *q = &s->queue[k][bank];
    DramRow *r = q->selected;
    DramJob *j = r->first;
    r->first = j->next;
    s->pending[k]--;
    if (r->first != NULL) {
        return j;
    }
    DramRow **at = &q->rows;
    while (*at != r) {
        at = &(*at)->next;
    }
    *at = r->next;
    ww_pool_give(&s->rows, r);
    q->selected = NULL;
    if (q->rows == NULL) {
        s->queued[k] &= ~bank_bit(bank);
    }
    return j;
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* The request of queue @p k that bank @p bank, whose row @p open is or was last open, gets. */
static DramChoice choose_row(DramSched *s, uint32_t k, uint32_t bank, uint32_t open)
{
    DramQueue *q = &s->queue[k][bank];
    DramRow *row = q->selected != NULL ? q->selected : row_of(q, open);
    bool enough = s->row_limit != 0 && s->of_a_row[bank] >= s->row_limit;
    q->selected = row == NULL || enough ? row_of_oldest(q) : row;
    DramChoice c = {.hit = q->selected == row, .of_a_row = s->of_a_row[bank]};
    s->of_a_row[bank] = c.hit ? c.of_a_row + 1 : 1;
    c.job = dequeue(s, k, bank);
    return c;
}

/* Writes go when there are many of them, until there are few. */
static inline bool next_mode(const DramSched *s)
{
    return s->write_mode ? s->pending[1] >= s->write_low : s->pending[1] >= s->write_high;
}

static DramChoice choose_ready(DramSched *s, const DramTiming *t, const DramBanks *banks)
{
    for (uint32_t i = 0; i < s->n_input; i++) {
        enqueue(s, s->input[i]);
    }
    s->n_input = 0;
    BankMask idle = t->all & ~banks->busy;
    if (idle != 0 && s->separate_write_queue) {
        s->write_mode = next_mode(s);
    }
    idle &= s->queued[s->write_mode];
    if (idle == 0) {
        return (DramChoice){0};
    }
    uint32_t bank = bank_from(idle, banks->first);
    return choose_row(s, s->write_mode, bank, banks->row[bank]);
}

/* In order: the head waits until its bank is free. */
static bool head_may_go(const DramSched *s, const DramBanks *banks)
{
    return s->n_input != 0 && !(banks->busy & bank_bit(s->input[0]->bank));
}

static DramChoice choose_first(DramSched *s, const DramBanks *banks)
{
    DramChoice c = {0};
    if (head_may_go(s, banks)) {
        c.job = s->input[0];
        s->input[0] = s->input[1];
        s->n_input--;
    }
    return c;
}

DramChoice dram_sched_choose(DramSched *s, const DramTiming *t, const DramBanks *banks)
{
    return s->scheduler == SCHEDULER_FRFCFS ? choose_ready(s, t, banks) : choose_first(s, banks);
}

bool dram_sched_has_work(const DramSched *s, const DramTiming *t, const DramBanks *banks)
{
    if (s->scheduler == SCHEDULER_FIFO) {
        return head_may_go(s, banks);
    }
    BankMask idle = t->all & ~banks->busy;
    bool changes = s->separate_write_queue && next_mode(s) != s->write_mode;
    return s->n_input != 0 || (s->queued[s->write_mode] & idle) != 0 || (changes && idle != 0);
}

/* ---- explanation --------------------------------------------------------------------------- */

static void hold_rows(const DramRow *rows, WwExplain *explain)
{
    for (const DramRow *r = rows; r != NULL; r = r->next) {
        for (const DramJob *j = r->first; j != NULL; j = j->next) {
            ww_explain_holds_req(explain, j->mem);
        }
    }
}

void dram_sched_explain(const DramSched *s, const DramTiming *t, WwExplain *explain)
{
    for (uint32_t i = 0; i < s->n_input; i++) {
        ww_explain_holds_req(explain, s->input[i]->mem);
    }
    for (uint32_t i = 0; i < t->nbk; i++) {
        hold_rows(s->queue[0][i].rows, explain);
        hold_rows(s->queue[1][i].rows, explain);
    }
}
