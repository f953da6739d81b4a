/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: units that count what the summary's table of units goes by, and one that lacks a part of it. */
#include <warpwright/component.h>
#include <warpwright/module.h>

typedef struct Unit {
    WwComponent base;
    uint64_t issued, busy;
} Unit;

static WwRest unit_work(void *self)
{
    Unit *u = self;
    if (u->issued == 0) {
        u->issued = 1234;
        u->busy = 5;
    }
    return WW_SLEEP;
}

static const WwStatRow told_stats[] = {
    WW_COUNTER(Unit, issued, "instructions", "instructions accepted"),
    WW_COUNTER(Unit, busy, "cycles", "cycles with one inside"),
    {0},
};

static const WwStatRow untold_stats[] = {
    WW_COUNTER(Unit, issued, "instructions", "instructions accepted"),
    {0},
};

static const WwEntryRow unit_entries[] = {
    {.name = "work", .phase = "core", .tick = unit_work, .doc = "counts, once"},
    {0},
};

#define UNIT(name_, stats_)                                                                        \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = name_, .doc = "A unit.", .family = "unit",                  \
        .size = sizeof(Unit), .stats = stats_, .entries = unit_entries                             \
    }

static const WwType told_type = UNIT("unit.told", told_stats);
static const WwType untold_type = UNIT("unit.untold", untold_stats);
static const WwType *const types[] = {&told_type, &untold_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "units",
    .version = "1",
    .doc = "units, one without a statistic",
    .types = types,
};
