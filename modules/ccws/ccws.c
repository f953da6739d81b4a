/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.ccws`: greedy, then oldest; but the loads of warps that the monitor holds back are left out.
 *
 * After Rogers, O'Connor and Aamodt, "Cache-Conscious Wavefront Scheduling" (MICRO-45, 2012): fewer warps share the L1D
 * while they displace each other's lines. monitor.c has the scores, ccws.plat the wiring.
 *
 * Scores move while nobody issues, so the scheduler does not sleep as long as a warp could issue (restless).
 */
#include "ccws.h"
#include <ports/issue.h>

typedef struct Ccws {
    WwComponent base;
    /* ports */
    WwPort locality;
    WwProvided policy;
    /* state */
    int32_t greedy; /* -1: nobody yet */
    /* statistics */
    uint64_t held;
} Ccws;

static bool loads(const WwWarp *warp)
{
    const WwInst *inst = warp->ibuf[warp->next];
    return inst != NULL && ww_inst_is_load(inst) &&
           (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL);
}

static uint32_t ccws_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    const Ccws *p = self;
    const WwWarp *warp = view->warps->warp;
    uint64_t allowed = CCWS(&p->locality)->may_load(p->locality.peer);
    uint32_t n = 0;
    for (uint64_t left = view->candidates; left != 0; left &= left - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(left);
        if (!(allowed >> w & 1u) && loads(&warp[w])) {
            continue;
        }
        uint32_t i = n++;
        for (; i > 0 && out[i - 1] != p->greedy &&
               (w == p->greedy || ww_warp_older(&warp[w], &warp[out[i - 1]]));
             i--) {
            out[i] = out[i - 1];
        }
        out[i] = w;
    }
    return n;
}

static void ccws_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    Ccws *p = self;
    p->greedy = (int32_t)warp;
    CCWS(&p->locality)->issued(p->locality.peer, n);
}

static uint64_t ccws_examines(void *self, const WwPolicyView *view)
{
    return view->mine; /* sorting looks at every warp */
}

/* Asked once in each cycle without an issue; the scheduler does not sleep through one with a candidate. */
static bool ccws_restless(void *self, const WwPolicyView *view)
{
    Ccws *p = self;
    uint64_t allowed = CCWS(&p->locality)->may_load(p->locality.peer),
             held = view->candidates & ~allowed;
    for (; held != 0; held &= held - 1) {
        if (loads(&view->warps->warp[__builtin_ctzll(held)])) {
            p->held++;
            break;
        }
    }
    return view->candidates != 0;
}

static void ccws_reset(void *self)
{
    ((Ccws *)self)->greedy = -1;
}

static const WwStatRow stats[] = {
    WW_COUNTER(Ccws, held, "cycles", "cycles without an issue in which a load was held back"),
    {0},
};
static const WwPolicyIf table = {
    .order = ccws_order,
    .issued = ccws_issued,
    .examines = ccws_examines,
    .restless = ccws_restless,
};
static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Ccws, policy, &ww_contract_scheduler, &table,
                     "fills the slot of a warp scheduler"),
    WW_PORT_REQUIRES(Ccws, locality, &ccws_contract, 1, NULL,
                     "the SM's ccws_monitor; platform ccws joins them"),
    {0},
};

const WwType ccws_scheduler_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.ccws",
    .doc = "Greedy, then oldest; holds back loads of warps while others lose their locality.",
    .family = "scheduler",
    .size = sizeof(Ccws),
    .ports = ports,
    .stats = stats,
    .reset = ccws_reset,
};

static const WwType *const types[] = {&ccws_monitor_type, &ccws_scheduler_type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "ccws",
    .version = "1",
    .doc = "cache-conscious warp scheduling",
    .types = types,
};
