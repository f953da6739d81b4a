/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: the lines of a window, which are in order, become text in parts of some ten thousand bytes. The log's thread claims one after the other,
 * tells it and writes those that are there, in order; the run, where it has to wait for the log, helps to tell. Claims and what is there are told by numbers
 * that only grow: who looks late finds nothing to claim.
 */
#include "log-priv.h"
#include <sched.h>
#include <stdio.h>

#define PART (32u << 10) /* Bytes that are kept. */

static uint64_t look(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static void show(uint64_t *at, uint64_t value)
{
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

/* Is part @p next there, and has its text a place? */
static bool may_claim(const LogParts *p, uint64_t next)
{
    return next < look(&p->end) && next - look(&p->written) < LOG_PARTS;
}

bool ww_log_can_help(const Log *l)
{
    return may_claim(&l->parts, look(&l->parts.next));
}

static void tell_piece(Log *l, LogPart *part, const LogSorted *p)
{
    const char *next = p[LOG_AHEAD].from;
    ww_log_fetch_head(p[1].from);
#pragma GCC unroll 4
    for (uint32_t k = 0; k < LOG_FETCH; k += 64) {
        ww_host_fetch(next + k);
    }
    ww_log_put_kept(l, &part->out, part->cycle, p->from, p->n, (LogTime){l->time, p->tick});
}

bool ww_log_help(Log *l)
{
    LogParts *parts = &l->parts;
    uint64_t k = look(&parts->next);
    do {
        if (!may_claim(parts, k)) {
            return false;
        }
    } while (!__atomic_compare_exchange_n(&parts->next, &k, k + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    LogPart *part = &parts->at[k % LOG_PARTS];
    const LogSorted *piece = l->sorted + l->room_sorted;
    const uint32_t *first = &parts->first[k - parts->base];
    for (uint32_t i = first[0]; i != first[1]; i++) {
        tell_piece(l, part, &piece[i]);
    }
    show(&part->done, k + 1);
    return true;
}

/* Where parts begin. Returns how many there are. */
static uint32_t cut(LogParts *parts, const LogSorted *piece, uint32_t n)
{
    uint32_t k = 0;
    size_t bytes = PART;
    for (uint32_t i = 0; i < n; i++) {
        if (bytes >= PART) {
            if (k + 1 >= parts->room_first) {
                parts->first = ww_vec_grow(parts->first, &parts->room_first, sizeof *parts->first);
            }
            parts->first[k++] = i;
            bytes = 0;
        }
        bytes += piece[i].n;
    }
    parts->first[k] = n;
    return k;
}

/* Writes the parts that are there. False: there was none. */
static bool write_parts(WwMachine *m, LogParts *parts)
{
    bool any = false;
    for (uint64_t k; (k = parts->written) != parts->end; any = true) {
        LogPart *part = &parts->at[k % LOG_PARTS];
        if (look(&part->done) != k + 1) {
            break;
        }
        fwrite(part->out.text, 1, ww_log_bytes(&part->out), m->events);
        part->out.at = part->out.text;
        show(&parts->written, k + 1);
        ww_scribe_call(m->host->log);
    }
    return any;
}

void ww_log_put_parts(WwMachine *m, Log *l, LogSorted *piece, uint32_t n)
{
    LogParts *parts = &l->parts;
    for (uint32_t i = 0; i < LOG_AHEAD; i++) {
        piece[n + i] = piece[n - 1];
    }
    parts->base = parts->end;
    show(&parts->end, parts->base + cut(parts, piece, n));
    ww_scribe_call(l);
    while (parts->written != parts->end) {
        bool told = ww_log_help(l);
        if (!write_parts(m, parts) && !told) {
            sched_yield(); /* the run tells the next one */
        }
    }
}
