/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.criticality`: the warp that would finish last goes first.
 *
 * After Lee, Arunkumar and Wu, "CAWA: Coordinated Warp Scheduling and Cache Prioritization for Critical Warp Acceleration
 * of GPGPU Workloads" (ISCA 2015), its scheduler gCAWS. The criticality of a warp estimates how long it has yet to go:
 *
 *     criticality = instructions left * cycles an instruction of this warp took so far + cycles it was stalled
 *
 * In CAWA the instructions left are predicted from branches; a trace knows them. Both figures of the past change only
 * when the warp issues. As in gCAWS the chosen warp stays first as long as it can issue (`greedy`).
 */
#include <ports/issue.h>
#include <string.h>
#include <warpwright/module.h>

#define FRACTION 16u /* cycles an instruction are kept in sixteenths */

typedef struct Past {
    uint32_t warp;   /* dynamic id of the warp that this speaks of, */
    bool known;      /* if any */
    uint32_t issues; /* instructions */
    WwCycle first, last;
    uint64_t stalled; /* cycles between two issues beyond the one that each takes */
} Past;

typedef struct Criticality {
    WwComponent base;
    /* parameters */
    bool greedy;
    /* ports */
    WwProvided policy;
    /* state */
    int32_t chosen; /* -1: nobody yet */
    Past past[WW_MAX_WARPS];
    /* statistics */
    uint64_t changes;
} Criticality;

static uint64_t criticality_of(const Criticality *p, uint32_t w, const WwWarp *warp)
{
    const Past *past = &p->past[w];
    uint64_t left = warp->n_trace - warp->cursor, pace = FRACTION;
    if (!past->known || past->warp != warp->dynamic_id) {
        return left * pace;
    }
    pace = FRACTION * (past->last - past->first + 1) / past->issues;
    return left * pace + past->stalled * FRACTION;
}

static uint32_t criticality_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    const Criticality *p = self;
    uint64_t key[WW_MAX_WARPS];
    uint32_t n = 0;
    for (uint64_t left = view->candidates; left != 0; left &= left - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(left);
        uint64_t k =
            p->greedy && w == p->chosen ? UINT64_MAX : criticality_of(p, w, &view->warps->warp[w]);
        uint32_t i = n++;
        for (; i > 0 && key[i - 1] < k; i--) { /* of two alike, the lower slot */
            key[i] = key[i - 1];
            out[i] = out[i - 1];
        }
        key[i] = k;
        out[i] = w;
    }
    return n;
}

static void criticality_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    Criticality *p = self;
    Past *past = &p->past[warp];
    WwCycle now = ww_now(p);
    uint32_t id = view->warps->warp[warp].dynamic_id;
    if (!past->known || past->warp != id) {
        *past = (Past){.warp = id, .known = true, .first = now, .last = now};
    }
    past->stalled += now - past->last > 1 ? now - past->last - 1 : 0;
    past->last = now;
    past->issues += n;
    p->changes += p->chosen != (int32_t)warp;
    p->chosen = (int32_t)warp;
}

static uint64_t criticality_examines(void *self, const WwPolicyView *view)
{
    return view->mine; /* comparing looks at every warp, as the reference's sorting policies do */
}

static void criticality_reset(void *self)
{
    Criticality *p = self;
    p->chosen = -1;
    memset(p->past, 0, sizeof p->past);
}

static const WwParamRow params[] = {
    WW_BOOL(Criticality, greedy, "true", "stays with a warp as long as it can issue"),
    {0},
};
static const WwStatRow stats[] = {
    WW_COUNTER(Criticality, changes, "", "issues of another warp than the one before"),
    {0},
};
static const WwPolicyIf table = {
    .order = criticality_order,
    .issued = criticality_issued,
    .examines = criticality_examines,
};
static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Criticality, policy, &ww_contract_scheduler, &table,
                     "fills the slot of a warp scheduler"),
    {0},
};
static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.criticality",
    .doc = "The most critical warp first: the one that has longest to go at its pace.",
    .family = "scheduler",
    .size = sizeof(Criticality),
    .params = params,
    .ports = ports,
    .stats = stats,
    .reset = criticality_reset,
};

static const WwType *const types[] = {&type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "criticality",
    .version = "1",
    .doc = "criticality-aware warp scheduling",
    .types = types,
};
