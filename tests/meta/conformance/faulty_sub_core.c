/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty providers of what the back end of a sub-core asks for. */
#include "faulty-priv.h"

#include <ports/execute.h>
#include <ports/sub_core.h>
#include <ports/warps.h>

/* ---- units ------------------------------------------------------------------------------------------------------ */

static const WwUnitIf *unit;

static void hasty_reserve(void *self, uint32_t interval)
{
    unit->reserve(self, now_and_then() ? interval - 1 : interval);
}

static void deaf_delay(void *self)
{
    if (!now_and_then()) {
        unit->delay(self);
    }
}

static void forgets_book(void *self, uint32_t ahead)
{
    if (!now_and_then()) {
        unit->book(self, ahead);
    }
}

static bool refuses_fits(void *self, uint32_t ahead)
{
    return unit->fits(self, ahead) && !now_and_then();
}

/* ---- register file ---------------------------------------------------------------------------------------------- */

static const WwRegisterPortsIf *ports;

static bool refuses_read(void *self, const WwInst *inst)
{
    return (++*extra(self) / 32 & 1u) == 0 && ports->read(self, inst);
}

static bool always_writes(void *self, uint32_t first, uint32_t n)
{
    return ports->can_write(self, first, n) || (++*extra(self) & 1u) != 0;
}

static void forgets_write(void *self, uint32_t reg)
{
    if (!now_and_then()) {
        ports->write(self, reg);
    }
}

static const WwRegisterCacheIf *cache;

static void keeps_use(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    WwTimingRead kept = *read;
    kept.reuse |= now_and_then();
    cache->use(self, warp, bank, &kept);
}

static bool misses_hit(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    return cache->hit(self, warp, bank, read) && !now_and_then();
}

static const WwResultSlotsIf *slots;

static void forgets_slot(void *self)
{
    if (!now_and_then()) {
        slots->release(self);
    }
}

static bool refuses_slot(void *self)
{
    return slots->free(self) && !now_and_then();
}

/* ---- the way to the SM ------------------------------------------------------------------------------------------ */

static const WwDispatchSlotIf *way;

static void hasty_take(void *self, uint32_t cycles)
{
    way->take(self, now_and_then() ? cycles - 1 : cycles);
}

static WwCycle late_free_at(void *self)
{
    return way->free_at(self) + now_and_then();
}

/* ---- units of another SM ---------------------------------------------------------------------------------------- */

static const WwInstEndsIf *unit_ends, *shared_ends;

static void forgets_end(void *self, WwInst *inst, uint32_t what)
{
    if (!now_and_then()) {
        unit_ends->finish(self, inst, what);
    }
}

static void hasty_end(void *self, WwInst *inst, uint32_t what)
{
    shared_ends->finish(self, inst, now_and_then() ? what | WW_END_RECORD : what);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {
    {"fu.fixed", "unit", &unit},
    {"register_ports", "ports", &ports},
    {"register_cache", "cache", &cache},
    {"result_queue", "queue", &slots},
    {"dispatch_slot", "slot", &way},
    {"link.ldst_unit", "ends", &unit_ends},
    {"link.ldst_shared", "ends", &shared_ends},
    {NULL, NULL, NULL},
};

#define UNIT(name, f, g) FAULT(name, "fu.fixed", "unit", WwUnitIf, f, g)
#define PORTS(name, f, g) FAULT(name, "register_ports", "ports", WwRegisterPortsIf, f, g)
#define CACHE(name, f, g) FAULT(name, "register_cache", "cache", WwRegisterCacheIf, f, g)
#define SLOTS(name, f, g) FAULT(name, "result_queue", "queue", WwResultSlotsIf, f, g)
#define WAY(name, f, g) FAULT(name, "dispatch_slot", "slot", WwDispatchSlotIf, f, g)

static const Fault faults[] = {
    {UNIT("unit_hasty", reserve, hasty_reserve), "promises"},
    {UNIT("unit_deaf", delay, deaf_delay), "promises"},
    {UNIT("unit_forgets", book, forgets_book), "promises"},
    {UNIT("unit_refuses", fits, refuses_fits), "promises"},
    {PORTS("ports_refuse", read, refuses_read), "promises"},
    {PORTS("ports_write", can_write, always_writes), "promises"},
    {PORTS("ports_forget", write, forgets_write), "promises"},
    {CACHE("reuse_keeps", use, keeps_use), "promises"},
    {CACHE("reuse_misses", hit, misses_hit), "promises"},
    {SLOTS("slots_forget", release, forgets_slot), "promises"},
    {SLOTS("slots_refuse", free, refuses_slot), "promises"},
    {WAY("way_hasty", take, hasty_take), "promises"},
    {WAY("way_late", free_at, late_free_at), "promises"},
    {FAULT("ends_forget", "link.ldst_unit", "ends", WwInstEndsIf, finish, forgets_end), "promises"},
    {FAULT("ends_hasty", "link.ldst_shared", "ends", WwInstEndsIf, finish, hasty_end), "promises"},
};

const FaultRoom faults_of_sub_cores = {originals, faults, G_N_ELEMENTS(faults)};
