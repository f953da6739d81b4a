/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module as it should be.
 */
#include <warpwright/component.h>
#include <warpwright/module.h>

typedef struct Thing {
    WwComponent base;
    uint32_t depth;
} Thing;

static const WwParamRow thing_params[] = {
    WW_UINT(Thing, depth, "entries", "4", 1, 16, "How deep."),
    {0},
};

static const WwType thing = {
    .abi = WW_ABI_VERSION,
    .name = "thing.good",
    .doc = "A thing.",
    .family = "thing",
    .size = sizeof(Thing),
    .params = thing_params,
};

static const WwType *const types[] = {&thing, NULL};

WW_MODULE_EXPORT extern const WwModule ww_module;
const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "good",
    .version = "1.0",
    .doc = "A module as it should be.",
    .types = types,
};
