/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: prints to stdout, where a run's results go in a sweep. */
#include <stdio.h>
#include <warpwright/module.h>

static __attribute__((constructor)) void begin(void)
{
    puts("prints: here I am");
}

static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "test.prints",
    .doc = "Is nowhere used.",
    .family = "test",
    .size = sizeof(WwComponent),
};

static const WwType *const types[] = {&type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "prints",
    .version = "1",
    .doc = "prints to stdout",
    .types = types,
};
