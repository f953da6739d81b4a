/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.mallocs`: the saved check must catch it. For how long it holds a
 * number follows from what it counts in memory of the C library.
 */
#include "fault-priv.h"

typedef struct Mallocs {
    Fault fault;
    uint64_t *count; /* the fault: ww_alloc() would do */
} Mallocs;

static bool mallocs_init(void *self, GError **error)
{
    ((Mallocs *)self)->count = g_new0(uint64_t, 1);
    return true;
}

static void mallocs_finish(void *self)
{
    g_free(((Mallocs *)self)->count);
}

static WwRest mallocs_pass(void *self)
{
    Mallocs *m = self;
    if (m->fault.n == 0) {
        *m->count = 0;
    }
    bool held = m->fault.holding;
    WwRest rest = fault_dawdle(&m->fault, m->fault.n, (uint32_t)(1 + *m->count % 5));
    *m->count += m->fault.holding && !held;
    return rest;
}

static const WwEntryRow mallocs_entries[] = {
    {.name = "pass", .phase = "main", .tick = mallocs_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_mallocs_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.mallocs",
    .doc = "Keeps state in memory that is not of the machine.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Mallocs),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = mallocs_entries,
    .init = mallocs_init,
    .finish = mallocs_finish,
    .reset = fault_reset,
};
