/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.keeps`: hang detection must say who holds what. It takes n numbers, then no more.
 */
#include "fault-priv.h"

static WwRest keeps_take(void *self)
{
    Fault *f = self;
    while (f->n < f->every && ww_fifo_ready(&f->in)) {
        fault_take(f);
    }
    return WW_SLEEP;
}

static void keeps_explain(void *self, WwExplain *explain)
{
    Fault *f = self;
    if (f->n != 0) {
        ww_explain_waits(explain, f, "keeps %" G_GUINT64_FORMAT " numbers and frees none", f->n);
    }
}

static const WwEntryRow keeps_entries[] = {
    {.name = "take", .phase = "main", .tick = keeps_take, .doc = "takes numbers"},
    {0},
};

const WwType fault_keeps_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.keeps",
    .doc = "Takes n numbers and frees none: a deadlock.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = keeps_entries,
    .reset = fault_reset,
    .explain = keeps_explain,
};
