/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends numbers: `start`, `start` + 1, ...; one every `interval` cycles, `count` in all.
 *
 *     out -> numbers
 *
 * The next number is due `interval` cycles after the last one left. While `out` is full it sleeps
 * until a slot is freed; the cycles it waited are counted by settle().
 */
#include "types.h"

#include <ports/tokens.h>

typedef struct Source {
    WwComponent base;
    /* parameters */
    uint64_t count;
    uint32_t interval;
    uint64_t start;
    /* ports */
    WwPort out;
    /* state */
    uint64_t n;   /* Numbers sent. */
    WwCycle due;  /* Of the next one. */
    bool blocked; /* It is due and there is no room. */
    /* statistics */
    uint64_t sent;
    uint64_t waited;
} Source;

static inline bool finished(const Source *s)
{
    return s->count != 0 && s->n == s->count;
}

static WwRest source_send(void *self)
{
    Source *s = self;
    WwCycle now = ww_now(s);
    if (finished(s)) {
        return WW_SLEEP;
    }
    if (now < s->due) {
        return s->due - now;
    }
    s->blocked = !ww_fifo_room(&s->out);
    if (s->blocked) {
        s->waited++;
        return WW_SLEEP; /* a freed slot wakes it */
    }
    ww_fifo_put(&s->out, s->start + s->n++);
    s->sent++;
    s->due = now + s->interval;
    return finished(s) ? WW_SLEEP : s->interval;
}

static void source_settle(void *self, uint32_t entry, uint64_t n)
{
    Source *s = self;
    if (s->blocked) {
        s->waited += n;
    }
}

static void source_reset(void *self)
{
    Source *s = self;
    s->n = 0;
    s->due = 0;
    s->blocked = false;
}

static void source_explain(void *self, WwExplain *explain)
{
    Source *s = self;
    if (s->blocked) {
        ww_explain_waits(explain, s->out.peer, "number %" G_GUINT64_FORMAT " waits for room",
                         s->start + s->n);
    }
}

static const WwParamRow source_params[] = {
    WW_U64(Source, count, "", "10", 0, 0, "count of numbers to send; 0: unlimited"),
    WW_UINT(Source, interval, "cycles", "1", 1, 1000000, "cycles from one number to the next"),
    WW_U64(Source, start, "", "0", 0, 0, "the first number"),
    {0},
};

static const WwPortRow source_ports[] = {
    WW_PORT_OUT(Source, out, &ww_contract_number, 1, "the numbers"),
    {0},
};

static const WwStatRow source_stats[] = {
    WW_COUNTER(Source, sent, "tokens", "numbers sent"),
    WW_COUNTER(Source, waited, "cycles", "cycles a number was due but had no room"),
    {0},
};

static const WwEntryRow source_entries[] = {
    {.name = "send", .phase = "main", .tick = source_send, .doc = "sends the number that is due"},
    {0},
};

const WwType source_type = {
    .abi = WW_ABI_VERSION,
    .name = "source",
    .doc = "Sends ascending numbers at an interval.",
    .family = "std",
    .size = sizeof(Source),
    .params = source_params,
    .ports = source_ports,
    .stats = source_stats,
    .entries = source_entries,
    .reset = source_reset,
    .settle = source_settle,
    .explain = source_explain,
};
