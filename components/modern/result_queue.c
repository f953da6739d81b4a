/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `result_queue`: how many places of a result queue are promised. The results themselves lie in a register_set between units and write-back; an
 * instruction of fixed latency issues only when there will be a place for its result, and keeps it until that is written. So a unit never has to
 * wait with a result.
 */
#include "types.h"

#include <ports/issue.h>
#include <ports/sub_core.h>

enum { MAX_ISSUERS = 4 };

typedef struct ResultQueue {
    WwComponent base;
    /* parameters */
    uint32_t slots;
    /* ports */
    WwProvided queue;
    /* state */
    uint32_t reserved;
    uint32_t n_issue;
    WwWake issue[MAX_ISSUERS];
    /* statistics */
    uint64_t results;
    uint64_t most;
} ResultQueue;

static bool queue_free(void *self)
{
    const ResultQueue *q = self;
    return q->reserved < q->slots;
}

/* A component reserved a slot without asking for one. */
WW_COLD static void fail_count(ResultQueue *q, const char *what)
{
    g_autofree char *path = ww_path(q);
    ww_fail_run(q, g_error_new(WW_ERROR, WW_ERROR_MODEL, "%s: a slot is %s with %u of %u reserved",
                               path, what, q->reserved, q->slots));
}

static void queue_reserve(void *self)
{
    ResultQueue *q = self;
    if (G_UNLIKELY(q->reserved == q->slots)) {
        fail_count(q, "reserved");
        return;
    }
    q->reserved++;
    q->results++;
    q->most = MAX(q->most, q->reserved);
}

static void queue_release(void *self)
{
    ResultQueue *q = self;
    if (G_UNLIKELY(q->reserved == 0)) {
        fail_count(q, "released");
        return;
    }
    if (q->reserved-- == q->slots) {
        for (uint32_t i = 0; i < q->n_issue; i++) {
            ww_wake(&q->issue[i]);
        }
    }
}

static bool queue_init(void *self, GError **error)
{
    ResultQueue *q = self;
    q->n_issue = ww_provided_count(&q->queue, WW_SLOTS_ISSUE);
    if (q->n_issue > MAX_ISSUERS) {
        return ww_fail(error, WW_ERROR_WIRING, "%u issue stages share it; expected at most %u",
                       q->n_issue, MAX_ISSUERS);
    }
    for (uint32_t i = 0; i < q->n_issue; i++) {
        q->issue[i] = ww_provided_client(&q->queue, WW_SLOTS_ISSUE, i)->wake;
    }
    return true;
}

static void queue_reset(void *self)
{
    ((ResultQueue *)self)->reserved = 0;
}

static void queue_explain(void *self, WwExplain *explain)
{
    const ResultQueue *q = self;
    if (q->reserved != 0) {
        const WwClient *write = ww_provided_client(&q->queue, WW_SLOTS_WRITE, 0);
        ww_explain_waits(explain, write != NULL ? write->who : NULL,
                         "%u of %u slots reserved for results that have not been written",
                         q->reserved, q->slots);
    }
}

static const WwResultSlotsIf queue_table = {
    .free = queue_free,
    .reserve = queue_reserve,
    .release = queue_release,
};

static const WwParamRow queue_params[] = {
    WW_UINT(ResultQueue, slots, "entries", "8", 1, 64,
            "results in flight or waiting to be written; the width of their register_set"),
    {0},
};

static const WwPortRow queue_ports[] = {
    WW_PORT_PROVIDES(ResultQueue, queue, &ww_contract_result_slots, &queue_table,
                     "reserved by the issue stage, released by write-back"),
    {0},
};

static const WwStatRow queue_stats[] = {
    WW_COUNTER(ResultQueue, results, "results", "slots reserved"),
    WW_MAXIMUM(ResultQueue, most, "entries", "maximum number of reserved slots"),
    {0},
};

const WwType result_queue_type = {
    .abi = WW_ABI_VERSION,
    .name = "result_queue",
    .doc = "Slots of a result queue, reserved at issue and freed when the result is written.",
    .family = "result_queue",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(ResultQueue),
    .params = queue_params,
    .ports = queue_ports,
    .stats = queue_stats,
    .init = queue_init,
    .reset = queue_reset,
    .explain = queue_explain,
};
