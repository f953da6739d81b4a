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

#include <ports/hash.h>

#include <inttypes.h>

static const char *const schedulers[] = {"fifo", "frfcfs", NULL};
static const char *const bank_indices[] = {"linear", "xor", "ipoly", NULL};
static const char *const group_indices[] = {"high", "low", NULL};
static const char *const limit_names[] = {"rcd",  "rcdwr",      "wtr",       "rtw",      "ccdl",
                                          "pipe", "ccdl_alone", "wtr_alone", "rtw_alone"};

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
        ww_fifo_put(to, (WwToken)(uintptr_t)req);
    }
}

/* The data of @p job have gone over the bus. */
static void data_done(Frfcfs *d, Job *job)
{
    WwMemReq *req = job->mem;
    ww_pool_give(&d->jobs, job);
    if (front_ends_here(req)) {
        front_return_credit(&d->front, req);
        ww_mem_release(req);
        return;
    }
    req->response = true;
    delay_queue_put(&d->returns, req, 0);
}

/* One cell leaves the data pipe, unless the return queue is full. */
static void data_pipe(Frfcfs *d)
{
    Pipe *p = &d->pipe;
    if (d->returns.ring.n >= d->return_limit) {
        return;
    }
    Job *job = NULL;
    if (p->ring.n != 0 && p->beat[ww_ring_first(&p->ring)].cell == p->first) {
        job = p->beat[ww_ring_take(&p->ring)].job;
    }
    p->first++;
    if (job != NULL && (job->delivered += d->atom) >= job->size) {
        data_done(d, job);
    }
}

static void take_from_latency_queue(Frfcfs *d)
{
    Front *f = &d->front;
    if (front_ready(f) && !queue_full(d, delay_queue_first(&f->waiting)->req->write)) {
        queue_push(d, delay_queue_take(&f->waiting), front_time(f));
    }
}

/* Edges until something can happen again. */
static WwRest rest(Frfcfs *d, WwCycle now)
{
    Front *f = &d->front;
    const Pipe *p = &d->pipe;
    bool stalled = d->returns.ring.n >= d->return_limit;
    if (queue_has_work(d) ||
        (d->returns.ring.n != 0 &&
         ww_fifo_room(&d->response[front_slice(f, delay_queue_first(&d->returns)->req)])) ||
        front_next(f, queue_full(d, false), queue_full(d, true)) >= 0) {
        return WW_AGAIN;
    }
    WwRest best = WW_SLEEP;
    if (f->waiting.ring.n != 0) {
        if (!front_ready(f)) {
            best = front_rest(f);
        } else if (!queue_full(d, delay_queue_first(&f->waiting)->req->write)) {
            return WW_AGAIN;
        }
    }
    if (p->ring.n != 0 && !stalled) {
        best = MIN(best, p->beat[ww_ring_first(&p->ring)].cell - p->first + 1);
    }
    if (best == WW_AGAIN) {
        return best;
    }
    WwCycle next = commands_next(d, now);
    return next == WW_NEVER ? best : MIN(best, next - now);
}

static WwRest dram_cycle(void *self)
{
    Frfcfs *d = self;
    WwCycle now = ww_now(d);
    if (d->returns.ring.n < d->return_limit) {
        d->pipe.first += now - d->next; /* cells that left while it slept: empty ones */
    }
    d->next = now + 1;
    give_back(d);
    data_pipe(d);
    queue_schedule(d, front_time(&d->front));
    commands(d, now);
    d->n_sent += front_arbitrate(&d->front, queue_full(d, false), queue_full(d, true));
    take_from_latency_queue(d);
    return rest(d, now);
}

static void dram_settle(void *self, uint32_t entry, uint64_t n)
{
    commands_settle(self, n);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* By as many of the number's low bits as a group has banks, or as there are groups. */
static uint32_t group_of(const Frfcfs *d, uint32_t b)
{
    if (d->group_index == GROUP_LOW) {
        return b & (d->nbkgrp - 1);
    }
    uint32_t banks = MAX(d->nbk / d->nbkgrp, 1);
    return b >> (31 - __builtin_clz(banks));
}

static bool check_timing(Frfcfs *d, GError **error)
{
    if (d->bank_index == BANK_XOR && (d->nbk & (d->nbk - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "bank_index = xor with %u banks; expected a power of two", d->nbk);
    }
    for (uint32_t b = 0; b < d->nbk; b++) {
        if (group_of(d, b) >= d->nbkgrp) {
            return ww_fail(
                error, WW_ERROR_USAGE,
                "nbk = %u, nbkgrp = %u: bank %u would be of group %u; expected powers of "
                "two, at most a group a bank",
                d->nbk, d->nbkgrp, b, group_of(d, b));
        }
    }
    if (d->bank_index == BANK_IPOLY && !ww_hash_ipoly_fits(d->nbk)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "bank_index = ipoly with %u banks; expected 16, 32 or 64", d->nbk);
    }
    if (d->separate_write_queue &&
        (d->write_low > d->write_high || d->write_high > d->write_queue)) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "write_low = %u, write_high = %u, write_queue = %u; expected them in this order",
            d->write_low, d->write_high, d->write_queue);
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

static void derive_timing(Frfcfs *d)
{
    d->atom = d->burst_length * d->buswidth * d->chips;
    d->burst = d->burst_length / d->data_command_ratio;
    d->rcdwr = not_negative((int64_t)d->rcd - d->wl - 1, &d->rcdwr_counts);
    d->rtw = not_negative(d->eliminate_turnaround ? 0 : (int64_t)d->cl + d->burst + 2 - d->wl,
                          &d->rtw_counts);
    d->wtr = d->eliminate_turnaround ? 0 : d->wl + d->burst + d->cdlr;
    d->wtp = d->wl + d->burst + d->wr;
    d->return_limit = d->return_queue != 0 ? d->return_queue : 1024;
    d->all = d->nbk < MAX_BANKS ? bank_bit(d->nbk) - 1 : ~(Banks)0;
    for (uint32_t b = 0; b < d->nbk; b++) {
        d->group[b] = (uint8_t)group_of(d, b);
        d->groups_of[d->group[b]] |= bank_bit(b);
    }
}

/*
 * What the channel can hold, beyond one request a slice; no limit when one of its queues has none.
 */
static bool credits(const Frfcfs *d, uint32_t *limit, GError **error)
{
    uint32_t places =
        d->sched_queue + d->return_queue + (d->separate_write_queue ? d->write_queue : 0);
    *limit = UINT32_MAX;
    if (d->sched_queue == 0 || d->return_queue == 0) {
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

enum { ITEMS = 64 }; /* Jobs and rows to begin with. */

static bool dram_init(void *self, GError **error)
{
    Frfcfs *d = self;
    uint32_t limit;
    if (!check_timing(d, error) || !credits(d, &limit, error)) {
        return false;
    }
    derive_timing(d);
    d->pipe.beat = ww_alloc(d, ww_ring_init(&d->pipe.ring, MAX(d->cl, d->wl) + 1) * sizeof(Beat));
    delay_queue_init(&d->returns, d);
    ww_pool_init(&d->jobs, d, sizeof(Job), ITEMS);
    ww_pool_init(&d->rows, d, sizeof(RowQueue), ITEMS);
    return front_init(&d->front, d, d->request, d->n_request, d->response, d->n_response,
                      d->latency, d->latency_in_core_cycles, limit, error);
}

static void dram_reset(void *self)
{
    Frfcfs *d = self;
    front_reset(&d->front, d);
    ww_ring_clear(&d->returns.ring);
    queue_reset(d);
    commands_reset(d);
}

static void hold_rows(const RowQueue *rows, WwExplain *explain)
{
    for (const RowQueue *r = rows; r != NULL; r = r->next) {
        for (const Job *j = r->first; j != NULL; j = j->next) {
            ww_explain_holds_req(explain, j->mem);
        }
    }
}

static void dram_explain(void *self, WwExplain *explain)
{
    const Frfcfs *d = self;
    front_explain(&d->front, explain);
    delay_queue_explain(&d->returns, explain);
    for (uint32_t i = 0; i < d->n_input; i++) {
        ww_explain_holds_req(explain, d->input[i]->mem);
    }
    for (uint32_t b = 0; b < d->nbk; b++) {
        hold_rows(d->queue[0][b].rows, explain);
        hold_rows(d->queue[1][b].rows, explain);
        if (d->job[b] != NULL) {
            ww_explain_holds_req(explain, d->job[b]->mem);
        }
    }
    for (uint32_t i = 0; i < d->pipe.ring.n; i++) {
        ww_explain_holds_req(explain, d->pipe.beat[ww_ring_slot(&d->pipe.ring, i)].job->mem);
    }
    if (d->pending[0] + d->pending[1] + d->n_input != 0) {
        ww_explain_note(explain, "%u reads and %u writes wait for a bank",
                        d->pending[0] + d->n_input, d->pending[1]);
    }
    if (d->busy != 0) {
        ww_explain_note(explain, "banks %" PRIx64 " serve requests", d->busy);
    }
}

static void dram_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    front_adapt(&((Frfcfs *)self)->front, token, random);
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow dram_params[] = {
    WW_UINT(Frfcfs, nbk, "", "4", 1, MAX_BANKS, "banks"),
    WW_UINT(Frfcfs, ccd, "cycles", "2", 0, 65536, "column command to column command"),
    WW_UINT(Frfcfs, rrd, "cycles", "8", 0, 65536, "activation to activation of another bank"),
    WW_UINT(Frfcfs, rcd, "cycles", "12", 0, 65536, "activation to column command"),
    WW_UINT(Frfcfs, ras, "cycles", "21", 0, 65536, "activation to precharge"),
    WW_UINT(Frfcfs, rp, "cycles", "13", 0, 65536, "precharge to activation"),
    WW_UINT(Frfcfs, rc, "cycles", "34", 0, 65536, "activation to activation of the same bank"),
    WW_UINT(Frfcfs, cl, "cycles", "9", 0, 65536, "read command to data"),
    WW_UINT(Frfcfs, wl, "cycles", "4", 0, 65536, "write command to data"),
    WW_UINT(Frfcfs, cdlr, "cycles", "5", 0, 65536, "end of write data to read command"),
    WW_UINT(Frfcfs, wr, "cycles", "13", 0, 65536, "end of write data to precharge"),
    WW_UINT(Frfcfs, nbkgrp, "", "1", 1, MAX_GROUPS, "bank groups"),
    WW_UINT(Frfcfs, ccdl, "cycles", "0", 0, 65536,
            "column command to column command of the same bank group"),
    WW_UINT(Frfcfs, rtpl, "cycles", "0", 0, 65536, "read to precharge in the same bank group"),
    WW_UINT(Frfcfs, buswidth, "bytes", "4", 1, 4096, "data bus of a chip"),
    WW_UINT(Frfcfs, burst_length, "", "4", 1, 4096, "transfers of a column command"),
    WW_UINT(Frfcfs, data_command_ratio, "", "2", 1, 16, "transfers a command clock cycle"),
    WW_UINT(Frfcfs, chips, "", "1", 1, 16, "chips side by side"),
    WW_CHOICE(Frfcfs, scheduler, "frfcfs", schedulers, "which request goes next"),
    WW_CHOICE(Frfcfs, bank_index, "linear", bank_indices, "how row bits choose the bank"),
    WW_CHOICE(Frfcfs, group_index, "high", group_indices,
              "which bits of a bank's number are its group"),
    WW_BOOL(Frfcfs, dual_bus, "false", "row and column commands have a bus each"),
    WW_BOOL(
        Frfcfs, one_command, "false",
        "a single bus carries one command a cycle; false: after a row command the pass goes on, "
        "from a bank further on, to a column command, as in the reference"),
    WW_BOOL(Frfcfs, separate_write_queue, "false",
            "writes wait in a queue of their own; only credits see it with scheduler = fifo"),
    WW_BOOL(Frfcfs, eliminate_turnaround, "false",
            "changing between reads and writes costs nothing"),
    WW_UINT(Frfcfs, sched_queue, "entries", "0", 0, 4096,
            "requests that the scheduler holds; 0: any number"),
    WW_UINT(Frfcfs, return_queue, "entries", "0", 0, 4096,
            "responses that wait for their slice; 0: 1024, without credits"),
    WW_UINT(Frfcfs, row_limit, "entries", "0", 0, 65536,
            "requests of a row after which that of the oldest request is next; 0: no limit"),
    WW_UINT(Frfcfs, write_queue, "entries", "32", 1, 4096, "places of the separate write queue"),
    WW_UINT(Frfcfs, write_high, "entries", "28", 0, 4096, "writes from which on they are served"),
    WW_UINT(Frfcfs, write_low, "entries", "16", 0, 4096,
            "writes below which reads are served again"),
    WW_UINT(Frfcfs, latency, "cycles", "30", 0, 65536, "cycles between L2 and channel"),
    WW_BOOL(Frfcfs, latency_in_core_cycles, "true",
            "latency counts cycles of the core, as in the reference; false: of the DRAM"),
    {0},
};

static const WwPortRow dram_ports[] = {
    WW_PORT_ARRAY(Frfcfs, request, WW_IN, &ww_contract_dram_request, 1, NULL, "one per L2 slice"),
    WW_PORT_ARRAY(Frfcfs, response, WW_OUT, &ww_contract_dram_response, 1, NULL,
                  "one per L2 slice"),
    {0},
};

static const WwStatRow dram_stats[] = {
    WW_COUNTER(Frfcfs, n_cmd, "cycles", "DRAM cycles"),
    WW_COUNTER(Frfcfs, n_nop, "cycles", "cycles without a command"),
    WW_COUNTER(Frfcfs, n_activity, "cycles", "cycles in which not every bank was completely idle"),
    WW_COUNTER(Frfcfs, n_act, "commands", "activations"),
    WW_COUNTER(Frfcfs, n_pre, "commands", "precharges"),
    WW_COUNTER(Frfcfs, n_sent, "requests", "requests that slices sent"),
    WW_COUNTER(Frfcfs, n_req, "requests", "of them, those that entered: their latency is over"),
    WW_COUNTER(Frfcfs, n_rd, "commands", "read commands, but for those that follow"),
    WW_COUNTER(Frfcfs, n_rd_l2_a, "commands", "read commands for write-allocations of the L2"),
    WW_COUNTER(Frfcfs, n_write, "commands", "write commands, but for those that follow"),
    WW_COUNTER(Frfcfs, n_wr_bk, "commands", "write commands for write-backs of the L2"),
    WW_COUNTER(Frfcfs, bw_util, "cycles", "cycles of data transfer"),
    WW_COUNTER(Frfcfs, reads, "atoms", "data read by requests that entered"),
    WW_COUNTER(Frfcfs, writes, "atoms", "data written by requests that entered"),
    WW_COUNTER(Frfcfs, selections, "requests", "requests given to a bank"),
    WW_COUNTER(Frfcfs, row_hits, "requests", "of these, those that did not change the row"),
    WW_COUNTER(Frfcfs, reads_selected, "requests", "reads given to a bank"),
    WW_COUNTER(Frfcfs, read_hits, "requests", "of these, those that did not change the row"),
    WW_COUNTER(Frfcfs, writes_selected, "requests", "writes given to a bank"),
    WW_COUNTER(Frfcfs, write_hits, "requests", "of these, those that did not change the row"),
    WW_COUNTER(Frfcfs, row_changes, "requests", "rows chosen by age"),
    WW_MAXIMUM(Frfcfs, most_of_a_row, "requests", "most requests between two rows chosen by age"),
    WW_COUNTER(Frfcfs, mrq_latency_sum, "cycles", "core cycles from entering to a bank, summed"),
    WW_MAXIMUM(Frfcfs, mrq_latency_max, "cycles", "longest of them"),
    WW_HISTOGRAM(Frfcfs, mrq_latency_table, "requests", "requests by that time"),
    WW_COUNTER(Frfcfs, occupied, "banks", "banks with a request, summed over cycles"),
    WW_COUNTER(Frfcfs, occupied_cycles, "cycles", "cycles with any"),
    WW_COUNTER(Frfcfs, open, "banks", "banks whose request finds its row open, summed over cycles"),
    WW_COUNTER(Frfcfs, open_cycles, "cycles", "cycles with any"),
    WW_COUNTER(Frfcfs, open_groups, "groups", "bank groups of them, summed over cycles"),
    WW_COUNTER(Frfcfs, ready, "banks", "banks that could get a column command, summed over cycles"),
    WW_COUNTER(Frfcfs, ready_cycles, "cycles", "cycles with any"),
    WW_COUNTER(Frfcfs, util_bw, "cycles",
               "cycles with a column command, or with one still running"),
    WW_COUNTER(Frfcfs, wasted_col, "cycles",
               "other cycles in which a request waited at an open row"),
    WW_COUNTER(Frfcfs, wasted_row, "cycles", "other cycles in which a bank had a request"),
    WW_COUNTER(Frfcfs, idle, "cycles", "cycles without any"),
    WW_COUNTER(Frfcfs, queue_sum, "requests", "requests that wait for a bank, summed over cycles"),
    WW_MAXIMUM(Frfcfs, queue_max, "requests", "most of them"),
    WW_COUNTER(Frfcfs, row_commands, "cycles", "cycles with a row command"),
    WW_COUNTER(Frfcfs, column_commands, "cycles", "cycles with a column command"),
    WW_COUNTER(Frfcfs, both_commands, "cycles", "cycles with one of each"),
    WW_COUNTER(Frfcfs, write_share, "cycles / 2^32",
               "writes among the banks whose request finds its row open, summed over cycles"),
    WW_VECTOR(Frfcfs, limits, "banks", limit_names,
              "what requests at open rows waited for, in cycles of wasted_col"),
    WW_VECTOR(Frfcfs, n_access, "commands", NULL, "read commands of each bank"),
    WW_VECTOR(Frfcfs, bank_reads, "atoms", NULL, "data read, by the bank of the address"),
    WW_VECTOR(Frfcfs, bank_writes, "atoms", NULL, "data written, by the bank of the address"),
    WW_VECTOR(Frfcfs, bank_busy, "cycles", NULL, "cycles at whose end the bank has a request"),
    WW_VECTOR(Frfcfs, bank_seen_twice, "cycles", NULL,
              "cycles in which the pass of a single bus looked twice at a bank without a request"),
    WW_VECTOR(Frfcfs, bank_passed_over, "cycles", NULL, "cycles in which it did not look at one"),
    WW_VECTOR(Frfcfs, bank_selections, "requests", NULL, "requests given to each bank"),
    WW_VECTOR(Frfcfs, bank_row_changes, "requests", NULL, "rows chosen by age, of each bank"),
    WW_VECTOR(Frfcfs, bank_most_of_a_row, "requests", NULL,
              "most requests between two rows chosen by age, of each bank; added up over channels"),
    WW_VECTOR(
        Frfcfs, bank_service_max, "cycles", NULL,
        "most core cycles of a kernel between two rows chosen by age, of each bank; likewise"),
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
    .params = dram_params,
    .ports = dram_ports,
    .stats = dram_stats,
    .entries = dram_entries,
    .init = dram_init,
    .reset = dram_reset,
    .settle = dram_settle,
    .adapt = dram_adapt,
    .explain = dram_explain,
};
