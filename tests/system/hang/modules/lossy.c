/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: `fu.lossy`, a function unit that forgets what it has taken, and says nothing
 * of itself. */
#include <ports/execute.h>
#include <ports/register_set.h>
#include <warpwright/module.h>

typedef struct Lossy {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort bus;
} Lossy;

static WwRest lossy_tick(void *self)
{
    Lossy *l = self;
    int slot;
    while ((slot = ww_regs_oldest(&l->in)) >= 0) {
        ww_regs_take(&l->in, slot);
    }
    return WW_SLEEP;
}

static const WwPortRow lossy_ports[] = {
    WW_PORT_IN(Lossy, in, &ww_contract_inst, 1, "instructions that get lost"),
    WW_PORT_OUT(Lossy, out, &ww_contract_inst, 1, "never used"),
    WW_PORT_REQUIRES(Lossy, bus, &ww_contract_result_bus, 1, NULL, "never used"),
    {0},
};

static const WwEntryRow lossy_entries[] = {
    {.name = "execute", .phase = "core", .tick = lossy_tick, .doc = "takes and forgets"},
    {0},
};

static const WwType lossy_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.lossy",
    .doc = "A function unit that forgets what it has taken.",
    .family = "fu",
    .size = sizeof(Lossy),
    .ports = lossy_ports,
    .entries = lossy_entries,
};

static const WwType *const types[] = {&lossy_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "lossy",
    .version = "1",
    .doc = "a function unit that forgets",
    .types = types,
};
