/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module whose second type is already in good.c.
 */
#include <warpwright/component.h>
#include <warpwright/module.h>

static const WwType first = {
    .abi = WW_ABI_VERSION,
    .name = "thing.first",
    .doc = "A thing.",
    .family = "thing",
    .size = sizeof(WwComponent),
};

static const WwType again = {
    .abi = WW_ABI_VERSION,
    .name = "thing.good",
    .doc = "A thing.",
    .family = "thing",
    .size = sizeof(WwComponent),
};

static const WwType *const types[] = {&first, &again, NULL};

WW_MODULE_EXPORT extern const WwModule ww_module;
const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "duplicate",
    .version = "1.0",
    .doc = "A module whose second type is already in good.c.",
    .types = types,
};
