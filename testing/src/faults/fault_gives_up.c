/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.gives_up_bus` and others: ask for something that they share with others, and sleep when it is refused, though nobody wakes them when it
 * would be granted. Alone with a provider that grants everything they are like any other.
 *
 *     in -> [ asks ] -> out         need => result_bus, ...
 */
#include "types.h"

#include <ports/cache.h>
#include <ports/execute.h>
#include <ports/icache.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>

typedef struct GivesUp {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort need;
    /* state */
    WwMemReq req; /* fault.gives_up_cache: looked up. */
    /* statistics */
    uint64_t taken;
} GivesUp;

static bool asks_bus(GivesUp *g, const WwInst *inst)
{
    return WW_RESULT_BUS(&g->need)->reserve(g->need.peer, inst->latency % 512u);
}

static bool asks_banks(GivesUp *g, const WwInst *inst)
{
    return WW_REGISTER_BANKS(&g->need)->write(g->need.peer, inst);
}

static bool asks_unit(GivesUp *g, const WwInst *inst)
{
    return WW_FIXED_UNIT(&g->need)->fits(g->need.peer, inst->latency % 256u);
}

static bool asks_ports(GivesUp *g, const WwInst *inst)
{
    return WW_REGISTER_PORTS(&g->need)->read(g->need.peer, inst);
}

static bool asks_slot(GivesUp *g, const WwInst *inst)
{
    return WW_DISPATCH_SLOT(&g->need)->offer(g->need.peer, 0);
}

static bool asks_cache(GivesUp *g, const WwInst *inst)
{
    uint32_t sent;
    g->req = (WwMemReq){.addr = inst->s->pc, .size = WW_SECTOR_BYTES};
    return WW_CACHE(&g->need)->access(g->need.peer, &g->req, ww_now(g), &sent) !=
           WW_CACHE_RESERVATION_FAIL;
}

static bool asks_icache(GivesUp *g, const WwInst *inst)
{
    return WW_ICACHE(&g->need)->access(g->need.peer, inst->warp, inst->s->pc) != WW_FETCH_FAIL;
}

static bool asks_refill(GivesUp *g, const WwInst *inst)
{
    return WW_REFILL(&g->need)->ready(g->need.peer);
}

static WwRest pass(GivesUp *g, bool (*asks)(GivesUp *g, const WwInst *inst))
{
    int slot = ww_regs_oldest(&g->in);
    if (slot < 0) {
        return WW_SLEEP;
    }
    const WwInst *inst = ww_regs_at(&g->in, slot);
    int to = ww_regs_free(&g->out, inst->sched);
    if (to < 0 || !asks(g, inst)) {
        return WW_SLEEP; /* wrong of a refusal: WW_AGAIN */
    }
    ww_regs_put(&g->out, to, ww_regs_take(&g->in, slot));
    g->taken++;
    return WW_AGAIN;
}

static uint64_t carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const GivesUp *)self)->in);
}

static const WwStatRow gives_up_stats[] = {
    WW_COUNTER(GivesUp, taken, "instructions", "instructions passed on"),
    {0},
};

#define GIVES_UP(what, contract_, rank, doc_)                                                      \
    static WwRest tick_##what(void *self)                                                          \
    {                                                                                              \
        return pass(self, asks_##what);                                                            \
    }                                                                                              \
    static const WwPortRow ports_##what[] = {                                                      \
        WW_PORT_IN(GivesUp, in, &ww_contract_inst, 1, "instructions"),                             \
        WW_PORT_OUT(GivesUp, out, &ww_contract_inst, 1, "the same"),                               \
        WW_PORT_REQUIRES(GivesUp, need, &contract_, 1, rank, "asked before each"),                 \
        {0},                                                                                       \
    };                                                                                             \
    static const WwEntryRow entries_##what[] = {                                                   \
        {.name = "pass",                                                                           \
         .phase = "core",                                                                          \
         .tick = tick_##what,                                                                      \
         .doc = "passes on one instruction"},                                                      \
        {0},                                                                                       \
    };                                                                                             \
    const WwType fault_gives_up_##what##_type = {                                                  \
        .abi = WW_ABI_VERSION,                                                                     \
        .name = "fault.gives_up_" #what,                                                           \
        .doc = doc_,                                                                               \
        .family = "std",                                                                           \
        .flags = WW_TYPE_FAULTY,                                                                   \
        .conserves = WW_CONSERVES_ONE,                                                             \
        .size = sizeof(GivesUp),                                                                   \
        .ports = ports_##what,                                                                     \
        .stats = gives_up_stats,                                                                   \
        .entries = entries_##what,                                                                 \
        .carries = carries,                                                                        \
    }

GIVES_UP(bus, ww_contract_result_bus, NULL, "Sleeps when no result bus is free.");
GIVES_UP(banks, ww_contract_register_banks, WW_RANK_WRITE, "Sleeps when a register bank is taken.");
GIVES_UP(unit, ww_contract_unit, WW_RANK_ALLOCATE, "Sleeps when a unit has no room for its end.");
GIVES_UP(ports, ww_contract_register_ports, WW_RANK_ALLOCATE,
         "Sleeps when register ports are taken.");
GIVES_UP(slot, ww_contract_dispatch_slot, WW_RANK_UNIT, "Sleeps when another one is first.");
GIVES_UP(cache, ww_contract_cache, NULL, "Sleeps when a cache has no room for a miss.");
GIVES_UP(icache, ww_contract_icache, NULL, "Sleeps when a cache of instructions refuses.");
GIVES_UP(refill, ww_contract_refill, NULL, "Sleeps when a cache cannot be filled.");
