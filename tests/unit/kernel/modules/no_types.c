/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module without types.
 */
#include <warpwright/component.h>
#include <warpwright/module.h>

static const WwType *const types[] = {NULL};

WW_MODULE_EXPORT extern const WwModule ww_module;
const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "no_types",
    .version = "1.0",
    .doc = "A module without types.",
    .types = types,
};
