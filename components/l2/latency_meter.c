/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Round trips of memory requests, averaged over windows of core cycles: what the reference calls
 * its average latency is a sum that is folded at the end of each window of an interval, and when
 * the interval is closed, which is after its figures were read. So the responses since the last
 * full window of a kernel are missing from that kernel's figures, and in the next one's.
 *
 *   cluster ports ──handed──> one of two windows ──end of it──> folded
 *
 * Clusters of different partitions tell, which may not have the same time: so a window is folded when nobody can add to it any more, which is
 * when a response comes of the one after the next, or when somebody reads.
 */
#include "types.h"

#include <ports/latency.h>

enum { CHANNELS = 256, BANKS = WW_MAX_DRAM_BANKS };

/* Responses of one window. */
typedef struct Window {
    uint64_t n, sum;
    WwCycle end; /* Edge after it. */
} Window;

/* What one thread was told, in the stretch of time that partitions are in at present, and ever since the reset. */
typedef struct Part {
    Window open[2];
    WwBankLatency *bank[CHANNELS]; /* [BANKS]; NULL: none of that channel. */
} Part;

typedef struct Latency {
    WwComponent base;
    /* parameters */
    uint32_t window;
    /* ports */
    WwProvided latency;
    /* state */
    WwCycle interval;            /* First edge of the interval between two pauses. */
    WwCycle start;               /* That of the one which they are in. */
    Part *part[WW_MAX_WORKERS];  /* What each thread was told; NULL: nothing. */
    _Alignas(64) Window open[2]; /* Of the first thread; in a line that the others do not read. */
    /* statistics */
    uint64_t folded, folded_sum, window_table[WW_LOG2_CLASSES];
} Latency;

/* ---- windows ------------------------------------------------------------------------------- */

static void fold(Latency *l, Window *w)
{
    if (w->n != 0) {
        l->folded += w->n;
        l->folded_sum += w->sum;
        l->window_table[ww_log2_class(w->sum / w->n)]++;
        *w = (Window){0};
    }
}

/* An interval has begun: it cuts the last window of the one before short. */
static void begin_interval(Latency *l, WwCycle start)
{
    fold(l, &l->open[0]);
    fold(l, &l->open[1]);
    l->start = start;
}

/* The window that ends before edge @p end. */
static Window *window_of(Latency *l, WwCycle end)
{
    Window *w = &l->open[0];
    if (w->n == 0 || w->end == end) {
        return w;
    }
    if (l->open[1].n == 0 || l->open[1].end == end) {
        return &l->open[1];
    }
    w += l->open[1].end < w->end;
    fold(l, w);
    return w;
}

/* What the other threads were told; they rest. */
static void gather(Latency *l)
{
    for (uint32_t k = 1; k < WW_MAX_WORKERS; k++) {
        for (uint32_t i = 0; l->part[k] != NULL && i < 2; i++) {
            Window *from = &l->part[k]->open[i];
            if (from->n != 0) {
                Window *to = window_of(l, from->end);
                to->n += from->n;
                to->sum += from->sum;
                to->end = from->end;
                *from = (Window){0};
            }
        }
    }
}

/* Folds what is over, of an interval that ended at the first edge of the next one. */
static void latency_tally(void *self)
{
    Latency *l = self;
    WwCycle now = ww_now(l);
    gather(l);
    bool cut = l->start != l->interval && now > l->interval;
    for (uint32_t i = 0; i < 2; i++) {
        if (cut || now >= l->open[i].end) {
            fold(l, &l->open[i]);
        }
    }
    if (l->open[0].n ==
        0) { /* where an open window is looked for first: it may not be begun again */
        l->open[0] = l->open[1];
        l->open[1] = (Window){0};
    }
}

/* Of two windows there is always one that all partitions have passed. */
static void latency_ahead(void *self)
{
    Latency *l = self;
    gather(l);
    if (l->start != l->interval) {
        begin_interval(l, l->interval);
    }
    ww_window_limit(l->base.machine, l->base.domain, l->window);
}

/* ---- what is told -------------------------------------------------------------------------- */

WW_COLD static Part *begin_part(Latency *l, uint32_t worker)
{
    return l->part[worker] = ww_alloc(l, sizeof(Part));
}

WW_COLD static WwBankLatency *begin_channel(Latency *l, Part *p, uint32_t channel)
{
    return p->bank[channel] = ww_alloc(l, BANKS * sizeof(WwBankLatency));
}

static void latency_handed(void *self, const WwMemReq *req, uint32_t latency, WwCycle now)
{
    Latency *l = self;
    uint32_t worker = ww_worker();
    Part *p = l->part[worker] != NULL ? l->part[worker] : begin_part(l, worker);
    if (worker == 0 && l->start != l->interval) {
        begin_interval(l, l->interval);
    }
    const Window *last = worker == 0 ? &l->open[0] : &p->open[0];
    WwCycle end = last->n != 0 && last->end - now - 1 < l->window /* the same, as a rule */
                      ? last->end
                      : l->start + ((now - l->start) / l->window + 1) * l->window;
    Window *w = worker == 0                                  ? window_of(l, end)
                : p->open[0].n == 0 || p->open[0].end == end ? &p->open[0]
                                                             : &p->open[1];
    w->n++;
    w->sum += latency;
    w->end = end;
    if (req->at.channel < CHANNELS && req->at.bank < BANKS) {
        WwBankLatency *of = p->bank[req->at.channel];
        WwBankLatency *b = (of != NULL ? of : begin_channel(l, p, req->at.channel)) + req->at.bank;
        b->sum += latency;
        b->max = MAX(b->max, latency);
    }
}

static WwBankLatency latency_bank(void *self, uint32_t channel, uint32_t bank)
{
    const Latency *l = self;
    WwBankLatency all = {0};
    for (uint32_t k = 0; channel < CHANNELS && bank < BANKS && k < WW_MAX_WORKERS; k++) {
        if (l->part[k] != NULL && l->part[k]->bank[channel] != NULL) {
            const WwBankLatency *b = &l->part[k]->bank[channel][bank];
            all.sum += b->sum;
            all.max = MAX(all.max, b->max);
        }
    }
    return all;
}

static const WwLatencyIf latency_table = {.handed = latency_handed, .bank = latency_bank};

/* ---- life ---------------------------------------------------------------------------------- */

static void latency_resume(void *self)
{
    Latency *l = self;
    l->interval = ww_now(l);
}

static void latency_reset(void *self)
{
    Latency *l = self;
    l->open[0] = l->open[1] = (Window){0};
    l->interval = l->start = 0;
    for (uint32_t k = 0; k < WW_MAX_WORKERS; k++) {
        Part *p = l->part[k];
        for (uint32_t i = 0; p != NULL && i < CHANNELS; i++) {
            if (p->bank[i] != NULL) {
                memset(p->bank[i], 0, BANKS * sizeof(WwBankLatency));
            }
        }
        if (p != NULL) {
            p->open[0] = p->open[1] = (Window){0};
        }
    }
}

static const WwParamRow latency_params[] = {
    WW_UINT(Latency, window, "cycles", "500", 1, 1u << 30, "core cycles per average"),
    {0},
};

static const WwGoneRow latency_gone[] = {
    {"channels", "as many as the address map's (gpu.channels)"},
    {0},
};

static const WwPortRow latency_ports[] = {
    WW_PORT_PROVIDES(Latency, latency, &ww_contract_latency, &latency_table,
                     "told of responses delivered"),
    {0},
};

static const WwStatRow latency_stats[] = {
    WW_COUNTER(Latency, folded, "requests", "responses in completed windows"),
    WW_COUNTER(Latency, folded_sum, "cycles", "cycles from creation to delivery of these, summed"),
    WW_HISTOGRAM(Latency, window_table, "windows", "windows by their average"),
    {0},
};

const WwType latency_meter_type = {
    .abi = WW_ABI_VERSION,
    .name = "latency_meter",
    .doc = "Averages the round trips of memory requests over windows of core cycles.",
    .family = "l2",
    .flags = WW_TYPE_SERIAL,
    .size = sizeof(Latency),
    .params = latency_params,
    .gone = latency_gone,
    .ports = latency_ports,
    .stats = latency_stats,
    .reset = latency_reset,
    .resume = latency_resume,
    .tally = latency_tally,
    .ahead = latency_ahead,
};
