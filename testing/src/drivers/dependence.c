/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what keeps a warp of a sub-core from issuing: dependences; and of the issue stage itself. */
#include "drivers-priv.h"

#include <ports/sub_core.h>
#include <string.h>
#include <testing/fake_warps.h>

/* ---- dependence -------------------------------------------------------------------------------------------------- */

enum { WARPS = 4, FLIGHTS = 4 };

/* An instruction that takes counters 0 and 1 and writes a register, and one that waits for both counters and reads the registers of all flights. */
typedef struct Flight {
    bool used, sent, read;
} Flight;

typedef struct Deps {
    bool made;
    WwCodeInst code[2];
    WwSinst s[2];
    WwTiming timing[FLIGHTS + 1]; /* of each flight, and of who waits */
    Flight flight[WARPS][FLIGHTS];
    WwCycle changed[WARPS]; /* cycle + 1 of the last change */
    bool ended[WARPS];      /* all that changed then was read() and written(), */
    uint32_t shown[WARPS];  /* behind which what() said this */
} Deps;

static void make_pair(Deps *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        p->code[i] = (WwCodeInst){.opcode = i == 0 ? "LDG.E" : "FADD",
                                  .control = {.stall = 1,
                                              .write = i == 0 ? 1 : WW_NO_COUNTER,
                                              .read = i == 0 ? 0 : WW_NO_COUNTER,
                                              .wait = i == 0 ? 0 : 3}};
        p->s[i] = (WwSinst){.opcode = p->code[i].opcode, .code = &p->code[i], .op = WW_OP_INT};
    }
    for (uint32_t i = 0; i < FLIGHTS; i++) {
        p->timing[i].name[0] = p->timing[FLIGHTS].name[i] = (uint16_t)(i + 1);
        p->timing[i].n_named = p->timing[i].n_written = 1;
    }
    p->timing[FLIGHTS].n_named = FLIGHTS;
    p->made = true;
}

/* Of flight @p flight, or, FLIGHTS, the one that waits. */
static WwInst inst_of(const Deps *p, uint32_t flight, uint32_t warp)
{
    return (WwInst){.s = &p->s[flight == FLIGHTS],
                    .timing = &p->timing[flight],
                    .mask = UINT32_MAX,
                    .warp = (uint16_t)warp,
                    .op = WW_OP_INT};
}

/* What is in the way of the one of @p warp that waits, but for stalls. */
static uint32_t what(WwDrive *d, const Deps *p, uint32_t warp)
{
    const WwDependenceIf *t = d->table;
    WwInst inst = inst_of(p, FLIGHTS, warp);
    return t->blocks(d->self, &inst) & (WW_DEP_COUNTER | WW_DEP_REGISTER);
}

/* Something of @p warp changes in this cycle; @p ends: by read() or written(). */
static void note_change(WwDrive *d, Deps *p, uint32_t warp, bool ends)
{
    WwCycle now = ww_harness_now(d->h) + 1;
    p->ended[warp] = ends && (p->changed[warp] != now || p->ended[warp]);
    p->changed[warp] = now;
}

/* One step in the life of one instruction of @p warp. */
static void step(WwDrive *d, Deps *p, uint32_t warp, Flight *f)
{
    const WwDependenceIf *t = d->table;
    WwInst inst = inst_of(p, (uint32_t)(f - p->flight[warp]), warp);
    if (!f->used) {
        t->issued(d->self, &inst);
        *f = (Flight){.used = true};
        p->ended[warp] = false;
        return;
    }
    note_change(d, p, warp, f->sent);
    if (!f->sent) {
        t->sent(d->self, &inst);
        f->sent = true;
    } else if (!f->read) {
        t->read(d->self, &inst);
        f->read = true;
    } else {
        t->written(d->self, &inst);
        f->used = false;
    }
    p->shown[warp] = what(d, p, warp);
}

static void check_warp(WwDrive *d, const Deps *p, uint32_t warp)
{
    const WwDependenceIf *t = d->table;
    bool issued = false, sent = false;
    for (uint32_t i = 0; i < FLIGHTS; i++) {
        issued |= p->flight[warp][i].used;
        sent |= p->flight[warp][i].used && p->flight[warp][i].sent;
    }
    if (p->changed[warp] == ww_harness_now(d->h) + 1) {
        return; /* seen in the next cycle */
    }
    if (t->at_once && p->ended[warp] && p->shown[warp] != what(d, p, warp)) {
        ww_drive_wrong(d,
                       "blocks() of warp %u is %u, and was %u behind read() and written(); "
                       "expected no later change, as `at_once` says",
                       warp, what(d, p, warp), p->shown[warp]);
        return;
    }
    WwInst inst = inst_of(p, FLIGHTS, warp);
    uint32_t bits = t->blocks(d->self, &inst);
    bool settled = t->settled(d->self, warp);
    bool waits = (bits & (WW_DEP_COUNTER | WW_DEP_REGISTER)) != 0;
    ww_drive_say(d, "warp %u: %u %d", warp, bits, settled);
    if ((waits && !issued) || (!waits && sent) || settled == waits) {
        ww_drive_wrong(d, "with%s a counter of warp %u taken blocks() is %u and settled() %d",
                       sent ? "" : "out", warp, bits, settled);
    } else if (t->idle(d->self, warp) && !settled) {
        ww_drive_wrong(d, "warp %u is idle and not settled", warp);
    } else if (t->until(d->self, warp) <= ww_harness_now(d->h)) {
        ww_drive_wrong(d, "until() of warp %u is in the past", warp);
    }
}

static void dependence_drive(WwDrive *d)
{
    Deps *p = d->state;
    if (!p->made) {
        make_pair(p);
    }
    for (uint32_t w = 0; w < WARPS && d->wrong == NULL; w++) {
        check_warp(d, p, w);
        p->ended[w] = false;
    }
    for (uint32_t n = ww_drive_draw(d, 5); n > 0 && d->wrong == NULL; n--) {
        uint32_t warp = ww_drive_draw(d, WARPS);
        step(d, p, warp, &p->flight[warp][ww_drive_draw(d, FLIGHTS)]);
    }
}

const WwDriver drive_dependence = {
    .contract = &ww_contract_dependence,
    .promises =
        "who waits for a counter, or for a register from an issue on, is blocked from the "
        "cycle behind the one in which it was taken until the cycle behind the one in "
        "which it was given back; what read() and written() end is gone then, if `at_once` says so",
    .state = sizeof(Deps),
    .drive = dependence_drive,
};

/* ---- issue_port -------------------------------------------------------------------------------------------------- */

static void issue_port_drive(WwDrive *d)
{
    const WwIssuePortIf *t = d->table;
    WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    if (warps != NULL && warps->view.live == 0) {
        ww_fake_warps_live(warps, 0, UINT32_MAX); /* an empty stage counts no stalls */
    }
    if (ww_drive_draw(d, 8) == 0) {
        uint32_t cycles = ww_drive_draw(d, 12);
        t->stall(d->self, ww_harness_now(d->h) + ww_drive_draw(d, 2), cycles);
        ww_drive_say(d, "stall %u", cycles);
    }
}

const WwDriver drive_issue_port = {
    .contract = &ww_contract_issue_port,
    .promises = "a stall may come in any cycle",
    .state = 0,
    .drive = issue_port_drive,
};
