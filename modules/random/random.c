/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scheduler.random`: each issue is followed by a new random order of the warps.
 *
 * A baseline: what a policy is worth is what it gains over no policy at all. The order is a hash of the seed, the
 * scheduler, the number of issues so far and the warp, so that the same seed gives the same run, and looking twice
 * gives the same order.
 */
#include <ports/issue.h>
#include <warpwright/module.h>

typedef struct Random {
    WwComponent base;
    uint64_t seed;     /* parameter */
    WwProvided policy; /* port */
    uint64_t draws;    /* state: issues so far */
} Random;

/* Every bit of the result depends on every bit of x (a finaliser of the murmur kind). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

static uint32_t random_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    const Random *p = self;
    uint64_t key[WW_MAX_WARPS], base = mix(p->seed + mix(((uint64_t)p->base.id << 40) + p->draws));
    uint32_t n = 0;
    for (uint64_t left = view->candidates; left != 0; left &= left - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(left);
        uint64_t k = mix(base + w);
        uint32_t i = n++;
        for (; i > 0 && key[i - 1] > k; i--) {
            key[i] = key[i - 1];
            out[i] = out[i - 1];
        }
        key[i] = k;
        out[i] = w;
    }
    return n;
}

static void random_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    ((Random *)self)->draws++;
}

static void random_reset(void *self)
{
    ((Random *)self)->draws = 0;
}

static const WwParamRow params[] = {
    WW_U64(Random, seed, "", "1", 0, 0, "another seed, another run"),
    {0},
};
static const WwPolicyIf table = {.order = random_order, .issued = random_issued};
static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Random, policy, &ww_contract_scheduler, &table,
                     "fills the slot of a warp scheduler"),
    {0},
};
static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.random",
    .doc = "Tries the warps in a random order, a new one after each issue.",
    .family = "scheduler",
    .size = sizeof(Random),
    .params = params,
    .ports = ports,
    .reset = random_reset,
};

static const WwType *const types[] = {&type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "random",
    .version = "1",
    .doc = "random warp scheduling",
    .types = types,
};
