/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: calls a function that no Warpwright has. */
#include <warpwright/module.h>

extern bool ww_not_there(void);

static bool undefined_init(void *self, GError **error)
{
    return ww_not_there();
}

static const WwType undefined_type = {
    .abi = WW_ABI_VERSION,
    .name = "thing.undefined",
    .doc = "Calls what is not there.",
    .family = "thing",
    .size = sizeof(WwComponent),
    .init = undefined_init,
};

static const WwType *const types[] = {&undefined_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "undefined",
    .version = "1",
    .doc = "misses a symbol",
    .types = types,
};
