/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest component: no ports, it counts its own cycles and ends the run at a limit.
 *
 * It runs in each of them, which is the plain way to write it. One that had nothing else to do
 * would sleep until the limit and count in a settle function, as delay.c does with its waiting.
 */
#include "types.h"

#include <warpwright/warpwright.h>

typedef struct Counter {
    WwComponent base;
    /* parameters */
    uint64_t limit;
    /* state */
    uint64_t now;
    /* statistics */
    uint64_t ticks;
} Counter;

static const WwEventField field_number =
    WW_EVENT_FIELD("number", WW_EVENT_NUMBER, "", "counted so far");
static const WwEventRow counter_events[] = {
    {"count", "", "it has counted one", {&field_number}},
    {0},
};

static WwRest counter_count(void *self)
{
    Counter *c = self;
    if (c->now == c->limit) {
        return WW_SLEEP;
    }
    c->now++;
    c->ticks++;
    ww_progress(c);
    WW_LOG(c, &counter_events[0], -1, c->now);
    if (c->now == c->limit) {
        ww_done(c);
        return WW_SLEEP;
    }
    return WW_AGAIN;
}

/* The run ends with the last edge that it counts. */
static void counter_ahead(void *self)
{
    const Counter *c = self;
    if (c->now != c->limit) {
        ww_window_limit(c->base.machine, c->base.domain, c->limit - c->now - 1);
    }
}

static void counter_reset(void *self)
{
    ((Counter *)self)->now = 0;
}

static const WwParamRow counter_params[] = {
    WW_U64(Counter, limit, "cycles", "10", 0, 0,
           "ends the run when this count is reached; 0: sleeps from the start"),
    {0},
};

static const WwStatRow counter_stats[] = {
    WW_COUNTER(Counter, ticks, "cycles", "cycles counted"),
    {0},
};

static const WwEntryRow counter_entries[] = {
    {.name = "count", .phase = "main", .tick = counter_count, .doc = "counts one"},
    {0},
};

const WwType counter_type = {
    .abi = WW_ABI_VERSION,
    .name = "counter",
    .doc = "Counts its own cycles up to a limit, then ends the run.",
    .family = "std",
    .size = sizeof(Counter),
    .events = counter_events,
    .params = counter_params,
    .stats = counter_stats,
    .entries = counter_entries,
    .reset = counter_reset,
    .ahead = counter_ahead,
};
