/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: a policy whose table lacks the function that it is about. */
#include <ports/issue.h>
#include <warpwright/module.h>

typedef struct Policy {
    WwComponent base;
    WwProvided policy;
} Policy;

static void issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static const WwPolicyIf table = {.issued = issued};
static const WwPortRow ports[] = {WW_PORT_POLICY(Policy, policy, &table), {0}};
static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.no_order",
    .doc = "Orders nobody.",
    .family = "scheduler",
    .size = sizeof(Policy),
    .ports = ports,
};

static const WwType *const types[] = {&type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "no_order",
    .version = "1",
    .doc = "a policy without an order",
    .types = types,
};
