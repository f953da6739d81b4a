/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes whatever comes, at most one every `interval` cycles; counts and adds up.
 *
 *     anything -> in
 *
 * It adds what the payload says a token means (a number: itself), never an address. With a limit
 * it ends the run, which makes it the natural end of a first platform.
 */
#include "types.h"

#include <ports/tokens.h>

typedef struct Sink {
    WwComponent base;
    /* parameters */
    uint32_t interval;
    uint64_t limit;
    /* ports */
    WwPort in;
    /* state */
    WwCycle ready; /* From this cycle on it may take the next one. */
    uint64_t n;
    /* statistics */
    uint64_t taken;
    uint64_t sum;
} Sink;

static WwRest sink_take(void *self)
{
    Sink *s = self;
    WwCycle now = ww_now(s);
    if (now < s->ready) {
        return s->ready - now;
    }
    if (!ww_fifo_ready(&s->in)) {
        return WW_SLEEP;
    }
    const WwPayload *payload = ((const WwChannel *)s->in.peer)->payload;
    WwToken token = ww_fifo_take(&s->in);
    s->taken++;
    s->sum += payload != NULL ? payload->key(token) : token;
    ww_progress(s);
    if (++s->n == s->limit) {
        ww_done(s);
    }
    s->ready = now + s->interval;
    return s->interval;
}

static void sink_reset(void *self)
{
    Sink *s = self;
    s->ready = 0;
    s->n = 0;
    ww_takes_a_turn(&s->in, 1);
}

/* It may end the run in any tick. */
static void sink_ahead(void *self)
{
    const Sink *s = self;
    if (s->limit != 0) {
        ww_window_limit(s->base.machine, s->base.domain, 0);
    }
}

static const WwParamRow sink_params[] = {
    WW_UINT(Sink, interval, "cycles", "1", 1, 1000000, "cycles from one token to the next"),
    WW_U64(Sink, limit, "", "0", 0, 0, "ends the run after this many tokens; 0: never"),
    {0},
};

static const WwPortRow sink_ports[] = {
    WW_PORT_IN(Sink, in, &ww_contract_any, 1, "tokens to take"),
    {0},
};

static const WwStatRow sink_stats[] = {
    WW_COUNTER(Sink, taken, "tokens", "tokens taken"),
    WW_COUNTER(Sink, sum, "", "sum of the keys of tokens (numbers: their values)"),
    {0},
};

static const WwEntryRow sink_entries[] = {
    {.name = "take", .phase = "main", .tick = sink_take, .doc = "takes one token"},
    {0},
};

const WwType sink_type = {
    .abi = WW_ABI_VERSION,
    .name = "sink",
    .doc = "Takes tokens at a given rate, counts and adds them up.",
    .family = "std",
    .size = sizeof(Sink),
    .params = sink_params,
    .ports = sink_ports,
    .stats = sink_stats,
    .entries = sink_entries,
    .reset = sink_reset,
    .ahead = sink_ahead,
};
