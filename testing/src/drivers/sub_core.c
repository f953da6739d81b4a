/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what the back end of a sub-core asks of its parts: units, register ports and cache, result slots, the way to the SM. */
#include "drivers-priv.h"

#include <ports/sub_core.h>

/* ---- unit ------------------------------------------------------------------------------------------------------- */

enum { ENDS = 256, NEAR = 24 };

typedef struct Unit {
    WwCycle free_at;
    WwCycle end[ENDS]; /* 1 + a cycle that was booked, by cycle modulo. */
} Unit;

static void unit_ask(WwDrive *d, const Unit *u)
{
    const WwUnitIf *f = d->table;
    WwCycle now = ww_harness_now(d->h);
    bool free = f->free(d->self);
    ww_drive_say(d, "free: %d", free);
    if (free != (now >= u->free_at)) {
        ww_drive_wrong(d,
                       "free() says %s; expected the input to be reserved up to cycle "
                       "%" G_GUINT64_FORMAT,
                       free ? "yes" : "no", u->free_at);
    }
    if (!free && f->free_at(d->self) != u->free_at) {
        ww_drive_wrong(d, "free_at() says %" G_GUINT64_FORMAT "; expected %" G_GUINT64_FORMAT,
                       f->free_at(d->self), u->free_at);
    }
}

static void unit_calendar(WwDrive *d, Unit *u)
{
    const WwUnitIf *f = d->table;
    uint32_t ahead = 1 + ww_drive_draw(d, ww_drive_draw(d, 4) == 0 ? ENDS - 1 : NEAR);
    WwCycle end = ww_harness_now(d->h) + ahead, *slot = &u->end[end % ENDS];
    bool fits = f->fits(d->self, ahead);
    ww_drive_say(d, "fits %u: %d", ahead, fits);
    if (fits != (*slot != end + 1)) {
        ww_drive_wrong(d, "fits() says %s of cycle %" G_GUINT64_FORMAT ", in which %s ends",
                       fits ? "yes" : "no", end, fits ? "another one" : "no other");
    } else if (fits) {
        f->book(d->self, ahead);
        *slot = end + 1;
    }
}

static void unit_drive(WwDrive *d)
{
    const WwUnitIf *f = d->table;
    Unit *u = d->state;
    WwCycle now = ww_harness_now(d->h);
    if (ww_drive_draw(d, 2) == 0) {
        unit_calendar(d, u);
    }
    if (ww_drive_draw(d, 4) == 0) {
        f->delay(d->self);
        u->free_at = MAX(u->free_at, now) + 1;
    }
    unit_ask(d, u);
    if (now >= u->free_at && ww_drive_draw(d, 2) == 0) {
        uint32_t interval = 1 + ww_drive_draw(d, 8);
        f->reserve(d->self, interval);
        u->free_at = now + interval;
        unit_ask(d, u);
    }
}

const WwDriver drive_unit = {
    .contract = &ww_contract_unit,
    .promises =
        "the input is free when, and only when, its reservation with all delays is over; an "
        "end fits unless it is booked",
    .state = sizeof(Unit),
    .drive = unit_drive,
};

/* ---- register_ports --------------------------------------------------------------------------------------------- */

enum { REGISTERS = 32, READS = 3, QUIET_CYCLES = 12, MANY = 20 };

typedef struct Ports {
    WwSinst s;
    WwTiming timing;
    WwInst inst;
    uint32_t quiet;   /* Cycles without a read. */
    uint32_t refused; /* Since when, in cycles, this one is. */
} Ports;

static void draw_reads(WwDrive *d, Ports *p)
{
    p->s = (WwSinst){.opcode = "FFMA", .op = WW_OP_SP};
    p->timing = (WwTiming){.unit = WW_UNIT_SP,
                           .flags = ww_drive_draw(d, 2) != 0 ? WW_TAKES_CACHED : 0,
                           .read_stages = 3,
                           .n_reads = (uint8_t)ww_drive_draw(d, READS + 1),
                           .most_reads = 1};
    for (uint32_t i = 0; i < p->timing.n_reads; i++) {
        p->timing.read[i] = (WwTimingRead){.reg = (uint8_t)ww_drive_draw(d, REGISTERS),
                                           .slot = (uint8_t)i,
                                           .reuse = ww_drive_draw(d, 2) != 0};
    }
    p->inst = (WwInst){.s = &p->s,
                       .timing = &p->timing,
                       .mask = UINT32_MAX,
                       .warp = (uint16_t)ww_drive_draw(d, 2),
                       .op = WW_OP_SP};
}

/* As write-back does: results of one register or several, at most as many as there are ports. */
static void ports_write(WwDrive *d)
{
    const WwRegisterPortsIf *f = d->table;
    uint32_t width = f->writes(d->self), n = 0;
    for (uint32_t i = ww_drive_draw(d, 6); i > 0; i--) {
        uint32_t reg = ww_drive_draw(d, REGISTERS), many = 1 + ww_drive_draw(d, width);
        bool can = f->can_write(d->self, reg, many);
        ww_drive_say(d, "can write %u from R%u on: %d", many, reg, can);
        if (can != f->can_write(d->self, reg, many)) {
            ww_drive_wrong(d, "can_write() of R%u answers differently when asked again", reg);
        }
        if (!can && n == 0) {
            ww_drive_wrong(d, "can_write() of R%u says no, and nothing was written in this cycle",
                           reg);
        }
        for (uint32_t k = 0; can && k < many; k++) {
            f->write(d->self, reg + k);
            n++;
        }
    }
    if (n > width) {
        ww_drive_wrong(d, "%u registers are written in a cycle; expected at most writes() = %u", n,
                       width);
    }
}

static void ports_read(WwDrive *d, Ports *p)
{
    const WwRegisterPortsIf *f = d->table;
    if (p->refused == 0) {
        draw_reads(d, p);
    }
    bool queued = p->timing.n_reads == 0;
    bool read = queued ? f->read_queued(d->self, &p->inst) : f->read(d->self, &p->inst);
    ww_drive_say(d, "%s: %d", queued ? "queued" : "read", read);
    p->refused = read ? 0 : p->refused + 1;
    if (!read && (p->quiet >= QUIET_CYCLES || p->refused > MANY)) {
        ww_drive_wrong(d, "%s is refused %s", queued ? "read_queued()" : "read()",
                       p->refused > MANY ? "again and again"
                                         : "although nothing was read for a long time");
    }
    p->quiet = 0;
}

static void register_ports_drive(WwDrive *d)
{
    Ports *p = d->state;
    ports_write(d);
    if (p->refused != 0 || ww_drive_draw(d, p->quiet != 0 ? 16 : 3) == 0) {
        ports_read(d, p);
    } else {
        p->quiet++;
    }
}

const WwDriver drive_register_ports = {
    .contract = &ww_contract_register_ports,
    .promises =
        "the first write of a cycle finds its port, and there are no more of them than said; "
        "a read is not refused when no other is under way, nor for ever",
    .state = sizeof(Ports),
    .drive = register_ports_drive,
};

/* ---- register_cache --------------------------------------------------------------------------------------------- */

enum { SLOTS = 4, BANKS = 2, WARPS = 2, FEW = 6 };

typedef struct Cache {
    uint32_t kept[SLOTS][BANKS]; /* 1 + warp * 256 + register. */
} Cache;

static void register_cache_drive(WwDrive *d)
{
    const WwRegisterCacheIf *f = d->table;
    Cache *c = d->state;
    WwTimingRead read = {.reg = (uint8_t)ww_drive_draw(d, FEW),
                         .slot = (uint8_t)ww_drive_draw(d, SLOTS),
                         .reuse = ww_drive_draw(d, 3) != 0};
    uint32_t warp = ww_drive_draw(d, WARPS), bank = read.reg % BANKS;
    uint32_t *kept = &c->kept[read.slot][bank], key = 1 + warp * 256 + read.reg;
    bool hit = f->hit(d->self, warp, bank, &read);
    ww_drive_say(d, "R%u of warp %u in slot %u: %d", read.reg, warp, read.slot, hit);
    if (hit != f->hit(d->self, warp, bank, &read)) {
        ww_drive_wrong(d, "hit() answers differently when asked again");
    }
    if (hit && *kept != key) {
        ww_drive_wrong(d, "hit() of R%u of warp %u in slot %u, which nobody has said to keep",
                       read.reg, warp, read.slot);
    }
    if (!hit && *kept == key && read.slot == 0) {
        ww_drive_wrong(d, "no hit() of R%u of warp %u in slot 0, which is to be kept", read.reg,
                       warp);
    }
    if (ww_drive_draw(d, 2) == 0) {
        f->use(d->self, warp, bank, &read);
        *kept = read.reuse ? key : 0;
    }
}

const WwDriver drive_register_cache = {
    .contract = &ww_contract_register_cache,
    .promises = "a register hits in the slot and bank where the last use said to keep it, and "
                "nowhere else; asking has no effect",
    .state = sizeof(Cache),
    .drive = register_cache_drive,
};

/* ---- result_slots ----------------------------------------------------------------------------------------------- */

typedef struct Slots {
    uint32_t held;
    uint32_t n; /* How many there are; 0: they were never all taken. */
} Slots;

static void slots_release(WwDrive *d, Slots *s)
{
    const WwResultSlotsIf *f = d->table;
    bool full = s->held == s->n;
    ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0); /* those before do not count */
    f->release(d->self);
    s->held--;
    if (full && ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0) == 0) {
        ww_drive_wrong(d, "a slot of %u becomes free and the issue stage is not woken", s->n);
    }
}

static void result_slots_drive(WwDrive *d)
{
    const WwResultSlotsIf *f = d->table;
    Slots *s = d->state;
    for (uint32_t n = ww_drive_draw(d, 4); n > 0 && s->held > 0; n--) {
        slots_release(d, s);
    }
    for (uint32_t n = ww_drive_draw(d, 6); n > 0; n--) {
        bool free = f->free(d->self);
        ww_drive_say(d, "free with %u taken: %d", s->held, free);
        s->n = !free && s->n == 0 ? s->held : s->n;
        if (s->n != 0 && free != (s->held < s->n)) {
            ww_drive_wrong(d, "free() says %s with %u of %u slots taken", free ? "yes" : "no",
                           s->held, s->n);
        }
        if (!free && s->held == 0) {
            ww_drive_wrong(d, "free() says no, and no slot is taken");
        }
        if (!free) {
            return;
        }
        f->reserve(d->self);
        s->held++;
    }
}

const WwDriver drive_result_slots = {
    .contract = &ww_contract_result_slots,
    .promises = "there is always the same number of slots; one that becomes free wakes the issue "
                "stage",
    .state = sizeof(Slots),
    .drive = result_slots_drive,
};

/* ---- dispatch_slot ---------------------------------------------------------------------------------------------- */

typedef struct Way {
    WwCycle free_at;
} Way;

static void dispatch_slot_drive(WwDrive *d)
{
    const WwDispatchSlotIf *f = d->table;
    Way *w = d->state;
    WwCycle now = ww_harness_now(d->h);
    bool free = f->free(d->self);
    ww_drive_say(d, "free: %d", free);
    if (free != (now >= w->free_at)) {
        ww_drive_wrong(
            d, "free() says %s; expected the way to be taken up to cycle %" G_GUINT64_FORMAT,
            free ? "yes" : "no", w->free_at);
    }
    if (!free && f->free_at(d->self) != w->free_at) {
        ww_drive_wrong(d, "free_at() says %" G_GUINT64_FORMAT "; expected %" G_GUINT64_FORMAT,
                       f->free_at(d->self), w->free_at);
    }
    bool offers = ww_drive_draw(d, 3) == 0, goes = offers && f->offer(d->self, ww_drive_draw(d, 4));
    if (goes && !free) {
        ww_drive_wrong(d, "offer() says yes, and something is on its way");
    }
    if (goes) {
        uint32_t cycles = 1 + ww_drive_draw(d, 4);
        f->take(d->self, cycles);
        w->free_at = now + cycles;
    }
}

const WwDriver drive_dispatch_slot = {
    .contract = &ww_contract_dispatch_slot,
    .promises = "the way is free unless it was taken for this cycle",
    .state = sizeof(Way),
    .drive = dispatch_slot_drive,
};
