/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: crashes as it is opened, before anybody asks it for anything. */
#include <warpwright/module.h>

static volatile int zero;

static __attribute__((constructor)) void begin(void)
{
    *(volatile int *)(uintptr_t)zero = 1;
}

static const WwType *const types[] = {NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "constructor",
    .version = "1",
    .doc = "crashes as it is opened",
    .types = types,
};
