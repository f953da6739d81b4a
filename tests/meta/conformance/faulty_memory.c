/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty providers of what the memory system shares. */
#include "faulty-priv.h"

#include <ports/cache.h>
#include <ports/coalesce.h>
#include <ports/ctas.h>
#include <ports/latency.h>
#include <ports/pcs.h>
#include <ports/replacement.h>
#include <ports/sub_core.h>
#include <string.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static const WwAddressMapIf *map;

static void drifting_decode(void *self, uint64_t addr, WwAddress *out)
{
    map->decode(self, addr, out);
    out->row ^= now_and_then();
}

static void outside_decode(void *self, uint64_t addr, WwAddress *out)
{
    map->decode(self, addr, out);
    out->slice += now_and_then() ? map->slices(self) : 0;
}

static void counting_decode(void *self, uint64_t addr, WwAddress *out)
{
    map->decode(self, addr, out);
    ++*extra(self);
}

/* Each address gets the next row when it comes for the first time. */
static void first_come_decode(void *self, uint64_t addr, WwAddress *out)
{
    static uint64_t known[4096];
    static void *whose;
    uint64_t *seen = &known[addr * 0x9e3779b97f4a7c15u >> 52];
    map->decode(self, addr, out);
    if (whose != self) {
        whose = self;
        fault_calls = 0;
        memset(known, 0, sizeof known);
    }
    if (*seen == 0) {
        *seen = ++fault_calls;
    }
    out->row = (uint32_t)*seen;
}

static const WwCoalescerIf *coalescer;

static uint32_t forgets_lane(void *self, const WwInst *inst, const WwLanes *lanes,
                             WwTransaction *out)
{
    uint32_t n = coalescer->coalesce(self, inst, lanes, out);
    if (n != 0 && now_and_then()) {
        out[n - 1].lanes &= out[n - 1].lanes - 1;
    }
    return n;
}

static uint32_t grows(void *self, const WwInst *inst, const WwLanes *lanes, WwTransaction *out)
{
    uint32_t n = coalescer->coalesce(self, inst, lanes, out);
    if (n != 0 && now_and_then()) {
        out[0].size *= 2;
    }
    return n;
}

static const WwReplacementIf *replacement;

static uint32_t outside_victim(void *self, WwCacheSet set, const uint64_t *may)
{
    uint32_t way = replacement->victim(self, set, may);
    return now_and_then() ? way + set.ways : way;
}

static uint32_t moody_victim(void *self, WwCacheSet set, const uint64_t *may)
{
    uint32_t way = replacement->victim(self, set, may);
    replacement->touched(self, set, way, UINT32_MAX);
    return way;
}

static const WwArrivalsIf *arrivals;

static void drops_arrived(void *self, WwCycle edge)
{
    if (!now_and_then()) {
        arrivals->arrived(self, edge);
    }
}

static const WwLatencyIf *latency;

static void drops_handed(void *self, const WwMemReq *req, uint32_t n, WwCycle now)
{
    if (!now_and_then()) {
        latency->handed(self, req, n, now);
    }
}

/* Each is told with half of the one before. */
static void blurs_handed(void *self, const WwMemReq *req, uint32_t n, WwCycle now)
{
    WwMemReq far = *req;
    *extra(self) = *extra(self) / 2 + n;
    far.at.channel = UINT16_MAX; /* in no bank's figures */
    latency->handed(self, &far, (uint32_t)*extra(self), now);
    latency->handed(self, req, n, now);
}

static const WwActivityIf *activity;

static bool always_active(void *self)
{
    return true;
}

static bool flickering(void *self)
{
    return activity->active(self) != now_and_then();
}

static const WwMemcpyIf *copies;

static void ends_copy(void *self, uint64_t addr, uint64_t bytes)
{
    copies->copy(self, addr, bytes);
    if (now_and_then()) {
        ww_fail_run(self, g_error_new(WW_ERROR, WW_ERROR_MODEL, "no more copies"));
    }
}

static const WwL1ControlIf *carve;

static bool silent_carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t bytes,
                         GError **error)
{
    return !now_and_then() && carve->carve(self, sm, run, bytes, error);
}

static bool moody_carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t bytes,
                        GError **error)
{
    return now_and_then() ? ww_fail(error, WW_ERROR_USAGE, "not now")
                          : carve->carve(self, sm, run, bytes, error);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static const WwPcsIf *pcs;

static void forgets_l1(void *self, uint32_t number, bool hit)
{
    if (!now_and_then()) {
        pcs->l1(self, number, hit);
    }
}

/* ---- what instructions take ------------------------------------------------------------------------------------- */

static const WwTimingIf *timing;

static const WwTiming *forgets_timing(void *self, const WwInst *inst)
{
    return now_and_then() ? NULL : timing->of(self, inst);
}

/* ---- dependences ------------------------------------------------------------------------------------------------ */

static const WwDependenceIf *dependence;

static void forgets_written(void *self, const WwInst *inst)
{
    if (!now_and_then()) {
        dependence->written(self, inst);
    }
}

static const WwIssuePortIf *issue_port;

static void forgets_stall(void *self, WwCycle from, uint32_t cycles)
{
    if (!now_and_then()) {
        issue_port->stall(self, from, cycles);
    }
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {
    {"address_map", "address_map", &map},
    {"coalescer.segments", "coalescer", &coalescer},
    {"replacement.lru", "policy", &replacement},
    {"arrival_meter", "arrivals", &arrivals},
    {"latency_meter", "latency", &latency},
    {"xbar.local", "activity", &activity},
    {"memcpy_router", "memcpy", &copies},
    {"l1_carve", "control", &carve},
    {"pcs", "pcs", &pcs},
    {"timing.modern", "timing", &timing},
    {"dependence.control_bits", "dependence", &dependence},
    {"issue_stage", "port", &issue_port},
    {NULL, NULL, NULL},
};

#define MAP(name, g) FAULT(name, "address_map", "address_map", WwAddressMapIf, decode, g)
#define COALESCER(name, g)                                                                         \
    FAULT(name, "coalescer.segments", "coalescer", WwCoalescerIf, coalesce, g)
#define REPLACEMENT(name, g) FAULT(name, "replacement.lru", "policy", WwReplacementIf, victim, g)
#define LATENCY(name, g) FAULT(name, "latency_meter", "latency", WwLatencyIf, handed, g)
#define ACTIVITY(name, g) FAULT(name, "xbar.local", "activity", WwActivityIf, active, g)
#define CARVE(name, g) FAULT(name, "l1_carve", "control", WwL1ControlIf, carve, g)

static const Fault faults[] = {
    {MAP("map_drifts", drifting_decode), "promises"},
    {MAP("map_outside", outside_decode), "promises"},
    {MAP("map_counts", counting_decode), "sharing"},
    {MAP("map_first_come", first_come_decode), "sharing"},
    {COALESCER("coalescer_forgets", forgets_lane), "promises"},
    {COALESCER("coalescer_grows", grows), "promises"},
    {REPLACEMENT("replacement_outside", outside_victim), "promises"},
    {REPLACEMENT("replacement_moody", moody_victim), "promises"},
    {FAULT("arrivals_drop", "arrival_meter", "arrivals", WwArrivalsIf, arrived, drops_arrived),
     "same-seed"},
    {LATENCY("latency_drops", drops_handed), "promises"},
    {LATENCY("latency_blurs", blurs_handed), "sharing"},
    {ACTIVITY("activity_always", always_active), "promises"},
    {ACTIVITY("activity_flickers", flickering), "promises"},
    {FAULT("copies_end", "memcpy_router", "memcpy", WwMemcpyIf, copy, ends_copy), "promises"},
    {CARVE("carve_silent", silent_carve), "promises"},
    {CARVE("carve_moody", moody_carve), "promises"},
    {FAULT("timing_forgets", "timing.modern", "timing", WwTimingIf, of, forgets_timing),
     "promises"},
    {FAULT("dependence_forgets", "dependence.control_bits", "dependence", WwDependenceIf, written,
           forgets_written),
     "promises"},
    {FAULT("issue_port_forgets", "issue_stage", "port", WwIssuePortIf, stall, forgets_stall),
     "same-seed"},
    {FAULT("pcs_forgets", "pcs", "pcs", WwPcsIf, l1, forgets_l1), "promises"},
};

const FaultRoom faults_of_memory = {originals, faults, G_N_ELEMENTS(faults)};
