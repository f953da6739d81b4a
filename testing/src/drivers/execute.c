/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what function units and write-back share: result buses, register banks; of ends of instructions. */
#include "drivers-priv.h"

#include <ports/execute.h>
#include <ports/register_set.h>
#include <ports/tokens.h>
#include <testing/fake_warps.h>

/* ---- result_bus ------------------------------------------------------------------------------------------------- */

enum { AHEAD = 512, NEAR = 6 };

typedef struct Buses {
    uint8_t booked[AHEAD]; /* By cycle, modulo. */
    WwCycle of[AHEAD];     /* The cycle + 1 that an entry speaks of. */
    uint32_t buses;        /* 0: none was refused yet. */
    uint32_t most;         /* Bookings of one cycle that were taken. */
} Buses;

static void result_bus_drive(WwDrive *d)
{
    const WwResultBusIf *f = d->table;
    Buses *b = d->state;
    for (uint32_t n = ww_drive_draw(d, 12); n > 0; n--) {
        uint32_t latency =
            ww_drive_draw(d, 8) == 0 ? ww_drive_draw(d, AHEAD) : ww_drive_draw(d, NEAR);
        WwCycle at = ww_harness_now(d->h) + latency;
        uint8_t *booked = &b->booked[at % AHEAD];
        if (b->of[at % AHEAD] != at + 1) {
            b->of[at % AHEAD] = at + 1;
            *booked = 0;
        }
        bool taken = f->reserve(d->self, latency);
        ww_drive_say(d, "reserve %u: %d", latency, taken);
        if (taken) {
            ++*booked;
            b->most = MAX(b->most, *booked);
        } else if (b->buses == 0) {
            b->buses = *booked;
        }
        if (!taken && (*booked == 0 || *booked < b->most || *booked != b->buses)) {
            ww_drive_wrong(
                d, "reserve() refuses cycle %" G_GUINT64_FORMAT " with %u of %u buses booked", at,
                *booked, MAX(b->most, b->buses));
        } else if (taken && b->buses != 0 && *booked > b->buses) {
            ww_drive_wrong(d, "reserve() books %u of %u buses in cycle %" G_GUINT64_FORMAT, *booked,
                           b->buses, at);
        }
    }
}

const WwDriver drive_result_bus = {
    .contract = &ww_contract_result_bus,
    .promises = "a result is refused when, and only when, all buses of its cycle are booked",
    .state = sizeof(Buses),
    .drive = result_bus_drive,
};

/* ---- register_banks --------------------------------------------------------------------------------------------- */

enum { WRITES = 4, BANK_REGS = 32 };

typedef struct Results {
    WwSinst s[WRITES];
    WwInst inst[WRITES];
    bool waits[WRITES]; /* Refused in an earlier cycle. */
} Results;

static void register_banks_drive(WwDrive *d)
{
    const WwRegisterBanksIf *f = d->table;
    Results *r = d->state;
    bool first = true;
    for (uint32_t i = 0; i < WRITES; i++) {
        if (!r->waits[i]) {
            if (ww_drive_draw(d, 2) == 0) {
                continue;
            }
            r->s[i] = (WwSinst){.opcode = "IADD3",
                                .op = WW_OP_INT,
                                .ndst = 1,
                                .dst = (uint16_t)(1 + ww_drive_draw(d, BANK_REGS))};
            r->inst[i] = (WwInst){.s = &r->s[i],
                                  .mask = UINT32_MAX,
                                  .warp = (uint16_t)ww_drive_draw(d, 8),
                                  .op = WW_OP_INT};
        }
        bool written = f->write(d->self, &r->inst[i]);
        ww_drive_say(d, "write R%u of warp %u: %d", r->s[i].dst - 1u, r->inst[i].warp, written);
        if (!written && first) {
            ww_drive_wrong(d,
                           "write() of R%u is refused although nothing was written in this cycle",
                           r->s[i].dst - 1u);
        }
        r->waits[i] = !written;
        first = false;
    }
}

const WwDriver drive_register_banks = {
    .contract = &ww_contract_register_banks,
    .promises = "the first write of a cycle finds its bank",
    .state = sizeof(Results),
    .drive = register_banks_drive,
};

/* ---- inst_ends -------------------------------------------------------------------------------------------------- */

enum { ENDING = 256 };

/* An instruction that came out of the provider: to be executed, until it is said to be over; then perhaps as a result. */
typedef struct Ending {
    WwInst *inst;
    uint32_t left; /* Bits that are still to be told; 0: it is over, and not seen since. */
} Ending;

typedef struct Endings {
    Ending of[ENDING];
    uint32_t n;
} Endings;

static void forget_ending(Endings *s, uint32_t i)
{
    s->of[i] = s->of[--s->n];
}

/* Instructions whose end nobody but the warps hears of. */
static uint32_t ended_with_warps(const WwDrive *d)
{
    const WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    return warps != NULL ? warps->total.release : 0;
}

/* Pieces of ends, the record with the last of them. */
static void inst_ends_drive(WwDrive *d)
{
    const WwInstEndsIf *f = d->table;
    Endings *s = d->state;
    for (uint32_t n = ww_drive_draw(d, 6); n > 0 && s->n != 0; n--) {
        uint32_t i = ww_drive_draw(d, s->n), piece = 1u << ww_drive_draw(d, 3);
        Ending *e = &s->of[i];
        if (e->left == 0) {
            continue;
        }
        uint32_t what = e->left & piece;
        e->left &= ~piece;
        if (e->left == WW_END_RECORD) {
            what |= WW_END_RECORD;
            e->left = 0;
        }
        if (what == 0) {
            continue;
        }
        uint32_t before = ended_with_warps(d);
        bool over = e->left == 0;
        ww_drive_say(d, "warp %u: %x", e->inst->warp, what);
        f->finish(d->self, e->inst, what);
        uint32_t ended = ended_with_warps(d) - before;
        if (ended > over) {
            ww_drive_wrong(d, "finish() with %x ends an instruction that is not over", what);
        }
        if (ended != 0) {
            forget_ending(s, i);
        }
    }
}

static void inst_ends_came(WwDrive *d, const WwPortRow *row, WwToken token)
{
    Endings *s = d->state;
    if (row->contract != &ww_contract_inst) {
        return;
    }
    WwInst *inst = ww_token_inst(token);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->of[i].inst == inst) {
            if (s->of[i].left != 0) {
                ww_drive_wrong(d, "an instruction of warp %u comes out that is not over",
                               inst->warp);
            }
            forget_ending(s, i);
            return;
        }
    }
    if (s->n < ENDING) {
        s->of[s->n++] = (Ending){.inst = inst, .left = WW_END_ALL};
    }
}

static void inst_ends_rest(WwDrive *d)
{
    const Endings *s = d->state;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->of[i].left == 0) {
            ww_drive_wrong(d, "an instruction of warp %u that is over neither ends nor comes out",
                           s->of[i].inst->warp);
        }
    }
}

const WwDriver drive_inst_ends = {
    .contract = &ww_contract_inst_ends,
    .promises = "what is over ends with the warps or comes out, once; nothing does before",
    .state = sizeof(Endings),
    .drive = inst_ends_drive,
    .came = inst_ends_came,
    .rest = inst_ends_rest,
};
