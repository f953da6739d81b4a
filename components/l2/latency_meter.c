/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Round trips of memory requests, averaged over windows of core cycles: what the reference calls
 * its average latency is a sum that is folded at the end of each window of an interval, and when
 * the interval is closed, which is after its figures were read. So the responses since the last
 * full window of a kernel are missing from that kernel's figures, and in the next one's.
 *
 *   cluster ports ──handed──> fresh ──end of the tick──> window ──end of it──> folded
 *
 * Clusters of different partitions tell: `fresh` is added to atomically, and is taken over by the
 * only entry, which runs alone. That entry runs in ticks with a response; a window that ends in
 * between is folded before the next response, or by settle() when somebody reads.
 */
#include "types.h"

#include <ports/latency.h>
#include <string.h>

enum { CHANNELS = 256, BANKS = 32 };

typedef struct Latency {
    WwComponent base;
    /* parameters */
    uint32_t window;
    /* ports */
    WwProvided latency;
    /* state */
    WwWake wake;
    uint64_t fresh_n, fresh_sum;   /* Of this tick. */
    uint64_t window_n, window_sum; /* Of the window that the last response was in. */
    WwCycle end;                   /* Edge after that window. */
    WwCycle interval;              /* First edge of the interval between two pauses. */
    WwCycle start;                 /* That of the one which the window is in. */
    WwBankLatency *bank;           /* [CHANNELS][BANKS] */
    /* statistics */
    uint64_t folded, folded_sum, window_table[WW_LOG2_CLASSES];
} Latency;

/* ---- windows ------------------------------------------------------------------------------- */

static void fold(Latency *l)
{
    l->folded += l->window_n;
    l->folded_sum += l->window_sum;
    l->window_table[ww_log2_class(l->window_sum / l->window_n)]++;
    l->window_n = l->window_sum = 0;
}

/* Did the interval of the last response end? */
static bool closed(const Latency *l)
{
    return l->start != l->interval;
}

/*
 * Folds what was over when @p edges edges of the core had passed. An interval may cut a window
 * short: at the first edge of the next one.
 */
static void fold_if_over(Latency *l, WwCycle edges)
{
    bool cut = closed(l) && edges > l->interval;
    if (l->window_n != 0 && (edges >= l->end || cut)) {
        fold(l);
    }
}

/* The responses of edge @p now join their window. */
static void take_over(Latency *l, WwCycle now)
{
    if (l->fresh_n == 0) {
        return;
    }
    if (l->window_n != 0 && (now >= l->end || closed(l))) {
        fold(l);
    }
    if (l->window_n == 0) {
        l->start = l->interval;
        l->end = l->start + ((now - l->start) / l->window + 1) * l->window;
    }
    l->window_n += l->fresh_n;
    l->window_sum += l->fresh_sum;
    l->fresh_n = l->fresh_sum = 0;
}

static WwRest latency_fold(void *self)
{
    Latency *l = self;
    take_over(l, ww_now(l));
    fold_if_over(l, ww_now(l) + 1);
    return WW_SLEEP;
}

static void latency_settle(void *self, uint32_t entry, uint64_t n)
{
    Latency *l = self;
    fold_if_over(l, ww_now(l));
}

/* ---- what is told -------------------------------------------------------------------------- */

static void add(uint64_t *sum, uint64_t n)
{
    __atomic_fetch_add(sum, n, __ATOMIC_RELAXED);
}

static void raise_to(uint64_t *max, uint64_t v)
{
    uint64_t old = __atomic_load_n(max, __ATOMIC_RELAXED);
    while (old < v &&
           !__atomic_compare_exchange_n(max, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void latency_handed(void *self, const WwMemReq *req, uint32_t latency)
{
    Latency *l = self;
    add(&l->fresh_sum, latency);
    if (__atomic_fetch_add(&l->fresh_n, 1, __ATOMIC_RELAXED) == 0) {
        ww_wake(&l->wake);
    }
    if (req->at.channel < CHANNELS && req->at.bank < BANKS) {
        WwBankLatency *b = &l->bank[req->at.channel * BANKS + req->at.bank];
        add(&b->sum, latency);
        raise_to(&b->max, latency);
    }
}

static WwBankLatency latency_bank(void *self, uint32_t channel, uint32_t bank)
{
    const Latency *l = self;
    return channel < CHANNELS && bank < BANKS ? l->bank[channel * BANKS + bank]
                                              : (WwBankLatency){0};
}

static const WwLatencyIf latency_table = {.handed = latency_handed, .bank = latency_bank};

/* ---- life ---------------------------------------------------------------------------------- */

static void latency_resume(void *self)
{
    Latency *l = self;
    l->interval = ww_now(l);
}

static bool latency_init(void *self, GError **error)
{
    Latency *l = self;
    l->bank = ww_alloc(l, (size_t)CHANNELS * BANKS * sizeof *l->bank);
    return true;
}

static void latency_reset(void *self)
{
    Latency *l = self;
    l->wake = ww_wake_of(l, 0);
    l->fresh_n = l->fresh_sum = l->window_n = l->window_sum = 0;
    l->interval = l->start = l->end = 0;
    memset(l->bank, 0, (size_t)CHANNELS * BANKS * sizeof *l->bank);
}

static const WwParamRow latency_params[] = {
    WW_UINT(Latency, window, "cycles", "500", 1, 1u << 30,
            "core cycles that an average is taken over"),
    {0},
};

static const WwGoneRow latency_gone[] = {
    {"channels", "as many as the address map's (gpu.channels)"},
    {0},
};

static const WwPortRow latency_ports[] = {
    WW_PORT_PROVIDES(Latency, latency, &ww_contract_latency, &latency_table,
                     "is told of responses handed over"),
    {0},
};

static const WwStatRow latency_stats[] = {
    WW_COUNTER(Latency, folded, "requests", "responses in windows that are over"),
    WW_COUNTER(Latency, folded_sum, "cycles", "creation to hand-over of these, summed"),
    WW_HISTOGRAM(Latency, window_table, "windows", "average of a window"),
    {0},
};

static const WwEntryRow latency_entries[] = {
    {.name = "fold", .phase = "dispatch", .tick = latency_fold, .doc = "folds windows"},
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
    .entries = latency_entries,
    .init = latency_init,
    .reset = latency_reset,
    .settle = latency_settle,
    .resume = latency_resume,
};
