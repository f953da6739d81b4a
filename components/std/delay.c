/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipeline of `cycles` stages for anything.
 *
 *     anything -> in [ cycles ] out -> the same
 *
 * One token enters and one leaves in a cycle; a token taken in cycle c is put in cycle c +
 * cycles. When `out` is full, what is inside waits in order and the stages behind close up.
 * Nothing moves inside: a ring remembers when each token is due, so the component runs twice a
 * token, not once a cycle.
 */
#include "types.h"

#include <ports/tokens.h>

typedef struct Stage {
    WwToken token;
    WwCycle due;
} Stage;

typedef struct Delay {
    WwComponent base;
    /* parameters */
    uint32_t cycles;
    /* ports */
    WwPort in;
    WwPort out;
    /* state */
    Stage *inside; /* At most `cycles`, */
    WwRing ring;   /* in order. */
    bool blocked;  /* The oldest is due and has no room. */
    /* statistics */
    uint64_t passed;
    uint64_t waited;
} Delay;

static inline bool due(const Delay *d)
{
    return d->ring.n != 0 && d->inside[ww_ring_first(&d->ring)].due <= ww_now(d);
}

static void put(Delay *d)
{
    if (!due(d)) {
        return;
    }
    if (!ww_fifo_room(&d->out)) {
        d->waited++;
        return;
    }
    ww_fifo_put(&d->out, d->inside[ww_ring_take(&d->ring)].token);
    d->passed++;
}

static void take(Delay *d)
{
    if (d->ring.n < d->cycles && ww_fifo_ready(&d->in)) {
        d->inside[ww_ring_put(&d->ring)] = (Stage){ww_fifo_take(&d->in), ww_now(d) + d->cycles};
    }
}

static WwRest delay_move(void *self)
{
    Delay *d = self;
    put(d);
    take(d);
    d->blocked = due(d) && !ww_fifo_room(&d->out);
    if (d->ring.n < d->cycles && ww_fifo_ready(&d->in)) {
        return WW_AGAIN;
    }
    if (d->ring.n == 0 || d->blocked) {
        return WW_SLEEP; /* a token or a freed slot wakes it */
    }
    return due(d) ? WW_AGAIN : d->inside[ww_ring_first(&d->ring)].due - ww_now(d);
}

static void delay_settle(void *self, uint32_t entry, uint64_t n)
{
    Delay *d = self;
    if (d->blocked) {
        d->waited += n;
    }
}

static bool delay_init(void *self, GError **error)
{
    Delay *d = self;
    d->inside = ww_alloc(d, ww_ring_init(&d->ring, d->cycles) * sizeof *d->inside);
    return true;
}

static void delay_reset(void *self)
{
    Delay *d = self;
    ww_ring_clear(&d->ring);
    d->blocked = false;
    ww_takes_a_turn(&d->in, 1);
}

static void delay_explain(void *self, WwExplain *explain)
{
    Delay *d = self;
    if (due(d)) {
        ww_explain_waits(explain, d->out.peer, "%u %s for room", d->ring.n,
                         WW_PLURAL(d->ring.n, "token waits", "tokens wait"));
    }
}

static const WwParamRow delay_params[] = {
    WW_UINT(Delay, cycles, "cycles", "1", 1, 100000,
            "stages: cycles from taking a token to putting it"),
    {0},
};

static const WwPortRow delay_ports[] = {
    WW_PORT_IN(Delay, in, &ww_contract_any, 1, "tokens"),
    WW_PORT_OUT(Delay, out, &ww_contract_any, 1, "the same tokens, later"),
    {0},
};

static const WwStatRow delay_stats[] = {
    WW_COUNTER(Delay, passed, "tokens", "tokens that went through"),
    WW_COUNTER(Delay, waited, "cycles", "cycles the oldest token was due but had no room"),
    {0},
};

static const WwEntryRow delay_entries[] = {
    {.name = "move",
     .phase = "main",
     .tick = delay_move,
     .doc = "puts tokens that are due, takes new ones"},
    {0},
};

const WwType delay_type = {
    .abi = WW_ABI_VERSION,
    .name = "delay",
    .doc = "Delays tokens by a number of cycles, in order.",
    .family = "std",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Delay),
    .params = delay_params,
    .ports = delay_ports,
    .stats = delay_stats,
    .entries = delay_entries,
    .init = delay_init,
    .reset = delay_reset,
    .settle = delay_settle,
    .explain = delay_explain,
};
