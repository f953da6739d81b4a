/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A module: a shared object with one symbol, `ww_module`, that lists the component types it adds.
 */
#pragma once

#include <warpwright/machine.h>

/** What a module says of itself; all of it must be there. */
typedef struct WwModule {
    uint32_t abi; /**< WW_ABI_VERSION of the headers it was built with. */
    const char *name;
    const char *version;
    const char *doc;
    const WwType *const *types; /**< NULL-terminated. */
} WwModule;

/** Defines the module's one symbol. */
#define WW_MODULE_EXPORT __attribute__((visibility("default")))

/** Loads a module and adds its types; the module stays loaded until the process ends. */
WW_API bool ww_module_load(WwRegistry *registry, const char *path, const WwModule **module,
                           GError **error);

/** Interface version that a module was built for, without adding anything; 0: none can be found. */
WW_API uint32_t ww_module_abi(const char *path);
