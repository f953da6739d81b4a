/* SPDX-License-Identifier: Apache-2.0 */
/* Fake providers of what the parts of a sub-core ask of each other: they say yes unless the test orders otherwise. */
#include <testing/fake_sub_core.h>

#include "fake_others-priv.h"
#include <string.h>

#define FAKE(id, T, contract, doc_, ports_, reset_)                                                \
    const WwType id = {                                                                            \
        .abi = WW_ABI_VERSION,                                                                     \
        .name = "fake." contract,                                                                  \
        .doc = doc_,                                                                               \
        .family = "fake",                                                                          \
        .flags = WW_TYPE_FAKE,                                                                     \
        .size = sizeof(T),                                                                         \
        .ports = ports_,                                                                           \
        .reset = reset_,                                                                           \
    }

/* One of the refusals that were ordered, if there are any left. */
static bool refuses(uint32_t *n)
{
    bool refused = *n != 0;
    *n -= refused && *n != UINT32_MAX;
    return refused;
}

/* ---- unit ------------------------------------------------------------------------------------------------------- */

/* Does an instruction of others that is for it stand still in this cycle? */
static bool unit_is_delayed(const WwFakeUnit *f)
{
    return fake_others_took(f->others, ww_now(f), 1);
}

static bool unit_free(void *self)
{
    const WwFakeUnit *f = self;
    return ww_now(f) >= f->free_at && !unit_is_delayed(f);
}

static WwCycle unit_free_at(void *self)
{
    const WwFakeUnit *f = self;
    return unit_is_delayed(f) ? MAX(f->free_at, ww_now(f) + 1) : f->free_at;
}

static void unit_reserve(void *self, uint32_t interval)
{
    WwFakeUnit *f = self;
    f->reserved++;
    f->free_at = ww_now(f) + interval;
}

static void unit_delay(void *self)
{
    WwFakeUnit *f = self;
    f->delayed++;
    f->free_at = MAX(f->free_at, ww_now(f)) + 1;
}

static bool unit_fits(void *self, uint32_t ahead)
{
    WwFakeUnit *f = self;
    f->asked++;
    f->ahead = ahead;
    WwCycle end = ww_now(f) + ahead;
    return !refuses(&f->refuse) && f->end[end % WW_FAKE_AHEAD] != end + 1 &&
           !fake_others_took(f->others, end, 0);
}

static void unit_book(void *self, uint32_t ahead)
{
    WwFakeUnit *f = self;
    f->booked++;
    f->ahead = ahead;
    WwCycle end = ww_now(f) + ahead;
    f->end[end % WW_FAKE_AHEAD] = end + 1;
}

static const WwUnitIf unit_table = {
    .free = unit_free,
    .free_at = unit_free_at,
    .reserve = unit_reserve,
    .delay = unit_delay,
    .fits = unit_fits,
    .book = unit_book,
};

static void unit_reset(void *self)
{
    WwFakeUnit *f = self;
    f->refuse = f->others = f->reserved = f->delayed = f->asked = f->booked = f->ahead = 0;
    f->free_at = 0;
    memset(f->end, 0, sizeof f->end);
}

static const WwPortRow unit_ports[] = {
    WW_PORT_PROVIDES(WwFakeUnit, unit, &ww_contract_unit, &unit_table, "reserved as it is told"),
    {0},
};
FAKE(ww_fake_unit_type, WwFakeUnit, "unit", "the input of a unit, reserved as it is told",
     unit_ports, unit_reset);

/* ---- register_ports --------------------------------------------------------------------------------------------- */

/* What others may take in a cycle. */
enum { PORT_READ, PORT_QUEUED, PORT_WRITE };

static bool ports_read(void *self, const WwInst *inst)
{
    WwFakeRegisterPorts *f = self;
    f->asked++;
    if (refuses(&f->refuse) || fake_others_took(f->others, ww_now(f), PORT_READ)) {
        return false;
    }
    f->reads++;
    f->last = inst;
    return true;
}

static bool ports_read_queued(void *self, const WwInst *inst)
{
    WwFakeRegisterPorts *f = self;
    f->asked++;
    if (refuses(&f->refuse) || fake_others_took(f->others, ww_now(f), PORT_QUEUED)) {
        return false;
    }
    f->queued++;
    f->last = inst;
    return true;
}

static bool ports_can_write(void *self, uint32_t first, uint32_t n)
{
    WwFakeRegisterPorts *f = self;
    if (refuses(&f->refuse_write) || fake_others_took(f->others, ww_now(f), PORT_WRITE + first)) {
        return false;
    }
    return f->writes == 0 || f->cycle != ww_now(f) || f->here + n <= f->width;
}

static void ports_write(void *self, uint32_t reg)
{
    WwFakeRegisterPorts *f = self;
    f->here = f->writes != 0 && f->cycle == ww_now(f) ? f->here + 1 : 1;
    f->writes++;
    f->reg = reg;
    f->cycle = ww_now(f);
}

static uint32_t ports_writes(void *self)
{
    return ((const WwFakeRegisterPorts *)self)->width;
}

static const WwRegisterPortsIf ports_table = {
    .read = ports_read,
    .read_queued = ports_read_queued,
    .can_write = ports_can_write,
    .write = ports_write,
    .writes = ports_writes,
};

static void ports_reset(void *self)
{
    WwFakeRegisterPorts *f = self;
    f->refuse = f->refuse_write = f->others = f->reads = f->queued = f->asked = f->writes = 0;
    f->width = 2;
    f->last = NULL;
    f->reg = f->here = 0;
    f->cycle = 0;
}

static const WwPortRow ports_ports[] = {
    WW_PORT_PROVIDES(WwFakeRegisterPorts, ports, &ww_contract_register_ports, &ports_table,
                     "free unless the test says otherwise"),
    {0},
};
FAKE(ww_fake_register_ports_type, WwFakeRegisterPorts, "register_ports",
     "ports of register banks that are free unless a test says otherwise", ports_ports,
     ports_reset);

/* ---- register_cache --------------------------------------------------------------------------------------------- */

static bool cache_hit(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    const WwFakeRegisterCache *f = self;
    return read->slot < 16 && f->entry[read->slot][bank % 16] == 1 + warp * 256 + read->reg;
}

static void cache_use(void *self, uint32_t warp, uint32_t bank, const WwTimingRead *read)
{
    WwFakeRegisterCache *f = self;
    f->uses++;
    if (read->slot < 16) {
        f->entry[read->slot][bank % 16] = read->reuse ? 1 + warp * 256 + read->reg : 0;
    }
}

static const WwRegisterCacheIf cache_table = {.hit = cache_hit, .use = cache_use};

static void cache_reset(void *self)
{
    WwFakeRegisterCache *f = self;
    memset(f->entry, 0, sizeof f->entry);
    f->uses = 0;
}

static const WwPortRow cache_ports[] = {
    WW_PORT_PROVIDES(WwFakeRegisterCache, cache, &ww_contract_register_cache, &cache_table,
                     "keeps what it is told"),
    {0},
};
FAKE(ww_fake_register_cache_type, WwFakeRegisterCache, "register_cache",
     "registers kept for reuse, in many slots", cache_ports, cache_reset);

/* ---- result_slots ----------------------------------------------------------------------------------------------- */

static bool slots_free(void *self)
{
    const WwFakeResultSlots *f = self;
    return f->reserved - f->released < f->n;
}

static void slots_reserve(void *self)
{
    WwFakeResultSlots *f = self;
    f->reserved++;
    f->most = MAX(f->most, f->reserved - f->released);
}

/* Results may be the test's, for which nothing was reserved. */
static void slots_release(void *self)
{
    WwFakeResultSlots *f = self;
    bool full = f->reserved - f->released == f->n;
    f->released++;
    const WwClient *issue = ww_provided_client(&f->slots, WW_SLOTS_ISSUE, 0);
    if (full && issue != NULL) {
        ww_wake(&issue->wake);
    }
}

static const WwResultSlotsIf slots_table = {
    .free = slots_free,
    .reserve = slots_reserve,
    .release = slots_release,
};

static void slots_reset(void *self)
{
    WwFakeResultSlots *f = self;
    f->n = 8;
    f->reserved = f->released = f->most = 0;
}

static const WwPortRow slots_ports[] = {
    WW_PORT_PROVIDES(WwFakeResultSlots, slots, &ww_contract_result_slots, &slots_table,
                     "taken and given back"),
    {0},
};
FAKE(ww_fake_result_slots_type, WwFakeResultSlots, "result_slots", "slots of a result queue",
     slots_ports, slots_reset);

/* ---- dispatch_slot ---------------------------------------------------------------------------------------------- */

static bool dispatch_free(void *self)
{
    const WwFakeDispatchSlot *f = self;
    return ww_now(f) >= f->free_at;
}

static bool dispatch_offer(void *self, uint32_t core)
{
    const WwFakeDispatchSlot *f = self;
    return dispatch_free(self) && !fake_others_took(f->others, ww_now(f), core);
}

static WwCycle dispatch_free_at(void *self)
{
    return ((const WwFakeDispatchSlot *)self)->free_at;
}

static void dispatch_take(void *self, uint32_t cycles)
{
    WwFakeDispatchSlot *f = self;
    f->taken++;
    f->cycles = cycles;
    f->free_at = ww_now(f) + cycles;
}

static const WwDispatchSlotIf dispatch_table = {
    .free = dispatch_free,
    .offer = dispatch_offer,
    .free_at = dispatch_free_at,
    .take = dispatch_take,
};

static void dispatch_reset(void *self)
{
    WwFakeDispatchSlot *f = self;
    f->free_at = 0;
    f->taken = f->cycles = f->others = 0;
}

static const WwPortRow dispatch_ports[] = {
    WW_PORT_PROVIDES(WwFakeDispatchSlot, slot, &ww_contract_dispatch_slot, &dispatch_table,
                     "taken as it is told"),
    {0},
};
FAKE(ww_fake_dispatch_slot_type, WwFakeDispatchSlot, "dispatch_slot",
     "the way from sub-cores to what their SM shares", dispatch_ports, dispatch_reset);
