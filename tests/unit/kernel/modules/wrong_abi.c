/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module built for another version of the interface: everything behind it is garbage.
 */
#include <warpwright/component.h>
#include <warpwright/module.h>

static const WwType *const garbage = (const WwType *)8;

WW_MODULE_EXPORT extern const WwModule ww_module;
const WwModule ww_module = {
    .abi = 42,
    .name = "wrong_abi",
    .version = "1.0",
    .doc = "A module built for another version of the interface: everything behind it is garbage.",
    .types = &garbage,
};
