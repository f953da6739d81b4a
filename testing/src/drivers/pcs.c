/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of `pcs`: warps that come, wait, issue and go, as schedulers, a warp pool and an LD/ST unit tell of them. */
#include "drivers-priv.h"

#include <ports/pcs_rows.h>
#include <string.h>
#include <testing/fake_warps.h>

enum { WARPS = 6, INSTRUCTIONS = 4, MOST_OUT = 32 };

/* A transaction that is not answered: its instruction, and the number by which it is. An instruction that is met anew has another one. */
typedef struct Out {
    uint32_t k, number;
} Out;

typedef struct Told {
    WwSinst s[INSTRUCTIONS];
    const WwSinst *table[INSTRUCTIONS];
    WwKernel kernel;
    uint64_t here;         /* warps */
    WwCycle issued[WARPS]; /* cycle after their last issue */
    Out out[MOST_OUT];
    uint32_t n_out;
    WwPcCounts n[INSTRUCTIONS]; /* since they were last taken */
    WwPcCounts got[INSTRUCTIONS];
    const char *wrong;
    uint32_t rows;
} Told;

static void begin(Told *t)
{
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        t->s[i] = (WwSinst){.opcode = "IADD3", .pc = 16 * i, .id = i, .op = WW_OP_INT};
        t->table[i] = &t->s[i];
    }
    t->kernel = (WwKernel){.name = "k", .file = "k", .uid = 7, .sinst = t->table};
}

static void issue(WwDrive *d, Told *t, uint32_t warp, uint32_t k)
{
    const WwPcsIf *f = d->table;
    WwInst inst = {.s = &t->s[k], .warp = (uint16_t)warp, .mask = 0xffu};
    if (t->issued[warp] > ww_harness_now(d->h)) {
        f->issued(d->self, 0, &inst, false);
    } else if (ww_drive_draw(d, 2) != 0) {
        f->issued(d->self, 0, &inst, true);
        f->ready(d->self, 0, warp, WW_STATE_READY, ww_harness_now(d->h) + 1);
        t->n[k].slots[WW_SLOT_ISSUED]++;
    } else {
        f->issued(d->self, 0, &inst, true);
        f->enter(d->self, 1ull << warp, WW_STALL_SHORT, ww_harness_now(d->h) + 1);
        t->n[k].slots[WW_SLOT_ISSUED]++;
    }
    t->issued[warp] = ww_harness_now(d->h) + 1;
    t->n[k].issues++;
    t->n[k].lanes += 8;
}

static void access_memory(WwDrive *d, Told *t, uint32_t warp, uint32_t k)
{
    const WwPcsIf *f = d->table;
    WwInst inst = {.s = &t->s[k], .warp = (uint16_t)warp, .mask = 0xffu};
    uint32_t n = 1 + ww_drive_draw(d, 3);
    if (t->n_out + n > MOST_OUT) {
        return;
    }
    Out out = {k, f->accesses(d->self, &inst, n, 2)};
    for (uint32_t i = 0; i < n; i++) {
        t->out[t->n_out++] = out;
    }
    t->n[k].transactions += n;
    t->n[k].bank_conflicts += 2;
    f->l1(d->self, out.number, n == 1);
    t->n[k].l1_accesses++;
    t->n[k].l1_hits += n == 1;
}

static void answer(WwDrive *d, Told *t)
{
    const WwPcsIf *f = d->table;
    uint32_t latency = ww_drive_draw(d, 100), i = ww_drive_draw(d, t->n_out), k = t->out[i].k;
    f->l2(d->self, t->out[i].number, latency < 50);
    f->done(d->self, t->out[i].number, latency);
    t->out[i] = t->out[--t->n_out];
    t->n[k].l2_accesses++;
    t->n[k].l2_hits += latency < 50;
    t->n[k].requests++;
    t->n[k].latency += latency;
    t->n[k].latency_max = MAX(t->n[k].latency_max, latency);
}

static void come_or_go(WwDrive *d, Told *t, uint32_t warp)
{
    const WwPcsIf *f = d->table;
    WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    if (t->here >> warp & 1u) {
        f->retired(d->self, warp);
    } else {
        if (warps != NULL) {
            warps->warp[warp].kernel = &t->kernel;
        }
        f->launched(d->self, warp);
    }
    t->here ^= 1ull << warp;
}

/* Adds what is taken of an instruction. */
static bool look_at_row(void *user, WwPcsRow *row)
{
    Told *t = user;
    if (row->kernel != t->kernel.uid) {
        return false;
    }
    t->rows++;
    if (row->id >= INSTRUCTIONS || row->pc != t->s[row->id].pc) {
        t->wrong = "an instruction that nobody told of";
        return false;
    }
    ww_pcs_add_row(&t->got[row->id], row);
    ww_pcs_clear(row);
    return true;
}

static void take(WwDrive *d, Told *t)
{
    const WwPcsIf *f = d->table;
    t->rows = 0;
    f->take(d->self, look_at_row, t);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) { /* they depend on when they are asked for */
        memset(t->got[i].states, 0, sizeof t->got[i].states);
    }
    ww_drive_say(d, "take %u", t->rows);
    if (t->wrong == NULL && memcmp(t->n, t->got, sizeof t->n) != 0) {
        t->wrong = "other figures of instructions than were told";
    }
    memset(t->n, 0, sizeof t->n);
    memset(t->got, 0, sizeof t->got);
    if (t->wrong != NULL) {
        ww_drive_wrong(d, "take() has %s; expected what was told since the last", t->wrong);
    }
}

static void pcs_drive(WwDrive *d)
{
    Told *t = d->state;
    if (t->kernel.uid == 0) {
        begin(t);
    }
    for (uint32_t n = ww_drive_draw(d, 6); n > 0; n--) {
        uint32_t warp = ww_drive_draw(d, WARPS), k = ww_drive_draw(d, INSTRUCTIONS);
        bool here = (t->here >> warp & 1u) != 0;
        switch (ww_drive_draw(d, 6)) {
        case 0:
            come_or_go(d, t, warp);
            break;
        case 1:
            if (t->n_out != 0) {
                answer(d, t);
            }
            break;
        case 2:
            if (here) {
                access_memory(d, t, warp, k);
            }
            break;
        default:
            if (here) {
                issue(d, t, warp, k);
            }
            break;
        }
    }
    if (ww_drive_draw(d, 8) == 0) {
        take(d, t);
    }
}

const WwDriver drive_pcs = {
    .contract = &ww_contract_pcs,
    .promises =
        "what is told of an instruction is counted once, and comes out with the next take()",
    .state = sizeof(Told),
    .drive = pcs_drive,
};
