/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the unified memory of every SM between its first-level data cache and shared memory.
 *
 *     CTA dispatch --control--> [l1_carve] --cache--> L1D of every SM
 *
 * Passive; acts once a kernel, when its first CTA is placed. The smallest of the `options` that
 * holds the shared memory which an SM's CTAs need is set aside; the cache gets the rest as ways,
 * all caches at the same instant. Sets and lines stay: what a cache holds is looked at with the
 * new number of ways and nothing is flushed. One for the whole GPU, in the serial partition.
 */
#include "types.h"

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/events.h>
#include <stdlib.h>
#include <string.h>

static const WwEventField field_ways =
    WW_EVENT_FIELD("ways", WW_EVENT_NUMBER, "ways", "that the L1D has from now on");
static const WwEventField field_shared =
    WW_EVENT_FIELD("shared", WW_EVENT_NUMBER, "bytes", "of shared memory beside it");
static const WwEventRow carve_events[] = {
    {"carve", "", "the carve-out of the L1D changes", {&field_ways, &field_shared}},
    {0},
};

#define CARVE_MAX_CACHES 1024u
#define KIB 1024u

typedef struct Option {
    uint32_t bytes; /* Of shared memory. */
    uint32_t ways;  /* Of the L1D beside it. */
} Option;

typedef struct L1Carve {
    WwComponent base;
    /* parameters */
    bool adaptive;
    WwList options;
    /* ports */
    WwProvided control;
    WwPort cache[CARVE_MAX_CACHES];
    uint32_t n_cache;
    /* state */
    Option *option;               /* Ascending; filled in when the caches are ready. */
    uint32_t carved[WW_MAX_RUNS]; /* By slot: the kernel for which all caches were carved. */
    /* statistics */
    uint64_t n_carved;
} L1Carve;

/* No option is large enough, or @p o, which leaves the caches nothing. */
WW_COLD static bool fail_to_carve(const L1Carve *c, const Option *o, uint64_t need, GError **error)
{
    g_autofree char *path = ww_path(c);
    if (o != NULL) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "%s: the CTAs of an SM need %" G_GUINT64_FORMAT
                       " bytes of shared memory, for which options has %u, and no way of the L1D "
                       "is left; expected more unified memory (max_bytes of the L1D)",
                       path, need, o->bytes);
    }
    return ww_fail(error, WW_ERROR_MODEL,
                   "%s: the CTAs of an SM need %" G_GUINT64_FORMAT
                   " bytes of shared memory; expected at most the largest of options, %u",
                   path, need, c->option[c->options.n - 1].bytes);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = ((const Option *)a)->bytes, y = ((const Option *)b)->bytes;
    return (x > y) - (x < y);
}

/*
 * The ways beside each size of shared memory, from the shape of the caches: the largest that they may take is the unified memory. In
 * single precision, as the reference computes it: the share of the cache, rounded to nearest.
 */
static bool carve_start(void *self, GError **error)
{
    L1Carve *c = self;
    if (!c->adaptive) {
        return true;
    }
    const WwCacheFacts *f =
        c->n_cache != 0 ? WW_CACHE(&c->cache[0])->facts(c->cache[0].peer) : NULL;
    uint32_t unified = f != NULL ? f->sets * f->line * f->most_ways : UINT32_MAX;
    if (f != NULL && f->most_ways % f->ways != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "unified memory of %u bytes (max_bytes of the L1D); expected a multiple of "
                       "the L1D: %u sets of %u ways",
                       unified, f->sets, f->ways);
    }
    for (uint32_t i = 0; i < c->options.n; i++) {
        uint32_t bytes = c->options.v[i] * KIB;
        if (bytes > unified) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "options has %u; expected at most %u, the KiB of unified memory "
                           "(max_bytes of the L1D)",
                           c->options.v[i], unified / KIB);
        }
        float share = 1.0f - (float)bytes / (float)unified;
        c->option[i] =
            (Option){bytes, f != NULL ? (uint32_t)((float)f->most_ways * share + 0.5f) : 0};
    }
    qsort(c->option, c->options.n, sizeof *c->option, compare);
    return true;
}

/* The caches of SM @p sm lie side by side, as many for each that asks. */
WW_COLD static bool fail_to_share(const L1Carve *c, GError **error)
{
    g_autofree char *path = ww_path(c);
    return ww_fail(error, WW_ERROR_MODEL,
                   "%s: %u caches are carved out one SM at a time (ctas.carve_all = false), of %u "
                   "SMs; expected as many for each",
                   path, c->n_cache, c->control.n);
}

static bool carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t shmem_total,
                  GError **error)
{
    L1Carve *c = self;
    bool all = sm == UINT32_MAX;
    if (!c->adaptive || (all && c->carved[run->slot] == run->kernel->uid)) {
        return true;
    }
    uint32_t sms = MAX(c->control.n, 1);
    if (!all && c->n_cache % sms != 0) {
        return fail_to_share(c, error);
    }
    uint32_t i = 0;
    while (i < c->options.n && c->option[i].bytes < shmem_total) {
        i++;
    }
    const Option *o = i < c->options.n ? &c->option[i] : NULL;
    if (o == NULL || (o->ways == 0 && c->n_cache != 0)) {
        return fail_to_carve(c, o, shmem_total, error);
    }
    uint32_t each = c->n_cache / sms;
    uint32_t first = all ? 0 : MIN(sm * each, c->n_cache);
    uint32_t end = all ? c->n_cache : MIN(first + each, c->n_cache);
    c->carved[run->slot] = all ? run->kernel->uid : c->carved[run->slot];
    for (uint32_t k = first; k < end; k++) {
        WW_CACHE(&c->cache[k])->reshape(c->cache[k].peer, o->ways, shmem_total != 0);
    }
    c->n_carved++;
    WW_LOG(c, &carve_events[0], -1, o->ways, o->bytes);
    return true;
}

static const WwL1ControlIf control_table = {.carve = carve};

static bool carve_init(void *self, GError **error)
{
    L1Carve *c = self;
    if (c->adaptive && c->options.n == 0) {
        return ww_fail(error, WW_ERROR_USAGE, "options = []; expected sizes of shared memory");
    }
    c->option = ww_alloc(c, c->options.n * sizeof *c->option);
    return true;
}

static void carve_reset(void *self)
{
    L1Carve *c = self;
    memset(c->carved, 0, sizeof c->carved);
}

static const WwParamRow carve_params[] = {
    WW_BOOL(L1Carve, adaptive, "false",
            "new carve-out for each kernel; false: caches stay as configured"),
    WW_LIST(L1Carve, options, "", "[0]", 0, 65536, "possible sizes of shared memory, in KiB"),
    {0},
};

static const WwPortRow carve_ports[] = {
    WW_PORT_PROVIDES(L1Carve, control, &ww_contract_l1_control, &control_table,
                     "told when a kernel's first CTA is placed"),
    WW_PORT_ARRAY(L1Carve, cache, WW_REQUIRES, &ww_contract_cache, 0, NULL, "the L1D of every SM"),
    {0},
};

static const WwStatRow carve_stats[] = {
    WW_COUNTER(L1Carve, n_carved, "kernels",
               "times that caches were resized: once per kernel, or once for each kernel that an "
               "empty SM takes"),
    {0},
};

const WwType l1_carve_type = {
    .abi = WW_ABI_VERSION,
    .name = "l1_carve",
    .doc = "Divides unified memory between L1D and shared memory, per kernel.",
    .family = "memory",
    .flags = WW_TYPE_SERIAL,
    .size = sizeof(L1Carve),
    .events = carve_events,
    .params = carve_params,
    .ports = carve_ports,
    .stats = carve_stats,
    .init = carve_init,
    .reset = carve_reset,
    .start = carve_start,
};
