/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduling policy in a module of its own: `scheduler.youngest` tries the warp that was launched last first.
 *
 * A policy only orders warps. The warp scheduler whose slot it fills does the rest: i-buffers, hazards, units,
 * statistics, sleep.
 */
#include <ports/issue.h>
#include <warpwright/module.h>

typedef struct Youngest {
    WwComponent base;
    /* ports */
    WwProvided policy;
} Youngest;

static uint32_t youngest_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    const WwWarp *warp = view->warps->warp;
    uint32_t n = 0;
    for (uint64_t left = view->candidates; left != 0; left &= left - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(left);
        uint32_t i = n++;
        for (; i > 0 && ww_warp_older(&warp[out[i - 1]], &warp[w]); i--) {
            out[i] = out[i - 1];
        }
        out[i] = w;
    }
    return n;
}

static void youngest_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static const WwPolicyIf youngest_table = {.order = youngest_order, .issued = youngest_issued};

static const WwPortRow youngest_ports[] = {
    WW_PORT_PROVIDES(Youngest, policy, &ww_contract_scheduler, &youngest_table,
                     "fills the slot of a warp scheduler"),
    {0},
};

static const WwType youngest_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.youngest",
    .doc = "Youngest first: tries the warp that was launched last.",
    .family = "scheduler",
    .size = sizeof(Youngest),
    .ports = youngest_ports,
};

static const WwType *const types[] = {&youngest_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "youngest",
    .version = "1",
    .doc = "a scheduling policy as a module",
    .types = types,
};
