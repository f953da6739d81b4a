/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module whose second type has a descriptor that the check refuses.
 */
#include <warpwright/component.h>
#include <warpwright/module.h>

static const WwType fine = {
    .abi = WW_ABI_VERSION,
    .name = "thing.fine",
    .doc = "A thing.",
    .family = "thing",
    .size = sizeof(WwComponent),
};

static const WwType small = {
    .abi = WW_ABI_VERSION,
    .name = "thing.small",
    .doc = "A thing.",
    .family = "thing",
    .size = 1,
};

static const WwType *const types[] = {&fine, &small, NULL};

WW_MODULE_EXPORT extern const WwModule ww_module;
const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "bad_descriptor",
    .version = "1.0",
    .doc = "A module whose second type has a descriptor that the check refuses.",
    .types = types,
};
