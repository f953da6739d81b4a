/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes tokens on and writes down what it saw.
 *
 *     anything -> in [ ] out -> the same
 *
 * Whatever is visible at `in` goes to `out` in the same cycle while there is room: a probe adds
 * one cycle of latency and takes no bandwidth. Values are what the payload says a token means (a
 * number: itself).
 */
#include "types.h"

#include <ports/tokens.h>

#define PROBE_CLASSES 24u /* of gaps, by powers of two; the last takes all larger ones */

typedef struct Probe {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort out;
    /* state */
    WwCycle before; /* Cycle of the last token. */
    bool blocked;   /* A token is there and cannot go on. */
    /* statistics */
    uint64_t passed;
    uint64_t smallest, largest, last;
    uint64_t waited;
    uint64_t gap[PROBE_CLASSES];
} Probe;

static void record(Probe *p, uint64_t value)
{
    WwCycle now = ww_now(p);
    if (p->passed == 0) {
        p->smallest = value;
    } else {
        p->gap[MIN(ww_log2_class(now - p->before), PROBE_CLASSES - 1u)]++;
    }
    p->passed++;
    p->smallest = MIN(p->smallest, value);
    p->largest = MAX(p->largest, value);
    p->last = value;
    p->before = now;
}

static WwRest probe_pass(void *self)
{
    Probe *p = self;
    const WwPayload *payload = ((const WwChannel *)p->in.peer)->payload;
    p->blocked = false;
    while (ww_fifo_ready(&p->in)) {
        p->blocked = !ww_fifo_room(&p->out);
        if (p->blocked) {
            p->waited++;
            return WW_SLEEP;
        }
        WwToken token = ww_fifo_take(&p->in);
        record(p, payload != NULL ? payload->key(token) : token);
        ww_fifo_put(&p->out, token);
    }
    return WW_SLEEP;
}

static void probe_settle(void *self, uint32_t entry, uint64_t n)
{
    Probe *p = self;
    if (p->blocked) {
        p->waited += n;
    }
}

static void probe_reset(void *self)
{
    Probe *p = self;
    p->before = 0;
    p->blocked = false;
}

static void probe_explain(void *self, WwExplain *explain)
{
    Probe *p = self;
    if (p->blocked) {
        ww_explain_waits(explain, p->out.peer, "a token waits for room");
    }
}

static const WwPortRow probe_ports[] = {
    WW_PORT_IN(Probe, in, &ww_contract_any, 1, "tokens to observe"),
    WW_PORT_OUT(Probe, out, &ww_contract_any, 1, "the same tokens"),
    {0},
};

static const WwStatRow probe_stats[] = {
    WW_COUNTER(Probe, passed, "tokens", "tokens that went through"),
    WW_COUNTER(Probe, smallest, "", "smallest value seen"),
    WW_MAXIMUM(Probe, largest, "", "largest value seen"),
    WW_COUNTER(Probe, last, "", "value of the last token"),
    WW_COUNTER(Probe, waited, "cycles", "cycles in which a token could not proceed"),
    WW_HISTOGRAM(Probe, gap, "cycles", "cycles between a token and its predecessor"),
    {0},
};

static const WwEntryRow probe_entries[] = {
    {.name = "pass", .phase = "main", .tick = probe_pass, .doc = "passes tokens on"},
    {0},
};

const WwType probe_type = {
    .abi = WW_ABI_VERSION,
    .name = "probe",
    .doc = "Passes tokens on and records their values and gaps.",
    .family = "std",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Probe),
    .ports = probe_ports,
    .stats = probe_stats,
    .entries = probe_entries,
    .reset = probe_reset,
    .settle = probe_settle,
    .explain = probe_explain,
};
