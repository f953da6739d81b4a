/* SPDX-License-Identifier: Apache-2.0 */
/* How a warp scheduler is joined to the rest: which instruction goes to which port, and what cannot be. */
#include "warp_scheduler-priv.h"

#include <string.h>

static const WwEventWord on_int = WW_WORD("INT"), on_sp = WW_WORD("SP"), on_mem = WW_WORD("MEM"),
                         on_sfu = WW_WORD("SFU"), on_tensor = WW_WORD("TENSOR"),
                         on_dp = WW_WORD("DP"),
                         on_spec[] = {WW_WORD("SPEC1"), WW_WORD("SPEC2"), WW_WORD("SPEC3"),
                                      WW_WORD("SPEC4"), WW_WORD("SPEC5"), WW_WORD("SPEC6"),
                                      WW_WORD("SPEC7"), WW_WORD("SPEC8")};
G_STATIC_ASSERT(G_N_ELEMENTS(on_spec) == WW_NUM_SPEC);

static inline void set_route(WarpScheduler *s, uint32_t op, const WwPort *port, Unit unit,
                             const WwEventWord *name)
{
    s->route[op] = (Route){.port = port, .unit = unit, .name = name};
}

/* What has no unit of its own goes to INT, or to SP on machines without INT. */
static void make_routes(WarpScheduler *s)
{
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        if (WW_BOUND(&s->int_)) {
            set_route(s, op, &s->int_, UNIT_INT, &on_int);
        } else {
            set_route(s, op, &s->sp, UNIT_SP, &on_sp);
        }
    }
    set_route(s, WW_OP_LOAD, &s->mem, UNIT_MEM, &on_mem);
    set_route(s, WW_OP_STORE, &s->mem, UNIT_MEM, &on_mem);
    set_route(s, WW_OP_MEMBAR, &s->mem, UNIT_MEM, &on_mem);
    set_route(s, WW_OP_SP, &s->sp, UNIT_SP, &on_sp);
    set_route(s, WW_OP_SFU, &s->sfu, UNIT_SFU, &on_sfu);
    set_route(s, WW_OP_TENSOR, &s->tensor, UNIT_TENSOR, &on_tensor);
    if (WW_BOUND(&s->dp)) {
        set_route(s, WW_OP_DP, &s->dp, UNIT_DP, &on_dp);
    } else {
        set_route(s, WW_OP_DP, &s->sfu, UNIT_SFU, &on_dp);
    }
    static const WwPort nowhere;
    for (uint32_t k = 0; k < WW_NUM_SPEC; k++) {
        set_route(s, WW_OP_SPEC1 + k, &nowhere, UNIT_SPEC, &on_spec[k]);
    }
    for (uint32_t k = 0; k < s->spec_categories.n; k++) {
        s->route[WW_OP_SPEC1 + s->spec_categories.v[k] - 1].port = &s->spec[k];
    }
}

static void number_ports(WarpScheduler *s)
{
    uint32_t n = 0, first[N_UNITS]; /* of a unit's ports; no two units share one */
    for (uint32_t unit = 0; unit < N_UNITS; unit++) {
        first[unit] = N_QUEUES;
    }
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        uint32_t *from = &first[s->route[op].unit], q = MIN(*from, n);
        while (q < n && s->port[q] != s->route[op].port) {
            q++;
        }
        *from = MIN(*from, q);
        if (q == n) {
            s->way[n] = &s->route[op];
            s->port[n] = s->route[op].port;
            s->set[n] = s->port[n]->peer;
            s->unit[n++] = (uint8_t)s->route[op].unit;
        }
        s->route[op].queue = q;
    }
}

/* The arithmetic classes that are routed to a port, which a program that has one sends there; and whose they are. */
uint64_t warp_scheduler_carries(void *self, const WwPortRow *row, uint32_t k)
{
    static const uint32_t classes = 1u << WW_OP_SP | 1u << WW_OP_DP | 1u << WW_OP_INT |
                                    1u << WW_OP_SFU | 1u << WW_OP_TENSOR |
                                    ((1u << WW_NUM_SPEC) - 1) << WW_OP_SPEC1;
    WarpScheduler *s = self;
    const WwPort *port = (const WwPort *)((char *)s + row->offset) + k;
    uint64_t bits = 0;
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        bits |= s->route[op].port == port ? 1ull << op : 0;
    }
    return (bits & classes) | ww_carries_scheduler(s->warps.ordinal);
}

static bool check_widths(const WarpScheduler *s, GError **error)
{
    for (uint32_t op = 0; op < WW_N_OPS; op++) {
        const WwRegisterSet *set = s->route[op].port->peer;
        if (set != NULL && set->private && set->width < s->schedulers) {
            g_autofree char *path = ww_path(set);
            return ww_fail(
                error, WW_ERROR_WIRING,
                "%s is private and has width %u; expected a register for each of %u schedulers",
                path, set->width, s->schedulers);
        }
    }
    return true;
}

/*
 * Providers wake scheduler w mod n by ordinal: the numbers must agree everywhere. A scoreboard of
 * the scheduler's own is fine, too; there its number is 0.
 */
static bool check_numbers(const WarpScheduler *s, GError **error)
{
    uint32_t k = s->warps.ordinal;
    uint32_t n = s->barriers_if->view(s->barriers.peer)->schedulers;
    if (n != 0 && n != s->schedulers) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u warp schedulers are bound at warps, %u at barriers; expected the same "
                       "at both",
                       s->schedulers, n);
    }
    if (k >= WW_MAX_SCHEDULERS) {
        return ww_fail(error, WW_ERROR_WIRING, "%u warp schedulers; expected at most %u",
                       s->schedulers, WW_MAX_SCHEDULERS);
    }
    if ((s->hazard.ordinal != k && s->hazard.ordinal != 0) || s->barriers.ordinal != k) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "scheduler is number %u at warps, %u at hazard and %u at barriers; expected "
                       "that schedulers are bound "
                       "in the same order everywhere",
                       k, s->hazard.ordinal, s->barriers.ordinal);
    }
    return true;
}

/* Each specialised category goes to one port, and something goes to each port. */
static bool check_categories(const WarpScheduler *s, GError **error)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < s->spec_categories.n; i++) {
        uint32_t category = s->spec_categories.v[i];
        if (seen >> category & 1u) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "spec_categories names category %u twice; expected it once", category);
        }
        seen |= 1u << category;
    }
    if (s->n_spec > s->spec_categories.n) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "port 'spec' is bound %u times, but spec_categories names %u; expected a "
                       "category for each",
                       s->n_spec, s->spec_categories.n);
    }
    return true;
}

bool warp_scheduler_init(void *self, GError **error)
{
    WarpScheduler *s = self;
    s->warps_if = WW_WARPS(&s->warps);
    s->hazard_if = WW_SCOREBOARD(&s->hazard);
    s->barriers_if = WW_BARRIERS(&s->barriers);
    s->policy_if = WW_POLICY(&s->policy);
    s->simt_if = WW_SIMT(&s->simt);
    s->schedulers = s->warps_if->view(s->warps.peer)->schedulers;
    if (!check_categories(s, error)) {
        return false;
    }
    make_routes(s);
    number_ports(s);
    if (s->launch_latency.n != 5) {
        return ww_fail(error, WW_ERROR_USAGE, "launch_latency has %u numbers; expected 5",
                       s->launch_latency.n);
    }
    return check_widths(s, error) && check_numbers(s, error);
}
