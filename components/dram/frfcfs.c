/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DRAM channel with command timing: banks, bank groups, one or two command buses, row buffers,
 * FR-FCFS or in-order scheduling.
 *
 *   request[] ──> latency queue ──> input (2) ──> row queues ──> bank registers ──┐ commands
 *   response[] <── return queue <──────────────── data pipe <─────────────────────┘
 *
 * One cycle, back to front: a response to its slice; a cell of the data pipe; a request to a free
 * bank; commands; a request of one slice into the latency queue; one out of it. A read's data leave
 * the pipe CL cycles after its command and are handed over in the next cycle. Transactions that
 * nobody waits for (write-backs) end when their data have gone. There is no refresh.
 *
 * Workload: three edges a core cycle at 3.5 GHz, in 16 to 32 channels, most of them idle or waiting
 * for a timing. The channel sleeps until the next cycle in which anything can happen; statistics of
 * the cycles between are sums over an unchanging state.
 */
#include "frfcfs-priv.h"
#include "types.h"

#include <ports/events.h>
#include <ports/hash.h>

#include <inttypes.h>

static const char *const schedulers[] = {"fifo", "frfcfs", NULL};
static const char *const bank_indices[] = {WW_HASH_LABELS, NULL};
static const char *const group_indices[] = {"high", "low", NULL};
static const char *const limit_names[] = {"rcd",  "rcdwr",      "wtr",       "rtw",      "ccdl",
                                          "pipe", "ccdl_alone", "wtr_alone", "rtw_alone"};

enum { LOG_QUEUE, LOG_ACTIVATE, LOG_PRECHARGE, LOG_COLUMN, LOG_RETURN, LOG_END };
static const WwEventField field_row =
    WW_EVENT_FIELD("row", WW_EVENT_NUMBER, "", "the row that is opened, closed, read or written");
static const WwEventField field_command =
    WW_EVENT_FIELD("command", WW_EVENT_WORD, "", "read or write");
static const WwEventField field_bank =
    WW_EVENT_FIELD("bank", WW_EVENT_NUMBER, "", "whose row it waits for");
static const WwEventRow dram_events[] = {
    [LOG_QUEUE] = {"queue",
                   "warp",
                   "a request reaches the scheduler",
                   {&ww_field_request, &field_bank, &field_row}},
    [LOG_ACTIVATE] = {"activate",
                      "bank",
                      "a row is opened for a request",
                      {&field_row, &ww_field_request}},
    [LOG_PRECHARGE] = {"precharge",
                       "bank",
                       "a row is closed: the request needs another row",
                       {&field_row, &ww_field_request}},
    [LOG_COLUMN] = {"column",
                    "bank",
                    "a column command for a request",
                    {&field_command, &field_row, &ww_field_request}},
    [LOG_RETURN] = {"return", "warp", "a response leaves for its slice", {&ww_field_request}},
    [LOG_END] = {"end", "warp", "a write that nobody waits for is done", {&ww_field_request}},
    {0},
};

/* ---- one cycle ----------------------------------------------------------------------------- */

static void give_back(Frfcfs *d)
{
    if (d->returns.ring.n == 0) {
        return;
    }
    WwMemReq *req = delay_queue_first(&d->returns)->req;
    const WwPort *to = &d->response[front_slice(&d->front, req)];
    if (ww_fifo_room(to)) {
        delay_queue_take(&d->returns);
        front_return_credit(&d->front, req);
        WW_LOG(d, &dram_events[LOG_RETURN], req->warp, WW_PART(req));
        ww_fifo_put(to, ww_token_of(req));
    }
}

/* The data of @p job have gone over the bus. */
static void data_done(Frfcfs *d, DramJob *job)
{
    WwMemReq *req = job->mem;
    dram_sched_end(&d->sched, job);
    if (front_ends_here(req)) {
        front_return_credit(&d->front, req);
        WW_LOG(d, &dram_events[LOG_END], req->warp, WW_PART(req));
        ww_mem_release(req);
        return;
    }
    req->response = true;
    ww_host_fetch(&req->owner); /* its slice asks whose miss it was */
    delay_queue_put(&d->returns, req, 0);
}

/* One cell leaves the data pipe, unless the return queue is full. */
static void data_pipe(Frfcfs *d)
{
    if (dram_pipe_stands(d)) {
        return;
    }
    DramJob *job = dram_pipe_pop(&d->pipe);
    if (job != NULL && (job->delivered += d->timing.atom) >= job->size) {
        data_done(d, job);
    }
}

/* A request goes to a free bank. */
static void schedule(Frfcfs *d)
{
    DramChoice choice = dram_sched_choose(&d->sched, &d->timing, &d->banks);
    if (choice.job == NULL) {
        return;
    }
    dram_banks_serve(&d->banks, &d->timing, choice.job);
    if (d->sched.scheduler == SCHEDULER_FRFCFS) { /* in order there is no choice */
        d->banks.first = d->banks.first + 1 == d->timing.nbk ? 0 : d->banks.first + 1;
        dram_count_choice(d, &choice);
    }
}

static void issue_row(Frfcfs *d, const DramCommands *c, WwCycle now)
{
    uint32_t bank = (uint32_t)c->row;
    if (c->activates) {
        WW_LOG(d, &dram_events[LOG_ACTIVATE], c->row, d->banks.job[bank]->row,
               WW_PART(d->banks.job[bank]->mem));
    } else {
        WW_LOG(d, &dram_events[LOG_PRECHARGE], c->row, d->banks.row[bank],
               WW_PART(d->banks.job[bank]->mem));
    }
    dram_banks_row(&d->banks, &d->timing, bank, now);
}

static void issue_column(Frfcfs *d, const DramCommands *c, WwCycle now)
{
    static const WwEventWord commands[] = {WW_WORD("read"), WW_WORD("write")};
    uint32_t bank = (uint32_t)c->column;
    DramJob *job = d->banks.job[bank];
    WW_LOG(d, &dram_events[LOG_COLUMN], c->column, WW_SAY(&commands[job->write]), job->row,
           WW_PART(job->mem));
    dram_pipe_push(&d->pipe, &d->timing, job);
    job->sent += d->timing.atom;
    dram_banks_column(&d->banks, &d->timing, bank, now);
}

/* A single bus has a column command only behind its row command. */
static void issue(Frfcfs *d, const DramCommands *c, WwCycle now)
{
    bool row_first = !d->timing.dual_bus;
    if (c->row >= 0 && row_first) {
        issue_row(d, c, now);
    }
    if (c->column >= 0) {
        issue_column(d, c, now);
    }
    if (c->row >= 0 && !row_first) {
        issue_row(d, c, now);
    }
}

static void issue_commands(Frfcfs *d, WwCycle now)
{
    dram_count_begin(d, now);
    if (d->banks.busy == 0) {
        dram_count_idle(d, now);
        return;
    }
    bool full = dram_pipe_full(&d->pipe, &d->timing);
    DramCommands c = dram_banks_decide(&d->banks, &d->timing, full, now);
    issue(d, &c, now);
    dram_count_commands(d, &c, now);
}

/* A bank beyond the last, or of no group. The address map may do without such a one, as long as a program does. */
WW_COLD static void is_stray(Frfcfs *d, const DramJob *job)
{
    const DramTiming *t = &d->timing;
    const char *what = job->write ? "a write" : "a read";
    GError *error = NULL;
    g_autofree char *path = ww_path(d);
    if (job->bank >= t->nbk) {
        ww_fail(&error, WW_ERROR_MODEL,
                "%s: bank_index = xor with nbk = %u: %s at %" G_GINT64_MODIFIER
                "x is for bank %u; expected a power of two, or an address map whose "
                "rows and banks do not name that one together",
                path, t->nbk, what, job->mem->addr, dram_xor_bank(t, job->mem));
    } else {
        ww_fail(&error, WW_ERROR_MODEL,
                "%s: nbk = %u, nbkgrp = %u: %s at %" G_GINT64_MODIFIER
                "x is for bank %u, which would be of group %u; expected powers of "
                "two, at most a group a bank, or an address map without that bank",
                path, t->nbk, t->nbkgrp, what, job->mem->addr, job->bank, t->group[job->bank]);
    }
    ww_fail_run(d, error);
}

static void take_from_latency_queue(Frfcfs *d)
{
    Front *f = &d->front;
    if (front_ready(f) && !dram_sched_full(&d->sched, delay_queue_first(&f->waiting)->req->write)) {
        WwMemReq *req = delay_queue_take(&f->waiting);
        const DramJob *job = dram_sched_push(&d->sched, &d->timing, req, front_time(f));
        WW_LOG(d, &dram_events[LOG_QUEUE], req->warp, WW_PART(req), job->bank, job->row);
        dram_count_request(d, job);
        if (G_UNLIKELY((d->timing.strays >> job->bank & 1u) != 0)) {
            is_stray(d, job);
        }
        if (f->waiting.ring.n != 0) {
            ww_host_fetch(delay_queue_first(&f->waiting)->req);
        }
    }
}

/* Can something other than a command happen in the next cycle? @p sent: a slice sent something in this one. */
static bool has_work(const Frfcfs *d, bool sent)
{
    const Front *f = &d->front;
    const DramSched *s = &d->sched;
    if (dram_sched_has_work(s, &d->timing, &d->banks) ||
        (sent && front_next(f, dram_sched_full(s, false), dram_sched_full(s, true)) >= 0)) {
        return true;
    }
    if (d->returns.ring.n != 0 &&
        ww_fifo_room(&d->response[front_slice(f, delay_queue_first(&d->returns)->req)])) {
        return true;
    }
    return front_ready(f) && !dram_sched_full(s, delay_queue_first(&f->waiting)->req->write);
}

/* Edges until something can happen again. */
static WwRest rest(Frfcfs *d, WwCycle now, bool sent)
{
    const DramPipe *p = &d->pipe;
    bool stands = dram_pipe_stands(d);
    if (has_work(d, sent)) {
        return WW_AGAIN;
    }
    WwRest best = WW_SLEEP;
    if (d->front.waiting.ring.n != 0 && !front_ready(&d->front)) {
        best = front_rest(&d->front);
    }
    if (p->ring.n != 0 && !stands) {
        best = MIN(best, p->beat[ww_ring_first(&p->ring)].cell - p->first + 1);
    }
    if (best == WW_AGAIN) {
        return best;
    }
    bool stalled = stands && dram_pipe_full(p, &d->timing);
    WwCycle next = dram_banks_next(&d->banks, &d->timing, stalled, now);
    return next == WW_NEVER ? best : MIN(best, next - now);
}

static WwRest dram_cycle(void *self)
{
    Frfcfs *d = self;
    WwCycle now = ww_now(d);
    if (!dram_pipe_stands(d)) {
        d->pipe.first += now - d->next; /* cells that left while it slept: empty ones */
    }
    d->next = now + 1;
    give_back(d);
    data_pipe(d);
    schedule(d);
    issue_commands(d, now);
    bool sent = front_arbitrate(&d->front, dram_sched_full(&d->sched, false),
                                dram_sched_full(&d->sched, true));
    d->n_sent += sent;
    take_from_latency_queue(d);
    return rest(d, now, sent);
}

static void dram_settle(void *self, uint32_t entry, uint64_t n)
{
    dram_count_slept(self, n);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* By as many of the number's low bits as a group has banks, or as there are groups. */
static uint32_t group_of(const DramTiming *t, uint32_t bank)
{
    if (t->group_index == GROUP_LOW) {
        return bank & (t->nbkgrp - 1);
    }
    uint32_t banks = MAX(t->nbk / t->nbkgrp, 1);
    return bank >> (31 - __builtin_clz(banks));
}

static bool check_timing(const DramTiming *t, const DramSched *s, GError **error)
{
    if (t->bank_index == WW_HASH_IPOLY && !ww_hash_fits(WW_HASH_IPOLY, t->nbk)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "bank_index = ipoly with %u banks; expected 16, 32 or 64", t->nbk);
    }
    if (s->separate_write_queue &&
        (s->write_low > s->write_high || s->write_high > s->write_queue)) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "write_low = %u, write_high = %u, write_queue = %u; expected them in this order",
            s->write_low, s->write_high, s->write_queue);
    }
    return true;
}

/*
 * A time that comes out negative is none. In the reference it is 2^32 cycles more: no write is ever possible, and the cycles count
 * as active, which is all that is left of it in a run without writes.
 */
static uint32_t not_negative(int64_t time, uint64_t *counts)
{
    *counts = (uint32_t)time;
    return time < 0 ? 0 : (uint32_t)time;
}

static void derive_timing(DramTiming *t)
{
    t->atom = t->burst_length * t->buswidth * t->chips;
    t->burst = t->burst_length / t->data_command_ratio;
    t->rcdwr = not_negative((int64_t)t->rcd - t->wl - 1, &t->rcdwr_counts);
    t->rtw = not_negative(t->eliminate_turnaround ? 0 : (int64_t)t->cl + t->burst + 2 - t->wl,
                          &t->rtw_counts);
    t->wtr = t->eliminate_turnaround ? 0 : t->wl + t->burst + t->cdlr;
    t->wtp = t->wl + t->burst + t->wr;
    t->all = t->nbk < MAX_BANKS ? bank_bit(t->nbk) - 1 : ~(BankMask)0;
    for (uint32_t b = 0; b < t->nbk; b++) {
        t->group[b] = (uint8_t)group_of(t, b);
        t->groups_of[t->group[b]] |= bank_bit(b);
        t->strays |= t->group[b] >= t->nbkgrp ? bank_bit(b) : 0;
    }
    t->xor_strays = t->bank_index == WW_HASH_XOR && !ww_hash_fits(WW_HASH_XOR, t->nbk);
    t->strays |= t->xor_strays ? ~t->all : 0;
}

/*
 * What the channel can hold, beyond one request a slice; no limit when one of its queues has none.
 */
static bool credits(const Frfcfs *d, uint32_t *limit, GError **error)
{
    uint32_t places = d->sched.sched_queue + d->return_queue +
                      (d->sched.separate_write_queue ? d->sched.write_queue : 0);
    *limit = UINT32_MAX;
    if (d->sched.sched_queue == 0 || d->return_queue == 0) {
        return true;
    }
    if (places < d->n_request - 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "queues of %u places for %u slices; expected at least one less than slices",
                       places, d->n_request);
    }
    *limit = places - (d->n_request - 1);
    if (*limit == 0) {
        *limit = UINT32_MAX; /* the reference's way to say that there is none */
    }
    return true;
}

static bool dram_init(void *self, GError **error)
{
    Frfcfs *d = self;
    uint32_t limit;
    if (!check_timing(&d->timing, &d->sched, error) || !credits(d, &limit, error)) {
        return false;
    }
    derive_timing(&d->timing);
    d->return_limit = d->return_queue != 0 ? d->return_queue : 1024;
    dram_sched_init(&d->sched, d);
    dram_pipe_init(&d->pipe, &d->timing, d);
    delay_queue_init(&d->returns, d);
    return front_init(&d->front, d, d->request, d->n_request, d->response, d->n_response,
                      d->latency, d->latency_in_core_cycles, limit, error);
}

static void dram_resume(void *self)
{
    dram_count_resume(self);
}

static void dram_reset(void *self)
{
    Frfcfs *d = self;
    front_reset(&d->front, d);
    dram_sched_reset(&d->sched);
    dram_banks_reset(&d->banks);
    dram_pipe_reset(&d->pipe, &d->timing);
    ww_ring_clear(&d->returns.ring);
    dram_count_reset(d);
    d->next = 0;
}

static void dram_explain(void *self, WwExplain *explain)
{
    const Frfcfs *d = self;
    const DramSched *s = &d->sched;
    front_explain(&d->front, explain);
    delay_queue_explain(&d->returns, explain);
    dram_sched_explain(s, &d->timing, explain);
    for (uint32_t i = 0; i < d->timing.nbk; i++) {
        if (d->banks.job[i] != NULL) {
            ww_explain_holds_req(explain, d->banks.job[i]->mem);
        }
    }
    for (uint32_t i = 0; i < d->pipe.ring.n; i++) {
        ww_explain_holds_req(explain, d->pipe.beat[ww_ring_slot(&d->pipe.ring, i)].job->mem);
    }
    uint32_t reads = s->pending[0] + s->n_input, writes = s->pending[1];
    if (reads + writes != 0) {
        ww_explain_note(explain, "%u %s and %u %s wait for a bank", reads,
                        WW_PLURAL(reads, "read", "reads"), writes,
                        WW_PLURAL(writes, "write", "writes"));
    }
    if (s->separate_write_queue && !s->write_mode && writes != 0 && writes < s->write_high) {
        ww_explain_note(explain, "writes wait until there are write_high = %u of them",
                        s->write_high);
    }
    if (s->write_mode && s->write_low == 0) {
        ww_explain_note(explain, "reads wait for ever: there are never fewer writes than "
                                 "write_low = 0");
    }
    if (d->banks.busy != 0) {
        ww_explain_note(explain, "banks %" PRIx64 " serve requests", d->banks.busy);
    }
}

static void dram_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    front_adapt(&((Frfcfs *)self)->front, token, random);
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow dram_params[] = {
    WW_UINT_OF(Frfcfs, timing, nbk, "", "4", 1, MAX_BANKS, "banks"),
    WW_UINT_OF(Frfcfs, timing, ccd, "cycles", "2", 0, 65536, "column command to column command"),
    WW_UINT_OF(Frfcfs, timing, rrd, "cycles", "8", 0, 65536,
               "activation to activation of another bank"),
    WW_UINT_OF(Frfcfs, timing, rcd, "cycles", "12", 0, 65536, "activation to column command"),
    WW_UINT_OF(Frfcfs, timing, ras, "cycles", "21", 0, 65536, "activation to precharge"),
    WW_UINT_OF(Frfcfs, timing, rp, "cycles", "13", 0, 65536, "precharge to activation"),
    WW_UINT_OF(Frfcfs, timing, rc, "cycles", "34", 0, 65536,
               "activation to activation of the same bank"),
    WW_UINT_OF(Frfcfs, timing, cl, "cycles", "9", 0, 65536, "read command to data"),
    WW_UINT_OF(Frfcfs, timing, wl, "cycles", "4", 0, 65536, "write command to data"),
    WW_UINT_OF(Frfcfs, timing, cdlr, "cycles", "5", 0, 65536, "end of write data to read command"),
    WW_UINT_OF(Frfcfs, timing, wr, "cycles", "13", 0, 65536, "end of write data to precharge"),
    WW_UINT_OF(Frfcfs, timing, nbkgrp, "", "1", 1, MAX_GROUPS, "bank groups"),
    WW_UINT_OF(Frfcfs, timing, ccdl, "cycles", "0", 0, 65536,
               "column command to column command of the same bank group"),
    WW_UINT_OF(Frfcfs, timing, rtpl, "cycles", "0", 0, 65536,
               "read to precharge in the same bank group"),
    WW_UINT_OF(Frfcfs, timing, buswidth, "bytes", "4", 1, 4096, "data bus of a chip"),
    WW_UINT_OF(Frfcfs, timing, burst_length, "", "4", 1, 4096, "transfers per column command"),
    WW_UINT_OF(Frfcfs, timing, data_command_ratio, "", "2", 1, 16,
               "transfers per command clock cycle"),
    WW_UINT_OF(Frfcfs, timing, chips, "", "1", 1, 16, "chips side by side"),
    WW_CHOICE_OF(Frfcfs, sched, scheduler, "frfcfs", schedulers, "how the next request is chosen"),
    WW_CHOICE_OF(Frfcfs, timing, bank_index, "linear", bank_indices,
                 "how row bits select the bank"),
    WW_CHOICE_OF(Frfcfs, timing, group_index, "high", group_indices,
                 "which bits of the bank number give its group"),
    WW_BOOL_OF(Frfcfs, timing, dual_bus, "false", "separate buses for row and column commands"),
    WW_BOOL_OF(Frfcfs, timing, one_command, "false",
               "a single bus carries one command per cycle; false: after a row command the scan "
               "goes on, from a later bank, to a column command, as in the reference"),
    WW_BOOL_OF(Frfcfs, sched, separate_write_queue, "false",
               "writes wait in their own queue; with scheduler = fifo this only affects credits"),
    WW_BOOL_OF(Frfcfs, timing, eliminate_turnaround, "false",
               "switching between reads and writes costs nothing"),
    WW_UINT_OF(Frfcfs, sched, sched_queue, "entries", "0", 0, 4096,
               "requests held by the scheduler; 0: unlimited"),
    WW_UINT(Frfcfs, return_queue, "entries", "0", 0, 4096,
            "responses waiting for their slice; 0: 1024, without credits"),
    WW_UINT_OF(
        Frfcfs, sched, row_limit, "entries", "0", 0, 65536,
        "requests served from a row before the row of the oldest request is next; 0: no limit"),
    WW_UINT_OF(Frfcfs, sched, write_queue, "entries", "32", 1, 4096,
               "entries of the separate write queue"),
    WW_UINT_OF(Frfcfs, sched, write_high, "entries", "28", 0, 4096,
               "pending writes at which they start to be served"),
    WW_UINT_OF(Frfcfs, sched, write_low, "entries", "16", 0, 4096,
               "pending writes below which reads are served again; 0: never, once there were "
               "write_high"),
    WW_UINT(Frfcfs, latency, "cycles", "30", 0, 65536, "cycles between L2 and channel"),
    WW_BOOL(Frfcfs, latency_in_core_cycles, "true",
            "latency is in core cycles, as in the reference; false: in DRAM cycles"),
    {0},
};

static const WwClockRow dram_clocks[] = {
    WW_CLOCK(Frfcfs, front.core, "core", "the clock of the SMs, in which latencies may be counted"),
    {0},
};

static const WwPortRow dram_ports[] = {
    WW_PORT_ARRAY(Frfcfs, request, WW_IN, &ww_contract_dram_request, 1, NULL, "one per L2 slice"),
    WW_PORT_ARRAY(Frfcfs, response, WW_OUT, &ww_contract_dram_response, 1, NULL,
                  "one per L2 slice"),
    {0},
};

static const WwStatRow dram_stats[] = {
    WW_COUNTER_OF(Frfcfs, cycles, n_cmd, "cycles", "DRAM cycles"),
    WW_COUNTER_OF(Frfcfs, commands, n_nop, "cycles", "cycles without a command"),
    WW_COUNTER_OF(Frfcfs, cycles, n_activity, "cycles",
                  "cycles in which some bank was not completely idle"),
    WW_COUNTER_OF(Frfcfs, commands, n_act, "commands", "activations"),
    WW_COUNTER_OF(Frfcfs, commands, n_pre, "commands", "precharges"),
    WW_COUNTER(Frfcfs, n_sent, "requests", "requests sent by slices"),
    WW_COUNTER_OF(Frfcfs, choices, n_req, "requests",
                  "of these, those that entered after their latency"),
    WW_COUNTER_OF(Frfcfs, commands, n_rd, "commands", "read commands, except the following"),
    WW_COUNTER_OF(Frfcfs, commands, n_rd_l2_a, "commands",
                  "read commands for write-allocations of the L2"),
    WW_COUNTER_OF(Frfcfs, commands, n_write, "commands", "write commands, except the following"),
    WW_COUNTER_OF(Frfcfs, commands, n_wr_bk, "commands",
                  "write commands for write-backs of the L2"),
    WW_COUNTER_OF(Frfcfs, commands, bw_util, "cycles", "cycles of data transfer"),
    WW_COUNTER_OF(Frfcfs, choices, reads, "atoms", "data read by requests that entered"),
    WW_COUNTER_OF(Frfcfs, choices, writes, "atoms", "data written by requests that entered"),
    WW_COUNTER_OF(Frfcfs, choices, selections, "requests", "requests given to a bank"),
    WW_COUNTER_OF(Frfcfs, choices, row_hits, "requests",
                  "of these, those that did not change the row"),
    WW_COUNTER_OF(Frfcfs, choices, reads_selected, "requests", "reads given to a bank"),
    WW_COUNTER_OF(Frfcfs, choices, read_hits, "requests",
                  "of these, those that did not change the row"),
    WW_COUNTER_OF(Frfcfs, choices, writes_selected, "requests", "writes given to a bank"),
    WW_COUNTER_OF(Frfcfs, choices, write_hits, "requests",
                  "of these, those that did not change the row"),
    WW_COUNTER_OF(Frfcfs, choices, row_changes, "requests", "rows chosen by age"),
    WW_MAXIMUM_OF(Frfcfs, choices, most_of_a_row, "requests",
                  "most requests between two rows chosen by age"),
    WW_COUNTER_OF(Frfcfs, choices, mrq_latency_sum, "cycles",
                  "core cycles from entry to a bank, summed"),
    WW_MAXIMUM_OF(Frfcfs, choices, mrq_latency_max, "cycles", "maximum of these"),
    WW_HISTOGRAM_OF(Frfcfs, choices, mrq_latency_table, "requests", "requests by this latency"),
    WW_COUNTER_OF(Frfcfs, cycles, occupied, "banks", "banks with a request, summed over cycles"),
    WW_COUNTER_OF(Frfcfs, cycles, occupied_cycles, "cycles", "cycles with at least one"),
    WW_COUNTER_OF(Frfcfs, cycles, open, "banks",
                  "banks whose request hits an open row, summed over cycles"),
    WW_COUNTER_OF(Frfcfs, cycles, open_cycles, "cycles", "cycles with at least one"),
    WW_COUNTER_OF(Frfcfs, cycles, open_groups, "groups",
                  "bank groups of these, summed over cycles"),
    WW_COUNTER_OF(Frfcfs, commands, ready, "banks",
                  "banks ready for a column command, summed over cycles"),
    WW_COUNTER_OF(Frfcfs, commands, ready_cycles, "cycles", "cycles with at least one"),
    WW_COUNTER_OF(Frfcfs, cycles, util_bw, "cycles",
                  "cycles in which a column command starts or is in progress"),
    WW_COUNTER_OF(Frfcfs, cycles, wasted_col, "cycles",
                  "other cycles in which a request for an open row waited"),
    WW_COUNTER_OF(Frfcfs, cycles, wasted_row, "cycles",
                  "other cycles in which a bank had a request"),
    WW_COUNTER_OF(Frfcfs, cycles, idle, "cycles", "cycles without requests"),
    WW_COUNTER_OF(Frfcfs, cycles, queue_sum, "requests",
                  "requests waiting for a bank, summed over cycles"),
    WW_MAXIMUM_OF(Frfcfs, cycles, queue_max, "requests", "maximum of these"),
    WW_COUNTER_OF(Frfcfs, commands, row_commands, "cycles", "cycles with a row command"),
    WW_COUNTER_OF(Frfcfs, commands, column_commands, "cycles", "cycles with a column command"),
    WW_COUNTER_OF(Frfcfs, commands, both_commands, "cycles", "cycles with one of each"),
    WW_COUNTER_OF(
        Frfcfs, cycles, write_share, "cycles / 2^32",
        "share of writes among the banks whose request hits an open row, summed over cycles"),
    WW_VECTOR_OF(Frfcfs, cycles, limits, "banks", limit_names,
                 "what requests for open rows waited for, in cycles of wasted_col"),
    WW_VECTOR_OF(Frfcfs, commands, n_access, "commands", NULL, "read commands of each bank"),
    WW_VECTOR_OF(Frfcfs, choices, bank_reads, "atoms", NULL,
                 "data read, by the bank of the address"),
    WW_VECTOR_OF(Frfcfs, choices, bank_writes, "atoms", NULL,
                 "data written, by the bank of the address"),
    WW_VECTOR_OF(Frfcfs, cycles, bank_busy, "cycles", NULL,
                 "cycles at the end of which the bank has a request"),
    WW_VECTOR_OF(Frfcfs, commands, bank_seen_twice, "cycles", NULL,
                 "cycles in which the scan of a single bus visited a bank without a request twice"),
    WW_VECTOR_OF(Frfcfs, commands, bank_passed_over, "cycles", NULL,
                 "cycles in which it skipped one"),
    WW_VECTOR_OF(Frfcfs, choices, bank_selections, "requests", NULL, "requests given to each bank"),
    WW_VECTOR_OF(Frfcfs, choices, bank_row_changes, "requests", NULL,
                 "rows chosen by age, of each bank"),
    WW_VECTOR_OF(
        Frfcfs, choices, bank_most_of_a_row, "requests", NULL,
        "most requests between two rows chosen by age, of each bank; summed over channels"),
    WW_VECTOR_OF(Frfcfs, choices, bank_service_max, "cycles", NULL,
                 "most core cycles of a kernel between two rows chosen by age, of each bank; "
                 "summed over channels"),
    {0},
};

static const WwEntryRow dram_entries[] = {
    {.name = "dram", .phase = "dram", .tick = dram_cycle, .doc = "one cycle of the channel"},
    {0},
};

const WwType dram_frfcfs_type = {
    .abi = WW_ABI_VERSION,
    .name = "dram.frfcfs",
    .doc = "DRAM channel with command timing, bank groups and FR-FCFS scheduling.",
    .family = "dram",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Frfcfs),
    .events = dram_events,
    .params = dram_params,
    .clocks = dram_clocks,
    .ports = dram_ports,
    .stats = dram_stats,
    .entries = dram_entries,
    .init = dram_init,
    .reset = dram_reset,
    .resume = dram_resume,
    .settle = dram_settle,
    .adapt = dram_adapt,
    .explain = dram_explain,
};
