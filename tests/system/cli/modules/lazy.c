/* SPDX-License-Identifier: Apache-2.0 */
/* A policy that orders nobody in every seventh cycle, and a type that needs what nothing offers. */
#include <ports/issue.h>
#include <warpwright/module.h>

typedef struct Lazy {
    WwComponent base;
    WwProvided policy;
    uint32_t calls;
} Lazy;

static uint32_t lazy_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    uint32_t n = 0;
    for (uint64_t left = view->candidates; left != 0; left &= left - 1) {
        out[n++] = (uint8_t)__builtin_ctzll(left);
    }
    return ++((Lazy *)self)->calls % 7 == 0 ? 0 : n;
}

static void lazy_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static void lazy_reset(void *self)
{
    ((Lazy *)self)->calls = 0;
}

static const WwPolicyIf lazy_table = {.order = lazy_order, .issued = lazy_issued};

static const WwPortRow lazy_ports[] = {
    WW_PORT_PROVIDES(Lazy, policy, &ww_contract_scheduler, &lazy_table, "a slot of a scheduler"),
    {0},
};

static const WwType lazy_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.lazy",
    .doc = "Orders nobody in every seventh cycle.",
    .family = "scheduler",
    .size = sizeof(Lazy),
    .ports = lazy_ports,
    .reset = lazy_reset,
};

static const WwContract own = {
    .name = "lazy_own", .doc = "what nothing offers", .version = 1, .kind = WW_INTERFACE};

typedef struct Needs {
    WwComponent base;
    WwPort own;
} Needs;

static const WwPortRow needs_ports[] = {
    WW_PORT_REQUIRES(Needs, own, &own, 1, NULL, "never called"),
    {0},
};

static const WwType needs_type = {
    .abi = WW_ABI_VERSION,
    .name = "needs_own",
    .doc = "Needs what nothing offers.",
    .family = "test",
    .size = sizeof(Needs),
    .ports = needs_ports,
};

static const WwType *const types[] = {&lazy_type, &needs_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "lazy",
    .version = "1",
    .doc = "a policy that rests in every seventh cycle",
    .types = types,
};
