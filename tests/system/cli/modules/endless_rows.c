/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: a table that does not end, in front of what is no row. */
#include <ports/fifo.h>
#include <ports/tokens.h>
#include <warpwright/module.h>

typedef struct Part {
    WwComponent base;
    WwPort in;
} Part;

static const struct {
    WwPortRow row[1];
    uintptr_t behind[64];
} ports = {{WW_PORT_IN(Part, in, &ww_contract_number, 1, "numbers")}, {[0 ... 63] = 16}};

static const WwType part = {
    .abi = WW_ABI_VERSION,
    .name = "endless.rows",
    .doc = "Has a table without an end.",
    .family = "endless",
    .size = sizeof(Part),
    .ports = ports.row,
};

static const WwType *const types[] = {&part, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "endless_rows",
    .version = "1",
    .doc = "a table without an end",
    .types = types,
};
